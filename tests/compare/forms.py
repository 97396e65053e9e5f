"""forms.py: the same rows as CSV, Markdown and a table for terminals, spelled by Python.

Reals of the documents are the shortest texts that read back as the same double, so what a table shows with fewer decimals
is known to the last one: half to even on the exact value, as both C and Python print it.
"""
import csv
import io


def spelled(value, decimals, missing):
    """A cell: texts as they are, integers whole, reals with these decimals."""
    if value is None:
        return missing
    if isinstance(value, str):
        return value
    return str(value) if decimals is None else f"{value:.{decimals}f}"


def as_csv(names, decimals, rows):
    return [list(names)] + [[spelled(v, d, "") for v, d in zip(row, decimals)] for row in rows]


def read_csv(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def as_markdown(names, decimals, rows):
    """Lines without the rule below the head, which says how columns are aligned."""
    lines = [names] + [[spelled(v, d, "-").replace("|", "\\|") for v, d in zip(row, decimals)] for row in rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def read_markdown(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return lines[:1] + lines[2:]


def as_text(names, decimals, rows):
    """Columns are as wide as their longest cell, texts on their left end, numbers on their right one."""
    cells = [names] + [[spelled(v, d, "-") for v, d in zip(row, decimals)] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells)]
    left = [d == "text" for d in decimals]
    return ["  ".join(c.ljust(w) if l else c.rjust(w) for c, w, l in zip(line, widths, left)).rstrip() for line in cells]


def first_difference(label, found, wanted):
    """Nothing, or what differs first."""
    for i, (a, b) in enumerate(zip(found, wanted)):
        if a != b:
            yield f"{label}: line {i + 1} is {a!r}, not {b!r}"
            return
    if len(found) != len(wanted):
        yield f"{label}: {len(found)} lines, not {len(wanted)}"
