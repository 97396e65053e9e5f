/* analyze/compare/compare_report.c - the result as a document and as a table. */
#include "analyze/compare/compare.h"

#include "analyze/support/pass_tables.h"

static void add_real(pf_findings *f, pf_node *o, pf_str key, bool known, double v)
{
    if (known) {
        pf_node_add_real(f, o, key, v);
    } else {
        pf_node_add(f, o, key, PF_NODE_NULL);
    }
}

static void add_numbers(pf_findings *f, pf_node *row, pf_str key, const compare_numbers *n)
{
    pf_node *o = pf_node_add(f, row, key, PF_NODE_OBJECT);
    pf_node_add_int(f, o, PF_STR("calls"), (int64_t)n->calls);
    pf_node_add_int(f, o, PF_STR("total_ns"), (int64_t)n->total);
    pf_node_add_int(f, o, PF_STR("self_ns"), (int64_t)n->own);
    add_real(f, o, PF_STR("mean_ns"), n->calls, n->mean);
    add_real(f, o, PF_STR("median_ns"), n->calls, n->median);
    if (n->calls) {
        pf_node_add_int(f, o, PF_STR("p95_ns"), (int64_t)n->p95);
    } else {
        pf_node_add(f, o, PF_STR("p95_ns"), PF_NODE_NULL);
    }
    pf_node_add_real(f, o, PF_STR("share_percent"), n->share);
}

static void add_ratio(pf_findings *f, pf_node *o, double ratio, const compare_interval *i)
{
    add_real(f, o, PF_STR("ratio"), ratio > 0, ratio);
    add_real(f, o, PF_STR("ratio_low"), i->known, i->low);
    add_real(f, o, PF_STR("ratio_high"), i->known, i->high);
}

static void add_verdict(pf_findings *f, pf_node *o, compare_verdict v)
{
    pf_node_add_text(f, o, PF_STR("verdict"), pf_str_of(pf_compare_verdict_text(v)));
}

const char *const pf_compare_measure_names[] = {"device", "step", "host"};
static const char *const gate_names[] = {"device", "step", "host", "all", "names"};

static void add_measures(pf_findings *f, pf_node *root, const compare_result *r)
{
    pf_node *gate = pf_node_add(f, root, PF_STR("gate"), PF_NODE_LIST);
    for (unsigned k = 0; k < sizeof gate_names / sizeof *gate_names; k++) {
        if (r->gate >> k & 1 && (k >= COMPARE_MEASURES || r->measure[k].known)) {
            pf_node_add_text(f, gate, (pf_str){NULL, 0}, pf_str_of(gate_names[k]));
        }
    }
    pf_node *verdicts = pf_node_add(f, root, PF_STR("verdicts"), PF_NODE_OBJECT);
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        const compare_measure *m = &r->measure[k];
        pf_node *o =
            pf_node_add(f, verdicts, pf_str_of(pf_compare_measure_names[k]), m->known ? PF_NODE_OBJECT : PF_NODE_NULL);
        if (m->known) {
            pf_node_add_real(f, o, PF_STR("base_ns"), m->base);
            pf_node_add_real(f, o, PF_STR("new_ns"), m->now);
            add_ratio(f, o, m->ratio, &m->interval);
            add_verdict(f, o, m->verdict);
        }
    }
}

pf_str pf_compare_place(const compare *c, const compare_result *r, uint32_t row)
{
    return !r->has_devices ? (pf_str){NULL, 0} : pf_compare_is_device_row(c, row) ? PF_STR("device") : PF_STR("host");
}

static const char *samples_text(compare_samples s)
{
    return s == COMPARE_FILES ? "files" : s == COMPARE_ITERATIONS ? "iterations" : "calls";
}

