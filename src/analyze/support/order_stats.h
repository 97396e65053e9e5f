/* analyze/support/order_stats.h - order statistics and exact averages over plain arrays. Times are int64, lengths are
 * uint64: the distance of two int64 always fits the latter. */
#pragma once

#include "postfetto/base.h"

/* Sort ascending in linear time; arrays that are in order already cost one look. `scratch` has room for n elements. */
void pf_sort_times(int64_t *a, size_t n, int64_t *scratch);
void pf_sort_lengths(uint64_t *a, size_t n, uint64_t *scratch);

/* order[0..n) becomes the permutation that sorts `keys` ascending and keeps equal keys in place: O(n log n).
 * `scratch` has room for n elements. */
void pf_sort_order(const int64_t *keys, size_t n, uint32_t *order, uint32_t *scratch);

/* The k-th smallest of n values, k < n, which are reordered: linear time, n log n for values made to be slow. */
uint64_t pf_select_length(uint64_t *a, size_t n, size_t k);
double pf_select_real(double *a, size_t n, size_t k);

/* The values that would stand at these ranks, which ascend and are below n, if the array were sorted: linear time, in
 * few walks over the array. least, most: of the n >= 1 values, which may also be int64 throughout. `scratch` has room
 * for n elements. */
void pf_values_at_ranks(const uint64_t *a, size_t n, uint64_t least, uint64_t most, const size_t *rank, size_t ranks,
                        uint64_t *out, uint64_t *scratch);

/* The middle element (whole), or for an even count the mean of the two middle ones as a double. */
typedef struct pf_median {
    bool whole;
    uint64_t length; /* whole */
    double value;    /* always: the median, or the double nearest to a whole one */
} pf_median;

/* Of a sorted array with n >= 1. */
pf_median pf_median_of_sorted(const uint64_t *a, size_t n);

typedef unsigned __int128 pf_wide;

/* numerator / denominator rounded once, to the nearest double (ties to even). denominator > 0. */
double pf_divide_exact(pf_wide numerator, uint64_t denominator);

/* trunc(v) for v >= 0, UINT64_MAX if that does not fit. */
uint64_t pf_truncate_length(double v);

/* ---- linear_fit.c ------------------------------------------------------------------------------------------------ */

/* y = y0 + slope * (x - x0) + offset. The origin is a whole point near the middle, so that the line keeps its
 * nanoseconds where times have 60 bits. */
typedef struct pf_line {
    int64_t x0, y0;
    double slope;
    double offset;  /* y at x0, less y0 */
    double scatter; /* the root of the mean square of what is left; 0 for a perfect fit */
    double worst;   /* the largest |what is left| */
} pf_line;

/* Least squares over n >= 1 points. All x equal: slope 0 and the mean of y. */
pf_line pf_line_fit(const int64_t *x, const int64_t *y, size_t n);

/* y less the line at x. */
double pf_line_residual(const pf_line *line, int64_t x, int64_t y);
