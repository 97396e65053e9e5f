/* read/tinygrad/tracks/tiny_device_counters.c - hardware counters as counters of their device: what an execution
 * counted, from the kernel's start to its end, then 0. */
#include "read/tinygrad/tracks/tiny_tracks.h"

/* The sum of a counter as a double, also where it is beyond 63 bits. */
static double sum_of(const pf_tiny_tracks *l, uint32_t row)
{
    pf_str digits = pf_trace_string(l->t, *pf_tiny_ref_at(l->p, PF_TINY_PMC, PMC_SUM_DIGITS, row));
    double value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        value = value * 10 + (digits.ptr[i] - '0');
    }
    return digits.len ? value : (double)*pf_tiny_int_at(l->p, PF_TINY_PMC, PMC_SUM, row);
}

/* The track of a counter of a device. */
static pf_status track_of(pf_tiny_tracks *l, pf_map *tracks, uint32_t device, uint32_t name, uint32_t *track)
{
    uint64_t key = (uint64_t)device << 32 | name;
    *track = pf_map_get(tracks, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .parent = PF_NONE,
        .name = name,
        .unit = "count",
        .detail = {{"description", "What this hardware counter counted in an execution of a kernel, from the kernel's "
                                   "start to its end: the sum of all units (table tinygrad_pmc)."}},
    };
    PF_TRY(pf_tiny_process(l, device, &k.upid));
    return pf_tiny_add_track(l, &k, tracks, key, track);
}

/* The counters of an event, whose rows begin at `row`. */
static pf_status draw_execution(pf_tiny_tracks *l, pf_map *tracks, uint32_t row, uint32_t event, uint32_t kernel)
{
    const pf_side_table *s = l->p->table[PF_TINY_PMC];
    uint32_t device = pf_tiny_event_ref(l, EVENT_DEVICE, event), track;
    int64_t from = pf_tiny_event_int(l, EVENT_TS, kernel), to = pf_tiny_event_int(l, EVENT_END, kernel);
    for (; row < s->count && *pf_side_ref(s, PMC_EVENT, row) == event; row++) {
        PF_TRY(track_of(l, tracks, device, *pf_side_ref(s, PMC_NAME, row), &track));
        PF_TRY(pf_trace_add_sample(l->t, from, sum_of(l, row), track, PF_NONE, l->p->err));
        PF_TRY(pf_trace_add_sample(l->t, to > from ? to : from, 0, track, PF_NONE, l->p->err));
    }
    return PF_OK;
}

static pf_status draw_all(pf_tiny_tracks *l, pf_map *tracks)
{
    const pf_side_table *s = l->p->table[PF_TINY_PMC], *records = l->p->table[PF_TINY_RECORD];
    for (uint32_t i = l->first_record; i < records->count; i++) {
        uint32_t event = *pf_side_ref(records, RECORD_EVENT, i), row = pf_tiny_first_of(s, PMC_EVENT, event);
        PF_TRY(draw_execution(l, tracks, row, event, *pf_side_ref(records, RECORD_KERNEL, i)));
    }
    return PF_OK;
}

pf_status pf_tiny_draw_device_counters(pf_tiny_tracks *l)
{
    pf_map tracks;
    pf_map_init(&tracks, &l->t->budget);
    pf_status st = draw_all(l, &tracks);
    pf_map_free(&tracks);
    return st;
}
