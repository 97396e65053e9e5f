/* Items of probe definitions: what each line of TOML says, and what is wrong with it where. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/neutrino/neutrino_reading.h"

/* Puts a text at the end of another. */
static void put(char *out, size_t room, const char *before, pf_str s)
{
    size_t len = strlen(out);
    snprintf(out + len, room - len, "%s%.*s", before, (int)s.len, s.ptr);
}

/* "LINE KIND path|path = text,text (count);" for each item, then what is wrong. */
static void show(pf_str text, char *out, size_t room)
{
    static const char *const kinds[] = {"end", "table", "text", "integer", "list", "other"};
    pf_budget budget;
    pf_arena arena;
    pf_budget_init(&budget, NULL);
    pf_arena_init(&arena, &budget);
    pf_toml t = {.at = text.ptr, .end = text.ptr + text.len, .line = 1, .arena = &arena};
    *out = 0;
    for (;;) {
        pf_toml_item item;
        const char *fault = pf_toml_next(&t, &item);
        size_t len = strlen(out);
        if (fault || item.kind == PF_TOML_END) {
            if (fault) {
                snprintf(out + len, room - len, "%u: %s", t.line, fault);
            }
            break;
        }
        snprintf(out + len, room - len, "%u %s ", item.line, kinds[item.kind]);
        for (unsigned i = 0; i < item.path_count; i++) {
            put(out, room, i ? "|" : "", item.path[i]);
        }
        for (unsigned i = 0; item.kind != PF_TOML_OTHER && i < item.text_count && i < PF_TOML_LIST_MAX; i++) {
            put(out, room, i ? "," : "=", item.text[i]);
        }
        len = strlen(out);
        if (item.kind == PF_TOML_INTEGER) {
            snprintf(out + len, room - len, "=%lld", (long long)item.number);
        } else if (item.kind == PF_TOML_LIST) {
            snprintf(out + len, room - len, " (%u)", item.text_count);
        }
        strncat(out, "; ", room - strlen(out) - 1);
    }
    pf_arena_free(&arena);
}

typedef struct toml_case {
    const char *text, *shown;
} toml_case;

static void check(const toml_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char out[1024];
        /* A copy of the exact length: what reads beyond the end is found by the sanitizer. */
        size_t len = strlen(cases[i].text);
        char *copy = malloc(len + !len);
        cr_assert_not_null(copy);
        memcpy(copy, cases[i].text, len);
        show((pf_str){copy, len}, out, sizeof out);
        cr_expect_str_eq(out, cases[i].shown, "%s: %s, not %s", cases[i].text, out, cases[i].shown);
        free(copy);
    }
}

Test(toml, items)
{
    static const toml_case cases[] = {
        {"", ""},
        {"\n \t\r\n# nothing", ""},
        {"a = 1", "1 integer a=1; "},
        {"a=-5 # why\r\n\n\tb\t=\t'x'#c", "1 integer a=-5; 3 text b=x; "},
        {"a = 7 \t\r\nb = 8\t", "1 integer a=7; 2 integer b=8; "},
        {"a = true\nb = 1.5\nc = 1979-05-27 07:32", "1 other a; 2 other b; 3 other c; "},
        {"[a]\n[a.b . \"c d\" .'e']\n[[f.g]] # h\n[ i ]", "1 table a; 2 table a|b|c d|e; 3 table f|g; 4 table i; "},
        {"a.b = 3\n\"c d\" . e = 4\n1 = 2", "1 integer a|b=3; 2 integer c d|e=4; 3 integer 1=2; "},
        {"a.b.c.d.e.f.g.h = 1", "1 integer a|b|c|d|e|f|g|h=1; "},
        {"Az-09_aZ = 1", "1 integer Az-09_aZ=1; "},
        {"k = [\"a\", 'b']\nl = []\nm=['a','b','c','d']", "1 list k=a,b (2); 2 list l (0); 3 list m=a,b,c,d (4); "},
        {"k = [\"a\", ['b', \"c\"], {x = \"d\"}, 'e', \"f\", \"g\", \"h\"]", "1 list k=a,e,f,g (5); "},
        {"k = {a = \"b\", c = [\"d\"]}\nj = 2", "1 other k; 2 integer j=2; "},
        {"k = [ # \"not\"\n \"x\", # ]\n\n 'y' ]\nz = 1", "1 list k=x,y (2); 5 integer z=1; "},
    };
    check(cases, sizeof cases / sizeof *cases);
}

