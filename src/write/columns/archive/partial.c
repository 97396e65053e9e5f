/* write/columns/archive/partial.c - partials: a TAR of a manifest and an Arrow file for each table, as archives are.
 *
 * The manifest comes first. It says of each table how many rows there are, and how many texts the dictionary of each
 * column has: all else follows from the types, so that reading needs no schema. */
#include "write/columns/archive/partial.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/files/outfile.h"
#include "base/str.h"
#include "tables/partial_file.h"
#include "write/columns/archive/tar.h"
#include "write/columns/arrow/arrow_ipc.h"

typedef struct member {
    pf_col_table table;
    pf_arrow arrow;
} member;

typedef struct partial {
    pf_findings *f;
    pf_node *tables;
    pf_budget budget;
    pf_arena arena;
    pf_strings texts;
    member *member;
    size_t count;
    pf_outfile out;
} partial;

static const pf_str in_list = {NULL, 0};

static pf_status put(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    return pf_outfile_write(ctx, bytes, len, err);
}

static void describe(const partial *x, const member *m)
{
    static const char *const types[] = {[PF_COL_INT64] = "int", [PF_COL_DOUBLE] = "real", [PF_COL_TEXT] = "text"};
    pf_node *table = pf_node_add(x->f, x->tables, in_list, PF_NODE_OBJECT);
    pf_node_add_text(x->f, table, PF_STR("name"), pf_str_of(m->table.name));
    pf_node_add_int(x->f, table, PF_STR("rows"), m->table.rows);
    pf_node *columns = pf_node_add(x->f, table, PF_STR("columns"), PF_NODE_LIST);
    for (size_t i = 0; i < m->table.count; i++) {
        pf_node *column = pf_node_add(x->f, columns, in_list, PF_NODE_OBJECT);
        pf_node_add_text(x->f, column, PF_STR("name"), pf_str_of(m->table.cols[i].name));
        pf_node_add_text(x->f, column, PF_STR("type"), pf_str_of(types[m->table.cols[i].type]));
        if (m->table.cols[i].type == PF_COL_TEXT) {
            pf_node_add_int(x->f, column, PF_STR("strings"), m->arrow.column[i].texts.count);
        }
    }
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

static pf_status plan(partial *x, pf_error *err)
{
    size_t tables = pf_findings_table_count(x->f);
    PF_TRY(pf_strings_init(&x->texts, &x->budget, err));
    PF_TRY(PF_ARENA_NEW(&x->arena, x->member, tables, err));
    for (size_t i = 0; i < tables; i++) {
        const pf_table *t = pf_findings_table(x->f, i);
        if (t->name && t->row_count) {
            member *m = &x->member[x->count];
            PF_TRY(check_numbers(t, err));
            PF_TRY(pf_col_report(&x->arena, &x->texts, t, false, &m->table, err));
            x->count++;
            PF_TRY(pf_arrow_plan(&m->arrow, &m->table, 0, &x->budget, err));
            describe(x, m);
        }
    }
    return pf_findings_status(x->f, err);
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
    for (size_t i = 0; i < x->count; i++) {
        const member *m = &x->member[i];
        char name[100];
        snprintf(name, sizeof name, "%s" PF_PARTIAL_TABLE, m->table.name);
        PF_TRY(put_header(x, name, m->arrow.size, err));
        PF_TRY(pf_arrow_write(&m->arrow, put, &x->out, err));
        PF_TRY(pad(x, pf_tar_padded(m->arrow.size) - m->arrow.size, err));
    }
    return pad(x, PF_TAR_END, err);
}

pf_status pf_partial_write(pf_findings *f, pf_node *manifest, const char *path, const pf_write_options *o,
                           pf_error *err)
{
    partial x = {.f = f, .tables = pf_node_add(f, manifest, PF_STR("tables"), PF_NODE_LIST), .out = {.fd = -1}};
    pf_budget_init(&x.budget, NULL);
    pf_arena_init(&x.arena, &x.budget);
    pf_status st = plan(&x, err);
    st = st == PF_OK ? pf_outfile_open(&x.out, path, err) : st;
    st = st == PF_OK ? write_members(&x, manifest, err) : st;
    if (st == PF_OK && o->written) {
        *o->written += x.out.written;
    }
    st = st == PF_OK ? pf_outfile_commit(&x.out, o->sync, err) : st;
    pf_outfile_abort(&x.out);
    for (size_t i = 0; i < x.count; i++) {
        pf_arrow_free(&x.member[i].arrow);
    }
    pf_strings_free(&x.texts);
    pf_arena_free(&x.arena);
    pf_budget_end(&x.budget);
    return st;
}
