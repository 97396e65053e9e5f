/* analyze/support/byte_rates.h - transfers over time: how many bytes per time unit move at each moment.
 *
 * Every transfer spreads its bytes evenly over its length, and the rate at a moment is the sum over those that are
 * under way. The result is a step function, which a counter track draws.
 */
#ifndef PF_ANALYZE_SUPPORT_BYTE_RATES_H
#define PF_ANALYZE_SUPPORT_BYTE_RATES_H

#include "postfetto/base.h"

/* start < end. */
typedef struct pf_transfer {
    int64_t start, end;
    uint64_t bytes;
} pf_transfer;

/* From ts on, until the next step. */
typedef struct pf_rate_step {
    int64_t ts;
    double rate; /* bytes per time unit: GB/s where that is ns */
} pf_rate_step;

/* Working memory, each with room for 2 * n. */
typedef struct pf_rate_scratch {
    int64_t *edges;
    uint32_t *order, *spare;
} pf_rate_scratch;

/* The steps, each at another time and with another rate than the one before it; the last has rate 0. Transfers in any
 * order, n < 2^31; `out` has room for 2 * n. O(n log n). Returns the number of steps. */
size_t pf_byte_rates(const pf_transfer *list, size_t n, pf_rate_step *out, const pf_rate_scratch *scratch);

/* bytes / length, 0 where there is no length. */
double pf_byte_rate(uint64_t bytes, int64_t start, int64_t end);

#endif
