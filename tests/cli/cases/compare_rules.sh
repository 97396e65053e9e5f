# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# compare A B: anchors with more to a row, what counts as a call, lengths in marks, rows without a process, shapes. By hand.
# Sourced by run.sh.
rules_rows() { # rules_rows KEY...: of every row of $OUT these members, base.calls or name, between blanks
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
rules_whole() { # rules_whole KEY: a member of the document in $OUT
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$OUT" "$1"
}

# Three steps with two calls of work each; what only begins like the anchor begins no iteration.
python3 - >steps.json <<'END'
import json
events = []
for step in range(3):
    events += [{"ph": "X", "pid": 1, "tid": 1, "cat": "user", "name": name, "ts": 100 * step + at, "dur": dur}
               for name, at, dur in (("step", 0, 90), ("steps", 5, 10), ("work", 20, 5), ("work", 30, 5))]
print(json.dumps(events))
END
for by in "" "--by category" "--by process,stream"; do
    for anchor in step:iterations steps:iterations; do
        run compare steps.json steps.json --anchor ${anchor%:*} $by --json -q
        claim "--anchor ${anchor%:*} $by" [ "$rc $(rules_whole samples) $(rules_rows samples | sort -u)" = "0 ${anchor#*:} 3" ]
    done
    for absent in ste step-; do
        run compare steps.json steps.json --anchor $absent $by
        expect "--anchor $absent $by" 3 "err~no slice is called '$absent'"
    done
done
rm steps.json

# Instants of all kinds are no calls; of what never ends the parts are, and they take nothing of its time, nor are they of
# what shares are of: 20 us, the length of what is in nothing else. A call may be as long as the one around it.
python3 - >calls.json <<'END'
import json
x = lambda name, ts, dur: {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": ts, "dur": dur}
print(json.dumps([x("outer", 0, 10), x("inner", 0, 10), x("outer", 20, 10), x("inner", 22, 3), x("inner", 25, 5),
                  {"ph": "B", "pid": 1, "tid": 2, "name": "open", "ts": 1}, {**x("inner", 2, 4), "tid": 2}]
                 + [{"ph": phase, "pid": 1, "tid": 3, "name": "tick " + phase, "ts": 5, "s": "t"} for phase in "iIR"]
                 + [{"ph": "n", "pid": 1, "id": 7, "cat": "c", "name": "tick n", "ts": 6}]))
END
run compare calls.json calls.json --json -q
expect "instants are no calls" 0
claim "calls and what they take themselves" [ "$(rules_rows name base.calls base.total_ns base.self_ns base.share_percent | sort)" = \
    "inner 4 22000 22000 110
outer 2 20000 2000 100" ]
rm calls.json

# A call that ends after the one around it, by rounding, is inside of it all the same; one that has less than half in it is not:
# outer takes 100 - 51, inner 51 - 50; late and next are in nothing. Shares are of 100 + 35 + 20.
python3 - >crossing.json <<'END'
import json
x = lambda name, ts, dur: {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": ts, "dur": dur}
print(json.dumps([x("outer", 0, 100), x("inner", 50, 51), x("deep", 51, 50), x("late", 90, 35), x("next", 120, 20)]))
END
run compare crossing.json crossing.json --json -q
expect "slices that do not nest" 0
claim "what half of it or more is inside of, it is inside of" [ "$(rules_rows name base.total_ns base.self_ns base.share_percent | sort)" = \
    "deep 50000 50000 32.2581
inner 51000 1000 32.9032
late 35000 35000 22.5806
next 20000 20000 12.9032
outer 100000 49000 64.5161" ]
rm crossing.json

# A call that got longer by so much is marked with the difference.
marks=
for length in 0.5 0.999 1 999.9 1000 999949 1000000 2500000; do
    python3 - $length <<'END'
import json, sys
length = float(sys.argv[1])
for file, times in (("short.json", 1), ("long.json", 2)):
    json.dump([{"ph": "X", "pid": 1, "tid": 1, "name": "n" * 299 + "lm" if length == 0.5 else "n", "ts": 4 * length * k,
                "dur": length * times} for k in range(4)], open(file, "w"))
END
    run compare short.json long.json -q -o marked.pftrace
    run query marked.pftrace "SELECT DISTINCT CASE WHEN length(name) > 100 THEN substr(name, 1, 9) || (length(name) - 8) || substr(name, -2)
        ELSE name END AS name FROM slice WHERE category = 'postfetto.compare'"
    marks+=$(sed 1d "$OUT")
done
claim "marks say how much longer a call is" [ "$marks" = \
    '"+500 ns n300nl""+999 ns n""+1.0 us n""+999.9 us n""+1.0 ms n""+999.9 ms n""+1.00 s n""+2.50 s n"' ]
rm marked.pftrace short.json long.json

# Rows of tracks that belong to no process; shapes of all forms that arguments have.
PYTHONPATH="$here/../../scripts" python3 - <<'END'
from make_fixtures_proto import BEGIN, END, event, message, packet
tracks = b"".join(packet((60, message((1, uuid), (2, name)))) for uuid, name in ((20, "lonely"), (21, "other")))
open("tracks.pftrace", "wb").write(tracks + event(1000, BEGIN, "a", track=20) + event(2000, END, track=20) + event(3000, BEGIN, "b", track=21)
                                   + event(5000, END, track=21))
END
run compare tracks.pftrace tracks.pftrace --by process,stream --json -q
claim "rows of tracks without a process" [ "$(rules_rows name base.total_ns | sort)" = "a @ lonely @ no process 1000
b @ other @ no process 2000" ]
run compare tracks.pftrace tracks.pftrace -q -o marked.pftrace
run query marked.pftrace "SELECT p.name AS process, t.name, s.name AS slice, s.dur FROM slice s JOIN process_track t ON t.id = s.track_id
    JOIN process p USING (upid) ORDER BY s.ts"
expect "tracks without a process are drawn in one of their own" 0 'out="process","name","slice","dur"
"base: without a process","lonely","a",1000
"base: without a process","other","b",2000'
python3 - >shapes.json <<'END'
import json
shapes = [{"Input Dims": [[1.5, -1], [], {"k": [1]}]}, {"shapes": "[2]", "other": [3]}, {"input_shapes": [True, None, 1]},
          {"Input Dim": [1], "shapess": 2}, {"outer": {"shape": [1]}}, {"Input Shapes": 7, "shape": [8]}, {"Input shapes": []}]
print(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "name": f"k{'abcdefg'[i]}", "ts": 10 * i, "dur": 5, "args": args} for i, args in enumerate(shapes)]))
END
run compare shapes.json shapes.json --by shape --json -q
claim "shapes" [ "$(rules_rows name | sort | tr '\n' ' ')" = "ka [[1.5,-1],[],[[1]]] kb [[2]] kc [,,1] kd ke kf [7,8] kg " ]
rm tracks.pftrace marked.pftrace shapes.json
