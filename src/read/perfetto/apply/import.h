/* read/perfetto/apply/import.h - phase 2 of reading: the state of one input while its rows are applied in file order.
 */
#ifndef PF_READ_PERFETTO_APPLY_IMPORT_H
#define PF_READ_PERFETTO_APPLY_IMPORT_H

#include "perfetto/clock.h"
#include "perfetto/cold.h"
#include "perfetto/seqstate.h"
#include "read/perfetto/decode/batch.h"
#include "read/perfetto/track/uuids.h"
#include "read/reader.h"
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
    uint32_t field; /* the field that the last compressed packets came in, 0 before the first */
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
    struct pf_gpu *gpu;     /* gpu/gpu.h; NULL before the first GPU packet */
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

/* packet_apply.c: applies a batch. */
pf_status pf_import_apply(pf_import *im, pf_rows *rows);

/* The plain offset of a record. */
static inline uint64_t pf_import_offset(const pf_import *im, const pf_record *r)
{
    return im->span.fixed ? im->span.offset : im->span.offset + (uint64_t)(r->packet - r->header - im->span.data);
}

/* packet_apply_fast.c: what the places and labels of a batch stand for, NULL if memory was refused; legal on NULL. */
struct pf_known *pf_known_new(pf_budget *budget);
void pf_known_free(struct pf_known *k, pf_budget *budget);

/* What is known of any batch may be wrong from here on: its lists began anew, or a packet may have changed more than to
 * add events. */
static inline void pf_known_forget(pf_import *im)
{
    im->turn++;
}

/* Where a batch is being applied: the next row, the value of the next row that has one, the next record. */
typedef struct pf_rows_at {
    uint32_t row, value, record;
} pf_rows_at;

/* Applies rows as long as they are plain events and all that they refer to is known. Nothing has changed by the first
 * that is not taken. */
pf_status pf_import_rows_fast(pf_import *im, pf_rows *rows, pf_rows_at *at);

/* inventory.c: lists the packets that were counted in the input. */
pf_status pf_import_list_packets(pf_import *im);

/* packet_event.c: a TrackEvent at that time. */
pf_status pf_import_event(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* packet_kinds.c: data that takes effect before times and state matter; *done: there is nothing more to do. */
pf_status pf_import_early(pf_import *im, const pf_record *r, bool *done);
/* packet_kinds.c: the trace clock becomes a metadata row, if a snapshot named it. */
pf_status pf_import_note_clock(pf_import *im);
/* packet_kinds.c: everything else that is no TrackEvent. */
pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* trace_info.c: packets in which the trace tells of itself; *taken says whether this is one. */
pf_status pf_import_about(pf_import *im, const pf_record *r, const pf_field *data, bool *taken);
/* undecoded_times.c: has the times of a packet that nothing decodes count for the bounds, where Perfetto's do. */
void pf_import_cover_undecoded(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at);
pf_status pf_import_service_event(pf_import *im, const pf_record *r, const pf_field *data);
pf_status pf_import_set_uuid(pf_import *im, uint64_t msb, uint64_t lsb);
/* trace_info.c: all clocks are known: times of the recording's milestones become times of the trace. */
pf_status pf_import_settle_milestones(pf_import *im);

/* track_descriptors.c: a TrackDescriptor, or the older thread and process descriptors. */
pf_status pf_import_descriptor(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                               const pf_moment *at);

/* Sources of names; a higher or equal rank replaces (docs/reference/perfetto.md, "Processes and threads"). */
enum {
    PF_RANK_THREAD_TREE = 2,
    PF_RANK_THREAD_TYPE = 3, /* of Chrome's thread types */
    PF_RANK_THREAD_LEGACY = 3,
    PF_RANK_THREAD_DESCRIPTOR = 4,
    PF_RANK_PROCESS_TYPE = 1, /* of Chrome's process types; renderers have a rank of their own */
    PF_RANK_PROCESS_DESCRIPTOR = 2,
    PF_RANK_PROCESS_RENDERER = 3,
    PF_RANK_PROCESS_TREE = 4
};
/* track_descriptors.c: sets the name of a process or thread unless a better source named it. */
pf_status pf_import_set_process_name(pf_import *im, uint32_t upid, pf_str name, uint32_t rank);
pf_status pf_import_set_thread_name(pf_import *im, uint32_t utid, pf_str name, uint32_t rank);

/* track_descriptors.c: an argument of a process or thread (pf_owner); a value replaces the one of the same key. */
pf_status pf_import_note(pf_import *im, pf_owner owner, uint32_t row, pf_str key, const pf_value *value);

/* process_tree.c: processes and threads as the system lists them. */
pf_status pf_import_process_tree(pf_import *im, const pf_field *data);

/* process_stats.c: memory and run time of processes, as counters. */
pf_status pf_import_process_stats(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at);

/* inflate_packets.c: the packets inside a compressed_packets field. */
pf_status pf_import_compressed(pf_import *im, const pf_record *r, const pf_field *data);

/* legacy.c: groups the tracks of asynchronous operations; once, after the last event. */
pf_status pf_import_group_operations(pf_import *im);

/* legacy.c: all descriptors are known: events that stand on no thread's track, but would have to, vanish. */
void pf_import_settle_waiting(pf_import *im);

/* logs_and_stacks.c: log messages and call stacks; once, when all events are in place. */
pf_status pf_import_logs_and_stacks(pf_import *im);

/* triggers.c: the packets of triggers; *taken says whether this is one. */
pf_status pf_import_trigger(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at, bool *taken);
pf_status pf_perfetto_trigger_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                   const pf_arg_visitor *v, pf_error *err);

