"""with_slurm.py TRACES SCRATCH: scripts/slurm/collection on a Slurm of two nodes of this host; a task is killed in the middle, with all its processes."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import same
from same import check

traces, scratch = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = f"source {root}/tests/recipes/slurm_here.sh; "


def shell(script):
    return subprocess.run(["bash", "-c", HERE + script], capture_output=True, text=True, check=False)


def cluster():
    """Slurm's settings; 77 where it is not installed."""
    if shell("slurm_is_here").returncode:
        sys.exit(77)
    up = shell(f"slurm_up {scratch}/cluster '' 2")
    check("slurmctld and two slurmd", up.returncode == 0, up.stdout, up.stderr)
    os.environ["SLURM_CONF"] = f"{scratch}/cluster/slurm.conf"


def run_job(folder):
    """Submits, waits, and gives the names and states that Slurm shows."""
    submitted = subprocess.run([f"{root}/scripts/slurm/collection", folder, "report"], capture_output=True, text=True, check=False)
    check("it is submitted", submitted.returncode == 0 and submitted.stdout.strip().isdigit(), submitted.stdout, submitted.stderr)
    until, shown = time.monotonic() + 120, set()
    while time.monotonic() < until:
        left = subprocess.run(["squeue", "-h", "-o", "%j"], capture_output=True, text=True, check=True).stdout.split()
        shown.update(left)
        if not left:
            break
        time.sleep(0.2)
    states = subprocess.run(["scontrol", "show", "jobs", "-o"], capture_output=True, text=True, check=True).stdout
    return shown, re.findall(r"JobName=(\S+) .*JobState=(\S+) .*ExitCode=(\S+) .*BatchHost=(\S+)", states)


def main():
    os.mkdir(f"{scratch}/bin")
    same.deadly(f"{scratch}/bin/postfetto", "0")  # all processes of the task
    os.environ.update(PATH=f"{scratch}/bin:{os.environ['PATH']}", POSTFETTO_TASKS="4")
    os.chdir(scratch)
    shutil.copytree(traces, "runs")
    paths = same.ranks("runs")
    cluster()
    try:
        shown, jobs = run_job("runs")
    finally:
        shell(f"slurm_down {scratch}/cluster")
    check("names of jobs", shown == {"postfetto-gpu", "postfetto-merge"}, shown)
    tasks = [job for job in jobs if job[0] == "postfetto-gpu"]
    check("an array on both nodes", len(tasks) == 4 and {job[3] for job in tasks} == {"n1", "n2"}, jobs)
    same.check_killed(f"{scratch}/bin/postfetto", "a task")
    check("as Slurm says", sum(job[2] == "0:9" for job in tasks) == 1, jobs)
    same.at_once(paths, "at_once")
    same.check_report("slurm", "report", "at_once", f"runs/{same.DAMAGED}")
    same.end()


if __name__ == "__main__":
    main()
