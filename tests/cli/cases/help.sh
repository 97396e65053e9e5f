# shellcheck shell=bash disable=SC2154,SC2013,SC2016,SC2086
# Help, version, unknown words.

common="--dialect --strict --jobs --max-memory --max-input --max-plain --max-ratio --max-rows --max-depth --max-keys
    --quiet --verbose --no-progress --stats --help"
declare -A own=(
    [info]="--output --json --rows"
    [check]="--output --json"
    [query]="--file --format --json --output --dir"
    [convert]="--output --to --compress --json"
    [analyze]="--output --report --json --list"
    [analyze aie]="--M --K --N --m --k --n --row --col --warmup --iterations --hwid --clock-ghz --pairing --drop-empty
        --peak-macs-per-cycle --output --report --json"
)

for c in "${!own[@]}"; do
    run $c --help
    reasons=()
    for o in ${own[$c]} $common; do
        grep -Eq -- "(^| )$o( |\$)" "$OUT" || reasons+=("the help lacks $o")
    done
    [ "$(grep -n '^Examples:$' "$OUT" | cut -d: -f1)" -le 4 ] || reasons+=("the examples do not come first")
    [ "$(sed -n '/^Examples:$/,/^$/p' "$OUT" | grep -c '^  postfetto ')" = 2 ] || reasons+=("there are not two examples")
    [ -s "$ERR" ] && reasons+=("there is something on standard error")
    [ "$rc" = 0 ] || reasons+=("exit code $rc")
    long=$(awk 'length > 80 {print; exit}' "$OUT")
    [ -z "$long" ] || reasons+=("wider than 80 columns: $long")
    case $c in
    query) choices="--format csv\|json\|table" ;;
    convert) choices="--to FORMAT" ;;
    "analyze aie") choices="--pairing compatible\|nearest" ;;
    *) choices="--" ;;
    esac
    grep -Eq -- " $choices" "$OUT" || reasons+=("the help lacks the choices: $choices")
    verdict "help of $c names every option" ${reasons[@]+"${reasons[@]}"}

    cp "$OUT" "$W/help"
    run $c -h
    claim "-h is --help for $c" cmp "$OUT" "$W/help"

    reasons=()
    for o in $(grep -Eo '^  (-., |    )--[A-Za-z-]+' "$W/help" | grep -Eo -- '--[A-Za-z-]+$'); do
            run $c "$o=" nofile
        grep -q "unknown option" "$ERR" && reasons+=("$o is in the help but unknown")
    done
    verdict "options in the help of $c are known" ${reasons[@]+"${reasons[@]}"}
done

for pass in aie aiu gpu neutrino tinygrad; do
    run analyze $pass --help
    reasons=()
    [ -z "$(awk '!length && !before {print "x"} {before = length}' "$OUT")" ] || reasons+=("two blank lines in a row")
    sed -n '/^Examples:$/,/^$/p' "$OUT" | awk -v RS='  postfetto ' 'gsub(/ -o /, "&") > 1 {exit 1}' ||
        reasons+=("an example has two outputs")
    verdict "examples and paragraphs of $pass" ${reasons[@]+"${reasons[@]}"}
done

run --help
expect "help lists the commands" 0 "out~^  info " "out~^  check " "out~^  query " "out~^  convert " "out~^  analyze " \
    "out~^  6  the output could not be written" err=
run analyze neutrino --help
expect "examples have what the pass reads: a run directory" 0 "out~^  postfetto analyze neutrino Apr24_231539_1860003/ " err=
run analyze tinygrad --help
expect "examples have what the pass reads: a profile" 0 "out~^  postfetto analyze tinygrad profile.pkl " err=
run help info
expect "help COMMAND" 0 "out~^postfetto info - " err=
for c in info check query convert analyze hook open merge-reports compare "compare ops"; do
    run $c --help
    cp "$OUT" "$W/help"
    claim "the help of $c is its own" grep -q "^postfetto $c - " "$W/help"
    run help $c
    claim "help $c is its --help" eval '[ $rc -eq 0 ] && [ ! -s "$ERR" ] && cmp "$OUT" "$W/help"'
done
run help
cp "$OUT" "$W/help"
run -h
claim "help is --help, and so is -h" eval '[ $rc -eq 0 ] && cmp "$OUT" "$W/help" && "$PF" --help | cmp - "$W/help"'
run help inof
expect "help of a command that is not there" 2 out= "err=postfetto: unknown command 'inof'; did you mean 'info'?"
run compare --help
cp "$OUT" "$W/help"
run help compare opps
claim "help of a command and a word that is none" cmp "$OUT" "$W/help"
run
expect "no command" 2 out= "err~^Usage: postfetto COMMAND" "err~^  analyze "
run --version --json
expect "version for scripts" 0 'out~^  "version": "[0-9]+\.[0-9]+\.[0-9]+",$' 'out~^  "features": \["zlib", .*"sqlite"' err=
claim "--version --json is JSON" is_json "$OUT"
run --version
expect "version" 0 "out~^postfetto [0-9]+\.[0-9]+\.[0-9]+\$" "out~^features: .*zlib" err=

run inof
expect "nearest command" 2 out= "err=postfetto: unknown command 'inof'; did you mean 'info'?"
run anlayze x
expect "nearest command, swapped letters" 2 out= "err=postfetto: unknown command 'anlayze'; did you mean 'analyze'?"
run zzz
expect "no near command" 2 out= "err=postfetto: unknown command 'zzz'; 'postfetto --help' lists the commands"
run --json info tiny.json
expect "options stand after the command" 2 out= "err~^postfetto: '--json' stands where a command is expected"

run info --jsno tiny.json
expect "nearest option" 2 out= "err=postfetto: info: unknown option '--jsno'; did you mean '--json'?"
run info --max-mem 1G tiny.json
expect "options are not abbreviated" 2 out= "err=postfetto: info: unknown option '--max-mem'; did you mean '--max-memory'?"
run info -z tiny.json
expect "unknown letter" 2 out= "err=postfetto: info: unknown option '-z'; 'postfetto info --help' lists the options"
run analyze aie -M 3 tiny.json
expect "letter for a long option" 2 out= "err=postfetto: analyze: unknown option '-M'; did you mean '--M'?"
run analyze aei tiny.json
expect "nearest pass" 2 out= "err=postfetto: analyze: unknown pass 'aei'; did you mean 'aie'?"
run analyze aie tiny.json --iteration 3
expect "nearest pass option" 2 out= "err=postfetto: analyze: unknown option '--iteration'; did you mean '--iterations'?"
run analyze
expect "no pass" 2 out= "err=postfetto: analyze: no pass is named; 'postfetto analyze --list' shows the passes"
run analyze --list
expect "list of passes" 0 "out~^aie +[a-z]" err=
run analyze --list --json
expect "list of passes as JSON" 0 'out~^      "name": "aie",$' err=
claim "analyze --list --json is JSON" is_json "$OUT"
run info --dialect chrom-json tiny.json
expect "nearest dialect" 2 out= "err=postfetto: info: unknown dialect 'chrom-json'; did you mean 'chrome-json'?"
