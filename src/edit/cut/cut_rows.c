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
    uint32_t sequence, track; /* indices */
    uint8_t takes;            /* 1 << type for each type that can be done here; 0: none */
    uint8_t own;              /* 1 + index of the sequence's own incremental clock that times are of; 0: of none */
    bool left_out;            /* by the selection */
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
    const known_place *place;
    const pf_row_label *label;
    known_label *known_label;
    pf_edit_track *track;
    pf_bytes whole, content; /* its packet, with and without tag and length */
    uint64_t number, timestamp, value;
    int64_t ts;
    uint32_t what;
    bool stable;
} row;

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
    k->track = uuid ? pf_map_get(&c->tracks.by_uuid, uuid) : PF_NONE;
    if (k->track == PF_NONE || !c->tracks.list[k->track].used) {
        return;
    }
    const pf_edit_track *t = &c->tracks.list[k->track];
    k->takes = ALL_TYPES;
    k->takes |= t->described && t->counter && !t->incremental ? 1u << PF_EVENT_COUNTER : 0;
    k->left_out = !pf_cutter_takes(c, k->track);
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
    const pf_own_clock *clock = pf_in_clock(&c->in, k->sequence, own ? own : q->clock_id);
    k->own = clock && clock->incremental ? (uint8_t)(1 + (clock - c->in.list[k->sequence].clock)) : 0;
    if (!c->window_count) { /* the pass only looks at times */
        k->takes = ALL_TYPES | 1u << PF_EVENT_COUNTER;
    } else {
        find_track(c, p, q, k);
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
    const pf_cut_window *w = &c->windows[r->track->zone.window];
    uint32_t index = r->place->sequence;
    const pf_in_sequence *in = &c->in.list[index];
    if (index >= w->out.count || r->place->track >= w->said.count) {
        return false;
    }
    const pf_out_sequence *out = &w->out.list[index];
    unsigned own = r->place->own;
    return w->snapshots == c->snapshot_count && w->said.list[r->place->track].wanted && out->epoch == in->epoch &&
           out->snapshot == in->epoch->snapshot && (!own || out->running[own - 1] == in->clock[own - 1].running) &&
           !(r->what & PF_ROW_HAS_FLOWS);
}

/* Whether all that a row refers to was said. */
static bool is_said(const pf_cutter *c, const row *r, const pf_out_sequence *out)
{
    const pf_entries *e = out->epoch->entries;
    known_label *k = r->known_label;
    if (out->said_count == e->count || r->what & PF_ROW_HAS_ARGS) {
        return out->said_count == e->count;
    }
    if (k->turn != c->turn) {
        const pf_row_label *l = r->label;
        k->turn = c->turn;
        k->name = l->name_iid ? pf_entries_find(e, PF_F_INTERNED_EVENT_NAMES, l->name_iid) : PF_NONE;
        k->category = l->category ? pf_entries_find(e, PF_F_INTERNED_EVENT_CATEGORIES, l->category) : PF_NONE;
    }
    return pf_out_has_said(out, k->name) && pf_out_has_said(out, k->category);
}

static pf_status write_row(pf_cutter *c, const row *r, pf_error *err)
{
    pf_out *o = &c->windows[r->track->zone.window].out;
    uint32_t index = r->place->sequence, own = r->place->own;
    if (!is_said(c, r, &o->list[index])) {
        PF_TRY(pf_out_say(o, &c->in, index, PF_MSG_PACKET, r->content.ptr, r->content.len, err));
    }
    if (own) {
        o->list[index].running[own - 1] = c->in.list[index].clock[own - 1].running;
    }
    o->kept++;
    return pf_out_put(o, r->whole.ptr, r->whole.len, err);
}

/* Whether the row can be done here: what cut_events.c would do is what follows, and nothing else. */
static bool is_simple(const pf_cutter *c, const row *r)
{
    const pf_edit_track *t = r->track;
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
        return top && top->ts <= r->ts && top->ts >= t->zone.reach && top->end == PF_STILL_OPEN &&
               !(r->label->name_iid | r->label->category | r->label->text);
    }
    return true;
}

