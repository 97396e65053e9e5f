/* analyze/gpu/steps/gpu_steps.h - steps of a workload: where they are, what is special about them, what a device did in
 * them.
 */
#ifndef PF_ANALYZE_GPU_STEPS_GPU_STEPS_H
#define PF_ANALYZE_GPU_STEPS_GPU_STEPS_H

#include "analyze/gpu/kernels/gpu_stats.h"
#include "analyze/gpu/tables/gpu_tables.h"

typedef enum gpu_step_source {
    GPU_STEP_ANNOTATION = 0,    /* on the host */
    GPU_STEP_DEVICE_ANNOTATION, /* only on the device */
    GPU_STEP_CYCLE              /* of kernels, without annotations */
} gpu_step_source;

typedef enum gpu_step_mark { GPU_STEP_STEADY = 0, GPU_STEP_WARM_UP, GPU_STEP_OUTLIER } gpu_step_mark;

typedef struct gpu_step {
    pf_interval time;
    int64_t number; /* N of "ProfilerStep#N", else counted from 0 */
    uint32_t slice; /* of the annotation; PF_NONE for cycles */
    gpu_step_mark mark;
} gpu_step;

/* The steps of an input, by start. */
typedef struct gpu_steps {
    gpu_step *list;
    uint32_t count;
    gpu_step_source source;
    uint32_t warm_up, outliers;
    gpu_stats steady; /* lengths of the steady ones */
} gpu_steps;

/* The steps of every input (an array by input): slices that match the pattern ({NULL, 0}: ProfilerStep#N), else the
 * repeating cycle of kernels. */
pf_status pf_gpu_find_steps(gpu_facts *g, pf_str pattern, gpu_steps **out, pf_error *err);

/* The steps that the kernels of an input repeat. */
pf_status pf_gpu_find_cycles(gpu_facts *g, const gpu_rank *rank, gpu_steps *out, pf_error *err);

/* How the operations of a device came to their steps. Those without a known call go with the one before them on their
 * stream (by_stream), or by their own start (by_clock). */
typedef struct gpu_step_counts {
    uint64_t by_stream, by_clock;
    uint64_t outside, launches_outside; /* operations and launches that belong to no step */
} gpu_step_counts;

typedef struct gpu_step_ops {
    uint32_t *of_op;         /* by operation: a row of the steps of its input, or PF_NONE */
    gpu_step_counts *counts; /* by device */
} gpu_step_ops;

/* Which step each operation belongs to: by launch for steps of the host, by its start for others. */
pf_status pf_gpu_assign_ops(gpu_facts *g, const gpu_steps *steps, gpu_step_ops *out, pf_error *err);

/* Fills marks, counts and statistics. */
pf_status pf_gpu_mark_steps(gpu_facts *g, gpu_steps *steps, pf_error *err);

pf_str pf_gpu_step_source_name(gpu_step_source source);
pf_str pf_gpu_step_mark_name(gpu_step_mark mark);

/* Tables of steps and their summary. items, flops: per step; 0 if not given. */
pf_status pf_gpu_tabulate_steps(gpu_facts *g, const gpu_steps *steps, double items, double flops, gpu_tables *t,
                                pf_findings *f, pf_error *err);

/* The chain of work that set the length of a step of each input: that with the number, or if there is none the steady
 * one whose length is nearest to the median. outermost: of pf_gpu_find_outermost. */
pf_status pf_gpu_critical_paths(gpu_facts *g, const gpu_steps *steps, const uint8_t *outermost, const int64_t *number,
                                gpu_tables *t, pf_findings *f, pf_error *err);

#endif
