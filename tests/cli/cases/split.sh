# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# split: parts and their index, against cuts of the same windows; refusals.
mkdir splits
cat >splits/whole.json <<'END'
[{"ph":"M","name":"process_name","pid":1,"args":{"name":"one"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{"ph":"B","name":"step","pid":1,"tid":2,"ts":10},
{"ph":"X","name":"x","pid":7,"tid":7,"ts":12,"dur":30},
{"ph":"E","pid":1,"tid":2,"ts":20},
{"ph":"B","name":"step","pid":1,"tid":2,"ts":25},
{"ph":"B","name":"step","pid":1,"tid":2,"ts":26},
{"ph":"E","pid":1,"tid":2,"ts":34},
{"ph":"E","pid":1,"tid":2,"ts":45},
{"ph":"i","name":"mark","pid":1,"tid":2,"ts":50}]
END
run convert -q splits/whole.json -o splits/whole.pftrace

# are_cuts DIR IN ENDING: every part that the index names is the cut of its window, and there is nothing else
are_cuts() {
    python3 - "$PF" "$@" <<'END'
import filecmp, json, os, subprocess, sys
command, folder, source, ending = sys.argv[1:]
index = json.load(open(f"{folder}/index.json"))
files = [part["file"] for part in index["parts"]]
wrong = index["schema_version"] != 1 or sorted(files) != files or sorted(files + ["index.json"]) != sorted(os.listdir(folder))
for part in index["parts"]:
    subprocess.run([command, "cut", "-q", source, "-o", f"one.{ending}", "--from", f"{part['start_ns']}ns", "--to",
                    f"{part['end_ns']}ns"], check=True)
    wrong |= not part["file"].endswith("." + ending) or not filecmp.cmp(f"{folder}/{part['file']}", f"one.{ending}", False)
sys.exit(wrong)
END
}

# index DIR: its windows in one line
index() {
    python3 -c 'import json, sys; print(*["%d-%d" % (p["start_ns"], p["end_ns"]) for p in json.load(open(sys.argv[1]))["parts"]])' "$1/index.json"
}

for form in json pftrace; do
    run split splits/whole.$form -o splits/every.$form --every 15us
    expect "parts of one length of $form" 0 out= err=
    claim "the windows of $form" test "$(index splits/every.$form)" = "10000-25000 25000-40000 40000-50001"
    claim "they are cuts of $form" are_cuts splits/every.$form splits/whole.$form $form
    run split splits/whole.$form -o splits/parts.$form --parts 70 --json
    expect "many parts of $form" 0 'out~"parts": 70' err=
    claim "many are cuts of $form" are_cuts splits/parts.$form splits/whole.$form $form
    run split splits/whole.$form step -o splits/slices.$form --by slice
    expect "a part for each slice of $form" 0 out= err=
    claim "slices may overlap in $form" test "$(index splits/slices.$form)" = "10000-20000 25000-45000 26000-34000"
    claim "slices are cuts of $form" are_cuts splits/slices.$form splits/whole.$form $form
done
run split splits/whole.json -o splits/processes --by process
expect "a part for each process" 0 out= err=
claim "named in the index" grep -q '"file": "part-0001.json", "start_ns": 10000, "end_ns": 50001, "name": "one"' splits/processes/index.json
claim "with its threads alone" test "$(grep -c '"pid":1' splits/processes/part-0001.json) $(grep -c '"pid":7' splits/processes/part-0001.json)" = "9 0"
claim "and the other" test "$(grep -c '"pid":7' splits/processes/part-0002.json)" = 1
run split splits/whole.pftrace -o splits/process_packets --by process
expect "a part for each process of packets" 0 out= err=
claim "their times are those of the trace" grep -q '"file": "part-0002.pftrace", "start_ns": 10000, "end_ns": 50001' splits/process_packets/index.json
for i in 1 2; do
    run query -q splits/process_packets/part-000$i.pftrace "SELECT group_concat(name, ' ') || ' ' || pid FROM (SELECT slice.name, pid
        FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid) JOIN process USING (upid) ORDER BY ts)" --format csv
    if [ "$(tail -1 "$OUT")" = '"x 7"' ]; then
        second=$((${second-0} + 1))
    else
        claim "the slices of the first process" test "$(tail -1 "$OUT")" = '"step step step mark 1"'
    fi
done
claim "one part has the other process" test "${second-0}" = 1
run split splits/whole.json -o splits/packed --parts 2 --gzip
claim "compressed parts" cmp <(gzip -dc splits/packed/part-0001.json.gz) <("$PF" cut splits/whole.json -o - --from 10us --to 30001ns)
"$PF" split - -o splits/piped --parts 70 <splits/whole.json 2>"$ERR"
rc=$?
expect "a pipe" 0 err=
claim "a pipe gives the same" diff -r splits/piped splits/parts.json
run split "$FIX/aie_small.json" -o splits/steps --by step --pass aie $SHAPE
expect "a part for each step" 0
claim "steps have names" grep -q '"name": "iteration 2"' splits/steps/index.json

