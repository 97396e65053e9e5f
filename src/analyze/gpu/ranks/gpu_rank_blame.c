/* analyze/gpu/ranks/gpu_rank_blame.c - point 5: whose delay the waiting in a collective comes from.
 *
 * Who is last in a collective of all ranks may have been kept by one before: of a few ranks, among them the one that
 * was slow. So a chain is followed back: from the last one to arrive to the collective that it left before, to the last
 * one to arrive there, and so on, up to a collective with as many ranks (after which all were level). Each of these
 * took some time from the collective before to its arrival; the one that took most time more than the mean of those
 * whom it met there is the cause. Where several arrive last at once the chain ends.
 */
#include <stdlib.h>

#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

enum { MOST_HOPS = 1000 };

/* How much longer than the mean the last one to arrive took from the end of its collective before; in its first
 * collective how late it is. */
static int64_t own_delay(const gpu_collective *c)
{
    return c->last.before == PF_NONE ? pf_gpu_difference(c->last_start, c->mean_start)
                                     : pf_gpu_difference(c->last.own, (int64_t)(c->own_sum / c->own_count));
}

static uint32_t cause_of(const gpu_collective *all, uint32_t collective)
{
    uint32_t most = collective, at = collective;
    for (int hops = 0; hops < MOST_HOPS && all[at].last.before != PF_NONE; hops++) {
        at = all[at].last.before;
        if (all[at].count >= all[collective].count || all[at].behind == 0) {
            break;
        }
        most = own_delay(&all[at]) > own_delay(&all[most]) ? at : most;
    }
    return all[most].last.input;
}

void pf_gpu_blame(gpu_ranks *r)
{
    for (uint32_t i = 0; i < r->collective_count; i++) {
        gpu_collective *c = pf_gpu_collective_at(r, i);
        c->cause = c->behind ? cause_of(r->collectives, r->sorted[i]) : PF_NONE;
        if (c->behind) {
            r->rank[c->cause].delayed++;
            r->rank[c->cause].cost += c->lost;
        }
    }
}

/* ---- the ranks that cost most ------------------------------------------------------------------------------------ */

static int by_cost(const void *a, const void *b)
{
    const gpu_costly *x = a, *y = b;
    int order = PF_COMPARE(y->cost, x->cost);
    return order ? order : PF_COMPARE(x->input, y->input);
}

pf_status pf_gpu_costliest(gpu_facts *g, const gpu_ranks *r, gpu_costly **out, uint32_t *count, pf_error *err)
{
    gpu_costly *list;
    uint32_t n = 0;
    PF_TRY(PF_PASS_ARRAY(g->arena, g->rank_count, list, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        if (r->rank[i].cost) {
            list[n++] = (gpu_costly){.cost = r->rank[i].cost, .input = i};
        }
    }
    qsort(list, n, sizeof *list, by_cost);
    *count = n < GPU_MOST_COSTLY ? n : GPU_MOST_COSTLY;
    for (uint32_t i = 0; i < *count; i++) {
        for (uint32_t k = 0; k < r->collective_count; k++) {
            const gpu_collective *c = pf_gpu_collective_at(r, k);
            if (c->cause == list[i].input && (!list[i].worst || c->lost > list[i].worst->lost)) {
                list[i].worst = c;
            }
        }
    }
    *out = list;
    return PF_OK;
}

pf_status pf_gpu_choose_paths(gpu_facts *g, const gpu_ranks *r, pf_error *err)
{
    gpu_costly *list;
    const gpu_device *idle = g->devices;
    if (g->rank_count <= GPU_MOST_PATHS) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, g->rank_count, list, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        list[i] = (gpu_costly){.cost = r->rank[i].cost, .input = i};
    }
    qsort(list, g->rank_count, sizeof *list, by_cost);
    for (const gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        idle = d->times.idle > idle->times.idle ? d : idle;
    }
    for (uint32_t i = GPU_MOST_PATHS; i < g->rank_count; i++) {
        g->ranks[list[i].input].path_left_out = g->device_count == 0 || list[i].input != idle->input;
    }
    return PF_OK;
}
