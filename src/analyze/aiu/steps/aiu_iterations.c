/* analyze/aiu/steps/aiu_iterations.c - kernels that come in the same order again and
 * again are the body of a loop, and the time from one begin of it to the next is an iteration.
 *
 * An interval counts if nothing lies between the two: where kernels were passed over, the loop was left. From one job
 * to the next is no iteration, but for acelyzer.
 */
#include <string.h>

#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/cycles.h"

enum { LEAST_SYMBOLS = 10 };

/* The kernels of a rank: their names and rows, in order. */
typedef struct word {
    const uint32_t *symbols, *rows;
    size_t count;
} word;

/* Kernels of torch traces need no counters, and acelyzer does not know them. */
static bool is_kernel(aiu_run *run, uint32_t e)
{
    bool torch = run->events.flags[e] & AIU_TORCH && !pf_aiu_rule(run, AIU_FLEX_ALONE);
    return torch ? pf_aiu_is_kernel(run, e)
                 : pf_aiu_is_device_slice(run, e) && pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC;
}

/* Whether a loop goes on from one place to another one. */
static bool is_one_job(const aiu_run *run, const word *w, size_t a, size_t b)
{
    const uint32_t *job = run->events.job;
    return pf_aiu_rule(run, AIU_ONE_FILE) || job[w->rows[a]] == job[w->rows[b]];
}

/* Where the loop occurs: in each job from its begin on. A job's symbols follow a copy of the loop's, which is in front
 * of them while they are looked at. */
static size_t occurrences(const aiu_run *run, const word *w, pf_cycle cycle, uint32_t *copy, uint32_t *borders,
                          uint32_t *starts)
{
    size_t found = 0, to;
    memcpy(copy, w->symbols + cycle.first, cycle.length * sizeof *copy);
    for (size_t from = cycle.first; from < w->count; from = to) {
        for (to = from + 1; to < w->count && is_one_job(run, w, to, from); to++) {
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

/* Every iteration, those that nothing follows too. */
static void keep(aiu_run *run, const word *w, pf_cycle cycle, const uint32_t *starts, size_t found, aiu_iterations *out)
{
    const double *ts = run->events.ts;
    double *lengths = pf_aiu_scratch(run, found, sizeof *lengths);
    out->row = pf_aiu_alloc(run, found, sizeof *out->row);
    out->kernels = (uint32_t)cycle.length;
    for (size_t i = 0; i < found && out->row; i++) {
        aiu_iteration *own = &out->row[out->rows++];
        const uint32_t *kernels = w->rows + starts[i];
        own->counted =
            i + 1 < found && starts[i + 1] - starts[i] == cycle.length && is_one_job(run, w, starts[i + 1], starts[i]);
        own->job = run->events.job[kernels[0]];
        own->start = ts[kernels[0]];
        own->length =
            (own->counted ? ts[kernels[cycle.length]] : pf_aiu_end(run, kernels[cycle.length - 1])) - own->start;
        if (own->counted) {
            lengths[out->count++] = own->length;
            out->mean += (own->length - out->mean) / (double)out->count;
        }
        for (size_t k = 0; k < cycle.length; k++) {
            own->busy += run->events.dur[kernels[k]];
        }
    }
    out->median = out->row ? pf_aiu_median(lengths, out->count) : 0;
}

void pf_aiu_collect_iterations(aiu_run *run)
{
    aiu_rows kernels = pf_aiu_rows_by_rank(run, is_kernel);
    uint32_t *symbols = pf_aiu_scratch(run, kernels.count, sizeof *symbols);
    run->iterations = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->iterations);
    for (uint32_t i = 0; i < kernels.count && run->iterations; i++) {
        symbols[i] = run->events.name[kernels.list[i]];
    }
    for (uint32_t r = 0; r < run->ranks.count && run->iterations; r++) {
        uint32_t from = kernels.first[r], n = kernels.first[r + 1] - from;
        word w = {symbols + from, kernels.list + from, n};
        aiu_iterations *out = &run->iterations[r];
        uint64_t *hashes = n ? pf_aiu_scratch(run, (size_t)n + 1, sizeof *hashes) : NULL;
        uint32_t *borders = n ? pf_aiu_scratch(run, 4 * (size_t)n + 4, sizeof *borders) : NULL;
        pf_cycle cycle;
        if (!borders) {
            continue;
        }
        uint32_t *starts = borders + n, *copy = starts + n + 2;
        if (pf_cycle_find(w.symbols, n, LEAST_SYMBOLS, hashes, &cycle)) {
            keep(run, &w, cycle, starts, occurrences(run, &w, cycle, copy, borders, starts), out);
        }
        pf_aiu_log(run, "INFO", "ITSTATS: [%s] avg_iteration_time=%s, iterations=%u", pf_aiu_rank_name(run, r),
                   pf_aiu_num(run, out->mean), out->count);
    }
}
