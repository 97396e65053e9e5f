#!/usr/bin/env python3
"""gen_ops.py FOLDER [--events N] [--lists N] [--seed N]: a performance model's trace and what a device measured, of any size, the
same for the same arguments.

FOLDER gets model.json (N operators, half of them in the process that was looked up in profiling data; 260 bytes each),
kernels.csv (one forward pass of 2,000 kernels), op_mapping.yaml, and expected.csv: kernel type, calls and time of the
model, as they were added up while the trace was written. Of 100 operators 10 (--lists) have durations of their kernels,
hardly two of them alike; durations are multiples of 1/8 us, those of kernels of 1/64 us, so that sums are exact.
"""
import argparse
import collections
import os
import random

# Operator, kernel types that it runs as ("" where there is no profiling data), its name in the mapping, how often.
OPERATORS = [("aten.mm.default", "MatMulV2", "MatMulV2", 20),
             ("tensor_cast.rms_norm.default", "RmsNorm", "RmsNorm", 15),
             ("aten.add.Tensor", "", "Add", 15), ("aten.view.default", "", None, 20), ("custom.rope", "", "", 10),
             ("tensor_cast.all_reduce.default", "hcom_allReduce_", "hcom_allReduce_", 5),
             ("torch.ops.tensor_cast.swiglu", "SwiGlu", "SwiGlu", 5),
             ("mla.default", "BatchMatMulV2, FusedInferAttentionScore", "", 10)]
LONGEST = 100  # us


def mapping():
    for name, _, kernel, _ in OPERATORS:
        if kernel is None:
            yield f"{name}:\n  zero_cost: true\n"
        elif kernel:
            yield f"{name.replace('torch.ops.', '')}:\n  kernel_type: {kernel}\n"


def parts_of(rng, name, types, kernel, duration):
    """(kernel type, time) of an operator of the process that counts, and the argument that says so."""
    if kernel is None:
        return [], ""
    if not types:
        return [(kernel or name, duration)], ""
    split = [part.strip() for part in types.split(",")]
    if len(split) == 1:
        return [(types, duration)], ""
    each = [(part, rng.randrange(1, 64 * LONGEST) / 64) for part in split]
    return each, f', "sub_kernel_durations": "{each}"'


EVENT = (', {"name": "%s", "cat": "%s", "ph": "X", "ts": %s, "pid": %d, "tid": 0, "args": {"Inputs": "(...)", '
         '"Output": "FakeTensor", "simulation_shapes": "[[16, 5120], [5120, 768]]", "source": %s%s}, "dur": %s}')


def write_model(out, options, rng, totals):
    """Operators one after the other, the analytic and the looked up one of each."""
    process = '{"name": "process_name", "ph": "M", "pid": %d, "args": {"name": "%s (PID: %d)"}}'
    out.write('{"traceEvents": [' + process % (0, "analytic", 0) + ", " + process % (1, "profiling", 1))
    lists, others = options.lists, sum(operator[3] for operator in OPERATORS[:-1])
    weights = [operator[3] * (100 - lists) / others for operator in OPERATORS[:-1]] + [lists]
    chosen = rng.choices(OPERATORS, weights, k=(options.events + 1) // 2)
    clock = 0.0
    for number in range(options.events):
        name, types, kernel, _ = chosen[number // 2]
        duration, counts, durations = rng.randrange(1, 8 * LONGEST) / 8, number % 2 == 1, ""
        if counts:
            parts, durations = parts_of(rng, name, types, kernel, duration)
            for part, time in parts:
                totals[part][0] += 1
                totals[part][1] += time
        source = f'"MEASURED", "kernel_type": "{types}"' if types else '""'
        category = "profiling" if counts else "analytic"
        out.write(EVENT % (name, category, clock, number % 2, source, durations, duration))
        clock += duration
    out.write("]}\n")


def write_kernels(out, rng):
    types = [part.strip() for _, types, _, _ in OPERATORS for part in types.split(",") if part] + ["Add"]
    out.write("Type,Start Time(us),Duration(us)\n")
    for number in range(2000):
        out.write(f"{rng.choice(types)},{number * 100}.000\t,{rng.randrange(1, 8 * LONGEST) / 8}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("folder")
    parser.add_argument("--events", type=int, default=1000000)
    parser.add_argument("--lists", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    totals = collections.defaultdict(lambda: [0, 0.0])
    os.makedirs(options.folder, exist_ok=True)
    files = {"model.json": lambda out: write_model(out, options, rng, totals),
             "kernels.csv": lambda out: write_kernels(out, rng),
             "op_mapping.yaml": lambda out: out.writelines(mapping()),
             "expected.csv": lambda out: out.writelines(f"{name},{calls},{time:.1f}\n"
                                                        for name, (calls, time) in sorted(totals.items()))}
    for name, write in files.items():
        with open(os.path.join(options.folder, name), "w", encoding="utf-8") as out:
            write(out)


if __name__ == "__main__":
    main()
