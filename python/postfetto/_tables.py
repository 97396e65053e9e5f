"""Tables in columns: NumPy views of the library's memory, and the same for every library that speaks Arrow."""
from __future__ import annotations

import ctypes
import html
import typing

from . import _abi
from ._library import c, call

if typing.TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

_NUMBERS = {b"l": "int64", b"I": "uint32", b"i": "int32", b"g": "float64"}
_KINDS: dict[bytes, typing.Any] = {b"l": ctypes.c_int64, b"I": ctypes.c_uint32, b"i": ctypes.c_int32, b"g": ctypes.c_double}
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


class Stream:
    """An ArrowArrayStream of the library, released with this object unless somebody took it."""

    def __init__(self) -> None:
        self.it = _abi.ArrowArrayStream()

    def __del__(self) -> None:
        if self.it.release:
            self.it.release(ctypes.byref(self.it))


_lent: dict[int, Stream] = {}  # by address, for as long as a capsule holds them


_end_capsule = _Destructor(lambda capsule: _lent.pop(_capsule_pointer(capsule, b"arrow_array_stream"), None) and None)


class _Batch:
    """An ArrowArray that was taken from a stream: what NumPy views of it keep alive."""

    def __init__(self) -> None:
        self.array = _abi.ArrowArray()

    def __del__(self) -> None:
        if self.array.release:
            self.array.release(ctypes.byref(self.array))


