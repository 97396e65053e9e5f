/* write/perfetto/convert/complete_events.c - Chrome's complete events (begin and duration in one) as begin and end
 * packets.
 *
 * A complete event of whole microseconds on a track of a thread is written as one packet: a legacy event of phase X, to
 * which Perfetto does what the model did. Others (Perfetto's packets know no durations in nanoseconds) are a begin, and
 * an end in a packet of its own, which must stand in the right place among the packets of equal time on its track.
 * Events come in processing order (ends first, then complete events, longest first, then the rest). Each lane keeps the
 * ends that are due as a stack, innermost on top; before an event of the lane is written, the ends up to its time are.
 * An end event at the very time of a due end goes first, everything else after.
 *
 * An end packet without a name closes the innermost open slice. Where a begin event came after the complete one and is
 * still open, the end says name and category of its slice; ends of begin events always do, which also separates the two
 * apart for whoever reads the file. An end event that closed nothing is left out where it would close a complete event.
 *
 * Where such a begin has the same name, the end would close that one: it is said once more for each, and what
 * is too much in JSON is hidden there. A begin that was cut by the end of the complete event gets its length so, which
 * is what Perfetto gives it; only one that nothing comes after is shown with an end that it has not.
 *
 * A complete event that outlives a begin/end pair around it cannot be said with nested begins and ends on one track
 * (Perfetto would cut it): it goes to a lane next to its thread. */
#include "write/perfetto/convert/converter.h"

#include "base/list.h"

/* Lanes next to one thread track; complete events beyond them stay on the track. */
#define MAX_LANES 64u

static pf_status add_lanes(pf_complete *c, uint32_t count, pf_error *err)
{
    PF_TRY(pf_columns_grow(&c->lanes.columns, count, &c->lanes.room, err));
    for (; c->lanes.count < count; c->lanes.count++) {
        c->lanes.top[c->lanes.count] = PF_NONE;
        c->lanes.next_lane[c->lanes.count] = PF_NONE;
        c->lanes.shown[c->lanes.count] = PF_NONE;
    }
    return PF_OK;
}

uint64_t pf_complete_lane_uuid(pf_complete *c, uint32_t lane)
{
    uint32_t tracks = pf_trace_tracks(c->t)->count;
    return lane < tracks ? pf_track_writer_uuid(c->tracks, lane) : c->lanes.uuid[lane];
}

static pf_label label_of(const pf_trace *t, uint32_t string)
{
    return (pf_label){string, pf_trace_string(t, string)};
}

uint8_t pf_slice_action(const pf_trace *t, uint32_t row)
{
    return pf_phase_action(t->events.phase[row], pf_track_is_async(pf_trace_tracks(t), t->events.track[row]));
}

const int64_t *pf_thread_clock_us(const pf_trace *t, uint32_t row, int64_t us[4])
{
    uint32_t i = pf_rows_find(t->thread_times.event, t->thread_times.count, row, NULL);
    if (i == PF_NONE) {
        return NULL;
    }
    us[0] = t->thread_times.ts[i];
    us[1] = t->thread_times.dur[i];
    us[2] = t->thread_times.instruction_count[i];
    us[3] = t->thread_times.instruction_delta[i];
    for (unsigned k = 0; k < 2; k++) {
        bool said = us[k] != INT64_MIN;
        if (said && us[k] % 1000 != 0) {
            return NULL;
        }
        us[k] = said ? us[k] / 1000 : INT64_MIN;
    }
    return us;
}

void pf_put_thread_clock(pf_packets *p, int64_t clock_us, int64_t instructions)
{
    if (clock_us != INT64_MIN) {
        pf_writer_varint(&p->w, PF_F_EVENT_THREAD_TIME_ABSOLUTE_US, (uint64_t)clock_us);
    }
    if (instructions != INT64_MIN) {
        pf_writer_varint(&p->w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE, (uint64_t)instructions);
    }
}

/* Sum of a start and what passed since; INT64_MIN if one is not known. */
static int64_t after(int64_t start, int64_t passed)
{
    int64_t sum;
    return start == INT64_MIN || passed == INT64_MIN || __builtin_add_overflow(start, passed, &sum) ? INT64_MIN : sum;
}

static void put_end_clock(pf_complete *c, uint32_t row)
{
    int64_t us[4];
    if (c->t->thread_times.count && pf_thread_clock_us(c->t, row, us)) {
        pf_put_thread_clock(c->packets, after(us[0], us[1]), after(us[2], us[3]));
    }
}

