# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# analyze tinygrad -o: every row, slice and sample that it draws into a profile of a few events. Sourced by run.sh.

# Times in us. Device A runs mul in [10, 30) and [20, 40), add in [40, 50), one without estimate in [60, 70); device B runs
# mul in [5, 15); a copy takes [62, 66). Two series of markers take turns.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import json
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, kernel, point
at = lambda us: 5_000_000_000 + us * 1000
work = [("A", "mul", 10, 20), ("A", "mul", 20, 20), ("A", "add", 40, 10), ("A", "odd", 60, 10), ("B", "mul", 5, 10)]
events = [Event("ProfileDeviceEvent", device=device, tdiff=Time(0), props={}) for device in "AB"]
events += [kernel(device, name, at(start), 1000 * length) for device, name, start, length in work]
events.append(Event("ProfileRangeEvent", device="A:SDMA:0",
                    name=Event("TracingKey", display_name="TINY -> A", keys=[], ret=4096, tb=None), st=Time(at(62)), en=Time(at(66))))
events += [point("TINY", "marker", None, {"name": name, "color": "gray"}, at(us)) for name, us in
           (("warm @ 0", 0), ("train @ 0", 15), ("warm @ 1", 20), ("train @ 1", 45), ("train @ 2", 80), ("@ 3", 81), ("train @", 82))]
held = lambda device, buffer, items, us: point(device, "alloc", buffer, {"dtype": FLOAT, "sz": items}, at(us))
events += [held("A", 0, 100, 1), held("A", 1, 50, 2), point("A", "free", 0, {}, at(3)), held("A", 2, 100, 4), held("B", 0, 1, 7)]
with open("drawn.pkl", "wb") as out:
    out.write(Pickle().profile(events))
json.dump({"mul": {"ops": 1000000, "mem": 4000000, "lds": 0}, "add": {"ops": 300000, "mem": 100000, "lds": 0}}, open("drawn.json", "w"))
END
run analyze tinygrad drawn.pkl --estimates drawn.json -q -o drawn.pftrace --report drawn
expect "analyze tinygrad -o" 0 "out~^\[write\] drawn\.pftrace$" err=
run query drawn.pftrace "SELECT p.name AS above, t.name, c.unit, length(extract_arg(t.source_arg_set_id, 'description')) > 35 AS explained
    FROM track t LEFT JOIN track p ON p.id = t.parent_id LEFT JOIN counter_track c ON c.id = t.id
    WHERE t.name = 'tinygrad' OR p.name = 'tinygrad' ORDER BY t.name" --format csv
