/* model/slices/stack_rule.h - the stack rule: how begins, ends, complete events and instants become slices that lie on
 * each other (docs/reference/perfetto.md, "Slices").
 *
 * The stack of a track is a chain: its top slice, the parent of that, and so on. Finished slices stay on it until a
 * later event shows that they are over. An event is settled first, then it lays a slice on the chain or finishes one:
 *
 *     begin     settle, push an open slice
 *     end       settle, finish the slice that it fits, pop it if it is on top
 *     complete  settle, push a finished slice; one that would cross the end of what is below has to go elsewhere
 *     instant   the same with length 0
 *
 * All files that run events over stacks use these functions, each with its own answer to what they cannot settle:
 * slices.c (every case), slice_runs.c (plain cases, fast), parallel_halves.c (without knowing what was open before),
 * join_halves.c (which slices lie on which when all is known).
 */
#pragma once

#include "model/trace/trace.h"

#define PF_RULE static inline __attribute__((always_inline))

typedef struct pf_chain {
    uint32_t top;      /* slice row, or PF_NONE */
    uint32_t depth;    /* slices on the chain */
    uint32_t finished; /* slices on the chain whose duration is known */
    bool unsorted;     /* a slice on the chain may end after one below it; means nothing if there is none */
} pf_chain;

/* The columns that the rule reads and writes. A local copy of them stays in registers, whatever else is stored. */
typedef struct pf_slice_rows {
    const int64_t *ts; /* by event */
    int64_t *dur;
    uint32_t *track, *depth, *parent, *event, *end_event;
} pf_slice_rows;

PF_RULE pf_slice_rows pf_slice_rows_of(const pf_trace *t)
{
    return (pf_slice_rows){.ts = t->events.ts,
                           .dur = t->slices.dur,
                           .track = t->slices.track,
                           .depth = t->slices.depth,
                           .parent = t->slices.parent,
                           .event = t->slices.event,
                           .end_event = t->slices.end_event};
}

/* The length of events that have none: begins and ends. */
#define PF_NO_LENGTH (-1)

/* How a slice of some duration that ends at `end` lies to an event at `ts` of that length. */
typedef enum pf_lie { PF_LIE_OVER, PF_LIE_AROUND, PF_LIE_CROSSED } pf_lie;

/* Slices that touch do not overlap, but an instant at the time of another one lies on it. */
PF_RULE pf_lie pf_slice_lie(int64_t end, int64_t dur, int64_t ts, int64_t length)
{
    if (end < ts || (end == ts && (dur != 0 || length != 0))) {
        return PF_LIE_OVER;
    }
    return length > end - ts ? PF_LIE_CROSSED : PF_LIE_AROUND;
}

PF_RULE void pf_chain_pop(const pf_slice_rows *c, pf_chain *s)
{
    s->finished -= c->dur[s->top] >= 0;
    s->top = c->parent[s->top];
    s->depth--;
}

/* What is left of a chain when everything on top of it that is over is gone. */
typedef enum pf_settled {
    PF_SETTLED,       /* nothing that is finished */
    PF_SETTLED_ON,    /* a finished slice on top, around the event */
    PF_SETTLED_CROSS, /* one whose end the event would cross */
    PF_SETTLED_OPEN   /* an open slice on top, and finished ones below it */
} pf_settled;

/* On a sorted chain (complete events and instants only) no slice ends after one below it: what is not over on top is
 * not over below, and what fits into the top one fits into all. */
PF_RULE pf_settled pf_chain_settle(const pf_slice_rows *c, pf_chain *s, int64_t ts, int64_t length)
{
    while (s->finished) {
        int64_t dur = c->dur[s->top];
        if (dur < 0) {
            return PF_SETTLED_OPEN;
        }
        pf_lie lie = pf_slice_lie(c->ts[c->event[s->top]] + dur, dur, ts, length);
        if (lie != PF_LIE_OVER) {
            return lie == PF_LIE_CROSSED ? PF_SETTLED_CROSS : PF_SETTLED_ON;
        }
        pf_chain_pop(c, s);
    }
    return PF_SETTLED;
}

/* Writes what a row has of the chain that it will lie on. */
PF_RULE void pf_slice_lay(const pf_slice_rows *c, const pf_chain *s, uint32_t row, uint32_t event, uint32_t track)
{
    c->track[row] = track;
    c->depth[row] = s->depth;
    c->parent[row] = s->top;
    c->event[row] = event;
}

/* The event finishes the slice (open: 0), or leaves it open (all ones). */
PF_RULE void pf_slice_finish(const pf_slice_rows *c, uint32_t slice, uint32_t event, uint32_t open)
{
    c->dur[slice] = (c->ts[event] - c->ts[c->event[slice]]) | (int64_t)(int32_t)open;
    c->end_event[slice] = event | open;
}

/* Lays a slice on the chain: a finished one, or an open one if dur is PF_NO_LENGTH. */
PF_RULE void pf_chain_push(const pf_slice_rows *c, pf_chain *s, uint32_t row, uint32_t event, uint32_t track,
                           int64_t dur)
{
    pf_slice_lay(c, s, row, event, track);
    c->dur[row] = dur;
    c->end_event[row] = PF_NONE;
    s->unsorted = (s->unsorted && s->depth) || dur < 0;
    s->top = row;
    s->depth++;
    s->finished += dur >= 0;
}

/* A begin (begins: 1) pushes `row`, an end (0) finishes and pops the top slice of a chain without finished ones; the
 * slice that was meant is returned. Which of them comes next is what a processor cannot guess, so both take the same
 * way: the row is laid as if a begin had come, then the row that counts (this one, or the top slice) gets duration and
 * end. What an end leaves in the row, the next begin overwrites. A mask, all ones for a begin and zero for an end,
 * chooses between what either needs, since compilers make jumps of comparisons. */
PF_RULE uint32_t pf_chain_turn(const pf_slice_rows *c, pf_chain *s, uint32_t row, uint32_t event, uint32_t track,
                               uint32_t begins)
{
    uint32_t mask = 0 - begins, slice = (row & mask) | (s->top & ~mask);
    pf_slice_lay(c, s, row, event, track);
    pf_slice_finish(c, slice, event, mask);
    s->top = (row & mask) | (c->parent[slice] & ~mask);
    s->depth += (mask & 2) - 1;
    s->unsorted |= begins;
    return slice;
}
