/* analyze/aie/aie_tables.c - the report tables of `analyze aie`, for thresholds in SQL, and the short ones on the
 * terminal: what every core did in all its iterations and on average in the measured ones, all cores together, and the
 * quality of the recording; then what cannot be trusted. */
#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

#define INT PF_INT_COLUMN
#define COUNT(name) PF_INT_COLUMN(name, "")
#define TEXT PF_TEXT_COLUMN
#define DIGITS PF_REAL_COLUMN
#define REAL(name, unit) PF_REAL_COLUMN(name, -1, unit)

/* The columns of MEAN_CELLS, and of an iteration likewise. */
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

/* By title. */
enum { SHOWN_CORES, SHOWN_MEANS, SHOWN_SYSTEM, SHOWN_QUALITY };
static const pf_pass_table shown[] = {
    [SHOWN_CORES] = PF_PASS_TABLE("Cores, all iterations", "", TEXT("Tile"), COUNT("Kernels"), COUNT("With nearest"),
                                  COUNT("Iterations"), DIGITS("Median", 1, "cycles")),
    [SHOWN_MEANS] =
        PF_PASS_TABLE("Cores, means over the perf iterations", "", TEXT("Tile"), DIGITS("Mean", 3, "GMAC/s"),
                      DIGITS("Utilisation", 2, "%"), DIGITS("Stalled", 2, "%"), DIGITS("Vector", 2, "%")),
    [SHOWN_SYSTEM] =
        PF_PASS_TABLE("All cores together", "", COUNT("Common iterations"), DIGITS("Mean runtime", 1, "cycles"),
                      DIGITS("Mean", 3, "GMAC/s"), COUNT("Best iteration"), DIGITS("Best", 3, "GMAC/s"),
                      COUNT("Worst iteration"), DIGITS("Worst", 3, "GMAC/s")),
    [SHOWN_QUALITY] = PF_PASS_TABLE("Quality of the recording", "", TEXT("Tile"), COUNT("Open intervals"),
                                    COUNT("Lost entries"), COUNT("Lost exits"), COUNT("Duplicate entries"),
                                    COUNT("Duplicate exits"), COUNT("Discarded pairs")),
};

/* ---- means ------------------------------------------------------------------------------------------------------- */

/* Means over the perf window of one core: plain means of rates, lengths weighted by span or kernel time for shares. */
typedef struct aie_means {
    size_t count; /* iterations with kernels */
    double gmacs_per_second, utilisation_percent, stalled_percent, vector_percent;
} aie_means;

static aie_means means_of(const aie_core *c)
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

/* Their cells in tables: GMAC/s, utilisation, stalled, vector. */
#define MEAN_CELLS(m)                                                                                                  \
    pf_cell_real_if((m)->count, (m)->gmacs_per_second), pf_cell_real_if((m)->count, (m)->utilisation_percent),         \
        pf_cell_real_if((m)->count, (m)->stalled_percent), pf_cell_real_if((m)->count, (m)->vector_percent)

/* ---- on the terminal --------------------------------------------------------------------------------------------- */

static pf_table_builder *new_table(const aie_result *r, pf_findings *f, size_t which)
{
    const pf_pass_table *t = &shown[which];
    pf_str title = pf_str_of(t->name);
    title = r->name.len ? pf_findings_format(f, "%.*s: %s", PF_TEXT_ARG(r->name), t->name) : title;
    return pf_table_new(f, title, t->columns, t->column_count);
}

static void show_cores(const aie_result *r, pf_findings *f)
{
    pf_table_builder *all = new_table(r, f, SHOWN_CORES), *means = new_table(r, f, SHOWN_MEANS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const aie_means m = means_of(c);
        PF_TABLE_ROW(f, all, pf_cell_text(c->tile), pf_cell_count(c->kernel_count), pf_cell_count(c->nearest_count),
                     pf_cell_count(c->iteration_count), pf_cell_real_if(c->kernel_count, c->median.value));
        PF_TABLE_ROW(f, means, pf_cell_text(c->tile), MEAN_CELLS(&m));
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
    pf_table_builder *t = new_table(r, f, SHOWN_SYSTEM);
    PF_TABLE_ROW(f, t, pf_cell_count(a->count), pf_cell_real_if(true, a->average_runtime),
                 pf_cell_real_if(true, a->average_gmacs_per_second), pf_cell_count(best->index),
                 pf_cell_real_if(true, best->gmacs_per_second), pf_cell_count(worst->index),
                 pf_cell_real_if(true, worst->gmacs_per_second));
    pf_findings_show_table(f, t);
}

static void show_quality(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = new_table(r, f, SHOWN_QUALITY);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        PF_TABLE_ROW(f, t, pf_cell_text(c->tile), pf_cell_count(c->open_intervals),
                     pf_cell_count(c->pairing.lost_entries), pf_cell_count(c->pairing.lost_exits),
                     pf_cell_count(c->pairing.duplicate_entries), pf_cell_count(c->pairing.duplicate_exits),
                     pf_cell_count(c->discarded_pairs));
    }
    pf_findings_show_table(f, t);
}

/* Lines of one kind about single cores; a trace may have thousands. */
#define MOST_LINES 8

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

void pf_aie_show(const aie_result *r, pf_findings *f)
{
    if (r->cores->count) {
        show_cores(r, f);
        show_system(r, f);
        show_quality(r, f);
    }
    show_warnings(r, f);
}

/* ---- for SQL ----------------------------------------------------------------------------------------------------- */

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
        const aie_means m = means_of(c);
        PF_TABLE_ROW(f, tables[AIE_TABLE_CORES], pf_cell_text(c->tile), pf_cell_count(c->kernel_count),
                     pf_cell_count(c->iteration_count), pf_cell_real_if(c->kernel_count, c->median.value),
                     MEAN_CELLS(&m), pf_cell_text(input));
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
