-- What scripts ask, one query a section; rows in a sure order. `run` compares the answers over HTTP with those of
-- Perfetto's engine, type by type.

-- @name one
select 1
-- @name types
select 1 as i, -1 as m, 1.5 as f, 'text' as s, null as n, x'00ff' as b, 9223372036854775807 as top, -9223372036854775808 as low
-- @name real_forms
select 1e308 * 10 as inf, -1e308 * 10 as minus, 0.1 as tenth, 1e-320 as small, -0.0 as zero, 3.0 as whole
-- @name texts
select 'ü€😀' as utf8, '' as empty, char(10) || 'x' as feed, 'a''b' as quote
-- @name nul_in_text
select 'ab' || char(0) || 'cd' as cut, 'next' as after
-- @name empty_blob
select x'' as b, length(x'0102') as n
-- @name same_names
select 1 as a, 2 as a, 3 as b
-- @name no_rows
select id, ts, name from slice where 0
-- @name no_columns
create perfetto table made_once as select 1 as x
-- @name made_before
select x from made_once
-- @name last_of_three
select 1 as first; select 2 as second; select 3 as third, 4 as fourth
-- @name select_then_table
select 1; create table plain_table as select 2 as y
-- @name table_then_select
create table other_table as select 5 as z; select z from other_table
-- @name comments
/* first */ select 7 as seven -- last
-- @name blanks
   

