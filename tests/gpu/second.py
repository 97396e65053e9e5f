"""second.py: the numbers of `analyze gpu`, computed once more from the JSON itself, as docs/reference/gpu.md defines them.

Nothing of postfetto is used. Where the command merges intervals, this walks over all starts and ends and asks at each
moment what runs; where the command follows table slice, this keeps a stack for each thread.
"""
import collections
import decimal
import functools
import gzip
import json
import re

CALLS = re.compile(r".*(_runtime|_driver)$")
COMMUNICATION = re.compile(r"nccl|rccl|hccl|cross_device_reduce|multimem|all_?reduce|all_?gather", re.I)


def load(path):
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    document = json.loads(data, parse_float=decimal.Decimal)
    return document if isinstance(document, dict) else {"traceEvents": document}


def ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


class Event:
    """A complete event, with times in ns."""

    def __init__(self, raw):
        self.name = raw.get("name", "")
        self.category = raw.get("cat", "")
        self.pid, self.tid = raw.get("pid"), raw.get("tid")
        self.args = raw.get("args", {})
        self.start = ns(raw["ts"])
        self.end = self.start + ns(raw.get("dur", 0))
        self.length = self.end - self.start
        self.call = self.parent = None

    def is_device(self):
        return self.category in ("kernel", "gpu_memcpy", "gpu_memset")

    def device(self):
        return self.args.get("device", self.pid)

    def stream(self):
        return self.args.get("stream", self.tid)

    def kind(self):
        if self.category != "kernel":
            return "memory"
        return "communication" if COMMUNICATION.search(self.name) else "compute"


def rounded(numerator, denominator):
    """The nearest integer, halves up."""
    return (2 * numerator + denominator) // (2 * denominator)


