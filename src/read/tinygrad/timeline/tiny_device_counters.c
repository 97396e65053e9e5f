/* read/tinygrad/timeline/tiny_device_counters.c - hardware counters as counters of their device: what an execution
 * counted, from the kernel's start to its end, then 0. */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

/* The sum of a counter as a double, also where it is beyond 63 bits. */
static double sum_of(const pf_trace *t, const pf_side_table *s, uint32_t row)
{
    pf_str digits = pf_trace_string(t, *pf_side_ref(s, PMC_SUM_DIGITS, row));
    double value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        value = value * 10 + (digits.ptr[i] - '0');
    }
    return digits.len ? value : (double)*pf_side_number(s, PMC_SUM, row);
}

static uint32_t add_track(pf_tiny_timeline *l, uint32_t device, uint32_t name, pf_error *err)
{
    pf_track_row row = {
        .type = PF_TRACK_PROCESS_COUNTER, .name = name, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    row.upid = pf_tiny_process(l, device, err);
    pf_status st = row.upid == PF_NONE ? err->code : pf_trace_add_string(l->t, PF_STR("count"), &row.unit, err);
    uint32_t track = st == PF_OK ? pf_trace_add_track(l->t, &row, err) : PF_NONE;
    st = track == PF_NONE ? err->code
                          : pf_tiny_describe(l, track, "description",
                                             "What this hardware counter counted in an execution of a kernel, from the "
                                             "kernel's start to its end: the sum of all units (table tinygrad_pmc).",
                                             err);
    return st == PF_OK ? track : PF_NONE;
}

/* The track of a counter of a device. */
static uint32_t track_of(pf_tiny_timeline *l, pf_map *tracks, uint32_t device, uint32_t name, pf_error *err)
{
    uint64_t key = (uint64_t)device << 32 | name;
    uint32_t track = pf_map_get(tracks, key);
    if (track != PF_NONE) {
        return track;
    }
    track = add_track(l, device, name, err);
    if (track != PF_NONE && !pf_map_set(tracks, key, track)) {
        pf_budget_refused(&l->t->budget, 0, err);
        return PF_NONE;
    }
    return track;
}

/* The counters of the event whose rows begin at `row`. */
static pf_status draw_execution(pf_tiny_timeline *l, pf_map *tracks, const pf_side_table *s, uint32_t row,
                                uint32_t kernel, pf_error *err)
{
    const pf_side_table *events = l->p->table[PF_TINY_EVENT];
    uint32_t event = *pf_side_ref(s, PMC_EVENT, row), device = *pf_side_ref(events, EVENT_DEVICE, event);
    int64_t from = *pf_side_number(events, EVENT_TS, kernel), to = *pf_side_number(events, EVENT_END, kernel);
    pf_status st = PF_OK;
    for (; st == PF_OK && row < s->count && *pf_side_ref(s, PMC_EVENT, row) == event; row++) {
        uint32_t track = track_of(l, tracks, device, *pf_side_ref(s, PMC_NAME, row), err);
        st = track == PF_NONE ? err->code : pf_trace_add_sample(l->t, from, sum_of(l->t, s, row), track, PF_NONE, err);
        st = st == PF_OK ? pf_trace_add_sample(l->t, to > from ? to : from, 0, track, PF_NONE, err) : st;
    }
    return st;
}

pf_status pf_tiny_draw_device_counters(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *s = pf_trace_table(l->t, "tinygrad_pmc"), *records = l->p->records;
    pf_map tracks;
    pf_status st = PF_OK;
    pf_map_init(&tracks, &l->t->budget);
    for (uint32_t i = l->first_record; st == PF_OK && s->count && i < records->count; i++) {
        uint32_t event = *pf_side_ref(records, RECORD_EVENT, i), kernel = *pf_side_ref(records, RECORD_KERNEL, i);
        uint32_t row = pf_rows_lower_bound(s->column[PMC_EVENT], s->count, event);
        if (row < s->count && *pf_side_ref(s, PMC_EVENT, row) == event) {
            st = draw_execution(l, &tracks, s, row, kernel, err);
        }
    }
    pf_map_free(&tracks);
    return st;
}
