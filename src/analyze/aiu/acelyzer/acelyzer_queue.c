/* analyze/aiu/acelyzer/acelyzer_queue.c - how many kernels wait, as acelyzer counts them.
 *
 * A sample stands at every begin and end. It is the count of the last begin or end inside a slice that covers the time,
 * 0 where there is none; so it says 0 at the end of a slice inside of one other slice.
 */
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"

/* The distinct times of the edges, how many slices begin and end there. */
typedef struct step {
    double ts;
    int64_t count;
} step;

static uint32_t find_step(const step *steps, uint32_t n, double ts)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (steps[middle].ts < ts) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

/* Adds a slice to the counter: every time in [begin, end) counts one more; a time
 * that is new takes over the count of the last one inside the slice, or of the last one that is done now; 0 without. */
static uint32_t add_slice(step *steps, uint32_t n, uint32_t *done, double begin, double end)
{
    uint32_t was_done = *done, first = *done + find_step(steps + *done, n - *done, begin);
    *done = first; /* what comes before the slice is done, and stays whatever comes later */
    uint32_t from = first, to = from + find_step(steps + from, n - from, end);
    int64_t carried = to > from ? steps[to - 1].count : 0;
    bool has_end = to < n && steps[to].ts == end, has_begin = from < n && steps[from].ts == begin;
    if (!has_end) {
        memmove(steps + to + 1, steps + to, (n - to) * sizeof *steps);
        steps[to] = (step){end, carried};
        n++;
    }
    int64_t before = from > was_done ? steps[from - 1].count : 0;
    if (!has_begin) {
        memmove(steps + from + 1, steps + from, (n - from) * sizeof *steps);
        steps[from] = (step){begin, before};
        n++;
        to++;
    }
    for (uint32_t i = from; i < to; i++) {
        steps[i].count++;
    }
    return n;
}

static void count_queue(aiu_run *run, aiu_key *edges, uint32_t count, int64_t pid)
{
    step *steps = pf_aiu_scratch(run, count, sizeof *steps);
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < count && steps; i++) {
        if (edges[i].second > 0) {
            n = add_slice(steps, n, &done, edges[i].first, pf_aiu_end(run, edges[i].row));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        pf_aiu_add_sample(run, AIU_SERIES_PREPS, pid, steps[i].ts, (double)steps[i].count, 0);
    }
}

void pf_acelyzer_count_preps(aiu_run *run)
{
    pf_aiu_count_queues(run, count_queue);
}
