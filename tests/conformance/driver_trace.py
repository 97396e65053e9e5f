"""The driver of the areas perfetto and real: what a trace's tables hold, judged by what Perfetto's own engine recorded.

An area has manifest.json, a line per case: the trace, the sections of canonical.sql (next to the areas) that count, and
for each section the expected rows: expect/SECTION.csv of engine v55, expect-v58/SECTION.csv where v58 says otherwise, or
only the SHA-256 of the sorted lines. Either engine is right. `postfetto query FILE -f canonical.sql -d OUT` makes ours.

Rows are compared as multisets. Times of JSON traces may differ by 1 ns, because the engines pass them through doubles.
Numbers that stand for text pids and tids differ in every engine: both sides show them as `text`. Where only a digest is
known, ours are replaced by the engine's instead.

A pair of case and section is one result. A case that counts nothing must be survived: no crash, a documented exit code.
"""
import collections
import csv
import gzip
import hashlib
import io
import json
import os
import re

from runner import Result

DOCUMENTED_CODES = {0, 3, 4, 5}
TEXT_ID_FROM = 1 << 32
TIME_COLUMNS = {"ts", "dur", "first_ts", "last_ts", "slice_ts", "slice_dur", "out_ts", "out_dur", "in_ts", "in_dur",
                "parent_ts", "start_ts", "end_ts", "thread_ts", "thread_dur"}
SUM_COLUMNS = {"slices_by_name": {"dur"}}
ID_COLUMNS = ("pid", "tid", "out_pid", "out_tid", "in_pid", "in_tid")
ALWAYS_COMPARED = ("slices", "counters", "flows")
# What a system records of itself. The manifest counts none of the cases with such packets; all their sections count here.
HOST_PACKETS = re.compile("ftrace_|sys_stats|system_info|cpu_info|android_log|generic_kernel_"
                          "|battery$|power_rails|initial_display_state|android_system_property")
HOST_TRACES = {"android-cpu-sampling", "android-startup-warm"}  # of the area without a list of packets


def read_lines(path):
    """The lines of an expectation, gzipped or not."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def parse_rows(text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return (rows[0], rows[1:]) if rows else ([], [])


def sorted_digest(data):
    """SHA-256 of the header line followed by the other lines sorted by bytes; rows with line breaks count as lines."""
    lines = data.split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    ordered = lines[:1] + sorted(lines[1:])
    return hashlib.sha256(b"".join(line + b"\n" for line in ordered)).hexdigest()


def is_text_id(cell, known):
    if cell in known:
        return True
    return cell.isdigit() and int(cell) >= TEXT_ID_FROM


def mask_ids(header, rows, known):
    places = [i for i, name in enumerate(header) if name in ID_COLUMNS]
    return [[("text" if i in places and is_text_id(cell, known) else cell) for i, cell in enumerate(row)] for row in rows]


CELL = re.compile(rb'("(?:[^"]|"")*"|[^,\n]*)(,|\n)')


def as_engine(data, ids):
    """The CSV with text ids numbered as the engine does; ids: our number -> the engine's."""
    cells = CELL.findall(data)
    header = []
    for cell, end in cells:
        header.append(cell.strip(b'"').decode())
        if end == b"\n":
            break
    id_places = {i for i, name in enumerate(header) if name in ID_COLUMNS}
    if not id_places:
        return data
    parts = []
    width = len(header)
    for i, (cell, end) in enumerate(cells):
        place = i % width
        if place in id_places:
            cell = ids.get(cell, cell)
        parts += (cell, end)
    return b"".join(parts)


def engine_ids(produced, string_ids):
    """Our numbers of text pids and tids -> the engine's, told by the names that the texts give."""
    found = {}
    for section, kind in (("threads", "tids"), ("processes", "pids")):
        known = string_ids.get(kind, {})
        for row in parse_rows(produced.get(section, b"").decode("utf-8", "replace"))[1]:
            if row[0].isdigit() and int(row[0]) >= TEXT_ID_FROM and known.get(row[1]) is not None:
                found[row[0].encode()] = str(known[row[1]]).encode()
    return found


def close(a, b, allowance):
    if a == b:
        return True
    try:
        return abs(int(a) - int(b)) <= allowance
    except ValueError:
        return False


def as_number(cell):
    return int(cell) if cell.lstrip("-").isdigit() else float("-inf")


def equal_with_tolerance(section, header, ours, theirs):
    """Groups rows by their other columns and compares the sorted times of each group within a nanosecond."""
    sums = SUM_COLUMNS.get(section, set())
    times = [i for i, name in enumerate(header) if name in TIME_COLUMNS]
    counted = header.index("slices") if sums and "slices" in header else None

    def group(rows):
        groups = collections.defaultdict(list)
        for row in rows:
            key = tuple(cell for i, cell in enumerate(row) if i not in times)
            groups[key].append([row[i] for i in times])
        for values in groups.values():
            values.sort(key=lambda cells: [as_number(cell) for cell in cells])
        return groups

    mine, other = group(ours), group(theirs)
    if mine.keys() != other.keys():
        return False
    for key, values in mine.items():
        if len(values) != len(other[key]):
            return False
        for a, b in zip(values, other[key]):
            for place, x, y in zip(times, a, b):
                allowance = 1
                if header[place] in sums:
                    allowance = int(key[counted]) if counted is not None else 1
                if not close(x, y, allowance):
                    return False
    return True


