#!/usr/bin/env bash
# run.sh POSTFETTO FIXTURES_DIR [KILLS] - the post-capture hook: what it writes, what it survives, what it never does.
# Prints `ok NAME` or `not ok NAME`, then `N passed, M failed, K skipped`; with POSTFETTO_FIRST_FAILURE in the environment it
# ends at the first failure.
set -u
export LC_ALL=C
unset POSTFETTO_CONFIG NO_COLOR

[ $# -ge 2 ] || { echo "usage: run.sh POSTFETTO FIXTURES_DIR [KILLS]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
PF=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
FIX=$(cd "$2" && pwd)
KILLS=${3:-200}
W=$(mktemp -d)
chmod 755 "$W"
trap 'rm -rf "$W"' EXIT
passed=0 failed=0 skipped=0
OUT=$W/out ERR=$W/err
AIE="aie --M 128 --K 64 --N 64 --row 1 --col 2 --warmup 1 --iterations 4"

claim() {
    if "${@:2}" >"$W/claim" 2>&1; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "not ok $1: not true: ${*:2}"
        sed 's/^/    | /' "$W/claim" "$ERR" 2>/dev/null | tail -n 20
        [ -z "${POSTFETTO_FIRST_FAILURE-}" ] || exit 1
    fi
}
skip() {
    skipped=$((skipped + 1))
    echo "ok $1 # skipped: $2"
}
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
has() { grep -qE -e "$2" "$1" || { echo "$1 does not say: $2"; cat "$1"; return 1; }; }
lacks() { ! grep -qE -e "$2" "$1" || { echo "$1 says: $2"; return 1; }; }
hook() {
    "$PF" hook "$@" >"$OUT" 2>"$ERR"
    rc=$?
}
fresh() {
    rm -rf "$W/t"
    mkdir "$W/t"
    cd "$W/t" || exit 2
}
member() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval("d"+sys.argv[2]))' "$1" "$2"; }
names() { find . -mindepth 1 | sort | tr '\n' ' '; }

# ---- hook run, as the README shows it ----
fresh
cat >postfetto.yaml <<END
passes:
  - aie: {M: 128, K: 64, N: 64, row: 1, col: 2, warmup: 1, iterations: 4}
END
mkdir job
cd job || exit 2
cat >capture.sh <<END
#!/bin/sh
cat >seen
echo "captured \$1"
echo "to stderr" >&2
sleep 0.2
cp "$FIX/aie_small.json" trace.json
exit 7
END
chmod +x capture.sh
echo "input" | "$PF" hook run -- ./capture.sh word >"$OUT" 2>"$ERR"
rc=$?
claim "run returns the status of the command" is $rc 7
claim "the command has its standard output" is "$(cat "$OUT")" "captured word"
claim "the command has its standard error" has "$ERR" "^to stderr$"
claim "the command has its standard input" is "$(cat seen)" input
claim "report, enriched trace and reports are there" eval '[ -s trace.json.report.md ] && [ -s trace.json.enriched.pftrace ] && [ -s trace.json.reports/index.json ]'
claim "the report says what ran" is "$(member trace.json.report.json '["passes"][0]["name"]')" aie
claim "the report has the numbers of the pass" is "$(member trace.json.report.json '["passes"][0]["summary"]["cores"][0]["num_kernels"]')" 24
claim "the status is done" is "$(member trace.json.report.json '["status"]')" done
claim "nothing else was made" is "$(names)" "./capture.sh ./seen ./trace.json ./trace.json.enriched.pftrace ./trace.json.report.html ./trace.json.report.json ./trace.json.report.md ./trace.json.reports ./trace.json.reports/aggregate_perf.json ./trace.json.reports/aie_quality.json ./trace.json.reports/details.md ./trace.json.reports/index.json ./trace.json.reports/tile2,1.json ./trace.json.reports/tile3,1.json "
"$PF" query trace.json.enriched.pftrace "select count(*) > 0 from metadata where name glob '*postfetto.*'" >"$OUT" 2>"$ERR"
claim "the enriched trace carries our metadata" is "$(tail -n 1 "$OUT")" 1

for status in 0 1 42 126 255; do
    "$PF" hook run -- sh -c "exit $status" >"$OUT" 2>"$ERR"
    claim "run: status $status" is $? $status
