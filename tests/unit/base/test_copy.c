/* Copies of input files into outputs: inside the kernel, and without its help. A seccomp filter plays the kernels and
 * file systems that refuse copy_file_range. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/outfile.h"
#include "scratch.h"

#define SIZE 300001u

static char content[SIZE];

static void write_input(void)
{
    for (size_t i = 0; i < SIZE; i++) {
        content[i] = (char)(i * i >> 7 ^ i);
    }
    FILE *f = fopen("in", "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(content, 1, SIZE, f), SIZE);
    cr_assert_eq(fclose(f), 0);
}

static void make_input(void)
{
    scratch_enter();
    write_input();
}

TestSuite(copies, .init = make_input, .fini = scratch_leave);

static void filter(struct sock_filter *code, unsigned short count)
{
    struct sock_fprog program = {count, code};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* From here on copy_file_range fails with this number. */
static void refuse_with(int number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_copy_file_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    filter(code, sizeof code / sizeof *code);
    cr_assert_eq(copy_file_range(-1, NULL, -1, NULL, 1, 0), -1);
    cr_assert_eq(errno, number);
}

/* From here on only writes of up to 64 KiB work, as long as the length fits 32 bits. */
static void refuse_large_writes(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 65536, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    filter(code, sizeof code / sizeof *code);
    cr_assert_eq(write(STDOUT_FILENO, content, SIZE), -1);
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

static void expect_bytes(int fd, const char *bytes, size_t len)
{
    char *got = malloc(len + 1);
    size_t have = 0;
    ssize_t n;
    while (have <= len && (n = read(fd, got + have, len + 1 - have)) > 0) {
        have += (size_t)n;
    }
    cr_expect_eq(have, len, "%zu bytes came, not %zu", have, len);
    cr_expect(have == len && memcmp(got, bytes, len) == 0);
    free(got);
}

/* "ab", bytes [7, 200007) in two pieces, "cd", the rest, 10 bytes: large and small copies between buffered writes. */
static void copy_pieces(pf_outfile *o, const pf_file *in, bool inside)
{
    pf_error err;
    cr_assert_eq(pf_outfile_write(o, "ab", 2, &err), PF_OK);
    cr_assert_eq(pf_outfile_copy(o, in, 7, 130000, inside, &err), PF_OK);
    cr_assert_eq(pf_outfile_copy(o, in, 130007, 70000, inside, &err), PF_OK);
    cr_assert_eq(pf_outfile_write(o, "cd", 2, &err), PF_OK);
    cr_assert_eq(pf_outfile_copy(o, in, 200007, SIZE - 200007, inside, &err), PF_OK);
    cr_assert_eq(pf_outfile_copy(o, in, 5, 10, inside, &err), PF_OK);
    cr_expect_eq(o->written, SIZE - 7 + 14);
}

static char *expected_pieces(size_t *len)
{
    *len = SIZE - 7 + 14;
    char *all = malloc(*len);
    memcpy(all, "ab", 2);
    memcpy(all + 2, content + 7, 200000);
    memcpy(all + 200002, "cd", 2);
    memcpy(all + 200004, content + 200007, SIZE - 200007);
    memcpy(all + 200004 + SIZE - 200007, content + 5, 10);
    return all;
}

static void expect_copy(bool map, bool inside, const char *target)
{
    pf_budget b;
    pf_error err;
    pf_file in;
    pf_outfile o;
    pf_budget_init(&b, NULL);
    cr_assert_eq(pf_file_open(&in, "in", map, &b, &err), PF_OK);
    cr_expect_eq(in.is_open, map);
    cr_assert_eq(pf_outfile_open(&o, target, &err), PF_OK);
    copy_pieces(&o, &in, inside);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    pf_file_close(&in);
    size_t len;
    char *all = expected_pieces(&len);
    int fd = open(target, O_RDONLY);
    expect_bytes(fd, all, len);
    close(fd);
    unlink(target);
    free(all);
}

Test(copies, are_equal_whoever_makes_them)
{
    expect_copy(true, true, "out");
    expect_copy(true, false, "out");
    expect_copy(false, true, "out");
}

Test(copies, do_not_pass_through_this_process)
{
    int in = open("in", O_RDONLY), out = open("probe", O_WRONLY | O_CREAT, 0600);
    bool here = copy_file_range(in, NULL, out, NULL, SIZE, 0) > 0;
    close(in);
    close(out);
    if (!here) {
        cr_skip_test("this file system does not copy ranges");
    }
    refuse_large_writes();
    expect_copy(true, true, "out");
}

Test(copies, are_equal_between_file_systems)
{
    struct stat here, there;
    if (stat("/dev/shm", &there) < 0 || stat(".", &here) < 0 || here.st_dev == there.st_dev) {
        cr_skip_test("there is only one file system");
    }
    char target[64];
    snprintf(target, sizeof target, "/dev/shm/postfetto-test-%ld", (long)getpid());
    expect_copy(true, true, target);
}

Test(copies, are_equal_where_the_kernel_does_not_know_the_call)
{
    refuse_with(ENOSYS);
    expect_copy(true, true, "out");
}

Test(copies, are_equal_where_a_sandbox_forbids_the_call)
{
    refuse_with(EPERM);
    expect_copy(true, true, "out");
}

Test(copies, are_equal_where_the_file_system_cannot)
{
    refuse_with(EOPNOTSUPP);
    expect_copy(true, true, "out");
}

Test(copies, go_into_pipes)
{
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    pid_t writer = fork();
    cr_assert_geq(writer, 0);
    if (writer == 0) {
        pf_budget b;
        pf_error err;
        pf_file in;
        pf_outfile o;
        pf_budget_init(&b, NULL);
        bool ok = pf_file_open(&in, "in", true, &b, &err) == PF_OK && pf_outfile_open(&o, "pipe", &err) == PF_OK &&
                  pf_outfile_copy(&o, &in, 0, SIZE, true, &err) == PF_OK && pf_outfile_commit(&o, true, &err) == PF_OK;
        _exit(ok ? 0 : 1);
    }
    int fd = open("pipe", O_RDONLY), status = 0;
    expect_bytes(fd, content, SIZE);
    close(fd);
    cr_expect_eq(waitpid(writer, &status, 0), writer);
    cr_expect_eq(status, 0);
}

/* An input of which `left` bytes are left when the copy of its last 100,000 begins. */
static void expect_shorter(off_t left, bool inside)
{
    pf_budget b;
    pf_error err;
    pf_file in;
    pf_outfile o;
    pf_budget_init(&b, NULL);
    write_input();
    cr_assert_eq(pf_file_open(&in, "in", true, &b, &err), PF_OK);
    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    cr_expect_eq(pf_outfile_copy(&o, &in, 0, SIZE - 100000, inside, &err), PF_OK);
    cr_assert_eq(truncate("in", left), 0);
    cr_expect_eq(pf_outfile_copy(&o, &in, SIZE - 100000, 100000, inside, &err), PF_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "became shorter"), "%s", err.text);
    pf_outfile_abort(&o);
    pf_file_close(&in);
    cr_expect_eq(entries(), 1, "something was left behind");
}

