# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016,SC2002
# Standard streams, terminals, signals, and what the folder looks like afterwards.

# Data and messages
run analyze aie $SHAPE aie_small.json --report r1 --stats
expect "analyze: paths and nothing else on standard output" 0 "out=[write] r1/tile2,1.json
[write] r1/tile3,1.json
[write] r1/details.md
[write] r1/index.json
[write] r1/aggregate_perf.json" "err~Tile" \
    'err~^\{"input_bytes": [1-9][0-9]*, "plain_bytes": [1-9][0-9]*, "output_bytes": [1-9][0-9]*, "events": [1-9][0-9]*, "seconds": [0-9.]+, "mb_per_s": [0-9.]+, "events_per_s": [0-9.]+, "peak_rss_kb": [1-9][0-9]*, "peak_heap_kb": [1-9][0-9]*\}$'
claim "--stats is the last line" eval '[ "$(tail -n 1 "$ERR" | head -c 1)" = "{" ]'
claim "all reports are there" eval '[ "$(ls r1 | tr "\n" " ")" = "aggregate_perf.json aie_quality.json details.md index.json tile2,1.json tile3,1.json " ]'
claim "input_bytes is the size of the file" grep -q "\"input_bytes\": $(stat -c %s aie_small.json), \"plain_bytes\": $(stat -c %s aie_small.json), " "$ERR"
run analyze aie $SHAPE aie_small.json.gz --report r1 -q --stats
claim "plain_bytes is the size unpacked" grep -q "\"input_bytes\": $(stat -c %s aie_small.json.gz), \"plain_bytes\": $(stat -c %s aie_small.json), " "$ERR"
expect "-q leaves only the line of --stats" 0 "out~^\[write\] r1/index\.json" "err!^[^{]"
run analyze aie $SHAPE aie_small.json --report r1 -q
expect "-q leaves nothing on standard error" 0 "out~^\[write\] r1/index\.json" err=
run analyze aie $SHAPE aie_small.json --report r1 --json
expect "--json replaces the [write] lines" 0 'out~^  "schema_version": 1' "out!\[write\]" "err~Tile" "err!\[write\]"
claim "--json of analyze is JSON" is_json "$OUT"
run info --json tiny.json -o info.json
expect "info -o" 0 out= err=
claim "info -o wrote JSON" is_json info.json
rm -rf r1 info.json

# --stats counts what was written, and the events that were read
counted() { # counted NAME EVENTS BYTES: after a run with --stats
    expect "--stats: $1" 0 "err~\"output_bytes\": $3, \"events\": $2, "
}
for words in "info" "info --json" "check --json" "query --json" "query --format table"; do
    if [ "${words%% *}" = query ]; then
        run $words tiny.json "SELECT * FROM slice" "SELECT 1" --stats
    else
        run $words tiny.json --stats
    fi
    claim "$words writes something" [ -s "$OUT" ]
    counted "$words" 5 "$(stat -c %s "$OUT")"
done
run compare tiny.json tiny.json --stats
counted "the events of both sides" 10 "$(stat -c %s "$OUT")"
for name in rows.csv x.pftrace x.pftrace.gz x.json x.json.gz x.sqlite; do
    if [ $name = rows.csv ]; then
        run query tiny.json "SELECT name FROM slice" -o $name --stats
    else
        run convert tiny.json -o $name --stats
    fi
    counted $name 5 "$(stat -c %s $name)"
    rm $name
done
run analyze aie $SHAPE aie_small.json --report r1 -o e.pftrace --stats
counted "analyze: reports, the enriched trace and what it prints" "$(python3 -c 'import json; print(len(json.load(open("aie_small.json"))))')" \
    "$(cat r1/* e.pftrace "$OUT" | wc -c)"
rm -r r1 e.pftrace

# -v
run info tiny.json -v
expect "-v says how long the reading took" 0 "err~^postfetto: tiny.json: read in [0-9]+\.[0-9]{3} s, dialect chrome-json$"
printf '[{"name": "outer", "ph": "X", "ts": 1, "dur": 5, "pid": 1}, {"name": "crosses", "ph": "X", "ts": 3, "dur": 9, "pid": 1}]' >spill.json
run convert -v spill.json -o x.pftrace
expect "-v says what loses nothing" 0 out= \
    "err~^postfetto: spill.json: note: .*\(slice_spill_overlapping_complete_event, 1 time\)$"
