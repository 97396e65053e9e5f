# shellcheck shell=bash disable=SC2154
# compare ops: scenarios of the command line, passes, shapes, contributions, reports, the enriched trace, bad files. Expected numbers
# are computed by hand from the two files below; the recorded runs of the program before are tests/conformance/driver_opcmp.py.
cat >model.json <<'END'
{"traceEvents": [
{"ph":"M","name":"process_name","pid":1,"args":{"name":"Profiling"}},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"mm","args":{"kernel_type":"MatMul","simulation_shapes":"[[16, 64]]"}},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":10,"name":"mm","args":{"kernel_type":"MatMul","simulation_shapes":"[[4, 64], [64]]"}},
{"ph":"X","pid":1,"tid":1,"ts":30,"dur":5,"name":"norm","args":{"kernel_type":"Norm"}},
{"ph":"X","pid":1,"tid":1,"ts":40,"dur":3,"name":"gather"}]}
END
cat >kernels.csv <<'END'
Type,Start Time(us),Duration(us),Input Shapes
Gather,0,2.0,N/A
MatMul,10,12.0,"""16,64;64,8"""
Norm,30,4.0,N/A
MatMul,50,6.0,"""4,64"""
Gather,100,2.0,N/A
MatMul,110,14.0,"""16,64;64,8"""
Norm,130,4.0,N/A
MatMul,150,8.0,"""4,64"""
END
ops() {
    run compare ops --mapping map.yaml -o ops.json "$@"
}
cell() { # cell TYPE MEMBER: of the scenario "s" in ops.json
    python3 -c 'import json, sys
for row in json.load(open("ops.json"))["s"]:
    if row["kernel_type"] == sys.argv[1]:
        print(row[sys.argv[2]])' "$1" "$2"
}
echo 'gather: {kernel_type: Gather}' >map.yaml

ops --scenario s,model.json,kernels.csv,2 --top 2
expect "the largest contributions" 0 "out~^The total is \+2.0 us off \(\+7.7 %\). Most of it:\$"
claim "of 2 passes 20 us of MatMul are measured" [ "$(cell MatMul prof_per_fwd_us)" = 20.0 ]
claim "the largest comes first" has_line "$OUT" "        +1.0 us   50.0 %  Norm"
ops --scenario s,model.json,kernels.csv,auto
expect "passes are found" 0 "err~2 forward passes \(anchor"
claim "and counted" [ "$(cell Gather prof_count)" = 1 ]
ops --scenario s,model.json,kernels.csv --anchor Gather
expect "an anchor counts passes" 0 "err~2 forward passes \(anchor Gather\)"
ops --scenario s,model.json,kernels.csv --anchor Scatter
expect "an anchor that is not there" 3 "err~no kernel of type 'Scatter'"
ops --scenario s,model.json,kernels.csv,2 --by-shape
expect "kernels by shape" 0 err=
claim "a shape of the model meets that of the device" [ "$(cell 'MatMul [16,64]' prof_per_fwd_us)" = 13.0 ]
claim "the other shape" [ "$(cell 'MatMul [4,64]' prof_per_fwd_us) $(cell 'MatMul [4,64]' tc_total_us)" = "7.0 10.0" ]
claim "kernels without a shape keep their name" [ "$(cell Norm prof_count)" = 1 ]

ops --scenario s,model.json,kernels.csv,2 --report out --enriched rich
expect "reports and the enriched trace" 0 err=
claim "a CSV with differences" has_line out/op_comparison.csv "s,Norm,norm,HIT,5.0,1,4.0,1,25.0,0.0,1.0,50.0,15.4"
claim "Markdown" grep -q '^| s *| MatMul' out/op_comparison.md
run query rich/s.pftrace "SELECT s.name, s.dur, extract_arg(s.arg_set_id, 'debug.measured_us') AS us,
  extract_arg(s.arg_set_id, 'debug.error_percent') AS error, extract_arg(s.arg_set_id, 'debug.status') AS status
  FROM slice s WHERE category = 'postfetto.compare-ops' ORDER BY ts"
expect "operators with what was measured" 0 'out="name","dur","us","error","status"
"mm",10000,10.0,0.0,"HIT"
"mm",10000,10.0,0.0,"HIT"
"norm",5000,4.0,25.0,"HIT"
"gather",3000,2.0,50.0,"MISS"'
run query rich/s.pftrace "SELECT group_concat(cast(value AS int)) AS v FROM (SELECT value FROM counter JOIN track t ON t.id = track_id
  WHERE t.name LIKE '%on the device' ORDER BY ts)"
expect "the measured time falls to 0 between operators" 0 'out="v"
"10,10,0,4,0,2,0"'
run query rich/s.pftrace "SELECT c.ts / 1000 AS at, max(iif(t.name LIKE '%model', c.value, NULL)) AS model,
  max(iif(t.name LIKE '%error', c.value, NULL)) AS error FROM counter c JOIN track t ON t.id = c.track_id GROUP BY 1 ORDER BY 1"
