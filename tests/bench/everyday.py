"""everyday.py: questions that people ask of every trace, by what they are about; all of one case run in one session.

Of a trace with slices of 12 processes, flows, counters (`GENERAL`), and of one in which every slice has three arguments
(`ARGUMENTS`), whose first question makes the table of arguments; Perfetto's engine has it from its import. `JOINED` are
those that tp_query does not end in two minutes.
"""

HALF = "(SELECT start_ts + (end_ts - start_ts) / 2 FROM trace_bounds)"

GENERAL = {
    "count, sum": "SELECT count(*), sum(dur) FROM slice",
    "by track": "SELECT track_id, count(*), sum(dur) FROM slice GROUP BY track_id",
    "by name": "SELECT name, count(*) FROM slice GROUP BY name",
    "top names by time": "SELECT name, sum(dur) AS d FROM slice GROUP BY name ORDER BY d DESC LIMIT 10",
    "top names by number": "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY n DESC LIMIT 10",
    "means of long ones": "SELECT name, avg(dur) AS d, max(dur) FROM slice WHERE dur > 1000 GROUP BY name ORDER BY d DESC LIMIT 10",
    "by depth": "SELECT depth, count(*) FROM slice GROUP BY depth",
    "by category": "SELECT category, count(*) FROM slice GROUP BY category",
    "by millisecond": "SELECT ts / 1000000 AS ms, count(*) FROM slice GROUP BY ms ORDER BY ms LIMIT 10",
    "window of time": f"SELECT count(*), sum(dur) FROM slice WHERE ts BETWEEN (SELECT start_ts FROM trace_bounds) + 1000000 AND {HALF}",
    "glob": "SELECT count(*) FROM slice WHERE name GLOB '*a*'",
    "like": "SELECT count(*) FROM slice WHERE name LIKE '%a%'",
    "names": "SELECT DISTINCT name FROM slice",
    "number of names": "SELECT count(DISTINCT name) FROM slice",
    "by thread": "SELECT thread.name, count(*) FROM slice JOIN thread_track ON slice.track_id = thread_track.id "
                 "JOIN thread USING (utid) GROUP BY thread.name",
    "by process": "SELECT p.name, sum(s.dur) FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid) "
                  "LEFT JOIN process p USING (upid) GROUP BY 1",
    "commonest names by thread": "SELECT t.name, sum(s.dur) FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) "
                                 "WHERE s.name IN (SELECT name FROM slice GROUP BY name ORDER BY count(*) DESC LIMIT 3) GROUP BY t.name",
    "longest": "SELECT name, ts, dur FROM slice ORDER BY dur DESC LIMIT 10",
    "longest by id": "SELECT name, dur FROM slice WHERE id IN (SELECT id FROM slice ORDER BY dur DESC LIMIT 100)",
    "in the order of time taken": "SELECT dur FROM slice ORDER BY dur",
    "row_number": "SELECT name, dur, row_number() OVER (PARTITION BY name ORDER BY ts) AS r FROM slice ORDER BY r DESC LIMIT 5",
    "lag": "SELECT sum(gap) FROM (SELECT ts - lag(ts + dur) OVER (PARTITION BY track_id ORDER BY ts) AS gap FROM slice)",
    "lead": "SELECT sum(next - ts) FROM (SELECT ts, lead(ts) OVER (PARTITION BY track_id ORDER BY ts) AS next FROM slice)",
    "ntile": "WITH x AS (SELECT dur, ntile(4) OVER (ORDER BY dur) AS q FROM slice) SELECT q, min(dur), max(dur) FROM x GROUP BY q",
    "percentile": "SELECT name, percentile(dur, 95) FROM slice GROUP BY name LIMIT 5",
    "share": "SELECT (SELECT count(*) FROM slice WHERE dur < 10000) * 1.0 / count(*) FROM slice",
    "parents": "SELECT count(*) FROM slice s JOIN slice p ON s.parent_id = p.id WHERE p.dur > 1000",
    "names of those with parents": "SELECT a.name, count(*) FROM slice a, slice b WHERE a.parent_id = b.id GROUP BY a.name ORDER BY 2 DESC LIMIT 3",
    "names of parents": "SELECT s.id, (SELECT name FROM slice p WHERE p.id = s.parent_id) FROM slice s LIMIT 100000",
    "descendants": "SELECT s.id, (SELECT count(*) FROM descendant_slice(s.id)) FROM slice s WHERE depth = 0 LIMIT 1000",
    "containment by times": "SELECT count(*) FROM slice a JOIN slice b ON a.track_id = b.track_id AND b.ts >= a.ts AND b.ts + b.dur <= a.ts + a.dur "
                            "AND b.id != a.id WHERE a.id < 20",
    "not ended": "SELECT count(*) FROM slice WHERE dur = -1",
    "flows": "SELECT count(*), sum(a.dur), sum(b.dur) FROM flow f JOIN slice a ON f.slice_out = a.id JOIN slice b ON f.slice_in = b.id",
    "counters": "SELECT t.name, count(*), avg(value) FROM counter c JOIN counter_track t ON c.track_id = t.id GROUP BY t.name",
    "counters from the half": f"SELECT max(value) FROM counter WHERE ts > {HALF}",
    "table": "CREATE TABLE kept AS SELECT id, ts, dur, name FROM slice",
}

