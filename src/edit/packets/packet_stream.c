/* edit/packets/packet_stream.c - windows of plain bytes, cut into packets.
 *
 * A window ends anywhere; what is left of it in front of an incomplete packet comes again at the front of the next. A
 * pass over a regular file reads it with a pf_read of its own, so that memory holds a window only; a pipe cannot be
 * read twice, so its plain bytes are kept as a whole (in the spool, where the caller names one) and gone through as
 * often as it takes.
 */
#include "edit/packets/packet_stream.h"

#include <string.h>

#include "base/files/outfile.h"
#include "model/trace/trace.h"
#include "perfetto/fields.h"
#include "perfetto/inflate.h"

#define TRAILING_MAX 2 /* bytes that may be left over at the end of a compressed packet */

/* A pass over an input. The row is what pf_read knows of it. */
typedef struct walk {
    pf_reader row;
    const pf_packet_handler *h;
    pf_trace *t;
    bool whole;        /* the input cannot be read twice */
    bool ran, again;   /* of the pass */
    uint64_t number;   /* of the next packet */
    uint64_t inflated; /* bytes of compressed packets */
    pf_error *err;
} walk;

/* A run of packets: a window, or what a compressed packet holds. */
typedef struct run {
    const uint8_t *at, *end;
    const uint8_t *begin;
    uint64_t offset; /* of `begin` */
    uint32_t has;    /* PF_PACKET_STABLE, PF_PACKET_INNER */
    uint64_t skip;   /* bytes beyond the end that belong to a packet that is too long */
} run;

typedef enum cut_end { CUT_MORE, CUT_DAMAGED } cut_end;

static pf_status unpack(walk *w, const pf_raw_packet *p);

static pf_status hand_out(walk *w, pf_raw_packet *p)
{
    if (!pf_raw_packet_read(p)) {
        pf_trace_count(w->t, PF_STAT_PROTO_PACKET_DAMAGED, p->offset);
        return PF_OK;
    }
    if (p->data == PF_F_PACKET_COMPRESSED_PACKETS || p->data == PF_F_PACKET_ZSTD_COMPRESSED_PACKETS) {
        return unpack(w, p);
    }
    p->number = w->number++;
    return w->h->packet(w->h->ctx, p, w->err);
}

/* The length of the field whose tag was read up to q; CUT_MORE with NULL: it is not all there. */
static const uint8_t *field_length(const uint8_t *q, const uint8_t *end, uint64_t tag, uint64_t *len, cut_end *why)
{
    uint64_t value;
    switch (tag & 7) {
    case PF_WIRE_BYTES:
        q = pf_varint(q, end, len);
        break;
    case PF_WIRE_VARINT:
        *len = 0;
        q = pf_varint(q, end, &value);
        break;
    case PF_WIRE_FIXED64:
    case PF_WIRE_FIXED32:
        *len = (tag & 7) == PF_WIRE_FIXED64 ? 8 : 4;
        break;
    default:
        *why = CUT_DAMAGED;
        return NULL;
    }
    return q;
}

/* Hands out the packets that lie in the run as a whole. */
static pf_status walk_run(walk *w, run *r, cut_end *why)
{
    const uint8_t tag_of_packet = PF_TAG_BYTES(PF_F_TRACE_PACKET);
    *why = CUT_MORE;
    while (r->at < r->end) {
        uint64_t tag = 0, len = 0;
        const uint8_t *q = pf_varint(r->at, r->end, &tag);
        q = q ? field_length(q, r->end, tag, &len, why) : NULL;
        if (!q || (tag >> 3) == 0) {
            /* ten bytes hold a tag and ten more a length, so more than that are not for want of bytes */
            *why = r->end - r->at > 2 * PF_VARINT_MAX || (q && tag >> 3 == 0) ? CUT_DAMAGED : *why;
            return PF_OK;
        }
        uint64_t left = (uint64_t)(r->end - q);
        if (tag == tag_of_packet && len > PF_FIELD_LENGTH_MAX) {
            pf_trace_count(w->t, PF_STAT_PROTO_PACKET_DAMAGED, r->offset + (uint64_t)(r->at - r->begin));
        }
        if (len > left) {
            bool skipped = tag != tag_of_packet || len > PF_FIELD_LENGTH_MAX;
            r->skip = skipped ? len - left : 0;
            r->at = skipped ? r->end : r->at;
            return PF_OK;
        }
        if (tag == tag_of_packet && len <= PF_FIELD_LENGTH_MAX) {
            bool inner = r->has & PF_PACKET_INNER;
            pf_raw_packet p = {.whole = r->at,
                               .bytes = q,
                               .whole_len = (size_t)(q - r->at) + (size_t)len,
                               .len = (uint32_t)len,
                               .has = r->has,
                               .offset = r->offset + (inner ? 0 : (uint64_t)(r->at - r->begin))};
            PF_TRY(hand_out(w, &p));
        }
        r->at = q + len;
    }
    return PF_OK;
}

/* ---- compressed packets ------------------------------------------------------------------------------------------ */

