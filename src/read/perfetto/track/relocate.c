/* read/perfetto/track/relocate.c - one pass over events and samples that applies all moves and removals. */
#include "read/perfetto/track/uuids.h"

#include <string.h>

#include "base/list.h"

pf_status pf_moves_set(pf_moves *m, uint32_t row, struct pf_move move, pf_error *err)
{
    pf_trace *t = m->t;
    uint32_t had = m->moved_room;
    PF_TRY(PF_LIST_ROOM(&t->budget, m->moved, t->tracks.count, m->moved_room, err));
    for (uint32_t i = had; i < m->moved_room; i++) {
        m->moved[i] = (struct pf_move){.to = i};
    }
    m->moved[row] = move;
    return PF_OK;
}

static uint32_t destination(const pf_moves *m, uint32_t row)
{
    return row < m->moved_room ? m->moved[row].to : row;
}

/* Sample rows of removed tracks go; event rows of the others are renumbered. */
static void apply_to_samples(const pf_moves *m, const uint32_t *new_row)
{
    pf_trace *t = m->t;
    uint32_t n = m->first_sample;
    for (uint32_t i = n; i < t->counters.count; i++) {
        uint32_t track = destination(m, t->counters.track[i]), event = t->counters.event[i];
        if (track != PF_NONE) {
            pf_columns_move(&t->counters.columns, n, i);
            t->counters.track[n] = track;
            t->counters.event[n++] = event == PF_NONE || !new_row ? event : new_row[event - m->first_event];
        }
    }
    t->counters.count = n;
}

/* The rows of a sparse table whose events stay. */
static void keep_rows(const pf_moves *m, const pf_columns *columns, uint32_t *event, uint32_t *count,
                      const uint32_t *new_row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t to = event[i] < m->first_event ? event[i] : new_row[event[i] - m->first_event];
        if (to != PF_NONE) {
            pf_columns_move(columns, n, i);
            event[n++] = to;
        }
    }
    *count = n;
}

/* Moves the rows of kept events up; fills new_row with their new numbers. */
static void apply_to_events(const pf_moves *m, uint32_t *new_row)
{
    pf_trace *t = m->t;
    uint32_t first = m->first_event, n = first;
    for (uint32_t i = first; i < t->events.count; i++) {
        uint32_t track = destination(m, t->events.track[i]);
        new_row[i - first] = track == PF_NONE ? PF_NONE : n;
        if (track == PF_NONE) {
            continue;
        }
        pf_columns_move(&t->events.columns, n, i);
        t->events.track[n] = track;
        if (i < t->events.dur_room) {
            t->events.dur[n] = t->events.dur[i];
        }
        if (n < t->events.category_room) {
            t->events.category[n] = i < t->events.category_room ? t->events.category[i] : 0;
        }
        n++;
    }
    if (t->events.category_room > n) { /* cells after the last row are expected to be zero */
        memset(t->events.category + n, 0, (t->events.category_room - n) * sizeof *t->events.category);
    }
    keep_rows(m, &t->args.columns, t->args.event, &t->args.count, new_row);
    keep_rows(m, &t->offsets.columns, t->offsets.event, &t->offsets.count, new_row);
    keep_rows(m, &t->flow_refs.columns, t->flow_refs.event, &t->flow_refs.count, new_row);
    keep_rows(m, &t->thread_times.columns, t->thread_times.event, &t->thread_times.count, new_row);
    keep_rows(m, &t->origins.columns, t->origins.event, &t->origins.count, new_row);
    t->events.count = n;
}

pf_status pf_moves_apply(pf_moves *m, pf_error *err)
{
    pf_trace *t = m->t;
    uint32_t events = t->events.count - m->first_event;
    if (!m->moved && !m->removes_events) {
        return PF_OK;
    }
    bool removes = m->removes_events;
    for (uint32_t i = 0; i < m->moved_room; i++) {
        removes = removes || m->moved[i].to == PF_NONE;
    }
    if (!removes) {
        for (uint32_t i = m->first_event; i < t->events.count; i++) {
            t->events.track[i] = destination(m, t->events.track[i]);
        }
        apply_to_samples(m, NULL);
        return PF_OK;
    }
    for (uint32_t i = m->first_event; i < t->events.count; i++) {
        if (t->events.track[i] != PF_NONE && destination(m, t->events.track[i]) == PF_NONE) {
            pf_trace_count(t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
            pf_trace_count(t, m->moved[t->events.track[i]].fault, PF_NOWHERE);
        }
    }
    uint32_t *new_row;
    PF_TRY(PF_LIST_NEW(&t->budget, new_row, events, err));
    apply_to_events(m, new_row);
    apply_to_samples(m, new_row);
    PF_LIST_FREE(&t->budget, new_row, events);
    return PF_OK;
}

void pf_moves_drop_thread_times(pf_moves *m)
{
    pf_trace *t = m->t;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->thread_times.count; i++) {
        uint32_t event = t->thread_times.event[i], track = t->events.track[event];
        if (event < m->first_event || (track != PF_NONE && t->tracks.utid[track] != PF_NONE)) {
            pf_columns_move(&t->thread_times.columns, n++, i);
        }
    }
    t->thread_times.count = n;
}
