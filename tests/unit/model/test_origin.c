/* test_origin.c - notes of what an event of JSON says beyond its row. */
#include <criterion/criterion.h>

#include "model/trace/json_notes.h"

Test(origin, members_are_read_as_they_were_put)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    pf_writer_varint(&w, PF_ORIGIN_JOINS, 1);
    pf_writer_varint(&w, PF_ORIGIN_PLACE, 300);
    pf_origin_put_number(&w, PF_MEMBER_TID, 7);
    pf_origin_put_text(&w, PF_MEMBER_PID, PF_STR("\"p\""));
    pf_origin_put_text(&w, PF_MEMBER_NAME, PF_STR(""));
    pf_origin_put_number(&w, PF_MEMBER_ID, 1);
    pf_origin_put_text(&w, PF_MEMBER_ID, PF_STR("2.0"));
    pf_writer_bytes(&w, PF_ORIGIN_MORE, "{}", 2);
    const pf_origin o = pf_origin_read((const uint8_t *)b.data, b.len);
    cr_assert(o.joins && !o.hidden && !o.completes);
    cr_assert(o.placed && o.place == 300);
    cr_assert_eq(o.member[PF_MEMBER_TID].form, PF_FORM_INTEGER);
    cr_assert_eq(o.member[PF_MEMBER_TID].number, 7);
    cr_assert_eq(o.member[PF_MEMBER_PID].form, PF_FORM_TEXT);
    cr_assert_eq(o.member[PF_MEMBER_PID].text.len, 3);
    cr_assert_eq(o.member[PF_MEMBER_NAME].form, PF_FORM_TEXT);
    cr_assert_eq(o.member[PF_MEMBER_NAME].text.len, 0);
    cr_assert_eq(o.member[PF_MEMBER_ID].form, PF_FORM_TEXT, "the later one counts");
    cr_assert_eq(o.member[PF_MEMBER_DUR].form, PF_FORM_ROW);
    cr_assert_eq(o.more.len, 2);
    cr_assert_null(o.whole.ptr);
    pf_writer_free(&w);
    pf_buffer_free(&b);
}

Test(origin, a_malformed_note_ends_there)
{
    static const uint8_t note[] = {PF_TAG_VARINT(PF_ORIGIN_HIDDEN), 1, PF_TAG_BYTES(PF_ORIGIN_WHOLE), 200, 1, 'x'};
    const pf_origin o = pf_origin_read(note, sizeof note);
    cr_assert(o.hidden);
    cr_assert_null(o.whole.ptr);
    cr_assert_not(pf_origin_read(NULL, 0).hidden);
}

Test(origin, a_place_beyond_the_rows_is_none)
{
    static const uint64_t places[] = {UINT32_MAX - 1, UINT32_MAX, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        pf_buffer b = {0};
        pf_writer w;
        pf_writer_init(&w, &b);
        pf_writer_varint(&w, PF_ORIGIN_PLACE, places[i]);
        cr_assert_eq(pf_origin_read((const uint8_t *)b.data, b.len).placed, i == 0);
        pf_writer_free(&w);
        pf_buffer_free(&b);
    }
}

Test(origin, notes_leftovers_and_spellings_are_found)
{
    pf_error err;
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES | PF_WANT_ORIGINS, &err);
    const pf_event e = {.phase = 'i'};
    pf_str said;
    for (uint32_t row = 0; row < 5; row++) {
        const uint8_t note[] = {PF_TAG_VARINT(PF_ORIGIN_MEMBER + PF_MEMBER_TID), (uint8_t)row};
        cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
        if (row % 2) {
            cr_assert_eq(pf_trace_add_origin(t, note, sizeof note, true, &err), PF_OK);
        }
    }
    cr_assert_null(pf_trace_origin(t, 0).ptr);
    cr_assert_null(pf_trace_origin(t, 4).ptr);
    pf_str third = pf_trace_origin(t, 3);
    cr_assert_eq(pf_origin_read((const uint8_t *)third.ptr, third.len).member[PF_MEMBER_TID].number, 3);
    cr_assert_eq(pf_trace_add_leftover(t, true, PF_STR("{\"a\":1}"), 7, &err), PF_OK);
    cr_assert_eq(t->leftovers.count, 1);
    cr_assert(t->leftovers.of_document[0]);
    cr_assert_eq(t->leftovers.place[0], 7);
    cr_assert_eq(t->leftovers.input[0], 0);
    cr_assert_not(pf_trace_said_tid(t, 4, &said));
    cr_assert_eq(pf_trace_say_tid(t, 4, (pf_str){NULL, 0}, &err), PF_OK);
    cr_assert(pf_trace_said_tid(t, 4, &said));
    cr_assert_null(said.ptr);
    cr_assert_eq(pf_trace_say_tid(t, 5, PF_STR(""), &err), PF_OK);
    cr_assert(pf_trace_said_tid(t, 5, &said));
    cr_assert_not_null(said.ptr);
    cr_assert_eq(said.len, 0);
    pf_trace_free(t);
}
