/* REGEXP, against expectations by hand. The matcher is PCRE2's; what is tested is how we call it: where patterns match,
 * what bytes that are no UTF-8 do, and that no pattern runs away. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "query/functions/regexp.h"

/* 1 found, 0 not found, -1 refused. */
static int find(const char *pattern, const char *text)
{
    char problem[PF_REGEXP_PROBLEM] = "";
    pf_regexp *re = pf_regexp_new((pf_str){pattern, strlen(pattern)}, false, problem);
    int found = re ? pf_regexp_find(re, (pf_str){text, strlen(text)}, 0, problem) : -1;
    cr_expect_eq(found < 0, problem[0] != '\0');
    pf_regexp_free(re);
    return found;
}

typedef struct row {
    const char *pattern, *text;
    int expected;
} row;

static void expect_all(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(find(rows[i].pattern, rows[i].text), rows[i].expected, "/%s/ in \"%s\"", rows[i].pattern,
                     rows[i].text);
    }
}

#define EXPECT_ALL(...)                                                                                                \
    do {                                                                                                               \
        static const row rows[] = {__VA_ARGS__};                                                                       \
        expect_all(rows, sizeof rows / sizeof *rows);                                                                  \
    } while (0)

Test(regexp, places)
{
    EXPECT_ALL({"", "", 1}, {"", "abc", 1}, {"b", "abc", 1}, {"d", "abc", 0}, {"^b", "abc", 0}, {"^ab", "abc", 1},
               {"bc$", "abc", 1}, {"b$", "abc", 0}, {"^$", "", 1}, {"^$", "a", 0}, {"\\Aa\\z", "a", 1},
               {"\\bcat\\b", "a cat sat", 1}, {"\\bcat\\b", "concat", 0}, {"\\Bcat", "concat", 1}, {"a^b", "a^b", 0});
}

Test(regexp, repetition)
{
    EXPECT_ALL({"^a*$", "", 1}, {"^a*$", "aaa", 1}, {"^a*$", "aab", 0}, {"^a+$", "", 0}, {"^a+$", "aa", 1},
               {"^a?$", "a", 1}, {"^a?$", "aa", 0}, {"^a{2}$", "aa", 1}, {"^a{2}$", "aaa", 0}, {"^a{2,}$", "a", 0},
               {"^a{2,}$", "aaaa", 1}, {"^a{1,3}$", "aaa", 1}, {"^a{1,3}$", "aaaa", 0}, {"^a{0}b$", "b", 1},
               {"^a{0,2}b$", "aab", 1}, {"^a{0,2}b$", "aaab", 0}, {"^(ab){2}$", "abab", 1}, {"^(ab){2}$", "ab", 0},
               {"^a+?$", "", 0}, {"^a*?b$", "aab", 1}, {"^a{2}?$", "aa", 1}, {"^(a*)*$", "aaa", 1}, {"a{x", "a{x", 1},
               {"a{,2}", "a{,2}", 1}, {"^a{1,}b$", "ab", 1}, {"^(a|b){3}$", "aba", 1});
}

Test(regexp, alternatives_and_groups)
{
    EXPECT_ALL({"^(a|bc)d$", "bcd", 1}, {"^(a|bc)d$", "abcd", 0}, {"a|b|c", "xxc", 1}, {"^(|a)b$", "b", 1},
               {"^(?:ab|cd)+$", "abcd", 1}, {"^(?:ab|cd)+$", "abc", 0}, {"^a|b$", "ax", 1}, {"^a|b$", "xb", 1},
               {"^a|b$", "xx", 0}, {"()", "", 1}, {"((((a))))", "a", 1}, {"a|", "x", 1});
}

Test(regexp, classes)
{
    EXPECT_ALL({"^[abc]$", "b", 1}, {"^[^abc]$", "b", 0}, {"^[^abc]$", "d", 1}, {"^[a-c]$", "c", 1}, {"[a-]", "-", 1},
               {"[]a]", "]", 1}, {"[^]a]", "]", 0}, {"^\\d+$", "0189", 1}, {"\\d", "x", 0}, {"^\\D$", "x", 1},
               {"^\\w+$", "aZ_9", 1}, {"\\w", " ,.", 0}, {"^\\W$", "\xc3\xa4", 1}, {"^\\s+$", " \t\n", 1},
               {"^[\\d_]+$", "1_2", 1}, {"^[^\\d]$", "5", 0}, {"^[[:alpha:]]+$", "aZ", 1}, {"[[:alpha:]]", "5", 0},
               {"^[[:^digit:]x]$", "5", 0},
               {"b",
                "\xff\xfe"
                "b",
                1},
               {"^.$", "\xc3\xa4", 1}, {"^.$", "\n", 0}, {"(?s)^.$", "\n", 1}, {"^[\xc3\xa4-\xc3\xbc]$", "\xc3\xb6", 1},
               {"a\\.b", "a.b", 1}, {"a\\.b", "axb", 0}, {"\\t", "\t", 1}, {"[\\n]", "\n", 1}, {"[.]", "x", 0});
}

Test(regexp, without_case)
{
    EXPECT_ALL({"(?i)abc", "xABCx", 1}, {"(?i)^[a-c]+$", "AbC", 1}, {"(?i)^[^a]$", "A", 0}, {"(?i)1Z", "1z", 1},
               {"abc", "ABC", 0}, {"(?is)^A.B$", "a\nb", 1});
}

Test(regexp, refused)
{
    EXPECT_ALL({"(", "", -1}, {")", "", -1}, {"(a", "", -1}, {"a)", "", -1}, {"*", "", -1}, {"a|*", "", -1},
               {"[a", "", -1}, {"[", "", -1}, {"[b-a]", "", -1}, {"a\\", "", -1}, {"a{2,1}", "", -1},
               {"[[:nope:]]", "", -1}, {"((a{500}){500}){500}", "", -1});
}

/* Patterns that take exponential time are given up, with an error. */
Test(regexp, nothing_runs_away, .timeout = 20)
{
    cr_expect_eq(find("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), -1);
    cr_expect_eq(find("^(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), -1);
}

Test(regexp, deep_groups_are_refused_not_followed)
{
    char pattern[18001];
    memset(pattern, '(', 9000);
    memset(pattern + 9000, ')', 9000);
    pattern[18000] = '\0';
    cr_expect_eq(find(pattern, "x"), -1);
}

static void expect_problem(const char *pattern, const char *text)
{
    char problem[PF_REGEXP_PROBLEM] = "";
    cr_expect_null(pf_regexp_new((pf_str){pattern, strlen(pattern)}, false, problem));
    cr_expect(strstr(problem, text), "%s", problem);
}

/* The limits are those that `pcre2test -C` shows for Debian's library. */
Test(regexp, limits_of_patterns_are_named)
{
    char *large = malloc(70001);
    cr_assert_not_null(large);
    memset(large, 'a', 70000);
    large[70000] = 0;
    expect_problem(large, "larger than 64 KiB when compiled");
    memset(large, '(', 300);
    memset(large + 300, ')', 300);
    large[600] = 0;
    expect_problem(large, "more than 250 brackets");
    expect_problem("a{65536}", "larger than 65535");
    free(large);
}
