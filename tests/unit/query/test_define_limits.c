/* Definitions at their limits, what a call puts into a statement, and functions whose bodies fail when they run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static pf_buffer sql;

static const char *text_of(pf_buffer *b)
{
    pf_buffer_put(b, "", 1);
    return b->data;
}

/* "BEFORE0 AFTER, BEFORE1 AFTER, ..." */
static void put_list(pf_buffer *b, unsigned count, const char *before, const char *after)
{
    for (unsigned i = 0; i < count; i++) {
        pf_buffer_format(b, "%s%s%u%s", i ? ", " : "", before, i, after);
    }
}

static void expect_error(session *s, const char *statement, const char *where, const char *text)
{
    cr_expect_str_eq(ask(s, statement), where, "%.80s: %s", statement, s->err.text);
    cr_expect(strstr(s->err.text, text), "%.80s: %s", statement, s->err.text);
}

/* The name of a column is the text of its expression: blanks and comments around arguments go, those inside stay. */
Test(define_limits, what_calls_become)
{
    static const char *const CALLS[][2] = {{"j!(1,2)", "1+2"},
                                           {"j!( 1 , 2 )", "1+2"},
                                           {"j!(1  +  1,2)", "1  +  1+2"},
                                           {"j!(max(1,2),3)", "max(1,2)+3"},
                                           {"j!(max(1,min(2,3)),(4))", "max(1,min(2,3))+(4)"},
                                           {"j!(j!(1,2),j!(3,4))", "1+2+3+4"},
                                           {"j!( j!( 1 , 2 ) , 3 )", "1+2+3"},
                                           {"j!(5,-j!(3,4)*2)", "5+-3+4*2"},
                                           {"j!(/* a */ 1 /* b */, 2 -- c\n)", "1+2"},
                                           {"9 - j ! (1, 2) - 8", "9 - 1+2 - 8"},
                                           {"j!(',',')')", "','+')'"},
                                           {"none!()", "7"},
                                           {"none!( )", "7"},
                                           {"j!(none!(),none!())", "7+7"}};
    session s = open_session();
    ask(&s, "CREATE PERFETTO MACRO j(x Expr, y Expr) RETURNS Expr AS $x+$y;"
            "CREATE PERFETTO MACRO none() RETURNS Expr AS 7");
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        char statement[96];
        snprintf(statement, sizeof statement, "SELECT %s", CALLS[i][0]);
        const char *given = ask(&s, statement);
        size_t len = strcspn(given, "\n");
        cr_expect(len == strlen(CALLS[i][1]) && memcmp(given, CALLS[i][1], len) == 0, "%s: %s", statement, given);
    }
    expect_error(&s, "SELECT j!(1,)", "error 1 7", "an argument of this macro is empty");
    expect_error(&s, "SELECT j!(,1)", "error 1 7", "an argument of this macro is empty");
    expect_error(&s, "SELECT none!(1)", "error 1 7", "0 expected, 1 given");
    expect_error(&s, "SELECT j!(1, 2", "error 1 7", "not closed");
    expect_error(&s, "SELECT 1, j!(none!(2), 3)", "error 1 13", "0 expected, 1 given");
    close_session(&s);
}

/* 127 arguments. */
Test(define_limits, arguments_of_macros)
{
    session s = open_session();
    for (unsigned count = 127; count <= 128; count++) {
        sql.len = 0;
        pf_buffer_format(&sql, "CREATE PERFETTO MACRO m%u(", count);
        put_list(&sql, count, "a", " Expr");
        pf_buffer_text(&sql, ") RETURNS Expr AS $a0+$a126");
        if (count == 127) {
            cr_expect_str_eq(ask(&s, text_of(&sql)), "");
        } else {
            expect_error(&s, text_of(&sql), "error 1 0", "CREATE PERFETTO MACRO: a macro has 127 arguments at most");
        }
    }
    static const struct {
        unsigned given;
        const char *wrong;
    } CALLS[] = {{127, NULL},
                 {126, "127 expected, 126 given"},
                 {128, "127 expected, 128 given"},
                 {129, "too many arguments of a macro"}};
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        sql.len = 0;
        pf_buffer_text(&sql, "SELECT m127!(");
        put_list(&sql, CALLS[i].given, "1", "");
        pf_buffer_text(&sql, ")");
        if (CALLS[i].wrong) {
            expect_error(&s, text_of(&sql), "error 1 7", CALLS[i].wrong);
        } else { /* the first is 10, the last 1126 */
            EXPECT_ROWS(&s, text_of(&sql), "1136\n");
        }
    }
    pf_buffer_free(&sql);
    close_session(&s);
}

