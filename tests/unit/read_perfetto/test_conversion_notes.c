/* Notes that a conversion of Chrome JSON left next to its packets (model/trace/json_notes.h). Members of the document
 * become the metadata rows that the JSON itself would have (tests/unit/read_json/test_documents.c). */
#include "support.h"

#include "model/trace/json_notes.h"

/* A packet of nothing but a note. */
static void leave(bytes *b, uint32_t field, const char *json, uint64_t place)
{
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_ORIGIN);
    text(b, field, json);
    if (place != NONE) {
        pf_writer_varint(&b->w, PF_ORIGIN_PLACE, place);
    }
    end(b);
    end(b);
}

static pf_trace *load_wanting(const bytes *b, uint32_t want)
{
    pf_read_options o = pf_read_options_default();
    o.want |= want;
    return load_bytes(b->out.data, b->out.len, &o, 0, NULL);
}

/* "name=text" or "name=number" for each row. */
static void expect_members(const char *json, const char *want)
{
    bytes b;
    pf_buffer got = {0};
    start(&b);
    leave(&b, PF_ORIGIN_DOCUMENT, json, NONE);
    pf_trace *t = load(&b);
    const pf_metadata *m = pf_trace_metadata(t);
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str name = pf_trace_string(t, m->name[i]), value = pf_trace_string(t, m->text[i]);
        pf_buffer_format(&got, "%.*s=", (int)name.len, name.ptr);
        if (value.ptr) {
            pf_buffer_format(&got, "'%.*s'", (int)value.len, value.ptr);
        } else {
            pf_buffer_format(&got, "%lld", (long long)m->number[i]);
        }
    }
    cr_expect_eq(t->leftovers.count, 0, "nobody wants it");
    expect_text(&got, want);
    pf_trace_free(t);
    finish(&b);
}

Test(conversion_notes, members_of_the_document)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"a\":\"b\"}", "json.a='b'"},
        {"{\"a\":\"\"}", "json.a=''"},
        {"{\"a\":-7}", "json.a=-7"},
        {"{\"a\":true}", "json.a=1"},
        {"{\"a\":false}", "json.a=0"},
        {"{\"a\":null}", ""},
        {"{\"a\":5.0}", "json.a=5"},
        {"{\"a\":2.5}", "json.a='2.5'"},
        {"{\"a\":1e300}", "json.a='1e+300'"},
        {"{\"a\":-1e300}", "json.a='-1e+300'"},
        {"{\"a\":9223372036854775808.0}", "json.a='9.22337e+18'"},
        {"{\"a\":-9223372036854775808.0}", "json.a=-9223372036854775808"},
        {"{\"a\":-9223372036854777856.0}", "json.a='-9.22337e+18'"},
        {"{\"a\":[1, 2]}", "json.a='[1, 2]'"},
        {"{\"a\":{}}", "json.a='{}'"},
        {" { \"a\" : \t\r\n[ ] \t\r\n} ", "json.a='[ ]'"},
        {"{\"a\":\n{\"x\" : 1} }", "json.a='{\"x\" : 1}'"},
        {"{\"a\":[\":}\"]}", "json.a='[\":}\"]'"},
        {"{\"\\\"a\\\\\":[0]}", "json.\"a\\='[0]'"},
        {"{\"\":[0]}", "json.='[0]'"},
        {"{\"metadata\":{\"a\":1}}", ""},
        {"{\"metadata\":1}", ""},
        {"{\"metadatb\":1}", "json.metadatb=1"},
        {"{\"metadata2\":1}", "json.metadata2=1"},
        {"{\"meta\":1}", "json.meta=1"},
        {"{\"a\":1,\"b\":2}", ""},
        {"{}", ""},
        {"[1]", ""},
        {"[[1]]", ""},
        {"{\"a\":", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_members(cases[i].json, cases[i].want);
    }
}

/* Texts and places are for who wants them. */
Test(conversion_notes, are_kept_where_they_are_wanted)
{
    static const struct {
        uint32_t want;
        bool kept;
    } cases[] = {{0, false}, {PF_WANT_NOTES, true}, {PF_WANT_ORIGINS, true}, {PF_WANT_PLACES, true}};
    static const char *const texts[] = {"{\"name\":\"e\"}", "{\"ph\":\"N\"}", "{\"a\":1}"};
    static const uint32_t places[] = {0, PF_NONE, PF_NONE};
    bytes b;
    start(&b);
    leave(&b, PF_ORIGIN_WHOLE, texts[0], 0);
    leave(&b, PF_ORIGIN_WHOLE, texts[1], NONE);
    leave(&b, PF_ORIGIN_DOCUMENT, texts[2], 5);
    leave(&b, PF_ORIGIN_MORE, "{}", 6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_trace *t = load_wanting(&b, cases[i].want);
        cr_expect_eq(pf_trace_metadata(t)->count, 1, "json.a");
        cr_assert_eq(t->leftovers.count, cases[i].kept ? 3 : 0);
        for (uint32_t k = 0; k < t->leftovers.count; k++) {
            const pf_str s = t->leftovers.text[k];
            cr_expect(s.len == strlen(texts[k]) && memcmp(s.ptr, texts[k], s.len) == 0, "%u", k);
            cr_expect_eq(t->leftovers.of_document[k], k == 2, "%u", k);
            cr_expect_eq(t->leftovers.place[k], places[k], "%u", k);
        }
        pf_trace_free(t);
    }
    finish(&b);
}

/* An event whose packet has notes with these texts as further members; NULL ends them, "" is a note that says nothing.
 */
