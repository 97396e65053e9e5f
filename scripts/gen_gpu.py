#!/usr/bin/env python3
"""gen_gpu.py OUT.json [--rank R] [--ranks N] [--steps N] [--slow F] [--seed N]: a trace as the torch profiler writes it of a small
training loop on one GPU: memcpy of a batch, kernels that the host launches, a collective that overlaps with some of them, a
host that is late now and then. The last rank is late at collectives; --slow makes the attention kernel F times as long.

gen_gpu.py FOLDER --collection [--ranks N] [--steps N] [--layers N] [--slow F] [--seed N] [--plain] [--jobs N]: all ranks of a job, a
rankNNNNN.json.gz (--plain: .json) each, and answers.txt, what a right analysis says of them, in ns:

    clocks       by rank: how far its clock is ahead of that of rank 0; clocks do not drift
    stragglers   ranks that are late in every stage: cause "kernel" (its attention kernel is slower: by delay_ns in each layer), or "host"
                 (aten::item holds the launching thread for delay_ns before each stage)
    hiccup       the rank whose DataLoader was late by delay_ns, in one step
    collectives  step, stage, kind, ranks that take part, start_ns (the last arrival, clock of rank 0), last_rank and behind_ns (None: several
                 were last at once), spread_ns, lost_ns (what the others waited)
    ranks        by rank: busy_ns, compute_ns, communication_ns, exposed_communication_ns, exposed_memcpy_ns, idle_ns, last, caused_ns,
                 waited_ns, steps_ns (from a step's first device event to that of the next; of the last one its span)

A step has three stages, each ends in a collective: an all-gather of each eight ranks in a row, twice, and an all-reduce of all. A rank
comes to a collective when the kernels of its stage are done, all leave it together, and an optimiser kernel runs next to it."""
import argparse
import gzip
import json
import multiprocessing
import os
import random

LAYERS = [("aten::linear", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 310),
          ("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>", 45),
          ("aten::scaled_dot_product_attention", "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>", 240),
          ("aten::layer_norm", "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", 60),
          ("aten::mm", "ampere_bf16_s16816gemm_bf16_256x64_ldg8_f2f_stages_64x4_nn", 280)]


STAGES = ("allgather", "allgather", "allreduce")
NODE = 8  # ranks of an all-gather
COPY, OVERLAPPED, TRANSFER = 120000, 90000, 250000  # ns
OPTIMISER = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::FusedAdamMathFunctor<float, 4>>"


