/* write/perfetto/convert/instants.c - instants that have a thread clock, and the flows that bind to them.
 *
 * Perfetto gives an instant that has a thread clock a thread duration of 0 when it comes in a packet, and none when it
 * comes in JSON. As a begin with a clock, and an end at the same time without one, it has none in a packet either. But
 * the stack of its track sees the difference: an instant stays on it until the next slice of the track comes, is the
 * parent of further ones of its time, and has flows bind to it; a begin that has its end is gone at once.
 *
 * So the instants of a track that follow each other at one time, a run, are begun one after the other, and their ends
 * come together after the last one. Flows that would find the last one still on the stack get a packet of the same
 * time, in front of these ends. That is the same for every stack, unless a complete event without length is in front of
 * an instant of the run (it would be gone when the instant begins), or a flow cannot move to the earlier time, because
 * another one of its id, or of a new id if its own is new, is in between. Such runs stay instants, and so do those
 * without a clock.
 *
 * A look along the processing order learns what is in front of each event on its track, one back what is after it. */
#include "write/perfetto/convert/converter.h"

enum { MARK_AFTER_EMPTY = 1, MARK_CLOCKED = 2, MARK_BEGINS = 4, MARK_ENDS = 8, MARK_MOVES = 16 };

typedef enum part { PART_NONE, PART_INSTANT, PART_EMPTY, PART_SLICE, PART_FLOW } part;

/* What the look knows of a track. */
typedef struct place {
    int64_t ts;
    uint32_t last;  /* back: the row after which the ends of a run belong, */
    uint32_t flows; /* the first flow after it in flow_refs, PF_NONE for none */
    uint8_t kind;   /* part of the event seen last */
    bool clocked;   /* an instant of the run has a clock */
    bool blocked;   /* forward: an empty slice is in front of the run */
    bool begun;     /* back: its instants are begun */
    bool instants;  /* back: it has some */
} place;

typedef struct look {
    const pf_trace *t;
    const uint32_t *order;
    const pf_complete *complete;
    const pf_flow_order *flows;
    pf_arena arena;
    place *places;
    uint8_t *mark;
    uint32_t *next; /* by entry of flow_refs: the next flow of the track that is after the same run, or PF_NONE */
} look;

static bool binds(uint8_t kind)
{
    return kind == PF_FLOW_START || kind == PF_FLOW_STEP || kind == PF_FLOW_END;
}

/* The flow of a flow event, PF_NONE if it has none. */
static uint32_t flow_of(const pf_trace *t, uint32_t row)
{
    return pf_rows_find(t->flow_refs.event, t->flow_refs.count, row, NULL);
}

static part part_of(const pf_trace *t, uint32_t row)
{
    const pf_events *e = pf_trace_events(t);
    uint8_t phase = e->phase[row];
    if (phase & PF_PHASE_BAD_TS || e->ts[row] < 0) {
        return PART_NONE;
    }
    if (phase == 's' || phase == 't' || phase == 'f') {
        uint32_t i = flow_of(t, row);
        return i != PF_NONE && binds(t->flow_refs.kind[i]) ? PART_FLOW : PART_NONE;
    }
    switch (pf_slice_action(t, row)) {
    case 'i':
        return PART_INSTANT;
    case 'X':
        return e->dur[row] == 0 ? PART_EMPTY : e->dur[row] > 0 ? PART_SLICE : PART_NONE;
    case 0:
        return PART_NONE;
    default:
        return PART_SLICE;
    }
}

static uint32_t track_of(const look *l, uint32_t row)
{
    return l->complete ? pf_complete_home(l->complete, row)
                       : pf_trace_home_track(l->t, pf_trace_events(l->t)->track[row]);
}

static bool is_clocked(const pf_trace *t, uint32_t row)
{
    int64_t us[4];
    return pf_trace_tracks(t)->utid[pf_trace_events(t)->track[row]] != PF_NONE && pf_thread_clock_us(t, row, us);
}

static void look_forward(look *l, uint32_t row)
{
    part kind = part_of(l->t, row);
    place *at = &l->places[track_of(l, row)];
    int64_t ts = pf_trace_events(l->t)->ts[row];
    if (kind == PART_NONE || kind == PART_FLOW) {
        return;
    }
    bool goes_on = at->ts == ts && (at->kind == PART_INSTANT || at->kind == PART_EMPTY);
    bool blocked = goes_on && (at->blocked || (kind == PART_INSTANT && at->kind == PART_EMPTY));
    bool clocked = goes_on && at->clocked;
    if (kind == PART_INSTANT) {
        clocked = clocked || is_clocked(l->t, row);
        l->mark[row] = (uint8_t)((blocked ? MARK_AFTER_EMPTY : 0) | (clocked ? MARK_CLOCKED : 0));
    }
    *at = (place){.ts = ts, .kind = (uint8_t)kind, .blocked = blocked, .clocked = clocked};
}

