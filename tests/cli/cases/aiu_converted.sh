# shellcheck shell=bash disable=SC2154,SC2016
# analyze aiu of traces that `convert` made of JSON: each says what the JSON itself does. The JSON has what a Perfetto trace has
# no packets for: complete events next to begins and ends, in an order that is not that of time, metadata without a time, counter
# events of one and two series, slices of no and of negative length, instants of every scope, ids that are no plain integers.
cat >aiu_c0.json <<'END'
{"traceEvents":[
{"name":"process_name","ph":"M","pid":0,"args":{"name":"it's AIU"}},
{"name":"late_1 Cmpt Exec","ph":"X","pid":0,"tid":15514734831341844875,"ts":1120.0,"dur":20.0,"args":{"TS1":"125000","TS2":"125000","TS3":"130000","TS4":"150000","TS5":"150010","Power":"900"}},
{"name":"mm_1 Cmpt Exec","ph":"B","pid":0,"tid":7,"ts":1020.0,"attr":{"TS1":"5000","TS2":"5000","TS3":"20000","TS4":"30000","TS5":"30010","Power":"100"}},
{"name":"mm_1 Cmpt Exec","ph":"E","pid":0,"tid":7,"ts":1030.0},
{"name":"load","ph":"C","pid":0,"ts":1033.5,"args":{"a":1,"b":2.5}},
{"name":"AIU Roundtrip","ph":"X","pid":0,"tid":0,"ts":1000.0,"dur":200.125},
{"name":"none","ph":"X","pid":0,"tid":-1,"ts":1050.0,"dur":0,"args":{"k":[1,null,{"q":true}]}},
{"name":"back","ph":"B","pid":0,"tid":9,"ts":1060.0},
{"name":"back","ph":"E","pid":0,"tid":9,"ts":1055.0},
{"name":"neg","ph":"X","pid":0,"tid":9,"ts":1061.0,"dur":-2.5},
{"name":"load","ph":"C","pid":0,"ts":1034.5,"args":{"a":2,"b":3.5}},
{"name":"free","ph":"C","pid":0,"ts":1034.5,"cat":"mem","args":{"value":3.0}},
{"name":"mark g","ph":"i","pid":0,"tid":"main","ts":1011.0,"s":"g","args":{}},
{"name":"mark p","ph":"i","pid":0,"tid":7,"ts":1012.0,"s":"p"},
{"name":"mark t","ph":"i","pid":0,"tid":7,"ts":1013.0,"s":"t","args":{"v":1}},
{"name":"thread_name","ph":"M","pid":0,"tid":7,"ts":0,"args":{"name":"x"}}
],"displayTimeUnit":"ms"}
END
# A second job of the rank, whose ids that are no integers are others in another order.
sed -e 's/15514734831341844875/3789868786995959152/' -e 's/"main"/15514734831341844875/' -e 's/:1\([0-9][0-9][0-9]\)\.\([0-9]\)/:2\1.\2/' \
    aiu_c0.json >aiu_c1.json
mkdir -p aiu_c
for n in 0 1; do
    run convert aiu_c$n.json -q -o aiu_c/c.pftrace
    expect "aiu_c$n.json is converted" 0
    mv aiu_c/c.pftrace aiu_c/aiu_c$n.json
done
same_events() { # same_events FILE FILE: the same events in any order; says how many there are, or the first that differs
    python3 -c 'import json, sys
def keyed(path):
    return sorted(json.dumps(e, sort_keys=True) for e in json.load(open(path))["traceEvents"])
a, b = keyed(sys.argv[1]), keyed(sys.argv[2])
print("same" if a == b and len(a) > 12 else [x for x in zip(a, b) if x[0] != x[1]][:1] or (len(a), len(b)))' "$1" "$2"
}
for mode in none acelyzer acelyzer-fixed; do
    for inputs in aiu_c0.json "aiu_c0.json aiu_c1.json"; do
        for option in --disable_tb --keep_prep --tb; do
            # shellcheck disable=SC2086
            "$PF" analyze aiu $inputs $option -D 2 --compat $mode -o "$PWD/aiu_a.json" >/dev/null 2>aiu_a.log
            # shellcheck disable=SC2086
            (cd aiu_c && "$PF" analyze aiu $inputs $option -D 2 --compat $mode -o "$OLDPWD/aiu_b.json" >/dev/null 2>"$OLDPWD/aiu_b.log")
            same_events aiu_a.json aiu_b.json >"$OUT" 2>&1
            claim "conversions give the events of the JSON: $inputs $option --compat $mode" [ "$(cat "$OUT")" = same ]
            grep -v 'created:' aiu_a.log | sed 's/^postfetto: [^:]*: warning: /WARNING /' | grep -E '^(INFO|WARNING|ERROR)' | sort >aiu_a.txt
            grep -v 'created:' aiu_b.log | sed 's/^postfetto: [^:]*: warning: /WARNING /' | grep -E '^(INFO|WARNING|ERROR)' | sort >aiu_b.txt
            claim "of which there are some" grep -q Ingesting aiu_a.txt
            claim "and the lines of its log: $inputs $option --compat $mode" cmp aiu_a.txt aiu_b.txt
        done
    done
