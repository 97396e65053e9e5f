/* analyze/aiu/enriched/aiu_rank_jobs.c - what the jobs of each rank did: when their kernels ran, how long, with which
 * energy. */
#include <math.h>

#include "analyze/aiu/enriched/aiu_measures.h"

static pf_status add_kernels(aiu_run *run, aiu_rank_jobs *out, pf_map *at, pf_error *err)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_kernel(run, e)) {
            continue;
        }
        uint64_t key = (uint64_t)run->events.rank[e] << 32 | run->events.job[e];
        uint32_t row = pf_map_get(at, key);
        if (row == PF_NONE) {
            row = out->count++;
            PF_TRY(AIU_ROOM(run, out->list, out->count, out->room));
            if (!pf_map_set(at, key, row)) {
                return pf_budget_refused(run->budget, sizeof key, err);
            }
            out->list[row] = (aiu_rank_job){
                .rank = run->events.rank[e], .job = run->events.job[e], .start = INFINITY, .end = -INFINITY};
        }
        aiu_rank_job *j = &out->list[row];
        j->start = fmin(j->start, run->events.ts[e]);
        j->end = fmax(j->end, pf_aiu_end(run, e));
        j->kernels++;
        j->busy += run->events.dur[e];
        j->energy += run->energy && !isinf(run->energy[e]) ? run->energy[e] : 0;
    }
    return PF_OK;
}

pf_status pf_aiu_rank_jobs_read(aiu_run *run, aiu_rank_jobs *out, pf_error *err)
{
    pf_map at;
    pf_map_init(&at, run->budget);
    *out = (aiu_rank_jobs){0};
    pf_status st = add_kernels(run, out, &at, err);
    pf_map_free(&at);
    return st;
}