expect "analyze tinygrad -o: rows" 0 err= 'out="above","name","unit","explained"
"tinygrad","A GFLOPS","GFLOPS",1
"tinygrad","A memory rate","GB/s",1
"tinygrad","B rates",,1
"tinygrad","memory peaks",,1
,"tinygrad",,1
"tinygrad","train",,1
"tinygrad","warm",,1'
number="extract_arg(s.arg_set_id, 'debug.%s')"
run query drawn.pftrace "SELECT t.name AS track, s.name, s.ts / 1000 - 5000000 AS at, s.dur / 1000 AS us, ${number//%s/kernels} AS n,
    ${number//%s/kernel_us} AS n_us, ${number//%s/copies} AS c, ${number//%s/copy_us} AS c_us, ${number//%s/bytes} AS bytes,
    ${number//%s/gflops} AS gflops, ${number//%s/gb_per_s} AS gb_per_s FROM slice s JOIN track t ON t.id = s.track_id WHERE s.category = 'postfetto.tinygrad' ORDER BY 1, 3" --format csv
expect "analyze tinygrad -o: iterations and peaks" 0 err= 'out="track","name","at","us","n","n_us","c","c_us","bytes","gflops","gb_per_s"
"B rates","mul",5,10,,,,,,100.0,400.0
"memory peaks","A peak",2,0,,,,,600,,
"memory peaks","B peak",7,0,,,,,4,,
"train","0 train",15,30,2,30.0,0,0.0,,,
"train","1 train",45,35,1,10.0,1,4.0,,,
"warm","0 warm",0,20,2,30.0,0,0.0,,,'
# The second mul of A overlaps the first one. 10^6 operations in 20 us are 50 GFLOPS; 3 * 10^5 in 10 us are 30.
run query drawn.pftrace "SELECT t.name, c.ts / 1000 - 5000000 AS at, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id
    JOIN track p ON p.id = t.parent_id WHERE p.name = 'tinygrad' ORDER BY 1, 2" --format csv
expect "analyze tinygrad -o: rates" 0 err= 'out="name","at","value"
"A GFLOPS",10,50.0
"A GFLOPS",30,0.0
"A GFLOPS",40,30.0
"A GFLOPS",50,0.0
"A memory rate",10,200.0
"A memory rate",30,0.0
"A memory rate",40,10.0
"A memory rate",50,0.0'

# The summary as JSON has the rows of the CSV files; empty cells are null.
run analyze tinygrad drawn.pkl --estimates drawn.json -q --json --report drawn
claim "analyze tinygrad --json: the rows of the CSV files" python3 - "$OUT" drawn <<'END'
import csv, json, os, sys
document = json.load(open(sys.argv[1]))
assert document["schema_version"] == 1 and document["events"] == 20 and document["length_us"] == 82, document
tables = compared = nulls = 0
for name in ("kernels", "copies", "graphs", "iterations", "peaks", "holders"):
    path = os.path.join(sys.argv[2], f"{name}.csv")
    rows = list(csv.DictReader(open(path))) if os.path.exists(path) else []
    assert len(rows) == len(document[name]), (name, rows, document[name])
    for row, found in zip(rows, document[name]):
        assert list(row) == list(found), (row, found)
        for key, cell in row.items():
            value = found[key]
            nulls += value is None
            if isinstance(value, (int, float)):
                assert abs(float(cell) - value) <= 0.5001 * 10 ** -len(cell.partition(".")[2]), (name, key, cell, value)
            else:
                assert cell == (value or ""), (name, key, cell, value)
            compared += 1
assert compared > 50 and nulls > 2, (compared, nulls)
END
rm -r drawn drawn.pkl drawn.json drawn.pftrace

# Times in us. Two graphs; markers out of order, two of them at 60; 35 kernels of other lengths, the longest last; a copy of unknown
# size; buffers whose number is used again, that have the size of the peak a second time, or more users than are named.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, execution, kernel, point
at = lambda us: 5_000_000_000 + us * 1000
key = lambda name: Event("TracingKey", display_name=name, keys=[], ret=None, tb=None)
between = lambda device, name, start, end: Event("ProfileRangeEvent", device=device, name=key(name), st=Time(at(start)), en=Time(at(end)))
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={}), between("USER", "all", 0, 900)]
events += [point("TINY", "marker", None, {"name": name, "color": "gray"}, at(us))
           for name, us in (("train @ 1", 60), ("train @ 0", 10), ("train @ 2", 60))]
events += [kernel("A", "\x1b[1~i\x1b[2@n", at(20), 3000)] + [kernel("A", f"k{i}", at(100 + 10 * i), 1000 + 1000 * i) for i in range(31)]
for times, after in (((500, 510, 520, 530), [[], [0]]), ((600, 605, 605, 615, 610, 640), [[], [], [0, 1]])):
    entries = [Event("ProfileGraphEntry", device="A", name=f"e_{i}", st_id=2 * i, en_id=2 * i + 1) for i in range(len(after))]
    events.append(Event("ProfileGraphEvent", ents=entries, deps=after, sigs=[Time(at(us)) for us in times]))
