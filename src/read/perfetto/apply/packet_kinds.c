/* read/perfetto/apply/packet_kinds.c - packets that are no TrackEvent: clocks, attributes, service events, identity,
 * descriptors.
 *
 * They are rare, so each is looked up in its packet again (the last occurrence of its field wins) and read either with
 * the cursor, where it has two or three fields, or as a protobuf-c struct.
 */
#include "base/str.h"
#include "model/trace/findings_mark.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/stats/stats.h"
#include "trace_packet.pb-c.h"

/* The data field of the packet: the last one with the record's number. */
static pf_field find_data(const pf_record *r)
{
    return pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(r->data));
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

/* Of findings that are left out, only where they came from is kept. */
static void set_attribute(pf_import *im, const Pf__Proto__TraceAttribute *a, bool left_out)
{
    const pf_str prefix = left_out ? PF_FINDINGS_ATTRIBUTE : PF_STR("trace_attribute.");
    const pf_str key = pf_text_of(a->key), text = a->has_string_value ? pf_text_of(a->string_value) : (pf_str){NULL, 0};
    pf_buffer *b = &im->scratch;
    if (!a->has_key || (!text.ptr && !a->has_long_value) ||
        (left_out && !pf_str_starts(key, PF_STR("postfetto.input")))) {
        return;
    }
    if (pf_str_is(key, "postfetto.time_unit") && pf_str_is(text, "cycle")) {
        im->input->unit = PF_UNIT_CYCLE;
    }
    b->len = 0;
    pf_buffer_put(b, prefix.ptr, prefix.len);
    pf_buffer_put(b, key.ptr, key.len);
    if (b->failed) {
        pf_import_refuse(im, key.len);
    }
    pf_import_set_metadata(im, (pf_str){b->data, b->len}, text, a->long_value);
}

static void take_attributes(pf_import *im, const pf_field *data, bool left_out)
{
    const Pf__Proto__TraceAttributes *m =
        pf_import_unpack(im, &pf__proto__trace_attributes__descriptor, data->bytes, data->len);
    for (size_t i = 0; m && i < m->n_attribute; i++) {
        set_attribute(im, m->attribute[i], left_out);
    }
}

void pf_import_left_out_attributes(pf_import *im, const pf_record *r)
{
    if (r->data == PF_F_PACKET_TRACE_ATTRIBUTES) {
        const pf_field data = find_data(r);
        take_attributes(im, &data, true);
    }
}

void pf_import_note_clock(pf_import *im)
{
    if (im->clocks.claimed) {
        pf_import_set_number(im, "trace_time_clock_id", im->clocks.trace_id);
    }
}

/* ---- clocks and service events ----------------------------------------------------------------------------------- */

/* A row for each clock. One that cannot be converted stands at the time of the trace clock, if that is listed. */
static pf_status list_snapshot(pf_import *im, const pf_record *r, const pf_clock_reading *readings, size_t count,
                               uint32_t number)
{
    const pf_clock_reading *base = NULL;
    for (size_t i = 0; i < count; i++) {
        base = readings[i].clock.id == im->clocks.trace_id ? &readings[i] : base;
    }
    for (size_t i = 0; i < count; i++) {
        const pf_clock_reading *c = &readings[i];
        int64_t ts, value = (int64_t)(c->timestamp * (c->unit ? c->unit : 1));
        pf_clock_outcome outcome =
            pf_clocks_convert(&im->clocks, c->clock, c->incremental ? 0 : (int64_t)c->timestamp, &ts);
        if (outcome == PF_CLOCK_NO_MEMORY) {
            return pf_import_refuse(im, 1u << 12);
        }
        if (outcome != PF_CLOCK_OK && !base) {
            pf_import_count(im, r, PF_STAT_CLOCK_NO_PATH);
            continue;
        }
        const char *name = pf_clock_name(c->clock.id);
        PF_TRY(pf_trace_add_clock(im->t, outcome == PF_CLOCK_OK ? ts : (int64_t)base->timestamp, c->clock.id,
                                  (pf_str){name, name ? strlen(name) : 0}, value, number, im->err));
    }
    return PF_OK;
}

