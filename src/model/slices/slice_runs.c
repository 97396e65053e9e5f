/* model/slices/slice_runs.c - the events that most traces mostly have, in a loop of their own: begins with a name on a
 * stack without finished slices, and ends of the slice on top of such a stack; complete events and instants with a name
 * on a stack of begins, or on one that holds nothing else than their kind, if they fit into what is on top; and what
 * begins and ends arrows.
 *
 * On a stack of complete events no slice ends after one below it: what fits into the one on top fits into all
 * (stack_rule.h).
 *
 * Events come in the order of their times: if the first one is not negative, none is, and the last one is the latest.
 */
#include "model/slices/slices.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The event with the next flow ids from place `from` on; PF_NONE if there is none, or if marks tell. */
static uint32_t next_noted(pf_slice_run *r, uint32_t from)
{
    const pf_trace *t = r->t;
    if (r->flows->marks.has || !t->flow_refs.count) {
        return PF_NONE;
    }
    uint32_t i = pf_rows_seek(t->flow_refs.event, t->flow_refs.count, from, &r->ref);
    return i < t->flow_refs.count ? t->flow_refs.event[i] : PF_NONE;
}

/* Whether the place is one where flow ids can be noted for the slice and what is open. */
static ALWAYS_INLINE bool can_note(const pf_slice_run *r, uint8_t phase, uint32_t open)
{
    return r->flows->bound && !(r->half && (phase == 'E' || open == PF_NONE));
}

/* Pushes a complete event or an instant. False where the stack or the event is not plain. */
static ALWAYS_INLINE bool push_complete(const pf_slice_run *r, const pf_slice_rows *c, uint32_t row, pf_stack *stack,
                                        uint32_t event, int64_t length)
{
    const pf_trace *t = r->t;
    int64_t ts = c->ts[event];
    pf_chain s = stack->chain;
    if (stack->special || !t->events.name[event] || row == r->room || (uint64_t)length > (uint64_t)(INT64_MAX - ts) ||
        (s.finished && (s.finished != s.depth || s.unsorted)) ||
        pf_chain_settle(c, &s, ts, length) == PF_SETTLED_CROSS || s.depth >= r->deepest) {
        return false;
    }
    pf_chain_push(c, &s, row, event, t->events.track[event], length);
    stack->chain = s;
    return true;
}

enum { BEGIN = 1, END = 2, COMPLETE = 4, INSTANT = 8, ARROW = 16, NOTHING = 32 };

/* What an event of the phase is; 0: not plain. */
static const uint8_t kinds[256] = {['B'] = BEGIN, ['E'] = END,   ['X'] = COMPLETE, ['i'] = INSTANT, ['s'] = ARROW,
                                   ['t'] = ARROW, ['f'] = ARROW, ['C'] = NOTHING,  ['M'] = NOTHING};

/* What a run is at; all of it in registers, as the functions below are inlined. */
typedef struct taking {
    pf_slice_run *r;
    const pf_trace *t;
    const pf_slice_rows *c;
    const uint32_t *tracks, *names;
    const uint32_t *also; /* what else than its name an end may ask for */
    pf_stack *stacks;
    uint8_t *used;
    uint32_t room, deepest;
    uint32_t row;         /* the next slice */
    uint32_t next;        /* the next event that has flow ids */
    int64_t latest, last; /* the end of complete events, the time of others */

    bool noted;        /* the event has flow ids, */
    pf_stack *stack;   /* which are noted for what is on top of this, */
    uint32_t affected; /* and for the slice that it begins or ends, or PF_NONE */
} taking;

