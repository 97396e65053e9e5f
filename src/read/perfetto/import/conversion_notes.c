/* read/perfetto/import/conversion_notes.c - notes that a conversion of Chrome JSON left next to its packets
 * (model/trace/json_notes.h). Those of events are for who wants them (PF_WANT_ORIGINS, PF_WANT_NOTES): what they say is
 * not checked here, but by whoever writes it. Members of the document that stood next to the events are metadata rows
 * json.KEY, as when the JSON itself is read; what is no JSON gives none. */
#include "model/trace/json_notes.h"

#include <string.h>

#include "base/text/number.h"
#include "perfetto/fields.h"
#include "postfetto/document.h"
#include "read/perfetto/import/conversion_notes.h"

static bool wants_notes(const pf_import *im)
{
    return im->t->want & (PF_WANT_ORIGINS | PF_WANT_NOTES | PF_WANT_PLACES);
}

pf_status pf_import_origin(pf_import *im, const pf_record *r)
{
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    pf_field f, note = {0};
    if (!(im->t->want & (PF_WANT_ORIGINS | PF_WANT_NOTES)) &&
        !(im->t->want & PF_WANT_PLACES && r->has & PF_HAS_PLACE)) {
        return PF_OK;
    }
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        note = f.tag == PF_TAG_BYTES(PF_F_PACKET_ORIGIN) ? f : note;
    }
    return note.len ? pf_trace_add_origin(im->t, note.bytes, note.len, !im->span.stable, im->err) : PF_OK;
}

/* ---- members of the document ------------------------------------------------------------------------------------- */

/* The value in {"KEY": value} as it is written. All of it is well-formed, and the value is a list or an object, so that
 * there are brackets between the spaces around it. */
static pf_str value_text(pf_str object)
{
    const char *p = memchr(object.ptr, '"', object.len), *end = object.ptr + object.len;
    for (p++; *p != '"'; p++) {
        p += *p == '\\';
    }
    p = (const char *)memchr(p, ':', (size_t)(end - p)) + 1;
    end = memrchr(p, '}', (size_t)(end - p));
    while (strchr(" \t\r\n", *p)) {
        p++;
    }
    while (strchr(" \t\r\n", end[-1])) {
        end--;
    }
    return (pf_str){p, (size_t)(end - p)};
}

static pf_status add_number(pf_import *im, pf_str name, double d)
{
    char text[PF_NUMBER_MAX];
    if (d >= -0x1p63 && d < 0x1p63 && d == (double)(int64_t)d) {
        return pf_trace_add_metadata(im->t, name, (pf_str){NULL, 0}, (int64_t)d, im->err);
    }
    size_t len = pf_format_real_short(d, text);
    return pf_trace_add_metadata(im->t, name, (pf_str){text, len}, 0, im->err);
}

static pf_status add_member(pf_import *im, pf_str name, const pf_node *value, pf_str object)
{
    switch (value->type) {
    case PF_NODE_TEXT:
        return pf_trace_add_metadata(im->t, name, value->as.s, 0, im->err);
    case PF_NODE_INT:
        return pf_trace_add_metadata(im->t, name, (pf_str){NULL, 0}, value->as.i, im->err);
    case PF_NODE_BOOL:
        return pf_trace_add_metadata(im->t, name, (pf_str){NULL, 0}, value->as.b, im->err);
    case PF_NODE_REAL:
        return add_number(im, name, value->as.d);
    case PF_NODE_LIST:
    case PF_NODE_OBJECT:
        return pf_trace_add_metadata(im->t, name, value_text(object), 0, im->err);
    case PF_NODE_NULL:
    case PF_NODE_RAW:
        break;
    }
    return PF_OK;
}

/* The member "metadata" has rows of its own in every conversion. */
static pf_status add_document(pf_import *im, pf_str object)
{
    pf_document *d = NULL;
    pf_error why;
    pf_status st = PF_OK;
    if (pf_json_parse(object, NULL, &d, &why) != PF_OK) {
        return why.code == PF_ERR_MEMORY ? pf_fail(im->err, why.code, "%s", why.text) : PF_OK;
    }
    const pf_node *root = pf_document_root(d);
    const pf_node *member = root->type == PF_NODE_OBJECT && root->children == 1 ? root->first : NULL;
    if (member && !(member->key.len == 8 && memcmp(member->key.ptr, "metadata", 8) == 0)) {
        pf_buffer name = {0};
        pf_buffer_text(&name, "json.");
        pf_buffer_put(&name, member->key.ptr, member->key.len);
        st = name.failed ? pf_fail(im->err, PF_ERR_MEMORY, "the system refused memory for a metadata entry")
                         : add_member(im, (pf_str){name.data, name.len}, member, object);
        pf_buffer_free(&name);
    }
    pf_document_free(d);
    return st;
}

pf_status pf_import_leftover(pf_import *im, const pf_field *data)
{
    const pf_origin o = pf_origin_read(data->bytes, data->len);
    pf_status st = o.document.ptr ? add_document(im, o.document) : PF_OK;
    if (!wants_notes(im)) {
        return st;
    }
    uint32_t place = o.placed ? o.place : PF_NONE;
    if (st == PF_OK && o.whole.ptr) {
        st = pf_trace_add_leftover(im->t, false, o.whole, place, im->err);
        uint32_t i = im->t->leftovers.count - 1;
        if (st == PF_OK && o.member[PF_MEMBER_PID].form == PF_FORM_INTEGER) {
            im->t->leftovers.pid[i] = o.member[PF_MEMBER_PID].number;
        }
        if (st == PF_OK && o.member[PF_MEMBER_TS].form == PF_FORM_INTEGER) {
            im->t->leftovers.ts[i] = o.member[PF_MEMBER_TS].number;
        }
    }
    return st == PF_OK && o.document.ptr ? pf_trace_add_leftover(im->t, true, o.document, PF_NONE, im->err) : st;
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

pf_status pf_import_flow_id(pf_import *im, uint64_t id)
{
    pf_buffer *b = &im->scratch;
    pf_writer w;
    if (!wants_notes(im)) {
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
