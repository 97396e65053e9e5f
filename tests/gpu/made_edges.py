"""made_edges.py: what `analyze gpu` says at limits and ties: equal times, equal totals, arguments that are absent or of
another kind, calls and collectives that have no other half. Times are in us in the events, in ns in the answers."""
import json
import math

from made_native import write_kinds

TOP = 2 ** 63 - 1


def near(found, expected):
    return found is not None and math.isclose(found, expected)


def mark(x, name, ts, dur, category="user_annotation"):
    return x(category, name, 100, 1, ts, dur)


# ---- idle time -------------------------------------------------------------------------------------------------------

def names_around_gaps(place, check, x, kernel, launch):
    """The last to start of those that end where a gap begins; of those that start at its end the first with a call and
    a length, or the last where none has a call; one without a length inside ends none. Halves of a gap: the earlier cause
    of the two."""
    found = place.of([kernel("a", 0, 10), kernel("b", 5, 5, stream=8), kernel("c", 6, 2, stream=9),
                      kernel("inside", 12, 0, stream=8), launch(13, 2, 1), launch(13, 2, 2), kernel("uncalled", 20, 5),
                      kernel("first", 20, 5, stream=8, correlation=1),
                      kernel("second", 20, 5, stream=9, correlation=2), kernel("no length", 30, 0, stream=8),
                      kernel("d", 30, 5), kernel("e", 30, 5, stream=9)])["gaps"]
    check([(g["start_ns"], g["length_ns"], g["before"], g["after"], g["cause"]) for g in found] ==
          [(10000, 10000, "b", "first", "host-bound"), (25000, 5000, "second", "e", "other")], f"around gaps: {found}")
    # "queued" waits from 15 on, for half of the gap before what nobody called.
    found = place.of([kernel("a", 0, 10), launch(14, 1, 1), kernel("b", 20, 5), kernel("queued", 30, 5, correlation=1)])
    check([(g["kernel_wait_ns"], g["other_ns"], g["cause"]) for g in found["gaps"]] ==
          [(5000, 5000, "kernel wait"), (5000, 0, "kernel wait")], f"halves of a gap: {found['gaps']}")


def gaps_of_one_length(place, check, x, kernel, launch):
    """The earliest of those that are equally long, of each device; the longest of all come first."""
    events = [kernel("k", 10 * i, 5, device=device) for i in range(24) for device in (1, 0)]
    found = place.of(events)["gaps"]
    expected = [(d, 1000 * (10 * i + 5)) for i in range(20) for d in (0, 1)]
    check([(g["device"], g["start_ns"]) for g in found] == expected,
          f"equal gaps: {[(g['device'], g['start_ns']) for g in found]}")


def hosts_without_thread(place, check, x, kernel, launch):
    """An operator of no thread is not what the host did when no call tells the thread; nor is one that never ended."""
    scope = {"cat": "cpu_op", "name": "of no thread", "id": 5, "pid": 100}
    events = [dict(scope, ph="b", ts=1), dict(scope, ph="e", ts=60), kernel("a", 0, 10), kernel("b", 20, 5),
              dict(ph="B", cat="cpu_op", name="open", pid=100, tid=1, ts=2), launch(28, 1, 1),
              kernel("c", 35, 5, correlation=1), mark(x, "thread", 1, 70, "python_function")]
    found = {g["start_ns"]: (g["host_operator"], g["python_function"]) for g in place.of(events)["gaps"]}
    check(found == {10000: (None, None), 25000: (None, "thread")}, f"no thread: {found}")


# ---- what is what ----------------------------------------------------------------------------------------------------

