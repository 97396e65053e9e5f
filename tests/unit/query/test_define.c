/* CREATE PERFETTO FUNCTION and MACRO. The rules are Perfetto's; tests/conformance/definitions asks its engine the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

Test(define, functions)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1;"
                "SELECT f(3), F(null), typeof(f(3))",
                "4|-|integer\n");
    EXPECT_ROWS(&s, "SELECT sum(f(id)) FROM slice WHERE f(id) > 2", "18\n");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION f(x INT, y INT) RETURNS INT AS SELECT $x * $y;"
                "SELECT f(3), f(3, 4)",
                "4|12\n");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION named(i INT) RETURNS STRING AS SELECT name FROM slice WHERE id = $i;"
                "SELECT named(1), named(2), named(99)",
                "b|x|-\n");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION faculty(n INT) RETURNS INT AS SELECT IIF($n < 2, 1, $n * faculty($n - 1));"
                "SELECT faculty(5), faculty(20)",
                "120|2432902008176640000\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO FUNCTION twice(a INT, a INT) RETURNS INT AS SELECT $a; SELECT twice(1, 2)", "2\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO FUNCTION free(a INT) RETURNS INT AS SELECT $b; SELECT free(1)", "-\n");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION typed(a TIMESTAMP, b DURATION, c ID, d JOINID(slice.id), e ARGSETID, f BOOL,"
                " g DOUBLE, h STRING, i BYTES, j ANY) RETURNS BOOL AS SELECT true;"
                "SELECT typed(1, 2, 3, 4, 5, 1, 1.5, 's', x'00', 's'),"
                " typed(null, null, null, null, null, null, null, null, null, null)",
                "1|1\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO FUNCTION length(a INT) RETURNS INT AS SELECT 42; SELECT length(1)", "42\n");
    close_session(&s);
}

static void expect_error(session *s, const char *sql, const char *where, const char *text)
{
    cr_expect_str_eq(ask(s, sql), where, "%s", sql);
    cr_expect(strstr(s->err.text, text), "%s: %s", sql, s->err.text);
}

Test(define, functions_that_fail)
{
    session s = open_session();
    ask(&s, "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT id FROM slice WHERE id >= $x");
    expect_error(&s, "SELECT f(3)", "error 1 0", "f: the SELECT of this function returns more than one row");
    expect_error(&s, "SELECT f('a')", "error 1 0", "f: argument 1 is a text, not of type LONG");
    expect_error(&s, "SELECT f(1.5)", "error 1 0", "argument 1 is a real");
    expect_error(&s, "SELECT f()", "error 1 7", "wrong number of arguments");
    expect_error(&s, "CREATE PERFETTO FUNCTION f(y INT) RETURNS INT AS SELECT 1", "error 1 25", "exists");
    EXPECT_ROWS(&s, "CREATE OR REPLACE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT 9; SELECT f(1)", "9\n");
    expect_error(&s, "CREATE OR REPLACE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT nope", "error 1 67", "nope");
    EXPECT_ROWS(&s, "SELECT f(1)", "9\n");
    expect_error(&s, "CREATE PERFETTO FUNCTION g() RETURNS INT AS SELECT 1, 2", "error 1 44", "one column");
    expect_error(&s, "CREATE PERFETTO FUNCTION g() RETURNS INT AS DELETE FROM slice", "error 1 44", "SELECT");
    expect_error(&s, "CREATE PERFETTO FUNCTION g() RETURNS INT AS SELECT * FROM nowhere", "error 1 58",
                 "no such table");
    expect_error(&s, "CREATE PERFETTO FUNCTION g(a NOPE) RETURNS INT AS SELECT 1", "error 1 29", "types are");
    expect_error(&s, "CREATE PERFETTO FUNCTION g(a INT) RETURNS INT AS SELECT :a", "error 1 49", "begin with $");
    expect_error(&s, "CREATE PERFETTO FUNCTION g(a INT) RETURNS INT", "error 1 45", "AS was expected");
    expect_error(&s, "CREATE PERFETTO FUNCTION 'g'() RETURNS INT AS SELECT 1", "error 1 25", "a name was expected");
    expect_error(&s, "SELECT g()", "error 1 7", "no such function");
    expect_error(&s, "CREATE OR REPLACE PERFETTO FUNCTION extract_arg(a INT, b STRING) RETURNS INT AS SELECT 1",
                 "error 1 36", "built-in");
    expect_error(&s, "CREATE PERFETTO FUNCTION e(a INT) RETURNS INT AS SELECT e($a + 1); SELECT e(1)", "error 1 67",
                 "without an end");
    close_session(&s);
}

Test(define, table_functions)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION after(a INT) RETURNS TABLE(x LONG, y STRING) AS "
                "SELECT id AS x, name AS y FROM slice WHERE id >= $a; SELECT * FROM after(4)",
                "4|b\n5|g\n");
    EXPECT_ROWS(&s, "SELECT s.id, k.x FROM slice s, after(s.id) k WHERE s.id > 3", "4|4\n4|5\n5|5\n");
    EXPECT_ROWS(&s, "SELECT y FROM after WHERE in_a = 5", "g\n");
    expect_error(&s, "SELECT * FROM after", "error 1 0", "no query solution");
    expect_error(&s, "SELECT * FROM after(1, 2)", "error 1 0", "too many arguments");
    expect_error(&s, "CREATE PERFETTO FUNCTION after(a INT) RETURNS TABLE(x INT) AS SELECT 1 AS x", "error 1 25",
                 "exists");
    EXPECT_ROWS(&s,
                "CREATE OR REPLACE PERFETTO FUNCTION after(a INT) RETURNS TABLE(z INT) AS SELECT $a AS z;"
                "SELECT * FROM after(7)",
                "7\n");
    expect_error(&s, "CREATE PERFETTO FUNCTION t() RETURNS TABLE(a INT) AS SELECT 1", "error 1 53",
                 "names the columns");
    expect_error(&s, "CREATE PERFETTO FUNCTION t() RETURNS TABLE(a INT) AS SELECT 1 AS a, 2", "error 1 53", "as many");
    expect_error(&s, "CREATE PERFETTO FUNCTION slice() RETURNS TABLE(a INT) AS SELECT 1 AS a", "error 1 25",
                 "built-in");
    expect_error(&s,
                 "CREATE PERFETTO FUNCTION fails(a INT) RETURNS TABLE(x INT) AS SELECT abs($a) AS x;"
                 "SELECT * FROM fails(-9223372036854775807 - 1)",
                 "error 1 82", "fails: integer overflow");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION upto(n INT) RETURNS TABLE(i INT) AS WITH RECURSIVE r(i) AS "
                "(SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i + 1 < $n) SELECT i FROM r;"
                "SELECT count(*), sum(a.i * b.i) FROM upto(30) a, upto(a.i + 1) b",
                "465|98890\n");
    close_session(&s);
}

Test(define, macros)
{
    session s = open_session();
    EXPECT_ROWS(&s, "CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2; SELECT t!(1+1), t ! ( 5 ), 1 != 2",
                "3|10|1\n");
    EXPECT_ROWS(&s, "CREATE OR REPLACE PERFETTO MACRO t(x Expr) RETURNS Expr AS ($x*3); SELECT t!(t!(t!(1)))", "27\n");
    EXPECT_ROWS(&s,
                "CREATE PERFETTO MACRO n(x TableOrSubquery) RETURNS TableOrSubquery AS (SELECT count() AS n FROM $x);"
                "SELECT * FROM n!(slice), n!((SELECT 1))",
                "6|1\n");
    EXPECT_ROWS(&s, "SELECT 't!(1)', \"t!(1)\", t!(')'), t!(max(1,2)) -- t!(1", "t!(1)|t!(1)|0|6\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO MACRO c(x Expr) RETURNS Expr AS $x -- comment\n; SELECT c!(1 -- one\n) + 2",
                "3\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO MACRO q(x Expr) RETURNS Expr AS '$x' || $x || \"$x\"; SELECT q!('-')", "$x-$x\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO MACRO p(x Expr, y Expr) RETURNS Expr AS $x || $y; SELECT p!('$y', 'b')", "$yb\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT t!($x); SELECT f(4)", "12\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO TABLE made AS SELECT t!(5) AS z; SELECT z FROM made", "15\n");
    close_session(&s);
}

/* A macro that is defined by another one keeps what that was. */
Test(define, macros_are_replaced_when_they_are_defined)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "CREATE PERFETTO MACRO a(x Expr) RETURNS Expr AS $x*2;"
                "CREATE PERFETTO MACRO b(x Expr) RETURNS Expr AS a!($x);"
                "CREATE OR REPLACE PERFETTO MACRO a(x Expr) RETURNS Expr AS 7; SELECT b!(1), a!(1)",
                "2|7\n");
    expect_error(&s, "CREATE PERFETTO MACRO r(x Expr) RETURNS Expr AS r!($x)", "error 1 48", "no macro r");
    close_session(&s);
}

