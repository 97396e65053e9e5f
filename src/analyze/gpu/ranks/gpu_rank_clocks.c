/* analyze/gpu/ranks/gpu_rank_clocks.c - point 5: how far the clocks of the inputs are apart.
 *
 * The ranks of a collective leave it together: none can be done before all have given their part. So the clock of an
 * input is ahead of the reference by the median difference of the ends. It is reported with its scatter, and starts are
 * compared both as recorded and in the clock of the reference.
 */
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/pass_memory.h"

/* Differences by input, one after the other: first[input] is where those of an input begin. The reference is the first
 * input of all, so its part of a collective is the first one, if it has any. */
static void list_differences(const gpu_ranks *r, const uint32_t *first, uint32_t *count, int64_t *list)
{
    for (const gpu_collective *c = r->collectives; c < r->collectives + r->collective_count; c++) {
        const gpu_rank_part *reference = &r->parts[c->first];
        for (uint32_t k = c->first; k < c->first + c->count && reference->input == r->reference; k++) {
            uint32_t input = r->parts[k].input;
            int64_t *d = &list[first[input] + count[input]++];
            *d = pf_gpu_difference(r->parts[k].end, reference->end);
        }
    }
}

static void estimate(gpu_rank_facts *rank, int64_t *list, uint32_t n, int64_t *scratch)
{
    if (n == 0) {
        return;
    }
    rank->clock_known = true;
    rank->clock_offset = pf_gpu_signed_stats(list, n, scratch).median;
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = pf_gpu_difference(list[i], rank->clock_offset);
        list[i] = d < 0 ? -d : d;
    }
    rank->clock_error = pf_gpu_signed_stats(list, n, scratch).median;
}

pf_status pf_gpu_estimate_clocks(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    uint32_t n = g->rank_count;
    uint32_t *first, *count;
    int64_t *list, *scratch;
    PF_TRY(PF_ARENA_NEW(g->arena, first, (size_t)n + 1, err));
    PF_TRY(PF_ARENA_NEW(g->arena, count, (size_t)n + 1, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, r->part_count, list, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, r->part_count, scratch, err));
    for (uint32_t k = 0; k < r->part_count; k++) {
        first[r->parts[k].input + 1]++;
        r->reference = r->parts[k].input < r->reference ? r->parts[k].input : r->reference;
    }
    for (uint32_t i = 0; i < n; i++) {
        first[i + 1] += first[i];
    }
    list_differences(r, first, count, list);
    for (uint32_t i = 0; i < n; i++) {
        estimate(&r->rank[i], list + first[i], count[i], scratch);
    }
    for (uint32_t k = 0; k < r->part_count; k++) {
        r->parts[k].start = pf_gpu_difference(r->parts[k].began, r->rank[r->parts[k].input].clock_offset);
    }
    return PF_OK;
}
