/* analyze/gpu/report/gpu_top_rows.c - tables of many ranks for people, what matters most first: kernels of several
 * inputs by name, whoever ran them, of the rows of gpu_kernels, which are by input; and tables by falling value of a
 * column, which are by input and device. */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

/* A table of so many rows is shown as it is. */
enum { SHOWN_ROWS = 10 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct top_kernel {
    pf_str name, class;
    uint64_t inputs, calls, total;
    uint32_t number; /* in order of appearance */
} top_kernel;

/* Columns of gpu_kernels. */
enum { NAME = 2, CLASS, CALLS, TOTAL };

static int by_total(const void *a, const void *b)
{
    const top_kernel *x = a, *y = b;
    int order = PF_COMPARE(y->total, x->total);
    return order ? order : PF_COMPARE(x->number, y->number);
}

/* *list has room for all rows. */
static pf_status add_up(const pf_table *t, pf_strings *names, top_kernel *list, uint32_t *count, pf_error *err)
{
    for (size_t row = 0; row < t->row_count; row++) {
        const pf_cell *c = &t->cells[row * t->column_count];
        uint32_t id;
        PF_TRY(pf_strings_put(names, c[NAME].as.s, &id, err));
        top_kernel *k = &list[id - 1];
        if (id > *count) {
            *k = (top_kernel){.name = c[NAME].as.s, .class = c[CLASS].as.s, .number = (*count)++};
        }
        k->inputs++;
        k->calls += (uint64_t)c[CALLS].as.i;
        k->total = __builtin_add_overflow(k->total, (uint64_t)c[TOTAL].as.i, &k->total) ? UINT64_MAX : k->total;
    }
    return PF_OK;
}

static void add_rows(gpu_results *r, const top_kernel *list, uint32_t count)
{
    static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""},      {"class", PF_CELL_TEXT, 0, ""},
                                        {"inputs", PF_CELL_INT, 0, ""},     {"calls", PF_CELL_INT, 0, ""},
                                        {"total_ns", PF_CELL_INT, 0, "ns"}, {"share_percent", PF_CELL_REAL, 2, "%"},
                                        {"mean_ns", PF_CELL_INT, 0, "ns"}};
    pf_findings *f = r->facts.f;
    double whole = 0;
    for (uint32_t i = 0; i < count; i++) {
        whole += (double)list[i].total;
    }
    r->top_kernels =
        pf_table_new(f, PF_STR("kernels of all inputs by total time"), columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < count; i++) {
        const top_kernel *k = &list[i];
        const pf_cell cells[] = {pf_cell_text(k->name),
                                 pf_cell_text(k->class),
                                 pf_cell_count(k->inputs),
                                 pf_cell_count(k->calls),
                                 pf_cell_count(k->total),
                                 pf_cell_real_if(whole > 0, 100 * (double)k->total / (whole > 0 ? whole : 1)),
                                 pf_cell_count(k->total / k->calls)};
        pf_table_row(f, r->top_kernels, cells);
    }
}

pf_status pf_gpu_top_kernels(gpu_results *r, pf_error *err)
{
    const pf_table *t = pf_table_view(r->facts.table[GPU_TABLE_KERNELS]);
    pf_arena scratch;
    pf_strings names;
    top_kernel *list;
    uint32_t count = 0;
    if (r->facts.rank_count < 2 || !t || t->row_count == 0) {
        return PF_OK;
    }
    pf_arena_init(&scratch, r->facts.arena->budget);
    pf_status st = pf_strings_init(&names, r->facts.arena->budget, err);
    st = st == PF_OK ? PF_PASS_ARRAY(&scratch, t->row_count, list, err) : st;
    st = st == PF_OK ? add_up(t, &names, list, &count, err) : st;
    if (st == PF_OK) {
        qsort(list, count, sizeof *list, by_total);
        add_rows(r, list, count);
    }
    pf_strings_free(&names);
    pf_arena_free(&scratch);
    return st;
}

/* ---- by falling value -------------------------------------------------------------------------------------------- */

typedef struct ordering {
    const pf_table *t;
    size_t column;
} ordering;

static int by_value(const void *a, const void *b, void *how)
{
    const ordering *o = how;
    size_t x = *(const size_t *)a, y = *(const size_t *)b, width = o->t->column_count;
    int order = PF_COMPARE(o->t->cells[y * width + o->column].as.i, o->t->cells[x * width + o->column].as.i);
    return order ? order : PF_COMPARE(x, y);
}

pf_status pf_gpu_largest_first(const gpu_results *r, unsigned table, const char *column, pf_table_builder **out,
                               pf_error *err)
{
    ordering o = {.t = pf_table_view(r->facts.table[table])};
    pf_arena scratch;
    size_t *rows;
    *out = r->facts.table[table];
    if (!o.t || o.t->row_count <= SHOWN_ROWS) {
        return PF_OK;
    }
    while (o.column + 1 < o.t->column_count && strcmp(o.t->columns[o.column].name, column) != 0) {
        o.column++;
    }
    pf_arena_init(&scratch, r->facts.arena->budget);
    pf_status st = PF_PASS_ARRAY(&scratch, o.t->row_count, rows, err);
    for (size_t i = 0; st == PF_OK && i < o.t->row_count; i++) {
        rows[i] = i;
    }
    if (st == PF_OK) {
        qsort_r(rows, o.t->row_count, sizeof *rows, by_value, &o);
        *out = pf_table_new(r->facts.f, o.t->title, o.t->columns, o.t->column_count);
        for (size_t i = 0; i < o.t->row_count; i++) {
            pf_table_row(r->facts.f, *out, &o.t->cells[rows[i] * o.t->column_count]);
        }
    }
    pf_arena_free(&scratch);
    return st;
}
