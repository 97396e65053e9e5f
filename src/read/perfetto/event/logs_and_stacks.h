/* read/perfetto/event/logs_and_stacks.h - log messages and call stacks of events. */
#ifndef PF_READ_PERFETTO_EVENT_LOGS_AND_STACKS_H
#define PF_READ_PERFETTO_EVENT_LOGS_AND_STACKS_H

#include "read/perfetto/import/import.h"

/* Once, when all events are in place. */
pf_status pf_import_logs_and_stacks(pf_import *im);

#endif
