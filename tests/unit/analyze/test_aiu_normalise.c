/* Which events count, how their names are spelled, when counters began, and slices that go or change where an option
 * asks for it. */
#include <stdio.h>

#include "aiu_support.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The names of the slices that are left, in their order. */
static void expect_names(const aiu_facts_run *f, const char *expected, const char *of)
{
    char names[200] = "";
    size_t len = 0;
    for (uint32_t i = 0; i < f->run.alive && len < sizeof names; i++) {
        pf_str name = pf_aiu_text_of(&f->run, f->run.events.name[f->run.order[i]]);
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", i ? "|" : "", (int)name.len, name.ptr);
    }
    cr_expect_str_eq(names, expected, "%s: %s", of, names);
}

/* Slices of 5 us at 10, 20, 30, 40 after an origin of 1000. What ends with the start of the window, or begins with its
 * end, is inside. */
Test(aiu_normalise, limits)
{
    static const struct {
        const char *limit, *expected;
    } cases[] = {{"{}", "a|b|c|d"},
                 {"{\"count\":2}", "a|b"},
                 {"{\"count\":0}", ""},
                 {"{\"skip\":1}", "b|c|d"},
                 {"{\"skip\":1,\"count\":2}", "b|c"},
                 {"{\"skip\":4}", ""},
                 {"{\"ts_start\":1025}", "b|c|d"},
                 {"{\"ts_start\":1025.5}", "c|d"},
                 {"{\"ts_end\":1030}", "a|b|c"},
                 {"{\"ts_end\":1029.5}", "a|b"},
                 {"{\"ts_start\":1025.5,\"ts_end\":1029.5}", ""},
                 {"{\"ts_start\":1025,\"skip\":1,\"count\":1}", "c"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const options[] = {"event_limit", cases[i].limit, NULL};
        static const char *const names[] = {"a", "b", "c", "d"};
        aiu_facts_run f;
        facts_open(&f, options);
        f.run.origin = 1000;
        for (int k = 0; k < 4; k++) {
            add_host(&f, names[k], 0, 1, 10 * (k + 1), 5);
        }
        run_stage(&f, pf_aiu_normalise);
        expect_names(&f, cases[i].expected, cases[i].limit);
        for (uint32_t k = 0; k < f.run.alive; k++) {
            cr_expect(f.run.events.flags[f.run.order[k]] & AIU_SHOW_JOB);
        }
        facts_close(&f);
    }
}

/* In names of slices alone, wherever it stands. */
Test(aiu_normalise, spellings)
{
    static const struct {
        const char *name, *expected;
        char phase;
    } cases[] = {{"SenRDMAReceive_1", "SenRdmaRecv_1", 'X'},
                 {"RDMA", "Rdma", 'X'},
                 {"aReceiveReceive", "aRecvRecv", 'X'},
                 {"RRDMA RDM", "RRdma RDM", 'X'},
                 {"Receiv", "Receiv", 'X'},
                 {"rdma receive", "rdma receive", 'X'},
                 {"RDMA Receive", "RDMA Receive", 'i'},
                 {"", "", 'X'},
                 {"RDMA", "Rdma", 'X'}};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        uint32_t e = add_host(&f, cases[i].name, 0, 1, i, 5);
        f.run.events.phase[e] = (uint8_t)cases[i].phase;
    }
    run_stage(&f, pf_aiu_normalise);
    for (uint32_t e = 0; e < COUNT(cases); e++) {
        pf_str is = pf_aiu_text_of(&f.run, f.run.events.name[e]);
        cr_expect(pf_str_is(is, cases[e].expected), "%s: %.*s", cases[e].name, (int)is.len, is.ptr);
    }
    facts_close(&f);
}

/* Counters run at 1 MHz: one that says 40 at 100 us began at 60. Each earlier one replaces it; the line has the first.
 */
