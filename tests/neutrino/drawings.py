"""drawings.py: what `analyze neutrino -o` draws: every row, slice, argument, arrow and sample of a few blocks that are
written here; accesses and sums of generated recordings against their reports."""
import csv
import io
import os
import struct

from files import load

MAP = ("--layout", "v2", "--map", "block_sched:warp:start=u64,elapsed=u32,cuid=u32")
# (start, elapsed, SM). On SM 3 two blocks run at once; the third one follows the second, the fifth the first, each after
# 10 cycles. A cycle takes half a nanosecond.
BLOCKS = [(1000, 100, 3), (1020, 50, 3), (1080, 40, 3), (50, 10, 7), (1110, 20, 3)]
ANCHOR = 2_500_000_000  # the name of the file

ROWS = """SELECT coalesce(a.name, '') AS above, t.name, iif(a.id IS NULL, p.name, '') AS process,
    coalesce(c.unit, '') AS unit,
    extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS place,
    coalesce(length(extract_arg(t.source_arg_set_id, 'description')) > 30, 0) AS explained
    FROM track t LEFT JOIN track a ON a.id = t.parent_id LEFT JOIN counter_track c ON c.id = t.id
    LEFT JOIN process_track q ON q.id = t.id LEFT JOIN process_counter_track r ON r.id = t.id
    LEFT JOIN process p ON p.upid = coalesce(q.upid, r.upid) WHERE t.name IS NOT NULL ORDER BY 1, 2, 3"""
SHARED = """SELECT DISTINCT extract_arg(t.source_arg_set_id, 'y_axis_share_key') FROM counter_track t
    JOIN track a ON a.id = t.parent_id WHERE a.name LIKE 'accesses%'"""
SLICES = """SELECT a.name AS sm, t.name AS slot, s.name, s.category, s.ts - {anchor} AS ts, s.dur,
    extract_arg(s.arg_set_id, 'debug.warps') AS warps, extract_arg(s.arg_set_id, 'debug.cycles') AS cycles,
    coalesce(extract_arg(s.arg_set_id, 'debug.gap_before'), '') AS gap,
    coalesce(extract_arg(s.arg_set_id, 'debug.launch'), '') AS launch
    FROM slice s JOIN track t ON t.id = s.track_id JOIN track a ON a.id = t.parent_id WHERE s.name <> 'tail'
    ORDER BY 1, 2, s.ts"""
TAILS = """SELECT t.name, s.ts - {anchor} AS ts, s.dur, s.category, extract_arg(s.arg_set_id, 'debug.cycles') AS cycles,
    coalesce(extract_arg(s.arg_set_id, 'debug.percent'), '') AS share,
    coalesce(extract_arg(s.arg_set_id, 'debug.first_sm') || ' ' || extract_arg(s.arg_set_id, 'debug.last_sm'), '') AS sms
    FROM slice s JOIN track t ON t.id = s.track_id WHERE s.name = 'tail' ORDER BY 1"""
ABOUT = """SELECT extract_arg(source_arg_set_id, 'description') FROM track WHERE name GLOB '{0}*'"""
ARROWS = """SELECT o.name AS a, i.name AS b FROM flow f JOIN slice o ON o.id = f.slice_out
    JOIN slice i ON i.id = f.slice_in ORDER BY 1"""
SAMPLES = """SELECT coalesce(a.name, '') AS above, c.ts - {anchor} AS ts, c.value FROM counter c
    JOIN track t ON t.id = c.track_id LEFT JOIN track a ON a.id = t.parent_id WHERE t.name = '{name}' ORDER BY 1, 2"""


def ask(checks, trace, sql):
    return list(csv.reader(io.StringIO(checks.call("query", trace, "--format", "csv", sql).stdout.decode())))[1:]


