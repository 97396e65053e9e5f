/* analyze/gpu/partial/gpu_merge_tables.c - the tables of a merge: rows of each input as they are, but for labels, which
 * say more where there are several inputs; and of the gaps those that are the longest of all devices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"

enum { MOST_COLUMNS = 64, NODE = 2, PARENT }; /* NODE: of gpu_module_tree */

static pf_cell cell_of(const gpu_merged *t, unsigned column, uint32_t row)
{
    pf_column_type type = t->s->spec->columns[column].type;
    if (type == PF_COLUMN_TEXT) {
        return pf_cell_text(pf_gpu_merged_text(t, column, row));
    }
    int64_t number = *pf_side_number(t->s, column, row);
    double real = *pf_side_real(t->s, column, row);
    return type == PF_COLUMN_INT ? pf_cell_int_if(number != INT64_MIN, number) : pf_cell_real_if(real == real, real);
}

/* Nodes of modules are numbered through all inputs, in the order of rows: by so many more than in the partial. */
static uint64_t nodes_before(const gpu_merge *m, uint32_t input)
{
    const gpu_merged *t = &m->tables[GPU_TABLE_MODULE_TREE];
    return t->first[input] - (uint64_t)pf_gpu_merged_int(t, NODE, t->order[t->first[input]]);
}

static void read_cells(const gpu_merged *t, uint32_t row, pf_cell cells[MOST_COLUMNS])
{
    for (uint32_t c = 0; c < t->s->spec->column_count && c < MOST_COLUMNS; c++) {
        cells[c] = cell_of(t, c, row);
    }
}

static void copy_row(const gpu_merge *m, unsigned table, uint32_t input, uint32_t row)
{
    const gpu_merged *t = &m->tables[table];
    const gpu_facts *g = &m->r->facts;
    pf_cell cells[MOST_COLUMNS];
    uint32_t label = pf_side_column_named(t->s, "label");
    read_cells(t, row, cells);
    if (label < MOST_COLUMNS && !cells[label].null) {
        cells[label] = pf_gpu_label_cell(g, pf_gpu_merged_device(m, input, *pf_side_ref(t->s, label, row)));
    }
    if (table == GPU_TABLE_HOST_GAPS && m->r->scheduler.lost) {
        cells[pf_side_column_named(t->s, "data_lost")] = pf_cell_int(1);
    }
    for (unsigned c = NODE; table == GPU_TABLE_MODULE_TREE && c <= PARENT; c++) {
        cells[c].as.i = (int64_t)((uint64_t)cells[c].as.i + nodes_before(m, input));
    }
    pf_table_row(g->f, g->table[table], cells);
}

