"""tables_of_meetings.py: the report tables of `analyze aiu --flow` about several ranks, out of the events that it
writes as JSON. Times are nanoseconds there; those of events are microseconds that stand for 0.25 ns.
"""
import collections
import statistics

from tables_of_ranks import counter, end_counter, end_of, is_kernel


def ns(microseconds):
    return round(microseconds * 1000)


def transfers(events):
    """By collective: slices that belong to a set of it."""
    groups = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X" and "[sync=" in event["name"] and "CollGroup" in event["args"]:
            groups[event["args"]["CollGroup"]].append(event)
    return groups


def stay(own, kernels):
    """(the last kernel that ended before the first transfer, arrival, end) of a rank in a collective."""
    first_end = min(map(end_of, own))
    before = max((k for k in kernels if end_of(k) <= first_end + 1e-4), key=end_of, default=None)
    arrival = end_of(before) if before else min(e["ts"] for e in own)
    leave = [end_of(e) for e in own if "WDone" in e["args"]["Type"] or e["args"]["Type"] == "MultiCast"]
    return before["name"] if before else None, ns(arrival), ns(max(leave or map(end_of, own)))


def meetings(events):
    """(name, bytes, {rank: stay}) of each collective, by time."""
    kernels, found = collections.defaultdict(list), []
    for event in filter(is_kernel, events):
        if "CollGroup" not in event["args"]:
            kernels[event["pid"]].append(event)
    for name, slices in transfers(events).items():
        members = collections.defaultdict(list)
        for event in slices:
            members[event["pid"]].append(event)
        size = next((int(e["args"]["bytes"]) for e in slices if "bytes" in e["args"]), 0)
        found.append((name, size, {pid: stay(own, kernels[pid]) for pid, own in sorted(members.items())}))
    return sorted(found, key=lambda meeting: min(start for _, start, _ in meeting[2].values()))


def distances_of(events):
    """By rank: when a collective began, and how far from the middle the rank was done with it."""
    distances = collections.defaultdict(list)
    for _, _, stays in meetings(events):
        start = min(arrival for _, arrival, _ in stays.values())
        middle = statistics.median_low(leave for _, _, leave in stays.values())
        for pid, (_, _, leave) in stays.items():
            distances[pid].append((start, leave - middle))
    return distances


def apart(events):
    """How far the clocks of two ranks are from each other at most."""
    left = [statistics.median(by for _, by in own) for own in distances_of(events).values()]
    return max(left, default=0) - min(left, default=0)


def residue_at(stays, overall):
    """The same at one collective: also what lies between its ends."""
    leaves = [leave for _, _, leave in stays.values()]
    return max(overall, max(leaves) - min(leaves))


def told(duration, residue, value):
    """Between two ranks nothing is told that is not twice as long as what is left between their clocks."""
    return value if duration >= 2 * residue else None


def collectives(events):
    rows, overall = [], apart(events)
    for number, (name, size, stays) in enumerate(meetings(events)):
        residue = residue_at(stays, overall)
        arrivals = sorted((start, pid) for pid, (_, start, _) in stays.items())
        last, start = arrivals[-1][0], arrivals[0][0]
        end = max(leave for _, _, leave in stays.values())
        moved = 2 * (len(stays) - 1) * size
        rows.append({"collective": number, "name": name, "ranks": len(stays), "bytes": size, "moved_bytes": moved,
                     "start_ns": start, "end_ns": end, "span_ns": end - start, "gb_per_s": told(end - start, residue, moved / (end - start)),
                     **{key: told(last - arrivals[-2][0], residue, value) for key, value in (
                         ("straggler", arrivals[-1][1]), ("late_ns", last - arrivals[-2][0]),
                         ("lost_ns", sum(last - arrival for arrival, _ in arrivals)))}})
    return rows


def arrivals(events):
    rows, overall = [], apart(events)
    for number, (_, _, stays) in enumerate(meetings(events)):
        residue = residue_at(stays, overall)
        before, last = sorted(start for _, start, _ in stays.values())[-2:]
        rows += [{"collective": number, "rank": pid, "kernel": kernel, "arrival_ns": start, "leave_ns": leave,
                  "waited_ns": told(last - before, residue, last - start)} for pid, (kernel, start, leave) in stays.items()]
    return rows


def covered(kinds):
    """Nanoseconds in which all of some lists of intervals have one that is open."""
    edges = sorted((time, step, kind) for kind, intervals in enumerate(kinds)
                   for start, end in intervals for time, step in ((start, 1), (end, -1)))
    open_now, total, before = [0] * len(kinds), 0, 0
    for time, step, kind in edges:
        total += time - before if all(open_now) else 0
        open_now[kind] += step
        before = time
    return total


def overlap(events):
    found = collections.defaultdict(lambda: ([], []))
    for event in events:
        kind = event.get("args", {}).get("class", "")
        if event["ph"] == "X" and event["dur"] > 0 and (kind == "COMPUTE_EXEC" or "_PROTOCOL_" in kind):
            found[event["pid"]][kind != "COMPUTE_EXEC"].append((ns(event["ts"]), ns(end_of(event))))
    rows = []
    for pid, (kernels, communication) in sorted(found.items()):
        all_time, both = covered([communication]), covered([kernels, communication])
        rows.append({"rank": pid, "kernels_ns": covered([kernels]), "communication_ns": all_time, "overlap_ns": both,
                     "exposed_ns": all_time - both, "overlap_percent": 100 * both / all_time if all_time else 0.0})
    return rows


def slope(points):
    return statistics.linear_regression(*zip(*points)).slope if len(points) > 1 else 0.0


def device_clock(events, pid, mhz, last=None):
    """(time by the counter, time of the host) at the ends of a rank's device slices, us. Last: the counter there."""
    return [(counter(e, last or end_counter(e)) / mhz, end_of(e)) for e in events
            if e["ph"] == "X" and e["pid"] == pid and "TS5" in e.get("args", {})]


def clocks(events, mhz, mode):
    """Shifts are here those of all ranks less a number that is the same for all."""
    distances, rows = distances_of(events), []
    origin = min((start for own in distances.values() for start, _ in own), default=0)
    for pid, own in sorted(distances.items()):
        offsets = [by for _, by in own]
        row = {"rank": pid, "collectives": len(own), "offset_left_ns": statistics.median(offsets),
               "worst_offset_ns": max(map(abs, offsets)),
               "drift_ppm": 1e6 * slope([(at - origin, by) for at, by in own])}
        clock = device_clock(events, pid, mhz, "TS5" if mode == "-S" else None)
        if mode == "-M":
            row.update(shift_us=None, rate=None)
        elif mode == "-S":
            (device, host), (last_device, last_host) = min(clock), max(clock)
            row.update(rate=(last_device - device) / (last_host - host))
        else:
            row.update(rate=1.0, shift_us=statistics.median(host - device for device, host in clock))
        rows.append(row)
    return rows
