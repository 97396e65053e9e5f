#!/usr/bin/env python3
"""Whether hostile files of twice the size take twice the steps.

    run.py POSTFETTO [KIND...]     POSTFETTO: built with `scripts/build steps`; all kinds of generate.py by default

Every kind is read with `info`, asked for all its tables with `query`, and converted to both formats; SHARE of them, by a
seed that is printed (POSTFETTO_SEED), or all with POSTFETTO_LONG=1, are cut, redacted, split and merged with themselves,
too. A command may take MOST times the steps for twice the events: a table that doubles and a sort of n log n stay below
that, a search that is quadratic does not. Hash tables have random seeds, and one run in some hundred lays a crowded table
out anew: what takes too many steps is counted TRIES times, and the least counts.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import generate

EVENTS = 3000
MOST = 2.6
TRIES = 4
SHARE = 16
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


def edits(postfetto, path):
    out = path + ".out"
    with open(path, "rb") as trace:
        cut = out + (".pftrace" if trace.read(1) == b"\n" else ".json")
    return {
        "cut": [postfetto, "cut", path, "-o", cut, "--from", "+1ns", "--to", "-1ns"],
        "cut by names": [postfetto, "cut", path, "-o", cut, "--process", "*", "--drop-track", "no?e", "--min-dur", "2ns"],
        "redact": [postfetto, "cut", path, "-o", cut, "--redact", "names,args,paths"],
        "split": [postfetto, "split", path, "-o", out + ".parts", "--parts", "5"],
        "merge": [postfetto, "merge", path, path, "-o", out + ".pftrace"],
    }


def steps(command):
    done = subprocess.run(command + ["--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    found = re.search(rb"\nsteps (\d+)\n$", done.stderr)
    if not found or done.returncode not in (0, 1, 2, 3, 4):
        sys.exit("%s: exit %d, %s" % (" ".join(command), done.returncode, done.stderr[-300:]))
    return int(found.group(1))


def measure(commands_of, postfetto, path, kind):
    """The steps of each command for EVENTS and for twice as many."""
    counts = []
    for n in (EVENTS, 2 * EVENTS):
        with open(path, "wb") as out:
            out.write(generate.KINDS[kind](n))
        counts.append([steps(c) for c in commands_of(postfetto, path).values()])
    return list(zip(*counts))


def judge(commands_of, postfetto, path, kind):
    """How many commands are good; says which are not."""
    pairs = measure(commands_of, postfetto, path, kind)
    for _ in range(TRIES - 1):
        if all(two <= MOST * one for one, two in pairs):
            break
        again = measure(commands_of, postfetto, path, kind)
        pairs = [(min(a[0], b[0]), min(a[1], b[1])) for a, b in zip(pairs, again)]
    good = [two <= MOST * one for one, two in pairs]
    for name, (one, two), fine in zip(commands_of(postfetto, path), pairs, good):
        if not fine:
            print("%s, %s: %d steps for %d events, %d for %d" % (kind, name, one, EVENTS, two, 2 * EVENTS), flush=True)
    return sum(good), len(good) - sum(good)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    postfetto, kinds = sys.argv[1], sys.argv[2:] or list(generate.KINDS)
    seed = int(os.environ.get("POSTFETTO_SEED", random.randrange(1000000)))
    edited = kinds
    if not sys.argv[2:] and os.environ.get("POSTFETTO_LONG") != "1":
        edited = random.Random(seed).sample(kinds, SHARE)
        print("seed %d" % seed)
    jobs = [(commands, kind) for kind in kinds] + [(edits, kind) for kind in edited]
    with tempfile.TemporaryDirectory() as folder:
        results = [judge(of, postfetto, os.path.join(folder, "trace"), kind) for of, kind in jobs]
    passed, failed = (sum(counts) for counts in zip(*results))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
