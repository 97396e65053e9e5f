/* model/slices/slices.c - from events to slices: one stack per track (docs/reference/perfetto.md, "Slices").
 *
 * The events are taken in processing order (build_slices.c). A begin pushes an open
 * slice, an end closes the innermost open one that its name and category allow, a complete event is pushed with its
 * duration already known, an instant likewise with duration 0. Finished slices stay on the stack until a later event on
 * the track shows that they are over. The stack of a track is the parent chain of its top slice, so a track needs only
 * that row and the number of finished slices on the chain (none: nothing to pop, the common case of nested begins).
 *
 * What does not fit on its track goes to a lane (async_lanes.c, overlap_lanes.c).
 */
#include "model/slices/slices.h"

/* Cuts every slice above `outer` to its end and pops them and `outer`. */
static void cut_above(pf_slice_builder *b, const pf_slice_rows *c, pf_chain *s, uint32_t outer, int64_t end)
{
    uint32_t event = PF_NONE;
    while (s->top != outer) {
        uint32_t inner = s->top;
        event = c->event[inner];
        pf_chain_pop(c, s);
        c->dur[inner] = end - c->ts[event];
    }
    pf_chain_pop(c, s);
    b->cut = true;
    pf_trace_count_event(b->t, PF_STAT_MISPLACED_END, event);
}

/* Settles a chain on which slices may end after ones below them: pops a slice for every one that is over at ts. Where
 * only an outer one is over, the inner one goes in its place, as in Perfetto's engine; open slices above one that is
 * over are cut. Returns false if an event of that length would cross the end of a slice. */
static bool settle_unsorted(pf_slice_builder *b, const pf_slice_rows *c, pf_chain *s, int64_t ts, int64_t length)
{
    bool below_open = false;
    for (uint32_t i = s->top, below; i != PF_NONE && s->finished; i = below) {
        int64_t dur = c->dur[i], end = c->ts[c->event[i]] + dur;
        pf_lie lie = pf_slice_lie(end, dur, ts, length);
        below = c->parent[i];
        if (dur < 0) {
            below_open = true;
        } else if (below_open && ts > end) {
            cut_above(b, c, s, i, end);
            below_open = false;
        } else if (!below_open && lie == PF_LIE_OVER) {
            pf_chain_pop(c, s);
        } else if (!below_open && lie == PF_LIE_CROSSED) {
            return false;
        }
    }
    return true;
}

/* False if an event of that length would cross the end of a slice. Most begins and ends find nothing finished. */
static inline bool settle(pf_slice_builder *b, pf_chain *s, int64_t ts, int64_t length)
{
    const pf_slice_rows c = pf_slice_rows_of(b->t);
    if (s->finished && s->unsorted) {
        return settle_unsorted(b, &c, s, ts, length);
    }
    return pf_chain_settle(&c, s, ts, length) != PF_SETTLED_CROSS;
}

/* The entry of thread_times for the event, or PF_NONE. */
static uint32_t thread_time_of(pf_slice_builder *b, uint32_t event)
{
    const pf_trace *t = b->t;
    uint32_t i = pf_rows_seek(t->thread_times.event, t->thread_times.count, event, &b->time_at);
    return i < t->thread_times.count && t->thread_times.event[i] == event ? i : PF_NONE;
}

static void begin_thread_time(pf_slice_builder *b, uint32_t slice, uint32_t event)
{
    pf_trace *t = b->t;
    uint32_t i = thread_time_of(b, event);
    bool given = i != PF_NONE;
    t->slices.thread_ts[slice] = given ? t->thread_times.ts[i] : INT64_MIN;
    t->slices.thread_dur[slice] = given ? t->thread_times.dur[i] : INT64_MIN;
    t->slices.instruction_count[slice] = given ? t->thread_times.instruction_count[i] : INT64_MIN;
    t->slices.instruction_delta[slice] = given ? t->thread_times.instruction_delta[i] : INT64_MIN;
}

/* What passed between begin and end; unknown if one of them is, or if nothing passed. */
static int64_t passed(int64_t begin, int64_t end)
{
    return begin == INT64_MIN || end == INT64_MIN || begin == end ? INT64_MIN
                                                                  : (int64_t)((uint64_t)end - (uint64_t)begin);
}