run convert spill.json -o x.pftrace
expect "without -v it is not said" 0 out= err=
rm spill.json x.pftrace

# Names of folders and files
mkdir -p sub/traces
cp aie_small.json sub/traces/small.case.json
cp aie_small.json.gz plain.json.gz
run analyze aie $SHAPE sub/traces/small.case.json -q
expect "reports go next to the input" 0 "out~^\[write\] sub/traces/tile2,1\.json\$"
claim "input_path and output_dir as given" grep -q '"input_path": "sub/traces/small.case.json"' sub/traces/index.json
claim "output_dir" grep -q '"output_dir": "sub/traces"' sub/traces/index.json
run analyze aie $SHAPE plain.json.gz -q
expect "an input without a folder" 0 "out~^\[write\] tile2,1\.json\$"
claim "output_dir is a dot" grep -q '"output_dir": "."' index.json
claim "hwid is the name without its endings" grep -q '"hwid": "plain"' index.json
run analyze aie $SHAPE plain.json.gz -q --hwid "NPU 2"
claim "--hwid" grep -q '"hwid": "NPU 2"' index.json
run analyze aie $SHAPE "$W/t/plain.json.gz" -q --report ./out/deep
expect "--report makes folders" 0 "out~^\[write\] \./out/deep/index\.json\$"
run analyze aie $SHAPE plain.json.gz -q --report out -o enriched.pftrace
expect "the enriched trace is announced last" 0 "out~^\[write\] out/aggregate_perf\.json\$"
claim "last line" eval '[ "$(tail -n 1 "$OUT")" = "[write] enriched.pftrace" ]'
rm -rf sub out plain.json.gz enriched.pftrace index.json aggregate_perf.json aie_quality.json details.md tile*.json

# Pipes
run info - <tiny.json
expect "a file on standard input" 0 "out~^file +standard input\$" err=
cat aie_small.json.gz | "$PF" info --json - >"$OUT" 2>"$ERR"
rc=$?
expect "a pipe on standard input" 0 'out~"compression": "gzip"' err=
before=$(listing)
cat aie_small.json | "$PF" analyze aie $SHAPE - >"$OUT" 2>"$ERR"
rc=$?
expect "standard input has no name for hwid" 2 out= "err~--hwid" "same=$before"
cat aie_small.json | "$PF" analyze aie $SHAPE --hwid h - >"$OUT" 2>"$ERR"
rc=$?
expect "no reports for standard input" 0 out= "err~Tile" "same=$before"
cat aie_small.json | "$PF" analyze aie $SHAPE --hwid h - --report r >"$OUT" 2>"$ERR"
rc=$?
expect "reports for standard input with --report" 0 "out~^\[write\] r/index\.json\$"
claim "hwid of standard input" grep -q '"hwid": "h"' r/index.json
rm -rf r
run convert tiny.json -o tiny.pftrace
expect "convert says nothing" 0 out= err=
run convert tiny.json -o -
expect "convert to standard output" 0 err=
claim "the same bytes as in a file" cmp "$OUT" tiny.pftrace
"$PF" convert - -o - --to pftrace.gz <tiny.json 2>"$ERR" | gzip -dc | cmp - tiny.pftrace
rc=$?
: >"$OUT"
expect "--to pftrace.gz on standard output" 0 err=
run convert tiny.json -o tiny.pftrace.gz
claim "convert by the ending .gz" eval 'gzip -dc tiny.pftrace.gz | cmp - tiny.pftrace'
run convert aie_small.json -o plain.pftrace
run convert aie_small.json --compress -o packed.pftrace
claim "compressed packets are fewer bytes" [ "$(stat -c %s packed.pftrace)" -lt "$(stat -c %s plain.pftrace)" ]
"$PF" query plain.pftrace "SELECT ts, dur, name, track_id FROM slice" >"$W/plain.csv" 2>"$ERR"
run query packed.pftrace "SELECT ts, dur, name, track_id FROM slice"
claim "compressed packets hold the same slices" eval '[ "$(wc -l <"$OUT")" -gt 1 ] && cmp "$OUT" "$W/plain.csv"'
run convert tiny.json -o tiny2.perfetto-trace
claim "convert by the ending .perfetto-trace" cmp tiny2.perfetto-trace tiny.pftrace
run convert tiny.json -o tiny2.pftrace --json
expect "convert --json" 0 'out~^  "format": "pftrace",$' "out~^  \"output_bytes\": $(stat -c %s tiny.pftrace),\$" err=
claim "convert --json is JSON" is_json "$OUT"
cp tiny.json second.json
run convert tiny.json second.json -o two.pftrace --json
claim "convert --json of two inputs" python3 - "$OUT" two.pftrace <<'END'
import json, os, sys
assert json.load(open(sys.argv[1])) == {"schema_version": 1, "inputs": ["tiny.json", "second.json"], "output": sys.argv[2],
                                        "format": "pftrace", "output_bytes": os.path.getsize(sys.argv[2]), "events": 10}
