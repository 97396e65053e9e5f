"""Two documents of Chrome JSON, event by event: nothing is ignored.

An event is all its members, known or not, with these readings of them: ts, dur, tts and tdur are times, compared in whole
nanoseconds (a reader rounds them half away from zero; cycles are compared as they are written), also where they are texts;
a number is its value, so that 0.50 is 0.5, but an integer is no real; an instant without a scope is one of its thread.
Members of the document besides the events must be the same.
"""
import collections
import decimal
import gzip
import json

TIMES = ("ts", "dur", "tts", "tdur")


def read(path):
    """(events, other members) of a document, None if Python cannot read it."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        text = file.read().decode("utf-8", "surrogatepass")
    try:
        document = json.loads(text, parse_float=decimal.Decimal)
    except ValueError:
        return None
    if isinstance(document, list):
        return document, {}
    return document.get("traceEvents", []), {key: value for key, value in document.items() if key != "traceEvents"}


def to_ns(value):
    """A time in nanoseconds; what is none as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal, str)):
        return value
    try:
        ns = decimal.Context(prec=400).multiply(decimal.Decimal(value), 1000)
        return int(ns.to_integral_value(decimal.ROUND_HALF_UP)) if ns.is_finite() else value
    except (decimal.InvalidOperation, ValueError):
        return value


def plain(value):
    """Numbers by their values."""
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def said(event):
    """An event as a text that is equal for equal events."""
    if not isinstance(event, dict) or not event.get("ph"):
        return None
    members = {key: to_ns(value) if key in TIMES else plain(value) for key, value in event.items()}
    if str(event["ph"])[:1] in ("i", "I", "R"):
        members.setdefault("s", "t")
    return json.dumps(members, sort_keys=True)


def compare(before, after, show=1):
    """Descriptions of what differs between two documents as read() returns them."""
    problems = []
    want = collections.Counter(filter(None, map(said, before[0])))
    got = collections.Counter(filter(None, map(said, after[0])))
    lost, extra = want - got, got - want
    if lost or extra:
        problems.append(f"{sum(lost.values())} of {sum(want.values())} events are lost, {sum(extra.values())} are new: "
                        + " ; ".join(str(x)[:300] for x in [*list(lost)[:show], "->", *list(extra)[:show]]))
    if plain(before[1]) != plain(after[1]):
        names = [k for k in {*before[1], *after[1]} if plain(before[1].get(k)) != plain(after[1].get(k))]
        problems.append(f"members of the document differ: {', '.join(names)}")
    return problems
