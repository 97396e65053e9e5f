# shellcheck shell=bash disable=SC2154,SC2016
# analyze aiu: times from cycles, laps of the counter, queues, power, overlaps, limits and filters, the compatibility modes, what is
# damaged. Expected numbers are worked out by hand: the counter runs at 1000 MHz, so 1000 cycles are 1 us. The recorded runs of the
# program before are tests/conformance/driver_aiu.py.

# Two kernels of 10 and 20 us on one device, each after a wait; the host notes ends only 1 us before or after.
cat >aiu.json <<'END'
[{"name":"AIU Roundtrip","ph":"X","pid":0,"tid":7,"ts":1000.0,"dur":200.0},
{"name":"mm_1 Cmpt Prep","ph":"B","pid":0,"tid":1,"ts":1005.0,"attr":{"TS1":"5000","TS2":"5000","TS3":"20000","TS4":"30000","TS5":"30010","Power":"100"}},
{"name":"mm_1 Cmpt Prep","ph":"E","pid":0,"tid":1,"ts":1020.0},
{"name":"mm_1 Cmpt Exec","ph":"B","pid":0,"tid":2,"ts":1020.0,"attr":{"TS1":"5000","TS2":"5000","TS3":"20000","TS4":"30000","TS5":"30010","Power":"100"}},
{"name":"mm_1 Cmpt Exec","ph":"E","pid":0,"tid":2,"ts":1030.0},
{"name":"mm_2 Cmpt Prep","ph":"B","pid":0,"tid":1,"ts":1015.0,"attr":{"TS1":"15000","TS2":"15000","TS3":"40000","TS4":"60000","TS5":"60010","Power":"0x1f40"}},
{"name":"mm_2 Cmpt Prep","ph":"E","pid":0,"tid":1,"ts":1040.0},
{"name":"mm_2 Cmpt Exec","ph":"B","pid":0,"tid":2,"ts":1041.0,"attr":{"TS1":"15000","TS2":"15000","TS3":"40000","TS4":"60000","TS5":"60010","Power":"0x1f40"}},
{"name":"mm_2 Cmpt Exec","ph":"E","pid":0,"tid":2,"ts":1060.0}]
END
aiu() {
    run analyze aiu aiu.json -q -o aiu_out.json "$@"
}
events() { # events PYTHON: of e in aiu_out.json, one line for each that is not None
    python3 -c 'import json, sys
for e in json.load(open("aiu_out.json"))["traceEvents"]:
    line = eval(sys.argv[1])
    if line is not None:
        print(line)' "$1"
}
kernels='(e["name"], e["ts"], e["dur"]) if e["ph"] == "X" and "Exec" in e["name"] else None'

