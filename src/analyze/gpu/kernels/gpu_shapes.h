/* analyze/gpu/kernels/gpu_shapes.h - the shapes of an operator's inputs as text. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_SHAPES_H
#define PF_ANALYZE_GPU_KERNELS_GPU_SHAPES_H

#include "base/strings.h"
#include "postfetto/trace.h"

/* The id of "[[16, 559], []]" for the argument "Input Dims" of an event; that of an empty text without one. PF_NONE and
 * err filled if refused. */
uint32_t pf_gpu_shapes(const pf_trace *t, uint32_t event, pf_strings *texts, pf_error *err);

#endif
