"""tables.py: sums that `analyze neutrino` reports, added up here from the bytes of generated recordings; its CSV files
hold what its JSON documents say, with what follows from it."""
import math
import os
import struct

from files import load, read_trace, rows_of


def in_groups(values, size):
    return [sum(values[i:i + size]) for i in range(0, len(values), size)]


def check_launches(checks, report, trace):
    """One launch of one kernel, as the log says it."""
    launch, = load(report, "launches.json")
    row, = rows_of(report, "neutrino_launches.csv")
    expected = {"run": os.path.dirname(os.path.dirname(trace)), "kernel": launch["name"], "ts": launch["ts"], "blocks": math.prod(launch["grid"]),
                "threads": math.prod(launch["block"]), "shared": launch["shared"], "probe_mem": launch["probe_mem"],
                "status": launch["status"],
                **{key: f"{launch[key]:.6f}" for key in ("prologue_ms", "kernel_ms", "epilogue_ms")},
                "original_ms": "", "impact": ""}
    checks.equal("table of launches", {key: str(value) for key, value in expected.items()}, row)
    checks.equal("kernel of the launch", "generated_kernel", launch["name"])
    return {"file": trace, "kernel": launch["name"]}


def check_scheduling(checks, report, place):
    found = load(report, "block_sched.json")
    exact, compatible, tail = found["exact"], found["compat"], found["tail"]
    sms = rows_of(report, "neutrino_sm.csv")
    checks.equal("table of SMs", [{"file": place["file"], "sm": sm, **{key: str(value) for key, value in one.items()},
                                   "compat_gap": str(compatible["per_sm"][sm]["gap"])} for sm, one in exact.items()], sms)
    each, row = list(exact.values()), rows_of(report, "neutrino_sched.csv")[0]
    running, scheduling = (sum(one[key] for one in compatible["per_sm"].values()) for key in ("work", "gap"))
    exact_gap, work = sum(one["gap_sum"] for one in each), sum(one["work_sum"] for one in each)
    spans = [one["span"] for one in each]
    expected = {**place, "blocks": sum(one["blocks"] for one in each), "sms": len(each), "running": running // len(each),
                "scheduling": scheduling // len(each), "gap_share": f"{scheduling / (scheduling + running):.4f}",
                "exact_gap_share": f"{exact_gap / (exact_gap + work):.4f}",
                "imbalance": f"{max(spans) / (sum(spans) / len(spans)):.4f}", "span_max": max(spans),
                "span_mean": f"{sum(spans) / len(spans):.1f}", "blocks_per_sm_min": min(one["blocks"] for one in each),
                "blocks_per_sm_max": max(one["blocks"] for one in each), "tail_max": max(one["tail"] for one in each),
                "idle_tail": ""}
    checks.equal("table of scheduling", {key: str(value) for key, value in expected.items()}, row)
    checks.equal("spans", {"span_max": max(spans), "span_min": min(spans), "span_mean": sum(spans) / len(spans),
                           "imbalance": max(spans) / (sum(spans) / len(spans)),
                           "blocks_per_sm_max": expected["blocks_per_sm_max"],
                           "blocks_per_sm_min": expected["blocks_per_sm_min"]},
                 tail)
    return running // len(each), scheduling // len(each)


def check_two_maps(checks):
    threads, blocks = 96, 40
    folder = checks.make("tables", "two_maps", "--threads", str(threads), "--blocks", str(blocks), "--sms", "5", "--slots",
                         "2")
    done, report = checks.analyse(folder)
    checks.equal("tables: exit code", 0, done.returncode)
    place = check_launches(checks, report, os.path.join(folder, "result", "0.500000.bin"))
    running, scheduling = check_scheduling(checks, report, place)
    pairs = list(struct.iter_unpack("<II", read_trace(folder)[-blocks * threads * 8:]))
    sync, other = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    found = load(report, "gmem_bytes.json")
    checks.equal("bytes", {"sync_bytes": sync, "async_bytes": other, "gmem_bytes": sync + other,
                           "line": f"gmem_bytes:{sync + other}",
                           "per_block": in_groups([a + b for a, b in pairs], threads)}, found)
    row = {**place, "sync_bytes": str(sync), "async_bytes": str(other), "gmem_bytes": str(sync + other)}
    checks.equal("table of bytes", [row], rows_of(report, "neutrino_gmem.csv"))
    warps = blocks * threads // 32
    offsets = load(report, "multi.json")
    section = lambda i, name, kind, units, running, scheduling, total: {
        "file": place["file"], "section": str(i), "map": name, "kind": kind, "units": str(units),
        "complete_units": str(units), "true_offset": str(offsets["true_offsets"][i]),
        "header_offset": str(offsets["header_offsets"][i]),
        "running": str(running), "scheduling": str(scheduling), "gmem_bytes": str(total)}
    checks.equal("table of sections", [section(0, "block_sched", "block_sched", warps, running, scheduling, ""),
                                       section(1, "GMEMBytes", "gmem_bytes", blocks * threads, "", "", sync + other)],
                 rows_of(report, "neutrino_multi.csv"))
    checks.equal("what is printed", sorted([f"No.block:{blocks} Running:{running} Scheduling:{scheduling}(cycle)",
                                            f"gmem_bytes:{sync + other}"]),
                 sorted(line for line in done.stdout.decode().splitlines() if not line.startswith("[write]")))


