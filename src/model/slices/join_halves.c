/* model/slices/join_halves.c - the second half of a trace's slices stands on the first one (halves.c).
 *
 * What the helper could not know are the slices that are open when its half begins. They matter to a row of the second
 * half that has no parent there, to an end that found no begin there, and to flow ids between those. All of these are
 * taken in the order of the events, with a copy of the stacks of the first half: what is over is popped, what is left
 * lies below the row, on all rows above it too, and an end closes what is on top.
 *
 * The stacks may hold begins with finished instants on top of them, or complete events only. A row that would lie
 * otherwise on one of them than it does on the helper's empty stack (a complete event that crosses the end of one
 * below, a begin above one that is not over) means that the halves do not fit together. Nothing of the first half
 * changes before that is known.
 */
#include "model/slices/halves.h"

typedef struct joint {
    pf_trace *t;
    pf_half *h;
    const pf_stack *stacks;
    uint32_t row;    /* the next one to stand on the first half */
    uint32_t open;   /* stacks that are not empty */
    uint32_t closed; /* what the last early end closes */
} joint;

static void pop(joint *j, pf_first_stack *f)
{
    f->top = j->t->slices.parent[f->top];
    j->open -= --f->depth == 0;
}

/* Pops what is over when an event comes; length: a complete event's or an instant's, else -1. False if the event would
 * not lie on what is left as it does on nothing. */
static bool settle(joint *j, pf_first_stack *f, int64_t ts, int64_t length)
{
    for (; f->finished; f->finished--) {
        int64_t dur = j->t->slices.dur[f->top], end = pf_built_ts(j->t, f->top) + dur;
        if (end > ts || (end == ts && dur == 0 && length == 0)) {
            return length >= 0 && length <= end - ts;
        }
        pop(j, f);
    }
    return true;
}

/* Rows up to `to`. */
static bool stand_on(joint *j, uint32_t to)
{
    pf_trace *t = j->t;
    for (uint32_t row = j->row; row < to && j->open; row++) {
        pf_first_stack *f = &j->h->first[t->slices.track[row]];
        if (f->depth == 0) {
            continue;
        }
        if (t->slices.parent[row] == PF_NONE) {
            bool begun = t->slices.dur[row] < 0 || t->slices.end_event[row] != PF_NONE;
            if (!settle(j, f, pf_built_ts(t, row), begun ? -1 : t->slices.dur[row])) {
                return false;
            }
            t->slices.parent[row] = f->top;
        }
        t->slices.depth[row] += f->depth;
    }
    j->row = to;
    return true;
}

/* Finds the slice of the first half that an early end is for. */
static bool close_early(joint *j, pf_early_end *end)
{
    const pf_trace *t = j->t;
    pf_first_stack *f = &j->h->first[t->events.track[end->event]];
    if (!settle(j, f, t->events.ts[end->event], -1) || (f->depth && !pf_slice_fits(t, f->top, end->event))) {
        return false;
    }
    end->closes = j->closed = f->depth ? f->top : PF_NONE;
    if (f->depth) {
        pop(j, f);
    }
    return true;
}

static void bind_noted(joint *j, const pf_flow_note *n)
{
    const pf_trace *t = j->t;
    uint32_t home = j->stacks[t->events.track[t->flow_refs.event[n->ref]]].home;
    bool chrome = pf_flow_is_chrome(t->flow_refs.kind[n->ref]);
    j->h->run.flows->bound[n->ref] = pf_flow_bound(chrome ? j->h->first[home].top : j->closed);
}

/* A copy of the stacks of the first half. False if one of them is too deep or holds something else than said above. */
static bool copy_stacks(joint *j, uint32_t count)
{
    const pf_trace *t = j->t;
    for (uint32_t i = 0; i < count; i++) {
        const pf_stack *s = &j->stacks[i];
        uint32_t top = s->top;
        bool complete = s->finished == s->depth && !s->unsorted;
        for (uint32_t k = 0; k < s->finished && !complete; k++) {
            if (t->slices.dur[top] != 0) {
                return false;
            }
            top = t->slices.parent[top];
        }
        if (s->depth > PF_HALF_DEPTH) {
            return false;
        }
        j->h->first[i] = (pf_first_stack){s->top, s->depth, s->finished};
        j->open += s->depth > 0;
    }
    return true;
}

/* The first half changes: early ends close their slices. */
static void close_slices(const joint *j, int64_t *latest)
{
    pf_trace *t = j->t;
    for (uint32_t i = 0; i < j->h->end_count; i++) {
        uint32_t event = j->h->ends[i].event, slice = j->h->ends[i].closes;
        if (slice != PF_NONE) {
            t->slices.dur[slice] = t->events.ts[event] - pf_built_ts(t, slice);
            t->slices.end_event[slice] = event;
            *latest = t->events.ts[event] > *latest ? t->events.ts[event] : *latest;
        }
    }
}

/* The stacks as they are after the second half. */
static void put_on_top(const pf_half *h, pf_stack *stacks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const pf_stack *own = &h->run.stacks[i];
        pf_stack *s = &stacks[i];
        h->t->tracks.used[i] |= h->run.used[i];
        s->unsorted = (s->unsorted && h->first[i].depth) || (own->unsorted && own->depth);
        s->top = own->depth ? own->top : h->first[i].top;
        s->depth = h->first[i].depth + own->depth;
        s->finished = h->first[i].finished + own->finished;
    }
}

bool pf_half_join(pf_slice_builder *b, pf_half *h)
{
    joint j = {.t = b->t, .h = h, .stacks = b->stacks, .row = h->first_row, .closed = PF_NONE};
    uint32_t note = 0;
    bool fits = copy_stacks(&j, b->stack_count);
    for (uint32_t i = 0; i <= h->end_count && fits; i++) {
        for (; note < h->note_count && h->notes[note].ends == i && fits; note++) {
            fits = stand_on(&j, h->notes[note].row);
            bind_noted(&j, &h->notes[note]);
        }
        fits = fits && stand_on(&j, i < h->end_count ? h->ends[i].row : h->run.row);
        fits = fits && (i == h->end_count || close_early(&j, &h->ends[i]));
    }
    if (!fits) {
        return false;
    }
    close_slices(&j, &b->latest);
    put_on_top(h, b->stacks, b->stack_count);
    b->t->slices.count = h->run.row;
    b->latest = h->run.latest > b->latest ? h->run.latest : b->latest;
    return true;
}
