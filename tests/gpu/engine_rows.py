"""engine_rows.py DOCUMENT ORIGINAL FOLDER: what the engine counted (CSV files in FOLDER) against `analyze gpu --json` and
the slices that the trace had before."""
import csv
import json
import math
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


def check_steps(drawn, steps):
    """The arguments of a step are its row in the table."""
    found = sorted((int(dur), key[len("debug."):], value) for dur, key, value in drawn)
    given = {}
    for dur, key, value in found:
        if key in ("busy_ns", "period_ns", "exposed_communication_ns", "lag_ns", "host_start_ns", "events", "mark"):
            given.setdefault(key, []).append((dur, value))
    for key in given:
        expected = sorted((step["span_ns"], str(step[key])) for step in steps if step[key] is not None)
        check(given[key] == expected, f"{key} of steps: {given[key][:3]}, not {expected[:3]}")
    check({"busy_ns", "period_ns", "mark"} <= set(given) or not steps, f"arguments of steps: {sorted(given)}")


def check_rates(samples, flops):
    """Over time the counters of operators add up to what the table of their work has; samples have four digits."""
    for name, column, per in (("operator throughput", "flop", 1000), ("operator bandwidth", "bytes", 1)):
        steps = [(int(ts), float(value)) for row, ts, value in samples if row == name]
        drawn = sum(value * per * (after - ts) for (ts, value), (after, _) in zip(steps, steps[1:]))
        whole = sum(row[column] or 0 for row in flops if row["device_ns"])
        check(math.isclose(drawn, whole, rel_tol=1e-4), f"{name}: {drawn} drawn of {whole}")


def check_holders(samples, document):
    """At each time the holders together are what is allocated; at the peak each operator is the sum of its rows."""
    memory = next((row for row in document["memory"] if row["memory"] == "device"), None)
    levels, whole, ends = {}, None, [row[0] for row in samples[1:]] + [None]
    for (ts, holds, track, name, value), after in zip(samples, ends):
        if holds == "1":
            levels[track, name] = float(value)
        else:
            whole = float(value)
        if after == ts:
            continue
        check(sum(levels.values()) == whole, f"memory at {ts}: {sum(levels.values())} of holders, {whole} allocated")
        if memory and int(ts) == memory["peak_ns"]:
            check_peak(levels, document["memory_holders"])
    check(bool(memory) == bool(samples), f"holders are drawn: {len(samples)} samples")


def check_peak(levels, holders):
    rows = {}
    for row in holders:
        if row["memory"] == "device":
            name = "before the recording" if row["allocated"] == "before" else row["operator"] or "no operator"
            rows[name] = rows.get(name, 0) + row["bytes"]
    drawn = {name: value for (_, name), value in levels.items() if value and name != "others"}
    check(drawn and drawn == {name: rows.get(name) for name in drawn}, f"holders at the peak: {drawn}, not {rows}")


def check_modules(drawn, tree):
    """The calls of a node that are drawn add up to its row and lie in those of the node around it; one device."""
    sums = {}
    for node, parent, name, *numbers in drawn:
        row = tree[int(node)]
        check(row["name"] == f"nn.Module: {name}" and (parent in ("", "[NULL]", str(row["parent"]))), f"module {node} {name} in {parent}, not {row}")
        sums[int(node)] = [a + int(b) for a, b in zip(sums.get(int(node), [0] * 4), numbers)]
    rows = {row["node"]: [row[key] for key in ("launched", "device_ns", "device_self_ns")] for row in tree if row["device_ns"]}
    check({node: numbers[:3] for node, numbers in sums.items()} == rows, f"modules: {len(sums)} nodes drawn, {len(rows)} in the table")
    check(all(numbers[3] <= tree[node]["total_ns"] for node, numbers in sums.items()), "modules: time of the host")
    inside = sum(parent not in ("", "[NULL]") for _, parent, *_ in drawn)
    check(inside > len(drawn) / 2 or len(rows) < 2, f"modules: {inside} of {len(drawn)} in others")


