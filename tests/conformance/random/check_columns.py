"""Names, order and types of the columns of all tables and views of docs/reference/perfetto.md, as Perfetto's engine has them.

  check_columns.py POSTFETTO CORPUS TOOLS WORK

Names come from SELECT * on one trace. Types are those of the values in the traces of some areas of CORPUS/perfetto; a
table is compared where both have the same number of rows, since data that postfetto does not decode gives the engine more.
"""
import collections
import csv
import glob
import json
import os
import shutil
import subprocess
import sys

TABLES = """slice slices instant thread process track __intrinsic_track thread_track process_track cpu_track gpu_track counter
counters counter_track process_counter_track thread_counter_track cpu_counter_track gpu_counter_track args flow metadata stats
clock_snapshot trace_bounds machine gpu gpu_slice gpu_counter_group android_logs stack_profile_callsite stack_profile_frame
stack_profile_mapping __intrinsic_track_event_callstacks __intrinsic_trace_file __intrinsic_trace_import_logs thread_slice
process_slice thread_or_process_slice""".split()
NEWER = {  # columns of v58 that the engine of v55.3 lacks
    "stats": {"id", "key", "machine_id", "trace_id"}, "machine": {"name"}, "stack_profile_frame": {"category"},
    "__intrinsic_track_event_callstacks": {"weight"},
}
OURS = {"process": {"input_id"}, "metadata": {"input_id"}, "stats": {"loss", "input_id"}}  # last, after the engine's own
OTHERWISE = {  # columns that are empty, or not, for a reason
    "metadata.machine_id": "v55.3 has none for the host",
    "metadata.trace_id": "v55.3 has none where there is one file",
    "__intrinsic_trace_file.name": "the engine is given bytes without a name",
    "thread.name": "the engine calls thread 0 swapper",
    "thread.arg_set_id": "explicit orders are of v58",
    "process.arg_set_id": "explicit orders are of v58",
    "thread.start_ts": "scheduling events are not decoded",
    "process.start_ts": "scheduling events are not decoded",
    "process.end_ts": "scheduling events are not decoded",
}
DOCUMENTED = "process_stats"  # where the engine documents its counters (docs/conformance.md)
AREAS = ("track_event", "graphics", "process_tracking", "chrome")
PRELUDE = "INCLUDE PERFETTO MODULE slices.with_context;\n"


def read(folder, section):
    path = os.path.join(folder, section + ".csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def write_queries(path, columns):
    """The names of all columns if `columns` is empty, else the types of the values in them."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(PRELUDE)
        for table in TABLES:
            names = ", ".join(f"typeof({name})" for name in columns.get(table, []))
            file.write(f"-- @name {table}\nSELECT {names or '*'} FROM {table} LIMIT {100000 if names else 0};\n")


def run_both(postfetto, tools, traces, queries, work):
    """Folders of the sections of both, trace by trace."""
    jobs = [{"trace": trace, "queries": queries, "out": os.path.join(work, f"engine{i}")} for i, trace in enumerate(traces)]
    batch = os.path.join(work, "batch.json")
    with open(batch, "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    subprocess.run(["node", os.path.join(tools, "tp_query.mjs"), "--batch", batch], cwd=tools, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for i, job in enumerate(jobs):
        ours = os.path.join(work, f"ours{i}")
        said = subprocess.run([postfetto, "query", "-q", job["trace"], "-f", queries, "-d", ours], check=False,
                              capture_output=True, text=True)
        if said.returncode:
            print(f"FAIL {job['trace']}: {said.stderr.strip()}")
        yield job["trace"], job["out"], ours


def check_names(postfetto, tools, trace, work):
    """Descriptions of what differs, and the columns by table."""
    queries = os.path.join(work, "names.sql")
    write_queries(queries, {})
    problems, columns = [], {}
    for _, theirs, ours in run_both(postfetto, tools, [trace], queries, work):
        for table in TABLES:
            want, got = read(theirs, table), read(ours, table)
            if not want or not got:
                problems.append(f"{table}: {'the engine' if not want else 'postfetto'} does not know it")
                continue
            columns[table] = want[0]
            known = [name for name in got[0] if name not in NEWER.get(table, ())]
            own = len(OURS.get(table, ()))
            if own and set(known[-own:]) == OURS[table]:
                known = known[:-own]
            if known != want[0]:
                problems.append(f"{table}: columns {' '.join(known)} instead of {' '.join(want[0])}")
    return problems, columns


def types_of(rows, at):
    return dict(collections.Counter(row[at] for row in rows))


def check_types(postfetto, tools, traces, columns, work):
    queries, problems, compared = os.path.join(work, "types.sql"), [], 0
    write_queries(queries, columns)
    for trace, theirs, ours in run_both(postfetto, tools, traces, queries, work):
        for table, names in columns.items():
            want, got = read(theirs, table), read(ours, table)
            if not want or not got or len(want) != len(got) or len(want) == 1:
                continue
            compared += 1
            for i, name in enumerate(names):
                expected = f"{table}.{name}" in OTHERWISE or (DOCUMENTED in trace and "track" in table)
                if not expected and types_of(want[1:], i) != types_of(got[1:], i):
                    problems.append(f"{trace}: types of {table}.{name}: {types_of(got[1:], i)} instead of "
                                    f"{types_of(want[1:], i)}")
    return problems, compared


def main():
    postfetto, corpus, tools, work = (os.path.abspath(path) for path in sys.argv[1:5])
    work = os.path.join(work, "columns")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    traces = sorted(path for area in AREAS for path in glob.glob(f"{corpus}/perfetto/{area}/*/trace.pftrace"))
    if not traces:
        print("columns skipped: no perfetto/ in the corpus")
        return 0
    problems, columns = check_names(postfetto, tools, traces[0], work)
    more, compared = check_types(postfetto, tools, traces, columns, work)
    problems += more
    for problem in problems:
        print(f"FAIL {problem}"[:600])
    print(f"columns: {len(columns)} tables by name, {compared} by type in {len(traces)} traces, {len(problems)} failed")
    return 1 if problems or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