/* Writes the ends of a lane that are due before `ts`, or at it. */
static void write_due(pf_complete *c, uint32_t lane, int64_t ts, bool at_it)
{
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t node;
    while ((node = c->lanes.top[lane]) != PF_NONE) {
        int64_t end = c->due.end[node];
        if (end > ts || (end == ts && !at_it)) {
            return;
        }
        uint32_t slice = c->due.slice[node], below = c->due.below[node], open = c->due.open[node];
        pf_label name = label_of(c->t, open ? pf_slice_name(s, slice) : 0),
                 category = label_of(c->t, open ? pf_slice_category(s, slice) : 0);
        for (uint32_t n = open && c->above ? c->above[slice] : 0; n > 0; n--) {
            pf_packets_event(c->packets, end, PF_EVENT_SLICE_END, pf_complete_lane_uuid(c, lane), name, category);
            pf_notes_hide(c->notes);
            pf_packets_event_end(c->packets);
        }
        pf_packets_event(c->packets, end, PF_EVENT_SLICE_END, pf_complete_lane_uuid(c, lane), name, category);
        put_end_clock(c, s->event[slice]);
        if (open) {
            pf_notes_completes(c->notes);
        }
        pf_packets_event_end(c->packets);
        c->lanes.shown[lane] = lane < pf_trace_tracks(c->t)->count ? s->parent[slice]
                               : below != PF_NONE                  ? c->due.slice[below]
                                                                   : PF_NONE;
        c->lanes.top[lane] = below;
        if (below != PF_NONE) {
            c->due.open[below] += open;
        }
        c->due.below[node] = c->due.unused;
        c->due.unused = node;
    }
}

static void push_due(pf_complete *c, uint32_t lane, int64_t end, uint32_t slice)
{
    uint32_t node = c->due.unused;
    pf_error e;
    if (node != PF_NONE) {
        c->due.unused = c->due.below[node];
    } else if (pf_columns_room(&c->due.columns, (uint64_t)c->due.count + 1, &c->due.room, &e) == PF_OK) {
        node = c->due.count++;
    } else {
        pf_packets_fail(c->packets, &e);
        return;
    }
    c->due.end[node] = end;
    c->due.slice[node] = slice;
    c->due.open[node] = 0;
    c->due.below[node] = c->lanes.top[lane];
    c->lanes.top[lane] = node;
}

/* Whether a slice around this one ends before it does. */
static bool outlives_parents(const pf_slices *s, uint32_t slice)
{
    int64_t end = pf_slice_ts(s, slice) + s->dur[slice];
    for (uint32_t p = s->parent[slice]; p != PF_NONE; p = s->parent[p]) {
        if (s->dur[p] >= 0 && pf_slice_ts(s, p) + s->dur[p] < end) {
            return true;
        }
    }
    return false;
}

static bool fits(pf_complete *c, uint32_t lane, int64_t ts, int64_t end)
{
    write_due(c, lane, ts, true);
    return c->lanes.top[lane] == PF_NONE || c->due.end[c->lanes.top[lane]] >= end;
}

/* The first lane next to `home` on which [ts, end) nests, made if there is none and room; else `home`. */
static uint32_t choose_lane(pf_complete *c, int64_t ts, int64_t end, uint32_t home)
{
    uint32_t lane = home;
    for (uint32_t n = 0; n < MAX_LANES; n++) {
        uint32_t next = c->lanes.next_lane[lane];
        if (next == PF_NONE) {
            pf_error e;
            next = c->lanes.count;
            if (add_lanes(c, next + 1, &e) != PF_OK) {
                pf_packets_fail(c->packets, &e);
                return home;
            }
            c->lanes.uuid[next] = pf_track_writer_lane(c->tracks, home, next);
            c->lanes.next_lane[lane] = next;
        }
        lane = next;
        if (fits(c, lane, ts, end)) {
            return lane;
        }
    }
    return home;
}

/* Whether one packet can say it all. A slice that was cut is given in its full length, in whole microseconds at least:
 * Perfetto cuts it as the model did. A thread clock without a duration has one of 0 in such a packet. */
