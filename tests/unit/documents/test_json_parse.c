/* JSON to nodes: values, exact numbers, escapes, errors with their place, limits. */
#include <math.h>

#include "support.h"

static void same(const char *text, const char *expected)
{
    expect_json(pf_json_parse, text_of(text), expected);
}

static void refused(const char *text, uint64_t offset, const char *part)
{
    expect_refused(pf_json_parse, text_of(text), offset, part);
}

Test(json_parse, values)
{
    same("null", "null");
    same(" [ ] ", "[]");
    same("{}", "{}");
    same("[true,false,null,\"\"]", "[true,false,null,\"\"]");
    same("{\"b\":1,\"a\":{\"c\":[2,[3]]},\"b\":4}", "{\"b\":1,\"a\":{\"c\":[2,[3]]},\"b\":4}");
    same("\xef\xbb\xbf[1]", "[1]");
    same("\t\r\n[1\n,\t2 ]\n", "[1,2]");
}

Test(json_parse, numbers_are_exact)
{
    same("[0,-0,9223372036854775807,-9223372036854775808]", "[0,0,9223372036854775807,-9223372036854775808]");
    same("[9223372036854775808,123456789012345678901234567890]",
         "[9223372036854775808,123456789012345678901234567890]");
    same("[0.1,1e2,1E-7,-0.0,1.5e300,4.9e-324]", "[0.1,100.0,1e-07,-0.0,1.5e+300,5e-324]");
    same("[1e999,-1e999]", "[1e999,-1e999]");
    pf_document *d;
    cr_assert_eq(pf_json_parse(PF_STR("[9007199254740993,1.0,18446744073709551616]"), NULL, &d, NULL), PF_OK);
    const pf_node *n = pf_document_root(d)->first;
    cr_assert_eq(n->type, PF_NODE_INT);
    cr_assert_eq(n->as.i, 9007199254740993);
    cr_assert_eq(n->next->type, PF_NODE_REAL);
    cr_assert_eq(n->next->next->type, PF_NODE_RAW);
    pf_document_free(d);
}

