/* Slices of collectives with everything that they say, and which collectives there are: worked out by hand. */
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/ranks/aiu_ranks.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

static void add_transfer(aiu_facts_run *f, const char *name, const char *group, const char *type, int64_t pid,
                         const char *peer, double ts, double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t e = add_device(f, name, pid, ts, dur, TS(1, 2, 3, 4, 5));
    v->group[e] = text_of(f, group);
    v->type[e] = text_of(f, type);
    v->peer[e] = text_of(f, peer);
    v->bytes[e] = 15000;
    v->flags[e] |= AIU_HAS_BYTES;
}

/* 0 sends from `ts` for 10, 1 receives for 10 from 5 later on, sends from 16 to 20 after `ts`, 0 receives until 30. */
static void add_exchange(aiu_facts_run *f, const char *group, double ts)
{
    add_transfer(f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", group, "SingleCast", 0, "1", ts, 10);
    add_transfer(f, "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI", group, "WDone Barrier", 1, "0", ts + 5, 10);
    add_transfer(f, "SenRdmaSend_2 [sync=AR_s1_r0_2] DmaO", group, "SingleCast", 1, "0", ts + 16, 4);
    add_transfer(f, "SenRdmaRecv_2 [sync=AR_s1_r0_2] DmaI", group, "WDone Barrier", 0, "1", ts + 20, 10);
}

static void add_kernel(aiu_facts_run *f, const char *name, int64_t pid, double ts, double dur)
{
    uint32_t e = add_device(f, name, pid, ts, dur, TS(1, 2, 3, 4, 5));
    f->run.events.row[e] = 0; /* recorded, not made */
}

static void expect_made(aiu_facts_run *f, int64_t pid, const char *expected)
{
    pf_buffer b = {0};
    for (uint32_t e = 0; e < f->run.events.count; e++) {
        if (f->run.events.flags[e] & AIU_REAL_COLL && f->run.events.pid[e] == pid) {
            pf_aiu_put_event(&f->run, e, AIU_SPELL_JSON, &b);
            cr_assert_eq(f->run.error.code, PF_OK);
        }
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

static void build(aiu_facts_run *f, const char *group, const char *first_kernel, const char *second_kernel)
{
    static const char *const options[] = {"flow", NULL, "build_coll_event", NULL, NULL};
    facts_open(f, options);
    add_kernel(f, first_kernel, 0, 0, 10);
    add_kernel(f, second_kernel, 1, 0, 12);
    add_exchange(f, group, 10);
    run_stage(f, pf_aiu_flow_names);
    run_stage(f, pf_aiu_flows);
}

/* 2 * (2 - 1) * 15000 bytes; the number of a group is the last one of its name, whatever its digits are. */
Test(aiu_collectives, say_whose_they_are_and_what_they_moved)
{
    aiu_facts_run f;
    build(&f, "AllReduce_1_9087", "mm_90_x1 Cmpt Exec", "V2_sum3 Cmpt Exec");
    expect_made(
        &f, 0,
        "{\"name\": \"AllReduce_1_9087\", \"ph\": \"X\", \"pid\": 0, \"tid\": \"coll0\", \"ts\": 10.0, \"dur\": 30.0, "
        "\"args\": {\"rank group compute event\": \"mm_x Cmpt Exec\", \"collective algorithm type\": \"chain\", "
        "\"Coll_data_size\": 30000, \"peers\": \"{0, 1}\", \"bytes\": \"15000B\", \"external id\": \"9087\", "
        "\"CollGroup\": \"AllReduce_1_9087\"}}");
    expect_made(
        &f, 1,
        "{\"name\": \"AllReduce_1_9087\", \"ph\": \"X\", \"pid\": 1, \"tid\": \"coll1\", \"ts\": 12.0, \"dur\": 13.0, "
        "\"args\": {\"rank group compute event\": \"V2_sum Cmpt Exec\", \"collective algorithm type\": \"chain\", "
        "\"Coll_data_size\": 30000, \"peers\": \"{0, 1}\", \"bytes\": \"15000B\", \"external id\": \"9087\", "
        "\"CollGroup\": \"AllReduce_1_9087\"}}");
    facts_close(&f);
}

/* A kernel that ran later, or on another rank, brought nothing: rank 1 comes with its first transfer. */
Test(aiu_collectives, begin_with_a_transfer_where_no_kernel_was_before)
{
    static const char *const options[] = {"flow", NULL, "build_coll_event", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, options);
    add_kernel(&f, "k Cmpt Exec", 0, 0, 10);
    add_exchange(&f, "Reduce_2", 10);
    add_kernel(&f, "later Cmpt Exec", 1, 50, 12);
    run_stage(&f, pf_aiu_flow_names);
    run_stage(&f, pf_aiu_flows);
    expect_made(
        &f, 1,
        "{\"name\": \"Reduce_2\", \"ph\": \"X\", \"pid\": 1, \"tid\": \"coll1\", \"ts\": 15.0, \"dur\": 10.0, "
        "\"args\": {\"collective algorithm type\": \"chain\", \"Coll_data_size\": 30000, \"peers\": \"{0, 1}\", "
        "\"bytes\": \"15000B\", \"external id\": \"2\", \"CollGroup\": \"Reduce_2\"}}");
    facts_close(&f);
}

/* A group without a number is number 0. */
Test(aiu_collectives, without_a_number_have_the_number_0)
{
    aiu_facts_run f;
    build(&f, "Reduce", "k Cmpt Exec", "k Cmpt Exec");
    expect_made(&f, 1,
                "{\"name\": \"Reduce_0\", \"ph\": \"X\", \"pid\": 1, \"tid\": \"coll1\", \"ts\": 12.0, \"dur\": 13.0, "
                "\"args\": {\"rank group compute event\": \"k Cmpt Exec\", \"collective algorithm type\": \"chain\", "
                "\"Coll_data_size\": 30000, \"peers\": \"{0, 1}\", \"bytes\": \"15000B\", \"external id\": \"0\", "
                "\"CollGroup\": \"Reduce\"}}");
    facts_close(&f);
}

/* Four slices of one transfer name its peers again and again: each is there once, in the order of their numbers' texts.
 */
Test(aiu_collectives, peers_of_a_sequence_are_named_once)
{
    static const char *const options[] = {"comm_summarize_seq", NULL, NULL};
    static const char *const peers[] = {"2", "1", "3", "2"};
    aiu_facts_run f;
    facts_open(&f, options);
    for (int i = 0; i < 4; i++) {
        add_transfer(&f, "SenRdmaSend_7 data DmaO", "AllReduce_1", "MultiCast", 0, peers[i], 10 * i, 5);
    }
    run_stage(&f, pf_aiu_sequences);
    cr_assert_eq(f.run.alive, 1);
    uint32_t e = f.run.order[0];
    expect_time(&f, e, 0, 35);
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.events.name[e]), "SenRdmaSend_7 data DmaO"));
    const aiu_extra *list = &f.run.extras.list[f.run.events.extra[e]];
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, list->key), "Peers"));
    pf_str said = pf_aiu_text_of(&f.run, list->as.text);
    cr_expect(pf_str_is(said, "[\"1\", \"2\", \"3\"]"), "%.*s", (int)said.len, said.ptr);
    facts_close(&f);
}

