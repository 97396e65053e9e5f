/* read/perfetto/stats/triggers.c - triggers: what started or stopped a recording, as instants on a track of their own.
 */
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/stats/stats.h"

/* Arguments are decoded from the stored message; the context says whose it is. */
enum { OF_SYSTEM = 0, OF_CHROME = 1 };

bool pf_import_trigger(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at)
{
    pf_trace *t = im->t;
    uint32_t *track = &im->stats.trigger_track;
    bool chrome = r->data == PF_F_PACKET_CHROME_TRIGGER;
    if (!chrome && r->data != PF_F_PACKET_TRIGGER && r->data != PF_F_PACKET_CLONE_SNAPSHOT_TRIGGER) {
        return false;
    }
    if (at->when == PF_WHEN_MISSING || (at->when == PF_WHEN_KNOWN && at->ts < 0)) {
        pf_import_count(im, r, PF_STAT_NEGATIVE_TS);
        return true;
    }
    if (*track == PF_NONE) {
        *track = pf_import_track(im, PF_TRACK_TRIGGERS, pf_import_word(im, "Trace Triggers"), PF_NONE);
    }
    const pf_field called = pf_cursor_last(pf_field_cursor(data), PF_TAG_BYTES(PF_F_TRIGGER_NAME));
    pf_event e = {.track = *track, .phase = 'i'};
    e.name = pf_import_text(im, chrome ? PF_STR("chrome_trigger") : pf_field_text_or_null(&called));
    pf_import_add_event(im, r, at, &e);
    if (t->want & PF_WANT_ARGS && !pf_import_failed(im)) {
        (void)pf_trace_add_args(t, data->bytes, data->len, im->decoders.trigger, chrome ? OF_CHROME : OF_SYSTEM,
                                !im->span.stable, im->err);
    }
    if (called.tag && !chrome) {
        pf_import_set_text(im, "trace_trigger", pf_field_text(&called));
    }
    return true;
}

/* The key of an argument and its type; NULL if the field is none. */
static const char *key_of(const pf_field *f, bool chrome, pf_value_type *type)
{
    switch (f->tag) {
    case PF_TAG_BYTES(PF_F_TRIGGER_PRODUCER):
        *type = PF_VALUE_STRING;
        return chrome ? NULL : "producer_name";
    case PF_TAG_VARINT(PF_F_TRIGGER_PRODUCER_UID):
        *type = PF_VALUE_INT;
        return chrome ? NULL : "trusted_producer_uid";
    case PF_TAG_BYTES(PF_F_CHROME_TRIGGER_NAME):
        *type = PF_VALUE_STRING;
        return chrome ? "chrome_trigger.name" : NULL;
    case PF_F_CHROME_TRIGGER_NAME_HASH << 3 | PF_WIRE_FIXED32:
        *type = PF_VALUE_UINT;
        return chrome ? "chrome_trigger.name_hash" : NULL;
    default:
        return NULL;
    }
}

pf_status pf_perfetto_trigger_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                   const pf_arg_visitor *v, pf_error *err)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        pf_value value = {.type = PF_VALUE_NULL};
        const char *key = key_of(&f, context == OF_CHROME, &value.type);
        if (value.type == PF_VALUE_STRING) {
            value.as.s = (pf_str){(const char *)f.bytes, f.len};
        } else {
            value.as.u = f.value;
        }
        if (key) {
            PF_TRY(v->value(v->ctx, pf_str_of(key), &value));
        }
    }
    return PF_OK;
}
