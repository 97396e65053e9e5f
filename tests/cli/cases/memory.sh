# shellcheck shell=bash
# memory.sh - how much memory an import takes. The traces are made here, by the bench's generator: they must be so
# large that what does not grow with the events hardly counts.

generate=$(dirname "$PF")/tests/bench_generate

# statistic NAME: a number of the last line of --stats in $ERR.
statistic() {
    sed -nE "s/^\{.*\"$1\": ([0-9]+).*/\1/p" "$ERR" | tail -n 1
}

# heap_within NAME BOUND KIND EVENTS FORMAT: our own allocations at their peak, in bytes an event.
heap_within() {
    local kb events
    "$generate" "$3" "$4" "big.$5"
    run info "big.$5" --stats
    rm "big.$5"
    kb=$(statistic peak_heap_kb) events=$(statistic events)
    if [ "$rc" -eq 0 ] && [ "${events:-0}" -ge "$4" ] && [ $((${kb:-0} * 1024)) -le $(($2 * events)) ] && [ "${kb:-0}" -gt 0 ]; then
        ok "$1"
    else
        not_ok "$1" "$kb KB for $events events, expected at most $2 bytes an event"
    fi
}

if [ -n "${ASAN_OPTIONS-}" ]; then
    skip "memory" "sanitizers take their own"
elif [ ! -x "$generate" ]; then
    skip "memory" "the generator is not built ($generate)"
else
    heap_within "memory: .pftrace in order" 50 interned 2000000 pftrace
    heap_within "memory: .pftrace with arguments on every begin" 60 annotated 2000000 pftrace
    heap_within "memory: .pftrace out of order" 110 disorder 2000000 pftrace
    heap_within "memory: JSON in order" 50 interned 1000000 json
    heap_within "memory: JSON out of order" 110 disorder 1000000 json
    heap_within "memory: JSON in the order of ends" 110 torch_ends 500000 json
    # A mapped file of 60 MB, most of it arguments that nobody asks for: its pages are given back once they are read.
    awk 'BEGIN {
        filler = sprintf("%3000s", ""); gsub(" ", "x", filler); print "["
        for (i = 0; i < 20000; i++) {
            printf "{\"ph\":\"X\",\"name\":\"w\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"n\":\"%s\"}},\n", 2 * i, filler
        }
        print "{\"ph\":\"i\",\"name\":\"z\",\"pid\":1,\"tid\":1,\"ts\":0,\"s\":\"t\"}]"}' >mapped.json
    run info mapped.json --stats
    claim "memory: pages of a mapped file are given back" eval '[ "$rc" = 0 ] && [ "$(statistic events)" = 20001 ] && [ "$(statistic peak_rss_kb)" -gt 500 ] && [ "$(statistic peak_rss_kb)" -lt 36000 ]'
    # What arguments need of it comes back while they are written, a little at a time; a pipe takes no more than a file.
    resident() {
        claim "memory: $1" eval '[ "$rc" = 0 ] && [ "$(statistic peak_rss_kb)" -gt 500 ] && [ "$(statistic peak_rss_kb)" -lt '"$2"' ]'
    }
    run analyze gpu -q --partial mapped.pfr mapped.json --stats # which hashes the file
    resident "pages of a mapped file are given back when it is hashed" 40000
    rm -f mapped.pfr
    # Texts that are longer than what threads decode ahead are in memory once, not once for each block of events.
    awk 'BEGIN {
        filler = sprintf("%1000s", ""); gsub(" ", "x", filler); print "["
        for (i = 0; i < 6; i++) {
            for (k = 0; k < 1000; k++) {
                printf "{\"ph\":\"X\",\"name\":\"w\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"n\":1}},\n", 2000 * i + k
            }
            printf "{\"ph\":\"X\",\"name\":\"w\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"n\":\"", 2000 * i + 1000
            for (k = 0; k < 10000; k++) printf "%s", filler
            print "\"}},"
        }
        print "{\"ph\":\"i\",\"name\":\"z\",\"pid\":1,\"tid\":1,\"ts\":0,\"s\":\"t\"}]"}' >texts.json
    run convert texts.json -o texts.pftrace --stats --jobs 1
    one=$(statistic peak_rss_kb)
    run convert texts.json -o texts.pftrace --stats --jobs 4
    claim "memory: long texts are decoded once" eval '[ "$rc" = 0 ] && [ "$one" -gt 20000 ] && [ "$(statistic peak_rss_kb)" -lt $((one + 20000)) ]'
    rm -f texts.*
    run convert mapped.json -o mapped.pftrace --stats
    resident "arguments of a mapped file are converted a part at a time" 40000
    run convert mapped.pftrace -o again.json --stats
    resident "arguments of a mapped .pftrace are converted a part at a time" 40000
    run check mapped.json --stats
    resident "arguments of a mapped file are checked a part at a time" 40000
    run query mapped.json "SELECT sum(length(extract_arg(arg_set_id, 'args.n'))) FROM slice WHERE id < 100" --stats
    resident "a query keeps the texts of arguments, not the pages they came from" 120000
    run_pipe() { cat mapped.json | "$PF" "$@" >"$OUT" 2>"$ERR" && rc=0 || rc=$?; }
    run_pipe info - --stats
    resident "a pipe is not kept in memory" 40000
    run_pipe convert - --to pftrace -o piped.pftrace --stats
    resident "a pipe is converted a part at a time" 40000
    claim "memory: a pipe is converted as a file is" eval 'cmp mapped.pftrace piped.pftrace'
    rm mapped.json mapped.pftrace piped.pftrace again.json
    # Pages of our own binary that the kernel maps at once vary with its page cache: the median of five runs counts.
    tiny() {
        local what=$1 good=yes median
        shift
        : >tiny.rss
        for _ in 1 2 3 4 5; do
            run "$@" --stats
            [ "$rc" = 0 ] || good=no
            statistic peak_rss_kb >>tiny.rss
        done
        median=$(sort -n tiny.rss | sed -n 3p)
        rm tiny.rss
        claim "memory: $what" eval '[ "$good" = yes ] && [ "$median" -gt 500 ] && [ "$median" -lt 6000 ]'
    }
    for format in json pftrace; do
        "$generate" interned 20 "small.$format"
        tiny "the whole process on a tiny .$format" info "small.$format"
        tiny "check on a tiny .$format" check "small.$format"
        tiny "query on a tiny .$format" query "small.$format" "SELECT name, count(*) FROM slice GROUP BY name"
        tiny "analyze aie on a tiny .$format" analyze aie $SHAPE "aie_small.$format" --report small
        rm -r "small.$format" small
    done
fi
