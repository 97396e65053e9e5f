/* query/session/session.c - what a session knows by name, what its tables and functions share; compiling one statement,
 * and what went wrong with it. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "query/session/session.h"
#include "query/session/split_sql.h"

void pf_sql_result(sqlite3_context *ctx, const pf_query_cell *cell, sqlite3_destructor_type lives)
{
    if (cell->type == PF_VALUE_INT) {
        sqlite3_result_int64(ctx, cell->as.i);
    } else if (cell->type == PF_VALUE_REAL) {
        sqlite3_result_double(ctx, cell->as.d);
    } else if (cell->type == PF_VALUE_STRING && cell->as.s.ptr) {
        sqlite3_result_text64(ctx, cell->as.s.ptr, cell->as.s.len, lives, SQLITE_UTF8);
    }
}

int pf_sql_connect(sqlite3 *db, pf_buffer *declaration, size_t size, sqlite3_vtab **out)
{
    pf_buffer_put(declaration, "", 1);
    int rc = declaration->failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, declaration->data);
    pf_buffer_free(declaration);
    *out = rc == SQLITE_OK ? sqlite3_malloc64(size) : NULL;
    if (!*out) {
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    }
    **out = (sqlite3_vtab){.nRef = 0};
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

int pf_sql_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static void strict_call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const pf_sql_call *call = ((const pf_sql_bound *)sqlite3_user_data(ctx))->call;
    bool integers = true;
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
            return;
        }
        integers &= sqlite3_value_type(argv[i]) == SQLITE_INTEGER;
    }
    if (call->integers && !integers) {
        sqlite3_result_error(ctx, call->integers, -1);
    } else {
        call->call(ctx, argc, argv);
    }
}

static int add_call(const pf_sql_bound *bound, const char *name)
{
    const pf_sql_call *call = bound->call;
    int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | (call->call ? SQLITE_DETERMINISTIC : 0);
    return sqlite3_create_function(bound->q->db, name, call->arguments, flags, (void *)bound,
                                   call->strict ? strict_call : call->call, call->step, call->final);
}

int pf_sql_add_calls(pf_query *q, const pf_sql_call *list, size_t count)
{
    pf_sql_bound *bound;
    int rc = PF_ARENA_NEW(&q->data.arena, bound, count, NULL) == PF_OK ? SQLITE_OK : SQLITE_NOMEM;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        char other[64];
        bound[i] = (pf_sql_bound){q, &list[i]};
        snprintf(other, sizeof other, "__intrinsic_%s", list[i].name);
        rc = add_call(&bound[i], list[i].name);
        rc = rc == SQLITE_OK && list[i].intrinsic ? add_call(&bound[i], other) : rc;
    }
    return rc;
}

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
