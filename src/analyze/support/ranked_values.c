/* analyze/support/ranked_values.c - a few order statistics of one array without sorting it.
 *
 * The values are counted by their highest bits. The counts say in which bucket the value of a rank is; only that
 * bucket, mostly a thousandth of the array, is then collected and selected from. All of this is done with the distance
 * of each value to the least one, which makes signed and unsigned values the same.
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

/* Neighbours often fall into the same bucket, whose counter would have to be there before the next one can be counted:
 * every other value has counters of its own. */
static void count_values(const uint64_t *a, size_t n, uint64_t most, buckets *b)
{
    size_t other[BUCKETS] = {0}, i = 0;
    unsigned bits = most != b->least ? 64 - (unsigned)__builtin_clzll(most - b->least) : 0;
    b->shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
    memset(b->count, 0, sizeof b->count);
    for (; i + 1 < n; i += 2) {
        b->count[bucket_of(b, a[i])]++;
        other[bucket_of(b, a[i + 1])]++;
    }
    if (i < n) {
        b->count[bucket_of(b, a[i])]++;
    }
    for (i = 0; i < BUCKETS; i++) {
        b->count[i] += other[i];
    }
}

/* The distances of the values in a bucket. */
static void collect(const uint64_t *a, const buckets *b, size_t bucket, uint64_t *out)
{
    size_t found = 0;
    for (size_t i = 0; found < b->count[bucket]; i++) {
        out[found] = a[i] - b->least;
        found += bucket_of(b, a[i]) == bucket;
    }
}

void pf_values_at_ranks(const uint64_t *a, size_t n, uint64_t least, uint64_t most, const size_t *rank, size_t ranks,
                        uint64_t *out, uint64_t *scratch)
{
    buckets b = {.least = least};
    size_t bucket = 0, before = 0, collected = BUCKETS;
    if (n <= SHORT) {
        for (size_t i = 0; i < n; i++) {
            scratch[i] = a[i] - least;
        }
        for (size_t i = 0; i < ranks; i++) {
            out[i] = least + pf_select_length(scratch, n, rank[i]);
        }
        return;
    }
    count_values(a, n, most, &b);
    for (size_t i = 0; i < ranks; i++) {
        for (; rank[i] - before >= b.count[bucket]; bucket++) {
            before += b.count[bucket];
        }
        if (b.shift == 0) { /* its values are all the same */
            out[i] = least + bucket;
            continue;
        }
        if (collected != bucket) {
            collect(a, &b, bucket, scratch);
            collected = bucket;
        }
        out[i] = least + pf_select_length(scratch, b.count[bucket], rank[i] - before);
    }
}