expect "time in the model and error of the operator that runs" 0 'out="at","model","error"
0,10.0,0.0
10,10.0,0.0
20,0.0,0.0
30,5.0,25.0
35,0.0,0.0
40,3.0,50.0
43,0.0,0.0'
run query rich/s.pftrace "SELECT t.name, p.name AS above, c.unit, extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS place,
  extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS share, length(extract_arg(t.source_arg_set_id, 'description')) > 50 AS explained
  FROM track t LEFT JOIN track p ON p.id = t.parent_id LEFT JOIN counter_track c ON c.id = t.id WHERE t.name LIKE 'operators%' ORDER BY above, place"
expect "rows below the process of the model" 0 'out="name","above","unit","place","share","explained"
"operators: model against device",,,0,,1
"operators compared","operators: model against device",,0,,1
"operators time in the model","operators: model against device","us",1,"operator time",1
"operators time on the device","operators: model against device","us",2,"operator time",1
"operators error","operators: model against device","%",3,,1'
run query rich/s.pftrace "SELECT extract_arg(s.arg_set_id, 'debug.model_us') AS us, extract_arg(s.arg_set_id, 'debug.kernel_type') AS type,
  p.name FROM slice s JOIN process_track t ON t.id = s.track_id JOIN process p USING (upid) WHERE category = 'postfetto.compare-ops' ORDER BY ts"
expect "operators with what the model says, in its process" 0 'out="us","type","name"
10.0,"MatMul","Profiling"
10.0,"MatMul","Profiling"
5.0,"Norm","Profiling"
3.0,"Gather","Profiling"'

# What people look at. 20 us of MatMul are what was measured; Norm and Gather are 1 us too long each.
said='s: the model predicts 28.0 us per forward pass, 7.7 % more than the 26.0 us measured; largest error: Norm, +1.0 us (50.0 % of all errors); it has all that was measured'
ops --scenario s,model.json,kernels.csv,2 --html p.html --report out --pictures
expect "a page" 0 err= "out~^kernel_type  *TC" "out~^\[write\] p.html"
claim "with the sentence" grep -Fq ">$said<" p.html
claim "and the numbers" eval 'grep -q "7.7 %<" p.html && grep -q "100.0 %<" p.html && grep -q "1 of 3<" p.html'
claim "pictures" test "$(echo out/*.svg)" = "out/opcmp_change.svg out/opcmp_coverage.svg out/opcmp_times.svg"
claim "the waterfall ends at the model" grep -q '>predicted by the model</text>' out/opcmp_change.svg
claim "a bar of the model and one of the device" grep -q '^model: 5.0 us$' out/opcmp_times.svg
ops --scenario s,model.json,kernels.csv,2 --format csv --table opcmp_scenarios
expect "a table for machines" 0 err= 'out=scenario,passes,model_us,measured_us,difference_us,error_percent,sum_of_errors_percent,not_modelled_percent,kernel_types,hit_us,partial_us,miss_us,not_modelled_us
s,2.0,28.0,26.0,2.0,7.7,7.7,0.0,3,24.0,0.0,2.0,0.0'
ops --scenario s,model.json,kernels.csv,2 --format table --rows 1
expect "tables instead of the text" 0 err= "out~^kernel type +difference \(us\)" "out~^Norm  +1\.0 +25\.0 +5\.0 +4\.0  HIT" \
    "out~^\.\.\. 2 more" "out!TC未建模|Saved to"
ops --scenario s,model.json,kernels.csv,2 --json
claim "the document is that of -o" python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1])) != json.load(open("ops.json")))' "$OUT"
ops --scenario s,model.json,kernels.csv,2 --scenario t,model.json,kernels.csv,1 --html p.html
claim "of two scenarios the one that is farther off" grep -Fq ">Of 2 scenarios t is farthest off: the model predicts 28.0 us per forward pass, 46.2 % less than the 52.0 us measured; " p.html
if command -v script >/dev/null; then
    in_terminal "stty cols 60; $PF compare ops --mapping map.yaml -o ops.json --scenario s,model.json,kernels.csv,2 --rows 2" dumb
    expect "on a terminal sentence and tables" 0 "out~^s: the model predicts" "out~no room for" "out~^Saved to ops.json" "out!Prof"
    claim "the sentence is as wide as it is" eval 'test "$(sed "s/\r//; /^\$/,\$d" "$OUT" | tr "\n" " ")" = "$said " && ! sed "/^\r/,\$d; s/\r//" "$OUT" | grep -E "^.{61}"'
    in_terminal "$PF compare ops --mapping map.yaml -o ops.json --scenario s,model.json,kernels.csv,2 >piped" dumb
    expect "a pipe gets the text of its own alone" 0 out=
    run compare ops --mapping map.yaml -o ops.json --scenario s,model.json,kernels.csv,2
    claim "which is the same" cmp piped "$OUT"
