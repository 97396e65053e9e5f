-- The tables of `analyze host`, computed a second time in SQL. Times are nanoseconds; rows in no order.
CREATE PERFETTO TABLE h_span AS
SELECT min(ts) AS start, max(ts + max(dur, 0)) AS finish
FROM (SELECT ts, dur FROM sched UNION ALL SELECT ts, dur FROM thread_state);

CREATE PERFETTO TABLE h_runs AS
SELECT s.id, s.ucpu, t.tid,
  CASE WHEN dur >= 0 THEN dur WHEN lead(s.id) OVER (PARTITION BY ucpu ORDER BY s.id) IS NULL THEN max(finish - ts, 0)
    ELSE 0 END AS length
FROM sched s JOIN thread t USING (utid), h_span;

CREATE PERFETTO TABLE h_states AS
SELECT s.id, s.ts, s.dur, s.utid, s.ucpu, s.io_wait, s.blocked_function, s.waker_utid,
  CASE WHEN state = 'Running' THEN 'running' WHEN state = 'R+' OR state = 'R' AND waker_utid IS NULL THEN 'preempted'
    WHEN state = 'R' THEN 'ready' WHEN state GLOB 'D*' THEN 'blocked' WHEN state GLOB '[SI]*' THEN 'sleeping'
    ELSE 'other' END AS kind,
  CASE WHEN dur >= 0 THEN dur WHEN lead(s.id) OVER (PARTITION BY utid ORDER BY s.id) IS NULL THEN max(finish - ts, 0)
    ELSE 0 END AS length,
  lead(state) OVER (PARTITION BY utid ORDER BY s.id) = 'Running' AS runs_next,
  lead(ucpu) OVER (PARTITION BY utid ORDER BY s.id) AS next_cpu,
  sum(state = 'Running') OVER (PARTITION BY utid ORDER BY s.id) AS run
FROM thread_state s, h_span;

-- A delay: ready, then running. Once for all, once for each thread and cpu; then the values at the ranks.
CREATE PERFETTO TABLE h_delays AS
WITH delay AS (SELECT dur, utid, next_cpu FROM h_states WHERE kind IN ('ready', 'preempted') AND dur >= 0 AND runs_next = 1),
grouped AS (SELECT 'all' AS what, 0 AS number, dur FROM delay UNION ALL SELECT 'thread', utid, dur FROM delay
  UNION ALL SELECT 'cpu', next_cpu, dur FROM delay),
ranked AS (SELECT what, number, dur, row_number() OVER (PARTITION BY what, number ORDER BY dur) AS rank,
  count(*) OVER (PARTITION BY what, number) AS n FROM grouped)
SELECT what, number, n, max(iif(rank = (n * 50 + 99) / 100, dur, 0)) AS p50, max(iif(rank = (n * 95 + 99) / 100, dur, 0)) AS p95,
  max(iif(rank = (n * 99 + 99) / 100, dur, 0)) AS p99, max(dur) AS most
FROM ranked GROUP BY what, number;

CREATE PERFETTO TABLE h_threads AS
SELECT utid, sum(iif(kind = 'running', length, 0)) AS running, sum(iif(kind = 'ready', length, 0)) AS ready,
  sum(iif(kind = 'preempted', length, 0)) AS preempted, sum(iif(kind = 'blocked', length, 0)) AS blocked,
  sum(iif(kind = 'blocked' AND io_wait = 1, length, 0)) AS io, sum(iif(kind = 'sleeping', length, 0)) AS sleeping,
  sum(kind = 'running') AS runs, sum(kind = 'preempted') AS preemptions,
  (SELECT count(*) FROM (SELECT ucpu, lag(ucpu) OVER (ORDER BY id) AS before FROM h_states r
    WHERE r.utid = s.utid AND kind = 'running') WHERE ucpu != before) AS migrations
FROM h_states s GROUP BY utid;

-- @name host_cpus
SELECT ucpu AS cpu, sum(iif(tid != 0, length, 0)) AS running, sum(iif(tid = 0, length, 0)) AS idle, sum(tid != 0) AS runs,
  ifnull(n, 0) AS delays, p50 AS delay_p50, p95 AS delay_p95, p99 AS delay_p99, most AS delay_most
FROM h_runs LEFT JOIN h_delays ON what = 'cpu' AND number = ucpu GROUP BY ucpu;

-- @name host_processes
SELECT p.name AS process, p.pid, count(*) AS threads, sum(running) AS running, sum(ready) AS ready, sum(preempted) AS preempted,
  sum(blocked) AS blocked, sum(io) AS io, sum(sleeping) AS sleeping, sum(runs) AS runs
FROM h_threads JOIN thread USING (utid) LEFT JOIN process p USING (upid) GROUP BY upid;

-- @name host_threads
SELECT t.name AS thread, t.tid, p.name AS process, p.pid, running, ready, preempted, blocked, io, sleeping, runs, preemptions,
  migrations, ifnull(n, 0) AS delays, p50 AS delay_p50, p95 AS delay_p95, p99 AS delay_p99, most AS delay_most
FROM h_threads JOIN thread t USING (utid) LEFT JOIN process p USING (upid) LEFT JOIN h_delays ON what = 'thread' AND number = utid;

-- Of each time between two runs: its first row, its last one, the run that ends it.
-- @name host_waits
WITH off AS (SELECT * FROM h_states WHERE kind != 'running' AND run > 0),
parts AS (
  SELECT utid, run, min(id), kind, ts, blocked_function AS function, NULL AS ready, NULL AS waker_utid, NULL AS finish, NULL AS lost
    FROM off GROUP BY utid, run
  UNION ALL SELECT utid, run, max(id), NULL, NULL, NULL, iif(kind IN ('ready', 'preempted'), dur, 0), waker_utid, NULL, NULL
    FROM off GROUP BY utid, run
  UNION ALL SELECT utid, run - 1, NULL, NULL, NULL, NULL, NULL, NULL, ts, NULL FROM h_states WHERE kind = 'running'
  UNION ALL SELECT utid, run, NULL, NULL, NULL, NULL, NULL, NULL, NULL, max(dur < 0) FROM off GROUP BY utid, run),
waits AS (SELECT utid, max(kind) AS wait, max(ts) AS start, max(finish) - max(ts) AS length, max(function) AS function,
  max(ready) AS ready, max(waker_utid) AS waker_utid FROM parts GROUP BY utid, run
  HAVING max(lost) = 0 AND max(finish) >= max(ts) AND max(kind) IN ('blocked', 'preempted', 'sleeping')),
ranked AS (SELECT *, row_number() OVER (PARTITION BY wait ORDER BY length DESC) AS rank FROM waits)
SELECT wait, t.name AS thread, t.tid, p.name AS process, start, length, ready, function, w.name AS waker, w.tid AS waker_tid
FROM ranked JOIN thread t USING (utid) LEFT JOIN process p USING (upid) LEFT JOIN thread w ON w.utid = ranked.waker_utid
WHERE rank <= 20;

-- @name host_delays
SELECT n AS count, p50, p95, p99, most FROM h_delays WHERE what = 'all';
