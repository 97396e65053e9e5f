/* analyze/gpu/kernels/gpu_collectives.h - what a communication kernel is: its kind and its size. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_COLLECTIVES_H
#define PF_ANALYZE_GPU_KERNELS_GPU_COLLECTIVES_H

#include "analyze/gpu/facts/gpu.h"

/* By the arguments, else by the name of the kernel; kinds have names ("all_reduce", ..., "other"). */
uint32_t pf_gpu_collective_kind(const gpu_facts *g, uint32_t op);
pf_str pf_gpu_collective_name(uint32_t kind);

/* The size that its bandwidth is about; -1 if the arguments do not say it. */
int64_t pf_gpu_collective_bytes(const gpu_facts *g, uint32_t op, uint32_t kind);

#endif
