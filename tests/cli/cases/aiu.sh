# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# analyze aiu on two ranks of our own (scripts/make_fixtures_aiu.py), whose times are known: rank 1 comes 120 us late to the
# first collective, rank 0 comes 50 us late to the second, and the host clock of rank 1 is 300 us ahead. Sourced by run.sh.

mkdir -p aiu
cd aiu || exit 1
ranks="$FIX/aiu/tp2-rank-0.json $FIX/aiu/tp2-rank-1.json"
late="SELECT name, EXTRACT_ARG(arg_set_id, 'debug.late_ns') AS late_ns, EXTRACT_ARG(arg_set_id, 'debug.lost_ns') AS lost_ns
      FROM slice WHERE category = 'postfetto.aiu' AND name LIKE '%last' AND name LIKE '%, rank%' ORDER BY ts"

# Clocks by offset and rate: rank 0's last counter comes 6 ns after its transfer ends, which is all that is left.
run analyze aiu $ranks --freq 1000:1100 -S -o synced.pftrace --report synced
expect "analyze aiu matches the clocks of ranks" 0 "err~; ranks waited 170\.0 us in 2 collectives, mostly for rank 1$"
run query -q synced.pftrace "$late" --format csv
expect "and says who arrived last, and by how much" 0 'out="name","late_ns","lost_ns"
"0 AllReduce_all_reduce_1, rank 1 last",120006,120006
"1 AllReduce_all_reduce_2, rank 0 last",49994,49994'
# The pictures are of the tables: rank 0 waits 120.006 us from 0 on, rank 1 49.994 us until 1000, both then exchange data until 186 and
# 1106; all kernels take 16.28 mJ on rank 0.
run analyze aiu $ranks --freq 1000:1100 -S --report pictures --pictures -q
claim "collectives of ranks over time are a picture" python3 - <<'END'
import re
tips = lambda name: re.findall(r"<title>(.*?)</title>", open(f"pictures/aiu_{name}.svg").read(), re.S)
wanted = [("rank 0", "waiting", "0", "120.006"), ("rank 0", "communication", "120.006", "186"), ("rank 1", "communication", "120.006", "186"),
          ("rank 0", "communication", "1000", "1106"), ("rank 1", "waiting", "950.006", "1000"), ("rank 1", "communication", "1000", "1106")]
found = tips("collectives")
assert len(found) == len(wanted), found
for parts in wanted:
    assert any(all(re.search(rf"(?<![\w.]){re.escape(part)}(?![\d.]*[1-9])", tip) for part in parts) for tip in found), (parts, found)
assert any("16.28" in tip or "16.2799" in tip for tip in tips("energy")), tips("energy")
assert tips("power") and tips("ranks")
END
rm -r pictures
run analyze aiu $ranks --freq 1000:1100 -o auto.pftrace --report auto -D 2
expect "which is done without -S, as it leaves less than the first receive" 0 "err~^INFO MP SYNC: clocks of ranks are matched by offset and rate" \
    "err~ 0 ns apart at the ends of collectives, by the first receive \(--align first\) 63000$"
run query -q auto.pftrace "$late" --format csv
expect "with the same answers" 0 'out="name","late_ns","lost_ns"
"0 AllReduce_all_reduce_1, rank 1 last",120006,120006
"1 AllReduce_all_reduce_2, rank 0 last",49994,49994'

run analyze aiu $ranks --freq 1000:1100 -M -q -o raw.pftrace --report raw
run query -q raw.pftrace "$late" --format csv
expect "clocks that are left alone are 300 us apart: who comes 420 and 250 us later is not told" 0 'out="name","late_ns","lost_ns"'
run analyze aiu $ranks --freq 1000:1100 -M -q --report r --fail-if "(SELECT count(*) FROM aiu_collectives
    WHERE straggler IS NULL AND late_ns IS NULL AND lost_ns IS NULL AND gb_per_s IS NULL AND span_ns IS NOT NULL) <> 2" \
    --fail-if "(SELECT count(*) FROM aiu_arrivals WHERE waited_ns IS NULL AND arrival_ns IS NOT NULL) <> 4"
