/* analyze/gpu/steps/gpu_steps.h - steps of a workload: where they are, what is special about them, what a device did in
 * them.
 */
#pragma once

#include "analyze/gpu/kernels/gpu_kernels.h"

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
    uint32_t count, room;
    gpu_step_source source;
} gpu_steps;

/* How the operations of a device came to their steps. Those without a known call go with the one before them on their
 * stream (by_stream), or by their own start (by_clock). */
typedef struct gpu_step_counts {
    uint64_t by_stream, by_clock;
    uint64_t outside, launches_outside; /* operations and launches that belong to no step */
} gpu_step_counts;

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
    uint32_t *begun, begun_count;            /* those with operations, by the first of these */
    uint32_t warm_up, outliers, with_period; /* with_period: steady ones with operations */
    gpu_stats steady;                        /* lengths of the steady ones */
} gpu_device_steps;

/* The steps of all inputs. The caller has filled the last block; all else is zero. */
typedef struct gpu_step_facts {
    gpu_steps *of_input;
    uint32_t *of_op;           /* by operation: a row of the steps of its input, or PF_NONE; NULL without steps */
    gpu_step_counts *counts;   /* by device */
    gpu_device_steps *devices; /* by device, then by input: what is known of an input without devices */

    double items, flops;  /* per step; 0 if not given */
    bool pattern_is_step; /* it gets a throughput */
    bool by_name;         /* the user said what steps are called */
} gpu_step_facts;

/* Finds, assigns and measures: the steps of the next block, one after the other. */
pf_status pf_gpu_read_steps(gpu_facts *g, pf_str pattern, gpu_step_facts *out, pf_error *err);

/* The steps of every input: slices that match the pattern ({NULL, 0}: ProfilerStep#N), else the pattern that kernels
 * repeat. */
pf_status pf_gpu_find_steps(gpu_facts *g, pf_str pattern, gpu_steps **out, pf_error *err);
pf_status pf_gpu_find_cycles(gpu_facts *g, const gpu_rank *rank, gpu_steps *out, pf_error *err);

/* Which step each operation belongs to: by launch for steps of the host, by its start for others. */
pf_status pf_gpu_assign_ops(gpu_facts *g, gpu_step_facts *s, pf_error *err);

/* Warm-up, outliers, the steady state. */
pf_status pf_gpu_mark_steps(gpu_device_steps *steps, uint32_t count, pf_arena *scratch, pf_error *err);

/* What is known of the steps of an input on a device; PF_NONE: it has none. */
static inline const gpu_device_steps *pf_gpu_steps_of(const gpu_facts *g, const gpu_step_facts *s, uint32_t input,
                                                      uint32_t device)
{
    return &s->devices[device == PF_NONE ? g->device_count + input : device];
}

pf_str pf_gpu_step_source_name(gpu_step_source source);
pf_str pf_gpu_step_mark_name(gpu_step_mark mark);

/* "device period", "host window" or "both": what the lengths of the steady steps are. */
pf_str pf_gpu_step_length_name(const gpu_device_steps *steps);

/* Items, or whatever an amount is, of a step in a second; 0 where there is no amount, or what repeats may be no step.
 */
double pf_gpu_throughput(const gpu_step_facts *s, uint32_t input, const gpu_stats *steady, double amount);

/* Says that no input has a step with that number, if that is so, and which ones the first input with steps has. */
void pf_gpu_report_absent(const gpu_facts *g, const gpu_steps *steps, int64_t number);

/* Whether what repeats in an input is called a cycle: it may be no step. */
static inline bool pf_gpu_has_cycles(const gpu_step_facts *s, uint32_t input)
{
    return s->of_input[input].count && s->of_input[input].source == GPU_STEP_PATTERN && !s->pattern_is_step;
}

/* Tables of steps and their summary. */
void pf_gpu_tabulate_steps(const gpu_facts *g, const gpu_step_facts *s);

/* Where the pieces of a path are: rows of GPU_TABLE_CRITICAL_PATH. */
typedef struct gpu_shown_path {
    uint32_t device; /* PF_NONE: there is none */
    int64_t step;    /* its number */
    size_t first, count;
} gpu_shown_path;

/* The chain of work that set the length of each step on each device: its shares, and the pieces of one step of each
 * input: that with the number, or without one (NULL) the steady step whose length is nearest to the median. outermost:
 * of pf_gpu_find_outermost. *shown: by input. */
pf_status pf_gpu_critical_paths(const gpu_facts *g, const gpu_step_facts *s, const uint8_t *outermost,
                                const int64_t *number, gpu_shown_path **shown, pf_error *err);

/* ---- what a critical path can lead over: what ended when, what came before what (gpu_path_items.c) --------------- */

/* An operation of a device, a blocking call or an outermost operator of a thread. */
typedef struct gpu_path_item {
    uint32_t owner, row; /* owner: device or thread */
    int64_t start, end;
} gpu_path_item;

typedef struct gpu_path_list {
    gpu_path_item *list; /* by owner, then end, then row */
    uint32_t count;
} gpu_path_list;

/* Those of one input. */
typedef struct gpu_path_items {
    const gpu_facts *g;
    const gpu_rank *rank;
    gpu_path_list ops;       /* with a length */
    gpu_path_list calls;     /* with a length, in which the host waited for the device */
    gpu_path_list operators; /* of one window of time; empty until they are asked for */
    uint32_t *before;        /* by operation of the input: the one before it on its stream, or PF_NONE */
    uint32_t *event_wait;    /* by call of the input: the last one of its thread, before it, that made a stream wait for
                              * an event, or PF_NONE; NULL if there is no such call */
} gpu_path_items;

/* Which slices are operators that lie in no other one: a cell by row of table slice; NULL if there are no operators.
 * Needs the facts only. */
enum { GPU_OUTERMOST = 2 };
pf_status pf_gpu_find_outermost(const gpu_facts *g, pf_arena *arena, uint8_t **out, pf_error *err);

/* Fills everything but the operators. */
pf_status pf_gpu_path_items(gpu_path_items *items, pf_arena *arena, pf_error *err);

/* Fills the outermost operators that start in a window; outermost: of pf_gpu_find_outermost. */
pf_status pf_gpu_path_operators(gpu_path_items *items, const uint8_t *outermost, pf_interval window, pf_arena *arena,
                                pf_error *err);

/* What an operation waited for on its device: of the operation before it on its stream and one of another stream that
 * it may have waited for, the one that ended last. PF_NONE: nothing. */
uint32_t pf_gpu_path_before(const gpu_path_items *items, uint32_t op);

/* What the host waited for in a blocking call: the copy that the call made, else the operation of the input that ended
 * last within the call. PF_NONE: nothing. */
uint32_t pf_gpu_path_awaited(const gpu_path_items *items, const gpu_path_item *call);

/* How many items come before the first one that ends after `at` or has a later owner. */
uint32_t pf_gpu_path_ended_before(const gpu_path_list *l, uint32_t owner, int64_t at);

/* The last item of the owner that ends at `at` or earlier, as a place in the list; PF_NONE if there is none. */
uint32_t pf_gpu_path_last_ended(const gpu_path_list *l, uint32_t owner, int64_t at);
