/* The clock graph: values worked out by hand from docs/reference/perfetto.md. */
#include "clock_support.h"

Test(clock, without_snapshots_only_the_boot_clock_is_known)
{
    pf_clocks c;
    int64_t ns;
    open_clocks(&c);
    cr_expect_eq(c.default_id, 0);
    cr_expect_eq(convert(&c, PF_CLOCK_BOOTTIME, 123), 123);
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){PF_CLOCK_MONOTONIC, 0}, 5, &ns), PF_CLOCK_NO_PATH);
    close_clocks(&c);
}

Test(clock, offsets_are_piecewise_constant)
{
    pf_clocks c;
    open_clocks(&c);
    cr_expect_eq(pair(&c, 3, 1000, 6, 5001000, 0), PF_CLOCK_OK);
    cr_expect_eq(pair(&c, 3, 2000, 6, 5003000, 0), PF_CLOCK_OK);
    cr_expect_eq(c.default_id, PF_CLOCK_BOOTTIME);
    cr_expect_eq(convert(&c, 3, 500), 5000500);
    cr_expect_eq(convert(&c, 3, 1999), 5001999);
    cr_expect_eq(convert(&c, 3, 2000), 5003000);
    cr_expect_eq(convert(&c, 3, 2001), 5003001);
    close_clocks(&c);
}

/* Whether a conversion at hand takes the value; what it finds must be what the clocks find. */
static bool takes(pf_clocks *c, const pf_clock_known *k, uint64_t value)
{
    int64_t ns = -1;
    bool taken = pf_clock_convert_known(k, value, &ns);
    if (taken) {
        cr_expect_eq(ns, convert(c, 3, (int64_t)value), "value %llu", (unsigned long long)value);
    }
    return taken;
}

/* No time is negative or larger than times can be, and a stretch ends where the next snapshot begins. */
Test(clock, a_conversion_at_hand_knows_its_limits)
{
    pf_clocks c;
    pf_clock_known k;
    open_clocks(&c);
    cr_expect_eq(pair(&c, 3, 1000, 6, 400, 0), PF_CLOCK_OK);
    cr_expect_eq(pair(&c, 3, 2000, 6, 5000, 0), PF_CLOCK_OK);
    cr_expect(!pf_clocks_last(&c, (pf_clock_key){3, 0}, &k), "nothing was converted");
    cr_expect_eq(convert(&c, 3, 700), 100);
    cr_assert(pf_clocks_last(&c, (pf_clock_key){3, 0}, &k));
    cr_expect(!takes(&c, &k, 0));
    cr_expect(!takes(&c, &k, 599));
    cr_expect(takes(&c, &k, 600));
    cr_expect_eq(convert(&c, 3, 1500), 900);
    cr_assert(pf_clocks_last(&c, (pf_clock_key){3, 0}, &k));
    cr_expect(takes(&c, &k, 1999));
    cr_expect(!takes(&c, &k, 2000));
    cr_expect(!pf_clock_is_identity(&k));
    cr_expect_eq(convert(&c, 3, 2500), 5500);
    cr_assert(pf_clocks_last(&c, (pf_clock_key){3, 0}, &k));
    cr_expect(!takes(&c, &k, 1999));
    cr_expect(takes(&c, &k, 2000));
    cr_expect(takes(&c, &k, INT64_MAX - 3001));
    cr_expect(!takes(&c, &k, INT64_MAX - 2999), "beyond the largest time");
    cr_expect(!takes(&c, &k, UINT64_MAX));
    cr_assert(pf_clocks_last(&c, (pf_clock_key){6, 0}, &k), "the trace clock");
    cr_expect(pf_clock_is_identity(&k));
    close_clocks(&c);
}

Test(clock, path_over_several_series)
{
    pf_clocks c;
    int64_t ns;
    open_clocks(&c);
    pair(&c, 200, 10, 201, 1010, 0);
    pair(&c, 201, 1000, 202, 31000, 0);
    pair(&c, 202, 0, 203, 7, 0);
    pair(&c, 203, 0, 6, 1000000, 0);
    /* 200 -> 201: +1000, -> 202: +30000, -> 203: +7, -> 6: +1000000 */
    cr_expect_eq(convert(&c, 200, 1), 1031008);
    pair(&c, 199, 0, 200, 5, 0);
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){199, 0}, 1, &ns), PF_CLOCK_NO_PATH, "five hops");
    pair(&c, 199, 0, 203, 1, 0);
    cr_expect_eq(convert(&c, 199, 1), 1000002);
    close_clocks(&c);
}

Test(clock, shortest_path_wins_then_the_lower_clock)
{
    pf_clocks c;
    open_clocks(&c);
    pair(&c, 300, 0, 131, 100, 0);
    pair(&c, 300, 0, 130, 200, 0);
    pair(&c, 131, 0, 6, 1000, 0);
    pair(&c, 130, 0, 6, 2000, 0);
    cr_expect_eq(convert(&c, 300, 0), 2200);
    pair(&c, 300, 0, 6, 77, 0);
    cr_expect_eq(convert(&c, 300, 0), 77);
    close_clocks(&c);
}

