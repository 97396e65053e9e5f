/* read/perfetto/apply/inflate_packets.c - compressed_packets and zstd_compressed_packets
 * (docs/reference/perfetto.md, "Compressed packets"): one zlib or gzip stream, or one zstd frame, whose content is a
 * run of packets. It is inflated as a whole (packets may cross any smaller unit), within the limits of the input.
 */
#include <string.h>

#include "base/codec/codec.h"
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"

#define STEP (256u << 10)

static pf_status check_limits(const pf_import *im, const pf_inflated *out, size_t stored)
{
    const pf_limits *l = &im->t->budget.limits;
    uint64_t plain = im->unpacked.bytes + out->len;
    if (plain > l->plain) {
        return pf_fail(im->err, PF_ERR_LIMIT, "compressed packets hold more than %llu bytes; raise --max-plain",
                       (unsigned long long)l->plain);
    }
    if (l->ratio && out->len > 64u << 20 && out->len / l->ratio > stored) {
        return pf_fail(im->err, PF_ERR_LIMIT, "a compressed packet grows more than %llu times; raise --max-ratio",
                       (unsigned long long)l->ratio);
    }
    return PF_OK;
}

/* Some more bytes of the stream. */
static pf_status inflate_step(pf_import *im, pf_codec *c, pf_inflated *out)
{
    pf_budget *b = &im->t->budget;
    if (out->room - out->len < STEP / 2 + PF_SLOP) {
        PF_TRY(PF_LIST_ROOM(b, out->data, out->room ? out->room + 1 : STEP, out->room, im->err));
    }
    out->len += pf_codec_fill(c, out->data + out->len, out->room - out->len - PF_SLOP);
    bool refused = c->end == PF_CODEC_NO_MEMORY || c->end == PF_CODEC_LIMITED;
    PF_TRY(check_limits(im, out, c->len));
    return refused ? pf_import_refuse(im, STEP) : PF_OK;
}

pf_status pf_import_inflate(pf_import *im, const pf_record *r, pf_inflated *out)
{
    const pf_field data = pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(r->data));
    pf_codec_kind kind = r->data == PF_F_PACKET_COMPRESSED_PACKETS ? PF_CODEC_ZLIB : PF_CODEC_FRAME;
    pf_codec c;
    pf_status st = PF_OK;
    *out = (pf_inflated){0};
    pf_codec_init(&c, kind, PF_CODEC_WINDOW, &im->t->budget);
    c.in = data.bytes;
    c.len = data.len;
    c.final = true;
    while (st == PF_OK && c.end == PF_CODEC_RUNNING) {
        st = inflate_step(im, &c, out);
    }
    out->whole = c.end == PF_CODEC_COMPLETE && c.pos == c.len;
    pf_codec_free(&c);
    if (st == PF_OK) {
        memset(out->data + out->len, 0, PF_SLOP);
    }
    return st;
}
