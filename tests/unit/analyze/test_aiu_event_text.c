/* Events as JSON and as Python prints them: members, arguments of every type, what stages change of them and add. The
 * expected texts are written by hand. */
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"
#include "postfetto/build.h"

/* A run over a trace of one thread, 8 of process 7, which tests fill with slices. */
typedef struct text_run {
    aiu_facts_run f;
    pf_builder *b;
    pf_trace *trace;
    uint32_t track;
} text_run;

static void open_trace(text_run *t)
{
    facts_open(&t->f, NULL);
    t->b = pf_builder_new(NULL);
    uint32_t upid = pf_build_process(t->b, 7, (pf_str){NULL, 0});
    t->track = pf_build_thread_track(t->b, pf_build_thread(t->b, upid, 8, (pf_str){NULL, 0}));
}

static void finish_trace(text_run *t)
{
    cr_assert_eq(pf_builder_finish(t->b, &t->trace, &t->f.err), PF_OK, "%s", t->f.err.text);
    t->f.run.trace = t->trace;
}

static void close_trace(text_run *t)
{
    facts_close(&t->f);
    pf_trace_free(t->trace);
    pf_builder_free(t->b);
}

static void expect_text(text_run *t, uint32_t event, aiu_spelling spelling, const char *expected)
{
    pf_buffer b = {0};
    pf_aiu_put_event(&t->f.run, event, spelling, &b);
    cr_assert_eq(t->f.run.error.code, PF_OK, "%s", t->f.run.error.text);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

/* The event of a row, at 10 for 5 us. */
static uint32_t add_row(text_run *t, uint32_t row)
{
    uint32_t e = add_host(&t->f, "n", 7, 8, 10, 5);
    t->f.run.events.row[e] = row;
    return e;
}

/* The event gets the row of one in JSON with further members. */
static void say_in_json(text_run *t, uint32_t e, const char *members)
{
    pf_trace_free(t->trace);
    t->trace = take_json(&t->f, e, members);
}

#define HEAD "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 7, \"tid\": 8, \"ts\": 10.0, \"dur\": 5.0, \"args\": "
#define PYTHON "{'name': 'n', 'ph': 'X', 'pid': 7, 'tid': 8, 'ts': 10.0, 'dur': 5.0, 'args': "

static void add_values(pf_builder *b)
{
    pf_build_arg_bool(b, PF_STR("yes"), true);
    pf_build_arg_bool(b, PF_STR("no"), false);
    pf_build_arg_int(b, PF_STR("int"), -5);
    pf_build_arg_uint(b, PF_STR("uint"), UINT64_MAX);
    pf_build_arg_pointer(b, PF_STR("pointer"), 18);
    pf_build_arg_real(b, PF_STR("real"), 0.5);
    pf_build_arg_text(b, PF_STR("text"), PF_STR("a\"b'c\\d\ne\x01"));
    pf_build_arg_list(b, PF_STR("list"));
    pf_build_arg_int(b, PF_STR(""), 1);
    pf_build_arg_object(b, PF_STR(""));
    pf_build_arg_int(b, PF_STR("a"), 2);
    pf_build_arg_list(b, PF_STR("b"));
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("c"), 3);
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR(""), 4);
    pf_build_arg_end(b);
    pf_build_arg_object(b, PF_STR("object"));
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("last"), 6);
}

Test(aiu_event_text, arguments_of_every_type)
{
    text_run t;
    open_trace(&t);
    pf_build_slice(t.b, t.track, 10000, 5000, PF_STR("n"));
    add_values(t.b);
    finish_trace(&t);
    uint32_t e = add_row(&t, 0);
    expect_text(&t, e, AIU_SPELL_JSON,
                HEAD "{\"yes\": true, \"no\": false, \"int\": -5, \"uint\": 18446744073709551615, \"pointer\": 18, "
                     "\"real\": 0.5, \"text\": \"a\\\"b'c\\\\d\\ne\\u0001\", "
                     "\"list\": [1, {\"a\": 2, \"b\": [], \"c\": 3}, 4], \"object\": {}, \"last\": 6}}");
    expect_text(&t, e, AIU_SPELL_PYTHON,
                PYTHON "{'yes': True, 'no': False, 'int': -5, 'uint': 18446744073709551615, 'pointer': 18, "
                       "'real': 0.5, 'text': 'a\"b\\'c\\\\d\\ne\\x01', "
                       "'list': [1, {'a': 2, 'b': [], 'c': 3}, 4], 'object': {}, 'last': 6}}");
    close_trace(&t);
}

