#!/usr/bin/env bash
# run.sh BUILD FIXTURES_DIR - what a user of the installed library and command gets: headers, pkg-config, CMake package, soname, exported
# symbols, examples, manual pages, completions. Prints `ok NAME` or `not ok NAME`, then `N passed, M failed, K skipped`.
set -u
export LC_ALL=C

[ $# -eq 2 ] || { echo "usage: run.sh BUILD FIXTURES_DIR" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(cd "$1" && pwd)
FIX=$(cd "$2" && pwd)
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
P=$W/prefix
passed=0 failed=0 skipped=0

claim() {
    if "${@:2}" >"$W/claim" 2>&1; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "not ok $1"
        tail -n 15 "$W/claim" | sed 's/^/    | /'
    fi
}
skip() {
    skipped=$((skipped + 1))
    echo "ok $1 # skipped: $2"
}
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }

pages=0
if command -v scdoc >/dev/null; then
    claim "manual pages and completions are made" cmake --build "$BUILD" --target pages
    pages=1
fi
claim "cmake --install" cmake --install "$BUILD" --prefix "$P"
lib=$(dirname "$(find "$P" -name libpostfetto.a)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib

# ---- the libraries ----
claim "the shared library has its soname" eval "readelf -d '$lib/libpostfetto.so' | grep -q 'SONAME.*libpostfetto.so.0\]'"
claim "it exports functions of ours only" eval "[ -z \"\$(nm -D --defined-only '$lib/libpostfetto.so' | awk '{print \$3}' | grep -vE '^pf_|^POSTFETTO_')\" ]"
declared=$(cat "$P"/include/postfetto/*.h "$P"/include/postfetto/author/*.h | grep -oE 'PF_API[^;(]*\bpf_[a-z0-9_]+\(' | grep -oE 'pf_[a-z0-9_]+\($' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$lib/libpostfetto.so" | awk '{print $3}' | sed 's/@.*//' | grep '^pf_' | sort -u)
claim "it exports what the headers declare, no more and no less" is "$(comm -3 <(echo "$declared") <(echo "$exported"))" ""
claim "pkg-config knows the version" is "$(pkg-config --modversion postfetto)" "$("$P/bin/postfetto" --version | sed -n '1s/postfetto //p')"

# ---- examples and consumers ----
for example in "$root"/examples/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2046
    claim "example $name is built by pkg-config" cc -std=c11 -Wall -Wextra -Werror "$example" $(pkg-config --cflags --libs postfetto) -o "$W/$name"
    # shellcheck disable=SC2046
    claim "example $name is built against the static library" cc -std=c11 "$example" $(pkg-config --cflags postfetto) "$lib/libpostfetto.a" \
        $(pkg-config --libs --static postfetto | sed 's/-lpostfetto//') -o "$W/$name-static"
done
claim "read_and_sum" eval "'$W/read_and_sum' '$FIX/aie_small.json' | grep -qE '^[0-9]+ LOCK_STALL$'"
sum=$("$P/bin/postfetto" query "$FIX/aie_small.json" "select sum(dur) from slice where name = 'LOCK_STALL'" | tail -n 1)
claim "its sum is that of SQL" eval "'$W/read_and_sum' '$FIX/aie_small.json' | grep -qx '$sum LOCK_STALL'"
claim "it reads several files into one trace" eval "'$W/read_and_sum' '$FIX/aie_small.json' '$FIX/aie_small.pftrace' | grep -qx '$((2 * sum)) LOCK_STALL'"
claim "it says which of several files cannot be read" eval "'$W/read_and_sum' '$FIX/aie_small.json' '$W/none.json' 2>&1 | grep -q '^read_and_sum: $W/none.json: '"
claim "ask_sql" eval "'$W/ask_sql' '$FIX/aie_small.json' 'select count(*) as n from slice' | tail -n 1 | grep -qE '^[1-9][0-9]*$'"
claim "enrich" eval "'$W/enrich' '$FIX/aie_small.pftrace' '$W/e.pftrace' && '$P/bin/postfetto' query '$W/e.pftrace' \"select max(value) from counter join track on track.id = track_id where track.name = 'open slices'\" | tail -n 1 | grep -qE '^[1-9]'"
claim "write_trace" eval "'$W/write_trace' '$W/w.pftrace' && '$W/write_trace-static' '$W/v.pftrace' && cmp '$W/w.pftrace' '$W/v.pftrace' && '$P/bin/postfetto' check -q '$W/w.pftrace'"
printf 'beats\n100\n1000000100\n1500000000\n' >"$W/calm.beats"
printf 'beats\n100\n3000000101\n' >"$W/long.beats"
claim "reader_and_pass" is "$("$W/reader_and_pass" "$W/calm.beats")" "3 beats, longest pause 1000000000 ns"
claim "its verdict" is "$("$W/reader_and_pass" "$W/long.beats" 2>&1 >/dev/null; echo $?)" "$W/long.beats: a pause of 3000000001 ns
1"
claim "the code in docs/architecture.md is that of the example" python3 - "$root" <<'END'
import re, sys
folder = sys.argv[1]
with open(folder + "/examples/reader_and_pass.c", encoding="utf-8") as file:
    example = file.read()
with open(folder + "/docs/architecture.md", encoding="utf-8") as file:
    blocks = re.findall(r"```c\n(.*?)```", file.read(), re.DOTALL)
sys.exit(0 if len(blocks) == 6 and all(block in example for block in blocks) else 1)
END
cat >"$W/consumer.cpp" <<'END'
#include <postfetto/postfetto.h>
#include <cstdio>
int main()
{
    std::printf("%s %zu\n", pf_version(), pf_pass_count());
    return PF_STR("text").len == 4 ? 0 : 1;
}
END
# shellcheck disable=SC2046
claim "a C++ program by pkg-config" eval "c++ -std=c++11 -Wall -Wextra -pedantic -Werror '$W/consumer.cpp' $(pkg-config --cflags --libs postfetto) -o '$W/consumer' && '$W/consumer'"
mkdir "$W/project"
cp "$W/consumer.cpp" "$root/examples/write_trace.c" "$W/project"
cat >"$W/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(postfetto 0.1 REQUIRED)
add_executable(shared consumer.cpp)
target_link_libraries(shared PRIVATE postfetto::postfetto_shared)
add_executable(static write_trace.c)
target_link_libraries(static PRIVATE postfetto::postfetto_static)
END
claim "find_package, C and C++" eval "cmake -S '$W/project' -B '$W/project/build' -DCMAKE_PREFIX_PATH='$P' && cmake --build '$W/project/build' && '$W/project/build/shared' && '$W/project/build/static' '$W/x.pftrace' && cmp '$W/x.pftrace' '$W/w.pftrace'"

# ---- manual pages and completions ----
if [ $pages -eq 0 ]; then
    skip "manual pages" "scdoc is not here (install set ci)"
elif ! command -v mandoc >/dev/null; then
    skip "manual pages" "mandoc is not here (install set ci)"
else
    for page in "$P"/share/man/man?/*; do
        claim "mandoc -Tlint $(basename "$page")" mandoc -Tlint -W warning "$page"
    done
    for command in $("$P/bin/postfetto" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        claim "a page for $command" test -s "$P/share/man/man1/postfetto-$command.1.gz"
    done
fi
completions=$P/share/bash-completion/completions/postfetto
if [ $pages -eq 1 ]; then
    complete_bash() {
        bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postfetto; echo "${COMPREPLY[@]}"' _ "$completions" "$@"
    }
    claim "bash: commands" is "$(complete_bash postfetto an)" analyze
    claim "bash: options of a pass" is "$(complete_bash postfetto analyze aie --clock)" --clock-ghz
    claim "bash: choices" is "$(complete_bash postfetto query --format "")" "csv json table arrow parquet"
    if command -v fish >/dev/null; then
        claim "fish: options of a pass" is "$(fish -c "source $P/share/fish/vendor_completions.d/postfetto.fish; complete -C 'postfetto analyze aie --clock'" 2>/dev/null | cut -f1)" --clock-ghz
    else
        skip "fish" "fish is not here (install set ci)"
    fi
    if command -v zsh >/dev/null; then
        cat >"$W/try.zsh" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
sleep 2
zpty -w -n z $'postfetto analyze aie --clock\t'
for i in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.5
    while zpty -r -t z out; do all+=$out; done
    [[ $all == *--clock-ghz* ]] && exit 0
done
print -r -- "$all"
exit 1
END
        claim "zsh: options of a pass" zsh "$W/try.zsh" "$P/share/zsh/vendor-completions"
    else
        skip "zsh" "zsh is not here (install set ci)"
    fi
fi

# ---- Debian packages ----
if command -v dpkg-deb >/dev/null && command -v cpack >/dev/null && command -v file >/dev/null; then
    claim "cpack makes three packages" eval "(cd '$BUILD' && cpack -G DEB -B '$W/debs') && [ \$(ls '$W'/debs/*.deb | wc -l) -eq 3 ]"
    claim "libraries that are loaded late are dependencies" eval "dpkg-deb -f '$W'/debs/postfetto_*.deb Depends | grep 'libcairo2.*libmicrohttpd12\|libmicrohttpd12.*libcairo2' | grep -q libyaml-0-2"
    claim "the library depends on libyaml, too" eval "dpkg-deb -f '$W'/debs/libpostfetto0_*.deb Depends | grep -q libyaml-0-2"
    claim "the command's package has the command" eval "dpkg-deb -c '$W'/debs/postfetto_*.deb | grep -q ' ./usr/bin/postfetto$'"
    claim "the library's has the library and no link for builds" eval "dpkg-deb -c '$W'/debs/libpostfetto0_*.deb | grep -q 'libpostfetto.so.0 ' && ! dpkg-deb -c '$W'/debs/libpostfetto0_*.deb | grep -qE 'libpostfetto.so( |$)'"
    claim "the one for development has headers and both ways to find it" eval "dpkg-deb -c '$W'/debs/libpostfetto-dev_*.deb | grep -cE 'postfetto/trace.h|postfetto.pc|postfetto-config.cmake$' | grep -qx 3"
    if command -v lintian >/dev/null; then
        claim "lintian finds no errors" eval "! lintian --allow-root '$W'/debs/*.deb 2>&1 | grep -E '^E:'"
    else
        skip "lintian" "lintian is not here (install set ci)"
    fi
else
    skip "Debian packages" "needs dpkg-deb, cpack and file (install set ci)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
