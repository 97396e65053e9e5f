/* Reading the wire format: varints of every length, truncation at every byte, every wire type. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/files/file.h"
#include "wire/cursor.h"

typedef struct sample {
    const char *bytes;
    size_t len;
    uint64_t value;
} sample;

#define BYTES(s) s, sizeof(s) - 1

static const sample samples[] = {
    {BYTES("\x00"), 0},
    {BYTES("\x01"), 1},
    {BYTES("\x7f"), 127},
    {BYTES("\x80\x01"), 128},
    {BYTES("\xac\x02"), 300},
    {BYTES("\x85\x80\x80\x00"), 5}, /* padded, as SDKs write lengths */
    {BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0},
    {BYTES("\xff\xff\x7f"), 0x1fffff},
    {BYTES("\xff\xff\xff\x7f"), 0xfffffff},
    {BYTES("\xff\xff\xff\xff\x0f"), 0xffffffff},
    {BYTES("\x80\x80\x80\x80\x10"), 1ull << 32},
    {BYTES("\xff\xff\xff\xff\xff\x7f"), (1ull << 42) - 1},
    {BYTES("\xff\xff\xff\xff\xff\xff\x7f"), (1ull << 49) - 1},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f"), (1ull << 56) - 1},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), (1ull << 63) - 1},
    {BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), 1ull << 63},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX},
    {BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_MAX}, /* bits beyond the 64th are dropped */
};

Test(varint, both_ways_agree)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint8_t buffer[10 + PF_SLOP];
        uint64_t v = 0;
        memset(buffer, 0xff, sizeof buffer);
        memcpy(buffer, samples[i].bytes, samples[i].len);
        cr_expect_eq(pf_varint_slop(buffer, &v) - buffer, (ptrdiff_t)samples[i].len, "sample %zu", i);
        cr_expect_eq(v, samples[i].value, "sample %zu", i);
        v = 0;
        cr_expect_eq(pf_varint(buffer, buffer + samples[i].len, &v) - buffer, (ptrdiff_t)samples[i].len);
        cr_expect_eq(v, samples[i].value);
        v = 0;
        cr_expect_eq(pf_varint(buffer, buffer + sizeof buffer, &v) - buffer, (ptrdiff_t)samples[i].len);
        cr_expect_eq(v, samples[i].value);
    }
}

Test(varint, truncated_at_each_byte)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            uint64_t v;
            const uint8_t *p = (const uint8_t *)samples[i].bytes;
            cr_expect_null(pf_varint(p, p + len, &v), "sample %zu cut to %zu", i, len);
        }
    }
}

Test(varint, more_than_ten_bytes)
{
    uint8_t buffer[11 + PF_SLOP];
    uint64_t v;
    memset(buffer, 0x80, sizeof buffer);
    cr_expect_null(pf_varint_slop(buffer, &v));
    cr_expect_null(pf_varint(buffer, buffer + 11, &v));
}

/* All wire types, with a field number above 2^24 - 1 between them that is never delivered. */
static const char message[] = "\x08\x96\x01"                         /* 1: varint 150 */
                              "\x11\x01\x02\x03\x04\x05\x06\x07\x08" /* 2: fixed64 */
                              "\xfa\xff\xff\xff\x7f\x02xy"           /* a number too large, bytes */
                              "\x1a\x03"
                              "abc"                  /* 3: bytes */
                              "\x25\x01\x02\x03\x04" /* 4: fixed32 */
                              "\xfa\xff\xff\x3f\x01"
                              "z"; /* 2^24 - 1: bytes */

Test(cursor, every_wire_type)
{
    pf_cursor c = pf_cursor_over((const uint8_t *)message, sizeof message - 1);
    pf_field f;
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
    cr_expect(f.tag == PF_TAG_VARINT(1) && f.value == 150);
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
    cr_expect(f.tag == PF_TAG_FIXED64(2) && f.value == 0x0807060504030201);
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
    cr_expect(f.tag == PF_TAG_BYTES(3) && f.len == 3 && memcmp(f.bytes, "abc", 3) == 0);
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
    cr_expect(f.tag == PF_TAG(4, PF_WIRE_FIXED32) && f.value == 0x04030201);
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD);
    cr_expect(pf_field_number(&f) == PF_FIELD_NUMBER_MAX && f.len == 1);
    cr_expect_eq(pf_cursor_next(&c, &f), PF_NEXT_END);
    cr_expect_eq(pf_cursor_next(&c, &f), PF_NEXT_END);
}

