/* analyze/support/intervals.h - intervals [start, end) on a time line and what they cover together. */
#ifndef PF_ANALYZE_SUPPORT_INTERVALS_H
#define PF_ANALYZE_SUPPORT_INTERVALS_H

#include "postfetto/base.h"

/* start < end. */
typedef struct pf_interval {
    int64_t start, end;
} pf_interval;

static inline uint64_t pf_interval_length(pf_interval i)
{
    return (uint64_t)i.end - (uint64_t)i.start;
}

/* Merges what overlaps or touches, in place. The intervals are ascending by start; afterwards they are ascending and
 * apart. Returns how many are left. */
size_t pf_interval_union(pf_interval *list, size_t n);

/* Two lists ascending by start become one: `out` has room for both. */
void pf_interval_merge(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out);

/* The length of what a union covers within [lo, hi]. For many windows ascending by lo: *cursor starts as 0 and is kept
 * between the calls, so that all of them together are one walk over the union and what the windows touch. */
uint64_t pf_interval_covered(const pf_interval *list, size_t n, size_t *cursor, int64_t lo, int64_t hi);

#endif