class Table:
    """Rows of a table, in columns.

    `t["dur"]` is a column as a NumPy array: numbers are views of the library's memory, without a copy where the rows
    came in one batch (a masked array where some are NULL); strings are an array of str, None where NULL. The table keeps
    what it shows alive. Whatever takes Arrow's PyCapsule protocol takes a table: `pyarrow.table(t)`,
    `polars.DataFrame(t)`, `duckdb.sql("select * from t")`. Times are in ns.

    >>> import postfetto
    >>> trace = postfetto.read(b'[{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]')
    >>> t = trace.query("SELECT name, dur, parent_id FROM slice")
    >>> t["dur"].tolist(), t["parent_id"].tolist(), len(t)
    ([2000], [None], 1)
    """

    def __init__(self, name: str, stream: Stream, titles: dict[str, str] | None = None) -> None:
        self.name = name
        self._stream = stream
        self._titles = titles or {}
        schema = _abi.ArrowSchema()
        stream.it.get_schema(ctypes.byref(stream.it), ctypes.byref(schema))
        self._formats = {}
        for i in range(schema.n_children):
            child = schema.children[i].contents
            self._formats[child.name.decode("utf-8", "replace")] = (child.format, bool(child.dictionary))
        schema.release(ctypes.byref(schema))
        self._batches: list[_Batch] | None = None
        self._cache: dict[str, typing.Any] = {}

    def _again(self) -> Stream:
        stream = Stream()
        call("pf_arrow_again", ctypes.byref(self._stream.it), ctypes.byref(stream.it))
        return stream

    def _read(self) -> list[_Batch]:
        if self._batches is None:
            stream, self._batches = self._again(), []
            while True:
                batch = _Batch()
                if stream.it.get_next(ctypes.byref(stream.it), ctypes.byref(batch.array)):
                    raise MemoryError("the system refused memory")
                if not batch.array.release:
                    break
                self._batches.append(batch)
        return self._batches

    # ---- columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order.

        >>> t.columns
        ['name', 'dur', 'parent_id']
        """
        return list(self._formats)

    def __len__(self) -> int:
        return sum(b.array.length for b in self._read())

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._formats)

    def __contains__(self, name: object) -> bool:
        return name in self._formats

    def __getitem__(self, name: str) -> numpy.ndarray[typing.Any, typing.Any]:
        if name not in self._formats:
            raise KeyError(f"{self.name} has no column {name!r}; it has {', '.join(self._formats)}")
        if name not in self._cache:
            import numpy
            i, (form, coded) = list(self._formats).index(name), self._formats[name]
            parts = [_column(b, b.array.children[i].contents, form, coded) for b in self._read()]
            empty = numpy.zeros(0, _NUMBERS.get(form, "object") if not coded else "object")
            joined = numpy.ma.concatenate if any(isinstance(p, numpy.ma.MaskedArray) for p in parts) else numpy.concatenate
            self._cache[name] = empty if not parts else parts[0] if len(parts) == 1 else joined(parts)
        return typing.cast("numpy.ndarray[typing.Any, typing.Any]", self._cache[name])

    def rows(self) -> typing.Iterator[tuple[typing.Any, ...]]:
        """The rows as tuples of int, float, str, bytes and None; needs no NumPy.

        >>> list(t.rows())
        [('work', 2000, None)]
        """
        return self._first(len(self))

    def _first(self, most: int) -> typing.Iterator[tuple[typing.Any, ...]]:
        for b in self._read():
            count = min(most, b.array.length)
            most -= count
            yield from zip(*(_values(b.array.children[i].contents, form, coded, count) for i, (form, coded) in enumerate(self._formats.values())))

    # ---- for others

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream = self._again()
        address = ctypes.addressof(stream.it)
        _lent[address] = stream
        return _capsule_new(address, b"arrow_array_stream", ctypes.cast(_end_capsule, ctypes.c_void_p))

    def arrow(self) -> pyarrow.Table:
        """A pyarrow.Table of the same memory (needs pyarrow).

        >>> t.arrow().to_pylist()
        [{'name': 'work', 'dur': 2000, 'parent_id': None}]
        """
        import pyarrow
        return pyarrow.table(self)

    def pl(self) -> polars.DataFrame:
        """A polars.DataFrame (needs polars).

        >>> t.pl().row(0)
        ('work', 2000, None)
        """
        import polars
        return polars.DataFrame(self)

    def df(self) -> pandas.DataFrame:
        """A pandas.DataFrame (needs pandas): whole numbers with NULLs are Int64, texts are str objects.

        >>> frame = t.df()
        >>> int(frame["dur"].sum()), int(frame["parent_id"].isna().sum())
        (2000, 1)
        """
        import numpy
        import pandas
        out = {}
        for name in self._formats:
            column = self[name]
            if isinstance(column, numpy.ma.MaskedArray):
                mask = numpy.ma.getmaskarray(column)
                whole = column.dtype.kind in "iu"
                array = pandas.arrays.IntegerArray if whole else pandas.arrays.FloatingArray
                out[name] = array(column.data.copy(), mask)
            else:
                out[name] = column.copy()
        return pandas.DataFrame(out, columns=list(out))

    # ---- for people

    def __repr__(self) -> str:
        return f"<postfetto table {self.name}: {len(self)} rows; {', '.join(self._formats)}>"

    def _repr_html_(self) -> str:
        shown = 20
        head = "".join(f'<th title="{html.escape(self._titles.get(n, ""))}">{html.escape(n)}</th>' for n in self._formats)
        body = []
        for row in self._first(shown):
            body.append("<tr>" + "".join(f"<td>{'' if v is None else html.escape(str(v))}</td>" for v in row) + "</tr>")
        more = f"<p>{len(self)} rows, the first {shown} of them</p>" if len(self) > shown else f"<p>{len(self)} rows</p>"
        return f"<table><caption>{html.escape(self.name)}</caption><tr>{head}</tr>{''.join(body)}</table>{more}"


def _pieces(array: typing.Any, binary: bool, count: int) -> list[typing.Any]:
    """The first texts of a column of them."""
    ends = list((ctypes.c_int32 * (count + 1)).from_address(array.buffers[1])) if count else [0]
    data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    pieces = [data[a:b] for a, b in zip(ends, ends[1:])]
    return pieces if binary else [p.decode("utf-8", "replace") for p in pieces]


def _values(array: typing.Any, form: bytes, coded: bool, count: int) -> list[typing.Any]:
    """The first values of a column as Python's own, without NumPy."""
    if coded or form in _KINDS:
        kind = ctypes.c_int32 if coded else _KINDS[form]
        out: list[typing.Any] = list((kind * count).from_address(array.buffers[1])) if count else []
        if coded:
            words = _pieces(array.dictionary.contents, False, array.dictionary.contents.length) or [None]
            out = [words[i] for i in out]
    else:
        out = _pieces(array, form == b"z", count)
    if not array.null_count or not array.buffers[0]:
        return out
    bits = ctypes.string_at(array.buffers[0], (count + 7) // 8)
    return [v if bits[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(out)]


def _view(batch: _Batch, address: int | None, count: int, kind: str) -> typing.Any:
    """A NumPy array of the memory there, which keeps the batch alive."""
    import numpy
    size = numpy.dtype(kind).itemsize * count
    if not address or not size:
        return numpy.zeros(count if not address else 0, kind)
    memory: typing.Any = (ctypes.c_char * size).from_address(address)
    memory.batch = batch  # ctypes objects have attributes; the view has the object as its base
    view = numpy.frombuffer(memory, kind)
    view.flags.writeable = False
    return view


def _mask(batch: _Batch, array: typing.Any) -> typing.Any:
    """True where a value is NULL; None where none is."""
    import numpy
    if not array.null_count or not array.buffers[0]:
        return None
    bits = _view(batch, array.buffers[0], (array.length + 7) // 8, "uint8")
    return numpy.unpackbits(bits, count=array.length, bitorder="little") == 0


def _texts(array: typing.Any, binary: bool) -> typing.Any:
    import numpy
    pieces = _pieces(array, binary, array.length)
    out = numpy.empty(len(pieces), object)
    out[:] = pieces
    return out


def _column(batch: _Batch, array: typing.Any, form: bytes, coded: bool) -> typing.Any:
    import numpy
    if not coded and form in _NUMBERS:
        values, mask = _view(batch, array.buffers[1], array.length, _NUMBERS[form]), _mask(batch, array)
        return values if mask is None else numpy.ma.MaskedArray(values, mask)
    mask = _mask(batch, array)
    if coded:
        words = array.dictionary.contents
        texts = _texts(words, binary=False) if words.length else numpy.array([None], object)
        out = texts[_view(batch, array.buffers[1], array.length, "int32")]
    else:
        out = _texts(array, binary=form == b"z")
    if mask is not None:
        out[mask] = None
    return out


def table_of_structs(name: str, function: str, *arguments: typing.Any, titles: dict[str, str] | None = None) -> Table:
    """The table that a function of the library fills a schema and an array with."""
    schema, array, stream = _abi.ArrowSchema(), _abi.ArrowArray(), Stream()
    call(function, *arguments, ctypes.byref(schema), ctypes.byref(array))
    call("pf_arrow_stream", ctypes.byref(schema), ctypes.byref(array), ctypes.byref(stream.it))
    return Table(name, stream, titles)


def table_of_query(session: typing.Any, sql: str) -> Table:
    from ._library import Work, text
    stream, work = Stream(), Work()
    c.pf_query_set_cancel(session, work.cancel)
    try:
        work.call("pf_query_arrow", session, text(sql), None, ctypes.byref(stream.it))
    finally:
        c.pf_query_set_cancel(session, None)
    return Table("query", stream)
