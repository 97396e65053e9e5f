/* postfetto/query.h - SQL over the columns: SQLite virtual tables with Perfetto's table and column names, no copies. */
#ifndef POSTFETTO_QUERY_H
#define POSTFETTO_QUERY_H

#include "postfetto/findings.h"
#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one thread at a time, but for pf_query_set_cancel's flag; several sessions may share a trace. */
typedef struct pf_query pf_query;

/* A cell of a result row. */
typedef struct pf_query_cell {
    pf_value_type type; /* NULL, INT, REAL or STRING */
    bool blob;          /* STRING: bytes that are no text */
    union {
        int64_t i;
        double d;
        pf_str s; /* valid during the callback */
    } as;
} pf_query_cell;

/* Receives a result: once the column names (or NULL), then every row. A status other than PF_OK ends the query with it.
 */
typedef struct pf_query_sink {
    void *ctx;
    pf_status (*columns)(void *ctx, size_t count, const pf_str *names);
    pf_status (*row)(void *ctx, size_t count, const pf_query_cell *cells);
} pf_query_sink;

/* While a sink receives the names of columns: the type that the i-th one is declared with (INT, REAL or STRING); NULL
 * where it is an expression, and at other times. */
PF_API pf_value_type pf_query_declared_type(const pf_query *q, size_t i);

/* Opens a session over a trace, which must outlive it. A session cannot write files, attach databases or load
 * extensions. Temporary tables and views live as long as the session. */
PF_API pf_status pf_query_open(const pf_trace *t, pf_query **out, pf_error *err);

/* Runs the statements of `sql` in order and sends the rows of those that return any to the sink (each with its own
 * columns call). A wrong statement is PF_ERR_USAGE with SQLite's message; err->offset is the position in `sql`. */
PF_API pf_status pf_query_run(pf_query *q, pf_str sql, const pf_query_sink *sink, pf_error *err);

/* Adds a report table to the session: a copy of its rows under the name `name`. PF_ERR_USAGE: the session has a table
 * that was added with this name. */
PF_API pf_status pf_query_add_table(pf_query *q, const char *name, const pf_table *table, pf_error *err);

/* Adds the files below a folder as modules for INCLUDE PERFETTO MODULE: DIR/a/b.sql is NAME.a.b; NULL: the folder's own
 * name. Files are read when they are included. PF_ERR_USAGE: the name, or a part of it up to a dot, is that of another
 * package; PF_ERR_INPUT: the folder cannot be read. */
PF_API pf_status pf_query_add_package(pf_query *q, const char *dir, const char *name, pf_error *err);

/* Adds each folder in `dir` as a package of its name: the modules of Perfetto's own library, of which none is built in
 * but prelude and slices.with_context. */
PF_API pf_status pf_query_add_library(pf_query *q, const char *dir, pf_error *err);

/* A flag that makes pf_query_run give up soon (PF_ERR_CANCELLED) once it is not 0; it may be set from a signal handler
 * or another thread. NULL, as at first: none. */
PF_API void pf_query_set_cancel(pf_query *q, const volatile int *cancel);

/* Receives one line of text about SQL that runs but may not mean what it says: a module that is not built in, a table
 * that would be filled by data that is not decoded. */
typedef void (*pf_query_warning)(void *ctx, const char *text);
PF_API void pf_query_set_warning(pf_query *q, pf_query_warning warn, void *ctx); /* NULL, as at first: none */

PF_API void pf_query_free(pf_query *q);

#ifdef __cplusplus
}
#endif
#endif
