"""report_forms.py: the CSV, Markdown and terminal tables of `compare A B`, its summary line and what its document says of
the whole and of samples, all against the rows of the document, which `run` computes once more from the events."""
import collections
import math
import os
import subprocess

import forms
import marks

SIDE = [("calls", None), ("total_ns", None), ("self_ns", None), ("mean_ns", 1), ("median_ns", 1), ("p95_ns", None),
        ("share_percent", 2)]
COLUMNS = [("name", "text"), ("verdict", "text"), ("delta_ns", 0), ("ratio", 4), ("ratio_low", 4), ("ratio_high", 4)]
NAMES = [name for name, _ in COLUMNS] + [f"{side}_{name}" for side in ("base", "new") for name, _ in SIDE] + ["place"]
DECIMALS = [d for _, d in COLUMNS] + [d for _ in range(2) for _, d in SIDE] + ["text"]
SHORT = ["name", "verdict", "delta_ns", "ratio", "base_total_ns", "new_total_ns", "base_calls", "new_calls", "ratio_low",
         "ratio_high"]
VERDICTS = ["slower", "faster", "same", "unsure", "new", "vanished"]
CELLS = 64
SHOWN = 7


def long_row(row):
    return [row[name] for name, _ in COLUMNS] + [row[side][name] for side in ("base", "new") for name, _ in SIDE] + [row["place"]]