/* A long name is cut in the message. */
Test(define_limits, unknown_macro_with_a_long_name)
{
    session s = open_session();
    for (unsigned length = 100; length <= 101; length++) {
        char statement[160] = "SELECT ", expected[160] = "there is no macro ";
        memset(statement + 7, 'n', length);
        strcpy(statement + 7 + length, "!(1)");
        memset(expected + 18, 'n', 100);
        expected[118] = '\0';
        expect_error(&s, statement, "error 1 7", expected);
        cr_expect_str_eq(s.err.text, expected, "%s", s.err.text);
    }
    close_session(&s);
}

/* As many arguments as SQLite takes (127), a name of 255 bytes, 2000 columns with the hidden ones of arguments. */
Test(define_limits, functions)
{
    static const char TOO_MANY[] =
        "CREATE PERFETTO FUNCTION: the name is too long, or there are too many arguments or columns";
    session s = open_session();
    for (unsigned more = 0; more < 2; more++) {
        sql.len = 0;
        pf_buffer_text(&sql, "CREATE PERFETTO FUNCTION f(");
        put_list(&sql, 127 + more, "a", " INT");
        pf_buffer_text(&sql, ") RETURNS INT AS SELECT $a0 + $a126; SELECT f(");
        put_list(&sql, 127, "1", "");
        pf_buffer_text(&sql, ")");
        if (more) {
            expect_error(&s, text_of(&sql), "error 1 25", TOO_MANY);
        } else {
            EXPECT_ROWS(&s, text_of(&sql), "1136\n");
        }
        char name[257];
        memset(name, 'n', 255 + more);
        name[255 + more] = '\0';
        sql.len = 0;
        pf_buffer_format(&sql, "CREATE PERFETTO FUNCTION %s() RETURNS INT AS SELECT 5; SELECT %s()", name, name);
        if (more) {
            expect_error(&s, text_of(&sql), "error 1 25", TOO_MANY);
        } else {
            EXPECT_ROWS(&s, text_of(&sql), "5\n");
        }
        sql.len = 0;
        pf_buffer_format(&sql, "CREATE PERFETTO FUNCTION t%u(%s) RETURNS TABLE(", more, more ? "a INT" : "");
        put_list(&sql, 2000, "c", " INT");
        pf_buffer_text(&sql, ") AS SELECT ");
        for (unsigned i = 0; i < 2000; i++) {
            pf_buffer_format(&sql, "%s%u AS c%u", i ? "," : "", i, i);
        }
        if (more) {
            expect_error(&s, text_of(&sql), "error 1 25", TOO_MANY);
        } else {
            cr_expect_str_eq(ask(&s, text_of(&sql)), "", "%s", s.err.text);
            EXPECT_ROWS(&s, "SELECT c0, c1999 FROM t0()", "0|1999\n");
        }
    }
    pf_buffer_free(&sql);
    close_session(&s);
}