events.append(between("A:SDMA:0", "TINY -> A", 700, 704))
held = lambda buffer, items, us: point("A", "alloc", buffer, {"dtype": FLOAT, "sz": items}, at(us))
gone = lambda buffer, us: point("A", "free", buffer, {}, at(us))
events += [held(9, 50, 1), gone(9, 2), held(9, 10, 3), held(7, 100, 4)]
events += [execution("A", f"u{max(0, i - 1)}", i, [7], at(5 + i)) for i in range(19)] + [gone(7, 30), held(8, 100, 31)]
with open("several.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run analyze tinygrad several.pkl --report several
expect "analyze tinygrad: tables on the terminal" 0
claim "the sentence, titles, and the longest 10 of 35 kernels" python3 - "$ERR" <<'END'
import sys
sentence, warned, *blocks = open(sys.argv[1]).read().strip().split("\n\n")
assert sentence == "37 kernel runs took 564.0 us, k30 on A 5.5 % of it; 1 copy took 4.0 us; A held 440 bytes at most.", sentence
warning, first = warned.split("\n", 1)
assert "1 of 2 iterations hold neither a kernel nor a copy" in warning, warning
blocks = [block.splitlines() for block in [first] + blocks]
titles = ["Kernels", "Iterations", "Copies", "Launches of graphs", "Memory peaks", "Buffers at the peak"]
assert [block[0] for block in blocks] == titles, blocks
assert [line.split()[0] for line in blocks[0][2:]] == ["k30", "k29", "e_2"] + [f"k{i}" for i in range(28, 21, -1)] + ["..."], blocks[0]
assert blocks[0][-1] == "... 25 more (--rows 0 shows all)", blocks[0]
assert blocks[0][1].split()[:4] == ["kernel", "device", "runs", "total"] and blocks[0][4].split()[:4] == ["e_2", "A", "1", "30.000"]
END
several() { # file, expected rows
    claim "$1 of a profile with several of all" [ "$(tail -n +2 "several/$1.csv")" = "$2" ]
}
claim "escapes of terminals are no part of names" grep -q '^A,in,1,3.000,' several/kernels.csv
several graphs "A Graph,batched 2,500.000,30.000,2,1,20.000
A Graph,batched 3,600.000,40.000,3,2,45.000"
several iterations "train,train @ 0,10.000,50.000,1,3.000,0,0.000
train,train @ 1,60.000,0.000,0,0.000,0,0.000"
several copies "A:SDMA:0,TINY -> A,1,4.000,4.000,4.000,4.000,,"
several peaks "A,440,4,2"
several holders 'A,7,float,100,400,4,30,19,"u0, u1, u2, u3, u4, u5, u6, u7, u8, u9, u10, u11, u12, u13, u14, u15",float[100] #7
A,9,float,10,40,3,900,0,,float[10] #9'
rm -r several several.pkl

# Counters: of an execution that was recorded twice the first record counts; columns are in the order in which counters appear,
# values in that of their own record.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time
sample = lambda name, at: Event("PMCSample", name=name, block="SQ", xcc=1, inst=1, se=1, sa=1, wgp=1, off=at, size=8, regsample="r")
record = lambda tag, number, counters: Event("ProfilePMCEvent", device="A", kern=tag, exec_tag=number,
    blob=struct.pack(f"<{len(counters)}Q", *counters.values()), sched=[sample(name, 8 * i) for i, name in enumerate(counters)])
program = lambda name, tag: Event("ProfileProgramEvent", device="A", name=name, lib=b"", base=4096, tag=tag)
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={}), program("k", 7), program("m", 9)]
events += [record(*one) for one in ((7, 1, {"ONE": 10}), (7, 1, {"ONE": 11}), (9, 1, {"TWO": 20, "ONE": 21}), (7, 2, {"ONE": 12}),
                                    (9, 1, {"TWO": 22, "THREE": 23}))]
