-- What is compared of a trace: rows with the ids that expect.py restricts to a window and then leaves out.
CREATE PERFETTO TABLE c_track AS
WITH dims AS (
  SELECT t.id,
    max(CASE WHEN a.flat_key = 'utid' THEN a.int_value END) AS utid,
    max(CASE WHEN a.flat_key = 'upid' THEN a.int_value END) AS upid
  FROM track t LEFT JOIN args a ON a.arg_set_id = t.dimension_arg_set_id
  GROUP BY t.id
)
SELECT t.id, t.name, t.type, t.parent_id, t.dimension_arg_set_id, t.source_arg_set_id,
  p.pid, p.name AS process_name, th.tid, th.name AS thread_name
FROM track t
JOIN dims d ON d.id = t.id
LEFT JOIN thread th ON th.utid = d.utid
LEFT JOIN process p ON p.upid = coalesce(d.upid, th.upid);

-- @name tracks
SELECT t.id, t.parent_id, t.name, t.type, ct.unit, t.pid, t.process_name, t.tid, t.thread_name,
  t.dimension_arg_set_id, t.source_arg_set_id
FROM c_track t LEFT JOIN counter_track ct ON ct.id = t.id;

-- @name slices
SELECT id, ts, dur, depth, name, category, track_id, parent_id, arg_set_id,
  thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta
FROM slice;

-- @name counters
SELECT id, ts, track_id, value, arg_set_id FROM counter ORDER BY ts, id;

-- @name flows
SELECT slice_out, slice_in, arg_set_id, trace_id FROM flow;

-- @name args
SELECT arg_set_id, key, value_type, int_value, real_value, string_value FROM args
WHERE arg_set_id IN (
  SELECT arg_set_id FROM slice UNION SELECT arg_set_id FROM counter
  UNION SELECT source_arg_set_id FROM track UNION SELECT dimension_arg_set_id FROM track);

-- @name errors
SELECT name, coalesce(idx, -1), sum(value) FROM stats WHERE value != 0 AND severity IN ('error', 'data_loss') GROUP BY 1, 2;
