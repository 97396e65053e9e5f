/* analyze/aiu/outputs/aiu_figures.c - what came out, in a sentence and three numbers, and the figures of the page:
 *
 *     collectives of each rank over time, waiting and moving data     a table of parts of stays
 *     power of each rank over time                                    a table of samples, or of means of windows
 *     energy by kernel, categories with their ideal time, ranks       the report tables
 *
 * Times of figures are from the first of what they show on.
 */
#include <inttypes.h>
#include <math.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/support/pass_tables.h"
#include "base/str.h"
#include "postfetto/figure.h"

enum { MOST_MARKS = 2000, MOST_BARS = 20, MOST_RANKS = 64 };

static const char *length_of(aiu_run *run, double us)
{
    pf_findings *f = run->findings;
    return us < 1e3   ? pf_pass_fixed(f, us, 1, " us")
           : us < 1e6 ? pf_pass_fixed(f, us / 1e3, 2, " ms")
                      : pf_pass_fixed(f, us / 1e6, 2, " s");
}

static double sum_of(const pf_table *t, const char *column)
{
    double sum = 0;
    for (size_t i = 0; i < t->row_count; i++) {
        sum += pf_pass_number(t, i, column);
    }
    return sum;
}

static pf_table_builder *table_of(aiu_run *run, const pf_pass_table *t)
{
    return pf_table_new(run->findings, pf_str_of(t->name), t->columns, t->column_count);
}

/* The kernel that took longest of all; rows are by rank, longest first. "addmm_MatMul takes 55.8 % of that". */
static pf_str largest_kernel(aiu_run *run, const pf_table *kernels)
{
    static const pf_str ending = PF_STR(" Cmpt Exec");
    size_t most = 0;
    for (size_t i = 1; i < kernels->row_count; i++) {
        most = pf_pass_number(kernels, i, "time_us") > pf_pass_number(kernels, most, "time_us") ? i : most;
    }
    pf_str name = kernels->row_count ? pf_pass_text(kernels, most, "kernel") : (pf_str){"", 0};
    double share = kernels->row_count ? pf_pass_number(kernels, most, "share_percent") : 0;
    name.len -= pf_str_ends(name, ending) ? ending.len : 0;
    return pf_findings_format(run->findings, "%.*s takes %s of the kernel time", (int)(name.len < 80 ? name.len : 80),
                              name.ptr, pf_pass_fixed(run->findings, share, 1, " %"));
}

/* The rank that others waited for longest in all collectives, and how long all ranks waited, us. */
static int64_t find_straggler(aiu_run *run, const aiu_collective_costs *costs, double *lost)
{
    double *by_rank = pf_aiu_alloc(run, (size_t)costs->count + 1, sizeof *by_rank), most = 0;
    int64_t straggler = 0;
    pf_map *ranks = pf_aiu_scratch_map(run);
    *lost = 0;
    for (uint32_t i = 0; by_rank && i < costs->count; i++) {
        const aiu_collective_cost *c = &costs->list[i];
        int64_t rank = pf_aiu_straggler(run, c);
        uint32_t number = c->late_known ? pf_aiu_number(run, ranks, (uint64_t)rank) : PF_NONE;
        if (number != PF_NONE) {
            *lost += (double)c->lost / 1e3;
            by_rank[number] += (double)c->lost / 1e3;
            straggler = by_rank[number] > most ? rank : straggler;
            most = fmax(most, by_rank[number]);
        }
    }
    return straggler;
}

void pf_aiu_set_headline(aiu_run *run, const aiu_report_set *set)
{
    pf_findings *f = run->findings;
    const pf_table *ranks = pf_table_view(set->ranks), *kernels = pf_table_view(set->kernels);
    if (!ranks || ranks->row_count == 0 || !kernels) {
        return;
    }
    size_t n = ranks->row_count;
    double elapsed = sum_of(ranks, "elapsed_us"), energy = sum_of(ranks, "energy_mj"), lost;
    double iteration = n == 1 ? pf_pass_number(ranks, 0, "iteration_us") : 0;
    int64_t straggler = find_straggler(run, &set->costs, &lost);
    const char *share = pf_pass_fixed(f, elapsed > 0 ? 100 * sum_of(ranks, "busy_us") / elapsed : 0, 1, " %");
    pf_str more = {"", 0};
    if (lost > 0) {
        more = pf_findings_format(f, "; ranks waited %s in %u collectives, mostly for rank %" PRId64,
                                  length_of(run, lost), set->costs.count, straggler);
        pf_findings_add_highlight(f, "waited in collectives", "%s", length_of(run, lost));
    } else if (iteration > 0) {
        more = pf_findings_format(f, "; an iteration takes %s", length_of(run, iteration));
        pf_findings_add_highlight(f, "an iteration", "%s", length_of(run, iteration));
    }
    pf_findings_set_headline(f, "%zu rank%s %s busy with kernels %s of %s%s; %.*s%.*s", n, n == 1 ? "" : "s",
                             n == 1 ? "was" : "were", share, length_of(run, elapsed / (double)n), n == 1 ? "" : " each",
                             PF_TEXT_ARG(largest_kernel(run, kernels)), PF_TEXT_ARG(more));
    pf_findings_add_highlight(f, "busy", "%s", share);
    if (isfinite(energy)) {
        pf_findings_add_highlight(f, "energy", "%s", pf_pass_fixed(f, energy, 1, " mJ"));
    }
}

