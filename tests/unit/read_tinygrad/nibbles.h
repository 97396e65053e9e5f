/* Thread traces and code objects made by hand: nibbles in, bytes out. */
#ifndef TEST_READ_TINYGRAD_NIBBLES_H
#define TEST_READ_TINYGRAD_NIBBLES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/sqtt/sqtt_kinds.h"

enum { STREAM_BYTES = 4096 };

typedef struct nibbles {
    uint8_t bytes[STREAM_BYTES];
    size_t count;
} nibbles;

/* Appends a packet: its bits, lowest first. Packets of more than 16 nibbles end in zeros. */
static inline void put_packet(nibbles *n, uint64_t bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++, n->count++) {
        unsigned nibble = i < 16 ? (unsigned)(bits >> (4 * i)) & 15 : 0;
        n->bytes[n->count / 2] |= (uint8_t)(nibble << (n->count % 2 * 4));
    }
}

static inline void put_header(nibbles *n, unsigned layout)
{
    put_packet(n, 0x11 | (uint64_t)layout << 7, 16);
}

/* The last packets of a stream are decoded only if 16 nibbles are there: NOPs (RDNA) or empty MISC packets (CDNA). */
static inline void put_tail(nibbles *n)
{
    put_packet(n, 0, 16);
    n->count += n->count % 2;
}

/* All packets; at most `room`. The bytes lie in memory of their exact size, so that a sanitizer sees reads beyond. */
static inline size_t decode_all(const nibbles *n, pf_sqtt_packet *out, size_t room)
{
    pf_sqtt_tables *tables = malloc(sizeof *tables);
    size_t len = n->count / 2;
    uint8_t *exact = malloc(len ? len : 1);
    pf_sqtt_decoder d;
    memcpy(exact, n->bytes, len);
    pf_sqtt_build_tables(tables);
    pf_sqtt_start(&d, tables, (pf_bytes){exact, len});
    size_t count = pf_sqtt_next(&d, out, room);
    free(exact);
    free(tables);
    return count;
}

#endif
