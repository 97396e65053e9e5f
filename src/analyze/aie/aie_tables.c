/* analyze/aie/aie_tables.c - the report tables of `analyze aie`, for thresholds in SQL. */
#include "analyze/aie/aie.h"
#include "base/str.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN
#define REAL(name, unit) PF_REAL_COLUMN(name, -1, unit)

/* The columns of AIE_MEANS, and of an iteration likewise. */
#define MEANS                                                                                                          \
    REAL("gmacs_per_second", "GMAC/s"), REAL("utilisation_percent", "%"), REAL("stalled_percent", "%"),                \
        REAL("vector_percent", "%")

const pf_pass_table pf_aie_tables[AIE_TABLES] = {
    [AIE_TABLE_CORES] =
        PF_PASS_TABLE("aie_cores", "a core, with means over its perf iterations", TEXT("tile"), INT("kernels", ""),
                      INT("iterations", ""), REAL("median_cycles", "cycles"), MEANS, TEXT("input")),
    [AIE_TABLE_ITERATIONS] = PF_PASS_TABLE("aie_iterations", "an iteration of a core; NULL where it has no kernels",
                                           TEXT("tile"), INT("iteration", ""), TEXT("phase"), INT("kernels", ""),
                                           INT("start", "cycles"), INT("end", "cycles"), INT("span", "cycles"),
                                           REAL("average_cycles", "cycles"), MEANS, TEXT("input")),
    [AIE_TABLE_SYSTEM] = PF_PASS_TABLE("aie_system", "an iteration that all cores have", INT("iteration", ""),
                                       INT("runtime", "cycles"), REAL("gmacs_per_second", "GMAC/s")),
    [AIE_TABLE_WARNINGS] = PF_PASS_TABLE("aie_warnings", "why a number may be wrong; tile NULL: of all cores",
                                         TEXT("tile"), TEXT("kind"), TEXT("text"), TEXT("input")),
};

void pf_aie_new_tables(pf_findings *f, pf_table_builder *out[AIE_TABLES])
{
    for (size_t i = 0; i < AIE_TABLES; i++) {
        const pf_pass_table *t = &pf_aie_tables[i];
        out[i] = pf_table_new_named(f, t->name, (pf_str){NULL, 0}, t->columns, t->column_count);
    }
}

static void add_iteration(pf_findings *f, pf_table_builder *t, const aie_core *c, size_t i, pf_str input)
{
    const aie_iteration *it = &c->iterations[i];
    bool any = it->calls.count > 0;
    PF_TABLE_ROW(f, t, pf_cell_text(c->tile), pf_cell_count(i), pf_cell_text(aie_phase(c, i)),
                 pf_cell_count(it->calls.count), pf_cell_int_if(any, it->first_start),
                 pf_cell_int_if(any, it->last_end), pf_cell_int_if(any, pf_cell_count(it->span).as.i),
                 pf_cell_real_if(any, it->average), pf_cell_real_if(any, it->gmacs_per_second),
                 pf_cell_real_if(any, it->utilisation_percent),
                 pf_cell_real_if(any, it->stalled.percent[AIE_ANY_STALL]), pf_cell_real_if(any, it->vector_percent),
                 pf_cell_text(input));
}

void pf_aie_tabulate(const aie_result *r, pf_findings *f, pf_table_builder *const tables[AIE_TABLES])
{
    const pf_str input = pf_str_of(r->ctx->input_path);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const aie_means m = pf_aie_means_of(c);
        PF_TABLE_ROW(f, tables[AIE_TABLE_CORES], pf_cell_text(c->tile), pf_cell_count(c->kernel_count),
                     pf_cell_count(c->iteration_count), pf_cell_real_if(c->kernel_count, c->median.value),
                     AIE_MEANS(&m), pf_cell_text(input));
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_iteration(f, tables[AIE_TABLE_ITERATIONS], c, k, input);
        }
    }
    for (size_t i = 0; i < r->aggregate->count; i++) {
        const aie_common *common = &r->aggregate->iteration[i];
        PF_TABLE_ROW(f, tables[AIE_TABLE_SYSTEM], pf_cell_count(common->index), pf_cell_count(common->runtime),
                     pf_cell_real_if(true, common->gmacs_per_second));
    }
    for (size_t i = 0; i < r->warnings->count; i++) {
        const aie_warning *w = &r->warnings->list[i];
        PF_TABLE_ROW(f, tables[AIE_TABLE_WARNINGS], pf_cell_text(w->core ? w->core->tile : (pf_str){NULL, 0}),
                     pf_cell_text(pf_str_of(w->kind)), pf_cell_text(w->text), pf_cell_text(input));
    }
}
