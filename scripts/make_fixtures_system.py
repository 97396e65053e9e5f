#!/usr/bin/env python3
"""Writes fixtures/system/*.pftrace: small traces of what a machine did (ftrace, sys_stats, logs), one file a rule of the format.

usage: make_fixtures_system.py [--check] [FOLDER]      (default: fixtures/system of this repository)

What a trace has to be read as is nowhere in here: tests/conformance/random/check_system.py asks Perfetto's engine. Packets are
put together by hand, independently of the C writer. A thread is (tid, comm, priority); times are nanoseconds.
"""
import sys

from fixture_files import FIXTURES, write_or_check
from make_fixtures_proto import BEGIN, END, THREAD, event, field, message, packet, varint

IDLE, A, B, C, MAIN = (0, "swapper/0", 120), (11, "alpha", 120), (12, "beta", 100), (13, "gamma", 139), (10, "main",
                                                                                                         120)
S, D, RUN, PREEMPTED = 1, 2, 0, 256


def bundle(cpu, *parts):
    return packet((1, message((1, cpu), *parts)))


def ev(ts, pid, kind, *fields, extra=()):
    """An FtraceEvent as a field of its bundle."""
    return 2, message((1, ts), *([] if pid is None else [(2, pid)]), *extra, (kind, message(*fields)))


def switch(ts, left, state, right, by=None):
    return ev(ts, left[0] if by is None else by, 4, (1, left[1]), (2, left[0]), (3, left[2]), (4, state), (5, right[1]),
              (6, right[0]), (7, right[2]))


def waking(ts, by, thread, cpu=0, kind=20):
    return ev(ts, by[0], kind, (1, thread[1]), (2, thread[0]), (3, thread[2]), (4, 1), (5, cpu))


def write(ts, tid, text):
    return ev(ts, tid, 3, (1, 1), (2, text))


def packed(values):
    return b"".join(varint(value) for value in values)


def deltas(times):
    return [time - before for time, before in zip(times, [0, *times])]


def columns(first, rows, kinds):
    """Fields of compact_sched from `first` on; kinds: the number of each column's field, the first one of times."""
    cells = [list(column) for column in zip(*rows)] or [[] for _ in kinds]
    cells[0] = deltas(cells[0])
    return [(first + kind, packed(column)) for kind, column in zip(kinds, cells)]


def compact(switches=(), wakings=(), table=("swapper/0", "alpha", "beta", "gamma"), flags=True):
    """compact_sched of switches (ts, prev_state, next_pid, next_prio, comm) and wakings (ts, pid, cpu, prio, comm, flags)."""
    fields = [(5, comm) for comm in table]
    if switches:
        fields += columns(0, switches, (1, 2, 3, 4, 6))
    if wakings:
        fields += columns(0, wakings, (7, 8, 9, 10, 11, 12))[:6 if flags else 5]
    return 4, message(*fields)


def tree(ts, processes=(), threads=()):
    """process_tree of processes (pid, ppid, command) and threads (tid, name, tgid)."""
    rows = [(1, message((1, pid), (2, ppid), (3, command))) for pid, ppid, command in processes]
    rows += [(2, message((1, tid), (2, name), (3, tgid))) for tid, name, tgid in threads]
    return packet((8, ts), (2, message(*rows)))


def kernel(release, *more, system="Linux"):
    return packet((45, message((1, message((1, system), (2, "#1 SMP"), (3, release), (4, "x86_64"))), *more)))


def clocks(**values):
    ids = {"boot": 6, "mono": 3, "raw": 5, "real": 1}
    return packet((8, values["boot"]),
                  (6, message(*[(1, message((1, ids[name]), (2, at))) for name, at in values.items()])))


def newtask(ts, by, thread, flags):
    return ev(ts, by, 235, (1, thread[0]), (2, thread[1]), (3, flags), (4, 0))


def rename(ts, tid, old, new):
    return ev(ts, tid, 236, (1, tid), (2, old), (3, new), (4, 0))


def exits(ts, thread, by=None):
    """The thread says that it ends; then somebody frees it."""
    return [
        ev(ts, thread[0], 238, (1, thread[1]), (2, thread[0]), (3, thread[0]), (4, 120)),
        ev(ts + 5, thread[0] if by is None else by, 240, (1, thread[1]), (2, thread[0]), (3, 120))
    ]


def blocked(ts, by, tid, iid, io):
    return ev(ts, by, 18, (1, tid), (2, iid), (3, io))


def symbols(ts, *names):
    return packet((8, ts), (10, 1), (13, 1),
                  (12, message(*[(26, message((1, i + 1), (2, n))) for i, n in enumerate(names)])))


def stats(ts, *fields):
    return packet((8, ts), (7, message(*fields)))


def rss(ts, pid, member, size, *fields):
    return ev(ts, pid, 313, (1, member), (2, size), *fields)


def all_states(release, *more):
    """A thread that stops with every bit of its state once, with some together and with none."""
    bits = [0] + [1 << n for n in range(17)] + [3, 0x102, 0x402, 0x802, 0x1002, 0x101, 0x8002, -1]
    steps = []
    for i, state in enumerate(bits):
        steps += [switch(1000 + 20 * i, A, state, B), switch(1010 + 20 * i, B, S, A)]
    return ([kernel(release, *more)] if release else []) + [bundle(0, *steps)]


FORK, THREAD_OF = 0x11, 0x3d0f00
PAIR = [switch(100, IDLE, 0, A), switch(200, A, S, B), switch(300, B, RUN, A), switch(400, A, D, IDLE)]
ROWS = [(100, 0, 11, 120, 1), (200, S, 12, 100, 2), (300, RUN, 11, 120, 1), (400, D, 0, 120, 0)]
WAKES = [(90, 11, 0, 120, 1, 0), (150, 12, 0, 100, 2, 1), (250, 11, 1, 120, 1, 8), (260, 11, 1, 120, 1, 16)]


