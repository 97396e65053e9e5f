/* reports.c - report files: whole or not at all, in their folder, in their order. */
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct told {
    char lines[1024];
} told;

static void note(void *ctx, const char *path, bool announced)
{
    told *t = ctx;
    strcat(strcat(strcat(t->lines, announced ? "+" : "-"), path), "\n");
}

static pf_findings *two_reports(const char *first_name)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_findings_report_json(f, (pf_str){first_name, strlen(first_name)}, pf_node_root(f, PF_NODE_LIST), true);
    pf_findings_report_json(f, PF_STR("quality.json"), pf_node_root(f, PF_NODE_OBJECT), false);
    return f;
}

static void expect_file(const char *path, const char *expected)
{
    size_t len;
    char *bytes = test_read(path, &len);
    cr_assert_str_eq(bytes, expected);
    free(bytes);
}

Test(reports, folders_are_created_and_paths_composed)
{
    char *folder = test_folder();
    char *dir = test_path(folder, "a/b//c/"), *file = test_path(folder, "a/b//c/tile2,1.json");
    pf_findings *f = two_reports("tile2,1.json");
    told t = {""};
    pf_error err;
    uint64_t written = 0;
    const pf_write_options o = {.sync = false, .written = &written};
    cr_assert_eq(pf_write_reports(f, dir, &o, note, &t, &err), PF_OK);
    expect_file(file, "[]");
    char *expected;
    cr_assert_geq(asprintf(&expected, "+%s/a/b//c/tile2,1.json\n-%s/a/b//c/quality.json\n", folder, folder), 0);
    cr_assert_str_eq(t.lines, expected);
    cr_assert_eq(written, 4);
    free(expected);
    free(file);
    free(dir);
    pf_findings_free(f);
    test_folder_remove(folder);
}

Test(reports, the_folder_dot_is_not_printed)
{
    char *folder = test_folder();
    cr_assert_eq(chdir(folder), 0);
    pf_findings *f = two_reports("x.json");
    told t = {""};
    pf_error err;
    cr_assert_eq(pf_write_reports(f, ".", NULL, note, &t, &err), PF_OK);
    cr_assert_str_eq(t.lines, "+x.json\n-quality.json\n");
    expect_file("x.json", "[]");
    pf_findings_free(f);
    test_folder_remove(folder);
}

Test(reports, names_cannot_leave_the_folder)
{
    static const struct {
        pf_str name;
        const char *stored;
    } cases[] = {{PF_STR("../../etc/x.json"), ".._.._etc_x.json"},
                 {PF_STR(".."), "__"},
                 {PF_STR("."), "_"},
                 {PF_STR(""), "_"},
                 {PF_STR("/abs"), "_abs"},
                 {{"nul\0l", 5}, "nul_l"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = test_folder(), *dir = test_path(folder, "r"), *file = test_path(dir, cases[i].stored);
        pf_findings *f = pf_findings_new(NULL);
        pf_error err;
        pf_findings_report_json(f, cases[i].name, pf_node_root(f, PF_NODE_LIST), true);
        cr_assert_eq(pf_write_reports(f, dir, NULL, NULL, NULL, &err), PF_OK);
        expect_file(file, "[]");
        cr_assert_eq(test_entries(folder), 1);
        cr_assert_eq(test_entries(dir), 1);
        pf_findings_free(f);
        free(file);
        free(dir);
        test_folder_remove(folder);
    }
}

Test(reports, an_existing_file_is_replaced_and_nothing_else_left)
{
    char *folder = test_folder(), *file = test_path(folder, "x.json");
    FILE *old = fopen(file, "w");
    fputs("something much longer than the new content", old);
    fclose(old);
    pf_findings *f = two_reports("x.json");
    pf_error err;
    cr_assert_eq(pf_write_reports(f, folder, NULL, NULL, NULL, &err), PF_OK);
    expect_file(file, "[]");
    cr_assert_eq(test_entries(folder), 2);
    pf_findings_free(f);
    free(file);
    test_folder_remove(folder);
}

Test(reports, a_file_in_the_way_of_the_folder)
{
    char *folder = test_folder(), *file = test_path(folder, "x"), *dir = test_path(folder, "x/y");
    fclose(fopen(file, "w"));
    pf_findings *f = two_reports("x.json");
    pf_error err;
    cr_assert_eq(pf_write_reports(f, dir, NULL, NULL, NULL, &err), PF_ERR_OUTPUT);
    cr_assert_str_eq(err.file, dir);
    cr_assert_neq(err.text[0], '\0');
    pf_findings_free(f);
    free(dir);
    free(file);
    test_folder_remove(folder);
}

Test(reports, a_folder_in_the_way_of_one_file_lets_none_appear)
{
    char *folder = test_folder(), *blocker = test_path(folder, "quality.json");
    cr_assert_eq(mkdir(blocker, 0777), 0);
    pf_findings *f = two_reports("x.json");
    pf_error err;
    cr_assert_eq(pf_write_reports(f, folder, NULL, NULL, NULL, &err), PF_ERR_OUTPUT);
    cr_assert_eq(test_entries(folder), 1, "the folder that was there");
    pf_findings_free(f);
    free(blocker);
    test_folder_remove(folder);
}

Test(reports, cancelled_before_the_first_file)
{
    char *folder = test_folder();
    pf_findings *f = two_reports("x.json");
    const volatile int cancel = 2;
    const pf_write_options o = {.cancel = &cancel};
    pf_error err;
    cr_assert_eq(pf_write_reports(f, folder, &o, NULL, NULL, &err), PF_ERR_CANCELLED);
    cr_assert_eq(test_entries(folder), 0);
    pf_findings_free(f);
    test_folder_remove(folder);
}

/* xxhsum -H2 prints these (XXH3 128 bits, seed 0). */
Test(reports, input_hash)
{
    char hex[33];
    const pf_input empty = {.stored = (const uint8_t *)""};
    pf_input_hash(&empty, hex);
    cr_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
    const pf_input abc = {.stored = (const uint8_t *)"abc", .stored_bytes = 3};
    pf_input_hash(&abc, hex);
    cr_assert_str_eq(hex, "06b05ab6733a618578af5f94892f3950");
}

static void expect_text(const pf_report *r, const char *expected)
{
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_report(r, &text, &len, &err), PF_OK);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(len, strlen(expected));
    free(text);
}