Test(copies, of_a_file_that_becomes_shorter_fail)
{
    expect_shorter(SIZE - 1, true);
    expect_shorter(SIZE - 1, false);
    expect_shorter(SIZE - 50000, true);
    expect_shorter(SIZE - 50000, false);
    expect_shorter(10, true);
    expect_shorter(10, false);
    expect_shorter(0, true);
    expect_shorter(0, false);
}

Test(copies, of_a_file_that_becomes_shorter_fail_where_the_kernel_refuses)
{
    refuse_with(EINVAL);
    expect_shorter(SIZE - 1, true);
    expect_shorter(SIZE - 1, false);
    expect_shorter(SIZE - 50000, true);
    expect_shorter(SIZE - 50000, false);
    expect_shorter(0, true);
    expect_shorter(0, false);
}

Test(copies, that_do_not_fit_leave_nothing)
{
    pf_budget b;
    pf_error err;
    pf_file in;
    pf_outfile o;
    const struct rlimit small = {200000, 200000};
    pf_budget_init(&b, NULL);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(pf_file_open(&in, "in", true, &b, &err), PF_OK);
    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_expect_eq(pf_outfile_copy(&o, &in, 0, SIZE, true, &err), PF_ERR_OUTPUT);
    cr_expect_eq(pf_outfile_write(&o, "x", 1, &err), PF_ERR_OUTPUT);
    pf_outfile_abort(&o);
    pf_file_close(&in);
    cr_expect_eq(entries(), 1);
}

Test(copies, are_not_left_to_the_kernel_where_that_can_share_nothing)
{
    struct stat sb;
    pf_outfile o;
    pf_error err;
    if (stat("/dev/shm", &sb) < 0) {
        cr_skip_test("there is no tmpfs");
    }
    char target[64];
    snprintf(target, sizeof target, "/dev/shm/postfetto-test-%ld", (long)getpid());
    cr_assert_eq(pf_outfile_open(&o, target, &err), PF_OK);
    cr_expect_not(pf_outfile_may_share(&o));
    pf_outfile_abort(&o);
}

Test(copies, come_from_a_released_file_too)
{
    pf_budget b;
    pf_error err;
    pf_file in;
    pf_outfile o;
    pf_budget_init(&b, NULL);
    cr_assert_eq(pf_file_open(&in, "in", true, &b, &err), PF_OK);
    int fd = in.fd;
    pf_file_release(&in);
    cr_expect_eq(fcntl(fd, F_GETFD), -1);
    cr_assert_eq(pf_outfile_open(&o, "out", &err), PF_OK);
    copy_pieces(&o, &in, true);
    cr_assert_eq(pf_outfile_commit(&o, false, &err), PF_OK);
    pf_file_close(&in);
}
