/* analyze/aiu/stages/aiu_stage_iterations.c - collect_iteration_stats: kernels that come in the same order again and
 * again are the body of a loop, and the time from one begin of it to the next is an iteration.
 *
 * An interval counts if nothing lies between the two: where kernels were passed over, the loop was left. From one job
 * to the next is no iteration, but for the program before postfetto.
 */
#include <string.h>

#include "analyze/aiu/stages/aiu_iterations.h"
#include "analyze/aiu/stages/aiu_stages.h"
#include "analyze/support/cycles.h"

enum { LEAST_SYMBOLS = 10 };

/* The kernels of a rank: their names and rows, in order. */
typedef struct word {
    uint32_t *symbols, *rows;
    size_t count;
} word;

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e) &&
           pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC;
}

/* Where the loop occurs: in each job from its begin on, for the program before postfetto over all of them. A job's
 * symbols follow a copy of the loop's, which is in front of them while they are looked at. */
static size_t occurrences(const aiu_run *run, const word *w, pf_cycle cycle, uint32_t *copy, uint32_t *borders,
                          uint32_t *starts)
{
    if (run->set.compat != AIU_WANT) {
        return pf_cycle_occurrences(w->symbols, w->count, cycle, borders, starts);
    }
    size_t found = 0, to;
    memcpy(copy, w->symbols + cycle.first, cycle.length * sizeof *copy);
    for (size_t from = cycle.first; from < w->count; from = to) {
        for (to = from + 1; to < w->count && run->events.job[w->rows[to]] == run->events.job[w->rows[from]]; to++) {
        }
        memcpy(copy + cycle.length, w->symbols + from, (to - from) * sizeof *copy);
        size_t n =
            pf_cycle_occurrences(copy, cycle.length + to - from, (pf_cycle){0, cycle.length}, borders, starts + found);
        for (size_t i = 1; i < n; i++) { /* the first is the copy */
            starts[found + i - 1] = starts[found + i] - (uint32_t)cycle.length + (uint32_t)from;
        }
        found += n - 1;
    }
    return found;
}

/* Whether the iteration at a place follows the one before it at once. */
static bool follows(const aiu_run *run, const word *w, pf_cycle cycle, const uint32_t *starts, size_t i)
{
    const uint32_t *job = run->events.job;
    return starts[i] - starts[i - 1] == cycle.length &&
           (run->set.compat != AIU_WANT || job[w->rows[starts[i]]] == job[w->rows[starts[i - 1]]]);
}

static void measure(aiu_run *run, const word *w, pf_cycle cycle, const uint32_t *starts, size_t found,
                    aiu_iterations *out)
{
    out->kernels = (uint32_t)cycle.length;
    for (size_t i = 1; i < found; i++) {
        if (follows(run, w, cycle, starts, i)) {
            double length = run->events.ts[w->rows[starts[i]]] - run->events.ts[w->rows[starts[i - 1]]];
            out->count++;
            out->mean += (length - out->mean) / (double)out->count;
        }
    }
}

/* Every iteration, those that nothing follows too. */
static pf_status keep(aiu_run *run, const word *w, pf_cycle cycle, const uint32_t *starts, size_t found,
                      aiu_iterations *out)
{
    out->row = pf_pass_alloc(run->ctx, found + 1, sizeof *out->row, &run->error);
    double *lengths = out->row ? pf_pass_alloc(run->ctx, found + 1, sizeof *lengths, &run->error) : NULL;
    uint32_t count = 0;
    if (!lengths) {
        return run->error.code;
    }
    for (size_t i = 0; i < found; i++) {
        aiu_iteration *own = &out->row[out->rows++];
        own->counted = i + 1 < found && follows(run, w, cycle, starts, i + 1);
        own->job = run->events.job[w->rows[starts[i]]];
        own->start = run->events.ts[w->rows[starts[i]]];
        uint32_t last = w->rows[starts[i] + cycle.length - 1];
        double end = own->counted ? run->events.ts[w->rows[starts[i + 1]]] : pf_aiu_end(run, last);
        own->length = end - own->start;
        lengths[count] = own->length;
        count += own->counted;
        for (size_t k = 0; k < cycle.length; k++) {
            own->busy += run->events.dur[w->rows[starts[i] + k]];
        }
    }
    out->median = pf_aiu_median(lengths, count);
    return PF_OK;
}

/* Finds the loop of a rank, in memory that is given back. */
static pf_status find_loop(aiu_run *run, const word *w, aiu_iterations *out)
{
    size_t n = w->count, bytes = (n + 1) * (sizeof(uint64_t) + 4 * sizeof(uint32_t));
    uint64_t *hashes = pf_alloc(run->budget, bytes);
    if (!hashes) {
        return pf_budget_refused(run->budget, bytes, &run->error);
    }
    uint32_t *borders = (uint32_t *)(hashes + n + 1), *starts = borders + n, *copy = starts + n + 2;
    pf_cycle cycle;
    pf_status st = PF_OK;
    if (pf_cycle_find(w->symbols, n, LEAST_SYMBOLS, hashes, &cycle)) {
        size_t found = occurrences(run, w, cycle, copy, borders, starts);
        measure(run, w, cycle, starts, found, out);
        st = keep(run, w, cycle, starts, found, out);
    }
    pf_release(run->budget, hashes, bytes);
    return st;
}

static pf_status report(aiu_run *run, uint32_t rank, const aiu_iterations *it)
{
    pf_str mean = pf_aiu_real(run, it->mean), pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    return pf_aiu_log(run, "INFO", "ITSTATS: [%.*s] avg_iteration_time=%.*s, iterations=%u", (int)pid.len, pid.ptr,
                      (int)mean.len, mean.ptr, it->count);
}

/* The kernels of all ranks, rank after rank; first[r] is where those of rank r begin. */
static pf_status collect(aiu_run *run, uint32_t **first, word *all)
{
    *first = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 2, sizeof **first, &run->error);
    if (!*first) {
        return run->error.code;
    }
    uint32_t *at = *first + 1;
    for (uint32_t i = 0; i < run->alive; i++) {
        at[run->events.rank[run->order[i]]] += is_kernel(run, run->order[i]);
    }
    for (uint32_t r = 0, total = 0; r < run->ranks.count; r++) {
        uint32_t count = at[r];
        at[r] = total;
        total += count;
        all->count = total;
    }
    all->symbols = pf_alloc(run->budget, (2 * all->count + 1) * sizeof *all->symbols);
    if (!all->symbols) {
        return pf_budget_refused(run->budget, 2 * all->count * sizeof *all->symbols, &run->error);
    }
    all->rows = all->symbols + all->count;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (is_kernel(run, e)) {
            uint32_t place = at[run->events.rank[e]]++;
            all->symbols[place] = run->events.name[e];
            all->rows[place] = e;
        }
    }
    return PF_OK;
}

pf_status pf_aiu_collect_iterations(aiu_run *run)
{
    uint32_t *first = NULL;
    word all = {NULL, NULL, 0};
    run->iterations = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *run->iterations, &run->error);
    pf_status st = run->iterations ? collect(run, &first, &all) : run->error.code;
    for (uint32_t r = 0; r < run->ranks.count && st == PF_OK; r++) {
        word w = {all.symbols + first[r], all.rows + first[r], first[r + 1] - first[r]};
        if (w.count) {
            st = find_loop(run, &w, &run->iterations[r]);
            st = st == PF_OK ? report(run, r, &run->iterations[r]) : st;
        }
    }
    pf_release(run->budget, all.symbols, all.symbols ? (2 * all.count + 1) * sizeof *all.symbols : 0);
    return st;
}
