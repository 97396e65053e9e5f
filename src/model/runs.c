/* model/runs.c - the events that most traces mostly have, in a loop of their own: begins with a name on a stack without finished
 * slices, and ends of the slice on top of such a stack.
 *
 * Whether a begin or an end comes next is what a processor cannot guess, so both take the same way: the row behind the last
 * slice is filled as if a begin had come, then the row that counts (this one, or the top slice) gets duration and end. What an
 * end leaves in the row behind the last slice, the next begin overwrites.
 */
#include "model/slices.h"

/* `order` is a constant NULL in one of the two copies of this loop. */
static inline __attribute__((always_inline)) uint32_t take(pf_slice_run *r, const uint32_t *order, uint32_t from,
                                                           uint32_t to)
{
    const pf_trace *t = r->t;
    const uint8_t *phases = t->events.phase;
    const int64_t *times = t->events.ts;
    const uint32_t *tracks = t->events.track, *names = t->events.name, *categories = t->events.category;
    int64_t *restrict dur = t->slices.dur;
    uint32_t *restrict track = t->slices.track, *restrict depth = t->slices.depth, *restrict parent = t->slices.parent;
    uint32_t *restrict begun = t->slices.event, *restrict ended = t->slices.end_event;
    uint8_t *restrict used = r->used;
    const uint64_t *marks = order ? r->marks : NULL;
    uint32_t row = r->row, i = from;
    int64_t latest = r->latest;
    for (; i < to; i++) {
        uint32_t event = order ? order[i] : i;
        uint8_t phase = phases[event];
        if (marks && marks[event / 64] >> event % 64 & 1) {
            break;
        }
        if (phase == 'C' || phase == 'M') {
            continue;
        }
        bool begins = phase == 'B';
        pf_stack *s = &r->stacks[tracks[event]];
        int64_t ts = times[event];
        uint32_t name = names[event], top = s->top;
        bool odd = begins ? !name | (s->depth >= r->deepest) : top == PF_NONE;
        if ((!begins && phase != 'E') || !s->plain || s->finished || ts < 0 || row == r->room || odd) {
            break;
        }
        uint32_t category = categories ? categories[event] : 0;
        if (!begins && (name || category) && !pf_event_fits(t, begun[top], names[begun[top]], name, category)) {
            break;
        }
        track[row] = tracks[event];
        depth[row] = s->depth;
        parent[row] = top;
        begun[row] = event;
        uint32_t at = begins ? row : top;
        dur[at] = begins ? -1 : ts - times[begun[at]];
        ended[at] = begins ? PF_NONE : event;
        s->top = begins ? row : parent[at];
        s->depth += begins ? 1u : UINT32_MAX;
        s->unsorted |= begins;
        used[tracks[event]] = 1;
        row += begins;
        latest = ts > latest ? ts : latest;
    }
    r->row = row;
    r->latest = latest;
    return i;
}

uint32_t pf_slices_run(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to)
{
    return order ? take(r, order, from, to) : take(r, NULL, from, to);
}
