#!/usr/bin/env python3
"""gen_aie.py: deterministic traces in the manner of an AMD AI Engine's, for fixtures and benchmarks.

    gen_aie.py OUT.json [--cores N] [--iterations N] [--kernels N] [--seed N]

One process per traced unit, one thread per event slot, times in core clock cycles. Each core runs iterations of
kernels: a long LOCK_STALL between iterations, entry and exit pulses round every kernel, vector work and short stalls
inside. The numbers come from a small generator of our own, so that every Python version writes the same bytes.
"""
import argparse
import json

CORE_SLOTS = ["INSTR_EVENT_0", "INSTR_EVENT_1", "INSTR_VECTOR", "MEMORY_STALL", "STREAM_STALL",
              "INSTR_LOCK_ACQUIRE_REQ", "INSTR_LOCK_RELEASE_REQ", "LOCK_STALL"]
MEMORY_SLOTS = ["DMA_S2MM_0_START_TASK", "DMA_S2MM_0_FINISHED_TASK", "DMA_MM2S_0_START_TASK",
                "DMA_MM2S_0_FINISHED_TASK"]
SHIM_SLOTS = ["PORT_RUNNING_0", "PORT_RUNNING_1"]
KERNEL_CYCLES = 1150


class Dice:
    """A linear congruential generator (numbers of Knuth's MMIX)."""

    def __init__(self, seed):
        self.state = seed

    def upto(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % bound


class Unit:
    """The events of one traced unit."""

    def __init__(self, pid, name, slots):
        self.pid, self.name, self.slots = pid, name, slots
        self.events = []

    def edge(self, slot, ts, phase):
        self.events.append((ts, phase == "B", self.pid, self.slots.index(slot), slot))

    def interval(self, slot, begin, end):
        self.edge(slot, begin, "B")
        self.edge(slot, end, "E")

    def pulse(self, slot, ts):
        self.interval(slot, ts, ts + 1)

    def metadata(self):
        yield {"name": "process_name", "ph": "M", "pid": self.pid, "args": {"name": self.name}}
        for tid, slot in enumerate(self.slots):
            yield {"name": "thread_name", "ph": "M", "pid": self.pid, "tid": tid, "args": {"name": slot}}


def run_kernel(core, now, dice, slowdown):
    """One kernel call from the acquired lock to the released one; returns the time after it."""
    core.pulse("INSTR_LOCK_ACQUIRE_REQ", now)
    wait = 14 + dice.upto(20)
    core.interval("LOCK_STALL", now + 2, now + 2 + wait)
    entry = now + 8 + wait
    core.pulse("INSTR_EVENT_0", entry)
    at, done = entry + 12, entry + KERNEL_CYCLES + dice.upto(40)
    for _ in range(3):
        work = 312 + dice.upto(16)
        core.interval("INSTR_VECTOR", at, at + work)
        at += work + 4
        stall = 9 + dice.upto(12)
        core.interval("MEMORY_STALL", at, at + stall)
        at += stall + 3
    if slowdown:
        core.interval("STREAM_STALL", at, at + slowdown)
        done += slowdown
    core.pulse("INSTR_EVENT_1", done)
    core.pulse("INSTR_LOCK_RELEASE_REQ", done + 6)
    return done + 10 + dice.upto(8)


def run_core(core, iterations, kernels, dice):
    """All iterations; the first ones are cold (slower), and one in the middle waits for data."""
    now = 400 + 37 * core.pid
    starts = []
    for iteration in range(iterations):
        if iteration:
            pause = 30 * KERNEL_CYCLES + dice.upto(900)
            core.interval("LOCK_STALL", now, now + pause)
            now += pause + 20
        starts.append(now)
        for kernel in range(kernels):
            slowdown = 180 if iteration == 0 else 0
            if iteration == iterations // 2 and core.pid == 0 and kernel % 2 == 1:
                slowdown = 420
            now = run_kernel(core, now, dice, slowdown)
    return starts


def make_units(cores, iterations, kernels, seed):
    """Units with their events: the cores first, then a tile memory and a shim tile."""
    dice = Dice(seed)
    units = []
    for index in range(cores):
        core = Unit(index, f"core_trace for tile{2 + index % 4},{1 + index // 4}", CORE_SLOTS)
        units.append(core)
        starts = run_core(core, iterations, kernels, dice)
    memory = Unit(cores, "mem_trace for tile2,1", MEMORY_SLOTS)
    shim = Unit(cores + 1, "shim_trace for tile0,1", SHIM_SLOTS)
    for start in starts:
        memory.pulse("DMA_S2MM_0_START_TASK", start - 300)
        memory.pulse("DMA_S2MM_0_FINISHED_TASK", start - 20)
        memory.pulse("DMA_MM2S_0_START_TASK", start + 700)
        memory.pulse("DMA_MM2S_0_FINISHED_TASK", start + 900)
        shim.interval("PORT_RUNNING_0", start - 310, start - 30)
        shim.interval("PORT_RUNNING_1", start + 720, start + 930)
    return units + [memory, shim]


def make_lines(units):
    """The trace as JSON texts, one event each: metadata first, then the edges in order of time, ends before begins."""
    for unit in units:
        for event in unit.metadata():
            yield json.dumps(event)
    for ts, begin, pid, tid, name in sorted(edge for unit in units for edge in unit.events):
        phase = "B" if begin else "E"
        yield f'{{"name": "{name}", "ts": {ts}, "ph": "{phase}", "pid": {pid}, "tid": {tid}, "args": {{}}}}'


def make_json(cores, iterations, kernels, seed=1):
    return "[" + ",\n".join(make_lines(make_units(cores, iterations, kernels, seed))) + "]\n"


def main():
    parser = argparse.ArgumentParser(description="Writes a deterministic AIE-like trace in Chrome JSON.")
    parser.add_argument("output")
    parser.add_argument("--cores", type=int, default=32)
    parser.add_argument("--iterations", type=int, default=32)
    parser.add_argument("--kernels", type=int, default=44)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with open(options.output, "w", encoding="ascii") as target:
        target.write(make_json(options.cores, options.iterations, options.kernels, options.seed))


if __name__ == "__main__":
    main()
