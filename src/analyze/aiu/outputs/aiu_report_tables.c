/* analyze/aiu/outputs/aiu_report_tables.c - the report tables, and the rows of those about single ranks: kernels,
 * ranks, jobs, iterations, categories. */
#include "analyze/aiu/outputs/aiu_report_tables.h"

#include <math.h>
#include <string.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/enriched/aiu_measures.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"

enum { MOST_SHOWN = 10, KERNEL_TIME = 3, CATEGORY_TIME = 4 }; /* rows on the terminal; columns time_us */

/* ---- columns ----------------------------------------------------------------------------------------------------- */

#define INT(name, unit) name, PF_CELL_INT, 0, unit
#define REAL(name, decimals, unit) name, PF_CELL_REAL, decimals, unit
#define TEXT(name) name, PF_CELL_TEXT, 0, ""

static const pf_column kernels[] = {{TEXT("rank")},
                                    {TEXT("kernel")},
                                    {INT("calls", "")},
                                    {REAL("time_us", 3, "us")},
                                    {REAL("share_percent", 2, "%")},
                                    {REAL("mean_us", 3, "us")},
                                    {REAL("median_us", 3, "us")},
                                    {REAL("min_us", 3, "us")},
                                    {REAL("max_us", 3, "us")},
                                    {REAL("deviation_us", 3, "us")},
                                    {REAL("mean_cycles", 1, "cycles")},
                                    {REAL("energy_mj", 4, "mJ")}};
static const pf_column ranks[] = {{TEXT("rank")},
                                  {INT("kernels", "")},
                                  {REAL("busy_us", 3, "us")},
                                  {REAL("idle_us", 3, "us")},
                                  {REAL("elapsed_us", 3, "us")},
                                  {REAL("busy_percent", 2, "%")},
                                  {INT("loop_kernels", "")},
                                  {INT("iterations", "")},
                                  {REAL("iteration_us", 3, "us")},
                                  {REAL("iterations_per_s", 2, "1/s")},
                                  {REAL("energy_mj", 4, "mJ")},
                                  {REAL("mean_power_w", 2, "W")}};
static const pf_column jobs[] = {{TEXT("rank")},
                                 {TEXT("job")},
                                 {REAL("start_us", 3, "us")},
                                 {REAL("end_us", 3, "us")},
                                 {INT("kernels", "")},
                                 {REAL("busy_us", 3, "us")},
                                 {REAL("idle_us", 3, "us")},
                                 {REAL("elapsed_us", 3, "us")},
                                 {REAL("kernels_per_s", 1, "1/s")},
                                 {REAL("energy_mj", 4, "mJ")},
                                 {INT("iterations", "")},
                                 {REAL("iteration_us", 3, "us")}};
static const pf_column iterations[] = {
    {TEXT("rank")},       {INT("iteration", "")},     {REAL("start_us", 3, "us")}, {REAL("length_us", 3, "us")},
    {INT("kernels", "")}, {REAL("busy_us", 3, "us")}, {REAL("idle_us", 3, "us")},  {INT("counted", "")}};
static const pf_column categories[] = {{TEXT("rank")},
                                       {TEXT("phase")},
                                       {TEXT("category")},
                                       {INT("calls", "")},
                                       {REAL("time_us", 3, "us")},
                                       {REAL("ideal_us", 3, "us")},
                                       {REAL("ideal_cycles", 0, "cycles")},
                                       {REAL("use_percent", 2, "%")}};
static const pf_column collectives[] = {
    {INT("collective", "")},       {TEXT("name")},          {INT("ranks", "")},     {INT("bytes", "bytes")},
    {INT("moved_bytes", "bytes")}, {INT("start_ns", "ns")}, {INT("end_ns", "ns")},  {INT("span_ns", "ns")},
    {REAL("gb_per_s", 3, "GB/s")}, {INT("straggler", "")},  {INT("late_ns", "ns")}, {INT("lost_ns", "ns")}};
static const pf_column arrivals[] = {{INT("collective", "")},   {INT("rank", "")},       {TEXT("kernel")},
                                     {INT("arrival_ns", "ns")}, {INT("leave_ns", "ns")}, {INT("waited_ns", "ns")}};
static const pf_column overlap[] = {
    {INT("rank", "")},         {INT("kernels_ns", "ns")}, {INT("communication_ns", "ns")},
    {INT("overlap_ns", "ns")}, {INT("exposed_ns", "ns")}, {REAL("overlap_percent", 2, "%")}};
static const pf_column clocks[] = {{INT("rank", "")},
                                   {REAL("shift_us", 3, "us")},
                                   {REAL("rate", 9, "")},
                                   {INT("collectives", "")},
                                   {INT("offset_left_ns", "ns")},
                                   {INT("worst_offset_ns", "ns")},
                                   {REAL("drift_ppm", 3, "ppm")}};

#define TABLE(columns) columns, sizeof columns / sizeof *columns

