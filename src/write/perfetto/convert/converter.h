/* write/perfetto/convert/converter.h - the state of a conversion, and its parts: convert.c decides in which order rows
 * are written, convert_events.c writes one, convert_names.c the metadata events that name processes and threads.
 */
#pragma once

#include "model/trace/trace.h"
#include "write/perfetto/debug_annotations.h"
#include "write/perfetto/write_identity.h"
#include "write/perfetto/write_notes.h"

/* ---- complete_events.c ------------------------------------------------------------------------------------------- */

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

/* ---- write_order.c ----------------------------------------------------------------------------------------------- */

typedef struct pf_flow_order {
    const pf_trace *t;
    const pf_complete *complete;
    pf_arena arena;
    bool tied;      /* some flow is on two tracks at one time: the order among tracks counts */
    uint8_t *loose; /* by entry of flow_refs: it comes to nothing, and need not be said */
    pf_map number;  /* Chrome's id -> order of appearance, which is what the flow table shows */
    pf_map arrows;  /* numbers that the flow table has */
    pf_map started; /* Chrome's id -> entry of flow_refs that started it */
    pf_map seen;    /* flow id -> entry of flow_refs that had it last */
    uint32_t *list; /* entries of flow_refs with Chrome's flows, in processing order */
    uint32_t *at;   /* by entry: its place in the list */
    uint32_t count; /* of the list */
    uint8_t *first; /* by entry: its id was not met before */
} pf_flow_order;

/* order: the processing order of the events, NULL for file order. complete: NULL without complete events. */
pf_status pf_flow_order_init(pf_flow_order *f, const pf_trace *t, const uint32_t *order, const pf_complete *complete,
                             pf_budget *budget, pf_error *err);
void pf_flow_order_free(pf_flow_order *f);

static inline bool pf_flow_order_is_loose(const pf_flow_order *f, uint32_t entry)
{
    return f->loose && f->loose[entry];
}

/* Whether Chrome's flow of an entry may be said at `ts`, before its time: no flow in between minds. Those of its track
 * move as well, and what holds one of them holds this one. One that moves to an instant passes no flow of its id,
 * though that may come to nothing. */
bool pf_flow_order_may_move(const pf_flow_order *f, uint32_t entry, int64_t ts, bool of_instant);

/* A permutation of the samples: by counter, counters of one event (write_tracks.c, shares) together, in order of time.
 * *order is NULL if there are none, else budget memory of as many entries. */
pf_status pf_order_samples(const pf_track_writer *w, pf_budget *budget, uint32_t **order, pf_error *err);

/* ---- instants.c -------------------------------------------------------------------------------------------------- */

typedef struct pf_instants {
    pf_arena arena;
    uint8_t *mark;       /* by event row; NULL: no instant has a clock */
    uint32_t *open;      /* by track row: those begun that have no end yet, */
    int64_t *since;      /* and their time */
    size_t rows, tracks; /* room of these */
} pf_instants;

/* order: the processing order of the events, NULL for file order. */
pf_status pf_instants_plan(pf_instants *p, const pf_flow_order *flows, const uint32_t *order, pf_budget *budget,
                           pf_error *err);
void pf_instants_free(pf_instants *p);

/* Whether the instant is written as a begin. */
bool pf_instants_begins(pf_instants *p, uint32_t row, uint32_t track, int64_t ts);

/* The time of the packet of a flow event: its own, or that of the instant that it binds to. */
int64_t pf_instants_flow_time(const pf_instants *p, uint32_t row, uint32_t track, int64_t ts);

/* How many ends of such begins follow the row's packet. */
uint32_t pf_instants_ends(pf_instants *p, uint32_t row, uint32_t track);

/* ---- the conversion ---------------------------------------------------------------------------------------------- */

typedef struct pf_converter {
    const pf_trace *t;
    pf_identity *who;
    pf_packets *packets;
    pf_track_writer tracks;
    pf_complete complete;
    pf_flow_order flows;
    pf_instants instants;
    pf_notes notes;
    bool packed;
    uint32_t home;                      /* packed: the track whose events are being written */
    uint32_t sample;                    /* next row of table counter */
    uint32_t name_process, name_thread; /* string ids of the metadata events' names, PF_NONE if unused */
    pf_annotator args;
    pf_buffer text;
} pf_converter;

/* convert_names.c: the name that a metadata event gives, as a descriptor; one of another meaning is noted. All of them.
 */
void pf_convert_name(pf_converter *c, uint32_t row);
void pf_convert_names(pf_converter *c);

/* convert_events.c: a row of the event table, and the ends of instants that belong after it. */
void pf_convert_row(pf_converter *c, uint32_t row);
void pf_convert_ends(pf_converter *c, uint32_t row);

/* convert_events.c: the samples that come before a time, or all that are left; all of them counter by counter. */
void pf_convert_samples(pf_converter *c, int64_t before, bool all);
pf_status pf_convert_samples_by_track(pf_converter *c, pf_error *err);

/* ---- convert.c --------------------------------------------------------------------------------------------------- */

/* Writes attributes, descriptors, events and counters. `who` is not in place; it may be used afterwards for more
 * packets about the same processes and threads. */
pf_status pf_convert_trace(const pf_trace *t, pf_identity *who, pf_packets *packets, pf_error *err);

/* Attributes that every output of ours carries: version, time unit, original pids, those of the trace itself. */
void pf_convert_attributes(const pf_identity *who, pf_packets *packets);
