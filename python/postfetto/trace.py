"""Traces: read, asked, converted, cut."""
from __future__ import annotations

import ctypes
import html
import os
import tempfile
import typing

from . import _abi
from ._library import InputError, Progress, UsageError, Work, c, call, path_bytes, write_options
from ._tables import Table, table_of_query, table_of_structs

Source = typing.Union[str, "os.PathLike[str]", bytes, typing.BinaryIO]
_LIMITS = {field[0] for field in _abi.pf_limits._fields_} - {"reserved", "hash_seed"}


class Trace:
    """A trace in memory. Its tables are those of Perfetto's trace processor: `t.slices`, `t.counters`, `t.table("args")`.

    Times are in nanoseconds (in cycles where the trace has no clock: `t.time_unit`). The memory goes when the trace and
    all tables and arrays of it are gone; `t.close()`, or the end of a `with`, gives it back earlier.
    """

    def __init__(self, handle: typing.Any, again: typing.Callable[[], typing.Any] | None = None) -> None:
        self._handle = handle
        self._again = again  # reads it anew with all that is needed to write it
        self._session: typing.Any = None

    def close(self) -> None:
        """Gives the memory back; tables and arrays that are still held keep theirs."""
        if self._session:
            c.pf_query_free(self._session)
        if self._handle:
            c.pf_trace_free(self._handle)
        self._session = self._handle = None

    __del__ = close

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def handle(self) -> typing.Any:
        if not self._handle:
            raise ValueError("the trace is closed")
        return self._handle

    # ---- what it is

    @property
    def dialect(self) -> str:
        """Who wrote it: "torch", "aie", "perfetto", ..."""
        return typing.cast(str, c.pf_trace_dialect(self.handle).decode())

    @property
    def time_unit(self) -> str:
        """"ns", or "cycle"."""
        return "ns" if c.pf_trace_time_unit(self.handle) == _abi.PF_UNIT_NS else "cycle"

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last time."""
        start, end = ctypes.c_int64(), ctypes.c_int64()
        c.pf_trace_bounds(self.handle, ctypes.byref(start), ctypes.byref(end))
        return start.value, end.value

    @property
    def damage(self) -> dict[str, int]:
        """What was lost while reading: the name of each fault that happened, as in table `stats`, and how often."""
        out = {}
        for i in range(c.pf_trace_stat_count(self.handle)):
            stat = _abi.pf_stat()
            c.pf_trace_stat_get(self.handle, i, ctypes.byref(stat), ctypes.sizeof(stat))
            if stat.loss and stat.count:
                out[stat.name.decode()] = stat.count
        return out

    # ---- tables

    def table(self, name: str) -> Table:
        """A table by its name in SQL: "slice", "counter", "thread", "args", or one of a reader's own."""
        return table_of_structs(name, "pf_table_arrow", self.handle, name.encode())

    slices = property(lambda self: self.table("slice"), doc="Table slice: ts and dur in ns, name, category, depth, ...")
    counters = property(lambda self: self.table("counter"), doc="Table counter: ts in ns, track_id, value.")
    threads = property(lambda self: self.table("thread"), doc="Table thread: utid, tid, name, upid.")
    processes = property(lambda self: self.table("process"), doc="Table process: upid, pid, name.")
    tracks = property(lambda self: self.table("__intrinsic_track"), doc="All tracks: id, name, type, parent_id.")
    flows = property(lambda self: self.table("flow"), doc="Table flow: slice_out, slice_in.")
    args = property(lambda self: self.table("args"), doc="Table args: arg_set_id, key, values by type.")

    def query(self, sql: str) -> Table:
        """The rows of an SQL statement (of several: of the last that returns any), with Perfetto's table names.

        Temporary tables and views stay until the trace is closed. UsageError says what is wrong with a statement.
        """
        if not self._session:
            session = ctypes.POINTER(_abi.pf_query)()
            call("pf_query_open", self.handle, ctypes.byref(session))
            self._session = session
        return table_of_query(self._session, sql)

    # ---- files

    def convert(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace as the ending says: .pftrace, .json, .sqlite, .perfetto.tar (each but the last two with .gz,
        too), or into a folder of Parquet or Arrow files where it ends in .parquet/ or .arrow/."""
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
        """The same trace, with all that a file of it needs: read again where it was read for its tables alone."""
        return Trace(self._again()) if self._again else _Borrowed(self)

    def analyze(self, name: str, **options: typing.Any) -> typing.Any:
        """Runs a pass on it; see `postfetto.analyze`."""
        from .passes import run
        return run(name, [], self, options)

    def annotate(self) -> typing.Any:
        """A set of tracks to be drawn into the trace; see `postfetto.build.Annotations`."""
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
        return b"/proc/self/fd/%d" % spool.fileno()

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


# ---- smaller traces


class Cut(typing.NamedTuple):
    """What a cut did. Times in ns, None: without a limit."""

    start: int | None
    end: int | None
    packets: int
    kept: int
    changed: int
    added: int
    begun: int
    ended: int
    bytes_in: int
    bytes_out: int


def _patterns(kept: list[typing.Any], keep: typing.Sequence[str], drop: typing.Sequence[str]) -> typing.Any:
    lists = [(ctypes.c_char_p * len(names))(*(n.encode() for n in names)) for names in (keep, drop)]
    kept.extend(lists)
    return _abi.pf_edit_patterns(lists[0], len(keep), lists[1], len(drop))


def cut(source: str | os.PathLike[str], output: str | os.PathLike[str], *, start: str | int | None = None, end: str | int | None = None,
        process: typing.Sequence[str] = (), thread: typing.Sequence[str] = (), track: typing.Sequence[str] = (),
        category: typing.Sequence[str] = (), drop: typing.Mapping[str, typing.Sequence[str]] | None = None, min_dur: int = 0,
        redact: typing.Sequence[str] = (), redact_key: bytes | None = None, keep: typing.Sequence[str] = (), progress: Progress = None) -> Cut:
    """Writes the part of a trace in the window [start, end), or of some processes, threads, tracks or categories.

    start, end: ns, or text: "1.5s", "+2s" from the start of the trace, "-500ms" before its end. process and the like:
    names, numbers or patterns; drop: {"process": [...]} the same to leave out. min_dur: in ns. redact: of "names",
    "args", "paths", hashed with redact_key (16 bytes or more; None: a random one) but for texts that fit `keep`.
    """
    held: list[typing.Any] = []
    work = Work(progress, "cutting")
    o, result = _abi.pf_cut_options(), _abi.pf_cut_result()
    c.pf_cut_options_init(ctypes.byref(o), ctypes.sizeof(o))
    result.size = ctypes.sizeof(result)
    for name, value in (("from_", start), ("to", end)):
        if value is not None:
            time = _abi.pf_edit_time()
            call("pf_edit_time_parse", str(value).encode(), ctypes.byref(time))
            setattr(o, name, time)
    for name, names in (("process", process), ("thread", thread), ("track", track), ("category", category)):
        setattr(o, name, _patterns(held, names, (drop or {}).get(name, ())))
    o.min_dur = min_dur
    reading, writing = read_options(work, None, None, False), write_options(work)
    o.read, o.write = ctypes.pointer(reading), ctypes.pointer(writing)
    if redact:
        hashing = _abi.pf_redact_options()
        hashing.what = sum({"names": _abi.PF_REDACT_NAMES, "args": _abi.PF_REDACT_ARGS, "paths": _abi.PF_REDACT_PATHS}[w] for w in redact)
        if redact_key is not None:
            hashing.key = _abi.pf_bytes((ctypes.c_uint8 * len(redact_key))(*redact_key), len(redact_key))
        words = (ctypes.c_char_p * len(keep))(*(k.encode() for k in keep))
        hashing.keep, hashing.keep_count = words, len(keep)
        held.append(words)
        o.redact = ctypes.pointer(hashing)
    work.call("pf_cut", path_bytes(source), path_bytes(output), ctypes.byref(o), ctypes.byref(result))
    c.pf_trace_free(result.input)
    first, last = (None if abs(v) >= 2**63 - 1 else v for v in (result.from_, result.to))
    return Cut(first, last, result.packets, result.kept, result.changed, result.added, result.begun, result.ended, result.bytes_in, result.bytes)
