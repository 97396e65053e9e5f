/* The file that SQLite writes an export into, asked as SQLite asks it: with the thread that writes and without. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/output_vfs.h"

#define PIECE_BYTES (512 << 10) /* what is gathered before it is written, with 8 bytes of its place */

typedef struct output {
    pf_output_vfs *v;
    sqlite3_vfs *vfs;
    sqlite3_file *file;
    int fd;
} output;

static output open_output(int fd, unsigned jobs)
{
    output o = {.v = pf_output_vfs_new(fd, jobs), .fd = fd};
    cr_assert_not_null(o.v);
    const char *name = strstr(pf_output_vfs_uri(o.v), "?vfs=");
    cr_assert_not_null(name);
    o.vfs = sqlite3_vfs_find(name + 5);
    cr_assert_not_null(o.vfs);
    o.file = calloc(1, (size_t)o.vfs->szOsFile);
    cr_assert_not_null(o.file);
    int flags = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE, given = 0;
    cr_assert_eq(o.vfs->xOpen(o.vfs, "out", o.file, flags, &given), SQLITE_OK);
    cr_expect_eq(given, flags);
    return o;
}

static int scratch(void)
{
    char path[] = "/tmp/pf-vfs-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    unlink(path);
    return fd;
}

static int64_t size_on_disk(int fd)
{
    struct stat sb;
    cr_assert_eq(fstat(fd, &sb), 0);
    return sb.st_size;
}

static void write_at(output *o, const void *bytes, int len, int64_t at)
{
    cr_assert_eq(o->file->pMethods->xWrite(o->file, bytes, len, at), SQLITE_OK);
}

static int64_t size_of(output *o)
{
    sqlite3_int64 size = -1;
    cr_assert_eq(o->file->pMethods->xFileSize(o->file, &size), SQLITE_OK);
    return size;
}

/* Ends the use of the file; *size is what the export is told. */
static pf_status settle(output *o, uint64_t *size, pf_error *err)
{
    pf_status st = pf_output_vfs_settle(o->v, size, err);
    sqlite3_vfs *vfs = o->vfs;
    free(o->file);
    pf_output_vfs_free(o->v);
    for (const sqlite3_vfs *known = sqlite3_vfs_find(NULL); known; known = known->pNext) {
        cr_expect(known != vfs, "the file is still known to SQLite");
    }
    close(o->fd);
    return st;
}

/* Pages in a row, one that goes back, one behind a gap; what is read is what was written last, and 0 elsewhere. */
static void check_places(unsigned jobs)
{
    output o = open_output(scratch(), jobs);
    const sqlite3_io_methods *m = o.file->pMethods;
    char read[16];
    uint64_t size;
    pf_error err;
    cr_expect_eq(size_of(&o), 0);
    cr_expect_eq(m->xRead(o.file, read, 4, 0), SQLITE_IOERR_SHORT_READ);
    write_at(&o, "abcd", 4, 0);
    write_at(&o, "efgh", 4, 4);
    cr_expect_eq(size_of(&o), 8);
    write_at(&o, "XY", 2, 2);
    write_at(&o, "Z", 1, 3);
    cr_expect_eq(size_of(&o), 8, "it went back");
    write_at(&o, "end", 3, 12);
    cr_expect_eq(size_of(&o), 15);
    cr_expect_eq(m->xRead(o.file, read, 15, 0), SQLITE_OK);
    cr_expect_eq(memcmp(read, "abXZefgh\0\0\0\0end", 15), 0);
    memset(read, 'x', sizeof read);
    cr_expect_eq(m->xRead(o.file, read, 8, 10), SQLITE_IOERR_SHORT_READ, "5 of 8 bytes are there");
    cr_expect_eq(memcmp(read, "\0\0end\0\0\0x", 9), 0);
    cr_expect_eq(m->xTruncate(o.file, 3), SQLITE_OK);
    cr_expect_eq(size_of(&o), 3);
    cr_expect_eq(size_on_disk(o.fd), 3);
    write_at(&o, "!", 1, 3);
    cr_expect_eq(m->xClose(o.file), SQLITE_OK);
    cr_expect_eq(size_on_disk(o.fd), 4, "closing writes the rest");
    write_at(&o, "?", 1, 4);
    int fd = dup(o.fd);
    cr_expect_eq(settle(&o, &size, &err), PF_OK);
    cr_expect_eq(size, 5);
    cr_expect_eq(pread(fd, read, sizeof read, 0), 5);
    cr_expect_eq(memcmp(read, "abX!?", 5), 0);
    close(fd);
}

Test(output_vfs, places)
{
    check_places(1);
    check_places(2);
}

