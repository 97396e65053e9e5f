#!/usr/bin/env python3
"""Whether hostile files of twice the size take twice the steps.

    run.py POSTFETTO [KIND...]     POSTFETTO: built with `scripts/build steps`; all kinds of generate.py by default

Every kind is read with `info`, asked for all its tables with `query`, and converted to both formats. A command may take
MOST times the steps for twice the events: a table that doubles and a sort of n log n stay below that, a search that is
quadratic does not. Hash tables have random seeds, and one run in some hundred lays a crowded table out anew: what takes
too many steps is counted TRIES times, and the least counts.
"""
import os
import re
import subprocess
import sys
import tempfile

import generate

EVENTS = 3000
MOST = 2.6
TRIES = 4
TABLES = ["slice", "counter", "flow", "track", "args", "thread", "process"]


def commands(postfetto, path):
    out = path + ".out"
    asked = ["SELECT count(*) FROM " + table for table in TABLES]
    return {
        "info": [postfetto, "info", path],
        "query": [postfetto, "query", path, *asked],
        "convert to .pftrace": [postfetto, "convert", path, "-o", out + ".pftrace"],
        "convert to .json": [postfetto, "convert", path, "-o", out + ".json"],
    }


def steps(command):
    done = subprocess.run(command + ["--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    found = re.search(rb"\nsteps (\d+)\n$", done.stderr)
    if not found or done.returncode not in (0, 1, 3, 4):
        sys.exit("%s: exit %d, %s" % (" ".join(command), done.returncode, done.stderr[-300:]))
    return int(found.group(1))


def measure(postfetto, path, kind):
    """The steps of each command for EVENTS and for twice as many."""
    counts = []
    for n in (EVENTS, 2 * EVENTS):
        with open(path, "wb") as out:
            out.write(generate.KINDS[kind](n))
        counts.append([steps(c) for c in commands(postfetto, path).values()])
    return list(zip(*counts))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    postfetto, kinds = sys.argv[1], sys.argv[2:] or list(generate.KINDS)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        for kind in kinds:
            pairs = measure(postfetto, path, kind)
            for _ in range(TRIES - 1):
                if all(two <= MOST * one for one, two in pairs):
                    break
                pairs = [(min(a[0], b[0]), min(a[1], b[1])) for a, b in zip(pairs, measure(postfetto, path, kind))]
            for name, (one, two) in zip(commands(postfetto, path), pairs):
                good = two <= MOST * one
                passed += good
                failed += not good
                if not good:
                    print("%s, %s: %d steps for %d events, %d for %d" % (kind, name, one, EVENTS, two, 2 * EVENTS))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
