# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2094
# Every row of the table of exit codes, and what the error lines say.

# 0 and 1
run info tiny.json
expect "exit 0" 0 "out~^format +chrome-json" err=
run check tiny.json
expect "check of a whole trace" 0 out= "err=postfetto: tiny.json: no damage found"
run check -q tiny.json
expect "check -q" 0 out= err=
run check aie_cut.json
expect "check of a cut trace" 1 "out~^data_loss: postfetto_json_truncated: 1 time" err=
printf '[{"name": "outer", "ph": "X", "ts": 1, "dur": 5, "pid": 1}, {"name": "crosses", "ph": "X", "ts": 3, "dur": 9, "pid": 1}]' >spill.json
run check spill.json
expect "check: an error of the engine that loses nothing" 0 err= \
    "out=note: slice_spill_overlapping_complete_event: 1 time, first at byte 60: complete events put on an overlap lane (nothing is lost; Perfetto's engine counts it as error)"
run info spill.json --strict
expect "--strict: what loses nothing is no damage" 0 err=
printf '[{"ph": "B", "name": "outer", "ts": 1, "pid": 1}, {"ph": "B", "name": "inner", "ts": 2, "pid": 1},
 {"ph": "E", "name": "outer", "ts": 3, "pid": 1}, {"ph": "E", "name": "inner", "ts": 9, "pid": 1}]' >misplaced.json
run check misplaced.json
expect "check: a loss of the stacks has a place" 1 err= "out~^data_loss: misplaced_end_event: 1 time, first at byte 50: "
run query misplaced.json "SELECT name, severity, loss FROM stats WHERE value > 0"
expect "stats: column loss" 0 'out="name","severity","loss"
"misplaced_end_event","data_loss",1'
run query spill.json "SELECT name, severity, source, loss FROM stats WHERE value > 0"
expect "stats: the severity stays the engine's" 0 err= 'out="name","severity","source","loss"
"slice_spill_overlapping_complete_event","error","analysis",0'
rm spill.json misplaced.json
run convert aie_cut.json -o cut.pftrace
expect "damage is a warning" 0 out= "err~^postfetto: aie_cut.json: at byte [0-9]+: warning: the document ends in the middle"
run convert -q aie_cut.json -o cut.pftrace
expect "-q silences warnings" 0 out= err=
rm -f cut.pftrace

# 2
run info
expect "no file" 2 out= "err=postfetto: info: no file is named; write postfetto info FILE..."
run info tiny.json tiny.json
expect "two files" 0 "out~^inputs +2 files"
run info tiny.json --max-rows
expect "missing value at the end" 2 out= "err~^postfetto: info: --max-rows needs a value; "
run info --dialect --json tiny.json
expect "missing value before an option" 2 out= "err~--dialect needs a value, but '--json' follows; write --dialect=--json"
run info --json=yes tiny.json
expect "value for a flag" 2 out= "err=postfetto: info: --json takes no value; leave out '=yes'"
run info --max-rows many tiny.json
expect "not a size" 2 out= "err=postfetto: info: --max-rows takes a number, with K, M or G if you like, not 'many'"
run info --jobs 0 tiny.json
expect "not a count" 2 out= "err=postfetto: info: --jobs takes an integer from 1 on, not '0'"
run query --format xml tiny.json "SELECT 1"
expect "not a choice" 2 out= "err=postfetto: query: --format takes one of csv|json|table|arrow|parquet, not 'xml'"
run convert tiny.json
expect "convert without -o" 2 out= "err=postfetto: convert: -o OUT is missing; write postfetto convert IN -o OUT.pftrace"
for name in x.csv x.sqlite.gz x.gz pftrace x; do
    run convert tiny.json -o $name
    expect "no format for $name" 2 out= "err~^postfetto: convert: '$name' has no ending .* \.pftrace, \.pftrace\.gz, \.perfetto-trace"
done
for name in x.pftrace x.pftrace.gz x.json x.json.gz x.sqlite; do
    run convert -q tiny.json -o $name
    expect "a conversion to $name" 0 out= err=
    claim "$name is there" [ -s $name ]
    rm -f $name
done
run convert -q tiny.json --to json.gz -o x.json
expect "--to against .json" 2 out= "err~--to json\.gz contradicts the ending of 'x\.json'"
for name in x.pftrace.gz x.json x.sqlite; do
    run convert tiny.json --compress -o $name
    expect "--compress for $name" 2 out= "err~--compress is for a plain \.pftrace, not for ${name#x.}; leave it out"
