/* base/codec/codec.h - one compressed stream, decoded in pieces of any size from input that arrives in pieces of any
 * size. */
#pragma once

#include <zlib.h>
#include <zstd.h>

#include "base/budget.h"

/* ---- fast_gzip.c: members that are sound and lie in memory as a whole
 * ------------------------------------------------ */

typedef struct pf_fast_gzip pf_fast_gzip;

typedef enum pf_fast_state {
    PF_FAST_RUNNING = 0,
    PF_FAST_ENDED,   /* the member is complete, and its checksum is right */
    PF_FAST_GIVES_UP /* the member is damaged or cut; what this step made may be wrong */
} pf_fast_state;

/* NULL if memory was refused, or if the library is not there: nothing is lost but speed. */
pf_fast_gzip *pf_fast_gzip_new(pf_budget *budget);
void pf_fast_gzip_free(pf_fast_gzip *f, pf_budget *budget);

/* The next bytes belong to a new member. */
void pf_fast_gzip_begin(pf_fast_gzip *f);

/* Makes up to `room` bytes from in[*pos] on, where the member goes on; nothing follows in[len - 1]. */
pf_fast_state pf_fast_gzip_step(pf_fast_gzip *f, const uint8_t *in, size_t len, size_t *pos, uint8_t *out, size_t room,
                                size_t *made);

/* ---- any stream -------------------------------------------------------------------------------------------------- */

typedef enum pf_codec_kind {
    PF_CODEC_COPY,    /* not compressed */
    PF_CODEC_DEFLATE, /* one raw deflate stream */
    PF_CODEC_ZLIB,    /* one zlib or gzip stream */
    PF_CODEC_GZIP,    /* gzip members, one after the other */
    PF_CODEC_FRAME,   /* one zstd frame */
    PF_CODEC_ZSTD     /* zstd and skippable frames, one after the other */
} pf_codec_kind;

typedef enum pf_codec_end {
    PF_CODEC_RUNNING = 0,
    PF_CODEC_COMPLETE,  /* DEFLATE, ZLIB and FRAME: `pos` shows whether bytes are left over */
    PF_CODEC_TRUNCATED, /* the input ends inside a member or frame */
    PF_CODEC_DAMAGED,   /* the rest cannot be decoded, or a checksum is wrong */
    PF_CODEC_TRAILING,  /* GZIP and ZSTD: what follows the last member is none */
    PF_CODEC_NO_MEMORY, /* refused by the system */
    PF_CODEC_LIMITED,   /* the window of a zstd frame is more than the budget has left */
    PF_CODEC_RATIO      /* it is more than the ratio of plain to stored bytes allows */
} pf_codec_end;

typedef struct pf_codec {
    pf_codec_kind kind;
    pf_codec_end end;
    const uint8_t *in; /* set by the caller; `pos` of `len` bytes were taken */
    size_t len, pos;
    bool final; /* set by the caller: nothing follows in[len - 1] */

    bool between; /* the next byte begins a member or frame, if there is one */
    bool ended;   /* a member or frame was decoded */
    z_stream z;
    pf_fast_gzip *fast;    /* GZIP that lies in memory as a whole, or NULL */
    bool slow;             /* this member is not for it */
    size_t member;         /* where the member begins that it works on */
    uint64_t made, repeat; /* bytes of the member that are out; that zlib has to make again first */
    ZSTD_DStream *zstd;
    size_t hint;         /* zstd: bytes that its next step takes */
    bool full;           /* zstd: the last step filled the output, more may be waiting inside */
    uint64_t window_max; /* zstd: a frame that asks for more is refused (PF_CODEC_RATIO) */
    pf_budget *budget;
    uint64_t charged; /* zstd: bytes of the window, counted in the budget */
} pf_codec;

/* The window that every zstd decoder is expected to allow. */
#define PF_CODEC_WINDOW ((uint64_t)128 << 20)

bool pf_codec_is_gzip(const uint8_t *bytes, size_t len);
bool pf_codec_is_zstd(const uint8_t *bytes, size_t len); /* a frame or a skippable frame */

/* Input is given by setting in, len and final, with pos 0. Without memory `end` is PF_CODEC_NO_MEMORY. */
void pf_codec_init(pf_codec *c, pf_codec_kind kind, uint64_t window_max, pf_budget *budget);
void pf_codec_free(pf_codec *c);

/* Decodes until `cap` bytes are there, or c->end says why there are no more, or the input was taken and is not final:
 * then the caller gives more, with the bytes from `pos` on (fewer than 32) in front. Returns their number. What comes
 * out in all depends on the input alone, not on `cap` nor on how the input was cut. */
size_t pf_codec_fill(pf_codec *c, uint8_t *out, size_t cap);
