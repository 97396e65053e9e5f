"""made_summary.py: what `analyze gpu` writes to the terminal, for traces made by hand: the sentence, the tables, the
lines. Times are in us."""
import re

COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 1000, "Group size": 2, "dtype": "Float",
              "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}


def one_device(x, kernel, launch):
    """A host that launches late, and a wait for the device; half of the copy, which nobody calls, hides a collective."""
    events = [launch(0, 3, 1), kernel("gemm", 10, 5, correlation=1), launch(20, 3, 2),
              kernel("add", 30, 15, correlation=2), launch(33, 14, 3, "cudaDeviceSynchronize"),
              launch(50, 1, 4, "cudaStreamSynchronize"), x("cpu_op", "aten::add", 100, 1, 16, 13),
              x("python_function", "train", 100, 1, 0, 60), launch(41, 5, 5),
              kernel("ncclAllReduce", 46, 4, stream=8, correlation=5, **COLLECTIVE), kernel("small", 48, 3),
              x("gpu_memcpy", "Memcpy", 0, 7, 51, 2, device=0, stream=7, bytes=20)]
    # Delays: 10, 10 and 5 us. Kernels: 5 + 15 + 4 + 3 us. Between 15 and 30 it waited for the second launch until 23; the
    # gap before the copy is 1 us.
    return events, {
        "": ["GPU 0 was busy 62.8 % of 43.0 us; idle 16.0 us, mostly because the host launched too late (longest gap 15.0 "
             "us, host in aten::add, python in train)",
             "launches: 3, median delay 10.0 us; 1 take longer than their kernel; at most 1 queued",
             "blocking calls: 2, 15.0 us in total, longest cudaDeviceSynchronize",
             "no steps: no annotation ProfilerStep#N, and kernels that repeat no pattern"],
        "devices": [["label", "busy (%)", "idle (us)", "idle cause", "span (us)", "compute (us)",
                     "exposed communication (ns)"],
                    ["GPU 0", "62.79", "16.000", "host-bound", "43.000", "23.000", "2000"],
                    ["... no room for: exposed memcpy (ns)"]],
        "kernels by total time": [["name", "class", "calls", "total (us)", "share (%)", "mean (us)"],
                                  ["add", "compute", "1", "15.000", "55.56", "15.000"],
                                  ["gemm", "compute", "1", "5.000", "18.52", "5.000"],
                                  ["ncclAllReduce", "communication", "1", "4.000", "14.81", "4.000"],
                                  ["small", "compute", "1", "3.000", "11.11", "3.000"]],
        "longest gaps, and what the host did meanwhile": [
            ["length (us)", "cause", "host operator", "python function", "after"],
            ["15.000", "host-bound", "aten::add", "train", "add"],
            ["1.000", "host-bound", "-", "train", "ncclAllReduce"]],
        "collectives by total time": [["kind", "bytes", "ranks", "calls", "total (ns)", "mean (ns)", "bus bandwidth (GB/s)"],
                                      ["all_reduce", "4000", "2", "1", "4000", "4000", "1.000"]]}


def verdicts(kernel, launch):
    """(events, the sentence)"""
    late = [launch(0, 1, 1), kernel("a", 10, 10, correlation=1), launch(24, 1, 2), kernel("b", 30, 10, correlation=2)]
    queued = late[:2] + [launch(18, 1, 2)] + late[3:]
    return [(late[:2], "GPU 0 was busy 100.0 % of 10.0 us; never idle"),
            (late + [kernel("c", 45, 5)], "GPU 0 was busy 62.5 % of 40.0 us; idle 15.0 us, mostly because the host "
             "launched too late (longest gap 10.0 us)"),
            (queued + [kernel("c", 50, 5)], "GPU 0 was busy 55.6 % of 45.0 us; idle 20.0 us, mostly between kernels that "
             "were queued (longest gap 10.0 us)"),
            (queued + [kernel("c", 51, 4)], "GPU 0 was busy 53.3 % of 45.0 us; idle 21.0 us, mostly for reasons that the "
             "trace does not show (no launches recorded) (longest gap 11.0 us)")]


