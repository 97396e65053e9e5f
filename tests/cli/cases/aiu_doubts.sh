# shellcheck shell=bash disable=SC2154
# analyze aiu of captures that cannot be right: what was assumed is said.
kernel() { # kernel NAME TS PID ATTRIBUTES
    printf '{"name":"%s Cmpt Exec","ph":"X","pid":%s,"tid":2,"ts":%s,"dur":10.0,"args":{%s}}' "$1" "$3" "$2" "$4"
}
cycles() { # cycles START: a kernel of 10 us at 1000 MHz
    printf '"TS1":"%d","TS2":"%d","TS3":"%d","TS4":"%d","TS5":"%d"' "$1" "$1" "$1" $(($1 + 10000)) $(($1 + 10000))
}
echo "[$(kernel a 1000.0 0 "$(cycles 1000)"),$(kernel b 1100.0 0 "$(cycles 101000)")]" >aiu_one.json
echo "[$(kernel a 1200.0 0 "$(cycles 201000)"),$(kernel b 1300.0 0 "$(cycles 301000)")]" >aiu_next.json
echo "[$(kernel a 1050.0 0 "$(cycles 51000)"),$(kernel b 1150.0 0 "$(cycles 151000)")]" >aiu_amid.json
echo "[$(kernel a 1050.0 1 "$(cycles 51000)"),$(kernel b 1150.0 1 "$(cycles 151000)")]" >aiu_rank.json
echo "[$(kernel a 1000.0 0 '"TS1":"0","TS2":"0","TS3":"0","TS4":"0","TS5":"0"')]" >aiu_zero.json

run analyze aiu aiu_one.json aiu_next.json -o aiu_o.json
expect "jobs of a rank follow each other" 0 "err!at the same time"
run analyze aiu aiu_one.json aiu_rank.json -o aiu_o.json
expect "ranks work at the same time" 0 "err!at the same time"
run analyze aiu aiu_one.json aiu_amid.json -o aiu_o.json
expect "two files of a rank at the same time are named" 0 \
    "err~warning: Ingestion: aiu_one.json and aiu_amid.json have kernels at the same time on rank 0;"
run analyze aiu aiu_one.json aiu_amid.json -o aiu_o.json --compat acelyzer
expect "which that program does not say" 0 "err!at the same time"
# Jobs of rank 0 from 1000 to 1110, 1050 to 1160, 1200 to 1310; of rank 1 from 1050 to 1160 and from then on.
echo "[$(kernel a 1160.0 1 "$(cycles 161000)")]" >aiu_then.json
run analyze aiu aiu_then.json aiu_next.json aiu_amid.json aiu_rank.json aiu_one.json -o aiu_o.json
expect "once for a rank, in order of time" 0 "err~and aiu_amid.json have kernels at the same time on rank 0;"
claim "and for no other rank" [ "$(grep -c 'at the same time' "$ERR")" = 1 ]
echo "[$(kernel a 1159.0 1 "$(cycles 160000)")]" >aiu_then.json
cp aiu_amid.json aiu_also.json
run analyze aiu aiu_then.json aiu_next.json aiu_amid.json aiu_also.json aiu_rank.json aiu_one.json -o aiu_o.json
claim "once for each rank" [ "$(sed -n 's/.*warning: Ingestion: \(.* at the same time on rank .\); .*/\1/p' "$ERR")" = \
"aiu_one.json and aiu_amid.json have kernels at the same time on rank 0
aiu_rank.json and aiu_then.json have kernels at the same time on rank 1" ]
torch() { # torch RANK: a trace of torch that says its rank, or none
    echo "{\"deviceProperties\":[],${1:+\"distributedInfo\":{\"rank\":$1\},}\"traceEvents\":[$(kernel a 1000.0 0 "$(cycles 1000)")]}"
}
torch 3 >aiu_t1.json
torch 3 >aiu_t2.json
torch '' >aiu_t3.json
torch '' >aiu_t4.json
torch 4 >aiu_t5.json
run analyze aiu aiu_t[12345].json -o aiu_o.json
claim "torch traces of one rank are named" [ "$(sed -n 's/.*warning: Ingestion: \(aiu_t.*\)/\1/p' "$ERR")" = \
"aiu_t1.json and aiu_t2.json both say that they are rank 3; both are taken for it, and their kernels count together. Is a rank \
number given twice, or are two captures mixed?
aiu_t3.json and aiu_t4.json do not say whose they are: each is rank 0; both are taken for it, and their kernels count together. \
Is a rank number given twice, or are two captures mixed?" ]
run analyze aiu aiu_zero.json -o aiu_o.json --fail-if 'SELECT time_us <> 10 FROM aiu_kernels'
expect "counters that failed leave the times of the host" 0 "err~the counters of 1 events are all 0"
run analyze aiu aiu_one.json -o aiu_o.sqlite
expect "a name that promises something else" 2 "err~-o writes no .sqlite"
claim "is not written" [ ! -e aiu_o.sqlite ]

# Ranks 0 and 1 of a collective of three, a rank 5 that is in none, and an input without events.
for rank in 0 1; do
    peer=$((rank + 1))
    echo "[$(kernel a 1000.0 $rank "$(cycles 1000),\"CollGroup\":\"AllReduce_all_reduce_1\",\"Peer\":\"$peer\"")]" >"aiu_of_$rank.json"
