/* query/tables/event_arg_sets.c - the arguments of slices, counters, states and flows as sets, each of them once. */
#include "model/trace/trace.h"
#include "query/tables/model_tables.h"

static pf_status collect(pf_query *q, uint32_t begin, uint32_t end, uint32_t *set, pf_error *err)
{
    pf_arg_set_begin(&q->args);
    PF_TRY(pf_arg_set_event(&q->args, q->trace, begin, err));
    if (end != PF_NONE) {
        PF_TRY(pf_arg_set_event(&q->args, q->trace, end, err));
    }
    return pf_arg_set_end(&q->args, set, err);
}

/* Chrome's flows also differ by name and category: those are their arguments. */
static pf_status collect_flow(pf_query *q, uint32_t event, uint32_t *set, pf_error *err)
{
    const pf_events *e = pf_trace_events(q->trace);
    uint32_t category_id = e->category ? e->category[event] : 0;
    const pf_value name = {.type = PF_VALUE_STRING, .as.s = pf_trace_string(q->trace, e->name[event])};
    const pf_value category = {.type = PF_VALUE_STRING, .as.s = pf_trace_string(q->trace, category_id)};
    pf_arg_set_begin(&q->args);
    PF_TRY(pf_arg_set_value(&q->args, PF_STR("name"), PF_STR("name"), &name, err));
    PF_TRY(pf_arg_set_value(&q->args, PF_STR("cat"), PF_STR("cat"), &category, err));
    return pf_arg_set_end(&q->args, set, err);
}

pf_status pf_sql_event_args_load(pf_query *q, pf_error *err)
{
    const pf_trace *t = q->trace;
    const pf_slices *slices = pf_trace_slices(t);
    const pf_counters *counters = pf_trace_counters(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    const pf_flows *flows = pf_trace_flows(t);
    const pf_side_table *states = &t->sides.known[PF_SIDE_STATE];
    const pf_sql_row_sets *of = q->row_sets;
    for (uint32_t i = 0; i < of[PF_SETS_SLICE].rows; i++) {
        PF_TRY(collect(q, slices->event[i], slices->end_event[i], &of[PF_SETS_SLICE].set[i], err));
    }
    for (uint32_t i = 0; i < of[PF_SETS_COUNTER].rows; i++) {
        /* The arguments of a JSON counter event are its samples. */
        if (counters->event[i] != PF_NONE && tracks->type[counters->track[i]] != PF_TRACK_JSON_COUNTER) {
            PF_TRY(collect(q, counters->event[i], PF_NONE, &of[PF_SETS_COUNTER].set[i], err));
        }
    }
    for (uint32_t i = 0; i < of[PF_SETS_STATE].rows; i++) {
        PF_TRY(collect(q, *pf_side_ref(states, PF_STATE_EVENT, i), PF_NONE, &of[PF_SETS_STATE].set[i], err));
    }
    for (uint32_t i = 0; flows->event && i < of[PF_SETS_FLOW].rows; i++) {
        if (flows->event[i] != PF_NONE) {
            PF_TRY(collect_flow(q, flows->event[i], &of[PF_SETS_FLOW].set[i], err));
        }
    }
    return PF_OK;
}
