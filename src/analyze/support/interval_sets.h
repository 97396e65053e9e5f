/* analyze/support/interval_sets.h - what two unions of intervals have in common, and what only one of them has.
 *
 * A set is a list that is ascending and apart, as pf_interval_union leaves it. All functions are one walk over both.
 */
#ifndef PF_ANALYZE_SUPPORT_INTERVAL_SETS_H
#define PF_ANALYZE_SUPPORT_INTERVAL_SETS_H

#include "analyze/support/intervals.h"

/* The length of all intervals of a set; UINT64_MAX is never exceeded, as a set lies within the int64 line. */
uint64_t pf_interval_total(const pf_interval *set, size_t n);

/* What lies in both sets. `out` has room for na + nb and is neither of them. Returns the number of intervals. */
size_t pf_interval_intersect(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out);

/* What lies in a and not in b. `out` has room for na + nb and is neither of them. Returns the number of intervals. */
size_t pf_interval_subtract(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out);

/* The length of what lies in both, without a list. */
uint64_t pf_interval_common(const pf_interval *a, size_t na, const pf_interval *b, size_t nb);

/* Sorts any intervals by start and merges them: they become a set. `scratch` has room for n. Returns its size. */
size_t pf_interval_set_make(pf_interval *list, size_t n, pf_interval *scratch);

#endif
