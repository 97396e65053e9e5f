/* tests/hook/fault.c - a library to be preloaded: the K-th call of one kind fails, in every process that has it.
 *
 *     FAULT=write:3:28 LD_PRELOAD=./fault.so postfetto hook TRACE      (28 is ENOSPC)
 *
 * Writes count where they go to regular files only, so that messages and pipes still work. FAULT_LOG names a file to
 * which every failure that was made is appended, so that a test knows when K is beyond the last call.
 *
 * Where FAULT_HOLD names a file, whoever takes a lock adds a byte to FAULT_LOG and waits until that file is gone: a
 * test sees how many processes work at the same time.
 *
 * Where FAULT_STOP is the name of a command, a child of the hook that runs it stops itself before it has done anything,
 * with its process id in FAULT_LOG.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

static void add_to_log(void)
{
    const char *log = getenv("FAULT_LOG");
    int fd = log ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (fd >= 0) {
        ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
        (void)!real(fd, "x", 1);
        close(fd);
    }
}

static void hold(void)
{
    const char *file = getenv("FAULT_HOLD");
    if (file) {
        add_to_log();
        while (access(file, F_OK) == 0) {
            usleep(10000);
        }
    }
}

/* The hook starts its children under the bare name of the program. */
__attribute__((constructor)) static void stop(int argc, char **argv)
{
    const char *command = getenv("FAULT_STOP"), *log = getenv("FAULT_LOG");
    if (command && log && argc > 1 && strcmp(argv[0], "postfetto") == 0 && strcmp(argv[1], command) == 0) {
        FILE *f = fopen(log, "w");
        if (f) {
            fprintf(f, "%d\n", (int)getpid());
            fclose(f);
        }
        raise(SIGSTOP);
    }
}

/* Whether this call of `kind` is the one that fails. */
static int fails(const char *kind)
{
    const char *fault = getenv("FAULT");
    size_t len = strlen(kind);
    if (!fault || strncmp(fault, kind, len) != 0 || fault[len] != ':') {
        return 0;
    }
    char *end;
    long wanted = strtol(fault + len + 1, &end, 10);
    if (++calls != wanted) {
        return 0;
    }
    add_to_log();
    errno = (int)strtol(end + 1, NULL, 10);
    return 1;
}

static int is_regular(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t len)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    return is_regular(fd) && fails("write") ? -1 : real(fd, bytes, len);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return is_regular(fd) && fails("write") ? -1 : real(fd, bytes, len, at);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return is_regular(fd) && fails("write") ? -1 : real(fd, v, n);
}

int fsync(int fd)
{
    REAL(int, "fsync", int);
    return fails("fsync") ? -1 : real(fd);
}

int fdatasync(int fd)
{
    REAL(int, "fdatasync", int);
    return fails("fsync") ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return fails("rename") ? -1 : real(from, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return fails("link") ? -1 : real(a, from, b, to, flags);
}

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    return fails("unlink") ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    return fails("mkdir") ? -1 : real(path, mode);
}

pid_t fork(void)
{
    REAL(pid_t, "fork", void);
    return fails("fork") ? -1 : real();
}

int pipe2(int ends[2], int flags)
{
    REAL(int, "pipe2", int[2], int);
    return fails("pipe") ? -1 : real(ends, flags);
}

int flock(int fd, int how)
{
    REAL(int, "flock", int, int);
    hold();
    return fails("lock") ? -1 : real(fd, how);
}

int inotify_init1(int flags)
{
    REAL(int, "inotify_init1", int);
    return fails("inotify_init") ? -1 : real(flags);
}

int inotify_add_watch(int fd, const char *path, unsigned mask)
{
    REAL(int, "inotify_add_watch", int, const char *, unsigned);
    return fails("inotify_add") ? -1 : real(fd, path, mask);
}
