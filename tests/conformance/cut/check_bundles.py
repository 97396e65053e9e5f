"""Cuts of captures of a scheduler: the events of a window, as Perfetto's engine reads them, are those of the whole in it.

  check_bundles.py POSTFETTO TOOLS WORK CORPUS [SEED [WINDOWS]]

Of two captures that scripts/gen_sched.py makes, compact and plain, and of both Android captures of CORPUS some windows are cut,
by a seed that is printed. In a cut there may be, at its very beginning, a switch of each cpu more: what ran then. Rows of sched in a
cut that have an end are rows of the whole, or begin with the window. Each is split as well, into a random number of parts, which are
merged again: rows of sched and thread_state are those of the whole. Cut by a process or thread, kept or left out, rows of the
threads that are kept are those of the whole, where a thread's number is that of one thread. So are those of some random captures (../random/scheduler.py)
that mix both forms, in bundles out of order; where these have events of one thread on several cpus in one nanosecond ("ties"), the
runs alone, since which event comes first depends on all packets of a file (docs/reference/merge.md). A cut of each cut, and of cuts of these
captures, is the cut.
"""
import collections
import csv
import filecmp
import glob
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "tests", "conformance", "random"))
from check import run_engine  # noqa: E402
from scheduler import Scheduler  # noqa: E402

WINDOWS = 2
MIXED = 4  # random captures
MIXED_WINDOWS = 20
# States of v55.3 are others with several machines; bundles of a cpu overlap; logs and tasks that begin anew say more of processes.
UNSELECTED = {"machines", "disorder", "logs", "tasks"}
ENTRY_OUTSIDE = (126, 2900, 2958)  # a capture and a window: an event outside refers to an entry, none inside does
QUERIES = """-- @name events
SELECT ts, ucpu, name, common_flags FROM ftrace_event;
-- @name runs
SELECT s.ts, s.ucpu, t.tid, s.priority, s.dur, s.end_state FROM sched s JOIN thread t USING (utid);
-- @name states
SELECT s.ts, t.tid, s.dur, s.state, s.io_wait, s.blocked_function FROM thread_state s JOIN thread t USING (utid);
-- @name people
SELECT t.tid, p.pid, count() OVER (PARTITION BY t.tid) FROM thread t LEFT JOIN process p USING (upid);
-- @name bounds
SELECT start_ts, end_ts FROM trace_bounds;
"""


def read(folder, section):
    with open(os.path.join(folder, section + ".csv"), newline="", encoding="utf-8") as file:
        return [(int(ts), *rest) for ts, *rest in list(csv.reader(file))[1:]]


def compare(whole, cut, start, end):
    """Descriptions of what differs."""
    want = collections.Counter(row for row in read(whole, "events") if start <= row[0] < end)
    got = collections.Counter(read(cut, "events"))
    if want - got:
        yield f"{sum((want - got).values())} events are missing: {list(want - got)[:3]}"
    more = list((got - want).elements())
    if len({row[1] for row in more}) < len(more) or any(row[0] != start or row[2] != "sched_switch" for row in more):
        yield f"{len(more)} events are not of the window: {more[:3]}"
    runs = set(read(whole, "runs"))
    extra = [row for row in read(cut, "runs") if row[0] > start and row[4] != "-1" and row not in runs]
    if extra:
        yield f"{len(extra)} runs are not those of the whole: {extra[:3]}"


def cut(postfetto, trace, out, start, end):
    """The cut, and whether a cut of it is another one."""
    again = out + ".again.pftrace"
    for source, target in ((trace, out + ".pftrace"), (out + ".pftrace", again)):
        subprocess.run([postfetto, "cut", "-q", source, "-o", target, "--from", str(start), "--to", str(end)], check=True)
    return out + ".pftrace", not filecmp.cmp(out + ".pftrace", again, shallow=False)


def split_and_merge(postfetto, whole, out, parts):
    """The file of the parts of a trace, merged in their order."""
    subprocess.run([postfetto, "split", "-q", whole, "-o", out, "--parts", str(parts)], check=True)
    subprocess.run([postfetto, "merge", "-q", *sorted(glob.glob(out + "/*.pftrace")), "-o", out + ".pftrace"], check=True)
    return out + ".pftrace"


def compare_merged(whole, merged, sections):
    for section in sections:
        want, got = (collections.Counter(read(folder, section)) for folder in (whole, merged))
        if want != got:
            yield f"{section} of merged parts: {list(want - got)[:2]} are missing, {list(got - want)[:2]} are more"


def select(whole, rng):
    """Options that keep a process or a thread, or leave it out, and the threads that are kept."""
    people = [(tid, pid or tid) for tid, pid, _ in read(whole, "people") if tid]
    option, drop = rng.choice(["process", "thread"]), rng.random() < 0.3
    column = 1 if option == "process" else 0
    one = str(rng.choice(people)[column])
    kept = {str(row[0]) for row in people if (str(row[column]) == one) != drop}
    option = f"--{'drop-' * drop}{option}"
    return [option, one], kept


