/* What clocks and readings are taken, equal ways, and stretches over several hops: values worked out by hand from
 * docs/reference/perfetto.md, or by a second computation. */
#include "clock_support.h"

/* Of two ways of the same length over the same clock, the series that was known first is taken, whether distances are
 * kept up or measured anew. */
Test(clock_rules, of_equal_ways_the_first_one_known)
{
    const pf_clock_reading three[3] = {
        {.clock = {3, 0}, .timestamp = 0}, {.clock = {4, 0}, .timestamp = 0}, {.clock = {6, 0}, .timestamp = 200}};
    for (int anew = 0; anew < 2; anew++) {
        pf_clocks c;
        open_clocks(&c);
        pair(&c, 299, 0, 6, 0, 6);
        if (!anew) {
            cr_expect_eq(convert(&c, 299, 0), 0);
        }
        pair(&c, 3, 0, 6, 100, 0);
        cr_expect_eq(pf_clocks_snapshot(&c, three, 3, 0), PF_CLOCK_OK);
        cr_expect_eq(convert(&c, 3, 0), 100, "anew: %d", anew);
        cr_expect_eq(convert(&c, 4, 0), 200, "anew: %d", anew);
        close_clocks(&c);
    }
}

/* A trace clock that no snapshot reads yet leads nowhere; one named later, before any conversion, takes its place. */
Test(clock_rules, trace_clocks_that_are_read_later)
{
    pf_clocks c;
    int64_t ns;
    open_clocks(&c);
    pair(&c, 3, 10, 4, 20, 6);
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){3, 0}, 10, &ns), PF_CLOCK_NO_PATH);
    cr_expect_eq(convert(&c, 6, 5), 5);
    pair(&c, 4, 20, 6, 400, 0);
    cr_expect_eq(convert(&c, 3, 11), 401);
    close_clocks(&c);
    open_clocks(&c);
    pair(&c, 3, 10, 6, 500, 3);
    pair(&c, 4, 0, 6, 30, 6);
    cr_expect_eq(convert(&c, 3, 11), 501);
    cr_expect_eq(convert(&c, 4, 1), 31);
    close_clocks(&c);
}

/* The boot clock is the default where it is read without the clock of the file. */
Test(clock_rules, which_clock_is_the_default)
{
    static const struct {
        uint32_t a, b, primary, want;
    } all[] = {{3, 6, 0, 6},
               {6, 3, 0, 6},
               {6, PF_CLOCK_TRACE_FILE, 0, 0},
               {PF_CLOCK_TRACE_FILE, 6, 0, 0},
               {3, PF_CLOCK_TRACE_FILE, 0, 0},
               {3, 4, 0, 0},
               {3, 6, 3, 3},
               {6, PF_CLOCK_TRACE_FILE, 6, 6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pf_clocks c;
        open_clocks(&c);
        cr_expect_eq(pair(&c, all[i].a, 0, all[i].b, 0, all[i].primary), PF_CLOCK_OK);
        cr_expect_eq(c.default_id, all[i].want, "%zu: %u", i, c.default_id);
        cr_expect_eq(c.claimed, all[i].want != 0, "%zu", i);
        close_clocks(&c);
    }
}

/* So many clocks may run backwards; a snapshot in which one more does is invalid and changes nothing. */
Test(clock_rules, too_many_that_run_backwards)
{
    pf_clocks c;
    int64_t ns;
    open_clocks(&c);
    for (uint32_t i = 0; i <= PF_CLOCKS_BACKWARDS_MAX; i++) {
        bool last = i == PF_CLOCKS_BACKWARDS_MAX;
        cr_assert_eq(pair(&c, 2000 + i, 10, 6, 100, 0), PF_CLOCK_OK);
        cr_assert_eq(pair(&c, 2000 + i, 5, 6, 200, 0), last ? PF_CLOCK_INVALID : PF_CLOCK_OK, "%u", i);
        cr_assert_eq(pair(&c, 2000 + i, last ? 20 : 4, 6, 300, 0), PF_CLOCK_OK, "known to run backwards: %u", i);
    }
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){2000, 0}, 10, &ns), PF_CLOCK_NO_PATH);
    cr_expect_eq(convert(&c, 2000 + PF_CLOCKS_BACKWARDS_MAX, 19), 109);
    cr_expect_eq(convert(&c, 2000 + PF_CLOCKS_BACKWARDS_MAX, 21), 301);
    close_clocks(&c);
}

