/* Which parts of a threshold become columns, and the queries made of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/thresholds/thresholds.h"

typedef struct split {
    pf_buffer plain, explained;
    pf_cli_operands operands;
} split;

static split split_of(const char *text)
{
    split s = {0};
    pf_cli_threshold_sql((pf_str){text, strlen(text)}, &s.plain, &s.explained, &s.operands);
    return s;
}

static void release(split *s)
{
    pf_buffer_free(&s->plain);
    pf_buffer_free(&s->explained);
}

/* Condition by condition: its operands, with a | after each. */
static void check_operands(const char *const rows[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        split s = split_of(rows[i][0]);
        pf_buffer found = {0};
        for (size_t k = 0; k < s.operands.count; k++) {
            pf_buffer_put(&found, s.operands.text[k].ptr, s.operands.text[k].len);
            pf_buffer_text(&found, "|");
        }
        pf_buffer_put(&found, "", 1);
        cr_expect_str_eq(found.data, rows[i][1], "%s: %s, not %s", rows[i][0], found.data, rows[i][1]);
        pf_buffer_free(&found);
        release(&s);
    }
}
#define OPERANDS(...)                                                                                                  \
    static const char *const rows[][2] = {__VA_ARGS__};                                                                \
    check_operands(rows, sizeof rows / sizeof *rows)

Test(threshold_sql, both_sides_of_a_comparison)
{
    OPERANDS({"a < b", "a|b|"}, {"a>b", "a|b|"}, {"a <= b", "a|b|"}, {"a>=b", "a|b|"}, {"a = b", "a|b|"},
             {"a == b", "a|b|"}, {"a <> b", "a|b|"}, {"a!=b", "a|b|"}, {"a << 2 > b", "a << 2|b|"},
             {"a >> b", "a >> b|"}, {"a << b", "a << b|"}, {"a -> '$.x' > b", "a -> '$.x'|b|"},
             {"a ->> '$.x' = 'y'", "a ->> '$.x'|"}, {"a + b", "a + b|"}, {"max(a, b > 2) > c", "max(a, b > 2)|c|"},
             {"\"a > b\" > c", "\"a > b\"|c|"}, {"a > b -- high", "a|b -- high|"}, {" a\t>\r\n b ", "a|b|"});
}

Test(threshold_sql, literals_are_left_out)
{
    OPERANDS({"a > 5", "a|"}, {"a > -5", "a|"}, {"+5 < a", "a|"}, {"a > .5", "a|"}, {"a > 1.5e-3", "a|"},
             {"a > 1E+9", "a|"}, {"a = 'x'", "a|"}, {"a <> null", "a|"}, {"TRUE = a", "a|"}, {"a = false", "a|"},
             {"a > 5 -- high", "a|"}, {"0", ""}, {"9", ""}, {"'x'", ""}, {"null", ""}, {"1 + 2 > a", "a|"},
             {"1 * a > 2", "1 * a|"}, {"- a > 3", "- a|"}, {"'x' || a = 'y'", "'x' || a|"}, {"nulls = 1", "nulls|"},
             {"a > ", "a|"});
}

Test(threshold_sql, operators_that_are_words)
{
    OPERANDS({"a is null", "a|"}, {"a in (1, 2)", "a|"}, {"a like 'x'", "a|"}, {"a GLOB 'x'", "a|"},
             {"a regexp 'x'", "a|"}, {"a match 'x'", "a|"}, {"a not in (1)", "a|"}, {"a isnull", "a|"},
             {"a notnull", "a|"}, {"a between b and c", "a|"}, {"null is a", ""}, {"glob('x', a)", "glob('x', a)|"},
             {"like('x', a) > b", "like('x', a)|b|"}, {"(a is b) > c", "(a is b)|c|"}, {"\"is\" > 1", "\"is\"|"},
             {"case when a > 1 then b end > 3", "case when a > 1 then b end > 3|"},
             {"a > case when b > 1 and c then d end", "a|case when b > 1 and c then d end|"});
}

