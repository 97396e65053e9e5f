#!/usr/bin/env python3
"""The comparisons of aiu_compare.py notice what they should, and nothing else."""
import copy
import sys

sys.dont_write_bytecode = True
from aiu_compare import Differs, compare_events, compare_log, compare_table

EVENTS = [
    {"ph": "X", "pid": 0, "tid": 1, "ts": 1475001720000.125, "dur": 4.5, "name": "a", "args": {"n": 1000, "t": "x"}},
    {"ph": "X", "pid": 0, "tid": 1, "ts": 1475001720000.125, "dur": 5.5, "name": "a", "args": {"n": 1001, "t": "x"}},
    {"ph": "C", "pid": 0, "ts": 1475001720001, "name": "Power", "cat": "Power4", "args": {"Watts": 20.0}},
    {"ph": "C", "pid": 0, "ts": 1475001720051, "name": "Power", "cat": "Power4", "args": {"Watts": 30.0}},
]
TABLE = "Total\tCalls\tName\n 81.0\t 3\t k_[N] Cmpt\n 12.0\t 1\t b\n 12.0\t 1\t c\n"
LOG = "INFO FREQ: 557.0 ; q=1.0\nWARNING job {<job>} bad 3 of {0, 10, 2}\nRAW 3\t1\t35.5\n"
failures = 0


def change(path, value):
    """EVENTS with one value changed; the path is keys and indices."""
    events = copy.deepcopy(EVENTS)
    at = events
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return events


def expect(what, differs, compare, *arguments):
    global failures
    try:
        compare(*arguments)
        found = False
    except Differs:
        found = True
    if found != differs:
        failures += 1
        print(f"FAIL {what}: {'no difference seen' if differs else 'a difference seen'}")


def main():
    for what, differs, found in [
            ("the same", False, EVENTS),
            ("another order", False, EVENTS[::-1]),
            ("a time within the tolerance", False, change([0, "ts"], 1475001720000.1265)),
            ("a time beyond it", True, change([0, "ts"], 1475001720000.13)),
            ("a duration", True, change([1, "dur"], 5.51)),
            ("an argument within 1e-6", False, change([0, "args", "n"], 1000.0005)),
            ("an argument beyond it", True, change([0, "args", "n"], 1000.01)),
            ("a text", True, change([0, "args", "t"], "y")),
            ("a number for a text", True, change([0, "args", "t"], 1)),
            ("an argument more", True, change([0, "args", "z"], 1)),
            ("power within the error of its length", False, change([2, "args", "Watts"], 20.0003)),
            ("power beyond it", True, change([2, "args", "Watts"], 20.01)),
            ("an event less", True, EVENTS[1:]),
            ("an event twice", True, EVENTS + EVENTS[:1]),
            ("another thread", True, change([0, "tid"], 2))]:
        expect(f"events: {what}", differs, compare_events, EVENTS, found, "x")
    for what, differs, found in [
            ("the same", False, TABLE), ("blanks", False, TABLE.replace("\t ", "\t")),
            ("rows that tie", False, "Total\tCalls\tName\n 81.0\t 3\t k_[N] Cmpt\n 12.0\t 1\t c\n 12.0\t 1\t b\n"),
            ("rows that do not", True, "Total\tCalls\tName\n 12.0\t 1\t b\n 81.0\t 3\t k_[N] Cmpt\n 12.0\t 1\t c\n"),
            ("a number", True, TABLE.replace("81.0", "81.1")), ("a row less", True, TABLE[:-8])]:
        expect(f"table: {what}", differs, compare_table, TABLE, found, "out_summary.csv")
    for what, differs, found in [
            ("the same", False, LOG.replace("<job>", "17 4")), ("an order", False, "RAW 3 1 35.5\nWARNING job {1} bad 3 of {10, 2, 0}\n"
                                                               "postfetto: INFO FREQ: 557.0 ; q=1.0\n"),
            ("a number", True, LOG.replace("557.0", "558.0")), ("a number after a mask", True, LOG.replace("bad 3", "bad 4")),
            ("a level", True, LOG.replace("INFO", "WARNING")), ("a line less", True, LOG[:-10]),
            ("a line more", True, LOG + "INFO x\n"), ("another text", False, LOG + "read 5 files\n")]:
        expect(f"log: {what}", differs, compare_log, LOG, found)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
