/* postfetto/export.h - the tables of a trace as an SQLite database, or as files of columns, and rows of queries and
 * tables of passes likewise. */
#ifndef POSTFETTO_EXPORT_H
#define POSTFETTO_EXPORT_H

#include "postfetto/query.h"
#include "postfetto/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what a query sees into a database that plain SQLite opens: tables slice, counter, thread, process, args, flow,
 * metadata, stats, clock_snapshot, trace_bounds and __intrinsic_track with Perfetto's columns, views (track, slices,
 * counters, thread_slice, ...) and indexes. The file is atomic like every output; "-" is standard output. Errors:
 * PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_sqlite(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* ---- the tables as files of columns ------------------------------------------------------------------------------ */

/* Of texts, Arrow has a dictionary for each column, a Parquet file one for each column and row group. */
typedef enum pf_table_format {
    PF_TABLES_ARROW = 0,    /* Arrow IPC files, one batch each */
    PF_TABLES_ARROW_STREAM, /* the same as a stream */
    PF_TABLES_PARQUET       /* row groups of 122,880 rows with statistics, compressed with zstd */
} pf_table_format;

/* Made by pf_export_options_default; members are added at the end in later releases. */
typedef struct pf_export_options {
    size_t size;             /* of the struct as the program knows it */
    const char *table;       /* this table alone, as a file; NULL, the default: all of them, as files of a folder */
    const char *const *args; /* keys of arguments that table slice gets as columns of their own, or NULL */
    size_t arg_count;
    bool by_input; /* of a folder: a folder rank=N for each input, with its rows of slice, counter, flow, state,
                    * process, thread, track, metadata, stats and args. N is the rank that the input says it has, or its
                    * number if not all say one of their own. Ids stay those of the whole trace */
} pf_export_options;

PF_API void pf_export_options_init(pf_export_options *e, size_t size);
static inline pf_export_options pf_export_options_default(void)
{
    pf_export_options e;
    pf_export_options_init(&e, sizeof e);
    return e;
}

/* Writes tables that SQL sees into files TABLE.arrow, TABLE.arrows or TABLE.parquet of the folder `path`, which is made
 * if it is not there, or one table into the file `path` ("-" is standard output). Side tables without rows are left
 * out. Names and types: docs/reference/tables.md. All files are put in place together at the end. e and o may be NULL.
 * Errors: PF_ERR_USAGE (no table of that name, a key that is empty or too many of them), PF_ERR_OUTPUT, PF_ERR_MEMORY,
 * PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_tables(const pf_trace *t, pf_table_format format, const char *path,
                                  const pf_export_options *e, const pf_write_options *o, pf_error *err);

/* Writes an archive of the tables, a TAR of Arrow files that Perfetto's UI and trace processor load without parsing
 * (v58 and later; docs/reference/archive.md). `release` names the schemas, "v58"; NULL: the newest. What the archive
 * cannot carry is left out: metadata (but for short ones, which become attributes) and statistics; faults of the
 * recording are rows of trace_diagnostics. Needs PF_WANT_TABLES. The bytes depend on nothing but the trace. Errors:
 * PF_ERR_USAGE (no such release), PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_archive(const pf_trace *t, const char *path, const char *release, const pf_write_options *o,
                                   pf_error *err);

/* Writes tables of a pass, with or without rows, into files NAME.parquet, NAME.arrow or NAME.arrows of a folder, which
 * is made if it is not there; all are put in place together. `wrote` is called then as in pf_write_reports; it may be
 * NULL. Errors: PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_reports(const pf_table *const *tables, size_t count, pf_table_format format,
                                   const char *folder, const pf_write_options *o,
                                   void (*wrote)(void *ctx, const char *path, bool announced), void *ctx,
                                   pf_error *err);

/* ---- rows as columns --------------------------------------------------------------------------------------------- */

/* Writes rows, such as those of a query, into a file of typed columns:
 *
 *     pf_rows_writer_open("kernels.parquet", PF_TABLES_PARQUET, NULL, NULL, &w, &err);
 *     pf_rows_writer_columns(w, count, names, types, &err);      from the sink's columns
 *     pf_rows_writer_row(w, cells, &err);                        from the sink's row
 *     pf_rows_writer_close(w, &err);
 *     pf_rows_writer_free(w);
 *
 * Rows are gathered in batches of up to 122,880 (fewer where they are wide or their texts long: some 64 MiB of numbers
 * and as much of texts), each written when it is full. SQL has a type for each value, a file one for each column: that
 * of the values in the first batch, int64, double where reals are among the integers, text, or bytes where blobs are
 * among the texts. A column without a value there has the type that it is declared with; where that is not known, the
 * first batches wait for a value until 64 MiB are full, and then it is text. A value that does not fit its column, or
 * would lose digits as a double, is PF_ERR_USAGE with its row and column; a CAST in the SQL gives the column one type.
 * All columns may have NULLs.
 *
 * Errors stick: after the first one every call returns it again. Of one thread at a time. */
typedef struct pf_rows_writer pf_rows_writer;

/* format: an Arrow stream (a record batch for each batch, texts without dictionaries) or Parquet (a row group for
 * each); an Arrow file is PF_ERR_USAGE. "-" is standard output, which like pipes is written as the batches come; a file
 * is atomic: it is there after the close. limits: of the memory that batches take; NULL: defaults. *out is NULL after a
 * failure. */
PF_API pf_status pf_rows_writer_open(const char *path, pf_table_format format, const pf_limits *limits,
                                     const pf_write_options *o, pf_rows_writer **out, pf_error *err);

/* The columns, once, before the rows. Of names that are equal (ASCII letters in either case) each but the first gets
 * "_2", "_3", ...: the first number that makes it a new name. types: as pf_query_declared_type says (INT, REAL, STRING,
 * or NULL: unknown), or NULL. */
PF_API pf_status pf_rows_writer_columns(pf_rows_writer *w, size_t count, const pf_str *names,
                                        const pf_value_type *types, pf_error *err);

/* A row of as many cells; texts are copied. What is no UTF-8 in a text becomes U+FFFD. */
PF_API pf_status pf_rows_writer_row(pf_rows_writer *w, const pf_query_cell *cells, pf_error *err);

/* Writes what is left and puts the file in place; a file needs columns, but no rows. */
PF_API pf_status pf_rows_writer_close(pf_rows_writer *w, pf_error *err);

/* Without a close before there is no file. NULL is legal. */
PF_API void pf_rows_writer_free(pf_rows_writer *w);

/* ---- the tables in memory ---------------------------------------------------------------------------------------- */

/* The Arrow C data interface: structs whose layout the Arrow project promises, so that other libraries take them
 * without knowing this one. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* A table as a struct array with a child for each column, texts dictionary-encoded and always UTF-8; names as in
 * pf_export_tables, with or without "__intrinsic_". Numbers that lie in the trace row by row are handed out where they
 * are; others, such as what slices have from their events, are gathered, and count against the trace's limits. Each
 * call for a table with an arg_set_id reads the arguments of all events. Both structs are filled for whoever consumes
 * them and are released by their callbacks, from any thread; the array keeps the trace alive, so pf_trace_free may come
 * before. Several threads may ask one trace. Errors: PF_ERR_USAGE (no such table), PF_ERR_MEMORY, PF_ERR_LIMIT; then
 * both have no release callback. */
PF_API pf_status pf_table_arrow(const pf_trace *t, const char *name, struct ArrowSchema *schema,
                                struct ArrowArray *array, pf_error *err);

/* The table of a pass likewise, but copied, with texts as they are: the findings may be freed before. */
PF_API pf_status pf_report_arrow(const pf_table *table, struct ArrowSchema *schema, struct ArrowArray *array,
                                 pf_error *err);

/* Runs the statements of `sql` and hands out the rows of the last one that returns any, as a stream of batches; without
 * such a statement it has no columns. Types of columns are as in pf_rows_writer_open, texts as they are. All rows are
 * there before it returns, and count against the limits (NULL: defaults); query, trace and session may be freed before
 * the stream. Errors: those of pf_query_run, PF_ERR_USAGE for a value that does not fit its column, PF_ERR_LIMIT,
 * PF_ERR_MEMORY; then there is no release callback. */
PF_API pf_status pf_query_arrow(pf_query *q, pf_str sql, const pf_limits *limits, struct ArrowArrayStream *out,
                                pf_error *err);

/* A table of ours as a stream of one batch; both structs are moved into it. PF_ERR_MEMORY leaves them to the caller. */
PF_API pf_status pf_arrow_stream(struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowArrayStream *out,
                                 pf_error *err);

/* One more stream over the batches of a stream of ours, from the first one on; they share all memory. */
PF_API pf_status pf_arrow_again(const struct ArrowArrayStream *s, struct ArrowArrayStream *out, pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
