/* model/halves.c - the slices of the second half of a trace, built by a helper while the owner builds those of the first.
 *
 * How many slices a half has is known before: one for each begin and instant. So the helper knows its first row. What it does
 * not know are the slices that are open when its half begins. It starts with empty stacks instead and notes what went
 * past them: ends that found no begin, and the flow ids of events. When both are done, the owner closes the slices that such
 * ends were for, adds to depths and parents of the second half what was open below them, and binds the flows in their order.
 *
 * That is possible where begins, ends and instants with names are all there is. In front of anything else (complete events,
 * async tracks, thread clocks, an end that does not fit ...) a half stops, and the events from there on are added in the usual
 * way: the helper's work counts only if the owner's half was done to its end. So the result never depends on luck or on
 * the number of threads.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/crew.h"
#include "model/slices.h"

#define WORTH 65536u    /* events */
#define OWNERS_SHARE 7u /* sixteenths of the events: the owner also binds flows meanwhile */
#define HALF_DEPTH 256u /* of both halves' stacks: together no deeper than slices may be */
#define ENDS_MAX 65536u /* ends without begin that the helper notes */
#define LOOK_UP 65536u  /* events between two looks at whether the work is still wanted */
#define TOUCH_ROWS 16384u

/* An end whose begin is not in the second half. */
typedef struct early_end {
    uint32_t event;
    uint32_t row; /* the half's first row after it */
} early_end;

/* What the flow ids of the event at a place bind to: PF_NONE as `open` stands for what is open from the first half, BEFORE as `slice` for
 * the slice that the last early end closes. */
typedef struct flow_note {
    uint32_t place, slice, open, ends;
} flow_note;

#define BEFORE (PF_NONE - 1)

/* What joining knows about a stack of the first half. */
typedef struct first_stack {
    uint32_t below;   /* the slice that the next early end closes */
    uint32_t settles; /* place of the first event that pops what is finished; PF_NONE if nothing is, or none comes */
} first_stack;

typedef struct half {
    pf_trace *t;
    const uint32_t *order;
    uint32_t from, to; /* places in the order */
    uint32_t first_row;
    pf_slice_run run;   /* with stacks of its own, that hold what began in the half */
    first_stack *first; /* by track */
    early_end *ends;
    uint32_t end_count;
    flow_note *notes;
    uint32_t note_count, note_room;
    const pf_flow_tracker *tracker;
    uint32_t flow_at; /* where the flow ids of the last event were found */
    atomic_bool unwanted;
} half;

/* ---- the helper's half ------------------------------------------------------------------------------------------- */

/* Pops the instants that are over; dur is 0 for another instant, else -1. */
static void settle(half *h, pf_stack *s, int64_t ts, int64_t dur)
{
    while (s->finished && (dur < 0 || pf_built_ts(h->t, s->top) < ts)) {
        s->top = h->t->slices.parent[s->top];
        s->depth--;
        s->finished--;
    }
}

/* Makes memory for more slices ready to be written. */
static void extend(half *h)
{
    uint32_t row = h->run.row, last = h->t->slices.room;
    h->run.room = last - row > TOUCH_ROWS ? row + TOUCH_ROWS : last;
    pf_columns_touch(&h->t->slices.columns, row, h->run.room);
}

static bool push(half *h, pf_stack *s, uint32_t event, uint32_t track, int64_t dur)
{
    pf_trace *t = h->t;
    if (!t->events.name[event] || s->depth >= h->run.deepest) {
        return false;
    }
    if (h->run.row == h->run.room) {
        extend(h);
    }
    uint32_t row = h->run.row++;
    t->slices.dur[row] = dur;
    t->slices.track[row] = track;
    t->slices.depth[row] = s->depth++;
    t->slices.parent[row] = s->top;
    t->slices.event[row] = event;
    t->slices.end_event[row] = PF_NONE;
    s->top = row;
    s->finished += dur == 0;
    return true;
}

/* The slice that the end closes; PF_NONE if the helper cannot tell. */
static uint32_t close_top(half *h, pf_stack *s, uint32_t event, int64_t ts)
{
    pf_trace *t = h->t;
    uint32_t top = s->top;
    if (top == PF_NONE) {
        if (h->end_count == ENDS_MAX) {
            return PF_NONE;
        }
        h->ends[h->end_count++] = (early_end){event, h->run.row};
        return BEFORE;
    }
    if (!pf_slice_fits(t, top, event)) {
        return PF_NONE;
    }
    t->slices.dur[top] = ts - pf_built_ts(t, top);
    t->slices.end_event[top] = event;
    s->top = t->slices.parent[top];
    s->depth--;
    return top;
}

