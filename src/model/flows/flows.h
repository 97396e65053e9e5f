/* model/flows/flows.h - arrows between slices: what is known of flow ids while slices are built. */
#pragma once

#include "model/trace/trace.h"

/* ---- gpu_flows.c ------------------------------------------------------------------------------------------------- */

/* What waits for things of some key: a list for each key, the latest first. The map deletes nothing; a list that was
 * taken is empty. */
typedef struct pf_waiting {
    pf_map newest; /* key -> entry */
    uint32_t count, room;
    uint32_t *item, *next; /* by entry; next: PF_NONE ends the list */
    pf_columns columns;
} pf_waiting;

pf_status pf_waiting_init(pf_waiting *w, pf_budget *budget, pf_error *err);
void pf_waiting_free(pf_waiting *w);
pf_status pf_waiting_add(pf_waiting *w, uint64_t key, uint32_t item, pf_error *err);

/* The first entry of the list, which is empty from now on; PF_NONE: it was. */
uint32_t pf_waiting_take(pf_waiting *w, uint64_t key);

typedef struct pf_gpu_flows {
    pf_trace *t;
    /* By the id of GPU work: its latest slice, the latest slices that submit and await it, slices of work that waits
     * for it and found no slice yet. */
    pf_map work, submit, await;
    pf_waiting after;
} pf_gpu_flows;

pf_status pf_gpu_flows_init(pf_gpu_flows *f, pf_trace *t, pf_error *err);
void pf_gpu_flows_free(pf_gpu_flows *f);

/* A slice takes part in the GPU work `id`, in one of the GPU kinds. */
pf_status pf_gpu_flows_add(pf_gpu_flows *f, uint64_t id, pf_flow_kind kind, uint32_t slice, pf_error *err);

/* ---- flows.c ----------------------------------------------------------------------------------------------------- */

/* The time of a slice that was built already. */
static inline int64_t pf_built_ts(const pf_trace *t, uint32_t slice)
{
    return t->events.ts[t->slices.event[slice]];
}

/* Ids of flows. Where they differ in a few neighbouring bits only, as numbers that count up do, an id gives its place
 * in a table. */
typedef struct pf_flow_ids {
    uint32_t count;  /* of events with such an id */
    uint32_t places; /* of the table; 0: there is none */
    uint64_t differ; /* bits that some ids have and others have not */
    unsigned shift;  /* bits below those */
} pf_flow_ids;

static inline uint32_t pf_flow_ids_place(const pf_flow_ids *ids, uint64_t id)
{
    return (uint32_t)((id & ids->differ) >> ids->shift);
}

/* One of Chrome's flows; zeroed memory before it appears. */
typedef struct pf_chrome_flow {
    uint32_t last;   /* slice, counted from 1, or 0 */
    uint32_t number; /* in the order of appearance, counted from 1 */
    uint32_t event;  /* the first one with its id, and so with its name and category */
} pf_chrome_flow;

typedef struct pf_flow_tracker {
    pf_trace *t;
    struct {
        pf_flow_ids ids;
        uint32_t *slice; /* by place of the id: the last slice, counted from 1, or 0 */
        pf_map by_id;    /* where ids have no places: id -> last slice */
    } last;
    struct {
        pf_flow_ids ids;
        pf_chrome_flow *flow; /* by place of the id, or in the order of appearance: */
        uint32_t count, next_number;
        pf_map place; /* id -> place */
    } chrome;
    uint32_t at;       /* where the flow ids of the last event were found */
    uint32_t finished; /* rows of flow_refs, or places of the order, up to which pf_flow_tracker_finish came */
    uint32_t *bound;   /* by row of flow_refs, as pf_flow_bound says; NULL: ids are bound as their events are taken */
    struct {
        uint64_t *has;    /* a bit per event: it has flow ids; NULL where events are taken in file order */
        uint32_t *before; /* by 64 events: how many ids earlier ones have */
        uint32_t words;
    } marks;
    pf_waiting wait; /* by track: rows of flow_refs with ends that bind to the next slice */
    pf_gpu_flows gpu;
} pf_flow_tracker;

/* ordered: events will not come in file order. */
pf_status pf_flow_tracker_init(pf_flow_tracker *f, pf_trace *t, bool ordered, pf_error *err);
void pf_flow_tracker_free(pf_flow_tracker *f);

/* Whether the event carries flow ids. *at: where those of the last event that was asked for lie. */
static inline bool pf_flow_tracker_knows(const pf_flow_tracker *f, uint32_t event, uint32_t *at)
{
    if (f->marks.has) {
        return f->marks.has[event / 64] >> event % 64 & 1;
    }
    const pf_trace *t = f->t;
    uint32_t i = pf_rows_seek(t->flow_refs.event, t->flow_refs.count, event, at);
    return i < t->flow_refs.count && t->flow_refs.event[i] == event;
}

static inline bool pf_flow_tracker_has(pf_flow_tracker *f, uint32_t event)
{
    return pf_flow_tracker_knows(f, event, &f->at);
}

/* The slow half of the next function. */
uint32_t pf_flow_tracker_seek(const pf_flow_tracker *f, uint32_t event, uint32_t *at);

/* Where the ids of the event are, which has some: mostly after those of the last event. *at as above. */
static inline uint32_t pf_flow_tracker_first(const pf_flow_tracker *f, uint32_t event, uint32_t *at)
{
    const pf_trace *t = f->t;
    uint32_t i = *at;
    return i < t->flow_refs.count && t->flow_refs.event[i] == event && (i == 0 || t->flow_refs.event[i - 1] < event)
               ? i
               : pf_flow_tracker_seek(f, event, at);
}

/* The event was processed: `slice` is what it began, ended or is (PF_NONE if nothing), `open` the top of its track's
 * stack (PF_NONE if empty). Notes that, for pf_flow_tracker_finish, where f->bound is, and *at as above. */
static inline void pf_flow_tracker_note(const pf_flow_tracker *f, uint32_t event, uint32_t slice, uint32_t open,
                                        uint32_t *at)
{
    const pf_trace *t = f->t;
    uint32_t i = pf_flow_tracker_first(f, event, at);
    for (; i < t->flow_refs.count && t->flow_refs.event[i] == event; i++) {
        f->bound[i] = pf_flow_bound(pf_flow_is_chrome(t->flow_refs.kind[i]) ? open : slice);
    }
    *at = i;
}

/* The same, or binds the ids at once. */
pf_status pf_flow_tracker_event(pf_flow_tracker *f, uint32_t event, uint32_t slice, uint32_t open, pf_error *err);

/* Binds what was noted for the events in front of place `to`, in their order; after what was bound before. */
pf_status pf_flow_tracker_finish(pf_flow_tracker *f, const uint32_t *order, uint32_t to, pf_error *err);

pf_status pf_flow_tracker_release(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err);

/* A slice began on the track: flows that waited for it end there. */
static inline pf_status pf_flow_tracker_began(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err)
{
    return f->wait.count ? pf_flow_tracker_release(f, track, slice, err) : PF_OK;
}