Test(aiu_normalise, epochs)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    f.run.origin = 1000;
    add_device(&f, "a", 5, 100, 1, TS(40, 41, 42, 43, 44));          /* 60 */
    add_device(&f, "a", 5, 110, 1, TS(60, 61, 62, 63, 64));          /* 50 */
    add_device(&f, "a", 5, 120, 1, TS(60, 61, 62, 63, 64));          /* 60 */
    add_device(&f, "a", 5, 130, 1, TS(80, 81, 82, 83, 84));          /* 50 */
    add_device(&f, "k Cmpt Exec", -2, 100, 1, TS(0, 1, 10, 12, 14)); /* 90 */
    add_device(&f, "a", -2, 200, 1, TS(115, 116, 117, 118, 119));    /* 85 */
    add_device(&f, "a", -2, 300, 1, TS(220, 221, 222, 223, 224));    /* 80 */
    add_device(&f, "a", 3, 300, 1, TS(1, 2, 3, 4, 5));
    add_host(&f, "h", 9, 1, 0, 1);
    run_stage(&f, pf_aiu_normalise);
    run_stage(&f, pf_aiu_grow_counters);
    cr_expect(logged(&f, "OVC: Reference Epoch for 5 job-1.json 40.0 1060.0"));
    cr_expect(logged(&f, "OVC: Reference Epoch for -2 job-1.json 10.0 1090.0"));
    cr_expect(logged(&f, "OVC: Reference Epoch for 3 job-1.json 1.0 1299.0"));
    cr_expect(!logged(&f, "OVC: Reference Epoch for 9"));
    cr_expect(logged(&f, "OVC: reference epoch had to be updated 3 times"));
    cr_expect(logged(&f, "(pid={-2, 5}, job={1}, start=0.0)"));
    for (uint32_t i = 0; i < f.run.alive; i++) {
        uint32_t e = f.run.order[i];
        cr_expect_eq((f.run.events.flags[e] & AIU_EXTENDED) != 0, pf_aiu_is_device(&f.run, e));
        cr_expect_eq(f.run.events.ovc[e], 0);
    }
    facts_close(&f);
}

/* Events without a time go, except metadata of ours. */
Test(aiu_normalise, events_without_a_time)
{
    for (int reference = 0; reference < 2; reference++) {
        const char *const options[] = {"compat", reference ? "acelyzer" : "none", NULL};
        aiu_facts_run f;
        facts_open(&f, options);
        static const char phases[] = "XMCX";
        static const char *const names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; i++) {
            uint32_t e = add_host(&f, names[i], 0, 1, 0, 1);
            f.run.events.phase[e] = (uint8_t)phases[i];
            f.run.events.flags[e] |= i < 3 ? AIU_NO_TIME : 0;
        }
        run_stage(&f, pf_aiu_check_events);
        expect_names(&f, reference ? "d" : "b|d", "kept");
        cr_expect_eq(f.run.log.count, reference ? 3u : 2u);
        cr_expect(logged(&f, "Event failed sanityCheck:  ts is not in {'name': 'a', 'ph': 'X', 'pid': 0, 'tid': 1"));
        facts_close(&f);
    }
}

/* ---- what goes --------------------------------------------------------------------------------------------------- */

Test(aiu_normalise, slices_around_a_graph_go)
{
    static const struct {
        const char *name;
        bool device, instant, left;
    } cases[] = {{"a AllocateFrame of graph b", false, false, false},
                 {"SenFusedDeviceNode_1", false, false, false},
                 {"Flex RoundTrip", false, false, false},
                 {"x HostPrep", false, false, false},
                 {"AIU Roundtrip", false, false, false},
                 {"AIU Roundtrip", true, false, true},
                 {"AIU Roundtrip", false, true, true},
                 {"aiu roundtrip", false, false, true},
                 {"AllocateFrame", false, false, true}};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        uint32_t e = add_host(&f, cases[i].name, 0, 1, i, 5);
        f.run.events.flags[e] |= cases[i].device ? AIU_HAS_TS : 0;
        f.run.events.phase[e] = cases[i].instant ? 'i' : 'X';
    }
    run_stage(&f, pf_aiu_drop_globals);
    for (uint32_t e = 0; e < COUNT(cases); e++) {
        cr_expect_eq((f.run.events.flags[e] & AIU_DROPPED) == 0, cases[e].left, "%s", cases[e].name);
    }
    cr_expect_eq(f.run.alive, 4);
    facts_close(&f);
}

