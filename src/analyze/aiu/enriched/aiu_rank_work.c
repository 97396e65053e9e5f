/* analyze/aiu/enriched/aiu_rank_work.c - what ranks did: when the kernels of their jobs ran, how long, with which
 * energy; and how much of the communication kernels hide. Kernels and transfers between cards are unions of intervals
 * on each rank; what lies in both is hidden, the rest of the communication is exposed.
 */
#include <stdlib.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "base/ordering.h"

void pf_aiu_rank_jobs_read(aiu_run *run, aiu_rank_jobs *out)
{
    const aiu_events *v = &run->events;
    pf_map *at = pf_aiu_scratch_map(run);
    *out = (aiu_rank_jobs){0};
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_kernel, &i, &e);) {
        uint32_t row = pf_aiu_number(run, at, (uint64_t)v->rank[e] << 32 | v->job[e]);
        if (AIU_ROOM(run, out->list, row + 1, out->room) != PF_OK) {
            return;
        }
        aiu_rank_job *j = &out->list[row];
        if (row == out->count) {
            *j = (aiu_rank_job){.rank = v->rank[e], .job = v->job[e], .start = INFINITY, .end = -INFINITY};
            out->count++;
        }
        j->start = fmin(j->start, v->ts[e]);
        j->end = fmax(j->end, pf_aiu_end(run, e));
        j->kernels++;
        j->busy += v->dur[e];
        j->energy += run->energy && !isinf(run->energy[e]) ? run->energy[e] : 0;
    }
}

static bool is_kernel(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    return pf_aiu_is_slice(run, e) && v->flags[e] & AIU_HAS_CLASS && v->dur[e] > 0 &&
           v->class[e] == AIU_CLASS_COMPUTE_EXEC;
}

static bool is_transfer(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    return pf_aiu_is_slice(run, e) && v->flags[e] & AIU_HAS_CLASS && v->dur[e] > 0 &&
           v->class[e] >= AIU_CLASS_PROTOCOL_SERIAL;
}

/* The union of a rank's events; scratch has room for them. */
static size_t make_set(const aiu_run *run, const aiu_rows *of, uint32_t rank, pf_interval *set, pf_interval *scratch)
{
    size_t n = 0;
    for (uint32_t i = of->first[rank]; i < of->first[rank + 1]; i++) {
        set[n++] = pf_aiu_interval(run, run->events.ts[of->list[i]], pf_aiu_end(run, of->list[i]));
    }
    return pf_interval_set_make(set, n, scratch);
}

PF_ORDER(compare_pids, aiu_comm_overlap, PF_UP(pid));

void pf_aiu_comm_overlaps_read(aiu_run *run, aiu_comm_overlaps *out)
{
    const aiu_rows kernels = pf_aiu_rows_by_rank(run, is_kernel), transfers = pf_aiu_rows_by_rank(run, is_transfer);
    uint32_t ranks = run->ranks.count;
    size_t room = 1;
    for (uint32_t r = 0; r < ranks && !pf_aiu_failed(run); r++) {
        size_t n = (size_t)kernels.first[r + 1] - kernels.first[r] + transfers.first[r + 1] - transfers.first[r];
        room = n > room ? n : room;
    }
    pf_interval *of_kernels = pf_aiu_alloc(run, 3 * room, sizeof *of_kernels);
    *out = (aiu_comm_overlaps){pf_aiu_alloc(run, (size_t)ranks + 1, sizeof *out->list), 0};
    for (uint32_t r = 0; r < ranks && out->list; r++) {
        pf_interval *of_transfers = of_kernels + room, *scratch = of_transfers + room;
        size_t k = make_set(run, &kernels, r, of_kernels, scratch);
        size_t t = make_set(run, &transfers, r, of_transfers, scratch);
        if (k || t) {
            out->list[out->count++] = (aiu_comm_overlap){run->ranks.pid[r], pf_interval_total(of_kernels, k),
                                                         pf_interval_total(of_transfers, t),
                                                         pf_interval_common(of_kernels, k, of_transfers, t)};
        }
    }
    if (out->count > 1) {
        qsort(out->list, out->count, sizeof *out->list, compare_pids);
    }
}
