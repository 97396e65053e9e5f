"""The driver of the area tinygrad: profiles that tinygrad pickles.

A case is a folder with params.json, the profile that it names, and expected/: reports by name, gzipped or not. The
command analyses the profile and every report that it writes is compared as data: numbers exactly, the binary timeline
after it was decoded. What shows the compiler is left out: numbers of its graphs (`ref`), instruction texts, ctxs.json.
Cases of kind "robustness" have result.json: whether the profile is read, and where it is not, the offset of the error.
"""
import gzip
import json
import os
import re
import struct

from runner import Result

LEFT_OUT = {"ctxs.json", "result.json", "estimates.json"}
UNREADABLE = 3
LIMIT = 5


class CaseError(Exception):
    """Why a case failed."""


def read_plain(path):
    with open(path, "rb") as source:
        data = source.read()
    return gzip.decompress(data) if path.endswith(".gz") else data


def first_line(data):
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else "(no message)"


# ---- the binary timeline


class Layout:
    """A reader of the served timeline."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def text(self, length):
        self.at += length
        return self.data[self.at - length:self.at].decode("utf-8")

    def user(self, strings):
        run, name, position, mode = self.take("IIIB")
        return [run, strings[name], position, mode]

    def memory(self, count, strings, later):
        linear, = self.take("B") if later else (0,)
        events = [list(self.take("Q")), linear]
        for _ in range(count):
            if linear:
                events.append(self.take("IQ"))
                continue
            kind, ts, key, third = self.take("BIII")
            if kind:
                events.append(["alloc", ts, key, strings[third], *self.take("Q")])
            else:
                events.append(["free", ts, key, [self.user(strings) for _ in range(third)]])
        return events

    def slices(self, count, strings):
        events = []
        for _ in range(count):
            name, _, key, start, length, note = self.take("IIIIfI")
            shown = strings[note]
            events.append([strings[name], key, start, length, json.loads(shown) if shown[:1] == "{" else shown])
        return events


def decode_layout(data, later):
    layout = Layout(data)
    length, peak, size, tracks = layout.take("IQII")
    index = json.loads(layout.text(size))
    strings = index.pop("strings")
    found = {"dur": length, "peak": peak, "index": index, "tracks": []}
    for _ in range(tracks):
        name = layout.text(*layout.take("B"))
        kind, count = layout.take("BI")
        events = layout.memory(count, strings, later) if kind else layout.slices(count, strings)
        found["tracks"].append([name, kind, events])
    if layout.at != len(data):
        raise CaseError(f"profile.bin: {len(data) - layout.at} bytes are left over")
    return found


# ---- comparing


def trim_member(key, item):
    """Of a program's code program counters and lengths stay, of the map to its text the program counters."""
    if key == "code":
        return [row[:2] for row in item]
    return sorted(item) if key == "pcMap" else trim(item)


def trim(value):
    """Without what is not compared."""
    if isinstance(value, dict):
        return {key: trim_member(key, item) for key, item in value.items() if key not in ("ref", "inst")}
    return [trim(item) for item in value] if isinstance(value, (list, tuple)) else value


def leave_out_unknown(expected, found):
    """Which wave issued what when was recorded for some streams only."""
    for one, other in zip(expected["events"], found["events"]):
        if "inst_seq" not in one:
            other.pop("inst_seq", None)


def differ(expected, found, path):
    """Where two documents part, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected.keys() | found.keys():
            if key not in found or key not in expected:
                return f"{path}.{key} is {'missing' if key not in found else 'there without being expected'}"
            part = differ(expected[key], found[key], f"{path}.{key}")
            if part:
                return part
        return None
    if isinstance(expected, list) and isinstance(found, list):
        for i, (one, other) in enumerate(zip(expected, found)):
            part = differ(one, other, f"{path}[{i}]")
            if part:
                return part
        return None if len(expected) == len(found) else f"{path} has {len(found)} items instead of {len(expected)}"
    same = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return None if same else f"{path} is {str(found)[:80]!r} instead of {str(expected)[:80]!r}"


def decode(name, data, later):
    if name.endswith(".bin"):
        return decode_layout(data, later)
    if name.endswith(".json"):
        return json.loads(data)
    return data.decode("utf-8").splitlines()


def compare_file(case, name, folder):
    plain = name[:-3] if name.endswith(".gz") else name
    path = os.path.join(folder, plain)
    if not os.path.exists(path):
        raise CaseError(f"{plain}: was not written")
    later = case.settings.get("schema") != "dec25"
    expected = decode(plain, read_plain(os.path.join(case.folder, "expected", name)), later)
    found = decode(plain, read_plain(path), later)
    if plain == "sqtt.json":
        leave_out_unknown(expected, found)
    part = differ(trim(expected), trim(found), plain)
    if part:
        raise CaseError(part)


# ---- running


class Case:
    """A case folder, read."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.settings = json.loads(read_plain(os.path.join(folder, "params.json")))
        self.files = sorted(os.listdir(os.path.join(folder, "expected")))


