# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016,SC2002
# What info, check and query say about small traces whose contents are known.

run info tiny.json
expect "info of the tiny trace" 0 err= "out=file        tiny.json
format      chrome-json, dialect chrome-json
size        $(stat -c %s tiny.json) bytes
time        1000 to 4000 ns, length 3.000 us
time unit   ns
passes      none fits
contains    1 process, 2 threads, 2 tracks with data
rows        event 5, slice 2, counter 1, track 3,
            thread 3, process 2, metadata 4
damage      none

Slice names by total time, in each category

Category k
name  count  total (ns)  mean (ns)
a         1        3000     3000.0

No category
name     count  total (ns)  mean (ns)
say \"b\"      1         500      500.0

Processes
process  pid  threads  tracks  slices  samples
worker     7        2       2       2        1"
run info tiny.json --top 1
expect "info --top" 0 "out~^Category k\$" "out~say"
cat >device.json <<'END'
[{"name": "process_labels", "ph": "M", "pid": 3, "args": {"labels": "GPU 2"}},
 {"name": "forward", "cat": "python_function", "ph": "X", "ts": 0, "dur": 9000, "pid": 3, "tid": 1},
 {"name": "aten::add", "cat": "cpu_op", "ph": "X", "ts": 1, "dur": 90, "pid": 3, "tid": 1},
 {"name": "aten::mul", "cat": "cpu_op", "ph": "X", "ts": 100, "dur": 80, "pid": 3, "tid": 1},
 {"name": "add_kernel", "cat": "kernel", "ph": "X", "ts": 5, "dur": 0.25, "pid": 3, "tid": 7},
 {"name": "mul_kernel", "cat": "kernel", "ph": "X", "ts": 6, "dur": 0.5, "pid": 3, "tid": 7}]
END
run info device.json --top 2
expect "info: the device first, python last, two names of it for one of the others" 0 err= "out~\(no name\) \[GPU 2\]  +3 "
claim "info: order of the categories and their names" eval '[ "$(sed -n "/^Category/,/^Processes/{/^name/d; /^\$/d; /^Processes/d; s/  *[0-9].*//; p}" "$OUT" | tr "\n" ";")" = \
    "Category kernel (device);mul_kernel;add_kernel;Category cpu_op;aten::add;...;Category python_function;forward;" ]'
run info device.json --json
expect "info --json: labels and categories, times in ns" 0 err= 'out~"label": "GPU 2"' 'out~"category": "cpu_op"' 'out~"total": 9000000,'
long=$(printf "k%0120dz" 0)
printf '[{"name": "%s", "ph": "X", "ts": 1, "dur": 1, "pid": 1}]' "$long" >wide.json
COLUMNS=200 run info wide.json
expect "info: a wide page shows the whole name" 0 "out~^$long "
COLUMNS=60 run info wide.json
expect "info: a narrow one loses the middle of it" 0 "out~^k0+\\.\\.\\.0+z "
claim "info: and fits" eval '! grep -Eq "^.{61}" "$OUT"'
in_terminal "stty cols 70; \"$PF\" query wide.json 'select name, 7 as seven, name as again from slice'"
expect "query in a terminal: texts are shortened to fit" 0 "out~^k0+\\.\\.\\.0+z +7  k0+\\.\\.\\.0+z"
claim "query in a terminal: no line is wider" eval '! tr -d "\r" <"$OUT" | grep -Eq "^.{71}"'
in_terminal "stty cols 43; \"$PF\" query wide.json \"select '123456789012345678901234567890' as a, 1.0/3 as r, 1234567.5 as q\""
expect "query in a terminal: a column of reals takes what its numbers take" 0 "out~^a +r +q.?\$" \
    "out~^12345\.\.\.7890  0\.3333333333333333  1234567\.5.?\$" "out!^.{44}[^\r]"
