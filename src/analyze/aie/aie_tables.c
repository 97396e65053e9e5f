/* analyze/aie/aie_tables.c - the report tables of `analyze aie`, for thresholds in SQL and for figures, and the short
 * ones on the terminal: the slowest cores and iterations first, and the quality of the recording; then what cannot be
 * trusted. */
#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "postfetto/figure.h"

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
    [AIE_TABLE_SYSTEM] =
        PF_PASS_TABLE("aie_system", "an iteration that all cores have", INT("iteration", ""), INT("runtime", "cycles"),
                      REAL("gmacs_per_second", "GMAC/s"), INT("skew", "cycles"), TEXT("slowest"), TEXT("input")),
    [AIE_TABLE_WARNINGS] = PF_PASS_TABLE("aie_warnings", "why a number may be wrong; tile NULL: of all cores",
                                         TEXT("tile"), TEXT("kind"), TEXT("text"), TEXT("input")),
    [AIE_TABLE_STALLS] = PF_PASS_TABLE("aie_stalls", "what a core did in its perf iterations: the parts are the whole",
                                       TEXT("tile"), DIGITS("not_stalled", 2, "%"), DIGITS("lock", 2, "%"),
                                       DIGITS("memory", 2, "%"), DIGITS("stream", 2, "%"), DIGITS("cascade", 2, "%"),
                                       DIGITS("several_kinds", 2, "%"), TEXT("input")),
};

/* By title. */
enum { SHOWN_CORES, SHOWN_SYSTEM, SHOWN_QUALITY };
static const pf_pass_table shown[] = {
    [SHOWN_CORES] = PF_PASS_TABLE("Cores, the slowest first; means over the perf iterations", "", TEXT("Tile"),
                                  COUNT("Iterations"), DIGITS("Median", 1, "cycles"), DIGITS("Mean", 3, "GMAC/s"),
                                  DIGITS("Utilisation", 2, "%"), DIGITS("Stalled", 2, "%"), DIGITS("Vector", 2, "%")),
    [SHOWN_SYSTEM] = PF_PASS_TABLE("Iterations of all cores, the slowest first", "", COUNT("Iteration"),
                                   PF_INT_COLUMN("Runtime", "cycles"), DIGITS("Throughput", 3, "GMAC/s"),
                                   PF_INT_COLUMN("Skew", "cycles"), TEXT("Slowest tile")),
    [SHOWN_QUALITY] = PF_PASS_TABLE("Quality of the recording, the worst first", "", TEXT("Tile"), COUNT("Kernels"),
                                    COUNT("Nearest"), COUNT("Open"), COUNT("Entries lost"), COUNT("Exits lost"),
                                    COUNT("Entries twice"), COUNT("Exits twice"), COUNT("Discarded"), COUNT("Faults")),
};

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

#define QUALITY_COLUMNS "Tile,Kernels,Nearest,Open,Entries lost,Exits lost,Entries twice,Exits twice,Discarded"

static pf_table_builder *new_table(pf_findings *f, size_t which)
{
    const pf_pass_table *t = &shown[which];
    return pf_table_new(f, (pf_str){NULL, 0}, t->columns, t->column_count);
}

/* Shows the rows by a column of numbers. */
static void show_sorted(const aie_result *r, pf_findings *f, const pf_table_builder *t, size_t which, const char *by,
                        bool least_first)
{
    pf_str title = pf_str_of(shown[which].name);
    title = r->name.len ? pf_findings_format(f, "%.*s: %.*s", PF_TEXT_ARG(r->name), PF_TEXT_ARG(title)) : title;
    const pf_table_builder *made = pf_pass_sorted(f, t, by, least_first, title);
    if (made) {
        pf_findings_show_columns(f, made, which == SHOWN_QUALITY ? QUALITY_COLUMNS : NULL);
    }
}

static void show_cores(const aie_result *r, pf_findings *f)
{
    pf_table_builder *cores = new_table(f, SHOWN_CORES);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const aie_means m = means_of(c);
        PF_TABLE_ROW(f, cores, pf_cell_text(c->tile), pf_cell_count(c->iteration_count),
                     pf_cell_real_if(c->kernel_count, c->median.value), MEAN_CELLS(&m));
    }
    show_sorted(r, f, cores, SHOWN_CORES, "Mean", true);
}

static uint64_t skew_of(const aie_common *c)
{
    return pf_interval_length((pf_interval){c->start, c->end}) - c->runtime;
}

static void show_system(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = new_table(f, SHOWN_SYSTEM);
    for (size_t i = 0; i < r->aggregate->count; i++) {
        const aie_common *c = &r->aggregate->iteration[i];
        PF_TABLE_ROW(f, t, pf_cell_count(c->index), pf_cell_count(c->runtime),
                     pf_cell_real_if(true, c->gmacs_per_second), pf_cell_int_if(c->drawn, (int64_t)skew_of(c)),
                     pf_cell_text(c->drawn ? c->slowest->tile : (pf_str){NULL, 0}));
    }
    show_sorted(r, f, t, SHOWN_SYSTEM, "Runtime", false);
}

