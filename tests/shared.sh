# shellcheck shell=bash
# shared.sh - what tests in bash do about things that a machine may lack: the shared corpus, node, Perfetto's engine.
# Sourced. A test that cannot run says why and ends with 77 (skipped); with POSTFETTO_REQUIRE_SHARED=1, as in continuous
# integration, it fails instead. tests/shared.h is the same for tests in C.

shared_required() {
    [ "${POSTFETTO_REQUIRE_SHARED-}" = 1 ]
}

# cannot_run NAME WHY: the end of a test program that lacks something.
cannot_run() {
    echo "$1 skipped: $2"
    if shared_required; then
        echo "POSTFETTO_REQUIRE_SHARED is set, so this is a failure"
        exit 1
    fi
    exit 77
}

# need_engine NAME TOOLS WORK: makes WORK/tp_query ready to run, with the engine's assets, which stay between runs; node is
# wasm/node from then on.
need_engine() {
    local name=$1 tools=$2 work=$3 major
    [ -f "$tools/tp_query/tp_engine.mjs" ] || cannot_run "$name" "no tp_query in $tools"
    command -v python3 >/dev/null || cannot_run "$name" "python3 is not installed"
    command -v node >/dev/null || cannot_run "$name" "node is not installed (version 20 or later is needed)"
    major=$(node -p 'process.versions.node.split(".")[0]')
    [ "$major" -ge 20 ] || cannot_run "$name" "node $major is too old (version 20 or later is needed)"
    mkdir -p "$work/tp_query"
    cp -u "$tools"/tp_query/*.mjs "$tools"/tp_query/package.json "$work/tp_query/"
    if [ ! -f "$work/tp_query/assets/trace_processor.wasm" ]; then
        (cd "$work/tp_query" && npm run --silent assets) ||
            cannot_run "$name" "the engine's assets could not be fetched (npm run assets)"
    fi
    PATH=$(realpath "$(dirname "${BASH_SOURCE[0]}")/wasm"):$PATH
}
