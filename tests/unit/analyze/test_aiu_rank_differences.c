/* What analyze aiu does with several ranks otherwise than the program whose results --compat acelyzer repeats: the same
 * facts both ways. The rows are those of docs/reference/aiu-ranks.md, "Differences". */
#include <math.h>

#include "aiu_support.h"
#include "analyze/aiu/ranks/aiu_ranks.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

/* A run of ours or of the other program, with two flags. */
static void open_as(aiu_facts_run *f, bool reference, const char *flag, const char *other)
{
    const char *const options[] = {"compat", reference ? "acelyzer" : "none", flag, NULL, other, NULL, NULL};
    facts_open(f, options);
}

static uint32_t add_part(aiu_facts_run *f, const char *name, const char *group, int64_t pid, double ts, double dur,
                         const int64_t *tsx)
{
    uint32_t e = add_device(f, name, pid, ts, dur, tsx);
    f->run.events.group[e] = text_of(f, group);
    return e;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* Rank 1 lacks the second collective. By the first one, received at its counter 1025 and sent at 20, it is 1005 ahead;
 * rank 0 noted counter 20 at 505. */
Test(aiu_rank_differences, collectives_that_lack_a_rank_do_not_count)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        f.run.set.align_auto = false;
        add_part(&f, "AllReduce_all_reduce_1 DmaO", "AllReduce_all_reduce_1", 0, 500, 5, TS(0, 10, 10, 15, 20));
        uint32_t gets =
            add_part(&f, "Recv_1 DmaI", "AllReduce_all_reduce_1", 1, 7000, 9, TS(1015, 1025, 1026, 1027, 1030));
        add_part(&f, "AllReduce_all_reduce_2 DmaO", "AllReduce_all_reduce_2", 0, 600, 5, TS(100, 110, 110, 115, 120));
        pf_aiu_sync_first(&f.run);
        pf_status st = f.run.error.code;
        if (reference) {
            cr_expect_eq(st, PF_ERR_USAGE);
            cr_expect(pf_aiu_contains((pf_str){f.run.error.text, strlen(f.run.error.text)}, "AllReduce_all_reduce_2"));
        } else {
            cr_expect_eq(st, PF_OK);
            cr_expect(logged(&f, "1 of 2 collectives lack a rank"));
            expect_time(&f, gets, 1015 - 1005 + 485, 9);
        }
        facts_close(&f);
    }
}

/* Rank 1 ends at 600 of rank 0's clock, its TS4 is 20 us before that; on its own clock TS4 is as late as the end. */
Test(aiu_rank_differences, power_moves_with_its_slices)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "mp_sync_v2", NULL);
        add_part(&f, "a DmaO", "AllReduce_1", 0, 590, 10, TS(90, 90, 90, 90, 100));
        add_part(&f, "b DmaO", "AllReduce_2", 0, 690, 10, TS(190, 190, 190, 190, 200));
        uint32_t one = add_part(&f, "a DmaI", "AllReduce_1", 1, 5000, 8, TS(980, 980, 980, 980, 1000));
        add_part(&f, "b DmaI", "AllReduce_2", 1, 6000, 8, TS(1180, 1180, 1180, 1180, 1200));
        run_stage(&f, pf_aiu_to_wallclock);
        run_stage(&f, pf_aiu_tighten);
        run_stage(&f, pf_aiu_sync_rate);
        cr_expect_float_eq(pf_aiu_end(&f.run, one), 600, 1e-9);
        cr_expect_float_eq(pf_aiu_ts_all(&f.run, one, 4), reference ? 5008 : 580, 1e-9);
        facts_close(&f);
    }
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

/* Two ranks of one file use the same number. */
Test(aiu_rank_differences, sequences_belong_to_a_rank)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "comm_summarize_seq", NULL);
        add_device(&f, "SenRdmaSend_7 notice DmaO", 0, 10, 10, TS(1, 2, 3, 4, 5));
        uint32_t data = add_device(&f, "SenRdmaSend_7 data DmaO", 0, 30, 5, TS(1, 2, 3, 4, 5));
        uint32_t other = add_device(&f, "SenRdmaSend_7 data DmaO", 1, 100, 10, TS(1, 2, 3, 4, 5));
        run_stage(&f, pf_aiu_sequences);
        cr_expect_eq(f.run.alive, reference ? 1 : 2);
        if (reference) {
            expect_time(&f, other, 10, 100);
        } else {
            expect_time(&f, data, 10, 25);
            expect_time(&f, other, 100, 10);
            cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.events.name[data]), "SenRdmaSend_7 "));
        }
        facts_close(&f);
    }
}

Test(aiu_rank_differences, sizes_stay_in_names_where_an_argument_says_them)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "flow", NULL);
        const char *name = "SenRdmaRecv_1 [524288B] [sync=AR_s0_r1_1] DmaI",
                   *cut = "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI";
        uint32_t silent = add_part(&f, name, "AllReduce_1", 0, 0, 10, TS(1, 2, 3, 4, 5));
        uint32_t says = add_part(&f, name, "AllReduce_1", 0, 20, 10, TS(1, 2, 3, 4, 5));
        f.run.events.flags[says] |= AIU_HAS_BYTES;
        run_stage(&f, pf_aiu_flow_names);
        cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.events.name[silent]), cut));
        cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.events.name[says]), reference ? cut : name));
        facts_close(&f);
    }
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static void add_transfer(aiu_facts_run *f, const char *name, const char *type, int64_t pid, const char *peer, double ts,
                         double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t e = add_part(f, name, "AllReduce_1", pid, ts, dur, TS(1, 2, 3, 4, 5));
    v->type[e] = text_of(f, type);
    v->peer[e] = text_of(f, peer);
    v->bytes[e] = 15000;
    v->flags[e] |= AIU_HAS_BYTES;
}

