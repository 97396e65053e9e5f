/* write/perfetto/convert/convert.h - a whole trace as packets of one sequence. */
#ifndef PF_WRITE_PERFETTO_CONVERT_CONVERT_H
#define PF_WRITE_PERFETTO_CONVERT_CONVERT_H

#include "write/perfetto/write_tracks.h"

/* Writes attributes, descriptors, events and counters. `who` is not in place; it may be used afterwards for more
 * packets about the same processes and threads. */
pf_status pf_convert_trace(const pf_trace *t, pf_identity *who, pf_packets *packets, pf_error *err);

/* Attributes that every output of ours carries: version, time unit, original pids, those of the trace itself. */
void pf_convert_attributes(const pf_identity *who, pf_packets *packets);

#endif
