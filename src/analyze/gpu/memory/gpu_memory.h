/* analyze/gpu/memory/gpu_memory.h - memory of the framework's allocator, where the profiler recorded it: instants
 * "[memory]", one for each allocation and each free. */
#pragma once

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

/* The memory of a device or of the host: a row of table gpu_memory, and those of gpu_memory_holders. */
typedef struct gpu_holding {
    uint32_t device;       /* row of gpu_facts.devices, or PF_NONE */
    const uint32_t *order; /* its rows of gpu_memory in order of time */
    uint32_t count, peak;  /* peak: the place in `order` after which the most was allocated */
    uint32_t first_holder, holder_count;
} gpu_holding;

/* In order of time. */
typedef struct gpu_memory {
    gpu_memory_row *rows;
    uint32_t count;
    gpu_holding *holdings; /* by row of table gpu_memory */
    uint32_t holding_count;
    uint32_t *operator; /* by row, of an allocation: name of the operator around it, or PF_NONE; NULL: nothing is drawn
                         */
} gpu_memory;
pf_status pf_gpu_read_memory(const gpu_facts *g, gpu_memory *m, pf_error *err);

/* Fills the tables of memory and of who held it at the peak, and the rest of *m (gpu_memory_peak.c). Resets g->scratch.
 */
pf_status pf_gpu_tabulate_memory(gpu_facts *g, gpu_memory *m, pf_error *err);
