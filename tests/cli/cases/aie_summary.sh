# shellcheck shell=bash disable=SC2154,SC2034,SC2086
# analyze aie --json, the tables on the terminal and those of thresholds against the reports, which the corpus has recorded. Sourced by run.sh.
cat >summary.py <<'END'
import json, sys
load = lambda name: json.load(open(f"aie_r/{name}"))
found, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
assert list(found) == ["schema_version", "pass", "input_path", "parameters", "cores", "aggregate", "quality", "warnings"]
assert (found["schema_version"], found["pass"], found["input_path"]) == (1, "aie", "aie_small.json")
assert found["aggregate"] == load("aggregate_perf.json") and found["quality"] == load("aie_quality.json")
index = load("index.json")
given = found["parameters"]
assert [given[key] for key in ("M", "K", "N", "m", "k", "n", "row", "col", "warmup", "iterations", "hwid", "clock-ghz")] == \
    [index[key] for key in ("M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations", "hwid", "clock_GHz")]
peak = given["clock-ghz"] * given["peak-macs-per-cycle"]
extra = ("utilisation_percent", "stall_percent", "any_stall_percent", "vector_percent")
lines = []
for core in found["cores"]:
    tile = load(core["tile_name"] + ".json")
    plain = [{key: value for key, value in one.items() if key not in extra} for one in core["iterations"]]
    perf = [one for one in core["iterations"] if one["phase"] == "perf"]
    assert core.pop("num_kernels") == sum(one["num_kernels"] for one in plain)
    assert {**core, "iterations": plain} == tile, tile
    assert core["performance_window"] == [one["iteration_index"] for one in perf] and len(perf) == 4
    for one in core["iterations"]:
        assert abs(one["utilisation_percent"] - 100 * one["gmacs_per_second"] / peak) < 1e-9, one
        assert list(one["stall_percent"]) == ["LOCK", "MEMORY", "STREAM", "CASCADE"]
        each = one["stall_percent"].values()
        assert max(each) - 1e-9 <= one["any_stall_percent"] <= sum(each) + 1e-9 and 0 < one["vector_percent"] < 100
    mean = lambda key, weight: sum(one[key] * weight(one) for one in perf) / sum(weight(one) for one in perf)
    alike = lambda one: 1
    span = lambda one: one["total_span_cycles"]  # what stalls are a share of
    busy = lambda one: one["avg_duration_cycles"] * one["num_kernels"]  # what vector time is a share of
    lines.append([core["tile_name"], "6", f"{core['median_kernel_duration_cycles']:.1f}", f"{mean('gmacs_per_second', alike):.3f}",
                  f"{mean('utilisation_percent', alike):.2f}", f"{mean('any_stall_percent', span):.2f}",
                  f"{mean('vector_percent', busy):.2f}"])
whole = found["aggregate"]
spans = {k: [next(i for i in core["iterations"] if i["iteration_index"] == k) for core in found["cores"]]
         for k in whole["iterations_considered"]}
lines += [[str(one["iteration_index"]), str(one["runtime_cycles"]), f"{one['gmacs_per_second']:.3f}",
           str(max(i["last_end"] for i in own) - min(i["first_start"] for i in own) - one["runtime_cycles"]),
           next(c["tile_name"] for c, i in zip(found["cores"], own) if i["total_span_cycles"] == one["runtime_cycles"])]
          for one in whole["per_iteration"] for own in [spans[one["iteration_index"]]]]
lines += [[one["tile_name"], "24", "24", str(one["open_intervals"]), *"0000", str(one["discarded_pairs"])] for one in found["quality"]]
shown = [line.split() for line in text.splitlines()]
assert all(line in shown for line in lines), (lines, shown)
average, best, worst = (f"{whole[key]['gmacs_per_second']:.1f}" for key in ("average", "best", "worst"))
assert text.startswith(f"2 cores ran 4 iterations at {average} GMAC/s on average (best {best}, worst {worst}); the slowest is "), text
for core in found["cores"]:
    assert f"postfetto: aie_small.json: warning: {core['tile_name']}: {core['mismatch_note']}" in text.splitlines()
    assert {"tile_name": core["tile_name"], "kind": "iterations", "text": core["mismatch_note"]} in found["warnings"]
