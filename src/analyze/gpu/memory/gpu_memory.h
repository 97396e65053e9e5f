/* analyze/gpu/memory/gpu_memory.h - memory of the framework's allocator, where the profiler recorded it: instants
 * "[memory]", one for each allocation and each free. */
#ifndef PF_ANALYZE_GPU_MEMORY_GPU_MEMORY_H
#define PF_ANALYZE_GPU_MEMORY_GPU_MEMORY_H

#include "analyze/gpu/facts/gpu_facts.h"

typedef struct gpu_memory_row {
    uint32_t device; /* row of gpu_facts.devices, or PF_NONE */
    uint32_t input, slice;
    int64_t ts;
    int64_t bytes[2];     /* allocated, reserved afterwards; -1: not said */
    int64_t change;       /* allocated; negative: freed */
    uint64_t address;     /* of what that is about */
    int64_t number, type; /* of the device, as recorded; type 0: the host; -1: not said */
} gpu_memory_row;

/* In order of time. */
typedef struct gpu_memory {
    gpu_memory_row *rows;
    uint32_t count;
} gpu_memory;
pf_status pf_gpu_read_memory(const gpu_facts *g, gpu_memory *m, pf_error *err);

/* Fills the tables of memory and of who held it at the peak (gpu_memory_peak.c). Resets g->scratch. */
pf_status pf_gpu_tabulate_memory(gpu_facts *g, const gpu_memory *m, pf_error *err);

#endif
