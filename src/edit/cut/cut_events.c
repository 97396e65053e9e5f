/* edit/cut/cut_events.c - TrackEvents: where each stands, what it opens and closes, and in which window it is kept.
 *
 * The stack of a track holds its open slices in the order of their times. An end takes the innermost one that began
 * before it; where events of the track are not in the order of time, the one that it is paired with (cutter.h). An
 * event at the time at which a window begins belongs to it, but for the end of a slice that began before.
 */
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "edit/cut/cut_source.h"
#include "edit/cut/cut_values.h"

#define SEARCH_MAX 4096u
#define SEARCH_UNORDERED 16u

/* What the clocks of a thread have counted up to. */
static void read_thread_deltas(const pf_event_facts *e, pf_sequence *q)
{
    q->reference_thread_ts = (int64_t)((uint64_t)q->reference_thread_ts + e->thread_delta_us * 1000);
    q->reference_instructions = (int64_t)((uint64_t)q->reference_instructions + e->instruction_delta);
}

/* Legacy times count in microseconds, from the thread descriptor or absolutely. *known: false where they cannot. */
static pf_status read_legacy_time(pf_cutter *c, const pf_event_facts *e, pf_sequence *q, bool *known, int64_t *ts,
                                  pf_error *err)
{
    if (!e->has_delta_us && !e->absolute_us) {
        return PF_OK;
    }
    if (e->has_delta_us && !q->has_reference) {
        *known = false;
        return PF_OK;
    }
    int64_t ns = (int64_t)((e->has_delta_us ? e->delta_us : e->absolute_us) * 1000);
    if (e->has_delta_us) {
        ns = q->reference_ts = (int64_t)((uint64_t)ns + (uint64_t)q->reference_ts);
    }
    *known = true;
    return pf_times_monotonic(&c->times, ns, ts, err);
}

/* The track that the event names, its sequence's, or the thread that the sequence speaks for; of an operation its own.
 */
static pf_status find_track(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t sequence,
                            uint32_t *track, pf_error *err)
{
    const pf_sequence *q = pf_sequence_find(&c->in.state, sequence);
    pf_in_sequence *s = &c->in.list[sequence];
    uint64_t uuid = e->has_uuid ? e->uuid : q->track_uuid;
    if (uuid && uuid == s->last_uuid && !e->async) {
        *track = s->last_track;
        return PF_OK;
    }
    bool of_thread = uuid == 0 && q->has_thread && !(e->has_uuid && e->type);
    PF_TRY(pf_tracks_find(&c->tracks, p->machine, of_thread ? pf_tracks_thread_key(q->pid, q->tid) : uuid, track, err));
    pf_edit_track *k = &c->tracks.list[*track];
    s->last_uuid = uuid;
    s->last_track = *track;
    k->unnamed |= uuid == 0;
    if (of_thread && !k->has_thread) {
        k->has_thread = true;
        k->pid = q->pid;
        k->tid = q->tid;
    }
    if (e->async) {
        uint32_t home = *track;
        int64_t pid = of_thread ? q->pid : c->tracks.list[*track].pid;
        uint64_t key = pf_event_async_key(e, &p->content, c->in.list[sequence].epoch, pid, c->budget->seed, &c->names);
        PF_TRY(pf_tracks_find(&c->tracks, p->machine, key, track, err));
        c->tracks.list[*track].unnamed = true;
        c->tracks.list[*track].home = home;
    }
    return PF_OK;
}

static pf_kept_packet *keep(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, int64_t ts)
{
    return pf_kept_new(&c->tracks, p->number, (pf_bytes){p->bytes, p->len}, p->has & PF_PACKET_STABLE, sequence,
                       c->in.list[sequence].epoch, ts);
}

/* What a begin or an end of an unordered track is paired with; NULL: no edge of a window concerns its slice. */
static const pf_paired *pair_of(pf_cutter *c, uint32_t track, uint64_t number)
{
    return c->tracks.list[track].pairing == PF_PAIRING_KNOWN ? pf_pairs_of(&c->pairs, number) : NULL;
}

