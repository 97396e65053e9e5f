"""pictures.py: the marks of the figures of `analyze neutrino --pictures`, read from the tooltips of the SVG files: blocks and
gaps that are placed by hand here, cells of the reports, rows of the tables. Places and colours are the renderer's, which has
tests of its own."""
import html
import os
import re
import struct

from files import load, page_addresses, rows_of

SCHEDULE_MAP = ("--layout", "v2", "--map", "block_sched:warp:start=u64,elapsed=u32,cuid=u32")
DMAT_MAP = ("--layout", "v2", "--map", "DMAT:thread:clock=u64,addr=u64:{}")
PNGS = {"dmat", "exposed_latency", "gaps", "block_schedule", "resident_blocks", "resident_blocks_tail"}


def read_figure(report, name):
    """Its texts, and its marks: (panel, label, values by name), in the order of drawing. A panel's heading is the last text at
    the left edge."""
    with open(os.path.join(report, f"{name}.svg"), encoding="utf-8") as file:
        body = file.read().rpartition("</style>")[2]
    texts, marks, panel = [], [], ""
    for x, text, tip in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>|<title>([^<]*)</title>', body):
        if tip:
            lines = html.unescape(tip).split("\n")
            label = "" if ": " in lines[0] else lines.pop(0)
            marks.append((panel, label, dict(line.split(": ", 1) for line in lines)))
        else:
            texts.append(html.unescape(text))
            panel = texts[-1] if x == "0" else panel
    return texts, marks


def number(text):
    return float(text.split(" ")[0].replace(",", ""))


def check_files(checks):
    """Each figure is a file, and those that were always written as PNG still are."""
    for kind, options, stems in (("block_sched", [], {"sm_imbalance", "resident_blocks", "block_schedule", "gaps", "kernels"}),
                                 ("dmat", ["--blocks", "8"], {"dmat", "kernels"}), ("latency", [], {"exposed_latency"})):
        folder = checks.make(f"picture_{kind}", kind, *options)
        done, report = checks.analyse(folder, "--pictures")
        names = os.listdir(report)
        checks.equal(f"pictures of {kind}", (0, sorted(stems), sorted(stems & PNGS)),
                     (done.returncode, sorted(name[:-4] for name in names if name.endswith(".svg") and "tail" not in name),
                      sorted(name[:-4] for name in names if name.endswith(".png") and "tail" not in name)))
        for stem in stems & PNGS:
            with open(os.path.join(report, f"{stem}.png"), "rb") as png:
                checks.equal(f"{stem}.png", b"\x89PNG\r\n\x1a\n", png.read(8))
        _, report = checks.analyse(folder)
        checks.equal(f"no pictures of {kind}", [], [name for name in os.listdir(report) if name[-4:] in (".svg", ".png")])


# ---- exposed latency -------------------------------------------------------------------------------------------------

# The last two cannot be drawn.
LATENCIES = """probe,original,ncu,neutrino,prologue,kernel,epilogue
first,2,8,6,1,2,3
a probe with a long name,1,nan,5,1,1,3
none before,4,4,8,0,4,4
negative,1,2,9,-1,5,5
unknown,1,2,nan,1,1,1
"""


def check_latencies(checks):
    """The profiler takes 4 times as long as without it, or as long; probes 3, 5 and 2 times."""
    folder = os.path.join(checks.scratch, "latencies")
    os.makedirs(folder)
    with open(os.path.join(folder, "latency.csv"), "w", encoding="utf-8") as file:
        file.write(LATENCIES)
    done, report = checks.analyse(folder, "--pictures")
    _, marks = read_figure(report, "exposed_latency")
    bars = {}
    for _, label, values in marks:
        bars.setdefault(label, {}).update({key: number(value) for key, value in values.items()})
    parts = lambda *values: {key: v for key, v in zip(("prologue", "kernel", "epilogue"), values) if v}
    checks.equal("exposed latency: bars",
                 {"first": parts(0.5, 1, 1.5), "first, Nsight Compute": {"Nsight Compute": 4},
                  "a probe with a long name": parts(1, 1, 3), "none before": parts(0, 1, 1),
                  "none before, Nsight Compute": {"Nsight Compute": 1}}, bars)
    checks.equal("exposed latency: headline", "With Neutrino a launch takes 2.00 to 9.00 times as long as without, with Nsight "
                 "Compute up to 4.00 times.", done.stderr.decode().split("\n")[0])


