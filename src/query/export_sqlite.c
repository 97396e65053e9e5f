/* query/export_sqlite.c - a trace as an SQLite database file.
 *
 * The session's own connection does it: lifted from its restrictions, it attaches a new database and fills it with
 * CREATE TABLE ... AS SELECT from the virtual tables and views, in one transaction, so the file holds exactly what a
 * query would see. Views are views again, in words of plain SQLite.
 *
 * SQLite writes into the atomic output itself, which has no name yet, by a VFS of ours (output_vfs.c).
 */
#include "postfetto/export.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/files/file.h"
#include "base/files/outfile.h"
#include "base/sized.h"
#include "base/text/errno_text.h"
#include "query/output_vfs.h"
#include "query/session/session.h"

#define COPY_BYTES (1u << 20)
#define OPERATIONS_PER_CHECK 20000

typedef struct exporter {
    pf_query *q;
    const pf_write_options *options;
    pf_output_vfs *file;
    int fd;       /* of the output, */
    bool scratch; /* or of a file that is copied there */
    bool cancelled;
    unsigned done; /* tables */
} exporter;

/* What joins and time ranges need. Two thirds of an export were spent on sorting for indexes, most of it on names,
 * which a scan finds in some milliseconds. */
static const char indexes[] =
    "CREATE INDEX out.slice_by_ts ON slice(ts); CREATE INDEX out.slice_by_track ON slice(track_id);"
    "CREATE INDEX out.slice_by_parent ON slice(parent_id) WHERE parent_id IS NOT NULL;"
    "CREATE INDEX out.counter_by_track ON counter(track_id, ts); CREATE INDEX out.args_by_set ON args(arg_set_id);"
    "CREATE INDEX out.flow_by_out ON flow(slice_out); CREATE INDEX out.flow_by_in ON flow(slice_in);";

/* Indexes take about as long as all tables. */
static double tables_and_indexes(const exporter *x)
{
    return 2.0 * (double)(x->q->data.table_count + pf_sql_empty_count);
}

static int check(void *ctx)
{
    exporter *x = ctx;
    x->cancelled = x->options->cancel && *x->options->cancel;
    if (x->options->progress) {
        struct stat sb = {0};
        (void)fstat(x->fd, &sb);
        x->options->progress(x->options->progress_ctx, (uint64_t)sb.st_size, x->done / tables_and_indexes(x));
    }
    return x->cancelled;
}

static pf_status failed(exporter *x, int rc, pf_error *err)
{
    if (x->cancelled) {
        return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
    }
    if (x->q->failure.code != PF_OK) {
        if (err) {
            *err = x->q->failure;
        }
        return x->q->failure.code;
    }
    switch (rc & 0xff) {
    case SQLITE_TOOBIG:
        return pf_fail(
            err, PF_ERR_LIMIT,
            "a text of the trace is longer than the %d bytes that SQLite takes here; convert it to JSON instead",
            sqlite3_limit(x->q->db, SQLITE_LIMIT_LENGTH, -1));
    case SQLITE_NOMEM:
        return pf_no_memory(err);
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        return pf_fail(err, PF_ERR_OUTPUT, "the database cannot be written: %s; free some space there and in TMPDIR",
                       sqlite3_errmsg(x->q->db));
    default:
        return pf_fail(err, PF_ERR_INTERNAL, "SQLite: %s", sqlite3_errmsg(x->q->db));
    }
}

