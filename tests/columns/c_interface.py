"""Tables of traces through Arrow's C data interface (tests/columns/c_interface runs it).

usage: c_interface.py LIBRARY POSTFETTO CORPUS [--seed N] [--count N] [--rows N]

A trace is made with the library's own functions, with a side table of random values that are known from the start. Types,
values and NULLs come back through pyarrow, Polars and pandas; arrays of the trace are lent, not copied; arrays outlive
pf_trace_free and go in any order, on several threads. Tables of traces of the corpus equal what `query` prints.
"""
import argparse
import ctypes
import gc
import glob
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import threading

import numpy
import pandas
import polars
import pyarrow
import pyarrow.compute

passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:600] for d in details), sep="\n    ")


# ---- the library


class Str(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_char_p), ("len", ctypes.c_size_t)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("offset", ctypes.c_uint64), ("packet", ctypes.c_uint64),
                ("file", ctypes.c_char * 512), ("text", ctypes.c_char * 512)]


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("unit", ctypes.c_char_p), ("of", ctypes.c_char_p),
                ("help", ctypes.c_char_p), ("flags", ctypes.c_uint)]


class Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("help", ctypes.c_char_p), ("columns", ctypes.POINTER(Column)), ("count", ctypes.c_size_t)]


class Side(ctypes.Structure):
    _fields_ = [("spec", ctypes.c_void_p), ("count", ctypes.c_uint32), ("room", ctypes.c_uint32),
                ("column", ctypes.POINTER(ctypes.c_void_p))]


Struct = ctypes.c_uint64 * 10  # ArrowSchema has 9 members of 8 bytes, ArrowArray 10
MEMBERS = {"schema": ("format name metadata flags n_children children dictionary release private_data").split(),
           "array": ("length null_count offset n_buffers n_children buffers children dictionary release private_data").split()}