done
"$PF" analyze aiu aiu_c/aiu_c0.json -o aiu_b.json >"$OUT" 2>"$ERR"
claim "slices of negative length are counted" grep -q "negative duration event(s). Events ignored:2" "$ERR"
# Between a begin and the end that came before it another one begins, which has no end.
cat >aiu_r0.json <<'END'
{"traceEvents":[{"ph":"X","name":"AIU Roundtrip","pid":0,"tid":1,"ts":1,"dur":90},{"ph":"B","name":"x","pid":0,"tid":2,"ts":10},
{"ph":"B","name":"y","pid":0,"tid":2,"ts":11},{"ph":"E","name":"x","pid":0,"tid":2,"ts":5}]}
END
"$PF" convert aiu_r0.json -q -o aiu_r0.pftrace
for input in aiu_r0.json aiu_r0.pftrace; do
    timeout 20 "$PF" analyze aiu $input -M -o aiu_b.json >"$OUT" 2>"$ERR"
    claim "ends that come before their begins find them: $input" [ "$(grep -c "Events ignored:1\|: 1 begin or end events without" "$ERR")" = 2 ]
done
# What was converted twice still says the order.
"$PF" convert aiu_c/aiu_c0.json -q -o aiu_cc.pftrace
"$PF" analyze aiu aiu_c0.json -q -o aiu_a.json >/dev/null 2>&1
mv aiu_cc.pftrace aiu_c/aiu_c0.json
"$PF" analyze aiu aiu_c/aiu_c0.json -q -o aiu_b.json >/dev/null 2>&1
same_events aiu_a.json aiu_b.json >"$OUT" 2>&1
claim "a conversion of a conversion gives them too" [ "$(cat "$OUT")" = same ]

# What has no packet of its own, and what is no proper event: metadata with values of every type and ids of every spelling,
# counter events of many series and of none, instants of the older letter, slices without a time, a length or a proper id.
python3 - >aiu_m0.json <<'END'
import json
def cycles(ts):
    return {f"TS{n + 1}": str(int((ts - 1000) * 1000) + add) for n, add in enumerate((0, 1000, 2000, 12000, 13000))}
def kernel(word, at, **members):
    return {"name": word + "_1 Cmpt Exec", "ph": "X", "pid": 0, "tid": 3, "ts": at, "dur": 10, "args": cycles(at), **members}
def lost(name, **args):
    return kernel(name, 1250.0, ts=None, args={**cycles(1250), **args})
events = [{"name": "host", "ph": "X", "pid": 0, "tid": 8, "ts": 1005, "dur": 300}]
events += [{"name": name, "ph": "M", "pid": 0, **members} for name, members in (
    ("all", {"args": {"name": "n", "yes": True, "no": False, "none": None, "i": -5, "r": 0.5, "big": 10**29, "list": [],
                      "nested": {"a": [1, [2, {"b": []}], {}], "c": "x"}}}),
    ("a \"name\\", {"tid": 1.5, "args": {"a\"b": "c\\,}]", "{": "]"}}), ("big", {"tid": 10**29, "args": {}}),
    ("list", {"tid": [1], "args": {"x": 1}}), ("text", {"tid": "t", "args": {"x": 1}, "own": {"m": [1, "}"]}}),
    ("no args", {}), (5, {"cat": 7}), ("cat", {"cat": "c", "args": [1]}))]
