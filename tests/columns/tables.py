"""Tables as folders of Arrow and Parquet files (tests/columns/tables runs it).

usage: tables.py POSTFETTO CORPUS [--seed N] [--count N] [--slices N]

All tables of some traces of the corpus, each read by one of the readers that can, equal what `query` prints; so do one table as a
file and on standard output, arguments as columns, and a folder for each rank. Of a large generated trace the sums are equal.
POSTFETTO_LONG=1: all traces, all readers.
"""
import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import duckdb
import pandas
import polars
import pyarrow.ipc
import pyarrow.parquet

passed = failed = 0
ENDINGS = {"arrow": ".arrow", "arrow-stream": ".arrows", "parquet": ".parquet"}


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:500] for d in details), sep="\n    ")


# ---- readers: the names of the columns, and all rows


def by_pyarrow(path):
    t = (pyarrow.parquet.read_table(path) if path.endswith(".parquet") else pyarrow.ipc.open_file(path).read_all()
         if path.endswith(".arrow") else pyarrow.ipc.open_stream(path).read_all())
    t.validate(full=True)
    return t.column_names, [list(r.values()) for r in t.to_pylist()]


def by_polars(path):
    t = (polars.read_parquet(path) if path.endswith(".parquet") else polars.read_ipc(path)
         if path.endswith(".arrow") else polars.read_ipc_stream(path))
    return t.columns, [list(r) for r in t.rows()]


def by_duckdb(path):
    t = duckdb.sql(f"SELECT * FROM '{path}'")
    return t.columns, [list(r) for r in t.fetchall()]


def by_pandas(path):
    t = pandas.read_parquet(path, dtype_backend="numpy_nullable")
    return list(t.columns), [[None if v is pandas.NA else v for v in r] for r in t.astype(object).itertuples(index=False)]


READERS = {".arrow": [by_pyarrow, by_polars], ".arrows": [by_pyarrow, by_polars],
           ".parquet": [by_pyarrow, by_polars, by_duckdb, by_pandas]}


# ---- queries


class Trace:
    def __init__(self, program, *inputs):
        self.program, self.inputs = program, inputs

    def run(self, *words):
        return subprocess.run([self.program, *words, "-q"], capture_output=True, check=False)

    def convert(self, out, *words):
        done = self.run("convert", *self.inputs, "-o", out, *words)
        check(f"{self.inputs}: convert {words}", done.returncode == 0, done.stderr)
        return done

    def query(self, sql):
        more = [w for path in self.inputs[1:] for w in ("--input", path)]
        done = self.run("query", self.inputs[0], *more, "--format", "json", sql)
        if done.returncode:
            return None
        return json.loads(done.stdout.decode("utf-8", "replace"))["results"][0]["rows"]

    def table(self, name, columns):
        listed = ",".join('"' + c + '"' for c in columns)
        rows = self.query(f"SELECT {listed} FROM {'__intrinsic_' * (name in ('track', 'cpu')) + name}")
        return rows if rows is not None else self.query(f"SELECT {listed} FROM __intrinsic_{name}")


def equal(a, b):
    """A value out of a file, and one out of JSON, which has no NaN and no bytes."""
    return a == b or (a != a and b is None) or isinstance(a, bytes) or (isinstance(a, str) and "\ufffd" in a)


def same(rows, want):
    return len(rows) == len(want) and all(equal(x, y) for r, w in zip(rows, want) for x, y in zip(r, w))


def compare_folder(trace, form, pick):
    shutil.rmtree("out", ignore_errors=True)
    if trace.convert("out", "--to", form).returncode:
        return
    for path in sorted(glob.glob("out/*")):
        name = os.path.basename(path).split(".")[0]
        for reader in pick(READERS[ENDINGS[form]]):
            columns, rows = reader(path)
            want = trace.table(name, columns)
            first = next(((r, w) for r, w in zip(rows, want) if not same([r], [w])), (len(rows), len(want)))
            check(f"{trace.inputs}: {form} {name} {reader.__name__}", same(rows, want), *first)