def member(s, kind, name):
    return s[MEMBERS[kind].index(name)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("pf_builder_new", "pf_trace_table"):
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.pf_trace_table.restype = ctypes.POINTER(Side)

    def call(self, name, *args):
        error = Error()
        status = getattr(self.c, name)(*args, ctypes.byref(error))
        if status:
            raise RuntimeError(f"{name}: {status} {error.text.decode()}")

    def build(self):
        b, trace = ctypes.c_void_p(self.c.pf_builder_new(None)), ctypes.c_void_p()
        self.call("pf_builder_finish", b, ctypes.byref(trace))
        self.c.pf_builder_free(b)
        return trace

    def read(self, path):
        trace, paths = ctypes.c_void_p(), (ctypes.c_char_p * 1)(path.encode())
        self.call("pf_read", paths, ctypes.c_size_t(1), None, ctypes.byref(trace))
        return trace

    def structs(self, trace, name):
        schema, array = Struct(), Struct()
        self.call("pf_table_arrow", trace, name.encode(), ctypes.byref(schema), ctypes.byref(array))
        return schema, array

    def batch(self, trace, name):
        schema, array = self.structs(trace, name)
        out = pyarrow.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
        out.validate(full=True)
        return out


class Lent:
    """A table as consumers of the PyCapsule protocol take it."""

    def __init__(self, library, trace, name):
        self.what, self.kept = (library, trace, name), []

    def __arrow_c_array__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.kept.append(self.what[0].structs(self.what[1], self.what[2]))
        schema, array = self.kept[-1]
        return new(ctypes.addressof(schema), b"arrow_schema", None), new(ctypes.addressof(array), b"arrow_array", None)


# ---- random tables

TEXTS = [b"", b"a", b"kernel", "\u00e4".encode(), "\u6f22\u5b57".encode(), "\U0001f642".encode(), b"line\nfeed", b"nul\0inside", b"x" * 3000,
         b"\xff", b"a\xed\xa0\x80b", b"cut \xe6\xbc", b"\xc0\xaf", "\ufffd".encode(), b"12345678\xfe90"]
INT, REAL, TEXT, BLOB, ROW = range(5)
TYPES = ["int64", "double", "dictionary<values=string, indices=int32, ordered=0>",
         "dictionary<values=binary, indices=int32, ordered=0>", "uint32"]


def clean(text):
    """U+FFFD for each lone surrogate and for each byte that is out of place."""
    out, at = "", 0
    while at < len(text):
        for size in (1, 2, 3, 4):
            try:
                out += text[at:at + size].decode()
                break
            except UnicodeDecodeError:
                pass
        else:
            surrogate = re.match(rb"\xed[\xa0-\xbf][\x80-\xbf]", text[at:at + 3])
            out, size = out + "\ufffd", 3 if surrogate else 1
        at += size
    return out


def a_value(r, kind):
    if r.random() < 0.2:
        return None
    if kind == INT:
        return r.choice([0, 1, -1, 2**63 - 1, -2**63 + 1, 2**53 + 1, r.randrange(-2**62, 2**62)])
    if kind == REAL:
        return r.choice([0.0, -0.0, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, r.uniform(-1e9, 1e9)])
    if kind == ROW:
        return r.choice([0, 1, 2**32 - 2, r.randrange(2**32 - 1)])
    return r.choice(TEXTS) + (b"" if r.random() < 0.7 else str(r.randrange(1000)).encode())


def add_table(library, trace, name, kinds, rows):
    """A side table of that name, with rows as given."""
    columns = (Column * len(kinds))(*(Column(f"c{i}".encode(), kind, None, b"thread" if kind == ROW else None, None, 0) for i, kind in enumerate(kinds)))
    side, first = ctypes.POINTER(Side)(), ctypes.c_uint32()
    library.call("pf_trace_add_table", trace, ctypes.byref(Spec(name.encode(), b"made", columns, len(kinds))), ctypes.byref(side))
    if rows:
        library.call("pf_side_add_rows", side, ctypes.c_uint32(len(rows)), ctypes.byref(first))
    for i, kind in enumerate(kinds):
        size = [8, 8, 4, 16, 4][kind]
        for at, row in enumerate(rows):
            value, place = row[i], side.contents.column[i] + at * size
            if kind == TEXT:
                number = ctypes.c_uint32()
                library.call("pf_trace_add_string", trace, Str(value, len(value or b"")), ctypes.byref(number))
                cell = struct.pack("<I", number.value)
            elif kind == BLOB:
                if value is not None:  # else ptr NULL
                    library.call("pf_trace_keep_bytes", trace, Str(value, len(value)), ctypes.c_void_p(place))
                continue
            elif kind == INT:
                cell = struct.pack("<q", -2**63 if value is None else value)
            elif kind == REAL:
                cell = struct.pack("<d", math.nan if value is None else value)
            else:
                cell = struct.pack("<I", 2**32 - 1 if value is None else value)
            ctypes.memmove(place, cell, size)
    return side


def bits(v):
    return struct.pack("<d", v) if isinstance(v, float) else v


def of_pandas(frame):
    """numpy's integers have no NULL, and become reals where there is one."""
    return [[None if v is None or v != v else v for v in frame[c].tolist()] for c in frame]


def check_random(library, r, number):
    trace, name = library.build(), f"made_{number}"
    kinds = [r.randrange(5) for _ in range(r.randrange(1, 7))]
    rows = [[a_value(r, kind) for kind in kinds] for _ in range(r.choice([0, 1, 7, 8, 9, 65, 4096, 5000]))]
    side = add_table(library, trace, name, kinds, rows)
    want = [[i] + [clean(v) if kind == TEXT and v is not None else bits(v) for v, kind in zip(row, kinds)] for i, row in enumerate(rows)]
    batch = library.batch(trace, name)
    check(f"{name}: names", batch.schema.names == ["id"] + [f"c{i}" for i in range(len(kinds))], batch.schema)
    check(f"{name}: types", [str(t) for t in batch.schema.types] == ["uint32"] + [TYPES[k] for k in kinds], batch.schema)
    check(f"{name}: NULLs", [c.null_count for c in batch.columns[1:]] == [sum(row[i] is None for row in rows) for i in range(len(kinds))])
    for who, columns in (("pyarrow", [c.to_pylist() for c in batch.columns]), ("polars", [s.to_list() for s in polars.DataFrame(Lent(library, trace, name))]),
                         ("pandas", of_pandas(pandas.DataFrame.from_arrow(Lent(library, trace, name))))):
        got = [list(map(bits, row)) for row in zip(*columns)]
        wanted = want
        if who == "pandas":
            reals = [i for i in range(len(kinds)) if kinds[i] in (INT, ROW) and any(row[i] is None for row in rows)]
            wanted = [[bits(float(v)) if i - 1 in reals and v is not None else v for i, v in enumerate(row)] for row in want]
        first = next(((a, b) for a, b in zip(got, wanted) if a != b), (len(got), len(wanted)))
        check(f"{name}: values, {who}", got == wanted, kinds, *first)
    for i, kind in enumerate(kinds):
        if rows and kind in (INT, REAL, ROW):
            check(f"{name}: c{i} is lent", batch.column(i + 1).buffers()[1].address == side.contents.column[i])
    library.c.pf_trace_free(trace)
    again = [list(map(bits, row)) for row in zip(*(c.to_pylist() for c in batch.columns))]
    check(f"{name}: outlives the trace", again == want)


# ---- life


def release(s, kind):
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(member(s, kind, "release"))(ctypes.addressof(s))


def check_life(library, r):
    """Children move out, and all goes in any order, on any thread."""
    for turn in range(200):
        trace = library.build()
        kinds = [r.randrange(5) for _ in range(4)]
        rows = [[a_value(r, kind) for kind in kinds] for _ in range(50)]
        add_table(library, trace, "made", kinds, rows)
        schema, array = library.structs(trace, "made")
        owners, expected = [("schema", schema), ("array", array)], 0
        for i in range(5):
            for kind, s in (("schema", schema), ("array", array)):
                child = (ctypes.c_uint64 * len(MEMBERS[kind])).from_address(ctypes.c_uint64.from_address(member(s, kind, "children") + 8 * i).value)
                if r.random() < 0.5:
                    mine = Struct(*child)
                    child[MEMBERS[kind].index("release")] = 0  # moved
                    owners.append((kind, mine))
        acts = [lambda k=k, s=s: release(s, k) for k, s in owners] + [lambda: library.c.pf_trace_free(trace)]
        r.shuffle(acts)
        threads = [threading.Thread(target=lambda part=acts[i::3]: [act() for act in part]) for i in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        expected += sum(member(s, k, "release") != 0 for k, s in owners)
        check(f"life {turn}: all is released", expected == 0, expected)
    trace = library.build()
    schema, array, error = Struct(*[7] * 10), Struct(*[7] * 10), Error()
    status = library.c.pf_table_arrow(trace, b"no such", ctypes.byref(schema), ctypes.byref(array), ctypes.byref(error))
    check("no table of that name", status == 1 and b"no table 'no such'" in error.text and not member(schema, "schema", "release")
          and not member(array, "array", "release"), status, error.text)
    check("the same without an error", library.c.pf_table_arrow(trace, b"no such", ctypes.byref(schema), ctypes.byref(array), None) == 1)
    check("a prefix does not matter", library.batch(trace, "__intrinsic_track").equals(library.batch(trace, "track"))
          and library.batch(trace, "__intrinsic_thread").equals(library.batch(trace, "thread")))
    library.c.pf_trace_free(trace)


def check_large(library, count):
    trace = library.build()
    side, first = add_table(library, trace, "large", [INT, REAL, TEXT], []), ctypes.c_uint32()
    library.call("pf_side_add_rows", side, ctypes.c_uint32(count), ctypes.byref(first))
    number, real, text = (numpy.ctypeslib.as_array(ctypes.cast(side.contents.column[i], ctypes.POINTER(t)), (count,))
                          for i, t in enumerate((ctypes.c_int64, ctypes.c_double, ctypes.c_uint32)))
    number[:] = numpy.arange(count, dtype=numpy.int64) * 7919 % 1000003 - 500000
    number[::10] = -2**63
    real[:] = numpy.arange(count) * 0.5
    ids = []
    for i in range(1000):
        one = ctypes.c_uint32()
        library.call("pf_trace_add_string", trace, Str(b"text %d" % i, len(b"text %d" % i)), ctypes.byref(one))
        ids.append(one.value)
    text[:] = numpy.array(ids, dtype=numpy.uint32)[numpy.arange(count) % 1000]
    want = [int(number[number != -2**63].sum()), count - count // 10, float(real.sum()), sum(len(b"text %d" % (i % 1000)) for i in range(count))]
    batch = library.batch(trace, "large")
    lengths = pyarrow.compute.utf8_length(batch.column("c2").dictionary)
    got = [pyarrow.compute.sum(batch.column("c0")).as_py(), len(batch) - batch.column("c0").null_count, pyarrow.compute.sum(batch.column("c1")).as_py(),
           pyarrow.compute.sum(lengths.take(batch.column("c2").indices)).as_py()]
    check("large: pyarrow's sums", got == want, got, want)
    frame = polars.DataFrame(Lent(library, trace, "large"))
    got = [frame["c0"].sum(), frame["c0"].count(), frame["c1"].sum(), frame["c2"].cast(polars.String).str.len_chars().sum()]
    check("large: Polars' sums", got == want, got, want)
    library.c.pf_trace_free(trace)


# ---- the corpus


def query(program, path, sql):
    done = subprocess.run([program, "query", path, "-q", "--format", "json", sql], capture_output=True, check=False)
    return json.loads(done.stdout.decode("utf-8", "replace"))["results"][0]["rows"] if done.returncode == 0 else None


def equal(a, b):
    return a == b or (a != a and b is None) or isinstance(a, bytes) or (isinstance(a, str) and "\ufffd" in a)


def check_trace(library, program, path):
    names = subprocess.run([program, "info", path, "--json", "-q"], capture_output=True, check=False).stdout
    trace, batches = library.read(path), {}
    tables = ["slice", "counter", "track", "thread", "process", "args", "flow", "metadata", "stats", "clock_snapshot"]
    together = []
    lenders = [threading.Thread(target=lambda: together.append([library.batch(trace, name) for name in tables])) for _ in range(3)]
    for t in lenders:
        t.start()
    for t in lenders:
        t.join()
    check(f"{path}: three threads lend alike", len(together) == 3 and all(a.equals(b) for one in together for a, b in zip(one, together[0])))
    tables += [t["name"] for t in json.loads(names).get("tables", []) if t.get("rows")] if names else []
    for name in dict.fromkeys(tables):
        try:
            batches[name] = library.batch(trace, name)
        except RuntimeError as error:
            check(f"{path}: {name} is not there", "no table" in str(error), error)
    library.c.pf_trace_free(trace)
    for name, batch in batches.items():
        listed = ",".join(f'"{c}"' for c in batch.schema.names)
        want = query(program, path, f"SELECT {listed} FROM {'__intrinsic_track' if name == 'track' else name}")
        got = [list(row) for row in zip(*(c.to_pylist() for c in batch.columns))]
        if want is not None:
            first = next(((a, b) for a, b in zip(got, want) if not all(map(equal, a, b))), (len(got), len(want)))
            check(f"{path}: {name}", len(got) == len(want) and all(all(map(equal, a, b)) for a, b in zip(got, want)), *first)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("library")
    p.add_argument("program")
    p.add_argument("corpus", nargs="?")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--count", type=int, default=12)
    p.add_argument("--rows", type=int, default=2_000_000)
    a = p.parse_args()
    seed = random.SystemRandom().randrange(1 << 31) if a.seed is None else a.seed
    print(f"seed {seed}", flush=True)
    r, library, program = random.Random(seed), Library(os.path.abspath(a.library)), os.path.abspath(a.program)
    for number in range(3 * a.count):
        check_random(library, r, number)
    check_life(library, r)
    check_large(library, a.rows)
    gc.collect()
    found = sorted(f for f in glob.glob(os.path.join(a.corpus or "", "**", "*"), recursive=True)
                   if re.search(r"(trace|source)\.(json|json\.gz|pftrace|pftrace\.gz)$", f) and os.path.getsize(f) < 1_000_000) if a.corpus else []
    for path in found if os.environ.get("POSTFETTO_LONG") == "1" else r.sample(found, min(a.count, len(found))):
        if query(program, path, "SELECT 1") is not None:
            check_trace(library, program, path)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
