/* analyze/aiu/stages/aiu_stage_drops.c - drop_global_events, tripple_phased_events, remove_ids_from_name: slices that
 * go or change where an option asks for it. */
#include <string.h>

#include "analyze/aiu/stages/aiu_stages.h"

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

pf_status pf_aiu_drop_globals(aiu_run *run)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && !pf_aiu_is_device(run, e) &&
            is_global(pf_aiu_text_of(run, run->events.name[e]))) {
            run->events.flags[e] |= AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
    return PF_OK;
}

/* The length of a step: in the program before postfetto 1/1120 us shorter, in ns, and none where it is below 1/560 us.
 */
static double length_of(const aiu_run *run, uint32_t e, unsigned from)
{
    double begin = pf_aiu_ts_all(run, e, from), end = pf_aiu_ts_all(run, e, from + 1), least = 1 / 560.0;
    if (run->set.compat == AIU_WANT) {
        return pf_aiu_device_time(run, e, from + 1) - pf_aiu_device_time(run, e, from);
    }
    return begin + least <= end ? pf_aiu_round(end - begin - least / 2, 3) : 0;
}

/* ---- slices of no known step ------------------------------------------------------------------------------------- */

static pf_status add_part(aiu_run *run, uint32_t e, unsigned from, const char *suffix)
{
    aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    uint32_t text = pf_aiu_text(run, pf_findings_format(run->findings, "%.*s%s", (int)name.len, name.ptr, suffix));
    uint32_t part = text == PF_NONE ? PF_NONE : pf_aiu_add_event(run, 'X');
    if (part == PF_NONE) {
        return run->error.code;
    }
    v->row[part] = v->row[e];
    v->flags[part] = v->flags[e];
    v->job[part] = v->job[e];
    v->cat[part] = v->cat[e];
    v->pid[part] = v->pid[e];
    v->tid[part] = v->tid[e];
    v->rank[part] = v->rank[e];
    v->name[part] = text;
    for (unsigned n = 0; n < 5; n++) {
        v->tsx[n][part] = v->tsx[n][e];
    }
    v->ovc[part] = v->ovc[e];
    v->power[part] = v->power[e];
    v->bytes[part] = v->bytes[e];
    v->adjust_ts[part] = v->adjust_ts[e];
    v->adjust_dur[part] = v->adjust_dur[e];
    v->anchor[part] = v->anchor[e];
    v->anchor_device[part] = v->anchor_device[e];
    v->ts[part] = pf_aiu_ts_all(run, e, from);
    v->dur[part] = length_of(run, e, from);
    v->flags[part] |= v->dur[part] > 0 || run->set.compat == AIU_WANT ? 0 : AIU_DROPPED;
    return PF_OK;
}

/* A device slice whose name says no step becomes the three that its counters tell; slices of kernels that wait go. */
pf_status pf_aiu_split_slices(aiu_run *run)
{
    pf_status st = PF_OK;
    uint32_t count = run->alive;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_slice(run, e) || !(run->events.flags[e] & AIU_ON_CLOCK)) {
            continue;
        }
        unsigned op = pf_aiu_name(run, run->events.name[e])->has;
        if (op == AIU_OP_NONE) {
            st = add_part(run, e, 1, "_DmaI");
            st = st == PF_OK ? add_part(run, e, 3, "_Cmpt") : st;
            st = st == PF_OK ? add_part(run, e, 4, "_DmaO") : st;
        }
        run->events.flags[e] |= op == AIU_OP_NONE || op == AIU_OP_PREP ? AIU_DROPPED : 0;
        if (op != AIU_OP_NONE && run->set.compat != AIU_WANT) {
            run->events.flags[e] |= (op + 1) << AIU_STEP_SHIFT;
            run->events.dur[e] = length_of(run, e, op + 1);
            run->events.flags[e] |= run->events.dur[e] > 0 ? 0 : AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
    return st;
}

/* ---- ids in names ------------------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The first "_DIGITS" before one of "_- " in a name from place `at` on: where it begins and ends. */
static bool find_id(pf_str name, size_t at, size_t *from, size_t *to)
{
    for (size_t i = at; i + 2 < name.len; i++) {
        size_t k = i + 1;
        while (name.ptr[i] == '_' && k < name.len && is_digit(name.ptr[k])) {
            k++;
        }
        if (k > i + 1 && k < name.len && (name.ptr[k] == '_' || name.ptr[k] == '-' || name.ptr[k] == ' ')) {
            *from = i;
            *to = k;
            return true;
        }
    }
    return false;
}

/* All of them go, each for a blank; the first one becomes an argument. */
static pf_status remove_ids(aiu_run *run, uint32_t e)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    size_t from, to, at = 0, len = 0;
    if (pf_aiu_contains(name, "Recv_") || !find_id(name, 0, &from, &to)) {
        return PF_OK;
    }
    pf_str id = {name.ptr + from + 1, to - from - 1};
    char *left = pf_pass_alloc(run->ctx, name.len + 1, 1, &run->error);
    if (!left) {
        return run->error.code;
    }
    do {
        memcpy(left + len, name.ptr + at, from - at);
        len += from - at;
        left[len++] = ' ';
        at = to + 1;
    } while (find_id(name, at, &from, &to));
    memcpy(left + len, name.ptr + at, name.len - at);
    uint32_t text = pf_aiu_text(run, (pf_str){left, len + name.len - at});
    if (text == PF_NONE) {
        return run->error.code;
    }
    run->events.name[e] = text;
    return pf_aiu_add_text(run, e, PF_STR("reqID"), id);
}

/* With -O async, names that differ in a request id alone are one. */
pf_status pf_aiu_remove_ids(aiu_run *run)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        st = pf_aiu_is_slice(run, run->order[i]) ? remove_ids(run, run->order[i]) : PF_OK;
    }
    return st;
}