Test(reports, every_form_as_text)
{
    static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""}, {"n", PF_CELL_INT, 0, "ns"}};
    const pf_cell cells[] = {{.as.s = PF_STR("a|b")}, {.as.i = 5}};
    static const pf_csv_style semicolons = {.separator = ';'};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("T"), columns, 2);
    pf_table_row(f, t, cells);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("k"), 1);
    pf_text *bytes = pf_text_new(f);
    pf_text_put(f, bytes, PF_STR("as it is"));
    const pf_json_style style = {.one_line = true};
    const pf_report json = {.form = PF_REPORT_JSON, .root = root, .json = &style};
    const pf_report csv = {.form = PF_REPORT_CSV, .table = t, .csv = &semicolons};
    const pf_report details = {.form = PF_REPORT_MARKDOWN_DETAILS, .table = t};
    const pf_report markdown = {.form = PF_REPORT_MARKDOWN, .table = t};
    const pf_report table = {.form = PF_REPORT_TABLE, .table = t};
    const pf_report text = {.form = PF_REPORT_BYTES, .text = bytes};
    expect_text(&json, "{\"k\": 1}");
    expect_text(&csv, "name;n\na|b;5\n");
    expect_text(&details, "<details><summary><strong>T</strong></summary>\n\n"
                          "| name | n |\n|------|---|\n| a|b | 5 |\n\n</details>\n");
    expect_text(&markdown, "**T**\n\n| name | n (ns) |\n|---|---:|\n| a\\|b | 5 |\n");
    expect_text(&table, "T\nname  n (ns)\na|b        5\n");
    expect_text(&text, "as it is");
    const pf_report trace = {.form = PF_REPORT_TRACE};
    char *none;
    size_t len;
    pf_error err;
    cr_expect_eq(pf_format_report(&trace, &none, &len, &err), PF_ERR_INTERNAL);
    cr_expect_eq(pf_format_json(NULL, &none, &len, &err), PF_ERR_INTERNAL);
    pf_findings_free(f);
}

/* The next report must be called so and be there already. */
typedef struct in_order {
    const char *folder;
    size_t next;
} in_order;

static void expect_next(void *ctx, const char *path, bool announced)
{
    in_order *o = ctx;
    char expected[512];
    snprintf(expected, sizeof expected, "%s/%03zu.json", o->folder, o->next);
    cr_expect_str_eq(path, expected);
    cr_expect_eq(announced, o->next % 2 == 1);
    cr_expect_eq(access(path, F_OK), 0);
    o->next++;
}

/* Reports are put in place 64 at a time, in their order; one that belongs elsewhere does not hold up those before. */
Test(reports, more_than_are_put_in_place_at_once)
{
    static const size_t counts[] = {1, 63, 64, 65, 128, 130};
    for (size_t k = 0; k < 2 * sizeof counts / sizeof *counts; k++) {
        size_t count = counts[k / 2];
        char *folder = test_folder(), name[32];
        pf_findings *f = pf_findings_new(NULL);
        in_order seen = {folder, 0};
        pf_error err;
        uint64_t written = 0;
        const pf_write_options o = {.sync = k % 2, .written = &written};
        for (size_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%03zu.json", i);
            pf_findings_report_json(f, (pf_str){name, strlen(name)}, pf_node_root(f, PF_NODE_LIST), i % 2);
        }
        if (k % 2) {
            pf_findings_report_trace(f, PF_STR("x.pftrace"), test_trace("perfetto", PF_WANT_EVENTS), PF_PLACE_REPORTS);
        }
        cr_assert_eq(pf_write_reports(f, folder, &o, expect_next, &seen, &err), PF_OK, "%s", err.text);
        cr_expect_eq(seen.next, count);
        cr_expect_eq(test_entries(folder), count);
        cr_expect_eq(written, 2 * count); /* "[]" each */
        pf_findings_free(f);
        test_folder_remove(folder);
    }
}