fi
for measured in "0:nothing of it was measured" "inf:what was measured has no sum" "nan:what was measured has no sum"; do
    printf 'Type,Duration(us)\nA,%s\n' "${measured%:*}" >sums.csv
    ops --scenario s,model.json,sums.csv --html p.html
    claim "a sentence where ${measured%:*} us were measured" grep -q ">s: the model predicts 28\.0 us per forward pass, and ${measured#*:}</h1>" p.html
done
long=$(printf 'k%0300dz' 0)
printf 'Type,Duration(us)\n%s,99\n' "$long" >sums.csv
ops --scenario s,model.json,sums.csv --html p.html
claim "a long name loses its middle there" grep -q "; largest error: k0*\.\.\.0*z, -99\.0 us " p.html
rm -rf p.html out piped sums.csv
# Times are exact, however many digits they have.
sed 's/"dur":5,/"dur":12345.678,/' model.json >exact.json
ops --scenario s,exact.json,kernels.csv,2 --enriched exact
run query exact/s.pftrace "SELECT extract_arg(arg_set_id, 'debug.model_us') AS us FROM slice
  WHERE category = 'postfetto.compare-ops' AND extract_arg(arg_set_id, 'debug.kernel_type') = 'Norm'"
expect "the time of an operator is exact" 0 'out="us"
12345.678'
rm -r exact exact.json
# Two operators at once: the second one lies on a row of its own, the counters keep to the first. What was not measured
# has no time of the device.
sed 's/"ts":10,"dur":10/"ts":5,"dur":10/; s/"name":"norm"/"name":"nrm"/; s/"kernel_type":"Norm"/"kernel_type":"Other"/' model.json >both.json
ops --scenario s,both.json,kernels.csv,2 --enriched both
run query both/s.pftrace "SELECT t.name AS row, s.name, s.ts / 1000 AS at, extract_arg(s.arg_set_id, 'debug.measured_us') AS us,
  extract_arg(s.arg_set_id, 'debug.error_percent') AS error FROM slice s JOIN track t ON t.id = s.track_id
  WHERE category = 'postfetto.compare-ops' ORDER BY ts"
expect "operators that run at one time" 0 'out="row","name","at","us","error"
"operators compared","mm",0,10.0,0.0
"operators compared 2","mm",5,10.0,0.0
"operators compared","nrm",30,,
"operators compared","gather",40,2.0,50.0'
run query both/s.pftrace "SELECT group_concat((c.ts / 1000) || ':' || cast(c.value AS int)) AS v FROM counter c JOIN track t ON t.id = c.track_id
  WHERE t.name LIKE '%on the device'"
expect "of operators at one time the first counts" 0 'out="v"
"0:10,10:0,30:0,35:0,40:2,43:0"'
rm -r both both.json
# Of an operator with several kernels all must be measured. MatMul takes 10 us and Norm 4 us on average; nobody lists Absent.
cat >parts.json <<'END'
[{"ph":"M","name":"process_name","pid":1,"args":{"name":"profiling"}},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a","args":{"kernel_type":"A","sub_kernel_durations":"[('MatMul', 4), ('Absent', 5)]"}},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":7,"name":"b","args":{"kernel_type":"B","sub_kernel_durations":"[('MatMul', 5), ('Norm', 2)]"}}]
END
ops --scenario s,parts.json,kernels.csv,2 --enriched parts
run query parts/s.pftrace "SELECT s.name, extract_arg(s.arg_set_id, 'debug.model_us') AS model, extract_arg(s.arg_set_id, 'debug.measured_us') AS us,
  extract_arg(s.arg_set_id, 'debug.error_percent') AS error FROM slice s WHERE category = 'postfetto.compare-ops' ORDER BY ts"
expect "operators of several kernels" 0 'out="name","model","us","error"
"a",9.0,,
"b",7.0,14.0,-50.0'
run query parts/s.pftrace "SELECT group_concat((c.ts / 1000) || ':' || cast(c.value AS int)) AS v FROM counter c JOIN track t ON t.id = c.track_id
  WHERE t.name LIKE '%on the device'"
expect "and their times" 0 'out="v"
"0:0,9:0,10:14,17:0"'
rm -r parts parts.json

# Durations are what Python's float() reads: it says which of these are numbers, and their values (rounded to a tenth).
cat >floats.py <<'END'
import csv, json, math, os, subprocess, sys
texts = ["12", " 2.5\t", "1_000.5", "1__0", "_1", "1_", "1_.5", "1._5", "1e1_0", "1e_1", "+3", "-0", "+-3", ".5", "5.", ".", "", "e5",
         "1e400", "inf", "-Infinity", "+iNf", "infinit", "1inf", "xnan", "nan", "NaN", "-nan",
         "inx", "ixf", "xnf", "+inx", "nax", "nxn", "infinitx", "infinixy", "iNfinitY", "-nax", "++inf", "in", "1_0e1", "1e1_", "1_e1", "1._",
         "0x10", "1 2", "1,5", "\u00a07\u2003", "1e5", "1E-5", "--1", "1_2_3"]
