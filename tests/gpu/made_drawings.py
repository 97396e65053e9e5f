"""made_drawings.py: what `analyze gpu -o` draws into traces made by hand: every row in its order with unit and text,
every slice with its arguments, every sample, every arrow. Times are in us in the events, in ns in the answers."""

TRACKS = """WITH drawn(id) AS (SELECT track_id FROM slice WHERE category = 'postfetto.gpu' AND name NOT LIKE 'late for %' UNION SELECT id FROM counter_track
    UNION SELECT t.parent_id FROM track t JOIN drawn USING (id) WHERE t.parent_id IS NOT NULL)
    SELECT t.name, p.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS place,
    extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS share,
    length(extract_arg(t.source_arg_set_id, 'description')) > 40 AS explained
    FROM track t LEFT JOIN track p ON p.id = t.parent_id WHERE t.id IN drawn
    ORDER BY p.name, CAST(place AS INT), t.name"""
SLICES = """SELECT p.name, t.name, s.name, s.ts, s.dur, s.arg_set_id FROM slice s JOIN track t ON t.id = s.track_id
    LEFT JOIN track p ON p.id = t.parent_id WHERE s.category = 'postfetto.gpu' ORDER BY p.name, t.name, s.ts"""
ARGS = "SELECT arg_set_id, key, coalesce(int_value, real_value, string_value) FROM args WHERE key LIKE 'debug.%'"
ARROWS = """SELECT a.name, a.ts, b.name, b.ts FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in
    WHERE a.category = 'postfetto.gpu' OR b.category = 'postfetto.gpu' ORDER BY a.ts"""
SAMPLES = """SELECT p.name, t.name, t.unit, c.ts, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id
    JOIN track p ON p.id = t.parent_id ORDER BY c.ts, c.id"""
LATE = """SELECT s.name, s.ts, s.dur, t.name, p.name, p.ts, p.category FROM slice s JOIN track t ON t.id = s.track_id
    LEFT JOIN slice p ON p.id = s.parent_id WHERE s.name LIKE 'late for %' OR t.name = 'late calls'"""
COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 1000, "Group size": 2, "dtype": "Float",
              "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}


def memory(x, ts, device, **args):
    event = x("cpu_instant_event", "[memory]", 100, 1, ts, 0, **{"Device Id": device, "Device Type": 1, **args})
    del event["dur"]
    return dict(event, ph="i", s="t")


def make_events(x, kernel, launch):
    """Two steps that overlap. Device 0 works in [10, 15), [30, 35), [40, 50) and [50.5, 51); the first two are called,
    at [0, 3) and [20, 23), and the copy follows them on their stream. "e" and "c" are called in the second step, and no
    operation waits for its call to return. Device 1 computes in [0, 2), communicates in [1, 4), copies in [3, 203)."""
    called = [launch(45, 0.25, 3, tid=2), launch(50, 0.5, 4, tid=2), launch(0, 0, 5)]
    return called + [x("user_annotation", "ProfilerStep#1", 100, 1, 0, 40),
            x("user_annotation", "ProfilerStep#2", 100, 2, 30, 40),
            x("python_function", "train.py: step", 100, 1, 2, 26), x("cpu_op", "aten::add", 100, 1, 21, 7),
            launch(0, 3, 1), kernel("a", 10, 5, correlation=1), launch(20, 3, 2), kernel("b", 30, 5, correlation=2),
            x("gpu_memcpy", "Memcpy", 0, 7, 40, 10, device=0, stream=7, bytes=20000),
            kernel("e", 45, 1, stream=8, correlation=3), kernel("c", 50.5, 0.5, stream=8, correlation=4),
            kernel("d", 0, 2, device=1, correlation=5), kernel("ncclAllReduce", 1, 3, stream=8, device=1),
            x("gpu_memcpy", "Memcpy", 1, 9, 3, 200, device=1, stream=9, bytes=400000),
            memory(x, 5, 0, **{"Total Allocated": 123, "Total Reserved": 456}),
            memory(x, 6, 1, **{"Total Allocated": 7}), memory(x, 8, 0, **{"Total Allocated": 200})]


def tracks_of(group, names, share=None, first=0):
    return [[name, group, str(first + i), share or "", "1"] for i, name in enumerate(names)]


