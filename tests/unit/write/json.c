/* json.c - documents as Python's json.dumps(indent=2) prints them; expectations written by hand. */
#include "support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void expect(const pf_node *root, const char *expected)
{
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_json(root, &text, &len, &err), PF_OK);
    cr_assert_eq(len, strlen(expected));
    cr_assert_str_eq(text, expected);
    free(text);
}

static void expect_text(pf_str s, const char *expected)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *list = pf_node_root(f, PF_NODE_LIST);
    char *line;
    pf_node_add_text(f, list, (pf_str){NULL, 0}, s);
    cr_assert_geq(asprintf(&line, "[\n  \"%s\"\n]", expected), 0);
    expect(list, line);
    free(line);
    pf_findings_free(f);
}

static void expect_real(double v, const char *expected)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *list = pf_node_root(f, PF_NODE_LIST);
    char *line;
    pf_node_add_real(f, list, (pf_str){NULL, 0}, v);
    cr_assert_geq(asprintf(&line, "[\n  %s\n]", expected), 0);
    expect(list, line);
    free(line);
    pf_findings_free(f);
}

Test(json, every_kind_of_node_and_nesting)
{
    const pf_str item = {NULL, 0};
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add(f, root, PF_STR("none"), PF_NODE_NULL);
    pf_node_add(f, root, PF_STR("yes"), PF_NODE_BOOL)->as.b = true;
    pf_node_add(f, root, PF_STR("no"), PF_NODE_BOOL)->as.b = false;
    pf_node_add_int(f, root, PF_STR("least"), INT64_MIN);
    pf_node_add(f, root, PF_STR("raw"), PF_NODE_RAW)->as.s = PF_STR("18446744073709551616");
    pf_node_add(f, root, PF_STR("empty list"), PF_NODE_LIST);
    pf_node_add(f, root, PF_STR("empty object"), PF_NODE_OBJECT);
    pf_node *list = pf_node_add(f, root, PF_STR("list"), PF_NODE_LIST);
    pf_node_add_int(f, list, item, 1);
    pf_node *inner = pf_node_add(f, list, item, PF_NODE_OBJECT);
    pf_node_add_text(f, inner, PF_STR("k/\""), PF_STR("v"));
    pf_node_add(f, list, item, PF_NODE_LIST);
    pf_node_add_real(f, root, PF_STR("last"), 0.5);
    expect(root, "{\n  \"none\": null,\n  \"yes\": true,\n  \"no\": false,\n  \"least\": -9223372036854775808,\n"
                 "  \"raw\": 18446744073709551616,\n  \"empty list\": [],\n  \"empty object\": {},\n  \"list\": [\n"
                 "    1,\n    {\n      \"k/\\\"\": \"v\"\n    },\n    []\n  ],\n  \"last\": 0.5\n}");
    pf_findings_free(f);
}

Test(json, empty_root)
{
    pf_findings *f = pf_findings_new(NULL);
    expect(pf_node_root(f, PF_NODE_OBJECT), "{}");
    expect(pf_node_root(f, PF_NODE_LIST), "[]");
    pf_findings_free(f);
}

Test(json, texts)
{
    expect_text(PF_STR("plain /\x7f"), "plain /\\u007f"); /* as Python prints it */
    expect_text(PF_STR("\"\\"), "\\\"\\\\");
    expect_text(PF_STR("\b\f\n\r\t"), "\\b\\f\\n\\r\\t");
    expect_text((pf_str){"\0\x01\x0b\x1f", 4}, "\\u0000\\u0001\\u000b\\u001f");
    expect_text(PF_STR("Kachel\xc3\xa4,\xce\xbc"), "Kachel\\u00e4,\\u03bc");
    expect_text(PF_STR("\xef\xbf\xbf\xf0\x90\x80\x80"), "\\uffff\\ud800\\udc00");
    expect_text(PF_STR("\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"), "\\ud83d\\ude00\\udbff\\udfff");
}

Test(json, lone_surrogates_come_back_as_they_were_spelled)
{
    expect_text(PF_STR("a\xed\xa0\x80z"), "a\\ud800z");
    expect_text(PF_STR("\xed\xbf\xbf"), "\\udfff");
}

Test(json, invalid_bytes_become_replacement_characters)
{
    expect_text(PF_STR("\xff"), "\\ufffd");
    expect_text(PF_STR("\x80x"), "\\ufffdx");
    expect_text(PF_STR("\xc0\xaf"), "\\ufffd\\ufffd");                       /* overlong '/' */
    expect_text(PF_STR("\xe0\x9f\xbf"), "\\ufffd\\ufffd\\ufffd");            /* overlong */
    expect_text(PF_STR("\xf4\x90\x80\x80"), "\\ufffd\\ufffd\\ufffd\\ufffd"); /* above U+10FFFF */
    expect_text(PF_STR("ab\xe2\x82"), "ab\\ufffd\\ufffd");                   /* cut at the end */
}

Test(json, reals)
{
    expect_real(0.0, "0.0");
    expect_real(-0.0, "-0.0");
    expect_real(73, "73.0");
    expect_real(140.27397260273972, "140.27397260273972");
    expect_real(0.1, "0.1");
    expect_real(0.0001, "0.0001");
    expect_real(0.00001, "1e-05");
    expect_real(123456.7e-11, "1.234567e-06");
    expect_real(1e15, "1000000000000000.0");
    expect_real(1e16, "1e+16");
    expect_real(1.5e300, "1.5e+300");
    expect_real(5e-324, "5e-324");
    expect_real(NAN, "NaN");
    expect_real(INFINITY, "Infinity");
    expect_real(-INFINITY, "-Infinity");
}

Test(json, deep_nesting)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_LIST), *n = root;
    for (int i = 1; i < 2000; i++) {
        n = pf_node_add(f, n, (pf_str){NULL, 0}, PF_NODE_LIST);
    }
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_json(root, &text, &len, &err), PF_OK);
    /* 1999 lists hold one member each: two brackets, two line breaks, 2(i+1) blanks before the member of list i and 2i
     * before its closing bracket; the innermost is "[]". */
    cr_assert_eq(len, 2 + 1999u * 2 + 1999u * 2 + 2u * (1999u * 2000u / 2) + 2u * (1998u * 1999u / 2));
    free(text);
    pf_findings_free(f);
}