/* Ticks of 1000 ns that count on from the one before, in each sequence. */
Test(clock_rules, incremental_clocks_count_on)
{
    pf_clocks c;
    pf_clock_known k;
    pf_clock_reading r[2] = {{.clock = {64, 1}, .timestamp = 5, .unit = 1000, .incremental = true},
                             {.clock = {6, 0}, .timestamp = 100000, .unit = 1}};
    const pf_clock_key key = r[0].clock;
    int64_t ns;
    open_clocks(&c);
    cr_expect_eq(pf_clocks_snapshot(&c, r, 2, 0), PF_CLOCK_OK);
    cr_expect_eq(pf_clocks_convert(&c, key, 2, &ns), PF_CLOCK_OK);
    cr_expect_eq(ns, 102000);
    cr_expect_eq(pf_clocks_convert(&c, key, 3, &ns), PF_CLOCK_OK);
    cr_expect_eq(ns, 105000);
    cr_assert(pf_clocks_last(&c, key, &k));
    cr_expect(pf_clock_convert_known(&k, 1, &ns));
    cr_expect_eq(ns, 106000);
    cr_expect_eq(pf_clocks_convert(&c, key, 1, &ns), PF_CLOCK_OK);
    cr_expect_eq(ns, 107000);
    r[0].timestamp = 50;
    r[1].timestamp = 200000;
    cr_expect_eq(pf_clocks_snapshot(&c, r, 2, 0), PF_CLOCK_OK);
    cr_expect(!pf_clocks_last(&c, key, &k), "what was known before a snapshot");
    cr_expect_eq(pf_clocks_convert(&c, key, 1, &ns), PF_CLOCK_OK);
    cr_expect_eq(ns, 201000);
    cr_expect(pf_clocks_knows(&c, key));
    cr_expect(!pf_clocks_knows(&c, (pf_clock_key){64, 2}), "of another sequence");
    cr_expect_eq(pf_clocks_convert(&c, (pf_clock_key){64, 2}, 1, &ns), PF_CLOCK_NO_PATH);
    close_clocks(&c);
}

/* Clocks of sequences alone may be incremental, and the trace clock counts ns. */
Test(clock_rules, what_a_reading_may_say)
{
    static const struct {
        uint32_t id;
        bool incremental;
        uint64_t unit;
        pf_clock_outcome want;
    } all[] = {{63, true, 1, PF_CLOCK_INVALID},  {64, true, 1, PF_CLOCK_OK}, {127, true, 1, PF_CLOCK_OK},
               {128, true, 1, PF_CLOCK_INVALID}, {6, false, 1, PF_CLOCK_OK}, {6, false, 0, PF_CLOCK_OK},
               {6, false, 2, PF_CLOCK_INVALID},  {3, false, 2, PF_CLOCK_OK}, {64, false, 1, PF_CLOCK_OK}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const pf_clock_reading r = {
            .clock = {all[i].id, 0}, .timestamp = 1, .unit = all[i].unit, .incremental = all[i].incremental};
        pf_clocks c;
        open_clocks(&c);
        cr_expect_eq(pf_clocks_snapshot(&c, &r, 1, 6), all[i].want, "%zu", i);
        close_clocks(&c);
    }
}

Test(clock_rules, names)
{
    static const char *const names[] = {"REALTIME",         "REALTIME_COARSE", "MONOTONIC",
                                        "MONOTONIC_COARSE", "MONOTONIC_RAW",   "BOOTTIME"};
    for (uint32_t id = 1; id <= 6; id++) {
        cr_expect_str_eq(pf_clock_name(id), names[id - 1]);
    }
    cr_expect_null(pf_clock_name(0));
    cr_expect_null(pf_clock_name(7));
    cr_expect_null(pf_clock_name(PF_CLOCK_TRACE_FILE));
}

/* ---- stretches over several hops --------------------------------------------------------------------------------- */

enum { HOPS = 3, SNAPSHOTS = 9 };

/* readings[hop][snapshot]: of the clock that the hop starts at, and of the one that it leads to */
static int64_t readings[HOPS][SNAPSHOTS][2];

/* The offset at the last snapshot that is not after the time, else at the first one. */
static int64_t over_all_hops(int64_t t)
{
    for (int h = 0; h < HOPS; h++) {
        int at = 0;
        for (int i = 1; i < SNAPSHOTS; i++) {
            at = readings[h][i][0] <= t ? i : at;
        }
        t += readings[h][at][1] - readings[h][at][0];
    }
    return t;
}

/* Three hops, each with snapshots at places of its own: a conversion at hand must end where any of them changes. */
Test(clock_rules, a_stretch_ends_where_any_hop_changes)
{
    static const uint32_t ids[HOPS + 1] = {200, 201, 202, 6};
    uint32_t chance = 7, taken = 0;
    pf_clocks c;
    open_clocks(&c);
    for (int h = 0; h < HOPS; h++) {
        int64_t from = 60, to = 80;
        for (int i = 0; i < SNAPSHOTS; i++) {
            chance = chance * 1664525u + 1013904223u;
            from += 1 + (chance >> 24) % 50;
            to += 1 + (chance >> 16) % 50;
            readings[h][i][0] = from;
            readings[h][i][1] = to;
            cr_assert_eq(pair(&c, ids[h], (uint64_t)from, ids[h + 1], (uint64_t)to, 0), PF_CLOCK_OK);
        }
    }
    for (int64_t v = 0; v < 400; v++) {
        pf_clock_known k;
        cr_assert_eq(convert(&c, 200, v), over_all_hops(v), "%lld", (long long)v);
        cr_assert(pf_clocks_last(&c, (pf_clock_key){200, 0}, &k));
        for (int64_t w = 0; w < 400; w++) {
            int64_t ns = -1;
            if (pf_clock_convert_known(&k, (uint64_t)w, &ns)) {
                taken++;
                cr_assert_eq(ns, over_all_hops(w), "%lld from %lld", (long long)w, (long long)v);
            }
        }
        cr_expect(over_all_hops(v) < 0 || pf_clock_convert_known(&k, (uint64_t)v, &(int64_t){0}), "%lld", (long long)v);
    }
    cr_expect_gt(taken, 400);
    close_clocks(&c);
}
