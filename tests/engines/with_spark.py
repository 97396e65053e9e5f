"""with_spark.py TRACES SCRATCH: postfetto.spark on a cluster of two executors (processes), one of which is killed in the middle."""
import doctest
import glob
import json
import os
import shutil
import subprocess
import sys
import urllib.request

import pyspark
from pyspark.sql import SparkSession
from pyspark.sql.functions import count, sum

import postfetto.spark

import same
from same import check

traces, scratch = sys.argv[1:]
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it is short, and two processors are few
KERNELS = [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": ts, "dur": 3, "args": {"device": 0, "stream": 7}} for ts in (1, 10)]


def cluster():
    """As a distribution has it: the package of PyPI has its layout. 77 without Java."""
    if not shutil.which("java"):
        sys.exit(77)
    os.environ.update(SPARK_HOME=os.path.dirname(pyspark.__file__), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    os.chdir(scratch)  # of executors, which keep their logs there
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.showConsoleProgress", "false")
    for key, value in {"spark.local.dir": scratch, "spark.ui.port": "0", "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g",
                       "spark.driver.extraJavaOptions": QUICK, "spark.executor.extraJavaOptions": QUICK, "spark.sql.codegen.wholeStage": "false",
                       "spark.hadoop.fs.viewfs.mounttable.store.link./runs": f"file://{traces}"}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def ask(spark, what):
    sc = spark.sparkContext
    with urllib.request.urlopen(f"{sc.uiWebUrl}/api/v1/applications/{sc.applicationId}/{what}") as answer:
        return json.load(answer)


def of_files(spark, paths):
    same.deadly(same.PACKAGED, '$(parent "$(parent $PPID)")')  # of Python's worker, whose parent is a daemon of the executor
    result = postfetto.spark.analyze(spark, f"{traces}/rank*.json.gz", "gpu", report=f"{scratch}/report")
    same.check_killed(same.PACKAGED, "an executor")
    lost = [one["id"] for one in ask(spark, "allexecutors") if not one["isActive"]]
    check("which Spark lost, and no other", len(lost) == 1 and lost != ["driver"], lost)
    same.at_once(paths, f"{scratch}/at_once")
    same.check_report("spark", f"{scratch}/report", f"{scratch}/at_once", f"{traces}/{same.DAMAGED}")
    check("the analysis itself", len(result["gpu_ranks"]) == len(paths), repr(result))
    jobs = {job.get("description"): job["numTasks"] for job in ask(spark, "jobs")}
    check("its page", jobs.get(f"postfetto gpu: {len(paths) + 1} traces", 0) > len(paths), jobs)


def rows_of(path, sql):
    out = subprocess.run([same.COMMAND, "query", path, "-q", "--pass", "gpu", "--format", "json", sql], capture_output=True, check=True).stdout
    result = json.loads(out)["results"][0]
    return [dict(zip(result["columns"], row)) for row in result["rows"]]


def tables(spark, paths):
    slices = postfetto.spark.read(spark, traces)
    check("a partition for each trace", slices.rdd.getNumPartitions() == len(paths) + 1, slices.rdd.getNumPartitions())
    got = {row.file: (row.n, row.d) for row in slices.groupBy("file").agg(count("*").alias("n"), sum("dur").alias("d")).collect()}
    few = paths[:2]
    want = {path: tuple(rows_of(path, "SELECT count(*) AS n, sum(dur) AS d FROM slice")[0].values()) for path in few}
    check("slices of each trace", sorted(got) == sorted(paths) and all(got[path] == want[path] for path in few), got, want)
    args = postfetto.spark.read(spark, few, "args").agg(count("*"), sum("int_value")).collect()[0]
    both = [rows_of(path, "SELECT count(*) AS n, sum(int_value) AS s FROM args")[0] for path in few]
    check("arguments", tuple(args) == tuple(one + other for one, other in zip(*(b.values() for b in both))), args, both)
    for table in ("thread", "gpu_kernels"):
        rows = [row.asDict() for row in postfetto.spark.read(spark, few, table).collect()]
        check(f"rows of {table}", rows == [{"file": path, **row} for path in few for row in rows_of(path, f"SELECT * FROM {table}")], rows[:2])
    lost = postfetto.spark.read(spark, [*few, f"{traces}/{same.DAMAGED}"], "failures").collect()
    check("failures", [row[:2] for row in lost] == [(f"{traces}/{same.DAMAGED}", 3)] and "not a trace" in lost[0].reason, lost)
    try:
        postfetto.spark.read(spark, few, "no_such_table")
        check("a table that is not there", False)
    except postfetto.UsageError as e:
        check("a table that is not there", "no_such_table" in e.text, e)
    source = spark.read.format("postfetto").option("table", "thread").load(f"{traces}/rank[0-9].json.gz")
    check("the data source by itself", {row.file for row in source.select("file").collect()} == set(glob.glob(f"{traces}/rank[0-9].json.gz")))


def of_a_store(spark, paths):
    """A file system of Hadoop's, which Spark alone can read."""
    few = [path.replace(traces, "viewfs://store/runs") for path in [*paths[:3], f"{traces}/{same.DAMAGED}"]]
    postfetto.spark.analyze(spark, few, "gpu", report=f"{scratch}/store")
    os.makedirs(f"{scratch}/local/viewfs:/store")
    os.symlink(traces, f"{scratch}/local/viewfs:/store/runs")
    same.at_once(few[:3], f"{scratch}/store_at_once", cwd=f"{scratch}/local")
    same.check_report("a store", f"{scratch}/store", f"{scratch}/store_at_once", few[3])
    rows = [row.asDict() for row in postfetto.spark.read(spark, few[0], "thread").collect()]
    check("rows of a store", rows == [{"file": few[0], **row} for row in rows_of(paths[0], "SELECT * FROM thread")], rows[:2])


def of_other_passes(spark):
    _, files = same.recordings(f"{scratch}/recordings")
    postfetto.spark.analyze(spark, files, "neutrino", report=f"{scratch}/recorded")
    same.check_pass("spark", "neutrino", files, f"{scratch}/recorded", "block_sched_2.json")
    postfetto.spark.analyze(spark, same.aiu_ranks(), "aiu", report=f"{scratch}/aiu")
    same.check_pass("spark", "aiu", same.aiu_ranks(), f"{scratch}/aiu", "processed_trace_summary.csv")


def examples(spark):
    with open(f"{scratch}/kernels.json", "w", encoding="utf-8") as file:
        json.dump(KERNELS, file)
    results = doctest.testmod(postfetto.spark, extraglobs={"spark": spark, "traces": f"{scratch}/kernels.json"})
    check("examples", results.attempted == 2 and not results.failed, results)


def main():
    paths = same.ranks(traces)
    spark = cluster()
    of_files(spark, paths)
    tables(spark, paths)
    of_a_store(spark, paths)
    of_other_passes(spark)
    examples(spark)
    spark.stop()
    same.end()


if __name__ == "__main__":
    main()