def kinds_of_slices(place, check, x, kernel, launch):
    """Stages: memcpy and memset by name; with a device from PyTorch what computes or has a grid. Without categories:
    what has a correlation, and device and stream besides."""
    path = place.path("kinds.pftrace")
    write_kinds(path)
    found = place.ask(path)
    check([(r["name"], r["kind"], r["calls"], r["bytes"]) for r in found["memcpy"]] ==
          [("Memset (Device)", "memset", 1, 300), ("Memcpy HtoD", "memcpy", 1, None)], f"stages: {found['memcpy']}")
    check(sorted(r["name"] for r in found["kernels"]) == ["computes", "has a grid"], f"stages: {found['kernels']}")
    rows = [("work", {"device": 0, "stream": 7, "correlation": 1}),
            ("Memset", {"device": 0, "stream": 7, "correlation": 2}),
            ("no stream", {"device": 0, "correlation": 1}), ("no device", {"stream": 7, "correlation": 2}),
            ("nothing", {"device": 0, "stream": 7}), ("Mem", {"device": 0, "stream": 7, "correlation": 3})]
    events = [{"ph": "X", "name": name, "pid": 0, "tid": i, "ts": 10 * i, "dur": 5, "args": args}
              for i, (name, args) in enumerate(rows)]
    found = place.of(events)
    check([(r["name"], r["calls"]) for r in found["kernels"]] == [("work", 1), ("Mem", 1)],
          f"no category: {found['kernels']}")
    check([(r["name"], r["kind"]) for r in found["memcpy"]] == [("Memset", "memset")], f"no category: {found['memcpy']}")
    check([(r["launches"], r["events_without_call"]) for r in found["launches"]] == [(2, 1)],
          f"no category: {found['launches']}")


def ranks_of_documents(place, check, x, kernel, launch):
    """Only an object with a whole number says a rank."""
    for info, rank in (({"rank": 3}, 3), ({"rank": -2}, -2), ({"rank": "3"}, None), ({"rank": 1.5}, None),
                       ({"world": 2}, None), ([1], None), (7, None)):
        path = place.path("info.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "distributedInfo": info,
                       "traceEvents": [kernel("k", 0, 1)]}, file)
        found = place.ask(path)["devices"][0]["rank"]
        check(found == rank, f"rank of {info}: {found}")


# ---- tables ----------------------------------------------------------------------------------------------------------

def equal_totals(place, check, x, kernel, launch):
    """Rows with equal totals stand in the order in which the trace named them."""
    names = ["m", "z", "a", "k", "b"]
    copies = [x("gpu_memcpy", f"Memcpy {name}", 0, 7, 100 + 10 * i, 5, device=0, stream=7)
              for i, name in enumerate(names)]
    sends = [kernel("ncclX", 200 + 10 * i, 5, **{"Collective name": "allreduce", "In msg nelems": n, "dtype": "Float",
                                                 "Group size": 2}) for i, n in enumerate((9, 2, 5, 7, 1))]
    found = place.of([kernel(name, 10 * i, 5) for i, name in enumerate(names)] + copies + sends)
    check([r["name"] for r in found["kernels"]] == ["ncclX"] + names, f"ties: {[r['name'] for r in found['kernels']]}")
    check([r["name"] for r in found["memcpy"]] == [f"Memcpy {name}" for name in names], f"ties: {found['memcpy']}")
    check([r["bytes"] for r in found["collectives"]] == [36, 8, 20, 28, 4], f"ties: {found['collectives']}")


def bytes_of_copies(place, check, x, kernel, launch):
    """Sums beyond 64 bits stay at the largest; what has no length has no bandwidth; bytes below 0 are none."""
    copy = lambda name, ts, dur, size: x("gpu_memcpy", name, 0, 7, ts, dur, device=0, stream=7, bytes=size)
    found = {r["name"]: (r["bytes"], r["bandwidth_gb_per_s"]) for r in place.of(
        [copy("much", 0, 5, TOP), copy("much", 5, 5, TOP), copy("much", 10, 5, TOP), copy("instant", 20, 0, 10),
         copy("below", 30, 5, -1), copy("none", 40, 5, 0)])["memcpy"]}
    check(found["much"][0] == TOP and near(found["much"][1], (2 ** 64 - 1) / 15000), f"much: {found['much']}")
    check(found["instant"] == (10, None) and found["below"] == (None, None) and found["none"] == (0, 0.0),
          f"bytes: {found}")


