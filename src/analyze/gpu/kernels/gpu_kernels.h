/* analyze/gpu/kernels/gpu_kernels.h - point 2: the steps that fill the tables of what ran. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_KERNELS_H
#define PF_ANALYZE_GPU_KERNELS_GPU_KERNELS_H

#include "analyze/gpu/kernels/gpu_stats.h"
#include "analyze/gpu/tables/gpu_tables.h"
#include "base/strings.h"

typedef struct gpu_kernel_row {
    pf_str name;
    uint32_t group, longest; /* longest: the operation */
    gpu_stats stats;
} gpu_kernel_row;

/* The kernels of the inputs by name, in the order in which the first ones ran. */
typedef struct gpu_kernel_lists {
    gpu_kernel_row **rows; /* by input */
    uint32_t *count;       /* likewise */
    pf_strings names;      /* folded ones, to which the rows point */
    pf_arena arena;
} gpu_kernel_lists;

/* Needs the facts only, and changes none. */
pf_status pf_gpu_kernels_find(const gpu_facts *g, bool fold_names, gpu_kernel_lists *out, pf_error *err);
pf_status pf_gpu_kernels_tabulate(gpu_facts *g, const gpu_kernel_lists *kernels, gpu_tables *t, pf_findings *f,
                                  pf_error *err);
void pf_gpu_kernels_free(gpu_kernel_lists *kernels); /* legal on zeros */
pf_status pf_gpu_memcpy(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);
pf_status pf_gpu_collectives(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);

#endif
