# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# compare A B: rows, verdicts, outputs and bad input, on runs so small that every number is computed by hand. What noise does
# to verdicts is tested by tests/compare/run.
#
# make_run FILE START LARGE COPY: 4 steps every 200 us; in each a kernel of LARGE us and one of 20 us, 40 us around them; on
# another stream a copy of 10 us, called COPY.
make_run() {
    python3 - "$@" <<'END'
import json, sys
path, start, large, copy = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "train"}},
          {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "stream 7"}},
          {"ph": "M", "name": "thread_name", "pid": 1, "tid": 8, "args": {"name": "stream 8"}}]
def add(name, tid, ts, dur, category, **args):
    events.append({"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": start + ts, "dur": dur, "cat": category, "args": args})
for step in range(4):
    at = 200 * step
    add(f"ProfilerStep#{step + 3}", 7, at, large + 60, "user")
    add("gemm", 7, at + 10, large, "kernel", **{"Input Dims": [[16, 64], [64, 8]]})
    add("gemm", 7, at + large + 20, 20, "kernel", **{"Input Dims": [[4, 64]]})
    add(copy, 8, at + 5, 10, "memcpy")
json.dump(events, open(path, "w", encoding="utf-8"))
END
}
make_run base.json 1000 40 copy
make_run new.json 7000000 44 copy
make_run other.json 1000 40 move

rows() { # rows KEY...: of every row of $OUT these members, base.calls or name, between blanks
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    cells = []
    for key in sys.argv[2:]:
        value = row
        for part in key.split("."):
            value = value[part]
        cells.append(f"{value:.6g}" if isinstance(value, float) else str(value))
    print(*cells)' "$OUT" "$@"
}
whole() { # whole KEY: a member of the document in $OUT
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$OUT" "$1"
}

