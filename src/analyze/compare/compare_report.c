/* analyze/compare/compare_report.c - the result as a document and as a table. */
#include "analyze/compare/compare.h"

#include "base/str.h"

static void add_numbers(pf_findings *f, pf_node *row, pf_str key, const compare_numbers *n)
{
    pf_node *o = pf_node_add(f, row, key, PF_NODE_OBJECT);
    pf_node_add_int(f, o, PF_STR("calls"), (int64_t)n->calls);
    pf_node_add_int(f, o, PF_STR("total_ns"), (int64_t)n->total);
    pf_node_add_int(f, o, PF_STR("self_ns"), (int64_t)n->own);
    if (n->calls) {
        pf_node_add_real(f, o, PF_STR("mean_ns"), n->mean);
        pf_node_add_real(f, o, PF_STR("median_ns"), n->median);
        pf_node_add_int(f, o, PF_STR("p95_ns"), (int64_t)n->p95);
        pf_node_add_real(f, o, PF_STR("share_percent"), n->share);
    } else {
        pf_node_add(f, o, PF_STR("mean_ns"), PF_NODE_NULL);
        pf_node_add(f, o, PF_STR("median_ns"), PF_NODE_NULL);
        pf_node_add(f, o, PF_STR("p95_ns"), PF_NODE_NULL);
        pf_node_add_real(f, o, PF_STR("share_percent"), 0);
    }
}

static void add_ratio(pf_findings *f, pf_node *o, const compare_row *r)
{
    pf_node_add_real(f, o, PF_STR("delta_ns"), r->delta);
    if (r->ratio > 0) {
        pf_node_add_real(f, o, PF_STR("ratio"), r->ratio);
    } else {
        pf_node_add(f, o, PF_STR("ratio"), PF_NODE_NULL);
    }
    if (r->interval.known) {
        pf_node_add_real(f, o, PF_STR("ratio_low"), r->interval.low);
        pf_node_add_real(f, o, PF_STR("ratio_high"), r->interval.high);
    } else {
        pf_node_add(f, o, PF_STR("ratio_low"), PF_NODE_NULL);
        pf_node_add(f, o, PF_STR("ratio_high"), PF_NODE_NULL);
    }
}

static const char *samples_text(compare_samples s)
{
    return s == COMPARE_FILES ? "files" : s == COMPARE_ITERATIONS ? "iterations" : "calls";
}

pf_node *pf_compare_document(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node_add_text(f, root, PF_STR("verdict"), pf_str_of(pf_compare_verdict_text(r->whole.verdict)));
    pf_node_add_text(f, root, PF_STR("unit"), unit == PF_UNIT_CYCLE ? PF_STR("cycle") : PF_STR("ns"));
    pf_node_add_int(f, root, PF_STR("base_files"), (int64_t)r->base_files);
    pf_node_add_int(f, root, PF_STR("new_files"), (int64_t)r->now_files);
    pf_node_add_text(f, root, PF_STR("samples"), pf_str_of(samples_text(r->samples)));
    pf_node_add_real(f, root, PF_STR("confidence_percent"), 99);
    pf_node_add_real(f, root, PF_STR("tolerance_percent"), c->options.tolerance * 100);
    pf_node_add_int(f, root, PF_STR("seed"), (int64_t)c->options.seed);
    pf_node *whole = pf_node_add(f, root, PF_STR("self_time"), PF_NODE_OBJECT);
    pf_node_add_int(f, whole, PF_STR("base_ns"), (int64_t)r->whole.base.own);
    pf_node_add_int(f, whole, PF_STR("new_ns"), (int64_t)r->whole.now.own);
    add_ratio(f, whole, &r->whole);
    pf_node *rows = pf_node_add(f, root, PF_STR("rows"), PF_NODE_LIST);
    for (uint32_t i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        pf_node *o = pf_node_add(f, rows, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_node_add_text(f, o, PF_STR("name"), pf_strings_get(&c->names, row->name));
        add_numbers(f, o, PF_STR("base"), &row->base);
        add_numbers(f, o, PF_STR("new"), &row->now);
        add_ratio(f, o, row);
        pf_node_add_int(f, o, PF_STR("samples"), row->interval.samples);
        pf_node_add_bool(f, o, PF_STR("paired"), row->interval.paired);
        pf_node_add_text(f, o, PF_STR("verdict"), pf_str_of(pf_compare_verdict_text(row->verdict)));
    }
    return root;
}

static pf_cell whole(uint64_t v)
{
    return (pf_cell){.as.i = (int64_t)v};
}

static pf_cell real(double v, bool known)
{
    return (pf_cell){.null = !known, .as.d = v};
}

static pf_cell text(pf_str s)
{
    return (pf_cell){.as.s = s};
}

static void fill_numbers(pf_cell *cell, const compare_numbers *n)
{
    cell[0] = whole(n->calls);
    cell[1] = whole(n->total);
    cell[2] = whole(n->own);
    cell[3] = real(n->mean, n->calls);
    cell[4] = real(n->median, n->calls);
    cell[5] = whole(n->p95);
    cell[5].null = !n->calls;
    cell[6] = real(n->share, true);
}

static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""},
                                    {"verdict", PF_CELL_TEXT, 0, ""},
                                    {"delta_ns", PF_CELL_REAL, 0, ""},
                                    {"ratio", PF_CELL_REAL, 4, ""},
                                    {"ratio_low", PF_CELL_REAL, 4, ""},
                                    {"ratio_high", PF_CELL_REAL, 4, ""},
                                    {"base_calls", PF_CELL_INT, 0, ""},
                                    {"base_total_ns", PF_CELL_INT, 0, ""},
                                    {"base_self_ns", PF_CELL_INT, 0, ""},
                                    {"base_mean_ns", PF_CELL_REAL, 1, ""},
                                    {"base_median_ns", PF_CELL_REAL, 1, ""},
                                    {"base_p95_ns", PF_CELL_INT, 0, ""},
                                    {"base_share_percent", PF_CELL_REAL, 2, ""},
                                    {"new_calls", PF_CELL_INT, 0, ""},
                                    {"new_total_ns", PF_CELL_INT, 0, ""},
                                    {"new_self_ns", PF_CELL_INT, 0, ""},
                                    {"new_mean_ns", PF_CELL_REAL, 1, ""},
                                    {"new_median_ns", PF_CELL_REAL, 1, ""},
                                    {"new_p95_ns", PF_CELL_INT, 0, ""},
                                    {"new_share_percent", PF_CELL_REAL, 2, ""}};
