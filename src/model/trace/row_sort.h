/* model/trace/row_sort.h - stable sort of row numbers by runs; included where the comparison shall become part of
 * the loops.
 *
 * Traces are mostly in order: long ascending runs, a few rows a little out of place, or some runs side by side. So runs
 * are taken as they are found, short ones filled up to RUN_LEAST rows by insertion. A stack holds the lengths of the
 * runs that wait; the two on top are merged while the upper one is at least half as long as the one below, which keeps
 * the stack below 33 entries and every row in a logarithmic number of merges.
 *
 * Two neighbouring runs usually overlap little. Before a merge the rows that stay where they are are passed over at
 * both ends, in steps that double from where the runs meet; only what is between is moved. So sorted input costs one
 * comparison per row, and rows that are late by a few places cost little more.
 */
#pragma once

#include <string.h>

#include "model/trace/trace.h"

#define PF_SORT_INLINE static inline __attribute__((always_inline))

enum { PF_SORT_RUN_LEAST = 24, PF_SORT_RUNS_MAX = 40 };

typedef bool (*pf_sort_after)(const void *ctx, uint32_t a, uint32_t b);

/* The length of the run at the beginning of rows[0..count), made longer if it is short. */
PF_SORT_INLINE uint32_t pf_sort_take_run(uint32_t *rows, uint32_t count, pf_sort_after after, const void *ctx)
{
    uint32_t n = 1;
    while (n < count && !after(ctx, rows[n - 1], rows[n])) {
        n++;
    }
    uint32_t least = count < PF_SORT_RUN_LEAST ? count : PF_SORT_RUN_LEAST;
    for (; n < least; n++) {
        uint32_t row = rows[n], at = n;
        for (; at > 0 && after(ctx, rows[at - 1], row); at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = row;
    }
    return n;
}

/* How many rows at the end of the ascending rows[0..count) are to follow `row`. */
PF_SORT_INLINE uint32_t pf_sort_behind(const uint32_t *rows, uint32_t count, uint32_t row, pf_sort_after after,
                                       const void *ctx)
{
    uint32_t low = 0, high = 1; /* `low` rows do, `high` or all may not */
    while (high <= count && after(ctx, rows[count - high], row)) {
        low = high;
        high = high <= count / 2 ? 2 * high : count + 1;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        bool follows = after(ctx, rows[count - middle], row);
        low = follows ? middle : low;
        high = follows ? high : middle;
    }
    return low;
}

/* How many rows at the beginning of the ascending rows[0..count) are to precede `row`. */
PF_SORT_INLINE uint32_t pf_sort_before(const uint32_t *rows, uint32_t count, uint32_t row, pf_sort_after after,
                                       const void *ctx)
{
    uint32_t low = 0, high = 1;
    while (high <= count && after(ctx, row, rows[high - 1])) {
        low = high;
        high = high <= count / 2 ? 2 * high : count + 1;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        bool precedes = after(ctx, row, rows[middle - 1]);
        low = precedes ? middle : low;
        high = precedes ? high : middle;
    }
    return low;
}

/* Merges the ascending rows[0..lower) and rows[lower..lower + upper). scratch: room for `lower` rows. */
PF_SORT_INLINE void pf_sort_merge(uint32_t *rows, uint32_t lower, uint32_t upper, uint32_t *scratch,
                                  pf_sort_after after, const void *ctx)
{
    uint32_t moved = pf_sort_behind(rows, lower, rows[lower], after, ctx);
    if (moved == 0) {
        return;
    }
    uint32_t *to = rows + lower - moved;
    const uint32_t *a = scratch, *a_end = scratch + moved;
    const uint32_t *b = rows + lower, *b_end = b + pf_sort_before(b, upper, rows[lower - 1], after, ctx);
    memcpy(scratch, to, (size_t)moved * sizeof *to);
    while (a < a_end && b < b_end) {
        uint32_t row_a = *a, row_b = *b;
        bool later = after(ctx, row_a, row_b);
        *to++ = later ? row_b : row_a;
        b += later;
        a += !later;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
}

/* pf_sort_rows with a comparison that is known when this is compiled. */
PF_SORT_INLINE void pf_sort_rows_by(uint32_t *order, uint32_t *scratch, uint32_t count, pf_sort_after after,
                                    const void *ctx)
{
    uint32_t lengths[PF_SORT_RUNS_MAX], runs = 0, sorted = 0; /* `sorted`: rows in the runs of the stack */
    while (sorted < count || runs > 1) {
        bool due = runs > 1 && (sorted == count || lengths[runs - 1] >= lengths[runs - 2] / 2);
        if (due) {
            uint32_t upper = lengths[--runs], lower = lengths[runs - 1];
            pf_sort_merge(order + sorted - upper - lower, lower, upper, scratch, after, ctx);
            lengths[runs - 1] = lower + upper;
        } else {
            lengths[runs] = pf_sort_take_run(order + sorted, count - sorted, after, ctx);
            sorted += lengths[runs++];
        }
    }
}