bad = []
for text in texts:
    with open("float.csv", "w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([["Type", "Duration(us)"], ["Gather", "1"], ["Norm", text]])
    if os.path.exists("float.json"):
        os.remove("float.json")
    done = subprocess.run([sys.argv[1], "compare", "ops", "--mapping", "map.yaml", "-o", "float.json", "--scenario",
                           "s,model.json,float.csv"], capture_output=True)
    try:
        expected = float(text)
    except ValueError:
        expected = None
    found = None
    if os.path.exists("float.json"):
        found = next(row["prof_per_fwd_us"] for row in json.load(open("float.json"))["s"] if row["kernel_type"] == "Norm")
    if expected is None:
        same = done.returncode == 3 and done.stderr.decode() == (
            f"postfetto: float.csv: line 3, column 6: Duration(us) '{text}' is not a number; repair the row or remove it\n")
    else:
        same = done.returncode == 0 and found is not None and (
            math.isnan(found) if math.isnan(expected) else found == expected or abs(found - expected) <= 0.05)
    if not same:
        bad.append((text, expected, found, done.returncode, done.stderr.decode()))
print(bad)
sys.exit(bool(bad))
END
claim "durations as Python reads them" python3 floats.py "$PF"
rm -f floats.py float.csv float.json

# zero_cost is what Python calls true; such an operator is not counted.
for value in null no 0 0.0 '""' '[]' '{}' yes 7 0.5 '"no"' '[0]' '{a: 1}' 123456789012345678901234567890; do
    case $value in null | no | 0 | 0.0 | '""' | '[]' | '{}') count=1 ;; *) count=0 ;; esac
    echo "gather: {kernel_type: Gather, zero_cost: $value}" >map.yaml
    ops --scenario s,model.json,kernels.csv,2
    claim "zero_cost: $value" [ "$(cell Gather tc_count)" = $count ]
done
echo 'gather: {kernel_type: Gather}' >map.yaml

# files that cannot be
sed 's/Type/Kind/' kernels.csv >bad.csv
ops --scenario s,model.json,bad.csv
expect "no column Type" 3 "err~bad.csv: line 1: there is no column 'Type'"
cut -d, -f1-3 kernels.csv >bad.csv
ops --scenario s,model.json,bad.csv --by-shape
expect "no shapes" 3 "err~bad.csv: line 1: .*Input Shapes"
printf 'Type,Duration(us)\nA,1\n"B,2\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "a quote that is not closed" 3 "err~bad.csv: at byte 22: line 3, column 1: the quote .*; close it"
printf 'Type,Duration(us)\nA,1\nB"x,2\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "a quote inside a field" 3 "err~bad.csv: at byte 23: line 3, column 2: a quote stands .*; put the field in quotes"
printf 'Type,Duration(us),Type\nA,1,B\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "two columns of one name" 3 "err~bad.csv: line 1, column 19: a second column is called 'Type'; rename"
printf 'Type,Time\nA,1\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "no column Duration(us)" 3 "err~bad.csv: line 1: there is no column 'Duration\(us\)'; give"
printf 'Type,Duration(us)\nA,1\nhcom_x,1\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "collectives without a start" 3 "err~bad.csv: line 3: there is no column 'Start Time\(us\)', .*; export it"
printf 'Type,Duration(us)\nA,1\nB,two\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "a duration that is not a number" 3 "err~bad.csv: line 3, column 3: Duration\(us\) 'two' is not a number"
printf 'a: &x\n  b: *x\n' >map.yaml
ops --scenario s,model.json,kernels.csv
expect "a mapping that contains itself" 3 "err~map.yaml: at byte 11: line 2"
printf 'gather: {kernel_type: A}\ngather: {kernel_type: B}\n' >map.yaml
ops --scenario s,model.json,kernels.csv
expect "two entries of one name" 0 "err~map.yaml: line 2, column 9: warning: 'gather' is given twice and the last one counts"
claim "of two entries of a name the last counts" [ "$(cell B tc_count)" = 1 ]
printf 'gather:\n\tkernel_type: A\n' >map.yaml
ops --scenario s,model.json,kernels.csv
expect "a tab that indents" 3 "err~map.yaml: at byte 8: line 2, column 1: .*; indent with spaces"
echo '{}' >map.yaml
printf 'Type,Duration(us)\n' >bad.csv
ops --scenario s,model.json,bad.csv
expect "a table without rows" 3 "err~bad.csv: lists no kernel.*; give the table of a run"
echo '[{"ph":"M","name":"process_name","pid":1,"args":{"name":"profiling"}}]' >bad.json
ops --scenario s,bad.json,kernels.csv
expect "a model without operators" 3 "err~bad.json: the process has no complete events .*; give the trace"
echo '[{"ph":"i","name":"x","pid":1,"tid":1,"ts":1}]' >bad.json
ops --scenario s,bad.json,kernels.csv
expect "no process" 3 "err~Found PIDs: set\(\); put 'profiling' or 'empirical' into the name"
sed 's/{"traceEvents"/{"otherData":{"a":1},"traceEvents"/' model.json >bad.json
ops --scenario s,bad.json,kernels.csv --dialect aie
expect "a model in cycles" 3 "err~bad.json: counts in cycles, the table of kernels in microseconds; "

