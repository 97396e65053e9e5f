/* analyze/aiu/stages/aiu_stage_preps.c - queueing_counter: slices of kernels that wait become a counter of how many
 * wait.
 *
 * A sample stands at every begin and end. The program before postfetto gives the count of the last begin or end inside
 * a slice that covers the time, 0 where there is none; so it says 0 at the end of a slice inside of one other slice.
 */
#include <string.h>

#include "analyze/aiu/stages/aiu_stages.h"

typedef struct queue {
    aiu_run *run;
    aiu_key *edge; /* first: the time, second: 0 for an end, 1 for a begin; row: the slice */
    uint32_t count;
} queue;

static bool is_waiting(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_name(run, run->events.name[e])->ends == AIU_OP_PREP;
}

/* How many wait from each time on. */
static pf_status count_running(const queue *q, int64_t pid)
{
    int64_t waiting = 0;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < q->count && st == PF_OK; i++) {
        waiting += q->edge[i].second > 0 ? 1 : -1;
        if (i + 1 == q->count || q->edge[i + 1].first != q->edge[i].first) {
            st = pf_aiu_add_sample(q->run, AIU_SERIES_PREPS, pid, q->edge[i].first, (double)waiting, 0);
        }
    }
    return st;
}

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

/* Adds a slice to the counter as the program before postfetto does: every time in [begin, end) counts one more; a time
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

static pf_status count_like_reference(const queue *q, int64_t pid)
{
    aiu_run *run = q->run;
    size_t bytes = ((size_t)q->count + 1) * sizeof(step);
    step *steps = pf_alloc(run->budget, bytes);
    uint32_t n = 0, done = 0;
    if (!steps) {
        return pf_budget_refused(run->budget, bytes, &run->error);
    }
    for (uint32_t i = 0; i < q->count; i++) {
        if (q->edge[i].second > 0) {
            n = add_slice(steps, n, &done, q->edge[i].first, pf_aiu_end(run, q->edge[i].row));
        }
    }
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        st = pf_aiu_add_sample(run, AIU_SERIES_PREPS, pid, steps[i].ts, (double)steps[i].count, 0);
    }
    pf_release(run->budget, steps, bytes);
    return st;
}

static pf_status count_rank(aiu_run *run, aiu_key *edges, uint32_t count, int64_t pid)
{
    queue q = {.run = run, .edge = edges, .count = count};
    bool reference = run->set.compat != AIU_WANT; /* takes them as they come */
    pf_status st = reference ? PF_OK : pf_aiu_sort_keys(run, edges, count);
    if (st != PF_OK) {
        return st;
    }
    return reference ? count_like_reference(&q, pid) : count_running(&q, pid);
}

/* The begins of a rank's waiting slices, then their ends: each half is nearly in order. */
typedef struct rank_edges {
    uint32_t begin, end; /* the next places */
    uint32_t first;
} rank_edges;

static void collect(aiu_run *run, aiu_key *edges, rank_edges *ranks)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (is_waiting(run, e)) {
            rank_edges *r = &ranks[run->events.rank[e]];
            edges[r->begin++] = (aiu_key){run->events.ts[e], 1, e};
            edges[r->end++] = (aiu_key){pf_aiu_end(run, e), 0, e};
            run->events.flags[e] |= run->set.keep_prep ? 0 : AIU_DROPPED;
        }
    }
}

/* Where the edges of each rank begin; returns how many there are. */
static uint32_t place_ranks(aiu_run *run, rank_edges *ranks)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        ranks[run->events.rank[run->order[i]]].begin += is_waiting(run, run->order[i]);
    }
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        uint32_t slices = ranks[r].begin;
        ranks[r] = (rank_edges){.begin = total, .end = total + slices, .first = total};
        total += 2 * slices;
    }
    return total;
}

pf_status pf_aiu_count_preps(aiu_run *run)
{
    rank_edges *ranks = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *ranks, &run->error);
    if (!ranks) {
        return run->error.code;
    }
    uint32_t total = place_ranks(run, ranks);
    aiu_key *edges = pf_alloc(run->budget, ((size_t)total + 1) * sizeof *edges);
    if (!edges) {
        return pf_budget_refused(run->budget, total * sizeof *edges, &run->error);
    }
    collect(run, edges, ranks);
    pf_status st = PF_OK;
    for (uint32_t r = 0; r < run->ranks.count && st == PF_OK; r++) {
        st = count_rank(run, edges + ranks[r].first, ranks[r].end - ranks[r].first, run->ranks.pid[r]);
    }
    pf_release(run->budget, edges, ((size_t)total + 1) * sizeof *edges);
    pf_aiu_compact(run);
    return st;
}