/* An event that is not usual. False, and nothing but finished slices is gone from the stack, where the half has to stop in
 * front of it. */
static bool add_to_half(half *h, uint32_t place)
{
    const pf_trace *t = h->t;
    uint32_t event = h->order ? h->order[place] : place;
    uint8_t phase = t->events.phase[event];
    if (phase == 'C' || phase == 'M' || phase & PF_PHASE_BAD_TS) {
        return true;
    }
    uint32_t track = t->events.track[event], slice = PF_NONE;
    int64_t ts = t->events.ts[event];
    pf_stack *s = &h->run.stacks[track];
    uint8_t action = pf_phase_action(phase, s->async);
    if (ts < 0 || (action && !s->plain) || action == 'X') {
        return false;
    }
    if (action) {
        settle(h, s, ts, action == 'i' ? 0 : -1);
        if (action == 'E') {
            slice = close_top(h, s, event, ts);
        } else {
            slice = push(h, s, event, track, action == 'i' ? 0 : -1) ? s->top : PF_NONE;
        }
        if (slice == PF_NONE) {
            return false;
        }
        h->run.used[track] = 1;
        h->run.latest = slice == BEFORE ? h->run.latest : ts;
    }
    if (t->flow_refs.count && pf_flow_tracker_knows(h->tracker, event, &h->flow_at)) {
        h->notes[h->note_count++] = (flow_note){place, slice, h->run.stacks[s->home].top, h->end_count};
    }
    return true;
}

static void add_half(void *ctx, unsigned slot)
{
    half *h = ctx;
    (void)slot;
    uint32_t i = h->from;
    bool goes_on = true;
    while (i < h->to && goes_on && !atomic_load_explicit(&h->unwanted, memory_order_relaxed)) {
        uint32_t to = h->to - i > LOOK_UP ? i + LOOK_UP : h->to;
        i = pf_slices_run(&h->run, h->order, i, pf_slices_run_to(h->t, h->order, i, to, &h->flow_at));
        if (i < to) {
            goes_on = add_to_half(h, i);
            i += goes_on;
        }
    }
    h->to = i;
}

/* ---- the owner's half, and both together ------------------------------------------------------------------------- */

/* The owner's half, in steps whose pages are touched before. Returns how far it came. */
static pf_status add_first_half(pf_slice_builder *b, const half *h, uint32_t *done)
{
    pf_trace *t = b->t;
    pf_status st = PF_OK;
    uint32_t touched = 0, to = 0;
    while (st == PF_OK && *done == to && to < h->from) {
        to = h->from - to > TOUCH_ROWS ? to + TOUCH_ROWS : h->from;
        uint32_t rows = t->slices.count + TOUCH_ROWS < h->first_row ? t->slices.count + TOUCH_ROWS : h->first_row;
        if (rows > touched) {
            pf_columns_touch(&t->slices.columns, touched, rows);
            touched = rows;
        }
        st = pf_slices_add(b, h->order, *done, to, true, done);
    }
    return st;
}

/* The state of joining: the stacks are those of the first half until the end. */
typedef struct joint {
    pf_slice_builder *b;
    pf_trace *t;
    const half *h;
    uint32_t open; /* stacks that are not empty */
} joint;

static void pop_first(joint *j, pf_stack *s)
{
    s->top = j->t->slices.parent[s->top];
    j->open -= --s->depth == 0;
}

/* Pops what is finished on a stack of the first half: instants, and they lie on top. */
static void settle_first(joint *j, pf_stack *s)
{
    for (; s->finished; s->finished--) {
        pop_first(j, s);
    }
}

static uint32_t event_at(const half *h, uint32_t place)
{
    return h->order ? h->order[place] : place;
}

/* Looks for the events that pop what is finished on stacks of the first half. False if one of them is an instant at the same
 * time: it lies in the other one. */
static bool find_settlers(const pf_slice_builder *b, half *h)
{
    const pf_trace *t = b->t;
    uint32_t left = 0;
    for (uint32_t i = 0; i < b->stack_count; i++) {
        h->first[i].settles = PF_NONE;
        left += b->stacks[i].finished > 0;
    }
    for (uint32_t place = h->from; place < h->to && left; place++) {
        uint32_t event = event_at(h, place), track = t->events.track[event];
        uint8_t phase = t->events.phase[event];
        const pf_stack *s = &b->stacks[track];
        uint8_t action = s->finished && !(phase & PF_PHASE_BAD_TS) ? pf_phase_action(phase, s->async) : 0;
        if (!action || h->first[track].settles != PF_NONE) {
            continue;
        }
        if (action == 'i' && t->events.ts[event] == pf_built_ts(t, s->top)) {
            return false;
        }
        h->first[track].settles = place;
        left--;
    }
    return true;
}

