/* write/columns/export_tables.c - the tables of a trace as files of columns: which tables, which rows, which folder.
 *
 * All columns are laid out first, by one thread; then two threads write a file each. The files are put in place when
 * all of them are there. */
#include <errno.h>
#include <inttypes.h>

#include "base/files/folders.h"
#include "base/str.h"
#include "base/text/errno_text.h"
#include "output/sink.h"
#include "postfetto/export.h"
#include "write/columns/arrow/arrow_ipc.h"
#include "write/columns/parquet/parquet.h"
#include "write/columns/table/partition.h"

#define DEFAULT_JOBS 2

static const char *const ENDINGS[] = {
    [PF_TABLES_ARROW] = ".arrow", [PF_TABLES_ARROW_STREAM] = ".arrows", [PF_TABLES_PARQUET] = ".parquet"};

typedef struct exporter exporter;

/* A table on its way: written, not yet in place. */
typedef struct table_file {
    exporter *of;
    pf_col_table table;
    char *path;
    pf_outfile out;
} table_file;

struct exporter {
    pf_col_trace columns;
    pf_table_format format;
    const pf_export_options *set;
    const pf_write_options *options;
    table_file *file;
    uint32_t count, room;
};

void pf_export_options_init(pf_export_options *e, size_t size)
{
    const pf_export_options all = {.size = size};
    pf_sized_give(e, size, &all, sizeof all);
}

static pf_status put(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    table_file *f = ctx;
    const volatile int *cancel = f->of->options->cancel;
    return cancel && *cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : pf_outfile_write(&f->out, bytes, len, err);
}

static pf_status write_arrow(table_file *f, unsigned flags, pf_error *err)
{
    pf_arrow a = {0};
    pf_status st = pf_arrow_plan(&a, &f->table, flags, f->of->columns.data.budget, err);
    st = st == PF_OK ? pf_arrow_write(&a, put, f, err) : st;
    pf_arrow_free(&a);
    return st;
}

static pf_status write_parquet(table_file *f, pf_error *err)
{
    pf_parquet p = {0};
    pf_status st = pf_parquet_begin(&p, put, f, f->of->columns.data.budget, err);
    st = st == PF_OK ? pf_parquet_put(&p, &f->table, err) : st;
    st = st == PF_OK ? pf_parquet_end(&p, err) : st;
    pf_parquet_free(&p);
    return st;
}

static pf_status write_table(void *ctx, pf_error *err)
{
    table_file *f = ctx;
    PF_TRY(pf_outfile_open(&f->out, f->path, err));
    switch (f->of->format) {
    case PF_TABLES_ARROW:
        PF_TRY(write_arrow(f, 0, err));
        break;
    case PF_TABLES_ARROW_STREAM:
        PF_TRY(write_arrow(f, PF_ARROW_STREAM, err));
        break;
    case PF_TABLES_PARQUET:
        PF_TRY(write_parquet(f, err));
        break;
    }
    return pf_outfile_flush(&f->out, err);
}

static pf_status add_file(exporter *x, const char *folder, const pf_col_table *table, pf_error *err)
{
    pf_arena *arena = &x->columns.arena;
    pf_buffer path = {0};
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    PF_TRY(PF_ARENA_ROOM(arena, x->file, x->count + 1, x->room, err));
    pf_buffer_format(&path, "%s%s%s%s", folder, slash, table->name, ENDINGS[x->format]);
    char *copy = path.failed ? NULL : pf_arena_copy(arena, path.data, path.len);
    pf_buffer_free(&path);
    x->file[x->count++] = (table_file){.of = x, .table = *table, .path = copy, .out = {.fd = -1}};
    return copy ? PF_OK : pf_no_memory(err);
}

static pf_status lay_out(exporter *x, pf_data_table *of, pf_col_table *table, pf_error *err)
{
    PF_TRY(pf_col_table_of(&x->columns, of, table, err));
    for (size_t i = 0; i < x->set->arg_count && strcmp(table->name, "slice") == 0; i++) {
        PF_TRY(pf_col_add_arg(&x->columns, table, pf_str_of(x->set->args[i]), err));
    }
    return PF_OK;
}