/* The first "_DIGITS" before one of "_- " goes with what comes after it, for a space; not in names with "Recv_". */
Test(aiu_normalise, ids_leave_names)
{
    static const struct {
        const char *name, *expected, *id;
        char phase;
    } cases[] = {{"op_12_x", "op x", "12", 'X'},
                 {"op_1 x", "op x", "1", 'X'},
                 {"op_1-x", "op x", "1", 'X'},
                 {"op_1", "op_1", NULL, 'X'},
                 {"op_1.x", "op_1.x", NULL, 'X'},
                 {"op__12_x", "op_ x", "12", 'X'},
                 {"_1_x", " x", "1", 'X'},
                 {"a_1_b_2_c", "a b c", "1", 'X'},
                 {"a_1_", "a ", "1", 'X'},
                 {"a_12b_3_x", "a_12b x", "3", 'X'},
                 {"a-1_b", "a-1_b", NULL, 'X'},
                 {"a_/_b", "a_/_b", NULL, 'X'},
                 {"a_:_b", "a_:_b", NULL, 'X'},
                 {"a_09_b", "a b", "09", 'X'},
                 {"a_90 b", "a b", "90", 'X'},
                 {"Recv_1_x", "Recv_1_x", NULL, 'X'},
                 {"op_12_x", "op_12_x", NULL, 'i'},
                 {"_1", "_1", NULL, 'X'},
                 {"", "", NULL, 'X'}};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        uint32_t e = add_host(&f, cases[i].name, 0, 1, i, 5);
        f.run.events.phase[e] = (uint8_t)cases[i].phase;
    }
    run_stage(&f, pf_aiu_remove_ids);
    for (uint32_t e = 0; e < COUNT(cases); e++) {
        pf_str is = pf_aiu_text_of(&f.run, f.run.events.name[e]);
        uint32_t x = f.run.events.extra[e];
        cr_expect(pf_str_is(is, cases[e].expected), "%s: %.*s", cases[e].name, (int)is.len, is.ptr);
        cr_assert_eq(x != PF_NONE, cases[e].id != NULL, "%s", cases[e].name);
        if (cases[e].id) {
            cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.extras.list[x].key), "reqID"));
            cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.extras.list[x].as.text), cases[e].id), "%s",
                      cases[e].name);
        }
    }
    facts_close(&f);
}

/* Counters from 10 on, 1, 2, 3 and 4 apart, on the host's clock 100 - 10 later: a slice of no step becomes three, one
 * that waits goes. The other program makes all parts 1/1120 us shorter, in whole ns, and gives the others that length
 * of their step, too. */
Test(aiu_normalise, slices_of_no_step_are_split)
{
    for (int reference = 0; reference < 2; reference++) {
        const char *const options[] = {"compat", reference ? "acelyzer" : "none", NULL};
        aiu_facts_run f;
        facts_open(&f, options);
        static const char *const names[] = {"mystery", "k Cmpt Prep", "k Cmpt Exec", "late DmaI", "off the clock"};
        for (uint32_t i = 0; i < COUNT(names); i++) {
            uint32_t e = add_device(&f, names[i], 3, 90.0009, 7, TS(10, 11, 13, 16, 20));
            f.run.events.anchor[e] = i == 3 ? 90 : 100;
            f.run.events.anchor_device[e] = 10;
            f.run.events.flags[e] |= i < 4 ? AIU_ON_CLOCK | AIU_HAS_POWER : 0;
            f.run.events.power[e] = 5;
            f.run.events.bytes[e] = 6;
            f.run.events.ovc[e] = 7;
            f.run.events.tid[e] = 8;
            f.run.events.cat[e] = text_of(&f, "c");
        }
        run_stage(&f, pf_aiu_split_slices);
        expect_names(&f, "k Cmpt Exec|late DmaI|off the clock|mystery_DmaI|mystery_Cmpt|mystery_DmaO", "split");
        expect_time(&f, 2, 90.0009, reference ? 2.999 : 7);
        expect_time(&f, 3, 90.0009, reference ? 0.999 : 7);
        expect_time(&f, 4, 90.0009, 7);
        expect_time(&f, 5, 100, reference ? 0.999 : 1);
        expect_time(&f, 6, 103, reference ? 2.999 : 3);
        expect_time(&f, 7, 106, reference ? 3.999 : 4);
        const aiu_events *v = &f.run.events;
        for (uint32_t e = 5; e < 8; e++) {
            cr_expect(v->flags[e] == v->flags[4] + AIU_ON_CLOCK + AIU_HAS_POWER && v->row[e] == v->row[0]);
            cr_expect(v->power[e] == 5 && v->bytes[e] == 6 && v->ovc[e] == 7 && v->tid[e] == 8 && v->pid[e] == 3);
            cr_expect(v->rank[e] == v->rank[0] && v->cat[e] == v->cat[0] && v->tsx[0][e] == 10 && v->tsx[4][e] == 20);
            cr_expect(v->anchor[e] == 100 && v->anchor_device[e] == 10 && v->job[e] == 0);
        }
        facts_close(&f);
    }
}
