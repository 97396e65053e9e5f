/* analyze/aiu/acelyzer/acelyzer_stages.c - the stages of acelyzer in their order, each with our step that does its work
 * and what the step needs to run. Some only kept its stream of events in shape: they have no step, and are listed
 * because profiles name them.
 *
 * A stage runs if its option, the profile and --skip-stage all let it. A profile lists stages, each with true or false;
 * those that it does not list are off, an empty one and none at all leave all on. "name#2" is the second stage of a
 * name; a name alone, where the profile names it less often than there are stages of it, means all of them. Stages run
 * in their own order, whatever that of the profile is, as releases of acelyzer differ in it (with --compat, where one
 * is out of order is an error). */
#include <stdlib.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/str.h"

/* Sorting cannot fail but in memory, which the run remembers. */
static void sort_events(aiu_run *run)
{
    pf_aiu_sort_global(run);
}

/* A row: name, the option that the list shows, help, step, when it is wanted (s: the settings). TIME: it changes times
 * or threads, or looks at them, and is off with --tb unless a profile is given. */
#define POWER (s->counters & (AIU_COUNT_POWER3 | AIU_COUNT_POWER4))
#define CORES (s->has_log && (s->counters & AIU_COUNT_UTILISATION))
#define STAGES(ROW, TIME)                                                                                              \
    TIME("drop_timestamp_reversed_events", NULL, "slices of negative length go", NULL, true)                           \
    TIME("create_slice_from_BE", NULL, "begins and ends become slices", NULL, true)                                    \
    ROW("normalize_phase1", NULL, "limits and filter, names, counters of 32 bits", pf_aiu_normalise, true)             \
    TIME("frequency_align_collect", "flex_ts_fix", "where device events of a job lie on the host's clock", NULL,       \
         s->ts_fix)                                                                                                    \
    TIME("pipeline_barrier", NULL, NULL, NULL, true)                                                                   \
    TIME("frequency_align_apply", "flex_ts_fix", "device events move into the round trip of their job",                \
         pf_aiu_align_jobs, s->ts_fix)                                                                                 \
    ROW("normalize_phase2", NULL, "counters grow beyond 32 bits; clock of the counters", pf_aiu_grow_counters, true)   \
    ROW("event_sanity_checks", NULL, "what lacks a time or a name goes", pf_aiu_check_events, true)                    \
    TIME("remove_ids_from_name", NULL, "request ids leave the names", pf_aiu_remove_ids,                               \
         s->overlap == AIU_OVERLAP_ASYNC)                                                                              \
    TIME("map_tid_to_range", NULL, "thread ids become short", pf_aiu_map_threads, true)                                \
    TIME("cycle_count_to_wallclock", NULL, "device slices get their length from cycles", pf_aiu_to_wallclock, true)    \
    TIME("tighten_hts_by_instr_type", NULL, "and that of their own step", pf_aiu_tighten, true)                        \
    TIME("tripple_phased_events", "split_events", "slices of no known step become three", pf_aiu_split_slices,         \
         s->split)                                                                                                     \
    TIME("mp_sync_tight_v1", NULL, "clocks of ranks, by the first receive of collectives", pf_aiu_sync_first,          \
         !s->no_sync && !s->sync_v2)                                                                                   \
    TIME("mp_ts_calibration_v2", "mp_sync_v2", "clocks of ranks, by offset and rate", pf_aiu_sync_rate,                \
         !s->no_sync && (s->sync_v2 || s->align_auto))                                                                 \
    TIME("queueing_counter", NULL, "queued kernels become a counter", pf_aiu_count_preps,                              \
         s->counters &AIU_COUNT_PREPS)                                                                                 \
    TIME("drop_global_events", "drop_globals", "what belongs to no rank goes", pf_aiu_drop_globals, s->drop_globals)   \
    TIME("recombine_cpu_events", NULL, "host slices share a thread", pf_aiu_recombine_hosts, true)                     \
    ROW("sort_events", NULL, NULL, pf_aiu_sort_threads, true)                                                          \
    TIME("assert_ts_sequence", NULL, NULL, pf_aiu_check_sequence, true)                                                \
    ROW("detect_partial_overlap_tids", NULL, "slices that overlap in part are found", NULL,                            \
        s->overlap == AIU_OVERLAP_TID)                                                                                 \
    ROW("pipeline_barrier", NULL, NULL, NULL, s->overlap == AIU_OVERLAP_TID)                                           \
    ROW("detect_partial_overlap_events", NULL, "and moved, dropped or shifted", pf_aiu_resolve_overlaps, true)         \
    ROW("assert_ts_sequence", NULL, NULL, pf_aiu_check_sequence, true)                                                 \
    ROW("collect_iteration_stats", NULL, "repeating kernels are iterations", pf_aiu_collect_iterations, true)          \
    ROW("extract_power_event", NULL, "charges of device slices", pf_aiu_extract_power, POWER)                          \
    ROW("sort_events", NULL, NULL, NULL, POWER)                                                                        \
    ROW("compute_power", NULL, "power between them", pf_aiu_compute_power, POWER)                                      \
    TIME("analyze_power_statistics", "power-stats", "power with and without kernels", pf_aiu_power_stats,              \
         s->power_stats &&POWER)                                                                                       \
    ROW("extract_data_transfer_event", "counter", NULL, NULL, s->counters &AIU_COUNT_BANDWIDTH)                        \
    ROW("compute_bandwidth", "counter", NULL, NULL, s->counters &AIU_COUNT_BANDWIDTH)                                  \
    ROW("compute_utilization_fingerprints", "compiler_log", "which table of ideal cycles is a job's",                  \
        pf_aiu_read_tables, CORES)                                                                                     \
    ROW("assert_ts_sequence", NULL, NULL, pf_aiu_check_sequence, true)                                                 \
    ROW("communication_event_collection", "comm_summarize_seq", "slices of a communication sequence", NULL,            \
        s->summarize)                                                                                                  \
    ROW("pipeline_barrier", NULL, NULL, NULL, true)                                                                    \
    ROW("communication_event_apply", "comm_summarize_seq", "become one", pf_aiu_sequences, s->summarize)               \
    ROW("compute_utilization", "compiler_log", "core utilisation, categories", pf_aiu_use_cores, CORES)                \
    ROW("sort_events", NULL, NULL, sort_events, true)                                                                  \
    ROW("assert_global_ts_sequence", NULL, NULL, NULL, true)                                                           \
    ROW("launch_flow_collect", NULL, "launches, kernels and waits", pf_aiu_collect_launches, true)                     \
    ROW("event_categorizer", NULL, "what each slice does", pf_aiu_classify, true)                                      \
    ROW("pipeline_barrier", NULL, NULL, NULL, true)                                                                    \
    ROW("event_categorizer_update", NULL, "the same between the kernels of a job", pf_aiu_classify_between, true)      \
    ROW("launch_flow_create_missing", NULL, "flow arrows from launches to kernels to waits", pf_aiu_draw_launches,     \
        true)                                                                                                          \
    ROW("flow_prepare_event_data", "flow", "groups and peers of collectives", pf_aiu_flow_names, s->flow)              \
    ROW("flow_extraction", "flow", "flow arrows between ranks, slices of collectives", pf_aiu_flows,                   \
        s->flow || !(s->rules & AIU_LOG_ALONE))                                                                        \
    ROW("mp_calc_bw_v2", "build_coll_event", "bandwidth of collective slices", pf_aiu_collective_bandwidth,            \
        s->build_coll && (s->counters & AIU_COUNT_COLL_BW))                                                            \
    ROW("mp_calc_bw", NULL, "bandwidth of collectives", pf_aiu_group_bandwidth,                                        \
        !s->build_coll && (s->counters & AIU_COUNT_COLL_BW))                                                           \
    ROW("calculate_stats", NULL, "kernels in numbers", pf_aiu_calculate_stats, !s->no_stats)                           \
    ROW("processing_filter", "filter", "phases that were not asked for go", pf_aiu_keep_types,                         \
        s->keep_types.ptr != NULL)                                                                                     \
    ROW("flow_data_cleanup", NULL, NULL, NULL, true)                                                                   \
    ROW("cleanup_copy_of_device_ts", NULL, NULL, pf_aiu_hide_device_times, true)                                       \
    ROW("tb_refinement_intrusive", NULL, "names without numbers, categories, processes", pf_aiu_refine_names,          \
        !s->disable_tb)                                                                                                \
    ROW("tb_refinement_lightweight", NULL, "hosts and devices apart", pf_aiu_refine_lightly, true)                     \
    ROW("cycle_count_conversion_cleanup", NULL, NULL, pf_aiu_hide_all_times, true)                                     \
    ROW("calculate_stats_v2", "build_coll_event", "times of collectives", NULL, s->build_coll && !s->no_stats)         \
    ROW("sort_events", NULL, NULL, sort_events, true)