# ---- blocks and gaps -------------------------------------------------------------------------------------------------

# (start, elapsed, SM). SM 7 works for 540 cycles on two slots, SM 3 for 170 on one.
BLOCKS = [(1000, 100, 3), (2000, 300, 7), (1100, 50, 3), (2100, 50, 7), (2153, 100, 7), (2310, 90, 7), (1160, 20, 3),
          (2395, 0, 7)]
# By SM: (slot, start since its first block, length, number of the block, gap before or None), in the order of starts.
PLACED = {3: [(0, 0, 100, 0, None), (0, 100, 50, 2, 0), (0, 160, 20, 6, 10)],
          7: [(0, 0, 300, 1, None), (1, 100, 50, 3, None), (1, 153, 100, 4, 3), (0, 310, 90, 5, 10), (1, 395, 0, 7, 142)]}


def analyse_blocks(checks, name, blocks, *options):
    path = os.path.join(checks.scratch, f"{name}.bin")
    with open(path, "wb") as file:
        file.write(struct.pack("<8I2IQ", len(blocks), 1, 1, 32, 1, 1, 0, 1, 16, 32, 48))
        file.write(b"".join(struct.pack("<QII", *block) for block in blocks))
    done, report = checks.analyse(path, *SCHEDULE_MAP, "--pictures", *options)
    checks.equal(f"picture of {name}: exit code", 0, done.returncode)
    return done, report


def check_schedule(checks, report):
    wanted = []
    for sm, blocks in PLACED.items():
        for slot, start, length, block, gap in blocks:
            if gap:
                wanted.append((f"SM {sm}", str(slot), start - gap, start, "idle", None))
            wanted.append((f"SM {sm}", str(slot), start, start + length, "busy", str(block)))
    _, marks = read_figure(report, "block_schedule")
    checks.equal("blocks in their slots", wanted, [(panel, slot, number(v["from"]), number(v["to"]), v["what"], v.get("block"))
                                                   for panel, slot, v in marks])


def check_gaps(checks, report):
    """One gap of 0, one of [2, 4), two of [8, 16), one of [128, 256) cycles."""
    bins = [(0, 1, 1), (1, 2, 0), (2, 4, 1), (4, 8, 0), (8, 16, 2), (16, 32, 0), (32, 64, 0), (64, 128, 0), (128, 256, 1)]
    checks.equal("table of gaps", bins, [tuple(int(row[key]) for key in ("from", "to", "gaps"))
                                         for row in rows_of(report, "neutrino_gaps.csv")])
    _, marks = read_figure(report, "gaps")
    checks.equal("gaps", [one for one in bins if one[2]],
                 [tuple(number(v[key]) for key in ("from", "to", "gaps")) for _, _, v in marks if number(v["gaps"])])


def check_sms(checks, report):
    """SM 7 spans 400 cycles, SM 3 180, both 10 of them without a block."""
    _, marks = read_figure(report, "sm_imbalance")
    checks.equal("SMs, the longest first", [("7", "with blocks", 390), ("7", "without", 10), ("3", "with blocks", 170),
                                                  ("3", "without", 10)],
                 [(sm, key, number(v[key])) for _, sm, v in marks for key in ("with blocks", "without") if key in v])
    _, marks = read_figure(report, "resident_blocks")
    rows = [row for row in rows_of(report, "neutrino_residents.csv") if row["part"] == "run"]
    checks.equal("resident blocks", [(float(row["begin"]), float(row["end"]), float(row["resident_blocks"])) for row in rows
                                     if float(row["resident_blocks"])],
                 [(number(v["begin"]), number(v["end"]), number(v["resident_blocks"])) for _, _, v in marks
                  if number(v["resident_blocks"])])


