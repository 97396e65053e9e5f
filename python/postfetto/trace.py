"""Traces: read, asked, converted."""
from __future__ import annotations

import ctypes
import html
import os
import tempfile
import typing

from . import _abi
from ._library import SPOOL, InputError, Progress, UsageError, Work, c, call, path_bytes, write_options
from ._tables import Table, table_of_query, table_of_structs

Source = typing.Union[str, "os.PathLike[str]", bytes, typing.BinaryIO]
_LIMITS = {field[0] for field in _abi.pf_limits._fields_} - {"reserved", "hash_seed"}


class Trace:
    """A trace in memory. Its tables are those of Perfetto's trace processor: `t.slices`, `t.counters`, `t.table("args")`.

    Times are in nanoseconds (in cycles where the trace has no clock: `t.time_unit`). The memory goes when the trace and
    all tables and arrays of it are gone; `t.close()`, or the end of a `with`, gives it back earlier.

    >>> t = read(b'[{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"batch": 32}},'
    ...          b' {"ph": "C", "name": "power", "pid": 1, "ts": 6, "args": {"W": 90}}]')
    >>> t
    <postfetto trace: chrome-json, 1 slices>
    """

    def __init__(self, handle: typing.Any, again: typing.Callable[[], typing.Any] | None = None) -> None:
        self._handle = handle
        self._again = again  # reads it anew with all that is needed to write it
        self._session: typing.Any = None
        self._packages: set[tuple[bytes, bytes | None]] = set()

    def close(self) -> None:
        """Gives the memory back; tables and arrays that are still held keep theirs.

        >>> short = read(b"[]")
        >>> short.close()
        >>> short
        <postfetto trace, closed>
        """
        if self._session:
            c.pf_query_free(self._session)
        if self._handle:
            c.pf_trace_free(self._handle)
        self._session = self._handle = None
        self._packages.clear()

    __del__ = close

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def handle(self) -> typing.Any:
        """The `pf_trace *` of the C library, the trace's own; ValueError where the trace is closed.

        >>> bool(t.handle)
        True
        """
        if not self._handle:
            raise ValueError("the trace is closed")
        return self._handle

    # ---- what it is

    @property
    def dialect(self) -> str:
        """Who wrote it: "torch", "aie", "perfetto", ...

        >>> t.dialect
        'chrome-json'
        """
        return typing.cast(str, c.pf_trace_dialect(self.handle).decode())

    @property
    def time_unit(self) -> str:
        """"ns", or "cycle".

        >>> t.time_unit
        'ns'
        """
        return "ns" if c.pf_trace_time_unit(self.handle) == _abi.PF_UNIT_NS else "cycle"

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last time, in `time_unit`.

        >>> t.bounds
        (5000, 7000)
        """
        start, end = ctypes.c_int64(), ctypes.c_int64()
        c.pf_trace_bounds(self.handle, ctypes.byref(start), ctypes.byref(end))
        return start.value, end.value

    @property
    def damage(self) -> dict[str, int]:
        """What was lost while reading: the name of each fault that happened, as in table `stats`, and how often.

        >>> read(b'[{"ph": "X", "na').damage
        {'postfetto_json_truncated': 1}
        """
        out = {}
        for i in range(c.pf_trace_stat_count(self.handle)):
            stat = _abi.pf_stat()
            c.pf_trace_stat_get(self.handle, i, ctypes.byref(stat), ctypes.sizeof(stat))
            if stat.loss and stat.count:
                out[stat.name.decode()] = stat.count
        return out

    # ---- tables

    def table(self, name: str) -> Table:
        """A table by its name in SQL: "slice", "counter", "thread", "args", or one of a reader's own. Times in ns.

        >>> t.table("counter")["value"].tolist()
        [90.0]
        """
        return table_of_structs(name, "pf_table_arrow", self.handle, name.encode())

    slices = property(lambda self: self.table("slice"), doc="""Table slice: ts and dur in ns, name, category, depth, ...

        >>> t.slices["dur"].tolist()
        [2000]
        """)
    counters = property(lambda self: self.table("counter"), doc="""Table counter: ts in ns, track_id, value.

        >>> t.counters["ts"].tolist(), t.counters["value"].tolist()
        ([6000], [90.0])
        """)
    threads = property(lambda self: self.table("thread"), doc="""Table thread: utid, tid, name, upid.

        >>> t.threads["tid"].tolist()
        [0, 1]
        """)
    processes = property(lambda self: self.table("process"), doc="""Table process: upid, pid, name.

        >>> t.processes["pid"].tolist()
        [0, 1]
        """)
    tracks = property(lambda self: self.table("__intrinsic_track"), doc="""All tracks: id, name, type, parent_id.

        >>> "power W" in t.tracks["name"].tolist()
        True
        """)
    flows = property(lambda self: self.table("flow"), doc="""Table flow: slice_out, slice_in.

        >>> len(t.flows)
        0
        """)
    args = property(lambda self: self.table("args"), doc="""Table args: arg_set_id, key, values by type.

        >>> [(row["key"], row["int_value"]) for row in t.args.arrow().to_pylist() if row["int_value"] == 32]
        [('args.batch', 32)]
        """)

    def _open_session(self) -> typing.Any:
        if not self._session:
            session = ctypes.POINTER(_abi.pf_query)()
            call("pf_query_open", self.handle, ctypes.byref(session))
            self._session = session
        return self._session

    def add_sql_package(self, folder: str | os.PathLike[str], name: str | None = None) -> None:
        """Adds the files below a folder as modules for INCLUDE PERFETTO MODULE: a/b.sql is NAME.a.b.

        name: None for that of the folder. A package that was added already is no error; UsageError where another one has the name.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp(), "mine")
        >>> folder.mkdir()
        >>> _ = (folder / "long.sql").write_text("CREATE PERFETTO VIEW long AS SELECT * FROM slice WHERE dur > 1000;")
        >>> t = read(b'[{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]')
        >>> t.add_sql_package(folder)
        >>> t.query("INCLUDE PERFETTO MODULE mine.long; SELECT name FROM long")["name"].tolist()
        ['work']
        """
        key = (path_bytes(folder), name.encode() if name is not None else None)
        if key not in self._packages:
            call("pf_query_add_package", self._open_session(), *key)
            self._packages.add(key)

    def add_sql_library(self, folder: str | os.PathLike[str]) -> None:
        """Adds each folder in `folder` as a package of its name: Perfetto's own modules, of which most are not built in.

        >>> import pathlib, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> pathlib.Path(folder, "ours").mkdir()
        >>> _ = pathlib.Path(folder, "ours", "all.sql").write_text("CREATE PERFETTO VIEW everything AS SELECT * FROM slice;")
        >>> t.add_sql_library(folder)
        >>> len(t.query("INCLUDE PERFETTO MODULE ours.all; SELECT * FROM everything"))
        1
        """
        call("pf_query_add_library", self._open_session(), path_bytes(folder))

    def query(self, sql: str, *, packages: typing.Sequence[str | os.PathLike[str] | tuple[str | os.PathLike[str], str]] = ()) -> Table:
        """The rows of an SQL statement (of several: of the last that returns any), with Perfetto's table names.

        packages: folders, or (folder, name), as for `add_sql_package`. Temporary tables and views stay until the trace is
        closed. UsageError says what is wrong with a statement.

        >>> list(t.query("SELECT name, dur FROM slice").rows())
        [('work', 2000)]
        """
        for package in packages:
            self.add_sql_package(*(package if isinstance(package, tuple) else (package,)))
        return table_of_query(self._open_session(), sql)

    # ---- files

    def convert(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace as the ending says: .pftrace, .json, .sqlite, .perfetto.tar (each but the last two with .gz,
        too), or into a folder of Parquet or Arrow files where it ends in .parquet/ or .arrow/.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/out.pftrace"
        >>> read(b'[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]').convert(path)
        >>> read(path).slices["dur"].tolist()
        [2000]
        """
        name, work = os.fspath(path), Work()
        o = write_options(work)
        plain = name[:-3] if name.endswith(".gz") else name
        where = path_bytes(name.rstrip("/"))
        if name.endswith((".parquet/", ".arrow/")):
            form = _abi.PF_TABLES_PARQUET if name.endswith(".parquet/") else _abi.PF_TABLES_ARROW
            work.call("pf_export_tables", self.handle, form, where, None, ctypes.byref(o))
        elif name.endswith(".sqlite"):
            work.call("pf_export_sqlite", self.handle, where, ctypes.byref(o))
        elif name.endswith(".perfetto.tar"):
            work.call("pf_export_archive", self.handle, where, None, ctypes.byref(o))
        elif plain.endswith((".json", ".pftrace", ".perfetto-trace")):
            writer = "pf_convert_json" if plain.endswith(".json") else "pf_convert_pftrace"
            with self.writable() as whole:
                work.call(writer, whole.handle, where, ctypes.byref(o))
        else:
            raise UsageError("has an ending that no format has: .pftrace, .json, .sqlite, .perfetto.tar, .parquet/, .arrow/", name)

    def writable(self) -> Trace:
        """The same trace, with all that a file of it needs: read again where it was read for its tables alone.

        >>> with t.writable() as whole:
        ...     len(whole.slices)
        1
        """
        return Trace(self._again()) if self._again else _Borrowed(self)

    def analyze(self, name: str, **options: typing.Any) -> typing.Any:
        """Runs a pass on it; see `postfetto.analyze`.

        >>> kernel = read(b'[{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 3, "args": {"device": 0, "stream": 7}}]')
        >>> kernel.analyze("gpu")["gpu_kernels"]["total_ns"].tolist()
        [3000]
        """
        from .passes import run
        return run(name, [], self, options)

    def annotate(self) -> typing.Any:
        """A set of tracks to be drawn into the trace; see `postfetto.build.Annotations`.

        >>> drawn = t.annotate()
        >>> drawn.instants(drawn.track("findings"), ts=[6000], name="here")
        """
        from .build import Annotations
        return Annotations(self)

    # ---- for people

    def __repr__(self) -> str:
        return f"<postfetto trace: {self.dialect}, {len(self.slices)} slices>" if self._handle else "<postfetto trace, closed>"

    def _repr_html_(self) -> str:
        start, end = self.bounds
        facts = {"dialect": self.dialect, "length": f"{(end - start) / 1e9:.6g} s" if self.time_unit == "ns" else f"{end - start} cycles"}
        facts |= {name: str(len(getattr(self, name))) for name in ("slices", "counters", "flows", "threads", "processes")}
        facts |= {f"damage: {name}": str(count) for name, count in self.damage.items()}
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in facts.items())
        return f"<table><caption>trace</caption>{rows}</table>"


