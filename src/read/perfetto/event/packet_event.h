/* read/perfetto/event/packet_event.h - TrackEvents. */
#ifndef PF_READ_PERFETTO_EVENT_PACKET_EVENT_H
#define PF_READ_PERFETTO_EVENT_PACKET_EVENT_H

#include "read/perfetto/import/import.h"

/* A TrackEvent at that time. */
pf_status pf_import_event(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* Looks the unresolved ids up once more; counts those that stay unknown. */
pf_status pf_import_settle_names(pf_import *im);

#endif
