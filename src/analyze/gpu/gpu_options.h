/* analyze/gpu/gpu_options.h - which option of `analyze gpu` is which. */
#ifndef PF_ANALYZE_GPU_GPU_OPTIONS_H
#define PF_ANALYZE_GPU_GPU_OPTIONS_H

enum {
    GPU_OPT_FOLD_NAMES,
    GPU_OPT_COMMUNICATION,
    GPU_OPT_COMPUTE,
    GPU_OPT_BY_SHAPE,
    GPU_OPT_STEP_ANNOTATION,
    GPU_OPT_ITEMS_PER_STEP,
    GPU_OPT_FLOPS_PER_STEP,
    GPU_OPT_CRITICAL_STEP,
    GPU_OPT_JSON_SCHEMA,
    GPU_OPTIONS
};

#endif