/* A begin or an end. */
static ALWAYS_INLINE bool take_half(taking *k, uint32_t event, uint8_t phase, uint32_t begins)
{
    uint32_t on = k->tracks[event], mask = 0 - begins;
    pf_stack *s = k->stack = &k->stacks[on];
    int64_t ts = k->c->ts[event];
    if (s->chain.finished && pf_chain_settle(k->c, &s->chain, ts, PF_NO_LENGTH) != PF_SETTLED) {
        return false;
    }
    uint32_t said = k->names[event] | (k->also[event] & ~mask);
    if (s->chain.depth - 1 + begins >= k->deepest || s->special || k->row == k->room ||
        (k->noted && !can_note(k->r, phase, k->row)) ||
        ((said != 0) != begins && (begins || !pf_slice_fits(k->t, s->chain.top, event)))) {
        return false;
    }
    k->affected = pf_chain_turn(k->c, &s->chain, k->row, event, on, begins);
    k->used[on] = 1;
    k->row += begins;
    k->last = ts;
    return true;
}

/* A complete event, or an instant, which has the length 0. */
static ALWAYS_INLINE bool take_complete(taking *k, uint32_t event, int64_t length)
{
    uint32_t on = k->tracks[event];
    k->stack = &k->stacks[on];
    if ((k->noted && !k->r->flows->bound) || !push_complete(k->r, k->c, k->row, k->stack, event, length)) {
        return false;
    }
    k->affected = k->row++;
    k->used[on] = 1;
    int64_t end = k->c->ts[event] + length;
    k->latest = end > k->latest ? end : k->latest;
    return true;
}

static ALWAYS_INLINE bool take_arrow(taking *k, uint32_t event, uint8_t phase)
{
    k->stack = &k->stacks[k->stacks[k->tracks[event]].home];
    k->affected = PF_NONE;
    return !k->noted || can_note(k->r, phase, k->stack->chain.top);
}

/* Any other event that may change a stack; false if it is not plain. */
static ALWAYS_INLINE bool take_other(taking *k, uint32_t event, uint8_t phase, uint8_t kind)
{
    if (kind & (COMPLETE | INSTANT)) {
        return take_complete(k, event, kind & COMPLETE ? k->t->events.dur[event] : 0);
    }
    return kind & ARROW && take_arrow(k, event, phase);
}

/* `order` is a constant NULL in one of the two copies of this loop. */
static ALWAYS_INLINE uint32_t take(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    const pf_trace *t = r->t;
    const uint64_t *marks = order ? r->flows->marks.has : NULL;
    const uint8_t *phases = t->events.phase;
    const pf_slice_rows c = pf_slice_rows_of(t);
    taking k = {.r = r,
                .t = t,
                .c = &c,
                .tracks = t->events.track,
                .names = t->events.name,
                .also = t->events.category ? t->events.category : t->events.name,
                .stacks = r->stacks,
                .used = r->used,
                .room = r->room,
                .deepest = r->deepest,
                .row = r->row,
                .next = next_noted(r, from),
                .latest = r->latest,
                .last = r->latest};
    uint32_t i = from;
    if (from < to && c.ts[order ? order[from] : from] < 0) {
        return from;
    }
    for (; i < to; i++) {
        uint32_t event = order ? order[i] : i;
        uint8_t phase = phases[event], kind = kinds[phase];
        k.noted = marks ? marks[event / 64] >> event % 64 & 1 : event == k.next;
        if (kind & (BEGIN | END)) {
            if (!take_half(&k, event, phase, kind & BEGIN)) {
                break;
            }
        } else if (kind & NOTHING) {
            k.next = event == k.next ? next_noted(r, event + 1) : k.next;
            continue;
        } else if (!take_other(&k, event, phase, kind)) {
            break;
        }
        if (k.noted) {
            pf_flow_tracker_note(r->flows, event, k.affected, k.stack->chain.top, &r->ref);
            k.next = next_noted(r, event + 1);
        }
    }
    r->row = k.row;
    r->latest = k.latest > k.last ? k.latest : k.last;
    return i;
}

uint32_t pf_slices_run(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    return order ? take(r, order, from, to) : take(r, NULL, from, to);
}
