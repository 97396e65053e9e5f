/* Rates over time, by hand. */
#include <criterion/criterion.h>

#include "analyze/support/drawing.h"

#define MOST 8

static size_t rates(const pf_transfer *list, size_t n, pf_rate_step *out)
{
    int64_t edges[2 * MOST];
    uint32_t order[2 * MOST], spare[2 * MOST];
    pf_rate_scratch scratch = {edges, order, spare};
    return pf_byte_rates(list, n, out, &scratch);
}

static void expect_step(pf_rate_step step, int64_t ts, double rate)
{
    cr_assert_eq(step.ts, ts);
    cr_assert_float_eq(step.rate, rate, 1e-9, "at %lld", (long long)ts);
}

Test(byte_rates, add_up_while_transfers_overlap)
{
    const pf_transfer list[] = {{10, 30, 40}, {0, 20, 100}, {20, 30, 5}};
    pf_rate_step out[2 * MOST];
    cr_assert_eq(rates(list, 3, out), 4);
    expect_step(out[0], 0, 5);
    expect_step(out[1], 10, 7);
    expect_step(out[2], 20, 2.5);
    expect_step(out[3], 30, 0);
}

Test(byte_rates, say_nothing_where_nothing_changes)
{
    const pf_transfer list[] = {{0, 10, 20}, {10, 30, 40}, {40, 50, 0}};
    pf_rate_step out[2 * MOST];
    cr_assert_eq(rates(list, 3, out), 2);
    expect_step(out[0], 0, 2);
    expect_step(out[1], 30, 0);
    cr_assert_eq(rates(list, 0, out), 0);
}

/* Thirds do not add up in binary; the last step is 0 all the same. */
Test(byte_rates, end_at_exactly_zero)
{
    const pf_transfer list[] = {{0, 3, 1}, {1, 7, 1000000007}, {2, 5, 1}, {3, 9, UINT64_MAX}};
    pf_rate_step out[2 * MOST];
    size_t n = rates(list, 4, out);
    cr_assert_eq(out[n - 1].ts, 9);
    cr_assert_eq(out[n - 1].rate, 0);
    const pf_transfer whole = {INT64_MIN, INT64_MAX, UINT64_MAX};
    cr_assert_eq(rates(&whole, 1, out), 2);
    expect_step(out[0], INT64_MIN, 1);
    cr_assert_eq(pf_byte_rate(30, 5, 20), 2);
    cr_assert_eq(pf_byte_rate(30, 5, 5), 0);
}
