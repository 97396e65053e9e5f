# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# merge: what is renumbered and named, times by option, by a slice and by collectives, outputs, refusals.
mkdir merges merges/two
cat >merges/a.json <<'EOF'
[{"name": "step", "ph": "X", "ts": 1000, "dur": 50, "pid": 7, "tid": 9, "args": {"k": "v"}},
 {"name": "send", "ph": "s", "id": 5, "ts": 1010, "pid": 7, "tid": 9, "cat": "f"},
 {"name": "send", "ph": "f", "bp": "e", "id": 5, "ts": 1040, "pid": 7, "tid": 9, "cat": "f"},
 {"name": "load", "ph": "C", "ts": 1020, "pid": 7, "args": {"v": 5}},
 {"name": "process_name", "ph": "M", "pid": 7, "args": {"name": "worker"}}]
EOF
sed 's/"ts": 10/"ts": 13/' merges/a.json >merges/b.json
for name in a b; do
    run convert -q merges/$name.json -o merges/$name.pftrace
done
people="SELECT pid || ' ' || tid || ' ' || process.name AS row FROM thread JOIN process USING (upid) WHERE tid IN (9, 10000009)"
slices="SELECT ts || ' ' || dur || ' ' || slice.name AS row FROM slice WHERE dur > 0"

run merge merges/a.pftrace merges/b.pftrace -o merges/ab.pftrace
expect "merge" 0 out= err=
run query -q merges/ab.pftrace "$people" --format csv
expect "pids and tids are kept apart, names say the input" 0 'out~"7 9 worker \(a\)"' 'out~"10000007 10000009 worker \(b\)"'
run query -q merges/ab.pftrace "$slices" --format csv
expect "inputs keep their times" 0 'out~1000000 50000 step' 'out~1300000 50000 step'
run query -q merges/ab.pftrace "SELECT count(*) AS n, count(DISTINCT track_id) AS t FROM counter" --format csv
expect "counters stay two" 0 'out~^2,2$'
run query -q merges/ab.pftrace "SELECT name || ' ' || int_value AS row FROM metadata WHERE name LIKE '%postfetto.clock%'" --format csv
expect "the result says where its inputs went" 0 'out~trace_attribute.postfetto.clock.a.offset_ns 0' \
    'out~trace_attribute.postfetto.clock.b.offset_ns 0'
run merge --merge-pids merges/a.pftrace merges/b.pftrace -o merges/one.pftrace
run query -q merges/one.pftrace "SELECT count(DISTINCT upid) AS n FROM thread WHERE tid IN (7, 9)" --format csv
expect "--merge-pids: a pid is one process" 0 'out~^1$'
run merge merges/a.json merges/b.json -o merges/json.pftrace
expect "other formats are converted" 0 out= err=
claim "to the same" cmp merges/ab.pftrace merges/json.pftrace
gzip -c merges/b.pftrace >merges/two/b.pftrace.gz
run merge merges/a.pftrace merges/two/b.pftrace.gz -o merges/packed.pftrace
claim "a compressed input" cmp merges/ab.pftrace merges/packed.pftrace
"$PF" merge merges/a.pftrace - -o - <merges/b.pftrace >merges/stream.pftrace 2>"$ERR"
claim "a stream" test "$(stat -c %s merges/stream.pftrace)" -gt 500
run merge merges/a.pftrace merges/b.pftrace -o merges/ab.pftrace.gz
claim "a compressed output" cmp <(gzip -dc merges/ab.pftrace.gz) merges/ab.pftrace
run merge --compress merges/a.pftrace merges/b.pftrace -o merges/bundles.pftrace
run query -q merges/bundles.pftrace "$slices" --format csv
expect "compressed packets" 0 'out~1000000 50000 step' 'out~1300000 50000 step'

run merge merges/a.pftrace merges/b.pftrace -o merges/later.pftrace --offset b.pftrace=2ms --offset merges/b.pftrace=-300us
run query -q merges/later.pftrace "$slices" --format csv
expect "offsets add up" 0 'out~1000000 50000 step' 'out~3000000 50000 step'
run merge merges/a.pftrace merges/b.pftrace -o merges/both.pftrace --offset a.pftrace=1000 --offset b.pftrace=1us
run query -q merges/both.pftrace "$slices" --format csv
expect "the first input can be moved, too" 0 'out~1001000 50000 step' 'out~1301000 50000 step'
run merge merges/a.pftrace merges/b.json -o merges/aligned.pftrace --align 'st?p'
run query -q merges/aligned.pftrace "$slices" --format csv
expect "--align" 0 'out~1000000 50000 step' 'out!1300000'
run merge --json merges/a.pftrace merges/b.json -o merges/json.pftrace --align step
claim "--json is JSON" is_json "$OUT"
expect "--json says what was done" 0 'out~"offset_ns": -300000' 'out~"inputs_converted": 1' 'out~"pids_renumbered": 2' err=

