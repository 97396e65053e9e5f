"""second_memory.py: allocations and frees of the torch profiler followed once more, as a list of what is held."""
import collections


class Recorded:
    def __init__(self, raw):
        self.raw = sorted((e for e in raw if e.get("name") == "[memory]" and e.get("ph") == "i"), key=lambda e: e["ts"])

    def devices(self):
        out = collections.defaultdict(list)
        for e in self.raw:
            out[e["args"]["Device Type"], e["args"]["Device Id"]].append(e)
        return out


def around(trace, e, ns):
    """The slices around an instant on its thread, the innermost first."""
    at = ns(e["ts"])
    found = [x for x in trace.events if (x.pid, x.tid) == (e["pid"], e["tid"]) and x.start <= at < x.end and not x.is_device()]
    inner = max(found, key=lambda x: (x.start, -x.length), default=None)
    while inner:
        yield inner
        inner = inner.parent


def holder(trace, e, ns):
    chain = list(around(trace, e, ns))
    operators = [x.name for x in chain if x.category == "cpu_op"]
    told = [x for x in operators if not x.startswith(("aten::empty", "aten::new_empty", "aten::resize"))]
    python = [x.name for x in chain if x.category == "python_function"]
    modules = [x for x in python if x.startswith("nn.Module: ")]
    return (told or operators[-1:] or [None])[0], (python or [None])[0], (modules or [None])[0]


def tables(trace, ns):
    """(rows of memory by device, rows of holders by device and holder)"""
    memory, holders = {}, {}
    for (kind, number), events in Recorded(trace.raw).devices().items():
        totals = [e["args"]["Total Allocated"] for e in events]
        peak = totals.index(max(totals))
        held = []
        for e in events[:peak + 1]:
            if e["args"]["Bytes"] > 0:
                held.append(e)
            else:
                held = [other for other in held if other["args"]["Addr"] != e["args"]["Addr"]]
        key = "host" if kind == 0 else "device", number if number >= 0 else None
        changes = [e["args"]["Bytes"] for e in events]
        memory[key] = {"allocations": sum(c > 0 for c in changes), "frees": sum(c < 0 for c in changes),
                       "allocated_bytes": sum(c for c in changes if c > 0), "freed_bytes": -sum(c for c in changes if c < 0),
                       "peak_bytes": totals[peak], "peak_ns": ns(events[peak]["ts"]), "end_bytes": totals[-1],
                       "reserved_bytes": max(e["args"]["Total Reserved"] for e in events),
                       "peak_recorded_bytes": sum(e["args"]["Bytes"] for e in held)}
        rows = collections.defaultdict(collections.Counter)
        for e in held:
            rows[holder(trace, e, ns)].update({"allocations": 1, "bytes": e["args"]["Bytes"]})
        for names, row in rows.items():
            holders[key + names + ("recorded",)] = dict(row, share_percent=100 * row["bytes"] / totals[peak])
        before = totals[peak] - memory[key]["peak_recorded_bytes"]
        if before > 0:
            holders[key + (None, None, None, "before")] = {"allocations": 0, "bytes": before,
                                                            "share_percent": 100 * before / totals[peak]}
    return memory, holders
