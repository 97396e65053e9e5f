/* read/tinygrad/timeline/tiny_slices.c - ranges, entries and launches of graphs as slices, markers as instants, and an
 * arrow for each dependency inside a graph. */
#include "read/tinygrad/timeline/tiny_timeline.h"

static uint32_t ref(const pf_tiny_timeline *l, unsigned column, uint32_t row)
{
    return *pf_side_ref(l->p->table[PF_TINY_EVENT], column, row);
}

static int64_t number(const pf_tiny_timeline *l, unsigned column, uint32_t row)
{
    return *pf_side_number(l->p->table[PF_TINY_EVENT], column, row);
}

/* The bytes of arguments: they are looked up in the side tables, so one byte that is never read stands for all. */
static const uint8_t nothing[1] = {0};

static pf_status add_event(pf_tiny_timeline *l, uint32_t row, const pf_event *e, pf_error *err)
{
    pf_status st = pf_trace_add_event(l->t, e, err);
    if (st == PF_OK) {
        l->event_of[row - l->first] = l->t->events.count - 1;
        st = l->t->want & PF_WANT_ARGS ? pf_trace_add_lasting_args(l->t, nothing, sizeof nothing, l->decoder, row, err)
                                       : PF_OK;
    }
    return st;
}

static pf_status add_slice(pf_tiny_timeline *l, uint32_t row, pf_error *err)
{
    pf_event e = {.phase = 'X', .ts = number(l, EVENT_TS, row)};
    int64_t end = number(l, EVENT_END, row);
    e.dur = end > e.ts ? end - e.ts : 0;
    e.track = pf_tiny_track(l, ref(l, EVENT_DEVICE, row), number(l, EVENT_COPY, row) == 1, err);
    if (e.track == PF_NONE) {
        return err->code;
    }
    pf_status st = pf_tiny_plain_name(l, ref(l, EVENT_NAME, row), &e.name, err);
    return st == PF_OK ? add_event(l, row, &e, err) : st;
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

static uint32_t add_marker_track(pf_tiny_timeline *l, pf_error *err)
{
    pf_track_row row = {
        .type = PF_TRACK_GLOBAL_EVENT, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    pf_status st = pf_trace_add_string(l->t, PF_STR("markers"), &row.name, err);
    return st == PF_OK ? pf_trace_add_track(l->t, &row, err) : PF_NONE;
}

/* Markers are rows of their table in the order of the events. */
static pf_status add_marker(pf_tiny_timeline *l, uint32_t marker, uint32_t *track, pf_error *err)
{
    const pf_side_table *s = l->p->table[PF_TINY_MARKER];
    uint32_t row = *pf_side_ref(s, MARKER_EVENT, marker);
    *track = *track == PF_NONE ? add_marker_track(l, err) : *track;
    if (*track == PF_NONE) {
        return err->code;
    }
    pf_event e = {.phase = 'i', .ts = number(l, EVENT_TS, row), .track = *track};
    e.name = *pf_side_ref(s, MARKER_NAME, marker);
    return add_event(l, row, &e, err);
}

pf_status pf_tiny_draw_slices(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *markers = l->p->table[PF_TINY_MARKER];
    uint32_t track = PF_NONE, marker = 0;
    while (marker < markers->count && *pf_side_ref(markers, MARKER_EVENT, marker) < l->first) {
        marker++;
    }
    pf_status st = PF_OK;
    for (uint32_t row = l->first; st == PF_OK && row < l->first + l->count; row++) {
        uint32_t kind = ref(l, EVENT_KIND, row);
        if (marker < markers->count && *pf_side_ref(markers, MARKER_EVENT, marker) == row) {
            st = add_marker(l, marker++, &track, err);
        } else if (kind == l->p->kinds[PF_TINY_RANGE] || kind == l->p->kinds[PF_TINY_ENTRY] ||
                   kind == l->p->kinds[PF_TINY_BATCH]) {
            st = add_slice(l, row, err);
        }
    }
    return st;
}

/* ---- dependencies ------------------------------------------------------------------------------------------------ */

/* One end of an arrow. */
typedef struct end {
    uint32_t event, dependency;
} end;

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const end *ends = ctx;
    return ends[a].event > ends[b].event;
}

/* Flow ids are added in the order of the events that have them. */
static pf_status add_ends(pf_tiny_timeline *l, const end *ends, uint32_t count, uint32_t *order, pf_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    pf_sort_rows(order, order + count, count, is_after, ends);
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < count; i++) {
        const end *e = &ends[order[i]];
        st = pf_trace_add_flow_of(l->t, e->event, (uint64_t)e->dependency + 1, PF_FLOW_FLOW, err);
    }
    return st;
}

/* Entries are all drawn; one that waits for itself has no arrow. */
static uint32_t collect_ends(const pf_tiny_timeline *l, uint32_t first, end *ends)
{
    const pf_side_table *s = l->p->table[PF_TINY_DEPENDENCY];
    uint32_t n = 0;
    for (uint32_t i = first; i < s->count; i++) {
        uint32_t from = l->event_of[*pf_side_ref(s, DEPENDENCY_FROM, i) - l->first];
        uint32_t to = l->event_of[*pf_side_ref(s, DEPENDENCY_TO, i) - l->first];
        if (from != to) {
            ends[n++] = (end){from, i};
            ends[n++] = (end){to, i};
        }
    }
    return n;
}

pf_status pf_tiny_draw_dependencies(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *s = l->p->table[PF_TINY_DEPENDENCY];
    uint32_t first = s->count;
    while (first > 0 && *pf_side_ref(s, DEPENDENCY_FROM, first - 1) >= l->first) {
        first--;
    }
    size_t room = 2 * (size_t)(s->count - first), bytes = room * (sizeof(end) + 2 * sizeof(uint32_t));
    end *ends = pf_alloc(&l->t->budget, bytes);
    if (!ends) {
        return pf_budget_refused(&l->t->budget, bytes, err);
    }
    uint32_t n = collect_ends(l, first, ends);
    pf_status st = add_ends(l, ends, n, (uint32_t *)(ends + room), err);
    pf_release(&l->t->budget, ends, bytes);
    return st;
}
