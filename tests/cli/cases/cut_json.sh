# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016
# cut of Chrome JSON: events kept as their bytes, what is clipped and added, disorder, damage, forms of outputs.
mkdir json_cuts
cat >json_cuts/whole.json <<'END'
{"displayTimeUnit":"ns", "traceEvents": [
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"gone"}},
{"ph":"B","name":"outer","pid":1,"tid":2,"ts":10.5,"args":{"k":"v"}},
{"ph":"X","name":"gone","pid":1,"tid":3,"ts":1,"dur":14},
{"ph":"X","name":"long","pid":4,"tid":4,"ts":"1","dur":99,"cat":"c"},
{"ph":"C","name":"load","pid":1,"ts":11,"args":{"v":4}},
{"ph":"C","name":"load","pid":1,"ts":12,"args":{"v":5}},
{"ph":"s","name":"f","pid":1,"tid":2,"ts":13,"id":7},
{"ph":"b","name":"async","pid":1,"tid":2,"ts":14,"id":"a","cat":"x"},
{ "ph" : "B", "name":"in\u0073ide", "pid":1, "tid":2, "ts":20.000 },
{"ph":"f","name":"f","pid":1,"tid":2,"ts":21,"id":"0x7","bp":"e"},
{"ph":"E","pid":1,"tid":2,"ts":22},
{"ph":"C","name":"load","pid":1,"ts":25,"args":{"v":6}},
{"ph":"E","pid":1,"tid":2,"ts":40.25,"args":{"e":1}},
{"ph":"e","name":"async","pid":1,"tid":2,"ts":41,"id":"a","cat":"x"},
{"ph":"B","name":"late","pid":1,"tid":2,"ts":50}
], "other": {"a": [1, 2]}}
END
cat >json_cuts/want.json <<'END'
{"displayTimeUnit": "ns",
"traceEvents": [
{"ph":"X","name":"long","pid":4,"tid":4,"ts":15,"dur":15,"cat":"c", "args": {"cut.begins_before": true, "cut.original_ts": 1000, "cut.ends_after": true, "cut.original_end": 100000}},
{"ph":"B","name":"outer","pid":1,"tid":2,"ts":15,"args":{"cut.begins_before": true, "cut.original_ts": 10500, "k":"v"}},
{"ph":"C","name":"load","pid":1,"ts":15,"args":{"v":5}},
{"ph":"s","name":"f","pid":1,"tid":2,"ts":15,"id":7, "args": {"cut.begins_before": true, "cut.original_ts": 13000}},
{"ph":"b","name":"async","pid":1,"tid":2,"ts":15,"id":"a","cat":"x", "args": {"cut.begins_before": true, "cut.original_ts": 14000}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
{ "ph" : "B", "name":"in\u0073ide", "pid":1, "tid":2, "ts":20.000 },
{"ph":"f","name":"f","pid":1,"tid":2,"ts":21,"id":"0x7","bp":"e"},
{"ph":"E","pid":1,"tid":2,"ts":22},
{"ph":"C","name":"load","pid":1,"ts":25,"args":{"v":6}},
{"ph":"E","pid":1,"tid":2,"ts":30,"args":{"cut.ends_after": true, "cut.original_end": 40250, "e":1}},
{"ph":"e","name":"async","pid":1,"tid":2,"ts":30,"id":"a","cat":"x", "args": {"cut.ends_after": true, "cut.original_end": 41000}}
],
"other": {"a": [1, 2]}}
END
run cut json_cuts/whole.json -o json_cuts/a.json --from 15us --to 30us
expect "a window of JSON" 0 out= err=
claim "events keep their bytes" cmp json_cuts/a.json json_cuts/want.json
run cut json_cuts/a.json -o json_cuts/b.json --from 15us --to 30us
claim "a cut of a cut of JSON is the cut" cmp json_cuts/a.json json_cuts/b.json
run cut json_cuts/whole.json -o json_cuts/c.json --from +14us --to -70us
claim "times from start and end of JSON" cmp json_cuts/a.json json_cuts/c.json
"$PF" cut - -o - --from +14us --to -70us <json_cuts/whole.json >json_cuts/d.json 2>"$ERR"
rc=$?
expect "JSON through pipes" 0 err=
claim "pipes of JSON give the same" cmp json_cuts/a.json json_cuts/d.json
gzip -c json_cuts/whole.json >json_cuts/whole.json.gz
run cut json_cuts/whole.json.gz -o json_cuts/e.json.gz --from 15us --to 30us
claim "compressed JSON" cmp <(gzip -dc json_cuts/e.json.gz) json_cuts/a.json
run cut json_cuts/whole.json -o json_cuts/f.pftrace --from 15us --to 30us
run query -q json_cuts/f.pftrace "SELECT name || ' ' || ts || ' ' || dur FROM slice ORDER BY name" --format csv
expect "JSON to packets" 0 'out~inside 20000 2000' 'out~long 15000 15000' 'out~outer 15000 15000' 'out!gone' 'out!late'
run cut json_cuts/whole.json -o json_cuts/g.json --from 15us --to 30us --json
expect "a summary of JSON" 0 'out~"packets": 16' 'out~"packets_kept": 5' 'out~"packets_changed": 0' 'out~"packets_added": 7' \
    'out~"slices_begun": 3' 'out~"slices_ended": 3'

# the same events in another order
python3 - <<'END'
import json, random
whole = json.load(open("json_cuts/whole.json"))
random.Random(5).shuffle(whole["traceEvents"])
json.dump(whole, open("json_cuts/mixed.json", "w"))
END
run cut json_cuts/mixed.json -o json_cuts/h.json --from 15us --to 30us
claim "disorder" python3 -c '
import json
a, b = (sorted(json.dumps(e, sort_keys=True) for e in json.load(open(f"json_cuts/{n}.json"))["traceEvents"]) for n in "ah")
raise SystemExit(a != b)'

# a list that is cut off within an event, and one with a damaged event
sed -e '1s/.*/[/' -e '/"ph":"f"/s/.*/{"ph":"f","name":"f",,"pid":1},/' -e '/"late"/,$d' json_cuts/whole.json >json_cuts/damaged.json
printf '{"ph":"B","name":"la' >>json_cuts/damaged.json
run cut json_cuts/damaged.json -o json_cuts/i.json --from 15us --to 30us
expect "damaged JSON" 0 err~damaged
claim "what is undamaged is kept" test "$(grep -c ph json_cuts/i.json)" = 10
run cut json_cuts/whole.json -o json_cuts/j.json --from 300us --to 400us
expect "an empty window of JSON" 0 out= err=
run query -q json_cuts/j.json "SELECT name FROM slice" --format csv
expect "what never ends goes on" 0 out~late 'out!outer'
echo '{"a": 1}' >json_cuts/none.json
run cut json_cuts/none.json -o json_cuts/k.json
expect "no events" 3 'err~traceEvents'
claim "nothing is left" test ! -e json_cuts/k.json

# names_of FILE: what is left, in order
names_of() {
    python3 -c 'import json, sys; print(*[e["ph"] + e.get("name", "") for e in json.load(open(sys.argv[1]))["traceEvents"]])' "$1"
}

# selected WANT OPTIONS...
selected() {
    run cut json_cuts/whole.json -o json_cuts/some.json "${@:2}"
    expect "JSON with ${*:2}" 0 out= err=
    claim "what is kept by ${*:2}" test "$(names_of json_cuts/some.json)" = "$1"
}
selected "Mthread_name Xgone" --thread gone
selected "Mthread_name Bouter sf Binside ff E E Blate" --thread 2
selected "Xlong" --process 4
selected "Mthread_name Bouter Xlong Cload Cload sf basync Binside ff E Cload E easync Blate" --drop-thread gone
selected "Xlong Cload Cload Cload" --category c
selected "Mthread_name Cload Cload basync Cload easync" --track 'load*' --track async
selected "Mthread_name Bouter Xlong Cload Cload sf basync Cload E easync Blate" --min-dur 15us
run cut json_cuts/whole.json -o json_cuts/some.json --from 15us --to 30us --process 1 --drop-track worker --drop-thread gone
claim "a window of some tracks" test "$(names_of json_cuts/some.json)" = "Cload basync Mthread_name Cload easync"

# Traces of AI Engine cores say cycles, which are the times of the window, too; their thread 0 is one of its own. By hand: the lock
# stall of tile3,1 that runs at 126465 ends at 160679.
run cut aie_small.json -o cycles.json --from 120836 --to 126465
expect "cut: a window in cycles" 0
claim "cut: what ends there ends in cycles" grep -Fq '"ts": 126465, "ph": "E", "pid": 1, "tid": 7, "args": {"cut.ends_after": true, "cut.original_end": 160679}' cycles.json
"$PF" query -q aie_small.json --format csv "select tid, sum(min(ts + dur, 126465) - max(ts, 120836)) from slice join thread_track on
    thread_track.id = track_id join thread using (utid) where ts < 126465 and ts + dur > 120836 group by utid" >"$W/whole"
run query -q cycles.json --format csv "select tid, sum(dur) from slice join thread_track on thread_track.id = track_id
    join thread using (utid) group by utid"
claim "cut: each thread has its time of the window" eval 'diff <(tail -n +2 "$W/whole" | sort) <(tail -n +2 "$OUT" | sort)'
rm cycles.json

# an operation that another thread begins than the one that used its id before
cat >json_cuts/threads.json <<'END'
{"traceEvents": [{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"first"}},
{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"second"}},
{"ph":"b","name":"a","cat":"x","id":1,"pid":1,"tid":2,"ts":1},{"ph":"e","name":"a","cat":"x","id":1,"pid":1,"tid":2,"ts":2},
{"ph":"b","name":"b","cat":"x","id":1,"pid":1,"tid":3,"ts":5},{"ph":"e","name":"b","cat":"x","id":1,"pid":1,"tid":3,"ts":9}]}
END
run cut json_cuts/threads.json -o json_cuts/l.json --from 6us --to 7us
claim "threads that have nothing left go" test "$(names_of json_cuts/l.json)$(grep -c first json_cuts/l.json)" = "bb Mthread_name eb0"

