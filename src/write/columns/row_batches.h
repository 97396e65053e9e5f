/* write/columns/row_batches.h - rows of cells, whose types come value by value, as batches of typed columns.
 *
 * A column has the type of the first batch's values: INT64, DOUBLE where reals are among them, TEXT, or BINARY where
 * blobs are. One without any value has the type that it was declared with; where nothing was declared, the first batch
 * waits for a value as long as its numbers and texts take up to 64 MiB each, and then it is TEXT. A value that does not
 * fit its column, in the first batch or later, is PF_ERR_USAGE: nothing is rounded or spelled as text that the rows did
 * not ask for.
 *
 * A batch ends at PF_ROW_BATCH rows, or earlier where its numbers or its texts (each kept once) come to 64 MiB, or the
 * texts of all rows to 1 GiB, which Arrow's offsets can still say.
 */
#pragma once

#include "write/columns/table/file_columns.h"

#define PF_ROW_BATCH 122880u

/* Receives a batch, the same columns each time; it is valid during the call. */
typedef pf_status (*pf_row_batch_put)(void *ctx, const pf_col_table *rows, pf_error *err);

typedef struct pf_row_batches {
    pf_row_batch_put put;
    void *ctx;
    pf_budget *budget;
    pf_arena arena;    /* names and columns */
    pf_strings texts;  /* of the batch */
    pf_col_table rows; /* the batch; its columns are set when it is put */
    struct pf_row_column *columns;
    uint32_t most; /* rows of a batch; of what is gathered for the first ones, as long as there are */
    uint32_t first_most;
    size_t unknown;      /* columns whose type neither a value nor a declaration says */
    uint64_t text_bytes; /* of the batch; of all its rows: */
    uint64_t spelled;
    uint64_t done; /* rows in front of it */
    bool typed;    /* a batch was put */
} pf_row_batches;

/* Begins a result. Of columns whose names are equal (ASCII letters in either case) each but the first gets "_2", "_3",
 * ...: the first number that makes it a new name. types: as declared (INT, REAL, STRING; NULL: not at all), or NULL.
 * *err is there in all functions; after a failure, too, pf_row_batches_free frees what there is. */
pf_status pf_row_batches_begin(pf_row_batches *b, size_t count, const pf_str *names, const pf_value_type *types,
                               pf_budget *budget, pf_row_batch_put put, void *ctx, pf_error *err);

/* Adds a row. What is no UTF-8 in a text, lone surrogates included, becomes U+FFFD. */
pf_status pf_row_batches_add(pf_row_batches *b, const pf_query_cell *cells, pf_error *err);

/* Puts what is left; of a result without rows a batch without any. */
pf_status pf_row_batches_end(pf_row_batches *b, pf_error *err);
void pf_row_batches_free(pf_row_batches *b);
