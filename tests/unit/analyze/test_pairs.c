/* Pairing of begins and ends; expected pairs are worked out by hand from docs/reference/aie.md and the help texts. */
#include <criterion/criterion.h>

#include "analyze/support/intervals.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define ASSERT_PAIRS(got, n, ...)                                                                                      \
    do {                                                                                                               \
        const pf_interval expected_[] = {__VA_ARGS__};                                                                 \
        cr_assert_eq((n), COUNT(expected_), "%zu pairs, not %zu", (size_t)(n), COUNT(expected_));                      \
        for (size_t i_ = 0; i_ < COUNT(expected_); i_++) {                                                             \
            cr_assert_eq((got)[i_].start, expected_[i_].start, "start of pair %zu: %lld", i_,                          \
                         (long long)(got)[i_].start);                                                                  \
            cr_assert_eq((got)[i_].end, expected_[i_].end, "end of pair %zu: %lld", i_, (long long)(got)[i_].end);     \
        }                                                                                                              \
    } while (0)

Test(pairs, first_end_skips_ends_at_or_before_the_begin)
{
    const int64_t begins[] = {10, 20, 30}, ends[] = {5, 10, 15, 20, 40};
    pf_interval out[3];
    size_t n = pf_pair_first_end(begins, 3, ends, 5, out);
    ASSERT_PAIRS(out, n, {10, 15}, {20, 40});
}

/* A surplus begin (12) takes the end of 10's follower: the shift that docs/reference/aie.md describes. */
Test(pairs, first_end_shifts_after_a_surplus_begin)
{
    const int64_t begins[] = {10, 12, 110}, ends[] = {60, 160};
    pf_interval out[2];
    size_t n = pf_pair_first_end(begins, 3, ends, 2, out);
    ASSERT_PAIRS(out, n, {10, 60}, {12, 160});
}

Test(pairs, first_end_of_nothing)
{
    const int64_t times[] = {1};
    pf_interval out[1];
    cr_assert_eq(pf_pair_first_end(times, 1, NULL, 0, out), 0);
    cr_assert_eq(pf_pair_first_end(NULL, 0, times, 1, out), 0);
}

Test(pairs, lengths_of_extreme_times)
{
    const int64_t begins[] = {INT64_MIN}, ends[] = {INT64_MAX};
    pf_interval out[1];
    cr_assert_eq(pf_pair_first_end(begins, 1, ends, 1, out), 1);
    cr_assert_eq(pf_interval_length(out[0]), UINT64_MAX);
}

Test(pairs, apart_drops_begins_inside_the_pair_before)
{
    const int64_t begins[] = {10, 12, 60, 110}, ends[] = {60, 160};
    pf_interval out[2];
    size_t n = pf_pair_apart(begins, 4, ends, 2, out);
    ASSERT_PAIRS(out, n, {10, 60}, {110, 160});
}

/* The end used last starts as -1, so -1 itself is dropped and 0 is not. */
Test(pairs, apart_drops_negative_begins_first)
{
    const int64_t begins[] = {-50, -1, 0, 20}, ends[] = {-40, 10, 30};
    pf_interval out[3];
    size_t n = pf_pair_apart(begins, 4, ends, 3, out);
    ASSERT_PAIRS(out, n, {0, 10}, {20, 30});
}

Test(pairs, apart_stops_without_ends)
{
    const int64_t begins[] = {10, 20}, ends[] = {10};
    pf_interval out[1];
    cr_assert_eq(pf_pair_apart(begins, 2, ends, 1, out), 0);
}

Test(pairs, thinning_measures_from_the_last_kept)
{
    int64_t pulses[] = {0, 9, 10, 19, 20, 20, 35};
    const int64_t expected[] = {0, 10, 20, 35};
    size_t n = pf_pulses_thin(pulses, COUNT(pulses), 10);
    cr_assert_eq(n, 4);
    cr_assert_arr_eq(pulses, expected, sizeof expected);
}

Test(pairs, thinning_by_one_removes_equal_pulses)
{
    int64_t pulses[] = {INT64_MIN, INT64_MIN, -1, INT64_MAX};
    cr_assert_eq(pf_pulses_thin(pulses, COUNT(pulses), 1), 3);
    cr_assert_eq(pf_pulses_thin(pulses, 0, 1), 0);
}

