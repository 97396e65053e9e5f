"""The traces that are cut: the corpus', and made ones of every kind (generate.py, ../random, ../../hostile), also damaged; those
that passes write with what they found, and a larger one.

A case is (name, path or what makes it, whether other data sources may have made slices of threads).
"""
import importlib.util
import json
import os
import random
import subprocess
import sys

import generate
from tools import HERE, fields, packet_body, packets

import make_random
from make_trace import Maker

LARGE = 300 << 10
HOSTILE_EVENTS = 60


def hostile_kinds():
    place = os.path.join(os.path.dirname(os.path.dirname(HERE)), "hostile", "generate.py")
    spec = importlib.util.spec_from_file_location("hostile_generate", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.KINDS


def corpus_cases(corpus, large):
    for area in ("perfetto", "real"):
        with open(os.path.join(corpus, area, "manifest.json"), encoding="utf-8") as file:
            for row in json.load(file):
                path = os.path.join(corpus, area, row["case"], row["file"])
                if not row.get("load_error") and not path.endswith((".zip", ".tar")) and (
                        large or os.path.getsize(path) <= LARGE):
                    yield f"{area}/{row['case']}", path, "slices" not in row.get("counted", ())


def damaged(data, r):
    """A trace that ends within a packet, or with a packet whose contents are overwritten."""
    if r.random() < 0.5:
        return data[:r.randrange(len(data) // 2, len(data))]
    parts = packets(data)
    at = r.randrange(len(parts))
    body = bytearray(parts[at])
    for i in range(min(len(body), 4), len(body)):
        body[i] = r.randrange(256)
    return b"".join(parts[:at] + [bytes(body)] + parts[at + 1:])


def document(number):
    """A document of Chrome JSON, without what the engine does not read in texts and numbers of threads that it cuts."""
    text = make_random.make(3 * number)[0].replace('"tid":1099511627776', '"tid":1099')
    return text.replace("\\ud83d\\ude00", "\U0001f600").replace("\\ud800", "").encode("utf-8", "surrogatepass")


def has_ftrace(packet):
    """Whether a packet has ftrace events, which make slices that are no packets of their own (binder, atrace)."""
    return any(number == 1 for number, _ in fields(packet_body(packet)))


def made_cases(folder, seed, count):
    """`count` of each kind of made traces, and one of each hostile kind."""
    os.makedirs(folder, exist_ok=True)
    makers = {"made": generate.trace, "wild": lambda number: Maker(number).build(),
              "damaged": lambda number: damaged(generate.trace(number), random.Random(number)),
              "document": document}
    numbers = {f"{kind}/{number}": lambda make=make, number=number: make(number)
               for kind, make in makers.items() for number in range(seed, seed + count)}
    for kind, make in hostile_kinds().items():
        numbers[f"hostile/{kind}"] = lambda make=make: make(HOSTILE_EVENTS)
    for name, make in numbers.items():
        ending = ".json" if "/json" in name or "document" in name else ".pftrace"
        path = os.path.join(folder, name.replace("/", "_") + ending)
        data = make()
        with open(path, "wb") as file:
            file.write(data)
        yield name, path, name.startswith("hostile/") and ending == ".pftrace" and any(map(has_ftrace, packets(data)))


# What a pass reads of the corpus, and the options of it that count.
ENRICHED = {
    "gpu": ("real/torch-cupti/trace.json.gz",),
    "gpu-flows": ("real/torch-h100-qwen/trace.json.gz",),
    "aie": ("aie/c01_basic_2x2/trace.json.gz", *"--M 256 --K 256 --N 256 --row 2 --col 2 --warmup 2 --iterations 4".split()),
    "aiu": tuple(f"aiu/autopilot/roberta-autopilot-1-901-rank-0-job-{job}.json" for job in range(3)) + ("--freq", "557:1100"),
    "neutrino": ("neutrino/dmat_small/trace",),
    "tinygrad": ("tinygrad/amd_gfx1100_gemm_0/profile.pkl",),
}


def enriched_cases(postfetto, corpus, folder):
    """Traces that are made when they are drawn."""
    def make(name, *command):
        path = os.path.join(folder, name.replace("/", "_") + ".pftrace")
        subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path

    def enrich(name, options):
        inputs = [os.path.join(corpus, option) if "/" in option else option for option in options]
        report = ["--report", os.path.join(folder, "report")] if name in ("aie", "aiu") else []
        return make(f"enriched/{name}", postfetto, "analyze", name.split("-")[0], "-q", *inputs, *report, "-o")

    for name, options in ENRICHED.items():
        yield f"enriched/{name}", lambda name=name, options=options: enrich(name, options), False
    generator = os.path.join(corpus, "..", "tools", "gen_trace.py")
    yield "enriched/large", lambda: make("large", sys.executable, generator, "--events", "100000", "--pftrace"), False
