/* analyze/support/interval_cover.c - what lies before a point is a sum looked up and a part of one interval; a window
 * is the difference of two points. */
#include "analyze/support/interval_cover.h"

void pf_interval_sums(const pf_interval *set, size_t n, uint64_t *before)
{
    before[0] = 0;
    for (size_t i = 0; i < n; i++) {
        before[i + 1] = before[i] + pf_interval_length(set[i]);
    }
}

/* The length of what lies before `at`. */
static uint64_t length_before(const pf_interval *set, const uint64_t *before, size_t n, int64_t at)
{
    size_t low = 0, high = n; /* the first interval that starts at `at` or later */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set[middle].start < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return 0;
    }
    const pf_interval *last = &set[low - 1];
    return before[low - 1] + ((uint64_t)(last->end < at ? last->end : at) - (uint64_t)last->start);
}

uint64_t pf_interval_within(const pf_interval *set, const uint64_t *before, size_t n, int64_t lo, int64_t hi)
{
    return hi <= lo ? 0 : length_before(set, before, n, hi) - length_before(set, before, n, lo);
}
