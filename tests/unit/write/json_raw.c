/* json_raw.c - JSON text of somebody else: what is JSON comes out as JSON, what is not does not come out. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "write/chrome/json_raw.h"

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

Test(json_raw, words_that_are_no_json_become_texts)
{
    expect("[NaN,Infinity,-Infinity]", 9, "[NaN,Infinity,-Infinity]");
    expect("[01,+1,1.,.5,0x10,None]", 9, "[\"01\",\"+1\",\"1.\",\".5\",\"0x10\",\"None\"]");
}

Test(json_raw, what_is_no_value_does_not_come_out)
{
    const char *const bad[] = {"",          " ",          "{",   "}",     "[1",  "[1,]",       "{\"a\"}",
                               "{\"a\":}",  "{1:2}",      "1 2", "[1 2]", "\"a", "{\"a\":1,}", "[}",
                               "{\"a\":1]", "\"a\"\"b\"", ",",   "[,1]",  ":",   "\"\\"};
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
    cr_assert(pf_json_is_number(PF_STR("-0.5E-7")));
    cr_assert(pf_json_is_number(PF_STR("18446744073709551616")));
    cr_assert_not(pf_json_is_number(PF_STR("-")));
    cr_assert_not(pf_json_is_number(PF_STR("1e")));
    cr_assert_not(pf_json_is_number(PF_STR("")));
}
