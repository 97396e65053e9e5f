/* query/query.c - sessions: a private SQLite database in memory whose tables are the trace.
 *
 * The tables are made once per session, then the session is restricted; views and functions that make tables are made
 * for the first statement that names one, as most sessions need none. A text is run statement by statement, each one
 * rewritten where it is Perfetto's own SQL (split_sql.c), so that an error can name its place in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "query/define/define.h"
#include "query/session/session.h"
#include "query/session/split_sql.h"
#include "tables/data.h"

static pf_status sqlite_failed(const pf_query *q, int rc, pf_error *err)
{
    if (rc == SQLITE_NOMEM) {
        return pf_no_memory(err);
    }
    return pf_fail(err, PF_ERR_INTERNAL, "SQLite: %s", q->db ? sqlite3_errmsg(q->db) : sqlite3_errstr(rc));
}

/* CREATE statements for all tables. */
static int create_schema(pf_query *q)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "PRAGMA temp_store=FILE; PRAGMA journal_mode=OFF; BEGIN;");
    for (size_t i = 0; i < q->data.table_count; i++) {
        const pf_data_spec *spec = q->data.tables[i].spec;
        if (!spec->finder) {
            pf_buffer_format(&sql, "CREATE VIRTUAL TABLE \"%s\" USING postfetto(%s);", spec->name, spec->name);
        }
    }
    pf_sql_put_empties(&sql, "CREATE VIEW", pf_sql_empties, pf_sql_empty_count);
    pf_buffer_text(&sql, "COMMIT;");
    pf_buffer_put(&sql, "", 1);
    int rc = sql.failed ? SQLITE_NOMEM : sqlite3_exec(q->db, sql.data, NULL, NULL, NULL);
    pf_buffer_free(&sql);
    return rc;
}

static pf_status open_database(pf_query *q, pf_error *err)
{
    q->heap_at_open = sqlite3_memory_used();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI; /* and for ATTACH */
    const char *files = pf_sql_add_files(q);
    int rc = files ? sqlite3_open_v2(":memory:", &q->db, flags, files) : SQLITE_NOMEM;
    static int (*const parts[])(pf_query *) = {pf_sql_add_functions, pf_sql_add_patterns,   pf_sql_add_aggregates,
                                               pf_sql_add_times,     pf_sql_add_span_joins, pf_sql_add_modules,
                                               create_schema};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == SQLITE_OK; i++) {
        rc = parts[i](q);
    }
    if (rc != SQLITE_OK) {
        return sqlite_failed(q, rc, err);
    }
    pf_sql_restrict(q);
    return PF_OK;
}

static pf_status open_tables(pf_query *q, const pf_trace *t, pf_error *err)
{
    PF_TRY(pf_data_open(&q->data, t, pf_sql_finders, pf_sql_finder_count, err));
    for (size_t i = 0; i < q->data.table_count; i++) {
        pf_data_table *table = &q->data.tables[i];
        PF_TRY(PF_ARENA_NEW(&q->data.arena, table->index, table->spec->column_count, err));
    }
    return PF_OK;
}

/* Macros of the prelude. */
static const pf_str CASTS =
    PF_STR("CREATE PERFETTO MACRO cast_int(value Expr) RETURNS Expr AS CAST($value AS INT);"
           "CREATE PERFETTO MACRO cast_double(value Expr) RETURNS Expr AS CAST($value AS REAL);"
           "CREATE PERFETTO MACRO cast_string(value Expr) RETURNS Expr AS CAST($value AS TEXT);");

pf_status pf_query_open(const pf_trace *t, pf_query **out, pf_error *err)
{
    *out = NULL;
    pf_query *q = calloc(1, sizeof *q);
    if (!q) {
        return pf_no_memory(err);
    }
    pf_error own = {0};
    pf_status st = open_tables(q, t, &own);
    st = st == PF_OK ? open_database(q, &own) : st;
    st = st == PF_OK ? pf_query_run(q, CASTS, NULL, &own) : st;
    if (st != PF_OK) {
        pf_query_free(q);
        if (err) {
            *err = own;
        }
        return st;
    }
    *out = q;
    return PF_OK;
}

