/* analyze/aiu/tables/aiu_report_tables.c - what SQL and thresholds see of single ranks: kernels, ranks, jobs,
 * iterations, categories. */
#include "analyze/aiu/tables/aiu_report_tables.h"

#include <math.h>
#include <string.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/stages/aiu_iterations.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"

enum { MOST_SHOWN = 10, KERNEL_TIME = 3, CATEGORY_TIME = 4 }; /* rows on the terminal; columns time_us */

#define INT(name, unit)                                                                                                \
    {                                                                                                                  \
        name, PF_CELL_INT, 0, unit                                                                                     \
    }
#define REAL(name, decimals, unit)                                                                                     \
    {                                                                                                                  \
        name, PF_CELL_REAL, decimals, unit                                                                             \
    }
#define TEXT(name)                                                                                                     \
    {                                                                                                                  \
        name, PF_CELL_TEXT, 0, ""                                                                                      \
    }

const pf_column pf_aiu_kernel_columns[AIU_KERNEL_COLUMNS] = {
    TEXT("rank"),
    TEXT("kernel"),
    INT("calls", ""),
    REAL("time_us", 3, "us"),
    REAL("share_percent", 2, "%"),
    REAL("mean_us", 3, "us"),
    REAL("median_us", 3, "us"),
    REAL("min_us", 3, "us"),
    REAL("max_us", 3, "us"),
    REAL("deviation_us", 3, "us"),
    REAL("mean_cycles", 1, "cycles"),
    REAL("energy_mj", 4, "mJ"),
};
const pf_column pf_aiu_rank_columns[AIU_RANK_COLUMNS] = {
    TEXT("rank"),
    INT("kernels", ""),
    REAL("busy_us", 3, "us"),
    REAL("idle_us", 3, "us"),
    REAL("elapsed_us", 3, "us"),
    REAL("busy_percent", 2, "%"),
    INT("loop_kernels", ""),
    INT("iterations", ""),
    REAL("iteration_us", 3, "us"),
    REAL("iterations_per_s", 2, "1/s"),
    REAL("energy_mj", 4, "mJ"),
    REAL("mean_power_w", 2, "W"),
};
const pf_column pf_aiu_job_columns[AIU_JOB_COLUMNS] = {
    TEXT("rank"),
    TEXT("job"),
    REAL("start_us", 3, "us"),
    REAL("end_us", 3, "us"),
    INT("kernels", ""),
    REAL("busy_us", 3, "us"),
    REAL("idle_us", 3, "us"),
    REAL("elapsed_us", 3, "us"),
    REAL("kernels_per_s", 1, "1/s"),
    REAL("energy_mj", 4, "mJ"),
    INT("iterations", ""),
    REAL("iteration_us", 3, "us"),
};
const pf_column pf_aiu_iteration_columns[AIU_ITERATION_COLUMNS] = {
    TEXT("rank"),       INT("iteration", ""),     REAL("start_us", 3, "us"), REAL("length_us", 3, "us"),
    INT("kernels", ""), REAL("busy_us", 3, "us"), REAL("idle_us", 3, "us"),  INT("counted", ""),
};
const pf_column pf_aiu_category_columns[AIU_CATEGORY_COLUMNS] = {
    TEXT("rank"),
    TEXT("phase"),
    TEXT("category"),
    INT("calls", ""),
    REAL("time_us", 3, "us"),
    REAL("ideal_us", 3, "us"),
    REAL("ideal_cycles", 0, "cycles"),
    REAL("use_percent", 2, "%"),
};

static pf_cell whole(uint64_t v)
{
    return (pf_cell){.as.i = (int64_t)v};
}

static pf_cell real(double v)
{
    return (pf_cell){.null = !isfinite(v), .as.d = v};
}

static pf_cell text(pf_str s)
{
    return (pf_cell){.null = !s.ptr, .as.s = s};
}

/* Energy in mJ; null where it cannot be told, or the rank has no samples. */
static pf_cell energy(const aiu_run *run, uint32_t rank, double watt_us)
{
    bool none = !run->rank_energy || !(run->rank_energy[rank].time > 0);
    return real(none ? (double)NAN : watt_us / 1000);
}

