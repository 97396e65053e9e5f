/* model/flows.h - from flow ids on events to arrows between slices, while the slices are built. */
#ifndef PF_MODEL_FLOWS_H
#define PF_MODEL_FLOWS_H

#include "model/gpu_flows.h"
#include "model/trace.h"

/* The time of a slice that was built already. */
static inline int64_t pf_built_ts(const pf_trace *t, uint32_t slice)
{
    return t->events.ts[t->slices.event[slice]];
}

/* One of Chrome's flows. */
typedef struct pf_chrome_flow {
    uint32_t last;   /* slice, or PF_NONE */
    uint32_t number; /* order of appearance, PF_NONE before it */
    uint32_t event;  /* the first one with its id, and so with its name and category */
} pf_chrome_flow;

typedef struct pf_flow_tracker {
    pf_trace *t;
    pf_map last;    /* flow id -> last slice */
    pf_map waiting; /* track -> newest entry of `wait`, for ends that bind to the next slice */
    struct {
        pf_chrome_flow *flow; /* by `place` */
        uint32_t count, next_number;
        bool direct;  /* the place is the id itself */
        pf_map place; /* else: id -> place */
    } chrome;
    uint32_t at; /* where the flow ids of the last event were found */
    struct {
        uint64_t *has;    /* a bit per event: it has flow ids; NULL where events are taken in file order */
        uint32_t *before; /* by 64 events: how many ids earlier ones have */
        uint32_t words;
    } marks;
    struct {
        uint32_t count, room;
        uint32_t *place;
        uint32_t *next;
        pf_columns columns;
    } wait;
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

/* The event was processed: `slice` is what it began, ended or is (PF_NONE if nothing), `open` the top of its track's
 * stack (PF_NONE if empty). */
pf_status pf_flow_tracker_event(pf_flow_tracker *f, uint32_t event, uint32_t slice, uint32_t open, pf_error *err);

pf_status pf_flow_tracker_release(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err);

/* A slice began on the track: flows that waited for it end there. */
static inline pf_status pf_flow_tracker_began(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err)
{
    return f->wait.count ? pf_flow_tracker_release(f, track, slice, err) : PF_OK;
}

#endif
