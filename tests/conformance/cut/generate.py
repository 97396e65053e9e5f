#!/usr/bin/env python3
"""Random binary traces as well-behaved programs write them, the same for the same seed.

    generate.py SEED OUT [FEATURE...]

Nests of slices over a common time, so that every window has slices that began long before and end long after it, with
instants, counters and flows. A sequence writes them with the state that packets share: texts interned anew with other ids
whenever its state is cleared, defaults, incremental clocks and counters, times relative to a thread descriptor. FEATURES says
what a trace may have; a seed takes some of it, or the features that are named. (../random/make_trace.py makes what no program
would write.)"""
import os
import random
import sys
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "random"))

from wire import Message  # noqa: E402  pylint: disable=wrong-import-position

FEATURES = ["intern", "clear", "loss", "clock64", "monotonic", "legacytime", "defaults", "counters", "incremental", "extra",
            "async", "complete", "gpu", "flows", "unfinished", "args", "internedargs", "late", "named",
            "compressed", "processtree", "empty", "source", "namedends", "endargs"]
# Only where they are named, since cuts of them differ: "disorder", sequences that write the same tracks, and packets that are
# not in the order of time; "legacyflows", Chrome's arrows; "threadtime", thread clocks.
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
START, LENGTH = 1_000_000, 2_000_000  # ns
NAMES = ["load", "store", "matmul", "wait", "copy", "launch", "sync"]
CATEGORIES = ["compute", "memory", "comm"]
NAME, CATEGORY, KEY, LOCATION, STRING = 2, 1, 3, 4, 29  # fields of InternedData


def packet(body):
    return bytes(Message().text(1, body))


