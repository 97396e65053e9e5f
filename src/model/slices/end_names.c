/* model/slices/end_names.c - names for ends that have none.
 *
 * Where an input says so (pf_input.ends_unnamed), an end without a name closes the innermost slice that is open on its
 * track, and that slice's name is meant. One walk in processing order keeps a stack per track, threaded through the
 * rows of the begins, and writes the names into a copy of the name column. An end with another name than what is on top
 * closes nothing here.
 */
#include <string.h>

#include "model/trace/trace.h"

static bool has_unnamed_ends(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        if (!in->ends_unnamed) {
            continue;
        }
        for (uint32_t row = in->first_event; row < in->first_event + in->events; row++) {
            if (e->name[row] == 0 && (e->phase[row] & ~PF_PHASE_BAD_TS) == 'E') {
                return true;
            }
        }
    }
    return false;
}

static void walk(const pf_events *e, const uint32_t *order, uint32_t *names, uint32_t *top, uint32_t *below)
{
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t row = order ? order[i] : i, track = e->track[row];
        unsigned phase = e->phase[row] & ~PF_PHASE_BAD_TS;
        if (phase == 'B') {
            below[row] = top[track];
            top[track] = row;
        } else if (phase == 'E' && top[track] != PF_NONE) {
            uint32_t begin = top[track];
            if (names[row] == 0) {
                names[row] = names[begin];
            }
            if (names[row] == names[begin]) {
                top[track] = below[begin];
            }
        }
    }
}

pf_status pf_trace_end_names(const pf_trace *t, pf_arena *arena, const uint32_t **names, pf_error *err)
{
    const pf_events *e = pf_trace_events(t);
    size_t events = e->count * sizeof(uint32_t), tracks = pf_trace_tracks(t)->count;
    *names = e->name;
    if (!has_unnamed_ends(t)) {
        return PF_OK;
    }
    uint32_t *copy, *below, *top, *order;
    PF_TRY(PF_ARENA_NEW(arena, copy, e->count, err));
    PF_TRY(PF_ARENA_NEW(arena, below, e->count, err));
    PF_TRY(PF_ARENA_NEW(arena, top, tracks, err));
    memcpy(copy, e->name, events);
    memset(top, 0xFF, tracks * sizeof *top); /* PF_NONE everywhere */
    PF_TRY(pf_trace_event_order(t, arena->budget, &order, err));
    walk(e, order, copy, top, below);
    pf_release(arena->budget, order, events);
    *names = copy;
    return PF_OK;
}
