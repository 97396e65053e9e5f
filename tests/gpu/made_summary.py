"""made_summary.py: every line that `analyze gpu` writes to the terminal, for traces made by hand. Times are in us."""

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
    # Delays: 10, 10 and 5 us. Kernels: 5 + 15 + 4 + 3 us.
    return events, ["GPU 0: busy 27.0 us of 43.0 us (62.8 %)",
                    "  compute 23.0 us, communication 4.0 us (2.0 us of it exposed), memcpy and memset 2.0 us",
                    "idle 16.0 us (37.2 %), mostly because the host launched too late: host-bound 9.0 us, kernel wait "
                    "7.0 us, other 0 ns",
                    "  longest gap 15.0 us (host-bound), host in aten::add, python in train",
                    "launches: 3, median delay 10.0 us; 1 take longer than their kernel; at most 1 queued",
                    "blocking calls: 2, 15.0 us in total, longest cudaDeviceSynchronize",
                    "kernels: 4 names, largest add: 15.0 us in 1 calls, 55.6 % of all",
                    "collectives: largest all_reduce of 4000 bytes: 4.0 us in 1 calls",
                    "no steps: no annotation ProfilerStep#N, and kernels that repeat no pattern"]


def verdicts(kernel, launch):
    """(events, the line on idle time)"""
    late = [launch(0, 1, 1), kernel("a", 10, 10, correlation=1), launch(24, 1, 2), kernel("b", 30, 10, correlation=2)]
    queued = late[:2] + [launch(18, 1, 2)] + late[3:]
    return [(late[:2], "idle 0 ns (0.0 %), never idle: host-bound 0 ns, kernel wait 0 ns, other 0 ns"),
            (late + [kernel("c", 45, 5)], "idle 15.0 us (37.5 %), mostly because the host launched too late: host-bound "
             "5.0 us, kernel wait 5.0 us, other 5.0 us"),
            (queued + [kernel("c", 50, 5)], "idle 20.0 us (44.4 %), mostly between kernels that were queued: host-bound "
             "0 ns, kernel wait 10.0 us, other 10.0 us"),
            (queued + [kernel("c", 51, 4)], "idle 21.0 us (46.7 %), mostly for reasons that the trace does not show (no "
             "launches recorded): host-bound 0 ns, kernel wait 10.0 us, other 11.0 us")]


def two_inputs(x, kernel, launch):
    """The lines are about the second input, which is idle for 15 us, and not about what the first has of the same."""
    first = [x("user_annotation", "ProfilerStep#1", 100, 1, 0, 70), launch(0, 1, 1), launch(1, 1, 3),
             kernel("mm", 5, 40, correlation=1), kernel("mm", 45, 10, correlation=3),
             launch(20, 30, 2, "cudaStreamSynchronize")]
    second = [x("user_annotation", "ProfilerStep#3", 100, 1, 0, 100), x("cpu_op", "aten::mm", 100, 1, 0, 10),
              launch(2, 2, 1), kernel("gemm", 5, 40, correlation=1), launch(20, 30, 2, "cudaDeviceSynchronize"),
              x("cpu_op", "aten::add", 100, 1, 70, 10), kernel("last", 60, 1)]
    # The path ends with the last kernel, at 61: [60, 61) and [5, 45) it computed; nothing explains [45, 60); the launch
    # took [2, 5), the host before it [0, 2).
    return first, second, ["most idle: rank 5 GPU 0: busy 41.0 us of 56.0 us (73.2 %); all devices: --json or --report",
                           "  compute 41.0 us, communication 0 ns (0 ns of it exposed), memcpy and memset 0 ns",
                           "idle 15.0 us (26.8 %), mostly for reasons that the trace does not show (no launches "
                           "recorded): host-bound 0 ns, kernel wait 0 ns, other 15.0 us",
                           "  longest gap 15.0 us (other), host in -, python in -",
                           "launches: 1, median delay 3.0 us; 0 take longer than their kernel; at most 1 queued",
                           "blocking calls: 1, 30.0 us in total, longest cudaDeviceSynchronize",
                           "kernels: 2 names, largest gemm: 40.0 us in 1 calls, 97.6 % of all",
                           "steps (annotation): 1, 1 steady, median 56.0 us (device period)",
                           "critical path of step 3: compute 67.2 %, launch 4.9 %, host 3.3 %, waiting 24.6 %"]


def late_ranks(kernel):
    """The second clock is 1000 us behind. In common time collective 0 starts at 10 and 17 and ends at 30; collective 1
    starts at 50 and 45 and ends at 60."""
    return [[kernel("gemm", clock + 1, 3)] + [kernel("ncclAllReduce", clock + start, end - start, stream=8, **COLLECTIVE)
                                              for start, end in zip(starts, (30, 60))]
            for clock, starts in ((2000, (10, 50)), (1000, (17, 45)))]


def check_summary(place, check, x, kernel, launch):
    def lines(*paths):
        return place.run(*paths).stderr.decode().splitlines()

    def expect(where, found, expected):
        check(found == expected, f"summary of {where}: {[pair for pair in zip(found, expected) if pair[0] != pair[1]]}"
              f", {len(found)} lines, not {len(expected)}")

    events, expected = one_device(x, kernel, launch)
    expect("one device", lines(place.write(events)), expected)
    for events, line in verdicts(kernel, launch):
        expect("idle time", lines(place.write(events))[2:3], [line])
    first, second, expected = two_inputs(x, kernel, launch)
    expect("two inputs", lines(place.write(first, 4), place.write(second, 5)), expected)
    for ranks, words in (((0, 1), ("rank 1", "rank 1")), ((None, None), ("input 1", "input 1"))):
        found = lines(*[place.write(events, rank) for events, rank in zip(late_ranks(kernel), ranks)])
        expect("ranks", [found[0], found[-1]],
               [f"most idle: {words[0]} GPU 0: busy 31.0 us of 59.0 us (52.5 %); all devices: --json or --report",
                f"ranks: {words[1]} was last in 1 of 2 collectives and cost the others 7.0 us; clocks differ by up to "
                "1.0 ms"])
