/* model/slices/slices.c - from events to slices: one stack per track (docs/reference/perfetto.md, "Slices").
 *
 * The events are taken in processing order (two halves of a large trace at once: halves.c). A begin pushes an open
 * slice, an end closes the innermost open one that its name and category allow, a complete event is pushed with its
 * duration already known, an instant likewise with duration 0. Finished slices stay on the stack until a later event on
 * the track shows that they are over. The stack of a track is the parent chain of its top slice, so a track needs only
 * that row and the number of finished slices on the chain (none: nothing to pop, the common case of nested begins).
 *
 * What does not fit on its track goes to a lane (async_lanes.c, overlap_lanes.c).
 */
#include "model/slices/slices.h"

pf_status pf_slices_cover_tracks(pf_slice_builder *b)
{
    if (b->t->tracks.count > b->stack_room) {
        pf_status st = pf_columns_grow(&b->columns, b->t->tracks.count, &b->stack_room, b->err);
        if (st != PF_OK) {
            return st;
        }
    }
    for (; b->stack_count < b->t->tracks.count; b->stack_count++) {
        uint32_t home = pf_trace_home_track(b->t, b->stack_count);
        b->stacks[b->stack_count] = (pf_stack){.top = PF_NONE,
                                               .overlap = PF_NONE,
                                               .lane = PF_NONE,
                                               .owner = PF_NONE,
                                               .left = PF_NONE,
                                               .right = PF_NONE,
                                               .first_lane = PF_NONE,
                                               .idle = PF_NONE,
                                               .home = home,
                                               .async = pf_is_async(b->t, home),
                                               .special = home != b->stack_count || pf_is_async(b->t, home)};
    }
    return PF_OK;
}

static void pop(pf_slice_builder *b, pf_stack *s)
{
    s->finished -= b->t->slices.dur[s->top] >= 0;
    s->top = b->t->slices.parent[s->top];
    s->depth--;
}

/* Cuts every slice above `outer` to its end and pops them and `outer`. */
static void cut_above(pf_slice_builder *b, pf_stack *s, uint32_t outer, int64_t end)
{
    int64_t *dur = b->t->slices.dur;
    uint32_t event = PF_NONE;
    while (s->top != outer) {
        uint32_t inner = s->top;
        event = b->t->slices.event[inner];
        pop(b, s);
        dur[inner] = end - pf_built_ts(b->t, inner);
    }
    pop(b, s);
    b->cut = true;
    pf_trace_count_event(b->t, PF_STAT_MISPLACED_END, event);
}

/* Pops a slice for every one that is over at new_ts: where only an outer one is over, the inner one goes in its place,
 * as in Perfetto's engine. new_dur is -1 for begins and ends. Returns false if a complete event with that duration
 * would cross the end of a slice on the stack. */
static bool settle_finished(pf_slice_builder *b, pf_stack *s, int64_t new_ts, int64_t new_dur)
{
    const int64_t *dur = b->t->slices.dur;
    bool incomplete = false;
    uint32_t i = s->top;
    while (i != PF_NONE) {
        uint32_t below = b->t->slices.parent[i];
        if (s->finished == 0) {
            return true;
        }
        if (dur[i] < 0) {
            incomplete = true;
            i = below;
            continue;
        }
        int64_t end = pf_built_ts(b->t, i) + dur[i];
        if (incomplete) {
            if (new_ts > end) {
                cut_above(b, s, i, end);
                incomplete = false;
            }
        } else if (end < new_ts || (end == new_ts && !(dur[i] == 0 && new_dur == 0))) {
            pop(b, s);
        } else if (new_dur >= 0 && new_ts < end && new_dur > end - new_ts) {
            return false;
        }
        i = below;
    }
    return true;
}

/* The same. Most begins and ends find nothing finished. Where complete events only are on the stack, no slice ends
 * after one below it: if the top one is not over, none is, and what fits into it fits into all. */
static inline bool settle(pf_slice_builder *b, pf_stack *s, int64_t new_ts, int64_t new_dur)
{
    if (s->finished == 0) {
        return true;
    }
    while (!s->unsorted && s->top != PF_NONE) {
        int64_t end = pf_built_ts(b->t, s->top) + b->t->slices.dur[s->top];
        if (end > new_ts) {
            return new_dur <= end - new_ts;
        }
        if (end == new_ts) {
            break;
        }
        pop(b, s);
    }
    return settle_finished(b, s, new_ts, new_dur);
}

