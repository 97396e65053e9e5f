"""marks.py: the trace that `compare A B -o` writes: the new run as it was, a group with marks at the calls that took more or
less time of their own, and the base from the same start on. What is marked is computed once more from the events, which
have no iterations."""
import collections
import json
import os
import subprocess

MARKS = """SELECT s.name, s.ts, s.dur, t.name AS track, g.name AS above, extract_arg(s.arg_set_id, 'debug.calls') AS calls,
  extract_arg(s.arg_set_id, 'debug.self ns') AS self, extract_arg(s.arg_set_id, 'debug.base self ns') AS base,
  extract_arg(s.arg_set_id, 'debug.more ns') AS more
  FROM slice s JOIN track t ON t.id = s.track_id JOIN track g ON g.id = t.parent_id WHERE s.category = 'postfetto.compare'"""
BASE = """SELECT s.name, s.ts, s.dur, t.name AS track, p.name AS process FROM slice s JOIN process_track t ON t.id = s.track_id
  JOIN process p USING (upid) WHERE p.name LIKE 'base%'"""
NEW = """SELECT s.name, s.ts, s.dur, tid FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)"""
SIGNS = {"slower": "+", "new": "+", "faster": "-", "vanished": "-"}


def query(postfetto, path, sql):
    done = subprocess.run([postfetto, "query", path, sql, "--json", "-q"], capture_output=True, check=True)
    answer = json.loads(done.stdout)["results"][0]
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def length(ns):
    """As marks spell it."""
    for below, divisor, decimals, unit in ((1e3, 1, 0, "ns"), (1e6, 1e3, 1, "us"), (1e9, 1e6, 1, "ms")):
        if ns < below:
            return f"{ns / divisor:.{decimals}f} {unit}"
    return f"{ns / 1e9:.2f} s"


def calls_by_name(events):
    """In the order of time: start, length, own time and thread of every call."""
    inside = collections.Counter()
    for event in events:
        inside[event.get("around", -1)] += event["dur"]
    rows = collections.defaultdict(list)
    for i in sorted(range(len(events)), key=lambda i: (events[i]["ts"], -events[i]["dur"], i)):
        event = events[i]
        own = event["dur"] - (inside[i] if "around" in event else 0)
        rows[event["name"]].append((event["ts"], event["dur"], own, event["tid"]))
    return rows


def marks_of(row, verdict, calls, base, floor, shift):
    """The marks of a row: of calls, and of what is left of all of them at the first one."""
    faster, marked = verdict == "faster", 0
    sign = -1 if faster else 1
    for i, (ts, dur, own, tid) in enumerate(calls):
        if not base:
            than = 0
        elif len(base) == len(calls):
            than = base[i][2]
        else:
            than = (min if faster else max)(call[2] for call in base)
        more = sign * (own - than)
        if more >= max(floor, 0.01 * than):
            marked += more
            args = (None, own, than, int(SIGNS[verdict] + "1") * more) if base else (None, own, None, None)
            yield (f"{SIGNS[verdict]}{length(more)} {row}", ts + shift, dur, f"thread {tid} {verdict}", "compare", *args)
    own, was = sum(call[2] for call in calls), sum(call[2] for call in base)
    more = sign * (own - was)
    if more - marked >= floor:
        times = len(calls) / len(base) if base else 1
        often = f"{times:.{int(times < 9.95)}f}x as often, " if times >= 1.5 else ""
        count = "" if often else f" in {len(calls)} call" + ("" if len(calls) == 1 else "s")
        args = (len(calls), own, was, int(SIGNS[verdict] + "1") * more) if base else (len(calls), own, None, None)
        ts, _, _, tid = calls[0]
        yield (f"{often}{SIGNS[verdict]}{length(more)}{count} {row}", ts + shift, 0, f"thread {tid} {verdict}", "compare", *args)


def wanted_marks(document, base, new, shift):
    span = max(e["ts"] + e["dur"] for e in new) - min(e["ts"] for e in new)
    floor = max(1, span / 10000)
    sides = [calls_by_name(base), calls_by_name(new)]
    for row in document["rows"]:
        name, verdict = row["name"], row["self_time"]["verdict"]
        if verdict == "vanished":
            yield from marks_of(name, verdict, sides[0][name], [], floor, shift)
        elif verdict in SIGNS:
            yield from marks_of(name, verdict, sides[1][name], sides[0][name], floor, 0)


def mark_faults(found, wanted):
    for mark in list((found - wanted))[:3]:
        yield f"the mark {mark} is there"
    for mark in list((wanted - found))[:3]:
        yield f"the mark {mark} is missing"


def faults(postfetto, folder, paths, document, base, new):
    out = os.path.join(folder, "marked.pftrace")
    subprocess.run([postfetto, "compare", *paths, "-q", "-o", out], capture_output=True, check=False)
    shift = min(e["ts"] for e in new) - min(e["ts"] for e in base)
    found = collections.Counter(tuple(row.values()) for row in query(postfetto, out, MARKS))
    yield from mark_faults(found, collections.Counter(wanted_marks(document, base, new, shift)))
    wanted = collections.Counter((e["name"], e["ts"] + shift, e["dur"], f"thread {e['tid']}", "base: process 1") for e in base)
    found = collections.Counter(tuple(row.values()) for row in query(postfetto, out, BASE))
    if found != wanted:
        yield f"of the base are drawn {list((found - wanted).items())[:2]} instead of {list((wanted - found).items())[:2]}"
    wanted = collections.Counter((e["name"], e["ts"], e["dur"], e["tid"]) for e in new)
    found = collections.Counter(tuple(row.values()) for row in query(postfetto, out, NEW))
    if found != wanted:
        yield f"of the new run are {list((found - wanted).items())[:2]} instead of {list((wanted - found).items())[:2]}"