def make_sched():
    yield "sched_plain", [bundle(0, *PAIR)]
    yield "sched_compact", [bundle(0, compact(ROWS))]
    yield "sched_frequencies_and_interrupts", [
        bundle(0, ev(50, 0, 11, (1, 1000000), (2, 0)), switch(100, IDLE, 0, A), ev(110, 11, 36, (1, 5), (2, "disk"), (3, 0)),
               ev(135, 11, 24, (1, 1)), ev(140, 11, 37, (1, 5), (2, 1)), ev(150, 0, 11, (1, 2000000), (2, 0)),
               ev(160, 11, 25, (1, 1)), switch(200, A, S, IDLE), switch(400, IDLE, 0, B),
               ev(450, 0, 11, (1, 1000000), (2, 0)), switch(500, B, S, IDLE))
    ]
    # Within 2^52 ns: reports say lengths in microseconds, as doubles, which tell all nanoseconds apart below that.
    far = [100, 2**50 + 50, 2**51 + 200, 2**51 + 2**50 + 300, 2**52 - 2**40]
    yield "sched_times_far_apart", [
        bundle(0, *[switch(ts, *((A, S, B) if i % 2 else (B, RUN, A))) for i, ts in enumerate(far)]),
        bundle(3, compact([(ts + i % 3, S, 20 + i % 2, 100, i % 3) for i, ts in enumerate(far)], [(2**51 + 2**49, 11, 0, 100, 1, 0)])),
        bundle(1, waking(2**51 + 2**48, A, B), switch(2**52 - 2**39, A, S, B), switch(2**52 - 2**39, B, S, A))
    ]
    yield "sched_plain_and_compact", [
        bundle(0, *PAIR),
        bundle(0, compact([(t + 1000, *rest) for t, *rest in ROWS])),
        bundle(0, *[switch(2000 + 100 * i, A, S, A) for i in range(3)])
    ]
    yield "sched_first_switch_of_a_cpu", [
        bundle(3, switch(100, A, S, B)),
        bundle(2, compact(ROWS[:1])),
        bundle(1, compact(ROWS[:2]))
    ]
    yield "sched_mismatch", [
        bundle(0, switch(100, IDLE, 0, A), switch(200, C, S, B), switch(300, B, S, C), switch(400, C, D, IDLE))
    ]
    yield "sched_thread_on_two_cpus", [
        bundle(0, switch(100, IDLE, 0, A), switch(300, A, S, IDLE)),
        bundle(1, switch(200, IDLE, 0, A), switch(400, A, D, IDLE))
    ]
    yield "sched_ties_over_cpus", [
        bundle(1, *PAIR),
        bundle(0, *PAIR),
        bundle(2, compact(ROWS, WAKES)),
        bundle(0, write(200, 11, "B|10|x"), write(300, 11, "E|10"))
    ]
    yield "sched_ties_on_one_cpu", [
        bundle(0, switch(100, IDLE, 0, A), switch(100, A, S, B), waking(100, B, A), switch(100, B, RUN, A)),
        bundle(0, compact([(100, 1, 13, 1, 3), (100, 1, 12, 1, 2)], [(100, 13, 0, 1, 3, 0)]))
    ]
    yield "sched_order_of_file", [bundle(0, *reversed(PAIR)), bundle(0, waking(50, IDLE, A), switch(60, IDLE, 0, C))]
    yield "sched_tid_0_runs", [
        bundle(0, switch(100, A, S, IDLE), switch(200, (0, "other", 120), 0, A), waking(210, A, IDLE),
               blocked(220, 11, 0, 1, 1), rename(230, 0, "swapper", "renamed")),
        tree(300, [(0, 0, "zero")], [(0, "idle", 0)])
    ]
    yield "sched_comm_changes", [
        bundle(0, switch(100, IDLE, 0, A), switch(200, (11, "alpha2", 120), S, B), rename(250, 12, "beta", "beta2"),
               switch(300, (12, "", 100), S, A), waking(350, A, (12, "beta3", 100)), switch(400, A, S, IDLE))
    ]
    yield "sched_comm_and_tree", [
        tree(10, [(10, 1, "app")], [(11, "from tree", 10)]),
        bundle(0, *PAIR, rename(500, 10, "app", "new app"), rename(510, 11, "alpha", "from rename"),
               rename(520, 77, "x", ""))
    ]
    yield "sched_huge_ids", [
        bundle(0, switch(100, IDLE, 0, (2147483647, "big", -1)), switch(200, (2147483647, "big", -1), 1,
                                                                        (-1, "neg", 0)),
               switch(300, (-1, "neg", 0), -1, IDLE))
    ]
    yield "sched_missing_fields", [
        bundle(0, ev(100, 11, 4), ev(200, 11, 4, (6, 12)), ev(300, 12, 4, (2, 12), (4, 1)), ev(400, 11, 20),
               ev(500, 11, 20, (2, 12)), ev(600, 0, 18), ev(700, 11, 235), ev(800, 11, 236), ev(900, 11, 240))
    ]
    for name, release in (("none", None), ("4_4", "4.4.0-x"), ("4_9", "4.9.337"), ("4_14", "4.14.1"),
                          ("6_8", "6.8.0-45-generic"), ("text", "next")):
        yield f"sched_states_{name}", all_states(release)
    yield "sched_states_of_another_system", [kernel("6.8.0", system="Other"), *all_states(None)]


