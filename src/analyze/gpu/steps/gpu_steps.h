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
    GPU_STEP_PATTERN            /* that the kernels repeat, without annotations: a step or a layer */
} gpu_step_source;

typedef enum gpu_step_mark { GPU_STEP_STEADY = 0, GPU_STEP_WARM_UP, GPU_STEP_OUTLIER } gpu_step_mark;

typedef struct gpu_step {
    pf_interval time; /* of the host, or, for steps that only the device has, of the device */
    int64_t number;   /* N of "ProfilerStep#N", else counted from 0 */
    uint32_t slice;   /* of the annotation; PF_NONE for patterns */
} gpu_step;

/* The steps of an input, by start. */
typedef struct gpu_steps {
    gpu_step *list;
    uint32_t count;
    gpu_step_source source;
} gpu_steps;

/* The steps of every input (an array by input): slices that match the pattern ({NULL, 0}: ProfilerStep#N), else the
 * pattern that kernels repeat. */
pf_status pf_gpu_find_steps(gpu_facts *g, pf_str pattern, gpu_steps **out, pf_error *err);

/* The pattern that the kernels of an input repeat. */
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

/* What a device did in a step: what the step launched there, whenever that ran. */
typedef struct gpu_device_step {
    gpu_times times; /* of its operations; zeros without any */
    uint64_t events;
    uint64_t
        period; /* from its first operation to that of the step whose first one is next; of the last one its span */
    uint64_t length; /* the period, or, without operations, that of the step's window */
    gpu_step_mark mark;
} gpu_device_step;

typedef struct gpu_device_steps {
    gpu_device_step *list;                   /* by row of the steps of its input */
    uint32_t warm_up, outliers, with_period; /* with_period: steady ones with operations */
    gpu_stats steady;                        /* lengths of the steady ones */
} gpu_device_steps;

/* *out: by device, then by input: what is known of an input without devices. Steps are measured first and marked then.
 */
pf_status pf_gpu_measure_steps(gpu_facts *g, const gpu_steps *steps, const gpu_step_ops *ops, gpu_device_steps **out,
                               pf_error *err);
pf_status pf_gpu_mark_steps(gpu_device_steps *steps, uint32_t count, pf_arena *scratch, pf_error *err);

/* What is known of the steps of an input on a device; PF_NONE: it has none. */
static inline const gpu_device_steps *pf_gpu_steps_of(const gpu_facts *g, const gpu_device_steps *all, uint32_t input,
                                                      uint32_t device)
{
    return &all[device == PF_NONE ? g->device_count + input : device];
}

pf_str pf_gpu_step_source_name(gpu_step_source source);
pf_str pf_gpu_step_mark_name(gpu_step_mark mark);

/* "device period", "host window" or "both": what the lengths of the steady steps are. */
pf_str pf_gpu_step_length_name(const gpu_device_steps *steps);

/* What the steps of all devices are, for the tables. items, flops: per step; 0 if not given. */
typedef struct gpu_step_facts {
    const gpu_steps *steps;          /* by input */
    const gpu_device_steps *devices; /* of pf_gpu_measure_steps */
    const gpu_step_counts *counts;   /* by device */
    double items, flops;
    bool pattern_is_step, by_name; /* by_name: the user said what steps are called */
} gpu_step_facts;

/* Items, or whatever an amount is, of a step in a second; 0 where there is no amount, or what repeats may be no step.
 */
double pf_gpu_throughput(const gpu_step_facts *all, uint32_t input, const gpu_stats *steady, double amount);

/* Tables of steps and their summary. */
void pf_gpu_tabulate_steps(const gpu_facts *g, const gpu_step_facts *s, gpu_tables *t, pf_findings *f);

/* What critical paths need to know about all steps. */
typedef struct gpu_path_facts {
    const gpu_steps *steps;          /* by input */
    const gpu_device_steps *devices; /* of pf_gpu_measure_steps */
    const uint32_t *step_of;         /* by operation, of pf_gpu_assign_ops */
    const uint8_t *outermost;        /* of pf_gpu_find_outermost */
    const int64_t *number;           /* of the step whose pieces are shown; NULL: a steady one */
} gpu_path_facts;

/* The chain of work that set the length of each step on each device: its shares, and the pieces of one step of each
 * input: that with the number, or without one the steady step whose length is nearest to the median. */
pf_status pf_gpu_critical_paths(gpu_facts *g, const gpu_path_facts *paths, gpu_tables *t, pf_findings *f,
                                pf_error *err);

#endif