/* Arguments of JSON, of which the last two are no numbers of 64 bits. */
Test(aiu_event_text, arguments_of_json)
{
    static const char json[] =
        "{\"args\":{\"t\":true,\"f\":false,\"n\":null,\"i\":-5,\"d\":1.5,\"s\":\"x\",\"l\":[1,[],{}],"
        "\"o\":{\"p\":[true,2]},\"e\":1e999,\"b\":123456789012345678901}}";
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    uint32_t e = add_row(&t, PF_NONE);
    say_in_json(&t, e, json);
    expect_text(&t, e, AIU_SPELL_JSON,
                HEAD
                "{\"t\": true, \"f\": false, \"n\": null, \"i\": -5, \"d\": 1.5, \"s\": \"x\", \"l\": [1, [], {}], "
                "\"o\": {\"p\": [true, 2]}, \"e\": 1e999, \"b\": 123456789012345678901}}");
    expect_text(&t, e, AIU_SPELL_PYTHON,
                PYTHON "{'t': True, 'f': False, 'n': None, 'i': -5, 'd': 1.5, 's': 'x', 'l': [1, [], {}], "
                       "'o': {'p': [True, 2]}, 'e': 1e999, 'b': 123456789012345678901}}");
    close_trace(&t);
}

/* 200 levels, of which the odd ones are lists: all come out, closed by what opened them. */
Test(aiu_event_text, arguments_of_any_depth)
{
    enum { LEVELS = 200 };
    pf_buffer expected = {0};
    text_run t;
    open_trace(&t);
    pf_build_slice(t.b, t.track, 10000, 5000, PF_STR("n"));
    pf_buffer_text(&expected, HEAD "{\"k\": {");
    pf_build_arg_object(t.b, PF_STR("k"));
    for (int i = 1; i < LEVELS; i++) {
        pf_buffer_text(&expected, i % 2 ? "\"k\": [" : "{");
        i % 2 ? pf_build_arg_list(t.b, PF_STR("k")) : pf_build_arg_object(t.b, PF_STR(""));
    }
    pf_build_arg_int(t.b, PF_STR(""), 1);
    pf_buffer_text(&expected, "1");
    for (int i = LEVELS - 1; i >= 0; i--) {
        pf_build_arg_end(t.b);
        pf_buffer_text(&expected, i % 2 ? "]" : "}");
    }
    pf_build_arg_int(t.b, PF_STR("after"), 2);
    pf_buffer_put(&expected, ", \"after\": 2}}", sizeof ", \"after\": 2}}");
    finish_trace(&t);
    expect_text(&t, add_row(&t, 0), AIU_SPELL_JSON, expected.data);
    pf_buffer_free(&expected);
    close_trace(&t);
}

static void add_replaced(pf_builder *b)
{
    pf_build_arg_object(b, PF_STR("TS1"));
    pf_build_arg_int(b, PF_STR("a"), 1);
    pf_build_arg_list(b, PF_STR("b"));
    pf_build_arg_int(b, PF_STR(""), 2);
    pf_build_arg_end(b);
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("TS0"), 1);
    pf_build_arg_int(b, PF_STR("TS5"), 2);
    pf_build_arg_int(b, PF_STR("TS6"), 3);
    pf_build_arg_int(b, PF_STR("TS11"), 4);
    pf_build_arg_int(b, PF_STR("XS1"), 5);
    pf_build_arg_int(b, PF_STR("TX1"), 6);
    pf_build_arg_int(b, PF_STR("Power"), 7);
    pf_build_arg_list(b, PF_STR("Peer"));
    pf_build_arg_int(b, PF_STR(""), 3);
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("added"), 8);
    pf_build_arg_int(b, PF_STR("adde"), 9);
    pf_build_arg_object(b, PF_STR("deep"));
    pf_build_arg_int(b, PF_STR("TS1"), 1);
    pf_build_arg_int(b, PF_STR("Power"), 2);
    pf_build_arg_int(b, PF_STR("Bytes"), 3);
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("Bytes"), 10);
    pf_build_arg_int(b, PF_STR("args.x"), 11);
    pf_build_arg_int(b, PF_STR("debug.y"), 12);
}

