/* write/perfetto/packet_writer.h - one packet sequence of ours: envelopes, track events, interning.
 *
 * A text is written in place the first time and interned from its second use on, so that texts used once cost no
 * interning entry. Where it is known how often names are used (pf_packets_plan_names), those used once stay in place,
 * and the others are interned from their first use on, with short ids for the frequent ones. Keys of arguments and
 * categories, which are few and used again and again, are interned at once; texts shorter than an id never, nor values
 * of a key whose values nearly all differ (counters and addresses as texts). Errors stick in the sink and in `failed`;
 * pf_packets_finish reports them at the end.
 *
 * Times are trace times as they are, or, after pf_packets_start_clock, differences to the packet before on a clock of
 * the sequence. Then events may also come track by track (pf_packets_default_track): most of what an event says is
 * short or said by the defaults.
 */
#pragma once

#include "base/strings.h"
#include "output/sink.h"
#include "perfetto/fields.h"
#include "wire/writer.h"

/* What a uuid stands for; pf_uuid_of gives no two (space, row) pairs the same uuid, and never 0. */
typedef enum pf_uuid_space {
    PF_UUID_PROCESS = 1,
    PF_UUID_THREAD,
    PF_UUID_TRACK,
    PF_UUID_LANE,
    PF_UUID_OVERLAY,
    PF_UUID_FLOW
} pf_uuid_space;
uint64_t pf_uuid_of(pf_uuid_space space, uint64_t row);

typedef enum pf_written_kind {
    PF_WRITTEN_CATEGORY = 0,
    PF_WRITTEN_NAME,
    PF_WRITTEN_ARG_NAME,
    PF_WRITTEN_ARG_STRING,
    PF_WRITTEN_KINDS
} pf_written_kind;

#define PF_WRITTEN_PLANNED (1u << 31)

/* Texts without an id whose iids were asked for last; a text has one place. */
#define PF_RECENT_TEXTS 64u
#define PF_RECENT_BYTES 27u
typedef struct pf_recent_text {
    uint32_t iid; /* 0: none is here */
    uint8_t len;
    char text[PF_RECENT_BYTES];
} pf_recent_text;

typedef struct pf_interner {
    pf_strings pool; /* numbers texts that have no id yet */
    bool has_pool;
    uint64_t pool_bytes;
    uint32_t
        *state; /* by id: 0 never used, 1 used once, else its iid + 1; PF_WRITTEN_PLANNED besides: not defined yet */
    uint32_t room;
    uint32_t last_iid;
    pf_recent_text recent[PF_RECENT_TEXTS];
} pf_interner;

/* Values of a key, counted while they are looked up; `in_place` of the next ones are not. */
#define PF_WATCHED_KEYS 256u
typedef struct pf_key_values {
    uint16_t looked_up, found;
    uint32_t in_place;
} pf_key_values;

typedef struct pf_packets {
    pf_sink *sink;
    pf_budget *budget;
    uint32_t sequence;
    uint32_t machine; /* that all packets are from; 0: none is named */
    pf_str findings;  /* mark of the sequence (model/trace/findings_mark.h), or empty */
    bool says_mark;   /* the packet being written carries it */
    bool started;
    bool counts_on;         /* times are differences */
    int64_t last_ts;        /* of the packet before, where they are */
    bool moves_on;          /* the packet being written is on that clock */
    int64_t ts;             /* of the packet being written, -1 if it has none */
    pf_str name;            /* of its event */
    uint64_t default_track; /* 0: none */
    bool says_defaults;     /* the next packet carries the defaults */
    pf_buffer bytes;        /* whole packets, handed to the sink by the 64 KiB */
    pf_writer w;
    pf_buffer fresh; /* interned data of the packet being written */
    pf_writer fresh_w;
    pf_buffer
        note; /* of the packet being written, or of the next: what its event says in JSON (model/trace/json_notes.h) */
    pf_writer note_w;
    pf_interner interners[PF_WRITTEN_KINDS];
    pf_key_values keys[PF_WATCHED_KEYS];
    uint32_t key; /* place in `keys` of the annotation that is being written */
    pf_status failed;
    pf_error error;
} pf_packets;