def two_inputs(x, kernel, launch):
    """The sentence and the lines are about the second input, which is idle for 15 us, and not about what the first has of the same."""
    first = [x("user_annotation", "ProfilerStep#1", 100, 1, 0, 70), launch(0, 1, 1), launch(1, 1, 3),
             kernel("mm", 5, 40, correlation=1), kernel("mm", 45, 10, correlation=3),
             launch(20, 30, 2, "cudaStreamSynchronize")]
    second = [x("user_annotation", "ProfilerStep#3", 100, 1, 0, 100), x("cpu_op", "aten::mm", 100, 1, 0, 10),
              launch(2, 2, 1), kernel("gemm", 5, 40, correlation=1), launch(20, 30, 2, "cudaDeviceSynchronize"),
              x("cpu_op", "aten::add", 100, 1, 70, 10), kernel("last", 60, 1)]
    # The path ends with the last kernel, at 61: [60, 61) and [5, 45) it computed; nothing explains [45, 60); the launch
    # took [2, 5), the host before it [0, 2). The first input is busy from 5 to 55.
    return first, second, {
        "": ["2 GPUs were busy 85.8 % of their time; most idle was rank 5 GPU 0, 15.0 us, mostly for reasons that the "
             "trace does not show (no launches recorded) (longest gap 15.0 us)",
             "launches on rank 5 GPU 0: 1, median delay 3.0 us; 0 take longer than their kernel; at most 1 queued",
             "blocking calls on rank 5 GPU 0: 1, 30.0 us in total, longest cudaDeviceSynchronize",
             "steps (annotation) on rank 5 GPU 0: 1, 1 steady, median 56.0 us (device period)",
             "critical path of step 3 on rank 5 GPU 0: compute 67.2 %, launch 4.9 %, host 3.3 %, waiting 24.6 %"],
        "ranks, and in how many collectives each arrived last": [["rank", "steps", "step (us)", "busy (us)", "idle (us)"],
                                                                 ["4", "1", "50.000", "50.000", "0.000"],
                                                                 ["5", "1", "56.000", "41.000", "15.000"]],
        "devices": [["label", "busy (%)", "idle (us)", "idle cause", "span (us)", "compute (us)"],
                    ["rank 4 GPU 0", "100.00", "0.000", "-", "50.000", "50.000"],
                    ["rank 5 GPU 0", "73.21", "15.000", "other", "56.000", "41.000"]],
        "steps by device": [["label", "steps", "warm up", "outliers", "median (us)", "busy (%)"],
                            ["rank 4 GPU 0", "1", "0", "0", "50.000", "100.00"],
                            ["rank 5 GPU 0", "1", "0", "0", "56.000", "73.21"]],
        "kernels of all inputs by total time": [["name", "class", "inputs", "calls", "total (us)", "share (%)", "mean (us)"],
                                                ["mm", "compute", "1", "2", "50.000", "54.95", "25.000"],
                                                ["gemm", "compute", "1", "1", "40.000", "43.96", "40.000"],
                                                ["last", "compute", "1", "1", "1.000", "1.10", "1.000"]],
        "longest gaps, and what the host did meanwhile": [["label", "length (us)", "cause", "after"],
                                                          ["rank 5 GPU 0", "15.000", "other", "last"]]}


def late_ranks(kernel):
    """The second clock is 1000 us behind. In common time collective 0 starts at 10 and 17 and ends at 30; collective 1
    starts at 50 and 45 and ends at 60."""
    return [[kernel("gemm", clock + 1, 3)] + [kernel("ncclAllReduce", clock + start, end - start, stream=8, **COLLECTIVE)
                                              for start, end in zip(starts, (30, 60))]
            for clock, starts in ((2000, (10, 50)), (1000, (17, 45)))]


def many_ranks(place, check, kernel):
    """Rank i of 12 is idle for 10 + i us: the idlest come first, while the document has them by rank."""
    paths = [place.write([kernel("k", 0, 10), kernel("k", 20 + i, 5)], i) for i in range(12)]
    rows = read_summary(place.run(*paths).stderr.decode())["devices"]
    check([row[0] for row in rows[1:11]] == [f"rank {i} GPU 0" for i in range(11, 1, -1)] and
          rows[11] == ["... 2 more (--rows 0 shows all)"], f"many ranks: {rows}")
    check([row["rank"] for row in place.ask(*paths)["devices"]] == list(range(12)), "many ranks: the document")


def read_summary(text):
    """By title the rows of tables, the headings first; under "" the other lines."""
    found, title, lines = {"": []}, "", text.splitlines()
    for before, line in zip([None] + lines, lines):
        if before == "" and not re.search("  |: ", line):
            title = line
            found[title] = []
        elif line == "":
            title = ""
        elif title:
            found[title].append(re.split("  +", line.strip()))
        else:
            found[""].append(line)
    return found


def check_summary(place, check, x, kernel, launch):
    def summary(*paths):
        return read_summary(place.run(*paths).stderr.decode())

    def expect(where, found, expected):
        for title in set(found) | set(expected):
            check(found.get(title) == expected.get(title),
                  f"summary of {where}: {title}: {found.get(title)}, not {expected.get(title)}")

    many_ranks(place, check, kernel)
    events, expected = one_device(x, kernel, launch)
    expect("one device", summary(place.write(events)), expected)
    for events, line in verdicts(kernel, launch):
        expect("idle time", {"": summary(place.write(events))[""][:1]}, {"": [line]})
    first, second, expected = two_inputs(x, kernel, launch)
    expect("two inputs", summary(place.write(first, 4), place.write(second, 5)), expected)
    # Busy for 33 and 31 us of 59: 64 of 118; communication is exposed for 20 + 10 and 13 + 15 us: 58 of 118.
    for ranks, word in (((0, 1), "rank"), ((None, None), "input")):
        found = summary(*[place.write(events, rank) for events, rank in zip(late_ranks(kernel), ranks)])
        expect("ranks", {"": found[""][:1]}, {"": [
            "2 GPUs were busy 54.2 % of their time, 49.2 % exposed communication; most idle was " + word + " 1 GPU 0, 28.0 us, "
            "mostly for reasons that the trace does not show (no launches recorded) (longest gap 15.0 us); for delays of " + word + " 1 "
            "the others waited 7.0 us, in 1 of 2 collectives"]})
        title = "ranks, and in how many collectives each arrived last"
        keys = ["busy (us)", "comm (us)", "exposed (us)", "idle (us)", "waited (ns)", "clock (ms)", "last"]
        rows = [["33.000", "30.000", "30.000", "26.000", "7000", "0.000", "1"],
                ["31.000", "28.000", "28.000", "28.000", "5000", "-1.000", "1"]]
        expect("ranks", {title: [row[:1] for row in found[title][:1]] + [row[1:] for row in found[title][:3]]},
               {title: [[word]] + [keys] + rows})
