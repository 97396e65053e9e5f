"""bench.py: one place that measures. See `scripts/bench --help`.

The probes of a case take turns, one run each in every round, so that what else the machine does hits all of them; a
round before the measured ones warms caches. Medians and the least are reported, ratios are of medians: compare ratios,
not seconds. What a comparison needs and is not there is named and left out.

  inputs.py  the traces            cases.py   what is measured      report.py  rows and tables
  collections_of_ranks.py          collections of up to 4,096 ranks, and HTA next to them (--large)
  probes.py  one measurement       goals.py   the goals' table      quiet.py   what others do meanwhile
  generate.c, floor.c, inside.c    what runs besides the command
"""
import argparse
import fnmatch
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

import goals  # noqa: E402
import quiet  # noqa: E402
import report  # noqa: E402
from cases import Bench, all_cases  # noqa: E402
from inputs import Inputs  # noqa: E402
from probes import Failure  # noqa: E402


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def matches(text, patterns):
    return not patterns or any(fnmatch.fnmatch(text.lower(), f"*{pattern.lower()}*") for pattern in patterns)


def run_case(bench, case, runs, patience):
    """The rows of a case: one, or one for each named sample."""
    path, probes = case.probes(bench)
    samples, shares = {}, []
    warm = 0 if bench.quick else 1
    for number in range(runs + warm):
        for probe in probes:
            rounds = min(probe.most or runs, runs)
            if number < warm and probe.most or number - warm >= rounds:
                continue
            if number < warm:
                probe.call()
                continue
            found, share, used = quiet.measure(probe.call, patience)
            shares.append(share)
            for sub, sample in found.items():
                sample.stats["cpu_s"] = used
                samples.setdefault(sub, {}).setdefault(probe.label, []).append(sample)
    size, disturbed = os.path.getsize(path) if path else 0, statistics.fmean(shares)
    return [report.summarise(case, sub, size, results, disturbed) for sub, results in samples.items()]


def measured(options):
    """What is measured: the commit of this tree, or the command that was named instead."""
    if not options.postfetto.startswith(os.path.join(ROOT, "build", "")):
        return options.postfetto
    try:
        done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "of this tree (git is not installed)"
    return done.stdout.strip() or "of this tree (no git repository)"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as source:
        names = [line.split(":", 1)[1].strip() for line in source if line.startswith("model name")]
    return names[0] if names else platform.machine()


def parse_options():
    build = os.path.join(ROOT, "build")
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures postfetto and what it is compared with; tables as Markdown on standard "
        "output, all numbers as JSON in build/bench.json.")
    add = parser.add_argument
    add("--goals", action="store_true", help="measure and print the table of the goals")
    add("--readme", nargs="?", const=os.path.join(ROOT, "docs", "speed.md"), metavar="FILE",
        help="with --goals: put the table into docs/speed.md, or between the same marks of another file")
    add("--only", metavar="PATTERN", action="append", default=[],
        help="only cases whose name has this (goals: whose command names it); * matches anything; may be repeated")
    add("--list", action="store_true", help="print the names of the cases and end")
    add("--runs", type=int, default=7, metavar="N", help="measured rounds [default: 7]")
    add("--patient", type=float, default=0, metavar="SECONDS",
        help="repeat a measurement up to so long while others use the processors [default: 0]")
    add("--first", action="store_true", help="take the processors before all other programs do (as root, on a busy machine)")
    add("--quick", action="store_true", help="inputs of a hundredth of the size, one round: does everything work?")
    add("--large", action="store_true", help="imports of 1 GB and collections of 512 and 4,096 ranks too")
    add("--save", metavar="FILE.json", default=os.path.join(build, "bench.json"), help="where the numbers go")
    add("--compare", metavar="OLD.json", help="print before -> after against saved numbers")
    add("--before", metavar="COMMAND", help="another postfetto, which takes turns with this one")
    add("--clean", action="store_true", help="remove the inputs at the end")
    add("--postfetto", default=os.path.join(build, "release", "postfetto"), metavar="COMMAND")
    add("--programs", metavar="DIR", help="folder of bench_generate, bench_floor, bench_inside, bench_build, bench_packets, bench_vtab [default: next to the command]")
    add("--shared", default=os.environ.get("POSTFETTO_SHARED", os.path.join(ROOT, "..", "shared")), metavar="DIR")
    add("--engine", default=os.path.join(build, "engine", "tp_query"), metavar="DIR", help="tp_query with its assets")
    add("--work", default=os.path.join(build, "bench"), metavar="DIR", help="where the inputs are kept")
    options = parser.parse_args()
    options.runs = 1 if options.quick else max(1, options.runs)
    options.programs = options.programs or os.path.join(os.path.dirname(os.path.abspath(options.postfetto)), "tests")
    return options


