"""odd_records.py: records whose fields lie where --map says, in any order and width, with values at the ends of their
ranges. What is expected is computed here from the same records."""
import bisect
import os
import random
import struct

from files import load

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


def check_odd_records(checks, odd_blocks, exact, compatible):
    check_accesses(checks)
    check_blocks(checks, odd_blocks, exact, compatible)
    check_widths(checks)
