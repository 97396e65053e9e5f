/* analyze/support/interval_cover.h - how much of a window a set covers, for windows in any order. */
#ifndef PF_ANALYZE_SUPPORT_INTERVAL_COVER_H
#define PF_ANALYZE_SUPPORT_INTERVAL_COVER_H

#include "analyze/support/intervals.h"

/* before[i] becomes the length of the first i intervals of a set; `before` has room for n + 1. */
void pf_interval_sums(const pf_interval *set, size_t n, uint64_t *before);

/* The length of what the set covers within [lo, hi], 0 where hi < lo: O(log n). */
uint64_t pf_interval_within(const pf_interval *set, const uint64_t *before, size_t n, int64_t lo, int64_t hi);

#endif