done
# A parent may hand down SIGCHLD ignored; the end of a child would go unnoticed.
timeout 60 env --ignore-signal=CHLD "$PF" hook run -- sh -c 'exit 7' >"$OUT" 2>"$ERR"
claim "run: status 7 from a parent that ignores its children" is $? 7
"$PF" hook run -- sh -c 'kill -SEGV $$' >"$OUT" 2>"$ERR"
claim "run: 128 + 11 after a signal" is $? 139
"$PF" hook run -- ./nothing-there >"$OUT" 2>"$ERR"
claim "run: 127 for a command that is not there" is $? 127
"$PF" hook run -- ./postfetto.yaml.not >"$OUT" 2>"$ERR"
claim "run: it is said" has "$ERR" "cannot be run"
# Four descriptors are enough to begin with, but not for the pipe to the command.
(exec 3>&- && ulimit -n 4 && exec "$PF" hook run -- true) >"$OUT" 2>"$ERR"
claim "run: 126 for a command without descriptors" is $? 126
claim "run: that is said, too" has "$ERR" "true: cannot be run: Too many open files"
"$PF" hook run -- "$W/t/postfetto.yaml" >"$OUT" 2>"$ERR"
claim "run: 126 for a file that cannot be executed" is $? 126
"$PF" hook run -- sh -c 'trap "exit 33" TERM; echo $$ >pid; while :; do sleep 0.05; done' >"$OUT" 2>"$ERR" &
pid=$!
while [ ! -s pid ]; do sleep 0.05; done
kill -TERM $pid
wait $pid
claim "run: a signal reaches the command, its status is returned" is $? 33
"$PF" hook run -- sh -c 'printf damage >bad.json; exit 0' >"$OUT" 2>"$ERR"
claim "run: what is no trace is left alone" eval '[ $? -eq 0 ] && [ ! -e bad.json.report.json ]'
head -c 20000 "$FIX/aie_small.json" >"$W/cut.json"
"$PF" hook run -- cp "$W/cut.json" cut.json >"$OUT" 2>"$ERR"
claim "run: 0 for a damaged trace" is $? 0
"$PF" hook run --strict -- cp "$W/cut.json" cut2.json >"$OUT" 2>"$ERR"
claim "run: --strict says that it is damaged" is $? 4
"$PF" hook run --strict -- sh -c "cp $W/cut.json cut3.json; exit 9" >"$OUT" 2>"$ERR"
claim "run: --strict leaves the status of a command that failed" is $? 9
rm -rf ./*
"$PF" hook run --match '*.pftrace' -- sh -c "cp $FIX/aie_small.json a.json; cp $FIX/aie_small.pftrace b.pftrace" >"$OUT" 2>"$ERR"
claim "run: --match" eval '[ ! -e a.json.report.json ] && [ -s b.pftrace.report.json ]'
"$PF" hook run --in deep -- sh -c "mkdir -p deep/er; cp $FIX/aie_small.json deep/er/a.json; cp $FIX/aie_small.json b.json" >"$OUT" 2>"$ERR"
claim "run: --in" eval '[ -s deep/er/a.json.report.json ] && [ ! -e b.json.report.json ]'
printf 'passes: [oops]\n' >postfetto.yaml
"$PF" hook run -- sh -c 'exit 5' >"$OUT" 2>"$ERR"
claim "run: a broken configuration that was found does not keep the command from running" is $? 5
claim "run: it is said with its line" has "$ERR" "postfetto.yaml: line 1: unknown pass 'oops'"
rm postfetto.yaml

# ---- damage is said, also where no pass fits ----
fresh
printf '[{"name": "a", "ph": "X", "ts": 1, "dur": 3, "pid": 7, "tid": 9}, {"na' >cut.json
printf '[{"name": "a", "ph": "X", "ts": 1, "dur": 3, "pid": 7, "tid": 9}]' >whole.json
hook cut.json
claim "damage: standard error says it" eval '[ $rc -eq 0 ] && grep -q "cut.json.report.json (the trace is damaged: a part of the recording is lost)" "$ERR"'
claim "damage: the report says it" eval 'has cut.json.report.md "^.*Damaged.*: a part of the recording is lost" && has cut.json.report.md "^- the document ends in the middle"'
claim "that no pass fits, too" has cut.json.report.md "^No pass fits this trace"
hook whole.json
claim "a whole trace is not called damaged" eval 'lacks "$ERR" damaged && lacks whole.json.report.md Damaged'

# ---- the reports in full ----
fresh
report() { python3 "$here/report.py" "$PF" "$1"; }
cp "$FIX/aie_small.json" a_b.json
cat >many.yaml <<END
passes:
  - aie: {M: 128, K: 64, N: 64, row: 1, col: 2, warmup: 1, iterations: 4}
  - gpu
  - aie: {M: 1, K: 1, N: 1, row: 1, col: 2, warmup: 1}
  - name: aie
    match: ["*.other"]
END
hook --config many.yaml a_b.json
claim "reports: a pass that ran and three that did not" report a_b.json.report.json
claim "reports: why the three did not run" is "$(member a_b.json.report.json '["not_run"]')" \
    "[{'name': 'gpu', 'reason': 'does not fit this trace'}, {'name': 'aie', 'reason': 'missing options: --iterations'}, {'name': 'aie', 'reason': 'the name of the trace does not match'}]"
claim "reports: no pass failed, no reason" is "$(member a_b.json.report.json '["status"], d["exit_code"], d["reason"], d["findings"], d["passes"][0]["exit_code"]')" \
    "('done', 0, None, [], 0)"
hook a_b.json --pass "$AIE" --fail-if 'select min(gmacs_per_second) < 900 from aie_iterations' --fail-if 'select count(*) > 1 from aie_cores'
claim "reports: a row for each threshold on the page" is "$(grep -c '<td class="s">failed: it is true</td>' a_b.json.report.html)" 2
claim "reports: two findings" report a_b.json.report.json
claim "reports: both findings are named" is "$(member a_b.json.report.json '["status"], d["exit_code"], len(d["findings"]), d["reason"][:12]')" \
    "('finding', 1, 2, '2 findings: ')"
claim "reports: the page of the pass says so, too" eval 'has a_b.json.report.html "<strong>[0-9]+ warnings?</strong>" &&
    is "$(grep -c "^<li>--fail-if .* is true: " a_b.json.report.html)" 2'
hook a_b.json --pass "$AIE" --pass "$AIE --clock-ghz 1" --enriched no
claim "reports: the second pass has a page of its own" has a_b.json.reports/aie.html "--clock-ghz 1 "
# links FILE: the pages that its line of other pages links.
links() { sed -n '/^<nav/s/<a href="\([^"]*\)"/\n@\1\n/gp' "$1" | sed -n 's/^@//p' | tr '\n' ' '; }
claim "reports: the pages of two passes link each other" is "$(links a_b.json.report.html)$(links a_b.json.reports/aie.html)" \
    "a_b.json.reports/aie.html ../a_b.json.report.html "
claim "reports: two passes have folders of their own, nothing is drawn" report a_b.json.report.json
hook a_b.json --pass "$AIE --pairing nothing"
claim "reports: a pass that failed" report a_b.json.report.json
claim "reports: how it failed" is "$(member a_b.json.report.json '["status"], d["exit_code"], d["passes"][0]["exit_code"], d["passes"][0]["summary"]')" \
    "('failed', 2, 2, None)"
hook a_b.json --pass "$AIE" --pass "$AIE --pairing nothing"
claim "reports: the page of a second pass that failed says so" has a_b.json.reports/aie.html "<h1>Not analysed: .*pairing"
claim "reports: that page links the report" has a_b.json.reports/aie.html '<a href="../a_b.json.report.md">'
rm -r a_b.json.report*
hook a_b.json --pass "$AIE --pairing nothing"
claim "reports: the page of a failure" has a_b.json.report.html "<h1>Not analysed: .*pairing"
head -c 20000 a_b.json >cut.json
hook cut.json --html no
claim "reports: no page where none is wanted" eval '[ ! -e cut.json.report.html ] && is "$(member cut.json.report.json ".get(\"html\")")" None'
hook cut.json
claim "reports: the page of a trace without a pass" has cut.json.report.html "<li>.*a part of the recording is lost"
claim "reports: a damaged trace without a pass" report cut.json.report.json
claim "reports: no pictures where none are wanted" eval '[ ! -e cut.json.reports ]'
hook cut.json --pictures --fail-if 'select count(*) > 3 from slice' --fail-if 'select count(*) < 3 from slice' --fail-if 'select dur < -5 from slice'
slices=$("$PF" query cut.json -q 'select count(*) from slice' | tail -n 1)
claim "reports: thresholds of a trace without a pass" is "$(member cut.json.report.json '["findings"], d["passed"]')" \
    "([\"cut.json: --fail-if 'select count(*) > 3 from slice' is true: count(*) = $slices\"], [\"--fail-if 'select count(*) < 3 from slice' is not true: count(*) = $slices\", \"--fail-if 'select dur < -5 from slice' is not true: in none of $slices rows\"])"
claim "reports: the Markdown has them" eval 'has cut.json.report.md "is true: count.... = $slices" && has cut.json.report.md "is not true: count.... = $slices"'
claim "reports: the page has them" is "$(grep -c "^<tr><td>select .* from slice</td><td class=.s.>\(failed: it is true\|passed\)</td><td class=.s.>\(count(\*) = $slices\|in none of $slices rows\)</td></tr>$" cut.json.report.html)" 3
claim "reports: and warns of the one that is true" is "$(grep -c '^<li>--fail-if ' cut.json.report.html)" 1
claim "reports: pictures of a trace without a pass" is "$(cd cut.json.reports && echo *)" "names.svg rows_over_time.svg threads.svg"
hook a_b.json --pass "$AIE" --pictures
claim "reports: pictures of a pass are among its reports" is "$(member a_b.json.report.json '["passes"][0]["reports"]' | grep -o '[a-z_]*\.svg' | tr '\n' ' ')" \
    "aie_over_time.svg aie_stalls.svg aie_throughput.svg "

# ---- hook FILE ----
fresh
cp "$FIX/aie_small.json" t.json
sum=$(sha256sum t.json; stat -c '%Y %i' t.json)
hook t.json --pass "$AIE"
claim "hook FILE" is $rc 0
claim "it says what it wrote" has "$ERR" "t.json: .*t.json.report.json, .*t.json.enriched.pftrace"
claim "the trace is untouched" is "$(sha256sum t.json; stat -c '%Y %i' t.json)" "$sum"
cp -r . "$W/reference"
hook t.json --pass "$AIE"
claim "a second run is skipped and says so" has "$ERR" "skipped: t.json.report.json is up to date"
touch t.json
hook t.json --pass "$AIE"
claim "the time of the trace does not matter" has "$ERR" "skipped"
hook t.json --pass "$AIE --clock-ghz 1"
claim "other options are other work" lacks "$ERR" "skipped"
rm t.json.enriched.pftrace
hook t.json --pass "$AIE --clock-ghz 1"
claim "an output that is missing is made again" test -s t.json.enriched.pftrace
printf '\n' >>t.json
hook t.json --pass "$AIE --clock-ghz 1"
claim "another input is other work" lacks "$ERR" "skipped"
hook t.json.enriched.pftrace t.json.report.json
claim "our own outputs are no inputs" eval '[ $rc -eq 0 ] && [ ! -e t.json.enriched.pftrace.report.json ]'
claim "nothing was made of them" lacks <(names) "report.json.report"
"$PF" convert t.json -o c.pftrace -q
hook c.pftrace
claim "what convert wrote is no capture" has "$ERR" "skipped: postfetto wrote it"
fresh
cp "$FIX/aie_small.json" t.json
hook t.json
claim "no pass without its options" is "$(member t.json.report.json '["not_run"][0]["reason"]')" "missing options: --M, --K, --N, --row, --col, --warmup, --iterations"
claim "no enriched trace then" eval '[ ! -e t.json.enriched.pftrace ] && [ ! -e t.json.reports ]'
hook t.json --out o/p --pass "$AIE"
claim "--out" eval '[ -s o/p/t.json.report.json ] && [ -s o/p/t.json.enriched.pftrace ] && [ -s o/p/t.json.reports/index.json ]'
hook t.json --pass "$AIE" --enriched no --out q
claim "--enriched no" eval '[ -s q/t.json.report.json ] && [ ! -e q/t.json.enriched.pftrace ]'
hook "$W/cut.json" --out cut
claim "a damaged trace is exit 0" is $rc 0
claim "its damage is in the report" is "$(member cut/cut.json.report.json '["check"]["ok"]')" False
hook "$W/cut.json" --out cut --strict
claim "--strict: 4" is $rc 4
claim "a report of what failed" is "$(member cut/cut.json.report.json '["status"]')" failed
echo "no trace" >n.txt
hook n.txt
claim "no trace is exit 0" is $rc 0
claim "one line says why" eval '[ $(wc -l <"$ERR") -eq 1 ] && grep -q "n.txt: not analysed: is not a trace" "$ERR"'
claim "the report says it, too" has <(member n.txt.report.json '["reason"]') "is not a trace"
hook n.txt --strict
claim "--strict: 3" is $rc 3
hook nothing-there
claim "no file is exit 0" is $rc 0
hook nothing-there --strict
claim "--strict: 3 for no file" is $rc 3
hook t.json --pass "$AIE" --max-memory 1M --strict --out m
claim "--strict: 5 for a limit" is $rc 5
hook t.json --pass "$AIE" --timeout 1ms --strict --out z
claim "--strict: 124 after the time" is $rc 124
claim "the reason is in the report" has <(member z/t.json.report.json '["reason"]') "--timeout"
hook t.json --pass "$AIE" --out z
claim "what failed is tried again" is "$(member z/t.json.report.json '["status"]')" done
hook t.json --nice 5 --pass "$AIE" --out y
claim "--nice" test -s y/t.json.report.json

# ---- thresholds ----
fresh
cp "$FIX/aie_small.json" t.json
hook t.json --pass "$AIE" --fail-if 'select min(gmacs_per_second) < 900 from aie_iterations' --junit j.xml --annotations github
claim "a true threshold is exit 1" is $rc 1
claim "it says with which values" has "$ERR" "min\(gmacs_per_second\) = 58"
claim "the report has the finding" is "$(member t.json.report.json '["status"]')" finding
claim "the enriched trace is there all the same" test -s t.json.enriched.pftrace
claim "JUnit has one failure" has j.xml 'tests="1" failures="1"'
claim "a workflow command" has "$OUT" "^::error "
hook t.json --pass "$AIE" --fail-if 'select min(gmacs_per_second) < 900 from aie_iterations' --junit j.xml --annotations github
claim "skipped, and still a finding" eval '[ $rc -eq 1 ] && grep -q skipped "$ERR"'
hook t.json --pass "$AIE" --fail-if 'select min(gmacs_per_second) < 1 from aie_iterations'
claim "a threshold that is not true" is $rc 0
hook t.json --fail-if 'select count(*) > 3 from slice'
claim "a threshold over the trace alone" is $rc 1
hook t.json --fail-if 'select dur from slice limit 0'
claim "nothing measured is a finding" eval '[ $rc -eq 1 ] && grep -q "measured nothing" "$ERR"'
hook t.json --fail-if 'select count(*) > 0 from aie_cores' --fail-if '0'
claim "a table of a pass that does not run measured nothing" \
    eval '[ $rc -eq 1 ] && grep -q "1 finding.*measured nothing: no such table: aie_cores" "$ERR"'
rm -f t.json.report.*
hook t.json --fail-if 'select 1 from nowhere'
claim "a wrong threshold is a usage error" eval '[ $rc -eq 2 ] && grep -q "no such table: nowhere" "$ERR"'
claim "and no work has started" test ! -e t.json.report.json
hook t.json --junit j.xml
claim "--junit without a threshold" is $rc 2
"$PF" hook run --fail-if 'x y' -- touch ran >"$OUT" 2>"$ERR"
claim "run: a wrong threshold stops it before the command" eval '[ $? -ne 0 ] && [ ! -e ran ]'
"$PF" hook run --fail-if 'select count(*) > 3 from slice' -- cp "$FIX/aie_small.json" u.json >"$OUT" 2>"$ERR"
claim "run: a finding is no failure of the job" is $? 0
"$PF" hook run --strict --fail-if 'select count(*) > 3 from slice' -- cp "$FIX/aie_small.json" v.json >"$OUT" 2>"$ERR"
claim "run --strict: it is" is $? 1

# ---- two at once, folders that refuse ----
exec 9>".t.json.postfetto-lock"
flock 9
hook t.json
claim "a lock that is held: the hook leaves" eval '[ $rc -eq 0 ] && grep -q "another hook is working at it" "$ERR"'
exec 9>&-
hook t.json
claim "a lock that is left over does not block" lacks "$ERR" "another hook"
claim "the lock is gone" test ! -e .t.json.postfetto-lock
for _ in 1 2 3 4 5 6; do "$PF" hook t.json --pass "$AIE" --out many 2>>"$W/many" & done
wait
claim "six at once: the outputs are whole" eval 'python3 -m json.tool many/t.json.report.json >/dev/null && "$PF" check many/t.json.enriched.pftrace -q'
claim "six at once: no lock is left" eval '[ -z "$(find many -name ".*" -mindepth 1)" ]'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir closed
    cp t.json closed
    chmod 555 closed
    setpriv --reuid 65534 --regid 65534 --clear-groups -- "$PF" hook closed/t.json >"$OUT" 2>"$ERR"
    claim "a folder that cannot be written to: exit 0" is $? 0
    claim "one line names --out" has "$ERR" "name a folder with --out"
    claim "nothing is left there" is "$(ls -A closed)" t.json
else
    skip "read-only folder" "needs root and setpriv"
fi

# ---- configuration ----
fresh
cp "$FIX/aie_small.json" t.json
cat >c.yaml <<END
# a comment
passes:
  - name: aie
    match: ["t*.json"]
    options: {M: 128, K: 64, N: 64, row: 1, col: 2, warmup: 1, iterations: 4, drop-empty: yes}
  - aie --M 1 --K 1 --N 1 --row 1 --col 2 --warmup 0 --iterations 1 --match 'x*'
timeout: 2m
max_memory: 1G
match: ['*.json']
END
hook --config c.yaml --print-config
claim "--print-config" is $rc 0
cp "$OUT" printed.yaml
hook --config printed.yaml --print-config
claim "what is printed reads back" eval 'diff <(tail -n +2 printed.yaml) <(tail -n +2 "$OUT")'
claim "it has the options" has printed.yaml "'--M=128'"
hook --config c.yaml t.json
claim "passes by name of the trace" is "$(member t.json.report.json '["passes"].__len__()')" 1
claim "the other says why not" has <(member t.json.report.json '["not_run"][0]["reason"]') "does not match"
sed "s/ --match 'x\*'//" c.yaml >two.yaml
hook --config two.yaml t.json
claim "two passes in one report" is "$(member t.json.report.json '["passes"].__len__()') $(member t.json.report.json '["passes"][1]["options"]')" "2 ['--M', '1', '--K', '1', '--N', '1', '--row', '1', '--col', '2', '--warmup', '0', '--iterations', '1']"
hook --config c.yaml --match '*.pftrace' --print-config
claim "a flag replaces the list of the file" eval '! grep -q "json'"'"'$" <(sed -n "/^match/,\$p" "$OUT")'
bad() {
    printf '%b' "$2" >bad.yaml
    hook --config bad.yaml t.json
    claim "$1" eval "[ $rc -eq 2 ] && grep -qE '$3' '$ERR'"
}
bad "an unknown key" 'nice: 3\nniec: 4\n' "bad.yaml: line 2: unknown key .niec."
bad "an unknown option of a pass" 'passes:\n  - aie:\n      M: 3\n      Q: 4\n' "line 4: .Q. is not an option of aie"
bad "an unknown pass" 'passes:\n  - aei\n' "line 2: unknown pass .aei."
bad "no YAML" 'passes: [\n' "line [0-9]"
bad "a list where none belongs" 'nice: [1, 2]\n' "line 1: a single value"
bad "a number out of its range" 'nice: 99\n' "line 1: .*nice"
bad "a duration" 'timeout: soon\n' "line 1: .*timeout"
bad "text at the top" 'hello\n' "line 1: .*mapping"
hook --pass "aie --M 'open" t.json
claim "an open quote" is $rc 2
hook --pas x t.json
claim "a flag that is nearly one" has "$ERR" "did you mean '--pass'"
hook --config nothing.yaml t.json
claim "a configuration that is not there" is $rc 2
rm -f t.json.report.* bad.yaml
echo 'nice: 1' >postfetto.yaml
mkdir -p a/b
cp t.json a/b
hook a/b/t.json --print-config
claim "a configuration above the trace is found" has "$OUT" "^# from .*/t/postfetto.yaml"
chmod 666 postfetto.yaml
hook a/b/t.json --print-config
claim "one that others can write is not used" eval 'grep -q "no configuration file" "$OUT" && grep -q "can be written by others" "$ERR"'
chmod 644 postfetto.yaml
POSTFETTO_CONFIG=c.yaml "$PF" hook --print-config >"$OUT" 2>"$ERR"
claim "POSTFETTO_CONFIG" has "$OUT" "^# from c.yaml"