def two_devices():
    """The rows of make_events, by the name of their group."""
    both = lambda *parts: [f"GPU {i}{part}" for i in (0, 1) for part in parts]
    groups = [["all GPUs", "", "0", "", "1"], ["GPU 0", "", "1", "", "1"], ["GPU 1", "", "2", "", "1"]]
    rows = groups + tracks_of("GPU 0", ["steps", "steps 2", "critical path", "exposed", "gaps"])
    rows += tracks_of("GPU 0", ["streams", "memory peak"], first=5) + tracks_of("GPU 1", ["steps", "exposed", "memory peak"])
    rows += tracks_of("all GPUs", ["time", "queue depth", "memcpy bandwidth", "memory"])
    rows += tracks_of("memcpy bandwidth", ["GPU 1"], "memcpy bandwidth")
    rows += tracks_of("memory", ["GPU 0 allocated", "GPU 0 reserved", "GPU 1 allocated"], "memory")
    rows += tracks_of("queue depth", ["GPU 0"], "queue depth")
    rows += tracks_of("streams", ["stream 7", "stream 8"])
    rows += tracks_of("time", ["GPU 0 compute", "GPU 0 memcpy", "GPU 1 compute", "GPU 1 exposed communication",
                               "GPU 1 memcpy"], "time")
    return rows


def shares(covered, start, end):
    """Samples of a share of time in windows of 1 us, of intervals that lie on whole or half us."""
    inside = lambda at: sum(max(0, min(at + 1, b) - max(at, a)) for a, b in covered)
    return [(at, 100.0 * inside(at)) for at in range(start, end)] + [(end, 0.0)]


def samples():
    counters = {("time", "GPU 0 compute"): ("%", shares([(10, 15), (30, 35), (45, 46), (50.5, 51)], 10, 51)),
                ("time", "GPU 0 memcpy"): ("%", shares([(40, 45), (46, 50)], 10, 51)),
                ("time", "GPU 1 compute"): ("%", shares([(0, 2)], 0, 203)),
                ("time", "GPU 1 exposed communication"): ("%", shares([(2, 4)], 0, 203)),
                ("time", "GPU 1 memcpy"): ("%", shares([(4, 203)], 0, 203)),
                ("queue depth", "GPU 0"): ("operations", [(3, 1.0), (10, 0.0), (23, 1.0), (30, 0.0)]),
                ("memcpy bandwidth", "GPU 1"): ("GB/s", [(3, 2.0), (203, 0.0)]),
                ("memory", "GPU 0 allocated"): ("bytes", [(5, 123.0), (8, 200.0)]),
                ("memory", "GPU 0 reserved"): ("bytes", [(5, 456.0)]),
                ("memory", "GPU 1 allocated"): ("bytes", [(6, 7.0)])}
    return {key: (unit, [(1000 * ts, value) for ts, value in values]) for key, (unit, values) in counters.items()}


def slices_of(place, drawn):
    """[(group, row, name, ts, dur, arguments)]"""
    args = {}
    for number, key, value in place.query(drawn, ARGS):
        args.setdefault(number, {})[key[len("debug."):]] = value
    return [(group, row, name, int(ts), int(dur), args.get(number, {}))
            for group, row, name, ts, dur, number in place.query(drawn, SLICES)]


def as_text(row, *without):
    """What a row of a table is as arguments."""
    return {key: value if isinstance(value, str) else str(value) for key, value in row.items()
            if value is not None and key not in without}


def same_arguments(given, expected):
    """Reals are drawn with four digits."""
    close = lambda a, b: a == b or abs(float(a) - float(b)) <= 0.0005 * abs(float(b))
    return set(given) == set(expected) and all(
        given[key] == expected[key] or ("percent" in key and close(given[key], expected[key])) for key in given)


