/* write/perfetto/convert/write_order.h - what must be known of all events before the first is written: flows, and an
 * order of the samples. */
#ifndef PF_WRITE_PERFETTO_CONVERT_WRITE_ORDER_H
#define PF_WRITE_PERFETTO_CONVERT_WRITE_ORDER_H

#include "base/map.h"
#include "write/perfetto/convert/complete_events.h"

typedef struct pf_flow_order {
    const pf_trace *t;
    const pf_complete *complete;
    pf_arena arena;
    bool tied;      /* some flow is on two tracks at one time: the order among tracks counts */
    uint8_t *loose; /* by entry of flow_refs: it comes to nothing, and need not be said */
    pf_map number;  /* Chrome's id -> order of appearance, which is what the flow table shows */
    pf_map arrows;  /* numbers that the flow table has */
    pf_map started; /* Chrome's id -> entry of flow_refs that started it */
    pf_map seen;    /* flow id -> entry of flow_refs that had it last */
    uint32_t *list; /* entries of flow_refs with Chrome's flows, in processing order */
    uint32_t *at;   /* by entry: its place in the list */
    uint32_t count; /* of the list */
    uint8_t *first; /* by entry: its id was not met before */
} pf_flow_order;

/* order: the processing order of the events, NULL for file order. complete: NULL without complete events. */
pf_status pf_flow_order_init(pf_flow_order *f, const pf_trace *t, const uint32_t *order, const pf_complete *complete,
                             pf_budget *budget, pf_error *err);
void pf_flow_order_free(pf_flow_order *f);

static inline bool pf_flow_order_is_loose(const pf_flow_order *f, uint32_t entry)
{
    return f->loose && f->loose[entry];
}

/* Whether Chrome's flow of an entry may be said at `ts`, before its time: no flow in between minds. Those of its track
 * move as well, and what holds one of them holds this one. */
bool pf_flow_order_may_move(const pf_flow_order *f, uint32_t entry, int64_t ts);

/* A permutation of the samples: by counter, counters of one event (write_tracks.c, shares) together, in order of time.
 * *order is NULL if there are none, else budget memory of as many entries. */
pf_status pf_order_samples(const pf_track_writer *w, pf_budget *budget, uint32_t **order, pf_error *err);

#endif