events += [kernel("mm", 1010.0), kernel("mn", 1030.0, args={**cycles(1030), "Power": "77"})]
events += [kernel("length", 1100.0, dur=dur) for dur in (-3, "3", None, [10], 1e300, 9.2e18)]
events += [kernel("thread", 1140.0 + 20 * i, tid=tid) for i, tid in enumerate(([1], 1.5, -1))]
events += [kernel("process", 1240.0 + 20 * i, pid=pid) for i, pid in enumerate(("a", -4, 10**29))]
events += [kernel("", 1300.0, name=5), kernel("category", 1320.0, cat=[5]), kernel("without end", 1340.0, ph="B"),
           kernel("not timed", 1340.0, ts="x"), kernel("too late", 1340.0, ts=1e300), kernel("begin", 1340.0, ph="B", ts=None)]
# slices without a time are counted where their cycles differ: all but the last
events += [lost("whole"), lost("hex", **{key: hex(int(n)) for key, n in cycles(1250).items()}), lost("number", TS3=2),
           lost("most", TS5="0x7fffffffffffffff"), {("attr" if key == "args" else key): v for key, v in lost("attr").items()},
           lost("still", TS5=cycles(1250)["TS1"])]
events += [{"name": "counter", "ph": "C", "pid": 0, "ts": 1200.5 + i, "args": {"a": i, "b": i + .5, "c": 2**60 + i, "d": 2**53}}
           for i in range(3)]
events += [{"name": "of text", "ph": "C", "pid": 0, "ts": 1210, "cat": "c", "args": {"x": "text"}},
           {"name": "of none", "ph": "C", "pid": 0, "ts": 1210, "args": {}},
           {"name": "not timed", "ph": "C", "pid": 0, "args": {"a": 5}},
           {"name": "object", "ph": "N", "pid": 0, "tid": 1, "ts": 1320, "id": "7"},
           {"name": "none", "ph": "", "pid": 0, "ts": 1320}, {"name": "end", "ph": "E", "pid": 0, "tid": 78, "ts": 1400},
           {"name": "other", "ph": "P", "pid": 0, "tid": 78, "ts": 1400},
           {"name": "nested", "ph": "i", "pid": 0, "tid": 78, "ts": 1500, "args": {"k": {"z": [True, False, None, 1.5]}}},
           {"name": "older", "ph": "I", "pid": 0, "ts": 1501, "s": "g"},
           {"name": "older", "ph": "R", "pid": 0, "tid": 78, "ts": 1502},
           {"name": "not timed", "ph": "i", "pid": 0, "tid": 5}, {"name": "text", "ph": "i", "pid": 0, "tid": 5, "ts": "1500"}]
events += [{"name": "flow", "ph": phase, "cat": "z", "pid": 0, "tid": "worker", "ts": ts, "id": number}
           for number in ("abc", 12) for phase, ts in (("s", 1100), ("f", 1110))]
print(json.dumps({"traceEvents": events}, separators=(",", ":")))
END
"$PF" convert aiu_m0.json -q -o aiu_c/c.pftrace >"$OUT" 2>&1
mv aiu_c/c.pftrace aiu_c/aiu_m0.json
for mode in none acelyzer; do
    for option in --disable_tb --keep_prep; do
        "$PF" analyze aiu aiu_m0.json --freq 1000:1100 $option -D 2 --compat $mode -o "$PWD/aiu_a.json" >/dev/null 2>aiu_a.log
        (cd aiu_c && "$PF" analyze aiu aiu_m0.json --freq 1000:1100 $option -D 2 --compat $mode -o "$OLDPWD/aiu_b.json") \
            >/dev/null 2>aiu_b.log
        same_events aiu_a.json aiu_b.json >"$OUT" 2>&1
        claim "a conversion gives what are no proper events, too: $option --compat $mode" [ "$(cat "$OUT")" = same ]
        for n in a b; do grep -v 'created:' aiu_$n.log | sed 's/^postfetto: [^:]*: warning: /WARNING /' | grep -E '^(INFO|WARNING|ERROR)' | sort >aiu_$n.txt; done
        claim "and the lines of its log: $option --compat $mode" cmp aiu_a.txt aiu_b.txt
    done
done
"$PF" analyze aiu aiu_c/aiu_m0.json --freq 1000:1100 -q -o aiu_b.json >/dev/null 2>&1
claim "metadata is what it was" python3 - <<'END'
import json
def noted(path):
    return {e["name"]: e for e in json.load(open(path))["traceEvents"] if e["ph"] == "M" and "ts" not in e}
