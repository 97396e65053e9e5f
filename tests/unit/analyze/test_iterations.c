/* Unions of intervals, iteration boundaries and splits, lanes. */
#include <criterion/criterion.h>

#include "analyze/support/intervals.h"

Test(intervals, union_joins_what_touches)
{
    pf_interval list[] = {{0, 10}, {5, 7}, {10, 20}, {21, 30}, {25, 40}};
    cr_assert_eq(pf_interval_union(list, 5), 2);
    cr_assert_eq(list[0].start, 0);
    cr_assert_eq(list[0].end, 20);
    cr_assert_eq(list[1].start, 21);
    cr_assert_eq(list[1].end, 40);
    cr_assert_eq(pf_interval_union(list, 0), 0);
}

static uint64_t covered(const pf_interval *list, size_t n, int64_t lo, int64_t hi)
{
    size_t cursor = 0;
    return pf_interval_covered(list, n, &cursor, lo, hi);
}

Test(intervals, covered_is_clipped)
{
    const pf_interval list[] = {{0, 10}, {20, 30}, {40, 50}};
    cr_assert_eq(covered(list, 3, 5, 45), 5 + 10 + 5);
    cr_assert_eq(covered(list, 3, 22, 24), 2);
    cr_assert_eq(covered(list, 3, 10, 20), 0);
    cr_assert_eq(covered(list, 3, 60, 70), 0);
    cr_assert_eq(covered(list, 3, -9, 100), 30);
    cr_assert_eq(covered(list, 0, 0, 100), 0);
}

Test(intervals, covered_by_ascending_windows)
{
    const pf_interval list[] = {{0, 10}, {20, 30}, {40, 50}};
    size_t cursor = 0;
    cr_assert_eq(pf_interval_covered(list, 3, &cursor, 5, 25), 10);
    cr_assert_eq(pf_interval_covered(list, 3, &cursor, 25, 28), 3);
    cr_assert_eq(pf_interval_covered(list, 3, &cursor, 28, 45), 7);
    cr_assert_eq(pf_interval_covered(list, 3, &cursor, 60, 61), 0);
}

Test(intervals, covered_of_everything)
{
    const pf_interval list[] = {{INT64_MIN, INT64_MAX}};
    cr_assert_eq(covered(list, 1, INT64_MIN, INT64_MAX), UINT64_MAX);
    cr_assert_eq(covered(list, 1, -3, 4), 7);
}

Test(intervals, merge_keeps_the_order_of_starts)
{
    const pf_interval a[] = {{0, 9}, {20, 21}}, b[] = {{0, 1}, {5, 6}, {30, 31}};
    pf_interval out[5];
    pf_interval_merge(a, 2, b, 3, out);
    const int64_t starts[] = {0, 0, 5, 20, 30}, ends[] = {9, 1, 6, 21, 31};
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(out[i].start, starts[i], "interval %zu", i);
        cr_assert_eq(out[i].end, ends[i], "interval %zu", i);
    }
}

/* A length is a whole number: 2.5 is 3. Nothing is as long as 2^64, and no threshold keeps what is not above 0
 * together. */
Test(iterations, thresholds)
{
    static const struct {
        double threshold;
        int64_t start, end;
        bool separates;
    } cases[] = {{0, 5, 5, true},
                 {-1, 5, 5, true},
                 {-1e300, 5, 6, true},
                 {-0.5, 5, 5, true},
                 {1e-9, 5, 5, false},
                 {1e-9, 5, 6, true},
                 {2.5, 0, 2, false},
                 {2.5, 0, 3, true},
                 {3, 0, 3, true},
                 {18446744073709549568.0, INT64_MIN, INT64_MAX, true},
                 {18446744073709551616.0, INT64_MIN, INT64_MAX, false},
                 {1e300, INT64_MIN, INT64_MAX, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pf_stall_separates((pf_interval){cases[i].start, cases[i].end}, cases[i].threshold),
                     cases[i].separates, "case %zu", i);
    }
}

Test(iterations, the_threshold_itself_separates)
{
    const pf_interval stalls[] = {{0, 9999}, {20000, 30000}, {40000, 50001}};
    int64_t out[3];
    cr_assert_eq(pf_iteration_boundaries(stalls, 3, 10000.0, out), 2);
    cr_assert_eq(out[0], 30000);
    cr_assert_eq(out[1], 50001);
    cr_assert_eq(pf_iteration_boundaries(stalls, 3, 10000.5, out), 1);
    cr_assert_eq(out[0], 50001);
}

Test(iterations, boundaries_are_unique)
{
    const pf_interval stalls[] = {{0, 100}, {1, 100}, {200, 300}};
    int64_t out[3];
    cr_assert_eq(pf_iteration_boundaries(stalls, 3, 50.0, out), 2);
    cr_assert_eq(out[1], 300);
}