static void show_quality(const aie_result *r, pf_findings *f)
{
    pf_table_builder *t = new_table(f, SHOWN_QUALITY);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        const pf_pair_counts *n = &c->pairing;
        PF_TABLE_ROW(f, t, pf_cell_text(c->tile), pf_cell_count(c->kernel_count), pf_cell_count(c->nearest_count),
                     pf_cell_count(c->open_intervals), pf_cell_count(n->lost_entries), pf_cell_count(n->lost_exits),
                     pf_cell_count(n->duplicate_entries), pf_cell_count(n->duplicate_exits),
                     pf_cell_count(c->discarded_pairs),
                     pf_cell_count(n->lost_entries + n->lost_exits + n->duplicate_entries + n->duplicate_exits +
                                   c->open_intervals + c->discarded_pairs));
    }
    show_sorted(r, f, t, SHOWN_QUALITY, "Faults", false);
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

/* The kind that covers most of a core's perf iterations. */
static unsigned main_stall(const aie_core *c)
{
    double sum[AIE_STALL_KINDS] = {0};
    unsigned most = 0;
    for (size_t i = c->perf_start; i < c->perf_end; i++) {
        for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
            sum[k] += c->iterations[i].stalled.percent[k] * (double)c->iterations[i].span;
        }
    }
    for (unsigned k = 1; k < AIE_STALL_KINDS; k++) {
        most = sum[k] > sum[most] ? k : most;
    }
    return most;
}

/* The slowest core by its mean, and plain means over all; NULL: none has a perf iteration. */
static const aie_core *find_slowest(const aie_cores *cores, aie_means *slowest, aie_means *all)
{
    const aie_core *found = NULL;
    *all = (aie_means){0};
    for (size_t i = 0; i < cores->count; i++) {
        const aie_means m = means_of(&cores->core[i]);
        if (m.count && (!found || m.gmacs_per_second < slowest->gmacs_per_second)) {
            found = &cores->core[i];
            *slowest = m;
        }
        all->count += m.count > 0;
        all->utilisation_percent += m.utilisation_percent;
        all->stalled_percent += m.stalled_percent;
    }
    return found;
}

/* What came out, in a sentence and three numbers. */
static void show_headline(const aie_result *r, pf_findings *f)
{
    const aie_aggregate *a = r->aggregate;
    aie_means slow, all;
    const aie_core *slowest = find_slowest(r->cores, &slow, &all);
    if (!slowest || a->count == 0) {
        pf_findings_set_headline(f, "%zu core%s of an AI Engine; no perf iteration is present on all of them",
                                 r->cores->count, r->cores->count == 1 ? "" : "s");
        return;
    }
    bool stalls = slow.stalled_percent >= 0.05;
    pf_str kind = stalls ? aie_stall_name(main_stall(slowest)) : (pf_str){"", 0};
    const char *mean = pf_pass_fixed(f, a->average_gmacs_per_second, 1, "");
    pf_findings_set_headline(
        f,
        "%zu core%s ran %zu iteration%s at %s GMAC/s on average (best %s, worst %s); the slowest is %.*s, "
        "stalled %s %% of the time%s%.*s",
        r->cores->count, r->cores->count == 1 ? "" : "s", a->count, a->count == 1 ? "" : "s", mean,
        pf_pass_fixed(f, a->iteration[a->best].gmacs_per_second, 1, ""),
        pf_pass_fixed(f, a->iteration[a->worst].gmacs_per_second, 1, ""), PF_TEXT_ARG(slowest->tile),
        pf_pass_fixed(f, slow.stalled_percent, 1, ""), stalls ? ", mostly by " : "", PF_TEXT_ARG(kind));
    pf_findings_add_highlight(f, "throughput", "%s GMAC/s", mean);
    pf_findings_add_highlight(f, "mean utilisation", "%s",
                              pf_pass_fixed(f, all.utilisation_percent / (double)all.count, 1, " %"));
    pf_findings_add_highlight(f, "mean time stalled", "%s",
                              pf_pass_fixed(f, all.stalled_percent / (double)all.count, 1, " %"));
}

void pf_aie_show(const aie_result *r, pf_findings *f)
{
    if (r->cores->count) {
        if (!r->name.len) {
            show_headline(r, f);
        }
        show_cores(r, f);
        show_system(r, f);
        show_quality(r, f);
    }
    show_warnings(r, f);
}

