"""Random small captures of `analyze aiu`: files and the options of the command, over the whole space of inputs.

A capture is {"files": {NAME: JSON document or list of lines}, "options": [...], "fixed": bool}. make(seed) gives the same one for
a seed always. A flex capture is written job by job as the host and the device would (make_flex), a torch capture rank by rank
(make_torch); then accidents happen to some: missing members, events that are odd.
"""
import json
import random

import options
from torch_captures import make_torch

START_US = 1475001720000.0
LAP = 1 << 32
KERNELS = ["embedding", "layer_norm", "addmm_MatMul", "bmm-BMM_1", "softmax", "bmm_1-BMM_1", "add_1", "gelu_12", "mul_2",
           "view_3-LxRelayout", "reshape_9"]
CATEGORIES = ["opCatGather", "opCatLayerNorm", "opCatBmm_fp16", "opCatSoftmax", "opCatPointwise", "opCatStcdpLx"]
PREP_TID, EXEC_TID = 15514734831341844875, 2009867741857745393
IN_TID, OUT_TID = 14212308887215440790, 3789868786995959152


class Rank:
    """A device and its host: a counter with a rate and an offset, a charge that grows, and the events of the job so far."""

    def __init__(self, rng, number, soc):
        self.rng, self.number, self.events = rng, number, []
        self.rate = soc * rng.choice([1, 1, 1, 1.0005, 1.02, 0.9])
        self.first_cycle = rng.choice([0, 5_000_000, LAP - 200_000, rng.randrange(LAP)])
        self.ahead = rng.choice([0, 0, rng.randrange(-300, 300), rng.randrange(-5000, 5000)])
        self.charge = rng.choice([0, rng.randrange(LAP), LAP - 5000])
        self.spelling = rng.choice([str, str, hex, int])
        self.pairs = rng.random() < 0.6

    def cycles(self, us):
        return (self.first_cycle + round(us * self.rate)) % LAP

    def add(self, name, tid, start, end, attr=None):
        start, end = (round(START_US + self.ahead + us, 3) for us in (start, end))
        members = {"name": name, "pid": self.number, "tid": tid}
        if not self.pairs:
            event = dict(members, ph="X", ts=start, dur=round(end - start, 3))
            self.events.append(dict(event, args=attr) if attr is not None else event)
            return
        for phase, us in (("B", start), ("E", end)):
            event = dict(members, ph=phase, ts=us)
            self.events.append(dict(event, attr=dict(attr)) if attr is not None else event)

    def device(self, name, tid, start, end, steps, more=()):
        """steps: the times of TS1 to TS5."""
        rng = self.rng
        self.charge = (self.charge + rng.choice([0, rng.randrange(2000), rng.randrange(200_000)])) % LAP
        attr = dict(more)
        if rng.random() < 0.97:
            attr["Power"] = self.spelling(self.charge)
        attr.update((f"TS{i + 1}", str(self.cycles(us)) if self.spelling is int else self.spelling(self.cycles(us)))
                    for i, us in enumerate(steps))
        self.add(name, tid, start, end, attr)

    def move(self, name, way, start, length, more):
        if way == "DmaI":
            steps = [start, start + length, start + length + .01, start + length + .01, start + length + .02]
        else:
            steps = [start - 2, start - 2, start, start, start + length]
        self.device(f"{name} {way}", IN_TID if way == "DmaI" else OUT_TID, start, start + length, steps, more)

    def kernel(self, name, queued, start, length, more=()):
        end = start + length
        steps = (queued - .01, queued, start, end, end + .01)
        if self.rng.random() < 0.85:
            self.device(f"{name} Cmpt Prep", PREP_TID, queued, start, steps, more)
        self.device(f"{name} Cmpt Exec", EXEC_TID, start, end, steps, more)


