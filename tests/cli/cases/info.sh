# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# info in full: every member of its JSON and every line of its text, for traces of a few events that are written here.
# Sourced by run.sh.

# tiny.json: a complete event, a begin and an end, a counter sample and a name; its thread and its process.
run info --json tiny.json
claim "info --json: the whole document" python3 - "$OUT" tiny.json <<'END'
import json, os, sys
document = json.load(open(sys.argv[1]))
size = os.path.getsize(sys.argv[2])
memory = document.pop("memory")
one = {"file": "tiny.json", "format": "chrome-json", "dialect": "chrome-json", "compression": "none"}
assert document == {
    "schema_version": 1, **one, "input_bytes": size, "plain_bytes": size, "time_unit": "ns", "start": 1000, "end": 4000,
    "length": 3000, "passes": [],
    "inputs": [{**one, "time_unit": "ns", "input_bytes": size, "plain_bytes": size, "events": 5, "processes": 1, "losses": 0}],
    # the idle thread and process, and the main thread of process 7, are there without rows
    "rows": {"event": 5, "slice": 2, "counter": 1, "track": 3, "thread": 3, "process": 2, "metadata": 4},
    "processes": [{"upid": 1, "pid": 7, "name": "worker", "label": None, "threads": 2, "tracks": 2, "slices": 2, "samples": 1}],
    "threads": [{"utid": 1, "upid": 1, "tid": 7, "name": None, "slices": 0, "samples": 0},
                {"utid": 2, "upid": 1, "tid": 9, "name": None, "slices": 2, "samples": 0}],
    "tracks": [{"type": "thread_execution", "tracks": 1, "slices": 2, "samples": 0},
               {"type": "json_counter", "tracks": 1, "slices": 0, "samples": 1}],
    "names": [{"name": "a", "category": "k", "count": 1, "total": 3000, "mean": 3000.0},
              {"name": 'say "b"', "category": None, "count": 1, "total": 500, "mean": 500.0}],
    "trace_clock": 11, "clocks": [], "sequences": 0, "packets": [], "damage": []}, document
assert all(table["bytes"] > 0 and table["rows"] > 0 for table in memory)
assert {table["table"]: table["rows"] for table in memory} | {"arguments": 2} == {**document["rows"], "arguments": 2}
END

# Two sequences, three clocks with several snapshots, a process with a label; names of packets and their bytes. After
# that the same with seventy clocks in all, of which sixty-four are listed.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_proto import BEGIN, END, event, message, packet
process = packet((10, 9), (60, message((1, 5), (3, message((1, 100), (6, "server"), (8, "GPU 2"))))))
thread = packet((60, message((1, 10), (4, message((1, 100), (2, 101), (5, "worker"))))))
def clocks(at, ids):
    return packet((10, 1), (6, message(*[(1, message((1, clock), (2, at + 10 * clock))) for clock in ids], (2, 6))))
slices = event(1000, BEGIN, "kernel") + event(2500, END)
with open("clocks.pftrace", "wb") as out:
    out.write(clocks(100, (6, 3)) + clocks(200, (3, 64, 6)) + process + thread + slices)
with open("clocks.bytes", "w") as out:
    out.write(f"{len(clocks(100, (6, 3)) + clocks(200, (3, 64, 6)))} {len(process + thread)} {len(slices)}\n")
with open("many.pftrace", "wb") as out:
    for at, first, count in ((100, 200, 30), (200, 200, 30), (300, 300, 30), (400, 400, 9), (500, 400, 9)):
        out.write(clocks(at, [6] + list(range(first, first + count))))
    out.write(thread + slices)
END
read -r snapshots descriptors events <clocks.bytes
run info clocks.pftrace
expect "info: clocks, sequences, labels and packets" 0 err= "out=file        clocks.pftrace
format      perfetto, dialect perfetto
size        $(stat -c %s clocks.pftrace) bytes
time        1000 to 2500 ns, length 1.500 us
time unit   ns
passes      none fits
clocks      clock 3 MONOTONIC: 2 snapshots
            clock 6 BOOTTIME: 2 snapshots, the clock of the trace
            clock 64: 1 snapshot
