-- The tables of host-bound gaps, computed a second time in SQL. w_said has the windows: number, start, end, launch.
CREATE PERFETTO TABLE h_window AS
SELECT w.id AS w, w.a, w.b, tt.utid FROM w_said w JOIN slice s ON s.name = w.launch JOIN thread_track tt ON tt.id = s.track_id;

CREATE PERFETTO TABLE h_state AS
SELECT id, ts, dur, utid, ucpu, blocked_function, waker_utid, waker_id, irq_context,
  CASE WHEN state = 'Running' THEN 'running' WHEN state = 'R' AND waker_utid IS NOT NULL THEN 'runnable' WHEN state GLOB 'R*' THEN 'preempted'
    WHEN state GLOB '[SI]*' THEN 'sleeping' WHEN state IS NULL THEN 'not known' ELSE 'blocked' END AS kind,
  CASE WHEN dur >= 0 THEN ts + dur WHEN lead(id) OVER (PARTITION BY utid ORDER BY id) IS NULL THEN 9000000000000000000 ELSE ts END AS te,
  row_number() OVER (PARTITION BY utid ORDER BY id) AS n
FROM thread_state;

CREATE PERFETTO TABLE h_part AS
SELECT w, a, b, s.*, max(ts, a) AS pa, min(te, b) AS pb, min(te, b) - max(ts, a) AS length
FROM h_window JOIN h_state s USING (utid) WHERE min(te, b) > max(ts, a);

CREATE PERFETTO TABLE h_sched AS
SELECT ts, utid, ucpu, CASE WHEN dur >= 0 THEN ts + dur WHEN lead(id) OVER (PARTITION BY ucpu ORDER BY id) IS NULL
  THEN 9000000000000000000 ELSE ts END AS te FROM sched;

CREATE PERFETTO TABLE h_taken AS
WITH ready AS (SELECT w, utid, pa, pb, (SELECT ucpu FROM h_state r WHERE r.utid = p.utid AND r.n < p.n AND r.kind = 'running'
    ORDER BY r.n DESC LIMIT 1) AS cpu FROM h_part p WHERE kind IN ('runnable', 'preempted')),
sums AS (SELECT w, s.utid, sum(min(te, pb) - max(ts, pa)) AS length FROM ready r JOIN h_sched s ON s.ucpu = r.cpu
    JOIN thread t ON t.utid = s.utid WHERE min(te, pb) > max(ts, pa) AND s.utid != r.utid AND t.tid != 0 GROUP BY w, s.utid)
SELECT w, length, group_concat(ifnull(nullif(name, ''), 'tid ' || tid), '|') AS names FROM sums s JOIN thread USING (utid)
WHERE length = (SELECT max(length) FROM sums o WHERE o.w = s.w) GROUP BY w;

CREATE PERFETTO TABLE h_run AS
SELECT w, utid, pa + length / 2 AS middle FROM (SELECT *, row_number() OVER (PARTITION BY w ORDER BY length DESC, n) AS place
  FROM h_part WHERE kind = 'running') WHERE place = 1;

CREATE PERFETTO TABLE h_wait AS
SELECT w, a, utid, n, blocked_function FROM (SELECT *, row_number() OVER (PARTITION BY w ORDER BY length DESC, n) AS place
  FROM h_part WHERE kind IN ('sleeping', 'blocked')) WHERE place = 1;

CREATE PERFETTO TABLE h_hop AS
WITH RECURSIVE hop(w, a, hop, row) AS (
  SELECT w, a, 1, (SELECT id FROM h_state s WHERE s.utid = h_wait.utid AND s.n = h_wait.n + 1 AND s.kind = 'runnable') FROM h_wait
  UNION ALL
  SELECT w, a, hop + 1, (SELECT q.id FROM h_state r JOIN h_state by ON by.id = r.waker_id AND by.utid = r.waker_utid
      JOIN h_state q ON q.utid = by.utid AND q.n < by.n AND q.kind = 'runnable' AND q.ts >= a
    WHERE r.id = hop.row AND ifnull(r.irq_context, 0) != 1 ORDER BY q.n DESC LIMIT 1)
  FROM hop WHERE row IS NOT NULL AND hop < 6)
SELECT w, hop, row FROM hop WHERE row IS NOT NULL;

-- Interrupts of the cpu that the thread of a part had, or ran on before it was ready, as a union.
CREATE PERFETTO TABLE h_interrupted AS
WITH part AS (SELECT w, pa, pb, iif(kind = 'running', ucpu, (SELECT ucpu FROM h_state r WHERE r.utid = p.utid AND r.n < p.n
    AND r.kind = 'running' ORDER BY r.n DESC LIMIT 1)) AS cpu FROM h_part p WHERE kind IN ('running', 'runnable', 'preempted')),
shared AS (SELECT w, pa, max(s.ts, pa) AS a, min(s.ts + s.dur, pb) AS b FROM part JOIN track t
    ON t.type IN ('cpu_irq', 'cpu_softirq') AND extract_arg(t.dimension_arg_set_id, 'cpu') = part.cpu
  JOIN slice s ON s.track_id = t.id WHERE s.dur > 0 AND min(s.ts + s.dur, pb) > max(s.ts, pa))
SELECT w, sum(max(b - max(a, ifnull(before, a)), 0)) AS length FROM (SELECT w, a, b, max(b) OVER (PARTITION BY w, pa ORDER BY a, b
  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM shared) GROUP BY w;

-- @name host_gaps
SELECT w.w, t.tid AS thread,
  ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind = 'running'), 0) AS running_ns,
  ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind = 'runnable'), 0) AS runnable_ns,
  ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind = 'preempted'), 0) AS preempted_ns,
  ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind = 'sleeping'), 0) AS sleeping_ns,
  ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind = 'blocked'), 0) AS blocked_ns,
  w.b - w.a - ifnull((SELECT sum(length) FROM h_part p WHERE p.w = w.w AND kind != 'not known'), 0) AS unknown_ns,
  ifnull((SELECT length FROM h_interrupted i WHERE i.w = w.w), 0) AS interrupt_ns,
  (SELECT s.name FROM slice s JOIN thread_track tt ON tt.id = s.track_id WHERE tt.utid = r.utid AND s.dur >= 0 AND s.ts <= middle
    AND s.ts + s.dur > middle ORDER BY s.id DESC LIMIT 1) AS running_slice,
  k.names AS cpu_taken_by, ifnull(k.length, 0) AS cpu_taken_ns,
  h_wait.blocked_function
FROM h_window w JOIN thread t USING (utid) LEFT JOIN h_run r ON r.w = w.w LEFT JOIN h_taken k ON k.w = w.w LEFT JOIN h_wait ON h_wait.w = w.w;

-- @name host_wakers
SELECT h.w, h.hop AS number, t.tid AS thread, ifnull(nullif(t.name, ''), 'tid ' || t.tid) AS thread_name, s.ts AS woken_ns,
  s.irq_context AS interrupt,
  CASE WHEN q.id IS NULL THEN NULL ELSE ifnull((SELECT max(p.dur, 0) FROM h_state p WHERE p.utid = q.utid AND p.n = q.n - 1
    AND p.kind IN ('sleeping', 'blocked')), 0) END AS blocked_ns,
  max(q.dur, 0) AS runnable_ns
FROM h_hop h JOIN h_state s ON s.id = h.row JOIN thread t ON t.utid = s.waker_utid
LEFT JOIN h_hop next ON next.w = h.w AND next.hop = h.hop + 1 LEFT JOIN h_state q ON q.id = next.row
WHERE h.hop <= 5;

-- @name states
SELECT count(*) AS n FROM thread_state;
