"""The driver of the area aie: the analysis of AI Engine traces.

A case is a folder with trace.json or trace.json.gz, cmd.txt (key=value) and expected/: every file that the analysis
writes next to its input, and stdout.txt. The input is placed at run_path under a scratch folder, the command runs there,
and everything it leaves behind is compared. The same reports must come out of every form of the same trace:

  json      plain                           json.gz   gzipped: as stored, or in two members
  convert   binary, by `postfetto convert`  twin      binary, by scripts/make_twin.py
  twin.gz   the latter, gzipped
"""
import gzip
import hashlib
import os

import make_twin
from runner import Result

PARAMETERS = ["M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations"]
FORMATS = ["json", "json.gz", "convert", "twin", "twin.gz"]
BINARY_FORMATS = ["convert", "twin", "twin.gz"]
# Written besides the files that must be equal byte for byte.
EXTRA_FILES = {"aie_quality.json"}


class CaseError(Exception):
    """Why a case failed."""


def read_file(path):
    with open(path, "rb") as source:
        return source.read()


class Case:
    """A case folder, read."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.settings = self.read_settings()
        self.stored = read_file(os.path.join(folder, self.settings["input"]))
        self.compressed = self.stored[:2] == b"\x1f\x8b"
        self.plain = gzip.decompress(self.stored) if self.compressed else self.stored
        self.expected = self.read_expected()
        self.twin = None
        self.no_twin = None

    def read_settings(self):
        lines = read_file(os.path.join(self.folder, "cmd.txt")).decode("utf-8").splitlines()
        settings = dict(line.split("=", 1) for line in lines if "=" in line)
        if not settings.get("run_path") or os.path.isabs(settings["run_path"]):
            raise CaseError("cmd.txt has no relative run_path")
        if "input" not in settings:
            there = sorted(name for name in os.listdir(self.folder) if name.startswith("trace.json"))
            settings["input"] = there[0] if there else "trace.json"
        return settings

    def read_expected(self):
        """Path under the scratch folder -> bytes; stdout.txt under its own name."""
        folder = os.path.join(self.folder, "expected")
        output = os.path.dirname(self.settings["run_path"])
        files = {"stdout.txt": b""}
        for name in os.listdir(folder):
            files[name if name == "stdout.txt" else os.path.join(output, name)] = read_file(os.path.join(folder, name))
        return files

    def check_digest(self):
        wanted = self.settings.get("input_json_sha256")
        if wanted and hashlib.sha256(self.plain).hexdigest() != wanted:
            raise CaseError("the input is not the one that cmd.txt gives the SHA-256 of")

    def make_twin(self):
        """Fills twin, or no_twin with the reason."""
        if self.twin is None and self.no_twin is None:
            try:
                self.twin = make_twin.make_twin(make_twin.load_events(self.plain))
            except make_twin.NoTwin as reason:
                self.no_twin = str(reason)
            except (ValueError, KeyError, RecursionError) as problem:
                self.no_twin = f"make_twin.py cannot read the document ({type(problem).__name__})"


def two_members(data):
    half = len(data) // 2
    return gzip.compress(data[:half], 6, mtime=0) + gzip.compress(data[half:], 6, mtime=0)


def convert(bench, case):
    """The case as `postfetto convert` writes it."""
    folder = bench.scratch()
    source, target = "in.json", "out.pftrace"
    with open(os.path.join(folder, source), "wb") as file:
        file.write(case.plain)
    done = bench.call(["convert", source, "-o", target], folder)
    if done.code != 0:
        raise CaseError(f"convert ended with exit code {done.code}: {first_line(done.stderr)}")
    data = read_file(os.path.join(folder, target))
    bench.discard(folder)
    return data


def make_input(bench, case, form):
    if form == "json":
        return case.plain
    if form == "json.gz":
        return case.stored if case.compressed else two_members(case.plain)
    if form == "convert":
        return convert(bench, case)
    return gzip.compress(case.twin, 6, mtime=0) if form == "twin.gz" else case.twin


def first_line(data):
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else "(no message)"


def difference(name, expected, found):
    """Where two texts part, for a person."""
    if len(expected) != len(found):
        shorter = min(len(expected), len(found))
    else:
        shorter = len(expected)
    at = next((i for i in range(shorter) if expected[i] != found[i]), shorter)
    line = expected.count(b"\n", 0, at) + 1
    start = expected.rfind(b"\n", 0, at) + 1

    def excerpt(data):
        return data[start:at + 60].split(b"\n")[0].decode("utf-8", "replace")

    return f"{name}: differs at byte {at} (line {line}): expected '{excerpt(expected)}', got '{excerpt(found)}'"


def collect(folder, skip):
    """All files under the folder but the input: relative path -> bytes."""
    files = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            relative = os.path.relpath(path, folder)
            if relative != skip:
                files[relative] = read_file(path)
    return files


def compare(case, outcome, files):
    wanted_code = int(case.settings.get("exit_code", "0"))
    if outcome.code is None:
        raise CaseError("took too long")
    if outcome.code != wanted_code:
        raise CaseError(f"exit code {outcome.code} instead of {wanted_code}: {first_line(outcome.stderr)}")
    for path, content in sorted(case.expected.items()):
        if path != "stdout.txt" and path not in files:
            raise CaseError(f"{os.path.basename(path)}: was not written")
        found = outcome.stdout if path == "stdout.txt" else files[path]
        if found != content:
            raise CaseError(difference(os.path.basename(path), content, found))
    surplus = [path for path in files if path not in case.expected and os.path.basename(path) not in EXTRA_FILES]
    if surplus:
        raise CaseError(f"written without being expected: {', '.join(sorted(surplus))}")


def run_format(bench, case, form):
    folder = bench.scratch()
    run_path = case.settings["run_path"]
    os.makedirs(os.path.join(folder, os.path.dirname(run_path)), exist_ok=True)
    data = make_input(bench, case, form)
    with open(os.path.join(folder, run_path), "wb") as file:
        file.write(data)
    arguments = ["analyze", "aie", run_path]
    for name in PARAMETERS:
        if name in case.settings:
            arguments += [f"--{name}", case.settings[name]]
    outcome = bench.call(arguments, folder)
    if read_file(os.path.join(folder, run_path)) != data:
        raise CaseError("the input was changed")
    compare(case, outcome, collect(folder, os.path.normpath(run_path)))
    bench.discard(folder)


def run_case(bench, folder):
    """The results of one case in every format asked for."""
    name = os.path.basename(folder)
    try:
        case = Case(folder)
        case.check_digest()
    except (CaseError, OSError, ValueError, KeyError) as problem:
        yield Result(name, "json", "failed", f"the case cannot be read: {problem}")
        return
    for form in filter(bench.wants, FORMATS):
        if form in BINARY_FORMATS:
            case.make_twin()
            if case.no_twin:
                yield Result(name, form, "skipped", f"no binary form: {case.no_twin}")
                continue
        try:
            run_format(bench, case, form)
        except (CaseError, OSError) as problem:
            yield Result(name, form, "failed", str(problem))
        else:
            yield Result(name, form, "passed", "")


def run(bench, area):
    for name in sorted(os.listdir(area)):
        folder = os.path.join(area, name)
        if os.path.isdir(folder):
            yield from run_case(bench, folder)
