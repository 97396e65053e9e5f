#!/usr/bin/env python3
"""check.py POSTFETTO [ENGINE]: recordings that scripts/gen_neutrino.py makes, analysed by POSTFETTO and a second time here.

ENGINE is the folder with tp_query.mjs and its assets; with it, enriched traces are asked in Perfetto's own engine too.
Prints a line for each check that fails, then the counts; exit 1 if one failed.
"""
import bisect
import csv
import gzip
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drawings
import experiments
import folders
import odd_records
import pictures
import tables
import trees
from files import load, read_trace

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATE = os.path.join(HERE, "..", "..", "scripts", "gen_neutrino.py")
os.environ.setdefault("LSAN_OPTIONS", f"suppressions={os.path.join(HERE, 'leaks.supp')}:print_suppressions=0")


class Checks:
    """What passed and what did not."""

    def __init__(self, postfetto, scratch):
        self.postfetto, self.scratch = postfetto, scratch
        self.passed = self.failed = 0

    def equal(self, what, expected, found):
        same = expected == found
        self.passed += same
        self.failed += not same
        if not same:
            print(f"FAIL {what}: expected {str(expected)[:200]}, got {str(found)[:200]}")

    def make(self, name, kind, *options):
        folder = os.path.join(self.scratch, name)
        subprocess.run([sys.executable, GENERATE, kind, folder, *options], check=True)
        return folder

    def call(self, *arguments):
        return subprocess.run([self.postfetto, *arguments], capture_output=True, check=False)

    def analyse(self, path, *options):
        report = tempfile.mkdtemp(dir=self.scratch)
        done = self.call("analyze", "neutrino", path, "--report", report, *options)
        return done, report


