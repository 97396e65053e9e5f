# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# compare A B on GPU traces: the verdicts of device, step and host, and --gate. By hand:
# the host goes from step to step every 100 us, the device every 120 us, so that it falls behind; in each step a kernel of 60 us
# and, 68 us after its start, one of 40 us. In the new run the first takes 66 us. tests/compare/known_answers has real traces.
make_steps() { # make_steps FILE KERNEL STEP_NAME: KERNEL: us of the first kernel; 0: there are none
    python3 - "$@" <<'END'
import json, sys
path, kernel, word = sys.argv[1], int(sys.argv[2]), sys.argv[3]
events = []
def add(name, category, tid, ts, dur, **args):
    events.append({"ph": "X", "pid": tid // 7, "tid": tid, "name": name, "cat": category, "ts": 1000 + ts, "dur": dur, "args": args})
for k in range(3):
    add(f"{word}#{k + 5}", "user_annotation", 1, 100 * k, 100)
    add("train", "user_annotation", 1, 100 * k + 1, 90)
    for i in (0, 1):
        add("cudaLaunchKernel", "cuda_runtime", 1, 100 * k + 10 + 20 * i, 5, correlation=10 * k + i + 1)
        if kernel:
            add(("first", "second")[i], "kernel", 7, 50 + 120 * k + 68 * i, (kernel, 40)[i], correlation=10 * k + i + 1, device=0, stream=7)
    if kernel:
        add("train", "gpu_user_annotation", 14, 50 + 120 * k, 108)
add(f"module.py({kernel}): forward", "python_function", 2, 0, 50)
add(f"<string>({kernel}): main", "python_function", 2, 60, 50)
add("PyTorch Profiler (0)", "Trace", 3, 0, 400 + kernel)
if kernel == 66:
    add("slow step", "postfetto.gpu", 4, 0, 500)
json.dump(events, open(path, "w", encoding="utf-8"))
END
}
make_steps steps_base.json 60 ProfilerStep
make_steps steps_new.json 66 ProfilerStep
make_steps steps_host.json 0 ProfilerStep
make_steps other_base.json 60 round
make_steps other_new.json 66 round

gates() { # gates: verdict, gate, and of each verdict base, new, ratio, low, high, word
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(d["verdict"], ",".join(d["gate"]))
for name, v in d["verdicts"].items():
    print(name, *(["null"] if v is None else [f"{v[k]:.6g}" for k in ("base_ns", "new_ns", "ratio", "ratio_low", "ratio_high")] + [v["verdict"]]))' "$OUT"
}
gate_rows() {
    python3 -c 'import json, sys
print(*sorted(" ".join(str(row[key]) for key in ("place", "name", "verdict")) for row in json.load(open(sys.argv[1]))["rows"]), sep="\n")' "$OUT"
}
run compare steps_base.json steps_new.json --json -q
expect "the device is slower" 1 err=
claim "device: busy time of what a step launched; step: the median period" [ "$(gates)" = "slower device,step
device 100000 106000 1.06 1.06 1.06 slower
step 120000 120000 1 1 1 same
host 400000 400000 1 1 1 same" ]
claim "rows: two of one annotation, folded lines, no span of the profiler, nothing that postfetto drew" [ "$(gate_rows)" = "device first slower
device second same
device train same
host <string>(*): main same
host ProfilerStep#* same
host cudaLaunchKernel same
host module.py(*): forward same
host train same" ]
# An annotation of a device lies around kernels, or on a row of its own: it took no time itself. 400 us of the host and three
# times 60 + 40 of kernels stay what they are where it gets longer.
sed 's/"dur": 108/"dur": 118/g' steps_base.json >longer.json
run compare steps_base.json longer.json --gate all --format csv --table compare_verdicts
expect "a longer annotation of a device is no self time" 0 "err~^No change: self time of all names \+0\.0 %" \
    "out~^self time of all names,same,700000,700000,"
run compare steps_base.json longer.json --format csv
expect "but a longer row" 0 "out~^train,slower,.*,device\$"
run compare steps_base.json longer.json --format csv --table compare_self
expect "of no self time" 0 "out!train"
rm longer.json
run compare steps_base.json steps_new.json --rows 4
expect "the summary says all three" 1 "err~^Slower: device busy time per step \+6\.0 % \(\+6\.0 to \+6\.0 % with 99 % confidence\), period of a step \+0\.0 %; largest cause: first, \+18\.0 us of its own$" \
    "out~^device busy time per step  slower " "out~^period of a step           same " "out~^self time on the host      same " \
    "out~^self time of all names     slower " \
    "out~^place +name +verdict" "out~^device +first +slower"
run compare steps_base.json steps_new.json --format csv -q
expect "the place is a column of the CSV" 1 "out~^first,slower,.*,device$" "out~^cudaLaunchKernel,same,.*,host$"
for gate in "device 1 slower" "step 0 same" "host 0 same" "step,host 0 same" "host,device 1 slower" "names 1 slower"; do
    read -r name code word <<<"$gate"
    run compare steps_base.json steps_new.json --gate $name --json -q
    claim "--gate $name" [ "$rc $(gates | head -1 | cut -d' ' -f1)" = "$code $word" ]
done
run compare steps_new.json steps_base.json --json -q
claim "the worse of faster and same is same" [ "$rc $(gates | head -2 | tr '\n' ' ')" = "0 same device,step device 106000 100000 0.943396 0.943396 0.943396 faster " ]
run compare steps_base.json steps_new.json --tolerance 7 --json -q
claim "a tolerance" [ "$rc $(gates | head -1)" = "0 same device,step" ]

# steps by another name, and none
run compare other_base.json other_new.json --anchor round#1 --json -q
claim "steps by --anchor" [ "$rc $(gates | head -3)" = "1 slower device,step
device 100000 106000 1.06 1.06 1.06 slower
step 120000 120000 1 1 1 same" ]
run compare other_base.json other_new.json --json -q
claim "without steps the whole trace is compared, by its six operations" [ "$rc $(gates | sed -n '1p;3p') $(gates | sed -n 2p | cut -d' ' -f1-4)" = "0 unsure device
step null device 300000 318000 1.06" ]
run compare other_base.json other_new.json --gate step
expect "a gate that is not there" 3 out= "err~^postfetto: other_new.json: --gate step: one of the runs has no steps .*; 'postfetto info'"

# traces without devices
run compare steps_host.json steps_host.json --json -q
claim "a trace of the host alone: windows of the host, and the gate is all" [ "$rc $(gates)" = "0 same all
device null
step 100000 100000 1 1 1 same
host 400000 400000 1 1 1 same" ]
claim "its rows have no place" [ "$(gate_rows | cut -d' ' -f1 | sort -u)" = None ]
run compare steps_host.json steps_new.json --json -q
claim "devices on one side alone: what they did is new self time" [ "$rc $(gates | sed -n '1,2p' | tr '\n' ' ')" = "1 slower all device null " ]
run compare steps_base.json steps_host.json --gate device,host
expect "no device events" 3 "err~steps_host.json: --gate device: one of the runs has no device events"
run compare steps_base.json steps_new.json --gate devices
expect "a gate that does not exist" 2 "err~devices"
run compare aie_small.json aie_small.json --json -q
claim "runs that count in cycles have none of these" [ "$(gates)" = "same all
device null
step null
host null" ]
rm steps_base.json steps_new.json steps_host.json other_base.json other_new.json
