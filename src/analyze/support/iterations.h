/* analyze/support/iterations.h - cutting a row of kernel calls into iterations at long stalls. */
#ifndef PF_ANALYZE_SUPPORT_ITERATIONS_H
#define PF_ANALYZE_SUPPORT_ITERATIONS_H

#include "analyze/support/intervals.h"

/* Whether a stall is long enough to separate iterations: length >= threshold, compared exactly. */
bool pf_stall_separates(pf_interval stall, double threshold);

/* The ends of the separating stalls, each once, ascending. Stalls as pf_pair_first_end makes them (ends ascending).
 * `out` has room for n. */
size_t pf_iteration_boundaries(const pf_interval *stalls, size_t n, double threshold, int64_t *out);

/* Calls [first, first + count) form one iteration; count may be 0. */
typedef struct pf_iteration {
    size_t first, count;
    int64_t closed_at; /* the boundary that closed it; meaningless for the last iteration */
} pf_iteration;

/* Splits n >= 1 calls, ascending by start; `out` has room for boundary_count + 1. Every boundary strictly before a call
 * closes an iteration, so the last iteration is never empty and boundaries after the last call do nothing. */
size_t pf_iteration_split(const pf_interval *calls, size_t n, const int64_t *boundaries, size_t boundary_count,
                          pf_iteration *out);

/* Removes the empty iterations, in place. */
size_t pf_iteration_drop_empty(pf_iteration *list, size_t n);

#endif
