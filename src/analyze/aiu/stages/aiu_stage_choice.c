/* analyze/aiu/stages/aiu_stage_choice.c - which stages run.
 *
 * A stage runs if its option, the profile and --skip-stage all let it. A profile lists stages, each with true or false;
 * those that it does not list are off, an empty one and none at all leave all on. "name#2" is the second stage of a
 * name; a name alone, where the profile names it less often than there are stages of it, means all of them. Stages run
 * in their own order, whatever that of the profile is, as releases of the program before postfetto differ in it (with
 * --compat, where one is out of order is an error).
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/stages/aiu_stages.h"

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

/* Which stage of its name this one is, from 1, and how many there are. */
static unsigned occurrence(size_t stage, unsigned *of)
{
    unsigned n = 0, at = 0;
    for (size_t i = 0; i < AIU_STAGES; i++) {
        if (strcmp(pf_aiu_stages[i].name, pf_aiu_stages[stage].name) == 0) {
            n++;
            at = i == stage ? n : at;
        }
    }
    *of = n;
    return at;
}

/* "name" or "name#2"; the word barrier is an older one for pipeline_barrier. */
static bool is_named(size_t stage, pf_str text, unsigned *number)
{
    const char *hash = memchr(text.ptr, '#', text.len);
    pf_str name = {text.ptr, hash ? (size_t)(hash - text.ptr) : text.len};
    *number = hash ? (unsigned)strtoul(hash + 1, NULL, 10) : 0;
    const char *is = pf_aiu_stages[stage].name;
    return pf_aiu_equals(name, is) || (pf_aiu_equals(name, "barrier") && strcmp(is, "pipeline_barrier") == 0);
}

static void switch_off(const char *const *names, size_t count, bool *on)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < AIU_STAGES; i++) {
            unsigned number, of;
            pf_str text = {names[k], strlen(names[k])};
            if (is_named(i, text, &number) && (number == 0 || occurrence(i, &of) == number)) {
                on[i] = false;
            }
        }
    }
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

/* Of other releases: they look at events and change none. */
static bool changes_nothing(const aiu_run *run, pf_str name)
{
    return run->set.compat == AIU_WANT && (pf_aiu_equals(name, "verify") || pf_aiu_equals(name, "verify_cleanup"));
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

/* The stage that an entry is about: that number of its name, which is 0 with --compat, at `from` or later. */
static size_t find_stage(pf_str text, size_t from, unsigned nth)
{
    for (size_t i = from; i < AIU_STAGES; i++) {
        unsigned number, of;
        if (is_named(i, text, &number)) {
            number = number ? number : nth;
            if (number == 0 || occurrence(i, &of) == number) {
                return i;
            }
        }
    }
    return AIU_STAGES;
}

static pf_status apply_entry(aiu_run *run, const pf_node *list, const pf_node *entry, size_t *at, bool *chosen)
{
    bool want = run->set.compat == AIU_WANT;
    size_t stage = find_stage(entry->key, want ? 0 : *at, want ? times_named(list, entry->key, entry) : 0);
    bool value = entry->type == PF_NODE_BOOL && entry->as.b;
    unsigned of, number;
    if (changes_nothing(run, entry->key)) {
        return PF_OK;
    }
    if (stage == AIU_STAGES || entry->type != PF_NODE_BOOL) {
        return pf_fail(&run->error, PF_ERR_USAGE, "the profile's stage '%.*s' is unknown, %s, or not true or false",
                       (int)(entry->key.len < 80 ? entry->key.len : 80), entry->key.ptr,
                       want ? "there more often than stages of it are" : "out of order");
    }
    is_named(stage, entry->key, &number);
    occurrence(stage, &of);
    if (number == 0 && times_named(list, entry->key, NULL) < of) {
        for (size_t i = 0; i < AIU_STAGES; i++) {
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
    bool chosen[AIU_STAGES] = {false};
    size_t at = 0;
    if (root->type != PF_NODE_OBJECT || (root->first && (!list || list->type != PF_NODE_LIST))) {
        return pf_fail(&run->error, PF_ERR_USAGE, "a profile is {\"stages\": [{\"NAME\": true}, ...]}");
    }
    pf_status st = PF_OK;
    for (const pf_node *item = list ? list->first : NULL; item && st == PF_OK; item = item->next) {
        const pf_node *entry = item->type == PF_NODE_OBJECT ? item->first : NULL;
        st = entry ? apply_entry(run, list, entry, &at, chosen)
                   : pf_fail(&run->error, PF_ERR_USAGE, "an entry of the profile's list is no {\"NAME\": true}");
    }
    for (size_t i = 0; list && st == PF_OK && i < AIU_STAGES; i++) {
        on[i] = on[i] && chosen[i];
    }
    return st;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

pf_status pf_aiu_choose_stages(aiu_run *run, const pf_node *profile, bool *on)
{
    for (size_t i = 0; i < AIU_STAGES; i++) {
        const aiu_stage *s = &pf_aiu_stage_runs[i];
        on[i] = pf_pass_stage(run->ctx, i) && (!s->wanted || s->wanted(&run->set));
    }
    run->on = on;
    if (profile) {
        return apply_profile(run, profile, on);
    }
    if (run->minimal || (run->set.tb && !run->everything)) {
        switch_off(off_for_tb, sizeof off_for_tb / sizeof *off_for_tb, on);
    }
    return PF_OK;
}

bool pf_aiu_stage_on(const aiu_run *run, const char *name)
{
    for (size_t i = 0; i < AIU_STAGES; i++) {
        if (strcmp(pf_aiu_stages[i].name, name) == 0) {
            return run->on[i];
        }
    }
    return false;
}
