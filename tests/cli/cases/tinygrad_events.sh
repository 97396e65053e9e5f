# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# What becomes of the events of a profile of tinygrad that are not as they should be: graphs, executions, index, places. Sourced by run.sh.

# Times in us, some before time zero, which become rows but no slices; the clock of A is 100 us behind. Of the first graph's entries
# the second to fourth and the last name times that are not there. The fifth waits for all that is not there, for itself, and twice for
# the first; what the others wait for is there, but they are not.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time
us = lambda at: Time(1000 * at)
entry = lambda name, start, end, device="A:1:SDMA:0": Event("ProfileGraphEntry", device=device, name=name, st_id=start, en_id=end)
graph = lambda entries, after, times: Event("ProfileGraphEvent", ents=entries, deps=after, sigs=times)
between = lambda start, end: Event("ProfileRangeEvent", device="A:1:SDMA:0", name="r", st=start, en=end)
events = [Event("ProfileDeviceEvent", device="A:1:SDMA:0", tdiff=us(100), props={}),
          graph([entry("one", 0, 1), entry("x", -1, 1), entry("x", 0, -1), entry("x", 0, 4), entry("two", 2, 3, "B:7"), entry("x", 4, 1)],
                [[], [0], [0], [0], [0, 1, -1, 6, "0", None, 4, 0], [0], [0]], [us(10), us(20), us(130), us(140)]),
          graph([entry("a", 0, 1, "B"), entry("b", 2, 3, "B")], [], [us(0), us(10), us(5), us(8)]),
          graph([entry("a", 0, 1, "B"), entry("b", 2, 3, "B")], [[1]], [us(-10), us(0), us(-8), us(-5)]),
          graph([entry("x", 0, 1)], [[0]], [us(1)]), graph([], [[0]], []), Event("ProfileGraphEvent"),
          between(us(1), None), between(us(1), us(3)), between("1", us(3)), between(None, us(3)), Event("ProfileOtherEvent")]
