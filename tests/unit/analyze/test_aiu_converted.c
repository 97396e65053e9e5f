/* What conversions of JSON noted next to their packets, as events again: events without a packet, members that a packet
 * says otherwise, and ids that are no plain integers. */
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "model/trace/trace.h"
#include "postfetto/build.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- events without a packet ------------------------------------------------------------------------------------- */

enum { NOTES_MAX = 32 };

/* A trace of nothing but notes, which are columns of the test's. */
typedef struct noted_run {
    aiu_facts_run f;
    pf_trace *trace;
    uint8_t of_document[NOTES_MAX];
    uint32_t input[NOTES_MAX], place[NOTES_MAX];
    pf_str text[NOTES_MAX];
} noted_run;

static void open_notes(noted_run *n)
{
    pf_builder *b = pf_builder_new(NULL);
    facts_open(&n->f, NULL);
    cr_assert_eq(pf_builder_finish(b, &n->trace, &n->f.err), PF_OK);
    pf_builder_free(b);
    n->f.run.trace = n->trace;
    n->trace->leftovers.of_document = n->of_document;
    n->trace->leftovers.input = n->input;
    n->trace->leftovers.place = n->place;
    n->trace->leftovers.text = n->text;
}

static void add_note(noted_run *n, uint32_t input, uint32_t place, const char *json)
{
    uint32_t i = n->trace->leftovers.count++;
    cr_assert_lt(i, NOTES_MAX);
    n->of_document[i] = false;
    n->input[i] = input;
    n->place[i] = place;
    n->text[i] = (pf_str){json, strlen(json)};
}

static void close_notes(noted_run *n)
{
    n->trace->leftovers.count = 0;
    n->trace->leftovers.of_document = NULL;
    n->trace->leftovers.input = n->trace->leftovers.place = NULL;
    n->trace->leftovers.text = NULL;
    facts_close(&n->f);
    pf_trace_free(n->trace);
}

