"""Traces from traces: parts, pieces, and several in one. Files are read as streams: memory holds what is open, not the input."""
from __future__ import annotations

import ctypes
import os
import typing

from . import _abi
from ._library import Progress, UsageError, Work, c, call, path_bytes, write_options
from .trace import read_options

Path = typing.Union[str, "os.PathLike[str]"]
Limits = typing.Optional[typing.Mapping[str, int]]


class Cut(typing.NamedTuple):
    """What a cut did. Times in ns, None: without a limit; sizes in plain bytes.

    >>> from .build import Builder
    >>> import tempfile
    >>> folder, b = tempfile.mkdtemp(), Builder()
    >>> b.instants(b.track("steps"), ts=[1000, 9000], name="step")
    >>> b.write(folder + "/in.pftrace")
    >>> done = cut(folder + "/in.pftrace", folder + "/out.pftrace", start=5000)
    >>> done.start, done.end
    (5000, None)
    """

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


class Split(typing.NamedTuple):
    """What a split did: the sums over its parts, sizes in plain bytes.

    >>> from .build import Builder
    >>> import tempfile
    >>> folder, b = tempfile.mkdtemp(), Builder()
    >>> b.instants(b.track("steps"), ts=[1000, 9000], name="step")
    >>> b.write(folder + "/in.pftrace")
    >>> split(folder + "/in.pftrace", folder + "/parts", windows=[(0, 5000), (5000, 10000)]).parts
    2
    """

    parts: int
    packets: int
    kept: int
    changed: int
    added: int
    begun: int
    ended: int
    bytes_in: int
    bytes_out: int


class Merge(typing.NamedTuple):
    """What a merge did: packets, those of them that were changed or left out, ids that became others since an input before has
    them, inputs of other formats that were converted; sizes in plain bytes.

    >>> from .build import Builder
    >>> import tempfile
    >>> folder, b = tempfile.mkdtemp(), Builder()
    >>> b.instants(b.track("steps"), ts=[1000, 9000], name="step")
    >>> b.write(folder + "/in.pftrace")
    >>> done = merge([folder + "/in.pftrace"] * 2, folder + "/out.pftrace")
    >>> done.left_out, done.converted
    (0, 0)
    """

    packets: int
    changed: int
    left_out: int
    sequences_moved: int
    tracks_moved: int
    pids_moved: int
    converted: int
    bytes_in: int
    bytes_out: int


class _Job:
    """Options of one call, and all that they point at."""

    def __init__(self, what: str, progress: Progress, limits: Limits) -> None:
        self.work = Work(progress, what)
        self.held: list[typing.Any] = []
        self.reading, self.writing = read_options(self.work, limits, None, False), write_options(self.work)

    def options(self, name: str) -> tuple[typing.Any, typing.Any]:
        """Options and the result of a function, made ready: pf_NAME_options, pf_NAME_result."""
        o, result = getattr(_abi, f"pf_{name}_options")(), getattr(_abi, f"pf_{name}_result")()
        getattr(c, f"pf_{name}_options_init")(ctypes.byref(o), ctypes.sizeof(o))
        result.size = ctypes.sizeof(result)
        o.read, o.write = ctypes.pointer(self.reading), ctypes.pointer(self.writing)
        return o, result

    def words(self, texts: typing.Sequence[str]) -> typing.Any:
        array = (ctypes.c_char_p * len(texts))(*(t.encode() for t in texts))
        self.held.append(array)
        return array

    def redaction(self, what: typing.Sequence[str], key: bytes | None, keep: typing.Sequence[str]) -> typing.Any:
        if not what:
            return None
        kinds = {"names": _abi.PF_REDACT_NAMES, "args": _abi.PF_REDACT_ARGS, "paths": _abi.PF_REDACT_PATHS}
        hashing = _abi.pf_redact_options()
        hashing.what = sum(kinds[w] for w in what)
        if key is not None:
            hashing.key = _abi.pf_bytes((ctypes.c_uint8 * len(key))(*key), len(key))
        hashing.keep, hashing.keep_count = self.words(keep), len(keep)
        return ctypes.pointer(hashing)


def _time(text: str | int) -> typing.Any:
    time = _abi.pf_edit_time()
    call("pf_edit_time_parse", str(text).encode(), ctypes.byref(time))
    return time


