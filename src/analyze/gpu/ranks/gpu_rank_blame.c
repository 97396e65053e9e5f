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
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

enum { MOST_HOPS = 1000 };

typedef struct blaming {
    const gpu_ranks *r;
    uint32_t *before; /* by part: the part of the same input that began before it, or PF_NONE */
} blaming;

/* Parts by collective are put into the order of their starts. */
static pf_status find_before(gpu_facts *g, blaming *b, pf_error *err)
{
    uint32_t n = b->r->part_count, *order, *spare, *last;
    int64_t *began;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, b->before, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, order, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, spare, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, began, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, g->rank_count, last, err));
    for (uint32_t k = 0; k < n; k++) {
        began[k] = b->r->parts[k].began;
    }
    for (uint32_t i = 0; i < g->rank_count; i++) {
        last[i] = PF_NONE;
    }
    pf_sort_order(began, n, order, spare);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *own = &last[b->r->parts[order[i]].input];
        b->before[order[i]] = *own;
        *own = order[i];
    }
    return PF_OK;
}

/* From the end of the collective before to the start of this one. */
static int64_t own_time(const blaming *b, uint32_t part)
{
    return pf_gpu_difference(b->r->parts[part].began, b->r->parts[b->before[part]].end);
}

/* How much longer than the mean that is of the last one to arrive; in its first collective how late that is. */
static int64_t own_delay(const blaming *b, const gpu_collective *c)
{
    __int128 sum = 0;
    int64_t count = 0;
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        sum += b->before[k] == PF_NONE ? 0 : own_time(b, k);
        count += b->before[k] != PF_NONE;
    }
    return b->before[c->last] == PF_NONE ? b->r->parts[c->last].late
                                         : pf_gpu_difference(own_time(b, c->last), (int64_t)(sum / count));
}

/* Collectives as they are numbered by their parts, not yet in the order of their starts. */
static uint32_t cause_of(const blaming *b, const int64_t *delay, uint32_t collective)
{
    const gpu_collective *all = b->r->collectives;
    uint32_t most = collective, at = collective;
    for (int hops = 0; hops < MOST_HOPS && b->before[all[at].last] != PF_NONE; hops++) {
        at = b->r->parts[b->before[all[at].last]].collective;
        if (all[at].count >= all[collective].count || all[at].behind == 0) {
            break;
        }
        most = delay[at] > delay[most] ? at : most;
    }
    return b->r->parts[all[most].last].input;
}

pf_status pf_gpu_blame(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    blaming b = {.r = r};
    int64_t *delay;
    PF_TRY(find_before(g, &b, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, r->collective_count, delay, err));
    for (uint32_t i = 0; i < r->collective_count; i++) {
        delay[i] = own_delay(&b, &r->collectives[i]);
    }
    for (uint32_t i = 0; i < r->collective_count; i++) {
        gpu_collective *c = &r->collectives[i];
        c->cause = c->behind ? cause_of(&b, delay, i) : PF_NONE;
        if (c->behind) {
            r->rank[c->cause].delayed++;
            r->rank[c->cause].cost += c->lost;
        }
    }
    pf_arena_reset(&g->scratch);
    return PF_OK;
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
        for (const gpu_collective *c = r->collectives; c < r->collectives + r->collective_count; c++) {
            if (c->cause == list[i].input && (!list[i].worst || c->lost > list[i].worst->lost)) {
                list[i].worst = c;
            }
        }
    }
    *out = list;
    return PF_OK;
}
