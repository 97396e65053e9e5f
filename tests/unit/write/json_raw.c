/* json_raw.c - JSON text of somebody else: what is JSON comes out as JSON, what is not does not come out. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/text/json_text.h"

static void expect(const char *text, size_t depth, const char *expected)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "<");
    bool put = pf_json_put_value(&b, (pf_str){text, strlen(text)}, depth);
    cr_assert_eq(put, expected != NULL, "%s", text);
    pf_buffer_put(&b, "", 1);
    cr_assert_str_eq(b.data + 1, expected ? expected : "", "%s", text);
    pf_buffer_free(&b);
}

Test(json_raw, values_come_out_without_blanks)
{
    expect(" { \"a\" : [ 1 , -2.5e+3 , true , false , null ] , \"b\" : { } } ", 9,
           "{\"a\":[1,-2.5e+3,true,false,null],\"b\":{}}");
    expect("[]", 9, "[]");
    expect("[[[1]]]", 3, "[[[1]]]");
    expect("[[[1]]]", 2, NULL);
    expect("0", 0, "0");
}

Test(json_raw, texts_are_escaped_anew)
{
    expect("\"a\\u0041\\n\\/\\\"\t\"", 9, "\"aA\\n/\\\"\\t\"");
    expect("\"\\ud83d\\ude00 \xf0\x9f\x98\x80\"", 9, "\"\\ud83d\\ude00 \\ud83d\\ude00\"");
    expect("\"\\ud83d\"", 9, "\"\\ud83d\"");
    expect("\"\\u00e9\\u20ac\"", 9, "\"\\u00e9\\u20ac\"");
    expect("\"\xff\"", 9, "\"\\ufffd\"");
    expect("\"\\q\\u12\"", 9, "\"qu12\"");
}

static void expect_bytes(pf_str text, const char *expected)
{
    pf_buffer b = {0};
    bool put = pf_json_put_value(&b, text, 9);
    cr_expect_eq(put, expected != NULL, "%.*s", (int)text.len, text.ptr);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected ? expected : "");
    pf_buffer_free(&b);
}

/* Escapes of every kind and at both ends of what they can say. A backslash takes the special meaning of the byte after
 * it, or none: that byte itself, where it is what an escape stands for as well. */
Test(json_raw, escapes_at_their_ends)
{
    static const struct {
        pf_str text;
        const char *expected;
    } rows[] = {
        {PF_STR("\"\\b\\f\\n\\r\\t\\\\\\/\\\"\""), "\"\\b\\f\\n\\r\\t\\\\/\\\"\""},
        {PF_STR("\"\\\b\\\f\\\n\\\r\\\t\""), "\"\\b\\f\\n\\r\\t\""},
        {PF_STR("\"\\\0\""), "\"\\u0000\""},
        {PF_STR("\"\\u0000\\u0009\\u007e\\u007f\""), "\"\\u0000\\t~\\u007f\""},
        {PF_STR("\"\\u0080\\u07ff\\u0800\\uFFFF\""), "\"\\u0080\\u07ff\\u0800\\uffff\""},
        {PF_STR("\"\\ud7ff\\ud800\\udbff\\udc00\\udfff\\ue000\""), "\"\\ud7ff\\ud800\\udbff\\udc00\\udfff\\ue000\""},
        {PF_STR("\"\\uaFa0\\u09f9\""), "\"\\uafa0\\u09f9\""},
        {PF_STR("\"\\u00g0\\u00/0\\u00:0\\u00@0\\u00`0\""), "\"u00g0u00/0u00:0u00@0u00`0\""},
        {PF_STR("\"\\u12\""), "\"u12\""},
        {PF_STR("\"\\u1234\""), "\"\\u1234\""},
        {PF_STR("\"\\u1234"), NULL},
        {PF_STR("\"\\u123"), NULL},
        {PF_STR("\0"), NULL},
        {PF_STR("[a\0b]"), NULL},
        {PF_STR("[\0]"), NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_bytes(rows[i].text, rows[i].expected);
    }
}

Test(json_raw, words_that_are_no_json_become_texts)
{
    expect("[NaN,Infinity,-Infinity]", 9, "[NaN,Infinity,-Infinity]");
    expect("[01,+1,1.,.5,0x10,None]", 9, "[\"01\",\"+1\",\"1.\",\".5\",\"0x10\",\"None\"]");
}

Test(json_raw, what_is_no_value_does_not_come_out)
{
    const char *const bad[] = {"",
                               " ",
                               "{",
                               "}",
                               "[1",
                               "[1,]",
                               "{\"a\"}",
                               "{\"a\":}",
                               "{1:2}",
                               "1 2",
                               "[1 2]",
                               "\"a",
                               "{\"a\":1,}",
                               "[}",
                               "{\"a\":1]",
                               "\"a\"\"b\"",
                               ",",
                               "[,1]",
                               ":",
                               "\"\\",
                               "1]",
                               "1}",
                               "[1]]",
                               "{}}",
                               "[1,,2]",
                               "{\"a\" 1}",
                               "{\"a\":1 2}",
                               "{,}",
                               "{\"a\":1,\"b\"}",
                               "[1:2]",
                               "1,",
                               "{\"a\":1,2}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect(bad[i], 9, NULL);
    }
}

Test(json_raw, members_follow_commas)
{
    pf_buffer b = {0};
    cr_assert(pf_json_put_members(&b, PF_STR("{ \"a\":1, \"b\":[{}] }"), 9));
    cr_assert(pf_json_put_members(&b, PF_STR("{}"), 9));
    cr_assert_not(pf_json_put_members(&b, PF_STR("[1]"), 9));
    cr_assert_not(pf_json_put_members(&b, PF_STR("{\"a\""), 9));
    pf_buffer_put(&b, "", 1);
    cr_assert_str_eq(b.data, ",\"a\":1,\"b\":[{}]");
    pf_buffer_free(&b);
}

Test(json_raw, numbers)
{
    static const char *const good[] = {
        "-0.5E-7", "18446744073709551616", "0", "-0", "9", "10", "1.0", "0.09", "1e5", "1E+9", "0e0", "-12.50e-00"};
    static const char *const bad[] = {"-",   "1e",    "",   "00",   "01",   "-01",   "1.",    ".5",   "-.5", "1.e5",
                                      "1e+", "1e+-5", "1x", "1.5x", "1e5x", "--1",   "+1",    " 1",   "1 ",  "/",
                                      ":",   "1/",    "1:", "1.:",  "1e/",  "1.5.5", "1e5.5", "1e5e5"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_expect(pf_json_is_number((pf_str){good[i], strlen(good[i])}), "%s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not(pf_json_is_number((pf_str){bad[i], strlen(bad[i])}), "%s", bad[i]);
    }
    cr_expect(pf_json_is_number((pf_str){"1.5e7.5", 5}), "only its own bytes count");
    cr_expect(pf_json_is_number((pf_str){"123", 1}));
    cr_expect_not(pf_json_is_number((pf_str){"-1", 1}));
    cr_expect_not(pf_json_is_number((pf_str){"1.5", 2}));
    cr_expect_not(pf_json_is_number((pf_str){"1e5", 2}));
}