static void expect_flows(aiu_facts_run *f, uint32_t done, uint32_t dropped)
{
    aiu_flows flows;
    cr_assert_eq(pf_aiu_flows_read(&f->run, &flows), PF_OK);
    cr_expect_eq(flows.done_count, done);
    cr_expect_eq(flows.dropped, dropped);
}

static void move_pids(aiu_facts_run *f, uint32_t from, int64_t by)
{
    for (uint32_t e = from; e < f->run.events.count; e++) {
        f->run.events.pid[e] += by;
        f->run.events.rank[e] = pf_aiu_rank(&f->run, f->run.events.pid[e]);
        f->run.events.peer[e] = text_of(f, f->run.events.pid[e] == by ? "3" : "2");
    }
}

/* Ranks 0 and 1 exchange data in one collective, 2 and 3 in another one, `apart` later. 30,000 bytes in 30 us. */
static void exchange_twice(double apart, const char *samples, bool concurrent)
{
    static const char *const options[] = {"flow", NULL, "build_coll_event", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, options);
    add_exchange(&f, "AllReduce_1", 10);
    uint32_t from = f.run.events.count;
    add_exchange(&f, "AllReduce_2", 10 + apart);
    move_pids(&f, from, 2);
    run_stage(&f, pf_aiu_flow_names);
    cr_assert_eq(pf_aiu_sort_global(&f.run), PF_OK);
    run_stage(&f, pf_aiu_flows);
    run_stage(&f, pf_aiu_collective_bandwidth);
    expect_samples(&f, AIU_SERIES_COLL_BW, samples);
    cr_expect_eq(logged(&f, "CBW: Concurrent collective ops detected"), concurrent);
    cr_expect_eq(logged(&f, "BW: More than one collective group without close"), concurrent);
    facts_close(&f);
}

