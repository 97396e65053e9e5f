#!/usr/bin/env python3
"""make_ranks.py TRACE FOLDER SEED RANKS: several ranks out of one real trace with collectives, with known answers.

Each rank gets a clock of its own, and before every collective the last compute kernel takes longer by an amount of the
rank's own; its collective starts as much later. The ranks leave a collective together, and everything after it is later by the largest of
these amounts. So the files say what the analysis has to find. Written: rankN.json, answers.json (ns).
"""
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


def plan(trace, ranks, rng):
    """The collectives, how late each rank is at each, and how much later all is from then on."""
    collectives = [e for e in trace.device_events if is_collective(e)]
    slow = rng.randrange(ranks)
    late = [[rng.randrange(0, 3000) + (rng.randrange(20000, 90000) if rank == slow else 0) for rank in range(ranks)]
            for _ in collectives]
    clocks = [0] + [rng.randrange(-5000000, 5000000) for _ in range(ranks - 1)]
    return collectives, late, clocks, slow


def write_rank(document, trace, rank, collectives, late, clock, path):
    ends = [e.end for e in collectives]
    total = [0]
    for amounts in late:
        total.append(total[-1] + max(amounts))
    number = {id(e): i for i, e in enumerate(collectives)}
    before = {}
    for i, c in enumerate(collectives):
        work = [e for e in trace.device_events if e.kind() == "compute" and e.end <= c.start and
                (i == 0 or e.start >= ends[i - 1])]
        if work:
            before[id(max(work, key=lambda e: (e.end, e.start)))] = i
    events = iter(trace.events)
    out = []
    for raw in document["traceEvents"]:
        if raw.get("ph") != "X":
            if raw.get("ph") == "M":
                out.append(json.dumps(raw, default=float))
            continue
        e = next(events)
        shift = total[sum(end <= e.start for end in ends)]
        start, end = e.start + shift, e.end + shift
        if id(e) in number:
            i = number[id(e)]
            start, end = start + late[i][rank], end + max(late[i])
        elif id(e) in before:
            end += late[before[id(e)]][rank]
        copy = {key: value for key, value in raw.items() if key not in ("ts", "dur")}
        line = json.dumps(copy, default=float)
        out.append(f'{line[:-1]}, "ts": {text_of(start + clock)}, "dur": {text_of(end - start)}}}')
    info = dict(document.get("distributedInfo", {}), rank=rank)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "distributedInfo": ' + json.dumps(info, default=float) + ', "traceEvents": [\n')
        file.write(",\n".join(out) + "\n]}\n")


def make(source, folder, seed, ranks):
    rng = random.Random(seed)
    document, trace = second.load(source), second.Trace(source)
    collectives, late, clocks, slow = plan(trace, ranks, rng)
    paths = [os.path.join(folder, f"rank{rank}.json") for rank in range(ranks)]
    for rank, path in enumerate(paths):
        write_rank(document, trace, rank, collectives, late, clocks[rank], path)
    answers = {"clocks": clocks, "late": late, "slow": slow}
    with open(os.path.join(folder, "answers.json"), "w", encoding="utf-8") as file:
        json.dump(answers, file)
    return paths, answers


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