static bool is_one_packet(const pf_complete *c, uint32_t row, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(c->t);
    bool cut = s->dur[slice] != pf_trace_events(c->t)->dur[row];
    int64_t us[4];
    bool clocked = pf_rows_find(c->t->thread_times.event, c->t->thread_times.count, row, NULL) != PF_NONE;
    bool says_clock = !clocked || (pf_thread_clock_us(c->t, row, us) && us[1] != INT64_MIN);
    return (cut || s->dur[slice] % 1000 == 0) && pf_trace_tracks(c->t)->utid[s->track[slice]] != PF_NONE && says_clock;
}

static void complete_event(pf_complete *c, uint32_t row, uint32_t slice, pf_complete_step *step)
{
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t lane = s->track[slice];
    int64_t ts = pf_slice_ts(s, slice), end = ts + s->dur[slice], length = pf_trace_events(c->t)->dur[row];
    write_due(c, lane, ts, true);
    if (is_one_packet(c, row, slice)) {
        step->phase = 'X';
        step->dur_us = length / 1000 + (length % 1000 != 0);
    } else if (end > ts) {
        lane = outlives_parents(s, slice) ? choose_lane(c, ts, end, lane) : lane;
        push_due(c, lane, end, slice);
        step->type = PF_EVENT_SLICE_BEGIN;
    } else {
        step->type = PF_EVENT_INSTANT;
    }
    step->track = pf_complete_lane_uuid(c, lane);
    c->lanes.shown[lane] = slice;
}

/* A begin is open above the complete event on top; its end is looked for below those that began after it. */
static void count_open(pf_complete *c, uint32_t lane, bool is_end, uint32_t slice)
{
    uint32_t node = c->lanes.top[lane];
    while (is_end && node != PF_NONE && c->due.slice[node] > slice) {
        node = c->due.below[node];
    }
    if (node == PF_NONE || slice == PF_NONE) {
        return;
    }
    if (is_end) {
        c->due.open[node]--; /* its begin was counted here, or came down when the event above ended */
    } else {
        c->due.open[node]++;
    }
}

void pf_complete_next(pf_complete *c, uint32_t row, pf_complete_step *step)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t slice = c->slice_of[row], track = pf_trace_home_track(c->t, e->track[row]);
    uint8_t action = pf_slice_action(c->t, row);
    bool is_end = action == 'E';
    *step = (pf_complete_step){.type = PF_EVENT_UNSPECIFIED};
    step->name = slice != PF_NONE ? pf_slice_name(s, slice) : e->name[row];
    step->category = slice != PF_NONE ? pf_slice_category(s, slice) : e->category ? e->category[row] : 0;
    if (action == 'X') {
        if (slice != PF_NONE && s->dur[slice] >= 0) {
            complete_event(c, row, slice, step);
        }
        return;
    }
    write_due(c, track, e->ts[row], !is_end);
    if (!is_end) {
        step->type = action == 'B' ? PF_EVENT_SLICE_BEGIN : PF_EVENT_INSTANT;
    } else if (slice != PF_NONE || c->lanes.top[track] == PF_NONE) {
        step->type = PF_EVENT_SLICE_END;
    }
    if (action != 'i') {
        count_open(c, track, is_end, slice);
    }
    if (slice != PF_NONE) {
        c->lanes.shown[track] = is_end ? s->parent[slice] : slice;
    }
    step->track = step->type == PF_EVENT_UNSPECIFIED ? 0 : pf_complete_lane_uuid(c, track);
}

void pf_complete_settle(pf_complete *c, uint32_t lane, int64_t ts)
{
    write_due(c, lane, ts, false);
}

int64_t pf_complete_ended(const pf_complete *c, uint32_t lane, int64_t ts)
{
    uint32_t node = c->lanes.top[lane];
    return node != PF_NONE && !c->due.open[node] && c->due.end[node] <= ts ? c->due.end[node] : INT64_MAX;
}

uint32_t pf_complete_lane_of(const pf_complete *c, uint32_t home, uint32_t slice)
{
    for (uint32_t lane = c->lanes.next_lane[home]; lane != PF_NONE && slice != PF_NONE;
         lane = c->lanes.next_lane[lane]) {
        for (uint32_t node = c->lanes.top[lane]; node != PF_NONE; node = c->due.below[node]) {
            if (c->due.slice[node] == slice) {
                return lane;
            }
        }
    }
    return home;
}

/* The latest end among slice `from` and those around it, up to `to`; INT64_MAX if that is not around it, or one of them
 * is open. */
