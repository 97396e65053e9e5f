/* model/slices/slices.h - the state of building slices, for the files that do it: slices.c (stacks),
 * async_lanes.c and overlap_lanes.c (where slices go that do not fit on their track). */
#ifndef PF_MODEL_SLICES_SLICES_H
#define PF_MODEL_SLICES_SLICES_H

#include "model/slices/flows.h"
#include "model/slices/lane_tree.h"
#include "model/slices/stack_rule.h"
#include "model/trace/trace.h"

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

#endif