sequences   2, largest id 9
contains    1 process, 2 threads, 1 track with data
rows        event 4, slice 1, counter 0, track 2,
            thread 3, process 2, metadata 4
damage      none

Slice names by total time
name    count  total (ns)  mean (ns)
kernel      1        1500     1500.0

Processes
process         pid  threads  tracks  slices  samples
server [GPU 2]  100        2       1       1        0

Packets by kind
packet            count  bytes
clock_snapshot        2     $snapshots
track_descriptor      2     $descriptors
track_event           2     $events"
run info --json clocks.pftrace
claim "info --json: clocks and packets" python3 - "$OUT" $snapshots $descriptors $events <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["trace_clock"] == 6 and document["sequences"] == 2
assert document["clocks"] == [{"id": 3, "name": "MONOTONIC", "snapshots": 2}, {"id": 6, "name": "BOOTTIME", "snapshots": 2},
                              {"id": 64, "name": None, "snapshots": 1}], document["clocks"]
assert document["packets"] == [
    {"field": 6, "kind": "clock_snapshot", "count": 2, "bytes": int(sys.argv[2])},
    {"field": 11, "kind": "track_event", "count": 2, "bytes": int(sys.argv[4])},
    {"field": 60, "kind": "track_descriptor", "count": 2, "bytes": int(sys.argv[3])}], document["packets"]
assert document["processes"][0]["label"] == "GPU 2"
END
run info many.pftrace
expect "info: clocks beyond sixty-four are counted" 0 "out~^            clock 229: 2 snapshots$" \
    "out~^            clock 329: 1 snapshot$" "out~^            clock 402: 2 snapshots$" "out!clock 403" \
    "out~^            and others: 12 readings$" "out~^damage      none$" # 403 to 408, twice
rm clocks.pftrace clocks.bytes many.pftrace

# Categories beyond eight are counted, those of the device come on top of them; equal totals keep the order of the trace.
python3 - >categories.json <<'END'
import json
events = [{"ph": "X", "name": f"n{i}", "cat": f"host {i}", "ts": i, "dur": 5, "pid": 1, "tid": i} for i in range(10)]
events.append({"ph": "X", "name": "gemm", "cat": "kernel", "ts": 0, "dur": 0.001, "pid": 1, "tid": 99})
print(json.dumps(events))
END
run info categories.json
expect "info: further categories" 0 "out~^and 2 further categories; --json has all names$"
claim "info: which ones are shown" [ "$(sed -n 's/^Category //p' "$OUT" | tr '\n' ',')" = \
    "kernel (device),host 0,host 1,host 2,host 3,host 4,host 5,host 6,host 7," ]
rm categories.json

# Order of names: by total, then by count, then by text; totals that do not fit saturate; a name without end counts as 0.
python3 - >order.json <<'END'
import json
events = [("late", 4), ("pair", 2), ("pair", 2), ("early", 4), ("short", 1)]
print(json.dumps([{"ph": "X", "name": name, "ts": 10 * i, "dur": dur, "pid": "rank 0", "tid": "main"}
                  for i, (name, dur) in enumerate(events)]
                 + [{"ph": "B", "name": "open", "ts": 99, "pid": "rank 0", "tid": "main"}]))
END
run info --json order.json
claim "info --json: order of names, ids that are texts" python3 - "$OUT" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert [(n["name"], n["count"], n["total"], n["mean"]) for n in document["names"]] == [
    ("pair", 2, 4000, 2000.0), ("early", 1, 4000, 4000.0), ("late", 1, 4000, 4000.0), ("short", 1, 1000, 1000.0),
    ("open", 1, 0, 0.0)], document["names"]
assert [p["pid"] for p in document["processes"]] == ["rank 0"] and document["threads"][-1]["tid"] == "main"
END
rm order.json
printf '[{"ph":"X","name":"age","ts":0,"dur":8e15,"pid":1,"tid":1},{"ph":"X","name":"age","ts":0,"dur":8e15,"pid":1,"tid":2}]' >long.json
run info --json long.json
expect "info: a total beyond 64 bits is the largest number" 0 'out~^      "total": 9223372036854775807,$'
rm long.json

