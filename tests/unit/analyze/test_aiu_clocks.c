/* Clocks of three ranks, moved so that nothing is received before it is sent: counters run at 1 MHz, all numbers are us
 * and worked out by hand. */

#include <math.h>

#include "aiu_support.h"
#include "analyze/aiu/ranks/aiu_ranks.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

static uint32_t add_part(aiu_facts_run *f, const char *name, const char *group, int64_t pid, double ts, double dur,
                         const int64_t *tsx)
{
    uint32_t e = add_device(f, name, pid, ts, dur, tsx);
    f->run.events.group[e] = group ? text_of(f, group) : 0;
    return e;
}

/* Ranks 0, 1, 2 in groups A and B. Rank 0 receives at 110 and 210 and has sent at 120 and 220, rank 1 receives at 1030
 * and 1120, rank 2 at 5000 and 5100 and has sent at 5010 and 5105. In B the event of rank 0 that counts ends at 310 of
 * its host. */
enum { A0, A1, A2, B0, B0_EARLY, B1, B2, KERNEL, OTHER_RANK, HOST, PARTS };

static void add_parts(aiu_facts_run *f, const char *name)
{
    cr_assert_eq(add_part(f, name, "AllReduce_A", 0, 200, 10, TS(105, 110, 111, 112, 120)), A0);
    add_part(f, name, "AllReduce_A", 1, 1, 7, TS(1025, 1030, 1031, 1032, 1040));
    add_part(f, name, "AllReduce_A", 2, 2, 8, TS(4995, 5000, 5001, 5002, 5010));
    add_part(f, "b", "AllReduce_B", 0, 300, 10, TS(205, 210, 211, 212, 220));
    add_part(f, "b", "AllReduce_B", 0, 900, 99, TS(180, 190, 191, 192, 200));
    add_part(f, "b", "AllReduce_B", 1, 3, 7, TS(1115, 1120, 1121, 1122, 1130));
    add_part(f, "b", "AllReduce_B", 2, 4, 8, TS(5095, 5100, 5101, 5102, 5105));
    add_part(f, "k Cmpt Exec", NULL, 2, 4, 8, TS(6001, 6002, 6003, 6004, 6005));
    add_part(f, "k Cmpt Exec", NULL, 9, 4, 8, TS(6001, 6002, 6003, 6004, 6005));
    cr_assert_eq(add_host(f, "h", 0, 1, 5, 5), HOST);
}

static void expect_clocks(const char *name, const double *ts, const double *shift, const char *const *lines)
{
    static const double dur[PARTS] = {10, 7, 8, 10, 99, 7, 8, 8, 8, 5};
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_parts(&f, name);
    f.run.origin = 1000;
    run_stage(&f, pf_aiu_sync_first);
    for (uint32_t e = 0; e < PARTS; e++) {
        expect_time(&f, e, ts[e], dur[e]);
        cr_expect_eq((f.run.events.flags[e] & AIU_ON_CLOCK) != 0, e < OTHER_RANK);
        if (e < OTHER_RANK) { /* TS1 of what is no step, TS3 of a kernel */
            cr_expect_float_eq(pf_aiu_ts_all(&f.run, e, e == KERNEL ? 3 : 1), ts[e], 1e-6);
        }
    }
    cr_assert_eq(f.run.exchange->ranks, 3);
    for (uint32_t r = 0; r < 3; r++) {
        cr_expect_eq(f.run.exchange->pid[r], r);
        cr_expect_eq(f.run.exchange->shift[r], shift[r], "rank %u: %g", r, f.run.exchange->shift[r]);
    }
    for (uint32_t i = 1; i < f.run.alive; i++) {
        cr_expect(f.run.events.ts[f.run.order[i - 1]] <= f.run.events.ts[f.run.order[i]], "the order is that of time");
    }
    for (; *lines; lines++) {
        cr_expect(logged(&f, *lines), "%s", *lines);
    }
    facts_close(&f);
}

/* From the last rank down: rank 1 received in B 3985 before rank 2 had sent, in A 3980; rank 0 is put level with rank 1
 * by A, 920 later. Rank 0 received in B at 210, which is 310 of its host. */
