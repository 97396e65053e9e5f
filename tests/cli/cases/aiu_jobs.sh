# shellcheck shell=bash disable=SC2154
# analyze aiu of one rank: iterations of jobs, slices of what was found, two views of one device; all by hand. Sourced by run.sh.

mkdir -p aiu_jobs
cd aiu_jobs || exit 1

# Two jobs, 1 s apart, of six iterations each: five kernels of 10 us, from begin to begin 100 us, in the second job 120 us.
# The same as a torch trace of rank 0: kernels that begin 1 us later.
python3 - <<'END'
import json
def kernel(name, at, dur):
    ticks = [at - 1000] * 3 + [at - 1000 + dur] * 2
    return {"name": name + " Cmpt Exec", "ph": "X", "pid": 0, "tid": 1, "ts": at, "dur": dur,
            "args": {f"TS{n + 1}": str(1000 * t) for n, t in enumerate(ticks)}}
view = []
for job, (start, period) in enumerate(((1000, 100), (1001000, 120))):
    events = [kernel(*k) for i in range(6) for k in (
        (f"{name}_{n}", start + period * i + 20 * n, 10) for n, name in enumerate("abcde"))]
    json.dump(events, open(f"job-{job}.json", "w"))
    view += [{"name": e["name"][:-10], "ph": "X", "cat": "kernel", "pid": 0, "tid": 1, "ts": e["ts"] + 1, "dur": e["dur"],
              "args": {}} for e in events]
json.dump({"deviceProperties": [{"id": 0}], "distributedInfo": {"rank": 0}, "traceEvents": view}, open("torch.json", "w"))
END
printf '~~~~ Ideal/Total Cycles ~~~~\na_0-opCatBmm 5500\nb_1-opCatAdd 0\nTotal 5500\n====== Perf Summary End ======\n' >one.log
run analyze aiu job-0.json job-1.json -c one.log --freq 1000:1100 -o one.pftrace --report r \
    --fail-if "(SELECT group_concat(iterations || ' ' || iteration_us, ', ') FROM aiu_jobs) <> '5 100.0, 5 120.0'" \
    --fail-if "(SELECT count(*) FROM aiu_iterations WHERE length_us > 120) <> 0" \
    --fail-if "(SELECT count(*) FROM aiu_iterations WHERE counted = 0 AND length_us = 90) <> 2" \
    --fail-if "(SELECT iterations || ' ' || iteration_us FROM aiu_ranks) <> '10 110.0'"
expect "the gap between jobs is no iteration" 0 "err~^Kernels, the longest first$" "err~^b_\[N\] Cmpt Exec +12 +120.000 +20.00 " \
    "err~^Categories of operations, the longest first$" "err~^Bmm +12 +120.000 +60.000 +50.00$" \
    "err~^1 rank was busy with kernels 0\.1 % of 1\.00 s; a_\[N\] takes 20\.0 % of the kernel time; an iteration takes 110\.0 us$" \
    "err~^job-1\.json +5 +120\.000 +30 +300\.000 +390\.000 +690\.000$"
run query -q one.pftrace "SELECT t.name AS row, count(*) AS slices, sum(dur) AS ns FROM slice s JOIN track t ON t.id = track_id
    WHERE category = 'postfetto.aiu' AND t.name LIKE 'rank 0%' GROUP BY 1" --format csv
# Two jobs of 690 us, a second from begin to begin, in which 60 kernels run for 10 us each.
expect "jobs, iterations, categories and gaps are slices" 0 'out="row","slices","ns"
"rank 0 categories",60,600000
"rank 0 gaps",59,1000090000
"rank 0 iterations",12,1280000
"rank 0 jobs",2,1280000'
run analyze aiu job-0.json --freq 1000:1100 -o one.pftrace --report r
run query -q one.pftrace "SELECT count(*) AS notes FROM slice s JOIN track t ON t.id = track_id
    WHERE t.name = 'all ranks notes' AND s.name LIKE 'rcu_util counter requested%'" --format csv
expect "warnings are notes" 0 'out="notes"
1'
run analyze aiu job-0.json job-1.json torch.json --freq 1000:1100 -o two.json \
    --fail-if "(SELECT kernels || ' ' || busy_us FROM aiu_ranks) <> '60 600.0'" \
    --fail-if "(SELECT count(*) FROM aiu_jobs) <> 2"
expect "flex and torch are two views of one device" 0 "err~warning: Ingestion: a flex and a torch trace show rank 0 at the same time"
run analyze aiu job-0.json torch.json --freq 1000:1100 -o two.json --compat acelyzer
expect "which that program does not say" 0 "err!at the same time"

# Recorded: five jobs of two iterations of 1.1 ms, up to 11.6 s apart, in which the charge may have done more than a lap.
if [ -d "$shared/corpus/aiu/jobs_overflow" ]; then
    run analyze aiu "$shared"/corpus/aiu/jobs_overflow/hap-*-job-?.json --report r \
        --fail-if "(SELECT iteration_us FROM aiu_ranks) NOT BETWEEN 1090 AND 1120" \
        --fail-if "(SELECT count(*) FROM aiu_jobs WHERE iteration_us BETWEEN 1090 AND 1120) <> 5" \
        --fail-if "(SELECT count(*) FROM aiu_ranks WHERE energy_mj IS NULL AND mean_power_w BETWEEN 21 AND 23) <> 1" \
        --fail-if "(SELECT count(*) FROM aiu_jobs WHERE energy_mj BETWEEN 95 AND 97) <> 5"
    expect "iterations of a recorded capture have no gap in them, nor has its energy" 0 \
        "err~warning: PEC: 3 intervals between samples of charge are so long \(at most 11\.562 s\)"
    # Of the slices of a .pftrace all are kept but those of queued kernels, which are a counter.
    run convert "$shared"/corpus/aiu/single/bert-*-job-1.json -q -o single.pftrace
    recorded="SELECT count(*) AS slices, sum(name LIKE '%Cmpt Prep') AS queued FROM slice WHERE category IS NULL OR category <> 'postfetto.aiu'"
    for options in "" --keep_prep "--keep_prep -M --disable_tb"; do
        # shellcheck disable=SC2086
        run analyze aiu single.pftrace $options -q -o kept.pftrace
        run query -q kept.pftrace "$recorded" --format csv
        tail -n 1 "$OUT"
    done >kept
    run query -q single.pftrace "$recorded" --format csv
    claim "slices of a .pftrace are kept, but for queued kernels" [ "$(tail -n 1 "$OUT") $(tr '\n' ' ' <kept)" = "107,48 59,0 107,48 107,48 " ]
else
    without_shared "iterations of a recorded capture have no gap in them, nor has its energy"
fi

cd ..
