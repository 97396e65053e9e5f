#!/usr/bin/env python3
"""Turns a trace into one that looks like a long recording written into a file.

    make_service_trace.py IN.pftrace OUT.pftrace

Such recordings carry a TraceConfig with write_into_file and, between stretches of events, service events that say "all
data sources were flushed" and "the buffers were read". Perfetto's importer then hands out events while it still reads,
and drops whatever comes later with an earlier time. The packets of IN are ordered by time (stably; packets without a time
stay with the one before them), cut into ROUNDS stretches, and each stretch is followed by the two events. Interned data
would be used before it is defined by that, so all of it moves into one packet after the first of its sequence.
"""
import sys

ROUNDS = 4
SERVICE_SEQUENCE = 9999

TRACE_PACKET = 1
PACKET_TIMESTAMP = 8
PACKET_SEQUENCE = 10
PACKET_INTERNED_DATA = 12
PACKET_TRACE_CONFIG = 33
PACKET_SERVICE_EVENT = 69
CONFIG_WRITE_INTO_FILE = 8
CONFIG_FILE_WRITE_PERIOD_MS = 9
CONFIG_FLUSH_PERIOD_MS = 13
SERVICE_ALL_FLUSHED = 3
SERVICE_BUFFERS_READ = 4


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Yields (number, value or bytes, start, end) of each field."""
    at = 0
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = read_varint(data, at)
        elif wire == 1:
            value, at = data[at : at + 8], at + 8
        elif wire == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"wire type {wire} at byte {start}")
        yield tag >> 3, value, start, at


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def service_packet(ts, event):
    body = number(PACKET_TIMESTAMP, ts) + number(PACKET_SEQUENCE, SERVICE_SEQUENCE)
    return message(TRACE_PACKET, body + message(PACKET_SERVICE_EVENT, number(event, 1)))


def split_packet(body):
    """Returns (timestamp or None, sequence, the packet without interned data, its interned data)."""
    ts, sequence, rest, interned = None, 0, b"", b""
    for field, value, start, end in fields(body):
        if field == PACKET_INTERNED_DATA:
            interned += value
            continue
        rest += body[start:end]
        if field == PACKET_TIMESTAMP:
            ts = value
        elif field == PACKET_SEQUENCE:
            sequence = value
    return ts, sequence, rest, interned


def load(source):
    """Returns [(time, packet)...] with interned data gathered, not sorted."""
    packets, interned_of, last = [], {}, 0
    for field, body, _, _ in fields(open(source, "rb").read()):
        if field != TRACE_PACKET:
            raise ValueError("not a trace")
        ts, sequence, rest, interned = split_packet(body)
        last = last if ts is None else ts
        packets.append((last, message(TRACE_PACKET, rest)))
        if sequence not in interned_of:
            interned_of[sequence] = [b"", len(packets)]
        interned_of[sequence][0] += interned
    for sequence, (interned, place) in sorted(interned_of.items(), key=lambda item: -item[1][1]):
        if interned:
            body = number(PACKET_SEQUENCE, sequence) + message(PACKET_INTERNED_DATA, interned)
            packets.insert(place, (packets[place - 1][0], message(TRACE_PACKET, body)))
    return packets


def main(source, target):
    packets = load(source)
    packets.sort(key=lambda packet: packet[0])
    last = packets[-1][0]
    config = number(CONFIG_WRITE_INTO_FILE, 1) + number(CONFIG_FILE_WRITE_PERIOD_MS, 1000)
    config += number(CONFIG_FLUSH_PERIOD_MS, 1000)
    out = [message(TRACE_PACKET, number(PACKET_SEQUENCE, SERVICE_SEQUENCE) + message(PACKET_TRACE_CONFIG, config))]
    for n in range(ROUNDS):
        stretch = packets[len(packets) * n // ROUNDS : len(packets) * (n + 1) // ROUNDS]
        out += [packet for _, packet in stretch]
        end = stretch[-1][0] if stretch else last
        out.append(service_packet(end, SERVICE_ALL_FLUSHED))
        out.append(service_packet(end, SERVICE_BUFFERS_READ))
    open(target, "wb").write(b"".join(out))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