def make_states():
    yield "waking_of_all_kinds", [
        bundle(0, waking(50, IDLE, C), switch(100, IDLE, 0, A), waking(120, A, A), switch(200, A, S, B),
               waking(220, B, A), waking(230, B, A), waking(240, B, B), switch(300, B, PREEMPTED, A), waking(320, A, B),
               switch(400, A, RUN, IDLE), waking(450, IDLE, A), waking(460, C, A))
    ]
    yield "waking_of_old_kinds", [
        bundle(0, *PAIR[:2], waking(220, B, A, kind=17), waking(240, B, A, kind=114), switch(300, B, S, C))
    ]
    yield "waking_compact", [bundle(0, compact(ROWS, WAKES))]
    yield "waking_compact_first", [bundle(0, compact((), WAKES)), bundle(1, compact(ROWS[:1], WAKES[:2]))]
    yield "waking_compact_no_flags", [bundle(0, compact(ROWS, WAKES, flags=False))]
    yield "waking_across_cpus", [
        bundle(0, compact(ROWS)),
        bundle(1, compact([(110, 0, 13, 139, 3), (120, 1, 13, 139, 3)], [(t + 60, *rest) for t, *rest in WAKES]))
    ]
    yield "preempted_then_waking", [
        kernel("5.10.1"),
        bundle(0, switch(100, IDLE, 0, A), switch(200, A, PREEMPTED, B), waking(210, B, A),
               switch(300, B, PREEMPTED | S, A), switch(400, A, S, B))
    ]
    yield "blocked_reasons", [
        symbols(5, "do_page_fault", "io_schedule"),
        packet((10, 1), (13, 2), (1,
                                  message(
                                      (1, 0), switch(100, IDLE, 0, A), switch(200, A, D, B), blocked(205, 12, 11, 1, 0),
                                      blocked(206, 12, 12, 1, 1), switch(300, B, D, C), blocked(301, 13, 12, 2, 1),
                                      blocked(302, 13, 12, 99, 0), waking(310, C, B), blocked(320, 13, 12, 1, 1),
                                      blocked(330, 13, 77, 1, 1), switch(400, C, S, B), blocked(405, 12, 12, 1, 1))))
    ]
    yield "blocked_reason_without_symbols", [bundle(0, *PAIR[:2], blocked(205, 12, 11, 1, 1))]
    yield "newtask_thread", [
        tree(10, [(10, 1, "app")]),
        bundle(0, switch(100, IDLE, 0, MAIN), newtask(150, 10, A, THREAD_OF), newtask(160, 10, A, THREAD_OF),
               switch(200, MAIN, S, A), switch(300, A, S, MAIN))
    ]
    yield "newtask_fork", [
        tree(10, [(10, 1, "app")]),
        bundle(0, switch(100, IDLE, 0, MAIN), newtask(150, 10, A, FORK), switch(200, MAIN, S, A),
               rename(210, 11, "alpha", "child"), switch(300, A, S, MAIN), newtask(350, 77, B, FORK),
               newtask(360, 77, IDLE, FORK))
    ]
    yield "newtask_before_its_process", [
        bundle(0, newtask(100, 11, B, THREAD_OF), newtask(110, 12, C, THREAD_OF), newtask(120, 13, (14, "d", 1), FORK)),
        tree(200, [(10, 1, "app")], [(12, "beta", 10)]),
        bundle(0, newtask(300, 12, (15, "e", 1), FORK))
    ]
    yield "newtask_of_two_processes", [
        tree(10, [(10, 1, "app"), (20, 1, "other")], [(11, "alpha", 20)]),
        bundle(0, newtask(100, 77, A, THREAD_OF), newtask(110, 10, (77, "late", 1), THREAD_OF)),
        tree(200, (), [(11, "alpha", 20)])
    ]
    yield "pid_reuse", [
        tree(10, [(10, 1, "app")], [(11, "alpha", 10)]),
        bundle(0, switch(100, IDLE, 0, A), *exits(150, A), switch(200, A, 16, MAIN), *exits(250, MAIN),
               switch(300, MAIN, 32, B), newtask(350, 12, MAIN, FORK), newtask(360, 10, A, THREAD_OF),
               switch(400, B, S, MAIN), switch(500, MAIN, S, A))
    ]
    yield "pid_reuse_by_fork", [
        tree(10, [(10, 1, "app")], [(11, "alpha", 10)]),
        bundle(0, *PAIR, newtask(500, 12, MAIN, FORK), switch(600, MAIN, S, A), newtask(700, 12, A, FORK),
               switch(800, A, S, B))
    ]
    yield "free_of_main_thread_first", [
        tree(10, [(10, 1, "app")], [(11, "alpha", 10), (12, "beta", 10)]),
        bundle(0, *PAIR, *exits(500, MAIN), *exits(510, A), switch(600, B, S, A), *exits(700, (99, "unknown", 1)))
    ]
    yield "free_before_its_fork", [
        bundle(0, *exits(100, A, by=12), newtask(100, 12, A, FORK), *exits(200, A, by=12), newtask(203, 12, A, FORK))
    ]
    yield "exec_and_wait", [
        bundle(0, ev(100, 11, 237, (1, "/bin/x"), (2, 11)), ev(110, 11, 239, (1, "a"), (2, 11), (3, "b"), (4, 12)),
               ev(120, 13, 242, (1, "c"), (2, 14), (3, 120)))
    ]
    yield "tree_around_events", [
        tree(10, [(10, 1, "first"), (2, 0, "kthreadd"), (30, 2, "kworker/0:1-events"), (31, 2, "kworker/u:3+x")],
             [(10, "main thread", 10)]),
        bundle(0, *PAIR, switch(450, MAIN, S, (30, "kworker/0:1", 120))),
        tree(420, [(10, 1, "second")], [(11, "t", 10)]),
        tree(600, [(11, 10, "now a process")])
    ]


