"""What a machine did (ftrace, sys_stats, logs of the system), read by postfetto and by Perfetto's engine: all tables must be equal.

  check_system.py POSTFETTO TOOLS WORK CORPUS [FIRST COUNT]

Judged are the traces of fixtures/system, those of CORPUS that hold packets of a system, and, if they are asked for, COUNT random
ones from the seed FIRST on (scheduler.py), and two captures of 100,000 events (scripts/gen_sched.py), which threads merge in
pieces. One pair is a trace and a section of
canonical.sql, sections.sql or system.sql, of fixtures and large captures also of ids.sql. Pairs that differ for a reason are rows
of docs/conformance.md; of the corpus only the sections of system.sql are compared here, since the others have recorded
expectations (scripts/conformance).
"""
import glob
import os
import shutil
import subprocess
import sys

from check import HERE, judge
from scheduler import Scheduler

sys.path.insert(0, os.path.dirname(HERE))
from driver_trace import host_cases  # noqa: E402
from runner import ROOT, read_known  # noqa: E402

SECTIONS = [os.path.join(HERE, name) for name in ("sections.sql", "system.sql")]
IDS = os.path.join(HERE, "ids.sql")


def report(results, known, area):
    """Prints what differs and is not known, and what is known and equal; returns how many pairs are equal, wrong, known."""
    equal = wrong = excused = 0
    for label, problems, sections in results:
        for section in sorted({*sections, *problems}):
            problem, reason = problems.get(section), known.get((area, f"{label} {section}"))
            if problem is None and reason is not None:
                problem = "equal by now: take its row out of docs/conformance.md"
            elif problem is not None and reason is not None:
                excused += 1
                continue
            equal += problem is None
            wrong += problem is not None
            if problem is not None:
                print(f"FAIL {area}/{label} {section}: {problem}"[:900], flush=True)
    print(f"{area}: {equal} pairs equal, {wrong} differ, {excused} known to differ", flush=True)
    return wrong


def write_large(folder):
    large = {"compact": [], "plain": ["--plain"]}
    for kind, options in large.items():
        path = os.path.join(folder, f"{kind}.pftrace")
        subprocess.run([sys.executable, f"{ROOT}/scripts/gen_sched.py", path, "--events", "100000", *options], check=True)
        large[kind] = path
    return large


def main():
    postfetto, tools, work, corpus = (os.path.abspath(path) for path in sys.argv[1:5])
    first, count = (int(each) for each in sys.argv[5:7]) if len(sys.argv) > 6 else (0, 0)
    folder, canonical = os.path.join(work, "system"), os.path.join(corpus, "canonical.sql")
    known = read_known(os.path.join(ROOT, "docs", "conformance.md"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    seeds = {}
    if count:
        print(f"seeds {first} to {first + count - 1}")
    for seed in range(first, first + count):
        seeds[seed] = os.path.join(folder, f"{seed}.pftrace")
        with open(seeds[seed], "wb") as file:
            file.write(Scheduler(seed).build())
    made = {os.path.basename(path)[:-len(".pftrace")]: path for path in sorted(glob.glob(f"{ROOT}/fixtures/system/*.pftrace"))}
    sets = [("random", seeds, [canonical, *SECTIONS]), ("system", made, [canonical, *SECTIONS, IDS]),
            ("large", write_large(folder), [SECTIONS[1], IDS])]
    sets += [(area, host_cases(os.path.join(corpus, area)), SECTIONS[1:]) for area in ("perfetto", "real")]
    wrong = sum(report(judge(postfetto, tools, traces, sections, folder, ["--raw-events"]), known, area)
                for area, traces, sections in sets if traces)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
