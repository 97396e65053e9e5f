/* Writing: exact bytes, nesting of every size, and what is written can be read. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "wire/cursor.h"
#include "wire/writer.h"

Test(writer, exact_bytes)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    pf_writer_varint(&w, 1, 150);
    pf_writer_begin(&w, 2);
    pf_writer_bytes(&w, 3, "abc", 3);
    pf_writer_begin(&w, 47);
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_fixed64(&w, 47, 0x0102030405060708);
    pf_writer_double(&w, 44, 0.5);
    pf_writer_varint(&w, 4, (uint64_t)-1);
    static const char want[] = "\x08\x96\x01"
                               "\x12\x08\x1a\x03"
                               "abc\xfa\x02\x00"
                               "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"
                               "\xe1\x02\x00\x00\x00\x00\x00\x00\xe0\x3f"
                               "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    cr_assert_not(w.failed);
    cr_assert_eq(b.len, sizeof want - 1);
    cr_expect_arr_eq(b.data, want, sizeof want - 1);
    pf_writer_free(&w);
    pf_buffer_free(&b);
}

/* Bodies around the places where a length needs one more byte. */
Test(writer, lengths_are_minimal)
{
    static const size_t bodies[] = {0, 1, 126, 127, 128, 129, 16382, 16383, 16384, 2097151, 2097152};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        pf_buffer b = {0};
        pf_writer w;
        char *body = calloc(1, bodies[i] + 1);
        cr_assert_not_null(body);
        pf_writer_init(&w, &b);
        pf_writer_begin(&w, 1);
        pf_writer_raw(&w, body, bodies[i]);
        pf_writer_end(&w);
        pf_writer_varint(&w, 2, 7);
        size_t prefix = bodies[i] < 128 ? 1 : bodies[i] < 16384 ? 2 : bodies[i] < 2097152 ? 3 : 4;
        cr_expect_eq(b.len, 1 + prefix + bodies[i] + 2, "body of %zu", bodies[i]);
        pf_cursor c = pf_cursor_over((const uint8_t *)b.data, b.len);
        pf_field f;
        cr_expect(pf_cursor_next(&c, &f) == PF_NEXT_FIELD && f.len == bodies[i]);
        cr_expect(pf_cursor_next(&c, &f) == PF_NEXT_FIELD && f.tag == PF_TAG_VARINT(2) && f.value == 7);
        cr_expect_eq(pf_cursor_next(&c, &f), PF_NEXT_END);
        free(body);
        pf_writer_free(&w);
        pf_buffer_free(&b);
    }
}

Test(writer, deep_nesting)
{
    enum { LEVELS = 600 };
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    for (unsigned i = 0; i < LEVELS; i++) {
        pf_writer_begin(&w, 11);
        pf_writer_varint(&w, 1, i);
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        pf_writer_end(&w);
    }
    cr_assert_not(w.failed);
    pf_cursor c = pf_cursor_over((const uint8_t *)b.data, b.len);
    for (unsigned i = 0; i < LEVELS; i++) {
        pf_field f;
        cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
        cr_assert_eq(f.tag, PF_TAG_BYTES(11));
        cr_assert_eq(f.bytes + f.len, (const uint8_t *)b.data + b.len);
        c = pf_field_cursor(&f);
        cr_assert(pf_cursor_next(&c, &f) == PF_NEXT_FIELD && f.value == i);
    }
    pf_writer_free(&w);
    pf_buffer_free(&b);
}

Test(writer, an_end_too_many_fails)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    pf_writer_end(&w);
    cr_expect(w.failed);
    cr_expect(b.failed);
    pf_writer_free(&w);
    pf_buffer_free(&b);
}

Test(writer, varints_come_back)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    for (unsigned bit = 0; bit < 64; bit++) {
        pf_writer_varint(&w, bit + 1, 1ull << bit);
        pf_writer_varint(&w, bit + 1, (1ull << bit) - 1);
    }
    pf_cursor c = pf_cursor_over((const uint8_t *)b.data, b.len);
    pf_field f;
    for (unsigned bit = 0; bit < 64; bit++) {
        cr_assert(pf_cursor_next(&c, &f) == PF_NEXT_FIELD && f.value == 1ull << bit);
        cr_assert(pf_cursor_next(&c, &f) == PF_NEXT_FIELD && f.value == (1ull << bit) - 1);
        cr_assert_eq(pf_field_number(&f), bit + 1);
    }
    pf_writer_free(&w);
    pf_buffer_free(&b);
}
