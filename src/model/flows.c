/* model/flows.c - one map from flow id to the slice it was seen on last (specs/perfetto.md 6.6).
 *
 * Track event flows: the first slice with an id starts the flow, every further one gets an arrow from the one before; a
 * terminating id ends it, so that the id may be used again. Chrome's s/t/f flows say start, step and end themselves and
 * bind to the slice open at their time; an end may also wait for the next slice on its track. Both kinds live in one id
 * space, as their slices do in one table.
 */
#include "model/flows.h"

/* Flow ids between the one at hand and the one whose place in the map is fetched. */
#define AHEAD 8u

/* Chrome ids are interned numbers that must not meet track event ids: they are mapped to the far end of the space. */
#define CHROME_ID(id) (~(uint64_t)(id))

pf_status pf_flow_tracker_init(pf_flow_tracker *f, pf_trace *t, pf_error *err)
{
    *f = (pf_flow_tracker){.t = t};
    pf_map_init(&f->last, &t->budget);
    pf_map_init(&f->number, &t->budget);
    pf_map_init(&f->waiting, &t->budget);
    pf_columns_init(&f->wait.columns, &t->budget, "waiting flows");
    pf_status st = pf_columns_add(&f->wait.columns, (void **)&f->wait.id, sizeof *f->wait.id, err);
    st = st == PF_OK ? pf_columns_add(&f->wait.columns, (void **)&f->wait.next, sizeof *f->wait.next, err) : st;
    return st == PF_OK ? pf_gpu_flows_init(&f->gpu, t, err) : st;
}

void pf_flow_tracker_free(pf_flow_tracker *f)
{
    pf_map_free(&f->last);
    pf_map_free(&f->number);
    pf_map_free(&f->waiting);
    pf_columns_free(&f->wait.columns);
    pf_gpu_flows_free(&f->gpu);
}

static pf_status remember(pf_flow_tracker *f, pf_map *map, uint64_t key, uint32_t value, pf_error *err)
{
    return pf_map_set(map, key, value) ? PF_OK : pf_budget_refused(&f->t->budget, 1u << 12, err);
}

/* Slices are forgotten by the value `ended`, since the map deletes nothing. */
static const uint32_t ended = PF_NONE - 1;

static uint32_t last_slice(const pf_flow_tracker *f, uint64_t key)
{
    uint32_t slice = pf_map_get(&f->last, key);
    return slice == ended ? PF_NONE : slice;
}

static pf_status add_arrow(pf_flow_tracker *f, uint32_t from, uint32_t to, uint64_t trace_id, pf_error *err)
{
    pf_trace *t = f->t;
    uint32_t row = t->flows.count;
    if (row == t->flows.room) {
        pf_status st = pf_columns_grow(&t->flows.columns, (uint64_t)row + 1, &t->flows.room, err);
        if (st != PF_OK) {
            return st;
        }
    }
    bool swapped = pf_built_ts(t, to) < pf_built_ts(t, from);
    t->flows.slice_out[row] = swapped ? to : from;
    t->flows.slice_in[row] = swapped ? from : to;
    t->flows.trace_id[row] = trace_id;
    t->flows.count++;
    return PF_OK;
}

/* flow_ids and terminating_flow_ids of a track event. */
static pf_status track_event_flow(pf_flow_tracker *f, uint64_t id, bool terminate, uint32_t slice, pf_error *err)
{
    uint32_t from = last_slice(f, id);
    if (slice == PF_NONE || (terminate && from == PF_NONE)) {
        return PF_OK;
    }
    pf_status st = from == PF_NONE ? PF_OK : add_arrow(f, from, slice, id, err);
    return st == PF_OK ? remember(f, &f->last, id, terminate ? ended : slice, err) : st;
}

static pf_status chrome_number(pf_flow_tracker *f, uint64_t id, uint32_t *number, pf_error *err)
{
    *number = pf_map_get(&f->number, id);
    if (*number != PF_NONE) {
        return PF_OK;
    }
    *number = f->next_number++;
    return remember(f, &f->number, id, *number, err);
}

static pf_status chrome_arrow(pf_flow_tracker *f, uint64_t id, uint32_t from, uint32_t slice, pf_error *err)
{
    uint32_t number = 0;
    pf_status st = chrome_number(f, id, &number, err);
    return st == PF_OK ? add_arrow(f, from, slice, number, err) : st;
}