def compare_selected(whole, cut, kept, sections):
    cpus = collections.defaultdict(set)  # of a time: which of its events comes first depends on all packets of a file
    for ts, cpu, *_ in read(whole, "events"):
        cpus[ts].add(cpu)
    tied = {ts for ts, found in cpus.items() if len(found) > 1}
    once = {str(tid) for tid, _, uses in read(whole, "people") if uses == "1" and tid}
    for section in sections:
        tid = 2 if section == "runs" else 1
        want, got = (collections.Counter(row for row in read(folder, section) if row[tid] in once and (section == "runs" or row[0] not in tied))
                     for folder in (whole, cut))
        want = collections.Counter({row: count for row, count in want.items() if row[tid] in kept})
        if want != got:
            yield f"{section} of selected threads: {list(want - got)[:2]} are missing, {list(got - want)[:2]} are more"


def main():
    postfetto, tools, work, corpus = (os.path.abspath(path) for path in sys.argv[1:5])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randrange(10**6)
    windows = int(sys.argv[6]) if len(sys.argv) > 6 else WINDOWS
    print(f"seed {seed}")
    folder, rng = os.path.join(work, "bundles"), random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    queries = os.path.join(folder, "queries.sql")
    with open(queries, "w", encoding="utf-8") as file:
        file.write(QUERIES)
    traces = [f"{corpus}/real/{name}/trace.pftrace" for name in ("android-startup-warm", "android-cpu-sampling")]
    for name, form in (("compact", []), ("plain", ["--plain"])):
        traces.append(os.path.join(folder, name + ".pftrace"))
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_sched.py"), traces[-1], "--events", "20000",
                        "--seed", str(seed), *form], check=True)
    made, tied, apart = len(traces), set(), set()
    for other in range(seed * MIXED, (seed + 1) * MIXED):
        traces.append(os.path.join(folder, f"mixed{other}.pftrace"))
        with open(traces[-1], "wb") as file:
            capture = Scheduler(other)
            file.write(capture.build())
        tied |= {len(traces) - 1} if "ties" in capture.on else set()
        apart |= {len(traces) - 1} if capture.on & UNSELECTED else set()
    jobs = [{"trace": trace, "queries": queries, "out": os.path.join(folder, f"whole{i}")} for i, trace in enumerate(traces)]
    run_engine(tools, jobs, folder)
    cuts, failed = [], 0
    number, start, end = ENTRY_OUTSIDE
    entry = os.path.join(folder, "entry.pftrace")
    with open(entry, "wb") as file:
        file.write(Scheduler(number).build())
    if cut(postfetto, entry, entry + ".cut", start, end)[1]:
        failed += 1
        print("FAIL an entry that no event of a cut refers to is in it")
    for i, whole in enumerate(jobs):
        (first, last), = read(whole["out"], "bounds")
        for _ in range(windows if i < made else MIXED_WINDOWS):
            start, end = sorted(rng.randrange(first, int(last) + 1) for _ in range(2))
            out = os.path.join(folder, f"cut{len(cuts)}")
            trace, differs = cut(postfetto, whole["trace"], out, start, end + 1)
            if differs:
                failed += 1
                print(f"FAIL {whole['trace']} from {start} to {end + 1}: a cut of the cut is another one")
            if i < made:
                cuts.append(({"trace": trace, "queries": queries, "out": out}, whole, start, end + 1))
    merged, selected = [], []
    for i, whole in enumerate(jobs):
        for _ in range(windows if i not in apart else 0):
            option, kept = select(whole["out"], rng)
            out = os.path.join(folder, f"selected{len(selected)}")
            subprocess.run([postfetto, "cut", "-q", whole["trace"], "-o", out + ".pftrace", *option], check=True)
            selected.append(({"trace": out + ".pftrace", "queries": queries, "out": out}, whole, option, kept, i in tied))
        out = os.path.join(folder, f"merged{i}")
        trace = split_and_merge(postfetto, whole["trace"], os.path.join(folder, f"parts{i}"), rng.randrange(2, 20))
        merged.append(({"trace": trace, "queries": queries, "out": out}, whole))
    run_engine(tools, [each for each, *_ in cuts + merged + selected], folder)
    for each, whole, option, kept, ties in selected:
        for problem in compare_selected(whole["out"], each["out"], kept, ("runs", "states")[:1 if ties else 2]):
            failed += 1
            print(f"FAIL {whole['trace']} {' '.join(option)}: {problem}"[:900])
    for i, (each, whole) in enumerate(merged):
        for problem in compare_merged(whole["out"], each["out"], ("runs", "states")[:1 if i in tied else 2]):
            failed += 1
            print(f"FAIL {whole['trace']}: {problem}"[:900])
    for each, whole, start, end in cuts:
        for problem in compare(whole["out"], each["out"], start, end):
            failed += 1
            print(f"FAIL {whole['trace']} from {start} to {end}: {problem}"[:900])
    print(f"cuts of schedulers: {len(cuts)} windows, {len(merged)} merged, {len(selected)} selected, {failed} problems")
    return 1 if failed or not cuts else 0


if __name__ == "__main__":
    sys.exit(main())
