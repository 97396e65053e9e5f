"""Cuts of many traces, next to what Perfetto's engine says of the whole and of the cut; see run.

  check.py POSTFETTO TP_QUERY CORPUS WORK [--case PATTERN] [--window FROM TO] [--no-shrink]

Prints the seed; POSTFETTO_SEED repeats a run, POSTFETTO_LONG=1 makes ten windows in all of them. A trace of packets that
differs is made smaller as long as it does, and stays in WORK.
"""
import argparse
import fnmatch
import os
import random
import re
import sys

import filters
from cases import LARGE, corpus_cases, enriched_cases, made_cases
from tables import differences, new_errors
from tools import HERE, Engine, contents, flows_on_ends, packets, pick_window, run, seed_of_run, show, unbundle

AT_ONCE = 150  # traces of a run

# The engine of v55.3 drops an event of a document that overlaps another one, which may not be in the cut.
DROPPED = ("slice_drop_overlapping_complete_event", -1)


def kind_of(problem):
    """What a smaller trace has to show, too."""
    what, lost, extra = problem
    first = next(iter(lost or extra), None)
    track = None if first is None else first.track if hasattr(first, "track") else first[0].track
    return what, bool(lost), bool(extra), track and track.type


class Judge:
    def __init__(self, postfetto, engine, work):
        self.postfetto, self.engine, self.work = postfetto, engine, work

    def cut(self, source, window, options, out):
        return run(self.postfetto, "cut", "-q", source, "-o", out, "--from", f"{window[0]}ns", "--to", f"{window[1]}ns",
                   *options)

    def problems(self, source, others, window, whole=None, options=(), condition=None):
        """What differs between the cut and the whole, restricted to the window: (what, lost rows, extra rows)."""
        json_trace = ".json" in source
        out = os.path.join(self.work, "cut.json" if json_trace else "cut.pftrace")
        again = os.path.join(self.work, "again.json" if json_trace else "again.pftrace")
        whole = whole or self.engine.tables(source, others)
        if isinstance(whole, str):
            return []
        failed = self.cut(source, window, options, out) or self.cut(out, window, (), again)
        if failed:
            return [(failed, [], [])]
        part = self.engine.tables(out, others)
        if isinstance(part, str):
            return [("the engine does not read the cut: " + part, [], [])]
        found = self.compare(source, whole.rows(window, condition), part.rows(), bool(condition))
        found += [("error " + name, [], []) for name in new_errors(whole, part)]
        with open(out, "rb") as one, open(again, "rb") as two:
            if one.read() != two.read():
                found.append(("the cut of the cut differs from it", [], []))
        return found

    @staticmethod
    def compare(source, want, got, selected):
        how = (".json" in source, selected, os.path.basename(source).startswith("damaged"))
        found = differences(want, got, *how)
        if ".json" not in source and "flows" in (what for what, _, _ in found):
            on_ends = flows_on_ends(contents(source))
            want["on ends"] = {pair for pair, number in want["flow ids"].items() if number in on_ends}
            found = differences(want, got, *how)
        return found

    def shrink(self, source, others, window, what, *selection):
        """Fewer packets that show the same kind of difference."""
        kept = packets(contents(source))
        plain = [part for data in kept for part in unbundle(data)]
        path = os.path.join(self.work, "smaller.pftrace")

        def shows(some):
            with open(path, "wb") as file:
                file.write(b"".join(some))
            return what in map(kind_of, self.problems(path, others, window, None, *selection))

        kept = plain if shows(plain) else kept
        step, budget = len(kept) // 2, 400
        while step and budget > 0:
            at = 0
            while at < len(kept) and budget > 0:
                budget -= 1
                fewer = kept[:at] + kept[at + step:]
                if shows(fewer):
                    kept = fewer
                else:
                    at += step
            step //= 2
        return kept


def report(judge, name, source, others, window, found, smaller, *selection):
    print(f"FAIL {name} --window {window[0]} {window[1]}", *selection[0])
    show(found)
    if smaller and ".json" not in source and os.path.getsize(source) < LARGE:
        kept = judge.shrink(source, others, window, kind_of(found[0]), *selection)
        path = os.path.join(judge.work, "".join(c if c.isalnum() else "_" for c in name) + ".pftrace")
        with open(path, "wb") as file:
            file.write(b"".join(kept))
        print(f"  {len(kept)} packets show it: {path}")
        show(judge.problems(path, others, window, None, *selection), "smaller: ")


def known_differences():
    """[(pattern of cases, what differs in them: sections, or [] for all)]."""
    with open(os.path.join(HERE, "known.txt"), encoding="utf-8") as file:
        heads = [re.split(r"  +", line)[:-1] for line in file if not line.startswith("#")]
    return [(pattern, sections[0].split(", ") if sections else []) for pattern, *sections in heads]


def main():
    arguments = argparse.ArgumentParser()
    for word in ("postfetto", "tp_query", "corpus", "work"):
        arguments.add_argument(word)
    arguments.add_argument("--case", default="*")
    arguments.add_argument("--window", nargs=2, type=int)
    arguments.add_argument("--no-shrink", action="store_true")
    o = arguments.parse_args()
    seed, times = seed_of_run()
    os.makedirs(o.work, exist_ok=True)
    judge = Judge(os.path.abspath(o.postfetto), Engine(o.tp_query), o.work)
    passed = failed = 0
    known = known_differences()
    cases = [*corpus_cases(o.corpus, times > 1), *made_cases(os.path.join(o.work, "made"), seed % 1000000, 30),
             *enriched_cases(judge.postfetto, o.corpus, os.path.join(o.work, "made"))]
    if o.case == "*":
        cases = [case for case in cases if not any(fnmatch.fnmatch(case[0], other) and not what for other, what in known)]
        cases = cases if times > 1 else random.Random(seed).sample(cases, AT_ONCE)
    for name, source, others in cases:
        if not fnmatch.fnmatch(name, o.case):
            continue
        source = source() if callable(source) else source
        whole = judge.engine.tables(source, others)
        if isinstance(whole, str) or not whole.times() or DROPPED in whole.errors:
            continue
        for number in range(1 if o.window else times):
            r = random.Random(f"{seed} {name} {number}")
            window = tuple(o.window or pick_window(whole.times(), r, 1000 if ".json" in source else 1))
            selection = ((), None) if o.window or r.random() < 0.6 else filters.pick(whole, r)
            found = judge.problems(source, others, window, whole, *selection)
            found = [problem for problem in found if not any(
                fnmatch.fnmatch(name, other) and {problem[0], problem[0] + " under a filter" * bool(selection[0])} & set(what)
                for other, what in known)]
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                report(judge, name, source, others, window, found, not o.no_shrink, *selection)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
