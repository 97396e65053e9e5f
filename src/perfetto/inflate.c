/* perfetto/inflate.c - see inflate.h. */
#include "perfetto/inflate.h"

#include <string.h>

#include "base/codec/codec.h"
#include "base/files/file.h"
#include "base/list.h"
#include "perfetto/fields.h"

#define STEP (256u << 10)

static pf_status check_limits(const pf_limits *l, const pf_inflated *out, uint64_t before, size_t stored, pf_error *err)
{
    if (before + out->len > l->plain) {
        return pf_fail(err, PF_ERR_LIMIT, "compressed packets hold more than %llu bytes; raise --max-plain",
                       (unsigned long long)l->plain);
    }
    if (l->ratio && out->len > 64u << 20 && out->len / l->ratio > stored) {
        return pf_fail(err, PF_ERR_LIMIT, "a compressed packet grows more than %llu times; raise --max-ratio",
                       (unsigned long long)l->ratio);
    }
    return PF_OK;
}

/* Some more bytes of the stream. */
static pf_status inflate_step(pf_codec *c, uint64_t before, pf_budget *b, pf_inflated *out, pf_error *err)
{
    if (out->room - out->len < STEP / 2 + PF_SLOP) {
        PF_TRY(PF_LIST_ROOM(b, out->data, out->room ? out->room + 1 : STEP, out->room, err));
    }
    out->len += pf_codec_fill(c, out->data + out->len, out->room - out->len - PF_SLOP);
    return check_limits(&b->limits, out, before, c->len, err);
}

pf_status pf_inflate_packets(const pf_field *content, uint64_t before, pf_budget *budget, pf_inflated *out,
                             pf_error *err)
{
    bool zlib = pf_field_number(content) == PF_F_PACKET_COMPRESSED_PACKETS;
    pf_codec c;
    pf_status st = PF_OK;
    *out = (pf_inflated){0};
    pf_codec_init(&c, zlib ? PF_CODEC_ZLIB : PF_CODEC_FRAME, PF_CODEC_WINDOW, budget);
    c.in = content->bytes;
    c.len = content->len;
    c.final = true;
    while (st == PF_OK && c.end == PF_CODEC_RUNNING) {
        st = inflate_step(&c, before, budget, out, err);
    }
    if (st == PF_OK && (c.end == PF_CODEC_NO_MEMORY || c.end == PF_CODEC_LIMITED)) {
        st = pf_budget_refused(budget, STEP, err);
    }
    out->whole = c.end == PF_CODEC_COMPLETE && c.pos == c.len;
    pf_codec_free(&c);
    if (st == PF_OK) {
        memset(out->data + out->len, 0, PF_SLOP);
    }
    return st;
}
