/* edit/state/out_state.h - what an output has said of each sequence, and how it is brought in line with the input.
 *
 * Before a packet is written, its sequence has to mean in the output what it meant in the input: pf_out_align says what
 * differs (a clear, defaults, the sequence's clocks and thread), pf_out_say the interned entries that the packet refers
 * to and nobody said since. Both write packets of their own, on the packet's sequence, and only what is missing, so
 * that an output in line with its input costs nothing.
 *
 * Times of incremental clocks, values of incremental counters count from the packet before: the output keeps its own
 * running values, and what dropped packets added is added to the next packet that is written.
 */
#pragma once

#include "edit/redact/redact.h"
#include "edit/state/epochs.h"
#include "output/sink.h"
#include "perfetto/role_walk.h"
#include "wire/writer.h"

typedef struct pf_out_sequence {
    pf_epoch *epoch;   /* that the output is in, or NULL */
    pf_blob *snapshot; /* of its own clocks, said last; an older one is not said again, clocks do not run backwards */
    uint64_t *said;    /* a bit for each entry of it */
    uint32_t said_words, said_count;
    int64_t running[PF_OWN_CLOCKS]; /* of the incremental clocks, as in pf_in_sequence */
} pf_out_sequence;

typedef struct pf_out {
    pf_budget *budget;
    pf_sink *sink;
    pf_sequences state; /* running values of counters, references of delta times */
    pf_out_sequence *list;
    uint32_t count, room;
    pf_buffer packet; /* being made */
    pf_writer writer;
    uint32_t *missing; /* entries that a packet refers to */
    uint32_t missing_count, missing_room;
    pf_role_walk *walk;
    pf_redactor *redact; /* of what is written; NULL: nothing */
    pf_buffer redacted;
    uint64_t kept, changed, added, bytes;
    uint64_t general; /* of those kept: about the trace as a whole, or without a time */
    uint64_t placed;  /* of those added: what began before the window, or ends after it */
} pf_out;

pf_status pf_out_init(pf_out *o, pf_budget *budget, pf_sink *sink, pf_error *err);
void pf_out_free(pf_out *o);

/* A packet of the output's own: its fields go to o->writer between these calls. */
void pf_out_begin(pf_out *o, const pf_in_sequence *s); /* s: on that sequence; NULL: on none */
pf_status pf_out_end(pf_out *o, pf_error *err);
static inline pf_bytes pf_out_made(const pf_out *o) /* until the next one begins */
{
    return (pf_bytes){(const uint8_t *)o->packet.data, o->packet.len};
}

/* Bytes of whole packets. */
pf_status pf_out_put(pf_out *o, const void *bytes, size_t len, pf_error *err);

/* Whether it makes no difference how many of them are put at once. */
static inline bool pf_out_takes_runs(const pf_out *o)
{
    return !o->sink || (!o->sink->bundles && !o->sink->in_member);
}

/* Brings the sequence in line with an epoch; its own clocks only where that is the present one. */
pf_status pf_out_align(pf_out *o, const pf_in *in, uint32_t index, pf_epoch *epoch, pf_error *err);

/* Says everything that a packet of the input needs and does not say itself; it is to be written next, and in the state
 * of the input now. */
pf_status pf_out_prepare(pf_out *o, const pf_in *in, uint32_t index, const pf_raw_packet *p, pf_error *err);

/* Whether an entry of the epoch that the sequence is in was said; PF_NONE: there is none. */
static inline bool pf_out_has_said(const pf_out_sequence *s, uint32_t entry)
{
    return entry == PF_NONE || (entry / 64 < s->said_words && s->said[entry / 64] >> entry % 64 & 1);
}

/* Says the entries that a message refers to, in the epoch that the sequence is in line with. */
pf_status pf_out_say(pf_out *o, const pf_in *in, uint32_t index, pf_message message, const uint8_t *bytes, size_t len,
                     pf_error *err);
