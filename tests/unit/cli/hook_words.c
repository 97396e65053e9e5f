/* Lists of words and lines cut into them, children of the hook, and members of what they print. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hook/children/child.h"
#include "cli/hook/hook.h"
#include "cli/hook/hook_work.h"
#include "postfetto/document.h"

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

Test(hook_words, members_of_a_document)
{
    static const char json[] = "{\"a\": 1, \"ab\": \"x, y\", \"list\": [{\"b\": \"c\"}], \"ok\": false, \"no\": null}";
    pf_document *d;
    cr_assert_eq(pf_json_parse((pf_str){json, strlen(json)}, NULL, &d, NULL), PF_OK);
    const pf_node *root = pf_document_root(d);
    cr_expect(pf_hook_says(root, "ab", "x, y"));
    cr_expect_not(pf_hook_says(root, "ab", "x, "));
    cr_expect_not(pf_hook_says(root, "a", "1"), "no text");
    cr_expect_not(pf_hook_says(root, "no", "null"));
    cr_expect_not(pf_hook_says(root, "b", "c"), "of another object");
    cr_expect_not(pf_hook_says(NULL, "ab", "x, y"));
    cr_expect(pf_hook_is_damaged(root));
    cr_expect_not(pf_hook_is_damaged(pf_node_get(root, "list")));
    cr_expect_not(pf_hook_is_damaged(NULL));
    pf_document_free(d);
}
