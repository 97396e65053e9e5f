/* analyze/support/byte_rates.c - the step function of bytes per time over transfers that overlap.
 *
 * A transfer is two edges: its rate is added at the start and taken away at the end. All edges are sorted by time and
 * summed. The sum is kept in integers, in units of 2^-32 bytes per time unit, so that what was added is taken away
 * exactly: after the last transfer the rate is 0 and not what rounding left. A rate below that unit is drawn as 0.
 */
#include "analyze/support/drawing.h"

#include "analyze/support/order_stats.h"

#include <math.h>

#define FRACTION_BITS 32

/* Edge 2i starts transfer i, edge 2i + 1 ends it. */
static pf_wide rate_of_edge(const pf_transfer *list, uint32_t edge)
{
    const pf_transfer *t = &list[edge / 2];
    return ((pf_wide)t->bytes << FRACTION_BITS) / ((uint64_t)t->end - (uint64_t)t->start);
}

static void sort_edges(const pf_transfer *list, size_t n, const pf_rate_scratch *scratch)
{
    for (size_t i = 0; i < n; i++) {
        scratch->edges[2 * i] = list[i].start;
        scratch->edges[2 * i + 1] = list[i].end;
    }
    pf_sort_order(scratch->edges, 2 * n, scratch->order, scratch->spare);
}

/* Adds a step unless it changes nothing; the edges of one moment make one step. */
static size_t add_step(pf_rate_step *out, size_t made, int64_t ts, pf_wide sum)
{
    double rate = ldexp((double)sum, -FRACTION_BITS);
    if (made && out[made - 1].ts == ts) {
        made--;
    }
    double before = made ? out[made - 1].rate : 0;
    if (rate < before || rate > before) {
        out[made++] = (pf_rate_step){ts, rate};
    }
    return made;
}

size_t pf_byte_rates(const pf_transfer *list, size_t n, pf_rate_step *out, const pf_rate_scratch *scratch)
{
    sort_edges(list, n, scratch);
    pf_wide sum = 0;
    size_t made = 0;
    for (size_t k = 0; k < 2 * n; k++) {
        uint32_t edge = scratch->order[k];
        sum = edge % 2 ? sum - rate_of_edge(list, edge) : sum + rate_of_edge(list, edge);
        made = add_step(out, made, scratch->edges[edge], sum);
    }
    return made;
}

double pf_byte_rate(uint64_t bytes, int64_t start, int64_t end)
{
    return end > start ? (double)bytes / (double)((uint64_t)end - (uint64_t)start) : 0;
}