void pf_query_set_cancel(pf_query *q, const volatile int *cancel)
{
    q->cancel = cancel;
}

void pf_query_free(pf_query *q)
{
    if (!q) {
        return;
    }
    pf_sql_functions_close(q);
    sqlite3_close(q->db);
    pf_sql_files_free(q);
    pf_sql_definitions_free(q);
    pf_sql_peers_free(q);
    pf_sql_packages_free(q);
    pf_data_close(&q->data);
    free(q);
}

static void read_cell(sqlite3_stmt *stmt, int i, pf_query_cell *cell)
{
    int type = sqlite3_column_type(stmt, i);
    switch (type) {
    case SQLITE_NULL:
        cell->type = PF_VALUE_NULL;
        break;
    case SQLITE_INTEGER:
        cell->type = PF_VALUE_INT;
        cell->as.i = sqlite3_column_int64(stmt, i);
        break;
    case SQLITE_FLOAT:
        cell->type = PF_VALUE_REAL;
        cell->as.d = sqlite3_column_double(stmt, i);
        break;
    default: { /* text, or a blob as its bytes */
        const void *bytes = sqlite3_column_blob(stmt, i);
        cell->type = PF_VALUE_STRING;
        cell->blob = type == SQLITE_BLOB;
        cell->as.s = (pf_str){bytes ? bytes : "", (size_t)sqlite3_column_bytes(stmt, i)};
        break;
    }
    }
}

/* By the words that SQLite itself goes by. */
pf_value_type pf_query_declared_type(const pf_query *q, size_t i)
{
    const char *declared = q->named ? sqlite3_column_decltype(q->named, (int)i) : NULL;
    pf_str type = pf_str_of(declared ? declared : "");
    return pf_str_has_word(type, "int")                                     ? PF_VALUE_INT
           : pf_str_has_word(type, "char") || pf_str_has_word(type, "text") ? PF_VALUE_STRING
           : pf_str_has_word(type, "real") || pf_str_has_word(type, "doub") ? PF_VALUE_REAL
                                                                            : PF_VALUE_NULL;
}

static pf_status send_names(pf_query *q, sqlite3_stmt *stmt, size_t count, const pf_query_sink *sink, pf_error *err)
{
    pf_str *names;
    PF_TRY(PF_LIST_NEW(NULL, names, count, err));
    for (size_t i = 0; i < count; i++) {
        names[i] = pf_sql_name_of(stmt, (int)i);
    }
    q->named = stmt;
    pf_status st = sink->columns(sink->ctx, count, names);
    q->named = NULL;
    free(names);
    return st;
}

