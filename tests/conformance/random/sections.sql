-- @name callstacks
SELECT s.ts, s.name, c.depth, f.name AS frame, f.rel_pc, m.name AS mapping, m.build_id, m.start, m.end
FROM __intrinsic_track_event_callstacks k JOIN slice s ON s.id = k.slice_id
LEFT JOIN stack_profile_callsite c ON c.id = k.callsite_id
LEFT JOIN stack_profile_frame f ON f.id = c.frame_id LEFT JOIN stack_profile_mapping m ON m.id = f.mapping
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- @name logs
SELECT l.ts, t.tid, l.prio, l.tag, l.msg FROM android_logs l LEFT JOIN thread t USING (utid) ORDER BY 1, 2, 3, 4, 5;

-- @name thread_args
SELECT t.tid, t.name, a.flat_key, a.key, a.value_type, a.int_value, a.string_value FROM thread t
JOIN args a ON a.arg_set_id = t.arg_set_id ORDER BY 1, 2, 3, 4, 5, 6, 7;

-- @name counter_args
SELECT c.ts, c.value, a.flat_key, a.key, a.value_type, iif(a.key = 'utid', h.tid, a.int_value), a.real_value, a.string_value
FROM counter c JOIN args a ON a.arg_set_id = c.arg_set_id LEFT JOIN thread h ON h.utid = a.int_value ORDER BY 1, 2, 3, 4, 5, 6, 7, 8;

-- @name flow_args
SELECT f.trace_id, a.flat_key, a.key, a.value_type, a.int_value, a.string_value FROM flow f
JOIN args a ON a.arg_set_id = f.arg_set_id ORDER BY 1, 2, 3, 4, 5, 6;

-- @name groups
SELECT count(*) AS lanes, min(t.name) AS a, max(t.name) AS b FROM track t WHERE track_group_id IS NOT NULL
GROUP BY track_group_id ORDER BY 1, 2, 3;

-- @name gpu_slices
SELECT ts, dur, name, context_id, render_target, render_target_name, render_pass, render_pass_name, command_buffer,
  command_buffer_name, frame_id, submission_id, hw_queue_id, render_subpasses, depth FROM gpu_slice
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15;

-- @name gpu_groups
SELECT g.group_id, t.name AS track, g.name, g.description FROM gpu_counter_group g JOIN track t ON t.id = g.track_id
ORDER BY 1, 2, 3, 4;

-- @name gpus
SELECT gpu, name, vendor FROM gpu ORDER BY 1, 2, 3;

-- @name meta
SELECT name, key_type, int_value, str_value FROM metadata WHERE name NOT IN ('trace_uuid', 'trace_config_pbtxt')
ORDER BY 1, 2, 3, 4;