void pf_aie_new_tables(pf_findings *f, pf_table_builder *out[AIE_TABLES])
{
    for (size_t i = 0; i < AIE_TABLES; i++) {
        const pf_pass_table *t = &pf_aie_tables[i];
        out[i] = pf_table_new_named(f, t->name, pf_str_of(t->help), t->columns, t->column_count);
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

/* Shares of the time in perf iterations: without a stall, with one of each kind alone, with several at once. */
static void add_stalls(pf_findings *f, pf_table_builder *t, const aie_core *c, pf_str input)
{
    enum { SEVERAL = 1 + AIE_STALL_KINDS, PARTS };
    double part[PARTS] = {0}, all = 0;
    size_t next[AIE_STALL_KINDS] = {0};
    for (size_t i = c->perf_start; i < c->perf_end; i++) {
        const aie_iteration *it = &c->iterations[i];
        unsigned set = 0;
        int64_t until;
        for (int64_t now = it->first_start; now < it->last_end; now = until) {
            if (!pf_aie_stalled_at(c, now, next, &set, &until) || until > it->last_end) {
                until = it->last_end;
            }
            bool one = set && !(set & (set - 1));
            part[set == 0 ? 0
                 : one    ? 1 + __builtin_ctz(set)
                          : SEVERAL] += (double)pf_interval_length((pf_interval){now, until});
        }
    }
    for (size_t i = 0; i < PARTS; i++) {
        all += part[i];
    }
#define PART(i) pf_cell_real_if(all > 0, 100 * part[i] / all)
    PF_TABLE_ROW(f, t, pf_cell_text(c->tile), PART(0), PART(1 + AIE_LOCK), PART(1 + AIE_MEMORY), PART(1 + AIE_STREAM),
                 PART(1 + AIE_CASCADE), PART(SEVERAL), pf_cell_text(input));
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
        add_stalls(f, tables[AIE_TABLE_STALLS], c, input);
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_iteration(f, tables[AIE_TABLE_ITERATIONS], c, k, input);
        }
    }
    for (size_t i = 0; i < r->aggregate->count; i++) {
        const aie_common *common = &r->aggregate->iteration[i];
        PF_TABLE_ROW(f, tables[AIE_TABLE_SYSTEM], pf_cell_count(common->index), pf_cell_count(common->runtime),
                     pf_cell_real_if(true, common->gmacs_per_second),
                     pf_cell_int_if(common->drawn, (int64_t)skew_of(common)),
                     pf_cell_text(common->drawn ? common->slowest->tile : (pf_str){NULL, 0}), pf_cell_text(input));
    }
    for (size_t i = 0; i < r->warnings->count; i++) {
        const aie_warning *w = &r->warnings->list[i];
        PF_TABLE_ROW(f, tables[AIE_TABLE_WARNINGS], pf_cell_text(w->core ? w->core->tile : (pf_str){NULL, 0}),
                     pf_cell_text(pf_str_of(w->kind)), pf_cell_text(w->text), pf_cell_text(input));
    }
}

enum { MOST_LANES = 200, MOST_MARKS = 2000 };

void pf_aie_add_figures(pf_findings *f, pf_table_builder *const tables[AIE_TABLES], bool several)
{
    const char *panel = several ? "input" : NULL;
    const pf_figure figures[] = {
        {.name = "aie_throughput",
         .kind = PF_FIGURE_HEAT_MAP,
         .title = PF_STR("Throughput of tiles in each iteration"),
         .note = PF_STR("A tile that is slow in all iterations, or an iteration that is slow on all tiles, is a line."),
         .table = tables[AIE_TABLE_ITERATIONS],
         .label = "tile",
         .from = "iteration",
         .values = "gmacs_per_second",
         .tip = "phase,span,stalled_percent",
         .rows = MOST_LANES},
        {.name = "aie_stalls",
         .kind = PF_FIGURE_STACKED,
         .title = PF_STR("What tiles did in their perf iterations"),
         .note =
             PF_STR("Stalls of one kind alone; where several kinds last at the same time, that is a part of its own."),
         .table = tables[AIE_TABLE_STALLS],
         .label = "tile",
         .values = "not_stalled,lock,memory,stream,cascade,several_kinds",
         .value_names = "not stalled,LOCK,MEMORY,STREAM,CASCADE,several kinds",
         .meanings = "compute,lock,memory,stream,communication,other",
         .most = 100,
         .rows = MOST_LANES},
        {.name = "aie_over_time",
         .kind = PF_FIGURE_STRIP,
         .title = PF_STR("Throughput of tiles over time"),
         .table = tables[AIE_TABLE_ITERATIONS],
         .label = "tile",
         .from = "start",
         .to = "end",
         .values = "gmacs_per_second",
         .tip = "iteration,phase",
         .rows = MOST_MARKS},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        pf_figure figure = figures[i];
        figure.panel = panel;
        pf_pass_figure(f, &figure);
    }
}