/* Whether a selection keeps a slice or an instant; dur: of a complete one. */
static bool chosen(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence, int64_t dur)
{
    pf_selection *s = &c->selection;
    const pf_paired *pair = dur == PF_STILL_OPEN ? pair_of(c, track, p->number) : NULL;
    if (pair && pair->action == 'B') {
        return !pair->left_out;
    }
    if (!s->active || (s->durations && (dur < s->o->min_dur || pf_selection_dropped(s, p->number)))) {
        return !s->active;
    }
    return pf_cutter_takes_categories(c, &p->content, c->in.list[sequence].epoch);
}

/* Takes the flows of an event, which makes a slice that is left out or not; of what is left out an end is as good as
 * its slice. */
static pf_status take_flows(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, int64_t ts, bool left_out,
                            pf_error *err)
{
    bool makes = e->action == 'B' || e->action == 'X' || e->action == 'i' || (e->action == 'E' && left_out),
         ends = e->action == 'E' && c->ended.end == ts;
    pf_flow_slice slice = {.ts = ts, .end = e->action == 'B' ? PF_STILL_OPEN : ts, .left_out = left_out};
    slice = ends ? c->ended : slice;
    slice.at = ts;
    slice.number = p->number;
    if (e->action == 'X' && e->dur > 0 && __builtin_add_overflow(ts, e->dur, &slice.end)) {
        slice.end = PF_STILL_OPEN;
    }
    return pf_flows_take(&c->flows, &p->content, makes || ends ? &slice : NULL, &c->flow, err);
}

/* A slice is over, which an event at `now` shows: each window that it overlaps, but for the one that has its end, or
 * that event, gets an end. p: the end; NULL: there is none, or it came before (now: at the end). */
static pf_status close_slice(pf_cutter *c, uint32_t track, const pf_kept_packet *s, int64_t end, const pf_raw_packet *p,
                             int64_t now, pf_error *err)
{
    pf_status st = PF_OK;
    if (s->action != 'X') { /* of a complete one that was known; its place in the list may be another one's */
        pf_flows_end(&c->flows, s->flow, end);
    }
    bool is_short = c->selection.durations && !c->window_count && end - s->ts < c->selection.o->min_dur;
    PF_TRY(is_short ? pf_selection_drop(&c->selection, s->number, err) : PF_OK);
    uint32_t first = pf_cutter_window(c, s->ts);
    for (uint32_t w = first; st == PF_OK && w < c->window_count && end > c->windows[w].from; w++) {
        bool begun_late = w < c->tracks.list[track].window && s->ts < c->windows[w].from;
        /* it ended inside of another one, which may be left out, or what shows it may */
        bool unsaid = !p && now > end && s->action != 'X' && (c->selection.active || now >= c->windows[w].to);
        if ((end > c->windows[w].to || unsaid) && !s->left_out && (begun_late || s->ts >= c->windows[w].from)) {
            const pf_kept_packet own = pf_cutter_at_hand(c);
            st = p ? pf_cutter_move_end(c, w, track, &own, &p->content, end, err)
                   : pf_cutter_write_end(c, w, track, s, end, err);
        }
    }
    return st;
}

/* How many slices of a stack an event looks at: of unordered tracks few, as another pass pairs these. */
static uint32_t search_max(const pf_edit_track *k)
{
    return k->late || k->pairing == PF_PAIRING_KNOWN ? SEARCH_UNORDERED : SEARCH_MAX;
}

/* Lays a slice on the stack, below those that began after it. */
static void lay(pf_edit_track *k, pf_kept_packet *s)
{
    pf_kept_packet **at = &k->top;
    const uint32_t most = search_max(k);
    for (uint32_t i = 0; i < most && *at && (*at)->ts > s->ts; i++) {
        at = &(*at)->below;
    }
    s->below = *at;
    s->soonest = s->below ? s->below->soonest : INT64_MAX;
    *at = s;
}

static void note_soonest(pf_kept_packet *s, int64_t end)
{
    s->soonest = end < s->soonest ? end : s->soonest;
}

/* The end of a slice on the stack is known; the stack is settled when something comes after `settled`. */
static void know_end(pf_edit_track *k, pf_kept_packet *s, int64_t end, int64_t settled)
{
    s->end = end;
    for (pf_kept_packet *on = k->top; on != s; on = on->below) {
        note_soonest(on, settled);
    }
    note_soonest(s, settled);
}