static void copy_rows(const gpu_merge *m, unsigned table)
{
    const gpu_merged *t = &m->tables[table];
    for (uint32_t i = 0; i < m->inputs; i++) {
        bool left_out = table == GPU_TABLE_CRITICAL_PATH && m->r->facts.ranks[i].path_left_out;
        for (uint32_t k = t->first[i]; k < t->first[i + 1] && !left_out; k++) {
            copy_row(m, table, i, t->order[k]);
        }
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

/* The longest gaps of each device, of so many devices that they are no more than all in one run: `thread` is the row.
 */
static pf_status take_gaps(const gpu_merge *m, gpu_listed_gap **out, size_t *n)
{
    const gpu_facts *g = &m->r->facts;
    const gpu_merged *t = &m->tables[GPU_TABLE_GAPS];
    uint32_t *taken, label = pf_side_column_named(t->s, "label");
    gpu_listed_gap *list;
    PF_TRY(PF_PASS_ARRAY(g->arena, t->s->count, list, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, taken, g->device_count, m->err));
    *n = 0;
    for (uint32_t input = 0; input < m->inputs; input++) {
        for (uint32_t k = t->first[input]; k < t->first[input + 1]; k++) {
            uint32_t row = t->order[k], device = pf_gpu_merged_device(m, input, *pf_side_ref(t->s, label, row));
            if (device != PF_NONE && taken[device]++ < pf_gpu_gap_share(g)) {
                list[*n] = (gpu_listed_gap){.device = device, .thread = row};
                list[(*n)++].gap.time = (pf_interval){pf_gpu_merged_int(t, START, row), pf_gpu_merged_int(t, END, row)};
            }
        }
    }
    qsort(list, *n, sizeof *list, by_device);
    *n = *n < GPU_MOST_GAPS ? *n : GPU_MOST_GAPS;
    qsort(list, *n, sizeof *list, pf_gpu_longer_gap);
    *out = list;
    return PF_OK;
}

/* Rows of an input about a gap: of its device, from its start on. */
static uint32_t copy_about(const gpu_merge *m, unsigned table, const gpu_listed_gap *gap, uint32_t *lost)
{
    const gpu_merged *t = &m->tables[table];
    const gpu_device *d = &m->r->facts.devices[gap->device];
    uint32_t rows = 0, unknown = t->s ? pf_side_column_named(t->s, "data_lost") : PF_NONE;
    for (uint32_t k = t->first[d->input]; k < t->first[d->input + 1]; k++) {
        uint32_t row = t->order[k];
        if (pf_gpu_merged_int(t, NUMBER, row) == d->number && pf_gpu_merged_int(t, START, row) == gap->gap.time.start) {
            copy_row(m, table, d->input, row);
            *lost += unknown != PF_NONE && (m->r->scheduler.lost || pf_gpu_merged_int(t, unknown, row));
            rows++;
        }
    }
    return rows;
}

static pf_status copy_gaps(const gpu_merge *m)
{
    const gpu_facts *g = &m->r->facts;
    gpu_listed_gap *list;
    size_t n = 0;
    uint32_t lost = 0, of = 0;
    if (!m->tables[GPU_TABLE_GAPS].s) {
        return PF_OK;
    }
    PF_TRY(take_gaps(m, &list, &n));
    for (size_t i = 0; i < n; i++) {
        copy_row(m, GPU_TABLE_GAPS, g->devices[list[i].device].input, list[i].thread);
        of += copy_about(m, GPU_TABLE_HOST_GAPS, &list[i], &lost);
        copy_about(m, GPU_TABLE_HOST_WAKERS, &list[i], &lost);
    }
    m->r->scheduler.f = g->f;
    pf_schedule_say_lost(&m->r->scheduler, lost, of);
    return PF_OK;
}

pf_status pf_gpu_merge_tabulate(gpu_merge *m, const int64_t *critical_step)
{
    const gpu_facts *g = &m->r->facts;
    for (unsigned i = 0; i < GPU_TABLES; i++) {
        bool across =
            i >= GPU_TABLE_RANKS || i == GPU_TABLE_GAPS || i == GPU_TABLE_HOST_GAPS || i == GPU_TABLE_HOST_WAKERS;
        if (!across) {
            copy_rows(m, i);
        }
    }
    PF_TRY(copy_gaps(m));
    if (critical_step) {
        pf_gpu_report_absent(g, m->r->steps.of_input, *critical_step);
    }
    return pf_gpu_tabulate_ranks(&m->r->facts, &m->r->steps, &m->r->ranks, m->err);
}

static void copy_part(const gpu_merge *m, pf_table_builder *part, const gpu_merged *t, uint32_t input)
{
    pf_cell cells[MOST_COLUMNS];
    for (uint32_t k = t->first[input]; k < t->first[input + 1]; k++) {
        read_cells(t, t->order[k], cells);
        pf_table_row(m->r->facts.f, part, cells);
    }
}

pf_status pf_gpu_merge_add_parts(gpu_merge *m)
{
    pf_table_builder *parts[GPU_PARTS];
    pf_status st = PF_OK;
    pf_gpu_make_parts(m->r->facts.f, parts);
    for (uint32_t input = 0; input < m->inputs && st == PF_OK; input++) {
        st = m->block_of[input] ? pf_gpu_open_calls(m, m->block_of[input] - 1) : PF_OK;
        for (unsigned i = 0; i < GPU_PARTS && st == PF_OK; i++) {
            if (i != GPU_PART_CALLS || m->block_of[input]) {
                copy_part(m, parts[i], &m->parts[i], input);
            }
        }
    }
    pf_gpu_close_calls(m);
    return st == PF_OK ? pf_findings_status(m->r->facts.f, m->err) : st;
}