/* conversion_notes.c: the packet's note of what its event, the row added last, says in JSON; and one that has no event.
 */
pf_status pf_import_origin(pf_import *im, const pf_record *r);
pf_status pf_import_leftover(pf_import *im, const pf_field *data);
/* The id of a flow of phase s, t or f, as a note: the flow has another number. */
pf_status pf_import_flow_id(pf_import *im, uint64_t id);

/* spelled_ids.c: ids that a conversion of Chrome JSON had to replace by numbers, as they were written. */
pf_status pf_import_spelled_ids(pf_import *im);

/* packet_kinds.c: adds a metadata row, or replaces the value of the row with that name. */
pf_status pf_import_set_metadata(pf_import *im, pf_str name, pf_str text, int64_t number);

/* packet_event.c: looks the unresolved ids up once more; counts those that stay unknown. */
pf_status pf_import_settle_names(pf_import *im);

/* packet_times.c */
pf_status pf_import_time(pf_import *im, const pf_record *r, const pf_sequence *q, pf_moment *at);
/* A time in ns of the monotonic clock; raw where nothing relates that clock to the trace clock. */
pf_status pf_import_monotonic(pf_import *im, int64_t ns, pf_moment *at);
pf_status pf_import_defer(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t event, uint32_t sample);
pf_status pf_import_settle_deferred(pf_import *im);
/* All packets were read: tries once more to convert a time that could not be; counts it as lost if that fails. */
pf_status pf_import_retry(pf_import *im, pf_moment *at, uint64_t offset);

/* packet_args.c */
pf_status pf_perfetto_event_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                 const pf_arg_visitor *v, pf_error *err);
/* The same; in front of the event stands the utid of the thread it came from, low byte first. */
#define PF_PASSED_BYTES 4u
pf_status pf_perfetto_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                  const pf_arg_visitor *v, pf_error *err);
pf_status pf_perfetto_name_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v, pf_error *err);
/* The pf_args_checkers of the two. */
unsigned pf_perfetto_check_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);
unsigned pf_perfetto_check_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);
/* The generations that the event arguments of this trace refer to; NULL before its first binary input. */
pf_generations *pf_perfetto_generations(const pf_trace *t);
/* Whether the arguments of an event are within --max-depth and --max-keys, found by decoding them. */
bool pf_perfetto_args_fit_decoded(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);

/* A field like an interned source location is short, but gives several values; there are no more than these. */
#define PF_FIELD_VALUES_MAX 24u

/* Most events are too small to exceed anything, since a level or a value takes two bytes at least, but for fields that
 * are read as a whole. */
static inline bool pf_perfetto_args_are_small(const pf_trace *t, size_t len)
{
    const pf_limits *l = &t->budget.limits;
    return len / 2 <= l->depth && len / 2 + PF_FIELD_VALUES_MAX <= l->keys;
}

/* The same for any size. */
static inline bool pf_perfetto_args_fit(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context)
{
    return pf_perfetto_args_are_small(t, len) || pf_perfetto_args_fit_decoded(t, bytes, len, context);
}

#endif