# a complete event where the window begins, on slices that are open there: it becomes a begin and an end, so that it lies in them
cat >json_cuts/nested.json <<'JSON'
{"traceEvents": [{"ph":"B","name":"alpha","pid":1,"tid":1,"ts":1,"args":{"k":1}},
{"ph":"B","name":"beta","pid":1,"tid":1,"ts":2},
{"ph":"B","name":"in","pid":1,"tid":2,"ts":3},
{"ph":"X","name":"gamma","pid":1,"tid":1,"ts":5,"dur":2},
{"ph":"E","pid":1,"tid":2,"ts":6},
{"ph":"E","pid":1,"tid":1,"ts":8},
{"ph":"E","pid":1,"tid":1,"ts":12}]}
JSON
cat >json_cuts/want_nested.json <<'JSON'
{"traceEvents": [
{"ph":"B","name":"alpha","pid":1,"tid":1,"ts":5,"args":{"cut.begins_before": true, "cut.original_ts": 1000, "k":1}},
{"ph":"B","name":"beta","pid":1,"tid":1,"ts":5, "args": {"cut.begins_before": true, "cut.original_ts": 2000}},
{"ph":"B","name":"in","pid":1,"tid":2,"ts":5, "args": {"cut.begins_before": true, "cut.original_ts": 3000}},
{"ph":"B","name":"gamma","pid":1,"tid":1,"ts":5,"dur":2},
{"ph":"E","pid":1,"tid":2,"ts":6},
{"ph":"E","pid":1,"tid":1,"ts":8},
{"ph": "E", "ts": 7, "name": "gamma", "pid": 1, "tid": 1},
{"ph":"E","pid":1,"tid":1,"ts":10, "args": {"cut.ends_after": true, "cut.original_end": 12000}}
]}
JSON
run cut json_cuts/nested.json -o json_cuts/m.json --from 5us --to 10us --json
expect "a complete event where the window begins" 0 'out~"slices_begun": 3' 'out~"slices_ended": 1'
claim "it lies in what is open there" cmp json_cuts/m.json json_cuts/want_nested.json
run cut json_cuts/m.json -o json_cuts/n.json --from 5us --to 10us
claim "a cut of it is the same" cmp json_cuts/m.json json_cuts/n.json
sed -e 's/"ts":12/&,"args":{"e":1}/' json_cuts/nested.json >json_cuts/said.json
run cut json_cuts/said.json -o json_cuts/o.json --from 5us --to 10us
claim "an end with arguments keeps them" test "$(names_of json_cuts/o.json)" = "Balpha Bbeta Bin Bgamma E E Egamma E"

