"""made_drawings.py: what `analyze gpu -o` draws into a trace made by hand: every row in its order with unit and text,
every slice with its arguments, every sample. Times are in us in the events, in ns in the answers."""

ROWS = """SELECT t.name, p.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS place,
    extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS share,
    length(extract_arg(t.source_arg_set_id, 'description')) > 40 AS explained
    FROM track t LEFT JOIN track p ON p.id = t.parent_id WHERE t.name LIKE 'GPU%' ORDER BY p.name, place"""
SLICES = """SELECT t.name, s.name, s.ts, s.dur, a.key, a.display_value FROM slice s JOIN track t ON t.id = s.track_id
    LEFT JOIN args a USING (arg_set_id) WHERE s.category = 'postfetto.gpu' ORDER BY t.name, s.ts, a.id"""
SAMPLES = """SELECT t.unit, c.ts, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id
    WHERE t.name = '{}' ORDER BY c.ts"""


def memory(x, ts, device, **args):
    event = x("cpu_instant_event", "[memory]", 100, 1, ts, 0, **{"Device Id": device, "Device Type": 1, **args})
    del event["dur"]
    return dict(event, ph="i", s="t")


def make_events(x, kernel, launch):
    """Two steps that overlap. Device 0 works in [10, 15), [30, 35), [40, 50) and [50.5, 51); the first two are called,
    at [0, 3) and [20, 23), and the copy follows them on their stream. "e" and "c" are called in the second step, and no
    operation waits for its call to return. Device 1 works in [0, 2)."""
    called = [launch(45, 0.25, 3, tid=2), launch(50, 0.5, 4, tid=2), launch(0, 0, 5)]
    return called + [x("user_annotation", "ProfilerStep#1", 100, 1, 0, 40),
            x("user_annotation", "ProfilerStep#2", 100, 2, 30, 40),
            launch(0, 3, 1), kernel("a", 10, 5, correlation=1), launch(20, 3, 2), kernel("b", 30, 5, correlation=2),
            x("gpu_memcpy", "Memcpy", 0, 7, 40, 10, device=0, stream=7, bytes=20000), kernel("e", 45, 1, stream=8, correlation=3),
            kernel("c", 50.5, 0.5, stream=8, correlation=4),
            kernel("d", 0, 2, device=1, correlation=5), memory(x, 5, 0, **{"Total Allocated": 123, "Total Reserved": 456}),
            memory(x, 6, 1, **{"Total Allocated": 7}), memory(x, 8, 0, **{"Total Allocated": 200})]


def rows_of(device, names):
    group = f"GPU {device}"
    shared = lambda name: "gpu memory" if name.startswith("memory") else ""
    return [[f"{group} {name}", group, str(i), shared(name), "1"] for i, name in enumerate(names)]


def step(row, name, ts, dur, percent, busy, period, host):
    values = (("busy %", percent), ("busy ns", busy), ("period ns", period), ("host start ns", host),
              ("host span ns", "40000"))
    return [[row, name, ts, dur, f"debug.{key}", value] for key, value in values]


def gap(name, ts, dur, host, waiting, other):
    keys = ("host-bound", host), ("kernel wait", waiting), ("other", other)
    return [["GPU 0 gaps", name, ts, dur, f"debug.{key} ns", value] for key, value in keys]


def check_drawings(place, check, x, kernel, launch):
    path, drawn = place.write(make_events(x, kernel, launch)), place.path("drawings.pftrace")
    done = place.run("-q", path, "-o", drawn)
    check(done.returncode == 0, f"drawings: {done.stderr.decode()}")
    rows = place.query(drawn, ROWS)
    groups = [[f"GPU {i}", "", str(i), "", "1"] for i in (0, 1)]
    check(rows == groups + rows_of(0, ["steps", "steps 2", "gaps", "busy", "queue depth", "copy bandwidth",
                                       "memory allocated", "memory reserved"])
          + rows_of(1, ["steps", "busy", "memory allocated"]), f"drawings: rows {rows}")
    # Device 0 works for 20 us in the first step, which lasts until the second one starts, in [45, 46) and [50.5, 51)
    # in the second. Device 1 does nothing in that. Between 15 and 30 nothing is queued
    # until the call of "b" has returned at 23; nobody calls the copy; the gap before "c" is shorter than 1 us.
    slices = place.query(drawn, SLICES)
    check(slices == gap("host-bound", "15000", "15000", "8000", "7000", "0")
          + gap("other", "35000", "5000", "0", "0", "5000")
          + step("GPU 0 steps", "1 warm-up", "10000", "40000", "50.0", "20000", "35000", "0")
          + step("GPU 0 steps 2", "2 steady", "45000", "6000", "25.0", "1500", "6000", "30000")
          + step("GPU 1 steps", "1 steady", "0", "2000", "100.0", "2000", "2000", "0"),
          f"drawings: slices {slices}")
    work = [(10, 15), (30, 35), (40, 50)]
    busy = [(at, 100.0 if any(start <= at < end for start, end in work) else 0.0) for at in range(10, 50)]
    busy += [(50, 50.0), (51, 0.0)]
    samples = {"GPU 0 busy": ("%", busy), "GPU 1 busy": ("%", [(0, 100.0), (1, 100.0), (2, 0.0)]),
               "GPU 0 queue depth": ("operations", [(3, 1.0), (10, 0.0), (23, 1.0), (30, 0.0)]),
               "GPU 0 copy bandwidth": ("GB/s", [(40, 2.0), (50, 0.0)]),
               "GPU 0 memory allocated": ("bytes", [(5, 123.0), (8, 200.0)]),
               "GPU 0 memory reserved": ("bytes", [(5, 456.0)]), "GPU 1 memory allocated": ("bytes", [(6, 7.0)])}
    for name, (unit, values) in samples.items():
        found = place.query(drawn, SAMPLES.format(name))
        check(found == [[unit, str(1000 * ts), str(value)] for ts, value in values], f"drawings: {name} {found}")
