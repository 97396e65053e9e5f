/* model/slices/slices.h - the state of building slices, for the files that do it: slices.c (stacks),
 * async_lanes.c and overlap_lanes.c (where slices go that do not fit on their track). */
#pragma once

#include <stdatomic.h>

#include "model/flows/flows.h"
#include "model/slices/stack_rule.h"
#include "model/trace/trace.h"

/* ---- lane_tree.c ------------------------------------------------------------------------------------------------- */

/* The overlap lanes of one track, ordered: which is the first one that takes a slice.
 *
 * A lane's limit is the end of the slice on top of its stack: until then it takes only what ends no later. An empty
 * lane has the limit INT64_MAX. A binary tree over the lanes keeps the highest and the lowest limit below each node, so
 * the first lane that takes a slice, and a lane whose top slice is over, are found in as many steps as the tree has
 * levels.
 */

typedef struct pf_lane_tree {
    pf_budget *budget;
    uint32_t count, leaves; /* leaves: a power of two; those from `count` on are no lanes yet */
    int64_t *high, *low;    /* by node: the root is 1, the children of n are 2n and 2n + 1 */
    uint64_t steps;         /* nodes visited so far */
} pf_lane_tree;

void pf_lane_tree_init(pf_lane_tree *l, pf_budget *budget);
void pf_lane_tree_free(pf_lane_tree *l);

/* Appends an empty lane. False if memory was refused. */
bool pf_lane_tree_add(pf_lane_tree *l);

void pf_lane_tree_set(pf_lane_tree *l, uint32_t lane, int64_t limit);

/* The first lane that takes a slice with that end, or PF_NONE. */
uint32_t pf_lane_tree_fit(pf_lane_tree *l, int64_t end);

/* The first lane whose limit is not after `ts`, or PF_NONE. */
uint32_t pf_lane_tree_over(pf_lane_tree *l, int64_t ts);

#define PF_SLICES_DEEPEST 512u

typedef struct pf_stack {
    pf_chain chain;
    bool special;              /* async, or another row is its home */
    bool async;                /* the home is a row of an async group */
    bool known;                /* async track: it exists without slices, too */
    bool queued;               /* lane of an async group: in the heap of idle lanes */
    uint32_t overlap;          /* number of its overlap lanes, or PF_NONE */
    uint32_t lane;             /* async track: the lane it used last, or PF_NONE */
    uint32_t owner;            /* lane of an async group: the async track that uses it */
    uint32_t nest;             /* lane of an async group: begins without their end */
    uint32_t number;           /* lane of an async group: its number in the group */
    uint32_t left, right;      /* lane of an async group: its children in that heap, or PF_NONE */
    uint32_t first_lane, idle; /* async group (at the row that names it): lane 0, top of the heap, or PF_NONE */
    uint32_t lanes;            /* async group: how many lanes it has */
    uint32_t home;             /* row whose slices the events of this row are (pf_trace_home_track) */
} pf_stack;

/* The overlap lanes of one track. */
typedef struct pf_overlap {
    pf_lane_tree tree;
    uint32_t *row; /* by lane: its track */
    uint32_t room;
    uint32_t lane; /* given last */
} pf_overlap;

typedef struct pf_slice_builder {
    pf_trace *t;
    pf_stack *stacks; /* by track row */
    uint32_t stack_count, stack_room;
    pf_columns columns;
    pf_overlap *overlaps;
    uint32_t overlap_count, overlap_room;
    pf_flow_tracker flows;
    bool has_flows;
    uint32_t time_at;  /* where the thread clock of the last event was found */
    uint32_t affected; /* the slice that the current event began, ended or is; PF_NONE if none */
    int64_t latest;    /* end or begin of a slice */
    bool cut;          /* a slice got shorter than it was */
    uint32_t row_end;  /* rows from here on are somebody else's; PF_NONE: none are */
    pf_error *err;
} pf_slice_builder;

static inline bool pf_is_async(const pf_trace *t, uint32_t track)
{
    pf_track_type type = t->tracks.type[track];
    return t->tracks.group[track] != PF_NONE && type != PF_TRACK_THREAD_OVERLAP && type != PF_TRACK_GPU_RENDER_STAGE;
}

/* Whether an end with this name and category, 0 = not given, may close the slice that event `begin` began under the
 * name `called`. */
static inline bool pf_event_fits(const pf_trace *t, uint32_t begin, uint32_t called, uint32_t name, uint32_t category)
{
    return (!category || t->events.category[begin] == category) && (!name || !called || called == name);
}

static inline bool pf_slice_fits(const pf_trace *t, uint32_t slice, uint32_t event)
{
    uint32_t begin = t->slices.event[slice];
    return pf_event_fits(t, begin, t->slices.name ? t->slices.name[slice] : t->events.name[begin],
                         t->events.name[event], t->events.category ? t->events.category[event] : 0);
}

/* Events that are taken one after the other by the loop for the plain ones. */
typedef struct pf_slice_run {
    const pf_trace *t;
    pf_stack *stacks; /* by track row */
    uint8_t *used;    /* by track row */
    const pf_flow_tracker *flows;
    uint32_t ref;       /* where flow ids were found last */
    uint32_t row, room; /* the next slice's, and the first one beyond the memory of slices */
    uint32_t deepest;   /* slices on a stack */
    int64_t latest;     /* end or begin of a slice */
    bool half;          /* below the stacks is what nobody knows yet: it may be what flow ids are about */
} pf_slice_run;

/* slice_runs.c: takes events from place `from` on, and returns the place of the first one that is not plain, or `to`.
 * Slices must be called as their events, and have no thread clocks. */
uint32_t pf_slices_run(pf_slice_run *r, const uint32_t *order, uint32_t from, uint32_t to);

/* Makes stacks for the tracks that have none yet. */
pf_status pf_slices_cover_tracks(pf_slice_builder *b);

/* overlap_lanes.c: the track of the first overlap lane of `home` that takes the complete event, PF_NONE if the builder
 * failed; and that it has taken it. */
uint32_t pf_overlap_lane(pf_slice_builder *b, uint32_t home, uint32_t event);
void pf_overlap_taken(pf_slice_builder *b, uint32_t home);
void pf_overlaps_free(pf_slice_builder *b);

/* async_lanes.c: the lane of its async group that takes a begin, end or instant (B, E, i) of `track`; PF_NONE if
 * refused. */
uint32_t pf_lane_for(pf_slice_builder *b, uint8_t action, uint32_t track);

/* async_lanes.c: the reader knows of some async tracks without slices; which rows their groups show is seen at the
 * end. */
void pf_lanes_hold_back(pf_slice_builder *b);

/* async_lanes.c: an async group that is known without slices shows one row, others show their lanes only. A child of
 * a group hangs below the group's first row. */
void pf_lanes_adopt(pf_slice_builder *b);

/* slices.c: adds the events at places [from, to) of `order` (NULL: file order); *done is the place after the last one
 * added. With `plainly`, it stops in front of an event that might add something else than one slice for a begin or an
 * instant, or end something else than the top slice. */
pf_status pf_slices_add(pf_slice_builder *b, const uint32_t *order, uint32_t from, uint32_t to, bool plainly,
                        uint32_t *done);

/* parallel_halves.c: adds events from the first one on, two halves of them at once. *done: how many; none where that is
 * not worth it or not possible. */
pf_status pf_slices_add_halves(pf_slice_builder *b, const uint32_t *order, uint32_t *done);

/* ---- parallel_halves.c ------------------------------------------------------------------------------------------- */

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
