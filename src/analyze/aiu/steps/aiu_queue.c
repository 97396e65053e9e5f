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

void pf_aiu_count_queues(aiu_run *run, aiu_count_queue *count)
{
    aiu_rows rows = pf_aiu_rows_by_rank(run, is_waiting);
    for (uint32_t r = 0; r < run->ranks.count && rows.first; r++) {
        uint32_t from = rows.first[r], n = rows.first[r + 1] - from;
        aiu_key *edges = pf_aiu_scratch(run, 2 * (size_t)n, sizeof *edges);
        for (uint32_t i = 0; i < n && edges; i++) { /* begins, then ends: each half is nearly in order */
            uint32_t e = rows.list[from + i];
            edges[i] = (aiu_key){run->events.ts[e], 1, e};
            edges[n + i] = (aiu_key){pf_aiu_end(run, e), 0, e};
            run->events.flags[e] |= run->set.keep_prep ? 0 : AIU_DROPPED;
        }
        if (edges) {
            count(run, edges, 2 * n, run->ranks.pid[r]);
        }
    }
    pf_aiu_compact(run);
}

void pf_aiu_count_preps(aiu_run *run)
{
    pf_aiu_count_queues(run, count_running);
}