with open("counted.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run analyze tinygrad counted.pkl --report counted -q
expect "analyze tinygrad of counters" 0 "out~counted/all_pmc\.json$" err=
claim "each execution is listed once" [ "$(cat counted/all_pmc.json)" = \
    '{"cols": ["Kernel", "Duration", "ONE", "TWO"], "rows": [["k", null, 10], ["m", null, 20, 21], ["k", null, 12]]}' ]
rm -r counted counted.pkl

# Devices without a name, as damaged profiles have them: their rows come before those of others.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time, kernel
events = [Event("ProfileDeviceEvent", device=device, tdiff=Time(0), props={}) for device in (None, "A")]
events += [kernel(device, "k", 5_000_000 + i * 1000, 500) for i, device in enumerate((None, "A", None))]
with open("nameless.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run analyze tinygrad nameless.pkl -q --report nameless
expect "analyze tinygrad of devices without a name" 0 "out~nameless/kernels\.csv$" err=
claim "their kernels are counted" [ "$(cut -d, -f1-3 nameless/kernels.csv | tr '\n' ' ')" = "device,kernel,runs ,k,2 A,k,1 " ]
rm -r nameless nameless.pkl

# The order of tracks. In the first generation by the first word, then by the length of the name; later by the device with its number, as text, with
# memory at the end. The host comes first, disks last.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, point
names = ["DISK:a", "CPU", "AMD:10", "AMD:2:SDMA:1", "TINY", "AMD:SDMA:0", "AMD:2", "USER", "AMD Graph", "AMD", "GC", "N:167772160",
         "N:20000000", "N:9/", "N:9:", "N:10", "DIS", "DISK"]
for generation, more in (("first", {"is_copy": False}), ("later", {})):
    events = [Event("ProfileRangeEvent", device=name, name="k", st=Time(1000 * i), en=Time(1000 * i + 500), **more)
              for i, name in enumerate(names)]
    events += [point(name, "alloc", 1, {"dtype": FLOAT, "sz": 1}, 20000) for name in ("DISK:a", "AMD:2", "AMD")]
    with open(generation + ".pkl", "wb") as out:
        out.write(Pickle().profile(events))
END
for generation in first later; do
    run analyze tinygrad $generation.pkl -q --report $generation
done
claim "tracks are in the order of tinygrad's viewer" python3 - <<'END'
import json
order = lambda generation: [track["name"] for track in json.load(open(generation + "/profile.json"))["layout"]]
disk, host = ["DISK", "DISK:a", "DISK:a Memory"], ["GC", "USER", "TINY"]
first = order("first")
assert first == host + ["AMD", "AMD Graph", "AMD Memory", "AMD:10", "AMD:2", "AMD:2 Memory", "AMD:2:SDMA:1", "AMD:SDMA:0", "CPU", "DIS", "N:10", "N:167772160",
                        "N:20000000", "N:9/", "N:9:"] + disk, first
later = order("later")
assert later == host + ["AMD", "AMD Graph", "AMD:SDMA:0", "AMD:10", "AMD:2", "AMD:2:SDMA:1", "CPU", "DIS", "N:9/", "N:10", "N:167772160",
                        "N:20000000", "N:9:", "DISK", "DISK:a", "AMD Memory", "AMD:2 Memory",
                        "DISK:a Memory"], later
END
rm -r {first,later}{,.pkl}

# Call stacks share the frames that have the same callers. Of a deep one the innermost 512 frames are stored and 64 shown.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time
frame = lambda line=10, function="f", code="x()": ["a.py", line, function, code]
caller = lambda line: ["b.py", line, "g", "y()"]
calls = [("text", [frame(), caller(20)], {}), (None, [frame(), caller(21)], {}), (4096, [frame(), caller(20)], {}),
         ("", [frame(None, None)], {"profile_key": b"\x01\xab"}), (True, [], {}), (None, [frame("12")[:3]], {}),
         (None, [["c.py", i, "h", ""] for i in range(600)], {})]
events = [Event("ProfileRangeEvent", device="A", st=Time(1000 * i), en=Time(1000 * i + 500), **more,
                name=Event("TracingKey", display_name=f"c{i}", keys=[], ret=ret, tb=stack)) for i, (ret, stack, more) in enumerate(calls)]
events.append(Event("ProfileRangeEvent", device="A", name="c7", st=Time(9000), en=Time(9500), profile_key=b"\xff"))
with open("called.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run query called.pkl "SELECT * FROM tinygrad_call WHERE id < 7" --format csv
expect "frames of calls" 0 err= 'out="id","file","line","function","code","caller"
0,"b.py",20,"g","y()",
1,"a.py",10,"f","x()",0
2,"b.py",21,"g","y()",
3,"a.py",10,"f","x()",2
4,"a.py",,,"x()",
5,"a.py",,"f",,
6,"c.py",511,"h","",'
run query called.pkl "SELECT *, (SELECT count(*) FROM tinygrad_call) AS frames FROM tinygrad_note" --format csv
expect "what calls say" 0 err= 'out="id","event","bytes","returned","stack","profile_key","frames"
0,0,,"text",1,,518
1,1,,,3,,518
2,2,4096,,1,,518
3,3,,"",4,"01ab",518
4,4,,,,,518
5,5,,,5,,518
6,6,,,517,,518
7,7,,,,"ff",518'
run query called.pkl "SELECT s.name, a.key, a.display_value AS value FROM slice s JOIN args a USING (arg_set_id)
    WHERE a.key <> 'debug.dur_us' AND (s.name <> 'c6' OR a.key IN ('debug.stack[0]', 'debug.stack[63]', 'debug.stack[64]')) ORDER BY a.id" --format csv
expect "arguments of calls" 0 err= 'out="name","key","value"
"c0","debug.metadata","text"
"c0","debug.stack[0]","a.py:10 f"
"c0","debug.stack[1]","b.py:20 g"
"c1","debug.stack[0]","a.py:10 f"
"c1","debug.stack[1]","b.py:21 g"
"c2","debug.B","4096"
"c2","debug.B/s","8192000000"
"c2","debug.stack[0]","a.py:10 f"
"c2","debug.stack[1]","b.py:20 g"
"c3","debug.metadata",""
"c3","debug.profile_key","01ab"
"c3","debug.stack[0]","a.py:0 "
"c5","debug.stack[0]","a.py:0 f"
"c6","debug.stack[0]","c.py:0 h"
"c6","debug.stack[63]","c.py:63 h"
"c7","debug.profile_key","ff"'
rm called.pkl

# Bytes that buffers hold: by the type's name, else by its size, in bits and, in the first generation, in bytes. Sizes that are no
# sizes are 0; at most 10^12 items count; what is released twice, or was never there, is nothing. Samples of a line are not negative.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Call, Event, Pickle, Time, point
types = ("bool", "signed char", "unsigned char", "short", "unsigned short", "half", "__bf16", "int", "unsigned int", "float", "long",
         "unsigned long", "double", "float8_e4m3", "float8_e5m2")
kind = lambda name, size: Call("tinygrad.dtype.DType", 13, size, name, "c", 1, None)
held = lambda device, key, name, size, items, us: point(device, "alloc", key, {"dtype": kind(name, size), "sz": items}, 1000 * us)
gone = lambda key, us: point("X", "free", key, {}, 1000 * us)
until = lambda **more: Event("ProfileRangeEvent", device="X", name="k", st=Time(0), en=Time(30000), **more)
events = [until(), held("X", 1, "odd", 12, 10, 1), held("X", 2, "negative", -8, 10, 2), held("X", 3, "wide", (1 << 20) + 1, 10, 3),
          held("X", 4, "widest", 1 << 20, 1, 4), held("X", 5, "text", "8", 10, 5), held("X", 6, "float", 0, -3, 6),
          held("X", 7, "signed char", 99, 10 ** 13, 7), held("X", None, "float", 32, 4, 8), gone(1, 9), gone(1, 10), gone(99, 11),
          held("X", 1, "float", 32, 2, 12), gone(4, 13), gone(7, 14), held("B", 2, "int", 32, 2, 20), held("B", 1, "int", 32, 1, 15)]
events += [point("LINE:load", "x", value, {}, 1000 * us) for us, value in ((1, 5), (2, -2), (3, 6))]
for name, listed in (("held", events), ("types", [until()] + [held("T", i, name, 0, 1, i) for i, name in enumerate(types)]),
                     ("first", [until(is_copy=False), held("X", 1, "odd", 12, 1, 1)])):
    with open(name + ".pkl", "wb") as out:
        out.write(Pickle().profile(listed))
END
run query held.pkl "SELECT t.name, c.ts / 1000 AS us, CAST(c.value AS INT) AS value FROM counter c JOIN track t ON t.id = c.track_id
    ORDER BY t.id, c.ts" --format csv
expect "bytes of buffers, and lines" 0 err= 'out="name","us","value"
"X memory (bytes)",1,20
"X memory (bytes)",2,20
"X memory (bytes)",3,20
"X memory (bytes)",4,131092
"X memory (bytes)",5,131092
"X memory (bytes)",6,131092
"X memory (bytes)",7,1000000131092
"X memory (bytes)",8,1000000131092
"X memory (bytes)",9,1000000131072
"X memory (bytes)",10,1000000131072
"X memory (bytes)",11,1000000131072
"X memory (bytes)",12,1000000131080
"X memory (bytes)",13,1000000000008
"X memory (bytes)",14,8
"X memory (bytes)",30,0
"B memory (bytes)",15,4
"B memory (bytes)",20,12
"B memory (bytes)",30,0
"load",1,5
"load",2,0
"load",3,6'
run query held.pkl "SELECT name, unit, extract_arg(source_arg_set_id, 'y_axis_share_key') AS scale,
    extract_arg(source_arg_set_id, 'description') <> '' AS described FROM counter_track ORDER BY id" --format csv
expect "counters of memory and lines" 0 err= 'out="name","unit","scale","described"
"X memory (bytes)","bytes","tinygrad memory",1
"B memory (bytes)","bytes","tinygrad memory",1
"load",,,1'
run query types.pkl "SELECT group_concat(item_bytes) AS bytes FROM tinygrad_memory" --format csv
expect "bytes of types by name" 0 err= 'out="bytes"
"1,1,1,2,2,2,2,4,4,4,8,8,8,1,1"'
run query first.pkl "SELECT action, buffer, dtype, item_bytes, items FROM tinygrad_memory" --format csv
expect "bytes of a type in the first generation" 0 err= 'out="action","buffer","dtype","item_bytes","items"
"alloc",1,"odd",12,1'
rm {held,types,first}.pkl
