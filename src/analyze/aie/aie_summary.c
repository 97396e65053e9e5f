/* analyze/aie/aie_summary.c - what a person sees on the terminal, and the document of `analyze aie --json`.
 *
 * The terminal gets short tables: what every core did in all its iterations and on average in the measured ones, all
 * cores together, and the quality of the recording; then what cannot be trusted. Everything per iteration is in the
 * document.
 */
#include <string.h>

#include "analyze/aie/aie_document.h"
#include "analyze/aie/aie_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* Lines of one kind about single cores; a trace may have thousands. */
#define MOST_LINES 8

static const pf_str in_list = {NULL, 0};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const pf_column core_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},      {"Kernels", PF_CELL_INT, 0, ""},       {"With nearest", PF_CELL_INT, 0, ""},
    {"Iterations", PF_CELL_INT, 0, ""}, {"Median", PF_CELL_REAL, 1, "cycles"},
};
enum { CORE_COLUMNS = sizeof core_columns / sizeof core_columns[0] };

static const pf_column mean_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},     {"Mean", PF_CELL_REAL, 3, "GMAC/s"}, {"Utilisation", PF_CELL_REAL, 2, "%"},
    {"Stalled", PF_CELL_REAL, 2, "%"}, {"Vector", PF_CELL_REAL, 2, "%"},
};
enum { MEAN_COLUMNS = sizeof mean_columns / sizeof mean_columns[0] };

static const pf_column system_columns[] = {
    {"Common iterations", PF_CELL_INT, 0, ""}, {"Mean runtime", PF_CELL_REAL, 1, "cycles"},
    {"Mean", PF_CELL_REAL, 3, "GMAC/s"},       {"Best iteration", PF_CELL_INT, 0, ""},
    {"Best", PF_CELL_REAL, 3, "GMAC/s"},       {"Worst iteration", PF_CELL_INT, 0, ""},
    {"Worst", PF_CELL_REAL, 3, "GMAC/s"},
};
enum { SYSTEM_COLUMNS = sizeof system_columns / sizeof system_columns[0] };

static const pf_column quality_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},
    {"Open intervals", PF_CELL_INT, 0, ""},
    {"Lost entries", PF_CELL_INT, 0, ""},
    {"Lost exits", PF_CELL_INT, 0, ""},
    {"Duplicate entries", PF_CELL_INT, 0, ""},
    {"Duplicate exits", PF_CELL_INT, 0, ""},
    {"Discarded pairs", PF_CELL_INT, 0, ""},
};
enum { QUALITY_COLUMNS = sizeof quality_columns / sizeof quality_columns[0] };

aie_means pf_aie_means_of(const aie_core *c)
{
    aie_means m = {0};
    double spans = 0, stalled = 0, busy = 0, vector = 0;
    for (size_t i = c->perf_start; i < c->perf_end; i++) {
        const aie_iteration *it = &c->iterations[i];
        if (it->calls.count == 0) {
            continue;
        }
        double kernels = it->average * (double)it->calls.count;
        m.count++;
        m.gmacs_per_second += it->gmacs_per_second;
        m.utilisation_percent += it->utilisation_percent;
        spans += (double)it->span;
        stalled += it->stalled.percent[AIE_ANY_STALL] * (double)it->span;
        busy += kernels;
        vector += it->vector_percent * kernels;
    }
    if (m.count) {
        m.gmacs_per_second /= (double)m.count;
        m.utilisation_percent /= (double)m.count;
        m.stalled_percent = stalled / spans;
        m.vector_percent = vector / busy;
    }
    return m;
}

static pf_table_builder *new_table(const aie_result *r, pf_findings *f, const char *title, const pf_column *columns,
                                   size_t count)
{
    pf_str text = r->name.len ? pf_pass_text(r->arena, f, "%.*s: %s", PF_TEXT_ARG(r->name), title) : pf_str_of(title);
    return pf_table_new(f, text, columns, count);
}

static void show_cores(const aie_result *r, pf_findings *f)
{
    pf_table_builder *all = new_table(r, f, "Cores, all iterations", core_columns, CORE_COLUMNS);
    pf_table_builder *means = new_table(r, f, "Cores, means over the perf iterations", mean_columns, MEAN_COLUMNS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const aie_means m = pf_aie_means_of(c);
        const pf_cell row[CORE_COLUMNS] = {{.as.s = c->tile},
                                           pf_cell_count(c->kernel_count),
                                           pf_cell_count(c->nearest_count),
                                           pf_cell_count(c->iteration_count),
                                           pf_cell_real_if(c->kernel_count, c->median.value)};
        const pf_cell mean[MEAN_COLUMNS] = {{.as.s = c->tile},
                                            pf_cell_real_if(m.count, m.gmacs_per_second),
                                            pf_cell_real_if(m.count, m.utilisation_percent),
                                            pf_cell_real_if(m.count, m.stalled_percent),
                                            pf_cell_real_if(m.count, m.vector_percent)};
        pf_table_row(f, all, row);
        pf_table_row(f, means, mean);
    }
    pf_findings_show_table(f, all);
    pf_findings_show_table(f, means);
}

static void show_system(const aie_result *r, pf_findings *f)
{
    const aie_aggregate *a = r->aggregate;
    if (a->count == 0) {
        return;
    }
    const aie_common *best = &a->iteration[a->best], *worst = &a->iteration[a->worst];
    const pf_cell row[SYSTEM_COLUMNS] = {
        pf_cell_count(a->count),
        pf_cell_real_if(true, a->average_runtime),
        pf_cell_real_if(true, a->average_gmacs_per_second),
        pf_cell_count(best->index),
        pf_cell_real_if(true, best->gmacs_per_second),
        pf_cell_count(worst->index),
        pf_cell_real_if(true, worst->gmacs_per_second),
    };
    pf_table_builder *t = new_table(r, f, "All cores together", system_columns, SYSTEM_COLUMNS);
    pf_table_row(f, t, row);
    pf_findings_show_table(f, t);
}

