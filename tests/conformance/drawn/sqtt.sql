-- @name clock
SELECT count(*) AS waves, min(w.ts) - k.ts AS first, max(w.ts + w.dur) <= k.ts + k.dur AS within, max(w.dur) BETWEEN 1300 AND 1400 AS as_long
FROM slice w JOIN track t ON t.id = w.track_id JOIN slice k ON k.name = 'r_32_32_16_2' WHERE t.name GLOB 'CU * SIMD *' AND w.depth = 0;
-- @name rows
SELECT count(DISTINCT e.name) AS engines, count(DISTINCT t.name) AS simds, count(DISTINCT t.track_group_id) AS rows, count(DISTINCT n.id) AS counters
FROM track t JOIN track n ON n.id = t.parent_id JOIN track e ON e.id = n.parent_id WHERE t.name GLOB 'CU * SIMD *' AND n.name = 'waves';
-- @name order
SELECT group_concat(name, ', ') AS simds FROM (SELECT DISTINCT t.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS rank
FROM track t WHERE t.name GLOB 'CU * SIMD 0' ORDER BY rank);
-- @name inside
SELECT group_concat(name, ', ') AS tracks FROM (SELECT t.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS rank
FROM track t JOIN track e ON e.id = t.parent_id WHERE e.name = 'SE 0' ORDER BY rank);
-- @name undescribed
SELECT count(*) AS tracks FROM track WHERE extract_arg(source_arg_set_id, 'description') IS NULL AND name IS NOT NULL AND type <> 'thread_execution';
-- @name counters
SELECT DISTINCT name FROM counter_track ORDER BY name;
-- @name arguments
SELECT extract_arg(arg_set_id, 'debug.GL2C_HIT') AS hits, extract_arg(arg_set_id, 'debug.SQ_INSTS_VALU') AS vector FROM slice WHERE name = 'r_32_32_16_2';
-- @name buffers
SELECT p.name AS above, s.name, count(*) AS n, sum(extract_arg(s.arg_set_id, 'debug.bytes')) AS bytes FROM slice s JOIN track t ON t.id = s.track_id
JOIN track p ON p.id = t.parent_id WHERE t.name = 'buffers' GROUP BY 1, 2;
