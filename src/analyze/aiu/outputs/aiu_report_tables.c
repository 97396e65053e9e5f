/* analyze/aiu/outputs/aiu_report_tables.c - the report tables: what SQL and thresholds see, and what the terminal shows
 * of it, the rows first that matter most. A table is a list of its columns, each with what stands in it. */

#include <inttypes.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/pass_tables.h"
#include "base/str.h"

/* ---- columns: name, decimals, unit; whether the value is known; value (a real that is not finite is not known) ------
 */

#define KERNELS(TEXT, INT, REAL, KNOWN)                                                                                \
    TEXT("rank", rank_name(run, k->rank))                                                                              \
    TEXT("kernel", pf_aiu_text_of(run, k->name))                                                                       \
    INT("calls", "", k->calls)                                                                                         \
    REAL("time_us", 3, "us", k->time.sum)                                                                              \
    REAL("share_percent", 2, "%", 100 * share(k->time.sum, all))                                                       \
    REAL("mean_us", 3, "us", k->time.mean)                                                                             \
    REAL("median_us", 3, "us", k->time.median)                                                                         \
    REAL("min_us", 3, "us", k->time.least)                                                                             \
    REAL("max_us", 3, "us", k->time.most)                                                                              \
    REAL("deviation_us", 3, "us", k->time.deviation)                                                                   \
    REAL("mean_cycles", 1, "cycles", k->step[2].mean)                                                                  \
    REAL("energy_mj", 4, "mJ", energy(run, k->rank, k->energy))

#define RANKS(TEXT, INT, REAL, KNOWN)                                                                                  \
    TEXT("rank", rank_name(run, r->rank))                                                                              \
    INT("kernels", "", r->calls)                                                                                       \
    REAL("busy_us", 3, "us", r->time)                                                                                  \
    REAL("idle_us", 3, "us", elapsed - r->time)                                                                        \
    REAL("elapsed_us", 3, "us", elapsed)                                                                               \
    REAL("busy_percent", 2, "%", 100 * share(r->time, elapsed))                                                        \
    INT("loop_kernels", "", it.kernels)                                                                                \
    INT("iterations", "", it.count)                                                                                    \
    REAL("iteration_us", 3, "us", known_if(it.count, it.median))                                                       \
    REAL("iterations_per_s", 2, "1/s", known_if(it.count, share(1e6, it.median)))                                      \
    REAL("energy_mj", 4, "mJ", energy(run, r->rank, r->energy.withheld ? (double)NAN : r->energy.sum))                 \
    REAL("mean_power_w", 2, "W", r->energy.sum / r->energy.time)

#define JOBS(TEXT, INT, REAL, KNOWN)                                                                                   \
    TEXT("rank", rank_name(run, j->rank))                                                                              \
    TEXT("job", run->jobs[j->job].name)                                                                                \
    REAL("start_us", 3, "us", j->start + run->origin)                                                                  \
    REAL("end_us", 3, "us", j->end + run->origin)                                                                      \
    INT("kernels", "", j->kernels)                                                                                     \
    REAL("busy_us", 3, "us", j->busy)                                                                                  \
    REAL("idle_us", 3, "us", elapsed - j->busy)                                                                        \
    REAL("elapsed_us", 3, "us", elapsed)                                                                               \
    REAL("kernels_per_s", 1, "1/s", 1e6 * share(j->kernels, elapsed))                                                  \
    REAL("energy_mj", 4, "mJ", energy(run, j->rank, j->energy))                                                        \
    INT("iterations", "", counted)                                                                                     \
    REAL("iteration_us", 3, "us", known_if(counted, median))

#define ITERATIONS(TEXT, INT, REAL, KNOWN)                                                                             \
    TEXT("rank", rank_name(run, r))                                                                                    \
    INT("iteration", "", i)                                                                                            \
    REAL("start_us", 3, "us", own->start + run->origin)                                                                \
    REAL("length_us", 3, "us", own->length)                                                                            \
    INT("kernels", "", it.kernels)                                                                                     \
    REAL("busy_us", 3, "us", own->busy)                                                                                \
    REAL("idle_us", 3, "us", own->length - own->busy)                                                                  \
    INT("counted", "", own->counted)

