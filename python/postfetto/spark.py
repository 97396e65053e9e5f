"""Spark: a trace is a partition, on any executor; `pip install postfetto[spark]` (docs/engines.md).

    postfetto.spark.read(spark, "/data/runs/7/rank*.json.gz", "slice").groupBy("file").sum("dur").show()
    done = postfetto.spark.analyze(spark, "s3a://runs/7/rank*.json.gz", "gpu")

Spark lists the files. Those of a file system are opened by the executors: that is the data source `postfetto`. The bytes of
others are read by Spark (its source `binaryFile`) and go through a pipe. What the command makes of a trace, a stream of Arrow or a
partial, becomes the partition's rows.
"""
from __future__ import annotations

import glob
import io
import itertools
import json
import os
import pathlib
import typing

import pyarrow
import pyspark
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from . import _many
from ._library import UsageError
from .passes import passes

Files = typing.Union[str, "os.PathLike[str]", typing.Sequence[typing.Union[str, "os.PathLike[str]"]]]
_PARTS = pyarrow.schema([("file", "string"), ("exit_code", "int32"), ("said", "string"), ("partial", "binary")])
_TYPES = {"string": "STRING", "int32": "INT", "int64": "BIGINT", "double": "DOUBLE", "binary": "BINARY"}


class _Plan(typing.NamedTuple):
    """What is run on each trace, and the columns of what it makes; of _PARTS a trace is a row."""
    command: list[str]
    out: str
    operands: list[str]
    schema: typing.Any

    @property
    def ddl(self) -> str:
        return ", ".join(f"`{f.name}` {_TYPES[str(f.type)]}" for f in self.schema)

    def rows(self, path: str, source: typing.Any) -> typing.Iterator[typing.Any]:
        with _many.made(path, source, self.command, self.out, *self.operands) as (one, out):
            if self.schema == _PARTS:
                whole = one if one.exit_code else one._replace(partial=pathlib.Path(out).read_bytes())
                yield pyarrow.RecordBatch.from_pylist([whole._asdict()], _PARTS)
            elif not one.exit_code:
                for batch in pyarrow.ipc.open_stream(out):
                    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([path] * len(batch)), *batch.columns], schema=self.schema)


def _plan(table: str, name: str, options: typing.Mapping[str, typing.Any], samples: typing.Iterable[tuple[str, typing.Any]]) -> _Plan:
    """For a pass; or for a table, whose columns are those in an empty trace, or else in the first of the samples that can be read."""
    flags = _many.flags(options)
    if name:
        return _Plan(["analyze", name, "--rows=1", *flags], "partial", [], _PARTS)
    if table == "failures":
        return _Plan(["query", *flags], "output", ["SELECT 1"], _PARTS)
    word, by = table.replace('"', '""'), table.partition("_")[0]
    for path, source in itertools.chain([("empty.json", io.BytesIO(b"[]"))], samples):
        for more in ([], [f"--pass={by}"] if by in passes() else []):
            plan = _Plan(["query", "--format=arrow", *more, *flags], "output", [f'SELECT * FROM "{word}"'], None)
            if source:
                source.seek(0)
            with _many.made(path, source, plan.command, plan.out, *plan.operands) as (one, out):
                if not one.exit_code:
                    return plan._replace(schema=pyarrow.schema([("file", "string"), *pyarrow.ipc.open_stream(out).schema]))
        if one.exit_code == 2 and path != "empty.json":
            break
    raise UsageError(one.said)


class _Reader(DataSourceReader):  # type: ignore[misc,unused-ignore]
    def __init__(self, plan: _Plan, paths: list[str]) -> None:
        self.plan, self.paths = plan, paths

    def partitions(self) -> list[typing.Any]:
        return [InputPartition(path) for path in self.paths]

    def read(self, partition: typing.Any) -> typing.Iterator[typing.Any]:
        return self.plan.rows(partition.value, None)


