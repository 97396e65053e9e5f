/* analyze/aiu/acelyzer/acelyzer_queue.c - how many kernels wait, as acelyzer counts them.
 *
 * A sample stands at every begin and end. It is the count of the last begin or end inside a slice that covers the time,
 * 0 where there is none; so it says 0 at the end of a slice inside of one other slice.
 */
#include <math.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"

/* How many steps come before a time. A step is a time of an edge, and in place of a row how many slices are open. */
static uint32_t steps_before(const aiu_key *steps, uint32_t n, double ts)
{
    return pf_aiu_keys_before(steps, n, ts, -INFINITY);
}

/* Makes room for a step at a place. */
static void insert(aiu_key *steps, uint32_t *n, uint32_t at, double ts, uint32_t open)
{
    memmove(steps + at + 1, steps + at, (*n - at) * sizeof *steps);
    steps[at] = (aiu_key){ts, 0, open};
    ++*n;
}

/* Adds a slice to the counter: every time in [begin, end) counts one more; a time
 * that is new takes over the count of the last one inside the slice, or of the last one that is done now; 0 without. */
static uint32_t add_slice(aiu_key *steps, uint32_t n, uint32_t *done, double begin, double end)
{
    uint32_t was_done = *done, from = *done + steps_before(steps + *done, n - *done, begin);
    *done = from; /* what comes before the slice is done, and stays whatever comes later */
    uint32_t to = from + steps_before(steps + from, n - from, end), before = from > was_done ? steps[from - 1].row : 0;
    bool has_end = to < n && steps[to].first == end, has_begin = from < n && steps[from].first == begin;
    if (!has_end) {
        insert(steps, &n, to, end, to > from ? steps[to - 1].row : 0);
    }
    if (!has_begin) {
        insert(steps, &n, from, begin, before);
        to++;
    }
    for (uint32_t i = from; i < to; i++) {
        steps[i].row++;
    }
    return n;
}

static void count_queue(aiu_run *run, aiu_key *edges, uint32_t count, int64_t pid)
{
    aiu_key *steps = pf_aiu_scratch(run, count, sizeof *steps);
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < count && steps; i++) {
        if (edges[i].second > 0) {
            n = add_slice(steps, n, &done, edges[i].first, pf_aiu_end(run, edges[i].row));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        pf_aiu_add_sample(run, AIU_SERIES_PREPS, pid, steps[i].first, steps[i].row, 0);
    }
}

void pf_acelyzer_count_preps(aiu_run *run)
{
    pf_aiu_count_queues(run, count_queue);
}