class _Borrowed(Trace):
    """A trace whose handle belongs to another one."""

    def __init__(self, of: Trace) -> None:
        super().__init__(of.handle)
        self._of = of

    def close(self) -> None:
        self._handle = None

    __del__ = close


# ---- reading


class _Files:
    """Inputs as paths; what is no path lies in a file without a name as long as this lives."""

    def __init__(self, sources: typing.Sequence[Source]) -> None:
        self.held: list[typing.Any] = []
        self.paths = [self._path(s) for s in sources]

    def _path(self, source: Source) -> bytes:
        if isinstance(source, (str, os.PathLike)):
            return path_bytes(source)
        spool = tempfile.TemporaryFile()
        self.held.append(spool)
        if isinstance(source, (bytes, bytearray, memoryview)):
            spool.write(source)
        else:
            while piece := source.read(1 << 20):
                spool.write(piece)
        spool.flush()
        return b"%s%d" % (SPOOL.encode(), spool.fileno())

    def array(self) -> typing.Any:
        return (ctypes.c_char_p * len(self.paths))(*self.paths)


def traces_in(folder: bytes) -> list[bytes]:
    """The traces in a folder, as the endings of their names say, sorted."""
    endings = tuple(e + p for e in (b".json", b".pftrace", b".perfetto-trace") for p in (b"", b".gz", b".zst"))
    return sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(endings) and not n.startswith(b"."))


