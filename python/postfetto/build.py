"""Making traces: new ones, and tracks drawn into others, from arrays."""
from __future__ import annotations

import array
import ctypes
import os
import typing

from . import _abi
from ._library import UsageError, Work, c, call, path_bytes, text, write_options
from .trace import Trace

_NONE = 2**32 - 1  # PF_NONE

Numbers = typing.Sequence[typing.Union[int, float]]
Names = typing.Union[str, typing.Sequence[str]]
Args = typing.Mapping[str, typing.Sequence[typing.Any]]


def _plain(values: typing.Any) -> typing.Sequence[typing.Any]:
    """Python's own numbers of a list or an array of NumPy."""
    return typing.cast("typing.Sequence[typing.Any]", values.tolist() if hasattr(values, "tolist") else values)


class _Memory:
    """Values of one type in a row, as C sees them: of a list, or of an array of NumPy, which is copied only where it has to be."""

    def __init__(self, values: typing.Any, code: str, dtype: str) -> None:
        if hasattr(values, "dtype"):
            import numpy
            self.held: typing.Any = numpy.ascontiguousarray(values, dtype)
            self.address = self.held.ctypes.data
        else:
            self.held = array.array(code, values)
            self.address = self.held.buffer_info()[0]

    def pointer(self, kind: typing.Any) -> typing.Any:
        return ctypes.cast(self.address, ctypes.POINTER(kind))


def _times(values: typing.Any) -> _Memory:
    whole = values if hasattr(values, "dtype") or all(type(v) is int for v in values) else [int(v) for v in values]
    return _Memory(whole, "q", "int64")


class _Column:
    """A column as C takes it, or `none` where its values are of several types."""

    def __init__(self, values: typing.Any) -> None:
        self.of = _abi.pf_build_values()
        kind = values.dtype.kind if hasattr(values, "dtype") else ""
        if kind in ("U", "O", "S"):
            values, kind = values.tolist(), ""
        if not kind:
            types = set(map(type, values))
            kind = "i" if types == {int} else "f" if types == {float} else "b" if types == {bool} else "U" if types <= {str, type(None)} else ""
        forms = {"i": ("q", "int64", _abi.PF_VALUE_INT), "u": ("q", "int64", _abi.PF_VALUE_INT), "f": ("d", "float64", _abi.PF_VALUE_REAL),
                 "b": ("B", "uint8", _abi.PF_VALUE_BOOL)}
        self.none = kind not in forms and kind != "U" or kind == "u" and values.dtype.itemsize == 8
        if kind == "U":
            places: dict[str | None, int] = {word: i for i, word in enumerate(w for w in dict.fromkeys(values) if w is not None)}
            texts = (_abi.pf_str * len(places))(*map(text, places))
            self.memory = _Memory(map({**places, None: _NONE}.__getitem__, values), "I", "uint32")
            self.of = _abi.pf_build_values(_abi.PF_VALUE_STRING, self.memory.address, texts, len(places))
        elif not self.none:
            code, dtype, number = forms[kind]
            self.memory = _Memory(values, code, dtype)
            self.of = _abi.pf_build_values(number, self.memory.address, None, 0)


def _equal_lengths(count: int, columns: typing.Mapping[str, typing.Sequence[typing.Any]]) -> None:
    for name, column in columns.items():
        if len(column) != count:
            raise UsageError(f"{name} has {len(column)} values, ts has {count}")


def _rows(ts: Numbers, dur: Numbers | None, names: Names, args: Args | None) -> typing.Iterator[tuple[typing.Any, ...]]:
    times = _plain(ts)
    lengths = _plain(dur) if dur is not None else [None] * len(times)
    words = [names] * len(times) if isinstance(names, str) else _plain(names)
    values = {key: _plain(column) for key, column in (args or {}).items()}
    _equal_lengths(len(times), {"dur": lengths, "name": words, **values})
    for i, (at, length, word) in enumerate(zip(times, lengths, words)):
        yield int(at), length if length is None else int(length), word, [(k, v[i]) for k, v in values.items()]