def compare_one(trace):
    """One table: a file, standard output, and arguments as columns."""
    trace.convert("slice.parquet", "--table", "slice", "--arg", "correlation,no such key", "--arg", "External id")
    columns, rows = by_duckdb("slice.parquet")
    args = [f"extract_arg(arg_set_id, 'args.{k}')" for k in ("correlation", "no such key", "External id")]
    want = trace.query(f"SELECT id, {', '.join(args)} FROM slice")
    check(f"{trace.inputs}: --arg", columns[-3:] == ["correlation", "no such key", "External id"], columns)
    check(f"{trace.inputs}: values of --arg", same([[r[0], *r[-3:]] for r in rows], want))
    done = trace.run("convert", *trace.inputs, "-o", "-", "--to", "arrow-stream", "--table", "thread")
    table = pyarrow.ipc.open_stream(done.stdout).read_all()
    check(f"{trace.inputs}: on standard output",
          same([list(r.values()) for r in table.to_pylist()], trace.table("thread", table.column_names)))


def compare_ranks(trace, alone):
    shutil.rmtree("ranks", ignore_errors=True)
    trace.convert("ranks", "--to", "parquet", "--partition", "input")
    for name in ("slice", "counter", "flow"):
        sql = f"SELECT rank, count(*) FROM read_parquet('ranks/*/{name}.parquet', hive_partitioning=true) GROUP BY 1 ORDER BY 1"
        want = [t.query(f"SELECT count(*) FROM {name}")[0][0] for t in alone]
        got = dict(duckdb.sql(sql).fetchall())
        check(f"ranks: {name}", [got.get(i, 0) for i in range(len(alone))] == want, got, want)
    for folder in sorted(glob.glob("ranks/rank=*")):
        for table, column, of, key in (("slice", "arg_set_id", "args", "arg_set_id"), ("slice", "track_id", "track", "id"),
                                       ("track", "utid", "thread", "utid"), ("track", "parent_id", "track", "id"),
                                       ("track", "dimension_arg_set_id", "args", "arg_set_id"), ("flow", "slice_in", "slice", "id")):
            lost = duckdb.sql(f"SELECT count(*) FROM '{folder}/{table}.parquet' a WHERE {column} IS NOT NULL AND NOT EXISTS "
                              f"(SELECT 1 FROM '{folder}/{of}.parquet' b WHERE b.{key} = a.{column})").fetchall()[0][0]
            check(f"{folder}: {table}.{column} is in {of}", lost == 0, lost)


def compare_texts(program):
    """Names that are no UTF-8, and equal once they are."""
    with open("surrogates.json", "w", encoding="ascii") as file:
        file.write('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a\\ud800b"},'
                   '{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a\\udfffb","args":{"a":"\\udc00"}}]}')
    trace = Trace(program, "surrogates.json")
    for form, ending in ENDINGS.items():
        trace.convert("surrogates", "--to", form)
        for table, column, want in (("slice", "name", ["a\ufffdb"] * 2), ("args", "string_value", ["\ufffd"])):
            for reader in READERS[ending]:
                columns, rows = reader(f"surrogates/{table}{ending}")
                check(f"surrogates: {form} {table} {reader.__name__}", [r[columns.index(column)] for r in rows][-len(want):] == want, rows)
    got = list(pandas.read_feather("surrogates/slice.arrow")["name"])
    check("surrogates: pandas, whose categories are unique", got == ["a\ufffdb"] * 2, got)


