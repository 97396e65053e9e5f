"""The Arrow C data interface (tests/columns/c_interface runs it).

usage: c_interface.py LIBRARY POSTFETTO CORPUS

pyarrow takes the tables of a trace out of the shared library, after the trace was freed, and the rows are those of `query`. Children
that were moved out of their parent outlive it; what lies in the trace is not copied.
"""
import ctypes
import gc
import glob
import json
import os
import subprocess
import sys

import pyarrow

passed = failed = 0


class Error(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 4096)]  # more than pf_error has


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
                  ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:500] for d in details), sep="\n    ")


def equal(a, b):
    return a == b or (a != a and b is None) or isinstance(a, bytes) or (isinstance(b, str) and "\ufffd" in b)




def main():
    library, program, corpus = ctypes.CDLL(sys.argv[1]), sys.argv[2], sys.argv[3]
    library.pf_trace_free.argtypes = [ctypes.c_void_p]
    library.pf_table_arrow.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Schema), ctypes.POINTER(Array), ctypes.POINTER(Error)]

    def read(path):
        trace, paths = ctypes.c_void_p(), (ctypes.c_char_p * 1)(path.encode())
        assert library.pf_read(paths, ctypes.c_size_t(1), None, ctypes.byref(trace), ctypes.byref(Error())) == 0, path
        return trace

    def take(trace, name):
        schema, array = Schema(), Array()
        code = library.pf_table_arrow(trace, name.encode(), ctypes.byref(schema), ctypes.byref(array), ctypes.byref(Error()))
        return code, schema, array

    sources = sorted(glob.glob(os.path.join(corpus, "archive", "*", "source.*"))) + [os.path.join(corpus, "real", "torch-triton", "trace.json.gz")]
    names = ["slice", "counter", "thread", "process", "track", "__intrinsic_track", "args", "flow", "state", "stats"]
    for source in sources:
        trace, tables = read(source), {}
        for name in names:
            code, schema, array = take(trace, name)
            check(f"{source}: {name}", code == 0)
            tables[name] = pyarrow.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
        library.pf_trace_free(trace)
        for name, batch in tables.items():
            batch.validate(full=True)
            columns = ",".join(f'"{c}"' for c in batch.schema.names)
            sql = f"SELECT {columns} FROM {'__intrinsic_track' if name == 'track' else name}"
            said = subprocess.run([program, "query", source, "-q", "--format", "json", sql], capture_output=True, check=True).stdout
            want = json.loads(said.decode("utf-8", "replace"))["results"][0]["rows"]
            got = [list(r.values()) for r in batch.to_pylist()]
            good = len(got) == len(want) and all(equal(a, b) for r, w in zip(got, want) for a, b in zip(r, w))
            check(f"{source}: rows of {name}", good, len(got), len(want))
    trace = read(sources[0])
    code, schema, array = take(trace, "slice")
    number = [schema.children[i].contents.name for i in range(schema.n_children)].index(b"dur")
    again = take(trace, "slice")[2]
    check("dur is not copied", array.children[number].contents.buffers[1] == again.children[number].contents.buffers[1] != 0)
    again.release(ctypes.byref(again))
    check("released", not again.release)
    moved = Array()
    ctypes.memmove(ctypes.byref(moved), array.children[number], ctypes.sizeof(Array))
    array.children[number].contents.release = Array._fields_[8][1]()
    array.release(ctypes.byref(array))
    library.pf_trace_free(trace)
    one = pyarrow.Array._import_from_c(ctypes.addressof(moved), ctypes.addressof(schema.children[number].contents))
    schema.release(ctypes.byref(schema))
    want = subprocess.run([program, "query", sources[0], "-q", "--format", "json", "SELECT sum(dur) FROM slice"], capture_output=True, check=True)
    total = json.loads(want.stdout)["results"][0]["rows"][0][0]
    check("a child outlives its parent and the trace", sum(one.to_pylist()) == total, total)
    del one
    gc.collect()
    trace = read(sources[0])
    code, schema, array = take(trace, "slize")
    check("an unknown table", code != 0 and not schema.release and not array.release)
    library.pf_trace_free(trace)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
