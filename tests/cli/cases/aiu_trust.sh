# shellcheck shell=bash disable=SC2154
# analyze aiu: numbers that the data cannot bear are withheld. Sourced by run.sh.

mkdir -p aiu_trust
cd aiu_trust || exit 1

# Two jobs of a rank at 18 W (768 units of charge in 1 us): kernels of 10 us that end at 100, 200, 300 us of each job, the second job
# 5 s after the first, so that its charge has done a lap less 454,967,296 units.
job() { # job START
    python3 - "$1" <<'END'
import json, sys
start = int(sys.argv[1])
def kernel(end):
    ticks = [(1000 * (start + t)) % 2**32 for t in (end - 10, end - 10, end - 10, end, end)]
    return {"name": "k Cmpt Exec", "ph": "X", "pid": 0, "tid": 1, "ts": 1e6 + start + end - 10, "dur": 10.0,
            "args": {**{f"TS{n + 1}": str(v) for n, v in enumerate(ticks)}, "Power": str((1000 + 768 * (start + end)) % 2**32)}}
print(json.dumps([kernel(end) for end in (100, 200, 300)]))
END
}
job 0 >j1.json
job 5000000 >j2.json
run analyze aiu j1.json --freq 1000:1100 -o one.json
expect "power of one job" 0 "err~ 3\.6000 +18\.00$" "err!a lap of a counter"
run analyze aiu j1.json j2.json --freq 1000:1100 -o two.json \
    --fail-if "(SELECT count(*) FROM aiu_ranks WHERE energy_mj IS NULL AND round(mean_power_w, 6) = 18) <> 1" \
    --fail-if "(SELECT count(*) FROM aiu_kernels WHERE energy_mj IS NULL) <> 1" \
    --fail-if "(SELECT group_concat(round(energy_mj, 6)) FROM aiu_jobs) <> '3.6,3.6'"
expect "a gap in which the charge may have wrapped" 0 "err~ - +18\.00$" \
    "err~warning: PEC: 1 intervals between samples of charge are so long \(at most 5\.0 s\)"
run analyze aiu j1.json j2.json --freq 1000:1100 -o two.json --compat acelyzer
expect "of which that program says nothing" 0 "err!a lap of a counter"
sed 's/, "Power": "[0-9]*"//g' j1.json >bare.json
run analyze aiu bare.json --freq 1000:1100 -o bare.json.out.json
expect "no samples are no energy" 0 "err~ - +-$"

# Four ranks whose clocks the first way leaves 133 us apart, and -S level. Ranks are done with a collective within 28 us.
mkdir -p auto rate
if [ -d "$shared/corpus/aiu/tp4" ]; then
    tp4=("$shared"/corpus/aiu/tp4/*rank-?-job-0.json --freq 557:1100)
    run analyze aiu "${tp4[@]}" --align first --report r --fail-if "(SELECT count(straggler) + count(late_ns) + count(lost_ns) FROM aiu_collectives) > 0"
    expect "lateness that is the error of clocks is not reported" 0 \
        "err~^3 collectives whose last rank is not named.* up to 13[0-9]{4} ns apart, .*; -S, -M and --align say how clocks are matched$" "err!as -S does"
    run analyze aiu "${tp4[@]}" -D 2 -o auto/o.json --fail-if "(SELECT count(straggler) FROM aiu_collectives WHERE late_ns < 28000) <> 3" \
        --fail-if "(SELECT max(abs(offset_left_ns)) FROM aiu_clocks) > 20"
    expect "clocks are matched as it leaves less, and then it is" 0 "err~; ranks waited 7[56]\.[0-9] us in 3 collectives, mostly for rank 1$" \
        "err~^INFO MP SYNC: clocks of ranks are matched by offset and rate, as -S does: .* 0 ns apart .* \(--align first\) 133014$"
    run analyze aiu "${tp4[@]}" -S -o rate/o.json
    expect "which -S says nothing of" 0 "err~; ranks waited 7[56]\.[0-9] us in 3 collectives, mostly for rank 1$" "err!as -S does"
    claim "and does" cmp auto/o.json rate/o.json
    run analyze aiu "${tp4[@]}" --skip-stage mp_ts_calibration_v2 -o first.json
    expect "a stage that is off matches nothing" 0 "err!as -S does" "err~up to 13[0-9]{4} ns apart"
    run analyze aiu "${tp4[@]}" -S --align first -o first.json
    expect "-S leaves no choice" 2 "err~--align"
    run analyze aiu "$shared"/corpus/aiu/tp4/*rank-?-job-0.json --freq 557:1100 --flow -R -q -o r.pftrace --compat acelyzer-fixed
    run query -q r.pftrace "SELECT count(*) AS negative FROM slice WHERE dur < 0" --format csv
    expect "no slice of a .pftrace has a negative length" 0 'out="negative"
0'
    for mode in none acelyzer-fixed; do
        run analyze aiu "${tp4[@]}" --flow -R -q -o r.json --compat $mode
        python3 -c "import json; print(sum(e['ph'] == 'X' and e['dur'] < 0 for e in json.load(open('r.json'))['traceEvents']))" >"$mode"
    done
    claim "none has one in our own .json, two have in that of acelyzer-fixed, as in its recording" [ "$(cat none acelyzer-fixed | tr '\n' ' ')" = "0 2 " ]
else
    without_shared "lateness that is the error of clocks is not reported"
fi

cd ..
