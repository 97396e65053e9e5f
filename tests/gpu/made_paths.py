"""made_paths.py: critical paths of traces made by hand. Each case lists the pieces as they follow from the events, in us;
the shares are worked out from these lists, or given next to them. Steps are the host's [0, 100) if nothing else is said."""
import json
import math

CLASSES = {"compute": "compute", "communication": "communication", "memory": "memory", "launch": "launch",
           "host": "host", "sync": "waiting", "wait": "waiting"}


def mark(x, name, ts, dur, category="user_annotation", tid=1):
    return x(category, name, 100, tid, ts, dur)


def pieces_of(found):
    return [(r["kind"], r["name"], r["start_ns"] // 1000, r["end_ns"] // 1000) for r in found["critical_path"]]


def share_faults(row, pieces):
    """The shares of a row against the pieces of its path."""
    whole = sum(end - start for _, _, start, end in pieces)
    for name in ("compute", "communication", "memory", "launch", "host", "waiting"):
        expected = 100 * sum(end - start for kind, _, start, end in pieces if CLASSES[kind] == name) / whole
        if not math.isclose(row[f"{name}_percent"], expected, abs_tol=1e-9):
            yield f"{name} is {row[f'{name}_percent']} %, not {expected}"


class Paths:
    def __init__(self, place, check, x, kernel, launch):
        self.place, self.check, self.x, self.kernel, self.launch = place, check, x, kernel, launch

    def is_path(self, where, events, expected, step=(0, 100), category="user_annotation"):
        number, events = 1, [mark(self.x, "ProfilerStep#1", step[0], step[1] - step[0], category), *events]
        found = self.place.of(events, "--critical-step", str(number))
        given = pieces_of(found)
        self.check(given == expected, f"path {where}: {given}")
        self.check(all(a[3] == b[2] for a, b in zip(given, given[1:])), f"path {where}: has gaps")
        rows = [r for r in found["critical_path_share"] if r["step"] == number]
        self.check(len(rows) == 1 and not list(share_faults(rows[0], expected)),
                   f"path {where}: {list(share_faults(rows[0], expected)) if rows else found['critical_path_share']}")

    def wait_event(self, ts):
        return self.launch(ts, 1, 900 + ts, "cudaStreamWaitEvent")

    def copy(self, ts, dur, correlation):
        return self.x("gpu_memcpy", "Memcpy", 0, 7, ts, dur, device=0, stream=7, correlation=correlation)


def from_the_end_of_the_device(p):
    """The host ran ahead: its step is over at 10, the device works until 150. The first launch found an empty queue."""
    launches = [p.launch(1, 2, 1), p.launch(4, 2, 2), p.launch(7, 2, 3)]
    kernels = [p.kernel("a", 4, 46, correlation=1), p.kernel("b", 51, 29, correlation=2),
               p.kernel("c", 82, 68, correlation=3)]
    expected = [("host", None, 0, 1), ("launch", "cudaLaunchKernel", 1, 4), ("compute", "a", 4, 50),
                ("wait", None, 50, 51), ("compute", "b", 51, 80), ("wait", None, 80, 82), ("compute", "c", 82, 150)]
    p.is_path("from the end of the device", launches + kernels, expected, (0, 10))
    # The next step's first kernel waited for the last of this one: there its path begins.
    events = [mark(p.x, "ProfilerStep#1", 0, 10), mark(p.x, "ProfilerStep#2", 10, 10), *launches, *kernels,
              p.launch(11, 2, 4), p.kernel("d", 155, 20, correlation=4), p.launch(14, 2, 5),
              p.kernel("e", 180, 15, correlation=5)]
    found = p.place.of(events, "--critical-step", "2")
    given = pieces_of(found)
    p.check(given == [("compute", "d", 155, 175), ("wait", None, 175, 180), ("compute", "e", 180, 195)],
            f"path of the second step: {given}")
    rows = [[r[key] for key in r if key != "input"] for r in found["critical_path_share"]]
    # Of 150 us: 143 compute, 3 waiting, 3 launch, 1 host; of 40 us: 35 compute, 5 waiting.
    expected = [[None, 0, 1, 14300 / 150, 0, 0, 2, 100 / 150, 2], [None, 0, 2, 87.5, 0, 0, 0, 0, 12.5]]
    p.check(len(rows) == 2 and all(a[:3] == b[:3] and all(map(math.isclose, a[3:], b[3:]))
                                   for a, b in zip(rows, expected)), f"shares of two steps: {rows}")
    p.check(list(found["critical_path_share"][0]) ==
            ["input", "rank", "device", "step", "compute_percent", "communication_percent", "memory_percent",
             "launch_percent", "host_percent", "waiting_percent"], f"shares: {found['critical_path_share'][0]}")


def across_streams(p):
    """b waits for a collective of another stream, not for a, which ended long before."""
    def events(*more):
        return [p.launch(1, 1, 1), p.launch(3, 1, 2), p.launch(6, 1, 3), p.kernel("a", 4, 16, correlation=1),
                p.kernel("ncclAllReduce", 8, 52, stream=8, correlation=2), p.kernel("b", 61, 9, correlation=3), *more]

    collective = [("host", None, 0, 3), ("launch", "cudaLaunchKernel", 3, 8), ("communication", "ncclAllReduce", 8, 60),
                  ("wait", None, 60, 61), ("compute", "b", 61, 70)]
    own = [("host", None, 0, 1), ("launch", "cudaLaunchKernel", 1, 4), ("compute", "a", 4, 20), ("wait", None, 20, 61),
           ("compute", "b", 61, 70)]
    p.is_path("across streams by the clock", events(), collective)
    p.is_path("across streams by a call", events(p.wait_event(5)), collective)
    p.is_path("after a call for another launch", events(p.wait_event(8)), own)
    p.is_path("after a call before the collective", events(p.wait_event(2)), own)
    p.is_path("after a call of another thread", events(dict(p.wait_event(5), tid=2)), own)
    # Of two in one graph the clock decides although other calls wait for events.
    p.is_path("within a graph", [p.wait_event(70), p.launch(1, 2, 1, "cudaGraphLaunch"),
                                 p.kernel("a", 4, 6, correlation=1), p.kernel("s", 10, 30, stream=8, correlation=1),
                                 p.kernel("b", 42, 8, correlation=1)],
              [("host", None, 0, 1), ("launch", "cudaGraphLaunch", 1, 4), ("compute", "a", 4, 10), ("compute", "s", 10, 40),
               ("wait", None, 40, 42), ("compute", "b", 42, 50)])
    # What ended earlier than the operation before it on the stream explains nothing; nor does what has no length.
    p.is_path("of the later of two", [p.launch(1, 1, 1), p.launch(3, 1, 2), p.launch(5, 1, 3),
                                      p.kernel("a", 4, 46, correlation=1),
                                      p.kernel("s", 8, 41, stream=8, correlation=2),
                                      p.kernel("n", 51, 0, stream=9), p.kernel("b", 52, 8, correlation=3)],
              [("host", None, 0, 1), ("launch", "cudaLaunchKernel", 1, 4), ("compute", "a", 4, 50),
               ("wait", None, 50, 52), ("compute", "b", 52, 60)])


def launches(p):
    """An empty queue leads to the launch; a queue that ran empty while the call was made leads on along the device, and
    the rest of the call is launch."""
    a = [p.launch(1, 2, 1), p.kernel("a", 5, 26, correlation=1)]
    begin = [("host", None, 0, 1), ("launch", "cudaLaunchKernel", 1, 5), ("compute", "a", 5, 31)]
    p.is_path("of an empty queue", a + [p.launch(31, 3, 2), p.kernel("b", 36, 14, correlation=2)],
              [("host", None, 0, 31), ("launch", "cudaLaunchKernel", 31, 36), ("compute", "b", 36, 50)])
    p.is_path("of a queue that runs empty", a + [p.launch(30, 10, 2), p.kernel("b", 42, 8, correlation=2)],
              begin + [("launch", "cudaLaunchKernel", 31, 40), ("wait", None, 40, 42), ("compute", "b", 42, 50)])
    p.is_path("of a kernel within its call", a + [p.launch(30, 30, 2), p.kernel("b", 42, 8, correlation=2)],
              begin + [("launch", "cudaLaunchKernel", 31, 42), ("compute", "b", 42, 50)])
    p.is_path("of a kernel without call", a + [p.kernel("b", 42, 8)],
              begin + [("wait", None, 31, 42), ("compute", "b", 42, 50)])
    # A call that began after its kernel, by clocks that differ, launched nothing.
    p.is_path("of a call that came too late", a + [p.launch(43, 2, 2), p.kernel("b", 42, 8, correlation=2)],
              begin + [("wait", None, 31, 42), ("compute", "b", 42, 50)])
    p.is_path("of overlapping kernels", a + [p.launch(4, 1, 2), p.kernel("b", 30, 8, correlation=2)],
              begin[:2] + [("compute", "a", 5, 30), ("compute", "b", 30, 38)])
    p.is_path("of each class", [p.launch(1, 1, 1), p.launch(2, 1, 2), p.kernel("ncclX", 3, 37, correlation=1),
                                p.x("gpu_memset", "Memset", 0, 7, 40, 60, device=0, stream=7, correlation=2)],
              [("host", None, 0, 1), ("launch", "cudaLaunchKernel", 1, 3), ("communication", "ncclX", 3, 40),
               ("memory", "Memset", 40, 100)])


def along_the_host(p):
    """Operators, blocking calls and what these waited for; the thread of the step before another thread's first call."""
    block = lambda ts, dur: p.launch(ts, dur, 50, "cudaStreamSynchronize")
    a = [p.launch(2, 2, 1), p.kernel("a", 5, 40, correlation=1)]
    b = [p.launch(60, 2, 2), p.kernel("b", 63, 17, correlation=2)]
    begin = [("host", None, 0, 2), ("launch", "cudaLaunchKernel", 2, 5), ("compute", "a", 5, 45)]
    end = [("launch", "cudaLaunchKernel", 60, 63), ("compute", "b", 63, 80)]
    sync = ("sync", "cudaStreamSynchronize", 45, 50)
    p.is_path("of a call that waits", a + b + [block(20, 30)], begin + [sync, ("host", None, 50, 60)] + end)
    p.is_path("of a call without length", a + b + [block(20, 30), block(55, 0)],
              begin + [sync, ("host", None, 50, 60)] + end)
    p.is_path("of a call that waits for nothing", b + [block(20, 30)],
              [("host", None, 0, 20), ("sync", "cudaStreamSynchronize", 20, 50), ("host", None, 50, 60)] + end)
    p.is_path("of what ended as the call began", [p.kernel("z", 5, 15)] + b + [block(20, 30)],
              [("host", None, 0, 20), ("sync", "cudaStreamSynchronize", 20, 50), ("host", None, 50, 60)] + end)
    p.is_path("of what ended as the call ended", a + b + [block(20, 25)], begin + [("host", None, 45, 60)] + end)
    p.is_path("of operators", b + [p.x("cpu_op", "first", 100, 1, 5, 20), p.x("cpu_op", "inner", 100, 1, 10, 5),
                                   p.x("cpu_op", "over the call", 100, 1, 35, 30),
                                   p.x("cpu_op", "elsewhere", 100, 2, 40, 9)],
              [("host", None, 0, 5), ("host", "first", 5, 25), ("host", None, 25, 35),
               ("host", "over the call", 35, 60)] + end)
    # A copy that is done when its call returns blocked, whatever the name says; it is what the call waited for.
    copy = lambda dur: [p.launch(30, 20, 3, "cudaMemcpyAsync"), p.copy(38, dur, 3), p.kernel("side", 46, 3, stream=9)]
    p.is_path("of a copy that blocks", b + copy(10),
              [("host", None, 0, 30), ("launch", "cudaMemcpyAsync", 30, 38), ("memory", "Memcpy", 38, 48),
               ("sync", "cudaMemcpyAsync", 48, 50), ("host", None, 50, 60)] + end)
    p.is_path("of a copy that goes on", b + copy(13), [("host", None, 0, 60)] + end)
    # Thread 2 begins at 52 what thread 1 had to do first.
    p.is_path("of two threads", a + [p.launch(52, 1, 9, "cudaMalloc", tid=2), p.launch(60, 2, 2, tid=2), b[1],
                                     block(20, 30)],
              begin + [sync, ("host", None, 50, 52), ("host", None, 52, 60)] + end)
    # The host waited for what an earlier step launched: there the path begins.
    events = [mark(p.x, "ProfilerStep#1", 0, 10), mark(p.x, "ProfilerStep#2", 10, 80), *a, *b, block(20, 30)]
    given = pieces_of(p.place.of(events, "--critical-step", "2"))
    p.check(given == [sync, ("host", None, 50, 60)] + end, f"path of a wait for an earlier step: {given}")


def without_device_work(p):
    """Then the path begins where the host ended; on a trace without any device it has none in its row."""
    block = p.launch(20, 10, 50, "cudaStreamSynchronize")
    p.is_path("of a host alone", [p.kernel("far", 300, 1)], [("host", None, 0, 100)])
    p.is_path("of a host that waits for nothing", [p.kernel("far", 300, 1), block],
              [("host", None, 0, 20), ("sync", "cudaStreamSynchronize", 20, 30), ("host", None, 30, 100)])
    p.is_path("without devices", [p.x("cpu_op", "aten::add", 100, 1, 10, 5)],
              [("host", None, 0, 10), ("host", "aten::add", 10, 15), ("host", None, 15, 100)])
    found = p.place.of([mark(p.x, "ProfilerStep#1", 0, 10)])
    p.check([(r["device"], r["host_percent"]) for r in found["critical_path_share"]] == [(None, 100)],
            f"shares without devices: {found['critical_path_share']}")
    found = p.place.of([p.x("cpu_op", "aten::add", 100, 1, 10, 5)])
    p.check(found["critical_path_share"] == [], f"shares without steps: {found['critical_path_share']}")


def steps_of_the_device(p):
    """Of those the path begins with the operation that waited for nothing in the step."""
    on_device = lambda where, events, expected: p.is_path(where, events, expected, (0, 100), "gpu_user_annotation")
    on_device("without calls", [p.kernel("a", 10, 20), p.kernel("b", 40, 40), p.kernel("next", 100, 20)],
              [("compute", "a", 10, 30), ("wait", None, 30, 40), ("compute", "b", 40, 80)])
    on_device("without operations", [p.kernel("next", 100, 20)], [("wait", None, 0, 100)])
    p.is_path("of a call before a step of the device", [p.launch(20, 1, 1), p.kernel("a", 60, 20, correlation=1)],
              [("launch", "cudaLaunchKernel", 50, 60), ("compute", "a", 60, 80)], (50, 150), "gpu_user_annotation")
    on_device("with a call in the step", [p.launch(5, 1, 1), p.kernel("a", 10, 20, correlation=1)],
              [("host", None, 0, 5), ("launch", "cudaLaunchKernel", 5, 10), ("compute", "a", 10, 30)])
    on_device("of no length, twice", [p.kernel("a", 10, 20), p.kernel("y", 50, 0), p.kernel("z", 50, 0)],
              [("compute", "a", 10, 30), ("wait", None, 30, 50)])


def several_devices(p):
    """Each device has a row; the pieces are those of the one with the most operations. Of two ranks each has its own."""
    events = [mark(p.x, "ProfilerStep#1", 0, 100), p.launch(10, 2, 1), p.launch(20, 2, 2), p.launch(30, 2, 3),
              p.kernel("a", 15, 60, correlation=1), p.kernel("b", 25, 15, device=1, correlation=2),
              p.kernel("c", 40, 20, device=1, correlation=3)]
    found = p.place.of(events)
    p.check(pieces_of(found) == [("host", None, 0, 20), ("launch", "cudaLaunchKernel", 20, 25), ("compute", "b", 25, 40),
                                 ("compute", "c", 40, 60)], f"path of two devices: {pieces_of(found)}")
    rows = {r["device"]: (r["compute_percent"], r["host_percent"]) for r in found["critical_path_share"]}
    p.check(list(rows) == [0, 1] and math.isclose(rows[0][0], 80) and math.isclose(rows[1][1], 100 / 3),
            f"shares of two devices: {rows}")
    paths = [p.place.write(events[:4] + events[4:5], 3), p.place.write(events[:3] + events[5:6], 4)]
    found = p.place.ask(*paths)["critical_path_share"]
    p.check([(r["rank"], r["device"], r["step"], r["input"]) for r in found] ==
            [(3, 0, 1, paths[0]), (4, 1, 1, paths[1])], f"shares of two ranks: {found}")


def places_of_pieces(p):
    """Threads of the host, streams of the device; a launch says both."""
    events = [mark(p.x, "ProfilerStep#3", 0, 100), p.x("cpu_op", "aten::mm", 100, 1, 0, 10), p.launch(2, 2, 1),
              p.kernel("gemm", 5, 40, correlation=1), p.launch(20, 30, 2, "cudaDeviceSynchronize"),
              p.launch(70, 1, 3), p.kernel("last", 72, 8, correlation=3), p.launch(71, 1, 4),
              p.kernel("queued", 83, 2, correlation=4)]
    rows = p.place.of(events)["critical_path"]
    places = {"host": (1, None, None), "launch": (1, 0, None), "sync": (1, None, None), "wait": (None, 0, None),
              "compute": (None, 0, 7)}
    p.check([(r["thread"], r["device"], r["stream"]) for r in rows] == [places[r["kind"]] for r in rows],
            f"critical path: places {[(r['kind'], r['thread'], r['device'], r['stream']) for r in rows]}")
    p.check({r["kind"] for r in rows} == set(places), f"critical path: kinds {[r['kind'] for r in rows]}")
    p.check(all(r["step"] == 3 and r["length_ns"] == r["end_ns"] - r["start_ns"] for r in rows),
            "critical path: lengths")


def steps_that_are_not_there(p):
    """A step that no input has: a line names those that there are; the shares are those of all steps as ever."""
    events = [mark(p.x, f"ProfilerStep#{n}", 10 * n, 10) for n in range(10)] + [p.kernel("k", 0, 1)]
    for count, word in ((3, "0, 1, 2"), (10, "0, 1, 2, 3, 4, 5, 6, 7, ... 9")):
        done = p.place.run("--json", "--critical-step", "99", p.place.write(events[:count] + events[10:]))
        found = json.loads(done.stdout)
        p.check(found["critical_path"] == [] and len(found["critical_path_share"]) == count and done.returncode == 0,
                f"step 99 of {count}: {done.returncode}")
        line = f"--critical-step 99: there is no such step; steps that there are: {word}\n"
        p.check(line in done.stderr.decode(), f"step 99 of {count}: {done.stderr.decode()}")
    other = p.place.write([mark(p.x, "ProfilerStep#99", 0, 10), p.kernel("k", 0, 1)])
    said = p.place.run("--critical-step", "99", p.place.write(events), other).stderr.decode()
    p.check("no such step" not in said, f"step 99 of one input of two: {said}")
    said = p.place.run("--critical-step", "99", p.place.write(events[10:])).stderr.decode()
    p.check("no such step; steps that there are: none\n" in said, f"step 99 of no steps: {said}")


def check_paths(place, check, x, kernel, launch):
    for case in (from_the_end_of_the_device, across_streams, launches, along_the_host, without_device_work,
                 steps_of_the_device, several_devices, places_of_pieces, steps_that_are_not_there):
        case(Paths(place, check, x, kernel, launch))
