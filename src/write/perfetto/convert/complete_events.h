/* write/perfetto/convert/complete_events.h - Chrome's complete events (begin and duration in one) as begin and end
 * packets. */
#ifndef PF_WRITE_PERFETTO_CONVERT_COMPLETE_EVENTS_H
#define PF_WRITE_PERFETTO_CONVERT_COMPLETE_EVENTS_H

#include "base/arena.h"
#include "base/columns.h"
#include "write/perfetto/write_notes.h"
#include "write/perfetto/write_tracks.h"

typedef struct pf_complete {
    const pf_trace *t;
    pf_packets *packets;
    pf_track_writer *tracks;
    pf_notes *notes;
    pf_arena arena;
    uint32_t *slice_of; /* event row -> the slice it begins or ends, or PF_NONE */
    uint32_t events;
    uint32_t
        *above; /* by slice: begins above it, without ends, that its end would close instead; NULL if there are none */

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
        uint32_t *next_lane; /* the next lane after this one, or PF_NONE */
        uint32_t *shown;     /* the slice that a reader has on top of its stack, or PF_NONE */
        int64_t *used;       /* when a flow was bound to what is on top last */
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
/* What the event does to the slices of its track: B, E, X, i, or 0 for nothing (model/slices/slices.c has the same
 * rules). */
uint8_t pf_slice_action(const pf_trace *t, uint32_t row);

/* The thread clock of an event, if it has one and packets can say it: whole microseconds. */
const int64_t *pf_thread_clock_us(const pf_trace *t, uint32_t row, int64_t us[4]);

/* Writes the members of an event that carry its thread clock. */
void pf_put_thread_clock(pf_packets *p, int64_t clock_us, int64_t instructions);

void pf_complete_next(pf_complete *c, uint32_t row, pf_complete_step *step);

/* Writes the ends that are due on a lane before an event at `ts` that is no slice. Those due at its very time come
 * after it: a flow still binds to what ends then. */
void pf_complete_settle(pf_complete *c, uint32_t lane, int64_t ts);

/* When the complete event on top of a lane ended, if that was at `ts` at the latest, no begin event is open above it
 * and its end has not been written yet; else INT64_MAX. */
int64_t pf_complete_ended(const pf_complete *c, uint32_t lane, int64_t ts);

/* The lane that a slice of track `home` was written on. */
uint32_t pf_complete_lane_of(const pf_complete *c, uint32_t home, uint32_t slice);
uint64_t pf_complete_lane_uuid(pf_complete *c, uint32_t lane);

/* Makes the slice (PF_NONE: nothing) what a reader has on top of the lane's stack for an event at `ts`, as far as that
 * is a matter of slices above it that are over: their ends are written, or a packet that has readers notice them. */
void pf_complete_uncover(pf_complete *c, uint32_t lane, uint32_t slice, int64_t ts);

/* The track row that an event is written with: that of its slice, or its async group; for a flow that of the slice it
 * is bound to. */
uint32_t pf_complete_home(const pf_complete *c, uint32_t row);

/* Sorts an order of the events (NULL: as they are) by home, stably. *order is replaced; it is budget memory. */
pf_status pf_complete_group(pf_complete *c, uint32_t **order, pf_error *err);

/* Writes the ends that are still due on a track and the lanes next to it, because its events are over. */
void pf_complete_leave(pf_complete *c, uint32_t home);

/* Writes the ends that are still due. */
void pf_complete_finish(pf_complete *c);

#endif