#define CATEGORIES(TEXT, INT, REAL, KNOWN)                                                                             \
    TEXT("rank", rank_name(run, u->rank))                                                                              \
    TEXT("phase", pf_str_of(run->tables->table[u->table].phase))                                                       \
    TEXT("category", pf_aiu_text_of(run, own->category))                                                               \
    INT("calls", "", own->calls)                                                                                       \
    REAL("time_us", 3, "us", own->time)                                                                                \
    REAL("ideal_us", 3, "us", own->ideal)                                                                              \
    REAL("ideal_cycles", 0, "cycles", own->ideal * run->set.core)                                                      \
    REAL("use_percent", 2, "%", 100 * share(own->ideal, own->time))

#define COLLECTIVES(TEXT, INT, REAL, KNOWN)                                                                            \
    INT("collective", "", i)                                                                                           \
    TEXT("name", pf_aiu_collective_name(run, c))                                                                       \
    INT("ranks", "", c->ranks)                                                                                         \
    INT("bytes", "bytes", c->bytes)                                                                                    \
    INT("moved_bytes", "bytes", c->moved)                                                                              \
    INT("start_ns", "ns", c->start)                                                                                    \
    INT("end_ns", "ns", c->end)                                                                                        \
    INT("span_ns", "ns", c->end - c->start)                                                                            \
    REAL("gb_per_s", 3, "GB/s", c->rate_known ? pf_aiu_collective_rate(c) : (double)NAN)                               \
    KNOWN("straggler", "", c->late_known, pf_aiu_straggler(run, c))                                                    \
    KNOWN("late_ns", "ns", c->late_known, c->last - c->before)                                                         \
    KNOWN("lost_ns", "ns", c->late_known, c->lost)

#define ARRIVALS(TEXT, INT, REAL, KNOWN)                                                                               \
    INT("collective", "", i)                                                                                           \
    INT("rank", "", own->pid)                                                                                          \
    TEXT("kernel", event_name(run, own->kernel))                                                                       \
    INT("arrival_ns", "ns", pf_aiu_arrival(run, own))                                                                  \
    INT("leave_ns", "ns", pf_aiu_leave(run, own))                                                                      \
    KNOWN("waited_ns", "ns", c->late_known, c->last - pf_aiu_arrival(run, own))

#define OVERLAP(TEXT, INT, REAL, KNOWN)                                                                                \
    INT("rank", "", r->pid)                                                                                            \
    INT("kernels_ns", "ns", r->kernels)                                                                                \
    INT("communication_ns", "ns", r->communication)                                                                    \
    INT("overlap_ns", "ns", r->both)                                                                                   \
    INT("exposed_ns", "ns", r->communication - r->both)                                                                \
    REAL("overlap_percent", 2, "%", share(100.0 * (double)r->both, (double)r->communication))

#define CLOCKS(TEXT, INT, REAL, KNOWN)                                                                                 \
    INT("rank", "", r->pid)                                                                                            \
    REAL("shift_us", 3, "us", r->matched ? r->shift_us : (double)NAN)                                                  \
    REAL("rate", 9, "", r->matched ? r->rate : (double)NAN)                                                            \
    INT("collectives", "", r->collectives)                                                                             \
    INT("offset_left_ns", "ns", r->left)                                                                               \
    INT("worst_offset_ns", "ns", r->worst)                                                                             \
    REAL("drift_ppm", 3, "ppm", r->drift)