/* Steps through one statement; *rc is SQLite's last word. */
static pf_status step(pf_query *q, sqlite3_stmt *stmt, const pf_query_sink *sink, int *rc, pf_error *err)
{
    size_t count = (size_t)sqlite3_column_count(stmt);
    pf_query_cell *cells;
    pf_status st = PF_OK;
    PF_TRY(count && sink && sink->columns ? send_names(q, stmt, count, sink, err) : PF_OK);
    PF_TRY(PF_LIST_NEW(NULL, cells, count, err));
    while (st == PF_OK && (*rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (size_t i = 0; i < count; i++) {
            read_cell(stmt, (int)i, &cells[i]);
        }
        st = sink ? sink->row(sink->ctx, count, cells) : PF_OK;
    }
    free(cells);
    return st;
}

static pf_status run_prepared(pf_query *q, const pf_statement *s, const char *text, const pf_query_sink *sink,
                              pf_error *err)
{
    sqlite3_stmt *stmt = NULL;
    q->blamed = false;
    q->failure.code = PF_OK;
    int rc = pf_sql_prepare(q, text, &stmt);
    if (rc != SQLITE_OK) {
        return pf_sql_failed_at(q, rc, s, 0, err);
    }
    pf_status st = stmt ? step(q, stmt, sink, &rc, err) : PF_OK;
    if (st == PF_OK && stmt && rc != SQLITE_DONE) {
        st = pf_sql_failed_at(q, rc, s, 0, err);
    }
    sqlite3_finalize(stmt);
    return st;
}

static pf_status drop_old(pf_query *q, const pf_statement *s, pf_error *err)
{
    char *drop = sqlite3_mprintf("DROP %s IF EXISTS temp.%.*s", s->replaces_view ? "VIEW" : "TABLE",
                                 (int)s->replaces.len, s->replaces.ptr);
    pf_status st = drop ? run_prepared(q, s, drop, NULL, err) : pf_no_memory(err);
    sqlite3_free(drop);
    return st;
}

static pf_status create(pf_query *q, const pf_statement *s, const pf_query_sink *sink, pf_error *err)
{
    PF_TRY(run_prepared(q, s, "SAVEPOINT creating", NULL, err));
    PF_TRY(s->replaces.ptr ? drop_old(q, s, err) : PF_OK);
    PF_TRY(pf_sql_check_columns(q, s, err));
    PF_TRY(run_prepared(q, s, s->text.data, sink, err));
    return pf_sql_check_values(q, s, err);
}

/* CREATE OR REPLACE: the old one goes only if the new one comes; a table or view with a list of columns: it comes only
 * if it has these. */
static pf_status run_whole(pf_query *q, const pf_statement *s, const pf_query_sink *sink, pf_error *err)
{
    pf_status st = create(q, s, sink, err);
    if (st != PF_OK) {
        run_prepared(q, s, "ROLLBACK TO creating", NULL, NULL);
    }
    run_prepared(q, s, "RELEASE creating", NULL, NULL);
    return st;
}

static pf_status run(pf_query *q, const pf_statement *s, const pf_query_sink *sink, pf_error *err)
{
    q->failure.code = PF_OK;
    switch (s->kind) {
    case PF_SQL_NOTHING:
        return PF_OK;
    case PF_SQL_FUNCTION:
        return pf_sql_define_function(q, s, err);
    case PF_SQL_MACRO:
        return pf_sql_define_macro(q, s, err);
    case PF_SQL_RUN:
        break;
    }
    bool whole = s->replaces.ptr || s->declared;
    return whole ? run_whole(q, s, sink, err) : run_prepared(q, s, s->text.data, sink, err);
}

enum { MAKERS = 1, VIEWS = 2 };

static bool begins(pf_str word, const char *prefix)
{
    size_t len = strlen(prefix);
    return word.len >= len && sqlite3_strnicmp(word.ptr, prefix, (int)len) == 0;
}

#define VIEWS_MAX 40 /* 27 and room */

/* Their names; the count. */
static size_t name_views(pf_str names[VIEWS_MAX])
{
    static const char CREATE[] = "CREATE VIEW ";
    size_t count = 0;
    for (const char *p = pf_sql_views; count < VIEWS_MAX && (p = strstr(p, CREATE)) != NULL;) {
        p += sizeof CREATE - 1;
        names[count++] = (pf_str){p, (size_t)(strchr(p, ' ') - p)};
    }
    return count;
}

static bool is_view(pf_str word, const pf_str *names, size_t count)
{
    size_t i = 0;
    while (i < count && (names[i].len != word.len || sqlite3_strnicmp(names[i].ptr, word.ptr, (int)word.len) != 0)) {
        i++;
    }
    return i < count;
}

/* Views also for what lists tables, and before a transaction, which might end by taking them back. */
static bool wants_views(pf_str word)
{
    return begins(word, "sqlite_") || begins(word, "pragma") || begins(word, "begin") || begins(word, "savepoint");
}

static unsigned all_named(pf_str sql, unsigned made)
{
    pf_str views[VIEWS_MAX];
    size_t count = made & VIEWS ? 0 : name_views(views);
    unsigned named = made;
    for (pf_token t = pf_sql_token(sql, 0); t.type != PF_TOKEN_END && named != (MAKERS | VIEWS);
         t = pf_sql_token(sql, t.end)) {
        if (t.type != PF_TOKEN_PUNCT) {
            bool quoted = t.type == PF_TOKEN_QUOTED && t.end - t.start >= 2;
            pf_str word = {sql.ptr + t.start + quoted, t.end - t.start - 2 * (size_t)quoted};
            named |= begins(word, "__intrinsic_") || begins(word, "repeatedfield") ? MAKERS : 0u;
            named |= wants_views(word) || is_view(word, views, count) ? VIEWS : 0u;
        }
    }
    return named & ~made;
}

/* 120 KB. */
static int add_views(pf_query *q)
{
    sqlite3_set_authorizer(q->db, NULL, NULL);
    int rc = sqlite3_exec(q->db, "SAVEPOINT making", NULL, NULL, NULL);
    rc = rc == SQLITE_OK ? sqlite3_exec(q->db, pf_sql_views, NULL, NULL, NULL) : rc;
    if (rc != SQLITE_OK) {
        sqlite3_exec(q->db, "ROLLBACK TO making", NULL, NULL, NULL);
    }
    sqlite3_exec(q->db, "RELEASE making", NULL, NULL, NULL);
    pf_sql_restrict(q);
    return rc;
}

/* Functions that make tables: 40 KB. */
static int add_makers(pf_query *q)
{
    static int (*const makers[])(pf_query *) = {
        pf_sql_add_made_tables, pf_sql_add_intervals,      pf_sql_add_counter_intervals,
        pf_sql_add_graphs,      pf_sql_add_weight_bounded, pf_sql_add_dominators,
        pf_sql_add_scans,       pf_sql_add_trees,          pf_sql_add_critical_path};
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof makers / sizeof *makers && rc == SQLITE_OK; i++) {
        rc = makers[i](q);
    }
    return rc;
}