def make_bundles():
    yield "bundle_without_cpu", [packet((1, message(switch(100, IDLE, 0, A)))), bundle(0, *PAIR)]
    yield "bundle_cut", [bundle(0, *PAIR), bundle(0, *PAIR)[:-9]]
    yield "bundle_overrun", [packet((1, message((1, 0), *PAIR) + b"\x12\x70abc")), bundle(1, *PAIR)]
    yield "bundle_garbage", [bundle(0, PAIR[0], (2, b"\x0f\xff\xff"), (2, b""), (9999, 5), (4, b"\x0a\xff"), PAIR[1])]
    yield "bundle_lost_events", [
        bundle(0, *PAIR[:2]), bundle(0, (3, 1), *PAIR[2:]),
        bundle(1, (3, 1)), bundle(2, (3, 0))
    ]
    yield "bundle_high_cpus", [
        bundle(5, *PAIR), bundle(1023, compact(ROWS)),
        bundle(2, ev(100, 11, 13, (1, 1), (2, 77)))
    ]
    yield "bundle_several_kinds", [
        bundle(0, (2, message((1, 100), (2, 11), (13, message((1, 1), (2, 1))), (3, message((2, "B|10|both"))))),
               compact(ROWS, WAKES), *PAIR)
    ]
    yield "event_without_time", [bundle(0, (2, message((2, 11), (13, message((1, 1))))), PAIR[0])]
    yield "event_without_kind", [
        bundle(0, (2, message((1, 100), (2, 11))), (2, message((1, 150), (2, 11), (7, 7))), PAIR[1])
    ]
    yield "event_without_pid", [bundle(0, ev(100, None, 13, (1, 1), (2, 1)), write(110, None, "B|10|x"), *PAIR[1:])]
    yield "compact_unequal", [
        bundle(0, (4,
                   message((5, "a"), (1, packed([100, 10, 10])), (2, packed([0, 1])), (3, packed([11, 12, 13])),
                           (4, packed([1, 2, 3])), (6, packed([0, 0, 0])))))
    ]
    yield "compact_bad_index", [
        bundle(0, compact([*ROWS[:2], (300, 1, 13, 1, 4), (400, 1, 11, 1, 1)], [*WAKES[:2], (160, 13, 0, 1, 9, 0)]))
    ]
    yield "compact_missing_column", [
        bundle(0, (4, message((5, "a"), (1, packed([100, 10])), (3, packed([11, 12])))),
               (4, message((5, "a"), (7, packed([100, 10])), (8, packed([11, 12])))))
    ]
    yield "compact_cut_column", [
        bundle(0, (4,
                   message((5, "a"), (1, packed([100, 10]) + b"\x80"), (2, packed([0, 1, 1])),
                           (3, packed([11, 12, 13])), (4, packed([1, 2, 3])), (6, packed([0, 0, 0])))))
    ]
    yield "compact_not_packed", [bundle(0, (4, message((5, "a"), (1, 100), (2, 1), (3, 11), (4, 1), (6, 0))))]
    yield "compact_two_lists", [bundle(0, compact(ROWS[:2]), compact(ROWS[2:], table=("swapper/0", "other")))]
    yield "compact_empty", [bundle(0, (4, b"")), bundle(0, compact(ROWS[:1], table=()))]
    yield "compact_wide_values", [
        bundle(
            0,
            compact([(100, 0, 11, 120, 1), (200, 65537, 12, -1, 2), (300, -1, 13, 70000, 3), (400, 1, 0, 0, 0)],
                    [(250, 11, 65537, 65537, 1, 65544)]))
    ]
    yield "compact_back_in_time", [bundle(0, compact([(300, 0, 11, 1, 1), (200, 1, 12, 1, 2), (400, 1, 11, 1, 1)]))]
    yield "clock_mono_raw", [clocks(boot=5000, raw=1000), bundle(0, (5, 4), *PAIR), bundle(1, compact(ROWS), (5, 4))]
    yield "clock_from_bundle", [
        clocks(boot=10, mono=20),
        packet((10, 1), (1, message((1, 0), (5, 2), (6, 100), (7, 5100), *PAIR))),
        packet((10, 1), (1, message((1, 1), (5, 2), (6, 100), (7, 9100), *PAIR))),
        packet((10, 1), (1, message((1, 0), (5, 2), (6, 1000), (7, 6500), switch(1100, A, S, B))))
    ]
    yield "clock_unknown", [packet((10, 1), (1, message((1, 0), (5, 3), *PAIR, compact(ROWS)))), bundle(1, *PAIR)]
    yield "clock_zero", [clocks(boot=10, mono=20), bundle(0, (5, 0), (6, 100), (7, 5100), *PAIR)]
    started = packet((8, 250), (69, message((2, 1))))
    yield "early_hard", [bundle(0, *PAIR, write(150, 11, "B|10|early")), bundle(1, compact(ROWS, WAKES)), started]
    yield "early_soft", [
        bundle(0, (10, 250), *PAIR, waking(120, A, B), waking(350, A, B), write(150, 11, "B|10|x")),
        bundle(1, (9, 200), compact(ROWS, WAKES))
    ]
    yield "early_soft_of_second_bundle", [
        bundle(0, *PAIR[:2]), bundle(0, (10, 300), *PAIR[2:]),
        bundle(1, (9, 150), *PAIR)
    ]
    yield "early_both", [
        started,
        bundle(0, (10, 350), compact([(t, *rest) for t, *rest in ROWS] + [(500, 1, 11, 1, 1), (600, 1, 12, 1, 2)],
                                     WAKES)),
        bundle(1, *PAIR)
    ]
    yield "early_preserved", [started, packet((34, message((1, 1), (8, 1)))), bundle(0, *PAIR)]
    yield "negative_times", [bundle(0, switch(-5, IDLE, 0, A), *PAIR[1:])]
    counts = [
        message((1, phase), *[(2,
                               message((1, cpu), (2, 10 * phase), (3, 3 * phase), (4, phase), (5, 4096 * phase),
                                       (6, 1.5 * phase), (7, 2.25 * phase), (8, phase - 1), (9, 100 * phase)))
                              for cpu in (0, 1)], (10, message((1, 7 * phase), (2, 2 * phase)))) for phase in (1, 2)
    ]
    yield "stats_of_ftrace", [
        *[packet((34, count)) for count in counts],
        packet((34, message((1, 2), (2, message((1, 7), (2, 5), (8, 2))))))
    ]
    yield "stats_of_setup", [
        packet((10, 1),
               (34, message((1, 1), (5, "atrace says no"), (6, "sched/none"), (7, "sched/failed"), (9, 12),
                            (13, "busy"))))
    ]
    described = message((1, "my_event"), *[(2, message((1, name), (3, n + 1), (4, 1), (5, kind)))
                                           for n, (name, kind) in enumerate((("a", 4), ("b", 9), ("c", 5)))])
    yield "events_generic", [
        bundle(
            0,
            ev(100, 11, 327, (1, "old"), (2, message((1, "s"), (3, "text"))), (2, message((1, "i"), (4, -5))),
               (2, message((1, "u"), (5, 7))), (2, message((1, "none")))),
            ev(110, 11, 65600, (1, 5), (2, "text"), (3, -7)), ev(120, 11, 65700, (1, 5)),
            (11, message((1, 65600), (2, described), (3, "group"))))
    ]
    yield "events_without_rules", [
        bundle(0, ev(100, 11, 42, (1, 5), (2, "x")), ev(110, 11, 9000, (1, 1)), ev(120, 11, 26, (1, 3)),
               ev(130, 0, 17, (1, "c"), (2, 11), (3, 1), (4, 1), (5, 0)))
    ]
    yield "common_flags", [bundle(0, ev(100, 11, 13, (1, 1), (2, 0), extra=[(5, 3)]))]
    track = THREAD + event(150, BEGIN, "slice") + event(350, END)
    yield "with_track_events", [track, bundle(0, *PAIR, write(160, 101, "B|100|inside"), write(340, 101, "E|100"))]
    yield "with_several_machines", [bundle(0, *PAIR), packet((98, 5), (1, message((1, 0), *PAIR)))]

def of(machine, *packets):
    """The packets as another machine sends them."""
    out = []
    for data in packets:
        at = 1
        while data[at] >= 128:
            at += 1
        body = field(98, machine) + data[at + 1:]
        out.append(data[:1] + varint(len(body)) + body)
    return b"".join(out)


def sync(*rounds):
    """How another machine's clocks relate to those of the first: of each round its own readings, and the other's."""
    both = [[message(*[(1, message((1, clock), (2, at))) for clock, at in side.items()]) for side in pair] for pair in rounds]
    return packet((107, message(*[(1, message((2, own), (3, other))) for own, other in both])))