static pf_status add_one(exporter *x, const char *path, pf_error *err)
{
    pf_data_table *of;
    pf_col_table table;
    PF_TRY(pf_col_table_find(&x->columns, x->set->table, &of, err));
    PF_TRY(lay_out(x, of, &table, err));
    PF_TRY(add_file(x, "", &table, err));
    x->file[0].path = pf_arena_copy(&x->columns.arena, path, strlen(path));
    return x->file[0].path ? PF_OK : pf_no_memory(err);
}

/* The tables of the trace, but side tables without rows: *count of them in memory of the columns' arena. */
static pf_status all_tables(exporter *x, pf_col_table **tables, size_t *count, pf_error *err)
{
    pf_data *d = &x->columns.data;
    size_t sides = pf_trace_table_count(d->trace);
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, *tables, d->table_count, err));
    for (size_t i = 0; i < d->table_count; i++) {
        if (d->tables[i].rows || i + sides < d->table_count) {
            PF_TRY(lay_out(x, &d->tables[i], &(*tables)[(*count)++], err));
        }
    }
    return PF_OK;
}

static pf_status make_folder(const char *path, pf_error *err)
{
    int fault = pf_make_folder(path);
    if (!fault) {
        return PF_OK;
    }
    pf_fail(err, PF_ERR_OUTPUT, "the folder cannot be created: %s; choose another one", pf_errno_text(fault));
    pf_error_in(err, path);
    return PF_ERR_OUTPUT;
}

static pf_status add_folder(exporter *x, const char *path, pf_error *err)
{
    pf_col_table *tables;
    size_t count = 0;
    PF_TRY(make_folder(path, err));
    PF_TRY(all_tables(x, &tables, &count, err));
    for (size_t i = 0; i < count; i++) {
        PF_TRY(add_file(x, path, &tables[i], err));
    }
    return PF_OK;
}

/* The ranks that inputs say they have, or their numbers, if not all say one of their own. */
static pf_status number_inputs(exporter *x, int64_t **out, pf_error *err)
{
    const pf_trace *t = x->columns.data.trace;
    size_t count = pf_trace_input_count(t);
    int64_t *ranks;
    bool own = true;
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, ranks, count, err));
    PF_TRY(pf_trace_input_ranks(t, ranks, err));
    for (size_t i = 0; i < count && own; i++) {
        own = ranks[i] >= 0;
        for (size_t k = 0; k < i; k++) {
            own &= ranks[k] != ranks[i];
        }
    }
    for (size_t i = 0; i < count && !own; i++) {
        ranks[i] = (int64_t)i;
    }
    *out = ranks;
    return PF_OK;
}

/* The files of one input: the rows of the tables that can tell, args last. */
static pf_status add_input(exporter *x, const pf_partitions *p, uint32_t input, const char *folder,
                           const pf_col_table *tables, size_t count, pf_error *err)
{
    pf_arena *arena = &x->columns.arena;
    pf_col_table part[PF_PARTS];
    size_t parts = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            size_t which = pf_partition_of(tables[i].name);
            if (which == PF_PARTS || (which == PF_PART_ARGS) != (pass == 1)) {
                continue;
            }
            pf_col_table *mine = &part[parts];
            *mine = tables[i];
            PF_TRY(PF_ARENA_NEW(arena, mine->cols, mine->count, err));
            memcpy(mine->cols, tables[i].cols, mine->count * sizeof *mine->cols);
            PF_TRY(pass ? pf_partition_select_args(p, part, parts, mine, err)
                        : pf_partition_select(p, input, which, mine, err));
            PF_TRY(add_file(x, folder, mine, err));
            parts++;
        }
    }
    return PF_OK;
}

static pf_status add_partitions(exporter *x, const char *path, pf_error *err)
{
    pf_partitions p;
    pf_col_table *tables;
    int64_t *ranks;
    size_t count = 0;
    pf_status st = PF_OK;
    PF_TRY(all_tables(x, &tables, &count, err));
    PF_TRY(pf_partitions_make(&p, &x->columns, err));
    PF_TRY(number_inputs(x, &ranks, err));
    for (size_t k = 0; k < pf_trace_input_count(x->columns.data.trace) && st == PF_OK; k++) {
        pf_buffer folder = {0};
        pf_buffer_format(&folder, "%s/rank=%" PRId64, path, ranks[k]);
        pf_buffer_put(&folder, "", 1);
        st = folder.failed ? pf_no_memory(err) : make_folder(folder.data, err);
        st = st == PF_OK ? add_input(x, &p, (uint32_t)k, folder.data, tables, count, err) : st;
        pf_buffer_free(&folder);
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = pf_partition_of(tables[i].name) == PF_PARTS ? add_file(x, path, &tables[i], err) : PF_OK;
    }
    return st;
}

