"""The checks of the JSON round trip; see run.

Back in JSON, an event is what it was: name, category, time and duration to the nanosecond, pid and tid in their spelling,
arguments with their types. What a Perfetto trace cannot hold is left out on both sides, by rule: metadata events (names
are compared through the engine), events without a usable time or before zero, phases that Perfetto has no slice for, the
tid of events that belong to a process or to all (their thread is not in any table), and a tid of 0, which means the
main thread. Begins without a name come back as "[No name]", ends without one with that of their slice. An instant may come back as a complete event without length. Counters may be split by their series.

In the engine, the sections of canonical.sql are those that `postfetto query` gives for the JSON itself, without the
columns track_type, track_name and unit, the numbers of text ids, the prefix of argument keys (args. or debug., where also
'.', '[' and ']' become '_'), and the counters that thread clocks are in a Perfetto trace.
"""
import collections
import csv
import decimal
import gzip
import json
import os
import re
import subprocess
import sys

MAX_BYTES = 160 << 10
FREE_IDS = 1 << 30
LEFT_OUT = {"track_type", "track_name", "unit"}
ID_COLUMNS = {"pid", "tid", "out_pid", "out_tid", "in_pid", "in_tid"}
SECTIONS = ("slices", "slice_thread_times", "counters", "flows", "args")
CARRIED = set("BEXiIRbenstf")
CLOCK_COUNTERS = {"thread_time", "thread_instruction_count"}


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[:300]}")


def read_events(path):
    """The events of a document as they are, None if Python cannot read it."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        text = file.read().decode("utf-8", "surrogatepass")
    try:
        document = json.loads(text, parse_float=decimal.Decimal)
    except ValueError:
        return None
    return document if isinstance(document, list) else document.get("traceEvents", [])


def to_ns(value):
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def plain(value):
    """Arguments with doubles as doubles, so that 0.50 and 0.5 are one."""
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def said(event):
    """What must come back, None if nothing must."""
    phase = event.get("ph", "")
    if phase not in CARRIED or not isinstance(event.get("ts"), (int, decimal.Decimal)) or event["ts"] < 0:
        return None
    length = to_ns(event["dur"]) if phase == "X" and "dur" in event else None
    if phase == "X" and (length is None or length < 0):
        return None
    name = event.get("name") or ("[No name]" if phase in "BX" else None)
    if phase == "E" and name is None:
        return None
    if phase in "iIR" or length == 0:
        phase, length = "i", 0
    scoped = phase in "ben" or event.get("s") in ("g", "p")
    process, thread = event.get("pid"), event.get("tid")
    who = (None, None) if scoped else (repr(process), repr(process if thread in (0, None) else thread))
    arguments = json.dumps(plain(event.get("args") or None), sort_keys=True)
    return (phase, name, event.get("cat") or None, to_ns(event["ts"]), length, who, arguments)


def compare_json(before, after):
    """A description of the first events that only one side has, None if there are none."""
    want = collections.Counter(filter(None, map(said, before)))
    got = collections.Counter(filter(None, map(said, after)))
    lost = want - got
    if not lost:
        return None
    return f"{sum(lost.values())} of {sum(want.values())} events do not come back, for instance {next(iter(lost))}"[:400]


def read_section(folder, section):
    path = os.path.join(folder, section + ".csv")
    if not os.path.exists(path):
        return collections.Counter()
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.reader(file))
    if not rows:
        return collections.Counter()
    header, found = rows[0], collections.Counter()
    kind = header.index("track_type") if section == "counters" else None
    for row in rows[1:]:
        if kind is None or row[kind] not in CLOCK_COUNTERS:
            found[tuple(mask(section, name, cell) for name, cell in zip(header, row) if name not in LEFT_OUT)] += 1
    return found


def mask(section, name, cell):
    if name in ID_COLUMNS and cell.isdigit() and int(cell) >= FREE_IDS:
        return "text"
    if section == "args" and name in ("flat_key", "key"):
        return re.sub(r"[.\[\]]", "_", re.sub(r"^(args|debug)\.", "", cell))
    return cell


def compare_engine(postfetto, corpus, work, source, packed, folder):
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "engine")
    sql = os.path.join(corpus, "canonical.sql")
    os.makedirs(ours, exist_ok=True)
    run([postfetto, "query", "-q", source, "-f", sql, "-d", ours])
    run(["node", os.path.join(work, "tp_query", "tp_query.mjs"), packed, "-f", sql, "-o", theirs])
    problems = []
    for section in SECTIONS:
        want, got = read_section(ours, section), read_section(theirs, section)
        if want != got:
            lost, extra = want - got, got - want
            problems.append(f"{section}: {sum(lost.values())} rows missing, {sum(extra.values())} not expected, "
                            f"for instance {str(next(iter(lost or extra)))[:200]}")
    return problems


def check(postfetto, corpus, work, case, source):
    folder = os.path.join(work, case)
    os.makedirs(folder, exist_ok=True)
    packed, back = os.path.join(folder, "trace.pftrace"), os.path.join(folder, "back.json")
    run([postfetto, "convert", "-q", source, "-o", packed])
    run([postfetto, "convert", "-q", packed, "-o", back])
    problems = compare_engine(postfetto, corpus, work, source, packed, folder)
    before, after = read_events(source), read_events(back)
    if after is None:
        problems.append("the JSON that comes back cannot be read")
    elif before is not None:
        problem = compare_json(before, after)
        problems += [problem] if problem else []
    return problems


def main():
    postfetto, corpus, work = sys.argv[1:4]
    cases = sys.argv[4:]
    known = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                case, reason = line.split(None, 1)
                known[case] = reason.strip()
    area, passed, failed = os.path.join(corpus, "real"), 0, 0
    for case in cases or sorted(os.listdir(area)):
        names = [n for n in ("trace.json", "trace.json.gz") if os.path.exists(os.path.join(area, case, n))]
        if not names or (not cases and os.path.getsize(os.path.join(area, case, names[0])) > MAX_BYTES):
            continue
        problems = check(postfetto, corpus, work, case, os.path.join(area, case, names[0]))
        if bool(problems) == (case in known):
            passed += 1
            continue
        failed += 1
        for problem in problems or ["is in known.txt, but nothing is wrong"]:
            print(f"FAIL {case}: {problem}")
    print(f"round trip: {passed} passed ({len(known)} known to differ), {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
