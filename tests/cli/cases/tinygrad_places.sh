# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# Where devices of tinygrad are shown, what their programs are made for, and which dependencies are arrows. By hand. Sourced by run.sh.

PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time, kernel

devices = ("AMD", "AMD:0", "AMD:9", "AMD:10", "AMD:1x", "AMD:/1", "AMD:SDMA:0", "AMD:9:SDMA:0", "AMD Graph", "AMD:9 Graph", "AMD:COPY",
           "AMD:9:COPY", "AMD Graphs", "AMD:COPIES", "AMD:9:A:B C", "USER", "TINY", "GC", "USERS", "CPU:2:" + "x" * 140)
with open("places.pkl", "wb") as out:
    out.write(Pickle().profile([kernel(name, f"k{i}", 1000 * i, 10) for i, name in enumerate(devices)]))

# Colours: ESC [, parameters, and a letter from @ to ~. What is cut off goes, too; any other ESC stays.
names = ("\x1b[34mblue\x1b[0m", "a\x1b[@b", "a\x1b[1;2~b", "a\x1b[?{b", "a\x1b[\x3f\x7f@b", "a\x1b[31", "a\x1b[",
         "a\x1b", "a\x1bmb", "\x1b[0m", "\x1b[34mblue\x1b[0m")
with open("names.pkl", "wb") as out:
    out.write(Pickle().profile([kernel("AMD", name, 1000 * i, 10) for i, name in enumerate(names)]))

# Entry 1 waits for entry 0 and, which cannot be, for itself; entry 2 for both before it.
entries = [Event("ProfileGraphEntry", device="AMD", name=f"g{i}", st_id=2 * i, en_id=2 * i + 1) for i in range(3)]
graph = Event("ProfileGraphEvent", ents=entries, deps=[[], [0, 1], [1, 0]], sigs=[Time(1000 * i) for i in range(6)])
with open("waits.pkl", "wb") as out:
    out.write(Pickle().profile([graph]))

versions = (0, 90010, 90402, 110501, 120000, 999999, 1000000, -1)
events = []
for i, version in enumerate(versions):
    events += [Event("ProfileDeviceEvent", device=f"AMD:{i}", tdiff=Time(0), props={"gfx_target_version": version}),
               Event("ProfileProgramEvent", device=f"AMD:{i}", name="k", lib=b"", base=0, tag=i), kernel(f"AMD:{i}", "k", 1000 * i, 10)]
with open("targets.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run query places.pkl "SELECT s.name, p.name AS process, t.name AS thread FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid)
    JOIN process p USING (upid) ORDER BY s.ts" --format csv
long=$(printf 'x%.0s' {1..126})
expect "tinygrad: places of devices" 0 err= 'out="name","process","thread"
"k0","AMD","compute"
"k1","AMD:0","compute"
"k2","AMD:9","compute"
"k3","AMD:10","compute"
"k4","AMD","1x"
"k5","AMD","/1"
"k6","AMD","SDMA 0"
"k7","AMD:9","SDMA 0"
"k8","AMD","graph"
"k9","AMD:9","graph"
"k10","AMD","copy"
"k11","AMD:9","copy"
"k12","AMD","Graphs"
"k13","AMD","COPIES"
"k14","AMD:9","A B C"
"k15","host","USER"
"k16","host","TINY"
"k17","host","GC"
"k18","USERS","compute"
"k19","CPU:2","'"$long"'"'
run query targets.pkl "SELECT tag, target FROM tinygrad_program ORDER BY id" --format csv
expect "tinygrad: targets of programs" 0 err= 'out="tag","target"
0,"gfx000"
1,"gfx90a"
2,"gfx942"
3,"gfx1151"
4,"gfx1200"
5,"gfx996363"
6,
7,'
run query waits.pkl "SELECT a.name AS a, b.name AS b FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in ORDER BY 1, 2" \
    --format csv
expect "tinygrad: dependencies of a graph" 0 err= 'out="a","b"
"g0","g1"
"g0","g2"
"g1","g2"'
run query names.pkl "SELECT replace(name, char(27), 'ESC') AS name FROM slice ORDER BY ts" --format csv
expect "tinygrad: names without colours" 0 err= 'out="name"
"blue"
"ab"
"ab"
"ab"
"ab"
"a"
"a"
"aESC"
"aESCmb"
""
"blue"'
