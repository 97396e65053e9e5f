/* analyze/aiu/steps/aiu_iterations.h - the loop that the kernels of a rank repeat. */
#ifndef PF_ANALYZE_AIU_STEPS_AIU_ITERATIONS_H
#define PF_ANALYZE_AIU_STEPS_AIU_ITERATIONS_H

#include "analyze/aiu/facts/aiu_facts.h"

/* One of them. */
typedef struct aiu_iteration {
    double start, length, busy; /* us; the last one before a break ends with its last kernel */
    uint32_t job;               /* of its first kernel */
    bool counted;               /* another follows at once, in the same job */
} aiu_iteration;

typedef struct aiu_iterations {
    uint32_t kernels; /* in the loop; 0: nothing repeats */
    uint32_t count;   /* iterations that another follows at once */
    double mean;      /* us from begin to begin */
    double median;
    aiu_iteration *row;
    uint32_t rows;
} aiu_iterations;

static inline aiu_iterations pf_aiu_iterations_of(const aiu_run *run, uint32_t rank)
{
    return run->iterations ? run->iterations[rank] : (aiu_iterations){0};
}

/* The middle of `count` values, the mean of the two middle ones; 0 without any. Reorders them (aiu_kernel_stats.c). */
double pf_aiu_median(double *v, uint32_t count);

#endif
