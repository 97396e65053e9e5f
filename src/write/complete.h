/* write/complete.h - Chrome's complete events (begin and duration in one) as begin and end packets. */
#ifndef PF_WRITE_COMPLETE_H
#define PF_WRITE_COMPLETE_H

#include "base/columns.h"
#include "write/notes.h"
#include "write/tracks.h"

typedef struct pf_complete {
    const pf_trace *t;
    pf_packets *packets;
    pf_track_writer *tracks;
    pf_notes *notes;
    uint32_t *slice_of; /* event row -> the slice it begins or ends, or PF_NONE */
    uint32_t events;
    uint32_t
        *above; /* by slice: begins above it, without ends, that its end would close instead; NULL if there are none */
    uint32_t slices;

    /* Ends that are due, a stack per lane. */
    struct {
        uint32_t count, room;
        int64_t *end;
        uint32_t *slice, *below;
        uint32_t *open; /* begins that came after it and are not closed */
        pf_columns columns;
        uint32_t unused; /* list of nodes that are free again */
    } due;

    /* Lanes: the track rows, then the lanes made here. */
    struct {
        uint32_t count, room;
        uint32_t *top;       /* its stack in `due`, or PF_NONE */
        uint32_t *next_lane; /* the next lane beside this one, or PF_NONE */
        uint64_t *uuid;      /* of lanes made here */
        pf_columns columns;
    } lanes;
} pf_complete;

/* Needs the slice table. */
pf_status pf_complete_init(pf_complete *c, const pf_trace *t, pf_packets *packets, pf_track_writer *tracks,
                           pf_error *err);
void pf_complete_free(pf_complete *c);

/* Where and how event `row` is to be written, after the ends that are due before it have been. */
typedef struct pf_complete_step {
    uint32_t type;  /* PF_EVENT_SLICE_BEGIN, ..._END, PF_EVENT_INSTANT; PF_EVENT_UNSPECIFIED: not at all, or: */
    uint8_t phase;  /* phase of a legacy event, 0 for none */
    int64_t dur_us; /* phase X */
    uint64_t track;
    uint32_t name, category; /* string ids */
} pf_complete_step;
/* What the event does to the slices of its track: B, E, X, i, or 0 for nothing (model/slices.c has the same rules). */
uint8_t pf_slice_action(const pf_trace *t, uint32_t row);

/* The thread clock of an event, if it has one and packets can say it: whole microseconds. */
const int64_t *pf_thread_clock_us(const pf_trace *t, uint32_t row, int64_t us[4]);

/* Writes the members of an event that carry its thread clock. */
void pf_put_thread_clock(pf_packets *p, int64_t clock_us, int64_t instructions);

pf_status pf_complete_next(pf_complete *c, uint32_t row, pf_complete_step *step, pf_error *err);

/* Writes the ends that are due before an event that is no slice. Those due at its very time come behind it: a flow still
 * binds to what ends then. */
void pf_complete_settle(pf_complete *c, uint32_t row);

/* When the complete event ended that a flow at event `row` binds to, if its end has not been written yet; else INT64_MAX. */
int64_t pf_complete_ended(const pf_complete *c, uint32_t row);

/* The track row that an event is written with: that of its slice, or its async group. */
uint32_t pf_complete_home(const pf_complete *c, uint32_t row);

/* Sorts an order of the events (NULL: as they are) by home, stably. *order is replaced; it is budget memory. */
pf_status pf_complete_group(pf_complete *c, uint32_t **order, pf_error *err);

/* Writes the ends that are still due on a track and the lanes beside it, because its events are over. */
void pf_complete_leave(pf_complete *c, uint32_t home);

/* Writes the ends that are still due. */
void pf_complete_finish(pf_complete *c);

#endif
