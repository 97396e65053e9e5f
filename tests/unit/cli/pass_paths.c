/* Where a pass writes what it makes, and formats by the endings of names. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/pass/pass.h"
#include "scratch.h"

TestSuite(pass_paths, .init = scratch_enter, .fini = scratch_leave);

static void expect_text(char *got, const char *wanted, const char *of)
{
    cr_expect_eq(got != NULL, wanted != NULL, "%s", of);
    cr_expect(!wanted || !got || strcmp(got, wanted) == 0, "%s: %s", of, got ? got : "");
    free(got);
}

/* As pathlib.Path(PATH).parent says it. */
Test(pass_paths, folders)
{
    static const char *const rows[][2] = {{"a", "."},   {"a/b", "a"},     {"a//b", "a"}, {"a///b", "a"}, {"/b", "/"},
                                          {"//b", "/"}, {"a/b/c", "a/b"}, {"./a", "."},  {"../a", ".."}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_text(pf_cli_folder_of(rows[i][0]), rows[i][1], rows[i][0]);
    }
}

Test(pass_paths, names_without_their_endings)
{
    static const char *const rows[][2] = {{"a.json", "a"},
                                          {"a.json.gz", "a"},
                                          {"a.json.zst", "a"},
                                          {"a.json.zip", "a"},
                                          {"a.gz", "a"},
                                          {"d.e/a", "d.e/a"},
                                          {"d/a.b.c", "d/a.b"},
                                          {".gz", ".gz"},
                                          {".hidden", ".hidden"},
                                          {"d/.hidden", "d/.hidden"},
                                          {"d/.hidden.x", "d/.hidden"},
                                          {"a.gz.gz", "a"},
                                          {"a", "a"},
                                          {NULL, NULL},
                                          {"-", NULL},
                                          {"/dev/null", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *stem;
        cr_expect(pf_cli_output_stem(rows[i][0], &stem));
        expect_text(stem, rows[i][1], rows[i][0] ? rows[i][0] : "NULL");
    }
}

Test(pass_paths, where_reports_go)
{
    static const pf_pass usual = {.name = "u"}, on_request = {.reports_on_request = true},
                         by_output = {.reports_by_output = true};
    static const struct {
        const pf_pass *pass;
        const char *report, *out, *main, *wanted;
    } rows[] = {
        {&usual, "r", "o/x", "m/t.json", "r"},
        {&usual, NULL, "o/x", "m/t.json", "m"},
        {&usual, NULL, NULL, "t.json", "."},
        {&usual, NULL, NULL, "-", NULL},
        {&usual, "r", NULL, "-", "r"},
        {&on_request, NULL, "o/x", "m/t.json", NULL},
        {&on_request, "r", "o/x", "m/t.json", "r"},
        {&by_output, NULL, "o/x", "m/t.json", "o"},
        {&by_output, NULL, NULL, "m/t.json", "m"},
        {&by_output, NULL, "-", "m/t.json", "m"},
        {&by_output, NULL, "o/x", "-", "o"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_cli_run run = {.pass = rows[i].pass,
                          .set = &(pf_cli_settings){.report = rows[i].report, .out = rows[i].out}};
        char *dir;
        cr_expect(pf_cli_report_folder(&run, rows[i].main, &dir));
        expect_text(dir, rows[i].wanted, rows[i].main);
    }
}

Test(pass_paths, a_path_for_each_place)
{
    static const struct {
        pf_place place;
        const char *out, *dir, *file, *wanted;
    } rows[] = {
        {PF_PLACE_STDOUT, "o", "d", "f", NULL},     {PF_PLACE_OUTPUT, "o/x", "d", "f", "o/x"},
        {PF_PLACE_OUTPUT, NULL, "d", "f", NULL},    {PF_PLACE_BESIDE, "o/x", "d", "f", "o/f"},
        {PF_PLACE_BESIDE, "x", NULL, "f", "./f"},   {PF_PLACE_BESIDE, NULL, "d", "f", NULL},
        {PF_PLACE_BESIDE, "-", "d", "f", NULL},     {PF_PLACE_BESIDE, "o/x", "d", "", NULL},
        {PF_PLACE_INSTEAD, "o/x", "d", "f", "o/f"}, {PF_PLACE_REPORTS, "o/x", "d", "f", "d/f"},
        {PF_PLACE_REPORTS, "o/x", NULL, "f", NULL}, {PF_PLACE_REPORTS, NULL, "d/e", "../f/g", "d/e/.._f_g"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_cli_run run = {.set = &(pf_cli_settings){.out = rows[i].out}};
        pf_report r = {.place = rows[i].place, .file = {rows[i].file, strlen(rows[i].file)}};
        char *path;
        cr_expect(pf_cli_report_path(&run, rows[i].dir, &r, &path));
        expect_text(path, rows[i].wanted, rows[i].file);
    }
}

static bool is_same(const char *a, const char *b)
{
    bool same;
    cr_expect(pf_cli_same_target(a, b, &same));
    return same;
}

Test(pass_paths, two_paths_of_one_file)
{
    cr_assert(mkdir("d", 0777) == 0 && mkdir("e", 0777) == 0 && symlink("d", "link") == 0);
    cr_expect(is_same("d/x", "d/x"));
    cr_expect(is_same("d/x", "./d//x"));
    cr_expect(is_same("d/x", "link/x"));
    cr_expect(is_same("x", "./x"));
    cr_expect_not(is_same("d/x", "d/y"));
    cr_expect_not(is_same("d/x", "e/x"));
    cr_expect_not(is_same("x", "d/x"));
    cr_expect_not(is_same("no/x", "no/x"), "there is no such folder");
}

/* The pass says the endings of what it makes itself. */
Test(pass_paths, outputs_of_a_pass)
{
    static const struct {
        const char *outputs, *out;
        bool own;
    } rows[] = {
        {NULL, "a.json", false},          {"", "a.json", false},
        {"json", "a.json", true},         {"json", "a.JSON", false},
        {"json", ".json", false},         {"json", "a-json", false},
        {"json", "json", false},          {"csv|json", "a.json", true},
        {"csv|json", "a.csv", true},      {"csv|json", "a.sv", false},
        {"csv|json.gz", "a.json", false}, {"csv|json.gz", "d/a.json.gz", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_pass pass = {.outputs = rows[i].outputs};
        pf_cli_run run = {.pass = &pass, .set = &(pf_cli_settings){.out = rows[i].out}};
        cr_expect_eq(pf_cli_makes_output(&run), rows[i].own, "%s %s", rows[i].outputs ? rows[i].outputs : "NULL",
                     rows[i].out);
    }
}

Test(pass_paths, what_must_be_read_for_an_output)
{
    static const pf_pass draws = {.draw_want = PF_WANT_EVENTS, .outputs = "csv"}, plain = {.outputs = "csv"};
    static const struct {
        const pf_pass *pass;
        const char *out;
        uint32_t want;
    } rows[] = {{&draws, NULL, 0},
                {&draws, "a.pftrace", PF_WANT_EVENTS},
                {&draws, "a.csv", PF_WANT_TO_WRITE},
                {&plain, NULL, 0},
                {&plain, "a.pftrace", PF_WANT_TO_WRITE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_cli_run run = {.pass = rows[i].pass, .set = &(pf_cli_settings){.out = rows[i].out}};
        cr_expect_eq(pf_cli_output_want(&run), rows[i].want, "row %zu", i);
    }
}

Test(pass_paths, formats_by_name_and_ending)
{
    static const struct {
        const char *path, *name;
        bool gzip;
    } rows[] = {
        {"a.pftrace", "pftrace", false},
        {"a.pftrace.gz", "pftrace.gz", true},
        {"a.perfetto-trace", "pftrace", false},
        {"a.perfetto-trace.gz", "pftrace.gz", true},
        {"a.json", "json", false},
        {"a.json.gz", "json.gz", true},
        {"a.sqlite", "sqlite", false},
        {"a.sqlite.gz", NULL, false},
        {".json", NULL, false},
        {"json", NULL, false},
        {"a.gz", NULL, false},
        {"a.json.zst", NULL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const pf_cli_trace_format *f = pf_cli_format_of_path(rows[i].path, strlen(rows[i].path));
        cr_expect_eq(f != NULL, rows[i].name != NULL, "%s", rows[i].path);
        if (f && rows[i].name) {
            cr_expect_str_eq(f->name, rows[i].name, "%s", rows[i].path);
            cr_expect_eq(f->gzip, rows[i].gzip, "%s", rows[i].path);
            cr_expect_str_eq(pf_cli_format_named(rows[i].name)->name, rows[i].name);
        }
    }
    cr_expect_null(pf_cli_format_named("zip"));
    cr_expect_null(pf_cli_format_named("pftrac"));
}
