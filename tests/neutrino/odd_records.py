"""odd_records.py: records whose fields lie where --map says, in any order and width, with values at the ends of their
ranges. What is expected is computed here from the same records."""
import bisect
import os
import random
import struct

from files import load, rows_of

LATE = 5_000_000  # accesses at this clock and later are not in the clean view
MOST = 2 ** 64 - 1  # a clock that says that the record is invalid

# The option's fields, and the record as bytes: wide fields come first.
ACCESSES = [("clock=u64,addr=u64", lambda clock, address: struct.pack("<QQ", clock, address)),
            ("addr=u64,clock=u64", lambda clock, address: struct.pack("<QQ", address, clock)),
            ("clock=u64,other=u64,addr=u64", lambda clock, address: struct.pack("<QQQ", clock, 7, address)),
            ("addr=u32,clock=u64", lambda clock, address: struct.pack("<QI", clock, address))]
BLOCKS = [("start=u64,elapsed=u32,cuid=u32", lambda start, elapsed, sm: struct.pack("<QII", start, elapsed, sm)),
          ("cuid=u32,start=u64,elapsed=u32", lambda start, elapsed, sm: struct.pack("<QII", start, sm, elapsed)),
          ("elapsed=u32,smid=u64,start=u64", lambda start, elapsed, sm: struct.pack("<QQI", sm, start, elapsed)),
          ("start=u64,elapsed=u64,smid=u32", lambda start, elapsed, sm: struct.pack("<QQI", start, elapsed, sm)),
          ("start=u64,smid=u32,elapsed=u32,cuid=u32",
           lambda start, elapsed, sm: struct.pack("<QIII", start, 3, elapsed, sm))]


def write(path, blocks, threads, lanes, unit, data):
    with open(path, "wb") as out:
        out.write(struct.pack("<8I2IQ", blocks, 1, 1, threads, 1, 1, 0, 1, unit, lanes, 48) + data)


def counted(records):
    """Counts of dmat.json, cells, and the table of pages."""
    valid = [record for record in records if record[0] != MOST]
    used = [(clock, address >> 16) for clock, address in valid if clock or address]
    clean = [record for record in used if record[0] < LATE]
    pages, last = sorted({page for _, page in clean}), max(clock for clock, _ in clean)
    counts = {"records": len(records), "used": len(used), "zero_slots": len(valid) - len(used),
              "invalid": len(records) - len(valid), "max_clock": max(used)[0],
              "num_pages": len({address >> 16 for _, address in valid}),
              "num_clocks": len({clock for clock, _ in valid})}
    cells, table = {}, {}
    for clock, page in clean:
        cell = bisect.bisect_left(pages, page) * 100 // len(pages), clock * 160 // (last + 1)
        cells[cell] = cells.get(cell, 0) + 1
    for clock, address in valid:
        table[clock, address >> 16] = table.get((clock, address >> 16), 0) + 1
    return counts, (len(pages), last), cells, sorted((clock, page, times) for (clock, page), times in table.items())