Test(aiu_clocks, of_a_chain_follow_the_last_rank)
{
    static const double ts[PARTS] = {105 + 1020, 1025 + 100,  4995 - 3885, 205 + 1020, 180 + 1020,
                                     1115 + 100, 5095 - 3885, 6003 - 3885, 4,          5};
    static const double shift[] = {920, 0, -3985};
    static const char *const lines[] = {
        "MP_SYNC_V2 delta_t5, dts_shifts:            [920.0, 0.0, -3985.0]",
        "MP_SYNC_V2 delta_t5, dts_2_hts_ref_event:   {'name': 'b', 'ph': 'X', 'pid': 0, "
        "'tid': 1, 'ts': 1300.0, 'dur': 10.0",
        "MP_SYNC_V2 delta_t5, dts_2_hts_ref_offset:  1100.0",
        "MP_SYNC_V2 delta_t5, dts_2_hts:             [2020.0, 1100.0, -2885.0]", NULL};
    expect_clocks("a", ts, shift, lines);
}

/* From the first rank up: rank 1 received 910 after rank 0 had sent in A, 900 in B; rank 2 is put level with rank 1 by
 * A, 3970 earlier, then both are moved by 900. Rank 0 was done in B at 220, which is 310 of its host. */
Test(aiu_clocks, of_a_tree_follow_the_first_rank)
{
    static const double ts[PARTS] = {105 + 90,   1025 - 810,  4995 - 4780, 205 + 90, 180 + 90,
                                     1115 - 810, 5095 - 4780, 6003 - 4780, 4,        5};
    static const double shift[] = {0, -900, -4870};
    static const char *const lines[] = {"MP_SYNC_V2 delta_t5, dts_shifts:            [0.0, -900.0, -4870.0]",
                                        "MP_SYNC_V2 delta_t5, dts_2_hts_ref_offset:  1090.0",
                                        "MP_SYNC_V2 delta_t5, dts_2_hts:             [1090.0, 190.0, -3780.0]", NULL};
    expect_clocks("AllReduce_all_reduce_A", ts, shift, lines);
}

/* One rank alone has nothing to be level with, and so have two that share no collective. */
Test(aiu_clocks, of_ranks_that_share_nothing_stay)
{
    for (int ranks = 1; ranks <= 2; ranks++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        uint32_t one = add_part(&f, "a", "AllReduce_A", 0, 200, 10, TS(105, 110, 111, 112, 120));
        uint32_t other = add_part(&f, "a", "AllReduce_B", ranks - 1, 300, 10, TS(205, 210, 211, 212, 220));
        run_stage(&f, pf_aiu_sync_first);
        expect_time(&f, one, 200, 10);
        expect_time(&f, other, 300, 10);
        cr_expect_eq(logged(&f, "MP SYNC: no collective group detected or single process, no action"), ranks == 1);
        cr_expect_eq(logged(&f, "MP SYNC: 2 of 2 collectives lack a rank"), ranks == 2);
        cr_expect_null(f.run.exchange);
        facts_close(&f);
    }
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

static const char *const by_rate[] = {"mp_sync_v2", NULL, NULL};

/* Ends of A, B, C: 120, 220, 320 on rank 0; 1040, 1130, 1240 on rank 1, as far apart; 5010, 5105, 5410 on rank 2, twice
 * as far. B is the closest: 0, 910, 4885. Rank 0 ended it at 310 of its host. */
Test(aiu_clocks, differ_by_offset_and_rate)
{
    static const int64_t ends[3][3] = {{120, 220, 320}, {1040, 1130, 1240}, {5010, 5105, 5410}};
    static const char *const groups[] = {"AllReduce_A", "AllReduce_B", "AllReduce_C"};
    static const double ts[3][3] = {{120 + 90 - 10, 220 + 90 - 10, 320 + 90 - 10},
                                    {220 - 90 + 90 - 10, 220 + 90 - 10, 220 + 110 + 90 - 10},
                                    {220 - 47.5 + 90 - 10, 220 + 90 - 10, 220 + 152.5 + 90 - 10}};
    static const double rate[] = {1, 1, 2}, shift[] = {0, -910, -4885};
    static const char *const lines[] = {"MP_SYNC_v2: delta_t5:  [120.0, 220.0, 320.0]",
                                        "MP_SYNC_v2: delta_t5:  [1040.0, 1130.0, 1240.0]",
                                        "MP_SYNC_v2: delta_t5:  [5010.0, 5105.0, 5410.0]",
                                        "MP_SYNC_v2: delta_t5, ref_dts_cg:         AllReduce_B",
                                        "MP_SYNC_v2: delta_t5, ref_dts_per_pid:    {2: 5105.0, 1: 1130.0, 0: 220.0}",
                                        "MP_SYNC_v2: delta_t5, ref_hts_p0:         1310.0",
                                        "MP_SYNC_v2: delta_t5, dilation factor:    {2: 2.0, 1: 1.0, 0: 1.0}",
                                        "MP_SYNC_v2: delta_t5, dts_hts_calib_ref:  1090.0"};
    aiu_facts_run f;
    uint32_t e[3][3];
    facts_open(&f, by_rate);
    for (int rank = 2; rank >= 0; rank--) {
        for (int g = 0; g < 3; g++) {
            int64_t end = ends[rank][g];
            e[rank][g] =
                add_part(&f, "a", groups[g], rank, g == 1 ? 300 : 7, 10, TS(end - 4, end - 3, end - 2, end - 1, end));
        }
    }
    uint32_t other = add_part(&f, "a", NULL, 9, 4, 8, TS(1, 2, 3, 4, 5)), host = add_host(&f, "h", 0, 1, 5, 5);
    f.run.origin = 1000;
    run_stage(&f, pf_aiu_sync_rate);
    for (int rank = 0; rank < 3; rank++) {
        for (int g = 0; g < 3; g++) {
            expect_time(&f, e[rank][g], ts[rank][g], 10);
            cr_expect_float_eq(pf_aiu_ts_all(&f.run, e[rank][g], 5), ts[rank][g] + 10, 1e-6);
        }
        cr_expect_eq(f.run.exchange->rate[rank], rate[rank], "rank %d: %g", rank, f.run.exchange->rate[rank]);
        cr_expect_eq(f.run.exchange->shift[rank], shift[rank], "rank %d: %g", rank, f.run.exchange->shift[rank]);
        cr_expect_eq(f.run.exchange->pid[rank], rank);
    }
    expect_time(&f, other, 4, 8);
    expect_time(&f, host, 5, 5);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cr_expect(logged(&f, lines[i]), "%s", lines[i]);
    }
    facts_close(&f);
}

