/* read/tinygrad/sqtt/sqtt_decode.h - a stream of nibbles to packets with times.
 *
 * The low byte of what follows decides kind, length and where the packet's share of time lies, so one look-up in a
 * table of 256 entries per family is all that a packet costs. Any bytes decode; nothing is read beyond them.
 */
#ifndef PF_READ_TINYGRAD_SQTT_DECODE_H
#define PF_READ_TINYGRAD_SQTT_DECODE_H

#include "postfetto/base.h"
#include "read/tinygrad/sqtt/sqtt_kinds.h"

typedef struct pf_sqtt_packet {
    int64_t time;    /* shader cycles since the stream began */
    uint64_t raw;    /* its bits; of a packet of more than 16 nibbles the first 64 */
    uint32_t nibble; /* offset in the stream, modulo 2^32 */
    uint8_t kind;    /* pf_sqtt_kind_id */
    uint8_t family;  /* pf_sqtt_family; a header's is the one it was met in */
} pf_sqtt_packet;

/* What the low byte says, in one number, so that it is fetched at once: from the lowest byte on the packet's nibbles;
 * the bits of the window that are not the packet's; the shift and what is added, and in two bytes the mask, of time +=
 * ((bits >> shift) & mask) + add; the kind; and whether the packet does more to the time than that. */
typedef uint64_t pf_sqtt_step;
enum {
    PF_SQTT_STEP_NIBBLES = 0,
    PF_SQTT_STEP_UNUSED = 8,
    PF_SQTT_STEP_SHIFT = 16,
    PF_SQTT_STEP_ADD = 24,
    PF_SQTT_STEP_MASK = 32,
    PF_SQTT_STEP_KIND = 48,
    PF_SQTT_STEP_MORE = 56
};

typedef struct pf_sqtt_tables {
    pf_sqtt_step step[PF_SQTT_FAMILIES][256];
} pf_sqtt_tables;

void pf_sqtt_build_tables(pf_sqtt_tables *t);

typedef struct pf_sqtt_decoder {
    const pf_sqtt_tables *tables;
    const uint8_t *data;
    uint64_t at, end; /* nibbles; a packet is decoded if 16 of them are there */
    int64_t time;
    int64_t zero; /* CDNA: the timestamp that belongs to time 0 */
    bool has_zero;
    uint8_t family;
} pf_sqtt_decoder;

/* The tables and the bytes must outlive the decoder. */
void pf_sqtt_start(pf_sqtt_decoder *d, const pf_sqtt_tables *tables, pf_bytes stream);

/* Decodes up to `room` packets. Fewer only at the stream's end. */
size_t pf_sqtt_next(pf_sqtt_decoder *d, pf_sqtt_packet *out, size_t room);

/* Whether a packet is a marker: its delta is the 100 MHz clock, in *clock. */
bool pf_sqtt_is_marker(const pf_sqtt_packet *p, uint64_t *clock);

#endif