/* The length 2^63 + 1 and the threshold are compared as numbers, not through a double of the length. */
Test(iterations, thresholds_are_compared_exactly)
{
    const pf_interval longest = {INT64_MIN, INT64_MAX}, half = {-1, INT64_MAX};
    cr_assert(pf_stall_separates(longest, 18446744073709549568.0)); /* 2^64 - 2048 */
    cr_assert_not(pf_stall_separates(longest, 18446744073709551616.0));
    cr_assert(pf_stall_separates(half, 9223372036854775808.0));
    cr_assert_not(pf_stall_separates((pf_interval){0, INT64_MAX}, 9223372036854775808.0));
}

Test(iterations, split_with_empty_ones)
{
    const pf_interval calls[] = {{100, 110}, {120, 130}, {300, 310}};
    const int64_t boundaries[] = {50, 150, 200, 400};
    pf_iteration out[5];
    size_t n = pf_iteration_split(calls, 3, boundaries, 4, out);
    cr_assert_eq(n, 4);
    const size_t first[] = {0, 0, 2, 2}, count[] = {0, 2, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(out[i].first, first[i], "iteration %zu", i);
        cr_assert_eq(out[i].count, count[i], "iteration %zu", i);
    }
    cr_assert_eq(out[0].closed_at, 50);
    cr_assert_eq(out[1].closed_at, 150);
    cr_assert_eq(out[2].closed_at, 200);
    cr_assert_eq(pf_iteration_drop_empty(out, n), 2);
    cr_assert_eq(out[0].count, 2);
    cr_assert_eq(out[1].first, 2);
}

Test(iterations, a_boundary_at_the_start_of_a_call_closes_after_it)
{
    const pf_interval calls[] = {{100, 110}, {200, 210}};
    const int64_t boundaries[] = {100};
    pf_iteration out[2];
    cr_assert_eq(pf_iteration_split(calls, 2, boundaries, 1, out), 2);
    cr_assert_eq(out[0].count, 1);
    cr_assert_eq(out[1].first, 1);
    cr_assert_eq(out[1].count, 1);
}

Test(iterations, without_boundaries_there_is_one)
{
    const pf_interval calls[] = {{0, 1}, {2, 3}};
    pf_iteration out[1];
    cr_assert_eq(pf_iteration_split(calls, 2, NULL, 0, out), 1);
    cr_assert_eq(out[0].count, 2);
}

static uint32_t assign(const pf_interval *list, size_t n, uint32_t *lane)
{
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    uint32_t lanes;
    cr_assert_eq(pf_lanes_assign(list, n, lane, &lanes, &budget, NULL), PF_OK);
    return lanes;
}

Test(lanes, touching_intervals_share_a_lane)
{
    const pf_interval list[] = {{0, 10}, {10, 20}, {20, 30}};
    uint32_t lane[3];
    cr_assert_eq(assign(list, 3, lane), 1);
    cr_assert_eq(lane[2], 0);
}

Test(lanes, the_lowest_free_lane_is_taken)
{
    const pf_interval list[] = {{0, 100}, {1, 10}, {2, 50}, {12, 13}, {60, 70}, {61, 62}};
    const uint32_t expected[] = {0, 1, 2, 1, 1, 2};
    uint32_t lane[6];
    cr_assert_eq(assign(list, 6, lane), 3);
    cr_assert_arr_eq(lane, expected, sizeof expected);
}

/* 64 crossing intervals open at once, then all close in the order they came: lane i again for interval 64 + i. */
Test(lanes, many_lanes)
{
    enum { N = 64 };
    pf_interval list[2 * N];
    uint32_t lane[2 * N];
    for (int i = 0; i < 2 * N; i++) {
        list[i] = (pf_interval){i, i + N};
    }
    cr_assert_eq(assign(list, 2 * N, lane), N);
    for (uint32_t i = 0; i < 2 * N; i++) {
        cr_assert_eq(lane[i], i % N, "interval %u", i);
    }
    cr_assert_eq(assign(list, 0, lane), 0);
}

/* Against the plain way, which asks every lane from the lowest: hundreds of lanes, free in any order. */
Test(lanes, as_when_every_lane_is_asked)
{
    enum { N = 3000 };
    static pf_interval list[N];
    static uint32_t lane[N];
    int64_t until[N] = {0}, start = 0;
    uint32_t count = 0, random = 20261123;
    for (int i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        start += random >> 30;
        list[i] = (pf_interval){start, start + 1 + (random >> 8) % 700};
    }
    uint32_t lanes = assign(list, N, lane);
    for (int i = 0; i < N; i++) {
        uint32_t lowest = 0;
        while (lowest < count && until[lowest] > list[i].start) {
            lowest++;
        }
        cr_assert_eq(lane[i], lowest, "interval %d", i);
        until[lowest] = list[i].end;
        count = lowest == count ? count + 1 : count;
    }
    cr_assert_eq(lanes, count);
    cr_assert_gt(count, 100u);
}
