# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# What analyze tinygrad writes of what devices recorded, and the annotations of its timeline, by hand. Sourced by run.sh.

# Counters. Kernels are known by tag or by name, and both may be in one profile; of an execution that was recorded twice the first
# record counts. A unit is 100 * mean / (4 * active cycles) % busy: mean 250 of 4 * 2500 are 2.5 %, 2^63 of 4 * 2^63 are 25 %; without
# active cycles, values or either counter nothing is said, and nothing in the first generation. The generation decides the layout of
# values. Columns stand where they are first met.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time
counter = lambda name, at, count, se, wgp: Event("PMCSample", name=name, block=name[:2], xcc=1, inst=1, se=se, sa=1, wgp=wgp, off=at,
                                                 size=8 * count, regsample="r" + name)
def record(kern, number, *counters):
    sched, values = [], []
    for name, numbers, se, wgp in counters:
        sched.append(counter(name, 8 * len(values), len(numbers) or 8, se, wgp))
        values += numbers
    return Event("ProfilePMCEvent", device="A", kern=kern, exec_tag=number, blob=struct.pack(f"<{len(values)}Q", *values), sched=sched)
one = lambda name, *numbers: (name, numbers, 1, len(numbers) or 1)
events = [Event("ProfileProgramEvent", device="A", name="k", lib=b"", base=4096, tag=7),
          Event("ProfileProgramEvent", device="A", name="by name", lib=b"", base=4096)]
events += [record(7, 1, ("SQ_INSTS_VALU", (100, 200, 300, 400), 2, 2), one("GRBM_GUI_ACTIVE", 7, 2500, 50), one("SQ_INSTS_SALU", 10, 10)),
           record("n", 1, one("SQ_INSTS_SALU", 4), one("GRBM_GUI_ACTIVE", 0)), record(8, 1, one("OTHER", 1), one("GRBM_GUI_ACTIVE", 3)),
           record("n", 2, one("SQ_INSTS_VALU", 1)), record(8, 1, one("OTHER", 99)), record("n", 1, one("OTHER", 98)),
           record("m", 1, one("GRBM_GUI_ACTIVE", 1), one("SQ_INSTS_VALU")), record(7, 1, one("OTHER", 97)), record("n", 2, one("OTHER", 96)),
           record("by name", 1, one("SQ_INSTS_VALU", 1 << 63, 1 << 63), one("GRBM_GUI_ACTIVE", 1 << 63), one("SQ_INSTS_SALU", 0))]
for name, more in (("later", {}), ("first", {"is_copy": False})):
    runs = [Event("ProfileRangeEvent", device="AMD", name="k", st=Time(1_000_000), en=Time(1_012_500), **more)]
    with open(name + ".pkl", "wb") as out:
        out.write(Pickle().profile(runs + events))
END
for generation in first later; do
    run analyze tinygrad $generation.pkl -q --report $generation
    expect "counters of the generation: $generation" 0 "out~$generation/pmc.json"