class Case:
    """One line of the manifest."""

    def __init__(self, area_folder, entry):
        self.entry = entry
        self.name = entry["case"]
        self.folder = os.path.join(area_folder, *self.name.split("/"))
        self.path = os.path.join(self.folder, entry["file"])
        self.is_json = ".json" in entry["file"]
        ids = entry.get("string_ids", {})
        self.text_ids = {str(n) for kind in ids.values() for n in kind.values() if n is not None}

    def expectations(self, section):
        """What either engine says: a list of (facts of the manifest, folder)."""
        found = []
        for key, folder in (("expect_v58", "expect-v58"), ("expect", "expect")):
            facts = self.entry.get(key, {}).get(section)
            if facts is not None:
                found.append((facts, os.path.join(self.folder, folder)))
        return found

    def compare(self, section, tables):
        """None if equal to one of the expectations, else what differs. tables: what we produced, by section."""
        produced = tables.get(section, b"")
        problem = self.compare_any(section, produced)
        if problem is not None and self.is_json and produced:
            ids = engine_ids(tables, self.entry.get("string_ids", {}))
            problem = self.compare_any(section, as_engine(produced, ids))
        return problem

    def compare_any(self, section, produced):
        header, rows = parse_rows(produced.decode("utf-8", "replace"))
        expected = self.expectations(section)
        if not expected:
            return None if not rows else f"{len(rows)} rows where none are expected"
        problem = None
        for facts, folder in expected:
            problem = self.compare_one(section, header, rows, produced, facts, folder)
            if problem is None:
                return None
        return problem

    def compare_one(self, section, header, rows, produced, facts, folder):
        if facts.get("rows", 0) == 0:
            return None if not rows else f"{len(rows)} rows where none are expected"
        if facts.get("sorted_sha256") == sorted_digest(produced):
            return None
        if "file" not in facts:
            return f"{len(rows)} rows, {facts['rows']} expected, another digest"
        other_header, other = parse_rows(read_lines(os.path.join(folder, facts["file"])))
        if header != other_header:
            return f"columns {header} instead of {other_header}"
        mine, theirs = mask_ids(header, rows, self.text_ids), mask_ids(header, other, self.text_ids)
        if self.is_json and equal_with_tolerance(section, header, mine, theirs):
            return None
        counts, wanted = collections.Counter(map(tuple, mine)), collections.Counter(map(tuple, theirs))
        missing, surplus = wanted - counts, counts - wanted
        if not missing and not surplus:
            return None
        example = next(iter(missing), None)
        word = "missing" if example is not None else "surplus"
        example = example if example is not None else next(iter(surplus))
        return (f"{sum(missing.values())} rows missing, {sum(surplus.values())} surplus of {len(theirs)}; "
                f"{word} for instance {','.join(example)}")


def is_host(entry):
    return entry["case"] in HOST_TRACES or any(HOST_PACKETS.match(name) for name in entry.get("packets", ()))


def host_cases(folder):
    """Case -> trace, of those cases of an area in which a system says what it did."""
    return {entry["case"]: os.path.join(folder, entry["case"], entry["file"]) for entry in read_manifest(folder) if is_host(entry)}


def read_manifest(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)


def counted_sections(entry):
    if entry["counted"] or not is_host(entry):
        return entry["counted"]
    return sorted({*entry.get("expect", ()), *entry.get("expect_v58", ())} - {"load_error", "vulkan_memory"})


def run_case(bench, case, canonical):
    """The results of one case."""
    folder = bench.scratch()
    form = case.entry["file"].split(".", 1)[1]
    outcome = bench.call(["query", os.path.abspath(case.path), "-f", os.path.abspath(canonical), "-d", folder], folder)
    produced = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            produced[name.removesuffix(".csv")] = file.read()
    bench.discard(folder)
    counted = counted_sections(case.entry)
    survived = outcome.code in DOCUMENTED_CODES
    if not counted:
        message = outcome.stderr.decode("utf-8", "replace").strip().splitlines()
        yield Result(case.name, form + " survived", "passed" if survived else "failed",
                     f"exit code {outcome.code}: {message[0] if message else '(no message)'}")
        return
    if outcome.code != 0:
        message = outcome.stderr.decode("utf-8", "replace").strip().splitlines()
        for section in counted:
            yield Result(f"{case.name} {section}", form, "failed",
                         f"exit code {outcome.code}: {message[0] if message else '(no message)'}")
        return
    for section in counted:
        problem = case.compare(section, produced)
        yield Result(f"{case.name} {section}", form, "passed" if problem is None else "failed", problem)
    for section in ALWAYS_COMPARED:
        if section not in counted and not case.expectations(section):
            problem = case.compare(section, produced)
            yield Result(f"{case.name} {section}", form + " empty", "passed" if problem is None else "failed", problem)


def run(bench, folder):
    """Yields a Result per case and section."""
    canonical = os.path.join(os.path.dirname(os.path.abspath(folder)), "canonical.sql")
    for entry in read_manifest(folder):
        case = Case(folder, entry)
        if bench.wants(entry["file"].split(".", 1)[1]):
            yield from run_case(bench, case, canonical)
