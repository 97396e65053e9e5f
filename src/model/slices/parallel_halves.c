/* model/slices/parallel_halves.c - the slices of the second half of a trace, built by a helper while the owner builds
 * those of the first.
 *
 * How many slices a half has is known before: one for each begin, complete event and instant. So the helper knows its
 * first row. What it does not know are the slices that are open when its half begins. It starts with empty stacks
 * instead and notes what went past them: ends that found no begin, and flow ids. When both are done, join_halves.c
 * stands the second half on the first one.
 *
 * That is possible where a stack holds begins and instants with names, or complete events and instants that fit into
 * each other. In front of anything else (async tracks, thread clocks, an end that does not fit ...) a half stops, and
 * the events from there on are added one by one: the helper's work counts only if the owner's half was done to
 * its end, and if it fits onto that. So the result never depends on chance or on the number of threads.
 *
 * What it brings (`info --stats`, two threads, in turns with a build without): 0.176 -> 0.160 s for 4 M events of
 * .pftrace, 0.163 -> 0.149 s for 2 M of gen_trace's JSON, nothing for JSON like PyTorch's.
 */
#include "model/slices/slices.h"

#include <string.h>

#include "base/threads/threads.h"

#define WORTH 65536u    /* events */
#define ENDS_MAX 65536u /* ends without begin that the helper notes */
#define LOOK_UP 65536u  /* events between two looks at whether the work is still wanted */
#define TOUCH_ROWS 16384u

#define BEFORE (PF_NONE - 1) /* the slice that the last early end closes */

/* False if something finished goes on that is no instant of the same time. */
static bool settle(const pf_slice_rows *c, pf_chain *s, int64_t ts, int64_t length)
{
    pf_settled settled = pf_chain_settle(c, s, ts, length);
    return settled == PF_SETTLED || (settled == PF_SETTLED_ON && length == 0);
}

/* Makes memory for more slices ready to be written. */
static void extend(pf_half *h)
{
    uint32_t row = h->run.row, last = h->t->slices.room;
    h->run.room = last - row > TOUCH_ROWS ? row + TOUCH_ROWS : last;
    pf_columns_touch(&h->t->slices.columns, row, h->run.room);
}

static bool push(pf_half *h, const pf_slice_rows *c, pf_chain *s, uint32_t event, int64_t length)
{
    if (!h->t->events.name[event] || s->depth >= h->run.deepest) {
        return false;
    }
    pf_chain_push(c, s, h->run.row++, event, h->t->events.track[event], length);
    return true;
}

/* The slice that the end closes; PF_NONE if the helper cannot tell. */
static uint32_t close_top(pf_half *h, const pf_slice_rows *c, pf_chain *s, uint32_t event)
{
    uint32_t top = s->top;
    if (top == PF_NONE) {
        if (h->end_count == ENDS_MAX) {
            return PF_NONE;
        }
        h->ends[h->end_count++] = (pf_early_end){event, h->run.row, PF_NONE};
        return BEFORE;
    }
    if (!pf_slice_fits(h->t, top, event)) {
        return PF_NONE;
    }
    pf_chain_pop(c, s);
    pf_slice_finish(c, top, event, 0);
    return top;
}

/* The ids of an event that is about `slice`, BEFORE or PF_NONE. */
static void note_flows(pf_half *h, uint32_t event, uint32_t slice)
{
    const pf_trace *t = h->t;
    const pf_flow_tracker *flows = h->run.flows;
    uint32_t open = h->run.stacks[h->run.stacks[t->events.track[event]].home].chain.top;
    for (uint32_t i = pf_flow_tracker_first(flows, event, &h->run.ref);
         i < t->flow_refs.count && t->flow_refs.event[i] == event; i++) {
        bool chrome = pf_flow_is_chrome(t->flow_refs.kind[i]);
        if (chrome ? open == PF_NONE : slice == BEFORE) {
            h->notes[h->note_count++] = (pf_flow_note){i, h->run.row, h->end_count};
        } else {
            flows->bound[i] = pf_flow_bound(chrome ? open : slice);
        }
    }
}

/* An event that is not plain. False, and nothing but finished slices is gone from the stack, where the half has to stop
 * in front of it. */
static bool add_to_half(pf_half *h, uint32_t event)
{
    const pf_trace *t = h->t;
    uint8_t phase = t->events.phase[event];
    if (phase == 'C' || phase == 'M' || phase & PF_PHASE_BAD_TS) {
        return true;
    }
    uint32_t track = t->events.track[event], slice = PF_NONE;
    int64_t ts = t->events.ts[event];
    pf_stack *s = &h->run.stacks[track];
    uint8_t action = pf_phase_action(phase, s->async);
    if (ts < 0 || (action && s->special) || action == 'X' || phase == PF_PHASE_NOTE) {
        return false;
    }
    if (action) {
        const pf_slice_rows c = pf_slice_rows_of(t);
        int64_t length = action == 'i' ? 0 : PF_NO_LENGTH;
        if (!settle(&c, &s->chain, ts, length)) {
            return false;
        }
        if (action == 'E') {
            slice = close_top(h, &c, &s->chain, event);
        } else {
            slice = push(h, &c, &s->chain, event, length) ? s->chain.top : PF_NONE;
        }
        if (slice == PF_NONE) {
            return false;
        }
        h->run.used[track] = 1;
        h->run.latest = slice == BEFORE || ts < h->run.latest ? h->run.latest : ts;
    }
    if (t->flow_refs.count && pf_flow_tracker_knows(h->run.flows, event, &h->run.ref)) {
        note_flows(h, event, slice);
    }
    return true;
}

