/* analyze/aiu/acelyzer/acelyzer_profile.c - which stages run.
 *
 * A stage runs if its option, the profile and --skip-stage all let it. A profile lists stages, each with true or false;
 * those that it does not list are off, an empty one and none at all leave all on. "name#2" is the second stage of a
 * name; a name alone, where the profile names it less often than there are stages of it, means all of them. Stages run
 * in their own order, whatever that of the profile is, as releases of acelyzer differ in it (with
 * --compat, where one is out of order is an error).
 */
#include <stdlib.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "base/str.h"

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
    run->on = on;
    run->stages = pf_acelyzer_stages;
    run->stage_count = ACELYZER_STAGES;
    pf_acelyzer_wanted(&run->set, minimal, on);
    for (size_t i = 0; i < ACELYZER_STAGES; i++) {
        on[i] = on[i] && pf_pass_stage(run->ctx, i);
    }
    return profile ? apply_profile(run, profile, on) : PF_OK;
}
