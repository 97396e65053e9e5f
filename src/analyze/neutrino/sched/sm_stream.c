/* analyze/neutrino/sched/sm_stream.c - see the header. */
#include "analyze/neutrino/sched/sm_stream.h"

#include <string.h>

/* ---- the compatible result --------------------------------------------------------------------------------------- */

static bool make_room(pf_budget *budget, sched_queue *q, uint64_t more)
{
    uint64_t count = q->past - q->first, room = q->room ? q->room : 64;
    while (room < count + more) {
        room *= 2;
    }
    if (room == q->room) {
        return true;
    }
    uint64_t *end = pf_alloc(budget, room * sizeof *end);
    for (uint64_t i = q->first; end && i < q->past; i++) {
        end[i & (room - 1)] = q->end[i & (q->room - 1)];
    }
    if (end) {
        pf_release(budget, q->end, q->room * sizeof *end);
        q->end = end;
        q->room = room;
    }
    return end != NULL;
}

/* Only the head of the queue is compared, as the original does. Without a branch, for nobody could predict it. */
static bool add_compatible(sched_sm *sm, const sched_block *b, uint32_t count)
{
    if (!make_room(sm->sweep.budget, &sm->queue, count)) {
        return false;
    }
    sched_queue q = sm->queue;
    uint64_t work = 0, gap = 0, pairs = 0, mask = q.room - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t head = q.end[q.first & mask];
        uint64_t over = (uint64_t)(q.first != q.past) & (uint64_t)(head <= b[i].start);
        gap += over ? b[i].start - head : 0;
        pairs += over;
        q.first += over;
        q.end[q.past++ & mask] = b[i].end;
        work += b[i].end - b[i].start;
    }
    sm->queue = q;
    sm->compat_work += work;
    sm->compat_gap += gap;
    sm->compat_pairs += pairs;
    sm->compat_blocks += count;
    return true;
}

/* ---- the exact result -------------------------------------------------------------------------------------------- */

/* Puts the blocks into the order of their starts; few have to move, and not far. */
static void order(sched_sm *sm)
{
    sched_block *list = sm->block;
    for (uint32_t i = sm->ordered; i < sm->held; i++) {
        sched_block b = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1].start > b.start; at--) {
            list[at] = list[at - 1];
        }
        list[at] = b;
    }
    sm->ordered = sm->held;
}

static bool sweep(sched_sm *sm, uint32_t count)
{
    if (!pf_sm_sweep_reserve(&sm->sweep, count)) {
        return false;
    }
    sm_sweep s = sm->sweep;
    for (uint32_t i = 0; i < count; i++) {
        const sm_block b = {sm->block[i].start, sm->block[i].end, 0};
        sm_placed ignored;
        pf_sm_sweep_add(&s, &b, &ignored);
    }
    sm->sweep = s;
    sm->swept = sm->block[count - 1].start;
    sm->held -= count;
    sm->ordered = sm->held;
    memmove(sm->block, sm->block + count, sm->held * sizeof *sm->block);
    return true;
}

bool pf_sched_settle(sched_sm *sm, uint32_t keep)
{
    uint32_t fresh = sm->held - sm->ordered;
    if (!add_compatible(sm, sm->block + sm->ordered, fresh)) {
        return false;
    }
    sm->exact_blocks += fresh;
    order(sm);
    sm->again |= sm->held > 0 && sm->block[0].start < sm->swept;
    if (sm->again) {
        sm->held = sm->ordered = 0;
    }
    return sm->held <= keep || sweep(sm, sm->held - keep);
}

bool pf_sched_add_unused(sched_sm *sm)
{
    const sched_block b = {0, 0};
    return pf_sched_settle(sm, SCHED_KEPT) && add_compatible(sm, &b, 1);
}

bool pf_sched_finish(sched_sm *sm)
{
    bool good = pf_sched_settle(sm, 0);
    sm->tail = good && !sm->again ? pf_sm_tail(&sm->sweep) : 0;
    return good;
}

void pf_sched_free_sm(sched_sm *sm)
{
    pf_release(sm->sweep.budget, sm->queue.end, sm->queue.room * sizeof *sm->queue.end);
    pf_sm_sweep_free(&sm->sweep);
}
