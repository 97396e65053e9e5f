/* analyze/support/pairs.h - from begin and end times to intervals.
 *
 * All functions work on sorted arrays and write intervals ascending by start. An output array has room for the smaller
 * of the two counts.
 */
#ifndef PF_ANALYZE_SUPPORT_PAIRS_H
#define PF_ANALYZE_SUPPORT_PAIRS_H

#include "analyze/support/intervals.h"
#include "analyze/support/order_stats.h"

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

#endif
