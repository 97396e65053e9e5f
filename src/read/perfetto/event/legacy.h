/* read/perfetto/event/legacy.h - legacy events, once all events are there. */
#ifndef PF_READ_PERFETTO_EVENT_LEGACY_H
#define PF_READ_PERFETTO_EVENT_LEGACY_H

#include "read/perfetto/import/import.h"

/* Groups the tracks of asynchronous operations; once, after the last event. */
pf_status pf_import_group_operations(pf_import *im);

/* All descriptors are known: events that stand on no thread's track, but would have to, vanish. */
void pf_import_settle_waiting(pf_import *im);

#endif
