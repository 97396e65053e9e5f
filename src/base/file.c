/* base/file.c - inputs as bytes. A mapped file lies over the front of an anonymous reservation that is PF_SLOP bytes
 * longer, so that the bytes behind its end exist and are zero; a copy is read into such a reservation. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"

#define READ_STEP (8u << 20)

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

/* Maps a regular file; PF_ERR_INTERNAL (without a text) means: cannot be mapped, copy it. */
static pf_status map_file(pf_file *f, int fd, size_t size, pf_error *err)
{
    size_t total = ((size + 4095) & ~(size_t)4095) + 4096;
    uint8_t *base = reserve(total);
    if (!base) {
        return pf_budget_refused(f->budget, total, err);
    }
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
    if (!pf_budget_charge(f->budget, more)) {
        return pf_budget_refused(f->budget, more, err);
    }
    void *p = f->mapped_bytes ? mremap((void *)f->data, f->mapped_bytes, bytes, MREMAP_MAYMOVE) : reserve(bytes);
    if (!p || p == MAP_FAILED) {
        pf_budget_release(f->budget, more);
        return pf_budget_refused(f->budget, more, err);
    }
    f->data = p;
    f->mapped_bytes = bytes;
    return PF_OK;
}

static pf_status copy_file(pf_file *f, int fd, size_t expected, pf_error *err)
{
    f->charged = true;
    pf_status st = enlarge(f, ((expected + PF_SLOP + 4095) & ~(size_t)4095) + 4096, err);
    while (st == PF_OK) {
        size_t room = f->mapped_bytes - PF_SLOP - f->size;
        ssize_t n = read(fd, (uint8_t *)f->data + f->size, room < READ_STEP ? room : READ_STEP);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return pf_fail(err, PF_ERR_INPUT, "cannot be read: %s; check the file and its disk", pf_errno_text(errno));
        }
        if (n == 0) {
            break;
        }
        f->size += (size_t)n;
        if (f->size > f->budget->limits.input) {
            return too_large(f->budget, err);
        }
        if (f->size + PF_SLOP == f->mapped_bytes) {
            st = enlarge(f, f->mapped_bytes + f->mapped_bytes / 2 / 4096 * 4096 + READ_STEP, err);
        }
    }
    return st;
}

pf_status pf_file_open(pf_file *f, const char *path, bool map, pf_budget *budget, pf_error *err)
{
    *f = (pf_file){.budget = budget};
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be opened: %s; check the path", pf_errno_text(errno));
    }
    struct stat sb;
    pf_status st = PF_OK;
    if (fstat(fd, &sb) < 0) {
        st = pf_fail(err, PF_ERR_INPUT, "cannot be examined: %s", pf_errno_text(errno));
    } else if (S_ISDIR(sb.st_mode)) {
        st = pf_fail(err, PF_ERR_INPUT, "is a folder; name a trace file");
    } else {
        bool regular = S_ISREG(sb.st_mode);
        size_t size = regular ? (size_t)sb.st_size : 0;
        st = PF_ERR_INTERNAL;
        if (size > budget->limits.input) {
            st = too_large(budget, err);
        } else if (map && size > 0 && (!standard || lseek(fd, 0, SEEK_CUR) == 0)) {
            st = map_file(f, fd, size, err);
        }
        if (st == PF_ERR_INTERNAL) {
            st = copy_file(f, fd, size, err);
        }
    }
    f->fd = fd;
    f->is_open = st == PF_OK && !f->charged;
    if (!f->is_open && !standard) {
        close(fd);
    }
    if (st != PF_OK) {
        pf_file_close(f);
    }
    return st;
}

void pf_file_drop(const pf_file *f, size_t from, size_t to)
{
    from = (from + 4095) & ~(size_t)4095;
    to = (to < f->size ? to : f->size) & ~(size_t)4095;
    if (f->mapped_bytes && !f->charged && from < to) {
        madvise((uint8_t *)f->data + from, to - from, MADV_DONTNEED);
    }
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