Test(cursor, cut_at_each_byte)
{
    static const size_t ends[] = {0, 3, 12, 20, 25, 30, 36}; /* where fields end */
    for (size_t len = 0; len < sizeof message; len++) {
        pf_cursor c = pf_cursor_over((const uint8_t *)message, len);
        pf_field f;
        pf_next next;
        bool whole = false;
        while ((next = pf_cursor_next(&c, &f)) == PF_NEXT_FIELD) {
        }
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            whole = whole || ends[i] == len;
        }
        cr_expect_eq(next, whole ? PF_NEXT_END : PF_NEXT_MALFORMED, "cut to %zu", len);
        cr_expect_leq(c.at, (const uint8_t *)message + len);
    }
}

Test(cursor, no_bytes_need_no_address)
{
    pf_cursor c = pf_cursor_over(NULL, 0);
    pf_field f;
    cr_expect_eq(c.at, c.end);
    cr_expect_eq(pf_cursor_next(&c, &f), PF_NEXT_END);
}

Test(cursor, malformed_fields_stop_it)
{
    static const sample bad[] = {
        {BYTES("\x00\x01"), 0},                                     /* field number 0 */
        {BYTES("\x02\x00"), 0},                                     /* likewise, bytes */
        {BYTES("\x0b\x0c"), 0},                                     /* groups */
        {BYTES("\x0e\x01"), 0},                                     /* wire type 6 */
        {BYTES("\x0f\x01"), 0},                                     /* wire type 7 */
        {BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0}, /* a length of 2^64 - 1 */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pf_cursor c = pf_cursor_over((const uint8_t *)bad[i].bytes, bad[i].len);
        pf_field f;
        cr_expect_eq(pf_cursor_next(&c, &f), PF_NEXT_MALFORMED, "bad field %zu", i);
        cr_expect_eq(c.at, (const uint8_t *)bad[i].bytes);
    }
}

Test(cursor, last_fields_by_tag)
{
    static const uint32_t tags[] = {PF_AT_VARINT(1), PF_AT_BYTES(2), PF_AT_FIXED64(4)};
    const uint8_t bytes[] = {0x08, 1, 0x12, 1, 'a', 0x08, 2, 0x10, 9, 0x1a, 0, 0x28, 5};
    pf_cursor c = pf_cursor_over(bytes, sizeof bytes);
    pf_field f[PF_TAG_COUNT(tags)];
    pf_cursor_fields(c, tags, f, PF_TAG_COUNT(tags));
    cr_expect_eq(f[1].value, 2);
    cr_expect_eq(f[2].len, 1, "a number of another wire type does not count");
    cr_expect_eq(f[0].tag | f[3].tag | f[4].tag, 0);
    cr_expect_null(pf_field_text_or_null(&f[4]).ptr);
    cr_expect_eq(pf_cursor_last(c, PF_TAG_VARINT(1)).value, 2);
    cr_expect_eq(pf_cursor_last(c, PF_TAG_VARINT(7)).tag, 0);
}

static void expect_numbers(const uint8_t *bytes, size_t len, bool fixed, const uint64_t *wanted, size_t count)
{
    pf_numbers l = pf_numbers_of(pf_cursor_over(bytes, len), 1, fixed);
    uint64_t number;
    for (size_t i = 0; i < count; i++) {
        cr_assert(pf_numbers_next(&l, &number));
        cr_expect_eq(number, wanted[i], "number %zu", i);
    }
    cr_expect_not(pf_numbers_next(&l, &number));
}

Test(cursor, repeated_numbers_one_by_one_and_packed)
{
    const uint8_t mixed[] = {0x08, 1, 0x10, 9, 0x0a, 3, 2, 0xac, 0x02, 0x0a, 2, 7, 0x80, 0x08, 4};
    const uint8_t fixed[] = {0x0a, 11, 1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 0x09, 2, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t none[] = {0x0a, 0};
    expect_numbers(mixed, sizeof mixed, false, (const uint64_t[]){1, 2, 300, 7, 4}, 5);
    expect_numbers(fixed, sizeof fixed, true, (const uint64_t[]){1, 2}, 2);
    expect_numbers(none, sizeof none, false, NULL, 0);
}