FIRST = "first use"

ARGUMENTS = {
    FIRST: "SELECT count(*) FROM args",
    "extract_arg": "SELECT sum(extract_arg(arg_set_id, 'debug.bytes')) FROM slice",
    "by an argument": "SELECT extract_arg(arg_set_id, 'debug.op') AS op, count(*) FROM slice GROUP BY op ORDER BY 2 DESC LIMIT 5",
    "one key": "SELECT count(*), sum(int_value) FROM args WHERE key = 'debug.bytes'",
    "by key": "SELECT key, count(*) FROM args GROUP BY key",
}

JOINED = {
    FIRST: "SELECT count(*) FROM args",
    "by name": "SELECT s.name, sum(a.int_value) FROM slice s JOIN args a USING (arg_set_id) WHERE a.key = 'debug.bytes' GROUP BY s.name",
    "two keys": "SELECT count(*) FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id AND a.key = 'debug.op' "
                "JOIN args b ON b.arg_set_id = s.arg_set_id AND b.key = 'debug.bytes'",
}

# What SQLite takes for itself where it sets the bound: the same work over rows of a bare virtual table t(a, b, c), whose
# functions do nothing but give the next two numbers and one of 192 names (vtab.c); a ascends, b is random. As many rows as the question goes over.
ROWS, MANY, COUNTERS, WITH_ARGUMENTS = 1231333, 2500000, 103550, 697106
BARE = {
    "count, sum of 2.5 M": (MANY, "SELECT count(*), sum(b) FROM t"),
    "by millisecond": (ROWS, "SELECT a / 1000000 AS ms, count(*) FROM t GROUP BY ms ORDER BY ms LIMIT 10"),
    "number of names": (ROWS, "SELECT count(DISTINCT c) FROM t"),
    "table": (ROWS, "CREATE TEMP TABLE kept AS SELECT a, b, b AS d, c FROM t"),
    "window of time": (ROWS // 2, "SELECT count(*), sum(b) FROM t"),
    "by thread": (ROWS, "SELECT sum(b), count(*), max(a) FROM t"),
    "lag": (ROWS, "SELECT sum(gap) FROM (SELECT a - lag(a + b) OVER () AS gap FROM t)"),
    "lead": (ROWS, "SELECT sum(next - a) FROM (SELECT a, lead(a) OVER () AS next FROM t)"),
    "ntile": (ROWS, "WITH x AS (SELECT b, ntile(4) OVER () AS q FROM t) SELECT q, min(b), max(b) FROM x GROUP BY q"),
    "share": (ROWS, "SELECT count(*), sum(a) FROM t"),
    "counters": (COUNTERS, "SELECT b / 997, count(*), avg(a) FROM t"),
    "by an argument": (WITH_ARGUMENTS, "SELECT substr('fusedplainsplitretry', b % 4 * 5 + 1, 5) AS op, count(*) FROM t GROUP BY op ORDER BY 2 DESC LIMIT 5"),
    "one key": (WITH_ARGUMENTS, "SELECT count(*), sum(b) FROM t"),
}