in_terminal "stty cols 60; \"$PF\" query wide.json \"select 'x' as a, 0.125 as r, null as n union all select 2.5, 1e300, 7\""
expect "query in a terminal: numbers among texts stand left" 0 "out~^a +r  n.?\$" "out~^x     0\.125  -.?\$" "out~^2\.5  1e\+300  7.?\$"
run query wide.json 'select name from slice' --format table
expect "query --format table elsewhere: nothing is shortened" 0 "out~^$long"
rm device.json wide.json
run info --json tiny.json
expect "info --json" 0 err= 'out~^  "dialect": "chrome-json",$' 'out~^  "start": 1000,$' 'out~^  "end": 4000,$' \
    'out~^    "slice": 2,$' 'out~^      "name": "say \\"b\\"",$' 'out~^      "total": 3000,$' 'out~^      "mean": 500.0$'
claim "info --json is JSON" is_json "$OUT"
# An event takes 8 bytes for its time, 1 for the phase, 4 each for name, track and category, and 8 for the length, since
# there are complete events.
claim "info --json: bytes of tables" eval 'grep -A2 "\"table\": \"event\"" "$OUT" | tr -d " \n" | grep -qF "\"rows\":5,\"bytes\":145"'
claim "info --json: keys in their order" eval '[ "$(grep -Eo "^  \"[a-z_]+\"" "$OUT" | tr -d "\" \n")" = \
    schema_versionfileformatdialectcompressioninput_bytesplain_bytestime_unitstartendlengthpassesinputsrowsmemoryprocessesthreadstracksnamestrace_clockclockssequencespacketsdamage ]'

for file in aie_small.json aie_small.json.gz aie_small.pftrace; do
    run info $file
    expect "info of $file" 0 err= "out~^passes +aie " "out~^core_trace for tile2,1 " "out~^time +.* cycles, length"
    claim "info of $file fits 80 columns" eval '! grep -Eq "^.{81}" "$OUT"'
done
run info aie_small.json --dialect chrome-json
expect "--dialect overrides" 0 "out~dialect chrome-json" "out~^time unit +ns\$"
printf '[{"name": "%0200d\\u0001\\u00e4", "ph": "X", "ts": 1, "dur": 1, "pid": "rank 0", "tid": "stream 7 of 12"}, {"name": "cut' 7 >long.json
run info long.json
expect "long names, text pids and damage" 0 "out~^0+\.\.\.0+7�ä +1 +1000 +1000\.0$" "out~rank 0" "out~^Damage\$" \
    "out~^data_loss   postfetto_json_truncated: 1 time\$" \
    "out~^            first at byte [0-9]+: the document ends in the middle\$"
claim "long names fit 100 columns" eval '! LC_ALL=C.UTF-8 grep -Eq "^.{101}" "$OUT"'
run check long.json --json
expect "check --json" 1 err= 'out~^  "ok": false,$' 'out~^      "severity": "data_loss",$' 'out~^      "count": 1,$' \
    'out~^      "first_byte": [0-9]+,$'
claim "check --json is JSON" is_json "$OUT"
run check --json tiny.json
expect "check --json of a whole trace" 0 'out~^  "ok": true,$' 'out~^  "damage": \[\]$' err="postfetto: tiny.json: no damage found"
rm long.json

