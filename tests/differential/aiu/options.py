"""Options of the command for a random capture: each alone is rare, so that pairs of them come up and most runs keep the rest as
it is by default."""
import json

START_US = 1475001720000.0
# Every stage of a name is listed: what a name means that is listed less often than there are stages of it differs between
# the release and the recordings (docs/conformance-aiu.md).
SORTS = {"sort_events": True}
PROFILES = [
    {},
    {"stages": [{"normalize_phase1": True}, {"normalize_phase2": True}, {"cycle_count_to_wallclock": True}, SORTS, SORTS, SORTS,
                {"calculate_stats": True}, {"tb_refinement_lightweight": True}, SORTS]},
    {"stages": [{"create_slice_from_BE": True}, {"normalize_phase1": True}, {"pipeline_barrier": True}, {"normalize_phase2": True},
                {"map_tid_to_range": True}, {"cycle_count_to_wallclock": True}, {"tighten_hts_by_instr_type": True}, SORTS,
                {"pipeline_barrier": True}, SORTS, {"pipeline_barrier": True}, SORTS, {"event_categorizer": True},
                {"pipeline_barrier": True}, {"tb_refinement_intrusive": True}, {"tb_refinement_lightweight": True},
                {"cycle_count_conversion_cleanup": True}, SORTS]},
]
COUNTERS = ["power_ts4", "power_ts3", "coll_bw", "bandwidth", "prep_queue", "rcu_util"]
# Flags and how often each is given.
FLAGS = [("--keep_prep", .08), ("--keep_names", .08), ("--comm_summarize_seq", .06), ("-M", .12), ("-S", .12), ("--flex_ts_fix", .2),
         ("-s", .06), ("--drop_globals", .07), ("-k", .07), ("--power-stats", .1), ("-t", .07), ("--tb", .2), ("--disable_tb", .1),
         ("--disable_file", .03), ("-I", .02), ("--ignore_crit", .3)]




def frequency(rng, soc):
    chosen = rng.choice([None, f"{soc}:1100", f"{soc}:1100", f"{soc}:1100", f"{soc}", "560:1100", f"{soc * 1.2}:900"])
    return [] if chosen is None else ["--freq", chosen]


def limits(rng):
    limit = {}
    if rng.random() < 0.5:
        limit["skip"] = rng.choice([0, 3, 10])
    if rng.random() < 0.5:
        limit["count"] = rng.choice([0, 5, 20, 100])
    if rng.random() < 0.5:
        limit["ts_start"] = START_US + rng.choice([0, 30, 1020])
    if rng.random() < 0.3:
        limit["ts_end"] = START_US + rng.choice([200, 1100, 5000])
    if rng.random() < 0.3:
        limit["no_count_types"] = rng.choice(["M", "MC", "X", ""])
    return json.dumps(limit)


def choose(rng, inputs, logs, soc, kind, ranks_count, collectives):
    """The words of a command line. Where a flag mostly ends the original (ends), it is given one eighth as often."""
    ends = {"--flex_ts_fix": kind == "torch", "-S": not collectives}

    def one_in(n):
        return rng.randrange(n) == 0

    words = ["-i", ",".join(inputs if rng.random() < 0.8 else rng.sample(inputs, len(inputs)))]
    words += frequency(rng, soc)
    if logs:
        words += ["-c", ",".join(logs)]
    if one_in(6):
        words += ["-C"] + rng.sample(COUNTERS, rng.choice([1, 2, 3]))
    if one_in(4):
        words += ["-O", rng.choice(["tid", "drop", "warn", "shift"] * 2 + ["async"])]
    if one_in(10):
        words += ["--max_tid_streams", str(rng.choice([1, 2, 5, 8, -1]))]
    if rng.random() < (0.6 if ranks_count > 1 else 0.1):
        words += ["--flow"] + (["-R"] if one_in(2) else [])
    words += [flag for flag, share in FLAGS if rng.random() < (share / 8 if ends.get(flag) else share)]
    if one_in(14):
        words += ["-F", rng.choice(["X", "C", "XC", "sf", "M"])]
    if one_in(12):
        words += ["--event_filter", rng.choice(["name:MatMul", "args.Type:WDone", "name:Prep$,args.reqID:^1", "nothing", "pid:1", "cat:kernel"])]
    if one_in(12):
        words += ["--event_limit", limits(rng)]
    if one_in(20):
        words += ["-P", f"profile-{rng.randrange(len(PROFILES))}.json"]
    if one_in(12):
        words += ["-f", "pddf"]
    if one_in(12):
        words += ["--time_unit", rng.choice(["ms", "ns"])]
    if one_in(8):
        words += ["-D", str(rng.choice([0, 1, 2]))]
    ending = "out.txt" if "pddf" in words else "out.json" if rng.random() < 0.85 or kind == "flex" else "out.pt.trace.json"
    return words + ["-o", ending]
