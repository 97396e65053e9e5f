/* The streams next to threads, and the bandwidth of collectives that have slices. */
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/steps/aiu_steps.h"

static int64_t number(aiu_facts_run *f, const char *digits)
{
    return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)text_of(f, digits);
}

/* Three numbers after a thread's own that nobody has; those of other processes do not matter. */
Test(aiu_lanes, streams_take_free_numbers)
{
    static const char *const options[] = {"max_tid_streams", "3", NULL};
    static const int64_t threads[] = {5, 6, 9, -1}, expected[][3] = {{7, 8, 10}, {11, 12, 13}, {14, 15, 16}, {0, 1, 2}};
    aiu_facts_run f;
    facts_open(&f, options);
    for (int i = 0; i < 4; i++) {
        add_host(&f, "h", 0, threads[i], 0, 1);
    }
    add_host(&f, "h", 1, 7, 0, 1);
    aiu_lanes l;
    cr_assert_eq(pf_aiu_lanes_init(&l, &f.run), PF_OK);
    cr_expect_eq(l.count, 5 + 5 * 3);
    for (int i = 0; i < 4; i++) {
        int64_t tid = threads[i];
        for (int n = 0; n < 3; n++) {
            tid = pf_aiu_lane(&l, 0, tid)->next;
            cr_expect_eq(tid, expected[i][n], "stream %d of thread %d", n, (int)threads[i]);
        }
        cr_expect_eq(pf_aiu_lane(&l, 0, tid)->next, AIU_ID_NONE);
    }
    cr_expect_eq(pf_aiu_lane(&l, 1, 7)->next, 8);
    cr_expect_eq(l.count, 5 + 5 * 3, "nothing is added by asking");
    facts_close(&f);
}

/* Numbers of 64 bits and more go on up to the largest one; what is no whole number has no next one. */
Test(aiu_lanes, large_numbers_have_a_next_one)
{
    static const struct {
        const char *tid, *next;
    } cases[] = {{"9223372036854775808", "9223372036854775809"},
                 {"9999999999999999999", "10000000000000000000"},
                 {"18446744073709551614", "18446744073709551615"},
                 {"18446744073709551615", NULL},
                 {"18446744073709551616", NULL},
                 {"99999999999999999999", NULL},
                 {"1.5", NULL},
                 {"1e3", NULL},
                 {"1:", NULL},
                 {"-9223372036854775809", NULL}};
    static const char *const options[] = {"max_tid_streams", "1", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, options);
        int64_t tid = number(&f, cases[i].tid), text = AIU_ID_TEXT | (int64_t)text_of(&f, "9223372036854775808");
        add_host(&f, "h", 0, tid, 0, 1);
        add_host(&f, "h", 3, text, 0, 1);
        aiu_lanes l;
        cr_assert_eq(pf_aiu_lanes_init(&l, &f.run), PF_OK);
        int64_t next = pf_aiu_lane(&l, 0, tid)->next;
        cr_expect_eq(next, cases[i].next ? number(&f, cases[i].next) : AIU_ID_NONE, "%s", cases[i].tid);
        cr_expect_eq(pf_aiu_lane(&l, 3, text)->next, AIU_ID_NONE, "a text is not a number");
        facts_close(&f);
    }
}

static uint32_t add_collective(aiu_facts_run *f, const char *name, int64_t pid, double ts, double end, uint64_t bytes)
{
    uint32_t e = add_host(f, name, pid, 1, ts, end - ts);
    f->run.events.flags[e] |= AIU_REAL_COLL;
    f->run.events.bytes[e] = bytes;
    return e;
}

/* Slices of one collective follow each other by rank: from the first begin to the last end, the bytes of the first.
 * GB/s are bytes in ns; the counter falls to 0 where no other collective begins. */
Test(aiu_lanes, bandwidth_is_of_all_ranks_of_a_collective)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_collective(&f, "a", 0, 40, 50, 30000);
    add_collective(&f, "a", 0, 10, 28, 20000);
    add_collective(&f, "a", 1, 8, 25, 99999);
    add_collective(&f, "a", 2, 9, 26, 99999);
    add_collective(&f, "b", 3, 50, 60, 20000);
    add_collective(&f, "c", 4, 70, 70, 5000);
    f.run.events.flags[add_collective(&f, "d", 5, 80, 90, 5000)] |= AIU_DROPPED;
    add_host(&f, "e", 6, 1, 80, 10);
    run_stage(&f, pf_aiu_collective_bandwidth);
    expect_samples(&f, AIU_SERIES_COLL_BW, "8=1 28=0 40=3 50=2 60=0 70=0 70=0");
    cr_expect_not(logged(&f, "CBW:"));
    for (uint32_t i = 0; i < f.run.samples.count; i++) {
        cr_expect_eq(f.run.samples.pid[i], -1, "of no rank");
    }
    facts_close(&f);
}

/* Two pairs overlap, each collective says so. */
Test(aiu_lanes, overlapping_collectives_are_told)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_collective(&f, "a", 0, 100, 120, 20000);
    add_collective(&f, "b", 0, 110, 130, 40000);
    add_collective(&f, "c", 0, 125, 145, 20000);
    add_collective(&f, "d", 0, 145, 155, 20000);
    run_stage(&f, pf_aiu_collective_bandwidth);
    expect_samples(&f, AIU_SERIES_COLL_BW, "100=1 110=2 125=1 145=2 155=0");
    cr_expect(logged(&f, "BW: More than one collective group without close."));
    uint32_t told = 0;
    for (uint32_t i = 0; i < f.run.log.count; i++) {
        told += pf_aiu_contains(f.run.log.line[i].text, "CBW: Concurrent collective ops detected.");
    }
    cr_expect_eq(told, 4, "%u lines", told);
    facts_close(&f);
}
