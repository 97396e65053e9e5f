# shellcheck shell=bash disable=SC2154
# analyze gpu --partial and merge-reports: equal to one run over all, what is refused. tests/gpu/partials has real traces. Sourced by run.sh.
mkdir merge_reports
cd merge_reports || exit 1
python3 - <<'END2'
import json
for rank in range(3):
    args = {"device": 0, "stream": 8, "Collective name": "allreduce", "In msg nelems": 10, "Group size": 3, "dtype": "Float",
            "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2]"}
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 8, "ts": 1000 + at, "dur": dur, "args": args}
              for name, at, dur in (("gemm", 0, 90 + 10 * rank), ("ncclAllReduce", 110 + rank, 20 - rank), ("ncclAllReduce", 150, 10))]
    json.dump({"distributedInfo": {"rank": rank}, "traceEvents": events}, open(f"r{rank}.json", "w"))
    json.dump({"traceEvents": events}, open(f"u{rank}.json", "w"))
END2
for name in r0 r1 r2 u0 u1; do
    run analyze gpu -q --partial $name.pfr $name.json
    expect "$name as a partial" 0 "out=[write] $name.pfr" err=
done
run analyze gpu r0.json r1.json r2.json u0.json u1.json --report report
cp "$ERR" once.err
mv report once
run merge-reports u1.pfr r2.pfr r0.pfr u0.pfr r1.pfr -o report
claim "partials in any order say what one run says" eval 'cmp "$ERR" once.err && diff -r once report && [ $rc -eq 0 ]'
run merge-reports -q u1.pfr r2.pfr --partial two.pfr
expect "partials as a partial" 0 "out=[write] two.pfr" err=
run merge-reports -q u1.pfr r2.pfr -o also.pfr
expect "as -o" 0 "out=[write] also.pfr" err=
claim "which is the same" cmp two.pfr also.pfr
run merge-reports -q u1.pfr r2.pfr -o also.pfr --partial two.pfr
expect "two outputs" 2 out= "err~-o and --partial both name a partial"
run analyze gpu -q r0.json u0.json --partial other.pfr
rm -r report
run merge-reports other.pfr two.pfr r1.pfr -o report
claim "and in any grouping" eval 'cmp "$ERR" once.err && diff -r once report && [ $rc -eq 0 ]'
run merge-reports -q r0.pfr r1.pfr --json
cp "$OUT" both.json
run analyze gpu -q r0.json r1.json --json
claim "the summary is the same document" cmp "$OUT" both.json
run query -q r2.pfr "SELECT name, total_ns FROM partial_gpu_kernels" --format csv
expect "partials have tables" 0 'out="name","total_ns"
"gemm",110000
"ncclAllReduce",28000'

# Of arguments only those of the longest kernels are kept; the longest "k" lies too deep to be one.
python3 - <<'END2'
import json
deep = [("k%d" % i, i, 2000 - 2 * i, 3) for i in range(600)] + [("k", 600, 500, 9), ("k", 5000, 10, 1), ("k", 5100, 5, 7)]
json.dump({"traceEvents": [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 8, "ts": at, "dur": dur,
                            "args": {"device": 0, "stream": 8, "grid": [grid, 2, 3], "block": [64, 1, 1]}} for name, at, dur, grid in deep]},
          open("deep.json", "w"))
END2
gzip -k deep.json
for name in deep.json deep.json.gz; do
    rm -rf report once
    run analyze gpu -q $name --report once
    run analyze gpu -q $name --partial deep.pfr
    run merge-reports -q deep.pfr -o report
    claim "$name: how kernels were launched" eval 'diff -r once report && grep -q "^$name,,k,.*1, 2, 3" report/gpu_kernels.csv'
done

run analyze gpu -q --partial folded.pfr --fold-names --peak-tflops 2.5 r1.json
run merge-reports r0.pfr folded.pfr
expect "options that differ" 3 out= "err=postfetto: r0.pfr: the partials cannot be merged: 'folded.pfr' was written with the options --fold-names=true --peak-tflops=2.5, 'r0.pfr' with none; write them alike"
run merge-reports r0.pfr r1.pfr r0.pfr
expect "an input twice" 3 out= "err~'r0.json' is in two of the partials; each input counts once"
sed 's/"version": "[0-9]/"version": "9/' r1.pfr >later.pfr
run merge-reports r0.pfr later.pfr
expect "another version of postfetto" 3 out= "err~'later.pfr' was written with postfetto 9.*, 'r0.pfr' with [0-9]"
run merge-reports later.pfr
expect "a version that is not this one" 3 out= "err~'later.pfr' was written by postfetto 9.*for the pass gpu, this is postfetto"
sed 's/"postfetto_partial": 2/"postfetto_partial": 1/' r1.pfr >form.pfr
run merge-reports form.pfr
expect "another form" 3 out= "err~form.pfr: is a partial of version 1; this postfetto reads version 2: write it again with --partial"
head -c 9000 r1.pfr >cut.pfr
run merge-reports cut.pfr
expect "a partial that is cut" 3 out= "err~cut.pfr: at byte [0-9]+: the partial is damaged: "
run merge-reports r0.json
expect "a trace is no partial" 3 out=
run analyze gpu r0.pfr
expect "a partial is no trace" 2 out= "err~r0.pfr: is a partial; 'postfetto merge-reports FILE... -o DIR' merges partials"
run analyze gpu r0.json --partial r0.json
expect "a partial that would replace its input" 6 out=
run analyze host r0.json --partial x.pfr
expect "passes without partials" 2 out= "err~only aiu, gpu, neutrino and compare write partials; other passes need all files at once"
for i in 0 1; do
    cp "$here/../../fixtures/aiu/tp2-rank-$i.json" .
    run analyze aiu tp2-rank-$i.json --partial tp2-$i.pfr
    expect "the events of a rank" 0 "out=[write] tp2-$i.pfr" err=
