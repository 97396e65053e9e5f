#!/usr/bin/env python3
"""Compares what `query` says to each line of a file of SQL with what the engine said. check.py POSTFETTO TRACE CASES ENGINE

A line that the engine refuses must be refused, else the rows must be equal; NULL as the only cell is written NULL here.
"""
import csv
import io
import json
import subprocess
import sys


def rows(text):
    return [["" if cell == "NULL" else cell for cell in row] or [""] for row in csv.reader(io.StringIO(text))]


def ask(postfetto, trace, sql):
    done = subprocess.run([postfetto, "query", "--format", "csv", trace, sql], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"exit status {done.returncode}: {sql}\n{done.stderr}")
    return "fails" if done.returncode else done.stdout


def main(postfetto, trace, cases, engine):
    with open(cases, encoding="utf-8") as source:
        scripts = [line.rstrip("\n") for line in source if line.strip() and not line.startswith("--")]
    with open(engine, encoding="utf-8") as source:
        expected = [json.loads(line) for line in source]
    if len(scripts) != len(expected):
        raise SystemExit(f"definitions: {len(scripts)} cases, {len(expected)} answers of the engine")
    wrong = 0
    for sql, answer in zip(scripts, expected):
        ours = ask(postfetto, trace, sql)
        if (ours == "fails") != (answer == "fails") or (ours != "fails" and rows(ours) != rows(answer)):
            wrong += 1
            print(f"{sql}\n  the engine: {answer!r}\n  postfetto:  {ours!r}")
    print(f"definitions: {len(scripts) - wrong} of {len(scripts)} scripts as in the engine")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
