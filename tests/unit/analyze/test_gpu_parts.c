/* Depths and covers of intervals, statistics, folded names and the texts of the summary of `analyze gpu`; expectations
 * by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/intervals.h"
#include "analyze/support/order_stats.h"

Test(interval_depth, steps)
{
    /* [0, 10), [5, 20), [5, 5), [20, 30), [40, 41) */
    const int64_t starts[] = {0, 5, 5, 20, 40}, ends[] = {5, 10, 20, 30, 41};
    const pf_depth_step expected[] = {{0, 1}, {5, 2}, {10, 1}, {30, 0}, {40, 1}, {41, 0}};
    pf_depth_walk walk = {.starts = starts, .ends = ends, .n = 5}, none = {.n = 0};
    pf_depth_step step;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_assert(pf_depth_next(&walk, &step));
        cr_expect_eq(step.ts, expected[i].ts);
        cr_expect_eq(step.open, expected[i].open);
    }
    cr_expect(!pf_depth_next(&walk, &step));
    cr_expect(!pf_depth_next(&none, &step));
}

Test(interval_cover, windows_in_any_order)
{
    const pf_interval set[] = {{INT64_MIN, -5}, {0, 10}, {20, INT64_MAX}};
    uint64_t before[4];
    pf_interval_sums(set, 3, before);
    cr_expect_eq(pf_interval_within(set, before, 3, 5, 25), 5 + 5);
    cr_expect_eq(pf_interval_within(set, before, 3, -7, 1), 2 + 1);
    cr_expect_eq(pf_interval_within(set, before, 3, 10, 20), 0);
    cr_expect_eq(pf_interval_within(set, before, 3, 30, 20), 0);
    cr_expect_eq(pf_interval_within(set, before, 3, INT64_MIN, INT64_MAX), UINT64_MAX - 5 - 10);
    cr_expect_eq(pf_interval_within(NULL, before, 0, 0, 100), 0);
}

Test(interval_without, what_is_left)
{
    const pf_interval set[] = {{INT64_MIN, -5}, {0, 10}, {20, 30}, {40, 50}}, cuts[] = {{-7, 2}, {4, 6}, {8, 45}};
    const pf_interval expected[] = {{INT64_MIN, -7}, {2, 4}, {6, 8}, {45, 50}};
    pf_interval out[7];
    cr_assert_eq(pf_interval_without(set, 4, cuts, 3, out), 4);
    cr_expect_arr_eq(out, expected, sizeof expected);
    cr_expect_eq(pf_interval_without(set, 4, NULL, 0, out), 4, "nothing is cut");
    cr_expect_arr_eq(out, set, sizeof set);
    const pf_interval all = {INT64_MIN, INT64_MAX};
    cr_expect_eq(pf_interval_without(set, 4, &all, 1, out), 0);
    cr_expect_eq(pf_interval_without(NULL, 0, cuts, 3, out), 0);
}

Test(gpu_stats, rounding_and_percentile)
{
    uint64_t lengths[] = {4, 1, 2, 6}, scratch[4];
    gpu_stats s = pf_gpu_stats(lengths, 4, scratch);
    cr_expect_eq(s.total, 13);
    cr_expect_eq(s.mean, 3); /* 3.25 */
    cr_expect_eq(s.median, 3);
    cr_expect_eq(s.p95, 6);
    int64_t values[] = {-3, -2}, more[2];
    gpu_signed_stats d = pf_gpu_signed_stats(values, 2, more);
    cr_expect_eq(d.mean, -2); /* -2.5, halves up */
    cr_expect_eq(d.median, -2);
    cr_expect_eq(d.least, -3);
    cr_expect_eq(values[0] + values[1], -5, "the values are still there");
    uint64_t huge[] = {UINT64_MAX, UINT64_MAX};
    s = pf_gpu_stats(huge, 2, scratch);
    cr_expect_eq(s.total, INT64_MAX);
    cr_expect_eq(pf_gpu_stats(huge, 0, scratch).count, 0);
}

/* Against the same values sorted: spread evenly, in steps, one far off, all equal, over all of 64 bits. */
static uint64_t made_value(unsigned kind, uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    uint64_t dice = *random >> 20;
    switch (kind) {
    case 0:
        return dice % 100000;
    case 1:
        return dice % 7 * 1000003;
    case 2:
        return dice % 500 ? dice % 3000 : UINT64_MAX - dice % 3;
    case 3:
        return 12345;
    default:
        return *random ^ dice;
    }
}

Test(gpu_stats, values_at_ranks_are_those_of_a_sorted_array)
{
    static const size_t sizes[] = {1, 2, 3, 63, 64, 65, 1000, 5000};
    enum { MOST = 5000 };
    uint64_t *a = calloc(MOST, 8), *sorted = calloc(MOST, 8), *scratch = calloc(MOST, 8), random = 3;
    int64_t *values = calloc(MOST, 8), *more = calloc(MOST, 8);
    cr_assert(a && sorted && scratch && values && more);
    for (unsigned kind = 0; kind < 5; kind++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            size_t n = sizes[k];
            for (size_t i = 0; i < n; i++) {
                sorted[i] = a[i] = made_value(kind, &random);
                values[i] = (int64_t)a[i];
            }
            pf_sort_lengths(sorted, n, scratch);
            const size_t ranks[] = {0, n / 3, (n - 1) / 2, n / 2, n - 1};
            uint64_t out[5];
            pf_values_at_ranks(a, n, sorted[0], sorted[n - 1], ranks, 5, out, scratch);
            for (size_t r = 0; r < 5; r++) {
                cr_expect_eq(out[r], sorted[ranks[r]], "kind %u, %zu of %zu", kind, ranks[r], n);
            }
            gpu_stats s = pf_gpu_stats(a, n, scratch);
            cr_expect_eq(s.p95,
                         sorted[(n * 95 + 99) / 100 - 1] > INT64_MAX ? INT64_MAX : sorted[(n * 95 + 99) / 100 - 1]);
            gpu_signed_stats d = pf_gpu_signed_stats(values, n, more);
            pf_sort_times(values, n, more);
            cr_expect_eq(d.p95, values[(n * 95 + 99) / 100 - 1]);
            cr_expect_eq(d.least, values[0]);
            cr_expect_eq(d.most, values[n - 1]);
        }
    }
    free(a);
    free(sorted);
    free(scratch);
    free(values);
    free(more);
}

