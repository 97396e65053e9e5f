# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# Passes as data: a pass of somebody else (tests/stub) with two roles of traces, a document, options of every type, stages,
# report tables, reports in every form and place, a derived trace and a verdict. Sourced by run.sh.

mkdir -p passes/out
cat >passes/a.json <<'EOF'
[{"ph":"X","name":"k","pid":1,"tid":1,"ts":10,"dur":100},{"ph":"X","name":"m","pid":1,"tid":1,"ts":200,"dur":50}]
EOF
sed 's/"dur":100/"dur":150/' passes/a.json >passes/b.json
(
    cd passes || exit 1
    "$STUB" convert -q b.json -o b.pftrace
)
cd passes || exit 1

run_stub analyze --list
expect "a registered pass is listed" 0 "out~^aie  " "out~^stub  " err=
run_stub analyze stub --help
expect "a pass's help comes from its rows" 0 "out~^Usage: postfetto analyze stub BASE NEW \[options\]$" \
    "out~^  stub_totals +one row for each trace$" "out~^  -C, --kinds slices\|counters\|flows\.\.\.$" \
    "out~--tag TEXT +a word to report; may be repeated$" "out~--slice-rows N "
run_stub analyze stub --stages
expect "stages are listed" 0 "out=sum: adds the lengths
draw (with --output)
sum#2" err=

run_stub analyze --list --json
expect "a registered pass is described" 0 'out~"name": "stub"' 'out~"type": "duration"' 'out~"within": ">0\.\."' \
    'out~"option": "weights"' 'out~"stub_totals"'
claim "analyze --list --json is JSON" is_json "$OUT"
claim "it says all of a pass that its rows say" python3 - "$OUT" <<'END'
import json, sys
found = next(p for p in json.load(open(sys.argv[1]))["passes"] if p["name"] == "stub")
assert found["summary"] == "compares the slices of two traces"
inputs = [("base", 1, 1, None, "the trace to compare with"), ("new", 1, 1, None, "the trace that is judged"),
          ("weights", 0, 1, "weights", "a weight for each name")]
assert [(i["name"], i["least"], i["most"], i["option"], i["help"]) for i in found["inputs"]] == inputs, found["inputs"]
kinds, tag = found["options"][1:3]
assert kinds == {"name": "kinds", "letter": "C", "type": "set", "choices": "slices|counters|flows", "within": None,
                 "unit": None, "default": "slices", "required": False, "repeatable": False,
                 "help": "what is counted"}, kinds
assert tag["repeatable"] and tag["letter"] is None and found["options"][0]["within"] == ">0..", tag
assert found["tables"] == [{"name": "stub_totals", "help": "one row for each trace",
                            "columns": ["trace", "slices", "total", "mean"]}], found["tables"]
assert found["stages"] == ["sum", "draw", "sum"], found["stages"]
END

# Two traces of two formats, and everything that can come out.
run_stub analyze stub a.json b.pftrace -o out/x.json --tag one --tag two -C slices flows -q
expect "a verdict is exit code 1 and a sentence" 1 "err~^postfetto: stub: slower: 200000 against 157500$" \
    "out=tag one
