/* Which side tables can be registered, in which words they are refused, and what is found by name. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

static pf_error err;

static pf_status add(pf_trace *t, const char *name, const pf_side_column *columns, size_t count, pf_side_table **out)
{
    const pf_side_spec spec = {name, "help", columns, count};
    *out = NULL;
    return pf_trace_add_table(t, &spec, out, &err);
}

Test(side_specs, names_of_tables)
{
    static const char *const GOOD[] = {"a", "Z9", "_x", "a_1", "A", "z", "new_slice", "slic", "slices_"};
    static const char *const BAD[] = {"", "1a", "a-b", "a b", "@a", "a[", "`", "a{", "a/", "a:", "\xc3\xa4", "9"};
    static const char *const TAKEN[] = {"slice", "SLICE", "event", "Counter", "thread"};
    static const pf_side_column n = {"n", PF_COLUMN_INT, NULL, NULL, NULL, 0};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *s;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        cr_expect_eq(add(t, GOOD[i], &n, 1, &s), PF_OK, "%s: %s", GOOD[i], err.text);
        cr_expect_eq(pf_trace_table(t, GOOD[i]), s);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "'%s' cannot be the name of a table; use letters, digits and underscores",
                 BAD[i]);
        cr_expect_eq(add(t, BAD[i], &n, 1, &s), PF_ERR_USAGE, "%s", BAD[i]);
        cr_expect_str_eq(err.text, expected);
        cr_expect_null(s);
    }
    cr_expect_eq(add(t, NULL, &n, 1, &s), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "'' cannot be the name of a table; use letters, digits and underscores");
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "'%s' is a table of every trace; choose another name", TAKEN[i]);
        cr_expect_eq(add(t, TAKEN[i], &n, 1, &s), PF_ERR_USAGE, "%s", TAKEN[i]);
        cr_expect_str_eq(err.text, expected);
    }
    pf_trace_free(t);
}

static void expect_column_refused(pf_trace *t, const pf_side_column *columns, size_t count, size_t which)
{
    char expected[128];
    pf_side_table *s;
    snprintf(expected, sizeof expected,
             "column %zu of table odd needs a name that no other one has, not 'id', and a type", which);
    cr_expect_eq(add(t, "odd", columns, count, &s), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, expected);
}

Test(side_specs, columns)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *s;
    const pf_side_column good[] = {{"n", PF_COLUMN_INT, "ns", NULL, "a time", 0},
                                   {"i", PF_COLUMN_ROW, NULL, "slice", NULL, 0},
                                   {"d", PF_COLUMN_REAL, NULL, NULL, NULL, 0},
                                   {"idx", PF_COLUMN_TEXT, NULL, NULL, NULL, 0}};
    pf_side_column bad[4];
    cr_expect_eq(add(t, "fine", good, 4, &s), PF_OK, "%s", err.text);
    static const char *const NAMES[] = {NULL, "", "id", "ID", "Id", "n", "N"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        memcpy(bad, good, sizeof bad);
        bad[2].name = NAMES[i];
        expect_column_refused(t, bad, 4, 2);
        expect_column_refused(t, bad, 3, 2);
        cr_expect_eq(add(t, i ? "one" : "two", bad, 2, &s), PF_OK, "the first two are fine");
    }
    memcpy(bad, good, sizeof bad);
    bad[3].type = (pf_column_type)(PF_COLUMN_ROW + 1);
    expect_column_refused(t, bad, 4, 3);
    cr_expect_eq(add(t, "none", good, 0, &s), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "table none has 0 columns; 1 to 1000 are possible");
    pf_trace_free(t);
}

Test(side_specs, a_thousand_columns)
{
    static pf_side_column columns[PF_SIDE_COLUMNS_MAX + 1];
    static char names[PF_SIDE_COLUMNS_MAX + 1][8];
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *s;
    for (size_t i = 0; i <= PF_SIDE_COLUMNS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "c%zu", i);
        columns[i] = (pf_side_column){names[i], PF_COLUMN_INT, NULL, NULL, NULL, 0};
    }
    cr_expect_eq(add(t, "wide", columns, PF_SIDE_COLUMNS_MAX, &s), PF_OK);
    cr_assert_eq(pf_side_add_row(s, &err), PF_OK);
    *pf_side_number(s, PF_SIDE_COLUMNS_MAX - 1, 0) = 7;
    cr_expect_eq(*pf_side_number(s, PF_SIDE_COLUMNS_MAX - 2, 0), INT64_MIN, "NULL");
    cr_expect_eq(add(t, "wider", columns, PF_SIDE_COLUMNS_MAX + 1, &s), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "table wider has 1001 columns; 1 to 1000 are possible");
    pf_trace_free(t);
}

/* The same table again is the one that is there; texts of a spec are copied, so that they may go. */
Test(side_specs, registered_again)
{
    char name[] = "made", column[] = "n", unit[] = "ns", of[] = "slice", help[] = "help";
    pf_side_column columns[] = {{column, PF_COLUMN_ROW, unit, of, help, 3}, {"m", PF_COLUMN_INT, NULL, NULL, NULL, 0}};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *s, *again;
    size_t tables = pf_trace_table_count(t);
    cr_assert_eq(add(t, name, columns, 2, &s), PF_OK);
    cr_assert_eq(add(t, name, columns, 2, &again), PF_OK);
    cr_expect_eq(s, again);
    cr_assert_eq(add(t, "MADE", columns, 2, &again), PF_OK);
    cr_expect_eq(s, again, "whatever the case is");
    cr_expect_eq(pf_trace_table_count(t), tables + 1);
    cr_expect_eq(pf_trace_table_at(t, tables), s);
    cr_expect_null(pf_trace_table_at(t, tables + 1));
    cr_expect_eq(add(t, name, columns, 1, &again), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "table made is there already and has other columns");
    columns[1].type = PF_COLUMN_REAL;
    cr_expect_eq(add(t, name, columns, 2, &again), PF_ERR_USAGE, "another type");
    columns[1].type = PF_COLUMN_INT;
    columns[1].name = "M";
    cr_expect_eq(add(t, name, columns, 2, &again), PF_ERR_USAGE, "another name");
    memset(name, 'x', 4);
    column[0] = unit[0] = of[0] = help[0] = 'x';
    const pf_side_column *c = s->spec->columns;
    cr_expect_str_eq(s->spec->name, "made");
    cr_expect_str_eq(s->spec->help, "help");
    cr_expect_str_eq(c->name, "n");
    cr_expect_str_eq(c->unit, "ns");
    cr_expect_str_eq(c->of, "slice");
    cr_expect_str_eq(c->help, "help");
    cr_expect_eq(c->flags, 3);
    cr_expect_null(c[1].unit);
    cr_expect_eq(pf_side_column_named(s, "m"), 1);
    cr_expect_eq(pf_side_column_named(s, "n"), 0);
    cr_expect_eq(pf_side_column_named(s, "M"), PF_NONE, "of columns the case counts");
    cr_expect_null(pf_trace_table(t, "mad"));
    cr_expect_null(pf_trace_table(t, "madee"));
    pf_trace_free(t);
}

/* More tables than the list has room for at first (8). */
Test(side_specs, many_tables)
{
    static const pf_side_column n = {"n", PF_COLUMN_INT, NULL, NULL, NULL, 0};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *tables[40];
    size_t before = pf_trace_table_count(t);
    for (size_t i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%zu", i);
        cr_assert_eq(add(t, name, &n, 1, &tables[i]), PF_OK);
    }
    for (size_t i = 0; i < 40; i++) {
        cr_expect_eq(pf_trace_table_at(t, before + i), tables[i]);
    }
    cr_expect_eq(pf_trace_table_count(t), before + 40);
    pf_trace_free(t);
}
