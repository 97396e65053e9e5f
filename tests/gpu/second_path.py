"""second_path.py: the critical path of steps once more, from the events of second.py, as docs/reference/gpu.md defines it.

Where the command keeps lists of ends and of what came before, this asks at each point all calls and operations that are
near enough in a list by time.
"""
import bisect
import collections

CLASSES = ("compute", "communication", "memory", "launch", "host", "waiting")


def blocks(call, copies):
    """A synchronisation, a copy without Async, or a call that lasted until its only operation, a copy, was done."""
    own = copies.get(id(call), [])
    within = (len(own) == 1 and own[0].category == "gpu_memcpy" and own[0].length and call.start <= own[0].start and
              own[0].end <= call.end)
    named = "ynchronize" in call.name or ("Memcpy" in call.name and "Async" not in call.name)
    return call.length > 0 and (named or within), own[0] if within else None


class Paths:
    def __init__(self, trace):
        self.trace = trace
        self.launched, streams, self.first = collections.defaultdict(list), collections.defaultdict(list), {}
        for e in trace.device_events:
            streams[e.device(), e.stream()].append(e)
            if e.call:
                self.launched[id(e.call)].append(e)
        self.previous = {id(b): a for events in streams.values() for a, b in zip(events, events[1:])}
        self.ended = {device: sorted((e for e in events if e.length), key=lambda e: e.end)
                      for device, events in trace.devices().items()}
        self.waits, self.blocking = collections.defaultdict(list), collections.defaultdict(list)
        for call in sorted(trace.calls, key=lambda e: e.start):
            thread = call.pid, call.tid
            if "StreamWaitEvent" in call.name:
                self.waits[thread].append(call)
            does, own = blocks(call, self.launched)
            if does:
                self.blocking[thread].append((call, own))
            self.first.setdefault(thread, []).append(call.start)
        for calls in self.blocking.values():
            calls.sort(key=lambda pair: pair[0].end)

    def before(self, op):
        """What an operation waited for on its device."""
        own = self.previous.get(id(op))
        least = own.end if own else None
        wait = None
        if op.call and self.waits:
            since = own.call.start if own and own.call else None
            found = [c for c in self.waits[op.call.pid, op.call.tid]
                     if c.start < op.call.start and (since is None or c.start >= since)]
            wait = found[-1] if found else None
            if not wait and len(self.launched[id(op.call)]) == 1:
                return own
        events = self.ended[op.device()]
        for other in reversed(events[:bisect.bisect_right(events, op.start, key=lambda e: e.end)]):
            if least is not None and other.end <= least:
                break
            by_clock = not self.waits or not op.call
            known = wait and (not other.call or other.call.start <= wait.start)
            graph = op.call and other.call is op.call
            if other.stream() != op.stream() and (by_clock or known or graph):
                return other
        return own

    def awaited(self, call, own):
        found = own
        for events in [] if own else self.ended.values():
            at = bisect.bisect_right(events, call.end, key=lambda e: e.end)
            if at and events[at - 1].end > call.start and (not found or events[at - 1].end > found.end):
                found = events[at - 1]
        return found

    def path(self, step, own, ids):
        """[(kind, name, start, end)] of a step (number, start, end, annotation), from the last of its own operations on
        a device; ids: of those that it has on any."""
        _, begin, finish, annotation = step
        pieces = []

        def add(kind, name, start, end):
            if end > max(start, begin):
                pieces.append((kind, name, max(start, begin), end))

        on_host = annotation is not None and annotation.category == "user_annotation"
        main = (annotation.pid, annotation.tid) if on_host else None
        op = max(own, key=lambda e: (e.end, e.start), default=None)
        if op is None and not on_host:
            return [("wait", None, begin, finish)]
        thread, at = main, op.end if op else finish
        while op is not None or at > begin:
            if op is None:
                calls = self.blocking[thread]
                k = bisect.bisect_right(calls, at, key=lambda pair: pair[0].end)
                call, copy = calls[k - 1] if k else (None, None)
                if call is None or call.end <= begin:
                    starts = self.first.get(thread, [])
                    k = bisect.bisect_left(starts, begin)
                    hops = main not in (None, thread)
                    since = begin if not hops else min([at] + starts[k:k + 1])
                    self.host(thread, since, begin, finish, at, add)
                    if not hops:
                        break
                    thread, at = main, since
                    continue
                self.host(thread, call.end, begin, finish, at, add)
                op = self.awaited(call, copy)
                at = op.end if op else call.start
                add("sync", call.name, at, call.end)
                if op and id(op) not in ids:
                    break
                continue
            add(op.kind(), op.name, op.start, min(op.end, at))
            before, call = self.before(op), op.call if op.call and op.call.start <= op.start else None
            ended = min(before.end, op.start) if before else None
            if call and (before is None or ended <= call.start):
                add("launch", call.name, call.start, op.start)
                thread, at, op = (call.pid, call.tid), call.start, None
                continue
            if before is None or id(before) not in ids:
                break
            called = min(max(call.end, ended), op.start) if call else ended
            add("wait", None, called, op.start)
            if call:
                add("launch", call.name, ended, called)
            op, at = before, op.start
        return pieces[::-1]

    def host(self, thread, start, begin, finish, end, add):
        """The outermost operators of a thread that start in the step, and the time between them."""
        start = max(start, begin)
        for e in reversed(self.outermost(thread)):
            if begin <= e.start < finish and e.start < end and e.end > start:
                add("host", None, e.end, end)
                add("host", e.name, max(e.start, start), min(e.end, end))
                end = max(e.start, start)
        add("host", None, start, end)

    def outermost(self, thread):
        if not hasattr(self, "operators"):
            self.operators = collections.defaultdict(list)
            for e in self.trace.events:
                at = e.parent
                while at and at.category != "cpu_op":
                    at = at.parent
                if e.category == "cpu_op" and e.length and at is None:
                    self.operators[e.pid, e.tid].append(e)
            for events in self.operators.values():
                events.sort(key=lambda e: e.start)
        return self.operators[thread]


def shares(pieces):
    """Percent by class."""
    out = collections.Counter()
    for kind, _, start, end in pieces:
        out["waiting" if kind in ("wait", "sync") else kind] += end - start
    return {f"{name}_percent": 100 * out[name] / sum(out.values()) if pieces else None for name in CLASSES}
