/* edit/cut/cut_rows.c - plain TrackEvents, in a straight line.
 *
 * A row of a batch (perfetto/decode) is a packet of which all is known that counts: its place, its label, its time, its
 * type. What a place stands for (sequence, track, clock) is looked up when the first row comes by and holds until a
 * packet comes that is more than an event. Between two edges of windows nothing happens to a track but that its stack
 * moves, its counter has another value, and, in a window, that packets are written as they are; that stretch is the
 * track's zone. Wherever anything else would have to be done the row is left as it is, before anything has changed, and
 * its packet goes the long way of cut_events.c. Both ways make the same output.
 */
#include "edit/cut/cutter.h"

enum { ALL_TYPES = 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_SLICE_END | 1u << PF_EVENT_INSTANT };

/* What a place stands for. */
typedef struct known_place {
    pf_clock_known clock;
    uint32_t turn;            /* of the cutter, in which this was found out */
    uint32_t sequence, index; /* index: of the track */
    uint8_t takes;            /* 1 << type for each type that can be done here; 0: none */
    bool left_out;            /* by the selection */
    const pf_in_sequence *in;
    pf_own_clock *own; /* the sequence's own incremental clock that times are of; NULL: of none */
    pf_edit_track *track;
} known_place;

/* The entries of a label; PF_NONE: it has none, or none that is known. */
typedef struct known_label {
    uint32_t turn, name, category;
} known_label;

typedef struct pf_known {
    known_place place[PF_ROW_PLACES];
    known_label label[PF_ROW_LABELS];
} pf_known;

/* A row in hand. */
typedef struct row {
    const pf_rows *rows;
    const known_place *place;
    uint64_t number;
    int64_t ts;
    uint32_t i, value, what; /* value: where it is, if there is one */
    bool stable;
} row;