static void expect_event(noted_run *n, uint32_t event, const char *expected)
{
    pf_buffer b = {0};
    pf_aiu_put_event(&n->f.run, event, AIU_SPELL_JSON, &b);
    cr_assert_eq(n->f.run.error.code, PF_OK, "%s", n->f.run.error.text);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

/* Times are whole nanoseconds of 64 bits, shown in us as a double: what is not a number has no time, and a slice at a
 * time no length that is not a number. */
Test(aiu_converted, events_without_a_packet)
{
    static const struct {
        const char *json, *expected; /* NULL: it is no event */
        double dur;
    } cases[] = {
        {"{\"ph\":\"X\",\"name\":\"n\",\"cat\":\"c\",\"pid\":3,\"tid\":4,\"ts\":10.0004,\"dur\":2.5}",
         "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 3, \"tid\": 4, \"ts\": 10.0, \"dur\": 2.5, \"cat\": \"c\", "
         "\"args\": {\"rank\": 3}}",
         2.5},
        {"{\"ph\":\"B\",\"name\":\"n\",\"pid\":3,\"ts\":10,\"dur\":2}",
         "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 3, \"ts\": 10.0, \"dur\": 0.0, \"args\": {\"rank\": 3}}", 0},
        {"{\"ph\":\"X\",\"name\":5,\"cat\":[5],\"pid\":\"p\",\"tid\":\"t\",\"dur\":-2}",
         "{\"name\": \"\", \"ph\": \"X\", \"pid\": \"p\", \"tid\": \"t\", \"dur\": 0.0, \"args\": {\"rank\": \"p\"}}",
         0},
        {"{\"ph\":\"X\",\"name\":\"n\",\"pid\":1.5,\"tid\":123456789012345678901,\"ts\":9e15,\"dur\":1}",
         "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 1.5, \"tid\": 123456789012345678901, \"dur\": 0.0, "
         "\"args\": {\"rank\": 1.5}}",
         0},
        {"{\"ph\":\"X\",\"name\":\"n\",\"pid\":null,\"tid\":[1],\"ts\":1,\"dur\":\"2\"}",
         "{\"name\": \"n\", \"ph\": \"X\", \"pid\": null, \"ts\": 1.0, \"dur\": -1.0, \"args\": {\"rank\": null}}", -1},
        {"{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"ts\":-1.5}",
         "{\"name\": \"n\", \"ph\": \"X\", \"pid\": 1, \"ts\": -1.5, \"dur\": -1.0, \"args\": {\"rank\": 1}}", -1},
        {"{\"ph\":\"M\",\"name\":\"n\",\"pid\":1,\"ts\":9223372036854775,\"dur\":3,\"args\":{\"a\":1}}",
         "{\"name\": \"n\", \"ph\": \"M\", \"pid\": 1, \"ts\": 9223372036854776.0, \"args\": {\"a\": 1, \"rank\": 1}}",
         0},
        {"{\"ph\":\"M\",\"name\":\"n\",\"pid\":1,\"ts\":9223372036854776,\"args\":{\"a\":1}}",
         "{\"name\": \"n\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"a\": 1, \"rank\": 1}}", 0},
        {"{\"ph\":\"E\",\"name\":\"n\",\"pid\":1,\"ts\":1}", NULL, 0},
        {"{\"ph\":\"\",\"name\":\"n\",\"pid\":1,\"ts\":1}", NULL, 0},
        {"{\"ph\":5,\"name\":\"n\",\"pid\":1,\"ts\":1}", NULL, 0},
        {"{\"name\":\"n\",\"pid\":1,\"ts\":1}", NULL, 0},
        {"[\"ph\",\"X\"]", NULL, 0},
        {"{\"ph\":\"X\"", NULL, 0},
        {"", NULL, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        noted_run n = {.trace = NULL};
        open_notes(&n);
        add_note(&n, 0, PF_NONE, cases[i].json);
        pf_aiu_take_leftovers(&n.f.run, 0, true);
        cr_assert_eq(n.f.run.error.code, PF_OK);
        cr_assert_eq(n.f.run.events.count, cases[i].expected ? 1u : 0u, "%s", cases[i].json);
        if (cases[i].expected) {
            expect_event(&n, 0, cases[i].expected);
            cr_expect_eq(n.f.run.events.dur[0], cases[i].dur, "%s", cases[i].json);
            cr_expect_eq(n.f.run.events.flags[0] & AIU_TORCH, 0);
        }
        close_notes(&n);
    }
}

/* All five counters, as numbers from 0 on, or as texts in decimal or hexadecimal. */
Test(aiu_converted, counters_of_devices)
{
    static const struct {
        const char *args;
        bool device;
        int64_t third;
    } cases[] = {
        {"\"args\":{\"TS1\":0,\"TS2\":\"2\",\"TS3\":\"0x1F\",\"TS4\":\"0X20\",\"TS5\":5}", true, 31},
        {"\"attr\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"9223372036854775807\",\"TS4\":4,\"TS5\":5}", true, INT64_MAX},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"0x7fffffffffffffff\",\"TS4\":4,\"TS5\":5}", true, INT64_MAX},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"0x8000000000000000\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"0x\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"0xg\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"1x1\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":\"-3\",\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":-3,\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":3.0,\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS4\":4,\"TS5\":5}", false, 0},
        {"\"args\":{\"TS1\":0,\"TS2\":2,\"TS3\":3,\"TS4\":4}", false, 0},
        {"\"args\":[1]", false, 0},
        {"\"other\":{\"TS1\":0,\"TS2\":2,\"TS3\":3,\"TS4\":4,\"TS5\":5}", false, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int slice = 0; slice < 2; slice++) {
            char json[200];
            noted_run n = {.trace = NULL};
            open_notes(&n);
            n.f.run.jobs[0].torch = true;
            snprintf(json, sizeof json, "{\"ph\":\"%s\",\"pid\":1,\"ts\":1,%s}", slice ? "X" : "M", cases[i].args);
            add_note(&n, 0, PF_NONE, json);
            pf_aiu_take_leftovers(&n.f.run, 0, true);
            cr_assert_eq(n.f.run.error.code, PF_OK);
            cr_assert_eq(n.f.run.events.count, 1);
            bool device = slice && cases[i].device;
            cr_expect_eq((n.f.run.events.flags[0] & AIU_HAS_TS) != 0, device, "%s", json);
            cr_expect(!device || n.f.run.events.tsx[2][0] == cases[i].third, "%s", json);
            cr_expect(!device || (n.f.run.events.tsx[0][0] == 0 && n.f.run.events.tsx[4][0] == 5), "%s", json);
            cr_expect(n.f.run.events.flags[0] & AIU_TORCH);
            close_notes(&n);
        }
    }
}

