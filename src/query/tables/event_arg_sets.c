/* query/tables/event_arg_sets.c - the arguments of slices, counters, states and flows as sets, each of them once. */
#include <string.h>

#include "base/list.h"
#include "model/trace/trace.h"
#include "query/session/arg_sets.h"
#include "query/tables/event_args.h"

static pf_status collect(pf_arg_store *s, const pf_trace *t, uint32_t begin, uint32_t end, uint32_t *set, pf_error *err)
{
    pf_arg_set_begin(s);
    PF_TRY(pf_arg_set_event(s, t, begin, err));
    if (end != PF_NONE) {
        PF_TRY(pf_arg_set_event(s, t, end, err));
    }
    return pf_arg_set_end(s, set, err);
}

static pf_status new_sets(pf_arg_store *s, uint32_t rows, uint32_t **sets, uint32_t *count, pf_error *err)
{
    if (*sets) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_NEW(s->budget, *sets, rows, err));
    *count = rows;
    memset(*sets, 0xff, rows * sizeof **sets);
    return PF_OK;
}

/* Chrome's flows also differ by name and category: those are their arguments. */
static pf_status collect_flows(pf_arg_store *s, const pf_trace *t, pf_error *err)
{
    const pf_flows *flows = pf_trace_flows(t);
    const pf_events *e = pf_trace_events(t);
    PF_TRY(new_sets(s, flows->count, &s->flow_set, &s->flow_count, err));
    for (uint32_t i = 0; flows->event && i < flows->count; i++) {
        uint32_t event = flows->event[i];
        if (event == PF_NONE) {
            continue;
        }
        const pf_value name = {.type = PF_VALUE_STRING, .as.s = pf_trace_string(t, e->name[event])};
        const pf_value category = {.type = PF_VALUE_STRING,
                                   .as.s = pf_trace_string(t, e->category ? e->category[event] : 0)};
        pf_arg_set_begin(s);
        PF_TRY(pf_arg_set_value(s, PF_STR("name"), PF_STR("name"), &name, err));
        PF_TRY(pf_arg_set_value(s, PF_STR("cat"), PF_STR("cat"), &category, err));
        PF_TRY(pf_arg_set_end(s, &s->flow_set[i], err));
    }
    return PF_OK;
}

pf_status pf_arg_store_load_events(pf_arg_store *s, const pf_trace *t, pf_error *err)
{
    if (s->has_events) {
        return PF_OK;
    }
    const pf_slices *slices = pf_trace_slices(t);
    const pf_counters *counters = pf_trace_counters(t);
    PF_TRY(new_sets(s, slices->count, &s->slice_set, &s->slice_count, err));
    PF_TRY(new_sets(s, counters->count, &s->counter_set, &s->counter_count, err));
    const pf_side_table *states = &t->sides.known[PF_SIDE_STATE];
    PF_TRY(new_sets(s, states->count, &s->state_set, &s->state_count, err));
    for (uint32_t i = 0; i < slices->count; i++) {
        PF_TRY(collect(s, t, slices->event[i], slices->end_event[i], &s->slice_set[i], err));
    }
    const pf_tracks *tracks = pf_trace_tracks(t);
    for (uint32_t i = 0; i < counters->count; i++) {
        /* The arguments of a JSON counter event are its samples. */
        if (counters->event[i] != PF_NONE && tracks->type[counters->track[i]] != PF_TRACK_JSON_COUNTER) {
            PF_TRY(collect(s, t, counters->event[i], PF_NONE, &s->counter_set[i], err));
        }
    }
    for (uint32_t i = 0; i < states->count; i++) {
        PF_TRY(collect(s, t, *pf_side_ref(states, PF_STATE_EVENT, i), PF_NONE, &s->state_set[i], err));
    }
    PF_TRY(collect_flows(s, t, err));
    s->has_events = true;
    return PF_OK;
}
