-- @name device
SELECT p.name AS device, g.name AS found, extract_arg(g.source_arg_set_id, 'description') LIKE 'Why warps stalled%' AS described
FROM process_track g JOIN process p USING (upid) WHERE g.name = 'PMA stalls';
-- @name sums
SELECT s.name AS kernel, substr(a.key, 15) AS reason, a.int_value AS samples FROM slice s JOIN args a USING (arg_set_id)
WHERE a.key GLOB 'debug.samples_*' ORDER BY a.key;
-- @name counters
SELECT count(*) AS counters FROM counter_track;
-- @name notes
SELECT s.ts, s.dur, s.name FROM slice s JOIN track t ON t.id = s.track_id WHERE t.name = 'notes';
