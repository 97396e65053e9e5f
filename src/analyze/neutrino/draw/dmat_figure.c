/* analyze/neutrino/draw/dmat_figure.c - the DMAT heat map: pages over clocks, a panel for each of the tensors with the
 * most accesses, all on one scale of time and of colours. Page 0 is at the bottom; an empty line stands between pages
 * that are far from each other. Two columns of the grid are one of the figure. */
#include <inttypes.h>

#include "analyze/neutrino/draw/figures.h"
#include "analyze/support/pass_memory.h"
#include "analyze/support/pass_tables.h"

enum { TENSORS = 5, MERGED = 2, COLUMNS = DMAT_COLUMNS / MERGED };

static const pf_column columns[] = {PF_TEXT_COLUMN("tensor"), PF_TEXT_COLUMN("page"), PF_INT_COLUMN("from", "cycles"),
                                    PF_INT_COLUMN("to", "cycles"), PF_INT_COLUMN("accesses", "accesses")};

typedef struct heat_map {
    const neutrino_run *n;
    const dmat_result *d;
    pf_table_builder *table;
    const dmat_tensor *shown[TENSORS]; /* most accesses first */
    unsigned count, breaks;
} heat_map;

static void choose(heat_map *m)
{
    for (uint32_t i = 0; i < m->d->tensors; i++) {
        const dmat_tensor *t = &m->d->tensor[i];
        unsigned at = m->count < TENSORS ? m->count++ : TENSORS;
        for (; at > 0 && m->shown[at - 1]->accesses < t->accesses; at--) {
            if (at < TENSORS) {
                m->shown[at] = m->shown[at - 1];
            }
        }
        if (at < TENSORS) {
            m->shown[at] = t;
        }
    }
}

/* The rank of the first page of a row of the grid. */
static uint64_t first_rank(const dmat_result *d, unsigned row)
{
    return ((uint64_t)row * d->clean_pages + DMAT_ROWS - 1) / DMAT_ROWS;
}

static uint64_t clock_of(const dmat_result *d, unsigned column)
{
    return ((uint64_t)column * (d->clean_max_clock + 1) + DMAT_COLUMNS - 1) / DMAT_COLUMNS;
}

/* A line without cells, where the page above is not the next one; its name is one that no other line has. */
static void add_break(heat_map *m, pf_str tensor, unsigned row, unsigned above)
{
    const dmat_result *d = m->d;
    uint64_t last = first_rank(d, row + 1) - 1, next = first_rank(d, above);
    if (d->sorted[next] - d->sorted[last] <= DMAT_PAGE_BYTES) {
        return;
    }
    int blanks = (int)(m->breaks++ % 100);
    pf_str name = pf_findings_format(m->n->f, "... %" PRIu64 " pages%*s",
                                     (d->sorted[next] - d->sorted[last]) / DMAT_PAGE_BYTES - 1, blanks, "");
    PF_TABLE_ROW(m->n->f, m->table, pf_cell_text(tensor), pf_cell_text(name), {.null = true}, {.null = true},
                 {.null = true});
}

/* The cells [from, to) of the tensor, which are of one row. */
static void add_line(heat_map *m, const dmat_tensor *t, pf_str tensor, uint32_t from, uint32_t to)
{
    uint64_t sum[COLUMNS] = {0};
    const dmat_result *d = m->d;
    pf_str page = pf_findings_format(m->n->f, "%" PRIx64, d->sorted[first_rank(d, t->cell[from].row)]);
    for (uint32_t i = from; i < to; i++) {
        sum[t->cell[i].column / MERGED] += t->cell[i].count;
    }
    for (unsigned c = 0; c < COLUMNS; c++) {
        uint64_t begin = clock_of(d, c * MERGED), end = clock_of(d, (c + 1) * MERGED);
        if (sum[c]) {
            PF_TABLE_ROW(m->n->f, m->table, pf_cell_text(tensor), pf_cell_text(page), pf_cell_count(begin),
                         pf_cell_count(end > begin ? end : begin + 1), pf_cell_count(sum[c]));
        }
    }
}

/* From the highest page down; cells are in the order of rows. */
static void add_tensor(heat_map *m, const dmat_tensor *t)
{
    pf_str name = t->name.len ? t->name : PF_STR("(no name)");
    unsigned above = DMAT_ROWS;
    m->breaks = 0;
    for (uint32_t to = t->cells, from = to; to > 0; to = from) {
        unsigned row = t->cell[to - 1].row;
        while (from > 0 && t->cell[from - 1].row == row) {
            from--;
        }
        if (above < DMAT_ROWS) {
            add_break(m, name, row, above);
        }
        add_line(m, t, name, from, to);
        above = row;
    }
}

pf_status pf_neutrino_dmat_figure(neutrino_run *n, const dmat_result *d, const neutrino_records *r, pf_error *err)
{
    heat_map m = {.n = n, .d = d};
    if (d->clean_pages == 0 || r->nth >= NEUTRINO_FIGURES) {
        return PF_OK;
    }
    choose(&m);
    m.table = pf_table_new(n->f, PF_STR("accesses by page and time"), columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < m.count; i++) {
        add_tensor(&m, m.shown[i]);
    }
    pf_str more = m.count < d->tensors
                      ? pf_findings_format(n->f, " %" PRIu32 " more tensors are not drawn.", d->tensors - m.count)
                      : PF_STR("");
    pf_neutrino_add_figure(
        n, r,
        &(pf_figure){.name = "dmat",
                     .kind = PF_FIGURE_HEAT_MAP,
                     .title = PF_STR("Memory accesses by page and time"),
                     .note = pf_findings_format(n->f,
                                                "Pages of 64 KiB by their address; time since the thread began; the "
                                                "tensors with the most accesses.%.*s",
                                                PF_TEXT_ARG(more)),
                     .table = m.table,
                     .label = "page",
                     .panel = "tensor",
                     .from = "from",
                     .to = "to",
                     .values = "accesses",
                     .value_scale = PF_SCALE_LOG,
                     .png = true});
    return pf_findings_status(n->f, err);
}