const pf_pass_table pf_aiu_tables[AIU_TABLES] = {
    [AIU_TABLE_COLLECTIVES] = {"aiu_collectives", "a collective of several ranks, and who came to it last",
                               TABLE(collectives)},
    [AIU_TABLE_ARRIVALS] = {"aiu_arrivals", "a rank in a collective: when it came, how long it waited",
                            TABLE(arrivals)},
    [AIU_TABLE_OVERLAP] = {"aiu_overlap", "a rank: communication, and how much of it kernels hide", TABLE(overlap)},
    [AIU_TABLE_CLOCKS] = {"aiu_clocks", "a rank: how its clock was moved, and what is left", TABLE(clocks)},
    [AIU_TABLE_KERNELS] = {"aiu_kernels", "kernels of a rank that share a name", TABLE(kernels)},
    [AIU_TABLE_RANKS] = {"aiu_ranks", "a rank: how long it computed, at which power", TABLE(ranks)},
    [AIU_TABLE_JOBS] = {"aiu_jobs", "a job of a rank: busy and idle time, throughput", TABLE(jobs)},
    [AIU_TABLE_ITERATIONS] = {"aiu_iterations", "an iteration of a rank's loop", TABLE(iterations)},
    [AIU_TABLE_CATEGORIES] = {"aiu_categories", "kernels of a rank by category of operation", TABLE(categories)},
};

pf_table_builder *pf_aiu_table_new(aiu_run *run, unsigned which)
{
    pf_findings *f = run->findings;
    const pf_pass_table *t = &pf_aiu_tables[which];
    if (!run->document) {
        run->document = pf_node_root(f, PF_NODE_OBJECT);
        pf_node_add_int(f, run->document, PF_STR("schema_version"), 1);
        pf_node_add_text(f, run->document, PF_STR("pass"), PF_STR("aiu"));
        pf_findings_set_summary(f, run->document);
    }
    pf_table_builder *made = pf_table_new_named(f, t->name, pf_str_of(t->help), t->columns, t->column_count);
    if (made) {
        pf_node_add_rows(f, run->document, pf_str_of(t->name + strlen("aiu_")), made, 0);
    }
    return made;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Energy in mJ; null where it is not known, or the rank has no samples. */
static pf_cell energy(const aiu_run *run, uint32_t rank, double watt_us)
{
    bool none = !run->rank_energy || !(run->rank_energy[rank].time > 0);
    return pf_cell_real(none ? (double)NAN : watt_us / 1000);
}

static pf_cell rank_cell(aiu_run *run, uint32_t rank)
{
    return pf_cell_text(pf_aiu_pid_text(run, run->ranks.pid[rank]));
}

static pf_cell text_cell(const aiu_run *run, uint32_t text)
{
    return pf_cell_text(pf_aiu_text_of(run, text));
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

/* ---- kernels and ranks ------------------------------------------------------------------------------------------- */

static pf_table_builder *fill_kernels(aiu_run *run)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_KERNELS);
    const aiu_kernel_stats *k = run->kernels;
    double all = 0;
    for (uint32_t i = 0, r = 0; k && i < k->row_count; i++) {
        const aiu_kernel_row *row = &k->row[i];
        for (; r < k->rank_count && k->rank[r].rank != row->rank; r++) {
        }
        all = r < k->rank_count ? k->rank[r].time : all;
        const pf_cell cells[] = {rank_cell(run, row->rank),
                                 text_cell(run, row->name),
                                 pf_cell_int(row->calls),
                                 pf_cell_real(row->time.sum),
                                 pf_cell_real(100 * share(row->time.sum, all)),
                                 pf_cell_real(row->time.mean),
                                 pf_cell_real(row->time.median),
                                 pf_cell_real(row->time.least),
                                 pf_cell_real(row->time.most),
                                 pf_cell_real(row->time.deviation),
                                 pf_cell_real(row->step[2].mean),
                                 energy(run, row->rank, row->energy)};
        pf_table_row(run->findings, t, cells);
    }
    return t;
}

static void fill_ranks(aiu_run *run)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_RANKS);
    const aiu_kernel_stats *k = run->kernels;
    for (uint32_t i = 0; k && i < k->rank_count; i++) {
        const aiu_rank_row *r = &k->rank[i];
        const aiu_iterations it = pf_aiu_iterations_of(run, r->rank);
        double elapsed = r->last - r->first, took = r->energy.withheld ? (double)NAN : r->energy.sum;
        const pf_cell cells[] = {rank_cell(run, r->rank),    pf_cell_int(r->calls),
                                 pf_cell_real(r->time),      pf_cell_real(elapsed - r->time),
                                 pf_cell_real(elapsed),      pf_cell_real(100 * share(r->time, elapsed)),
                                 pf_cell_int(it.kernels),    pf_cell_int(it.count),
                                 pf_cell_real(it.median),    pf_cell_real(share(1e6, it.median)),
                                 energy(run, r->rank, took), pf_cell_real(r->energy.sum / r->energy.time)};
        pf_table_row(run->findings, t, cells);
    }
    pf_findings_show_table(run->findings, t);
}

/* ---- on the terminal --------------------------------------------------------------------------------------------- */

