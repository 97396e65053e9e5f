"""made_steps.py: steps by launch, and the pattern that kernels repeat, on traces made by hand. Times are in us in the
events, in ns in the answers."""
import math


def mark(x, name, ts, dur, tid=1, category="user_annotation"):
    return x(category, name, 100, tid, ts, dur)


def us(value):
    return None if value is None else round(1000 * value)


class Checks:
    """Rows of steps and of their summary, in us."""

    def __init__(self, place, check):
        self.place, self.check = place, check

    def rows(self, where, found, names, expected):
        rows = [tuple(row[name] for name in names) for row in found["steps"]]
        expected = [tuple(us(v) if name.endswith("_ns") else v for name, v in zip(names, row)) for row in expected]
        self.check(rows == expected, f"{where}: {rows}, not {expected}")

    def summary(self, where, found, **values):
        row = found["step_summary"][0]
        for key, value in values.items():
            value = us(value) if key.endswith("_ns") else value
            same = math.isclose(row[key], value) if isinstance(value, float) and row[key] else row[key] == value
            self.check(same, f"{where}: {key} is {row[key]}, not {value}")

    def events(self, where, found, counts, **summary):
        """Device events of each step, and what the summary counts."""
        self.check([row["events"] for row in found["steps"]] == counts,
                   f"{where}: events {[row['events'] for row in found['steps']]}, not {counts}")
        self.summary(where, found, **summary)


def host_runs_ahead(to, x, kernel, launch):
    """The host is done with three steps at 30, when the device is in the first; what is launched on the copy stream
    of the second step runs before the first has ended."""
    events = []
    for i, (compute, sent) in enumerate((((5, 25), (20, 45)), ((50, 60), (65, 85)), ((85, 105), (100, 125)))):
        events += [mark(x, f"ProfilerStep#{i + 7}", 10 * i, 10), launch(10 * i + 1, 1, 2 * i + 1),
                   launch(10 * i + 9.5, 2, 2 * i + 2, tid=2),
                   kernel("a", compute[0], compute[1] - compute[0], correlation=2 * i + 1),
                   kernel("ncclX", sent[0], sent[1] - sent[0], stream=8, correlation=2 * i + 2)]
    events += [launch(12, 1, 9), x("gpu_memcpy", "Memcpy", 0, 9, 44, 2, device=0, stream=9, correlation=9)]
    found = to.place.of(events, "--items-per-step", "4")
    to.rows("ahead", found, ("step", "name", "host_start_ns", "host_end_ns", "events", "start_ns", "end_ns"),
            [(7, "ProfilerStep#7", 0, 10, 2, 5, 45), (8, "ProfilerStep#8", 10, 20, 3, 44, 85),
             (9, "ProfilerStep#9", 20, 30, 2, 85, 125)])
    # The second step copies in [44, 46), computes in [50, 60) and sends in [65, 85).
    to.rows("ahead", found, ("span_ns", "period_ns", "busy_ns", "compute_ns", "communication_ns", "memory_ns", "idle_ns",
                             "overlap_ns", "exposed_communication_ns", "lag_ns"),
            [(40, 39, 40, 20, 25, 0, 0, 5, 20, 35), (41, 41, 32, 10, 20, 2, 9, 0, 20, 65),
             (40, 40, 40, 20, 25, 0, 0, 5, 20, 95)])
    to.summary("ahead", found, source="annotation", length="device period", steps=3, mean_ns=40, median_ns=40,
               items_per_second=100000.0, busy_percent=100 * 112 / 120, events_in_no_step=0, launches_in_no_step=0,
               events_by_stream=0, events_by_clock=0)


def launches_outside(to, x, kernel, launch):
    """A window holds its start and not its end. One call before, one at the end of the first, one after all."""
    steps = [mark(x, "ProfilerStep#1", 10, 10), mark(x, "ProfilerStep#2", 30, 10)]
    calls = [launch(5, 10, 1), launch(10, 1, 2), launch(20, 1, 3), launch(39.999, 5, 4), launch(40, 1, 5),
             launch(41, 1, 6)]
    kernels = [kernel("k", 50 + 10 * i, 5, correlation=i + 1) for i in range(5)]
    found = to.place.of(steps + calls + kernels)
    # The last call launched nothing.
    to.events("outside", found, [1, 1], events_in_no_step=3, launches_in_no_step=3, length="device period")
    done = to.place.run(to.place.write(steps + calls + kernels))
    to.check(b"steps (annotation): 2, 1 steady, median 5.0 us (device period), 3 device events in none\n" in done.stderr,
             f"outside: the line of steps: {done.stderr.decode()}")


