/* edit/cut/cut_rows.c - plain TrackEvents, in a straight line.
 *
 * A row of a batch (perfetto/decode) is a packet of which all is known that counts: its place, its label, its time, its
 * type. What a place stands for (sequence, track, clock) is looked up when the first row comes by and holds until a
 * packet comes that is more than an event. Between two edges of windows nothing happens to a track but that its stack
 * moves, its counter has another value, and, in a window, that packets are written as they are; that stretch of time is
 * the track's zone. Wherever anything else would have to be done the row is left as it is, before anything has changed,
 * and its packet goes the long way of cut_events.c. Both ways make the same output.
 *
 * Nearly all slices end soon after they began. So what rows open is a chain of row numbers at first, and only what is
 * still open where the rows are over, or where time runs backwards on the track, is laid on the track's stack.
 */
#include "base/list.h"
#include "edit/cut/cutter.h"

#define OPEN_ROWS (PF_ROWS_MAX + 1)

enum { ALL_TYPES = 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_SLICE_END | 1u << PF_EVENT_INSTANT };

/* What a place stands for. */
typedef struct known_place {
    pf_clock_known clock;
    uint32_t turn;            /* of the cutter, in which this was found out */
    uint32_t sequence, index; /* index: of the track */
    uint8_t takes;            /* 1 << type for each type that can be done here; 0: none */
    bool left_out;            /* by the selection */
    const pf_in_sequence *in;
    pf_own_clock *own;    /* the sequence's own incremental clock that times are of; NULL: of none */
    pf_edit_track *track; /* NULL where nothing happens to one */
    /* The output of that window is where its packets can be written as they are, since a row of that stretch; said: its
     * value of `own`; all: it has said all entries. */
    uint64_t line;
    uint32_t window;
    bool all;
    int64_t *said;
} known_place;

/* The entries of a label; PF_NONE: it has none, or none that is known. */
typedef struct known_label {
    uint32_t turn, name, category;
    uint32_t chosen_turn; /* in which `chosen` was found out: whether the selection keeps its category */
    bool chosen;
    uint32_t window; /* its output has said these, as a row of stretch `line` found out */
    uint64_t line;
} known_label;

typedef struct pf_known {
    known_place place[PF_ROW_PLACES];
    known_label label[PF_ROW_LABELS];
} pf_known;

/* A slice that a row of the stretch opened, by 1 + row. */
typedef struct pf_open_row {
    int64_t ts;
    uint32_t below; /* the one around it, on the same track; 0: none in the stretch */
    pf_flow_use flow;
} pf_open_row;

/* Rows that are done here, up to one that is not. */
typedef struct stretch {
    pf_cutter *c;
    pf_rows *rows;
    uint64_t number; /* of the packet of row 0 */
    uint64_t line;   /* of the stretch */
    bool stable;
    bool chooses;          /* some of its slices and instants are left out */
    int64_t shorter;       /* the pass looks for slices shorter than that; INT64_MIN: for none */
    pf_edit_track *tracks; /* that have rows of it */
    pf_out *out;           /* where the packets of a run go that are next to each other in the input; NULL: none */
    const uint8_t *run;
    size_t run_len;
    int64_t first, last; /* of its times */
} stretch;

/* A row in hand. */
typedef struct row {
    known_place *place;
    pf_edit_track *track; /* or NULL */
    int64_t ts;
    uint32_t i, value, what; /* value: where it is, if there is one */
    bool left_out, written;  /* by the selection; its packet */
} row;

static inline uint32_t type_of(const row *r)
{
    return r->what & PF_ROW_TYPE;
}

/* Of one that has flows: whether it is one of a slice or an instant. */
static inline bool has_one_flow(const row *r)
{
    return r->what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END) && type_of(r) != PF_EVENT_COUNTER;
}

