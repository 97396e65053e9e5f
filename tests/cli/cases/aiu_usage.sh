# shellcheck shell=bash disable=SC2154
# analyze aiu: profiles and option names that users of IBM's AIU Trace Analyzer have, and what is refused by name. Sourced by run.sh.

mkdir -p aiu_usage
cd aiu_usage || exit 1
one="$FIX/aiu/tp2-rank-0.json"

# A profile in which stages stand in another order than they run in, with stages of other releases: the second sort is off.
cat >order.json <<'END'
{"stages": [{"sort_events": true}, {"verify": true}, {"mp_calc_bw": true}, {"mp_calc_bw_v2": true}, {"calculate_stats": true},
 {"sort_events": false}, {"sort_events": true}, {"sort_events": true}, {"normalize_phase1": true}, {"verify_cleanup": true}]}
END
ran() { # ran OPTIONS: the stages that left their events (-I), numbers cut
    rm -f out.json_*
    run analyze aiu "$one" --freq 1000:1100 -q -o out.json -I "$@"
    set -- out.json_*
    echo "${@#out.json_??_}"
}
claim "a profile's stages run in their own order" [ "$(ran -P order.json)" = \
    "normalize_phase1 sort_events sort_events mp_calc_bw calculate_stats sort_events" ]
claim "with -R, too" [ "$(ran -P order.json --flow -R)" = \
    "normalize_phase1 sort_events sort_events mp_calc_bw_v2 calculate_stats sort_events" ]
all=$(ran)
claim "everything.json needs no file" [ "$(ran -P everything.json)" = "$all" ]
claim "torch_minimal.json is what --tb is" [ "$(ran -P torch_minimal.json)" = "$(ran --tb)" ]
claim "which everything.json overrides" [ "$(ran --tb -P everything.json)" = "$all" ]
cp order.json everything.json
claim "a file of that name is read" [ "$(ran -P everything.json)" = "$(ran -P order.json)" ]
run analyze aiu "$one" -P other.json -o o.json
expect "another name is a file" 3 "err~other.json: cannot be opened: No such file .* everything.json and torch_minimal.json$"
echo '{"stages": [{"sort": true}]}' >unknown.json
run analyze aiu "$one" -P unknown.json -o o.json
expect "an unknown stage is refused" 2 "err~unknown.json: the profile's stage 'sort' is unknown"
run analyze aiu "$one" -P order.json -o o.json --compat acelyzer
expect "where order counts, one out of it, too" 2 "err~order.json: the profile's stage '[a-z_0-9]*' is unknown, out of order"

printf '~~~~ Ideal/Total Cycles ~~~~\nmatmul_1-opCatBmm 1100\nTotal 1100\n====== Perf Summary End ======\n' >one.log
run analyze aiu "$one" --freq 1000:1100 --compiler_info one.log --use_mp_sync_v2 -o o.json
expect "names of options of that program" 0 "err~UTL: "
run analyze aiu "$one" --freq 1000:1100 -T --autopilot_data ai_kernel.db --disable_input_warnings --freq_scaling 0 -q -o o.json
cp o.json with.json
run analyze aiu "$one" --freq 1000:1100 -q -o o.json
claim "those that change nothing there change nothing here" cmp o.json with.json
run analyze aiu "$one" --freq_scaling 1.97 -o o.json
expect "and what is obsolete says what took its place" 2 "err~--freq_scaling is obsolete; --freq SOC:CORE says the clocks"
run analyze aiu "$one" --freq_scaling 1.97 -o o.json --compat acelyzer
expect "there it ends the program, too" 1 "err~--freq_scaling is obsolete"
run analyze aiu "$one" -c ome.log -o o.json
expect "a log that is not there" 3 "err~^postfetto: ome.log: cannot be opened as a log of the compiler \(-c\): No such file"
run analyze aiu "$one" -c order.json -o o.json
expect "JSON is no log" 3 "err~^postfetto: order.json: is JSON, no log of the compiler"
run analyze aiu "$one" -c ome.log -o o.json --compat acelyzer
expect "that program goes on without it" 0 "err~^WARNING Invalid directory path provided"
run analyze aiu "$one" -R -o o.json
expect "-R without --flow" 2 "err~-R \(--build_coll_event\) needs --flow"
run analyze aiu "$FIX/aie_small.json" -o o.json
expect "a trace of another device" 3 "err~aie_small.json: no event of an AIU is in it: no TS1 to TS5"
run analyze aiu "$one" "$FIX/aiu/../aiu/tp2-rank-0.json" -o o.json
expect "the same file twice" 2 "err~tp2-rank-0.json: is an input twice, also as "
run analyze aiu "$one" "$one" -o o.json
expect "by the same name" 2 "err~tp2-rank-0.json: is an input twice$"

cd ..