static pf_status make_named(pf_query *q, pf_str sql, pf_error *err)
{
    unsigned named = all_named(sql, q->made);
    int rc = named & MAKERS ? add_makers(q) : SQLITE_OK;
    q->made |= rc == SQLITE_OK ? named & MAKERS : 0;
    if (rc == SQLITE_OK && named & VIEWS) {
        rc = add_views(q);
        q->made |= rc == SQLITE_OK ? VIEWS : 0;
    }
    return rc == SQLITE_OK ? PF_OK : sqlite_failed(q, rc, err);
}

static pf_status rewrite_and_run(pf_query *q, const pf_sql_text *text, const pf_query_sink *sink, pf_error *err)
{
    pf_statement s;
    pf_status st = pf_sql_rewrite(text, &s, err);
    st = st == PF_OK ? make_named(q, text->text, err) : st;
    if (st == PF_OK && s.include.ptr) {
        st = pf_sql_include(q, s.include, pf_sql_origin(text, 0), pf_query_run, err);
    }
    if (st == PF_OK && s.kind != PF_SQL_NOTHING) {
        pf_sql_warn_of_undecoded(q, (pf_str){s.text.data, s.text.len - 1});
        st = run(q, &s, sink, err);
    }
    pf_buffer_free(&s.text);
    return st;
}

pf_status pf_query_run(pf_query *q, pf_str sql, const pf_query_sink *sink, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t at = 0; at < sql.len && st == PF_OK;) {
        pf_sql_text text;
        pf_sql_expansion expansion;
        at = pf_sql_split(sql, at, &text);
        st = pf_sql_expand(q, &text, &expansion, err);
        st = st == PF_OK ? rewrite_and_run(q, &text, sink, err) : st;
        pf_sql_expansion_free(&expansion);
    }
    return st;
}