/* Windows that began on the track before this begin, which lies before them, came. */
static pf_status begin_late(pf_cutter *c, uint32_t track, const pf_kept_packet *s, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t w = pf_cutter_window(c, s->ts); st == PF_OK && w < c->tracks.list[track].window; w++) {
        if (!s->left_out && s->ts < c->windows[w].from && s->end > c->windows[w].from) {
            st = pf_cutter_begin_slice(c, w, track, s, err);
        }
    }
    return st;
}

/* An end of a slice that is known to end at `end`, by that packet (action 'E', or 'X' of a complete one), or without
 * one of its own ('B': `p` is its begin, and `seen` when an event shows it): for the windows that end inside of it, and
 * those that do not have that event. */
static pf_status add_tails(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence,
                           const pf_cut_tail *slice, int64_t seen, uint8_t action, pf_error *err)
{
    const bool own = action != 'B';
    for (uint32_t w = pf_cutter_window(c, slice->began); w < c->window_count && c->windows[w].from < slice->end; w++) {
        bool unsaid = !own && (c->selection.active || seen >= c->windows[w].to);
        if (slice->end <= c->windows[w].to && !unsaid) {
            continue;
        }
        pf_cut_tail tail = *slice;
        tail.window = w;
        tail.track = track;
        tail.packet = keep(c, p, sequence, slice->began);
        PF_TRY(tail.packet ? PF_OK : pf_budget_refused(c->budget, sizeof *tail.packet + p->len, err));
        tail.packet->action = own || c->tracks.list[track].home == PF_NONE ? action : 'A';
        tail.packet->home = own ? PF_NONE : c->tracks.list[track].home;
        tail.packet->flow = c->flow;
        PF_TRY(pf_cutter_add_tail(c, &tail, err));
    }
    return PF_OK;
}

/* Whether a slice whose end is known is to stay on the stack: windows that have not begun on the track begin inside of
 * it, or one ends there, to whose end steps of flows may move, or a selection asks what events lie in. */
static bool is_awaited(const pf_cutter *c, const pf_edit_track *k, const pf_kept_packet *s)
{
    uint32_t w = pf_cutter_window(c, s->ts);
    bool clipped = w < c->window_count && c->windows[w].to <= s->end;
    w += w < c->window_count && c->windows[w].from <= s->ts;
    w = w > k->window ? w : k->window;
    return clipped || c->selection.categories || c->selection.durations ||
           (w < c->window_count && c->windows[w].from < s->end);
}

static pf_status take_begin(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                            uint32_t sequence, int64_t ts, pf_error *err)
{
    const pf_paired *pair = pair_of(c, track, p->number);
    if (!pair && c->tracks.list[track].pairing == PF_PAIRING_KNOWN) { /* it ends in the same stretch of time */
        pf_flows_end(&c->flows, c->flow, ts);
        return PF_OK;
    }
    pf_kept_packet *s = keep(c, p, sequence, ts);
    pf_edit_track *k = &c->tracks.list[track];
    if (!s) {
        return pf_budget_refused(c->budget, sizeof *s + p->len, err);
    }
    s->action = e->async ? 'A' : 'B';
    s->home = k->home;
    s->left_out = !chosen(c, p, track, sequence, PF_STILL_OPEN);
    s->flow = c->flow;
    s->paired = pair != NULL;
    lay(k, s);
    bool ends = s->below && s->below->action != 'X'; /* with one that ends at this very moment */
    int64_t end = pair ? pair->end : ends ? s->below->end : PF_STILL_OPEN;
    know_end(k, s, end, end);
    if (pair && s->end != PF_STILL_OPEN) {
        pf_flows_end(&c->flows, s->flow, s->end);
    }
    PF_TRY(begin_late(c, track, s, err));
    for (uint32_t w = 0; w < c->window_count && pair; w++) {
        PF_TRY(*pf_cutter_complete(c, w) == p->number + 1 ? pf_cutter_begin_waiting(c, w, err) : PF_OK);
    }
    bool ends_with_outer = pair && s->end != PF_STILL_OPEN && !pair->paired && !s->left_out;
    const pf_cut_tail slice = {.began = ts, .end = s->end, .number = p->number};
    bool leaves = pair && !is_awaited(c, k, s);
    if (leaves && k->top == s) {
        k->top = s->below;
        pf_kept_drop(&c->tracks, s);
    } else if (leaves) { /* when the stack is settled */
        know_end(k, s, s->end, INT64_MIN);
    }
    return ends_with_outer ? add_tails(c, p, track, sequence, &slice, pair->seen, 'B', err) : PF_OK;
}