# The trace of cores uses pid 0, which is the idle process elsewhere: it is one of the file's processes.
for file in aie_small.json aie_small.pftrace; do
    run info --json $file
    claim "info --json: processes of $file" python3 - "$OUT" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert len(document["processes"]) == document["inputs"][0]["processes"] == 4, document["inputs"]
assert document["passes"] == ["aie"] and document["time_unit"] == document["inputs"][0]["time_unit"] == "cycle"
assert sorted(p["pid"] for p in document["processes"]) == [0, 1, 2, 3]
END
done

# Several files: a table with a row for each, damage by file.
cp tiny.json second.json
run info tiny.json second.json aie_cut.json
expect "info of several files" 0 "out~^inputs      3 files, dialect mixed$" \
    "out~^tiny\.json +chrome-json +chrome-json +ns +$(stat -c %s tiny.json) +5 +1 +0$" \
    "out~^second\.json +chrome-json +chrome-json +ns +$(stat -c %s tiny.json) +5 +1 +0$" \
    "out~^aie_cut\.json +chrome-json +aie +cycle +$(stat -c %s aie_cut.json) +[0-9]+ +[0-9]+ +1$" "out!^damage      none"
run check --json tiny.json aie_cut.json
claim "check --json of several files: damage names its file" python3 - "$OUT" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["files"] == ["tiny.json", "aie_cut.json"] and document["ok"] is False and "file" not in document
(damage,) = document["damage"]
assert list(damage) == ["file", "severity", "name", "loss", "count", "first_byte", "description"]
assert (damage["file"], damage["severity"], damage["name"], damage["loss"], damage["count"]) == \
    ("aie_cut.json", "data_loss", "postfetto_json_truncated", True, 1)
END
run check tiny.json aie_cut.json
expect "check of several files" 1 "out~^aie_cut\.json: data_loss: postfetto_json_truncated: 1 time, first at byte [0-9]+: " "out!^tiny"
run check tiny.json second.json
expect "check of several whole files" 0 out= "err=postfetto: all inputs: no damage found"
rm second.json

# A profile of tinygrad has tables of its own; they are counted, and the lines are wrapped.
run info "$FIX/tinygrad_small.pkl" --json
cp "$OUT" side.json
run info "$FIX/tinygrad_small.pkl"
claim "info: rows of side tables" python3 - "$OUT" side.json <<'END'
import json, re, sys
text = open(sys.argv[1]).read()
rows = json.load(open(sys.argv[2]))["rows"]
shown = re.search(r"^side rows   (.*?)^damage      none$", text, re.M | re.S).group(1)
assert all(line.startswith(" " * 12) and len(line) <= 80 for line in shown.splitlines()[1:]), shown
sides = dict(re.findall(r"(\w+) (\d+)", shown))
assert {name: int(count) for name, count in sides.items()} == {k: v for k, v in rows.items() if k.startswith("tinygrad_")}
assert rows["tinygrad_profile"] == 1 and rows["tinygrad_marker"] == 3
END
rm side.json

# A line feed in a name begins no line of its own.
cp tiny.json $'two\nlines.json'
run info $'two\nlines.json' tiny.json
expect "info: a line feed in the name of an input" 0 err= "out~^two[^ ]+lines\\.json +chrome-json " "out!^lines"
run info $'two\nlines.json'
expect "info: a line feed in the name of the file" 0 err= "out~^file +two.lines\\.json$" "out!^lines"
run check $'two\nlines.json'
expect "check: a line feed in a name" 0 out= "err=postfetto: two?lines.json: no damage found"
rm $'two\nlines.json'