def expect_refusal(outcome, reason):
    if outcome.code not in (UNREADABLE, LIMIT):
        raise CaseError(f"exit code {outcome.code} instead of {UNREADABLE}")
    offset = re.search(r" at (\d+)", reason)
    wanted = f"at byte {offset.group(1)}:" if offset and offset.group(1) != "0" else ""
    if wanted not in first_line(outcome.stderr):
        raise CaseError(f"'{wanted}' is not in: {first_line(outcome.stderr)}")


def expect_damage(outcome, reason):
    """A profile that ends in the middle but has whole events is read, with the place of the damage said."""
    wanted = f"at byte {re.search(r' at ([0-9]+)', reason).group(1)}: warning: the pickle ends in the middle"
    if wanted not in first_line(outcome.stderr):
        raise CaseError(f"'{wanted}' is not in: {first_line(outcome.stderr)}")


def check_result(case, outcome):
    result = json.loads(read_plain(os.path.join(case.folder, "expected", "result.json")))
    if result["status"] == "error" and "truncated" in result["reason"] and outcome.code == 0:
        expect_damage(outcome, result["reason"])
    elif result["status"] == "error":
        expect_refusal(outcome, result["reason"])
    elif outcome.code != 0 and not ("limit" in result.get("note", "") and outcome.code == LIMIT):
        raise CaseError(f"exit code {outcome.code}: {first_line(outcome.stderr)}")


def analyse(bench, case, folder):
    arguments = ["analyze", "tinygrad", os.path.abspath(os.path.join(case.folder, case.settings["input"]))]
    if case.settings.get("rewrites_used"):
        arguments += ["--estimates", os.path.abspath(os.path.join(case.folder, "expected", "estimates.json"))]
    outcome = bench.call(arguments + ["--report", "out"], folder)
    if outcome.code is None:
        raise CaseError("took too long")
    return outcome


def report_kind(name):
    """packets_12.tsv.gz -> packets.tsv: what is counted together."""
    plain = name[:-3] if name.endswith(".gz") else name
    return re.sub(r"_\d+\.", ".", plain)


# ---- what is drawn

DRAWN = {
    "waves": "SELECT count(*) AS rows, coalesce(sum(int_value), 0) AS total FROM slice JOIN args USING (arg_set_id) "
             "WHERE key = 'debug.cycles' AND name GLOB '[0-9]* wave'",
    "clock": "SELECT count(*) AS rows, coalesce(cast(sum(value) AS INT), 0) AS total FROM counter "
             "JOIN counter_track ON counter_track.id = track_id WHERE name = 'shader clock'",
    "links": "SELECT count(*) AS rows, 0 AS total FROM flow",
}


def expected_drawing(events):
    """Rows and totals of each query: waves in cycles, clocks, arrows from issues to executions."""
    lengths = [wave["end"] - wave["start"] for event in events for wave in event["waves"]]
    clocks = [hz for event in events for _, hz in event["shader_clock_hz"]]
    layouts = [event["timeline"]["layout"] for event in events if "timeline" in event]
    slices = [entry for layout in layouts for row in layout if row["type"] == 0 for entry in row["events"]]
    links = sum("link" in (entry["fmt"] or {}) for entry in slices)
    return {"waves": [len(lengths), sum(lengths)], "clock": [len(clocks), sum(clocks)], "links": [links, 0]}


def ask(bench, folder, path, sql):
    outcome = bench.call(["query", path, sql], folder)
    if outcome.code != 0:
        raise CaseError(f"query: exit code {outcome.code}: {first_line(outcome.stderr)}")
    return [int(cell) for cell in outcome.stdout.decode("utf-8").splitlines()[1].split(",")]


def check_drawing(bench, case, folder):
    """Thread traces of recorded profiles, all of whose kernels are known, as they come and after a conversion."""
    name = next(name for name in case.files if name.startswith("sqtt.json"))
    events = json.loads(read_plain(os.path.join(case.folder, "expected", name)))["events"]
    profile = os.path.abspath(os.path.join(case.folder, case.settings["input"]))
    outcome = bench.call(["convert", profile, "-o", "converted.pftrace"], folder)
    if outcome.code != 0:
        raise CaseError(f"convert: exit code {outcome.code}: {first_line(outcome.stderr)}")
    expected = expected_drawing(events)
    for path in (profile, "converted.pftrace"):
        found = {key: ask(bench, folder, path, sql) for key, sql in DRAWN.items()}
        part = differ(expected, found, os.path.basename(path))
        if part:
            raise CaseError(part)


