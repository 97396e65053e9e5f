/* analyze/aie/aie_summary.c - what a person sees on the terminal, and the document of `analyze aie --json`.
 *
 * The terminal gets short tables: what every core did in all its iterations and on average in the measured ones, all
 * cores together, and the quality of the recording; then what cannot be trusted. Everything per iteration is in the
 * document.
 */
#include <string.h>

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* Lines of one kind about single cores; a trace may have thousands. */
#define MOST_LINES 8

/* ---- tables ------------------------------------------------------------------------------------------------------ */

#define INT(name) PF_INT_COLUMN(name, "")
#define TEXT PF_TEXT_COLUMN
#define REAL PF_REAL_COLUMN

/* By title. */
enum { SHOWN_CORES, SHOWN_MEANS, SHOWN_SYSTEM, SHOWN_QUALITY };
static const pf_pass_table shown[] = {
    [SHOWN_CORES] = PF_PASS_TABLE("Cores, all iterations", "", TEXT("Tile"), INT("Kernels"), INT("With nearest"),
                                  INT("Iterations"), REAL("Median", 1, "cycles")),
    [SHOWN_MEANS] = PF_PASS_TABLE("Cores, means over the perf iterations", "", TEXT("Tile"), REAL("Mean", 3, "GMAC/s"),
                                  REAL("Utilisation", 2, "%"), REAL("Stalled", 2, "%"), REAL("Vector", 2, "%")),
    [SHOWN_SYSTEM] = PF_PASS_TABLE("All cores together", "", INT("Common iterations"),
                                   REAL("Mean runtime", 1, "cycles"), REAL("Mean", 3, "GMAC/s"), INT("Best iteration"),
                                   REAL("Best", 3, "GMAC/s"), INT("Worst iteration"), REAL("Worst", 3, "GMAC/s")),
    [SHOWN_QUALITY] =
        PF_PASS_TABLE("Quality of the recording", "", TEXT("Tile"), INT("Open intervals"), INT("Lost entries"),
                      INT("Lost exits"), INT("Duplicate entries"), INT("Duplicate exits"), INT("Discarded pairs")),
};

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
        const aie_means m = pf_aie_means_of(c);
        PF_TABLE_ROW(f, all, pf_cell_text(c->tile), pf_cell_count(c->kernel_count), pf_cell_count(c->nearest_count),
                     pf_cell_count(c->iteration_count), pf_cell_real_if(c->kernel_count, c->median.value));
        PF_TABLE_ROW(f, means, pf_cell_text(c->tile), AIE_MEANS(&m));
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

void pf_aie_fill_document(const aie_result *r, pf_findings *f, pf_node *o)
{
    pf_node_add_text(f, o, PF_STR("input_path"), pf_str_of(r->ctx->input_path));
    pf_pass_add_parameters(r->pass, r->ctx->values, f, pf_node_add(f, o, PF_STR("parameters"), PF_NODE_OBJECT));
    pf_node *cores = pf_node_add(f, o, PF_STR("cores"), PF_NODE_LIST);
    for (size_t i = 0; i < r->cores->count; i++) {
        pf_aie_add_core(f, pf_node_add(f, cores, (pf_str){NULL, 0}, PF_NODE_OBJECT), r, &r->cores->core[i], true);
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
