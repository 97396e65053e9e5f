/* analyze/support/interval_sets.c - intersection and difference of sets of intervals, and how a set is made.
 *
 * In a set starts and ends both ascend. So two sets are walked side by side: of the two intervals in hand, the one that
 * ends first cannot meet anything later of the other set, and is left. Sorting is a bottom-up merge sort, which is
 * stable and costs one look where the list is in order.
 */
#include "analyze/support/interval_sets.h"

#include <string.h>

uint64_t pf_interval_total(const pf_interval *set, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += pf_interval_length(set[i]);
    }
    return total;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t pf_interval_intersect(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out)
{
    size_t i = 0, j = 0, made = 0;
    while (i < na && j < nb) {
        pf_interval both = {later(a[i].start, b[j].start), earlier(a[i].end, b[j].end)};
        if (both.start < both.end) {
            out[made++] = both;
        }
        if (a[i].end < b[j].end) {
            i++;
        } else {
            j++;
        }
    }
    return made;
}

uint64_t pf_interval_common(const pf_interval *a, size_t na, const pf_interval *b, size_t nb)
{
    size_t cursor = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < na; i++) {
        total += pf_interval_covered(b, nb, &cursor, a[i].start, a[i].end);
    }
    return total;
}

size_t pf_interval_subtract(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out)
{
    size_t j = 0, made = 0;
    for (size_t i = 0; i < na; i++) {
        int64_t from = a[i].start;
        while (j < nb && b[j].end <= from) {
            j++;
        }
        for (size_t k = j; k < nb && b[k].start < a[i].end; k++) {
            if (b[k].start > from) {
                out[made++] = (pf_interval){from, b[k].start};
            }
            from = later(from, b[k].end);
        }
        if (from < a[i].end) {
            out[made++] = (pf_interval){from, a[i].end};
        }
    }
    return made;
}

static bool ascends(const pf_interval *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (list[i].start < list[i - 1].start) {
            return false;
        }
    }
    return true;
}

static void sort_by_start(pf_interval *list, size_t n, pf_interval *scratch)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t left = n - at < width ? n - at : width;
            size_t right = n - at - left < width ? n - at - left : width;
            pf_interval_merge(list + at, left, list + at + left, right, scratch + at);
        }
        memcpy(list, scratch, n * sizeof(*list));
    }
}

size_t pf_interval_set_make(pf_interval *list, size_t n, pf_interval *scratch)
{
    if (!ascends(list, n)) {
        sort_by_start(list, n, scratch);
    }
    return pf_interval_union(list, n);
}
