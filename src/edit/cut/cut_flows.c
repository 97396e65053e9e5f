/* edit/cut/cut_flows.c - legacy flows, which events of their own begin (phase s), take a step further (t) and end (f).
 *
 * A flow goes on in a window where it has begun there: a step begins one that has not, what ends one that has not
 * becomes an event that means nothing where Perfetto's engine would draw an arrow from the trace's first slice. What
 * comes first in time may come later in the file: then there is another pass, which knows it.
 *
 * An event whose flow comes from outside or goes on there has a mark. The first is known at once. The second is known
 * when a step or an end comes that no window has, or another one, and then it is the last beginning or step in the
 * window that gets the mark. Most steps outside have an id that no window has: a bit for each says so. Files in which
 * ends come before beginnings are common: where a flow of a window has no end, and an end with such an id came by,
 * another pass looks for it.
 *
 * A step or an end that comes after the end of a window, in a slice that is open there, belongs to that slice: where
 * the flow has begun in the window, it moves to the end of it.
 */
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "edit/cut/cut_source.h"
#include "edit/cut/cutter.h"

static bool has_bit(const uint64_t *bits, uint32_t id)
{
    return bits[id / 64] >> id % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t id)
{
    bits[id / 64] |= (uint64_t)1 << id % 64;
}

void pf_cutter_begin_flows(pf_cutter *c)
{
    memset(c->flows_past, 0, sizeof c->flows_past);
    c->flows_known = c->flow_count;
    for (uint32_t i = 0; i < c->flow_count; i++) {
        c->flow_starts[i].mark = 0;
        c->flow_starts[i].said = false;
    }
}

bool pf_cutter_flows_lack_marks(const pf_cutter *c)
{
    bool lacks = false;
    for (uint32_t i = 0; i < c->flow_count && !lacks; i++) {
        const pf_flow_start *f = &c->flow_starts[i];
        lacks =
            f->leaves ? !c->marks_later && !f->said : i >= c->flows_known && !f->ended && has_bit(c->flows_past, f->id);
    }
    return lacks;
}

/* What pf_record_is_flow_step says of the flow of a legacy event. */
static uint32_t flow_of(const pf_field *legacy)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(legacy), PF_AT_VARINT(PF_F_LEGACY_PHASE), PF_AT_VARINT(PF_F_LEGACY_UNSCOPED_ID),
                     PF_AT_VARINT(PF_F_LEGACY_LOCAL_ID), PF_AT_VARINT(PF_F_LEGACY_GLOBAL_ID));
    uint64_t ids = f[PF_F_LEGACY_UNSCOPED_ID].value ^ f[PF_F_LEGACY_LOCAL_ID].value ^ f[PF_F_LEGACY_GLOBAL_ID].value;
    uint64_t phase = f[PF_F_LEGACY_PHASE].value;
    return pf_flow_mix(ids) | (phase == 't' || phase == 'f' ? 0 : PF_FLOW_BEGIN);
}

/* The flow came to a place that is in those windows, a bit each, or begins there: others where it was before it leaves.
 */
static void leave(pf_cutter *c, uint64_t key, uint64_t windows, bool begins, int64_t ts)
{
    uint32_t latest = pf_map_get(&c->flow_latest, key);
    uint64_t left = latest == PF_NONE ? 0 : c->flow_starts[latest].windows & ~windows;
    for (; left; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(left), at = pf_map_get(&c->flow_places, pf_hash_add(key, w));
        pf_flow_start *f = at == PF_NONE ? NULL : &c->flow_starts[at];
        if (f && f->first <= ts) {
            f->leaves |= !begins;
            f->left = ts >= c->windows[w].to && ts < f->left ? ts : f->left;
            c->flow_misjudged |= f->left < f->moved;
            f->moved = f->left < f->moved ? INT64_MIN : f->moved;
        }
    }
}

static uint64_t key_of(pf_cutter *c, const pf_event_facts *e, const pf_field *event, const pf_epoch *epoch)
{
    return pf_event_async_key(e, event, epoch, 0, c->budget->seed, &c->names);
}

bool pf_cutter_has_flow(const pf_cutter *c, uint32_t flow)
{
    return has_bit(c->flows_in, flow % PF_CUT_FLOW_BITS);
}

bool pf_cutter_pass_flow(pf_cutter *c, uint32_t flow, int64_t ts)
{
    if (!c->window_count || ts < c->windows[0].from) {
        return false;
    }
    if (!(flow & PF_FLOW_BEGIN)) {
        set_bit(c->flows_past, flow % PF_CUT_FLOW_BITS);
    }
    return pf_cutter_has_flow(c, flow);
}

void pf_cutter_pass_known_flow(pf_cutter *c, const pf_field *event, const pf_epoch *epoch, int64_t ts)
{
    const pf_event_facts e = pf_event_facts_of(event);
    if (e.phase && pf_cutter_pass_flow(c, flow_of(&e.legacy), ts)) {
        leave(c, key_of(c, &e, event, epoch), 0, e.phase == 's', ts);
    }
}

/* The flow of an event in its window. */
static pf_status find_flow(pf_cutter *c, uint64_t key, const pf_field *legacy, uint32_t *at, pf_error *err)
{
    *at = pf_map_get(&c->flow_places, key);
    if (*at == PF_NONE) {
        *at = c->flow_count;
        PF_TRY(PF_LIST_ROOM(c->budget, c->flow_starts, *at + 1, c->flow_room, err));
        PF_TRY(pf_map_put(&c->flow_places, key, *at, err));
        pf_flow_start *f = &c->flow_starts[c->flow_count++];
        *f = (pf_flow_start){.first = INT64_MAX,
                             .last = INT64_MIN,
                             .changed = INT64_MIN,
                             .moved = INT64_MIN,
                             .left = INT64_MAX,
                             .id = flow_of(legacy) % PF_CUT_FLOW_BITS};
        set_bit(c->flows_in, f->id);
    }
    return PF_OK;
}

