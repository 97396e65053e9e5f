#!/usr/bin/env python3
"""breakdown.py POSTFETTO CORPUS: `analyze gpu` next to HTA on every torch trace with device events, to the nanosecond.

HTA gets device events and runtime calls only: no annotations, because it leaves out what lies outside of ProfilerStep#N and
the last step, and no cuda_sync, which it counts as work of the device. The rules by which we differ are named in
docs/reference/gpu.md, "What HTA and TraceLens call it"; here each is computed and the rest must be equal.

Exit status: 0, 1 when a check failed, 77 (skipped; 1 with POSTFETTO_REQUIRE_SHARED=1) without HTA or the corpus.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hta_traces
from hta_traces import check, failures

SAME_CLASSES = ("--communication", "^nccl.*Kernel", "--compute", ".")  # as HTA has it
OF_OTHERS = {"torch-b200-eager": ["multimem_all_reduce_kernel"]}       # communication that HTA does not know


def analyze(postfetto, path, *options):
    done = subprocess.run([postfetto, "analyze", "gpu", "-q", "--json", path, *options], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def of_rank(table, rank):
    return table[table["rank"] == rank].to_dict("records")


def check_times(where, hta, device, rank=0):
    """Temporal breakdown: kernel_time is our span, non-compute what is neither idle nor compute."""
    row = of_rank(hta.get_temporal_breakdown(visualize=False), rank)[0]
    ours = {"idle_time(us)": device["idle_ns"], "compute_time(us)": device["compute_ns"],
            "non_compute_time(us)": device["busy_ns"] - device["compute_ns"], "kernel_time(us)": device["span_ns"]}
    for name, value in ours.items():
        check(int(row[name]) == value, f"{where}: {name} of HTA is {row[name]}, not {value}")
    for name in ("idle_time", "compute_time", "non_compute_time"):
        share = 100 * ours[f"{name}(us)"] / device["span_ns"] if device["span_ns"] else 0
        check(abs(row[f"{name}_pctg"] - share) <= 0.005001, f"{where}: {name}_pctg of HTA is {row[f'{name}_pctg']}")


def check_overlap(where, hta, device, rank=0):
    """Of the communication; without any, HTA divides by zero."""
    given = of_rank(hta.get_comm_comp_overlap(visualize=False), rank)[0]["comp_comm_overlap_pctg"]
    whole = device["communication_ns"]
    check(given != given if not whole else abs(given - 100 * device["overlap_ns"] / whole) <= 0.005001,
          f"{where}: overlap of HTA is {given} %, of us {device['overlap_ns']} of {whole} ns")


def check_kernels(where, hta, devices, by_rank):
    """Types: HTA's rows are apart ("COMPUTATION overlapping COMMUNICATION") and of all ranks, ours are whole. Kernels: one by one."""
    types, kernels = hta.get_gpu_kernel_breakdown(visualize=False, duration_ratio=1.0, num_kernels=10**9,
                                                  include_memory_kernels=True)
    sums = collections.Counter()
    for row in types.to_dict("records"):
        words = row["kernel_type"].split(" overlapping ")
        for word in words:
            sums[word] += int(row["sum"])
        sums["overlap"] += int(row["sum"]) if {"COMPUTATION", "COMMUNICATION"} <= set(words) else 0
    ours = {name: sum(device[key] for device in devices) for name, key in (
        ("COMPUTATION", "compute_ns"), ("COMMUNICATION", "communication_ns"), ("MEMORY", "memory_ns"), ("overlap", "overlap_ns"))}
    check({k: v for k, v in sums.items() if v} == {k: v for k, v in ours.items() if v}, f"{where}: types {dict(sums)}, not {ours}")
    for rank, rows in by_rank.items():
        check_each_kernel(where, of_rank(kernels, rank), rows)


def check_each_kernel(where, kernels, rows):
    theirs, mine = {row["name"]: row for row in kernels}, {row["name"]: row for row in rows}
    check(len(mine) == len(rows) and set(theirs) == set(mine), f"{where}: kernels differ: {sorted(set(theirs) ^ set(mine))[:3]}")
    for name in set(theirs) & set(mine):
        a, b = theirs[name], mine[name]
        check((int(a["sum (us)"]), int(a["max (us)"]), int(a["min (us)"])) == (b["total_ns"], b["max_ns"], b["min_ns"]) and
              abs(a["mean (us)"] - b["mean_ns"]) <= 0.5, f"{where}: {name[:60]}: HTA has {a}, not {b}")


def gaps_of(events):
    """(end of the event before, start, call) of each gap of a stream, in HTA's order; a gap may be negative."""
    for before, after in zip(events, events[1:]):
        yield before["ts"] + before["dur"], after["ts"], after["call"]