Test(define, macros_that_fail)
{
    session s = open_session();
    ask(&s, "CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x*2");
    expect_error(&s, "SELECT 1, nope!(1)", "error 1 10", "no macro nope");
    expect_error(&s, "SELECT T!(1)", "error 1 7", "no macro T");
    expect_error(&s, "SELECT t!()", "error 1 7", "1 expected, 0 given");
    expect_error(&s, "SELECT t!(1, 2)", "error 1 7", "1 expected, 2 given");
    expect_error(&s, "SELECT t!(1", "error 1 7", "not closed");
    expect_error(&s, "SELECT t!(,)", "error 1 7", "empty");
    expect_error(&s, "CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS 1", "error 1 22", "CREATE OR REPLACE");
    expect_error(&s, "CREATE PERFETTO MACRO u(x Int) RETURNS Expr AS 1", "error 1 26", "Expr, TableOrSubquery");
    expect_error(&s, "CREATE PERFETTO MACRO u(x Expr) RETURNS Int AS 1", "error 1 40", "returns");
    expect_error(&s, "CREATE PERFETTO MACRO u(x Expr) RETURNS Expr AS ", "error 1 48", "nothing after AS");
    close_session(&s);
}

/* Errors after a call lie where they are in the text of the user; errors in a call lie where it is called. */
Test(define, positions_after_calls)
{
    session s = open_session();
    ask(&s, "CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS ($x*2 + 1000000)");
    expect_error(&s, "SELECT 1; SELECT t!(1), t!(2), nope FROM slice", "error 1 31", "nope");
    expect_error(&s, "SELECT 1; SELECT t!(1), t!(nope) FROM slice", "error 1 24", "nope");
    close_session(&s);
}

