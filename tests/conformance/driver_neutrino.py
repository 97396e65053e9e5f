"""The driver of the area neutrino: the analyses of Neutrino recordings.

A case is a folder with params.json (analysis, layout, map), the recording as files and folders, and expected/. The
recording is analysed with `analyze neutrino PATH --only ANALYSIS`, and the files that it writes are compared with those of
expected/ (a .gz there is unpacked): integers and texts exactly, reals to 1e-9. Result lines must be on standard output.
expected/result.json says instead how a damaged file may end. Forms:

  recognised  layout and maps as the reader finds them     said  with --layout and --map out of params.json
  file        the one binary trace alone, whose run directory lies around it
"""
import glob
import gzip
import json
import math
import os

from runner import Result

FORMS = ["recognised", "said", "file"]
NOT_INPUT = {"expected", "params.json"}


class CaseError(Exception):
    """Why a case failed."""


def read_file(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as source:
        return source.read()


def map_option(entry, name):
    fields = ",".join(f"{field}={kind}" for field, kind in entry["fields"])
    return f"{entry.get('map') or entry.get('name') or name}:{entry['level']}:{fields}"


def said_options(params):
    """--layout and --map as the case gives them."""
    options = ["--layout", params["layout"]] if "layout" in params else []
    maps = params.get("maps") or ([params] if "fields" in params else [])
    for entry in maps:
        options += ["--map", map_option(entry, params["analysis"])]
    return options


def first_line(data):
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else "(no message)"


def difference(expected, found, where):
    """Where two documents part, or None."""
    if isinstance(expected, bool) or isinstance(found, bool) or expected is None or found is None:
        return None if expected is found else f"{where}: expected {expected}, got {found}"
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return None if math.isclose(expected, found, rel_tol=1e-9) else f"{where}: expected {expected}, got {found}"
    if type(expected) is not type(found):
        return f"{where}: expected {str(expected)[:60]}, got {str(found)[:60]}"
    if isinstance(expected, dict):
        if set(expected) != set(found):
            return f"{where}: members {sorted(set(expected) ^ set(found))[:5]} are on one side only"
        return next((d for key in expected if (d := difference(expected[key], found[key], f"{where}.{key}"))), None)
    if isinstance(expected, list):
        if len(expected) != len(found):
            return f"{where}: expected {len(expected)} items, got {len(found)}"
        pairs = enumerate(zip(expected, found))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, f"{where}[{i}]"))), None)
    return None if expected == found else f"{where}: expected {str(expected)[:80]}, got {str(found)[:80]}"


def lines_of(document):
    """The result lines in a document."""
    if isinstance(document, dict):
        own = [value for key, value in document.items() if key == "line"]
        return own + [line for value in document.values() for line in lines_of(value)]
    return [line for value in document for line in lines_of(value)] if isinstance(document, list) else []


def compare_file(expected, produced, stdout):
    name = os.path.basename(produced)
    if not os.path.exists(produced):
        raise CaseError(f"{name}: was not written")
    wanted, found = read_file(expected), read_file(produced)
    if not name.endswith(".json"):
        if wanted != found:
            raise CaseError(f"{name}: differs")
        return
    wanted = json.loads(wanted)
    parted = difference(wanted, json.loads(found), name)
    if parted:
        raise CaseError(parted)
    said = stdout.decode().splitlines()
    missing = [line for line in lines_of(wanted) if line not in said]
    if missing:
        raise CaseError(f"standard output lacks '{missing[0]}'")


def check_damaged(result, outcome):
    """"error", "ok with a warning ...", or alternatives joined by "or"."""
    wants = result["want"].replace(" (or ", " or ").replace(", or ", " or ").split(" or ")
    for want in wants:
        if want.startswith("error") and outcome.code == 3:
            return
        if want.startswith("ok") and outcome.code == 0:
            if "warning" not in want or b".bin: " in outcome.stderr:
                return
    raise CaseError(f"exit code {outcome.code}, wanted '{result['want']}': {first_line(outcome.stderr)}")


def compare(folder, outcome, report):
    expected = os.path.join(folder, "expected")
    result = os.path.join(expected, "result.json")
    if os.path.exists(result):
        check_damaged(json.loads(read_file(result)), outcome)
        return
    if outcome.code != 0:
        raise CaseError(f"exit code {outcome.code}: {first_line(outcome.stderr)}")
    for name in sorted(os.listdir(expected)):
        plain = name[:-3] if name.endswith(".gz") else name
        compare_file(os.path.join(expected, name), os.path.join(report, plain), outcome.stdout)


def input_of(folder, form):
    """The path to analyse, or None if the form does not apply."""
    if form == "file":
        traces = glob.glob(os.path.join(folder, "**", "*.bin*"), recursive=True)
        return traces[0] if len(traces) == 1 and os.path.getsize(traces[0]) else None
    inputs = sorted(name for name in os.listdir(folder) if name not in NOT_INPUT)
    return os.path.join(folder, inputs[0]) if len(inputs) == 1 else folder


def run_case(bench, folder, form):
    params = json.loads(read_file(os.path.join(folder, "params.json")))
    report = bench.scratch()
    path, options = input_of(folder, form), said_options(params) if form == "said" else []
    if path is None or (form == "said" and not options):
        return False
    outcome = bench.call(["analyze", "neutrino", path, "--only", params["analysis"], "--report", "."] + options, report)
    compare(folder, outcome, report)
    bench.discard(report)
    return True


def run(bench, area):
    for name in sorted(os.listdir(area)):
        folder = os.path.join(area, name)
        if not os.path.isdir(folder):
            continue
        for form in filter(bench.wants, FORMS):
            try:
                applies = run_case(bench, folder, form)
            except (CaseError, OSError, ValueError, KeyError) as problem:
                yield Result(name, form, "failed", str(problem))
            else:
                if applies:
                    yield Result(name, form, "passed", "")
