/* write/order.h - what must be known of all events before the first is written: flows, and an order of the samples. */
#ifndef PF_WRITE_ORDER_H
#define PF_WRITE_ORDER_H

#include "base/map.h"
#include "write/tracks.h"

typedef struct pf_flow_order {
    const pf_trace *t;
    pf_budget *budget;
    bool tied;      /* some flow is on two tracks at one time: the order among tracks counts */
    uint8_t *loose; /* by entry of flow_refs: an end that no arrow leads to */
    pf_map number;  /* Chrome's id -> order of appearance, which is what the flow table shows */
    pf_map arrows;  /* numbers that the flow table has */
    pf_map started; /* Chrome's ids that were started */
    pf_map seen;    /* flow id -> entry of flow_refs that had it last */
} pf_flow_order;

/* order: the processing order of the events, NULL for file order. */
pf_status pf_flow_order_init(pf_flow_order *f, const pf_trace *t, const uint32_t *order, pf_budget *budget,
                             pf_error *err);
void pf_flow_order_free(pf_flow_order *f);

static inline bool pf_flow_order_is_loose(const pf_flow_order *f, uint32_t entry)
{
    return f->loose && f->loose[entry];
}

/* A permutation of the samples: by counter, counters of one event (tracks.c, shares) together, in order of time. *order
 * is NULL if there are none, else budget memory of as many entries. */
pf_status pf_order_samples(const pf_track_writer *w, pf_budget *budget, uint32_t **order, pf_error *err);

#endif
