-- @name processes
SELECT pid, name FROM process WHERE name IS NOT NULL ORDER BY pid;
-- @name groups
SELECT g.name AS parent, group_concat(t.name, ', ') AS rows
FROM (SELECT DISTINCT name, parent_id FROM track WHERE parent_id IS NOT NULL AND name NOT LIKE '% collectives _' ORDER BY name) t
JOIN track g ON g.id = t.parent_id
GROUP BY g.id ORDER BY g.name;
-- @name scales
SELECT extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS scale, count(*) AS counters, count(DISTINCT t.parent_id) AS groups
FROM track t JOIN counter_track USING (id) WHERE t.name LIKE 'rank %' GROUP BY 1 ORDER BY 1;
-- @name hosts_around_devices
SELECT count(*) AS ranks, sum(h.ts <= d.ts AND h.ts + h.dur >= d.last) AS around
FROM (SELECT p.pid, s.ts, s.dur FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) JOIN process p USING (upid)
      WHERE s.name = 'AIU Roundtrip') h
JOIN (SELECT p.pid, min(s.ts) AS ts, max(s.ts + s.dur) AS last FROM slice s JOIN thread_track t ON t.id = s.track_id
      JOIN thread USING (utid) JOIN process p USING (upid) WHERE p.name LIKE 'AIU Device%' GROUP BY 1) d ON h.pid = d.pid + 1000;
-- @name bandwidth_ends
SELECT (SELECT group_concat(ts) FROM (SELECT c.ts FROM counter c JOIN counter_track t ON t.id = c.track_id
           WHERE t.name = 'all ranks collective bandwidth' AND c.value = 0 ORDER BY 1)) =
       (SELECT group_concat(ts) FROM (SELECT s.ts + s.dur AS ts FROM slice s JOIN track t ON t.id = s.track_id
           WHERE t.name = 'all ranks collectives' ORDER BY 1)) AS ends;
-- @name without_description
SELECT name FROM track WHERE (name LIKE 'rank %' OR name LIKE 'all ranks%') AND extract_arg(source_arg_set_id, 'description') IS NULL;
-- @name counters_without_unit_or_end
SELECT t.name FROM counter_track t
WHERE coalesce(t.unit, '') = ''
   OR (SELECT value FROM counter c WHERE c.track_id = t.id ORDER BY c.ts DESC LIMIT 1) != 0;
-- @name arrows
SELECT count(*) AS arrows, sum(s.ts < r.ts) AS forward, sum(s.name LIKE 'SenRdmaSend%') AS from_sends,
       sum(r.name LIKE 'from rank _') AS to_ends
FROM flow JOIN slice s ON s.id = slice_out JOIN slice r ON r.id = slice_in;
-- @name collectives
SELECT s.name, extract_arg(s.arg_set_id, 'debug.ranks') AS ranks, extract_arg(s.arg_set_id, 'debug.bytes') AS bytes,
       extract_arg(s.arg_set_id, 'debug.straggler') AS straggler,
       extract_arg(s.arg_set_id, 'debug.lost_ns') = (SELECT sum(w.dur) FROM slice w
           WHERE w.name = 'waits for rank ' || extract_arg(s.arg_set_id, 'debug.straggler') AND w.ts >= s.ts AND w.ts < s.ts + s.dur) AS lost_is_what_others_wait
FROM slice s JOIN track t ON t.id = s.track_id
WHERE t.name = 'all ranks collectives' ORDER BY s.ts;
-- @name ours_and_recorded
SELECT sum(category = 'postfetto.aiu') AS ours,
       sum(category = 'postfetto.aiu' AND s.name NOT GLOB '[0-9] AllReduce*' AND s.name NOT LIKE 'waits for rank _' AND
           s.name NOT LIKE 'from rank _' AND t.name NOT LIKE 'rank _ jobs' AND t.name NOT LIKE 'rank _ gaps' AND t.name != 'all ranks notes') AS strange
FROM slice s JOIN track t ON t.id = s.track_id;
-- @name gaps
WITH device AS (SELECT 'rank ' || pid || ' gaps' AS row, s.ts, s.dur FROM slice s JOIN thread_track tt ON tt.id = s.track_id
     JOIN thread USING (utid) JOIN process USING (upid) WHERE pid < 4 AND s.category != 'postfetto.aiu'),
     gap AS (SELECT t.name AS row, s.ts, s.dur FROM slice s JOIN track t ON t.id = s.track_id WHERE t.name LIKE 'rank _ gaps')
SELECT row, count(*) AS gaps, sum(EXISTS (SELECT 1 FROM device d WHERE d.row = g.row AND d.ts + d.dur = g.ts)) AS after_work,
       sum(EXISTS (SELECT 1 FROM device d WHERE d.row = g.row AND d.ts = g.ts + g.dur)) AS before_work,
       sum(EXISTS (SELECT 1 FROM device d WHERE d.row = g.row AND d.ts < g.ts + g.dur AND d.ts + d.dur > g.ts)) AS worked_in
FROM gap g GROUP BY row ORDER BY row;
-- @name classes
SELECT display_value AS class, count(*) AS slices
FROM slice JOIN args USING (arg_set_id) WHERE flat_key = 'debug.class' GROUP BY 1 ORDER BY 1;
-- @name damage
SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0;
