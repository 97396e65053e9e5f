# shellcheck shell=bash disable=SC2154
# analyze aiu: what the files of its outputs hold besides the usual: times of every size in the table of slices, outputs of more
# than a piece, ids of asynchronous events, no file at all. Sourced by run.sh.
mkdir -p aiu_files
cd aiu_files || exit 1

# Times as printf's %e writes them, with six digits: 9.9999999 has one more before the point once it is rounded.
python3 - >times.json <<'END'
import json
times = (0, 0.001, 0.25, 0.999, 1, 9.999, 10, 99.5, 123456.789, 999999.999, 9999999.999, 12345678901.234)
events = [{"ph": "X", "name": f"at{i}", "pid": 0, "tid": 1, "ts": ts, "dur": 0.0005 + i} for i, ts in enumerate(times)]
# A kernel until 11 that takes 32.5 us: it begins before the clock does.
cycles = dict(zip(("TS1", "TS2", "TS3", "TS4", "TS5"), ("0", "0", "1000", "33500", "33500")))
events.append({"ph": "X", "name": "k Cmpt Exec", "pid": 0, "tid": 2, "ts": 1, "dur": 10, "args": cycles})
print(json.dumps({"traceEvents": events}))
END
run analyze aiu times.json --freq 1000:1100 -M -q -o times.txt --report times
expect "analyze aiu -o X.txt of times of every size" 0
claim "times have an exponent of two digits at least" python3 - <<'END'
import json
events = json.load(open("times.json"))["traceEvents"]
lines = [line.split() for line in open("times.txt")][1:]
assert lines.pop(0)[1:3] == ["-2.150000e+01", "32.500000"], lines
assert [line[1] for line in lines] == [f"{e['ts']:e}" for e in events[:-1]], lines
assert [line[2] for line in lines] == [f"{i}.001000" for i in range(len(lines))], lines
END

# More than 65,536 events and a mebibyte of text: nothing is lost and nothing comes twice between pieces.
awk 'BEGIN { print "{\"traceEvents\":[{\"ph\":\"i\",\"s\":\"t\",\"name\":\"AIU Roundtrip\",\"pid\":0,\"tid\":1,\"ts\":0},"
    for (i = 0; i < 70000; i++) printf "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"n%d\",\"pid\":0,\"tid\":1,\"ts\":%d},\n", i, i
    for (i = 0; i < 20000; i++) printf "%s{\"ph\":\"X\",\"name\":\"s%d\",\"pid\":0,\"tid\":1,\"ts\":%d,\"dur\":1}\n", i ? "," : "", i, 70000 + i
    print "]}" }' >many.json
run analyze aiu many.json -M -q -o many.txt --report many
claim "a long table of slices has each once" [ "$(awk 'NR > 1 { print $5 }' many.txt | md5sum)" = \
    "$(awk 'BEGIN { for (i = 0; i < 20000; i++) print "s" i }' | md5sum)" ]
run analyze aiu many.json -M -q -o many_out.json --report many
claim "and so has a long document" [ "$(grep -o '"name": "[ns][0-9]*"' many_out.json | cut -d '"' -f 4 | md5sum)" = \
    "$(awk 'BEGIN { for (i = 0; i < 70000; i++) print "n" i; for (i = 0; i < 20000; i++) print "s" i }' | md5sum)" ]
run analyze aiu many.json -M -q -o many.pftrace --report many
run query -q many.pftrace "SELECT sum(dur = 0) AS instants, sum(dur = 1000) AS slices, count(DISTINCT name) AS names FROM slice
    WHERE name GLOB '[ns][0-9]*'" --format csv
expect "and a long trace" 0 'out="instants","slices","names"
70000,20000,90000'

# Asynchronous events keep their ids, as they were written.
cat >async.json <<'END'
{"traceEvents":[{"ph":"X","name":"AIU Roundtrip","pid":0,"tid":1,"ts":1,"dur":90},
{"ph":"b","name":"a","cat":"x","id":"0x7","pid":0,"tid":1,"ts":10},
{"ph":"n","name":"a","cat":"x","id":"0x7","pid":0,"tid":1,"ts":12},
{"ph":"e","name":"a","cat":"x","id":"0x7","pid":0,"tid":1,"ts":20},
{"ph":"b","name":"c","cat":"x","id":12,"pid":0,"tid":1,"ts":30},
{"ph":"e","name":"c","cat":"x","id":12,"pid":0,"tid":1,"ts":40}]}
END
for option in --disable_tb --keep_prep; do
    run analyze aiu async.json -M $option -q -o async_out.json --report async
    claim "asynchronous events keep their ids: $option" [ "$(python3 -c 'import json
print([(e["ph"], e["name"], e["id"]) for e in json.load(open("async_out.json"))["traceEvents"] if e["ph"] in "bne"])')" = \
        "[('b', 'a', '0x7'), ('n', 'a', '0x7'), ('e', 'a', '0x7'), ('b', 'c', 12), ('e', 'c', 12)]" ]
done

# --disable_file: the reports, but no trace.
for name in none.json none.pftrace none.txt none.json.gz; do
    run analyze aiu async.json -M --disable_file -o $name --report none
    expect "--disable_file -o $name" 0
    claim "writes no trace, but the reports" [ ! -e $name -a -s none/none_summary.csv ]
    rm -rf none*
done
cd ..
rm -r aiu_files
