# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# cut: windows, what is kept and added, a cut of a cut, outputs, refusals.
mkdir cuts
cat >cuts/spans.json <<'END'
[{"name": "outer", "ph": "B", "ts": 10, "pid": 7, "tid": 9, "args": {"k": "v"}},
 {"name": "early", "ph": "X", "ts": 11, "dur": 2, "pid": 7, "tid": 9},
 {"name": "load", "ph": "C", "ts": 12, "pid": 7, "args": {"v": 5}},
 {"name": "inside", "ph": "B", "ts": 20, "pid": 7, "tid": 9},
 {"ph": "E", "ts": 22, "pid": 7, "tid": 9},
 {"ph": "E", "ts": 40, "pid": 7, "tid": 9},
 {"name": "late", "ph": "B", "ts": 50, "pid": 7, "tid": 9},
 {"ph": "E", "ts": 51, "pid": 7, "tid": 9},
 {"name": "thread_name", "ph": "M", "pid": 7, "tid": 9, "args": {"name": "worker"}}]
END
run convert -q cuts/spans.json -o cuts/spans.pftrace
slices="SELECT name || ' ' || ts || ' ' || dur FROM slice ORDER BY ts, name"

run cut cuts/spans.pftrace -o cuts/a.pftrace --from 15us --to 30us
expect "a window" 0 out= err=
run query -q cuts/a.pftrace "$slices" --format csv
expect "slices are clipped" 0 'out~outer 15000 15000' 'out~inside 20000 2000' 'out!early' 'out!late'
run query -q cuts/a.pftrace "SELECT key || '=' || display_value FROM args JOIN slice USING (arg_set_id) WHERE name = 'outer'" --format csv
expect "edges are marked" 0 'out~debug.cut.begins_before=true' 'out~debug.cut.original_ts=10000' 'out~debug.k=v' \
    'out~debug.cut.ends_after=true' 'out~debug.cut.original_end=40000'
run query -q cuts/a.pftrace "SELECT ts || ' ' || value FROM counter" --format csv
expect "a counter begins with its last value" 0 'out~15000 5'
run query -q cuts/a.pftrace "SELECT thread.name FROM thread JOIN thread_track USING (utid) JOIN slice ON track_id = thread_track.id" --format csv
expect "threads keep their names" 0 'out!NULL'

run cut cuts/a.pftrace -o cuts/b.pftrace --from 15us --to 30us
expect "a cut of a cut" 0 out= err=
claim "a cut of a cut is the cut" cmp cuts/a.pftrace cuts/b.pftrace
run cut cuts/spans.pftrace -o cuts/c.pftrace --from +5us --to -21us
claim "times from start and end" cmp cuts/a.pftrace cuts/c.pftrace
gzip -c cuts/spans.pftrace >cuts/spans.pftrace.gz
run cut cuts/spans.pftrace.gz -o cuts/d.pftrace --from 15us --to 30us
claim "a compressed input" cmp cuts/a.pftrace cuts/d.pftrace
run cut cuts/spans.pftrace -o cuts/e.pftrace.gz --from 15us --to 30us
claim "a compressed output" cmp <(gzip -dc cuts/e.pftrace.gz) cuts/a.pftrace
"$PF" cut - -o - --from +5us --to -21us <cuts/spans.pftrace >cuts/f.pftrace 2>"$ERR"
rc=$?
expect "pipes" 0 err=
claim "pipes give the same" cmp cuts/a.pftrace cuts/f.pftrace
run convert -q cuts/spans.json --compress -o cuts/packed.pftrace
run cut cuts/packed.pftrace -o cuts/g.pftrace --from 15us --to 30us
run query -q cuts/g.pftrace "$slices" --format csv
expect "compressed packets" 0 'out~outer 15000 15000' 'out~inside 20000 2000' 'out!late'
run cut cuts/spans.pftrace -o cuts/h.pftrace --from 15us --json
expect "a summary" 0 'out~"from_ns": 15000' 'out~"slices_begun": 1' 'out!to_ns'
claim "the summary is JSON" is_json "$OUT"

