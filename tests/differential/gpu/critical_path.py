#!/usr/bin/env python3
"""critical_path.py POSTFETTO CORPUS: the critical paths of `analyze gpu` next to HTA's, as a second opinion.

Of every step that both can do the largest class is the same, and nine in ten classes are within 10 points. What is not is
explained by a rule that docs/reference/gpu.md names; each rule is checked on the step before it counts. HTA's classes are
ours by this table: cpu_bound is host; gpu_compute_bound is compute, or memory by category; gpu_communication_bound is
communication; gpu_kernel_launch_overhead is launch; gpu_kernel_kernel_overhead is waiting.

Exit status: 0, 1 when a check failed, 77 (skipped; 1 with POSTFETTO_REQUIRE_SHARED=1) without HTA or the corpus.
"""
import collections
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hta_traces
from hta_traces import check, failures

CLASSES = ("compute", "communication", "memory", "launch", "host", "waiting")
POINTS = 10
# Where steps are other annotations than ProfilerStep#N: what their names contain.
WORDS = {"torch-alexnet": "|forward", "torch-b200-eager": "execute_context", "torch-sglang-decode": "execute_",
         "torch-compile-triton": "Call CompiledFxGraph", "simple_add_493459": "|forward"}
SLOW = ("torch-h100-owlv2",)  # HTA takes 15 s for it: with POSTFETTO_LONG=1


def percent(sums):
    whole = sum(sums.values())
    return {name: 100 * sums[name] / whole if whole else 0 for name in CLASSES}


def largest(shares):
    return max(CLASSES, key=lambda name: shares[name])


def wanted(event):
    category = str(event.get("cat"))
    return category in ("cpu_op", "user_annotation", "cuda_sync", *hta_traces.DEVICE) or category.endswith(("_runtime", "_driver"))


class Theirs:
    """HTA's path of one step: us by class, in calls that launched something, and the delays between two kernels."""

    def __init__(self, hta, word, instance, events):
        with contextlib.redirect_stdout(io.StringIO()):
            graph, done = hta.critical_path_analysis(rank=0, annotation=word, instance_id=instance)
        check(done, f"HTA: no critical path of {word} {instance}")
        launched = {e["args"].get("correlation") for e in events if e["cat"] in hta_traces.DEVICE}
        trace = hta.t.get_trace(0)
        self.sums, self.in_calls, self.delays = collections.Counter(), 0, []
        for edge in graph.critical_path_edges_set:
            begin, end = graph.node_list[edge.begin], graph.node_list[edge.end]
            kind, weight = edge.type.name, edge.weight
            if kind == "KERNEL_LAUNCH_DELAY":
                self.sums["launch"] += weight
            elif kind == "KERNEL_KERNEL_DELAY":
                self.sums["waiting"] += weight
                kernel = trace.loc[end.ev_idx]
                launch = int(trace.loc[kernel["index_correlation"]]["ts"])
                self.delays.append((int(begin.ts), int(end.ts), int(kernel["stream"]), launch))
            elif kind == "OPERATOR_KERNEL":
                event = graph.get_event_attribution_for_edge(edge)
                row = trace.loc[event]
                name = graph.sym_table[row["name"]]
                if row["stream"] < 0:
                    self.sums["host"] += weight
                    self.in_calls += weight if row["correlation"] in launched and row["correlation"] > 0 else 0
                else:
                    category = graph.sym_table[row["cat"]]
                    self.sums["memory" if category != "kernel" else "communication" if name.startswith("nccl") and
                              "Kernel" in name else "compute"] += weight
        self.shares = percent(self.sums)