class Source(DataSource):  # type: ignore[misc,unused-ignore]
    """The data source `postfetto`, once `spark.dataSource.register(Source)` has made it known: a partition for each trace.

    spark.read.format("postfetto").option("table", "slice").load("/data/rank*.json.gz"): a pattern of the driver's file system,
    which the executors have, too. Columns are `file` and those of the table.
    """

    @classmethod
    def name(cls) -> str:
        return "postfetto"

    def _paths(self) -> list[str]:
        paths: list[str] = json.loads(self.options["files"]) if "files" in self.options else sorted(glob.glob(self.options["path"]))
        return paths

    def _plan(self) -> _Plan:
        o = self.options
        return _plan(o.get("table", "slice"), o.get("pass", ""), json.loads(o.get("flags", "{}")), ((path, None) for path in self._paths()))

    def schema(self) -> str:
        return self._plan().ddl

    def reader(self, schema: typing.Any) -> _Reader:
        return _Reader(self._plan(), self._paths())


def _frame(spark: typing.Any, files: Files, table: str, name: str, options: dict[str, typing.Any]) -> tuple[typing.Any, int]:
    """The rows of all traces, and how many traces there are."""
    given = [os.fspath(f) for f in files] if isinstance(files, (list, tuple)) else os.fspath(typing.cast(str, files))
    listed = spark.read.format("binaryFile").load(given)
    paths = sorted(row.path for row in listed.select("path").collect())
    contents = listed.select("path", "content")
    if all(path.startswith("file:") for path in paths):
        paths = [path[5:] for path in paths]
        plan = _plan(table, name, options, ((path, None) for path in paths))
        if not getattr(spark, "_postfetto", False):  # Spark warns of a second time
            spark.dataSource.register(Source)
            spark._postfetto = True
        source = spark.read.format("postfetto").option("table", table).option("pass", name).option("flags", json.dumps(options))
        return source.schema(plan.ddl).option("files", json.dumps(paths)).load(), len(paths)
    plan = _plan(table, name, options, ((row.path, io.BytesIO(row.content)) for row in contents.toLocalIterator()))

    def rows(batches: typing.Iterable[typing.Any]) -> typing.Iterator[typing.Any]:
        for batch in batches:
            for path, content in zip(*batch.columns):
                yield from plan.rows(path.as_py(), io.BytesIO(content.as_buffer()))

    return contents.mapInArrow(rows, plan.ddl), len(paths)


def read(spark: typing.Any, files: Files, table: str = "slice", **options: typing.Any) -> typing.Any:
    """A table of many traces as a DataFrame: its columns, and first `file`, the trace; ids are those of the file.

    files: paths and patterns as Spark has them. table: of traces ("slice", "args"), of passes ("gpu_kernels") or "failures": (file, exit_code,
    reason) of the traces that cannot be read, which have no rows in other tables. options: limits, dialect, strict as in `postfetto.read`,
    and those of the pass.

    >>> read(spark, traces, "gpu_kernels").select("name", "calls", "total_ns").collect()
    [Row(name='gemm', calls=2, total_ns=6000)]
    """
    frame, _ = _frame(spark, files, table, "", options)
    return frame.where("exit_code <> 0").select("file", "exit_code", frame.said.alias("reason")) if table == "failures" else frame


def analyze(spark: typing.Any, files: Files, name: str = "gpu", *, report: str | os.PathLike[str] | None = None, **options: typing.Any) -> _many.Collected:
    """Runs a pass on many traces, each as a task of Spark's, and says what one run over all of them says.

    files: paths and patterns as Spark has them. options: those of `postfetto.analyze`. A trace that cannot be analysed is a row of `failures`; an
    executor that dies is Spark's to replace. Its page shows the job as "postfetto PASS: N traces".

    >>> analyze(spark, traces, "gpu").summary["devices"][0]["busy_ns"]
    6000
    """
    frame, count = _frame(spark, files, "", name, options)
    parts = _many.Parts(name)
    frame.persist(pyspark.StorageLevel.DISK_ONLY)
    spark.sparkContext.setJobDescription(f"postfetto {name}: {count} traces")
    try:
        frame.count()
        spark.sparkContext.setJobDescription(f"postfetto {name}: parts to the driver")
        for row in frame.coalesce(max(1, count // 64)).toLocalIterator():  # 64 at once, not all
            parts.add(_many.Part(*row))
    finally:
        spark.sparkContext.setJobDescription(None)
        frame.unpersist()
    return parts.finish(report)
