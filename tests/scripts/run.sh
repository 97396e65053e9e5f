#!/usr/bin/env bash
# run.sh: what the scripts promise besides building and testing: that they say what they install and need no root where
# nothing is missing, and that a missing corpus is a skipped test, or a failed one where it is required.
# Prints `ok NAME` or `not ok NAME` with the reason, then `N passed, M failed, K skipped`; exits 1 on any failure.
set -u
cd "$(dirname "$0")/../.." || exit 2
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
chmod 755 "$W"
passed=0 failed=0 skipped=0

# expect NAME RC [PATTERN | !PATTERN]... after a run: the exit code, lines that must or must not be in the output.
expect() {
    local name=$1 want=$2 reasons=() test
    shift 2
    [ "$rc" = "$want" ] || reasons+=("exit code $rc, expected $want")
    for test in "$@"; do
        case $test in
        !*) grep -Eq -- "${test#!}" "$W/out" && reasons+=("the output has: ${test#!}") ;;
        *) grep -Eq -- "$test" "$W/out" || reasons+=("the output lacks: $test") ;;
        esac
    done
    if [ ${#reasons[@]} -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "not ok $name"
        printf '    %s\n' "${reasons[@]}"
        head -c 2000 "$W/out" | sed 's/^/    | /'
    fi
}

run() {
    "$@" >"$W/out" 2>&1 </dev/null
    rc=$?
}

skip() {
    skipped=$((skipped + 1))
    echo "ok $1 # skipped: $2"
}

# The package manager as a stub: dpkg-query knows all packages but $W/missing; apt-get notes how it is called.
mkdir "$W/bin" "$W/copy" "$W/copy/scripts"
cp scripts/install-deps scripts/lib.sh "$W/copy/scripts/"
touch "$W/missing"
cat >"$W/bin/dpkg-query" <<STUB
#!/bin/sh
for package; do :; done
if grep -qx "\$package" "$W/missing"; then echo not-installed; else echo installed; fi
STUB
cat >"$W/bin/apt-get" <<STUB
#!/bin/sh
echo "\$@" >>"$W/called"
STUB
chmod 755 "$W"/bin/* "$W/copy" "$W/copy/scripts"/*
chmod -R a+rX "$W"
install_deps() {
    rm -f "$W/called"
    run env PATH="$W/bin:$PATH" "$@" "$W/copy/scripts/install-deps" build test check bare ci
    touch "$W/called"
}

install_deps
expect "install-deps: nothing missing, nothing said" 0 '!.'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    install_deps "${user[@]}"
    expect "install-deps: no root needed where nothing is missing" 0 '!.'
    echo zlib1g-dev >"$W/missing"
    install_deps
    expect "install-deps: says what it installs" 0 '^installing Debian packages that are missing here: zlib1g-dev$' '^installed '
    cp "$W/called" "$W/out"
    expect "install-deps: installs it" 0 'install .* zlib1g-dev$'
    # Without root it is enough that the tools and modules are found.
    install_deps "${user[@]}"
    expect "install-deps: without root the tools may come from elsewhere" 0 '!.'
    cat >"$W/bin/pkg-config" <<'STUB'
#!/bin/sh
[ "$2" != zlib ]
STUB
    chmod 755 "$W/bin/pkg-config"
    install_deps "${user[@]}"
    expect "install-deps: without root it names the packages" 1 '^not found: zlib\.pc ' 'As root on Debian 12: .* zlib1g-dev '
    rm "$W/bin/pkg-config"
else
    skip "install-deps: without root" "this test needs root and setpriv to become somebody else"
fi
run scripts/install-deps everything
expect "install-deps: an unknown set" 1 "unknown set 'everything'"
run scripts/test nonsense
expect "test: an unknown part" 1 "unknown part 'nonsense'; there are: unit "

# A test that lacks the corpus: skipped, or failed where it is required.
for program in size/run engine/run roundtrip/run random/run annotate/run; do
    run env -u POSTFETTO_REQUIRE_SHARED "tests/conformance/$program" /bin/true "$W/none" "$W/none" "$W/work"
    expect "no corpus: $program is skipped" 77 "skipped: no corpus in "
    run env POSTFETTO_REQUIRE_SHARED=1 "tests/conformance/$program" /bin/true "$W/none" "$W/none" "$W/work"
    expect "no corpus: $program fails where it is required" 1 "skipped: no corpus in " "POSTFETTO_REQUIRE_SHARED is set"
done
mkdir -p "$W/shared/corpus/real"
run env POSTFETTO_REQUIRE_SHARED=1 tests/conformance/roundtrip/run /bin/true "$W/shared/corpus" "$W/none" "$W/work"
expect "no engine: a test fails where it is required" 1 "no tp_query in " "POSTFETTO_REQUIRE_SHARED is set"
unit=build/dev/tests/test_read_json
if [ -x "$unit" ]; then
    while read -r room name; do
        run env -u POSTFETTO_REQUIRE_SHARED POSTFETTO_SHARED="$W/none" "build/dev/tests/test_$room" --filter "$name"
        expect "no corpus: unit test $name is skipped" 0 "Passing: 0 .* Failing: 0 .* Crashing: 0"
    done < <(awk '/^Test\(/ {split($0, part, /[(, )]+/); name = part[2] "/" part[3]} /^}/ {name = ""}
        name && /SKIP_WITHOUT_CORPUS|_in_corpus\(/ && !seen[name]++ {split(FILENAME, at, "/"); print at[3], name}' tests/unit/*/*.c)
    run env POSTFETTO_REQUIRE_SHARED=1 POSTFETTO_SHARED="$W/none" "$unit" --filter 'windows/corpus*'
    expect "no corpus: a unit test fails where it is required" 1 "no corpus in $W/none" "Failing: 1"
else
    skip "no corpus: unit tests" "they are not built"
fi
differential=build/release/tests/test_differential
if [ -x "$differential" ]; then
    run env -u POSTFETTO_REQUIRE_SHARED POSTFETTO_SHARED="$W/none" "$differential" --corpus
    expect "no corpus: the differential test is skipped" 77 "$W/none/corpus is not here: skipped"
    run env POSTFETTO_REQUIRE_SHARED=1 POSTFETTO_SHARED="$W/none" "$differential" --corpus
    expect "no corpus: the differential test fails where it is required" 1 "but it is required"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