#define COLUMNS (sizeof columns / sizeof *columns)

/* The columns that a terminal has room for. */
static const pf_column few_columns[] = {{"name", PF_CELL_TEXT, 0, ""},          {"verdict", PF_CELL_TEXT, 0, ""},
                                        {"delta", PF_CELL_REAL, 1, "us"},       {"ratio", PF_CELL_REAL, 3, ""},
                                        {"low", PF_CELL_REAL, 3, ""},           {"high", PF_CELL_REAL, 3, ""},
                                        {"calls", PF_CELL_INT, 0, "base"},      {"calls", PF_CELL_INT, 0, "new"},
                                        {"total", PF_CELL_REAL, 1, "us, base"}, {"total", PF_CELL_REAL, 1, "us, new"}};

static const pf_pass_table tables[] = {{"compare_rows", "a name and what became of it", columns, COLUMNS}};
const pf_pass pf_compare_tables = {.name = "compare", .tables = tables, .table_count = 1};

static void fill_ratio(pf_cell *cell, const compare_row *row, double unit)
{
    cell[0] = text(pf_str_of(pf_compare_verdict_text(row->verdict)));
    cell[1] = real(row->delta / unit, true);
    cell[2] = real(row->ratio, row->ratio > 0);
    cell[3] = real(row->interval.low, row->interval.known);
    cell[4] = real(row->interval.high, row->interval.known);
}

pf_table_builder *pf_compare_table(pf_findings *f, const compare *c, const compare_result *r)
{
    pf_table_builder *t = pf_table_new_named(f, "compare_rows", PF_STR("What changed"), columns, COLUMNS);
    for (uint32_t i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        pf_cell cells[COLUMNS] = {text(pf_strings_get(&c->names, row->name))};
        fill_ratio(cells + 1, row, 1);
        fill_numbers(cells + 6, &row->base);
        fill_numbers(cells + 13, &row->now);
        pf_table_row(f, t, cells);
    }
    return t;
}

pf_table_builder *pf_compare_short_table(pf_findings *f, const compare *c, const compare_result *r, size_t rows)
{
    pf_table_builder *t =
        pf_table_new(f, PF_STR("What changed"), few_columns, sizeof few_columns / sizeof *few_columns);
    for (uint32_t i = 0; i < r->count && i < rows; i++) {
        const compare_row *row = &r->rows[i];
        pf_str name = pf_strings_get(&c->names, row->name);
        size_t shown = name.len > 60 ? 57 : name.len;
        while (shown < name.len && shown > 0 && (name.ptr[shown] & 0xC0) == 0x80) {
            shown--;
        }
        pf_str cut = shown == name.len ? name : pf_findings_format(f, "%.*s...", (int)shown, name.ptr);
        pf_cell cells[sizeof few_columns / sizeof *few_columns] = {text(cut)};
        fill_ratio(cells + 1, row, 1000);
        cells[6] = whole(row->base.calls);
        cells[7] = whole(row->now.calls);
        cells[8] = real((double)row->base.total / 1000, true);
        cells[9] = real((double)row->now.total / 1000, true);
        pf_table_row(f, t, cells);
    }
    return t;
}