/* Each macro doubles the text of the one before it. */
Test(define, macros_do_not_grow_without_bound)
{
    session s = open_session();
    char sql[256];
    const char *answer = ask(&s, "CREATE PERFETTO MACRO m0(x Expr) RETURNS Expr AS $x+$x");
    for (int i = 1; i < 40 && strncmp(answer, "error", 5) != 0; i++) {
        snprintf(sql, sizeof sql, "CREATE PERFETTO MACRO m%d(x Expr) RETURNS Expr AS m%d!($x)+m%d!($x)", i, i - 1,
                 i - 1);
        answer = ask(&s, sql);
    }
    cr_expect_eq(s.err.code, PF_ERR_LIMIT);
    cr_expect(strstr(s.err.text, "longer than 16777216 bytes"), "%s", s.err.text);
    close_session(&s);
}

Test(define, calls_inside_of_each_other_are_bounded)
{
    session s = open_session();
    char sql[1024] = "SELECT ";
    ask(&s, "CREATE PERFETTO MACRO t(x Expr) RETURNS Expr AS $x");
    for (int i = 0; i < 65; i++) {
        strcat(sql, "t!(");
    }
    expect_error(&s, sql, "error 1 199", "inside of each other");
    close_session(&s);
}

Test(define, columns_that_are_declared)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "CREATE PERFETTO TABLE t(b STRING, a INT, c DOUBLE) AS SELECT 1 AS a, 'x' AS b, null AS c;"
                "SELECT * FROM t",
                "1|x|-\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO VIEW w(a STRING) AS SELECT 1 AS a; SELECT * FROM w", "1\n");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT, b INT, c INT) AS SELECT 1 AS b", "error 1 23",
                 "TABLE: the query does not give these declared columns: a, c");
    expect_error(&s, "CREATE PERFETTO VIEW u(a INT) AS SELECT 1 AS a, 2 AS b, 3 AS c", "error 1 22",
                 "VIEW: the query gives these columns, which are not declared: b, c");
    expect_error(&s, "CREATE PERFETTO TABLE u(A INT) AS SELECT 1 AS a", "error 1 23",
                 "does not give these declared columns: A; the query gives these columns, which are not declared: a");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT, a INT) AS SELECT 1 AS a", "error 1 23", "given twice: a");
    expect_error(&s, "CREATE PERFETTO TABLE u(a STRING) AS SELECT 'x' AS a UNION ALL SELECT 1", "error 1 26",
                 "column a is declared as STRING, but one of its values is of type integer");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT) AS SELECT name AS a FROM slice", "error 1 26", "of type text");
    expect_error(&s, "CREATE PERFETTO TABLE u(a NOPE) AS SELECT 1 AS a", "error 1 26", "types are LONG");
    expect_error(&s, "CREATE PERFETTO TABLE u(a ANY) AS SELECT 1 AS a", "error 1 26", "ANY");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT,) AS SELECT 1 AS a", "error 1 30", "a name was expected");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT) AS SELECT nope AS a", "error 1 41", "nope");
    expect_error(&s, "CREATE PERFETTO TABLE u(a INT) SELECT 1 AS a", "error 1 31", "syntax error");
    expect_error(&s, "SELECT * FROM u", "error 1 14", "no such table");
    expect_error(&s, "CREATE OR REPLACE PERFETTO TABLE t(a INT, z INT) AS SELECT 7 AS a", "error 1 34", "z");
    EXPECT_ROWS(&s, "SELECT a FROM t", "1\n");
    close_session(&s);
}

