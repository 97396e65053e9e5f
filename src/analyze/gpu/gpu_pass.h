/* analyze/gpu/gpu_pass.h - `analyze gpu` as a row of the table of passes. */
#ifndef PF_ANALYZE_GPU_GPU_PASS_H
#define PF_ANALYZE_GPU_GPU_PASS_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_gpu;

#endif
