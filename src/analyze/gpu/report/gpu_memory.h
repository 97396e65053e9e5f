/* analyze/gpu/report/gpu_memory.h - memory of the framework's allocator on devices, where the profiler recorded it. */
#ifndef PF_ANALYZE_GPU_REPORT_GPU_MEMORY_H
#define PF_ANALYZE_GPU_REPORT_GPU_MEMORY_H

#include "analyze/gpu/facts/gpu.h"

/* Columns in order of time. */
typedef struct gpu_memory {
    uint32_t count;
    uint32_t *device; /* row of gpu_facts.devices, or PF_NONE */
    int64_t *ts;
    int64_t *bytes[2]; /* allocated, reserved; -1: not said */
} gpu_memory;

pf_status pf_gpu_read_memory(const gpu_facts *g, gpu_memory *m, pf_error *err);

#endif