static pf_cell rank_cell(aiu_run *run, uint32_t rank)
{
    return text(pf_aiu_pid_text(run, run->ranks.pid[rank]));
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

pf_table_builder *pf_aiu_table_new(aiu_run *run, const pf_pass_table *t)
{
    pf_findings *f = run->findings;
    const char *key = t->name + strlen("aiu_");
    if (!run->document) {
        run->document = pf_node_root(f, PF_NODE_OBJECT);
        pf_node_add_int(f, run->document, PF_STR("schema_version"), 1);
        pf_node_add_text(f, run->document, PF_STR("pass"), PF_STR("aiu"));
        pf_findings_set_summary(f, run->document);
    }
    pf_table_builder *made =
        pf_table_new_named(f, t->name, (pf_str){t->help, strlen(t->help)}, t->columns, t->column_count);
    if (made) {
        pf_node_add_rows(f, run->document, (pf_str){key, strlen(key)}, made, 0);
    }
    return made;
}

/* ---- kernels and ranks ------------------------------------------------------------------------------------------- */

static pf_table_builder *fill_kernels(aiu_run *run, const pf_pass_table *table)
{
    pf_table_builder *t = pf_aiu_table_new(run, table);
    const aiu_kernel_stats *k = run->kernels;
    double all = 0;
    for (uint32_t i = 0, r = 0; k && i < k->row_count; i++) {
        const aiu_kernel_row *row = &k->row[i];
        for (; r < k->rank_count && k->rank[r].rank != row->rank; r++) {
        }
        all = r < k->rank_count ? k->rank[r].time : all;
        const pf_cell cells[AIU_KERNEL_COLUMNS] = {rank_cell(run, row->rank),
                                                   text(pf_aiu_text_of(run, row->name)),
                                                   whole(row->calls),
                                                   real(row->time.sum),
                                                   real(100 * share(row->time.sum, all)),
                                                   real(row->time.mean),
                                                   real(row->time.median),
                                                   real(row->time.least),
                                                   real(row->time.most),
                                                   real(row->time.deviation),
                                                   real(row->step[2].mean),
                                                   energy(run, row->rank, row->energy)};
        pf_table_row(run->findings, t, cells);
    }
    return t;
}

static void fill_ranks(aiu_run *run, const pf_pass_table *table)
{
    pf_table_builder *t = pf_aiu_table_new(run, table);
    const aiu_kernel_stats *k = run->kernels;
    for (uint32_t i = 0; k && i < k->rank_count; i++) {
        const aiu_rank_row *r = &k->rank[i];
        static const aiu_iterations none = {0};
        const aiu_iterations *it = run->iterations ? &run->iterations[r->rank] : &none;
        double elapsed = r->last - r->first, took = r->energy.withheld ? (double)NAN : r->energy.sum;
        const pf_cell cells[AIU_RANK_COLUMNS] = {rank_cell(run, r->rank),
                                                 whole(r->calls),
                                                 real(r->time),
                                                 real(elapsed - r->time),
                                                 real(elapsed),
                                                 real(100 * share(r->time, elapsed)),
                                                 whole(it->kernels),
                                                 whole(it->count),
                                                 real(it->median),
                                                 real(share(1e6, it->median)),
                                                 energy(run, r->rank, took),
                                                 real(r->energy.sum / r->energy.time)};
        pf_table_row(run->findings, t, cells);
    }
    pf_findings_show_table(run->findings, t);
}

/* ---- on the terminal --------------------------------------------------------------------------------------------- */

/* The rows of a table that took longest, by its column time_us. */
static pf_status show_longest(aiu_run *run, pf_table_builder *of, size_t time, const char *title, pf_error *err)
{
    const pf_table *all = of ? pf_table_view(of) : NULL;
    size_t rows = all ? all->row_count : 0, columns = all ? all->column_count : 0;
    aiu_key *keys = pf_pass_alloc(run->ctx, rows + 1, sizeof *keys, err);
    for (size_t i = 0; keys && i < rows; i++) {
        keys[i] = (aiu_key){-all->cells[i * columns + time].as.d, 0, (uint32_t)i};
    }
    pf_status st = keys ? pf_aiu_sort_keys(run, keys, (uint32_t)rows) : err->code;
    if (st != PF_OK || rows == 0) {
        return st;
    }
    pf_str name = rows > MOST_SHOWN
                      ? pf_findings_format(run->findings, "%s; %zu more in %s", title, rows - MOST_SHOWN, all->name)
                      : (pf_str){title, strlen(title)};
    pf_table_builder *t = pf_table_new(run->findings, name, all->columns, columns);
    for (size_t i = 0; t && i < rows && i < MOST_SHOWN; i++) {
        pf_table_row(run->findings, t, all->cells + keys[i].row * columns);
    }
    pf_findings_show_table(run->findings, t);
    return pf_findings_status(run->findings, err);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static void widen(aiu_job_row *j, double start, double end)
{
    bool any = j->kernels > 0;
    j->start = any && j->start <= start ? j->start : start;
    j->end = any && j->end >= end ? j->end : end;
}

pf_status pf_aiu_jobs_read(aiu_run *run, aiu_job_row **out, uint32_t *count, pf_error *err)
{
    uint32_t room = 0;
    pf_map at;
    pf_map_init(&at, run->budget);
    pf_status st = PF_OK;
    *out = NULL;
    *count = 0;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_kernel(run, e)) {
            continue;
        }
        uint64_t key = (uint64_t)run->events.rank[e] << 32 | run->events.job[e];
        uint32_t row = pf_map_get(&at, key);
        if (row == PF_NONE) {
            row = (*count)++;
            st = pf_aiu_grow(run, (void **)out, &room, *count, sizeof **out);
            st = st == PF_OK && !pf_map_set(&at, key, row) ? pf_budget_refused(run->budget, room, err) : st;
            if (st == PF_OK) {
                (*out)[row] = (aiu_job_row){.rank = run->events.rank[e], .job = run->events.job[e]};
            }
        }
        if (st == PF_OK) {
            aiu_job_row *j = &(*out)[row];
            widen(j, run->events.ts[e], pf_aiu_end(run, e));
            j->kernels++;
            j->busy += run->events.dur[e];
            j->energy += run->energy && !isinf(run->energy[e]) ? run->energy[e] : 0;
        }
    }
    pf_map_free(&at);
    return st;
}

