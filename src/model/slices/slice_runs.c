/* model/slices/slice_runs.c - the events that most traces mostly have, in a loop of their own: begins with a name on a
 * stack without finished slices, and ends of the slice on top of such a stack; complete events and instants with a name
 * on a stack of begins, or on one that holds nothing else than their kind, if they fit into what is on top; and what
 * begins and ends arrows.
 *
 * Whether a begin or an end comes next is what a processor cannot guess, so both take the same way: the row after the
 * last slice is filled as if a begin had come, then the row that counts (this one, or the top slice) gets duration and
 * end. What an end leaves in the row after the last slice, the next begin overwrites. A mask, all ones for a begin and
 * zero for an end, chooses between what either needs, since compilers make jumps of comparisons.
 *
 * Finished slices on top of a stack are popped when an event shows that they are over. On a stack of complete events no
 * slice ends after one below it. So the ones that are over are on top, and what fits into the one below them fits into
 * all.
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

/* Pops what is over when a begin or an end comes. False if something finished is left. */
static bool pop_over(const pf_trace *t, pf_stack *s, int64_t ts)
{
    for (; s->finished; s->finished--, s->depth--) {
        int64_t dur = t->slices.dur[s->top];
        if (dur < 0 || pf_built_ts(t, s->top) + dur > ts) {
            return false;
        }
        s->top = t->slices.parent[s->top];
    }
    return true;
}

/* Pops what is over, and pushes a complete event or an instant. False where the stack or the event is not as usual. */
static ALWAYS_INLINE bool push_complete(const pf_slice_run *r, uint32_t row, pf_stack *s, uint32_t event,
                                        int64_t length)
{
    const pf_trace *t = r->t;
    int64_t *dur = t->slices.dur;
    uint32_t *parent = t->slices.parent, *begun = t->slices.event;
    const int64_t *times = t->events.ts;
    int64_t ts = times[event];
    uint32_t top = s->top, depth = s->depth, finished = s->finished;
    if (s->special || !t->events.name[event] || row == r->room || (uint64_t)length > (uint64_t)(INT64_MAX - ts) ||
        (finished && (finished != depth || s->unsorted))) {
        return false;
    }
    while (finished) {
        int64_t end = times[begun[top]] + dur[top];
        if (end > ts || (end == ts && dur[top] == 0 && length == 0)) {
            if (length > end - ts) {
                return false;
            }
            break;
        }
        top = parent[top];
        depth--;
        finished--;
    }
    if (depth >= r->deepest) {
        return false;
    }
    dur[row] = length;
    t->slices.track[row] = t->events.track[event];
    t->slices.depth[row] = depth;
    parent[row] = top;
    begun[row] = event;
    t->slices.end_event[row] = PF_NONE;
    s->top = row;
    s->depth = depth + 1;
    s->finished = finished + 1;
    s->unsorted = s->unsorted && depth;
    return true;
}

/* Whether an end with a name or a category closes the slice. */
static bool closes(const pf_trace *t, uint32_t slice, uint32_t event)
{
    uint32_t begin = t->slices.event[slice];
    return pf_event_fits(t, begin, t->events.name[begin], t->events.name[event],
                         t->events.category ? t->events.category[event] : 0);
}

enum { BEGIN = 1, END = 2, COMPLETE = 4, INSTANT = 8, ARROW = 16, NOTHING = 32 };

/* What an event of the phase is; 0: not usual. */
static const uint8_t kinds[256] = {['B'] = BEGIN, ['E'] = END,   ['X'] = COMPLETE, ['i'] = INSTANT, ['s'] = ARROW,
                                   ['t'] = ARROW, ['f'] = ARROW, ['C'] = NOTHING,  ['M'] = NOTHING};

/* `order` is a constant NULL in one of the two copies of this loop. */
static ALWAYS_INLINE uint32_t take(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    const pf_trace *t = r->t;
    const uint8_t *phases = t->events.phase;
    const int64_t *times = t->events.ts, *lengths = t->events.dur;
    const uint32_t *tracks = t->events.track, *names = t->events.name;
    const uint32_t *also = t->events.category ? t->events.category : names; /* what else an end may ask for */
    int64_t *dur = t->slices.dur;
    uint32_t *track = t->slices.track, *depths = t->slices.depth, *parent = t->slices.parent;
    uint32_t *begun = t->slices.event, *ended = t->slices.end_event;
    uint8_t *used = r->used;
    const uint64_t *marks = order ? r->flows->marks.has : NULL;
    pf_stack *stacks = r->stacks;
    uint32_t row = r->row, i = from, next = next_noted(r, from);
    const uint32_t room = r->room, deepest = r->deepest;
    int64_t latest = r->latest, last = latest;
    if (from < to && times[order ? order[from] : from] < 0) {
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
            int64_t ts = times[event];
            if (s->finished && !pop_over(t, s, ts)) {
                break;
            }
            uint32_t top = s->top, depth = s->depth, said = names[event] | (also[event] & ~mask);
            if (depth - 1 + begins >= deepest || s->special || (row == room) || (noted && !can_note(r, phase, row)) ||
                ((said != 0) != begins && (begins || !closes(t, top, event)))) {
                break;
            }
            track[row] = on;
            depths[row] = depth;
            parent[row] = top;
            begun[row] = event;
            affected = (row & mask) | (top & ~mask);
            dur[affected] = (ts - times[begun[affected]]) | (int64_t)(int32_t)mask;
            ended[affected] = event | mask;
            s->top = (row & mask) | (parent[affected] & ~mask);
            s->depth = depth + (mask & 2) - 1;
            s->unsorted |= begins;
            used[on] = 1;
            row += begins;
            last = ts;
        } else if (kind & NOTHING) {
            next = event == next ? next_noted(r, event + 1) : next;
            continue;
        } else if (kind & (COMPLETE | INSTANT)) {
            int64_t length = kind & COMPLETE ? lengths[event] : 0;
            s = &stacks[tracks[event]];
            if ((noted && !r->flows->bound) || !push_complete(r, row, s, event, length)) {
                break;
            }
            affected = row++;
            used[tracks[event]] = 1;
            latest = times[event] + length > latest ? times[event] + length : latest;
        } else if (kind & ARROW) {
            s = &stacks[stacks[tracks[event]].home];
            if (noted && !can_note(r, phase, s->top)) {
                break;
            }
        } else {
            break;
        }
        if (noted) {
            pf_flow_tracker_note(r->flows, event, affected, s->top, &r->ref);
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
