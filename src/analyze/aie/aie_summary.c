/* analyze/aie/aie_summary.c - what a person sees on the terminal, and the document of `analyze aie --json`.
 *
 * The terminal gets three short tables: one line per core, one for all cores together, one per core about the quality
 * of the recording. Everything per iteration is in the document.
 */
#include <string.h>

#include "analyze/aie/aie_document.h"
#include "analyze/aie/aie_steps.h"
#include "analyze/support/pass_memory.h"

/* Lines about single cores; a trace may have thousands. */
#define MOST_LINES 8

static const pf_str in_list = {NULL, 0};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const pf_column core_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},         {"Kernels", PF_CELL_INT, 0, ""},     {"Iterations", PF_CELL_INT, 0, ""},
    {"Median", PF_CELL_REAL, 1, "cycles"}, {"Mean", PF_CELL_REAL, 3, "GMAC/s"}, {"Utilisation", PF_CELL_REAL, 2, "%"},
    {"Stalled", PF_CELL_REAL, 2, "%"},     {"Vector", PF_CELL_REAL, 2, "%"},
};
enum { CORE_COLUMNS = sizeof core_columns / sizeof core_columns[0] };

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

static pf_cell count_cell(bool known, uint64_t v)
{
    return (pf_cell){.null = !known, .as.i = v > INT64_MAX ? INT64_MAX : (int64_t)v};
}

static pf_cell real_cell(bool known, double v)
{
    return (pf_cell){.null = !known, .as.d = v};
}

static void show_cores(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = pf_table_new(f, PF_STR("Cores (means over the perf iterations)"), core_columns, CORE_COLUMNS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        aie_means m = pf_aie_means_of(c);
        const pf_cell row[CORE_COLUMNS] = {
            {.as.s = c->tile},
            count_cell(true, c->kernel_count),
            count_cell(true, c->iteration_count),
            real_cell(c->kernel_count, c->median.value),
            real_cell(m.count, m.gmacs_per_second),
            real_cell(m.count, m.utilisation_percent),
            real_cell(m.count, m.stalled_percent),
            real_cell(m.count, m.vector_percent),
        };
        pf_table_row(f, t, row);
    }
    pf_findings_show_table(f, t);
}

static void show_system(const aie_result *r, pf_findings *f)
{
    const aie_aggregate *a = r->aggregate;
    if (a->count == 0) {
        return;
    }
    const aie_common *best = &a->iteration[a->best], *worst = &a->iteration[a->worst];
    const pf_cell row[SYSTEM_COLUMNS] = {
        count_cell(true, a->count),
        real_cell(true, a->average_runtime),
        real_cell(true, a->average_gmacs_per_second),
        count_cell(true, best->index),
        real_cell(true, best->gmacs_per_second),
        count_cell(true, worst->index),
        real_cell(true, worst->gmacs_per_second),
    };
    pf_table_builder *t = pf_table_new(f, PF_STR("All cores together"), system_columns, SYSTEM_COLUMNS);
    pf_table_row(f, t, row);
    pf_findings_show_table(f, t);
}

static void show_quality(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = pf_table_new(f, PF_STR("Quality of the recording"), quality_columns, QUALITY_COLUMNS);
    bool known = r->parameters->nearest;
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const pf_cell row[QUALITY_COLUMNS] = {
            {.as.s = c->tile},
            count_cell(true, c->open_intervals),
            count_cell(known, c->pairing.lost_entries),
            count_cell(known, c->pairing.lost_exits),
            count_cell(known, c->pairing.duplicate_entries),
            count_cell(known, c->pairing.duplicate_exits),
            count_cell(true, c->discarded_pairs),
        };
        pf_table_row(f, t, row);
    }
    pf_findings_show_table(f, t);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void show_duplicates(const aie_result *r, pf_findings *f)
{
    size_t lines = 0;
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        if (r->aggregate->source[i] != i && lines++ < MOST_LINES) {
            pf_findings_show_line(
                f, PF_NOTICE,
                "several cores are called %.*s: %.*s holds the last of them, and the aggregate uses it "
                "for all; give the tiles different names",
                PF_TEXT_ARG(c->tile), PF_TEXT_ARG(c->file));
        }
    }
}

static void show_notes(const aie_result *r, pf_findings *f)
{
    size_t lines = 0;
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        if (c->note.ptr && lines++ < MOST_LINES) {
            pf_findings_show_line(f, PF_NOTICE, "%.*s: %.*s", PF_TEXT_ARG(c->tile), PF_TEXT_ARG(c->note));
        }
    }
    if (lines > MOST_LINES) {
        pf_findings_show_line(f, PF_NOTICE, "%zu more cores with such a note; index.json has them all",
                              lines - MOST_LINES);
    }
    if (r->cores->count == 0) {
        pf_findings_show_line(f, PF_NOTICE,
                              "no process is called core_trace: this trace has no AI Engine core to analyse");
    } else if (r->aggregate->count == 0) {
        pf_findings_show_line(f, PF_NOTICE,
                              "no perf iteration is present on all cores: nothing to aggregate; check --warmup and "
                              "--iterations");
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

static void set_document(const aie_result *r, pf_findings *f)
{
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, o, PF_STR("schema_version"), 1);
    pf_node_add_text(f, o, PF_STR("pass"), PF_STR("aie"));
    pf_node_add_text(f, o, PF_STR("input_path"), (pf_str){r->ctx->input_path, strlen(r->ctx->input_path)});
    pf_pass_add_parameters(r->pass, r->ctx->values, f, pf_node_add(f, o, PF_STR("parameters"), PF_NODE_OBJECT));
    pf_node *cores = pf_node_add(f, o, PF_STR("cores"), PF_NODE_LIST);
    for (size_t i = 0; i < r->cores->count; i++) {
        add_core(r, &r->cores->core[i], f, pf_node_add(f, cores, in_list, PF_NODE_OBJECT));
    }
    pf_aie_fill_aggregate(f, pf_node_add(f, o, PF_STR("aggregate"), PF_NODE_OBJECT), r);
    pf_aie_fill_quality(f, pf_node_add(f, o, PF_STR("quality"), PF_NODE_LIST), r);
    pf_findings_set_summary(f, o);
}

void pf_aie_summarise(const aie_result *r, pf_findings *f)
{
    if (r->cores->count) {
        show_cores(r, f);
        show_system(r, f);
        show_quality(r, f);
    }
    show_duplicates(r, f);
    show_notes(r, f);
    set_document(r, f);
}
