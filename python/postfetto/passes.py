"""Analyses: a pass on files, and what it found."""
from __future__ import annotations

import ctypes
import json
import os
import typing

from . import _abi
from ._library import Progress, UsageError, Work, c, call, path_bytes, text, write_options
from ._tables import Table, table_of_structs
from .trace import Source, Trace, _Files, read_options

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]


def passes() -> dict[str, str]:
    """The passes there are, each with a line that says what it does.

    >>> sorted(passes())[:2]
    ['aie', 'aiu']
    """
    rows = [c.pf_pass_at(i).contents for i in range(c.pf_pass_count())]
    return {p.name.decode(): p.summary.decode() for p in rows}


class Analysis:
    """What a pass found.

    `headline` is one sentence, `tables` the report tables by name, `summary` the document that `--json` prints,
    `verdict` None or what a comparison came to. In a notebook it shows itself as its report page.

    >>> kernel = b'{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": %d, "dur": 3, "args": {"device": 0, "stream": 7}}'
    >>> done = analyze("gpu", b"[" + b",".join(kernel % ts for ts in (1, 10)) + b"]")
    >>> done["gpu_kernels"]["calls"].tolist()
    [2]
    """

    def __init__(self, name: str, findings: typing.Any, trace: Trace | None, paths: list[bytes]) -> None:
        self.name, self._findings, self._trace, self._paths = name, findings, trace, paths

    def __del__(self) -> None:
        if self._findings:
            c.pf_findings_free(self._findings)
            self._findings = None

    @property
    def headline(self) -> str | None:
        """The result in one sentence, or None.

        >>> done.headline.split(";")[0]
        'GPU 0 was busy 50.0 % of 12.0 us'
        """
        words = c.pf_findings_headline(self._findings)
        return words.decode("utf-8", "replace") if words is not None else None

    @property
    def verdict(self) -> str | None:
        """What a comparison came to, or None: other passes have no verdict.

        >>> print(done.verdict)
        None
        """
        words = c.pf_findings_verdict(self._findings)
        return words.decode("utf-8", "replace") if words is not None else None

    @property
    def tables(self) -> dict[str, Table]:
        """The report tables by their names in SQL; each column's unit is its title in a notebook.

        >>> done.tables["gpu_kernels"]["total_ns"].tolist()
        [6000]
        """
        out = {}
        for i in range(c.pf_findings_table_count(self._findings)):
            table = c.pf_findings_table(self._findings, i)
            t = table.contents
            if not t.name:
                continue  # shown on the terminal alone
            units = {t.columns[k].name.decode(): t.columns[k].unit.decode() for k in range(t.column_count)}
            name = t.name.decode()
            out[name] = table_of_structs(name, "pf_report_arrow", table, titles=units)
        return out

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    @property
    def summary(self) -> typing.Any:
        """The document that `postfetto analyze --json` prints, as dicts and lists.

        >>> done.summary["devices"][0]["busy_ns"]
        6000
        """
        node = c.pf_findings_summary(self._findings)
        return json.loads(_format("pf_format_json", node)) if node else None

    def page(self) -> str:
        """The report as one HTML page, which needs no other file and no network.

        >>> done.page().startswith("<!DOCTYPE html>")
        True
        """
        o = _abi.pf_page()
        c.pf_page_init(ctypes.byref(o), ctypes.sizeof(o))
        names = ", ".join(os.path.basename(os.fsdecode(p)) for p in self._paths) or "trace"
        o.title = text(f"analyze {self.name}: {names}")
        return _format("pf_format_page", self._findings, ctypes.byref(o))

    def _repr_html_(self) -> str:
        import html
        return f'<iframe style="width:100%;height:40em;border:0" srcdoc="{html.escape(self.page())}"></iframe>'

    def _write_reports(self, folder: str) -> None:
        work = Work()
        o = write_options(work)
        nobody = c.pf_write_reports.argtypes[3]()
        work.call("pf_write_reports", self._findings, path_bytes(folder), ctypes.byref(o), nobody, None)

    def _draw(self, output: str) -> None:
        if self._trace is None:
            raise UsageError(f"pass {self.name} leaves no trace to draw into")
        work = Work()
        o = write_options(work)
        work.call("pf_write_enriched", self._trace.handle, self._findings, path_bytes(output), ctypes.byref(o))

    def __repr__(self) -> str:
        return f"<postfetto analysis {self.name}: {self.headline or ''}>"