class Maker:
    def __init__(self, options):
        self.o, self.events, self.correlation = options, [], 0
        self.rng = random.Random(options.seed + options.rank)
        self.host = self.device = self.network = 1000.0

    def add(self, cat, name, pid, tid, ts, dur, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(ts, 3), "dur": round(dur, 3),
                            "args": args})

    def launch(self, operator, kernel, cat, dur, stream=7, **args):
        """An operator on the host that launches one operation of the device."""
        self.correlation += 1
        call = "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel"
        self.add("cpu_op", operator, 4242, 1, self.host, 18)
        self.add("cuda_runtime", call, 4242, 1, self.host + 6, 7, correlation=self.correlation)
        free = self.network if stream == 20 else self.device
        start = max(free + 1.5, self.host + 15)
        self.add(cat, kernel, 0, stream, start, dur, device=0, stream=stream, correlation=self.correlation, **args)
        self.device = self.device if stream == 20 else start + dur
        self.network = start + dur if stream == 20 else self.network
        self.host += 22 + self.rng.random() * 8

    def step(self, number):
        begin = self.host
        self.add("user_annotation", f"DataLoader.next {number}", 4242, 1, self.host, 350 + 60 * (number % 3))
        self.host += 360 + 60 * (number % 3)
        self.launch("aten::copy_", "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 120, bytes=8388608)
        for layer in range(6):
            for operator, kernel, us in LAYERS:
                longer = self.o.slow if "flash" in kernel else 1
                self.launch(operator, kernel, "kernel", us * longer * (0.97 + 0.06 * self.rng.random()), grid=[64, 1, 1], block=[256, 1, 1])
            if layer == 3:
                self.host += 900  # a Python function that nobody asked for
        late = 400 if self.o.rank == self.o.ranks - 1 and self.o.ranks > 1 else 0
        self.network = max(self.network, self.device - 700 + late)
        self.launch("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "kernel",
                    1100 - late, stream=20, **{"Collective name": "allreduce", "In msg nelems": 4194304, "Group size": self.o.ranks})
        self.host = max(self.host, self.device, self.network) + 30
        self.add("cuda_runtime", "cudaDeviceSynchronize", 4242, 1, self.host - 25, 20)
        self.device = max(self.device, self.network)
        self.add("user_annotation", f"ProfilerStep#{number}", 4242, 1, begin, self.host - begin)


class Collection:
    """When each rank is where: by step, stage and rank. Times are ns of one true clock, that of rank 0."""

    def __init__(self, options):
        self.o, n = options, options.ranks
        rng = random.Random(options.seed)
        self.clocks = [0] + [rng.randrange(-5000000, 5000000) for _ in range(n - 1)]
        self.lengths = [[[int(us * 1000 * rng.uniform(0.9, 1.1) * (options.slow if "flash" in kernel else 1)) for _ in range(options.layers)
                          for _, kernel, us in LAYERS] for _ in STAGES] for _ in range(options.steps)]
        chosen = rng.sample(range(n), min(n, 2 + n // 100))
        self.hiccup = {"rank": chosen[-1], "step": rng.randrange(options.steps // 2, options.steps), "delay_ns": rng.randrange(2000000, 4000000)}
        self.stragglers = [{"rank": rank, "cause": ("kernel", "host")[i % 2], "delay_ns": rng.randrange(60000, 200000)}
                           for i, rank in enumerate(chosen[:-1])]
        self.late = {row["rank"]: row for row in self.stragglers}
        self.noise = [random.Random(options.seed * 100003 + rank).choices(range(3000), k=options.steps * len(STAGES)) for rank in range(n)]
        self.begins, self.meets = [], []  # by step and stage, then rank: when the host goes on; when it arrives, and when it leaves
        now = [10000000] * n
        for step in range(options.steps):
            for stage in range(len(STAGES)):
                arrivals = [self.stage(rank, step, stage, now[rank])[-1][3] for rank in range(n)]
                size = n if stage == len(STAGES) - 1 else NODE
                leaves = [max(arrivals[first:first + size]) + TRANSFER for first in range(0, n, size) for _ in range(first, min(n, first + size))]
                self.begins.append(now)
                self.meets.append(list(zip(arrivals, leaves)))
                now = [leave + 9000 for leave in leaves]

    def stage(self, rank, step, stage, host):
        """What a rank launches: operator, kernel, when its call begins, when it runs, how long; last the collective, without a length."""
        late, found, free = self.late.get(rank), [], 0
        host += self.delay(rank, step, stage)
        slower = late["delay_ns"] if late and late["cause"] == "kernel" else 0
        operations = [("aten::copy_", "Memcpy HtoD (Pageable -> Device)", COPY)] if stage == 0 else []
        operations += [(operator, kernel, length + (slower if "flash" in kernel else 0))
                       for (operator, kernel, _), length in zip(LAYERS * self.o.layers, self.lengths[step][stage])]
        for i, (operator, kernel, length) in enumerate(operations):
            length += self.noise[rank][step * len(STAGES) + stage] if i == len(operations) - 1 else 0
            start = max(free + 1500, host + 15000)
            found.append((operator, kernel, host, start, length))
            host, free = host + 22000, start + length
        return found + [("c10d::" + STAGES[stage], None, host, max(free + 1500, host + 15000), None)]

    def delay(self, rank, step, stage):
        """For how long the host does something else before it launches."""
        late, hiccup = self.late.get(rank), self.hiccup
        return (late["delay_ns"] if late and late["cause"] == "host" else 0) + \
            (hiccup["delay_ns"] if stage == 0 and (rank, step) == (hiccup["rank"], hiccup["step"]) else 0)

    def visits(self, rank):
        """By stage: its number, step and stage, when the host began and all that is launched, arrival and leave."""
        for i, (begins, meets) in enumerate(zip(self.begins, self.meets)):
            step, stage = divmod(i, len(STAGES))
            yield i, step, stage, begins[rank], self.stage(rank, step, stage, begins[rank]), *meets[rank]

    def lines(self, rank):
        """The events of a rank as JSON."""
        clock, correlation, lines = self.clocks[rank], 0, []

        def add(cat, name, pid, tid, start, length, args=""):
            start += clock
            lines.append(f'{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": {pid}, "tid": {tid}, "ts": {start // 1000}.{start % 1000:03d}, '
                         f'"dur": {length // 1000}.{length % 1000:03d}, "args": {{{args}}}}}')

        def launch(operator, kernel, host, start, length, stream=7, more=""):
            nonlocal correlation
            correlation += 1
            copies = kernel.startswith("Memcpy")
            add("cpu_op", operator, 4242, 1, host, 18000)
            add("cuda_runtime", "cudaMemcpyAsync" if copies else "cudaLaunchKernel", 4242, 1, host + 6000, 7000, f'"correlation": {correlation}')
            more = ', "bytes": 8388608' if copies else more or ', "grid": [64, 1, 1], "block": [256, 1, 1]'
            add("gpu_memcpy" if copies else "kernel", kernel, 0, stream, start, length,
                f'"device": 0, "stream": {stream}, "correlation": {correlation}{more}')

        for _, step, stage, begin, operations, arrival, leave in self.visits(rank):
            if stage == 0:
                step_begin, hiccup = begin, self.hiccup
                if (rank, step) == (hiccup["rank"], hiccup["step"]):
                    add("cpu_op", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 4242, 1, begin, hiccup["delay_ns"])
            waits = self.late.get(rank, {"cause": None})
            if waits["cause"] == "host":
                add("cpu_op", "aten::item", 4242, 1, operations[0][2] - waits["delay_ns"], waits["delay_ns"])
            for operator, kernel, host, start, length in operations[:-1]:
                launch(operator, kernel, host, start, length)
            kind = STAGES[stage]
            group, first = (("dp", 0), ("tp", rank // NODE * NODE))[kind == "allgather"]
            last = self.o.ranks - 1 if group == "dp" else min(self.o.ranks, first + NODE) - 1
            host = operations[-1][2]
            launch("c10d::" + kind, f"ncclDevKernel_{('AllReduce', 'AllGather')[group == 'tp']}_Sum_bf16_RING_LL(ncclDevComm*, ncclWork*)", host, arrival,
                   leave - arrival, 20, f', "Collective name": "{kind}", "In msg nelems": 4194304, "Out msg nelems": 4194304, "dtype": "BFloat16", '
                   f'"Group size": {last - first + 1}, "Process Group Name": "{group}", "Process Group Ranks": "[{first}, ..., {last}]"')
            launch("aten::_fused_adamw_", OPTIMISER, host + 22000, self.overlapped(host, arrival), OVERLAPPED)
            add("cuda_runtime", "cudaDeviceSynchronize", 4242, 1, host + 50000, max(leave + 4000 - host - 50000, 0))
            if stage == len(STAGES) - 1:
                add("user_annotation", f"ProfilerStep#{step}", 4242, 1, step_begin, leave + 6000 - step_begin)
        return lines

    @staticmethod
    def overlapped(host, arrival):
        return max(arrival + 2000, host + 37000)

    def write(self, rank):
        document = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU of scripts/gen_gpu.py", "numSms": 108}],
                    "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": self.o.ranks}}
        text = json.dumps(document)[:-1] + ', "traceEvents": [\n' + ",\n".join(self.lines(rank)) + "\n]}\n"
        path = os.path.join(self.o.out, f"rank{rank:05d}.json" + ("" if self.o.plain else ".gz"))
        with open(path, "wb") as out:
            out.write(text.encode() if self.o.plain else gzip.compress(text.encode(), 6, mtime=0))

    def answers(self):
        rows, collectives = [self.totals(rank) for rank in range(self.o.ranks)], []
        for i, meets in enumerate(self.meets):
            step, stage = divmod(i, len(STAGES))
            size = self.o.ranks if STAGES[stage] == "allreduce" else NODE
            for first in range(0, self.o.ranks, size):
                arrivals = [arrival for arrival, _ in meets[first:first + size]]
                if len(arrivals) == 1:
                    continue
                before, most = sorted(arrivals)[-2:]
                last = first + arrivals.index(most) if before < most else None
                lost = sum(most - arrival for arrival in arrivals)
                collectives.append({"step": step, "stage": stage, "kind": STAGES[stage], "ranks": [first, first + len(arrivals) - 1], "start_ns": most,
                                    "last_rank": last, "behind_ns": None if last is None else most - before, "spread_ns": most - min(arrivals),
                                    "lost_ns": lost})
                for rank, arrival in enumerate(arrivals, first):
                    rows[rank]["waited_ns"] += most - arrival
                if last is not None:
                    rows[last]["last"] += 1
                    rows[last]["caused_ns"] += lost
        return {"ranks": rows, "clocks": self.clocks, "stragglers": self.stragglers, "hiccup": self.hiccup, "collectives": collectives}

    def totals(self, rank):
        compute = communication = overlap = copied = 0
        starts = []
        for _, _, stage, _, operations, arrival, leave in self.visits(rank):
            lengths = [length for *_, length in operations[:-1]]
            hidden = self.overlapped(operations[-1][2], arrival)
            assert hidden + OVERLAPPED < leave
            copied += lengths[0] if stage == 0 else 0
            compute += sum(lengths) - (lengths[0] if stage == 0 else 0) + OVERLAPPED
            communication, overlap = communication + leave - arrival, overlap + OVERLAPPED
            starts += [operations[0][3]] if stage == 0 else []
        busy = compute + communication - overlap + copied
        return {"busy_ns": busy, "compute_ns": compute, "communication_ns": communication, "exposed_communication_ns": communication - overlap,
                "exposed_memcpy_ns": copied, "idle_ns": leave - starts[0] - busy, "last": 0, "caused_ns": 0, "waited_ns": 0,
                "steps_ns": [after - start for start, after in zip(starts, starts[1:] + [leave])]}


def make_collection(options):
    collection = Collection(options)
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "answers.txt"), "w", encoding="utf-8") as out:
        json.dump(collection.answers(), out)
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        pool.map(collection.write, range(options.ranks), 8)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    for name, default, kind in (("rank", 0, int), ("ranks", 1, int), ("steps", 6, int), ("slow", 1.0, float), ("seed", 1, int),
                                ("layers", 1, int), ("jobs", 1, int)):
        p.add_argument(f"--{name}", default=default, type=kind)
    p.add_argument("--collection", action="store_true")
    p.add_argument("--plain", action="store_true")
    options = p.parse_args()
    if options.collection:
        make_collection(options)
        return
    maker = Maker(options)
    for number in range(options.steps):
        maker.step(number)
    document = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU of scripts/gen_gpu.py", "numSms": 108}],
                "distributedInfo": {"backend": "nccl", "rank": options.rank, "world_size": options.ranks},
                "traceEvents": maker.events}
    with open(options.out, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)


main()
