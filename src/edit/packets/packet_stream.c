/* edit/packets/packet_stream.c - windows of plain bytes, cut into packets.
 *
 * Where packets begin, and what is plain in them, is found out by other threads (perfetto/decode). A pass over a
 * regular file reads it with a pf_read of its own, so that memory holds a window only; a pipe cannot be read twice, so
 * its plain bytes are kept as a whole (in the spool, where the caller names one) and gone through as often as it takes.
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
    bool over;         /* before the input is */
    uint64_t number;   /* of the next packet */
    uint64_t inflated; /* bytes of compressed packets */
    pf_rows *inner;    /* rows of one */
    pf_reading *reading;
    pf_error *err;
} walk;

/* Where rows come from. */
typedef struct span {
    const uint8_t *data;
    uint64_t offset; /* of `data`; of a compressed packet where they come out of one */
    uint32_t has;    /* PF_PACKET_STABLE, PF_PACKET_INNER */
} span;

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

/* The packet of a row, to be read. */
static pf_raw_packet packet_of(const pf_rows *rows, uint32_t row, const span *from)
{
    bool plain = rows->where[row].what & PF_ROW_TYPE;
    const pf_record *r = plain ? NULL : &rows->record[rows->at[row]];
    const uint8_t *whole = plain ? rows->bytes + rows->at[row] : r->packet - r->header;
    uint32_t header = plain ? pf_row_header(&rows->where[row]) : r->header;
    uint32_t len = plain ? rows->where[row].size - header : r->packet_len;
    bool inner = from->has & PF_PACKET_INNER;
    return (pf_raw_packet){.whole = whole,
                           .bytes = whole + header,
                           .whole_len = header + (size_t)len,
                           .len = len,
                           .has = from->has,
                           .offset = from->offset + (inner ? 0 : (uint64_t)(whole - from->data))};
}

static pf_status take_rows(walk *w, const span *from, pf_rows *rows)
{
    pf_rows_at at = {0, 0};
    for (;;) {
        uint32_t row = at.row;
        PF_TRY(w->h->rows ? w->h->rows(w->h->ctx, rows, &at, w->number, from->has, w->err) : PF_OK);
        w->number += at.row - row;
        if (at.row == rows->count) {
            return PF_OK;
        }
        pf_raw_packet p = packet_of(rows, at.row, from);
        at.value += (rows->where[at.row].what & PF_ROW_HAS_VALUE) != 0;
        at.row++;
        PF_TRY(hand_out(w, &p));
    }
}

/* Packets in a compressed packet. They do not nest; one that does is damaged. */
static pf_status walk_inflated(walk *w, const pf_inflated *in, uint64_t offset)
{
    pf_rows_decoder decode = pf_rows_choose();
    const span from = {in->data, offset, PF_PACKET_INNER};
    pf_decoded d = {.stop = PF_STOP_FULL};
    size_t used = 0;
    w->inner = w->inner ? w->inner : pf_rows_new(&w->t->budget);
    if (!w->inner) {
        return pf_budget_refused(&w->t->budget, sizeof *w->inner, w->err);
    }
    pf_rows_renew(w->inner);
    while (d.stop == PF_STOP_FULL) {
        d = decode(in->data + used, in->len - used, in->len - used, w->inner);
        used += d.consumed;
        if (w->h->digest) {
            w->h->digest(w->inner);
        }
        PF_TRY(take_rows(w, &from, w->inner));
        if (d.stop == PF_STOP_SKIP && d.skip <= in->len - used) {
            used += (size_t)d.skip;
            d.stop = PF_STOP_FULL;
        }
    }
    if (!in->whole || d.stop != PF_STOP_PARTIAL || in->len - used > TRAILING_MAX) {
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

static pf_status more_bytes(void *ctx, size_t consumed, pf_window *win, pf_error *err)
{
    walk *w = ctx;
    uint64_t done = win->offset + consumed, all = pf_reading_input(w->reading)->stored_bytes;
    w->over = win->stable && w->h->over && w->h->over(w->h->ctx, (double)done / (double)all);
    return w->over ? PF_ERR_CANCELLED : pf_reading_next(w->reading, consumed, win, err);
}

static pf_status take_window(void *ctx, const pf_window *win, pf_rows *rows, pf_error *err)
{
    return take_rows(ctx, &(span){win->data, win->offset, win->stable ? PF_PACKET_STABLE : 0}, rows);
}

static void count_fault(void *ctx, pf_row_fault fault, uint64_t offset)
{
    static const pf_stat_id ids[] = {PF_STAT_PROTO_DAMAGED, PF_STAT_PROTO_TRUNCATED, PF_STAT_PROTO_PACKET_DAMAGED};
    const walk *w = ctx;
    pf_trace_count(w->t, ids[fault], offset);
}

static pf_status walk_rows(walk *w, pf_window first)
{
    const pf_row_walk rows = {
        &w->t->budget, pf_reading_options(w->reading)->jobs, w, more_bytes, take_window, count_fault, w->h->digest};
    pf_status st = pf_rows_walk(&rows, first, w->err);
    pf_rows_free(w->inner);
    w->inner = NULL;
    return w->over ? PF_OK : st;
}

static pf_status begin_pass(walk *w)
{
    w->number = w->inflated = 0;
    w->again = w->over = false;
    return w->h->begin ? w->h->begin(w->h->ctx, w->t, w->err) : PF_OK;
}

static pf_status end_pass(walk *w)
{
    return w->h->end ? w->h->end(w->h->ctx, w->t, &w->again, w->err) : PF_OK;
}

static pf_status read_packets(pf_reading *reading, pf_error *err)
{
    walk *w = (walk *)(uintptr_t)pf_reading_reader(reading); /* the row is its first member */
    w->reading = reading;
    w->t = pf_reading_trace(reading);
    w->err = err;
    w->ran = true;
    if (!w->whole) {
        pf_window first;
        PF_TRY(begin_pass(w));
        PF_TRY(pf_reading_next(reading, 0, &first, err));
        PF_TRY(walk_rows(w, first));
        return end_pass(w);
    }
    pf_bytes all = {NULL, 0};
    PF_TRY(pf_reading_whole(reading, &all, err));
    uint64_t unpacking[PF_STAT_COUNT];
    memcpy(unpacking, w->t->stat_count, sizeof unpacking);
    do {
        memcpy(w->t->stat_count, unpacking, sizeof unpacking);
        PF_TRY(begin_pass(w));
        PF_TRY(walk_rows(w, (pf_window){.data = all.ptr, .len = all.len, .last = true, .stable = true}));
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