aiu
expect "a flex trace is analysed" 0 "out~^\[write\] aiu_out.json$" "out~aiu_out_summary.csv"
events "$kernels" >"$OUT"
claim "a kernel ends where the host says and lasts its cycles" [ "$(cat "$OUT")" = "('mm Cmpt Exec', 1020.0, 10.0)
('mm Cmpt Exec', 1040.0, 20.0)" ]
events 'e["args"]["Concurrency"] if e["name"] == "ConcurrentPreps" else None' >"$OUT"
claim "one waits, then two, one, none" [ "$(tr '\n' ' ' <"$OUT")" = "1 2 1 0 " ]
# 12 V x (8000 - 100) / 512 / 30 us = 6.171875 W from the end of the first kernel on
events '(e["ts"], e["args"]["Watts"]) if e["name"] == "Power" else None' >"$OUT"
claim "power is charge over time" [ "$(cat "$OUT")" = "(1030.0, 6.171875)" ]
claim "the summary has both kernels in one row" grep -q "mm_\[N\] Cmpt Exec" aiu_out_summary.csv
run analyze aiu aiu.json -q --report aiu_r --fail-if 'SELECT sum(calls) <> 2 OR sum(time_us) <> 30 FROM aiu_kernels'
expect "kernels are a table for thresholds" 0
run analyze aiu aiu.json -q --report aiu_r --fail-if 'SELECT elapsed_us <> 40 OR busy_us <> 30 OR idle_us <> 10 FROM aiu_jobs'
expect "a job has busy and idle time" 0
run analyze aiu aiu.json -q -o aiu_slices.txt --report aiu_r
claim "-o .txt is a table of the slices, with a blank before each rank" [ "$(cat aiu_slices.txt)" = \
    " Rank Timestamp Duration Category Event Name Event CLass Job Size PT_Active
 0 1.000000e+03 200.000000 cpu_op AIU Roundtrip ROUNDTRIP_AIU aiu.json 0.0 0.000000
 0 1.020000e+03 10.000000 kernel mm Cmpt Exec COMPUTE_EXEC aiu.json 0.0 0.000000
 0 1.040000e+03 20.000000 kernel mm Cmpt Exec COMPUTE_EXEC aiu.json 0.0 0.000000" ]

aiu --compat acelyzer
events 'e["args"]["Concurrency"] if e["name"] == "ConcurrentPreps" else None' >"$OUT"
claim "queues that overlap are counted as that program does" [ "$(tr '\n' ' ' <"$OUT")" = "1 2 1 0 " ]

# A slice inside of another one: that program says 0 at its end.
sed -e 's/"ts":1015.0,"attr":{"TS1":"15000","TS2":"15000","TS3":"40000"/"ts":1010.0,"attr":{"TS1":"10000","TS2":"10000","TS3":"12000"/' \
    -e 's/"mm_2 Cmpt Prep","ph":"E","pid":0,"tid":1,"ts":1040.0/"mm_2 Cmpt Prep","ph":"E","pid":0,"tid":1,"ts":1012.0/' aiu.json >aiu_in.json
cp aiu.json aiu_kept.json
cp aiu_in.json aiu.json
aiu
events 'e["args"]["Concurrency"] if e["name"] == "ConcurrentPreps" else None' >"$OUT"
claim "a slice that waits inside of another one" [ "$(tr '\n' ' ' <"$OUT")" = "1 2 1 0 " ]
aiu --compat acelyzer
events 'e["args"]["Concurrency"] if e["name"] == "ConcurrentPreps" else None' >"$OUT"
claim "is 0 at its end there" [ "$(tr '\n' ' ' <"$OUT")" = "1 2 0 0 " ]

# The counter wraps between the kernels: 2^32 - 5000 + 15000 is 10000.
sed -e 's/"TS1":"15000","TS2":"15000","TS3":"40000","TS4":"60000","TS5":"60010"/"TS1":"5000","TS2":"5000","TS3":"30000","TS4":"50000","TS5":"50010"/' \
    -e 's/"TS1":"5000","TS2":"5000","TS3":"20000","TS4":"30000","TS5":"30010"/"TS1":"4294962296","TS2":"4294962296","TS3":"10000","TS4":"20000","TS5":"20010"/' \
    aiu_kept.json >aiu.json
aiu --keep_names
events '(e["args"]["TS3"], e["args"].get("TSxOF")) if "mm_1 Cmpt Exec" == e["name"] else None' >"$OUT"
claim "a counter that wraps inside an event grows" [ "$(cat "$OUT")" = "('4294977296', 'TS3')" ]
cp aiu_kept.json aiu.json

aiu --event_filter 'name:mm_1'
events "$kernels" >"$OUT"
claim "a filter drops what it finds" [ "$(cat "$OUT")" = "('mm Cmpt Exec', 1040.0, 20.0)" ]
aiu --event_filter 'name:('
expect "an expression that is none" 2 "err~the expression '\(' is wrong"
aiu --event_filter "args.$(printf 'long%.0s' $(seq 100)):x"
expect "an argument of a long name, which there is none of" 0
aiu --event_filter nothing
expect "a filter that is none" 2 "err~--event_filter takes ATTRIBUTE:EXPRESSION"
run analyze aiu aiu.json -o aiu_out.json --event_filter nothing --compat acelyzer
expect "is skipped under --compat, with a line" 0 "err~^WARNING .*event filter. Skipping"
aiu --event_limit '{"skip": 2, "count": 1}'
events 'e["name"] if e["ph"] == "X" else None' >"$OUT"
claim "a limit keeps one event" [ "$(wc -l <"$OUT")" = 1 ]
aiu --event_limit '{"nope": 1}'
expect "a limit of unknown key" 2
aiu --freq abc
expect "a clock that is none" 2 "err~--freq takes one or two clocks"
aiu --freq abc --compat acelyzer
expect "with the exit code of that program" 1
aiu -C power_ts3,power_ts4
expect "two kinds of power at once" 2
aiu -C power_ts3,power_ts4 --compat acelyzer
expect "with the exit code of that program" 1
run analyze aiu nothing_here.json -q -o aiu_out.json
expect "no input" 3 "err~no input files found"
run analyze aiu nothing_here.json -q -o aiu_out.json --compat acelyzer
expect "no input, with the exit code of that program" 1

# A profile lists what runs: no lengths from cycles, so the second kernel keeps the host's.
echo '{"stages": [{"normalize_phase1": true}, {"calculate_stats": true}]}' >aiu_profile.json
aiu -P aiu_profile.json --keep_names
events '(e["ts"], e["dur"]) if e["name"] == "mm_2 Cmpt Exec" else None' >"$OUT"
claim "a stage that is not listed is off" [ "$(cat "$OUT")" = "(1041.0, 19.0)" ]
echo '{"stages": [{"calculate_stats": true}, {"normalize_phase1": true}]}' >aiu_profile.json
aiu -P aiu_profile.json --compat acelyzer
expect "stages out of order" 2 "err~out of order"
run analyze aiu --stages
expect "stages are listed" 0 "out~^cycle_count_to_wallclock" "out~^sort_events#2"

# 30 us of ideal cycles at 1100 MHz would be 33000; half of the second kernel's 20 us are 11000.
printf '~~~~ Ideal/Total Cycles ~~~~\nmm_1-opCatBmm   5500\nmm_2-opCatBmm 11000\nTotal 16500\n====== Perf Summary End ======\n' >aiu.log
aiu -c aiu.log --freq 1000:1100
claim "core utilisation is ideal over real time" grep -q "^0,UNKN,Bmm,30.0,1.0,2,15.0,16500,1.0,0.5$" aiu_out_categories.csv
# Of each category and of all together: by time, the sum last. Bmm has a third of the time; Add takes what is ideal.
printf '~~~~ Ideal/Total Cycles ~~~~\nmm_1-opCatBmm 5500\nmm_2-opCatAdd 22000\nTotal 27500\n====== Perf Summary End ======\n' >aiu.log
aiu -c aiu.log --freq 1000:1100
claim "categories are in order of their time" [ "$(cat aiu_out_categories.csv)" = "Pid,Phase,Category,Kernel_Time,Frac_Time,Calls,Ideal_Time,Ideal_Cyc,Frac_Ideal,PT_Util
0,UNKN,StcdpHbm,0.0,0.0,0,0.0,0,0.0,0.0
0,UNKN,other,0.0,0.0,0,0.0,0,0.0,0.0
0,UNKN,Bmm,10.0,0.3333,1,5.0,5500,0.2,0.5
0,UNKN,Add,20.0,0.6667,1,20.0,22000,0.8,1.0
0,UNKN,Total,30.0,1.0,2,25.0,27500,1.0,0.8333" ]
events 'e["args"]["Percent"] if e["name"] == "PT Active" else None' >"$OUT"
claim "all of the cores are 100 percent" [ "$(tr '\n' ' ' <"$OUT")" = "50.0 0.0 100.0 0.0 " ]
claim "the same as text has the columns in equal widths" [ "$(tail -n 2 aiu_out_categories.txt)" = \
"   0  UNKN          Add         20.0     0.6667      1        20.0      22000         0.8      1.0
   0  UNKN        Total         30.0        1.0      2        25.0      27500         1.0   0.8333" ]
# A kernel that took 10 us, 20 at best, and one that the log does not have: what the terminal and the log say of all that. Kernels have
# 10000 cycles in 10 us and 20000 in 19, 20000 between their begins, which are 21 us apart; power is of 30 us at 6.171875 W.
printf '~~~~ Ideal/Total Cycles ~~~~\nmm_1-opCatBmm 22000\nTotal 22000\n====== Perf Summary End ======\n' >aiu.log
run analyze aiu aiu.json -o aiu_out.json -c aiu.log --freq 1000:1100 -D 2
expect "everything that is said of a job" 0 "err=postfetto: aiu.json: warning: slices cut because an outer one ended first (misplaced_end_event, 1 time)
1 rank was busy with kernels 75.0 % of 40.0 us; mm_[N] takes 100.0 % of the kernel time

Ranks, the most idle first
kernels  busy (us)  idle (us)  busy (%)  energy (mJ)  mean power (W)
      2     30.000     10.000     75.00       0.1852            6.17

Kernels, the longest first
kernel            calls  time (us)  share (%)  mean (us)  max (us)  energy (mJ)
mm_[N] Cmpt Exec      2     30.000     100.00     15.000    20.000       0.1852

Categories of operations, the longest first
category  calls  time (us)  ideal (us)  use (%)
Total         2     30.000       0.000     0.00
other         1     20.000       0.000     0.00
Bmm           1     10.000       0.000     0.00
StcdpHbm      0      0.000       0.000     0.00

Jobs and their iterations, the longest first
job       iterations  iteration (us)  kernels  busy (us)  idle (us)  elapsed (us)
aiu.json           0               -        2     30.000     10.000        40.000

Gaps, the longest first
length (us)  cause   host bound (ns)  before        after         launch
     10.000  device                0  mm Cmpt Exec  mm Cmpt Exec  AIU Roundtrip

no iterations on 1 of 1 ranks: no sequence of kernels repeats in a job
INFO Ingesting 1 files.
INFO FREQ: Detected Event-duration-based frequency (min/mean/max): 1000.0 1026.32 1052.63 ; rel_range=0.051, input_soc_freq/detected=0.974
INFO FREQ: Detected Event-interval-based frequency (min/mean/max): 952.38 952.38 952.38 ; rel_range=0.0, input_soc_freq/detected=1.05
INFO OVC: Reference Epoch for 0 aiu.json 5.0 1000.0
INFO MP SYNC: no collective group detected or single process, no action
INFO ITSTATS: [0] avg_iteration_time=0.0, iterations=0
INFO UTL: Adding ideal cycles table (UNKN) with fingerprint: 0
postfetto: aiu.json: warning: UTL: Detected uncertain Ideal Cycles table match for 1 jobs: {1}
INFO UTL: pid=0: avg_mm_util=200.0, avg_util=66.667, t_mm=10.0, t_sf=20.0, ratio_mm/sf=33.33:66.67
postfetto: aiu.json: warning: UTL: Found 1 Events without a matching kernel category and accounted for 'other'
postfetto: aiu.json: warning: UTL: 1 kernels took less than their ideal cycles; they are drawn as 101 percent
INFO PEC event stats o/i: 0 / 0
INFO PEC event stats o/i: 1 / 3
INFO Partial-overlap slices resolved: 0
INFO SEC statistics summary file created:  aiu_out_summary.csv
INFO SEC statistics active file created:  aiu_out_active.csv
INFO SEC statistics timestamp analysis file created:  aiu_out_ts_analysis.csv
INFO UTL: category table(s) created as CSV: aiu_out_categories.csv
INFO UTL: category table(s) created as TXT: aiu_out_categories.txt
INFO Exported events:  16"
events 'e["args"]["Percent"] if e["name"] == "PT Active" else None' >"$OUT"
claim "more than all of the cores is drawn as 101 percent" [ "$(tr '\n' ' ' <"$OUT")" = "101.0 0.0 " ]
grep 'warning: UTL' "$ERR" >aiu_warnings.txt
run analyze aiu aiu.json -o aiu_out.json -c aiu.log --freq 1000:1100 -D 1
grep -E '^(ERROR|WARNING|INFO)|warning: UTL' "$ERR" >"$OUT"
claim "-D 1 leaves warnings" cmp -s "$OUT" aiu_warnings.txt
run analyze aiu aiu.json -o aiu_out.json -c aiu.log --freq 1000:1100 -D 0
expect "-D 0 leaves errors, which there are none of" 0 "err!^(WARNING|INFO)" "err!warning: UTL" "err~^Kernels, the longest first$"
# The same in a log with two hundred kernels more, with lines that are no kernels of this run, and with an old setting.
{
    printf 'Ideal Clock Scaling: 0.5\n~~~~ Ideal/Total Cycles ~~~~\n'
    for kernel in $(seq 200); do echo "other_$kernel-opCatNil 0"; done
    printf 'mm_1-opCatBmm 5500\nmm_1-opCatBmm 7\nPrecompute_mm_2-opCatBmm 9\nmm_2-opCatBmm 11000\nTotal 16500\n'
    printf '====== Perf Summary End ======\nmm_2-opCatBmm 8\n'
} >aiu.log
run analyze aiu aiu.json -o aiu_out.json -c aiu.log --freq 1000:1100
expect "a setting of the log that counts no more is mentioned" 0 \
    "err~warning: UTL: the log's 'Ideal Clock Scaling' is obsolete; --freq says the clocks$"
claim "the first row of a kernel counts, of a long log too" grep -q "^0,UNKN,Bmm,30.0,1.0,2,15.0,16500,1.0,0.5$" aiu_out_categories.csv
# The same from a folder that the compiler left: a document for each kernel.
for kernel in 1 2; do
    mkdir -p aiu_cycles/inductor-spyre/mm_$kernel/perf
    echo "[{\"ideal_cycles\": $((kernel * 5500)), \"op_category\": \"Bmm\"}]" >aiu_cycles/inductor-spyre/mm_$kernel/perf/ideal_cycles.json
done
mkdir -p aiu_cycles/inductor-spyre/mm_9 # a kernel that was not measured
aiu -c aiu_cycles --freq 1000:1100
claim "ideal cycles may come from a folder" grep -q "^0,UNKN,Bmm,30.0,1.0,2,15.0,16500,1.0,0.5$" aiu_out_categories.csv
echo '{' >aiu_cycles/inductor-spyre/mm_2/perf/ideal_cycles.json
aiu -c aiu_cycles --freq 1000:1100
expect "a document that is damaged is named" 3 "err~mm_2/perf/ideal_cycles.json"