/* Arguments are of their declared type or NULL; what is returned may be anything, as in the engine. */
Test(define, types_of_arguments)
{
    static const char *const VALUES[][4] = {{"1", "an integer", "LB", "integer"},
                                            {"1.5", "a real", "D", "real"},
                                            {"'t'", "a text", "S", "text"},
                                            {"x'00'", "a blob", "Y", "blob"},
                                            {"NULL", "", "LBDSY", "null"}};
    static const char *const TYPES[] = {"LONG", "BOOL", "DOUBLE", "STRING", "BYTES", "ANY"};
    session s = open_session();
    for (size_t v = 0; v < 5; v++) {
        for (size_t t = 0; t < 6; t++) {
            char sql[256], expected[128];
            snprintf(sql, sizeof sql, "CREATE OR REPLACE PERFETTO FUNCTION f(x %s) RETURNS ANY AS SELECT $x", TYPES[t]);
            EXPECT_ROWS(&s, sql, "");
            snprintf(sql, sizeof sql, "SELECT typeof(f(%s))", VALUES[v][0]);
            if (t == 5 || strchr(VALUES[v][2], "LBDSY"[t])) {
                snprintf(expected, sizeof expected, "%s\n", VALUES[v][3]);
                EXPECT_ROWS(&s, sql, expected);
            } else {
                snprintf(expected, sizeof expected, "argument 1 is %s, not of type %s", VALUES[v][1], TYPES[t]);
                expect_error(&s, sql, "error 1 0", expected);
            }
            snprintf(sql, sizeof sql, "CREATE OR REPLACE PERFETTO FUNCTION g() RETURNS %s AS SELECT %s", TYPES[t],
                     VALUES[v][0]);
            EXPECT_ROWS(&s, sql, "");
            snprintf(expected, sizeof expected, "%s\n", VALUES[v][3]);
            EXPECT_ROWS(&s, "SELECT typeof(g())", expected);
        }
    }
    EXPECT_ROWS(&s,
                "CREATE PERFETTO FUNCTION h(n INT) RETURNS TABLE(x DOUBLE, y BYTES, z ANY, t STRING) AS "
                "SELECT $n + 0.5 AS x, x'41' AS y, 'q' AS z, 't' AS t UNION ALL SELECT 1, NULL, 2, NULL;"
                "SELECT rowid, x, hex(y), z, t FROM h(3)",
                "0|3.5|41|q|t\n1|1||2|-\n");
    close_session(&s);
}