/* The rows of a table that took longest, by its column time_us. */
static void show_longest(aiu_run *run, const pf_table_builder *of, size_t time, const char *title)
{
    const pf_table *all = of ? pf_table_view(of) : NULL;
    size_t rows = all ? all->row_count : 0, columns = all ? all->column_count : 0;
    aiu_key *keys = pf_aiu_alloc(run, rows + 1, sizeof *keys);
    for (size_t i = 0; keys && i < rows; i++) {
        keys[i] = (aiu_key){-all->cells[i * columns + time].as.d, 0, (uint32_t)i};
    }
    if (rows == 0 || pf_aiu_sort_keys(run, keys, (uint32_t)rows)) {
        return;
    }
    pf_str name = rows > MOST_SHOWN
                      ? pf_findings_format(run->findings, "%s; %zu more in %s", title, rows - MOST_SHOWN, all->name)
                      : pf_str_of(title);
    pf_table_builder *t = pf_table_new(run->findings, name, all->columns, columns);
    for (size_t i = 0; t && i < rows && i < MOST_SHOWN; i++) {
        pf_table_row(run->findings, t, all->cells + keys[i].row * columns);
    }
    pf_findings_show_table(run->findings, t);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* Those of a job that another follows: lengths of all of the rank. Their median length. */
static double iterations_of_job(aiu_iterations it, uint32_t job, double *lengths, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < it.rows; i++) {
        if (it.row[i].job == job && it.row[i].counted) {
            lengths[(*count)++] = it.row[i].length;
        }
    }
    return pf_aiu_median(lengths, *count);
}

static void fill_jobs(aiu_run *run)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_JOBS);
    aiu_rank_jobs all;
    pf_aiu_rank_jobs_read(run, &all);
    uint32_t most = 0, counted = 0;
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        uint32_t rows = pf_aiu_iterations_of(run, r).rows;
        most = rows > most ? rows : most;
    }
    double *lengths = pf_aiu_alloc(run, (size_t)most + 1, sizeof *lengths);
    for (uint32_t i = 0; lengths && i < all.count; i++) {
        const aiu_rank_job *j = &all.list[i];
        double elapsed = j->end - j->start;
        double median = iterations_of_job(pf_aiu_iterations_of(run, j->rank), j->job, lengths, &counted);
        const pf_cell cells[] = {rank_cell(run, j->rank),
                                 pf_cell_text(run->jobs[j->job].name),
                                 pf_cell_real(j->start + run->origin),
                                 pf_cell_real(j->end + run->origin),
                                 pf_cell_int(j->kernels),
                                 pf_cell_real(j->busy),
                                 pf_cell_real(elapsed - j->busy),
                                 pf_cell_real(elapsed),
                                 pf_cell_real(1e6 * share(j->kernels, elapsed)),
                                 energy(run, j->rank, j->energy),
                                 pf_cell_int(counted),
                                 pf_cell_real(median)};
        pf_table_row(run->findings, t, cells);
    }
}

/* ---- iterations and categories ----------------------------------------------------------------------------------- */

static void fill_iterations(aiu_run *run)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_ITERATIONS);
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        const aiu_iterations it = pf_aiu_iterations_of(run, r);
        for (uint32_t i = 0; i < it.rows; i++) {
            const aiu_iteration *own = &it.row[i];
            const pf_cell cells[] = {rank_cell(run, r),
                                     pf_cell_int(i),
                                     pf_cell_real(own->start + run->origin),
                                     pf_cell_real(own->length),
                                     pf_cell_int(it.kernels),
                                     pf_cell_real(own->busy),
                                     pf_cell_real(own->length - own->busy),
                                     pf_cell_int(own->counted)};
            pf_table_row(run->findings, t, cells);
        }
    }
}

static pf_table_builder *fill_categories(aiu_run *run)
{
    pf_table_builder *t = pf_aiu_table_new(run, AIU_TABLE_CATEGORIES);
    for (uint32_t i = 0; run->tables && i < run->tables->use_count; i++) {
        const aiu_use *u = &run->tables->use[i];
        const char *phase = run->tables->table[u->table].phase;
        for (uint32_t s = 0; s < u->count; s++) {
            const aiu_share *own = &u->share[s];
            const pf_cell cells[] = {rank_cell(run, u->rank),
                                     pf_cell_text(pf_str_of(phase)),
                                     text_cell(run, own->category),
                                     pf_cell_int(own->calls),
                                     pf_cell_real(own->time),
                                     pf_cell_real(own->ideal),
                                     pf_cell_real(own->ideal * run->set.core),
                                     pf_cell_real(100 * share(own->ideal, own->time))};
            pf_table_row(run->findings, t, cells);
        }
    }
    return t;
}

pf_status pf_aiu_report_tables(aiu_run *run)
{
    const pf_table_builder *of_kernels = fill_kernels(run);
    fill_ranks(run);
    fill_jobs(run);
    fill_iterations(run);
    const pf_table_builder *of_categories = fill_categories(run);
    show_longest(run, of_kernels, KERNEL_TIME, "kernels that took longest");
    show_longest(run, of_categories, CATEGORY_TIME, "categories of operations");
    return pf_aiu_failed(run) ? run->error.code : pf_findings_status(run->findings, &run->error);
}
