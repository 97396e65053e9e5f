/* read/perfetto/stats/stats.h - statistics of processes, and triggers. */
#ifndef PF_READ_PERFETTO_STATS_STATS_H
#define PF_READ_PERFETTO_STATS_STATS_H

#include "read/perfetto/import/import.h"

/* process_stats.c: memory and run time of processes, as counters. */
void pf_import_process_stats(pf_import *im, const pf_packet *p);

/* triggers.c: the packets of triggers. */
void pf_import_trigger(pf_import *im, const pf_packet *p);
pf_status pf_perfetto_trigger_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                   const pf_arg_visitor *v, pf_error *err);

#endif
