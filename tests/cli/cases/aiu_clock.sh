# shellcheck shell=bash disable=SC2154
# analyze aiu: the clock of the counters, by hand. Sourced by run.sh.

mkdir -p aiu_clock
cd aiu_clock || exit 1

# A torch launch whose counters run at 560 MHz: 10 us in, 10 us queued, 100 us kernel, 5 us out. `shared`: two kernels more of a
# second launch with one set of counters.
cat >make.py <<'END'
import json, sys
def slice(name, cat, ts, dur, ticks):
    return {"ph": "X", "name": name, "cat": cat, "pid": 0, "tid": 1, "ts": ts, "dur": dur, "args": {"cycles_ts": ticks, "correlation": 1}}
def ticks(start, *steps):
    return [start + 560 * sum(steps[:n]) for n in range(5)]
one = ticks(1000, 10, 10, 100, 5)
events = [slice("Memcpy (HtoD)", "gpu_memcpy", 1000, 10, one), slice("mm", "kernel", 1020, 100, one),
          slice("Memcpy (DtoH)", "gpu_memcpy", 1120, 5, one)]
if "shared" in sys.argv:
    two = ticks(1000 + 560 * 1000, 0, 0, 80, 0)
    events += [slice("a", "kernel", 2000, 30, two), slice("b", "kernel", 2040, 40, two)]
print(json.dumps({"deviceProperties": [{"id": 0}], "traceEvents": events}))
END
python3 make.py >torch.json
python3 make.py shared >shared.json
lengths() { # lengths FILE: begin and length of each slice
    python3 - "$1" <<'END'
import json, sys
events = sorted((e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"), key=lambda e: e["ts"])
print(" ".join(f'{e["ts"]:g}+{e["dur"]:g}' for e in events))
END
}
run analyze aiu torch.json -o t.json -D 2
expect "the clock is what kernels show" 0 "err~^INFO FREQ: the counters run at 560.0 MHz, by 1 kernels" "err!Recommendation" "err!USE --freq"
claim "torch slices keep the times of the host" [ "$(lengths t.json)" = "1000+10 1020+100 1120+5" ]
run analyze aiu torch.json --freq auto:1100 -o t.json
claim "where the clock is said to be automatic, too" [ "$(lengths t.json)" = "1000+10 1020+100 1120+5" ]
run analyze aiu torch.json --freq 560:1100 -o t.json
expect "the clock that they show says nothing" 0 "err!USE --freq" "err!Recommendation"
claim "each slice is its own step" [ "$(lengths t.json)" = "1000+10 1020+100 1120+5" ]
run analyze aiu torch.json --freq 1000:900 -o t.json
expect "a clock that contradicts the times is the first line" 0 \
    "err~warning: FREQ: THE COUNTERS RUN AT 560.0 MHZ, NOT AT 1000.0: USE --freq 560.0:900.0 .*OFF BY 78.6 %\.$"
claim "and no other warning stands before it" [ "$(grep -m 1 warning: "$ERR" | cut -d: -f4-5)" = " FREQ: THE COUNTERS RUN AT 560.0 MHZ, NOT AT 1000.0" ]
claim "slices have the lengths of that clock, and their ends" [ "$(lengths t.json)" = "1004.4+5.6 1064+56 1122.2+2.8" ]
run analyze aiu shared.json --freq 560:1100 -o t.json
expect "counters of several slices are said" 0 "err~warning: Ingestion: 2 slices have the counters of others of their launch"
claim "and move none of them" [ "$(lengths t.json)" = "1000+10 1020+100 1120+5 2000+30 2040+40" ]
run analyze aiu torch.json -o t.json --compat acelyzer
expect "that program has a clock of its own" 0 "err!FREQ"
run analyze aiu torch.json --freq auto -o t.json --compat acelyzer
expect "and knows no automatic one" 1

# Flex: three kernels of 10, 20 and 400 us at 557.002 MHz, the first of which the host noted 5 us too late; jobs 5 ms apart.
flex() { # flex FILE TS0 CYCLE0 LATE
    python3 - "$@" >"$1" <<'END'
import json, sys
ts, cycle, late = map(float, sys.argv[2:])
def kernel(at, dur, late):
    start, end = (round(cycle + 557.002 * t) for t in (at, at + dur))
    return {"ph": "X", "name": "k Cmpt Exec", "pid": 0, "tid": 1, "ts": ts + at, "dur": dur + late,
            "args": {f"TS{n}": str(start if n < 4 else end) for n in range(1, 6)}}
print(json.dumps([kernel(0, 10, late), kernel(100, 20, 0), kernel(200, 400, 0)]))
END
}
flex f1.json 1000 1000 5
flex f2.json 6000 2786010 5
run analyze aiu f1.json f2.json -o f.json -D 2 --fail-if "(SELECT max(max_us) FROM aiu_kernels) NOT BETWEEN 399.999 AND 400.001"
expect "kernels of flex traces have it, too" 0 "err~the counters run at 557.00[123] MHz, by 6 kernels"
clock=$(sed -n 's/.*the counters run at \([0-9.]*\) MHz.*/\1/p' "$ERR")
for given in 560 556 900.167; do
    run analyze aiu f1.json f2.json --freq "$given" -o f.json
    claim "$given: one clock is recommended" [ "$(grep -Eo '(USE --freq |use: --freq=)[0-9.]*' "$ERR" | sed 's/.*[ =]//')" = "$clock" ]
done
run analyze aiu f1.json f2.json --freq "$clock" -o f.json
expect "which recommends no other" 0 "err!recommend" "err!Recommend" "err!USE --freq"
run analyze aiu f1.json f2.json --freq 562 -o f.json
expect "less than a percent is no capitals" 0 "err!USE --freq" "err~use: --freq=$clock"
flex f3.json 1000 1000 400
python3 - <<'END'
import json
events = json.load(open("f3.json"))
for factor, event in zip((1, 2.5, 3), events):
    event["dur"] = 100 * factor
json.dump(events, open("f3.json", "w"))
END
run analyze aiu f3.json -o f.json
expect "kernels that do not agree show none" 0 "err~warning: FREQ: 3 kernels do not agree about the clock of the counters; 1000.0 MHz is assumed"

if [ -d "$shared/corpus/aiu/drift" ]; then
    run analyze aiu "$shared"/corpus/aiu/drift/drift-*-job-*.json* --freq 900.167 -o d.json
    expect "a recorded capture recommends what its kernels show" 0 "err~use: --freq=899.57[0-9]$"
    run analyze aiu "$shared"/corpus/aiu/drift/drift-*-job-*.json* --freq 899.577 -o d.json
    expect "and then nothing" 0 "err!use: --freq" "err!USE --freq"
else
    without_shared "a recorded capture recommends what its kernels show"
fi

cd ..
