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

/* `order` is a constant NULL in one of the two copies of this loop. */
static ALWAYS_INLINE uint32_t take(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    const pf_trace *t = r->t;
    const uint8_t *phases = t->events.phase;
    const int64_t *lengths = t->events.dur;
    const pf_slice_rows c = pf_slice_rows_of(t);
    const uint32_t *tracks = t->events.track, *names = t->events.name;
    const uint32_t *also = t->events.category ? t->events.category : names; /* what else an end may ask for */
    uint8_t *used = r->used;
    const uint64_t *marks = order ? r->flows->marks.has : NULL;
    pf_stack *stacks = r->stacks;
    uint32_t row = r->row, i = from, next = next_noted(r, from);
    const uint32_t room = r->room, deepest = r->deepest;
    int64_t latest = r->latest, last = latest;
    if (from < to && c.ts[order ? order[from] : from] < 0) {
        return from;
    }
    for (; i < to; i++) {
        uint32_t event = order ? order[i] : i;
        uint8_t phase = phases[event], kind = kinds[phase];
        bool noted = marks ? marks[event / 64] >> event % 64 & 1 : event == next;
        pf_stack *s = NULL;
        uint32_t affected = PF_NONE;
        if (kind & (BEGIN | END)) {
            uint32_t on = tracks[event], begins = kind & BEGIN, mask = 0 - begins;
            s = &stacks[on];
            int64_t ts = c.ts[event];
            if (s->chain.finished && pf_chain_settle(&c, &s->chain, ts, PF_NO_LENGTH) != PF_SETTLED) {
                break;
            }
            uint32_t said = names[event] | (also[event] & ~mask);
            if (s->chain.depth - 1 + begins >= deepest || s->special || row == room ||
                (noted && !can_note(r, phase, row)) ||
                ((said != 0) != begins && (begins || !pf_slice_fits(t, s->chain.top, event)))) {
                break;
            }
            affected = pf_chain_turn(&c, &s->chain, row, event, on, begins);
            used[on] = 1;
            row += begins;
            last = ts;
        } else if (kind & NOTHING) {
            next = event == next ? next_noted(r, event + 1) : next;
            continue;
        } else if (kind & (COMPLETE | INSTANT)) {
            int64_t length = kind & COMPLETE ? lengths[event] : 0;
            s = &stacks[tracks[event]];
            if ((noted && !r->flows->bound) || !push_complete(r, &c, row, s, event, length)) {
                break;
            }
            affected = row++;
            used[tracks[event]] = 1;
            latest = c.ts[event] + length > latest ? c.ts[event] + length : latest;
        } else if (kind & ARROW) {
            s = &stacks[stacks[tracks[event]].home];
            if (noted && !can_note(r, phase, s->chain.top)) {
                break;
            }
        } else {
            break;
        }
        if (noted) {
            pf_flow_tracker_note(r->flows, event, affected, s->chain.top, &r->ref);
            next = next_noted(r, event + 1);
        }
    }
    r->row = row;
    r->latest = latest > last ? latest : last;
    return i;
}

uint32_t pf_slices_run(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    return order ? take(r, order, from, to) : take(r, NULL, from, to);
}
