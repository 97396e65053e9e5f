/* The walk that finds traces, what changed since the one before, and names that are outputs. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/hook/hook.h"
#include "scratch.h"

TestSuite(hook_files, .init = scratch_enter, .fini = scratch_leave);

Test(hook_files, all_files_below_a_folder_by_path)
{
    pf_hook_files f;
    cr_assert(mkdir("d", 0777) == 0 && mkdir("d/e", 0777) == 0 && mkdir("d/.hidden", 0777) == 0);
    for (int i = 0; i < 200; i++) {
        char path[32];
        snprintf(path, sizeof path, "d/%s%03d", i % 2 ? "e/" : "", i);
        scratch_write(path, "x");
    }
    scratch_write("d/.hidden/a", "x");
    scratch_write("d/e/.b", "x");
    cr_assert_eq(symlink("000", "d/link"), 0);
    pf_hook_files_list(&f, "d", PF_HOOK_FILES);
    cr_assert_not(f.failed);
    cr_assert_eq(f.count, 200);
    cr_assert_str_eq(f.at[0].path, "d/000");
    cr_assert_str_eq(f.at[99].path, "d/198");
    cr_assert_str_eq(f.at[100].path, "d/e/001");
    cr_assert_str_eq(f.at[199].path, "d/e/199");
    pf_hook_files_free(&f);
    cr_assert_eq(f.count, 0);
    pf_hook_files_list(&f, "d", PF_HOOK_FOLDERS);
    cr_assert_eq(f.count, 2);
    cr_assert_str_eq(f.at[0].path, "d");
    cr_assert_str_eq(f.at[1].path, "d/e");
    pf_hook_files_free(&f);
    pf_hook_files_list(&f, ".", PF_HOOK_FOLDERS);
    cr_assert_str_eq(f.at[1].path, "d", "no ./ in front");
    pf_hook_files_free(&f);
    pf_hook_files_list(&f, "nowhere", PF_HOOK_FILES);
    cr_assert_eq(f.count, 0);
    pf_hook_files_free(&f);
}

/* Whether the file of this name, as it is now, was there as it is. */
static bool is_same(const pf_hook_files *before, const char *path)
{
    pf_hook_files now;
    bool same = false;
    pf_hook_files_list(&now, ".", PF_HOOK_FILES);
    for (size_t i = 0; i < now.count; i++) {
        same |= strcmp(now.at[i].path, path) == 0 && pf_hook_files_has(before, &now.at[i]);
    }
    pf_hook_files_free(&now);
    return same;
}

static void set_time(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

Test(hook_files, what_changed)
{
    pf_hook_files before;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    pf_hook_files_list(&before, ".", PF_HOOK_FILES);
    scratch_write("first", "x");
    cr_expect_not(is_same(&before, "first"), "nothing was there");
    pf_hook_files_free(&before);
    for (size_t i = 0; i < 5; i++) {
        scratch_write(names[i], "x");
        set_time(names[i], 1000, 5);
    }
    pf_hook_files_list(&before, ".", PF_HOOK_FILES);
    set_time("b", 1001, 5);
    set_time("c", 1000, 6);
    scratch_write("d", "xy");
    set_time("d", 1000, 5);
    scratch_write("other", "x");
    set_time("other", 1000, 5);
    cr_assert_eq(rename("other", "e"), 0);
    scratch_write("new", "x");
    cr_expect(is_same(&before, "a"));
    cr_expect_not(is_same(&before, "b"), "another second");
    cr_expect_not(is_same(&before, "c"), "another nanosecond");
    cr_expect_not(is_same(&before, "d"), "another size");
    cr_expect_not(is_same(&before, "e"), "another file of that name");
    cr_expect_not(is_same(&before, "new"));
    pf_hook_files_free(&before);
}

Test(hook_files, names_of_outputs)
{
    static const char *const outputs[] = {"a.report.json",
                                          "d/a.report.md",
                                          "a.report.html",
                                          "a.enriched.pftrace",
                                          ".report.json",
                                          "d/a.reports/index.json",
                                          "a.json.slowest-step.json.gz",
                                          "d/a.slowest-step.pftrace"};
    static const char *const others[] = {"a.json",           "report.json",
                                         "a.report.json.gz", "a.enriched.json",
                                         "a.reports",        "a.report.txt",
                                         "reports/a.json",   "",
                                         "a.slowest-step",   "a.slowest-step.d/a.json"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        cr_expect(pf_hook_is_output_name(outputs[i]), "%s", outputs[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_not(pf_hook_is_output_name(others[i]), "%s", others[i]);
    }
}