# what the program before took is taken where the four scenarios are: only the column Type must be there
mkdir -p results traces data
cp model.json results/qwen3_pf_trace.json
echo '{}' >results/qwen3_prefill_m6.json
built_in() { # built_in TABLE: of the first scenario
    printf '%b' "$1" >traces/qwen3-32b_pf_4112tok.csv
    run compare ops -o ops.json
}
built_in 'Type,Duration(us),Type\nA,1,B"\nA,1,"C'
expect "built in: quotes and columns as Python takes them" 0 err=
claim "built in: a quote in a field belongs to it" grep -q '"kernel_type": "B\\""' ops.json
claim "built in: one that is never closed holds the rest" grep -q '"kernel_type": "C"' ops.json
built_in 'Type,Start\nhcom_x,1\nhcom_x,2\n'
expect "built in: no column but Type" 0 err=
built_in 'Type,Duration(us)\n'
expect "built in: no kernel" 0 err=
built_in 'Kind,Duration(us)\nA,1\n'
expect "built in: no column Type" 1 "err~there is no column 'Type'"
rm -r results traces data

# PASSES of a scenario and n_forward_passes of a summary: 40 us of MatMul in all
mkdir -p results traces data
cp model.json results/qwen3_pf_trace.json
cp kernels.csv traces/qwen3-32b_pf_4112tok.csv
per_pass() { # per_pass SCENARIO
    python3 -c 'import json, sys
print(*(row["prof_per_fwd_us"] for row in json.load(open("ops.json"))[sys.argv[1]] if row["kernel_type"] == "MatMul"))' "$1"
}
summary() { # summary TEXT [OPTIONS]
    printf '%s' "$1" >results/qwen3_prefill_m6.json
    rm -f ops.json
    run compare ops -o ops.json "${@:2}"
}
for row in '{"n_forward_passes": 2}=20.0' '{"n_forward_passes": 1}=40.0' '{"n_forward_passes": 2.5}=16.0' '{"n_forward_passes": 0.5}=80.0' \
    '{"n_forward_passes": true}=40.0' '{"passes": 2}=40.0' '{}=40.0'; do
    summary "${row%=*}"
    expect "built in: the summary ${row%=*}" 0 err=
    claim "built in: MatMul takes ${row##*=} us of each pass" [ "$(per_pass 'Qwen3 PF')" = "${row##*=}" ]
done
for row in '{"n_forward_passes": "2"}' '{"n_forward_passes": null}' '{"n_forward_passes": [2]}'; do
    summary "$row"
    expect "built in: the summary $row" 1 "err=postfetto: results/qwen3_prefill_m6.json: line 1, column 22: n_forward_passes is not a number; write how many there are"
done
for row in '[]' '2' '"n_forward_passes"'; do
    summary "$row"
    expect "built in: the summary $row" 1 "err~qwen3_prefill_m6.json: is not a JSON object; it needs the member n_forward_passes, or none at all\$"
done
summary '{"n_forward_passes": 2'
expect "built in: a summary that was cut" 1 "err~results/qwen3_prefill_m6.json: "
claim "built in: nothing was written" test ! -e ops.json
summary '{}' --trace-dir traces/ --data-dir data/
expect "built in: no second slash" 0 "out~^SKIP Qwen3 DC: .*: 'results/qwen3_decode_m6.json'\$" err=
rm traces/qwen3-32b_pf_4112tok.csv
summary '{}' --trace-dir traces/
expect "built in: the table is not there" 0 "out~^SKIP Qwen3 PF: .*: 'traces/qwen3-32b_pf_4112tok.csv'\$" err=
rm results/qwen3_pf_trace.json
summary '{}'
expect "built in: the trace is not there" 0 "out~^SKIP Qwen3 PF: .*: 'results/qwen3_pf_trace.json'\$" err=
head -c 300 model.json >results/qwen3_pf_trace.json
summary '{}'
expect "built in: a trace that was cut" 1 "err~results/qwen3_pf_trace.json: .*; write the trace anew\$"
cp model.json results/qwen3_pf_trace.json
printf 'a: [\n' >data/op_mapping.yaml
summary '{}'
expect "built in: a mapping that is no YAML" 1 "err~data/op_mapping.yaml: "
summary '{}' --data-dir nowhere
expect "built in: the mapping is not there" 0 err=
run compare ops -o ops.json --data-dir data --scenario s,model.json,kernels.csv,2
expect "a mapping that is no YAML" 3 "err~data/op_mapping.yaml: "
rm -r results traces data
ops --scenario s,model.json,kernels.csv,2.5
expect "passes need not be whole" 0 err=
claim "40 us in 2.5 passes" [ "$(per_pass s)" = 16.0 ]
ops --scenario s,model.json,kernels.csv,2 --anchor MatMul
expect "a number of passes counts more than an anchor" 0 err=
claim "40 us in 2 passes" [ "$(per_pass s)" = 20.0 ]
ops --scenario s,model.json,kernels.csv,auto --anchor MatMul
expect "auto takes the anchor that is given" 0 "err=postfetto: kernels.csv: 4 forward passes (anchor MatMul)"
claim "40 us in 4 passes" [ "$(per_pass s)" = 10.0 ]
head -n 4 kernels.csv >bad.csv
ops --scenario s,model.json,bad.csv --anchor Norm
expect "a single pass" 0 "err=postfetto: bad.csv: 1 forward pass (anchor Norm)"