/* Whether the second half can stand on the first one: no stack gets too deep, no instant lies in another one, and each early
 * end is for the slice on top. */
static bool can_join(const pf_slice_builder *b, half *h)
{
    const pf_trace *t = b->t;
    for (uint32_t i = 0; i < b->stack_count; i++) {
        const pf_stack *s = &b->stacks[i];
        uint32_t below = s->top;
        for (uint32_t k = 0; k < s->finished; k++) {
            below = t->slices.parent[below];
        }
        h->first[i].below = below;
        if (s->depth > HALF_DEPTH) {
            return false;
        }
    }
    for (uint32_t i = 0; i < h->end_count; i++) {
        uint32_t event = h->ends[i].event, *below = &h->first[t->events.track[event]].below;
        if (*below != PF_NONE) {
            if (!pf_slice_fits(t, *below, event)) {
                return false;
            }
            *below = t->slices.parent[*below];
        }
    }
    return find_settlers(b, h);
}

/* Depth and parent of the rows [from, to) of the second half: what is open from the first half lies below them. */
static void stand_on(joint *j, uint32_t from, uint32_t to)
{
    pf_trace *t = j->t;
    for (uint32_t row = from; row < to && j->open; row++) {
        pf_stack *s = &j->b->stacks[t->slices.track[row]];
        settle_first(j, s);
        t->slices.depth[row] += s->depth;
        if (t->slices.parent[row] == PF_NONE) {
            t->slices.parent[row] = s->top;
        }
    }
}

/* Closes the slice of the first half that an early end is for; PF_NONE if there is none. */
static uint32_t close_early(joint *j, uint32_t event)
{
    pf_trace *t = j->t;
    pf_stack *s = &j->b->stacks[t->events.track[event]];
    settle_first(j, s);
    uint32_t top = s->top;
    if (top != PF_NONE) {
        t->slices.dur[top] = t->events.ts[event] - pf_built_ts(t, top);
        t->slices.end_event[top] = event;
        j->b->latest = t->events.ts[event] > j->b->latest ? t->events.ts[event] : j->b->latest;
        pop_first(j, s);
    }
    return top;
}

static pf_status bind_flows(joint *j, uint32_t note, uint32_t closed)
{
    const flow_note *n = &j->h->notes[note];
    pf_stack *stacks = j->b->stacks;
    uint32_t event = event_at(j->h, n->place), home = stacks[j->t->events.track[event]].home;
    if (n->place >= j->h->first[home].settles) {
        settle_first(j, &stacks[home]);
    }
    return pf_flow_tracker_event(&j->b->flows, event, n->slice == BEFORE ? closed : n->slice,
                                 n->open == PF_NONE ? stacks[home].top : n->open, j->b->err);
}

/* The stacks as they are behind the second half. */
static void put_on_top(joint *j)
{
    for (uint32_t i = 0; i < j->b->stack_count; i++) {
        const pf_stack *own = &j->h->run.stacks[i];
        pf_stack *s = &j->b->stacks[i];
        j->t->tracks.used[i] |= j->h->run.used[i];
        if (j->h->first[i].settles != PF_NONE) {
            settle_first(j, s);
        }
        if (own->top != PF_NONE) {
            s->top = own->top;
            s->depth += own->depth;
            s->finished += own->finished;
            s->unsorted = true;
        }
    }
}

static pf_status join_halves(pf_slice_builder *b, const half *h)
{
    joint j = {.b = b, .t = b->t, .h = h};
    for (uint32_t i = 0; i < b->stack_count; i++) {
        j.open += b->stacks[i].depth > 0;
    }
    pf_status st = PF_OK;
    uint32_t row = h->first_row, note = 0, closed = PF_NONE;
    for (uint32_t i = 0; i <= h->end_count && st == PF_OK; i++) {
        for (; note < h->note_count && h->notes[note].ends == i && st == PF_OK; note++) {
            st = bind_flows(&j, note, closed);
        }
        uint32_t to = i < h->end_count ? h->ends[i].row : h->run.row;
        stand_on(&j, row, to);
        row = to;
        closed = i < h->end_count ? close_early(&j, h->ends[i].event) : PF_NONE;
    }
    put_on_top(&j);
    b->t->slices.count = h->run.row;
    b->latest = h->run.latest > b->latest ? h->run.latest : b->latest;
    return st;
}

