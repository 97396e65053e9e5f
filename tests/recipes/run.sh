#!/usr/bin/env bash
# run.sh POSTFETTO FIXTURES_DIR - the pages of docs/recipes, run as they are written.
#
# Of each page the blocks are taken in order: one that begins with `# file: NAME` is written to that file (without
# that line), one of `sh` is run by bash -e. The command is on the PATH; where a program of the page is missing, a
# stand-in writes a trace of ours. Prints `ok NAME` or `not ok NAME`, then `N passed, M failed, K skipped`.
set -u
export LC_ALL=C
unset POSTFETTO_CONFIG

[ $# -eq 2 ] || { echo "usage: run.sh POSTFETTO FIXTURES_DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
source "$here/slurm_here.sh"
pages=$(cd "$here/../../docs/recipes" && pwd)
FIX=$(cd "$2" && pwd)
W=$(mktemp -d)
trap 'rm -rf "$W"; [ -z "${linked-}" ] || rm -f /usr/bin/postfetto' EXIT
mkdir "$W/bin"
cp "$1" "$W/bin/postfetto"
export PATH=$W/bin:$PATH FIX
passed=0 failed=0 skipped=0

# play PAGE: writes the files and runs the commands of a page in a folder of its own.
play() {
    python3 - "$pages/$1.md" <<'END'
import os, re, subprocess, sys
for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", open(sys.argv[1]).read(), re.M | re.S):
    head = re.match(r"# file: (\S+)\n", body)
    if head:
        if os.path.dirname(head.group(1)):
            os.makedirs(os.path.dirname(head.group(1)), exist_ok=True)
        with open(head.group(1), "w") as out:
            out.write(body[head.end():])
        os.chmod(head.group(1), 0o755 if body[head.end():].startswith("#!") else 0o644)
    elif kind == "sh":
        done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", body])
        if done.returncode:
            sys.exit(f"exit {done.returncode}: {body}")
END
}

# judge NAME COMMAND...: whether it succeeds.
judge() {
    if "${@:2}" >"$W/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "not ok $1"
        tail -n 20 "$W/log" | sed 's/^/    | /'
    fi
}
# page NAME COMMAND...: plays it in $W/NAME, and whether the command succeeds then.
played() { play "$1" && "${@:2}"; }
page() {
    cd "$W/$1" || exit 2
    judge "$1" played "$@"
}
skip() {
    skipped=$((skipped + 1))
    echo "ok $1 # skipped: $2"
}
is_json() { python3 -m json.tool "$1" >/dev/null; }

# torch
mkdir -p "$W/pytorch"
if ! python3 -c 'import torch' 2>/dev/null; then
    cp "$here/torch_stand_in.py" "$W/pytorch/torch.py"
fi
page pytorch is_json trace-4.json.report.json

# tinygrad
mkdir -p "$W/tinygrad"
if ! python3 -c 'import tinygrad' 2>/dev/null; then
    cp "$here/tinygrad_stand_in.py" "$W/tinygrad/tinygrad.py"
fi
page tinygrad is_json numbers/summary.json

# in-kernel profilers, by a schema
# slices FILE: name, count and length of all slices.
slices() { postfetto query "$1" "SELECT name, count(*), sum(dur) FROM slice GROUP BY 1 ORDER BY 1" | tail -n +2 | tr -d '"' | paste -sd' '; }
mkdir -p "$W/flashinfer" "$W/cute"
flashinfer_is_right() { [ "$(slices flashinfer.pftrace)" = "load,12,8400 mma,12,9360 store,4,0" ]; }
cute_is_right() { [ "$(slices cute.pftrace)" = "compute,24,6000 copy,24,3600" ]; }
page flashinfer flashinfer_is_right
page cute cute_is_right

# perfetto and tracebox
mkdir -p "$W/perfetto/captures"
for program in perfetto tracebox; do
    if ! command -v $program >/dev/null; then
        cat >"$W/bin/$program" <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != -o ] || case $2 in
    host.pftrace) cp "$PHONE" "$2" && chmod u+w "$2" ;;
    *) cp "$FIX/aie_small.pftrace" "$2" ;;
    esac
    shift
done
END
        chmod +x "$W/bin/$program"
    fi
done
touch "$W/perfetto/trace.cfg"
recorded=${POSTFETTO_SHARED:-$here/../../../shared}/corpus/real/android-startup-warm/trace.pftrace
PHONE=$FIX/system/logs.pftrace thread=none
[ ! -e "$recorded" ] || PHONE=$recorded thread=roidJUnitRunner
export PHONE
# torch.json: two kernels, the second one launched by a thread of the recording that slept for a second, by the wall clock.
python3 - "$W/perfetto/torch.json" <<'END'
import json, sys
base, boot, slept, woken = 1661546000 * 10**9, 1661546315447306792 - 157479470410065, 157480368621003, 157481368702953
us = lambda at: (at + boot - base) / 1000
event = lambda cat, pid, tid, start, end, **args: {"ph": "X", "cat": cat, "name": cat, "pid": pid, "tid": tid, "ts": us(start), "dur": (end - start) / 1000, "args": args}
events = [event("kernel", 0, 7, slept - 10**6, slept + 1000, device=0, stream=7, correlation=1),
          event("cuda_runtime", 7527, 7547, slept - 2 * 10**6, slept - 10**6, correlation=1),
          event("cuda_runtime", 7527, 7547, slept - 2000, woken + 10**6, correlation=2),
          event("kernel", 0, 7, woken + 2 * 10**6, woken + 3 * 10**6, device=0, stream=7, correlation=2)]
