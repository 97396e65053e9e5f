#!/usr/bin/env bash
# run.sh POSTFETTO FIXTURES_DIR - golden tests of the command line.
#
# Every case runs the command in a scratch folder and compares exit code, standard output and standard error with what
# the contract of the command line promises; the expected texts below are written by hand. Prints `ok NAME` or
# `not ok NAME` with the reason, then `N passed, M failed, K skipped`, and exits 1 on any failure; with
# POSTFETTO_FIRST_FAILURE in the environment at the first one. With POSTFETTO_SHARE=N it takes a file of cases of N, by a
# seed that is printed (POSTFETTO_SEED), all with POSTFETTO_LONG=1.
set -u
LC_ALL=C
export LC_ALL
unset NO_COLOR

[ $# -eq 2 ] || { echo "usage: run.sh POSTFETTO FIXTURES_DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
shared=$(realpath -m "${POSTFETTO_SHARED:-$here/../../../shared}")
PF=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
FIX=$(cd "$2" && pwd)
STUB=$(dirname "$PF")/tests/postfetto_stub # the command with the pass of tests/stub in it
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
mkdir "$W/t"
cd "$W/t" || exit 2

passed=0 failed=0 skipped=0
OUT=$W/out ERR=$W/err
# shellcheck disable=SC2034
SHAPE="--M 128 --K 64 --N 64 --m 32 --k 64 --n 32 --row 1 --col 2 --warmup 1 --iterations 4"

# run ARGS...: the command with these arguments and the present standard input; sets rc, fills $OUT and $ERR.
run() {
    "$PF" "$@" >"$OUT" 2>"$ERR"
    rc=$?
}

# run_stub ARGS...: the same with the command that has one more pass.
run_stub() {
    "$STUB" "$@" >"$OUT" 2>"$ERR"
    rc=$?
}

ok() {
    passed=$((passed + 1))
    echo "ok $1"
}

not_ok() {
    failed=$((failed + 1))
    echo "not ok $1"
    printf '    %s\n' "${@:2}"
    echo "    exit code $rc; standard output:"
    head -c 2000 "$OUT" | sed 's/^/    | /'
    echo "    standard error:"
    head -c 2000 "$ERR" | sed 's/^/    | /'
    [ -z "${POSTFETTO_FIRST_FAILURE-}" ] || exit 1
}

skip() {
    skipped=$((skipped + 1))
    echo "ok $1 # skipped: $2"
}

# without_shared NAME: a case that needs the shared corpus, where that is not; a failure where it is required.
without_shared() {
    if [ "${POSTFETTO_REQUIRE_SHARED-}" = 1 ]; then
        rc=none
        not_ok "$1" "the shared corpus is not here ($shared/corpus), and POSTFETTO_REQUIRE_SHARED is set"
    else
        skip "$1" "the shared corpus is not here ($shared/corpus)"
    fi
}

# verdict NAME REASONS...: a case is good if nothing speaks against it.
verdict() {
    if [ $# -eq 1 ]; then
        ok "$1"
    else
        not_ok "$@"
    fi
}

# claim NAME COMMAND...: a case is good if the command succeeds.
claim() {
    if "${@:2}" >/dev/null 2>&1; then
        ok "$1"
    else
        not_ok "$1" "this is not true: ${*:2}"
    fi
}

# expect NAME RC [out=TEXT] [err=TEXT] [out~PATTERN] [err~PATTERN] [out!PATTERN] [err!PATTERN] [same=LISTING]
# after a run: exit code, whole texts (without their last line feed), extended regular expressions that must or must
# not match a line, and a listing of the folder that must still be true.
expect() {
    local name=$1 want=$2 reasons=() test
    shift 2
    [ "$rc" = "$want" ] || reasons+=("exit code $rc, expected $want")
    for test in "$@"; do
        case $test in
        out=*) [ "$(cat "$OUT")" = "${test#out=}" ] || reasons+=("standard output is not: ${test#out=}") ;;
        err=*) [ "$(cat "$ERR")" = "${test#err=}" ] || reasons+=("standard error is not: ${test#err=}") ;;
        out~*) grep -Eq -- "${test#out~}" "$OUT" || reasons+=("standard output lacks: ${test#out~}") ;;
        err~*) grep -Eq -- "${test#err~}" "$ERR" || reasons+=("standard error lacks: ${test#err~}") ;;
        out!*) grep -Eq -- "${test#out!}" "$OUT" && reasons+=("standard output has: ${test#out!}") ;;
        err!*) grep -Eq -- "${test#err!}" "$ERR" && reasons+=("standard error has: ${test#err!}") ;;
        same=*) [ "$(listing)" = "${test#same=}" ] || reasons+=("the folder changed: $(listing | tr '\n' ' ')") ;;
        *) reasons+=("the test itself is wrong: $test") ;;
        esac
    done
    verdict "$name" ${reasons[@]+"${reasons[@]}"}
}

