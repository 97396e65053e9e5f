/* write/columns/table/file_columns.h - the columns of a table on their way into a file: a type, and where the values
 * lie.
 *
 * A column is filled piece by piece into the caller's arrays, in the widths that Arrow and Parquet have; nothing is
 * copied before. Texts are ids of a pool; files want numbers of a dictionary of their own (pf_col_dictionary).
 *
 * The columns of a trace's tables, of an argument as a column and of a report table are made here (table_columns.c).
 */
#pragma once

#include "postfetto/findings.h"
#include "tables/data.h"

typedef enum pf_col_type {
    PF_COL_UINT32,
    PF_COL_INT32,
    PF_COL_INT64,
    PF_COL_DOUBLE,
    PF_COL_TEXT,  /* filled as uint32 ids of `pool`, 0 where NULL */
    PF_COL_BINARY /* the same, of bytes that are no text */
} pf_col_type;

/* Where a value lies: in an array by row, or nowhere. */
typedef enum pf_col_source {
    PF_COL_OF_NULL, /* NULL in every row */
    PF_COL_OF_ZERO,
    PF_COL_OF_ROW, /* the row number */
    PF_COL_OF_INT64,
    PF_COL_OF_UINT32, /* PF_NONE is NULL */
    PF_COL_OF_DOUBLE,
    PF_COL_OF_ID,   /* uint32, 0 is NULL */
    PF_COL_OF_BITS, /* int64 or double (as the type says) where `present` says so */
    PF_COL_OF_ARGS  /* what rows of args have as a value of the type (int64, double, text) */
} pf_col_source;

typedef struct pf_col {
    const char *name;
    pf_col_type type;
    bool nullable; /* says the table; a column without a NULL may be */
    bool sorted;   /* never descending, no NULL */
    bool holes;    /* OF_INT64: INT64_MIN is NULL; OF_DOUBLE: NaN is */
    pf_col_source source;
    const void *array;        /* pf_arg_store for ARGS; NULL otherwise: as OF_NULL */
    const uint8_t *present;   /* OF_BITS: bit i & 7 of byte i >> 3 */
    const uint32_t *rows;     /* the table's rows that are written, or NULL: all */
    const uint32_t *through;  /* which row of another table the value of a row lies in, or NULL */
    const uint32_t *renumber; /* UINT32, texts: what each value, or id, becomes, or NULL */
    const pf_strings *pool;   /* of ids */
} pf_col;

typedef struct pf_col_table {
    const char *name;
    uint32_t rows;
    size_t count;
    pf_col *cols;
} pf_col_table;

static inline size_t pf_col_width(pf_col_type type)
{
    return type == PF_COL_INT64 || type == PF_COL_DOUBLE ? 8 : 4;
}

static inline bool pf_col_has_texts(const pf_col *c)
{
    return c->type == PF_COL_TEXT || c->type == PF_COL_BINARY;
}

/* Rows [from, from + n), `from` a multiple of 8: `values` gets n numbers of pf_col_width bytes, 0 where NULL; `bits`,
 * unless NULL, (n + 7) / 8 bytes with a bit for each row from the lowest one up, 1 where there is a value. Returns how
 * many are NULL. A number that the type does not hold loses its upper bits. */
uint32_t pf_col_fill(const pf_col *c, uint32_t from, uint32_t n, void *values, uint8_t *bits);

/* ---- dictionaries ------------------------------------------------------------------------------------------------ */

/* The texts that a column has, in the order in which its rows first have them. */
typedef struct pf_col_dictionary {
    pf_budget *budget;
    const pf_strings *pool;
    uint32_t *number; /* by id of the pool: 1 + the place among `ids`, 0 if no row has it */
    uint32_t numbers; /* entries of it */
    uint32_t *ids;    /* by place */
    uint32_t count, room;
    uint64_t bytes; /* of all texts */
    uint32_t nulls; /* rows without one */
} pf_col_dictionary;

pf_status pf_col_dictionary_make(pf_col_dictionary *d, const pf_col *c, uint32_t rows, pf_budget *budget,
                                 pf_error *err);

/* The same of rows [from, from + n) alone, in the memory of a dictionary of before, or of one that has a budget and
 * else zeros. */
pf_status pf_col_dictionary_refill(pf_col_dictionary *d, const pf_col *c, uint32_t from, uint32_t n, pf_error *err);
/* All texts of a pool. */
pf_status pf_col_dictionary_whole(pf_col_dictionary *d, const pf_strings *pool, pf_budget *budget, pf_error *err);
void pf_col_dictionary_free(pf_col_dictionary *d);

/* Ids, as pf_col_fill gives them, become places; 0 where NULL. */
void pf_col_dictionary_apply(const pf_col_dictionary *d, uint32_t *ids, uint32_t n);

/* ---- table_columns.c --------------------------------------------------------------------------------------------- */

/* The texts of a pool as UTF-8. */
typedef struct pf_col_pool {
    const pf_strings *of;
    uint32_t known;   /* texts of it that were looked at */
    pf_strings texts; /* all of them, if they were not UTF-8 before */
    uint32_t *id;     /* and their ids there */
} pf_col_pool;

#define PF_COL_POOLS 3 /* that a trace has */

/* Tables of a trace as columns, and what is made for them. Of one thread at a time; what it has made may be read by
 * several. */
typedef struct pf_col_trace {
    pf_data data;
    pf_arena arena;
    pf_strings made; /* texts that no pool has */
    bool utf8;       /* set after the opening: what is no UTF-8 in a text becomes U+FFFD; else texts are as they are */
    pf_col_pool pool[PF_COL_POOLS];
} pf_col_trace;

/* *err is there; after a failure, too, pf_col_trace_close frees what there is. */
pf_status pf_col_trace_open(pf_col_trace *s, const pf_trace *trace, pf_error *err);
void pf_col_trace_close(pf_col_trace *s);

/* How files call a table of the trace: without "__intrinsic_". */
const char *pf_col_table_name(const char *name);

/* The table of that name, with or without the prefix. PF_ERR_USAGE if there is none. */
pf_status pf_col_table_find(pf_col_trace *s, const char *name, pf_data_table **out, pf_error *err);

/* All columns of a table but those that repeat another one, in its order; id first. */
pf_status pf_col_table_of(pf_col_trace *s, pf_data_table *table, pf_col_table *out, pf_error *err);

/* The column of that name, NULL if there is none. */
pf_col *pf_col_named(const pf_col_table *t, const char *name);

#define PF_COL_ARGS_MAX 64 /* arguments that a table can have as columns */

/* Adds an argument of the rows as a column with its key for a name: integers if all values are, else reals if all are
 * numbers, else texts. The table has a column arg_set_id. */
pf_status pf_col_add_arg(pf_col_trace *s, pf_col_table *table, pf_str key, pf_error *err);

/* Only these rows, ascending, in memory of the caller. */
void pf_col_select(pf_col_table *table, const uint32_t *rows, uint32_t count);

/* The table of a pass. Its cells must outlive the columns. utf8: what is no UTF-8 in a text becomes U+FFFD. */
pf_status pf_col_report(pf_arena *arena, pf_strings *made, const pf_table *table, bool utf8, pf_col_table *out,
                        pf_error *err);
