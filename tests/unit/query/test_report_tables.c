/* Tables of a report as tables of a session: their types, what their names may be, and what is refused. */
#include <math.h>
#include <string.h>

#include "postfetto/findings.h"
#include "support.h"

#define TEXT(text)                                                                                                     \
    {                                                                                                                  \
        .as.s = { text, sizeof(text) - 1 }                                                                             \
    }

static const pf_column COLUMNS[] = {
    {"n", PF_CELL_INT, 0, ""}, {"r", PF_CELL_REAL, -1, "s"}, {"t", PF_CELL_TEXT, 0, ""}};
static const pf_cell CELLS[] = {{.as.i = -5},   {.as.d = 0.25},      TEXT("it's"),       {.null = true},
                                {.null = true}, {.null = true},      {.as.i = 7},        {.as.d = 3},
                                TEXT("a\0b"),   {.as.i = INT64_MIN}, {.as.d = INFINITY}, {.as.s = {NULL, 0}}};

static pf_table table_of(const pf_column *columns, size_t count, size_t rows, const pf_cell *cells)
{
    return (pf_table){.columns = columns, .column_count = count, .row_count = rows, .cells = cells};
}

Test(report_tables, cells_of_every_type)
{
    session s = open_session();
    const pf_table table = table_of(COLUMNS, 3, 4, CELLS);
    cr_assert_eq(pf_query_add_table(s.q, "made", &table, &s.err), PF_OK, "%s", s.err.text);
    EXPECT_ROWS(&s, "SELECT n, r, hex(t) FROM made",
                "-5|0.25|69742773\n-|-|\n7|3.0|610062\n-9223372036854775808|inf|\n");
    EXPECT_ROWS(&s, "SELECT typeof(n), typeof(r), typeof(t) FROM made WHERE n < 0 OR n IS NULL",
                "integer|real|text\nnull|null|null\ninteger|real|text\n");
    EXPECT_ROWS(&s, "SELECT name, type FROM pragma_table_info('made')", "n|INTEGER\nr|REAL\nt|TEXT\n");
    EXPECT_ROWS(&s, "DELETE FROM made WHERE n IS NULL; SELECT count(*) FROM temp.made", "3\n");
    close_session(&s);
}

Test(report_tables, names)
{
    session s = open_session();
    static const pf_column ODD[] = {
        {"a \"b\"", PF_CELL_INT, 0, ""}, {"\"", PF_CELL_INT, 0, ""}, {"select", PF_CELL_INT, 0, ""}};
    static const pf_cell cells[] = {{.as.i = 1}, {.as.i = 2}, {.as.i = 3}};
    const pf_table table = table_of(ODD, 3, 1, cells);
    cr_assert_eq(pf_query_add_table(s.q, "x\"); DROP \"", &table, &s.err), PF_OK, "%s", s.err.text);
    cr_expect_str_eq(ask(&s, "SELECT * FROM \"x\"\"); DROP \"\"\""), "a \"b\"|\"|select\n1|2|3\n");
    close_session(&s);
}

Test(report_tables, without_rows)
{
    session s = open_session();
    const pf_table table = table_of(COLUMNS, 2, 0, NULL);
    cr_assert_eq(pf_query_add_table(s.q, "none", &table, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT count(*), count(n), count(r) FROM none", "0|0|0\n");
    cr_expect_str_eq(ask(&s, "SELECT * FROM none"), "n|r\n");
    close_session(&s);
}

/* A name twice; two columns of one name. A table of the trace is hidden by one of a report. */
Test(report_tables, refused)
{
    session s = open_session();
    static const pf_column TWICE[] = {{"n", PF_CELL_INT, 0, ""}, {"N", PF_CELL_INT, 0, ""}};
    const pf_table table = table_of(COLUMNS, 3, 4, CELLS), twice = table_of(TWICE, 2, 0, NULL);
    cr_assert_eq(pf_query_add_table(s.q, "made", &table, &s.err), PF_OK);
    cr_expect_eq(pf_query_add_table(s.q, "made", &table, &s.err), PF_ERR_USAGE);
    cr_expect_str_eq(s.err.text, "table made: table \"made\" already exists", "%s", s.err.text);
    cr_expect_eq(pf_query_add_table(s.q, "two", &twice, &s.err), PF_ERR_USAGE);
    cr_expect_str_eq(s.err.text, "table two: duplicate column name: N", "%s", s.err.text);
    EXPECT_ROWS(&s, "SELECT count(*) FROM made", "4\n");
    cr_expect_eq(pf_query_add_table(s.q, "slice", &table, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT max(n) FROM slice", "7\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM main.slice", "6\n");
    close_session(&s);
}