def make_machines():
    """What several machines recorded together."""
    left = bundle(0, *PAIR, waking(220, A, C), switch(500, IDLE, RUN, C))
    right = bundle(1, switch(110, IDLE, RUN, MAIN), waking(120, MAIN, C), switch(510, MAIN, S, IDLE))
    lives = newtask(110, 11, B, FORK), newtask(120, 11, C, THREAD_OF), rename(130, 12, "beta", "two"), *exits(140, B)
    cpu = packet((67, message((1, message((1, "x"), (2, 300), (2, 900))), (1, message((2, 300), (2, 600))))))
    rows = [stats(ts, (3, message((1, 0), (2, ts))), (1, message((1, 1), (2, 8)))) for ts in (100, 200)]
    track = [THREAD, event(150, BEGIN, "slice"), event(350, END)]
    yield "machines_sched", [left, of(5, right, left), right, of(7, left)]
    yield "machines_tasks", [
        tree(10, [(11, 1, "app")], [(13, "gamma", 11)]),
        of(5, tree(10, [(11, 1, "other"), (20, 11, "child")]),
           bundle(0, *lives, write(150, 11, "B|11|a"), write(160, 0, "E|0"))),
        bundle(0, *lives, write(150, 11, "B|11|a"), write(155, 13, "C|11|c|5"), write(160, 11, "E|11"))
    ]
    yield "machines_systems", [
        kernel("6.1.0", (17, "box")), cpu, *rows,
        of(5, kernel("4.4.0", (6, 16384), (8, 2), (17, "card")), cpu, *rows, all_states(None)[0]),
        of(7, kernel("1.0", system="Darwin"))
    ]
    yield "machines_tracks", [*track, of(5, *track, event(360, BEGIN, "open")), of(7, tree(10, [(100, 1, "app")])), *track[1:]]
    pair = clocks(boot=1000, mono=900)
    late = [packet((8, 1000 + at), (58, 3), *fields) for at, *fields in ((50, (7, message((4, 1)))), (70, (7, message((4, 2)))))]
    yield "machines_clocks", [
        pair, *late,
        of(5, clocks(boot=5000, mono=100), sync(({6: 5000, 3: 100}, {6: 1000, 3: 900}), ({6: 5020, 3: 120}, {6: 1030, 3: 930})),
           *late, bundle(0, switch(4900, IDLE, RUN, A), switch(5000, A, S, B)), sync(({6: 5000}, {6: 1000}), ({6: 40000000000}, {6: 1030}))), late[1]
    ]


PRINTS = {
    "begin_end": ["B|10|one", "B|10|two|bars", "E|10", "E", "E", "B|10|", "E|10\n", "B|0|own", "E|0"],
    "bad": [
        "", "B", "B|", "B|x|y", "X|10|y", "C|10|c", "C|10|c|x", "C|10||5", "S|10|n", "S|10||5", "F|10|n|x", "I|10|",
        "N|10|t", "N|10||x", "G|10|t|n", "H|10|t", "trace_event_clock_sync: parent_ts=5.0",
        "trace_event_clock_sync: realtime_ts=5", "no bars at all", "|10|x", "B |10|space"
    ],
    "instants": ["I|10|one", "I|0|two|more", "I|10|", "I|x|three", "I|10|one\n"],
    "async": [
        "S|10|load|1", "S|10|load|2", "S|10|load|1", "F|10|load|1", "F|10|load|2", "F|10|load|3", "S|10|load|3",
        "S|20|load|1", "S|10|-|-5", "F|10|-|-5", "F|20|other|9"
    ],
    "async_tracks": [
        "G|10|lane|a|1", "G|10|lane|b|1", "G|10|lane|c|2", "H|10|lane|b|1", "H|10|lane|1", "H|10|lane||2",
        "H|10|lane|7", "N|10|lane|n", "N|10|other|n", "G|10|lane|d|7", "N|10|DeviceStateChanged|dark"
    ],
    "counters": [
        "C|10|c|5", "C|10|c|-7", "C|20|c|5|more", "C|0|c|1", "C|10|ScreenState|2", "C|10|battery_stats.wifi|1",
        "C|10|c|99999999999", "C|11|c| 4", "C|10|kill_one_process|10", "C|10|kill_one_process|0"
    ],
    "numbers": [
        "B|+10|plus", "B| 10|blank", "B|-1|minus", "B|4294967306|wraps", "B|10x|letters", "B|0x10|hex", "C|10|c|+5",
        "C|10|c|5x", "C|10|c|9223372036854775808", "C|10|c|-9223372036854775808"
    ],
    "lmk": ["B|10|lmk,20,900,5", "E|10", "B|10|lmk,20,900", "E|10", "B|10|lmk,x,900,5"],
    "bytes": ["B|10|caf\u00e9", "B|10|nul\0cut", "E\0", "B|10|tab\tx\n\n", "C|10|n\0|5", "B|10|x\0\n"],
}