static void add_half(void *ctx, unsigned slot)
{
    pf_half *h = ctx;
    uint32_t i = h->from;
    bool goes_on = true;
    while (i < h->to && goes_on && !atomic_load_explicit(&h->unwanted, memory_order_relaxed)) {
        uint32_t to = h->to - i > LOOK_UP ? i + LOOK_UP : h->to;
        if (h->run.row == h->run.room) {
            extend(h);
        }
        i = pf_slices_run(&h->run, h->order, i, to);
        if (i < to && (h->run.row < h->run.room || h->run.room == h->t->slices.room)) {
            goes_on = add_to_half(h, h->order ? h->order[i] : i);
            i += goes_on;
        }
    }
    h->to = i;
}

/* The owner's half, in steps whose pages are touched before. Returns how far it came. */
static pf_status add_first_half(pf_slice_builder *b, const pf_half *h, uint32_t *done)
{
    pf_trace *t = b->t;
    uint32_t touched = 0, to = 0;
    while (*done == to && to < h->from) {
        to = h->from - to > TOUCH_ROWS ? to + TOUCH_ROWS : h->from;
        uint32_t rows = t->slices.count + TOUCH_ROWS < h->first_row ? t->slices.count + TOUCH_ROWS : h->first_row;
        if (rows > touched) {
            pf_columns_touch(&t->slices.columns, touched, rows);
            touched = rows;
        }
        PF_TRY(pf_slices_add(b, h->order, *done, to, true, done));
    }
    return PF_OK;
}

static inline bool begins(uint8_t phase)
{
    return (phase == 'B') | (phase == 'X') | (phase == 'i') | (phase == 'I') | (phase == 'R');
}

/* How many slices the events at places [from, to) begin if all of them are as they should be. */
static uint32_t count_slices(const pf_trace *t, const uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
        n += begins(t->events.phase[order ? order[i] : i]);
    }
    return n;
}

static size_t bytes_of(const pf_half *h, size_t part)
{
    const size_t tracks = h->t->tracks.count,
                 bytes[] = {tracks * sizeof *h->run.stacks, tracks * sizeof *h->run.used, tracks * sizeof *h->first,
                            ENDS_MAX * sizeof *h->ends, (size_t)h->note_room * sizeof *h->notes};
    return bytes[part];
}

/* The stacks are still empty when the helper gets its own. */
static bool prepare(pf_half *h, const pf_slice_builder *b)
{
    pf_trace *t = h->t;
    uint32_t first_flow = h->order ? 0 : pf_rows_lower_bound(t->flow_refs.event, t->flow_refs.count, h->from);
    h->note_room = t->flow_refs.count - first_flow;
    h->run = (pf_slice_run){.t = t,
                            .stacks = pf_alloc(&t->budget, bytes_of(h, 0)),
                            .used = pf_alloc_zero(&t->budget, t->tracks.count, sizeof *h->run.used),
                            .flows = &b->flows,
                            .ref = first_flow,
                            .row = h->first_row,
                            .room = h->first_row,
                            .deepest = PF_HALF_DEPTH,
                            .latest = INT64_MIN,
                            .half = true};
    h->first = pf_alloc(&t->budget, bytes_of(h, 2));
    h->ends = pf_alloc(&t->budget, bytes_of(h, 3));
    h->notes = pf_alloc(&t->budget, bytes_of(h, 4));
    if (!h->run.stacks || !h->run.used || !h->first || !h->ends || !h->notes) {
        return false;
    }
    memcpy(h->run.stacks, b->stacks, bytes_of(h, 0));
    return true;
}

static void free_half(pf_half *h)
{
    void *const part[] = {h->run.stacks, h->run.used, h->first, h->ends, h->notes};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        pf_release(&h->t->budget, part[i], bytes_of(h, i));
    }
}

static pf_status add_halves(pf_slice_builder *b, pf_half *h, pf_crew *crew, uint32_t *done)
{
    pf_crew_put(crew);
    b->row_end = h->first_row;
    pf_status st = add_first_half(b, h, done);
    b->row_end = PF_NONE;
    bool whole = st == PF_OK && *done == h->from && b->t->slices.count == h->first_row;
    atomic_store_explicit(&h->unwanted, !whole, memory_order_relaxed);
    if (whole) {
        st = pf_flow_tracker_finish(&b->flows, h->order, h->from, b->err);
    }
    pf_crew_take(crew);
    if (whole && pf_half_join(b, h)) {
        *done = h->to;
    }
    return st;
}

pf_status pf_slices_add_halves(pf_slice_builder *b, const uint32_t *order, uint32_t *done)
{
    pf_trace *t = b->t;
    uint32_t n = t->events.count;
    pf_half h = {.t = t, .order = order, .from = n / 2, .to = n};
    *done = 0;
    if (!t->budget.helped || n < WORTH || t->thread_times.count || (b->has_flows && !b->flows.bound)) {
        return PF_OK;
    }
    h.first_row = count_slices(t, order, 0, h.from);
    uint32_t rows = order ? count_slices(t, NULL, 0, n) : h.first_row + count_slices(t, NULL, h.from, n);
    pf_error ignored;
    if (pf_columns_reserve(&t->slices.columns, rows, &t->slices.room, &ignored) != PF_OK) {
        return PF_OK; /* growing step by step says what is wrong, if it is */
    }
    pf_status st = PF_OK;
    pf_crew *crew = prepare(&h, b) ? pf_crew_start(1, 1, add_half, &h, &t->budget) : NULL;
    if (crew && pf_crew_helpers(crew)) {
        st = add_halves(b, &h, crew, done);
    }
    pf_crew_stop(crew);
    free_half(&h);
    return st;
}