static pf_status write_all(exporter *x, pf_error *err)
{
    pf_task *tasks;
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, tasks, x->count, err));
    for (uint32_t i = 0; i < x->count; i++) {
        tasks[i] = (pf_task){write_table, &x->file[i]};
    }
    unsigned jobs = x->options->jobs ? x->options->jobs : DEFAULT_JOBS;
    PF_TRY(pf_tasks_run(tasks, x->count, jobs, x->columns.data.budget, err));
    for (uint32_t i = 0; i < x->count && x->options->sync; i++) {
        PF_TRY(pf_outfile_sync(&x->file[i].out, err));
    }
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->options->written) {
            *x->options->written += x->file[i].out.written;
        }
        PF_TRY(pf_outfile_commit(&x->file[i].out, false, err));
    }
    return PF_OK;
}

static pf_status export_to(exporter *x, const pf_trace *t, const char *path, pf_error *err)
{
    if (x->set->arg_count > PF_COL_ARGS_MAX) {
        return pf_fail(err, PF_ERR_USAGE, "at most %d arguments can be columns", PF_COL_ARGS_MAX);
    }
    PF_TRY(pf_col_trace_open(&x->columns, t, err));
    x->columns.utf8 = true;
    PF_TRY(x->set->table      ? add_one(x, path, err)
           : x->set->by_input ? add_partitions(x, path, err)
                              : add_folder(x, path, err));
    return write_all(x, err);
}

/* Nothing is left of files that are not in place. */
static pf_status end_export(exporter *x, pf_status st, const pf_error *own, pf_error *err)
{
    for (uint32_t i = 0; i < x->count; i++) {
        pf_outfile_abort(&x->file[i].out);
    }
    if (st != PF_OK && err) {
        *err = *own;
    }
    return st;
}

pf_status pf_export_tables(const pf_trace *t, pf_table_format format, const char *path, const pf_export_options *e,
                           const pf_write_options *o, pf_error *err)
{
    const pf_write_options options = pf_write_options_of(o);
    pf_export_options set = pf_export_options_default();
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (e) {
        pf_sized_take(&set, sizeof set, e, e->size, PF_SIZED_UPTO(pf_export_options, by_input));
    }
    exporter x = {.format = format, .set = &set, .options = &options};
    pf_status st = end_export(&x, export_to(&x, t, path, &own), &own, err);
    if (x.columns.data.trace) {
        pf_col_trace_close(&x.columns);
    }
    return st;
}

static pf_status export_reports(exporter *x, const pf_table *const *tables, size_t count, const char *folder,
                                pf_error *err)
{
    pf_col_table table;
    PF_TRY(pf_strings_init(&x->columns.made, x->columns.data.budget, err));
    PF_TRY(make_folder(folder, err));
    for (size_t i = 0; i < count; i++) {
        PF_TRY(pf_col_report(&x->columns.arena, &x->columns.made, tables[i], true, &table, err));
        PF_TRY(add_file(x, folder, &table, err));
    }
    return write_all(x, err);
}

pf_status pf_export_reports(const pf_table *const *tables, size_t count, pf_table_format format, const char *folder,
                            const pf_write_options *o, void (*wrote)(void *ctx, const char *path, bool announced),
                            void *ctx, pf_error *err)
{
    const pf_write_options options = pf_write_options_of(o);
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_budget budget;
    exporter x = {.format = format, .options = &options, .columns.data.budget = &budget};
    pf_budget_init(&budget, NULL);
    pf_arena_init(&x.columns.arena, &budget);
    pf_status st = end_export(&x, export_reports(&x, tables, count, folder, &own), &own, err);
    for (uint32_t i = 0; i < x.count && st == PF_OK && wrote; i++) {
        wrote(ctx, x.file[i].path, true);
    }
    pf_strings_free(&x.columns.made);
    pf_arena_free(&x.columns.arena);
    pf_budget_end(&budget);
    return st;
}