static int64_t latest_end(const pf_slices *s, uint32_t from, uint32_t to)
{
    int64_t latest = 0;
    for (; from != to; from = s->parent[from]) {
        if (from == PF_NONE || s->dur[from] < 0) {
            return INT64_MAX;
        }
        int64_t end = pf_slice_ts(s, from) + s->dur[from];
        latest = end > latest ? end : latest;
    }
    return latest;
}

/* An end that is no slice's: no slice has its category. Readers look which slices are over all the same. */
static void put_idle_end(pf_complete *c, uint32_t lane, int64_t ts)
{
    const pf_label nobody = {PF_NONE, PF_STR("postfetto.none")};
    pf_packets_event(c->packets, ts, PF_EVENT_SLICE_END, pf_complete_lane_uuid(c, lane), label_of(c->t, 0), nobody);
    pf_notes_hide(c->notes);
    pf_packets_event_end(c->packets);
}

void pf_complete_uncover(pf_complete *c, uint32_t lane, uint32_t slice, int64_t ts)
{
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t node;
    while ((node = c->lanes.top[lane]) != PF_NONE && c->due.slice[node] != slice &&
           (slice == PF_NONE || c->due.slice[node] > slice) && c->due.end[node] <= ts) {
        write_due(c, lane, c->due.end[node], true);
    }
    uint32_t shown = c->lanes.shown[lane];
    int64_t used = c->lanes.used[lane];
    c->lanes.used[lane] = ts;
    if (shown == slice || shown == PF_NONE) {
        return;
    }
    int64_t end = latest_end(s, shown, slice);
    end = end < used ? used : end;
    bool stays = slice == PF_NONE || s->dur[slice] < 0 || end < pf_slice_ts(s, slice) + s->dur[slice];
    if (end <= ts && stays) {
        put_idle_end(c, lane, end);
        c->lanes.shown[lane] = slice;
    }
}

/* The slice that a flow of Chrome's at event `row` is bound to, PF_NONE if there is none. */
static uint32_t bound_slice(const pf_trace *t, uint32_t row)
{
    uint32_t count = t->flow_refs.bound ? t->flow_refs.count : 0;
    uint32_t i = pf_rows_find(t->flow_refs.event, count, row, NULL);
    bool has = i != PF_NONE && pf_flow_is_chrome(t->flow_refs.kind[i]);
    return has && t->flow_refs.bound[i] ? t->flow_refs.bound[i] - pf_flow_bound(0) : PF_NONE;
}

uint32_t pf_complete_home(const pf_complete *c, uint32_t row)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t track = pf_trace_home_track(c->t, e->track[row]), slice = c->slice_of[row];
    if (pf_track_is_async(tr, track)) {
        return tr->group[track];
    }
    slice = e->phase[row] == 'X' ? slice : bound_slice(c->t, row);
    return slice != PF_NONE ? pf_trace_slices(c->t)->track[slice] : track;
}

pf_status pf_complete_group(pf_complete *c, uint32_t **order, pf_error *err)
{
    pf_budget *budget = c->tracks->who->budget;
    size_t tracks = (size_t)pf_trace_tracks(c->t)->count + 1;
    uint32_t *start, *sorted;
    PF_TRY(PF_ARENA_NEW(&c->arena, start, tracks, err));
    PF_TRY(PF_LIST_NEW(budget, sorted, c->events, err));
    for (uint32_t i = 0; i < c->events; i++) {
        start[pf_complete_home(c, i) + 1]++;
    }
    for (size_t i = 1; i < tracks; i++) {
        start[i] += start[i - 1];
    }
    for (uint32_t i = 0; i < c->events; i++) {
        uint32_t row = *order ? (*order)[i] : i;
        sorted[start[pf_complete_home(c, row)]++] = row;
    }
    PF_LIST_FREE(budget, *order, c->events);
    *order = sorted;
    return PF_OK;
}

void pf_complete_leave(pf_complete *c, uint32_t home)
{
    for (uint32_t lane = home; lane != PF_NONE; lane = c->lanes.next_lane[lane]) {
        write_due(c, lane, INT64_MAX, true);
    }
}

void pf_complete_finish(pf_complete *c)
{
    for (uint32_t lane = 0; lane < c->lanes.count; lane++) {
        write_due(c, lane, INT64_MAX, true);
    }
}

