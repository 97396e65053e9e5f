"""made_ranks.py: seeded runs of several ranks whose numbers are known before they are written, those of every table: who is slow, how
clocks run, what is exposed, FLOP/s, occupancy. Times are ns of one true clock; each rank shows them by its own."""
import math
import os
import random
import statistics
import time

# When each step calls its operations, and how; what they are called.
CALLS = ((20000, "cudaLaunchKernel"), (100000, "cudaLaunchKernel"), (150000, "cudaLaunchKernel"), (200000, "cudaMemcpyAsync"))
NAMES = ("gemm", "ncclDevKernel_AllReduce", "gelu", "Memcpy DtoH")
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
        self.parameters = rng.randrange(1, 10 ** 9)
        self.held = [rng.randrange(1, 10 ** 6) for _ in range(self.steps)]  # bytes
        self.counted = [rng.randrange(1, 10 ** 6) for _ in range(self.steps)]
        self.work = []  # by step and rank: gemm, the collective, a kernel that hides a part of it, and a copy after it
        for step in range(self.steps):
            begin, row = self.start + step * period, []
            gemm = [rng.randrange(10 ** 6, 1001000) + (rank == self.slow) * rng.randrange(10 ** 5, 10 ** 6) for rank in range(self.ranks)]
            end = begin + max(gemm) + 1000 + rng.randrange(300000, 800000)
            for rank in range(self.ranks):
                arrival = begin + gemm[rank] + 1000
                hidden = arrival + rng.randrange(1000, 50000)
                copy = end + rng.randrange(1000, 50000)
                row.append(((begin, begin + gemm[rank]), (arrival, end), (hidden, hidden + rng.randrange(10 ** 4, 10 ** 5)),
                            (copy, copy + rng.randrange(10 ** 4, 10 ** 5))))
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
        """Each step is asked for 400 us before its gemm: an annotation of 300 us, in it a module with a module in which aten::mm calls, holds
        memory for a while and launches; the other launches are outside of the inner module. CUPTI counts each gemm."""
        events = []
        m, k, n = self.shape
        for step, (gemm, collective, hidden, copy) in enumerate(self.of(rank)):
            us = lambda ns, length=None: (round(ns / 1000, 3), round(length / 1000, 3))
            at, host = lambda times: us(times[0], times[1] - times[0]), lambda after, length: us(gemm[0] - 400000 + after, length)
            number = lambda which: 4 * step + which + 1
            memory = lambda after, change: dict(x("cpu_instant_event", "[memory]", 100, 1, *host(after, 0), **{
                "Bytes": change, "Addr": 7, "Device Id": 0, "Device Type": 1, "Total Allocated": self.parameters + max(change, 0)}), ph="i", s="t")
            events += [x("user_annotation", f"ProfilerStep#{step}", 100, 1, *host(0, 300000)),
                       x("python_function", "nn.Module: Net_0", 100, 1, *host(2000, 290000)),
                       x("python_function", "nn.Module: Linear_0", 100, 1, *host(5000, 60000)),
                       x("cpu_op", "aten::mm", 100, 1, *host(10000, 50000), **{"Input Dims": [[m, k], [k, n]], "Input type": ["c10::BFloat16"] * 2}),
                       memory(12000, self.held[step]), memory(80000, -self.held[step]),
                       x("cuda_profiler_range", "gemm", 0, 0, *at(gemm), **{"inst.sum": self.counted[step]})]
            events += [launch(*host(after, 5000), number(i), name) for i, (after, name) in enumerate(CALLS)]
            events += [kernel("gemm", *at(gemm), correlation=number(0), **{"est. achieved occupancy %": self.occupancy[rank]}),
                       kernel("ncclDevKernel_AllReduce", *at(collective), stream=20, correlation=number(1),
                              **dict(COLLECTIVE, **{"Group size": self.ranks, "Process Group Ranks": str(list(range(self.ranks)))})),
                       kernel("gelu", *at(hidden), correlation=number(2)),
                       x("gpu_memcpy", "Memcpy DtoH", 0, 21, *at(copy), device=0, stream=21, bytes=1000, correlation=number(3))]
        return events


def sums(run, rank):
    """What the rank's devices did: nothing lies in anything else but the hidden kernel in its collective."""
    length = lambda which: sum(row[which][1] - row[which][0] for row in run.of(rank))
    busy, rows = length(0) + length(1) + length(3), run.of(rank)
    starts = [row[0][0] for row in rows]
    periods = [b - a for a, b in zip(starts, starts[1:])]
    return {"rank": rank, "devices": 1, "events": 4 * run.steps, "steps": run.steps, "busy_ns": busy, "compute_ns": length(0) + length(2),
            "communication_ns": length(1), "exposed_communication_ns": length(1) - length(2), "exposed_memcpy_ns": length(3),
            "idle_ns": rows[-1][3][1] - rows[0][0][0] - busy, "collectives": run.steps, "label": f"rank {rank}"}, length, statistics.median(periods)


