/* query/output_vfs.c - see output_vfs.h.
 *
 * A VFS of SQLite's has names and files; this one knows one file, under any name, and passes everything else on to the
 * default one. What SQLite writes page after page is gathered into pieces, which a thread writes; each begins with its
 * place in the file. A read, which hardly ever comes while pages are being written, waits until all pieces are written.
 * Nobody else knows the file, so there is nothing to lock, no journal and nothing to synchronize.
 */
#include "query/output_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/errno_text.h"
#include "base/threads/threads.h"
#include "query/session/memory.h"

#define PIECE_BYTES (512u << 10)

struct pf_output_vfs {
    sqlite3_vfs vfs;
    char name[40], uri[64];
    int fd;
    pf_output_queue *queue; /* NULL: pieces are written at once */
    pf_buffer piece;        /* its place in the file as 8 bytes, then what comes there */
    int64_t place;          /* of the piece */
    bool pending;           /* pieces were put that may not be written yet */
    int64_t size;           /* of the file, with what is pending */
    int failed_errno;       /* the thread's while pieces are pending */
};

typedef struct output_file {
    sqlite3_file base;
    pf_output_vfs *v;
} output_file;

static pf_status write_piece(void *ctx, const pf_buffer *piece)
{
    pf_output_vfs *v = ctx;
    int64_t place;
    memcpy(&place, piece->data, sizeof place);
    for (size_t at = sizeof place; at < piece->len;) {
        ssize_t n = pwrite(v->fd, piece->data + at, piece->len - at, place + (off_t)(at - sizeof place));
        if (n < 0 && errno != EINTR) {
            v->failed_errno = errno;
            return PF_ERR_OUTPUT;
        }
        at += n < 0 ? 0 : (size_t)n;
    }
    return PF_OK;
}

static bool pass_on(pf_output_vfs *v)
{
    pf_status st = PF_OK;
    if (v->piece.len && v->queue) {
        st = pf_output_queue_put(v->queue, &v->piece);
        v->pending = true;
    } else if (v->piece.len) {
        st = write_piece(v, &v->piece);
    }
    v->piece.len = 0;
    return st == PF_OK;
}

static bool settle(pf_output_vfs *v)
{
    bool good = pass_on(v);
    if (v->pending) {
        good = pf_output_queue_settle(v->queue) == PF_OK && good;
        v->pending = false;
    }
    return good;
}

static pf_output_vfs *of(sqlite3_file *file)
{
    return ((output_file *)file)->v;
}

static int file_close(sqlite3_file *file)
{
    return settle(of(file)) ? SQLITE_OK : SQLITE_IOERR_CLOSE;
}

static int file_read(sqlite3_file *file, void *to, int len, sqlite3_int64 from)
{
    size_t at = 0;
    ssize_t n = 1;
    if (!settle(of(file))) {
        return SQLITE_IOERR_READ;
    }
    while (at < (size_t)len && n > 0) {
        n = pread(of(file)->fd, (char *)to + at, (size_t)len - at, from + (off_t)at);
        at += n > 0 ? (size_t)n : 0;
        n = n < 0 && errno == EINTR ? 1 : n;
    }
    memset((char *)to + at, 0, (size_t)len - at);
    return n < 0 ? SQLITE_IOERR_READ : at < (size_t)len ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 place)
{
    pf_output_vfs *v = of(file);
    bool good = true;
    if (v->piece.len >= PIECE_BYTES || (v->piece.len && place != v->place + (int64_t)(v->piece.len - sizeof place))) {
        good = pass_on(v);
    }
    if (!v->piece.len) {
        v->place = place;
        pf_buffer_put(&v->piece, &v->place, sizeof v->place);
    }
    pf_buffer_put(&v->piece, bytes, (size_t)len);
    v->size = place + len > v->size ? place + len : v->size;
    return v->piece.failed ? SQLITE_IOERR_NOMEM : good ? SQLITE_OK : SQLITE_FULL;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    pf_output_vfs *v = of(file);
    bool good = settle(v) && ftruncate(v->fd, size) == 0;
    v->size = good ? size : v->size;
    return good ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = of(file)->size;
    return SQLITE_OK;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    static const sqlite3_io_methods METHODS = PF_SQL_FILE(file);
    *(output_file *)file = (output_file){.v = vfs->pAppData};
    if (!(flags & SQLITE_OPEN_MAIN_DB)) {
        return SQLITE_CANTOPEN;
    }
    file->pMethods = &METHODS;
    if (out_flags) {
        *out_flags = flags;
    }
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    return SQLITE_OK;
}

static int no_other_file(sqlite3_vfs *vfs, const char *name, int flags, int *is_there)
{
    *is_there = 0;
    return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    sqlite3_snprintf(room, out, "%s", name);
    return SQLITE_OK;
}

pf_output_vfs *pf_output_vfs_new(int fd, unsigned jobs)
{
    pf_output_vfs *v = sqlite3_initialize() == SQLITE_OK ? calloc(1, sizeof *v) : NULL;
    sqlite3_vfs *common = sqlite3_vfs_find(NULL);
    if (!v || !common) {
        free(v);
        return NULL;
    }
    snprintf(v->name, sizeof v->name, "postfetto-%p", (void *)v);
    snprintf(v->uri, sizeof v->uri, "file:out?vfs=%s", v->name);
    v->fd = fd;
    v->vfs = *common;
    v->vfs.pNext = NULL;
    v->vfs.szOsFile = (int)sizeof(output_file);
    v->vfs.zName = v->name;
    v->vfs.pAppData = v;
    v->vfs.xOpen = open_file;
    v->vfs.xDelete = delete_file;
    v->vfs.xAccess = no_other_file;
    v->vfs.xFullPathname = full_name;
    if (sqlite3_vfs_register(&v->vfs, 0) != SQLITE_OK) {
        free(v);
        return NULL;
    }
    v->queue = jobs == 1 ? NULL : pf_output_queue_start(write_piece, v);
    return v;
}

const char *pf_output_vfs_uri(const pf_output_vfs *v)
{
    return v->uri;
}

pf_status pf_output_vfs_settle(pf_output_vfs *v, uint64_t *size, pf_error *err)
{
    settle(v);
    *size = (uint64_t)v->size;
    return v->failed_errno == 0
               ? PF_OK
               : pf_fail(err, PF_ERR_OUTPUT, "the database cannot be written: %s; free some space there",
                         pf_errno_text(v->failed_errno));
}

void pf_output_vfs_free(pf_output_vfs *v)
{
    if (v) {
        sqlite3_vfs_unregister(&v->vfs);
        pf_output_queue_stop(v->queue);
        pf_buffer_free(&v->piece);
        free(v);
    }
}
