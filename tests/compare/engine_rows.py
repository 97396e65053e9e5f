"""engine_rows.py make TRACE BASE NEW: writes both runs of the test `engine`. check NEW FOLDER: holds what the engine reads of
their comparison against what was changed."""
import collections
import csv
import gzip
import json
import os
import sys

LONGER, RENAMED, OFTEN = "batched_transpose_16x32_half", "SubTensorOpWithCastTensor1d", "often_called"
WORK = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync")
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print(f"not ok: {text}")


def ns(value):
    return round(float(value) * 1000)


def make(trace, base, new):
    """What a device does after a kernel that got longer comes later by as much."""
    with gzip.open(trace, "rt", encoding="utf-8") as file:
        document = json.load(file)
    steps = [e for e in document["traceEvents"] if e.get("name", "").startswith("ProfilerStep#") and e.get("cat") == "user_annotation"]
    for path, times in ((base, 1), (new, 21)):
        events, later = [], 0
        for event in sorted(document["traceEvents"], key=lambda e: float(e.get("ts", 0))):
            event = dict(event)
            if times > 1 and event.get("cat") in WORK:
                event["ts"] = float(event["ts"]) + later / 1000
                if event["name"] == LONGER:
                    more = ns(event["dur"]) * 3 // 10
                    event["dur"], later = (ns(event["dur"]) + more) / 1000, later + more
                event["name"] = "renamed" if event["name"] == RENAMED else event["name"]
            events.append(event)
        for step in steps:
            for i in range(times):
                events.append({"ph": "X", "cat": "cpu_op", "name": OFTEN, "pid": step["pid"], "tid": 77777, "ts": step["ts"] + 20 * i + 1, "dur": 15})
        with open(path, "w", encoding="utf-8") as out:
            json.dump({**document, "traceEvents": events}, out)


def rows(folder, name):
    with open(os.path.join(folder, name + ".csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def hold(new, folder):
    marks = rows(folder, "marks")
    tracks = [row["row"] for row in rows(folder, "rows")]
    kinds = [track.rsplit(" ", 1)[-1] for track in tracks]
    check(tracks[:3] == ["compare", "iterations", "iterations of the base"], f"the rows begin with {tracks[:3]}")
    check(kinds[3:] == sorted(kinds[3:], key=["slower", "new", "vanished", "faster"].index), f"the order of kinds is {kinds[3:]}")
    check(all(row["described"] == "1" for row in rows(folder, "rows")), "a row of the group has no description")
    check(rows(folder, "bases")[0]["undescribed"] == "0", f"rows of the base without a description: {rows(folder, 'bases')}")
    check(sum(row["row"] == "iterations" for row in marks) == 3 == sum(row["row"] == "iterations of the base" for row in marks),
          "there are not three iterations of each run")
    slower = [row for row in marks if row["row"].endswith(" slower")]
    check({row["name"].rsplit(" ", 1)[1] for row in slower} == {LONGER, OFTEN}, f"slower are {slower}")
    check(all(row["name"].split(LONGER)[0].startswith("+") for row in slower if LONGER in row["name"]), f"a mark says less: {slower}")
    often = [row for row in slower if row["name"].endswith(OFTEN)]
    check([row["name"] for row in often] == [f"21x as often, +300.0 us {OFTEN}"] * 3, f"often called: {often}")
    for kind, name in (("new", "renamed"), ("vanished", RENAMED)):
        found = {row["name"].rsplit(" ", 1)[1] for row in marks if row["row"].endswith(" " + kind)}
        check(found == {name}, f"{kind} are {found}")
    check(all((row["name"][0] == "-") == (int(row["more"]) < 0) for row in marks if row["more"] not in ("", "[NULL]")), "a sign is wrong")
    check(len(marks) < 100, f"there are {len(marks)} marks")
    with open(new, encoding="utf-8") as file:
        wanted = collections.Counter(e["cat"] for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and "cat" in e)
    found = {row["category"]: int(row["n"]) for row in rows(folder, "original")}
    check(found == {name: wanted[name] for name in found} and len(found) == 3, f"of the new run are {found}")
    check(not rows(folder, "faults"), f"the engine complains of {rows(folder, 'faults')}")


if sys.argv[1] == "make":
    make(*sys.argv[2:])
else:
    hold(*sys.argv[2:])
    sys.exit(1 if failures else 0)
