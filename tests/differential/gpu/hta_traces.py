"""hta_traces.py: what the tests against HTA (HolisticTraceAnalysis) share: its python, the torch traces, and copies of
them that it reads to the nanosecond.

HTA counts in us: times with a fraction it rounds down, and as floating-point numbers they have 53 bits. So it gets a copy
of each trace whose times are whole numbers, ns since the first event, and what it calls us is ns.
"""
import decimal
import glob
import gzip
import json
import os
import subprocess
import sys

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
# Torch traces of the corpus that are not in real/; two more in their folder are copies of ones there.
MORE = ("aiu/hta_torch/critical_path__cuda_event_sync__event_sync_trace.json", "aiu/hta_torch/simple_add_493459.json.gz")
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print(f"not ok: {text}", flush=True)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(1 if os.environ.get("POSTFETTO_REQUIRE_SHARED") == "1" else 77)


def run_with_hta():
    """Starts the calling program again with the python of HTA's environment, unless that is the one in use."""
    if os.environ.get("HTA_PYTHON") == sys.executable:
        return
    peers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts", "peers")
    found = subprocess.run([peers, "hta"], stdout=subprocess.PIPE, check=False)
    if found.returncode:
        skip("HTA is not installed (scripts/install-deps peers)")
    python = found.stdout.decode().strip()
    os.environ.update({"HTA_PYTHON": python, "PYTHONWARNINGS": "ignore"})
    os.execv(python, [python] + sys.argv)


def torch_traces(corpus):
    """(name, path) of each torch trace that PyTorch's profiler wrote."""
    paths = sorted(glob.glob(os.path.join(corpus, "real", "torch-*", "trace.json*")))
    if not paths:
        skip(f"no torch traces in {corpus}")
    more = [(os.path.basename(path).split(".")[0], os.path.join(corpus, path)) for path in MORE]
    return [(os.path.basename(os.path.dirname(path)), path) for path in paths] + more


def ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def load(path):
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    document = json.loads(data, parse_float=decimal.Decimal)
    return document if isinstance(document, dict) else {"traceEvents": document}


def complete_events(document, keep):
    """The complete events that keep(event) wants, with ts and dur in ns from the first one on, and that first time."""
    events = [dict(e) for e in document["traceEvents"] if e.get("ph") == "X" and keep(e)]
    for e in events:
        e["ts"], e["dur"] = ns(e["ts"]), ns(e.get("dur", 0))
    first = min((e["ts"] for e in events), default=0)
    for e in events:
        e["ts"] -= first
    return events, first


def write_trace(path, events, rank=0):
    def plain(value):
        return float(value) if isinstance(value, decimal.Decimal) else value
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [], "distributedInfo": {"rank": rank}, "traceEvents": events},
                  file, default=plain)
    return path


def analysis(path, last_step=False):
    """HTA's TraceAnalysis of one rank, or of those of a list, with the last step or without it."""
    import logging
    logging.disable(logging.CRITICAL)
    from hta.trace_analysis import TraceAnalysis
    files = dict(enumerate(path)) if isinstance(path, list) else {0: path}
    return TraceAnalysis(trace_files=files, trace_dir="/", include_last_profiler_step=last_step)