assert [one["warnings"] for one in found["quality"]] == [[{"kind": one["kind"], "text": one["text"]}] for one in found["warnings"]]
END
run analyze aie aie_small.json $SHAPE --json --report aie_r
expect "analyze aie --json" 0
cp "$OUT" summary.json
claim "the summary and the tables say what the reports say" python3 summary.py summary.json "$ERR"
run analyze aie aie_small.json $SHAPE --json --report aie_r -q
expect "analyze aie --json -q shows no tables" 0 err=
claim "and the same summary" cmp -s "$OUT" summary.json
rm -r aie_r summary.py summary.json
# A long stall before the first kernel: iteration 0 has none, and no numbers in the table of iterations.
python3 - >aie_empty.json <<'END'
import json
rows = [("LOCK_STALL", 0, 5000), ("INSTR_EVENT_", 5001, 5101), ("LOCK_STALL", 6000, 9000), ("INSTR_EVENT_", 9001, 9101)]
events = [{"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for a"}}]
for name, start, end in rows:
    marks = ("0", "1") if name.endswith("_") else ("", "")
    events += [{"name": name + mark, "ph": ph, "ts": ts, "pid": 0, "tid": 0, "args": {}} for mark, ph, ts in zip(marks, "BE", (start, end))]
print(json.dumps(events))
END
columns='start, "end", span, average_cycles, gmacs_per_second, utilisation_percent, stalled_percent, vector_percent'
run analyze aie aie_empty.json $SHAPE -q --report aie_r --fail-if "(SELECT count(*) FROM aie_iterations WHERE kernels = 0 AND iteration = 0
    AND coalesce($columns) IS NULL) <> 1" --fail-if "(SELECT count(start) FROM aie_iterations) <> (SELECT count(*) FROM aie_iterations WHERE kernels > 0)"
expect "an iteration without kernels has no numbers" 0
rm -r aie_r aie_empty.json
# Several captures in one call: each has the files that it has alone, under its name, and tables of its own.
mkdir alone other
cp aie_small.json one.json
sed 's/"ts": /"ts": 1/' aie_small.json >other/one.json
for capture in one.json other/one.json; do
    run analyze aie $capture $SHAPE -q --report alone/$(dirname $capture)
done
run analyze aie one.json other/one.json $SHAPE --report both -o both.pftrace
expect "two captures of one name" 0 "out~^\[write\] both/one.tile2,1.json" "out~^\[write\] both/one-2.tile2,1.json" \
    "err~^one-2: Cores, the slowest first" "err~^2 captures with 4 cores" "err~warning: one-2: tile3,1: Detected 6 iterations" "err!several cores"
for file in tile2,1.json tile3,1.json aggregate_perf.json aie_quality.json details.md; do
    name=one wanted=alone/$file
    for again in 1 2; do
        sed "s/\[one-2\]/[one]/" both/$name.$file >both/now
        claim "$name.$file is that of the capture alone" cmp -s both/now $wanted
        name=one-2 wanted=alone/other/$file
    done
done
claim "index.json says which capture it is of" grep -q '"input_path": "other/one.json"' both/one-2.index.json
claim "and where its details are" grep -q '"details_md": "both/one-2.details.md"' both/one-2.index.json
run query -q both.pftrace "SELECT count(*) AS n FROM track WHERE name IN ('AIE system one', 'AIE system one-2', 'one-2 system iterations')"
expect "each has a system group" 0 "out~^3$"
run analyze aie one.json other/one.json $SHAPE -q --report both --json
claim "and a document" python3 -c 'import json, sys; c = json.load(open(sys.argv[1]))["captures"]; assert [one["input_path"] for one in c] == ["one.json", "other/one.json"] and all(len(one["cores"]) == 2 for one in c)' "$OUT"
run analyze aie one.json other/one.json $SHAPE -q --report both --fail-if "SELECT count(*) <> 4 OR count(DISTINCT input) <> 2 FROM aie_cores"
expect "and rows in the tables" 0
run analyze aie one.json $SHAPE -q --report both --fail-if "SELECT count(*) > 0 FROM aie_warnings WHERE kind = 'iterations'"
expect "a warning can be a finding" 1
run analyze aie one.json $SHAPE --col 3 --report both --drop-empty
expect "cores other than row x col are said" 0 "err~warning: the trace has 2 cores, not --row 1 x --col 3"
run analyze aie one.json $SHAPE --report both --outlier-low 5
expect "an outlier window without a length is refused" 2 "err~--outlier-low is above --outlier-high"
rm -rf alone other both both.pftrace one.json
