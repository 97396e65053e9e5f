/* Inputs and atomic outputs. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/outfile.h"
#include "scratch.h"

TestSuite(files, .init = scratch_enter, .fini = scratch_leave);

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_content(const char *name, const char *text)
{
    char got[256] = "";
    FILE *f = fopen(name, "rb");
    cr_assert_not_null(f, "%s", name);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    cr_expect_str_eq(got, text);
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(".");
    while (readdir(d)) {
        n++;
    }
    closedir(d);
    return n - 2;
}

Test(files, mapped_and_copied_inputs_end_in_zeros)
{
    char text[4097];
    memset(text, 'x', 4096);
    text[4096] = '\0';
    put("page", text);
    for (int map = 0; map < 2; map++) {
        pf_budget b;
        pf_budget_init(&b, NULL);
        pf_file f;
        pf_error err;
        cr_assert_eq(pf_file_open(&f, "page", map, &b, &err), PF_OK);
        cr_expect_eq(f.size, 4096);
        cr_expect_eq(f.data[4095], 'x');
        for (int i = 0; i < PF_SLOP; i++) {
            cr_expect_eq(f.data[4096 + i], 0);
        }
        cr_expect_eq(b.used > 0, !map, "copies are charged, mappings are not");
        pf_file_close(&f);
        cr_expect_eq(b.used, 0);
    }
}

Test(files, input_errors_say_what_to_do)
{
    pf_limits l = pf_limits_default();
    l.input = 3;
    pf_budget b;
    pf_budget_init(&b, &l);
    pf_file f;
    pf_error err;
    put("four", "1234");
    cr_expect_eq(pf_file_open(&f, "missing", false, &b, &err), PF_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "No such file"));
    cr_expect_eq(pf_file_open(&f, ".", false, &b, &err), PF_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "folder"));
    for (int map = 0; map < 2; map++) {
        cr_expect_eq(pf_file_open(&f, "four", map, &b, &err), PF_ERR_LIMIT);
        cr_expect_not_null(strstr(err.text, "--max-input"));
    }
    /* what says no size is too large once it has been read, and is given back */
    cr_expect_eq(pf_file_open(&f, "/proc/self/status", true, &b, &err), PF_ERR_LIMIT);
    cr_expect_not_null(strstr(err.text, "--max-input"));
    cr_expect(!f.data && !f.size && !f.is_open);
    cr_expect_eq(b.used, 0);
}

Test(files, output_appears_on_commit_only)
{
    pf_error err;
    pf_outfile o;
    put("out", "old");
    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&o, "new content", 11, &err), PF_OK);
    expect_content("out", "old");
    cr_assert_eq(pf_outfile_commit(&o, true, &err), PF_OK);
    expect_content("out", "new content");
    cr_expect_eq(entries(), 1);
    pf_outfile_abort(&o);

    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&o, "lost", 4, &err), PF_OK);
    pf_outfile_abort(&o);
    expect_content("out", "new content");
    cr_expect_eq(entries(), 1);
}

Test(files, outputs_of_one_name_do_not_meet_before_they_are_in_place)
{
    pf_error err;
    pf_outfile a, b;
    cr_assert_eq(pf_outfile_open(&a, "out", &err), PF_OK);
    cr_assert_eq(pf_outfile_open(&b, "out", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&a, "first", 5, &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&b, "second", 6, &err), PF_OK);
    cr_assert_eq(pf_outfile_flush(&a, &err), PF_OK);
    cr_assert_eq(pf_outfile_flush(&b, &err), PF_OK);
    cr_assert_eq(pf_outfile_sync(&a, &err), PF_OK);
    cr_assert_eq(pf_outfile_commit(&a, false, &err), PF_OK);
    expect_content("out", "first");
    cr_assert_eq(pf_outfile_commit(&b, true, &err), PF_OK);
    expect_content("out", "second");
    cr_expect_eq(entries(), 1);
}

Test(files, large_outputs_are_whole)
{
    pf_error err;
    pf_outfile o;
    cr_assert_eq(pf_outfile_open(&o, "large", &err), PF_OK);
    static char block[100001];
    size_t total = 0;
    for (size_t size = 1; size <= sizeof block; size = size * 3 + 1) {
        memset(block, (int)(size % 251), size);
        cr_assert_eq(pf_outfile_write(&o, block, size, &err), PF_OK);
        total += size;
    }
    cr_expect_eq(o.written, total);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    struct stat sb;
    stat("large", &sb);
    cr_expect_eq((size_t)sb.st_size, total);
    FILE *f = fopen("large", "rb");
    for (size_t size = 1; size <= sizeof block; size = size * 3 + 1) {
        for (size_t i = 0; i < size; i++) {
            cr_assert_eq(fgetc(f), (int)(size % 251));
        }
    }
    fclose(f);
}