def compare_drawing(bench, case, folder):
    try:
        check_drawing(bench, case, folder)
    except (CaseError, OSError, ValueError, KeyError, IndexError) as problem:
        return Result(case.name, "drawn", "failed", str(problem))
    return Result(case.name, "drawn", "passed", "")


# ---- the timeline as a trace

SLICES = ("SELECT s.name AS name, s.ts AS ts, a.real_value AS us FROM slice s JOIN args a USING (arg_set_id) "
          "WHERE a.key = 'debug.dur_us' AND a.real_value != 0")
PEAKS = ("SELECT t.name AS name, max(c.value) AS peak FROM counter c JOIN counter_track t ON t.id = c.track_id "
         "WHERE t.name LIKE '% memory (bytes)' GROUP BY 1")


def single(value):
    """The nearest number of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def expected_timeline(profile):
    """Slices by name, start and length; peaks by device."""
    slices, peaks = [], {}
    for track in profile["layout"]:
        if track["type"] == 0:
            for entry in track["events"]:
                slices.append([re.sub("\x1b\\[[^@-~]*[@-~]", "", entry["name"]), entry["st"], entry["dur"]])
        elif not track["linear"]:
            peaks[track["name"].removesuffix(" Memory")] = track["peak"]
    return {"slices": sorted(slices), "peaks": peaks}


def query(bench, folder, path, sql):
    outcome = bench.call(["query", path, "--format", "json", sql], folder)
    if outcome.code != 0:
        raise CaseError(f"query: exit code {outcome.code}: {first_line(outcome.stderr)}")
    result = json.loads(outcome.stdout)["results"][0]
    return [dict(zip(result["columns"], row)) for row in result["rows"]]


def found_timeline(bench, folder, path, first):
    """The same from the tables of a trace; times begin at `first` (us), which the profile calls 0."""
    slices = [[row["name"], row["ts"] // 1000 - first, single(row["us"])]
              for row in query(bench, folder, path, SLICES)]
    peaks = {row["name"].removesuffix(" memory (bytes)"): row["peak"] for row in query(bench, folder, path, PEAKS)}
    return {"slices": sorted(slices), "peaks": peaks}


def check_timeline(bench, case, folder):
    name = next(name for name in case.files if name.startswith("profile.json"))
    expected = expected_timeline(json.loads(read_plain(os.path.join(case.folder, "expected", name))))
    profile = os.path.abspath(os.path.join(case.folder, case.settings["input"]))
    if bench.call(["convert", profile, "-o", "timeline.pftrace"], folder).code != 0:
        raise CaseError("convert failed")
    first = query(bench, folder, profile, "SELECT min(ts) / 1000 AS first FROM tinygrad_event")[0]["first"]
    for path in (profile, "timeline.pftrace"):
        part = differ(expected, found_timeline(bench, folder, path, first), os.path.basename(path))
        if part:
            raise CaseError(part)


def compare_timeline(bench, case, folder):
    try:
        check_timeline(bench, case, folder)
    except (CaseError, OSError, ValueError, KeyError, IndexError) as problem:
        return Result(case.name, "trace", "failed", str(problem))
    return Result(case.name, "trace", "passed", "")


def run_case(bench, case):
    """The result of the run, then one for each report."""
    folder = bench.scratch()
    outcome = analyse(bench, case, folder)
    if "result.json" in case.files:
        check_result(case, outcome)
    elif outcome.code != 0:
        raise CaseError(f"exit code {outcome.code}: {first_line(outcome.stderr)}")
    yield Result(case.name, "run", "passed", "")
    for name in case.files:
        if name in LEFT_OUT:
            continue
        try:
            compare_file(case, name, os.path.join(folder, "out"))
        except (CaseError, OSError, ValueError, KeyError, struct.error, IndexError) as problem:
            yield Result(case.name, report_kind(name), "failed", str(problem))
        else:
            yield Result(case.name, report_kind(name), "passed", "")
    if case.name.startswith("amd_"):
        yield compare_drawing(bench, case, folder)
    if any(name.startswith("profile.json") for name in case.files):
        yield compare_timeline(bench, case, folder)
    bench.discard(folder)


def run(bench, area):
    for name in sorted(os.listdir(area)):
        folder = os.path.join(area, name)
        if not os.path.isdir(folder):
            continue
        try:
            yield from run_case(bench, Case(folder))
        except (CaseError, OSError, ValueError, KeyError) as problem:
            yield Result(name, "run", "failed", str(problem))
