/* write/perfetto/convert/write_order.c - what must be known of all events before the first is written: flows, and
 * an order of the samples.
 *
 * The pass over the flows follows the processing order and does what the flow tracker of the model does, as far as
 * writing needs it: number Chrome's ids by appearance, note which were started, and compare neighbours of one id. */
#include "write/perfetto/convert/converter.h"

#include "base/list.h"

/* Flows that are tried before one is taken to be in the way. */
#define LOOK_BACK 64u

/* The track that the event is written with. */
static uint32_t home_of(const pf_flow_order *f, uint32_t row)
{
    return f->complete ? pf_complete_home(f->complete, row)
                       : pf_trace_home_track(f->t, pf_trace_events(f->t)->track[row]);
}

/* One flow of an event. False if memory was refused. */
static bool take(pf_flow_order *f, uint32_t i)
{
    const pf_trace *t = f->t;
    const pf_events *e = pf_trace_events(t);
    uint64_t id = t->flow_refs.id[i];
    uint8_t kind = t->flow_refs.kind[i];
    bool chrome = kind >= PF_FLOW_START && kind <= PF_FLOW_END_NEXT;
    uint64_t key = chrome ? ~id : id;
    uint32_t row = t->flow_refs.event[i], last = pf_map_get(&f->seen, key), number = 0;
    if (last != PF_NONE) {
        uint32_t other = t->flow_refs.event[last];
        f->tied = f->tied || (e->ts[other] == e->ts[row] && home_of(f, other) != home_of(f, row));
    }
    if (!pf_map_set(&f->seen, key, i)) {
        return false;
    }
    if (!chrome) {
        return true;
    }
    number = pf_map_get(&f->number, id);
    f->first[i] = number == PF_NONE;
    f->at[i] = f->count;
    f->list[f->count++] = i;
    if (number == PF_NONE) {
        number = (uint32_t)f->number.count;
        if (!pf_map_set(&f->number, id, number)) {
            return false;
        }
    }
    bool started = pf_map_get(&f->started, id) != PF_NONE;
    if (t->flow_refs.bound) {
        bool binds = t->flow_refs.bound[i] != pf_flow_bound(PF_NONE);
        f->loose[i] = kind != PF_FLOW_END_NEXT && (!binds || started == (kind == PF_FLOW_START)) && !f->first[i];
        return kind != PF_FLOW_START || !binds || started || pf_map_set(&f->started, id, i);
    }
    if (kind == PF_FLOW_START) {
        return pf_map_set(&f->started, id, i);
    }
    f->loose[i] = kind == PF_FLOW_END_NEXT && (!started || pf_map_get(&f->arrows, number) == PF_NONE);
    return true;
}

/* Whether the flow of an end that waits has begun when the slice begins that it waits for. At equal times complete
 * events of a length come in front of flows, and everything else in the order of the file. */
static bool leads_to(const pf_flow_order *f, uint32_t start, uint32_t slice)
{
    const pf_events *e = pf_trace_events(f->t);
    uint32_t from = f->t->flow_refs.event[start], to = pf_trace_slices(f->t)->event[slice];
    bool in_front = e->phase[to] == 'X' && e->dur[to] > 0;
    return e->ts[from] != e->ts[to] ? e->ts[from] < e->ts[to] : !in_front && from < to;
}

/* Ends that wait for a slice: which of them come to nothing is known when all starts are. */
static void find_loose_ends(pf_flow_order *f)
{
    const pf_trace *t = f->t;
    for (uint32_t k = 0; k < f->count && t->flow_refs.bound; k++) {
        uint32_t i = f->list[k], bound = t->flow_refs.bound[i];
        if (t->flow_refs.kind[i] == PF_FLOW_END_NEXT) {
            uint32_t start = pf_map_get(&f->started, t->flow_refs.id[i]);
            f->loose[i] = start == PF_NONE || !bound || !leads_to(f, start, bound - pf_flow_bound(0));
        }
    }
}

static pf_status take_all(pf_flow_order *f, const uint32_t *order, pf_error *err)
{
    const pf_trace *t = f->t;
    const pf_events *e = pf_trace_events(t);
    const pf_flows *arrows = pf_trace_flows(t);
    size_t flows = t->flow_refs.count;
    PF_TRY(PF_ARENA_NEW(&f->arena, f->loose, flows, err));
    PF_TRY(PF_ARENA_NEW(&f->arena, f->first, flows, err));
    PF_TRY(PF_ARENA_NEW(&f->arena, f->list, flows, err));
    PF_TRY(PF_ARENA_NEW(&f->arena, f->at, flows, err));
    bool taken = true;
    for (uint32_t i = 0; i < arrows->count && taken; i++) {
        taken = pf_map_set(&f->arrows, arrows->trace_id[i], 0);
    }
    for (uint32_t i = 0; i < e->count && taken; i++) {
        uint32_t row = order ? order[i] : i;
        if (e->phase[row] & PF_PHASE_BAD_TS || e->ts[row] < 0) {
            continue;
        }
        uint32_t k = pf_rows_lower_bound(t->flow_refs.event, t->flow_refs.count, row);
        for (; k < t->flow_refs.count && t->flow_refs.event[k] == row && taken; k++) {
            taken = take(f, k);
        }
    }
    find_loose_ends(f);
    return taken ? PF_OK : pf_budget_refused(f->arena.budget, flows * 16, err);
}