def check_operators(drawn, table):
    """The calls of an operator that are drawn are those that launched something; their own device time adds up to its row."""
    rows = {row["name"]: (row["device_self_ns"], row["calls"]) for row in table if row["device_ns"]}
    check({name for name, *_ in drawn} == set(rows), f"operators: {len(drawn)} of {len(rows)} drawn")
    for name, n, own, shortest, outside, _ in drawn:
        check(int(own) == rows[name][0] and int(n) <= rows[name][1] and int(shortest) > 0 and outside == "0", f"operator {name}: {n}, {own}, not {rows[name]}")
    check(not drawn or any(inner == "1" for *_, inner in drawn), "operators in operators")


def check_streams(drawn, streams):
    """The parts of the gaps of each of several streams add up to its row, but for gaps below 1 us."""
    sums = {f"stream {s['stream']}": [0, 0, 0] for s in streams if len(streams) > 1}
    for row, *parts, dur in drawn:
        check(sum(map(int, parts)) == int(dur) >= 1000, f"{row}: {parts} of {dur}")
        sums[row] = [a + int(b) for a, b in zip(sums[row], parts)]
    for s in streams if sums else []:
        whole = [s["idle_host_bound_ns"], s["idle_kernel_wait_ns"], s["idle_other_ns"]]
        short = [b - a for a, b in zip(sums[f"stream {s['stream']}"], whole)]
        check(min(short) >= 0 and sum(short) < 1000 * s["events"], f"stream {s['stream']}: {whole}, {short} of it not drawn")


def main():
    document = json.load(open(sys.argv[1], encoding="utf-8"))
    of = lambda name: rows(os.path.join(sys.argv[3], f"{name}.csv"))
    check(of("faults") == [["0"]], f"the engine counts faults: {of('faults')}")
    check(of("original") == rows(sys.argv[2]), f"recorded slices: {of('original')}")
    slices, counters = of("slices"), {row[0]: row for row in of("counters")}
    device, steps = document["devices"][0], [step for step in document["steps"] if step["events"]]
    drawn = [row for row in slices if row[0].startswith(("steps", "cycles"))]
    check(sum(int(row[2]) for row in drawn) == len(steps), f"{len(steps)} steps: {drawn}")
    check(sum(int(row[3]) for row in drawn) == sum(step["span_ns"] for step in steps), "lengths of steps")
    gaps = {row[1]: int(row[3]) for row in slices if row[0] == "gaps"}
    short = device["idle_ns"] - sum(gaps.values())
    check(0 <= short < 1000 * device["events"], f"gaps of 1 us or more: {gaps} of {device['idle_ns']}")
    check(set(gaps) <= {"host-bound", "kernel wait", "other"}, f"causes: {gaps}")
    check_streams(of("streams"), device["streams"])
    check_holders(of("holders"), document)
    check_modules(of("modules"), document["module_tree"])
    check_operators(of("operators"), document["operators"])
    check(of("undescribed") == [["0"]], f"rows without a description: {of('undescribed')}")
    check_rates(of("rates"), document["flops"])
    exposed = {row[1]: int(row[3]) for row in slices if row[0] == "exposed"}
    for name, column in (("communication", "exposed_communication_ns"), ("memcpy", "exposed_memcpy_ns")):
        check(exposed.get(name, 0) == device[column], f"exposed {name} {exposed}, not {device[column]}")
        counter = counters.get("memcpy" if name == "memcpy" else "exposed communication")
        check((counter is not None) == (device[column] > 0), f"counter of {name}: {counter}")
    for name in ("compute", "exposed communication", "memcpy"):
        share = counters.get(name, [name, "%", "time", "2", "0", "100"])
        check(share[1:3] == ["%", "time"] and 0 <= float(share[4]) and float(share[5]) <= 100, f"share: {share}")
    most, depth = document["launches"][0]["queue_depth_max"], counters["queue depth"]
    check(depth[1] == "operations" and float(depth[5]) == most, f"queue depth {most}: {depth}")
    path = [int(row[3]) for row in slices if row[0] == "critical path"]
    check(sum(path) == sum(row["length_ns"] for row in document["critical_path"]), f"critical path: {path}")
    (arrows, gaps, late), calls = of("arrows")[0], of("late")[0]
    check(int(arrows) > 0 and late == gaps == arrows == calls[0], f"arrows from gaps into recorded calls: {of('arrows')} of {calls}")
    check(calls[1] == "0", f"slices of the trace lie inside of {calls[1]} instants")
    check_steps(of("steps"), steps)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
