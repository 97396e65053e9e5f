/* base/files/file.c - inputs as bytes. A mapped file lies over the front of an anonymous reservation that is PF_SLOP
 * bytes longer, so that the bytes after its end exist and are zero; a copy is read into such a reservation. */
#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/text/errno_text.h"

#define READ_STEP (8u << 20)
#define SPOOL_FROM (16u << 20) /* bytes that are not worth a file */

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static pf_status too_large(const pf_budget *b, pf_error *err)
{
    return pf_fail(err, PF_ERR_LIMIT, "the input is larger than %llu bytes; raise --max-input",
                   (unsigned long long)b->limits.input);
}

pf_status pf_file_map_open(pf_file *f, int fd, size_t size, pf_error *err)
{
    size_t total = ((size + 4095) & ~(size_t)4095) + 4096;
    uint8_t *base = reserve(total);
    PF_TRY(base ? PF_OK : pf_budget_refused(f->budget, total, err));
    if (mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(base, total);
        return PF_ERR_INTERNAL;
    }
    madvise(base, size, MADV_SEQUENTIAL);
    f->data = base;
    f->size = size;
    f->mapped_bytes = total;
    return PF_OK;
}

/* Enlarges the copy's reservation to hold `bytes`, charging what it grows by. */
static pf_status enlarge(pf_file *f, size_t bytes, pf_error *err)
{
    size_t more = bytes - f->mapped_bytes;
    PF_TRY(pf_budget_charge(f->budget, more) ? PF_OK : pf_budget_refused(f->budget, more, err));
    void *p = f->mapped_bytes ? mremap((void *)f->data, f->mapped_bytes, bytes, MREMAP_MAYMOVE) : reserve(bytes);
    if (!p || p == MAP_FAILED) {
        pf_budget_release(f->budget, more);
        return pf_budget_refused(f->budget, more, err);
    }
    f->data = p;
    f->mapped_bytes = bytes;
    return PF_OK;
}

/* The number of bytes read, 0 at the end, -1 with an error. */
static ssize_t read_some(int fd, void *to, size_t room, pf_error *err)
{
    ssize_t n;
    do {
        n = read(fd, to, room < READ_STEP ? room : READ_STEP);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        pf_fail(err, PF_ERR_INPUT, "cannot be read: %s; check the file and its disk", pf_errno_text(errno));
    }
    return n;
}

static pf_status copy_file(pf_file *f, int fd, size_t most, bool *over, pf_error *err)
{
    *over = false;
    while (!*over && f->size < most) {
        ssize_t n = read_some(fd, (uint8_t *)f->data + f->size, f->mapped_bytes - PF_SLOP - f->size, err);
        PF_TRY(n < 0 ? err->code : PF_OK);
        *over = n == 0;
        f->size += (size_t)n;
        if (f->size > f->budget->limits.input) {
            return too_large(f->budget, err);
        }
        if (f->size + PF_SLOP == f->mapped_bytes) {
            PF_TRY(enlarge(f, f->mapped_bytes + f->mapped_bytes / 2 / 4096 * 4096 + READ_STEP, err));
        }
    }
    return PF_OK;
}

static pf_status take_back(pf_file *f, pf_spool *s, const uint8_t *rest, size_t len, pf_error *err)
{
    size_t total = s->size + len, bytes = ((total + PF_SLOP + 4095) & ~(size_t)4095) + READ_STEP;
    PF_TRY(bytes > f->mapped_bytes ? enlarge(f, bytes, err) : PF_OK);
    if (!pf_spool_read(s, (uint8_t *)f->data)) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be read back: %s", pf_errno_text(errno));
    }
    memcpy((uint8_t *)f->data + s->size, rest, len);
    f->size = total;
    return PF_OK;
}

/* Takes the bytes of a spool back into memory, in front of those that did not get there. */
static pf_status unspool(pf_file *f, pf_spool *s, const uint8_t *rest, size_t len, pf_error *err)
{
    uint8_t *keep = NULL;
    pf_status st = PF_LIST_NEW(f->budget, keep, len, err);
    if (st == PF_OK) {
        memcpy(keep, rest, len);
        st = take_back(f, s, keep, len, err);
    }
    pf_release(f->budget, keep, len);
    return st;
}

/* Moves what was read and all that comes to a spool, and maps that instead. *over stays false if the folder was full:
 * then all that came is in memory again. */
static pf_status spool_rest(pf_file *f, int fd, pf_spool *s, bool *over, pf_error *err)
{
    size_t len = f->size;
    while (len > 0) {
        size_t taken = pf_spool_write(s, f->data, len);
        if (taken < len) {
            return unspool(f, s, f->data + taken, len - taken, err);
        }
        if (s->size > f->budget->limits.input) {
            return too_large(f->budget, err);
        }
        ssize_t n = read_some(fd, (uint8_t *)f->data, READ_STEP, err);
        PF_TRY(n < 0 ? err->code : PF_OK);
        len = (size_t)n;
    }
    pf_file mapped = {.budget = f->budget};
    pf_status st = pf_file_map_open(&mapped, s->fd, s->size, err);
    if (st != PF_OK) {
        return st == PF_ERR_INTERNAL ? pf_budget_refused(f->budget, s->size, err) : st;
    }
    pf_file_close(f);
    *f = mapped;
    *over = true;
    return PF_OK;
}

