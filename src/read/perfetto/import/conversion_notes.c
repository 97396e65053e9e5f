/* read/perfetto/import/conversion_notes.c - notes that a conversion of Chrome JSON left next to its packets
 * (model/trace/json_notes.h). Those of events are for who wants them (PF_WANT_ORIGINS, PF_WANT_NOTES): what they say is
 * not checked here, but by whoever writes it. Members of the document that stood next to the events are metadata rows
 * json.KEY, as when the JSON itself is read; what is no JSON gives none. */
#include "model/trace/json_notes.h"

#include <string.h>

#include "base/str.h"
#include "perfetto/fields.h"
#include "postfetto/document.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/perfetto/import/import.h"

static bool wants_notes(const pf_import *im)
{
    return im->t->want & (PF_WANT_ORIGINS | PF_WANT_NOTES | PF_WANT_PLACES);
}

/* Whether a note says more of its event than how its members were written: that other events stand for it, that it is
 * none, where it stood. */
static bool tells_apart(const pf_field *note)
{
    pf_cursor c = pf_field_cursor(note);
    pf_field f;
    bool tells = false;
    while (!tells && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        tells = number == PF_ORIGIN_HIDDEN || number == PF_ORIGIN_COMPLETES || number == PF_ORIGIN_PLACE ||
                number == PF_ORIGIN_MEMBER + PF_MEMBER_PHASE;
    }
    return tells;
}

pf_status pf_import_origin(pf_import *im, const pf_record *r)
{
    if (!wants_notes(im)) {
        return PF_OK;
    }
    const pf_field note = pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(PF_F_PACKET_ORIGIN));
    bool wanted = im->t->want & (PF_WANT_ORIGINS | PF_WANT_NOTES) || tells_apart(&note);
    return note.len && wanted ? pf_trace_add_origin(im->t, note.bytes, note.len, !im->span.stable, im->err) : PF_OK;
}

/* Key and value in {"KEY": value} as they are written; all of it is well-formed. */
static void split_member(pf_str object, pf_str *key, pf_str *value)
{
    const char *p = memchr(object.ptr, '"', object.len), *end = memrchr(object.ptr, '}', object.len), *start = ++p;
    for (; *p != '"'; p++) {
        p += *p == '\\';
    }
    *key = (pf_str){start, (size_t)(p - start)};
    p = (const char *)memchr(p, ':', (size_t)(end - p)) + 1;
    *value = pf_str_trim((pf_str){p, (size_t)(end - p)});
}

/* The member "metadata" has rows of its own in every conversion. */
static void add_document(pf_import *im, pf_str object)
{
    pf_document *d = NULL;
    pf_error why;
    pf_str key, value;
    if (pf_json_parse(object, NULL, &d, &why) != PF_OK) {
        if (why.code == PF_ERR_MEMORY) {
            pf_import_refuse(im, object.len);
        }
        return;
    }
    const pf_node *root = pf_document_root(d);
    const pf_node *member = root->type == PF_NODE_OBJECT && root->children == 1 ? root->first : NULL;
    if (member && !pf_str_is(member->key, "metadata") && !pf_import_failed(im)) {
        split_member(object, &key, &value);
        (void)pf_json_add_metadata(im->t, key, value, im->err);
    }
    pf_document_free(d);
}

void pf_import_leftover(pf_import *im, const pf_packet *p)
{
    const pf_origin o = pf_origin_read(p->data.bytes, p->data.len);
    if (o.document.ptr) {
        add_document(im, o.document);
    }
    if (wants_notes(im) && o.whole.ptr && !pf_import_failed(im)) {
        (void)pf_trace_add_leftover(im->t, false, o.whole, o.placed ? o.place : PF_NONE, im->err);
    }
    if (wants_notes(im) && o.document.ptr && !pf_import_failed(im)) {
        (void)pf_trace_add_leftover(im->t, true, o.document, PF_NONE, im->err);
    }
}

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
    return failed ? pf_import_refuse(im, b->len)
                  : pf_trace_add_origin(im->t, (const uint8_t *)b->data, b->len, true, im->err);
}