END
rm second.json two.pftrace
for ending in pftrace.gz json json.gz sqlite; do
    run convert tiny.json -o packed.$ending --compress
    expect "convert --compress to $ending" 2 out= "err=postfetto: convert: --compress is for a plain .pftrace, not for $ending; leave it out"
done
run convert tiny.json -o packed.pftrace --to json
expect "convert --to against the ending" 2 out= "err=postfetto: convert: --to json contradicts the ending of 'packed.pftrace'; leave out --to"
run convert tiny.json -o packed.pftrace --to pftrace -q
expect "convert --to as the ending says" 0 out= err=
rm packed.pftrace
run convert tiny.json -o - --json
expect "-o - and --json" 2 out= "err~both want standard output"
"$PF" convert tiny.json -o closed.pftrace <&- >&- 2>&-
rc=$?
claim "closed standard streams do not end up in the output" eval '[ $rc = 0 ] && cmp closed.pftrace tiny.pftrace'
"$PF" info tiny.json 2>"$ERR" >&-
rc=$?
: >"$OUT"
expect "closed standard output" 6 "err~^postfetto: standard output: cannot be written: Bad file descriptor"
"$PF" info - 2>"$ERR" >"$OUT" <&-
rc=$?
expect "closed standard input" 3 out= "err~^postfetto: standard input: cannot be read: "
rm -f closed.pftrace tiny*.pftrace tiny*.perfetto-trace tiny.pftrace.gz
run analyze aie $SHAPE aie_small.json --report r -o e.pftrace
run analyze aie $SHAPE aie_small.json --report r -o -
expect "-o - sends the [write] lines to standard error" 0 "err~^\[write\] r/index\.json\$" "err!pftrace"
claim "-o - writes the enriched trace" cmp "$OUT" e.pftrace
run analyze aie $SHAPE aie_small.json --report r -o - --json
expect "analyze: -o - and --json" 2 out= "err~both want standard output"
rm -rf r e.pftrace

