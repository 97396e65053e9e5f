/* query/session/table.h - what a SQL table is: a name, columns that are rows of data, and where their values lie.
 *
 * A column names a member of the table's base struct (one pointer to an array per column) or a getter. The machinery in
 * vtab.c, plan.c and equal_index.c knows nothing of single tables. Tables of the trace are made of what the model says
 * of them (model_tables.c); those that a query makes itself are rows in tables.c.
 */
#ifndef PF_QUERY_SESSION_TABLE_H
#define PF_QUERY_SESSION_TABLE_H

#include <sqlite3.h>

#include "postfetto/query.h"

/* Where the value of a column comes from. A pointer to the array is at `offset` of the base struct; a NULL pointer is a
 * column of NULLs. */
typedef enum pf_sql_source {
    PF_SQL_ROW,           /* the row number */
    PF_SQL_INT64,         /* array of int64 */
    PF_SQL_INT64_OR_NULL, /* the same, INT64_MIN is NULL */
    PF_SQL_UINT32,        /* array of uint32, PF_NONE is NULL */
    PF_SQL_REAL,          /* array of double */
    PF_SQL_STRING,        /* array of string ids of the trace, 0 is NULL */
    PF_SQL_KEY,           /* array of string ids of the argument keys */
    PF_SQL_BLOB,          /* array of pf_bytes, ptr NULL is NULL */
    PF_SQL_ZERO,          /* the integer 0 in every row */
    PF_SQL_NULL_INT,      /* NULL in every row, declared INTEGER */
    PF_SQL_NULL_TEXT,
    PF_SQL_CALL_INT, /* `make` */
    PF_SQL_CALL_TEXT,
    PF_SQL_CALL_REAL
} pf_sql_source;

static inline bool pf_sql_is_array(pf_sql_source source)
{
    return source >= PF_SQL_INT64 && source <= PF_SQL_BLOB;
}

static inline bool pf_sql_is_text(pf_sql_source source)
{
    return source == PF_SQL_STRING || source == PF_SQL_KEY;
}

enum {
    PF_SQL_SORTED = 1u << 0, /* INT64 or UINT32 without NULL, never descending: ranges by binary search */
    PF_SQL_INDEX = 1u << 1,  /* UINT32, STRING or KEY: equality and grouping through an index made on first use */
    PF_SQL_FEW = 1u << 2,    /* an indexed column whose values have few rows each */
    PF_SQL_LAZY = 1u << 3,   /* the array exists after the table's `load` */
    PF_SQL_COPY = 1u << 4    /* CALL_TEXT: the text lives until the next call only */
};

typedef struct pf_sql_column {
    const char *name;
    pf_sql_source source;
    unsigned flags;
    size_t offset; /* of the array; CALL: which of the cells that `make` can make */
    pf_query_cell (*make)(pf_query *q, uint32_t row, size_t which);
    size_t
        through; /* where not 0: offset of an array that says which row of another table the value lies in, or NULL */
} pf_sql_column;

/* The rows of an indexed column in the order of its values: group g has rows[offset[g] .. offset[g + 1]), ascending.
 * Group 0 are the NULLs. */
typedef struct pf_sql_index {
    uint32_t groups;
    uint32_t rows;
    uint32_t *offset; /* groups + 1 */
    uint32_t *row;
    uint32_t *group_of; /* STRING, KEY: by string id, 0 = no row has it; else NULL: value v is group v + 1 */
    uint32_t ids;       /* entries of group_of */
} pf_sql_index;

typedef struct pf_sql_table pf_sql_table;

/* Rows that a table-valued function has found, a list in memory of the query's budget. */
typedef struct pf_sql_found {
    uint32_t *row;
    uint32_t count, room;
} pf_sql_found;

typedef struct pf_sql_spec {
    const char *name;
    const char *of; /* the main table of the trace whose columns and rows it has; NULL: its own */
    const pf_sql_column *columns;
    size_t column_count;
    /* Sets base and rows where they are its own, and visible where some rows are hidden. May be NULL. */
    pf_status (*open)(pf_query *q, pf_sql_table *table, pf_error *err);
    /* Makes the arrays of LAZY columns. May be NULL. */
    pf_status (*load)(pf_query *q, pf_error *err);
    bool lazy_rows; /* `load` also appends rows; what was there before keeps its place */
    /* A table-valued function: the rows for its first argument, an integer, and the others. NULL for a plain table. */
    pf_status (*call)(pf_query *q, int64_t first, sqlite3_value **all, pf_sql_found *found, pf_error *err);
    unsigned arguments, expected; /* how many of them; how many rows */
} pf_sql_spec;

struct pf_sql_table {
    const pf_sql_spec *spec;
    const void *base;
    uint32_t rows;
    const uint32_t *visible; /* ascending row numbers, or NULL = all */
    uint32_t visible_count;
    bool loaded;
    pf_sql_index **index; /* by column; NULL until made */
};

/* An array column as it is read: the value of `row` is array[pf_sql_place(...)]. */
typedef struct pf_sql_values {
    const void *array;       /* NULL: all values are */
    const uint32_t *through; /* NULL: the row itself */
} pf_sql_values;

static inline pf_sql_values pf_sql_values_of(const pf_sql_table *table, const pf_sql_column *column)
{
    const void *const *array = (const void *)((const char *)table->base + column->offset);
    const uint32_t *const *through = (const void *)((const char *)table->base + column->through);
    return (pf_sql_values){*array, column->through ? *through : NULL};
}

static inline uint32_t pf_sql_place(const pf_sql_values *v, uint32_t row)
{
    return v->through ? v->through[row] : row;
}

/* The table of that name, NULL if there is none. */
pf_sql_table *pf_sql_find(pf_query *q, pf_str name);

/* Runs `load` once; *err is filled on failure. */
pf_status pf_sql_load(pf_query *q, pf_sql_table *table, pf_error *err);

/* The index of column `c`, made on first use; NULL if memory was refused (*err filled). */
const pf_sql_index *pf_sql_index_get(pf_query *q, pf_sql_table *table, size_t c, pf_error *err);
const pf_sql_index *pf_sql_index_named(pf_query *q, const char *table, const char *column, pf_error *err);

/* All rows in the order of n >= 2 indexed columns, ties in ascending numbers: `*count` of them, in memory of the
 * query's budget of (*count + 1) entries. NULL if memory was refused (*err filled). */
uint32_t *pf_sql_order_make(pf_query *q, pf_sql_table *table, const int *columns, unsigned n, uint32_t *count,
                            pf_error *err);

/* The rows of a value: of a number, of a text, of NULL. */
typedef struct pf_sql_rows {
    const uint32_t *row;
    uint32_t count;
} pf_sql_rows;
pf_sql_rows pf_sql_index_int(const pf_sql_index *x, int64_t value);
pf_sql_rows pf_sql_index_text(const pf_query *q, const pf_sql_index *x, const pf_sql_column *column, pf_str value);
pf_sql_rows pf_sql_index_null(const pf_sql_index *x);

/* The texts of a column of ids. */
const pf_strings *pf_sql_pool(const pf_query *q, const pf_sql_column *column);

/* SQL text that makes the views, and the tables that the model does not know, as views without rows. */
extern const char pf_sql_views[];

/* A row is one table: name and its column names, separated by blanks. */
typedef struct pf_sql_empty {
    const char *name, *columns;
} pf_sql_empty;
extern const pf_sql_empty pf_sql_empties[];
extern const size_t pf_sql_empty_count;

#endif
