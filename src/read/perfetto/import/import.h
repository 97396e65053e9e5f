/* read/perfetto/import/import.h - phase 2 of reading: the state of one input while its rows are applied in file order.
 */
#ifndef PF_READ_PERFETTO_IMPORT_IMPORT_H
#define PF_READ_PERFETTO_IMPORT_IMPORT_H

#include "perfetto/clock.h"
#include "perfetto/cold.h"
#include "perfetto/seqstate.h"
#include "read/perfetto/decode/batch.h"
#include "read/perfetto/track/uuids.h"
#include "read/reading/reader.h"
#include "wire/cursor.h"

/* Where the bytes of the records being applied come from. */
typedef struct pf_span {
    const uint8_t *data;
    uint64_t offset; /* plain offset of data[0]; of the outer packet where `fixed` is set */
    bool fixed;      /* bytes out of a compressed packet: they have no offset of their own */
    bool stable;     /* they live as long as the trace */
} pf_span;

/* The time of a packet. */
typedef enum pf_when {
    PF_WHEN_KNOWN = 0, /* ts is trace time */
    PF_WHEN_LATER,     /* nothing relates its clock to the trace clock yet: ts counts in `clock` */
    PF_WHEN_MISSING    /* it has none that could be used */
} pf_when;

typedef struct pf_moment {
    int64_t ts;
    pf_clock_key clock;
    pf_when when;
} pf_moment;

/* An event or sample whose time is settled at the end of the file. */
typedef struct pf_deferred {
    uint32_t event, sample; /* rows, or PF_NONE */
    pf_clock_key clock;
    int64_t value;
    uint64_t offset; /* of the packet */
    bool counts;     /* stands for its packet: if the time remains unknown, the packet is counted as lost */
} pf_deferred;

/* An interning id that nothing had defined when its event was read; an entry of the same generation may still come. */
typedef struct pf_unresolved {
    uint32_t event; /* row */
    pf_intern_kind kind;
    const pf_generation *generation;
    uint64_t iid;
    const uint8_t *bytes; /* of the event, if one of several categories is meant, else NULL */
    uint32_t len;
    uint64_t offset; /* of the packet */
} pf_unresolved;

/* A legacy event that only a thread's track can hold, or that moves from the track it names to another one, while no
 * descriptor had described that track yet. */
typedef struct pf_waiting_event {
    uint32_t event; /* row */
    uint32_t state; /* of the track's uuid */
    uint64_t offset;
    bool moved; /* the track it names only has to be there */
} pf_waiting_event;

/* An asynchronous operation of legacy events. */
typedef struct pf_operation {
    uint64_t id;
    uint32_t track;
    uint32_t scope;   /* string id */
    int64_t named_at; /* time of the earliest event, which the track is named after */
} pf_operation;

typedef struct pf_operations {
    pf_operation *list;
    uint32_t count, room;
    pf_map by_key; /* id in `keys` -> index */
} pf_operations;

/* Packets and bytes by the field that the data is in. */
#define PF_INVENTORY_FIELDS 256u
#define PF_INVENTORY_OTHER (PF_INVENTORY_FIELDS - 1)

typedef struct pf_inventory {
    uint64_t packets[PF_INVENTORY_FIELDS], bytes[PF_INVENTORY_FIELDS];
} pf_inventory;

/* Numbers of the decoders of arguments. */
typedef struct pf_decoders {
    unsigned event;   /* of TrackEvents */
    unsigned passed;  /* of TrackEvents with a thread that they came from */
    unsigned name;    /* of process_name and thread_name */
    unsigned trigger; /* of triggers */
} pf_decoders;

/* What can be settled at the end of the input only. */
typedef struct pf_late {
    pf_deferred *times; /* packet_times.c */
    uint32_t time_count, time_room;
    pf_unresolved *names; /* packet_event.c */
    uint32_t name_count, name_room;
    pf_waiting_event *events; /* legacy.c */
    uint32_t event_count, event_room;
} pf_late;

/* track_descriptors.c: who named processes and threads, and what is noted of them. */
typedef struct pf_people {
    uint32_t process_key, thread_key; /* the strings process_name and thread_name */
    pf_map ranks;                     /* 2 * upid, or 2 * utid + 1 -> rank of who named it */
    pf_map notes;                     /* owner, row and key of a noted argument -> its row of the row arguments */
} pf_people;

/* trace_info.c: what the trace said about itself so far. */
typedef struct pf_about {
    uint32_t first_row; /* of the metadata: rows from here on are this input's */
    pf_map rows;        /* string id of the name -> row of the metadata */
    bool has_uuid, has_milestones, machine_known;
    uint32_t machine; /* the one that is read */
    uint64_t flushes; /* all_data_sources_flushed events */
} pf_about;

/* inflate_packets.c: packets out of compressed ones. */
typedef struct pf_unpacked {
    pf_rows *rows; /* NULL before the first */
    uint64_t bytes;
    uint32_t field;     /* the field that the last compressed packets came in, 0 before the first */
    pf_buffer left_out; /* apply/own_findings.c: stretches of the present ones */
} pf_unpacked;

/* stats/: tracks of counters of processes, and of triggers. */
typedef struct pf_stat_tracks {
    pf_map tracks;          /* 32 * upid + kind of process counter -> its track */
    uint32_t trigger_track; /* or PF_NONE */
} pf_stat_tracks;

/* legacy.c: operations, clocks and instants of legacy events. */
typedef struct pf_legacy_state {
    pf_strings keys; /* what operations and flows are known by, numbered */
    pf_operations operations;
    pf_map clock_tracks; /* 2 * utid, + 1 for instructions -> counter track of the thread's clock */
    pf_map instants;     /* upid -> track of its process-wide instants; PF_NONE - 1 -> that of the global ones */
} pf_legacy_state;

/* Everything that a packet may be applied to; each part belongs to the files that its type names. */
typedef struct pf_import {
    pf_trace *t;
    pf_input *input;
    pf_reading *r;
    const pf_read_options *o;
    const pf_dialect *shown; /* the dialect that a process name gave away, or NULL */
    pf_error *err;
    pf_span span;
    pf_decoders decoders;

    pf_sequences sequences; /* perfetto/seqstate.h */
    pf_uuid_tracks tracks;  /* track/uuids.h */
    pf_moves moves;         /* track/relocate.h */
    pf_clocks clocks;       /* perfetto/clock.h */
    pf_cold cold;           /* perfetto/cold.h */
    struct pf_gpu *gpu;     /* gpu/packet_gpu.h; NULL before the first GPU packet */
    pf_people people;
    pf_legacy_state legacy;
    pf_stat_tracks stats;
    pf_about about;
    pf_unpacked unpacked;
    pf_inventory inventory;
    pf_late late;

    uint64_t turn;     /* packet_apply_fast.c: what was found out in an earlier one may be wrong */
    int64_t latest_ts; /* latest time of a packet so far */
    bool has_sides;    /* some event has a log message or a call stack */
    pf_buffer scratch; /* joined categories */
} pf_import;

/* The plain offset of a record. */
static inline uint64_t pf_import_offset(const pf_import *im, const pf_record *r)
{
    return im->span.fixed ? im->span.offset : im->span.offset + (uint64_t)(r->packet - r->header - im->span.data);
}

/* What is known of any batch may be wrong from here on: its lists began anew, or a packet may have changed more than to
 * add events. */
static inline void pf_known_forget(pf_import *im)
{
    im->turn++;
}

#endif
