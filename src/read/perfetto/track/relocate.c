/* read/perfetto/track/relocate.c - one pass over events and samples that applies all moves and removals. */
#include "read/perfetto/track/relocate.h"

#include <string.h>

#include "base/list.h"

void pf_moves_init(pf_moves *m, pf_trace *t, uint32_t first_event, uint32_t first_sample)
{
    *m = (pf_moves){.t = t, .first_event = first_event, .first_sample = first_sample};
}

void pf_moves_free(pf_moves *m)
{
    PF_LIST_FREE(&m->t->budget, m->moved, m->moved_room);
    m->moved = NULL;
    m->moved_room = 0;
}

static pf_status set(pf_moves *m, uint32_t row, struct pf_move move, pf_error *err)
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

pf_status pf_moves_set(pf_moves *m, uint32_t row, uint32_t to, pf_error *err)
{
    return set(m, row, (struct pf_move){.to = to}, err);
}

pf_status pf_moves_remove(pf_moves *m, uint32_t row, pf_stat_id fault, pf_error *err)
{
    return set(m, row, (struct pf_move){PF_NONE, fault}, err);
}

static uint32_t destination(const pf_moves *m, uint32_t row)
{
    return row < m->moved_room ? m->moved[row].to : row;
}

/* Sample rows of removed tracks go; event rows of the others are renumbered by `shift`, a prefix count of removals. */
static void apply_to_samples(const pf_moves *m, const uint32_t *new_row)
{
    pf_trace *t = m->t;
    uint32_t n = m->first_sample;
    for (uint32_t i = n; i < t->counters.count; i++) {
        uint32_t track = destination(m, t->counters.track[i]);
        if (track == PF_NONE) {
            continue;
        }
        uint32_t event = t->counters.event[i];
        t->counters.ts[n] = t->counters.ts[i];
        t->counters.value[n] = t->counters.value[i];
        t->counters.track[n] = track;
        t->counters.event[n] = event == PF_NONE || !new_row ? event : new_row[event - m->first_event];
        n++;
    }
    t->counters.count = n;
}

static uint32_t keep_rows(uint32_t *event, uint32_t count, uint32_t first_event, const uint32_t *new_row,
                          void (*copy)(pf_trace *t, uint32_t to, uint32_t from), pf_trace *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = event[i] < first_event ? event[i] : new_row[event[i] - first_event];
        if (to != PF_NONE) {
            event[n] = to;
            copy(t, n, i);
            n++;
        }
    }
    return n;
}

static void copy_args(pf_trace *t, uint32_t to, uint32_t from)
{
    t->args.len[to] = t->args.len[from];
    t->args.context[to] = t->args.context[from];
    t->args.bytes[to] = t->args.bytes[from];
}

static void copy_offset(pf_trace *t, uint32_t to, uint32_t from)
{
    t->offsets.offset[to] = t->offsets.offset[from];
}

static void copy_flow_ref(pf_trace *t, uint32_t to, uint32_t from)
{
    t->flow_refs.id[to] = t->flow_refs.id[from];
    t->flow_refs.kind[to] = t->flow_refs.kind[from];
}

static void copy_thread_time(pf_trace *t, uint32_t to, uint32_t from)
{
    t->thread_times.ts[to] = t->thread_times.ts[from];
    t->thread_times.dur[to] = t->thread_times.dur[from];
    t->thread_times.instruction_count[to] = t->thread_times.instruction_count[from];
    t->thread_times.instruction_delta[to] = t->thread_times.instruction_delta[from];
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
        t->events.ts[n] = t->events.ts[i];
        t->events.phase[n] = t->events.phase[i];
        t->events.name[n] = t->events.name[i];
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
    t->args.count = keep_rows(t->args.event, t->args.count, first, new_row, copy_args, t);
    t->offsets.count = keep_rows(t->offsets.event, t->offsets.count, first, new_row, copy_offset, t);
    t->flow_refs.count = keep_rows(t->flow_refs.event, t->flow_refs.count, first, new_row, copy_flow_ref, t);
    t->thread_times.count =
        keep_rows(t->thread_times.event, t->thread_times.count, first, new_row, copy_thread_time, t);
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
    uint32_t *new_row = pf_alloc(&t->budget, (size_t)events * sizeof *new_row);
    if (!new_row) {
        return pf_budget_refused(&t->budget, (size_t)events * sizeof *new_row, err);
    }
    apply_to_events(m, new_row);
    apply_to_samples(m, new_row);
    pf_release(&t->budget, new_row, (size_t)events * sizeof *new_row);
    return PF_OK;
}

void pf_moves_drop_thread_times(pf_moves *m)
{
    pf_trace *t = m->t;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->thread_times.count; i++) {
        uint32_t event = t->thread_times.event[i], track = t->events.track[event];
        if (event < m->first_event || (track != PF_NONE && t->tracks.utid[track] != PF_NONE)) {
            t->thread_times.event[n] = event;
            copy_thread_time(t, n, i);
            n++;
        }
    }
    t->thread_times.count = n;
}
