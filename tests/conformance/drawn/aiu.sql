-- @name processes
SELECT pid, name FROM process WHERE name IS NOT NULL ORDER BY pid;
-- @name groups
SELECT g.name AS parent, group_concat(t.name, ', ') AS rows
FROM (SELECT DISTINCT name, parent_id FROM track WHERE parent_id IS NOT NULL AND name NOT LIKE '% collectives _' ORDER BY name) t
JOIN track g ON g.id = t.parent_id
GROUP BY g.id ORDER BY g.name;
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
           s.name NOT LIKE 'from rank _' AND t.name NOT LIKE 'rank _ jobs' AND t.name != 'all ranks notes') AS strange
FROM slice s JOIN track t ON t.id = s.track_id;
-- @name classes
SELECT display_value AS class, count(*) AS slices
FROM slice JOIN args USING (arg_set_id) WHERE flat_key = 'debug.class' GROUP BY 1 ORDER BY 1;
-- @name damage
SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0;
