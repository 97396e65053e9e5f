#!/usr/bin/env python3
"""gen_sched.py OUT.pftrace --events N [--plain] [--cpus N] [--seed N]: a capture of a busy scheduler, always the same bytes.

Every cpu has 40 threads of its own, which wake each other, stop and are preempted; one waking for about two switches. EVENTS
counts both. Bundles hold 500 of them and come in turns of the cpus, as tracebox writes them: in compact_sched (8 bytes an
event), or as plain events with --plain (64 bytes)."""
import argparse
import random

from make_fixtures_proto import message, packet, varint
from make_fixtures_system import kernel, tree

THREADS, BUNDLE, START = 40, 500, 10**12
SLEEPS, PREEMPTED, WAITS = 1, 256, 2


class Cpu:
    def __init__(self, number, rng):
        self.number, self.rng, self.now = number, rng, START + 37 * number
        self.tids = [0] + [1000 + number * 100 + i for i in range(1, THREADS)]
        self.comms = [f"swapper/{number}"] + [f"worker-{number}-{i}" for i in range(1, THREADS)]
        self.prios = [120] + [100 + i % 40 for i in range(1, THREADS)]
        self.ready, self.current = [True] * THREADS, 0

    def events(self, count):
        """Switches (time, state, thread it left, next thread) and wakings (time, waker, thread), in order."""
        draw, ready = self.rng.random, self.ready
        while count > 0:
            chosen = int(draw() * THREADS)
            if chosen == self.current:
                continue
            if not ready[chosen]:
                self.now += 900 + int(draw() * 20000)
                count -= 1
                yield self.now, None, self.current, chosen
            dice = draw()
            state = SLEEPS if dice < 0.6 else PREEMPTED if dice < 0.9 else WAITS
            self.now += 1500 + int(draw() * 60000)
            ready[self.current], ready[chosen] = state == PREEMPTED or self.current == 0, True
            count -= 1
            yield self.now, state if self.current else 0, self.current, chosen
            self.current = chosen


def compact(cpu, events):
    """The bundle's compact_sched: a column for each field."""
    switches, wakings = [bytearray() for _ in range(5)], [bytearray() for _ in range(6)]
    places, numbers, last = {}, [varint(n) for n in range(512)], [0, 0]
    tids = [varint(tid) for tid in cpu.tids]
    for at, state, _, right in events:
        columns = wakings if state is None else switches
        place = places.setdefault(right, len(places))
        columns[0] += varint(at - last[state is None])
        last[state is None] = at
        if state is None:
            cells = tids[right], numbers[cpu.number], numbers[cpu.prios[right]], numbers[place], b"\0"
        else:
            cells = numbers[state], tids[right], numbers[cpu.prios[right]], numbers[place]
        for column, cell in zip(columns[1:], cells):
            column += cell
    fields = [(5, cpu.comms[i]) for i in places]
    fields += zip((1, 2, 3, 4, 6), switches)
    fields += zip((7, 8, 9, 10, 11, 12), wakings)
    return [(4, message(*fields))]


def plain(cpu, events):
    parts = [message((1, comm), (2, tid), (3, prio)) for tid, comm, prio in zip(cpu.tids, cpu.comms, cpu.prios)]
    rights = [message((5, comm), (6, tid), (7, prio)) for tid, comm, prio in zip(cpu.tids, cpu.comms, cpu.prios)]
    for at, state, left, right in events:
        if state is None:
            kind, body = 20, parts[right] + message((4, 1), (5, cpu.number))
        else:
            kind, body = 4, parts[left] + message((4, state)) + rights[right]
        yield 2, message((1, at), (2, cpu.tids[left]), (kind, body))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--plain", action="store_true")
    for name, default in (("events", 100000), ("cpus", 8), ("seed", 1)):
        p.add_argument(f"--{name}", default=default, type=int)
    options = p.parse_args()
    rng = random.Random(options.seed)
    cpus = [Cpu(number, rng) for number in range(options.cpus)]
    with open(options.out, "wb") as out:
        out.write(kernel("6.8.0"))
        out.write(tree(START, [(1000 + 100 * cpu.number, 1, f"app{cpu.number}") for cpu in cpus],
                       [(tid, comm, 1000 + 100 * cpu.number) for cpu in cpus for tid, comm in zip(cpu.tids[1:], cpu.comms[1:])]))
        for start in range(0, options.events, BUNDLE):
            cpu = cpus[start // BUNDLE % len(cpus)]
            events = cpu.events(min(BUNDLE, options.events - start))
            fields = plain(cpu, events) if options.plain else compact(cpu, events)
            out.write(packet((10, 1), (1, message((1, cpu.number), *fields))))


if __name__ == "__main__":
    main()
