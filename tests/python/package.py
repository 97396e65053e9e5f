"""Tests of the Python package as it is installed (tests/python/run runs them).

usage: package.py ROOT [--seed N]

What the library says is compared with what the command says of the same file (itself tested against Perfetto's engine),
with the arrays that a trace was made from, and with what pyarrow, Polars, pandas and DuckDB make of the tables.
"""
import argparse
import csv
import doctest
import gc
import glob
import gzip
import importlib
import importlib.metadata
import io
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

import duckdb
import numpy
import pandas
import polars
import pyarrow

import postfetto as pf

passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:600] for d in details), sep="\n    ")


def raises(kind, call):
    """The exception of that kind that the call ends in, or None."""
    try:
        call()
    except kind as e:
        return e
    except Exception as e:  # another one fails the check that follows
        print(f"    {type(e).__name__}: {e}")
    return None


def command(*args, **options):
    return subprocess.run([os.path.join(os.path.dirname(pf.__file__), "postfetto"), *args], capture_output=True, text=True, check=True, **options).stdout


# ---- one trace, several ways to it


def made(r, rows):
    """A random trace as Chrome JSON, and the rows that table slice must have."""
    events, want, at = [], [], 0
    for i in range(rows):
        at, dur = at + r.randrange(1, 1000), r.randrange(0, 500)
        name = r.choice(["a", "b", "\u00e4\u6f22", "", "x" * 50]) + str(r.randrange(5))
        events.append({"ph": "X", "pid": 1, "tid": 1 + i, "ts": at, "dur": dur, "name": name, "args": {"n": i, "s": name}})
        want.append((at * 1000, dur * 1000, name))
    return json.dumps({"traceEvents": events}).encode(), want


def test_reading(r, folder):
    data, want = made(r, r.randrange(1, 300))
    path = pathlib.Path(folder, "t.json")
    path.write_bytes(data)
    path.with_suffix(".json.gz").write_bytes(gzip.compress(data))
    sources = {"path": str(path), "Path": path, "gzip": path.with_suffix(".json.gz"), "bytes": data, "file": io.BytesIO(data), "open file": open(path, "rb"),
               "pattern": os.path.join(folder, "t.js*n")}
    for name, source in sources.items():
        t = pf.read(source)
        s = t.slices
        check(f"{name}: rows", sorted(zip(s["ts"].tolist(), s["dur"].tolist(), s["name"].tolist())) == sorted(want))
        check(f"{name}: length", len(s) == len(want))
    inside = pathlib.Path(folder, "ranks")
    inside.mkdir()
    for i in range(2):
        inside.joinpath(f"rank{i}.json").write_bytes(data)
    check("folder", len(pf.read(inside).slices) == 2 * len(want))
    check("list", len(pf.read([path, data]).slices) == 2 * len(want))
    return data, want


def test_tables(data, want):
    t = pf.read(data)
    s = t.slices
    check("a view", s["ts"].base is not None and not s["ts"].flags.writeable, s["ts"].flags)
    ts = t.table("slice")["ts"]
    t.close()
    del s, t
    gc.collect()
    check("a column outlives its trace", sorted(ts.tolist()) == sorted(w[0] for w in want))
    t = pf.read(data)
    slices = t.slices
    forms = {"pyarrow": lambda: pyarrow.table(slices).column("dur").to_pylist(), "arrow": lambda: slices.arrow().column("dur").to_pylist(),
             "polars": lambda: slices.pl()["dur"].to_list(), "from_arrow": lambda: polars.from_arrow(slices).struct.field("dur").to_list(),
             "pandas": lambda: slices.df()["dur"].tolist(), "duckdb": lambda slices=slices: [row[0] for row in duckdb.sql("select dur from slices").fetchall()],
             "rows": lambda: [row[slices.columns.index("dur")] for row in slices.rows()]}
    for name, form in forms.items():
        check(name, form() == slices["dur"].tolist())
        check(f"{name}, again", form() == slices["dur"].tolist())
    check("texts of pyarrow", pyarrow.table(slices).column("name").to_pylist() == slices["name"].tolist())
    check("NULLs are masked", slices["parent_id"].mask.all() and slices.df()["parent_id"].isna().all() and slices.pl()["parent_id"].null_count() == len(want))
    error = raises(KeyError, lambda: slices["nope"])
    check("a column that is not there", error and "nope" in str(error) and "track_id" in str(error), error)
    error = raises(pf.UsageError, lambda: t.table("nope"))
    check("a table that is not there", error and "nope" in error.text, error)
    for name in ("slices", "counters", "threads", "processes", "tracks", "flows", "args"):
        check(f"html of {name}", "<table>" in getattr(t, name)._repr_html_())
    check("html of a trace", str(len(want)) in t._repr_html_())
    check("texts are escaped", "<b>" not in pf.read(b'[{"ph":"X","name":"<b>","pid":1,"tid":1,"ts":1,"dur":1}]').slices._repr_html_())


