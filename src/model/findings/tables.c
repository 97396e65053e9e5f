/* model/findings/tables.c - report tables: lists of rows, a row being column_count cells next to each other; kept, or
 * made part by part (table_parts.h). */
#include <string.h>

#include "model/findings/findings.h"
#include "model/findings/table_parts.h"

struct pf_table_builder {
    pf_findings *f;
    pf_table view;
    uint32_t count, room;
    pf_cell *cells;
    pf_table_memory memory;
    pf_table_builder *next;
    pf_part_maker make; /* NULL: rows are kept */
    const void *of;
    uint32_t parts;
    size_t rows; /* of all parts */
};

pf_table_builder *pf_table_new(pf_findings *f, pf_str title, const pf_column *columns, size_t column_count)
{
    return pf_table_new_named(f, NULL, title, columns, column_count);
}

pf_table_builder *pf_table_new_named(pf_findings *f, const char *name, pf_str title, const pf_column *columns,
                                     size_t column_count)
{
    pf_table_builder *t = pf_findings_alloc(f, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->f = f;
    t->view =
        (pf_table){.name = name, .title = pf_findings_keep(f, title), .columns = columns, .column_count = column_count};
    if (f->last_table) {
        f->last_table->next = t;
    } else {
        f->tables = t;
    }
    f->last_table = t;
    f->table_count++;
    t->memory.next = f->table_memory;
    f->table_memory = &t->memory;
    pf_error err;
    pf_columns_init(&t->memory.columns, &f->budget, "report");
    if (pf_columns_add(&t->memory.columns, (void **)&t->cells, column_count * sizeof(pf_cell), &err) != PF_OK) {
        pf_findings_fail(f, &err);
        return NULL;
    }
    return t;
}

pf_cell *pf_table_next_row(pf_table_builder *t)
{
    if (!t || !pf_findings_room(t->f, &t->memory.columns, t->count, &t->room)) {
        return NULL;
    }
    t->view.cells = t->cells; /* growing may have moved them */
    t->view.row_count = ++t->count;
    return t->cells + (t->count - (size_t)1) * t->view.column_count;
}

static void keep_texts(pf_findings *f, const pf_table *t, pf_cell *row)
{
    for (size_t i = 0; i < t->column_count; i++) {
        if (!row[i].null && t->columns[i].type == PF_CELL_TEXT) {
            row[i].as.s = pf_findings_keep(f, row[i].as.s);
        }
    }
}

void pf_table_row(pf_findings *f, pf_table_builder *t, const pf_cell *cells)
{
    pf_cell *row = pf_table_next_row(t);
    if (row) {
        memcpy(row, cells, t->view.column_count * sizeof *row);
        keep_texts(f, &t->view, row);
    }
}

size_t pf_findings_table_count(const pf_findings *f)
{
    return f->table_count;
}

const pf_table *pf_findings_table(const pf_findings *f, size_t i)
{
    const pf_table_builder *t = f->tables;
    while (t && i-- > 0) {
        t = t->next;
    }
    return pf_table_view(t);
}

const pf_table *pf_findings_table_named(const pf_findings *f, const char *name)
{
    const pf_table_builder *t = f->tables;
    while (t && !(t->view.name && strcmp(t->view.name, name) == 0)) {
        t = t->next;
    }
    return pf_table_view(t);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

void pf_table_in_parts(pf_table_builder *t, uint32_t parts, size_t rows, pf_part_maker make, const void *of)
{
    if (t && t->count == 0) {
        t->make = make;
        t->of = of;
        t->parts = parts;
        t->rows = rows;
    }
}

uint32_t pf_table_parts(const pf_table_builder *t)
{
    return t && t->make ? t->parts : 1;
}

static pf_table_builder *emptied(const pf_table_builder *t)
{
    pf_table_builder *own = (pf_table_builder *)(uintptr_t)t; /* as a file is read through a buffer */
    own->count = 0;
    own->view.row_count = 0;
    return own;
}

const pf_table *pf_table_part(const pf_table_builder *t, uint32_t part)
{
    if (t && t->make) {
        t->make(t->of, part, emptied(t));
    }
    return t && t->f->error.code == PF_OK ? &t->view : NULL;
}

size_t pf_table_row_count(const pf_table_builder *t)
{
    return !t ? 0 : t->make ? t->rows : t->count;
}

const pf_table *pf_table_view(const pf_table_builder *t)
{
    if (t && t->make) {
        pf_table_builder *own = emptied(t);
        pf_part_maker make = t->make;
        own->make = NULL;
        for (uint32_t i = 0, row = 0; i < t->parts; i++) {
            make(t->of, i, own);
            for (; row < own->count; row++) {
                keep_texts(own->f, &own->view, own->cells + row * own->view.column_count);
            }
        }
    }
    return t ? &t->view : NULL;
}