Test(threshold_sql, parts_at_and_and_or)
{
    OPERANDS({"a and b > 2 or not c < d", "a|b|c|d|"}, {"((a > 1))", "a|"}, {"(a > 1) and (b > 2)", "a|b|"},
             {"not (a > 1 and not (b))", "a|b|"}, {"(a) + (b)", "(a) + (b)|"}, {"a between 1 and 5 and b > 3", "a|b|"},
             {"a between 1 and 5 or b", "a|b|"}, {"a between (b and c) and 5 and d", "a|d|"},
             {"max(a and b)", "max(a and b)|"}, {"(select max(x and y) from t) > 1", "(select max(x and y) from t)|"},
             {"(select x > 1)", "(select x > 1)|"},
             {"(with t as (select 1) select x > 1 from t)", "(with t as (select 1) select x > 1 from t)|"},
             {"(values (1))", "(values (1))|"}, {"\"and\" or b", "\"and\"|b|"}, {"(a or b", "(a or b|"});
}

Test(threshold_sql, the_first_column_of_a_query)
{
    OPERANDS({"select a > 5 from t", "a|"}, {"select a > 5 as high, b from t where c > 2", "a|"},
             {"SELECT DISTINCT a > b FROM t", "a|b|"}, {"select all a > b from t", "a|b|"},
             {"select a is distinct from b from t", "a|"}, {"select a where c", "a|"}, {"select a group by c", "a|"},
             {"select a having c", "a|"}, {"select a window w as ()", "a|"}, {"select a order by c", "a|"},
             {"select a limit 1", "a|"}, {"select a union select c", "a|"}, {"select a intersect select c", "a|"},
             {"select a except select c", "a|"}, {"select max(a, b) as m, c", "max(a, b)|"},
             {"select cast(a as int) > b", "cast(a as int)|b|"}, {"select a > b", "a|b|"},
             {"with s as (select c > 1 x), r as (select 2) select x > y from s", "x|y|"}, {"values (a > b)", ""},
             {"create perfetto table t as select a > b", ""}, {"include perfetto module m", ""},
             {"select a > b; select c", ""});
}

Test(threshold_sql, queries_that_are_run)
{
    static const char *const rows[][3] = {
        {"a > b ;; ", "SELECT (a > b\n)", "SELECT (a > b\n), (a\n), (b\n)"},
        {"select a > 5 as high, b from t;", "select a > 5 as high, b from t", "select a > 5 as high, (a\n) , b from t"},
        {" with s as (select 1) select x from s", " with s as (select 1) select x from s",
         " with s as (select 1) select x , (x\n) from s"},
        {"values (1)", "values (1)", NULL},
        {"select 1; select 2", "select 1; select 2", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        split s = split_of(rows[i][0]);
        cr_expect_str_eq(s.plain.data, rows[i][1], "%s: %s", rows[i][0], s.plain.data);
        cr_expect_eq(s.plain.len, strlen(rows[i][1]) + 1);
        if (rows[i][2]) {
            cr_expect_str_eq(s.explained.data, rows[i][2], "%s: %s", rows[i][0], s.explained.data);
            cr_expect_eq(s.explained.len, strlen(rows[i][2]) + 1);
        } else {
            cr_expect_eq(s.explained.len, 0, "%s", rows[i][0]);
        }
        release(&s);
    }
}

/* More operands than there is room for: the first ones. More parts: what is left is one operand. */
Test(threshold_sql, limits)
{
    split s =
        split_of("a and b and c and d and e and f and g and h and i and j and k and l and m and n and o and p and q");
    cr_assert_eq(s.operands.count, PF_CLI_OPERANDS_MAX);
    cr_expect(memcmp(s.operands.text[0].ptr, "a", s.operands.text[0].len) == 0);
    cr_expect_eq(s.operands.text[PF_CLI_OPERANDS_MAX - 1].ptr[0], 'a' + PF_CLI_OPERANDS_MAX - 1);
    release(&s);
}