def terminal_table(rows):
    """The first rows as people see them: times of a column in the unit that its largest one suits, headings in words."""
    cells = [long_row(row) for row in rows[:SHOWN]]
    headings, decimals, columns = [], [], []
    for name in SHORT:
        at = NAMES.index(name)
        column, places, heading = [row[at] for row in cells], DECIMALS[at], name.replace("_", " ")
        if name.endswith("_ns"):
            most = max(abs(v or 0) for v in column)
            size, unit = next(u for u in ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")) if most >= u[0] or u[0] == 1)
            if most < 10000:
                size, unit = 1, "ns"
            heading = heading[:-len(" ns")] + f" ({unit})"
            if size > 1:
                column, places = [None if v is None else v / size for v in column], 3
        headings.append(heading)
        decimals.append(places)
        columns.append(column)
    more = [f"... {len(rows) - SHOWN} more (--rows 0 shows all)"] if len(rows) > SHOWN else []
    return ["What changed"] + forms.as_text(headings, decimals, list(zip(*columns))) + more


def summary(document):
    """The first line, without the name of the largest change, and the last one."""
    counts = collections.Counter(row["verdict"] for row in document["rows"])
    word = {"slower": "Slower", "faster": "Faster", "same": "No change", "unsure": "Unsure"}[document["verdict"]]
    percent = {key: f"{(document['self_time'][key] - 1) * 100:+.1f}" for key in ("ratio", "ratio_low", "ratio_high")}
    return [f"{word}: self time of all names {percent['ratio']} % ({percent['ratio_low']} to {percent['ratio_high']} % with 99 % "
            "confidence)", "names by total time: " + ", ".join(f"{counts[word]} {word}" for word in VERDICTS)]


def middle_out(name):
    data = name.encode()
    if len(data) <= 67:
        return name
    return data[:44].decode(errors="ignore") + "..." + data[-20:].decode(errors="ignore")


def causes(document):
    """What may follow: of the changes that go the way of the verdict the largest, one of them where several are as large."""
    way = {"slower": 1, "faster": -1}.get(document["verdict"], 0)
    rows = [row for row in document["rows"] if row["self_time"]["delta_ns"] * (way or row["self_time"]["delta_ns"]) > 0]
    most = max((abs(row["self_time"]["delta_ns"]) for row in rows), default=0)
    for row in rows:
        change = row["self_time"]["delta_ns"]
        if abs(change) == most:
            calls = [row[side]["calls"] for side in ("base", "new")]
            end = ", new" if not calls[0] else ", vanished" if not calls[1] else ""
            end = end or (f" in {calls[1]} calls, {calls[0]} in the base" if calls[0] != calls[1] else "")
            sign = "-" if change < 0 else "+"
            yield f"; largest {'cause' if way else 'change'}: {middle_out(row['name'])}, {sign}{marks.length(most)} of its own{end}"
    if not rows:
        yield ""


def judged(ratio, low, high, tolerance):
    most, least = 1 + tolerance, 1 / (1 + tolerance)
    if low is None:
        return "same" if least <= ratio <= most else "unsure"
    if low > most:
        return "slower"
    if high < least:
        return "faster"
    return "same" if low >= least and high <= most else "unsure"


def whole_faults(document):
    """The self times of all rows, and the words that say how they were compared."""
    whole, tolerance = document["self_time"], document["tolerance_percent"] / 100
    for side in ("base", "new"):
        own = sum(row[side]["self_ns"] for row in document["rows"])
        if whole[side + "_ns"] != own:
            yield f"self_time: {side}_ns is {whole[side + '_ns']}, not {own}"
    if not math.isclose(whole["delta_ns"], whole["new_ns"] - whole["base_ns"], abs_tol=1e-3):
        yield f"self_time: delta_ns is {whole['delta_ns']}"
    if not math.isclose(whole["ratio"], whole["new_ns"] / whole["base_ns"], rel_tol=1e-12):
        yield f"self_time: ratio is {whole['ratio']}"
    if document["verdict"] != judged(whole["ratio"], whole["ratio_low"], whole["ratio_high"], tolerance):
        yield f"the verdict {document['verdict']} is not that of {whole}"
    said = {key: document[key] for key in ("schema_version", "unit", "base_files", "new_files", "confidence_percent",
                                           "tolerance_percent", "seed", "samples")}
    wanted = {"schema_version": 1, "unit": "ns", "base_files": 1, "new_files": 1, "confidence_percent": 99,
              "tolerance_percent": 1, "seed": 1, "samples": "calls"}
    if said != wanted:
        yield f"the document says {said}, not {wanted}"


def row_faults(document):
    """Samples are calls, at most 64 groups of them; pairs need as many on both sides, and an interval three."""
    for row in document["rows"]:
        calls = [row[side]["calls"] for side in ("base", "new")]
        low, high = row["ratio_low"], row["ratio_high"]
        wanted = (min(*calls, CELLS), calls[0] == calls[1])
        if (row["samples"], row["paired"]) != wanted:
            yield f"{row['name']}: samples, paired are {row['samples']}, {row['paired']}, not {wanted}"
        if (low is not None) != (row["samples"] >= 3) or (high is not None) != (row["samples"] >= 3):
            yield f"{row['name']}: of {row['samples']} samples the interval is {low} to {high}"
        if min(calls) and row["verdict"] != judged(row["ratio"], low, high, 0.01):
            yield f"{row['name']}: {row['verdict']} is not the verdict of {row['ratio']}, {low} to {high}"


def order_faults(rows):
    """By the size of the difference; what differs as much, by the time in the base."""
    keys = [(-abs(row["delta_ns"]), -row["base"]["total_ns"]) for row in rows]
    if keys != sorted(keys):
        yield "rows are not in the order of their differences and of their times in the base"


def said(postfetto, base, new, *options):
    done = subprocess.run([postfetto, "compare", base, new, "--no-progress", *options], capture_output=True, check=False,
                          env={**os.environ, "COLUMNS": "9999"})
    return done.stdout.decode(), done.stderr.decode()


def faults(postfetto, folder, base, new, document):
    rows = document["rows"]
    report = os.path.join(folder, "report")
    text, err = said(postfetto, base, new, "--report", report, "--rows", str(SHOWN))
    long_rows = [long_row(row) for row in rows]
    wanted_csv = forms.as_csv(NAMES, DECIMALS, long_rows)
    wanted_markdown = forms.as_markdown(NAMES, DECIMALS, long_rows)
    yield from forms.first_difference("table", text[text.index("\nWhat changed\n") + 1:].splitlines(), terminal_table(rows))
    headline, last = summary(document)
    if err.splitlines()[0] not in {headline + cause for cause in causes(document)}:
        yield f"the first line is {err.splitlines()[0]}, not {headline}{list(causes(document))}"
    yield from forms.first_difference("summary", err.splitlines()[-1:], [last])
    for option, name, read, wanted in (("csv", "compare.csv", forms.read_csv, wanted_csv),
                                       ("markdown", "compare.md", forms.read_markdown, wanted_markdown)):
        out, _ = said(postfetto, base, new, "-q", "--format", option)
        with open(os.path.join(report, name), encoding="utf-8", newline="") as file:
            written = file.read()
        yield from forms.first_difference(f"--format {option}", read(out), wanted)
        yield from forms.first_difference(name, read(written), wanted)
    yield from whole_faults(document)
    yield from row_faults(document)
    yield from order_faults(rows)