run split splits/whole.json -o splits/none
expect "no kind of parts" 2 'err~--every TIME, --parts N'
run split splits/whole.json -o splits/none --parts 2 --every 1s
expect "two kinds of parts" 2 'err~say one of'
run split splits/whole.json --parts 2
expect "no folder" 2 'err~-o DIR is missing'
run split splits/whole.json -o splits/none --by step
expect "no pass" 2 'err~--pass NAME is missing'
run split splits/whole.json -o splits/none --by slice
expect "no name" 2 'err~the name of the slices is missing'
run split splits/whole.json nobody -o splits/none --by slice
expect "no such slice" 2 "err~no slice that ends is called 'nobody'"
run split splits/whole.json -o splits/none --every 0ns
expect "no length" 2 'err~say one of'
refused() { # refused CODE PATTERN WORDS...
    run split splits/whole.json "${@:3}" </dev/null
    expect "refused: ${*:3}" "$1" out= "err~^postfetto: .*$2"
}
refused 2 '--parts takes an integer from 1 to 100000' -o splits/none --parts 0
refused 2 '--parts takes an integer from 1 to 100000' -o splits/none --parts 1000000
refused 2 '--every takes a time with its unit' -o splits/none --every 5
refused 2 '--by takes one of step.process.slice' -o splits/none --by steps
refused 2 "did you mean '--every'" -o splits/none --evry 5us
refused 2 "'-o -': parts are files; name a folder" -o - --parts 2
refused 2 '--pass is for --by step' -o splits/none --parts 2 --pass gpu
refused 2 'the pass gpu finds no steps in splits/whole.json' -o splits/none --by step --pass gpu
refused 2 'takes one input' splits/whole.json -o splits/none --parts 2
refused 2 'make a key with' -o splits/none --parts 2 --redact names --redact-key splits/no_key
refused 6 'cannot be created: Not a directory' -o splits/whole.json --parts 2
mkdir splits/own
cp splits/whole.json splits/own/part-0001.json
run split splits/own/part-0001.json -o splits/own --parts 2
expect "a part is the input" 6 'err~the output is the input file'
claim "which stays" cmp splits/whole.json splits/own/part-0001.json
claim "refusals make no folder" test ! -e splits/none
# What the kernel recorded: the last part ends after its last event, also where no packet says a time.
run split "$FIX/system/sched_plain.pftrace" -o system --parts 2 -q
claim "events of bundles have times" grep -q '"start_ns": 251, "end_ns": 401' system/index.json
run merge system/part-0001.pftrace system/part-0002.pftrace -q -o system.pftrace
run query -q system.pftrace "SELECT ts, dur, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts"
expect "the last event is there, and runs that the edge parted are whole" 0 'out="ts","dur","tid","end_state"
100,100,11,"S"
200,100,12,"R"
300,100,11,"D"
400,-1,0,'
run split "$FIX/system/sched_compact.pftrace" -o system --parts 3 -q
run merge system/part-0001.pftrace system/part-0002.pftrace system/part-0003.pftrace -q -o system.pftrace
rows="SELECT ts, dur, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts"
run query -q "$FIX/system/sched_compact.pftrace" "$rows"
cp "$OUT" whole
run query -q system.pftrace "$rows"
claim "so are those of compact_sched" diff "$OUT" whole
rm -r system system.pftrace whole

# The beginning of a long input (10 MB) says where parts of one length are, unless an earlier time comes, or a much later one.
python3 - <<'END'
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def field(n, content):
    return number(n << 3 | 2) + number(len(content)) + content
def instant(time): # of track 7, with a long name
    return field(1, b"@" + number(time) + b"P\x01" + field(11, b"\x48\x03\x58\x07" + field(23, b"x" * 60000)))
steady = list(range(1000, 161000, 1000))
for name, times in ("steady", steady), ("early", steady + [7]), ("late", steady[:130] + list(range(200000, 500000, 10000))):
    open(f"splits/{name}.pftrace", "wb").write(b"".join(map(instant, times)))
END
long() { # long NAME LENGTH WINDOWS: parts of one length
    run split splits/$1.pftrace -o splits/$1 --every $2 --json
    expect "$1" 0 "out~\"output_bytes\": $(cat splits/$1/part* | wc -c)," err=
    claim "windows of $1" test "$(index splits/$1)" = "$3"
    claim "they are cuts of $1" are_cuts splits/$1 splits/$1.pftrace pftrace
}
long steady 30us "1000-31000 31000-61000 61000-91000 91000-121000 121000-151000 151000-160001"
long early 70us "7-70007 70007-140007 140007-160001"
long late 70us "1000-71000 71000-141000 141000-211000 211000-281000 281000-351000 351000-421000 421000-490001"
from_start() { # from_start NAME NS: a window that counts from the start
    run cut splits/$1.pftrace -o splits/from.pftrace --from +10us --to +20us --json
    expect "a window from the start of $1" 0 "out~\"from_ns\": $2," err=
    run cut splits/$1.pftrace -o splits/same.pftrace --from ${2}ns --to $(($2 + 10000))ns
    claim "it is that window of $1" cmp splits/from.pftrace splits/same.pftrace
}
from_start steady 11000
from_start early 10007
rm splits/{steady,early,late,from,same}.pftrace

run split --help
expect "help names no default that could not be written" 0 "out~--parts N" "out!default: 0"