def test_queries(r, data, want):
    t = pf.read(data)
    q = t.query("SELECT name, sum(dur) d, max(ts) * 1.5 m, NULL n FROM slice GROUP BY name ORDER BY name")
    names = sorted({w[2] for w in want})
    check("names", q["name"].tolist() == names, q["name"].tolist())
    check("sums", q["d"].tolist() == [sum(w[1] for w in want if w[2] == n) for n in names])
    check("reals", q["m"].tolist() == [max(w[0] for w in want if w[2] == n) * 1.5 for n in names])
    check("types", [str(f.type) for f in pyarrow.table(q).schema] == ["string", "int64", "double", "string"], pyarrow.table(q).schema)
    big = r.randrange(130000, 300000)
    numbers = t.query(f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {big}) SELECT i, 'x' || (i % 7) t, iif(i % 3, i, NULL) z FROM n")
    check("several batches", numbers["i"].tolist() == list(range(big)) and pyarrow.table(numbers).column("t").num_chunks > 1)
    check("texts of several batches", numbers["t"].tolist() == [f"x{i % 7}" for i in range(big)])
    check("NULLs of several batches", numbers["z"].tolist() == [i if i % 3 else None for i in range(big)])
    check("no rows", len(t.query("SELECT ts FROM slice WHERE 0")) == 0 and t.query("SELECT ts FROM slice WHERE 0")["ts"].tolist() == [])
    check("no result", t.query("CREATE VIEW v AS SELECT 1 x").columns == [] and t.query("SELECT x FROM v")["x"].tolist() == [1])
    check("the last of several", t.query("SELECT 1 a; SELECT 2 b").columns == ["b"])
    check("bytes", t.query("SELECT x'00ff' b")["b"].tolist() == [b"\x00\xff"])
    error = raises(pf.UsageError, lambda: t.query("SELECT nope FROM slice"))
    check("a wrong statement", error and error.offset == 7 and "nope" in error.text, error)
    with tempfile.TemporaryDirectory() as folder:
        mine = pathlib.Path(folder, "mine")
        mine.mkdir()
        (mine / "a.sql").write_text("CREATE PERFETTO TABLE one AS SELECT count(*) AS n FROM slice;")
        asked = "INCLUDE PERFETTO MODULE mine.a; SELECT n FROM one"
        check("a package", t.query(asked, packages=[mine])["n"].tolist() == [len(want)] and t.query(asked, packages=[mine])["n"].tolist() == [len(want)])
        error = raises(pf.UsageError, lambda: t.add_sql_package(folder, "mine"))
        check("a name that is taken", error and "mine" in error.text, error)
        check("a folder that is not there", raises(pf.InputError, lambda: t.add_sql_package("/nope")))
        with pf.read(data) as other:
            other.add_sql_library(folder)
            check("a library", other.query(asked)["n"].tolist() == [len(want)])
    held = t.query("SELECT ts FROM slice")
    t.close()
    check("a result outlives its trace", sorted(held["ts"].tolist()) == sorted(w[0] for w in want))
    check("a closed trace", raises(ValueError, lambda: t.slices))