# ---- hook watch ----
fresh
mkdir in
cp "$FIX/aie_small.json" in/first.json
hook watch in --once --settle 0 --pass "$AIE"
claim "watch --once" eval '[ $rc -eq 0 ] && [ -s in/first.json.report.json ]'
"$PF" hook watch in --settle 1s --workers 2 --pass "$AIE" >"$OUT" 2>"$ERR" &
pid=$!
sleep 0.5
cp "$FIX/aie_small.json" in/second.json
mkdir -p in/new/er
cp "$FIX/aie_small.json" in/new/er/third.json
cp "$FIX/aie_small.json" outside.json
mv outside.json in/fourth.json
for i in $(seq 1 60); do cp "$FIX/aie_small.pftrace" "in/many$i.pftrace"; done
{ head -c 50000 "$FIX/aie_small.json"; sleep 0.4; tail -c +50001 "$FIX/aie_small.json"; } >in/slow.json
wanted=66
for _ in $(seq 1 300); do
    [ "$(find in -name '*.report.json' | wc -l)" -ge $wanted ] && break
    sleep 0.1
done
claim "watch: files that are copied, moved, in new folders, many at once, slow ones" is "$(find in -name '*.report.json' | wc -l)" 65
claim "watch: a slow writer was waited for" is "$(member in/slow.json.report.json '["check"]["ok"]')" True
rm -rf in/new
mkdir -p in/new
cp "$FIX/aie_small.json" in/new/again.json
for _ in $(seq 1 100); do [ -s in/new/again.json.report.json ] && break; sleep 0.1; done
claim "watch: folders that come and go" test -s in/new/again.json.report.json
rm -rf in
sleep 0.3
mkdir in
sleep 1.5
cp "$FIX/aie_small.json" in/reborn.json
for _ in $(seq 1 100); do [ -s in/reborn.json.report.json ] && break; sleep 0.1; done
claim "watch: the folder itself goes and comes" test -s in/reborn.json.report.json
kill -TERM $pid
wait $pid
claim "watch ends cleanly on SIGTERM" is $? 0
claim "watch leaves nothing hidden" eval '[ -z "$(find in -name ".*" -mindepth 1)" ]'
before=$(stat -c %y in/reborn.json.report.json)
hook watch in --once --settle 0 --pass "$AIE"
claim "watch does no work twice" is "$(stat -c %y in/reborn.json.report.json)" "$before"

