/* wire/writer.h - appends protobuf fields to a growing buffer.
 *
 * The buffer belongs to the caller, who may empty it (len = 0) between messages and pass it on. Every function first
 * makes sure of its worst case of room, then stores without further tests. A nested message is begun with one byte kept
 * for its length; when it ends and needs more, its body moves up: lengths are always minimal, and the many small
 * messages of a trace never move.
 *
 *     pf_writer_begin(w, PF_F_TRACE_PACKET);
 *     pf_writer_varint(w, PF_F_PACKET_TIMESTAMP, ts);
 *     pf_writer_begin(w, PF_F_PACKET_TRACK_EVENT);
 *     pf_writer_bytes(w, PF_F_EVENT_NAME, name, len);
 *     pf_writer_end(w);
 *     pf_writer_end(w);
 *
 * Refused memory makes the writer and its buffer fail for good (pf_writer.failed); later calls do nothing.
 */
#pragma once

#include <string.h>

#include "base/buffer.h"
#include "wire/wire.h"

#define PF_WRITER_INLINE_DEPTH 16

typedef struct pf_writer {
    pf_buffer *out;
    bool failed;
    unsigned depth;     /* open messages */
    unsigned open_room; /* entries of `open` */
    size_t *open;       /* where the length byte of each open message is; own storage or malloc'd */
    size_t inline_open[PF_WRITER_INLINE_DEPTH];
} pf_writer;

void pf_writer_init(pf_writer *w, pf_buffer *out);

/* Releases what deep nesting needed; the buffer stays the caller's. */
void pf_writer_free(pf_writer *w);

/* Starts and ends a nested message. A message ended too often makes the writer fail. */
void pf_writer_begin(pf_writer *w, uint32_t field);
void pf_writer_end(pf_writer *w);

/* A length-delimited field: text, bytes, an encoded message. */
void pf_writer_bytes(pf_writer *w, uint32_t field, const void *bytes, size_t len);

/* Takes back what was written after the first `len` bytes of the buffer: whole fields of the innermost open message.
 */
static inline void pf_writer_cut(pf_writer *w, size_t len)
{
    w->out->len = w->failed ? w->out->len : len;
}

/* Bytes as they are, without a tag: already encoded fields. */
void pf_writer_raw(pf_writer *w, const void *bytes, size_t len);

bool pf_writer_grow(pf_writer *w, size_t len); /* the slow half of the next function */

/* Makes room for len more bytes. */
static inline bool pf_writer_room(pf_writer *w, size_t len)
{
    return !w->failed && (w->out->cap - w->out->len >= len || pf_writer_grow(w, len));
}

/* Stores a varint at p and returns the byte after it. */
static inline uint8_t *pf_store_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Any integer, bool or enum; negative int32 and int64 values are passed sign-extended. */
static inline void pf_writer_varint(pf_writer *w, uint32_t field, uint64_t v)
{
    if (pf_writer_room(w, 2 * PF_VARINT_MAX)) {
        uint8_t *start = (uint8_t *)w->out->data + w->out->len;
        uint8_t *p = pf_store_varint(start, PF_TAG_VARINT(field));
        p = pf_store_varint(p, v);
        w->out->len += (size_t)(p - start);
    }
}

static inline void pf_writer_fixed64(pf_writer *w, uint32_t field, uint64_t v)
{
    if (pf_writer_room(w, PF_VARINT_MAX + 8)) {
        uint8_t *start = (uint8_t *)w->out->data + w->out->len;
        uint8_t *p = pf_store_varint(start, PF_TAG_FIXED64(field));
        for (unsigned i = 0; i < 8; i++) {
            p[i] = (uint8_t)(v >> (8 * i));
        }
        w->out->len += (size_t)(p - start) + 8;
    }
}

static inline void pf_writer_double(pf_writer *w, uint32_t field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    pf_writer_fixed64(w, field, bits);
}