static const pf_pass_table stays = PF_PASS_TABLE(
    "Ranks in collectives, waiting and moving data", "", PF_TEXT_COLUMN("rank"), PF_TEXT_COLUMN("collective"),
    PF_TEXT_COLUMN("part"), PF_REAL_COLUMN("from_us", 3, "us"), PF_REAL_COLUMN("to_us", 3, "us"));

/* A rank waits until the last one arrives, where that is known. */
static void add_stay(aiu_run *run, pf_table_builder *t, const aiu_collective_cost *c, const aiu_member *m,
                     int64_t start)
{
    int64_t from = pf_aiu_arrival(run, m), to = pf_aiu_leave(run, m);
    int64_t last = c->late_known && c->last > from && c->last <= to ? c->last : from;
    pf_str rank = pf_findings_format(run->findings, "rank %.*s", PF_TEXT_ARG(pf_aiu_pid_text(run, m->pid)));
    const int64_t ends[] = {from, last, to};
    for (int i = 0; i < 2; i++) {
        if (ends[i + 1] > ends[i]) {
            PF_TABLE_ROW(run->findings, t, pf_cell_text(rank), pf_cell_text(pf_aiu_collective_name(run, c)),
                         pf_cell_text(i ? PF_STR("communication") : PF_STR("waiting")),
                         pf_cell_real((double)(ends[i] - start) / 1e3),
                         pf_cell_real((double)(ends[i + 1] - start) / 1e3));
        }
    }
}

static void draw_stays(aiu_run *run, const aiu_report_set *set)
{
    const aiu_collective_costs *costs = &set->costs;
    pf_table_builder *t = costs->count ? table_of(run, &stays) : NULL;
    for (uint32_t i = 0; t && i < costs->count && pf_table_rows(t) < MOST_MARKS; i++) {
        const aiu_collective_cost *c = &costs->list[i];
        for (uint32_t k = 0; k < c->ranks; k++) {
            add_stay(run, t, c, &run->exchange->members.list[c->first + k], costs->list[0].start);
        }
    }
    if (costs->count) {
        pf_findings_add_figure(
            run->findings, &(pf_figure){.name = "aiu_collectives",
                                        .kind = PF_FIGURE_GANTT,
                                        .title = PF_STR("Collectives of each rank over time"),
                                        .note = PF_STR("Where the others wait, the rank that does not arrived last."),
                                        .table = t,
                                        .label = "rank",
                                        .from = "from_us",
                                        .to = "to_us",
                                        .meaning = "part",
                                        .tip = "collective",
                                        .rows = MOST_MARKS});
    }
}

static const pf_pass_table powers =
    PF_PASS_TABLE("Power of ranks over time", "", PF_TEXT_COLUMN("rank"), PF_REAL_COLUMN("from_us", 3, "us"),
                  PF_REAL_COLUMN("to_us", 3, "us"), PF_REAL_COLUMN("power", 2, "W"));

/* What a rank's samples say until the next one each; where there are too many, means of windows of equal length. */
static void add_power(aiu_run *run, pf_table_builder *t, const aiu_counters *w, const aiu_counter *c, double start,
                      uint32_t most)
{
    const aiu_samples *s = &run->samples;
    const uint32_t *sample = w->order + c->from;
    uint32_t count = c->to - c->from;
    pf_str rank = pf_findings_format(run->findings, "rank %.*s", PF_TEXT_ARG(pf_aiu_pid_text(run, c->pid)));
    double from = s->ts[sample[0]], energy = 0;
    double window = count > most ? (s->ts[sample[count - 1]] - from) / most : 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        double to = s->ts[sample[i + 1]];
        energy += s->value[sample[i]] * (to - s->ts[sample[i]]);
        if (to > from && (to - from >= window || i + 2 == count)) {
            PF_TABLE_ROW(run->findings, t, pf_cell_text(rank), pf_cell_real(from - start), pf_cell_real(to - start),
                         pf_cell_real(energy / (to - from)));
            from = to;
            energy = 0;
        }
    }
}

