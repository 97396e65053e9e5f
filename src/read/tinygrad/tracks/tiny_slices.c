/* read/tinygrad/tracks/tiny_slices.c - ranges, entries and launches of graphs as slices, markers as instants, and an
 * arrow for each dependency inside a graph. */
#include "read/tinygrad/tracks/tiny_tracks.h"

static pf_status add_event(pf_tiny_tracks *l, uint32_t row, const pf_event *e)
{
    PF_TRY(pf_tiny_draw_event(l, e, l->decoder, row));
    l->event_of[row - l->first] = l->t->events.count - 1;
    return PF_OK;
}

static pf_status add_slice(pf_tiny_tracks *l, uint32_t row)
{
    pf_event e = {.phase = 'X', .ts = pf_tiny_event_int(l, EVENT_TS, row)};
    int64_t end = pf_tiny_event_int(l, EVENT_END, row);
    bool copy = pf_tiny_event_int(l, EVENT_COPY, row) == 1;
    e.dur = pf_tiny_between(e.ts, end);
    PF_TRY(pf_tiny_device_track(l, pf_tiny_event_ref(l, EVENT_DEVICE, row), copy, &e.track));
    PF_TRY(pf_tiny_plain_name(l, pf_tiny_event_ref(l, EVENT_NAME, row), &e.name));
    return add_event(l, row, &e);
}

/* Markers are rows of their table in the order of the events. */
static pf_status add_marker(pf_tiny_tracks *l, uint32_t marker, uint32_t row, uint32_t *track)
{
    if (*track == PF_NONE) {
        const pf_tiny_track k = {.type = PF_TRACK_GLOBAL_EVENT,
                                 .upid = PF_NONE,
                                 .parent = PF_NONE,
                                 .name = pf_tiny_word(l->p, "markers"),
                                 .description = "What the program marked (table tinygrad_marker)."};
        PF_TRY(pf_tiny_add_track(l, &k, NULL, 0, track));
    }
    pf_event e = {.phase = 'i', .ts = pf_tiny_event_int(l, EVENT_TS, row), .track = *track};
    e.name = *pf_tiny_ref_at(l->p, PF_TINY_MARKER, MARKER_NAME, marker);
    return add_event(l, row, &e);
}

pf_status pf_tiny_draw_slices(pf_tiny_tracks *l)
{
    const pf_side_table *markers = l->p->table[PF_TINY_MARKER];
    const uint32_t *kinds = l->p->kinds;
    uint32_t track = PF_NONE, marker = pf_tiny_first_of(markers, MARKER_EVENT, l->first);
    for (uint32_t row = l->first; row < l->first + l->count; row++) {
        uint32_t kind = pf_tiny_event_ref(l, EVENT_KIND, row);
        if (marker < markers->count && *pf_side_ref(markers, MARKER_EVENT, marker) == row) {
            PF_TRY(add_marker(l, marker++, row, &track));
        } else if (kind == kinds[PF_TINY_KIND_RANGE] || kind == kinds[PF_TINY_KIND_ENTRY] ||
                   kind == kinds[PF_TINY_KIND_BATCH]) {
            PF_TRY(add_slice(l, row));
        }
    }
    return PF_OK;
}

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
pf_status pf_tiny_draw_dependencies(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_DEPENDENCY];
    uint32_t first = s->count;
    while (first > 0 && *pf_side_ref(s, DEPENDENCY_FROM, first - 1) >= l->first) {
        first--;
    }
    size_t room = 2 * (size_t)(s->count - first);
    uint32_t *order, n = 0;
    end *ends;
    PF_TRY(PF_ARENA_NEW(&l->arena, ends, room, l->p->err));
    PF_TRY(PF_ARENA_NEW(&l->arena, order, 2 * room, l->p->err));
    for (uint32_t i = first; i < s->count; i++) { /* entries are all drawn; one that waits for itself has no arrow */
        uint32_t from = l->event_of[*pf_side_ref(s, DEPENDENCY_FROM, i) - l->first];
        uint32_t to = l->event_of[*pf_side_ref(s, DEPENDENCY_TO, i) - l->first];
        if (from != to) {
            ends[n++] = (end){from, i};
            ends[n++] = (end){to, i};
        }
    }
    pf_order_rows(order, order + n, n, is_after, ends);
    for (uint32_t i = 0; i < n; i++) {
        const end *e = &ends[order[i]];
        PF_TRY(pf_trace_add_flow_of(l->t, e->event, (uint64_t)e->dependency + 1, PF_FLOW_FLOW, l->p->err));
    }
    return PF_OK;
}
