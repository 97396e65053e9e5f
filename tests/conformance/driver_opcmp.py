"""The driver of the area opcmp: operators of a performance model against kernels of a device.

A case is a folder with cmd.txt (key=value: inputs, argv, output, exit_code), in/ (the tree to run in; names ending in
.gz are unpacked first), expected/ and perhaps expected_unnested/, for runs with --unnested: op_comparison.json (absent
if the run fails), stdout.txt, stderr.txt (only where something is said; of failures the last line).
"""
import gzip
import os
import shlex
import shutil

from driver_aie import CaseError, difference, first_line, read_file
from runner import Result

FORMATS = {"json": ("expected", []), "json.unnested": ("expected_unnested", ["--unnested"])}


def read_settings(folder):
    lines = read_file(os.path.join(folder, "cmd.txt")).decode("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def place(source, target):
    """Copies the tree with every .gz unpacked."""
    for parent, _, names in os.walk(source):
        there = os.path.join(target, os.path.relpath(parent, source))
        os.makedirs(there, exist_ok=True)
        for name in names:
            path = os.path.join(parent, name)
            if name.endswith(".gz"):
                with gzip.open(path) as packed, open(os.path.join(there, name[:-3]), "wb") as plain:
                    shutil.copyfileobj(packed, plain)
            else:
                shutil.copyfile(path, os.path.join(there, name))


def wanted_stderr(folder):
    path = os.path.join(folder, "stderr.txt")
    return read_file(path) if os.path.exists(path) else b""


def last_line(data):
    lines = data.rstrip(b"\n").split(b"\n")
    return lines[-1]


def compare(settings, expected, outcome, produced):
    code = int(settings.get("exit_code", "0"))
    if outcome.code != code:
        raise CaseError(f"exit code {outcome.code} instead of {code}: {first_line(outcome.stderr)}")
    stdout = read_file(os.path.join(expected, "stdout.txt"))
    if outcome.stdout != stdout:
        raise CaseError(difference("stdout.txt", stdout, outcome.stdout))
    stderr = wanted_stderr(expected)
    if code == 0 and outcome.stderr != stderr:
        raise CaseError(difference("stderr.txt", stderr, outcome.stderr))
    if last_line(outcome.stderr) != last_line(stderr):
        raise CaseError(difference("stderr's last line", last_line(stderr), last_line(outcome.stderr)))
    document = os.path.join(expected, "op_comparison.json")
    if os.path.exists(document) != os.path.exists(produced):
        raise CaseError("op_comparison.json was " + ("written" if os.path.exists(produced) else "not written"))
    if os.path.exists(document) and read_file(document) != read_file(produced):
        raise CaseError(difference("op_comparison.json", read_file(document), read_file(produced)))


def run_case(bench, folder, form):
    expected, options = FORMATS[form]
    settings = read_settings(folder)
    scratch = bench.scratch()
    place(os.path.join(folder, "in"), scratch)
    arguments = ["compare", "ops"] + shlex.split(settings.get("argv", "")) + options
    outcome = bench.call(arguments, scratch)
    produced = os.path.join(scratch, settings.get("output", "results/op_comparison.json"))
    compare(settings, os.path.join(folder, expected), outcome, produced)
    bench.discard(scratch)


def run(bench, area):
    for name in sorted(os.listdir(area)):
        folder = os.path.join(area, name)
        for form, (expected, _) in FORMATS.items():
            if not bench.wants(form) or not os.path.isdir(os.path.join(folder, expected)):
                continue
            try:
                run_case(bench, folder, form)
            except (CaseError, OSError, ValueError, KeyError) as problem:
                yield Result(name, form, "failed", str(problem))
            else:
                yield Result(name, form, "passed", "")
