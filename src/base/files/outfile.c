/* base/files/outfile.c - atomic outputs, see outfile.h.
 *
 * The bytes go to a file without a name (O_TMPFILE): a run that is killed leaves nothing. At the end it gets a hidden
 * name next to the target and is renamed over it. Where the file system knows no O_TMPFILE the hidden name exists from
 * the start and is held by a lock; the next run for the same target removes such files that nobody holds any more.
 *
 * Bytes of an input file can be copied inside the kernel (copy_file_range). Some file systems then let both files share
 * them, or leave the copy to a server. The others take page after page through a pipe of their own, which costs more
 * than writing from the mapping of the input, so those are kept apart. The kernel also refuses: between file systems,
 * into pipes and into files opened for appending; old ones do not know the call, sandboxes forbid it. Then, too, the
 * bytes are written from the mapping. A file that becomes shorter meanwhile ends the first way early; the second could
 * write zeros for what is gone, so the size is read again after it.
 */
#include "base/files/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text/errno_text.h"

#define BUFFER_BYTES (64u << 10)
#define LINKS_MAX 40u

static pf_status output_error(pf_outfile *o, const char *what, int number, pf_error *err)
{
    o->failed = PF_ERR_OUTPUT;
    o->failed_errno = number;
    const char *remedy = number == ENOSPC                                         ? "free some space"
                         : number == ENOENT                                       ? "create the folder first"
                         : number == EACCES || number == EPERM || number == EROFS ? "choose a folder you may write to"
                                                                                  : "choose another name";
    pf_fail(err, PF_ERR_OUTPUT, "%s: %s; %s", what, pf_errno_text(number), remedy);
    if (err) {
        snprintf(err->file, sizeof err->file, "%s", o->fd == STDOUT_FILENO ? "standard output" : o->target);
    }
    return PF_ERR_OUTPUT;
}

/* "dir/" or "" in front of the last component. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *folder_of(const char *path)
{
    size_t len = folder_length(path);
    return len ? strndup(path, len) : strdup(".");
}

/* Removes leftovers ".NAME.<pid>.postfetto-tmp" of earlier runs that no process has locked. */
static void remove_stale(const char *folder, const char *target)
{
    const char *name = target + folder_length(target);
    size_t len = strlen(name);
    DIR *d = opendir(folder);
    if (!d) {
        return;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n <= len + sizeof PF_OUTFILE_SUFFIX || e->d_name[0] != '.' || strncmp(e->d_name + 1, name, len) != 0 ||
            e->d_name[1 + len] != '.' ||
            strcmp(e->d_name + n - (sizeof PF_OUTFILE_SUFFIX - 1), PF_OUTFILE_SUFFIX) != 0) {
            continue;
        }
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0) {
            if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
                unlinkat(dirfd(d), e->d_name, 0);
            }
            close(fd);
        }
    }
    closedir(d);
}

/* A target that exists keeps its mode, whatever the umask says; a new one gets the default. */
static void keep_mode(const pf_outfile *o)
{
    struct stat sb;
    if (stat(o->target, &sb) == 0) {
        (void)fchmod(o->fd, sb.st_mode & 07777); /* a file system without modes has none to keep */
    }
}

/* The hidden name number n next to the target. */
static bool name_temporary(pf_outfile *o, unsigned n)
{
    size_t len = folder_length(o->target);
    free(o->temporary);
    if (asprintf(&o->temporary, "%.*s.%s.%ld-%u" PF_OUTFILE_SUFFIX, (int)len, o->target, o->target + len,
                 (long)getpid(), n) < 0) {
        o->temporary = NULL;
    }
    return o->temporary != NULL;
}

static pf_status open_temporary(pf_outfile *o, const char *folder, pf_error *err)
{
    o->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    for (unsigned n = 0; o->fd < 0; n++) {
        PF_TRY(name_temporary(o, n) ? PF_OK : pf_no_memory(err));
        o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd < 0 && errno != EEXIST) {
            return output_error(o, "cannot be written", errno, err);
        }
        o->named = o->fd >= 0;
    }
    if (o->named) {
        flock(o->fd, LOCK_EX | LOCK_NB);
    }
    keep_mode(o);
    return PF_OK;
}

/* Where symbolic links lead, whether there is a file or not yet: the links stay, and what they name is written. The
 * path itself if it is no link, or in a circle of them. */
static char *resolve_target(const char *path)
{
    char *at = strdup(path), link[PATH_MAX];
    for (unsigned n = 0; at && n < LINKS_MAX; n++) {
        ssize_t len = readlink(at, link, sizeof link);
        if (len < 0 || len == sizeof link) {
            return at;
        }
        char *next = NULL;
        int folder = link[0] == '/' ? 0 : (int)folder_length(at);
        if (asprintf(&next, "%.*s%.*s", folder, at, (int)len, link) < 0) {
            next = NULL;
        }
        free(at);
        at = next;
    }
    bool refused = !at;
    free(at);
    return refused ? NULL : strdup(path);
}

