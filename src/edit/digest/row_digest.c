/* edit/digest/row_digest.c - see row_digest.h. What kind of event comes is what nobody can guess: all take one way,
 * without branches for the type. */
#include "edit/digest/row_digest.h"

#include <string.h>

#include "perfetto/fields.h"

/* The lane of a track. False: there is no room, or it has another clock. */
static bool find_lane(pf_digest *d, pf_digest_place *p, uint16_t place, uint64_t ts)
{
    uint32_t at = p->track % (2 * PF_DIGEST_LANES);
    while (p->track != PF_NONE && d->lane_at[at] && d->lane[d->lane_at[at] - 1].track != p->track) {
        at = (at + 1) % (2 * PF_DIGEST_LANES);
    }
    if (p->track != PF_NONE && d->lane_at[at]) {
        p->lane = &d->lane[d->lane_at[at] - 1];
        const pf_digest_place *first = &d->place[p->lane->place];
        return first->clock == p->clock && first->unit == p->unit;
    }
    if (d->lanes == PF_DIGEST_LANES) {
        return false;
    }
    pf_digest_lane *l = &d->lane[d->lanes++];
    p->lane = l;
    l->first = l->last = ts;
    l->depth = l->ends = 0;
    l->track = p->track;
    l->place = place;
    if (p->track != PF_NONE) {
        d->lane_at[at] = (uint16_t)d->lanes;
    }
    return true;
}

static bool find_clock(pf_digest *d, pf_digest_place *p, uint16_t place)
{
    p->ticks = 0;
    for (uint16_t i = 1; p->clock && !p->ticks && i <= d->clocks; i++) {
        p->ticks = d->place[d->clock[i]].clock == p->clock ? i : 0;
    }
    if (p->clock && !p->ticks && d->clocks < PF_DIGEST_CLOCKS) {
        p->ticks = (uint16_t)++d->clocks;
        d->clock[p->ticks] = place;
        d->ticked[p->ticks] = 0;
    }
    return !p->clock || p->ticks;
}

/* Row i is the first one of a place. False: it cannot be in the digest. */
static __attribute__((noinline)) bool enter(pf_digest *d, const pf_rows *b, uint32_t i)
{
    uint16_t place = b->place_of[i];
    pf_digest_place *p = &d->place[place];
    if (p->live || !p->takes || !find_clock(d, p, place) ||
        !find_lane(d, p, place, (d->ticked[p->ticks] + b->timestamp[i]) * p->unit)) {
        return false;
    }
    p->live = p->takes;
    d->used[d->places++] = place;
    return true;
}

static void begin_digest(pf_digest *d, const pf_rows *b, uint32_t from)
{
    for (uint32_t i = 0; i < d->places; i++) {
        d->place[d->used[i]].live = 0;
    }
    if (from == 0 && b->renewed) {
        memset(d->place, 0, sizeof d->place);
        d->labels = 0;
    }
    for (; d->labels < b->labels; d->labels++) {
        const pf_row_label *l = &b->label[d->labels];
        d->named[d->labels] = d->labels && (l->name_iid | l->category | l->text);
    }
    memset(d->lane_at, 0, sizeof d->lane_at);
    d->lanes = d->clocks = d->places = d->values = d->ends = 0;
    d->from = from;
}

/* The types of rows that may be in a digest, a byte for each of the bits PF_ROW_HAS_FLOWS and up: flows have to be the
 * only one of a slice or an instant. */
static inline uint32_t types_for(uint32_t what)
{
    const uint64_t one = 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_INSTANT;
    const uint64_t types = 0xff | one << 24 | one << 40;
    return (uint32_t)(types >> 8 * (what / PF_ROW_HAS_FLOWS % 8)) & 0xff;
}

void pf_digest_rows(pf_digest *d, const pf_rows *b, uint32_t from)
{
    uint32_t i = from, values = 0;
    uint64_t source = 0;
    begin_digest(d, b, from);
    for (; i < b->count; i++) {
        uint32_t what = b->where[i].what, type = what & PF_ROW_TYPE;
        const pf_digest_place *p = &d->place[b->place_of[i]];
        uint32_t types = types_for(what);
        if (__builtin_expect(!((p->live & types) >> type & 1), 0) &&
            !(enter(d, b, i) && (p->live & types) >> type & 1)) {
            break;
        }
        uint32_t ends = 1u << PF_EVENT_SLICE_END >> type & 1, begins = 1u << PF_EVENT_SLICE_BEGIN >> type & 1;
        uint64_t ticked = d->ticked[p->ticks] + b->timestamp[i], ts = ticked * p->unit;
        pf_digest_lane *l = p->lane;
        uint32_t depth = l->depth;
        if ((ts < l->last) | (ends & d->named[b->label_of[i]]) | (depth == PF_DIGEST_DEPTH)) {
            break;
        }
        if (__builtin_expect(ends & !depth, 0)) {
            d->end[d->ends++] = (uint16_t)i;
            l->ends++;
        }
        d->time[i] = ts;
        d->value[values] = (uint16_t)i;
        values += (what & PF_ROW_HAS_VALUE) != 0;
        l->row[depth] = (uint16_t)i;
        l->depth = depth + begins - (ends & (depth != 0));
        l->last = ts;
        d->ticked[p->ticks] = p->ticks ? ticked : 0;
        source += pf_packet_mix(b->timestamp[i], b->where[i].size);
    }
    d->to = i;
    d->values = values;
    d->source = source;
}
