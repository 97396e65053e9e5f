/* analyze/neutrino/draw/run_figures.c - figures of trees of runs: slowdown, registers, memory, exposed latency; and of
 * the launches of all logs. */
#include <math.h>

#include "analyze/neutrino/draw/figures.h"
#include "analyze/support/pass_memory.h"
#include "analyze/support/pass_tables.h"

void pf_neutrino_add_figure(const neutrino_run *n, const neutrino_records *r, pf_figure *figure)
{
    if (r && r->nth >= NEUTRINO_FIGURES) {
        return;
    }
    pf_str name = pf_neutrino_stem(n, figure->name, r), of = r && r->kernel.len ? r->kernel : r ? r->file : name;
    if (r && r->of_kind > 1) {
        figure->title = pf_findings_format(n->f, "%.*s: %.*s", PF_TEXT_ARG(figure->title), PF_TEXT_ARG(of));
    }
    figure->name = name.ptr;
    pf_findings_add_figure(n->f, figure);
}

void pf_neutrino_run_figures(neutrino_run *n)
{
    static const pf_figure figures[] = {
        {.name = "slowdown",
         .kind = PF_FIGURE_BARS,
         .title = {"Slowdown by probes", 18},
         .label = "probe",
         .panel = "op",
         .values = "total_slowdown",
         .meanings = "slower",
         .tip = "launches,impact_geomean,impact_max",
         .unit = {"x", 1},
         .mark = 1,
         .mark_name = {"as fast as without probes", 25}},
        {.name = "registers",
         .kind = PF_FIGURE_STACKED,
         .title = {"Registers of kernels, and those that probes add", 47},
         .label = "kernel",
         .panel = "probe",
         .values = "pruned,extra",
         .value_names = "without probes,added by probes",
         .meanings = "compute,slower",
         .tip = "op,probed"},
        {.name = "max_mem",
         .kind = PF_FIGURE_STACKED,
         .title = {"Largest memory of models, and of their probes", 45},
         .label = "test",
         .panel = "model",
         .values = "original,probe",
         .value_names = "without probes,of probes",
         .meanings = "memory,slower"},
    };
    static const unsigned tables[] = {NEUTRINO_TABLE_OVERHEAD, NEUTRINO_TABLE_REGISTERS, NEUTRINO_TABLE_MAX_MEM};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        pf_figure figure = figures[i];
        figure.table = n->tables[tables[i]] ? pf_neutrino_ranked(n, tables[i]) : NULL;
        if (figure.table) {
            pf_findings_add_figure(n->f, &figure);
        }
    }
}

void pf_neutrino_kernel_figure(neutrino_run *n)
{
    const pf_table *t = pf_table_view(n->tables[NEUTRINO_TABLE_KERNELS]);
    if (t && t->row_count && pf_pass_number(t, 0, "measured") > 0) {
        pf_findings_add_figure(n->f, &(pf_figure){.name = "kernels",
                                                  .kind = PF_FIGURE_STACKED,
                                                  .title = PF_STR("Time of launches by kernel"),
                                                  .table = n->tables[NEUTRINO_TABLE_KERNELS],
                                                  .label = "kernel",
                                                  .values = "prologue_ms,kernel_ms,epilogue_ms",
                                                  .value_names = "prologue,kernel,epilogue",
                                                  .meanings = "launch,compute,sync",
                                                  .tip = "launches,measured"});
    }
}

static const pf_column latency_columns[] = {PF_TEXT_COLUMN("bar"), PF_REAL_COLUMN("prologue", 4, "x"),
                                            PF_REAL_COLUMN("kernel", 4, "x"), PF_REAL_COLUMN("epilogue", 4, "x"),
                                            PF_REAL_COLUMN("nsight_compute", 4, "x")};

static pf_cell ratio(double v, double original)
{
    double x = v / original;
    return pf_cell_real_if(isfinite(x) && x >= 0, x);
}

/* Two bars for each probe. */
static void add_bars(neutrino_run *n, pf_table_builder *t, uint32_t row)
{
    const neutrino_latencies *v = &n->latencies;
    double original = v->original[row];
    pf_str probe = pf_neutrino_string(n, v->probe, row);
    pf_cell parts[3];
    for (unsigned i = 0; i < 3; i++) {
        parts[i] = ratio(v->part[i][row], original);
    }
    if (parts[0].null || parts[1].null || parts[2].null || !isfinite(v->neutrino[row] / original)) {
        return;
    }
    PF_TABLE_ROW(n->f, t, pf_cell_text(probe), parts[2], parts[1], parts[0], {.null = true});
    PF_TABLE_ROW(n->f, t, pf_cell_text(pf_findings_format(n->f, "%.*s, Nsight Compute", PF_TEXT_ARG(probe))),
                 {.null = true}, {.null = true}, {.null = true}, ratio(v->ncu[row], original));
}

void pf_neutrino_latency_figure(neutrino_run *n, const neutrino_group *g)
{
    if (g->r.nth >= NEUTRINO_FIGURES) {
        return;
    }
    pf_table_builder *t = pf_table_new(n->f, PF_STR("exposed latency in multiples of the time without probes"),
                                       latency_columns, sizeof latency_columns / sizeof *latency_columns);
    for (uint32_t i = g->first; i < g->past; i++) {
        add_bars(n, t, i);
    }
    if (t && pf_table_rows(t)) {
        pf_neutrino_add_figure(n, &g->r,
                               &(pf_figure){.name = "exposed_latency",
                                            .kind = PF_FIGURE_STACKED,
                                            .title = PF_STR("Exposed latency of probes"),
                                            .note = PF_STR("Multiples of the time without probes; of Neutrino's the "
                                                           "parts, of Nsight Compute's the whole."),
                                            .table = t,
                                            .label = "bar",
                                            .values = "prologue,kernel,epilogue,nsight_compute",
                                            .value_names = "prologue,kernel,epilogue,Nsight Compute",
                                            .meanings = "launch,compute,sync,other",
                                            .mark = 1,
                                            .mark_name = PF_STR("as long as without probes"),
                                            .png = true});
    }
}