run compare base.json base.json --json -q
expect "A against A" 0 err=
claim "A against A: every row is the same" [ "$(rows verdict | sort -u) $(whole verdict)" = "same same" ]
run compare base.json new.json --json -q
expect "slower ends with 1" 1 err=
claim "numbers of the base" [ "$(rows name base.calls base.total_ns base.self_ns base.mean_ns base.median_ns base.p95_ns base.share_percent)" = \
    "ProfilerStep#* 4 400000 160000 100000 100000 100000 90.9091
gemm 8 240000 240000 30000 30000 40000 54.5455
copy 4 40000 40000 10000 10000 10000 9.09091" ]
claim "numbers of the new run, differences, verdicts" [ "$(rows name new.total_ns new.self_ns new.median_ns delta_ns ratio verdict)" = \
    "ProfilerStep#* 416000 160000 104000 16000 1.04 slower
gemm 256000 256000 32000 16000 1.06667 slower
copy 40000 40000 10000 0 1 same" ]
claim "the document" [ "$(whole schema_version) $(whole verdict) $(whole samples)" = "1 slower iterations" ]
cp "$OUT" again.json
run compare base.json new.json --json -q --jobs 1
claim "one thread says the same" cmp "$OUT" again.json
run compare base.json new.json --tolerance 7 --json -q
claim "a tolerance" [ "$rc $(whole verdict) $(rows verdict | sort -u)" = "0 same same" ]
run compare new.json base.json --json -q
claim "faster ends with 0; of faster and same the worse is same" [ "$rc $(whole verdict)" = "0 same" ]
for gate in device all; do
    run compare new.json base.json --json -q --gate $gate
    claim "faster by --gate $gate" [ "$rc $(whole verdict)" = "0 faster" ]
done

# thresholds over the rows
run compare base.json new.json --tolerance 7 -q --fail-if "SELECT 1 FROM compare_rows WHERE name = 'gemm' AND ratio > 1.06"
expect "--fail-if that is true" 1 "err~--fail-if .* is true"
run compare base.json new.json --tolerance 7 -q --fail-if "SELECT count(*) > 0 FROM compare_rows WHERE ratio > 1.07"
expect "--fail-if that is not" 0 err=

# and over the other tables: the sum of iterations is 3 times 200 us and the last one, 100 or 104 us
for sql in "SELECT count(*) = 1 FROM compare_self WHERE name = 'gemm' AND self_delta_ns = 16000 AND base_self_ns = 240000 AND verdict = 'slower'" \
    "SELECT count(*) = 1 FROM compare_self" \
    "SELECT count(*) = 4 AND sum(base_ns) = 700000 AND sum(new_ns) = 704000 AND max(ratio) = 1.04 AND sum(iteration) = 6 FROM compare_iterations" \
    "SELECT group_concat(what || ' ' || verdict || ' ' || in_gate) =
       'device busy time per step slower yes,period of a step same yes,self time on the host same no,self time of all names slower no' FROM compare_verdicts"; do
    run compare base.json new.json --tolerance 2 -q --fail-if "$sql"
    expect "true: $sql" 1 "err~--fail-if .* is true"
done

# what a row is
run compare base.json new.json --by shape --json -q
claim "rows by shape" [ "$(rows name ratio verdict)" = "ProfilerStep#* 1.04 slower
gemm [[16,64],[64,8]] 1.1 slower
gemm [[4,64]] 1 same
copy 1 same" ]
run compare base.json new.json --by process,stream,category --json -q
claim "rows by process, stream and category" [ "$(rows name)" = "ProfilerStep#* (user) @ stream 7 @ train
gemm (kernel) @ stream 7 @ train
copy (memcpy) @ stream 8 @ train" ]
claim "iterations are found with more to a row" [ "$(whole samples)" = iterations ]
run compare base.json new.json --names exact --json -q
claim "exact names" [ "$(rows name | sort | head -3) $(whole samples)" = "ProfilerStep#3
ProfilerStep#4
ProfilerStep#5 iterations" ]
run compare base.json other.json --json -q
claim "new and vanished names" [ "$(rows name base.calls new.calls verdict ratio)" = "copy 4 0 vanished None
move 0 4 new None
ProfilerStep#* 4 4 same 1
gemm 8 8 same 1" ]
expect "of runs that share names" 0 "err!no name is on both sides"
echo '[{"ph":"X","name":"p","ts":0,"dur":5,"pid":1,"tid":1}]' >p.json
echo '[{"ph":"X","name":"q","ts":0,"dur":5,"pid":1,"tid":1}]' >q.json
run compare p.json q.json
expect "runs that share no name" 0 "err~^postfetto: q.json: warning: no name is on both sides"

# The table has as many rows as help says, where --rows does not say how many.
python3 -c 'import json
events = [{"ph": "X", "name": f"n{i:c}", "ts": 10 * i, "dur": 5, "pid": 1, "tid": 1} for i in range(65, 90)]
json.dump(events, open("many.json", "w"))'
run compare --help
expect "the default of --rows" 0 "out~default: 10"
run compare many.json many.json -q
claim "is what is shown" [ "$(grep -c '^n[A-Z] ' "$OUT")" = 10 ]
run compare many.json many.json -q --rows 3
claim "--rows" [ "$(grep -c '^n[A-Z] ' "$OUT")" = 3 ]
mkdir -p in_1 in_2
cp many.json in_1
cp many.json in_2
run compare --base 'in_*/many.json' many.json --json -q
claim "patterns in folders" [ "$rc $(whole base_files)" = "0 2" ]
rm -r in_1 in_2 many.json

# what is drawn at random
run compare base.json new.json --anchor ProfilerStep#4 --json -q
claim "an anchor with a number means all of its name" [ "$(whole samples)" = iterations ]
run compare base.json new.json --anchor absent
expect "an anchor that is not there" 3 "err~base.json: no slice is called 'absent'.*'postfetto info'"
mkdir group
for i in 1 2 3; do
    cp base.json "group/base_$i.json"
    cp new.json "group/new_$i.json"
done
run compare --base 'group/base_*.json' --new group/new_1.json --new 'group/new_[23].json' --json -q
claim "groups by patterns" [ "$rc $(whole samples) $(whole base_files) $(whole new_files)" = "1 files 3 3" ]
claim "groups: ratio of their means" [ "$(rows name base.calls ratio verdict | sed -n 2p)" = "gemm 24 1.06667 slower" ]
claim "groups: numbers of all files" [ "$(rows name base.total_ns base.self_ns base.mean_ns base.median_ns base.p95_ns base.share_percent)" = \
    "ProfilerStep#* 1200000 480000 100000 100000 100000 90.9091
gemm 720000 720000 30000 30000 40000 54.5455
copy 120000 120000 10000 10000 10000 9.09091" ]
echo '[{"ph":"X","name":"once","ts":0,"dur":5,"pid":1,"tid":1}]' >once.json
for file in base once; do
    run compare $file.json $file.json --tolerance 0 --json -q
    claim "$file: what is equal is the same without any tolerance" [ "$rc $(whole verdict) $(rows verdict | sort -u)" = "0 same same" ]
done
rm once.json

# outputs
run compare base.json new.json -q --format csv
expect "CSV" 1 "out~^name,verdict,delta_ns,ratio,ratio_low,ratio_high,base_calls,base_total_ns,"
claim "a row of the CSV" has_line "$OUT" "gemm,slower,16000,1.0667,1.0667,1.0667,8,240000,240000,30000.0,30000.0,40000,54.55,8,256000,256000,32000.0,32000.0,44000,56.14,device"
run compare base.json other.json -q --format csv
claim "a name of the base alone" has_line "$OUT" "copy,vanished,-40000,,,,4,40000,40000,10000.0,10000.0,10000,9.09,0,0,0,,,,0.00,host"
claim "a name of the new run alone" has_line "$OUT" "move,new,40000,,,,0,0,0,,,,0.00,4,40000,40000,10000.0,10000.0,10000,9.09,host"
run compare base.json new.json -q --format markdown
expect "Markdown" 1 "out~^\| gemm +\| slower"
run compare base.json new.json -q --json --report reports
claim "reports" [ "$(cd reports && echo ./*)" = "./compare.csv ./compare.json ./compare.md" ]
claim "the report is the document" [ "$(cat reports/compare.json)" = "$(cat "$OUT")" ]
run compare base.json new.json -q -o marked.pftrace
run query marked.pftrace "SELECT s.name, s.ts, s.dur FROM slice s WHERE category = 'postfetto.compare' AND name NOT LIKE '%Step%' ORDER BY ts"
expect "what got slower itself is marked" 0 'out="name","ts","dur"
"+4.0 us gemm",7000010000,44000
"+4.0 us gemm",7000210000,44000
"+4.0 us gemm",7000410000,44000
"+4.0 us gemm",7000610000,44000'
run query marked.pftrace "SELECT p.name, count(*) AS n, min(s.ts) AS first, sum(s.dur) AS length FROM slice s
  JOIN process_track t ON t.id = s.track_id JOIN process p USING (upid) WHERE p.name LIKE 'base%' GROUP BY 1"
expect "the base begins where the new run does" 0 'out="name","n","first","length"
"base: train",16,7000000000,680000'
run query marked.pftrace "SELECT s.category, count(*) AS n FROM slice s JOIN process_track t ON t.id = s.track_id
  JOIN process p USING (upid) WHERE p.name LIKE 'base%' GROUP BY 1 ORDER BY 1"
expect "with its categories" 0 'out="category","n"
"kernel",8
"memcpy",4
"user",4'
run compare base.json new.json -q -o marked.pftrace.gz
claim "a marked trace with gzip around it" eval 'gzip -dc marked.pftrace.gz | cmp - marked.pftrace'
run compare base.json new.json -q -o -
claim "a marked trace on standard output, and nothing else" cmp "$OUT" marked.pftrace
cp base.json 'base[1].json'
run compare --base 'base[1].json' --new base.json --json -q
expect "a name with a bracket that is there is no pattern" 0 err=
claim "it is one file" [ "$(whole base_files)" = 1 ]
rm 'base[1].json' marked.pftrace.gz
for count in "base.json" "base.json new.json new.json" "--base base.json" "--base base.json new.json base.json" \
    "--base base.json --new new.json new.json" ""; do
    run compare $count
    expect "compare $count" 2 out= "err~^postfetto: compare: takes two runs, A and B, or groups of runs as --base FILE and --new FILE;"
done
run compare --base base.json new.json --json -q
expect "one group and one run" 1 err=
run compare new.json --base base.json -q --format csv
expect "the run is the new one, wherever it stands" 1 "out~^gemm,slower,16000,"
run compare base.json --new new.json --json -q
expect "one run and one group" 1 err=
run compare aie_small.json new.json
expect "a base in cycles, a new run in nanoseconds" 3 "err~^postfetto: new.json: counts in nanoseconds, but the runs before it in cycles; compare"

# The processes that are added have pids of their own, also where the run has such ones.
sed 's/"pid": 1,/"pid": 1000000001,/g' new.json >pids.json
for file in new pids; do
    run compare base.json $file.json -q -o marked.pftrace
    run query marked.pftrace "SELECT name, pid FROM process WHERE pid > 0 ORDER BY pid"
    case $file in
    new) pids='"train",1
"base: train",1000000000' ;;
    pids) pids='"base: train",1000000000
"train",1000000001' ;;
    esac
    expect "processes of the marked trace of $file" 0 "out=\"name\",\"pid\"
$pids"
done
rm pids.json marked.pftrace

# Runs that count in cycles.
python3 - <<'END'
import json
for file, start, length in (("cycles_a.json", 0, 900), ("cycles_b.json", 100, 1500)):
    rows = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start + 5000 * i + at, "dur": dur}
            for i in range(4) for name, at, dur in (("core", 0, length), ("wait", 3000, 700))]
    json.dump({"otherData": {"a": 1}, "traceEvents": rows}, open(file, "w"))
END
run compare cycles_a.json cycles_b.json --dialect aie --json -q -o cycles.pftrace
claim "the document counts in cycles" [ "$(whole unit) $(rows name delta_ns | tr '\n' ' ')" = "cycle core 2400 wait 0 " ]
run query cycles.pftrace "SELECT s.name, s.ts, s.dur FROM slice s WHERE category = 'postfetto.compare' ORDER BY ts"
expect "marks count in cycles" 0 'out="name","ts","dur"
"+600 cycles core",100,1500
"+600 cycles core",5100,1500
"+600 cycles core",10100,1500
"+600 cycles core",15100,1500'
rm cycles_a.json cycles_b.json cycles.pftrace

# sides that cannot be compared
echo '[{"ph":"i","name":"x","pid":1,"tid":1,"ts":1,"s":"t"}]' >empty.json
run compare empty.json new.json
expect "an empty base" 3 "err~empty.json: no slice with a duration in empty.json \(the base\); it holds 1 event$"
run compare base.json empty.json
expect "an empty new run" 3 "err~empty.json: no slice with a duration in empty.json \(the new run\); it holds 1 event$"
run compare base.json aie_small.json
expect "another unit of time" 3 "err~aie_small.json: counts in cycles, but the runs before it in nanoseconds; compare"
run compare --base 'no_*.json' --new new.json
expect "a pattern without files" 3 "err~no_\*.json: is a pattern that fits no file"
run compare base.json
expect "one run alone" 2 "err~takes two runs"
rm -r group reports

# Names: addresses and numbers are folded; processes and threads without a name have their numbers; shapes may hold texts
# and reals.
python3 - >odd.json <<'END'
import json
x = lambda name, tid, ts, **more: {"ph": "X", "name": name, "pid": 4, "tid": tid, "ts": ts, "dur": 5, **more}
print(json.dumps([x("at 0xDEADbeef, 12 of 34", 5, 0), x("0x", 5, 10), x("0xg1", 5, 20),
                  {"ph": "X", "pid": 4, "tid": 5, "ts": 70, "dur": 5},
                  x("shaped", 6, 30, args={"Input Dims": ["a", [0.5, -2], []]}),
                  x("shaped", 6, 40, args={"shape": "2x2"}), x("shaped", 6, 50, args={"other": [1]}),
                  {"ph": "i", "s": "t", "name": "tick", "pid": 4, "tid": 5, "ts": 25},
                  {"ph": "C", "name": "level", "pid": 4, "ts": 26, "args": {"v": 3}},
                  {"ph": "B", "name": "never ends", "pid": 4, "tid": 7, "ts": 60}]))
END
run compare odd.json odd.json --json
expect "slices without an end are said to be left out" 0 "err~odd\.json: warning: 1 slices have no end and are left out$"
claim "addresses and numbers in names" [ "$(rows name | sort | tr '\n' ';')" = "0x;0xg1;[No name];at 0x*, 12 of *;shaped;" ]
run compare odd.json odd.json --json -q --names folded
claim "addresses and all numbers in names" [ "$(rows name | sort | tr '\n' ';')" = "*x;*xg*;[No name];at 0x*, * of *;shaped;" ]
run compare odd.json odd.json --json -q --by shape,process,stream
claim "rows of what has no name, and shapes" [ "$(rows name | sort | tr '\n' ';')" = \
    "0x @ thread 5 @ process 4;0xg1 @ thread 5 @ process 4;[No name] @ thread 5 @ process 4;at 0x*, 12 of * @ thread 5 @ process 4;shaped @ thread 6 @ process 4;shaped [2x2] @ thread 6 @ process 4;shaped [a,[0.5,-2],[]] @ thread 6 @ process 4;" ]
run compare odd.json new.json -q -o odd.pftrace
run query odd.pftrace "SELECT p.name, t.name AS track, s.name AS slice, s.ts / 1000 - 7000000 AS at, s.dur / 1000 AS us FROM slice s
    JOIN process_track t ON t.id = s.track_id JOIN process p USING (upid) WHERE p.name LIKE 'base%' ORDER BY at"
expect "a base without names is drawn with numbers, its instants as such" 0 'out="name","track","slice","at","us"
"base: process 4","thread 5","at 0xDEADbeef, 12 of 34",0,5
"base: process 4","thread 5","0x",10,5
"base: process 4","thread 5","0xg1",20,5
"base: process 4","thread 5","tick",25,0
"base: process 4","thread 6","shaped",30,5
"base: process 4","thread 6","shaped",40,5
"base: process 4","thread 6","shaped",50,5
"base: process 4","thread 7","never ends",60,0
"base: process 4","thread 5","[No name]",70,5'
run query odd.pftrace "SELECT t.name, c.ts / 1000 - 7000000 AS at, c.value FROM counter c JOIN process_counter_track t ON t.id = c.track_id"
expect "counters of the base are drawn" 0 'out="name","at","value"
"level v",26,3.0'
for tolerance in many -1 1001 ''; do
    run compare base.json new.json "--tolerance=$tolerance"
    expect "--tolerance '$tolerance'" 2 out= "err~--tolerance"
done
PYTHONPATH="$here/../../scripts" python3 -c 'from make_fixtures_proto import *
open("nameless.pftrace", "wb").write(THREAD + event(1000, BEGIN) + event(3000, END))'
run compare nameless.pftrace nameless.pftrace --json -q
claim "a slice that has no name at all" [ "$(rows name base.total_ns)" = "(no name) 2000" ]
rm odd.json odd.pftrace nameless.pftrace

# What took no time in the base has no ratio: it is the same where it still takes none, and nothing can be said otherwise.
python3 - <<'END'
import json
for file, length in (("none.json", 0), ("some.json", 5)):
    json.dump([{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 100 * i + at, "dur": dur} for i in range(6)
               for name, at, dur in (("starts", 0, length), ("work", 20, 7), ("never", 40, 0))], open(file, "w"))
END
run compare none.json some.json --json
claim "verdicts without a time in the base" python3 - "$OUT" <<'END'
import json, sys
rows = {row["name"]: row for row in json.load(open(sys.argv[1]))["rows"]}
assert {name: (row["verdict"], row["ratio"]) for name, row in rows.items()} == {
    "starts": ("unsure", None), "work": ("same", 1.0), "never": ("same", None)}, rows
END
rm none.json some.json
