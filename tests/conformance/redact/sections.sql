-- @name slices
SELECT ts, dur, track_id, depth, parent_id, category, name FROM slice ORDER BY id
-- @name counters
SELECT ts, track_id, value FROM counter ORDER BY id
-- @name flows
SELECT slice_out, slice_in, trace_id FROM flow ORDER BY id
-- @name tracks
SELECT type, parent_id, name FROM track ORDER BY id
-- @name threads
SELECT tid, upid, is_main_thread, start_ts, end_ts, name FROM thread ORDER BY utid
-- @name processes
SELECT pid, parent_upid, uid, start_ts, end_ts, name, cmdline FROM process ORDER BY upid
-- @name args
SELECT arg_set_id, flat_key, key, value_type, int_value, real_value, string_value FROM args ORDER BY id
-- @name states
SELECT ts, dur, utid, state, io_wait, waker_utid FROM thread_state ORDER BY id
-- @name scheduled
SELECT ts, dur, utid, end_state, priority FROM sched ORDER BY id
-- @name logs
SELECT ts, utid, prio, tag, msg FROM android_logs ORDER BY id
-- @name frames
SELECT name, rel_pc FROM stack_profile_frame ORDER BY id
-- @name mappings
SELECT start, end, name FROM stack_profile_mapping ORDER BY id
-- @name counter_units
SELECT id, unit FROM counter_track ORDER BY id
-- @name metadata
SELECT name, int_value, str_value FROM metadata WHERE name NOT IN ('trace_size_bytes', 'trace_uuid') ORDER BY name, str_value
-- @name faults
SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0 ORDER BY name
