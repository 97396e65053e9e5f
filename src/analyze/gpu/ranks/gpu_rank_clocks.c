/* analyze/gpu/ranks/gpu_rank_clocks.c - point 5: how far the clocks of the inputs are apart.
 *
 * The ranks of a collective leave it together: none can be done before all have given their part. So the clock of an
 * input is ahead of the reference by the median difference of the ends. It is reported with its scatter, and starts are
 * compared both as recorded and in the clock of the reference.
 */
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/pass_memory.h"

pf_status pf_gpu_estimate_clock(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err)
{
    gpu_rank_facts *rank = &r->rank[p->input];
    int64_t *list, *scratch;
    uint32_t count = 0;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, list, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, scratch, err));
    for (uint32_t k = 0; k < n; k++) {
        const gpu_collective *c = &r->collectives[p[k].collective];
        if (pf_gpu_has_reference(r, c)) {
            list[count++] = pf_gpu_difference(p[k].end, c->part.end);
        }
    }
    if (count) {
        rank->clock_known = true;
        rank->clock_offset = pf_gpu_signed_stats(list, count, scratch).median;
        for (uint32_t i = 0; i < count; i++) {
            int64_t d = pf_gpu_difference(list[i], rank->clock_offset);
            list[i] = d < 0 ? -d : d;
        }
        rank->clock_error = pf_gpu_signed_stats(list, count, scratch).median;
    }
    for (uint32_t k = 0; k < n; k++) {
        p[k].start = pf_gpu_difference(p[k].began, rank->clock_offset);
    }
    return PF_OK;
}
