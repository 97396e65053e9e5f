"""tables_of_ranks.py: the report tables of `analyze aiu` about single ranks, out of the events that it writes as JSON
(with --disable_tb, so that names keep their numbers). Each function gives rows as dictionaries, in the table's order.
"""
import collections
import math
import re
import statistics

VOLTS, CHARGES_PER_AMPERE, WATTS_MAX = 12, 512, 100
LEAST_SYMBOLS = 10
END_COUNTER = (("DmaI", "TS2"), ("Prep", "TS3"), ("Exec", "TS4"), ("DmaO", "TS5"))


def end_of(event):
    return event["ts"] + event["dur"]


def counter(event, name):
    return int(event["args"][name], 0)


def steps(event, first, last):
    return counter(event, last) - counter(event, first)


def end_counter(event):
    return next((name for word, name in END_COUNTER if event["name"].endswith(word)), "TS5")


def time_of_ts4(event, mhz):
    return end_of(event) + steps(event, end_counter(event), "TS4") / mhz


def is_flex_kernel(event):
    return event["ph"] == "X" and "Cmpt Exec" in event["name"]


def is_kernel(event):
    """Those of torch traces say it in their category."""
    return is_flex_kernel(event) or (event["ph"] == "X" and event["cat"] == "kernel")


def by_rank(kernels):
    ranks = collections.defaultdict(list)
    for event in kernels:
        ranks[event["pid"]].append(event)
    return sorted(ranks.items())


class Power:
    """What each event took since the sample before it (by id, in W us), and what each rank took, over which time."""

    def __init__(self, events, mhz):
        self.of_event, self.of_rank, self.powered = (collections.defaultdict(float) for _ in range(3))
        self.partly = set()  # ranks with intervals of which nothing can be told
        samples = [e for e in events if e["ph"] == "X" and "Power" in e.get("args", {}) and "TS5" in e["args"]
                   and " Prep" not in e["name"] and e["dur"] > 0.1]
        for pid, own in by_rank(samples):
            self.walk(pid, sorted(((time_of_ts4(e, mhz), e) for e in own), key=lambda s: s[0]), mhz)

    def walk(self, pid, samples, mhz):
        """The order is that of the host's clock, the time between two samples that of the cycles."""
        before = None
        for time, event in samples:
            charge = counter(event, "Power")
            if not before or not before[2]:
                before = time, event, charge
            elif charge and time - before[0] > 5e-4:
                length = (counter(event, "TS4") - counter(before[1], "TS4")) / mhz
                energy = VOLTS * ((charge - before[2]) % 2**32) / CHARGES_PER_AMPERE if length > 0 else 0
                self.add(pid, before[1], event, length, energy, mhz)
                before = time, event, charge

    def add(self, pid, before, event, length, energy, mhz):
        """Nothing is told of what is too much, or where a lap of the charge or of the clock could hide."""
        lap = VOLTS * 2**32 / CHARGES_PER_AMPERE
        if energy > WATTS_MAX * length or length > 2**32 / mhz or energy + lap <= WATTS_MAX * length:
            same = before["args"]["jobname"] == event["args"]["jobname"]
            self.of_event[id(event)] = math.nan if same else math.inf
            self.partly.add(pid)
            return
        self.of_event[id(event)] += energy
        self.of_rank[pid] += energy
        self.powered[pid] += max(length, 0)

    def of(self, pid, events, skip=()):
        """mJ of events; None: it cannot be told. Those of `skip` do not count."""
        values = [self.of_event[id(e)] for e in events]
        mj = math.fsum(v for v in values if v not in skip) / 1000
        return mj if self.powered[pid] and math.isfinite(mj) else None


def folded(name):
    return re.sub(r"[_-][0-9]+", "_[N]", name)


def kernels(events, power):
    rows = []
    for pid, own in by_rank(filter(is_kernel, events)):
        names = collections.defaultdict(list)
        for event in own:
            names[folded(event["name"])].append(event)
        all_time = math.fsum(e["dur"] for e in own)
        for name, calls in sorted(names.items(), key=lambda item: -math.fsum(e["dur"] for e in item[1])):
            times = [e["dur"] for e in calls]
            cycles = [steps(e, "TS3", "TS4") for e in calls if "TS5" in e["args"]]
            rows.append({"rank": str(pid), "kernel": name, "calls": len(calls), "time_us": math.fsum(times),
                         "share_percent": 100 * math.fsum(times) / all_time, "mean_us": statistics.fmean(times),
                         "median_us": statistics.median(times), "min_us": min(times), "max_us": max(times),
                         "deviation_us": statistics.stdev(times) if len(times) > 1 else 0.0,
                         "mean_cycles": statistics.fmean(cycles) if cycles else 0.0,
                         "energy_mj": power.of(pid, calls)})
    return rows


