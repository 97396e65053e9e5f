"""The driver of the area aiu: the analysis of AIU traces.

A case is a folder with inputs and cmd.txt, whose lines are `run<TAB>options`; expected/RUN/ has the exit code, the log
and every output. A run is done in a copy of the case's inputs with its recorded options, once per form:

  json      under the compatibility mode that it was recorded in (acelyzer-fixed where the case has a notes.txt)
  protobuf  the same with every input that can be read converted by `postfetto convert` first
  want      results of our own, without --compat: slices and tables against the same recordings. What differs on purpose
            (docs/reference/aiu.md, "Differences") is left out: threads, counters of queues, arrows and metadata, the
            lines of the log, tables that have more in them. Times may differ by the rounding of doubles near 1e12.

Runs on which the recorded program aborted have no outputs to compare with; what they give is computed by
aiu_aborted.py, which shares no code with postfetto.
"""
import glob
import gzip
import json
import os
import re
import shlex
import shutil

import aiu_aborted
from aiu_compare import (TIME_TOLERANCE_US, Differs, compare_document, compare_events, compare_log, compare_table, near,
                         power_lengths)
from runner import Result

FORMATS = ["json", "protobuf", "want"]
INPUT_ENDINGS = (".json", ".gz")
# Lines that are about the program that was recorded and its command line, not about the trace.
NOT_ABOUT_THE_TRACE = (r"^RAW usage:", r"^RAW acelyzer: error:", r"Running VERIFICATION MODE")


def read_file(path):
    with open(path, "rb") as source:
        return source.read()


def read_recorded(path):
    """A recorded file, stored as it is or gzipped."""
    if os.path.exists(path + ".gz"):
        return gzip.decompress(read_file(path + ".gz")).decode("utf-8")
    return read_file(path).decode("utf-8")


class Run:
    """A line of cmd.txt with what was recorded for it."""

    def __init__(self, case, name, options):
        self.case, self.name = case, name
        self.options = shlex.split(options)
        self.recorded = os.path.join(case, "expected", name)
        self.code, *rest = read_recorded(os.path.join(self.recorded, "rc.txt")).split("\n")
        self.fixed = os.path.exists(os.path.join(case, "notes.txt"))
        self.aborted = any(line.startswith("uncaught:") for line in rest)
        if self.aborted:
            self.take_corrected()

    def take_corrected(self):
        """What was recorded with the corrections in the case of the same name with _fixed, if there is that."""
        corrected = os.path.join(self.case + "_fixed", "expected", self.name)
        code = os.path.join(corrected, "rc.txt")
        if os.path.exists(code) and "uncaught:" not in read_recorded(code):
            self.recorded, self.aborted, self.code = corrected, False, read_recorded(code).split("\n")[0]

    @property
    def label(self):
        return f"{os.path.basename(self.case)}/{self.name}"

    def outputs(self):
        """Names of the recorded outputs, as the run writes them; a .head and an l file belong to one document."""
        names = {name[:-3] if name.endswith(".gz") else name for name in os.listdir(self.recorded)}
        documents = {name[:-5] for name in names if name.endswith(".head")}
        lists = {name[:-1] for name in names if name.endswith("l") and not name.endswith(".pl")}
        documents |= {name for name in lists if name.endswith(".json")}
        others = names - {"rc.txt", "log.txt"} - {d + ".head" for d in documents} - {d + "l" for d in documents}
        return sorted(documents), sorted(others)

    def document(self, name):
        """(events, rest) of a recorded document."""
        events = [json.loads(line) for line in read_recorded(os.path.join(self.recorded, name + "l")).splitlines()]
        head = os.path.join(self.recorded, name + ".head")
        return events, json.loads(read_recorded(head)) if os.path.exists(head) else None


def list_runs(case):
    with open(os.path.join(case, "cmd.txt"), encoding="utf-8") as file:
        for line in file:
            name, tab, options = line.rstrip("\n").partition("\t")
            if tab:
                yield Run(case, name, options)


def place_inputs(case, scratch):
    """The inputs, and folders of them, in a folder of their own; .gz unpacked, but for *.keep.gz, which is an input itself."""
    for name in os.listdir(case):
        path = os.path.join(case, name)
        if name in ("cmd.txt", "notes.txt", "expected"):
            continue
        if os.path.isdir(path):
            os.mkdir(os.path.join(scratch, name))
            place_inputs(path, os.path.join(scratch, name))
        elif name.endswith(".gz") and not name.endswith(".keep.gz"):
            with open(os.path.join(scratch, name[:-3]), "wb") as plain:
                plain.write(gzip.decompress(read_file(path)))
        else:
            shutil.copyfile(path, os.path.join(scratch, name))
            os.chmod(os.path.join(scratch, name), 0o644)


