#!/usr/bin/env python3
"""Writes a small capture of two AIU ranks (flex): fixtures/aiu/tp2-rank-0.json and tp2-rank-1.json.

    make_fixtures_aiu.py [--check] [FOLDER]

Two jobs, each with a kernel on both ranks and an all-reduce of 64 KiB between them, in the manner of a chain: rank 0 sends
to rank 1, which adds and sends the sum to all. The counters run at 1000 cycles/us, so that a cycle is a nanosecond.
Rank 1 is 120 us late in the first collective, rank 0 is 50 us late in the second; the host clock of rank 1 is 300 us
ahead. These numbers are what the tests expect, see JOBS and AHEAD_US.
"""
import json
import sys

from fixture_files import write_or_check

START_US = 1700000000000
CYCLES_PER_US = 1000
COUNTER = [5_000_000, 900_000_000]  # at time 0, by rank
AHEAD_US = [0, 300]
WATTS = 20
BYTES = 65536
# When each job begins, and how long the kernels of both ranks take.
JOBS = [(1000, [100, 220]), (2000, [100, 50])]
SEND_US, SUM_US, CAST_US = 40, 10, 50


class Rank:
    """The events of a rank; times in us since the start."""

    def __init__(self, number):
        self.number, self.events = number, []

    def cycles(self, us):
        return (COUNTER[self.number] + round(us * CYCLES_PER_US)) % (1 << 32)

    def pair(self, name, tid, start, end, attr=None):
        for phase, us in (("B", start), ("E", end)):
            event = {"name": name, "ph": phase, "pid": self.number, "tid": tid,
                     "ts": round(START_US + AHEAD_US[self.number] + us, 3)}
            self.events.append(dict({"attr": attr}, **event) if attr else event)

    def device(self, name, tid, start, end, steps, **more):
        """steps: times of TS1 to TS5."""
        charge = int(steps[3] * WATTS * 512 / 12) % (1 << 32)
        attr = {key: str(value) for key, value in more.items()}
        attr["Power"] = str(charge)
        attr.update({f"TS{i + 1}": str(self.cycles(us)) for i, us in enumerate(steps)})
        self.pair(name, tid, start, end, attr)

    def kernel(self, name, queued, start, end, **more):
        steps = (queued, queued, start, end, end + 0.006)
        self.device(f"{name} Cmpt Prep", 15514734831341844875, queued, start, steps, **more)
        self.device(f"{name} Cmpt Exec", 2009867741857745393, start, end, steps, **more)

    def receive(self, name, start, end, group, peer):
        steps = (start, end, end + 0.005, end + 0.005, end + 0.006)
        self.device(f"{name} DmaI", 14212308887215440790, start, end, steps, CollGroup=group, Bytes=BYTES, Peer=peer,
                    Type="WDone Barrier")

    def send(self, name, tid, start, end, group, kind, **more):
        steps = (start - 100, start - 100, start, start, end)
        self.device(f"{name} DmaO", tid, start, end, steps, CollGroup=group, Type=kind, **more)


def all_reduce(ranks, number, begin, kernels):
    """One job."""
    group = f"AllReduce_all_reduce_{number}"
    there, back = f"[sync={group}_s0_r1_0]", f"[sync={group}_s1_r0x1_2]"
    ends = [begin + 10 + length for length in kernels]
    for rank, end in zip(ranks, ends):
        rank.kernel("matmul_1", begin + 2, begin + 10, end)
    sent = ends[0] + 2 + SEND_US
    received = max(sent, ends[1] + 2) + 1
    cast = received + SUM_US + 3
    seq = 500 + 10 * number
    ranks[0].send(f"SenRdmaSend_{seq} {there}", 3789868786995959152, ends[0] + 2, sent, group, "SingleCast",
                  Bytes=BYTES, Peer=1)
    ranks[1].receive(f"SenRdmaReceive_{seq + 1} [{BYTES}B] {there}", begin + 5, received, group, 0)
    ranks[1].kernel(f"{group}_Add_1", begin + 6, received + 1, received + 1 + SUM_US, CollGroup=group)
    ranks[1].send(f"SenRdmaSend_{seq + 2} - Set BcList {back}", 3789868786995959152, cast, cast + 4, group,
                  "Set BCList", Peers=0)
    ranks[1].send(f"SenRdmaSend_{seq + 2} - Xseg to rank 0 {back}", 3789868786995959152, cast + 5, cast + 8, group,
                  "MultiCast XSEG", Peer=0)
    ranks[1].send(f"SenRdmaSend_{seq + 2} Data {back}", 3789868786995959152, cast + 9, cast + CAST_US, group,
                  "MultiCast", Bytes=BYTES)
    ranks[0].receive(f"SenRdmaReceive_{seq + 3} [{BYTES}B] {back}", begin + 5, cast + CAST_US, group, 1)
    return cast + CAST_US


def capture():
    ranks = [Rank(0), Rank(1)]
    end = 0
    for number, (begin, kernels) in enumerate(JOBS, 1):
        end = all_reduce(ranks, number, begin, kernels)
    for rank in ranks:
        rank.pair("Execute Graph", 7001, 900, end + 30)
        rank.pair("AIU Roundtrip", 7003, 910, end + 20)
    return ranks


def files():
    for rank in capture():
        lines = ",\n".join(json.dumps(event) for event in rank.events)
        yield f"aiu/tp2-rank-{rank.number}.json", f"[\n{lines}\n]\n".encode()


if __name__ == "__main__":
    sys.exit(write_or_check(files()))
