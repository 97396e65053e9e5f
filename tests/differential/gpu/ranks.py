#!/usr/bin/env python3
"""ranks.py POSTFETTO: seeded ranks with known answers (tests/gpu/made_ranks.py), `analyze gpu` next to HTA, to the nanosecond.

Of all ranks together HTA is asked the temporal breakdown, the overlap of communication, kernels, the idle time of streams, what each
launch waited, the queue of each stream and who is late. What differs has a rule of docs/reference/gpu.md, which is computed from HTA's own
rows: queues count from the start of a call there; of the last collectives of a step it compares starts as recorded, so that it names
a rank whose clock is ahead, and leaves out the first step and short ones.

Five seeds are drawn, 50 with POSTFETTO_LONG=1; POSTFETTO_SEED chooses them. Exit status: 0, 1 when a check failed, 77 (skipped; 1
with POSTFETTO_REQUIRE_SHARED=1) without HTA.
"""
import importlib.machinery
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "gpu")]
import breakdown
import hta_traces
from hta_traces import check, failures


KEPT = (*hta_traces.DEVICE, "cuda_runtime")


def analyze(postfetto, paths):
    done = subprocess.run([postfetto, "analyze", "gpu", "-q", "--json", *paths], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def write(folder, name, run, made, rename=str):
    """The ranks for us, in us, and for HTA, in whole ns that it takes for us: without annotations, and whole."""
    paths, plain, whole = [], [], []
    for rank in range(run.ranks):
        events = [dict(e, name=rename(e["name"])) for e in run.events(rank, made.x, made.kernel, made.launch)]
        stem = os.path.join(folder, f"{name}-{rank}")
        paths.append(hta_traces.write_trace(f"{stem}.json", events, rank))
        events = [dict(e, ts=round(e["ts"] * 1000), dur=round(e["dur"] * 1000)) for e in events]
        whole.append(hta_traces.write_trace(f"{stem}-whole.json", events, rank))
        plain.append(hta_traces.write_trace(f"{stem}-plain.json", [e for e in events if e["cat"] in KEPT], rank))
    return paths, plain, whole


def times_of(path):
    """Device events, and calls by correlation, as breakdown.py takes them."""
    events = hta_traces.load(path)["traceEvents"]
    first = min(e["ts"] for e in events)
    events = [dict(e, ts=e["ts"] - first) for e in events]
    return [e for e in events if e["cat"] in hta_traces.DEVICE], {e["args"]["correlation"]: e for e in events if e["cat"] == "cuda_runtime"}, events[0]


def check_launches(where, hta, rank, row):
    """wait_* is HTA's launch_delay, delay_* that and the length of the call."""
    table = hta.get_cuda_kernel_launch_stats(ranks=[rank], visualize=False)[rank].to_dict("records")
    waits = sorted(int(e["launch_delay"]) for e in table)
    delays = sorted(int(e["launch_delay"] + e["cpu_duration"]) for e in table)
    for name, values in (("wait", waits), ("delay", delays)):
        found = tuple(row[f"{name}_{key}"] for key in ("min", "max"))
        check(found == (values[0], values[-1]) and abs(row[f"{name}_mean"] - sum(values) / len(values)) <= 0.5 and row["launches"] == len(values),
              f"{where}: {name} {row}, not {values[0]} to {values[-1]}")
    shorter = sum(e["gpu_duration"] < e["cpu_duration"] for e in table)
    check(row["shorter_than_launch"] == shorter, f"{where}: {row['shorter_than_launch']} shorter than their launch, not {shorter}")


def check_queue(where, hta, rank, row):
    """HTA's series by stream steps up at the start of each call; ours, of the device, does at its end."""
    series = hta.get_queue_length_time_series(ranks=[rank])[rank]
    trace = hta.t.get_trace(rank)
    calls, steps, depth = trace[trace["stream"] == -1]["dur"].to_dict(), [], {}
    for index, event in series.iterrows():
        before = depth.get(event["stream"], 0)
        depth[event["stream"]] = event["queue_length"]
        up = event["queue_length"] > before
        check(up == (index in calls), f"{where}: a step of the queue at {event['ts']}")
        steps.append((event["ts"] + (calls[index] if up else 0), 1 if up else -1))
    open_now, most, waited, last = 0, 0, 0, None
    for at, step in sorted(steps):
        waited += open_now * (at - last) if last is not None else 0
        open_now, last = open_now + step, at
        most = max(most, open_now)
    check(row["queue_depth_max"] == most, f"{where}: queue {row['queue_depth_max']}, not {most}")
    return waited


def check_run(postfetto, run, made, where, folder):
    paths, plain, whole = write(folder, "run", run, made)
    found, hta = analyze(postfetto, paths), hta_traces.analysis(plain)
    breakdown.check_kernels(where, hta, found["devices"], {rank: [row for row in found["kernels"] + found["memcpy"] if row["input"] == path]
                                                           for rank, path in enumerate(paths)})
    for rank, (device, launches) in enumerate(zip(found["devices"], found["launches"])):
        own = f"{where}, rank {rank}"
        breakdown.check_times(own, hta, device, rank)
        breakdown.check_overlap(own, hta, device, rank)
        breakdown.check_idle(own, hta, device, launches, *times_of(plain[rank]), rank)
        check_launches(own, hta, rank, launches)
        waited = check_queue(own, hta, rank, launches)
        check(abs(launches["queue_depth_mean"] * device["span_ns"] - waited) <= 1e-6 * waited + 1, f"{own}: mean depth {launches}, waited {waited}")
        check(device["busy_ns"] == found["ranks"][rank]["busy_ns"], f"{own}: busy time of the rank")


def late_by_rule(run):
    """The ranks that HTA's rule may name: most often the last to start a collective, as recorded, in the steps after the first one, of those
    that take 1 % of the time of a step or more. None where it has nothing to compare."""
    shown = [run.of(rank) for rank in range(run.ranks)]
    whole = max(rows[-1][3][1] for rows in shown) - min(rows[0][0][0] - 400000 for rows in shown)
    counts, compared = [0] * run.ranks, False
    for step in range(1, run.steps):
        starts = {rank: rows[step][1][0] for rank, rows in enumerate(shown) if rows[step][1][1] - rows[step][1][0] >= 0.01 * whole / run.steps}
        compared |= len(starts) > 1
        if starts:
            counts[max(starts, key=starts.get)] += 1
    return [rank for rank, count in enumerate(counts) if count == max(counts)] if compared else None


def check_stragglers(postfetto, run, made, where, folder):
    """Of equal clocks HTA names whom we name; else one whose clock is ahead, by its rule."""
    name = lambda text: text.replace("ncclDevKernel", "ncclKernel")  # those that HTA knows there
    paths, _, whole = write(folder, "late", run, made, name)
    ranks = analyze(postfetto, paths)["ranks"]
    ours = max(ranks, key=lambda row: row["caused_ns"])
    check(ours["rank"] == run.slow and ours["last"] == run.steps, f"{where}: {run.slow} is late, not {ours}")
    expected = late_by_rule(run)
    check(any(run.offset) or expected == [run.slow], f"{where}: {expected} by HTA's rule, with equal clocks")
    if expected:
        theirs = hta_traces.analysis(whole, True).get_potential_stragglers(num_candidates=1)
        check(len(theirs) == 1 and theirs[0] in expected, f"{where}: HTA names {theirs}, not {expected} (offsets {run.offset}, slow {run.slow})")


def main():
    hta_traces.run_with_hta()
    postfetto = os.path.abspath(sys.argv[1])
    made = importlib.machinery.SourceFileLoader("made", os.path.join(here, "..", "..", "gpu", "made")).load_module()
    first = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
    seeds = range(first, first + (50 if os.environ.get("POSTFETTO_LONG") == "1" else 5))
    print(f"ranks of seeds {seeds[0]} to {seeds[-1]}: POSTFETTO_SEED={first} takes the same", flush=True)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            run = made.made_ranks.Run(seed)
            check_run(postfetto, run, made, f"ranks of seed {seed}", folder)
            check_stragglers(postfetto, run, made, f"stragglers of seed {seed}", folder)
            run.offset = [0] * run.ranks
            check_stragglers(postfetto, run, made, f"stragglers of seed {seed} with equal clocks", folder)
    print(f"{len(seeds)} runs of ranks next to HTA; {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