def read_options(work: Work, limits: typing.Mapping[str, int] | None, dialect: str | None, strict: bool) -> typing.Any:
    o = _abi.pf_read_options()
    c.pf_read_options_init(ctypes.byref(o), ctypes.sizeof(o))
    for name, value in (limits or {}).items():
        if name not in _LIMITS:
            raise UsageError(f"there is no limit {name!r}; there are {', '.join(sorted(_LIMITS))}")
        setattr(o.limits, name, value)
    o.dialect = dialect.encode() if dialect else None
    o.strict = strict
    o.cancel = work.cancel
    if work.progress:
        o.progress = work.progress
    return o


def read(*sources: Source | typing.Sequence[Source], limits: typing.Mapping[str, int] | None = None, dialect: str | None = None,
         strict: bool = False, progress: Progress = None) -> Trace:
    """Reads one trace, or several into one.

    sources: paths, folders of traces, patterns, bytes, or binary files. limits: by name, in bytes or rows, as the flags
    of the command: {"memory": 2 << 30}. dialect: who wrote it, where that cannot be recognised. strict: damage is an
    error; else it is counted (`Trace.damage`). progress: True for a bar of tqdm, or a function like tqdm.

    >>> t = read(b'[{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]')
    >>> list(t.slices["name"]), int(t.slices["dur"][0])
    (['work'], 2000)
    """
    flat: list[Source] = []
    for s in sources:
        if isinstance(s, (list, tuple)):
            flat.extend(s)
        else:
            flat.append(typing.cast(Source, s))
    if not flat:
        raise UsageError("there is nothing to read")
    files = _Files(flat)

    def load(want: int) -> typing.Any:
        work = Work(progress, "reading")
        o = read_options(work, limits, dialect, strict)
        o.want = want
        handle = ctypes.POINTER(_abi.pf_trace)()
        work.call("pf_read", files.array(), len(files.paths), ctypes.byref(o), ctypes.byref(handle))
        return handle

    try:
        handle = load(_abi.PF_WANT_TABLES)
    except InputError as e:
        folder = os.fsencode(e.path or "")
        inside = traces_in(folder) if os.path.isdir(folder) else []
        if not inside:
            raise
        files.paths = [p for given in files.paths for p in (traces_in(given) if os.path.isdir(given) else [given])]
        handle = load(_abi.PF_WANT_TABLES)
    return Trace(handle, lambda: load(_abi.PF_WANT_TO_WRITE))
