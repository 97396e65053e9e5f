#!/usr/bin/env python3
"""gen_neutrino.py KIND FOLDER: writes a Neutrino recording of any size, the same for the same arguments.

KIND is block_sched, dmat, gmem_bytes, tensorop, progress, two_maps (blocks and bytes) or latency (a CSV). FOLDER becomes a
run directory with event.log, probe.toml, kernel/, result/ and, for dmat, tensor.trace.

  --layout v2|hip|v1|v0   --blocks N   --threads B (of a block)   --sms N   --slots N (of an SM)
  --records N (of a thread, for dmat and progress)   --seed N   --shuffle (blocks of the file in any order of start)
  --alike (blocks that all run about as long)   --bare (no event.log and no kernel.info)
"""
import argparse
import hashlib
import heapq
import os
import random
import struct

PIECE = 1 << 18  # records of a thread-level section that are made before they repeat
KERNEL = "generated_kernel"
FIELDS = {"block_sched": ("warp", 16, ["start", "elapsed", "cuid"], ["u64", "u32", "u32"]),
          "DMAT": ("thread", 16, ["clock", "addr"], ["u64", "u64"]),
          "GMEMBytes": ("thread", 8, ["sync_bytes", "async_bytes"], ["u32", "u32"]),
          "TensorOpCount": ("thread", 8, ["count"], ["u64"]),
          "Sample": ("thread", 8, ["clock"], ["u64"])}
MAPS = {"block_sched": ["block_sched"], "dmat": ["DMAT"], "gmem_bytes": ["GMEMBytes"], "tensorop": ["TensorOpCount"],
        "progress": ["Sample"], "two_maps": ["block_sched", "GMEMBytes"]}
TENSORS = [("query", 0x7F2000000000, 8), ("key", 0x7F2004000000, 8), ("value", 0x7F2008000000, 16), ("out", 0x7F200C000000, 8)]


def simulate_blocks(options, rng):
    """(start, elapsed, sm) of each block: the next one goes where a slot is free first; every SM has a clock of its own."""
    clock = [10**12 + rng.randrange(10**6) for _ in range(options.sms)]
    free = [(rng.randrange(5000 if options.alike else 100), sm, slot) for sm in range(options.sms) for slot in range(options.slots)]
    heapq.heapify(free)
    for _ in range(options.blocks):
        at, sm, slot = heapq.heappop(free)
        start = at + (rng.randrange(20, 30) if options.alike else int(rng.expovariate(1 / 300)))
        elapsed = rng.randrange(5000, 5200) if options.alike else rng.randrange(2000, 9000)
        heapq.heappush(free, (start + elapsed, sm, slot))
        yield clock[sm] + start, elapsed, sm * 2


def write_blocks(out, options, rng):
    blocks = simulate_blocks(options, rng)
    if options.shuffle:
        blocks = list(blocks)
        rng.shuffle(blocks)
    warps = (options.threads + options.warp - 1) // options.warp
    pack = struct.Struct("<QII").pack
    for start, elapsed, sm in blocks:
        out.write(pack(start, elapsed, sm) * warps)


def access(rng):
    tensor = rng.choice(TENSORS)
    clock = min(int(rng.gauss(4000, 1500)) if tensor[0] != "out" else int(rng.gauss(9000, 800)), 12000)
    return struct.pack("<QQ", max(clock, 1), tensor[1] + rng.randrange(tensor[2]) * 65536 + rng.randrange(65536))


def record(name, options, rng):
    if name == "DMAT":
        return access(rng) if rng.random() < 0.9 else bytes(16)
    if name == "GMEMBytes":
        return struct.pack("<II", rng.randrange(65536), rng.choice([0, 16, 4096]))
    return struct.pack("<Q", rng.randrange(1, 4000))