static void take_snapshot(pf_import *im, const pf_record *r, const pf_field *data)
{
    const Pf__Proto__ClockSnapshot *m =
        pf_import_unpack(im, &pf__proto__clock_snapshot__descriptor, data->bytes, data->len);
    pf_clock_reading readings[PF_CLOCKS_PER_SNAPSHOT];
    size_t n = 0;
    if (!m) {
        return;
    }
    for (; n < m->n_clocks && n < PF_CLOCKS_PER_SNAPSHOT; n++) {
        const Pf__Proto__Clock *c = m->clocks[n];
        bool of_sequence = c->clock_id >= PF_CLOCK_SEQUENCE_FIRST && c->clock_id <= PF_CLOCK_SEQUENCE_LAST;
        readings[n] = (pf_clock_reading){.clock = {c->clock_id, of_sequence ? r->sequence : 0},
                                         .timestamp = c->timestamp,
                                         .unit = c->unit_multiplier_ns,
                                         .incremental = c->is_incremental};
    }
    uint32_t primary = m->primary_trace_clock > 0 ? (uint32_t)m->primary_trace_clock : 0;
    uint32_t number = im->clocks.snapshots;
    pf_clock_outcome outcome = pf_clocks_snapshot(&im->clocks, readings, n + (n < m->n_clocks), primary);
    if (outcome == PF_CLOCK_NO_MEMORY) {
        pf_import_refuse(im, 1u << 12);
    } else if (outcome == PF_CLOCK_INVALID) {
        pf_import_count(im, r, PF_STAT_CLOCK_INVALID_SNAPSHOT);
    } else {
        (void)list_snapshot(im, r, readings, n, number);
    }
}

/* Flush and read markers of a long recording decide where annotations may stand (docs/reference/perfetto.md, "Writing
 * into a trace"). */
static void take_service_event(pf_import *im, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED) && f.value) {
            im->about.flushes++;
        } else if (f.tag == PF_TAG_VARINT(PF_F_SERVICE_READ_BUFFERS_COMPLETED) && f.value) {
            im->input->has_service_events = true;
        }
    }
    if (im->about.flushes >= 2) {
        im->input->has_service_events = true;
    }
}

/* ---- dispatch ---------------------------------------------------------------------------------------------------- */

bool pf_import_early(pf_import *im, const pf_record *r)
{
    const pf_field data = find_data(r);
    const Pf__Proto__TraceUuid *uuid;
    switch (r->data) {
    case 0:
    case PF_F_PACKET_SYNCHRONIZATION_MARKER:
        return true;
    case PF_F_PACKET_CLOCK_SNAPSHOT:
        take_snapshot(im, r, &data);
        return true;
    case PF_F_PACKET_SERVICE_EVENT:
        take_service_event(im, &data);
        pf_import_service_event(im, r, &data);
        return true;
    case PF_F_PACKET_TRACE_ATTRIBUTES:
        take_attributes(im, &data, false);
        return true;
    case PF_F_PACKET_TRACE_UUID:
        uuid = pf_import_unpack(im, &pf__proto__trace_uuid__descriptor, data.bytes, data.len);
        if (uuid) {
            pf_import_set_uuid(im, (uint64_t)uuid->msb, (uint64_t)uuid->lsb);
        }
        return true;
    case PF_F_PACKET_ORIGIN:
        pf_import_leftover(im, &data);
        return true;
    default:
        return false;
    }
}

pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at)
{
    const pf_field data = find_data(r);
    switch (r->data) {
    case PF_F_PACKET_TRACK_DESCRIPTOR:
    case PF_F_PACKET_THREAD_DESCRIPTOR:
    case PF_F_PACKET_PROCESS_DESCRIPTOR:
        pf_import_descriptor(im, r, &data, q, at);
        break;
    case PF_F_PACKET_PROCESS_TREE:
        pf_import_process_tree(im, &data);
        break;
    case PF_F_PACKET_PROCESS_STATS:
        pf_import_process_stats(im, r, &data, at);
        break;
    default:
        if (!pf_import_about(im, r, &data) && !pf_import_trigger(im, r, &data, at) &&
            !pf_gpu_packet(im, r, &data, q, at)) {
            pf_import_cover_undecoded(im, r, &data, at);
            pf_import_count(im, r, PF_STAT_PACKETS_NOT_DECODED);
        }
    }
    return im->err->code;
}
