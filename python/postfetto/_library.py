"""The shared library: found, loaded, called. Errors become exceptions; long calls leave the interpreter to others."""
from __future__ import annotations

import ctypes
import pathlib
import threading
import typing

from . import _abi

Progress = typing.Union[bool, typing.Callable[..., typing.Any], None]


class Error(Exception):
    """What the library refused or could not do.

    `text` says what is wrong and what to do; `path` is the file concerned or None (bytes and file objects have none),
    `offset` the byte offset in its decompressed bytes or None (of a query: in the SQL), `packet` the number of the packet
    or None.

    >>> import postfetto
    >>> try:
    ...     postfetto.read("/nowhere.json")
    ... except Error as e:
    ...     print(e.path, e.offset)
    /nowhere.json None
    """

    def __init__(self, text: str, path: str | None = None, offset: int | None = None, packet: int | None = None) -> None:
        self.text, self.path, self.offset, self.packet = text, path, offset, packet
        place = f" (offset {offset})" if offset is not None else ""
        super().__init__(f"{path}: {text}{place}" if path else f"{text}{place}")


class UsageError(Error, ValueError):
    """An argument, an option or a statement makes no sense.

    >>> import postfetto
    >>> postfetto.read(b"[]").query("SELECT nope FROM slice")
    Traceback (most recent call last):
    postfetto._library.UsageError: no such column: nope (offset 7)
    """


class InputError(Error):
    """The input cannot be read, is no trace, or lacks what the pass needs.

    >>> import postfetto
    >>> postfetto.read("/nowhere.json")
    Traceback (most recent call last):
    postfetto._library.InputError: /nowhere.json: cannot be opened: No such file or directory; check the path
    """


class DamagedError(InputError):
    """The input is damaged, and `strict` was asked for; offset is where, in bytes.

    >>> import postfetto
    >>> try:
    ...     postfetto.read(b'[{"ph": "X", "na', strict=True)
    ... except DamagedError as e:
    ...     print(e.offset)
    1
    """


class LimitError(Error):
    """One of the limits was exceeded; the text names it.

    >>> import postfetto
    >>> try:
    ...     postfetto.read(b'[{"ph": "X"}]', limits={"input": 10})
    ... except LimitError as e:
    ...     print(e.text)
    the input is larger than 10 bytes; raise --max-input
    """


class OutputError(Error, OSError):
    """The output could not be written; nothing was left of it.

    >>> import postfetto
    >>> try:
    ...     postfetto.read(b"[]").convert("/nowhere/out.json")
    ... except OutputError as e:
    ...     print(e.path)
    /nowhere/out.json
    """


class Cancelled(Error):
    """The work was cancelled, by a flag of the library; Ctrl-C ends it with KeyboardInterrupt instead.

    >>> issubclass(Cancelled, Error), issubclass(Cancelled, KeyboardInterrupt)
    (True, False)
    """


_ERRORS = {
    _abi.PF_ERR_USAGE: UsageError, _abi.PF_ERR_INPUT: InputError, _abi.PF_ERR_DAMAGED: DamagedError, _abi.PF_ERR_LIMIT: LimitError,
    _abi.PF_ERR_MEMORY: MemoryError, _abi.PF_ERR_OUTPUT: OutputError, _abi.PF_ERR_CANCELLED: Cancelled,
}


def _load() -> ctypes.CDLL:
    here = pathlib.Path(__file__).parent
    library = ctypes.CDLL(str(here / "libpostfetto.so"))
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


c = _load()


def text(value: str | bytes | None) -> typing.Any:
    """A pf_str of a text; of None the one that is NULL."""
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return _abi.pf_str(data, len(data or b""))


def path_bytes(path: typing.Any) -> bytes:
    import os
    return os.fsencode(path)


def string(s: typing.Any) -> str:
    """The text of a pf_str."""
    return ctypes.string_at(s.ptr, s.len).decode("utf-8", "replace") if s.ptr is not None and s.len else ""


SPOOL = "/proc/self/fd/"  # bytes and file objects of the caller lie there: files without a name


def new_error() -> typing.Any:
    return _abi.pf_error(offset=2**64 - 1, packet=2**64 - 1)


def check(status: int, error: typing.Any) -> None:
    """Raises what a call failed with."""
    if status == _abi.PF_OK:
        return
    kind = _ERRORS.get(status, Error)
    words = error.text.decode("utf-8", "replace")
    if kind is MemoryError:
        raise MemoryError(words)
    nowhere, path = 2**64 - 1, error.file.decode("utf-8", "replace")
    path = "" if path.startswith(SPOOL) else path
    raise kind(words, path or None, None if error.offset == nowhere else error.offset,
               None if error.packet == nowhere else error.packet)


def call(name: str, *arguments: typing.Any) -> None:
    """Calls a function whose last parameter is the error, which becomes an exception."""
    error = new_error()
    check(getattr(c, name)(*arguments, ctypes.byref(error)), error)


class Work:
    """A long call: on a thread of its own, while this one waits, so that Ctrl-C sets the flag that ends it.

    `cancel` and `progress` go into options of the library; progress may be True (a bar of tqdm, where it is installed),
    a function like tqdm (called with total=, unit=; its result has update() and close()), or None.
    """

    def __init__(self, progress: Progress = None, what: str = "") -> None:
        self.flag = ctypes.c_int(0)
        self.cancel = ctypes.pointer(self.flag)
        self._bar: typing.Any = None
        self._done = 0
        self._make = _bar_of(progress)
        self._what = what
        self.progress = _abi.pf_read_options().progress.__class__(self._update) if self._make else None

    def _update(self, _ctx: typing.Any, done: int, total: int) -> None:
        if self._bar is None and self._make:
            self._bar = self._make(total=total or None, unit="B", unit_scale=True, desc=self._what, leave=False)
        self._bar.update(max(0, done - self._done))
        self._done = max(done, self._done)

    def call(self, name: str, *arguments: typing.Any) -> None:
        error, status, done = new_error(), [], threading.Event()

        def run() -> None:
            try:
                status.append(getattr(c, name)(*arguments, ctypes.byref(error)))
            finally:
                done.set()

        thread = threading.Thread(target=run, daemon=True)
        try:
            thread.start()
            done.wait()
        except BaseException:  # the thread uses what the caller is about to release
            self.flag.value = 1
            done.wait(None if thread.ident is not None else 10)
            raise
        finally:
            if self._bar is not None:
                self._bar.close()
        check(status[0], error)


def _bar_of(progress: Progress) -> typing.Callable[..., typing.Any] | None:
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        return typing.cast(typing.Callable[..., typing.Any], tqdm)
    return progress or None


def write_options(work: Work) -> typing.Any:
    o = _abi.pf_write_options()
    c.pf_write_options_init(ctypes.byref(o), ctypes.sizeof(o))
    o.cancel = work.cancel
    return o


__version__ = c.pf_version().decode()
