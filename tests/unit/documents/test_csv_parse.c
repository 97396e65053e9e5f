/* CSV rows: quotes, line ends, short and long rows, errors with line and column. */
#include "support.h"

/* Header and rows as "a|b;c|d": NULL is "-". */
static void expect_rows(pf_str text, const pf_csv_options *o, const char *expected)
{
    pf_csv *c;
    pf_error err = {.text = ""};
    char got[1000] = "";
    size_t len = 0;
    cr_assert_eq(pf_csv_open(text, o, &c, &err), PF_OK, "%s", err.text);
    for (size_t i = 0; i < pf_csv_column_count(c); i++) {
        pf_str s = pf_csv_column_name(c, i);
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%.*s", i ? "|" : "", (int)s.len, s.ptr);
    }
    for (const pf_str *row; pf_csv_next(c, &row, &err) == PF_OK && row;) {
        for (size_t i = 0; i < pf_csv_column_count(c); i++) {
            len += (size_t)snprintf(got + len, sizeof got - len, "%s%.*s", i ? "|" : ";",
                                    row[i].ptr ? (int)row[i].len : 1, row[i].ptr ? row[i].ptr : "-");
        }
    }
    pf_csv_free(c);
    cr_assert_str_eq(err.text, "");
    cr_assert_str_eq(got, expected);
}

Test(csv_parse, rows)
{
    expect_rows(PF_STR("a,b\n1,2\n3,4"), NULL, "a|b;1|2;3|4");
    expect_rows(PF_STR("a,b\r\n1,2\r\n\r\n\n3,4\r\n"), NULL, "a|b;1|2;3|4");
    expect_rows(PF_STR("\xef\xbb\xbf"
                       "a,b\n,\n"),
                NULL, "a|b;|");
    expect_rows(PF_STR("a,b\n1\n1,2,3\n"), NULL, "a|b;1|-;1|2");
    expect_rows(PF_STR("a\n\"\"\n"), NULL, "a;");
    expect_rows(PF_STR("only,header\n"), NULL, "only|header");
    expect_rows(PF_STR("a;b\n1,5;2\n"), &(pf_csv_options){.separator = ';'}, "a|b;1,5|2");
}

Test(csv_parse, quotes)
{
    expect_rows(PF_STR("a,b\n\"1,2\",\"x\"\"y\"\n"), NULL, "a|b;1,2|x\"y");
    expect_rows(PF_STR("\"a\"\"\",\"b,\"\n\"\"\"16,5120;5120,768\"\"\",\"two\nlines\"\n"), NULL,
                "a\"|b,;\"16,5120;5120,768\"|two\nlines");
    expect_rows(PF_STR("a,b\n\"x\"\"\",\"\"\"y\"\nz,\"\"\"\"\n"), NULL, "a|b;x\"|\"y;z|\"");
    expect_rows(PF_STR("a,b\n1\t,N/A\n"), NULL, "a|b;1\t|N/A");
    expect_rows(PF_STR("a,b\n\"\"x,\"\"\n"), &(pf_csv_options){.lenient = true}, "a|b;x|");
    expect_rows(PF_STR("a,b\n5\" disk,\"x\"y\n"), &(pf_csv_options){.lenient = true}, "a|b;5\" disk|xy");
    expect_rows(PF_STR("a,b\n1,\"two\n3,4"), &(pf_csv_options){.lenient = true}, "a|b;1|two\n3,4");
    expect_rows(PF_STR("a,b\n1,\"x\"\"y\"\""), &(pf_csv_options){.lenient = true}, "a|b;1|x\"y\"");
    expect_rows(PF_STR("a\n\""), &(pf_csv_options){.lenient = true}, "a;");
}

/* Whether the text ends in its last row. */
static bool ends_in_row(pf_str text)
{
    pf_csv *c;
    const pf_str *row = NULL;
    pf_error err;
    cr_assert_eq(pf_csv_open(text, NULL, &c, &err), PF_OK);
    while (!pf_csv_is_cut(c) && pf_csv_next(c, &row, &err) == PF_OK && row) {
    }
    bool cut = pf_csv_is_cut(c);
    pf_csv_free(c);
    return cut;
}

