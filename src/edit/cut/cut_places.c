/* edit/cut/cut_places.c - what the places of rows stand for, what rows do to the tracks that they are on, and how their
 * packets are written. */
#include "edit/cut/cut_rows.h"

/* 0: steps of flows. */
enum { ALL_TYPES = 1u << 0 | 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_SLICE_END | 1u << PF_EVENT_INSTANT };

/* False if its times are not at hand. */
static bool find_clock(const pf_cutter *c, const pf_row_place *p, const pf_sequence *q, pf_clock_known *clock)
{
    uint32_t own = p->clock & PF_PLACE_CLOCK, id = own ? own : q->clock_id ? q->clock_id : c->times.now.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    *clock = pf_clock_identity();
    return id == 0 || pf_clocks_last(&c->times.now, (pf_clock_key){id, of_sequence ? p->sequence : 0}, clock);
}

/* The track of a place. It takes nothing if that is not known, or has no event so far. */
static void find_track(pf_cutter *c, const pf_row_place *p, const pf_sequence *q, pf_known_place *k)
{
    uint64_t uuid = p->clock & PF_PLACE_HAS_UUID ? p->uuid : q->track_uuid;
    k->index = uuid ? pf_map_get(&c->tracks.by_uuid, uuid) : PF_NONE;
    k->track = k->index == PF_NONE ? NULL : &c->tracks.list[k->index];
    if (k->track && k->track->has_events) {
        bool plain = k->track->described && k->track->counter && !k->track->incremental;
        const uint8_t types = plain ? ALL_TYPES | 1u << PF_EVENT_COUNTER : ALL_TYPES, pairing = k->track->pairing;
        k->takes = pairing == PF_PAIRING_AS_THEY_COME ? types : 0;
        k->pairs = pairing == PF_PAIRING_LISTS ? types : pairing == PF_PAIRING_KNOWN ? ALL_TYPES & ~1u : 0;
        k->left_out = !pf_cutter_takes(c, k->index);
        k->track = k->left_out || (k->takes && c->pairing == PF_PAIRING_LISTS) ? NULL : k->track;
    }
}

/* Looks up a place; it takes nothing if not all of it is known. */
static void look_up_place(pf_cutter *c, const pf_row_place *p, pf_known_place *k)
{
    *k = (pf_known_place){.turn = c->turn};
    k->sequence = p->sequence == PF_EDIT_SEQUENCE ? PF_NONE : pf_map_get(&c->in.by_id, p->sequence);
    const pf_sequence *q = k->sequence == PF_NONE ? NULL : pf_sequence_find(&c->in.state, k->sequence);
    if (!q || (p->clock & PF_PLACE_NEEDS_STATE && !q->valid) || !find_clock(c, p, q, &k->clock)) {
        return;
    }
    uint32_t own = p->clock & PF_PLACE_CLOCK;
    k->in = &c->in.list[k->sequence];
    k->own = pf_in_clock(&c->in, k->sequence, own ? own : q->clock_id);
    k->own = k->own && k->own->incremental ? k->own : NULL;
    if (c->window_count || c->selection.durations || c->pairing == PF_PAIRING_LISTS) {
        find_track(c, p, q, k);
    } else { /* the pass only looks at times */
        k->takes = ALL_TYPES | 1u << PF_EVENT_COUNTER;
        k->index = PF_NONE;
    }
}

pf_known_place *pf_known_look_up(pf_cutter *c, const pf_rows *b, uint32_t place)
{
    pf_known_place *k = &pf_cut_known_of(b)->place[place];
    pf_digest_place *guess = &pf_cut_known_of(b)->digest.place[place];
    if (place && k->turn != c->turn) {
        look_up_place(c, &b->place[place], k);
        int64_t *running = k->clock.running;
        guess->unit = k->clock.unit;
        guess->track = k->index;
        guess->clock =
            running ? 1 + (uint32_t)(((const char *)running - (const char *)c->times.now.list) / sizeof(pf_clock)) : 0;
        guess->takes = k->own && !running ? 0 : k->takes;
    }
    return k;
}

void pf_track_set_zone(const pf_cutter *c, pf_edit_track *t, int64_t ts)
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

void pf_stretch_value(const pf_stretch *s, const pf_known_place *k, uint32_t i, uint32_t value, int64_t ts)
{
    struct pf_last_value *last = &k->track->value;
    uint64_t bits = s->rows->value[value];
    bool real = !(s->rows->where[i].what & PF_ROW_HAS_INT);
    if (last->ts <= ts) {
        double number = real ? pf_bits_to_double(bits) : (double)(int64_t)bits;
        *last = (struct pf_last_value){true, real, k->sequence, ts, number};
    }
}

void pf_cutter_end_kept(pf_cutter *c, pf_edit_track *t, int64_t ts)
{
    pf_kept_packet *k = t->top;
    t->top = k->below;
    pf_flows_end(&c->flows, k->flow, ts);
    pf_kept_drop(&c->tracks, k);
}

bool pf_known_is_in_line(const pf_cutter *c, const pf_known_place *k, bool has_flows)
{
    const pf_cut_window *w = &c->windows[k->track->zone.window];
    bool passes = has_flows && !c->marks_later; /* which know whether the flow runs out */
    if (passes || k->sequence >= w->out.count || k->index >= w->said.count) {
        return false;
    }
    const pf_out_sequence *out = &w->out.list[k->sequence];
    return w->snapshots == c->snapshot_count && w->said.list[k->index].wanted && out->epoch == k->in->epoch &&
           out->snapshot == k->in->epoch->snapshot &&
           (!k->own || out->running[k->own - k->in->clock] == k->own->running);
}

bool pf_stretch_is_said(const pf_stretch *s, uint32_t i, const pf_out_sequence *out)
{
    const pf_entries *e = out->epoch->entries;
    uint32_t label = s->rows->label_of[i];
    pf_known_label *k = &pf_cut_known_of(s->rows)->label[label];
    if (out->said_count == e->count || s->rows->where[i].what & PF_ROW_HAS_ARGS) {
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

void pf_stretch_enter(const pf_stretch *s, pf_known_place *k)
{
    k->window = k->track->zone.window;
    k->line = s->line;
    pf_out_sequence *out = &s->c->windows[k->window].out.list[k->sequence];
    k->said = k->own ? &out->running[k->own - k->in->clock] : NULL;
    k->all = out->said_count == out->epoch->entries->count;
}

pf_status pf_stretch_end_run(pf_stretch *s, pf_error *err)
{
    pf_out *o = s->out;
    s->out = NULL;
    return o ? pf_out_put(o, s->run, s->run_len, err) : PF_OK;
}

pf_status pf_stretch_note_mark(pf_stretch *s, uint32_t i, uint32_t window, pf_error *err)
{
    pf_cut_window *w = &s->c->windows[window];
    const pf_bytes packet = {s->rows->bytes + s->rows->at[i], s->rows->where[i].size};
    uint64_t end = w->out.bytes + (s->out == &w->out ? s->run_len : 0);
    return pf_cutter_note_mark(s->c, w, s->c->open[i + 1].flow, end - packet.len, packet, true, err);
}

void pf_stretch_pass_step(pf_stretch *s, const pf_known_place *k, uint32_t i, int64_t ts)
{
    if (pf_cutter_pass_flow(s->c, pf_row_flow(&s->rows->where[i]), ts)) {
        const pf_record *r = &s->rows->record[s->rows->at[i]];
        const pf_field event = {.bytes = r->event, .len = r->event_len};
        pf_cutter_pass_known_flow(s->c, &event, k->in->epoch, ts);
    }
}