done
cat >reports.py <<'END'
import json, sys
def table(name, values, se, wgp, first):
    """Later a row for each shader array, with a column for each processor; at first a row for each value."""
    value = lambda i: values[i]
    places = [(i // wgp, i % wgp) for i in range(len(values))]
    if first:
        cols, rows = ["XCC", "INST", "SE", "SA", "WGP", "Value"], [[0, 0, place[0], 0, place[1], value(i)] for i, place in enumerate(places)]
    else:
        cols = ["XCC", "INST", "SE", "SA"] + [f"WGP:{i}" for i in range(wgp if values else 0)]
        rows = [[0, 0, i // wgp, 0] + values[i:i + wgp] for i in range(0, len(values), wgp)]
    return [name, sum(values), {"cols": cols, "rows": rows}]
def execution(first, kern, number, counters, *shown):
    at, flat, rows = 0, [], []
    for name, values, se, wgp in counters:
        flat.append({"name": name, "block": name[:2], "dims": [1, 1, se, 1, wgp], "off": at, "size": 8 * len(values) or 64, "reg": "r" + name,
                     "sum": sum(values), "values": values})
        rows.append(table(name, values, se, wgp, first))
        at += 8 * len(values)
    return {"kern": kern, "exec_tag": number, "device": "A", "table": {"rows": rows + [list(row) for row in shown], "cols": ["Name", "Sum"]},
            "flat": flat}
one = lambda name, *values: (name, list(values), 1, len(values) or 1)
shown = lambda generation, valu, salu: [("VALU utilization", valu), ("SALU utilization", salu)] if generation == "later" else []
for generation in ("first", "later"):
    add = lambda *given: execution(generation == "first", *given)
    expected = [add(7, 1, [("SQ_INSTS_VALU", [100, 200, 300, 400], 2, 2), one("GRBM_GUI_ACTIVE", 7, 2500, 50), one("SQ_INSTS_SALU", 10, 10)],
                    *shown(generation, "2.5%", "0.1%")),
                add("n", 1, [one("SQ_INSTS_SALU", 4), one("GRBM_GUI_ACTIVE", 0)]), add(8, 1, [one("OTHER", 1), one("GRBM_GUI_ACTIVE", 3)]),
                add("n", 2, [one("SQ_INSTS_VALU", 1)]), add(8, 1, [one("OTHER", 99)]), add("n", 1, [one("OTHER", 98)]),
                add("m", 1, [one("GRBM_GUI_ACTIVE", 1), one("SQ_INSTS_VALU")]), add(7, 1, [one("OTHER", 97)]), add("n", 2, [one("OTHER", 96)]),
                add("by name", 1, [one("SQ_INSTS_VALU", 1 << 63, 1 << 63), one("GRBM_GUI_ACTIVE", 1 << 63), one("SQ_INSTS_SALU", 0)],
                    *shown(generation, "25.0%", "0.0%"))]
    found = json.load(open(f"{generation}/pmc.json"))
    for i, (wanted, given) in enumerate(zip(expected, found)):
        assert wanted == given, (generation, i, wanted, given)
    assert len(expected) == len(found)
    names = ["SQ_INSTS_VALU", "GRBM_GUI_ACTIVE", "SQ_INSTS_SALU", *(name for name, _ in shown(generation, "", "")), "OTHER"]
    parts = lambda *of: [text for _, text in shown(generation, *of)]
    rows = [["k", 12.5, 1000, 2557, 20, *parts("2.5%", "0.1%")], ["n", None, 4, 0], ["8", None, 1, 3], ["n", None, 1], ["m", None, 1, 0],
            ["by name", None, 1 << 64, 1 << 63, 0, *parts("25.0%", "0.0%")]]
    wanted = {"cols": ["Kernel", "Duration"] + names, "rows": rows}
    given = json.load(open(f"{generation}/all_pmc.json"))
    assert wanted == given, given
END
claim "counters of executions, as the viewer shows them and as they are" python3 reports.py
rm -r reports.py {first,later}{,.pkl}

# What the timeline says of a slice: rates of a kernel with an estimate that was submitted before it, towards zero, as integers of any
# size; else what its note says. The first of two estimates that are meant counts.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import json
from make_fixtures_tinygrad import FLOAT, Event, Pickle, Time, execution, point
us = lambda n: 5_000_000_000 + 1000 * n
key = lambda name, ret, stack=None: Event("TracingKey", display_name=name, keys=[], ret=ret, tb=stack)
def profile(**more):
    between = lambda name, start, end: Event("ProfileRangeEvent", device="A", name=name, st=Time(us(start)), en=Time(us(end)), **more)
    unnumbered = execution("A", "z", 1, [], us(11))
    unnumbered.fields["key"] = -3
    events = [between("k", 0, 1), execution("A", "k", 0, [4, 4, 5], us(2)), between("k", 10, 11), unnumbered, between("z", 12, 10),
              execution("A", "m", 7, [], us(13)), between("m", 14, 16), between("other", 17, 18), execution("A", "k", 9, [5], us(19)),
              between("k", 20, 21), execution("A", "long", 11, [], us(21)), between("long", 22, 23)]
    events[-2].fields["arg"]["metadata"] = [Event("Metadata", name=f"{i:03}" + "x" * 247, caller="", backward=False) for i in range(40)]
    if not more:
        stack = [["a.py", 7, "f", "x()"], ["b.py", None, None, None]]
        notes = ["JSON{\"a\": [1, null]}", "JSON{\"a\": ", "JSON{", "JSON", "", 4096, 0, None]
        events += [between(key(f"c{i}", note), 30 + i, 31 + i) for i, note in enumerate(notes)]
        events += [between(key("c8", None, stack), 38, 39), between(key("c9", "text", stack), 39, 40), between(key("before", 64), 40, 42)]
    events += [point("A", "alloc", 4, {"dtype": FLOAT, "sz": 3}, us(1)), point("A", "alloc", 5, {"dtype": FLOAT, "sz": 1 << 33}, us(1)),
               point("A", "free", 4, {}, us(40)), point("LINE:load", "x", 5, {}, us(3)), point("LINE:load", "x", 1 << 40, {}, us(4)),
               point("TINY", "marker", None, {"name": "here", "color": "red"}, us(5)), point("TINY", "marker", None, {"name": "m"}, us(6)),
               point("TINY", "JSON", "shown", {"a": [1, "x", None]}, us(7))]
    return Pickle().profile(events)
for name, more in (("later", {}), ("first", {"is_copy": False})):
    with open(name + ".pkl", "wb") as out:
        out.write(profile(**more))
expect = lambda ops, mem, lds, **more: {"ops": ops, "mem": mem, "lds": lds, **more}
blue = lambda name: f"\x1b[34m{name}\x1b[0m"
first = {blue("k"): expect(99999999, 9999999.0, "1e9", function_name="k"), blue("z"): expect(100000000, 10000000, 999999999),
         blue("m"): expect(2.5e8, 0, 1), "m": expect(7, 7, 7), blue("long"): expect(1, 2, 3)}
later = {blue("k"): expect(10 ** 13, "9e12", 8.9999e12, function_name="k"), blue("z"): expect(2 * 10 ** 13, 18 * 10 ** 12, 10 ** 20),
         blue("m"): expect(2.5e8, 0, 1), "m": expect(7, 7, 7), blue("long"): expect(1, 2, 3), "before": expect(1, 1, 1)}
for name, estimates in (("first", first), ("later", later)):
    with open(name + ".json", "w") as out:
        json.dump(estimates, out)
END
for generation in first later; do
    run analyze tinygrad $generation.pkl --estimates $generation.json -q --report $generation
    expect "annotations of the generation: $generation" 0 "out~$generation/profile.bin"
done
cat >reports.py <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
from driver_tinygrad import decode_layout
tracks = lambda generation: {track["name"]: track for track in json.load(open(generation + "/profile.json"))["layout"]}
blue = lambda name: f"\x1b[34m{name}\x1b[0m"
operations = ",".join(f"{i:03}" + "x" * 247 for i in range(40))
lines = lambda *of: "\n".join(of)
rates = lambda us, ops, mem, lds, of: {"FLOPS": int(ops / (us * 1e-6)), "B/s mem": int(mem / (us * 1e-6)), "B/s lds": int(lds / (us * 1e-6)), "metadata": of + ","}
frames = {"tb": [["a.py", 7, "f", "x()"], ["b.py", None, None, None]]}
shown = [(blue("k"), None, "", {}), (blue("k"), 0, lines("100000 GFLOPS", "10000 GB/s mem", "1000 TB/s lds", "matmul"), rates(1, 1e13, 9e12, 8.9999e12, "matmul")),
         (blue("z"), None, lines("-50000 GFLOPS", "-5000 GB/s mem", "-500000 GB/s lds", "matmul bw"), rates(-2, 2e13, 18e12, 1e20, "matmul bw")),
         (blue("m"), 7, lines("125 TFLOPS", "0 GB/s mem", "0 GB/s lds", "matmul bw"), rates(2, 2.5e8, 0, 1, "matmul bw")), ("other", None, "", {}),
         (blue("k"), 9, lines("100000 GFLOPS", "10000 GB/s mem", "1000 TB/s lds", "matmul bw"), rates(1, 1e13, 9e12, 8.9999e12, "matmul bw")),
         (blue("long"), 11, lines("0 GFLOPS", "0 GB/s mem", "0 GB/s lds", operations)[:8192], rates(1, 1, 2, 3, operations))]
notes = [("c0", {"a": [1, None]}), ("c1", {"metadata": "JSON{\"a\": "}), ("c2", {"metadata": "JSON{"}), ("c3", {"metadata": "JSON"}),
         ("c4", {"metadata": ""}), ("c5", {"B/s": 4096000000, "B": 4096}), ("c6", {"B/s": 0, "B": 0}), ("c7", {}), ("c8", frames),
         ("c9", {"metadata": "text"}), ("before", {"B/s": 32000000, "B": 64})]
for generation in ("first", "later"):
    events = tracks(generation)["A"]["events"]
    wanted = [(name, number, text if generation == "first" else members) for name, number, text, members in shown]
    wanted += [(name, None, note) for name, note in notes] if generation == "later" else []
    for expected, found in zip(wanted, events):
        assert expected == (found["name"], found["key"], found["fmt"]), (generation, expected, found)
    assert len(wanted) == len(events), generation
    # The timeline as it is served says the same as the one with all names written out.
    document = json.load(open(generation + "/profile.json"))
    def slices(track):
        return [[e["name"], 0 if e["key"] is None else e["key"] + 1, e["st"], e["dur"], e["fmt"]] for e in track["events"]]
    def memory(track):
        yield [track["peak"]]
        yield track["linear"]
        for e in track["events"]:
            if "value" in e:
                yield (e["ts"], e["value"])
            elif e["event"] == "alloc":
                yield ["alloc", e["ts"], e["key"], e["dtype"], e["sz"]]
            else:
                yield ["free", e["ts"], e["key"], [[u["run"], u["name"], u["num"], u["mode"]] for u in e["users"]]]
    served = {"dur": document["dur"], "peak": document["peak"],
              "index": {"dtypeSize": document["dtypeSize"], "markers": document["markers"], **document["index_extra"]},
              "tracks": [[t["name"], t["type"], list(memory(t)) if t["type"] else slices(t)] for t in document["layout"]]}
    if generation == "later":
        found = decode_layout(open(generation + "/profile.bin", "rb").read(), True)
        assert found == served, (found, served)
    wide = (1 << 33) * 4
    assert document["dtypeSize"] == {"float": 4} and document["index_extra"] == {"shown": {"a": [1, "x", None]}}, document
    assert document["peak"] == max(12 + wide, 1 << 40), document["peak"]
    assert document["markers"] == [{"ts": 5, "name": "here", "color": "red"}, {"ts": 6, "name": "m", "color": ""}], document["markers"]
    user = lambda run, number, mode: {"run": run, "name": blue("k"), "num": number, "mode": mode}
    assert tracks(generation)["A Memory"]["events"] == [
        {"event": "alloc", "ts": 1, "key": 4, "dtype": "float", "sz": 3, "nbytes": 12},
        {"event": "alloc", "ts": 1, "key": 5, "dtype": "float", "sz": 1 << 33, "nbytes": wide},
        {"event": "free", "ts": 40, "key": 4, "users": [user(0, 0, 1), user(0, 0, 1)]},
        {"event": "free", "ts": document["dur"], "key": 5, "users": [user(0, 2, 0), user(9, 0, 1)]}], tracks(generation)["A Memory"]
    assert tracks(generation)["load"] == {"name": "load", "type": 1, "events": [{"ts": 3, "value": 5}, {"ts": 4, "value": 1 << 40}],
                                          "linear": 1, "peak": 1 << 40}, tracks(generation)["load"]
END
claim "annotations, and the timeline as it is served" python3 reports.py "$here/../conformance"
rm -r reports.py {first,later}{,.pkl,.json}

# A thread trace of a device that says nothing of itself, of a kernel whose program is not there; samples that are listed as far as
# --stream-rows goes. Samples of a kernel are shares of all that it has.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
import struct
from make_fixtures_tinygrad import Event, Pickle, Time, kernel
nibbles = lambda bits, count: [bits >> (4 * i) & 15 for i in range(count)]
# A header of layout 3, a wait of 5 cycles, a wave that starts, a wait of 20 cycles, its end a cycle later; 17 zeros,
# of which the last 15 may be a part of a packet.
stream = nibbles(0x11 | 3 << 7, 16) + nibbles(0x01 | 5 << 12, 12) + nibbles(0x0C | 3 << 13, 8) + nibbles(0x01 | 20 << 12, 12) + \
    nibbles(0x15 | 1 << 5 | 3 << 15, 5) + [0] * 17
blob = bytes(low | high << 4 for low, high in zip(stream[::2], stream[1::2]))
sample = lambda pc, key, warp: pc >> 4 | key << 45 | warp << 50
def samples(kern, run, unit, *values):
    body = struct.pack(f"<{len(values)}Q", *values)
    size = len(body) | (unit & 255) << 8 | (unit >> 8) << 25
    return Event("ProfilePMAEvent", device="NV", kern=kern, exec_tag=run, blob=(body[:4] + struct.pack("<I", size) + body[4:]).ljust(32, b"\0"))
events = [Event("ProfileSQTTEvent", device="AMD", kern=99, exec_tag=4, se=2, itrace=False, blob=blob),
          Event("ProfileSQTTEvent", device="AMD", kern="by name", exec_tag=5, se=0, itrace=False, blob=blob),
          samples(7, 1, 0x45, sample(0x20, 1, 5), sample(0x10, 3, 6), sample(0x20, 3, 7)), samples(7, 2, 0, sample(0x20, 1, 8)),
          samples("n", 1, 0, sample(0x30, 18, 9)), kernel("NV", "k", 1000, 500)]
with open("alone.pkl", "wb") as out:
    out.write(Pickle().profile(events))
END
for rows in 2 3 100; do
    run analyze tinygrad alone.pkl --stream-rows $rows --report rows_$rows -q
    expect "recordings without a device, --stream-rows $rows" 0 "out~rows_$rows/pma.json"
done
cat >reports.py <<'END'
import csv, json
load = lambda rows, name: json.load(open(f"rows_{rows}/{name}"))
for rows in (2, 3, 100):
    document = load(rows, "sqtt.json")
    stream = lambda index, kern, se, run: {
        "index": index, "kern": kern, "se": se, "itrace": False, "exec_tag": run, "bytes": 35, "packets": 7,
        "counts": {"LAYOUT_HEADER": 1, "TS_DELTA_OR_MARK": 2, "WAVESTART": 1, "WAVEEND": 1, "NOP": 2}, "first_time": 0, "last_time": 26,
        "layout": 3, "waves": [{"cu": 0, "simd": 0, "wave": 3, "start": 5, "end": 26}], "waves_open": 0, "waves_unmatched_end": 0,
        "occupancy": {"max_waves": 1, "wave_cycles": 21}, "shader_clock_hz": []}
    assert document == {"target": None, "programs": {}, "events": [stream(0, 99, 2, 4), stream(1, "by name", 0, 5)]}, document
    place = "rows_gpc_tpc_sm_pc_reason_key_wave_active"
    unit = lambda number, pc, reason, key, warp: [number >> 5, number >> 1 & 15, number & 1, pc, reason, key, warp, 0]
    first = [unit(0x45, 0x20, "MEMORY_THROTTLE", 1, 5), unit(0x45, 0x10, "SYNC", 3, 6), unit(0x45, 0x20, "SYNC", 3, 7)]
    recordings = [(7, 3, {"SYNC": 2, "MEMORY_THROTTLE": 1}, [[16, "SYNC", 1], [32, "MEMORY_THROTTLE", 1], [32, "SYNC", 1]], first),
                  (7, 1, {"MEMORY_THROTTLE": 1}, [[32, "MEMORY_THROTTLE", 1]], [unit(0, 0x20, "MEMORY_THROTTLE", 1, 8)]),
                  ("n", 1, {"NONE": 1}, [[48, "NONE", 1]], [unit(0, 0x30, "NONE", 18, 9)])]
    listed = {2: 0, 3: 1, 100: 3}[rows]
    expected = [{"kern": kern, "sm_version": 2048, "bytes": 32, "samples": count, "stall_totals": totals, "by_pc": by_pc,
                 **({place: found} if i < listed else {})} for i, (kern, count, totals, by_pc, found) in enumerate(recordings)]
    found = load(rows, "pma.json")
    assert found == expected, (rows, found, expected)
    found = list(csv.reader(open(f"rows_{rows}/stalls.csv")))[1:]
    assert found == [["7", "SYNC", "2", "50.00"], ["7", "MEMORY_THROTTLE", "2", "50.00"], ["n", "NONE", "1", "100.00"]], found
    found = list(csv.reader(open(f"rows_{rows}/waves.csv")))[1:]
    assert found == [["99", "2", "1", "1", "21.0", "21", "21", "1", "0", ""], ["by name", "0", "1", "1", "21.0", "21", "21", "1", "0", ""]], found
END
claim "recordings without a device" python3 reports.py
rm -r reports.py alone.pkl rows_{2,3,100}
