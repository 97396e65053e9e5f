/* analyze/support/intervals.h - intervals [start, end) on a time line: what they cover together, what two sets of them
 * have in common, how many are open at a time, and on which of as few tracks as possible each lies. */
#pragma once

#include "analyze/support/order_stats.h"
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

/* What lies in the first set and not in the second: a set, for which `out` has room for na + nb. Returns its size. */
size_t pf_interval_without(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out);

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
 * with another depth than the one before it; the last has depth 0. Intervals without length are never open. The caller
 * sets starts, ends and n; all else is zero at first. */
typedef struct pf_depth_walk {
    const int64_t *starts, *ends;
    size_t n, start, end;
    uint32_t open;
} pf_depth_walk;

bool pf_depth_next(pf_depth_walk *w, pf_depth_step *out); /* false after the last step */

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Gives each interval, ascending by start, the lowest lane that is free at its start; an interval that ends at t and
 * one that starts at t share a lane. *lanes: how many, which is the largest number of intervals that are open at one
 * time. `lane` has room for n < 2^32. O(n log lanes). */
pf_status pf_lanes_assign(const pf_interval *list, size_t n, uint32_t *lane, uint32_t *lanes, pf_budget *budget,
                          pf_error *err);

/* ---- pairs.c ----------------------------------------------------------------------------------------------------- */

/* From begin and end times to intervals.
 *
 * All functions work on sorted arrays and write intervals ascending by start. An output array has room for the smaller
 * of the two counts. */

/* Every begin takes the first unused end after it. Ends at or before the begin in hand
 * are skipped. Begins that find no end are open at the end: nb - result of them. */
size_t pf_pair_first_end(const int64_t *begins, size_t nb, const int64_t *ends, size_t ne, pf_interval *out);

/* As above, but a begin at or before the end used last is skipped, so that the intervals are apart. The first end
 * counts as -1: begins before time 0 are skipped until the first interval, as the program before postfetto did. */
size_t pf_pair_apart(const int64_t *begins, size_t nb, const int64_t *ends, size_t ne, pf_interval *out);

/* Thins out pulses in place: the first stays, then each that is later than the last kept by at least gap. */
size_t pf_pulses_thin(int64_t *pulses, size_t n, uint64_t gap);

/* What pairing by the nearest entry found besides the pairs. */
typedef struct pf_pair_counts {
    uint64_t duplicate_entries, duplicate_exits, lost_entries, lost_exits;
} pf_pair_counts;

/* Each exit in time order takes the last entry between the exit used before it and itself; from there it steps back
 * over entries that are closer than gap to their follower, which are repeated pulses of one entry (--pairing
 * nearest). counts may be NULL. */
size_t pf_pair_nearest(const int64_t *entries, size_t nb, const int64_t *exits, size_t ne, uint64_t gap,
                       pf_interval *out, pf_pair_counts *counts);

/* Keeps the intervals whose length is in [lo, hi], all of them if that keeps none. Returns how many are kept. */
size_t pf_pairs_window(pf_interval *pairs, size_t n, uint64_t lo, uint64_t hi);

/* The lengths of n >= 1 intervals, and their median. `lengths` and `scratch` have room for n. */
pf_median pf_pairs_median(const pf_interval *pairs, size_t n, uint64_t *lengths, uint64_t *scratch);

/* ---- iterations.c ------------------------------------------------------------------------------------------------ */

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
