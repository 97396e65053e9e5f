/* write/perfetto/convert/instants.h - instants that have a thread clock, and the flows that bind to them. */
#ifndef PF_WRITE_PERFETTO_CONVERT_INSTANTS_H
#define PF_WRITE_PERFETTO_CONVERT_INSTANTS_H

#include "write/perfetto/convert/complete_events.h"

typedef struct pf_instants {
    pf_arena arena;
    uint8_t *mark;       /* by event row; NULL: no instant has a clock */
    uint32_t *open;      /* by track row: those begun that have no end yet, */
    int64_t *since;      /* and their time */
    size_t rows, tracks; /* room of these */
} pf_instants;

/* order: the processing order of the events, NULL for file order. `complete` has the tracks of complete events; NULL
 * if none has a length. */
pf_status pf_instants_plan(pf_instants *p, const pf_trace *t, const uint32_t *order, const pf_complete *complete,
                           pf_budget *budget, pf_error *err);
void pf_instants_free(pf_instants *p);

/* Whether the instant is written as a begin. */
bool pf_instants_begins(pf_instants *p, uint32_t row, uint32_t track, int64_t ts);

/* The time of the packet of a flow event: its own, or that of the instant that it binds to. */
int64_t pf_instants_flow_time(const pf_instants *p, uint32_t row, uint32_t track, int64_t ts);

/* How many ends of such begins follow the row's packet. */
uint32_t pf_instants_ends(pf_instants *p, uint32_t row, uint32_t track);

#endif
