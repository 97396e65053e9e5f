/* Literals as Python writes them: the answers are those of ast.literal_eval of Python 3.11, a name and a number for
 * each pair; NULL where it refuses the text, or where what it gives is no list of pairs. */
#include "analyze/opcmp/opcmp.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const cases[][2] = {
    {"[('a', 1)]", "a=1;"},
    {"[('a', 1.5), ('b', -2)]", "a=1.5;b=-2;"},
    {"[['a', 1], ('b', 2),]", "a=1;b=2;"},
    {" \t[('a', 1)]", "a=1;"},
    {"[('a', 1)]  # end", "a=1;"},
    {"# first\n\n[('a', 1)]\n", "a=1;"},
    {"[('a', 1), # why\n ('b',\n  2)]", "a=1;b=2;"},
    {"[]", NULL},
    {"['a', 1]", NULL},
    {"[('a',)]", NULL},
    {"[('a', 1, 2)]", NULL},
    {"[(1, 'a')]", NULL},
    {"[('a', 'b')]", NULL},
    {"[('a', None)]", NULL},
    {"[('a', True), ('b', False)]", "a=1;b=0;"},
    {"[('a', 1), 'b']", NULL},
    {"[('a', 1), []]", NULL},
    {"(('a', 1),)", NULL},
    {"{'a': 1}", NULL},
    {"('a', 1)", NULL},
    {"[{'a', 1}]", NULL},
    {"[{'a': 1}]", NULL},
    {"[('a', {'b': 2, 3: 'c'})]", NULL},
    {"[('a', 1), {}]", NULL},
    {"[('a' 'b', 1)]", "ab=1;"},
    {"[('a' \"b\"\n'c', 1)]", "abc=1;"},
    {"[(b'a', 1)]", NULL},
    {"[('a' b'b', 1)]", NULL},
    {"[(b'a' 'b', 1)]", NULL},
    {"[('a', (1))]", "a=1;"},
    {"[('a', (1,))]", NULL},
    {"[(('a'), 1)]", "a=1;"},
    {"[(('a', 1))]", "a=1;"},
    {"[((('a', 1)),)]", NULL},
    {"[('a', 1)", NULL},
    {"[('a', 1))", NULL},
    {"[('a' 1)]", NULL},
    {"[('a',, 1)]", NULL},
    {"[,]", NULL},
    {"[(,)]", NULL},
    {"[('a', 1) ('b', 2)]", NULL},
    {"[('a', 1)]]", NULL},
    {"[('a', 1)] x", NULL},
    {"[('a', +1), ('b', - 2), ('c', -.5)]", "a=1;b=-2;c=-0.5;"},
    {"[('a', --1)]", NULL},
    {"[('a', 1_000)]", "a=1000;"},
    {"[('a', 1__0)]", NULL},
    {"[('a', _1)]", NULL},
    {"[('a', 1_)]", NULL},
    {"[('a', 0x1F), ('b', 0o17), ('c', 0b101), ('d', 0XfF)]", "a=31;b=15;c=5;d=255;"},
    {"[('a', 0b2)]", NULL},
    {"[('a', 0o8)]", NULL},
    {"[('a', 0x)]", NULL},
    {"[('a', 0xg)]", NULL},
    {"[('a', 0x_f)]", "a=15;"},
    {"[('a', 007)]", NULL},
    {"[('a', 000), ('b', 0)]", "a=0;b=0;"},
    {"[('a', 1e3), ('b', 1E-2), ('c', 5.), ('d', .5e+1)]", "a=1000;b=0.01;c=5;d=5;"},
    {"[('a', 1e999)]", "a=inf;"},
    {"[('a', 1e)]", NULL},
    {"[('a', 0x1e+1)]", NULL},
    {"[('a', nan)]", NULL},
    {"[('a', inf)]", NULL},
    {"[('a', Tru)]", NULL},
    {"[('a', 1.2.3)]", NULL},
    {"[('a\\tb\\n\\\\\\'\\\"\\a\\b\\f\\r\\v', 1)]", "a\tb\n\\'\"\007\010\014\015\013=1;"},
    {"[('\\x41\\101\\60\\7', 1)]", "AA0\007=1;"},
    {"[('\\u00e4\\u20ac\\U0001F600', 1)]", "\303\244\342\202\254\360\237\230\200=1;"},
    {"[('\\x4', 1)]", NULL},
    {"[('\\u12', 1)]", NULL},
    {"[('\\U00110000', 1)]", NULL},
    {"[('a\\\nb', 1)]", "ab=1;"},
    {"[('\\q\\8', 1)]", "\\q\\8=1;"},
    {"[('a\nb', 1)]", NULL},
    {"[('''a\nb''', 1)]", "a\nb=1;"},
    {"[(\"\"\"a\"b'c\"\"\", 1)]", "a\"b'c=1;"},
    {"[('', 1)]", "=1;"},
    {"[('''''', 1)]", "=1;"},
    {"[(r'\\n\\'', 1)]", "\\n\\'=1;"},
    {"[(R\"a\\b\", 1)]", "a\\b=1;"},
    {"[(u'a', 1)]", "a=1;"},
    {"[(rb'a', 1)]", NULL},
    {"[(Bu'a', 1)]", NULL},
    {"[(rr'a', 1)]", NULL},
    {"[(ur'a', 1)]", NULL},
    {"[(uU'a', 1)]", NULL},
    {"[(U'a' R'\\n' u\"b\", 1)]", "a\\nb=1;"},
    {"[('a', r)]", NULL},
    {"[('a', 1), u", NULL},
    {"[(x'a', 1)]", NULL},
    {"[('a, 1)]", NULL},
    {"[('a', 1)\014]", "a=1;"},
    {"[('a', {1: 2, 3})]", NULL},
    {"[('a', {1, 2: 3})]", NULL},
    {"[('a', {1: 2 3: 4})]", NULL},
    {"[('a', {1:})]", NULL},
    {"[('a', {:1})]", NULL},
    {"[('a', {1: 2,})]", NULL},
    {"[('a', {1: 2: 3})]", NULL},
    {"[('a', [1:2])]", NULL},
    {"[('\303\244', 7), ('\342\202\254', 8)]", "\303\244=7;\342\202\254=8;"},
    {"[('a', 123456789012345678901234567890)]", "a=1.2345678901234568e+29;"},
    {"[('a', 1), ('a', 2)]", "a=1;a=2;"},
    {"[('\\78\\18\\777', 1)]", "\0078\0018\307\277=1;"},
    {"[('\\x7f\\x80\\u07ff\\u0800\\uffff\\U00010000\\U0010ffff', 1)]",
     "\177\302\200\337\277\340\240\200\357\277\277\360\220\200\200\364\217\277\277=1;"},
    {"[('\\xaf\\xfa\\xAF\\xFA\\x90\\x09', 1)]", "\302\257\303\272\302\257\303\272\302\220\011=1;"},
    {"[('\\x4G', 1)]", NULL},
    {"[('\\x4@', 1)]", NULL},
    {"[('\\x4`', 1)]", NULL},
    {"[('\\x4g', 1)]", NULL},
    {"[('\\x4/', 1)]", NULL},
    {"[('\\x4:', 1)]", NULL},
    {"[('\\/\\:\\9', 1)]", "\\/\\:\\9=1;"},
    {"[('a', 9), ('b', 0), ('c', 0xa), ('d', 0xA), ('e', 0x9), ('f', 0xf0)]", "a=9;b=0;c=10;d=10;e=9;f=240;"},
    {"[('a', 0xG)]", NULL},
    {"[('a', 0b1)]", "a=1;"},
    {"[('a', 0o7), ('b', 0O10), ('c', 0B11)]", "a=7;b=8;c=3;"},
    {"[('a', 1_0.5_0)]", "a=10.5;"},
    {"[('a', 1z)]", NULL},
    {"[('a', .)]", NULL},
    {"[('a', /1)]", NULL},
    {"[('a', 1/)]", NULL},
    {"[('a', 1:)]", NULL},
    {"[('a', True_)]", NULL},
    {"[('a', 9.9e9)]", "a=9900000000;"},
    {"[('a', 0_7)]", NULL},
    {"[('a', 0_0)]", "a=0;"},
    {"[('a', 1e+5), ('b', 1E-5)]", "a=100000;b=1.0000000000000001e-05;"},
    {"[('a', 0xe+1)]", NULL},
    {"[('a', 0xE-1)]", NULL},
    {"['''a''' ]", NULL},
    {"[('a''', 1)]", "a=1;"},
    {"[(''''a''', 1)]", "'a=1;"},
    {"[('''a'b''c''', 1)]", "a'b''c=1;"},
    {"[('a\\\\', 1)]", "a\\=1;"},
    {"[(r'a\\\\', 1)]", "a\\\\=1;"},
    {"[(r'\\', 1)]", NULL},
    {"[('''\\''''', 1)]", NULL},
    {"", NULL},
    {"[", NULL},
    {"x", NULL},
    {"[('a', 1 2)]", NULL},
    {"[('a', 1),,]", NULL},
    {"[('a', 0.1), ['b', 22.77]]", "a=0.10000000000000001;b=22.77;"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]",
     NULL},
    {"[('a', ((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))]",
     "a=1;"},
};

