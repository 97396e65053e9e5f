/* Folders that an output needs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "scratch.h"

TestSuite(folders, .init = scratch_enter, .fini = scratch_leave);

static bool is_folder(const char *path)
{
    struct stat sb;
    return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    cr_assert(fd >= 0);
    close(fd);
}

Test(folders, are_made_with_those_above_them)
{
    cr_expect_eq(pf_make_folder("one"), 0);
    cr_expect_eq(pf_make_folder("one/two/three"), 0);
    cr_expect_eq(pf_make_folder("four//five/"), 0, "slashes that say nothing");
    cr_expect(is_folder("one/two/three") && is_folder("four/five"));

    char above[4096];
    cr_assert_not_null(getcwd(above, sizeof above - 16));
    strcat(above, "/six/seven");
    cr_expect_eq(pf_make_folder(above), 0);
    cr_expect(is_folder("six/seven"));
}

Test(folders, that_exist_are_all_right)
{
    cr_expect_eq(pf_make_folder("one"), 0);
    cr_expect_eq(pf_make_folder("one"), 0);
    cr_expect_eq(symlink("one", "link"), 0);
    cr_expect_eq(pf_make_folder("link"), 0);
    cr_expect_eq(pf_make_folder("/"), 0);
    cr_expect_eq(pf_make_folder(""), 0);
}

Test(folders, of_a_file_do_not_take_its_name)
{
    cr_expect_eq(pf_make_folder_of("out/traces/a.pftrace"), 0);
    cr_expect(is_folder("out/traces"));
    cr_expect_eq(access("out/traces/a.pftrace", F_OK), -1);
    cr_expect_eq(pf_make_folder_of("a.pftrace"), 0);
    cr_expect_eq(access("a.pftrace", F_OK), -1);
    cr_expect_eq(pf_make_folder_of("/a.pftrace"), 0);
}

Test(folders, cannot_be_made_where_a_file_is)
{
    touch("file");
    cr_expect_eq(pf_make_folder("file"), ENOTDIR);
    cr_expect_eq(pf_make_folder("file/below"), ENOTDIR);
    cr_expect_eq(pf_make_folder_of("file/below/a.pftrace"), ENOTDIR);
}

/* The reason is that of the first one: what lies below it is not there only because of that. */
Test(folders, tell_what_hindered_the_first_one)
{
    cr_expect_eq(symlink("loop", "loop"), 0);
    cr_expect_eq(pf_make_folder("loop/below/it"), ELOOP);
    if (access("/sys/kernel", F_OK) == 0) {
        int made = mkdir("/sys/kernel/postfetto", 0777), fault = errno;
        cr_assert_eq(made, -1);
        cr_expect_neq(fault, ENOENT);
        cr_expect_eq(pf_make_folder("/sys/kernel/postfetto/below"), fault);
    }
}

Test(folders, the_last_part_of_a_path)
{
    cr_expect_str_eq(pf_path_name("a/b.c"), "b.c");
    cr_expect_str_eq(pf_path_name("b.c"), "b.c");
    cr_expect_str_eq(pf_path_name("/b"), "b");
    cr_expect_str_eq(pf_path_name("a/"), "");
}