#define GAPS(TEXT, INT, REAL, KNOWN)                                                                                   \
    TEXT("rank", rank_name(run, own->rank))                                                                            \
    INT("start_ns", "ns", own->time.start)                                                                             \
    INT("end_ns", "ns", own->time.end)                                                                                 \
    INT("length_ns", "ns", pf_interval_length(own->time))                                                              \
    TEXT("cause", pf_str_of(pf_aiu_gap_cause(own)))                                                                    \
    KNOWN("host_bound_ns", "ns", own->launch != PF_NONE, own->host)                                                    \
    TEXT("before", event_name(run, own->before))                                                                       \
    TEXT("after", event_name(run, own->after))                                                                         \
    TEXT("launch", event_name(run, own->launch))

#define TEXT_COLUMN(name, value) {name, PF_CELL_TEXT, 0, ""},
#define INT_COLUMN(name, unit, value) {name, PF_CELL_INT, 0, unit},
#define REAL_COLUMN(name, decimals, unit, value) {name, PF_CELL_REAL, decimals, unit},
#define KNOWN_COLUMN(name, unit, known, value) {name, PF_CELL_INT, 0, unit},
#define TABLES(ROW)                                                                                                    \
    ROW(collectives, COLLECTIVES, "a collective of several ranks, and which rank arrived last")                        \
    ROW(arrivals, ARRIVALS, "a rank in a collective: when it arrived, how long it waited")                             \
    ROW(overlap, OVERLAP, "a rank: communication, and how much of it kernels hide")                                    \
    ROW(clocks, CLOCKS, "a rank: how its clock was moved, and what is left")                                           \
    ROW(kernels, KERNELS, "kernels of a rank that share a name")                                                       \
    ROW(ranks, RANKS, "a rank: how long it computed, at which power")                                                  \
    ROW(jobs, JOBS, "a job of a rank: busy and idle time, throughput")                                                 \
    ROW(iterations, ITERATIONS, "an iteration of a rank's loop")                                                       \
    ROW(categories, CATEGORIES, "kernels of a rank by category of operation")                                          \
    ROW(gaps, GAPS, "the largest gaps between kernels and transfers of a rank")

#define COLUMNS(name, LIST, help)                                                                                      \
    static const pf_column name[] = {LIST(TEXT_COLUMN, INT_COLUMN, REAL_COLUMN, KNOWN_COLUMN)};
#define NUMBER(name, LIST, help) LIST##_TABLE,
#define TABLE(name, LIST, help) {"aiu_" #name, help, name, sizeof name / sizeof *name},

TABLES(COLUMNS)
enum { TABLES(NUMBER) HOST_GAPS_TABLE, HOST_WAKERS_TABLE };
const pf_pass_table pf_aiu_tables[AIU_TABLES] = {
    TABLES(TABLE)
        PF_PASS_TABLE("aiu_host_gaps", "what the thread that ended a host-bound gap did meanwhile, by the scheduler",
                      PF_TEXT_COLUMN("rank"), PF_WINDOW_COLUMNS),
    PF_PASS_TABLE("aiu_host_wakers", "who ended the longest wait in a host-bound gap, who woke that one, and so on",
                  PF_TEXT_COLUMN("rank"), PF_WAKER_COLUMNS)};

/* One of them, also as a list of the document under its name without "aiu_". NULL: refused, which the findings say. */
static pf_table_builder *table_new(aiu_run *run, unsigned which)
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

#define TEXT_CELL(name, value) pf_cell_text(value),
#define INT_CELL(name, unit, value) pf_cell_int((int64_t)(value)),
#define REAL_CELL(name, decimals, unit, value) pf_cell_real(value),
#define KNOWN_CELL(name, unit, known, value) pf_cell_int_if(known, value),
#define PUT(table, LIST)                                                                                               \
    pf_table_row(run->findings, table, (const pf_cell[]){LIST(TEXT_CELL, INT_CELL, REAL_CELL, KNOWN_CELL)})

/* Energy in mJ; not a number where it is not known, or the rank has no samples. */
static double energy(const aiu_run *run, uint32_t rank, double watt_us)
{
    return run->rank_energy && run->rank_energy[rank].time > 0 ? watt_us / 1000 : (double)NAN;
}