/* Moves the flows after a run that ends with `run->last`, or none of them. */
static bool move_flows(look *l, place *run)
{
    const pf_trace *t = l->t;
    uint32_t last = run->last;
    for (uint32_t i = run->flows; i != PF_NONE; i = l->next[i]) {
        uint32_t row = t->flow_refs.event[i];
        bool in_file_order = l->complete || row > last; /* ties go by the order in which packets are written */
        if (!in_file_order ||
            (pf_trace_events(t)->ts[row] != run->ts && !pf_flow_order_may_move(l->flows, i, run->ts, true))) {
            return false;
        }
        last = row;
    }
    for (uint32_t i = run->flows; i != PF_NONE; i = l->next[i]) {
        l->mark[t->flow_refs.event[i]] |= MARK_MOVES;
    }
    run->last = last;
    return true;
}

/* What is to be known of `row` when the events before it are visited. */
static void look_back(look *l, uint32_t row)
{
    part kind = part_of(l->t, row);
    place *at = &l->places[track_of(l, row)];
    int64_t ts = pf_trace_events(l->t)->ts[row];
    bool in_run = at->ts == ts && (at->kind == PART_INSTANT || at->kind == PART_EMPTY);
    if (kind == PART_NONE || (kind == PART_FLOW && in_run)) {
        return;
    }
    place now = {.ts = ts, .last = row, .flows = at->kind == PART_FLOW ? at->flows : PF_NONE};
    if (kind == PART_FLOW) {
        uint32_t i = flow_of(l->t, row);
        l->next[i] = now.flows;
        now.flows = i;
    } else if (kind == PART_SLICE) {
        now.flows = PF_NONE;
    } else if (in_run) {
        now = *at;
    }
    if (kind == PART_EMPTY && now.instants) { /* between instants: those before it cannot be begun either */
        now.blocked = true;
    }
    if (kind == PART_INSTANT) {
        bool free = !now.blocked && !(l->mark[row] & MARK_AFTER_EMPTY);
        if (!now.instants && free && l->mark[row] & MARK_CLOCKED) {
            now.begun = move_flows(l, &now);
            l->mark[now.last] |= now.begun ? MARK_ENDS : 0;
        }
        now.instants = true;
        l->mark[row] |= now.begun && free ? MARK_BEGINS : 0;
    }
    now.kind = (uint8_t)kind;
    *at = now;
}

static bool any_clock(const pf_trace *t)
{
    for (uint32_t i = 0; i < t->thread_times.count; i++) {
        uint32_t row = t->thread_times.event[i];
        if (row < pf_trace_events(t)->count && part_of(t, row) == PART_INSTANT && is_clocked(t, row)) {
            return true;
        }
    }
    return false;
}

static pf_status start_look(look *l, pf_instants *p, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(&p->arena, p->mark, p->rows, err));
    PF_TRY(PF_ARENA_NEW(&p->arena, p->open, p->tracks, err));
    PF_TRY(PF_ARENA_NEW(&p->arena, p->since, p->tracks, err));
    l->mark = p->mark;
    PF_TRY(PF_ARENA_NEW(&l->arena, l->places, p->tracks, err));
    return PF_ARENA_NEW(&l->arena, l->next, l->t->flow_refs.count, err);
}

static pf_status look_both_ways(look *l, pf_instants *p, pf_error *err)
{
    uint32_t count = pf_trace_events(l->t)->count;
    PF_TRY(start_look(l, p, err));
    for (uint32_t i = 0; i < count; i++) {
        look_forward(l, l->order ? l->order[i] : i);
    }
    memset(l->places, 0, p->tracks * sizeof *l->places);
    for (uint32_t i = count; i-- > 0;) {
        look_back(l, l->order ? l->order[i] : i);
    }
    return PF_OK;
}

pf_status pf_instants_plan(pf_instants *p, const pf_flow_order *flows, const uint32_t *order, pf_budget *budget,
                           pf_error *err)
{
    const pf_trace *t = flows->t;
    *p = (pf_instants){.rows = pf_trace_events(t)->count, .tracks = pf_trace_tracks(t)->count};
    pf_arena_init(&p->arena, budget);
    if (!any_clock(t)) {
        return PF_OK;
    }
    look l = {.t = t, .order = order, .complete = flows->complete, .flows = flows};
    pf_arena_init(&l.arena, budget);
    pf_status st = look_both_ways(&l, p, err);
    pf_arena_free(&l.arena);
    return st;
}

void pf_instants_free(pf_instants *p)
{
    pf_arena_free(&p->arena);
    *p = (pf_instants){0};
}

bool pf_instants_begins(pf_instants *p, uint32_t row, uint32_t track, int64_t ts)
{
    bool begins = p->mark && p->mark[row] & MARK_BEGINS;
    if (begins) {
        p->open[track]++;
        p->since[track] = ts;
    }
    return begins;
}

int64_t pf_instants_flow_time(const pf_instants *p, uint32_t row, uint32_t track, int64_t ts)
{
    return p->mark && p->mark[row] & MARK_MOVES ? p->since[track] : ts;
}

uint32_t pf_instants_ends(pf_instants *p, uint32_t row, uint32_t track)
{
    uint32_t ends = p->mark && p->mark[row] & MARK_ENDS ? p->open[track] : 0;
    if (ends) {
        p->open[track] = 0;
    }
    return ends;
}
