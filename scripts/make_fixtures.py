#!/usr/bin/env python3
"""make_fixtures.py [--check]: writes our own small traces into fixtures/, always the same bytes.

With --check nothing is written; it fails when a fixture does not hold what this program makes (compressed files are
compared by their content, because zlib versions compress differently).
"""
import gzip
import os
import sys
import zlib

import gen_aie
import make_twin

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")


def replace_once(text, old, new):
    if text.count(old) != 1:
        sys.exit(f"make_fixtures: {old!r} is not there exactly once")
    return text.replace(old, new)


def small_trace():
    """Two cores, six iterations of four kernels, one tile memory, one shim."""
    return gen_aie.make_json(cores=2, iterations=6, kernels=4)


def mini_trace():
    """Hand-made: one core, one iteration of two kernels of 101 cycles; the case below follows from aie.md by hand."""
    lines = ['{"name": "process_name", "ph": "M", "pid": 5, "args": {"name": "core_trace for tile2,1"}}']
    for entry, leave in ((10, 110), (120, 220)):
        for name, ts in (("INSTR_EVENT_0", entry), ("INSTR_EVENT_1", leave)):
            for phase in "BE":
                lines.append(f'{{"name": "{name}", "ts": {ts + (phase == "E")}, "ph": "{phase}", "pid": 5, "tid": 0}}')
    return "[" + ",\n".join(lines) + "]\n"


def make_all():
    """File name -> bytes; names ending in .gz hold what is to be compressed, paired with how much of it is kept."""
    small = small_trace()
    twin = make_twin.make_twin(make_twin.load_events(small.encode()))
    plain = {
        "aie_small.json": small.encode(),
        "aie_small.pftrace": twin,
        "conformance/aie/mini/trace.json": mini_trace().encode(),
        "bad/aie_cut.json": small.encode()[: len(small) // 3],
        "bad/aie_bad_ts.json": replace_once(mini_trace(), '"ts": 10,', '"ts": "soon",').encode(),
        "bad/aie_missing_ts.json": replace_once(mini_trace(), '"ts": 10, ', "").encode(),
        "bad/aie_text.json": b"This is a note about a trace, not a trace.\n",
        "bad/aie_cut.pftrace": twin[: len(twin) // 3],
    }
    compressed = {
        "aie_small.json.gz": (small.encode(), None),
        "aie_small.pftrace.gz": (twin, None),
        "bad/aie_cut.json.gz": (small.encode(), 2000),
    }
    return plain, compressed


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as target:
        target.write(data)


def read(path):
    try:
        with open(path, "rb") as source:
            return source.read()
    except FileNotFoundError:
        return None


def same_content(stored, data, kept):
    """Whether `stored` is a gzip of data, or, if it was cut, a gzip of its beginning."""
    if stored is None:
        return False
    if kept is None:
        return gzip.decompress(stored) == data
    begun = zlib.decompressobj(31).decompress(stored)
    return len(stored) == kept and len(begun) > 0 and data.startswith(begun)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: make_fixtures.py [--check]")
    wrong = []
    plain, compressed = make_all()
    for name, data in plain.items():
        path = os.path.join(FOLDER, name)
        if not check:
            write(path, data)
        elif read(path) != data:
            wrong.append(name)
    for name, (data, kept) in compressed.items():
        path = os.path.join(FOLDER, name)
        if not check:
            write(path, gzip.compress(data, 9, mtime=0)[:kept])
        elif not same_content(read(path), data, kept):
            wrong.append(name)
    if wrong:
        sys.exit("fixtures that differ from what make_fixtures.py makes: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
