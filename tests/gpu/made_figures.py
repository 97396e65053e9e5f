"""made_figures.py: the figures of the report page of `analyze gpu`, read from the tooltips of their marks: the numbers of
the tables, and the cells of both heat maps by hand. Times are in us in the events, in ns in the answers."""
import html
import re

COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 1000, "Group size": 2, "dtype": "Float",
              "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}


def figures_of(page):
    """By name a list of marks: the label, and what the tooltip says of it, in order, without units."""
    found = {}
    for name, drawing in re.findall(r'<title id="([^"]*)-t">.*?</title>(.*?)</svg>', page, re.S):
        found[name] = []
        for tip in re.findall(r"<(?:rect|circle) [^>]*><title>(.*?)</title>", drawing, re.S):
            label, *lines = html.unescape(tip).split("\n")
            pairs = [line.rsplit(": ", 1) for line in lines]
            found[name].append((label, {key: re.sub(r"^(-?[\d.]+) (ns|%|bytes)$", r"\1", value) for key, value in pairs}))
    return found


def draw(place, check, *paths):
    page = place.path("page.html")
    done = place.run("-q", *paths, "--html", page)
    check(done.returncode == 0, f"figures: {done.stderr.decode()}")
    with open(page, encoding="utf-8") as file:
        return figures_of(file.read())


def parts_of(marks, names):
    """[(label, sum over its parts by name)]: marks of a stacked bar, the parts of nothing left out."""
    rows = []
    for label, said in marks:
        name = next(key for key in said if key in names)
        if not rows or rows[-1][0] != label or name in rows[-1][1]:
            rows.append((label, {}))
        rows[-1][1][name] = int(said[name])
    return rows


def check_one(place, check, x, kernel, launch):
    """Of the device: 20 us compute, of which the collective hides 2; a copy of 10 us; 50 us in all. Between 15 and 30
    nothing is queued until the call of the collective returns at 22; nobody calls the copy. Windows are of 0.5 us."""
    path = place.write([x("user_annotation", "ProfilerStep#1", 100, 1, 0, 40), launch(0, 3, 1), kernel("a", 0, 15, correlation=1),
                        launch(20, 3, 2), kernel("<b>", 30, 5, correlation=2), launch(21, 1, 3),
                        kernel("ncclAllReduce", 33, 4, stream=8, correlation=3, **COLLECTIVE),
                        x("gpu_memcpy", "Memcpy", 0, 7, 40, 10, device=0, stream=7, bytes=20000)])
    figures, document = draw(place, check, path), place.ask(path)
    check(list(figures) == ["gpu-devices", "gpu-busy", "gpu-steps", "gpu-kernels", "gpu-runtime", "gpu-streams", "gpu-gaps"], f"figures: {list(figures)}")
    rows = [(row["name"], {key: str(row[key]) for key in ("total_ns", "calls", "mean_ns", "max_ns", "launched")}) for row in document["runtime"]]
    runtime = [(label, {key: said[key] for key in rows[0][1]}) for label, said in figures["gpu-runtime"]]
    check(runtime == rows, f"figures: runtime {runtime}, not {rows}")
    streams = parts_of(figures["gpu-streams"], {"busy", "idle: host-bound", "idle: kernel wait", "idle: other"})
    expected = [(f"stream {row['stream']}", {name: row[key] for name, key in (
        ("busy", "busy_ns"), ("idle: host-bound", "idle_host_bound_ns"), ("idle: kernel wait", "idle_kernel_wait_ns"),
        ("idle: other", "idle_other_ns")) if row[key]}) for row in document["devices"][0]["streams"]]
    check(streams == expected, f"figures: streams {streams}, not {expected}")
    parts = {"compute", "exposed communication", "memcpy", "idle: host-bound", "idle: kernel wait", "idle: other", "idle"}
    check(parts_of(figures["gpu-devices"], parts) == [
        ("GPU 0", {"compute": 20000, "exposed communication": 2000, "memcpy": 10000, "idle: host-bound": 7000,
                   "idle: kernel wait": 8000, "idle: other": 3000})], f"figures: devices {figures['gpu-devices']}")
    step = document["steps"][0]
    check(parts_of(figures["gpu-steps"], parts) == [("1", {
        "compute": step["compute_ns"], "exposed communication": step["exposed_communication_ns"],
        "memcpy": step["exposed_memcpy_ns"], "idle": step["idle_ns"]})], f"figures: steps {figures['gpu-steps']}")
    kernels = [(label, int(said["total_ns"]), said["class"]) for label, said in figures["gpu-kernels"]]
    check(kernels == [("a", 15000, "compute"), ("<b>", 5000, "compute"), ("ncclAllReduce", 4000, "communication")],
          f"figures: kernels {kernels}")
    gaps = parts_of(figures["gpu-gaps"], {"host-bound", "kernel wait", "other"})
    check(gaps == [("<b>", {"host-bound": 7000, "kernel wait": 8000}), ("Memcpy", {"other": 3000})], f"figures: gaps {gaps}")
    work = [(0, 15000), (30000, 37000), (40000, 50000)]
    expected = [("GPU 0", 500 * i, 500 * (i + 1), 100.0 if any(a <= 500 * i < b for a, b in work) else 0.0) for i in range(100)]
    cells = [(label, int(said["start_ns"]), int(said["end_ns"]), float(said["busy_percent"]))
             for label, said in figures["gpu-busy"]]
    check(cells == expected, f"figures: busy {[pair for pair in zip(cells, expected) if pair[0] != pair[1]][:4]}")
    inner = [x("cpu_op", "outer", 100, 1, 0, 9), x("cpu_op", "inner", 100, 1, 1, 5), launch(2, 1, 1), launch(7, 1, 2),
             kernel("a", 10, 5, correlation=1), kernel("b", 20, 2, correlation=2)]
    marks = draw(place, check, place.write(inner))["gpu-operators"]
    marks = [(label, said["device"], said["host"], said["device_ns"], said["host_ns"]) for label, said in marks[::2]]
    check(marks == [("inner", "5000", "5000", "5000", "5000"), ("outer", "2000", "4000", "7000", "9000")], f"figures: operators {marks}")