json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "baseTimeNanoseconds": base, "traceEvents": events}, open(sys.argv[1], "w"))
END
merged() {
    is_json trace.pftrace.report.json && [ -s both.pftrace ] &&
        postfetto query both.pftrace --pass gpu "SELECT thread_name, verdict, sleeping_ns FROM gpu_host_gaps" | tee /dev/stderr | if [ $thread = none ]; then cat; else grep -q "^\"$thread\",\"sleeping\",100008"; fi
}
page perfetto merged
# What the page shows is what the recording gives.
shown() { sed -n '/^```text$/,/^```$/{/^```/d;p}' "$pages/perfetto.md" | diff - <(postfetto analyze host host.pftrace --rows 3 -o enriched.pftrace 2>&1); }
if [ -e "$recorded" ]; then
    judge "perfetto: what it shows" shown
else
    skip "perfetto: what it shows" "../shared is not here"
fi

# systemd
mkdir -p "$W/systemd"
if command -v systemd-analyze >/dev/null; then
    # the units name /usr/bin/postfetto, where the package puts it
    if [ ! -e /usr/bin/postfetto ]; then
        ln -s "$W/bin/postfetto" /usr/bin/postfetto
        linked=yes
    fi
    page systemd true
else
    skip systemd "systemd-analyze is not here (install set ci)"
fi

# ci
mkdir -p "$W/ci"
cp "$FIX/aie_small.json" "$W/ci/trace.json"
page ci grep -q '<testcase' junit.xml

# make
mkdir -p "$W/make"
cp "$FIX/aie_small.json.gz" "$W/make/run.json.gz"
page make make -q

# cron
mkdir -p "$W/cron/traces"
cp "$FIX/aie_small.json" "$W/cron/traces/a.json"
HOME=$W/cron page cron is_json traces/a.json.report.json

# ranks: of a seeded run
mkdir -p "$W/ranks"
PYTHONPATH=$here/../conformance/merge python3 - "$W/ranks" <<'END'
import sys, seeds
run = seeds.Run(7)
for rank in range(run.ranks):
    run.write(rank, f"{sys.argv[1]}/rank{rank}.json")
END
ranks_are_aligned() {
    grep -qE '^postfetto: rank1.json: its clock is .* to within [0-9]+ ns$' clocks.txt && [ -s step.pftrace.gz ]
}
page ranks ranks_are_aligned

# send: names that are in the trace are not in what is sent, but for those that are kept
mkdir -p "$W/send"
cp "$FIX/aie_small.json" "$W/send/trace.json"
nothing_is_told() {
    grep -q INSTR_EVENT_0 left.csv && ! grep -q DMA_ left.csv && grep -q '"strings"' send.json &&
        ! gzip -dc send.pftrace.gz | grep -qa -e DMA_ -e LOCK_STALL -e core_ &&
        hash=$(sed -n 's/ DMA_MM2S_0_START_TASK$//p' who_is.txt) && [ -n "$hash" ] && gzip -dc send.pftrace.gz | grep -qa "$hash"
}
page send nothing_is_told

# columns: with the python of the peers
mkdir -p "$W/columns"
for rank in 0 1; do
    cp "$FIX/aie_small.json.gz" "$W/columns/rank$rank.json.gz"
done
sums_are_those_of_query() {
    [ "$(python3 -c 'import duckdb; print(duckdb.sql("SELECT sum(dur) FROM read_parquet(\"run/*/slice.parquet\")").fetchall()[0][0])')" = \
        "$(postfetto query rank0.json.gz --input rank1.json.gz 'SELECT sum(dur) FROM slice' | tail -n 1)" ]
}
if python=$("$here/../../scripts/peers" columns); then
    PATH=$(dirname "$python"):$PATH page columns sums_are_those_of_query
else
    skip columns "the peers are not installed (scripts/install-deps peers)"
fi
both_ranks_are_shown() { [ "$("$python" with_spark.py | grep -cE '^\| +[01]\|')" -eq 2 ]; }
if [ -d "$W/columns/run" ] && python=$("$here/../../scripts/peers" spark) && command -v java >/dev/null; then
    cd "$W/columns" || exit 2
    judge spark both_ranks_are_shown
else
    skip spark "the peers or a Java runtime are not installed (scripts/install-deps peers ci)"
fi

# slurm: three jobs; the epilog of slurm.conf worked for the first, that of the user for the second as well
slurm_epilogs() {
    local reports=(traces/job1-task[01].json.report.json traces/job2-task[01].json.report.json mine/run.json.report.json)
    [ ${#reports[@]} -eq 5 ] && for report in "${reports[@]}"; do is_json "$report" || return 1; done
}
mkdir -p "$W/slurm/traces"
printf '#!/bin/sh\nsleep 1\ncp "$FIX/aie_small.json" "$1"\n' >"$W/slurm/capture.sh"
chmod +x "$W/slurm/capture.sh"
if slurm_is_here; then
    trap 'slurm_down "$W/cluster"; rm -rf "$W"; [ -z "${linked-}" ] || rm -f /usr/bin/postfetto' EXIT
    chmod 755 "$W"
    if slurm_up "$W/cluster" "$W/slurm/task_epilog.sh"; then
        page slurm slurm_epilogs
    else
        failed=$((failed + 1))
        echo "not ok slurm (it did not start)"
    fi
else
    skip slurm "slurmctld, slurmd or munged is not here (install set ci)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