/* Events of the job's own input; those that only others of them came before are first. */
Test(aiu_converted, events_come_where_they_were)
{
    static const struct {
        uint32_t input, place;
        bool of_document;
        const char *name;
    } notes[] = {{5, 0, false, "a"}, {4, 1, false, "other"}, {5, PF_NONE, false, "b"}, {5, 2, true, "document"},
                 {5, 2, false, "c"}, {5, 4, false, "late"},  {5, 3, false, "d"},       {5, 9, false, "later"}};
    static const char *const order[] = {"a", "b", "c", "d", "late", "later"};
    noted_run n = {.trace = NULL};
    char json[COUNT(notes)][60];
    open_notes(&n);
    n.f.run.jobs[0].input = 9;
    n.f.run.jobs[1] = (aiu_job){.name = PF_STR("two"), .input = 5};
    n.f.run.job_count = 2;
    for (uint32_t i = 0; i < COUNT(notes); i++) {
        snprintf(json[i], sizeof json[i], "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":1}", notes[i].name);
        add_note(&n, notes[i].input, notes[i].place, json[i]);
        n.of_document[i] = notes[i].of_document;
    }
    pf_aiu_take_leftovers(&n.f.run, 1, true);
    cr_assert_eq(n.f.run.error.code, PF_OK);
    cr_expect_eq(n.f.run.events.count, 4);
    pf_aiu_take_leftovers(&n.f.run, 1, false);
    cr_assert_eq(n.f.run.error.code, PF_OK);
    cr_assert_eq(n.f.run.events.count, COUNT(order));
    for (uint32_t i = 0; i < COUNT(order); i++) {
        pf_str name = pf_aiu_text_of(&n.f.run, n.f.run.events.name[i]);
        cr_expect(pf_str_is(name, order[i]), "%u: %.*s", i, (int)name.len, name.ptr);
        cr_expect_eq(n.f.run.events.job[i], 1);
    }
    close_notes(&n);
}

/* ---- notes of rows ----------------------------------------------------------------------------------------------- */

