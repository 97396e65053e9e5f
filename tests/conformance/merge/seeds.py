#!/usr/bin/env python3
"""seeds.py POSTFETTO [SEED...]: ranks shifted and drifted by a seeded script come back within the stated uncertainty.

Each seed makes a run of two to five ranks: collectives that every rank enters at a time of its own and leaves after the
last one has come, some late, some very late, as the clock of the rank shows it. `merge --align-collectives` must put
every event of every rank where the first rank's clock would have shown it, to within the uncertainty that it says, or
refuse and write nothing; so must `analyze gpu -o --align-clocks`, and the attributes of its trace say the same. Half of the
seeds are such runs and no more, the others have something of VARIANTS.
Without seeds 20 are drawn, 200 with POSTFETTO_LONG=1; POSTFETTO_SEED chooses them. Exit status: 0, or 1 when one failed.
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time

KINDS = [("allreduce", "AllReduce"), ("allgather", "AllGather"), ("reducescatter", "ReduceScatter"),
         ("alltoall", "AllToAll"), ("broadcast", "Broadcast")]
VARIANTS = {
    "jump": "a clock is set in between",
    "slew": "a clock runs at another speed from some time on",
    "absent": "a rank has no collectives",
    "late": "a rank records from a later collective on",
    "early": "a rank stops before the last collectives",
    "groups": "collectives of some ranks only",
    "many": "64 ranks",
}

# Where nothing may be known of a clock: no collectives that are certain to be the same.
MAY_NOT_KNOW = {"absent", "late", "early", "groups", "jump", "slew"}
FEW = 7  # the row of collectives by which gpu_rank_lines.c sees that a clock is no line


def event(kind, group, start, end):
    args = {"device": 0, "stream": 7, "Collective name": kind[0], "In msg nelems": 4096, "Out msg nelems": 4096,
            "Group size": len(group), "dtype": "Float", "Process Group Name": str(group[0]),
            "Process Group Ranks": str(list(group))}
    return (f'{{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_{kind[1]}", "pid": 0, "tid": 7, '
            f'"ts": {start // 1000}.{start % 1000:03d}, "dur": {(end - start) // 1000}.{(end - start) % 1000:03d}, '
            f'"args": {json.dumps(args)}}}')


class Run:
    """What happened, in true time, and how each rank's clock showed it."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.variant = sorted(VARIANTS)[seed // 2 % len(VARIANTS)] if seed % 2 else "plain"
        self.ranks = 64 if self.variant == "many" else rng.randrange(2, 6)
        # Clocks of hosts that NTP has set are some ms apart, others anything; crystals are off by up to 100 ppm.
        reach = 10 ** rng.uniform(6, 10)
        self.offset = [rng.uniform(-reach, reach) for _ in range(self.ranks)]
        self.drift = [rng.uniform(-100e-6, 100e-6) for _ in range(self.ranks)]
        self.start = 2 * 10 ** 10 + rng.randrange(10 ** 10)
        self.late = 10 ** rng.uniform(4, 7)  # how far apart the ranks come, in ns
        self.bias = [rng.uniform(0, 3000) for _ in range(self.ranks)]  # a rank that always leaves later
        self.even = rng.random() < 0.5  # collectives come in equal distances, as steps do
        times = list(self.times())
        # Of one rank: what its clock gains at once and from then on each second, and which collectives it has.
        self.odd = rng.randrange(self.ranks)
        self.jump = rng.choice([-1, 1]) * 10 ** rng.uniform(4, 8) if self.variant == "jump" else 0
        self.slew = rng.uniform(-500e-6, 500e-6) if self.variant == "slew" else 0
        some = rng.randrange(1, 4)
        self.recorded = {"late": slice(some, None), "early": slice(None, -some), "absent": slice(0, 0)}.get(
            self.variant, slice(None))
        self.collectives = [self.collective(when, when in (times[0], times[-1])) for when in times]
        self.change = rng.choice(list(self.gaps()) or [float("inf")])

    def times(self):
        now = self.start
        for _ in range(self.rng.randrange(4, 30 if self.ranks > 5 else 200)):
            now += 3 * self.late + (10 ** 6 if self.even else self.rng.expovariate(1 / (3 * self.late + 10 ** 6)))
            yield now

    def gaps(self):
        """Times between collectives. What happens after all of them but few, or before, nobody can see."""
        few = min(FEW, len(self.collectives) // 2)
        for k in range(few, len(self.collectives) - few + 1):
            end, start = max(self.collectives[k - 1][3]), min(self.collectives[k][2])
            if start - end > 1000:
                yield (start + end) / 2

    def group(self, edge):
        """The ranks of a collective: half of the time all."""
        if self.variant != "groups" or edge or self.rng.random() < 0.5:
            return tuple(range(self.ranks))
        return tuple(sorted(self.rng.sample(range(self.ranks), self.rng.randrange(2, self.ranks + 1))))

    def collective(self, when, edge):
        """The first and the last one need all ranks: the uncertainty holds from one to the other."""
        rng, group = self.rng, self.group(edge)
        kind = KINDS[0] if edge or rng.random() < 0.5 else rng.choice(KINDS)
        starts = [when + rng.random() * self.late for _ in range(self.ranks)]
        took = rng.uniform(8000, 60000)
        ends = []
        for rank in range(self.ranks):
            slow = rng.expovariate(1 / 2000) + (took * rng.uniform(1, 8) if rng.random() < 0.05 else 0)
            ends.append(max(starts[r] for r in group) + took + self.bias[rank] + slow)
        if kind[0] == "broadcast":  # its root leaves when it has sent
            ends[group[0]] = starts[group[0]] + took
        return kind, group, starts, ends

    def shown(self, rank, x):
        changed = self.jump + self.slew * (x - self.change) if rank == self.odd and x >= self.change else 0
        return round(x + self.offset[rank] + self.drift[rank] * (x - self.start) + changed) + 10 ** 10

    def of(self, rank):
        """The collectives that a rank has recorded."""
        own = [c for c in self.collectives if rank in c[1]]
        return own[self.recorded] if rank == self.odd else own

    def write(self, rank, path):
        lines = [event(kind, group, self.shown(rank, starts[rank]), self.shown(rank, ends[rank]))
                 for kind, group, starts, ends in self.of(rank)]
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"schemaVersion": 1, "distributedInfo": {"rank": %d}, "traceEvents": [\n' % rank)
            file.write(",\n".join(lines) + "\n]}\n")


def check(postfetto, seed, folder):
    """Faults of one seed; None where the alignment was rightly refused."""
    run = Run(seed)
    paths = [os.path.join(folder, f"rank{rank}.json") for rank in range(run.ranks)]
    for rank, path in enumerate(paths):
        run.write(rank, path)
    out = os.path.join(folder, "ranks.pftrace")
    done = subprocess.run([postfetto, "merge", "-q", "--json", "--align-collectives", *paths, "-o", out],
                          capture_output=True, check=False, text=True)
    if done.returncode == 1 and "not aligned: " in done.stderr:
        known = "apart from the first input's, which is known to within" in done.stderr
        if os.path.exists(out) or not (known or run.variant in MAY_NOT_KNOW):
            return [f"seed {seed}, {run.variant}: {done.stderr.strip()}"]
        return None
    if run.variant == "absent":
        return [f"seed {seed}: a rank without collectives was aligned"]
    if done.returncode:
        return [f"seed {seed}: exit {done.returncode}: {done.stderr.strip()}"]
    inputs = json.loads(done.stdout)["inputs"]
    faults = off(run, f"seed {seed}", query(postfetto, out, SLICES.format("p.pid / 10000000")),
                 [entry["uncertainty_ns"] for entry in inputs])
    os.remove(out)
    return faults + check_enriched(postfetto, run, seed, paths, inputs, out)


NAMED = "rtrim(substr(p.name, 16), ')')"  # of "process 0 (rank12)"
SLICES = ("SELECT {} AS rank, s.ts, s.dur FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid) "
          "JOIN process p USING (upid) WHERE s.category = 'kernel' ORDER BY 1 + 0, 2")
ATTRIBUTES = "SELECT substr(name, 17) AS name, int_value FROM metadata WHERE name GLOB '*.postfetto.clock.*'"


def query(postfetto, path, sql):
    done = subprocess.run([postfetto, "query", "-q", "--format", "csv", path, sql], capture_output=True, check=True, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def off(run, where, rows, uncertainties):
    """Faults of a trace with all ranks: events that are further from the truth than it says."""
    given, faults = [[] for _ in uncertainties], []
    for row in rows:
        given[int(row["rank"])].append((int(row["ts"]), int(row["ts"]) + int(row["dur"])))
    for rank, uncertainty in enumerate(uncertainties):
        expected = sorted((run.shown(0, starts[rank]), run.shown(0, ends[rank])) for _, _, starts, ends in run.of(rank))
        worst = max((abs(a - b) for x, y in zip(given[rank], expected) for a, b in zip(x, y)), default=0)
        if len(given[rank]) != len(expected) or worst > uncertainty + 2:  # ns of two readings
            faults.append(f"{where}, {run.variant}: rank {rank} of {run.ranks}: {len(given[rank])} of {len(expected)} events, off "
                          f"by {worst} ns, said to be {uncertainty}")
    return faults


def check_enriched(postfetto, run, seed, paths, inputs, out):
    subprocess.run([postfetto, "analyze", "gpu", "-q", "--align-clocks", *paths, "-o", out], check=True, capture_output=True)
    said = {row["name"]: int(row["int_value"]) for row in query(postfetto, out, ATTRIBUTES)}
    expected = {f"postfetto.clock.rank{i}.{key}": round(entry[key]) for i, entry in enumerate(inputs)
                for key in ("offset_ns", "drift_ppb", "uncertainty_ns")}
    faults = off(run, f"seed {seed}, enriched", query(postfetto, out, SLICES.format(NAMED)),
                 [entry["uncertainty_ns"] for entry in inputs])
    os.remove(out)
    return faults + ([f"seed {seed}: attributes {said}, not {expected}"] if said != expected else [])


def main():
    postfetto = os.path.abspath(sys.argv[1])
    first = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
    count = 200 if os.environ.get("POSTFETTO_LONG") == "1" else 20
    seeds = [int(word) for word in sys.argv[2:]] or list(range(first, first + count))
    print(f"seeds {seeds[0]} to {seeds[-1]}: POSTFETTO_SEED={seeds[0]} takes the same")
    failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            faults = check(postfetto, seed, folder)
            refused += faults is None
            failed += bool(faults)
            for fault in faults or []:
                print(f"not ok: {fault}")
    print(f"{len(seeds)} seeds, {refused} refused as not exact enough")
    print(f"{len(seeds) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or refused > len(seeds) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