static void end_thread_time(pf_slice_builder *b, uint32_t slice, uint32_t event)
{
    pf_trace *t = b->t;
    uint32_t i = thread_time_of(b, event);
    if (i != PF_NONE) {
        int64_t dur = passed(t->slices.thread_ts[slice], t->thread_times.ts[i]);
        bool stood = dur == INT64_MIN && t->slices.thread_ts[slice] == t->thread_times.ts[i];
        t->slices.thread_dur[slice] = stood ? t->thread_times.dur[i] : dur;
        int64_t delta = passed(t->slices.instruction_count[slice], t->thread_times.instruction_count[i]);
        stood = delta == INT64_MIN && t->slices.instruction_count[slice] == t->thread_times.instruction_count[i] &&
                t->slices.instruction_count[slice] != INT64_MIN;
        t->slices.instruction_delta[slice] = stood ? t->thread_times.instruction_delta[i] : delta;
    }
}

/* Slices are called as their events, most of them without exception; from the first exception on all have a name of
 * their own. */
static pf_status set_name(pf_slice_builder *b, uint32_t row, uint32_t event, uint32_t track)
{
    pf_trace *t = b->t;
    uint32_t name = t->events.name[event], shown = name ? name : pf_trace_slice_name(t, event, track);
    if (!t->slices.name && shown != name) {
        PF_TRY(pf_columns_add(&t->slices.columns, (void **)&t->slices.name, sizeof *t->slices.name, b->err));
        for (uint32_t i = 0; i < row; i++) {
            t->slices.name[i] = t->events.name[t->slices.event[i]];
        }
    }
    if (t->slices.name) {
        t->slices.name[row] = shown;
    }
    return PF_OK;
}

/* Pushes the slice of an event on the stack of a track from which everything is popped that is over. */
static pf_status insert(pf_slice_builder *b, uint32_t event, uint32_t track, int64_t dur)
{
    pf_trace *t = b->t;
    pf_chain *s = &b->stacks[track].chain;
    uint32_t row = t->slices.count;
    if (s->depth >= PF_SLICES_DEEPEST) {
        pf_trace_count_event(t, PF_STAT_SLICE_MAX_DEPTH, event);
        return PF_OK;
    }
    PF_TRY(pf_columns_room(&t->slices.columns, (uint64_t)row + 1, &t->slices.room, b->err));
    PF_TRY(set_name(b, row, event, track));
    const pf_slice_rows c = pf_slice_rows_of(t);
    pf_chain_push(&c, s, row, event, track, dur);
    if (t->thread_times.count) {
        begin_thread_time(b, row, event);
    }
    t->slices.count++;
    int64_t end = t->events.ts[event] + (dur > 0 ? dur : 0);
    b->latest = end > b->latest ? end : b->latest;
    t->tracks.used[track] = 1;
    b->affected = row;
    return b->has_flows ? pf_flow_tracker_began(&b->flows, b->stacks[t->events.track[event]].home, row, b->err) : PF_OK;
}

static void close_slice(pf_slice_builder *b, pf_chain *s, uint32_t event)
{
    pf_trace *t = b->t;
    int64_t ts = t->events.ts[event];
    const pf_slice_rows c = pf_slice_rows_of(t);
    settle(b, s, ts, PF_NO_LENGTH);
    for (uint32_t i = s->top; i != PF_NONE; i = t->slices.parent[i]) {
        if (t->slices.dur[i] >= 0 || !pf_slice_fits(t, i, event)) {
            continue;
        }
        pf_slice_finish(&c, i, event, 0);
        b->latest = ts > b->latest ? ts : b->latest;
        if (t->thread_times.count) {
            end_thread_time(b, i, event);
        }
        b->affected = i;
        s->finished++;
        if (i == s->top) {
            pf_chain_pop(&c, s);
        }
        return;
    }
}

/* False: the event is no note. */
static bool take_note(pf_slice_builder *b, uint32_t event)
{
    pf_trace *t = b->t;
    uint32_t i = b->stacks[b->stacks[t->events.track[event]].home].chain.top;
    while (i != PF_NONE && (t->slices.dur[i] >= 0 || !pf_slice_fits(t, i, event))) {
        i = t->slices.parent[i];
    }
    bool taken = pf_trace_join_args(t, i == PF_NONE ? PF_NONE : t->slices.event[i], event);
    t->events.phase[event] = taken ? PF_PHASE_LEFT_OUT : PF_PHASE_NOTE;
    return taken;
}

static pf_status add_complete(pf_slice_builder *b, uint32_t event)
{
    pf_trace *t = b->t;
    int64_t ts = t->events.ts[event], dur = t->events.dur[event];
    uint32_t home = b->stacks[t->events.track[event]].home;
    if (dur < 0 || dur > INT64_MAX - ts) {
        return PF_OK;
    }
    if (settle(b, &b->stacks[home].chain, ts, dur)) {
        return insert(b, event, home, dur);
    }
    pf_trace_count_event(t, PF_STAT_SLICE_SPILL, event);
    uint32_t lane = pf_overlap_lane(b, home, event);
    PF_TRY(lane == PF_NONE ? b->err->code : PF_OK);
    PF_TRY(insert(b, event, lane, dur));
    pf_overlap_taken(b, home);
    return PF_OK;
}