/* Bytes are kept until a piece is full; the next ones begin another, at the right place. */
Test(output_vfs, pieces)
{
    char *page = malloc(PIECE_BYTES);
    cr_assert_not_null(page);
    memset(page, 'p', PIECE_BYTES);
    for (int less = 8; less <= 9; less++) { /* a piece that is full with its place, and one byte less */
        output o = open_output(scratch(), 1);
        int len = PIECE_BYTES - less;
        write_at(&o, page, len, 0);
        cr_expect_eq(size_on_disk(o.fd), 0);
        write_at(&o, "1", 1, len);
        cr_expect_eq(size_on_disk(o.fd), less == 8 ? len : 0);
        write_at(&o, "2", 1, len + 1);
        cr_expect_eq(size_on_disk(o.fd), less == 8 ? len : len + 1);
        char read[3] = "";
        cr_expect_eq(o.file->pMethods->xRead(o.file, read, 3, len - 1), SQLITE_OK);
        cr_expect_eq(memcmp(read, "p12", 3), 0);
        uint64_t size;
        pf_error err;
        cr_expect_eq(settle(&o, &size, &err), PF_OK);
        cr_expect_eq(size, (uint64_t)len + 2);
    }
    free(page);
}

/* A file that cannot be written: who writes says it, at the latest when all is to be in the file. */
static void check_full(unsigned jobs)
{
    output o = open_output(open("/dev/full", O_RDWR), jobs);
    char read[4];
    uint64_t size;
    pf_error err = {0};
    cr_assert_geq(o.fd, 0);
    write_at(&o, "abcd", 4, 0);
    cr_expect_eq(o.file->pMethods->xRead(o.file, read, 4, 0), SQLITE_IOERR_READ);
    cr_expect_eq(settle(&o, &size, &err), PF_ERR_OUTPUT);
    cr_expect_str_eq(err.text, "the database cannot be written: No space left on device; free some space there");
}

Test(output_vfs, a_full_disk)
{
    check_full(1);
    check_full(2);
    output o = open_output(open("/dev/full", O_RDWR), 1);
    uint64_t size;
    pf_error err;
    write_at(&o, "abcd", 4, 0);
    cr_expect_eq(o.file->pMethods->xWrite(o.file, "e", 1, 100), SQLITE_FULL);
    cr_expect_eq(o.file->pMethods->xTruncate(o.file, 0), SQLITE_IOERR_TRUNCATE);
    cr_expect_eq(o.file->pMethods->xClose(o.file), SQLITE_OK, "nothing was left to write");
    write_at(&o, "f", 1, 0);
    cr_expect_eq(o.file->pMethods->xClose(o.file), SQLITE_IOERR_CLOSE);
    cr_expect_eq(settle(&o, &size, &err), PF_ERR_OUTPUT);
}

/* Nobody else knows the file, and there is no other. */
Test(output_vfs, one_file_without_locks)
{
    output o = open_output(scratch(), 1);
    const sqlite3_io_methods *m = o.file->pMethods;
    int answer = 7;
    char name[32] = "", short_name[4] = "";
    cr_expect_eq(m->xLock(o.file, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    cr_expect_eq(m->xCheckReservedLock(o.file, &answer), SQLITE_OK);
    cr_expect_eq(answer, 0);
    cr_expect_eq(m->xUnlock(o.file, SQLITE_LOCK_NONE), SQLITE_OK);
    cr_expect_eq(m->xSync(o.file, SQLITE_SYNC_FULL), SQLITE_OK);
    cr_expect_eq(m->xFileControl(o.file, SQLITE_FCNTL_SIZE_HINT, &answer), SQLITE_NOTFOUND);
    cr_expect_eq(m->xSectorSize(o.file), 0, "SQLite takes its default then");
    cr_expect_eq(m->xDeviceCharacteristics(o.file), 0);
    answer = 7;
    cr_expect_eq(o.vfs->xAccess(o.vfs, "out-journal", SQLITE_ACCESS_EXISTS, &answer), SQLITE_OK);
    cr_expect_eq(answer, 0);
    cr_expect_eq(o.vfs->xDelete(o.vfs, "out-journal", 0), SQLITE_OK);
    cr_expect_eq(o.vfs->xFullPathname(o.vfs, "out", sizeof name, name), SQLITE_OK);
    cr_expect_str_eq(name, "out");
    cr_expect_eq(o.vfs->xFullPathname(o.vfs, "output", sizeof short_name, short_name), SQLITE_OK);
    cr_expect_str_eq(short_name, "out");
    sqlite3_file *journal = calloc(1, (size_t)o.vfs->szOsFile);
    cr_assert_not_null(journal);
    cr_expect_eq(o.vfs->xOpen(o.vfs, "out-journal", journal, SQLITE_OPEN_MAIN_JOURNAL, NULL), SQLITE_CANTOPEN);
    cr_expect_null(journal->pMethods);
    free(journal);
    uint64_t size = 7;
    pf_error err;
    cr_expect_eq(settle(&o, &size, &err), PF_OK);
    cr_expect_eq(size, 0);
    pf_output_vfs_free(NULL);
}
