/* analyze/support/intervals.c - union, merge and clipped length of intervals.
 *
 * A union is built in one walk over intervals ascending by start: each one either begins inside (or at the end of) the
 * interval written last and stretches it, or opens the next. In a union the ends ascend as the starts do, so what ends
 * at or before the start of a window is before all later windows too: the cursor passes it for good.
 */
#include "analyze/support/intervals.h"

size_t pf_interval_union(pf_interval *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && list[i].start <= list[kept - 1].end) {
            if (list[i].end > list[kept - 1].end) {
                list[kept - 1].end = list[i].end;
            }
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

void pf_interval_merge(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out)
{
    size_t i = 0, j = 0;
    for (size_t k = 0; k < na + nb; k++) {
        bool left = j >= nb || (i < na && a[i].start <= b[j].start);
        out[k] = left ? a[i++] : b[j++];
    }
}

uint64_t pf_interval_covered(const pf_interval *list, size_t n, size_t *cursor, int64_t lo, int64_t hi)
{
    while (*cursor < n && list[*cursor].end <= lo) {
        (*cursor)++;
    }
    uint64_t covered = 0;
    for (size_t i = *cursor; i < n && list[i].start < hi; i++) {
        pf_interval cut = {list[i].start > lo ? list[i].start : lo, list[i].end < hi ? list[i].end : hi};
        covered += pf_interval_length(cut);
    }
    return covered;
}
