/* analyze/gpu/partial/gpu_merge_tables.c - the tables of a merge: rows of each input as they are, but for labels, which
 * say more where there are several inputs; and of the gaps those that are the longest of all devices. Rows of most
 * tables are made when somebody reads them, input by input. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/pass/merge_rules.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/findings/table_parts.h"

enum { NODE = 2, PARENT }; /* of gpu_module_tree */

/* Nodes of modules are numbered through all inputs, in the order of rows: by so many more than in the partial, as the
 * walk at the first row of an input says. */
static uint64_t nodes_before(const gpu_walk *w)
{
    return w->span[-1].before - (uint64_t)pf_gpu_walk_int(w, NODE);
}

static uint32_t column_named(const gpu_merged *t, const char *name)
{
    uint32_t c = 0;
    while (c < t->spec->column_count && strcmp(t->spec->columns[c].name, name) != 0) {
        c++;
    }
    return c;
}

static const gpu_old_label *device_at(const gpu_merge *m, uint32_t input, const gpu_walk *w)
{
    return pf_gpu_merged_device(m, input, pf_gpu_walk_text(w, column_named(w->t, "label")));
}

/* What a row of a table says in a merge, of the cells that it had. */
static void adjust_row(const gpu_merge *m, unsigned table, uint32_t input, uint32_t label, const gpu_walk *w,
                       pf_cell *cells)
{
    if (label < w->t->spec->column_count && !cells[label].null) {
        const gpu_old_label *of = pf_gpu_merged_device(m, input, cells[label].as.s);
        cells[label] = pf_cell_text(of ? of->now : (pf_str){NULL, 0});
    }
    if (table == GPU_TABLE_HOST_GAPS && m->lost) {
        cells[column_named(w->t, "data_lost")] = pf_cell_int(1);
    }
}

static void copy_row(gpu_merge *m, unsigned table, uint32_t input, const gpu_walk *w)
{
    pf_cell cells[PF_PARTIAL_COLUMNS];
    pf_gpu_walk_cells(w, 1, cells);
    adjust_row(m, table, input, column_named(w->t, "label"), w, cells);
    pf_table_row(m->r->facts.f, m->r->facts.table[table], cells);
}

typedef struct rows_of_table {
    gpu_merge *m;
    unsigned table;
} rows_of_table;

/* The rows of an input, as parts of a table are made. */
static void make_rows(const void *of, uint32_t input, pf_table_builder *t)
{
    gpu_merge *m = ((const rows_of_table *)of)->m;
    unsigned table = ((const rows_of_table *)of)->table;
    gpu_walk w = pf_gpu_walk_input(&m->tables[table], input);
    uint32_t label = column_named(w.t, "label");
    uint64_t before = 0;
    size_t columns = w.t->spec ? w.t->spec->column_count : 0;
    bool first = true;
    for (uint32_t rows; (rows = pf_gpu_walk_run(&w)) != 0; first = false) {
        pf_cell *cells = NULL;
        for (uint32_t i = 0; i < rows; i++) {
            cells = pf_table_next_row(t);
        }
        if (!cells) {
            return;
        }
        cells -= (rows - (size_t)1) * columns;
        pf_gpu_walk_cells(&w, rows, cells);
        before = first && table == GPU_TABLE_MODULE_TREE ? nodes_before(&w) : before;
        for (uint32_t i = 0; i < rows; i++, cells += columns) {
            adjust_row(m, table, input, label, &w, cells);
            for (unsigned c = NODE; table == GPU_TABLE_MODULE_TREE && c <= PARENT; c++) {
                cells[c].as.i = (int64_t)((uint64_t)cells[c].as.i + before);
            }
        }
    }
}

/* Few rows of each input, which much is asked about. */
static bool is_kept(unsigned table)
{
    return table == GPU_TABLE_DEVICES || table == GPU_TABLE_STREAMS || table == GPU_TABLE_CONCURRENCY ||
           table == GPU_TABLE_LAUNCHES || table == GPU_TABLE_STEP_SUMMARY;
}