static pf_str rank_name(aiu_run *run, uint32_t rank)
{
    return pf_aiu_pid_text(run, run->ranks.pid[rank]);
}

/* {NULL, 0} without an event. */
static pf_str event_name(const aiu_run *run, uint32_t event)
{
    return event == PF_NONE ? (pf_str){NULL, 0} : pf_aiu_text_of(run, run->events.name[event]);
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

static double known_if(uint32_t count, double v)
{
    return count ? v : (double)NAN;
}

static pf_table_builder *fill_kernels(aiu_run *run)
{
    pf_table_builder *t = table_new(run, KERNELS_TABLE);
    const aiu_kernel_stats *s = run->kernels;
    double all = 0;
    for (uint32_t i = 0, r = 0; s && i < s->row_count; i++) {
        const aiu_kernel_row *k = &s->row[i];
        for (; r < s->rank_count && s->rank[r].rank != k->rank; r++) {
        }
        all = r < s->rank_count ? s->rank[r].time : all;
        PUT(t, KERNELS);
    }
    return t;
}

static pf_table_builder *fill_ranks(aiu_run *run)
{
    pf_table_builder *t = table_new(run, RANKS_TABLE);
    for (uint32_t i = 0; run->kernels && i < run->kernels->rank_count; i++) {
        const aiu_rank_row *r = &run->kernels->rank[i];
        const aiu_iterations it = pf_aiu_iterations_of(run, r->rank);
        double elapsed = r->last - r->first;
        PUT(t, RANKS);
    }
    return t;
}

/* Iterations: those of a job that another follows; a median needs room for the lengths of all of a rank. */
static pf_table_builder *fill_jobs(aiu_run *run)
{
    pf_table_builder *t = table_new(run, JOBS_TABLE);
    aiu_rank_jobs all;
    pf_aiu_rank_jobs_read(run, &all);
    uint32_t most = 0;
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        uint32_t rows = pf_aiu_iterations_of(run, r).rows;
        most = rows > most ? rows : most;
    }
    double *lengths = pf_aiu_alloc(run, (size_t)most + 1, sizeof *lengths);
    for (uint32_t i = 0; lengths && i < all.count; i++) {
        const aiu_rank_job *j = &all.list[i];
        const aiu_iterations it = pf_aiu_iterations_of(run, j->rank);
        double elapsed = j->end - j->start;
        uint32_t counted = 0;
        for (uint32_t k = 0; k < it.rows; k++) {
            if (it.row[k].job == j->job && it.row[k].counted) {
                lengths[counted++] = it.row[k].length;
            }
        }
        double median = pf_aiu_median(lengths, counted);
        PUT(t, JOBS);
    }
    return t;
}

static pf_table_builder *fill_iterations(aiu_run *run)
{
    pf_table_builder *t = table_new(run, ITERATIONS_TABLE);
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        const aiu_iterations it = pf_aiu_iterations_of(run, r);
        for (uint32_t i = 0; i < it.rows; i++) {
            const aiu_iteration *own = &it.row[i];
            PUT(t, ITERATIONS);
        }
    }
    return t;
}

static pf_table_builder *fill_categories(aiu_run *run)
{
    pf_table_builder *t = table_new(run, CATEGORIES_TABLE);
    for (uint32_t i = 0; run->tables && i < run->tables->use_count; i++) {
        const aiu_use *u = &run->tables->use[i];
        for (uint32_t k = 0; k < u->count; k++) {
            const aiu_share *own = &u->share[k];
            PUT(t, CATEGORIES);
        }
    }
    return t;
}

static pf_table_builder *fill_gaps(aiu_run *run)
{
    pf_table_builder *t = table_new(run, GAPS_TABLE);
    const aiu_gaps *all = pf_aiu_gaps_read(run);
    for (uint32_t i = 0; i < all->listed; i++) {
        const aiu_gap *own = all->longest[i];
        PUT(t, GAPS);
    }
    return t;
}

