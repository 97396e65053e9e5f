"""What the bytes of a .pftrace are: framing, times, names, arguments, strings. Reads packets one after the other and looks
only at what conversions write."""
import collections

ENVELOPE = {8: "times", 10: "envelope", 13: "envelope", 59: "envelope", 60: "descriptors", 126: "attributes"}
EVENT = {3: "names", 9: "envelope", 10: "names", 11: "envelope", 22: "strings", 23: "strings"}
ANNOTATION = {1: "keys", 10: "strings", 6: "strings", 17: "values"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data, at, end):
    """(number, start of the tag, start and end of the content) of the fields of a message."""
    while at < end:
        start = at
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            body = at
            at = varint(data, at)[1]
        elif kind == 1:
            body, at = at, at + 8
        elif kind == 2:
            length, body = varint(data, at)
            at = body + length
        else:
            raise ValueError(f"wire type {kind} at byte {start}")
        yield tag >> 3, start, body, at


def count_annotation(data, at, end, parts):
    for number, start, body, stop in fields(data, at, end):
        if number in (11, 12):
            parts["keys"] += body - start
            count_annotation(data, body, stop, parts)
        else:
            parts[ANNOTATION.get(number, "values")] += stop - start


def count_event(data, at, end, parts):
    for number, start, body, stop in fields(data, at, end):
        if number == 4:
            parts["keys"] += body - start
            count_annotation(data, body, stop, parts)
        else:
            parts[EVENT.get(number, "flows")] += stop - start


def of(data):
    """Bytes by part. envelope: lengths, sequence ids, types; keys: what stands around the values of arguments; values:
    numbers, lists and ids of strings; strings: names and values in full; flows: also durations in microseconds."""
    parts = collections.Counter()
    for number, start, body, end in fields(data, 0, len(data)):
        if number != 1:
            raise ValueError(f"field {number} at byte {start} is no packet")
        parts["envelope"] += body - start
        for inner, tag, content, stop in fields(data, body, end):
            if inner == 11:
                parts["envelope"] += content - tag
                count_event(data, content, stop, parts)
            else:
                parts["strings" if inner == 12 else ENVELOPE.get(inner, "attributes")] += stop - tag
    return parts
