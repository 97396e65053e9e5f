"""What `analyze aiu` gives for runs on which the recorded program aborted.

Nothing was recorded of such a run but its log, so its events are computed here, by code that shares nothing with
postfetto. Most of them differ from a recorded run over the same inputs in one stage only, so that stage is computed
over the recorded events of that run:

  -O async, --max_tid_streams   from the run with -O warn, which leaves overlapping slices where they are
  -S (one collective group)     from the run with -M, which does not synchronise ranks
  -R (names with a size)        recorded in the case of the same name with _fixed, where the reason is corrected

The others are a handful of events in one file; `plain_slices` reads it by the rules for slices of the host.

`python3 aiu_aborted.py CORPUS` shows that the computations are right where a recording exists: -O tid from -O warn, and
-S with several groups from -M.
"""
import collections
import gzip
import json
import os
import re
import sys

from aiu_compare import Differs, compare_events

END_DIGITS = 4


def read_text(path):
    if os.path.exists(path + ".gz"):
        with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
            return file.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


def sibling_events(case, options):
    """(events, name) of the recorded run of the case with these options besides those of input, frequency, output."""
    with open(os.path.join(case, "cmd.txt"), encoding="utf-8") as file:
        for line in file:
            name, _, rest = line.rstrip("\n").partition("\t")
            path = os.path.join(case, "expected", name, "out.jsonl")
            if all(option in rest.split() for option in options) and (os.path.exists(path) or
                                                                       os.path.exists(path + ".gz")):
                return [json.loads(line) for line in read_text(path).splitlines()], name
    raise Differs(f"aborted, and no recorded run with {' '.join(options)} to compute from")


# ---- overlap ---------------------------------------------------------------------------------------------------------


def source_row(event):
    """(pid, tid) while overlaps are resolved: host slices are moved to pids of their own only later."""
    return event["args"].get("rank", event["pid"]), event["tid"]


def in_stage_order(events):
    slices = [e for e in events if e["ph"] == "X"]
    return sorted(slices, key=lambda e: (e["ts"], -e["dur"]))


class OpenEnds:
    """The ends of slices that are still open on a row."""

    def __init__(self):
        self.ends = []

    def conflicts(self, event):
        end = round(event["ts"] + event["dur"], END_DIGITS)
        self.ends = [e for e in self.ends if e >= event["ts"]]
        return any(event["ts"] < e < end for e in self.ends)

    def add(self, event):
        self.ends.append(round(event["ts"] + event["dur"], END_DIGITS))


def make_streams(slices, count):
    """(pid, tid) -> the rows that its overlapping slices may go to."""
    streams = {}
    tids = collections.OrderedDict((source_row(e), None) for e in slices)
    for pid in dict.fromkeys(pid for pid, _ in tids):
        used = {tid for p, tid in tids if p == pid}
        for tid in [t for p, t in tids if p == pid]:
            chain, at = [], tid
            while len(chain) < count:
                at += 1
                if at not in used:
                    used.add(at)
                    chain.append(at)
            streams[pid, tid] = chain
    return streams


def resolve_by_tid(events, count):
    """Moves every slice to the first row of its chain without a conflict, and past the chain where there is none.
    Returns the number of moves."""
    slices = in_stage_order(events)
    streams, rows, moves = make_streams(slices, count), collections.defaultdict(OpenEnds), 0
    for event in slices:
        pid, tid = source_row(event)
        for row in [tid] + streams[pid, tid]:
            if not rows[pid, row].conflicts(event):
                event["tid"] = row
                break
            moves += 1
        else:
            event["tid"] = streams[pid, tid][-1] + 1
        rows[pid, event["tid"]].add(event)
    return moves


def mark_async(events):
    """The slices that stay, and those that become asynchronous, by the rule that a slice taken off its row is not in
    the way of later ones."""
    rows, kept, taken = collections.defaultdict(OpenEnds), [], []
    for event in in_stage_order(events):
        row = rows[source_row(event)]
        if row.conflicts(event):
            taken.append(event)
        else:
            row.add(event)
            kept.append(event)
    return kept, taken


