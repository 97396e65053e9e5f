/* Clocks of a test: snapshots of two of them, and conversions that must work. */
#ifndef TEST_PERFETTO_CLOCK_SUPPORT_H
#define TEST_PERFETTO_CLOCK_SUPPORT_H

#include <criterion/criterion.h>

#include "perfetto/clock.h"
#include "perfetto/fields.h"

static pf_budget budget;

static inline void open_clocks(pf_clocks *c)
{
    pf_budget_init(&budget, NULL);
    pf_clocks_init(c, &budget);
}

static inline void close_clocks(pf_clocks *c)
{
    pf_clocks_free(c);
    cr_expect_eq(budget.used, 0);
}

static inline pf_clock_outcome pair(pf_clocks *c, uint32_t a, uint64_t ta, uint32_t b, uint64_t tb, uint32_t primary)
{
    const pf_clock_reading r[2] = {{.clock = {a, 0}, .timestamp = ta}, {.clock = {b, 0}, .timestamp = tb}};
    return pf_clocks_snapshot(c, r, 2, primary);
}

static inline int64_t convert(pf_clocks *c, uint32_t id, int64_t value)
{
    int64_t ns = INT64_MIN;
    cr_assert_eq(pf_clocks_convert(c, (pf_clock_key){id, 0}, value, &ns), PF_CLOCK_OK, "clock %u", id);
    return ns;
}

#endif
