-- @name counters
SELECT c.name AS counter, c.unit, count(*) > 0 AS present,
       min(coalesce(extract_arg(c.source_arg_set_id, 'description'), '') <> '') AS described,
       count(DISTINCT extract_arg(c.source_arg_set_id, 'y_axis_share_key')) AS scales
FROM counter_track c GROUP BY 1, 2 ORDER BY 1;
-- @name levels
SELECT t.name, t.unit, max(c.value) BETWEEN 1e8 AND 1e10 AS hertz, max(c.value) BETWEEN 1 AND 1024 AS waves
FROM counter c JOIN counter_track t ON t.id = c.track_id WHERE t.unit IN ('waves', 'Hz') GROUP BY t.name ORDER BY t.name;
