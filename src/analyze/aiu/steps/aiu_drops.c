/* analyze/aiu/steps/aiu_drops.c - slices that go or change where an option asks for it: --drop_globals, -s, -O async,
 * --filter. */
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/buffer.h"
#include "base/str.h"

/* ---- events around a graph --------------------------------------------------------------------------------------- */

/* Slices of the host that span what several devices do. */
static bool is_global(pf_str name)
{
    static const char *const words[] = {"AllocateFrame of graph", "SenFusedDeviceNode", "Flex RoundTrip", "HostPrep",
                                        "AIU Roundtrip"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (pf_aiu_contains(name, words[i])) {
            return true;
        }
    }
    return false;
}

static void drop_global(aiu_run *run, uint32_t e)
{
    bool global = !pf_aiu_is_device(run, e) && is_global(pf_aiu_text_of(run, run->events.name[e]));
    run->events.flags[e] |= global ? AIU_DROPPED : 0;
}

void pf_aiu_drop_globals(aiu_run *run)
{
    pf_aiu_each(run, pf_aiu_is_any_slice, drop_global);
    pf_aiu_compact(run);
}

/* ---- slices of no known step ------------------------------------------------------------------------------------- */

/* The length of a step: for acelyzer 1/1120 us shorter, in ns, and none where it is below 1/560 us. */
static double length_of(const aiu_run *run, uint32_t e, unsigned from)
{
    double begin = pf_aiu_ts_all(run, e, from), end = pf_aiu_ts_all(run, e, from + 1), least = 1 / 560.0;
    if (!pf_aiu_rule(run, AIU_CUT_STEPS)) {
        return pf_aiu_device_time(run, e, from + 1) - pf_aiu_device_time(run, e, from);
    }
    return begin + least <= end ? pf_aiu_round(end - begin - least / 2, 3) : 0;
}

static void add_part(aiu_run *run, uint32_t e, unsigned from, const char *suffix)
{
    aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    uint32_t text = pf_aiu_text(run, pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(name), suffix));
    uint32_t part = pf_aiu_add_event_like(run, 'X', e);
    if (part == PF_NONE) {
        return;
    }
    v->name[part] = text;
    v->group[part] = v->peer[part] = v->peers[part] = v->type[part] = 0; /* a part is no transfer of a collective */
    v->ts[part] = pf_aiu_ts_all(run, e, from);
    v->dur[part] = length_of(run, e, from);
    v->flags[part] |= v->dur[part] > 0 || !pf_aiu_rule(run, AIU_CUT_STEPS) ? 0 : AIU_DROPPED;
}

/* A device slice whose name says no step becomes the three that its counters tell; slices of kernels that wait go. */
void pf_aiu_split_slices(aiu_run *run)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, count = run->alive; i < count; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_slice(run, e) || !(v->flags[e] & AIU_ON_CLOCK)) {
            continue;
        }
        unsigned op = pf_aiu_name(run, v->name[e])->has;
        if (op == AIU_OP_NONE) {
            add_part(run, e, 1, "_DmaI");
            add_part(run, e, 3, "_Cmpt");
            add_part(run, e, 4, "_DmaO");
        }
        v->flags[e] |= op == AIU_OP_NONE || op == AIU_OP_PREP ? AIU_DROPPED : 0;
        if (op != AIU_OP_NONE && pf_aiu_rule(run, AIU_CUT_STEPS)) {
            v->flags[e] |= (op + 1) << AIU_STEP_SHIFT;
            v->dur[e] = length_of(run, e, op + 1);
            v->flags[e] |= v->dur[e] > 0 ? 0 : AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
}

/* ---- ids in names ------------------------------------------------------------------------------------------------ */

/* "_DIGITS" before one of "_- " goes, wherever it is, each for a blank; the first one becomes an argument. */
static void remove_ids(aiu_run *run, uint32_t e)
{
    uint32_t *name = &run->events.name[e];
    aiu_place first;
    if (!pf_aiu_contains(pf_aiu_text_of(run, *name), "Recv_") &&
        pf_aiu_find(pf_aiu_text_of(run, *name), 0, "_#?", &first)) {
        pf_aiu_add_text(run, e, PF_STR("reqID"), first.digits);
        *name = pf_aiu_replace(run, *name, "_#?", " ", true);
    }
}

/* With -O async, names that differ in a request id alone are one. */
void pf_aiu_remove_ids(aiu_run *run)
{
    pf_aiu_each(run, pf_aiu_is_any_slice, remove_ids);
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static void keep_arrows(aiu_arrows *a, pf_str types)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (memchr(types.ptr, a->phase[i], types.len)) {
            pf_columns_move(&a->columns, kept++, i);
        }
    }
    a->count = kept;
}

/* Only the phases that --filter names stay. */
void pf_aiu_keep_types(aiu_run *run)
{
    pf_str types = run->set.keep_types;
    for (uint32_t i = 0; i < run->alive; i++) {
        if (!memchr(types.ptr, run->events.phase[run->order[i]], types.len)) {
            run->events.flags[run->order[i]] |= AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
    run->samples.count = memchr(types.ptr, 'C', types.len) ? run->samples.count : 0;
    keep_arrows(&run->arrows, types);
}