/* Those of a job that another follows, and their median length. */
static pf_status iterations_of_job(aiu_run *run, const aiu_job_row *j, uint32_t *count, double *median, pf_error *err)
{
    static const aiu_iterations none = {0};
    const aiu_iterations *it = run->iterations ? &run->iterations[j->rank] : &none;
    size_t bytes = ((size_t)it->rows + 1) * sizeof(double);
    double *lengths = pf_alloc(run->budget, bytes);
    if (!lengths) {
        return pf_budget_refused(run->budget, bytes, err);
    }
    for (uint32_t i = 0; i < it->rows; i++) {
        if (it->row[i].job == j->job && it->row[i].counted) {
            lengths[(*count)++] = it->row[i].length;
        }
    }
    *median = pf_aiu_median(lengths, *count);
    pf_release(run->budget, lengths, bytes);
    return PF_OK;
}

static pf_status fill_jobs(aiu_run *run, const pf_pass_table *table, pf_error *err)
{
    pf_table_builder *t = pf_aiu_table_new(run, table);
    aiu_job_row *rows;
    uint32_t count;
    pf_status st = pf_aiu_jobs_read(run, &rows, &count, err);
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        const aiu_job_row *j = &rows[i];
        double elapsed = j->end - j->start, median = 0;
        uint32_t iterations = 0;
        st = iterations_of_job(run, j, &iterations, &median, err);
        const pf_cell cells[AIU_JOB_COLUMNS] = {rank_cell(run, j->rank),
                                                text(run->jobs[j->job].name),
                                                real(j->start + run->origin),
                                                real(j->end + run->origin),
                                                whole(j->kernels),
                                                real(j->busy),
                                                real(elapsed - j->busy),
                                                real(elapsed),
                                                real(1e6 * share(j->kernels, elapsed)),
                                                energy(run, j->rank, j->energy),
                                                whole(iterations),
                                                real(median)};
        pf_table_row(run->findings, t, cells);
    }
    return st;
}

/* ---- iterations and categories ----------------------------------------------------------------------------------- */

static void fill_iterations(aiu_run *run, const pf_pass_table *table)
{
    pf_table_builder *t = pf_aiu_table_new(run, table);
    for (uint32_t r = 0; run->iterations && r < run->ranks.count; r++) {
        const aiu_iterations *it = &run->iterations[r];
        for (uint32_t i = 0; i < it->rows; i++) {
            const aiu_iteration *own = &it->row[i];
            const pf_cell cells[AIU_ITERATION_COLUMNS] = {
                rank_cell(run, r),  whole(i),        real(own->start + run->origin), real(own->length),
                whole(it->kernels), real(own->busy), real(own->length - own->busy),  whole(own->counted)};
            pf_table_row(run->findings, t, cells);
        }
    }
}

static pf_table_builder *fill_categories(aiu_run *run, const pf_pass_table *table)
{
    pf_table_builder *t = pf_aiu_table_new(run, table);
    for (uint32_t i = 0; run->tables && i < run->tables->use_count; i++) {
        const aiu_use *u = &run->tables->use[i];
        const char *phase = run->tables->table[u->table].phase;
        for (uint32_t s = 0; s < u->count; s++) {
            const aiu_share *own = &u->share[s];
            size_t len = 0;
            while (phase[len]) {
                len++;
            }
            const pf_cell cells[AIU_CATEGORY_COLUMNS] = {rank_cell(run, u->rank),
                                                         text((pf_str){phase, len}),
                                                         text(pf_aiu_text_of(run, own->category)),
                                                         whole(own->calls),
                                                         real(own->time),
                                                         real(own->ideal),
                                                         real(own->ideal * run->set.core),
                                                         real(100 * share(own->ideal, own->time))};
            pf_table_row(run->findings, t, cells);
        }
    }
    return t;
}

pf_status pf_aiu_report_tables(aiu_run *run, pf_error *err)
{
    static const pf_pass_table tables[] = {AIU_OWN_TABLES};
    pf_table_builder *kernels = fill_kernels(run, &tables[0]);
    fill_ranks(run, &tables[1]);
    pf_status st = fill_jobs(run, &tables[2], err);
    fill_iterations(run, &tables[3]);
    pf_table_builder *categories = fill_categories(run, &tables[4]);
    st = st == PF_OK ? show_longest(run, kernels, KERNEL_TIME, "kernels that took longest", err) : st;
    st = st == PF_OK ? show_longest(run, categories, CATEGORY_TIME, "categories of operations", err) : st;
    return st == PF_OK ? pf_findings_status(run->findings, err) : st;
}