Test(csv_parse, a_cut_last_row)
{
    cr_assert(ends_in_row(PF_STR("a,b\n1,2\n3")));
    cr_assert(ends_in_row(PF_STR("a,b\n1,2\n3,\"4")));
    cr_assert(ends_in_row(PF_STR("a,b\n\"")));
    cr_assert_not(ends_in_row(PF_STR("a,b\n1,2\n3\n")));
    cr_assert_not(ends_in_row(PF_STR("a,b\n1,2")));
    cr_assert_not(ends_in_row(PF_STR("a,b\n1,2\n")));
    cr_assert_not(ends_in_row(PF_STR("a,b\n1,\"2\n3,4\n"))); /* the quote may be wrong anywhere before the end */
}

Test(csv_parse, columns_by_name)
{
    pf_csv *c;
    const pf_str *row;
    cr_assert_eq(pf_csv_open(PF_STR("a,b,a\n1,2,3\n\n\"x\ny\",5,6\n7,8,9\n"), NULL, &c, NULL), PF_OK);
    cr_assert_eq(pf_csv_column(c, "b"), 1);
    cr_assert_eq(pf_csv_column(c, "a"), 2);
    cr_assert_eq(pf_csv_column(c, "c"), 3);
    uint64_t lines[] = {2, 4, 6};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(pf_csv_next(c, &row, NULL), PF_OK);
        cr_assert_eq(pf_csv_line(c), lines[i]);
    }
    cr_assert_eq(pf_csv_next(c, &row, NULL), PF_OK);
    cr_assert_null(row);
    pf_csv_free(c);
}

static void expect_place(const pf_csv *c, size_t field, uint64_t line, size_t column)
{
    uint64_t l = 0;
    size_t at = 0;
    pf_csv_place(c, field, &l, &at);
    cr_assert(l == line && at == column, "field %zu is at line %d, column %zu", field, (int)l, at);
}

Test(csv_parse, places_of_fields)
{
    pf_csv *c;
    const pf_str *row;
    cr_assert_eq(pf_csv_open(PF_STR("\xef\xbb\xbf\"a\",b,c\n\n1,\"x\n\"\"y\",5\n7,8\n"), NULL, &c, NULL), PF_OK);
    expect_place(c, 1, 1, 5);
    cr_assert_eq(pf_csv_next(c, &row, NULL), PF_OK);
    expect_place(c, 0, 3, 1);
    expect_place(c, 1, 3, 3);
    expect_place(c, 2, 4, 6);
    cr_assert_eq(pf_csv_next(c, &row, NULL), PF_OK);
    expect_place(c, 1, 5, 3);
    expect_place(c, 2, 5, 4);
    pf_csv_free(c);
}

static void expect_fault(const char *text, uint64_t offset, const char *part)
{
    pf_csv *c = NULL;
    const pf_str *row = NULL;
    pf_error err = {.text = ""};
    pf_status st = pf_csv_open(text_of(text), NULL, &c, &err);
    do {
        st = st == PF_OK ? pf_csv_next(c, &row, &err) : st;
    } while (st == PF_OK && row);
    cr_assert_eq(st, PF_ERR_INPUT, "%s was taken", text);
    cr_assert_eq(err.offset, offset, "%s: %d", err.text, (int)err.offset);
    cr_assert_not_null(strstr(err.text, part), "'%s' lacks '%s'", err.text, part);
    pf_csv_free(c);
}

Test(csv_parse, errors_have_a_place)
{
    expect_fault("", 0, "empty");
    expect_fault("\r\n\n", 0, "empty");
    expect_fault("a,b\n1,\"two\nand on", 6, "line 2, column 3: the quote that opens here is never closed");
    expect_fault("a,b\n1,2\nx,\"y\"z\n", 13, "line 3, column 6: after a closing quote");
    expect_fault("a,b\n5\" disk,2\n", 5, "line 2, column 2: a quote stands inside");
}
