/* query/session/statement.c - compiling one statement, and what went wrong with it. */
#include <sqlite3.h>
#include <string.h>

#include "query/session/session.h"
#include "query/session/split_sql.h"

/* Where the error lies in a text. SQLite does not say it of unknown tables, but names them. */
static size_t error_offset(const pf_query *q, pf_str text)
{
    int offset = sqlite3_error_offset(q->db);
    if (offset >= 0) {
        return (size_t)offset;
    }
    static const char UNKNOWN[] = "no such table: ";
    const char *message = sqlite3_errmsg(q->db);
    if (strncmp(message, UNKNOWN, sizeof UNKNOWN - 1) != 0) {
        return 0;
    }
    const char *dot = strchr(message, '.'), *name = dot ? dot + 1 : message + sizeof UNKNOWN - 1;
    size_t len = strlen(name);
    pf_token t = pf_sql_token(text, 0);
    while (t.type != PF_TOKEN_END &&
           (t.end - t.start != len || sqlite3_strnicmp(text.ptr + t.start, name, (int)len) != 0)) {
        t = pf_sql_token(text, t.end);
    }
    return t.type == PF_TOKEN_END ? 0 : t.start;
}

pf_status pf_sql_failed_at(pf_query *q, int rc, const pf_statement *s, size_t offset, pf_error *err)
{
    if (q->failure.code != PF_OK) {
        if (err) {
            *err = q->failure;
        }
        return q->failure.code;
    }
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return pf_no_memory(err);
    case SQLITE_FULL:
        return pf_fail_at(err, PF_ERR_LIMIT, pf_sql_position(s, 0), "%s", sqlite3_errmsg(q->db));
    case SQLITE_TOOBIG:
        return pf_fail_at(
            err, PF_ERR_LIMIT, pf_sql_position(s, 0),
            "%s: a query's limits are %d bytes for a text or blob and %d for a statement; ask for parts of it",
            sqlite3_errmsg(q->db), sqlite3_limit(q->db, SQLITE_LIMIT_LENGTH, -1),
            sqlite3_limit(q->db, SQLITE_LIMIT_SQL_LENGTH, -1));
    default:
        break;
    }
    pf_str text = s->text.data ? (pf_str){s->text.data + offset, s->text.len - 1 - offset} : (pf_str){"", 0};
    size_t position = pf_sql_position(s, offset + error_offset(q, text));
    if ((rc & 0xff) == SQLITE_AUTH && q->denied) {
        return pf_fail_at(err, PF_ERR_USAGE, position,
                          "%s is not allowed; a query can read the trace and make temporary tables", q->denied);
    }
    return pf_fail_at(err, PF_ERR_USAGE, position, "%s", sqlite3_errmsg(q->db));
}

int pf_sql_prepare(pf_query *q, const char *text, sqlite3_stmt **stmt)
{
    pf_buffer faster = {0};
    pf_sql_rewrite_arg_joins(q, (pf_str){text, strlen(text)}, &faster);
    int rc = faster.len && !faster.failed ? sqlite3_prepare_v2(q->db, faster.data, -1, stmt, NULL) : SQLITE_ERROR;
    pf_buffer_free(&faster);
    if (rc == SQLITE_OK) {
        return rc;
    }
    return sqlite3_prepare_v2(q->db, text, -1, stmt, NULL);
}