def check_limits(checks):
    """Six SMs at most, those with the most work; 48 rows of slots for them, 32 of one; 2000 bars for all of them."""
    many = [(100 + 20 * k, 10, sm) for sm in range(1, 9) for k in range(sm)] + [(100 + i, 5000, 9) for i in range(40)]
    _, report = analyse_blocks(checks, "many SMs", many)
    _, marks = read_figure(report, "block_schedule")
    blocks = [(panel, slot) for panel, slot, v in marks if v["what"] == "busy"]
    checks.equal("many SMs", {"SM 4": 4, "SM 5": 5, "SM 6": 6, "SM 7": 7, "SM 8": 8, "SM 9": 32},
                 {panel: sum(one == panel for one, _ in blocks) for panel, _ in blocks})
    _, report = analyse_blocks(checks, "high SMs", [(100 + i, 5000 + sm, sm) for sm in range(4) for i in range(40)])
    _, marks = read_figure(report, "block_schedule")
    checks.equal("high SMs", {("SM 3", str(i)) for i in range(32)}, {(panel, slot) for panel, slot, _ in marks})
    for count, shown in ((1999, 1999), (2002, 1999)):
        _, report = analyse_blocks(checks, f"{count} blocks", [(100 + 10 * i, 10, 2) for i in range(count)])
        texts, marks = read_figure(report, "block_schedule")
        checks.equal(f"{count} blocks: drawn, and what is said", (shown, count > shown),
                     (len(marks), "2000 bars of each at most" in " ".join(texts)))


# ---- accesses --------------------------------------------------------------------------------------------------------

def split_tensors(folder):
    """Six tensors instead of four: the third one's pages in four parts, of which the last is nobody's."""
    path = os.path.join(folder, "tensor.trace")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    fields = lines[2].split("  ")
    size, address = (int(fields[3]) + 1) // 4, int(fields[4])
    parts = ["  ".join([*fields[:3], str(size - 1), str(address + i * size), f"part_{i}_of_value", *fields[6:]])
             for i in range(3)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:2] + parts + lines[3:]) + "\n")