Test(python_literal, pairs_as_python_reads_them)
{
    pf_literal_pairs pairs = {.count = 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i][0], *expected = cases[i][1];
        bool wanted = pf_literal_read_pairs((pf_str){text, strlen(text)}, &pairs);
        cr_expect_eq(wanted, expected != NULL, "%s", text);
        char found[512];
        size_t len = 0;
        found[0] = '\0';
        for (size_t k = 0; wanted && k < pairs.count; k++) {
            const pf_literal_pair *p = &pairs.pair[k];
            len += (size_t)snprintf(found + len, sizeof found - len, "%.*s=%.17g;", (int)p->name_len,
                                    pairs.text.data ? pairs.text.data + p->name : "", p->value);
        }
        if (wanted && expected) {
            cr_expect_str_eq(found, expected, "%s", text);
        }
    }
    pf_literal_free(&pairs);
}

/* Many pairs in one text, and nesting as deep as Python's own parser goes. */
Test(python_literal, many_pairs_and_deep_ones)
{
    enum { PAIRS = 1000 };
    static char text[PAIRS * 20];
    pf_literal_pairs pairs = {.count = 0};
    size_t len = 1;
    text[0] = '[';
    for (int i = 0; i < PAIRS; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "('k%d', %d),", i, i);
    }
    text[len++] = ']';
    cr_assert(pf_literal_read_pairs((pf_str){text, len}, &pairs));
    cr_assert_eq(pairs.count, PAIRS);
    for (size_t i = 0; i < PAIRS; i++) {
        cr_assert_eq(pairs.pair[i].value, (double)i);
    }
    static const char start[] = "[('a', ", end[] = ")]";
    for (size_t depth = 197; depth <= 199; depth++) {
        char *at = text;
        at = (char *)memcpy(at, start, sizeof start - 1) + sizeof start - 1;
        at = (char *)memset(at, '(', depth) + depth;
        *at++ = '1';
        at = (char *)memset(at, ')', depth) + depth;
        at = (char *)memcpy(at, end, sizeof end - 1) + sizeof end - 1;
        cr_expect_eq(pf_literal_read_pairs((pf_str){text, (size_t)(at - text)}, &pairs), depth <= 198, "%zu", depth);
    }
    pf_literal_free(&pairs);
}