#define COUNTERS "\"TS1\": \"11\", \"TS2\": \"12\", \"TS3\": \"13\", \"TS4\": \"14\", \"TS5\": \"15\""
#define KEPT "\"TS0\": 1, \"TS6\": 3, \"TS11\": 4, \"XS1\": 5, \"TX1\": 6, "
#define DEEP "\"deep\": {\"TS1\": 1, \"Power\": 2, \"Bytes\": 3}, \"bytes\": 10, \"args.x\": 11, \"debug.y\": 12, "

/* Arguments that stages know better are left out with all that is in them, but not those of other events or below. */
Test(aiu_event_text, arguments_that_stages_know)
{
    text_run t;
    open_trace(&t);
    pf_build_slice(t.b, t.track, 10000, 5000, PF_STR("n"));
    add_replaced(t.b);
    finish_trace(&t);
    aiu_events *v = &t.f.run.events;
    uint32_t e = add_row(&t, 0);
    for (unsigned n = 0; n < 5; n++) {
        v->tsx[n][e] = 11 + n;
    }
    pf_aiu_add_text(&t.f.run, e, PF_STR("added"), PF_STR("t'"));
    pf_aiu_add_real(&t.f.run, e, PF_STR("real"), 1.5);
    pf_aiu_add_int(&t.f.run, e, PF_STR("int"), -2);
    pf_aiu_add_extra(&t.f.run, e, PF_STR("json"), (aiu_extra){.type = AIU_EXTRA_JSON, .as.text = text_of(&t.f, "[1]")});
#define ADDED "\"json\": [1], \"int\": -2, \"real\": 1.5, \"added\": \"t'\""
#define ALL_TS                                                                                                         \
    "\"TS1\": {\"a\": 1, \"b\": [2]}, \"TS0\": 1, \"TS5\": 2, \"TS6\": 3, \"TS11\": 4, \"XS1\": 5, \"TX1\": 6, "
    expect_text(&t, e, AIU_SPELL_JSON, HEAD "{" ALL_TS "\"Power\": 7, \"Peer\": [3], \"adde\": 9, " DEEP ADDED "}}");
    v->flags[e] = AIU_PEER_LISTED;
    expect_text(&t, e, AIU_SPELL_JSON, HEAD "{" ALL_TS "\"Power\": 7, \"adde\": 9, " DEEP ADDED "}}");
    v->flags[e] = AIU_HAS_TS;
    expect_text(&t, e, AIU_SPELL_JSON, HEAD "{" KEPT "\"Peer\": [3], \"adde\": 9, " DEEP COUNTERS ", " ADDED "}}");
    v->flags[e] = AIU_HAS_TS | AIU_HAS_POWER | AIU_EXTENDED | AIU_PEER_LISTED;
    v->power[e] = 99;
    v->ovc[e] = 2;
    expect_text(&t, e, AIU_SPELL_JSON,
                HEAD "{" KEPT "\"adde\": 9, " DEEP COUNTERS ", \"Power\": \"99\", \"OVC\": 2, " ADDED "}}");
    close_trace(&t);
}

/* ---- facts of stages --------------------------------------------------------------------------------------------- */

#define NO_COUNTERS(json) HEAD "{" json "}}"