Test(gpu_stats, folded_names)
{
    static const char *const cases[][2] = {{"f<a<b>, c>::g<1>(int)", "f<>::g<>(int)"},
                                           {"operator<<5", "operator<<#"},
                                           {"a->b<c>", "a->b<>"},
                                           {"x>y>z", "x>y>z"},
                                           {"open<a<b", "open<"},
                                           {"k12_34", "k#_#"},
                                           {"1<2>3", "#<>#"},
                                           {"abcdefg<<h>i>j", "abcdefg<>j"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        size_t len = pf_gpu_fold_name((pf_str){cases[i][0], strlen(cases[i][0])}, out);
        cr_expect_eq(len, strlen(cases[i][1]), "%s", cases[i][0]);
        cr_expect_eq(memcmp(out, cases[i][1], len), 0, "%s -> %.*s", cases[i][0], (int)len, out);
    }
}

Test(gpu_text, lengths_and_shares)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } lengths[] = {{0, "0 ns"},          {999, "999 ns"},
                   {1000, "1.0 us"},     {1049, "1.0 us"},
                   {1050, "1.1 us"},     {999949, "999.9 us"},
                   {999950, "1.0 ms"},   {999949999, "999.9 ms"},
                   {999950000, "1.0 s"}, {UINT64_MAX, "18446744073.7 s"}};
    static const struct {
        uint64_t part, whole;
        const char *text;
    } shares[] = {{0, 0, "-"},        {0, 5, "0.0 %"},  {1, 2001, "0.0 %"},
                  {1, 2000, "0.1 %"}, {2, 3, "66.7 %"}, {UINT64_MAX, UINT64_MAX, "100.0 %"}};
    pf_findings *f = pf_findings_new(NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cr_expect_str_eq(pf_gpu_length_text(f, lengths[i].ns), lengths[i].text);
    }
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        cr_expect_str_eq(pf_gpu_share_text(f, shares[i].part, shares[i].whole), shares[i].text);
    }
    pf_findings_free(f);
}

/* The longest of the three; of equal ones the host, then the wait. */
Test(gpu_gaps, main_cause)
{
    static const struct {
        uint64_t host, waiting, other;
        const char *cause;
    } gaps[] = {{3, 2, 1, "host-bound"},  {2, 2, 1, "host-bound"},  {2, 1, 2, "host-bound"}, {0, 0, 0, "host-bound"},
                {2, 3, 1, "kernel wait"}, {1, 2, 2, "kernel wait"}, {1, 2, 3, "other"},      {2, 1, 3, "other"},
                {3, 1, 4, "other"},       {3, 4, 1, "kernel wait"}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        const gpu_gap gap = {.host = gaps[i].host, .waiting = gaps[i].waiting, .other = gaps[i].other};
        cr_expect_str_eq(pf_gpu_idle_cause(gap.host, gap.waiting, gap.other).ptr, gaps[i].cause, "row %zu", i);
    }
}

Test(gpu_text, names)
{
    pf_findings *f = pf_findings_new(NULL);
    cr_expect_str_eq(pf_pass_short_name(f, (pf_str){NULL, 0}, 4, "-"), "-");
    cr_expect_str_eq(pf_pass_short_name(f, PF_STR("abcd"), 4, "-"), "abcd");
    cr_expect_str_eq(pf_pass_short_name(f, PF_STR("abcde"), 4, "-"), "abcd...");
    cr_expect_str_eq(pf_pass_short_name(f, PF_STR("ab\xe2\x82\xac"), 4, "-"), "ab...", "not inside a character");
    cr_expect_str_eq(pf_pass_short_name(f, PF_STR("a\xe2\x82\xac"), 4, "-"), "a\xe2\x82\xac", "all of it");
    cr_expect_str_eq(pf_pass_short_name(f, PF_STR("\x80\x80\x80"), 2, "-"), "...", "no character at all");
    gpu_rank ranks[] = {{.rank = 0}, {.rank = 7, .known = true}};
    gpu_facts g = {.ranks = ranks, .rank_count = 1};
    const gpu_device numbered = {.number = 3}, second = {.number = 4, .input = 1};
    const gpu_device named = {.name = PF_STR("a name of more than forty bytes, which is cut")};
    cr_expect_str_eq(pf_gpu_device_text(&g, &numbered, f).ptr, "GPU 3");
    cr_expect_str_eq(pf_gpu_device_text(&g, &named, f).ptr, "GPU a name of more than forty bytes, which i");
    cr_expect_str_eq(pf_gpu_device_text(&g, &second, f).ptr, "rank 7 GPU 4");
    g.rank_count = 2;
    cr_expect_str_eq(pf_gpu_device_text(&g, &numbered, f).ptr, "input 0 GPU 3");
    pf_findings_free(f);
}