#define LISTED(name, when, help, step, wanted) {name, when, help},
#define STEP(name, when, help, step, wanted) step,
#define IS_WANTED(name, when, help, step, wanted) wanted,
#define IS_WANTED_TIME(name, when, help, step, wanted) !minimal && (wanted),

const pf_stage pf_acelyzer_stages[ACELYZER_STAGES] = {STAGES(LISTED, LISTED)};
aiu_step *const pf_acelyzer_steps[ACELYZER_STAGES] = {STAGES(STEP, STEP)};

aiu_step *pf_acelyzer_step(const aiu_run *run, size_t stage)
{
    static const struct {
        aiu_step *ours, *theirs;
    } replaced[] = {{pf_aiu_count_preps, pf_acelyzer_count_preps},
                    {pf_aiu_use_cores, pf_acelyzer_use_cores},
                    {pf_aiu_flows, pf_acelyzer_flows},
                    {pf_aiu_collective_bandwidth, pf_acelyzer_collective_bandwidth},
                    {pf_aiu_group_bandwidth, pf_acelyzer_group_bandwidth}};
    aiu_step *step = pf_acelyzer_steps[stage];
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced && pf_aiu_rule(run, AIU_OWN_STEPS); i++) {
        step = step == replaced[i].ours ? replaced[i].theirs : step;
    }
    return step;
}