expect "nor what others waited, nor how fast it was" 0

run query -q synced.pftrace "SELECT (SELECT count(*) FROM flow) AS arrows,
    (SELECT count(*) FROM flow JOIN slice s ON s.id = slice_out JOIN slice r ON r.id = slice_in WHERE s.ts < r.ts) AS forward,
    (SELECT group_concat(name, ' ') FROM (SELECT DISTINCT name FROM process WHERE name IS NOT NULL ORDER BY name)) AS names" \
    --format csv
expect "sends have arrows to the ends of receives, ranks have two processes" 0 'out="arrows","forward","names"
4,4,"AIU Device0 AIU Device1 Host0 Host1"'

run analyze aiu $ranks --freq 1000:1100 -S -q --report r --fail-if \
    "(SELECT count(*) FROM aiu_collectives WHERE straggler = 1 AND late_ns = 120006 AND bytes = 65536 AND ranks = 2) = 1"
expect "thresholds ask the table of collectives" 1
run analyze aiu $ranks --freq 1000:1100 -S -q --report r --fail-if \
    "(SELECT sum(waited_ns) FROM aiu_arrivals) = 120006 + 49994"
expect "and the table of arrivals" 1
run analyze aiu $ranks --freq 1000:1100 -S -q --report r --json
claim "analyze aiu --json has the report tables" python3 - "$OUT" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert list(found)[:2] == ["schema_version", "pass"] and set(found) - {"schema_version", "pass"} == {
    "kernels", "ranks", "jobs", "iterations", "categories", "collectives", "arrivals", "overlap", "clocks",
    "gaps", "host_gaps", "host_wakers"}, list(found)
assert sum(row["waited_ns"] for row in found["arrivals"]) == 120006 + 49994
assert [(row["straggler"], row["ranks"], row["bytes"]) for row in found["collectives"] if row["late_ns"] == 120006] == [(1, 2, 65536)]
END
# Kernels of rank 0: 100 us in each job. Communication: one send of 40 us and the receive from 5 us after the begin to
# the end of the multicast, which the send lies in: 291 us in the first job, 206 + 5 us in the second.
run analyze aiu $ranks --freq 1000:1100 -M -q --report r --fail-if \
    "(SELECT kernels_ns FROM aiu_overlap WHERE rank = 0) = 200000 AND
     (SELECT communication_ns - overlap_ns FROM aiu_overlap WHERE rank = 0) = exposed_ns FROM aiu_overlap WHERE rank = 0"
expect "a threshold that is no SQL is a usage error" 2
run analyze aiu $ranks --freq 1000:1100 -M -q --report r --fail-if \
    "EXISTS (SELECT 1 FROM aiu_overlap WHERE rank = 0 AND kernels_ns = 200000 AND overlap_ns = 200000 AND
             communication_ns = overlap_ns + exposed_ns)"
expect "kernels of rank 0 run while its receive waits" 1

run analyze aiu $ranks --freq 1000:1100 -S -q --report r --fail-if \
    "(SELECT max(abs(offset_left_ns)) FROM aiu_clocks WHERE shift_us IS NOT NULL) = 0"
expect "nothing is left of the offset where the ends of collectives were matched" 1
run analyze aiu $ranks --freq 1000:1100 -M -q --report r --fail-if \
    "(SELECT max(abs(offset_left_ns)) FROM aiu_clocks WHERE shift_us IS NULL) = 300000"
expect "without matching the clocks it is all of it" 1

# Kernels of rank 1 take 220, 50 and twice 10 us until 1154 us after the first begins.
run analyze aiu $ranks --freq 1000:1100 -M -o raw.pftrace --report raw -D 2
expect "what the terminal shows of two ranks" 0 "err~^0 +2 +200.000 +900.000 +18.18 .* 20.00$" \
    "err~^1 +4 +290.000 +864.000 +25.13 .* 20.00$" "err~^1 +tp2-rank-1.json +0 .* 290.000 +864.000 +1154.000$" "err~^2 collectives whose last rank is not named: clocks of ranks are up to 300000 ns apart" \
    "err~^kernels hide 470 of 974 us of communication$" "err~^clocks of ranks: 300000 ns are left at most, on rank 1$" \
    "err~^INFO OVC: Reference Epoch for 0 tp2-rank-0.json 6002.0 1699999995000.0$" \
    "err~^INFO OVC: Reference Epoch for 1 tp2-rank-1.json 901002.0 1699999100300.0$" "err~^INFO PEC event stats o/i: 16 / 20$"

