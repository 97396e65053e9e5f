"""bench.py [--runs N] [--postfetto PATH] [--corpus DIR]: how long the main jobs take on a million events: `analyze aie`,
and, where ../shared/tools/gen_trace.py is there, `info` of a general trace (the import of all tables, arguments as ranges).

Every case is a whole process from start to exit. The cases take turns (one run each, then the next round), so that what
the machine does in between hits all of them; one round before the measured ones warms the page cache. Medians are
reported. The comparisons are lower bounds that need no argument: Python's json.load of the same file (the reference
program starts with it), inflating the same gzip with zlib, reading the same file with cat.

The trace is the corpus case large_1m if the corpus is there, else one of our own generator of about the same size. The
reference program's 3.0 s and 558 MB are recorded numbers for large_1m as JSON; it is not run here.
"""
import argparse
import collections
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, "build", "bench")
REFERENCE_S, REFERENCE_MB = 3.0, 558

Job = collections.namedtuple("Job", "name input command ours")
Run = collections.namedtuple("Run", "seconds rss_kb stats")


def read_parameters(path):
    with open(path, encoding="utf-8") as source:
        settings = dict(line.rstrip("\n").split("=", 1) for line in source if "=" in line)
    names = ["M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations"]
    return [part for name in names if name in settings for part in (f"--{name}", settings[name])]