static pf_status execute(exporter *x, const char *sql, pf_error *err)
{
    int rc = sqlite3_exec(x->q->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? PF_OK : failed(x, rc, err);
}

/* A statement that sqlite3_mprintf made. */
static pf_status execute_made(exporter *x, char *sql, pf_error *err)
{
    pf_status st = sql ? execute(x, sql, err) : pf_no_memory(err);
    sqlite3_free(sql);
    return st;
}

/* Standard output, devices and pipes cannot be read: the database is made in a file without a name first. */
static pf_status open_scratch(exporter *x, pf_error *err)
{
    pf_spool scratch;
    x->scratch = pf_spool_open(&scratch, "/tmp");
    x->fd = scratch.fd;
    return x->scratch ? PF_OK
                      : pf_fail(err, PF_ERR_OUTPUT,
                                "a scratch file cannot be created in /tmp: %s; write the database to a file",
                                pf_errno_text(errno));
}

/* With files of bytes that need not stay in memory it sorts for indexes. */
static pf_status attach(exporter *x, pf_error *err)
{
    x->q->files_on_disk = true;
    char *sql = sqlite3_mprintf("ATTACH %Q AS out; PRAGMA out.journal_mode=OFF;"
                                "PRAGMA out.synchronous=OFF; PRAGMA out.locking_mode=EXCLUSIVE;"
                                "PRAGMA out.page_size=16384; BEGIN;",
                                pf_output_vfs_uri(x->file));
    return execute_made(x, sql, err);
}

static pf_status copy_table(exporter *x, const char *name, pf_error *err)
{
    x->done++;
    return execute_made(x, sqlite3_mprintf("CREATE TABLE out.\"%w\" AS SELECT * FROM main.\"%w\"", name, name), err);
}

/* The views of a session, in words of plain SQLite: with the name of the database, and without our function. */
static pf_status add_views(exporter *x, pf_error *err)
{
    static const char create[] = "CREATE VIEW ", call[] = "extract_arg(";
    pf_buffer sql = {0};
    for (const char *p = pf_sql_views; *p;) {
        if (strncmp(p, create, sizeof create - 1) == 0) {
            pf_buffer_format(&sql, "%sout.", create);
            p += sizeof create - 1;
        } else if (strncmp(p, call, sizeof call - 1) == 0) { /* extract_arg(SET, 'KEY') */
            const char *set = p + sizeof call - 1, *key = strchr(set, '\''), *end = strchr(key, ')');
            pf_buffer_format(&sql,
                             "(SELECT coalesce(int_value, real_value, string_value) FROM args WHERE args.arg_set_id = "
                             "%.*s AND args.key = %.*s)",
                             (int)strcspn(set, ","), set, (int)(end - key), key);
            p = end + 1;
        } else {
            pf_buffer_put(&sql, p++, 1);
        }
    }
    pf_buffer_put(&sql, "", 1);
    pf_status st = sql.failed ? pf_no_memory(err) : execute(x, sql.data, err);
    pf_buffer_free(&sql);
    return st;
}

static pf_status fill(exporter *x, pf_error *err)
{
    for (size_t i = 0; i < x->q->data.table_count; i++) {
        const pf_data_spec *spec = x->q->data.tables[i].spec;
        PF_TRY(spec->finder ? PF_OK : copy_table(x, spec->name, err));
    }
    for (size_t i = 0; i < pf_sql_empty_count; i++) {
        PF_TRY(copy_table(x, pf_sql_empties[i].name, err));
    }
    PF_TRY(execute(x, indexes, err));
    PF_TRY(add_views(x, err));
    return execute(x, "COMMIT; DETACH out;", err);
}

static pf_status copy_bytes(exporter *x, pf_outfile *out, pf_error *err)
{
    char *bytes = malloc(COPY_BYTES);
    pf_status st = bytes ? PF_OK : pf_no_memory(err);
    off_t at = 0;
    ssize_t n = 1;
    while (st == PF_OK && n > 0) {
        n = pread(x->fd, bytes, COPY_BYTES, at);
        if (n < 0 && errno != EINTR) {
            st = pf_fail(err, PF_ERR_OUTPUT, "the scratch file cannot be read: %s; try again", pf_errno_text(errno));
        } else if (check(x)) {
            st = failed(x, SQLITE_INTERRUPT, err);
        } else if (n > 0) {
            st = pf_outfile_write(out, bytes, (size_t)n, err);
            at += n;
        }
        n = n < 0 ? 1 : n;
    }
    free(bytes);
    return st;
}

static pf_status build(exporter *x, pf_outfile *out, pf_error *err)
{
    uint64_t size;
    x->fd = out->fd;
    PF_TRY(out->direct ? open_scratch(x, err) : PF_OK);
    x->file = pf_output_vfs_new(x->fd, x->options->jobs);
    if (!x->file) {
        return pf_no_memory(err);
    }
    sqlite3_set_authorizer(x->q->db, NULL, NULL);
    sqlite3_db_config(x->q->db, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL); /* it forbids to do without a journal */
    sqlite3_limit(x->q->db, SQLITE_LIMIT_ATTACHED, 1);
    sqlite3_limit(x->q->db, SQLITE_LIMIT_LENGTH, INT_MAX);
    sqlite3_progress_handler(x->q->db, OPERATIONS_PER_CHECK, check, x);
    PF_TRY(attach(x, err));
    PF_TRY(fill(x, err));
    PF_TRY(pf_output_vfs_settle(x->file, &size, err));
    PF_TRY(check(x) ? failed(x, SQLITE_INTERRUPT, err) : PF_OK);
    if (x->options->written) {
        *x->options->written += size;
    }
    return x->scratch ? copy_bytes(x, out, err) : PF_OK;
}

pf_status pf_export_sqlite(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err)
{
    pf_write_options all = pf_write_options_default();
    exporter x = {.options = &all, .fd = -1};
    pf_outfile out;
    if (o) {
        pf_sized_take(&all, sizeof all, o, o->size, PF_SIZED_UPTO(pf_write_options, loose_flows));
    }
    pf_status st = pf_outfile_open(&out, path, err);
    if (st != PF_OK) {
        return st;
    }
    st = pf_query_open(t, &x.q, err);
    st = st == PF_OK ? build(&x, &out, err) : st;
    pf_query_free(x.q);
    pf_output_vfs_free(x.file);
    if (x.scratch) {
        close(x.fd);
    }
    if (st == PF_OK) {
        st = pf_outfile_commit(&out, x.options->sync, err);
    } else {
        pf_outfile_abort(&out);
    }
    return st;
}