def check_host(place, check, x, kernel, launch):
    """Two linear layers in a network are one row of the picture; the third module takes too little. Memory is at its peak at 40, in a
    window of its own; one of the counters is always 0. The same without a device: times of the host."""
    module = lambda name, ts, dur: x("python_function", f"nn.Module: {name}", 100, 1, ts, dur)
    memory = lambda ts, change, address, total: dict(
        x("cpu_instant_event", "[memory]", 100, 1, ts, 0, **{"Bytes": change, "Addr": address, "Device Id": 0, "Device Type": 1,
                                                             "Total Allocated": total, "Total Reserved": 2 * total}), ph="i", s="t")
    host = [module("Net_0", 0, 100), module("Linear_1", 10, 20), module("Linear_2", 40, 20), module("ReLU_0", 70, 0.5),
            x("cpu_op", "aten::mm", 100, 1, 12, 10), x("cpu_op", "aten::mm", 100, 1, 42, 6)]
    memories = [memory(13, 30, 7, 130), memory(43, 70, 8, 200), memory(90, -70, 8, 130)]
    ranges = [x("cuda_profiler_range", "k", 0, 0, 300, 5, **{"inst.sum": 10, "none.sum": 0}), x("cuda_profiler_range", "l", 0, 0, 306, 5, **{"inst.sum": 30})]
    path = place.write(host + memories + ranges + [launch(14, 1, 1), launch(44, 1, 2), launch(95, 1, 3), kernel("a", 110, 5, correlation=1),
                                                   kernel("b", 120, 7, correlation=2), kernel("c", 130, 2, correlation=3)])
    figures = draw(place, check, path)
    parts = parts_of(figures["gpu-modules"], {"itself", "modules inside"})
    check(parts == [("Net", {"itself": 2000, "modules inside": 12000}), ("- Linear", {"itself": 12000})], f"figures: modules {parts}")
    said = figures["gpu-modules"][-1][1]
    check((said["modules"], said["calls"], said["launched"], said["host_self_ns"]) == ("2", "2", "2", "40000"), f"figures: modules {said}")
    points = [(said["at_ns"], what) for what, said in figures["gpu-memory"]]
    expected = [(str(at // 386 * 386), f"{what}: {value} bytes") for what, values in (("allocated", (130, 200, 130)), ("reserved", (260, 400, 260)))
                for at, value in zip((0, 30000, 77000), values)]
    check(points == expected, f"figures: memory {points}, not {expected}")
    held = [(label, said["bytes"], said["allocations"]) for label, said in figures["gpu-memory-holders"]]
    check(held == [("before the recording", "100", "0"), ("aten::mm in Linear_2", "70", "1"), ("aten::mm in Linear_1", "30", "1")], f"figures: holders {held}")
    counted = [(label, float(said["sum"])) for label, said in figures["gpu-counters"]]
    check(counted == [("l", 30), ("k", 10)], f"figures: counters {counted}")
    figures = draw(place, check, place.write(host + memories[:1]))
    parts = parts_of(figures["gpu-modules"], {"itself", "modules inside"})
    check(parts == [("Net", {"itself": 59500, "modules inside": 40500}), ("- Linear", {"itself": 40000})], f"figures: modules of the host {parts}")
    check([(label, said["host"]) for label, said in figures["gpu-operators"]] == [("aten::mm", "16000")], f"figures: operators of the host {figures}")

def check_ranks(place, check, kernel):
    """The second clock is 1000 us behind. In common time collective 0 starts at 10 and 17 and ends at 30, collective 1
    starts at 50 and 45 and ends at 60: all lies in [10, 60), in windows of 0.5 us."""
    starts = (10, 50), (17, 45)
    paths = [place.write([kernel("ncclAllReduce", clock + start, end - start, stream=8, **COLLECTIVE)
                          for start, end in zip(own, (30, 60))], rank)
             for rank, (clock, own) in enumerate(zip((2000, 1000), starts))]
    figures = draw(place, check, *paths)
    late = [(label, said["collective"], said["next_collective"], int(said["late_ns"])) for label, said in figures["gpu-lateness"]]
    check(late == [("rank 0", "0", "1", 0), ("rank 1", "0", "1", 7000), ("rank 0", "1", "2", 5000), ("rank 1", "1", "2", 0)],
          f"figures: lateness {late}")
    rows = place.ask(*paths)["ranks"]
    ranks = parts_of(figures["gpu-ranks"], {"compute", "exposed communication", "memcpy", "idle"})
    check(ranks == [(f"rank {row['rank']}", {"exposed communication": row["exposed_communication_ns"], "idle": row["idle_ns"]}) for row in rows],
          f"figures: ranks {ranks}")
    check([(said["waited_ns"], said["caused_ns"]) for _, said in figures["gpu-ranks"][::2]] ==
          [(str(row["waited_ns"]), str(row["caused_ns"])) for row in rows], f"figures: lost {figures['gpu-ranks']}")
    clocks = [(label, said["clock_line_offset"], said["clock_uncertainty"]) for label, said in figures["gpu-clocks"]]
    check(clocks == [(f"rank {row['rank']}", str(row["clock_line_offset"]), str(row["clock_uncertainty"])) for row in rows],
          f"figures: clocks {clocks}, not {rows}")
    for rank, own in enumerate(starts):
        cells = [(int(said["start_ns"]), float(said["busy_percent"])) for label, said in figures["gpu-busy"]
                 if label == f"rank {rank} GPU 0"]
        work = [(1000 * (start - 10), 1000 * (end - 10)) for start, end in zip(own, (30, 60))]
        expected = [(500 * i, 100.0 if any(a <= 500 * i < b for a, b in work) else 0.0)
                    for i in range(2 * (min(own) - 10), 100)]
        check(cells == expected, f"figures: busy of rank {rank} {[p for p in zip(cells, expected) if p[0] != p[1]][:4]}")
    kernels = [(label, said["inputs"], said["calls"], int(said["total_ns"])) if "inputs" in said else (label, said)
               for label, said in figures["gpu-kernels"]]
    check(len(kernels) == 1 and figures["gpu-kernels"][0][1]["total_ns"] == str(20000 + 10000 + 13000 + 15000),
          f"figures: kernels of both ranks {kernels}")


def check_many(place, check, kernel):
    """1000 collectives: ten share a cell, which has the latest."""
    late = [[(7 * i * (rank + 1)) % 13 for i in range(1000)] for rank in range(2)]
    paths = [place.write([kernel("ncclAllReduce", 100 * i + late[rank][i], 50 - late[rank][i], stream=8, **COLLECTIVE)
                          for i in range(1000)], rank) for rank in range(2)]
    cells = [(label, int(said["collective"]), int(said["late_ns"])) for label, said in draw(place, check, *paths)["gpu-lateness"]]
    own = lambda rank, i: 1000 * (late[rank][i] - min(late[0][i], late[1][i]))
    expected = [(f"rank {rank}", 10 * k, max(own(rank, i) for i in range(10 * k, 10 * k + 10)))
                for k in range(100) for rank in range(2)]
    check(cells == expected, f"figures: shared cells {[p for p in zip(cells, expected) if p[0] != p[1]][:4]}, {len(cells)}")


def check_figures(place, check, x, kernel, launch):
    check_one(place, check, x, kernel, launch)
    check_host(place, check, x, kernel, launch)
    check_ranks(place, check, kernel)
    check_many(place, check, kernel)