def check_two_devices(place, check, x, kernel, launch):
    path, drawn = place.write(make_events(x, kernel, launch)), place.path("drawings.pftrace")
    done = place.run("-q", path, "-o", drawn)
    check(done.returncode == 0, f"drawings: {done.stderr.decode()}")
    found = place.query(drawn, TRACKS)
    check(found == two_devices(), f"drawings: rows {[pair for pair in zip(found, two_devices()) if pair[0] != pair[1]]}")
    document, slices = place.ask(path), slices_of(place, drawn)
    # Device 0 works for 20 us in the first step, which lasts until the second one starts, in [45, 46) and [50.5, 51)
    # in the second. Device 1 computes for 2 us in the first one, and nobody knows who launched the rest.
    steps = {(row["device"], row["step"]): row for row in document["steps"]}
    for device, row, number, name, start, length in ((0, "steps", 1, "1 warm-up", 10000, 40000),
                                                     (0, "steps 2", 2, "2 steady", 45000, 6000),
                                                     (1, "steps", 1, "1 steady", 0, 2000)):
        args = [s[5] for s in slices if s[:5] == (f"GPU {device}", row, name, start, length)]
        expected = dict(as_text(steps[device, number], "input", "rank", "device"), host_span_ns="40000")
        check(len(args) == 1 and same_arguments(args[0], expected), f"drawings: step {device} {number}: {args}, not {expected}")
    check(steps[0, 1]["busy_ns"] == 20000 and steps[0, 2]["busy_ns"] == 1500, "drawings: busy time of steps")
    # Between 15 and 30 nothing is queued until the call of "b" has returned at 23; nobody calls the copy; the gap before
    # "c" is shorter than 1 us.
    gaps = [s[2:] for s in slices if s[1] == "gaps"]
    check(gaps == [("host-bound", 15000, 15000,
                    {"host_bound_ns": "8000", "kernel_wait_ns": "7000", "other_ns": "0", "before": "a", "after": "b",
                     "host_operator": "aten::add", "python_function": "train.py: step"}),
                   ("other", 35000, 5000, {"host_bound_ns": "0", "kernel_wait_ns": "0", "other_ns": "5000",
                                           "before": "b", "after": "Memcpy"})], f"drawings: gaps {gaps}")
    # Stream 7 has the same, without what the host did; stream 8 waits for the call of "c" from 46 on.
    without_host = [(*gap[:3], {key: value for key, value in gap[3].items() if key not in ("host_operator", "python_function")})
                    for gap in gaps]
    streams = [(s[1], s[2:]) for s in slices if s[0] == "streams"]
    check(streams == [("stream 7", gap) for gap in without_host] + [
        ("stream 8", ("host-bound", 46000, 4500, {"host_bound_ns": "4500", "kernel_wait_ns": "0", "other_ns": "0",
                                                  "before": "e", "after": "c"}))], f"drawings: streams {streams}")
    calls = [s[2:] for s in slices if s[2].startswith("late for")]
    check(calls == [("late for GPU 0", 20001, 0, {"device": "GPU 0", "host_bound_ns": "8000", "launched": "b"})],
          f"drawings: late calls {calls}")
    inside = place.query(drawn, LATE)
    check(inside == [["late for GPU 0", "20001", "0", "", "cudaLaunchKernel", "20000", "cuda_runtime"]],
          f"drawings: a late call on the row of its thread: {inside}")
    arrows = place.query(drawn, ARROWS)
    check(arrows == [["host-bound", "15000", "late for GPU 0", "20001"]], f"drawings: arrows {arrows}")
    check([s[:5] for s in slices if s[1] == "exposed"] ==
          [("GPU 0", "exposed", "memcpy", 40000, 5000), ("GPU 0", "exposed", "memcpy", 46000, 4000),
           ("GPU 1", "exposed", "communication", 2000, 2000), ("GPU 1", "exposed", "memcpy", 4000, 199000)],
          f"drawings: exposed {[s for s in slices if s[1] == 'exposed']}")
    path_drawn = [s[2:] for s in slices if s[1] == "critical path"]
    expected = [(row["kind"], row["start_ns"], row["length_ns"], as_text(row, "input", "rank"))
                for row in document["critical_path"]]
    check(expected and path_drawn == expected, f"drawings: critical path {path_drawn}, not {expected}")
    given = {}
    for group, row, unit, ts, value in place.query(drawn, SAMPLES):
        given.setdefault((group, row), (unit, []))[1].append((int(ts), float(value)))
    for key in set(given) | set(samples()):
        check(given.get(key) == samples().get(key), f"drawings: {key} {given.get(key)}")


def check_crowded(place, check, x, kernel, launch):
    """No slice of the trace begins where the instant in a late call is: 1 ns after its start there is another one. Both streams wait
    for the call, whose second kernel comes after a gap, too."""
    path = place.write([launch(0, 3, 1), kernel("a", 10, 5, correlation=1), launch(20, 12, 2), x("cuda_driver", "inner", 100, 1, 20.001, 1),
                        kernel("b", 22, 2, correlation=2), kernel("c", 26, 5, correlation=2)])
    drawn = place.path("crowded.pftrace")
    place.run("-q", path, "-o", drawn)
    late = place.query(drawn, LATE)
    check(late == [["late for GPU 0", "20002", "0", "", "inner", "20001", "cuda_driver"],
                   ["late for GPU 0", "20003", "0", "", "inner", "20001", "cuda_driver"]], f"drawings: a crowded call: {late}")
    inner = place.query(drawn, "SELECT p.name, s.dur FROM slice s JOIN slice p ON p.id = s.parent_id WHERE s.name = 'inner'")
    check(inner == [["cudaLaunchKernel", "1000"]], f"drawings: what lies in a late call: {inner}")


