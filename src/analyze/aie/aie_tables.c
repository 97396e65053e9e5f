/* analyze/aie/aie_tables.c - the report tables of `analyze aie`, for thresholds in SQL. */
#include "analyze/aie/aie_steps.h"
#include "base/str.h"

static const pf_column core_columns[] = {
    {"tile", PF_CELL_TEXT, 0, ""},
    {"kernels", PF_CELL_INT, 0, ""},
    {"iterations", PF_CELL_INT, 0, ""},
    {"median_cycles", PF_CELL_REAL, -1, "cycles"},
    {"gmacs_per_second", PF_CELL_REAL, -1, "GMAC/s"},
    {"utilisation_percent", PF_CELL_REAL, -1, "%"},
    {"stalled_percent", PF_CELL_REAL, -1, "%"},
    {"vector_percent", PF_CELL_REAL, -1, "%"},
    {"input", PF_CELL_TEXT, 0, ""},
};
enum { CORE_COLUMNS = sizeof core_columns / sizeof core_columns[0] };

static const pf_column iteration_columns[] = {
    {"tile", PF_CELL_TEXT, 0, ""},
    {"iteration", PF_CELL_INT, 0, ""},
    {"phase", PF_CELL_TEXT, 0, ""},
    {"kernels", PF_CELL_INT, 0, ""},
    {"start", PF_CELL_INT, 0, "cycles"},
    {"end", PF_CELL_INT, 0, "cycles"},
    {"span", PF_CELL_INT, 0, "cycles"},
    {"average_cycles", PF_CELL_REAL, -1, "cycles"},
    {"gmacs_per_second", PF_CELL_REAL, -1, "GMAC/s"},
    {"utilisation_percent", PF_CELL_REAL, -1, "%"},
    {"stalled_percent", PF_CELL_REAL, -1, "%"},
    {"vector_percent", PF_CELL_REAL, -1, "%"},
    {"input", PF_CELL_TEXT, 0, ""},
};
enum { ITERATION_COLUMNS = sizeof iteration_columns / sizeof iteration_columns[0] };

static const pf_column system_columns[] = {
    {"iteration", PF_CELL_INT, 0, ""},
    {"runtime", PF_CELL_INT, 0, "cycles"},
    {"gmacs_per_second", PF_CELL_REAL, -1, "GMAC/s"},
};
enum { SYSTEM_COLUMNS = sizeof system_columns / sizeof system_columns[0] };

static const pf_column warning_columns[] = {
    {"tile", PF_CELL_TEXT, 0, ""},
    {"kind", PF_CELL_TEXT, 0, ""},
    {"text", PF_CELL_TEXT, 0, ""},
    {"input", PF_CELL_TEXT, 0, ""},
};
enum { WARNING_COLUMNS = sizeof warning_columns / sizeof warning_columns[0] };

const pf_pass_table pf_aie_tables[AIE_TABLES] = {
    {"aie_cores", "a core, with means over its perf iterations", core_columns, CORE_COLUMNS},
    {"aie_iterations", "an iteration of a core; NULL where it has no kernels", iteration_columns, ITERATION_COLUMNS},
    {"aie_system", "an iteration that all cores have", system_columns, SYSTEM_COLUMNS},
    {"aie_warnings", "why a number may be wrong; tile NULL: of all cores", warning_columns, WARNING_COLUMNS},
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
    const pf_cell row[ITERATION_COLUMNS] = {
        {.as.s = c->tile},
        pf_cell_count(i),
        {.as.s = aie_phase(c, i)},
        pf_cell_count(it->calls.count),
        {.null = !any, .as.i = it->first_start},
        {.null = !any, .as.i = it->last_end},
        {.null = !any, .as.i = pf_cell_count(it->span).as.i},
        pf_cell_real_if(any, it->average),
        pf_cell_real_if(any, it->gmacs_per_second),
        pf_cell_real_if(any, it->utilisation_percent),
        pf_cell_real_if(any, it->stalled.percent[AIE_ANY_STALL]),
        pf_cell_real_if(any, it->vector_percent),
        {.as.s = input},
    };
    pf_table_row(f, t, row);
}

void pf_aie_tabulate(const aie_result *r, pf_findings *f, pf_table_builder *const tables[AIE_TABLES])
{
    const pf_str input = pf_str_of(r->ctx->input_path);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        aie_means m = pf_aie_means_of(c);
        const pf_cell row[CORE_COLUMNS] = {
            {.as.s = c->tile},
            pf_cell_count(c->kernel_count),
            pf_cell_count(c->iteration_count),
            pf_cell_real_if(c->kernel_count, c->median.value),
            pf_cell_real_if(m.count, m.gmacs_per_second),
            pf_cell_real_if(m.count, m.utilisation_percent),
            pf_cell_real_if(m.count, m.stalled_percent),
            pf_cell_real_if(m.count, m.vector_percent),
            {.as.s = input},
        };
        pf_table_row(f, tables[0], row);
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_iteration(f, tables[1], c, k, input);
        }
    }
    for (size_t i = 0; i < r->aggregate->count; i++) {
        const aie_common *common = &r->aggregate->iteration[i];
        const pf_cell row[SYSTEM_COLUMNS] = {pf_cell_count(common->index), pf_cell_count(common->runtime),
                                             pf_cell_real_if(true, common->gmacs_per_second)};
        pf_table_row(f, tables[2], row);
    }
    for (size_t i = 0; i < r->warnings->count; i++) {
        const aie_warning *w = &r->warnings->list[i];
        const pf_cell row[WARNING_COLUMNS] = {{.null = !w->core, .as.s = w->core ? w->core->tile : input},
                                              {.as.s = pf_str_of(w->kind)},
                                              {.as.s = w->text},
                                              {.as.s = input}};
        pf_table_row(f, tables[3], row);
    }
}