def graphs(to, x, kernel, launch):
    """All kernels of a graph belong to the step of its one call, also where they run while the next step launches."""
    found = to.place.of([mark(x, "ProfilerStep#1", 0, 10), mark(x, "ProfilerStep#2", 10, 10),
                         launch(2, 1, 1, "cudaGraphLaunch"), launch(12, 1, 2, "cudaGraphLaunch")] +
                        [kernel("k", 5 + 3 * i, 2, stream=7 + i % 2, correlation=1 + i // 3) for i in range(6)])
    to.events("graphs", found, [3, 3], events_in_no_step=0)
    to.rows("graphs", found, ("start_ns", "end_ns", "period_ns"), [(5, 13, 9), (14, 22, 8)])


def events_without_call(to, x, kernel, launch):
    """They go with the one before on their stream; in an input without any launch by their own start."""
    steps = [mark(x, "ProfilerStep#1", 10, 10), mark(x, "ProfilerStep#2", 20, 10), launch(11, 1, 1), launch(21, 1, 2)]
    on_stream = [kernel("none", 12, 1), kernel("k", 30, 1, correlation=1), kernel("one", 32, 1), kernel("one", 34, 1),
                 kernel("k", 36, 1, correlation=2), kernel("two", 38, 1, correlation=99)]
    found = to.place.of(steps + on_stream)
    to.events("no call", found, [3, 2], events_by_stream=4, events_by_clock=0, events_in_no_step=1)
    alone = [kernel("one", 15, 1, stream=8), kernel("two", 20, 1, stream=8), kernel("no", 30, 1, stream=8)]
    found = to.place.of(steps + on_stream + alone)
    to.events("no call", found, [3, 2], events_by_stream=7, events_by_clock=0, events_in_no_step=4,
              launches_in_no_step=0)
    found = to.place.of(steps + alone)
    to.events("no launch", found, [1, 1], events_by_stream=0, events_by_clock=3, events_in_no_step=1,
              launches_in_no_step=0)
    # What follows a launch that is in no step is in none, too.
    found = to.place.of(steps + [launch(1, 1, 3), kernel("k", 15, 1, correlation=3), kernel("no", 17, 1),
                                 kernel("k", 25, 1, correlation=1)])
    to.events("after a launch outside", found, [1, 0], events_by_stream=1, events_in_no_step=2, launches_in_no_step=1)


def steps_of_the_host(to, x, kernel, launch):
    """Without devices the length of a step is its window, and the path shown that of the typical one."""
    path = to.place.write([mark(x, f"ProfilerStep#{i}", 100 * i, length) for i, length in enumerate((90, 40, 42, 44))])
    found = to.place.ask(path, "--items-per-step", "84")
    to.rows("host", found, ("device", "step", "mark", "host_start_ns", "host_end_ns", "events", "period_ns", "busy_ns",
                            "lag_ns"), [(None, i, "steady" if i else "warm-up", 100 * i, 100 * i + length, 0, None, 0, None)
                                        for i, length in enumerate((90, 40, 42, 44))])
    to.summary("host", found, device=None, length="host window", steady=3, median_ns=42, items_per_second=84 / 42e-6,
               busy_percent=0, events_in_no_step=0)
    to.check([row["step"] for row in found["critical_path"]] == [2], f"host: {found['critical_path']}")
    for more, text in ((["--items-per-step", "84"], b"steps (annotation): 4, 3 steady, median 42.0 us (host window), "
                        b"2000000 items/s\n"),
                       (["--step-annotation", "what"], b"warning: no steps: no annotation, operator or python function is "
                        b"called 'what'\n")):
        said = to.place.run(path, *more).stderr
        to.check(text in said, f"host: {said.decode()}")
    said = to.place.run(to.place.write([kernel("k", 0, 5)]), "--items-per-step", "3").stderr
    to.check(b"no throughput: there are no steps" in said, f"no steps: {said.decode()}")


def windows_that_overlap(to, x, kernel, launch):
    """The innermost window counts; a window of the thread itself before those of others; else the latest begun."""
    steps = [mark(x, "step outer", 0, 100), mark(x, "step inner", 10, 20), mark(x, "step other", 20, 60, tid=2),
             mark(x, "step short", 40, 5, tid=2)]
    calls = [(5, 1, 0), (15, 1, 1), (25, 1, 1), (35, 1, 0), (42, 1, 0), (25, 2, 2), (42, 2, 3), (50, 2, 2), (90, 2, 0),
             (15, 3, 1), (25, 3, 2), (42, 3, 3), (60, 3, 2), (90, 3, 0)]
    events = [mark(x, "a", 0, 200, tid=3, category="cpu_op")]
    expected = [0] * 4
    for i, (ts, tid, step) in enumerate(calls):
        events += [launch(ts, 1, i + 1, tid=tid), kernel("k", 200 + 10 * i, 1 + step, correlation=i + 1)]
        expected[step] += 1
    found = to.place.of(steps + events, "--step-annotation", "^step ")
    to.events("windows that overlap", found, expected, events_in_no_step=0)
    # Each kernel lasts 1 us and the number of its step.
    to.rows("windows that overlap", found, ("name", "busy_ns"),
            [(f"step {name}", n * (i + 1)) for i, (name, n) in
             enumerate(zip(("outer", "inner", "other", "short"), expected))])


def steps_without_work(to, x, kernel, launch):
    """They are as long as on the host; the period of the one before reaches to the next with work."""
    steps = [mark(x, f"ProfilerStep#{i}", 10 * i, 10) for i in range(4)]
    events = [launch(1, 1, 1), launch(21, 1, 2), launch(31, 1, 3), kernel("k", 5, 2, correlation=1),
              kernel("k", 20, 3, correlation=2), kernel("k", 32, 4, correlation=3)]
    found = to.place.of(steps + events)
    to.rows("no work", found, ("events", "start_ns", "end_ns", "span_ns", "period_ns", "busy_ns", "idle_ns", "lag_ns"),
            [(1, 5, 7, 2, 15, 2, 0, -3), (0, None, None, 0, None, 0, 0, None), (1, 20, 23, 3, 12, 3, 0, -7),
             (1, 32, 36, 4, 4, 4, 0, -4)])
    # Lengths 15, 10, 12 and 4: the median is 11, so 15 is warm-up.
    to.summary("no work", found, length="both", warm_up=1, steady=3, min_ns=4, median_ns=10, max_ns=12)
    found = to.place.of(steps + [kernel("far", 900, 1)])
    to.summary("no work at all", found, length="host window", mean_ns=10, busy_percent=0.0, events_in_no_step=1)


def steps_out_of_order(to, x, kernel, launch):
    """What the second step launched first on another stream runs before the first step's kernel."""
    found = to.place.of([mark(x, "ProfilerStep#1", 0, 10), mark(x, "ProfilerStep#2", 10, 10), launch(1, 1, 1),
                         launch(11, 1, 2), kernel("k", 40, 10, correlation=1),
                         kernel("k", 20, 5, stream=8, correlation=2)])
    to.rows("out of order", found, ("step", "start_ns", "period_ns"), [(1, 40, 10), (2, 20, 20)])


def steps_of_devices(to, x, kernel, launch):
    """Each device has its own events, periods and marks of a step."""
    events = []
    for i in range(3):
        events += [mark(x, f"ProfilerStep#{i}", 10 * i, 10), launch(10 * i + 1, 1, 2 * i + 1),
                   launch(10 * i + 2, 1, 2 * i + 2),
                   kernel("k", 20 + (200, 100, 100)[0] * (i > 0) + 100 * (i > 1), 5, correlation=2 * i + 1),
                   kernel("k", 30 + 100 * i, 100, device=1, stream=3, correlation=2 * i + 2)]
    found = to.place.of(events)
    to.rows("devices", found, ("device", "step", "mark", "events", "start_ns", "period_ns"),
            [(0, 0, "warm-up", 1, 20, 200), (0, 1, "steady", 1, 220, 100), (0, 2, "steady", 1, 320, 5),
             (1, 0, "steady", 1, 30, 100), (1, 1, "steady", 1, 130, 100), (1, 2, "steady", 1, 230, 100)])


def steps_of_the_device(to, x, kernel, launch):
    """Annotations of the device are windows of its clock: launches do not count."""
    found = to.place.of([mark(x, f"ProfilerStep#{i}", 10 + 20 * i, 20, category="gpu_user_annotation") for i in (0, 1)] +
                        [launch(12, 1, 1), kernel("k", 15, 10, correlation=1), kernel("k", 35, 5, correlation=1),
                         kernel("k", 60, 5, correlation=1)])
    to.rows("device annotations", found, ("host_start_ns", "host_end_ns", "lag_ns", "events", "start_ns", "period_ns"),
            [(None, None, None, 1, 15, 20), (None, None, None, 1, 35, 5)])
    to.summary("device annotations", found, source="device annotation", events_by_clock=3, events_in_no_step=1)


def run_of(kernel, names, length=10, pause=1):
    return [kernel(name, (length + pause) * i, length) for i, name in enumerate(names)]


def patterns(to, x, kernel, launch):
    """A pattern has no throughput unless the user says that it is a step, and is never called one."""
    events = run_of(kernel, ["init"] + ["a", "b", "c"] * 4)
    found = to.place.of(events, "--items-per-step", "3", "--flops-per-step", "6")
    to.summary("pattern", found, source="repeated kernel pattern", steps=4, items_per_second=None, flops_per_second=None,
               median_ns=33)
    found = to.place.of(events, "--items-per-step", "33", "--flops-per-step", "66", "--step-pattern")
    # Periods of 33 us, the last one 32.
    to.summary("pattern", found, source="repeated kernel pattern", mean_ns=32.75, items_per_second=33 / 32.75e-6,
               flops_per_second=66 / 32.75e-6, events_in_no_step=1)
    lines = to.place.run(to.place.write(events)).stderr
    to.check(b"\ncycles (repeated kernel pattern): 4, 4 steady" in lines and b"\nsteps" not in lines, f"pattern: {lines}")
    for more, says in (([], False), (["--items-per-step", "3"], True), (["--flops-per-step", "3"], True),
                       (["--items-per-step", "3", "--step-pattern"], False)):
        lines = to.place.run(to.place.write(events), *more).stderr
        to.check((b"no throughput: the pattern may be a layer" in lines) == says, f"pattern, {more}: {lines}")


def nested_patterns(to, x, kernel, launch):
    """The outermost pattern that covers the trace counts, not the layers inside."""
    def found(names, **summary):
        rows = to.place.of(run_of(kernel, names))
        to.summary(f"nested {names[:12]}", rows, **summary)

    layer, other = ["mm", "add"], ["conv", "relu"]
    # Steps of three layers with a head and a tail, of two kinds of layers alone, and of micro-batches inside a step.
    found(["init"] + (["head"] + layer * 3 + ["tail"]) * 4, steps=4, median_ns=88)
    found(["init"] + (layer * 3 + other * 2) * 4, steps=4, median_ns=110)
    found(["init"] + ((layer * 3 + other * 2) * 3 + ["adam"]) * 3, steps=3, median_ns=341)
    # No kernel and no pair of kernels is there once: only runs of four tell where a step begins.
    found(["init"] + (["a", "a", "b", "b", "a", "b"] * 2 + ["a", "b"]) * 4, steps=4, median_ns=154)
    # Two steps are enough where they have a pattern inside and cover the trace; else it is the layers.
    found((["head"] + layer * 5) * 2, steps=2, max_ns=121)
    found(["load"] + (["head"] + layer * 5) * 2, steps=2, max_ns=121)
    found(["head"] + layer * 8 + ["tail"], steps=8, max_ns=22)
    found(["x", "y", "z"] + (["head"] + layer * 5) * 2, steps=5, max_ns=22)
    rows = to.place.of(run_of(kernel, ["a", "b", "c", "d"] * 2))
    to.check(rows["steps"] == [], f"two cycles without a pattern inside: {rows['steps']}")


def check_steps(place, check, x, kernel, launch):
    to = Checks(place, check)
    for case in (host_runs_ahead, launches_outside, graphs, events_without_call, steps_of_the_host, windows_that_overlap,
                 steps_without_work, steps_out_of_order, steps_of_devices, steps_of_the_device, patterns, nested_patterns):
        case(to, x, kernel, launch)
