/* Sorting, medians, exact division. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/support/order_stats.h"

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_length(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* splitmix64: a fixed sequence, the same on every machine. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

Test(stats, sorts_times_of_all_signs)
{
    int64_t a[] = {5, INT64_MIN, -1, INT64_MAX, 0, -1, 7}, scratch[7];
    const int64_t sorted[] = {INT64_MIN, -1, -1, 0, 5, 7, INT64_MAX};
    pf_sort_times(a, 7, scratch);
    cr_assert_arr_eq(a, sorted, sizeof sorted);
}

Test(stats, sorts_like_the_library_for_every_size)
{
    enum { MOST = 300 };
    int64_t times[MOST], expected[MOST], scratch[MOST];
    uint64_t lengths[MOST], expected_lengths[MOST], length_scratch[MOST];
    uint64_t state = 1;
    for (size_t n = 0; n <= MOST; n++) {
        unsigned shift = (unsigned)(next(&state) % 64); /* small ranges make many equal keys */
        for (size_t i = 0; i < n; i++) {
            times[i] = expected[i] = (int64_t)next(&state) >> shift;
            lengths[i] = expected_lengths[i] = next(&state) >> shift;
        }
        qsort(expected, n, sizeof *expected, by_time);
        qsort(expected_lengths, n, sizeof *expected_lengths, by_length);
        pf_sort_times(times, n, scratch);
        pf_sort_lengths(lengths, n, length_scratch);
        cr_assert_eq(memcmp(times, expected, n * sizeof *times), 0, "%zu times", n);
        cr_assert_eq(memcmp(lengths, expected_lengths, n * sizeof *lengths), 0, "%zu lengths", n);
    }
}

Test(stats, order_is_stable)
{
    const int64_t keys[] = {3, 1, 3, -2, 1};
    const uint32_t expected[] = {3, 1, 4, 0, 2};
    uint32_t order[5], scratch[5];
    pf_sort_order(keys, 5, order, scratch);
    cr_assert_arr_eq(order, expected, sizeof expected);
}

Test(stats, order_of_what_is_in_order)
{
    const int64_t keys[] = {INT64_MIN, 0, 0, 9};
    const uint32_t expected[] = {0, 1, 2, 3};
    uint32_t order[4], scratch[4];
    pf_sort_order(keys, 4, order, scratch);
    cr_assert_arr_eq(order, expected, sizeof expected);
}

Test(stats, order_of_many)
{
    enum { N = 1000 };
    int64_t keys[N];
    uint32_t order[N], scratch[N];
    uint64_t state = 7;
    for (size_t i = 0; i < N; i++) {
        keys[i] = (int64_t)(next(&state) % 50);
    }
    pf_sort_order(keys, N, order, scratch);
    for (size_t i = 1; i < N; i++) {
        bool in_order =
            keys[order[i - 1]] < keys[order[i]] || (keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]);
        cr_assert(in_order, "position %zu", i);
    }
}

Test(stats, median_of_an_odd_count_is_an_element)
{
    const uint64_t a[] = {1, 5, UINT64_MAX};
    pf_median m = pf_median_of_sorted(a, 3);
    cr_assert(m.whole);
    cr_assert_eq(m.length, 5);
    cr_assert_eq(m.value, 5.0);
}

Test(stats, median_of_an_even_count_is_a_double)
{
    const uint64_t a[] = {10, 13}, whole[] = {10, 12};
    cr_assert_not(pf_median_of_sorted(a, 2).whole);
    cr_assert_eq(pf_median_of_sorted(a, 2).value, 11.5);
    cr_assert_not(pf_median_of_sorted(whole, 2).whole);
    cr_assert_eq(pf_median_of_sorted(whole, 2).value, 11.0);
}

/* The sum exceeds 64 bits: (2^64 - 1 + 2^64 - 1) / 2 rounds to 2^64. */
Test(stats, median_does_not_overflow)
{
    const uint64_t a[] = {UINT64_MAX, UINT64_MAX};
    cr_assert_eq(pf_median_of_sorted(a, 2).value, 18446744073709551616.0);
}