/* ---- what is known from the start ---------------------------------------------------------------------------------
 */

/* Whether an end that says name and category of slice p closes slice b, which is open above it. */
static bool closes(const pf_slices *s, uint32_t p, uint32_t b)
{
    uint32_t name = pf_slice_name(s, p), other = pf_slice_name(s, b), category = pf_slice_category(s, p);
    return (name == 0 || other == 0 || name == other) && (category == 0 || category == pf_slice_category(s, b));
}

/* The complete event around begin b whose end would close it, PF_NONE if there is none. The end of the innermost
 * complete event around it takes it off the stack, so that no later end can. */
static uint32_t closed_by(const pf_complete *c, uint32_t b)
{
    const pf_slices *s = pf_trace_slices(c->t);
    const pf_events *e = pf_trace_events(c->t);
    int64_t end = INT64_MAX;
    for (uint32_t p = s->parent[b]; p != PF_NONE; p = s->parent[p]) {
        uint32_t row = s->event[p];
        int64_t its = pf_slice_ts(s, p) + s->dur[p];
        if (row >= c->events || e->phase[row] != 'X' || s->dur[p] < 0) {
            continue;
        }
        if (its > end) {
            break;
        }
        end = its;
        if (closes(s, p, b) && !is_one_packet(c, row, p) && !outlives_parents(s, p)) {
            return p;
        }
    }
    return PF_NONE;
}

static pf_status find_above(pf_complete *c, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(c->t);
    for (uint32_t b = 0; b < s->count; b++) {
        uint32_t row = s->event[b];
        if (s->parent[b] == PF_NONE || s->end_event[b] < c->events || row >= c->events ||
            pf_slice_action(c->t, row) != 'B') {
            continue;
        }
        uint32_t p = closed_by(c, b);
        if (p == PF_NONE) {
            continue;
        }
        PF_TRY(c->above ? PF_OK : PF_ARENA_NEW(&c->arena, c->above, s->count, err));
        c->above[p]++;
    }
    return PF_OK;
}

static void map_slices(pf_complete *c)
{
    const pf_slices *s = pf_trace_slices(c->t);
    memset(c->slice_of, 0xff, (size_t)c->events * sizeof *c->slice_of);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->event[i] < c->events) {
            c->slice_of[s->event[i]] = i;
        }
        if (s->end_event[i] < c->events) {
            c->slice_of[s->end_event[i]] = i;
        }
    }
}

pf_status pf_complete_init(pf_complete *c, const pf_trace *t, pf_packets *packets, pf_track_writer *tracks,
                           pf_error *err)
{
    *c = (pf_complete){.t = t, .packets = packets, .tracks = tracks, .events = pf_trace_events(t)->count};
    pf_budget *budget = tracks->who->budget;
    pf_columns_init(&c->due.columns, budget, "due ends");
    pf_columns_init(&c->lanes.columns, budget, "lanes");
    pf_arena_init(&c->arena, budget);
    c->due.unused = PF_NONE;
    PF_TRY(PF_COLUMNS_ADD(&c->due.columns, c->due.end, err));
    PF_TRY(PF_COLUMNS_ADD(&c->due.columns, c->due.slice, err));
    PF_TRY(PF_COLUMNS_ADD(&c->due.columns, c->due.below, err));
    PF_TRY(PF_COLUMNS_ADD(&c->due.columns, c->due.open, err));
    PF_TRY(PF_COLUMNS_ADD(&c->lanes.columns, c->lanes.top, err));
    PF_TRY(PF_COLUMNS_ADD(&c->lanes.columns, c->lanes.next_lane, err));
    PF_TRY(PF_COLUMNS_ADD(&c->lanes.columns, c->lanes.shown, err));
    PF_TRY(PF_COLUMNS_ADD(&c->lanes.columns, c->lanes.used, err));
    PF_TRY(PF_COLUMNS_ADD(&c->lanes.columns, c->lanes.uuid, err));
    PF_TRY(add_lanes(c, pf_trace_tracks(t)->count, err));
    PF_TRY(PF_ARENA_NEW(&c->arena, c->slice_of, c->events, err));
    map_slices(c);
    return find_above(c, err);
}

void pf_complete_free(pf_complete *c)
{
    pf_arena_free(&c->arena);
    pf_columns_free(&c->due.columns);
    pf_columns_free(&c->lanes.columns);
    c->slice_of = c->above = NULL;
}
