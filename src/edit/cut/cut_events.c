/* edit/cut/cut_events.c - TrackEvents: where each stands, what it opens and closes, and in which window it is kept.
 *
 * The stack of a track holds its open slices in the order of their times. An end takes the innermost one that began
 * before it; one that finds none waits for a begin that comes later in the file. An event at the time at which a window
 * begins belongs to it, but for the end of a slice that began before.
 */
#include <string.h>

#include "base/list.h"
#include "edit/cut/cut_values.h"

#define ORPHANS_MAX 4096u

/* What decides over an event. */
typedef struct facts {
    uint8_t action; /* 'B', 'E', 'i', 'C', 'S' of a state; 0: it means nothing */
    uint32_t type;
    bool has_uuid, has_extra, has_delta_us;
    uint64_t uuid, delta_us, absolute_us;
    pf_field legacy;
} facts;

static void read_field(facts *e, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_EVENT_TYPE):
        e->type = (uint32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID):
        e->has_uuid = true;
        e->uuid = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US):
        e->has_delta_us = true;
        e->delta_us = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US):
        e->absolute_us = f->value;
        break;
    case PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT):
        e->legacy = *f;
        break;
    default:
        e->has_extra |= pf_field_number(f) == PF_F_EVENT_EXTRA_COUNTER_VALUES ||
                        pf_field_number(f) == PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES;
        break;
    }
}

static uint8_t action_of(const facts *e)
{
    static const uint8_t actions[] = {0, 'B', 'E', 'i', 'C', 'S'};
    uint32_t phase = 0;
    if (e->legacy.tag && e->type != PF_EVENT_COUNTER) {
        phase = (uint32_t)pf_cursor_last(pf_field_cursor(&e->legacy), PF_TAG_VARINT(PF_F_LEGACY_PHASE)).value;
    }
    if (!phase) {
        return e->type < sizeof actions ? actions[e->type] : 0;
    }
    return phase == 'B' || phase == 'E' ? (uint8_t)phase : 'i';
}

static facts read_facts(const pf_field *event)
{
    facts e = {.action = 0};
    pf_cursor c = pf_field_cursor(event);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        read_field(&e, &f);
    }
    e.action = action_of(&e);
    return e;
}

/* ---- time, track, value ------------------------------------------------------------------------------------------ */

/* Legacy times count in microseconds, from the thread descriptor or absolutely. *known: false where they cannot. */
static pf_status read_legacy_time(pf_cutter *c, const facts *e, pf_sequence *q, bool *known, int64_t *ts, pf_error *err)
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

/* The track that the event names, its sequence's, or the thread that the sequence speaks for. */
static pf_status find_track(pf_cutter *c, const facts *e, uint32_t machine, const pf_sequence *q, uint32_t *track,
                            pf_error *err)
{
    uint64_t uuid = e->has_uuid ? e->uuid : q->track_uuid;
    bool of_thread = uuid == 0 && q->has_thread && !(e->has_uuid && e->type);
    PF_TRY(pf_tracks_find(&c->tracks, machine, of_thread ? pf_tracks_thread_key(q->pid, q->tid) : uuid, track, err));
    c->tracks.list[*track].unnamed |= uuid == 0;
    return PF_OK;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* A slice is over: each window that it overlaps, but for the one that has its end, gets one. */
static pf_status close_slice(pf_cutter *c, uint32_t track, pf_kept_packet *s, int64_t end, pf_error *err)
{
    pf_status st = PF_OK;
    uint32_t first = pf_cutter_window(c, s->ts);
    for (uint32_t w = first; st == PF_OK && w < c->window_count && end > c->windows[w].from; w++) {
        bool begun_late = w < c->tracks.list[track].window && s->ts < c->windows[w].from;
        if (end > c->windows[w].to && !s->left_out && (begun_late || s->ts >= c->windows[w].from)) {
            st = pf_cutter_write_end(c, w, track, s, end, err);
        }
    }
    return st;
}

/* Notes that a slice which was begun in a window had been over before. */
static pf_status note_late(pf_cutter *c, uint32_t track, const pf_kept_packet *s, int64_t end, pf_error *err)
{
    const pf_edit_track *k = &c->tracks.list[track];
    uint32_t w = pf_cutter_window(c, end);
    /* the first window that begins after the end */
    for (; w < c->window_count && c->windows[w].from < end; w++) {
    }
    bool wrong = w < k->window && s->ts < c->windows[w].from;
    if (!wrong || pf_map_get(&c->late_by_number, s->number) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(c->budget, c->late, c->late_count + 1, c->late_room, err));
    c->late[c->late_count] = (pf_cut_late){end};
    return pf_map_put(&c->late_by_number, s->number, c->late_count++, err);
}

/* Lays a slice on the stack, below those that began after it. */
static void lay(pf_edit_track *k, pf_kept_packet *s)
{
    pf_kept_packet **at = &k->top;
    while (*at && (*at)->ts > s->ts) {
        at = &(*at)->below;
    }
    s->below = *at;
    *at = s;
}

/* An end that waits for a begin at or before `ts`, nearest first; false: none. */
static bool take_orphan(pf_edit_track *k, int64_t ts, int64_t *end)
{
    for (uint32_t i = 0; i < k->orphan_count; i++) {
        if (k->orphans[i] >= ts) {
            *end = k->orphans[i];
            k->orphan_count--;
            memmove(k->orphans + i, k->orphans + i + 1, (k->orphan_count - i) * sizeof *k->orphans);
            return true;
        }
    }
    return false;
}

static pf_status add_orphan(pf_cutter *c, uint32_t track, int64_t end, pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    if (k->orphan_count == ORPHANS_MAX) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(c->budget, k->orphans, k->orphan_count + 1, k->orphan_room, err));
    uint32_t i = k->orphan_count++;
    for (; i > 0 && k->orphans[i - 1] > end; i--) {
        k->orphans[i] = k->orphans[i - 1];
    }
    k->orphans[i] = end;
    return PF_OK;
}

