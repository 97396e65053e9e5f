# inputs.sh - several inputs in one call. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154

printf '[{"ph":"X","ts":1,"dur":5,"pid":0,"tid":1,"name":"a"}]' >in_a.json
printf '[{"ph":"X","ts":3,"dur":5,"pid":0,"tid":1,"name":"b"},{"ph":"X","ts":null,"pid":0}]' >in_b.json
run convert in_b.json -o in_b.pftrace -q

run info in_a.json in_b.pftrace
expect "info of two inputs" 0 "out~^inputs +2 files, dialect mixed" "out~^in_a.json +chrome-json" "out~^in_b.pftrace +perfetto"
run info --json in_a.json in_b.pftrace
expect "info of two inputs as JSON" 0 "out~\"inputs\"" "out~\"file\": \"in_b.pftrace\""
run check in_a.json in_b.json
expect "check names the damaged input" 1 "out~^in_b.json: error: json_tokenizer_failure: 1 time" "out!^in_a.json"
run query in_a.json --input in_b.pftrace -q "SELECT count(*) AS n FROM process WHERE pid = 0 AND upid > 0"
expect "query of two inputs" 0 "out=\"n\"
2"
run query in_a.json --input in_b.json --merge-pids "SELECT count(*) AS n FROM process WHERE pid = 0 AND upid > 0" -q
expect "query of two inputs with one number space" 0 "out=\"n\"
1"
run query in_a.json --input in_b.json -q "SELECT input_id, value FROM stats WHERE name = 'json_tokenizer_failure'"
expect "faults by input" 0 'out="input_id","value"
0,0
1,1'
run convert in_a.json in_b.json -o in_both.pftrace -q
expect "convert of two inputs" 0
run query in_both.pftrace "SELECT s.name, p.name AS process FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid) JOIN process p USING (upid) ORDER BY 1"
expect "processes say their input" 0 'out="name","process"
"a","process 0 (in_a)"
"b","process 0 (in_b)"'
run info 'in_?.json'
expect "a pattern" 0 "out~^inputs +2 files"
run info 'nothing*.json'
expect "a pattern that fits nothing" 3 'err~^postfetto: nothing\*\.json: is a pattern that fits no file; '
run convert 'in_?.json' -o in_a.json
expect "an output that a pattern fits" 6 "err~in_a.json: is the input file"
run info --formats --json
expect "the formats and their tables" 0 'out~"name": "tinygrad_event"' err=
claim "info --formats --json is JSON" is_json "$OUT"
run query "$FIX/aie_small.json" --fail-if 'SELECT count(*) > 0 FROM tinygrad_event'
expect "a threshold over tables of another format is tried and counts nothing" 0 out= err=
run query "$FIX/aie_small.json" --fail-if 'SELECT max(id) > 0 FROM tinygrad_event'
expect "and measures nothing" 1 out= "err~measured nothing"
run query "$FIX/aie_small.json" --fail-if 'SELECT no_column > 0 FROM tinygrad_event'
expect "columns count" 2 out= "err~no_column"
run info --formats
expect "the formats" 0 "out~^  chrome-json " "out~^  perfetto " "out~^  aiu-flex "
run info --input-format pefetto in_a.json
expect "an unknown format" 2 "err~unknown input format 'pefetto'; did you mean 'perfetto'\\?"
run info --input-format perfetto in_a.json
expect "a format that is forced" 0 "out~^format +perfetto"
sed 's/tile2,1/tile4,1/; s/tile3,1/tile5,1/' aie_small.json >in_second.json
mkdir in_reports
# shellcheck disable=SC2086
run analyze aie $SHAPE aie_small.json in_second.json --report in_reports -o in_drawn.pftrace
expect "findings of two inputs in one trace" 0 "out~in_drawn.pftrace"
run query in_drawn.pftrace -q "SELECT count(DISTINCT p.name) AS cores FROM process p WHERE p.name GLOB '*core_trace*'"
cores=$(tail -1 "$OUT")
run query aie_small.json -q "SELECT count(DISTINCT p.name) AS cores FROM process p WHERE p.name GLOB '*core_trace*'"
claim "every core of both inputs is there" [ "$cores" = $((2 * $(tail -1 "$OUT"))) ]
rm -rf in_reports in_second.json in_drawn.pftrace
rm -f in_a.json in_b.json in_b.pftrace in_both.pftrace

# Ties: Chrome's rules hold in the JSON, whatever is read next to it; Perfetto's in the binary trace.
echo '[{"ph":"X","pid":1,"tid":1,"ts":9,"dur":1,"name":"late"},
 {"ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"name":"short"},
 {"ph":"X","pid":1,"tid":1,"ts":5,"dur":4,"name":"long"}]' >ties.json
nests='"name","depth"
"long",0
"short",1'
query="SELECT name, depth FROM slice WHERE name IN ('long', 'short') ORDER BY name"
run query ties.json "$query"
expect "a longer complete event of the same time is the parent" 0 "out=$nests" err=
run query ties.json --input aie_small.pftrace "$query"
expect "also next to a binary trace" 0 "out=$nests" err=
run query aie_small.pftrace --input ties.json "$query"
expect "and after one" 0 "out=$nests" err=

# Two documents in one: the second one's process has a number of its own everywhere, also in the events that name it, and
# members of the documents do not hide each other.
printf '{"displayTimeUnit":"ms","same":[1],"otherData":{"x":"1"},"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"alpha"}},{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}' >in_first.json
printf '{"displayTimeUnit":"ns","same":[1],"otherData":{"x":"2"},"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"beta"}},{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":1}]}' >in_next.json
cat >in_said.py <<'E2'
import json, sys
def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)
d = json.load(open(sys.argv[1]), object_pairs_hook=once)
names = {e["pid"]: e["args"]["name"] for e in d["traceEvents"] if e["ph"] == "M"}
print({e["name"]: names[e["pid"]] for e in d["traceEvents"] if e["ph"] == "X"})
print(sorted((k, d[k]) for k in d if k != "traceEvents"))
E2
run convert in_first.json in_next.json -o in_direct.json -q
expect "two documents as one" 0
run convert in_first.json in_next.json -o in_packed.pftrace -q
run convert in_packed.pftrace -o in_packed.json -q
expect "two documents as one trace, and back" 0
for file in in_direct.json in_packed.json; do
    python3 in_said.py $file >in_said.txt 2>&1
    claim "$file: processes keep their names, and no member comes twice" [ "$(cat in_said.txt)" = "{'a': 'alpha', 'b': 'beta'}
[('displayTimeUnit', 'ms'), ('displayTimeUnit (2)', 'ns'), ('otherData', {'x': '1'}), ('otherData (2)', {'x': '2'}), ('same', [1])]" ]
done
rm in_first.json in_next.json in_said.* in_direct.json in_packed.*
