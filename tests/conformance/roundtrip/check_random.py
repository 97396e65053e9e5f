"""The round trip of random documents (make_random.py): every event comes back, also by way of compressed outputs and a
second conversion; the tables of the conversion are those of the JSON, but for what packets cannot say (exceptions.py), which
few documents have; and Perfetto's engine gives its sections the same.

  check_random.py POSTFETTO CORPUS WORK [FIRST [COUNT]]

WORK is a scratch folder with tp_query/ in it. A failing seed leaves its document in WORK/random.
"""
import json
import os
import sqlite3
import sys

import check
import compare
import exceptions
import make_random

COUNT = 150
EXCEPTIONAL = (1029, 1293, 1410, 2226, 2283)  # each has a difference that exceptions.py allows
ENGINE_EVERY = 9  # the engine takes a second to start
TABLES = {"slice": "dur", "counter": "value", "flow": "slice_out", "args": "int_value", "thread": "tid", "process": "pid",
          "track": "id", "metadata": "int_value"}


def read_tables(postfetto, sql, source, folder):
    os.makedirs(folder, exist_ok=True)
    check.run([postfetto, "query", "-q", source, "-f", sql, "-d", folder])
    return {section: check.read_section(folder, section) for section in check.SECTIONS}


def check_sqlite(postfetto, source, folder):
    """The tables of the database are those that `query` shows: rows, and the sum of a column."""
    path, problems = os.path.join(folder, "trace.sqlite"), []
    check.run([postfetto, "convert", "-q", source, "-o", path])
    with sqlite3.connect(path) as database:
        for table, column in TABLES.items():
            sql = f"select count(*) as rows, total({column}) as sum from {table}"
            got = database.execute(sql).fetchone()
            out = os.path.join(folder, "sum.csv")
            with open(out, "w", encoding="utf-8") as file:
                check.run([postfetto, "query", "-q", "--format", "csv", source, sql], stdout=file)
            with open(out, encoding="utf-8") as file:
                want = tuple(float(cell) for cell in file.read().split("\n")[1].split(","))
            if tuple(map(float, got)) != want:
                problems.append(f"sqlite: table {table} has {got} rows and sum of {column}, not {want}")
    database.close()
    return problems


def check_seed(postfetto, sql, engine, seed, folder):
    text, whole, tame = make_random.make(seed)
    names = ("trace.json", "trace.pftrace", "again.pftrace.gz", "back.json", "again.json.gz", "same.json")
    source, packed, again, back, back_again, same = (os.path.join(folder, name) for name in names)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    for given, out in ((source, packed), (packed, again), (packed, back), (again, back_again), (source, same)):
        check.run([postfetto, "convert", "-q", given, "-o", out])
    with open(os.path.join(folder, "whole.json"), "w", encoding="utf-8") as file:
        file.write(whole)
    before, problems, exceptional = compare.read(file.name), [], False
    for path in (back, back_again, same):
        after = compare.read(path)
        if after is None:
            problems.append(f"{os.path.basename(path)} cannot be read")
        else:
            problems += [f"{os.path.basename(path)}: {problem}" for problem in compare.compare(before, after)]
    if tame:
        want = read_tables(postfetto, sql, source, os.path.join(folder, "ours"))
        got = read_tables(postfetto, sql, packed, os.path.join(folder, "converted"))
        slices = exceptions.read_slices(postfetto, source, os.path.join(folder, "slices.csv"))
        allowed = exceptions.Exceptions(slices, exceptions.has_early_end(json.loads(whole)))
        rest, got, found = allowed.take_out(want, got)
        problems += check.differences(rest, got, "tables of the conversion")
        exceptional = found > 0
        problems += check_sqlite(postfetto, source, folder)
    if tame and engine and seed % ENGINE_EVERY == 0:
        check.run(["node", engine, packed, "-f", sql, "-o", os.path.join(folder, "engine")])
        got = {section: check.read_section(os.path.join(folder, "engine"), section) for section in check.SECTIONS}
        rest, got, _ = allowed.take_out(want, got)
        problems += check.differences(rest, got, "engine")
    return problems, exceptional


def main():
    postfetto, corpus, work = sys.argv[1:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    count = int(sys.argv[5]) if len(sys.argv) > 5 else COUNT
    engine, failed = os.path.join(work, "tp_query", "tp_query.mjs"), 0
    folder = os.path.join(work, "random")
    os.makedirs(folder, exist_ok=True)
    seeds, exceptional = [*range(first, first + count), *(EXCEPTIONAL if len(sys.argv) <= 4 else ())], 0
    for seed in seeds:
        problems, has_exception = check_seed(postfetto, os.path.join(corpus, "canonical.sql"),
                                             engine if os.path.exists(engine) else None, seed, folder)
        failed += bool(problems)
        exceptional += has_exception and seed not in EXCEPTIONAL
        for problem in problems:
            print(f"FAIL seed {seed}: {problem}"[:600])
        if problems:
            os.replace(os.path.join(folder, "trace.json"), os.path.join(folder, f"seed{seed}.json"))
        if seed in EXCEPTIONAL and not has_exception:
            print(f"FAIL seed {seed}: has no exception any more; take it out of EXCEPTIONAL")
            failed += 1
    print(f"random round trip: {len(seeds) - failed} passed, {failed} failed; {exceptional} of {count} with exceptions")
    too_many = count >= COUNT and exceptional * 50 > count
    return 1 if failed or count == 0 or too_many else 0


if __name__ == "__main__":
    sys.exit(main())