/* Counters run at 1 MHz: TSn are microseconds of the device; on the host's clock they are 100 - 3 later. */
Test(aiu_event_text, clocks)
{
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    aiu_events *v = &t.f.run.events;
    uint32_t e = add_device(&t.f, "n", 7, 10, 5, (const int64_t[5]){11, 12, 13, 14, 15});
    v->tid[e] = 8;
    v->anchor[e] = 100;
    v->anchor_device[e] = 3;
    v->adjust_dur[e] = -1.5;
    v->adjust_ts[e] = 2.5;
    t.f.run.origin = 1000;
#define AT_1000                                                                                                        \
    "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 7, \"tid\": 8, \"ts\": 1010.0, \"dur\": 5.0, \"args\": {" COUNTERS
#define DEV ", \"ts_dev\": [11.0, 12.0, 13.0, 14.0, 15.0]"
#define ALL ", \"ts_all\": [1108.0, 1109.0, 1110.0, 1111.0, 1112.0]"
#define ADJUST ", \"time_adjust\": {\"dur\": -1.5, \"ts\": 2.5}"
    static const struct {
        uint32_t flags;
        bool dev, all;
        const char *expected;
    } cases[] = {{0, true, true, AT_1000 "}}"},
                 {AIU_ON_CLOCK, false, false, AT_1000 "}}"},
                 {AIU_ON_CLOCK, true, false, AT_1000 DEV "}}"},
                 {AIU_ON_CLOCK, false, true, AT_1000 ALL "}}"},
                 {AIU_ADJUSTED, true, true, AT_1000 ADJUST "}}"},
                 {AIU_ADJUSTED | AIU_ON_CLOCK, true, true, AT_1000 ADJUST DEV ALL "}}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        v->flags[e] = AIU_HAS_TS | cases[i].flags;
        t.f.run.show_ts_dev = cases[i].dev;
        t.f.run.show_ts_all = cases[i].all;
        expect_text(&t, e, AIU_SPELL_JSON, cases[i].expected);
    }
    v->flags[e] = AIU_ADJUSTED | AIU_ON_CLOCK;
    expect_text(&t, e, AIU_SPELL_JSON,
                "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 7, \"tid\": 8, \"ts\": 1010.0, \"dur\": 5.0, \"args\": {}}");
    close_trace(&t);
}

/* Ids of processes and threads that are no integers: a text, a number as it is written, none. */
Test(aiu_event_text, ids_and_facts)
{
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    aiu_run *run = &t.f.run;
    aiu_events *v = &run->events;
    run->jobs[0].rank = 3;
    uint32_t e = add_host(&t.f, "n", AIU_ID_NONE, AIU_ID_TEXT | (int64_t)text_of(&t.f, "a\"b"), 10, 5);
    v->cat[e] = text_of(&t.f, "c");
    v->class[e] = AIU_CLASS_DATA_IN;
    v->flags[e] = AIU_HAS_CLASS | AIU_CORE_USED | AIU_SHOW_DEVICE | AIU_SHOW_RANK | AIU_SHOW_JOB;
    expect_text(&t, e, AIU_SPELL_JSON,
                "{\"name\": \"n\", \"ph\": \"X\", \"pid\": null, \"tid\": \"a\\\"b\", \"ts\": 10.0, \"dur\": 5.0, "
                "\"cat\": \"c\", \"args\": {\"class\": \"DATA_IN\", \"core used\": true, \"device\": null, "
                "\"rank\": null, \"jobname\": \"job-1.json\"}}");
    v->pid[e] = AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)text_of(&t.f, "1e99");
    v->tid[e] = -7;
    v->flags[e] |= AIU_TORCH | AIU_HOST_PID;
    expect_text(&t, e, AIU_SPELL_PYTHON,
                "{'name': 'n', 'ph': 'X', 'pid': 1e99, 'tid': -7, 'ts': 10.0, 'dur': 5.0, 'cat': 'c', 'args': "
                "{'class': 'DATA_IN', 'core used': True, 'device': 1e99, 'rank': 3, 'jobname': 'job-1.json'}}");
    v->pid[e] = 5;
    v->tid[e] = AIU_ID_NONE;
    v->flags[e] = AIU_HOST_PID | AIU_SHOW_DEVICE | AIU_NO_TIME;
    pf_aiu_add_int(run, e, PF_STR("device"), 9);
    expect_text(
        &t, e, AIU_SPELL_JSON,
        "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 1005, \"dur\": 5.0, \"cat\": \"c\", \"args\": {\"device\": 9}}");
    close_trace(&t);
}