# complete events that begin together and go on after the window: equally long in it, the parent still comes first; so does
# the one that ends where the window ends
cat >json_cuts/together.json <<'JSON'
[{"ph":"X","name":"child","pid":1,"tid":1,"ts":12,"dur":8},
{"ph":"X","name":"middle","pid":1,"tid":1,"ts":12,"dur":70,"args":{"k":1}},
{"ph":"X","name":"parent","pid":1,"tid":1,"ts":12,"dur":80},
{"ph":"X","name":"inside","pid":1,"tid":1,"ts":13,"dur":6.5},
{"ph":"B","name":"other","pid":1,"tid":2,"ts":14},
{"ph":"E","pid":1,"tid":2,"ts":30}]
JSON
cat >json_cuts/want_together.json <<'JSON'
[
{"ph":"X","name":"inside","pid":1,"tid":1,"ts":13,"dur":6.5},
{"ph":"B","name":"other","pid":1,"tid":2,"ts":14},
{"ph":"E","pid":1,"tid":2,"ts":20, "args": {"cut.ends_after": true, "cut.original_end": 30000}},
{"ph":"X","name":"parent","pid":1,"tid":1,"ts":12,"dur":8, "args": {"cut.ends_after": true, "cut.original_end": 92000}},
{"ph":"X","name":"middle","pid":1,"tid":1,"ts":12,"dur":8,"args":{"cut.ends_after": true, "cut.original_end": 82000, "k":1}},
{"ph":"X","name":"child","pid":1,"tid":1,"ts":12,"dur":8}
]
JSON
run cut json_cuts/together.json -o json_cuts/r.json --from 11us --to 20us --json
expect "complete events that go on after the window" 0 'out~"packets_kept": 2' 'out~"packets_added": 4' 'out~"slices_ended": 3'
claim "the parent comes first" cmp json_cuts/r.json json_cuts/want_together.json
run cut json_cuts/r.json -o json_cuts/s.json --from 11us --to 20us
claim "a cut of them is the same" cmp json_cuts/r.json json_cuts/s.json
run query -q json_cuts/r.json "SELECT name || depth FROM slice ORDER BY depth" --format csv
expect "each lies on the one before it" 0 out~parent0 out~other0 out~middle1 out~child2 out~inside3