/* A decimal of up to five digits, -1 for anything else. */
static int small_number(const char *digits)
{
    int n = 0;
    size_t len = strlen(digits);
    for (const char *p = digits; *p; p++) {
        if (*p < '0' || *p > '9' || len > 5) {
            return -1;
        }
        n = 10 * n + (*p - '0');
    }
    return len ? n : -1;
}

/* The descriptor that a name stands for, -1 if it is a file's. Opening such a name again would begin at the start of
 * what it was redirected to. */
static int named_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(path, folders[i], len) == 0) {
            return small_number(path + len);
        }
    }
    return -1;
}

bool pf_outfile_is_stream(const char *path)
{
    struct stat sb;
    return named_descriptor(path) >= 0 || (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode) && !S_ISDIR(sb.st_mode));
}

bool pf_outfile_is_standard(const char *path)
{
    return named_descriptor(path) == STDOUT_FILENO;
}

bool pf_outfile_is_terminal(const char *path)
{
    struct stat sb;
    int fd = named_descriptor(path);
    if (fd >= 0) {
        return isatty(fd);
    }
    fd = stat(path, &sb) == 0 && S_ISCHR(sb.st_mode) ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
    bool is_terminal = fd >= 0 && isatty(fd);
    if (fd >= 0) {
        close(fd);
    }
    return is_terminal;
}

/* Standard output stays open for others; other descriptors are used in a copy. */
static pf_status open_descriptor(pf_outfile *o, int fd, pf_error *err)
{
    o->direct = true;
    o->fd = fd == STDOUT_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return o->fd >= 0 ? PF_OK : output_error(o, "cannot be written", errno, err);
}

/* A regular target, existing or not: a temporary next to it. */
static pf_status open_regular(pf_outfile *o, pf_error *err)
{
    char *folder = folder_of(o->target);
    PF_TRY(folder ? PF_OK : pf_no_memory(err));
    remove_stale(folder, o->target);
    pf_status st = open_temporary(o, folder, err);
    free(folder);
    return st;
}

pf_status pf_outfile_open(pf_outfile *o, const char *path, pf_error *err)
{
    *o = (pf_outfile){.fd = -1};
    o->buffer = malloc(BUFFER_BYTES);
    o->target = resolve_target(path);
    if (!o->buffer || !o->target) {
        pf_outfile_abort(o);
        return pf_no_memory(err);
    }
    struct stat sb;
    int descriptor = named_descriptor(path);
    bool exists = stat(o->target, &sb) == 0;
    pf_status st;
    if (descriptor >= 0) {
        st = open_descriptor(o, descriptor, err);
    } else if (o->target[folder_length(o->target)] == '\0' || (exists && S_ISDIR(sb.st_mode))) {
        st = output_error(o, "is a folder", EISDIR, err);
    } else if (exists && !S_ISREG(sb.st_mode)) {
        o->direct = true; /* a device or a named pipe cannot be replaced */
        o->fd = open(o->target, O_WRONLY | O_CLOEXEC);
        st = o->fd >= 0 ? PF_OK : output_error(o, "cannot be written", errno, err);
    } else {
        st = open_regular(o, err);
    }
    if (st != PF_OK) {
        pf_outfile_abort(o);
    }
    return st;
}

static pf_status write_all(pf_outfile *o, const uint8_t *p, size_t len, pf_error *err)
{
    while (len > 0) {
        ssize_t n = write(o->fd, p, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return output_error(o, "cannot be written", errno, err);
        }
        p += n;
        len -= (size_t)n;
    }
    return PF_OK;
}

static pf_status flush(pf_outfile *o, pf_error *err)
{
    size_t len = o->buffer ? o->fill : 0;
    o->fill = 0;
    return o->failed != PF_OK ? output_error(o, "cannot be written", o->failed_errno, err)
                              : write_all(o, o->buffer, len, err);
}

pf_status pf_outfile_write(pf_outfile *o, const void *bytes, size_t len, pf_error *err)
{
    if (o->failed != PF_OK) {
        return output_error(o, "cannot be written", o->failed_errno, err);
    }
    o->written += len;
    if (len > BUFFER_BYTES - o->fill) {
        PF_TRY(flush(o, err));
        if (len >= BUFFER_BYTES) {
            return write_all(o, bytes, len, err);
        }
    }
    if (len) {
        memcpy(o->buffer + o->fill, bytes, len);
        o->fill += len;
    }
    return PF_OK;
}

pf_status pf_outfile_put_at(const pf_outfile *o, uint64_t at, const void *bytes, size_t len, pf_error *err)
{
    const char *p = bytes;
    while (len > 0) {
        ssize_t n = pwrite(o->fd, p, len, (off_t)at);
        if (n < 0 && errno != EINTR) {
            pf_outfile own = *o; /* other threads look at the original */
            return output_error(&own, "cannot be written", errno, err);
        }
        p += n < 0 ? 0 : n;
        at += n < 0 ? 0 : (uint64_t)n;
        len -= n < 0 ? 0 : (size_t)n;
    }
    return PF_OK;
}