def prepare_json(corpus):
    """Puts the trace into build/bench as trace.json and trace.json.gz; returns (its name, analysis parameters)."""
    os.makedirs(WORK, exist_ok=True)
    plain, packed = os.path.join(WORK, "trace.json"), os.path.join(WORK, "trace.json.gz")
    case = os.path.join(corpus, "aie", "large_1m")
    if os.path.isdir(case):
        shutil.copyfile(os.path.join(case, "trace.json.gz"), packed)
        with gzip.open(packed, "rb") as source, open(plain, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        return "large_1m", read_parameters(os.path.join(case, "cmd.txt"))
    subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_aie.py"), plain], check=True)
    with open(plain, "rb") as source, gzip.GzipFile(packed, "wb", 6, mtime=0) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    values = {"M": 4096, "K": 2048, "N": 4096, "row": 4, "col": 8, "hwid": "generated", "warmup": 4, "iterations": 28}
    return "generated", [part for name, value in values.items() for part in (f"--{name}", str(value))]


def make_jobs(postfetto, parameters):
    files = {ending: os.path.join(WORK, "trace." + ending) for ending in ("json", "json.gz", "pftrace")}
    subprocess.run([postfetto, "convert", files["json"], "-o", files["pftrace"]], check=True, stderr=subprocess.DEVNULL)

    def analyze(ending, *more):
        report = ["--report", os.path.join(WORK, "reports"), "--stats"]
        return [postfetto, "analyze", "aie", files[ending]] + parameters + report + list(more)

    load = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
    inflate = "import sys, zlib; zlib.decompress(open(sys.argv[1], 'rb').read(), 31)"
    enriched = os.path.join(WORK, "enriched.pftrace")
    return [
        Job("analyze aie, JSON", "json", analyze("json"), True),
        Job("analyze aie, JSON.gz", "json.gz", analyze("json.gz"), True),
        Job("analyze aie, .pftrace", "pftrace", analyze("pftrace"), True),
        Job("analyze aie -o, JSON", "json", analyze("json", "-o", enriched), True),
        Job("python json.load, JSON", "json", [sys.executable, "-c", load, files["json"]], False),
        Job("zlib inflate, JSON.gz", "json.gz", [sys.executable, "-c", inflate, files["json.gz"]], False),
        Job("cat, .pftrace", "pftrace", ["cat", files["pftrace"]], False),
    ], {ending: os.path.getsize(path) for ending, path in files.items()}


def make_import_jobs(postfetto, corpus):
    """Importing a general trace, where its generator is at hand: jobs and input sizes."""
    generator = os.path.join(corpus, "..", "tools", "gen_trace.py")
    if not os.path.isfile(generator):
        return [], {}
    files = {name: os.path.join(WORK, name) for name in ("general.pftrace", "general.json")}
    if not all(os.path.isfile(path) for path in files.values()):
        subprocess.run([sys.executable, generator, "--events", "1000000", "--pftrace", files["general.pftrace"], "--json",
                        files["general.json"]], check=True, stdout=subprocess.DEVNULL)
    jobs = [Job(f"info, {name}", name, [postfetto, "info", path, "--stats"], True) for name, path in files.items()]
    jobs += [Job(f"cat, {name}", name, ["cat", path], False) for name, path in files.items()]
    return jobs, {name: os.path.getsize(path) for name, path in files.items()}


def last_stats(path):
    """The line that --stats prints at the end."""
    with open(path, encoding="utf-8", errors="replace") as source:
        lines = [line for line in source if line.startswith("{")]
    if not lines:
        sys.exit("bench: --stats printed nothing")
    return json.loads(lines[-1])


def run_job(job):
    messages = os.path.join(WORK, "stderr.txt")
    with open(messages, "wb") as stderr:
        start = time.monotonic()
        process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(messages, encoding="utf-8", errors="replace") as source:
            sys.exit(f"bench: {' '.join(job.command)} ended with {process.returncode}:\n{source.read()}")
    return Run(seconds, usage.ru_maxrss, last_stats(messages) if job.ours else {})


def measure(jobs, rounds):
    """Job name -> its runs, without the warming round."""
    runs = {job.name: [] for job in jobs}
    for number in range(rounds + 1):
        for job in jobs:
            run = run_job(job)
            if number > 0:
                runs[job.name].append(run)
        print(f"round {number} of {rounds}", file=sys.stderr)
    return runs


def summarise(trace, jobs, sizes, runs):
    rows = []
    for job in jobs:
        times = [run.seconds for run in runs[job.name]]
        row = {"case": job.name, "input_bytes": sizes[job.input], "runs": len(times), "ours": job.ours,
               "median_s": statistics.median(times), "min_s": min(times), "max_s": max(times),
               "peak_rss_mb": statistics.median(run.rss_kb for run in runs[job.name]) / 1024}
        if job.ours:
            stats = [run.stats for run in runs[job.name]]
            row["peak_heap_mb"] = statistics.median(one["peak_heap_kb"] for one in stats) / 1024
            row["events"] = stats[0]["events"]
            row["events_per_s"] = row["events"] / row["median_s"]
            row["plain_mb_per_s"] = stats[0]["plain_bytes"] / 1e6 / row["median_s"]
            if trace == "large_1m" and job.name.startswith("analyze"):
                row["times_faster_than_reference"] = REFERENCE_S / row["median_s"]
                row["heap_share_of_reference"] = row["peak_heap_mb"] / REFERENCE_MB
        rows.append(row)
    for row in rows:
        if row["ours"]:
            floor = next(other for other, job in zip(rows, jobs) if not job.ours and job.input == input_of(row, jobs))
            row["ratio_to_comparison"] = floor["median_s"] / row["median_s"]
            row["comparison"] = floor["case"]
    return rows


def input_of(row, jobs):
    return next(job.input for job in jobs if job.name == row["case"])


def print_markdown(trace, rows):
    print(f"Trace: {trace}; medians of {rows[0]['runs']} interleaved runs, whole processes.\n")
    print("| case | input MB | seconds | M events/s | reference / ours | comparison / ours | heap MB | of reference | RSS MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        cells = [row["case"], f"{row['input_bytes'] / 1e6:.1f}", f"{row['median_s']:.3f}"]
        if row["ours"]:
            faster, share = row.get("times_faster_than_reference"), row.get("heap_share_of_reference")
            cells += [f"{row['events_per_s'] / 1e6:.1f}", f"{faster:.1f}" if faster else "-",
                      f"{row['ratio_to_comparison']:.2f} ({row['comparison'].split(',')[0]})",
                      f"{row['peak_heap_mb']:.1f}", f"1/{1 / share:.0f}" if share else "-"]
        else:
            cells += ["-"] * 5
        print("| " + " | ".join(cells + [f"{row['peak_rss_mb']:.0f}"]) + " |")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures the main job.")
    parser.add_argument("--runs", type=int, default=7, help="measured rounds (default 7)")
    parser.add_argument("--postfetto", default=os.path.join(ROOT, "build", "release", "postfetto"))
    parser.add_argument("--corpus", default=os.path.join(ROOT, "..", "shared", "corpus"))
    options = parser.parse_args()
    trace, parameters = prepare_json(options.corpus)
    jobs, sizes = make_jobs(options.postfetto, parameters)
    more_jobs, more_sizes = make_import_jobs(options.postfetto, options.corpus)
    jobs, sizes = jobs + more_jobs, sizes | more_sizes
    rows = summarise(trace, jobs, sizes, measure(jobs, max(1, options.runs)))
    print_markdown(trace, rows)
    with open(os.path.join(ROOT, "build", "bench.json"), "w", encoding="utf-8") as target:
        json.dump({"trace": trace, "reference": {"seconds": REFERENCE_S, "mb": REFERENCE_MB}, "rows": rows}, target, indent=2)
        target.write("\n")
    print("All numbers: build/bench.json", file=sys.stderr)


if __name__ == "__main__":
    main()
