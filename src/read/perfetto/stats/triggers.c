/* read/perfetto/stats/triggers.c - triggers: what started or stopped a recording, as instants on a track of their own.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/import/metadata_rows.h"
#include "read/perfetto/import/packet_times.h"
#include "read/perfetto/stats/stats.h"

/* Arguments are decoded from the stored message; the context says whose it is. */
enum { OF_SYSTEM = 0, OF_CHROME = 1 };

static pf_status find_track(pf_import *im)
{
    static const char name[] = "Trace Triggers";
    if (im->stats.trigger_track != PF_NONE) {
        return PF_OK;
    }
    const pf_track_row row = {.type = PF_TRACK_TRIGGERS,
                              .name = pf_strings_add(&im->t->strings, name, sizeof name - 1, im->err),
                              .upid = PF_NONE,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE};
    im->stats.trigger_track = row.name == PF_NONE ? PF_NONE : pf_trace_add_track(im->t, &row, im->err);
    return im->stats.trigger_track == PF_NONE ? im->err->code : PF_OK;
}

/* The name of the instant; {NULL, 0} if the trigger has none. */
static pf_str name_of(const pf_field *data, bool chrome)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    pf_str name = chrome ? PF_STR("chrome_trigger") : (pf_str){NULL, 0};
    while (!chrome && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_TRIGGER_NAME)) {
            name = (pf_str){(const char *)f.bytes, f.len};
        }
    }
    return name;
}

pf_status pf_import_trigger(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at, bool *taken)
{
    pf_trace *t = im->t;
    bool chrome = r->data == PF_F_PACKET_CHROME_TRIGGER;
    *taken = chrome || r->data == PF_F_PACKET_TRIGGER || r->data == PF_F_PACKET_CLONE_SNAPSHOT_TRIGGER;
    if (!*taken) {
        return PF_OK;
    }
    if (at->when == PF_WHEN_MISSING || (at->when == PF_WHEN_KNOWN && at->ts < 0)) {
        pf_trace_count(t, PF_STAT_NEGATIVE_TS, pf_import_offset(im, r));
        return PF_OK;
    }
    pf_str name = name_of(data, chrome);
    pf_event e = {.ts = at->when == PF_WHEN_KNOWN ? at->ts : im->latest_ts, .phase = 'i'};
    pf_status st = find_track(im);
    e.track = im->stats.trigger_track;
    e.name = st == PF_OK && name.ptr ? pf_strings_add(&t->strings, name.ptr, name.len, im->err) : 0;
    if (e.name == PF_NONE) {
        return im->err->code;
    }
    st = st == PF_OK ? pf_trace_add_event(t, &e, im->err) : st;
    if (st == PF_OK && t->want & PF_WANT_ARGS) {
        st = pf_trace_add_args(t, data->bytes, data->len, im->decoders.trigger, chrome ? OF_CHROME : OF_SYSTEM,
                               !im->span.stable, im->err);
    }
    if (st == PF_OK && at->when == PF_WHEN_LATER) {
        st = pf_import_defer(im, r, at, t->events.count - 1, PF_NONE);
    }
    return st == PF_OK && name.ptr && !chrome ? pf_import_set_metadata(im, PF_STR("trace_trigger"), name, 0) : st;
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
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        pf_value value = {.type = PF_VALUE_NULL};
        const char *key = key_of(&f, context == OF_CHROME, &value.type);
        if (!key) {
            continue;
        }
        if (value.type == PF_VALUE_STRING) {
            value.as.s = (pf_str){(const char *)f.bytes, f.len};
        } else {
            value.as.u = f.value;
        }
        st = v->value(v->ctx, (pf_str){key, strlen(key)}, &value);
    }
    return st;
}