def test_interrupt(data):
    """Ctrl-C during a query, and other threads meanwhile."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a shell in the background begins without
    t, ran = pf.read(data), []

    def other():  # which gets no turn while a query keeps the interpreter, and interrupts nothing then
        for _ in range(20):
            ran.append(time.sleep(0.01))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=other).start()
    begun = time.monotonic()
    error = raises(KeyboardInterrupt, lambda: t.query(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT count(*) FROM n"))
    check("Ctrl-C ends a query", error and time.monotonic() - begun < 20, time.monotonic() - begun)
    check("other threads went on", len(ran) == 20, len(ran))
    check("and the trace is there still", len(t.query("SELECT 1 x")) == 1)


def test_progress(folder):
    path = pathlib.Path(folder, "large.json")
    with open(path, "w") as f:
        f.write("[" + ",\n".join(f'{{"ph":"X","name":"n{i % 9}","pid":1,"tid":1,"ts":{i},"dur":1}}' for i in range(400000)) + "]")
    bars = []

    class Bar:
        def __init__(self, **options):
            bars.append(self)
            self.total, self.done, self.closed = options["total"], 0, False

        def update(self, n):
            self.done += n

        def close(self):
            self.closed = True

    pf.read(path, progress=Bar)
    check("progress", len(bars) == 1 and bars[0].closed and 0 < bars[0].done <= bars[0].total == path.stat().st_size, vars(bars[0]) if bars else bars)
    check("tqdm", len(pf.read(path, progress=True).slices) == 400000)


# ---- errors


def test_errors(folder):
    error = raises(pf.InputError, lambda: pf.read("/nope"))
    check("no file", error and error.path == "/nope" and "No such file" in error.text, error)
    error = raises(pf.InputError, lambda: pf.read(b"certainly no trace"))
    check("no trace", error, error)
    damaged = b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","na'
    t = pf.read(damaged)
    check("damage is counted", t.damage and len(t.slices) == 1, t.damage)
    error = raises(pf.DamagedError, lambda: pf.read(damaged, strict=True))
    check("damage with strict", error and error.offset is not None, error)
    error = raises(pf.LimitError, lambda: pf.read(damaged * 1, limits={"input": 10}))
    check("a limit", error and "max-input" in error.text, error)
    small = pathlib.Path(folder, "small.json")
    small.write_bytes(b"[]")
    error = raises(pf.InputError, lambda: pf.read(b"no trace"))
    check("bytes have no path", error and error.path is None and "/proc" not in str(error), error)
    error = raises(pf.LimitError, lambda: pf.read(small, limits={"memory": 1000}))
    check("a limit that is too low to begin with", error and error.path == str(small) and "max-memory" in error.text, error)
    error = raises(pf.UsageError, lambda: pf.read(damaged, limits={"nope": 1}))
    check("no limit", error and "memory" in error.text, error)
    error = raises(pf.UsageError, lambda: pf.analyze("nope", damaged))
    check("no pass", error and "nope" in error.text, error)
    error = raises(pf.OutputError, lambda: t.convert("/nope/x.json"))
    check("no folder", error, error)
    check("no ending", raises(pf.UsageError, lambda: t.convert(os.path.join(folder, "x.doc"))))
    check("all are errors", all(issubclass(k, pf.Error) for k in (pf.UsageError, pf.InputError, pf.DamagedError, pf.LimitError, pf.OutputError, pf.Cancelled)))


# ---- files


def test_files(r, data, want, folder):
    t = pf.read(data)
    for ending in ("pftrace", "json", "pftrace.gz", "json.gz"):
        path = os.path.join(folder, "out." + ending)
        t.convert(path)
        s = pf.read(path).slices
        check(f"convert to {ending}", sorted(zip(s["ts"].tolist(), s["dur"].tolist(), s["name"].tolist())) == sorted(want))
    t.convert(os.path.join(folder, "out.sqlite"))
    import sqlite3
    check("sqlite", sqlite3.connect(os.path.join(folder, "out.sqlite")).execute("select count(*) from slice").fetchone() == (len(want),))
    t.convert(os.path.join(folder, "columns.parquet/"))
    check("parquet", polars.read_parquet(os.path.join(folder, "columns.parquet", "slice.parquet")).height == len(want))
    t.convert(os.path.join(folder, "out.perfetto.tar"))
    check("archive", os.path.getsize(os.path.join(folder, "out.perfetto.tar")) > 0)
    times = sorted(w[0] for w in want)
    at = times[len(times) // 2]
    done = pf.cut(os.path.join(folder, "out.pftrace"), os.path.join(folder, "cut.pftrace"), start=at)
    left = [w for w in want if w[0] + w[1] > at or w[0] >= at]
    check("cut", done.start == at and len(pf.read(os.path.join(folder, "cut.pftrace")).slices) == len(left), done, len(left))
    done = pf.cut(os.path.join(folder, "out.json"), os.path.join(folder, "named.json"), thread=["3"])
    check("cut of a thread", len(pf.read(os.path.join(folder, "named.json")).slices) == min(1, max(0, len(want) - 2)), done)
    pf.cut(os.path.join(folder, "out.pftrace"), os.path.join(folder, "secret.pftrace"), redact=["names", "args"], redact_key=b"0123456789abcdef")
    hashed = pf.read(os.path.join(folder, "secret.pftrace")).slices["name"].tolist()
    check("redacted", all(n == "" or n.startswith("x") and n not in {w[2] for w in want} for n in hashed) and len(set(hashed)) == len({w[2] for w in want}))


def test_parts(r, data, want, folder):
    source = os.path.join(folder, "whole.pftrace")
    pf.read(data).convert(source)
    first, last = min(w[0] for w in want), max(w[0] + w[1] for w in want)
    middle = (first + last) // 2
    if middle == first:
        return  # a moment has no parts

    def rows(path):
        s = pf.read(path).slices
        return sorted(zip(s["ts"].tolist(), s["dur"].tolist(), s["name"].tolist()))

    def clipped(start, end):
        return sorted((max(ts, start), min(ts + dur, end) - max(ts, start), name) for ts, dur, name in want if ts < end and (ts + dur > start or ts >= start))

    done = pf.split(source, os.path.join(folder, "windows"), windows=[(first, middle, "front"), (middle, last + 1)])
    index = json.load(open(os.path.join(folder, "windows", "index.json")))["parts"]
    check("split by windows", done.parts == 2 and [part.get("name") for part in index] == ["front", None], done, index)
    for part in index:
        check(f"split: {part['file']}", rows(os.path.join(folder, "windows", part["file"])) == clipped(part["start_ns"], part["end_ns"]), part)
    check("split by a length", pf.split(source, os.path.join(folder, "every"), every=f"{(last - first) // 3 + 1}ns").parts == 3)
    check("split by number", pf.split(source, os.path.join(folder, "three"), parts=3).parts == 3)
    check("split by process", pf.split(source, os.path.join(folder, "by"), by_process=True).parts == 1)
    check("split: two ways", raises(pf.UsageError, lambda: pf.split(source, os.path.join(folder, "no"), parts=3, by_process=True)))
    two = [source, source]
    done = pf.merge(two, os.path.join(folder, "both.pftrace"), offsets=[0, 7], labels=["one", "two"])
    check("merge", rows(os.path.join(folder, "both.pftrace")) == sorted(want + [(ts + 7, dur, name) for ts, dur, name in want]), done)
    check("merge: ids", done.sequences_moved > 0 and done.converted == 0, done)
    pids = [len(pf.read(os.path.join(folder, "both.pftrace")).query("SELECT DISTINCT pid FROM process WHERE pid > 0"))]
    pf.merge(two, os.path.join(folder, "same.pftrace"), merge_pids=True)
    pids.append(len(pf.read(os.path.join(folder, "same.pftrace")).query("SELECT DISTINCT pid FROM process WHERE pid > 0")))
    check("merge: pids", pids == [2, 1], pids)
    check("merge: lengths", raises(pf.UsageError, lambda: pf.merge(two, os.path.join(folder, "no.pftrace"), offsets=[1])))
    small = {"input": 10}
    for name, call in (("cut", lambda: pf.cut(source, os.path.join(folder, "no.pftrace"), limits=small)),
                       ("split", lambda: pf.split(source, os.path.join(folder, "no"), parts=2, limits=small)),
                       ("merge", lambda: pf.merge(two, os.path.join(folder, "no.pftrace"), limits=small)),
                       ("analyze", lambda: pf.analyze("gpu", source, limits=small))):
        error = raises(pf.LimitError, call)
        check(f"limits of {name}", error and "max-input" in error.text and not os.path.exists(os.path.join(folder, "no.pftrace")), error)
    grown = os.path.join(folder, "grown.json")
    open(grown, "wb").write(b"[]")
    t = pf.read(grown, limits={"input": 100})
    open(grown, "wb").write(b"[" + b" " * 200 + b"]")
    check("limits of a conversion, which reads again", raises(pf.LimitError, lambda: t.convert(os.path.join(folder, "no.pftrace"))))
    check("limits of annotations, likewise", raises(pf.LimitError, lambda: t.annotate().write(os.path.join(folder, "no.pftrace"))))


def test_columns_of_events(r):
    """Lists and arrays of all kinds, against the same given row by row."""
    rows = r.randrange(1, 300)
    columns = {"int": [r.randrange(-2**63, 2**63) for _ in range(rows)], "float": [r.uniform(-1e9, 1e9) for _ in range(rows)],
               "bool": [r.random() < 0.5 for _ in range(rows)], "str": [r.choice(["", "a", "\u00e4\0b"]) for _ in range(rows)],
               "none": [r.choice([None, "x"]) for _ in range(rows)], "mixed": [r.choice([None, 1, 2.5, "x", True]) for _ in range(rows)]}
    arrays = {"int32": numpy.arange(rows, dtype="int32"), "uint8": numpy.arange(rows).astype("uint8"), "uint64": numpy.arange(rows).astype("uint64"),
              "float32": numpy.linspace(0, 1, rows, dtype="float32"), "strided": numpy.arange(2 * rows)[::2], "bool_": numpy.arange(rows) % 3 == 0,
              "text": numpy.array([f"n{i % 7}" for i in range(rows)]), "object": numpy.array([f"o{i % 5}" for i in range(rows)], dtype=object)}
    ts = numpy.cumsum(numpy.array([r.randrange(100, 200) for _ in range(rows)]))
    got = []
    for single in (False, True):
        b = pf.Builder()
        track = b.track("t")
        for name, column in {**columns, **arrays}.items():
            plain = column.tolist() if hasattr(column, "tolist") else column
            if single:
                for i in range(rows):
                    b.slices(track, [int(ts[i])], [50], plain[i] if name == "str" else name, args={name: [plain[i]]}, category="c")
            else:
                b.slices(track, ts, numpy.full(rows, 50), column if name == "str" else name, args={name: column}, category="c")
        t = b.finish()
        got.append([list(t.query("SELECT s.ts, s.dur, s.name, s.category, a.key, a.value_type, a.int_value, a.real_value, a.string_value "
                                 "FROM slice s LEFT JOIN args a USING (arg_set_id) ORDER BY s.name, a.key, s.ts, s.id").rows())])
    check("columns are what single values are", got[0] == got[1] and len(got[0][0]) == rows * (len(columns) + len(arrays)),
          [(x, y) for x, y in zip(got[0][0], got[1][0]) if x != y][:3])
    b = pf.Builder()
    check("an integer that is too large", raises((OverflowError, pf.Error), lambda: b.slices(b.track("t"), [2**63], [1], "x")))
    many = 300000
    b = pf.Builder()
    begun = time.monotonic()
    b.slices(b.track("t"), numpy.arange(many) * 10, numpy.full(many, 5), "x", args={"i": numpy.arange(many)})
    b.counter("c", numpy.arange(many), numpy.arange(many) * 0.5)
    check("many rows without a loop over them", time.monotonic() - begun < 5 and len(b.finish().slices) == many, time.monotonic() - begun)


def test_building(r, folder):
    rows = r.randrange(1, 200)
    ts = numpy.cumsum(numpy.array([r.randrange(100, 1000) for _ in range(rows)], "int64"))
    dur = numpy.array([r.randrange(0, 100) for _ in range(rows)], "int64")
    names = [r.choice("abc") for _ in range(rows)]
    args = {"i": list(range(rows)), "f": numpy.linspace(0, 1, rows), "s": names, "b": [bool(i % 2) for i in range(rows)]}
    b = pf.Builder()
    p = b.process(7, "trainer")
    b.slices(b.track("steps", process=p), ts, dur, names, args=args, category="made")
    b.counter("power", ts, dur * 1.5, process=p, unit="W")
    b.instants(b.track("marks", thread=b.thread(p, 8, "main")), ts, "mark")
    path = os.path.join(folder, "made.pftrace")
    b.write(path)
    t = pf.read(path)
    s = t.query("SELECT s.* FROM slice s JOIN track t ON s.track_id = t.id WHERE t.name = 'steps' ORDER BY ts")
    check("made slices", s["ts"].tolist() == ts.tolist() and s["dur"].tolist() == dur.tolist() and s["name"].tolist() == names)
    check("made counters", t.counters["value"].tolist() == (dur * 1.5).tolist())
    got = t.query("SELECT extract_arg(arg_set_id, 'debug.i') i, extract_arg(arg_set_id, 'debug.f') f, extract_arg(arg_set_id, 'debug.s') s "
                  "FROM slice WHERE category = 'made' ORDER BY ts")
    check("made arguments", got["i"].tolist() == args["i"] and got["s"].tolist() == names and numpy.allclose(got["f"].astype(float), args["f"]))
    check("made instants", t.query("SELECT count(*) n FROM slice WHERE name = 'mark'")["n"].tolist() == [rows])
    a = t.annotate()
    group = a.track("ours")
    a.slices(a.track("found", parent=group), ts, numpy.minimum(dur, 50), "slow", args={"why": names, **args})
    a.slices(a.track("mixed", parent=group), [1, 2], [1, 1], ["x", "y"], args={"any": [1, "one"]})
    a.counter("rate", ts, dur, unit="GB/s", parent=group)
    a.write(os.path.join(folder, "drawn.pftrace"))
    drawn = open(os.path.join(folder, "drawn.pftrace"), "rb").read()
    check("drawn after the original bytes", drawn.startswith(open(path, "rb").read()))
    t = pf.read(drawn)
    got = t.query("SELECT extract_arg(arg_set_id, 'debug.i') i, extract_arg(arg_set_id, 'debug.f') f, extract_arg(arg_set_id, 'debug.why') w "
                  "FROM slice WHERE name = 'slow' ORDER BY ts")
    check("drawn arguments", got["i"].tolist() == args["i"] and got["w"].tolist() == names and numpy.allclose(got["f"].astype(float), args["f"]))
    got = t.query("SELECT name, CAST(extract_arg(arg_set_id, 'debug.any') AS TEXT) a FROM slice WHERE name IN ('x', 'y') ORDER BY name")
    check("drawn arguments of several types", got["a"].tolist() == ["1", "one"])
    check("drawn counters", t.query("SELECT value FROM counter c JOIN counter_track t ON c.track_id = t.id WHERE t.name = 'rate' ORDER BY ts")["value"].tolist()
          == dur.tolist())
    check("drawn slices", t.query("SELECT count(*) n FROM slice WHERE name = 'slow' AND category LIKE 'postfetto%'")["n"].tolist() == [rows])
    check("unequal lengths", raises(pf.UsageError, lambda: a.slices(group, [1, 2], [1], "x")))
    check("a negative duration", raises(pf.UsageError, lambda: pf.Builder().slices(0, [1], [-1], "x")))


def test_without_numpy():
    """Reading, asking, rows and pages of a notebook need nothing but Python."""
    program = """
