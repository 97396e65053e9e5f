"""marks.py: the trace that `compare A B -o` writes: a mark over every call of a row that got slower, the new run as it was,
and the base from the same start on."""
import collections
import json
import math
import os
import subprocess

MARKS = """SELECT s.name, s.ts, s.dur, t.name AS track, p.name AS process,
  extract_arg(s.arg_set_id, 'debug.more than the base''s mean') AS more, extract_arg(s.arg_set_id, 'debug.base mean') AS mean,
  extract_arg(s.arg_set_id, 'debug.base median') AS median, extract_arg(s.arg_set_id, 'debug.ratio of totals') AS ratio
  FROM slice s JOIN process_track t ON t.id = s.track_id JOIN process p USING (upid) WHERE s.category = 'postfetto.compare'"""
BASE = """SELECT s.name, s.ts, s.dur, t.name AS track, p.name AS process FROM slice s JOIN process_track t ON t.id = s.track_id
  JOIN process p USING (upid) WHERE p.name LIKE 'base%'"""
NEW = """SELECT s.name, s.ts, s.dur, tid FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)"""


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


def wanted_marks(document, new):
    slower = {row["name"]: row for row in document["rows"] if row["verdict"] == "slower"}
    marks = collections.defaultdict(list)
    for event in new:
        if event["name"] in slower:
            row = slower[event["name"]]
            more = event["dur"] - row["base"]["mean_ns"]
            label = ("-" if more < 0 else "+") + length(abs(more)) + " " + event["name"]
            marks[label, event["ts"], event["dur"], "slower than the base", "compare"].append(
                [more, row["base"]["mean_ns"], row["base"]["median_ns"], row["ratio"]])
    return marks


def mark_faults(found, wanted):
    rows = collections.defaultdict(list)
    for row in found:
        key = (row["name"], row["ts"], row["dur"], row["track"], row["process"])
        rows[key].append([row[name] for name in ("more", "mean", "median", "ratio")])
    for key in sorted(set(rows) ^ set(wanted))[:3]:
        yield f"the mark {key} is " + ("there" if key in rows else "missing")
    for key in set(rows) & set(wanted):
        pairs = list(zip(sorted(rows[key]), sorted(wanted[key])))
        same = all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-9) for x, y in pairs for a, b in zip(x, y))
        if len(rows[key]) != len(wanted[key]) or not same:
            yield f"the mark {key} has {rows[key]}, not {wanted[key]}"


def faults(postfetto, folder, paths, document, base, new):
    out = os.path.join(folder, "marked.pftrace")
    subprocess.run([postfetto, "compare", *paths, "-q", "-o", out], capture_output=True, check=False)
    yield from mark_faults(query(postfetto, out, MARKS), wanted_marks(document, new))
    shift = min(e["ts"] for e in new) - min(e["ts"] for e in base)
    wanted = collections.Counter((e["name"], e["ts"] + shift, e["dur"], f"thread {e['tid']}", "base: process 1") for e in base)
    found = collections.Counter(tuple(row.values()) for row in query(postfetto, out, BASE))
    if found != wanted:
        yield f"of the base are drawn {list((found - wanted).items())[:2]} instead of {list((wanted - found).items())[:2]}"
    wanted = collections.Counter((e["name"], e["ts"], e["dur"], e["tid"]) for e in new)
    found = collections.Counter(tuple(row.values()) for row in query(postfetto, out, NEW))
    if found != wanted:
        yield f"of the new run are {list((found - wanted).items())[:2]} instead of {list((wanted - found).items())[:2]}"