/* ---- thread clocks ----------------------------------------------------------------------------------------------- */

static pf_status add_thread_columns(pf_slice_builder *b)
{
    pf_trace *t = b->t;
    void **bases[] = {(void **)&t->slices.thread_ts, (void **)&t->slices.thread_dur,
                      (void **)&t->slices.instruction_count, (void **)&t->slices.instruction_delta};
    pf_status st = PF_OK;
    for (size_t i = 0; i < 4 && st == PF_OK; i++) {
        st = pf_columns_add(&t->slices.columns, bases[i], sizeof(int64_t), b->err);
    }
    return st;
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
        pf_status st = pf_columns_add(&t->slices.columns, (void **)&t->slices.name, sizeof *t->slices.name, b->err);
        if (st != PF_OK) {
            return st;
        }
        for (uint32_t i = 0; i < row; i++) {
            t->slices.name[i] = t->events.name[t->slices.event[i]];
        }
    }
    if (t->slices.name) {
        t->slices.name[row] = shown;
    }
    return PF_OK;
}

pf_status pf_slices_insert(pf_slice_builder *b, uint32_t event, uint32_t track, int64_t dur)
{
    pf_trace *t = b->t;
    pf_stack *s = &b->stacks[track];
    uint32_t row = t->slices.count;
    if (s->depth >= PF_SLICES_DEEPEST) {
        pf_trace_count_event(t, PF_STAT_SLICE_MAX_DEPTH, event);
        return PF_OK;
    }
    if (row == t->slices.room) {
        pf_status st = pf_columns_grow(&t->slices.columns, (uint64_t)row + 1, &t->slices.room, b->err);
        if (st != PF_OK) {
            return st;
        }
    }
    pf_status st = set_name(b, row, event, track);
    if (st != PF_OK) {
        return st;
    }
    t->slices.dur[row] = dur;
    t->slices.track[row] = track;
    t->slices.depth[row] = s->depth++;
    t->slices.parent[row] = s->top;
    t->slices.event[row] = event;
    t->slices.end_event[row] = PF_NONE;
    if (t->thread_times.count) {
        begin_thread_time(b, row, event);
    }
    t->slices.count++;
    int64_t end = t->events.ts[event] + (dur > 0 ? dur : 0);
    b->latest = end > b->latest ? end : b->latest;
    t->tracks.used[track] = 1;
    s->unsorted = (s->unsorted && s->top != PF_NONE) || dur < 0;
    s->top = row;
    s->finished += dur >= 0;
    b->affected = row;
    return b->has_flows ? pf_flow_tracker_began(&b->flows, b->stacks[t->events.track[event]].home, row, b->err) : PF_OK;
}

static void close_slice(pf_slice_builder *b, pf_stack *s, uint32_t event)
{
    pf_trace *t = b->t;
    int64_t ts = t->events.ts[event];
    settle(b, s, ts, -1);
    for (uint32_t i = s->top; i != PF_NONE; i = t->slices.parent[i]) {
        if (t->slices.dur[i] >= 0 || !pf_slice_fits(t, i, event)) {
            continue;
        }
        t->slices.dur[i] = ts - pf_built_ts(t, i);
        t->slices.end_event[i] = event;
        b->latest = ts > b->latest ? ts : b->latest;
        if (t->thread_times.count) {
            end_thread_time(b, i, event);
        }
        b->affected = i;
        s->finished++;
        if (i == s->top) {
            pop(b, s);
        }
        return;
    }
}

static pf_status add_complete(pf_slice_builder *b, uint32_t event)
{
    pf_trace *t = b->t;
    int64_t ts = t->events.ts[event], dur = t->events.dur[event];
    uint32_t home = b->stacks[t->events.track[event]].home;
    if (dur < 0 || dur > INT64_MAX - ts) {
        return PF_OK;
    }
    if (settle(b, &b->stacks[home], ts, dur)) {
        return pf_slices_insert(b, event, home, dur);
    }
    pf_trace_count_event(t, PF_STAT_SLICE_SPILL, event);
    return pf_overlap_add(b, home, event);
}

