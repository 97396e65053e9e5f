/* query/session/table.h - what a query adds to the tables of a trace (tables/data.h): indexes of columns, functions
 * that find rows, views.
 */
#pragma once

#include <sqlite3.h>

#include "base/buffer.h"
#include "postfetto/query.h"
#include "tables/data.h"

/* The rows of an indexed column in the order of its values: group g has rows[offset[g] .. offset[g + 1]), ascending.
 * Group 0 are the NULLs, which LOOKUP leaves out. */
typedef struct pf_sql_index {
    uint32_t groups;
    uint32_t values; /* groups that have rows, without the NULLs */
    uint32_t rows;
    int64_t *value;   /* LOOKUP: by group, ascending from group 1 on; else NULL */
    uint32_t *offset; /* groups + 1 */
    uint32_t *row;
    uint32_t *group_of; /* STRING, KEY: by string id, 0 = no row has it; else NULL: value v is group v + 1 */
    uint32_t ids;       /* entries of group_of */
} pf_sql_index;

/* Rows that a table-valued function has found, a list in memory of the query's budget. */
typedef struct pf_sql_found {
    uint32_t *row;
    uint32_t count, room;
} pf_sql_found;

/* What finds the rows of a table-valued function for its first argument, an integer, and the others. */
typedef struct pf_sql_finder {
    pf_status (*call)(pf_query *q, int64_t first, sqlite3_value **all, pf_sql_found *found, pf_error *err);
    unsigned arguments, expected; /* how many of them; how many rows */
} pf_sql_finder;

/* finders.c: the tables of functions, which stand after those of the trace. */
extern const pf_data_spec pf_sql_finders[];
extern const size_t pf_sql_finder_count;

/* The index of column `c`, made on first use; NULL if memory was refused (*err filled). */
const pf_sql_index *pf_sql_index_get(pf_query *q, pf_data_table *table, size_t c, pf_error *err);
const pf_sql_index *pf_sql_index_named(pf_query *q, const char *table, const char *column, pf_error *err);

/* Columns without an index that rows can be sorted by. */
static inline bool pf_sql_has_numbers(pf_data_source source)
{
    return source == PF_DATA_INT64 || source == PF_DATA_INT64_OR_NULL || source == PF_DATA_REAL;
}

/* All rows in the order of n columns, each indexed or of numbers, ties in ascending numbers, or the first of them,
 * `limit` or more: `*count`, in memory of the query's budget of (*count + 1) entries. Bit k of `down`: column k
 * descends. NULL if memory was refused (*err filled). */
uint32_t *pf_sql_order_make(pf_query *q, pf_data_table *table, const int *columns, unsigned n, unsigned down,
                            uint64_t limit, uint32_t *count, pf_error *err);

/* The rows of a value: of a number, of a text, of NULL. */
typedef struct pf_sql_rows {
    const uint32_t *row;
    uint32_t count;
} pf_sql_rows;
pf_sql_rows pf_sql_index_int(const pf_sql_index *x, int64_t value);
pf_sql_rows pf_sql_index_text(const pf_query *q, const pf_sql_index *x, const pf_data_column *column, pf_str value);
pf_sql_rows pf_sql_index_null(const pf_sql_index *x);

/* SQL text that makes the views, and the tables that the model does not know, as views without rows. */
extern const char pf_sql_views[];

/* A row is one table: name and its column names, separated by blanks. */
typedef struct pf_sql_empty {
    const char *name, *columns;
} pf_sql_empty;
extern const pf_sql_empty pf_sql_empties[];
extern const size_t pf_sql_empty_count;

/* What else modules of packages may name, made with the first package. */
extern const pf_sql_empty pf_sql_module_empties[];
extern const size_t pf_sql_module_empty_count;

/* Appends statements that begin with `create` and make them. */
void pf_sql_put_empties(pf_buffer *sql, const char *create, const pf_sql_empty *list, size_t count);
