/* write/columns/arrow/arrow_ipc.h - a table as Arrow IPC: a file, as Perfetto's archives have it, or a stream.
 *
 *     file:   "ARROW1" 0 0 | schema | dictionary 0 .. n-1 | record batch | end | footer | u32 its length | "ARROW1"
 *     stream: schema | dictionaries | record batch | end
 *
 * One record batch holds all rows. A column of texts has a dictionary of its own, numbered in the order of the columns;
 * in further batches of a stream (query results) texts are plain instead. A column that may have NULLs has a bit for
 * each row, others none. Buffers have their exact length and begin at multiples of 64 bytes.
 *
 * Everything but the values is made first (pf_arrow_plan), so that the size is known before the first byte. */
#pragma once

#include "base/buffer.h"
#include "write/columns/table/file_columns.h"

enum {
    PF_ARROW_STREAM = 1u << 0, /* no file around it */
    PF_ARROW_PLAIN = 1u << 1,  /* texts without dictionaries */
    PF_ARROW_MORE = 1u << 2,   /* of a stream: a further batch, without a schema */
    PF_ARROW_OPEN = 1u << 3    /* of a stream: without the end, a further batch may follow */
};

/* A buffer of a body: where it begins there, and its exact length. */
typedef struct pf_arrow_buffer {
    int64_t offset, len;
} pf_arrow_buffer;

/* A message: where it is in the file, its length up to its body, and that of the body. */
typedef struct pf_arrow_block {
    int64_t at;
    int32_t head, zero;
    int64_t body;
} pf_arrow_block;

typedef struct pf_arrow_column {
    const pf_col *col;
    uint32_t rows;
    pf_col_dictionary texts; /* of a dictionary */
    uint8_t *bits;           /* a bit for each row; NULL where the column has no NULL by its type */
    uint32_t nulls;
    uint64_t bytes; /* PLAIN: of all texts */
} pf_arrow_column;

typedef struct pf_arrow {
    const pf_col_table *table;
    size_t lists;            /* 0: the rows are those of one table; else so many tables are lists in one row */
    pf_col_dictionary texts; /* of lists: all of their texts */
    unsigned flags;
    pf_budget *budget;
    uint64_t size; /* bytes that pf_arrow_write puts */
    pf_arrow_column *column;
    size_t columns;
    pf_buffer heads;          /* all that is not a body, piece by piece */
    size_t *head_end, pieces; /* where each of them ends */
    pf_arrow_block *block;    /* by piece */
} pf_arrow;

typedef pf_status (*pf_arrow_sink)(void *ctx, const void *bytes, size_t len, pf_error *err);

/* *err is there in all functions. After a failure, too, pf_arrow_free frees what there is. The table must outlive it.
 * PF_ERR_LIMIT: texts of a column of 2 GiB or more. */
pf_status pf_arrow_plan(pf_arrow *a, const pf_col_table *table, unsigned flags, pf_budget *budget, pf_error *err);

/* Several tables as a stream of one row: each is a list of structs, all texts, which are those of the pool, have one
 * dictionary, and buffers begin at multiples of 8 bytes. Of many small tables that is a fraction of a file for each. */
pf_status pf_arrow_plan_lists(pf_arrow *a, const pf_col_table *tables, size_t count, const pf_strings *texts,
                              pf_budget *budget, pf_error *err);
pf_status pf_arrow_write(const pf_arrow *a, pf_arrow_sink put, void *ctx, pf_error *err);
void pf_arrow_free(pf_arrow *a);

/* PF_ERR_LIMIT for texts of 2 GiB or more. */
pf_status pf_arrow_check_texts(const pf_col_table *table, const pf_col *c, uint64_t bytes, pf_error *err);

/* One batch of a stream with plain texts, from plan to free; `first`: with the schema. */
pf_status pf_arrow_put_batch(const pf_col_table *rows, bool first, pf_arrow_sink put, void *ctx, pf_budget *budget,
                             pf_error *err);
/* The end of such a stream. */
pf_status pf_arrow_put_end(pf_arrow_sink put, void *ctx, pf_error *err);