static pf_table_builder *fill_host_gaps(aiu_run *run)
{
    const aiu_gaps *all = pf_aiu_gaps_read(run);
    pf_table_builder *t = table_new(run, HOST_GAPS_TABLE), *wakers = table_new(run, HOST_WAKERS_TABLE);
    for (uint32_t i = 0; i < all->windows; i++) {
        const aiu_host_gap *w = &all->window[i];
        uint32_t row = w->slice == PF_NONE ? PF_NONE : run->events.row[w->slice];
        pf_str slice =
            row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(run->trace, pf_trace_events(run->trace)->name[row]);
        pf_cell cells[1 + PF_WINDOW_CELLS] = {pf_cell_text(rank_name(run, w->gap->rank))};
        pf_schedule_window_cells(&all->schedule, w->gap->thread, pf_aiu_window(w->gap), &w->what, slice, cells + 1);
        pf_table_row(run->findings, t, cells);
        for (unsigned k = 0; k < w->what.hops; k++) {
            pf_cell hop[1 + PF_WAKER_CELLS] = {cells[0]};
            pf_schedule_waker_cells(&all->schedule, pf_aiu_window(w->gap), &w->what, k, hop + 1);
            pf_table_row(run->findings, wakers, hop);
        }
    }
    if (all->lost) {
        pf_schedule_say_lost(&all->schedule, all->lost, all->windows);
    }
    return t;
}

static pf_table_builder *fill_collectives(aiu_run *run, const aiu_collective_costs *m)
{
    pf_table_builder *t = table_new(run, COLLECTIVES_TABLE), *of_ranks = table_new(run, ARRIVALS_TABLE);
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_collective_cost *c = &m->list[i];
        PUT(t, COLLECTIVES);
        for (uint32_t k = 0; k < c->ranks; k++) {
            const aiu_member *own = &run->exchange->members.list[c->first + k];
            PUT(of_ranks, ARRIVALS);
        }
    }
    return t;
}

static void fill_clocks(aiu_run *run, const aiu_comm_overlaps *s, const aiu_clock_offsets *c)
{
    pf_table_builder *overlaps = table_new(run, OVERLAP_TABLE), *offsets = table_new(run, CLOCKS_TABLE);
    for (uint32_t i = 0; i < s->count; i++) {
        const aiu_comm_overlap *r = &s->list[i];
        PUT(overlaps, OVERLAP);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const aiu_clock_offset *r = &c->list[i];
        PUT(offsets, CLOCKS);
    }
}

/* The rows by a column of numbers, the largest first; of one rank alone without its column. */
static void show(aiu_run *run, const aiu_report_set *set, const pf_table_builder *of, const char *by, const char *title,
                 const char *columns)
{
    static const char rank[] = "rank,";
    bool one = pf_table_rows(set->ranks) == 1 && strncmp(columns, rank, strlen(rank)) == 0;
    const pf_table_builder *t = pf_pass_sorted(run->findings, of, by, false, pf_str_of(title));
    if (t) {
        pf_findings_show_columns(run->findings, t, columns + (one ? strlen(rank) : 0));
    }
}

static void show_tables(aiu_run *run, const aiu_report_set *set)
{
    show(run, set, set->ranks, "idle_us", "Ranks, the most idle first",
         "rank,kernels,busy_us,idle_us,busy_percent,energy_mj,mean_power_w");
    show(run, set, set->kernels, "time_us", "Kernels, the longest first",
         "rank,kernel,calls,time_us,share_percent,mean_us,max_us,energy_mj");
    show(run, set, set->categories, "time_us", "Categories of operations, the longest first",
         "rank,category,calls,time_us,ideal_us,use_percent");
    show(run, set, set->jobs, "elapsed_us", "Jobs and their iterations, the longest first",
         "rank,job,iterations,iteration_us,kernels,busy_us,idle_us,elapsed_us");
    show(run, set, set->gaps, "length_ns", "Gaps, the longest first",
         "rank,length_ns,cause,host_bound_ns,before,after,launch");
    show(run, set, set->host_gaps, "length_ns", "What launching threads did in them, by the scheduler",
         "rank,length_ns,thread_name,verdict,running_slice,cpu_taken_by,blocked_function,wakers");
    show(run, set, set->collectives, "lost_ns", "Collectives, the most lost first",
         "name,ranks,bytes,span_ns,gb_per_s,straggler,late_ns,lost_ns");
}

