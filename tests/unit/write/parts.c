/* Tables whose rows are made part by part when they are read: every file says what it says of the same rows that are
 * kept, whichever of the files there are. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/findings/table_parts.h"
#include "postfetto/postfetto.h"
#include "scratch.h"

TestSuite(parts, .init = scratch_enter, .fini = scratch_leave);

enum { PARTS = 700 };

static const pf_column columns[] = {
    {"part", PF_CELL_INT, 0, ""}, {"name", PF_CELL_TEXT, 0, ""}, {"share", PF_CELL_REAL, 2, "%"}};

static const char *const names[] = {"gemm", "a,\"b\"\n|c|", ""};

/* Some parts have no rows. */
static uint32_t rows_of(uint32_t part)
{
    return part % 3 == 1 ? 0 : part % 17;
}

static void make_row(uint32_t part, uint32_t i, pf_cell *cells)
{
    cells[0] = pf_cell_int(part);
    cells[1] = pf_cell_text(i % 4 == 3 ? (pf_str){NULL, 0} : pf_str_of(names[i % 4]));
    cells[2] = pf_cell_real_if(i % 5 != 0, i / 7.0);
}

static void make_part(const void *of, uint32_t part, pf_table_builder *t)
{
    ++*(unsigned *)(uintptr_t)of;
    for (uint32_t i = 0; i < rows_of(part); i++) {
        make_row(part, i, pf_table_next_row(t));
    }
}

/* A document with the table, if it is to be there, and the table as CSV and Markdown. */
static pf_findings *find(bool in_parts, bool document, unsigned *made)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new_named(f, "t", PF_STR("title"), columns, 3);
    size_t rows = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        rows += rows_of(part);
        for (uint32_t i = 0; i < rows_of(part) && !in_parts; i++) {
            pf_cell cells[3];
            make_row(part, i, cells);
            pf_table_row(f, t, cells);
        }
    }
    if (in_parts) {
        pf_table_in_parts(t, PARTS, rows, make_part, made);
    }
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_rows(f, root, PF_STR("rows"), t, 1);
    if (document) {
        pf_findings_report_json(f, PF_STR("t.json"), root, false);
    }
    pf_findings_report_csv(f, PF_STR("t.csv"), t, false);
    pf_findings_add_report(f, &(pf_report){.file = PF_STR("t.md"), .form = PF_REPORT_MARKDOWN, .table = t});
    cr_assert_eq(pf_table_row_count(t), rows);
    return f;
}

static char *contents_of(const char *folder, const char *name)
{
    char path[64], *text = NULL;
    size_t len;
    pf_error err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(pf_read_bytes(path, NULL, &text, &len, &err), PF_OK);
    return text;
}

static void compare(bool document)
{
    static const char *const files[] = {"t.csv", "t.md", "t.json"};
    pf_error err;
    unsigned made = 0;
    pf_findings *whole = find(false, document, NULL), *parts = find(true, document, &made);
    cr_assert_eq(pf_write_reports(whole, "whole", NULL, NULL, NULL, &err), PF_OK);
    cr_assert_eq(pf_write_reports(parts, "parts", NULL, NULL, NULL, &err), PF_OK);
    cr_expect_eq(made, document ? PARTS : 2 * PARTS, "%u parts were made", made);
    for (int i = 0; i < 2 + document; i++) {
        char *a = contents_of("whole", files[i]), *b = contents_of("parts", files[i]), *text;
        size_t len;
        cr_expect_str_eq(a, b, "%s", files[i]);
        pf_status st =
            pf_format_report(pf_findings_report(parts, (size_t)(i + document) % (2u + document)), &text, &len, &err);
        cr_assert_eq(st, PF_OK);
        cr_expect_str_eq(text, a, "%s", files[i]);
        free(a);
        free(b);
        free(text);
    }
    pf_findings_free(whole);
    pf_findings_free(parts);
}

Test(parts, written_with_a_document)
{
    compare(true);
}

Test(parts, written_alone)
{
    compare(false);
}

Test(parts, of_a_table_that_is_asked_for_at_once)
{
    unsigned made = 0;
    pf_findings *whole = find(false, false, NULL), *parts = find(true, false, &made);
    const pf_table *a = pf_findings_table_named(whole, "t"), *b = pf_findings_table_named(parts, "t");
    cr_assert_eq(a->row_count, b->row_count);
    cr_expect_eq(made, PARTS);
    cr_expect_eq(pf_findings_table_named(parts, "t"), b);
    cr_expect_eq(made, PARTS, "the rows are kept from then on");
    for (size_t i = 0; i < 3 * a->row_count; i++) {
        const pf_cell *x = &a->cells[i], *y = &b->cells[i];
        cr_assert_eq(x->null, y->null);
        bool same = x->null || (i % 3 == 1 ? pf_str_equal(x->as.s, y->as.s) : x->as.i == y->as.i);
        cr_assert(same, "cell %zu", i);
    }
    pf_findings_free(whole);
    pf_findings_free(parts);
}