Test(toml, strings)
{
    static const toml_case cases[] = {
        {"a = \"\"\nb = ''\nc = \"\"\"\"\"\"\nd = ''''''", "1 text a=; 2 text b=; 3 text c=; 4 text d=; "},
        {"a = \"x # y\" # z", "1 text a=x # y; "},
        {"a = \"\\n\\t\\r\\b\\f\\\"\\\\\\q\"", "1 text a=\n\t\r\b\f\"\\q; "},
        {"a = \"\\u0041 \\U00000041 \\n\"", "1 text a=\\u0041 \\U00000041 \n; "},
        {"a = 'b\\'\nc = 1", "1 text a=b\\; 2 integer c=1; "},
        {"a = \"'\"\nb = '\"'", "1 text a='; 2 text b=\"; "},
        {"a = \"\"\"x\"y\"\"z\"\"\"\nb = '''x'y''z'''", "1 text a=x\"y\"\"z; 2 text b=x'y''z; "},
        {"a = \"\"\"x\ny\n\"\"\"\nb = '''\n'''\nc = 1", "1 text a=x\ny\n; 4 text b=\n; 6 integer c=1; "},
        {"a = \"x\\\ny\"\nb = 1", "1 text a=x\ny; 3 integer b=1; "},
    };
    check(cases, sizeof cases / sizeof *cases);
}

Test(toml, faults)
{
    static const toml_case cases[] = {
        {"= 1", "1: a name is missing"},
        {"\n[]", "2: a name is missing"},
        {"[a.]", "1: a name is missing"},
        {"\"\" = 1", "1: a name is missing"},
        {"a.b.c.d.e.f.g.h.i = 1", "1: a name has too many parts"},
        {"a", "1: an equals sign is missing"},
        {"a 1", "1: an equals sign is missing"},
        {"a/b = 1", "1: an equals sign is missing"},
        {"a:b = 1", "1: an equals sign is missing"},
        {"a@b = 1", "1: an equals sign is missing"},
        {"a[b = 1", "1: an equals sign is missing"},
        {"a`b = 1", "1: an equals sign is missing"},
        {"a{b = 1", "1: an equals sign is missing"},
        {"[a", "1: a table's name is not closed"},
        {"[[a]", "1: a table's name is not closed"},
        {"[[a] ]", "1: a table's name is not closed"},
        {"[a b]", "1: a table's name is not closed"},
        {"[\"a]", "1: a string is not closed"},
        {"a = \"x", "1: a string is not closed"},
        {"a = \"x\ny\"", "1: a string is not closed"},
        {"a = \"x\\", "1: a string is not closed"},
        {"a = \"x\\\"", "1: a string is not closed"},
        {"a = \"\"\"x\n\"\"", "2: a string is not closed"},
        {"a = '''x\n\n''", "3: a string is not closed"},
        {"a = [1", "1: a list is not closed"},
        {"a = [1, # ]\n", "2: a list is not closed"},
        {"a = [[1]", "1: a list is not closed"},
        {"a = {x = 1", "1: a list is not closed"},
        {"a = [\n\"x", "2: a string is not closed"},
        {"a = \"x\" y", "1: something follows the value"},
        {"[a] b", "1: something follows the value"},
        {"[a]] # b", "1: something follows the value"},
        {"a = [1] ]", "1: something follows the value"},
        {"a = 5 ]", "1: something follows the value"},
        {"a = 5 }", "1: something follows the value"},
        {"a = 5, 6", "1: something follows the value"},
    };
    check(cases, sizeof cases / sizeof *cases);
}