class Tables:
    """The rows that a rank has to have in each table, by hand from when what runs; `found` are those of its input."""
    def __init__(self, run, rank, found):
        self.run, self.rank, self.found, self.rows = run, rank, found, run.of(rank)
        self.sums, self.length, _ = sums(run, rank)
        self.n = run.steps
        self.called = [row[0][0] - 400000 for row in self.rows]  # when each step is asked for
        # How long each operation waits from the end of its call to its start.
        self.waits = [[row[i][0] - at - after - 5000 for i, (after, _) in enumerate(CALLS)] for row, at in zip(self.rows, self.called)]

    def idle(self, which):
        """Idle causes of operations, in order: what waits in a gap was called, the rest of the gap nothing was, and all calls are known."""
        ops = [(row[i], at + CALLS[i][0] + 5000) for row, at in zip(self.rows, self.called) for i in sorted(which, key=lambda i: row[i])]
        gaps, until = [], ops[0][0][1]
        for (start, end), called in ops[1:]:
            if start > until:
                first = min(call for (begin, _), call in ops if begin >= start)
                gaps.append((start - until, max(0, min(start - until, first - until))))
            until = max(until, end)
        host = sum(late for _, late in gaps)
        return sorted(length for length, _ in gaps), {"idle_host_bound_ns": host, "idle_kernel_wait_ns": sum(length for length, _ in gaps) - host, "idle_other_ns": 0}

    def devices(self):
        gaps, causes = self.idle(range(4))
        own = {key: self.sums[key] for key in ("rank", "events", "busy_ns", "compute_ns", "communication_ns", "exposed_communication_ns",
                                               "exposed_memcpy_ns", "idle_ns", "label")}
        own["label"] += " GPU 0"
        return [dict(own, start_ns=self.rows[0][0][0], end_ns=self.rows[-1][3][1], memory_ns=self.length(3), overlap_ns=self.length(2),
                     max_concurrency=2, **causes)]

    def streams(self):
        found = []
        for stream, which in ((7, (0, 2)), (20, (1,)), (21, (3,))):
            first, last = self.rows[0][which[0]][0], self.rows[-1][which[-1]][1]
            busy = sum(map(self.length, which))
            found.append(dict({"stream": stream, "events": len(which) * self.n, "busy_ns": busy, "span_ns": last - first, "idle_ns": last - first - busy},
                              **self.idle(which)[1]))
        return found

    def concurrency(self):
        return [{"running": 0, "time_ns": self.sums["idle_ns"]}, {"running": 1, "time_ns": self.sums["busy_ns"] - self.length(2)},
                {"running": 2, "time_ns": self.length(2)}]

    def stats(self, which):
        lengths = [row[which][1] - row[which][0] for row in self.rows]
        return {"calls": self.n, "total_ns": sum(lengths), "min_ns": min(lengths), "max_ns": max(lengths)}

    def kernels(self):
        return by("total_ns", [dict(self.stats(i), name=name) for i, name in enumerate(NAMES[:3])])

    def memcpy(self):
        return [dict(self.stats(3), name=NAMES[3], kind="memcpy", bytes=1000 * self.n, bandwidth_gb_per_s=1000 * self.n / self.length(3))]

    def collectives(self):
        rate = 16384 * self.n / self.length(1)
        return [dict(self.stats(1), kind="all_reduce", bytes=16384, ranks=self.run.ranks, type="Float", group="0",
                     algorithm_bandwidth_gb_per_s=rate, bus_bandwidth_gb_per_s=rate * 2 * (self.run.ranks - 1) / self.run.ranks)]

    def operators(self):
        return [{"name": "aten::mm", "calls": self.n, "host_ns": 50000 * self.n, "host_self_ns": 50000 * self.n, "launched": self.n,
                 "launched_self": self.n, "device_ns": self.length(0), "device_self_ns": self.length(0)}]

    def operator_kernels(self):
        return by("total_ns", [dict(self.stats(i), operator=None if i else "aten::mm", kernel=name) for i, name in enumerate(NAMES)])

    def module_tree(self):
        whole = sum(map(self.length, range(4)))
        return [{"name": "nn.Module: Net_0", "parent": None, "depth": 0, "calls": self.n, "total_ns": 290000 * self.n, "self_ns": 230000 * self.n,
                 "launched": 4 * self.n, "device_ns": whole, "device_self_ns": whole - self.length(0)},
                {"name": "nn.Module: Linear_0", "depth": 1, "calls": self.n, "total_ns": 60000 * self.n, "self_ns": 60000 * self.n,
                 "launched": self.n, "device_ns": self.length(0), "device_self_ns": self.length(0)}]

    def modules(self):
        return [{key: value for key, value in row.items() if key not in ("parent", "depth")} for row in self.module_tree()]

    def threads(self):
        # The operator, and three of the calls: the first one lies in it.
        return [{"thread": 1, "events": 8 * self.n, "busy_ns": 300000 * self.n, "operator_ns": 65000 * self.n, "start_ns": self.called[0],
                 "end_ns": self.called[-1] + 300000}]

    def counters(self):
        own = self.run.counted
        return [{"name": "gemm", "counter": "inst.sum", "ranges": self.n, "sum": sum(own), "min": min(own), "max": max(own)}]

    def memory(self):
        most = max(self.run.held)
        return [{"memory": "device", "device": 0, "allocations": self.n, "frees": self.n, "allocated_bytes": sum(self.run.held),
                 "freed_bytes": sum(self.run.held), "peak_bytes": self.run.parameters + most, "peak_recorded_bytes": most,
                 "peak_ns": self.called[self.run.held.index(most)] + 12000, "end_bytes": self.run.parameters, "label": f"rank {self.rank} GPU 0"}]

    def memory_holders(self):
        return [{"allocated": "before", "operator": None, "bytes": self.run.parameters},
                {"allocated": "recorded", "operator": "aten::mm", "module": "nn.Module: Linear_0", "bytes": max(self.run.held), "allocations": 1}]

    def launches(self):
        every = [wait for waits in self.waits for wait in waits]
        return [dict({"launches": 4 * self.n, "graph_launches": 0, "events_without_call": 0, "wait_min": min(every), "wait_max": max(every),
                      "delay_min": min(every) + 5000, "delay_max": max(every) + 5000, "queue_depth_max": 4}, **self.idle(range(4))[1])]

    def gaps(self):
        lengths = self.idle(range(4))[0]
        return [{"length_ns": length} for length in lengths[:-21:-1]]

    def runtime(self):
        return [{"name": name, "calls": count * self.n, "total_ns": 5000 * count * self.n, "launched": count * self.n, "share_percent": 25.0 * count}
                for name, count in (("cudaLaunchKernel", 3), ("cudaMemcpyAsync", 1))]

    def steps(self):
        return [{"step": step, "events": 4, "start_ns": row[0][0], "end_ns": row[3][1], "host_start_ns": at, "host_end_ns": at + 300000,
                 "communication_ns": row[1][1] - row[1][0], "overlap_ns": row[2][1] - row[2][0], "exposed_memcpy_ns": row[3][1] - row[3][0],
                 "lag_ns": row[3][1] - at - 300000} for step, (row, at) in enumerate(zip(self.rows, self.called))]

    def step_summary(self):
        return [{"steps": self.n, "events_in_no_step": 0, "launches_in_no_step": 0, "source": "annotation"}]


