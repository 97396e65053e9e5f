"""What the tests of engines share: checks, and what one machine says."""
import filecmp
import glob
import os
import shutil
import subprocess
import sys

import postfetto

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGED = os.path.join(os.path.dirname(postfetto.__file__), "postfetto")
COMMAND = os.path.realpath(PACKAGED)
DAMAGED = "rank-damaged.json.gz"
counts = {True: 0, False: 0}


def check(what, good, *details):
    counts[bool(good)] += 1
    if not good:
        print(f"not ok {what}", *(str(d)[:2000] for d in details), sep="\n    ", flush=True)


def end():
    print(f"{counts[True]} passed, {counts[False]} failed", flush=True)
    sys.exit(1 if counts[False] else 0)


def ranks(traces):
    return sorted(p for p in glob.glob(f"{traces}/rank*.json.gz") if not p.endswith(DAMAGED))


def at_once(paths, report, cwd=None):
    """The reports of one run of the command over all traces."""
    subprocess.run([COMMAND, "analyze", "gpu", "-q", *sorted(paths), "--report", report], check=True, stdout=subprocess.DEVNULL, cwd=cwd)


def recordings(folder):
    """Run directories of Neutrino's, and their traces alone: one of each kind."""
    runs, files = [], []
    for i, kind in enumerate(("block_sched", "dmat", "two_maps", "block_sched")):
        runs.append(f"{folder}/run{i}")
        subprocess.run([sys.executable, f"{ROOT}/scripts/gen_neutrino.py", kind, runs[-1], "--blocks", "5", "--seed", str(i)], check=True)
        files.append(f"{folder}/alone{i}.bin")
        shutil.copy(f"{runs[-1]}/result/0.500000.bin", files[-1])
    return runs, files


def aiu_ranks():
    return sorted(glob.glob(f"{ROOT}/fixtures/aiu/tp2-rank-*.json"))


def check_pass(what, name, paths, report, file):
    """The reports of an engine are those of the command over all, with that file among them."""
    subprocess.run([COMMAND, "analyze", name, "-q", *paths, "--report", f"{report}.once"], check=True, stdout=subprocess.DEVNULL)
    names = os.listdir(f"{report}.once")
    _, unequal, missing = filecmp.cmpfiles(f"{report}.once", report, names, shallow=False)
    check(f"{what}: {name}", file in names and not unequal and not missing, unequal, missing)


def check_report(what, report, expected, failed):
    """A folder of reports has the bytes of the expected one, and failures.csv names the damaged trace."""
    names = sorted(os.listdir(expected))
    check(f"{what}: the tables there are", sorted(os.listdir(report)) == sorted([*names, "failures.csv"]), os.listdir(report))
    _, unequal, missing = filecmp.cmpfiles(expected, report, names, shallow=False)
    check(f"{what}: the bytes of one machine", len(names) > 50 and not unequal and not missing, unequal, missing)
    with open(f"{report}/failures.csv", encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(f"{what}: failures", rows[0] == "file,exit_code,reason" and len(rows) == 2 and rows[1].startswith(f"{failed},3,"), rows)


def deadly(path, process, again=False):
    """Writes a command in front of ours: while it is at rank4, it kills a process, once or again and again. process: words of the shell that give its
    number."""
    if os.path.lexists(path):
        os.remove(path)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"""#!/bin/sh
parent() {{ sed -E 's/.*\\) . ([0-9]+) .*/\\1/' "/proc/$1/stat"; }}
case "$*" in *--partial*rank4.*) mkdir {path}.killed 2>/dev/null {"||" if again else "&&"} kill -KILL {process} ;; esac
exec {COMMAND} "$@"
""")
    os.chmod(path, 0o755)


def check_killed(path, what):
    check(f"{what} was killed in the middle", os.path.isdir(f"{path}.killed"))