/* Windows that began on the track before this begin, which lies before them, came. */
static pf_status begin_late(pf_cutter *c, uint32_t track, const pf_kept_packet *s, int64_t end, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t w = pf_cutter_window(c, s->ts); st == PF_OK && w < c->tracks.list[track].window; w++) {
        if (s->ts < c->windows[w].from && end > c->windows[w].from) {
            st = pf_cutter_write_begin(c, w, track, s, err);
        }
    }
    return st;
}

static pf_status take_begin(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence, int64_t ts,
                            pf_error *err)
{
    pf_kept_packet *s = pf_kept_new(c->budget, p, sequence, c->in.list[sequence].epoch, ts);
    int64_t end = INT64_MAX;
    if (!s) {
        return pf_budget_refused(c->budget, sizeof *s + p->len, err);
    }
    bool over = take_orphan(&c->tracks.list[track], ts, &end);
    if (!over) {
        lay(&c->tracks.list[track], s);
    }
    pf_status st = begin_late(c, track, s, end, err);
    if (over) {
        st = st == PF_OK ? close_slice(c, track, s, end, err) : st;
        pf_kept_drop(c->budget, s);
    }
    return st;
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

static pf_status take_end(pf_cutter *c, uint32_t track, int64_t ts, uint32_t *window, pf_error *err)
{
    pf_kept_packet **at = &c->tracks.list[track].top;
    while (*at && (*at)->ts > ts) {
        at = &(*at)->below;
    }
    pf_kept_packet *s = *at;
    *window = window_of_end(c, ts, s ? s->ts : INT64_MIN);
    if (!s) {
        return add_orphan(c, track, ts, err);
    }
    *at = s->below;
    *window = s->left_out ? c->window_count : *window;
    pf_status st = note_late(c, track, s, ts, err);
    st = st == PF_OK ? close_slice(c, track, s, ts, err) : st;
    pf_kept_drop(c->budget, s);
    return st;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static pf_status take_state(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence, int64_t ts,
                            pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    if (k->last && k->last->ts > ts) {
        return PF_OK;
    }
    pf_kept_drop(c->budget, k->last);
    k->last = pf_kept_new(c->budget, p, sequence, c->in.list[sequence].epoch, ts);
    return k->last ? PF_OK : pf_budget_refused(c->budget, sizeof *k->last + p->len, err);
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

/* Writes the event into its window. */
static pf_status write_event(pf_cutter *c, const pf_raw_packet *p, uint32_t track, uint32_t sequence, uint32_t window,
                             pf_values *values, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_field changed;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    if (!c->tracks.list[track].unnamed) {
        PF_TRY(pf_tracks_say(&c->tracks, &w->said, &w->out, track, err));
    }
    for (uint32_t i = 0; i < values->count; i++) {
        PF_TRY(pf_tracks_say(&c->tracks, &w->said, &w->out, values->list[i].track, err));
    }
    PF_TRY(pf_cutter_prepare(c, window, p, sequence, err));
    PF_TRY(pf_values_change(c, &w->out, p, sequence, values, &changed, err));
    return pf_cutter_put(c, window, p, sequence, changed.tag ? &changed : NULL, err);
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

pf_status pf_cutter_event(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                          pf_error *err)
{
    pf_sequence *q = pf_sequence_find(&c->in.state, sequence);
    const facts e = read_facts(&p->content);
    bool known = when == PF_TIME_KNOWN;
    uint32_t track, window;
    pf_values values = {.count = 0};
    PF_TRY(read_legacy_time(c, &e, q, &known, &ts, err));
    if (!e.action || (!known && when != PF_TIME_UNKNOWN)) {
        return PF_OK;
    }
    PF_TRY(find_track(c, &e, p->machine, q, &track, err));
    if (e.has_extra || e.action == 'C') {
        PF_TRY(pf_values_read(c, p, e.action == 'C' ? track : PF_NONE, sequence, &values, err));
    }
    if (!known || ts < 0) {
        return PF_OK;
    }
    pf_cutter_cover(c, ts);
    if (!c->window_count) {
        return PF_OK;
    }
    PF_TRY(settle(c, track, e.action, ts, &window, err));
    PF_TRY(pf_values_settle(c, &values, ts, err));
    if (e.action == 'E') {
        PF_TRY(take_end(c, track, ts, &window, err));
    }
    if (window < c->window_count) {
        PF_TRY(write_event(c, p, track, sequence, window, &values, err));
    }
    pf_values_note(c, &values, sequence, ts);
    return e.action == 'B'   ? take_begin(c, p, track, sequence, ts, err)
           : e.action == 'S' ? take_state(c, p, track, sequence, ts, err)
                             : PF_OK;
}
