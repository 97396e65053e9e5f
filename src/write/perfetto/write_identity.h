/* write/perfetto/write_identity.h - the processes and threads of a trace as a Perfetto trace can name them.
 *
 * Perfetto wants a pid of 32 bits and distinguishes processes and threads by track uuids. Pids that are texts, absent
 * or too large get free numbers; the text becomes the process name, and the trace attribute postfetto.pid.<number>
 * keeps the original. Descriptors are written on first use and again when a name changes, always with the same uuid.
 * They carry the earliest time there can be, because Perfetto reads packets in order of time and must know a process
 * before anything that happens in it, whatever is put in front of the file later.
 */
#pragma once

#include "base/map.h"
#include "write/file/shared_pids.h"
#include "write/perfetto/packet_writer.h"

typedef struct pf_identity {
    const pf_trace *t;
    pf_budget *budget;
    pf_arena arena;
    bool in_place;      /* our packets join the original ones: uuids that exist are used, not described again */
    bool names_follow;  /* names are given by metadata events (Chrome JSON), not on first use */
    bool hides_names;   /* names on first use carry a note that no event of JSON gave them */
    int64_t first_ts;   /* time of the descriptors: 0, or in place the first event's (-1 = there is none) */
    bool zero_reserved; /* see pf_identity_process */
    int32_t *pid;       /* by upid */
    int64_t *tid;       /* by utid */
    pf_map taken;       /* in place: the uuids of the trace */
    uint8_t *said_process, *said_thread;
    uint8_t *orders_children; /* by upid: set before first use for processes whose child tracks have ranks */
    bool orders_processes;    /* some have a place among all: their arguments process_sort_index_hint */
    bool order_said;
    int32_t *place; /* by upid; 0: none is known */
    uint32_t processes, threads;
    pf_shared_pids shared; /* several inputs */
    pf_buffer scratch;     /* the name that is written */
} pf_identity;

pf_status pf_identity_init(pf_identity *who, const pf_trace *t, pf_budget *budget, bool in_place, pf_error *err);
void pf_identity_free(pf_identity *who);

/* The time of the first event or sample, not below 0; -1: there is none. */
int64_t pf_identity_first_event(const pf_trace *t);

/* Writes the attributes that keep original pids. */
void pf_identity_attributes(const pf_identity *who, pf_packets *p);

/* The uuid of a row of PF_UUID_PROCESS, _THREAD, _TRACK or _LANE: a conversion owns all uuids of its file and counts
 * them from 1, so that they are short; among those of somebody else they are mixed. */
uint64_t pf_identity_uuid(const pf_identity *who, pf_uuid_space space, uint64_t row);

/* The uuid to be used as parent or track; the descriptor is written if that has not happened yet. */
uint64_t pf_identity_process(pf_identity *who, pf_packets *p, uint32_t upid);
uint64_t pf_identity_thread(pf_identity *who, pf_packets *p, uint32_t utid);

/* The same with a name, always written. note: what the event that gives the name says in JSON; may be empty. */
void pf_identity_name_process(pf_identity *who, pf_packets *p, uint32_t upid, pf_str name, pf_str note);
void pf_identity_name_thread(pf_identity *who, pf_packets *p, uint32_t utid, pf_str name, pf_str note);

/* ---- write_tracks.c ---------------------------------------------------------------------------------------------- */

typedef struct pf_track_writer {
    pf_identity *who;
    pf_packets *packets;
    pf_arena arena;
    uint8_t *said;            /* by track row */
    uint32_t *share;          /* by track row: string id of the name of the events that a counter comes from, or 0 */
    uint32_t *description;    /* by track row: string id, or 0 */
    uint32_t *of_thread;      /* by utid: that of the thread's track, for its lanes */
    uint8_t *ranked, *orders; /* by track row: it has a rank; its children are shown by theirs */
    int32_t *rank;
    uint32_t count;
} pf_track_writer;

pf_status pf_track_writer_init(pf_track_writer *w, pf_identity *who, pf_packets *packets, pf_error *err);
void pf_track_writer_free(pf_track_writer *w);

/* The uuid for events on track row `track`. */
uint64_t pf_track_writer_uuid(pf_track_writer *w, uint32_t track);

/* A lane next to thread track `home` for complete events that do not nest there; `number` distinguishes lanes. */
uint64_t pf_track_writer_lane(pf_track_writer *w, uint32_t home, uint32_t number);

/* ---- overlay_packets.c ------------------------------------------------------------------------------------------- */

/* Writes the findings' attributes and the overlay's tracks and events, on the sequence of `packets`. */
pf_status pf_overlay_write(const pf_findings *f, pf_identity *who, pf_packets *packets, pf_error *err);

/* Marks the processes below which overlay tracks want to be ordered; call before their descriptors are written. */
void pf_overlay_mark_parents(const pf_findings *f, pf_identity *who);
