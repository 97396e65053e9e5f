"""cases.py: what the bench measures. A case makes its inputs when it is run and gives its probes, ours first."""
import collections
import json
import os
import subprocess

import everyday
from collections_of_ranks import all_collections
from probes import Engine, annotating, asking, bare, building, columns, floor, json_load, reading, recorded, whole

# `probes`: a function of the bench to the path of the input and the probes, which take turns.
Case = collections.namedtuple("Case", "name group size probes")

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "peers")

BINARY = ("general", "interned", "annotated", "sequences", "sequence", "async", "counters", "flows", "disorder",
          "compressed")

# What the program whose reports `analyze aie` reproduces took for large_1m as JSON; it needed 558 MB.
REFERENCE_S = 3.0

QUERIES = {
    "count": "SELECT count(*) FROM slice",
    "count, sum": "SELECT count(*), sum(dur) FROM slice",
    "group by track": "SELECT track_id, count(*), sum(dur) FROM slice GROUP BY track_id",
    "group by name": "SELECT name, count(*), sum(dur) FROM slice GROUP BY name",
    "join": "SELECT thread.name, count(*), sum(slice.dur) FROM slice JOIN thread_track ON slice.track_id = thread_track.id "
            "JOIN thread USING (utid) GROUP BY thread.name",
    "window": "SELECT max(gap) FROM (SELECT ts - lag(ts) OVER (PARTITION BY track_id ORDER BY ts) AS gap FROM slice)",
    "ancestor": "SELECT count(*) FROM slice AS inner JOIN slice AS outer ON inner.parent_id = outer.id "
                "WHERE inner.dur * 2 > outer.dur",
    "args": "SELECT sum(extract_arg(arg_set_id, 'debug.bytes')) FROM slice",
    "time range": "SELECT count(*) FROM slice WHERE ts BETWEEN (SELECT min(ts) + (max(ts) - min(ts)) / 2 FROM slice) "
                  "AND (SELECT min(ts) + (max(ts) - min(ts)) / 2 + 1000000 FROM slice)",
}


class Bench:
    """What the cases need: inputs, programs, the engine, a folder for outputs."""

    def __init__(self, options, inputs, programs, out, say):
        self.postfetto, self.before = options.postfetto, options.before
        self.inputs, self.out = inputs, out
        self.floor, self.inside = os.path.join(programs, "bench_floor"), os.path.join(programs, "bench_inside")
        self.build = os.path.join(programs, "bench_build")
        self.packets, self.vtab = os.path.join(programs, "bench_packets"), os.path.join(programs, "bench_vtab")
        self.quick = options.quick
        self.engine = Engine(options.engine, os.path.join(options.shared, "tools"), not options.quick, say)

    def earlier(self, command, label="before"):
        """The same with the command that --before names."""
        return [whole(label, [self.before] + command[1:], ours=True)] if self.before else []

    def imports(self, path):
        probes = [reading("2 threads", self.postfetto, path), reading("1 thread", self.postfetto, path, 1)]
        if self.before:
            probes += [reading("before, 2 threads", self.before, path), reading("before, 1 thread", self.before, path, 1)]
        return probes


def import_case(name, size, engine=True):
    def probes(bench):
        path = bench.inputs.get(name, size)
        found = bench.imports(path)
        if engine:
            found += bench.engine.probe(path, most=2 if size > 10 else 3)
        if name == "general.pftrace" or name == "annotated.pftrace":
            found += [floor(what, bench.floor, what, path) for what in ("framing", "memcpy")]
            found += [floor("protobuf-c", bench.floor, "unpack", path, most=3),
                      floor("protobuf-c, arena", bench.floor, "unpack-arena", path, most=3)]
        elif name.endswith(".gz"):
            plain = bench.inputs.get(name[:-3], size)
            found += [floor("inflate alone", bench.floor, "inflate", path),
                      reading("plain, 1 thread", bench.postfetto, plain, 1)]
        elif name.endswith(".json"):
            found += [floor("memcpy", bench.floor, "memcpy", path)]
            found += [json_load(path)] if size <= 100 else []
        return path, found
    return Case(f"import {name}, {size} MB", "import", size, probes)