pf_node *pf_compare_document(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    add_verdict(f, root, r->verdict);
    add_measures(f, root, r);
    pf_node_add_text(f, root, PF_STR("unit"), unit == PF_UNIT_CYCLE ? PF_STR("cycle") : PF_STR("ns"));
    pf_node_add_int(f, root, PF_STR("base_files"), (int64_t)r->base_files);
    pf_node_add_int(f, root, PF_STR("new_files"), (int64_t)r->now_files);
    pf_node_add_text(f, root, PF_STR("samples"), pf_str_of(samples_text(r->samples)));
    pf_node_add_real(f, root, PF_STR("confidence_percent"), 99);
    pf_node_add_real(f, root, PF_STR("tolerance_percent"), c->options.tolerance * 100);
    pf_node_add_int(f, root, PF_STR("seed"), (int64_t)c->options.seed);
    pf_node *whole = pf_node_add(f, root, PF_STR("self_time"), PF_NODE_OBJECT);
    pf_node_add_int(f, whole, PF_STR("base_ns"), (int64_t)r->base_own);
    pf_node_add_int(f, whole, PF_STR("new_ns"), (int64_t)r->now_own);
    pf_node_add_real(f, whole, PF_STR("delta_ns"), r->whole.now - r->whole.base);
    add_ratio(f, whole, r->whole.ratio, &r->whole.interval);
    pf_node *rows = pf_node_add(f, root, PF_STR("rows"), PF_NODE_LIST);
    for (uint32_t i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        pf_node *o = pf_node_add(f, rows, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_str place = pf_compare_place(c, r, row->name);
        pf_node_add_text(f, o, PF_STR("name"), pf_compare_row_text(c, row->name));
        pf_node_add_text(f, o, PF_STR("place"), place);
        add_numbers(f, o, PF_STR("base"), &row->base);
        add_numbers(f, o, PF_STR("new"), &row->now);
        pf_node_add_real(f, o, PF_STR("delta_ns"), row->delta);
        add_ratio(f, o, row->ratio, &row->interval);
        pf_node_add_int(f, o, PF_STR("samples"), row->interval.samples);
        pf_node_add_bool(f, o, PF_STR("paired"), row->interval.paired);
        add_verdict(f, o, row->verdict);
        pf_node *self = pf_node_add(f, o, PF_STR("self_time"), PF_NODE_OBJECT);
        pf_node_add_real(f, self, PF_STR("delta_ns"), row->self.now - row->self.base);
        add_ratio(f, self, row->self.ratio, &row->self.interval);
        add_verdict(f, self, row->self.verdict);
    }
    return root;
}

static void fill_numbers(pf_cell *cell, const compare_numbers *n)
{
    cell[0] = pf_cell_int((int64_t)n->calls);
    cell[1] = pf_cell_int((int64_t)n->total);
    cell[2] = pf_cell_int((int64_t)n->own);
    cell[3] = pf_cell_real_if(n->calls, n->mean);
    cell[4] = pf_cell_real_if(n->calls, n->median);
    cell[5] = pf_cell_int_if(n->calls, (int64_t)n->p95);
    cell[6] = pf_cell_real(n->share);
}

#define TEXT PF_TEXT_COLUMN
#define INT PF_INT_COLUMN
#define REAL PF_REAL_COLUMN
/* As fill_numbers fills them. */
#define NUMBERS_OF(side)                                                                                               \
    INT(side "calls", ""), INT(side "total_ns", "ns"), INT(side "self_ns", "ns"), REAL(side "mean_ns", 1, "ns"),       \
        REAL(side "median_ns", 1, "ns"), INT(side "p95_ns", "ns"), REAL(side "share_percent", 2, "")

enum { COLUMNS = 21 };

#define RATIO REAL("ratio", 4, ""), REAL("ratio_low", 4, ""), REAL("ratio_high", 4, "")

const pf_pass_table pf_compare_tables[COMPARE_TABLES] = {
    [COMPARE_TABLE_ROWS] =
        PF_PASS_TABLE("compare_rows", "a name and what became of it", TEXT("name"), TEXT("verdict"),
                      REAL("delta_ns", 0, "ns"), RATIO, NUMBERS_OF("base_"), NUMBERS_OF("new_"), TEXT("place")),
    [COMPARE_TABLE_VERDICTS] =
        PF_PASS_TABLE("compare_verdicts", "what is compared of the runs as a whole", TEXT("what"), TEXT("verdict"),
                      REAL("base_ns", 0, "ns"), REAL("new_ns", 0, "ns"), RATIO, TEXT("in_gate")),
    [COMPARE_TABLE_SELF] = PF_PASS_TABLE("compare_self", "a name whose self time changed, for one file of each side",
                                         TEXT("name"), TEXT("place"), TEXT("verdict"), REAL("self_delta_ns", 0, "ns"),
                                         RATIO, REAL("base_self_ns", 0, "ns"), REAL("new_self_ns", 0, "ns"),
                                         INT("base_calls", ""), INT("new_calls", "")),
    [COMPARE_TABLE_ITERATIONS] =
        PF_PASS_TABLE("compare_iterations", "an iteration of both runs, or the mean of neighbours",
                      INT("iteration", ""), INT("iterations", ""), REAL("base_ns", 0, "ns"), REAL("new_ns", 0, "ns"),
                      REAL("delta_ns", 0, "ns"), REAL("ratio", 4, ""))};

const pf_column *pf_compare_columns(pf_findings *f, compare_table which, pf_time_unit unit)
{
    const pf_pass_table *t = &pf_compare_tables[which];
    pf_column *columns = unit == PF_UNIT_CYCLE ? pf_findings_alloc(f, t->column_count * sizeof *columns) : NULL;
    for (size_t i = 0; columns && i < t->column_count; i++) {
        bool time = pf_str_ends(pf_str_of(t->columns[i].name), PF_STR("_ns"));
        columns[i] = t->columns[i];
        columns[i].unit = time ? "cycles" : columns[i].unit;
    }
    return columns ? columns : t->columns;
}

static void fill_ratio(pf_cell *cell, const compare_row *row)
{
    cell[0] = pf_cell_text(pf_str_of(pf_compare_verdict_text(row->verdict)));
    cell[1] = pf_cell_real(row->delta);
    cell[2] = pf_cell_real_if(row->ratio > 0, row->ratio);
    cell[3] = pf_cell_real_if(row->interval.known, row->interval.low);
    cell[4] = pf_cell_real_if(row->interval.known, row->interval.high);
}

pf_table_builder *pf_compare_table(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_table_builder *t = pf_table_new_named(f, "compare_rows", PF_STR("What changed"),
                                             pf_compare_columns(f, COMPARE_TABLE_ROWS, unit), COLUMNS);
    for (uint32_t i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        pf_cell cells[COLUMNS] = {pf_cell_text(pf_compare_row_text(c, row->name))};
        fill_ratio(cells + 1, row);
        fill_numbers(cells + 6, &row->base);
        fill_numbers(cells + 13, &row->now);
        cells[20] = pf_cell_text(pf_compare_place(c, r, row->name));
        pf_table_row(f, t, cells);
    }
    return t;
}
