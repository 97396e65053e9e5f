/* JSON escapes as UTF-8; the expected bytes are those of RFC 3629 by hand, lone surrogates in the same form. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/str.h"
#include "base/text/json_text.h"

Test(escapes, become_the_bytes_that_they_stand_for)
{
    static const struct {
        pf_str text, expected;
        unsigned lone;
    } rows[] = {
        {PF_STR(""), PF_STR(""), 0},
        {PF_STR("plain"), PF_STR("plain"), 0},
        {PF_STR("a\\b\\f\\n\\r\\tz"), PF_STR("a\b\f\n\r\tz"), 0},
        {PF_STR("\\\"\\\\\\/"), PF_STR("\"\\/"), 0},
        {PF_STR("\\q\\B\\\b\\\n"), PF_STR("qB\b\n"), 0},
        {PF_STR("\\\0x"), PF_STR("\0x"), 0},
        {PF_STR("end\\"), PF_STR("end"), 0},
        {PF_STR("\\u0041\\u007f"), PF_STR("A\x7f"), 0},
        {PF_STR("\\u0000"), PF_STR("\0"), 0},
        {PF_STR("\\u0080\\u07ff"), PF_STR("\xc2\x80\xdf\xbf"), 0},
        {PF_STR("\\u0800\\uFFFF"), PF_STR("\xe0\xa0\x80\xef\xbf\xbf"), 0},
        {PF_STR("\\u1234\\uabCD\\uEf09"), PF_STR("\xe1\x88\xb4\xea\xaf\x8d\xee\xbc\x89"), 0},
        {PF_STR("\\ud800\\udc00"), PF_STR("\xf0\x90\x80\x80"), 0},
        {PF_STR("\\udbff\\udfff"), PF_STR("\xf4\x8f\xbf\xbf"), 0},
        {PF_STR("\\ud83d\\ude00x"), PF_STR("\xf0\x9f\x98\x80x"), 0},
        {PF_STR("\\ud7ff\\ue000"), PF_STR("\xed\x9f\xbf\xee\x80\x80"), 0},
        {PF_STR("\\ud800"), PF_STR("\xed\xa0\x80"), 1},
        {PF_STR("\\ud800x"), PF_STR("\xed\xa0\x80x"), 1},
        {PF_STR("\\ud800\\u0041"),
         PF_STR("\xed\xa0\x80"
                "A"),
         1},
        {PF_STR("\\ud800\\ue000"), PF_STR("\xed\xa0\x80\xee\x80\x80"), 1},
        {PF_STR("\\ud800\\udbff"), PF_STR("\xed\xa0\x80\xed\xaf\xbf"), 2},
        {PF_STR("\\udc00\\udc00"), PF_STR("\xed\xb0\x80\xed\xb0\x80"), 2},
        {PF_STR("\\udc00\\ud800"), PF_STR("\xed\xb0\x80\xed\xa0\x80"), 2},
        {PF_STR("\\ud800\\n"), PF_STR("\xed\xa0\x80\n"), 1},
        {PF_STR("\\ud800\\udc0"), PF_STR("\xed\xa0\x80udc0"), 1},
        {PF_STR("\\ud800udc00"), PF_STR("\xed\xa0\x80udc00"), 1},
        {PF_STR("\\u"), PF_STR("u"), 0},
        {PF_STR("\\u123"), PF_STR("u123"), 0},
        {PF_STR("\\u12g4"), PF_STR("u12g4"), 0},
        {PF_STR("\\u12/4\\u12:4\\u12@4\\u12`4"), PF_STR("u12/4u12:4u12@4u12`4"), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        unsigned lone = 0;
        memset(out, '#', sizeof out);
        size_t len = pf_json_unescape((const uint8_t *)rows[i].text.ptr, rows[i].text.len, out, &lone);
        cr_expect(len == rows[i].expected.len && memcmp(out, rows[i].expected.ptr, len) == 0, "%s became %.*s",
                  rows[i].text.ptr, (int)len, out);
        cr_expect_eq(lone, rows[i].lone, "%s: %u", rows[i].text.ptr, lone);
        cr_expect_eq(out[rows[i].text.len + 1], '#', "no more than the text is written");
    }
    /* what follows the text is no part of it */
    char out[16];
    unsigned lone = 0;
    cr_expect_eq(pf_json_unescape((const uint8_t *)"\\u00412", 5, out, &lone), 4);
    cr_expect_eq(memcmp(out, "u004", 4), 0);
}