Test(aiu_collectives, of_other_ranks_have_a_bandwidth_of_their_own)
{
    exchange_twice(40, "10=1 40=0 50=1 80=0", false);
    exchange_twice(10, "10=1 20=1 50=0", true);
    exchange_twice(30, "10=1 40=1 70=0", false);
}

/* A group of that name comes again once the first one is whole, and its last slice is over. */
Test(aiu_collectives, of_one_name_follow_each_other)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_exchange(&f, "AllReduce_1", 0);
    add_exchange(&f, "AllReduce_1", 31);
    expect_flows(&f, 2, 0);
    facts_close(&f);
}

/* A half of one is given up once nothing came to it for 5 s, or for four times what it took: here it ended at 10, and
 * after it another one, at 5,000,010 still as its continuation, later as one of its own. */
Test(aiu_collectives, that_lack_a_half_are_given_up_after_5_s)
{
    for (int late = 0; late < 2; late++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        add_transfer(&f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", "AllReduce_1", "SingleCast", 0, "1", 0, 10);
        add_exchange(&f, "AllReduce_1", 5000010 + late);
        expect_flows(&f, 1, late);
        facts_close(&f);
    }
}

/* 2 s long: given up 8 s after its end, at 10 s. */
Test(aiu_collectives, that_took_long_are_given_up_later)
{
    for (int late = 0; late < 2; late++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        add_transfer(&f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", "AllReduce_1", "SingleCast", 0, "1", 0, 2e6);
        add_exchange(&f, "AllReduce_1", 10e6 + late);
        expect_flows(&f, 1, late);
        facts_close(&f);
    }
}

/* One set alone is no collective, and a receive that never comes makes none. */
Test(aiu_collectives, need_two_sets_and_all_receives)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_transfer(&f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", "AllReduce_1", "SingleCast", 0, "1", 0, 10);
    add_transfer(&f, "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI", "AllReduce_1", "WDone Barrier", 1, "0", 5, 10);
    expect_flows(&f, 0, 1);
    add_transfer(&f, "SenRdmaSend_2 [sync=AR_s1_r0_2] DmaO", "AllReduce_1", "SingleCast", 1, "0", 15, 4);
    expect_flows(&f, 0, 1);
    add_transfer(&f, "SenRdmaRecv_2 [sync=AR_s1_r0_2] DmaI", "AllReduce_1", "WDone Barrier", 0, "1", 16, 4);
    expect_flows(&f, 1, 0);
    facts_close(&f);
}

/* One set from rank 0 to 1 and one back, each late where `forth` or `back` is above 0: its send begins so long after
 * its receive ends. */
static void add_exchange_before(aiu_facts_run *f, const char *group, double ts, double forth, double back)
{
    add_transfer(f, "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI", group, "WDone Barrier", 1, "0", ts, 10);
    add_transfer(f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", group, "SingleCast", 0, "1", ts + 10 + forth, 10);
    add_transfer(f, "SenRdmaRecv_2 [sync=AR_s1_r0_2] DmaI", group, "WDone Barrier", 0, "1", ts, 20);
    add_transfer(f, "SenRdmaSend_2 [sync=AR_s1_r0_2] DmaO", group, "SingleCast", 1, "0", ts + 20 + back, 10);
}

/* An arrow ends 0.001 us before its receive does. What goes back in time is counted, and of each pair of ranks the most
 * is listed, by the ranks, as a double has it; arrows that do not go back are none of these, and without arrows nothing
 * is listed. */
Test(aiu_collectives, whose_arrows_go_back_are_listed_by_pairs_of_ranks)
{
    static const char *const options[] = {"flow", NULL, NULL};
    aiu_facts_run f;
    for (int wanted = 0; wanted < 2; wanted++) {
        facts_open(&f, wanted ? options : NULL);
        add_exchange_before(&f, "AllReduce_1", 0, -5, 40);
        add_exchange_before(&f, "AllReduce_2", 80, 30, 20);
        add_exchange_before(&f, "AllReduce_3", 160, 70, -1);
        add_exchange_before(&f, "AllReduce_4", 300, 50, -0.5);
        cr_assert_eq(pf_aiu_sort_global(&f.run), PF_OK);
        run_stage(&f, pf_aiu_flows);
        cr_expect_eq(f.run.exchange->late, 5);
        expect_log(&f, wanted ? "WARNING FLOW: Number of potential problems detected = 5\n"
                                "RAW src  dst  recv_before_send\n"
                                "RAW 0  1  70.001\n"
                                "RAW 1  0  40.001000000000005\n"
                              : "");
        facts_close(&f);
    }
}
