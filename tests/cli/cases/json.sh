# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# Chrome JSON as it comes: damage by name, who wrote it, and more of it than there is memory. Sourced by run.sh.

cp "$FIX"/bad/unescaped_quotes.json "$FIX"/bad/two_documents.json "$FIX"/bad/truncated_event.json "$FIX"/bad/utf16.json .
chmod u+w ./*.json

# One line for each kind of damage; the places follow from the files.
run check unescaped_quotes.json
expect "check names damaged events" 1 \
    "out=error: postfetto_json_syntax: 4 times, first at byte 116: broken JSON skipped up to the next event" err=
run check two_documents.json
expect "check: a notice is no data loss" 0 "out~^notice: postfetto_json_documents: 1 time, first at byte 62: " err=
run check truncated_event.json -q
expect "check -q: the list is data" 1 "out~^data_loss: postfetto_json_truncated: 1 time, first at byte 121: " err=
run check --json truncated_event.json
expect "check --json" 1 'out~"schema_version": 1' 'out~"ok": false' 'out~"severity": "data_loss"' \
    'out~"name": "postfetto_json_truncated"' 'out~"count": 1' 'out~"first_byte": 121' err=
claim "check --json is JSON" is_json "$OUT"
run check --json tiny.json
expect "check --json without damage" 0 'out~"ok": true' 'out~"damage": \[\]'
run check utf16.json
expect "check: UTF-16" 3 out= "err~^postfetto: utf16\.json: is UTF-16 .*iconv"
run info --strict truncated_event.json
expect "--strict on a cut document" 4 out= "err~at byte 121: .*postfetto_json_truncated"
run info --strict two_documents.json
expect "--strict does not mind a notice" 0 err=
run query -q truncated_event.json "SELECT count(*) AS n FROM slice"
expect "-q hides the warning" 0 "out~^2$" err=
run query truncated_event.json "SELECT count(*) AS n FROM slice"
expect "the events before the cut" 0 "out~^2$" "err~at byte 121: warning: "
run check --max-rows 1 tiny.json
expect "a limit" 5 out= "err~--max-rows"
rm unescaped_quotes.json two_documents.json truncated_event.json utf16.json

# Numbers that JSON spells otherwise and words that are none are texts in our JSON; also by way of a .pftrace.
cat >numbers.json <<'END'
[{"ph":"i","name":"a","pid":.5,"tid":1,"ts":1,"s":"t","args":{"v":0x10}},
 {"ph":"i","name":"b","pid":+1,"tid":1,"ts":2,"s":"t"},
 {"ph":"i","name":"c","pid":1.,"tid":-.5,"ts":3,"s":"t"}]
END
lines='{"ph":"i","name":"a","pid":".5","tid":1,"ts":1,"s":"t","args":{"v":"0x10"}},
{"ph":"i","name":"b","pid":"+1","tid":1,"ts":2,"s":"t"},
{"ph":"i","name":"c","pid":"1.","tid":"-.5","ts":3,"s":"t"}'
run convert -q numbers.json -o numbers.pftrace
for input in numbers.json numbers.pftrace; do
    run convert -q "$input" -o - --to json
    claim "$input as JSON is JSON" is_json "$OUT"
    claim "$input as JSON has its numbers" [ "$(sed -n 2,4p "$OUT")" = "$lines" ]
done
rm numbers.json numbers.pftrace

# What a pass over a trace of PyTorch needs is in the tables: device, stream, correlation, steps, collectives.
cat >torch.json <<'END'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100", "numSms": 132}],
 "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
 "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 9, "tid": 9, "ts": 1.000, "dur": 100},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 2.125, "dur": 3,
   "args": {"correlation": 41, "External id": 5}},
  {"ph": "s", "id": 41, "cat": "ac2g", "name": "ac2g", "pid": 9, "tid": 9, "ts": 2.125},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32", "pid": 0, "tid": 7, "ts": 10.5, "dur": 20,
   "args": {"device": 0, "stream": 7, "correlation": 41, "grid": [4, 1, 1], "Collective name": "allreduce",
            "In msg nelems": 4096, "Process Group Ranks": "[0, 1, 2, 3]"}},
  {"ph": "f", "id": 41, "bp": "e", "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7, "ts": 10.5}]}
END
sql="SELECT k.ts, extract_arg(k.arg_set_id, 'PREFIX.device') AS device, extract_arg(k.arg_set_id, 'PREFIX.stream') AS stream,
 extract_arg(l.arg_set_id, 'PREFIX.correlation') AS correlation, extract_arg(k.arg_set_id, 'PREFIX.Collective name') AS what,
 extract_arg(k.arg_set_id, 'PREFIX.In msg nelems') AS n, l.name AS launch, s.name AS step
 FROM flow f JOIN slice k ON k.id = f.slice_in JOIN slice l ON l.id = f.slice_out JOIN slice s ON s.id = l.parent_id"
row='"ts","device","stream","correlation","what","n","launch","step"
10500,0,7,41,"allreduce",4096,"cudaLaunchKernel","ProfilerStep#7"'
run info --json torch.json
expect "info names PyTorch" 0 'out~"dialect": "torch"' err=
run query torch.json --format csv "${sql//PREFIX/args}"
expect "a kernel, its launch, its step" 0 "out=$row" err=
run query torch.json --format csv "SELECT json_extract(m.str_value, '\$[0].numSms') AS sms FROM metadata m WHERE name = 'json.deviceProperties'"
expect "device properties" 0 "out~^132$" err=
run query torch.json --format csv "SELECT json_extract(m.str_value, '\$.rank') AS rank FROM metadata m WHERE name = 'json.distributedInfo'"
expect "rank" 0 "out~^3$" err=
# PyTorch's own binary export has the same names and categories, its args are debug annotations.
run convert torch.json -o torch.pftrace -q
run info --json torch.pftrace
expect "info names PyTorch in a binary trace" 0 'out~"dialect": "torch"' 'out~"format": "perfetto"' err=
run query torch.pftrace --format csv "${sql//PREFIX/debug}"
expect "the same in a binary trace" 0 "out=$row" err=
run info --json --dialect viztracer torch.json
expect "--dialect overrides" 0 'out~"dialect": "viztracer"' err=
run info --dialect torhc torch.json
expect "--dialect with a slip" 2 out= "err~torch"
rm torch.*

# Every recording of the shared corpus is named after the tool that its folder is named after.
corpus=$shared/corpus/real
if [ -d "$corpus" ]; then
    wrong=
    for folder in "$corpus"/{torch,viztracer,bazel,clang,devtools,ibm-aiu,catapult,trace-event,android,flutter}-*; do
        case ${folder##*/} in
        ibm-aiu-*) tool=aiu-flex ;;
        catapult-* | trace-event-*) tool=chrome-json ;;
        android-* | flutter-*) tool=perfetto ;;
        *) tool=${folder##*/} tool=${tool%%-*} ;;
        esac
        [ "$(du -sk "$folder" | cut -f 1)" -lt 1000 ] || continue
        "$PF" info --json -q "$folder"/trace.* 2>"$ERR" | grep -q "\"dialect\": \"$tool\"" || wrong="$wrong ${folder##*/}"
    done
    claim "dialects of the corpus:$wrong" test -z "$wrong"
else
    without_shared "dialects of the corpus"
fi

# A pass takes a trace that is many times larger than the memory it may have: arguments that it does not need are never
# kept. 850 MB of text, twelve times the limit.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import zlib
import gen_aie
filler = '"args": {"note": "' + "lorem ipsum dolor " * 200 + '", "list": [' + ",".join(map(str, range(60))) + "]}"
packer = zlib.compressobj(1, zlib.DEFLATED, 31)
with open("big.json.gz", "wb") as target:
    for line in gen_aie.make_json(cores=4, iterations=56, kernels=44).splitlines(True):
        target.write(packer.compress(line.replace('"args": {}', filler).encode()))
    target.write(packer.flush())
END
shape="--M 128 --K 64 --N 64 --m 32 --k 64 --n 32 --row 4 --col 1 --warmup 1 --iterations 4"
run analyze aie big.json.gz $shape --report r7 -q --stats
expect "analyze a large trace" 0 'err~"plain_bytes": 8[0-9]{8},'
mv r7 whole
run analyze aie big.json.gz $shape --report r7 -q --max-memory 64M
expect "the same with --max-memory 64M" 0 err=
claim "it makes the same reports" diff -r whole r7
rm -rf r7
# 96 MiB would hold one arena of 64 MiB that a thread reserves for itself, and then not the trace.
for mib in 96 48; do
    if (ulimit -v $((mib << 10)) && "$PF" --version) >"$OUT" 2>"$ERR"; then
        (ulimit -v $((mib << 10)) && exec "$PF" analyze aie big.json.gz $shape --report r7 -q) >"$OUT" 2>"$ERR"
        rc=$?
        expect "the same with $mib MiB of address space" 0 err=
        claim "it makes the same reports with $mib MiB" diff -r whole r7
        rm -rf r7
    else
        skip "the same with $mib MiB of address space" "this build needs more to start"
    fi
done
if command -v script >/dev/null; then
    begun=$(date +%s%N)
    in_terminal "'$PF' hook --out hooked big.json.gz"
    if [ $((($(date +%s%N) - begun) / 1000000)) -lt 2000 ] && ! grep -q reading: "$OUT"; then
        skip "hook shows the progress of its steps" "each of them ends here before half a second, when progress is shown first"
    else
        expect "hook shows the progress of its steps" 0 "out~reading: [0-9.]+ of [0-9.]+ MB, [0-9]+ %, [0-9.]+ MB/s, [0-9]+ s left"
    fi
    run hook --out hooked big.json.gz
    expect "only on a terminal" 0 "err!reading"
fi
rm -rf r7 whole big.json.gz hooked