void pf_packets_init(pf_packets *p, pf_sink *sink, pf_budget *budget, uint32_t sequence);
void pf_packets_free(pf_packets *p);

/* Hands all whole packets to the sink. */
void pf_packets_hand_over(pf_packets *p);

/* The first error of all packets, if there was one; the other function hands them over first. */
pf_status pf_packets_status(const pf_packets *p, pf_error *err);
pf_status pf_packets_finish(pf_packets *p, pf_error *err);

/* Starts a clock of the sequence at `ts` (not negative) that counts on from packet to packet. Packets outside the
 * sequence are not concerned. */
void pf_packets_start_clock(pf_packets *p, int64_t ts);

/* Passes, before the first event, how often each string of the trace will be the name of an event, by string id. */
pf_status pf_packets_plan_names(pf_packets *p, const uint32_t *uses, uint32_t count, pf_error *err);

/* From the next packet on, events without a track are on this one. Only with a clock of the sequence. */
void pf_packets_default_track(pf_packets *p, uint64_t track);

/* Envelope of a packet; what is written to p->w in between is its content. ts < 0: none. */
void pf_packets_begin(pf_packets *p, int64_t ts, bool uses_iids);
void pf_packets_begin_outside(pf_packets *p, int64_t ts); /* the packet belongs to no sequence */
void pf_packets_end(pf_packets *p);

/* A text with an id: the id of a string of the trace, or PF_NONE for one that has none. ptr NULL: absent. */
typedef struct pf_label {
    uint32_t id;
    pf_str text;
} pf_label;

/* A track event (type UNSPECIFIED: one whose legacy_event says what it is) up to its arguments: pf_packets_event, then
 * annotations if any, then pf_packets_event_end. */
void pf_packets_event(pf_packets *p, int64_t ts, uint32_t type, uint64_t track, pf_label name, pf_label category);
void pf_packets_event_end(pf_packets *p);

/* A whole counter event; integral values that fit are written as integers. */
void pf_packets_counter(pf_packets *p, int64_t ts, uint64_t track, double value);

/* The name of an annotation; one that Perfetto changes is remembered (up to a number of them). */
void pf_packets_arg_name(pf_packets *p, pf_str name);

/* One scalar of an annotation, without its name. */
void pf_packets_value(pf_packets *p, const pf_value *value);

/* Remembers the first error. */
void pf_packets_fail(pf_packets *p, const pf_error *error);

/* ---- write_descriptors.c ----------------------------------------------------------------------------------------- */

typedef enum pf_descriptor_kind {
    PF_DESCRIBE_TRACK = 0,
    PF_DESCRIBE_COUNTER,
    PF_DESCRIBE_PROCESS,
    PF_DESCRIBE_THREAD
} pf_descriptor_kind;

typedef struct pf_descriptor {
    pf_descriptor_kind kind;
    uint64_t uuid, parent; /* parent 0: none */
    pf_str name;           /* of the track, the process or the thread; ptr NULL: none */
    pf_str description;
    pf_str unit;           /* COUNTER */
    int32_t pid;           /* PROCESS, THREAD */
    int64_t tid;           /* THREAD */
    int64_t start_ts;      /* PROCESS; <= 0: unknown */
    bool orders_children;  /* children are shown by rank, */
    bool orders_processes; /* uuid 0: processes are (Perfetto v58) */
    bool ranked;
    int32_t rank;
    bool apart;         /* never merged with siblings of the same name */
    uint64_t merge_key; /* merged with the siblings of this key; 0: none */
    pf_str share_key;   /* COUNTER: counters of one key share an axis; ptr NULL: none */
    pf_str note;        /* what the event that gave the name says in JSON (model/trace/json_notes.h) */
} pf_descriptor;

/* ts < 0: the packet has no time. */
void pf_packets_describe(pf_packets *p, int64_t ts, const pf_descriptor *d);

/* One trace attribute (metadata trace_attribute.KEY): a text, or a number if text.ptr is NULL. */
void pf_packets_attribute(pf_packets *p, pf_str key, pf_str text, int64_t number);
