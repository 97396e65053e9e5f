/* query/session/session.h - the state of one SQL session. */
#pragma once

#include <sqlite3.h>

#include "base/buffer.h"
#include "base/str.h"
#include "base/text/demangle.h"
#include "model/trace/trace.h"
#include "query/session/table.h"

/* What a clock showed at a trace time. */
typedef struct pf_sql_instant {
    int64_t ts, value;
    uint32_t row; /* of clock_snapshot */
} pf_sql_instant;

enum { PF_SQL_REALTIME = 0, PF_SQL_MONOTONIC, PF_SQL_CLOCKS };

typedef struct pf_sql_timeline {
    pf_sql_instant *list;
    uint32_t count;
    bool made;
} pf_sql_timeline;

#define PF_SQL_PEERS 16
#define PF_SQL_FEEDS 32

struct pf_query {
    pf_data data; /* the tables of the trace; what lives as long as the session is in its arena */
    sqlite3 *db;
    pf_sql_timeline timelines[PF_SQL_CLOCKS];
    struct pf_sql_peers *peers; /* PF_SQL_PEERS of them, or NULL */
    unsigned next_peers;
    pf_error failure;           /* set by callbacks that can only say "error" to SQLite */
    const char *denied;         /* what the authorizer refused last */
    int64_t heap_at_open;       /* SQLite's heap when the session began */
    const volatile int *cancel; /* or NULL */
    sqlite3_stmt *named;        /* whose columns a sink receives, or NULL */
    pf_query_warning warn;      /* or NULL */
    void *warn_ctx;
    uint32_t warned[PF_SQL_FEEDS];    /* query_warnings.c: by source, a bit for each of its tables */
    struct pf_sql_packages *packages; /* or NULL */
    pf_demangler demangler;
    struct pf_sql_function *functions, *macros;
    unsigned depth;    /* bodies of functions that run inside of each other */
    unsigned made;     /* query.c: what of that which is made on first use is there */
    bool blamed;       /* a function has said what failed */
    sqlite3_vfs files; /* of what is temporary */
    char files_name[40];
    bool files_on_disk; /* where they can be */
};

/* authorizer.c: what a session may not do, and bounds for what it may. */
void pf_sql_restrict(pf_query *q);

/* temporary_files.c: registers q->files. Returns its name, NULL: no memory. */
const char *pf_sql_add_files(pf_query *q);
void pf_sql_files_free(pf_query *q);

/* packages.c: INCLUDE PERFETTO MODULE of a name, or of all that begin like it; `at`: where the statement says so;
 * `run`: pf_query_run. Warns where no package should have the module. */
typedef pf_status pf_sql_runner(pf_query *q, pf_str sql, const pf_query_sink *sink, pf_error *err);
pf_status pf_sql_include(pf_query *q, pf_str name, uint64_t at, pf_sql_runner *run, pf_error *err);
void pf_sql_packages_free(pf_query *q);

/* query_warnings.c: warns of tables in a statement that packets would fill which are not decoded. */
void pf_sql_warn_of_undecoded(pf_query *q, pf_str sql);

/* A function of SQL, or with `step` and `final` an aggregate. */
typedef struct pf_sql_call {
    const char *name;
    int arguments;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
    bool strict;          /* NULL where an argument is */
    bool intrinsic;       /* __intrinsic_NAME calls it, too: what DELEGATES TO names */
    const char *integers; /* and what is said where one is no integer; NULL: they may be anything */
    size_t which;         /* of the functions that have `call` in common */
} pf_sql_call;

/* The user data of a function. */
typedef struct pf_sql_bound {
    pf_query *q;
    const pf_sql_call *call;
} pf_sql_bound;

static inline pf_query *pf_sql_session(sqlite3_context *ctx)
{
    return ((const pf_sql_bound *)sqlite3_user_data(ctx))->q;
}

static inline size_t pf_sql_which(sqlite3_context *ctx)
{
    return ((const pf_sql_bound *)sqlite3_user_data(ctx))->call->which;
}

/* session.c: makes them callable. Returns an SQLite code. */
int pf_sql_add_calls(pf_query *q, const pf_sql_call *list, size_t count);

static inline pf_str pf_sql_name_of(sqlite3_stmt *select, int column)
{
    const char *name = sqlite3_column_name(select, column);
    return pf_str_of(name ? name : "");
}

/* The text of a value; empty for NULL. */
static inline pf_str pf_sql_text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? (pf_str){text, (size_t)sqlite3_value_bytes(value)} : PF_STR("");
}

