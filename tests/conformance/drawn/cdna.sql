-- @name waves
SELECT group_concat(dur, ' ') AS ns FROM (SELECT s.dur FROM slice s JOIN track t ON t.id = s.track_id JOIN track n ON n.id = t.parent_id
JOIN track e ON e.id = n.parent_id WHERE e.name = 'SE 0' AND n.name = 'waves' AND s.name GLOB '* wave' ORDER BY s.dur DESC LIMIT 5);
-- @name clock
SELECT count(*) AS engines, sum(extract_arg(source_arg_set_id, 'description') GLOB '*highest engine clock is 2000 MHz*') AS told
FROM track WHERE name GLOB 'SE *';