cat >cuts/two.json <<'END'
[{"name": "a", "cat": "x,y", "ph": "B", "ts": 10, "pid": 7, "tid": 9}, {"ph": "E", "ts": 40, "pid": 7, "tid": 9},
 {"name": "b", "cat": "z", "ph": "B", "ts": 11, "pid": 7, "tid": 10}, {"ph": "E", "ts": 12, "pid": 7, "tid": 10},
 {"name": "c", "cat": "z", "ph": "B", "ts": 11, "pid": 8, "tid": 11}, {"ph": "E", "ts": 31, "pid": 8, "tid": 11},
 {"name": "process_name", "ph": "M", "pid": 8, "tid": 11, "args": {"name": "other"}},
 {"name": "thread_name", "ph": "M", "pid": 7, "tid": 10, "args": {"name": "worker 1"}}]
END
run convert -q cuts/two.json -o cuts/two.pftrace
kept() { # kept NAMES OPTION...
    local names=$1
    shift
    run cut cuts/two.pftrace -o cuts/kept.pftrace "$@"
    run query -q cuts/kept.pftrace "SELECT group_concat(name, '') AS n FROM (SELECT name FROM slice ORDER BY name)" --format csv
    expect "selected by $*" 0 "out~^\"$names\"$"
}
kept c --process other
kept ab --process 7
kept ab --drop-process 'oth*'
kept b --thread 'worker*'
kept ac --drop-thread 10
kept b --track 'worker ?'
kept a --category y
kept bc --drop-category '[xy]'
kept ac --min-dur 20us
kept a --process 7 --min-dur 5us --from 20us

run cut cuts/spans.pftrace -o cuts/s.pftrace --slice inside
run query -q cuts/s.pftrace "$slices" --format csv
expect "the window of a slice" 0 'out~outer 20000 2000' 'out~inside 20000 2000'
run cut cuts/spans.pftrace -o cuts/s.pftrace --slice 'inside#1' --pad 1us
run query -q cuts/s.pftrace "$slices" --format csv
expect "a wider one" 0 'out~outer 19000 4000'
run cut cuts/spans.pftrace -o cuts/x.pftrace --slice 'inside#2'
expect "no such slice" 2 'err~--slice NAME#2: the last one of cuts/spans.pftrace is 1'
run cut cuts/spans.pftrace -o cuts/x.pftrace --slice inside --from 1us
expect "two windows" 2 'err~say the window once'
run cut cuts/spans.pftrace -o cuts/x.pftrace --pad 1us
expect "a pad alone" 2 'err~--pad and --pass are for'
run cut cuts/spans.pftrace -o cuts/x.pftrace --step 1
expect "a step without a pass" 2 'err~--pass NAME is missing'
run cut aie_small.pftrace -o cuts/s.pftrace --iteration 1 --pass aie --M 128 --K 64 --N 64 --m 32 --k 64 --n 32 --row 4 \
    --col 1 --warmup 1 --iterations 4
expect "the window of an iteration" 0
# By hand: iteration 3 is the slowest of those that count, from the first kernel of a core at 120836 to the last one's end at 126465.
for input in aie_small.pftrace aie_small.json; do
    run cut $input -o cuts/slowest.pftrace --slowest-step --pass aie $SHAPE --json
    expect "the slowest iteration of $input" 0 'out~"window": "iteration 3"' 'out~"from_ns": 120836' 'out~"to_ns": 126465'
    run query -q cuts/slowest.pftrace "SELECT min(ts) || ' ' || max(ts + dur) FROM slice" --format csv
    expect "its slices, of $input" 0 'out~120836 126465'
done
run cut aie_small.json -o cuts/x.pftrace --slowest-step --step 1 --pass aie $SHAPE
expect "two steps" 2 'err~say the window once'
run cut aie_small.json -o cuts/x.pftrace --slowest-step
expect "the slowest step without a pass" 2 'err~--pass NAME is missing'
claim "it has slices" test "$("$PF" query -q cuts/s.pftrace "SELECT count(*) > 0 FROM slice" --format csv | tail -1)" = 1

