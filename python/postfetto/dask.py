"""Dask: a trace is a task, on any worker; `pip install postfetto[dask]` (docs/engines.md).

    client = distributed.Client("scheduler:8786")
    done = postfetto.dask.analyze("s3://runs/7/rank*.json.gz", "gpu", client)
"""
from __future__ import annotations

import os
import typing
import uuid

import distributed
import fsspec

from . import _many

Files = typing.Union[str, "os.PathLike[str]", typing.Sequence[typing.Union[str, "os.PathLike[str]"]]]


def _local(opened: typing.Any) -> bool:
    return isinstance(opened.fs, fsspec.implementations.local.LocalFileSystem)


def _part(opened: typing.Any, name: str, options: dict[str, typing.Any]) -> _many.Part:
    if _local(opened):
        return _many.part(opened.path, None, name, options)
    try:
        with opened as source:
            return _many.part(opened.full_name, source, name, options)
    except Exception as e:  # those of stores are not made to be sent, nor what names them as its cause
        reason = f"cannot be read: {type(e).__name__}: {e}"
    raise OSError(reason)  # Dask tries again


def analyze(files: Files, name: str = "gpu", client: typing.Any = None, *, report: str | os.PathLike[str] | None = None,
            storage_options: typing.Mapping[str, typing.Any] | None = None, **options: typing.Any) -> _many.Collected:
    """Runs a pass on many traces, each as a task of its own, and says what one run over all of them says.

    files: paths and patterns as fsspec has them ("s3://...", with storage_options); local ones are opened by the workers. client:
    None for the current one. options: those of `postfetto.analyze`. A trace that cannot be analysed is a row of `failures`; a worker that dies
    is Dask's to replace. Tasks are called postfetto-PASS.

    >>> kernel = b'[{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": %d, "args": {"device": 0, "stream": 7}}]'
    >>> for rank in range(2):
    ...     fsspec.filesystem("memory").pipe(f"/run/rank{rank}.json", kernel % (rank + 3))
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     done = analyze("memory://run/rank*.json", "gpu", client)
    >>> [row[0] for row in done["gpu_kernels"].rows()]
    ['memory:///run/rank0.json', 'memory:///run/rank1.json']
    """
    given = [os.fspath(f) for f in files] if isinstance(files, (list, tuple)) else os.fspath(typing.cast(str, files))
    opened = fsspec.open_files(given, mode="rb", **(storage_options or {}))
    run = f"postfetto-{name}-{uuid.uuid4().hex}"
    keys = [(run, f.path if _local(f) else f.full_name) for f in opened]
    futures = (client or distributed.get_client()).map(_part, list(opened), key=keys, retries=3, name=name, options=options)
    parts = _many.Parts(name)
    for future, part in distributed.as_completed(futures, with_results=True, raise_errors=False):
        if future.status == "error":  # the store refused, or its workers died as often as Dask allows
            error = future.exception()
            part = _many.Part(future.key[1], 137 if isinstance(error, distributed.KilledWorker) else 3, str(error))
        elif future.cancelled():
            future.result()  # raises that
        parts.add(part)
        future.release()
    return parts.finish(report)
