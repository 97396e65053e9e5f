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
    "err~^WARNING Ingestion: aiu_one.json and aiu_amid.json have kernels at the same time on rank 0;"
run analyze aiu aiu_one.json aiu_amid.json -o aiu_o.json --compat acelyzer
expect "which that program does not say" 0 "err!at the same time"
for rank in '"distributedInfo":{"rank":3},' ''; do
    echo "{\"deviceProperties\":[],$rank\"traceEvents\":[$(kernel a 1000.0 0 "$(cycles 1000)")]}" >aiu_t1.json
    cp aiu_t1.json aiu_t2.json
    run analyze aiu aiu_t1.json aiu_t2.json -o aiu_o.json
    expect "torch traces of one rank are named" 0 \
        "err~^WARNING Ingestion: aiu_t1.json and aiu_t2.json .*: each is rank 0|both say that they are rank 3;"
done
run analyze aiu aiu_zero.json -o aiu_o.json --fail-if 'SELECT time_us <> 10 FROM aiu_kernels'
expect "counters that failed leave the times of the host" 0 "err~the counters of 1 events are all 0"
run analyze aiu aiu_one.json -o aiu_o.sqlite
expect "a name that promises something else" 2 "err~-o writes no .sqlite"
claim "is not written" [ ! -e aiu_o.sqlite ]
