/* model/slices/join_halves.c - the second half of a trace's slices stands on the first one (parallel_halves.c).
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
#include "model/slices/slices.h"

typedef struct joint {
    pf_trace *t;
    pf_half *h;
    pf_slice_rows rows;
    const pf_stack *stacks;
    uint32_t row;    /* the next one to stand on the first half */
    uint32_t open;   /* stacks that are not empty */
    uint32_t closed; /* what the last early end closes */
} joint;

/* False if the event would not lie on what is left as it does on nothing. */
static bool settle(joint *j, pf_chain *f, int64_t ts, int64_t length)
{
    uint32_t before = f->depth;
    pf_settled settled = pf_chain_settle(&j->rows, f, ts, length);
    j->open -= before && !f->depth;
    return settled == PF_SETTLED || (settled == PF_SETTLED_ON && length != PF_NO_LENGTH);
}

/* Rows up to `to`. */
static bool stand_on(joint *j, uint32_t to)
{
    pf_trace *t = j->t;
    for (uint32_t row = j->row; row < to && j->open; row++) {
        pf_chain *f = &j->h->first[t->slices.track[row]];
        if (f->depth == 0) {
            continue;
        }
        if (t->slices.parent[row] == PF_NONE) {
            bool begun = t->slices.dur[row] < 0 || t->slices.end_event[row] != PF_NONE;
            if (!settle(j, f, pf_built_ts(t, row), begun ? PF_NO_LENGTH : t->slices.dur[row])) {
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
    pf_chain *f = &j->h->first[t->events.track[end->event]];
    if (!settle(j, f, t->events.ts[end->event], PF_NO_LENGTH) || (f->depth && !pf_slice_fits(t, f->top, end->event))) {
        return false;
    }
    end->closes = j->closed = f->depth ? f->top : PF_NONE;
    if (f->depth) {
        pf_chain_pop(&j->rows, f);
        j->open -= !f->depth;
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
        const pf_chain *s = &j->stacks[i].chain;
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
        j->h->first[i] = *s;
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
            pf_slice_finish(&j->rows, slice, event, 0);
            *latest = t->events.ts[event] > *latest ? t->events.ts[event] : *latest;
        }
    }
}

/* The stacks as they are after the second half. */
static void put_on_top(const pf_half *h, pf_stack *stacks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const pf_chain *own = &h->run.stacks[i].chain;
        pf_chain *s = &stacks[i].chain;
        h->t->tracks.used[i] |= h->run.used[i];
        s->unsorted = (s->unsorted && h->first[i].depth) || (own->unsorted && own->depth);
        s->top = own->depth ? own->top : h->first[i].top;
        s->depth = h->first[i].depth + own->depth;
        s->finished = h->first[i].finished + own->finished;
    }
}

bool pf_half_join(pf_slice_builder *b, pf_half *h)
{
    joint j = {
        .t = b->t, .h = h, .rows = pf_slice_rows_of(b->t), .stacks = b->stacks, .row = h->first_row, .closed = PF_NONE};
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