/* The window whose packets an end belongs to; window_count: none. */
static uint32_t window_of_end(const pf_cutter *c, int64_t end, int64_t begin)
{
    uint32_t w = pf_cutter_window(c, end);
    if (w > 0 && c->windows[w - 1].to == end && begin < end) {
        return w - 1;
    }
    bool inside =
        w < c->window_count && (end > c->windows[w].from || (end == c->windows[w].from && begin == c->windows[w].from));
    return inside ? w : c->window_count;
}

/* Whether an end may close an open slice: its name and categories, where it has any, do not contradict. */
static bool fits(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t sequence,
                 const pf_kept_packet *s)
{
    if (!e->named && !e->has_category) {
        return true;
    }
    const pf_epoch *epoch = c->in.list[sequence].epoch;
    const pf_field event = pf_cursor_last(pf_cursor_over(s->bytes, s->len), PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
    const pf_str name = pf_event_name(&p->content, epoch), called = pf_event_name(&event, s->epoch);
    if (name.len && called.len && !pf_str_equal(name, called)) {
        return false;
    }
    c->names.len = 0;
    pf_event_categories(&p->content, epoch, &c->names);
    size_t len = c->names.len;
    pf_event_categories(&event, s->epoch, &c->names);
    return len == 0 || c->names.failed ||
           (c->names.len == 2 * len && memcmp(c->names.data, c->names.data + len, len) == 0);
}

/* What is open inside a slice that ended is over with it, as soon as something else happens on the track. */
static void end_inside(pf_edit_track *k, const pf_kept_packet *outer, int64_t ts)
{
    for (pf_kept_packet *s = k->top; s != outer; s = s->below) {
        note_soonest(s, ts);
        if (s->ts <= ts && s->end > ts) { /* others come later in time, though earlier in the file */
            s->end = ts;
        }
    }
}

/* The same where it is known which slice ends. */
static pf_status take_paired_end(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                                 uint32_t sequence, const pf_paired *pair, uint32_t *window, pf_error *err)
{
    *window = pair->left_out ? c->window_count : window_of_end(c, pair->ts, pair->paired ? pair->end : INT64_MIN);
    if (!pair->paired) {
        return PF_OK;
    }
    c->ended = (pf_flow_slice){.ts = pair->end, .end = pair->ts, .left_out = pair->left_out};
    PF_TRY(e->has_flows && c->window_count ? take_flows(c, e, p, pair->ts, false, err) : PF_OK);
    const pf_cut_tail slice = {.began = pair->end, .end = pair->ts, .number = pair->other};
    return pair->left_out ? PF_OK : add_tails(c, p, track, sequence, &slice, pair->ts, 'E', err);
}

static pf_status take_end(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                          uint32_t sequence, int64_t ts, uint32_t *window, pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    pf_kept_packet *s = k->top;
    const pf_paired *pair = pair_of(c, track, p->number);
    if (pair) {
        return take_paired_end(c, e, p, track, sequence, pair, window, err);
    }
    if (k->pairing == PF_PAIRING_KNOWN) { /* it began in the same stretch of time */
        c->ended = (pf_flow_slice){.ts = ts, .end = ts};
        return e->has_flows && c->window_count ? take_flows(c, e, p, ts, false, err) : PF_OK;
    }
    /* one inside of a slice that ended is open until something later happens */
    for (uint32_t i = 0; s && (s->ts > ts || s->action == 'X' || s->end < ts || !fits(c, e, p, sequence, s));
         s = ++i < search_max(k) ? s->below : NULL) {
    }
    *window = window_of_end(c, ts, s ? s->ts : INT64_MIN);
    if (!s) {
        return PF_OK;
    }
    end_inside(k, s, ts);
    pf_kept_packet **at = &k->top;
    while (*at != s) {
        at = &(*at)->below;
    }
    *at = s->below;
    *window = s->left_out ? c->window_count : *window;
    c->ended = (pf_flow_slice){.ts = s->ts, .end = ts, .left_out = s->left_out};
    pf_status st = e->has_flows && c->window_count ? take_flows(c, e, p, ts, false, err) : PF_OK;
    st = st == PF_OK ? close_slice(c, track, s, ts, p, ts, err) : st;
    pf_kept_drop(&c->tracks, s);
    return st;
}

/* Slices whose end is known leave the stack when it is over. */
static pf_status settle_ends(pf_cutter *c, uint32_t track, int64_t ts, pf_error *err)
{
    pf_status st = PF_OK;
    pf_kept_packet *s, *others = NULL; /* on top of what goes */
    while (st == PF_OK && (s = c->tracks.list[track].top) && s->soonest < ts) {
        c->tracks.list[track].top = s->below;
        if (s->end >= ts && (!s->paired || is_awaited(c, &c->tracks.list[track], s))) {
            s->below = others;
            others = s;
            continue;
        }
        st = s->paired ? PF_OK : close_slice(c, track, s, s->end, NULL, ts, err);
        pf_kept_drop(&c->tracks, s);
    }
    pf_edit_track *k = &c->tracks.list[track];
    while ((s = others)) {
        others = s->below;
        s->below = k->top;
        s->soonest = pf_track_soonest(k);
        note_soonest(s, s->end);
        k->top = s;
    }
    return st;
}

pf_status pf_cutter_end_track(pf_cutter *c, uint32_t track, pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    for (pf_kept_packet *s = k->top; s; s = s->below) {
        if (s->action != 'X' && s->end != PF_STILL_OPEN && !s->paired) { /* nothing came that would have closed it */
            bool begun = k->window && c->windows[k->window - 1].from >= s->end;
            k->late |= begun;
            k->clipped |= begun;
            s->end = PF_STILL_OPEN;
        }
    }
    PF_TRY(pf_cutter_begin_windows(c, track, c->window_count, err));
    PF_TRY(pf_values_write_starts(c, track, err));
    return settle_ends(c, track, INT64_MAX, err);
}

static pf_status take_state(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence, int64_t ts,
                            pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    if (k->last && k->last->ts > ts) {
        return PF_OK;
    }
    pf_kept_drop(&c->tracks, k->last);
    k->last = keep(c, p, sequence, ts);
    return k->last ? PF_OK : pf_budget_refused(c->budget, sizeof *k->last + p->len, err);
}

/* What has to be added to b, which may wrap around, to get a. */
static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Differences to the event before become differences to the last one that the output has. */
static pf_status change_deltas(pf_cutter *c, pf_out *o, const pf_event_facts *e, uint32_t sequence, pf_field *event,
                               bool *changed, pf_error *err)
{
    pf_sequence *in = pf_sequence_find(&c->in.state, sequence), *out = pf_sequence_find(&o->state, sequence);
    uint64_t time = (uint64_t)(minus(in->reference_ts, out->reference_ts) / 1000);
    uint64_t thread = (uint64_t)(minus(in->reference_thread_ts, out->reference_thread_ts) / 1000);
    uint64_t instructions = (uint64_t)minus(in->reference_instructions, out->reference_instructions);
    pf_cursor at = pf_field_cursor(event);
    const uint8_t *from = at.at;
    pf_field f;
    bool differs = (e->has_delta_us && time != e->delta_us) || (e->has_thread_delta && thread != e->thread_delta_us) ||
                   (e->has_instruction_delta && instructions != e->instruction_delta);
    out->reference_ts = e->has_delta_us ? in->reference_ts : out->reference_ts;
    out->reference_thread_ts = e->has_thread_delta ? in->reference_thread_ts : out->reference_thread_ts;
    out->reference_instructions = e->has_instruction_delta ? in->reference_instructions : out->reference_instructions;
    if (!differs) {
        return PF_OK;
    }
    c->moved.len = 0;
    for (; pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        if (f.tag == PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US)) {
            pf_writer_varint(&c->mover, PF_F_EVENT_TIMESTAMP_DELTA_US, time);
        } else if (f.tag == PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_DELTA_US)) {
            pf_writer_varint(&c->mover, PF_F_EVENT_THREAD_TIME_DELTA_US, thread);
        } else if (f.tag == PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA)) {
            pf_writer_varint(&c->mover, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA, instructions);
        } else {
            pf_writer_raw(&c->mover, from, (size_t)(at.at - from));
        }
    }
    *changed = true;
    *event = (pf_field){.tag = event->tag, .len = (uint32_t)c->moved.len, .bytes = (const uint8_t *)c->moved.data};
    return c->mover.failed ? pf_no_memory(err) : PF_OK;
}

