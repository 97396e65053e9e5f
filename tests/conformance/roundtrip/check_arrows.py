"""Arrows between overlapping slices: random threads of Chrome JSON whose complete events overlap, nest and touch each
other, with begins and ends among them on request, and flows that start, step and end anywhere. The conversion must show
us and Perfetto's engine the slices and arrows that the JSON shows us; and the JSON shows the engine the same as us where
that engine (v55.3) reads it whole: it drops complete events that overlap, and where an end without bp "e" waits for an
arrow that never began it draws one from the first slice of the trace.

  check_arrows.py POSTFETTO WORK [FIRST [COUNT]]

WORK is a scratch folder with tp_query/ in it; a failing seed leaves its document in WORK/arrows.
"""
import collections
import csv
import json
import os
import random
import subprocess
import sys

import check
import compare

COUNT = 170
MOST_SAID = 0.1  # of the documents
SQL = """-- @name slices
select s.name, s.ts, s.dur, s.depth, p.name as parent from slice s left join slice p on p.id = s.parent_id;
-- @name arrows
select o.name as slice_out, i.name as slice_in from flow f join slice o on o.id = f.slice_out
join slice i on i.id = f.slice_in;
"""


class Maker:
    """One document. Times lie on a coarse grid, so that they often meet. In dense ones three flow ids start, step and end
    again and again. In the others a flow starts and later ends, each within a slice, as in traces of programs. The end of
    a slice of half microseconds takes it off the stack of a reader, where JSON keeps it for flows, and in dense ones the
    packet of a flow cannot always be moved there, past others of its id: the conversion says so then."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.grain = self.r.choice([1, 1, 0.5])  # of a duration, in microseconds; halves need two packets
        self.pairs = self.grain == 1 and self.r.random() < 0.4
        self.dense = not self.pairs and (self.grain == 1 or self.r.random() < 0.6)
        self.halves = self.dense and self.grain != 1
        self.flows = 0
        self.instants = self.r.random() < 0.3
        self.count = self.r.choice([4, 8, 16, 40] if self.dense else [4, 8, 12])
        self.span = self.r.choice([10, 20, 60])
        self.events = []

    def name(self):
        return f"e{len(self.events)}"

    def add(self, phase, ts, tid, **more):
        self.events.append({"ph": phase, "pid": 1, "tid": tid, "ts": ts, **more})

    def slice(self):
        r, ts, tid = self.r, self.r.randint(0, self.span), self.r.randint(1, 2)
        if self.instants and r.random() < 0.2:
            self.add("i", ts, tid, name=self.name(), s="t")
        elif self.pairs and r.random() < 0.5:
            name = self.name()
            self.add("B", ts, tid, name=name)
            if r.random() < 0.8:
                self.add("E", ts + r.randint(0, self.span // 2), tid, **r.choice([{}, {"name": name}]))
        else:
            self.add("X", ts, tid, name=self.name(), dur=r.randint(0, 2 * self.span // 3) * self.grain)

    def flow(self):
        r, times = self.r, [event["ts"] for event in self.events] or [0]
        ts = r.choice([r.choice(times), r.randint(0, self.span)])
        more = {"bp": "e"} if r.random() < 0.6 else {}
        phase = r.choice("ssttff")
        if not self.dense:
            self.flows += 1
            around = [(event["ts"] + r.randint(0, int(event["dur"])), event["tid"]) for event in self.events
                      if event.get("dur", 0) > 1]
            ends = sorted(r.sample(around, 2)) if len(around) > 1 else []
            for phase, (ts, tid) in zip("sf", ends):
                self.add(phase, ts, tid, cat="c", name="flow", id=self.flows, **(more if phase == "f" else {}))
            return
        self.add(phase, ts, r.randint(1, 2), cat="c", name="flow", id=r.randint(1, 3), **(more if phase == "f" else {}))

    def document(self):
        self.slice()
        for _ in range(self.count):
            self.slice() if self.r.random() < 0.6 else self.flow()
        if self.r.random() < 0.7:
            self.events.sort(key=lambda event: event["ts"])
        return self.events


def read(folder):
    found = {}
    for section in ("slices", "arrows"):
        with open(os.path.join(folder, section + ".csv"), newline="", encoding="utf-8") as file:
            found[section] = collections.Counter(map(tuple, list(csv.reader(file))[1:]))
    return found


def differences(name, want, got):
    problems = []
    for section in ("slices", "arrows"):
        lost, extra = want[section] - got[section], got[section] - want[section]
        if lost or extra:
            problems.append(f"{name}: {section}: {list(lost.elements())[:3]} are missing, "
                            f"{list(extra.elements())[:3]} are new")
    return problems


def main():
    postfetto, work = sys.argv[1:3]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    count = int(sys.argv[4]) if len(sys.argv) > 4 else COUNT
    print(f"seeds {first} to {first + count - 1}")
    folder = os.path.join(work, "arrows")
    os.makedirs(folder, exist_ok=True)
    sql, jobs, failed, said, halves = os.path.join(folder, "arrows.sql"), [], 0, set(), set()
    with open(sql, "w", encoding="utf-8") as file:
        file.write(SQL)
    for seed in range(first, first + count):
        base = os.path.join(folder, str(seed))
        with open(base + ".json", "w", encoding="utf-8") as file:
            maker = Maker(seed)
            json.dump(maker.document(), file)
        halves |= {seed} if maker.halves else set()
        done = subprocess.run([postfetto, "convert", base + ".json", "-o", base + ".pftrace"], check=True,
                              stderr=subprocess.PIPE, text=True)
        said |= {seed} if "ends of flows may lie at other slices" in done.stderr else set()
        check.run([postfetto, "convert", "-q", base + ".pftrace", "-o", base + ".back.json"])
        for ending in ("json", "pftrace"):
            for who in ("ours", "engine"):
                os.makedirs(f"{base}.{who}.{ending}", exist_ok=True)
            check.run([postfetto, "query", "-q", f"{base}.{ending}", "-f", sql, "-d", f"{base}.ours.{ending}"])
            jobs.append({"trace": f"{base}.{ending}", "queries": sql, "out": f"{base}.engine.{ending}"})
    with open(os.path.join(folder, "jobs.json"), "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    subprocess.run(["node", os.path.join(work, "tp_query", "tp_query.mjs"), "--batch", file.name], check=True,
                   stdout=subprocess.DEVNULL)
    for seed in range(first, first + count):
        base, problems = os.path.join(folder, str(seed)), []
        want, theirs = read(f"{base}.ours.json"), read(f"{base}.engine.json")
        with open(base + ".json", encoding="utf-8") as file:
            waits = any(event["ph"] == "f" and "bp" not in event for event in json.load(file))
        if want["slices"] == theirs["slices"] and not waits:
            problems += differences("engine.json", want, theirs)
        for got in ("ours.pftrace", "engine.pftrace"):
            found = read(f"{base}.{got}")
            problems += differences(got, want, dict(found, arrows=want["arrows"]) if seed in said else found)
        problems += compare.compare(compare.read(base + ".json"), compare.read(base + ".back.json"))
        failed += bool(problems)
        for problem in problems:
            print(f"FAIL seed {seed}: {problem}"[:400])
    if len(said) > MOST_SAID * count or said - halves:
        failed += 1
        print(f"FAIL: arrows may be elsewhere in {len(said)} documents, {sorted(said - halves)} of them without halves")
    print(f"arrows: {count - failed} passed, {failed} failed; {len(halves)} dense ones with halves, {len(said)} not exact")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
