#!/usr/bin/env python3
"""Random small binary Perfetto traces, the same for the same seed.

    make_trace.py FIRST COUNT FOLDER      writes FOLDER/<seed>.pftrace for COUNT seeds

A trace takes a random choice of the features below and lets them meet: few sequences, tracks, ids, names and points in
time, so that collisions are the rule. What docs/conformance.md lists as read otherwise on purpose is left out."""
import os
import random
import sys
import zlib

from events import CATEGORIES, NAMES, Events
from system import System
from wire import Message, varint

FEATURES = ["intern", "loss", "defaults", "clocks", "userclocks", "primary", "descriptors", "lanes", "counters", "extra",
            "legacy", "async", "flows", "threadtime", "annotations", "source", "correlation", "callstacks", "processes",
            "legacythreads", "gpustages", "gpucounters", "unknown", "compressed", "override", "namedends", "typed",
            "service", "logs"]


class Sequence:
    def __init__(self, number, pid, tid):
        self.number, self.pid, self.tid = number, pid, tid
        self.has_thread = self.valid = False
        self.known = {}  # field of InternedData -> iids with an entry

    def change(self, flags, cleared, lost):
        if flags & 1 or cleared:
            self.valid, self.known = True, {}
        elif lost:
            self.valid = False


class Maker(Events, System):
    def __init__(self, seed):
        self.r = random.Random(seed)
        count = self.r.randint(2, 9)
        self.on = set(self.r.sample(FEATURES, count)) if seed % 10 else set(FEATURES)
        self.now = self.r.choice([1000, 10**6, 10**9 + 7])
        self.step = self.r.choice([1, 10, 1000])
        self.packets = []
        pids = [10, 20]
        self.sequences = [Sequence(i + 1, pid, pid + self.r.randrange(2))
                          for i, pid in enumerate(self.r.choices(pids, k=self.r.randint(1, 3)))]
        self.uuids = list(range(1, self.r.randint(3, 9)))
        self.counters = [100, 101, 102, 103]
        self.clocks = []  # that a snapshot relates to the trace clock
        if self.on & {"clocks", "userclocks"}:
            self.clocks = [6, 6, 3, 3, 3, 1, 5, 128] + ([64, 65] if "userclocks" in self.on else [])
        self.gpu_sent, self.seq, self.ticks = False, None, 100

    def has(self, feature, share=1.0):
        return feature in self.on and self.r.random() < share

    def some(self, share):
        return self.r.random() < share

    def put(self, packet):
        if self.has("unknown", 0.1):
            packet = self.unknown(packet)
        self.packets.append(Message().text(1, packet))

    def unknown(self, packet):
        kind = self.r.randrange(4)
        if kind == 0:
            return packet.number(1999, self.r.getrandbits(40))
        if kind == 1:
            return packet.text(5000, b"\x01\x02\x03")
        if kind == 2:
            return packet.fixed(1500, 7)
        return Message(packet + varint(600 << 3 | 5) + b"abcd")

    def envelope(self, seq, timed=True, steady=False):
        """A packet of the sequence with a time and, sometimes, new interned data, losses and defaults. steady: it has a
        time, and that is not before the one of the last."""
        r, packet = self.r, Message()
        if timed:
            self.now += self.step * r.choice([0, 0, 1, 1, 2, 5])
            moment = self.now - (self.step * r.choice([1, 3, 10]) if self.some(0.15) and not steady else 0)
            clock = None
            if self.clocks and self.some(0.4) and not steady:
                clock = r.choice(self.clocks)
            if clock in (64, 65):
                moment = r.choice([0, 1, 5, 20])
            if steady or not self.has("untimed", 0.1):
                packet.number(8, moment)
            if clock is not None:
                packet.number(58, clock)
        packet.number(10, seq.number)
        flags = 0
        if self.has("intern") or self.has("loss"):
            flags = r.choice([0, 2, 2, 2, 2, 1, 3] if self.some(0.5) else [2, 0])
        if flags:
            packet.number(13, flags)
        cleared, lost = self.has("loss", 0.05), self.has("loss", 0.1)
        if cleared:
            packet.number(41, 1)
        if lost:
            packet.number(42, 1)
        seq.change(flags, cleared, lost)
        if self.some(0.05):
            packet.number(87, 1)
        if self.some(0.1):
            packet.number(79, seq.pid)
        if self.has("defaults", 0.15):
            packet.text(59, self.defaults())
        if (flags & 1) or self.has("intern", 0.2):
            packet.text(12, self.interned(seq))
        return packet

    def defaults(self):
        message = Message()
        if self.clocks and self.some(0.3):
            message.number(58, self.r.choice(self.clocks))
        if self.some(0.8):
            inner = Message()
            if self.some(0.7):
                inner.number(11, self.r.choice(self.uuids + self.counters))
            if self.has("extra") or self.some(0.1):
                for _ in range(self.r.randrange(3)):
                    inner.number(31, self.r.choice(self.counters))
                for _ in range(self.r.randrange(2)):
                    inner.number(45, self.r.choice(self.counters))
            message.text(11, inner)
        return message

    def iid(self):
        return self.r.choice([1, 2, 3, 3, 4])

    def known_iid(self, seq, field):
        """An iid that has an entry, 0 if none has. Where the engine goes on after one that has none, it is not like us."""
        return self.r.choice(sorted(seq.known.get(field, {0})))

    def entry(self, seq, field):
        iid = self.iid()
        if seq.valid:
            seq.known.setdefault(field, set()).add(iid)
        return Message().number(1, iid)

    def interned(self, seq):
        r, message = self.r, Message()
        for _ in range(r.randint(1, 5)):
            field = r.choice([1, 2, 2, 3, 3, 4, 20, 27, 29, 43])
            entry = self.entry(seq, field) if not self.some(0.03) else Message()
            if field == 4:
                entry.text(2, r.choice(["a.c", "dir\\b.c"])).text(3, r.choice(["f", "g"])).number(4, r.randint(0, 9))
            elif field in (20, 29) or not self.some(0.05):
                entry.text(2, r.choice(CATEGORIES if field == 1 else NAMES) + r.choice(["", "", "%d" % field]))
            message.text(field, entry)
        if self.has("callstacks", 0.7):
            message.text(5, self.entry(seq, 5).text(2, r.choice(["main", "run", "leaf"])))
            message.text(18, self.entry(seq, 18).text(2, r.choice(["s.c", "t.c"])))
            message.text(17, self.entry(seq, 17).text(2, r.choice(["lib", "so"])))
            message.text(16, self.entry(seq, 16).text(2, r.choice([b"\x01\xab", b"id"])))
            message.text(19, self.entry(seq, 19).number(2, self.iid()).number(4, 4096).number(5, 8192)
                         .number(7, self.iid()).number(7, self.iid()))
            frame = self.entry(seq, 6).number(2, self.iid())
            if self.some(0.6):
                frame.number(3, self.iid()).number(4, r.choice([0, 16, 32]))
            if self.some(0.4):
                frame.number(5, self.iid()).number(6, r.randint(0, 40))
            message.text(6, frame)
            stack = self.entry(seq, 7)
            for _ in range(r.randint(0, 3)):
                stack.number(2, self.iid())
            message.text(7, stack)
        if self.has("gpustages", 0.7):
            message.text(23, self.entry(seq, 23).number(2, r.choice([10, 20, 30])).number(3, r.randrange(6)))
            for _ in range(2):
                message.text(24, self.entry(seq, 24).text(2, r.choice(["queue", "stage", "copy"]))
                             .text(3, r.choice(["", "what it is"])).number(4, r.randrange(4)))
            message.text(1000, self.entry(seq, 1000).text(2, "k").text(3, "kernel()").text(4, "sm_90")
                         .text(5, self.compute_arg()))
            message.text(1001, self.entry(seq, 1001).text(2, r.choice(["regs", "smem"])))
        if self.has("gpucounters", 0.4):
            message.text(47, self.entry(seq, 47).text(2, self.counter_descriptor())
                         .number(3, r.choice([0, 1])))
        return message

    def snapshot(self, seq=None, of_all=False):
        """Some of the clocks; those of one sequence, which have ids from 64 on, in snapshots of their own. No clock runs
        backwards or changes its unit."""
        r, message = self.r, Message()
        seq = seq or (r.choice(self.sequences) if self.has("userclocks", 0.5) and not of_all else None)
        self.now += self.step * r.choice([8, 10])
        self.ticks += r.choice([0, 1, 900])
        clocks = [(6, 0), (64, None), (65, None)] if seq else [(6, 0), (3, -300), (1, 5000), (5, -200), (128, None)]
        for clock, offset in clocks:
            value = self.now + offset + r.choice([0, 0, 1, 7]) if offset is not None else self.ticks
            entry = Message().number(1, clock).number(2, value)
            if clock == 64:
                entry.number(3, 1)
            if clock in (64, 128):
                entry.number(4, 1000 if clock == 64 else 10)
            message.text(1, entry)
        if "primary" in self.on:
            message.number(2, 3)
        packet = Message()
        if self.some(0.5):
            packet.number(8, self.now)
        packet.number(10, seq.number if seq else self.r.choice(self.sequences).number)
        self.put(packet.text(6, message))

    def descriptor(self, uuid=None):
        r = self.r
        uuid = uuid or r.choice(self.uuids + [0] if self.some(0.1) else self.uuids)
        message = Message() if self.some(0.01) else Message().number(1, uuid)
        # Mostly the same for a uuid, so that later descriptors agree with the first.
        fixed = random.Random(uuid * 7919 + len(self.uuids)) if not self.some(0.1) else r
        kind = fixed.randrange(6) if "lanes" not in self.on and uuid else 5
        if kind == 0:
            message.text(3, self.process(fixed.choice([10, 20, 30])))
        elif kind <= 2:
            pid = fixed.choice([10, 20])
            message.text(4, self.thread(pid, pid + fixed.randrange(3)))
        elif fixed.random() < 0.6:
            lower = [u for u in self.uuids if u < uuid]
            missing = [] if self.on & {"extra", "counters"} else [999]
            if lower + missing:
                message.number(5, fixed.choice(lower + missing))
        if kind > 2 or self.some(0.2):
            if not self.some(0.1):
                message.text(fixed.choice([2, 2, 10, 13]), fixed.choice(NAMES) if not self.some(0.1) else r.choice(NAMES))
            if fixed.random() < 0.4:
                message.number(15, fixed.randrange(4))
            if fixed.random() < 0.3:
                message.text(16, "key") if fixed.random() < 0.6 else message.number(17, fixed.choice([1, 2**40]))
        if self.some(0.1):
            message.number(9, 1)
        if self.some(0.2):
            message.number(11, r.randrange(4) if not self.some(0.05) else 9)
        if self.some(0.2):
            message.number(12, r.choice([0, 3, -2]))
        if self.some(0.1):
            message.text(14, "a description")
        self.put_descriptor(message, kind in (1, 2))

    def put_descriptor(self, message, of_thread):
        """The thread of a sequence is what its last descriptor says, so further ones stand on none."""
        packet = (self.envelope(self.r.choice(self.sequences), steady=True) if self.some(0.6) and not of_thread
                  else Message())
        self.put(packet.text(60, message))

    def process(self, pid):
        r, message = self.r, Message()
        if not self.some(0.03):
            message.number(1, pid)
        if self.some(0.6):
            message.text(6, r.choice(["proc", "server", ""]))
        if self.some(0.1):
            message.text(2, "/bin/x").text(2, "-v")
        if self.some(0.1):
            message.number(7, self.now)
        if self.some(0.2):
            message.text(8, "label").text(8, "other")
        if self.some(0.1):
            message.number(4, r.randrange(5))
        if self.some(0.1):
            message.number(3, 5)
        return message

    def thread(self, pid, tid, whole=False):
        r, message = self.r, Message()
        if whole or not self.some(0.03):
            message.number(1, pid)
        if whole or not self.some(0.03):
            message.number(2, tid)
        if self.some(0.6):
            message.text(5, r.choice(["main", "worker", ""]))
        if self.some(0.1):
            message.number(4, r.randrange(5))
        if self.has("threadtime") or self.some(0.1):
            message.number(6, self.now // 1000).number(7, r.choice([0, 50, 100])).number(8, r.choice([0, 1000]))
        if self.some(0.1):
            message.number(3, 7)
        return message

    def counter_track(self):
        r = self.r
        uuid = r.choice(self.counters)
        fixed = random.Random(uuid * 31 + len(self.uuids)) if not self.some(0.07) else r
        inner = Message()
        if fixed.random() < 0.3:
            inner.number(1, fixed.choice([1, 2]))
        if self.some(0.1):
            inner.text(2, "cat1").text(2, "cat2")
        if fixed.random() < 0.4:
            inner.number(3, fixed.randrange(4))
        if fixed.random() < 0.3:
            inner.number(4, fixed.choice([1, 1024, 0, -5]))
        if fixed.random() < 0.4:
            inner.number(5, 1)
        if fixed.random() < 0.3:
            inner.text(6, "furlongs")
        if fixed.random() < 0.2:
            inner.text(7, "share")
        message = Message().number(1, uuid)
        of_thread = fixed.random() < 0.1
        if of_thread:
            message.text(4, self.thread(10, 11))
        elif fixed.random() < 0.5:
            message.number(5, fixed.choice(self.uuids))
        if not self.some(0.2):
            message.text(2, fixed.choice(["load", "thread_time", "thread_instruction_count", ""]))
        if fixed.random() < 0.1:
            message.number(15, fixed.randrange(4))
        self.put_descriptor(message.text(8, inner), of_thread)

    def first_snapshots(self):
        self.snapshot(of_all=True)
        for seq in self.sequences if "userclocks" in self.on else []:
            self.snapshot(seq)

    def build(self):
        r = self.r
        if self.on & {"clocks", "userclocks"}:
            self.first_snapshots()
        for seq in self.sequences:
            seq.has_thread = bool(self.on & {"legacythreads", "threadtime", "legacy", "override"}) and self.some(0.7)
            if seq.has_thread:
                self.legacy_thread(seq, first=True)
        if self.on & {"legacythreads", "threadtime", "legacy", "async", "override", "extra", "counters"}:
            for uuid in self.uuids:
                self.descriptor(uuid)
        makers = [(self.event, 10)]
        for feature, maker, weight in (("clocks", self.snapshot, 1), ("userclocks", self.snapshot, 2),
                                       ("descriptors", self.descriptor, 4), ("lanes", self.descriptor, 5),
                                       ("counters", self.counter_track, 3),
                                       ("extra", self.counter_track, 3), ("processes", self.process_tree, 1),
                                       ("processes", self.process_stats, 1), ("legacythreads", self.legacy_descriptor, 3),
                                       ("threadtime", self.legacy_descriptor, 1),
                                       ("override", self.legacy_descriptor, 1), ("legacy", self.legacy_descriptor, 1),
                                       ("gpustages", self.gpu_stage, 5), ("gpustages", self.gpu_other, 1),
                                       ("gpucounters", self.gpu_counters, 6), ("service", self.odd_packet, 2)):
            if feature in self.on:
                makers.append((maker, weight))
        actions = [maker for maker, weight in makers for _ in range(weight)]
        for _ in range(r.choice([5, 20, 60])):
            r.choice(actions)()
        if "compressed" in self.on:
            self.compress()
        return b"".join(self.packets)

    def compress(self):
        """Stretches of packets become packets that hold them compressed."""
        out, rest = [], self.packets
        while rest:
            count = self.r.randint(1, 8)
            head, rest = rest[:count], rest[count:]
            if self.some(0.6):
                out.append(Message().text(1, Message().text(50, zlib.compress(b"".join(head)))))
            else:
                out += head
        self.packets = out


def main():
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for seed in range(first, first + count):
        with open(os.path.join(folder, f"{seed}.pftrace"), "wb") as file:
            file.write(Maker(seed).build())


if __name__ == "__main__":
    main()