# By NCCL's own tests: bus bandwidth over algorithm bandwidth for n ranks; the size is that of the result where the last
# is true. https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
KINDS = [("allreduce", "all_reduce", lambda n: 2 * (n - 1) / n, False),
         ("_allgather_base", "all_gather", lambda n: (n - 1) / n, True),
         ("reduce_scatter", "reduce_scatter", lambda n: (n - 1) / n, False),
         ("ALLTOALL", "all_to_all", lambda n: (n - 1) / n, False),
         ("broadcast", "broadcast", lambda n: 1, False), ("SendRecv", "send_recv", lambda n: 1, False),
         ("send", "send", lambda n: 1, False), ("recv", "recv", lambda n: 1, True),
         ("reduce", "reduce", lambda n: 1, False),
         ("gather", "gather", lambda n: 1, True), ("scatter", "scatter", lambda n: 1, False),
         ("barrier", "barrier", lambda n: 1, False)]
SIZES = {"Byte": 1, "Char": 1, "Bool": 1, "Short": 2, "Half": 2, "BFloat16": 2, "Int": 4, "Float": 4, "ComplexHalf": 4,
         "Long": 8, "Double": 8, "UInt16": 2, "UInt32": 4, "UInt64": 8, "ComplexFloat": 8, "ComplexDouble": 16,
         "Float8_e4m3fn": 1, "Float8": None, "float": None, "Floats": None}


def kinds_of_collectives(place, check, x, kernel, launch):
    said = lambda name, **more: dict({"Collective name": name, "In msg nelems": 1000, "Out msg nelems": 500,
                                      "Group size": 4, "dtype": "Float"}, **more)
    events = [kernel("ncclX", 20 * i, 10, **said(name)) for i, (name, *_) in enumerate(KINDS)]
    found = {r["kind"]: r for r in place.of(events)["collectives"]}
    for _, kind, factor, by_output in KINDS:
        row, size = found.get(kind, {}), 2000 if by_output else 4000
        check(row.get("bytes") == size and near(row.get("algorithm_bandwidth_gb_per_s"), size / 10000)
              and near(row.get("bus_bandwidth_gb_per_s"), factor(4) * size / 10000), f"collective {kind}: {row}")
    # The name of the kernel where nothing else says it; no more than its first 256 letters.
    for name, kind in (("ncclDevKernel_All_Reduce", "all_reduce"), ("nccl_what", "other"),
                       ("nccl" + "x" * 252 + "barrier", "other"),
                       ("nccl" + "_" * 300 + "barrier", "barrier"), ("nccl" + "x" * 245 + "barrier", "barrier")):
        row = place.of([kernel(name, 0, 5)])["collectives"][0]
        check(row["kind"] == kind and row["bus_bandwidth_gb_per_s"] is None, f"collective {name}: {row}")
    events = [kernel("ncclX", 20 * i, 10, **said("allreduce", dtype=name)) for i, name in enumerate(SIZES)]
    found = {r["type"]: r["bytes"] for r in place.of(events)["collectives"]}
    check(found == {name: size and 1000 * size for name, size in SIZES.items()}, f"sizes of elements: {found}")
    odd = {"alone": {"Group size": 1}, "no ranks": {"Group size": 0}, "below": {"Group size": -1},
           "no elements": {"In msg nelems": 0}, "minus": {"In msg nelems": -1}, "too many": {"In msg nelems": TOP}}
    events = [kernel("ncclX", 20 * i, 10, **said("allreduce", **dict(more, **{"Process Group Name": name})))
              for i, (name, more) in enumerate(odd.items())]
    events.append(kernel("ncclX", 200, 0, **said("allreduce", **{"Process Group Name": "no time"})))
    found = {r["group"]: (r["bytes"], r["ranks"], r["algorithm_bandwidth_gb_per_s"], r["bus_bandwidth_gb_per_s"])
             for r in place.of(events)["collectives"]}
    check(found == {"alone": (4000, 1, 0.4, 0.0), "no ranks": (4000, 0, 0.4, None), "below": (4000, None, 0.4, None),
                    "no elements": (0, 4, 0.0, 0.0), "minus": (None, 4, None, None), "too many": (None, 4, None, None),
                    "no time": (4000, 4, None, None)}, f"odd collectives: {found}")


