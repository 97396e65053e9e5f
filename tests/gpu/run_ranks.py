"""run_ranks.py: sets of ranks with known answers (make_ranks.py) against what `analyze gpu` says of them."""
import os
import time

import make_ranks
import second

SOURCES = [("torch-nccl", 3), ("torch-mi300-resnet", 4), ("torch-nccl", 2)]


def check_set(corpus, name, seed, ranks, folder, analyze, check):
    source = os.path.join(corpus, "real", name, "trace.json.gz")
    paths, answers = make_ranks.make(source, folder, seed, ranks)
    given = analyze(*paths)
    where = f"{ranks} ranks of {name}, seed {seed}"
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
        late_one = amounts.index(most) if amounts.count(most) == 1 else None
        expected = {"inputs": ranks, "spread_ns": most - min(amounts), "last_rank": late_one,
                    "behind_ns": None if late_one is None else most - sorted(amounts)[-2], "lost_ns": lost,
                    "recorded_spread_ns": max(a + c for a, c in zip(amounts, clocks)) -
                                          min(a + c for a, c in zip(amounts, clocks))}
        for key, value in expected.items():
            check(row[key] == value, f"{where}: {row['kind']} {row['number']}: {key} is {row[key]}, not {value}")
        if late_one is not None:
            caused[late_one] += lost
            last[late_one] += 1
    for rank, row in enumerate(rows):
        waited = sum(max(amounts) - amounts[rank] for amounts in late)
        check((row["caused_ns"], row["last"], row["waited_ns"]) == (caused[rank], last[rank], waited),
              f"{where}: rank {rank}: {row}")
    slow = rows[answers["slow"]]
    check(slow["caused_ns"] == max(row["caused_ns"] for row in rows), f"{where}: the slow rank is {answers['slow']}")
    # Who is late has more work before, by just as much.
    check(all(row["work_correlation"] > 0.999999 for row in rows), f"{where}: the work before explains it: {[r['work_correlation'] for r in rows]}")
    check(sum(map(any, late)) >= 6, f"{where}: {late} are late")
    for rank, path in enumerate(paths):
        alone = second.Trace(path)
        times, _ = second.times(alone.device_events)
        device = next(row for row in given["devices"] if row["input"] == path)
        check(device["busy_ns"] == times["busy_ns"], f"{where}: busy time of rank {rank}")


def run(corpus, scratch, analyze, check):
    drawn = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
    print(f"ranks of seed {drawn}: POSTFETTO_SEED={drawn} takes the same", flush=True)
    for name, ranks in SOURCES:
        folder = os.path.join(scratch, f"{name}-{drawn}-{ranks}")
        os.makedirs(folder)
        check_set(corpus, name, drawn, ranks, folder, analyze, check)
