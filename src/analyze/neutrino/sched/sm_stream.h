/* analyze/neutrino/sched/sm_stream.h - the blocks of one SM as they stream by, in the order of the file.
 *
 * The compatible result needs the file's order, the exact one that of the starts. Blocks of an SM are nearly in order,
 * so that keeping the last few back is enough to put them right; an SM on which one comes later than that is marked,
 * and its blocks are gathered and swept once more. So is one with a block at the end of time, where windows have their
 * sentinels. So memory does not grow with the number of blocks, unless a trace is
 * far out of order.
 *
 * Blocks of one SM lie far apart in the file. They are collected and worked off many at a time, so that what is known
 * of an SM comes into the cache once for all of them: 1.7 times as fast for blocks of one warp, and 128 are about the
 * best number.
 */
#ifndef PF_ANALYZE_NEUTRINO_SCHED_SM_STREAM_H
#define PF_ANALYZE_NEUTRINO_SCHED_SM_STREAM_H

#include "analyze/neutrino/sched/sm_sweep.h"

/* Ends of blocks that the compatible result still looks at, oldest first: a ring. Both numbers only grow. */
typedef struct sched_queue {
    uint64_t *end;
    uint64_t first, past; /* the oldest, and the one after the latest */
    uint64_t room;        /* a power of two */
} sched_queue;

/* Blocks that are held, and those of them that are kept back for later ones. */
#define SCHED_HELD SM_WINDOW_BLOCKS
#define SCHED_KEPT 32u

typedef struct sched_sm {
    uint32_t held, ordered; /* blocks that are held; those that are in the order of their starts, which come first */
    uint32_t id, place;     /* place: among the SMs in the order of their ids, in the end */
    bool again;             /* a block came too late: swept once more from a whole list */
    sched_block block[SCHED_HELD];
    uint64_t work, compat_blocks, compat_gap, compat_pairs;
    sched_queue queue;
    uint64_t swept; /* start of the block that was swept last */
    uint64_t exact_blocks, tail;
    sm_window window; /* in use until more slots are needed than it has room for */
    sm_sweep sweep;   /* the result; its slots from then on */
} sched_sm;

/* Works off what is held, but for `keep` blocks. False: memory was refused. */
bool pf_sched_settle(sched_sm *sm, uint32_t keep);

/* A block whose record is all zero did not run; only the compatible result counts it. Returns as above. */
bool pf_sched_add_unused(sched_sm *sm);

/* After the last block. */
bool pf_sched_finish(sched_sm *sm);
void pf_sched_free_sm(sched_sm *sm);

static inline bool pf_sched_add(sched_sm *sm, const sched_block *b)
{
    sm->block[sm->held++] = *b;
    return sm->held < SCHED_HELD || pf_sched_settle(sm, SCHED_KEPT);
}

#endif
