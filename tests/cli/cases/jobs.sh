# shellcheck shell=bash disable=SC2154,SC2086
# How many threads work is nobody's business: every command gives the same bytes with one and with two.

# same_jobs NAME OUT ARGS...: runs the command with --jobs 1 and --jobs 2; standard output, exit code and the file OUT (if
# not empty) must be equal.
same_jobs() {
    local name=$1 out=$2 reasons=() one
    shift 2
    rm -f "$W"/jobs.*
    run "$@" --jobs 1
    one=$rc
    mv "$OUT" "$W/jobs.out"
    if [ -n "$out" ] && [ -e "$out" ]; then
        mv "$out" "$W/jobs.file"
    fi
    run "$@" --jobs 2
    [ "$rc" -eq "$one" ] || reasons+=("exit code $one with one thread")
    cmp -s "$OUT" "$W/jobs.out" || reasons+=("standard output differs")
    if [ -n "$out" ] && ! cmp -s "$out" "$W/jobs.file"; then
        reasons+=("$out differs")
    fi
    rm -f "$out"
    verdict "$name" "${reasons[@]}"
}

# Large enough for threads: traces of the shared corpus, plain and packed; without it the bundled ones, which are not.
inputs=("$FIX/aie_small.json" "$FIX/aie_small.pftrace")
if [ -d "$shared/corpus" ]; then
    for case in torch-b200-eager torch-nccl; do
        inputs+=("$shared/corpus/real/$case"/trace.json*)
    done
else
    without_shared "jobs on large traces"
fi
for input in "${inputs[@]}"; do
    name=$(basename "$(dirname "$input")")/$(basename "$input")
    same_jobs "jobs: info $name" "" info "$input" --json
    same_jobs "jobs: check $name" "" check "$input"
    same_jobs "jobs: query $name" "" query "$input" \
        "select s.*, t.name as track, extract_arg(s.arg_set_id, 'debug.stream') from slice s join track t on t.id = s.track_id"
    same_jobs "jobs: convert $name" jobs.pftrace convert "$input" -o jobs.pftrace
    "$PF" convert "$input" -o large.pftrace --quiet
    same_jobs "jobs: the way back of $name" jobs.json convert large.pftrace -o jobs.json
    same_jobs "jobs: query the .pftrace of $name" "" query large.pftrace "select * from slice join args using (arg_set_id)"
    rm -f large.pftrace
done
cp "$FIX/aie_small.json" jobs_aie.json
same_jobs "jobs: analyze" jobs_enriched.pftrace analyze aie $SHAPE jobs_aie.json --report jobs_report -o jobs_enriched.pftrace

# The reports of AIU captures too: JSON and log, and everything that is drawn, in as many threads as there are tasks.
# same_aiu NAME FILES...
same_aiu() {
    local name=$1 reasons=() n
    shift
    for n in 1 2 4; do
        mkdir "jobs_aiu_$n"
        run analyze aiu "$@" --flow -R --report "jobs_aiu_$n" -o "jobs_aiu_$n/x.pftrace" --json --jobs "$n"
        mv "$OUT" "jobs_aiu_$n/stdout"
        mv "$ERR" "jobs_aiu_$n/stderr"
        run analyze aiu "$@" --flow -R --report "jobs_aiu_$n" -o "jobs_aiu_$n/x.txt" --jobs "$n"
        [ "$(find "jobs_aiu_$n" -type f -size +0 | wc -l)" -ge 7 ] || reasons+=("there are less than seven files")
        diff -rq jobs_aiu_1 "jobs_aiu_$n" >/dev/null || reasons+=("the files differ with $n threads")
    done
    rm -rf jobs_aiu_?
    verdict "jobs: $name" "${reasons[@]}"
}

aiu=("$FIX/aiu/tp2-rank-0.json" "$FIX/aiu/tp2-rank-1.json")
same_aiu "analyze aiu, reports and enriched trace" "${aiu[@]}"
[ -d "$shared/corpus/aiu/tp4" ] && same_aiu "the same of four ranks" "$shared"/corpus/aiu/tp4/*.json*

# Rank 1000 is shown in a process that is made for the host of rank 0 when that comes first: drawings wait for it.
host='{"name":"Execute Graph","ph":"X","pid":0,"tid":7001,"ts":1700000000000,"dur":5},'
sed "1a $host" "${aiu[0]}" >jobs_host.json
sed 's/"pid": *1,/"pid": 1000,/' "${aiu[1]}" >jobs_1000.json
same_aiu "analyze aiu where a drawing hangs on a process of ours" jobs_host.json jobs_1000.json
run analyze aiu jobs_host.json jobs_1000.json --report jobs_1000 -o jobs_1000.pftrace --jobs 2
run query jobs_1000.pftrace "SELECT DISTINCT p.pid || ' ' || p.name AS shown FROM process_track t JOIN process p USING (upid)
    WHERE t.name GLOB 'rank 1000*'"
expect "the drawings of rank 1000 hang on that process" 0 "out=$(printf '"shown"\n"1000 Host0"')"
