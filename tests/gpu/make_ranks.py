#!/usr/bin/env python3
"""make_ranks.py TRACE FOLDER SEED RANKS: several ranks out of one real trace with collectives, with known answers.

Each rank gets a clock of its own and, before a collective, a compute kernel more that takes an amount of the rank's own: at the last moment
without compute, from which on all of the rank is as much later. The ranks leave a collective together, and everything after it is later by the largest of
these amounts; what runs at its end takes longer, so that all ranks have the same before the next one. Where compute never rests between two collectives
nobody is late at the second one. So the files say what the analysis has to find. Written: rankN.json, answers.json (ns).
"""
import bisect
import itertools
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import second


def is_collective(event):
    return event.kind() == "communication" and "send" not in event.name.lower() and "recv" not in event.name.lower()


def text_of(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def moments(trace, collectives):
    """For each collective the last moment between the end of the one before it and its start at which no compute kernel runs, or None."""
    busy = []
    for e in sorted((e for e in trace.device_events if e.kind() == "compute"), key=lambda e: e.start):
        if busy and e.start <= busy[-1][1]:
            busy[-1][1] = max(busy[-1][1], e.end)
        else:
            busy.append([e.start, e.end])
    found, before = [], None
    for c in collectives:
        at = next((start for start, end in busy if start < c.start < end), c.start)
        found.append(at if before is None or at >= before else None)
        before = c.end
    return found


def plan(trace, ranks, rng):
    """The collectives, and when and how late each rank is at each; what is later from then on."""
    collectives = [e for e in trace.device_events if is_collective(e)]
    slow = rng.randrange(ranks)
    at = moments(trace, collectives)
    late = [[(rng.randrange(0, 3000) + (rng.randrange(20000, 90000) if rank == slow else 0)) * (moment is not None)
             for rank in range(ranks)] for moment in at]
    clocks = [0] + [rng.randrange(-5000000, 5000000) for _ in range(ranks - 1)]
    return list(zip(collectives, at, late)), clocks, slow


class Shift:
    """How much later in a rank what begins, or ends, at a time is. What ends at the moment has nothing to do with it."""
    def __init__(self, plans, rank):
        self.plans, self.rank, self.ends = plans, rank, [c.end for c, _, _ in plans]
        self.whole = [0] + list(itertools.accumulate(max(late) for _, _, late in plans))

    def at(self, time, is_end=False):
        i = bisect.bisect_right(self.ends, time)
        _, moment, late = self.plans[i] if i < len(self.plans) else (None, None, None)
        begun = moment is not None and (moment < time if is_end else moment <= time)
        return time + self.whole[i] + (late[self.rank] if begun else 0)


def write_rank(document, trace, rank, plans, clock, path):
    events, shift = iter(trace.events), Shift(plans, rank)
    out = []
    last = next(e for e in trace.device_events if e.kind() == "compute")
    for raw in document["traceEvents"]:
        if raw.get("ph") != "X":
            if raw.get("ph") == "M":
                out.append(json.dumps(raw, default=float))
            continue
        e = next(events)
        start = shift.at(e.start)
        end = max(start, shift.at(e.end, True))
        copy = {key: value for key, value in raw.items() if key not in ("ts", "dur")}
        line = json.dumps(copy, default=float)
        out.append(f'{line[:-1]}, "ts": {text_of(start + clock)}, "dur": {text_of(end - start)}}}')
        if e is last:
            kernel = dict(copy, name="late work", args={key: copy["args"][key] for key in ("device", "stream")})
    line = json.dumps(kernel, default=float)[:-1]
    for _, moment, late in plans:
        if late[rank]:
            out.append(f'{line}, "ts": {text_of(shift.at(moment, True) + clock)}, "dur": {text_of(late[rank])}}}')
    info = dict(document.get("distributedInfo", {}), rank=rank)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "distributedInfo": ' + json.dumps(info, default=float) + ', "traceEvents": [\n')
        file.write(",\n".join(out) + "\n]}\n")


def make(source, folder, seed, ranks):
    rng = random.Random(seed)
    document, trace = second.load(source), second.Trace(source)
    plans, clocks, slow = plan(trace, ranks, rng)
    paths = [os.path.join(folder, f"rank{rank}.json") for rank in range(ranks)]
    for rank, path in enumerate(paths):
        write_rank(document, trace, rank, plans, clocks[rank], path)
    answers = {"clocks": clocks, "late": [late for _, _, late in plans], "slow": slow}
    with open(os.path.join(folder, "answers.json"), "w", encoding="utf-8") as file:
        json.dump(answers, file)
    return paths, answers


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