with open("graphs.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run query -q graphs.pkl 'SELECT id, kind, device, name, ts / 1000 AS ts, "end" / 1000 AS "end", dur, graph FROM tinygrad_event' --format csv
expect "entries, launches and ranges" 0 err= 'out="id","kind","device","name","ts","end","dur","graph"
0,"device","A:1:SDMA:0",,,,,
1,"graph",,,,,,
2,"entry","A:1:SDMA:0","one",110,120,10.0,1
3,"entry","B:7","two",130,140,10.0,1
4,"batch","A Graph","batched 6",110,140,30.0,1
5,"graph",,,,,,
6,"entry","B","a",0,10,10.0,5
7,"entry","B","b",5,8,3.0,5
8,"batch","B Graph","batched 2",0,10,10.0,5
9,"graph",,,,,,
10,"entry","B","a",-10,0,10.0,9
11,"entry","B","b",-8,-5,3.0,9
12,"batch","B Graph","batched 2",-10,0,10.0,9
13,"graph",,,,,,
14,"graph",,,,,,
15,"graph",,,,,,
16,"range","A:1:SDMA:0","r",101,,0.0,
17,"range","A:1:SDMA:0","r",101,103,2.0,'
run query -q graphs.pkl 'SELECT "before", "after" FROM tinygrad_dependency' --format csv
expect "what waits for what" 0 err= 'out="before","after"
2,3
3,3
2,3
11,10'
run query -q graphs.pkl 'SELECT o.name AS "from", i.name AS "to" FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in' --format csv
expect "no arrow leads to where it begins" 0 err= 'out="from","to"
"one","two"
"one","two"'
# Four entries of the first graph and one of the fourth, two ranges, and an event of an unknown class.
run query -q graphs.pkl "SELECT items, skipped FROM tinygrad_profile" --format csv
expect "items that are skipped" 0 err= 'out="items","skipped"
12,8'
rm graphs.pkl

# Executions: buffers that are read, written, both, or neither; what is not a number is passed over, and counts as a position.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time, point
def deep(levels):
    value = []
    for _ in range(levels - 1):
        value = [value]
    return value
operation = lambda **fields: Event("Metadata", **fields)
submit = lambda key, **arg: point("A", "exec", key, arg, 1000)
events = [Event("ProfileDeviceEvent", device="A", tdiff=Time(0), props={}),
          submit(7, name="k", bufs=[5, "5", 6, 7, None, 8], inputs=[0, 2, "3"], outputs=[2, 3],
                 metadata=[operation(name="a", backward=True), operation(name="b", backward=False), operation(), operation(name="c")]),
          submit(None, name="m", bufs=[9], inputs=[1], outputs=[0], metadata=[]), submit("x"),
          point("TINY", "JSON", "shown", {"a": [1, "x", None]}, 2000), point("TINY", "JSON", "deep", deep(128), 2000),
          point("TINY", "JSON", "deeper", deep(129), 2000), point("TINY", "JSON", 5, 5, 2000), point("TINY", "JSON", "last", 5, 3000),
          point("TINY", "other", "x", {}, 4000), point("TINY", "marker", None, {"name": "m"}, 5000),
          Event("ProfilePointEvent", device="TINY", name="marker", key=None, arg={"name": "lost"}, ts=None)]
with open("points.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run query points.pkl "SELECT * FROM tinygrad_run" --format csv
expect "executions" 0 err= 'out="id","event","run","kernel","metadata"
0,1,7,"k","a bw,b,,c"
1,2,,"m",
2,3,,,'
run query points.pkl "SELECT * FROM tinygrad_run_buffer" --format csv
expect "buffers of executions" 0 err= 'out="id","run","buffer","position","mode"
0,0,5,0,0
1,0,6,2,2
2,0,7,3,1
3,0,8,5,0
4,1,9,0,1'
run query points.pkl "SELECT id, event, key, length(json) AS length, substr(json, 1, 20) AS json FROM tinygrad_json" --format csv
expect "members of the index" 0 err= 'out="id","event","key","length","json"
0,4,"shown",21,"{""a"": [1, ""x"", null]"
1,5,"deep",256,"[[[[[[[[[[[[[[[[[[[["
2,8,"last",1,"5"'
run query points.pkl "SELECT * FROM tinygrad_marker" --format csv
expect "markers without a colour or a time" 0 err= 'out="id","event","name","colour"
0,10,"m",'
rm points.pkl

# Where devices are shown: a number belongs to the process, all that follows to the thread.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, kernel
names = ["A", "A:0", "A:9", "A:19:SDMA:0", "A:1x", "A:x1:2", "A:/", "A Graph", "A:3 Graph", "A Grapes", "A:COPY", "A:5:COPY", "A:COPX",
         "A:COPY:1", "USER", "TINY", "GC", "USERS", "", None, "A:" + "y" * 126, "A:" + "z" * 127]
with open("places.pkl", "wb") as out:
    out.write(Pickle().profile([kernel(name, f"k{i}", 1000 * i, 500) for i, name in enumerate(names)]))
copy = lambda device, moves: Event("ProfileRangeEvent", device=device, name=f"copy {moves}", st=kernel("", "", 0, 1).fields["st"],
                                   en=kernel("", "", 0, 1).fields["en"], is_copy=moves)
with open("copies.pkl", "wb") as out:
    out.write(Pickle().profile([copy(device, moves) for device in ("A", "A:1", "A:SDMA:0") for moves in (False, True)]))
END
place="SELECT s.name, p.name AS process, h.name AS thread FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread h USING (utid)
    JOIN process p USING (upid) ORDER BY s.id"
run query places.pkl "$place" --format csv
y=$(printf 'y%.0s' {1..126}) z=$(printf 'z%.0s' {1..126})
expect "processes and threads of devices" 0 err= 'out="name","process","thread"
"k0","A","compute"
"k1","A:0","compute"
"k2","A:9","compute"
"k3","A:19","SDMA 0"
"k4","A","1x"
"k5","A","x1 2"
"k6","A","/"
"k7","A","graph"
"k8","A:3","graph"
"k9","A","Grapes"
"k10","A","copy"
"k11","A:5","copy"
"k12","A","COPX"
"k13","A","COPY 1"
"k14","host","USER"
"k15","host","TINY"
"k16","host","GC"
"k17","USERS","compute"
"k18","host","unnamed"
"k19","host","unnamed"
"k20","A","'$y'"
"k21","A","'$z'"'
run query copies.pkl "$place" --format csv
expect "copies of the first generation" 0 err= 'out="name","process","thread"
"copy False","A","compute"
"copy True","A","copy"
"copy False","A:1","compute"
"copy True","A:1","copy"
"copy False","A","SDMA 0"
"copy True","A","SDMA 0"'
rm {places,copies}.pkl
