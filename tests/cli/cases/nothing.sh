# shellcheck shell=bash disable=SC2154
# Nothing in silence: an empty result says why, on the terminal, in the summary and in the report; names of outputs do not lie.
# Sourced by run.sh.
echo '{"traceEvents": [{"ph":"X","cat":"some","name":"s","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"C","name":"c","ts":1,"pid":1,"args":{"v":1}}]}' >some.json
echo '{"traceEvents": []}' >empty.json
python3 -c 'import pickle, sys; sys.stdout.buffer.write(pickle.dumps([]))' >empty.pkl
aie="aie --dialect aie --M 1 --K 1 --N 1 --row 1 --col 1 --warmup 0 --iterations 1"
while read -r pass file kind holds; do
    said="no ${kind//_/ } in $file; it holds ${holds//_/ }"
    options=$pass
    [ "$pass" = aie ] && options=$aie
    rm -rf nothing
    # shellcheck disable=SC2086
    run analyze $options $file --report nothing
    claim "analyze $pass of $file says why there is nothing" grep -qF "$said" "$ERR"
    claim "... in the report" grep -qF "$said" "nothing/${pass}_nothing.txt"
    # shellcheck disable=SC2086
    run analyze $options $file --report nothing --json -q
    claim "... in the summary" python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["nothing"].startswith(sys.argv[2])' "$OUT" "$said"
done <<'END'
gpu some.json device_event_(kernel,_memcpy,_memset,_GPU_render_stage) 1_event_(some_1),_1_counter_sample
gpu empty.json device_event_(kernel,_memcpy,_memset,_GPU_render_stage) no_events
aie some.json core_of_an_AI_Engine 1_event_(some_1),_1_counter_sample
tinygrad empty.pkl event_of_a_profile no_events,_1_row_of
END
for of in GPU AIU; do
    device='"name":"AIU"' found=AIU
    [ $of = GPU ] && device='"name":"A100","computeMajor":8'
    echo "{\"schemaVersion\":1,\"deviceProperties\":[{$device}],\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":5,\"pid\":0,\"tid\":1}]}" >kernel.json
    run analyze aiu kernel.json --report nothing
    grep -qF 'no kernel of an AIU in kernel.json; it holds 1 event (kernel 1): its kernels are those of a GPU; see postfetto analyze gpu' "$ERR" && found=GPU
    claim "analyze aiu finds a kernel of the $of" [ $found = $of ]
done
run compare some.json empty.json
expect "compare with an empty run" 3 out= "err~^postfetto: empty.json: no slice with a duration in empty.json \(the new run\); it holds no events$"
run convert empty.json -o empty.pftrace
expect "convert of an empty trace" 0 out= "err~^postfetto: empty.json: warning: no event in empty.json; it holds no events$"
run compare ops --report skipped
expect "compare ops without any scenario" 0 "err~no kernel type in any scenario"
claim "... in the report" grep -q "^no kernel type" skipped/op_comparison_nothing.txt
for name in x.json x.json.gz x.sqlite x.html x.csv x.tar; do
    run analyze gpu some.json -q -o "$name"
    expect "analyze -o $name" 2 out= "err~-o writes a Perfetto trace, which '$name' does not name"
    run compare some.json some.json -q -o "$name"
    expect "compare -o $name" 2 out= "err~-o writes a Perfetto trace, which '$name' does not name"
    claim "nothing was written to $name" [ ! -e "$name" ]
done
run analyze gpu some.json -q --report made -o made/e.pftrace
expect "analyze -o in the folder of --report" 0 "out~made/e.pftrace"
run compare some.json some.json -q --report also/made -o also/made/e.pftrace
expect "compare -o in the folder of --report" 0
claim "it is there" [ -s also/made/e.pftrace ]
printf 'Name,Type,Start Time(us),Duration(us)\na,M,1e30,5\nb,M,5,99999999999999999999999\nc,M,1,2\n' >kernel_details.csv
run check kernel_details.csv
expect "times beyond 64 bits are damage" 1 "out~postfetto_csv_row_dropped: 2 times"
rm -rf some.json empty.json empty.pkl empty.pftrace nothing skipped results made also kernel_details.csv