static void add_kernel(aiu_facts_run *f, int64_t pid, double ts, double dur)
{
    uint32_t e = add_device(f, "k Cmpt Exec", pid, ts, dur, TS(1, 2, 3, 4, 5));
    f->run.events.row[e] = 0; /* recorded, not made */
}

/* Kernels until 10 and 12; 0 sends from 10 to 20, 1 receives until 25, sends from 26 to 30, 0 receives until 40 and
 * goes on with a kernel from 45 to 50. */
static void add_chain(aiu_facts_run *f)
{
    add_kernel(f, 0, 0, 10);
    add_kernel(f, 1, 0, 12);
    add_transfer(f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", "SingleCast", 0, "1", 10, 10);
    add_transfer(f, "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI", "WDone Barrier", 1, "0", 15, 10);
    add_transfer(f, "SenRdmaSend_2 [sync=AR_s1_r0_2] DmaO", "SingleCast", 1, "0", 26, 4);
    add_transfer(f, "SenRdmaRecv_2 [sync=AR_s1_r0_2] DmaI", "WDone Barrier", 0, "1", 30, 10);
    add_kernel(f, 0, 45, 5);
}

/* The slices of collectives that were made, whose times are those of `expected` by pid. */
static uint32_t count_made(aiu_facts_run *f, const double expected[2][2])
{
    uint32_t made = 0;
    run_stage(f, pf_aiu_flow_names);
    run_stage(f, pf_aiu_flows);
    for (uint32_t e = 0; e < f->run.events.count; e++) {
        if (f->run.events.flags[e] & AIU_REAL_COLL) {
            int64_t pid = f->run.events.pid[e];
            cr_assert(pid == 0 || pid == 1);
            expect_time(f, e, expected[pid][0], expected[pid][1]);
            made++;
        }
    }
    return made;
}

/* The other program makes none where neither the first nor the last rank sends to all. */
Test(aiu_rank_differences, collectives_begin_after_the_kernel_before_them)
{
    static const double ours[2][2] = {{10, 30}, {12, 13}};
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "flow", "build_coll_event");
        add_chain(&f);
        cr_expect_eq(count_made(&f, ours), reference ? 0 : 2);
        facts_close(&f);
    }
}

/* Rank 1 sends to rank 0, which multicasts the result: a tree. Rank 0 stays until its multicast is over, at 30. */
Test(aiu_rank_differences, trees_are_collectives_too)
{
    static const double ours[2][2] = {{10, 20}, {12, 19}};
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "flow", "build_coll_event");
        add_kernel(&f, 0, 0, 10);
        add_kernel(&f, 1, 0, 12);
        add_transfer(&f, "SenRdmaSend_1 [sync=AR_s1_r0_1] DmaO", "SingleCast", 1, "0", 12, 8);
        add_transfer(&f, "SenRdmaRecv_1 [sync=AR_s1_r0_1] DmaI", "WDone Barrier", 0, "1", 14, 7);
        add_transfer(&f, "SenRdmaSend_2 - Set BcList [sync=AR_s0_0x2_2] DmaO", "Set BCList", 0, "1", 22, 1);
        add_transfer(&f, "SenRdmaSend_2 - Xseg to rank 1 [sync=AR_s0_0x2_2] DmaO", "MultiCast XSEG", 0, "1", 23, 1);
        add_transfer(&f, "SenRdmaSend_2 Data [sync=AR_s0_0x2_2] DmaO", "MultiCast", 0, "1", 24, 6);
        add_transfer(&f, "SenRdmaRecv_2 [sync=AR_s0_0x2_2] DmaI", "WDone Barrier", 1, "0", 25, 6);
        cr_expect_eq(count_made(&f, ours), reference ? 0 : 2);
        facts_close(&f);
    }
}

Test(aiu_rank_differences, a_rank_stays_for_its_last_receive)
{
    const aiu_member m = {
        .first_start = 5, .first_end = 9, .last_receive = 40, .last_multicast = 30, .last_end = 40, .kernel = PF_NONE};
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        aiu_stay stay = pf_aiu_stay_of(&f.run, &m);
        cr_expect_eq(stay.start, 5);
        cr_expect_eq(stay.end, reference ? 30 : 40);
        facts_close(&f);
    }
}

/* 15,000 bytes from the end of the slice before the first transfer, 12, to that before the next kernel, 40. */
Test(aiu_rank_differences, bandwidth_without_slices_of_collectives)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_chain(&f);
        run_stage(&f, pf_aiu_group_bandwidth);
        expect_samples(&f, AIU_SERIES_BW_ALLREDUCE, reference ? "" : "12=0.536 40=0");
        facts_close(&f);
    }
}
