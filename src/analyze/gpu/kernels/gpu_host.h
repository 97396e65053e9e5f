/* analyze/gpu/kernels/gpu_host.h - the host on its own: modules and threads. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_HOST_H
#define PF_ANALYZE_GPU_KERNELS_GPU_HOST_H

#include "analyze/gpu/tables/gpu_tables.h"

/* Fills the tables of modules and of threads. Resets g->scratch. */
pf_status pf_gpu_host(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err);

#endif