/* ---- preparing --------------------------------------------------------------------------------------------------- */

/* Flows that wait for a slice to come are too much for a note. */
static bool any_waits(const pf_trace *t)
{
    bool any = false;
    for (uint32_t i = 0; i < t->flow_refs.count; i++) {
        any |= t->flow_refs.kind[i] == PF_FLOW_END_NEXT;
    }
    return any;
}

static inline uint32_t begins(uint8_t phase)
{
    return (phase == 'B') | (phase == 'i') | (phase == 'I') | (phase == 'R');
}

/* How many slices the events at places [from, to) begin if all of them are begins, ends and instants. */
static uint32_t count_slices(const pf_trace *t, const uint32_t *order, uint32_t from, uint32_t to)
{
    const uint8_t *phase = t->events.phase;
    uint32_t n = 0;
    if (order) {
        for (uint32_t i = from; i < to; i++) {
            n += begins(phase[order[i]]);
        }
        return n;
    }
    for (uint32_t i = from; i < to; i++) {
        n += begins(phase[i]);
    }
    return n;
}

static size_t bytes_of(const half *h, size_t part)
{
    const size_t tracks = h->t->tracks.count,
                 bytes[] = {tracks * sizeof *h->run.stacks, tracks * sizeof *h->run.used, tracks * sizeof *h->first,
                            ENDS_MAX * sizeof *h->ends, (size_t)h->note_room * sizeof *h->notes};
    return bytes[part];
}

/* The stacks are still empty when the helper gets its own. */
static bool prepare(half *h, const pf_slice_builder *b)
{
    pf_trace *t = h->t;
    uint32_t first_flow = h->order ? 0 : pf_rows_lower_bound(t->flow_refs.event, t->flow_refs.count, h->from);
    h->note_room = t->flow_refs.count - first_flow;
    h->flow_at = first_flow;
    h->run = (pf_slice_run){.t = t,
                            .stacks = pf_alloc(&t->budget, bytes_of(h, 0)),
                            .used = pf_alloc_zero(&t->budget, t->tracks.count, sizeof *h->run.used),
                            .marks = b->flows.marks.has,
                            .row = h->first_row,
                            .room = h->first_row,
                            .deepest = HALF_DEPTH,
                            .latest = INT64_MIN};
    h->first = pf_alloc(&t->budget, bytes_of(h, 2));
    h->ends = pf_alloc(&t->budget, bytes_of(h, 3));
    h->notes = pf_alloc(&t->budget, bytes_of(h, 4));
    if (!h->run.stacks || !h->run.used || !h->first || !h->ends || !h->notes) {
        return false;
    }
    memcpy(h->run.stacks, b->stacks, bytes_of(h, 0));
    return true;
}

static void free_half(half *h)
{
    void *const part[] = {h->run.stacks, h->run.used, h->first, h->ends, h->notes};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        pf_release(&h->t->budget, part[i], part[i] ? bytes_of(h, i) : 0);
    }
}

static pf_status add_halves(pf_slice_builder *b, half *h, pf_crew *crew, uint32_t *done)
{
    pf_crew_put(crew);
    b->row_end = h->first_row;
    pf_status st = add_first_half(b, h, done);
    b->row_end = PF_NONE;
    bool whole = st == PF_OK && *done == h->from && b->t->slices.count == h->first_row;
    atomic_store_explicit(&h->unwanted, !whole, memory_order_relaxed);
    pf_crew_take(crew);
    if (whole && can_join(b, h)) {
        *done = h->to;
        st = join_halves(b, h);
    }
    return st;
}

pf_status pf_slices_add_halves(pf_slice_builder *b, const uint32_t *order, uint32_t *done)
{
    pf_trace *t = b->t;
    uint32_t n = t->events.count;
    half h = {.t = t, .order = order, .from = n / 16 * OWNERS_SHARE, .to = n, .tracker = &b->flows};
    *done = 0;
    if (!t->budget.helped || n < WORTH || t->thread_times.count || any_waits(t)) {
        return PF_OK;
    }
    h.first_row = count_slices(t, order, 0, h.from);
    uint32_t rows = h.first_row + count_slices(t, order, h.from, n);
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
