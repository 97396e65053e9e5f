/* read/tinygrad/tracks/tiny_counters.c - counters: devices called LINE:... whose points are samples; and what hardware
 * counters counted in executions, from the kernel's start to its end, then 0. What was counted in one execution alone
 * is an argument of its slice, as all of it is, and no counter.
 */
#include "read/tinygrad/tracks/tiny_tracks.h"

static pf_status line_track(pf_tiny_tracks *l, uint32_t device, uint32_t *track)
{
    pf_tiny_track k = {.type = PF_TRACK_GLOBAL_COUNTER,
                       .upid = PF_NONE,
                       .parent = PF_NONE,
                       .description = "Values that the program recorded on a line of this name."};
    uint64_t key = 2 * (uint64_t)device;
    *track = pf_map_get(&l->track_of, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    k.name = pf_tiny_id(l->p, pf_str_from(pf_trace_string(l->t, device), sizeof "LINE:" - 1));
    return pf_tiny_add_track(l, &k, &l->track_of, key, track);
}

pf_status pf_tiny_draw_lines(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_SAMPLE];
    for (uint32_t i = pf_tiny_first_of(s, SAMPLE_EVENT_ROW, l->first), track; i < s->count; i++) {
        uint32_t event = *pf_side_ref(s, SAMPLE_EVENT_ROW, i);
        int64_t v = *pf_side_number(s, SAMPLE_NUMBER, i);
        PF_TRY(line_track(l, pf_tiny_event_ref(l, EVENT_DEVICE, event), &track));
        PF_TRY(pf_trace_add_sample(l->t, pf_tiny_event_int(l, EVENT_TS, event), (double)(v < 0 ? 0 : v), track, PF_NONE,
                                   l->p->err));
    }
    return PF_OK;
}

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

typedef struct counts {
    pf_tiny_tracks *l; /* its map: the tracks */
    pf_map executions; /* device and name of a counter -> 1, 2: so many executions, or more */
} counts;

static pf_status counter_track(pf_tiny_tracks *l, uint32_t device, uint32_t name, uint32_t *track)
{
    uint64_t key = (uint64_t)device << 32 | name;
    *track = pf_map_get(&l->map, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .parent = PF_NONE,
        .name = name,
        .unit = "count",
        .description = "What this hardware counter counted in each execution of a kernel, from the kernel's start to "
                       "its end: the sum of all units (table tinygrad_pmc).",
        .ranked = true,
        .rank = PF_TINY_RANK_COUNTERS,
    };
    PF_TRY(pf_tiny_process(l, device, &k.upid));
    return pf_tiny_add_track(l, &k, &l->map, key, track);
}

/* Counts a value, or draws it where there are several. */
static pf_status draw_count(counts *c, uint32_t kernel, uint32_t row, bool draw)
{
    pf_tiny_tracks *l = c->l;
    const pf_side_table *s = l->p->table[PF_TINY_PMC];
    uint32_t device = pf_tiny_event_ref(l, EVENT_DEVICE, *pf_side_ref(s, PMC_EVENT, row)),
             name = *pf_side_ref(s, PMC_NAME, row), track;
    uint64_t key = (uint64_t)device << 32 | name;
    uint32_t known = pf_map_get(&c->executions, key);
    if (!draw) {
        return pf_map_put(&c->executions, key, known == PF_NONE ? 1 : 2, l->p->err);
    }
    if (known < 2) {
        return PF_OK;
    }
    PF_TRY(counter_track(l, device, name, &track));
    return pf_tiny_hold(l, kernel, sum_of(l, row), track);
}

static pf_status draw_counts(counts *c, bool draw)
{
    const pf_side_table *s = c->l->p->table[PF_TINY_PMC], *records = c->l->p->table[PF_TINY_RECORD];
    for (uint32_t i = c->l->first_record; i < records->count; i++) {
        uint32_t event = *pf_side_ref(records, RECORD_EVENT, i), kernel = *pf_side_ref(records, RECORD_KERNEL, i);
        uint32_t row = pf_tiny_first_of(s, PMC_EVENT, event);
        for (; row < s->count && *pf_side_ref(s, PMC_EVENT, row) == event; row++) {
            PF_TRY(draw_count(c, kernel, row, draw));
        }
    }
    return PF_OK;
}

pf_status pf_tiny_draw_device_counters(pf_tiny_tracks *l)
{
    counts c = {.l = l};
    pf_map_init(&c.executions, &l->t->budget);
    pf_status st = draw_counts(&c, false);
    st = st == PF_OK ? draw_counts(&c, true) : st;
    pf_map_free(&c.executions);
    return st;
}
