"""check.py POSTFETTO FIXTURES CORPUS WORK: several inputs in one trace against each of them alone, both read by the engine."""
import collections
import csv
import glob
import os
import subprocess
import sys

PROCESS = """left join (
  select tt.id as track_id, upid, tid from thread_track tt join thread using (utid)
  union all select id, upid, null from process_track
  union all select ct.id, upid, tid from thread_counter_track ct join thread using (utid)
  union all select id, upid, null from process_counter_track
) o using (track_id) left join process p using (upid)"""
SQL = f"""-- @name slices
SELECT p.pid, p.upid, o.tid, s.ts, s.dur, s.depth, s.name, s.category,
  (SELECT count(*) FROM args a WHERE a.arg_set_id = s.arg_set_id) AS arguments
FROM slice s {PROCESS};
-- @name counters
SELECT p.pid, p.upid, o.tid, s.ts, s.value, t.name FROM counter s JOIN counter_track t ON t.id = s.track_id {PROCESS};
-- @name flows
SELECT i.ts AS ts, j.ts AS ts2, i.name AS "from", j.name AS "to"
FROM flow f JOIN slice i ON i.id = f.slice_out JOIN slice j ON j.id = f.slice_in;
"""
GLOBAL = ("", "")  # what belongs to no process


def convert(postfetto, inputs, out, *options):
    subprocess.run([postfetto, "convert", "-q", *options, *inputs, "-o", out], check=True)


def ask(work, trace):
    """{section: rows} of the engine."""
    queries, out = os.path.join(work, "inputs.sql"), trace + ".out"
    with open(queries, "w", encoding="utf-8") as file:
        file.write(SQL)
    subprocess.run(["node", "tp_query.mjs", trace, "-f", queries, "-o", out], check=True, cwd=os.path.join(work, "tp_query"),
                   stdout=subprocess.DEVNULL)
    sections = {}
    for name in ("slices", "counters", "flows"):
        path = os.path.join(out, name + ".csv")
        with open(path, newline="", encoding="utf-8") as file:
            sections[name] = list(csv.DictReader(file))
    return sections


def by_process(sections, name, left_out=()):
    """What each process holds, as a multiset of rows; the keys are (pid, upid)."""
    found = collections.defaultdict(collections.Counter)
    for row in sections[name]:
        key = row["pid"], row["upid"]
        if row["tid"] == row["pid"]:
            row["tid"] = "main"  # goes with the pid, which is another one where pids collide
        elif row["tid"] and int(row["tid"]) >= 1 << 32:
            row["tid"] = "text"  # texts as tids are numbered in the order of the whole trace
        found[key][tuple(v for k, v in row.items() if k not in ("pid", "upid", *left_out))] += 1
    return found


def as_bag(processes):
    return collections.Counter(frozenset(rows.items()) for rows in processes)


def apart(common, alone):
    """Every process of one input, unchanged."""
    for name in ("slices", "counters"):
        parts, whole = [by_process(one, name) for one in alone], by_process(common, name)
        outside = sum((part.pop(GLOBAL, collections.Counter()) for part in parts), collections.Counter())
        if outside != whole.pop(GLOBAL, collections.Counter()):
            return f"{name}: other ones outside of processes"
        want, got = as_bag(rows for part in parts for rows in part.values()), as_bag(whole.values())
        if want != got:
            return f"{name}: {sum(got.values())} processes that hold other than the {sum(want.values())} of the inputs"
    return same_flows(common, alone)


def together(common, alone):
    """Processes of one pid are one; what lies on the same thread may nest otherwise."""
    for name in ("slices", "counters"):
        want, got = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        for one in alone:
            for (pid, _), rows in by_process(one, name, ("depth", "dur")).items():
                want[pid].update(rows)
        for (pid, _), rows in by_process(common, name, ("depth", "dur")).items():
            if pid in got:
                return f"{name}: two processes have pid {pid}"
            got[pid] = rows
        if want != got:
            return f"{name}: other than those of the inputs by pid"
    return None


def same_flows(common, alone):
    want = collections.Counter(tuple(row.values()) for one in alone for row in one["flows"])
    got = collections.Counter(tuple(row.values()) for row in common["flows"])
    return None if want == got else f"flows: {sum(got.values())} instead of {sum(want.values())}, or others"


def main():
    postfetto, fixtures, corpus, work = sys.argv[1:5]
    work_here = os.path.join(work, "inputs")
    os.makedirs(work_here, exist_ok=True)
    small = [os.path.join(fixtures, name) for name in ("aie_small.json", "aie_small.pftrace")]
    torch = sorted(glob.glob(f"{corpus}/real/torch-*/trace.json*"), key=os.path.getsize)[:3]
    ranks = sorted(glob.glob(f"{corpus}/aiu/tp4/*.json"))
    jobs = sorted(glob.glob(f"{corpus}/aiu/jobs_overflow/*.json"))
    sets = [("four ranks of an AIU run", ranks, (), apart), ("five jobs of one rank", jobs, (), together),
            ("a format each", small + ranks[:1], (), apart), ("PyTorch traces", torch, (), apart),
            ("one number space", ranks + jobs[:1], ("--merge-pids",), together)]
    failed = 0
    for number, (name, inputs, options, compare) in enumerate(sets):
        common = os.path.join(work_here, f"{number}.pftrace")
        convert(postfetto, inputs, common, *options)
        alone = []
        for i, path in enumerate(inputs):
            one = os.path.join(work_here, f"{number}-{i}.pftrace")
            convert(postfetto, [path], one)
            alone.append(ask(work, one))
        found = ask(work, common)
        problem = compare(found, alone) if found["slices"] else "no slice"
        failed += problem is not None
        print(f"{'not ok' if problem else 'ok'} {name}{': ' + problem if problem else ''}")
    print(f"{len(sets) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