def check_accesses(checks):
    late = [LATE - 1, LATE, LATE + 1, 2 ** 26 - 1, 2 ** 26, 2 ** 26, 2 ** 27, 2 ** 40, 2 ** 40, MOST - 1, MOST, MOST]
    rng = random.Random(5)
    for wide in (True, False):
        addresses = [0, 65535, 65536, 2 ** 31] + ([2 ** 47, 2 ** 64 - 1, 2 ** 64 - 65536] if wide else [])
        clocks = late + [0, 1, 2] + [rng.randrange(LATE) for _ in range(32)]
        records = [(clock, rng.choice(addresses)) for clock in clocks]
        records += [(0, 0)] * 5 + [(9, 0), (0, 9)] + [(1000, address) for address in addresses]
        records += [(0, 0)] * (64 - len(records))
        for fields, pack in ACCESSES[:3] if wide else ACCESSES[3:]:
            path, data = os.path.join(checks.scratch, "accesses.bin"), b"".join(pack(*record) for record in records)
            write(path, 2, 8, 1, len(data) // 16, data)
            done, report = checks.analyse(path, "--only", "dmat", "--layout", "v2", "--map", f"m:thread:{fields}:4")
            checks.equal(f"accesses of {fields}: exit code", 0, done.returncode)
            found, (counts, clean, cells, table) = load(report, "dmat.json"), counted(records)
            checks.equal(f"accesses of {fields}: counts", counts, {key: found[key] for key in counts})
            checks.equal(f"accesses of {fields}: clean", clean, (found["clean"]["pages"], found["clean"]["max_clock"]))
            whole = {}
            for tensor in found["clean"]["tensors"].values():
                for row, column, count, _ in tensor["cells_rcnl"]:
                    whole[row, column] = whole.get((row, column), 0) + count
            checks.equal(f"accesses of {fields}: cells", cells, whole)
            with open(os.path.join(report, "page_reference.tsv"), encoding="utf-8") as file:
                rows = [line.split("\t") for line in file.read().splitlines()]
            checks.equal(f"accesses of {fields}: pages", table,
                         [(int(clock), int(page, 16) >> 16, int(times)) for clock, page, times in rows])


def check_blocks(checks, odd_blocks, exact, compatible):
    ids = [0, 5, 1023, 1024, 70000] + list(range(100, 112))
    for i, (fields, pack) in enumerate(BLOCKS):
        path, by_sm = os.path.join(checks.scratch, "blocks.bin"), {}
        blocks = [(start, elapsed, ids[sm]) for start, elapsed, sm in odd_blocks(random.Random(i + 2))]
        data = b"".join(pack(*block) for block in blocks)
        write(path, len(blocks), 32, 32, len(data) // len(blocks), data)
        _, report = checks.analyse(path, "--only", "block_sched", "--layout", "v2", "--map", f"m:warp:{fields}")
        for start, elapsed, sm in blocks:
            if start or elapsed or sm:
                by_sm.setdefault(sm, []).append((start, elapsed))
        found = load(report, "block_sched.json")
        checks.equal(f"blocks of {fields}: exact", {str(sm): exact(by_sm[sm]) for sm in by_sm}, found["exact"])
        checks.equal(f"blocks of {fields}: compatible", compatible(blocks),
                     {sm: {"work": v["work"], "gap": v["gap"]} for sm, v in found["compat"]["per_sm"].items()})


def check_widths(checks):
    """Bytes of global memory are words of 32 bits."""
    path = os.path.join(checks.scratch, "bytes.bin")
    for fields, unit in (("sync_bytes=u64,async_bytes=u32", 12), ("sync_bytes=u32,async_bytes=u64", 12)):
        write(path, 1, 2, 1, unit, bytes(2 * unit))
        done, _ = checks.analyse(path, "--only", "gmem_bytes", "--layout", "v2", "--map", f"m:thread:{fields}:1")
        checks.equal(f"bytes of {fields}", (3, True),
                     (done.returncode, b"fields sync_bytes and async_bytes: are not u32" in done.stderr))


def check_fields(checks):
    """Without a start, a length or an SM records are no blocks; of SMs there are at most 65,536."""
    path = os.path.join(checks.scratch, "fields.bin")
    for fields in ("start=u64,elapsed=u32,sm=u32", "begin=u64,elapsed=u32,cuid=u32", "start=u64,length=u32,cuid=u32"):
        write(path, 1, 32, 32, 16, struct.pack("<QII", 5, 7, 3))
        done, report = checks.analyse(path, "--layout", "v2", "--map", f"block_sched:warp:{fields}")
        checks.equal(f"no blocks of {fields}", (0, False), (done.returncode, "block_sched.json" in os.listdir(report)))
    for sms in (65536, 65537):
        write(path, sms, 32, 32, 16, b"".join(struct.pack("<QII", 5, 7, 3 * sm) for sm in range(sms)))
        done, report = checks.analyse(path, "--only", "block_sched", "--layout", "v2", "--map", f"m:warp:{BLOCKS[0][0]}")
        checks.equal(f"{sms} SMs", (0, False) if sms == 65536 else (3, True),
                     (done.returncode, b"field cuid: has more than 65536 values; check the map" in done.stderr))
        if done.returncode == 0:
            checks.equal(f"{sms} SMs: blocks", {str(3 * sm): 1 for sm in range(sms)},
                         {sm: one["blocks"] for sm, one in load(report, "block_sched.json")["exact"].items()})


def check_unused(checks):
    """Records that are all zero are blocks of SM 0 to the original's sums, and nobody's to the exact ones. SM 3 works for
    5 and 3 cycles with 2 between them, SM 4 for 20, until 20 cycles later."""
    path, unused = os.path.join(checks.scratch, "unused.bin"), [(0, 0, 0)]
    sm = lambda work, gap, blocks: {"work": work, "gap": gap, "blocks": blocks}
    cases = [(unused * 4, (0, 0, 3), {"0": sm(0, 0, 4)}, (0, 0, 0.0, 1.0, 0, 0),
              ("4", "1", "0", "0", "", "", "", "0", "0.0", "0", "0", "0", "0")),
             (unused * 3 + [(10, 5, 3), (17, 3, 3), (20, 20, 4)], (9, 0, 3),
              {"0": sm(0, 0, 3), "3": sm(8, 2, 2), "4": sm(20, 0, 1)}, (20, 10, 15.0, 4 / 3, 2, 1),
              ("6", "3", "9", "0", "0.0000", "0.0667", "1.3333", "20", "15.0", "1", "2", "0", "20"))]
    for blocks, (running, scheduling, pairs), per_sm, tail, row in cases:
        write(path, len(blocks), 32, 32, 16, b"".join(struct.pack("<QII", *block) for block in blocks))
        _, report = checks.analyse(path, "--layout", "v2", "--map", f"m:warp:{BLOCKS[0][0]}", "--timer", "global")
        found, line = load(report, "block_sched.json"), f"No.block:{len(blocks)} Running:{running} Scheduling:{scheduling}(cycle)"
        checks.equal(f"{line}: compatible",
                     {"blocks": len(blocks), "sms": len(per_sm), "running": running, "scheduling": scheduling, "pairs": pairs,
                      "line": line, "per_sm": per_sm}, found["compat"])
        checks.equal(f"{line}: tail", dict(zip(("span_max", "span_min", "span_mean", "imbalance", "blocks_per_sm_max",
                                                "blocks_per_sm_min"), tail)), found["tail"])
        checks.equal(f"{line}: exact", [name for name in per_sm if name != "0"], list(found["exact"]))
        checks.equal(f"{line}: table", [(path, "", *row)], [tuple(one.values()) for one in rows_of(report, "neutrino_sched.csv")])
        checks.equal(f"{line}: SMs", ["0", *found["exact"]], [one["sm"] for one in rows_of(report, "neutrino_sm.csv")])


def check_odd_records(checks, odd_blocks, exact, compatible):
    check_accesses(checks)
    check_blocks(checks, odd_blocks, exact, compatible)
    check_widths(checks)
    check_fields(checks)
    check_unused(checks)
