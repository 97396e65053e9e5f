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
expect "analyze aiu matches the clocks of ranks" 0 "err~^2 collectives; ranks waited 170 us for the last one to come$"
run query -q synced.pftrace "$late" --format csv
expect "and says who came last, and by how much" 0 'out="name","late_ns","lost_ns"
"0 AllReduce_all_reduce_1, rank 1 last",120006,120006
"1 AllReduce_all_reduce_2, rank 0 last",49994,49994'

run analyze aiu $ranks --freq 1000:1100 -M -q -o raw.pftrace --report raw
run query -q raw.pftrace "$late" --format csv
expect "clocks that are left alone are 300 us apart" 0 'out="name","late_ns","lost_ns"
"0 AllReduce_all_reduce_1, rank 1 last",420000,420000
"1 AllReduce_all_reduce_2, rank 1 last",250000,250000'

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
    "kernels", "ranks", "jobs", "iterations", "categories", "collectives", "arrivals", "overlap", "clocks"}, list(found)
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

run analyze aiu "$FIX/aiu/tp2-rank-0.json" --freq 1000:1100 -o one.pftrace --report one
expect "a rank whose partner is missing" 0 "err~Incomplete flow groups dropped = 2"

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
