#!/usr/bin/env python3
"""Random captures of a small machine: what its scheduler and its programs did, the same for the same seed.

    scheduler.py FIRST COUNT FOLDER      writes FOLDER/<seed>.pftrace for COUNT seeds

A few cpus switch between a few threads, so that ends, wakings, renamings and new threads of the same number are the rule, at
times of which many are equal. A capture takes a random choice of the features below. Faults that a real capture has (lost
events, early data, bundles out of order, lists that are cut) come now and then. What docs/conformance.md says is read
otherwise on purpose is left out."""
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "scripts"))
from make_fixtures_proto import BEGIN, END, THREAD, event, message, packet, varint  # noqa: E402
from make_fixtures_system import (
    blocked,
    bundle,
    clocks,
    compact,
    ev,
    exits,
    kernel,
    newtask,
    of,
    rename,
    rss,
    stats,  # noqa: E402
    switch,
    symbols,
    tree,
    waking,
    write)

FEATURES = [
    "compact", "mixed", "wakings", "tasks", "blocked", "prints", "async", "irqs", "counters", "memory", "suspend",
    "trees", "stats", "logs", "tracks", "faults", "early", "disorder", "ties", "clock", "kernel", "zero", "loss", "calls",
    "machines", "binder", "video", "frames", "power"
]
TIDS, COMMS = [0, 10, 11, 12, 20, 21, 30], ["swapper/0", "main", "alpha", "beta", "gamma", "k/0:1", ""]
STATES = [0, 1, 1, 1, 2, 2, 0x100, 0x10, 0x20, 0x80, 0x402, 4, 0x8000]
FORK, THREAD_OF = 0x11, 0x3d0f00
COMMANDS = [0x40406300, 0x40406301, 0x40486311, 0x40486312, 1]
RETURNS = [0x80487202, 0x80407202, 0x80407203, 0x7205, 0x7206, 0x7206, 0x7211, 0x7212, 0x7213, 0x7214, 2]