def _table(ts: Numbers, dur: Numbers | None, name: Names, args: Args | None, category: str | None = None) -> typing.Any:
    """Rows as C takes them all at once, or None where a column has values of several types. Holds what it points at."""
    names = None if isinstance(name, str) else _Column(name)
    columns = {key: _Column(values) for key, values in (args or {}).items()}
    if any(column.none for column in columns.values()) or (names and names.of.type != _abi.PF_VALUE_STRING):
        return None
    _equal_lengths(len(ts), {**({} if dur is None else {"dur": dur}), **({} if isinstance(name, str) else {"name": name}), **(args or {})})
    times, lengths = _times(ts), None if dur is None else _times(dur)
    given = (_abi.pf_build_column * len(columns))(*(_abi.pf_build_column(text(key), column.of) for key, column in columns.items()))
    rows = _abi.pf_build_rows(len(ts), times.pointer(ctypes.c_int64), lengths.pointer(ctypes.c_int64) if lengths else None,
                              text(None if names else typing.cast(str, name)), ctypes.pointer(names.of) if names else None, text(category),
                              given, len(given))
    rows.held = (times, lengths, names, columns)
    return rows


class Builder:
    """A new trace, from arrays: processes, threads, tracks, slices, counters.

    >>> b = Builder()
    >>> step = b.track("steps", process=b.process(1, "trainer"))
    >>> b.slices(step, ts=[1000, 2000], dur=[500, 400], name="forward", args={"batch": [32, 32]})
    >>> power = b.counter("power", ts=[1000, 2000], values=[90.5, 120.0], unit="W")
    >>> len(b.finish().slices)
    2
    """

    def __init__(self) -> None:
        self._b = c.pf_builder_new(None)
        if not self._b:
            raise MemoryError("the system refused memory")

    def __del__(self) -> None:
        if getattr(self, "_b", None):
            c.pf_builder_free(self._b)
            self._b = None

    def process(self, pid: int, name: str | None = None) -> int:
        """The process with that pid, made if there is none; returns its upid.

        >>> b = Builder()
        >>> b.process(7, "trainer") == b.process(7)
        True
        """
        return typing.cast(int, c.pf_build_process(self._b, pid, text(name)))

    def thread(self, process: int, tid: int, name: str | None = None) -> int:
        """The thread of a process; returns its utid.

        >>> b = Builder()
        >>> worker = b.thread(b.process(7), 70, "worker")
        >>> b.finish().query("SELECT tid FROM thread WHERE name = 'worker'")["tid"].tolist()
        [70]
        """
        return typing.cast(int, c.pf_build_thread(self._b, process, tid, text(name)))

    def track(self, name: str, *, process: int | None = None, thread: int | None = None, parent: int | None = None, unit: str | None = None,
              counter: bool = False, description: str | None = None, rank: int = 0) -> int:
        """A new track, global or of a process, a thread or below another track; returns its number.

        >>> b = Builder()
        >>> queue = b.track("queue", parent=b.track("device"))
        >>> b.instants(queue, ts=[1000], name="submit")
        >>> b.finish().query("SELECT p.name FROM track t JOIN track p ON t.parent_id = p.id")["name"].tolist()
        ['device']
        """
        owners = [(_abi.PF_BUILD_PROCESS, process), (_abi.PF_BUILD_THREAD, thread), (_abi.PF_BUILD_TRACK, parent)]
        of, owner = next(((kind, n) for kind, n in owners if n is not None), (_abi.PF_BUILD_GLOBAL, 0))
        row = _abi.pf_build_track_row(of, owner, counter, text(name), text(unit), text(description), rank)
        return typing.cast(int, c.pf_build_track(self._b, ctypes.byref(row)))

    def slices(self, track: int, ts: Numbers, dur: Numbers, name: Names, *, args: Args | None = None, category: str | None = None) -> None:
        """Slices of a track: ts and dur in ns, one name for all or one each, arguments as columns.

        Lists or arrays of NumPy. Columns of one type (int, float, bool, str) go to the library as they are, all rows in one call.

        >>> b = Builder()
        >>> b.slices(b.track("steps"), ts=[1000, 2000], dur=[500, 400], name=["forward", "backward"])
        >>> list(b.finish().query("SELECT name, dur FROM slice").rows())
        [('forward', 500), ('backward', 400)]
        """
        self._events(track, ts, dur, name, args, category)

    def instants(self, track: int, ts: Numbers, name: Names, *, args: Args | None = None, category: str | None = None) -> None:
        """Events without a duration, at times in ns.

        >>> b = Builder()
        >>> b.instants(b.track("marks"), ts=[1000, 2000], name="epoch", args={"loss": [0.5, 0.25]})
        >>> b.finish().slices["dur"].tolist()
        [0, 0]
        """
        self._events(track, ts, None, name, args, category)

    def counter(self, name: str, ts: Numbers, values: Numbers, **track: typing.Any) -> int:
        """A counter track with these values, at times in ns; the keywords of `track`. Returns its number.

        >>> b = Builder()
        >>> power = b.counter("power", ts=[1000, 2000], values=[90.5, 120.0], unit="W")
        >>> b.finish().counters["value"].tolist()
        [90.5, 120.0]
        """
        _equal_lengths(len(ts), {"values": values})
        row = self.track(name, counter=True, **track)
        times, samples = _times(ts), _Memory(values, "d", "float64")
        c.pf_build_samples(self._b, row, len(ts), times.pointer(ctypes.c_int64), samples.pointer(ctypes.c_double))
        self._check()
        return row

    def _events(self, track: int, ts: Numbers, dur: Numbers | None, name: Names, args: Args | None, category: str | None) -> None:
        rows = _table(ts, dur, name, args, category)
        if rows is not None:
            c.pf_build_slices(self._b, track, ctypes.byref(rows))
            self._check()
            return
        for at, length, word, values in _rows(ts, dur, name, args):
            if length is None:
                c.pf_build_instant(self._b, track, at, text(word))
            else:
                c.pf_build_slice(self._b, track, at, length, text(word))
            self._describe(category, values)
        self._check()

    def _describe(self, category: str | None, values: list[tuple[str, typing.Any]]) -> None:
        if category is not None:
            c.pf_build_category(self._b, text(category))
        for key, value in values:
            if value is None:
                c.pf_build_arg_null(self._b, text(key))
            elif isinstance(value, bool):
                c.pf_build_arg_bool(self._b, text(key), value)
            elif isinstance(value, int):
                c.pf_build_arg_int(self._b, text(key), value)
            elif isinstance(value, float):
                c.pf_build_arg_real(self._b, text(key), value)
            else:
                c.pf_build_arg_text(self._b, text(key), text(str(value)))

    def _check(self) -> None:
        call("pf_builder_status", self._b)

    def finish(self) -> Trace:
        """The trace; nothing can be added any more.

        >>> len(Builder().finish().slices)
        0
        """
        handle = ctypes.POINTER(_abi.pf_trace)()
        call("pf_builder_finish", self._b, ctypes.byref(handle))
        return Trace(handle)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Finishes the trace and writes it, as `Trace.convert` does.

        >>> import os, tempfile
        >>> path = tempfile.mkdtemp() + "/out.pftrace"
        >>> Builder().write(path)
        >>> os.path.exists(path)
        True
        """
        self.finish().convert(path)


class Annotations:
    """Tracks to be drawn into a trace: its own bytes stay as they are, and these are added. Times are in the trace's unit.

    >>> import postfetto, tempfile
    >>> t = postfetto.read(b'[{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]')
    >>> a = t.annotate()
    >>> a.slices(a.track("findings"), ts=[5000], dur=[2000], name="slow")
    >>> path = tempfile.mkdtemp() + "/out.pftrace"
    >>> a.write(path)
    >>> postfetto.read(path).slices["name"].tolist()
    ['work', 'slow']
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._f = c.pf_findings_new(None)
        if not self._f:
            raise MemoryError("the system refused memory")

    def __del__(self) -> None:
        if getattr(self, "_f", None):
            c.pf_findings_free(self._f)
            self._f = None

    def track(self, name: str, *, parent: int | None = None, process: int | None = None, thread: int | None = None, unit: str | None = None,
              description: str | None = None, rank: int = 0) -> int:
        """A track below another one, or below a process (upid) or thread (utid) of the trace; returns its number. With a
        unit it is a counter.

        >>> a = t.annotate()
        >>> a.slices(a.track("stalls", parent=a.track("findings")), ts=[5000], dur=[1000], name="stall")
        >>> a.write(path)
        >>> postfetto.read(path).query("SELECT p.name FROM track t JOIN track p ON t.parent_id = p.id WHERE t.name = 'stalls'")["name"].tolist()
        ['findings']
        """
        kind = _abi.PF_OVERLAY_COUNTER if unit is not None else _abi.PF_OVERLAY_SLICES
        anchors = [(_abi.PF_ANCHOR_PROCESS, process), (_abi.PF_ANCHOR_THREAD, thread)]
        anchor, number = next(((a, n) for a, n in anchors if n is not None), (_abi.PF_ANCHOR_GLOBAL, 0))
        row = _abi.pf_overlay_track(kind, _NONE if parent is None else parent, anchor, number, text(name), text(description), text(unit), rank)
        made = typing.cast(int, c.pf_overlay_add_track(self._f, ctypes.byref(row)))
        self._check()
        return made

    def slices(self, track: int, ts: Numbers, dur: Numbers, name: Names, *, args: Args | None = None) -> None:
        """Slices, which nest or are apart; in the trace's unit of time.

        >>> a = t.annotate()
        >>> a.slices(a.track("stalls"), ts=[5000, 6000], dur=[500, 500], name="stall", args={"bytes": [64, 128]})
        >>> a.write(path)
        >>> postfetto.read(path).query("SELECT ts FROM slice WHERE name = 'stall'")["ts"].tolist()
        [5000, 6000]
        """
        self._events(track, ts, dur, name, args)

    def instants(self, track: int, ts: Numbers, name: Names, *, args: Args | None = None) -> None:
        """Events without a duration, in the trace's unit of time.

        >>> a = t.annotate()
        >>> a.instants(a.track("marks"), ts=[5000], name="first")
        >>> a.write(path)
        >>> postfetto.read(path).query("SELECT dur FROM slice WHERE name = 'first'")["dur"].tolist()
        [0]
        """
        self._events(track, ts, None, name, args)

    def counter(self, name: str, ts: Numbers, values: Numbers, *, unit: str, **track: typing.Any) -> int:
        """A counter track with these values, in `unit`; the keywords of `track`. Returns its number.

        >>> a = t.annotate()
        >>> power = a.counter("power", ts=[5000, 6000], values=[90.5, 120.0], unit="W")
        >>> a.write(path)
        >>> postfetto.read(path).counters["value"].tolist()
        [90.5, 120.0]
        """
        _equal_lengths(len(ts), {"values": values})
        row = self.track(name, unit=unit, **track)
        times, samples = _times(ts), _Memory(values, "d", "float64")
        c.pf_overlay_samples(self._f, row, len(ts), times.pointer(ctypes.c_int64), samples.pointer(ctypes.c_double))
        self._check()
        return row

    def _events(self, track: int, ts: Numbers, dur: Numbers | None, name: Names, args: Args | None) -> None:
        rows = _table(ts, dur, name, args)
        if rows is not None:
            c.pf_overlay_slices(self._f, track, ctypes.byref(rows))
            self._check()
            return
        for at, length, word, values in _rows(ts, dur, name, args):
            if length is None:
                c.pf_overlay_instant(self._f, track, at, text(word))
            else:
                c.pf_overlay_slice(self._f, track, at, length, text(word))
            self._describe(values)
        self._check()

    def _describe(self, values: list[tuple[str, typing.Any]]) -> None:
        for key, value in values:
            if isinstance(value, int):
                c.pf_overlay_arg_int(self._f, text(key), value)
            elif isinstance(value, float):
                c.pf_overlay_arg_real(self._f, text(key), value)
            elif value is not None:
                c.pf_overlay_arg_text(self._f, text(key), text(str(value)))

    def _check(self) -> None:
        call("pf_findings_status", self._f)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace with the tracks drawn in, as a Perfetto trace.

        >>> t.annotate().write(path)
        >>> postfetto.read(path).slices["name"].tolist()
        ['work']
        """
        work = Work()
        o = write_options(work)
        with self._trace.writable() as whole:
            work.call("pf_write_enriched", whole.handle, self._f, path_bytes(path), ctypes.byref(o))