was, found = noted("aiu_m0.json"), noted("aiu_b.json")
was["text"]["args"]["own"] = was["text"].pop("own")
del was[5], was["cat"]["args"]
for name, e in was.items():
    assert found[name].get("args") == e.get("args", {}), (e, found[name])
    assert found[name].get("tid") == (e.get("tid") if name != "list" else None), (e, found[name])
END

# A torch capture, in an order that is not that of time: a limit counts the events as the document has them.
python3 - >aiu_t0.json <<'END'
import json
events = [{"name": f"aiuKernel_{i}", "ph": "X", "cat": "kernel" if i % 2 else "cpu_op", "pid": i % 2, "tid": 1 + i % 3,
           "ts": 1000.0 + (37 * i) % 64, "dur": 3.0, "args": {"correlation": i}} for i in range(40)]
for i, number in enumerate((7, "0x5", "9", 2**63 + 5, "a text")):
    events += [{"name": "flow", "ph": phase, "cat": "ac2g", "pid": 1, "tid": 2, "ts": 1010.0 + i + step, "id": number, **more}
               for phase, step, more in (("s", 0.25, {}), ("f", 0.5, {"bp": "e"}))]
events += [{"name": "flow", "ph": "s", "cat": "ac2g", "pid": 1, "tid": 2, "ts": 1020.0}]
for name, args in (("process_name", {"name": "AIU"}), ("process_labels", {"labels": "AIU 0"}), ("process_labels", {"labels": "CPU"}),
                   ("process_labels", {"labels": 5}), ("process_labels", {}), ("process_sort_index", {"sort_index": 9})):
    events += [{"name": name, "ph": "M", "pid": pid, "tid": 0, **time, "args": args} for pid in (0, 4242) for time in ({}, {"ts": 1000.0})]
print(json.dumps({"deviceProperties": [{"id": 0, "name": "AIU", "type": "AIU"}], "distributedInfo": {"rank": 3, "world_size": 4},
                  "traceEvents": events}))
END
"$PF" convert aiu_t0.json -q -o aiu_c/c.pftrace
mv aiu_c/c.pftrace aiu_c/aiu_t0.json
for limit in '{"count":14}' '{"skip":9,"count":17}' '{}'; do
    "$PF" analyze aiu aiu_t0.json --event_limit "$limit" -q -o aiu_a.json >/dev/null 2>&1
    "$PF" analyze aiu aiu_c/aiu_t0.json --event_limit "$limit" -q -o aiu_b.json >/dev/null 2>&1
    same_events aiu_a.json aiu_b.json >"$OUT" 2>&1
    claim "a limit counts the events of a converted torch capture in their order: $limit" [ "$(cat "$OUT")" = same ]
done
claim "a launch is what has its number, which texts are not" python3 - <<'END'
import json
arrows = [(e["ph"], e["ts"]) for e in json.load(open("aiu_a.json"))["traceEvents"] if e.get("cat") == "ac2g" and e["id"] == 40]
assert arrows == [("f", 1003.0), ("s", 1010.25)], arrows  # of flow 7 to the kernel of correlation 7
assert not [e for e in json.load(open("aiu_a.json"))["traceEvents"] if e.get("cat") == "ac2g" and e["id"] == 41]
END

# A Perfetto trace that nobody converted, one thread after the other: its order is that of time.
python3 - >aiu_threads.pftrace <<'END_PYTHON'
import sys
def varint(n):
    return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
def packet(*fields):
    sys.stdout.buffer.write(field(1, field(10, 1) + b"".join(field(*f) for f in fields)))
for tid in 1, 2:
    packet((60, field(1, tid) + field(4, field(1, 7) + field(2, tid))))
    for begin in (1000 * (20 * i + 10 * tid) for i in range(3)):
        packet((8, begin), (11, field(9, 1) + field(11, tid) + field(23, b"s%d DmaI" % begin)))
        packet((8, begin + 5000), (11, field(9, 2) + field(11, tid)))
END_PYTHON
run analyze aiu aiu_threads.pftrace --event_limit '{"count":4}' -q -o aiu_a.json --report r
claim "a limit counts the slices of a Perfetto trace in order of time" python3 -c 'import json
names = [e["name"] for e in json.load(open("aiu_a.json"))["traceEvents"] if e["ph"] == "X"]
assert names == ["s10000 DmaI", "s20000 DmaI", "s30000 DmaI", "s40000 DmaI"], names'