/* Takes a pipe, or a file that is not to be mapped. *kept: the descriptor of the spool that is mapped now, else -1.
 * device: it may have no end, and is not waited for. */
static pf_status take_stream(pf_file *f, int fd, size_t expected, bool device, const char *folder, int *kept,
                             pf_error *err)
{
    bool over = false;
    pf_spool spool;
    *kept = -1;
    f->charged = true;
    expected = folder ? SPOOL_FROM : expected;
    PF_TRY(enlarge(f, ((expected + PF_SLOP + 4095) & ~(size_t)4095) + 4096, err));
    PF_TRY(copy_file(f, fd, folder || device ? SPOOL_FROM : SIZE_MAX, &over, err));
    if (!over && device) {
        return pf_fail(err, PF_ERR_INPUT, "is a device without an end; copy what is meant of it into a file");
    }
    if (!over && folder && pf_spool_open(&spool, folder)) {
        pf_status st = spool_rest(f, fd, &spool, &over, err);
        *kept = st == PF_OK && over ? spool.fd : -1;
        if (*kept < 0) {
            close(spool.fd);
        }
        PF_TRY(st);
    }
    return over ? PF_OK : copy_file(f, fd, SIZE_MAX, &over, err);
}

/* Fills f from an open descriptor. *kept: as of take_stream. */
static pf_status take(pf_file *f, int fd, bool map, const char *folder, int *kept, pf_error *err)
{
    struct stat sb;
    *kept = -1;
    if (fstat(fd, &sb) < 0) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be examined: %s", pf_errno_text(errno));
    }
    if (S_ISDIR(sb.st_mode)) {
        return pf_fail(err, PF_ERR_INPUT, "is a folder; name a trace file");
    }
    size_t size = S_ISREG(sb.st_mode) ? (size_t)sb.st_size : 0;
    if (size > f->budget->limits.input) {
        return too_large(f->budget, err);
    }
    bool at_start = fd != STDIN_FILENO || lseek(fd, 0, SEEK_CUR) == 0;
    pf_status st = map && size > 0 && at_start ? pf_file_map_open(f, fd, size, err) : PF_ERR_INTERNAL;
    bool device = S_ISCHR(sb.st_mode) && !isatty(fd);
    return st == PF_ERR_INTERNAL ? take_stream(f, fd, size, device, folder, kept, err) : st;
}

static pf_status open_file(pf_file *f, const char *path, bool map, const char *folder, pf_budget *budget, pf_error *err)
{
    pf_error local = {0};
    int spool;
    err = err ? err : &local;
    *f = (pf_file){.budget = budget};
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be opened: %s; check the path", pf_errno_text(errno));
    }
    pf_status st = take(f, fd, map, folder, &spool, err);
    bool mapped = st == PF_OK && !f->charged;
    if (fd != STDIN_FILENO && (!mapped || spool >= 0)) {
        close(fd);
    }
    f->fd = spool >= 0 ? spool : fd;
    f->is_open = mapped;
    if (st != PF_OK) {
        pf_file_close(f);
    }
    return st;
}

pf_status pf_file_open(pf_file *f, const char *path, bool map, pf_budget *budget, pf_error *err)
{
    return open_file(f, path, map, NULL, budget, err);
}

pf_status pf_file_open_spooled(pf_file *f, const char *path, const char *folder, pf_budget *budget, pf_error *err)
{
    return open_file(f, path, true, folder, budget, err);
}

void pf_file_drop(const pf_file *f, size_t from, size_t to)
{
    from = (from + 4095) & ~(size_t)4095;
    to = (to < f->size ? to : f->size) & ~(size_t)4095;
    if (f->mapped_bytes && !f->charged && from < to) {
        madvise((uint8_t *)f->data + from, to - from, MADV_DONTNEED);
    }
}

void pf_files_drop(const pf_file *first, const pf_file *last)
{
    madvise((void *)first->data, (size_t)(last->data + last->mapped_bytes - first->data), MADV_DONTNEED);
}

void pf_file_release(pf_file *f)
{
    if (f->is_open && f->fd != STDIN_FILENO) {
        close(f->fd);
    }
    f->is_open = false;
}

void pf_file_close(pf_file *f)
{
    pf_file_release(f);
    if (f->mapped_bytes) {
        munmap((void *)f->data, f->mapped_bytes);
        if (f->charged) {
            pf_budget_release(f->budget, f->mapped_bytes);
        }
    }
    *f = (pf_file){0};
}