def find_cycle(word):
    """The first prefix that ends in the same sequence twice, the longest such, with at most a third in front."""
    for end in range(LEAST_SYMBOLS, len(word) + 1):
        for half in range(end // 2, 1, -1):
            first = end - 2 * half
            if first <= end / 3 - 1 and word[first:first + half] == word[first + half:end]:
                return first, half
    return None


def loop_of(own):
    """Length of the loop, and the places where it begins."""
    word, starts = [e["name"] for e in own], []
    found = find_cycle(word)
    if not found:
        return 0, []
    place, length = found
    body = word[place:place + length]
    while place + length <= len(word):
        match = word[place:place + length] == body and job_of(own[place]) == job_of(own[place + length - 1])
        starts += [place] if match else []
        place += length if match else 1
    return length, starts


def job_of(event):
    return event["args"]["jobname"]


def iterations(events, jobs_of_rows=None):
    """Rows of the table; to the other list, if there is one, the job of each."""
    rows, jobs_of_rows = [], [] if jobs_of_rows is None else jobs_of_rows
    for pid, own in by_rank(filter(is_kernel, events)):
        length, starts = loop_of(own)
        for i, start in enumerate(starts):
            follows = i + 1 < len(starts) and starts[i + 1] == start + length
            counted = follows and job_of(own[start + length]) == job_of(own[start])
            begin = own[start]["ts"]
            end = own[start + length]["ts"] if counted else end_of(own[start + length - 1])
            busy = math.fsum(e["dur"] for e in own[start:start + length])
            rows.append({"rank": str(pid), "iteration": i, "start_us": begin, "length_us": end - begin,
                         "kernels": length, "busy_us": busy, "idle_us": end - begin - busy, "counted": int(counted)})
            jobs_of_rows.append(job_of(own[start]))
    return rows


def ranks(events, power):
    rows, loops = [], iterations(events)
    for pid, own in by_rank(filter(is_kernel, events)):
        busy = math.fsum(e["dur"] for e in own)
        elapsed = max(map(end_of, own)) - min(e["ts"] for e in own)
        mine = [row for row in loops if row["rank"] == str(pid)]
        lengths = [row["length_us"] for row in mine if row["counted"]]
        median = statistics.median(lengths) if lengths else None
        watts = power.of_rank[pid] / power.powered[pid] if power.powered[pid] else None
        rows.append({"rank": str(pid), "kernels": len(own), "busy_us": busy, "idle_us": elapsed - busy,
                     "elapsed_us": elapsed, "busy_percent": 100 * busy / elapsed if elapsed else 0.0,
                     "loop_kernels": mine[0]["kernels"] if mine else 0, "iterations": len(lengths),
                     "iteration_us": median, "iterations_per_s": 1e6 / median if median else None,
                     "energy_mj": power.of_rank[pid] / 1000 if power.powered[pid] and pid not in power.partly else None,
                     "mean_power_w": watts})
    return rows


def jobs(events, power):
    found = collections.defaultdict(list)
    for event in filter(is_kernel, events):
        found[event["pid"], event["args"]["jobname"]].append(event)
    rows, names = [], []
    loops = iterations(events, names)
    for (pid, name), own in found.items():
        lengths = [row["length_us"] for row, job in zip(loops, names)
                   if row["counted"] and row["rank"] == str(pid) and job == name]
        start, end, busy = min(e["ts"] for e in own), max(map(end_of, own)), math.fsum(e["dur"] for e in own)
        rows.append({"rank": str(pid), "job": name, "start_us": start, "end_us": end, "kernels": len(own),
                     "busy_us": busy, "idle_us": end - start - busy, "elapsed_us": end - start,
                     "kernels_per_s": 1e6 * len(own) / (end - start),
                     "energy_mj": power.of(pid, own, skip=(math.inf,)), "iterations": len(lengths),
                     "iteration_us": statistics.median(lengths) if lengths else None})
    return rows


def ideal_cycles(log):
    """Of a compiler's log with one table: by name of the kernel's events the cycles and the category."""
    rows = {}
    for name, cycles in re.findall(r"^([\w-]+) +(\d+) *\r?$", log, re.MULTILINE):
        kernel, mark, category = name.partition("-opCat")
        if not mark and name.endswith("-NA"):
            kernel, category = name[:-3], "NotAvailable"
        if name != "Total":
            rows.setdefault(kernel + " Cmpt Exec", (int(cycles), category or "Total"))
    return rows


def name_in_tables(event):
    """Kernels of torch traces have the number of their name in an argument."""
    name = event["name"].replace("[N]", str(event["args"].get("fn_idx", "[N]")))
    return name if is_flex_kernel(event) else name + " Cmpt Exec"


def categories(events, logs, core_mhz):
    """Rows by rank and category, of any order. Logs: one for all ranks, or one for each; none says its phase."""
    tables, found = [ideal_cycles(log) for log in logs], {}
    for event in filter(is_kernel, events):
        pid = event["pid"]
        table = tables[pid if len(tables) > 1 else 0]
        for category in ["Total", "StcdpHbm", "other"] + [category for _, category in table.values()]:
            found.setdefault((pid, category), {"calls": 0, "time_us": 0.0, "ideal_us": 0.0})
        cycles, category = table.get(name_in_tables(event), (0, "other"))
        ideal = cycles / core_mhz
        for row in (found[pid, category], found[pid, "Total"]):
            row["calls"] += 1
            row["time_us"] += event["dur"]
            row["ideal_us"] += ideal if ideal <= event["dur"] else 0
    return [{"rank": str(pid), "phase": "UNKN", "category": category, **row, "ideal_cycles": row["ideal_us"] * core_mhz,
             "use_percent": 100 * row["ideal_us"] / row["time_us"] if row["time_us"] else 0.0}
            for (pid, category), row in found.items()]
