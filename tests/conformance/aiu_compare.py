"""How outputs of `analyze aiu` compare with recorded ones.

Each function takes what is expected and what was found and raises Differs with the first difference. Values count, not
their spelling: keys in any order, numbers within a tolerance, rows and events that tie in any order.
"""
import ast
import collections
import json
import math
import re

RELATIVE = 1e-6
# Host times are doubles near 1e12 us in the recordings: neighbours are 0.0002 us apart, and a few are added up.
TIME_TOLERANCE_US = 0.002
# Members of an event that are host times, or differences of host times.
TIME_KEYS = {"ts", "dur", "ts_adj", "orig_ts", "orig_dur", "ts_all", "time_adjust"}
# The power over an interval is charge / length, and the recorded length has an error of this much.
POWER_LENGTH_ERROR_US = 0.0005
LEAST_POWER_LENGTH_US = 1.0
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
MASK = re.compile(r"<(?:job|jobs|fp|install)>")
LEVEL = re.compile(r"^(?:postfetto: )?(INFO|WARNING|ERROR|RAW)[: ]\s*", re.IGNORECASE)
INT_SET = re.compile(r"\{(-?\d+(?:, -?\d+)*)\}")
SURPLUS_LEVELS = {"INFO", "WARNING", "ERROR"}