# Ids of processes as they were written: a number, a text that is too long for its column, none.
cat >ids.json <<'END'
[{"name":"process_name","ph":"M","pid":7,"args":{"name":"job"}},{"name":"a","ph":"X","ts":1,"dur":2,"pid":7,"tid":1},
{"name":"a","ph":"X","ts":1,"dur":2,"pid":7,"tid":1},{"name":"b","ph":"X","ts":1,"dur":2,"pid":"rank zero of many","tid":1},
{"name":"c","ph":"X","ts":1,"dur":2}]
END
run info ids.json
claim "info shows ids of processes as they were written" [ "$(sed -n '/^Processes/,$p' "$OUT")" = "Processes
process            pid                threads  tracks  slices  samples
job                7                        2       1       2        0
rank zero of many  rank zero of many        2       1       1        0
(no name)          -                        1       1       1        0" ]
rm ids.json

# Labels of processes have 47 bytes of room; no character is cut apart. aaa... of 46 to 48, and two-byte letters at both places.
python3 - >labels.json <<'END'
import json
labels = ["a" * 46, "a" * 47, "a" * 48, "\u00e9" * 40, "b" + "\u00e9" * 40, "\u20ac" * 15 + "cd\u00e9", ""]
print(json.dumps([{"ph": "M", "name": "process_labels", "pid": i, "args": {"labels": label}} for i, label in enumerate(labels, 1)]
                 + [{"ph": "X", "name": "x", "pid": i, "tid": i, "ts": 0, "dur": 1} for i in range(1, 9)], ensure_ascii=False))
END
run info --json labels.json
claim "info: labels that are cut" python3 - "$OUT" <<'END'
import json, sys
assert [p["label"] for p in json.load(open(sys.argv[1]))["processes"]] == [
    "a" * 46, "a" * 47, "a" * 47, "\u00e9" * 23, "b" + "\u00e9" * 23, "\u20ac" * 15 + "cd", None, None]
END
rm labels.json

# Categories: those of the device by the beginning of their names, those of an interpreter by their whole names, in any case.
python3 - >categories.json <<'END'
import json
totals = {"python_function": 100, "Python": 90, "pythonic": 80, "kerne": 60, "Memset": 1, "gpu_user": 2, "kernels": 3, "MTIA x": 4}
print(json.dumps([{"ph": "X", "name": f"of {name}", "cat": name, "ts": 0, "dur": total, "pid": 1, "tid": i}
                  for i, (name, total) in enumerate(totals.items())]))
END
run info categories.json
claim "info: categories of device, host and interpreter" [ "$(sed -n 's/^Category //p' "$OUT" | tr '\n' ',')" = \
    "MTIA x (device),kernels (device),gpu_user (device),Memset (device),pythonic,kerne,python_function,Python," ]
rm categories.json

# Names share the line with numbers, whose columns are 5 + 2, 10 + 2 and 9 + 2 wide; where fewer than 20 characters of the name
# would be left, the last column is not shown. A terminal has 40 columns or more. Damage that was counted twice.
python3 - >wide.json <<'END'
import json
print(json.dumps([{"ph": "X", "name": "x" * 200, "ts": 0, "dur": 1, "pid": 1, "tid": 1}] + 2 * [{"ph": "X", "name": "y", "ts": "no"}]))
END
for row in 100:100 60:60 43:43 42:42 40:40 30:40 10001:100 wide:100 :100 300:230; do
    export COLUMNS=${row%:*}
    run info wide.json
    unset COLUMNS
    claim "info: a long name where a line has '${row%:*}' columns" [ "$(awk '/^xx/ { print length($0) }' "$OUT")" = "${row#*:}" ]
done
expect "info: damage that was counted twice" 0 "out~^error       json_tokenizer_failure: 2 times\$" \
    "out~^            first at byte [0-9]+: events without a phase or with unusable times\$"
rm wide.json

# Kinds of packets with as many bytes are listed in the order of their fields.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_proto import message, packet
fields = (40, 9, 72, 35) # two bytes of a tag above 15 and one below; the bodies make up for it
with open("kinds.pftrace", "wb") as out:
    for field in fields:
        out.write(packet((field, message((20, b"x" * (10 if field > 15 else 11))))))
END
run info --json kinds.pftrace
claim "info --json: packets of one size" python3 - "$OUT" <<'END'
import json, sys
packets = json.load(open(sys.argv[1]))["packets"]
assert len({p["bytes"] for p in packets}) == 1, packets
assert [p["field"] for p in packets] == [9, 35, 40, 72], packets
END
rm kinds.pftrace
