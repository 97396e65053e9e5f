/* What names of transfers say: the size that leaves them, and the peers of a receive that no argument names. */
#include <string.h>

#include "aiu_support.h"

static uint32_t add_transfer(aiu_facts_run *f, const char *name, const char *type, int64_t pid, const char *peer,
                             double ts, double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t e = add_device(f, name, pid, ts, dur, (const int64_t[5]){1, 2, 3, 4, 5});
    v->group[e] = text_of(f, "AllReduce_1");
    v->type[e] = text_of(f, type);
    v->peer[e] = peer ? text_of(f, peer) : 0;
    return e;
}

/* " [N B]" without the blank, once, wherever it stands. */
Test(aiu_transfers, sizes_leave_names)
{
    static const struct {
        const char *name, *left; /* NULL: it stays as it is */
    } cases[] = {
        {"S [524288B] [sync=a] DmaO", "S [sync=a] DmaO"},
        {"S [09B] [sync=a]", "S [sync=a]"},
        {" [5B] [sync=a]", " [sync=a]"},
        {"S [sync=a] [5B]", "S [sync=a]"},
        {"S [1B] [2B] [sync=a]", "S [2B] [sync=a]"},
        {"S [x] [2B] [sync=a]", "S [x] [sync=a]"},
        {"S [5B][sync=a]", "S[sync=a]"},
        {"S [B] [sync=a]", NULL},
        {"S [5b] [sync=a]", NULL},
        {"S [5B) [sync=a]", NULL},
        {"S [5 B] [sync=a]", NULL},
        {"S [5]B] [sync=a]", NULL},
        {"S [/B] [sync=a]", NULL},
        {"S [:B] [sync=a]", NULL},
        {"S [-5B] [sync=a]", NULL},
        {"S[5B] [sync=a]", NULL},
        {"S (5B] [sync=a]", NULL},
        {"S_[5B] [sync=a]", NULL},
        {"S [sync=a] [5B", NULL},
        {"S [sync=a] [55", NULL},
        {"S [sync=a] [", NULL},
        {"S [5B] [sync a]", NULL},
        {"S [5B] [sync=a", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        uint32_t e = add_transfer(&f, cases[i].name, "SingleCast", 0, "1", 0, 1);
        uint32_t sized = add_transfer(&f, cases[i].name, "SingleCast", 0, "1", 5, 1);
        f.run.events.flags[sized] |= AIU_HAS_BYTES;
        run_stage(&f, pf_aiu_flow_names);
        pf_str left = pf_aiu_text_of(&f.run, f.run.events.name[e]);
        const char *expected = cases[i].left ? cases[i].left : cases[i].name;
        cr_expect(pf_str_is(left, expected), "%s: \"%.*s\"", cases[i].name, (int)left.len, left.ptr);
        cr_expect_eq(f.run.events.name[sized], text_of(&f, cases[i].name), "an argument says it, too");
        facts_close(&f);
    }
}

/* One peer is a list of one, unless there is a list; what is no transfer has none. */
Test(aiu_transfers, one_peer_is_a_list)
{
    static const struct {
        const char *name, *peer, *peers, *expected;
    } cases[] = {{"S [sync=a]", "1", NULL, "1"},
                 {"S [sync=a]", "1", "[2]", "[2]"},
                 {"S [sync=a]", NULL, "[2]", "[2]"},
                 {"S", "1", NULL, NULL},
                 {"S [sync=a]", NULL, NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        aiu_events *v = &f.run.events;
        uint32_t e = add_transfer(&f, cases[i].name, "SingleCast", 0, cases[i].peer, 0, 1);
        v->peers[e] = cases[i].peers ? text_of(&f, cases[i].peers) : 0;
        run_stage(&f, pf_aiu_flow_names);
        cr_expect_eq(v->peers[e], cases[i].expected ? text_of(&f, cases[i].expected) : 0, "case %zu", i);
        cr_expect_eq((v->flags[e] & AIU_PEER_LISTED) != 0, i == 0, "case %zu", i);
        cr_assert_eq(v->extra[e] != PF_NONE, i == 0, "case %zu", i);
        facts_close(&f);
    }
}

/* Two ranks exchange: a receive whose name speaks of a third one makes that wait for more, and no arrow is drawn. */
Test(aiu_transfers, receives_may_name_their_peer)
{
    static const struct {
        const char *name, *type;
        uint32_t arrows;
    } cases[] = {
        {"SenRdmaRecv_0_x [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv_1_x [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv_2_x [sync=A_s0_r1] DmaI", "WDone Barrier", 0},
        {"SenRdmaRecv_9_x [sync=A_s0_r1] DmaI", "WDone Barrier", 0},
        {"SenRdmaRecv_10_ [sync=A_s0_r1] DmaI", "WDone Barrier", 0},
        {"SenRdmaRecv_2 [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv_2x_ [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv__2_ [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv_/_ [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaRecv_:_ [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaGet_2_x [sync=A_s0_r1] DmaI", "WDone Barrier", 4},
        {"SenRdmaGet [sync=A_s0_r1] DmaI", "Wait Barrier", 0},
        {"[sync=A_s0_r1] SenRdmaRecv_2", "WDone Barrier", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const flow[] = {"flow", NULL, NULL};
        aiu_facts_run f;
        facts_open(&f, flow);
        uint32_t first = add_device(&f, "k Cmpt Exec", 0, 0, 10, (const int64_t[5]){1, 2, 3, 4, 5});
        uint32_t second = add_device(&f, "k Cmpt Exec", 1, 0, 12, (const int64_t[5]){1, 2, 3, 4, 5});
        f.run.events.row[first] = f.run.events.row[second] = 0;
        add_transfer(&f, "SenRdmaSend_1 [sync=A_s0_r1] DmaO", "SingleCast", 0, "1", 10, 10);
        add_transfer(&f, cases[i].name, cases[i].type, 1, NULL, 15, 10);
        add_transfer(&f, "SenRdmaSend_2 [sync=A_s1_r0] DmaO", "SingleCast", 1, "0", 26, 4);
        add_transfer(&f, "SenRdmaGet_2 [sync=A_s1_r0] DmaI", "WDone Barrier", 0, "0", 30, 10);
        run_stage(&f, pf_aiu_flow_names);
        run_stage(&f, pf_aiu_flows);
        cr_expect_eq(f.run.arrows.count, cases[i].arrows, "%s: %u", cases[i].name, f.run.arrows.count);
        facts_close(&f);
    }
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static const char *const summarize[] = {"comm_summarize_seq", NULL, NULL};

/* The first number after `_` or `-` says to which sequence a slice belongs. */
Test(aiu_transfers, of_one_number_are_a_sequence)
{
    static const struct {
        const char *first, *second;
        bool one;
    } cases[] = {
        {"SenRdmaSend_7 a", "SenRdmaSend_7 b", true},
        {"SenRdmaSend-7", "SenRdmaSend_7", true},
        {"SenRdma_x_7", "SenRdma_7", true},
        {"SenRdma_7_8", "SenRdma_7_9", true},
        {"SenRdma_07", "SenRdma_7", true},
        {"SenRdma_0", "SenRdma_0", true},
        {"SenRdma_19", "SenRdma_19", true},
        {"_4 SenRdma", "-4 SenRdma", true},
        {"SenRdma_7", "SenRdma_8", false},
        {"SenRdma_8_7", "SenRdma_9_7", false},
        {"SenRdma_10", "SenRdma_1", false},
        {"SenRdma_12", "SenRdma_21", false},
        {"SenRdma7", "SenRdma7", false},
        {"SenRdma_", "SenRdma_", false},
        {"SenRdma_/", "SenRdma_/", false},
        {"SenRdma_:", "SenRdma_:", false},
        {"SenRdma.7", "SenRdma.7", false},
        {"Send_7", "Send_7", false},
        {"SenRdma_7", "Send_7", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, summarize);
        uint32_t first = add_transfer(&f, cases[i].first, "MultiCast", 0, NULL, 10, 10);
        uint32_t second = add_transfer(&f, cases[i].second, "MultiCast", 0, NULL, 30, 5);
        run_stage(&f, pf_aiu_sequences);
        cr_expect_eq(f.run.alive, cases[i].one ? 1u : 2u, "%s, %s", cases[i].first, cases[i].second);
        expect_time(&f, first, 10, 10);
        expect_time(&f, second, cases[i].one ? 10 : 30, cases[i].one ? 25 : 5);
        facts_close(&f);
    }
}

/* Peers stand between commas; what JSON would have to escape is none. */
Test(aiu_transfers, peers_of_sequences_are_listed)
{
    static const struct {
        const char *first, *second, *expected; /* NULL: none */
    } cases[] = {
        {"2,0,,1", "1", "[\"0\", \"1\", \"2\"]"},
        {"1,1", ",1,", "[\"1\"]"},
        {"x\"y,3", "3", "[\"3\"]"},
        {"x\\y,3", "3", "[\"3\"]"},
        {"\x1f,3", "4", "[\"3\", \"4\"]"},
        {" ,3", "3", "[\" \", \"3\"]"},
        {"10", "9", "[\"10\", \"9\"]"},
        {"12", NULL, "[\"12\"]"},
        {NULL, "12", "[\"12\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, summarize);
        add_transfer(&f, "SenRdma_7", "MultiCast", 0, cases[i].first, 10, 10);
        add_transfer(&f, "SenRdma_7", "MultiCast", 0, cases[i].second, 30, 5);
        run_stage(&f, pf_aiu_sequences);
        cr_assert_eq(f.run.alive, 1);
        const aiu_extra *list = &f.run.extras.list[f.run.events.extra[f.run.order[0]]];
        pf_str said = pf_aiu_text_of(&f.run, list->as.text);
        cr_expect(pf_str_is(pf_aiu_text_of(&f.run, list->key), "Peers"));
        cr_expect(pf_str_is(said, cases[i].expected), "case %zu: %.*s", i, (int)said.len, said.ptr);
        facts_close(&f);
    }
}

/* ---- --filter ---------------------------------------------------------------------------------------------------- */

/* Events, samples and arrows of the letters that are named stay, arrows with all that they say. */
Test(aiu_transfers, letters_that_are_named_stay)
{
    static const struct {
        const char *letters;
        uint32_t events, samples, arrows;
    } cases[] = {{"XC", 1, 1, 0}, {"i", 1, 0, 0},  {"Xis", 2, 0, 2},
                 {"fC", 0, 1, 1}, {"sf", 0, 0, 3}, {"MXisfC", 2, 1, 3}};
    static const char phases[] = "sfs";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const options[] = {"filter", cases[i].letters, NULL};
        aiu_facts_run f;
        facts_open(&f, options);
        add_host(&f, "h", 0, 1, 0, 1);
        cr_assert_neq(pf_aiu_add_event(&f.run, 'i'), PF_NONE);
        cr_assert_eq(pf_aiu_add_sample(&f.run, AIU_SERIES_PREPS, 0, 1, 2, 0), PF_OK);
        for (uint32_t n = 0; n < 3; n++) {
            cr_assert_eq(pf_aiu_add_arrow(&f.run, (uint8_t)phases[n], 10 + n, 20 + n, 30 + n, 40 + n, 50 + n, 60 + n),
                         PF_OK);
        }
        run_stage(&f, pf_aiu_keep_types);
        cr_expect_eq(f.run.alive, cases[i].events, "%s: %u events", cases[i].letters, f.run.alive);
        cr_expect_eq(f.run.samples.count, cases[i].samples, "%s", cases[i].letters);
        const aiu_arrows *a = &f.run.arrows;
        cr_assert_eq(a->count, cases[i].arrows, "%s: %u arrows", cases[i].letters, a->count);
        for (uint32_t n = 0, k = 0; n < 3; n++) {
            if (strchr(cases[i].letters, phases[n])) {
                cr_expect(a->phase[k] == phases[n] && a->ts[k] == 10 + n && a->pid[k] == 20 + n &&
                              a->tid[k] == 30 + n && a->id[k] == 40 + n && a->name[k] == 50 + n && a->cat[k] == 60 + n,
                          "%s: arrow %u", cases[i].letters, n);
                k++;
            }
        }
        facts_close(&f);
    }
}
