/* analyze/neutrino/sched/sm_sweep.c - the memory of a sweep; see the header. */
#include "analyze/neutrino/sched/sm_sweep.h"

/* A child of the last entry of a full heap is compared. */
static size_t busy_entries(uint32_t room)
{
    return 2 * (size_t)room + 1;
}

static void release(sm_sweep *s)
{
    pf_release(s->budget, s->busy, busy_entries(s->room) * sizeof *s->busy);
    pf_release(s->budget, s->freed, s->room * sizeof *s->freed);
    pf_release(s->budget, s->ends, s->room * sizeof *s->ends);
}

/* A slot is new only where all others are in use: nothing is free, and the ends of what was are not needed any more. */
static bool grow(sm_sweep *s, uint32_t room)
{
    sm_sweep more = *s;
    more.room = room;
    more.busy = pf_alloc(s->budget, busy_entries(more.room) * sizeof *more.busy);
    more.freed = pf_alloc(s->budget, more.room * sizeof *more.freed);
    more.ends = pf_alloc_zero(s->budget, more.room, sizeof *more.ends);
    if (!more.busy || !more.freed || !more.ends) {
        release(&more);
        return false;
    }
    for (size_t i = 0; i < busy_entries(more.room); i++) {
        more.busy[i] = i < s->busy_count ? s->busy[i] : (sm_slot){UINT64_MAX, 0};
    }
    for (uint32_t i = 0; i < s->free_count; i++) {
        more.freed[i] = s->freed[i];
    }
    for (uint64_t i = s->ended < s->room ? 0 : s->ended - s->room; i < s->ended; i++) {
        more.ends[i & (more.room - 1)] = s->ends[i & (s->room - 1)];
    }
    release(s);
    *s = more;
    return true;
}

bool pf_sm_sweep_reserve(sm_sweep *s, uint32_t blocks)
{
    uint32_t room = s->room ? s->room : 32;
    while (room - s->slots < blocks) {
        room *= 2;
    }
    return room == s->room || grow(s, room);
}

void pf_sm_sweep_free(sm_sweep *s)
{
    release(s);
    s->busy = s->freed = NULL;
    s->ends = NULL;
    s->room = 0;
}
