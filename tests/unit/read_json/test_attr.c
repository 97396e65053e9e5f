/* test_attr.c - events whose arguments are called attr, and members that no table has. */
#include <string.h>

#include "model/trace/json_notes.h"
#include "support.h"

static void expect_args(const pf_trace *t, uint32_t row, const char *expected)
{
    pf_buffer out = {0};
    describe_args(t, row, &out);
    pf_buffer_put(&out, "", 1);
    cr_expect_str_eq(out.data, expected, "event %u", row);
    pf_buffer_free(&out);
}

static const char text[] =
    "[{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"a\",\"attr\":{\"TS1\":\"5\"}},\n"
    "{\"ph\":\"i\",\"ts\":2,\"pid\":1,\"tid\":1,\"name\":\"b\",\"attr\":{\"x\":1},\"args\":{\"y\":2}},\n"
    "{\"ph\":\"i\",\"ts\":3,\"pid\":1,\"tid\":1,\"name\":\"c\",\"args\":{\"y\":3},\"attr\":{\"x\":1}},\n"
    "{\"ph\":\"i\",\"ts\":4,\"pid\":1,\"tid\":1,\"name\":\"d\",\"attr\":[1]},\n"
    "{\"ph\":\"i\",\"ts\":5,\"pid\":1,\"tid\":1,\"name\":\"e\",\"attr\":{},\"cname\":\"good\"},\n"
    "{\"ph\":\"i\",\"ts\":6,\"pid\":1,\"tid\":1,\"name\":\"f\",\"args\":{},\"attr\":{\"x\":1}},\n"
    "{\"ph\":\"i\",\"ts\":7,\"pid\":1,\"tid\":1,\"name\":\"g\"}]";

Test(attr, counts_as_args_where_there_are_none)
{
    pf_trace *t = load(text);
    static const char *const expected[] = {" args.TS1='5'", " args.y=2", " args.y=3", "", "", "", ""};
    cr_assert_eq(pf_trace_events(t)->count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        expect_args(t, i, expected[i]);
    }
    pf_trace_free(t);
}

