/* edit/packets/packet_stream.h - every packet of a trace with its envelope, in file order, one at a time.
 *
 * The stream brings a reader of its own to pf_read, so that files, pipes, compression, limits, progress and damage are
 * read as they always are. Packets of compressed_packets and zstd_compressed_packets take the place of the packet that
 * holds them. Nothing is kept: what a handler needs later it copies, or points to if the packet is stable.
 *
 * A packet that does not decode to its end, or has a field that speaks against a trace (perfetto/packet_tags.h), is
 * counted as damaged and not handed out; what comes after it is. Bytes that are no packet end the stream, as they end
 * the reader's.
 */
#pragma once

#include "perfetto/decode/batch.h"
#include "postfetto/author/reader.h"
#include "wire/cursor.h"

enum {
    PF_PACKET_TIMESTAMP = 1 << 0,   /* it has one */
    PF_PACKET_SEQUENCE = 1 << 1,    /* likewise */
    PF_PACKET_CLEARED = 1 << 2,     /* incremental state is cleared, by flag or by the older field */
    PF_PACKET_NEEDS_STATE = 1 << 3, /* it means nothing without incremental state */
    PF_PACKET_FIRST = 1 << 4,       /* the first packet on its sequence */
    PF_PACKET_DROPPED = 1 << 5,     /* packets before it on its sequence were lost */
    PF_PACKET_STABLE = 1 << 6,      /* its bytes live as long as the trace */
    PF_PACKET_INNER = 1 << 7        /* it was inside a compressed packet */
};

typedef struct pf_raw_packet {
    const uint8_t *whole; /* tag, length and content: what a copy of it is */
    const uint8_t *bytes; /* its content, `len` bytes, then at least 64 readable ones of any value */
    size_t whole_len;
    uint32_t len;
    uint32_t has;       /* PF_PACKET_* */
    uint64_t offset;    /* plain offset of `whole` in the input; of an inner packet that of the packet around it */
    uint64_t number;    /* among all packets, in file order, from 0 on */
    uint64_t timestamp; /* in its own clock */
    uint32_t clock;     /* that it names; 0: none */
    uint32_t sequence, machine;
    uint32_t data;               /* number of the field that is no part of the envelope, the last one; 0: none */
    pf_field content;            /* that field */
    pf_field defaults, interned; /* trace_packet_defaults, interned_data; tag 0: none */
    pf_str findings;             /* the mark of a pass (model/trace/findings_mark.h), or {NULL, 0} */
} pf_raw_packet;

typedef struct pf_packet_handler {
    /* Before the first packet of each pass over the input. */
    pf_status (*begin)(void *ctx, pf_trace *t, pf_error *err);

    pf_status (*packet)(void *ctx, const pf_raw_packet *p, pf_error *err);

    /* Takes rows from at->row on as far as it can do without their packets, which nobody hands out then; NULL: it takes
     * none. number: of the first; has: PF_PACKET_STABLE and PF_PACKET_INNER as far as they are. */
    pf_status (*rows)(void *ctx, pf_rows *rows, pf_rows_at *at, uint64_t number, uint32_t has, pf_error *err);

    /* Prepares rows that were just decoded, in any thread; NULL: nothing. */
    void (*digest)(pf_rows *rows);

    /* Whether the pass is over before the input is; asked every few megabytes of one that is not compressed. share: of
     * its bytes, that were handed out. NULL: it never is. */
    bool (*over)(void *ctx, double share);

    /* After the last one; damage is counted in the trace. *again: the input is to be gone through once more. */
    pf_status (*end)(void *ctx, pf_trace *t, bool *again, pf_error *err);

    void *ctx;
} pf_packet_handler;

/* Hands all packets of an input to h. `other` (may be NULL) is a reader that is asked besides, for another format; it
 * reads once. *t gets the trace, which has no events: sizes of the input, counters of damage. PF_ERR_USAGE: the input
 * is of neither format. An error of the handler ends the stream and is returned. */
pf_status pf_packets_walk(const char *path, const pf_read_options *o, const pf_packet_handler *h,
                          const pf_reader *other, pf_trace **t, pf_error *err);

/* Reads the envelope of p->bytes, p->len into the other members; those of its place in the input are left alone. False
 * if the packet is damaged. */
bool pf_raw_packet_read(pf_raw_packet *p);
