/* write/columns/parquet/parquet.h - a Parquet file from columns, in one go: whatever is put leaves at once, page by
 * page.
 *
 *     "PAR1" | row groups | FileMetaData | u32 its length | "PAR1"
 *
 * A row group has 122,880 rows (what DuckDB gives one thread): a chunk for each column, which is a dictionary page, if
 * it has one, and data pages of up to 20,480 rows. A page is a header (Thrift) and what zstd made of
 *
 *     u32 length, levels     of columns with NULLs: which rows have a value
 *     values                 of those rows: numbers as they are (PLAIN), texts as u32 length and bytes (PLAIN) or as
 *                            numbers of the dictionary page (RLE_DICTIONARY)
 *
 * Texts must be UTF-8, which is the caller's to see to (pf_col_trace.utf8): readers fail a whole query for one that is
 * not.
 *
 * The metadata says where each chunk is and the least and the greatest value in it, so that readers skip row groups.
 * There are no such bounds where a NaN is among the values, since not all readers agree on its place, nor of texts that
 * are long. */
#pragma once

#include <zstd.h>

#include "base/buffer.h"
#include "write/columns/table/file_columns.h"

#define PF_PARQUET_GROUP 122880u
#define PF_PARQUET_PAGE 20480u

typedef pf_status (*pf_parquet_sink)(void *ctx, const void *bytes, size_t len, pf_error *err);

/* Numbers of Parquet's. */
typedef enum pf_parquet_encoding {
    PF_PARQUET_PLAIN = 0,
    PF_PARQUET_RLE = 3,
    PF_PARQUET_RLE_DICTIONARY = 8
} pf_parquet_encoding;

/* A column of a row group while it is written. */
typedef struct pf_parquet_chunk {
    const pf_col *col;
    bool optional; /* its rows have levels */
    pf_parquet_encoding encoding;
    uint64_t start, data; /* where its first page is, and its first data page */
    uint64_t plain;       /* bytes, with the headers of pages, if nothing were compressed */
    uint32_t nulls;
    bool bounded;            /* there is a least and a greatest value */
    bool unordered;          /* there is one that has no place in the order */
    int64_t least, greatest; /* integers */
    double low, high;
    pf_str first, last; /* texts */
} pf_parquet_chunk;

typedef struct pf_parquet {
    pf_parquet_sink put;
    void *ctx;
    pf_budget *budget;
    uint64_t at; /* bytes put */
    uint64_t rows, groups;
    size_t columns;
    bool *optional;           /* by column */
    pf_buffer schema;         /* Thrift, from the first put on */
    pf_buffer group_metadata; /* Thrift: the elements of a list */
    pf_buffer body, packed, head;
    ZSTD_CCtx *zstd;
    pf_col_dictionary dictionary;
    struct pf_parquet_page *page;
} pf_parquet;

/* *err is there in all functions. After a failure, too, pf_parquet_free frees what there is. */
pf_status pf_parquet_begin(pf_parquet *p, pf_parquet_sink put, void *ctx, pf_budget *budget, pf_error *err);

/* Rows of the same columns each time. A row group ends where a call does, so all calls but the last one should have a
 * multiple of PF_PARQUET_GROUP rows. A file needs a call, if with no rows. */
pf_status pf_parquet_put(pf_parquet *p, const pf_col_table *rows, pf_error *err);
pf_status pf_parquet_end(pf_parquet *p, pf_error *err);
void pf_parquet_free(pf_parquet *p);

/* ---- parquet_pages.c --------------------------------------------------------------------------------------------- */

pf_status pf_parquet_pages_begin(pf_parquet *p, pf_error *err);
void pf_parquet_pages_free(pf_parquet *p);

/* Writes all pages of the rows [from, from + n), and fills the chunk, of which `col` and `optional` are set. */
pf_status pf_parquet_put_chunk(pf_parquet *p, pf_parquet_chunk *k, uint32_t from, uint32_t n, pf_error *err);

pf_status pf_parquet_put_bytes(pf_parquet *p, const void *bytes, size_t len, pf_error *err);