# What was there before: an old file is taken at once, one that was just written when it has settled.
fresh
mkdir in
cp "$FIX/aie_small.json" in/old.json
cp "$FIX/aie_small.json" in/fresh.json
touch -d '2 hours ago' in/old.json
"$PF" hook watch in --settle 1h --workers 2 --pass "$AIE" >"$OUT" 2>"$ERR" &
pid=$!
for _ in $(seq 1 100); do [ -s in/old.json.report.json ] && break; sleep 0.1; done
sleep 0.5
claim "watch: a file of two hours ago has settled" test -s in/old.json.report.json
claim "watch: a file that was just written has not" test ! -e in/fresh.json.report.json
kill -TERM $pid
wait $pid

# ---- ranks of one capture: one run, one report ----
fresh
mkdir in src
cp "$FIX"/aiu/tp2-rank-?.json src
cp "$FIX/aie_small.json" src/other-rank-0.json
cp "$FIX/aie_small.json" src/other-rank-1.json
all="select count(*) <> 2 from aiu_ranks"
hook src/tp2-rank-0.json src/tp2-rank-1.json src/tp2-rank-0.json --pass aiu --out out --fail-if "$all"
claim "ranks: files named together are one trace" eval '[ $rc -eq 0 ] && [ "$(ls out)" = "tp2-rank-N.json.enriched.pftrace
tp2-rank-N.json.report.html
tp2-rank-N.json.report.json
tp2-rank-N.json.report.md
tp2-rank-N.json.reports" ]'
claim "ranks: one line says so" eval '[ "$(grep -c . "$ERR")" = 1 ] && has "$ERR" \
    "^postfetto: src/tp2-rank-N.json: out/tp2-rank-N.json.report.json, out/tp2-rank-N.json.enriched.pftrace"'
