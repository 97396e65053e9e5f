/* query/session/temporary_files.c - SQLite's temporary files, in memory.
 *
 * Where SQLite is to keep what is temporary in memory, its sorter is slow: every row is an allocation, and all of them
 * are sorted as one list, which is anywhere in memory. With temporary files it sorts rows that lie next to each other,
 * as many as its cache has room for, and merges what it wrote: two thirds of the time for a million rows. So a session
 * has a VFS whose files are one piece of memory each, within the session's bound. Other files it has none.
 */
#include <stdio.h>
#include <string.h>

#include "query/session/memory.h"

typedef struct memory_file {
    sqlite3_file base;
    pf_query *q;
    char *bytes;
    uint64_t size, room;
} memory_file;

static int file_close(sqlite3_file *base)
{
    sqlite3_free(((memory_file *)base)->bytes);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *to, int len, sqlite3_int64 from)
{
    const memory_file *f = (const memory_file *)base;
    uint64_t at = (uint64_t)from, wanted = (uint64_t)len, left = at < f->size ? f->size - at : 0;
    uint64_t n = left < wanted ? left : wanted;
    if (n) {
        memcpy(to, f->bytes + at, n);
    }
    memset((char *)to + n, 0, wanted - n);
    return n < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 place)
{
    memory_file *f = (memory_file *)base;
    uint64_t at = (uint64_t)place, end = at + (uint64_t)len;
    while (f->room < end) {
        if (!PF_SQL_ROOM(f->q, f->bytes, f->room, f->room)) {
            return f->q->failure.code == PF_OK ? SQLITE_IOERR_NOMEM : SQLITE_FULL;
        }
    }
    if (at > f->size) {
        memset(f->bytes + f->size, 0, at - f->size);
    }
    memcpy(f->bytes + at, bytes, (size_t)len);
    f->size = end > f->size ? end : f->size;
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    memory_file *f = (memory_file *)base;
    f->size = (uint64_t)size < f->size ? (uint64_t)size : f->size;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)((memory_file *)base)->size;
    return SQLITE_OK;
}

int pf_sql_file_nothing(sqlite3_file *file, int what)
{
    return SQLITE_OK;
}

int pf_sql_file_control(sqlite3_file *file, int what, void *value)
{
    return SQLITE_NOTFOUND;
}

int pf_sql_file_zero(sqlite3_file *file)
{
    return 0;
}

int pf_sql_file_unlocked(sqlite3_file *file, int *locked)
{
    *locked = 0;
    return SQLITE_OK;
}

/* On disk only where the session was asked to use it and there is a place. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
    static const sqlite3_io_methods METHODS = PF_SQL_FILE(file);
    pf_query *q = vfs->pAppData;
    sqlite3_vfs *disk = sqlite3_vfs_find(NULL);
    *(memory_file *)base = (memory_file){.q = q};
    if (!(flags & SQLITE_OPEN_DELETEONCLOSE)) {
        return SQLITE_CANTOPEN;
    }
    if (q->files_on_disk && disk && disk->xOpen(disk, name, base, flags, out_flags) == SQLITE_OK) {
        return SQLITE_OK;
    }
    base->pMethods = &METHODS;
    if (out_flags) {
        *out_flags = flags;
    }
    return SQLITE_OK;
}

const char *pf_sql_add_files(pf_query *q)
{
    sqlite3_vfs *disk = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (!disk) {
        return NULL;
    }
    q->files = *disk;
    q->files.pNext = NULL;
    q->files.szOsFile = disk->szOsFile > (int)sizeof(memory_file) ? disk->szOsFile : (int)sizeof(memory_file);
    q->files.zName = q->files_name;
    q->files.pAppData = q;
    q->files.xOpen = open_file;
    snprintf(q->files_name, sizeof q->files_name, "postfetto-query-%p", (void *)q);
    return sqlite3_vfs_register(&q->files, 0) == SQLITE_OK ? q->files_name : NULL;
}

void pf_sql_files_free(pf_query *q)
{
    if (q->files.zName) {
        sqlite3_vfs_unregister(&q->files);
    }
}
