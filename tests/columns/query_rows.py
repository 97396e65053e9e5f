"""What `query --format arrow` and `--format parquet` write, read by others (tests/columns/query_rows runs it with their
python).

usage: query_rows.py POSTFETTO [--seed N] [--count N] [--corpus FOLDER]

Random results are made of literals, so that what must come out is known from the start: types, names, values, NULLs. Results
over traces of the corpus and the tables of passes are compared with the JSON that `query` prints.
"""
import argparse
import csv
import io
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BATCH = 122880
passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:600] for d in details), sep="\n    ")


# ---- running and reading


class Queries:
    def __init__(self, program, trace, *options):
        self.start = [program, "query", trace, "-q", *options]

    def run(self, sql, form, *more):
        with open("query.sql", "w", encoding="utf-8") as file:
            file.write(sql)
        done = subprocess.run([*self.start, "-f", "query.sql", "--format", form, *more], capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{sql[:300]}: exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def files(self, sql):
        """The result as an Arrow stream on standard output and as a Parquet file."""
        self.run(sql, "parquet", "-o", "rows.parquet")
        return self.run(sql, "arrow")

    def json(self, sql):
        """(columns, rows)."""
        document = json.loads(self.run(sql, "json"))
        return document["results"][0]["columns"], document["results"][0]["rows"]


def bits(value):
    """Equal for equal values: 0.0 is not -0.0, 1 is not 1.0."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def rows_of(table):
    columns = [column.to_pylist() for column in table.columns]
    return [tuple(map(bits, row)) for row in zip(*columns)] if columns else []


def of_pandas(frame):
    return [tuple(None if value is None or value is pandas.NA else bits(value) for value in row)
            for row in frame.itertuples(index=False, name=None)]


def readings(stream):
    """(who, names, types or None, rows, whether names are its own) as each of them reads the two files."""
    arrow = pyarrow.ipc.open_stream(stream).read_all()
    parquet = pyarrow.parquet.read_table("rows.parquet")
    for who, table in (("pyarrow, arrow", arrow), ("pyarrow, parquet", parquet)):
        table.validate(full=True)
        yield who, table.column_names, [str(field.type) for field in table.schema], rows_of(table)
    for who, frame in (("polars, arrow", polars.read_ipc_stream(io.BytesIO(stream))), ("polars, parquet", polars.read_parquet("rows.parquet"))):
        yield who, frame.columns, None, [tuple(map(bits, row)) for row in frame.rows()]
    found = duckdb.sql("SELECT * FROM 'rows.parquet'")
    yield "duckdb, parquet", found.columns, None, [tuple(map(bits, row)) for row in found.fetchall()]
    frame = pandas.read_parquet("rows.parquet", dtype_backend="pyarrow")
    yield "pandas, parquet", list(frame.columns), None, of_pandas(frame)


def compare(what, stream, names, types, rows):
    expected = [tuple(map(bits, row)) for row in rows]
    for who, got_names, got_types, got in readings(stream):
        check(f"{what}: names, {who}", list(got_names) == names, got_names, names)
        if got_types is not None and types is not None:
            check(f"{what}: types, {who}", got_types == types, got_types, types)
        wrong = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), None)
        check(f"{what}: rows, {who}", got == expected, f"{len(got)} rows, {len(expected)} expected, first difference at {wrong}",
              *((got[wrong], expected[wrong]) if wrong is not None else ()))


# ---- random results of literals

TEXTS = ["", "a", "kernel", "it's", "ä", "漢字", "🙂", "line\nfeed", "\t", "a,b", '"', "NULL", "x" * 300, "e\u0301", "\u2028", "null", "0"]


def an_integer(r):
    return r.choice([0, 1, -1, 2**63 - 1, -2**63, 2**53, 2**53 + 1, -2**31, 2**32 - 1, r.randrange(-2**63, 2**63)])


def a_real(r):
    return r.choice([0.0, 0.5, -1e300, 1e-300, 5e-324, math.inf, -math.inf, 1.7976931348623157e308,
                     r.randrange(-2**53, 2**53) / 2**r.randrange(40)])


def a_small_integer(r):
    return r.choice([0, -5, 2**53, -2**53, r.randrange(-10**6, 10**6)])


def literal(v):
    if v is None:
        return "NULL"
    if isinstance(v, bytes):
        return f"x'{v.hex()}'"
    if isinstance(v, str):
        return "'" + v.replace("'", "''") + "'"
    if isinstance(v, int):
        return "(-9223372036854775807 - 1)" if v == -2**63 else str(v)
    if math.isinf(v):
        return "9e999" if v > 0 else "-9e999"
    over, under = v.as_integer_ratio()
    # SQLite reads long decimals to the last bit but one.
    return f"({over}.0 / {under}.0)" if under < 2**40 and abs(over) < 2**53 else repr(v)


KINDS = {
    "int64": (an_integer,),
    "double": (a_real, a_small_integer),
    "string": (lambda r: r.choice(TEXTS) + r.choice(["", str(r.randrange(1000))]),),
    "binary": (lambda r: bytes(r.randrange(256) for _ in range(r.randrange(9))), lambda r: "a text"),
}


def a_value(r, kind, row):
    return (KINDS[kind][0] if row == 0 else r.choice(KINDS[kind]))(r)


def a_result(r):
    """(SQL, names, types, rows)."""
    count, rows = r.randrange(1, 7), r.choice([0, 1, 2, 7, 8, 9, 200])
    kinds = [r.choice(list(KINDS)) for _ in range(count)]
    typed = [rows > 0 and r.random() < 0.9 for _ in range(count)]  # else NULL in all rows
    nulls = [r.choice([0, 0.2, 0.9]) for _ in range(count)]
    values = [[a_value(r, kind, row) if has and (row == 0 or r.random() >= share) else None
               for kind, has, share in zip(kinds, typed, nulls)] for row in range(rows)]
    declared = {"int64": "INTEGER", "double": "REAL", "string": "TEXT", "binary": "BLOB"}
    asked = [r.choice(["a", "A", "ts", "ä", "a b", '"', "ts_2", "a_2", f"c{i}"]) for i in range(count)]
    names, quoted = [], [name.replace('"', '""') for name in asked]
    for name in asked:
        own, n = name, sum(same(name, old) for old in names)
        while any(same(own, old) for old in names):
            n += 1
            own = f"{name}_{n}"
        names.append(own)
    types = [kind if has else {"binary": "string"}.get(kind, kind) for kind, has in zip(kinds, typed)]
    sql = "CREATE TEMP TABLE r(" + ", ".join(f"c{i} {declared[kind]}" for i, kind in enumerate(kinds)) + ");\n"
    # Columns without affinity keep what is inserted: integers among reals.
    sql += "CREATE TEMP TABLE v(" + ", ".join(f"c{i}" for i in range(count)) + ");\n"
    for row in values:
        sql += "INSERT INTO v VALUES (" + ", ".join(map(literal, row)) + ");\n"
    # A column of NULLs has the type of its declaration.
    select = ", ".join((f'v.c{i}' if has else f'r.c{i}') + f' AS "{name}"' for i, (has, name) in enumerate(zip(typed, quoted)))
    sql += f"SELECT {select} FROM v LEFT JOIN r ON r.rowid = v.rowid ORDER BY v.rowid"
    shown = [tuple(float(v) if kind == "double" and v is not None else v.encode() if kind == "binary" and isinstance(v, str) else v
                   for kind, v in zip(kinds, row)) for row in values]
    return sql, names, types, shown


def same(a, b):
    lower = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    return a.translate(lower) == b.translate(lower)


def random_results(queries, seed, count):
    for i in range(seed, seed + count):
        sql, names, types, rows = a_result(random.Random(i))
        try:
            compare(f"seed {i}", queries.files(sql), names, types, rows)
        except Exception as error:  # a reader's own
            check(f"seed {i}", False, sql[-300:], repr(error))


# ---- many rows, traces, passes

MANY = """WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 299999)
SELECT i, (i - 150000) * 61489146912365 AS n, iif(i % 7, i / 8.0, i) AS d, iif(i % 5, 'name ' || (i % 1000), NULL) AS t, NULL AS never,
       iif(i < 200000, NULL, i) AS late FROM r"""


def check_sizes(what, stream):
    groups = pyarrow.parquet.ParquetFile("rows.parquet").metadata
    for sizes in ([len(batch) for batch in pyarrow.ipc.open_stream(stream)], [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]):
        check(f"{what}: batches of 122,880 rows", sizes == [BATCH, BATCH, 300000 - 2 * BATCH], sizes)


def many_rows(queries):
    stream = queries.files(MANY)
    text = csv.reader(io.StringIO(queries.run(MANY, "csv").decode(), newline=""))
    names = next(text)
    rows = [(int(i), int(n), float(d), t or None, None, int(late) if late else None) for i, n, d, t, _, late in text]
    compare("300,000 rows", stream, names, ["int64", "int64", "double", "string", "string", "int64"], rows)
    check_sizes("300,000 rows", stream)
    _, ((total, length, distinct),) = queries.json(f"SELECT sum(n / 61489146912365), sum(length(t)), count(DISTINCT t) FROM ({MANY})")
    theirs = duckdb.sql("SELECT CAST(sum(n // 61489146912365) AS BIGINT), CAST(sum(length(t)) AS BIGINT), count(DISTINCT t) FROM 'rows.parquet'").fetchall()[0]
    check("sums of DuckDB", theirs == (total, length, distinct), theirs, (total, length, distinct))
    # Two batches wait for the first value of a column.
    stream = queries.files(f"SELECT t, late, i FROM ({MANY})")
    compare("a late value", stream, ["t", "late", "i"], ["string", "int64", "int64"], [(row[3], row[5], row[0]) for row in rows])
    check_sizes("a late value", stream)


def whole(value):
    """JSON has escapes for surrogates without a partner, UTF-8 has not."""
    return re.sub("[\ud800-\udfff]", "\ufffd", value) if isinstance(value, str) else value


def of_trace(what, queries, sql):
    names, rows = queries.json(sql)
    try:
        stream = queries.files(sql)
    except RuntimeError as error:
        check(what, False, error)
        return
    # JSON has integers where all reals of a column are, and no infinities: the columns of reals say so themselves.
    types = [str(field.type) for field in pyarrow.ipc.open_stream(stream).schema]
    expected = [tuple(whole(float(v) if kind == "double" and v is not None else v) for kind, v in zip(types, row)) for row in rows]
    compare(what, stream, names, None, expected)


TABLES = ["slice", "counter", "args", "flow", "thread", "process", "track", "metadata", "clock_snapshot", "stats", "trace_bounds", "state",
          "counters", "thread_slice", "thread_or_process_slice", "counter_track"]


def traces(program, corpus, r, count):
    found = sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(corpus, "real")) for name in names
                   if name.endswith((".json", ".json.gz", ".pftrace", ".pftrace.gz")) and name not in ("manifest.json", "expected.json")
                   and os.path.getsize(os.path.join(folder, name)) < 3 << 20)
    bad = [os.path.join(ROOT, "fixtures", "bad", name) for name in ("invalid_utf8.json", "lone_surrogate.json", "control_characters.json")]
    for path in bad + r.sample(found, min(count, len(found))):
        queries = Queries(program, path)
        try:
            queries.json("SELECT 1")
        except RuntimeError:
            continue  # not a trace, or one that is refused
        for table in ["slice", "args"] if path in bad else r.sample(TABLES, 3):
            order = r.choice(["", " ORDER BY 1 DESC", " LIMIT 100", " WHERE 0"])
            of_trace(f"{os.path.relpath(path, corpus)}: {table}{order}", queries, f"SELECT * FROM {table}{order}")


def passes(program, corpus):
    listed = json.loads(subprocess.run([program, "analyze", "--list", "--json"], check=True, capture_output=True).stdout)
    tables = {row["name"]: [t["name"] for t in row["tables"]] for row in listed["passes"]}
    cases = [("gpu", os.path.join(corpus, "real", "torch-alexnet")), ("tinygrad", os.path.join(ROOT, "fixtures", "tinygrad_small.pkl"))]
    for name, path in cases:
        if os.path.isdir(path):
            path = next(os.path.join(path, f) for f in sorted(os.listdir(path)) if f.endswith((".json", ".json.gz", ".pftrace")) and not f.startswith("expected"))
        queries = Queries(program, path, "--pass", name)
        for form in ("parquet", "arrow"):
            subprocess.run([program, "analyze", name, path, "-q", "--report", "reports", "--tables", "tables", "--tables-format", form],
                           check=True, capture_output=True)
        for table in tables[name]:
            what = f"--pass {name}: {table}"
            of_trace(what, queries, f"SELECT * FROM {table}")
            of_files(f"{what}, analyze --tables", f"tables/{table}", queries.json(f"SELECT * FROM {table}"))


def of_files(what, stem, expected):
    names, rows = expected
    arrow = pyarrow.ipc.open_file(stem + ".arrow").read_all()
    parquet = pyarrow.parquet.read_table(stem + ".parquet")
    plain = [str(field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type) for field in arrow.schema]
    check(f"{what}: types", plain == [str(field.type) for field in parquet.schema], arrow.schema, parquet.schema)
    expected = [tuple(float(v) if kind == "double" and v is not None else v for kind, v in zip(plain, row)) for row in rows]
    for who, table in (("arrow", arrow), ("parquet", parquet)):
        table.validate(full=True)
        check(f"{what}: names, {who}", table.column_names == names, table.column_names, names)
        check(f"{what}: rows, {who}", rows_of(table) == [tuple(map(bits, row)) for row in expected], table.num_rows, len(rows))
    frame = duckdb.sql(f"SELECT * FROM '{stem}.parquet'").fetchall()
    check(f"{what}: rows, duckdb", [tuple(map(bits, row)) for row in frame] == [tuple(map(bits, row)) for row in expected])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--corpus", default=os.path.join(os.environ.get("POSTFETTO_SHARED", os.path.join(ROOT, "..", "shared")), "corpus"))
    set_ = parser.parse_args()
    program, corpus = os.path.abspath(set_.program), os.path.abspath(set_.corpus)
    seed = set_.seed if set_.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed} (--seed), {set_.count} results")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("tiny.json", "w", encoding="utf-8") as file:
            json.dump([{"name": "a", "ph": "X", "ts": 1, "dur": 3, "pid": 7, "tid": 9}], file)
        queries = Queries(program, os.path.abspath("tiny.json"))
        random_results(queries, seed, set_.count)
        many_rows(queries)
        skipped = 0
        if os.path.isdir(corpus):
            traces(program, corpus, random.Random(seed), 8)
            passes(program, corpus)
        elif os.environ.get("POSTFETTO_REQUIRE_SHARED") == "1":
            check("the shared corpus is here", False)
        else:
            skipped = 1
            print(f"skipped: the shared corpus is not here ({corpus})")
        os.chdir(ROOT)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


main()