claim "ranks: the report names them" is "$(member out/tp2-rank-N.json.report.json '["files"], d["left_out"], d["missing"]')" \
    "(['tp2-rank-0.json', 'tp2-rank-1.json'], [], None)"
claim "ranks: both are in it" is "$(member out/tp2-rank-N.json.report.json '["passes"][0]["summary"]["clocks"].__len__()')" 2
hook src/tp2-rank-0.json src/tp2-rank-1.json --pass aiu --out out --fail-if "$all"
claim "ranks: what is up to date is skipped" has "$ERR" "skipped: tp2-rank-N.json.report.json is up to date$"
hook src/tp2-rank-1.json --pass aiu --out alone
claim "ranks: one file alone is a trace of its own name" test -s alone/tp2-rank-1.json.report.json
echo x >src/tp2-rank-2.json
cp src/tp2-rank-1.json src/tp2-rank-4.json
hook src/tp2-rank-[0124].json --pass aiu --out out --fail-if "$all"
claim "ranks: a broken file and a missing rank are said" eval '[ $rc -eq 0 ] && has "$ERR" \
    "enriched.pftrace.*; without tp2-rank-2.json: is not a trace .*; no file of rank 3$"'
claim "ranks: in the report, too" is "$(member out/tp2-rank-N.json.report.json '["left_out"][0]["name"], d["missing"]')" \
    "('tp2-rank-2.json', 'no file of rank 3')"