static pf_pair_counts nearest(const int64_t *b, size_t nb, const int64_t *e, size_t ne, uint64_t gap, pf_interval *out,
                              size_t *n)
{
    pf_pair_counts c;
    *n = pf_pair_nearest(b, nb, e, ne, gap, out, &c);
    return c;
}

/* Entries 100, 104, 108 are one pulse repeated (gap 10); 50 is an entry whose exit was lost. */
Test(pairs, nearest_steps_back_over_repeated_entries)
{
    const int64_t b[] = {50, 100, 104, 108, 300}, e[] = {200, 400};
    pf_interval out[2];
    size_t n;
    pf_pair_counts c = nearest(b, 5, e, 2, 10, out, &n);
    ASSERT_PAIRS(out, n, {100, 200}, {300, 400});
    cr_assert_eq(c.duplicate_entries, 2);
    cr_assert_eq(c.lost_exits, 1);
    cr_assert_eq(c.duplicate_exits, 0);
    cr_assert_eq(c.lost_entries, 0);
}

/* Steps are between neighbours, so a chain of close pulses may be longer than gap in all; 10 is not closer than 10. */
Test(pairs, nearest_gap_is_between_neighbours)
{
    const int64_t b[] = {80, 90, 99, 108}, e[] = {200};
    pf_interval out[1];
    size_t n;
    pf_pair_counts c = nearest(b, 4, e, 1, 10, out, &n);
    ASSERT_PAIRS(out, n, {90, 200});
    cr_assert_eq(c.duplicate_entries, 2);
    cr_assert_eq(c.lost_exits, 1);
}

/* 205 repeats the exit 200; 300 comes without an entry; 310 is far from the last used exit, 200, so it lost one too. */
Test(pairs, nearest_tells_repeated_exits_from_lost_entries)
{
    const int64_t b[] = {100, 400}, e[] = {50, 200, 205, 300, 310, 500};
    pf_interval out[2];
    size_t n;
    pf_pair_counts c = nearest(b, 2, e, 6, 50, out, &n);
    ASSERT_PAIRS(out, n, {100, 200}, {400, 500});
    cr_assert_eq(c.duplicate_exits, 1);
    cr_assert_eq(c.lost_entries, 3);
}

Test(pairs, nearest_takes_entries_strictly_between_exits)
{
    const int64_t b[] = {100, 200, 300}, e[] = {200, 300};
    pf_interval out[2];
    size_t n;
    pf_pair_counts c = nearest(b, 3, e, 2, 1, out, &n);
    ASSERT_PAIRS(out, n, {100, 200});
    cr_assert_eq(c.lost_entries, 1);
}

Test(pairs, nearest_without_gap_takes_the_last_entry)
{
    const int64_t b[] = {INT64_MIN, 5, 5}, e[] = {INT64_MAX};
    pf_interval out[1];
    cr_assert_eq(pf_pair_nearest(b, 3, e, 1, 0, out, NULL), 1);
    cr_assert_eq(out[0].start, 5);
}

Test(pairs, window_keeps_both_edges)
{
    pf_interval pairs[] = {{0, 9}, {100, 110}, {200, 230}, {300, 331}};
    size_t n = pf_pairs_window(pairs, 4, 10, 30);
    ASSERT_PAIRS(pairs, n, {100, 110}, {200, 230});
}

Test(pairs, window_that_keeps_nothing_keeps_all)
{
    pf_interval pairs[] = {{0, 9}, {100, 131}};
    cr_assert_eq(pf_pairs_window(pairs, 2, 10, 30), 2);
    cr_assert_eq(pf_pairs_window(pairs, 0, 10, 30), 0);
}

Test(pairs, median_of_pairs)
{
    const pf_interval pairs[] = {{0, 30}, {100, 110}, {200, 221}, {300, 320}};
    uint64_t lengths[4], scratch[4];
    pf_median m = pf_pairs_median(pairs, 4, lengths, scratch);
    cr_assert_not(m.whole);
    cr_assert_eq(m.value, 20.5);
}