def reduce_by_chain(rng, ranks, number, begin, whole):
    """The transfers of an all-reduce: rank 0 sends to 1, that adds and sends on, the last one sends the sum to all."""
    group, size = f"AllReduce_all_reduce_{number}", rng.choice([4096, 65536, 524288])
    last, at, step = len(ranks) - 1, begin, rng.choice([3, 20, 60])
    sequence, says_bytes = 500 + 100 * number, rng.random() < 0.85
    sized = {"Bytes": str(size)} if says_bytes else {}

    def args(kind, **more):
        return dict({"CollGroup": group}, **more, Type=kind)

    def kernel(rank):
        if rng.random() < 0.3:
            rank.kernel(rng.choice(KERNELS), begin - step, begin - step / 2, step / 3)

    for rank in ranks:
        kernel(rank)
    for i in range(last):
        sync = f"[sync={group}_s{i}_r{i + 1}_{i * 2}]"
        ranks[i].move(f"SenRdmaSend_{sequence + i} {sync}", "DmaO", at, step / 2, args("SingleCast", **sized, Peer=str(i + 1)))
        at += step
        ranks[i + 1].move(f"SenRdmaReceive_{sequence + i + 30} [{size}B] {sync}", "DmaI", at - step + 0.5, step - 1,
                          args("WDone Barrier", **sized, Peer=str(i)))
        ranks[i + 1].kernel(f"{group}_Add_{i}", at - step, at, step / 4, {"CollGroup": group})
    if not whole:
        return at
    sync = f"[sync={group}_s{last}_r0x{(1 << last) - 1:x}_6]"
    peers = ",".join(map(str, range(last)))
    send = f"SenRdmaSend_{sequence + 53}"
    cast = at + step / 3
    ranks[last].move(f"{send} - Set BcList {sync}", "DmaO", cast, 1, args("Set BCList", Peers=peers))
    for i in range(last):
        ranks[last].move(f"{send} - Xseg to rank {i} {sync}", "DmaO", cast + .01 * i, 1.2, args("MultiCast XSEG", Peer=str(i)))
    ranks[last].move(f"{send} Data {sync}", "DmaO", cast + .1, step / 2, args("MultiCast", **sized))
    for i in range(last):
        ranks[i].move(f"SenRdmaReceive_{sequence + 59} [{size}B] {sync}", "DmaI", begin, cast + step - begin,
                      args("WDone Barrier", **sized, Peer=str(last)))
    return cast + step


def host_events(rng, rank, begin, end):
    """What the host says of a job; the round trip may be absent, twice, or in the wrong place."""
    margin = rng.choice([5, 5, 40, -10])
    rank.add("Execute Graph", 7001, begin - 20, end + 30)
    for name, tid, start, stop in (("AllocateFrame of graph", 7001, begin - 19, begin - 17), ("HostPrep 1000", 7002, begin - 16, begin - 15),
                                   ("Flex RoundTrip", 7001, begin - 12, end + 20), ("PrepareAndSyncRdma", 7001, begin - 11, begin - 9),
                                   ("Barrier: wireup", 7001, begin - 10.5, begin - 10), ("Compute of SenFusedDeviceNode_6", 7001, begin - 14, end + 25),
                                   ("Compute of layout_convert_0", 7001, end + 21, end + 24)):
        if rng.random() < 0.5:
            rank.add(name, tid, start, stop)
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2])):
        rank.add("AIU Roundtrip", 7003, begin - margin, max(end + margin, begin))


def flex_job(rng, ranks, number, begin, names):
    """One job of all ranks. Returns when it ended."""
    ends = []
    for rank in ranks:
        first = at = begin + rng.choice([0, 0, rng.randrange(30)])
        skew = rng.choice([0] * 6 + [-200, 150])
        for i in range(rng.choice([0, 1, 2])):
            rank.move(f"Input_{i}-HtoD {number * 100 + i}", "DmaI", at + skew, 4.5, {"Bytes": str(65536 << i)})
            at += rng.choice([5, 6, 3])
        for name in names:
            length = rng.choice([0.05, 1.25, 7.5, round(rng.uniform(0.1, 60), 3)])
            queued = at - rng.choice([0.5, 4, 12])
            rank.kernel(name, queued + skew, at + skew, length)
            at += length + rng.choice([0.1, 2, -length / 3 if rng.random() < 0.1 else 1])
        for i in range(rng.choice([0, 1])):
            rank.move(f"Output_{i}-DtoH {number * 100 + 50 + i}", "DmaO", at + skew, 3, {"Bytes": "4096"})
            at += 4
        host_events(rng, rank, first, at)
        ends.append(at)
    return max(ends)


