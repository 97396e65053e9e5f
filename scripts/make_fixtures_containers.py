#!/usr/bin/env python3
"""Writes the fixtures that are packed as zstd or zip, whole and damaged, always the same bytes.

usage: make_fixtures_containers.py [--check] [FOLDER]      (default: fixtures of this repository)

Python's library has no zstd, so the frames are written by hand out of raw and run-length blocks; what real encoders make
is covered by the unit tests, which use the library. Zip archives are written by hand too: the library would not make
damaged ones. The traces inside are two events in JSON, or a slice in binary Perfetto.
"""
import gzip
import struct
import sys
import zlib

from fixture_files import write_or_check
from make_fixtures_proto import PAIR, THREAD, field, packet

JSON = (b'{"traceEvents":[\n{"name":"step","ph":"B","ts":1,"pid":1,"tid":2},\n{"ph":"E","ts":3,"pid":1,"tid":2}\n]'
        + b" " * 600 + b"}\n")


def block(kind, size, data, last=False):
    return struct.pack("<I", last | kind << 1 | size << 3)[:3] + data


def frame(*blocks, window=10):
    """A frame with a window of 2^window bytes (blocks may not be larger), without a checksum."""
    return b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(window - 10) << 3]) + b"".join(blocks)


def raw_frame(data):
    """The data in raw blocks of 64 bytes, runs of blanks in run-length blocks."""
    blocks = []
    while data:
        run = len(data) - len(data.lstrip(b" "))
        size = min(run, 1024) if run > 3 else min(64, len(data), data.find(b"    ") % 65536 or 64)
        kind = 1 if run > 3 else 0
        blocks.append((kind, size, data[:1] if kind else data[:size]))
        data = data[size:]
    return frame(*(block(*b, last=i + 1 == len(blocks)) for i, b in enumerate(blocks)))


def skippable(data):
    return b"\x50\x2a\x4d\x18" + struct.pack("<I", len(data)) + data


def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zip_numbers(stored, plain, crc, wide):
    small = (0xFFFFFFFF, 0xFFFFFFFF) if wide else (len(stored), len(plain))
    extra = struct.pack("<HHQQ", 1, 16, len(plain), len(stored)) if wide else b""
    return struct.pack("<III", zlib.crc32(plain) ^ crc, *small), extra


def archive(*files, comment=b""):
    """Files: dicts of name, plain, and method (8), flags (0), crc (what is mixed into it), wide (zip64)."""
    out, directory = b"", b""
    for f in files:
        method, flags = f.get("method", 8), f.get("flags", 0)
        stored = deflate(f["plain"]) if method == 8 else f["plain"]
        numbers, extra = zip_numbers(stored, f["plain"], f.get("crc", 0), f.get("wide", False))
        name = f["name"].encode()
        common = struct.pack("<HHHHH", 20, flags, method, 0, 0x21) + numbers + struct.pack("<HH", len(name), len(extra))
        directory += (b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name
                      + extra)
        out += b"PK\3\4" + common + name + extra + stored
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(out), len(comment))
    return out + directory + b"PK\5\6" + end + comment


def make():
    json = {"name": "trace.json", "plain": JSON}
    binary = THREAD + PAIR * 20
    zstd = raw_frame(JSON)
    two_frames = skippable(b"made by hand") + raw_frame(JSON[:100]) + raw_frame(JSON[100:])
    yield "small.json.zst", two_frames
    yield "small.pftrace.zst", raw_frame(binary)
    yield "small.json.zip", archive({"name": "run/", "plain": b"", "method": 0}, json)
    yield "small_stored.zip", archive({**json, "method": 0})
    yield "small_zip64.zip", archive({**json, "wide": True}, comment=b"made by hand")
    yield "small_gzip.zip", archive({"name": "trace.json.gz", "plain": gzip.compress(JSON, mtime=0), "method": 0})
    yield "small_zstd.zip", archive({"name": "trace.json.zst", "plain": zstd})
    yield "small.pftrace.zip", archive({"name": "trace.pftrace", "plain": binary})
    yield "small_packets_zstd.pftrace", THREAD + packet((133, raw_frame(PAIR * 20)))

    yield "bad/zstd_cut.json.zst", two_frames[:-8]
    yield "bad/zstd_garbage.json.zst", raw_frame(JSON[:100]) + frame(block(0, 20, JSON[100:120]), block(3, 5, b"12345"))
    yield "bad/zstd_trailing.json.zst", zstd + bytes(512)
    yield "bad/zstd_window.json.zst", frame(block(0, 2, b"[]", True), window=41)
    yield "bad/zip_two_files.zip", archive(json, {"name": "other.json", "plain": JSON})
    yield "bad/zip_no_file.zip", archive()
    yield "bad/zip_encrypted.zip", archive({**json, "flags": 1})
    yield "bad/zip_method.zip", archive({**json, "method": 14})
    yield "bad/zip_checksum.zip", archive({**json, "crc": 1})
    yield "bad/zip_cut.zip", archive({**json, "method": 0})[:190]
    yield "bad/zip_in_zip.zip", archive({"name": "inner.zip", "plain": archive(json)})
    yield "bad/pf_zstd_packets_cut.pftrace", THREAD + packet((133, raw_frame(PAIR * 20)[:-9]))
    yield "bad/pf_zstd_packets_nested.pftrace", THREAD + packet((133, raw_frame(PAIR + packet((133, raw_frame(PAIR))))))
    yield "bad/pf_zstd_packets_mixed.pftrace", (THREAD + packet((50, zlib.compress(PAIR))) +
                                                 packet((133, raw_frame(PAIR))))


if __name__ == "__main__":
    sys.exit(write_or_check((name if "/" in name else "containers/" + name, data) for name, data in make()))
