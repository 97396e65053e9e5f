-- @name sched
SELECT s.ts, s.dur, s.ucpu, t.tid, t.name, p.pid, s.end_state, s.priority FROM sched s JOIN thread t USING (utid)
LEFT JOIN process p USING (upid) ORDER BY 1, 3, 2, 4, 5, 6, 7, 8;

-- @name thread_states
SELECT s.ts, s.dur, s.ucpu, t.tid, t.name, p.pid, s.state, s.io_wait, s.blocked_function, s.irq_context, wt.tid AS waker,
  w.ts AS waker_ts, w.ucpu AS waker_cpu
FROM thread_state s JOIN thread t ON t.utid = s.utid LEFT JOIN process p USING (upid)
LEFT JOIN thread wt ON wt.utid = s.waker_utid LEFT JOIN thread_state w ON w.id = s.waker_id
ORDER BY 1, 4, 5, 7, 2, 3, 6, 8, 9, 10, 11, 12, 13;

-- @name spurious_wakeups
SELECT s.ts, t.tid, t.name, wt.tid AS waker, s.irq_context, x.ts AS state_ts, x.state FROM spurious_sched_wakeup s
JOIN thread t ON t.utid = s.utid JOIN thread wt ON wt.utid = s.waker_utid JOIN thread_state x ON x.id = s.thread_state_id
ORDER BY 1, 2, 3, 4, 5, 6, 7;

-- @name ftrace_counts
SELECT name, ucpu, count(*) AS events, min(ts) AS first, max(ts) AS last FROM ftrace_event GROUP BY 1, 2 ORDER BY 1, 2;

-- @name ftrace_events
SELECT r.ts, r.ucpu, r.name, t.tid, r.common_flags, (SELECT group_concat(k, ' ') FROM (SELECT a.key || '=' || a.display_value AS k
  FROM args a WHERE a.arg_set_id = r.arg_set_id ORDER BY a.id)) AS args
FROM ftrace_event r JOIN thread t USING (utid) ORDER BY 1, 2, 3, 4, 5, 6;

-- @name cpus
SELECT cpu, cluster_id, processor, capacity, machine_id FROM cpu ORDER BY 5, 1, 2, 3, 4;

-- @name frequencies
SELECT cpu, freq, ucpu FROM cpu_available_frequencies ORDER BY 1, 2, 3;

-- @name machines
SELECT raw_id, sysname, release, version, arch, num_cpus FROM machine ORDER BY 1, 2, 3, 4, 5, 6;

-- @name ftrace_stats
SELECT name, idx, severity, source, value FROM stats
WHERE value != 0 AND (name GLOB 'ftrace_*' OR name GLOB '*sched*' OR name = 'systrace_parse_failure') ORDER BY 1, 2;