/* Packets in a compressed packet. They do not nest; one that does is damaged. */
static pf_status walk_inflated(walk *w, const pf_inflated *in, uint64_t offset)
{
    run r = {.at = in->data, .begin = in->data, .end = in->data + in->len, .offset = offset, .has = PF_PACKET_INNER};
    cut_end why;
    PF_TRY(walk_run(w, &r, &why));
    if (!in->whole || why == CUT_DAMAGED || r.skip || r.end - r.at > TRAILING_MAX) {
        pf_trace_count(w->t, PF_STAT_PROTO_PACKET_DAMAGED, offset);
    }
    return PF_OK;
}

static pf_status unpack(walk *w, const pf_raw_packet *p)
{
    if (p->has & PF_PACKET_INNER) {
        pf_trace_count(w->t, PF_STAT_PROTO_PACKET_DAMAGED, p->offset);
        return PF_OK;
    }
    pf_inflated out;
    pf_status st = pf_inflate_packets(&p->content, w->inflated, &w->t->budget, &out, w->err);
    if (st == PF_OK) {
        w->inflated += out.len;
        st = walk_inflated(w, &out, p->offset);
    }
    pf_release(&w->t->budget, out.data, out.room);
    return st;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static void count_end(walk *w, const run *r, cut_end why)
{
    uint64_t offset = r->offset + (uint64_t)(r->at - r->begin);
    if (why == CUT_DAMAGED) {
        pf_trace_count(w->t, PF_STAT_PROTO_DAMAGED, offset);
    } else if (r->at < r->end || r->skip) {
        pf_trace_count(w->t, PF_STAT_PROTO_TRUNCATED, offset);
    }
}

static pf_status walk_windows(walk *w, pf_reading *reading)
{
    size_t used = 0;
    uint64_t skip = 0;
    for (;;) {
        pf_window win;
        cut_end why = CUT_MORE;
        PF_TRY(pf_reading_next(reading, used, &win, w->err));
        size_t skipped = skip < win.len ? (size_t)skip : win.len;
        skip -= skipped;
        run r = {.at = win.data + skipped,
                 .begin = win.data,
                 .end = win.data + win.len,
                 .offset = win.offset,
                 .has = win.stable ? PF_PACKET_STABLE : 0};
        PF_TRY(walk_run(w, &r, &why));
        skip += r.skip;
        r.skip = skip;
        if (win.last || why == CUT_DAMAGED) {
            count_end(w, &r, why);
            return PF_OK;
        }
        used = (size_t)(r.at - win.data);
    }
}

static pf_status walk_whole(walk *w, pf_bytes all)
{
    run r = {.at = all.ptr, .begin = all.ptr, .end = all.ptr + all.len, .has = PF_PACKET_STABLE};
    cut_end why;
    PF_TRY(walk_run(w, &r, &why));
    count_end(w, &r, why);
    return PF_OK;
}

static pf_status begin_pass(walk *w)
{
    w->number = w->inflated = 0;
    w->again = false;
    return w->h->begin ? w->h->begin(w->h->ctx, w->t, w->err) : PF_OK;
}

static pf_status end_pass(walk *w)
{
    return w->h->end ? w->h->end(w->h->ctx, w->t, &w->again, w->err) : PF_OK;
}

static pf_status read_packets(pf_reading *reading, pf_error *err)
{
    walk *w = (walk *)(uintptr_t)pf_reading_reader(reading); /* the row is its first member */
    pf_bytes all = {NULL, 0};
    w->t = pf_reading_trace(reading);
    w->err = err;
    w->ran = true;
    if (!w->whole) {
        PF_TRY(begin_pass(w));
        PF_TRY(walk_windows(w, reading));
        return end_pass(w);
    }
    PF_TRY(pf_reading_whole(reading, &all, err));
    uint64_t unpacking[PF_STAT_COUNT];
    memcpy(unpacking, w->t->stat_count, sizeof unpacking);
    do {
        memcpy(w->t->stat_count, unpacking, sizeof unpacking);
        PF_TRY(begin_pass(w));
        PF_TRY(walk_whole(w, all));
        PF_TRY(end_pass(w));
    } while (w->again);
    return PF_OK;
}

static pf_probe probe_packets(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    return pf_reader_find("perfetto")->probe(head, size, path, is_directory);
}

pf_status pf_packets_walk(const char *path, const pf_read_options *o, const pf_packet_handler *h,
                          const pf_reader *other, pf_trace **t, pf_error *err)
{
    walk w = {.row = {.name = "perfetto-packets",
                      .summary = "packets of a Perfetto trace, one by one",
                      .trace_type = "proto",
                      .probe = probe_packets,
                      .read = read_packets},
              .h = h,
              .whole = pf_outfile_is_stream(path)};
    const pf_reader *readers[] = {&w.row, other};
    pf_read_options own = *o;
    own.readers = readers;
    own.reader_count = other ? 2 : 1;
    own.want = 0;
    do {
        pf_trace_free(*t);
        *t = NULL;
        w.again = w.ran = false;
        PF_TRY(pf_read(&path, 1, &own, t, err));
    } while (w.again);
    const char *format = pf_trace_input(*t, 0)->format;
    bool read = w.ran || (other && strcmp(format, other->name) == 0);
    if (!read) {
        pf_fail(err, PF_ERR_USAGE, "is of format '%s'; only Perfetto traces%s can be cut into parts", format,
                other ? " and Chrome JSON" : "");
        pf_error_in(err, path);
        pf_trace_free(*t);
        *t = NULL;
        return err->code;
    }
    return PF_OK;
}
