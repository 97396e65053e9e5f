/* read/perfetto/import/packet_times.h - the time of a packet. */
#ifndef PF_READ_PERFETTO_IMPORT_PACKET_TIMES_H
#define PF_READ_PERFETTO_IMPORT_PACKET_TIMES_H

#include "read/perfetto/import/import.h"

pf_status pf_import_time(pf_import *im, const pf_record *r, const pf_sequence *q, pf_moment *at);

/* A time in ns of the monotonic clock; raw where nothing relates that clock to the trace clock. */
pf_status pf_import_monotonic(pf_import *im, int64_t ns, pf_moment *at);

/* Notes a row; an event stands for its packet. */
pf_status pf_import_defer(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t event, uint32_t sample);

/* What was noted since there were `noted` rows is a packet of samples without an event; it counts once. */
void pf_import_defer_packet(pf_import *im, uint32_t noted);
pf_status pf_import_settle_deferred(pf_import *im);

/* All packets were read: tries once more to convert a time that could not be; counts it as lost if that fails. */
pf_status pf_import_retry(pf_import *im, pf_moment *at, uint64_t offset);

#endif
