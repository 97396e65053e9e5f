# shellcheck shell=bash disable=SC2154,SC2086
# query --pass: the tables of passes next to those of the trace. That they are the ones of `analyze` is seen where it writes
# them, too; the rest is by hand.
run query aie_small.json --pass aie $SHAPE "SELECT tile, iterations FROM aie_cores" -q
cp "$OUT" cores
run analyze aie aie_small.json $SHAPE -q --fail-if "SELECT count(*) <> 2 OR sum(iterations) <> 12 FROM aie_cores" --report reports
expect "analyze says what query --pass aie will" 0
printf '"tile","iterations"\n"tile2,1",6\n"tile3,1",6\n' >expected
claim "query --pass aie" diff expected cores
cp aie_small.pftrace plain.pftrace
run analyze aie aie_small.pftrace $SHAPE -q -o drawn.pftrace --report reports
run query drawn.pftrace --pass aie $SHAPE "SELECT count(*) AS n FROM aie_cores; SELECT count(*) AS n FROM slice WHERE category = 'postfetto.aie'" -q
expect "what a pass has drawn is left out, as where it reads itself" 0 'out="n"
2

"n"
0'
run query drawn.pftrace "SELECT count(*) > 0 AS n FROM slice WHERE category = 'postfetto.aie'" -q
expect "without --pass it is there" 0 'out="n"
1'
run query aie_small.json --pass=aie $SHAPE --clock-ghz 2 --fail-if "SELECT count(*) = 2 FROM aie_cores" -q
expect "thresholds see the tables of --pass" 1 "err~is true: count\(\*\) = 2"
run query "$FIX/aiu/tp2-rank-0.json" --pass aiu --pass gpu --pass aiu "SELECT (SELECT count(*) FROM aiu_kernels) AS aiu, (SELECT count(*) FROM gpu_kernels) AS gpu" -q
expect "two passes, one of them twice" 0 'out="aiu","gpu"
1,0'
run query aie_small.json --pass aie --M 3 "SELECT 1"
expect "an option that the pass needs" 2 "err=postfetto: query: analyze aie needs --K, --N, --row, --col, --warmup, --iterations; see postfetto analyze aie --help"
run query aie_small.json --M 3 "SELECT 1"
expect "options of a pass without --pass" 2 "err~unknown option '--M'"
run query aie_small.json --pass gup "SELECT 1"
expect "an unknown pass" 2 "err=postfetto: query: unknown pass 'gup'; did you mean 'gpu'?"
run query aie_small.json --pass tinygrad "SELECT 1"
expect "a pass that needs another kind of input" 3 "err~tinygrad"
run query aie_small.json "SELECT * FROM gpu_kernels"
expect "a table of a pass without --pass" 2 "err~no such table: gpu_kernels; the pass gpu reports it: add --pass gpu"
run query aie_small.json "SELECT * FROM host_gaps"
expect "a table of passes without their name" 2 "err~no such table: host_gaps; with --pass aiu it is aiu_host_gaps; with --pass gpu it is gpu_host_gaps$"
run query "$FIX/aiu/tp2-rank-0.json" --pass aiu --pass gpu "SELECT (SELECT count(*) FROM aiu_gaps) AS gaps, (SELECT count(*) FROM aiu_host_gaps) +
(SELECT count(*) FROM gpu_host_gaps) AS hosts, (SELECT count(*) FROM host_gaps) AS both" -q
expect "gaps, and what hosts did in them: nothing without a scheduler" 0 'out="gaps","hosts","both"
1,0,0'
run query --pass gpu --help
expect "help with the options of a pass" 0 "out~Options of gpu:" "out~--step-pattern"
run query aie_small.json --pass aie $SHAPE "SELECT count(*) AS n FROM aie_cores" -o aie_small.json
expect "the input as output" 6 "err~is the input file"
run query aie_small.json --pass aie $SHAPE "SELECT count(*) AS n FROM aie_cores" --max-memory 100k
expect "a pass within too little memory" 5 "err~max-memory"
run analyze aie aie_small.json $SHAPE -q --report reports --tables tables
expect "the tables of a pass as files" 0 "out~^\[write\] tables/aie_cores.parquet$" "out~^\[write\] tables/aie_warnings.parquet$"
run analyze aie aie_small.json $SHAPE -q --report reports --tables tables --tables-format arrow
expect "the same as Arrow" 0 "out~^\[write\] tables/aie_cores.arrow$"
claim "a file for each table" [ "$(cd tables && echo ./*)" = "./aie_cores.arrow ./aie_cores.parquet ./aie_iterations.arrow \
./aie_iterations.parquet ./aie_stalls.arrow ./aie_stalls.parquet ./aie_system.arrow ./aie_system.parquet ./aie_warnings.arrow ./aie_warnings.parquet" ]
run analyze aie aie_small.json $SHAPE --tables-format arrow
expect "a format of tables that nobody wants" 2 "err~--tables-format is that of --tables; add --tables DIR"
run analyze aie aie_small.json $SHAPE -q --report reports --tables aie_small.json
expect "tables into a file" 6 "err~the folder cannot be created"
rm -r tables
rm -r reports drawn.pftrace plain.pftrace expected cores