/* Says of an event that a flow runs to or from a slice which is not in its window. */
static pf_status mark_flow(pf_cutter *c, const pf_cut_window *w, pf_field *event, bool *changed, pf_error *err)
{
    uint64_t id;
    if (!c->legacy_mark && (c->marks_later || !pf_flows_run_out(&c->flows, c->flow, w->from, w->to, &id))) {
        return PF_OK;
    }
    c->marked.len = 0;
    pf_writer_raw(&c->marker, event->bytes, event->len);
    PF_TRY(pf_cutter_stop_flows(c, w, c->flow, false, c->marked.data, c->marked.len, err));
    pf_cutter_mark_flow(&c->marker, c->legacy_mark ? NULL : &id);
    *changed = true;
    *event = (pf_field){.tag = event->tag, .len = (uint32_t)c->marked.len, .bytes = (const uint8_t *)c->marked.data};
    return c->marker.failed ? pf_no_memory(err) : PF_OK;
}

/* Writes the event into its window; `as`: what it becomes, or NULL. */
static pf_status write_event(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                             uint32_t sequence, uint32_t window, pf_values *values, const pf_field *as, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_field event = as ? *as : p->content;
    bool changed = as != NULL;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    PF_TRY(pf_tracks_say(&c->tracks, &w->said, &w->out, track, err));
    for (uint32_t i = 0; i < values->count && values->window == window; i++) {
        PF_TRY(values->list[i].kept ? pf_tracks_say(&c->tracks, &w->said, &w->out, values->list[i].track, err) : PF_OK);
    }
    PF_TRY(pf_cutter_prepare(c, window, p, sequence, err));
    if (e->has_delta_us || e->has_thread_delta || e->has_instruction_delta) {
        PF_TRY(change_deltas(c, &w->out, e, sequence, &event, &changed, err));
    }
    PF_TRY(pf_values_change(c, window, sequence, values, &event, &changed, err));
    PF_TRY(mark_flow(c, w, &event, &changed, err));
    uint64_t at = w->out.bytes, changes = w->out.changed;
    PF_TRY(pf_cutter_put(c, window, p, sequence, changed ? &event : NULL, err));
    bool kept = w->out.changed == changes;
    const pf_bytes packet = kept ? (pf_bytes){p->whole, p->whole_len} : pf_out_made(&w->out);
    PF_TRY(c->legacy_flow ? pf_cutter_note_legacy_mark(c, w, at, packet, kept, err) : PF_OK);
    return c->flow ? pf_cutter_note_mark(c, w, c->flow, at, packet, kept, err) : PF_OK;
}

