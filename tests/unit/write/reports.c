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