Test(json_parse, strings)
{
    same("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
    same("\"\\u20ac\\ud83d\\ude00\"", "\"\xe2\x82\xac\xf0\x9f\x98\x80\"");
    same("\"\\ud83d\"", "\"\\ud83d\"");
    same("{\"\\u0061\":1}", "{\"a\":1}");
    expect_json(pf_json_parse, PF_STR("\"a\\u0000b\""), "\"a\\u0000b\"");
}

Test(json_parse, the_last_of_equal_keys_counts)
{
    pf_document *d;
    cr_assert_eq(pf_json_parse(PF_STR("{\"a\":1,\"b\":2,\"a\":3}"), NULL, &d, NULL), PF_OK);
    cr_assert_eq(pf_node_get(pf_document_root(d), "a")->as.i, 3);
    const pf_node *twice = pf_node_twice(pf_document_root(d));
    cr_assert_not_null(twice);
    cr_assert_eq(twice->as.i, 3);
    cr_assert_eq(twice->column, 18);
    cr_assert_null(pf_node_get(pf_document_root(d), "c"));
    pf_document_free(d);
    cr_assert_eq(pf_json_parse(PF_STR("{\"a\":1,\n  \"b\": [2, 2]}"), NULL, &d, NULL), PF_OK);
    cr_assert_null(pf_node_twice(pf_document_root(d)));
    cr_assert_null(pf_node_twice(pf_node_get(pf_document_root(d), "b")), "elements of an array have no keys");
    const pf_node *b = pf_node_get(pf_document_root(d), "b");
    cr_assert_eq(b->line, 2);
    cr_assert_eq(b->column, 8);
    pf_document_free(d);
}

Test(json_parse, errors_have_a_place)
{
    refused("", 0, "line 1, column 1: there is nothing in it");
    refused("  \n ", 4, "line 2, column 2: there is nothing");
    refused("[1,\n 2", 6, "line 2, column 3: the document ends in its middle");
    refused("[1 2]", 3, "',' or ']'");
    refused("[1,]", 3, "a value is expected");
    refused("{\"a\":1,}", 7, "a name in double quotes");
    refused("{\"a\" 1}", 5, "':'");
    refused("{a:1}", 1, "a name in double quotes");
    refused("[1]x", 3, "ends before this");
    refused("[01]", 1, "not a JSON number");
    refused("[1.]", 1, "not a JSON number");
    refused("[.5]", 1, "a value is expected");
    refused("[+1]", 1, "a value is expected");
    refused("[1e]", 1, "not a JSON number");
    refused("[NaN]", 1, "a value is expected");
    refused("[tru]", 1, "a value is expected");
    refused("[\"abc]", 1, "never ends");
    refused("[\"a\\x\"]", 3, "not a JSON escape");
    refused("[\"a\\u12\"]", 3, "not a JSON escape");
    refused("[\"a\nb\"]", 3, "control character");
    refused("]", 0, "a value is expected");
}

/* Cut at every place, with the place that is said. */
Test(json_parse, numbers_and_words_that_are_none)
{
    static const char *const numbers[] = {"-",    "--1",  "-a",   "-.5", "00",   "-01", "1.",
                                          "1.e1", "1.-1", "-1.",  "1e",  "1E",   "1e+", "1E-",
                                          "1e.",  "0.0e", "1.5e", "-0.", "1e+-", "2.",  "-00.1"};
    static const char *const words[] = {"n", "nul", "NULL", "True", "tru", "fals", "+1", ".5", "x", "/", ":", "'"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[32];
        snprintf(text, sizeof text, "[7,%s]", numbers[i]);
        refused(text, 3, "this is not a JSON number");
        refused(numbers[i], 0, "this is not a JSON number");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[32];
        snprintf(text, sizeof text, "{\"a\":%s}", words[i]);
        refused(text, 5, "a value is expected here");
        refused(words[i], 0, "a value is expected here");
    }
    same("[1e0,1E+0,0e-0,-0e1,10.50,1e1]", "[1.0,1.0,0.0,-0.0,10.5,10.0]");
    same("-1", "-1");
    same("9", "9");
    same("0.5", "0.5");
}

Test(json_parse, strings_that_are_none)
{
    static const struct {
        const char *text;
        uint64_t offset;
        const char *part;
    } cases[] = {
        {"\"", 0, "never ends"},
        {"[\"", 1, "never ends"},
        {"\"abc", 0, "never ends"},
        {"\"a\\\"", 0, "never ends"},
        {"\"\\u0041", 0, "never ends"},
        {"\"a\\", 2, "not a JSON escape"},
        {"\"\\", 1, "not a JSON escape"},
        {"\"\\a\"", 1, "not a JSON escape"},
        {"\"\\U0041\"", 1, "not a JSON escape"},
        {"\"\\u\"", 1, "not a JSON escape"},
        {"\"\\u004", 1, "not a JSON escape"},
        {"\"\\u004\"", 1, "not a JSON escape"},
        {"\"\\u004g\"", 1, "not a JSON escape"},
        {"\"\\u/041\"", 1, "not a JSON escape"},
        {"\"\\u0:41\"", 1, "not a JSON escape"},
        {"\"\\u00`1\"", 1, "not a JSON escape"},
        {"\"\\u00@1\"", 1, "not a JSON escape"},
        {"\"\\u004G\"", 1, "not a JSON escape"},
        {"\"x\x1f\"", 2, "control character"},
        {"\"\x01\"", 1, "control character"},
        {"{\"a\n\":1}", 3, "control character"},
        {"{\"a", 1, "never ends"},
        {"{\"a\"", 4, "a ':' is expected"},
        {"{\"a\" ", 5, "a ':' is expected"},
        {"{\"a\",1}", 4, "a ':' is expected"},
        {"{\"a\":", 5, "the document ends in its middle"},
        {"{\"a\":}", 5, "a value is expected"},
        {"{1:2}", 1, "a name in double quotes"},
        {"{,}", 1, "a name in double quotes"},
        {"{\"a\":1 \"b\":2}", 7, "a ',' or '}' is expected"},
        {"{\"a\":1]", 6, "a ',' or '}' is expected"},
        {"[1}", 2, "a ',' or ']' is expected"},
        {"[,1]", 1, "a value is expected"},
        {"{}}", 2, "the document ends before this"},
        {"1 2", 2, "the document ends before this"},
        {"\"a\"\"b\"", 3, "the document ends before this"},
        {"\xef\xbb\xbf", 3, "there is nothing in it"},
        {"\xef\xbb", 0, "a value is expected"},
        {"[\xef\xbb\xbf]", 1, "a value is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(cases[i].text, cases[i].offset, cases[i].part);
    }
    same("\"\\u0041\\u004A\\u004a\\u00AF\\u00af \\u0039\"", "\"AJJ\xc2\xaf\xc2\xaf 9\"");
    same("\"\x7f \"", "\"\x7f \"");
}

Test(json_parse, limits)
{
    pf_document *d;
    pf_error err;
    pf_parse_limits l = pf_parse_limits_default();
    l.depth = 3;
    cr_assert_eq(pf_json_parse(PF_STR("[[[1]]]"), &l, &d, &err), PF_OK);
    pf_document_free(d);
    cr_assert_eq(pf_json_parse(PF_STR("[[[[1]]]]"), &l, &d, &err), PF_ERR_LIMIT);
    cr_assert_not_null(strstr(err.text, "3 lists and objects"), "%s", err.text);
    l.nodes = 4;
    cr_assert_eq(pf_json_parse(PF_STR("[1,2,3]"), &l, &d, &err), PF_OK);
    pf_document_free(d);
    cr_assert_eq(pf_json_parse(PF_STR("[1,2,3,4]"), &l, &d, &err), PF_ERR_LIMIT);
    l.bytes = 6;
    cr_assert_eq(pf_json_parse(PF_STR("[1,2,3]"), &l, &d, &err), PF_ERR_LIMIT);
    l = pf_parse_limits_default();
    l.memory = 16384;
    char text[20000];
    memset(text, 'x', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    cr_assert_eq(pf_json_parse((pf_str){text, sizeof text}, &l, &d, &err), PF_ERR_LIMIT);
    cr_assert_null(d);
}

/* Nesting costs no stack: a million lists are refused by the limit, or taken where that allows it. */
Test(json_parse, deep_nesting_does_not_recurse)
{
    enum { DEEP = 1000000 };
    char *text = malloc(2 * DEEP);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    pf_document *d;
    pf_error err;
    cr_assert_eq(pf_json_parse((pf_str){text, 2 * DEEP}, NULL, &d, &err), PF_ERR_LIMIT);
    pf_parse_limits l = pf_parse_limits_default();
    l.depth = DEEP;
    cr_assert_eq(pf_json_parse((pf_str){text, 2 * DEEP}, &l, &d, &err), PF_OK);
    pf_findings *f = pf_findings_new(NULL);
    cr_assert_not_null(pf_node_copy(f, NULL, (pf_str){NULL, 0}, pf_document_root(d)));
    pf_findings_adopt(f, d);
    pf_findings_free(f);
    free(text);
}

Test(json_parse, a_copy_is_equal)
{
    static const char text[] = "{\"a\":[1,2.5,{\"b\":null}],\"c\":\"d\",\"e\":18446744073709551616,\"f\":{}}";
    static const pf_json_style style = {.one_line = true, .item_separator = ",", .key_separator = ":"};
    pf_document *d;
    pf_findings *f = pf_findings_new(NULL);
    char *out;
    size_t len;
    cr_assert_eq(pf_json_parse(PF_STR(text), NULL, &d, NULL), PF_OK);
    const pf_node *copy = pf_node_copy(f, NULL, (pf_str){NULL, 0}, pf_document_root(d));
    pf_document_free(d);
    cr_assert_eq(pf_format_json_styled(copy, &style, &out, &len, NULL), PF_OK);
    cr_assert_str_eq(out, text);
    free(out);
    pf_findings_free(f);
}

static bool is_taken(const char *text)
{
    pf_document *d = NULL;
    bool taken = pf_json_parse(text_of(text), NULL, &d, NULL) == PF_OK;
    pf_document_free(d);
    return taken;
}

/* The grammar of RFC 8259, form by form. */
Test(json_parse, forms_of_numbers_and_escapes)
{
    static const char *const GOOD[] = {"0",        "-0",          "10",          "-19",         "0.0",     "-0.5",
                                       "1.05",     "1e5",         "1E5",         "1e+05",       "1e-5",    "0e0",
                                       "-1.5E-10", "[0,1]",       "[0]",         "\"\"",        "\"/\"",   "\"\\/\"",
                                       "\"\\b\"",  "\"\\f\"",     "\"\\n\"",     "\"\\r\"",     "\"\\t\"", "\"\\\\\"",
                                       "\"\\\"\"", "\"\\u0000\"", "\"\\u9aFf\"", "\"\\uABCD\"", "\" \"",   "\"\x7f\""};
    static const char *const BAD[] = {
        "-",           "--1",         "+1",          "01",          "-01",         "00",          "1.",
        ".5",          "-.5",         "1.e5",        "1e",          "1e+",         "1e-",         "1e+-5",
        "1.5e",        "0x1",         "1_0",         "1a",          "1 2",         "- 1",         "Infinity",
        "tru",         "truee",       "nul",         "True",        "\"",          "\"a",         "\"\\",
        "\"\\\"",      "\"\\x\"",     "\"\\a\"",     "\"\\0\"",     "\"\\u\"",     "\"\\u1\"",    "\"\\u123\"",
        "\"\\u123",    "\"\\u12g4\"", "\"\\u/000\"", "\"\\u:000\"", "\"\\u@000\"", "\"\\uG000\"", "\"\\u`000\"",
        "\"\\ug000\"", "\"\\u000/\"", "\"\\u000:\"", "\"\\u000`\"", "\"\\U0000\"", "\"\x1f\"",    "\"\n\"",
        "'a'",         "[1",          "[,1]",        "{1:2}",       "{\"a\"}",     "{\"a\":}",    "{\"a\" 1}",
        "{\"a\":1,}"};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        cr_expect(is_taken(GOOD[i]), "%s", GOOD[i]);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        cr_expect_not(is_taken(BAD[i]), "%s", BAD[i]);
    }
}
