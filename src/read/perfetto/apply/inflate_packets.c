/* read/perfetto/apply/inflate_packets.c - packets in a packet: compressed_packets and zstd_compressed_packets
 * (docs/reference/perfetto.md, "Compressed packets").
 *
 * The field is one zlib or gzip stream, or one zstd frame, whose content is a run of packets. It is inflated as a whole
 * (packets may cross any smaller unit), within the limits of the input, decoded and applied like a window of its own.
 * Such packets must not nest; one that does is counted as damaged, so the recursion below is one level deep. A trace
 * that has both kinds is read, and counted, because Perfetto refuses it.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/input/codec.h"
#include "read/perfetto/apply/inflate_packets.h"
#include "read/perfetto/apply/own_findings.h"
#include "read/perfetto/apply/packet_apply.h"

#define STEP (256u << 10)
#define TRAILING_MAX 2 /* bytes that may be left over */

typedef struct inflated {
    pf_budget *budget;
    uint8_t *data;
    size_t len, room;
} inflated;

static bool make_room(inflated *out)
{
    size_t room = out->room ? out->room * 2 : STEP;
    uint8_t *data = pf_resize(out->budget, out->data, out->room, room);
    if (!data) {
        return false;
    }
    out->data = data;
    out->room = room;
    return true;
}

static pf_status check_limits(const pf_import *im, const inflated *out, size_t stored)
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

/* Inflates the stream; *whole: it ended where it should. What was inflated before damage is kept. */
static pf_status inflate_all(pf_import *im, pf_codec_kind kind, const pf_field *data, inflated *out, bool *whole)
{
    pf_codec c;
    pf_status st = PF_OK;
    pf_codec_init(&c, kind, PF_CODEC_WINDOW, out->budget);
    c.in = data->bytes;
    c.len = data->len;
    c.final = true;
    while (st == PF_OK && c.end == PF_CODEC_RUNNING) {
        if (out->room - out->len < STEP / 2 + PF_SLOP && !make_room(out)) {
            st = pf_budget_refused(out->budget, out->room, im->err);
        } else {
            out->len += pf_codec_fill(&c, out->data + out->len, out->room - out->len - PF_SLOP);
            st = check_limits(im, out, data->len);
        }
    }
    if (st == PF_OK && (c.end == PF_CODEC_NO_MEMORY || c.end == PF_CODEC_LIMITED)) {
        st = pf_budget_refused(out->budget, STEP, im->err);
    }
    *whole = c.end == PF_CODEC_COMPLETE && c.pos == c.len;
    pf_codec_free(&c);
    return st;
}

/* Decodes and applies the inflated bytes; *whole: they are packets to their end. *used_bytes: how many. */
static pf_status apply_inner(pf_import *im, const inflated *in, bool *whole, size_t *used_bytes)
{
    pf_rows_decoder decode = pf_rows_choose();
    size_t used = 0;
    pf_decoded d = {.stop = PF_STOP_FULL};
    im->unpacked.rows = im->unpacked.rows ? im->unpacked.rows : pf_rows_new(in->budget);
    pf_status st = im->unpacked.rows ? PF_OK : pf_budget_refused(in->budget, sizeof *im->unpacked.rows, im->err);
    if (st == PF_OK) {
        pf_rows_renew(im->unpacked.rows);
    }
    while (st == PF_OK && d.stop == PF_STOP_FULL) {
        d = decode(in->data + used, in->len - used, in->len - used, im->unpacked.rows);
        used += d.consumed;
        st = pf_import_apply(im, im->unpacked.rows);
    }
    *whole = *whole && d.stop == PF_STOP_PARTIAL && in->len - used <= TRAILING_MAX;
    *used_bytes = used;
    return st;
}

pf_status pf_import_compressed(pf_import *im, const pf_record *r, const pf_field *data)
{
    uint64_t offset = pf_import_offset(im, r);
    inflated out = {.budget = &im->t->budget};
    bool whole = false;
    if (im->span.fixed) {
        pf_trace_count(im->t, PF_STAT_PROTO_PACKET_DAMAGED, offset);
        return PF_OK;
    }
    if (im->unpacked.field && im->unpacked.field != r->data) {
        pf_trace_count(im->t, PF_STAT_PROTO_MIXED, offset);
    }
    im->unpacked.field = r->data;
    pf_codec_kind kind = r->data == PF_F_PACKET_COMPRESSED_PACKETS ? PF_CODEC_ZLIB : PF_CODEC_FRAME;
    pf_status st = inflate_all(im, kind, data, &out, &whole);
    if (st == PF_OK) {
        const pf_span outer = im->span;
        im->span = (pf_span){.data = out.data, .offset = offset, .fixed = true};
        im->unpacked.bytes += out.len;
        memset(out.data + out.len, 0, PF_SLOP);
        im->unpacked.left_out.len = 0;
        size_t used = 0;
        st = apply_inner(im, &out, &whole, &used);
        st = st == PF_OK && whole ? pf_import_left_out_inside(im, r, used) : st;
        im->span = outer;
    }
    if (st == PF_OK && !whole) {
        pf_trace_count(im->t, PF_STAT_PROTO_PACKET_DAMAGED, offset);
    }
    pf_release(out.budget, out.data, out.room);
    return st;
}
