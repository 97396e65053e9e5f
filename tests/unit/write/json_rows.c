/* json_rows.c - lists made of the rows of a table, against the same rows as nodes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/outfile.h"
#include "postfetto/postfetto.h"
#include "scratch.h"
#include "write/report/report_text.h"

static const pf_column columns[] = {{"who \"q\"", PF_CELL_TEXT, 0, ""},
                                    {"n", PF_CELL_INT, 0, ""},
                                    {"share", PF_CELL_REAL, -1, "%"},
                                    {"name", PF_CELL_TEXT, 0, ""}};
enum { COLUMNS = sizeof columns / sizeof *columns, ROWS = 300 };

/* Texts that repeat, that need escapes, empty ones and absent ones. */
static const pf_str texts[] = {{"a", 1}, {"a", 1}, {"tab\there", 8}, {"", 0}, {NULL, 0}, {"\xc3\xa4\"", 3}, {"a", 1}};

static void make_row(unsigned i, pf_cell row[COLUMNS])
{
    const pf_str who = texts[i / 5 % 7], name = texts[i % 7];
    row[0] = (pf_cell){.null = !who.ptr, .as.s = who};
    row[1] = (pf_cell){.null = i % 11 == 0, .as.i = (int64_t)i * i - 40};
    row[2] = (pf_cell){.null = i % 3 == 0, .as.d = i / 8.0};
    row[3] = (pf_cell){.null = !name.ptr, .as.s = name};
}

static void add_nodes(pf_findings *f, pf_node *list, const pf_cell row[COLUMNS], size_t from)
{
    pf_node *object = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    for (size_t c = from; c < COLUMNS; c++) {
        const pf_str key = {columns[c].name, strlen(columns[c].name)};
        if (row[c].null) {
            pf_node_add(f, object, key, PF_NODE_NULL);
        } else if (columns[c].type == PF_CELL_INT) {
            pf_node_add_int(f, object, key, row[c].as.i);
        } else if (columns[c].type == PF_CELL_REAL) {
            pf_node_add_real(f, object, key, row[c].as.d);
        } else {
            pf_node_add_text(f, object, key, row[c].as.s);
        }
    }
}

static void expect_same(const pf_node *given, const pf_node *expected, const pf_json_style *style)
{
    char *a, *b;
    size_t a_len, b_len;
    cr_assert_eq(pf_format_json_styled(given, style, &a, &a_len, NULL), PF_OK);
    cr_assert_eq(pf_format_json_styled(expected, style, &b, &b_len, NULL), PF_OK);
    cr_expect_eq(a_len, b_len);
    cr_expect_str_eq(a, b);
    free(a);
    free(b);
}

static void compare_in_all_styles(unsigned rows, size_t from)
{
    static const pf_json_style styles[] = {{.indent = 0},
                                           {.one_line = true},
                                           {.indent = 7, .utf8 = true, .final_newline = true},
                                           {.one_line = true, .item_separator = ",", .key_separator = ":"}};
    pf_findings *f = pf_findings_new(NULL);
    pf_node *given = pf_node_root(f, PF_NODE_OBJECT), *expected = pf_node_root(f, PF_NODE_OBJECT);
    pf_table_builder *t = pf_table_new(f, PF_STR("rows"), columns, COLUMNS);
    pf_node *inner = pf_node_add(f, given, PF_STR("in"), PF_NODE_LIST);
    pf_node_add_rows(f, inner, (pf_str){NULL, 0}, t, from); /* before there are any */
    pf_node_add_rows(f, given, PF_STR("list"), t, from);
    inner = pf_node_add(f, expected, PF_STR("in"), PF_NODE_LIST);
    pf_node *lists[] = {pf_node_add(f, inner, (pf_str){NULL, 0}, PF_NODE_LIST),
                        pf_node_add(f, expected, PF_STR("list"), PF_NODE_LIST)};
    for (unsigned i = 0; i < rows; i++) {
        pf_cell row[COLUMNS];
        make_row(i, row);
        pf_table_row(f, t, row);
        add_nodes(f, lists[0], row, from);
        add_nodes(f, lists[1], row, from);
    }
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        expect_same(given, expected, &styles[i]);
        expect_same(pf_node_copy(f, NULL, (pf_str){NULL, 0}, given), expected, &styles[i]);
    }
    cr_expect_eq(pf_findings_status(f, NULL), PF_OK);
    pf_findings_free(f);
}

Test(json_rows, are_the_rows_as_nodes)
{
    compare_in_all_styles(ROWS, 0);
    compare_in_all_styles(1, 0);
}

Test(json_rows, from_a_column_on)
{
    compare_in_all_styles(ROWS, 2);
    compare_in_all_styles(2, COLUMNS);
}

Test(json_rows, of_no_row)
{
    compare_in_all_styles(0, 0);
}

/* What the file `name` holds, with a NUL after it; malloc'd. */
static char *contents(const char *name, size_t *len)
{
    FILE *f = fopen(name, "rb");
    cr_assert_not_null(f);
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*len + 1, 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, *len, f), *len);
    fclose(f);
    return text;
}

/* The buffer is emptied many times; a text must not be taken from where an earlier one stood. */
Test(json_rows, of_a_long_document_in_a_file_are_those_of_its_text, .init = scratch_enter, .fini = scratch_leave)
{
    static const pf_json_style style = {.final_newline = true};
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_table_builder *t = pf_table_new(f, PF_STR("rows"), columns, COLUMNS);
    pf_node_add_rows(f, root, PF_STR("list"), t, 0);
    for (unsigned i = 0; i < 20000; i++) {
        pf_cell row[COLUMNS];
        make_row(i, row);
        pf_table_row(f, t, row);
    }
    pf_node *list = pf_node_add(f, root, PF_STR("nodes"), PF_NODE_LIST);
    for (int64_t i = 0; i < 40000; i++) {
        pf_node_add_int(f, list, (pf_str){NULL, 0}, i);
    }
    pf_outfile file;
    pf_error err;
    uint64_t written = 5;
    char *text;
    size_t len, file_len;
    cr_assert_eq(pf_format_json_styled(root, &style, &text, &len, &err), PF_OK);
    cr_assert_eq(pf_outfile_open(&file, "document.json", &err), PF_OK);
    cr_assert_eq(pf_json_write(root, &style, &file, NULL, &written, &err), PF_OK);
    cr_assert_eq(pf_outfile_commit(&file, false, &err), PF_OK);
    char *in_file = contents("document.json", &file_len);
    cr_expect_gt(len, 2000000);
    cr_expect_eq(written, 5 + len);
    cr_expect_eq(file_len, len);
    cr_expect_str_eq(in_file, text);
    free(in_file);
    free(text);
    pf_findings_free(f);
}

Test(json_rows, a_file_that_is_full_is_reported)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *list = pf_node_root(f, PF_NODE_LIST);
    for (int64_t i = 0; i < 400000; i++) {
        pf_node_add_int(f, list, (pf_str){NULL, 0}, i);
    }
    pf_outfile file;
    pf_error err;
    uint64_t written = 0;
    cr_assert_eq(pf_outfile_open(&file, "/dev/full", &err), PF_OK);
    cr_expect_eq(pf_json_write(list, NULL, &file, NULL, &written, &err), PF_ERR_OUTPUT);
    pf_outfile_abort(&file);
    pf_findings_free(f);
}
