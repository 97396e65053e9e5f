/* analyze/neutrino/sched/sm_sweep.h - the blocks of one SM in the order in which they started, put on the slots in
 * which they were resident (docs/reference/neutrino.md, "Block scheduling").
 *
 * A block takes the free slot that was in use last, or a new one. Slots in use are a heap by their ends. Free ones are
 * a stack: they become free in the order of their ends, so that the one on top always is the one that was in use last.
 * If slots become free at the start of a block, it takes the last of them, whose place in the heap it gets at once.
 *
 * Whatever is in use ends after all that became free. So the largest ends, as many as there are slots, are those in use
 * and the last ones that became free: a ring as large as the slots are many holds enough of them.
 */
#pragma once

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

static inline unsigned pf_sm_gap_bin(uint64_t gap)
{
    return gap ? 1 + (63 ^ (unsigned)__builtin_clzll(gap)) : 0;
}

typedef struct sm_sweep {
    pf_budget *budget;
    sm_slot *busy;  /* a heap; entries beyond it have the largest end, so that nobody asks where it ends */
    sm_slot *freed; /* a stack */
    uint64_t *ends; /* a ring of the ends of slots that became free */
    uint32_t busy_count, free_count;
    uint32_t room;  /* slots that there is room for: a power of two */
    uint32_t slots; /* also the most blocks that were resident: a new slot is one more than are free */
    uint64_t ended; /* how many became free so far */
    uint64_t blocks, gap_sum, gap_max, idle, first_start, last_end;
    uint64_t bins[SM_GAP_BINS];
} sm_sweep;

/* Makes room for so many blocks more; false: memory was refused. */
bool pf_sm_sweep_reserve(sm_sweep *s, uint32_t blocks);
void pf_sm_sweep_free(sm_sweep *s);

static inline uint64_t pf_sm_span(const sm_sweep *s)
{
    return s->last_end - s->first_start;
}

/* Every block but the first of its slot follows a gap. */
static inline uint64_t pf_sm_gap_count(const sm_sweep *s)
{
    return s->blocks - s->slots;
}

/* From the end of the block that ended slots - 1 before the last one to the last end. */
static inline uint64_t pf_sm_tail(const sm_sweep *s)
{
    uint32_t ended = s->slots - s->busy_count;
    return s->slots == 0 ? 0 : s->last_end - (ended ? s->ends[(s->ended - ended) & (s->room - 1)] : s->busy[0].end);
}

/* ---- placing a block --------------------------------------------------------------------------------------------- */

/* Puts a slot where the first one of the heap was. */
static inline void pf_sm_replace_first(sm_slot *busy, sm_slot e)
{
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        child += busy[child + 1].end < busy[child].end;
        if (busy[child].end >= e.end) {
            break;
        }
        busy[i] = busy[child];
        i = child;
    }
    busy[i] = e;
}

static inline void pf_sm_push(sm_sweep *s, sm_slot e)
{
    size_t i = s->busy_count++;
    while (i > 0 && s->busy[(i - 1) / 2].end > e.end) {
        s->busy[i] = s->busy[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->busy[i] = e;
}

/* The first slot of the heap becomes free; there are others. */
static inline void pf_sm_release_first(sm_sweep *s)
{
    sm_slot last = s->busy[--s->busy_count];
    s->freed[s->free_count++] = s->busy[0];
    s->ends[s->ended++ & (s->room - 1)] = s->busy[0].end;
    s->busy[s->busy_count].end = UINT64_MAX;
    pf_sm_replace_first(s->busy, last);
}

static inline uint64_t pf_sm_second_end(const sm_slot *busy)
{
    return busy[1].end < busy[2].end ? busy[1].end : busy[2].end;
}

/* The slot that the block takes, and until when it was in use before; false: a new one. */
static inline bool pf_sm_take_slot(sm_sweep *s, const sm_block *b, sm_slot *taken)
{
    if (s->busy[0].end <= b->start && s->busy_count) {
        while (pf_sm_second_end(s->busy) <= b->start && s->busy_count > 1) {
            pf_sm_release_first(s);
        }
        *taken = s->busy[0];
        s->ends[s->ended++ & (s->room - 1)] = taken->end;
        pf_sm_replace_first(s->busy, (sm_slot){b->end, taken->slot});
        return true;
    }
    bool used = s->free_count > 0;
    *taken = used ? s->freed[--s->free_count] : (sm_slot){0, s->slots++};
    pf_sm_push(s, (sm_slot){b->end, taken->slot});
    return used;
}

/* Places the next block, for which there is room; blocks come in the order of their starts. */
static inline void pf_sm_sweep_add(sm_sweep *s, const sm_block *b, sm_placed *out)
{
    sm_slot taken;
    bool used = pf_sm_take_slot(s, b, &taken);
    uint64_t gap = used ? b->start - taken.end : 0;
    *out = (sm_placed){*b, taken.slot, used, gap};
    s->gap_sum += gap;
    s->gap_max = gap > s->gap_max ? gap : s->gap_max;
    s->bins[pf_sm_gap_bin(gap)] += used;
    s->first_start = s->blocks ? s->first_start : b->start;
    s->idle += s->blocks && b->start > s->last_end ? b->start - s->last_end : 0;
    s->last_end = b->end > s->last_end ? b->end : s->last_end;
    s->blocks++;
}

/* ---- without slots ----------------------------------------------------------------------------------------------- */

/* The exact result of one SM that has few slots and whose slots nobody has to name, in half of the time.
 *
 * Which slot a block takes matters for the gap alone, so that ends are enough. Those whose slots are free are a stack,
 * those of blocks that run are in order: a window that moves on over the ends of all blocks. Durations are as good as
 * random, and a branch that depends on them would be predicted wrongly for every other block. So both steps do the same
 * work whatever the times are: three ends go to the stack, of which as many count as are not later than the start; and
 * a new end is compared with eight others, which covers an SM with eight slots.
 */
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