tag two
kinds 5, jobs 2, stem out/x
[write] out/one.json
[write] out/totals.csv
[write] out/picture.png
[write] out/x.json"
claim "CSV quotes what must be quoted" [ "$(cat out/totals.csv)" = 'trace,slices,total,mean
base,2,150000,75000.00
"new, ""quoted""",2,200000,100000.00' ]
claim "CSV with semicolons and CR LF" [ "$(tail -1 out/semi.csv | od -An -c | tr -d ' \n')" = \
    '"new,""quoted""";2;200000;100000.00\r\n' ]
claim "JSON as a style says" [ "$(head -c 40 out/one.json)" = '{"größe": "€", "total": 200000, "qui' ]
claim "bytes are written as they are" [ "$(od -An -tx1 out/picture.png | tr -d ' ')" = 89504e47000a ]
claim "a report next to -o" [ "$(cat out/beside.txt)" = "total 200000" ]
run query -q out/x.json "SELECT name, ts, dur FROM slice ORDER BY ts" --format csv
expect "the derived trace is what -o asks for" 0 'out="name","ts","dur"
"k",1010000,150000
"m",1200000,50000'
run_stub analyze stub a.json b.json -q -o out/x.pftrace
expect "a derived Perfetto trace" 1 "out~\[write\] out/x\.pftrace"
run query -q out/x.pftrace \
    "SELECT name, ts, dur, category IS 'postfetto.stub' AS ours FROM slice ORDER BY ts, name" --format csv
expect "has the findings drawn in" 0 'out="name","ts","dur","ours"
"total",1000000,200000,1
"k",1010000,150000,0
"m",1200000,50000,0'
run_stub analyze stub a.json b.json -q -o out/y.txt
expect "an output that the pass makes itself" 1 "out~\[write\] out/later\.json"
claim "has the pass's text" [ "$(cat out/y.txt)" = "total 200000" ]
rm -rf out && mkdir out
run_stub analyze stub a.json b.json -q --skip-stage draw --report out
expect "a stage that is left out" 1 "err~slower" "out!later"
run_stub analyze stub a.json b.json -q --skip-stage 'sum#2' --skip-stage nothing --report out
expect "an unknown stage" 2 out= "err~no stage 'nothing'; postfetto analyze stub --stages lists them"
run_stub analyze stub a.json b.json --json --report out
expect "--json is the summary alone" 1 'out~"total": 200000' "out!^kinds" "out!write"
claim "--json is JSON" is_json "$OUT"

# Options of every type.
run_stub analyze stub a.json a.json -q --longer-than 60us --slice-rows 2 --report out
expect "equal traces have no verdict" 0 "out~^kinds 1, " "err!slower"
claim "a duration and a number of rows choose slices" [ "$(sed -n 2p out/totals.csv)" = "base,1,100000,100000.00" ]
run_stub analyze stub a.json a.json --longer-than 60
expect "a duration needs its unit" 2 out= "err~--longer-than takes a time with its unit \(1\.5s, 200ms\), not '60'$"
run_stub analyze stub a.json a.json --slower 0
expect "a limit of a number" 2 out= "err~--slower takes a decimal number above 0, not '0'$"
run_stub analyze stub a.json a.json --kinds slices,arrows
expect "a set with a stranger" 2 out= "err~--kinds takes some of slices\|counters\|flows, separated by commas, "
run_stub analyze stub 'a.js*' './b.p*ace' -q --report out --tag pattern
expect "patterns stand for files" 1 "out~^tag pattern$" "err~slower: 200000 against 157500$"
run_stub analyze stub 'x*.json' a.json
expect "a pattern that fits nothing" 3 out= "err~^postfetto: x\*\.json: is a pattern that fits no file"
run_stub analyze stub a.json
expect "a role that lacks its file" 2 out= "err~stub needs 1 file as new, not 0; see postfetto analyze stub --help$"
run_stub analyze stub a.json a.json a.json
expect "one input too many" 2 out= "err~'a\.json' is one input too many"

# A role of documents.
printf '{"total": 2.5, "big": 123456789012345678901234567890}' >w.json
printf 'base: &b {total: 0.5}\n<<: *b\nlist: [yes, 0x10, ~]\n' >w.yaml
printf '\357\273\277name,weight\r\n"total","3"\r\n' | gzip >w.csv
run_stub analyze stub a.json a.json --quiet --weights w.json --report out
expect "a JSON document" 1 "err~slower: 375000 against 157500$"
claim "is reported with its integers" grep -q '"big": 123456789012345678901234567890$' out/weights.json
run_stub analyze stub b.json b.json --quiet --weights w.yaml --report out
expect "a YAML document with a merge key" 0 "err!slower"
claim "has what it means" [ "$(tr -d ' \n' <out/weights.json)" = \
    '{"total":0.5,"base":{"total":0.5},"list":[true,16,null]}' ]
run_stub analyze stub a.json a.json --quiet --weights w.csv --report out
expect "a packed CSV" 1 "err~slower: 450000 against 157500$"
run_stub analyze stub a.json a.json --weights missing.json --report out
expect "a document that may be missing" 0 "err~warning: no weights: missing\.json \(2\)$"
printf '{"total": 1,\n "list": [1, 2' >broken.json
run_stub analyze stub a.json a.json --weights broken.json --report out
expect "a broken document" 3 out= "err~^postfetto: broken\.json: at byte 27: line 2, column 15: the document ends in its middle$"

# Thresholds over the tables of the pass; a wrong one costs no reading.
run_stub analyze stub a.json b.json --quiet --report out --fail-if "(SELECT max(total) FROM stub_totals) > 190000"
expect "a threshold over a report table" 1 "err~--fail-if .* is true"
run_stub analyze stub a.json b.json --quiet --report out --fail-if "SELECT mean < 1 FROM stub_totals" --slower 2
expect "a threshold that holds" 0 "err!fail-if"
run_stub analyze stub no-such-file.json b.json --fail-if "SELECT weight > 1 FROM stub_totals"
expect "a wrong threshold comes before the work" 2 out= "err~no such column: weight"
run_stub analyze stub a.json b.json -o a.json
expect "an output that is an input" 6 out= "err~is the input file"
cp a.json out/totals.csv
run_stub analyze stub out/totals.csv b.json
expect "a report that would replace an input" 6 "err~is the input and would be replaced"
claim "the input is as it was" cmp -s a.json out/totals.csv
cd .. || exit 1
rm -rf passes