def check_rows_of_blocks(checks):
    path, out = os.path.join(checks.scratch, "2.500000.bin"), os.path.join(checks.scratch, "drawn.pftrace")
    with open(path, "wb") as file:
        file.write(struct.pack("<8I2IQ", len(BLOCKS), 1, 1, 32, 1, 1, 0, 1, 16, 32, 48))
        file.write(b"".join(struct.pack("<QII", *block) for block in BLOCKS))
    done, _ = checks.analyse(path, *MAP, "--clock-ghz", "2", "-o", out)
    checks.equal("drawn blocks: exit code", 0, done.returncode)
    checks.equal("drawn blocks: rows",
                 [["", "blocks", "block_sched 2.500000.bin", "", "5", "1"],
                  ["SM 3", "resident blocks", "", "blocks", "1", "1"],
                  ["SM 3", "slot 0", "", "", "2", "1"], ["SM 3", "slot 1", "", "", "3", "1"],
                  ["SM 7", "resident blocks", "", "blocks", "1", "1"], ["SM 7", "slot 0", "", "", "2", "1"],
                  ["blocks", "SM 3", "", "", "13", "1"], ["blocks", "SM 7", "", "", "17", "1"],
                  ["blocks", "resident blocks", "", "blocks", "1", "1"], ["blocks", "tail", "", "", "2", "1"]],
                 ask(checks, out, ROWS))
    block = lambda sm, slot, number, ts, dur, cycles, gap="": [
        f"SM {sm}", f"slot {slot}", str(number), "postfetto.neutrino", str(ts), str(dur), "1", str(cycles), gap, ""]
    gap = lambda slot, ts: ["SM 3", f"slot {slot}", "gap", "sched", str(ts), "5", "", "10", "", ""]
    checks.equal("drawn blocks: slices",
                 [block(3, 0, 0, 0, 50, 100), gap(0, 50), block(3, 0, 4, 55, 10, 20, "10"), block(3, 1, 1, 10, 25, 50),
                  gap(1, 35), block(3, 1, 2, 40, 20, 40, "10"), block(7, 0, 3, 0, 5, 10)],
                 ask(checks, out, SLICES.format(anchor=ANCHOR)))
    checks.equal("drawn blocks: arrows", [["0", "4"], ["1", "2"]], ask(checks, out, ARROWS))
    check_tail(checks, path, out)
    resident = {"blocks": "0:2 5:1 10:2 35:1 40:2 50:1 55:2 60:1 65:0", "SM 3": "0:1 10:2 35:1 40:2 50:1 55:2 60:1 65:0",
                "SM 7": "0:1 5:0"}
    expected = [[above, ts, f"{n}.0"] for above, samples in sorted(resident.items())
                for ts, n in (sample.split(":") for sample in samples.split())]
    checks.equal("drawn blocks: residents", expected,
                 ask(checks, out, SAMPLES.format(anchor=ANCHOR, name="resident blocks")))


def check_tail(checks, path, out):
    """Ends on SM 3 are 50, 70, 100, 120 and 130 cycles after its start: of two slots one is empty for the last 10. SM 7 is done
    after 10 cycles, SM 3 after 130. With the global timer, whose ns are not scaled, SM 7 ran 950 ns before SM 3."""
    wanted = [["SM 3", "60", "5", "postfetto.neutrino", "10", "", ""],
              ["tail", "5", "60", "postfetto.neutrino", "120", "92.31", "7 3"]]
    checks.equal("drawn blocks: tails", wanted, ask(checks, out, TAILS.format(anchor=ANCHOR)))
    about = ask(checks, out, ABOUT.format("blocks"))
    checks.equal("drawn blocks: scale", True, about[0][0].endswith("; cycles at 2.0 GHz (--clock-ghz)"))
    done, _ = checks.analyse(path, *MAP, "-o", out)
    about = ask(checks, out, ABOUT.format("blocks (cycles)"))
    checks.equal("drawn blocks: cycles", (0, True), (done.returncode, "; 1 ns on the axis = 1 cycle" in about[0][0]))
    done, _ = checks.analyse(path, *MAP, "--timer", "global", "--clock-ghz", "2", "-o", out)
    wanted = [["SM 3", "1070", "10", "postfetto.neutrino", "10", "", ""],
              ["tail", "10", "1070", "postfetto.neutrino", "1070", "99.07", "7 3"]]
    checks.equal("drawn blocks: tails of the global timer", wanted, ask(checks, out, TAILS.format(anchor=ANCHOR)))
    about = ask(checks, out, ABOUT.format("blocks"))
    checks.equal("drawn blocks: global timer", True, about[0][0].endswith("; times are those of the global timer"))
    done, _ = checks.analyse(path, *MAP, "--clock-ghz", "2", "-o", out)


def check_many_slots(checks):
    """Forty blocks at once, in a slot each; then forty more, each after the block that ended last of those left."""
    path, out = os.path.join(checks.scratch, "1.000000.bin"), os.path.join(checks.scratch, "slots.pftrace")
    blocks = [(1000 + i, 1000, 3) for i in range(40)] + [(3000 + i, 1000, 3) for i in range(40)]
    with open(path, "wb") as file:
        file.write(struct.pack("<8I2IQ", len(blocks), 1, 1, 32, 1, 1, 0, 1, 16, 32, 48))
        file.write(b"".join(struct.pack("<QII", *block) for block in blocks))
    done, _ = checks.analyse(path, *MAP, "--clock-ghz", "1", "-o", out)
    checks.equal("many slots: exit code", 0, done.returncode)
    checks.equal("many slots: arrows", sorted([str(39 - i), str(40 + i)] for i in range(40)),
                 sorted(ask(checks, out, ARROWS)))
    checks.equal("many slots: rows", sorted(["SM 3", f"slot {i}", "", "", str(2 + i), "1"] for i in range(40)),
                 sorted(row for row in ask(checks, out, ROWS) if row[1].startswith("slot")))
    gaps = [(1000 + (3000 + i) - (1000 + 39 - i + 1000), i) for i in range(40)]
    checks.equal("many slots: gaps", sorted([str(3000 + i - 1000 - (gap - 1000)), str(gap - 1000)] for gap, i in gaps),
                 sorted(ask(checks, out, "SELECT ts - 1000000000, dur FROM slice WHERE name = 'gap'")))


