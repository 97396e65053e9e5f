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

Slice names by total time (2 of 2)
name     count  total ns  mean ns
a            1      3000   3000.0
say \"b\"      1       500    500.0

Processes (1 of 1)
process  pid  threads  tracks  slices  samples
worker   7          2       2       2        1"
run info tiny.json --top 1
expect "info --top" 0 "out~^Slice names by total time \(1 of 2\)" "out!say"
run info --json tiny.json
expect "info --json" 0 err= 'out~^  "dialect": "chrome-json",$' 'out~^  "start": 1000,$' 'out~^  "end": 4000,$' \
    'out~^    "slice": 2,$' 'out~^      "name": "say \\"b\\"",$' 'out~^      "total": 3000,$' 'out~^      "mean": 500.0$'
claim "info --json is JSON" is_json "$OUT"
claim "info --json: keys in their order" eval '[ "$(grep -Eo "^  \"[a-z_]+\"" "$OUT" | tr -d "\" \n")" = \
    schema_versionfileformatdialectcompressioninput_bytesplain_bytestime_unitstartendlengthpassesrowsprocessesthreadstracksnamestrace_clockclockssequencespacketsdamage ]'

for file in aie_small.json aie_small.json.gz aie_small.pftrace; do
    run info $file
    expect "info of $file" 0 err= "out~^passes +aie " "out~^core_trace for tile2,1 " "out~^time +.* cycles, length"
    claim "info of $file fits 80 columns" eval '! grep -Eq "^.{81}" "$OUT"'
done
run info aie_small.json --dialect chrome-json
expect "--dialect overrides" 0 "out~dialect chrome-json" "out~^time unit +ns\$"
printf '[{"name": "%0200d\\u0001\\u00e4", "ph": "X", "ts": 1, "dur": 1, "pid": "rank 0", "tid": "stream 7 of 12"}, {"name": "cut' 7 >long.json
run info long.json
expect "long names, text pids and damage" 0 "out~^0{33}\.\.\. " "out~rank 0" "out~^Damage\$" \
    "out~^data_loss   postfetto_json_truncated: 1 time\$" \
    "out~^            first at byte [0-9]+: the document ends in the middle\$"
claim "long names fit 80 columns" eval '! grep -Eq "^.{81}" "$OUT"'
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