/* Ranks that ended all at once, or the other way round, say nothing of rates. */
Test(aiu_clocks, without_a_span_have_the_rate_1)
{
    static const int64_t ends[][4] = {
        {100, 200, 500, 500}, {100, 200, 500, 400}, {100, 100, 500, 600}, {100, 90, 500, 600}};
    for (size_t i = 0; i < 4; i++) {
        aiu_facts_run f;
        facts_open(&f, by_rate);
        for (int k = 0; k < 4; k++) {
            int64_t end = ends[i][k];
            add_part(&f, "a", k % 2 ? "AllReduce_B" : "AllReduce_A", k / 2, 7, 1, TS(end, end, end, end, end));
        }
        run_stage(&f, pf_aiu_sync_rate);
        cr_expect(f.run.exchange->rate[0] == 1 && f.run.exchange->rate[1] == 1, "case %zu", i);
        facts_close(&f);
    }
}

/* ---- which of both ----------------------------------------------------------------------------------------------- */

/* Rank 1 receives the data of rank 0 10 us after that has sent it, and both are done together but for `late` of the
 * second collective: the first receive leaves the 10 us between them, offset and rate nothing. `late` of 200 us would
 * have one counter run a fifth faster than the other. */
Test(aiu_clocks, are_matched_by_what_leaves_less)
{
    static const struct {
        int64_t late;
        const char *const options[3];
        bool by_rate;
    } cases[] = {{0, {NULL}, true},
                 {9, {NULL}, true},
                 {200, {NULL}, false},
                 {0, {"align", "first", NULL}, false},
                 {0, {"compat", "acelyzer", NULL}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, cases[i].options);
        int64_t last = 1000 + 9000 + cases[i].late;
        add_part(&f, "a DmaI", "AllReduce_A", 0, 200, 10, TS(70, 90, 91, 92, 100));
        uint32_t one = add_part(&f, "a DmaO", "AllReduce_A", 1, 1, 7, TS(970, 980, 981, 982, 1000));
        add_part(&f, "b DmaI", "AllReduce_B", 0, 9200, 10, TS(9070, 9090, 9091, 9092, 9100));
        add_part(&f, "b DmaO", "AllReduce_B", 1, 2, 7, TS(last - 30, last - 20, last - 19, last - 18, last));
        run_stage(&f, pf_aiu_sync_first);
        run_stage(&f, pf_aiu_sync_rate);
        cr_expect_eq(f.run.by_rate, cases[i].by_rate, "case %zu", i);
        cr_expect_eq(logged(&f, "matched by offset and rate, as -S does"), cases[i].by_rate, "case %zu", i);
        cr_expect_eq(logged(&f, "MP_SYNC_V2 delta_t5, dts_shifts"), !cases[i].by_rate, "case %zu", i);
        cr_expect_eq(fabs(pf_aiu_end(&f.run, one) - 210) < 1e-9, cases[i].by_rate, "case %zu", i);
        facts_close(&f);
    }
}
