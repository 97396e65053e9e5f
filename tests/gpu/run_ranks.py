"""run_ranks.py: sets of ranks with known answers (make_ranks.py) against what `analyze gpu` says of them."""
import os
import time

import make_ranks
import second

# Trace, seed (None: drawn), ranks, and how well the work before explains who is late: where kernels overlap, less of it shows, and
# how much depends on the seed.
SOURCES = [("torch-nccl", None, 3, 0.9), ("torch-mi300-resnet", 2, 4, 0.4), ("torch-nccl", None, 2, 0.9)]


def check_set(corpus, name, seed, ranks, explained, folder, analyze, check):
    source = os.path.join(corpus, "real", name, "trace.json.gz")
    paths, answers = make_ranks.make(source, folder, seed, ranks)
    given = analyze(*paths)
    where = f"{ranks} ranks of {name}"
    clocks, late = answers["clocks"], answers["late"]
    rows = given["ranks"]
    check([row["rank"] for row in rows] == list(range(ranks)), f"{where}: ranks")
    check([row["clock_offset"] for row in rows] == clocks, f"{where}: clocks {[r['clock_offset'] for r in rows]}, "
          f"not {clocks}")
    check(all(row["clock_offset_error"] == 0 for row in rows), f"{where}: scatter of clocks")
    check(len(given["stragglers"]) == len(late), f"{where}: {len(given['stragglers'])} collectives, not {len(late)}")
    caused, last = [0] * ranks, [0] * ranks
    for row, amounts in zip(given["stragglers"], late):
        most = max(amounts)
        lost = sum(most - amount for amount in amounts)
        expected = {"inputs": ranks, "spread_ns": most - min(amounts), "last_rank": amounts.index(most),
                    "behind_ns": most - sorted(amounts)[-2], "lost_ns": lost,
                    "recorded_spread_ns": max(a + c for a, c in zip(amounts, clocks)) -
                                          min(a + c for a, c in zip(amounts, clocks))}
        for key, value in expected.items():
            check(row[key] == value, f"{where}: {row['kind']} {row['number']}: {key} is {row[key]}, not {value}")
        caused[amounts.index(most)] += lost
        last[amounts.index(most)] += 1
    for rank, row in enumerate(rows):
        waited = sum(max(amounts) - amounts[rank] for amounts in late)
        check((row["caused_ns"], row["last"], row["waited_ns"]) == (caused[rank], last[rank], waited),
              f"{where}: rank {rank}: {row}")
    slow = rows[answers["slow"]]
    check(slow["caused_ns"] == max(row["caused_ns"] for row in rows), f"{where}: the slow rank is {answers['slow']}")
    check(slow["work_correlation"] > explained, f"{where}: the work before explains it: {slow['work_correlation']}")
    for rank, path in enumerate(paths):
        alone = second.Trace(path)
        times, _ = second.times(alone.device_events)
        device = next(row for row in given["devices"] if row["input"] == path)
        check(device["busy_ns"] == times["busy_ns"], f"{where}: busy time of rank {rank}")


def run(corpus, scratch, analyze, check):
    drawn = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
    print(f"ranks of seed {drawn}: POSTFETTO_SEED={drawn} takes the same", flush=True)
    for name, seed, ranks, explained in SOURCES:
        seed = drawn if seed is None else seed
        folder = os.path.join(scratch, f"{name}-{seed}-{ranks}")
        os.makedirs(folder)
        check_set(corpus, name, seed, ranks, explained, folder, analyze, check)
