/* read/perfetto/apply/conversion_notes.c - notes that a conversion of Chrome JSON left next to its packets
 * (model/trace/json_notes.h), for those who want them. What they say is not looked at here: it is checked by whoever
 * writes it. */
#include "model/trace/json_notes.h"

#include "perfetto/fields.h"
#include "read/perfetto/apply/import.h"

pf_status pf_import_origin(pf_import *im, const pf_record *r)
{
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    pf_field f, note = {0};
    if (!(im->t->want & PF_WANT_ORIGINS)) {
        return PF_OK;
    }
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        note = f.tag == PF_TAG_BYTES(PF_F_PACKET_ORIGIN) ? f : note;
    }
    return note.len ? pf_trace_add_origin(im->t, note.bytes, note.len, !im->span.stable, im->err) : PF_OK;
}

pf_status pf_import_leftover(pf_import *im, const pf_field *data)
{
    if (!(im->t->want & PF_WANT_ORIGINS)) {
        return PF_OK;
    }
    const pf_origin o = pf_origin_read(data->bytes, data->len);
    pf_status st = o.whole.ptr ? pf_trace_add_leftover(im->t, false, o.whole, im->err) : PF_OK;
    return st == PF_OK && o.document.ptr ? pf_trace_add_leftover(im->t, true, o.document, im->err) : st;
}

pf_status pf_import_flow_id(pf_import *im, uint64_t id)
{
    pf_buffer *b = &im->scratch;
    pf_writer w;
    if (!(im->t->want & PF_WANT_ORIGINS)) {
        return PF_OK;
    }
    b->len = 0;
    pf_writer_init(&w, b);
    pf_origin_put_number(&w, PF_MEMBER_ID, (int64_t)id);
    bool failed = w.failed || b->failed;
    pf_writer_free(&w);
    return failed ? pf_budget_refused(&im->t->budget, b->len, im->err)
                  : pf_trace_add_origin(im->t, (const uint8_t *)b->data, b->len, true, im->err);
}
