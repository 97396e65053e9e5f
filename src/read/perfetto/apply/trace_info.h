/* read/perfetto/apply/trace_info.h - packets in which the trace describes itself. */
#ifndef PF_READ_PERFETTO_APPLY_TRACE_INFO_H
#define PF_READ_PERFETTO_APPLY_TRACE_INFO_H

#include "read/perfetto/import/import.h"

/* *taken says whether this is one. */
pf_status pf_import_about(pf_import *im, const pf_record *r, const pf_field *data, bool *taken);
pf_status pf_import_service_event(pf_import *im, const pf_record *r, const pf_field *data);
pf_status pf_import_set_uuid(pf_import *im, uint64_t msb, uint64_t lsb);

/* All clocks are known: times of the recording's milestones become times of the trace. */
pf_status pf_import_settle_milestones(pf_import *im);

#endif