def check_accesses(checks):
    """The cells of the report, two columns as one, of the five tensors with the most accesses, from the highest page down."""
    folder = checks.make("picture of accesses", "dmat", "--blocks", "8")
    split_tensors(folder)
    _, report = checks.analyse(folder, "--pictures")
    clean = load(report, "dmat.json")["clean"]
    pages, last = page_addresses(clean), clean["max_clock"] + 1
    by_accesses = sorted(clean["tensors"].items(), key=lambda item: -item[1]["accesses"])
    checks.equal("accesses: tensors", 7, len(by_accesses))
    begins = [-(-column * last // 160) for column in range(0, 161, 2)]
    wanted = []
    for name, tensor in by_accesses[:5]:
        cells = {}
        for row, column, count, _ in tensor["cells_rcnl"]:
            place = -row, column // 2
            cells[place] = cells.get(place, 0) + count
        wanted += [(name, f"{pages[-(row * len(pages) // 100)]:x}", begins[column], begins[column + 1], count)
                   for (row, column), count in sorted(cells.items())]
    texts, marks = read_figure(report, "dmat")
    given = [(panel, page, *(number(v[key]) for key in ("from", "to", "accesses"))) for panel, page, v in marks]
    checks.equal("accesses: cells", wanted, given)
    checks.equal("accesses: tensors that are not drawn", True, "2 more tensors are not drawn." in " ".join(texts))


def check_distant_pages(checks):
    """Between pages that are no neighbours stands a line that says how far they are from each other."""
    path = os.path.join(checks.scratch, "distant.bin")
    accesses = [(10, 16), (20, 17), (30, 500), (40, 502)]
    with open(path, "wb") as file:
        file.write(struct.pack("<8I2IQ", 1, 1, 1, 1, 1, 1, 0, 1, 16 * len(accesses), 1, 48))
        file.write(b"".join(struct.pack("<QQ", clock, page << 16) for clock, page in accesses))
    _, report = checks.analyse(path, *(word.format(len(accesses)) for word in DMAT_MAP), "--pictures")
    texts, marks = read_figure(report, "dmat")
    checks.equal("distant pages: cells", ["1f60000", "1f40000", "110000", "100000"], [page for _, page, _ in marks])
    at = texts.index("1f60000")
    checks.equal("distant pages: lines", ["1f60000", "... 1 pages", "1f40000", "... 482 pages", "110000", "100000"],
                 [text.rstrip() for text in texts[at:at + 6]])


# ---- runs ------------------------------------------------------------------------------------------------------------

RUN = """[init] pid 105
[init] cmd 12 python x.py
[probe] find aa name {op}_kernel bin bb size 5
[exec] funcmap-find aa success
[exec] 1000000 param 1
[exec] grid 2 1 1 block 32 1 1 shared 0
[exec] succeed 0
[benchmark] prologue 0.25 kernel {kernel} epilogue 0.5 original 0.5 impact {impact} 0
"""
PTXAS = """ptxas probed.ptx
ptxas info    : Used {} registers
ptxas pruned.ptx
ptxas info    : Used 40 registers
"""


def check_runs(checks):
    """Slowdown, registers and times of a tree of four runs, that of dmat on conv the slowest."""
    tree = os.path.join(checks.scratch, "picture of runs")
    runs = {("gemm", "dmat"): (1.5, 44), ("gemm", "sched"): (1, 41), ("conv", "dmat"): (2, 50), ("conv", "sched"): (0.75, 40)}
    for (op, probe), (kernel, registers) in runs.items():
        folder = os.path.join(tree, op, probe, "trace", "kernel", "0_aa")
        os.makedirs(folder)
        with open(os.path.join(folder, "process.log"), "w", encoding="utf-8") as file:
            file.write(PTXAS.format(registers))
        with open(os.path.join(folder, "kernel.info"), "w", encoding="utf-8") as file:
            file.write(f"{op}_kernel\n1\n0\n")
        with open(os.path.join(tree, op, probe, "trace", "event.log"), "w", encoding="utf-8") as file:
            file.write(RUN.format(op=op, kernel=kernel, impact=2 * kernel))
    done, report = checks.analyse(tree, "--pictures")
    _, marks = read_figure(report, "slowdown")
    checks.equal("slowdown", [("conv", "dmat", 4), ("conv", "sched", 1.5), ("gemm", "dmat", 3), ("gemm", "sched", 2)],
                 [(op, probe, number(v["total_slowdown"])) for op, probe, v in marks])
    _, marks = read_figure(report, "registers")
    sums = {}
    for probe, kernel, v in marks:
        sums[probe, kernel] = sums.get((probe, kernel), 0) + sum(number(v[key]) for key in ("without probes", "added by probes")
                                                                 if key in v)
    checks.equal("registers", {(probe, f"{op}_kernel"): registers for (op, probe), (_, registers) in runs.items()}, sums)
    _, marks = read_figure(report, "kernels")
    checks.equal("times of kernels", [("conv_kernel", 2.75), ("gemm_kernel", 2.5)],
                 [(kernel, number(v["kernel"])) for _, kernel, v in marks if "kernel" in v])
    checks.equal("runs: headline", "Kernels take 1.50 to 4.00 times as long with probes, dmat on conv the longest; probes add 3.8 "
                 "registers to a kernel on average.", done.stderr.decode().split("\n")[0])


def check_pictures(checks):
    check_files(checks)
    check_latencies(checks)
    done, report = analyse_blocks(checks, "a few blocks", BLOCKS)
    checks.equal("blocks: headline", "8 blocks of a kernel on 2 SMs: 18.9 % of the time of slots is empty between blocks, the longest "
                 "SM takes 1.38 times the mean.", done.stderr.decode().split("\n")[0])
    check_schedule(checks, report)
    check_gaps(checks, report)
    check_sms(checks, report)
    check_limits(checks)
    check_accesses(checks)
    check_distant_pages(checks)
    check_runs(checks)