static void show_quality(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = new_table(r, f, "Quality of the recording", quality_columns, QUALITY_COLUMNS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const pf_cell row[QUALITY_COLUMNS] = {
            {.as.s = c->tile},
            pf_cell_count(c->open_intervals),
            pf_cell_count(c->pairing.lost_entries),
            pf_cell_count(c->pairing.lost_exits),
            pf_cell_count(c->pairing.duplicate_entries),
            pf_cell_count(c->pairing.duplicate_exits),
            pf_cell_count(c->discarded_pairs),
        };
        pf_table_row(f, t, row);
    }
    pf_findings_show_table(f, t);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* A warning says whose it is, unless its text does. */
static void show_warning(const aie_result *r, const aie_warning *w, pf_findings *f)
{
    pf_str tile = w->core && strcmp(w->kind, "name") != 0 ? w->core->tile : (pf_str){"", 0};
    pf_findings_show_line(f, PF_NOTICE, "%.*s%s%.*s%s%.*s", PF_TEXT_ARG(r->name), r->name.len ? ": " : "",
                          PF_TEXT_ARG(tile), tile.len ? ": " : "", PF_TEXT_ARG(w->text));
}

/* Kind by kind, those that no table shows; what is often true of all cores in the same way once. */
static void show_warnings(const aie_result *r, pf_findings *f)
{
    static const struct {
        const char *name;
        size_t most;
    } kinds[] = {{"name", MOST_LINES},
                 {"iterations", MOST_LINES},
                 {"pairing", MOST_LINES},
                 {"utilisation", 1},
                 {"empty", 1},
                 {"cores", 1},
                 {"aggregate", 1}};
    if (r->cores->count == 0) {
        pf_pass_nothing(r->ctx, f, "core of an AI Engine", ": no process is called core_trace");
        return;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t lines = 0;
        for (size_t i = 0; i < r->warnings->count; i++) {
            const aie_warning *w = &r->warnings->list[i];
            if (strcmp(w->kind, kinds[k].name) == 0 && lines++ < kinds[k].most) {
                show_warning(r, w, f);
            }
        }
        if (lines > kinds[k].most) {
            pf_findings_show_line(f, PF_NOTICE, "%zu more core%s with such a note (%s); aie_quality.json has them all",
                                  lines - kinds[k].most, lines - kinds[k].most == 1 ? "" : "s", kinds[k].name);
        }
    }
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static void add_core(const aie_result *r, const aie_core *c, pf_findings *f, pf_node *o)
{
    pf_aie_add_pid(f, o, r->ctx->trace, c->upid);
    pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
    pf_aie_add_length(f, o, PF_STR("num_kernels"), c->kernel_count);
    if (c->kernel_count) {
        pf_aie_add_median(f, o, PF_STR("median_kernel_duration_cycles"), c->median);
    } else {
        pf_node_add(f, o, PF_STR("median_kernel_duration_cycles"), PF_NODE_NULL);
    }
    pf_aie_add_length(f, o, PF_STR("lock_stall_boundary_count"), c->boundary_count);
    pf_aie_add_length(f, o, PF_STR("detected_total_iterations"), c->iteration_count);
    pf_aie_add_length(f, o, PF_STR("expected_total_iterations"), c->expected_iterations);
    pf_node_add_text(f, o, PF_STR("mismatch_note"), c->note);
    pf_aie_add_window(f, o, c);
    pf_node *list = pf_node_add(f, o, PF_STR("iterations"), PF_NODE_LIST);
    for (size_t i = 0; i < c->iteration_count; i++) {
        const aie_iteration *it = &c->iterations[i];
        pf_node *item = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
        pf_aie_add_iteration(f, item, c, i);
        pf_node_add_real(f, item, PF_STR("utilisation_percent"), it->utilisation_percent);
        pf_node *stalled = pf_node_add(f, item, PF_STR("stall_percent"), PF_NODE_OBJECT);
        for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
            pf_node_add_real(f, stalled, aie_stall_name(k), it->stalled.percent[k]);
        }
        pf_node_add_real(f, item, PF_STR("any_stall_percent"), it->stalled.percent[AIE_ANY_STALL]);
        pf_node_add_real(f, item, PF_STR("vector_percent"), it->vector_percent);
    }
}

void pf_aie_fill_document(const aie_result *r, pf_findings *f, pf_node *o)
{
    pf_node_add_text(f, o, PF_STR("input_path"), pf_str_of(r->ctx->input_path));
    pf_pass_add_parameters(r->pass, r->ctx->values, f, pf_node_add(f, o, PF_STR("parameters"), PF_NODE_OBJECT));
    pf_node *cores = pf_node_add(f, o, PF_STR("cores"), PF_NODE_LIST);
    for (size_t i = 0; i < r->cores->count; i++) {
        add_core(r, &r->cores->core[i], f, pf_node_add(f, cores, in_list, PF_NODE_OBJECT));
    }
    pf_aie_fill_aggregate(f, pf_node_add(f, o, PF_STR("aggregate"), PF_NODE_OBJECT), r);
    pf_aie_fill_quality(f, pf_node_add(f, o, PF_STR("quality"), PF_NODE_LIST), r);
    pf_aie_add_warnings(f, o, r, 0, r->warnings->count, true);
}

void pf_aie_show(const aie_result *r, pf_findings *f)
{
    if (r->cores->count) {
        show_cores(r, f);
        show_system(r, f);
        show_quality(r, f);
    }
    show_warnings(r, f);
}