# SQL
run query tiny.json "SELECT ts, dur, depth, name, category FROM slice ORDER BY ts"
expect "query: CSV" 0 err= 'out="ts","dur","depth","name","category"
1000,3000,0,"a","k"
1500,500,1,"say ""b""",'
run query tiny.json "SELECT name, str_value, int_value FROM metadata ORDER BY name"
expect "query: metadata of every file" 0 err= "out=\"name\",\"str_value\",\"int_value\"
\"trace_size_bytes\",,$(stat -c %s tiny.json)
\"trace_time_clock_id\",,11
\"trace_type\",\"json\",
\"trace_uuid\",\"00000000-0000-0000-a24c-9b3027968a47\","
# The engine's own number for this text (corpus: catapult-thread-times), not the nearest double.
printf '[{"ph":"X","ts":1,"dur":1,"pid":1,"name":"r","args":{"a":10.944,"b":-0.5,"c":1.5e-7,"d":2.5e30}}]' >reals.json
run query reals.json "SELECT key, real_value FROM args WHERE flat_key GLOB 'args.*' ORDER BY key"
expect "query: reals as Perfetto reads them" 0 err= 'out="key","real_value"
"args.a",10.943999999999999
"args.b",-0.5
"args.c",1.5e-07
"args.d",2.5e+30'
run query tiny.json "SELECT 2.0 AS a, 0.1 AS b, 1e21 AS c, -0.5 AS d, 1e-7 AS e, NULL AS f, '' AS g, 'x,
y' AS h"
expect "query: forms of cells" 0 err= 'out="a","b","c","d","e","f","g","h"
2.0,0.1,1e+21,-0.5,1e-07,,"","x,
y"'
run query tiny.json "SELECT NULL AS f UNION ALL SELECT 'NULL'"
expect "query: NULL in the only column is a word" 0 err= 'out="f"
NULL
"NULL"'
run query tiny.json "SELECT str_split('a::b::c', '::', 1) AS b, str_split('abc', ',', 1) AS none, str_split(NULL, ',', 0) AS n"
expect "query: str_split" 0 err= 'out="b","none","n"
"b",,'
for wrong in "'a', '', 0" "'a', NULL, 0" "'a', ',', -1" "'a', ',', '0'"; do
    run query tiny.json "SELECT str_split($wrong)"
    expect "query: str_split($wrong) is wrong" 2 out= "err~str_split needs"
done
run query tiny.json "INCLUDE PERFETTO MODULE slices.with_context; SELECT count(*) AS n FROM thread_slice"
expect "query: a module that is built in" 0 err= 'out="n"
2'
run query tiny.json "INCLUDE PERFETTO MODULE android.startup.startups; SELECT 1 AS n"
expect "query: a module that is not built in warns" 0 "err~^postfetto: tiny.json: warning: the module android.startup.startups is not built in" 'out="n"
1'
run query tiny.json "CREATE PERFETTO TABLE x AS SELECT 3 AS n" "SELECT n FROM x; SELECT n + 1 AS m FROM x"
expect "query: one session, several results" 0 err= 'out="n"
3

"m"
4'
run query tiny.json "SELECT 1 AS one WHERE 0" "SELECT 'a' AS t, 2.5 AS r, NULL AS n UNION ALL SELECT 3, 4, 5" --json
expect "query: JSON" 0 err= 'out={
  "schema_version": 1,
  "results": [
    {"columns": ["one"], "rows": []},
    {"columns": ["t", "r", "n"], "rows": [
      ["a", 2.5, null],
      [3, 4, 5]
    ]}
  ]
}'
run query tiny.json "SELECT 'a' AS t, 2.5 AS r, 10 AS n UNION ALL SELECT NULL, 4.0, 5 UNION ALL SELECT 77, 10.25, 6" --format table
expect "query: table" 0 err= 'out=t       r   n
a     2.5  10
-     4.0   5
77  10.25   6'
run query tiny.json "SELECT 1 AS a, 0.5 AS b" "SELECT 'x' AS c, NULL AS d, 1 AS e UNION ALL SELECT 22, 1.5, NULL UNION ALL SELECT 0.25, 3, 7" \
    "SELECT NULL AS n WHERE 0" "SELECT 'y' AS last" --format table
expect "query: several tables" 0 err= 'out=a    b
1  0.5

c       d  e
x       -  1
22    1.5  -
0.25  3.0  7

n

last
y'
cat >q.sql <<'END'
CREATE PERFETTO VIEW named AS SELECT name FROM slice;
SELECT 'never seen' AS prelude;
-- @name names
-- a comment
SELECT name FROM named ORDER BY name;
-- @name  count
SELECT count(*) AS n FROM named;
END
run query tiny.json -f q.sql
expect "query -f" 0 err= 'out="name"
"a"
"say ""b"""

