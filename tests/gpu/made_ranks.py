"""made_ranks.py: seeded runs of several ranks whose numbers are known before they are written: who is slow, how clocks run, what is
exposed, FLOP/s, occupancy. Times are ns of one true clock; each rank shows them by its own."""
import math
import os
import random
import statistics
import time

COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 4096, "dtype": "Float", "Process Group Name": "0"}


class Run:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.ranks, self.steps = rng.randrange(2, 6), rng.randrange(4, 12)
        self.slow = rng.randrange(self.ranks)
        self.offset = [0] + [rng.choice([-1, 1]) * rng.randrange(10 ** 7, 10 ** 8) for _ in range(self.ranks - 1)]
        self.drift = [rng.randrange(-20000, 20000) for _ in range(self.ranks)]  # ppb
        self.shape = [rng.randrange(64, 512) for _ in range(3)]
        self.occupancy = [rng.randrange(1, 100) for _ in range(self.ranks)]
        self.start, period = 10 ** 9, rng.randrange(10 ** 7, 2 * 10 ** 7)
        self.work = []  # by step and rank: gemm, the collective, and a kernel that hides a part of it
        for step in range(self.steps):
            begin, row = self.start + step * period, []
            gemm = [rng.randrange(10 ** 6, 1001000) + (rank == self.slow) * rng.randrange(10 ** 5, 10 ** 6) for rank in range(self.ranks)]
            end = begin + max(gemm) + 1000 + rng.randrange(300000, 800000)
            for rank in range(self.ranks):
                arrival = begin + gemm[rank] + 1000
                hidden = arrival + rng.randrange(1000, 50000)
                row.append(((begin, begin + gemm[rank]), (arrival, end), (hidden, hidden + rng.randrange(10 ** 4, 10 ** 5))))
            self.work.append(row)

    def shown(self, rank, ns):
        return ns + self.offset[rank] + round((ns - self.start) * self.drift[rank] / 1e9)

    def rate(self, rank):
        """How much faster its clock runs than that of rank 0."""
        return (1 + self.drift[rank] / 1e9) / (1 + self.drift[0] / 1e9) - 1

    def of(self, rank):
        """The work of a rank, by its own clock."""
        return [[tuple(self.shown(rank, t) for t in times) for times in row[rank]] for row in self.work]

    def events(self, rank, x, kernel, launch):
        us, events = lambda ns: round(ns / 1000, 3), []
        m, k, n = self.shape
        for step, (gemm, collective, hidden) in enumerate(self.of(rank)):
            at = lambda times: (us(times[0]), us(times[1] - times[0]))
            host = us(gemm[0]) - 400
            events += [x("user_annotation", f"ProfilerStep#{step}", 100, 1, host, 300),
                       x("cpu_op", "aten::mm", 100, 1, host + 10, 50, **{"Input Dims": [[m, k], [k, n]], "Input type": ["c10::BFloat16"] * 2}),
                       launch(host + 20, 5, 3 * step + 1), launch(host + 100, 5, 3 * step + 2), launch(host + 150, 5, 3 * step + 3),
                       kernel("gemm", *at(gemm), correlation=3 * step + 1, **{"est. achieved occupancy %": self.occupancy[rank]}),
                       kernel("ncclDevKernel_AllReduce", *at(collective), stream=20, correlation=3 * step + 2,
                              **dict(COLLECTIVE, **{"Group size": self.ranks, "Process Group Ranks": str(list(range(self.ranks)))})),
                       kernel("gelu", *at(hidden), correlation=3 * step + 3)]
        return events


def sums(run, rank):
    """What the rank's devices did: nothing lies in anything else but the hidden kernel in its collective."""
    length = lambda which: sum(row[which][1] - row[which][0] for row in run.of(rank))
    busy, rows = length(0) + length(1), run.of(rank)
    starts = [row[0][0] for row in rows]
    periods = [b - a for a, b in zip(starts, starts[1:])]
    return {"rank": rank, "devices": 1, "events": 3 * run.steps, "steps": run.steps, "busy_ns": busy, "communication_ns": length(1),
            "exposed_communication_ns": length(1) - length(2), "idle_ns": rows[-1][1][1] - rows[0][0][0] - busy,
            "collectives": run.steps}, length(0), statistics.median(periods)


def check_rank(run, rank, found, paths, check, where):
    row, (expected, gemm, period) = found["ranks"][rank], sums(run, rank)
    for key, value in expected.items():
        check(row[key] == value, f"{where}: {key} of rank {rank} is {row[key]}, not {value}")
    check(abs(row["median_step_ns"] - period) <= 2, f"{where}: step of rank {rank} is {row['median_step_ns']}, not {period}")
    # All leave a collective at one time, so that the line is known to the ns of two readings, and the bound holds.
    true, rate = run.shown(rank, run.start) - run.shown(0, run.start), run.rate(rank)
    lead = true + (row["clock_line_at"] - run.shown(0, run.start)) * rate
    check(abs(row["clock_line_offset"] - lead) <= 4, f"{where}: clock of rank {rank}: {row}, not {lead}")
    check(abs(row["drift_ppb"] - rate * 1e9) <= 200, f"{where}: drift of rank {rank}: {row['drift_ppb']}, not {rate * 1e9}")
    latest = [max(part[1][0] for part in step) for step in run.work]
    waited = sum(late - step[rank][1][0] for late, step in zip(latest, run.work)) * (1 + run.drift[0] / 1e9)
    # Starts are compared by the median offsets of both clocks, which know no drift.
    tolerance = run.steps * ((abs(rate) + abs(run.rate(run.slow))) * (run.work[-1][0][1][1] - run.start) + 4)
    check(abs(row["waited_ns"] - waited) <= tolerance, f"{where}: rank {rank} waited {row['waited_ns']}, not {waited}")
    check(row["last"] == (run.steps if rank == run.slow else 0), f"{where}: rank {rank} was last {row['last']} times")
    flops = next(r for r in found["flops"] if r["input"] == paths[rank])
    m, k, n = run.shape
    check(flops["flop"] == 2 * m * k * n * run.steps and flops["device_ns"] == gemm and
          math.isclose(flops["tflop_per_s"], flops["flop"] / gemm / 1e3, rel_tol=1e-9), f"{where}: flops of rank {rank}: {flops}")
    kernels = {r["name"]: r for r in found["kernels"] if r["input"] == paths[rank]}
    check(kernels["gemm"]["occupancy_percent"] == run.occupancy[rank] and kernels["gemm"]["total_ns"] == gemm and
          kernels["gelu"]["occupancy_percent"] is None, f"{where}: occupancy of rank {rank}: {kernels['gemm']}")


def check_ranks(place, check, x, kernel, launch):
    first = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
    seeds = range(first, first + (100 if os.environ.get("POSTFETTO_LONG") == "1" else 8))
    print(f"ranks of seeds {seeds[0]} to {seeds[-1]}: POSTFETTO_SEED={first} takes the same", flush=True)
    for seed in seeds:
        run = Run(seed)
        paths = [place.write(run.events(rank, x, kernel, launch), rank) for rank in range(run.ranks)]
        found = place.ask(*paths)
        for rank in range(run.ranks):
            check_rank(run, rank, found, paths, check, f"ranks of seed {seed}")