def without_request(name):
    """The name without request ids, and without other numbers, which only slices lose."""
    return re.sub(r"_?\d+", "", name if "Recv_" in name else re.sub(r"_\d+[_ -]", " ", name))


def pair_async(events):
    """The b/e pairs as slices."""
    begins, slices = {}, []
    for event in events:
        key = json.dumps([event.get("id"), event.get("cat"), event.get("pid")])
        if event["ph"] == "b":
            begins[key] = event
        elif event["ph"] == "e":
            if key not in begins:
                raise Differs(f"an e without its b: {event}")
            begin = begins.pop(key)
            slices.append(dict(begin, ph="X", dur=event["ts"] - begin["ts"]))
    if begins:
        raise Differs(f"a b without its e: {next(iter(begins.values()))}")
    return slices


def essence(event):
    """What is compared. A host slice is shown 1000 pids up; its b and e are no slices and stay."""
    return {"ph": "X", "pid": event["args"].get("rank", event["pid"]), "name": without_request(event["name"]), "ts": event["ts"],
            "dur": event["dur"]}


def compare_async(run, found):
    kept, taken = mark_async(sibling_events(run.case, ["warn"])[0])
    compare_events([essence(e) for e in kept], [essence(e) for e in found if e["ph"] == "X"], "slices that stay")
    compare_events([essence(e) for e in taken], [essence(e) for e in pair_async(found)], "asynchronous slices")


def compare_streams(run, found):
    expected = sibling_events(run.case, ["warn"] if "-O" in run_words(run.case) else ["tid"])[0]
    resolve_by_tid(expected, int(run.options[run.options.index("--max_tid_streams") + 1]))
    compare_events(slices_of(expected), slices_of(found), "slices")


def run_words(case):
    with open(os.path.join(case, "cmd.txt"), encoding="utf-8") as file:
        return file.read().split()


def slices_of(events):
    return [e for e in events if e["ph"] == "X"]


# ---- synchronisation by dilation -------------------------------------------------------------------------------------


def group_maxima(slices, soc):
    """rank -> group -> the largest TS5 in us, in order of appearance."""
    maxima = collections.defaultdict(collections.OrderedDict)
    for event in slices:
        args = event["args"]
        if "AllReduce" in args.get("CollGroup", "") and "TS5" in args:
            dev = int(args["TS5"]) / soc
            group = maxima[event["pid"]]
            if dev > group.get(args["CollGroup"], (-1, None))[0]:
                group[args["CollGroup"]] = (dev, event["ts"] + event["dur"])
    return maxima


def synchronise(events, soc):
    """Moves device slices onto the clock of rank 0, which is stretched where several groups say so."""
    slices = [e for e in slices_of(events) if "TS5" in e["args"]]
    maxima = group_maxima(slices, soc)
    groups = list(maxima[0])
    reference = min(groups, key=lambda g: sum(maxima[r][g][0] - maxima[0][g][0] for r in maxima) / len(maxima))
    span = {r: max(m[0] for m in maxima[r].values()) - min(m[0] for m in maxima[r].values()) for r in maxima}
    base, host_end = maxima[0][reference]
    for event in slices:
        rank = event["pid"]
        dilation = span[rank] / span[0] if span[0] else 1.0
        dev = (int(event["args"]["TS5"]) / soc - maxima[rank][reference][0]) / dilation + base
        event["ts"] = dev + (host_end - base) - event["dur"]


def soc_frequency(options):
    return float(options[options.index("--freq") + 1].split(":")[0]) if "--freq" in options else 1000.0


def stage_slices(events):
    """Device slices without what later stages give them from their new times."""
    out = []
    for event in slices_of(events):
        if "TS5" in event["args"]:
            args = {k: v for k, v in event["args"].items() if k in ("TS1", "TS5", "orig_name", "CollGroup")}
            out.append({"ph": "X", "pid": event["pid"], "name": event["name"], "ts": event["ts"], "dur": event["dur"],
                        "args": args})
    return out


