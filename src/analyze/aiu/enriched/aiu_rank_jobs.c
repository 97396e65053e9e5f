/* analyze/aiu/enriched/aiu_rank_jobs.c - what the jobs of each rank did: when their kernels ran, how long, with which
 * energy. */
#include <math.h>

#include "analyze/aiu/enriched/aiu_measures.h"

/* The row of a kernel's rank and job, found or added; NULL: refused. */
static aiu_rank_job *row_of(aiu_run *run, aiu_rank_jobs *out, pf_map *at, uint32_t e)
{
    uint64_t key = (uint64_t)run->events.rank[e] << 32 | run->events.job[e];
    uint32_t row = pf_map_get(at, key);
    if (row != PF_NONE) {
        return &out->list[row];
    }
    if (AIU_ROOM(run, out->list, out->count + 1, out->room) || pf_aiu_map(run, at, key, out->count)) {
        return NULL;
    }
    out->list[out->count] =
        (aiu_rank_job){.rank = run->events.rank[e], .job = run->events.job[e], .start = INFINITY, .end = -INFINITY};
    return &out->list[out->count++];
}

void pf_aiu_rank_jobs_read(aiu_run *run, aiu_rank_jobs *out)
{
    pf_map at;
    pf_map_init(&at, run->budget);
    *out = (aiu_rank_jobs){0};
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        aiu_rank_job *j = pf_aiu_is_kernel(run, e) ? row_of(run, out, &at, e) : NULL;
        if (j) {
            j->start = fmin(j->start, run->events.ts[e]);
            j->end = fmax(j->end, pf_aiu_end(run, e));
            j->kernels++;
            j->busy += run->events.dur[e];
            j->energy += run->energy && !isinf(run->energy[e]) ? run->energy[e] : 0;
        }
    }
    pf_map_free(&at);
}
