"""Runs aiu-trace-analyzer, in the python of its own environment (scripts/peers aiu), as a server: each line of standard
input is a job {"folder", "options", "fixed"}, each line of standard output its outcome {"code", "abort"}. What it prints goes to
FOLDER.log.

The program is imported once; a job runs in a fork, so that nothing of its global state reaches the next one. Three things
are set, so that a run says the same each time: numbers of jobs count up from FIRST_JOB (they are hashes of file names), the
letters of kernels in the search for iterations are distinct (they are hashes modulo 26, which may collide), and `fixed`
applies the four corrections with which the cases *_fixed of the shared corpus were recorded. Slices of no length stay, as in
all recordings; the release leaves them out.
"""
import collections
import gc
import itertools
import json
import os
import signal
import sys
import traceback

import aiu_trace_analyzer.ingest.ingestion as ingestion
import aiu_trace_analyzer.pipeline as pipeline
from aiu_trace_analyzer import types
from aiu_trace_analyzer.core.acelyzer import Acelyzer

# Far enough from each other that a number of a job plus a correlation, which is what tells launches apart, stays one's own; they
# are numbers modulo 10,000, which the step has no factor of.
FIRST_JOB, JOB_STEP = 9101, 247
MOST_SECONDS = 60


def counting(first, step=1):
    """A function that numbers its arguments in the order of their first use."""
    numbers = collections.defaultdict(itertools.count(first, step).__next__)
    return lambda key: numbers[key]


def apply_corrections():
    prepare = pipeline.flow_prepare_event_data

    def flow_prepare_event_data(event, context):  # C1: names of events that say their bytes keep them, too
        args = event.get("args", {})
        if event["ph"] not in "Xbe" or "bytes" not in args:
            return prepare(event, context)
        args["Bytes"] = args["bytes"]
        made = prepare(event, context)
        args.pop("Bytes")
        return made

    pipeline.flow_prepare_event_data = flow_prepare_event_data
    gather = pipeline.MpCalcBwContext.calc_bw

    def calc_bw(self):  # C2: bandwidth reads the member that normalisation leaves
        sized = [event["args"] for event in self.all_events if "bytes" in event.get("args", {})]
        for args in sized:
            args["Bytes"] = args["bytes"]
        gather(self)
        for args in sized:
            args.pop("Bytes")

    pipeline.MpCalcBwContext.calc_bw = calc_bw
    annotate = ingestion.AbstractTraceIngest._rank_device_annotation

    def annotation(self, event, the_args):  # C3: the rank of a flex event is its pid
        if isinstance(types.GlobalIngestData.get_dialect(self.jobhash), types.InputDialectFLEX):
            self.rank_pid = -1
        return annotate(self, event, the_args)

    ingestion.AbstractTraceIngest._rank_device_annotation = annotation

    def combine(self, metadata):  # C4: devices are merged by id
        known = self.other_metadata.get("deviceProperties", [])
        ids = {entry["id"] for entry in known if "id" in entry}
        more = [entry for entry in metadata.pop("deviceProperties", [{}]) if "id" not in entry or entry["id"] not in ids]
        self.other_metadata.update(metadata)
        self.other_metadata["deviceProperties"] = known + more

    ingestion.AbstractTraceIngest.combine_metadata = combine


def keep_no_length(self, event):
    length = event.get("dur", 1.0)
    if length < 0:
        self.issue_warning("negative_duration")
        return None
    if abs(length) <= 1e-9:
        self.issue_warning("zero_duration")
    return event


def place_of(error):
    """Where an uncaught exception came from: its kind and the function."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {frames[-1].name}"


def run_job(job):
    """In the fork. Returns what the parent should know."""
    os.chdir(job["folder"])
    types.hash = counting(FIRST_JOB, JOB_STEP)
    sys.modules["aiu_trace_analyzer.pipeline.iteration_detect"].hash = counting(0)
    ingestion.JsonEventTraceIngest.sane_event = keep_no_length
    if job["fixed"]:
        apply_corrections()
    sys.argv = ["acelyzer"] + job["options"]
    try:
        code = Acelyzer(job["options"]).run() or 0
    except SystemExit as end:
        return {"code": end.code if isinstance(end.code, int) else 0 if end.code is None else 1, "abort": None}
    except Exception as error:  # whatever it is, it is an outcome
        return {"code": 1, "abort": place_of(error)}
    gc.collect()
    return {"code": code, "abort": None}


def fork_job(job, reply):
    """In the fork: everything that is printed goes to the log."""
    log = os.open(job["folder"] + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    signal.alarm(MOST_SECONDS)
    outcome = run_job(job)
    sys.stdout.flush()
    os.write(reply, json.dumps(outcome).encode())
    os._exit(0)


def main():
    for line in sys.stdin:
        ours, reply = os.pipe()
        child = os.fork()
        if child == 0:
            fork_job(json.loads(line), reply)
        os.close(reply)
        with os.fdopen(ours) as answer:
            text = answer.read()
        _, status = os.waitpid(child, 0)
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        print(text or json.dumps({"code": None, "abort": "took too long" if late else None}), flush=True)


if __name__ == "__main__":
    main()