/* A complete slice: where no window cuts it, the packet is written as it is; where one does, it becomes a begin and an
 * end. It stays on the stack, so that it is begun in its turn. */
static pf_status take_complete(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                               uint32_t sequence, int64_t ts, pf_values *values, uint32_t *window, pf_error *err)
{
    int64_t end;
    uint32_t w = pf_cutter_window(c, ts);
    if (e->dur < 0 || __builtin_add_overflow(ts, e->dur, &end)) {
        return PF_OK;
    }
    pf_edit_track *k = &c->tracks.list[track];
    if (w == c->window_count) {
        k->covered = end > k->covered ? end : k->covered;
    }
    if (w == c->window_count || (end <= c->windows[w].to && *window == w) || !chosen(c, p, track, sequence, e->dur)) {
        return PF_OK;
    }
    pf_kept_packet *s = keep(c, p, sequence, ts);
    if (!s) {
        return pf_budget_refused(c->budget, sizeof *s + p->len, err);
    }
    s->action = 'X';
    s->flow = c->flow;
    s->paired = k->pairing == PF_PAIRING_KNOWN; /* its ends are written in their order */
    const pf_cut_tail tail = {.began = ts, .end = end, .number = p->number};
    const bool ordered = !s->paired;
    lay(k, s);
    know_end(k, s, end, end);
    if (*window == w) {
        *window = c->window_count;
        pf_field as = p->content;
        PF_TRY(pf_cutter_change_phase(c, 'B', &as, err));
        PF_TRY(write_event(c, e, p, track, sequence, w, values, &as, err));
    }
    PF_TRY(begin_late(c, track, s, err));
    return ordered ? PF_OK : add_tails(c, p, track, sequence, &tail, end, 'X', err);
}

