/* analyze/support/intervals.h - intervals [start, end) on a time line: what they cover together, what two sets of them
 * have in common, how many are open at a time, and on which of as few tracks as possible each lies. */
#ifndef PF_ANALYZE_SUPPORT_INTERVALS_H
#define PF_ANALYZE_SUPPORT_INTERVALS_H

#include "base/budget.h"

/* start < end. */
typedef struct pf_interval {
    int64_t start, end;
} pf_interval;

static inline uint64_t pf_interval_length(pf_interval i)
{
    return (uint64_t)i.end - (uint64_t)i.start;
}

/* What [start, end) adds to a union whose last end is *until, which it moves; for starts that ascend. */
static inline uint64_t pf_interval_stretch(int64_t *until, int64_t start, int64_t end)
{
    start = start > *until ? start : *until;
    if (end <= start) {
        return 0;
    }
    *until = end;
    return (uint64_t)end - (uint64_t)start;
}

/* Merges what overlaps or touches, in place. The intervals are ascending by start; afterwards they are ascending and
 * apart. Returns how many are left. */
size_t pf_interval_union(pf_interval *list, size_t n);

/* Two lists ascending by start become one: `out` has room for both. */
void pf_interval_merge(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out);

/* The length of what a union covers within [lo, hi]. For many windows ascending by lo: *cursor starts as 0 and is kept
 * between the calls, so that all of them together are one walk over the union and what the windows touch. */
uint64_t pf_interval_covered(const pf_interval *list, size_t n, size_t *cursor, int64_t lo, int64_t hi);

/* ---- sets: ascending and apart, as pf_interval_union leaves them ------------------------------------------------- */

/* The length of all intervals of a set; UINT64_MAX is never exceeded, as a set lies within the int64 line. */
uint64_t pf_interval_total(const pf_interval *set, size_t n);

/* The length of what lies in both sets: one walk over both. */
uint64_t pf_interval_common(const pf_interval *a, size_t na, const pf_interval *b, size_t nb);

/* Sorts any intervals by start and merges them: they become a set. `scratch` has room for n. Returns its size. */
size_t pf_interval_set_make(pf_interval *list, size_t n, pf_interval *scratch);

/* For windows in any order: before[i] becomes the length of the first i intervals of a set; `before` has room for n
 * + 1. */
void pf_interval_sums(const pf_interval *set, size_t n, uint64_t *before);

/* The length of what the set covers within [lo, hi], 0 where hi < lo: O(log n). */
uint64_t pf_interval_within(const pf_interval *set, const uint64_t *before, size_t n, int64_t lo, int64_t hi);

/* ---- depth ------------------------------------------------------------------------------------------------------- */

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

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Gives each interval, ascending by start, the lowest lane that is free at its start; an interval that ends at t and
 * one that starts at t share a lane. *lanes: how many, which is the largest number of intervals that are open at one
 * time. `lane` has room for n < 2^32. O(n log lanes). */
pf_status pf_lanes_assign(const pf_interval *list, size_t n, uint32_t *lane, uint32_t *lanes, pf_budget *budget,
                          pf_error *err);

#endif