Test(aiu_converted, members_that_a_packet_says_otherwise)
{
    static const struct {
        pf_member member;
        pf_member_form form;
        int64_t number;
        const char *text, *expected;
    } cases[] = {
#define NOTED(phase, name, ts, dur, cat)                                                                               \
    "{\"name\": \"" name "\", \"ph\": \"" phase "\", \"pid\": 7, \"tid\": 8, \"ts\": " ts dur cat ", \"args\": {}}"
#define DUR(us) ", \"dur\": " us
#define CAT ", \"cat\": \"c\""
        {PF_MEMBER_PHASE, PF_FORM_INTEGER, 'M', NULL, NOTED("M", "n", "10.0", "", CAT)},
        {PF_MEMBER_PHASE, PF_FORM_INTEGER, 'M' + 256, NULL, NOTED("M", "n", "10.0", "", CAT)},
        {PF_MEMBER_PHASE, PF_FORM_INTEGER, 'I', NULL, NOTED("i", "n", "10.0", "", CAT ", \"s\": \"t\"")},
        {PF_MEMBER_PHASE, PF_FORM_INTEGER, 'R', NULL, NOTED("i", "n", "10.0", "", CAT ", \"s\": \"t\"")},
        {PF_MEMBER_PHASE, PF_FORM_ROW, 'M', NULL, NOTED("X", "n", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_NAME, PF_FORM_TEXT, 0, "\"a\\\"b\"", NOTED("X", "a\\\"b", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_NAME, PF_FORM_TEXT, 0, "5", NOTED("X", "", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_NAME, PF_FORM_TEXT, 0, "", NOTED("X", "", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_NAME, PF_FORM_ROW, 0, "\"x\"", NOTED("X", "n", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_CATEGORY, PF_FORM_TEXT, 0, "\"d\"", NOTED("X", "n", "10.0", DUR("5.0"), ", \"cat\": \"d\"")},
        {PF_MEMBER_CATEGORY, PF_FORM_TEXT, 0, "5", NOTED("X", "n", "10.0", DUR("5.0"), "")},
        {PF_MEMBER_CATEGORY, PF_FORM_ROW, 0, "\"d\"", NOTED("X", "n", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_TS, PF_FORM_TEXT, 0, "20.25", NOTED("X", "n", "20.25", DUR("5.0"), CAT)},
        {PF_MEMBER_TS, PF_FORM_TEXT, 0, "\"20\"", NOTED("X", "n", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_TS, PF_FORM_TEXT, 0, "20,", NOTED("X", "n", "10.0", DUR("5.0"), CAT)},
        {PF_MEMBER_DUR, PF_FORM_TEXT, 0, "-2.0006", NOTED("X", "n", "10.0", DUR("-2.001"), CAT)},
        {PF_MEMBER_DUR, PF_FORM_TEXT, 0, "3", NOTED("X", "n", "10.0", DUR("3.0"), CAT)},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        noted_run n = {.trace = NULL};
        pf_origin o = {.hidden = false};
        open_notes(&n);
        uint32_t e = add_host(&n.f, "n", 7, 8, 10, 5);
        n.f.run.events.cat[e] = text_of(&n.f, "c");
        n.f.run.origin_ns = 1000;
        n.f.run.origin = 1;
        n.f.run.events.ts[e] = 9;
        o.member[cases[i].member].form = cases[i].form;
        o.member[cases[i].member].number = cases[i].number;
        o.member[cases[i].member].text =
            cases[i].text ? (pf_str){cases[i].text, strlen(cases[i].text)} : (pf_str){NULL, 0};
        pf_aiu_take_note(&n.f.run, e, &o);
        cr_assert_eq(n.f.run.error.code, PF_OK, "case %zu", i);
        expect_event(&n, e, cases[i].expected);
        close_notes(&n);
    }
}

/* Integers from -2^60 + 1 to 2^60 - 1 are themselves; others, and what is none, are texts. */
Test(aiu_converted, ids_by_how_they_were_written)
{
    static const struct {
        uint8_t kind;
        int64_t number;
        const char *text; /* NULL: the number itself */
        bool quoted;
    } cases[] = {{PF_ID_INT, 5, NULL, false},
                 {PF_ID_INT, -5, NULL, false},
                 {PF_ID_INT, ((int64_t)1 << 60) - 1, NULL, false},
                 {PF_ID_INT, -((int64_t)1 << 60) + 1, NULL, false},
                 {PF_ID_INT, (int64_t)1 << 60, "1152921504606846976", false},
                 {PF_ID_INT, -((int64_t)1 << 60), "-1152921504606846976", false},
                 {PF_ID_REAL, 5, "1.5", false},
                 {PF_ID_TEXT, 5, "main", true}};
    pf_builder *b = pf_builder_new(NULL);
    uint32_t upid = pf_build_process(b, 1, PF_STR("main"));
    uint32_t other = pf_build_process(b, 2, PF_STR("1.5"));
    noted_run n = {.trace = NULL};
    facts_open(&n.f, NULL);
    cr_assert_eq(pf_builder_finish(b, &n.trace, &n.f.err), PF_OK);
    n.f.run.trace = n.trace;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t text = pf_trace_processes(n.trace)->name[cases[i].quoted ? upid : other];
        int64_t id = pf_aiu_id(&n.f.run, cases[i].kind, cases[i].number, text);
        cr_expect_eq(pf_aiu_is_number(id), !cases[i].text, "case %zu", i);
        if (!cases[i].text) {
            cr_expect_eq(id, cases[i].number);
            continue;
        }
        pf_str is = pf_aiu_text_of(&n.f.run, (uint32_t)id);
        cr_expect(pf_str_is(is, cases[i].text), "case %zu: %.*s", i, (int)is.len, is.ptr);
        cr_expect(id > 0 && id & AIU_ID_TEXT);
        cr_expect_eq((id & AIU_ID_NUMBER) == 0, cases[i].quoted, "case %zu", i);
    }
    cr_expect_eq(pf_aiu_id(&n.f.run, PF_ID_ABSENT, 5, 0), AIU_ID_NONE);
    facts_close(&n.f);
    pf_trace_free(n.trace);
    pf_builder_free(b);
}