import sys
sys.modules["numpy"] = None
import postfetto as pf
t = pf.read(b'[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"i": 3}}]')
print(list(t.query("SELECT name, dur, NULL n, 2.5 r, x'00ff' b FROM slice UNION ALL SELECT NULL, 1, 'x', NULL, NULL").rows()))
print(list(t.query("SELECT 1 WHERE 0").rows()), "<td>2000</td>" in t.slices._repr_html_(), "slices" in t._repr_html_())
b = pf.Builder()
b.slices(b.track("t"), [1, 2], [3, 4], ["x", "y"], args={"s": ["u", None]})
print(list(b.finish().query("SELECT ts, dur, name, extract_arg(arg_set_id, 'debug.s') s FROM slice").rows()))
"""
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    check("without NumPy", out.stdout.splitlines() == ["[('a', 2000, None, 2.5, b'\\x00\\xff'), (None, 1, 'x', None, None)]", "[] True True",
                                                       "[(1, 3, 'x', 'u'), (2, 4, 'y', None)]"], out.stdout, out.stderr)


# ---- passes


def test_passes(root, folder):
    shared = os.environ.get("POSTFETTO_SHARED", os.path.join(root, "..", "shared"))
    traces = sorted(glob.glob(os.path.join(shared, "corpus", "real", "torch-*", "trace.json*")))
    check("the passes", {"aie", "aiu", "gpu", "neutrino", "tinygrad"} <= set(pf.passes()), pf.passes())
    for trace in traces[:3]:
        a = pf.analyze("gpu", trace)
        tables = os.path.join(folder, "tables-" + os.path.basename(os.path.dirname(trace)))
        summary = json.loads(command("analyze", "gpu", trace, "--tables", tables, "--json"))
        check(f"{trace}: summary", a.summary == summary)
        for path in glob.glob(os.path.join(tables, "*.parquet")):
            name = os.path.basename(path)[:-8]
            want = polars.read_parquet(path)
            got = a[name].pl() if name in a.tables else None
            same = got is not None and all(got[c].cast(want[c].dtype).equals(want[c], null_equal=True) for c in want.columns)
            check(f"{trace}: {name}", same or (got is None and want.height == 0), got, want)
        check(f"{trace}: headline", a.headline in command_stderr("analyze", "gpu", trace), a.headline)
        check(f"{trace}: page", a.page().startswith("<!") and "srcdoc" in a._repr_html_())
        out, report = os.path.join(folder, "e.pftrace"), os.path.join(folder, "report")
        pf.analyze("gpu", trace, output=out, report=report, by_shape=True)
        ours = pf.read(out).query("SELECT count(*) n FROM slice WHERE category GLOB 'postfetto.gpu*'")["n"].tolist()
        check(f"{trace}: drawn and reported", ours[0] > 0 and os.listdir(report), ours)
        read = pf.read(trace).analyze("gpu")
        same = all(read["gpu_kernels"][c].tolist() == a["gpu_kernels"][c].tolist() for c in a["gpu_kernels"].columns if c != "input")
        check(f"{trace}: of a trace that is read", same and len(read.tables) == len(a.tables))
    if len(traces) > 1:
        a = pf.analyze("compare", traces[0], traces[1])
        check("compare", a.verdict is None or isinstance(a.verdict, str))
        check("compare with itself", pf.analyze("compare", traces[0], traces[0]).verdict is None)
    error = raises(pf.UsageError, lambda: pf.analyze("gpu", traces[0], nonsense=1)) if traces else True
    check("an option that is none", error and (error is True or "nonsense" in error.text), error)


def command_stderr(*args):
    return subprocess.run([os.path.join(os.path.dirname(pf.__file__), "postfetto"), *args], capture_output=True, text=True).stderr


# ---- the package itself


def public_names():
    """What __all__ lists, and the methods and properties of the classes among it; each as the name of its doctest."""
    for name in pf.__all__:
        of = getattr(pf, name)
        if callable(of):
            yield f"{of.__module__}.{name}"
        for member, value in vars(of).items() if isinstance(of, type) else ():
            if not member.startswith("_") and isinstance(value, (property, classmethod, staticmethod, types.FunctionType)):
                yield f"{of.__module__}.{name}.{member}"


def test_examples():
    """The examples of the docstrings are true, and every public name has one. Those of a class's members go on from the class's own."""
    with_examples, runner, globs = set(), doctest.DocTestRunner(), {}
    for module in ("", ".trace", ".edit", ".build", ".passes", "._many", "._tables", "._library"):
        for test in sorted(doctest.DocTestFinder().find(importlib.import_module("postfetto" + module))):
            test.globs.update(globs.get(test.name.rpartition(".")[0], {}) if test.examples else {})
            results = runner.run(test, clear_globs=False)
            globs[test.name] = dict(test.globs)
            with_examples |= {test.name} if results.attempted else set()
            check(f"doctest {test.name}", results.failed == 0, results)
    missing = set(public_names()) - with_examples
    check("every public name has an example", not missing, sorted(missing))


def test_package(root):
    typed = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "postfetto"], capture_output=True, text=True, cwd=os.path.join(root, "python"),
                           env={**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]})
    check("mypy", typed.returncode == 0, typed.stdout[-3000:], typed.stderr)
    listed = csv.reader(open(glob.glob(os.path.join(os.path.dirname(pf.__file__), "..", "postfetto-*.dist-info", "RECORD"))[0]))
    names = [row[0] for row in listed]
    check("licences of the libraries in it", sum("licenses/" in n for n in names) >= 6, names)
    check("what engines need", {"distributed; extra == 'dask'", "pyspark[sql]>=4; extra == 'spark'"} <= {d.replace('"', "'") for d in importlib.metadata.requires("postfetto")},
          importlib.metadata.requires("postfetto"))
    bare = "import sys, postfetto; t = postfetto.read(b'[]'); print([m for m in ('numpy', 'pandas', 'pyarrow', 'tqdm') if m in sys.modules])"
    check("nothing but Python is imported", subprocess.run([sys.executable, "-c", bare], capture_output=True, text=True).stdout.strip() == "[]")
    shown = subprocess.run([sys.executable, "-m", "postfetto", "--version"], capture_output=True, text=True).stdout
    check("the command", shown.startswith(f"postfetto {pf.__version__}"), shown)
    served = subprocess.run([sys.executable, "-m", "postfetto", "server", "http", "--port", "0", "--idle-timeout", "1ms"], capture_output=True, text=True)
    check("a server, with its library in the package", served.returncode == 0 and "postfetto/libmicrohttpd.so.12" in names, served.stderr)


def test_notebook(root):
    """The notebook of the docs runs on a trace of the corpus, shows pictures, and its numbers are those of the command."""
    shared = os.environ.get("POSTFETTO_SHARED", os.path.join(root, "..", "shared"))
    traces = sorted(glob.glob(os.path.join(shared, "corpus", "real", "torch-h100-bert", "trace.json*")))
    if not traces:
        print("the notebook # skipped: no corpus")
        return
    import nbclient
    import nbformat
    os.environ["POSTFETTO_TRACE"] = traces[0]
    book = nbformat.read(os.path.join(root, "docs", "python.ipynb"), as_version=4)
    try:
        nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    except nbclient.exceptions.CellExecutionError as e:
        check("the notebook runs", False, e)
        return
    shown = ["".join(str(o.get("data", {}).get(kind, "")) for o in cell.get("outputs", []) for kind in ("text/html", "image/svg+xml", "text/plain"))
             for cell in book.cells]
    pages, pictures = sum("<iframe" in text and "&lt;svg" in text for text in shown), sum(text.count("<svg") for text in shown)
    check("its page and its picture", pages == 1 and pictures == 1, pages, pictures)
    top = command("query", traces[0], "-q", "SELECT sum(dur) AS ns FROM slice GROUP BY name ORDER BY ns DESC LIMIT 5").split()[1:]
    check("its longest names", len(top) == 5 and all(f"<td>{ns}</td>" in shown[4] for ns in top), top, shown[4])
    check("its own rows in the trace", "<td>0</td>" not in shown[-1] and "<td>" in shown[-1], shown[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("POSTFETTO_SEED") or random.randrange(1 << 30)))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    r = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        data, want = test_reading(r, folder)
        test_tables(data, want)
        test_queries(r, data, want)
        test_interrupt(data)
        test_progress(folder)
        test_errors(folder)
        test_files(r, data, want, folder)
        test_parts(r, data, want, folder)
        test_columns_of_events(r)
        test_building(r, folder)
        test_without_numpy()
        test_passes(options.root, folder)
        test_examples()
        test_package(options.root)
        test_notebook(options.root)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