static pf_status wait_for_next(pf_flow_tracker *f, uint32_t track, uint64_t id, pf_error *err)
{
    uint32_t i = f->wait.count;
    if (i == f->wait.room) {
        pf_status st = pf_columns_grow(&f->wait.columns, (uint64_t)i + 1, &f->wait.room, err);
        if (st != PF_OK) {
            return st;
        }
    }
    uint32_t newest = pf_map_get(&f->waiting, track);
    f->wait.id[i] = id;
    f->wait.next[i] = newest == ended ? PF_NONE : newest;
    f->wait.count++;
    return remember(f, &f->waiting, track, i, err);
}

/* A start, step or end at the slice `open`; `key` is the flow's in `last`, `id` what its arrows show. */
static pf_status bind_flow(pf_flow_tracker *f, uint64_t key, uint64_t id, pf_flow_kind kind, uint32_t open,
                           pf_error *err)
{
    uint32_t from = last_slice(f, key);
    if (open == PF_NONE) {
        pf_trace_count(f->t, PF_STAT_FLOW_NO_SLICE, PF_NOWHERE);
        return PF_OK;
    }
    if (kind == PF_FLOW_START) {
        if (from != PF_NONE) {
            pf_trace_count(f->t, PF_STAT_FLOW_DUPLICATE, PF_NOWHERE);
            return PF_OK;
        }
        return remember(f, &f->last, key, open, err);
    }
    if (from == PF_NONE) {
        pf_trace_count(f->t, kind == PF_FLOW_STEP ? PF_STAT_FLOW_STEP_NO_START : PF_STAT_FLOW_END_NO_START, PF_NOWHERE);
        return PF_OK;
    }
    pf_status st = add_arrow(f, from, open, id, err);
    return st == PF_OK && kind == PF_FLOW_STEP ? remember(f, &f->last, key, open, err) : st;
}

static pf_status chrome_flow(pf_flow_tracker *f, uint32_t event, uint64_t id, pf_flow_kind kind, uint32_t open,
                             pf_error *err)
{
    uint32_t number = 0;
    pf_status st = chrome_number(f, id, &number, err);
    if (st != PF_OK) {
        return st;
    }
    return kind == PF_FLOW_END_NEXT ? wait_for_next(f, pf_trace_home_track(f->t, f->t->events.track[event]), id, err)
                                    : bind_flow(f, CHROME_ID(id), number, kind, open, err);
}

pf_status pf_flow_tracker_event(pf_flow_tracker *f, uint32_t event, uint32_t slice, uint32_t open, pf_error *err)
{
    const pf_trace *t = f->t;
    pf_status st = PF_OK;
    uint32_t i = pf_rows_seek(t->flow_refs.event, t->flow_refs.count, event, &f->at);
    if (t->flow_refs.count - i > AHEAD) { /* the ids of the events to come, in file order, lie all over the map */
        pf_map_prefetch(&f->last, t->flow_refs.id[i + AHEAD]);
    }
    for (; st == PF_OK && i < t->flow_refs.count && t->flow_refs.event[i] == event; i++) {
        uint64_t id = t->flow_refs.id[i];
        pf_flow_kind kind = t->flow_refs.kind[i];
        if (kind == PF_FLOW_FLOW || kind == PF_FLOW_TERMINATE) {
            st = track_event_flow(f, id, kind == PF_FLOW_TERMINATE, slice, err);
        } else if (kind >= PF_FLOW_GPU_STAGE) {
            st = slice == PF_NONE ? PF_OK : pf_gpu_flows_add(&f->gpu, id, kind, slice, err);
        } else if (kind >= PF_FLOW_BIND_START && kind <= PF_FLOW_BIND_END) {
            st = slice == PF_NONE ? PF_OK
                                  : bind_flow(f, id, id, PF_FLOW_START + (kind - PF_FLOW_BIND_START), slice, err);
        } else {
            st = chrome_flow(f, event, id, kind, open, err);
        }
    }
    return st;
}

pf_status pf_flow_tracker_release(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err)
{
    uint32_t i = pf_map_get(&f->waiting, track);
    if (i == PF_NONE || i == ended) {
        return PF_OK;
    }
    pf_status st = remember(f, &f->waiting, track, ended, err);
    for (; st == PF_OK && i != PF_NONE; i = f->wait.next[i]) {
        uint64_t id = f->wait.id[i];
        uint32_t from = last_slice(f, CHROME_ID(id));
        if (from == PF_NONE) {
            pf_trace_count(f->t, PF_STAT_FLOW_END_NO_START, PF_NOWHERE);
        } else {
            st = chrome_arrow(f, id, from, slice, err);
        }
    }
    return st;
}