def sched_case(name, size):
    """A capture of a scheduler: all tables, and questions for which other tables and columns need not be made."""
    def probes(bench):
        path = bench.inputs.get(name, size)
        questions = {f"count of {table}": f"SELECT count(*) FROM {table}" for table in ("sched", "thread_state")}
        questions["times of thread_state"] = "SELECT state, count(*), sum(dur) FROM thread_state GROUP BY state"
        asked = [whole(label, [bench.postfetto, "query", path, sql], ours=True) for label, sql in questions.items()]
        return path, bench.imports(path) + asked + bench.engine.probe(path, most=2)
    return Case(f"import {name}, {size} MB", "import", size, probes)


def aie_case(ending, output):
    def probes(bench):
        path = bench.inputs.get("aie." + ending)
        command = [bench.postfetto, "analyze", "aie", path] + bench.inputs.aie_parameters()
        command += ["--report", os.path.join(bench.out, "reports")]
        command += ["-o", os.path.join(bench.out, "enriched.pftrace")] if output else []
        found = [whole("ours", command, ours=True)] + bench.earlier(command)
        if bench.inputs.is_large_1m:
            found += [recorded(f"reference program ({REFERENCE_S} s, recorded)", REFERENCE_S)]
        if ending == "json" and not output:
            found += [json_load(path)]
        elif ending == "json.gz":
            found += [floor("inflate alone", bench.floor, "inflate", path)]
        return path, found
    return Case(f"analyze aie{' -o' if output else ''}, .{ending}", "analyze", 0, probes)


# What the program whose results --compat repeats took for the capture of gen_aiu_big.py; it needed 1,961 MB.
AIU_REFERENCE_S = 118.0


def aiu_case():
    def probes(bench):
        traces, logs = bench.inputs.aiu_files()
        command = [bench.postfetto, "analyze", "aiu"] + traces + ["--freq", "557:1100", "-q"]
        command += ["-c", ",".join(logs)] if logs else []
        drawn = command + ["-o", os.path.join(bench.out, "aiu.pftrace")]
        listed = command + ["-o", os.path.join(bench.out, "aiu.txt")]
        command += ["--report", os.path.join(bench.out, "reports")]
        found = [whole("ours", command, ours=True), whole("1 thread", command + ["--jobs", "1"]),
                 whole("with the enriched trace", drawn), whole("with the enriched trace, 1 thread", drawn + ["--jobs", "1"]),
                 whole("with the table of slices", listed)]
        if not bench.quick:
            found += [recorded(f"reference program ({AIU_REFERENCE_S} s, recorded)", AIU_REFERENCE_S)]
        return None, found + bench.earlier(command)
    return Case("analyze aiu, 247 jobs", "analyze", 0, probes)


BLOCK_MAP = "block_sched:warp:start=u64,elapsed=u32,cuid=u32"
NEUTRINO_MAPS = {"blocks": BLOCK_MAP, "warps": BLOCK_MAP, "crowded": BLOCK_MAP, "alike": BLOCK_MAP,
                 "accesses": "DMAT:thread:clock=u64,addr=u64"}


def neutrino_case(name, size):
    def probes(bench):
        path = bench.inputs.get(name + ".bin", size)
        command = [bench.postfetto, "analyze", "neutrino", path, "--layout", "v2", "--map", NEUTRINO_MAPS[name]]
        command += ["--report", os.path.join(bench.out, "reports")]
        return path, [whole("ours", command, ours=True), floor("memcpy", bench.floor, "memcpy", path)] + \
            bench.earlier(command)
    return Case(f"analyze neutrino, {name}, {size} MB", "analyze", size, probes)


def gpu_case(name, size):
    """The analysis next to the import that it begins with; 1000 MB are 5 million events, 365 MB a million kernels."""
    def probes(bench):
        path = bench.inputs.get(name, size)
        command = [bench.postfetto, "analyze", "gpu", path, "-q"]
        return path, [whole("ours", command, ours=True), whole("with --json", command + ["--json"]),
                      whole("1 thread", command + ["--jobs", "1"]),
                      whole("import", [bench.postfetto, "info", path], ours=True),
                      whole("import, 1 thread", [bench.postfetto, "info", path, "--jobs", "1"])] + bench.earlier(command)
    return Case(f"analyze gpu, {name}, {size} MB", "analyze", size, probes)