/* Whether an edge of a window lies in (ts, end]. */
static bool has_edge(const pf_cutter *c, int64_t ts, int64_t end)
{
    uint32_t w = pf_cutter_window(c, ts);
    return w < c->window_count && ((c->windows[w].from > ts && c->windows[w].from <= end) || c->windows[w].to <= end);
}

/* Notes whether the event comes in the order of time. */
static void note_order(const pf_cutter *c, const pf_event_facts *e, pf_edit_track *k, int64_t ts)
{
    int64_t begun = k->window ? c->windows[k->window - 1].from : INT64_MIN;
    int64_t latest = k->latest > begun ? k->latest : begun;
    bool over = e->action == 'E' && k->window && ts == begun; /* what an event of that time had begun in the window */
    if ((ts < latest && e->action != 'i') || over) {
        k->late = true;
        /* what is open at an edge may have another end for what comes late long after it */
        k->clipped |= over || c->selection.durations || has_edge(c, ts < k->earliest ? ts : k->earliest, latest);
    }
    k->earliest = ts < k->earliest ? ts : k->earliest;
    k->latest = ts > k->latest ? ts : k->latest;
}

/* Lists an event of an unordered track. */
static pf_status list_event(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                            uint32_t sequence, int64_t ts, pf_error *err)
{
    bool listed =
        c->tracks.list[track].pairing == PF_PAIRING_LISTS && strchr("BEXi", e->action) && pf_cutter_takes(c, track);
    const bool named = listed && (e->action == 'B' || e->action == 'E');
    int64_t end = ts;
    if (!listed || (e->action == 'X' && (e->dur < 0 || __builtin_add_overflow(ts, e->dur, &end)))) {
        return PF_OK;
    }
    const pf_paired label =
        named ? pf_cutter_label(c, &p->content, c->in.list[sequence].epoch) : (pf_paired){.name = 0};
    return pf_cutter_list(c, track, p->number, ts, end, named ? e->action : 'X', &label, err);
}

/* Which window the event at ts belongs to; windows that begin up to it have begun on its track then. */
static pf_status settle(pf_cutter *c, uint32_t track, uint8_t action, int64_t ts, uint32_t *window, pf_error *err)
{
    uint32_t w = pf_cutter_window(c, ts);
    bool inside = w < c->window_count && ts >= c->windows[w].from;
    /* what ends, or has another value, at the moment at which a window begins is not to be begun in it */
    bool begins = inside && (ts > c->windows[w].from || (action != 'E' && action != 'C' && action != 'S'));
    *window = inside ? w : c->window_count;
    return pf_cutter_begin_windows(c, track, begins ? w + 1 : w, err);
}