def convert_inputs(bench, scratch):
    """Every trace that can be read becomes protobuf under its name. Whether there is one."""
    converted = 0
    for name in sorted(os.listdir(scratch)):
        path = os.path.join(scratch, name)
        if not name.endswith(INPUT_ENDINGS) or not read_file(path).lstrip()[:1] in (b"{", b"[", b"\x1f"):
            continue
        done = bench.call(["convert", name, "-o", "converted.pftrace"], scratch)
        if done.code == 0:
            os.replace(os.path.join(scratch, "converted.pftrace"), path)
            converted += 1
    return converted > 0


def compare_run(run, outcome, scratch, before):
    text = outcome.stdout.decode("utf-8", "replace") + outcome.stderr.decode("utf-8", "replace")
    if outcome.code is None:
        raise Differs("took too long")
    if str(outcome.code) != run.code.strip():
        last = text.strip().splitlines()[-1:] or ["(no message)"]
        raise Differs(f"exit code {outcome.code} instead of {run.code.strip()}: {last[0][:300]}")
    documents, others = run.outputs()
    for name in documents + others:
        if not os.path.exists(os.path.join(scratch, name)):
            raise Differs(f"{name}: was not written")
    for name in others:
        found = read_file(os.path.join(scratch, name)).decode("utf-8", "replace")
        compare_table(read_recorded(os.path.join(run.recorded, name)), found, name)
    for name in documents:
        events, head = run.document(name)
        compare_document(events, head, read_file(os.path.join(scratch, name)), name)
    surplus = sorted(set(os.listdir(scratch)) - before - set(documents) - set(others))
    if surplus:
        raise Differs(f"written without being expected: {', '.join(surplus)}")
    compare_log(read_recorded(os.path.join(run.recorded, "log.txt")), text, NOT_ABOUT_THE_TRACE)


# Tables that say more than the recorded ones, or other things: docs/reference/aiu.md.
MORE_IN_IT = ("_categories.csv", "_categories.txt", "_stats_summary.csv", ".txt", ".pb")
# Arguments that come from rules of our own, or from sums of rounded doubles.
OWN_ARGS = {"time_adjust", "rank", "ts_adj", "Peer", "Peers", "OVC", "pt_active", "core used", "user_cat"}


def is_of_an_aiu(run, scratch):
    """Whether some input has an event that can be of an AIU; without one results of our own are an error."""
    words = re.split(r"[, ]+", run.options[run.options.index("-i") + 1])
    texts = [read_file(name) for word in words for name in glob.glob(os.path.join(scratch, word))]
    texts = [gzip.decompress(t) if t[:2] == b"\x1f\x8b" else t for t in texts]
    mark = rb'"TS1"|deviceProperties|"name": ?"[^"]*(Cmpt (Exec|Prep)| DmaI| DmaO|AIU Roundtrip)'
    return any(re.search(mark, t) for t in texts if t.lstrip()[:1] in (b"{", b"[") and b'"Acelyzer' not in t)


def wanted_code(run, scratch):
    """Exit codes of our own: 2 for wrong usage, 3 where there is no input, or nothing of an AIU in it."""
    if "-R" in run.options and "--flow" not in run.options:
        return "2"
    if run.code.strip() == "2" or (run.code.strip() != "0" and not run.aborted and
                                   "No input files" not in read_recorded(os.path.join(run.recorded, "log.txt"))):
        return "2"
    return "0" if is_of_an_aiu(run, scratch) else "3"


def plain_slice(event):
    """Sizes in names are not compared: recordings without the corrections lack them. Laps of counters are of our own."""
    args = {k: v for k, v in event.get("args", {}).items() if k not in OWN_ARGS}
    args.update({k: int(v) % 2**32 for k, v in args.items() if re.fullmatch(r"TS[1-5]", k) and str(v).lstrip("-").isdigit()})
    for members, key in ((args, "orig_name"), (event := dict(event), "name")):
        if key in members:
            members[key] = re.sub(r" \[\d*B\]", "", members[key])
    return {"ph": "X", "pid": event["pid"], "name": event["name"], "ts": event["ts"], "dur": event["dur"], "args": args}


# Power is over the time that the cycles say, which the recorded program takes from drifting host times: as near as this, and
# over intervals that are not too short for them.
POWER_TOLERANCE, LEAST_POWER_US = 1e-2, 3


