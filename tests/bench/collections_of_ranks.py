"""collections_of_ranks.py: collections of seeded ranks (scripts/gen_gpu.py --collection): one worker and two, the merge alone, and HTA.

Processor time and memory are those of the whole tree of processes; memory is the largest of one process, so of two workers
the sum is at most twice that. On a busy machine compare processor time, and take --first for the speed-up, which is by the clock.
"""
import glob
import os
import shutil
import subprocess
import sys
import time

from probes import Failure, Probe, Sample

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHAPES = {"small": (8, 1), "4 MB": (8, 60), "40 MB": (80, 60)}  # by size of a rank (small: 0.1 MB of JSON) its steps and layers
OURS = {"two": "two workers", "one": "one worker", "merge": "merge alone"}
PEER = "HTA"


def tree(label, command, ready=None, most=0):
    """A process and all that it starts."""
    def call():
        if ready:
            ready()
        start = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            errors = process.stderr.read().decode("utf-8", "replace")
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Failure(f"{' '.join(command)[:300]} ended with {process.returncode}:\n{errors[-2000:]}")
        return {"": Sample(time.monotonic() - start, {"peak_rss_kb": used.ru_maxrss})}
    return Probe(label, call, most)


def made(bench, ranks, size):
    folder = os.path.join(bench.inputs.folder, f"ranks-{ranks}-{size.replace(' ', '')}{'-quick' if bench.quick else ''}")
    if not os.path.isdir(folder):
        bench.inputs.say(f"making {ranks} ranks")
        started = folder + "-unfinished"
        shutil.rmtree(started, ignore_errors=True)
        steps, layers = SHAPES[size]
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_gpu.py"), started, "--collection", "--ranks", str(ranks), "--steps",
                        str(2 if bench.quick else steps), "--layers", str(layers), "--jobs", "2"], check=True)
        os.rename(started, folder)
    return folder


def peer(bench, paths):
    """HTA's answers to what analyze gpu says: busy and idle time, overlap, kernels, launches, queues."""
    found = subprocess.run([os.path.join(ROOT, "scripts", "peers"), "hta"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if found.returncode:
        bench.inputs.say("skipped: HTA is not installed (scripts/install-deps peers)")
        return []
    return [tree(PEER, [found.stdout.strip(), os.path.join(HERE, "ask_hta.py"), *paths], most=2)]


def collection_case(ranks, size, beside=False):
    def probes(bench):
        folder = made(bench, ranks // 16 if bench.quick and ranks > 64 else ranks, size)
        parts, out, command = os.path.join(bench.out, "parts"), os.path.join(bench.out, "report"), [bench.postfetto]
        anew = lambda: shutil.rmtree(parts, ignore_errors=True)
        kept = os.path.join(bench.out, "kept")
        shutil.rmtree(kept, ignore_errors=True)
        whole = command + ["analyze", "gpu", "-q", "--collection", folder, "--report", out, "--cache"]
        subprocess.run(whole + [kept], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        partials = sorted(glob.glob(os.path.join(kept, "*.pfr")))
        most = 0 if ranks <= 64 else 3 if ranks <= 512 else 1
        found = [tree(OURS["two"], whole + [parts, "--jobs", "2"], anew, most), tree(OURS["one"], whole + [parts, "--jobs", "1"], anew, most),
                 tree(OURS["merge"], command + ["merge-reports", "-q", *partials, "--report", out], most=most)]
        return None, found + (peer(bench, sorted(glob.glob(os.path.join(folder, "*.gz")))) if beside else [])
    return (f"collection, {ranks} {'small ranks' if size == 'small' else 'ranks of ' + size}", "collection", 0, probes)


def all_collections():
    """Names, groups, sizes and probes of cases, as cases.Case has them."""
    return [collection_case(8, "4 MB", True), collection_case(64, "4 MB", True), collection_case(512, "4 MB"), collection_case(8, "40 MB", True),
            collection_case(64, "40 MB", True),
            *(collection_case(ranks, "small") for ranks in (64, 512, 4096))]


def lines(rows):
    """A table of collections, and one of HTA next to them."""
    yield from ("| collection | CPU | CPU a rank | of that the merge | clock, one worker | two workers | speed-up | memory of a process | of the merge |", "|" + "---|" * 9)
    beside = []
    for row in rows:
        two, one, merge = (row["results"][OURS[key]] for key in ("two", "one", "merge"))
        ranks = int(row["case"].split()[1])
        yield (f"| {row['case'].split(', ')[1]} | {two['cpu_s']:.2f} s | {1000 * two['cpu_s'] / ranks:.2f} ms | {merge['cpu_s'] / two['cpu_s']:.1%} | "
               f"{one['median_s']:.2f} s | {two['median_s']:.2f} s | {one['median_s'] / two['median_s']:.2f} | {two['peak_rss_kb'] / 1024:.0f} MB | "
               f"{merge['peak_rss_kb'] / 1024:.0f} MB |")
        if PEER in row["results"]:
            theirs = row["results"][PEER]
            beside.append(f"| {row['case'].split(', ')[1]} | {two['cpu_s']:.2f} s | {theirs['cpu_s']:.2f} s | {theirs['cpu_s'] / two['cpu_s']:.0f} | "
                          f"{two['peak_rss_kb'] / 1024:.0f} MB | {theirs['peak_rss_kb'] / 1024:.0f} MB | {theirs['peak_rss_kb'] / two['peak_rss_kb']:.1f} |")
    if beside:
        yield from ("", "| collection | CPU | of HTA | times ours | memory | of HTA | times ours |", "|" + "---|" * 7, *beside)