# Perfetto's engine reads times as doubles: 4458676948727.025 us as 727.026, so `inner` would end 1 ns after `outer` and be left out
cat >json_cuts/digits.json <<'JSON'
[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":4458676948727,"dur":700},
{"ph":"X","name":"inner","pid":1,"tid":1,"ts":4458676948727.025,"dur":600},
{"ph":"X","name":"core","pid":1,"tid":1,"ts":4458676948727.1,"dur":500}]
JSON
run cut json_cuts/digits.json -o json_cuts/t.json --from 4458676948000us --to 4458676949019us
claim "an inner slice does not end after the outer one" test "$(grep -o '"dur":[0-9.]*' json_cuts/t.json | cut -d: -f2 | xargs)" = "291.974 291.899 292"
run cut json_cuts/t.json -o json_cuts/u.json --from 4458676948000us --to 4458676949019us
claim "a cut of them is the same" cmp json_cuts/t.json json_cuts/u.json

# a begin without a name is called so in the engine, and an end of another name is not its own
cat >json_cuts/nameless.json <<'JSON'
[{"ph":"B","pid":1,"tid":1,"ts":1},
{"ph":"E","name":"run","pid":1,"tid":1,"ts":5},
{"ph":"E","name":"[No name]","pid":1,"tid":1,"ts":9}]
JSON
cat >json_cuts/want_nameless.json <<'JSON'
[
{"ph":"B","pid":1,"tid":1,"ts":2, "args": {"cut.begins_before": true, "cut.original_ts": 1000}},
{"ph":"E","name":"run","pid":1,"tid":1,"ts":5},
{"ph":"E","name":"[No name]","pid":1,"tid":1,"ts":7, "args": {"cut.ends_after": true, "cut.original_end": 9000}}
]
JSON
run cut json_cuts/nameless.json -o json_cuts/v.json --from 2us --to 7us
claim "a begin without a name" cmp json_cuts/v.json json_cuts/want_nameless.json