def rounded(events):
    """In whole us, starts up and ends down as HTA does it: to the ns calls end after the operators around them, and HTA's
    call stacks break."""
    for e in events:
        start, end = -(-e["ts"] // 1000), (e["ts"] + e["dur"]) // 1000
        e["ts"], e["dur"] = start, end - start
    return events


def of_step(postfetto, path, options, number):
    """Our shares, and those without host time outside of operators and without blocked calls."""
    done = subprocess.run([postfetto, "analyze", "gpu", "-q", "--json", path, *options, "--critical-step", str(number)],
                          stdout=subprocess.PIPE, check=True)
    given = json.loads(done.stdout)
    pieces = given["critical_path"]
    device = next((p["device"] for p in reversed(pieces) if p["device"] is not None), None)
    row = next(r for r in given["critical_path_share"] if r["step"] == number and device in (None, r["device"]))
    sums = collections.Counter()
    for p in pieces:
        if p["kind"] != "sync" and (p["kind"] != "host" or p["name"]):
            sums["waiting" if p["kind"] == "wait" else p["kind"]] += p["length_ns"]
    return {name: row[f"{name}_percent"] for name in CLASSES}, percent(sums)


def beside(theirs, events):
    """Percent of HTA's path that is a delay between two kernels while another stream of the device works."""
    under = 0
    for start, end, stream, _ in theirs.delays:
        for e in events:
            if e["cat"] in hta_traces.DEVICE and e["args"]["stream"] != stream and e["ts"] < end:
                last = min(e["ts"] + e["dur"], end)
                under += max(0, last - max(e["ts"], start))
                start = max(start, last)
    return 100 * under / max(1, sum(theirs.sums.values()))


def rules(theirs, ours, reduced, events):
    """(rule, HTA's shares, our shares) that a rule makes comparable; None: the rule explains whatever differs."""
    yield "outside operators", theirs.shares, reduced
    moved = collections.Counter(theirs.sums)
    moved["host"], moved["launch"] = moved["host"] - theirs.in_calls, moved["launch"] + theirs.in_calls
    yield "launch calls", percent(moved), ours
    if not any(e["cat"] == "cuda_sync" for e in events) and beside(theirs, events) > POINTS:
        yield "other streams", None, None
    late = sum(max(0, min(end, launch) - start) for start, end, _, launch in theirs.delays)
    if 100 * late > POINTS * sum(theirs.sums.values()):
        yield "delays before launches", None, None


def compare_step(where, theirs, ours, reduced, events, count):
    ways = list(rules(theirs, ours, reduced, events))
    if largest(theirs.shares) != largest(ours):
        rule = next((rule for rule, a, b in ways if a is None or largest(a) == largest(b)), None)
        check(rule, f"{where}: most is {largest(theirs.shares)} for HTA, {largest(ours)} for us")
        print(f"{where}: most is {largest(theirs.shares)} for HTA, {largest(ours)} for us: rule '{rule}'")
    for name in CLASSES:
        count["classes"] += 1
        if abs(theirs.shares[name] - ours[name]) > POINTS:
            rule = next((rule for rule, a, b in ways if a is None or abs(a[name] - b[name]) <= POINTS), None)
            count["apart"] += 1
            check(rule, f"{where}: {name} is {theirs.shares[name]:.1f} % for HTA, {ours[name]:.1f} % for us")
            print(f"{where}: {name} is {theirs.shares[name]:.1f} % for HTA, {ours[name]:.1f} % for us: rule '{rule}'")
    count["steps"] += 1


def compare_steps(postfetto, name, path, hta):
    """The device events of each ProfilerStep#N: HTA's column `iteration` follows launches, too; of HIP's not all."""
    done = subprocess.run([postfetto, "analyze", "gpu", "-q", "--json", path], stdout=subprocess.PIPE, check=True)
    ours = {row["step"]: row["events"] for row in json.loads(done.stdout)["steps"]}
    trace, names = hta.t.get_trace(0), hta.t.symbol_table.get_sym_table()
    theirs = collections.Counter(step for step, cat in zip(trace["iteration"], trace["cat"])
                                 if names[cat] in hta_traces.DEVICE)
    of_hip = any(names[i].startswith("hip") for i in set(trace["name"]))
    for step, events in ours.items():
        check(theirs[step] == events or (of_hip and theirs[step] < events),
              f"{name} step {step}: {events} device events, {theirs[step]} for HTA")


def compare_trace(postfetto, name, path, folder, count):
    events = rounded(hta_traces.complete_events(hta_traces.load(path), wanted)[0])
    word = WORDS.get(name, "ProfilerStep")
    steps = [e for e in events if e["cat"] == "user_annotation" and word in e["name"]]
    if not steps or not any(e["cat"] in hta_traces.DEVICE for e in events):
        return
    options = [] if name not in WORDS else ["--step-annotation", word.replace("|", "\\|")]
    hta = hta_traces.analysis(hta_traces.write_trace(os.path.join(folder, f"{name}.json"), events), True)
    if not options:
        compare_steps(postfetto, name, path, hta)
    done = 0
    for instance, step in enumerate(steps):
        number = sorted(s["ts"] for s in steps).index(step["ts"]) if options else int(step["name"].split("#")[1])
        ours, reduced = of_step(postfetto, path, options, number)
        try:
            theirs = Theirs(hta, word, instance, events)
        except (ValueError, KeyError, TypeError, AssertionError) as error:
            print(f"{name} step {number}: HTA gives up: {type(error).__name__} {error}")
            continue
        done += 1
        compare_step(f"{name} step {number}", theirs, ours, reduced, events, count)
    count["traces"] += done > 0


def main():
    hta_traces.run_with_hta()
    postfetto, corpus = os.path.abspath(sys.argv[1]), sys.argv[2]
    traces = hta_traces.torch_traces(corpus)
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, path in traces:
            if name not in SLOW or os.environ.get("POSTFETTO_LONG") == "1":
                compare_trace(postfetto, name, path, folder, count)
    check(count["traces"] >= 12, f"only {count['traces']} traces compared")
    check(10 * count["apart"] <= count["classes"], f"{count['apart']} of {count['classes']} classes are apart")
    print(f"critical paths of {count['steps']} steps of {count['traces']} traces next to HTA's: {count['apart']} of "
          f"{count['classes']} classes apart by more than {POINTS} points; {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
