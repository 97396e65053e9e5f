/* test_folders.c - which folders are Neutrino's: run directories, and trees that lead to one. */
#include <sys/stat.h>

#include "../../scratch.h"
#include "postfetto/postfetto.h"

TestSuite(folders, .init = scratch_enter, .fini = scratch_leave);

static void make_file(const char *path)
{
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    cr_assert_eq(fclose(f), 0);
}

static void make_folders(const char *const *paths)
{
    for (; *paths; paths++) {
        cr_assert_eq(mkdir(*paths, 0777), 0, "%s", *paths);
    }
}

static pf_probe probe(void)
{
    return pf_reader_find("neutrino")->probe(NULL, 0, ".", true);
}

Test(folders, any_branch_leads_to_a_run)
{
    make_folders((const char *const[]){"b", "b/c", "d", NULL});
    make_file("a_note_before_the_folders");
    make_file("b/another");
    cr_expect_eq(probe(), PF_PROBE_NO);
    make_file("d/event.log");
    cr_expect_eq(probe(), PF_PROBE_SURE, "whatever folders come before");
}

Test(folders, hidden_folders_and_expectations_lead_nowhere)
{
    make_folders((const char *const[]){".a", "expected", NULL});
    make_file(".a/event.log");
    make_file("expected/event.log");
    cr_expect_eq(probe(), PF_PROBE_NO);
    make_folders((const char *const[]){"f", NULL});
    make_file("f/probe.toml");
    cr_expect_eq(probe(), PF_PROBE_SURE);
}

Test(folders, files_of_a_run)
{
    make_file("a.json");
    cr_expect_eq(probe(), PF_PROBE_NO);
    make_folders((const char *const[]){"result", NULL});
    cr_expect_eq(probe(), PF_PROBE_NO);
    make_file("result/0.1.bin");
    cr_expect_eq(probe(), PF_PROBE_SURE);
}