def check_tensor_operations(checks):
    blocks, threads = 7, 64
    folder = checks.make("tensor tables", "tensorop", "--blocks", str(blocks), "--threads", str(threads))
    counts = [count for count, in struct.iter_unpack("<Q", read_trace(folder)[-blocks * threads * 8:])]
    _, report = checks.analyse(folder)
    checks.equal("tensor operations", {"total": sum(counts), "max": max(counts), "per_block": in_groups(counts, threads)},
                 load(report, "tensorop.json"))
    row, = rows_of(report, "neutrino_tensorops.csv")
    checks.equal("table of tensor operations", (str(sum(counts)), str(max(counts))), (row["total"], row["max"]))


def check_progress(checks):
    """The samples of a thread end at the first zero; their rate is that of all threads together."""
    blocks, threads, records = 3, 32, 16
    folder = checks.make("progress tables", "progress", "--blocks", str(blocks), "--threads", str(threads), "--records",
                         str(records))
    clocks = [clock for clock, in struct.iter_unpack("<Q", read_trace(folder)[-blocks * threads * records * 8:])]
    samples = []
    for i in range(0, len(clocks), records):
        one = clocks[i:i + records]
        samples.append(one[:one.index(0)] if 0 in one else one)
    _, report = checks.analyse(folder)
    every = [clock for one in samples for clock in one]
    checks.equal("progress", {"samples": len(every), "per_thread": [len(one) for one in samples], "first": min(every),
                              "last": max(every)}, load(report, "program_progress.json"))
    moving = [one for one in samples if len(one) > 1 and one[-1] > one[0]]
    rate = sum(len(one) - 1 for one in moving) / sum(one[-1] - one[0] for one in moving)
    row, = rows_of(report, "neutrino_progress.csv")
    last = list(row)[-1]
    checks.equal("table of progress", [str(blocks * threads), str(len(every)), str(min(every)), str(max(every))],
                 list(row.values())[2:6])
    checks.equal("rate of samples", True, abs(float(row[last]) - rate) <= 1e-6 + 1e-4 * rate)


def check_long_lists(checks):
    """65,536 numbers are listed, more are not."""
    for blocks in (65536, 65537):
        folder = checks.make(f"long {blocks}", "gmem_bytes", "--blocks", str(blocks), "--threads", "1")
        _, report = checks.analyse(folder)
        found = load(report, "gmem_bytes.json")
        checks.equal(f"lists of {blocks}", blocks if blocks == 65536 else 0, len(found.get("per_block", [])))


def check_idle_tail(checks):
    """With clocks that all SMs share: from where the first of them has nothing more to do to the end."""
    folder = checks.make("idle tail", "block_sched", "--threads", "32", "--blocks", "50", "--sms", "4")
    _, report = checks.analyse(folder, "--timer", "global")
    ends = {}
    for start, elapsed, sm in struct.iter_unpack("<QII", read_trace(folder)[-50 * 16:]):
        ends[sm] = max(ends.get(sm, 0), start + elapsed)
    row, = rows_of(report, "neutrino_sched.csv")
    checks.equal("idle tail", str(max(ends.values()) - min(ends.values())), row["idle_tail"])


def curve(spans, begin, end):
    """Means over stretches of a power of two cycles, at most 256 of them."""
    length = 1
    while (end - begin) // length >= 256:
        length *= 2
    sums = [0] * ((end - begin) // length + 1)
    for start, to in ((max(start, begin) - begin, to - begin) for start, to in spans if to > begin):
        for i in range(start // length, to // length + 1):
            sums[i] += min(to, (i + 1) * length) - max(start, i * length)
    edges = [*range(begin, end, length), end]
    return [(str(a), str(b), sums[i] / (b - a)) for i, (a, b) in enumerate(zip(edges, edges[1:]))]


def check_residents(checks):
    """From the first block of each SM (or of all, with one clock) to the last end, whatever the order and the length of
    the run; and the end alone where the tail is short."""
    for blocks, options in ((1, ()), (50, ("--sms", "4")), (3000, ("--shuffle", "--sms", "3")), (20000, ()),
                            (400, ("--timer", "global"))):
        timer = [word for word in options if word in ("--timer", "global")]
        name = f"residents {blocks}"
        folder = checks.make(name, "block_sched", "--threads", "32", "--blocks", str(blocks),
                             *(word for word in options if word not in timer))
        _, report = checks.analyse(folder, *timer)
        records = list(struct.iter_unpack("<QII", read_trace(folder)[-blocks * 16:]))
        first = {}
        for start, _, sm in records:
            first[sm] = min(first.get(sm, start), start)
        if timer:
            first = dict.fromkeys(first, min(first.values()))
        spans = [(start - first[sm], start + elapsed - first[sm]) for start, elapsed, sm in records]
        end, tail = max(to for _, to in spans), int(rows_of(report, "neutrino_sched.csv")[0]["tail_max"])
        parts = {"run": curve(spans, 0, end), "tail": curve(spans, end - 4 * tail, end) if 0 < tail < end // 8 else []}
        rows = rows_of(report, "neutrino_residents.csv")
        for part, expected in parts.items():
            found = [(row["begin"], row["end"], float(row["resident_blocks"])) for row in rows if row["part"] == part]
            checks.equal(f"{name}: rows of {part}", [row[:2] for row in expected], [row[:2] for row in found])
            checks.equal(f"{name}: {part}", [], [(a, b) for a, b in zip(expected, found) if abs(a[2] - b[2]) > 0.0011])
        checks.equal(f"{name}: the tail is there", 0 < tail < end // 8, rows[-1]["part"] == "tail")
        checks.equal(f"{name}: a short one", True, blocks != 20000 or tail < end // 8)


def check_tables(checks):
    check_idle_tail(checks)
    check_two_maps(checks)
    check_tensor_operations(checks)
    check_progress(checks)
    check_long_lists(checks)
    check_residents(checks)