def write_threads(out, name, options, rng):
    """Records thread by thread; beyond PIECE of them they repeat."""
    total = options.blocks * options.threads * (options.records if name in ("DMAT", "Sample") else 1)
    piece = b"".join(record(name, options, rng) for _ in range(min(total, PIECE)))
    size = FIELDS[name][1]
    while total > 0:
        count = min(total, len(piece) // size)
        out.write(piece[:count * size])
        total -= count


def unit_bytes(name, options):
    return FIELDS[name][1] * (options.records if name in ("DMAT", "Sample") else 1)


def unit_count(name, options):
    level = FIELDS[name][0]
    warps = (options.threads + options.warp - 1) // options.warp
    return options.blocks * (warps if level == "warp" else options.threads)


def section_headers(maps, options, rng):
    """As the writers of each layout make them: v2 rounds the offsets of later sections down."""
    at, data = 32 + 16 * len(maps), b""
    for name in maps:
        unit, units = unit_bytes(name, options), unit_count(name, options)
        lanes = options.warp if FIELDS[name][0] == "warp" else 1
        if options.layout == "v2":
            data += struct.pack("<IIQ", unit, lanes, at)
            at += options.blocks * options.threads * unit // lanes
        elif options.layout == "hip":
            data += struct.pack("<IIQ", unit * units & 0xFFFFFFFF, rng.randrange(100, 2**32), at)
            at += unit * units
        else:
            data += struct.pack("<QQ", unit if options.layout == "v1" else unit * units, at)
            at += unit * units
    return data


def write_trace(path, maps, options, rng):
    with open(path, "wb", buffering=1 << 20) as out:
        out.write(struct.pack("<8I", options.blocks, 1, 1, options.threads, 1, 1, 0, len(maps)))
        out.write(section_headers(maps, options, rng))
        for name in maps:
            if name == "block_sched":
                write_blocks(out, options, rng)
            else:
                write_threads(out, name, options, rng)
    return os.path.getsize(path)


def probe_toml(maps, options):
    text = '[probe.a]\nlevel = "thread"\nbefore = """\nmov.u64 %r, %clock64;  # not TOML = "here"\n"""\n'
    for name in maps:
        level, size, fields, types = FIELDS[name]
        cap = options.records if name in ("DMAT", "Sample") else 1
        text += f'\n[map.{name}]\nlevel = "{level}"\ntype = "array"\nsize = "{size}"\ncap = {cap}\n\n[map.{name}.regs]\n'
        text += "".join(f'{field} = ["{kind}", "None"]\n' for field, kind in zip(fields, types))
    return text


def event_log(maps, options, size):
    memory, hip = ("hipMalloc", True) if options.layout == "hip" else ("cuMemAlloc_v2", False)
    tag = "jit" if hip else "probe"
    total = sum(unit_bytes(name, options) * unit_count(name, options) for name in maps)
    return (f"[init] pid 4711\n[init] cmd 17 python generated.py \n[init] success \n[mem] {memory} 0 dptr 7f2000000000 bytesize "
            f"33554432\n[{tag}] find 0x550d name {KERNEL} bin 0x7e00 size 4096\n[{tag}] finish 0x550d name {KERNEL} n_param 2\n"
            f"[exec] funcmap-find 0x550d success\n[exec] 1745507739000001000 param 7fdf78000000 1000 \n[exec] grid "
            f"{options.blocks} 1 1 block {options.threads} 1 1 shared 0\n[exec] probe-mem {total} (bytes)\n[exec] succeed 0\n"
            f"[exec] save trace/result/0.500000.bin size {size}\n[exec] prologue 0.500000 kernel 1.250000 epilogue 0.750000 "
            "ratio 2.000000\n")


def write_text(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def write_companions(folder, maps, options, size):
    write_text(folder, "probe.toml", probe_toml(maps, options))
    if not options.bare:
        write_text(folder, "event.log", event_log(maps, options, size))
        lines = "".join(f"{int(FIELDS[name][0] == 'warp')},{unit_bytes(name, options)}\n" for name in maps)
        kernel = f"kernel/0_{hashlib.sha1(KERNEL.encode()).hexdigest()}/kernel.info"
        write_text(folder, kernel, f"{KERNEL}\n2\n{len(maps)}\n{lines}")
    if "DMAT" in maps:
        lines = [f"[call]  {i}  torch.Size([1])  {pages * 65536 - 1}  {start}  {name}  forward  attention.py:{i}\n"
                 for i, (name, start, pages) in enumerate(TENSORS)]
        write_text(folder, "tensor.trace", "".join(lines))


def write_latency(folder, rng):
    text = "probe,original,ncu,neutrino,prologue,kernel,epilogue\n"
    for probe in ("block_sched", "tensorop", "gmem_bytes", "dmat"):
        parts = [rng.uniform(0.3, 4), rng.uniform(4, 12), rng.uniform(5, 30)]
        text += f"{probe},{rng.uniform(4, 6):.6f},{rng.uniform(50, 150):.6f},{sum(parts):.6f}," + \
                ",".join(f"{part:.6f}" for part in parts) + "\n"
    write_text(folder, "latency.csv", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(MAPS) + ["latency"])
    parser.add_argument("folder")
    parser.add_argument("--layout", choices=["v2", "hip", "v1", "v0"], default="v2")
    for name, value in {"blocks": 256, "threads": 128, "sms": 8, "slots": 4, "records": 8, "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("--bare", action="store_true")
    options = parser.parse_args()
    options.warp = 64 if options.layout == "hip" else 32
    rng = random.Random(options.seed)
    os.makedirs(os.path.join(options.folder, "result"), exist_ok=options.kind != "latency")
    if options.kind == "latency":
        os.rmdir(os.path.join(options.folder, "result"))
        write_latency(options.folder, rng)
        return
    maps = MAPS[options.kind]
    size = write_trace(os.path.join(options.folder, "result", "0.500000.bin"), maps, options, rng)
    write_companions(options.folder, maps, options, size)


if __name__ == "__main__":
    main()
