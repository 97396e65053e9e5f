# lib.sh - what the other scripts share; sourced, never run. It moves to the repository root.
set -euo pipefail
export LC_ALL=C.UTF-8

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A version manager's shim runs a shell at each start of python3, of which tests have thousands: Debian's own, where it is.
case $(command -v python3) in
*/shims/*) [ ! -x /usr/bin/python3 ] || PATH=$(tr : '\n' <<<"$PATH" | grep -v '/shims/*$' | paste -sd :) ;;
esac

# Byte code of Python stays between runs, outside of the tree.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/pycache

# say TEXT: progress for a person, on stderr so that stdout stays free for results.
say() {
    printf '%s\n' "$*" >&2
}

# die TEXT: the end, with the reason.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# logged LOG COMMAND...: runs quietly; when it fails, shows the end of the log and returns its status.
logged() {
    local log=$1 status=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        say "failed (exit $status): $*"
        sed -E '/^\[[0-9/]+\] (Building|Linking|Generating|Re-checking)/d; /^[^ ]*(ccache|gcc|clang|cc) .* -c /d' "$log" |
            tail -n 40 >&2
        say "the whole log: $log"
    fi
    return "$status"
}

# minutes SECONDS: as minutes with one digit after the point.
minutes() {
    printf '%d.%d' $(($1 / 60)) $(($1 % 60 / 6))
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# The folder with the shared corpus and tools: next to the repository unless POSTFETTO_SHARED names it. All tests read the
# variable, which is absolute from here on.
POSTFETTO_SHARED=$(realpath -m "${POSTFETTO_SHARED:-../shared}")
export POSTFETTO_SHARED
shared=$POSTFETTO_SHARED

# corpus: prints the folder of the shared corpus, or fails when there is none.
corpus() {
    [ -d "$shared/corpus" ] && printf '%s\n' "$shared/corpus"
}
