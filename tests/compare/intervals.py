"""intervals.py: the ratios between which 99 of 100 draws lie, computed once more from the lengths of calls.

Draws are those of splitmix64 from the seed, mixed with FNV-1a of the row's name where calls are drawn; Student's quantile
is integrated here. Runs are made so that rows are paired, not paired, of too few calls, of more than 64, without a time in
the base, or on one side alone; compared by calls, by iterations, by files, and by calls of two files on each side.
"""
import json
import math
import os
import random
import subprocess

MASK = (1 << 64) - 1
DRAWS, CELLS = 1000, 64


class Generator:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return z ^ z >> 31

    def below(self, n):
        return (self.next() >> 32) * n >> 32


def fnv(name):
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def student(freedom):
    """Beyond it on both sides lies 1 of 100: Simpson's rule for the density, halving for the place."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    def inside(end, steps=2000):
        width = end / steps
        inner = sum((4 if i % 2 else 2) * density(i * width) for i in range(1, steps))
        return 2 * width / 3 * (density(0) + inner + density(end))

    low, high = 2.5, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < 0.99 else (low, middle)
    return low


def ends(draws, ratio, factor):
    """Both ends, stretched from the ratio by the factor."""
    logs = sorted(math.log(now / was) if now > 0 and was > 0 else -700 if was > 0 else 700 if now > 0 else 0
                  for was, now in draws)
    middle = math.log(ratio)
    return [math.exp(middle + factor * difference) for difference in (min(logs[DRAWS // 200 - 1] - middle, 0),
                                                                      max(logs[DRAWS - DRAWS // 200] - middle, 0))]


def row_draws(base, new, paired, seed):
    """(sums of the draws, sums of self times of the draws); cells are pairs of total and self time."""
    random_of, draws, own = Generator(seed), [], []
    for _ in range(DRAWS):
        places = [random_of.below(len(base)) for _ in base]
        others = places if paired else [random_of.below(len(new)) for _ in new]
        sums = [[sum(cells[k][part] for k in chosen) for cells, chosen in ((base, places), (new, others))] for part in (0, 1)]
        draws.append(sums[0])
        own.append(sums[1])
    return draws, own


def unknown_draws(base, new, seed):
    """Nothing can be drawn: the change counts from none (-1 times) to thrice."""
    was, now = (sum(own for _, own in cells) for cells in (base, new))
    random_of, own = Generator(seed), []
    for _ in range(DRAWS):
        part = (random_of.next() >> 11) / 2 ** 53 * 4 - 1
        own.append([was, max(was + (now - was) * part, 0) if was > 0 and now > 0 else now])
    return own


def cells_of(calls, count):
    """Neighbours share a cell where there are more than 64."""
    count = min(count, CELLS)
    cells = [[0, 0] for _ in range(count)]
    for k, (total, own) in enumerate(calls):
        at = k * count // len(calls)
        cells[at] = [cells[at][0] + total, cells[at][1] + own]
    return cells


def added(whole, draws):
    return [[a + b for a, b in zip(sums, more)] for sums, more in zip(whole, draws)] if draws else whole


def expected(rows, seed, of_calls):
    """By name the interval (None: unknown), and that of the whole. Rows: name -> (cells, cells, calls on both sides alike), in
    the order in which the runs have them. Rows with fewer than three cells are drawn together, each a cell."""
    intervals, whole, was, now, few = {}, [[0, 0] for _ in range(DRAWS)], 0, 0, []
    for name, (base, new, paired) in rows.items():
        own_seed = seed ^ fnv(name) if of_calls(name) else seed
        totals = [sum(total for total, _ in cells) for cells in (base, new)]
        own = [sum(own for _, own in cells) for cells in (base, new)]
        intervals[name], n = None, min(len(base), len(new))
        if not base or not new:
            own_draws = [own] * DRAWS
        elif n < 3 and min(totals):
            few.append(own)
            own_draws = []
        elif not min(totals):
            own_draws = unknown_draws(base, new, own_seed)
        else:
            draws, own_draws = row_draws(base, new, paired, own_seed)
            freedom = n - 1
            intervals[name] = ends(draws, totals[1] / totals[0], student(freedom) / 2.5758293035489 * math.sqrt(n / freedom))
        whole = added(whole, own_draws)
        was, now = was + own[0], now + own[1]
    if few:
        sides = [cells_of([(own[side], own[side]) for own in few], len(few)) for side in (0, 1)]
        whole = added(whole, unknown_draws(*sides, seed) if len(few) < 3 else row_draws(*sides, True, seed)[1])
    return intervals, ends(whole, now / was, 1)


# ---- runs ------------------------------------------------------------------------------------------------------------

def is_near(given, wanted, slack):
    """Ends of intervals, by their distance from 1 as logarithms."""
    return abs(math.log(given) - math.log(wanted)) <= slack * abs(math.log(wanted)) + 1e-12


def faults(label, document, rows, of_calls=lambda name: True):
    intervals, whole = expected(rows, document["seed"], of_calls)
    for row in document["rows"]:
        wanted, given = intervals[row["name"]], [row["ratio_low"], row["ratio_high"]]
        middle = row["ratio"] or 1
        # Beyond 20 degrees of freedom the quantile is an approximation.
        slack = 2e-4 if row["samples"] <= 21 else 0.01
        if (wanted is None) != (given[0] is None) or (wanted and not all(is_near(a / middle, b / middle, slack)
                                                                         for a, b in zip(given, wanted))):
            yield f"{label}: {row['name']} is between {given}, not {wanted}"
    given = [document["self_time"][key] for key in ("ratio_low", "ratio_high")]
    if not all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(given, whole)):
        yield f"{label}: the whole is between {given}, not {whole}"


class Run:
    """Calls one after the other on one thread, each with calls inside."""

    def __init__(self, rng):
        self.rng, self.at, self.events, self.calls = rng, 0, [], {}

    def call(self, name, low, high, inside=None):
        """The number of ns it takes, of which the call inside takes some."""
        dur = self.rng.randint(low, high)
        own = dur
        if inside:
            part = dur // self.rng.randint(2, 5)
            self.events.append({"ph": "X", "pid": 1, "tid": 1, "name": inside, "ts": (self.at + 5) / 1000, "dur": part / 1000})
            self.calls.setdefault(inside, []).append((part, part))
            own -= part
        self.events.append({"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": self.at / 1000, "dur": dur / 1000})
        self.calls.setdefault(name, []).append((dur, own))
        self.at += dur + 10

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(sorted(self.events, key=lambda event: (event["ts"], -event["dur"])), file)
        return path


def made_run(rng, counts, factor):
    run = Run(rng)
    for name, count in counts.items():
        for _ in range(count):
            if name == "nothing":
                run.call(name, 0 if factor == 1 else 50, 0 if factor == 1 else 90)
            else:
                run.call(name, 4000, int(9000 * factor), "inner" if name == "outer" else None)
    return run


def compare(postfetto, base, new, *options):
    words = [word for side, paths in (("--base", base), ("--new", new)) for path in paths for word in (side, path)]
    done = subprocess.run([postfetto, "compare", *words, "--json", "-q", *options], capture_output=True, check=False)
    return json.loads(done.stdout)


COUNTS = [{"paired": 7, "outer": 12, "many": 100, "more": 70, "uneven": 5, "few": 2, "fewer": 1, "table's end": 21, "beyond it": 22, "gone": 3, "nothing": 4},
          {"paired": 7, "outer": 12, "many": 100, "more": 90, "uneven": 8, "few": 2, "fewer": 6, "table's end": 21, "beyond it": 22, "added": 4, "nothing": 4}]


# Names with one call or two, more of them than cells.
SINGLES = [{"often": 9, **{f"name {i}x": 1 + i % 2 for i in range(70)}}] * 2


def by_calls(postfetto, folder, rng, both):
    sides = [made_run(rng, counts, factor) for counts, factor in zip(both, (1, 1.2))]
    paths = [side.write(os.path.join(folder, f"interval_{i}.json")) for i, side in enumerate(sides)]
    names = {name: None for side in sides for name in side.calls}
    rows = {name: (*(cells_of(side.calls.get(name, []), len(side.calls.get(name, []))) for side in sides),
                   len({len(side.calls.get(name, [])) for side in sides}) == 1) for name in names}
    for seed in (1, 77):
        document = compare(postfetto, [paths[0]], [paths[1]], "--seed", str(seed))
        if document["samples"] != "calls" or document["seed"] != seed:
            yield f"calls: {document['samples']}, seed {document['seed']}"
        yield from faults(f"calls, seed {seed}", document, rows)


def by_files(postfetto, folder, rng, count, samples):
    """Three or more files on each side are cells; of two the calls are, one after the other, divided by the files."""
    sides = [[made_run(rng, {"work": 5 + i, "outer": 3}, factor) for i in range(count)] for factor in (1, 0.9)]
    paths = [[run.write(os.path.join(folder, f"file_{s}_{i}.json")) for i, run in enumerate(side)] for s, side in enumerate(sides)]
    rows = {}
    for name in ("work", "inner", "outer"):
        cells = []
        for side in sides:
            if samples == "files":
                cells.append([[sum(call[part] for call in run.calls[name]) / count for part in (0, 1)] for run in side])
            else:
                calls = [call for run in side for call in run.calls[name]]
                cells.append([[part / count for part in cell] for cell in cells_of(calls, len(calls))])
        rows[name] = (*cells, False)
    document = compare(postfetto, *paths)
    if document["samples"] != samples:
        yield f"{count} files: samples are {document['samples']}"
    yield from faults(f"{count} files", document, rows, lambda name: samples == "calls")


def by_iterations(postfetto, folder, rng):
    """Six steps and seven: six are compared. What comes before the first step alone is compared by calls."""
    sides, cells = [], []
    for steps, factor in ((6, 1), (7, 1.1)):
        run, by_name = Run(rng), {name: [[0, 0] for _ in range(6)] for name in ("step", "work", "rare")}
        for _ in range(4):
            run.call("before", 1000, 2000)
        for step in range(steps):
            for name, times in (("step", 1), ("work", 3), ("rare", step % 2)):
                for _ in range(times):
                    run.call(name, 5000, int(9000 * factor))
                    cell = by_name[name][step] if step < 6 else [0, 0]
                    cell[0], cell[1] = cell[0] + run.calls[name][-1][0], cell[1] + run.calls[name][-1][1]
        by_name["before"] = run.calls["before"]
        sides.append(run.write(os.path.join(folder, f"steps_{steps}.json")))
        cells.append(by_name)
    rows = {name: (cells[0][name], cells[1][name], True) for name in ("before", "step", "work", "rare")}
    document = compare(postfetto, sides[:1], sides[1:], "--anchor", "step")
    if document["samples"] != "iterations":
        yield f"iterations: samples are {document['samples']}"
    yield from faults("iterations", document, rows, lambda name: name == "before")


def check(postfetto, folder):
    """What is wrong with the intervals."""
    rng = random.Random(20)
    yield from by_calls(postfetto, folder, rng, COUNTS)
    yield from by_calls(postfetto, folder, rng, SINGLES)
    yield from by_files(postfetto, folder, rng, 2, "calls")
    yield from by_files(postfetto, folder, rng, 5, "files")
    yield from by_iterations(postfetto, folder, rng)
