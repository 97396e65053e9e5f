"""report_csv.py: the CSV files of `analyze gpu` hold what its JSON document says, which is checked against second.py,
and the Markdown files have as many rows."""
import csv
import os


def rows_of(given):
    """By file: the lists of the document, and what is nested in its devices."""
    tables = {name: rows for name, rows in given.items() if isinstance(rows, list)}
    for name in ("streams", "concurrency"):
        tables[name] = [{"input": device["input"], "rank": device["rank"], "device": device["device"], **row}
                        for device in given["devices"] for row in device[name]]
    return tables


def is_spelled(text, value):
    """Whether a cell is the value, with as many decimals as it shows."""
    if value is None:
        return text == ""
    if isinstance(value, (int, float)):
        decimals = len(text.partition(".")[2])
        return text != "" and abs(float(text) - value) <= 0.5001 * 10 ** -decimals + abs(value) * 1e-15
    return text == str(value)


def faults(report, given):
    for name, rows in rows_of(given).items():
        with open(os.path.join(report, f"gpu_{name}.csv"), encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        if len(lines) != len(rows):
            yield f"gpu_{name}.csv: {len(lines)} rows, not {len(rows)}"
            continue
        with open(os.path.join(report, f"gpu_{name}.md"), encoding="utf-8") as file:
            shown = sum(line.startswith("|") for line in file) - 2  # the names, and the rule below them
        if shown != len(rows):
            yield f"gpu_{name}.md: {shown} rows, not {len(rows)}"
        for line, row in zip(lines, rows):
            for key in line:
                if key not in row or not is_spelled(line[key], row[key]):
                    yield f"gpu_{name}.csv: {key} is {line[key]!r}, not {row.get(key, 'there')!r}"