static void draw_power(aiu_run *run)
{
    aiu_counters w;
    uint32_t ranks = 0;
    double start = INFINITY;
    pf_aiu_counters_read(run, NULL, &w);
    for (uint32_t i = 0; i < w.count; i++) {
        bool power = w.list[i].series == AIU_SERIES_POWER4;
        ranks += power;
        start = power ? fmin(start, run->samples.ts[w.order[w.list[i].from]]) : start;
    }
    if (ranks == 0) {
        return;
    }
    uint32_t most = ranks < MOST_MARKS ? MOST_MARKS / ranks : 1;
    pf_table_builder *t = table_of(run, &powers);
    for (uint32_t i = 0; t && i < w.count && pf_table_rows(t) < MOST_MARKS; i++) {
        if (w.list[i].series == AIU_SERIES_POWER4) {
            add_power(run, t, &w, &w.list[i], start, most);
        }
    }
    pf_findings_add_figure(run->findings, &(pf_figure){.name = "aiu_power",
                                                       .kind = PF_FIGURE_STRIP,
                                                       .title = PF_STR("Power of ranks over time"),
                                                       .table = t,
                                                       .label = "rank",
                                                       .from = "from_us",
                                                       .to = "to_us",
                                                       .values = "power",
                                                       .meanings = "power",
                                                       .rows = MOST_MARKS});
}

static void draw_energy(aiu_run *run, const aiu_report_set *set)
{
    const pf_table *kernels = pf_table_view(set->kernels);
    bool any = false;
    for (size_t i = 0; kernels && i < kernels->row_count; i++) {
        any |= pf_pass_number(kernels, i, "energy_mj") > 0;
    }
    if (any) {
        pf_pass_figure(run->findings,
                       &(pf_figure){.name = "aiu_energy",
                                    .kind = PF_FIGURE_BARS,
                                    .title = PF_STR("Kernels by energy"),
                                    .table = pf_pass_sorted(run->findings, set->kernels, "energy_mj", false,
                                                            PF_STR("Kernels, the most energy first")),
                                    .label = "kernel",
                                    .panel = pf_table_rows(set->ranks) > 1 ? "rank" : NULL,
                                    .values = "energy_mj",
                                    .meanings = "energy",
                                    .tip = "calls,time_us",
                                    .rows = MOST_BARS});
    }
}

static const pf_pass_table uses = PF_PASS_TABLE(
    "Categories of operations: ideal time, and what is more", "", PF_TEXT_COLUMN("rank"), PF_TEXT_COLUMN("category"),
    PF_REAL_COLUMN("ideal_us", 3, "us"), PF_REAL_COLUMN("more_us", 3, "us"), PF_REAL_COLUMN("use_percent", 2, "%"));

/* Without the sums of ranks and what took no time. */
static void draw_categories(aiu_run *run, const aiu_report_set *set)
{
    const pf_table_builder *sorted =
        pf_pass_sorted(run->findings, set->categories, "time_us", false, (pf_str){NULL, 0});
    const pf_table *all = sorted ? pf_table_view(sorted) : NULL;
    enum { RANK = 0, CATEGORY = 2 };
    pf_table_builder *t = all ? table_of(run, &uses) : NULL;
    for (size_t i = 0; t && i < all->row_count; i++) {
        const pf_cell *cells = &all->cells[i * all->column_count];
        double time = pf_pass_number(all, i, "time_us"), ideal = pf_pass_number(all, i, "ideal_us");
        if (time > 0 && !pf_str_is(cells[CATEGORY].as.s, "Total")) {
            PF_TABLE_ROW(run->findings, t, cells[RANK], cells[CATEGORY], pf_cell_real(ideal),
                         pf_cell_real(time - ideal), pf_cell_real(pf_pass_number(all, i, "use_percent")));
        }
    }
    pf_pass_figure(run->findings,
                   &(pf_figure){.name = "aiu_categories",
                                .kind = PF_FIGURE_STACKED,
                                .title = PF_STR("Time by category of operation, and how much of it is ideal"),
                                .table = t,
                                .label = "category",
                                .panel = pf_table_rows(set->ranks) > 1 ? "rank" : NULL,
                                .values = "ideal_us,more_us",
                                .value_names = "ideal,more than that",
                                .meanings = "compute,waiting",
                                .tip = "use_percent",
                                .rows = MOST_BARS});
}

static void draw_ranks(aiu_run *run, const aiu_report_set *set)
{
    pf_pass_figure(run->findings, &(pf_figure){.name = "aiu_ranks",
                                               .kind = PF_FIGURE_STACKED,
                                               .title = PF_STR("Ranks, from their first kernel to the last"),
                                               .table = set->ranks,
                                               .label = "rank",
                                               .values = "busy_us,idle_us",
                                               .value_names = "kernels,no kernel",
                                               .meanings = "compute,idle",
                                               .tip = "kernels,iterations",
                                               .rows = MOST_RANKS});
    pf_pass_figure(run->findings, &(pf_figure){.name = "aiu_iterations",
                                               .kind = PF_FIGURE_STACKED,
                                               .title = PF_STR("Iterations of ranks"),
                                               .table = set->iterations,
                                               .label = "iteration",
                                               .panel = "rank",
                                               .values = "busy_us,idle_us",
                                               .value_names = "kernels,no kernel",
                                               .meanings = "compute,idle"});
}

void pf_aiu_add_figures(aiu_run *run, const aiu_report_set *set)
{
    draw_stays(run, set);
    draw_power(run);
    draw_energy(run, set);
    draw_categories(run, set);
    draw_ranks(run, set);
}
