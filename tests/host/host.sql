-- The tables of `analyze host`, computed a second time in SQL. Times are nanoseconds; rows in no order.
-- Without a scheduler interrupts and samples of frequencies are the span.
CREATE PERFETTO TABLE h_span AS
WITH scheduler AS (SELECT ts, dur FROM sched UNION ALL SELECT ts, dur FROM thread_state),
others AS (SELECT ts, dur FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type IN ('cpu_irq', 'cpu_softirq')
  UNION ALL SELECT ts, 0 FROM counter c JOIN track t ON t.id = c.track_id WHERE t.type = 'cpu_frequency')
SELECT min(ts) AS start, max(ts + max(dur, 0)) AS finish
FROM (SELECT * FROM scheduler UNION ALL SELECT * FROM others WHERE NOT EXISTS (SELECT 1 FROM scheduler));

CREATE PERFETTO TABLE h_runs AS
SELECT s.id, s.ts, s.ucpu, t.tid,
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

-- Interrupts with an end: what each adds to the union of all of its cpu, by the last end before it.
CREATE PERFETTO TABLE h_irqs AS
SELECT s.id, s.ts, s.dur, s.name, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu, iif(t.type = 'cpu_irq', 'irq', 'softirq') AS kind
FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type IN ('cpu_irq', 'cpu_softirq');

CREATE PERFETTO TABLE h_interrupted AS
SELECT cpu, sum(max(ts + dur - max(ts, ifnull(before, ts)), 0)) AS interrupts FROM (
  SELECT cpu, ts, dur, max(ts + dur) OVER (PARTITION BY cpu ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM h_irqs WHERE dur > 0) GROUP BY cpu;

-- From each sample of a frequency to the next one of the cpu, cut to the span.
CREATE PERFETTO TABLE h_clocked AS
SELECT cpu, khz, max(ts, start) AS ts, min(until, finish) AS te FROM (
  SELECT extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu, CAST(value AS INT) AS khz, c.ts, ifnull(lead(c.ts) OVER (
    PARTITION BY extract_arg(t.dimension_arg_set_id, 'cpu') ORDER BY c.ts, c.id), finish) AS until, start, finish
  FROM counter c JOIN track t ON t.id = c.track_id, h_span WHERE t.type = 'cpu_frequency')
WHERE min(until, finish) > max(ts, start);

-- @name host_cpus
SELECT ucpu AS cpu, sum(iif(tid != 0, length, 0)) AS running, sum(iif(tid = 0, length, 0)) AS idle,
  ifnull((SELECT interrupts FROM h_interrupted WHERE cpu = ucpu), 0) AS interrupts, sum(tid != 0) AS runs, ifnull(n, 0) AS delays, p50 AS delay_p50, p95 AS delay_p95, p99 AS delay_p99, most AS delay_most
FROM h_runs LEFT JOIN h_delays ON what = 'cpu' AND number = ucpu GROUP BY ucpu;

-- @name host_frequencies
WITH shared AS (SELECT cpu, khz, tid, max(min(c.te, r.ts + r.length) - max(c.ts, r.ts), 0) AS both
  FROM h_clocked c JOIN h_runs r ON r.ucpu = c.cpu AND r.ts < c.te AND r.ts + r.length > c.ts)
SELECT cpu, khz AS frequency, sum(te - ts) AS time,
  ifnull((SELECT sum(both) FROM shared s WHERE s.cpu = c.cpu AND s.khz = c.khz AND tid != 0), 0) AS running,
  ifnull((SELECT sum(both) FROM shared s WHERE s.cpu = c.cpu AND s.khz = c.khz AND tid = 0), 0) AS idle
FROM h_clocked c GROUP BY cpu, khz;

-- @name host_interrupts
SELECT cpu, kind, name, count(*) AS count, sum(max(dur, 0)) AS total, max(max(dur, 0)) AS longest,
  (SELECT min(ts) FROM h_irqs o WHERE o.cpu = i.cpu AND o.kind = i.kind AND ifnull(o.name, '') = ifnull(i.name, '')
    AND max(o.dur, 0) = max(max(i.dur, 0))) AS longest_start
FROM h_irqs i GROUP BY cpu, kind, name;

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

-- What JSON has of each cpu: all that is not the idle thread.
-- @name json_runs
SELECT s.ts, s.dur, s.ucpu, ifnull(nullif(t.name, ''), t.tid) AS name, t.tid, p.pid, s.priority, s.end_state
FROM sched s JOIN thread t USING (utid) LEFT JOIN process p USING (upid) WHERE t.tid != 0;