Test(files, leftovers_of_killed_runs_go_but_running_ones_stay)
{
    pf_error err;
    put(".out.123.postfetto-tmp", "stale");
    put(".other.123.postfetto-tmp", "of another target");
    put(".out.backup", "a user's file");
    int locked[2], finished[2];
    cr_assert_eq(pipe(locked), 0);
    cr_assert_eq(pipe(finished), 0);
    pid_t running = fork();
    cr_assert_geq(running, 0);
    if (running == 0) { /* another run, which holds its file until this one is through */
        char byte = 0;
        close(finished[1]);
        int held = open(".out.77.postfetto-tmp", O_CREAT | O_WRONLY, 0600);
        bool told = flock(held, LOCK_EX | LOCK_NB) == 0 && write(locked[1], &byte, 1) == 1;
        _exit(told && read(finished[0], &byte, 1) == 1 ? 0 : 1);
    }
    close(locked[1]);
    char byte = 0;
    cr_assert_eq(read(locked[0], &byte, 1), 1, "the other run has no lock");
    pf_outfile o;
    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    cr_expect_neq(access(".out.123.postfetto-tmp", F_OK), 0);
    cr_expect_eq(access(".other.123.postfetto-tmp", F_OK), 0);
    cr_expect_eq(access(".out.backup", F_OK), 0);
    cr_expect_eq(access(".out.77.postfetto-tmp", F_OK), 0, "locked by a running process");
    int status = 1;
    cr_assert_eq(write(finished[1], &byte, 1), 1);
    cr_expect_eq(waitpid(running, &status, 0), running);
    cr_expect_eq(status, 0);
}

Test(files, unwritable_targets_are_refused)
{
    pf_error err;
    pf_outfile o;
    cr_expect_eq(pf_outfile_open(&o, "missing/out", &err), PF_ERR_OUTPUT);
    cr_expect_not_null(strstr(err.text, "create the folder"));
    cr_expect_str_eq(err.file, "missing/out");
    cr_expect_eq(pf_outfile_open(&o, ".", &err), PF_ERR_OUTPUT);
    cr_expect_eq(pf_outfile_open(&o, "new/", &err), PF_ERR_OUTPUT);
    cr_expect_eq(entries(), 0);
}

Test(files, a_device_is_written_to_and_a_link_stays_a_link)
{
    pf_error err;
    pf_outfile o;
    cr_assert_eq(pf_outfile_open(&o, "/dev/null", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&o, "x", 1, &err), PF_OK);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    struct stat sb;
    stat("/dev/null", &sb);
    cr_expect(S_ISCHR(sb.st_mode));

    put("real", "old");
    cr_assert_eq(symlink("real", "link"), 0);
    cr_assert_eq(pf_outfile_open(&o, "link", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&o, "new", 3, &err), PF_OK);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    lstat("link", &sb);
    cr_expect(S_ISLNK(sb.st_mode));
    expect_content("real", "new");
}

Test(files, a_full_disk_is_an_error_that_leaves_the_target)
{
    pf_error err;
    pf_outfile o;
    cr_assert_eq(pf_outfile_open(&o, "/dev/full", &err), PF_OK);
    cr_assert_eq(pf_outfile_write(&o, "x", 1, &err), PF_OK);
    cr_expect_eq(pf_outfile_commit(&o, false, &err), PF_ERR_OUTPUT);
    cr_expect_not_null(strstr(err.text, "free some space"));
}

/* ---- spools ------------------------------------------------------------------------------------------------------ */

#define SPOOLED ((size_t)24 << 20)

static uint8_t spooled_byte(size_t i)
{
    return (uint8_t)(i * 2654435761u >> 13);
}

/* A pipe into which a child writes SPOOLED bytes. */
static int start_writer(pid_t *child)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    *child = fork();
    cr_assert(*child >= 0);
    if (*child == 0) {
        static uint8_t piece[1 << 16];
        for (size_t at = 0; at < SPOOLED; at += sizeof piece) {
            for (size_t i = 0; i < sizeof piece; i++) {
                piece[i] = spooled_byte(at + i);
            }
            for (size_t done = 0; done < sizeof piece;) {
                ssize_t n = write(ends[1], piece + done, sizeof piece - done);
                done += n > 0 ? (size_t)n : 0;
            }
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void expect_spooled(const char *where, bool in_memory)
{
    pid_t child;
    char path[32];
    pf_budget b;
    pf_file f;
    pf_error err;
    pf_budget_init(&b, NULL);
    int fd = start_writer(&child);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    cr_assert_eq(pf_file_open_spooled(&f, path, where, &b, &err), PF_OK, "%s", err.text);
    close(fd);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_expect_eq(f.size, SPOOLED);
    cr_expect_eq(f.charged, in_memory);
    cr_expect_eq(b.used >= SPOOLED, in_memory, "%zu bytes are charged", (size_t)b.used);
    size_t wrong = 0;
    for (size_t i = 0; i < SPOOLED + PF_SLOP; i++) {
        wrong += f.data[i] != (i < SPOOLED ? spooled_byte(i) : 0);
    }
    cr_expect_eq(wrong, 0);
    pf_file_close(&f);
    cr_expect_eq(b.used, 0);
}

Test(files, a_large_pipe_becomes_a_file_without_a_name)
{
    expect_spooled(".", false);
    cr_expect_eq(entries(), 0);
}

Test(files, a_pipe_stays_in_memory_where_no_file_can_be_made)
{
    expect_spooled("nowhere", true);
}

/* The folder is full after 20 of 24 MB: what is there already is taken back. */
Test(files, a_full_folder_is_done_without)
{
    struct rlimit most = {(rlim_t)20 << 20, (rlim_t)20 << 20};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
    expect_spooled(".", true);
}