# The same file twice, and files of one name: what they bring can be told apart.
run merge merges/a.pftrace merges/a.pftrace -o merges/twice.pftrace
run query -q merges/twice.pftrace "SELECT process.name AS row FROM process UNION ALL SELECT name FROM metadata" --format csv
expect "a file that is given twice" 0 'out~^"worker \(merges/a.pftrace\)"' 'out~^"worker \(merges/a.pftrace #2\)"' \
    'out~clock.merges/a.pftrace.offset_ns' 'out~clock.merges/a.pftrace #2.offset_ns'

run merge merges/a.pftrace merges/a.pftrace -o merges/twice.pftrace --offset 'merges/a.pftrace #2=7us' --offset merges/a.pftrace=1us
run query -q merges/twice.pftrace "$slices" --format csv
expect "the second one is moved by its number" 0 'out~1001000 50000 step' 'out~1007000 50000 step'

# A list of inputs: names and offsets, which count from the file that one is synchronised to.
manifest() { # manifest REST: of the object
    echo "{\"perfetto_manifest\": {\"version\": 1, $1}}" >merges/list.json
}
sync() { # sync FILE OFFSET
    echo "\"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": {\"file\": \"$1\", \"clock\": \"BOOTTIME\"}, \"offset_ns\": $2}"
}
a='{"path": "a.pftrace", "machine": {"name": "left"}}'
third="{\"path\": \"two/b.pftrace.gz\", $(sync b.pftrace -100000)}"
manifest "\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"a.pftrace\"}, \"attributes\": {\"run\": 4}, \"files\": [$third, {\"path\": \"b.pftrace\", \"machine\": {\"name\": \"right\"}, $(sync a.pftrace 5000)}, $a]"
run merge --manifest merges/list.json -o merges/listed.pftrace
expect "--manifest" 0 out= err=
named="SELECT ts || ' ' || process.name AS row FROM slice JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) JOIN process USING (upid)"
run query -q merges/listed.pftrace "$named" --format csv
expect "inputs of a manifest: paths from its folder, sums of offsets, names" 0 'out~"1000000 worker \(left\)"' \
    'out~"1305000 worker \(right\)"' 'out~"1205000 worker \(merges/two/b.pftrace.gz\)"'
manifest "\"files\": [{\"path\": \"b.pftrace\", $(sync a.pftrace 5000)}, $a]"
run merge --manifest merges/list.json merges/a.pftrace merges/b.pftrace --offset b.pftrace=-1us -o merges/listed.pftrace
run query -q merges/listed.pftrace "$named" --format csv
expect "inputs of the command line, which a manifest is about" 0 'out~"1000000 worker \(left\)"' 'out~"1304000 worker \(b\)"'

# Collectives: rank 1 is 1 ms ahead, which two collectives bound to 15 us.
rank() { # rank CLOCK START START
    echo '{"schemaVersion": 1, "traceEvents": ['
    local args='"args": {"device": 0, "stream": 8, "Collective name": "allreduce", "Process Group Name": "0"}'
    echo "{\"name\": \"nccl\", \"ph\": \"X\", \"cat\": \"kernel\", \"pid\": 0, \"tid\": 8, \"ts\": $(($1 + $2)), \"dur\": $((30 - $2)), $args},"
    echo "{\"name\": \"nccl\", \"ph\": \"X\", \"cat\": \"kernel\", \"pid\": 0, \"tid\": 8, \"ts\": $(($1 + $3)), \"dur\": $((60 - $3)), $args}]}"
}
rank 5000 10 50 >merges/rank0.json
rank 6000 14 45 >merges/rank1.json
rank 5003 14 45 >merges/near.json
run merge merges/rank0.json merges/rank1.json -o merges/ranks.pftrace --align-collectives
expect "--align-collectives" 0 out= 'err~^postfetto: merges/rank1.json: its clock is 1000000 ns ahead .* to within 15017 ns$'
run query -q merges/ranks.pftrace "SELECT ts + dur AS e, count(*) AS n FROM slice GROUP BY 1" --format csv
expect "collectives end together" 0 'out~^5030000,2$' 'out~^5060000,2$'
run query -q merges/ranks.pftrace "SELECT name || ' ' || int_value AS row FROM metadata" --format csv
expect "metadata has the clocks" 0 'out~postfetto.clock.rank1.offset_ns -1000000' 'out~postfetto.clock.rank1.drift_ppb 0' \
    'out~postfetto.clock.rank1.uncertainty_ns 15017'
sed '$!d' merges/rank1.json | sed '1i {"schemaVersion": 1, "traceEvents": [' >merges/late.json
# A third collective for which the clock of rank 1 was set back by 3 ms, past what the line allows.
more() { # more RANK CLOCK
    sed 's/]}$/,/' "merges/$1.json"
    echo "{\"name\": \"nccl\", \"ph\": \"X\", \"cat\": \"kernel\", \"pid\": 0, \"tid\": 8, \"ts\": $2, \"dur\": 20, \"args\": {\"device\": 0, \"stream\": 8, \"Collective name\": \"allreduce\", \"Process Group Name\": \"0\"}}]}"
}
more rank0 5080 >merges/set0.json
more rank1 3080 >merges/set1.json
before=$(listing)
run merge merges/rank0.json merges/near.json -o merges/near.pftrace --align-collectives
expect "an alignment that makes nothing better" 1 out= 'err~near.json: not aligned: .* 3000 ns apart .* 15017 ns' \
    'err~nothing was written' "same=$before"
run merge merges/rank0.json merges/a.json -o merges/near.pftrace --align-collectives
expect "no collectives" 1 out= 'err~a.json: not aligned' "same=$before"
run merge merges/a.json merges/rank0.json merges/rank1.json -o merges/near.pftrace --align-collectives
expect "the first input has no collectives" 1 out= 'err~a.json: not aligned' 'err!ahead' "same=$before"
run merge merges/rank0.json merges/late.json -o merges/near.pftrace --align-collectives
expect "a rank that recorded fewer collectives" 1 out= 'err~late.json: not aligned: no .* as many here as there' "same=$before"
run merge merges/set0.json merges/set1.json -o merges/near.pftrace --align-collectives
expect "a clock that was set is not as sure" 1 out= 'err~set1.json: not aligned: .* to within [0-9]{7} ns only' "same=$before"
run merge merges/a.json merges/b.json -o merges/near.pftrace --align nothing
expect "no such slice" 1 out= "err~no slice is called 'nothing'" "same=$before"

# A legacy flow of three slices, in parts: one begins at its step, the last one has no beginning for its end.
printf '\x0a\x0dP\x01\xe2\x03\x08\x08\x01\x22\x04\x08\x01\x10\x01\x0a\x0dP\x01\xe2\x03\x08\x08\x02\x22\x04\x08\x02\x10\x02\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10X\x18\x01X\x01\xba\x01\x01\x61\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10s\x30\x05X\x01\xba\x01\x01\x66\x0a\x13@\xd0\x0fP\x01Z\x0c\x32\x04\x10X\x18\x01X\x02\xba\x01\x01\x62\x0a\x13@\xd0\x0fP\x01Z\x0c\x32\x04\x10t\x30\x05X\x02\xba\x01\x01\x66\x0a\x13@\x88\x27P\x01Z\x0c\x32\x04\x10\x66\x30\x05X\x01\xba\x01\x01\x66\x0a\x13@\xfc\x2aP\x01Z\x0c\x32\x04\x10X\x18\x01X\x01\xba\x01\x01\x63' >merges/flow.pftrace
run cut merges/flow.pftrace -o merges/flow1.pftrace --to 1500ns
run cut merges/flow.pftrace -o merges/flow2.pftrace --from 1500ns --to 4500ns
run cut merges/flow.pftrace -o merges/flow3.pftrace --from 4500ns
run merge merges/flow1.pftrace merges/flow2.pftrace merges/flow3.pftrace -o merges/flows.pftrace
arrows="SELECT o.name || i.name AS row FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in"
run query -q merges/flows.pftrace "$arrows" --format csv
expect "legacy flows of parts" 0 'out~^"ab"$' 'out~^"bc"$' err=
run query -q merges/flow3.pftrace "$arrows" --format csv
expect "an end without a beginning" 0 'out="row"' err=

# A render stage in two parts; the specifications of both are of time 0.
printf '\x0a\x1a@\x00\xaa\x03\x15\x08\x00:\x11\x1a\x06\x0a\x04\x64r\x61w\x12\x07\x0a\x05qu\x65u\x65\x0a\x10@\x64\xaa\x03\x0b\x08\x07\x10\xe8\x07\x18\x00\x20\x00\x28\x2a' >merges/stage.pftrace
run cut merges/stage.pftrace -o merges/stage1.pftrace --to 500ns
run cut merges/stage.pftrace -o merges/stage2.pftrace --from 500ns
run merge merges/stage1.pftrace merges/stage2.pftrace -o merges/stages.pftrace
run query -q merges/stages.pftrace "SELECT ts || ' ' || dur AS row FROM slice WHERE ts > 0" --format csv
expect "a render stage of parts" 0 'out="row"
"100 1000"' err=

# Tracks without a name are called after their first event, one of them by no descriptor at all: two inputs are two.
printf '\x0a\x0eP\x01h\x01b\x08\x12\x06\x08\x01\x12\x02go\x0a\x07P\x01\xe2\x03\x02\x08\x02\x0a\x0c@dP\x01Z\x06H\x03X\x02P\x01\x0a\x0f@dP\x01Z\x09H\x03X\x03\xba\x01\x02go' >merges/nameless1.pftrace
cp merges/nameless1.pftrace merges/nameless2.pftrace
run merge merges/nameless1.pftrace merges/nameless2.pftrace -o merges/nameless.pftrace
run query -q merges/nameless.pftrace "SELECT track.name AS track, count(*) AS n, count(DISTINCT depth) AS deep FROM slice JOIN track ON track.id = track_id GROUP BY 1" --format csv
expect "tracks without a name" 0 'out~^"go \(nameless1\)",2,2$' 'out~^"go \(nameless2\)",2,2$'

# Events that say no track: of the second input they get one of its own, and stay what they were.
printf '\x0a\x0d\x40\xe8\x07\x50\x01\x5a\x06\x48\x03\xba\x01\x01\x78' >merges/bare1.pftrace
cp merges/bare1.pftrace merges/bare2.pftrace
run merge merges/bare1.pftrace merges/bare2.pftrace -o merges/bare.pftrace
run query -q merges/bare.pftrace "SELECT ts || ' ' || slice.name || ' ' || track.name AS row FROM slice JOIN track ON track.id = track_id" --format csv
expect "events on the default track" 0 'out~"1000 x Default Track"' 'out~"1000 x Default Track \(bare2\)"'
printf '\x0a\x0aP\x01\xe2\x03\x05\x08\x00\x92\x01\x00' >merges/described.pftrace
run merge merges/described.pftrace merges/bare2.pftrace -o merges/bare.pftrace
run query -q merges/bare.pftrace "SELECT slice.name || ' ' || track.name AS row FROM slice JOIN track ON track.id = track_id" --format csv
expect "an input that describes the default track" 0 'out~"x Default Track \(bare2\)"'

# CPUs: a switch of each of two machines.
printf '\x0a\x15\x0a\x13\x08\x00\x12\x0f\x08\xe8\x07\x10\x05\x22\x08\x10\x05\x30\x06\x0a\x02\x61\x62' >merges/cpu1.pftrace
cp merges/cpu1.pftrace merges/cpu2.pftrace
run merge merges/cpu1.pftrace merges/cpu2.pftrace -o merges/cpus.pftrace
expect "two inputs with CPUs" 0 out= 'err~2 inputs say what CPUs did, .*--machines'
run merge merges/cpu1.pftrace merges/cpu2.pftrace -o merges/machines.pftrace --machines
expect "--machines" 0 out= err=
run query -q merges/machines.pftrace 'SELECT count(*) AS machines, max(raw_id) > 0 AS named FROM machine'
expect "it names two machines" 0 'out~^2,1$'
# A process of number 0, as traces of GPUs have it, is not the idle process of a system's trace before it.
printf '{"traceEvents": [{"ph": "X", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1}]}' >merges/gpu.json
for more in "" --merge-pids; do
    run merge "$FIX/system/sched_plain.pftrace" merges/gpu.json $more -q -o merges/both.pftrace
    run query -q merges/both.pftrace "SELECT pid, tid FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid)
        JOIN process USING (upid)" "SELECT count(*) AS idle FROM thread_state WHERE utid = 0"
    expect "pid 0 next to the idle process $more" 0 'out="pid","tid"
10000000,7

"idle"
0'
done
before=$(listing)

# Refusals
run merge -o merges/x.pftrace
expect "no input" 2 out= 'err~no input is named' "same=$before"
run merge merges/a.pftrace
expect "no output" 2 out= 'err~-o OUT is missing' "same=$before"
run merge merges/a.pftrace -o merges/x.json
expect "an output in another format" 2 out= 'err~end it in .pftrace' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/b.pftrace
expect "the output is an input" 6 out= 'err~input' "same=$before"
run merge merges/a.pftrace merges/missing.pftrace -o merges/x.pftrace
expect "an input that is missing" 3 out= 'err~missing.pftrace' "same=$before"
run merge merges/a.pftrace tiny.txt -o merges/x.pftrace
expect "an input that is no trace" 3 out= 'err~tiny.txt' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --offset c=5
expect "an offset of no input" 2 out= "err~one input must be called 'c'" "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --offset b.pftrace=soon
expect "an offset that is no time" 2 out= 'err~soon' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --offset b.pftrace=99999999999s
expect "an offset that no clock has" 2 out= 'err~99999999999s: write a number of ns, or one with its unit' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --offset b.pftrace
expect "an offset without a time" 2 out= "err~has no '='; write --offset FILE=NS" "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --aling step
expect "an option that nobody knows" 2 out= "err~did you mean '--align'" "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --align
expect "an option without its value" 2 out= 'err~--align needs a value' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace.gz --compress
expect "compressed twice" 2 out= 'err~--compress is for a plain .pftrace' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/no/x.pftrace
expect "no folder for the output" 6 out= 'err~create the folder first' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --offset b.pftrace=-1s
expect "before time 0" 2 out= 'err~b.pftrace: would begin .* before time 0' "same=$before"
run merge merges/a.pftrace merges/b.pftrace -o merges/x.pftrace --align step --align-collectives
expect "two alignments" 2 out= 'err~leave out one of them' "same=$before"
run merge merges/a.pftrace - -o merges/x.pftrace --align step </dev/null
expect "a stream cannot be aligned" 2 out= 'err~read once only' "same=$before"
run merge merges/list.json -o merges/x.pftrace --manifest
expect "a manifest that is not named" 2 out= 'err~--manifest' "same=$before"
run merge --manifest merges/none.json -o merges/x.pftrace
expect "a manifest that is not there" 3 out= 'err~merges/none.json' "same=$before"
run merge --manifest merges/a.pftrace -o merges/x.pftrace
expect "a manifest that is not JSON" 3 out= 'err~merges/a.pftrace: ' "same=$before"
run merge --manifest merges/a.json -o merges/x.pftrace
expect "a manifest of another form" 2 out= 'err~merges/a.json: line 1: is not a manifest; write ' "same=$before"
run merge --manifest merges/list.json merges/b.pftrace -o merges/x.pftrace
expect "an input of the manifest alone" 2 out= 'err~list.json: line 1: one input of the command line' "same=$before"
run merge --manifest merges/list.json -o merges/list.json
expect "the output is the manifest" 2 out= 'err~end it in .pftrace' "same=$before"
refused_manifest() { # refused_manifest NAME PATTERN REST
    manifest "$3"
    before=$(listing)
    run merge --manifest merges/list.json -o merges/x.pftrace
    expect "$1" 2 out= "err~list.json: line 1: .*$2" "same=$before"
}
refused_manifest "a manifest without files" '"files" has to list' '"files": []'
refused_manifest "a file without a path" 'needs its "path"' '"files": [{"machine": {"name": "left"}}]'
refused_manifest "another clock" 'offsets of BOOTTIME' "\"files\": [$a, {\"path\": \"b.pftrace\", \"clocks\": {\"clock\": \"REALTIME\", \"sync_to\": {\"file\": \"a.pftrace\"}}}]"
refused_manifest "a file that nobody knows" '"sync_to" has to name' "\"files\": [$a, {\"path\": \"b.pftrace\", $(sync c.pftrace 5)}]"
refused_manifest "files that wait for each other" 'comes back to this file' "\"files\": [{\"path\": \"a.pftrace\", $(sync b.pftrace 1)}, {\"path\": \"b.pftrace\", $(sync a.pftrace 1)}]"
refused_manifest "an offset that is no number" '"offset_ns" has to be' "\"files\": [$a, {\"path\": \"b.pftrace\", $(sync a.pftrace '"soon"')}]"
refused_manifest "an offset out of range" '"offset_ns" has to be' "\"files\": [$a, {\"path\": \"b.pftrace\", $(sync a.pftrace 9223372036854775808)}]"
refused_manifest "the time of a file that is moved" '"trace_time" can be only' "\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"b.pftrace\"}, \"files\": [$a, {\"path\": \"b.pftrace\", $(sync a.pftrace 5)}]"
head -c 331 merges/b.pftrace >merges/two/b.pftrace
run merge merges/a.pftrace merges/two/b.pftrace -o merges/cut_short.pftrace
expect "a truncated input" 0 out= 'err~two/b.pftrace: .*warning: '
run merge --strict merges/a.pftrace merges/two/b.pftrace -o merges/x.pftrace
expect "a truncated input with --strict" 4 out= 'err~two/b.pftrace'

# Parts of one trace become the whole again.
cat >merges/whole.json <<'END'
[{"name": "outer", "ph": "B", "ts": 10, "pid": 7, "tid": 9, "args": {"k": "v"}},
 {"name": "load", "ph": "C", "ts": 12, "pid": 7, "args": {"v": 5}},
 {"name": "inside", "ph": "X", "ts": 20, "dur": 20, "pid": 7, "tid": 9},
 {"ph": "E", "ts": 60, "pid": 7, "tid": 9},
 {"name": "open", "ph": "B", "ts": 70, "pid": 7, "tid": 9},
 {"name": "later", "ph": "i", "s": "t", "ts": 90, "pid": 7, "tid": 9},
 {"name": "last", "ph": "X", "ts": 95, "dur": 30, "pid": 7, "tid": 8}]
END
run convert -q merges/whole.json -o merges/whole.pftrace
all="SELECT ts || ' ' || dur || ' ' || name || ' ' || depth || ' ' || coalesce(extract_arg(arg_set_id, 'debug.k'), '') || ' ' || (SELECT count(*) FROM args WHERE args.arg_set_id = slice.arg_set_id) AS row FROM slice UNION ALL SELECT ts || ' ' || value FROM counter"
run query -q merges/whole.pftrace "$all" --format csv
cp "$OUT" merges/whole.csv
run cut -q merges/whole.pftrace -o merges/p0.pftrace --to 30us
run cut -q merges/whole.pftrace -o merges/p1.pftrace --from 30us --to 75us
run cut -q merges/whole.pftrace -o merges/p2.pftrace --from 75us
run merge merges/p0.pftrace merges/p1.pftrace merges/p2.pftrace -o merges/joined.pftrace
run query -q merges/joined.pftrace "$all" --format csv
claim "slices and counters are joined" cmp "$OUT" merges/whole.csv
run query -q merges/joined.pftrace "SELECT pid || ' ' || tid AS row FROM thread JOIN process USING (upid) WHERE tid IN (9, 10000009)" --format csv
expect "processes of parts are one" 0 'out~"7 9"' 'out!10000009'
run split -q merges/whole.pftrace -o merges/parts --parts 4
run merge merges/parts/*.pftrace -o merges/split.pftrace
run query -q merges/split.pftrace "$all" --format csv
claim "what split wrote is the whole again" cmp "$OUT" merges/whole.csv
run merge merges/p0.pftrace merges/p2.pftrace -o merges/gap.pftrace
run query -q merges/gap.pftrace "SELECT name || ' ' || ts || ' ' || dur AS row FROM slice" --format csv
expect "where a part is missing, slices stay cut" 0 'out~outer 10000 20000' 'out~open 75000 -1'
run merge merges/p1.pftrace merges/b.pftrace -o merges/other.pftrace
run query -q merges/other.pftrace "SELECT name || ' ' || ts || ' ' || dur AS row FROM slice" --format csv
expect "a part and another trace are not joined" 0 'out~outer 30000 30000' 'out~step 1300000 50000'
