/* perfetto/seqstate.h - the state machine of packet sequences (docs/reference/perfetto.md, "Sequence state").
 *
 * A sequence is the stream of one writer. Its packets build on each other: interned texts, defaults, running counter
 * values and reference times stay until the state is cleared or packets are lost. This file keeps that state and knows
 * when it may be used; what the packets mean is the reader's business, and so is counting faults.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "perfetto/intern.h"

typedef struct pf_uuid_list {
    uint64_t *uuid; /* budget memory */
    uint32_t count, room;
} pf_uuid_list;

typedef struct pf_sequence {
    uint32_t id;
    bool begun;                /* a packet of it was seen */
    bool has_first_packet;     /* a packet said that it is the first one */
    bool valid;                /* incremental state may be used */
    uint32_t left_out;         /* its packets are findings of the pass with this string id, and not read; 0: they are */
    pf_generation *generation; /* NULL until something needs one */

    /* trace_packet_defaults */
    uint32_t clock_id;   /* 0 = none */
    uint64_t track_uuid; /* 0 = none */
    pf_uuid_list extra_uuids, extra_double_uuids;

    /* The thread of the last thread descriptor; survives clears. */
    bool has_thread;
    int64_t pid, tid;

    /* Reference of delta times, from the last thread descriptor since the last clear or loss. */
    bool has_reference;
    int64_t reference_ts;
    int64_t reference_thread_ts, reference_instructions;

    /* Running values of incremental counters, by track uuid. */
    pf_map running;
    double *running_value;
    uint32_t running_count, running_room;
} pf_sequence;

typedef struct pf_sequences {
    pf_budget *budget;
    pf_strings *strings;
    pf_generations *generations;
    uint32_t kinds;    /* bit set of the pf_intern_kind to keep */
    pf_sequence *list; /* in order of appearance */
    uint32_t count, room;
    pf_map by_id;
    uint32_t last; /* index of the sequence found last */
} pf_sequences;

/* The generations outlive the sequences. */
void pf_sequences_init(pf_sequences *s, pf_budget *budget, pf_generations *generations, pf_strings *strings,
                       uint32_t kinds);
void pf_sequences_free(pf_sequences *s);

pf_sequence *pf_sequence_find_slow(pf_sequences *s, uint32_t id);

/* The sequence with that id, made on first use; NULL if memory was refused. Valid until the next call. */
static inline pf_sequence *pf_sequence_find(pf_sequences *s, uint32_t id)
{
    if (s->last < s->count && s->list[s->last].id == id) {
        return &s->list[s->last];
    }
    return pf_sequence_find_slow(s, id);
}

/* Incremental state cleared: a new generation, no defaults, valid. */
void pf_sequence_clear(pf_sequence *q);

/* Packets were lost: invalid until the next clear; interned texts and defaults stay. */
void pf_sequence_lose(pf_sequence *q);

/* Replaces the defaults as a whole. False if memory was refused. */
bool pf_sequence_set_defaults(pf_sequences *s, pf_sequence *q, const uint8_t *bytes, size_t len);

/* Takes the entries of an InternedData message. *without_iid counts entries that have none. */
pf_status pf_sequence_intern(pf_sequences *s, pf_sequence *q, const uint8_t *bytes, size_t len, uint64_t *without_iid,
                             pf_error *err);

/* The generation of the sequence, made if it has none yet; NULL if memory was refused. */
pf_generation *pf_sequence_generation(pf_sequences *s, pf_sequence *q);

/* Adds a difference to the running value of an incremental counter and stores the sum. False if memory was refused. */
bool pf_sequence_add(pf_sequences *s, pf_sequence *q, uint64_t track_uuid, double difference, double *sum);
