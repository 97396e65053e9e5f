/* analyze/aiu/steps/aiu_queue.c - slices of kernels that wait become a counter of how many wait: a sample at every
 * begin and end. */
#include "analyze/aiu/steps/aiu_steps.h"

static bool is_waiting(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_name(run, run->events.name[e])->ends == AIU_OP_PREP;
}

/* How many wait from each time on. */
static void count_running(aiu_run *run, aiu_key *edge, uint32_t count, int64_t pid)
{
    int64_t waiting = 0;
    pf_aiu_sort_keys(run, edge, count);
    for (uint32_t i = 0; i < count; i++) {
        waiting += edge[i].second > 0 ? 1 : -1;
        if (i + 1 == count || edge[i + 1].first != edge[i].first) {
            pf_aiu_add_sample(run, AIU_SERIES_PREPS, pid, edge[i].first, (double)waiting, 0);
        }
    }
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

void pf_aiu_count_queues(aiu_run *run, aiu_count_queue *count)
{
    rank_edges *ranks = pf_aiu_scratch(run, run->ranks.count, sizeof *ranks);
    aiu_key *edges = ranks ? pf_aiu_scratch(run, place_ranks(run, ranks), sizeof *edges) : NULL;
    if (!edges) {
        return;
    }
    collect(run, edges, ranks);
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        count(run, edges + ranks[r].first, ranks[r].end - ranks[r].first, run->ranks.pid[r]);
    }
    pf_aiu_compact(run);
}

void pf_aiu_count_preps(aiu_run *run)
{
    pf_aiu_count_queues(run, count_running);
}