def by(column, rows):
    return sorted(rows, key=lambda row: -row[column])


def check_tables(run, rank, found, path, check, where):
    """Every table but those of the critical path, of which the sums are known, and syncs, which is empty."""
    own = {name: [row for row in rows if row["input"] == path] if rows and "input" in rows[0] else rows for name, rows in found.items()
           if isinstance(rows, list)}
    own["streams"], own["concurrency"] = own["devices"][0]["streams"], own["devices"][0]["concurrency"]
    tables = Tables(run, rank, own)
    for name, method in vars(Tables).items():
        if name in ("__init__", "idle", "stats") or name.startswith("__"):
            continue
        expected, rows = method(tables), own[name]
        check(len(rows) == len(expected), f"{where}: {name} has {len(rows)} rows, not {len(expected)}")
        for row, values in zip(rows, expected):
            for key, value in values.items():
                same = math.isclose(row[key], value, rel_tol=1e-9) if isinstance(value, float) and row[key] is not None else row[key] == value
                check(same, f"{where}: {name}: {key} of rank {rank} is {row[key]}, not {value}")
    waited = sum(map(sum, tables.waits))
    queued = sum((row["end_ns"] - row["start_ns"]) * row["depth_mean"] for row in own["queue"])
    check(math.isclose(queued, waited, rel_tol=1e-9), f"{where}: queue of rank {rank}: {queued}, not {waited}")
    check(own["syncs"] == [], f"{where}: syncs {own['syncs']}")
    classes = ("compute", "communication", "memory", "launch", "host", "waiting")
    check(len(own["critical_path_share"]) == run.steps and
          all(math.isclose(sum(row[f"{name}_percent"] for name in classes), 100) for row in own["critical_path_share"]), f"{where}: critical paths")
    pieces = own["critical_path"]
    check(all(a["end_ns"] == b["start_ns"] for a, b in zip(pieces, pieces[1:])) and any(pieces[-1]["end_ns"] == row[3][1] for row in tables.rows),
          f"{where}: critical path of rank {rank}: {pieces[-1:]}")


def check_rank(run, rank, found, paths, check, where):
    row, (expected, length, period) = found["ranks"][rank], sums(run, rank)
    gemm = length(0)
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
            check_tables(run, rank, found, paths[rank], check, f"ranks of seed {seed}")
        check([(row["last_rank"], row["inputs"], row["kind"]) for row in found["stragglers"]] == [(run.slow, run.ranks, "all_reduce")] * run.steps,
              f"ranks of seed {seed}: stragglers")
