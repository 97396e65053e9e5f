#!/usr/bin/env python3
"""gen_gpu.py OUT.json [--rank R] [--ranks N] [--steps N] [--slow F] [--seed N]: a trace as the torch profiler writes it of a small
training loop on one GPU: memcpy of a batch, kernels that the host launches, a collective that overlaps with some of them, a
host that is late now and then. The last rank is late at collectives; --slow makes the attention kernel F times as long."""
import argparse
import json
import random

LAYERS = [("aten::linear", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 310),
          ("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>", 45),
          ("aten::scaled_dot_product_attention", "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>", 240),
          ("aten::layer_norm", "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", 60),
          ("aten::mm", "ampere_bf16_s16816gemm_bf16_256x64_ldg8_f2f_stages_64x4_nn", 280)]


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


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    for name, default, kind in (("rank", 0, int), ("ranks", 1, int), ("steps", 6, int), ("slow", 1.0, float), ("seed", 1, int)):
        p.add_argument(f"--{name}", default=default, type=kind)
    options = p.parse_args()
    maker = Maker(options)
    for number in range(options.steps):
        maker.step(number)
    document = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU of scripts/gen_gpu.py", "numSms": 108}],
                "distributedInfo": {"backend": "nccl", "rank": options.rank, "world_size": options.ranks},
                "traceEvents": maker.events}
    with open(options.out, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)


main()
