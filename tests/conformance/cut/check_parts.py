"""Traces split and merged again, next to the whole; see run.

  check_parts.py POSTFETTO TP_QUERY CORPUS WORK [--case PATTERN]

Each part has what the whole has in its window, and together they cover the trace; merged, they give the tables of the whole.
Traces of the corpus are taken where --case names them; complete events are left out, since the last part ends them.
"""
import argparse
import fnmatch
import json
import os
import random
import shutil
import sys

import generate
from cases import corpus_cases, made_cases
from tables import differences
from tools import Engine, run, seed_of_run, show


def split(postfetto, source, folder, parts):
    """(failure, [(path, start, end)])."""
    shutil.rmtree(folder, ignore_errors=True)
    failed = run(postfetto, "split", "-q", source, "-o", folder, "--parts", str(parts))
    if failed:
        return failed, []
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        rows = json.load(file)["parts"]
    return None, [(os.path.join(folder, row["file"]), row["start_ns"], row["end_ns"]) for row in rows]


def problems(postfetto, engine, work, source, others, parts):
    whole = engine.tables(source, others)
    folder, merged = (os.path.join(work, name) for name in ("parts", "merged.pftrace"))
    failed, pieces = split(postfetto, source, folder, parts)
    if failed:
        return [(failed, [], [])]
    found = []
    for (_, _, end), (_, start, _) in zip(pieces, pieces[1:]):
        if start != end:
            found.append((f"the parts leave out {end} to {start}", [], []))
    for path, start, end in pieces:
        part = engine.tables(path, others)
        if isinstance(part, str):
            return found + [("the engine does not read a part: " + part, [], [])]
        found += differences(whole.rows((start, end)), part.rows())
    failed = run(postfetto, "merge", "-q", *(path for path, _, _ in pieces), "-o", merged)
    if failed:
        return found + [(failed, [], [])]
    back = engine.tables(merged, others)
    if isinstance(back, str):
        return found + [("the engine does not read the merged trace: " + back, [], [])]
    return found + differences(whole.rows(), back.rows())


def main():
    arguments = argparse.ArgumentParser()
    for word in ("postfetto", "tp_query", "corpus", "work"):
        arguments.add_argument(word)
    arguments.add_argument("--case", default="*")
    o = arguments.parse_args()
    seed, times = seed_of_run()
    r = random.Random(seed)
    os.makedirs(o.work, exist_ok=True)
    engine, postfetto = Engine(o.tp_query), os.path.abspath(o.postfetto)
    passed = failed = 0
    corpus = [case for case in corpus_cases(o.corpus, False) if o.case != "*" and ".json" not in case[1]]
    made = [case for case in made_cases(os.path.join(o.work, "made"), seed % 1000000, 20 * times)
            if case[0].startswith("made") and "complete" not in generate.Trace(int(case[0].split("/")[1])).on]
    for name, source, others in [*corpus, *made]:
        if not fnmatch.fnmatch(name, o.case):
            continue
        found = problems(postfetto, engine, o.work, source, others, r.choice([2, 3, 7]))
        passed, failed = passed + (not found), failed + bool(found)
        if found:
            print(f"FAIL {name}")
            show(found)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