def compare_large(program, count):
    with open("large.json", "w", encoding="ascii") as file:
        file.write('{"traceEvents":[\n')
        for i in range(count):
            late = '"cat":"c%d",' % (i % 5) if i >= count * 3 // 4 else ""  # pages before have nothing but NULLs
            file.write('%s{"ph":"X",%s"pid":%d,"tid":%d,"ts":%d.%03d,"dur":%d.5,"name":"op %d","args":{"n":%d}}' %
                       (",\n" if i else "", late, i % 3, i % 7, i * 3, i % 1000, i % 5, i % 997, i % 100000))
        file.write("]}\n")
    trace = Trace(program, "large.json")
    trace.convert("large", "--to", "parquet", "--arg", "n")
    trace.convert("large", "--to", "arrow")
    sums = "count(*), sum(ts), sum(dur), sum(length(name)), count(DISTINCT track_id), count(category), count(DISTINCT category)"
    want = trace.query(f"SELECT {sums} FROM slice")[0]
    got = list(duckdb.sql(f"SELECT {sums} FROM 'large/slice.parquet'").fetchall()[0])
    check("large: DuckDB's sums", got == want, got, want)
    n = trace.query("SELECT sum(int_value) FROM args WHERE key = 'args.n'")  # each set once
    got = duckdb.sql("SELECT sum(DISTINCT n) FROM 'large/slice.parquet'").fetchall()[0][0]
    check("large: arguments as a column", got == n[0][0], got, n)
    t = pyarrow.ipc.open_file("large/slice.arrow").read_all()
    got = [t.num_rows, *(pyarrow.compute.sum(t[c]).as_py() for c in ("ts", "dur"))]
    check("large: pyarrow's sums", got == want[:3], got, want)
    for reader in (by_pyarrow, by_polars, by_pandas):
        columns, rows = reader("large/slice.parquet")
        there = [r[columns.index("category")] for r in rows]
        check(f"large: categories by {reader.__name__}", [sum(c is not None for c in there), len(set(there) - {None})] == want[5:])
    meta = pyarrow.parquet.ParquetFile("large/slice.parquet").metadata
    said = duckdb.sql("SELECT row_group_id, stats_min_value, stats_max_value, row_group_num_rows FROM "
                      "parquet_metadata('large/slice.parquet') WHERE path_in_schema = 'ts' ORDER BY 1").fetchall()
    seen = [(g, str(s.min), str(s.max), meta.row_group(g).num_rows)
            for g in range(meta.num_row_groups) for s in [meta.row_group(g).column(meta.schema.names.index("ts")).statistics]]
    check("large: both readers see the same groups and bounds of ts", seen == said and meta.num_row_groups == -(-count // 122880), said[:2], seen[:2])


def sample(corpus, seed, count):
    found = sorted(p for p in glob.glob(os.path.join(corpus, "**", "*"), recursive=True)
                   if re.search(r"(trace|source)\.(json|json\.gz|pftrace|pftrace\.gz)$", p) and os.path.getsize(p) < 1_000_000)
    return found if os.environ.get("POSTFETTO_LONG") == "1" else random.Random(seed).sample(found, min(count, len(found)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("corpus")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--count", type=int, default=8)
    p.add_argument("--slices", type=int, default=300_000)
    a = p.parse_args()
    long = os.environ.get("POSTFETTO_LONG") == "1"
    seed = random.SystemRandom().randrange(1 << 31) if a.seed is None else a.seed
    chance = random.Random(seed)
    program, corpus = os.path.abspath(a.program), os.path.abspath(a.corpus)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for source in sample(corpus, seed, a.count):
            trace = Trace(program, source)
            if trace.query("SELECT 1") is None:
                continue
            for form in ENDINGS:
                compare_folder(trace, form, (lambda readers: readers) if long else (lambda readers: [chance.choice(readers)]))
        ranks = [os.path.join(corpus, "real", n, "trace.json.gz") for n in ("torch-alexnet", "torch-triton", "torch-cpu-only")]
        compare_one(Trace(program, ranks[0]))
        compare_ranks(Trace(program, *ranks), [Trace(program, r) for r in ranks])
        compare_texts(program)
        compare_large(program, 2_000_000 if long else a.slices)
        os.chdir("/")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