# what is no scenario
for scenario in s "s,model.json" ",model.json,kernels.csv" "s,,kernels.csv" "s,model.json," "s,model.json,kernels.csv," "s,model.json,kernels.csv,-1" \
    "s,model.json,kernels.csv,two" "s,model.json,kernels.csv,1,2"; do
    ops --scenario "$scenario"
    expect "--scenario $scenario" 2 out= "err~--scenario '$scenario' does not say what to compare; write NAME,TRACE,CSV"
done
ops --scenario s,model.json,kernels.csv --scenario t,model.json,kernels.csv --scenario s,model.json,kernels.csv
expect "two scenarios of one name" 2 out= "err=postfetto: compare ops: two scenarios are called 's'; give each a name of its own"
ops --scenario s,model.json,kernels.csv model.json
expect "compare ops takes no operand" 2 out= "err~takes no operand 'model.json'; name files with --scenario NAME,TRACE,CSV"
head -c 300 model.json >bad.json
ops --scenario s,bad.json,kernels.csv
expect "a trace that was cut" 3 "err~bad.json: at byte [0-9]+: .*; write the trace anew\$"
sed 's/Profiling/Model/' model.json >bad.json
ops --scenario s,bad.json,kernels.csv,2
expect "the only process" 0 "err=Warning: profiling PID not found by name in bad.json, using sole PID 1"
claim "it is the model" [ "$(cell MatMul tc_total_us)" = 20.0 ]

# where outputs go
rm -rf deep ops.json
run compare ops --mapping map.yaml --scenario a/b,model.json,kernels.csv,2 -o deep/er/ops.json --enriched deep/rich/er
expect "folders are made" 0 err= "out~^Saved to deep/er/ops.json\$"
claim "the comparison" is_json deep/er/ops.json
claim "a slash in the name of a scenario" test -s deep/rich/er/a_b.pftrace
run compare ops --mapping map.yaml --scenario s,model.json,kernels.csv,2 -o deep/er/ops.json/x
expect "a file where a folder should be made" 6 "err~deep/er/ops.json/x: cannot be written: Not a directory"
ops --scenario s,model.json,kernels.csv,2 --enriched deep/er/ops.json
expect "a file where the folder of traces should be made" 6 "err~deep/er/ops.json/s.pftrace: cannot be written: Not a directory"
claim "it was not written over" is_json deep/er/ops.json
ops --scenario s,model.json,kernels.csv,2 --report deep/er/ops.json
expect "a file where the folder of reports should be made" 6 "err~deep/er/ops.json"
cp model.json deep/s.pftrace
ops --scenario s,deep/s.pftrace,kernels.csv,2 --enriched deep
expect "an enriched trace over its model" 6 "err~deep/s.pftrace: is the input file and was left as it is"
claim "the model is as it was" cmp model.json deep/s.pftrace
cp kernels.csv deep/s.pftrace
ops --scenario s,model.json,deep/s.pftrace,2 --enriched deep
expect "an enriched trace over its table" 6 "err~deep/s.pftrace: is the input file and was left as it is"
rm -r deep

# the first failure ends it, or is the exit code in the end
echo '[{"ph":"i","name":"x","pid":1,"tid":1,"ts":1}]' >bad.json
rm -f ops.json
ops --scenario s,model.json,no.csv --scenario t,model.json,kernels.csv
expect "a failure ends it" 3 "err~no.csv" "out!^t "
claim "nothing was written of what failed" test ! -e ops.json
ops --scenario s,model.json,no.csv --scenario t,bad.json,kernels.csv --scenario u,model.json,kernels.csv --keep-going
expect "--keep-going: the first failure is the exit code" 3 "err~no.csv" "err~Found PIDs" "out~^u "
ops --scenario t,bad.json,kernels.csv --scenario u,model.json,kernels.csv --scenario s,model.json,no.csv --keep-going
expect "--keep-going: also where it is another one" 3 "err~no.csv" "err~Found PIDs" "out~^u "
claim "--keep-going: what could be compared" [ "$(python3 -c 'import json; print(*json.load(open("ops.json")))')" = u ]