/* What the event does to its track, and to the window that it lies in. */
static pf_status place(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track, uint32_t sequence,
                       int64_t ts, pf_values *values, pf_error *err)
{
    uint32_t window;
    bool takes = true;
    const pf_field *as = NULL;
    pf_field event;
    c->flow = c->legacy_flow = 0;
    c->legacy_mark = false;
    if (strchr("BEXi", e->action)) {
        note_order(c, e, &c->tracks.list[track], ts);
    }
    PF_TRY(settle(c, track, e->action, ts, &window, err));
    if (c->waiting_count && window < c->window_count && ts == c->windows[window].from && e->action != 'E' &&
        (e->has_flows || pf_cutter_waits(c, window, track))) {
        /* as far as they have come, of all tracks where a flow may run: the event is after them */
        uint64_t *complete = pf_cutter_complete(c, window);
        *complete = e->has_flows ? 0 : *complete;
        c->urgent = track;
        PF_TRY(pf_cutter_begin_waiting(c, window, err));
        c->urgent = PF_NONE;
    }
    PF_TRY(pf_track_soonest(&c->tracks.list[track]) < ts ? settle_ends(c, track, ts, err) : PF_OK);
    PF_TRY(values->count ? pf_values_settle(c, values, ts, err) : PF_OK);
    if (e->action == 'E') {
        PF_TRY(take_end(c, e, p, track, sequence, ts, &window, err));
    } else if (e->action == 'B' || e->action == 'X' || e->action == 'i') {
        takes = chosen(c, p, track, sequence, e->action == 'X' ? e->dur : PF_STILL_OPEN);
        window = takes ? window : c->window_count;
    }
    PF_TRY(e->has_flows && c->window_count && e->action != 'E' ? take_flows(c, e, p, ts, !takes, err) : PF_OK);
    if (e->action == 'X') {
        PF_TRY(take_complete(c, e, p, track, sequence, ts, values, &window, err));
    }
    if (e->phase && strchr("stf", e->phase)) {
        PF_TRY(pf_cutter_follow_flow(c, e, p, track, sequence, ts, &window, &as, &event, err));
    }
    if (window < c->window_count) {
        PF_TRY(write_event(c, e, p, track, sequence, window, values, as, err));
    }
    PF_TRY(values->count ? pf_values_note(c, values, sequence, ts, err) : PF_OK);
    return e->action == 'B'   ? take_begin(c, e, p, track, sequence, ts, err)
           : e->action == 'S' ? take_state(c, p, track, sequence, ts, err)
                              : PF_OK;
}

/* Takes the times of an event into the bounds; a complete one says its end, too. */
static void cover(pf_cutter *c, const pf_event_facts *e, int64_t ts)
{
    int64_t end;
    pf_cutter_cover(c, ts);
    if (e->action == 'X' && e->dur > 0 && !__builtin_add_overflow(ts, e->dur, &end)) {
        pf_cutter_cover(c, end);
    }
}

/* The first event on a track. */
static pf_status use_track(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                           uint32_t sequence, pf_error *err)
{
    const pf_str none = {NULL, 0};
    bool names = e->named && e->action != 'C';
    return pf_tracks_use(&c->tracks, track, names ? pf_event_name(&p->content, c->in.list[sequence].epoch) : none, err);
}

pf_status pf_cutter_event(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                          pf_error *err)
{
    pf_sequence *q = pf_sequence_find(&c->in.state, sequence);
    const pf_event_facts e = pf_event_facts_of(&p->content);
    bool known = when == PF_TIME_KNOWN, lists = c->pairing == PF_PAIRING_LISTS;
    uint32_t track;
    pf_values values;
    c->ended.end = INT64_MIN;
    PF_TRY(read_legacy_time(c, &e, q, &known, &ts, err));
    read_thread_deltas(&e, q);
    if (!e.action || (!known && when != PF_TIME_UNKNOWN)) {
        return PF_OK;
    }
    if (!c->window_count && !c->selection.durations && !lists) { /* the pass only looks at times */
        if (known && ts >= 0) {
            cover(c, &e, ts);
        }
        return PF_OK;
    }
    PF_TRY(find_track(c, &e, p, sequence, &track, err));
    values.count = 0;
    values.refused = false;
    if (e.has_extra || e.action == 'C') {
        PF_TRY(pf_values_read(c, p, e.action == 'C' ? track : PF_NONE, sequence, &values, err));
    }
    if (!known || ts < 0) {
        return PF_OK;
    }
    cover(c, &e, ts);
    if (values.refused || pf_tracks_refuse(&c->tracks, &c->lacking, track)) {
        return PF_OK;
    }
    PF_TRY(c->tracks.list[track].has_events || e.async ? PF_OK : use_track(c, &e, p, track, sequence, err));
    if (lists) {
        return list_event(c, &e, p, track, sequence, ts, err);
    }
    if (pf_cutter_takes(c, track)) {
        return place(c, &e, p, track, sequence, ts, &values, err);
    }
    if (values.count) { /* other tracks' */
        PF_TRY(pf_values_settle(c, &values, ts, err));
        PF_TRY(pf_values_note(c, &values, sequence, ts, err));
    }
    if (e.phase) {
        pf_cutter_pass_known_flow(c, &p->content, c->in.list[sequence].epoch, ts);
    }
    return e.has_flows ? take_flows(c, &e, p, ts, true, err) : PF_OK;
}
