/* read/perfetto/apply/triggers.c - triggers: what started or stopped a recording, as instants on a track of their own.
 */
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"

/* Arguments are decoded from the stored message; the context says whose it is. */
enum { OF_SYSTEM = 0, OF_CHROME = 1 };

void pf_import_trigger(pf_import *im, const pf_packet *p)
{
    pf_trace *t = im->t;
    uint32_t *track = &im->system.trigger_track;
    bool chrome = p->r->data == PF_F_PACKET_CHROME_TRIGGER;
    if (p->at->when == PF_WHEN_MISSING || (p->at->when == PF_WHEN_KNOWN && p->at->ts < 0)) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
        return;
    }
    if (*track == PF_NONE) {
        *track = pf_import_track(im, PF_TRACK_TRIGGERS, pf_import_word(im, "Trace Triggers"), PF_NONE);
    }
    const pf_field called = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_BYTES(PF_F_TRIGGER_NAME));
    pf_event e = {.track = *track, .phase = 'i'};
    e.name = pf_import_text(im, chrome ? PF_STR("chrome_trigger") : pf_field_text_or_null(&called));
    pf_import_add_event(im, p->r, p->at, &e);
    if (t->want & PF_WANT_ARGS && !pf_import_failed(im)) {
        (void)pf_trace_add_args(t, p->data.bytes, p->data.len, im->decoders.trigger, chrome ? OF_CHROME : OF_SYSTEM,
                                !im->span.stable, im->err);
    }
    if (called.tag && !chrome) {
        pf_import_set_text(im, "trace_trigger", pf_field_text(&called));
    }
}

/* The fields that are arguments. */
static const struct {
    uint32_t context, tag;
    const char *key;
    pf_value_type type;
} ARGS[] = {
    {OF_SYSTEM, PF_TAG_BYTES(PF_F_TRIGGER_PRODUCER), "producer_name", PF_VALUE_STRING},
    {OF_SYSTEM, PF_TAG_VARINT(PF_F_TRIGGER_PRODUCER_UID), "trusted_producer_uid", PF_VALUE_INT},
    {OF_CHROME, PF_TAG_BYTES(PF_F_CHROME_TRIGGER_NAME), "chrome_trigger.name", PF_VALUE_STRING},
    {OF_CHROME, PF_TAG(PF_F_CHROME_TRIGGER_NAME_HASH, PF_WIRE_FIXED32), "chrome_trigger.name_hash", PF_VALUE_UINT},
};

pf_status pf_perfetto_trigger_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                   const pf_arg_visitor *v, pf_error *err)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        for (size_t i = 0; i < sizeof ARGS / sizeof *ARGS; i++) {
            pf_value value = {.type = ARGS[i].type, .as.u = f.value};
            if (value.type == PF_VALUE_STRING) {
                value.as.s = (pf_str){(const char *)f.bytes, f.len};
            }
            if (ARGS[i].context == context && ARGS[i].tag == f.tag) {
                PF_TRY(v->value(v->ctx, pf_str_of(ARGS[i].key), &value));
            }
        }
    }
    return PF_OK;
}