# a table as Windows writes it; blanks in names, as Python's strip and csv take them
printf '\xef\xbb\xbfType,Start Time(us),Duration(us)\r\n"A ""x""\ny","1\t", 2.5\r\n\r\n Flash v2\xe3\x80\x80,2\t,4\r\n\xc2\xa0hcom_a b,5,1,more\r\n' >bad.csv
sed 's/"MatMul"/" Flash v2 , Flash\xc2\xa0v3"/' model.json >bad.json
ops --scenario s,bad.json,bad.csv
expect "byte order mark, CRLF, tabs, quotes, lines in fields" 0 err=
claim "kernels of the table" [ "$(cell 'A "x"
y' prof_per_fwd_us) $(cell 'Flash v2' prof_per_fwd_us) $(cell 'hcom_a b' prof_per_fwd_us)" = "2.5 4.0 1.0" ]
claim "blanks around kernel types do not count, those inside do" [ "$(cell 'Flash v2' tc_total_us) $(cell "$(printf 'Flash\xc2\xa0v3')" tc_total_us)" = "10.0 10.0" ]
ops --scenario s,model.json,no.csv --scenario t,model.json,kernels.csv --keep-going
expect "--keep-going" 3 "err~no.csv" "out~^t "
claim "the other scenario is there" grep -q '"t"' ops.json
ops --scenario s,model.json,kernels.csv,0
expect "no passes" 2 "err~forward passes above 0"

# lists of durations as Python's ast.literal_eval takes them
cat >lists.json <<'END'
[{"ph":"M","name":"process_name","pid":1,"args":{"name":"profiling"}},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a","args":{"kernel_type":"A","sub_kernel_durations":" # two\n\n[('C', - 2.5), ('D', +\n4)]"}},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":8,"name":"b","args":{"kernel_type":"B","sub_kernel_durations":"[('C', - -2.5)]"}},
{"ph":"X","pid":1,"tid":1,"ts":20,"dur":7,"name":"e","args":{"kernel_type":"E","sub_kernel_durations":"\n [('C', 1)]"}}]
END
ops --scenario s,lists.json,kernels.csv
expect "lists of durations" 0 err=
claim "a comment, a sign and a blank before a number are Python" [ "$(cell C tc_total_us) $(cell D tc_total_us) $(cell A tc_count)" = "-2.5 4.0 " ]
claim "two signs, and a first line that is indented, are not" [ "$(cell B tc_total_us) $(cell E tc_total_us)" = "8.0 7.0" ]

# Many operators, in pieces of 4,096 events that several threads read: sums as they were added up while the trace was made, and
# little memory. Texts that no two operators share must not stay, nor the pages of the file (66 MB).
python3 "$here/../../scripts/gen_ops.py" many --events 200000 --lists 90
statistic_of_ops() {
    sed -nE "s/^\{.*\"$1\": ([0-9]+).*/\1/p" "$ERR" | tail -n 1
}
for jobs in 1 2 5; do
    run compare ops --scenario s,many/model.json,many/kernels.csv --mapping many/op_mapping.yaml -o many/ops.json --stats \
        --jobs $jobs
    python3 -c 'import json
for row in sorted(json.load(open("many/ops.json"))["s"], key=lambda row: row["kernel_type"]):
    if row["tc_count"]:
        print(row["kernel_type"], row["tc_count"], row["tc_total_us"], sep=",")' >many/sums.csv
    claim "sums of 200,000 operators, --jobs $jobs" cmp many/sums.csv many/expected.csv
    if [ -n "${ASAN_OPTIONS-}" ]; then
        skip "memory of 200,000 operators, --jobs $jobs" "sanitizers take their own"
    else
        heap=$(statistic_of_ops peak_heap_kb) rss=$(statistic_of_ops peak_rss_kb)
        claim "memory of 200,000 operators, --jobs $jobs: heap of 80 bytes each, and 2 MB for each more thread ($heap KB)" \
            [ "${heap:-999999}" -lt $((16000 + 2000 * (jobs - 1))) ]
        claim "and resident less than the file ($rss KB)" [ "${rss:-999999}" -lt 56000 ]
    fi
done
rm -r many

# Built in scenarios whose files are not there: the message is that of Python's open, whatever the path is made of.
mkdir results data
cp model.json results/qwen3_prefill_m6.json
cp model.json results/qwen3_pf_trace.json
echo 'operator_mappings: {}' >data/op_mapping.yaml
for folder in plain "it's" $'both\'"x\n\t\r\x01\x7f\\'; do
    run compare ops --trace-dir "$folder"
    python3 - "$folder" >missing.txt <<'E2'
import sys
FILES = (("Qwen3 PF", sys.argv[1] + "/qwen3-32b_pf_4112tok.csv"), ("Qwen3 DC", "results/qwen3_decode_m6.json"),
         ("DSv3 PF", "results/dsv3_prefill_m6.json"), ("DSv3 DC", "results/dsv3_decode_m6.json"))
for name, path in FILES:
    try:
        open(path)
    except OSError as e:
        print(f"SKIP {name}: {e}")
E2
    grep '^SKIP' "$OUT" >said.txt
    claim "files that are not there are named as Python does it" cmp missing.txt said.txt
done
rm -r results data missing.txt said.txt

# Durations are the numbers as they are written, not nanoseconds.
ops_model() { # ops_model EVENT...: a model of these members of complete events
    {
        printf '{"traceEvents": [{"ph":"M","name":"process_name","pid":1,"args":{"name":"profiling"}}'
        printf ',\n{"ph":"X","pid":1,"tid":1,%s}' "$@"
        printf ']}'
    } >written.json
}
# shellcheck disable=SC2046
ops_model $(for _ in $(seq 1000); do echo '"ts":0,"name":"small","dur":0.0004'; done) '"ts":1,"name":"less","dur":-5' \
    '"name":"no_time","dur":7.5' '"ts":1,"name":"large","dur":1e16' '"ts":1,"name":"text","args":{"kernel_type":","},"dur":"5"'
ops --scenario s,written.json,kernels.csv
expect "durations that no nanosecond is" 0 err=
claim "a thousand of 0.0004 us are 0.4 us" [ "$(cell small tc_total_us)" = 0.4 ]
claim "a negative duration counts" [ "$(cell less tc_total_us)" = -5.0 ]
claim "so does an operator without a time" [ "$(cell no_time tc_total_us)" = 7.5 ]
claim "and one beyond 64 bits of ns" [ "$(cell large tc_total_us)" = 1e+16 ]
ops --scenario s,written.json,kernels.csv --enriched rich_written
expect "the same where the model is drawn into" 0 err=
claim "with the same sums" [ "$(cell small tc_total_us) $(cell no_time tc_total_us)" = "0.4 7.5" ]
for wrong in NaN 1e400 null '"5"'; do
    ops_model "\"ts\":0,\"name\":\"a\",\"dur\":$wrong"
    ops --scenario s,written.json,kernels.csv
    expect "a duration of $wrong" 3 "err~written\.json: at byte [0-9]+: the duration $wrong of an operator is not a number"
done

printf 'operator_mappings:\n  gather: {kernel_type: Gather}\n' >nested.yaml
run compare ops --mapping nested.yaml -o ops.json --scenario s,model.json,kernels.csv
expect "a nested mapping gets a hint" 0 "err~nested\.yaml: warning: .*add --unnested"
run compare ops --mapping nested.yaml -o ops.json --scenario s,model.json,kernels.csv --unnested
expect "none where it is unnested" 0 err=

{ cat kernels.csv; printf 'MatMul,160,90'; } >cut.csv
ops --scenario s,model.json,cut.csv,2
expect "a cut last row is said" 0 "err~cut\.csv: line 10: warning: the table ends in this row"
claim "and in no sum" [ "$(cell MatMul prof_per_fwd_us)" = 20.0 ]
ops --scenario s,model.json,cut.csv,2 --strict
expect "and ends a strict run" 4 "err~cut\.csv: its last row is truncated"
{ cat kernels.csv; printf 'MatMul,160,90,"16,'; } >cut.csv
ops --scenario s,model.json,cut.csv,2
expect "a row that ends in quotes" 0 "err~cut\.csv: line 10: warning: the table ends in this row"
printf 'Name,Type,Start Time(us),Duration(us),Input Shapes\na,Cast,1,2,N/A\nb,Cast,4,5,"16,' >cut.csv
run info cut.csv
expect "a trace leaves it out, too" 0 "out~postfetto_csv_row_dropped"

{ cat kernels.csv; printf 'HostAicpuKernel,1,1.0,N/A\nHostAicpuKernel,2,1.0,N/A\nHostAicpuKernel,3,1.0,N/A\n'; } >host.csv
ops --scenario s,model.json,host.csv --anchor HostAicpuKernel
expect "an anchor that no sum has" 0 "err~3 forward passes \(anchor HostAicpuKernel\)"
ops --scenario s,model.json,kernels.csv --anchor Norm --by-shape
expect "an anchor next to shapes" 0 "err~2 forward passes \(anchor Norm\)"
ops --scenario s,model.json,kernels.csv --anchor MatMul --by-shape
expect "an anchor that has shapes" 0 "err~4 forward passes \(anchor MatMul\)"

# Without --trace-dir and --data-dir: the folders of the model's checkout, else traces and data.
checkout_data=tensor_cast/performance_model/profiling_database/data/ATLAS_800_A3_752T_128G_DIE/vllm_ascend/vllm0.18.0_torch2.9.0_cann8.5
mkdir -p checkout/results checkout/docs/perf_database/forward_pass_traces "checkout/$checkout_data"
(
    cd checkout || exit
    echo '{}' >results/dsv3_decode_m6.json
    cp ../model.json results/dsv3_dc_trace.json
    cp ../kernels.csv docs/perf_database/forward_pass_traces/dsv3_dc_1tok.csv
    cp ../map.yaml "$checkout_data/op_mapping.yaml"
)
cd checkout || exit
run compare ops
cd .. || exit
expect "the layout of the model's checkout" 0 "out~^DSv3 DC"
claim "with its mapping" grep -q '"tc_funcs": "gather"' checkout/results/op_comparison.json
claim "under the mapped name" grep -q '"kernel_type": "Gather"' checkout/results/op_comparison.json
