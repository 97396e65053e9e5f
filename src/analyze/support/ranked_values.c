/* analyze/support/ranked_values.c - a few order statistics of one array without sorting it.
 *
 * The values are counted by their highest bits. The counts say in which bucket the value of a rank is; only that
 * bucket, mostly a thousandth of the array, is then collected and selected from.
 */
#include <string.h>

#include "analyze/support/order_stats.h"

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS, SHORT = 64 };

typedef struct buckets {
    uint64_t least;
    unsigned shift;
    size_t count[BUCKETS];
} buckets;

static inline size_t bucket_of(const buckets *b, uint64_t v)
{
    return (size_t)((v - b->least) >> b->shift);
}

static void count_values(const uint64_t *a, size_t n, buckets *b)
{
    uint64_t most = a[0];
    b->least = a[0];
    for (size_t i = 1; i < n; i++) {
        b->least = a[i] < b->least ? a[i] : b->least;
        most = a[i] > most ? a[i] : most;
    }
    unsigned bits = most > b->least ? 64 - (unsigned)__builtin_clzll(most - b->least) : 0;
    b->shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
    memset(b->count, 0, sizeof b->count);
    for (size_t i = 0; i < n; i++) {
        b->count[bucket_of(b, a[i])]++;
    }
}

static size_t collect(const uint64_t *a, size_t n, const buckets *b, size_t bucket, uint64_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        out[found] = a[i];
        found += bucket_of(b, a[i]) == bucket;
        if (found == b->count[bucket]) {
            break;
        }
    }
    return found;
}

void pf_values_at_ranks(uint64_t *a, size_t n, const size_t *rank, size_t ranks, uint64_t *out, uint64_t *scratch)
{
    buckets b;
    size_t bucket = 0, before = 0, collected = BUCKETS;
    if (n <= SHORT) {
        pf_sort_lengths(a, n, scratch);
        for (size_t i = 0; i < ranks; i++) {
            out[i] = a[rank[i]];
        }
        return;
    }
    count_values(a, n, &b);
    for (size_t i = 0; i < ranks; i++) {
        for (; rank[i] - before >= b.count[bucket]; bucket++) {
            before += b.count[bucket];
        }
        if (collected != bucket) {
            collect(a, n, &b, bucket, scratch);
            collected = bucket;
        }
        out[i] = pf_select_length(scratch, b.count[bucket], rank[i] - before);
    }
}