/* functions.c, patterns.c, aggregates.c: SQL functions. They return an SQLite code. */
int pf_sql_add_functions(pf_query *q);
int pf_sql_add_patterns(pf_query *q);
int pf_sql_add_aggregates(pf_query *q);

/* made_table.c, interval_tables.c, counter_tables.c: tables made by functions. */
int pf_sql_add_made_tables(pf_query *q);
int pf_sql_add_intervals(pf_query *q);
int pf_sql_add_counter_intervals(pf_query *q);

/* graphs/: functions of graphs and trees. */
int pf_sql_add_graphs(pf_query *q);
int pf_sql_add_weight_bounded(pf_query *q);
int pf_sql_add_dominators(pf_query *q);
int pf_sql_add_scans(pf_query *q);
int pf_sql_add_trees(pf_query *q);
int pf_sql_add_critical_path(pf_query *q);

/* span_join.c: what CREATE VIRTUAL TABLE may make. */
int pf_sql_add_span_joins(pf_query *q);

/* clock_times.c: functions that turn trace time into other clocks. */
int pf_sql_add_times(pf_query *q);

/* functions.c: the row of an argument, or PF_NONE. A conversion turns args.X into debug.X: either name finds the other.
 */
uint32_t pf_sql_find_arg(const pf_query *q, int64_t set, pf_str key);

/* arg_peers.c: the sets whose argument (the third one's key) equals that of a set (the second one's key). */
pf_status pf_sql_arg_peers(pf_query *q, int64_t set, sqlite3_value **all, pf_sql_found *found, pf_error *err);
void pf_sql_peers_free(pf_query *q);

/* arg_joins.c: the statement with joins over arguments made fast, NUL-terminated; nothing if there is nothing to do. */
void pf_sql_rewrite_arg_joins(pf_query *q, pf_str sql, pf_buffer *out);

/* session.c: hands a cell to SQLite; how long a text in it lives. */
void pf_sql_result(sqlite3_context *ctx, const pf_query_cell *cell, sqlite3_destructor_type lives);

/* session.c: tells SQLite what a table looks like, and makes it: `size` bytes, that follow the base unset; frees a
 * table that owns nothing else. */
int pf_sql_connect(sqlite3 *db, pf_buffer *declaration, size_t size, sqlite3_vtab **out);
int pf_sql_disconnect(sqlite3_vtab *table);

/* A module of tables that are only read: its functions are TABLE_connect, CURSOR_open and so on. Without CREATE it can
 * be used under its own name only, without FIND it has no functions of its own. */
#define PF_SQL_MODULE(table, cursor, create, disconnect, find)                                                         \
    {                                                                                                                  \
        .iVersion = 1, .xCreate = create, .xConnect = table##_connect, .xBestIndex = table##_best_index,               \
        .xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = cursor##_open, .xClose = cursor##_close,           \
        .xFilter = cursor##_filter, .xNext = cursor##_next, .xEof = cursor##_eof, .xColumn = cursor##_column,          \
        .xRowid = cursor##_rowid, .xFindFunction = find,                                                               \
    }

/* Defines `name`, an xOpen of cursors of that type, with what is not zero in a new one. */
#define PF_SQL_OPEN(name, type, ...)                                                                                   \
    static int name(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)                                                     \
    {                                                                                                                  \
        type *c = sqlite3_malloc64(sizeof *c);                                                                         \
        if (!c) {                                                                                                      \
            return SQLITE_NOMEM;                                                                                       \
        }                                                                                                              \
        *c = (type){__VA_ARGS__};                                                                                      \
        *out = &c->base;                                                                                               \
        return SQLITE_OK;                                                                                              \
    }                                                                                                                  \
    static int name(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)

/* vtab.c: the modules "postfetto" (arguments: the table's name) and one per table-valued function. */
int pf_sql_add_modules(pf_query *q);

/* session.c: compiles the faster form of a statement, or where there is none, or it does not compile, the statement.
 */
int pf_sql_prepare(pf_query *q, const char *text, sqlite3_stmt **stmt);

/* session.c: the error of a text that SQLite refused or gave up, which begins at an offset of s->text. */
struct pf_statement;
pf_status pf_sql_failed_at(pf_query *q, int rc, const struct pf_statement *s, size_t offset, pf_error *err);

/* slice_relatives.c: ancestors and descendants of slices. */
pf_status pf_sql_ancestors(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err);
pf_status pf_sql_descendants(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err);

/* slice_relatives.c: the flows that begin at a slice and go on, lead to it, or both. */
pf_status pf_sql_following(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err);
pf_status pf_sql_preceding(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err);
pf_status pf_sql_connected(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err);