class Sequence:
    """One packet sequence and what its reader has to know at this point of it."""

    def __init__(self, maker, number):
        self.maker, self.r, self.number = maker, maker.r, number
        self.pid, self.tid = 100 * (1 + number % 2), 100 * (1 + number % 2) + number
        self.uuid = 1000 * number
        times = ["plain"] + [f for f in ("clock64", "monotonic", "legacytime") if f in maker.on]
        self.time = self.r.choice(times[1:] or times) if self.r.random() < 0.8 else "plain"
        self.events = []  # (time, function that fills a TrackEvent)
        self.iids, self.next_iid, self.fresh, self.last, self.totals = {}, 1, None, 0, {}
        self.ready = False

    def iid(self, field, text, fill=None):
        """The id of a text; an entry comes with the packet if there is none yet."""
        key = field, text
        if key not in self.iids:
            self.iids[key] = self.next_iid
            entry = Message().number(1, self.next_iid)
            self.fresh.text(field, fill(entry) if fill else entry.text(2, text))
            self.next_iid += 1
        return self.iids[key]

    def clear(self, now):
        """The packets that begin a generation."""
        self.iids, self.next_iid, self.totals, self.ready = {}, self.r.randint(1, 9), {}, True
        out = []
        first = Message().number(8, now).number(10, self.number).number(13, 1)
        if self.time == "clock64":
            clocks = Message().text(1, Message().number(1, 6).number(2, now))
            clocks.text(1, Message().number(1, 64).number(2, now).number(3, 1))
            out.append(packet(Message(first).text(6, clocks)))
            first = Message().number(10, self.number)
            self.last = now
        if self.time == "legacytime":
            self.last = now // 1000
            thread = Message().number(1, self.pid).number(2, self.tid).number(6, self.last).text(5, f"thread {self.tid}")
            thread.number(7, 5).number(8, 1000)
            out.append(packet(Message(first).text(44, thread)))
            first = None
        elif "defaults" in self.maker.on or self.time == "clock64":
            inner, defaults = Message().number(11, self.uuid), Message()
            if "extra" in self.maker.on:
                inner.number(31, self.uuid + 50).number(31, self.uuid + 51)
            if self.time == "clock64":
                defaults.number(58, 64)
            out.append(packet(Message(first).text(59, defaults.text(11, inner))))
            first = None
        if first is not None:
            out.append(packet(Message(first)))
        return out

    def envelope(self, now, event):
        body = Message()
        if self.time == "clock64":
            body.number(8, now - self.last)
            self.last = now
        elif self.time == "monotonic":
            body.number(8, now - self.maker.offset(now)).number(58, 3)
        elif self.time == "legacytime" and event is not None:
            if self.r.random() < 0.7:
                event.number(1, now // 1000 - self.last)
                self.last = now // 1000
            else:
                event.number(16, now // 1000)
        else:
            body.number(8, now)
        return body.number(10, self.number).number(13, 2)

    def write(self):
        """All packets, in lists that have to stay together and in order."""
        on, out = self.maker.on, []
        self.events.sort(key=lambda item: item[0])
        clears = {0} | ({self.r.randrange(1, max(2, len(self.events))) for _ in range(3)} if "clear" in on else set())
        lost = self.r.randrange(max(1, len(self.events))) if "loss" in on and self.r.random() < 0.5 else None
        for number, (now, fill) in enumerate(self.events):
            if number in clears:
                out += self.clear(now)
            self.fresh, event = Message(), Message()
            fill(self, event)
            body = self.envelope(now, event)
            if number == lost:
                body.number(42, 1)
            if self.fresh:
                body.text(12, self.fresh)
            out.append(packet(body.text(11, event) if event else body))
        return out


class Trace:
    def __init__(self, seed, features=()):
        self.r = random.Random(seed)
        r = self.r
        self.on = set(features) or set(r.sample(FEATURES, r.randint(3, 12)) if seed % 8 else FEATURES)
        self.sequences = [Sequence(self, i + 1) for i in range(r.randint(1, 3))]
        self.descriptors, self.late, self.free = [], [], []
        self.ids = 1
        steps = 4 if "monotonic" in self.on else 0
        self.steps = [(START + r.randrange(LENGTH), r.randrange(-500, 500)) for _ in range(steps)]
        self.gpu_number = 0

    def has(self, feature, share=1.0):
        return feature in self.on and self.r.random() < share

    def offset(self, now):
        """Boot time less monotonic time, which steps where a snapshot says so."""
        return max(((at, 300_000 + by) for at, by in self.steps if at <= now), default=(0, 300_000))[1]

    def some_time(self):
        now = START + self.r.randrange(LENGTH)
        return now - now % 1000 if "legacytime" in self.on else now

    # ------------------------------------------------------------------------------------------------------- one event

    def named(self, seq, event, name, category=None):
        category = category or self.r.choice(CATEGORIES)
        if "intern" in self.on:
            event.number(3, seq.iid(CATEGORY, category)).number(10, seq.iid(NAME, name))
        else:
            event.text(22, category).text(23, name)

    def annotate(self, seq, event, name="size"):
        r, note = self.r, Message()
        if "internedargs" in self.on:
            note.number(1, seq.iid(KEY, name))
        else:
            note.text(10, name)
        kind = r.randrange(4)
        if kind == 0:
            note.number(4, r.randrange(100))
        elif kind == 1:
            note.text(6, r.choice(NAMES))
        elif kind == 2 and "internedargs" in self.on:
            note.number(17, seq.iid(STRING, r.choice(NAMES)))
        else:
            inner = Message().number(4, 5)
            inner = inner.number(1, seq.iid(KEY, "inner")) if "internedargs" in self.on else inner.text(10, "inner")
            note.text(11, inner)
        event.text(4, note)

    def decorate(self, seq, event, flows=(), clocks=True):
        if self.has("args", 0.4):
            self.annotate(seq, event)
        if self.has("source", 0.3):
            event.number(34, seq.iid(LOCATION, "f", lambda entry: entry.text(2, "a.c").text(3, "f").number(4, 3)))
        for kind, number in flows:
            event.fixed(kind, number)
        if self.has("extra", 0.4):
            if "defaults" not in self.on and seq.time != "clock64" or seq.time == "legacytime":
                event.number(31, seq.uuid + 50).number(31, seq.uuid + 51)
            for _ in range(2):
                event.number(12, self.r.randrange(1000) or 1)  # after a 0 the engine takes all of an event for 0
        if clocks and self.has("threadtime", 0.4) and seq.time == "legacytime":
            event.number(2, self.r.randrange(5)).number(8, self.r.randrange(100))

    def bind(self, seq, event, uuid):
        """Says the track unless a default does."""
        if uuid == seq.uuid and (seq.time == "legacytime" or "defaults" in self.on or seq.time == "clock64"):
            if seq.time == "legacytime" or self.r.random() < 0.8:
                return
        event.number(11, uuid)

    # ---------------------------------------------------------------------------------------------------------- shapes

    def slices(self, seq, uuid, low, high, depth, flows):
        """A nest of slices on a track, between two times."""
        r, ends = self.r, not self.has("unfinished", 0.1)
        name = r.choice(NAMES)
        at = lambda time: time - time % 1000 if seq.time == "legacytime" else time
        mine = [(47, flows.pop())] if flows and r.random() < 0.5 else []
        if "flows" in self.on and r.random() < 0.3:
            self.ids += 1
            mine.append((47, self.ids))
            self.free.append(self.ids)

        def begin(seq, event):
            event.number(9, BEGIN)
            self.bind(seq, event, uuid)
            self.named(seq, event, name)
            self.decorate(seq, event, mine)

        def end(seq, event):
            event.number(9, END)
            self.bind(seq, event, uuid)
            if self.has("namedends", 0.3):
                event.text(23, name)
            if self.has("endargs", 0.3):
                self.annotate(seq, event, "at_end")

        seq.events.append((at(low), begin))
        inner = low
        while depth and high - inner > 2000 and r.random() < 0.85:
            first = inner + r.randrange((high - inner) // 2)
            last = first + max(1, r.randrange(1, high - first + 1))
            self.slices(seq, uuid, first, min(last, high), depth - 1, flows)
            inner = min(last, high)
            if self.has("empty", 0.3):
                self.instant(seq, uuid, at(inner))
        if ends:
            seq.events.append((at(high), end))

    def instant(self, seq, uuid, now):
        def fill(seq, event):
            event.number(9, INSTANT)
            self.bind(seq, event, uuid)
            self.named(seq, event, "mark")
            self.decorate(seq, event)
        seq.events.append((now, fill))

    def counter(self, seq, uuid):
        def fill(seq, event):
            event.number(9, COUNTER).number(11, uuid)
            if uuid % 1000 == 60:
                event.double(44, self.r.random())
            else:
                event.number(30, self.r.randrange(-50, 100))
        for _ in range(self.r.randint(1, 12)):
            seq.events.append((self.some_time(), fill))

    def legacy(self, seq, phase, now, number, name, length=None, flow=None):
        def fill(seq, event):
            message = Message().number(2, ord(phase))
            if length is not None:
                message.number(3, length // 1000)
            if phase in "benSTpF":
                message.number(6, number)
            if flow:
                message.number(8, flow[0]).number(13, flow[1])
            if phase == "X":
                event.number(11, seq.uuid + 70)
            event.text(6, message)
            self.named(seq, event, name, CATEGORIES[number % len(CATEGORIES)])
            self.decorate(seq, event, clocks=phase != "X")
        seq.events.append((now, fill))

    def async_slices(self, seq):
        """Nestable ones of two phases, and those that overlap; each number is used again later."""
        r = self.r
        first = 1 if "disorder" in self.on else 10 * seq.number
        for number in range(first, first + r.randint(1, 4)):
            low = self.some_time()
            for _ in range(2):
                high = low + 1000 * r.randrange(1, LENGTH // 3000)
                inner = low + (high - low) // 2000 * 1000
                self.legacy(seq, "b", low, number, "request")
                if r.random() < 0.5:
                    self.legacy(seq, "b", inner, number, "part")
                    self.legacy(seq, "e", high, number, "part")
                if r.random() < 0.5:
                    self.legacy(seq, "n", inner, number, "step")
                if not self.has("unfinished", 0.2):
                    self.legacy(seq, "e", high, number, "request")
                low = high + 1000

    def complete_slices(self, seq):
        """On a thread of their own: they may not overlap others."""
        thread = Message().number(1, seq.pid).number(2, seq.tid + 50)
        self.descriptors.append(packet(Message().text(60, Message().number(1, seq.uuid + 70).text(4, thread))))
        low, bound = self.some_time(), 0
        while low < START + LENGTH and bound < 8:
            length = 1000 * self.r.randrange(1, LENGTH // 8000)
            flow = (7, self.r.choice([1, 2, 3])) if self.has("legacyflows", 0.5) else None
            self.legacy(seq, "X", low, 0, "whole", length, flow)
            if length > 4000:
                self.legacy(seq, "X", low + 1000, 0, "half", length // 2)
            low, bound = low + length + 1000 * self.r.randrange(20), bound + 1

    def gpu_packets(self, seq_number):
        """A sequence of GPU stages with interned queues, and GPU counters."""
        r, out, now = self.r, [], START
        names = Message()
        for iid, name in ((1, "queue"), (2, "vertex"), (3, "fragment")):
            names.text(24, Message().number(1, iid).text(2, name).number(4, 1))
        out.append(packet(Message().number(8, now).number(10, seq_number).number(13, 1).text(12, names)))
        spec = Message()
        for number, name in ((1, "busy"), (2, "reads")):
            spec.text(1, Message().number(1, number).text(2, name))
        out.append(packet(Message().number(8, now).number(10, seq_number).text(52, Message().text(1, spec))))
        for number in range(r.randint(3, 15)):
            now += r.randrange(1, LENGTH // 20)
            length = r.randrange(LENGTH // 20)
            stage = Message().number(1, number).number(2, length).number(13, 1).number(14, r.choice([2, 3])).number(16, 0)
            stage.text(6, Message().text(1, "draws").text(2, str(number)))
            out.append(packet(Message().number(8, now).number(10, seq_number).number(13, 2).text(53, stage)))
            samples = Message().text(2, Message().number(1, r.choice([1, 2])).number(2, r.randrange(99)))
            out.append(packet(Message().number(8, now).number(10, seq_number).text(52, samples)))
            now += length if r.random() < 0.7 else length // 2
        return out

    # ----------------------------------------------------------------------------------------------------------- whole

    def describe(self, uuid, parent, name=None, counter=None):
        message = Message().number(1, uuid)
        if parent:
            message.number(5, parent)
        if name:
            message.text(2, name)
        if counter is not None:
            message.text(8, counter)
        late = counter is None and self.has("late", 0.5)
        (self.late if late else self.descriptors).append(packet(Message().text(60, message)))

    def fill(self, seq):
        r, flows = self.r, self.free
        process = Message().number(1, 7 + seq.pid).text(3, Message().number(1, seq.pid).text(6, f"process {seq.pid}"))
        self.descriptors.append(packet(Message().text(60, process)))
        if seq.time != "legacytime":
            thread = Message().number(1, seq.pid).number(2, seq.tid).text(5, f"thread {seq.tid}")
            self.descriptors.append(packet(Message().text(60, Message().number(1, seq.uuid).text(4, thread))))
        uuids = [seq.uuid]
        if "named" in self.on:
            self.describe(seq.uuid + 1, 7 + seq.pid, "queue")
            self.describe(seq.uuid + 2, seq.uuid + 1, "queue part")
            uuids += [seq.uuid + 1, seq.uuid + 2]
        for uuid in uuids:
            whole = r.random() < 0.5
            self.slices(seq, uuid, START if whole else START + r.randrange(LENGTH // 3),
                        START + LENGTH if whole else START + LENGTH - r.randrange(LENGTH // 3), r.randint(2, 4), flows)
            for _ in range(r.randrange(4)):
                self.instant(seq, uuid, self.some_time())
        if "extra" in self.on:
            parent = seq.uuid if seq.time != "legacytime" else 7 + seq.pid
            for i, counter in enumerate((Message(), Message().number(5, 1) if "incremental" in self.on else Message())):
                self.describe(seq.uuid + 50 + i, parent, f"extra {i}", counter)
        if "counters" in self.on:
            self.describe(seq.uuid + 60, 0, "load", Message().text(6, "percent"))
            self.describe(seq.uuid + 61, 7 + seq.pid, "bytes", Message().number(3, 3).number(4, 8))
            self.counter(seq, seq.uuid + 60)
            self.counter(seq, seq.uuid + 61)
        if "incremental" in self.on:
            self.describe(seq.uuid + 62, 7 + seq.pid, "sum", Message().number(5, 1))
            self.counter(seq, seq.uuid + 62)
        if "async" in self.on:
            self.async_slices(seq)
        if "complete" in self.on:
            self.complete_slices(seq)

    def snapshots(self):
        def snapshot(now):
            clocks = Message().text(1, Message().number(1, 6).number(2, now))
            clocks.text(1, Message().number(1, 3).number(2, now - self.offset(now)))
            return packet(Message().number(8, now).text(6, clocks))
        return [snapshot(START)], [snapshot(at) for at, _ in sorted(self.steps)]

    def process_tree(self):
        tree = Message()
        for seq in self.sequences:
            tree.text(1, Message().number(1, seq.pid).number(2, 1).text(3, "/bin/tool"))
            tree.text(2, Message().number(1, seq.tid).text(2, f"of tree {seq.tid}").number(3, seq.pid))
        return packet(Message().number(8, START + 5).text(2, tree))

    def build(self):
        r = self.r
        for seq in self.sequences:
            self.fill(seq)
        streams = [seq.write() for seq in self.sequences]
        if "gpu" in self.on:
            streams.append(self.gpu_packets(90))
        first, later = self.snapshots() if self.on & {"monotonic", "legacytime"} else ([], [])
        streams.append(later)
        if "processtree" in self.on:
            streams.append([self.process_tree()])
        if "disorder" in self.on:
            for seq, stream in zip(self.sequences, streams):
                if seq.time in ("plain", "monotonic") and not self.on & {"intern", "clear", "internedargs", "source"}:
                    for at in range(0, len(stream) - 1, 7):
                        other = min(at + r.choice((1, 1, 9, 40)), len(stream) - 1)
                        stream[at], stream[other] = stream[other], stream[at]
        out = first + self.descriptors
        while any(streams):
            stream = r.choice([stream for stream in streams if stream])
            count = r.randint(1, 6)
            out += stream[:count]
            del stream[:count]
        out += self.late
        return self.compress(out) if "compressed" in self.on else b"".join(out)

    def compress(self, rest):
        out = []
        while rest:
            count = self.r.randint(1, 20)
            part, rest = b"".join(rest[:count]), rest[count:]
            out.append(packet(Message().text(50, zlib.compress(part))) if self.r.random() < 0.7 else part)
        return b"".join(out)


def trace(seed, features=()):
    return Trace(seed, features).build()


def main():
    with open(sys.argv[2], "wb") as file:
        file.write(trace(int(sys.argv[1]), sys.argv[3:]))


if __name__ == "__main__":
    main()
