# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# Devices of profiles of tinygrad: their targets, names in colours, counters and samples beyond the usual, and several profiles at once.
# Sourced by run.sh.

# A target has six digits; its last two parts are hexadecimal. The last event that describes a device counts.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import Event, Pickle, Time, kernel
describe = lambda device, **properties: Event("ProfileDeviceEvent", device=device, tdiff=Time(0), props=properties)
versions = (110501, 90010, 90402, 0, 999999, 1000000, -1)
events = [describe(f"A:{i}", gfx_target_version=version) for i, version in enumerate(versions)]
events += [describe("B"), describe("C", gfx_target_version=110000), describe("C", gfx_target_version=120001)]
events += [Event("ProfileProgramEvent", device=device, name=f"p {device}", lib=None, base=i, tag=i)
           for i, device in enumerate([f"A:{i}" for i in range(len(versions))] + ["B", "C", "D"])]
names = ("\x1b[34mblue\x1b[0m", "\x1b[1~i\x1b[2@n", "a\x1b", "a\x1b]b", "a\x1b[12", "a\x1b[", "\x1b[\x7fmz", "\x1b[34mblue\x1b[0m", "plain")
events += [kernel("E", name, 1000 * i, 500) for i, name in enumerate(names)]
with open("targets.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
run query targets.pkl "SELECT name, target, bytes FROM tinygrad_program" --format csv
expect "targets of programs" 0 err= 'out="name","target","bytes"
"p A:0","gfx1151",
"p A:1","gfx90a",
"p A:2","gfx942",
"p A:3","gfx000",
"p A:4","gfx996363",
"p A:5",,
"p A:6",,
"p B",,
"p C","gfx1201",
"p D",,'
# An escape that does not begin with a bracket is none.
run query targets.pkl "SELECT length(name) AS length, substr(name, 1, 1) AS first, extract_arg(arg_set_id, 'debug.name') IS NOT NULL AS coloured
    FROM slice ORDER BY id" --format csv
expect "names without colours" 0 err= 'out="length","first","coloured"
4,"b",1
2,"i",1
2,"a",1
4,"a",1
1,"a",1
1,"a",1
1,"z",1
4,"b",1
5,"p",0'
rm targets.pkl

# Counters do not share values: the first that names them has them. Samples of two streams of an execution are summed; of units of all
# numbers; a kernel that ends before it starts has no length. Kernels of two programs of a device take turns.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time, kernel
counter = lambda name, at, size, wgp: Event("PMCSample", name=name, block="SQ", xcc=1, inst=1, se=1, sa=1, wgp=wgp, off=at, size=size,
                                            regsample="r")
sample = lambda pc, key: pc >> 4 | key << 45

def samples(tag, run, unit, *values):
    body = struct.pack(f"<{len(values)}Q", *values)
    size = len(body) | (unit & 255) << 8 | (unit >> 8) << 25
    return Event("ProfilePMAEvent", device="NV", kern=tag, exec_tag=run, blob=(body[:4] + struct.pack("<I", size) + body[4:]).ljust(32, b"\0"))

events = [Event("ProfileDeviceEvent", device="NV", tdiff=Time(0), props={"sm_version": 0x890})]
events += [Event("ProfileProgramEvent", device="NV", name=name, lib=b"", base=4096, tag=tag) for name, tag in (("k", 7), ("m", 8))]
events += [kernel("NV", "k", 1_000_000, 1000), kernel("NV", "m", 2_000_000, -500), kernel("NV", "k", 3_000_000, 1000)]
events += [samples(7, 1, 0x7FF, sample(0x10, 1), sample(0x20, 3), sample(0x10, 1)), samples(7, 1, 0, sample(0x10, 1)),
           samples(8, 1, 0, sample(0x10, 18), sample(0x10, 18)), samples(7, 2, 0x20, sample(0x30, 3))]
events += [Event("ProfilePMCEvent", device="NV", kern=8, exec_tag=1, blob=struct.pack("<3Q", 10, 5, 7),
                 sched=[counter("ONE", 0, 16, 2), counter("SAME", 0, 16, 2), counter("LAST", 16, 8, 1), counter("NONE", 0, 8, 1)])]
with open("sampled.pkl", "wb") as out:
    out.write(Pickle().profile([events.pop(6)] + events))
END
run query sampled.pkl 'SELECT name, sum, "values" FROM tinygrad_pmc' --format csv
expect "values that counters share" 0 err= 'out="name","sum","values"
"ONE",15,2
"SAME",0,0
"LAST",7,1
"NONE",0,0'
drawn="SELECT coalesce(p.name, '') AS place, extract_arg(p.source_arg_set_id, 'sibling_order_rank') AS rank, t.name, c.ts / 1000 AS us, c.value FROM counter c
    JOIN track t ON t.id = c.track_id JOIN track p ON p.id = t.parent_id ORDER BY c.ts, rank, t.name, c.value DESC"
run query sampled.pkl "$drawn" --format csv
expect "samples of executions and units" 0 err= 'out="place","rank","name","us","value"
"all SMs",1,"MEMORY_THROTTLE",1000,3.0
"all SMs",1,"SYNC",1000,1.0
"GPC 0 TPC 0 SM 0",2,"MEMORY_THROTTLE",1000,1.0
"GPC 63 TPC 15 SM 1",2049,"MEMORY_THROTTLE",1000,2.0
"GPC 63 TPC 15 SM 1",2049,"SYNC",1000,1.0
"all SMs",1,"MEMORY_THROTTLE",1001,0.0
"all SMs",1,"SYNC",1001,0.0
"GPC 0 TPC 0 SM 0",2,"MEMORY_THROTTLE",1001,0.0
"GPC 63 TPC 15 SM 1",2049,"MEMORY_THROTTLE",1001,0.0
"GPC 63 TPC 15 SM 1",2049,"SYNC",1001,0.0
"all SMs",1,"NONE",2000,2.0
"all SMs",1,"NONE",2000,0.0
"GPC 0 TPC 0 SM 0",2,"NONE",2000,2.0
"GPC 0 TPC 0 SM 0",2,"NONE",2000,0.0
"all SMs",1,"SYNC",3000,1.0
"GPC 1 TPC 0 SM 0",34,"SYNC",3000,1.0
"all SMs",1,"SYNC",3001,0.0
"GPC 1 TPC 0 SM 0",34,"SYNC",3001,0.0'
# Where samples are not listed, units are not known: of the first stream, which has three.
run query sampled.pkl --stream-rows 2 "SELECT place, name, value FROM ($drawn) WHERE us = 1000" --format csv
expect "samples that are not listed" 0 err= 'out="place","name","value"
"all SMs","MEMORY_THROTTLE",3.0
"all SMs","SYNC",1.0'
run query sampled.pkl "SELECT t.name, p.name AS process FROM process_track t JOIN process p USING (upid) WHERE t.parent_id IS NULL ORDER BY t.id" --format csv
expect "the process of samples" 0 err= 'out="name","process"
"PMA stalls","NV"'
run convert sampled.pkl sampled.pkl -o twice.pftrace -q
run query twice.pftrace "SELECT count(*) AS n, sum(value) AS sum FROM ($drawn)" --format csv
expect "the same samples twice" 0 err= 'out="n","sum"
36,28.0'

# Three profiles at once draw what each of them draws, whatever they begin with: a sample of a line, a buffer, a marker.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, execution, kernel, point
def profile(at, begin):
    us = lambda n: 1000 * (at + n)
    entries = [Event("ProfileGraphEntry", device="A", name=f"g{i}", st_id=2 * i, en_id=2 * i + 1) for i in range(2)]
    events = [kernel("A", "k", us(1), 500), execution("A", "k", 3, [0], us(0)), kernel("A", "k", us(5), 500), execution("A", "k", 4, [0], us(4)),
              Event("ProfileGraphEvent", ents=entries, deps=[[], [0]], sigs=[Time(us(n)) for n in (10, 11, 12, 13)])]
    points = [[point("LINE:load", "x", n, {}, us(n)) for n in (1, 2, 3)],
              [point("A", "alloc", n, {"dtype": FLOAT, "sz": n}, us(n)) for n in (1, 2)],
              [point("TINY", "marker", None, {"name": f"m @ {n}", "color": "red"}, us(n)) for n in (2, 3)]]
    return points.pop(begin) + events + sum(points, [])
for begin in range(3):
    with open(f"profile{begin}.pkl", "wb") as out:
        out.write(Pickle().profile(profile(100 + 900 * begin, begin)))
END
run convert profile{0,1,2}.pkl -o all.pftrace -q
expect "convert three profiles of tinygrad" 0
found="SELECT (SELECT count(*) FROM slice) AS slices, (SELECT sum(ts) FROM slice) AS starts, (SELECT count(*) FROM counter) AS samples,
    (SELECT sum(ts) FROM counter) AS times, (SELECT sum(value) FROM counter) AS sum, (SELECT count(*) FROM flow) AS flows,
    (SELECT group_concat(extract_arg(arg_set_id, 'debug.run')) FROM slice) AS runs"
# Kernels, entries, a launch, two markers and two buffers are 9 slices; three samples, and 4, 12 and 0 bytes, are 6.
run query profile0.pkl "$found" --format csv
expect "a profile alone" 0 err= 'out="slices","starts","samples","times","sum","flows","runs"
9,946000,6,622000,22.0,1,"3,4"'
run query all.pftrace "$found" --format csv
expect "three profiles at once" 0 err= 'out="slices","starts","samples","times","sum","flows","runs"
27,27138000,18,18066000,66.0,3,"3,4,3,4,3,4"'
rm sampled.pkl twice.pftrace profile{0,1,2}.pkl all.pftrace