/* Nothing but the key gives these dialects away; a key that only begins or ends like it does not. */
Test(attr, gives_the_dialect_away)
{
    static const struct {
        const char *key, *dialect, *args;
    } cases[] = {{"attr", "aiu-flex", " args.x=1"}, {"att\\u0072", "aiu-flex", " args.x=1"},
                 {"attrs", "chrome-json", ""},      {"att", "chrome-json", ""},
                 {"Attr", "chrome-json", ""},       {"", "chrome-json", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer json = {0};
        pf_buffer_format(&json, "[{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"a\",\"%s\":{\"x\":1}}]",
                         cases[i].key);
        pf_buffer_put(&json, "", 1);
        pf_trace *t = load(json.data);
        cr_expect_str_eq(pf_trace_dialect(t), cases[i].dialect, "%s", cases[i].key);
        expect_args(t, 0, cases[i].args);
        pf_trace_free(t);
        pf_buffer_free(&json);
    }
}

#define HEAD "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":"

/* An end often has the arguments of its begin, byte by byte. Others look much like them. */
Test(attr, like_the_last_one)
{
    static const struct {
        const char *attr, *args;
    } events[] = {
        {"{\"TS1\":\"5000\",\"TS2\":\"6000\"}", " args.TS1='5000' args.TS2='6000'"},
        {"{\"TS1\":\"5000\",\"TS2\":\"6000\"}", " args.TS1='5000' args.TS2='6000'"},
        {"{\"TS1\":\"5001\",\"TS2\":\"6000\"}", " args.TS1='5001' args.TS2='6000'"},
        {"{\"TS1\":\"5001\",\"TS2\":\"6001\"}", " args.TS1='5001' args.TS2='6001'"},
        {"{\"TS1\":\"5001\",\"TS2\":\"6001\"}", " args.TS1='5001' args.TS2='6001'"},
        {"{\"x\":{},\"y\":{}}", " {args.x end {args.y end"},
        {"{\"x\":{},\"y\":{}}", " {args.x end {args.y end"},
        {"{         }", ""},
        {"{         }", ""},
        {"{\"TS1\":\"5001\",\"TS2\":\"6001\"}", " args.TS1='5001' args.TS2='6001'"},
    };
    enum { COUNT = sizeof events / sizeof *events };
    pf_buffer json = {0};
    for (int i = 0; i < COUNT; i++) {
        pf_buffer_format(&json, "%s" HEAD "%d,\"name\":\"a\",\"attr\":%s}", i ? ",\n" : "[", i, events[i].attr);
    }
    pf_buffer_put(&json, "]", 2);
    pf_trace *t = load(json.data);
    cr_assert_eq(pf_trace_events(t)->count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        expect_args(t, i, events[i].args);
    }
    pf_trace_free(t);
    pf_buffer_free(&json);
}

/* As many bytes with the same ones at the end, but they are the rest of one event and most of the next. */
Test(attr, as_long_as_the_last_one)
{
    static const char two[] = "{\"x\":1}},\n" HEAD "3,\"name\":\"c\",\"attr\":{\"y\":\"22222222\"}";
    char pad[128] = "";
    pf_buffer json = {0};
    memset(pad, 'p', sizeof two - 1 - strlen("{\"z\":\"\",\"y\":\"22222222\"}"));
    pf_buffer_format(&json, "[" HEAD "1,\"name\":\"a\",\"attr\":{\"z\":\"%s\",\"y\":\"22222222\"}},\n", pad);
    pf_buffer_format(&json, HEAD "2,\"name\":\"b\",\"attr\":%s},\n" HEAD "4,\"name\":\"d\"}]", two);
    pf_buffer_put(&json, "", 1);
    pf_trace *t = load(json.data);
    cr_assert_eq(pf_trace_events(t)->count, 4);
    expect_args(t, 1, " args.x=1");
    expect_args(t, 2, " args.y='22222222'");
    expect_args(t, 3, "");
    pf_trace_free(t);
    pf_buffer_free(&json);
}

static bool is(pf_str s, const char *expected)
{
    return expected ? s.ptr && s.len == strlen(expected) && memcmp(s.ptr, expected, s.len) == 0 : !s.ptr;
}

Test(attr, members_without_a_place_stay)
{
    pf_read_options o = pf_read_options_default();
    o.want |= PF_WANT_ORIGINS;
    pf_trace *t = load_bytes(text, strlen(text), &o, 0, NULL);
    cr_expect(is(pf_trace_event_members(t, 0), "{\"attr\":{\"TS1\":\"5\"}}"));
    cr_expect(is(pf_trace_event_members(t, 1), "{\"attr\":{\"x\":1}}"));
    cr_expect(is(pf_trace_event_members(t, 4), "{\"attr\":{},\"cname\":\"good\"}"));
    cr_expect(is(pf_trace_event_members(t, 6), NULL));
    /* The first event is written without args again: its note says that it has none. */
    pf_str note = pf_trace_origin(t, 0);
    pf_origin said = pf_origin_read((const uint8_t *)note.ptr, note.len);
    cr_expect_eq(said.member[PF_MEMBER_ARGS].form, PF_FORM_TEXT);
    cr_expect_eq(said.member[PF_MEMBER_ARGS].text.len, 0);
    pf_trace_free(t);
    t = load(text);
    cr_expect(is(pf_trace_event_members(t, 0), NULL), "not asked for");
    pf_trace_free(t);
}

/* A trace whose slices are made anew keeps what other events say beyond their rows, and whose a slice is. */
Test(attr, slices_to_be_made_anew_keep_only_their_ids)
{
    static const char some[] =
        "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1,\"name\":\"a\",\"attr\":{\"k\":1}},\n"
        "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"tid\":1,\"name\":\"b\",\"more\":1},\n"
        "{\"ph\":\"B\",\"ts\":2,\"pid\":-1,\"tid\":1,\"name\":\"c\",\"more\":1},\n"
        "{\"ph\":\"i\",\"ts\":3,\"pid\":1,\"tid\":1,\"name\":\"d\",\"attr\":{\"k\":1}}]";
    static const bool kept[] = {false, false, true, true};
    pf_read_options o = pf_read_options_default();
    o.want |= PF_WANT_ORIGINS;
    for (int anew = 0; anew < 2; anew++) {
        o.want |= anew ? PF_WANT_NEW_SLICES : 0;
        pf_trace *t = load_bytes(some, strlen(some), &o, 0, NULL);
        cr_assert_eq(pf_trace_events(t)->count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            cr_expect_eq(pf_trace_origin(t, i).len > 0, !anew || kept[i], "event %u", i);
        }
        expect_args(t, 0, " args.k=1");
        pf_trace_free(t);
    }
}