/* Arguments of a table function come from anywhere in a condition, in any order, but only as equalities. */
Test(define_limits, arguments_of_table_functions)
{
    session s = open_session();
    ask(&s, "CREATE PERFETTO FUNCTION two(a INT, b INT) RETURNS TABLE(x INT) AS SELECT $a * 10 + $b AS x UNION ALL "
            "SELECT -$a");
    EXPECT_ROWS(&s, "SELECT x FROM two(1, 2)", "12\n-1\n");
    EXPECT_ROWS(&s, "SELECT x FROM two WHERE in_b = 2 AND in_a = 1", "12\n-1\n");
    EXPECT_ROWS(&s, "SELECT x FROM two WHERE x > 0 AND in_b = 2 AND x < 50 AND in_a = 3", "32\n");
    EXPECT_ROWS(&s, "SELECT x FROM two(1) WHERE in_b = 4 AND x > 0", "14\n");
    EXPECT_ROWS(&s, "SELECT s.id, x FROM two(s.id, s.dur) JOIN slice s WHERE s.id BETWEEN 1 AND 2 ORDER BY 1, 2",
                "1|-1\n1|15\n2|-2\n2|21\n");
    EXPECT_ROWS(&s, "SELECT a.x, b.x FROM two(b.x, 0) a JOIN two(1, 2) b ORDER BY 1, 2",
                "-12|12\n-10|-1\n1|-1\n120|12\n");
    EXPECT_ROWS(&s, "SELECT x, in_a, in_b FROM two(1, 2) LIMIT 1", "12|-|-\n");
    EXPECT_ROWS(&s, "SELECT rowid, x FROM two(5, 6)", "0|56\n1|-5\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM two(1, 2), two(3, 4), two(5, 6)", "8\n");
    static const char *const WITHOUT[] = {
        "SELECT x FROM two", "SELECT x FROM two(1)", "SELECT x FROM two WHERE in_b = 2",
        "SELECT x FROM two WHERE in_a > 1 AND in_b = 2", "SELECT x FROM two WHERE in_a = 1 OR in_b = 2"};
    for (size_t i = 0; i < sizeof WITHOUT / sizeof *WITHOUT; i++) {
        expect_error(&s, WITHOUT[i], "error 1 0", "no query solution");
    }
    close_session(&s);
}

/* A body that compiled once does not compile any more, and one that fails while it runs. */
Test(define_limits, bodies_that_fail_later)
{
    session s = open_session();
    ask(&s, "CREATE TABLE gone(a); CREATE PERFETTO FUNCTION f() RETURNS INT AS SELECT max(a) FROM gone;"
            "CREATE PERFETTO FUNCTION t() RETURNS TABLE(a INT) AS SELECT a FROM gone");
    EXPECT_ROWS(&s, "INSERT INTO gone VALUES (3); SELECT f(), a FROM t()", "3|3\n");
    ask(&s, "DROP TABLE gone; CREATE PERFETTO FUNCTION other() RETURNS INT AS SELECT 1");
    expect_error(&s, "SELECT f()", "error 1 0", "f: no such table: gone");
    expect_error(&s, "SELECT a FROM t()", "error 1 0", "t: no such table: gone");
    EXPECT_ROWS(&s, "CREATE TABLE gone(a); INSERT INTO gone VALUES (4); SELECT f(), a FROM t()", "4|4\n");
    ask(&s, "CREATE PERFETTO FUNCTION large(n INT) RETURNS BYTES AS SELECT zeroblob($n);"
            "CREATE PERFETTO FUNCTION rows(n INT) RETURNS TABLE(b BYTES) AS SELECT zeroblob($n) AS b");
    EXPECT_ROWS(&s, "SELECT length(large(5)), length(b) FROM rows(6)", "5|6\n");
    expect_error(&s, "SELECT length(large(400000000))", "error 4 0", "268435456 bytes");
    expect_error(&s, "SELECT length(b) FROM rows(400000000)", "error 4 0", "268435456 bytes");
    close_session(&s);
}

/* A flag ends the body of a function, too. */
Test(define_limits, cancelled_in_a_body)
{
    session s = open_session();
    volatile int flag = 0;
    ask(&s,
        "CREATE PERFETTO FUNCTION endless() RETURNS INT AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT count(*) FROM n;"
        "CREATE PERFETTO FUNCTION endless_rows() RETURNS TABLE(c INT) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM n) SELECT count(*) AS c FROM n");
    pf_query_set_cancel(s.q, &flag);
    flag = 1;
    cr_expect_str_eq(ask(&s, "SELECT endless()"), "error 7 -1");
    cr_expect_str_eq(ask(&s, "SELECT c FROM endless_rows()"), "error 7 -1");
    flag = 0;
    EXPECT_ROWS(&s, "SELECT 1", "1\n");
    close_session(&s);
}
