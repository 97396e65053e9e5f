/* analyze/support/interval_depth.h - how many of a crowd of intervals are open at a time. */
#ifndef PF_ANALYZE_SUPPORT_INTERVAL_DEPTH_H
#define PF_ANALYZE_SUPPORT_INTERVAL_DEPTH_H

#include "analyze/support/intervals.h"

/* From ts on `open` intervals are open, until the next step. */
typedef struct pf_depth_step {
    int64_t ts;
    uint32_t open;
} pf_depth_step;

/* The steps of n < 2^32 intervals, given as their starts and their ends, each ascending: every step at another time and
 * with another depth than the one before it; the last has depth 0. Intervals without length are never open. `out` has
 * room for 2 * n. Returns the number of steps. */
size_t pf_interval_depth(const int64_t *starts, const int64_t *ends, size_t n, pf_depth_step *out);

/* The largest depth, and the time spent in each: time[k] for k = 0 to the largest, over the span of the steps. `time`
 * has room for that many plus one. */
uint32_t pf_depth_most(const pf_depth_step *steps, size_t n);
void pf_depth_times(const pf_depth_step *steps, size_t n, uint64_t *time);

#endif
