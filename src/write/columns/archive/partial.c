/* write/columns/archive/partial.c - partials: a TAR of a manifest and a stream of Arrow with all tables.
 *
 * The manifest comes first. It says how many texts the dictionary has, and of each table its rows and its columns: all
 * else follows from the types, so that reading needs no schema. Partials are many and small: a tenth of such a file
 * would be values if each table were an Arrow file. */
#include "write/columns/archive/partial.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/files/outfile.h"
#include "base/str.h"
#include "tables/partial_file.h"
#include "write/columns/archive/tar.h"
#include "write/columns/arrow/arrow_ipc.h"

typedef struct partial {
    pf_findings *f;
    pf_budget budget;
    pf_arena arena;
    pf_strings texts;
    pf_col_table *tables;
    size_t count;
    pf_arrow arrow;
    pf_outfile out;
} partial;

static const pf_str in_list = {NULL, 0};

static pf_status put(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    return pf_outfile_write(ctx, bytes, len, err);
}

/* The columns of a table as one text: a tree of them is read for each of very many partials. */
static pf_status describe(const partial *x, const pf_col_table *t, pf_node *tables, pf_error *err)
{
    static const char *const types[] = {[PF_COL_INT64] = "int", [PF_COL_DOUBLE] = "real", [PF_COL_TEXT] = "text"};
    pf_node *table = pf_node_add(x->f, tables, in_list, PF_NODE_OBJECT);
    pf_buffer columns = {0};
    for (size_t i = 0; i < t->count; i++) {
        pf_buffer_format(&columns, "%s%s:%s", i ? " " : "", t->cols[i].name, types[t->cols[i].type]);
    }
    pf_node_add_text(x->f, table, PF_STR("name"), pf_str_of(t->name));
    pf_node_add_int(x->f, table, PF_STR("rows"), t->rows);
    pf_node_add_text(x->f, table, PF_STR("columns"), (pf_str){columns.data, columns.len});
    pf_status st = columns.failed ? pf_no_memory(err) : PF_OK;
    pf_buffer_free(&columns);
    return st;
}

/* The least of all numbers is what a reader takes for NULL. */
static pf_status check_numbers(const pf_table *t, pf_error *err)
{
    for (size_t i = 0; i < t->row_count * t->column_count; i++) {
        const pf_column *c = &t->columns[i % t->column_count];
        if (c->type == PF_CELL_INT && !t->cells[i].null && t->cells[i].as.i == INT64_MIN) {
            return pf_fail(err, PF_ERR_LIMIT, "%s.%s is -2^63, which a partial does not hold; analyze the input alone",
                           t->name, c->name);
        }
    }
    return PF_OK;
}

static pf_status plan(partial *x, pf_node *manifest, pf_error *err)
{
    size_t all = pf_findings_table_count(x->f);
    PF_TRY(pf_strings_init(&x->texts, &x->budget, err));
    PF_TRY(PF_ARENA_NEW(&x->arena, x->tables, all, err));
    for (size_t i = 0; i < all; i++) {
        const pf_table *t = pf_findings_table(x->f, i);
        if (t->name && t->row_count) {
            PF_TRY(check_numbers(t, err));
            PF_TRY(pf_col_report(&x->arena, &x->texts, t, false, &x->tables[x->count++], err));
        }
    }
    pf_node_add_int(x->f, manifest, PF_STR("strings"), x->texts.count - 1);
    pf_node *tables = pf_node_add(x->f, manifest, PF_STR("tables"), PF_NODE_LIST);
    for (size_t i = 0; i < x->count; i++) {
        PF_TRY(describe(x, &x->tables[i], tables, err));
    }
    PF_TRY(pf_findings_status(x->f, err));
    return pf_arrow_plan_lists(&x->arrow, x->tables, x->count, &x->texts, &x->budget, err);
}

static pf_status put_header(partial *x, const char *name, uint64_t size, pf_error *err)
{
    char header[PF_TAR_BLOCK];
    pf_tar_header(header, name, size);
    return pf_outfile_write(&x->out, header, sizeof header, err);
}

static pf_status pad(partial *x, uint64_t len, pf_error *err)
{
    static const char zeros[PF_TAR_END];
    return pf_outfile_write(&x->out, zeros, len, err);
}

static pf_status write_manifest(partial *x, const pf_node *manifest, pf_error *err)
{
    char *text;
    size_t len;
    PF_TRY(pf_format_json_styled(manifest, &(pf_json_style){.one_line = true}, &text, &len, err));
    pf_status st = put_header(x, PF_PARTIAL_MANIFEST, len, err);
    st = st == PF_OK ? pf_outfile_write(&x->out, text, len, err) : st;
    free(text);
    return st == PF_OK ? pad(x, pf_tar_padded(len) - len, err) : st;
}

static pf_status write_members(partial *x, const pf_node *manifest, pf_error *err)
{
    PF_TRY(write_manifest(x, manifest, err));
    PF_TRY(put_header(x, PF_PARTIAL_TABLES, x->arrow.size, err));
    PF_TRY(pf_arrow_write(&x->arrow, put, &x->out, err));
    PF_TRY(pad(x, pf_tar_padded(x->arrow.size) - x->arrow.size, err));
    return pad(x, PF_TAR_END, err);
}

pf_status pf_partial_write(pf_findings *f, pf_node *manifest, const char *path, const pf_write_options *o,
                           pf_error *err)
{
    partial x = {.f = f, .out = {.fd = -1}};
    pf_budget_init(&x.budget, NULL);
    pf_arena_init(&x.arena, &x.budget);
    pf_status st = plan(&x, manifest, err);
    st = st == PF_OK ? pf_outfile_open(&x.out, path, err) : st;
    st = st == PF_OK ? write_members(&x, manifest, err) : st;
    if (st == PF_OK && o->written) {
        *o->written += x.out.written;
    }
    st = st == PF_OK ? pf_outfile_commit(&x.out, o->sync, err) : st;
    pf_outfile_abort(&x.out);
    pf_arrow_free(&x.arrow);
    pf_strings_free(&x.texts);
    pf_arena_free(&x.arena);
    pf_budget_end(&x.budget);
    return st;
}