Test(clock, invalid_snapshots)
{
    pf_clocks c;
    open_clocks(&c);
    const pf_clock_reading twice[2] = {{.clock = {3, 0}, .timestamp = 1}, {.clock = {3, 0}, .timestamp = 1}};
    const pf_clock_reading incremental[1] = {{.clock = {3, 0}, .timestamp = 1, .incremental = true}};
    const pf_clock_reading units[2] = {{.clock = {200, 0}, .timestamp = 1, .unit = 5},
                                       {.clock = {6, 0}, .timestamp = 9}};
    const pf_clock_reading other[2] = {{.clock = {200, 0}, .timestamp = 1, .unit = 6},
                                       {.clock = {6, 0}, .timestamp = 9}};
    cr_expect_eq(pf_clocks_snapshot(&c, twice, 2, 0), PF_CLOCK_INVALID);
    cr_expect_eq(pf_clocks_snapshot(&c, incremental, 1, 0), PF_CLOCK_INVALID, "known as absolute");
    cr_expect_eq(pf_clocks_snapshot(&c, units, 2, 0), PF_CLOCK_OK);
    cr_expect_eq(pf_clocks_snapshot(&c, other, 2, 0), PF_CLOCK_INVALID);
    cr_expect_eq(convert(&c, 200, 2), 9 - 5 + 10);
    cr_expect_eq(pair(&c, 3, 10, 6, 100, 0), PF_CLOCK_OK);
    cr_expect_eq(pair(&c, 3, 20, 6, 50, 0), PF_CLOCK_INVALID, "the trace clock runs backwards");
    close_clocks(&c);
}

Test(clock, a_clock_that_runs_backwards_is_no_source_any_more)
{
    pf_clocks c;
    int64_t ns;
    open_clocks(&c);
    pair(&c, 3, 1000, 6, 5000, 0);
    cr_expect_eq(convert(&c, 3, 1001), 5001);
    pair(&c, 3, 900, 6, 6000, 0);
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){3, 0}, 1001, &ns), PF_CLOCK_NO_PATH);
    close_clocks(&c);
}

/* A clock that stood still meanwhile can still be converted. */
Test(clock, only_what_runs_backwards_is_no_source_any_more)
{
    pf_clocks c;
    int64_t ns;
    const pf_clock_reading first[3] = {
        {.clock = {3, 0}, .timestamp = 1000}, {.clock = {4, 0}, .timestamp = 70}, {.clock = {6, 0}, .timestamp = 5000}};
    const pf_clock_reading second[3] = {
        {.clock = {3, 0}, .timestamp = 900}, {.clock = {4, 0}, .timestamp = 70}, {.clock = {6, 0}, .timestamp = 6000}};
    open_clocks(&c);
    cr_expect_eq(pf_clocks_snapshot(&c, first, 3, 0), PF_CLOCK_OK);
    cr_expect_eq(pf_clocks_snapshot(&c, second, 3, 0), PF_CLOCK_OK);
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){3, 0}, 1001, &ns), PF_CLOCK_NO_PATH);
    cr_expect_eq(convert(&c, 4, 75), 6005);
    close_clocks(&c);
}

Test(clock, the_trace_clock_is_fixed_by_the_first_conversion)
{
    pf_clocks c;
    open_clocks(&c);
    pair(&c, 3, 1000, 6, 5000, 3);
    cr_expect_eq(c.default_id, 3);
    cr_expect_eq(convert(&c, 6, 5500), 1500);
    pair(&c, 3, 2000, 6, 6000, 6);
    cr_expect_eq(c.default_id, 6);
    cr_expect_eq(convert(&c, 6, 6500), 2500);
    close_clocks(&c);
}

/* The incremental distances agree with a search from scratch, whatever the order of the snapshots. */
Test(clock, order_of_snapshots_does_not_matter)
{
    static const uint32_t edges[][2] = {{200, 201}, {201, 202}, {202, 203}, {203, 6},   {200, 204},
                                        {204, 6},   {205, 200}, {205, 203}, {206, 205}, {207, 206}};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (unsigned first = 0; first < EDGES; first++) {
        pf_clocks c;
        int64_t ns;
        open_clocks(&c);
        pair(&c, 299, 0, 6, 0, 6);
        convert(&c, 299, 0); /* distances are kept up from here on */
        for (unsigned i = 0; i < EDGES; i++) {
            unsigned e = (first + i * 3) % EDGES;
            cr_assert_eq(pair(&c, edges[e][0], 0, edges[e][1], 1u << e, 0), PF_CLOCK_OK);
        }
        /* 200-204-6; 205-203-6 (three hops over 200 would be longer); 206-205-203-6; 207-206-205-203-6 */
        cr_expect_eq(convert(&c, 200, 0), 16 + 32);
        cr_expect_eq(convert(&c, 205, 0), 128 + 8);
        cr_expect_eq(convert(&c, 206, 0), 256 + 128 + 8);
        cr_expect_eq(convert(&c, 207, 0), 512 + 256 + 128 + 8, "starting with %u", first);
        pair(&c, 208, 0, 207, 0, 0);
        cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){208, 0}, 0, &ns), PF_CLOCK_NO_PATH, "five hops");
        close_clocks(&c);
    }
}

Test(clock, too_many_clocks_or_series)
{
    pf_clocks c;
    pf_clock_reading r[PF_CLOCKS_PER_SNAPSHOT + 1] = {{.timestamp = 0}};
    open_clocks(&c);
    for (uint32_t i = 0; i <= PF_CLOCKS_PER_SNAPSHOT; i++) {
        r[i].clock.id = 1000 + i;
    }
    cr_expect_eq(pf_clocks_snapshot(&c, r, PF_CLOCKS_PER_SNAPSHOT + 1, 0), PF_CLOCK_INVALID);
    cr_expect_eq(pf_clocks_snapshot(&c, r, PF_CLOCKS_PER_SNAPSHOT, 0), PF_CLOCK_OK);
    for (uint32_t i = 1; i < PF_CLOCK_SERIES_MAX; i++) {
        cr_assert_eq(pair(&c, 2000 + i, 0, 6, 0, 0), PF_CLOCK_OK);
    }
    cr_expect_eq(pair(&c, 99999, 0, 6, 0, 0), PF_CLOCK_INVALID);
    close_clocks(&c);
}
