/* model/sort.c - natural merge sort of row numbers.
 *
 * Traces are mostly in order: long ascending runs with a few rows out of place. Each pass merges neighbouring runs, found
 * by one comparison per row, until one run is left: n comparisons for sorted input, n log(runs) otherwise. Stable.
 */
#include <string.h>

#include "model/trace.h"

typedef bool (*after_fn)(const void *ctx, uint32_t a, uint32_t b);

static uint32_t run_end(const uint32_t *rows, uint32_t start, uint32_t count, after_fn after, const void *ctx)
{
    uint32_t i = start + 1;
    while (i < count && !after(ctx, rows[i - 1], rows[i])) {
        i++;
    }
    return i < count ? i : count;
}

/* Merges from[start..middle) and from[middle..end) into to[start..end). */
static void merge(const uint32_t *from, uint32_t *to, uint32_t start, uint32_t middle, uint32_t end, after_fn after,
                  const void *ctx)
{
    uint32_t a = start, b = middle, n = start;
    while (a < middle && b < end) {
        to[n++] = after(ctx, from[a], from[b]) ? from[b++] : from[a++];
    }
    memcpy(to + n, from + a, (size_t)(middle - a) * sizeof *to);
    n += middle - a;
    memcpy(to + n, from + b, (size_t)(end - b) * sizeof *to);
}

void pf_sort_rows(uint32_t *order, uint32_t *scratch, uint32_t count, after_fn after, const void *ctx)
{
    uint32_t *from = order, *to = scratch;
    for (;;) {
        uint32_t start = 0, runs = 0;
        while (start < count) {
            uint32_t middle = run_end(from, start, count, after, ctx);
            if (start == 0 && middle == count) {
                runs = 1;
                break;
            }
            uint32_t end = middle < count ? run_end(from, middle, count, after, ctx) : count;
            merge(from, to, start, middle, end, after, ctx);
            start = end;
            runs++;
        }
        if (start == 0) {
            break; /* one run (or none): `from` is sorted */
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
        if (runs == 1) {
            break;
        }
    }
    if (from != order) {
        memcpy(order, from, (size_t)count * sizeof *order);
    }
}
