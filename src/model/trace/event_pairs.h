/* model/trace/event_pairs.h - which begins and ends of slices belong together, for those who cannot wait until slices
 * are made. Rows are handed in one by one: a begin waits on the stack of its track until an end of its name comes, or
 * one without a name; begins that are passed over stay. */
#pragma once

#include "model/trace/trace.h"

typedef struct pf_event_pairs {
    const pf_trace *t;
    uint32_t *open;  /* by track: the innermost begin that waits, PF_NONE */
    uint32_t *early; /* by track: the last end that found no begin, PF_NONE; linked as begins are */
    uint32_t *outer; /* by event: a begin's next outer one; later its end, and the begin of an end */
} pf_event_pairs;

/* Takes the row at *link out of its list. */
static inline uint32_t pf_event_pairs_pull(const pf_event_pairs *p, uint32_t *link)
{
    uint32_t row = *link;
    *link = p->outer[row];
    return row;
}

static inline void pf_event_pairs_join(pf_event_pairs *p, uint32_t begin, uint32_t end)
{
    p->outer[begin] = end;
    p->outer[end] = begin;
}

/* The next row, a begin (phase B) or an end (E). */
void pf_event_pairs_add(pf_event_pairs *p, uint32_t row);
