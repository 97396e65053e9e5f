# shellcheck shell=bash disable=SC2154
# analyze gpu of several ranks on one clock: tests/conformance/merge/seeds.py has the times. Sourced by run.sh.

mkdir gpu_ranks
cd gpu_ranks || exit 1
# Two ranks with two collectives, ns: rank 1 is AHEAD us ahead, in the same file name in two folders.
ranks() {
    python3 - "$1" <<'END'
import json, os, sys
for rank, (clock, starts) in enumerate([(0, (110, 150)), (float(sys.argv[1]), (114, 145))]):
    args = {"device": 0, "stream": 8, "Collective name": "allreduce", "In msg nelems": 10, "Group size": 2, "dtype": "Float",
            "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}
    events = [{"ph": "X", "cat": "kernel", "name": "ncclAllReduce", "pid": 0, "tid": 8, "ts": 1000 + clock + start,
               "dur": end - start, "args": args} for start, end in zip(starts, (130, 160))]
    os.makedirs(f"r{rank}", exist_ok=True)
    json.dump({"distributedInfo": {"rank": rank}, "traceEvents": events}, open(f"r{rank}/trace.json", "w"))
END
}
ranks 500
run analyze gpu r0/trace.json r1/trace.json --align-clocks
expect "--align-clocks without -o" 2 out= "err=postfetto: analyze: --align-clocks is about the trace that -o writes; add -o OUT"
run analyze gpu r0/trace.json r1/trace.json --align-clocks -o all.pftrace --report out
expect "--align-clocks says what it did" 0 \
    "err~^postfetto: r1/trace.json: its clock is 500000 ns ahead of the first input's and gains 0 ns a second, to within 15[0-9]{3} ns$" \
    "out~^\[write\] all.pftrace$"
run query -q all.pftrace --format csv "SELECT s.ts, s.dur, upid FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread USING (utid)
    WHERE s.category = 'kernel' ORDER BY 1"
expect "all ranks are on the clock of the first one" 0 'out="ts","dur","upid"
1110000,20000,0
1114000,16000,1
1145000,15000,1
1150000,10000,0'
run query -q all.pftrace --format csv "SELECT s.ts, s.dur, s.name FROM slice s JOIN track t ON t.id = s.track_id WHERE t.name = 'waits' ORDER BY 1"
expect "and what is drawn into them, too" 0 'out="ts","dur","name"
1110000,4000,"waits for rank 1"
1145000,5000,"waits for rank 0"'
run query -q all.pftrace --format csv "SELECT name, int_value FROM metadata WHERE name GLOB '*clock*offset*' OR name GLOB '*clock*drift*' ORDER BY 1"
expect "which says how they were moved" 0 'out="name","int_value"
"trace_attribute.postfetto.clock.r0/trace.json.drift_ppb",0
"trace_attribute.postfetto.clock.r0/trace.json.offset_ns",0
"trace_attribute.postfetto.clock.r1/trace.json.drift_ppb",0
"trace_attribute.postfetto.clock.r1/trace.json.offset_ns",-500000'
run query -q all.pftrace --format csv "SELECT DISTINCT display_value FROM args WHERE key GLOB '*last_input' ORDER BY 1"
expect "inputs are called what they were given as" 0 'out="display_value"
"r0/trace.json"
"r1/trace.json"'
claim "the report is of the recorded clocks" grep -q '^r1/trace.json,1,.*,500000,0,' out/gpu_ranks.csv
ranks 10
run analyze gpu r0/trace.json r1/trace.json --align-clocks -o none.pftrace --report none
expect "--align-clocks is refused where clocks are better than that" 1 \
    "err~^postfetto: r1/trace.json: not aligned: its clock is 10000 ns apart from the first input's, which is known to within 15[0-9]{3} ns only; leave out --align-clocks; -o was not written$"
claim "and leaves the reports alone" eval '[ ! -e none.pftrace ] && [ -s none/gpu_ranks.csv ]'
sed -i 's/allreduce/send/g; s/AllReduce/Send/g' r1/trace.json
run analyze gpu r0/trace.json r1/trace.json --align-clocks -o none.pftrace
expect "and where nothing relates them" 1 "err~trace.json: not aligned: .*collectives that need all ranks.*; leave out --align-clocks; -o was not written$"
run analyze gpu r0/trace.json --align-clocks -q -o one.pftrace
expect "one input has its own clock" 0 "out=[write] one.pftrace"
cd ..