pf_status pf_outfile_get_at(const pf_outfile *o, uint64_t at, void *bytes, size_t len, pf_error *err)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(o->fd, (char *)bytes + done, len - done, (off_t)(at + done));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            pf_outfile own = *o;
            return output_error(&own, "cannot be read back", n == 0 ? EIO : errno, err);
        }
        done += n < 0 ? 0 : (size_t)n;
    }
    return PF_OK;
}

static pf_status became_shorter(pf_error *err)
{
    return pf_fail(err, PF_ERR_INPUT,
                   "became shorter while it was read; wait until its writer has finished, or read a copy");
}

/* Whether the error says that the output is at fault, however the bytes get there. */
static bool is_final(int number)
{
    return number == ENOSPC || number == EDQUOT || number == EFBIG || number == EIO;
}

/* Copies inside the kernel; *at and *len say what is left when it refuses. */
static pf_status copy_inside(pf_outfile *o, const pf_file *in, size_t *at, size_t *len, pf_error *err)
{
    while (*len > 0) {
        loff_t from = (loff_t)*at;
        ssize_t n = copy_file_range(in->fd, &from, o->fd, NULL, *len, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return is_final(errno) ? output_error(o, "cannot be written", errno, err) : PF_OK;
        }
        if (n == 0) {
            return PF_OK;
        }
        *at += (size_t)n;
        *len -= (size_t)n;
    }
    return PF_OK;
}

static bool is_shorter(const pf_file *in)
{
    struct stat sb;
    return fstat(in->fd, &sb) < 0 || (uint64_t)sb.st_size < in->size;
}

bool pf_outfile_may_share(const pf_outfile *o)
{
    struct statfs fs;
    return fstatfs(o->fd, &fs) == 0 && fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC &&
           fs.f_type != EXT4_SUPER_MAGIC;
}

static pf_status copy_large(pf_outfile *o, const pf_file *in, size_t at, size_t len, bool inside, pf_error *err)
{
    PF_TRY(flush(o, err));
    o->written += len;
    PF_TRY(inside ? copy_inside(o, in, &at, &len, err) : PF_OK);
    return write_all(o, in->data + at, len, err);
}

pf_status pf_outfile_copy(pf_outfile *o, const pf_file *in, size_t at, size_t len, bool inside, pf_error *err)
{
    if (!in->is_open) {
        return pf_outfile_write(o, in->data + at, len, err);
    }
    if (is_shorter(in)) {
        return became_shorter(err);
    }
    pf_status st =
        len < BUFFER_BYTES ? pf_outfile_write(o, in->data + at, len, err) : copy_large(o, in, at, len, inside, err);
    return is_shorter(in) ? became_shorter(err) : st;
}

/* Gives the nameless file a hidden name. */
static pf_status give_name(pf_outfile *o, pf_error *err)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    for (unsigned n = 0; !o->named; n++) {
        PF_TRY(name_temporary(o, n) ? PF_OK : pf_no_memory(err));
        o->named = linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!o->named && errno != EEXIST) {
            return output_error(o, "cannot be named", errno, err);
        }
    }
    return PF_OK;
}

pf_status pf_outfile_flush(pf_outfile *o, pf_error *err)
{
    pf_status st = flush(o, err);
    free(o->buffer);
    o->buffer = NULL;
    return st;
}

pf_status pf_outfile_sync(pf_outfile *o, pf_error *err)
{
    return !o->direct && fsync(o->fd) < 0 ? output_error(o, "cannot be synced", errno, err) : PF_OK;
}

static pf_status put_in_place(pf_outfile *o, bool sync, pf_error *err)
{
    PF_TRY(pf_outfile_flush(o, err));
    if (o->direct) {
        return PF_OK;
    }
    PF_TRY(sync ? pf_outfile_sync(o, err) : PF_OK);
    PF_TRY(give_name(o, err));
    if (rename(o->temporary, o->target) < 0) {
        return output_error(o, "cannot be put in place", errno, err);
    }
    o->named = false;
    return PF_OK;
}

pf_status pf_outfile_commit(pf_outfile *o, bool sync, pf_error *err)
{
    pf_status st = put_in_place(o, sync, err);
    pf_outfile_abort(o);
    return st;
}

void pf_outfile_abort(pf_outfile *o)
{
    if (o->named && o->temporary) {
        unlink(o->temporary);
    }
    if (o->fd >= 0 && o->fd != STDOUT_FILENO) {
        close(o->fd);
    }
    free(o->temporary);
    free(o->target);
    free(o->buffer);
    *o = (pf_outfile){.fd = -1};
}
