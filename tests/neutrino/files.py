"""files.py: the recordings and the reports of a run, as the checks read them."""
import csv
import json
import os


def load(report, name):
    with open(os.path.join(report, name), encoding="utf-8") as file:
        return json.load(file)


def rows_of(report, name):
    with open(os.path.join(report, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_trace(folder):
    with open(os.path.join(folder, "result", "0.500000.bin"), "rb") as file:
        return file.read()


def page_addresses(clean):
    """The pages of a report of accesses, from its groups of neighbours."""
    return [page for group in clean["page_groups"] for page in range(group["first"], group["last"] + 1, 1 << 16)]
