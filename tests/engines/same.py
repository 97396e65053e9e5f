"""What the tests of engines share: checks, and what one machine says."""
import filecmp
import glob
import os
import signal
import subprocess
import sys
import threading
import time

import postfetto

COMMAND = os.path.join(os.path.dirname(postfetto.__file__), "postfetto")
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


def check_report(what, report, expected, failed):
    """A folder of reports has the bytes of the expected one, and failures.csv names the damaged trace."""
    names = sorted(os.listdir(expected))
    check(f"{what}: the tables there are", sorted(os.listdir(report)) == sorted([*names, "failures.csv"]), os.listdir(report))
    _, unequal, missing = filecmp.cmpfiles(expected, report, names, shallow=False)
    check(f"{what}: the bytes of one machine", len(names) > 50 and not unequal and not missing, unequal, missing)
    with open(f"{report}/failures.csv", encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(f"{what}: failures", rows[0] == "file,exit_code,reason" and len(rows) == 2 and rows[1].startswith(f"{failed},3,"), rows)


class Killer(threading.Thread):
    """Kills a process with SIGKILL, once a condition holds."""

    def __init__(self, ready, pid):
        super().__init__(daemon=True)
        self.ready, self.pid, self.killed = ready, pid, False
        self.start()

    def run(self):
        while not self.ready():
            time.sleep(0.05)
        os.kill(self.pid(), signal.SIGKILL)
        self.killed = True
