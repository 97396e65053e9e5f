-- @name device
SELECT p.name AS device, g.name AS found, extract_arg(g.source_arg_set_id, 'description') LIKE 'Why warps stood%' AS described
FROM process_track g JOIN process p USING (upid) WHERE g.name = 'PMA stalls';
-- @name places
SELECT t.name AS place, count(c.id) AS counters, min(c.unit) AS unit, count(DISTINCT extract_arg(c.source_arg_set_id, 'y_axis_share_key')) AS scales,
       min(extract_arg(c.source_arg_set_id, 'description') LIKE 'Samples that found a warp%') AS described
FROM track t JOIN track g ON g.id = t.parent_id LEFT JOIN track k ON k.parent_id = t.id LEFT JOIN counter_track c ON c.id = k.id
WHERE g.name = 'PMA stalls' GROUP BY t.id ORDER BY extract_arg(t.source_arg_set_id, 'sibling_order_rank');
-- @name sums
SELECT t.name AS reason, group_concat(c.ts || ' ' || CAST(c.value AS INT), ', ') AS samples
FROM counter c JOIN track t ON t.id = c.track_id JOIN track p ON p.id = t.parent_id
WHERE p.name = 'all SMs' GROUP BY t.id ORDER BY t.name;
-- @name units
SELECT p.name AS place, CAST(sum(c.value) AS INT) AS samples FROM counter c JOIN track t ON t.id = c.track_id JOIN track p ON p.id = t.parent_id
WHERE p.name LIKE 'GPC%' GROUP BY p.id ORDER BY p.name;
-- @name notes
SELECT s.ts, s.dur, s.name FROM slice s JOIN track t ON t.id = s.track_id WHERE t.name = 'notes';
