"""probes.py: one measurement each. A probe is called once a round and gives its samples by name ("" where there is one).

What is timed: for an import `seconds` of `postfetto info FILE --stats`, which builds all tables; for other commands the
whole process from start to exit; for SQL and the drawing into a trace the clock inside tests/bench/inside.c; for
Perfetto's engine what tp_query says with --time; for the floor the clock inside tests/bench/floor.c.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

Sample = collections.namedtuple("Sample", "seconds stats")

# `most`: rounds that the probe takes part in at most (slow comparisons), 0 = all.
Probe = collections.namedtuple("Probe", "label call most")


class Failure(Exception):
    """A measured program failed; the text says which and how."""


def run(command, stdout=subprocess.PIPE, cwd=None):
    """Seconds of the whole process, its standard output and standard error."""
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, check=False, cwd=cwd)
    seconds = time.monotonic() - start
    errors = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{errors}")
    return seconds, done.stdout, errors


def stats_of(errors):
    """The line that --stats prints at the end."""
    lines = [line for line in errors.splitlines() if line.startswith("{")]
    if not lines:
        raise Failure("--stats printed nothing")
    return json.loads(lines[-1])


def reading(label, postfetto, path, jobs=2):
    """The import of a trace into all tables."""
    def call():
        stats = stats_of(run([postfetto, "info", path, "--stats", "--jobs", str(jobs)], subprocess.DEVNULL)[2])
        return {"": Sample(stats["seconds"], stats)}
    return Probe(label, call, 0)


def whole(label, command, ours=False, most=0):
    """A process from start to exit."""
    def call():
        seconds, _, errors = run(command + ["--stats"] if ours else command, subprocess.DEVNULL)
        return {"": Sample(seconds, stats_of(errors) if ours else {})}
    return Probe(label, call, most)


def floor(label, program, what, *arguments, most=0):
    def call():
        line = json.loads(run([program, what, *arguments])[1])
        return {"": Sample(line["seconds"], line)}
    return Probe(label, call, most)


def recorded(label, seconds):
    """A comparison that was measured once elsewhere and is not run."""
    return Probe(label, lambda: {"": Sample(seconds, {})}, 1)


def annotating(label, program, path, out):
    """The writing of a trace that was read, with a small overlay; the bytes go to `out`, which is removed."""
    def call():
        line = json.loads(run([program, "annotate", path, out])[1])
        os.unlink(out)
        return {"": Sample(line["write_seconds"], line)}
    return Probe(label, call, 0)


def asking(label, program, path, queries):
    """SQL without the reading; one sample for each statement."""
    def call():
        line = json.loads(run([program, "query", path, *queries.values()])[1])
        return {name: Sample(one["seconds"], one) for name, one in zip(queries, line["queries"])}
    return Probe(label, call, 0)


def bare(label, program, questions, share):
    """SQL over rows of a table that does nothing; a sample for each of the questions: rows, SQL."""
    def call():
        lines = {name: json.loads(run([program, str(max(1, int(rows * share))), sql])[1]) for name, (rows, sql) in questions.items()}
        return {name: Sample(line["seconds"], line) for name, line in lines.items()}
    return Probe(label, call, 0)


def building(label, program, slices, path):
    """A trace made in memory and written, then read again; `path` is removed."""
    def call():
        line = json.loads(run([program, "slices", str(slices), path])[1])
        os.unlink(path)
        return {"build and write": Sample(line["build_seconds"] + line["write_seconds"], line),
                "import of the result": Sample(line["import_seconds"], line)}
    return Probe(label, call, 0)


def columns(label, program, path, jobs):
    """Argument columns of a trace that was read; the bytes are those of the arguments."""
    def call():
        line = json.loads(run([program, "args", path, str(jobs)])[1])
        return {"": Sample(line["seconds"], {"bytes": line["arg_bytes"]})}
    return Probe(label, call, 0)


class Engine:
    """Perfetto's own engine as WebAssembly, if everything that it needs is there; else `missing` says what is not."""

    def __init__(self, folder, tools, fetch, say):
        self.folder = folder
        self.missing = self.find(tools, fetch, say)

    def find(self, tools, fetch, say):
        node = shutil.which("node")
        if not node:
            return "node is not installed (version 20 or later is needed)"
        version = run([node, "-p", "process.versions.node"])[1].decode().strip()
        if int(version.split(".")[0]) < 20:
            return f"node {version} is too old (version 20 or later is needed)"
        source = os.path.join(tools, "tp_query")
        if not os.path.isfile(os.path.join(self.folder, "tp_query.mjs")):
            if not os.path.isdir(source):
                return f"no tp_query in {tools}"
            os.makedirs(self.folder, exist_ok=True)
            for name in os.listdir(source):
                if os.path.isfile(os.path.join(source, name)):
                    shutil.copyfile(os.path.join(source, name), os.path.join(self.folder, name))
        if not os.path.isfile(os.path.join(self.folder, "assets", "trace_processor.wasm")):
            if not fetch:
                return f"the engine's assets are not in {self.folder}"
            say("fetching the assets of Perfetto's engine")
            try:
                run(["npm", "run", "--silent", "assets"], cwd=self.folder)
            except (Failure, OSError):
                return "the engine's assets could not be fetched (npm run assets)"
        return None

    def probe(self, path, queries=None, most=3):
        """Its reading, or its answers, or nothing if it is not there."""
        def call():
            command = ["node", os.path.join(self.folder, "tp_query.mjs"), path, "--time"]
            for sql in (queries or {"": "SELECT 1"}).values():
                command += ["-q", sql]
            errors = run(command, subprocess.DEVNULL)[2]
            load = re.search(r"^load: .* in ([0-9.]+) s", errors, re.MULTILINE)
            answers = re.findall(r"^query: ([0-9]+) rows in ([0-9]+) ms", errors, re.MULTILINE)
            if not load or len(answers) != len(queries or {"": ""}):
                raise Failure(f"tp_query said something else than expected:\n{errors}")
            if queries is None:
                return {"": Sample(float(load.group(1)), {})}
            return {name: Sample(int(ms) / 1000, {"rows": int(rows)}) for name, (rows, ms) in zip(queries, answers)}
        return [] if self.missing else [Probe("tp_query", call, most)]


def json_load(path, most=3):
    load = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
    return whole("python json.load", [sys.executable, "-c", load, path], most=most)
