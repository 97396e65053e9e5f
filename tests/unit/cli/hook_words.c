/* Lists of words and lines cut into them, children of the hook, and members of what they print. The command is no
 * library, so its sources are included. */
#include "cli/hook/child.c"
#include "cli/hook/hook_report.c"

#include <criterion/criterion.h>
#include <stdio.h>

/* A line and its words, each with a | after it; NULL where a quote is open. */
Test(hook_words, lines)
{
    static const char *const rows[][2] = {
        {"", ""},
        {" \t\n ", ""},
        {"a", "a|"},
        {" a\tb\nc ", "a|b|c|"},
        {"'a b' \"c d\"", "a b|c d|"},
        {"a'b c'd", "ab cd|"},
        {"'' \"\"", "||"},
        {"\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d|"},
        {"'a\\b'", "a\\b|"},
        {"a\\ b \\'c \\\\", "a b|'c|\\|"},
        {"'a\"b' \"c'd\"", "a\"b|c'd|"},
        {"a\\", "a\\|"},
        {"'a", NULL},
        {"a b \"c", NULL},
        {"\"a\\\"", NULL},
        {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_hook_words words = {0};
        pf_buffer found = {0};
        pf_hook_words_add(&words, "before");
        cr_expect_eq(pf_hook_words_split(&words, rows[i][0]), rows[i][1] != NULL, "%s", rows[i][0]);
        cr_expect_not(words.failed);
        cr_expect_null(words.word[words.count]);
        for (size_t k = 1; k < words.count; k++) {
            pf_buffer_format(&found, "%s|", words.word[k]);
        }
        pf_buffer_put(&found, "", 1);
        cr_expect_str_eq(found.data, rows[i][1] ? rows[i][1] : "", "%s: %s", rows[i][0], found.data);
        pf_buffer_free(&found);
        pf_hook_words_free(&words);
    }
}

Test(hook_words, lists)
{
    pf_hook_words some = {0}, all = {0};
    for (int i = 0; i < 40; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", i);
        pf_hook_words_add(&some, text);
    }
    pf_hook_words_add(&all, "first");
    pf_hook_words_add_all(&all, &some);
    cr_assert_eq(all.count, 41);
    cr_assert_str_eq(all.word[0], "first");
    cr_assert_str_eq(all.word[1], "0");
    cr_assert_str_eq(all.word[40], "39");
    cr_assert_null(all.word[41]);
    some.failed = true;
    pf_hook_words_add(&some, "dropped");
    cr_assert_eq(some.count, 40);
    pf_hook_words_add_all(&all, &some);
    cr_assert(all.failed);
    pf_hook_words_free(&some);
    pf_hook_words_free(&all);
    cr_assert_eq(all.count, 0);
    cr_assert_not(all.failed);
}

static void expect_member(const char *json, size_t indent, const char *key, const char *wanted)
{
    pf_str found = pf_hook_member(json, indent, key);
    cr_expect_eq(found.ptr == NULL, wanted == NULL, "%s", key);
    if (wanted) {
        cr_expect(found.len == strlen(wanted) && memcmp(found.ptr, wanted, found.len) == 0, "%s: %.*s", key,
                  (int)found.len, found.ptr);
    }
}

Test(hook_words, members_of_a_document)
{
    static const char json[] = "{\n  \"a\": 1,\n  \"ab\": \"x, y\",\n  \"list\": [\n    \"b\": 2\n  ],\n  \"empty\": "
                               "\n  \"last\": true\n}\n";
    expect_member(json, 2, "a", "1");
    expect_member(json, 2, "ab", "\"x, y\"");
    expect_member(json, 2, "list", "[");
    expect_member(json, 4, "b", "2");
    expect_member(json, 2, "b", NULL);
    expect_member(json, 4, "a", NULL);
    expect_member(json, 2, "empty", "");
    expect_member(json, 2, "last", "true");
    expect_member(json, 2, "tru", NULL);
    expect_member("\"a\": 1", 0, "a", "1");
}