def kernel_of(checks, folder):
    """Where the only launch's kernel begins, and how long it takes, in ns."""
    row, = ask(checks, folder, "SELECT slice_ts, prologue_ms, kernel_ms FROM neutrino_launch")
    return int(row[0]) + round(float(row[1]) * 1e6), round(float(row[2]) * 1e6)


def check_accesses(checks):
    """Counters of tensors: the cells of the report summed up by column, a sample where the sum changes."""
    folder = checks.make("drawn dmat", "dmat", "--blocks", "4", "--records", "32")
    out = os.path.join(checks.scratch, "accesses.pftrace")
    done, report = checks.analyse(folder, "-o", out)
    checks.equal("drawn accesses: exit code", 0, done.returncode)
    clean = load(report, "dmat.json")["clean"]
    anchor, _ = kernel_of(checks, folder)
    tensors = clean["tensors"]
    checks.equal("drawn accesses: tensors", True, len(tensors) > 1)
    for name, tensor in tensors.items():
        sums = [0] * 160
        for _, column, count, _ in tensor["cells_rcnl"]:
            sums[column] += count
        expected = [["accesses (cycles)", str(-(-column * (clean["max_clock"] + 1) // 160)), f"{count}.0"]
                    for column, count in enumerate(sums) if not column or count != sums[column - 1]]
        expected.append(["accesses (cycles)", str(clean["max_clock"] + 1), "0.0"])
        checks.equal(f"drawn accesses of {name}", expected, ask(checks, out, SAMPLES.format(anchor=anchor, name=name)))
    rows = [row for row in ask(checks, out, ROWS) if row[0] == "accesses (cycles)"]
    checks.equal("drawn accesses: one scale", [["accesses"]], ask(checks, out, SHARED))
    checks.equal("drawn accesses: rows", sorted([["accesses (cycles)", name, "", "accesses", str(place + 1), "1"]
                                                 for place, name in enumerate(tensors)]), rows)


def check_values(checks):
    """A sum of the launch while its kernel runs."""
    for kind, name, unit in (("gmem_bytes", "global memory bytes", "bytes"),
                             ("tensorop", "tensor operations", "operations")):
        folder = checks.make(f"drawn {kind}", kind, "--blocks", "3", "--threads", "64")
        out = os.path.join(checks.scratch, f"{kind}.pftrace")
        done, report = checks.analyse(folder, "-o", out)
        checks.equal(f"drawn {kind}: exit code", 0, done.returncode)
        found = load(report, f"{kind}.json")
        total = sum(found[key] for key in ("sync_bytes", "async_bytes")) if kind == "gmem_bytes" else found["total"]
        anchor, length = kernel_of(checks, folder)
        checks.equal(f"drawn {kind}", [["", "0", f"{total}.0"], ["", str(length), "0.0"]],
                     ask(checks, out, SAMPLES.format(anchor=anchor, name=name)))
        checks.equal(f"drawn {kind}: row", [[name, unit, "3", "1"]],
                     [[row[1], row[3], row[4], row[5]] for row in ask(checks, out, ROWS) if row[1] == name])


RUN = """[init] pid 105
[init] cmd 12 python x.py
[probe] find aa name one bin bb size 5
[exec] funcmap-find aa success
[exec] 1000000 param 1
[exec] grid 2 1 1 block 32 1 1 shared 0
[exec] succeed 0
[benchmark] prologue 0.25 kernel 1.0 epilogue 0.5 original 0.5 impact 2.0 0
[exec] funcmap-find aa success
[exec] 1000001 param 1
[exec] grid 2 1 1 block 32 1 1 shared 0
[exec] succeed 0
[benchmark] prologue 0.125 kernel 0.5 epilogue 0.25 original 0.25 impact 2.0 0
"""
PHASES = """SELECT p.name, l.name, l.ts, group_concat(c.name || ' ' || (c.ts - l.ts) || ' ' || c.dur), min(c.ts + c.dur <= l.ts + l.dur)
    FROM slice l JOIN slice c ON c.parent_id = l.id LEFT JOIN thread_track tt ON tt.id = l.track_id LEFT JOIN thread th USING (utid)
    LEFT JOIN process_track pt ON pt.id = l.track_id JOIN process p ON p.upid = coalesce(th.upid, pt.upid)
    WHERE l.depth = 0 GROUP BY l.id ORDER BY p.name, l.ts"""


def check_runs(checks):
    """A process for each run of a tree, also where two have one pid; launches at the same time each with their own phases."""
    tree, out = os.path.join(checks.scratch, "runs"), os.path.join(checks.scratch, "runs.pftrace")
    for op in ("gemm", "conv"):
        os.makedirs(os.path.join(tree, op, "dmat", "trace"))
        with open(os.path.join(tree, op, "dmat", "trace", "event.log"), "w", encoding="utf-8") as file:
            file.write(RUN)
    done, _ = checks.analyse(tree, "-o", out)
    checks.equal("runs: exit code", 0, done.returncode)
    parts = [("1000000", "prologue 0 250000,kernel 250000 1000000,epilogue 1250000 500000"),
             ("1000001", "prologue 0 125000,kernel 125000 500000,epilogue 625000 250000")]
    checks.equal("runs: phases", [[f"dmat {op}", "one", ts, text, "1"] for op in ("conv", "gemm") for ts, text in parts],
                 ask(checks, out, PHASES))
    checks.equal("runs: commands", [["python x.py"]],
                 ask(checks, out, "SELECT DISTINCT extract_arg(arg_set_id, 'debug.command') FROM slice WHERE name = 'one'"))
    without = "SELECT name FROM counter_track WHERE extract_arg(source_arg_set_id, 'description') IS NULL"
    checks.equal("runs: counters without a description", [], ask(checks, out, without))


def check_nothing(checks):
    """Where there is no launch, block or access there is no trace."""
    folder, out = os.path.join(checks.scratch, "no launches"), os.path.join(checks.scratch, "nothing.pftrace")
    os.makedirs(folder)
    with open(os.path.join(folder, "latency.csv"), "w", encoding="utf-8") as file:
        file.write("probe,original,ncu,neutrino,prologue,kernel,epilogue\none,1,2,3,1,1,1\n")
    done, _ = checks.analyse(folder, "-o", out)
    checks.equal("nothing to draw", (0, False, True),
                 (done.returncode, os.path.exists(out), b"no launch, block or access to draw" in done.stderr))


FACTS = """SELECT extract_arg(s.arg_set_id, 'debug.block[0]') AS threads, a.key, a.display_value FROM slice s
    JOIN args a USING (arg_set_id) WHERE s.name = 'generated_kernel' ORDER BY s.ts, s.id, a.id"""


def check_facts(checks):
    """What was found out about each launch of a tree, as arguments of its slice after those of the log."""
    tree, clocks = os.path.join(checks.scratch, "facts"), {}
    for threads, kind in ((32, "block_sched"), (64, "two_maps"), (96, "tensorop"), (128, "dmat")):
        checks.make(os.path.join("facts", kind), kind, "--blocks", str(threads // 16), "--threads", str(threads))
    out = os.path.join(checks.scratch, "facts.pftrace")
    done, report = checks.analyse(tree, "--clock-ghz", "2", "-o", out)
    checks.equal("facts: exit code", 0, done.returncode)
    for i, kind in enumerate(("block_sched", "dmat", "tensorop", "two_maps")):
        clocks[kind] = [("clock_domain", f"cycles of launch {i}"), ("clock_ns_per_cycle", "0.5"),
                        ("clock_anchor", "start of the kernel"),
                        ("clock_alignment", "each SM at the start of its own first block")]
    sched = [[("blocks", blocks), *((key + "_cycles", load(report, f"block_sched_{i}.json")["compat"][key])
                                    for key in ("running", "scheduling"))] for i, blocks in ((1, 2), (2, 4))]
    sums = load(report, "gmem_bytes.json")
    wanted = {"32": sched[0] + clocks["block_sched"],
              "64": sched[1] + [(key, sums[key]) for key in ("sync_bytes", "async_bytes", "gmem_bytes")] + clocks["two_maps"],
              "96": [("tensor_ops", load(report, "tensorop.json")["total"])],
              "128": [("accesses", load(report, "dmat.json")["used"])] + clocks["dmat"]}
    found = {}
    for threads, key, value in ask(checks, out, FACTS):
        found.setdefault(threads, []).append((key.removeprefix("debug."), value))
    for threads, facts in wanted.items():
        keys = [key for key, _ in found[threads]]
        after = found[threads][keys.index("epilogue_ms") + 1:]
        checks.equal(f"facts of {threads} threads", [(key, str(value)) for key, value in facts], after)


def check_drawings(checks):
    check_facts(checks)
    check_runs(checks)
    check_nothing(checks)
    check_rows_of_blocks(checks)
    check_many_slots(checks)
    check_accesses(checks)
    check_values(checks)