run cut cuts/spans.pftrace
expect "no output" 2 'err~-o OUT is missing'
run cut -o cuts/x.pftrace
expect "no input" 2 'err~no input is named'
run cut cuts/spans.pftrace -o cuts/x.pftrace --from soon
expect "no time" 2 "err~--from: 'soon' is not a time"
run cut cuts/spans.pftrace -o cuts/x.pftrace --from 3us --to 2us
expect "an empty window" 2 'err~is empty'
run cut "$FIX/tinygrad_small.pkl" -o cuts/x.pftrace
expect "another format" 2 'err~only Perfetto traces and Chrome JSON'
head -c 150 cuts/spans.pftrace >cuts/short.pftrace
run cut cuts/short.pftrace -o cuts/x.pftrace --strict
expect "damage with --strict" 4 'err~postfetto_proto_truncated'
claim "refusals leave nothing" test ! -e cuts/x.pftrace

run cut cuts/spans.pftrace -o cuts/none.json --from 15us
expect "a part of packets is no JSON" 2 "err~end it in .pftrace, of which 'postfetto convert' makes Chrome JSON"
run cut cuts/spans.pftrace -o cuts/none.txt --from 15us
expect "an ending that no trace has" 2 "err~a cut is a trace; end it in .pftrace or .json"
claim "neither is written" test ! -e cuts/none.json -a ! -e cuts/none.txt

# Nothing of it is left where a command is refused, and what is there stays as it was.
refused() { # refused CODE PATTERN WORDS...
    local code=$1 pattern=$2 before
    shift 2
    before=$(listing)
    run "$@" </dev/null
    expect "refused: $*" "$code" out= "err~^postfetto: .*$pattern" "same=$before"
}
printf 'some of it' >cuts/x.pftrace
part="cut cuts/spans.pftrace -o cuts/x.pftrace"
refused 2 "unknown option '--form'; did you mean '--from'" $part --form 3us
refused 2 '--to needs a value' $part --to
refused 2 'takes one input' $part cuts/two.pftrace
refused 2 'the window from 5 to 5 ns is empty; --to has to be after --from' $part --from 5 --to 5
refused 2 'is empty; --to has to be after' $part --from +3us --to -60us
refused 2 "--from: '99999999999s' is not a time" $part --from 99999999999s
refused 2 "'' is not a time" $part --from ''
refused 2 "no slice that ends is called 'nope'; 'postfetto info cuts/spans.pftrace' shows names" $part --slice nope
refused 2 "no slice that ends is called ''" $part --slice ''
refused 2 "--step takes an integer from 1 on, not '0'" $part --step 0 --pass gpu
refused 2 'the pass gpu finds no steps in cuts/spans.pftrace' $part --step 1 --pass gpu
refused 2 'the pass that says where steps are, gpu, aie or aiu' $part --step 1
refused 2 "unknown pass 'gpus'" $part --step 1 --pass gpus
refused 2 "--step 9: the last one of aie_small.pftrace is 6" cut aie_small.pftrace -o cuts/x.pftrace --step 9 --pass aie $SHAPE
refused 2 '--pad takes a time with its unit' $part --slice inside --pad 5
refused 2 "--min-dur takes a time with its unit .*, not '-5us'" $part --min-dur -5us
refused 2 "--redact takes some of names.args.paths" $part --redact everything
refused 2 '--redact-key cuts/no_key: No such file .*; make a key with head' $part --redact names --redact-key cuts/no_key
refused 2 'standard input cannot be read twice' cut - -o cuts/x.pftrace --slice inside
refused 3 'cuts/nothing: cannot be opened: No such file' cut cuts/nothing -o cuts/x.pftrace
refused 3 'is a folder' cut cuts -o cuts/x.pftrace
refused 6 'is the input file and was left as it is' cut cuts/spans.pftrace -o ./cuts/../cuts/spans.pftrace
refused 6 'create the folder first' cut cuts/spans.pftrace -o cuts/no/x.pftrace
rm cuts/x.pftrace

# What is empty is written, and said.
for options in '--to 9us' '--process nobody' '--thread 77' '--track nothing'; do
    for input in cuts/spans.pftrace cuts/spans.json; do
        run cut $input -o "cuts/empty.${input#*.}" $options
        expect "nothing is left of $input with $options" 0 out= "err~warning: nothing of $input lies in the window and fits"
    done