static bool binds_to_enclosing(const pf_event_facts *e)
{
    return pf_cursor_last(pf_field_cursor(&e->legacy), PF_TAG_VARINT(PF_F_LEGACY_BIND_TO_ENCLOSING)).value;
}

/* Whether there is an outside of the window: events that are left out. */
static bool has_outside(const pf_cutter *c, uint32_t window)
{
    const pf_cut_window *w = &c->windows[window];
    return c->selection.active || w->from != INT64_MIN || w->to != INT64_MAX;
}

/* The event in hand, at ts, which is in those windows, comes into one of them. *as: what it becomes, unless that is
 * NULL. */
static pf_status enter(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint64_t key, uint64_t windows,
                       uint32_t window, int64_t ts, const pf_field **as, pf_field *event, pf_error *err)
{
    uint32_t at;
    PF_TRY(find_flow(c, pf_hash_add(key, window), &e->legacy, &at, err));
    pf_flow_start *flow = &c->flow_starts[at];
    bool begins = e->phase == 's', ends = e->phase == 'f';
    if (!ends && (ts < flow->first || (ts == flow->first && begins && !flow->begins))) {
        c->flow_misjudged |= flow->changed >= ts;
        flow->first = ts;
        flow->begins = begins;
    }
    bool begun = begins || flow->first < ts || (flow->first == ts && (ends || flow->begins));
    bool marked = pf_cutter_has_flow_mark((pf_bytes){p->content.bytes, p->content.len});
    bool moves = ts >= c->windows[window].to, latest = !ends && ts >= (moves ? flow->moved : flow->last);
    bool later = !moves && flow->moved > INT64_MIN;
    bool known = !c->marks_later && latest && !later && flow->leaves;
    c->legacy_mark = !marked && ((!begun && has_outside(c, window)) || known);
    c->legacy_flow = 0;
    flow->windows = windows;
    flow->ended |= ends;
    PF_TRY(pf_map_put(&c->flow_latest, key, at, err));
    if (latest) {
        c->flow_misjudged |= moves && flow->moved == INT64_MIN && flow->said;
        *(moves ? &flow->moved : &flow->last) = ts;
        flow->said = !later && (marked || c->legacy_mark);
        c->legacy_flow = later ? 0 : 1 + at;
    }
    *event = p->content;
    if (begun || (ends && binds_to_enclosing(e))) {
        return PF_OK;
    }
    flow->changed = ts > flow->changed ? ts : flow->changed;
    *as = event;
    return pf_cutter_change_phase(c, ends ? PF_CUT_HELD_PHASE : 's', event, err);
}

/* The windows, a bit each, that are over when an event at ts comes which belongs to a slice of theirs that is open, and
 * in which its flow has begun. A step and what ends at the slice around it do; others find one that comes later. */
static uint64_t windows_before(const pf_cutter *c, const pf_event_facts *e, uint64_t key, uint32_t track, int64_t ts)
{
    const pf_edit_track *t = &c->tracks.list[track];
    const pf_kept_packet *s = t->top;
    uint64_t windows = 0;
    if (!s || s->left_out || s->ts > ts || ts <= t->covered ||
        !(e->phase == 't' || (e->phase == 'f' && binds_to_enclosing(e)))) {
        return 0;
    }
    for (uint32_t w = pf_cutter_window(c, s->ts); w < c->window_count && c->windows[w].to <= ts; w++) {
        uint32_t at = pf_map_get(&c->flow_places, pf_hash_add(key, w));
        const pf_flow_start *f = at == PF_NONE ? NULL : &c->flow_starts[at];
        bool goes_on = f && f->first <= c->windows[w].to && ts < f->left;
        windows |= (uint64_t)goes_on << w;
    }
    return windows;
}

pf_status pf_cutter_follow_flow(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                                uint32_t sequence, int64_t ts, uint32_t *window, const pf_field **as, pf_field *event,
                                pf_error *err)
{
    const pf_epoch *epoch = c->in.list[sequence].epoch;
    const pf_kept_packet *inside = c->tracks.list[track].top;
    bool left_out = (c->selection.categories || c->selection.durations) && (!inside || inside->left_out);
    uint64_t key = key_of(c, e, &p->content, epoch), before = windows_before(c, e, key, track, ts);
    *window = left_out ? c->window_count : *window;
    uint64_t windows = before | (*window < c->window_count ? (uint64_t)1 << *window : 0);
    if (!windows) {
        pf_cutter_pass_known_flow(c, &p->content, epoch, ts);
        return PF_OK;
    }
    leave(c, key, windows, e->phase == 's', ts);
    for (uint64_t left = before; left; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(left);
        PF_TRY(enter(c, e, p, key, windows, w, ts, as, event, err));
        const pf_kept_packet own = pf_cutter_at_hand(c);
        PF_TRY(pf_cutter_move_end(c, w, track, &own, *as ? *as : event, ts, err));
        *as = NULL;
    }
    return *window < c->window_count ? enter(c, e, p, key, windows, *window, ts, as, event, err) : PF_OK;
}