def check_crossing(place, check, x, kernel, launch):
    """A late call that crosses another slice is on a lane beside its thread: what is said of it is on a row below the thread."""
    path = place.write([launch(0, 3, 1), kernel("a", 10, 5, correlation=1), x("cpu_op", "crossing", 100, 1, 18, 4), launch(20, 3, 2),
                        kernel("b", 30, 5, correlation=2)])
    drawn = place.path("crossing.pftrace")
    place.run("-q", path, "-o", drawn)
    late = place.query(drawn, LATE)
    check(late == [["cudaLaunchKernel", "20000", "0", "late calls", "", "", ""]], f"drawings: a call on a lane: {late}")
    arrows = place.query(drawn, ARROWS)
    check(arrows == [["host-bound", "15000", "cudaLaunchKernel", "20000"]], f"drawings: arrows to a lane {arrows}")


def check_cycles(place, check, kernel):
    """Four times two kernels, without annotations: cycles, unless they are steps. The path is that of one of them."""
    path = place.write([kernel(name, 100 * i + at, 10) for i in range(4) for name, at in (("a", 0), ("b", 20))])
    for options, row in ((), "cycles"), (("--step-pattern",), "steps"):
        drawn = place.path(f"{row}.pftrace")
        place.run("-q", path, "-o", drawn, *options)
        found = [s[:5] for s in slices_of(place, drawn) if s[1] in ("cycles", "steps")]
        check(found == [("GPU 0", row, f"{i} steady", 100000 * i, 30000) for i in range(4)], f"drawings: {row}: {found}")


def check_modules(place, check, x, kernel, launch):
    """Net holds A, which holds B, and C. Streams run at once: A with B works in [10, 30), C in [20, 40) on another stream, so that C is
    drawn on a second row, with D inside. E launches nothing that takes time; the backward pass lies in no module."""
    module = lambda name, ts, dur: x("python_function", f"nn.Module: {name}", 100, 1, ts, dur)
    path = place.write([module("Net", 0, 9), module("A", 0.5, 3), module("B", 1, 2), module("C", 4, 3), module("D", 5, 1), module("E", 7.5, 1),
                        launch(0.6, 0.1, 1), launch(1.1, 0.1, 2), launch(5.1, 0.1, 3), launch(6.1, 0.1, 4), launch(7.6, 0.1, 5), launch(9.5, 0.1, 6),
                        kernel("a", 10, 5, correlation=1), kernel("b", 16, 14, correlation=2), kernel("d", 20, 8, stream=8, correlation=3),
                        kernel("c", 30, 10, stream=8, correlation=4), kernel("e", 45, 0, correlation=5), kernel("back", 50, 9, correlation=6)])
    drawn = place.path("modules.pftrace")
    place.run("-q", path, "-o", drawn)
    nodes = {row["name"][len("nn.Module: "):]: row for row in place.ask(path)["module_tree"]}
    rows = place.query(drawn, """SELECT t.name, s.name, s.ts / 1000, s.dur / 1000, p.name, s.arg_set_id FROM slice s JOIN track t ON t.id = s.track_id
        LEFT JOIN slice p ON p.id = s.parent_id WHERE t.name LIKE 'modules%' ORDER BY s.ts, s.id""")
    check([row[:5] for row in rows] == [["modules", "Net", "10", "35", ""], ["modules", "A", "10", "20", "Net"], ["modules", "B", "16", "14", "A"],
                                        ["modules 2", "C", "20", "20", ""], ["modules 2", "D", "20", "8", "C"]], f"drawings: modules {rows}")
    args = {s[2]: s[5] for s in slices_of(place, drawn) if s[1].startswith("modules")}
    check(args == {name: {"node": str(nodes[name]["node"]), "launched": str(nodes[name]["launched"]), "device_ns": str(nodes[name]["device_ns"]),
                          "device_self_ns": str(nodes[name]["device_self_ns"]), "host_start_ns": start, "host_ns": str(nodes[name]["total_ns"])}
                   for name, start in (("Net", "0"), ("A", "500"), ("B", "1000"), ("C", "4000"), ("D", "5000"))}, f"drawings: modules {args}")
    check((nodes["Net"]["device_ns"], nodes["A"]["device_ns"], nodes["C"]["device_self_ns"]) == (37000, 19000, 10000), f"drawings: modules {nodes}")