done
run cut cuts/spans.pftrace -o cuts/empty.pftrace --from 1s
expect "a window after the end, where a counter still has its value" 0 'err~nothing of cuts/spans.pftrace'
run cut cuts/spans.pftrace -o cuts/one.pftrace --from 30us --to 31us --drop-thread worker
expect "the value of a counter alone is something" 0 err=

# A legacy flow whose events are not in the order of time: its end comes first in the file, its beginning last. And two processes 0.
printf '\x0a\x0dP\x01@\x00\xe2\x03\x06\x08\x08\x1a\x02\x08\x00\x0a\x12P\x01@\x00\xe2\x03\x0b\x08\x09\x1a\x07\x08\x00\x32\x03gpu\x0a\x0dP\x01\xe2\x03\x08\x08\x01\x22\x04\x08\x00\x10\x00\x0a\x0dP\x01\xe2\x03\x08\x08\x02\x22\x04\x08\x07\x10\x07\x0a\x13@\x88\x27P\x01Z\x0c\x32\x04\x10X\x18\x01X\x01\xba\x01\x01\x63\x0a\x15@\x88\x27P\x01Z\x0e\x32\x06\x10\x66\x30\x05\x60\x01X\x01\xba\x01\x01\x66\x0a\x13@\xd0\x0fP\x01Z\x0c\x32\x04\x10X\x18\x01X\x02\xba\x01\x01\x62\x0a\x13@\xd0\x0fP\x01Z\x0c\x32\x04\x10t\x30\x05X\x02\xba\x01\x01\x66\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10X\x18\x01X\x02\xba\x01\x01\x61\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10s\x30\x05X\x02\xba\x01\x01\x66' >order.pftrace
run cut order.pftrace -o order_cut.pftrace --from 50ns --to 9000ns --json
expect "packets that came by" 0 'out~"packets": 10,'
run query -q order_cut.pftrace "SELECT o.name || i.name AS row FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in" --format csv
expect "a flow out of order" 0 'out~^"ab"$' 'out~^"bc"$' err=
run query -q order_cut.pftrace "SELECT process.name AS row FROM process WHERE pid = 0" --format csv
expect "the process of pid 0" 0 'out~gpu'

# Legacy flows of one id and other categories are two: this end has no beginning, so that no reader is to see it.
printf '\x0a\x0dP\x01\xe2\x03\x08\x08\x01\x22\x04\x08\x07\x10\x01\x0a\x0dP\x01\xe2\x03\x08\x08\x02\x22\x04\x08\x07\x10\x02\x0a\x12@\x64P\x01Z\x0c\x32\x04\x10X\x18\x01X\x01\xba\x01\x01\x61\x0a\x16@\x64P\x01Z\x10\x32\x04\x10s\x30\x05X\x01\xba\x01\x01\x66\xb2\x01\x01x\x0a\x17@\xcf\x0fP\x01Z\x10\x32\x04\x10\x66\x30\x05X\x02\xba\x01\x01\x66\xb2\x01\x01y\x0a\x13@\xd0\x0fP\x01Z\x0c\x32\x04\x10X\x18\x01X\x02\xba\x01\x01\x62' >flows.pftrace
run cut flows.pftrace -o flows_cut.pftrace --from 50ns
run info flows_cut.pftrace
expect "an end of another flow" 0 'out!flow_end_without_start'

# What counters of a GPU are is said once, before the window, and is said again with its time.
printf '\x0a\x11@\x64\xa2\x03\x0c\x0a\x0a\x0a\x08\x08\x03\x12\x04lo\x61\x64\x0a\x0c@\xac\x02\xa2\x03\x06\x12\x04\x08\x03\x18\x05\x0a\x0c@\x90\x03\xa2\x03\x06\x12\x04\x08\x03\x18\x06' >gpu_counters.pftrace
run cut gpu_counters.pftrace -o gpu_cut.pftrace --from 200ns
claim "the specification of counters keeps its time" grep -q '@d' gpu_cut.pftrace