def operators_of_one_time(place, check, x, kernel, launch):
    """By device time, then in the order in which the trace named them, and their shapes."""
    rows = [("q", [1]), ("b", [8]), ("q", [0]), ("m", [7])]
    events = []
    for i, (name, dims) in enumerate(rows):
        events += [x("cpu_op", name, 100, 1, 10 * i, 5, **{"Input Dims": dims}), launch(10 * i + 1, 1, i + 1),
                   kernel("k", 100 + 10 * i, 4 if name == "q" else 8, correlation=i + 1)]
    found = [r["name"] for r in place.of(events)["operators"]]
    check(found == ["q", "b", "m"], f"equal operators: {found}")
    found = [(r["name"], r["shapes"]) for r in place.of(events, "--by-shape")["operators"]]
    check(found == [("b", "[8]"), ("m", "[7]"), ("q", "[1]"), ("q", "[0]")], f"equal operators with shapes: {found}")


# ---- launches --------------------------------------------------------------------------------------------------------

def numbers_of_calls(place, check, x, kernel, launch):
    """Numbers that do not ascend, 0, that come twice (the first call has them), that no call has."""
    events = [launch(0, 1, 5), launch(2, 1, 3), launch(4, 1, 5), launch(6, 1, 0), launch(8, 1, 9),
              kernel("a", 20, 1, correlation=5), kernel("b", 30, 1, correlation=3), kernel("c", 40, 1, correlation=0),
              kernel("d", 50, 1, correlation=7), kernel("e", 60, 1, correlation=9)]
    row = place.of(events)["launches"][0]
    check((row["launches"], row["events_without_call"], row["delay_min"], row["delay_max"], row["delay_mean"]) ==
          (3, 2, 20000, 52000, 33333), f"numbers: {row}")
    # Ascending, with holes: what is between, before and after them belongs to none.
    events = [launch(2 * i, 1, 10 * i + 10) for i in range(12)]
    asked = [20, 15, 120, 5, 10, 125, 110, 60, 55]
    events += [kernel("k", 100 + 10 * i, 1, correlation=n) for i, n in enumerate(asked)]
    row = place.of(events)["launches"][0]
    delays = [100 + 10 * i - 2 * (n // 10 - 1) for i, n in enumerate(asked) if n % 10 == 0]
    check((row["launches"], row["events_without_call"], row["delay_min"], row["delay_max"]) ==
          (5, 4, 1000 * min(delays), 1000 * max(delays)), f"holes: {row}, {delays}")


def work_of_graphs(place, check, x, kernel, launch):
    """A call is compared with all that it launched; the first to start of that sets its delay, wherever it ran."""
    row = place.of([launch(0, 6, 1), kernel("a", 10, 3, correlation=1), kernel("b", 13, 3, correlation=1),
                    kernel("alone", 30, 3, correlation=2), launch(20, 4, 2), launch(40, 6, 3),
                    kernel("c", 50, 2, correlation=3), kernel("d", 48, 3, correlation=3)])["launches"][0]
    # 6 us against 6; 4 against 3; 6 against 5.
    check((row["launches"], row["graph_launches"], row["shorter_than_launch"], row["shorter_than_launch_ns"],
           row["delay_min"], row["delay_max"]) == (3, 2, 2, 8000, 8000, 10000), f"graphs: {row}")


# ---- memory ----------------------------------------------------------------------------------------------------------

def memory_of_others(place, check, x, kernel, launch):
    """Of the host, of a device that is not there, without a device or a type: not drawn."""
    def memory(ts, **args):
        event = x("cpu_instant_event", "[memory]", 100, 1, ts, 0, **args)
        del event["dur"]
        return dict(event, ph="i", s="t")

    on = {"Device Id": 0, "Device Type": 1}
    path, drawn = place.path("memory.json"), place.path("memory.pftrace")
    path = place.write([kernel("k", 0, 5), memory(1, **on, **{"Total Allocated": 1}),
                        memory(2, **on, **{"Total Allocated": 0}),
                        memory(3, **{"Device Id": 0, "Device Type": 0, "Total Allocated": 2}),
                        memory(4, **{"Device Id": 5, "Device Type": 1, "Total Allocated": 3}),
                        memory(5, **{"Device Type": 1, "Total Allocated": 4}),
                        memory(6, **{"Device Id": 0, "Total Allocated": 5}),
                        memory(7, **on, **{"Total Allocated": -1}), memory(8, **on)])
    place.run("-q", path, "-o", drawn)
    found = place.query(drawn, "SELECT t.name, c.ts, c.value FROM counter c JOIN track t ON t.id = c.track_id "
                        "WHERE t.name LIKE '%memory%' ORDER BY c.ts")
    check(found == [["memory allocated", "1000", "1.0"], ["memory allocated", "2000", "0.0"]],
          f"memory: {found}")


# ---- steps -----------------------------------------------------------------------------------------------------------

def chosen_steps(place, check, x, kernel, launch):
    """The first of the steady steps whose length is nearest to their median, or the first that has the number."""
    def steps(lengths, numbers):
        at, events = 0, [kernel("k", 9000, 1)]
        for length, number in zip(lengths, numbers):
            events.append(mark(x, f"ProfilerStep#{number}", at, length))
            at += length
        return events

    for lengths, chosen in (((110, 100, 90, 100), 2), ((100, 100, 100), 1), ((90, 99, 103), 2), ((90, 105, 102), 3),
                            ((500, 90, 110), 2)):
        found = place.of(steps(lengths, (1, 2, 3, 4)))["critical_path"]
        check({r["step"] for r in found} == {chosen}, f"chosen of {lengths}: {found}")
    found = place.of(steps((10, 20, 30, 40), (7, 8, 8, 9)), "--critical-step", "8")["critical_path"]
    check([(r["start_ns"], r["end_ns"]) for r in found] == [(10000, 30000)], f"chosen by number: {found}")


def names_of_steps(place, check, x, kernel, launch):
    """ProfilerStep# and up to 18 digits; annotations with a length; of the device only where the host has none."""
    names = ["ProfilerStep#", "ProfilerStep#1x", "ProfilerStep#x", "ProfilerStep# 1", "ProfilerStep#-1",
             "profilerStep#1", "ProfilerStep#" + "1" * 19, "ProfilerStep#12", "ProfilerStep#" + "9" * 18,
             "ProfilerStep#:", "ProfilerStep#/"]
    events = [mark(x, name, 10 * i, 10) for i, name in enumerate(names)] + [kernel("k", 0, 1)]
    events += [mark(x, "ProfilerStep#5", 300, 0), mark(x, "ProfilerStep#6", 310, 10, "cpu_op"),
               mark(x, "ProfilerStep#7", 320, 10, "gpu_user_annotation")]
    found = place.of(events)
    check([(r["step"], r["host_start_ns"]) for r in found["steps"]] == [(12, 70000), (10 ** 18 - 1, 80000)],
          f"names: {found['steps']}")
    check(found["step_summary"][0]["source"] == "annotation", "names: source")
    # With a pattern operators, functions and other slices count, too, but no calls and no device work.
    events = [mark(x, "step", 10, 10, "cpu_op"), mark(x, "a step", 20, 10, "python_function"),
              mark(x, "step", 30, 10, "any"),
              launch(40, 10, 1, "step"), kernel("step", 50, 10), mark(x, "step", 60, 10), mark(x, "stop", 70, 10)]
    found = place.of(events, "--step-annotation", "step$")["steps"]
    check([(r["step"], r["host_start_ns"]) for r in found] == [(0, 10000), (1, 20000), (2, 30000), (3, 60000)],
          f"pattern: {found}")
    check(place.of(events, "--step-annotation", "none of them")["steps"] == [], "pattern: of no slice")
    found = place.of([mark(x, "ProfilerStep#7", 20, 10, "gpu_user_annotation"), kernel("k", 0, 1)])["step_summary"][0]
    check((found["source"], found["steps"]) == ("device annotation", 1), f"device annotation: {found}")


def limits_of_marks(place, check, x, kernel, launch):
    """Warm-up ends at a fifth above the median and at half of all; outliers are of five steps or more, beyond 4.4478
    median distances and a twentieth of the median."""
    for lengths, marks in (((120, 100, 100), "sss"), ((121, 100, 100), "wss"), ((300, 300, 100, 100), "wwss"),
                           ((300, 300, 300, 100, 100), "sssoo"), ((100, 100, 200, 100), "ssss"),
                           ((100, 100, 105, 100, 100), "sssss"), ((100, 100, 106, 100, 100), "ssoss"),
                           ((100, 100, 94, 100, 100), "ssoss"),
                           ((990, 1010, 1000, 990, 1010, 1000, 955), "sssssss"),
                           ((980, 1020, 1000, 980, 1020, 1088, 1000), "sssssss"),
                           ((980, 1020, 1000, 980, 1020, 1089, 1000), "sssssos")):
        at, events = 0, [kernel("k", 9000, 1)]
        for i, length in enumerate(lengths):
            events.append(mark(x, f"ProfilerStep#{i}", at, length))
            at += length
        found = "".join(r["mark"][0] for r in place.of(events)["steps"])
        check(found == marks, f"marks of {lengths}: {found}")


# ---- ranks -----------------------------------------------------------------------------------------------------------

def ranks_in_groups(place, check, x, kernel, launch):
    """Clocks: 0, 1000 and 500 us ahead. Common times: all start at 10, 14, 12 and end at 30; 60, 55, 60 and 70; 82, 84,
    83 and 90; the second and third alone at 40, 43 and 50. At 60 two are last, and so none. What one rank did alone, and what is sent between two, is no
    collective."""
    common = {"Collective name": "allreduce", "In msg nelems": 10, "dtype": "Float", "Group size": 3,
              "Process Group Name": "all", "Process Group Ranks": "[0, 1, 2]"}
    pair = dict(common, **{"Process Group Name": "pair", "Process Group Ranks": "[1, 2]", "Group size": 2})
    paths = []
    for rank, (clock, starts) in enumerate([(0, (10, 60, 82)), (1000, (14, 55, 84)), (500, (12, 60, 83))]):
        # The first is on another device, the devices of a rank in the order of their numbers.
        events = [kernel("ncclX", clock + start, end - start, device=1 - k if k < 2 else 0, **common)
                  for k, (start, end) in enumerate(zip(starts, (30, 70, 90)))]
        if rank:
            events.append(kernel("ncclX", clock + (40, 43)[rank - 1], (10, 7)[rank - 1], **pair))
        else:
            events.append(kernel("ncclX", 75, 1, **dict(common, **{"Process Group Name": "alone"})))
        events += [kernel("ncclX", clock + 100, 5, **dict(common, **{"Collective name": name}))
                   for name in ("send", "recv", "sendrecv")]
        paths.append(place.write(events, rank))
    found = place.ask(*paths)
    check([(r["group"], r["number"], r["inputs"], r["start_ns"], r["recorded_spread_ns"], r["recorded_last_rank"],
            r["spread_ns"], r["last_rank"], r["behind_ns"], r["lost_ns"]) for r in found["stragglers"]] ==
          [("all", 0, 3, 14000, 1004000, 1, 4000, 1, 2000, 6000), ("pair", 0, 2, 43000, 497000, 1, 3000, 2, 3000, 3000),
           ("all", 1, 3, 60000, 995000, 1, 5000, None, 0, 5000), ("all", 2, 3, 84000, 1002000, 1, 2000, 1, 1000, 3000)],
          f"groups: {found['stragglers']}")
    check([(r["devices"], r["collectives"], r["clock_offset"], r["clock_offset_error"], r["last"], r["caused_ns"],
            r["waited_ns"]) for r in found["ranks"]] ==
          [(2, 3, 0, 0, 0, 0, 6000), (2, 4, 1000000, 0, 2, 9000, 8000), (2, 4, 500000, 0, 1, 3000, 3000)],
          f"groups: {found['ranks']}")
    # What the first one takes no part in says nothing of clocks, however often: ends of pairs are 20 us apart.
    paths = [place.write([kernel("ncclX", clock + 20, 10, **common)] +
                         [kernel("ncclX", clock + 50 * rank + at, 10, **pair) for at in (40, 60, 80) if rank], rank)
             for rank, clock in enumerate((0, 1000, 500))]
    found = [(r["clock_offset"], r["clock_offset_error"], r["collectives"]) for r in place.ask(*paths)["ranks"]]
    check(found == [(0, 0, 1), (1000000, 0, 4), (500000, 0, 4)], f"clocks of pairs: {found}")
    # Ends that are 1000, 1004 and 1006 us apart: the middle one, and the middle of how far they are from it.
    paths = [place.write([kernel("ncclX", ends - 5, 5, **common) for ends in of_rank], rank)
             for rank, of_rank in enumerate(((10, 20, 30), (1010, 1024, 1036)))]
    found = place.ask(*paths)["ranks"][1]
    check((found["clock_offset"], found["clock_offset_error"]) == (1004000, 2000), f"clocks: {found}")


def classes_in_steps(place, check, x, kernel, launch):
    """Of a collective in [10, 40) kernels in [20, 30) and [35, 60) hide 15 us; all three belong to the step in
    which they start, the last one whole."""
    found = place.of([mark(x, "ProfilerStep#1", 0, 38), mark(x, "ProfilerStep#2", 38, 62),
                      kernel("ncclX", 10, 30, stream=8), kernel("a", 20, 10), kernel("b", 35, 25),
                      x("gpu_memset", "Memset", 0, 7, 70, 5, device=0, stream=7)])["steps"]
    columns = ("busy_ns", "idle_ns", "compute_ns", "communication_ns", "memory_ns", "overlap_ns",
               "exposed_communication_ns", "events")
    check([[row[name] for name in columns] for row in found] ==
          [[50000, 0, 35000, 30000, 0, 15000, 15000, 3], [5000, 0, 0, 0, 5000, 0, 0, 1]],
          f"steps: {[[row[name] for name in columns] for row in found]}")


def faults_of_patterns(place, check, x, kernel, launch):
    """A pattern that is none: the place is counted from 1, and is where the fault was seen, here at the end."""
    done = place.run(place.write([kernel("k", 0, 1)]), "--step-annotation", "ab(")
    check(done.returncode == 2 and b"--step-annotation: missing closing parenthesis, at character 4" in done.stderr,
          f"pattern: {done.stderr}")


def parts_of_a_large_trace(place, check, x, kernel, launch):
    """Threads read the arguments of parts of the trace. Here each part has devices and streams that no other has, the
    highest first, and some that others have; every second kernel has a launch."""
    events, expected, launched = [], {}, {}
    for i in range(42000):
        device, stream = 5 - i // 7000, 90 - i // 3000 if i % 3 else 7
        pair = {"correlation": i + 1} if i % 2 else {}
        events += [launch(10 * i + 5, 1, i + 1)] if i % 2 else []
        events += [kernel("k", 10 * i + 8, 1 + i % 2, stream=stream, device=device, **pair)]
        place_of = expected.setdefault((device, stream), [0, 0])
        place_of[0] += 1
        place_of[1] += 1000 * (1 + i % 2)
        launched[device] = launched.get(device, 0) + i % 2
    path = place.write(events)
    for jobs in ("1", "2", "5"):
        found = place.ask(path, "--jobs", jobs)
        rows = [(d["device"], s["stream"], [s["events"], s["busy_ns"]]) for d in found["devices"] for s in d["streams"]]
        check(rows == [(*at, sums) for at, sums in sorted(expected.items())], f"streams of parts, {jobs} jobs: {rows}")
        rows = {row["device"]: row["launches"] for row in found["launches"]}
        check(rows == launched, f"launches of parts, {jobs} jobs: {rows}")


CASES = [names_around_gaps, gaps_of_one_length, hosts_without_thread, kinds_of_slices, ranks_of_documents, equal_totals,
         bytes_of_copies, kinds_of_collectives, operators_of_one_time, numbers_of_calls, work_of_graphs,
         memory_of_others, chosen_steps, names_of_steps, limits_of_marks,
         ranks_in_groups, classes_in_steps, faults_of_patterns, parts_of_a_large_trace]


def check_edges(place, check, x, kernel, launch):
    for case in CASES:
        case(place, check, x, kernel, launch)