def moved_power(run):
    """Whether the run has power elsewhere: -S moves its samples, too, and a frequency that is not that of the kernels, as the
    recorded log says, power over cycles."""
    ratios = re.findall(r"input_soc_freq/detected=([0-9.]+)", read_recorded(os.path.join(run.recorded, "log.txt")))
    return "-S" in run.options or any(abs(float(ratio) - 1) > 1e-3 for ratio in ratios)


def compare_counters(run, expected, found, name):
    """Counters as docs/reference/aiu.md has them: queues and collectives (pid -1) count by rules of our own; every sample
    of power has to be among the recorded ones, but for 0, which stands where power is withheld."""
    lists = [[e for e in events if e["ph"] == "C" and e["name"] != "ConcurrentPreps" and e["pid"] != -1] for events in (expected, found)]
    powers, others = ([[e for e in events if ("Watts" in e["args"]) == power] for events in lists] for power in (True, False))
    compare_events(*([{k: e[k] for k in ("ph", "pid", "name", "ts", "args")} for e in events] for events in others), name)
    lengths = power_lengths(powers[0])
    for event in powers[1] if not moved_power(run) else []:
        watts = event["args"]["Watts"]
        there = [i for i, e in enumerate(powers[0]) if abs(e["ts"] - event["ts"]) <= TIME_TOLERANCE_US and e["pid"] == event["pid"]]
        if watts and not any(lengths[i] < LEAST_POWER_US or near(powers[0][i]["args"]["Watts"], watts, POWER_TOLERANCE) for i in there):
            raise Differs(f"{name}: a sample that is not recorded: {event}")


def has_kernels(path):
    with open(path, encoding="utf-8") as file:
        return sum(1 for _ in file) > 1


def compare_wanted(run, outcome, scratch):
    wanted = wanted_code(run, scratch)
    if str(outcome.code) != wanted:
        raise Differs(f"exit code {outcome.code} instead of {wanted}")
    documents, others = run.outputs() if outcome.code == 0 else ([], [])
    for name in others:
        recorded = os.path.join(run.recorded, name)
        if not name.endswith(MORE_IN_IT) and (not os.path.exists(recorded) or has_kernels(recorded)):
            found = read_file(os.path.join(scratch, name)).decode("utf-8", "replace")
            compare_table(read_recorded(recorded), found, name, TIME_TOLERANCE_US)
    for name in documents:
        if "_worker_" in name or ".json_" in name:
            continue
        found = json.loads(read_file(os.path.join(scratch, name)))["traceEvents"]
        slices = [[plain_slice(e) for e in events if e["ph"] == "X" and not str(e.get("tid")).startswith("coll")]
                  for events in (run.document(name)[0], found)]
        compare_events(*slices, name)
        compare_counters(run, run.document(name)[0], found, name)


def do_run(bench, run, form):
    """None, or why there is nothing to run in this form."""
    scratch = bench.scratch()
    place_inputs(run.case, scratch)
    if form == "protobuf" and not convert_inputs(bench, scratch):
        return "no input that can be converted"
    before = set(os.listdir(scratch))
    if form == "want":
        run.take_corrected()
    mode = [] if form == "want" else ["--compat", "acelyzer-fixed" if run.fixed else "acelyzer"]
    if form == "want" and "--freq" not in run.options:
        mode += ["--freq", "1000:1100"]  # the default of the recorded program
    if form == "want" and not {"-S", "-M"} & set(run.options):
        mode += ["--align", "first"]  # the only way of the recorded program without -S
    outcome = bench.call(["analyze", "aiu"] + run.options + mode, scratch)
    if form == "want" and wanted_code(run, scratch) == "3":
        compare_wanted(run, outcome, scratch)
    elif run.aborted:
        aiu_aborted.compare(run, outcome, scratch)
    elif form == "want":
        compare_wanted(run, outcome, scratch)
    else:
        compare_run(run, outcome, scratch, before)
    bench.discard(scratch)
    return None


def run_case(bench, case):
    for run in list_runs(case):
        for form in filter(bench.wants, FORMATS):
            try:
                skipped = do_run(bench, run, form)
            except (Differs, OSError, ValueError, KeyError) as problem:
                yield Result(f"{run.label} {form}", form, "failed", str(problem))
            else:
                yield Result(f"{run.label} {form}", form, "skipped" if skipped else "passed", skipped or "")


def run(bench, area):
    for name in sorted(os.listdir(area)):
        case = os.path.join(area, name)
        if os.path.exists(os.path.join(case, "cmd.txt")):
            yield from run_case(bench, case)
