/* write/columns/rows_writer.c - rows to batches, batches to a file. */
#include <stdlib.h>

#include "output/sink.h"
#include "postfetto/export.h"
#include "write/columns/arrow/arrow_ipc.h"
#include "write/columns/parquet/parquet.h"
#include "write/columns/row_batches.h"

struct pf_rows_writer {
    pf_table_format format;
    pf_write_options options;
    pf_outfile file;
    pf_budget budget;
    pf_row_batches batches;
    pf_parquet parquet;
    bool has_columns, has_batches;
    pf_error error; /* the first one; code PF_OK: none */
};

/* Keeps what a step failed with. */
static pf_status end_step(pf_rows_writer *w, pf_status st, pf_error *err)
{
    w->error.code = st;
    if (st != PF_OK && err) {
        *err = w->error;
    }
    return st;
}

static pf_status put_bytes(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    pf_rows_writer *w = ctx;
    const pf_write_options *o = &w->options;
    if (o->cancel && *o->cancel) {
        return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
    }
    if (o->written) {
        *o->written += len;
    }
    return pf_outfile_write(&w->file, bytes, len, err);
}

static pf_status put_batch(void *ctx, const pf_col_table *rows, pf_error *err)
{
    pf_rows_writer *w = ctx;
    bool first = !w->has_batches;
    w->has_batches = true;
    return w->format == PF_TABLES_PARQUET ? pf_parquet_put(&w->parquet, rows, err)
                                          : pf_arrow_put_batch(rows, first, put_bytes, w, &w->budget, err);
}

static pf_status begin_file(pf_rows_writer *w, const char *path)
{
    pf_error *err = &w->error;
    if (w->format == PF_TABLES_ARROW) {
        return pf_fail(err, PF_ERR_USAGE, "rows come in batches, and an Arrow file has one; choose a stream");
    }
    PF_TRY(pf_outfile_open(&w->file, path, err));
    return w->format == PF_TABLES_PARQUET ? pf_parquet_begin(&w->parquet, put_bytes, w, &w->budget, err) : PF_OK;
}

pf_status pf_rows_writer_open(const char *path, pf_table_format format, const pf_limits *limits,
                              const pf_write_options *o, pf_rows_writer **out, pf_error *err)
{
    pf_rows_writer *w = *out = calloc(1, sizeof *w);
    PF_TRY(w ? PF_OK : pf_no_memory(err));
    w->format = format;
    w->options = pf_write_options_of(o);
    w->error.offset = w->error.packet = PF_NOWHERE;
    pf_budget_init(&w->budget, limits);
    pf_status st = end_step(w, begin_file(w, path), err);
    if (st != PF_OK) {
        pf_rows_writer_free(w);
        *out = NULL;
    }
    return st;
}

static pf_status columns(pf_rows_writer *w, size_t count, const pf_str *names, const pf_value_type *types)
{
    if (w->has_columns) {
        return pf_fail(&w->error, PF_ERR_USAGE,
                       "a second result does not fit into a file of columns; write each to a "
                       "file of its own");
    }
    w->has_columns = true;
    return pf_row_batches_begin(&w->batches, count, names, types, &w->budget, put_batch, w, &w->error);
}

pf_status pf_rows_writer_columns(pf_rows_writer *w, size_t count, const pf_str *names, const pf_value_type *types,
                                 pf_error *err)
{
    return end_step(w, w->error.code != PF_OK ? w->error.code : columns(w, count, names, types), err);
}

pf_status pf_rows_writer_row(pf_rows_writer *w, const pf_query_cell *cells, pf_error *err)
{
    pf_status st = w->error.code;
    if (st == PF_OK) {
        st = w->has_columns ? pf_row_batches_add(&w->batches, cells, &w->error)
                            : pf_fail(&w->error, PF_ERR_USAGE, "a row came before the columns");
    }
    return end_step(w, st, err);
}

static pf_status end_file(pf_rows_writer *w)
{
    pf_error *err = &w->error;
    if (!w->has_columns) {
        return pf_fail(err, PF_ERR_USAGE, "there is no result to write; a file of columns needs one, if without rows");
    }
    PF_TRY(pf_row_batches_end(&w->batches, err));
    PF_TRY(w->format == PF_TABLES_PARQUET ? pf_parquet_end(&w->parquet, err) : pf_arrow_put_end(put_bytes, w, err));
    return pf_outfile_commit(&w->file, w->options.sync, err);
}

pf_status pf_rows_writer_close(pf_rows_writer *w, pf_error *err)
{
    return end_step(w, w->error.code != PF_OK ? w->error.code : end_file(w), err);
}

void pf_rows_writer_free(pf_rows_writer *w)
{
    if (w) {
        pf_outfile_abort(&w->file);
        pf_parquet_free(&w->parquet);
        pf_row_batches_free(&w->batches);
        pf_budget_end(&w->budget);
        free(w);
    }
}
