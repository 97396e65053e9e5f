/* Writing rows with the library's own functions: what is refused, that errors stick, and that a file is there after the
 * close only. What is in the files others read in tests/columns. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postfetto/export.h"

static char folder[] = "/tmp/rows_writer.XXXXXX", path[64];

static void set_up(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows", folder);
}

static void tear_down(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(rows_writer, .init = set_up, .fini = tear_down);

static bool is_there(void)
{
    struct stat sb;
    return stat(path, &sb) == 0;
}

static const pf_str NAMES[] = {{"a", 1}, {"b", 1}};
static const pf_query_cell ROW[] = {{.type = PF_VALUE_INT, .as.i = 7}, {.type = PF_VALUE_STRING, .as.s = {"x", 1}}};
static const pf_query_cell OTHER[] = {{.type = PF_VALUE_STRING, .as.s = {"x", 1}}, {.type = PF_VALUE_NULL}};

static pf_rows_writer *begin(pf_table_format format, pf_error *err)
{
    pf_rows_writer *w;
    cr_assert_eq(pf_rows_writer_open(path, format, NULL, NULL, &w, err), PF_OK, "%s", err->text);
    return w;
}

Test(rows_writer, a_file_after_the_close)
{
    static const pf_table_format FORMATS[] = {PF_TABLES_ARROW_STREAM, PF_TABLES_PARQUET};
    for (size_t i = 0; i < 2; i++) {
        pf_error err;
        pf_rows_writer *w = begin(FORMATS[i], &err);
        cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_OK);
        cr_expect_eq(pf_rows_writer_row(w, ROW, &err), PF_OK);
        cr_expect_not(is_there());
        cr_expect_eq(pf_rows_writer_close(w, &err), PF_OK);
        cr_expect(is_there());
        pf_rows_writer_free(w);
        unlink(path);
        w = begin(FORMATS[i], &err);
        cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_OK);
        cr_expect_eq(pf_rows_writer_row(w, ROW, &err), PF_OK);
        pf_rows_writer_free(w);
        cr_expect_not(is_there());
    }
    pf_rows_writer_free(NULL);
}

Test(rows_writer, errors_stick)
{
    pf_error err;
    pf_rows_writer *w = begin(PF_TABLES_PARQUET, &err);
    cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_OK);
    cr_expect_eq(pf_rows_writer_row(w, ROW, &err), PF_OK);
    cr_expect_eq(pf_rows_writer_row(w, OTHER, NULL), PF_ERR_USAGE);
    static const char first[] =
        "row 2, column a: a text in a column that began with an integer; CAST(... AS TEXT) gives it one type";
    cr_expect_eq(pf_rows_writer_row(w, ROW, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, first);
    cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, first);
    cr_expect_eq(pf_rows_writer_close(w, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, first);
    pf_rows_writer_free(w);
    cr_expect_not(is_there());
}

Test(rows_writer, refused)
{
    pf_error err;
    pf_rows_writer *w;
    cr_expect_eq(pf_rows_writer_open(path, PF_TABLES_ARROW, NULL, NULL, &w, &err), PF_ERR_USAGE);
    cr_expect_null(w);
    cr_expect_eq(pf_rows_writer_open("/proc/none/rows", PF_TABLES_PARQUET, NULL, NULL, &w, &err), PF_ERR_OUTPUT);
    cr_expect_null(w);
    w = begin(PF_TABLES_ARROW_STREAM, &err);
    cr_expect_eq(pf_rows_writer_row(w, ROW, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "a row came before the columns");
    pf_rows_writer_free(w);
    w = begin(PF_TABLES_ARROW_STREAM, &err);
    cr_expect_eq(pf_rows_writer_close(w, &err), PF_ERR_USAGE);
    pf_rows_writer_free(w);
    w = begin(PF_TABLES_ARROW_STREAM, &err);
    cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_OK);
    cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_ERR_USAGE);
    pf_rows_writer_free(w);
    cr_expect_not(is_there());
}

Test(rows_writer, cancelled_and_limited)
{
    pf_error err;
    int cancel = 1;
    uint64_t written = 0;
    pf_write_options o = pf_write_options_default();
    pf_limits limits = pf_limits_default();
    pf_rows_writer *w;
    o.cancel = &cancel;
    o.written = &written;
    cr_expect_eq(pf_rows_writer_open(path, PF_TABLES_ARROW_STREAM, NULL, &o, &w, &err), PF_OK);
    cr_expect_eq(pf_rows_writer_columns(w, 2, NAMES, NULL, &err), PF_OK);
    cr_expect_eq(pf_rows_writer_close(w, &err), PF_ERR_CANCELLED);
    pf_rows_writer_free(w);
    limits.memory = 100000;
    cancel = 0;
    cr_expect_eq(pf_rows_writer_open(path, PF_TABLES_ARROW_STREAM, &limits, &o, &w, &err), PF_OK);
    pf_status st = pf_rows_writer_columns(w, 2, NAMES, NULL, &err);
    for (int i = 0; i < 100000 && st == PF_OK; i++) {
        st = pf_rows_writer_row(w, ROW, &err);
    }
    cr_expect_eq(st, PF_ERR_LIMIT);
    cr_expect(strstr(err.text, "max-memory"), "%s", err.text);
    pf_rows_writer_free(w);
    cr_expect_not(is_there());
}
