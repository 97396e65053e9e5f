/* analyze/gpu/kernels/gpu_kernels.h - point 2: the steps that fill the tables of what ran. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_KERNELS_H
#define PF_ANALYZE_GPU_KERNELS_GPU_KERNELS_H

#include "analyze/gpu/tables/gpu_tables.h"

pf_status pf_gpu_kernels(gpu_facts *g, bool full_names, gpu_tables *t, pf_findings *f, pf_error *err);
pf_status pf_gpu_memcpy(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);
pf_status pf_gpu_collectives(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);
pf_status pf_gpu_operators(gpu_facts *g, bool by_shape, gpu_tables *t, pf_findings *f, pf_error *err);

#endif