def read_blocks(folder, options):
    """(start, elapsed, sm) of the first warp of each block."""
    data = read_trace(folder)
    blocks, threads = struct.unpack_from("<I", data)[0], struct.unpack_from("<I", data, 12)[0]
    lanes = 64 if "hip" in options else 32
    first = struct.unpack_from("<Q", data, 40)[0]
    stride = 16 * ((threads + lanes - 1) // lanes)
    return [struct.unpack_from("<QII", data, first + i * stride) for i in range(blocks)]


def compatible(blocks):
    queue, gap, work = {}, {}, {}
    for start, elapsed, sm in blocks:
        ends = queue.setdefault(sm, [])
        gap.setdefault(sm, 0)
        if ends and ends[0] <= start:
            gap[sm] += start - ends.pop(0)
        ends.append(start + elapsed)
        work[sm] = work.get(sm, 0) + elapsed
    return {str(sm): {"work": work[sm], "gap": gap[sm]} for sm in sorted(work)}


def exact(blocks):
    """One SM: slots as a plain list, the free one that was in use last is searched for."""
    slots, gaps, busy, cover = [], [], 0, None
    for start, elapsed in sorted(blocks, key=lambda block: block[0]):
        free = [i for i, end in enumerate(slots) if end <= start]
        if free:
            best = max(free, key=lambda i: slots[i])
            gaps.append(start - slots[best])
            slots[best] = start + elapsed
        else:
            slots.append(start + elapsed)
        cover = (cover or start) if cover is None or cover < start else cover
        cover = max(cover, start)
        busy += max(0, start + elapsed - cover)
        cover = max(cover, start + elapsed)
    ends = sorted(start + elapsed for start, elapsed in blocks)
    first, last = min(start for start, _ in blocks), ends[-1]
    return {"blocks": len(blocks), "slots": len(slots), "max_resident": len(slots), "gap_sum": sum(gaps),
            "gap_count": len(gaps), "gap_max": max(gaps, default=0), "work_sum": sum(e for _, e in blocks), "busy": busy,
            "span": last - first, "idle": last - first - busy, "tail": last - ends[len(ends) - len(slots)]}


def check_blocks(checks, name, *options):
    folder = checks.make(name, "block_sched", *options)
    blocks = read_blocks(folder, options)
    done, report = checks.analyse(folder, "--only", "block_sched")
    checks.equal(f"{name} exit code", 0, done.returncode)
    found = load(report, "block_sched.json")
    mine = compatible(blocks)
    checks.equal(f"{name} compatible", mine,
                 {sm: {"work": v["work"], "gap": v["gap"]} for sm, v in found["compat"]["per_sm"].items()})
    running, gap = (sum(v[key] for v in mine.values()) // len(mine) for key in ("work", "gap"))
    line = f"No.block:{len(blocks)} Running:{running} Scheduling:{gap}(cycle)"
    checks.equal(f"{name} line", [line], [text for text in done.stdout.decode().splitlines() if text.startswith("No.")])
    by_sm = {}
    for start, elapsed, sm in blocks:
        by_sm.setdefault(sm, []).append((start, elapsed))
    checks.equal(f"{name} exact", {str(sm): exact(by_sm[sm]) for sm in sorted(by_sm)}, found["exact"])
    return folder, found


def odd_blocks(rng):
    """Blocks as no GPU runs them: without length, with equal starts, hundreds at a time, unused records in between."""
    sms, slots = rng.choice([1, 3, 17]), rng.choice([1, 2, 8, 33, 70, 300])
    lengths = rng.choice([[0, 1, 2], [0, 3, 50, 5000], [4000, 5000, 6000, 9000]])
    free = [[rng.randrange(100)] * slots for _ in range(sms)]
    blocks = []
    for _ in range(rng.choice([1, 100, 129, 700, 4000])):
        sm = rng.randrange(sms)
        slot = free[sm].index(min(free[sm]))
        start, elapsed = free[sm][slot] + rng.choice([0, 0, 5, rng.randrange(300)]), rng.choice(lengths)
        free[sm][slot] = start + elapsed
        blocks.append((1000 + start, elapsed, sm))
        blocks += [(0, 0, 0)] * (rng.random() < 0.02)
    return blocks


def check_odd_blocks(checks):
    blocks_of_a_warp = ("--layout", "v2", "--map", "block_sched:warp:start=u64,elapsed=u32,cuid=u32")
    path = os.path.join(checks.scratch, "odd.bin")
    for seed in range(30):
        rng = random.Random(seed)
        blocks = odd_blocks(rng)
        if seed % 5 == 4:
            rng.shuffle(blocks)
        with open(path, "wb") as out:
            out.write(struct.pack("<8I2IQ", len(blocks), 1, 1, 32, 1, 1, 0, 1, 16, 32, 48))
            out.write(b"".join(struct.pack("<QII", *block) for block in blocks))
        _, report = checks.analyse(path, "--only", "block_sched", *blocks_of_a_warp)
        found, by_sm = load(report, "block_sched.json"), {}
        for start, elapsed, sm in blocks:
            if start or elapsed or sm:
                by_sm.setdefault(sm, []).append((start, elapsed))
        checks.equal(f"odd blocks {seed} exact", {str(sm): exact(by_sm[sm]) for sm in sorted(by_sm)}, found["exact"])
        checks.equal(f"odd blocks {seed} compatible", compatible(blocks),
                     {sm: {"work": v["work"], "gap": v["gap"]} for sm, v in found["compat"]["per_sm"].items()})


def check_dmat(checks):
    folder = checks.make("dmat", "dmat", "--blocks", "20", "--records", "16")
    records = list(struct.iter_unpack("<QQ", read_trace(folder)[48:]))
    used = [(clock, address >> 16) for clock, address in records if clock or address]
    pages = sorted({page for clock, page in used if clock < 5_000_000})
    done, report = checks.analyse(folder, "--only", "dmat")
    found = load(report, "dmat.json")
    checks.equal("dmat exit code", 0, done.returncode)
    checks.equal("dmat counts", [len(records), len(used), len(records) - len(used), len(pages), max(used)[0]],
                 [found["records"], found["used"], found["zero_slots"], found["clean"]["pages"], found["max_clock"]])
    cells = {}
    last = max(clock for clock, _ in used)
    for clock, page in used:
        cell = bisect.bisect_left(pages, page) * 100 // len(pages), clock * 160 // (last + 1)
        cells[cell] = cells.get(cell, 0) + 1
    whole = {}
    for tensor in found["clean"]["tensors"].values():
        for row, column, count, _ in tensor["cells_rcnl"]:
            whole[row, column] = whole.get((row, column), 0) + count
    checks.equal("dmat cells", cells, whole)
    for name, tensor in found["clean"]["tensors"].items():
        counts = [cell[2] for cell in tensor["cells_rcnl"]]
        cuts = statistics.quantiles(counts, n=5, method="inclusive")
        checks.equal(f"dmat thresholds of {name}", [round(cut, 6) for cut in cuts],
                     [round(cut, 6) for cut in tensor["thresholds"]])
    with open(os.path.join(report, "page_reference.tsv"), encoding="utf-8") as file:
        rows = [line.split("\t") for line in file.read().splitlines()]
    table = {}
    for clock, address in records:
        table[clock, address >> 16] = table.get((clock, address >> 16), 0) + 1
    checks.equal("dmat page table", sorted((c, p, n) for (c, p), n in table.items()),
                 [(int(c), int(p, 16) >> 16, int(n)) for c, p, n in rows])
    check_dmat_file(checks, folder, found, table)


def check_dmat_file(checks, folder, found, table):
    """The same accesses as the original's intermediate file."""
    clocks = {}
    for (clock, page), count in table.items():
        clocks.setdefault(clock, []).append(struct.pack("<QI", page << 16, count))
    pages = sorted({page for _, page in table})
    path = os.path.join(checks.scratch, "x.dmat")
    with open(path, "wb") as out:
        out.write(struct.pack(f"<QQ{len(pages)}Q", len(pages), len(clocks), *(page << 16 for page in pages)))
        for clock, rows in clocks.items():
            out.write(struct.pack("<QQ", clock, len(rows)) + b"".join(rows))
    done, report = checks.analyse(path, "--only", "dmat")
    checks.equal(".dmat exit code", 0, done.returncode)
    again = load(report, "dmat.json")
    keys = ["records", "used", "zero_slots", "max_clock", "num_pages", "num_clocks"]
    checks.equal(".dmat counts", [found[key] for key in keys], [again[key] for key in keys])
    with open(path, "r+b") as out:
        out.seek(8)
        out.write(struct.pack("<Q", 2**60))
    done, _ = checks.analyse(path)
    checks.equal(".dmat with a count that is not there", (3, True), (done.returncode, b"numClocks" in done.stderr))


def check_sums(checks):
    folder = checks.make("two", "two_maps", "--threads", "100", "--blocks", "30")
    data = read_trace(folder)
    pairs = list(struct.iter_unpack("<II", data[-30 * 100 * 8:]))
    done, report = checks.analyse(folder)
    found = load(report, "gmem_bytes.json")
    checks.equal("bytes", [sum(a for a, _ in pairs), sum(b for _, b in pairs)], [found["sync_bytes"], found["async_bytes"]])
    multi = load(report, "multi.json")
    checks.equal("offsets", ([64, 64 + 30 * 4 * 16], [64, 64 + 30 * 100 * 16 // 32]),
                 (multi["true_offsets"], multi["header_offsets"]))
    with open(os.path.join(report, "neutrino_multi.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    checks.equal("multi table", [("block_sched", "block_sched", "", str(multi["block_sched"]["compat"]["scheduling"])),
                                 ("GMEMBytes", "gmem_bytes", str(multi["gmem_bytes"]), "")],
                 [tuple(row[key] for key in ("map", "kind", "gmem_bytes", "scheduling")) for row in rows])
    checks.equal("multi offsets in the table", (multi["true_offsets"], multi["header_offsets"]),
                 tuple([int(row[key]) for row in rows] for key in ("true_offset", "header_offset")))
    moved = "SELECT count(*) = 1 FROM neutrino_multi WHERE true_offset <> header_offset AND section = 1"
    checks.equal("a threshold on sections", 1, checks.analyse(folder, "--only", "multi", "--fail-if", moved)[0].returncode)
    checks.equal("multi", (0, sum(found[key] for key in ("sync_bytes", "async_bytes"))),
                 (done.returncode, multi["gmem_bytes"]))
    done = checks.call("query", folder, "SELECT count(*) FROM neutrino_bytes WHERE block = 29 AND sync_bytes IS NOT NULL")
    used = sum(a or b for a, b in pairs[-100:])
    checks.equal("rows of records", str(sum(bool(a or b) for a, b in pairs[-100:])) if used else "0",
                 done.stdout.decode().splitlines()[-1])


def check_streaming(checks):
    """48 MB of blocks of one warp, as nearly in order as a device makes them, are not kept: that alone would be 72 MB."""
    folder = checks.make("stream", "block_sched", "--blocks", "3000000", "--threads", "32", "--sms", "20")
    done, _ = checks.analyse(folder, "--only", "block_sched", "--stats")
    resident = int(re.search(rb'"peak_rss_kb": (\d+)', done.stderr).group(1))
    checks.equal(f"blocks are not kept ({resident} KB)", True, resident < 48 << 10)


def check_packed_memory(checks):
    """98 MB of records in a .bin.gz within 48 MiB: what is unpacked does not stay in memory, unless there is nowhere else."""
    folder = checks.make("large", "gmem_bytes", "--blocks", "48000", "--threads", "256")
    path = os.path.join(folder, "result", "0.500000.bin")
    _, report = checks.analyse(folder)
    plain = load(report, "gmem_bytes.json")
    with open(path, "rb") as data, gzip.open(path + ".gz", "wb", 1) as out:
        shutil.copyfileobj(data, out)
    os.remove(path)
    done, report = checks.analyse(folder, "--max-memory", "48M", "--stats")
    checks.equal("packed records in little memory", 0, done.returncode)
    resident = int(re.search(rb'"peak_rss_kb": (\d+)', done.stderr).group(1))
    checks.equal("packed records are not resident", True, resident < 64 << 10 and os.path.getsize(path + ".gz") > 40 << 20)
    checks.equal("packed records", plain, load(report, "gmem_bytes.json"))
    done = subprocess.run([checks.postfetto, "analyze", "neutrino", folder, "--max-memory", "48M"], capture_output=True,
                          env={**os.environ, "TMPDIR": os.path.join(folder, "nowhere")}, check=False)
    checks.equal("packed records with memory only", 5, done.returncode)


def check_layouts(checks):
    for layout in ("v2", "hip", "v1", "v0"):
        folder = checks.make(f"bare_{layout}", "block_sched", "--layout", layout, "--bare", "--threads", "96")
        done, _ = checks.analyse(folder)
        old = layout in ("v1", "v0")
        checks.equal(f"bare {layout}", (3 if old else 0, old), (done.returncode, b"warpDiv" in done.stderr))
        done, report = checks.analyse(os.path.join(folder, "result", "0.500000.bin"), "--layout", layout, "--map",
                                      "block_sched:warp:start=u64,elapsed=u32,cuid=u32")
        checks.equal(f"bare {layout} said", (0, compatible(read_blocks(folder, (layout,)))["0"]["gap"]),
                     (done.returncode, load(report, "block_sched.json")["compat"]["per_sm"]["0"]["gap"]))


def check_damage(checks):
    """Every length of a small file: an answer, never a crash; what is complete is kept."""
    folder = checks.make("cut", "block_sched", "--blocks", "4", "--threads", "32")
    path = os.path.join(folder, "result", "0.500000.bin")
    data = read_trace(folder)
    for size in range(0, len(data) + 3):
        with open(path, "wb") as out:
            out.write(data[:size] + b"x" * (size - len(data)))
        done, report = checks.analyse(folder, "--only", "block_sched")
        whole = min((size - 48) // 16, 4)
        if whole < 1:
            checks.equal(f"cut at {size}", (3, True), (done.returncode, b".bin: " in done.stderr))
        else:
            blocks = sum(v["blocks"] for v in load(report, "block_sched.json")["exact"].values())
            checks.equal(f"cut at {size}", (0, whole, size == len(data)),
                         (done.returncode, blocks, b"0.500000.bin: section 0" not in done.stderr and b"trailing" not in done.stderr))


ENRICHED = """SELECT count(*) FILTER (WHERE name GLOB '[0-9]*' AND category = 'postfetto.neutrino') AS blocks,
  count(*) FILTER (WHERE name = 'gap' AND category = 'sched') AS gaps,
  coalesce(sum(dur) FILTER (WHERE name = 'gap'), 0) AS gap_sum,
  (SELECT count(*) FROM flow) AS arrows,
  (SELECT max(value) FROM counter c JOIN track t ON t.id = c.track_id WHERE t.name = 'resident blocks') AS most,
  (SELECT count(*) FROM track WHERE name LIKE 'SM %') AS sms,
  max(CASE WHEN extract_arg(arg_set_id, 'debug.clock_domain') = 'cycles of launch 0' THEN 1 ELSE 0 END) AS clock
FROM slice"""


def ask_engine(checks, engine, trace, *queries):
    """The answers of Perfetto's engine as CSV."""
    sql = os.path.join(checks.scratch, "q.sql")
    with open(sql, "w", encoding="utf-8") as file:
        file.write("".join(f"-- @name answer{i}\n{query};\n" for i, query in enumerate(queries)))
    subprocess.run(["node", "tp_query.mjs", trace, "-f", sql, "-o", checks.scratch], cwd=engine, check=True,
                   capture_output=True)
    answers = []
    for i in range(len(queries)):
        with open(os.path.join(checks.scratch, f"answer{i}.csv"), encoding="utf-8") as file:
            answers.append(file.read())
    return answers


def check_enriched(checks, folder, found, engine):
    """Blocks, gaps and residents of an enriched trace, in our SQL and in Perfetto's engine."""
    out = os.path.join(checks.scratch, "enriched.pftrace")
    done, _ = checks.analyse(folder, "-o", out)
    each = found["exact"].values()
    expected = [sum(v["blocks"] for v in each), None, sum(v["gap_sum"] for v in each),
                sum(v["blocks"] - v["slots"] for v in each), None, len(each), 1]
    checks.equal("enriched exit code", 0, done.returncode)
    answers = {"ours": checks.call("query", out, ENRICHED).stdout.decode()}
    if engine:
        answers["Perfetto's"] = ask_engine(checks, engine, out, ENRICHED)[0]
    for who, text in answers.items():
        row = [int(float(cell)) for cell in list(csv.reader(text.splitlines()))[-1]]
        checks.equal(f"enriched, {who} engine", expected,
                     [cell if expected[i] is not None else None for i, cell in enumerate(row)])


RECIPES = {
    "flashinfer": ([["load", "12", "8400"], ["mma", "12", "9360"], ["store", "4", "0"]],
                   sorted([f"block {b}", f"group {g}"] for b in range(4) for g in range(2))),
    "cute": ([["compute", "24", "6000"], ["copy", "24", "3600"]],
             sorted([f"block {b}", f"warp {w}"] for b in range(3) for w in range(2))),
}
SLICES = "SELECT name, count(*) AS n, sum(dur) AS ns FROM slice GROUP BY 1 ORDER BY 1"
TRACKS = ("SELECT p.name AS above, t.name AS track FROM track t JOIN track p ON p.id = t.parent_id "
          "WHERE t.id IN (SELECT track_id FROM slice) ORDER BY 1, 2")


def check_recipe(checks, name, engine):
    """A page of docs/recipes, played; its trace in our SQL and in Perfetto's engine."""
    folder = os.path.join(checks.scratch, name)
    os.makedirs(folder)
    with open(os.path.join(HERE, "..", "..", "docs", "recipes", f"{name}.md"), encoding="utf-8") as page:
        blocks = re.findall(r"^```\w+\n# file: (\S+)\n(.*?)^```$", page.read(), re.M | re.S)
    for file, body in blocks:
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(body)
    subprocess.run([sys.executable, "kernel.py"], cwd=folder, check=True)
    trace, data = os.path.join(folder, "out.pftrace"), os.path.join(folder, "profile.bin")
    options = ["--input-format", "neutrino", "--schema", os.path.join(folder, f"{name}.yaml")]
    checks.equal(f"{name} converts", 0, checks.call("convert", *options, data, "-o", trace).returncode)
    rows, tracks = RECIPES[name]
    answers = {"our": [checks.call("query", trace, sql).stdout.decode() for sql in (SLICES, TRACKS)]}
    if engine:
        answers["Perfetto's"] = ask_engine(checks, engine, trace, SLICES, TRACKS)
    for who, (slices, found) in answers.items():
        checks.equal(f"{name}, slices in {who} engine", rows, list(csv.reader(slices.splitlines()))[1:])
        checks.equal(f"{name}, tracks in {who} engine", tracks, sorted(list(csv.reader(found.splitlines()))[1:]))
    for size in (0, 3, 9, 40, 41):
        with open(data, "rb") as whole, open(data + ".cut", "wb") as cut:
            cut.write(whole.read(size))
        done = checks.call("info", *options, data + ".cut")
        checks.equal(f"{name} cut at {size}", True, done.returncode in (0, 3))


def run(checks, engine):
    folder, found = check_blocks(checks, "blocks")
    check_blocks(checks, "out of order", "--shuffle", "--blocks", "3000", "--sms", "3")
    check_blocks(checks, "many slots", "--slots", "200", "--blocks", "2000", "--sms", "2")
    check_blocks(checks, "lanes of AMD", "--layout", "hip", "--threads", "100")
    check_blocks(checks, "one block", "--blocks", "1")
    check_odd_blocks(checks)
    odd_records.check_odd_records(checks, odd_blocks, exact, compatible)
    check_enriched(checks, folder, found, engine)
    drawings.check_drawings(checks)
    tables.check_tables(checks)
    trees.check_trees(checks)
    experiments.check_experiments(checks)
    folders.check_folders(checks)
    check_dmat(checks)
    check_sums(checks)
    check_streaming(checks)
    check_packed_memory(checks)
    check_layouts(checks)
    check_damage(checks)
    pictures.check_pictures(checks)
    share = "SELECT max(exact_gap_share) > 0.01 FROM neutrino_sched"
    checks.equal("a threshold", 1, checks.analyse(folder, "--fail-if", share)[0].returncode)
    checks.equal("a threshold that holds", 0, checks.analyse(folder, "--fail-if", "SELECT count(*) <> 1 FROM neutrino_launches "
                                                             "WHERE blocks = 256 AND status = 'ok'")[0].returncode)
    for name in RECIPES:
        check_recipe(checks, name, engine)
    with open(os.path.join(folder, "result", "0.500000.bin"), "rb") as plain:
        packed = gzip.compress(plain.read())
    with open(os.path.join(folder, "result", "0.500000.bin"), "wb") as out:
        out.write(packed)
    _, report = checks.analyse(folder, "--only", "block_sched")
    checks.equal("packed", found, load(report, "block_sched.json"))


def main():
    scratch = tempfile.mkdtemp(prefix="postfetto-neutrino-")
    checks = Checks(os.path.abspath(sys.argv[1]), scratch)
    try:
        run(checks, sys.argv[2] if len(sys.argv) > 2 else None)
    finally:
        shutil.rmtree(scratch)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
