/* read/perfetto/event/packet_call_stacks.h - call stacks of events, as rows of the side tables. */
#ifndef PF_READ_PERFETTO_EVENT_PACKET_CALL_STACKS_H
#define PF_READ_PERFETTO_EVENT_PACKET_CALL_STACKS_H

#include "read/perfetto/import/import.h"

typedef struct pf_stacks {
    pf_import *im;
    pf_map rows;      /* frames and mappings by their number in im->legacy.keys */
    pf_map callsites; /* by parent and frame */
} pf_stacks;

void pf_stacks_init(pf_stacks *s, pf_import *im);
void pf_stacks_free(pf_stacks *s);

/* Adds the call stack of a TrackEvent, if it has one that is known; g is what its ids mean. */
pf_status pf_stacks_take(pf_stacks *s, uint32_t event, const uint8_t *bytes, size_t len, const pf_generation *g);

#endif
