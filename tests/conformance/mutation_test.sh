#!/usr/bin/env bash
# mutation_test.sh POSTFETTO: shows that the conformance runner can fail. On an untouched copy of a small case it passes;
# with one byte of any expected file changed, a file missing or a file too many it must exit with 1, each time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
postfetto=$(realpath "${1:?usage: mutation_test.sh POSTFETTO}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

fresh_copy() {
    rm -rf "$work/corpus"
    cp -r "$root/fixtures/conformance" "$work/corpus"
}

# expect STATUS WHAT: runs the runner on the copy and compares its exit status.
expect() {
    local status=0
    "$root/scripts/conformance" "$work/corpus" aie --format json --postfetto "$postfetto" >"$work/log" 2>&1 || status=$?
    if [ "$status" -eq "$1" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $2: exit $status instead of $1"
        tail -n 5 "$work/log"
    fi
}

# flip FILE OFFSET: changes the lowest bit of one byte.
flip() {
    python3 - "$1" "$2" <<'PYTHON'
import sys

with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 1]))
PYTHON
}

fresh_copy
expect 0 "the untouched case"
names=$(cd "$work/corpus/aie/mini/expected" && ls)
while read -r name; do
    size=$(stat -c %s "$work/corpus/aie/mini/expected/$name")
    for offset in 0 $((size / 2)) $((size - 1)); do
        fresh_copy
        flip "$work/corpus/aie/mini/expected/$name" "$offset"
        expect 1 "byte $offset of $name changed"
    done
    fresh_copy
    rm "$work/corpus/aie/mini/expected/$name"
    expect 1 "$name missing from the expectations"
done <<<"$names"
fresh_copy
echo surplus >"$work/corpus/aie/mini/expected/surplus.json"
expect 1 "an expected file that is not written"
fresh_copy
sed -i 's/^exit_code=0/exit_code=3/' "$work/corpus/aie/mini/cmd.txt"
expect 1 "another exit code expected"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