def odd_events(rng, events):
    """Accidents: members that are absent, events of other kinds."""
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        if not events:
            return
        at = rng.randrange(len(events))
        event = events[at]
        what = rng.choice(["dur0", "negative", "M", "instant", "counter", "attr", "none"])
        if event["ph"] == "X" and what == "dur0":
            event["dur"] = 0.0
        elif event["ph"] == "X" and what == "negative":
            event["dur"] = -1.5
        elif event["ph"] == "X" and what == "attr" and "args" in event:
            event["attr"] = event.pop("args")
        elif event["ph"] != "E":
            made = {"M": {"ph": "M", "name": "process_name", "ts": event["ts"], "pid": 0, "tid": 0, "args": {"name": "p"}},
                    "instant": {"ph": "i", "name": "mark", "s": "t", "ts": event["ts"], "pid": event["pid"], "tid": 7001, "args": {"x": 1}},
                    "counter": {"ph": "C", "name": "load", "ts": event["ts"], "pid": event["pid"], "args": {"v": 3}}}.get(what)
            if made:
                events.insert(at, made)


def compiler_log(rng, names, autopilot, complete):
    """A log with one or more tables, of the kernels that run or of others."""
    lines = ["[DeepRT] ===== Perf BEGIN ====="]
    if autopilot:
        lines.append("[DeepRT] ===== DSM-AutoPilot BEGIN =====")
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        phase = rng.choice([None, None, "   PREFILL   ", "   DECODING   "])
        lines += [phase] if phase else []
        lines += ["====== Perf Summary ======", "~~~~ Ideal/Total Cycles ~~~~", "-" * 40]
        rows = [name for name in names if complete or rng.random() < 0.95]
        rows += rng.sample(KERNELS, rng.choice([0, 0, 2]))
        total = 0
        for row in rows:
            ideal = rng.choice([0, 1000, 5000, rng.randrange(40000)])
            total += ideal
            lines.append(f"{row}{rng.choice(['-' + rng.choice(CATEGORIES)] * 5 + ['-NA'])}      {ideal}   ")
        if rng.random() < 0.9:
            lines.append(f"Total       {rng.choice([total, total, 3 * total + 500])}")
        lines.append("====== Perf Summary End ======")
    return lines


def make_flex(rng):
    ranks_count = rng.choice([1, 1, 1, 1, 2, 2, 3, 4, 8])
    soc = rng.choice([560.0, 557.0, 1000.0, 899.577])
    ranks = [Rank(rng, number, soc) for number in range(ranks_count)]
    jobs = rng.choice([1, 1, 1, 2, 3, 5])
    collectives = ranks_count > 1 and rng.random() < 0.7
    together = rng.random() < 0.15
    loop = [rng.choice(KERNELS) for _ in range(rng.choice([1, 2, 3, 5]))]
    files, begin, group = {}, 1000.0, 1
    prefix = f"hap-bs8-autopilot-{rng.randrange(2)}-{rng.randrange(1000, 9000)}"
    for job in range(jobs):
        names = loop * rng.choice([0, 1, 1, 1, 2, 4, 6])
        end = flex_job(rng, ranks, job, begin, names)
        for _ in range(rng.choice([0, 1, 1, 2]) if collectives else 0):
            end = reduce_by_chain(rng, ranks, group, end + 30, rng.random() < 0.85) + 10
            group += 1
        for rank in ranks:
            odd_events(rng, rank.events) if rng.random() < 0.15 else None
            name = f"{prefix}-job-{job}.json" if together else f"{prefix}-rank-{rank.number}-job-{job}.json"
            files.setdefault(name, []).extend(rank.events)
            rank.events = []
        begin = end + rng.choice([5, 30, 500, 3_000_000, 9_000_000])
    for name in [name for name in files if rng.random() < 0.1]:
        files[name] = {"traceEvents": files[name], "displayTimeUnit": "ms", "note": {"a": [1, 2]}}
    return files, ranks_count, soc, loop


def make(seed):
    """The capture of a seed."""
    rng = random.Random(seed)
    if rng.random() < 0.7:
        files, ranks_count, soc, names = make_flex(rng)
        kind = "flex"
    else:
        files, ranks_count, soc, names = make_torch(rng)
        kind = "torch"
    inputs = list(files)
    logs = rng.choice([0, 0, 1, 1, ranks_count]) if rng.random() < 0.6 else 0
    autopilot = rng.random() < 0.4
    complete = logs > 1 and rng.random() < 0.9  # the original mostly ends where one of several logs lacks a kernel
    for i in range(logs):
        files[f"log-{i}.log"] = compiler_log(rng, names, autopilot if rng.random() < 0.8 else not autopilot, complete)
    words = options.choose(rng, inputs, [f"log-{i}.log" for i in range(logs)], soc, kind, ranks_count,
                           "AllReduce" in json.dumps(files))
    return {"files": files, "options": words, "fixed": rng.random() < 0.5}
