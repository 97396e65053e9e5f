"""The numbers of `analyze host`, computed a second time in SQL (host.sql) by Perfetto's engine, and what JSON says that cpus ran.

  check.py POSTFETTO TOOLS WORK CORPUS [SEED COUNT]

TOOLS is the folder tp_query/ with the engine's assets. Judged are both Android captures of the corpus, the schedulers of
fixtures/system, and COUNT random captures (tests/conformance/random/scheduler.py) from a seed on that is drawn and printed.
"""
import collections
import csv
import decimal
import glob
import json
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "conformance", "random"))
from check import run_engine  # noqa: E402
import scheduler  # noqa: E402

MOST_WAITS = 20
CPUS = (1 << 30) - 1  # the pid of cpus in JSON
# What random captures hold: threads of logs, trees and prints, and of no name, are read by the rules of another version than the
# engine's.
FEATURES = {"compact", "mixed", "wakings", "blocked", "faults", "early", "clock", "kernel", "loss", "irqs", "counters", "ties", "disorder"}
TABLES = ("host_cpus", "host_frequencies", "host_interrupts", "host_processes", "host_threads", "host_waits")
TIMES = {"running", "idle", "interrupts", "time", "total", "longest", "ready", "preempted", "blocked", "io", "sleeping", "length", "delay_p50", "delay_p95", "delay_p99",
         "delay_most"}


def text(value):
    return "" if value is None else str(value)


def ours(rows, columns):
    """Rows of the document as texts, times in ns."""
    return collections.Counter(tuple(text(round(row[name] * 1000)) if name in TIMES and row[name] is not None else text(row[name])
                                     for name in columns) for row in rows)


def without_ties(rows, columns):
    """Waits that are as long as the shortest one that was listed may be others."""
    kind, length = columns.index("wait"), columns.index("length")
    listed = collections.Counter(row[kind] for row in rows.elements())
    least = {each: min(int(row[length]) for row in rows if row[kind] == each) for each in listed}
    return collections.Counter({row: n for row, n in rows.items()
                                if listed[row[kind]] < MOST_WAITS or int(row[length]) > least[row[kind]]})


def compare(document, folder):
    """Descriptions of what differs."""
    for table in TABLES:
        with open(os.path.join(folder, table + ".csv"), newline="", encoding="utf-8") as file:
            columns, *rows = csv.reader(file)
        want, got = collections.Counter(map(tuple, rows)), ours(document.get(table, []), columns)
        if table == "host_waits":
            want, got = without_ties(want, columns), without_ties(got, columns)
        if want != got:
            yield f"{table}: {list((want - got).elements())[:2]} are missing, {list((got - want).elements())[:2]} are only ours"
    with open(os.path.join(folder, "host_delays.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    delays = document.get("delays", {})
    got = [text(delays.get("count", 0))] + [text(round(delays[name] * 1000)) for name in ("p50_us", "p95_us", "p99_us") if name in delays]
    if got != (rows[0][:4] if rows else ["0"]):
        yield f"delays: {got} instead of {rows}"


def compare_json(postfetto, trace, folder):
    path = os.path.join(folder, "trace.json")
    subprocess.run([postfetto, "convert", "-q", trace, "-o", path], check=True)
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
    got = collections.Counter()
    for e in events:
        if e.get("pid") == CPUS and e["ph"] in "XB":
            args = e["args"]
            got[tuple(text(cell) for cell in (int(e["ts"] * 1000), int(e.get("dur", decimal.Decimal("-0.001")) * 1000), e["tid"], e["name"], args["tid"],
                                              args.get("pid"), args["priority"], args.get("end_state")))] += 1
    with open(os.path.join(folder, "json_runs.csv"), newline="", encoding="utf-8") as file:
        want = collections.Counter(map(tuple, list(csv.reader(file))[1:]))
    if want != got:
        yield f"JSON: {list((want - got).elements())[:2]} are missing, {list((got - want).elements())[:2]} are only ours"


def main():
    postfetto, tools, work, corpus = (os.path.abspath(path) for path in sys.argv[1:5])
    seed, count = (int(each) for each in sys.argv[5:7]) if len(sys.argv) > 6 else (random.SystemRandom().randrange(10**6), 30)
    print(f"seeds {seed} to {seed + count - 1}")
    folder = os.path.join(work, "host")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    traces = [f"{corpus}/real/{name}/trace.pftrace" for name in ("android-startup-warm", "android-cpu-sampling")]
    traces += sorted(path for kind in ("sched", "waking", "blocked", "irq", "cpu", "stats", "workqueue") for path in glob.glob(f"{ROOT}/fixtures/system/{kind}*.pftrace"))
    scheduler.COMMS = [name or "delta" for name in scheduler.COMMS]
    for each in range(seed, seed + count):
        traces.append(os.path.join(folder, f"{each}.pftrace"))
        with open(traces[-1], "wb") as file:
            capture = scheduler.Scheduler(each)
            capture.on = capture.on & FEATURES | {"irqs", "counters"}
            file.write(capture.build())
    jobs = [{"trace": trace, "queries": os.path.join(HERE, "host.sql"), "out": os.path.join(folder, str(i))}
            for i, trace in enumerate(traces)]
    run_engine(tools, jobs, folder)
    failed = 0
    for job in jobs:
        said = subprocess.run([postfetto, "analyze", "host", "-q", job["trace"], "--json"], check=False, capture_output=True, text=True)
        problems = [f"exit code {said.returncode}: {said.stderr.strip()}"] if said.returncode else list(
            compare(json.loads(said.stdout), job["out"])) + list(compare_json(postfetto, job["trace"], job["out"]))
        for problem in problems:
            print(f"FAIL {job['trace']}: {problem}"[:900])
        failed += bool(problems)
    print(f"{len(jobs) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