static void take_rows(gpu_merge *m, unsigned table, rows_of_table *source)
{
    gpu_merged *t = &m->tables[table];
    const gpu_facts *g = &m->r->facts;
    *source = (rows_of_table){m, table};
    for (uint32_t i = 0; i < m->inputs; i++) {
        if (table == GPU_TABLE_CRITICAL_PATH && g->ranks[i].path_left_out) {
            pf_gpu_leave_rows(t, i);
        }
        for (gpu_walk w = pf_gpu_walk_input(t, i); is_kept(table) && pf_gpu_walk_on(&w);) {
            copy_row(m, table, i, &w);
        }
    }
    if (!is_kept(table) && t->rows) {
        pf_table_in_parts(g->table[table], m->inputs, (size_t)t->rows, make_rows, source);
    }
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

enum { NUMBER = 2, START, END };

static int by_device(const void *a, const void *b)
{
    const gpu_listed_gap *x = a, *y = b;
    int order = PF_COMPARE(x->device, y->device);
    return order ? order : pf_gpu_longer_gap(a, b);
}

/* The longest gaps of each device, of so many devices that they are no more than all in one run: `thread` is the row
 * among those of its input. */
static pf_status take_gaps(gpu_merge *m, gpu_listed_gap **out, size_t *n)
{
    const gpu_facts *g = &m->r->facts;
    gpu_merged *t = &m->tables[GPU_TABLE_GAPS];
    uint32_t *taken;
    gpu_listed_gap *list;
    PF_TRY(PF_PASS_ARRAY(g->arena, (size_t)t->rows, list, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, taken, g->device_count, m->err));
    *n = 0;
    for (uint32_t input = 0; input < m->inputs; input++) {
        gpu_walk w = pf_gpu_walk_input(t, input);
        for (uint32_t row = 0; pf_gpu_walk_on(&w); row++) {
            const gpu_old_label *of = device_at(m, input, &w);
            if (of && taken[of->device]++ < pf_gpu_gap_share(g)) {
                list[*n] = (gpu_listed_gap){.device = of->device, .thread = row};
                list[(*n)++].gap.time = (pf_interval){pf_gpu_walk_int(&w, START), pf_gpu_walk_int(&w, END)};
            }
        }
    }
    qsort(list, *n, sizeof *list, by_device);
    *n = *n < GPU_MOST_GAPS ? *n : GPU_MOST_GAPS;
    qsort(list, *n, sizeof *list, pf_gpu_longer_gap);
    *out = list;
    return PF_OK;
}

static void copy_gap(gpu_merge *m, const gpu_listed_gap *gap)
{
    uint32_t input = m->r->facts.devices[gap->device].input;
    gpu_walk w = pf_gpu_walk_input(&m->tables[GPU_TABLE_GAPS], input);
    for (uint32_t row = 0; pf_gpu_walk_on(&w); row++) {
        if (row == gap->thread) {
            copy_row(m, GPU_TABLE_GAPS, input, &w);
            return;
        }
    }
}

/* Rows of an input about a gap: of its device, from its start on. */
static uint32_t copy_about(gpu_merge *m, unsigned table, const gpu_listed_gap *gap, uint32_t *lost)
{
    gpu_merged *t = &m->tables[table];
    const gpu_device *d = &m->r->facts.devices[gap->device];
    uint32_t rows = 0, columns = t->spec ? (uint32_t)t->spec->column_count : 0,
             unknown = t->spec ? column_named(t, "data_lost") : 0;
    for (gpu_walk w = pf_gpu_walk_input(t, d->input); pf_gpu_walk_on(&w);) {
        if (pf_gpu_walk_int(&w, NUMBER) == d->number && pf_gpu_walk_int(&w, START) == gap->gap.time.start) {
            copy_row(m, table, d->input, &w);
            *lost += unknown < columns && (m->lost || pf_gpu_walk_int(&w, unknown));
            rows++;
        }
    }
    return rows;
}

static pf_status copy_gaps(gpu_merge *m)
{
    gpu_listed_gap *list;
    size_t n = 0;
    uint32_t lost = 0, of = 0;
    if (!m->tables[GPU_TABLE_GAPS].spec) {
        return PF_OK;
    }
    PF_TRY(take_gaps(m, &list, &n));
    for (size_t i = 0; i < n; i++) {
        copy_gap(m, &list[i]);
        of += copy_about(m, GPU_TABLE_HOST_GAPS, &list[i], &lost);
        copy_about(m, GPU_TABLE_HOST_WAKERS, &list[i], &lost);
    }
    m->r->scheduler.f = m->r->facts.f;
    pf_schedule_say_lost(&m->r->scheduler, lost, of);
    return PF_OK;
}

pf_status pf_gpu_merge_tabulate(gpu_merge *m, const int64_t *critical_step)
{
    gpu_facts *g = &m->r->facts;
    rows_of_table *sources = pf_findings_alloc(g->f, GPU_TABLES * sizeof *sources);
    PF_TRY(pf_findings_status(g->f, m->err));
    for (uint32_t i = 0; i < g->device_count; i++) {
        m->labels[i].now = g->devices[m->labels[i].device].label;
    }
    for (unsigned i = 0; i < GPU_TABLES; i++) {
        if (pf_gpu_merge_rules[i].how == PF_MERGE_ROWS) {
            take_rows(m, i, &sources[i]);
        }
    }
    PF_TRY(copy_gaps(m));
    if (critical_step) {
        pf_gpu_report_absent(g, m->r->steps.of_input, *critical_step);
    }
    return pf_gpu_tabulate_ranks(g, &m->r->steps, &m->r->ranks, m->err);
}

pf_status pf_gpu_merge_add_parts(gpu_merge *m)
{
    pf_findings *f = m->r->facts.f;
    pf_table_builder *parts[GPU_PARTS];
    pf_cell cells[PF_PARTIAL_COLUMNS];
    pf_gpu_make_parts(f, parts);
    for (unsigned i = 0; i < GPU_PARTS; i++) {
        for (uint32_t input = 0; input < m->inputs; input++) {
            for (gpu_walk w = pf_gpu_walk_input(&m->parts[i], input); pf_gpu_walk_on(&w);) {
                pf_gpu_walk_cells(&w, 1, cells);
                pf_table_row(f, parts[i], cells);
            }
        }
    }
    return pf_findings_status(f, m->err);
}
