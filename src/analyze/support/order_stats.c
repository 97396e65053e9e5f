/* analyze/support/order_stats.c - sorting, medians and exact averages.
 *
 * Times of a trace are nearly always in order, so every sort looks first. What is not in order goes through a radix
 * sort: byte by byte from the lowest, each pass stable, a byte that is the same everywhere costs nothing. It is linear
 * whatever the input, which matters because the input is untrusted. Signed times are sorted as unsigned ones with the
 * sign bit flipped.
 *
 * An average of integers is one correctly rounded division, also where sum or count do not fit a double: the quotient
 * is taken with at least 55 bits in integers, the remainder survives as one sticky bit, and the single rounding happens
 * in the conversion to double.
 */
#include "analyze/support/order_stats.h"

#include <math.h>

#include "model/trace/row_sort.h"

#define SMALL 32

static bool in_order(const uint64_t *a, size_t n, uint64_t flip)
{
    size_t i = 1;
    while (i < n && (a[i] ^ flip) >= (a[i - 1] ^ flip)) {
        i++;
    }
    return i >= n;
}

static void insertion_sort(uint64_t *a, size_t n, uint64_t flip)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t v = a[i];
        size_t j = i;
        for (; j > 0 && (a[j - 1] ^ flip) > (v ^ flip); j--) {
            a[j] = a[j - 1];
        }
        a[j] = v;
    }
}

static void radix_sort(uint64_t *a, size_t n, uint64_t *scratch, uint64_t flip)
{
    uint64_t varying = 0; /* the bits that are not the same everywhere */
    for (size_t i = 1; i < n; i++) {
        varying |= a[i] ^ a[0];
    }
    uint64_t *from = a, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((varying >> shift) & 0xFF) == 0) {
            continue;
        }
        size_t at[256] = {0};
        for (size_t i = 0; i < n; i++) {
            at[((from[i] ^ flip) >> shift) & 0xFF]++;
        }
        size_t sum = 0;
        for (unsigned b = 0; b < 256; b++) {
            size_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++) {
            to[at[((from[i] ^ flip) >> shift) & 0xFF]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != a) {
        memcpy(a, from, n * sizeof *a);
    }
}

static void sort64(uint64_t *a, size_t n, uint64_t *scratch, uint64_t flip)
{
    if (in_order(a, n, flip)) {
        return;
    }
    if (n <= SMALL) {
        insertion_sort(a, n, flip);
    } else {
        radix_sort(a, n, scratch, flip);
    }
}

void pf_sort_times(int64_t *a, size_t n, int64_t *scratch)
{
    sort64((uint64_t *)a, n, (uint64_t *)scratch, 1ull << 63);
}

void pf_sort_lengths(uint64_t *a, size_t n, uint64_t *scratch)
{
    sort64(a, n, scratch, 0);
}

static bool is_later(const void *keys, uint32_t a, uint32_t b)
{
    const int64_t *key = keys;
    return key[a] > key[b];
}

void pf_sort_order(const int64_t *keys, size_t n, uint32_t *order, uint32_t *scratch)
{
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
    }
    pf_sort_rows_by(order, scratch, (uint32_t)n, is_later, keys);
}

pf_median pf_median_of_sorted(const uint64_t *a, size_t n)
{
    uint64_t high = a[n / 2];
    if (n % 2) {
        return (pf_median){.whole = true, .length = high, .value = (double)high};
    }
    return (pf_median){.value = (double)((pf_wide)a[n / 2 - 1] + high) / 2};
}

static unsigned bits_of(pf_wide v)
{
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
    return high ? 128 - (unsigned)__builtin_clzll(high) : low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

double pf_divide_exact(pf_wide numerator, uint64_t denominator)
{
    const uint64_t exact = 1ull << 53;
    if (numerator <= exact && denominator <= exact) {
        return (double)(uint64_t)numerator / (double)denominator;
    }
    int shift = 55 + (int)bits_of(denominator) - (int)bits_of(numerator);
    pf_wide scaled = shift > 0 ? numerator << shift : numerator;
    pf_wide quotient = scaled / denominator;
    if (scaled % denominator) {
        quotient |= 1; /* below the rounding position: only breaks ties */
    }
    return ldexp((double)quotient, shift > 0 ? -shift : 0);
}

uint64_t pf_truncate_length(double v)
{
    return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}

/* Quickselect with the middle element as pivot, for values of one type. Each round halves the rest of values that are
 * not chosen to be bad for it; what is left after enough rounds for that is sorted by a heap. */
enum { ROUNDS_MAX = 256 };

#define DEFINE_SELECT(name, sink, type)                                                                                \
    static void sink(type *a, size_t n, size_t i)                                                                      \
    {                                                                                                                  \
        const type v = a[i];                                                                                           \
        for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {                                                 \
            child += child + 1 < n && a[child + 1] > a[child];                                                         \
            if (!(a[child] > v)) {                                                                                     \
                break;                                                                                                 \
            }                                                                                                          \
            a[i] = a[child];                                                                                           \
            i = child;                                                                                                 \
        }                                                                                                              \
        a[i] = v;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    type name(type *a, size_t n, size_t k)                                                                             \
    {                                                                                                                  \
        size_t lo = 0, hi = n - 1;                                                                                     \
        for (unsigned round = 0; lo < hi && round < ROUNDS_MAX; round++) {                                             \
            const type pivot = a[lo + (hi - lo) / 2];                                                                  \
            size_t i = lo, j = hi;                                                                                     \
            while (true) {                                                                                             \
                for (; a[i] < pivot; i++) {                                                                            \
                }                                                                                                      \
                for (; a[j] > pivot; j--) {                                                                            \
                }                                                                                                      \
                if (i >= j) {                                                                                          \
                    break;                                                                                             \
                }                                                                                                      \
                const type swap = a[i];                                                                                \
                a[i++] = a[j];                                                                                         \
                a[j--] = swap;                                                                                         \
            }                                                                                                          \
            hi = k <= j ? j : hi;                                                                                      \
            lo = k <= j ? lo : j + 1;                                                                                  \
        }                                                                                                              \
        size_t left = hi - lo + 1;                                                                                     \
        for (size_t i = left / 2; left > 1 && i-- > 0;) {                                                              \
            sink(a + lo, left, i);                                                                                     \
        }                                                                                                              \
        for (; left > 1; left--) {                                                                                     \
            const type most = a[lo];                                                                                   \
            a[lo] = a[lo + left - 1];                                                                                  \
            a[lo + left - 1] = most;                                                                                   \
            sink(a + lo, left - 1, 0);                                                                                 \
        }                                                                                                              \
        return a[k];                                                                                                   \
    }

DEFINE_SELECT(pf_select_length, sink_length, uint64_t)
DEFINE_SELECT(pf_select_real, sink_real, double)
