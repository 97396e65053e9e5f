/* Statistics of power while kernels run and while none does: samples hold until the next one, and what kernels cut out
 * of these times is weighed by its length. */

#include "aiu_support.h"

static void open_as(aiu_facts_run *f, bool reference)
{
    const char *const options[] = {"compat", reference ? "acelyzer" : "none", "power-stats", NULL, NULL};
    facts_open(f, options);
}

static void add_watts(aiu_facts_run *f, int64_t pid, double ts, double watts)
{
    pf_aiu_rank(&f->run, pid);
    cr_assert_eq(pf_aiu_add_sample(&f->run, AIU_SERIES_POWER4, pid, ts, watts, 0), PF_OK);
}

#define LINE(rank, which, least, most, mean, median, all, total, busy)                                                 \
    "INFO " rank "Power " which ": min_non_zero=" least "W, max=" most "W, mean_non_zero=" mean                        \
    "W, median_non_zero=" median "W, avg_total=" all "W (time-weighted, dur_total=" total ", dur_non_zero=" busy ")\n"
#define FEW "WARNING Insufficient power data (need at least 2 samples) for statistics\n"

/* Kernels from 2 to 12 and from 25 to 40; 10 W until 10, none until 20, 30 W until 30. With kernels 8 us of 10 W, 2
 * of none, 5 of 30: 230 W us in 13; without 2 us of 10 W, 8 of none, 5 of 30: 170 in 7. */
static void add_rank(aiu_facts_run *f, int64_t pid, bool in_order)
{
    static const double samples[] = {20, 30, 0, 10, 30, 5, 10, 0}, sorted[] = {0, 10, 10, 0, 20, 30, 30, 5};
    for (int i = 0; i < 8; i += 2) {
        add_watts(f, pid, in_order ? sorted[i] : samples[i], in_order ? sorted[i + 1] : samples[i + 1]);
    }
    add_host(f, "b Cmpt Exec", pid, 1, 25, 15);
    add_host(f, "a Cmpt Exec", pid, 1, 2, 2);
    add_host(f, "a Cmpt Exec", pid, 1, 4, 2);
    add_host(f, "a Cmpt Exec", pid, 1, 5, 7);
    add_host(f, "a Cmpt Exec", pid, 1, 6, 1);
    add_host(f, "a Cmpt Prep", pid, 1, 0, 100);
}

Test(aiu_power_stats, samples_are_cut_by_kernels)
{
    static const char lines[] =
        LINE("[7] ", "with kernels", "10.00", "30.00", "17.69", "10.00", "15.33", "15.00us", "13.00us")
            LINE("[7] ", "without kernels", "10.00", "30.00", "24.29", "30.00", "11.33", "15.00us", "7.00us");
    static const char sorted[] =
        LINE("", "with kernels", "10.00", "30.00", "17.69", "10.00", "15.33", "15.00ms", "13.00ms")
            LINE("", "without kernels", "10.00", "30.00", "24.29", "30.00", "11.33", "15.00ms", "7.00ms");
    /* acelyzer takes samples as they come: 10 W from 0 to 30 are all that ends later than it begins */
    static const char as_they_come[] =
        LINE("", "with kernels", "10.00", "10.00", "10.00", "10.00", "10.00", "15.00ms", "15.00ms")
            LINE("", "without kernels", "10.00", "10.00", "10.00", "10.00", "10.00", "15.00ms", "15.00ms");
    static const struct {
        bool reference, in_order;
        const char *expected;
    } cases[] = {{false, false, lines}, {false, true, lines}, {true, false, as_they_come}, {true, true, sorted}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        open_as(&f, cases[i].reference);
        add_rank(&f, 7, cases[i].in_order);
        cr_assert_eq(pf_aiu_add_sample(&f.run, AIU_SERIES_POWER3, 7, 5, 99, 0), PF_OK);
        run_stage(&f, pf_aiu_power_stats);
        expect_log(&f, cases[i].expected);
        facts_close(&f);
    }
}

/* A rank without samples is left out, one with a single sample said to have too few; the other program asks whether all
 * ranks together have any. */
Test(aiu_power_stats, need_two_samples)
{
    for (int as = 0; as < 2; as++) {
        for (int samples = 0; samples < 2; samples++) {
            aiu_facts_run f;
            open_as(&f, as);
            add_host(&f, "k Cmpt Exec", 0, 1, 0, 10);
            if (samples) {
                add_watts(&f, 1, 0, 10);
            }
            run_stage(&f, pf_aiu_power_stats);
            expect_log(&f, as || samples ? FEW : "");
            facts_close(&f);
        }
    }
}

/* Ranks one by one: the second one's kernel is over before its samples begin, and the third one's runs all the time. */
Test(aiu_power_stats, are_of_one_rank_each)
{
    static const char lines[] = LINE("[1] ", "with kernels", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00us", "0.00us")
        LINE("[1] ", "without kernels", "10.00", "20.00", "15.00", "10.00", "15.00", "20.00us", "20.00us")
            LINE("[2] ", "with kernels", "10.00", "20.00", "16.67", "20.00", "16.67", "30.00us", "30.00us")
                LINE("[2] ", "without kernels", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00us", "0.00us");
    aiu_facts_run f;
    open_as(&f, false);
    for (int rank = 1; rank <= 2; rank++) {
        add_watts(&f, rank, 100, 10);
        add_watts(&f, rank, 110, 20);
        add_watts(&f, rank, 110 + 10 * rank, 0);
    }
    add_host(&f, "k Cmpt Exec", 1, 1, 50, 50);
    add_host(&f, "k Cmpt Exec", 2, 1, 50, 500);
    run_stage(&f, pf_aiu_power_stats);
    expect_log(&f, lines);
    facts_close(&f);
}

/* 600 samples of 1 us, 1 to 599 W and the last one's end; the mean of 1 to 599 is 300, half of the time is 299.5. */
Test(aiu_power_stats, of_any_number_of_samples)
{
    static const char lines[] = LINE("[0] ", "with kernels", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00us", "0.00us")
        LINE("[0] ", "without kernels", "1.00", "599.00", "300.00", "300.00", "300.00", "599.00us", "599.00us");
    aiu_facts_run f;
    open_as(&f, false);
    for (int i = 1; i <= 600; i++) {
        add_watts(&f, 0, i, i);
    }
    run_stage(&f, pf_aiu_power_stats);
    expect_log(&f, lines);
    facts_close(&f);
}

/* 1024 ranks are said, whatever their number. */
Test(aiu_power_stats, are_said_of_1024_ranks)
{
    aiu_facts_run f;
    open_as(&f, false);
    for (int rank = 0; rank < 1030; rank++) {
        add_watts(&f, rank, 0, 1);
        add_watts(&f, rank, 1, 1);
    }
    run_stage(&f, pf_aiu_power_stats);
    cr_expect_eq(f.run.log.count, 2 * 1024);
    facts_close(&f);
}