pf_status pf_flow_order_init(pf_flow_order *f, const pf_trace *t, const uint32_t *order, const pf_complete *complete,
                             pf_budget *budget, pf_error *err)
{
    *f = (pf_flow_order){.t = t, .complete = complete};
    pf_arena_init(&f->arena, budget);
    pf_map_init(&f->number, budget);
    pf_map_init(&f->arrows, budget);
    pf_map_init(&f->started, budget);
    pf_map_init(&f->seen, budget);
    return t->flow_refs.count ? take_all(f, order, err) : PF_OK;
}

void pf_flow_order_free(pf_flow_order *f)
{
    pf_arena_free(&f->arena);
    pf_map_free(&f->number);
    pf_map_free(&f->arrows);
    pf_map_free(&f->started);
    pf_map_free(&f->seen);
    f->loose = f->first = NULL;
    f->list = f->at = NULL;
}

bool pf_flow_order_may_move(const pf_flow_order *f, uint32_t entry, int64_t ts, bool of_instant)
{
    const pf_trace *t = f->t;
    const pf_events *e = pf_trace_events(t);
    uint32_t at = f->at[entry], home = pf_trace_home_track(t, e->track[t->flow_refs.event[entry]]);
    int64_t since = e->ts[t->flow_refs.event[entry]];
    for (uint32_t n = 0; at > 0; n++) {
        uint32_t other = f->list[--at], row = t->flow_refs.event[other];
        if (e->ts[row] < ts) {
            return true;
        }
        uint32_t bound = t->flow_refs.bound ? t->flow_refs.bound[other] : 0;
        bool waits = t->flow_refs.kind[other] == PF_FLOW_END_NEXT && bound &&
                     pf_slice_ts(pf_trace_slices(t), bound - pf_flow_bound(0)) > since;
        bool moves_too = pf_trace_home_track(t, e->track[row]) == home && t->flow_refs.kind[other] != PF_FLOW_END_NEXT;
        bool minds = t->flow_refs.id[other] == t->flow_refs.id[entry] || (f->first[entry] && f->first[other]);
        bool passes = !of_instant && (waits || (f->loose[other] && !f->first[other]));
        bool in_way = minds && !moves_too && !passes;
        if (n == LOOK_BACK || in_way) {
            return false;
        }
    }
    return true;
}

/* The first counter track of the process whose samples come from events of the same name, by track. */
static bool find_leaders(const pf_track_writer *w, uint32_t *leader)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    pf_map first;
    bool noted = true;
    pf_map_init(&first, w->who->budget);
    for (uint32_t i = 0; i < tr->count && noted; i++) {
        uint64_t key = (uint64_t)tr->upid[i] << 32 | w->share[i];
        uint32_t found = w->share[i] ? pf_map_get(&first, key) : i;
        noted = found != PF_NONE || pf_map_set(&first, key, i);
        leader[i] = found == PF_NONE ? i : found;
    }
    pf_map_free(&first);
    return noted;
}

static pf_status sort_samples(const pf_track_writer *w, pf_arena *arena, uint32_t *sorted, pf_error *err)
{
    const pf_counters *k = pf_trace_counters(w->who->t);
    size_t tracks = (size_t)pf_trace_tracks(w->who->t)->count + 1;
    uint32_t *start, *leader;
    PF_TRY(PF_ARENA_NEW(arena, start, tracks, err));
    PF_TRY(PF_ARENA_NEW(arena, leader, tracks, err));
    PF_TRY(find_leaders(w, leader) ? PF_OK : pf_budget_refused(arena->budget, tracks, err));
    for (uint32_t i = 0; i < k->count; i++) {
        start[leader[k->track[i]] + 1]++;
    }
    for (size_t i = 1; i < tracks; i++) {
        start[i] += start[i - 1];
    }
    for (uint32_t i = 0; i < k->count; i++) {
        sorted[start[leader[k->track[i]]]++] = i;
    }
    return PF_OK;
}

pf_status pf_order_samples(const pf_track_writer *w, pf_budget *budget, uint32_t **order, pf_error *err)
{
    uint32_t count = pf_trace_counters(w->who->t)->count;
    pf_arena arena;
    *order = NULL;
    if (count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_NEW(budget, *order, count, err));
    pf_arena_init(&arena, budget);
    pf_status st = sort_samples(w, &arena, *order, err);
    pf_arena_free(&arena);
    return st;
}