"n"
2'
run query tiny.json -f q.sql -d results
expect "query -d" 0 out= err=
claim "query -d: a file a section" eval '[ "$(ls results | tr "\n" " ")" = "count.csv names.csv " ]'
claim "query -d: content" eval '[ "$(cat results/count.csv)" = "\"n\"
2" ]'
run query tiny.json -f q.sql -d results --json
expect "query -d --json" 0 out= err=
claim "query -d --json: content" eval 'grep -q "\"name\": \"names\", \"columns\": \[\"name\"\]" results/names.json'
"$PF" query tiny.json -d results2 <q.sql >"$OUT" 2>"$ERR"
rc=$?
claim "query: SQL on standard input" cmp results/names.csv results2/names.csv
rm -r results results2
run query tiny.json -f q.sql -o all.csv
expect "query -o" 0 out= err=
claim "query -o: content" eval '[ "$(wc -l <all.csv)" = 6 ]'
run query - "SELECT count(*) AS n FROM slice" <tiny.json
expect "query: the trace on standard input" 0 err= 'out="n"
2'
rm all.csv
before=$(listing)
run query tiny.json "SELECT 1" "SELECT * FROM slcie"
expect "query: nearest table" 2 out= "err~^postfetto: SQL: (at byte [0-9]+: )?no such table: slcie; did you mean 'slice'\?\$"
run query tiny.json "SELECT nam FROM slice"
expect "query: position of an error" 2 out= "err~^postfetto: SQL: at byte 7: no such column: nam; "
printf -- '-- @name a\nSELECT 1;\n-- @name b\nSELECT nope;\n' >bad.sql
run query tiny.json -f bad.sql -o out.csv
expect "query: an error leaves nothing" 2 out= "err~^postfetto: bad\.sql: at byte 39: no such column: nope"
rm bad.sql
printf -- '-- @name ../a\nSELECT 1;\n' >evil.sql
mkdir d
run query tiny.json -f evil.sql -d d
expect "query: a section cannot leave its folder" 2 out= "err~evil\.sql: section '\.\./a' cannot be a file name"
rmdir d
rm evil.sql
run query tiny.json -f q.sql -d d -o x
expect "query: -d and -o" 2 out= "err~leave out one of them"
run query tiny.json "SELECT 1" -f q.sql
expect "query: SQL twice" 2 out= "err~SQL is given as argument and with -f"
run query - -f - <tiny.json
expect "query: standard input twice" 2 out= "err~both come from standard input"
run query tiny.json -d d "SELECT 1"
expect "query: -d without sections" 2 out= "err~-d needs '-- @name X' lines in the SQL; SQL has none"
run query tiny.json "ATTACH 'other.db' AS o"
expect "query: no other databases" 2 out= "err~^postfetto: SQL: "
claim "query: refused calls leave nothing" eval '[ "$(listing)" = "$before" ]'
rm q.sql

run query tiny.json "SELECT name, size, trace_type FROM __intrinsic_trace_file"
expect "query: the file, its size and format" 0 err= "out=\"name\",\"size\",\"trace_type\"
\"tiny.json\",$(stat -c %s tiny.json),\"json\""

# Joins over arguments: every kernel of 3000 is launched by the call with its correlation, without looking at pairs.
python3 - >joins.json <<'END'
import json
events = []
for i in range(3000):
    events.append({"name": "launch", "cat": "runtime", "ph": "X", "ts": i * 10, "dur": 3, "pid": 1, "tid": 1, "args": {"c": i}})
    events.append({"name": "run", "cat": "kernel", "ph": "X", "ts": i * 10 + 5, "dur": 4, "pid": 1, "tid": 2,
                   "args": {"c": float(i) if i % 2 else i, "text": str(i)}})
