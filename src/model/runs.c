/* model/runs.c - the events that most traces mostly have, in a loop of their own: begins with a name on a stack without finished
 * slices, and ends of the slice on top of such a stack; complete events and instants with a name on a stack that holds nothing
 * else, if they fit into what is on top; and what begins and ends arrows.
 *
 * Whether a begin or an end comes next is what a processor cannot guess, so both take the same way: the row behind the last
 * slice is filled as if a begin had come, then the row that counts (this one, or the top slice) gets duration and end. What an
 * end leaves in the row behind the last slice, the next begin overwrites.
 *
 * On a stack of complete events no slice ends after one below it. So the ones that are over are on top, and what fits into the
 * one below them fits into all.
 */
#include "model/slices.h"

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

/* Pops what is over, and pushes a complete event or an instant. False where the stack or the event is not as usual. */
static ALWAYS_INLINE bool push_complete(const pf_slice_run *r, uint32_t row, pf_stack *s, uint32_t event,
                                        int64_t length)
{
    const pf_trace *t = r->t;
    int64_t *restrict dur = t->slices.dur;
    uint32_t *restrict parent = t->slices.parent, *restrict begun = t->slices.event;
    const int64_t *times = t->events.ts;
    int64_t ts = times[event];
    uint32_t top = s->top, depth = s->depth;
    if (!s->plain || ts < 0 || !t->events.name[event] || row == r->room || length < 0 || length > INT64_MAX - ts ||
        s->finished != depth || (depth && s->unsorted)) {
        return false;
    }
    while (depth) {
        int64_t end = times[begun[top]] + dur[top];
        if (end > ts || (end == ts && dur[top] == 0 && length == 0)) {
            if (length > end - ts) {
                return false;
            }
            break;
        }
        top = parent[top];
        depth--;
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
    s->depth = s->finished = depth + 1;
    s->unsorted = false;
    return true;
}

/* `order` is a constant NULL in one of the two copies of this loop. */
static ALWAYS_INLINE uint32_t take(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    const pf_trace *t = r->t;
    const uint8_t *phases = t->events.phase;
    const int64_t *times = t->events.ts, *lengths = t->events.dur;
    const uint32_t *tracks = t->events.track, *names = t->events.name, *categories = t->events.category;
    int64_t *restrict dur = t->slices.dur;
    uint32_t *restrict track = t->slices.track, *restrict depth = t->slices.depth, *restrict parent = t->slices.parent;
    uint32_t *restrict begun = t->slices.event, *restrict ended = t->slices.end_event;
    uint8_t *restrict used = r->used;
    const uint64_t *marks = order ? r->flows->marks.has : NULL;
    uint32_t row = r->row, i = from, next = next_noted(r, from);
    int64_t latest = r->latest;
    for (; i < to; i++) {
        uint32_t event = order ? order[i] : i;
        uint8_t phase = phases[event];
        bool begins = phase == 'B', noted = marks ? marks[event / 64] >> event % 64 & 1 : event == next;
        pf_stack *s = NULL;
        uint32_t affected = PF_NONE;
        if (begins | (phase == 'E')) {
            s = &r->stacks[tracks[event]];
            int64_t ts = times[event];
            uint32_t name = names[event], category = categories ? categories[event] : 0, top = s->top;
            bool odd = begins ? !name | (s->depth >= r->deepest) : top == PF_NONE;
            if (odd || !s->plain || s->finished || ts < 0 || row == r->room || (noted && !can_note(r, phase, row)) ||
                (!begins && (name || category) && !pf_event_fits(t, begun[top], names[begun[top]], name, category))) {
                break;
            }
            track[row] = tracks[event];
            depth[row] = s->depth;
            parent[row] = top;
            begun[row] = event;
            affected = begins ? row : top;
            dur[affected] = begins ? -1 : ts - times[begun[affected]];
            ended[affected] = begins ? PF_NONE : event;
            s->top = begins ? row : parent[affected];
            s->depth += begins ? 1u : UINT32_MAX;
            s->unsorted |= begins;
            used[tracks[event]] = 1;
            row += begins;
            latest = ts > latest ? ts : latest;
        } else if (phase == 'C' || phase == 'M') {
            next = event == next ? next_noted(r, event + 1) : next;
            continue;
        } else if (phase == 'X' || phase == 'i') {
            int64_t length = phase == 'X' ? lengths[event] : 0;
            s = &r->stacks[tracks[event]];
            if ((phase == 'i' && s->depth && s->unsorted) || (noted && !r->flows->bound) ||
                !push_complete(r, row, s, event, length)) {
                break;
            }
            affected = row++;
            used[tracks[event]] = 1;
            latest = times[event] + length > latest ? times[event] + length : latest;
        } else if (phase == 's' || phase == 't' || phase == 'f') {
            s = &r->stacks[r->stacks[tracks[event]].home];
            if (times[event] < 0 || (noted && !can_note(r, phase, s->top))) {
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
    r->latest = latest;
    return i;
}

uint32_t pf_slices_run(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    return order ? take(r, order, from, to) : take(r, NULL, from, to);
}
