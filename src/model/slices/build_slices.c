/* model/slices/build_slices.c - the table slice from the events: their order, the two halves of a large trace at once
 * (parallel_halves.c), the rest one by one (slices.c), arrows and lanes. */
#include "base/list.h"
#include "model/slices/slices.h"

static pf_status add_thread_columns(pf_slice_builder *b)
{
    pf_trace *t = b->t;
    void **bases[] = {(void **)&t->slices.thread_ts, (void **)&t->slices.thread_dur,
                      (void **)&t->slices.instruction_count, (void **)&t->slices.instruction_delta};
    for (size_t i = 0; i < 4; i++) {
        PF_TRY(pf_columns_add(&t->slices.columns, bases[i], sizeof(int64_t), b->err));
    }
    return PF_OK;
}

/* From when to when there are slices. They lie in the order of their times, and the latest end is known, unless a slice
 * was cut to less than it had. */
static void find_bounds(const pf_slice_builder *b)
{
    pf_trace *t = b->t;
    if (t->slices.count) {
        t->slices.start = t->slices.end = pf_built_ts(t, 0);
    }
    for (uint32_t i = 0; b->cut && i < t->slices.count; i++) {
        int64_t end = pf_built_ts(t, i) + (t->slices.dur[i] > 0 ? t->slices.dur[i] : 0);
        t->slices.end = end > t->slices.end ? end : t->slices.end;
    }
    t->slices.end = b->cut || !t->slices.count ? t->slices.end : b->latest;
}

static pf_status build(pf_slice_builder *b, uint32_t **order)
{
    pf_trace *t = b->t;
    uint32_t done = 0;
    PF_TRY(pf_trace_event_order(t, &t->budget, order, b->err));
    PF_TRY(pf_flow_tracker_init(&b->flows, t, *order != NULL, b->err));
    PF_TRY(PF_COLUMNS_ADD(&b->columns, b->stacks, b->err));
    PF_TRY(pf_slices_cover_tracks(b));
    pf_lanes_hold_back(b);
    PF_TRY(t->thread_times.count ? add_thread_columns(b) : PF_OK);
    PF_TRY(pf_slices_add_halves(b, *order, &done));
    PF_TRY(pf_slices_add(b, *order, done, t->events.count, false, &done));
    PF_TRY(pf_flow_tracker_finish(&b->flows, *order, t->events.count, b->err));
    pf_lanes_adopt(b);
    find_bounds(b);
    return PF_OK;
}

pf_status pf_trace_build_slices(pf_trace *t, pf_error *err)
{
    pf_slice_builder b = {
        .t = t, .err = err, .has_flows = t->flow_refs.count > 0, .latest = INT64_MIN, .row_end = PF_NONE, .flows.t = t};
    uint32_t *order = NULL;
    pf_columns_init(&b.columns, &t->budget, "stack");
    pf_status st = build(&b, &order);
    PF_LIST_FREE(&t->budget, order, t->events.count);
    pf_overlaps_free(&b);
    pf_flow_tracker_free(&b.flows);
    pf_columns_free(&b.columns);
    return st;
}