class Differs(Exception):
    """The first difference."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def near(a, b, relative=RELATIVE, absolute=1e-9):
    return a == b or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def values_equal(expected, found, timed=False):
    """Deep equality of JSON values; `timed` says that numbers are host times."""
    if is_number(expected) and is_number(found):
        return near(expected, found, *((0, TIME_TOLERANCE_US) if timed else ()))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            values_equal(value, found[key], timed or key in TIME_KEYS) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(values_equal(a, b, timed) for a, b in zip(expected, found))
    return type(expected) is type(found) and expected == found


# ---- events ----------------------------------------------------------------------------------------------------------


def without_rounding(event):
    """The event without a time_adjust that is nothing but the rounding of doubles."""
    adjust = event.get("args", {}).get("time_adjust") if isinstance(event.get("args"), dict) else None
    if not isinstance(adjust, dict) or any(abs(v) > TIME_TOLERANCE_US for v in adjust.values()):
        return event
    return dict(event, args={k: v for k, v in event["args"].items() if k != "time_adjust"})


def identity(event):
    return tuple(json.dumps(event.get(key)) for key in ("ph", "pid", "tid", "name"))


def power_lengths(events):
    """Index of a power sample -> us until the next sample of its pid."""
    rows = collections.defaultdict(list)
    for i, event in enumerate(events):
        if event.get("ph") == "C" and str(event.get("cat", "")).startswith("Power"):
            rows[json.dumps(event.get("pid"))].append((event.get("ts", 0), i))
    lengths = {}
    for samples in rows.values():
        samples.sort()
        for (start, i), (end, _) in zip(samples, samples[1:] + samples[-1:]):
            lengths[i] = end - start
    return lengths


def watts_equal(expected, found, length):
    if length < LEAST_POWER_LENGTH_US:
        return True
    return near(expected, found, RELATIVE + 2 * POWER_LENGTH_ERROR_US / length)


def events_equal(expected, found, length):
    """length: of the interval that a power sample is about, None of all other events."""
    if length is not None and "Watts" in expected.get("args", {}) and "Watts" in found.get("args", {}):
        if not watts_equal(expected["args"]["Watts"], found["args"]["Watts"], length):
            return False
        expected, found = (dict(e, args={k: v for k, v in e["args"].items() if k != "Watts"}) for e in (expected, found))
    return values_equal(expected, found)


def short(value):
    text = json.dumps(value, sort_keys=True)
    return text if len(text) < 500 else text[:500] + "..."


def differing_members(expected, found):
    """The members in which two events differ, for a person."""
    parts = []
    for key in sorted(set(expected) | set(found)):
        a, b = expected.get(key), found.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            parts += [f"{key}.{k}: {short(a.get(k))} became {short(b.get(k))}" for k in sorted(set(a) | set(b))
                      if not (k in a and k in b and values_equal(a[k], b[k], k in TIME_KEYS))]
        elif not (key in expected and key in found and values_equal(a, b, key in TIME_KEYS)):
            parts.append(f"{key}: {short(a)} became {short(b)}")
    return "; ".join(parts)


def compare_events(expected, found, what):
    """Multisets keyed by phase, pid, tid, ts and name."""
    lengths = power_lengths(expected)
    expected, found = [without_rounding(e) for e in expected], [without_rounding(e) for e in found]
    pools = collections.defaultdict(list)
    for event in found:
        pools[identity(event)].append(event)
    for pool in pools.values():
        pool.sort(key=lambda e: e.get("ts", 0))
    for i, event in enumerate(expected):
        pool = pools[identity(event)]
        at = next((k for k, other in enumerate(pool) if events_equal(event, other, lengths.get(i))), None)
        if at is None:
            raise Differs(f"{what}: event {i} {short(event)} " + nearest_text(event, pool, found))
        pool.pop(at)
    left = [event for pool in pools.values() for event in pool]
    if left:
        raise Differs(f"{what}: {len(left)} events beyond those expected, the first is {short(left[0])}")


def nearest_text(event, pool, found):
    same_name = pool or [e for e in found if e.get("name") == event.get("name") and e.get("ph") == event.get("ph")]
    if not same_name:
        return "is missing"
    closest = min(same_name, key=lambda e: abs(e.get("ts", 0) - event.get("ts", 0)))
    return f"has no equal; the closest differs in {differing_members(event, closest)}"


def compare_document(events, head, data, what):
    """A trace in Chrome JSON against its recorded events and the rest of its object."""
    try:
        document = json.loads(data)
    except ValueError as problem:
        raise Differs(f"{what}: is no JSON: {problem}") from None
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise Differs(f"{what}: has no traceEvents")
    rest = {key: value for key, value in document.items() if key != "traceEvents"}
    if isinstance(rest.get("otherData"), dict):
        rest["otherData"] = {k: v for k, v in rest["otherData"].items() if k not in ("CmdLine", "Settings")}
    if head is not None and not values_equal(head, rest):
        raise Differs(f"{what}: besides the events: {differing_members(head, rest)}")
    compare_events(events, document["traceEvents"], what)


# ---- tables ----------------------------------------------------------------------------------------------------------


def cells_of(line, separated):
    return [cell.strip() for cell in line.split(",")] if separated else line.split()


def cells_equal(expected, found, absolute=1e-9):
    if expected == found:
        return True
    if NUMBER.fullmatch(expected) and NUMBER.fullmatch(found):
        return near(float(expected), float(found), RELATIVE, absolute)
    return False


def rows_equal(expected, found, absolute=1e-9):
    return len(expected) == len(found) and all(cells_equal(a, b, absolute) for a, b in zip(expected, found))


def compare_table(expected, found, what, absolute=1e-9):
    """Tables as text: the first line is the header, the others are rows. Rows may change places only where the whole
    row ties in the columns that order the table, which is where a row in the same place has the same first cell."""
    separated = what.endswith("categories.csv") or what.endswith("stats_summary.csv")
    expected, found = ([cells_of(line, separated) for line in text.splitlines()] for text in (expected, found))
    if len(expected) != len(found):
        raise Differs(f"{what}: {len(found)} lines instead of {len(expected)}")
    left = list(found)
    for i, row in enumerate(expected):
        at = next((k for k, other in enumerate(left) if rows_equal(row, other, absolute)), None)
        if at is None:
            raise Differs(f"{what}: line {i + 1} is '{' '.join(found[i])}', expected '{' '.join(row)}'")
        if at and not what.endswith("stats_summary.csv") and not cells_equal(row[0], found[i][0], absolute):
            raise Differs(f"{what}: line {i + 1} is out of order: '{' '.join(found[i])}'")
        left.pop(at)


# ---- log lines -------------------------------------------------------------------------------------------------------


def pattern_of(text):
    """A recorded line with masks as a pattern: numbers are groups, masks are anything."""
    out, at = [], 0
    for match in re.finditer(f"{NUMBER.pattern}|{MASK.pattern}", text):
        out.append(re.escape(text[at:match.start()]))
        out.append(".*" if MASK.fullmatch(match.group()) else f"({NUMBER.pattern})")
        at = match.end()
    return re.compile("".join(out) + re.escape(text[at:]))


def in_order(match):
    """A set of integers, which has no order."""
    return "{" + ", ".join(sorted(match.group(1).split(", "), key=int)) + "}"


class Line:
    """A log line, taken apart: its level, words and numbers, and a Python value at its end if there is one."""

    def __init__(self, text, recorded):
        text = INT_SET.sub(in_order, text)
        match = LEVEL.match(text)
        self.level = match.group(1).upper() if match else None
        self.text = text[match.end():].rstrip() if match else text.rstrip()
        body, self.value = self.split_value(self.text)
        self.numbers = [float(n) for n in NUMBER.findall(MASK.sub("", body))]
        self.words = " ".join(NUMBER.sub("#", body).split())
        self.pattern = pattern_of(body) if recorded and MASK.search(body) else None

    @staticmethod
    def split_value(text):
        at = text.find("{'")
        if at < 0 or not text.endswith("}"):
            return text, None
        try:
            return text[:at], ast.literal_eval(MASK.sub("None", text[at:]))
        except (ValueError, SyntaxError):
            return text, None

    def equals(self, other):
        if self.level and other.level and self.level != other.level:
            return False
        if self.value is not None or other.value is not None:
            return self.words == other.words and job_free(self.value, other.value)
        if self.pattern is not None:
            match = self.pattern.fullmatch(other.text)
            return bool(match) and all(map(near, self.numbers, map(float, match.groups())))
        return self.words == other.words and all(map(near, self.numbers, other.numbers))


def job_free(expected, found):
    """Values in log lines; those of events without the hash of the job, which is masked."""
    if not isinstance(expected, dict) or not isinstance(found, dict):
        return expected == found
    for value in (expected, found):
        value.get("args", {}).pop("jobhash", None)
    return values_equal(without_rounding(expected), without_rounding(found))


def compare_log(expected, found, ignore=()):
    """Every expected line is among those found, and no line with a level is beyond them. `ignore`: patterns of expected
    and found lines that do not count."""
    def counts(text):
        return text.strip() and not any(re.search(pattern, text) for pattern in ignore)

    left = [Line(text, False) for text in found.splitlines() if counts(text)]
    for text in filter(counts, expected.splitlines()):
        line = Line(text, True)
        at = next((k for k, other in enumerate(left) if line.equals(other)), None)
        if at is None:
            raise Differs(f"log: '{text[:300]}' is missing{closest_line(line, left)}")
        left.pop(at)
    surplus = [line.text for line in left if line.level in SURPLUS_LEVELS]
    if surplus:
        raise Differs(f"log: beyond what is expected: '{surplus[0][:200]}'")


def closest_line(line, left):
    start = line.text[:12]
    similar = [other.text for other in left if other.text.startswith(start)]
    return f"; there is '{similar[0][:300]}'" if similar else ""
