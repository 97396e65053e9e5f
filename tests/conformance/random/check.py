"""Random binary traces (make_trace.py), read by postfetto and by Perfetto's engine: all tables must be equal.

  check.py POSTFETTO TOOLS WORK SQL [FIRST [COUNT]]

TOOLS is the folder tp_query/ with the engine's assets, SQL a file with named sections, WORK a scratch folder. Rows are
compared as multisets. A trace that differs stays in WORK/random; sections.sql lists what is compared besides SQL. One
process of the engine reads all traces; a crash of it is a failure of the trace, not of the test.
"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys

from make_trace import Maker

COUNT = 50
KNOWN = {  # seeds that differ, each for a reason in docs/conformance.md
    22: "a group of siblings that merge by key, made by a child of one of them",
}
LEFT_OUT = {
    "bounds": "the engine of v55.3 counts an unfinished slice as 1 ns less than nothing (docs/reference/perfetto.md)",
}
ROW_NUMBERS = re.compile(r"(passthrough_utid \| uint \| |\| upid \| upid \| int \| )\d+")
UTIDS = re.compile(r"(utid \| (?:end_)?utid \| uint \| |(legacy_unnestable_begin_count) \| \2 \| int \| )\d+")
TRACK_ARGS = re.compile(r"\| process_memory \|.*\| source \| description \||has_first_packet_on_sequence")
NOT_ALIKE = re.compile("clock_sync_|postfetto_|track_event_invalid_timestamp|trace_sorter_negative|.*_skipped_")
HERE = os.path.dirname(os.path.abspath(__file__))


def read_rows(folder, section):
    path = os.path.join(folder, section + ".csv")
    if not os.path.exists(path):
        return collections.Counter()
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return collections.Counter(" | ".join(row) for row in list(csv.reader(file))[1:])


def keep(section, rows):
    """Rows without what docs/conformance.md says of them."""
    if section == "track_args":  # the engine documents the counters of processes; who made a track known first
        return collections.Counter({row: n for row, n in rows.items() if not TRACK_ARGS.search(row)})
    if section == "errors":  # what v58 and v55.3 or packets and attempts differ in
        return collections.Counter({row: n for row, n in rows.items()
                                    if not NOT_ALIKE.match(row)})
    if section == "args":  # utids are row numbers; the engine counts the begins of a lane, not of a slice
        rows = collections.Counter(UTIDS.sub(r"\1N", row) for row in rows.elements())
    if section in ("args", "counter_args"):  # upids and utids are row numbers
        return collections.Counter(ROW_NUMBERS.sub(r"\1N", row) for row in rows.elements())
    return rows


def sections_of(*folders):
    names = {name[:-4] for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    return sorted(names - {"load_error"} - set(LEFT_OUT))


def same_events(want, got):
    """Whether events differ in nothing but what the engine shows for those without arguments: set 0, whatever it is of."""
    lost, extra = [sorted(rows.elements()) for rows in (want - got, got - want)]
    bare = [row for row in extra if row.endswith(" | ")]
    first = {row[len(bare[0]):] for row in lost if bare and row.startswith(bare[0])}
    return extra == bare and any(lost == sorted(row + args for row in bare) for args in first)


def compare(theirs, ours):
    """What differs between two folders of sections: section -> description."""
    problems = {}
    for section in sections_of(theirs, ours):
        want, got = (keep(section, read_rows(folder, section)) for folder in (theirs, ours))
        if want != got and not (section == "ftrace_events" and same_events(want, got)):
            lost, extra = list((want - got).elements()), list((got - want).elements())
            problems[section] = (f"{len(lost)} rows of the engine are missing, {len(extra)} are only ours: "
                                 + " ; ".join([*lost[:2], "<->", *extra[:2]]))
    return problems


def run_engine(tools, jobs, work):
    batch = os.path.join(work, "batch.json")
    with open(batch, "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    subprocess.run(["node", os.path.join(tools, "tp_query.mjs"), "--batch", batch], cwd=tools, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def judge(postfetto, tools, traces, sections, folder, options=()):
    """Reads the traces (label -> path) with both; yields (label, {section: what differs}, sections compared). sections: files
    of named sections."""
    queries = os.path.join(folder, "all.sql")
    with open(queries, "w", encoding="utf-8") as file:
        for path in sections:
            with open(path, encoding="utf-8") as part:
                file.write(part.read() + "\n")
    with open(queries, encoding="utf-8") as file:
        last = re.findall("^-- @name (\\w+)", file.read(), re.MULTILINE)[-1]
    outs = {label: [os.path.join(folder, f"{side}{i}") for side in ("engine", "ours")] for i, label in enumerate(traces)}
    run_engine(tools, [{"trace": traces[label], "queries": queries, "out": out[0]} for label, out in outs.items()], folder)
    for label, (theirs, ours) in outs.items():
        os.makedirs(ours)
        said = subprocess.run([postfetto, "query", "-q", *options, traces[label], "-f", queries, "-d", ours], check=False,
                              capture_output=True, text=True)
        if said.returncode:
            yield label, {"query": f"postfetto ends with {said.returncode}: {said.stderr.strip()}"}, []
        elif not os.path.exists(os.path.join(theirs, last + ".csv")):
            yield label, {"query": "the engine did not read it"}, []
        else:
            yield label, compare(theirs, ours), sections_of(theirs, ours)
        shutil.rmtree(ours)
        shutil.rmtree(theirs, ignore_errors=True)


def main():
    postfetto, tools, work, sql = (os.path.abspath(path) for path in sys.argv[1:5])
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    count = int(sys.argv[6]) if len(sys.argv) > 6 else COUNT
    print(f"seeds {first} to {first + count - 1}")
    folder = os.path.join(work, "random")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    traces, failed, known = {}, 0, 0
    for seed in range(first, first + count):
        traces[seed] = os.path.join(folder, f"{seed}.pftrace")
        with open(traces[seed], "wb") as file:
            file.write(Maker(seed).build())
    for seed, problems, _ in judge(postfetto, tools, traces, (sql, os.path.join(HERE, "sections.sql")), folder):
        if seed in KNOWN:
            problems = {} if problems else {"all": f"it is equal now: take it out of KNOWN ({KNOWN[seed]})"}
            known += 1
        for section, problem in problems.items():
            print(f"FAIL seed {seed}: {section}: {problem}"[:900])
        failed += bool(problems)
        if not problems:
            os.remove(traces[seed])
    print(f"random binary traces: {count - failed - known} passed, {failed} failed, {known} known to differ")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