# Terminals
if command -v script >/dev/null; then
    before=$(listing)
    in_terminal "$PF convert tiny.json -o -"
    expect "no binary on a terminal" 2 "out~the trace is binary and standard output is a terminal" "same=$before"
    in_terminal "$PF analyze aie $SHAPE aie_small.json -o -"
    expect "no enriched trace on a terminal" 2 "out~the enriched trace is binary and standard output is a terminal" "same=$before"
    in_terminal "NO_COLOR=1 $PF info tiny.json"
    expect "no escape sequences with NO_COLOR" 0 "out~format" "out!$(printf '\033')"
    in_terminal "NO_COLOR=1 $PF analyze aie $SHAPE aie_small.json --report shown"
    expect "no bold with NO_COLOR" 0 "out~^Cores, " "out!$(printf '\033')"
    in_terminal "$PF analyze aie $SHAPE aie_small.json --report shown" dumb
    expect "nor on a terminal without" 0 "out~^Cores, " "out!$(printf '\033')"
    in_terminal "$PF analyze aie $SHAPE aie_small.json --report shown"
    expect "titles are bold on a terminal" 0 "out~^$(printf '\033')\[1mCores, .*$(printf '\033')\[0m"
    in_terminal "stty cols 60; $PF analyze aie $SHAPE aie_small.json --report shown --rows 1"
    expect "as many rows as --rows says, as wide as the terminal" 0 "out~^$(printf '\033')\[2m\.\.\. 1 more \(--rows 0 shows all\)"
    claim "no line of the sentence and the tables is wider" eval '! sed "s/$(printf "\033")\[[0-9]*m//g; s/\r//; /^postfetto:/d; /no room/d" "$OUT" | grep -E "^.{61}"'
    in_terminal "stty cols 45; TERM=dumb $PF analyze aie $SHAPE aie_small.json --report shown --rows 1 2>&1"
    sed '/^Cores/,$d; s/\r//' "$OUT" | tr -s '\n' ' ' >wrapped
    run analyze aie $SHAPE aie_small.json --report shown --rows 1
    claim "the sentence in a file is one line, on the terminal the same words" eval '[ "$(sed 1q "$ERR") " = "$(cat wrapped)" ]'
    rm wrapped
    run analyze aie $SHAPE aie_small.json --report shown --rows 0
    expect "--rows 0: all" 0 "err!more \(--rows" "err!$(printf '\033')"
    run analyze aie $SHAPE aie_small.json --report shown --rows=-1
    expect "--rows below 0" 2 out= "err~--rows takes"
    rm -r shown
    in_terminal "$PF info tiny.json" dumb
    expect "no escape sequences on a dumb terminal" 0 "out~format" "out!$(printf '\033')"
    printf '[{"name":"bad\\u001b[31m\\u0007name","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]' >escape.json
    in_terminal "NO_COLOR=1 $PF info escape.json"
    expect "no escape sequences out of the trace" 0 "out~bad[^a-z]+\[31m[^a-z]+name" "out!$(printf '\033')" "out!$(printf '\007')"
    rm escape.json
    in_terminal "$PF query tiny.json 'SELECT 1 AS one'"
    expect "a table on a terminal" 0 'out~^one' 'out!"one"'
else
    skip "terminals" "the program 'script' is not there"
fi

# Signals. A reader that waits for a fifo must go at once; `waiting` returns when the process sleeps in its read.
waiting() {
    for _ in $(seq 500); do
        grep -q "^Name:.$comm\$" "/proc/$1/status" && grep -q '^State:.S' "/proc/$1/status" && return 0
        sleep 0.01
    done
    return 1
}

comm=$(basename "$PF" | cut -c 1-15)
mkfifo slow
exec 9<>slow
for signal in TERM:143 INT:130 HUP:129; do
    before=$(listing)
    env --default-signal="${signal%:*}" "$PF" convert slow -o x.pftrace >"$OUT" 2>"$ERR" &
    pid=$!
    waiting $pid
    kill "-${signal%:*}" $pid
    wait $pid
    rc=$?
    expect "SIG${signal%:*} while reading" "${signal#*:}" out= err= "same=$before"
done
env --ignore-signal=INT "$PF" info slow >"$OUT" 2>"$ERR" &
pid=$!
waiting $pid
kill -INT $pid
kill -TERM $pid
wait $pid
rc=$?
expect "an ignored signal stays ignored" 143 out= err=
exec 9>&-
rm slow

many="SELECT a.name, b.ts FROM slice a, slice b, slice c"
before=$(listing)
"$PF" query aie_small.json "$many" 2>"$ERR" | head -c 1 >"$OUT"
rc=${PIPESTATUS[0]}
expect "SIGPIPE ends quietly" 141 err= "same=$before"
(trap '' PIPE && "$PF" query aie_small.json "$many" 2>"$ERR"; echo $? >"$W/rc") | head -c 1 >"$OUT"
rc=$(cat "$W/rc")
expect "SIGPIPE ends quietly although the parent ignores it" 141 err= "same=$before"
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
env --default-signal=INT "$PF" query aie_small.json "$endless" -o rows.csv >"$OUT" 2>"$ERR" &
pid=$!
for _ in $(seq 500); do
    readlink "/proc/$pid/fd/"* | grep -q "^$W/t/.*deleted" && break
    sleep 0.01
done
kill -INT $pid
wait $pid
rc=$?
expect "SIGINT ends a query that gives no row" 130 out= err= "same=$before"
"$PF" query aie_small.json "$many" -o rows.csv >"$OUT" 2>"$ERR" &
pid=$!
for _ in $(seq 500); do
    readlink "/proc/$pid/fd/"* | grep -q "^$W/t/.*deleted" && break
    sleep 0.01
done
kill -TERM $pid
wait $pid
rc=$?
expect "SIGTERM while writing takes the output away" 143 out= err= "same=$before"
