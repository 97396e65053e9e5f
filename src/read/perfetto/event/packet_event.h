/* read/perfetto/event/packet_event.h - TrackEvents. */
#ifndef PF_READ_PERFETTO_EVENT_PACKET_EVENT_H
#define PF_READ_PERFETTO_EVENT_PACKET_EVENT_H

#include "read/perfetto/import/import.h"

/* packet_event.c: a TrackEvent at that time. */
pf_status pf_import_event(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* packet_event.c: after the last packet, looks the unresolved ids up once more; counts those that stay unknown. */
pf_status pf_import_settle_names(pf_import *im);

/* legacy.c: groups the tracks of asynchronous operations; once, after the last event. */
pf_status pf_import_group_operations(pf_import *im);

/* legacy.c: all descriptors are known: events that stand on no thread's track, but would have to, vanish. */
void pf_import_settle_waiting(pf_import *im);

/* logs_and_stacks.c: log messages and call stacks of events; once, when all events are in place. */
pf_status pf_import_logs_and_stacks(pf_import *im);

/* packet_call_stacks.c: call stacks of events, as rows of the side tables. */
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