done
run convert tiny.json --to pftrace.gz -o x.pftrace
expect "--to against the ending" 2 out= "err~--to pftrace\.gz contradicts the ending of 'x\.pftrace'"
before=$(listing)
run analyze aie nofile.json --M 1 --K 2 --row 1
expect "missing parameters, all of them, before reading" 2 out= \
    "err~^postfetto: .*--N, --col, --warmup, --iterations" "err!--M|--K|--row" "err!nofile" "same=$before"
claim "missing parameters are one line" [ "$(wc -l <"$ERR")" = 1 ]
run analyze aie tiny.json --M 1.5
expect "parameter not an integer" 2 out= "err~--M .*integer.*'1\.5'" "same=$before"
run analyze aie $SHAPE
expect "analyze without a file" 2 out= "err~^postfetto: analyze: no input is named"

# 3
printf '[{"name": "aten::add", "cat": "cpu_op", "ph": "X", "ts": 1, "dur": 5, "pid": 1}]' >torch.json
there=$(listing)
run analyze aie torch.json $SHAPE -o enriched.pftrace
expect "a pass for another dialect" 3 out= "err~^postfetto: torch.json: is a trace of dialect torch, but aie reads dialect aie; --dialect aie takes it" "same=$there"
run analyze aie torch.json $SHAPE --dialect aie --report reports_torch
expect "--dialect forces it" 0 "out~^\[write\] reports_torch/index.json"
rm -r torch.json reports_torch
run info nofile.json
expect "no such file" 3 out= "err=postfetto: nofile.json: cannot be opened: No such file or directory; check the path"
run info .
expect "a folder" 3 out= "err~^postfetto: \.: is a folder; "
run check aie_text.json
expect "not a trace" 3 out= "err~^postfetto: aie_text\.json: (at byte 0: )?.*not a trace"
run convert aie_text.json -o x.pftrace
expect "not a trace leaves nothing" 3 out= "same=$before"
run analyze aie $SHAPE aie_bad_ts.json -o x.pftrace
expect "unusable ts" 3 out= "err~^postfetto: aie_bad_ts\.json: at byte [0-9]+: .*ts" "same=$before"
run query tiny.json -f nofile.sql
expect "no such SQL file" 3 out= "err~^postfetto: nofile\.sql: cannot be opened: "

# 4
run info --strict aie_cut.json
expect "--strict" 4 out= "err~^postfetto: aie_cut\.json: (at byte [0-9]+: )?."
run convert --strict aie_cut.json -o x.pftrace
expect "--strict leaves nothing" 4 out= "same=$before"
run info --strict tiny.json
expect "--strict on a whole trace" 0 err=

# 5
run info --max-input 10 tiny.json
expect "--max-input" 5 out= "err~^postfetto: tiny\.json: .*--max-input"
run info --max-plain 1K aie_small.json.gz
expect "--max-plain" 5 out= "err~--max-plain"
run info --max-rows 3 tiny.json
expect "--max-rows" 5 out= "err~--max-rows"
run info --max-memory 10K aie_small.json
expect "--max-memory" 5 out= "err~--max-memory"
run info --max-memory 1 aie_small.json
expect "--max-memory says how much that is" 5 out= "err~more than 1 byte of memory would be needed; raise --max-memory"
run query aie_small.json "select length(zeroblob(2000000000))"
expect "a value that is too long names the limit" 5 out= "err~string or blob too big: a query's limits are [0-9]+ bytes"
run query aie_small.json "select printf('%.*c', 3000000, 'a') regexp '(a?b?c?)*\\d\$'"
expect "a regexp that needs too much memory names the limit" 2 out= "err~a match needs more than 16 MiB, which is the limit"
run query aie_small.json "select (printf('%.*c', 40, 'a') || 'b') regexp '^(a|aa)+\$'"
expect "a regexp that takes too long names the limit" 2 out= "err~a match takes more than 1000000 steps, which is the limit"
{ printf '['; head -c 80M /dev/zero | tr '\0' ' '; printf ']'; } | gzip -1 >bomb.gz
run info --max-ratio 10 bomb.gz
expect "--max-ratio" 5 out= "err~--max-ratio"
rm bomb.gz
printf '[{"name":"d","ph":"i","ts":1,"pid":1,"tid":1,"args":{"a":{"b":{"c":{"d":{"e":1}}}}}}]' >deep.json
run convert --max-depth 2 deep.json -o deep.pftrace
expect "--max-depth drops the arguments of one event" 0 out= "err~warning: .*--max-depth.*postfetto_args_dropped, 1 time"
printf '[{"name":"d","ph":"i","ts":1,"pid":1,"tid":1,"args":{"a":1,"b":2,"c":3,"d":4}}]' >deep.json
run convert --max-keys 2 deep.json -o deep.pftrace
expect "--max-keys drops the arguments of one event" 0 out= "err~warning: .*--max-keys.*postfetto_args_dropped, 1 time"
rm -f deep.json deep.pftrace