def make_others():
    for name, texts in PRINTS.items():
        yield f"print_{name}", [bundle(0, *[write(100 + 10 * i, 11, text) for i, text in enumerate(texts)])]
    broken = (b"B|10|\xff\xfe", b"C|10|\xc3|5", b"B|10|\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", b"I|10|cut\xe2\x82",
              b"I|10|a\xe2bcd", b"I|10|\xe2b", b"I|10|\xed\xa0\x80s\xc0\x80t\xf4\x90\x80\x80u\xe0\x80\x80v", b"I|10|\xf8abcdefg")
    yield "print_not_utf8", [bundle(0, *[ev(100 + 10 * i, 11, 3, (2, text)) for i, text in enumerate(broken)])]
    yield "print_joins_thread_and_process", [
        bundle(0, write(100, 11, "B|10|a"), write(110, 11, "B|20|b"), write(120, 20, "B|20|c"), write(130, 0, "B|10|d"),
               write(140, 0, "E|10"), write(150, 30, "E|0"), write(160, 31, "C|40|c|1"))
    ]
    yield "print_of_reused_thread", [
        tree(10, [(10, 1, "app")], [(11, "alpha", 10)]),
        bundle(0, write(100, 11, "B|10|a"), *exits(110, A), *exits(120, MAIN), newtask(130, 12, A, FORK),
               write(140, 11, "B|11|b"), write(150, 11, "E|11"), write(160, 11, "E|11"))
    ]
    yield "print_and_track_events", [
        THREAD,
        event(100, BEGIN, "outer"),
        bundle(0, write(120, 101, "B|100|inner"), write(500, 101, "E|100")),
        event(300, END)
    ]
    yield "print_of_the_kernel", [
        bundle(0, ev(100, 11, 331, (1, 1), (2, "zero"), (3, 10), (4, 0)),
               ev(110, 11, 331, (1, 2), (2, ""), (3, 10), (4, 0)),
               ev(120, 11, 331, (1, 4), (2, "count"), (3, 10), (4, -3)), ev(130, 11, 331, (1, 8), (2, "bad"), (3, 10)),
               ev(140, 11, 80, (1, 10), (2, "mdss"), (3, 1)), ev(150, 11, 80, (1, 10), (2, "mdss"), (3, 0)),
               ev(160, 11, 333, (1, 10), (2, "sde"), (3, 66), (4, 0)),
               ev(170, 11, 333, (1, 10), (2, "sde"), (3, 69), (4, 0)),
               ev(180, 11, 333, (1, 10), (2, "sde"), (3, 67), (4, 9)), ev(190, 11, 333, (1, 10), (2, "old sde"),
                                                                          (5, 1)),
               ev(195, 11, 333, (1, 10), (2, "x"), (3, 88)),
               ev(200, 11, 348, (1, 10), (2, "dpu"), (4, "dpu"), (5, 66), (6, 0)), ev(210, 11, 348, (1, 10), (5, 69)),
               ev(220, 11, 348, (1, 10), (4, "d"), (5, 67), (6, 4)), ev(230, 11, 348, (1, 10), (4, "s"), (5, 83),
                                                                        (6, 4)))
    ]
    yield "irq_nesting", [
        bundle(1, ev(100, 11, 36, (1, 5), (2, "disk"), (3, 0)), ev(110, 11, 36, (1, 6), (2, "net")),
               ev(120, 11, 37, (1, 6), (2, 1)), ev(130, 11, 37, (1, 5), (2, 0)), ev(140, 11, 37, (1, 5), (2, 1)),
               ev(150, 11, 24, (1, 1)), ev(160, 11, 559, (1, 236)), ev(170, 11, 560, (1, 236)), ev(180, 11, 25, (1, 1)),
               ev(190, 11, 24, (1, 9)), ev(200, 11, 24, (1, 99)), ev(210, 11, 25, (1, 99)), ev(220, 11, 36, (1, 7)))
    ]
    yield "suspend", [
        bundle(
            0, *[
                ev(100 + 10 * i, 11, 113, (1, action), (2, value), (3, start))
                for i, (action, value, start) in enumerate((("suspend_enter", 3, 1), ("freeze_processes", 0, 1),
                                                            ("freeze_processes", 0, 0), ("timekeeping_freeze", 5, 1),
                                                            ("timekeeping_freeze", 7, 0), ("thaw_processes", 0, 1),
                                                            ("thaw_processes", 0, 0), ("suspend_enter", 3,
                                                                                       0), ("CPU_OFF", 1, 1),
                                                            ("CPU_OFF", 1, 1), ("CPU_OFF", 1, 0), ("CPU_OFF", 2, 0)))
            ])
    ]
    yield "suspend_cut_by_thaw", [
        bundle(
            0, *[
                ev(100 + 10 * i, 11, 113, (1, action), (2, 0), (3, start))
                for i, (action, start) in enumerate((("suspend_enter", 1), ("freeze_processes", 1),
                                                     ("thaw_processes", 1), ("thaw_processes", 0), ("suspend_enter",
                                                                                                    0)))
            ])
    ]
    yield "wakelocks", [
        bundle(
            0, *[
                ev(100 + 10 * i, 11, kind, (1, name), (2, 0))
                for i, (kind, name) in enumerate(((404, "wifi"), (404, "wifi"), (405, "wifi"), (405, "wifi"),
                                                  (405, "wifi"), (404, "a name of more than thirty-one bytes"), (404,
                                                                                                                 "")))
            ])
    ]
    yield "workqueue", [
        symbols(5, "my_work"),
        packet((10, 1), (13, 2),
               (1,
                message((1, 0), ev(100, 11, 58, (1, 7),
                                   (2, 1)), ev(110, 11, 57, (1, 7),
                                               (2, 1)), ev(120, 11, 58, (1, 8),
                                                           (2, 0xffff1234)), ev(130, 12, 57,
                                                                                (1, 8)), ev(140, 11, 57, (1, 8)))))
    ]
    yield "cpu_counters", [
        bundle(1, ev(100, 0, 11, (1, 1800000), (2, 1)), ev(110, 0, 13, (1, 2), (2, 0)),
               ev(120, 0, 13, (1, 4294967295), (2, 0)), ev(130, 0, 12, (1, 300000), (2, 2000000), (3, 2)),
               ev(140, 0, 421, (2, 1024), (4, 3), (6, 512), (11, 2)), ev(150, 0, 14, (1, "gcc"), (2, 1), (3, 0)),
               ev(160, 0, 15, (1, "gcc"), (2, 0), (3, 0)), ev(170, 0, 16, (1, "gcc"), (2, 19200000)),
               ev(180, 0, 320, (1, "clk")), ev(190, 0, 332, (1, 0), (2, 585000)), ev(200, 0, 332, (1, 1), (2, 0)),
               ev(210, 0, 16, (2, 5)))
    ]
    yield "gpu_memory", [
        tree(10, [(10, 1, "app")]),
        bundle(0, ev(100, 0, 340, (1, 0), (2, 0), (3, 100)), ev(110, 0, 340, (1, 0), (2, 10), (3, 50)),
               ev(120, 0, 340, (1, 1), (2, 77), (3, 7)), ev(130, 77, 340, (1, 1), (2, 77), (3, 8)))
    ]
    yield "rss_late_binding", [
        bundle(0, rss(100, 11, 0, 4096), rss(110, 11, 1, 8192, (3, 1), (4, 500)), rss(120, 12, 2, 1, (3, 0), (4, 500)),
               rss(130, 12, 3, 2, (3, 0), (4, 501)), rss(140, 13, 4, -5), rss(150, 13, 9, 5),
               rss(160, 0, 0, 7, (3, 1), (4, 0))),
        tree(400, [(10, 1, "app")], [(11, "alpha", 10)])
    ]
    yield "rss_of_a_dead_thread", [
        tree(10, [(10, 1, "app")], [(11, "alpha", 10)]),
        bundle(0, rss(100, 11, 0, 4096, (3, 1), (4, 500)), *exits(110, A), rss(120, 12, 0, 8192, (3, 0), (4, 500)),
               rss(130, 12, 0, 1, (3, 0), (4, 500)))
    ]
    yield "oom", [
        tree(10, [(10, 1, "app")]),
        bundle(0, ev(100, 11, 326, (1, "app"), (2, -900), (3, 10)), ev(110, 11, 326, (1, "x"), (2, 70000), (3, 55)),
               ev(120, 11, 334, (1, 10)), ev(130, 11, 324, (1, 0), (2, 0), (3, 9)),
               ev(140, 11, 325, (1, 0), (2, "app"), (3, 1), (4, 10), (5, 0), (6, 9)))
    ]
    yield "syscalls", [
        kernel("6.1.0"),
        bundle(0, ev(100, 11, 329, (1, 0), (2, 3), (2, 4)), ev(110, 11, 330, (1, 0), (2, 17)),
               ev(120, 11, 329, (1, 1), (2, 1)), write(130, 11, "B|10|marked"), ev(140, 11, 330, (1, 1), (2, 5)),
               ev(150, 11, 329, (1, 15)), ev(160, 11, 330, (1, 999), (2, -1)))
    ]
    for arch in ("aarch64", "riscv64"):
        yield f"syscalls_{arch}", [
            packet((45, message((1, message((1, "Linux"), (2, "#1"), (3, "6.1.0"), (4, arch)))))),
            bundle(0, *(ev(100 + i, 11, 329 + end, (1, call), (2, i)) for i, (call, end) in enumerate(
                ((63, 0), (63, 1), (139, 0), (64, 0), (57, 0), (57, 1), (64, 1), (64, 1), (451, 0), (549, 0), (550, 0), (-1, 0)))))
        ]
    yield "syscalls_and_marks", [
        kernel("6.1.0"),
        bundle(0, ev(100, 11, 330, (1, 1), (2, 5)), write(110, 11, "B|11|outer"), ev(120, 11, 330, (1, 0), (2, -4)),
               ev(130, 11, 329, (1, 1)), ev(140, 11, 329, (1, 35), *[(2, i) for i in range(6)]), write(150, 11, "B|11|inner"),
               ev(160, 11, 330, (1, 1), (2, 1)), ev(170, 11, 330, (1, 35), (2, 0)), ev(180, 12, 329, (1, 1)),
               ev(190, 12, 331, (1, 1), (2, "zero"), (3, 12)), write(200, 11, "E|11"), ev(210, 12, 330, (1, 1), (2, 9)),
               ev(220, 13, 329, (1, 1)), write(230, 13, "not a mark"), ev(240, 13, 330, (1, 1), (2, 3)), ev(250, 13, 329),
               ev(260, 13, 330))
    ]
    yield "machine", [
        kernel("6.8.0-45-generic", (2, "print"), (3, 100), (4, "Perfetto v58"), (5, 34), (6, 16384), (7, -60), (8, 8),
               (9, "soc"), (10, "rev"), (11, "ufs"), (12, "ddr"), (13, "guest"), (14, "maker"), (15, "ttyS0"),
               (16, 16000000000), (17, "box"))
    ]


