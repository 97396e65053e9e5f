/* model/slices/parallel_halves.h - what the helper that builds the second half of a trace's slices hands to the owner:
 * parallel_halves.c builds, join_halves.c stands the second half on the first. */
#ifndef PF_MODEL_SLICES_PARALLEL_HALVES_H
#define PF_MODEL_SLICES_PARALLEL_HALVES_H

#include <stdatomic.h>

#include "model/slices/slices.h"

#define PF_HALF_DEPTH 256u /* of both halves' stacks: together no deeper than slices may be */

/* An end whose begin is not in the second half. */
typedef struct pf_early_end {
    uint32_t event;
    uint32_t row;    /* the half's first row after it */
    uint32_t closes; /* join_halves.c: the slice, PF_NONE: none */
} pf_early_end;

/* A flow id that binds to what the helper does not know: the slice that the last early end closes, or, for one of
 * Chrome's, what is open from the first half. */
typedef struct pf_flow_note {
    uint32_t ref;
    uint32_t row; /* the half's first row after it */
    uint32_t ends;
} pf_flow_note;

typedef struct pf_half {
    pf_trace *t;
    const uint32_t *order;
    uint32_t from, to; /* places in the order */
    uint32_t first_row;
    pf_slice_run run; /* with stacks of its own, that hold what began in the half */
    pf_chain *first;  /* by track: what is left of the first half while the second one is joined to it */
    pf_early_end *ends;
    uint32_t end_count;
    pf_flow_note *notes;
    uint32_t note_count, note_room;
    atomic_bool unwanted;
} pf_half;

/* join_halves.c: makes the second half part of the trace; false, and the trace is as before, if it does not fit onto
 * the first one. */
bool pf_half_join(pf_slice_builder *b, pf_half *h);

#endif
