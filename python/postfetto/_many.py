"""Many traces, each read wherever an engine puts it: what one contributes, and what all of them say together.

The engines (dask.py, spark.py) call `part` for each trace, on any machine, and give what it returns to a `Parts`. A part is the file
that `postfetto analyze PASS --partial` writes (docs/reference/partial.md). The command makes it, as a process of its own:
what a trace does to it, and its memory, end with the trace, and the failure has the exit code that the command has.
"""
from __future__ import annotations

import contextlib
import csv
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import typing

from ._library import InputError, UsageError
from ._tables import Table
from .passes import Analysis, run
from .trace import read

_COMMAND = str(pathlib.Path(__file__).parent / "postfetto")


class Part(typing.NamedTuple):
    """What one trace contributes, or why it does not; `said` are the lines of warnings, or the reason."""
    file: str
    exit_code: int
    said: str
    partial: bytes = b""


class Collected(Analysis):
    """What all traces say together: an `Analysis` as of one run over all of them, and which of them failed.

    `failures` is a table of (file, exit_code, reason), with the exit codes of the command; `warnings` are its lines about damage.

    >>> import io
    >>> kernel = b'[{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 3, "args": {"device": 0, "stream": 7}}]'
    >>> parts = Parts("gpu")
    >>> parts.add(part("s3://runs/rank0.json", io.BytesIO(kernel), "gpu", {}))
    >>> parts.add(part("s3://runs/rank1.json", io.BytesIO(b"no trace"), "gpu", {}))
    >>> done = parts.finish()
    >>> done["gpu_devices"]["label"].tolist(), done.failures["file"].tolist(), done.failures["exit_code"].tolist()
    (['GPU 0'], ['s3://runs/rank1.json'], [3])
    """

    def __init__(self, name: str, of: Analysis, files: list[str], failures: list[Part], warnings: list[str]) -> None:
        super().__init__(name, of._findings, of._trace, [os.fsencode(f) for f in files])
        of._findings = None
        self.warnings, self._failures = warnings, failures

    @property
    def failures(self) -> Table:
        """The traces that failed, in the order of their names.

        >>> done.failures["reason"][0].split("(")[0]
        'is not a trace '
        """
        rows = "".join(f" UNION ALL SELECT {_sql(p.file)}, {p.exit_code}, {_sql(p.said)}" for p in self._failures)
        table = read(b"[]").query(f"SELECT '' AS file, 0 AS exit_code, '' AS reason WHERE 0{rows} ORDER BY file")
        table.name = "failures"
        return table

    @property
    def tables(self) -> dict[str, Table]:
        """The report tables by their names in SQL, and `failures`.

        >>> sorted(done.tables)[0]
        'failures'
        """
        return {**super().tables, "failures": self.failures}

    def _write_failures(self, folder: str) -> None:
        with open(os.path.join(folder, "failures.csv"), "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(self.failures.columns)
            rows.writerows(self.failures.rows())


def _sql(words: str) -> str:
    return "'" + words.replace("\0", "").replace("'", "''") + "'"


def flags(options: typing.Mapping[str, typing.Any]) -> list[str]:
    """Options of `analyze` as the command has them."""
    out = [f"--max-{name}={value}" for name, value in (options.get("limits") or {}).items()]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            out.append(flag)
        elif value is not None and value is not False and name != "limits":
            out += [f"{flag}={v}" for v in (value if isinstance(value, (list, tuple)) else [value])]
    return out


@contextlib.contextmanager
def made(path: str, source: typing.Any, command: typing.Sequence[str], out: str, *operands: str) -> typing.Iterator[tuple[Part, str]]:
    """Runs the command on a trace: how that ended, and the file that option `out` names, which lasts as long as the context.

    source: None where `path` is one of the file system, else a binary file with its bytes.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        result, inside = os.path.join(folder, "out"), None
        if source is not None:  # it keeps its name, which reports have, and goes through a pipe
            inside = pathlib.Path(folder, "in")
            link = inside / path
            if ".." in link.parts or path.startswith("/"):
                yield Part(path, 3, "is no name of an object: it is a path, or has '..'"), result
                return
            link.parent.mkdir(parents=True)
            link.symlink_to("/proc/self/fd/0")
        whole = [_COMMAND, *command, "--no-progress", f"--{out}={result}", "--", path, *operands]
        with subprocess.Popen(whole, cwd=inside, stdin=subprocess.PIPE if inside else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said) as process:
            if process.stdin:
                with contextlib.suppress(BrokenPipeError):  # it has read enough to refuse
                    with process.stdin:
                        shutil.copyfileobj(source, process.stdin, 1 << 20)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").splitlines()
        ours = [line[11:].replace(path + ": ", "", 1) for line in lines if line.startswith("postfetto: ")]
        code = process.returncode
        if code < 0:
            code, ours = 128 - code, [f"the command was ended by {signal.Signals(-code).name}"]
        yield Part(path, code, ours[-1] if code and ours else "\n".join(ours)), result


def part(path: str, source: typing.Any, name: str, options: typing.Mapping[str, typing.Any]) -> Part:
    """What a trace contributes to a pass; source as in `made`."""
    with made(path, source, ["analyze", name, "--rows=1", *flags(options)], "partial") as (one, out):
        return one if one.exit_code else one._replace(partial=pathlib.Path(out).read_bytes())


class Parts:
    """Collects parts of a pass, in any order, as files in a folder that is gone with it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = tempfile.TemporaryDirectory()
        self._files: list[str] = []
        self._paths: list[str] = []
        self._failures: list[Part] = []
        self._warnings: list[str] = []

    def add(self, one: Part) -> None:
        if one.exit_code == 2:
            raise UsageError(one.said, one.file)
        if one.exit_code:
            self._failures.append(one)
            return
        self._warnings += [f"{one.file}: {line}" for line in one.said.splitlines()]
        self._paths.append(os.path.join(self._folder.name, f"{len(self._paths)}.pfr"))
        self._files.append(one.file)
        pathlib.Path(self._paths[-1]).write_bytes(one.partial)

    def finish(self, report: str | os.PathLike[str] | None = None) -> Collected:
        """The analysis of all, and its reports in a folder; InputError where all traces failed."""
        if not self._paths:
            first = self._failures[0] if self._failures else Part("", 3, "there is nothing to read")
            raise InputError(f"{first.said} (no trace of {len(self._failures)} could be analysed)", first.file or None)
        merged = run("merge-reports", list(self._paths), None, {"report": report})
        done = Collected(self._name, merged, self._files, self._failures, sorted(self._warnings))
        if report:
            done._write_failures(os.fspath(report))
        return done