# Every name in the scratch folder with a digest of what it holds.
listing() {
    find . -mindepth 1 \( -type f -exec sha256sum {} + \) -o -print | sort
}

has_line() { # has_line FILE LINE
    grep -Fxq -- "$2" "$1"
}
is_json() {
    python3 -c 'import json, sys; json.load(sys.stdin)' <"$1" 2>>"$ERR"
}

# in_terminal COMMAND: a shell command whose three streams are a terminal; what it shows goes to $OUT, sets rc. `script`
# would wait forever for a child that ends while SIGCHLD is ignored, as some parents hand it down.
in_terminal() {
    : >"$ERR"
    TERM=${2-xterm} env --default-signal=CHLD script -qefc "$1" /dev/null >"$OUT" </dev/null
    rc=$?
}

# watch_over NAME: when a file of cases has not ended after ten minutes, what it waits for is killed.
watch_over() {
    trap 'kill $!; exit' TERM
    sleep 600 &
    wait $!
    while kill -0 $$ && sleep 1; do
        for child in $(cat "/proc/$$/task/$$/children"); do
            [ "$child" = "$BASHPID" ] || { tr '\0' ' ' <"/proc/$child/cmdline" && echo && kill -KILL "$child"; }
        done >>"$W/late"
    done
}

cp "$FIX"/aie_small.json "$FIX"/aie_small.json.gz "$FIX"/aie_small.pftrace .
cp "$FIX"/bad/aie_cut.json "$FIX"/bad/aie_text.json "$FIX"/bad/aie_bad_ts.json .
chmod u+w ./*
cat >tiny.json <<'END'
[{"name": "a", "cat": "k", "ph": "X", "ts": 1, "dur": 3, "pid": 7, "tid": 9},
 {"name": "say \"b\"", "ph": "B", "ts": 1.5, "pid": 7, "tid": 9},
 {"ph": "E", "ts": 2, "pid": 7, "tid": 9},
 {"name": "load", "ph": "C", "ts": 2, "pid": 7, "args": {"v": 0.5}},
 {"name": "process_name", "ph": "M", "pid": 7, "args": {"name": "worker"}}]
END

# In this order: some use what others left in the folder.
case_files=(pass_rows help exit_codes probes streams undecoded values packed memory json jobs hook hook_ranks gpu_ranks outputs endings inputs
    nothing own_findings compare_ops aiu aiu_clock aiu_files aiu_inputs aiu_jobs aiu_trust aiu_usage aiu_values
    tinygrad tinygrad_devices tinygrad_events tinygrad_places tinygrad_recorded tinygrad_reports tinygrad_rules
    tinygrad_shown aiu_job gpu_and_neutrino host aiu_converted compare compare_gates compare_marks compare_rules aie_summary aiu_doubts usage info
    thresholds query_passes prompt sql_packages query_columns archive open html answers described cut cut_json cut_redact merge merge_reports
    collection split server)
rc=none
claim "every case is listed" diff <(printf '%s.sh\n' "${case_files[@]}" | sort) <(ls "$here/cases" | sort)
take_one_of=${POSTFETTO_SHARE:-1} take_seed=${POSTFETTO_SEED:-$((SRANDOM % 1000000))}
[ "${POSTFETTO_LONG-}" != 1 ] || take_one_of=1
[ "$take_one_of" = 1 ] || echo "seed $take_seed (a file of cases of $take_one_of)"
for i in "${!case_files[@]}"; do
    [ $(((i + take_seed) % take_one_of)) = 0 ] || continue
    name=${case_files[i]}
    watch_over "$name" >/dev/null 2>&1 &
    watching=$!
    # shellcheck source=/dev/null
    . "$here/cases/$name.sh"
    kill "$watching" 2>/dev/null
    [ ! -e "$W/late" ] || not_ok "$name.sh ends" "these were killed after ten minutes: $(cat "$W/late")"
    rm -f "$W/late"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
