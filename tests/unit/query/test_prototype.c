/* What defines functions and macros: the parts of a prototype, and what is expected where it breaks off. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "query/define/prototype.h"

static void put_list(FILE *out, pf_str text, const pf_parameters *p)
{
    fputs("(", out);
    for (size_t i = 0; i < p->count; i++) {
        const pf_parameter *one = pf_parameter_at(p, i);
        fprintf(out, "%s%.*s %.*s", i ? "," : "", (int)one->name.len, one->name.ptr,
                (int)(one->kind.end - one->kind.start), text.ptr + one->kind.start);
    }
    fputs(")", out);
}

/* "name(parameter KIND,...) RETURNS: body", or "offset: what was expected". */
static void expect_prototype(const char *sql, size_t from, const char *expected)
{
    const pf_str text = {sql, strlen(sql)};
    pf_prototype p;
    char *found;
    size_t at, len;
    FILE *out = open_memstream(&found, &len);
    const char *complaint = pf_prototype_parse(text, from, &p, &at);
    if (complaint) {
        fprintf(out, "%zu: %s", at, complaint);
    } else {
        fprintf(out, "%.*s", (int)p.name.len, p.name.ptr);
        put_list(out, text, &p.parameters);
        fprintf(out, " %.*s", (int)(p.returns.end - p.returns.start), sql + p.returns.start);
        if (p.table) {
            put_list(out, text, &p.columns);
        }
        fprintf(out, ": %.*s", (int)(p.body_end - p.body), sql + p.body);
    }
    fclose(out);
    cr_expect_str_eq(found, expected, "%s: %s", sql, found);
    free(found);
    pf_prototype_free(&p);
}

Test(prototype, parts)
{
    expect_prototype("f(a INT, b LONG) RETURNS INT AS SELECT $a", 0, "f(a INT,b LONG) INT: SELECT $a");
    expect_prototype("f() RETURNS INT AS x", 0, "f() INT: x");
    expect_prototype("f() RETURNS TABLE(x INT, y JOINID(t.c)) AS SELECT 1 -- end\n", 0,
                     "f() TABLE(x INT,y JOINID): SELECT 1");
    expect_prototype("CREATE f ( a JOINID(slice.id) , b Expr )\nRETURNS Expr AS  (a + b) /* x */  ", 7,
                     "f(a JOINID,b Expr) Expr: (a + b)");
    expect_prototype("_f9(a int) returns Table(x int) as select 1; select 2", 0,
                     "_f9(a int) Table(x int): select 1; select 2");
}

Test(prototype, what_is_expected)
{
    static const char *const cases[][2] = {
        {"", "0: a name was expected"},
        {"1f() RETURNS INT AS x", "0: a name was expected"},
        {"9() RETURNS INT AS x", "0: a name was expected"},
        {"0() RETURNS INT AS x", "0: a name was expected"},
        {"$f() RETURNS INT AS x", "0: a name was expected"},
        {"\"f\"() RETURNS INT AS x", "0: a name was expected"},
        {"(a INT) RETURNS INT AS x", "0: a name was expected"},
        {"f", "1: ( was expected"},
        {"f RETURNS INT AS x", "2: ( was expected"},
        {"f(", "2: a name was expected"},
        {"f(1 INT)", "2: a name was expected"},
        {"f('a' INT)", "2: a name was expected"},
        {"f(a", "3: a type was expected"},
        {"f(a)", "3: a type was expected"},
        {"f(a 1)", "4: a type was expected"},
        {"f(a INT", "7: ) or , was expected"},
        {"f(a INT b)", "8: ) or , was expected"},
        {"f(a INT,)", "8: a name was expected"},
        {"f(a X(", "6: a table was expected"},
        {"f(a X()", "6: a table was expected"},
        {"f(a X(t", "7: table.column was expected"},
        {"f(a X(t)", "7: table.column was expected"},
        {"f(a X(t.", "8: a column was expected"},
        {"f(a X(t.)", "8: a column was expected"},
        {"f(a X(t.c", "9: ) was expected"},
        {"f(a X(t.c,", "9: ) was expected"},
        {"f(a X(t.c)", "10: ) or , was expected"},
        {"f()", "3: RETURNS was expected"},
        {"f() INT AS x", "4: RETURNS was expected"},
        {"f() RETURNS", "11: a type was expected"},
        {"f() RETURNS 5 AS x", "12: a type was expected"},
        {"f() RETURNS INT", "15: AS was expected"},
        {"f() RETURNS INT x", "16: AS was expected"},
        {"f() RETURNS INT AS", "18: there is nothing after AS"},
        {"f() RETURNS TABLE AS x", "18: ( was expected"},
        {"f() RETURNS TABLE() AS x", "18: a name was expected"},
        {"f() RETURNS TABLE(a) AS x", "19: a type was expected"},
        {"f() RETURNS TABLE(a INT) x", "25: AS was expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_prototype(cases[i][0], 0, cases[i][1]);
    }
}

Test(prototype, lists)
{
    static const struct {
        const char *sql;
        size_t from, count, at;
        const char *complaint;
    } cases[] = {{"x(a INT, b Expr) rest", 1, 2, 17, NULL},     {"(a INT)", 0, 1, 7, NULL},
                 {"()", 0, 0, 1, "a name was expected"},        {"a INT)", 0, 0, 0, "( was expected"},
                 {"(a INT, b", 0, 1, 9, "a type was expected"}, {"(a INT, b INT;", 0, 2, 13, ") or , was expected"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_parameters p;
        size_t at = 99;
        const char *complaint =
            pf_parameters_parse((pf_str){cases[i].sql, strlen(cases[i].sql)}, cases[i].from, &p, &at);
        cr_expect_str_eq(complaint ? complaint : "", cases[i].complaint ? cases[i].complaint : "", "%s", cases[i].sql);
        cr_expect_eq(p.count, cases[i].count, "%s: %zu", cases[i].sql, p.count);
        cr_expect_eq(at, cases[i].at, "%s: %zu", cases[i].sql, at);
        pf_buffer_free(&p.bytes);
    }
}