static void noted(bytes *b, uint64_t ts, const char *const *more)
{
    packet(b, ts, 1, NONE);
    for (; *more; more++) {
        pf_writer_begin(&b->w, PF_F_PACKET_ORIGIN);
        text(b, PF_ORIGIN_MORE, **more ? *more : NULL);
        end(b);
    }
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 7);
    end(b);
    end(b);
}

/* The last note of a packet counts. */
Test(conversion_notes, of_events)
{
    static const struct {
        const char *notes[3];
        const char *want; /* NULL: no note */
    } cases[] = {{{NULL}, NULL},
                 {{"{\"a\":1}"}, "{\"a\":1}"},
                 {{"{\"a\":1}", "{\"b\":2}"}, "{\"b\":2}"},
                 {{"{\"a\":1}", ""}, NULL},
                 {{"", "{\"c\":3}"}, "{\"c\":3}"}};
    enum { CASES = sizeof cases / sizeof *cases };
    static const uint32_t wanted[] = {PF_WANT_NOTES, PF_WANT_ORIGINS};
    bytes b;
    start(&b);
    describe_track(&b, 7, 0, "t", 0);
    for (uint64_t i = 0; i < CASES; i++) {
        noted(&b, 1 + i, cases[i].notes);
    }
    for (size_t w = 0; w < 2; w++) {
        pf_trace *t = load_wanting(&b, wanted[w]);
        cr_assert_eq(pf_trace_events(t)->count, CASES);
        for (uint32_t i = 0; i < CASES; i++) {
            pf_str note = pf_trace_origin(t, i);
            const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
            cr_assert_eq(o.more.ptr != NULL, cases[i].want != NULL, "%u", i);
            cr_expect(!cases[i].want ||
                          (o.more.len == strlen(cases[i].want) && memcmp(o.more.ptr, cases[i].want, o.more.len) == 0),
                      "%u", i);
        }
        cr_expect_eq(t->origins.count, 3);
        pf_trace_free(t);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(t->origins.count, 0, "nobody wants them");
    pf_trace_free(t);
    finish(&b);
}

/* PF_WANT_PLACES keeps the notes of rows that stand for others, and of those that say where they stood; rows without a
 * place have those that are free. */
Test(conversion_notes, places)
{
    static const struct {
        uint32_t field;
        uint64_t value;
        bool kept;
        uint32_t place;
    } rows[] = {{PF_ORIGIN_MEMBER + PF_MEMBER_ARGS, 0, false, 0},
                {PF_ORIGIN_HIDDEN, 1, true, PF_NONE},
                {PF_ORIGIN_PLACE, 5, true, 5},
                {PF_ORIGIN_MEMBER + PF_MEMBER_PHASE, 'X', true, 2},
                {PF_ORIGIN_COMPLETES, 1, true, 3}};
    enum { ROWS = sizeof rows / sizeof *rows };
    bytes b;
    start(&b);
    describe_track(&b, 7, 0, "t", 0);
    pf_writer_begin(&b.w, PF_F_TRACE_PACKET);
    pf_writer_begin(&b.w, PF_F_PACKET_ORIGIN);
    text(&b, PF_ORIGIN_WHOLE, "{}");
    pf_writer_varint(&b.w, PF_ORIGIN_PLACE, 1);
    end(&b);
    end(&b);
    for (uint64_t i = 0; i < ROWS; i++) {
        packet(&b, 1 + i, 1, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_ORIGIN);
        pf_writer_varint(&b.w, rows[i].field, rows[i].value);
        end(&b);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 7);
        end(&b);
        end(&b);
    }
    pf_trace *t = load_wanting(&b, PF_WANT_PLACES);
    uint32_t place[ROWS], said = 0;
    pf_error err;
    cr_assert_eq(pf_trace_events(t)->count, ROWS);
    t->inputs[0].events = ROWS;
    cr_assert_eq(pf_trace_json_places(t, 0, &t->budget, place, &said, &err), PF_OK);
    cr_expect_eq(said, 1);
    for (uint32_t i = 0; i < ROWS; i++) {
        cr_expect_eq(pf_trace_origin(t, i).ptr != NULL, rows[i].kept, "%u", i);
        cr_expect_eq(place[i], rows[i].place, "%u: %u", i, place[i]);
    }
    cr_assert_eq(t->leftovers.count, 1);
    pf_trace_free(t);
    finish(&b);
}

/* The id of a legacy flow is noted where its packet has no note of its own. */
Test(conversion_notes, ids_of_legacy_flows)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    for (uint64_t i = 0; i < 2; i++) {
        packet(&b, 1 + i, 1, NONE);
        if (i == 1) {
            pf_writer_begin(&b.w, PF_F_PACKET_ORIGIN);
            text(&b, PF_ORIGIN_MORE, "{}");
            end(&b);
        }
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 10);
        text(&b, PF_F_EVENT_NAME, "flow");
        pf_writer_begin(&b.w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&b.w, PF_F_LEGACY_PHASE, i ? 'f' : 's');
        pf_writer_varint(&b.w, PF_F_LEGACY_UNSCOPED_ID, 77 + i);
        end(&b);
        end(&b);
        end(&b);
    }
    pf_trace *t = load_wanting(&b, PF_WANT_NOTES);
    cr_assert_eq(pf_trace_events(t)->count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        pf_str note = pf_trace_origin(t, i);
        const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
        cr_expect_eq(o.member[PF_MEMBER_ID].form, i ? PF_FORM_ROW : PF_FORM_INTEGER, "%u", i);
        cr_expect_eq(o.member[PF_MEMBER_ID].number, i ? 0 : 77, "%u", i);
    }
    cr_expect_eq(t->origins.count, 2);
    pf_trace_free(t);
    t = load(&b);
    cr_expect_eq(t->origins.count, 0, "nobody wants them");
    pf_trace_free(t);
    finish(&b);
}