/* Why the length of an iteration is empty. */
static void show_loopless(aiu_run *run)
{
    uint32_t all = 0, without = 0, single = 0;
    for (uint32_t i = 0; run->kernels && i < run->kernels->rank_count; i++, all++) {
        const aiu_iterations it = pf_aiu_iterations_of(run, run->kernels->rank[i].rank);
        without += it.kernels == 0;
        single += it.kernels > 0 && it.count == 0;
    }
    if (without) {
        pf_findings_show_line(run->findings, PF_INFO,
                              "no iterations on %u of %u ranks: no sequence of kernels repeats in a job", without, all);
    }
    if (single) {
        pf_findings_show_line(run->findings, PF_INFO,
                              "no length of an iteration on %u of %u ranks: none is followed by another in its job",
                              single, all);
    }
}

static void show_unnamed(aiu_run *run, const aiu_collective_costs *m)
{
    int64_t apart = 0;
    uint32_t untold = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_collective_cost *c = &m->list[i];
        untold += !c->late_known;
        apart = !c->late_known && c->apart > apart ? c->apart : apart;
    }
    if (untold) {
        pf_findings_show_line(
            run->findings, PF_INFO,
            "%u collectives whose last rank is not named: clocks of ranks are up to %lld ns apart, the "
            "last one arrived less than twice as long after the others%s",
            untold, (long long)apart,
            run->set.sync_v2 || run->by_rate ? "" : "; -S, -M and --align say how clocks are matched");
    }
}

static void show_clocks(aiu_run *run, const aiu_comm_overlaps *s, const aiu_clock_offsets *c)
{
    uint64_t communication = 0, both = 0;
    int64_t worst = 0, rank = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        communication += s->list[i].communication;
        both += s->list[i].both;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        int64_t left = c->list[i].left < 0 ? -c->list[i].left : c->list[i].left;
        rank = left > worst ? c->list[i].pid : rank;
        worst = left > worst ? left : worst;
    }
    if (communication >= 1000) {
        pf_findings_show_line(run->findings, PF_INFO, "kernels hide %" PRIu64 " of %" PRIu64 " us of communication",
                              both / 1000, communication / 1000);
    }
    if (c->count > 1) {
        pf_findings_show_line(run->findings, PF_INFO,
                              "clocks of ranks: %" PRId64 " ns are left at most, on rank %" PRId64, worst, rank);
    }
}

pf_status pf_aiu_report(aiu_run *run)
{
    aiu_report_set set = {.kernels = fill_kernels(run)};
    aiu_comm_overlaps overlaps;
    aiu_clock_offsets offsets;
    set.ranks = fill_ranks(run);
    set.jobs = fill_jobs(run);
    set.iterations = fill_iterations(run);
    set.categories = fill_categories(run);
    set.gaps = fill_gaps(run);
    set.host_gaps = fill_host_gaps(run);
    pf_aiu_collective_costs_read(run, &set.costs);
    pf_aiu_comm_overlaps_read(run, &overlaps);
    pf_aiu_clock_offsets_read(run, &set.costs, &offsets);
    set.collectives = fill_collectives(run, &set.costs);
    fill_clocks(run, &overlaps, &offsets);
    if (!pf_aiu_failed(run) && pf_findings_status(run->findings, &run->error) == PF_OK) {
        pf_aiu_set_headline(run, &set);
        show_tables(run, &set);
        show_loopless(run);
        show_unnamed(run, &set.costs);
        show_clocks(run, &overlaps, &offsets);
        pf_aiu_add_figures(run, &set);
    }
    return pf_aiu_failed(run) ? run->error.code : pf_findings_status(run->findings, &run->error);
}
