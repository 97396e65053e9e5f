/* perfetto/decode/packet.h - phase 1 of reading: any packet as a record of fixed size, without any state.
 *
 * A record says where a packet lies and what the hot fields of its envelope and of its TrackEvent are; everything rare
 * is only flagged, phase 2 looks it up again in the bytes. Records of one stretch of bytes depend on these bytes alone,
 * so that any thread may make them; phase 2 applies them in file order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cursor.h"

/* What a packet is to phase 2. */
typedef enum pf_record_kind {
    PF_RECORD_OTHER = 0, /* any other packet; `data` names its first data field */
    PF_RECORD_EVENT,     /* a TrackEvent */
    PF_RECORD_DAMAGED    /* a packet that does not decode to its end */
} pf_record_kind;

enum {
    PF_HAS_TIMESTAMP = 1u << 0,
    PF_HAS_STATE = 1u << 1,   /* cleared, dropped, first, defaults or interned data: look at the envelope again */
    PF_HAS_MACHINE = 1u << 2, /* a machine id other than 0 */
    PF_HAS_TYPE = 1u << 3,
    PF_HAS_NAME = 1u << 4,       /* inline text: `name` is its address in the packet, name_len its length */
    PF_HAS_CATEGORY = 1u << 5,   /* exactly one category iid */
    PF_HAS_CATEGORIES = 1u << 6, /* several categories or inline ones: look at the event again */
    PF_HAS_INT = 1u << 7,        /* counter_value */
    PF_HAS_DOUBLE = 1u << 8,     /* double_counter_value, and no counter_value */
    PF_HAS_EXTRA = 1u << 9,      /* extra counter values */
    PF_HAS_ARGS = 1u << 10,      /* anything that becomes arguments */
    PF_HAS_LEGACY = 1u << 11,    /* legacy_event */
    PF_HAS_DELTAS = 1u << 12,    /* legacy times or thread times */
    PF_HAS_UUID = 1u << 13,      /* track_uuid, maybe 0 */
    PF_HAS_SEQUENCE = 1u << 14,  /* a sequence id, maybe 0: a given 0 is a sequence like any other */
    PF_HAS_DAMAGE = 1u << 15,    /* the event ends in the middle of a field; what is before it counts */
    PF_HAS_FLOWS = 1u << 16,     /* anything that becomes flows: look at the event again */
    PF_HAS_UNKNOWN = 1u << 17,   /* an extension field that is not known here */
    PF_HAS_PROCESSES = 1u << 18, /* chrome_active_processes */
    PF_HAS_SIDES = 1u << 19,     /* a log message or a call stack: rows of other tables */
    PF_HAS_ORIGIN = 1u << 20,    /* the packet has a note of what its event says in JSON */

    /* Whatever matters once the event has its row. */
    PF_HAS_REST = PF_HAS_ARGS | PF_HAS_FLOWS | PF_HAS_LEGACY | PF_HAS_DELTAS | PF_HAS_EXTRA | PF_HAS_UNKNOWN
};

typedef struct pf_record {
    const uint8_t *packet; /* body of the packet */
    union {
        const uint8_t *event;                  /* EVENT: body of its TrackEvent */
        const struct pf_ftrace_bundle *bundle; /* OTHER: what pf_rows_decode_bundles made of it, or NULL */
    };
    uint64_t timestamp;
    uint64_t track_uuid; /* 0 = none */
    uint64_t name_iid;   /* 0 = none */
    const uint8_t *name;
    uint64_t category; /* iid */
    uint64_t value;    /* counter: int64, or the bits of a double */
    uint32_t packet_len, event_len, name_len;
    uint32_t sequence;
    uint32_t clock; /* 0 = none */
    uint32_t has;
    uint32_t data;  /* OTHER: field number of the data, 0 = none known */
    uint8_t header; /* bytes of tag and length in front of `packet` */
    uint8_t kind, type, sequence_flags;
} pf_record;

/* Why pf_records_decode stopped. */
typedef enum pf_stop {
    PF_STOP_FULL = 0, /* no room for more records, or it is enough */
    PF_STOP_PARTIAL,  /* the next field is not complete in these bytes (or they are used up) */
    PF_STOP_SKIP,     /* `skip` bytes from `consumed` on are a field that nobody wants; they need not be in memory */
    PF_STOP_DAMAGED   /* no field begins at `consumed` */
} pf_stop;

typedef struct pf_decoded {
    size_t records;
    size_t consumed; /* bytes that are done with */
    uint64_t skip;
    pf_stop stop;
} pf_decoded;

/* Decodes top-level fields of a Trace from the start of the bytes, after which PF_SLOP bytes are readable: those that
 * begin in the first `enough` bytes, as far as there is room. */
pf_decoded pf_records_decode(const uint8_t *bytes, size_t len, size_t enough, pf_record *records, size_t room);

/* The same with instructions that not every processor has (packet.c, compiled once more). */
pf_decoded pf_records_decode_bmi2(const uint8_t *bytes, size_t len, size_t enough, pf_record *records, size_t room);

/* ---- legacy_fields.c --------------------------------------------------------------------------------------------- */

enum { PF_LEGACY_SCOPE_GLOBAL = 1, PF_LEGACY_SCOPE_PROCESS = 2 };

/* What legacy_event says. */
typedef struct pf_legacy {
    uint64_t name_iid;
    int64_t duration_us, thread_duration_us, instruction_delta;
    uint64_t unscoped_id, global_id, local_id, bind_id;
    pf_str id_scope; /* ptr NULL if absent */
    uint32_t phase;  /* 0 if absent */
    uint32_t scope;  /* of an instant: 1 global, 2 process, 3 thread */
    uint32_t direction;
    int32_t pid, tid;
    bool has_pid, has_tid, has_unscoped_id, has_global_id, has_local_id, has_bind_id, bind_to_enclosing;
} pf_legacy;

pf_legacy pf_legacy_read(const uint8_t *event, size_t len);

/* The id of an asynchronous operation; *local: it counts within its process. False if there is none. */
bool pf_legacy_async_id(const pf_legacy *l, uint64_t *id, bool *local);

/* Of the ids of a legacy flow, the unscoped, the local and the global one by xor: 31 bits. */
static inline uint32_t pf_flow_mix(uint64_t ids)
{
    return (uint32_t)(ids * 0x9e3779b97f4a7c15u >> 33);
}

/* Whether the record is an event that begins, continues or ends a legacy flow, and does nothing else. *flow: its
 * pf_flow_mix, and PF_FLOW_BEGIN if it begins. */
#define PF_FLOW_BEGIN (1u << 31)
bool pf_record_is_flow_step(const pf_record *r, uint32_t *flow);

/* Whether the phase is one of an asynchronous operation (b e n S T p F). */
bool pf_legacy_is_async(uint32_t phase);

/* Whether the event is an instant of everything, or one of its process if that is known. */
bool pf_legacy_is_wide(const pf_legacy *l, bool has_process);
