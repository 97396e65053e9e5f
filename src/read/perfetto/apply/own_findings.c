/* read/perfetto/apply/own_findings.c - findings that were drawn into the input earlier (model/trace/findings_mark.h).
 *
 * A sequence is of findings from a packet with a mark, with which it begins, to the next packet with which it begins
 * anew: a trace that somebody appended to ours may count its sequences like us.
 *
 * Packets of the pass that is to draw again are remembered as stretches of plain bytes; as they follow each other,
 * there are one or two of them. Those inside of a compressed packet are stretches of what it inflates to, from which
 * the packets that stay are taken while it is at hand: they will stand in the place of the whole packet, uncompressed.
 */
#include "base/str.h"
#include "model/trace/findings_mark.h"
#include "read/perfetto/apply/packet_apply.h"

/* A stretch of what a compressed packet inflates to. */
typedef struct stretch {
    size_t from, to;
} stretch;

static pf_status add_inside(pf_import *im, size_t from, size_t to)
{
    pf_buffer *b = &im->unpacked.left_out;
    stretch *last = b->len ? (stretch *)(void *)(b->data + b->len) - 1 : NULL;
    if (last && last->to == from) {
        last->to = to;
        return PF_OK;
    }
    const stretch s = {from, to};
    pf_buffer_put(b, &s, sizeof s);
    return b->failed ? pf_import_refuse(im, b->len) : PF_OK;
}

/* Remembers where a packet lies that is to be replaced. */
static pf_status remember(pf_import *im, const pf_record *r)
{
    const uint8_t *packet = r->packet - r->header;
    size_t from = (size_t)(packet - im->span.data), len = r->header + (size_t)r->packet_len;
    if (im->t->input_count > 1) {
        return PF_OK; /* nothing is drawn into one of several inputs */
    }
    return im->span.fixed ? add_inside(im, from, from + len)
                          : pf_trace_add_replaced(im->t, im->span.offset + from, im->span.offset + from + len,
                                                  (pf_bytes){NULL, 0}, im->err);
}

pf_status pf_import_leave_out(pf_import *im, const pf_record *r, pf_sequence *q, bool begins, pf_str mark, bool *left)
{
    uint32_t pass = q ? q->left_out : 0; /* whose findings these are, as string id */
    if (begins || !q) {
        bool marked = pf_is_findings_mark(mark);
        pass = marked ? pf_import_text(im, mark) : 0;
        if (marked) {
            pf_import_add_metadata(im, PF_FINDINGS_LEFT_OUT, mark, (int64_t)r->sequence);
        }
    }
    if (q) {
        q->left_out = pass;
    }
    *left = pass != 0;
    if (pass) {
        pf_import_count(im, r, PF_STAT_OWN_FINDINGS);
    }
    if (!pass || !pf_str_is(pf_strings_get(&im->t->strings, pass), im->o->without_findings)) {
        return im->err->code;
    }
    pf_import_left_out_attributes(im, r);
    return pf_import_failed(im) ? im->err->code : remember(im, r);
}

pf_status pf_import_left_out_inside(pf_import *im, const pf_record *r, size_t len)
{
    pf_buffer *b = &im->unpacked.left_out;
    const stretch *list = (const stretch *)(const void *)b->data;
    size_t count = b->len / sizeof *list, kept = len, at = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        kept -= list[i].to - list[i].from;
    }
    if (count == 0) {
        return PF_OK;
    }
    uint8_t *bytes = pf_arena_alloc(&im->t->arena, kept + 1);
    PF_TRY(bytes ? PF_OK : pf_import_refuse(im, kept));
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? list[i].from : len;
        memcpy(bytes + to, im->span.data + at, end - at);
        to += end - at;
        at = i < count ? list[i].to : len;
    }
    b->len = 0;
    uint64_t from = im->span.offset;
    return pf_trace_add_replaced(im->t, from, from + r->header + r->packet_len, (pf_bytes){bytes, kept}, im->err);
}