select 8 as eight ;  ;
-- @name view
create perfetto view short_slices as select id, dur from slice where dur < 1000; select count(*) as n, sum(dur) as d from short_slices
-- @name function
create perfetto function twice(x long) returns long as select $x * 2; select twice(21) as answer
-- @name macro
create perfetto macro larger(t tableorsubquery, n expr) returns tableorsubquery as (select * from $t where dur > $n); select count(*) as n from larger!(slice, 1000)
-- @name many_columns
select 1 as c1, 2 as c2, 3 as c3, 4 as c4, 5 as c5, 6 as c6, 7 as c7, 8 as c8, 9 as c9, 10 as c10, 11 as c11, 12 as c12
-- @name thousand_rows
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select i, i * 1.5 as f, 'row ' || i as t, case when i % 3 then i end as sometimes from n
-- @name types_mixed_in_column
with recursive n(i) as (select 0 union all select i + 1 from n where i < 99) select case i % 5 when 0 then null when 1 then i when 2 then i + 0.5 when 3 then 't' || i else cast('b' || i as blob) end as any from n
-- @name long_text
select replace(hex(zeroblob(50000)), '00', 'abc') as long, 1 as one
-- @name count_slices
select count(*) as n, sum(dur) as dur, min(ts) as first, max(ts + dur) as last from slice
-- @name slices_all
select id, ts, dur, name, category, depth, parent_id, arg_set_id is not null as has_args from slice order by id limit 5000
-- @name slices_first
select ts, dur, name from slice order by ts, id limit 100
-- @name slices_longest
select name, dur from slice order by dur desc, id limit 50
-- @name slices_by_name
select name, count(*) as n, sum(dur) as total, min(dur) as least, max(dur) as most, avg(dur) as mean from slice group by name order by total desc, name limit 200
-- @name slices_by_category
select category, count(*) as n from slice group by category order by category
-- @name slices_by_depth
select depth, count(*) as n, sum(dur) as total from slice group by depth order by depth
-- @name slices_glob
select id, name from slice where name glob '*a*' order by id limit 200
-- @name slices_like
select id, name from slice where name like '%e%' order by id limit 200
-- @name slices_window
select id, ts, dur from slice where ts >= (select start_ts from trace_bounds) and ts < (select start_ts + (end_ts - start_ts) / 3 from trace_bounds) order by ts, id limit 500
-- @name slices_of_track
select s.id, s.name, t.name as track from slice s join track t on s.track_id = t.id order by s.id limit 500
-- @name slices_of_thread
select s.id, s.name, t.tid, t.name as thread, p.pid, p.name as process from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) left join process p using (upid) order by s.id limit 500
-- @name slices_of_process
select s.id, p.pid from slice s join process_track pt on s.track_id = pt.id join process p using (upid) order by s.id limit 200
-- @name thread_slice_time
select p.pid, t.tid, count(*) as n, sum(s.dur) as busy from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) left join process p using (upid) where s.depth = 0 group by p.pid, t.tid order by p.pid, t.tid
-- @name parents
select c.id, c.name, p.name as parent from slice c join slice p on c.parent_id = p.id order by c.id limit 500
-- @name children
select parent_id, count(*) as n, sum(dur) as inside from slice where parent_id is not null group by parent_id order by n desc, parent_id limit 100
-- @name self_time
select s.id, s.dur - coalesce((select sum(c.dur) from slice c where c.parent_id = s.id), 0) as self from slice s where s.id < 200 order by s.id
-- @name ancestors
select s.id, a.id as up, a.depth from slice s, ancestor_slice(s.id) a where s.id % 37 = 0 order by s.id, a.depth limit 300
-- @name descendants
select d.id, d.depth from slice s, descendant_slice(s.id) d where s.id = (select min(id) from slice where depth = 0) order by d.id limit 300
-- @name threads
select distinct t.tid, t.name, p.pid, t.is_main_thread from thread t left join process p using (upid) join thread_track tt using (utid) join slice s on s.track_id = tt.id order by t.tid, t.name
-- @name processes
select distinct p.pid, p.name from process p join thread t using (upid) join thread_track tt using (utid) join slice s on s.track_id = tt.id order by p.pid, p.name
-- @name thread_of_process
select p.pid, count(distinct t.tid) as threads from process p join thread t using (upid) join thread_track tt using (utid) join slice s on s.track_id = tt.id group by p.pid order by p.pid
-- @name tracks
select t.name, count(*) as n from slice s join track t on s.track_id = t.id group by t.name order by n, t.name
-- @name thread_tracks
select t.tid, count(*) as n from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid) group by t.tid order by t.tid
-- @name process_tracks
select p.pid, pt.name, count(*) as n from slice s join process_track pt on s.track_id = pt.id join process p using (upid) group by p.pid, pt.name order by p.pid, pt.name
-- @name counter_tracks
select name, count(*) as n from counter_track group by name order by name
-- @name counters
select c.ts, t.name, c.value from counter c join counter_track t on c.track_id = t.id order by c.ts, t.name, c.value limit 2000
-- @name counters_by_track
select t.name, count(*) as n, min(c.value) as least, max(c.value) as most, sum(c.value) as total from counter c join counter_track t on c.track_id = t.id group by t.name order by t.name
-- @name counters_lead
select ts, value, lead(ts) over (partition by track_id order by ts, id) - ts as dur from counter order by id limit 500
-- @name args_of_slices
select s.id, a.key, a.value_type, a.int_value, a.string_value, a.real_value from slice s join args a using (arg_set_id) order by s.id, a.key limit 2000
-- @name args_keys
select key, count(*) as n from slice join args using (arg_set_id) group by key order by key
-- @name args_flat
select flat_key, value_type, count(*) as n from slice join args using (arg_set_id) group by flat_key, value_type order by flat_key, value_type
-- @name args_display
select display_value, count(*) as n from slice join args using (arg_set_id) group by display_value order by n desc, display_value limit 100
-- @name args_ints
select max(int_value) as most, count(int_value) as n from slice join args using (arg_set_id) where value_type = 'int'
-- @name extract_arg
select id, extract_arg(arg_set_id, 'debug.stream') as stream, extract_arg(arg_set_id, 'args.stream') as other from slice order by id limit 500
-- @name extract_arg_group
select extract_arg(arg_set_id, (select min(key) from slice join args using (arg_set_id))) as v, count(*) as n from slice group by v order by v limit 100
-- @name args_two_keys
select s.id, a.int_value as x, b.int_value as y from slice s join args a on a.arg_set_id = s.arg_set_id and a.key = (select min(key) from slice join args using (arg_set_id) where int_value > 1) join args b on b.arg_set_id = s.arg_set_id and b.key = (select max(key) from slice join args using (arg_set_id) where int_value > 1) order by s.id, a.id, b.id limit 500
-- @name args_by_value
select a.key as k, count(*) as n, sum(a.int_value) as v from args a join args b on a.int_value = b.int_value and a.key < b.key where a.arg_set_id in (select arg_set_id from slice where id < 40) and b.arg_set_id in (select arg_set_id from slice where id < 40) group by k order by k
-- @name args_with_itself
select count(*) as n from args a join args b on a.int_value = b.int_value and a.key = b.key and a.arg_set_id < b.arg_set_id where a.arg_set_id in (select arg_set_id from slice where id < 1000) and b.arg_set_id in (select arg_set_id from slice)
-- @name extract_arg_grouped_joined
select s.name, count(*) as n, sum(x.n) as m from slice s join (select extract_arg(arg_set_id, (select min(key) from slice join args using (arg_set_id))) k, count(*) n from slice group by k) x on x.k = extract_arg(s.arg_set_id, (select min(key) from slice join args using (arg_set_id))) group by s.name order by n desc, s.name limit 50
-- @name extract_arg_common_tables
with a as (select id, extract_arg(arg_set_id, 'args.stream') v from slice where depth = 0), b as (select id, extract_arg(arg_set_id, 'args.stream') v from slice where depth < 2) select count(*) as n, min(a.id) as least from a join b using (v)
-- @name extract_arg_missing
select count(extract_arg(arg_set_id, 'there.is.none')) as n from slice
-- @name flows
select id, slice_out, slice_in from flow order by slice_out, slice_in limit 1000
-- @name flows_ends
select f.slice_out, f.slice_in, a.name as "from", b.name as "to", b.ts - a.ts as lag from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id order by f.slice_out, f.slice_in limit 500
-- @name flows_following
select s.id, f.slice_in from slice s, following_flow(s.id) f where s.id in (select slice_out from flow order by slice_out limit 5) order by s.id, f.slice_in
-- @name flows_preceding
select s.id, f.slice_out from slice s, preceding_flow(s.id) f where s.id in (select slice_in from flow order by slice_in limit 5) order by s.id, f.slice_out
-- @name flows_directly
select s.id, f.slice_out, f.slice_in from slice s, directly_connected_flow(s.id) f where s.id in (select slice_out from flow order by slice_out limit 5) order by s.id, f.slice_out, f.slice_in
-- @name flows_counts
select count(*) as n, count(distinct slice_out) as outs, count(distinct slice_in) as ins from flow
-- @name window_rank
select id, dur, row_number() over (partition by track_id order by dur desc, id) as place from slice order by id limit 1000
-- @name window_lag
select id, ts - lag(ts + dur) over (partition by track_id, depth order by ts, id) as gap from slice order by id limit 1000
-- @name window_sum
select id, sum(dur) over (partition by track_id order by ts, id rows between 4 preceding and current row) as last_five from slice order by id limit 1000
-- @name window_ntile
select name, ntile(4) over (order by dur, id) as quarter from slice order by id limit 500
-- @name window_first_value
select id, first_value(id) over (partition by name order by ts, id) as first from slice order by id limit 500
-- @name window_share
select name, sum(dur) as d, sum(sum(dur)) over () as total from slice where dur > 0 group by name order by d desc, name limit 50
-- @name percentile
select name, percentile(dur, 50) as median, percentile(dur, 90) as high from slice where dur >= 0 group by name order by name limit 100
-- @name cte
with roots as (select id, name, dur from slice where depth = 0), sums as (select name, sum(dur) as d from roots group by name) select * from sums order by d desc, name limit 50
-- @name cte_recursive
with recursive up(id, parent_id, level) as (select id, parent_id, 0 from slice where id = (select max(id) from slice) union all select s.id, s.parent_id, level + 1 from slice s join up on s.id = up.parent_id) select id, level from up order by level
-- @name union_all
select 'slice' as kind, count(*) as n from slice union all select 'counter', count(*) from counter union all select 'flow', count(*) from flow
-- @name except_set
select name from slice where dur > 1000 except select name from slice where dur <= 1000 order by name limit 100
-- @name intersect_set
select name from slice where dur > 1000 intersect select name from slice where dur <= 1000 order by name limit 100
-- @name exists_set
select count(*) as n from slice s where exists (select 1 from slice c where c.parent_id = s.id)
-- @name in_set
select count(*) as n from slice where track_id in (select id from thread_track)
-- @name case_when
select case when dur < 1000 then 'short' when dur < 1000000 then 'middle' else 'long' end as class, count(*) as n from slice group by class order by class
-- @name having_many
select name, count(*) as n from slice group by name having n > 3 order by n desc, name limit 100
-- @name distinct_names
select distinct name from slice order by name limit 300
-- @name order_nulls
select id, parent_id from slice order by parent_id, id limit 300
-- @name limit_offset
select id from slice order by id limit 20 offset 30
-- @name group_concat
select depth, group_concat(name, '|') as names from (select distinct depth, name from slice where depth < 3 order by depth, name limit 50) group by depth order by depth
-- @name cast_text
select id, cast(ts as text) as t, cast(dur / 1000.0 as int) as us, ts / 1e9 as seconds from slice order by id limit 200
-- @name text_functions
select upper(name) as u, lower(name) as l, length(name) as n, substr(name, 2, 3) as part, instr(name, 'a') as at, trim(name) as t from slice order by id limit 200
-- @name printf_form
select printf('%d: %s (%.3f ms)', id, name, dur / 1e6) as line from slice order by id limit 200
-- @name hex_and_quote
select hex(name) as h, quote(name) as q from slice order by id limit 100
-- @name coalesce_names
select id, coalesce(category, 'none') as c, ifnull(parent_id, -1) as p from slice order by id limit 300
-- @name round_and_math
select id, round(dur / 3.0, 2) as r, abs(-dur) as a, ln(1 + dur) as l, sqrt(abs(dur)) as q from slice order by id limit 200
-- @name bits
select id, id & 7 as low, id << 3 as left, id | 1 as odd, ~id as no from slice order by id limit 100
-- @name regexp_names
select count(*) as n from slice where regexp('^[a-z]', name)
-- @name str_split
select str_split('a.b.c', '.', 1) as middle, str_split('abc', '.', 0) as whole
-- @name json_functions
select json_extract('{"a": [1, 2.5, "x"]}', '$.a[1]') as v, json_array_length('[1, 2]') as n
-- @name date_functions
select date(0, 'unixepoch') as d, strftime('%H:%M', 3600, 'unixepoch') as t
-- @name trace_bounds
select start_ts, end_ts, end_ts - start_ts as length from trace_bounds
-- @name trace_functions
select trace_start() as s, trace_end() as e, trace_dur() as d
-- @name thread_slice_view
include perfetto module slices.with_context; select id, ts, dur, name, tid, thread_name, pid from thread_slice order by id limit 500
-- @name process_slice_view
include perfetto module slices.with_context; select id, ts, dur, name, pid from process_slice order by id limit 500
-- @name slices_view
select count(*) as n from slices
-- @name instants
select id, ts, name from slice where dur = 0 order by id limit 200
-- @name open_slices
select count(*) as n from slice where dur = -1
-- @name overlap_join
select a.id, b.id as other from slice a join slice b on b.ts >= a.ts and b.ts < a.ts + a.dur and b.track_id != a.track_id where a.id < 50 order by a.id, b.id limit 300
-- @name busiest_window
select (ts - (select start_ts from trace_bounds)) / 1000000 as ms, count(*) as n from slice group by ms order by n desc, ms limit 50
-- @name table_info
select name from pragma_table_info('short_slices') order by cid
-- @name fails_no_table
select * from no_such_table
-- @name fails_no_column
select no_such_column from slice
-- @name fails_syntax
selct 1
-- @name fails_syntax_late
select 1; select 2 from
-- @name fails_no_function
select no_such_function(1)
-- @name fails_comment
-- nothing but a comment
-- @name fails_quote
select 'open
-- @name fails_arguments
select twice(1, 2)
-- @name fails_twice
create perfetto table made_once as select 2 as x
-- @name fails_number
select abs(-9223372036854775808)
-- @name after_failures
select 42 as still_here
