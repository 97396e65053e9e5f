/* read/tinygrad/counters/pmc_values.c - values and sums of hardware counters. A sum may need more than 64 bits. */
#include "read/tinygrad/counters/counters.h"

#include "wire/cursor.h"

/* The number of places, -1 if that is no sensible number. */
static int64_t places(const pf_pmc_counter *c)
{
    const int64_t sizes[] = {c->xcc, c->instances, c->se, c->sa, c->wgp};
    int64_t product = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] < 0 || __builtin_mul_overflow(product, sizes[i], &product)) {
            return -1;
        }
    }
    return product;
}

pf_bytes pf_pmc_values(pf_bytes blob, const pf_pmc_counter *c)
{
    bool inside = c->offset >= 0 && c->size >= 0 && (uint64_t)c->offset <= blob.len &&
                  (uint64_t)c->size <= blob.len - (uint64_t)c->offset;
    if (!inside || c->size % 8 || places(c) != c->size / 8) {
        return (pf_bytes){NULL, 0};
    }
    return (pf_bytes){blob.ptr + c->offset, (size_t)c->size};
}

uint64_t pf_pmc_value(pf_bytes values, size_t i)
{
    return pf_load64(values.ptr + i * 8);
}

pf_pmc_sum pf_pmc_total(pf_bytes values)
{
    pf_pmc_sum sum = 0;
    for (size_t i = 0; i < values.len / 8; i++) {
        sum += pf_pmc_value(values, i);
    }
    return sum;
}

size_t pf_pmc_print(pf_pmc_sum sum, char text[PF_PMC_DIGITS])
{
    char reversed[PF_PMC_DIGITS];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + (int)(sum % 10));
        sum /= 10;
    } while (sum);
    for (size_t i = 0; i < n; i++) {
        text[i] = reversed[n - 1 - i];
    }
    text[n] = '\0';
    return n;
}
