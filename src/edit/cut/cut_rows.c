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
 * still open where the rows are over, or where time runs backwards on the track, is laid on the track's stack. Where
 * all rows of a batch are outside of the windows, not even that is done row by row (cut_digest.c).
 */
#include "edit/cut/cut_rows.h"
#include "base/list.h"

#define OPEN_ROWS (PF_ROWS_MAX + 1)
#define FLOWS_CACHED 4096u /* of so many the map is near */

/* A row in hand. */
typedef struct row {
    pf_known_place *place;
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

/* Whether the selection leaves out what a begin or an instant says. */
static bool is_left_out(const pf_stretch *s, uint32_t i)
{
    pf_cutter *c = s->c;
    const pf_rows *b = s->rows;
    pf_known_label *label = &pf_cut_known_of(b)->label[b->label_of[i]];
    if (!s->chooses) {
        return false;
    }
    if (label->chosen_turn != c->turn) {
        const pf_field event = {.bytes = b->bytes + b->at[i] + b->where[i].event, .len = b->where[i].event_len};
        label->chosen_turn = c->turn;
        label->chosen = pf_cutter_takes_categories(c, &event, pf_cut_known_of(b)->place[b->place_of[i]].in->epoch);
    }
    return !label->chosen || (c->selection.durations && pf_selection_dropped(&c->selection, s->number + i));
}

/* Slices that rows opened and that are still open are laid on the stack of the track. */
static pf_status lay_rows(pf_stretch *s, pf_edit_track *t, pf_error *err)
{
    pf_kept_packet **at = &t->top, *below = t->top;
    for (uint32_t n = t->row; n; n = s->c->open[n].below) {
        const pf_open_row *open = &s->c->open[n];
        const pf_known_place *k = &pf_cut_known_of(s->rows)->place[s->rows->place_of[n - 1]];
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

static pf_status end_stretch(pf_stretch *s, pf_error *err)
{
    pf_status st = PF_OK;
    for (pf_edit_track *t = s->tracks; t; t = t->next) {
        st = st == PF_OK && t->row ? lay_rows(s, t, err) : st;
        t->row = 0;
        t->latest = t->floor > t->latest && !t->counter ? t->floor : t->latest;
        t->floor = INT64_MAX;
    }
    return st == PF_OK ? pf_stretch_end_run(s, err) : st;
}

/* A row does not go on where the last one of its track was: it is the first one, earlier, or in another zone. *fits:
 * it can be done after all. */
static inline pf_status begin_track(pf_stretch *s, const row *r, bool *fits, pf_error *err)
{
    pf_edit_track *t = r->track;
    if (t->floor == INT64_MAX) {
        t->next = s->tracks;
        s->tracks = t;
    }
    PF_TRY(t->row ? lay_rows(s, t, err) : PF_OK);
    t->latest = t->floor < INT64_MAX && t->floor > t->latest ? t->floor : t->latest;
    if (!pf_track_in_zone(t, r->ts)) {
        pf_track_set_zone(s->c, t, r->ts);
    }
    int64_t least = t->zone.from > 0 ? t->zone.from : 0;
    t->floor = t->top && t->top->ts > least ? t->top->ts : least;
    bool moves = type_of(r) == PF_EVENT_SLICE_BEGIN || type_of(r) == PF_EVENT_SLICE_END;
    bool ordered = r->ts >= t->floor && r->ts >= t->latest;
    bool none_ends = pf_track_soonest(t) == INT64_MAX || t->pairing == PF_PAIRING_KNOWN;
    *fits = pf_track_in_zone(t, r->ts) && none_ends && (ordered || !moves);
    return PF_OK;
}

static pf_status write_row(pf_stretch *s, const row *r, pf_error *err)
{
    pf_known_place *k = r->place;
    uint32_t window = r->track->zone.window;
    pf_out *o = &s->c->windows[window].out;
    pf_known_label *label = &pf_cut_known_of(s->rows)->label[s->rows->label_of[r->i]];
    if (!pf_stretch_is_said(s, r->i, &o->list[k->sequence])) {
        const pf_bytes content = content_of(s->rows, r->i);
        PF_TRY(pf_stretch_end_run(s, err));
        PF_TRY(pf_out_say(o, &s->c->in, k->sequence, PF_MSG_PACKET, content.ptr, content.len, err));
    }
    pf_stretch_enter(s, k);
    if (k->own) {
        *k->said = k->own->running;
    }
    label->line = s->line;
    label->window = window;
    return pf_stretch_put_row(s, r->i, window, err);
}

/* Whether the selection leaves out the row: that of an end is its slice's. */
static bool leaves_out(const pf_stretch *s, const row *r)
{
    const pf_edit_track *t = r->track;
    if (type_of(r) == PF_EVENT_SLICE_END) {
        return t->row ? is_left_out(s, t->row - 1) : t->top->left_out;
    }
    return type_of(r) != PF_EVENT_COUNTER && is_left_out(s, r->i);
}

/* Whether the row can be done here: what cut_events.c would do is what follows, and nothing else. */
static inline pf_status is_simple(pf_stretch *s, row *r, bool *simple, pf_error *err)
{
    pf_edit_track *t = r->track;
    const pf_row_label *l = &s->rows->label[s->rows->label_of[r->i]];
    bool ends = type_of(r) == PF_EVENT_SLICE_END, named = (l->name_iid | l->category | l->text) != 0;
    if (__builtin_expect(r->ts < t->floor || !pf_track_in_zone(t, r->ts), 0)) {
        PF_TRY(begin_track(s, r, simple, err));
    }
    t->floor = r->ts > t->floor ? r->ts : t->floor;
    if (__builtin_expect((ends & named) | (pf_track_soonest(t) < r->ts), 0)) {
        *simple = false;
    }
    if (__builtin_expect(ends && !t->row, 0)) {
        *simple = *simple && t->top && t->top->ts >= t->zone.reach && t->top->end == PF_STILL_OPEN;
    }
    if (__builtin_expect(r->what & PF_ROW_HAS_FLOWS, 0)) {
        *simple = *simple && has_one_flow(r);
    }
    if (r->what & PF_ROW_FLOW_STEP) { /* which does something in a window only */
        *simple = *simple && t->zone.window == PF_NONE && !pf_stretch_moves_step(s, t, r->i);
    } else if (*simple) {
        r->left_out = s->chooses && leaves_out(s, r);
        r->written = t->zone.window != PF_NONE && !r->left_out;
        *simple = !r->written || pf_known_is_in_line(s->c, r->place, r->what & PF_ROW_HAS_FLOWS);
    }
    return PF_OK;
}

/* The row goes on the list of pairs. */
static pf_status list_row(const pf_stretch *s, const row *r, pf_error *err)
{
    const pf_rows *b = s->rows;
    pf_known_label *l = &pf_cut_known_of(b)->label[b->label_of[r->i]];
    const uint32_t type = type_of(r);
    bool begins = type == PF_EVENT_SLICE_BEGIN, named = begins || type == PF_EVENT_SLICE_END;
    if (type == PF_EVENT_COUNTER) {
        return PF_OK;
    }
    if (named && l->paired_turn != s->c->turn) {
        const pf_field event = {.bytes = b->bytes + b->at[r->i] + b->where[r->i].event,
                                .len = b->where[r->i].event_len};
        l->paired_turn = s->c->turn;
        l->paired = pf_cutter_label(s->c, &event, r->place->in->epoch);
    }
    const pf_paired none = {.name = 0};
    return pf_cutter_list(s->c, r->place->index, s->number + r->i, r->ts, r->ts,
                          begins  ? 'B'
                          : named ? 'E'
                                  : 'X',
                          named ? &l->paired : &none, err);
}

/* What happens to the track. What kind of event comes is what nobody can guess: begins and ends take one way. */
static inline pf_status move_track(pf_stretch *s, const row *r, pf_error *err)
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
        began = t->top->ts;
        number = t->top->number;
        pf_cutter_end_kept(c, t, r->ts);
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
        pf_stretch_value(s, r->place, r->i, r->value, r->ts);
    }
    return PF_OK;
}

/* A slice or an instant with a flow, on a track that the selection leaves out. */
static pf_status note_left_out(pf_stretch *s, const row *r, pf_error *err)
{
    int64_t end = type_of(r) == PF_EVENT_SLICE_BEGIN ? PF_STILL_OPEN : r->ts;
    const pf_flow_slice slice = {.number = s->number + r->i, .at = r->ts, .ts = r->ts, .end = end, .left_out = true};
    pf_flow_use use;
    return pf_flows_take_id(&s->c->flows, s->rows->value[r->value],
                            r->what & PF_ROW_ONE_END ? PF_FLOW_ENDS : PF_FLOW_GOES_ON, &slice, &use, err);
}

/* Takes a row; *taken false: it changed nothing. */
static inline pf_status take(pf_stretch *s, row *r, bool *taken, pf_error *err)
{
    const pf_known_place *k = r->place;
    uint64_t timestamp = s->rows->timestamp[r->i];
    bool ends = type_of(r) == PF_EVENT_SLICE_END, simple = r->what & PF_ROW_HAS_FLOWS ? has_one_flow(r) && !ends : true;
    *taken = pf_clock_peek_known(&k->clock, timestamp, &r->ts) && r->ts >= 0 && (simple || !k->left_out);
    const bool lists = s->c->pairing == PF_PAIRING_LISTS;
    if (*taken && r->track && !lists) {
        PF_TRY(is_simple(s, r, taken, err));
    }
    if (!*taken) {
        return PF_OK;
    }
    pf_clock_run_known(&k->clock, r->ts);
    if (k->own) {
        k->own->running = (int64_t)((uint64_t)k->own->running + timestamp);
    }
    if (r->what & PF_ROW_FLOW_STEP) {
        pf_stretch_pass_step(s, k, r->i, r->ts);
    }
    if (lists) {
        return r->track ? list_row(s, r, err) : PF_OK;
    }
    if (!r->track) {
        return r->what & PF_ROW_HAS_FLOWS && k->left_out ? note_left_out(s, r, err) : PF_OK;
    }
    PF_TRY(r->written ? write_row(s, r, err) : PF_OK);
    PF_TRY(move_track(s, r, err));
    return r->written && s->c->open[r->i + 1].flow ? pf_stretch_note_mark(s, r->i, r->track->zone.window, err) : PF_OK;
}

/* Takes rows from at->row on as long as they are what most are: begins, ends and instants without flows, in the order
 * of time, what ends begun in the stretch, what is in a window of a place and with a label that this stretch has seen
 * there. Which type comes is what nobody can guess, so there are no branches for it. */
static pf_status run_ahead(pf_stretch *s, pf_rows_at *at, pf_error *err)
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
        pf_known_place *k = &pf_cut_known_of(b)->place[b->place_of[i]];
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
            if (more | (ts < track->floor) | (ts >= track->zone.to) | pf_stretch_moves_step(s, track, i)) {
                break;
            }
            if (track->zone.window != PF_NONE) {
                if (s->chooses || !type ||
                    !pf_row_is_ready(s, k, &pf_cut_known_of(b)->label[b->label_of[i]], track->zone.window, what)) {
                    break;
                }
                st = pf_stretch_put_row(s, i, track->zone.window, err);
            }
            if (__builtin_expect(ends & (uint32_t)(ts - closed.ts < s->shorter), 0)) {
                st = pf_selection_drop(&s->c->selection, s->number + top - 1, err);
            }
            track->floor = ts;
            open[i + 1] = (pf_open_row){ts, top, 0};
            track->row = ((i + 1) & -begins) | (closed.below & -ends) | (top & (begins + ends - 1));
        }
        if (__builtin_expect(what & PF_ROW_FLOW_STEP, 0)) {
            pf_stretch_pass_step(s, k, i, ts);
        }
        if (clock->running) {
            *clock->running = (int64_t)t;
        }
        if (k->own) {
            k->own->running = (int64_t)((uint64_t)k->own->running + b->timestamp[i]);
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

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

/* Takes rows from at->row on; their times go into the bounds. */
static pf_status take_all(pf_stretch *s, pf_rows_at *at, pf_error *err)
{
    pf_cutter *c = s->c;
    const pf_rows *b = s->rows;
    uint32_t from = at->row;
    bool taken = true;
    if (s->digests && pf_stretch_has_digest(s, at)) {
        PF_TRY(pf_stretch_take_digest(s, at, err));
    }
    for (;;) {
        PF_TRY(run_ahead(s, at, err));
        if (at->row == b->count) {
            break;
        }
        uint32_t i = at->row, what = b->where[i].what, type = what & PF_ROW_TYPE;
        pf_known_place *place = pf_known_look_up(c, b, b->place_of[i]);
        row r = {place, place->track, 0, i, at->value, what};
        taken = (place->takes | place->pairs) >> type & 1;
        if (taken && place->pairs && r.track && r.track->pairing == PF_PAIRING_KNOWN) {
            taken = !(type == PF_EVENT_SLICE_END && what & PF_ROW_HAS_FLOWS) && !pf_pairs_of(&c->pairs, s->number + i);
            r.what = (what & ~(uint32_t)PF_ROW_TYPE) | PF_EVENT_INSTANT; /* nothing stays open in its stretch of time */
        }
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
        b->known = pf_alloc_zero(b->budget, 1, sizeof(pf_cut_known));
        b->known_bytes = b->known ? sizeof(pf_cut_known) : 0;
        b->marks_steps = true;
    }
    PF_TRY(c->open ? PF_OK : PF_LIST_NEW(c->budget, c->open, OPEN_ROWS, err));
    bool large = c->flows.by_id.count > FLOWS_CACHED && at->row == 0;
    for (uint32_t i = large ? 0 : b->values; i < b->values; i++) {
        pf_map_prefetch(&c->flows.by_id, b->value[i]); /* most of them are flows, which lie anywhere */
    }
    c->turn += at->row == 0 && b->renewed;
    if (!b->known) {
        return pf_budget_refused(b->budget, sizeof(pf_cut_known), err);
    }
    const pf_selection *selection = &c->selection;
    pf_stretch s = {.line = ++c->line,
                    .c = c,
                    .rows = b,
                    .number = number - at->row,
                    .stable = stable,
                    .chooses = c->window_count && (selection->categories || selection->durations),
                    .digests = !selection->categories && !selection->durations,
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