# What the program whose results `compare ops` repeats took for a trace of a million operators; it needed 1,200 MB.
OPS_REFERENCE_S = 11.0


def ops_case(size):
    """The comparison next to the import that it begins with; 260 MB are a million operators."""
    def probes(bench):
        model, kernels, mapping = bench.inputs.ops_files(size)
        command = [bench.postfetto, "compare", "ops", "--scenario", f"model,{model},{kernels}", "--mapping", mapping,
                   "-o", os.path.join(bench.out, "ops.json")]
        found = [whole("ours", command, ours=True), whole("1 thread", command + ["--jobs", "1"]),
                 whole("import", [bench.postfetto, "info", model], ours=True), json_load(model)]
        if not bench.quick:
            found += [recorded(f"reference program ({OPS_REFERENCE_S} s, recorded)", OPS_REFERENCE_S)]
        return model, found + bench.earlier(command)
    return Case(f"compare ops, {size} MB", "analyze", size, probes)


def compare_case(name, size):
    """A trace against itself next to the import of one; 100 MB of a binary trace are 5 million events."""
    def probes(bench):
        path = bench.inputs.get(name, size)
        command = [bench.postfetto, "compare", path, path, "-q"]
        return path, [whole("ours", command, ours=True), whole("1 thread", command + ["--jobs", "1"]),
                      whole("import", [bench.postfetto, "info", path], ours=True),
                      whole("import, 1 thread", [bench.postfetto, "info", path, "--jobs", "1"])] + bench.earlier(command)
    return Case(f"compare {name}, {size} MB twice", "analyze", size, probes)


def tinygrad_case(size):
    """The import, and the analysis with all reports, which reads the pickle once more."""
    def probes(bench):
        path = bench.inputs.get("tinygrad.pkl", size)
        command = [bench.postfetto, "analyze", "tinygrad", path, "-q", "--report", os.path.join(bench.out, "reports")]
        return path, [whole("ours", command, ours=True), whole("import", [bench.postfetto, "info", path]),
                      floor("memcpy", bench.floor, "memcpy", path)] + bench.earlier(command)
    return Case(f"analyze tinygrad, {size} MB", "analyze", size, probes)


def convert_case(name, ending, size):
    def probes(bench):
        path = bench.inputs.get(name, size)
        command = [bench.postfetto, "convert", path, "-o", os.path.join(bench.out, "converted." + ending)]
        return path, [whole("ours", command, ours=True), whole("1 thread", command + ["--jobs", "1"]),
                      whole("import", [bench.postfetto, "info", path])] + bench.earlier(command)
    return Case(f"convert {name} to .{ending}, {size} MB", "convert", size, probes)


