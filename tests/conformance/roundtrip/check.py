"""The checks of the JSON round trip; see run.

Back in JSON, every event and every other member of the document is what it was; compare.py says what that means.

In the engine, the sections of canonical.sql are those that `postfetto query` gives for the JSON itself, without the
columns track_type, track_name and unit, the numbers of text ids, the prefix of argument keys (args. or debug., where also
'.', '[' and ']' become '_'), and the counters that thread clocks are in a Perfetto trace.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

import compare

MAX_BYTES = 180 << 10
LARGER = {"devtools-animation"}  # flows that bind to instants with a thread clock
FREE_IDS = 1 << 30
LEFT_OUT = {"track_type", "track_name", "unit"}
ID_COLUMNS = {"pid", "tid", "out_pid", "out_tid", "in_pid", "in_tid"}
SECTIONS = ("slices", "slice_thread_times", "counters", "flows", "args")
CLOCK_COUNTERS = {"thread_time", "thread_instruction_count"}


def run(arguments, stdout=subprocess.DEVNULL):
    done = subprocess.run(arguments, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[:300]}")


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
    if name in ("real_value", "value") and cell:
        return repr(float(cell))
    cell = cell.split("\0")[0]
    if section == "args" and name in ("flat_key", "key"):
        return re.sub(r"[.\[\]]", "_", re.sub(r"^(args|debug)\.", "", cell))
    return cell


def differences(want, got, where):
    problems = []
    for section in SECTIONS:
        lost, extra = want[section] - got[section], got[section] - want[section]
        if lost or extra:
            problems.append(f"{where}: {section}: {sum(lost.values())} rows missing, {sum(extra.values())} not expected, "
                            f"for instance {str(next(iter(lost or extra)))[:200]}")
    return problems


def ask_engine(folders, sql, work):
    """One engine for all traces, as its start takes half a second."""
    batch = os.path.join(work, "batch.json")
    with open(batch, "w", encoding="utf-8") as file:
        json.dump([{"trace": os.path.join(folder, "trace.pftrace"), "queries": sql, "out": os.path.join(folder, "engine")}
                   for folder in folders], file)
    run(["node", os.path.join(work, "tp_query", "tp_query.mjs"), "--batch", batch])


def compare_engine(postfetto, sql, source, folder):
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "engine")
    os.makedirs(ours, exist_ok=True)
    run([postfetto, "query", "-q", source, "-f", sql, "-d", ours])
    return differences({section: read_section(ours, section) for section in SECTIONS},
                       {section: read_section(theirs, section) for section in SECTIONS}, "engine")


def compare_documents(postfetto, source, folder):
    back = os.path.join(folder, "back.json")
    run([postfetto, "convert", "-q", os.path.join(folder, "trace.pftrace"), "-o", back])
    before, after = compare.read(source), compare.read(back)
    if after is None:
        return ["the JSON that comes back cannot be read"]
    return compare.compare(before, after) if before is not None else []


def main():
    postfetto, corpus, work = sys.argv[1:4]
    cases = sys.argv[4:]
    known = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                case, reason = line.split(None, 1)
                known[case] = reason.strip()
    area, sql, passed, failed, sources = os.path.join(corpus, "real"), os.path.join(corpus, "canonical.sql"), 0, 0, {}
    for case in cases or sorted(os.listdir(area)):
        names = [n for n in ("trace.json", "trace.json.gz") if os.path.exists(os.path.join(area, case, n))]
        if not names or (
                not cases and case not in LARGER and os.path.getsize(os.path.join(area, case, names[0])) > MAX_BYTES):
            continue
        sources[case] = os.path.join(area, case, names[0])
        os.makedirs(os.path.join(work, case), exist_ok=True)
        run([postfetto, "convert", "-q", sources[case], "-o", os.path.join(work, case, "trace.pftrace")])
    ask_engine([os.path.join(work, case) for case in sources], sql, work)
    for case, source in sources.items():
        folder = os.path.join(work, case)
        problems = compare_engine(postfetto, sql, source, folder) + compare_documents(postfetto, source, folder)
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
