# shellcheck shell=bash disable=SC2154
# analyze gpu --collection: equal to one run over all, resumed, with traces that fail. tests/gpu/partials has real ones. Sourced by run.sh.
mkdir collection collection/in
cd collection || exit 1
python3 - <<'END2'
import json
for rank in range(4):
    args = {"device": 0, "stream": 8, "Collective name": "allreduce", "In msg nelems": 10, "Group size": 4, "dtype": "Float",
            "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3]"}
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 8, "ts": 1000 + at, "dur": dur, "args": args}
              for name, at, dur in (("gemm", 0, 90 + 10 * rank), ("ncclAllReduce", 110 + rank, 20 - rank), ("ncclAllReduce", 150, 10))]
    json.dump({"distributedInfo": {"rank": rank}, "traceEvents": events}, open(f"in/r{rank}.json", "w"))
END2
made() { # the files of partials, which differ where one was made anew
    stat -c '%n %i %y' in/*.pfr
}
run analyze gpu in --report report
cp "$ERR" once.err
cp "$OUT" once.out
mv report once
run analyze gpu --collection in -o report
claim "one by one as at once" eval 'cmp "$ERR" once.err && cmp "$OUT" once.out && diff -r -x failures.csv once report && [ $rc -eq 0 ]'
claim "no failures are a table without rows" [ "$(cat report/failures.csv)" = "file,exit_code,reason" ]
before=$(made)
run analyze gpu --collection in --report report --jobs 1
claim "again, what is there stays" eval 'cmp "$ERR" once.err && diff -r -x failures.csv once report && [ "$(made)" = "$before" ]'
rm in/r1.json.pfr
printf 'garbage' >in/r2.json.pfr
sed 's/"version": "[0-9]/"version": "9/' in/r3.json.pfr >later
mv later in/r3.json.pfr
run analyze gpu --collection in --report report
claim "made anew: what is missing, damaged, of another version" eval 'cmp "$ERR" once.err && diff -r -x failures.csv once report'
claim "and nothing else" [ "$(comm -12 <(made) <(echo "$before") | wc -l)" = 1 ]
run merge-reports in/*.pfr -o merged
claim "the partials are those of --partial" diff -r once merged
run analyze gpu in --report drawn --pictures
run analyze gpu --collection in --report pictures --pictures --html merged.html
claim "and draw the same, busy time from gpu_rank_map" eval 'diff -r -x failures.csv -x gpu_busy.svg drawn pictures && ls pictures/gpu_{busy,ranks,lateness}.svg'
claim "a page names each partial once" grep -q '<title>gpu: r0.json.pfr and 3 more' merged.html
cp in/r0.json r0
before=$(made)
sed -i 's/gemm/sgemm/' in/r0.json
run analyze gpu --collection in --report report
claim "a trace that changed is read again" eval 'grep -q "^in/r0.json,.*,sgemm," report/gpu_kernels.csv && [ "$(comm -13 <(made) <(echo "$before") | wc -l)" = 1 ]'
mv r0 in/r0.json
run analyze gpu in --report folded --fold-names --peak-tflops 2.5
run analyze gpu --collection in --cache other/place --report report --fold-names --peak-tflops 2.5
claim "options, and a folder for the partials" eval 'diff -r -x failures.csv folded report && [ "$(find other/place -name "*.pfr" | wc -l)" = 4 ] && [ $rc -eq 0 ]'
run analyze gpu -q --collection in --cache other/place --partial all.pfr
run merge-reports all.pfr -o merged
claim "options that differ make partials anew, also one of all" eval 'diff -r once merged && [ $rc -eq 0 ]'
before=$(stat -c '%i %y' other/place/*)
run analyze gpu -q --collection in --cache other/place --dialect torch
claim "options of reading count, too" [ "$(comm -12 <(stat -c '%i %y' other/place/* | sort) <(echo "$before" | sort) | wc -l)" = 0 ]
run merge-reports in/r0.json.pfr other/place/r1.json.pfr
expect "and are named where they differ" 3 out= "err~with the options --dialect=torch, 'in/r0.json.pfr' with none"
run analyze gpu -q --collection in --json
cp "$OUT" all.json
run analyze gpu -q in --json
claim "the summary is the same document" cmp "$OUT" all.json

cp -r in damaged
printf '{"traceEvents": [' | gzip | head -c 20 >damaged/cut.json.gz
: >damaged/none.json
printf 'text\n' >damaged/text.json
run analyze gpu --collection damaged -o report
claim "traces that fail are rows" [ "$(cut -d, -f1,2 report/failures.csv | tr '\n' ' ')" = "file,exit_code damaged/none.json,3 damaged/text.json,3 " ]
expect "and a finding, not the end" 1 "err~^postfetto: damaged/text.json: is not a trace" "err~^damaged/text.json +3  is not a trace" "out~gpu.json"
run analyze gpu -q --collection damaged
expect "quietly" 1 out= "err~^postfetto: damaged/text.json: is not a trace" "err!^damaged/text.json"
run analyze gpu -q --collection damaged --strict -o report
claim "damage is one with --strict" grep -q '^damaged/cut.json.gz,4,' report/failures.csv
mkdir none
cp damaged/text.json none
run analyze gpu --collection none -o report
expect "nothing but failures" 3 out= "err~^postfetto: none: no trace of the collection could be read"
claim "which the report has" grep -q '^none/text.json,3,' report/failures.csv

mkfifo in/r9.json # a trace of which nothing comes: its reader waits
child() {
    cat "/proc/$1/task/$1/children"
}
waits() { # until all others are done and r9.json is read: who opens it to write waits for that
    "$PF" analyze gpu --collection in -o report "$@" >"$OUT" 2>"$ERR" &
    parent=$!
    sleep 600 >in/r9.json &
    writer=$!
    for _ in $(seq 1200); do
        [ "$(cat "/proc/$writer/comm")" = sleep ] && [ "$(child $parent | wc -w)" = 1 ] && [ "$(find in -name "*.pfr" | wc -l)" = 4 ] && return
        sleep 0.05
    done
    kill -9 $parent
}
ends() { # the reader's end, of which the writer knows nothing
    wait $parent
    rc=$?
    { kill $writer && wait $writer; }
} 2>/dev/null
is_running() {
    grep -q '^State:.[RSD]' "/proc/$1/status"
}
rm in/*.pfr
waits --jobs 1
kill -9 $(child $parent)
ends
expect "a child that is killed is a row" 1 "err~^postfetto: in/r9.json: ended by signal 9"
claim "of 128 + 9, and all else is there" eval 'grep -q "^in/r9.json,137,.ended by signal 9" report/failures.csv && diff -r -x failures.csv once report'
waits
last=$(child $parent)
kill -TERM $parent
ends
expect "whoever stops the collection stops the children" 143 out= err=
claim "at once" eval '! is_running $last'
waits
last=$(child $parent)
kill -9 $parent
ends
sleep 0.1
claim "also by force" eval '! is_running $last'
(sleep 1 && cat in/r0.json >in/r9.json) &
in_terminal "$PF analyze gpu --collection in --cache progress"
expect "progress on a terminal" 0 "out~traces: 4 of 5, [0-9]+ %.* left"
rm in/r9.json

run analyze gpu --collection in in/r0.json
expect "files next to a collection" 2 out= "err~leave out 'in/r0.json'"
run analyze host --collection in
expect "passes without partials" 2 out= "err~--collection is there for aiu, gpu and neutrino, not for host"
run analyze gpu --collection in --fail-if "select 1 from gpu_devices"
expect "thresholds" 2 out= "err~which --collection reads one by one"
run analyze gpu --collection in -o report --report report
expect "two folders" 2 out= "err~both name the folder"
run analyze gpu in/r0.json --cache c
expect "a cache of nothing" 2 out= "err~add --collection DIR"
mkdir runs
for kind in block_sched dmat two_maps; do
    python3 "$here/../../scripts/gen_neutrino.py" $kind runs/$kind --blocks 3
done
cp runs/dmat/result/0.500000.bin runs/alone.bin
echo text >runs/notes
run analyze neutrino runs/alone.bin runs/block_sched runs/dmat runs/two_maps --report report.runs
cp "$OUT" once.out
grep -v ^postfetto: "$ERR" >once.err
mv report.runs once.runs
run analyze neutrino --collection runs --report report.runs
claim "recordings of a folder as at once" eval 'diff -r -x failures.csv once.runs report.runs && cmp "$OUT" once.out && grep -v ^postfetto: "$ERR" | cmp - once.err && [ $rc -eq 0 ]'
made_of_runs() {
    stat -c '%n %i %y' runs/*.pfr
}
before=$(made_of_runs)
echo >>runs/dmat/event.log
run analyze neutrino --collection runs -q -o report.runs
claim "a folder in which a file changed is read again" eval '[ "$(comm -13 <(made_of_runs) <(echo "$before") | wc -l)" = 1 ] && diff -r -x failures.csv once.runs report.runs'
mkdir no_runs
run analyze neutrino --collection no_runs
expect "no recordings" 3 out= "err~no_runs: is a folder without recordings that neutrino reads"

mkdir two two/a two/b
cp in/r0.json two/a
cp in/r0.json two/b
run analyze gpu --collection 'two/*' --cache one
expect "traces of one name in one cache" 2 out= "err~two/a/r0.json and two/b/r0.json would both be one/r0.json.pfr; leave out --cache"
claim "before anything is read" [ ! -e one ]
run analyze gpu --collection gone
expect "no folder" 3 out= "err~postfetto: gone: "
run analyze gpu --collection in --cache in/r0.json/x
expect "no folder for the partials" 6 out= "err~in/r0.json/x: the folder cannot be created: Not a directory"
cd ..
