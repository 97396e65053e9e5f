# shellcheck shell=bash disable=SC2154
# analyze aiu: what belongs to one input of several. Sourced by run.sh.

mkdir -p aiu_inputs
cd aiu_inputs || exit 1

# Two ranks with the same correlation and the same number of an arrow. Rank 0: a call at 100, its arrow at 101, a kernel from 200 to
# 300, a wait until 400; rank 1 the same 1000 us later. Rank 1 has an arrow of number 40 besides.
torch() { # torch RANK SHIFT MORE
    python3 - "$@" <<'END'
import json, sys
rank, shift = int(sys.argv[1]), float(sys.argv[2])
host = 5000 + rank
def slice(name, cat, pid, ts, dur, **args):
    return {"ph": "X", "name": name, "cat": cat, "pid": pid, "tid": 7, "ts": ts + shift, "dur": dur, "args": args}
events = [slice("aiuLaunchControlBlocks", "privateuse1_runtime", host, 100, 20, correlation=5),
          {"ph": "s", "id": 5, "pid": host, "tid": 7, "ts": 101 + shift, "cat": "ac2g", "name": "ac2g"},
          slice("mm", "kernel", 0, 200, 100, correlation=5),
          {"ph": "f", "id": 5, "pid": rank, "tid": 7, "ts": 200 + shift, "cat": "ac2g", "name": "ac2g", "bp": "e"},
          slice("aiuScheduleWait", "privateuse1_runtime", host, 120, 280, correlation=5)]
events += [{"ph": ph, "id": int(n), "pid": host, "tid": 7, "ts": 500 + shift + (ph == "f"), "cat": "x", "name": "x"} for n in sys.argv[3:] for ph in "sf"]
print(json.dumps({"deviceProperties": [{"id": 0}], "distributedInfo": {"rank": rank}, "traceEvents": events}))
END
}
torch 0 0 >t0.json
torch 1 1000 40 >t1.json
arrows() { # arrows FILE: number, phase, time of each half, in order
    python3 - "$1" <<'END'
import json, sys
flows = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] in "sf"]
print(" ".join(f'{e["id"]}{e["ph"]}{e["ts"]:g}' for e in sorted(flows, key=lambda e: (e["id"], e["ts"]))))
END
}
# Recorded: 5 of rank 0; 5 + 5 and 40 + 5 of rank 1. New ones from 46 on: each launch to its own kernel, each kernel to its wait.
run analyze aiu t0.json t1.json --tb -q -o two.json
claim "arrows of two inputs have numbers of their own" [ "$(arrows two.pt.trace.json)" = \
    "5s101 5f200 10s1101 10f1200 45s1500 45f1501 46s101 46f200 47s1101 47f1200 48s299.999 48f400 49s1300 49f1400" ]
run analyze aiu t0.json t1.json --tb -q -o two.json --skip-stage launch_flow_collect
claim "launches are drawn only if they are collected" [ "$(arrows two.pt.trace.json)" = \
    "5s101 5f200 10s1101 10f1200 45s1500 45f1501" ]
run convert t1.json -o t1.pftrace
run analyze aiu t0.json t1.pftrace --tb -q -o two.json
claim "and those of a converted input" [ "$(arrows two.pt.trace.json)" = \
    "5s101 5f200 10s1101 10f1200 45s1500 45f1501 46s101 46f200 47s1101 47f1200 48s299.999 48f400 49s1300 49f1400" ]

# A folder of logs, in order of rank: 2 before 10. Ranks run mm for 100 us, 10 of them ideal by the first log; the other does not know
# it, so that rank 1 takes the first one, too. Where neither knows it, each takes its own.
mkdir -p logs empty
table() { printf '~~~~ Ideal/Total Cycles ~~~~\n%s %d\nTotal %d\n====== Perf Summary End ======\n' "$1" "$2" "$2"; }
table mm-opCatBmm 11000 >logs/rank-2.log
table other-opCatBmm 11000 >logs/rank-10.log
echo nothing >logs/readme.txt
mkdir logs/old.log
run analyze aiu t0.json -c logs --tb -q -o folder.json
expect "a folder of logs" 0
cp folder_categories.csv by_folder.csv
run analyze aiu t0.json -c logs/rank-2.log,logs/rank-10.log --tb -q -o folder.json
claim "is those that it holds" cmp by_folder.csv folder_categories.csv
claim "in order of their numbers" grep -q '^0,UNKN,Bmm,100.0,1.0,1,10.0,11000,1.0,0.1$' by_folder.csv
run analyze aiu t0.json -c empty -o folder.json
expect "a folder without logs" 0 "err~UTL: empty holds neither logs"
run analyze aiu t0.json t1.json -c logs --tb -o folder.json -D 2
expect "all kernels are known" 0 "err~UTL: Multi-AIU logs provided. Entries: 2" "err!accounted for 'other'"
table x-opCatBmm 11000 >logs/rank-2.log
run analyze aiu t0.json t1.json -c logs --tb -o folder.json
expect "kernels that no table knows are said by log" 0 \
    "err~UTL: Found 1 Events without a matching kernel category in logs/rank-2.log and accounted for 'other'$" \
    "err~UTL: Found 1 Events without a matching kernel category in logs/rank-10.log and accounted for 'other'$"
run analyze aiu t0.json t1.json -c logs/rank-2.log --tb -o folder.json
expect "of one log in one line" 0 "err~UTL: Found 2 Events without a matching kernel category and accounted for 'other'$"

# Files of workers: one for each rank that inputs say, with all that its input holds. Ranks 1000 and 3; host 42 is no device.
worker() { # worker FILE: how many slices of hosts and devices, arrows, and which pids
    python3 - "$1" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
print(sum(e["ph"] == "X" for e in events), sum(e["ph"] in "sf" for e in events), *sorted({e["pid"] for e in events}))
END
}
torch 1000 0 | sed 's/"pid": 6000/"pid": 42/g' >w1000.json
torch 3 1000 | sed 's/"pid": 5003/"pid": 1003/g' >w3.json
run analyze aiu w1000.json w3.json --tb -q -o w.json
claim "a file for each rank that an input says" [ "$(ls w_worker_* | tr '\n' ' ')" = "w_worker_1000.pt.trace.json w_worker_3.pt.trace.json " ]
claim "with its host, whatever pid that has" [ "$(worker w_worker_1000.pt.trace.json)" = "3 6 42 1000" ]
claim "and nothing of others" [ "$(worker w_worker_3.pt.trace.json)" = "3 6 3 1003" ]
run analyze aiu w3.json --tb -o one.json
expect "one rank needs none" 0 "err~warning: TB_EXPORTER: Only 1 AIU is used"
claim "and has none" [ ! -e one_worker_3.pt.trace.json ]

cd ..
