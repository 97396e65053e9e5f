# shellcheck shell=bash disable=SC2154
# hook: the ranks of one run of a torch profiler are one trace, with one report, however they come. Sourced by run.sh; those of AIU
# are in tests/hook/run.sh.

mkdir hook_ranks
cd hook_ranks || exit 1
mkdir src
for rank in 0 1 2; do
    python3 "$here/../../scripts/gen_gpu.py" "src/run-rank$rank.json" --rank "$rank" --ranks 3 --steps 3
done
says() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>/dev/null; }
ranks='len(d["passes"][0]["summary"]["ranks"]), d["files"], d["missing"]'
all_three="(3, ['run-rank0.json', 'run-rank1.json', 'run-rank2.json'], None)"
# until COMMAND...: waits for it, for 20 s at most.
until_true() {
    for _ in $(seq 200); do
        "$@" && return
        sleep 0.1
    done
    return 1
}
reports() { [ "$(says "in/run-rankN.json.report.json" "$ranks")" = "$1" ]; }
# Lines of the hook about the run, all that it has done.
done_so_far() { grep -c "^postfetto: in/run-rankN.json: in/run-rankN.json.report.json" "$ERR"; }
watch_begin() {
    "$PF" hook watch in --settle 700ms >>"$OUT" 2>>"$ERR" &
    watcher=$!
}
watch_end() {
    kill -TERM "$watcher"
    wait "$watcher"
    rc=$?
}

run hook src/run-rank?.json --out out
expect "ranks of a torch profiler are one trace" 0 out= \
    "err=postfetto: src/run-rankN.json: out/run-rankN.json.report.json, out/run-rankN.json.enriched.pftrace"
claim "whose report has a row for each" [ "$(says out/run-rankN.json.report.json "$ranks")" = "$all_three" ]
run hook src/run-rank?.json --out out
expect "and is up to date then" 0 out= "err=postfetto: src/run-rankN.json: skipped: run-rankN.json.report.json is up to date"
run query -q out/run-rankN.json.enriched.pftrace --format csv \
    "SELECT count(DISTINCT upid) AS n FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread USING (utid) WHERE s.name = 'aten::mm'"
expect "and all of them are in the enriched trace" 0 'out="n"
3'
run hook src/run-rank?.json --out refused --pass 'gpu --align-clocks'
expect "a refusal of the pass is a finding" 1 out= "err~^postfetto: src/run-rankN.json: 1 finding: src/run-rank[12].json: not aligned: .*; -o was not written$"
claim "and the report names no trace that is not there" [ "$(says refused/run-rankN.json.report.json 'd["enriched"], d["status"]')" = "(None, 'finding')" ]
for rank in 0 1; do
    for job in 7 8; do cp src/run-rank$rank.json "src/job$job-rank$rank.json"; done
done
run hook src/job*.json --out jobs
expect "each job is a run of its own" 0 out= "err=postfetto: src/job7-rankN.json: jobs/job7-rankN.json.report.json, jobs/job7-rankN.json.enriched.pftrace
postfetto: src/job8-rankN.json: jobs/job8-rankN.json.report.json, jobs/job8-rankN.json.enriched.pftrace"
rm src/job*
run convert -q src/run-rank0.json -o src/copy-rank0.pftrace
cp src/copy-rank0.pftrace src/copy-rank1.pftrace
run hook src/copy-rank?.pftrace --out copies
expect "conversions are no captures" 0 out= "err~copy-rank0.pftrace: skipped: postfetto wrote it" "err~copy-rank1.pftrace: skipped"
rm src/copy*

# A writer that pauses for less than the settling time, in the middle of a rank; ranks that come one after the other.
: >"$ERR"
mkdir in
watch_begin
cp src/run-rank0.json in
sleep 0.3
half=$(($(stat -c %s src/run-rank1.json) / 2))
{
    head -c "$half" src/run-rank1.json
    sleep 0.4
    cat src/run-rank2.json >in/run-rank2.json
    sleep 0.4
    tail -c "+$((half + 1))" src/run-rank1.json
} >in/run-rank1.json
until_true reports "$all_three"
claim "watch: one analysis of all ranks" [ "$(done_so_far) $(find in -name '*.report.json' | wc -l)" = "1 1" ]

# A rank that is written anew, and one that comes late, after a hole.
python3 "$here/../../scripts/gen_gpu.py" again.json --rank 1 --ranks 3 --steps 3 --slow 2
cp again.json in/run-rank1.json
until_true eval '[ "$(done_so_far)" = 2 ]'
claim "watch: a rank that is written anew is analysed again, with the others" reports "$all_three"
python3 "$here/../../scripts/gen_gpu.py" in/run-rank4.json --rank 4 --ranks 5 --steps 3
until_true eval '[ "$(done_so_far)" = 3 ]'
claim "watch: so is one that comes late, and one that is missing is said" reports \
    "(4, ['run-rank0.json', 'run-rank1.json', 'run-rank2.json', 'run-rank4.json'], 'no file of rank 3')"
watch_end
claim "watch: ends" [ "$rc" = 0 ]
claim "watch: which the line says, too" grep -q "enriched.pftrace; no file of rank 3$" "$ERR"

# The hook is ended while ranks still come, and started again: what is there then is one trace.
rm -rf in
mkdir in
: >"$ERR"
watch_begin
cp src/run-rank0.json in
sleep 0.2
watch_end
cp src/run-rank1.json src/run-rank2.json in
watch_begin
until_true reports "$all_three"
watch_end
claim "watch: a restart in the middle leaves one report" [ "$(done_so_far) $(find in -name '*.report.json' | wc -l)" = "1 1" ]
# And while it works at it: the lock and what is half written are no obstacle.
rm -rf in
mkdir in
: >"$ERR"
cp src/run-rank?.json in
watch_begin
until_true eval '[ -e in/.run-rankN.json.postfetto-lock ]'
{ kill -KILL "$watcher"; wait "$watcher"; } 2>/dev/null
watch_begin
until_true reports "$all_three"
sleep 0.2
watch_end
claim "watch: so does one while it works" eval 'reports "$all_three" && [ "$(find in -name "*.report.json" | wc -l)" = 1 ]'
claim "watch: and nothing hidden" [ -z "$(find in -name '.*' -mindepth 1)" ]
cd ..
