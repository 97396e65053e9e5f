/* analyze/support/intervals.c - union, merge and clipped length of intervals; sets of them, and depth.
 *
 * A union is built in one walk over intervals ascending by start: each one either begins inside (or at the end of) the
 * interval written last and stretches it, or opens the next. In a union the ends ascend as the starts do, so what ends
 * at or before the start of a window is before all later windows too: the cursor passes it for good. For windows in any
 * order, what lies before a point is a sum looked up and a part of one interval; a window is the difference of two
 * points.
 *
 * Sorting is a bottom-up merge sort, which is stable and costs one look where the list is in order.
 *
 * Depth is one walk over sorted starts and sorted ends: a start opens an interval, an end closes one, and which one
 * does not matter. What happens at one time makes one step.
 */
#include "analyze/support/intervals.h"

#include <string.h>

#include "base/ordering.h"
#include "model/slices/slices.h"

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

uint64_t pf_interval_total(const pf_interval *set, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += pf_interval_length(set[i]);
    }
    return total;
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

size_t pf_interval_without(const pf_interval *a, size_t na, const pf_interval *b, size_t nb, pf_interval *out)
{
    size_t n = 0, j = 0;
    for (size_t i = 0; i < na; i++) {
        int64_t from = a[i].start;
        while (j < nb && b[j].end <= from) {
            j++;
        }
        for (size_t k = j; from < a[i].end; k++) {
            bool cut = k < nb && b[k].start < a[i].end;
            int64_t to = cut ? b[k].start : a[i].end;
            if (to > from) {
                out[n++] = (pf_interval){from, to};
            }
            from = cut ? b[k].end : a[i].end;
        }
    }
    return n;
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
    size_t low = 0; /* the first interval that starts at `at` or later */
    PF_BISECT(low, n, set[middle].start < at);
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

bool pf_depth_next(pf_depth_walk *w, pf_depth_step *out)
{
    while (w->end < w->n) {
        uint32_t before = w->open;
        int64_t ts = w->start < w->n && w->starts[w->start] < w->ends[w->end] ? w->starts[w->start] : w->ends[w->end];
        for (; w->start < w->n && w->starts[w->start] == ts; w->start++) {
            w->open++;
        }
        for (; w->end < w->n && w->ends[w->end] == ts; w->end++) {
            w->open--;
        }
        if (w->open != before) {
            *out = (pf_depth_step){ts, w->open};
            return true;
        }
    }
    return false;
}

/* The tree of lanes finds the first one whose limit is not below a value: limits are ends with all bits turned, which
 * turns their order, too. */
pf_status pf_lanes_assign(const pf_interval *list, size_t n, uint32_t *lane, uint32_t *lanes, pf_budget *budget,
                          pf_error *err)
{
    pf_lane_tree tree;
    bool ok = true;
    *lanes = 0;
    pf_lane_tree_init(&tree, budget);
    for (size_t i = 0; i < n && ok; i++) {
        lane[i] = pf_lane_tree_fit(&tree, ~list[i].start);
        if (lane[i] == PF_NONE) {
            lane[i] = (*lanes)++;
            ok = pf_lane_tree_add(&tree);
        }
        if (ok) {
            pf_lane_tree_set(&tree, lane[i], ~list[i].end);
        }
    }
    pf_lane_tree_free(&tree);
    return ok ? PF_OK : pf_budget_refused(budget, *lanes * sizeof *list, err);
}