def stats(lengths):
    lengths = sorted(lengths)
    n = len(lengths)
    return {"calls": n, "total_ns": sum(lengths), "mean_ns": rounded(sum(lengths), n),
            "median_ns": rounded(lengths[(n - 1) // 2] + lengths[n // 2], 2),
            "p95_ns": lengths[-(-95 * n // 100) - 1], "min_ns": lengths[0], "max_ns": lengths[-1]}


def times(events):
    """What runs at each moment between the first start and the last end."""
    edges = []
    for e in events:
        edges += [(e.start, 1, e.kind()), (e.end, -1, e.kind())]
    edges.sort(key=lambda edge: edge[0])
    running, out, depths = collections.Counter(), collections.Counter(), collections.Counter()
    previous = None
    for at, step, kind in edges:
        length = at - previous if previous is not None else 0
        total = sum(running.values())
        depths[total] += length
        out["busy_ns"] += length if total else 0
        for name in ("compute", "communication", "memory"):
            out[name + "_ns"] += length if running[name] else 0
        out["overlap_ns"] += length if running["compute"] and running["communication"] else 0
        out["exposed_communication_ns"] += length if running["communication"] and not running["compute"] else 0
        out["exposed_memcpy_ns"] += length if running["memory"] and not running["compute"] + running["communication"] else 0
        running[kind] += step
        previous = at
    start, end = min(e.start for e in events), max(e.end for e in events)
    out.update({"events": len(events), "start_ns": start, "end_ns": end, "span_ns": end - start})
    out["idle_ns"] = out["span_ns"] - out["busy_ns"]
    return dict(out), {k: v for k, v in depths.items() if v}


def nearest(e, wanted):
    while e and not wanted(e):
        e = e.parent
    return e


def is_module(e):
    return e.category == "python_function" and e.name.startswith("nn.Module: ")


def covered(events):
    """The length of the union, from the edges of all intervals."""
    edges = sorted([(e.start, 1) for e in events] + [(e.end, -1) for e in events])
    running, out, before = 0, 0, 0
    for at, step in edges:
        out += at - before if running else 0
        running, before = running + step, at
    return out


def fold(name):
    """Without what is between < and >, and with # for every run of digits."""
    name = name.replace("operator<<", "operator\1\1").replace("operator<", "operator\1").replace("operator>", "operator\2")
    name = name.replace("->", "-\2")
    depth, out = 0, []
    for i, c in enumerate(name):
        if c == "<":
            if depth == 0:
                out.append(c)
            depth += 1
        elif c == ">":
            depth = max(0, depth - 1)
            if depth == 0:
                out.append(c)
        elif depth == 0:
            out.append(c)
    return re.sub(r"[0-9]+", "#", "".join(out)).replace("\1", "<").replace("\2", ">")


def span_stats(values, prefix):
    """Of differences, which may be negative."""
    if not values:
        return {f"{prefix}_{key}": None for key in ("mean", "median", "p95", "min", "max")}
    values = sorted(values)
    n = len(values)
    return {f"{prefix}_mean": rounded(sum(values), n),
            f"{prefix}_median": rounded(values[(n - 1) // 2] + values[n // 2], 2),
            f"{prefix}_p95": values[-(-95 * n // 100) - 1], f"{prefix}_min": values[0], f"{prefix}_max": values[-1]}


def gaps(events):
    """(start, end, host-bound, kernel wait, other) of every gap: each moment of it is looked at by itself."""
    edges = []
    for e in events:
        if e.length:
            edges += [(e.start, "busy", 1), (e.end, "busy", -1)]
        if e.call and e.call.end < e.start:
            edges += [(e.call.end, "wait", 1), (e.start, "wait", -1)]
    edges.sort(key=lambda edge: edge[0])
    starts = collections.defaultdict(list)
    for e in events:
        if e.length:
            starts[e.start].append(e)
    count, out, begun, parts, previous = collections.Counter(), [], None, None, None
    for at, what, step in edges:
        if begun is not None and at > previous:
            parts["waiting" if count["wait"] else "empty"] += at - previous
        count[what] += step
        if what == "busy" and step == -1 and not count["busy"] and not any(
                e.start == at for e in starts.get(at, [])):
            begun, parts = at, collections.Counter()
        elif what == "busy" and step == 1 and begun is not None:
            known = any(e.call for e in starts[at])
            out.append((begun, at, parts["empty"] if known else 0, parts["waiting"], 0 if known else parts["empty"]))
            begun = None
        previous = at
    return out


def launches(events):
    by_call = collections.defaultdict(list)
    for e in events:
        if e.call:
            by_call[id(e.call)].append(e)
    shorter = [es for es in by_call.values() if sum(e.length for e in es) < es[0].call.length]
    waits = [(e.call.end, e.start) for e in events if e.call and e.call.end < e.start]
    edges = sorted([(a, 1) for a, _ in waits] + [(b, -1) for _, b in waits])
    depth = most = 0
    for _, step in edges:
        depth += step
        most = max(most, depth)
    row = {"launches": len(by_call), "graph_launches": sum(len(es) > 1 for es in by_call.values()),
           "events_without_call": sum(e.call is None for e in events)}
    row.update(span_stats([min(e.start for e in es) - es[0].call.start for es in by_call.values()], "delay"))
    row.update(span_stats([e.start - e.call.end for e in events if e.call], "wait"))
    row["shorter_than_launch"] = len(shorter)
    row["shorter_than_launch_ns"] = sum(e.length for es in shorter for e in es)
    span = max(e.end for e in events) - min(e.start for e in events)
    row["queue_depth_mean"] = float(sum(b - a for a, b in waits)) / span if span else None
    row["queue_depth_max"] = most
    return dict(row, **{key: value for key, value in idle_causes(events).items() if key.endswith("_ns")})


def idle_causes(events):
    """Of a device or a stream. Outside of the gaps only events without length are idle, for no reason that is known."""
    found, row = gaps(events), {}
    for i, cause in enumerate(("host_bound", "kernel_wait", "other")):
        row[f"idle_{cause}_ns"] = sum(gap[2 + i] for gap in found)
    row["idle_other_ns"] += times(events)[0]["idle_ns"] - sum(row.values())
    most = max(row, key=lambda cause: row[cause])
    row["idle_cause"] = most[5:-3].replace("host_bound", "host-bound").replace("_", " ") if row[most] else None
    return row


def queue(events):
    """The hundred windows of a device's queue, each by itself; none where no call is known."""
    if not any(e.call for e in events):
        return []
    waits = [(e.call.end, e.start) for e in events if e.call and e.call.end < e.start]
    begin = min([a for a, _ in waits] + [e.start for e in events])
    end = max(e.end for e in events)
    length, out = -(-(end - begin) // 100), []
    for start in range(begin, end, length or 1):
        stop = min(start + length, end)
        parts = [(max(a, start), min(b, stop)) for a, b in waits if a < stop and b > start]
        edges = sorted([(a, 1) for a, _ in parts] + [(b, -1) for _, b in parts])
        depth = most = covered = 0
        for i, (at, step) in enumerate(edges):
            covered += at - edges[i - 1][0] if depth else 0
            depth += step
            most = max(most, depth)
        out.append({"start_ns": start, "end_ns": stop, "empty_ns": stop - start - covered, "depth_max": most,
                    "depth_mean": float(sum(b - a for a, b in parts)) / (stop - start)})
    return out


def mark(lengths):
    if not lengths:
        return []
    median = stats(lengths)["median_ns"]
    off = stats([abs(n - median) for n in lengths])["median_ns"]
    marks, warming = [], True
    for i, n in enumerate(lengths):
        warming = warming and i < len(lengths) // 2 and n > median + median // 5
        far = abs(n - median) > 3 * 1.4826 * off and abs(n - median) > median / 20 and len(lengths) >= 5
        marks.append("warm-up" if warming else "outlier" if far else "steady")
    return marks


class Trace:
    """One input."""

    def __init__(self, path):
        document = load(path)
        raw = self.raw = document["traceEvents"]
        self.rank = (document.get("distributedInfo") or {}).get("rank")
        self.events = [Event(e) for e in raw if e.get("ph") == "X"]
        self.device_events = sorted((e for e in self.events if e.is_device()), key=lambda e: e.start)
        self.calls = [e for e in self.events if CALLS.match(e.category)]
        self.link()
        self.nest()

    def link(self):
        by_number = {}
        for call in sorted(self.calls, key=lambda e: e.start):
            by_number.setdefault(call.args.get("correlation"), call)
        for e in self.device_events:
            number = e.args.get("correlation")
            e.call = by_number.get(number) if number else None

    def nest(self):
        """The innermost event around each, by thread."""
        threads = collections.defaultdict(list)
        for e in self.events:
            if not e.is_device():
                threads[str(e.pid), str(e.tid)].append(e)
        for events in threads.values():
            stack = []
            for e in sorted(events, key=lambda e: (e.start, -e.length)):
                while stack and stack[-1].end <= e.start and stack[-1].length:
                    stack.pop()
                while stack and stack[-1].end < e.end:
                    stack.pop()
                e.parent = stack[-1] if stack else None
                stack.append(e)

    def devices(self):
        out = collections.defaultdict(list)
        for e in self.device_events:
            out[e.device()].append(e)
        return out

    def kernels(self, folded=False):
        groups = collections.defaultdict(list)
        for e in self.device_events:
            if e.category == "kernel":
                groups[fold(e.name) if folded else e.name].append(e)
        whole = sum(e.length for group in groups.values() for e in group)
        out = {}
        for name, group in groups.items():
            row = stats([e.length for e in group])
            row["share_percent"] = 100 * row["total_ns"] / whole if whole else None
            longest = max(group, key=lambda e: e.length)
            row["grid"] = json.dumps(longest.args["grid"]) if "grid" in longest.args else None
            row["block"] = json.dumps(longest.args["block"]) if "block" in longest.args else None
            row["registers_per_thread"] = longest.args.get("registers per thread")
            row["shared_memory_bytes"] = longest.args.get("shared memory")
            occupancy = longest.args.get("est. achieved occupancy %")
            row["occupancy_percent"] = None if occupancy is None else float(occupancy)
            out[name] = row
        return out

    def memcpy(self):
        groups = collections.defaultdict(list)
        for e in self.device_events:
            if e.category != "kernel":
                groups[e.name, "memcpy" if e.category == "gpu_memcpy" else "memset"].append(e)
        out = {}
        for key, group in groups.items():
            row = stats([e.length for e in group])
            said = [e for e in group if "bytes" in e.args]
            row["bytes"] = sum(e.args["bytes"] for e in said) if said else None
            time = sum(e.length for e in said)
            row["bandwidth_gb_per_s"] = row["bytes"] / time if time else None
            out[key] = row
        return out

    def collectives(self):
        """Of those whose arguments say everything."""
        sizes = {"Float": 4, "BFloat16": 2, "Half": 2, "Int": 4, "Long": 8, "Double": 8, "Byte": 1, "Char": 1, "Bool": 1}
        kinds = {"allreduce": ("all_reduce", "In", lambda n: 2 * (n - 1) / n),
                 "_allgather_base": ("all_gather", "Out", lambda n: (n - 1) / n),
                 "allgather": ("all_gather", "Out", lambda n: (n - 1) / n),
                 "_reduce_scatter_base": ("reduce_scatter", "In", lambda n: (n - 1) / n),
                 "broadcast": ("broadcast", "In", lambda n: 1)}
        groups = collections.defaultdict(list)
        for e in self.device_events:
            if e.kind() == "communication" and "Collective name" in e.args:
                kind, side, factor = kinds[e.args["Collective name"]]
                size = e.args[side + " msg nelems"] * sizes[e.args["dtype"]]
                groups[kind, size, e.args["Group size"], e.args["dtype"], e.args["Process Group Name"]].append((e, factor))
        out = {}
        for key, group in groups.items():
            row = stats([e.length for e, _ in group])
            row["algorithm_bandwidth_gb_per_s"] = key[1] * row["calls"] / row["total_ns"]
            row["bus_bandwidth_gb_per_s"] = row["algorithm_bandwidth_gb_per_s"] * group[0][1](key[2])
            out[key] = row
        return out

    def operators(self):
        rows = collections.defaultdict(collections.Counter)
        for e in self.events:
            if e.category == "cpu_op":
                rows[e.name]["calls"] += 1
                above = e.parent
                while above and not (above.category == "cpu_op" and above.name == e.name):
                    above = above.parent
                rows[e.name]["host_ns"] += 0 if above else e.length
                rows[e.name]["host_self_ns"] += e.length
                up = nearest(e.parent, lambda a: a.category == "cpu_op")
                if up:
                    rows[up.name]["host_self_ns"] -= e.length
        for e in self.device_events:
            around, at = [], e.call.parent if e.call else None
            while at:
                if at.category == "cpu_op":
                    around.append(at.name)
                at = at.parent
            if around:
                rows[around[0]]["launched_self"] += 1
                rows[around[0]]["device_self_ns"] += e.length
            for name in set(around):
                rows[name]["launched"] += 1
                rows[name]["device_ns"] += e.length
        return rows

    def operator_kernels(self):
        """By innermost operator around the call, None without one, and name."""
        groups = collections.defaultdict(list)
        for e in self.device_events if any(e.category == "cpu_op" for e in self.events) else ():
            around = nearest(e.call.parent if e.call else None, lambda a: a.category == "cpu_op")
            groups[around.name if around else None, e.name].append(e)
        whole = sum(e.length for group in groups.values() for e in group)
        out = {}
        for key, group in groups.items():
            row = stats([e.length for e in group])
            del row["median_ns"], row["p95_ns"]
            out[key] = dict(row, share_percent=100 * row["total_ns"] / whole if whole else None)
        return out

    def modules(self):
        rows = collections.defaultdict(collections.Counter)
        for e in self.events:
            if is_module(e):
                up = nearest(e.parent, is_module)
                rows[e.name].update({"calls": 1, "total_ns": e.length, "self_ns": e.length})
                if up:
                    rows[up.name]["self_ns"] -= e.length
        for path, row in self.module_tree().items():
            rows[path[-1]]["device_self_ns"] += row["device_self_ns"]
            for key in ("launched", "device_ns"):
                rows[path[-1]][key] += row[key] if path[-1] not in path[:-1] else 0
        return rows

    def module_tree(self):
        """By the names of the modules from the outermost one on."""
        rows, paths = collections.defaultdict(collections.Counter), {}
        for e in self.events:
            if is_module(e):
                path, at = (), e
                while at:
                    path, at = ((at.name,) + path if is_module(at) else path), at.parent
                paths[id(e)] = path
                rows[path].update({"calls": 1, "total_ns": e.length, "self_ns": e.length})
        for e in self.events:
            up = nearest(e.parent, is_module) if is_module(e) else None
            if up:
                rows[paths[id(up)]]["self_ns"] -= e.length
        for e in self.device_events:
            inner = nearest(e.call.parent if e.call else None, is_module)
            path = paths[id(inner)] if inner else ()
            rows[path]["device_self_ns"] += e.length if path else 0
            for n in range(1, len(path) + 1):
                rows[path[:n]].update({"launched": 1, "device_ns": e.length})
        rows.pop((), None)
        return {path: {key: row[key] for key in ("calls", "total_ns", "self_ns", "launched", "device_ns", "device_self_ns")}
                for path, row in rows.items()}

    def threads(self):
        """By process and thread; a negative tid means the main thread, as Perfetto's engine has it."""
        rows = collections.defaultdict(list)
        for e in self.events:
            if e.category in ("cpu_op", "python_function", "user_annotation") or CALLS.match(e.category):
                rows[e.pid, e.pid if e.tid < 0 else e.tid].append(e)
        out = {}
        for key, events in rows.items():
            inner = [e for e in events if e.category == "cpu_op" or CALLS.match(e.category)]
            out[key] = {"events": len(events), "start_ns": min(e.start for e in events), "end_ns": max(e.end for e in events),
                        "busy_ns": covered(events), "operator_ns": covered(inner)}
        return out

    def launches(self):
        return {device: launches(events) for device, events in self.devices().items()}

    def queues(self):
        return {(device, row["start_ns"]): row for device, events in self.devices().items() for row in queue(events)}

    def largest_gaps(self):
        """By device the 20 largest gaps, with what the host did in their middle."""
        out = {}
        for device, events in self.devices().items():
            found = sorted(gaps(events), key=lambda gap: (gap[0] - gap[1], gap[0]))[:20]
            out[device] = [dict(zip(("start_ns", "end_ns", "host_bound_ns", "kernel_wait_ns", "other_ns"), gap),
                                **self.under(gap, events)) for gap in found]
        return out

    def under(self, gap, events):
        after = [e for e in events if e.start == gap[1] and e.length]
        call = next((e.call for e in after if e.call), None)
        middle = gap[0] + (gap[1] - gap[0]) // 2
        out = {}
        for key, category in (("host_operator", "cpu_op"), ("python_function", "python_function")):
            around = [e for e in self.events if call and e.category == category and e.pid == call.pid and
                      e.tid == call.tid and e.start <= middle < e.end]
            out[key] = max(around, key=lambda e: (e.start, -e.length)).name if around else None
        return out

    def runtime(self):
        groups, launched = collections.defaultdict(list), collections.Counter()
        for call in self.calls:
            groups[call.name].append(call.length)
        for e in self.device_events:
            launched.update([e.call.name] if e.call else [])
        whole = sum(sum(lengths) for lengths in groups.values())
        return {name: dict(stats(lengths), launched=launched[name],
                           share_percent=100 * sum(lengths) / whole if whole else None)
                for name, lengths in groups.items()}

    def counters(self):
        rows = collections.defaultdict(list)
        for e in self.events:
            for counter, value in e.args.items() if e.category == "cuda_profiler_range" else ():
                if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
                    rows[e.name, counter].append(float(value))
        return {key: {"ranges": len(values), "sum": float(sum(values)), "mean": sum(values) / len(values), "min": min(values),
                      "max": max(values)} for key, values in rows.items()}

    def syncs(self):
        groups = collections.defaultdict(list)
        for call in self.calls:
            if "ynchronize" in call.name or ("Memcpy" in call.name and "Async" not in call.name):
                groups[call.name].append(call.length)
        return {name: stats(lengths) for name, lengths in groups.items()}

    # ---- steps ------------------------------------------------------------------------------------------------------

    @functools.cache
    def steps(self):
        """(number, start, end, annotation) of each step, and where they come from."""
        for source, category in (("annotation", "user_annotation"), ("device annotation", "gpu_user_annotation")):
            found = [e for e in self.events if e.category == category and re.fullmatch(r"ProfilerStep#[0-9]+", e.name)]
            if found:
                found.sort(key=lambda e: e.start)
                return [(int(e.name.split("#")[1]), e.start, e.end, e) for e in found], source
        return self.cycles(), "repeated kernel pattern"

    def cycles(self):
        """Every period is tried, which the command does not do. A pattern around another one needs two cycles only."""
        streams = collections.defaultdict(list)
        for e in self.device_events:
            if e.category == "kernel":
                streams[e.device(), e.stream()].append(e)
        row = max(streams.values(), key=len, default=[])
        names, best = [e.name for e in row], (0, 1, 0)
        for least in (3, 2):
            inner = best[1]
            for period in range(1 if least == 3 else inner + 1, len(row) // least + 1 if least == 3 or best[0] else 0):
                begun = 0
                for i in range(len(row) - period + 1):
                    if i + period == len(row) or names[i] != names[i + period]:
                        count = i - begun + period if i > begun else 0
                        if count // period >= least and count > best[0] and (least == 3 or 10 * count >= 9 * len(row)):
                            best = (count, period, begun)
                        begun = i + 1
        count, period, first = best
        if not count:
            return []
        idle = [0] * period
        for i in range(count):
            before = row[first + i - 1] if first + i else row[0]
            idle[i % period] += max(0, row[first + i].start - before.end) if first + i else 0
        cuts = idle if count // period > 2 else idle[:count % period + 1]
        cut, out = cuts.index(max(cuts)), []
        for at in range(first + cut, first + count - period + 1, period):
            end = row[at + period].start if at + period < len(row) else row[at + period - 1].end
            out.append((len(out), row[at].start, end, None))
        return out

    def window(self, at, thread=None):
        """The step at a moment: of those whose windows hold it the one that began last, on the thread if there is one."""
        steps, _ = self.steps()
        around = [i for i, (_, start, end, _) in enumerate(steps) if start <= at < end]
        own = [i for i in around if thread and (steps[i][3].pid, steps[i][3].tid) == thread]
        return max(own or around, key=lambda i: (steps[i][1], i), default=None)

    def step_of_ops(self):
        """By id of each device event its step, and how it was found."""
        by_launch = self.steps()[1] == "annotation" and any(e.call for e in self.device_events)
        streams, out, found = collections.defaultdict(list), {}, {}
        for e in self.device_events:
            streams[e.device(), e.stream()].append(e)
        for events in streams.values():
            before = None
            for e in events:
                if by_launch and e.call:
                    if id(e.call) not in found:
                        found[id(e.call)] = self.window(e.call.start, (e.call.pid, e.call.tid))
                    before, how = found[id(e.call)], "launch"
                    out[id(e)] = before, how
                else:
                    out[id(e)] = (before, "stream") if by_launch else (self.window(e.start), "clock")
        return out

    @functools.cache
    def step_rows(self):
        """By device (None: there is none) and place of the step, with marks; and the summaries by device."""
        steps, source = self.steps()
        rows, summaries, belongs = {}, {}, self.step_of_ops()
        for device, events in (self.devices() or {None: []}).items() if steps else ():
            own = [[e for e in events if belongs[id(e)][0] == i] for i in range(len(steps))]
            starts = sorted((min(e.start for e in es), i) for i, es in enumerate(own) if es)
            table = []
            for i, (number, start, end, _) in enumerate(steps):
                zero = {key: 0 for key in ("span_ns", "busy_ns", "compute_ns", "communication_ns", "memory_ns", "idle_ns",
                                           "overlap_ns", "exposed_communication_ns", "events")}
                row = dict(zero, start_ns=None, end_ns=None, period_ns=None, lag_ns=None)
                on_host = source == "annotation"
                if own[i]:
                    row.update(times(own[i])[0])
                    after = [at for at, k in starts if (at, k) > (row["start_ns"], i)]
                    row["period_ns"] = after[0] - row["start_ns"] if after else row["span_ns"]
                    row["lag_ns"] = row["end_ns"] - end if on_host else None
                row.update({"host_start_ns": start if on_host else None, "host_end_ns": end if on_host else None,
                            "step": number})
                table.append((row["period_ns"] if own[i] else end - start, row))
            marks = mark([length for length, _ in table])
            for i, (length, row) in enumerate(table):
                rows[device, i] = dict(row, mark=marks[i])
            steady = [entry for entry, word in zip(table, marks) if word == "steady"]
            summary = stats([length for length, _ in steady])
            whole = summary["total_ns"]
            del summary["calls"], summary["total_ns"]
            worked = sum(row["events"] > 0 for _, row in steady)
            share = lambda key: 100 * sum(row[key] for _, row in steady) / whole if whole else None
            ways = collections.Counter(belongs[id(e)][1] for e in events)
            outside = [e for e in events if belongs[id(e)][0] is None]
            first_of = {}
            for e in self.device_events:
                if e.call and belongs[id(e)] == (None, "launch"):
                    first_of.setdefault(id(e.call), e)
            summaries[device] = dict(
                summary, source=source, steps=len(steps), steady=len(steady), warm_up=marks.count("warm-up"),
                outliers=marks.count("outlier"), busy_percent=share("busy_ns"),
                exposed_communication_percent=share("exposed_communication_ns"), events_in_no_step=len(outside),
                length="host window" if not worked else "device period" if worked == len(steady) else "both",
                launches_in_no_step=sum(e.device() == device for e in first_of.values()),
                events_by_stream=ways["stream"], events_by_clock=ways["clock"])
        return rows, summaries

    def typical_step(self):
        """The place of the steady step whose length is nearest to the median, on the device with the most events; and
        that device. None without steps."""
        steps, _ = self.steps()
        devices = self.devices() or {None: []}
        if not steps:
            return None, None
        device = min(devices, key=lambda d: (-len(devices[d]), d))
        rows, summaries = self.step_rows()
        off = {}
        for i, (_, start, end, _) in enumerate(steps):
            row = rows[device, i]
            if row["mark"] == "steady":
                off[i] = abs((row["period_ns"] if row["events"] else end - start) - summaries[device]["median_ns"])
        return min(off, key=lambda i: (off[i], i)), device