/* Instants, counters, metadata and flows, which are written before and after members of no place become arguments. */
Test(aiu_event_text, phases)
{
#define START(phase) "{\"name\": \"n\", \"ph\": \"" phase "\", \"pid\": 7"
    static const struct {
        char phase;
        int64_t tid;
        const char *json, *before, *after; /* `json`: further members */
    } cases[] = {
        {'i', 8, NULL, START("i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"s\": \"t\", \"args\": {}}",
         START("i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"s\": \"t\", \"args\": {\"s\": \"t\"}}"},
        {'i', 8, "{\"args\":{},\"s\":\"p\",\"own\":[1, 2]}",
         START(
             "i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"own\": [1, 2], \"s\": \"p\", \"args\": {\"rank\": 7}}",
         START(
             "i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"s\": \"p\", \"args\": {\"own\": [1, 2], \"s\": \"p\", "
                  "\"rank\": 7}}"},
        {'i', 8, "{\"attr\":{\"a\":1}}",
         START("i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"s\": \"t\", \"args\": {\"a\": 1, \"rank\": 7}}",
         START("i") ", \"tid\": 8, \"ts\": 10.0, \"cat\": null, \"s\": \"t\", \"args\": {\"a\": 1, \"s\": \"t\", "
                    "\"rank\": 7}}"},
        {'C', 8, NULL, START("C") ", \"ts\": 10.0, \"cat\": \"\", \"args\": {\"rank\": 7}}",
         START("C") ", \"ts\": 10.0, \"cat\": \"\", \"args\": {}}"},
        {'M', 0, NULL, START("M") ", \"ts\": 10.0, \"args\": {\"rank\": 7}}",
         START("M") ", \"ts\": 10.0, \"args\": {}}"},
        {'M', 8, "{\"dur\":4,\"cat\":5,\"args\":{\"k\":6},\"z\":7}",
         START("M") ", \"tid\": 8, \"ts\": 10.0, \"z\": 7, \"args\": {\"k\": 6, \"rank\": 7}}",
         START("M") ", \"tid\": 8, \"ts\": 10.0, \"args\": {\"k\": 6, \"z\": 7}}"},
        {'X', 0, "{\"z\":{\"q\": \"}\"}}",
         START("X") ", \"tid\": 0, \"ts\": 10.0, \"dur\": 5.0, \"z\": {\"q\": \"}\"}, \"args\": {\"rank\": 7}}",
         START("X") ", \"tid\": 0, \"ts\": 10.0, \"dur\": 5.0, \"args\": {\"z\": {\"q\": \"}\"}, \"rank\": 7}}"},
        {'s', 8, NULL, START("s") ", \"tid\": 8, \"ts\": 10.0}", START("s") ", \"tid\": 8, \"ts\": 10.0}"},
    };
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t e = add_host(&t.f, "n", 7, cases[i].tid, 10, 5);
        t.f.run.events.phase[e] = (uint8_t)cases[i].phase;
        t.f.run.events.flags[e] = AIU_SHOW_RANK;
        if (cases[i].json) {
            say_in_json(&t, e, cases[i].json);
        }
        t.f.run.members_in_args = false;
        expect_text(&t, e, AIU_SPELL_JSON, cases[i].before);
        t.f.run.members_in_args = true;
        expect_text(&t, e, AIU_SPELL_JSON, cases[i].after);
    }
    close_trace(&t);
}

/* The number of flow and asynchronous events: as the input wrote it; halves that stages made have one of their own. */
Test(aiu_event_text, numbers_that_join)
{
#define ASYNC(phase) "{\"name\": \"n\", \"ph\": \"" phase "\", \"pid\": 7, \"tid\": 8, \"ts\": 10.0, "
    static const struct {
        char phase;
        int made; /* 0: none */
        const char *json, *expected;
    } cases[] = {{'s', 0, "{\"id\":12}", ASYNC("s") "\"id\": 12}"},
                 {'t', 0, "{\"id\":\"0x5\"}", ASYNC("t") "\"id\": \"0x5\"}"},
                 {'f', 0, "{\"id\":-3}", ASYNC("f") "\"id\": -3, \"bp\": \"e\"}"},
                 {'b', 0, "{\"id\":12}", ASYNC("b") "\"id\": 12, \"args\": {}}"},
                 {'n', 0, "{\"id\":12}", ASYNC("n") "\"id\": 12, \"args\": {}}"},
                 {'e', 0, "{\"id\":12}", ASYNC("e") "\"id\": 12, \"args\": {}}"},
                 {'b', 40, NULL, ASYNC("b") "\"id\": 40, \"args\": {}}"},
                 {'e', 41, "{\"x\":1}", ASYNC("e") "\"x\": 1, \"id\": 41, \"args\": {}}"}};
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t e = add_host(&t.f, "n", 7, 8, 10, 5);
        t.f.run.events.phase[e] = (uint8_t)cases[i].phase;
        if (cases[i].json) {
            say_in_json(&t, e, cases[i].json);
        }
        if (cases[i].made) {
            cr_assert_eq(pf_aiu_map(&t.f.run, t.f.run.async_ids, e, (uint32_t)cases[i].made), PF_OK);
        }
        expect_text(&t, e, AIU_SPELL_JSON, cases[i].expected);
    }
    close_trace(&t);
}

/* The argument "device" of a torch slice is the rank of its job, whatever the input said. */
Test(aiu_event_text, device_of_torch_slices)
{
    static const char json[] = "{\"args\":{\"device\":0,\"devices\":1,\"in\":{\"device\":2}}}";
    static const struct {
        uint32_t flags;
        char phase;
        const char *device;
    } cases[] = {{AIU_TORCH, 'X', "5"}, {0, 'X', "0"}, {AIU_TORCH, 'M', "0"}};
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    t.f.run.jobs[0].rank = 5;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[300];
        uint32_t e = add_row(&t, PF_NONE);
        t.f.run.events.flags[e] = cases[i].flags;
        t.f.run.events.phase[e] = (uint8_t)cases[i].phase;
        say_in_json(&t, e, json);
        snprintf(expected, sizeof expected,
                 "{\"name\": \"n\", \"ph\": \"%c\", \"pid\": 7, \"tid\": 8, \"ts\": 10.0, %s\"args\": {\"device\": %s, "
                 "\"devices\": 1, \"in\": {\"device\": 2}}}",
                 cases[i].phase, cases[i].phase == 'X' ? "\"dur\": 5.0, " : "", cases[i].device);
        expect_text(&t, e, AIU_SPELL_JSON, expected);
    }
    close_trace(&t);
}

/* Samples of stages: integers where the series has them; a label takes the place of the name. */
Test(aiu_event_text, samples_and_arrows)
{
    text_run t;
    open_trace(&t);
    finish_trace(&t);
    aiu_run *run = &t.f.run;
    t.f.run.origin = 100;
    cr_assert_eq(pf_aiu_add_sample(run, AIU_SERIES_PREPS, 3, 2.5, 4, 0), PF_OK);
    cr_assert_eq(pf_aiu_add_sample(run, AIU_SERIES_POWER3, -1, 3, 1.25, text_of(&t.f, "a \"label\"")), PF_OK);
    cr_assert_eq(pf_aiu_add_arrow(run, 's', 1, 3, 4, 5, text_of(&t.f, "n"), text_of(&t.f, "c")), PF_OK);
    cr_assert_eq(pf_aiu_add_arrow(run, 'f', 2, 6, 7, 8, text_of(&t.f, "n"), text_of(&t.f, "c")), PF_OK);
    pf_buffer b = {0};
    for (uint32_t i = 0; i < 2; i++) {
        const aiu_series_facts *facts = pf_aiu_series(i ? AIU_SERIES_POWER3 : AIU_SERIES_PREPS);
        char expected[300];
        b.len = 0;
        pf_aiu_put_sample(run, i, &b);
        pf_buffer_put(&b, "", 1);
        snprintf(expected, sizeof expected,
                 "{\"name\": \"%s\", \"ph\": \"C\", \"pid\": %s, \"ts\": %s, \"cat\": \"%s\", \"args\": {\"%s\": %s}}",
                 i ? "a \\\"label\\\"" : facts->name, i ? "-1" : "3", i ? "103.0" : "102.5", facts->cat, facts->key,
                 i ? "1.25" : "4");
        cr_expect_str_eq(b.data, expected);
    }
    static const char *const arrows[] = {
        "{\"name\": \"n\", \"ph\": \"s\", \"pid\": 3, \"tid\": 4, \"ts\": 101.0, \"cat\": \"c\", \"id\": 5}",
        "{\"name\": \"n\", \"ph\": \"f\", \"pid\": 6, \"tid\": 7, \"ts\": 102.0, \"cat\": \"c\", \"id\": 8, \"bp\": "
        "\"e\"}"};
    for (uint32_t i = 0; i < 2; i++) {
        b.len = 0;
        pf_aiu_put_arrow(run, i, &b);
        pf_buffer_put(&b, "", 1);
        cr_expect_str_eq(b.data, arrows[i]);
    }
    pf_buffer_free(&b);
    close_trace(&t);
}