# ends of arrows go with the slices on which they are: with those that a filter leaves out, and to the window's start with those that
# are open there; an end that waits for a slice is left out where nothing leads to it
cat >json_cuts/arrows.json <<'JSON'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":19},
{"ph":"s","name":"f","cat":"x","pid":1,"tid":1,"ts":2,"id":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":2},
{"ph":"s","name":"f","cat":"x","pid":1,"tid":1,"ts":4,"id":2},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":6,"dur":9,"cat":"k"},
{"ph":"s","name":"f","cat":"x","pid":1,"tid":1,"ts":7,"id":3},
{"ph":"f","name":"f","cat":"x","pid":2,"tid":2,"ts":10,"id":1},
{"ph":"f","name":"f","cat":"x","pid":2,"tid":2,"ts":11,"id":2},
{"ph":"X","name":"d","pid":2,"tid":2,"ts":12,"dur":5,"cat":"k"},
{"ph":"f","name":"f","cat":"x","pid":2,"tid":2,"ts":14,"id":3,"bp":"e"}]
JSON
python3 -c '
import json, random
events = json.load(open("json_cuts/arrows.json"))
random.Random(4).shuffle(events)
json.dump({"traceEvents": events}, open("json_cuts/arrows_mixed.json", "w"))'
# arrows WANT OPTIONS...: the flows of the cut, which are those of the whole between slices that are in it, in any order of events
arrows() {
    for whole in arrows arrows_mixed; do
        run cut json_cuts/$whole.json -o json_cuts/some.json "${@:2}"
        run query -q json_cuts/some.json "SELECT o.name || i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i
            ON i.id = slice_in ORDER BY 1" --format csv
        claim "$whole with ${*:2}" test "$(sed 1d "$OUT" | tr -d '"' | xargs)" = "$1"
    done
}
arrows "ad bd cd" --to 1ms
arrows "ad cd" --from 8us
arrows "ad cd" --from 7us --to 13us
arrows "cd" --category k
arrows "ad cd" --min-dur 3us
arrows "" --min-dur 6us
cat >json_cuts/three.json <<'JSON'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":19},
{"ph":"s","name":"f","pid":1,"tid":1,"ts":2,"id":3},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":9,"dur":3},
{"ph":"t","name":"f","pid":1,"tid":2,"ts":10,"id":3},
{"ph":"X","name":"c","pid":1,"tid":3,"ts":15,"dur":3},
{"ph":"f","name":"f","pid":1,"tid":3,"ts":16,"id":3,"bp":"e"}]
JSON
run cut json_cuts/three.json -o json_cuts/some.json --from 8us --to 14us
claim "an end before the window, with one after it" grep -Fq '"ts":8,"id":3, "args": {"cut.begins_before": true, "cut.original_ts": 2000, "cut.flow_outside": true}}' json_cuts/some.json
run cut json_cuts/arrows.json -o json_cuts/some.json --from 15us
cat >json_cuts/want_arrows.json <<'JSON'
[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":15,"dur":5, "args": {"cut.begins_before": true, "cut.original_ts": 1000}},
{"ph":"s","name":"f","cat":"x","pid":1,"tid":1,"ts":15,"id":1, "args": {"cut.begins_before": true, "cut.original_ts": 2000}},
{"ph":"f","name":"f","cat":"x","pid":2,"tid":2,"ts":15,"id":1, "args": {"cut.begins_before": true, "cut.original_ts": 10000}},
{"ph":"B","name":"d","pid":2,"tid":2,"ts":15,"dur":2,"cat":"k", "args": {"cut.begins_before": true, "cut.original_ts": 12000}},
{"ph": "E", "ts": 17, "name": "d", "pid": 2, "tid": 2, "cat": "k"}
]
JSON
claim "an arrow that lies before the window" cmp json_cuts/some.json json_cuts/want_arrows.json
run cut json_cuts/some.json -o json_cuts/again.json --from 15us
claim "a cut of it is the same" cmp json_cuts/some.json json_cuts/again.json