def cut_case(name, size):
    """A tenth of the time of a trace, one process of four, and both compressed; next to the import. Parts of a twentieth,
    and the merge of half of them."""
    def probes(bench):
        path = bench.inputs.get(name, size)
        said = json.loads(subprocess.run([bench.postfetto, "info", path, "--json"], capture_output=True, check=True).stdout)
        start, length = said["start"], said["length"]
        parts = os.path.join(bench.out, "parts")
        command = [bench.postfetto, "cut", path, "-q", "-o", os.path.join(bench.out, "cut.pftrace")]
        window = ["--from", str(start + length // 2), "--to", str(start + length // 2 + length // 10)]
        split = [bench.postfetto, "split", path, "-q", "-o", parts, "--every", f"{length // 20 + 1}ns"]
        subprocess.run(split, stdin=subprocess.DEVNULL, check=True)
        halves = sorted(os.path.join(parts, each) for each in os.listdir(parts) if each.endswith(".pftrace"))[:10]
        merge = [bench.postfetto, "merge", "-q", *halves, "-o", os.path.join(bench.out, "merged.pftrace")]
        packed = command[:-1] + [os.path.join(bench.out, "cut.pftrace.gz")]
        return path, [whole("ours", command + window, ours=True), whole("1 thread", command + window + ["--jobs", "1"]),
                      whole("one process of four", command + ["--process", "rank 1"], ours=True),
                      whole("a process in the window", command + window + ["--process", "rank 1"]),
                      whole("gzip", packed + window), whole("parts of a twentieth", split, ours=True),
                      whole("ten parts merged", merge, ours=True),
                      whole("import", [bench.postfetto, "info", path], ours=True)] + bench.earlier(command + window)
    return Case(f"cut {name}, {size} MB", "edit", size, probes)


def files_case(name, size):
    """Tables as an archive and as folders of files, next to the import."""
    def probes(bench):
        path = bench.inputs.get(name, size)
        command = [bench.postfetto, "convert", path, "-q", "-o"]
        archive = command + [os.path.join(bench.out, "tables.perfetto.tar")]
        folders = {form: command + [os.path.join(bench.out, form), "--to", form] for form in ("parquet", "arrow")}
        found = [whole("import", [bench.postfetto, "info", path], ours=True), whole("archive", archive, ours=True),
                 whole("archive, 1 thread", archive + ["--jobs", "1"])]
        found += [whole(form, words, ours=True) for form, words in folders.items()]
        return path, found + bench.earlier(archive, "archive, before")
    return Case(f"tables of {name}, {size} MB", "convert", size, probes)


def duckdb_case(sub, name, size):
    """A question to the trace, and to Parquet files that were made of it before; DuckDB's own start is in its time."""
    def probes(bench):
        path, folder = bench.inputs.get(name, size), os.path.join(bench.out, f"duck.{size}")
        found = [whole("query of the trace", [bench.postfetto, "query", path, QUERIES[sub]])]
        made = subprocess.run([bench.postfetto, "convert", path, "-q", "-o", folder, "--to", "parquet"], check=False)
        python = subprocess.run([PEERS, "columns"], capture_output=True, text=True, check=False)
        if made.returncode == 0 and python.returncode == 0:
            program = f"import duckdb; duckdb.sql(\"CREATE VIEW slice AS FROM '{folder}/slice.parquet'\"); " \
                      f"duckdb.sql({QUERIES[sub]!r}).fetchall()"
            found += [whole("DuckDB over the Parquet", [python.stdout.strip(), "-c", program])]
        return path, found
    return Case(f"DuckDB, {sub}, {name}, {size} MB", "query", size, probes)


def annotate_case(name, size):
    def probes(bench):
        path, out = bench.inputs.get(name, size), os.path.join(bench.out, "annotated.pftrace")
        return path, [annotating("ours", bench.inside, path, out), floor("write alone", bench.floor, "copy", path, out),
                      floor("memcpy", bench.floor, "memcpy", path)]
    return Case(f"annotate {name}, {size} MB", "annotate", size, probes)


def query_case(name, size):
    def probes(bench):
        path = bench.inputs.get(name, size)
        return path, [asking("ours", bench.inside, path, QUERIES)] + bench.engine.probe(path, QUERIES, most=2)
    return Case(f"query {name}, {size} MB", "query", size, probes)


def bare_case():
    def probes(bench):
        return None, [bare("SQLite alone", bench.vtab, everyday.BARE, 0.01 if bench.quick else 1)]
    return Case("everyday, SQLite alone", "query", 0, probes)


# Of everyday questions: their group, the trace in which they are asked, whether tp_query is asked, too.
EVERYDAY = {"general": (everyday.GENERAL, "general.pftrace", True), "arguments": (everyday.ARGUMENTS, "annotated.pftrace", True),
            "joined arguments": (everyday.JOINED, "annotated.pftrace", False)}


def everyday_case(kind, size=50):
    queries, name, engine = EVERYDAY[kind]

    def probes(bench):
        path = bench.inputs.get(name, size)
        return path, [asking("ours", bench.inside, path, queries)] + (bench.engine.probe(path, queries, most=2) if engine else [])
    return Case(f"everyday, {kind}, {name}, {size} MB", "query", size, probes)


def build_case(slices):
    def probes(bench):
        path = os.path.join(bench.out, "built.pftrace")
        return None, [building("ours", bench.build, slices // 10 if bench.quick else slices, path)]
    return Case(f"build {slices // 1000000} M slices", "build", 0, probes)


def columns_case(name, size):
    def probes(bench):
        path = bench.inputs.get(name, size)
        return path, [columns("2 threads", bench.build, path, 2), columns("1 thread", bench.build, path, 1)]
    return Case(f"argument columns, {name}, {size} MB", "columns", size, probes)


def packets_case(name):
    def probes(bench):
        return None, [floor("ours", bench.packets, name, "2" if bench.quick else "200")]
    return Case(f"decode AMD thread trace, {name}", "packets", 0, probes)


def start_case(name):
    def probes(bench):
        path, times = bench.inputs.get(name), "20" if bench.quick else "200"
        return path, [floor("ours", bench.floor, "spawn", times, bench.postfetto, "info", path),
                      floor("/bin/true", bench.floor, "spawn", times, "/bin/true")]
    return Case(f"start, {name}", "start", 0, probes)


def all_cases(large):
    cases = []
    for size in [10, 100] + ([1000] if large else []):
        cases += [import_case(f"{kind}.pftrace", size, size <= 100) for kind in BINARY]
        cases += [import_case(f"{kind}.json", size, size <= 100) for kind in ("general", "torch", "torch_ends")]
        cases += [import_case(name, size, size <= 10) for name in ("general.pftrace.gz", "general.json.gz", "torch.json.gz")]
    cases += [sched_case("sched.pftrace", 100), sched_case("sched_plain.pftrace", 100)]
    cases += [import_case("general.json", 500), import_case("torch.json", 200), import_case("torch_ends.json", 200)]
    cases += [aie_case("json", False), aie_case("json.gz", False), aie_case("pftrace", False), aie_case("json", True),
              aie_case("pftrace", True)]
    cases += [aiu_case()]
    cases += [neutrino_case("blocks", 1000), neutrino_case("warps", 100), neutrino_case("crowded", 100),
              neutrino_case("alike", 100), neutrino_case("accesses", 1600)]
    cases += [tinygrad_case(60)]
    cases += [ops_case(260), compare_case("general.pftrace", 100), compare_case("torch.json", 1000 if large else 200)]
    cases += [gpu_case("torch.json", 200), gpu_case("torch.json", 1000), gpu_case("torch.pftrace", 200),
              gpu_case("torch_kernels.json", 365), gpu_case("torch_kernels.pftrace", 365)]
    cases += [convert_case("general.pftrace", "json", 100), convert_case("general.pftrace", "json.gz", 10),
              convert_case("general.pftrace", "sqlite", 100), convert_case("general.pftrace", "pftrace.gz", 10),
              convert_case("general.json", "pftrace", 100),
              convert_case("torch.json", "pftrace", 100)]
    cases += [cut_case(f"{kind}.pftrace", size) for kind, size in (("interned", 1000), ("annotated", 100))]
    cases += [files_case("general.json", 100), files_case("general.pftrace", 100), files_case("torch.json", 200)]
    cases += [files_case("general.pftrace", 2000)] if large else []  # 50 million slices
    cases += [duckdb_case(sub, "general.pftrace", 100) for sub in ("count, sum", "group by name", "window")]
    cases += [annotate_case("general.pftrace", 100), annotate_case("aie.pftrace", 10)]
    cases += [query_case("general.pftrace", 10), query_case("general.pftrace", 100)]
    cases += [bare_case()] + [everyday_case(kind) for kind in EVERYDAY]
    cases += [build_case(5000000), columns_case("torch.json", 200)]
    cases += [packets_case(name) for name in ("rdna3", "dense", "rdna4", "cdna")]
    cases += [start_case("tiny.pftrace"), start_case("tiny.json")]
    cases += [Case(*case) for case in all_collections()] if large else []
    return cases
