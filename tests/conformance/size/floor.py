"""The least that events can cost as single packets, worked out from the JSON alone.

Counted are the bytes that no writer of TrackEvent packets can do without, every text being free and every id having one
byte:

  a packet            7   0A length, 50 sequence, 5A length and one byte more, the tag of the time
  its time            varint of the difference to the packet before on the same track
  begin, end, instant 2   48 type
  a slice's name, category   2 each (50 id, 18 id)
  an argument         5   22 length, 08 key, tag of the value; 6 for a text (its tag has two bytes)
  its value           varint of an integer, 8 of a real or its decimal with a blank where that is shorter, 1 of a text
  a list of numbers   its JSON text or its entries, whichever is shorter; other lists: 4 and the value for an entry
  a flow event        6   32 length, 10 phase, 30 id, and the varint of the id
  a slice of whole microseconds   one packet: 7 (32 length, 10 58, 18) and the varint instead of the end

Lists that are alike are counted each time: a packet cannot refer to another one's arguments.
"""
import collections
import decimal
import json


def varint(value):
    value &= (1 << 64) - 1
    return max(1, (value.bit_length() + 6) // 7)


def to_ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def scalar(value):
    """Bytes of a value with its tag."""
    if isinstance(value, bool) or value is None:
        return 2
    if isinstance(value, str):
        return min(3, 2 + len(value.encode()))
    if isinstance(value, int):
        return min(1 + varint(value), 3 + len(str(value)))
    return min(9, 3 + len(str(value)))


def is_numbers(value):
    if isinstance(value, list):
        return all(map(is_numbers, value))
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


def entries(value):
    """Bytes of the content of a list or an object as messages."""
    if isinstance(value, dict):
        return sum(4 + content(item) for item in value.values()) or 4
    if isinstance(value, list):
        return sum(2 + content(item) for item in value) or 4
    return scalar(value)


def content(value):
    least = entries(value)
    if isinstance(value, list) and is_numbers(value):
        least = min(least, 2 + len(json.dumps(value, default=float, separators=(",", ":"))))
    return least


def is_number(value):
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


def of(events):
    """The sum over all events of a trace."""
    times, total = collections.defaultdict(list), 0
    for event in events:
        phase = event.get("ph")
        if not is_number(event.get("ts")) or phase not in ("X", "i", "I", "R", "B", "E", "s", "t", "f"):
            continue
        at = to_ns(event["ts"])
        length = to_ns(event["dur"]) if phase == "X" and is_number(event.get("dur")) else 0
        track = times[str(event.get("pid")), str(event.get("tid"))]
        track.append(at)
        total += 7 + 2 * ("name" in event) + 2 * ("cat" in event)
        total += sum(4 + content(value) for value in (event.get("args") or {}).values())
        if phase in "stf":
            total += 6 + (varint(event["id"]) if is_number(event.get("id")) else 1)
        elif phase == "X" and length and length % 1000 == 0:
            total += 7 + varint(length // 1000)
        else:
            total += 2
            if length:
                track.append(at + length)
                total += 7 + 2
    for track in times.values():
        track.sort()
        total += sum(varint(b - a) for a, b in zip([track[0]] + track, track))
    return total
