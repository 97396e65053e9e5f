/* ends.c - names for unnamed ends.
 *
 * In a Chrome trace an end carries its own name, and one without a name is none of ours (specs/aie.md 1). In a binary
 * trace an END packet usually has no name: it closes the innermost slice that is open on its track, and that slice's
 * name is meant. So, for binary inputs that have such ends, one walk in processing order keeps a stack per track,
 * threaded through the rows of the begins, and writes the names into a copy of the name column.
 */
#include <string.h>

#include "analyze/aie/aie.h"
#include "model/trace.h"

static bool has_unnamed_ends(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        if (strcmp(in->format, "perfetto") != 0) {
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

pf_status aie_event_names(const pf_trace *t, pf_arena *scratch, const uint32_t **names, pf_error *err)
{
    const pf_events *e = pf_trace_events(t);
    *names = e->name;
    if (!has_unnamed_ends(t)) {
        return PF_OK;
    }
    uint32_t tracks = pf_trace_tracks(t)->count;
    uint32_t *copy = aie_alloc(scratch, e->count, sizeof *copy, err);
    uint32_t *below = copy ? aie_alloc(scratch, e->count, sizeof *below, err) : NULL;
    uint32_t *top = below ? aie_alloc(scratch, tracks, sizeof *top, err) : NULL;
    if (!top) {
        return err->code;
    }
    memcpy(copy, e->name, e->count * sizeof *copy);
    memset(top, 0xFF, tracks * sizeof *top); /* PF_NONE everywhere */
    uint32_t *order;
    pf_status st = pf_trace_event_order(t, scratch->budget, &order, err);
    if (st != PF_OK) {
        return st;
    }
    walk(e, order, copy, top, below);
    pf_release(scratch->budget, order, e->count * sizeof *order);
    *names = copy;
    return PF_OK;
}