claim "ranks: and in its Markdown" has out/tp2-rank-N.json.report.md "^- without tp2-rank-2.json: is not a trace"
hook src/tp2-rank-[0124].json --pass aiu --out out --strict
claim "ranks: which --strict does not take" eval '[ $rc -eq 3 ] && has "$ERR" "not analysed: not all ranks can be read; without"'
mkdir src/tp2-rank-3.json
hook src/tp2-rank-[0134].json src/tp2-rank-5.json --pass aiu --out out
claim "ranks: what is no file, or not there, is said, too" eval '[ $rc -eq 0 ] && has "$ERR" "; without tp2-rank-3.json: is not a regular file; without tp2-rank-5.json: cannot be opened: No such file or directory; no file of rank 2$"'
rm -r src/tp2-rank-[234].json
hook run --in in -- cp -r src/. in
claim "ranks: hook run takes them together" eval '[ $rc -eq 0 ] && [ -s in/tp2-rank-N.json.report.json ] && [ ! -e in/tp2-rank-0.json.report.json ]'
claim "ranks: where no pass does, each is a trace" eval '[ -s in/other-rank-0.json.report.json ] && [ -s in/other-rank-1.json.report.json ]'
rm -r in
mkdir in
"$PF" hook watch in --settle 500ms --workers 2 >"$OUT" 2>"$ERR" &
pid=$!
sleep 0.3
cp src/tp2-rank-0.json in
sleep 0.2
cp src/tp2-rank-1.json src/other-rank-?.json in
wait_for() { for _ in $(seq 1 100); do grep -qs "$1" in/tp2-rank-N.json.report.json && return; sleep 0.1; done; }
wait_for tp2-rank-1.json
claim "ranks: hook watch waits for the last of them" is "$(grep -c tp2 "$ERR")" 1
sed 's/"pid": *1\b/"pid":3/g' src/tp2-rank-1.json >in/tp2-rank-3.json
wait_for tp2-rank-3.json
for _ in $(seq 1 50); do [ "$(grep -c tp2 "$ERR")" = 2 ] && break; sleep 0.1; done
claim "ranks: one that comes late is not lost" has "$ERR" "^postfetto: in/tp2-rank-N.json: .*; no file of rank 2$"
claim "ranks: nothing is left of the time before" is "$(find in -name 'tp2*.report.json' | wc -l)" 1
for _ in $(seq 1 50); do [ -s in/other-rank-1.json.report.json ] && break; sleep 0.1; done
claim "ranks: where no pass does, hook watch takes each" eval '[ -s in/other-rank-0.json.report.json ] && [ -s in/other-rank-1.json.report.json ]'
kill -TERM $pid
wait $pid

# ---- keep: of a capture only its slowest step stays ----
# By hand: iteration 3 of aie_small.json is the slowest one of the four that count (5629 cycles; the others take 4808 to 4842),
# from the first kernel at 120836 to the last one at 126465.
fresh
kept() { # kept NAME PART: the trace is gone, its part is that iteration
    hook "$1" --pass "$AIE" --keep slowest-step
    claim "keep: $1: standard error says it" has "$ERR" "^postfetto: $1: .*$1.report.json; kept in place of the trace: .*$1.slowest-step.$2$"
    claim "keep: $1 is gone" test ! -e "$1"
    claim "keep: $1: no other copy of it" test ! -e "$1.enriched.pftrace"
    claim "keep: $1: the report says it" is "$(member "$1.report.json" '["slowest_step"], d["slowest_step_is"], d["whole_trace_stays"]')" \
        "('$1.slowest-step.$2', 'iteration 3 of pass aie, from 120836 to 126465 ns', None)"
    claim "keep: $1: the page in Markdown, too" has "$1.report.md" "is kept: iteration 3 of pass aie"
    claim "keep: $1: its slices" is "$("$PF" query -q "$1.slowest-step.$2" "select min(ts), max(ts + dur), count(*) from slice" --format csv | tail -n 1)" \
        "120836,126465,$("$PF" query -q "$FIX/aie_small.json" "select count(*) from slice where ts < 126465 and ts + dur > 120836" --format csv | tail -n 1)"
    find . -type f -exec cksum {} + | sort >"$W/before"
    hook "$1" --pass "$AIE" --keep slowest-step
    claim "keep: $1: the next run has nothing to do" has "$ERR" "$1: skipped: its slowest step is kept"
    claim "keep: $1: the next run is done" is $rc 0
    find . -type f -exec cksum {} + | sort >"$W/after"
    claim "keep: $1: the next run changes nothing" cmp "$W/before" "$W/after"
}
for name in aie_small.json aie_small.pftrace aie_small.json.gz aie_small.pftrace.gz; do
    cp "$FIX/$name" .
    kept $name "${name#aie_small.}"
done
cp aie_small.json.slowest-step.json "$W/kept.json"
hook aie_small.json.slowest-step.json
claim "keep: a part is no capture" eval 'is $rc 0 && has "$ERR" "skipped: postfetto wrote it"'
"$PF" hook watch . --once --settle 0 --keep slowest-step --pass "$AIE" >"$OUT" 2>"$ERR"
find . -type f -exec cksum {} + | sort >"$W/after"
claim "keep: hook watch finds no capture either" cmp "$W/before" "$W/after"
fresh
printf 'keep: slowest-step\nfail_if: [select count(*) > 1 from aie_cores]\npasses: ["%s"]\n' "$AIE" >postfetto.yaml
"$PF" hook run -- cp "$FIX/aie_small.json" a.json >"$OUT" 2>"$ERR"
claim "keep: hook run, from a file, with a finding" eval '[ ! -e a.json ] && cmp a.json.slowest-step.json "$W/kept.json" && has "$ERR" "1 finding"'
hook a.json
claim "keep: the finding counts after the trace is gone" is $rc 1
cp "$FIX/aie_small.json" a.json
hook a.json
claim "keep: the same capture once more" eval '[ ! -e a.json ] && cmp a.json.slowest-step.json "$W/kept.json"'
rm postfetto.yaml
whole() { cksum <"$1" | cmp - "$W/before" && is "$(find . -name '*.slowest-step.*' ! -name 'a.json.*')" ""; }
stays() { # stays NAME REASON ARGS...: the trace is as it was, there is no part
    cksum <"$1" >"$W/before"
    hook "$1" --keep slowest-step "${@:3}"
    claim "keep: $1 stays: $2" has "$ERR" "$2"
    claim "keep: $1 stays" whole "$1"
}
head -c 60000 "$FIX/aie_small.json" >cut.json
stays cut.json "the whole trace stays: it is damaged" --pass "$AIE"
printf '[{"name": "a", "ph": "X", "ts": 1, "dur": 3, "pid": 7, "tid": 9}]' >plain.json
stays plain.json "the whole trace stays: no pass ran on it"
cp "$FIX/tinygrad_small.pkl" t.pkl
stays t.pkl "the whole trace stays: only Perfetto traces and Chrome JSON can be cut"
cp "$FIX/aie_small.json" t.json
stays t.json "not analysed" --pass "aie --M 128 --K 64 --N 64 --row 77 --col 2 --warmup 1 --iterations 4 --fail-if 'select nonsense'"
stays t.json "the pass aie finds no steps|finds no steps after its warm-up|not analysed" --pass "aie --M 128 --K 64 --N 64 --row 1 --col 2 --warmup 6 --iterations 1"
ln -s t.json link.json
stays link.json "the whole trace stays: it is not one regular file" --pass "$AIE"
hook t.json --keep slowest-step --archive
claim "keep: an archive would be the whole trace" eval '[ $rc -eq 2 ] && has "$ERR" "leave one of them out"'
hook t.json --keep everything
claim "keep: another word" is $rc 2