class Scheduler:

    def __init__(self, seed, features=None):
        self.r, self.seed = random.Random(f"scheduler {seed}"), seed
        self.on = features or (set(self.r.sample(FEATURES, self.r.randint(2, 10))) if seed % 10 else set(FEATURES))
        self.cpus = self.r.sample([0, 1, 2, 5], self.r.randint(1, 3))
        self.running = {cpu: 0 for cpu in self.cpus}
        self.now, self.step = self.r.choice([1000, 10 ** 9]), self.r.choice([1, 10, 1000])
        if "machines" in self.on:  # other machines change the order of what happens at the same time; v55.3 has one row of losses for all
            self.on -= {"ties", "disorder", "early", "loss"}
        self.compact = "compact" in self.on
        self.listed = self.r.sample([10, 20, 30], self.r.randrange(4)) + [2]  # never forked: the list would name another parent

    def some(self, share):
        return self.r.random() < share

    def has(self, feature, share):
        return feature in self.on and self.some(share)

    def tick(self):
        self.now += self.step * self.r.choice([0, 0, 1, 2] if "ties" in self.on else [1, 2, 5])
        return self.now

    def thread(self, tid=None):
        r = self.r
        tid = r.choice(TIDS) if tid is None else tid
        comm = COMMS[TIDS.index(tid)] if not self.some(0.05) else r.choice(COMMS)
        return tid, comm, 100 + tid

    def one_event(self, cpu, at):
        """Fields of a bundle of the cpu."""
        makers = [
            maker for feature, maker in (("tasks", self.task), ("prints", self.print), ("async", self.print_async),
                                         ("irqs", self.irq), ("counters", self.counter), ("memory", self.memory),
                                         ("suspend", self.suspend), ("zero", self.kernel_mark),
                                         ("calls", self.call), ("binder", self.binder), ("video", self.video)) if feature in self.on
        ]
        tid = self.running[cpu] if not self.has("faults", 0.1) else self.r.choice(TIDS)
        if "blocked" in self.on and self.some(0.2):
            return [blocked(at, tid, self.r.choice(TIDS), self.r.choice([1, 2, 9]), self.r.randrange(2))]
        return self.r.choice(makers)(at, tid) if makers else []

    def task(self, at, tid):
        r, thread = self.r, self.thread(self.r.choice(TIDS[1:]))
        kind = r.randrange(5)
        if kind <= 1:
            return [newtask(at, tid, thread, THREAD_OF if thread[0] in self.listed else r.choice([FORK, THREAD_OF]))]
        if kind == 2:
            return [rename(at, thread[0], thread[1], r.choice(COMMS[1:] + ["new"]))]
        return exits(at, thread, by=tid)[kind - 3:]

    def print(self, at, tid):
        text = self.r.choice([
            "B|10|one", "B|10|two", "B|20|three", "E|10", "E|10", "E", "I|10|now",
            "C|10|count|%d" % self.r.randrange(5), "C|20|other|-1", "B|0|none", "E|0", "junk", "B|30|x\n"
        ])
        return [write(at, tid, text)]

    def print_async(self, at, tid):
        r = self.r
        pid, cookie, name = r.choice([10, 20]), r.randrange(3), r.choice(["load", "save"])
        kind = r.choice("SSFFGGHHN")
        more = {
            "S": f"{name}|{cookie}", "F": f"{name}|{cookie}", "G": f"lane|{name}|{cookie}", "N": f"lane|{name}",
            "H": r.choice([f"lane|{cookie}", f"lane|{name}|{cookie}"])
        }[kind]
        return [write(at, tid, f"{kind}|{pid}|{more}")]

    def irq(self, at, tid):
        r = self.r
        return [
            r.choice([
                ev(at, tid, 36, (1, 5), (2, r.choice(["disk", "net"]))),
                ev(at, tid, 37, (1, 5), (2, r.randrange(2))),
                ev(at, tid, 24, (1, r.choice([0, 1, 3, 9, 10]))),
                ev(at, tid, 25, (1, 1)),
                ev(at, tid, 559),
                ev(at, tid, 560)
            ])
        ]

    def counter(self, at, tid):
        r = self.r
        cpu = r.choice(self.cpus)
        return [
            r.choice([
                ev(at, tid, 11, (1, 1000 * r.randrange(5)), (2, cpu)),
                ev(at, tid, 13, (1, r.choice([0, 1, 4294967295])), (2, cpu)),
                ev(at, tid, 12, (1, 1), (2, 9), (3, cpu)),
                ev(at, tid, 16, (1, "clk"), (2, r.randrange(9))),
                ev(at, tid, 14, (1, "clk"), (2, 1)),
                ev(at, tid, 332, (1, 0), (2, r.randrange(9)))
            ])
        ]

    def memory(self, at, tid):
        r = self.r
        more = [] if self.some(0.5) else [(3, r.randrange(2)), (4, r.choice([500, 501]))]
        return [
            r.choice([
                rss(at, tid, r.randrange(5), 4096 * r.randrange(9), *more),
                rss(at, tid, 1, -1, *more),
                ev(at, tid, 326, (1, "x"), (2, r.choice([-900, 0, 100])), (3, r.choice(TIDS[1:])))
            ])
        ]

    def suspend(self, at, tid):
        r = self.r
        if self.some(0.4):
            return [ev(at, tid, r.choice([404, 405]), (1, r.choice(["wifi", "audio"])), (2, 0))]
        action = r.choice(["suspend_enter", "freeze_processes", "thaw_processes", "timekeeping_freeze", "CPU_OFF"])
        return [ev(at, tid, 113, (1, action), (2, r.randrange(2)), (3, r.randrange(2)))]

    def kernel_mark(self, at, tid):
        r = self.r
        return [
            r.choice([
                ev(at, tid, 331, (1, r.choice([1, 2, 4])), (2, "zero"), (3, 10), (4, 5)),
                ev(at, tid, 80, (1, 10), (2, "mdss"), (3, r.randrange(2))),
                ev(at, tid, 333, (1, 20), (2, "sde"), (3, r.choice([66, 69, 67, 73])), (4, 7)),
                ev(at, tid, 348, (1, 10), (2, "dpu"), (4, "dpu"), (5, r.choice([66, 69, 67])), (6, 3))
            ])
        ]

    def call(self, at, tid):
        r = self.r
        call = r.choice([0, 1, 1, 15, 35, 139, 440, 549, 550])
        if self.some(0.5):
            return [ev(at, tid, 329, (1, call), *[(2, r.randrange(9)) for _ in range(r.randrange(4))])]
        return [ev(at, tid, 330, (1, call), *[(2, r.choice([0, -22]))] * r.randrange(2))]

    def binder(self, at, tid):
        r, kind = self.r, self.r.randrange(10)
        number = (1, r.choice([1, 2, 3, -1]))
        if kind <= 2:
            return [
                ev(at, tid, 50, number, (2, r.choice([0, 7, -2])), (3, 10), (4, r.choice([*TIDS, 99])), (5, r.choice([0, 0, 1, 2])),
                   (6, r.choice([1, 0x5f4e5446])), (7, r.choice([0, 0, 0, 1, 4, 8, 0x10, 0x12, 0x1d])))
            ]
        if kind <= 4:
            return [ev(at, tid, 51, number)]
        if kind == 5:
            return [ev(at, tid, 323, (1, r.randrange(300)), number, (3, r.randrange(9)))]
        if kind == 6:
            return [ev(at, tid, r.choice([53, 54, 55]), (1, "binder_ioctl"))]
        return [ev(at, tid, *r.choice([(485, (1, r.choice(COMMANDS))), (486, (1, r.choice(RETURNS)))]))]

    def video(self, at, tid):
        r, kind = self.r, self.r.choice([422, 422, 422, 423, 423, 424, 425, 426, 427])
        values = [r.choice([0, 1, 9, 99, 4294967295]) for _ in range(15)]
        flags, code = r.choice([0, 0x12345, 0x800000, 0x4000, 1 << 30]), r.choice([0, 1, 4, 10, 12, 64])
        members = [r.choice([0, 5, 10]), flags, r.choice([0, 1, -1]), r.randrange(2), code, *values[:4], r.choice([0, 1, 5, 6]), *values[4:9]]
        if kind < 424:
            members[2:2] = [r.randrange(2)]
            members = [4096, *members, r.choice([0, 1, 2, 14, 15, 128, 4294967295])]
        return [ev(at, tid, kind, *enumerate(members, 1))]

    def ftrace(self):
        r, cpu, parts, rows, wakes, table = self.r, self.r.choice(self.cpus), [], [], [], []
        as_compact = self.compact and not ("mixed" in self.on and self.some(0.3))

        def comm(name):
            if name not in table:
                table.append(name)
            return table.index(name) if not self.has("faults", 0.01) else 99

        for _ in range(r.choice([1, 3, 10])):
            at, left, right = self.tick(), self.thread(self.running[cpu]), self.thread()
            if self.has("wakings", 0.4):
                whom = self.thread(r.choice(TIDS[1:]))
                if as_compact:
                    wakes.append((at, whom[0], cpu, whom[2], comm(whom[1]), r.choice([0, 1, 8, 16])))
                else:
                    parts.append(waking(at, left, whom))
            elif self.some(0.6):
                state = r.choice(STATES) if left[0] else 0
                if as_compact:
                    rows.append((at, state, right[0], right[2], comm(right[1])))
                else:
                    left = self.thread() if self.has("faults", 0.05) else left
                    parts.append(switch(at, left, state, right))
                self.running[cpu] = right[0]
            else:
                parts += self.one_event(cpu, at)
        if self.has("loss", 0.2):
            parts.append((3, 1))
        if rows or wakes:
            parts.append(compact(rows, wakes, table, flags=not self.has("faults", 0.2)))
        if self.has("early", 0.3):
            parts.append((r.choice([9, 10]), self.now - self.step * r.choice([0, 3])))
        if "clock" in self.on:
            parts.append((5, 4))
        if "disorder" in self.on and self.some(0.3):
            self.now -= self.step * r.choice([2, 9])
        return packet((10, 1), (13, 2), (1, message((1, cpu), *parts))) if "blocked" in self.on else bundle(cpu, *parts)

    def process_tree(self):
        r = self.r
        pids = r.sample(self.listed, min(len(self.listed), r.randrange(3)))
        threads = [(tid, r.choice(["thr", "io"]), tid // 10 * 10) for tid in r.sample(TIDS[1:], r.randrange(3))]
        return tree(self.tick(), [(pid, 1 if pid > 2 else 0, f"app{pid}") for pid in pids], threads)

    def system(self):
        r, at = self.r, self.tick()
        return r.choice([
            stats(at, (1, message((1, r.randrange(39)), (2, 5))), (2, message((1, r.randrange(1, 30)), (2, 7)))),
            stats(at, (3, message((1, r.choice(self.cpus)), (2, 10), (5, 99)))),
            stats(at, (11, 1000), (11, 2000), (4, 5)),
            stats(at, (13, message((1, "sda"), (2, at % 4096), (3, 1 + at % 7)))),
            stats(at, (14, message((1, 1), (2, 9))))
        ])

    def frame(self):
        """Frames of Android, with the members that v55.3 knows."""
        r, kind = self.r, self.r.choice([1, 2, 3, 4, 4, 5, 5, 5])
        if self.has("faults", 0.05):
            return packet((8, self.tick()), (76, message((9, 1))))
        members = [(1, r.randrange(4)), (2, r.choice([7, 8, 9]))]
        if kind == 5:
            return packet((8, self.tick()), (76, message((5, message(*members[:1])))))
        surface, pid = kind > 2, r.choice(self.listed)
        members += [(3, r.choice([7, 8, 9])), (4, pid)] if surface else [(3, pid)]
        if surface and self.some(0.7):
            members.append((5, r.choice(["", "layer", "TX - other"])))
        janks = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2, 64, 65, 3, 192, 130, 1024 + 512]
        singles = []
        if kind in (2, 4):
            present, jank, prediction, severity = (6, 9, 10, 12) if surface else (4, 7, 8, 9)
            members += [(present, r.choice([1, 2, 3, 4, 5, 9])), (present + 1, r.randrange(2)), (present + 2, r.randrange(2)),
                        (jank, r.choice(janks)), (prediction, r.choice([0, 1, 2, 3])), (severity, r.randrange(4)),
                        (16 if surface else 12, r.choice(janks)), (17 if surface else 13, r.choice([1, 4]))]
            members += [(11, r.randrange(2))] if surface else []
            members = [each for each in members if each[0] < present or self.some(0.8)]
            singles = [each for each in ((13, 14, 15, 18) if surface else (10, 11, 14)) if self.some(0.5)]
        if self.has("faults", 0.1):
            members.pop(r.randrange(len(members)))
        return packet((8, self.tick() - self.step * r.choice([0, 0, 3])), (76, message(
            (kind, message(*members) + b"".join(varint(each << 3 | 5) + struct.pack("<f", r.choice([0.0, 1.5, -0.1]))
                                                for each in singles)))))

    def power(self):
        r, at = self.r, self.tick()
        kind = r.randrange(4)
        if kind == 0:
            members = [(each, r.choice([0, 5, -3000, 4 * 10 ** 6])) for each in (1, 3, 4, 6, 7) if self.some(0.6)]
            members += [(5, r.choice(["", "main"]))] * r.randrange(2)
            return packet((8, at), (38, message(*members) + (varint(21) + struct.pack("<f", 99.5)) * r.randrange(2)))
        if kind == 1:
            rails = [(1, message((1, r.randrange(3)), (2, r.choice(["S2M_VDD_TPU", "rail", ""])), (3, "sub")))] * r.randrange(2)
            data = [(2, message((1, r.randrange(3)), *[(2, 1 + at // 10 ** 6)] * r.randrange(2), (3, at % 997))) for _ in range(r.randrange(3))]
            return packet((8, at), (40, message(*rails, *data, *[(3, 7)] * r.randrange(2))))
        if kind == 2:
            return packet((8, at), (70, message((1, r.randrange(3)))))
        name = r.choice(["mcc", "plug_type", "battery_status", "screen_state", "battery_stats.wifi", "device_state", "junk"])
        return packet((8, at), (86, message((1, message((1, "debug.tracing." + name), (2, r.choice(["1", "-2", "x", ""])))))))

    def log(self):
        r, at = self.r, self.tick()
        tid = r.choice(TIDS)
        return packet(
            (8, at),
            (39,
             message(
                 (1, message((2, tid // 10 * 10), (3, tid), (5, at + 5000), (6, "tag"), (7, r.randrange(8)),
                             (8, "text"))))))

    def track_event(self):
        return event(self.tick(), self.r.choice([BEGIN, BEGIN, END]), self.r.choice(["outer", "inner"]))

    def packets(self):
        r, out = self.r, [packet((33, message((2, message((1, message((1, "linux.ftrace"))))))))]
        if self.on & {"clock", "logs"}:
            out.append(clocks(boot=self.now, raw=self.now - 300, real=self.now + 5000))
        if "kernel" in self.on:
            out.append(kernel(r.choice(["4.4.1", "4.9.0", "5.10.0", "6.8.0"])))
        if "blocked" in self.on:
            out.append(symbols(self.now, "do_page_fault", "io_schedule"))
        if "tracks" in self.on:
            out.append(THREAD)
        makers = [self.ftrace] * 6
        for feature, maker in (("trees", self.process_tree), ("stats", self.system), ("logs", self.log),
                               ("tracks", self.track_event), ("frames", self.frame), ("power", self.power)):
            makers += [maker] * (2 if feature in self.on else 0)
        for _ in range(r.choice([3, 10, 40])):
            out.append(r.choice(makers)())
        if self.has("early", 0.5):
            out.append(packet((8, self.now - self.step * r.choice([5, 50])), (69, message((2, 1)))))
        return out

    def build(self):
        out = self.packets()
        for machine in ([5] if "machines" in self.on else []):
            other = Scheduler(f"{self.seed} of {machine}", self.on)
            places = sorted(self.r.randint(1, len(out)) for _ in range(200))
            for place, each in reversed(list(zip(places, other.packets()[1:]))):
                out.insert(place, of(machine, each))
        if self.has("faults", 0.2):
            out[-1] = out[-1][:-self.r.randint(1, 8)]
        return b"".join(out)


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for seed in range(first, first + count):
        with open(os.path.join(folder, f"{seed}.pftrace"), "wb") as file:
            file.write(Scheduler(seed).build())


if __name__ == "__main__":
    main()
