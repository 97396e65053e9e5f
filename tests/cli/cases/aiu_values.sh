# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# analyze aiu: what a recording holds besides times reaches the JSON output as it is: arguments and members of every type,
# names with quotes, the instant's scope. Sourced by run.sh.
cat >values.py <<'END'
import json, sys
args = {"text": "q\"\\\n\u0001'", "real": 1.5, "large": 18446744073709551615, "yes": True, "no": None, "nested": {"a": [1, 2, {"b": "c"}]},
        "list": [], "empty": {}, "false": False, "negative": -3}
args["deep"] = 1
for _ in range(60):
    args["deep"] = [1, {"a": 2, "k": args["deep"]}]
slice = {"ph": "X", "name": "odd \"name\" \\", "cat": "cpu_op", "pid": 7, "tid": 8, "ts": 1700000001000.5, "dur": 5.25, "args": args}
plain = {"ph": "X", "name": "plain", "cat": "user_annotation", "pid": 7, "tid": 8, "ts": 1700000002000.5, "dur": 5}
mark = {"ph": "i", "s": "p", "name": "mark", "cat": "c", "pid": 7, "tid": 8, "ts": 1700000002001, "args": {"k": "v"}}
members = {"deviceProperties": [{"id": 0, "name": "A\"B\\C", "x": 1.5, "big": 123456789012345678901234567890, "t": True, "f": False,
                                 "n": None, "type": "AIU"}],
           "note": "say \"x\" \\ back\n", "count": 5, "list": [1, {"a": None}], "yes": True,
           "nothing": None, "digits": "12", "word": "true", "share": 0.5, "metadata": {"a": 1}}
if len(sys.argv) == 1:
    for rank, name in enumerate(("values.json", "more.json")):
        json.dump({**members, "count": 5 + rank, "distributedInfo": {"rank": rank, "world_size": 2},
                   "traceEvents": [slice, plain, mark]}, open(name, "w"))
    sys.exit()
def once(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
found = json.load(open(sys.argv[1]), object_pairs_hook=once)
if len(sys.argv) == 3:
    members.update({"deviceProperties": [{**members["deviceProperties"][0], "id": rank} for rank in (0, 1)], "count (2)": 6})
    found["traceEvents"] = [e for e in found["traceEvents"] if e["args"]["rank"] == 0]
added = {"class": "OTHER", "rank": 0, "jobname": "values.json"}
assert found.pop("traceEvents") == [{**slice, "args": {**args, **added}}, {**plain, "args": added},
                                    {**mark, "args": {"k": "v", "s": "p", "rank": 0}}], found
members.update({"displayTimeUnit": "ns", "traceName": sys.argv[1], "otherData": {"Application": "postfetto (Acelyzer events)"}})
assert json.dumps(found, sort_keys=True) == json.dumps(members, sort_keys=True), found
END
python3 values.py
run analyze aiu values.json --freq 1000:1100 -q -o values_out.json --report values
expect "analyze aiu of arguments of every type" 0 "out~^\[write\] values_out\.json$"
claim "arguments and members come out as they went in" python3 values.py values_out.json
run analyze aiu values.json more.json --freq 1000:1100 -q -o values_out.json --report values
claim "members of two inputs: equal ones once, others with the number of their input" python3 values.py values_out.json 2
run convert -q values.json -o values.pftrace
run analyze aiu values.pftrace --freq 1000:1100 -q -o values_out.json --report values
claim "members of a conversion come out as they went in" python3 - <<'END'
import json
one, two = (json.load(open(name)) for name in ("values.json", "values_out.json"))
own = {"traceEvents", "distributedInfo", "displayTimeUnit", "traceName", "otherData"}
assert {key: json.dumps(two.get(key)) for key in two if key not in own} == {key: json.dumps(one[key]) for key in one if key not in own}, two
END
rm -r values values.py values.json more.json values.pftrace values_out.json

# --split_events: a device slice whose name says no step is three slices, between the counters TS1 and TS2, TS3 and TS4, TS4
# and TS5 (1000 cycles are a microsecond). What waits in the queue is left out.
python3 - "$FIX/aiu/tp2-rank-0.json" >split.json <<'END'
import json, sys
events = json.load(open(sys.argv[1]))
counters = {"Power": "947200", "TS1": "6700000", "TS2": "6705000", "TS3": "6706000", "TS4": "6726000", "TS5": "6729000"}
for phase, ts in (("B", 1700000001700), ("E", 1700000001729)):
    events.append({"attr": counters, "name": "mystery_1", "ph": phase, "pid": 0, "tid": 42, "ts": ts})
print(json.dumps(events))
END
run analyze aiu split.json --freq 1000:1100 -M -s -q -o split_out.json --report split
expect "analyze aiu --split_events" 0 "out~^\[write\] split_out\.json$"
claim "a slice of no known step is split" python3 - split_out.json <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
parts = sorted((e["ts"] - 1700000000000, e["dur"], e["name"]) for e in events if e.get("name", "").startswith("mystery"))
assert parts == [(1700.0, 5.0, "mystery_DmaI"), (1706.0, 20.0, "mystery_Cmpt"), (1726.0, 3.0, "mystery_DmaO")], parts
assert not any("Cmpt Prep" in e["name"] for e in events)
args, *others = [e["args"] for e in events if e.get("name", "").startswith("mystery")]
assert all({**other, "orig_name": 0} == {**args, "orig_name": 0} for other in others), (args, others)
said = {"Power": "947200", "TS1": "6700000", "TS2": "6705000", "TS3": "6706000", "TS4": "6726000", "TS5": "6729000", "OVC": 0,
        "rank": 0, "jobname": "split.json"}
assert {key: args.get(key) for key in said} == said, args
whole, = {(e["pid"], e["tid"]) for e in events if e.get("name") == "mystery_DmaI"}
assert all((e["pid"], e["tid"]) == whole for e in events if e.get("name", "").startswith("mystery"))
END

# --event_filter: slices whose attribute an expression finds are dropped.
python3 - >filter.json <<'END'
import json
slices = [("a", "x", 7, 8, 10.5, 5), ("b", "y", 7, 9, 20, 5), ("c", "y", 8, 8, 30, 6.25)]
print(json.dumps({"distributedInfo": {"rank": 0}, "deviceProperties": [{"id": 0, "type": "AIU"}],
                  "traceEvents": [{"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
                                   "args": {"kind": name + cat}} for name, cat, pid, tid, ts, dur in slices]}))
END
while read -r filter left; do
    run analyze aiu filter.json --freq 1000:1100 -q -o filter_out.json --report filter --event_filter "$filter"
    claim "--event_filter $filter" [ "$(python3 -c 'import json
print("".join(sorted(e["name"] for e in json.load(open("filter_out.json"))["traceEvents"] if e["ph"] == "X")))')" = "$left" ]
done <<'END'
name:^a$ bc
cat:y a
pid:^8$ ab
tid:9 ac
ts:^10[.]5$ bc
dur:^6[.]25 ab
nothing:. abc
name:a,cat:x bc
name:b,tid:8 
END
run analyze aiu filter.json --freq 1000:1100 -q -o filter_out.json --report filter --event_filter nothing
expect "--event_filter without an expression" 2 "err~--event_filter takes ATTRIBUTE:EXPRESSION, more of them after commas"
rm -r split split.json split_out.json filter filter.json filter_out.json
