/* analyze/aiu/acelyzer/acelyzer_profile.c - which stages run.
 *
 * A stage runs if its option, the profile and --skip-stage all let it. A profile lists stages, each with true or false;
 * those that it does not list are off, an empty one and none at all leave all on. "name#2" is the second stage of a
 * name; a name alone, where the profile names it less often than there are stages of it, means all of them. Stages run
 * in their own order, whatever that of the profile is, as releases of acelyzer differ in it (with
 * --compat, where one is out of order is an error).
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer_stages.h"
#include "base/str.h"

/* Off with --tb unless a profile is given: the stages that change times and threads. */
static const char *const off_for_tb[] = {"drop_timestamp_reversed_events",
                                         "create_slice_from_BE",
                                         "frequency_align_collect",
                                         "pipeline_barrier#1",
                                         "frequency_align_apply",
                                         "remove_ids_from_name",
                                         "map_tid_to_range",
                                         "cycle_count_to_wallclock",
                                         "tighten_hts_by_instr_type",
                                         "tripple_phased_events",
                                         "mp_sync_tight_v1",
                                         "mp_ts_calibration_v2",
                                         "queueing_counter",
                                         "drop_global_events",
                                         "recombine_cpu_events",
                                         "assert_ts_sequence#1",
                                         "analyze_power_statistics"};

/* How many stages have the name of this one; its own number is *at, from 1. */
static unsigned of_its_name(size_t stage, unsigned *at)
{
    unsigned n = 0;
    for (size_t i = 0; i < ACELYZER_STAGES; i++) {
        n += strcmp(pf_acelyzer_stages[i].name, pf_acelyzer_stages[stage].name) == 0;
        *at = i == stage ? n : *at;
    }
    return n;
}

/* "name" or "name#2"; the word barrier is an older one for pipeline_barrier. */
static bool is_named(size_t stage, pf_str text, unsigned *number)
{
    const char *hash = memchr(text.ptr, '#', text.len);
    pf_str name = {text.ptr, hash ? (size_t)(hash - text.ptr) : text.len};
    *number = hash ? (unsigned)strtoul(hash + 1, NULL, 10) : 0;
    const char *is = pf_acelyzer_stages[stage].name;
    return pf_str_is(name, is) || (pf_str_is(name, "barrier") && strcmp(is, "pipeline_barrier") == 0);
}

/* Whether a stage is that number of a name, any where it is 0 and the name says none. */
static bool is_stage(size_t stage, pf_str text, unsigned nth)
{
    unsigned number, at = 0;
    if (!is_named(stage, text, &number)) {
        return false;
    }
    number = number ? number : nth;
    of_its_name(stage, &at);
    return number == 0 || at == number;
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

/* Of other releases: they look at events and change none. */
static bool changes_nothing(const aiu_run *run, pf_str name)
{
    return !pf_acelyzer(run) && (pf_str_is(name, "verify") || pf_str_is(name, "verify_cleanup"));
}

/* How often a profile names a stage in this way, until an entry; NULL: in all. */
static unsigned times_named(const pf_node *list, pf_str text, const pf_node *until)
{
    unsigned n = 0;
    for (const pf_node *item = list->first; item; item = item->next) {
        const pf_node *entry = item->type == PF_NODE_OBJECT ? item->first : NULL;
        n += entry && entry->key.len == text.len && memcmp(entry->key.ptr, text.ptr, text.len) == 0;
        if (entry == until) {
            break;
        }
    }
    return n;
}

static pf_status apply_entry(aiu_run *run, const pf_node *list, const pf_node *entry, size_t *at, bool *chosen)
{
    bool ours = !pf_acelyzer(run), value = entry->type == PF_NODE_BOOL && entry->as.b;
    unsigned of = 0, number, nth = ours ? times_named(list, entry->key, entry) : 0;
    size_t stage = ours ? 0 : *at;
    while (stage < ACELYZER_STAGES && !is_stage(stage, entry->key, nth)) {
        stage++;
    }
    if (changes_nothing(run, entry->key)) {
        return PF_OK;
    }
    if (stage == ACELYZER_STAGES || entry->type != PF_NODE_BOOL) {
        return pf_fail(&run->error, PF_ERR_USAGE, "the profile's stage '%.*s' is unknown, %s, or not true or false",
                       (int)(entry->key.len < 80 ? entry->key.len : 80), entry->key.ptr,
                       ours ? "there more often than stages of it are" : "out of order");
    }
    is_named(stage, entry->key, &number);
    if (number == 0 && times_named(list, entry->key, NULL) < of_its_name(stage, &of)) {
        for (size_t i = 0; i < ACELYZER_STAGES; i++) {
            chosen[i] = is_named(i, entry->key, &number) ? value : chosen[i];
        }
    } else {
        chosen[stage] = value;
        *at = stage + 1;
    }
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
            return pf_fail(&run->error, PF_ERR_USAGE, "an entry of the profile's list is no {\"NAME\": true}");
        }
        PF_TRY(apply_entry(run, list, entry, &at, chosen));
    }
    for (size_t i = 0; list && i < ACELYZER_STAGES; i++) {
        on[i] = on[i] && chosen[i];
    }
    return PF_OK;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

pf_status pf_acelyzer_choose_stages(aiu_run *run, const pf_node *profile, bool *on)
{
    bool minimal = !profile && (run->minimal || (run->set.tb && !run->everything));
    run->on = on;
    run->stages = pf_acelyzer_stages;
    run->stage_count = ACELYZER_STAGES;
    for (size_t i = 0; i < ACELYZER_STAGES; i++) {
        const acelyzer_stage *s = &pf_acelyzer_steps[i];
        on[i] = pf_pass_stage(run->ctx, i) && (!s->wanted || s->wanted(&run->set));
        for (size_t k = 0; minimal && k < sizeof off_for_tb / sizeof *off_for_tb; k++) {
            on[i] = on[i] && !is_stage(i, pf_str_of(off_for_tb[k]), 0);
        }
    }
    return profile ? apply_profile(run, profile, on) : PF_OK;
}