# ---- faults: the K-th call fails ----
if cc -shared -fPIC -o "$W/fault.so" "$here/fault.c" -ldl 2>"$ERR"; then
    for kind in write:28 fsync:5 rename:13 link:28 mkdir:30 fork:11 pipe:24 lock:37; do
        name=${kind%:*} number=${kind#*:} k=1 bad=
        while [ $k -le 60 ]; do
            fresh
            cp "$FIX/aie_small.json" t.json
            rm -f "$W/log"
            FAULT=$name:$k:$number FAULT_LOG=$W/log LD_PRELOAD=$W/fault.so "$PF" hook t.json --pass "$AIE" >"$OUT" 2>"$ERR"
            status=$?
            [ -e "$W/log" ] || break
            [ $status -eq 0 ] || bad="$bad k=$k: exit $status;"
            cmp -s t.json "$FIX/aie_small.json" || bad="$bad k=$k: the trace changed;"
            [ -z "$(find . -name '.*' -mindepth 1)" ] || bad="$bad k=$k: left $(find . -name '.*' -mindepth 1);"
            for f in t.json.report.json t.json.reports/*.json; do
                [ ! -e "$f" ] || python3 -m json.tool "$f" >/dev/null 2>&1 || bad="$bad k=$k: $f is not whole;"
            done
            [ ! -e t.json.enriched.pftrace ] || "$PF" check -q t.json.enriched.pftrace || bad="$bad k=$k: enriched;"
            "$PF" hook t.json --pass "$AIE" >"$OUT" 2>"$ERR"
            diff -r . "$W/reference" >"$W/diff" 2>&1 || bad="$bad k=$k: the next run: $(head -n 2 "$W/diff");"
            k=$((k + 1))
        done
        claim "faults: each of $((k - 1)) failing calls of $name" is "$bad" ""
    done
    # Either the whole trace is there, or its part is, whole, with a report that names it.
    safe() {
        cmp -s t.json "$FIX/aie_small.json" || { [ ! -e t.json ] && cmp -s t.json.slowest-step.json "$W/kept.json" &&
            [ "$(member t.json.report.json '["slowest_step"]')" = t.json.slowest-step.json ]; }
    }
    for kind in write:28 fsync:5 rename:13 link:28 unlink:1 fork:11 pipe:24; do
        name=${kind%:*} number=${kind#*:} k=1 bad=
        while [ $k -le 60 ]; do
            fresh
            cp "$FIX/aie_small.json" t.json
            rm -f "$W/log"
            FAULT=$name:$k:$number FAULT_LOG=$W/log LD_PRELOAD=$W/fault.so "$PF" hook t.json --html no --keep slowest-step --pass "$AIE" >"$OUT" 2>"$ERR"
            [ -e "$W/log" ] || break
            safe || bad="$bad k=$k: the trace is lost;"
            "$PF" hook t.json --html no --keep slowest-step --pass "$AIE" >"$OUT" 2>"$ERR"
            { [ ! -e t.json ] && safe; } || bad="$bad k=$k: the next run: $(cat "$ERR");"
            k=$((k + 1))
        done
        claim "keep: each of $((k - 1)) failing calls of $name" is "$bad" ""
    done
    # An output that cannot be brought to the disk is none: the first sync of each command fails.
    synced() { # synced OUTPUT COMMAND ARGS...
        fresh
        cp "$FIX/aie_small.json" t.json
        FAULT=fsync:1:5 LD_PRELOAD=$W/fault.so "$PF" "${@:2}" >"$OUT" 2>"$ERR"
        claim "an output of $2 that cannot be synced" eval '[ $? -eq 6 ] && has "$ERR" "cannot be synced: Input/output error"'
        claim "$2 leaves nothing of it" test ! -e "$1"
    }
    synced x info t.json --json -o x
    synced x query t.json "select 1" -o x
    synced d/x.csv query t.json -d d -- $'-- @name x\nselect 1'
    for name in x.pftrace x.json.gz x.sqlite; do synced $name convert t.json -o $name; done
    synced x.pftrace compare t.json t.json -o x.pftrace
    synced r/index.json analyze $AIE t.json --report r
    synced x.xml query t.json --fail-if 0 --junit x.xml
    for kind in fork:11 pipe:24; do
        fresh
        FAULT=${kind%:*}:1:${kind#*:} LD_PRELOAD=$W/fault.so "$PF" hook run -- sh -c 'exit 3' >"$OUT" 2>"$ERR"
        claim "run: 126 where ${kind%:*} fails" is $? 126
    done
    fresh
    mkdir in
    cp "$FIX/aie_small.json" in/t.json
    FAULT=fork:1:11 LD_PRELOAD=$W/fault.so "$PF" hook watch in --once --settle 0 >"$OUT" 2>"$ERR"
    claim "watch: what no process could be had for is done later" eval '[ $? -eq 0 ] && [ -s in/t.json.report.json ]'
    for kind in inotify_init:24 inotify_add:28; do
        fresh
        mkdir in
        FAULT=${kind%:*}:1:${kind#*:} LD_PRELOAD=$W/fault.so "$PF" hook watch in --settle 0 --pass "$AIE" >"$OUT" 2>"$ERR" &
        pid=$!
        sleep 0.3
        cp "$FIX/aie_small.json" in/t.json
        for _ in $(seq 1 100); do [ -s in/t.json.report.json ] && break; sleep 0.1; done
        kill -TERM $pid
        wait $pid
        claim "watch: works without ${kind%:*}" test -s in/t.json.report.json
    done
    # Children that stop: what ends them, and what is said of it.
    stopped() { # stopped COMMAND ARGS...: starts the hook; its id is in $pid, that of the child that stopped in $child
        rm -f "$W/log"
        FAULT_STOP=$1 FAULT_LOG=$W/log LD_PRELOAD=$W/fault.so "$PF" hook "${@:2}" >"$OUT" 2>"$ERR" &
        pid=$!
        for _ in $(seq 1 200); do
            [ -s "$W/log" ] && grep -q '^State:.T' "/proc/$(cat "$W/log")/status" && break
            sleep 0.05
        done
        child=$(cat "$W/log")
    }
    fresh
    cp "$FIX/aie_small.json" t.json
    stopped info t.json --timeout 200ms --strict
    wait $pid
    claim "a child that does not end in time is killed" eval '[ $? -eq 124 ] && ! kill -0 $child'
    claim "it is said" is "$(cat "$ERR")" "postfetto: t.json: not analysed: info was stopped after 0.2 s (--timeout)"
    stopped check t.json --strict
    kill -KILL "$child"
    wait $pid
    claim "a child that a signal ended is a bug" is $? 70
    claim "it is said which signal" is "$(cat "$ERR")" "postfetto: t.json: not analysed: check was ended by signal 9"
    claim "the report has what was known until then" is \
        "$(member t.json.report.json '["status"], d["exit_code"], d["check"], d["info"] is None')" "('failed', 70, None, False)"
    stopped analyze t.json --strict --pass "$AIE"
    printf '\n' >>t.json
    kill -CONT "$child"
    wait $pid
    claim "a trace that changes meanwhile" is $? 3
    claim "it is said what to do" is "$(cat "$ERR")" \
        "postfetto: t.json: not analysed: changed while it was read; run the hook again when its writer has finished"
    cp "$FIX/aie_small.json" t.json
    stopped cut t.json --strict --pass "$AIE" --keep slowest-step
    printf '\n' >>t.json
    kill -CONT "$child"
    wait $pid
    claim "keep: a trace that changes while it is cut stays" eval '[ $? -eq 3 ] && [ -e t.json ] && has "$ERR" "changed while it was read"'
    cp "$FIX/aie_small.json" t.json
    stopped cut t.json --strict --pass "$AIE" --keep slowest-step
    kill -KILL $pid
    wait $pid 2>/dev/null
    claim "keep: a hook that is killed leaves the trace" cmp t.json "$FIX/aie_small.json"
    rm -rf t.json.*
    stopped analyze t.json --strict --pass "$AIE"
    kill -TERM $pid
    for _ in $(seq 1 40); do # the signal is passed on, and waits until the child goes on
        grep -q '^ShdPnd:.0*4000$' "/proc/$child/status" && break
        sleep 0.02
    done
    kill -CONT "$child"
    wait $pid
    claim "a hook that is stopped ends its child" eval '[ $? -eq 143 ] && ! kill -0 $child'
    claim "a hook that is stopped leaves nothing" is "$(names)" "./t.json "
    # Workers are held at their locks: the log grows by a byte for each.
    fresh
    mkdir in
    touch "$W/held"
    rm -f "$W/log"
    held() { stat -c %s "$W/log" 2>/dev/null || echo 0; }
    until_held() { for _ in $(seq 1 100); do [ "$(held)" -ge "$1" ] && break; sleep 0.1; done; }
    FAULT_HOLD=$W/held FAULT_LOG=$W/log LD_PRELOAD=$W/fault.so \
        "$PF" hook watch in --settle 0 --workers 3 --pass "$AIE" >"$OUT" 2>"$ERR" &
    pid=$!
    sleep 0.3
    cp "$FIX/aie_small.json" in/a.json
    until_held 1
    cp "$W/cut.json" in/a.json
    sleep 0.3
    cp "$FIX/aie_small.json" in/b.json
    until_held 2
    claim "watch: two files are worked on at a time" is "$(held)" 2
    sleep 0.3
    claim "watch: a file that changes meanwhile is not taken by a second worker" is "$(held)" 2
    rm "$W/held"
    for _ in $(seq 1 100); do
        [ "$(member in/a.json.report.json '["check"]["ok"]' 2>/dev/null)" = False ] && [ -s in/b.json.report.json ] && break
        sleep 0.1
    done
    kill -TERM $pid
    wait $pid
    claim "watch: the report is of what the file holds at the end" is "$(member in/a.json.report.json '["check"]["ok"]')" False
    claim "watch: the other file is done, too" test -s in/b.json.report.json
else
    skip "faults" "no compiler"
fi

# ---- SIGKILL at random moments ----
bad=
RANDOM=4711
for i in $(seq 1 "$KILLS"); do
    fresh
    cp "$FIX/aie_small.json" t.json
    "$PF" hook t.json --pass "$AIE" >"$OUT" 2>"$ERR" &
    pid=$!
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    cmp -s t.json "$FIX/aie_small.json" || bad="$bad $i: the trace changed;"
    for f in t.json.report.json t.json.reports/*.json; do
        [ ! -e "$f" ] || python3 -m json.tool "$f" >/dev/null 2>&1 || bad="$bad $i: $f is not whole;"
    done
    for _ in 1 2 3 4 5 6 7 8 9 10; do # the children of the killed one are ended by the kernel, soon
        "$PF" hook t.json --pass "$AIE" >"$OUT" 2>"$ERR"
        status=$?
        grep -q "another hook" "$ERR" || break
        sleep 0.02
    done
    [ $status -eq 0 ] || bad="$bad $i: the next run: exit $status;"
    diff -r . "$W/reference" >"$W/diff" 2>&1 || bad="$bad $i: the next run: $(head -n 2 "$W/diff");"
done
claim "SIGKILL at $KILLS random moments, then a second run" is "$bad" ""
bad=
few=$((KILLS / 4))
for i in $(seq 1 $few); do
    fresh
    cp "$FIX/aie_small.json" t.json
    "$PF" hook t.json --html no --keep slowest-step --pass "$AIE" >"$OUT" 2>"$ERR" &
    pid=$!
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    cmp -s t.json "$FIX/aie_small.json" || { [ ! -e t.json ] && cmp -s t.json.slowest-step.json "$W/kept.json"; } || bad="$bad $i: the trace is lost;"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$PF" hook t.json --html no --keep slowest-step --pass "$AIE" >"$OUT" 2>"$ERR"
        grep -q "another hook" "$ERR" || break
        sleep 0.02
    done
    { [ ! -e t.json ] && cmp -s t.json.slowest-step.json "$W/kept.json"; } || bad="$bad $i: the next run: $(cat "$ERR");"
done
claim "keep: SIGKILL at $few random moments, then a second run" is "$bad" ""

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
