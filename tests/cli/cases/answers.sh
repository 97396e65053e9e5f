# shellcheck shell=bash disable=SC2154,SC2086
# analyze and compare on standard output: --format and --table; where reports and -o go.
aie="analyze aie $SHAPE aie_small.json --report answers"
run $aie --format csv
expect "--format csv: the first table whole, and nothing else" 0 "out~^tile,kernels,iterations,median_cycles," \
    "out~^\"tile3,1\",24,6,1174\.0," "out!write" "err!^Cores"
claim "reports are written all the same" [ -e answers/index.json ]
run $aie --format markdown
expect "--format markdown" 0 "out~^\| tile3,1 \| 24 \| 6 \| 1174\.0 \|" "out!write"
run $aie --format table
expect "--format table: what is shown" 0 "out~^Cores, " "out~^Quality of the recording" "err!^Cores" "out!write"
run $aie --format json
cp "$OUT" summary.json
run $aie --json
claim "--format json is --json" cmp -s summary.json "$OUT"
run $aie --table aie_iterations --rows 2
expect "--table: all columns of a table, as many rows as --rows says" 0 "out~^tile +iteration +phase " \
    "out~^tile2,1 +0 +warmup +4 " "out~^\.\.\. 10 more \(--rows 0 shows all\)$"
run $aie --table aie_iterations --format csv
expect "--table and --format csv: every row" 0 "out~^tile,iteration,phase," "out!more"
claim "of both cores" [ "$(wc -l <"$OUT")" = 13 ]
run $aie --table aie_cores --format json -q
expect "--table and --format json" 0 err=
claim "a table as JSON" python3 - "$OUT" <<'END_OF_PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema_version"] == 1 and document["table"] == "aie_cores"
assert [(row["tile"], row["kernels"], row["median_cycles"]) for row in document["rows"]] == [("tile2,1", 24, 1178.0), ("tile3,1", 24, 1174.0)]
END_OF_PYTHON
rm -r answers summary.json
for options in "--table aie_core" "--table aie_core --format csv"; do
    run $aie $options
    expect "$options" 2 out= "err~^postfetto: analyze: no table is called 'aie_core'; the tables of aie are aie_cores, aie_iterations, "
done
run $aie --json --format csv
expect "--json and another form" 2 out= "err~--json contradicts --format csv"
for options in "--format csv" "--table aie_cores" "--json"; do
    run $aie -o - $options
    expect "-o - and $options" 2 out= "err~'-o -' and ${options%% *} both want standard output"
done
run $aie --format yaml
expect "a form that is none" 2 out= "err~--format takes one of table\|json\|csv\|markdown"
claim "nothing was written" [ ! -e answers ]
run compare tiny.json tiny.json --table compare_rows --format csv -q
expect "compare --table" 0 err= "out~^name,verdict,delta_ns,"
run compare tiny.json tiny.json --table rows -q
expect "compare: a table that is not there" 2 out= "err~the tables of compare are compare_rows"
run compare tiny.json tiny.json
expect "compare: the table without being asked" 0 "out~^name +verdict +delta \(ns\) +ratio " "err~^No change: "
run analyze aiu --format csv "$FIX"/aiu/tp2-rank-0.json --report aiu_out
expect "a pass with an option --format of its own has these forms, too" 0 "out~,"
run analyze aiu --help
claim "and one such option in its help" [ "$(grep -c -e '--format [a-zF]' "$OUT")" = 1 ]
rm -rf aiu_out

# Reports without --report: of passes whose originals write them.
mkdir places
cp "$FIX"/tinygrad_small.pkl aie_small.json places
before=$(listing)
run analyze tinygrad places/tinygrad_small.pkl
expect "analyze tinygrad writes nothing" 0 out= "err~^Kernels" "same=$before"
run analyze aie $SHAPE places/aie_small.json
expect "analyze aie writes next to its input" 0 "out~^\[write\] places/details\.md$"
run analyze --help
expect "help says so" 0 "out~only aie and aiu"
rm -r places

# The ending of -o.
run analyze aie $SHAPE nofile.json -o e.csv
expect "an ending of another format is refused before reading" 2 out= "err~which 'e\.csv' does not name"
run analyze aie $SHAPE aie_small.json -o e.zst --report places
expect "a compression that is not written" 2 out= "err~-o does not compress as the ending of 'e\.zst' says; end it in \.pftrace or \.pftrace\.gz$"
claim "and nothing is" [ ! -e places ]
run analyze aie $SHAPE aie_small.pftrace -o e.pftrace --report places
run analyze aie $SHAPE aie_small.pftrace -o e.pftrace.gz --report places
claim "a plain trace is compressed under a name in .gz" eval 'gzip -dc e.pftrace.gz | cmp - e.pftrace'
rm -r places e.pftrace e.pftrace.gz
