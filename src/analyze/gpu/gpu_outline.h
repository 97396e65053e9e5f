/* analyze/gpu/gpu_outline.h - what a comparison of runs needs to know of a trace: which slices are work of devices, and
 * what devices did in each step. The definitions are those of the pass: docs/reference/gpu.md, "Steps".
 */
#pragma once

#include "base/arena.h"
#include "postfetto/trace.h"

/* An operation of a device, as a part of its step: what it adds to the busy time, and the time to the start of the next
 * one. */
typedef struct gpu_part {
    uint64_t busy, period;
    uint32_t step; /* PF_NONE: in none; then it is a part of the whole trace */
} gpu_part;

enum { GPU_ANNOTATION = 2 };

typedef struct gpu_outline {
    bool rank_known;
    int64_t rank;
    uint8_t *on_device; /* by slice: 1 for work and waiting (cuda_sync) of devices, GPU_ANNOTATION for annotations */
    uint32_t *step_of;  /* by slice: the step of a device operation, else PF_NONE; NULL: there are no steps */
    uint32_t devices;   /* that did something */
    uint32_t steps;
    double *busy;      /* by step, of a device: the mean over all of them */
    double *period;    /* likewise, over those that did something in it; without one the window of the host */
    double whole_busy; /* of a device, in the whole trace */
    uint32_t part_count;
    gpu_part *parts; /* by device, then start */
} gpu_outline;

/* Reads the outline of a trace that counts in ns. Its steps are the slices that `pattern` matches, {NULL, 0}:
 * ProfilerStep#N; repeated patterns of kernels are none. on_device and step_of live in `scratch`, the rest in `arena`.
 */
pf_status pf_gpu_outline(const pf_trace *t, pf_str pattern, unsigned jobs, pf_arena *scratch, pf_arena *arena,
                         gpu_outline *out, pf_error *err);