def make_stats():
    yield "stats_memory", [
        kernel("6.1"),
        stats(100, *[(1, message((1, key), (2, 10 * key))) for key in range(42)],
              *[(2, message((1, key), (2, key))) for key in (0, 1, 2, 37, 100, 150, 190, 9999)]),
        stats(90, (1, message((1, 1), (2, 5))))
    ]
    yield "stats_cpu", [
        stats(ts, *[(3, message((1, cpu), *[(f, ts * f * (cpu + 1)) for f in range(2, 10)])) for cpu in (0, 1)],
              (3, message((2, 5))), (3, message((1, 3), (5, 7))), (4, ts), (5, ts + 1), (6, message(
                  (1, 17), (2, ts))), (6, message((2, 1))), (7, ts + 2), (8, message((1, 3), (2, 9))), (9, ts + 1))
        for ts in (100, 200)
    ]
    yield "stats_frequency", [
        stats(ts, (10, message((1, "bus"), (2, ts * 1000))), (11, 1800000 + ts), (11, 0), (11, 2400000), (17, 585),
              (17, 600)) for ts in (100, 200)
    ]
    yield "stats_buddies", [
        kernel("6.1", (6, 16384)),
        stats(100, (12, message((1, "0"), (2, "Normal"), *[(3, n) for n in (9, 8, 7)])), (12, message((2, "DMA"),
                                                                                                      (3, 1))))
    ]
    yield "stats_disks", [
        stats(ts, *[(13, message((1, name), *[(f, ts * f) for f in range(2, 10)])) for name in disks])
        for ts, disks in ((100, ["sda"]), (200, ["sda", "sdb"]), (300, ["sda", "sdb"]), (250, ["sda"]))
    ]
    yield "stats_pressure", [
        stats(100, *[(14, message((1, resource), (2, 1000 * resource))) for resource in (1, 2, 3, 4, 5, 6)],
              (14, message((2, 5)))),
        stats(200, (14, message((1, 1), (2, 5))), (14, message((1, 77), (2, 5))), (14, message((1, 2), (2, 6))),
              (16, message((1, 0))))
    ]
    yield "stats_heat_idle_slab", [
        stats(100, (15, message((1, "thermal_zone0"), (2, 45), (3, "cpu-thermal"))), (15, message(
            (1, "z"), (2, 7))), (16, message((1, 0), (2, message((1, "C1"), (2, 500))), (2, message(
                (1, "C2"), (2, 9))))), (16, message((1, 1), (2, message((1, "C1"), (2, 1))))),
              (18, message((1, "dentry"), (2, 4), (3, 100))), (18, message((1, "none"))))
    ]
    log = [(1, message((1, 0), (2, 10), (3, 11), (4, 1000), (5, 5200), (6, "tag"), (7, 4), (8, "hello"))),
           (1,
            message((2, 10), (3, 12), (5, 5100), (6, "args"), (7, 0), (8, "said"), (9, message((1, "n"), (2, -3))),
                    (9, message((1, "s"), (4, "t"))))), (1, message((2, 0), (3, 0), (5, 5300), (7, 6))),
           (1, message((5, 5400), (8, "nobody")))]
    yield "logs", [
        clocks(boot=1000, real=5000),
        packet((8, 1500), (39, message(*log, (2, message((1, 10), (2, 2), (3, 1)))))),
        bundle(0, *PAIR)
    ]
    yield "logs_without_clock", [packet((8, 1500), (39, message(*log)))]
    arm = (4, message((1, 65), (2, 8), (3, 1), (4, 0xd46), (5, 2)))
    yield "cpus", [
        packet((67,
                message((1, message((1, "little"), (2, 300), (2, 600),
                                    (3, 250), arm)), (1, message((1, "little"), (2, 300), (3, 250))),
                        (1, message((1, "big"), (2, 900), (3, 1024), (5, 1), (5, 4))))))
    ]
    yield "cpus_by_frequency", [
        packet((67,
                message((1, message((1, "x"), (2, 300), (2, 900))), (1, message((2, 300), (2, 600))),
                        (1, message((3, 9), (2, 900))))))
    ]
    yield "cpus_without_anything", [packet((67, message((1, message()), (1, message((1, "only"))))))]
    yield "cpus_empty", [packet((67, b"")), bundle(2, *PAIR)]


