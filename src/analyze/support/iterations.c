/* analyze/support/iterations.c - iteration boundaries out of stalls, and the split of calls at them.
 *
 * Between two iterations of a workload the core waits for data much longer than within one; the end of such a wait is
 * a boundary. Calls and boundaries are both ascending, so the split is one merge: before a call is taken, every
 * boundary that lies before it closes the iteration in hand, even one that has no call yet. A long wait before the
 * first call therefore gives an empty iteration 0, and neighbouring waits give empty ones in the middle.
 */
#include "analyze/support/intervals.h"

#include <math.h>

bool pf_stall_separates(pf_interval stall, double threshold)
{
    double least = ceil(threshold);
    if (least <= 0) {
        return true;
    }
    return least < 18446744073709551616.0 && pf_interval_length(stall) >= (uint64_t)least;
}

size_t pf_iteration_boundaries(const pf_interval *stalls, size_t n, double threshold, int64_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (pf_stall_separates(stalls[i], threshold) && (kept == 0 || stalls[i].end != out[kept - 1])) {
            out[kept++] = stalls[i].end;
        }
    }
    return kept;
}

size_t pf_iteration_split(const pf_interval *calls, size_t n, const int64_t *boundaries, size_t boundary_count,
                          pf_iteration *out)
{
    size_t made = 0, b = 0;
    pf_iteration in_hand = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        for (; b < boundary_count && boundaries[b] < calls[i].start; b++) {
            in_hand.closed_at = boundaries[b];
            out[made++] = in_hand;
            in_hand = (pf_iteration){i, 0, 0};
        }
        in_hand.count++;
    }
    out[made++] = in_hand;
    return made;
}

size_t pf_iteration_drop_empty(pf_iteration *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].count) {
            list[kept++] = list[i];
        }
    }
    return kept;
}