done
echo "[$(kernel a 1000.0 5 "$(cycles 1000)")]" >aiu_of_5.json
echo '{"traceEvents":[]}' >aiu_of_none.json
run analyze aiu aiu_of_0.json aiu_of_1.json -o aiu_o.json
expect "a rank without an input is named" 0 "err~warning: Ingestion: transfers name rank 2 as their peer, and no input is of it"
claim "and no other one" [ "$(grep -c 'as their peer' "$ERR")" = 1 ]
expect "ranks with collectives are not named" 0 "err!has no collectives"
run analyze aiu aiu_of_0.json aiu_of_5.json aiu_of_none.json -o aiu_o.json
expect "a rank without collectives is named" 0 "err~warning: Ingestion: rank 5 has no collectives, other ranks have"
expect "an input without events is named" 0 "err~warning: Ingestion: aiu_of_none.json has no events"
claim "and no input that has some" [ "$(grep -c 'has no events' "$ERR")" = 1 ]
run analyze aiu aiu_of_0.json aiu_of_none.json -o aiu_o.json --compat acelyzer
expect "which that program does not say" 0 "err!has no events" "err!as their peer"

# Events that are not whole: a begin and an end that lack their other half, counters that are not all there. A kernel of 5 s is longer
# than a lap of its counter at 1000 MHz, which takes 4.29 s.
echo "[{\"name\":\"open\",\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":990.0},$(kernel a 1000.0 0 "$(cycles 1000)"),
    {\"name\":\"close\",\"ph\":\"E\",\"pid\":0,\"tid\":1,\"ts\":1020.0},$(kernel b 1100.0 0 '"TS1":"1","TS2":"2"')]" >aiu_halves.json
run analyze aiu aiu_halves.json -o aiu_o.json --fail-if "(SELECT group_concat(kernel || calls) FROM aiu_kernels) <> 'a Cmpt Exec1,b Cmpt Exec1'"
expect "what is not whole is counted" 0 "err~warning: Ingestion: 2 begin or end events without their counterpart were left out$" \
    "err~warning: Ingestion: 1 events lack some of TS1 to TS5 and count as host events$" "err!longer than a lap"
claim "and left out" [ "$(grep -c '"name": "\(open\|close\)"' aiu_o.json)" = 0 ]
echo "[$(kernel a 1000.0 0 "$(cycles 1000)"),{\"name\":\"half\",\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":1020.0}]" >aiu_half1.json
echo "[{\"name\":\"half\",\"ph\":\"E\",\"pid\":0,\"tid\":1,\"ts\":1030.0},$(kernel b 1100.0 0 "$(cycles 101000)")]" >aiu_half2.json
run analyze aiu aiu_half1.json aiu_half2.json -o aiu_o.json
expect "halves of two files are no whole" 0 "err~warning: Ingestion: 2 begin or end events without their counterpart were left out$"
claim "which nothing is made of" [ "$(grep -c '"name": "half"' aiu_o.json)" = 0 ]
echo "[$(kernel a 1000.0 0 "$(cycles 1000)" | sed 's/"dur":10.0/"dur":5000000.0/')]" >aiu_long.json
run analyze aiu aiu_long.json -o aiu_o.json
expect "what may have wrapped unseen is counted" 0 \
    "err~warning: OVC: potential undetected overflow in 1 events longer than a wrap-around of the counter$" "err!lack some" "err!counterpart"

# A kernel that took no time: no share of it is anything.
echo "[$(kernel a 1000.0 0 '"TS1":"5","TS2":"5","TS3":"5","TS4":"5","TS5":"5"' | sed 's/"dur":10.0/"dur":0/')]" >aiu_none.json
printf '~~~~ Ideal/Total Cycles ~~~~\na-opCatBmm 5500\nTotal 5500\n====== Perf Summary End ======\n' >aiu_none.log
run analyze aiu aiu_none.json --flow -R -c aiu_none.log -o aiu_o.json \
    --fail-if "(SELECT busy_percent + idle_us + elapsed_us FROM aiu_ranks) + (SELECT sum(use_percent) + sum(time_us) FROM aiu_categories) <> 0" \
    --fail-if "(SELECT kernels_per_s + elapsed_us FROM aiu_jobs) + (SELECT share_percent + time_us FROM aiu_kernels) <> 0"
expect "a kernel without a length" 0 "err!UTL: pid="
claim "has no part of the time" [ "$(cat aiu_o_stats_summary.csv)" = \
"pid,elapsed_time,comp_active_atime,comm_active_atime,comp_active_atime_perc,comm_active_atime_perc
0,0.0,0.0,0.0,0.0,0.0" ]
claim "nor of what was active" grep -Eq '^ +0.000[[:space:]]+0.000[[:space:]]+1000.000[[:space:]]+1000.000[[:space:]]+0.00[[:space:]]+0 *$' aiu_o_active.csv
claim "nor of all kernels" grep -Eq '^ *0.00[[:space:]]+0.000[[:space:]]+1[[:space:]]' aiu_o_summary.csv
claim "nor of the cores" [ "$(grep -vc ',0.0,0.0,[01],0.0,0,0.0,0.0$' aiu_o_categories.csv)" = 1 ]

# A line for each of 32 ranks that are not there, and no more.
{
    printf '['
    for peer in $(seq 40); do
        kernel a $((1000 + 20 * peer)).0 0 "$(cycles $((20000 * peer))),\"CollGroup\":\"AllReduce_all_reduce_1\",\"Peer\":\"$peer\""
        [ "$peer" = 40 ] || printf ','
    done
    printf ']'
} >aiu_peers.json
run analyze aiu aiu_peers.json -o aiu_o.json
claim "absent ranks are named, 32 at most" [ "$(grep -c 'transfers name rank [0-9]* as their peer' "$ERR")" = 32 ]
claim "each once, in order" [ "$(sed -n 's/.*transfers name rank \([0-9]*\) .*/\1/p' "$ERR" | tr '\n' ' ')" = "$(seq 32 | tr '\n' ' ')" ]
