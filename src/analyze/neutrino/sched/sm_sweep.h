/* analyze/neutrino/sched/sm_sweep.h - the blocks of one SM in the order in which they started, put on the slots in
 * which they were resident (docs/reference/neutrino.md, "Block scheduling").
 *
 * A block takes the free slot that was in use last, or a new one. Slots in use are a heap by their ends. Free ones are
 * a stack: they become free in the order of their ends, so that the one on top always is the one that was in use last.
 */
#ifndef PF_ANALYZE_NEUTRINO_SCHED_SM_SWEEP_H
#define PF_ANALYZE_NEUTRINO_SCHED_SM_SWEEP_H

#include "base/budget.h"

typedef struct sm_block {
    uint64_t start, end, index;
} sm_block;

/* A block with its place. gap: since its slot was last in use; there is none where the slot is new. */
typedef struct sm_placed {
    sm_block block;
    uint32_t slot;
    bool has_gap;
    uint64_t gap;
} sm_placed;

typedef struct sm_slot {
    uint64_t end;
    uint32_t slot;
} sm_slot;

#define SM_GAP_BINS 65 /* bin 0: no gap; bin n: 2^(n-1) up to below 2^n cycles */

typedef struct sm_sweep {
    pf_budget *budget;
    sm_slot *busy, *freed; /* room entries each */
    uint32_t busy_count, free_count, room;
    uint32_t slots, max_resident;
    uint64_t blocks, gap_sum, gap_count, gap_max, work_sum, covered, first_start, last_end;
    uint64_t bins[SM_GAP_BINS];
} sm_sweep;

/* Places the next block; blocks come in the order of their starts. False: memory was refused. */
bool pf_sm_sweep_add(sm_sweep *s, const sm_block *b, sm_placed *out);
void pf_sm_sweep_free(sm_sweep *s);

static inline uint64_t pf_sm_span(const sm_sweep *s)
{
    return s->last_end - s->first_start;
}

#endif