/* The stages as pf_pass_switch knows them. */
static const pf_pass stages = {.name = "aiu", .stages = pf_acelyzer_stages, .stage_count = ACELYZER_STAGES};

/* How often a profile names a stage in this way, until an entry; NULL: in all. */
static unsigned times_named(const pf_node *list, pf_str text, const pf_node *until)
{
    unsigned n = 0;
    for (const pf_node *item = list->first; item; item = item->next) {
        const pf_node *entry = item->type == PF_NODE_OBJECT ? item->first : NULL;
        n += entry && pf_str_equal(entry->key, text);
        if (entry == until) {
            break;
        }
    }
    return n;
}

/* The first stage of a name from `stage` on, or the one with that number; ACELYZER_STAGES: there is none. */
static size_t find_stage(pf_str name, unsigned number, size_t stage)
{
    while (stage < ACELYZER_STAGES && !(pf_str_is(name, pf_acelyzer_stages[stage].name) &&
                                        (!number || number == pf_pass_stage_number(&stages, stage)))) {
        stage++;
    }
    return stage;
}

/* An entry "name" or "name#2"; barrier is an older word for pipeline_barrier. */
static pf_status apply_entry(aiu_run *run, const pf_node *list, const pf_node *entry, size_t *at, bool *chosen)
{
    bool ours = !pf_aiu_rule(run, AIU_STAGES_IN_ORDER), value = entry->type == PF_NODE_BOOL && entry->as.b;
    const char *hash = memchr(entry->key.ptr, '#', entry->key.len);
    pf_str name = {entry->key.ptr, hash ? (size_t)(hash - entry->key.ptr) : entry->key.len};
    unsigned number = hash ? (unsigned)strtoul(hash + 1, NULL, 10) : 0;
    unsigned nth = number || !ours ? number : times_named(list, entry->key, entry);
    name = pf_str_is(name, "barrier") ? PF_STR("pipeline_barrier") : name;
    size_t stage = find_stage(name, nth, ours ? 0 : *at);
    if (ours && (pf_str_is(entry->key, "verify") || pf_str_is(entry->key, "verify_cleanup"))) {
        return PF_OK; /* of other releases: they look at events and change none */
    }
    if (stage == ACELYZER_STAGES || entry->type != PF_NODE_BOOL) {
        return pf_fail(&run->error, PF_ERR_USAGE, "the profile's stage '%.*s' is unknown, %s, or not true or false",
                       (int)(entry->key.len < 80 ? entry->key.len : 80), entry->key.ptr,
                       ours ? "given more often than there are stages of it" : "out of order");
    }
    if (number == 0 && find_stage(name, times_named(list, entry->key, NULL) + 1, 0) < ACELYZER_STAGES) {
        return pf_pass_switch(&stages, pf_acelyzer_stages[stage].name, value, chosen, &run->error);
    }
    chosen[stage] = value;
    *at = stage + 1;
    return PF_OK;
}

static pf_status apply_profile(aiu_run *run, const pf_node *root, bool *on)
{
    const pf_node *list = root->type == PF_NODE_OBJECT ? pf_node_get(root, "stages") : NULL;
    bool chosen[ACELYZER_STAGES] = {false};
    size_t at = 0;
    if (root->type != PF_NODE_OBJECT || (root->first && (!list || list->type != PF_NODE_LIST))) {
        return pf_fail(&run->error, PF_ERR_USAGE, "a profile is {\"stages\": [{\"NAME\": true}, ...]}");
    }
    for (const pf_node *item = list ? list->first : NULL; item; item = item->next) {
        const pf_node *entry = item->type == PF_NODE_OBJECT ? item->first : NULL;
        if (!entry) {
            return pf_fail(&run->error, PF_ERR_USAGE, "an entry of the profile's list is not {\"NAME\": true}");
        }
        PF_TRY(apply_entry(run, list, entry, &at, chosen));
    }
    for (size_t i = 0; list && i < ACELYZER_STAGES; i++) {
        on[i] = on[i] && chosen[i];
    }
    return PF_OK;
}

pf_status pf_acelyzer_choose_stages(aiu_run *run, const pf_node *profile, bool *on)
{
    bool minimal = !profile && (run->minimal || (run->set.tb && !run->everything));
    const aiu_settings *s = &run->set;
    const bool wanted[ACELYZER_STAGES] = {STAGES(IS_WANTED, IS_WANTED_TIME)};
    run->on = on;
    run->stages = pf_acelyzer_stages;
    run->stage_count = ACELYZER_STAGES;
    for (size_t i = 0; i < ACELYZER_STAGES; i++) {
        on[i] = wanted[i] && pf_pass_stage(run->ctx, i);
    }
    return profile ? apply_profile(run, profile, on) : PF_OK;
}