def _format(function: str, *arguments: typing.Any) -> str:
    data, size = ctypes.c_char_p(), ctypes.c_size_t()
    memory = ctypes.cast(ctypes.pointer(data), ctypes.POINTER(ctypes.c_char_p))
    call(function, *arguments, memory, ctypes.byref(size))
    words = ctypes.string_at(data, size.value).decode("utf-8", "replace")
    _libc.free(ctypes.cast(data, ctypes.c_void_p))
    return words


def _settings(options: typing.Mapping[str, typing.Any]) -> typing.Any:
    pairs: list[tuple[bytes, bytes | None]] = []
    for name, value in options.items():
        flag = name.replace("_", "-").encode()
        if value is True:
            pairs.append((flag, None))
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            pairs += [(flag, os.fsencode(v) if isinstance(v, (str, os.PathLike)) else str(v).encode()) for v in values]
    return (_abi.pf_analyze_setting * len(pairs))(*(_abi.pf_analyze_setting(n, v) for n, v in pairs)), len(pairs)


def run(name: str, sources: typing.Sequence[Source], trace: Trace | None, options: dict[str, typing.Any]) -> Analysis:
    output, report, progress = (options.pop(name, None) for name in ("output", "report", "progress"))
    work = Work(progress, f"analyze {name}")
    whole = trace.writable() if trace and output else trace
    files = _Files(sources)
    o = _abi.pf_analyze_options()
    c.pf_analyze_options_init(ctypes.byref(o), ctypes.sizeof(o))
    reading = read_options(work, options.pop("limits", None), options.pop("dialect", None), options.pop("strict", False))
    o.settings, o.setting_count = _settings(options)
    o.read = ctypes.pointer(reading)
    o.trace = whole.handle if whole else None
    o.output = path_bytes(output) if output else None
    o.report_dir = path_bytes(report) if report else None
    findings, main = ctypes.POINTER(_abi.pf_findings)(), ctypes.POINTER(_abi.pf_trace)()
    paths = files.array() if files.paths else (ctypes.c_char_p * 1)(b"trace")
    work.call("pf_analyze", name.encode(), paths, len(paths), ctypes.byref(o), ctypes.byref(findings), ctypes.byref(main))
    analysis = Analysis(name, findings, whole or (Trace(main) if main else None), files.paths)
    if report:
        analysis._write_reports(os.fspath(report))
    if output:
        analysis._draw(os.fspath(output))
    return analysis


def analyze(name: str, *sources: Source | typing.Sequence[Source], output: str | os.PathLike[str] | None = None,
            report: str | os.PathLike[str] | None = None, progress: Progress = None, **options: typing.Any) -> Analysis:
    """Runs a pass ("gpu", "aiu", "compare", ...) on files, as `postfetto analyze` does.

    options: those of the pass, with `_` for `-`: analyze("gpu", "rank*.json.gz", peak_tflops=990). True for flags, lists for what
    may be repeated; and limits, dialect, strict as in `read`. output: the trace with the findings drawn in.

    >>> kernel = b'{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": %d, "dur": 3, "args": {"device": 0, "stream": 7}}'
    >>> done = analyze("gpu", b"[" + b",".join(kernel % ts for ts in (1, 10)) + b"]")
    >>> kernels = done.tables["gpu_kernels"]
    >>> kernels["name"].tolist(), kernels["total_ns"].tolist()
    (['gemm'], [6000])
    """
    flat: list[Source] = []
    for s in sources:
        flat.extend(s if isinstance(s, (list, tuple)) else [typing.cast(Source, s)])
    return run(name, flat, None, {**options, "output": output, "report": report, "progress": progress})