def check_operators(place, check, x, kernel, launch):
    """"outer" calls "inner", and launches once itself; "idle" launches nothing. A graph of two kernels is one call."""
    drawn = place.path("operators.pftrace")
    place.run("-q", place.write([x("cpu_op", "outer", 100, 1, 0, 10), x("cpu_op", "inner", 100, 1, 1, 4), x("cpu_op", "idle", 100, 1, 8, 1),
                                 launch(2, 1, 1), launch(6, 1, 2), kernel("a", 20, 5, correlation=1), kernel("b", 30, 7, correlation=1),
                                 kernel("c", 40, 2, correlation=2)]), "-o", drawn)
    slices = [s[2:] for s in slices_of(place, drawn) if s[1] == "operators"]
    args = lambda *values: dict(zip(("launched", "device_ns", "device_self_ns", "host_start_ns", "host_ns"), values))
    check(slices == [("outer", 20000, 22000, args("3", "14000", "2000", "0", "10000")),
                     ("inner", 20000, 17000, args("2", "12000", "12000", "1000", "4000"))], f"drawings: operators {slices}")


def check_ranks(place, check, kernel):
    """The second clock is 1000 us behind. In common time collective 0 starts at 10 and 17 and ends at 30; collective 1
    starts at 50 and 45 and ends at 60."""
    paths = [place.write([kernel("ncclAllReduce", clock + start, end - start, stream=8, **COLLECTIVE)
                          for start, end in zip(starts, (30, 60))], rank)
             for rank, (clock, starts) in enumerate(((2000, (10, 50)), (1000, (17, 45))))]
    drawn = place.path("waits.pftrace")
    place.run("-q", *paths, "-o", drawn)
    document, slices = place.ask(*paths), slices_of(place, drawn)
    rows, ranks = [as_text(row) for row in document["stragglers"]], [s for s in slices if s[0] == "ranks"]
    check([s[:5] for s in ranks] == [("ranks", "rank 0", "rank 0", 2010000, 50000), ("ranks", "rank 1", "rank 1", 2017000, 43000)] and
          all(same_arguments(s[5], as_text(row, "input", "rank")) for s, row in zip(ranks, document["ranks"])), f"drawings: ranks {ranks}")
    group = lambda name: [s for s in slices if s[1] == name]
    check([s[:5] for s in group("collectives")] == [
        ("all ranks", "collectives", "0 all_reduce, rank 1 last", 2010000, 20000),
        ("all ranks", "collectives", "1 all_reduce, rank 0 last", 2045000, 15000)], f"drawings: {group('collectives')}")
    check([s[5] for s in group("collectives")] == rows, "drawings: arguments of collectives are rows of gpu_stragglers")
    check([s[:5] for s in group("waits")] == [("rank 0 GPU 0", "waits", "waits for rank 1", 2010000, 7000),
                                              ("rank 1 GPU 0", "waits", "waits for rank 0", 1045000, 5000)],
          f"drawings: {group('waits')}")
    check([s[5] for s in group("waits")] == [dict(rows[0], collective="0 all_reduce"),
                                             dict(rows[1], collective="1 all_reduce")], "drawings: arguments of waits")
    check([s[:5] for s in group("stragglers")] == [
        ("rank 0 GPU 0", "stragglers", "1 all_reduce, last by 5.0 us", 2050000, 0),
        ("rank 1 GPU 0", "stragglers", "0 all_reduce, last by 7.0 us", 1017000, 0)], f"drawings: {group('stragglers')}")
    tracks = place.query(drawn, TRACKS)
    check(all(row[4] == "1" for row in tracks), f"drawings: rows without a description: {tracks}")
    check(["rank 1 GPU 0 exposed communication", "time", "1", "time", "1"] in tracks, f"drawings: rows of ranks {tracks}")


def check_drawings(place, check, x, kernel, launch):
    check_two_devices(place, check, x, kernel, launch)
    check_crowded(place, check, x, kernel, launch)
    check_crossing(place, check, x, kernel, launch)
    check_cycles(place, check, kernel)
    check_modules(place, check, x, kernel, launch)
    check_operators(place, check, x, kernel, launch)
    check_ranks(place, check, kernel)
