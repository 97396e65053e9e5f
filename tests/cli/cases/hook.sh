# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# hook: what its command line says, and one run of each form, which the sanitizers see here; tests/hook/run.sh has the rest.

run hook
expect "hook: no trace" 2 out= "err=postfetto: hook: no trace is named; write postfetto hook TRACE..."
run hook run
expect "hook run: no command" 2 out= "err=postfetto: hook: no command is named; write postfetto hook run -- COMMAND ARGS..."
run hook run --
expect "hook run: nothing after --" 2 out= "err=postfetto: hook: no command is named; write postfetto hook run -- COMMAND ARGS..."
run hook run tiny.json -- true
expect "hook run: a word before the command" 2 out= \
    "err=postfetto: hook: 'tiny.json' stands before the command; write postfetto hook run [options] -- COMMAND ARGS..."
run hook watch
expect "hook watch: no folder" 2 out= "err=postfetto: hook: no folder is named; write postfetto hook watch DIR... [options]"
run hook --help
expect "hook --help" 0 err= "out~^Usage: postfetto hook TRACE\.\.\. \[options\] \| run \[options\] -- COMMAND" "out~^      --print-config +print"
run hook --print-config --workers 2 --match 'a*' --pass "gpu --match b"
expect "hook --print-config" 0 err= "out=# no configuration file; defaults and flags
passes:
  - name: 'gpu'
    words: []
    match:
      - 'b'
fail-if: []
match:
  - 'a*'
enriched: yes
html: yes
pictures: no
archive: no
nice: 0
timeout: 0ms
settle: 2000ms
workers: 2
once: no
strict: no"

mkdir hooked
cp aie_small.json hooked/good.json
cp aie_cut.json hooked/cut.json
cp aie_text.json hooked/text.json
pass="aie $SHAPE"
run hook hooked/good.json --pass "$pass" --pass "$pass --match other" --fail-if 'select count(*) > 1 from slice' \
    --fail-if 'select count(*) > 9 from aie_cores'
expect "hook: one finding of two thresholds" 1 out= \
    "err=postfetto: hooked/good.json: 1 finding: hooked/good.json: --fail-if 'select count(*) > 1 from slice' is true: count(*) = 584"
run hook hooked/good.json --pass "$pass" --pass "$pass --match other" --fail-if 'select count(*) > 1 from slice' \
    --fail-if 'select count(*) > 9 from aie_cores'
expect "hook: a second time" 1 out= "err=postfetto: hooked/good.json: skipped: good.json.report.json is up to date and has findings"
# The first failure of several traces counts; without one a finding does.
run hook hooked/text.json hooked/good.json hooked/cut.json --fail-if 'select count(*) > 1 from slice' --strict
expect "hook: several traces, the first failure" 3 out= "err~text.json: not analysed: " "err~cut.json: "
run hook hooked/good.json hooked/text.json --fail-if 'select count(*) > 1 from slice' --strict --out hooked/out
expect "hook: a failure after a finding" 3 out= "err~^postfetto: hooked/good.json: 1 finding: "
run hook hooked/good.json hooked/text.json --fail-if 'select count(*) > 1 from slice' --out hooked/out/of/it
expect "hook: a finding before what is no trace" 1 out= "err~^postfetto: hooked/text.json: not analysed: "
run hook hooked/good.json --match '*.pftrace' --out hooked/out2
expect "hook: a name that does not match" 0 out= err=
claim "hook: nothing is made for it" [ ! -e hooked/out2 ]
rm -rf hooked/*.report* hooked/out hooked/*.enriched*

run hook watch hooked --once --settle 0 --strict --workers 2 --fail-if 'select count(*) > 1 from slice'
expect "hook watch --once --strict: findings" 1 out= "err~^postfetto: hooked/good.json: 1 finding: " \
    "err~^postfetto: hooked/cut.json: 1 finding: " "err!text.json"
claim "hook watch: what is no trace has no report" [ ! -e hooked/text.json.report.json ]
run hook watch hooked nowhere --once --settle 0 --strict
expect "hook watch: other thresholds are other work" 4 out= "err~^postfetto: hooked/cut.json: not analysed: is damaged; postfetto check says how$" \
    "err~^postfetto: hooked/good.json: hooked/good.json.report.json$"
run hook run --in hooked/new -- sh -c 'mkdir hooked/new; cp hooked/good.json hooked/new; cp hooked/good.json.report.json hooked/new/x.json; exit 3'
expect "hook run" 3 out= "err=postfetto: hooked/new/good.json: hooked/new/good.json.report.json"
rm -r hooked
