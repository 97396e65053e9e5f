/* YAML to nodes. What scalars mean is the YAML 1.1 of PyYAML's safe loader. */
#include "support.h"

static void same(const char *text, const char *expected)
{
    expect_json(pf_yaml_parse, text_of(text), expected);
}

Test(yaml_parse, collections)
{
    same("", "null");
    same("# nothing\n", "null");
    same("a: 1\nb:\n  - x\n  - [y, {z: 2}]\nc: {}\n", "{\"a\":1,\"b\":[\"x\",[\"y\",{\"z\":2}]],\"c\":{}}");
    same("- - 1\n  - 2\n-\n", "[[1,2],null]");
    same("'quoted: key': \"a\\tb\"\n", "{\"quoted: key\":\"a\\tb\"}");
    same("text: |\n  one\n  two\nfold: >\n  one\n  two\n", "{\"text\":\"one\\ntwo\\n\",\"fold\":\"one two\\n\"}");
    same("\xef\xbb\xbf"
         "a: b\r\nc: d\r\n",
         "{\"a\":\"b\",\"c\":\"d\"}");
}

Test(yaml_parse, scalars_of_yaml_1_1)
{
    same("[yes, No, ON, off, True, FALSE, y, n]", "[true,false,true,false,true,false,\"y\",\"n\"]");
    same("[~, null, Null, NULL, nUll, '', \"null\"]", "[null,null,null,null,\"nUll\",\"\",\"null\"]");
    same("[12, -3, +4, 1_000, 0, 0o7, 010, 0x1F, 0b101, 1:30, 1:30:15, 08, 1:60]",
         "[12,-3,4,1000,0,\"0o7\",8,31,5,90,5415,\"08\",\"1:60\"]");
    same("[1.5, .5, 1., -1.5e+3, 1.5e3, 1e5, 1_0.5, .inf, -.INF, .nan, ., 1.2.3]",
         "[1.5,0.5,1.0,-1500.0,\"1.5e3\",\"1e5\",10.5,Infinity,-Infinity,NaN,\".\",\"1.2.3\"]");
    same("[9223372036854775807, 9223372036854775808, 123456789012345678901]",
         "[9223372036854775807,9223372036854775808,123456789012345678901]");
    same("[!!str 12, !!int '7', !!float 3, !!bool 'yes', 'no']", "[\"12\",7,3.0,true,\"no\"]");
    same("2026-11-22", "\"2026-11-22\"");
    same("no: yes\n1: 2\n", "{\"no\":true,\"1\":2}");
}

Test(yaml_parse, anchors_aliases_and_merges)
{
    same("a: &x [1, 2]\nb: *x\nc: *x\n", "{\"a\":[1,2],\"b\":[1,2],\"c\":[1,2]}");
    same("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
    same("base: &b {p: 1, q: 2}\nd:\n  <<: *b\n  q: 3\n  r: 4\n",
         "{\"base\":{\"p\":1,\"q\":2},\"d\":{\"p\":1,\"q\":3,\"r\":4}}");
    same("- &a {x: 1}\n- &b {x: 2, y: 3}\n- {<<: [*a, *b]}\n", "[{\"x\":1},{\"x\":2,\"y\":3},{\"x\":1,\"y\":3}]");
}

Test(yaml_parse, errors_have_a_place)
{
    expect_refused(pf_yaml_parse, PF_STR("a: b\n  c: [\n"), 8, "line 2, column 4");
    expect_refused(pf_yaml_parse, PF_STR("a: &x [1, *x]\n"), 10, "inside its own anchor");
    expect_refused(pf_yaml_parse, PF_STR("a: *x\n"), 3, "no anchor of this name");
    expect_refused(pf_yaml_parse, PF_STR("a: 1\n---\nb: 2\n"), 5, "a second document");
    expect_refused(pf_yaml_parse, PF_STR("? [1]\n: 2\n"), 2, "a key is a text");
    expect_refused(pf_yaml_parse, PF_STR("a: !other 1\n"), 3, "the tag is not known");
    expect_refused(pf_yaml_parse, PF_STR("a: !!int x\n"), 3, "none of its tag");
    expect_refused(pf_yaml_parse, PF_STR("a: {<<: 3}\n"), 8, "a merge key takes a mapping");
    expect_refused(pf_yaml_parse, PF_STR("a: \"\xc3\xa4\" b\n"), 8, "line 1");
    expect_refused(pf_yaml_parse, PF_STR("\xc3\xa4: 1\n\xc3\xb6: *x\n"), 10, "line 2, column 5");
    expect_refused(pf_yaml_parse,
                   PF_STR("\xef\xbb\xbf"
                          "a: *x\n"),
                   6, "no anchor");
    expect_refused(pf_yaml_parse,
                   PF_STR("\xef\xbb\xbf"
                          "a: 1\nb: *x\n"),
                   11, "no anchor");
    expect_refused(pf_yaml_parse, PF_STR("a:\n  <<: 3\n  b: 1\n  c: 2\n"), 9, "line 2, column 7");
    expect_refused(pf_yaml_parse, PF_STR("a: 1\nb: [\n"), 10, "line 3, column 1");
}

/* For libyaml a carriage return ends a line, for editors and in our messages it does not. */
Test(yaml_parse, lines_that_end_without_a_line_feed)
{
    pf_document *d;
    pf_error err = {.text = ""};
    cr_assert_eq(pf_yaml_parse(PF_STR("a: 1\rb: 2\rc: *x\r"), NULL, &d, &err), PF_ERR_INPUT);
    cr_expect_leq(err.offset, 13);
    cr_expect_not_null(strstr(err.text, "no anchor of this name"), "%s", err.text);
    same("a: 1\rb: 2\r", "{\"a\":1,\"b\":2}");
}

/* Aliases of aliases: 9^9 values out of a few lines are refused by counting, not by making them. */
Test(yaml_parse, billion_laughs)
{
    char text[2000];
    int len = snprintf(text, sizeof text, "a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (char c = 'b'; c <= 'i'; c++) {
        char p = (char)(c - 1);
        len += snprintf(text + len, sizeof text - (size_t)len, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c,
                        p, p, p, p, p, p, p, p, p);
    }
    pf_document *d;
    pf_error err;
    cr_assert_eq(pf_yaml_parse((pf_str){text, (size_t)len}, NULL, &d, &err), PF_ERR_LIMIT);
    cr_assert_not_null(strstr(err.text, "values"), "%s", err.text);
}

Test(yaml_parse, depth_is_limited)
{
    char text[4000];
    memset(text, '[', sizeof text);
    pf_document *d;
    pf_error err;
    cr_assert_eq(pf_yaml_parse((pf_str){text, sizeof text}, NULL, &d, &err), PF_ERR_LIMIT);
}

Test(yaml_parse, lines_and_columns_of_nodes)
{
    pf_document *d;
    cr_assert_eq(pf_yaml_parse(PF_STR("a: 1\nb:\n  c: x\n"), NULL, &d, NULL), PF_OK);
    const pf_node *c = pf_node_get(pf_node_get(pf_document_root(d), "b"), "c");
    cr_assert_eq(c->line, 3);
    cr_assert_eq(c->column, 6);
    pf_document_free(d);
}