def make_generic():
    """Kernels of other systems."""

    def task(ts, cpu, comm, tid, state, prio=1):
        return packet((8, ts), (117, message((1, cpu), (2, comm), (3, tid), (4, state), (5, prio))))

    yield "generic_states", [
        task(100, 0, "a", 11, 1),
        task(110, 0, "a", 11, 2),
        task(120, 0, "a", 11, 3),
        task(130, 0, "a", 11, 4),
        task(130, 0, "b", 12, 3),
        task(140, 0, "a", 11, 3),
        task(150, 1, "b", 12, 5),
        task(160, 0, "a", 11, 7),
        task(170, 0, "a", 11, 8),
        task(180, 0, "a", 11, 3)
    ]
    yield "generic_faults", [
        task(100, 0, "a", 11, 3),
        task(110, 0, "a", 11, 1),
        task(120, 0, "a", 11, 3),
        task(130, 0, "a", 11, 0),
        task(140, 0, "a", 11, 7),
        task(150, 0, "a", 11, 2),
        task(160, 0, "a", 1 << 40, 3),
        task(170, 1, "z", 0, 3),
        task(180, 1, "z", 0, 4)
    ]
    yield "generic_others", [
        packet((8, 100), (120, message((1, 11), (2, "named")))),
        packet((8, 110), (118, message((1, 2), (2, 1500000)))),
        packet((8, 120),
               (122,
                message((1, message((1, 10), (2, 1), (3, "app -x"))), (2, message((1, 10), (2, 10), (3, "m"), (4, 1))),
                        (2, message((1, 11), (2, 10), (3, "t"))), (2, message((1, 0), (2, 0), (3, "idle"), (5, 1)))))),
        task(130, 0, "t2", 11, 3),
        packet((8, 140), (120, message((1, 11), (2, "t3"))))
    ]


def allocation(kernel_of, info):
    return [
        *([] if kernel_of is None else [kernel(kernel_of)]),
        bundle(0, ev(100, 11, 465, (1, 8), (2, 64), (3, "zone")), ev(110, 11, 577, (1, 1), (2, 2), (3, 10), (4, 20), (5, 30)),
               ev(120, 11, *info), ev(130, 11, 465, (2, 1)), ev(140, 11, *info), ev(150, 12, *info))
    ]


def make_drivers():
    yield "drm_jobs", [
        bundle(0, ev(100, 11, 411, (2, 500), (4, 1), (6, "gfx")), ev(110, 12, 412, (2, 500), (4, 1), (6, "gfx")),
               ev(120, 11, 411, (2, 501), (4, 2), (6, "gfx")), ev(130, 12, 412, (2, 501), (4, 2), (6, "gfx")),
               ev(135, 12, 412, (2, 900), (4, 2), (6, "comp")), ev(140, 0, 413, (1, 500)), ev(150, 0, 413, (1, 777)),
               ev(160, 0, 413, (1, 501)), ev(170, 0, 413, (1, 501)), ev(180, 12, 412, (2, 502), (4, 1), (6, "gfx")),
               ev(190, 11, 411, (2, 503), (4, 9), (6, "gfx")), ev(195, 11, 411, (2, 503), (4, 9), (6, "gfx")),
               ev(200, 0, 413, (1, 502)), ev(210, 12, 412, (2, 503), (4, 9), (6, "gfx")), ev(220, 0, 413, (1, 900)))
    ]
    yield "drm_jobs_with_fences", [
        bundle(0, ev(100, 11, 593, (1, "sdma0"), (5, 7), (6, 1)), ev(105, 11, 593, (1, "sdma0"), (5, 7), (6, 2)),
               ev(110, 12, 594, (1, "sdma0"), (5, 7), (6, 1)), ev(120, 12, 594, (1, "sdma0"), (5, 7), (6, 2)),
               ev(130, 0, 592, (1, 7), (2, 1)), ev(140, 0, 592, (1, 8), (2, 2)), ev(150, 0, 592, (1, 7), (2, 2)))
    ]
    yield "drm_fences", [
        bundle(0, *(ev(at, 11, kind, (1, context), (2, "driver"), (3, number), (4, name))
                    for at, kind, context, number, name in ((100, 414, 1, 1, "ring"), (110, 414, 1, 2, "ring"),
                                                            (120, 416, 1, 1, "ring"), (130, 416, 1, 1, "ring"),
                                                            (140, 416, 1, 5, "ring"), (150, 416, 1, 6, "ring"),
                                                            (160, 414, 2, 1, "unbound"), (170, 414, 3, 1, "late"),
                                                            (180, 414, 3, 2, "late"), (190, 415, 3, 1, "late"),
                                                            (200, 414, 3, 3, "late"), (210, 415, 3, 2, "late"),
                                                            (220, 416, 3, 1, "late"), (230, 417, 3, 2, "late"),
                                                            (240, 416, 3, 2, "other"), (250, 418, 3, 2, "late"),
                                                            (260, 418, 3, 2, "late"))),
               ev(300, 0, 409, (1, 2), (3, 70)), ev(310, 0, 410, (1, 2), (3, 70)))
    ]
    yield "virtio_gpu", [
        bundle(0, *(ev(at, 11, kind, (3, fence), (5, queue), (6, free), (7, number), (8, command))
                    for at, kind, fence, queue, free, number, command in (
                        (100, 468, 0, "control", 9, 1, 0x101), (110, 468, 0, "cursor", 8, 1, 0x301),
                        (120, 468, 5, "control", 7, 2, 0x207), (130, 469, 0, "control", 8, 1, 0x1100),
                        (140, 469, 5, "control", 9, 2, 0x1100), (150, 469, 0, "control", 9, 2, 0x1100),
                        (160, 468, 0, "other", 1, 3, 0x101), (170, 468, 0, "control", 6, 3, 0x999),
                        (180, 469, 0, "cursor", 8, 7, 0x1100))))
    ]
    yield "dma_heap", [
        bundle(0, ev(100, 11, 351, (1, 5), (2, 4096), (3, 4096)), ev(110, 11, 351, (1, 6), (2, 1), (3, 4097)),
               ev(120, 12, 351, (1, 5), (2, -4096), (3, 1)), ev(130, 12, 351, (1, 9), (2, 0), (3, 1)))
    ]
    info = 466, (1, 4), (2, 64), (3, 1), (4, 2), (5, 3), (6, "zone"), (7, 4), (8, 5), (9, 6), (10, 7)
    finish = 576, (1, "zone"), (2, 2048), (3, 2000), (4, 64), (5, 8)
    for name, kernel_of in (("none", None), ("5_4", "5.4.1"), ("5_15", "5.15.0"), ("6_8", "6.8.0")):
        yield f"cma_{name}", allocation(kernel_of, info)
        yield f"cma_finish_{name}", allocation(kernel_of, finish)


def make():
    for cases in (make_sched, make_states, make_bundles, make_machines, make_others, make_stats, make_generic, make_drivers):
        for name, parts in cases():
            yield name + ".pftrace", b"".join(parts)


if __name__ == "__main__":
    sys.exit(write_or_check(make(), FIXTURES / "system"))