def go_first():
    """Gives the bench, in a session of its own, the largest share of the processors that Linux gives a program."""
    if os.getsid(0) != os.getpid():
        os.execvp("setsid", ["setsid", "-w", sys.executable, *sys.argv])
    if os.path.exists("/proc/self/autogroup"):
        with open("/proc/self/autogroup", "w", encoding="ascii") as target:
            target.write("-19")
    os.setpriority(os.PRIO_PROCESS, 0, -19)


def save(options, result):
    with open(options.save, "w", encoding="utf-8") as target:
        json.dump(result, target, indent=1)
        target.write("\n")


def measure(bench, cases, options):
    """All rows. What there is so far is saved after every case."""
    result = {"commit": measured(options), "processor": processor(), "cores": os.cpu_count(), "runs": options.runs, "rows": []}
    for number, case in enumerate(cases):
        say(f"{number + 1} of {len(cases)}: {case.name}")
        result["rows"] += run_case(bench, case, options.runs, options.patient)
        save(options, result)
    return result


def outputs():
    """A folder for what is written, in memory if there is a memory file system."""
    return tempfile.mkdtemp(prefix="postfetto-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def run(options):
    chosen = [goal for goal in goals.GOALS if matches(goal.key, options.only)] if options.goals else []
    cases = goals.cases_of(chosen) if options.goals else [c for c in all_cases(options.large) if matches(c.name, options.only)]
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not cases:
        say(f"no case has {' or '.join(options.only)} in its name; --list shows them")
        return 2
    old = None
    if options.compare:
        with open(options.compare, encoding="utf-8") as source:
            old = json.load(source)
    out = outputs()
    try:
        inputs = Inputs(options.work, options.shared, options.postfetto, options.programs, 0.01 if options.quick else 1, say)
        bench = Bench(options, inputs, options.programs, out, say)
        if bench.engine.missing:
            say(f"skipped: the comparison with Perfetto's engine: {bench.engine.missing}")
        result = measure(bench, cases, options)
    finally:
        shutil.rmtree(out)
    rows = result["rows"]
    result["disturbed"] = others = statistics.fmean(row["disturbed"] for row in rows)
    context = (f"postfetto {result['commit']}; {result['processor']}, {os.cpu_count()} cores; {options.runs} interleaved runs; "
               f"other programs took {others:.0%} of the processors meanwhile.")
    print(context + "\n")
    if options.goals:
        result["goals"], lines = goals.make_table(chosen, rows)
        print("\n".join(lines) + "\n")
        if options.readme:
            goals.put_into(options.readme, ["Measured: " + context, ""] + lines)
    else:
        report.print_tables(rows)
    if old:
        report.compare(old, rows)
    save(options, result)
    say(f"all numbers: {options.save}")
    if options.clean:
        inputs.clean()
    return 0


def main():
    options = parse_options()
    try:
        if options.first:
            go_first()
        sys.exit(run(options))
    except (Failure, OSError, ValueError) as failure:
        sys.exit(f"bench: {failure}")


if __name__ == "__main__":
    main()
