/* analyze/neutrino/sched/sm_window.h - the exact result of one SM that has few slots and whose slots nobody has to
 * name: what sm_sweep.h finds, in half of its time.
 *
 * Which slot a block takes matters for the gap alone, so that ends are enough. Those whose slots are free are a stack,
 * those of blocks that run are in order: a window that moves on over the ends of all blocks. Durations are as good as
 * random, and a branch that depends on them would be predicted wrongly for every other block. So both steps do the same
 * work whatever the times are: three ends go to the stack, of which as many count as are not later than the start; and
 * a new end is compared with eight others, which covers an SM with eight slots.
 */
#ifndef PF_ANALYZE_NEUTRINO_SCHED_SM_WINDOW_H
#define PF_ANALYZE_NEUTRINO_SCHED_SM_WINDOW_H

#include "analyze/neutrino/sched/sm_sweep.h"

#define SM_WINDOW_SLOTS 32u
#define SM_WINDOW_BLOCKS 128u /* the most in one call */

typedef struct sched_block {
    uint64_t start, end;
} sched_block;

typedef struct sm_window {
    uint64_t end[SM_WINDOW_SLOTS];   /* the latest ends, as many as there are slots, ascending */
    uint64_t freed[SM_WINDOW_SLOTS]; /* a stack: ends of slots that are free */
    uint32_t busy, free_count;       /* how many of `end` are those of blocks that run; how high the stack is */
} sm_window;

/* Places the next blocks, which come in the order of their starts; none starts at UINT64_MAX. Returns how many: fewer
 * than count if one needs more slots than there is room for. The slots of *s are counted, but not used. */
uint32_t pf_sm_window_sweep(sm_window *w, sm_sweep *s, const sched_block *b, uint32_t count);

/* After a sweep that stopped early, when all slots are in use: puts them into *s. False: memory was refused. */
bool pf_sm_window_leave(const sm_window *w, sm_sweep *s);

/* As pf_sm_tail. */
static inline uint64_t pf_sm_window_tail(const sm_window *w, const sm_sweep *s)
{
    return s->slots ? s->last_end - w->end[0] : 0;
}

#endif
