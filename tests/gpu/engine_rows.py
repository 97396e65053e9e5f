"""engine_rows.py DOCUMENT ORIGINAL FOLDER: what the engine counted (CSV files in FOLDER) against `analyze gpu --json` and
the slices that the trace had before."""
import csv
import json
import os
import sys

failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print(f"not ok: {os.path.basename(sys.argv[3])}: {text}")


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def main():
    document = json.load(open(sys.argv[1], encoding="utf-8"))
    of = lambda name: rows(os.path.join(sys.argv[3], f"{name}.csv"))
    check(of("faults") == [["0"]], f"the engine counts faults: {of('faults')}")
    check(of("original") == rows(sys.argv[2]), f"recorded slices: {of('original')}")
    slices, counters = of("slices"), {row[0]: row for row in of("counters")}
    device, steps = document["devices"][0], [step for step in document["steps"] if step["events"]]
    group = (f"rank {device['rank']} " if device["rank"] is not None else "") + f"GPU {device['device']}"
    drawn = [row for row in slices if row[0].startswith(f"{group} steps")]
    check(sum(int(row[2]) for row in drawn) == len(steps), f"{len(steps)} steps: {drawn}")
    check(sum(int(row[3]) for row in drawn) == sum(step["span_ns"] for step in steps), "lengths of steps")
    gaps = {row[1]: int(row[3]) for row in slices if row[0] == f"{group} gaps"}
    short = device["idle_ns"] - sum(gaps.values())
    check(0 <= short < 1000 * device["events"], f"gaps of 1 us or more: {gaps} of {device['idle_ns']}")
    check(set(gaps) <= {"host-bound", "kernel wait", "other"}, f"causes: {gaps}")
    busy, depth = counters[f"{group} busy"], counters[f"{group} queue depth"]
    check(busy[1] == "%" and 0 <= float(busy[3]) and float(busy[4]) <= 100, f"busy: {busy}")
    most = document["launches"][0]["queue_depth_max"]
    check(depth[1] == "operations" and float(depth[4]) == most, f"queue depth {most}: {depth}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