def check_idle(where, hta, device, launches, events, calls, first, rank=0):
    """HTA sums up the idle time of each stream, ours that of each stream and of the device. The causes follow other rules;
    on streams whose events do not overlap ours differ by what the rules name, gap by gap."""
    table = hta.get_idle_time_breakdown(ranks=[rank], visualize=False)[0]
    theirs = collections.defaultdict(collections.Counter)
    for row in table.to_dict("records"):
        theirs[int(row["stream"])][row["idle_category"]] += int(row["idle_time"])
    streams = collections.defaultdict(list)
    for e in sorted(events, key=lambda e: e["ts"]):
        e["call"] = calls.get(e["args"].get("correlation") or None)
        streams[int(e["args"]["stream"])].append(e)
    check(set(theirs) == set(streams), f"{where}: streams {sorted(theirs)}, not {sorted(streams)}")
    overlapping = 0
    for row in device["streams"]:
        gaps = list(gaps_of(streams[row["stream"]]))
        check(sum(theirs[row["stream"]].values()) == sum(b - a for a, b, _ in gaps),
              f"{where} stream {row['stream']}: idle {dict(theirs[row['stream']])} of HTA is not the sum of the gaps")
        # Where events of a stream overlap, HTA counts a negative gap.
        if any(b < a for a, b, _ in gaps):
            overlapping += 1
            continue
        check(sum(b - a for a, b, _ in gaps) == row["idle_ns"],
              f"{where} stream {row['stream']}: idle {dict(theirs[row['stream']])} of HTA, {row['idle_ns']} of us")
        check_causes(f"{where} stream {row['stream']}", theirs[row["stream"]], row, gaps, first)
    check(launches["idle_host_bound_ns"] == device["idle_host_bound_ns"], f"{where}: host-bound of the device")
    if len(streams) != 1 and rank == 0 and overlapping:
        print(f"{where}: {len(streams)} streams, {overlapping} of them with events that overlap")
    return len(streams) - overlapping


def check_causes(where, theirs, ours, gaps, first):
    """first: an event whose launch is not recorded has that of the trace's first event in HTA."""
    host_wait = late = 0
    for begin, end, call in gaps:
        host_wait += end - begin if (call or first)["ts"] > begin else 0
        # Ours ends with the call and not with the gap, and begins where the call was under way when the stream ran dry.
        late += max(0, min(end, call["ts"] + call["dur"]) - begin) if call else 0
    check(theirs["host_wait"] == host_wait, f"{where}: host_wait {theirs['host_wait']} of HTA, {host_wait} by rule")
    check(ours["idle_host_bound_ns"] == late, f"{where}: host-bound {ours['idle_host_bound_ns']}, {late} by rule")


def check_trace(postfetto, name, path, folder):
    document = hta_traces.load(path)
    events, _ = hta_traces.complete_events(document, lambda e: e.get("cat") in hta_traces.DEVICE or
                                           str(e.get("cat")).endswith(("_runtime", "_driver")))
    device_events = [e for e in events if e["cat"] in hta_traces.DEVICE]
    if not device_events:
        return None
    calls = {}
    for e in sorted(events, key=lambda e: e["ts"]):
        if e["cat"] not in hta_traces.DEVICE:
            calls.setdefault(e["args"].get("correlation"), e)
    hta = hta_traces.analysis(hta_traces.write_trace(os.path.join(folder, "ns.json"), events))
    given = analyze(postfetto, path, *SAME_CLASSES)
    check(len(given["devices"]) == 1, f"{name}: {len(given['devices'])} devices")
    device = given["devices"][0]
    check_times(name, hta, device)
    check_overlap(name, hta, device)
    check_kernels(name, hta, [device], {0: given["kernels"] + given["memcpy"]})
    whole = check_idle(name, hta, device, given["launches"][0], device_events, calls, events[0])
    usual = analyze(postfetto, path)
    others = [row["name"] for row in usual["kernels"] if row["class"] == "communication"
              and row["name"] not in {r["name"] for r in given["kernels"] if r["class"] == "communication"}]
    expected = OF_OTHERS.get(name, [])
    check(len(others) == len(expected) and all(word in kernel for word, kernel in zip(expected, sorted(others))),
          f"{name}: communication that HTA does not know: {others}")
    return whole


def main():
    hta_traces.run_with_hta()
    postfetto = os.path.abspath(sys.argv[1])
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in hta_traces.torch_traces(sys.argv[2]):
            results.append(check_trace(postfetto, name, path, folder))
    done = [r for r in results if r is not None]
    check(len(done) >= 14 and sum(done) >= 20, f"{len(done)} traces compared, {sum(done)} streams gap by gap")
    print(f"{len(done)} traces next to HTA, {sum(done)} streams gap by gap; {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