def compare_synchronised(run, found):
    expected = sibling_events(run.case, ["-M"])[0]
    synchronise(expected, soc_frequency(run.options))
    compare_events(stage_slices(expected), stage_slices(found), "slices")


# ---- a handful of events ---------------------------------------------------------------------------------------------


def parse_events(data):
    """The events of a JSON list or object; of a list that breaks off, those before that."""
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    try:
        document = json.loads(text)
    except ValueError:
        document, decoder, at = [], json.JSONDecoder(), text.index("[") + 1
        while (match := re.compile(r"[\s,]*").match(text, at)) and match.end() < len(text):
            try:
                event, at = decoder.raw_decode(text, match.end())
            except ValueError:
                break
            document.append(event)
    if isinstance(document, dict):
        processed = "Acelyzer" in str(document.get("otherData", {}).get("Application", ""))
        return [] if processed else document.get("traceEvents", [])
    return document


def plain_slices(events):
    """Slices without cycle counters: X, and B with E by a stack per thread. Other phases are no slices."""
    slices, stacks = [], collections.defaultdict(list)
    for event in events:
        row = json.dumps([event.get("pid"), event.get("tid")])
        if event["ph"] == "X":
            slices.append((event["name"], event["ts"], event["dur"], event["pid"]))
        elif event["ph"] == "B":
            stacks[row].append(event)
        elif event["ph"] == "E" and stacks[row]:
            begin = stacks[row].pop()
            slices.append((begin["name"], begin["ts"], event["ts"] - begin["ts"], begin["pid"]))
    return slices


def compare_plain(run, found):
    with open(os.path.join(run.case, run.options[run.options.index("-i") + 1]), "rb") as file:
        expected = plain_slices(parse_events(file.read()))
    names = collections.Counter((name, round(ts, 3), round(dur, 3)) for name, ts, dur, _ in expected)
    got = collections.Counter((e["args"].get("orig_name", e["name"]), round(e["ts"], 3), round(e["dur"], 3))
                              for e in slices_of(found))
    if names != got:
        raise Differs(f"slices: {sorted((got - names).elements())} instead of {sorted((names - got).elements())}")


# ---- which computation -----------------------------------------------------------------------------------------------


def read_found(run, scratch):
    name = run.options[run.options.index("-o") + 1] if "-o" in run.options else "processed_trace.json"
    path = os.path.join(scratch, name)
    if not os.path.exists(path):
        raise Differs(f"{name}: was not written")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def compare(run, outcome, scratch):
    """Raises Differs unless the run gave what it should."""
    if outcome.code != 0:
        text = outcome.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["(no message)"]
        raise Differs(f"exit code {outcome.code} instead of 0: {text[0][:300]}")
    found = read_found(run, scratch)
    if "async" in run.options:
        compare_async(run, found)
    elif "--max_tid_streams" in run.options:
        compare_streams(run, found)
    elif "-S" in run.options:
        compare_synchronised(run, found)
    else:
        compare_plain(run, found)


# ---- the computations against recordings -----------------------------------------------------------------------------


def check_streams(case):
    expected = sibling_events(case, ["-O", "warn"])[0]
    resolve_by_tid(expected, 5)
    recorded = [json.loads(line) for line in read_text(os.path.join(case, "expected", "tid", "out.jsonl")).splitlines()]
    compare_events(slices_of(expected), slices_of(recorded), "streams")


def check_synchronised(case):
    expected = sibling_events(case, ["-M"])[0]
    recorded = sibling_events(case, ["-S"])[0]
    synchronise(expected, 557.0)
    compare_events(stage_slices(expected), stage_slices(recorded), "synchronised")


def main():
    corpus = os.path.join(sys.argv[1], "aiu")
    check_streams(os.path.join(corpus, "overlap"))
    check_synchronised(os.path.join(corpus, "tp4"))
    print("the computations give what is recorded")


if __name__ == "__main__":
    main()