static pf_status add_slice_event(pf_slice_builder *b, uint32_t event, uint32_t home, uint8_t action, int64_t ts)
{
    uint32_t track = b->stacks[home].async ? pf_lane_for(b, action, home) : home;
    if (track == PF_NONE) {
        return b->err->code;
    }
    pf_stack *s = &b->stacks[track];
    switch (action) {
    case 'B':
        settle(b, s, ts, -1);
        return pf_slices_insert(b, event, track, -1);
    case 'E':
        b->t->tracks.used[track] = 1;
        close_slice(b, s, event);
        return PF_OK;
    case 'X':
        return add_complete(b, event);
    default:
        settle(b, s, ts, 0);
        return pf_slices_insert(b, event, track, 0);
    }
}

static pf_status add_event(pf_slice_builder *b, uint32_t event)
{
    pf_trace *t = b->t;
    uint8_t phase = t->events.phase[event];
    if (phase == 'M' || phase == 'C' || phase & PF_PHASE_BAD_TS) {
        return PF_OK;
    }
    int64_t ts = t->events.ts[event];
    if (ts < 0) {
        pf_trace_count_event(t, PF_STAT_NEGATIVE_TS, event);
        return PF_OK;
    }
    pf_status st = PF_OK;
    b->affected = PF_NONE;
    const pf_stack *own = &b->stacks[t->events.track[event]];
    uint32_t home = own->home;
    uint8_t action = pf_phase_action(phase, own->async);
    if (action) {
        st = add_slice_event(b, event, home, action, ts);
    }
    if (st == PF_OK && b->has_flows && pf_flow_tracker_has(&b->flows, event)) {
        st = pf_flow_tracker_event(&b->flows, event, b->affected, b->stacks[home].top, b->err);
    }
    return st;
}

/* Whether the event might add something else than one slice for a begin or an instant, or end something else than the
 * slice below the instants on top. */
static bool is_odd(const pf_slice_builder *b, uint32_t event)
{
    const pf_trace *t = b->t;
    uint8_t phase = t->events.phase[event];
    const pf_stack *own = &b->stacks[t->events.track[event]], *s = &b->stacks[own->home];
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

/* The usual events from place `from` on, as far as there are no others. */
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

/* From when to when there are slices. They lie in the order of their times, and the latest end is known, unless a slice
 * was cut to less than it had. */
static void find_bounds(const pf_slice_builder *b)
{
    pf_trace *t = b->t;
    if (t->slices.count) {
        t->slices.start = t->slices.end = pf_built_ts(t, 0);
    }
    for (uint32_t i = 0; b->cut && i < t->slices.count; i++) {
        int64_t end = pf_built_ts(t, i) + (t->slices.dur[i] > 0 ? t->slices.dur[i] : 0);
        t->slices.end = end > t->slices.end ? end : t->slices.end;
    }
    t->slices.end = b->cut || !t->slices.count ? t->slices.end : b->latest;
}

pf_status pf_trace_build_slices(pf_trace *t, pf_error *err)
{
    pf_slice_builder b = {
        .t = t, .err = err, .has_flows = t->flow_refs.count > 0, .latest = INT64_MIN, .row_end = PF_NONE};
    uint32_t *order = NULL;
    pf_columns_init(&b.columns, &t->budget, "stack");
    pf_status st = pf_trace_event_order(t, &t->budget, &order, err);
    if (st != PF_OK) {
        return st;
    }
    st = pf_flow_tracker_init(&b.flows, t, order != NULL, err);
    if (st == PF_OK) {
        st = pf_columns_add(&b.columns, (void **)&b.stacks, sizeof *b.stacks, err);
    }
    if (st == PF_OK) {
        st = pf_slices_cover_tracks(&b);
    }
    if (st == PF_OK) {
        pf_lanes_hold_back(&b);
    }
    if (st == PF_OK && t->thread_times.count) {
        st = add_thread_columns(&b);
    }
    if (st == PF_OK) {
        uint32_t done = 0;
        st = pf_slices_add_halves(&b, order, &done);
        st = st == PF_OK ? pf_slices_add(&b, order, done, t->events.count, false, &done) : st;
        st = st == PF_OK ? pf_flow_tracker_finish(&b.flows, order, t->events.count, err) : st;
    }
    if (st == PF_OK) {
        pf_lanes_adopt(&b);
        find_bounds(&b);
    }
    pf_release(&t->budget, order, (size_t)t->events.count * sizeof *order);
    pf_overlaps_free(&b);
    pf_flow_tracker_free(&b.flows);
    pf_columns_free(&b.columns);
    return st;
}