# thread 0 is the main one, and the last name counts, also for what comes before it
cat >json_cuts/renamed.json <<'JSON'
{"traceEvents": [{"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"first"}},
{"ph":"X","name":"gamma","pid":1,"tid":0,"ts":0,"dur":1},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"last"}},
{"ph":"X","name":"delta","pid":1,"tid":1,"ts":0,"dur":1},
{"ph":"X","name":"other","pid":2,"tid":2,"ts":0,"dur":1}]}
JSON
run cut json_cuts/renamed.json -o json_cuts/some.json --thread last
claim "a thread that is renamed" test "$(names_of json_cuts/some.json)" = "Mthread_name Xgamma Mthread_name Xdelta"
echo '{"traceEvents": [{"ph":"X","name":"delta","pid":1.0,"tid":2.00,"ts":0,"dur":1}]}' >json_cuts/real.json
run cut json_cuts/real.json -o json_cuts/some.json --process 1 --thread 2
claim "ids that are written as reals" test "$(names_of json_cuts/some.json)" = Xdelta

echo '{"traceEvents": [{"ph":"M","name":"process_name","pid":"p","args":{"name":"main"}},
{"ph":"X","name":"delta","pid":"p","tid":"q","ts":0,"dur":1}]}' >json_cuts/texts.json
for id in p main; do
    run cut json_cuts/texts.json -o json_cuts/some.json --process $id --thread q
    claim "an id that is a text: $id" test "$(names_of json_cuts/some.json)" = "Mprocess_name Xdelta"
done

# what begins at the time at which a slice ends lies on those in it that have no end of their own, until a later event shows that all
# are over: an end that fits none of them stands for that event
cat >json_cuts/tie.json <<'JSON'
[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":1,"dur":9},
{"ph":"B","name":"inner","pid":1,"tid":1,"ts":2},
{"ph":"B","name":"last","cat":"k","pid":1,"tid":1,"ts":10},
{"ph":"i","name":"mark","pid":1,"tid":1,"ts":10},
{"ph":"X","name":"later","pid":1,"tid":1,"ts":12,"dur":1}]
JSON
cat >json_cuts/want_tie.json <<'JSON'
[
{"ph":"X","name":"outer","pid":1,"tid":1,"ts":3,"dur":7, "args": {"cut.begins_before": true, "cut.original_ts": 1000}},
{"ph":"B","name":"inner","pid":1,"tid":1,"ts":3, "args": {"cut.begins_before": true, "cut.original_ts": 2000}},
{"ph":"B","name":"last","cat":"k","pid":1,"tid":1,"ts":10},
{"ph":"i","name":"mark","pid":1,"tid":1,"ts":10},
{"ph": "E", "ts": 11, "cat": "cut.end", "name": "last", "pid": 1, "tid": 1}
]
JSON
run cut json_cuts/tie.json -o json_cuts/w.json --from 3us --to 11us
claim "an end that fits no begin" cmp json_cuts/w.json json_cuts/want_tie.json
run cut json_cuts/w.json -o json_cuts/x.json --from 3us --to 11us
claim "a cut of it is the same" cmp json_cuts/w.json json_cuts/x.json
run query -q json_cuts/w.json "SELECT name || ' ' || depth || ' ' || dur FROM slice" --format csv
expect "slices end with the one around them" 0 'out~outer 0 7000' 'out~inner 1 7000' 'out~last 2 0' 'out~mark 3 0'

# an end that names an outer slice: what is on top goes with the next event, in the place of the outer one, and no further
cat >json_cuts/place.json <<'JSON'
{"traceEvents": [{"ph":"B","name":"outer","pid":1,"tid":1,"ts":1},
{"ph":"X","name":"top","pid":1,"tid":1,"ts":2,"dur":9},
{"ph":"E","name":"outer","pid":1,"tid":1,"ts":3},
{"ph":"B","name":"last","pid":1,"tid":1,"ts":5}]}
JSON
run cut json_cuts/place.json -o json_cuts/some.json --from 4us
claim "the last begin never ends" test "$(names_of json_cuts/some.json)" = "Xtop Blast"

