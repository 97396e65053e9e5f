# shellcheck shell=bash disable=SC2154
# analyze host: numbers of small captures by hand; tests/host/check.py has the engine compute those of real ones.
cp "$FIX/system/sched_plain.pftrace" plain.pftrace
run analyze host -q plain.pftrace --report hosts -o plain.host.pftrace --json
expect "analyze host" 0 err=
claim "its numbers" python3 - "$OUT" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert (d["start_ns"], d["end_ns"], d["delays"]) == (100, 400, {"count": 0}), d
cpu, = d["host_cpus"]
assert (cpu["cpu"], cpu["running"], cpu["share"], cpu["idle"], cpu["runs"]) == (0, 0.3, 100, 0, 3), cpu
a, b = d["host_threads"]
assert (a["thread"], a["running"], a["sleeping"], a["runs"], a["preemptions"]) == ("alpha", 0.2, 0.1, 2, 0), a
assert (b["thread"], b["running"], b["preempted"], b["runs"], b["preemptions"]) == ("beta", 0.1, 0.1, 1, 1), b
wait, = d["host_waits"]
assert (wait["wait"], wait["thread"], wait["start"], wait["length"], wait["waker"]) == ("sleeping", "alpha", 200, 0.1, None), wait
END
claim "a CSV for each table, and the document" [ "$(cd hosts && echo *)" = "host.json host_cpus.csv host_frequencies.csv host_interrupts.csv host_processes.csv host_threads.csv host_waits.csv" ]
run query plain.host.pftrace "SELECT t.name, count(*) AS n, max(c.value) AS most FROM counter c JOIN counter_track t ON t.id = c.track_id GROUP BY 1"
expect "use of the cpus and the queue are drawn" 0 'out="name","n","most"
"host cpu use",301,100.0
"host ready threads",301,1.0'
run analyze host plain.pftrace
expect "what came out" 0 out= "err~^1 cpu ran threads 100\.0 % of 0\.000 ms; threads of no known process used most of it \(100\.0 % of all\)\.$"
run analyze host "$FIX/aie_small.pftrace"
expect "a trace without a scheduler says what to record" 0 out= "err~warning: no switch of a scheduler in .*; it holds 584 events.*sched/sched_waking, as in docs/recipes/perfetto\.md$"
run analyze host "$FIX/aie_small.pftrace" --json
expect "and so does its document" 0 "out~\"nothing\": \"no switch of a scheduler in "
run analyze host "$FIX/system/irq_nesting.pftrace" -o served.pftrace --html served.html
expect "interrupts without a scheduler" 0 "err~^No scheduler was recorded; 1 cpu served interrupts 0\.000 ms in 0\.000 ms, most of it IRQ \(disk\)\."
run query -q served.pftrace "SELECT t.name, min(c.ts) AS ts, sum(value) AS percents FROM counter c JOIN counter_track t ON t.id = c.track_id GROUP BY 1"
expect "over time: 80 of 120 nanoseconds" 0 'out="name","ts","percents"
"host interrupts",100,8000.0'
run analyze host -q "$FIX/system/irq_nesting.pftrace" --json
claim "as numbers" python3 - "$OUT" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert (d["start_ns"], d["end_ns"], d["host_cpus"], d["host_threads"]) == (100, 220, [], []), d
assert [(r["name"], r["count"], r["total"], r["share"]) for r in d["host_interrupts"]][:2] == [("IRQ (disk)", 1, 0.03, 25), ("TIMER", 1, 0.03, 25)], d
END
run info "$FIX/system/irq_nesting.pftrace"
expect "info names the pass for interrupts, too" 0 "out~^passes +host \("
rm served.pftrace served.html
run analyze host -q "$FIX/system/sched_frequencies_and_interrupts.pftrace" --json -o clocked.pftrace
claim "frequencies while threads ran and while none did, and interrupts" python3 - "$OUT" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
rows = lambda table: [list(row.values()) for row in d[table]]
assert rows("host_frequencies") == [[0, 1000000, 0.1, 25, 0.1, 0], [0, 2000000, 0.3, 75, 0.1, 0.2]], d["host_frequencies"]
assert rows("host_interrupts") == [[0, "irq", "IRQ (disk)", 1, 0.03, 7.5, 0.03, 110],
                                   [0, "softirq", "TIMER", 1, 0.025, 6.25, 0.025, 135]], d["host_interrupts"]
assert d["host_cpus"][0]["interrupts"] == 0.05, d["host_cpus"]
END
run query clocked.pftrace "SELECT t.name, min(nullif(c.value, 0)) AS least, max(c.value) AS most FROM counter c JOIN counter_track t
ON t.id = c.track_id WHERE t.name IN ('host frequency', 'host interrupts') GROUP BY 1"
expect "both over time" 0 'out="name","least","most"
"host frequency",1000.0,2000.0
"host interrupts",100.0,100.0'
run query -q --raw-events plain.pftrace "SELECT id, ts, name, cpu, utid, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a
WHERE a.arg_set_id = e.arg_set_id) AS args FROM ftrace_event e ORDER BY id LIMIT 1" "SELECT count(*) AS n FROM raw"
expect "--raw-events: a row with arguments for each event" 0 'out="id","ts","name","cpu","utid","args"
0,100,"sched_switch",0,0,"prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=0 next_comm=alpha next_pid=11 next_prio=120"

"n"
4'
run query -q plain.pftrace "SELECT count(*) AS n FROM ftrace_event"
expect "without it none" 0 'out="n"
0'
run analyze host plain.pftrace plain.host.pftrace
expect "one trace, as cpus have no other name than their number" 2 out= "err~'plain.host.pftrace' is one input too many"
run info plain.pftrace
expect "info names the pass" 0 "out~^passes +host \("
run info -q plain.pftrace --json
claim "a row of sched takes at most 40 bytes, one of thread_state 48" python3 - "$OUT" <<'END'
import json, sys
size = {row["table"]: row["bytes"] / row["rows"] for row in json.load(open(sys.argv[1]))["memory"]}
assert 0 < size["__intrinsic_sched_slice"] <= 40 and 0 < size["__intrinsic_thread_state"] <= 48, size
END
run convert -q plain.pftrace -o plain.json
claim "JSON has what each cpu ran" python3 - plain.json <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {(e["name"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == 1073741823}
assert names == {("process_name", 0): "CPUs", ("thread_name", 0): "CPU 0"}, names
runs = [(e["name"], e["tid"], e["ts"], e["dur"], e["args"]) for e in events if e["ph"] == "X"]
assert runs == [("alpha", 0, 0.1, 0.1, {"tid": 11, "priority": 120, "end_state": "S"}),
                ("beta", 0, 0.2, 0.1, {"tid": 12, "priority": 100, "end_state": "R"}),
                ("alpha", 0, 0.3, 0.1, {"tid": 11, "priority": 120, "end_state": "D"})], runs
END