def cut(source: Path, output: Path, *, start: str | int | None = None, end: str | int | None = None, process: typing.Sequence[str] = (),
        thread: typing.Sequence[str] = (), track: typing.Sequence[str] = (), category: typing.Sequence[str] = (),
        drop: typing.Mapping[str, typing.Sequence[str]] | None = None, min_dur: int = 0, redact: typing.Sequence[str] = (),
        redact_key: bytes | None = None, keep: typing.Sequence[str] = (), limits: Limits = None, progress: Progress = None) -> Cut:
    """Writes the part of a trace in the window [start, end), or of some processes, threads, tracks or categories.

    start, end: ns, or text: "1.5s", "+2s" from the start of the trace, "-500ms" before its end. process and the like:
    names, numbers or patterns; drop: {"process": [...]} the same to leave out. min_dur: in ns. redact: of "names",
    "args", "paths", hashed with redact_key (16 bytes or more; None: a random one) but for texts that fit `keep`. limits:
    as in `read`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(folder + "/t.json", "w") as f:
    ...     _ = f.write('[{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 1}, {"ph": "i", "name": "b", "pid": 1, "tid": 1, "ts": 9}]')
    >>> cut(folder + "/t.json", folder + "/out.json", start="5us").kept
    1
    >>> from .trace import read
    >>> read(folder + "/out.json").slices["ts"].tolist()
    [9000]
    """
    job = _Job("cutting", progress, limits)
    o, result = job.options("cut")
    for name, value in (("from_", start), ("to", end)):
        if value is not None:
            setattr(o, name, _time(value))
    for name, names in (("process", process), ("thread", thread), ("track", track), ("category", category)):
        left_out = (drop or {}).get(name, ())
        setattr(o, name, _abi.pf_edit_patterns(job.words(names), len(names), job.words(left_out), len(left_out)))
    o.min_dur = min_dur
    o.redact = job.redaction(redact, redact_key, keep)
    job.work.call("pf_cut", path_bytes(source), path_bytes(output), ctypes.byref(o), ctypes.byref(result))
    c.pf_trace_free(result.input)
    first, last = (None if abs(v) >= 2**63 - 1 else v for v in (result.from_, result.to))
    return Cut(first, last, result.packets, result.kept, result.changed, result.added, result.begun, result.ended, result.bytes_in, result.bytes)


def split(source: Path, folder: Path, *, every: str | int | None = None, parts: int = 0,
          windows: typing.Sequence[tuple[int, int] | tuple[int, int, str]] = (), by_process: bool = False, redact: typing.Sequence[str] = (),
          redact_key: bytes | None = None, keep: typing.Sequence[str] = (), limits: Limits = None, progress: Progress = None) -> Split:
    """Writes the parts of a trace into a folder, each as `cut` does: part-0001.pftrace and so on (.json of Chrome JSON),
    and index.json, which says what each is.

    One of these says what the parts are: every (ns, or text: "1.5s"), parts (so many windows of one length), windows
    ([start, end) in ns, with a name if wanted), by_process. redact, limits: as for `cut`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(folder + "/t.json", "w") as f:
    ...     _ = f.write('[{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 1}, {"ph": "i", "name": "b", "pid": 1, "tid": 1, "ts": 9}]')
    >>> split(folder + "/t.json", folder + "/parts", parts=2).parts
    2
    >>> sorted(os.listdir(folder + "/parts"))
    ['index.json', 'part-0001.json', 'part-0002.json']
    """
    job = _Job("splitting", progress, limits)
    o, result = job.options("split")
    o.every = _time(every).ns if every is not None else 0
    o.parts, o.by_process, o.window_count = parts, by_process, len(windows)
    if windows:
        names = job.words([w[2] if len(w) > 2 else "" for w in windows])
        o.windows = (_abi.pf_split_window * len(windows))(*(_abi.pf_split_window(w[0], w[1], n or None) for w, n in zip(windows, names)))
    o.redact = job.redaction(redact, redact_key, keep)
    job.work.call("pf_split", path_bytes(source), path_bytes(folder), ctypes.byref(o), ctypes.byref(result))
    c.pf_trace_free(result.input)
    return Split(result.parts, result.packets, result.kept, result.changed, result.added, result.begun, result.ended, result.bytes_in, result.bytes)


def merge(sources: typing.Sequence[Path], output: Path, *, offsets: typing.Sequence[int] | None = None, drifts: typing.Sequence[float] | None = None,
          labels: typing.Sequence[str] | None = None, merge_pids: bool = False, machines: bool = False, limits: Limits = None,
          progress: Progress = None) -> Merge:
    """Writes the packets of several traces as one Perfetto trace; others are converted first.

    offsets: ns that are added to the times of each; drifts: parts per billion that its clock runs faster. labels: what
    attributes call each (None: by its file). merge_pids: a pid means one process in all. machines: each names a machine of
    its own. limits: as in `read`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for name in "ab":
    ...     with open(f"{folder}/{name}.json", "w") as f:
    ...         _ = f.write('[{"ph": "X", "name": "%s", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]' % name)
    >>> merge([folder + "/a.json", folder + "/b.json"], folder + "/out.pftrace", offsets=[0, 1000]).converted
    2
    >>> from .trace import read
    >>> read(folder + "/out.pftrace").slices["ts"].tolist()
    [5000, 6000]
    """
    for what, values in (("offsets", offsets), ("drifts", drifts), ("labels", labels)):
        if values is not None and len(values) != len(sources):
            raise UsageError(f"{what} has {len(values)} values for {len(sources)} traces")
    job = _Job("merging", progress, limits)
    o, result = job.options("merge")
    inputs = (_abi.pf_merge_input * len(sources))()
    for i, source in enumerate(sources):
        inputs[i].path, inputs[i].uncertainty_ns = path_bytes(source), -1
        inputs[i].offset_ns = offsets[i] if offsets else 0
        inputs[i].drift_ppb = drifts[i] if drifts else 0
        inputs[i].label = labels[i].encode() if labels else None
    o.input_size, o.inputs, o.input_count = ctypes.sizeof(_abi.pf_merge_input), inputs, len(inputs)
    o.merge_pids, o.machines = merge_pids, machines
    try:
        job.work.call("pf_merge", path_bytes(output), ctypes.byref(o), ctypes.byref(result))
    finally:
        for one in inputs:
            c.pf_trace_free(one.trace)
    return Merge(result.packets, result.changed, result.left_out, result.sequences_moved, result.tracks_moved, result.pids_moved, result.converted,
                 result.bytes_in, result.bytes)
