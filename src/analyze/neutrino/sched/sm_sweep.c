/* analyze/neutrino/sched/sm_sweep.c - the memory of a sweep, and the window; see the header. */
#include "analyze/neutrino/sched/sm_sweep.h"

#include <string.h>

/* A child of the last entry of a full heap is compared. */
static size_t busy_entries(uint32_t room)
{
    return 2 * (size_t)room + 1;
}

/* Of the heap, then the stack, then the ring. */
static size_t bytes_of(uint32_t room)
{
    return (busy_entries(room) + room) * sizeof(sm_slot) + room * sizeof(uint64_t);
}

void pf_sm_sweep_free(sm_sweep *s)
{
    pf_release(s->budget, s->busy, s->room ? bytes_of(s->room) : 0);
    s->busy = NULL;
    s->room = 0;
}

/* A slot is new only where all others are in use: nothing is free, and the ends of what was are not needed any more. */
static bool grow(sm_sweep *s, uint32_t room)
{
    sm_sweep more = *s;
    more.room = room;
    more.busy = pf_alloc_zero(s->budget, 1, bytes_of(room));
    if (!more.busy) {
        return false;
    }
    more.freed = more.busy + busy_entries(room);
    more.ends = (uint64_t *)(more.freed + room);
    for (size_t i = 0; i < busy_entries(more.room); i++) {
        more.busy[i] = i < s->busy_count ? s->busy[i] : (sm_slot){UINT64_MAX, 0};
    }
    for (uint32_t i = 0; i < s->free_count; i++) {
        more.freed[i] = s->freed[i];
    }
    for (uint64_t i = s->ended < s->room ? 0 : s->ended - s->room; i < s->ended; i++) {
        more.ends[i & (more.room - 1)] = s->ends[i & (s->room - 1)];
    }
    pf_sm_sweep_free(s);
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

enum { RELEASED = 3, PASSED = 8 };

/* Where the work stands in the ends and in the stack. Ends stay where they are when they go to the stack too. */
typedef struct place {
    const uint64_t *first; /* the earliest end of a block that still runs */
    uint64_t *past;        /* after the latest end */
    uint64_t *top;         /* after the last entry of the stack */
} place;

/* The ends up to a start go to the stack: three at a time, of which as many count as are not later. */
static inline void release_ends(place *p, uint64_t start)
{
    uint32_t n;
    do {
        n = 0;
        for (uint32_t i = 0; i < RELEASED; i++) {
            p->top[i] = p->first[i];
            n += p->first[i] <= start;
        }
        p->top += n;
        p->first += n;
    } while (n == RELEASED);
}

/* Puts an end into its place among the others: eight at a time move up where all are later, then of the last eight
 * those that are. */
static inline void put_in_order(uint64_t *at, uint64_t end)
{
    for (; at[-PASSED] > end; at -= PASSED) {
        memmove(at - PASSED + 1, at - PASSED, PASSED * sizeof *at);
    }
    uint64_t here = end;
    for (uint32_t i = 0; i < PASSED; i++, at--) {
        uint64_t lower = at[-1];
        bool later = lower > end;
        at[0] = later ? lower : here;
        here = later ? end : lower;
    }
    at[0] = here;
}

/* What is counted of the blocks; bins: those of the sweep. */
typedef struct tally {
    uint64_t gap_sum, gap_max, idle;
    uint64_t *bins;
    uint32_t slots;
} tally;

/* The slot that became free last is taken. */
static inline void take(tally *t, place *p, uint64_t start)
{
    uint64_t gap = start - *--p->top;
    t->gap_sum += gap;
    t->gap_max = gap > t->gap_max ? gap : t->gap_max;
    t->bins[pf_sm_gap_bin(gap)]++;
}

static inline uint32_t place_all(tally *t, place *p, const uint64_t *bottom, const sched_block *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        release_ends(p, b[i].start);
        t->idle += p->first == p->past ? b[i].start - p->past[-1] : 0;
        if (p->top != bottom) {
            take(t, p, b[i].start);
        } else if (t->slots < SM_WINDOW_SLOTS) {
            t->slots++;
        } else {
            return i;
        }
        if (t->slots > 1) {
            put_in_order(p->past, b[i].end);
        } else {
            *p->past = b[i].end;
        }
        p->past++;
    }
    return count;
}

uint32_t pf_sm_window_sweep(sm_window *w, sm_sweep *s, const sched_block *b, uint32_t count)
{
    uint64_t end[PASSED + SM_WINDOW_SLOTS + SM_WINDOW_BLOCKS + RELEASED], freed[SM_WINDOW_SLOTS + RELEASED];
    uint64_t *known = end + PASSED;
    s->first_start = s->blocks ? s->first_start : b[0].start;
    for (uint32_t i = 0; i < PASSED; i++) {
        end[i] = s->first_start;
    }
    memset(known, 0xff, sizeof end - PASSED * sizeof *end);
    memcpy(known, w->end, s->slots * sizeof *known);
    memcpy(freed, w->freed, w->free_count * sizeof *freed);
    place p = {known + s->slots - w->busy, known + s->slots, freed + w->free_count};
    tally t = {.gap_max = s->gap_max, .bins = s->bins, .slots = s->slots};
    uint32_t placed = place_all(&t, &p, freed, b, count);
    s->blocks += placed;
    s->slots = t.slots;
    s->gap_sum += t.gap_sum;
    s->gap_max = t.gap_max;
    s->idle += t.idle;
    s->last_end = p.past[-1];
    w->busy = (uint32_t)(p.past - p.first);
    w->free_count = (uint32_t)(p.top - freed);
    memcpy(w->end, p.past - t.slots, t.slots * sizeof *w->end);
    memcpy(w->freed, freed, w->free_count * sizeof *freed);
    return placed;
}

bool pf_sm_window_leave(const sm_window *w, sm_sweep *s)
{
    uint32_t slots = s->slots;
    s->slots = 0;
    if (!pf_sm_sweep_reserve(s, slots)) {
        return false;
    }
    while (s->slots < slots) {
        pf_sm_push(s, (sm_slot){w->end[s->slots], s->slots});
        s->slots++;
    }
    return true;
}
