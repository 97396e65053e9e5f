/* model/finish/states.c - from events to states: what a track shows from one time to another
 * (docs/reference/perfetto.md, "States").
 *
 * The events of state tracks are taken in processing order. Each names the state that its track is in from then on: a
 * name that the track shows already changes nothing, another one ends what was shown, and no name ends it without a
 * successor.
 */
#include "base/list.h"
#include "model/trace/trace.h"

static bool is_state_track(const pf_trace *t, uint32_t track)
{
    uint8_t type = t->tracks.type[track];
    return type == PF_TRACK_THREAD_STATE || type == PF_TRACK_PROCESS_STATE || type == PF_TRACK_GLOBAL_STATE;
}

static pf_status add_row(pf_trace *t, uint32_t event, uint32_t track, pf_error *err)
{
    pf_side_table *s = &t->sides.known[PF_SIDE_STATE];
    PF_TRY(pf_side_add_row(s, err));
    uint32_t row = s->count - 1;
    *pf_side_number(s, PF_STATE_TS, row) = t->events.ts[event];
    *pf_side_number(s, PF_STATE_DUR, row) = -1;
    *pf_side_ref(s, PF_STATE_TRACK, row) = track;
    *pf_side_ref(s, PF_STATE_CATEGORY, row) = t->events.category ? t->events.category[event] : 0;
    *pf_side_ref(s, PF_STATE_VALUE, row) = t->events.name[event];
    *pf_side_ref(s, PF_STATE_EVENT, row) = event;
    t->tracks.used[track] = 1;
    return PF_OK;
}

/* current: by track, the row + 1 of the state that it is in, 0 = none. */
static pf_status take_event(pf_trace *t, uint32_t event, uint32_t *current, pf_error *err)
{
    pf_side_table *s = &t->sides.known[PF_SIDE_STATE];
    uint32_t track = t->events.track[event], name = t->events.name[event];
    int64_t ts = t->events.ts[event];
    if (t->events.phase[event] != PF_PHASE_STATE || ts < 0) {
        return PF_OK;
    }
    if (!is_state_track(t, track)) {
        pf_trace_count(t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
        return PF_OK;
    }
    uint32_t on = current[track];
    if (on && *pf_side_ref(s, PF_STATE_VALUE, on - 1) == name) {
        return PF_OK;
    }
    if (on) {
        *pf_side_number(s, PF_STATE_DUR, on - 1) = ts - *pf_side_number(s, PF_STATE_TS, on - 1);
    }
    PF_TRY(name ? add_row(t, event, track, err) : PF_OK);
    current[track] = name ? s->count : 0;
    return PF_OK;
}

pf_status pf_trace_build_states(pf_trace *t, pf_error *err)
{
    size_t tracks = (size_t)t->tracks.count + 1;
    uint32_t *order = NULL, *current;
    PF_TRY(PF_LIST_NEW(&t->budget, current, tracks, err));
    pf_status st = pf_trace_event_order(t, &t->budget, &order, err);
    for (uint32_t i = 0; i < t->events.count && st == PF_OK; i++) {
        st = take_event(t, order ? order[i] : i, current, err);
    }
    PF_LIST_FREE(&t->budget, order, t->events.count);
    PF_LIST_FREE(&t->budget, current, tracks);
    return st;
}
