/* analyze/gpu/report/gpu_top_rows.c - tables of many ranks for people, what matters most first: kernels of several
 * inputs by name, whoever ran them, of the rows of gpu_kernels, which are by input; tables by falling value of a
 * column, which are by input and device; and ranks, in columns that fit a terminal. */
#include <stdlib.h>

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/findings/table_parts.h"

/* A table of so many rows is shown as it is. */
enum { SHOWN_ROWS = 10 };

typedef struct top_kernel {
    pf_str name, class;
    uint64_t inputs, calls, total;
    uint32_t number; /* in order of appearance */
} top_kernel;

/* Columns of gpu_kernels. */
enum { NAME = 2, CLASS, CALLS, TOTAL };

PF_ORDER(by_total, top_kernel, PF_DOWN(total), PF_UP(number));

typedef struct top_kernels {
    pf_arena arena;
    pf_strings names;
    top_kernel *list;
    uint32_t count, room;
} top_kernels;

static pf_status add_up(top_kernels *all, const pf_table *t, pf_error *err)
{
    for (size_t row = 0; t && row < t->row_count; row++) {
        const pf_cell *c = &t->cells[row * t->column_count];
        uint32_t id;
        PF_TRY(pf_strings_put(&all->names, c[NAME].as.s, &id, err));
        if (id > all->count) {
            PF_TRY(PF_ARENA_ROOM(&all->arena, all->list, id, all->room, err));
            all->list[all->count] = (top_kernel){.name = c[NAME].as.s, .class = c[CLASS].as.s, .number = all->count};
            all->count++;
        }
        top_kernel *k = &all->list[id - 1];
        k->inputs++;
        k->calls += (uint64_t)c[CALLS].as.i;
        k->total = gpu_plus(k->total, (uint64_t)c[TOTAL].as.i);
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
    const pf_table_builder *t = r->facts.table[GPU_TABLE_KERNELS];
    top_kernels all = {.count = 0};
    if (r->facts.rank_count < 2 || pf_table_row_count(t) == 0) {
        return PF_OK;
    }
    pf_arena_init(&all.arena, r->facts.arena->budget);
    pf_status st = pf_strings_init(&all.names, r->facts.arena->budget, err);
    for (uint32_t i = 0; i < pf_table_parts(t) && st == PF_OK; i++) {
        st = add_up(&all, pf_table_part(t, i), err);
    }
    if (st == PF_OK && all.count) {
        qsort(all.list, all.count, sizeof *all.list, by_total);
        add_rows(r, all.list, all.count);
    }
    pf_strings_free(&all.names);
    pf_arena_free(&all.arena);
    return st;
}

pf_table_builder *pf_gpu_largest_first(const gpu_results *r, unsigned table, const char *column)
{
    pf_table_builder *all = r->facts.table[table];
    const pf_table *t = pf_table_view(all);
    return t && t->row_count > SHOWN_ROWS ? pf_pass_sorted(r->facts.f, all, column, false, t->title) : all;
}

/* Whether some row has something other than null and 0. */
static bool says_something(const pf_table *t, size_t column)
{
    size_t row = 0;
    while (row < t->row_count &&
           (t->cells[row * t->column_count + column].null || t->cells[row * t->column_count + column].as.i == 0)) {
        row++;
    }
    return row < t->row_count;
}

static void add_ranks(const gpu_results *r, const pf_table *t)
{
#define COLUMN(from, name, unit)                                                                                       \
    {                                                                                                                  \
        from,                                                                                                          \
        {                                                                                                              \
            name, PF_CELL_INT, 0, unit                                                                                 \
        }                                                                                                              \
    }
    static const struct {
        const char *from;
        pf_column column;
    } all[] = {COLUMN("steps", "steps", ""),
               COLUMN("median_step_ns", "step_ns", "ns"),
               COLUMN("busy_ns", "busy_ns", "ns"),
               COLUMN("communication_ns", "comm_ns", "ns"),
               COLUMN("exposed_communication_ns", "exposed_ns", "ns"),
               COLUMN("idle_ns", "idle_ns", "ns"),
               COLUMN("waited_ns", "waited_ns", "ns"),
               COLUMN("clock_offset", "clock_ns", "ns"),
               COLUMN("last", "last", "")};
    enum { COUNT = 1 + sizeof all / sizeof *all };
    size_t from[COUNT] = {pf_pass_column(t, r->facts.ranks[0].known ? "rank" : "input")}, n = 1;
    pf_column *columns = pf_findings_alloc(r->facts.f, COUNT * sizeof *columns);
    pf_cell cells[COUNT];
    if (!columns) {
        return;
    }
    columns[0] = t->columns[from[0]];
    for (size_t i = 1; i < COUNT; i++) {
        columns[n] = all[i - 1].column;
        from[n] = pf_pass_column(t, all[i - 1].from);
        n += says_something(t, from[n]);
    }
    pf_table_builder *shown = pf_table_new(r->facts.f, t->title, columns, n);
    for (size_t row = 0; row < t->row_count; row++) {
        for (size_t i = 0; i < n; i++) {
            cells[i] = t->cells[row * t->column_count + from[i]];
        }
        pf_table_row(r->facts.f, shown, cells);
    }
    pf_findings_show_table(r->facts.f, shown);
}

void pf_gpu_show_ranks(const gpu_results *r)
{
    const char *by = r->ranks.collective_count ? "caused_ns" : "idle_ns";
    const pf_table *t = pf_table_view(pf_gpu_largest_first(r, GPU_TABLE_RANKS, by));
    if (t) {
        add_ranks(r, t);
    }
}
