/* analyze/neutrino/sched/sm_stream.c - the blocks of one SM as they stream by, in the order of the file.
 *
 * The compatible result needs the file's order, the exact one that of the starts. Blocks of an SM are nearly in order,
 * so that keeping the last few back is enough to put them right; an SM on which one comes later than that is marked,
 * and its blocks are gathered and swept once more. So is one with a block at the end of time, where windows have their
 * sentinels. So memory does not grow with the number of blocks, unless a trace is far out of order.
 *
 * Blocks of one SM lie far apart in the file. They are collected and worked off many at a time, so that what is known
 * of an SM comes into the cache once for all of them: 1.7 times as fast for blocks of one warp, and 128 are about the
 * best number.
 */
#include "analyze/neutrino/sched/block_sched.h"

#include <string.h>

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

/* Only the head of the queue is compared, as the original does. Where it has not ended the queue grows, so that soon it
 * always has: the branch is predicted well. */
static bool add_compatible(sched_sm *sm, const sched_block *b, uint32_t count)
{
    if (!make_room(sm->sweep.budget, &sm->queue, count)) {
        return false;
    }
    sched_queue q = sm->queue;
    uint64_t work = 0, gap = 0, first = q.first, mask = q.room - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t head = q.end[q.first & mask];
        if (q.first != q.past && head <= b[i].start) {
            gap += b[i].start - head;
            q.first++;
        }
        q.end[q.past++ & mask] = b[i].end;
        work += b[i].end - b[i].start;
    }
    sm->queue = q;
    sm->work += work;
    sm->compat_gap += gap;
    sm->compat_pairs += q.first - first;
    sm->compat_blocks += count;
    return true;
}

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

/* For an SM with more slots than the window has room for. */
static bool sweep_with_slots(sm_sweep *sweep, const sched_block *list, uint32_t count)
{
    if (!pf_sm_sweep_reserve(sweep, count)) {
        return false;
    }
    sm_sweep s = *sweep;
    for (uint32_t i = 0; i < count; i++) {
        const sm_block b = {list[i].start, list[i].end, 0};
        sm_placed ignored;
        pf_sm_sweep_add(&s, &b, &ignored);
    }
    *sweep = s;
    return true;
}

static bool sweep(sched_sm *sm, uint32_t count)
{
    uint32_t done = sm->sweep.room ? 0 : pf_sm_window_sweep(&sm->window, &sm->sweep, sm->block, count);
    if (done < count) {
        bool good = sm->sweep.room || pf_sm_window_leave(&sm->window, &sm->sweep);
        if (!good || !sweep_with_slots(&sm->sweep, sm->block + done, count - done)) {
            return false;
        }
    }
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
    sm->again |= sm->held > 0 && (sm->block[0].start < sm->swept || sm->block[sm->held - 1].start == UINT64_MAX);
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
    if (good && !sm->again) {
        sm->tail = sm->sweep.room ? pf_sm_tail(&sm->sweep) : pf_sm_window_tail(&sm->window, &sm->sweep);
    }
    return good;
}

void pf_sched_free_sm(sched_sm *sm)
{
    pf_release(sm->sweep.budget, sm->queue.end, sm->queue.room * sizeof *sm->queue.end);
    pf_sm_sweep_free(&sm->sweep);
}