/* Its packet without tag and length. */
static pf_bytes content_of(const row *r)
{
    const uint8_t *whole = r->rows->bytes + r->rows->at[r->i];
    uint32_t header = whole[1] < 0x80 ? 2 : 3;
    return (pf_bytes){whole + header, r->rows->where[r->i].size - header};
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
    if (k->track && k->track->used) {
        bool plain = k->track->described && k->track->counter && !k->track->incremental;
        k->takes = plain ? ALL_TYPES | 1u << PF_EVENT_COUNTER : ALL_TYPES;
        k->left_out = !pf_cutter_takes(c, k->index);
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
    if (c->window_count) {
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

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* Whether a window's output is where the packet can be written as it is. */
static bool is_in_line(const pf_cutter *c, const row *r)
{
    const known_place *k = r->place;
    const pf_cut_window *w = &c->windows[k->track->zone.window];
    if (r->what & PF_ROW_HAS_FLOWS || k->sequence >= w->out.count || k->index >= w->said.count) {
        return false;
    }
    const pf_out_sequence *out = &w->out.list[k->sequence];
    return w->snapshots == c->snapshot_count && w->said.list[k->index].wanted && out->epoch == k->in->epoch &&
           out->snapshot == k->in->epoch->snapshot &&
           (!k->own || out->running[k->own - k->in->clock] == k->own->running);
}

/* Whether all that a row refers to was said. */
static bool is_said(const pf_cutter *c, const row *r, const pf_out_sequence *out)
{
    const pf_entries *e = out->epoch->entries;
    uint32_t label = r->rows->label_of[r->i];
    known_label *k = &r->rows->known->label[label];
    if (out->said_count == e->count || r->what & PF_ROW_HAS_ARGS) {
        return out->said_count == e->count;
    }
    if (k->turn != c->turn) {
        const pf_row_label *l = &r->rows->label[label];
        k->turn = c->turn;
        k->name = l->name_iid ? pf_entries_find(e, PF_F_INTERNED_EVENT_NAMES, l->name_iid) : PF_NONE;
        k->category = l->category ? pf_entries_find(e, PF_F_INTERNED_EVENT_CATEGORIES, l->category) : PF_NONE;
    }
    return pf_out_has_said(out, k->name) && pf_out_has_said(out, k->category);
}

static pf_status write_row(pf_cutter *c, const row *r, pf_error *err)
{
    const known_place *k = r->place;
    pf_out *o = &c->windows[k->track->zone.window].out;
    if (!is_said(c, r, &o->list[k->sequence])) {
        const pf_bytes content = content_of(r);
        PF_TRY(pf_out_say(o, &c->in, k->sequence, PF_MSG_PACKET, content.ptr, content.len, err));
    }
    if (k->own) {
        o->list[k->sequence].running[k->own - k->in->clock] = k->own->running;
    }
    o->kept++;
    return pf_out_put(o, r->rows->bytes + r->rows->at[r->i], r->rows->where[r->i].size, err);
}

/* Whether the row can be done here: what cut_events.c would do is what follows, and nothing else. */
static inline bool is_simple(const row *r)
{
    const pf_edit_track *t = r->place->track;
    const pf_kept_packet *top = t->top;
    uint32_t type = r->what & PF_ROW_TYPE;
    bool flows = r->what & PF_ROW_HAS_FLOWS, one = r->what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END);
    if (t->settles || t->orphan_count || (flows && (!one || type == PF_EVENT_COUNTER))) {
        return false;
    }
    if (type == PF_EVENT_SLICE_BEGIN) {
        return !top || top->ts <= r->ts;
    }
    if (type == PF_EVENT_SLICE_END) {
        const pf_row_label *l = &r->rows->label[r->rows->label_of[r->i]];
        return top && top->ts <= r->ts && top->ts >= t->zone.reach && top->end == PF_STILL_OPEN &&
               !(l->name_iid | l->category | l->text);
    }
    return true;
}

static pf_status begin_slice(pf_cutter *c, const row *r, pf_flow_use use, pf_error *err)
{
    const pf_bytes content = content_of(r);
    pf_edit_track *t = r->place->track;
    pf_kept_packet *s =
        pf_kept_new(&c->tracks, r->number, content, r->stable, r->place->sequence, r->place->in->epoch, r->ts);
    if (!s) {
        return pf_budget_refused(c->budget, sizeof *s + content.len, err);
    }
    s->flow = use;
    s->below = t->top;
    t->top = s;
    return PF_OK;
}

static void note_value(const row *r)
{
    struct pf_last_value *last = &r->place->track->value;
    uint64_t bits = r->rows->value[r->value];
    bool real = !(r->what & PF_ROW_HAS_INT);
    if (!last->any || last->ts <= r->ts) {
        double number = real ? pf_bits_to_double(bits) : (double)(int64_t)bits;
        *last = (struct pf_last_value){true, real, r->place->sequence, r->ts, number};
    }
}

/* What happens to the track. */
static inline pf_status move_track(pf_cutter *c, const row *r, pf_error *err)
{
    pf_edit_track *t = r->place->track;
    uint32_t type = r->what & PF_ROW_TYPE;
    pf_flow_slice slice = {.number = r->number, .at = r->ts, .ts = r->ts};
    pf_flow_use use = 0;
    if (type == PF_EVENT_SLICE_END) {
        pf_kept_packet *s = t->top;
        t->top = s->below;
        pf_flows_end(&c->flows, s->flow, r->ts);
        slice.ts = s->ts;
        pf_kept_drop(&c->tracks, s);
    }
    if (r->what & PF_ROW_HAS_FLOWS) {
        slice.end = type == PF_EVENT_SLICE_BEGIN ? PF_STILL_OPEN : r->ts;
        PF_TRY(pf_flows_take_id(&c->flows, r->rows->value[r->value], r->what & PF_ROW_ONE_END, &slice, &use, err));
    }
    if (type == PF_EVENT_SLICE_BEGIN) {
        return begin_slice(c, r, use, err);
    }
    if (type == PF_EVENT_COUNTER) {
        note_value(r);
    }
    return PF_OK;
}

/* Takes a row; *taken false: it changed nothing. */
static inline pf_status take(pf_cutter *c, row *r, bool *taken, pf_error *err)
{
    const known_place *k = r->place;
    uint64_t timestamp = r->rows->timestamp[r->i];
    bool tracked = k->track && !k->left_out, written = false;
    *taken =
        pf_clock_peek_known(&k->clock, timestamp, &r->ts) && r->ts >= 0 && !(k->left_out && r->what & PF_ROW_HAS_FLOWS);
    if (*taken && tracked) {
        struct pf_zone *zone = &k->track->zone;
        if (r->ts < zone->from || r->ts >= zone->to) {
            set_zone(c, k->track, r->ts);
        }
        written = zone->window != PF_NONE;
        *taken = r->ts >= zone->from && r->ts < zone->to && is_simple(r) && (!written || is_in_line(c, r));
    }
    if (!*taken) {
        return PF_OK;
    }
    pf_clock_run_known(&k->clock, r->ts);
    if (k->own) {
        k->own->running = (int64_t)((uint64_t)k->own->running + timestamp * (uint64_t)k->own->unit);
    }
    PF_TRY(written ? write_row(c, r, err) : PF_OK);
    return tracked ? move_track(c, r, err) : PF_OK;
}

/* Takes rows from at->row on; their times go into the bounds. */
static pf_status take_all(pf_cutter *c, pf_rows *b, pf_rows_at *at, uint64_t number, bool stable, pf_error *err)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint32_t from = at->row;
    bool taken = true;
    for (; at->row < b->count; at->row++) {
        uint32_t i = at->row, what = b->where[i].what, type = what & PF_ROW_TYPE;
        known_place *place = &b->known->place[b->place_of[i]];
        row r = {b, place, number + (i - from), 0, i, at->value, what, stable};
        if (place->turn != c->turn && type) {
            look_up(c, &b->place[b->place_of[i]], place);
        }
        taken = type && place->takes >> type & 1;
        PF_TRY(taken ? take(c, &r, &taken, err) : PF_OK);
        if (!taken) { /* there may be more to find out after it */
            place->turn = c->turn - 1;
            break;
        }
        at->value += (what & PF_ROW_HAS_VALUE) != 0;
        first = r.ts < first ? r.ts : first;
        last = r.ts > last ? r.ts : last;
    }
    if (at->row > from) {
        c->packets += at->row - from;
        pf_cutter_cover(c, first);
        pf_cutter_cover(c, last);
    }
    return PF_OK;
}

pf_status pf_cutter_rows(pf_cutter *c, pf_rows *b, pf_rows_at *at, uint64_t number, bool stable, pf_error *err)
{
    if (c->selection.categories || c->selection.durations) {
        return PF_OK;
    }
    if (!b->known) {
        b->known = pf_alloc_zero(b->budget, 1, sizeof *b->known);
        b->known_bytes = b->known ? sizeof *b->known : 0;
    }
    c->turn += at->row == 0 && b->renewed;
    return b->known ? take_all(c, b, at, number, stable, err) : pf_budget_refused(b->budget, sizeof *b->known, err);
}