print(json.dumps(events))
END
"$PF" convert -q joins.json -o joins.pftrace
equal="extract_arg(a.arg_set_id, 'args.c') = extract_arg(b.arg_set_id, 'args.c')"
named="SELECT id, dur, category, extract_arg(arg_set_id, 'args.c') AS c FROM slice"
for file in joins.json joins.pftrace; do
    for sql in "FROM slice a JOIN slice b ON $equal WHERE a.category = 'runtime' AND b.category = 'kernel'" \
        "FROM thread_slice a, slices b WHERE a.category = 'runtime' AND ($equal) AND b.category = 'kernel'" \
        "FROM slice a LEFT JOIN slice b ON $equal AND b.category = 'kernel' WHERE a.category = 'runtime'" \
        "FROM ($named WHERE category = 'runtime') a JOIN ($named) b USING (c) WHERE b.category = 'kernel'"; do
        timeout 20 "$PF" query $file "SELECT count(*) AS n, sum(b.dur) AS t $sql" >"$OUT" 2>"$ERR"
        rc=$?
        expect "join over arguments of $file: $sql" 0 err= 'out="n","t"
3000,12000000'
        run query $file "EXPLAIN QUERY PLAN SELECT count(*) $sql"
        claim "it looks up both sides, or makes them first: $sql" [ "$(grep -cE 'arg_peers|MATERIALIZE' "$OUT")" = 2 ]
    done
    run query $file "SELECT count(*) AS n FROM slice a JOIN slice b ON a.id < 100 AND b.id < 100 AND NOT ($equal)"
    expect "a condition under NOT stays as it is: $file" 0 err= 'out="n"
9800'
    run query $file "EXPLAIN QUERY PLAN SELECT count(*) AS n FROM slice a JOIN slice b ON a.id < 100 AND b.id < 100 AND NOT ($equal)"
    expect "in the plan, too: $file" 0 err= "out!arg_peers"
    run query $file "SELECT extract_arg(arg_set_id, 'args.c') AS a, extract_arg(arg_set_id, 'debug.c') AS b FROM slice LIMIT 1"
    expect "extract_arg: args.X and debug.X are one: $file" 0 err= 'out="a","b"
0,0'
done
rm joins.json joins.pftrace

# A bundle of the begin and the end of a slice of atrace, at 1000 and 5000 ns; what is not decoded is said, and its times count for the bounds.
printf '\x0a\x24\x0a\x22\x08\x00\x12\x0f\x08\xe8\x07\x10\x05\x1a\x08\x12\x06B|5|x\x0a\x12\x0d\x08\x88\x27\x10\x05\x1a\x06\x12\x04E|5\x0a' \
    >ftrace.pftrace
run query ftrace.pftrace "SELECT start_ts, end_ts FROM trace_bounds"
expect "bounds count times of ftrace" 0 err= 'out="start_ts","end_ts"
1000,5000'
run query ftrace.pftrace "SELECT ts, dur, s.name, tid, pid FROM slice s JOIN thread_track t ON t.id = track_id JOIN thread USING (utid) JOIN process USING (upid)"
expect "a slice of atrace" 0 err= 'out="ts","dur","name","tid","pid"
1000,4000,"x",5,5'
# and a sample of perf before it, at 500
printf '\x0a\x06\x40\xf4\x03\x92\x04\x00' | cat - ftrace.pftrace >frames.pftrace
run query frames.pftrace "SELECT start_ts, end_ts FROM trace_bounds"
expect "bounds count times of samples" 0 err= 'out="start_ts","end_ts"
500,5000'
printf '\x0a\x06\x40\xf4\x03\xca\x03\x00' >frames.pftrace
run query frames.pftrace "SELECT count(*) AS n FROM slice" "SELECT count(*) AS n FROM slice JOIN Instant"
expect "query warns of tables that undecoded packets would fill, once each" 0 'out="n"
0

"n"
0' "err=postfetto: frames.pftrace: warning: slice lacks rows: 1 packets of graphics_frame_event, which would fill it in Perfetto, are not decoded
postfetto: frames.pftrace: warning: Instant lacks rows: 1 packets of graphics_frame_event, which would fill it in Perfetto, are not decoded"
run query frames.pftrace "SELECT count(*) AS n FROM process"
expect "query does not warn of other tables" 0 err= 'out="n"
1'
rm ftrace.pftrace frames.pftrace