/* The packet of a row without tag and length. */
static pf_bytes content_of(const pf_rows *rows, uint32_t i)
{
    uint32_t header = pf_row_header(&rows->where[i]);
    return (pf_bytes){rows->bytes + rows->at[i] + header, rows->where[i].size - header};
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* False if its times are not at hand. */
static bool find_clock(const pf_cutter *c, const pf_row_place *p, const pf_sequence *q, pf_clock_known *clock)
{
    uint32_t own = p->clock & PF_PLACE_CLOCK, id = own ? own : q->clock_id ? q->clock_id : c->times.now.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    *clock = pf_clock_identity();
    return id == 0 || pf_clocks_last(&c->times.now, (pf_clock_key){id, of_sequence ? p->sequence : 0}, clock);
}

/* The track of a place. It takes nothing if that is not known, or has no event so far. */
static void find_track(pf_cutter *c, const pf_row_place *p, const pf_sequence *q, known_place *k)
{
    uint64_t uuid = p->clock & PF_PLACE_HAS_UUID ? p->uuid : q->track_uuid;
    k->index = uuid ? pf_map_get(&c->tracks.by_uuid, uuid) : PF_NONE;
    k->track = k->index == PF_NONE ? NULL : &c->tracks.list[k->index];
    if (k->track && k->track->has_events) {
        bool plain = k->track->described && k->track->counter && !k->track->incremental;
        k->takes = plain ? ALL_TYPES | 1u << PF_EVENT_COUNTER : ALL_TYPES;
        k->left_out = !pf_cutter_takes(c, k->index);
        k->track = k->left_out ? NULL : k->track;
    }
}

/* Looks up a place; it takes nothing if not all of it is known. */
static void look_up(pf_cutter *c, const pf_row_place *p, known_place *k)
{
    *k = (known_place){.turn = c->turn};
    k->sequence = p->sequence == PF_EDIT_SEQUENCE ? PF_NONE : pf_map_get(&c->in.by_id, p->sequence);
    const pf_sequence *q = k->sequence == PF_NONE ? NULL : pf_sequence_find(&c->in.state, k->sequence);
    if (!q || (p->clock & PF_PLACE_NEEDS_STATE && !q->valid) || !find_clock(c, p, q, &k->clock)) {
        return;
    }
    uint32_t own = p->clock & PF_PLACE_CLOCK;
    k->in = &c->in.list[k->sequence];
    k->own = pf_in_clock(&c->in, k->sequence, own ? own : q->clock_id);
    k->own = k->own && k->own->incremental ? k->own : NULL;
    if (c->window_count || c->selection.durations) {
        find_track(c, p, q, k);
    } else { /* the pass only looks at times */
        k->takes = ALL_TYPES | 1u << PF_EVENT_COUNTER;
    }
}

/* The stretch of time around ts in which nothing but the row's own packet has to be written; else an empty one. */
static void set_zone(const pf_cutter *c, pf_edit_track *t, int64_t ts)
{
    uint32_t w = pf_cutter_window(c, ts);
    const pf_cut_window *next = w < c->window_count ? &c->windows[w] : NULL;
    int64_t before = w ? c->windows[w - 1].to : INT64_MIN;
    t->zone = (struct pf_zone){0, 0, before, PF_NONE};
    if (t->window == w && (!next || ts < next->from)) {
        t->zone.from = w ? before + 1 : 0;
        t->zone.to = next ? next->from : INT64_MAX;
    } else if (next && t->window == w + 1 && ts > next->from) {
        t->zone.from = next->from + 1;
        t->zone.to = next->to;
        t->zone.window = w;
    }
}

/* Whether the selection leaves out what a begin or an instant says. */
static bool is_left_out(const stretch *s, uint32_t i)
{
    pf_cutter *c = s->c;
    const pf_rows *b = s->rows;
    known_label *label = &b->known->label[b->label_of[i]];
    if (!s->chooses) {
        return false;
    }
    if (label->chosen_turn != c->turn) {
        const pf_field event = {.bytes = b->bytes + b->at[i] + b->where[i].event, .len = b->where[i].event_len};
        label->chosen_turn = c->turn;
        label->chosen = pf_cutter_takes_categories(c, &event, b->known->place[b->place_of[i]].in->epoch);
    }
    return !label->chosen || (c->selection.durations && pf_selection_dropped(&c->selection, s->number + i));
}

/* ---- the stretch ------------------------------------------------------------------------------------------------- */

/* Slices that rows opened and that are still open are laid on the stack of the track. */
static pf_status lay_rows(stretch *s, pf_edit_track *t, pf_error *err)
{
    pf_kept_packet **at = &t->top, *below = t->top;
    for (uint32_t n = t->row; n; n = s->c->open[n].below) {
        const pf_open_row *open = &s->c->open[n];
        const known_place *k = &s->rows->known->place[s->rows->place_of[n - 1]];
        const pf_bytes content = content_of(s->rows, n - 1);
        *at = pf_kept_new(&s->c->tracks, s->number + n - 1, content, s->stable, k->sequence, k->in->epoch, open->ts);
        if (!*at) {
            *at = below;
            return pf_budget_refused(s->c->budget, sizeof **at + content.len, err);
        }
        (*at)->flow = open->flow;
        (*at)->left_out = is_left_out(s, n - 1);
        at = &(*at)->below;
    }
    *at = below;
    t->row = 0;
    return PF_OK;
}

static pf_status end_run(stretch *s, pf_error *err)
{
    pf_out *o = s->out;
    s->out = NULL;
    return o ? pf_out_put(o, s->run, s->run_len, err) : PF_OK;
}

static pf_status end_stretch(stretch *s, pf_error *err)
{
    pf_status st = PF_OK;
    for (pf_edit_track *t = s->tracks; t; t = t->next) {
        st = st == PF_OK && t->row ? lay_rows(s, t, err) : st;
        t->row = 0;
        t->floor = INT64_MAX;
    }
    return st == PF_OK ? end_run(s, err) : st;
}

static inline bool is_in_zone(const pf_edit_track *t, int64_t ts)
{
    return ts >= t->zone.from && ts < t->zone.to;
}

/* A row does not go on where the last one of its track was: it is the first one, earlier, or in another zone. *fits:
 * it can be done after all. */
static inline pf_status begin_track(stretch *s, const row *r, bool *fits, pf_error *err)
{
    pf_edit_track *t = r->track;
    if (t->floor == INT64_MAX) {
        t->next = s->tracks;
        s->tracks = t;
    }
    PF_TRY(t->row ? lay_rows(s, t, err) : PF_OK);
    if (!is_in_zone(t, r->ts)) {
        set_zone(s->c, t, r->ts);
    }
    int64_t least = t->zone.from > 0 ? t->zone.from : 0;
    t->floor = t->top && t->top->ts > least ? t->top->ts : least;
    bool moves = type_of(r) == PF_EVENT_SLICE_BEGIN || type_of(r) == PF_EVENT_SLICE_END;
    *fits = is_in_zone(t, r->ts) && t->soonest == INT64_MAX && !t->orphan_count && (r->ts >= t->floor || !moves);
    return PF_OK;
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* Whether a window's output is where the packet can be written as it is. */
static bool is_in_line(const pf_cutter *c, const row *r)
{
    const known_place *k = r->place;
    const pf_cut_window *w = &c->windows[r->track->zone.window];
    if (r->what & PF_ROW_HAS_FLOWS || k->sequence >= w->out.count || k->index >= w->said.count) {
        return false;
    }
    const pf_out_sequence *out = &w->out.list[k->sequence];
    return w->snapshots == c->snapshot_count && w->said.list[k->index].wanted && out->epoch == k->in->epoch &&
           out->snapshot == k->in->epoch->snapshot &&
           (!k->own || out->running[k->own - k->in->clock] == k->own->running);
}

/* Whether all that a row refers to was said. */
static bool is_said(const stretch *s, const row *r, const pf_out_sequence *out)
{
    const pf_entries *e = out->epoch->entries;
    uint32_t label = s->rows->label_of[r->i];
    known_label *k = &s->rows->known->label[label];
    if (out->said_count == e->count || r->what & PF_ROW_HAS_ARGS) {
        return out->said_count == e->count;
    }
    if (k->turn != s->c->turn) {
        const pf_row_label *l = &s->rows->label[label];
        k->turn = s->c->turn;
        k->name = l->name_iid ? pf_entries_find(e, PF_F_INTERNED_EVENT_NAMES, l->name_iid) : PF_NONE;
        k->category = l->category ? pf_entries_find(e, PF_F_INTERNED_EVENT_CATEGORIES, l->category) : PF_NONE;
    }
    return pf_out_has_said(out, k->name) && pf_out_has_said(out, k->category);
}

/* A row whose packet is written as it is. */
static inline pf_status put_row(stretch *s, uint32_t i, uint32_t window, pf_error *err)
{
    const uint8_t *whole = s->rows->bytes + s->rows->at[i];
    pf_out *o = &s->c->windows[window].out;
    if (s->out != o || s->run + s->run_len != whole || !pf_out_takes_runs(o)) {
        PF_TRY(end_run(s, err));
        s->out = o;
        s->run = whole;
        s->run_len = 0;
    }
    s->run_len += s->rows->where[i].size;
    o->kept++;
    return PF_OK;
}

static pf_status write_row(stretch *s, const row *r, pf_error *err)
{
    known_place *k = r->place;
    uint32_t window = r->track->zone.window;
    pf_out *o = &s->c->windows[window].out;
    pf_out_sequence *out = &o->list[k->sequence];
    known_label *label = &s->rows->known->label[s->rows->label_of[r->i]];
    if (!is_said(s, r, out)) {
        const pf_bytes content = content_of(s->rows, r->i);
        PF_TRY(end_run(s, err));
        PF_TRY(pf_out_say(o, &s->c->in, k->sequence, PF_MSG_PACKET, content.ptr, content.len, err));
    }
    if (k->own) {
        k->said = &out->running[k->own - k->in->clock];
        *k->said = k->own->running;
    }
    k->all = out->said_count == out->epoch->entries->count;
    k->line = label->line = s->line;
    k->window = label->window = window;
    return put_row(s, r->i, window, err);
}

/* Whether write_row would do no more than put_row. */
static inline bool is_ready(const stretch *s, const known_place *k, const known_label *label, uint32_t window,
                            uint32_t what)
{
    return k->line == s->line && k->window == window &&
           (k->all || (label->line == s->line && label->window == window && !(what & PF_ROW_HAS_ARGS))) &&
           (!k->own || *k->said == k->own->running);
}

/* Whether the selection leaves out the row: that of an end is its slice's. */
static bool leaves_out(const stretch *s, const row *r)
{
    const pf_edit_track *t = r->track;
    if (type_of(r) == PF_EVENT_SLICE_END) {
        return t->row ? is_left_out(s, t->row - 1) : t->top->left_out;
    }
    return type_of(r) != PF_EVENT_COUNTER && is_left_out(s, r->i);
}

/* Whether the row can be done here: what cut_events.c would do is what follows, and nothing else. */
static inline pf_status is_simple(stretch *s, row *r, bool *simple, pf_error *err)
{
    pf_edit_track *t = r->track;
    const pf_row_label *l = &s->rows->label[s->rows->label_of[r->i]];
    bool ends = type_of(r) == PF_EVENT_SLICE_END, named = (l->name_iid | l->category | l->text) != 0;
    if (__builtin_expect(r->ts < t->floor || !is_in_zone(t, r->ts), 0)) {
        PF_TRY(begin_track(s, r, simple, err));
    }
    t->floor = r->ts > t->floor ? r->ts : t->floor;
    if (__builtin_expect(ends & named, 0)) {
        *simple = false;
    }
    if (__builtin_expect(ends && !t->row, 0)) {
        *simple = *simple && t->top && t->top->ts >= t->zone.reach && t->top->end == PF_STILL_OPEN;
    }
    if (__builtin_expect(r->what & PF_ROW_HAS_FLOWS, 0)) {
        *simple = *simple && has_one_flow(r);
    }
    if (*simple) {
        r->left_out = s->chooses && leaves_out(s, r);
        r->written = t->zone.window != PF_NONE && !r->left_out;
        *simple = !r->written || is_in_line(s->c, r);
    }
    return PF_OK;
}

static void note_value(const stretch *s, const row *r)
{
    struct pf_last_value *last = &r->track->value;
    uint64_t bits = s->rows->value[r->value];
    bool real = !(r->what & PF_ROW_HAS_INT);
    if (!last->any || last->ts <= r->ts) {
        double number = real ? pf_bits_to_double(bits) : (double)(int64_t)bits;
        *last = (struct pf_last_value){true, real, r->place->sequence, r->ts, number};
    }
}

/* The slice that the row ends was opened before the stretch. *ts: where it began. */
static void end_kept(pf_cutter *c, const row *r, int64_t *ts, uint64_t *number)
{
    pf_kept_packet *k = r->track->top;
    *ts = k->ts;
    *number = k->number;
    r->track->top = k->below;
    pf_flows_end(&c->flows, k->flow, r->ts);
    pf_kept_drop(&c->tracks, k);
}

/* What happens to the track. What kind of event comes is what nobody can guess: begins and ends take one way. */
static inline pf_status move_track(stretch *s, const row *r, pf_error *err)
{
    pf_cutter *c = s->c;
    pf_edit_track *t = r->track;
    uint32_t type = type_of(r), top = t->row;
    bool ends = type == PF_EVENT_SLICE_END;
    pf_open_row *open = &c->open[r->i + 1];
    const pf_open_row *closed = &c->open[ends ? top : 0];
    int64_t began = closed->ts;
    uint64_t number = s->number + top - 1;
    *open = (pf_open_row){r->ts, top, 0};
    if (__builtin_expect(ends && !top, 0)) {
        end_kept(c, r, &began, &number);
    }
    if (__builtin_expect(closed->flow, 0)) {
        pf_flows_end(&c->flows, closed->flow, r->ts);
    }
    if (ends && r->ts - began < s->shorter) {
        PF_TRY(pf_selection_drop(&c->selection, number, err));
    }
    if (__builtin_expect(r->what & PF_ROW_HAS_FLOWS, 0) && c->window_count) {
        int64_t end = type == PF_EVENT_SLICE_BEGIN ? PF_STILL_OPEN : r->ts;
        const pf_flow_slice slice = {
            .number = s->number + r->i, .at = r->ts, .ts = ends ? began : r->ts, .end = end, .left_out = r->left_out};
        PF_TRY(pf_flows_take_id(&c->flows, s->rows->value[r->value],
                                r->what & PF_ROW_ONE_END ? PF_FLOW_ENDS : PF_FLOW_GOES_ON, &slice, &open->flow, err));
    }
    uint32_t after = ends ? closed->below : top;
    t->row = type == PF_EVENT_SLICE_BEGIN ? r->i + 1 : after;
    if (__builtin_expect(type == PF_EVENT_COUNTER, 0)) {
        note_value(s, r);
    }
    return PF_OK;
}

/* A slice or an instant with a flow, on a track that the selection leaves out. */
static pf_status note_left_out(stretch *s, const row *r, pf_error *err)
{
    int64_t end = type_of(r) == PF_EVENT_SLICE_BEGIN ? PF_STILL_OPEN : r->ts;
    const pf_flow_slice slice = {.number = s->number + r->i, .at = r->ts, .ts = r->ts, .end = end, .left_out = true};
    pf_flow_use use;
    return pf_flows_take_id(&s->c->flows, s->rows->value[r->value], r->what & PF_ROW_ONE_END, &slice, &use, err);
}

/* Takes a row; *taken false: it changed nothing. */
static inline pf_status take(stretch *s, row *r, bool *taken, pf_error *err)
{
    const known_place *k = r->place;
    uint64_t timestamp = s->rows->timestamp[r->i];
    bool ends = type_of(r) == PF_EVENT_SLICE_END, simple = r->what & PF_ROW_HAS_FLOWS ? has_one_flow(r) && !ends : true;
    *taken = pf_clock_peek_known(&k->clock, timestamp, &r->ts) && r->ts >= 0 && (simple || !k->left_out);
    if (*taken && r->track) {
        PF_TRY(is_simple(s, r, taken, err));
    }
    if (!*taken) {
        return PF_OK;
    }
    pf_clock_run_known(&k->clock, r->ts);
    if (k->own) {
        k->own->running = (int64_t)((uint64_t)k->own->running + timestamp * (uint64_t)k->own->unit);
    }
    if (!r->track) {
        return r->what & PF_ROW_HAS_FLOWS && k->left_out ? note_left_out(s, r, err) : PF_OK;
    }
    PF_TRY(r->written ? write_row(s, r, err) : PF_OK);
    return move_track(s, r, err);
}

/* Takes rows from at->row on as long as they are what most are: begins, ends and instants without flows, in the order
 * of time, what ends begun in the stretch, what is in a window of a place and with a label that this stretch has seen
 * there. Which type comes is what nobody can guess, so there are no branches for it. */
static pf_status run_ahead(stretch *s, pf_rows_at *at, pf_error *err)
{
    enum { RARE = PF_ROW_HAS_FLOWS | PF_ROW_HAS_VALUE };
    const pf_rows *b = s->rows;
    pf_open_row *open = s->c->open;
    const uint32_t turn = s->c->turn, count = b->count;
    int64_t first = s->first, last = s->last;
    uint32_t i = at->row;
    pf_status st = PF_OK;
    for (; i < count && st == PF_OK; i++) {
        uint32_t what = b->where[i].what, type = what & PF_ROW_TYPE;
        known_place *k = &b->known->place[b->place_of[i]];
        const pf_clock_known *clock = &k->clock;
        if (k->turn != turn || what & RARE || !(k->takes >> type & 1)) {
            break;
        }
        uint64_t t = b->timestamp[i] * clock->unit + (clock->running ? (uint64_t)*clock->running : 0);
        int64_t ts = (int64_t)(t + clock->shift);
        pf_edit_track *track = k->track;
        if (t - clock->from >= clock->span || ts < 0) {
            break;
        }
        if (track) {
            const pf_row_label *l = &b->label[b->label_of[i]];
            uint32_t ends = 1u << PF_EVENT_SLICE_END >> type & 1, begins = 1u << PF_EVENT_SLICE_BEGIN >> type & 1;
            uint32_t top = track->row, named = l->name_iid | l->category | l->text;
            const pf_open_row closed = open[top & -ends];
            uint32_t more = (ends & ((named != 0) | (top == 0))) | closed.flow;
            if (more | (ts < track->floor) | (ts >= track->zone.to)) {
                break;
            }
            if (track->zone.window != PF_NONE) {
                if (s->chooses || !is_ready(s, k, &b->known->label[b->label_of[i]], track->zone.window, what)) {
                    break;
                }
                st = put_row(s, i, track->zone.window, err);
            }
            if (__builtin_expect(ends & (uint32_t)(ts - closed.ts < s->shorter), 0)) {
                st = pf_selection_drop(&s->c->selection, s->number + top - 1, err);
            }
            track->floor = ts;
            open[i + 1] = (pf_open_row){ts, top, 0};
            track->row = ((i + 1) & -begins) | (closed.below & -ends) | (top & (begins + ends - 1));
        }
        if (clock->running) {
            *clock->running = (int64_t)t;
        }
        if (k->own) {
            k->own->running = (int64_t)((uint64_t)k->own->running + b->timestamp[i] * (uint64_t)k->own->unit);
            if (track && track->zone.window != PF_NONE) {
                *k->said = k->own->running;
            }
        }
        first = ts < first ? ts : first;
        last = ts > last ? ts : last;
    }
    at->row = i;
    s->first = first;
    s->last = last;
    return st;
}

/* Takes rows from at->row on; their times go into the bounds. */
static pf_status take_all(stretch *s, pf_rows_at *at, pf_error *err)
{
    pf_cutter *c = s->c;
    const pf_rows *b = s->rows;
    uint32_t from = at->row;
    bool taken = true;
    for (;;) {
        PF_TRY(run_ahead(s, at, err));
        if (at->row == b->count) {
            break;
        }
        uint32_t i = at->row, what = b->where[i].what, type = what & PF_ROW_TYPE;
        known_place *place = &b->known->place[b->place_of[i]];
        if (place->turn != c->turn && type) {
            look_up(c, &b->place[b->place_of[i]], place);
        }
        row r = {place, place->track, 0, i, at->value, what};
        taken = type && place->takes >> type & 1;
        PF_TRY(taken ? take(s, &r, &taken, err) : PF_OK);
        if (!taken) { /* there may be more to find out after it */
            place->turn = c->turn - 1;
            break;
        }
        at->row++;
        at->value += (what & PF_ROW_HAS_VALUE) != 0;
        s->first = r.ts < s->first ? r.ts : s->first;
        s->last = r.ts > s->last ? r.ts : s->last;
    }
    if (at->row > from) {
        c->packets += at->row - from;
        pf_cutter_cover(c, s->first);
        pf_cutter_cover(c, s->last);
    }
    return PF_OK;
}

pf_status pf_cutter_rows(pf_cutter *c, pf_rows *b, pf_rows_at *at, uint64_t number, bool stable, pf_error *err)
{
    if (!b->known) {
        b->known = pf_alloc_zero(b->budget, 1, sizeof *b->known);
        b->known_bytes = b->known ? sizeof *b->known : 0;
    }
    PF_TRY(c->open ? PF_OK : PF_LIST_NEW(c->budget, c->open, OPEN_ROWS, err));
    for (uint32_t i = at->row ? b->values : 0; i < b->values && c->flows.count; i++) {
        pf_map_prefetch(&c->flows.by_id, b->value[i]); /* most of them are flows, which lie anywhere */
    }
    c->turn += at->row == 0 && b->renewed;
    if (!b->known) {
        return pf_budget_refused(b->budget, sizeof *b->known, err);
    }
    const pf_selection *selection = &c->selection;
    stretch s = {.line = ++c->line,
                 .c = c,
                 .rows = b,
                 .number = number - at->row,
                 .stable = stable,
                 .chooses = c->window_count && (selection->categories || selection->durations),
                 .shorter = selection->durations && !c->window_count ? selection->o->min_dur : INT64_MIN,
                 .first = INT64_MAX,
                 .last = INT64_MIN};
    pf_status st = take_all(&s, at, err);
    return st == PF_OK ? end_stretch(&s, err) : st;
}

void pf_cutter_free_rows(pf_cutter *c)
{
    PF_LIST_FREE(c->budget, c->open, c->open ? OPEN_ROWS : 0);
}
