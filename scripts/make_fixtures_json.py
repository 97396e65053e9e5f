#!/usr/bin/env python3
"""Writes the damaged Chrome JSON of fixtures/bad, one file for each kind of damage, always the same bytes.

usage: make_fixtures_json.py [--check] [FOLDER]      (default: fixtures/bad of this repository)

With --check in front nothing is written; it fails when a file does not hold what this program makes.
"""
import sys

from fixture_files import FIXTURES, write_or_check


def event(ts, name, dur=5, more=""):
    return f'{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}"{more}}}'


FIRST, SECOND, THIRD = event(10, "first"), event(20, "second"), event(30, "third")
OPEN = '{"ph":"X","pid":1,"tid":1,"ts":15,"dur":1,"name":"open"'


def lines(*events, end="\n]\n"):
    return "[\n" + ",\n".join(events) + end


def damaged_events():
    yield "truncated_event", lines(FIRST, SECOND, '{"ph":"X","pid":1,"tid":1,"ts":30,"du', end="")
    yield "missing_brace", lines(FIRST, OPEN, SECOND)
    yield "missing_bracket_in_args", lines(FIRST, OPEN + ',"args":{"shape":[2,3}}', SECOND)
    yield "unescaped_quote", lines(FIRST, event(15, 'say "hello" to all', 1), SECOND)
    yield "unescaped_quotes", lines(FIRST, event(11, 'odd "quote', 1), SECOND, event(21, '"', 1),
                                    event(22, "C:\\", 1), event(23, "x", 1, ',"args":{"text":"a "b" {c}, [d]"}'), THIRD)
    yield "unterminated_text", lines(FIRST, '{"ph":"X","pid":1,"tid":1,"ts":15,"dur":1,"name":"op', SECOND, THIRD)
    yield "bad_durations", lines(FIRST, '{"ph":"X","pid":1,"tid":1,"ts":20,"name":"missing"}',
                                 event(30, "text", '"5a"'), event(40, "negative", -1))
    yield "bad_times", lines(FIRST, event("null", "null"), '{"ph":"X","pid":1,"tid":1,"dur":5,"name":"missing"}',
                             event('"soon"', "text"), event("1e30", "huge"))
    yield "bad_thread_clock", lines(event(10, "first", 5, ',"tts":null'), event(20, "second", 5, ',"tts":3,"tdur":[]'))
    yield "no_phase", lines(FIRST, '{"name":"no phase","ts":20}', '{"ph":"","ts":25}', "{}")
    yield "non_object_elements", lines(FIRST, '12, "text", [1, {"ph":"X"}], null', SECOND)
    yield "deep_args", lines(event(10, "deep", 5, ',"args":' + '{"a":' * 600 + "1" + "}" * 600), SECOND)


def odd_texts():
    yield "control_characters", lines(event(10, "two\nlines\ttab"), event(20, "bell \x07 escape \x1b[0m delete \x7f"))
    yield "lone_surrogate", lines(event(10, "half \\ud83d of a pair"), event(20, "\\ud83d\\ude00 whole"))
    yield "not_a_number", lines(event(10, "nan", 5, ',"args":{"loss":NaN,"limit":-Infinity}'), SECOND)
    yield "long_numbers", lines(event("0" * 40 + "10." + "0" * 40, "first"), event("1" * 40, "far"),
                                event(20, "second", 5, ',"args":{"n":' + "9" * 40 + "}"))
    yield "duplicate_keys", lines('{"ph":"B","ph":"X","pid":7,"tid":1,"pid":1,"ts":1,"ts":10,"dur":"x","dur":5,'
                                  '"name":"no","name":"first","args":{"a":1},"args":{"b":2}}')


def documents():
    yield "truncated_object", '{"displayTimeUnit":"ns","traceEvents":[\n' + ",\n".join((FIRST, SECOND, THIRD))
    yield "double_comma", lines(FIRST + ",", SECOND)
    yield "missing_comma", "[\n" + FIRST + "\n" + SECOND + "\n]\n"
    yield "log_line", (lines(FIRST, SECOND, end=",\n") +
                       'WARNING: 2026-11-21 the profiler "lost" {some} events\n' + THIRD + "\n]\n")
    yield "log_before", "Starting the profiler\n[INFO] 2 events {done}\n" + lines(FIRST, SECOND)
    yield "trailing_bytes", lines(FIRST, SECOND) + "end of the profiler's output\n"
    yield "two_documents", lines(FIRST) + '{"traceEvents":' + lines(SECOND) + "}\n"
    yield "cut_runs", (lines(FIRST, '{"ph":"X","pid":1,"tid":1,"ts":15,"dur":1,"na', end="\n") +
                       lines(SECOND, OPEN + ',"args":{"l":[1,', end="\n") +
                       '{"displayTimeUnit":"ns","traceEvents":' + lines(THIRD) + "}\n")
    yield "bare_events", FIRST + "\n" + SECOND + "\n"
    yield "lost_bracket_outside", '{"otherData":{"version":"1","traceEvents":' + lines(FIRST, SECOND) + "}\n"
    yield "nothing_but_zeros_behind", lines(FIRST, SECOND, end=",\n") + "\0" * 64


def make_all():
    """File name -> bytes."""
    made = {}
    for group in (damaged_events(), odd_texts(), documents()):
        for name, text in group:
            made[name + ".json"] = text.encode()
    made["byte_order_mark.json"] = b"\xef\xbb\xbf" + lines(FIRST, SECOND).replace("\n", "\r\n").encode()
    made["invalid_utf8.json"] = lines(event(10, "caf?"), event(20, "??second")).encode().replace(b"?", b"\xe9")
    made["utf16.json"] = b"\xff\xfe" + lines(FIRST, SECOND).encode("utf-16-le")
    return made


if __name__ == "__main__":
    sys.exit(write_or_check(make_all().items(), FIXTURES / "bad"))