static pf_status add_slice_event(pf_slice_builder *b, uint32_t event, uint32_t home, uint8_t action, int64_t ts)
{
    uint32_t track = b->stacks[home].async ? pf_lane_for(b, action, home) : home;
    PF_TRY(track == PF_NONE ? b->err->code : PF_OK);
    pf_chain *s = &b->stacks[track].chain;
    switch (action) {
    case 'B':
        settle(b, s, ts, PF_NO_LENGTH);
        return insert(b, event, track, PF_NO_LENGTH);
    case 'E':
        b->t->tracks.used[track] = 1;
        close_slice(b, s, event);
        return PF_OK;
    case 'X':
        return add_complete(b, event);
    default:
        settle(b, s, ts, 0);
        return insert(b, event, track, 0);
    }
}

static pf_status add_event(pf_slice_builder *b, uint32_t event)
{
    pf_trace *t = b->t;
    uint8_t phase = t->events.phase[event];
    if (phase == 'M' || phase == 'C' || phase & PF_PHASE_BAD_TS || (phase == PF_PHASE_NOTE && take_note(b, event))) {
        return PF_OK;
    }
    int64_t ts = t->events.ts[event];
    if (ts < 0) {
        pf_trace_count_event(t, PF_STAT_NEGATIVE_TS, event);
        return PF_OK;
    }
    b->affected = PF_NONE;
    const pf_stack *own = &b->stacks[t->events.track[event]];
    uint32_t home = own->home;
    uint8_t action = pf_phase_action(phase, own->async);
    if (action) {
        PF_TRY(add_slice_event(b, event, home, action, ts));
    }
    if (b->has_flows && pf_flow_tracker_has(&b->flows, event)) {
        PF_TRY(pf_flow_tracker_event(&b->flows, event, b->affected, b->stacks[home].chain.top, b->err));
    }
    return PF_OK;
}

/* Whether the event might add something else than one slice for a begin or an instant, or end something else than the
 * slice below the instants on top. */
static bool is_odd(const pf_slice_builder *b, uint32_t event)
{
    const pf_trace *t = b->t;
    uint8_t phase = t->events.phase[event];
    const pf_stack *own = &b->stacks[t->events.track[event]];
    const pf_chain *s = &b->stacks[own->home].chain;
    uint8_t action = phase & PF_PHASE_BAD_TS ? 0 : pf_phase_action(phase, own->async);
    if (!action) {
        return false;
    }
    if (own->async || action == 'X' || t->events.ts[event] < 0) {
        return true;
    }
    if (action != 'E') {
        return !t->events.name[event] || s->depth >= PF_SLICES_DEEPEST;
    }
    uint32_t i = s->top;
    while (i != PF_NONE && t->slices.dur[i] >= 0) {
        i = t->slices.parent[i];
    }
    return i != PF_NONE && !pf_slice_fits(t, i, event);
}

/* The plain events from place `from` on, as far as there are no others. */
static uint32_t add_run(pf_slice_builder *b, const uint32_t *order, uint32_t from, uint32_t to)
{
    pf_trace *t = b->t;
    if (t->thread_times.count || t->slices.name || b->flows.wait.count) {
        return from;
    }
    pf_slice_run run = {.t = t,
                        .stacks = b->stacks,
                        .used = t->tracks.used,
                        .flows = &b->flows,
                        .ref = b->flows.at,
                        .row = t->slices.count,
                        .room = t->slices.room < b->row_end ? t->slices.room : b->row_end,
                        .deepest = PF_SLICES_DEEPEST,
                        .latest = b->latest};
    uint32_t end = pf_slices_run(&run, order, from, to);
    t->slices.count = run.row;
    b->flows.at = run.ref;
    b->latest = run.latest;
    return end;
}

pf_status pf_slices_add(pf_slice_builder *b, const uint32_t *order, uint32_t from, uint32_t to, bool plainly,
                        uint32_t *done)
{
    pf_status st = PF_OK;
    uint32_t i = from;
    while (st == PF_OK) {
        i = add_run(b, order, i, to);
        if (i == to || (plainly && is_odd(b, order ? order[i] : i))) {
            break;
        }
        st = add_event(b, order ? order[i] : i);
        i++;
    }
    *done = i;
    return st;
}