/* What happens to the track. */
static pf_status move_track(pf_cutter *c, const row *r, pf_error *err)
{
    pf_edit_track *t = r->track;
    uint32_t type = r->what & PF_ROW_TYPE;
    pf_flow_use use = {0};
    if (type == PF_EVENT_SLICE_END) {
        pf_kept_packet *s = t->top;
        t->top = s->below;
        pf_flows_end(&c->flows, s->flow.own, r->ts);
        pf_kept_drop(&c->tracks, s);
    }
    if (r->what & PF_ROW_HAS_FLOWS) {
        const struct pf_flow_slice slice = {r->ts, type == PF_EVENT_SLICE_BEGIN ? PF_STILL_OPEN : r->ts, false};
        PF_TRY(pf_flows_take_id(&c->flows, r->value, r->what & PF_ROW_ONE_END,
                                type == PF_EVENT_SLICE_END ? NULL : &slice, &use, err));
    }
    if (type == PF_EVENT_SLICE_BEGIN) {
        uint32_t sequence = r->place->sequence;
        pf_kept_packet *s =
            pf_kept_new(&c->tracks, r->number, r->content, r->stable, sequence, c->in.list[sequence].epoch, r->ts);
        if (!s) {
            return pf_budget_refused(c->budget, sizeof *s + r->content.len, err);
        }
        s->flow = use;
        s->below = t->top;
        t->top = s;
    } else if (type == PF_EVENT_COUNTER && (!t->value.any || t->value.ts <= r->ts)) {
        bool real = !(r->what & PF_ROW_HAS_INT);
        double number = real ? pf_bits_to_double(r->value) : (double)(int64_t)r->value;
        t->value = (struct pf_last_value){true, real, r->place->sequence, r->ts, number};
    }
    return PF_OK;
}

/* Takes a row; *taken false: it changed nothing. */
static pf_status take(pf_cutter *c, row *r, bool *taken, pf_error *err)
{
    const known_place *k = r->place;
    bool tracked = c->window_count && !k->left_out, written = false;
    *taken = pf_clock_peek_known(&k->clock, r->timestamp, &r->ts) && r->ts >= 0 &&
             !(k->left_out && r->what & PF_ROW_HAS_FLOWS);
    if (*taken && tracked) {
        r->track = &c->tracks.list[k->track];
        if (r->ts < r->track->zone.from || r->ts >= r->track->zone.to) {
            set_zone(c, r->track, r->ts);
        }
        bool inside = r->ts >= r->track->zone.from && r->ts < r->track->zone.to;
        written = r->track->zone.window != PF_NONE;
        *taken = inside && is_simple(c, r) && (!written || is_in_line(c, r));
    }
    if (!*taken) {
        return PF_OK;
    }
    pf_clock_run_known(&k->clock, r->ts);
    if (k->own) {
        pf_own_clock *own = &c->in.list[k->sequence].clock[k->own - 1];
        own->running = (int64_t)((uint64_t)own->running + r->timestamp * (uint64_t)own->unit);
    }
    PF_TRY(written ? write_row(c, r, err) : PF_OK);
    return tracked ? move_track(c, r, err) : PF_OK;
}

pf_status pf_cutter_rows(pf_cutter *c, pf_rows *b, pf_rows_at *at, uint64_t number, bool stable, pf_error *err)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint32_t from = at->row;
    if (c->selection.categories || c->selection.durations) {
        return PF_OK;
    }
    if (!b->known) {
        b->known = pf_alloc_zero(b->budget, 1, sizeof *b->known);
        b->known_bytes = b->known ? sizeof *b->known : 0;
    }
    if (!b->known) {
        return pf_budget_refused(b->budget, sizeof *b->known, err);
    }
    c->turn += at->row == 0 && b->renewed;
    for (bool taken = true; at->row < b->count; at->row++, number++) {
        uint32_t i = at->row, place = b->place_of[i], label = b->label_of[i];
        row r = {.place = &b->known->place[place], .what = b->where[i].what, .number = number, .stable = stable};
        if (r.place->turn != c->turn && r.what & PF_ROW_TYPE) {
            look_up(c, &b->place[place], &b->known->place[place]);
        }
        if (!(r.what & PF_ROW_TYPE) || !(r.place->takes >> (r.what & PF_ROW_TYPE) & 1)) {
            b->known->place[place].turn = c->turn - 1;
            break;
        }
        const uint8_t *whole = b->bytes + b->at[i];
        uint32_t size = b->where[i].size, header = whole[1] < 0x80 ? 2 : 3;
        r.label = &b->label[label];
        r.known_label = &b->known->label[label];
        r.whole = (pf_bytes){whole, size};
        r.content = (pf_bytes){whole + header, size - header};
        r.timestamp = b->timestamp[i];
        r.value = b->value[at->value];
        PF_TRY(take(c, &r, &taken, err));
        if (!taken) { /* there may be more to find out after it */
            b->known->place[place].turn = c->turn - 1;
            break;
        }
        at->value += (r.what & PF_ROW_HAS_VALUE) != 0;
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
