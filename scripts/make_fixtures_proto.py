#!/usr/bin/env python3
"""Writes fixtures/bad/*.pftrace: small binary traces, one file per kind of damage.

usage: make_fixtures_proto.py [--check] [FOLDER]      (default: fixtures/bad of this repository)

The packets are put together by hand here, independently of the C writer, with nothing but the standard library.
"""
import struct
import sys
import zlib

from fixture_files import FIXTURES, write_or_check


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A varint field for an int, a fixed64 field for a float, else a length-delimited one."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def packet(*fields):
    return field(1, message(*fields))


def event(ts, kind, name=None, track=10, extra=()):
    fields = [(9, kind), (11, track)] + ([(23, name)] if name else []) + list(extra)
    return packet((8, ts), (10, 1), (11, message(*fields)))


BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
THREAD = packet((60, message((1, 10), (4, message((1, 100), (2, 101), (5, "worker"))))))
PAIR = event(1000, BEGIN, "kernel") + event(2000, END)


def nested_annotation(levels):
    inner = message((10, "leaf"), (4, 1))
    for _ in range(levels):
        inner = message((10, "d"), (11, inner))
    return inner


def make():
    whole = THREAD + PAIR
    yield "pf_cut_packet", whole + event(3000, BEGIN, "lost")[:-5]
    yield "pf_cut_header", whole + b"\x0a"
    yield "pf_garbage_tail", whole + b"\x0b\xff\xff" + PAIR
    yield "pf_packet_overrun", THREAD + b"\x0a\x04" + b"\x40\x01\x5a\x7f" + PAIR
    yield "pf_unknown_fields", b"\x0a\x00" + field(7, 5) + field(9, b"unknown") + field(900000, 1.5) + whole
    yield "pf_no_sequence", THREAD + packet((8, 1), (11, message((9, BEGIN), (11, 10)))) + PAIR
    yield "pf_no_timestamp", THREAD + packet((10, 1), (11, message((9, BEGIN), (11, 10), (23, "timeless")))) + PAIR
    yield "pf_state_lost", (THREAD + packet((8, 1), (10, 2), (13, 2), (11, message((9, INSTANT), (11, 10), (10, 1))))
                            + packet((10, 2), (42, 1)) + PAIR)
    yield "pf_unknown_iid", THREAD + event(1, INSTANT, None, 10, [(10, 99), (3, 98)]) + PAIR
    yield "pf_track_loop", (packet((60, message((1, 20), (5, 21), (2, "a")))) +
                            packet((60, message((1, 21), (5, 20), (2, "b")))) +
                            event(1, INSTANT, "looping", 20) + whole)
    yield "pf_track_orphan", packet((60, message((1, 20), (5, 77), (2, "a")))) + event(1, INSTANT, "orphan", 20) + whole
    yield "pf_track_conflict", whole + packet((60, message((1, 10), (3, message((1, 5))))))
    yield "pf_counter_unknown", whole + event(5, COUNTER, None, 33, [(30, 1)])
    yield "pf_clock_unknown", whole + packet((8, 5), (10, 1), (58, 3), (11, message((9, INSTANT), (11, 10))))
    yield "pf_deep_args", THREAD + event(1, INSTANT, "deep", 10, [(4, nested_annotation(2000))]) + PAIR
    yield "pf_compressed_cut", THREAD + packet((50, zlib.compress(PAIR * 50)[:-9]))
    yield "pf_compressed_nested", THREAD + packet((50, zlib.compress(PAIR + packet((50, zlib.compress(PAIR))))))
    yield "pf_compressed_garbage", whole + packet((50, b"not zlib"))


if __name__ == "__main__":
    sys.exit(write_or_check(((name + ".pftrace", data) for name, data in make()), FIXTURES / "bad"))
