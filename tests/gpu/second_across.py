"""second_across.py: the tables across ranks of `analyze gpu`, computed once more from the events of a collection of
scripts/gen_gpu.py, whose clocks are known. The rules are those of docs/reference/gpu.md, "Many ranks"."""
import bisect
import collections
import functools
import gzip
import json
import statistics

LINES, COLUMNS, WINDOWS = 100, 100, 256
Event = collections.namedtuple("Event", "cat name start end args")


def ns(us):
    return round(us * 1000)


def events_of(path, clock):
    with gzip.open(path) as file:
        raw = json.load(file)["traceEvents"]
    return [Event(e["cat"], e["name"], ns(e["ts"]) - clock, ns(e["ts"]) - clock + ns(e["dur"]), e["args"]) for e in raw]


def union(spans):
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def within(spans, low, high):
    """Of intervals that are apart, in order."""
    at, found = bisect.bisect_right(spans, low, key=lambda span: span[1]), 0
    while at < len(spans) and spans[at][0] < high:
        found += min(spans[at][1], high) - max(spans[at][0], low)
        at += 1
    return found


class Ranks:
    """The events of all ranks, in the clock of the first."""

    def __init__(self, paths, clocks):
        self.events = [events_of(path, clock) for path, clock in zip(paths, clocks)]
        self.device = [[e for e in events if e.cat in ("kernel", "gpu_memcpy")] for events in self.events]
        self.calls = [sorted((e for e in device if "nccl" in e.name), key=lambda e: e.start) for device in self.device]
        self.meet()

    def meet(self):
        """Collectives: the number of each rank's call in them; they are by kind, group and how many there were before."""
        self.collectives, self.of_call = {}, []
        for rank, calls in enumerate(self.calls):
            seen, own = collections.Counter(), []
            for i, call in enumerate(calls):
                key = call.args["Collective name"], call.args["Process Group Name"], call.args["Process Group Ranks"]
                own.append((*key, seen[key]))
                self.collectives.setdefault((*key, seen[key]), {})[rank] = i
                seen[key] += 1
            self.of_call.append(own)
        alone = {key for key, calls in self.collectives.items() if len(calls) < 2}
        for rank, own in enumerate(self.of_call):  # what one rank alone has says nothing of others
            kept = [i for i, key in enumerate(own) if key not in alone]
            self.calls[rank], self.of_call[rank] = [self.calls[rank][i] for i in kept], [own[i] for i in kept]
            self.collectives.update({key: {**self.collectives[key], rank: i} for i, key in enumerate(self.of_call[rank])})
        for key in alone:
            del self.collectives[key]

    @functools.cache  # of a few collections, which all live as long as the test
    def last(self, key):
        """Who came last; None where several did."""
        starts = sorted((self.calls[rank][i].start, rank) for rank, i in self.collectives[key].items())
        return starts[-1][1] if starts[-1][0] > starts[-2][0] else None

    @functools.cache
    def delay(self, key):
        """How much longer than the mean the last one took from the collective before."""
        rank, own = self.last(key), {}
        for other, i in self.collectives[key].items():
            if i > 0:
                own[other] = self.calls[other][i].start - self.calls[other][i - 1].end
        if rank not in own:
            starts = [self.calls[other][i].start for other, i in self.collectives[key].items()]
            return self.calls[rank][self.collectives[key][rank]].start - sum(starts) // len(starts)
        return own[rank] - int(sum(own.values()) / len(own))

    @functools.cache
    def cause(self, key):
        """Whose delay a collective waited for: docs/reference/gpu.md, "Many ranks"."""
        if self.last(key) is None:
            return None
        chain, at = [key], key
        while True:
            rank = self.last(at)
            i = self.collectives[at][rank]
            at = self.of_call[rank][i - 1] if i > 0 else None
            if at is None or len(self.collectives[at]) >= len(self.collectives[key]) or self.last(at) is None:
                break
            chain.append(at)
        return self.last(max(chain, key=self.delay))

    def lost(self, key):
        starts = [self.calls[rank][i].start for rank, i in self.collectives[key].items()]
        return sum(max(starts) - start for start in starts)

    def costs(self):
        """By rank: how often, and for how long, the others waited for its delays."""
        found = collections.defaultdict(lambda: [0, 0])
        for key in self.collectives:
            cause = self.cause(key)
            if cause is not None:
                found[cause][0] += 1
                found[cause][1] += self.lost(key)
        return found

    @functools.cache
    def times(self, rank):
        """By sort of work and name: how long in all."""
        found = collections.Counter()
        for e in self.events[rank]:
            if e.cat == "kernel" and "nccl" not in e.name:
                found["kernel", e.name] += e.end - e.start
            elif e.cat == "gpu_memcpy":
                found["memcpy", e.name] += e.end - e.start
            elif e.cat == "cpu_op":
                found["operator", e.name] += e.end - e.start  # none lies in another one
        busy = union([(e.start, e.end) for e in self.device[rank]])
        ends = {e.args["correlation"]: e.end for e in self.events[rank] if e.cat == "cuda_runtime" and "correlation" in e.args}
        called_by = {e.start: ends[e.args["correlation"]] for e in reversed(self.device[rank])}
        for (_, end), (start, _) in zip(busy, busy[1:]):
            late = max(0, min(start, called_by[start]) - end)
            found["host-bound", None] += late
            found["kernel wait", None] += start - end - late
        return found

    def differences(self, rank, most=8):
        """What a rank did longer than the mean of the others."""
        all_times = [self.times(r) for r in range(len(self.events))]
        own = all_times[rank]
        rows = []
        for key, time in own.items():
            others = (sum(t[key] for t in all_times) - time) // (len(all_times) - 1)
            rows += [(time - others, *key, time, others)] if time > others else []
        return sorted(rows, key=lambda row: (-row[0], row[1], row[2] or ""))[:most]

    def steps(self):
        """By step: period and work of each rank."""
        found = collections.defaultdict(list)
        for rank, device in enumerate(self.device):
            marks = sorted((e.start, e.end, int(e.name.split("#")[1])) for e in self.events[rank] if e.cat == "user_annotation")
            calls = {e.args["correlation"]: e.start for e in self.events[rank] if e.cat == "cuda_runtime" and "correlation" in e.args}
            spans = []
            called = sorted((calls[e.args["correlation"]], i) for i, e in enumerate(device))
            for start, end, number in marks:
                own = [device[i] for _, i in called[bisect.bisect_left(called, (start, 0)):bisect.bisect_left(called, (end, 0))]]
                spans.append((min(e.start for e in own), max(e.end for e in own), number, own))
            for i, (start, end, number, own) in enumerate(spans):
                period = (spans[i + 1][0] if i + 1 < len(spans) else end) - start
                network = union([(e.start, e.end) for e in own if "nccl" in e.name])
                compute = union([(e.start, e.end) for e in own if e.cat == "kernel" and "nccl" not in e.name])
                exposed = sum(b - a for a, b in network) - sum(within(compute, a, b) for a, b in network)
                found[number].append((period, period - exposed, rank))
        return found

    def spread(self, most=200):
        steps = self.steps()
        numbers = sorted(steps)
        share = -(-len(numbers) // most)
        for i in range(0, len(numbers), share):
            rows = [row for number in numbers[i:i + share] for row in steps[number]]
            found = {"step": numbers[i], "last_step": numbers[min(i + share, len(numbers)) - 1], "devices": len(rows)}
            for which, name in enumerate(("period", "work")):
                values = sorted(row[which] for row in rows)
                found.update({f"{name}_min": values[0], f"{name}_max": values[-1], f"{name}_p95": values[-(-len(values) * 95 // 100) - 1],
                              f"{name}_median": int(statistics.median(values) + 0.5), f"{name}_mean": (2 * sum(values) + len(values)) // (2 * len(values))})
            yield found, {row[2] for row in rows if row[0] == found["period_max"]}, {row[2] for row in rows if row[1] == found["work_max"]}

    def sets(self, rank):
        network = union([(e.start, e.end) for e in self.device[rank] if "nccl" in e.name])
        compute = union([(e.start, e.end) for e in self.device[rank] if e.cat == "kernel" and "nccl" not in e.name])
        return {"busy_ns": union([(e.start, e.end) for e in self.device[rank]]), "communication_ns": network, "compute": compute}

    def map(self):
        """By line and column: the exact times, and how far those of the table may be off."""
        count = len(self.events)
        share = -(-count // LINES)
        first = min(e.start for device in self.device for e in device)
        last = max(e.end for device in self.device for e in device)
        window = -(-(last - first) // COLUMNS)
        for line in range(-(-count // share)):
            ranks = range(line * share, min(count, (line + 1) * share))
            sets, spans = [self.sets(rank) for rank in ranks], [(min(e.start for e in self.device[rank]), max(e.end for e in self.device[rank])) for rank in ranks]
            off = sum((end - start) // WINDOWS + 1 for start, end in spans) * 2
            for column in range(COLUMNS):
                low = first + window * column
                high = low + window
                found = {"line": line, "start_ns": low - first, "end_ns": high - first, "devices": len(ranks),
                         "device_ns": sum(max(0, min(end, high) - max(start, low)) for start, end in spans)}
                cell = {key: sum(within(own[key], low, high) for own in sets) for key in ("busy_ns", "communication_ns")}
                cell["exposed_communication_ns"] = cell["communication_ns"] - sum(
                    within(own["compute"], max(a, low), min(b, high)) for own in sets for a, b in own["communication_ns"] if a < high and b > low)
                yield found, cell, off