Test(stats, small_division_is_plain)
{
    cr_assert_eq(pf_divide_exact(1466, 3), 1466.0 / 3.0);
    cr_assert_eq(pf_divide_exact(0, 7), 0.0);
}

/* Values of Python 3: (2**53 + 1) / 1, (2**54 + 3) / 2, (2**64 * 3 + 1) / 3, (10**30) / 7, (2**96 - 1) / (2**32). */
Test(stats, large_division_rounds_once)
{
    pf_wide ten30 = (pf_wide)1000000000000000ull * 1000000000000000ull;
    cr_assert_eq(pf_divide_exact(((pf_wide)1 << 53) + 1, 1), 9007199254740992.0);
    cr_assert_eq(pf_divide_exact(((pf_wide)1 << 54) + 3, 2), 9007199254740994.0);
    cr_assert_eq(pf_divide_exact(((pf_wide)3 << 64) + 1, 3), 18446744073709551616.0);
    cr_assert_eq(pf_divide_exact(ten30, 7), 1.4285714285714285e+29);
    cr_assert_eq(pf_divide_exact(((pf_wide)1 << 96) - 1, 1ull << 32), 18446744073709551616.0);
}

/* 2^53 + 1 lies half way between two doubles; a remainder far below must break the tie upwards. */
Test(stats, the_remainder_breaks_ties)
{
    pf_wide tie = (((pf_wide)1 << 53) + 1) * 1000;
    cr_assert_eq(pf_divide_exact(tie, 1000), 9007199254740992.0);
    cr_assert_eq(pf_divide_exact(tie + 1, 1000), 9007199254740994.0);
}

Test(stats, truncation_saturates)
{
    cr_assert_eq(pf_truncate_length(0.75), 0);
    cr_assert_eq(pf_truncate_length(41.999), 41);
    cr_assert_eq(pf_truncate_length(18446744073709551616.0), UINT64_MAX);
    cr_assert_eq(pf_truncate_length(1e300), UINT64_MAX);
}

/* Every place of arrays of a few values, in an order that changes from one to the next. */
Test(stats, selection_finds_what_sorting_finds)
{
    for (size_t n = 1; n < 40; n++) {
        for (size_t k = 0; k < n; k++) {
            uint64_t lengths[40], sorted[40], scratch[40];
            double reals[40];
            for (size_t i = 0; i < n; i++) {
                lengths[i] = sorted[i] = (i * 7919 + k * 31) % 23;
                reals[i] = (double)lengths[i] - 11.5;
            }
            pf_sort_lengths(sorted, n, scratch);
            cr_assert_eq(pf_select_length(lengths, n, k), sorted[k], "%zu of %zu", k, n);
            cr_assert_eq(pf_select_real(reals, n, k), (double)sorted[k] - 11.5, "%zu of %zu", k, n);
        }
    }
}

/* Values of which each round of the selection takes only one away: the pivot is always the least that is left. */
Test(stats, selection_of_values_made_to_be_slow)
{
    enum { COUNT = 2000 };
    static size_t place[COUNT];
    static uint64_t slow[COUNT], lengths[COUNT];
    static double reals[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        place[i] = i;
    }
    for (size_t lo = 0; lo < COUNT; lo++) {
        size_t middle = lo + (COUNT - 1 - lo) / 2, swap = place[lo];
        slow[place[middle]] = lo;
        place[lo] = place[middle];
        place[middle] = swap;
    }
    static const size_t asked[] = {0, 100, 256, 257, 1000, 1998, 1999};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        memcpy(lengths, slow, sizeof slow);
        for (size_t i = 0; i < COUNT; i++) {
            reals[i] = (double)slow[i];
        }
        cr_expect_eq(pf_select_length(lengths, COUNT, asked[k]), asked[k]);
        cr_expect_eq(pf_select_real(reals, COUNT, asked[k]), (double)asked[k]);
    }
}