# a counter that has a value at the window's start needs no other one there
cat >json_cuts/counter.json <<'JSON'
{"traceEvents": [{"ph":"C","name":"load","pid":1,"ts":1,"args":{"v":1}},
{"ph":"C","name":"load","pid":1,"ts":3,"args":{"v":3}},
{"ph":"C","name":"load","pid":2,"ts":2,"args":{"v":2}}]}
JSON
run cut json_cuts/counter.json -o json_cuts/some.json --from 3us
claim "values at the start" test "$(grep -o '"ts":[0-9],"args":{"v":[0-9]' json_cuts/some.json | tr -dc '0-9\n' | xargs)" = "32 33"

# a chunk of a profile is kept where the profile's start is
cat >json_cuts/profile.json <<'JSON'
{"traceEvents": [{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":1,"ts":1,"args":{"data":{"startTime":1}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":2,"ts":5,"args":{"data":{}}},
{"ph":"P","name":"ProfileChunk","id":"0x2","pid":1,"tid":2,"ts":6,"args":{"data":{}}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"sampler"}},
{"ph":"P","name":"Profile","id":"0x1","pid":2,"tid":1,"ts":5,"args":{"data":{"startTime":5}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":2,"tid":2,"ts":6,"args":{"data":{}}}]}
JSON
profiles() {
    run cut json_cuts/profile.json -o json_cuts/some.json "${@:2}"
    claim "profiles with ${*:2}" test "$(python3 -c 'import json
print(*[e["name"][:9] + e.get("id", "")[2:] + "/" + str(e["pid"]) for e in json.load(open("json_cuts/some.json"))["traceEvents"]])')" = "$1"
}
profiles "Profile1/1 ProfileCh1/1 ProfileCh2/1 thread_na/1 Profile1/2 ProfileCh1/2" --to 1ms
profiles "ProfileCh2/1 thread_na/1 Profile1/2 ProfileCh1/2" --from 5us --to 7us
profiles "" --from 6500ns
profiles "Profile1/1 ProfileCh1/1 thread_na/1" --to 6us --process 1
profiles "Profile1/1 ProfileCh1/1 thread_na/1 Profile1/2 ProfileCh1/2" --thread 1
profiles "ProfileCh2/1 thread_na/1" --thread sampler

# arguments that are under another key get their marks there, where queries find them too
echo '[{"ph":"X","name":"dma","pid":1,"tid":1,"ts":1,"dur":9,"attr":{"Power":"3"}}]' >json_cuts/attr.json
run cut json_cuts/attr.json -o json_cuts/some.json --from 2us --to 5us
claim "marks are where the arguments are" grep -Fq '"attr":{"cut.begins_before": true, "cut.original_ts": 1000, "cut.ends_after": true, "cut.original_end": 10000, "Power":"3"}' json_cuts/some.json
run query -q json_cuts/some.json "SELECT key, display_value FROM args WHERE key LIKE 'args.%' ORDER BY key" --format csv
expect "arguments under another key" 0 'out~"args.Power","3"' 'out~"args.cut.original_end","10000"' 'out~"args.cut.original_ts","1000"'

# an end that names an outer slice ends those in it, as in Perfetto's engine
cat >json_cuts/named.json <<'JSON'
[{"ph":"B","name":"alpha","pid":1,"tid":1,"ts":1},
{"ph":"B","name":"beta","pid":1,"tid":1,"ts":2},
{"ph":"E","name":"alpha","pid":1,"tid":1,"ts":9},
{"ph":"E","name":"beta","pid":1,"tid":1,"ts":20}]
JSON
cat >json_cuts/want_named.json <<'JSON'
[
{"ph":"B","name":"alpha","pid":1,"tid":1,"ts":3, "args": {"cut.begins_before": true, "cut.original_ts": 1000}},
{"ph":"B","name":"beta","pid":1,"tid":1,"ts":3, "args": {"cut.begins_before": true, "cut.original_ts": 2000}},
{"ph":"E","name":"alpha","pid":1,"tid":1,"ts":5, "args": {"cut.ends_after": true, "cut.original_end": 9000}},
{"ph": "E", "ts": 5, "name": "beta", "pid": 1, "tid": 1, "args": {"cut.ends_after": true, "cut.original_end": 9000}}
]
JSON
run cut json_cuts/named.json -o json_cuts/p.json --from 3us --to 5us
claim "the inner slice ends with the outer one" cmp json_cuts/p.json json_cuts/want_named.json
cat >json_cuts/want_named.json <<'JSON'
[
{"ph":"B","name":"alpha","pid":1,"tid":1,"ts":3, "args": {"cut.begins_before": true, "cut.original_ts": 1000}},
{"ph":"B","name":"beta","pid":1,"tid":1,"ts":3, "args": {"cut.begins_before": true, "cut.original_ts": 2000}},
{"ph":"E","name":"alpha","pid":1,"tid":1,"ts":9},
{"ph": "E", "ts": 9, "name": "beta", "pid": 1, "tid": 1}
]
JSON
run cut json_cuts/named.json -o json_cuts/p.json --from 3us --to 12us
claim "its own end comes with the outer one's" cmp json_cuts/p.json json_cuts/want_named.json
run cut json_cuts/p.json -o json_cuts/q.json --from 3us --to 12us
claim "a cut of that is the same" cmp json_cuts/p.json json_cuts/q.json
run cut json_cuts/named.json -o json_cuts/p.json --from 10us --to 25us
claim "after the outer one the inner one is no more" cmp json_cuts/p.json <(printf '[\n{"ph":"E","name":"beta","pid":1,"tid":1,"ts":20}\n]\n')

# an arrow that comes from outside begins at its first step in the window, and an end after it comes back where its slice is on top
cat >json_cuts/chain.json <<'END'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}, {"ph":"s","name":"f","pid":1,"tid":1,"ts":2,"id":1},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":11,"dur":2}, {"ph":"t","name":"f","pid":1,"tid":2,"ts":12,"id":1},
{"ph":"X","name":"c","pid":1,"tid":3,"ts":21,"dur":2}, {"ph":"t","name":"f","pid":1,"tid":3,"ts":22,"id":1},
{"ph":"f","name":"f","pid":1,"tid":4,"ts":30,"id":1}, {"ph":"X","name":"d","pid":1,"tid":4,"ts":31,"dur":2},
{"ph":"X","name":"e","pid":1,"tid":5,"ts":35,"dur":2}, {"ph":"s","name":"g","pid":1,"tid":5,"ts":36,"id":2},
{"ph":"X","name":"h","pid":1,"tid":6,"ts":37,"dur":2}, {"ph":"f","name":"g","pid":1,"tid":6,"ts":60,"id":2,"bp":"e"}]
END
run cut json_cuts/chain.json -o json_cuts/j.json --from 10us --to 50us
run query -q json_cuts/j.json "SELECT o.name || '>' || i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in ORDER BY 1" --format csv
expect "arrows over the edges of a window" 0 'out~b>c' 'out~c>d' 'out~e>h'
run cut json_cuts/j.json -o json_cuts/k.json --from 10us --to 50us
claim "a cut of a cut with arrows is the cut" cmp json_cuts/j.json json_cuts/k.json

# a selection that keeps what ends them leaves slices without an end of their own as they were
cat >json_cuts/ties.json <<'END'
[{"ph":"X","name":"outer","cat":"k","pid":1,"tid":1,"ts":10,"dur":10}, {"ph":"B","name":"open","cat":"k","pid":1,"tid":1,"ts":12},
{"ph":"B","name":"tie","cat":"k","pid":1,"tid":1,"ts":20}, {"ph":"X","name":"gone","cat":"g","pid":1,"tid":1,"ts":30,"dur":1},
{"ph":"X","name":"next","cat":"k","pid":1,"tid":1,"ts":40,"dur":1}]
END
run cut json_cuts/ties.json -o json_cuts/l.json --from 5us --to 50us --drop-category g
run query -q json_cuts/l.json "SELECT group_concat(name || ' ' || ts || ' ' || dur || ' ' || depth, ';') FROM slice" --format csv
expect "slices that end with others under a selection" 0 'out~outer 10000 10000 0;open 12000 8000 1;tie 20000 0 2;next 40000 1000 0'
run cut json_cuts/l.json -o json_cuts/m.json --from 5us --to 50us
claim "an end that fits none stays in a cut of the cut" cmp json_cuts/l.json json_cuts/m.json
