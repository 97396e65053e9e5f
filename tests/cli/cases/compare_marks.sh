# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# compare A B -o: what is drawn of the calls that changed. 4 steps every 1000 us on a thread "main"; in each, one in the
# other, a to e of 500, 400, 300, 200 and 100 us, e 100 us longer in the new run; on a thread "worker" calls that come more
# often, take less time, are new or gone, and one that is 900 ns longer, which is below a thousandth of a step.
python3 - <<'END'
import json
def run(path, start, new):
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "train"}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "main "}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 8, "args": {"name": "worker"}}]
    def add(name, tid, ts, dur):
        events.append({"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": start + ts, "dur": dur})
    for step in range(4):
        at, more = 1000 * step, 100 if new else 0
        add(f"ProfilerStep#{step}", 7, at, 800 + more)
        for inside, name in enumerate("abcde"):
            add(name, 7, at + 10 * inside, 500 - 100 * inside + more)
        for i in range(21 if new else 1):
            add("often", 8, at + 10 * i, 2)
        add("sped", 8, at + 300, 30 if new else 50)
        add("came" if new else "left", 8, at + 400, 40)
        add("small", 8, at + 500, 10.9 if new else 10)
    json.dump(events, open(path, "w", encoding="utf-8"))
run("before.json", 1000, False)
run("after.json", 5000, True)
END
run compare before.json after.json -q -o marked.pftrace
marks="SELECT t.name AS track, s.name, s.ts / 1000 - 5000 AS at, s.dur / 1000 AS us FROM slice s JOIN track t ON t.id = s.track_id
  JOIN track g ON g.id = t.parent_id WHERE g.name = 'compare'"
run query marked.pftrace "$marks AND s.ts < 6000000 ORDER BY extract_arg(t.source_arg_set_id, 'sibling_order_rank'), 1"
expect "marks of a step: each cause once, what is small not at all" 0 'out="track","name","at","us"
"iterations","+0.0 % ProfilerStep#0",0,1000
"iterations of the base","ProfilerStep#0",0,1000
"main slower","+100.0 us e",40,200
"worker slower","21x as often, +40.0 us often",0,0
"worker new","+40.0 us came",400,40
"worker vanished","-40.0 us left",400,40
"worker faster","-20.0 us sped",300,30'
run query marked.pftrace "SELECT count(*) AS n, count(DISTINCT name) AS names FROM ($marks)"
expect "and as many in the others" 0 'out="n","names"
28,13'
run query marked.pftrace "SELECT s.name, extract_arg(s.arg_set_id, 'debug.self ns') AS self, extract_arg(s.arg_set_id, 'debug.base self ns') AS base,
  extract_arg(s.arg_set_id, 'debug.more ns') AS more, extract_arg(s.arg_set_id, 'debug.calls') AS calls, extract_arg(s.arg_set_id, 'debug.base calls') AS times,
  extract_arg(s.arg_set_id, 'debug.self of all calls, new over base') AS ratio
  FROM slice s WHERE s.category = 'postfetto.compare' AND s.ts >= 8000000 AND s.name LIKE '%0 us %' ORDER BY s.name"
expect "arguments of marks" 0 'out="name","self","base","more","calls","times","ratio"
"+100.0 us e",200000,100000,100000,,,2.0
"+40.0 us came",40000,,,,,
"-20.0 us sped",30000,50000,-20000,,,0.6
"-40.0 us left",40000,,,,,
"21x as often, +40.0 us often",42000,2000,40000,21,1,'
run query marked.pftrace "SELECT key, coalesce(string_value, int_value) AS value FROM slice s JOIN args USING (arg_set_id)
  WHERE s.name = '+0.0 % ProfilerStep#2' ORDER BY key"
expect "an iteration with its base and causes" 0 'out="key","value"
"debug.base ns",1000000
"debug.cause 1","+100.0 us in 1 call of e"
"debug.cause 2","+40.0 us in 21 calls of often"
"debug.cause 3","+40.0 us in 1 call of came"
"debug.more ns",0'
run query marked.pftrace "SELECT count(*) AS n, count(description) AS described FROM (SELECT extract_arg(t.source_arg_set_id, 'description') AS description
  FROM track t WHERE t.type NOT LIKE 'thread%' AND t.id IN (SELECT track_id FROM slice))"
expect "all tracks of ours are described" 0 'out="n","described"
9,9'
run compare before.json after.json -q --gate all --tolerance 150 -o marked.pftrace
run query marked.pftrace "SELECT t.name FROM track t JOIN track g ON g.id = t.parent_id WHERE g.name = 'compare' ORDER BY 1"
expect "what is within the tolerance has no mark" 0 'out="name"
"iterations"
"iterations of the base"
"worker new"
"worker slower"
"worker vanished"'

# Several processes; threads and tracks without a name; without iterations all calls are one.
python3 - <<'END'
import json
for path, length in (("before.json", 100), ("after.json", 150)):
    json.dump([{"ph": "X", "pid": pid, "tid": 5, "name": "work", "ts": 200 * i, "dur": length} for pid in (1, 2) for i in range(4)] +
              [{"ph": "b", "id": i, "cat": "wait", "pid": 1, "name": "waits", "ts": 300 * i} for i in range(3)] +
              [{"ph": "e", "id": i, "cat": "wait", "pid": 1, "name": "waits", "ts": 300 * i + length} for i in range(3)],
              open(path, "w", encoding="utf-8"))
END
run compare before.json after.json -q -o marked.pftrace
run query marked.pftrace "SELECT t.name AS track, s.name, count(*) AS n FROM slice s JOIN track t ON t.id = s.track_id
  WHERE s.category = 'postfetto.compare' GROUP BY 1, 2"
expect "rows of several processes" 0 'out="track","name","n"
"thread 5 of process 1 slower","+50.0 us work",4
"thread 5 of process 2 slower","+50.0 us work",4
"waits slower","+50.0 us waits",3'
# What of the base would be moved beyond the last time that there is, is not drawn.
python3 - <<'END'
import json
for path, at, gap in (("before.json", 0, 3e15), ("after.json", 6.8e15, 1e14)):
    json.dump([{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": at + gap * i, "dur": length} for i in range(3)
               for name, length in ((f"ProfilerStep#{i}", 9e13), ("gone" if at == 0 else "came", 5e13))], open(path, "w"))
END
run compare before.json after.json -q -o marked.pftrace
run query marked.pftrace "SELECT t.name AS track, count(*) AS n FROM slice s JOIN track t ON t.id = s.track_id
  WHERE s.category = 'postfetto.compare' GROUP BY 1"
expect "a base that ends too late" 0 'out="track","n"
"iterations",3
"thread 1 new",3
"thread 1 vanished",1'
rm before.json after.json marked.pftrace