# 6
before=$(listing)
run convert tiny.json -o nofolder/x.pftrace
expect "no such folder" 6 out= \
    "err=postfetto: nofolder/x.pftrace: cannot be written: No such file or directory; create the folder first" "same=$before"
run convert nofile.json -o nofolder/x.pftrace
expect "the target is tried before reading" 6 out= "err~nofolder"
run convert tiny.json -o tiny.json/x.pftrace
expect "a file as folder" 6 out= "err~^postfetto: tiny\.json/x\.pftrace: cannot be written: Not a directory" "same=$before"
mkdir folder.pftrace
run convert tiny.json -o folder.pftrace
expect "target is a folder" 6 out= "err=postfetto: folder.pftrace: is a folder; name a file in it"
rmdir folder.pftrace
cp aie_small.pftrace in.pftrace
ln in.pftrace hard.pftrace
ln -s in.pftrace soft.pftrace
before=$(listing)
for out in in.pftrace ./in.pftrace hard.pftrace soft.pftrace; do
    run convert in.pftrace -o $out
    expect "convert: target $out is the input" 6 out= "err~^postfetto: $out: is the input file.*another name" "same=$before"
        run analyze aie $SHAPE in.pftrace -o $out
    expect "analyze: target $out is the input" 6 out= "err~^postfetto: $out: is the input file.*another name" "same=$before"
done
"$PF" convert - -o in.pftrace <in.pftrace >"$OUT" 2>"$ERR"
rc=$?
expect "target is the file on standard input" 6 out= "err~is the input file" "same=$before"
rm in.pftrace hard.pftrace soft.pftrace
run convert /dev/null -o /dev/null
expect "a device that is input and output" 3 out= "err=postfetto: /dev/null: is empty; give a Chrome JSON or Perfetto trace"
mkdir reports
cp aie_small.json reports/index.json
before=$(listing)
run analyze aie $SHAPE reports/index.json
expect "a report never replaces the input" 6 out= "err~reports/index\.json: is the input.*--report" "same=$before"
run analyze aie $SHAPE aie_small.json --report reports -o reports/aggregate_perf.json
expect "-o on a report" 2 out= "err~-o reports/aggregate_perf\.json names a file that a report takes" "same=$before"
run analyze aie $SHAPE aie_small.json --report tiny.json
expect "the report folder is a file" 6 out= "err~^postfetto: tiny\.json: " "same=$before"
rm -r reports
run info tiny.json -o nofolder/x
expect "info -o" 6 out= "err~nofolder/x"
"$PF" info tiny.json >/dev/full 2>"$ERR"
rc=$?
: >"$OUT"
expect "full disk behind standard output" 6 "err~^postfetto: standard output: cannot be written: No space left on device"
before=$(listing)
(ulimit -f 8 && exec "$PF" convert aie_small.json -o big.pftrace) >"$OUT" 2>"$ERR"
rc=$?
expect "a write that fails in the middle leaves nothing" 6 out= "err~^postfetto: big\.pftrace: cannot be written: File too large" \
    "same=$before"
printf old >old.pftrace
before=$(listing)
(ulimit -f 8 && exec "$PF" convert aie_small.json -o old.pftrace) >"$OUT" 2>"$ERR"
rc=$?
expect "a write that fails leaves the old file" 6 out= "same=$before"
mkdir r
(ulimit -f 8 && exec "$PF" analyze aie $SHAPE aie_small.json -q --report r -o old.pftrace) >"$OUT" 2>"$ERR"
rc=$?
expect "the enriched trace fails after the reports" 6 "out~^\[write\] r/index\.json\$" "out!old" "err~old\.pftrace: cannot be written"
claim "the old enriched trace is still there" [ "$(cat old.pftrace)" = old ]
rm -rf old.pftrace r