run analyze aiu "$FIX/aiu/tp2-rank-0.json" --freq 1000:1100 -o one.pftrace --report one
expect "a rank whose partner is missing" 0 "err~Incomplete flow groups dropped = 2"

# All transfers of two ranks at one time, which takes none: collectives are drawn 1 ns long, without a rate.
python3 - >zero.json <<'END'
import json
def transfer(name, kind, pid, peer):
    return {"name": name, "ph": "X", "pid": pid, "tid": 1, "ts": 1050, "dur": 0, "args": {"CollGroup": "AllReduce_1", "Bytes": "1000",
            "Peer": peer, "Type": kind, **{f"TS{i}": "50000" for i in range(1, 6)}}}
print(json.dumps([transfer("Send_1 [sync=A_1] DmaO", "SingleCast", 0, "1"), transfer("Get_1 [sync=A_1] DmaI", "WDone", 1, "0"),
                  transfer("Send_2 [sync=A_2] DmaO", "SingleCast", 1, "0"), transfer("Get_2 [sync=A_2] DmaI", "WDone", 0, "1")]))
END
run analyze aiu zero.json --freq 1000:1100 -M -q -o zero.pftrace --report zero
run query -q zero.pftrace "SELECT t.name AS row, s.name, ts, dur, (SELECT count(*) FROM counter_track) AS counters
    FROM slice s JOIN track t ON t.id = track_id WHERE t.name LIKE '%collectives' ORDER BY 1" --format csv
expect "a collective that takes no time" 0 'out="row","name","ts","dur","counters"
"all ranks collectives","0 AllReduce_1, rank 0 last",1050000,1,0
"rank 0 collectives","0 AllReduce_1, arrived last",1050000,1,0
"rank 1 collectives","0 AllReduce_1",1050000,1,0'

# What the program whose results --compat repeats does otherwise (docs/reference/aiu.md, "Differences").
run analyze aiu $ranks --freq 1000:1100 --flow -R -q -o comm.json
claim "the time of collectives is filled in for both ranks" [ "$(awk -F, 'NR > 1 && $4 > 0' comm_stats_summary.csv | wc -l)" = 2 ]
run analyze aiu $ranks --freq 1000:1100 --flow -R -q -o comm.json --compat acelyzer
claim "which that program leaves empty" [ "$(awk -F, 'NR > 1 && $4 == ""' comm_stats_summary.csv | wc -l)" = 2 ]
for rank in 0 1; do
    printf '~~~~ Ideal/Total Cycles ~~~~\nmatmul_1-opCatBmm%s 1100\nTotal 1100\n====== Perf Summary End ======\n' $rank >rank$rank.log
done
run analyze aiu $ranks --freq 1000:1100 -c rank0.log,rank1.log -q -o logs.json
claim "categories are those of all ranks" [ "$(tail -n +2 logs_categories.csv | cut -d, -f1 | sort -u | tr '\n' ' ')" = "0 1 " ]
run analyze aiu $ranks --freq 1000:1100 -c rank0.log,rank1.log -q -o logs.json --compat acelyzer
claim "there those of the last rank remain" [ "$(tail -n +2 logs_categories.csv | cut -d, -f1 | sort -u | tr '\n' ' ')" = "1 " ]
run analyze aiu $ranks --freq 1000:1100 -q -f protobuf -o packets
run query -q packets "SELECT count(*) > 0 AS drawn FROM slice" --format csv
expect "-f protobuf is a Perfetto trace" 0 'out="drawn"
1'
run analyze aiu $ranks --freq 1000:1100 -f protobuf -o none --compat acelyzer
expect "which that program says it cannot write" 0 "err~^ERROR Unrecognized export format"
claim "and does not" [ ! -e none ]

cd ..
