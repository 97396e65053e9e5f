/* analyze/gpu/times/gpu_times.h - busy and idle time of devices: sets of intervals, gaps and their causes, launches. */
#ifndef PF_ANALYZE_GPU_TIMES_GPU_TIMES_H
#define PF_ANALYZE_GPU_TIMES_GPU_TIMES_H

#include "analyze/gpu/tables/gpu_tables.h"

/* Point 1: sets and times of every device and stream. */
pf_status pf_gpu_measure(gpu_facts *g, pf_error *err);

/* Point 3: why devices were idle, and how many operations waited. */
pf_status pf_gpu_find_gaps(gpu_facts *g, pf_error *err);
gpu_gap pf_gpu_gap_at(const gpu_facts *g, const gpu_device *d, size_t gap);

/* "host-bound", "kernel wait" or "other": the largest part of the gap. */
pf_str pf_gpu_gap_cause(const gpu_gap *gap);

/* The steps that fill tables. */
pf_status pf_gpu_launches(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);
void pf_gpu_queue(const gpu_facts *g, gpu_tables *t, pf_findings *f);
pf_status pf_gpu_gaps(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);
pf_status pf_gpu_syncs(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);

#endif