done
run analyze aiu tp2-rank-0.json tp2-rank-1.json --report ranks
cp "$OUT" once.out
mv ranks ranks_once
run merge-reports tp2-1.pfr tp2-0.pfr -o ranks
claim "ranks say what they say at once" eval 'cmp "$OUT" once.out && diff -r ranks_once ranks'
run merge-reports tp2-1.pfr r0.pfr
expect "ranks of another pass" 3 out= "err~'r0.pfr' was written with the pass gpu, 'tp2-1.pfr' with aiu"
run merge-reports tp2-1.pfr tp2-1.pfr
expect "a rank twice" 3 out= "err~'tp2-rank-1.json' is in two of the partials; each input counts once"
run analyze aiu tp2-rank-1.json --partial freq.pfr --freq 557 --flow
run merge-reports tp2-0.pfr freq.pfr
expect "ranks with other options" 3 out= "err~'freq.pfr' was written with the options --freq=557 --flow=true, 'tp2-0.pfr' with none; write them alike"
run merge-reports freq.pfr tp2-0.pfr
expect "or without" 3 out= "err~'tp2-0.pfr' was written with the options none, 'freq.pfr' with --freq=557 --flow=true"
for option in "-O drop" "--loglevel 2" "--event_filter name:x" "--compat acelyzer" "--skip-stage calculate_stats"; do
    # shellcheck disable=SC2086
    run analyze aiu tp2-rank-1.json --partial x.pfr $option
    expect "what a partial does not have: $option" 2 out= "err~--partial cannot go with -.*, which needs more of the traces than a partial has"
done
for option in "-o x.pftrace" "--report x" "--html x.html" "--tables x" "--json" "--fail-if 'select 1'"; do
    eval "run analyze aiu tp2-rank-1.json --partial x.pfr $option"
    expect "what else would have to be analysed: $option" 2 out= "err~--partial of aiu is all that is written; leave out what else is asked for"
done
run analyze aiu tp2-0.pfr
expect "events are no trace" 2 out= "err~is a partial; 'postfetto merge-reports FILE... -o DIR' merges partials"
run compare r0.json --partial c0.pfr
expect "the calls of a trace" 0 "out=[write] c0.pfr" err=
run compare -q r1.json --partial c1.pfr
run compare -q c0.pfr c1.pfr --json
cp "$OUT" both.json
run compare -q r0.json r1.json --json
claim "compare as the traces" cmp "$OUT" both.json
run compare -q c0.pfr r1.json --json
claim "also next to one" cmp "$OUT" both.json
run compare c0.pfr c1.pfr --names exact
expect "calls of other rows" 3 out= "err~c0.pfr: is a partial that was written with other --names, --by or --anchor"
run compare c0.pfr r1.json -o marked.pftrace
expect "calls are not drawn" 2 out= "err~c0.pfr: is a partial, which cannot be drawn; give the traces to -o"
run compare r0.json r1.json --partial c.pfr
expect "calls of two traces" 2 out= "err~--partial is of one trace; write postfetto compare FILE --partial OUT.pfr for each"
run compare r0.pfr r1.json
expect "a partial of gpu" 3 out= "err~r0.pfr: is a partial that postfetto .* wrote for the pass gpu, this is postfetto"
run merge-reports c0.pfr c1.pfr
expect "calls are compared, not merged" 3 out= "err~'postfetto compare' takes it in the place of its trace"
python3 "$here/../../scripts/gen_neutrino.py" two_maps run0 --blocks 3
python3 "$here/../../scripts/gen_neutrino.py" two_maps run1 --blocks 3 --seed 2
run analyze neutrino -q --partial run0.pfr run0
expect "a recording as a partial" 0 "out~run0.pfr" err=
run analyze neutrino -q --partial runs.pfr run0 run1
expect "not several" 2 out= "err~--partial is of one input, a run directory, a tree of them or a file; write one of each"
run analyze neutrino -q --partial run1.pfr run1 --timer global
run merge-reports run1.pfr run0.pfr
expect "recordings with other options" 3 out= "err~'run0.pfr' was written with the options none, 'run1.pfr' with --timer=global"
run merge-reports run0.pfr r0.pfr
expect "another pass" 3 out= "err~'r0.pfr' was written with the pass gpu, 'run0.pfr' with neutrino"
run analyze neutrino -q --partial run1.pfr run1
run merge-reports -q run1.pfr run0.pfr --json
cp "$OUT" both.json
run analyze neutrino -q run0 run1 --json
claim "the summary of recordings is the same document" cmp "$OUT" both.json
run merge-reports -q run1.pfr run0.pfr --fail-if "select 1"
expect "thresholds need the recordings" 2 out=
run merge-reports
expect "no partial" 2 out= "err=postfetto: merge-reports: no partial is named; write postfetto merge-reports FILE.pfr... -o DIR"
cd ..
