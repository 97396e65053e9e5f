/* read/perfetto/apply/packet_kinds.c - packets that are no TrackEvent: clocks, attributes, service events, identity,
 * descriptors.
 *
 * They are rare, so each is looked up in its packet again (the last occurrence of its field wins) and read either with
 * the cursor, where it has two or three fields, or as a protobuf-c struct.
 */
#include "read/perfetto/apply/packet_kinds.h"
#include "model/trace/findings_mark.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/inflate_packets.h"
#include "read/perfetto/apply/trace_info.h"
#include "read/perfetto/apply/undecoded_times.h"
#include "read/perfetto/descriptors/process_tree.h"
#include "read/perfetto/descriptors/track_descriptors.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/conversion_notes.h"
#include "read/perfetto/import/metadata_rows.h"
#include "read/perfetto/stats/stats.h"
#include "trace_packet.pb-c.h"

/* The data field of the packet: the last one with the record's number. */
static pf_field find_data(const pf_record *r)
{
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    pf_field f, data = {0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(r->data)) {
            data = f;
        }
    }
    return data;
}

static void *unpack(pf_import *im, const ProtobufCMessageDescriptor *descriptor, const pf_field *data)
{
    return pf_cold_unpack(&im->cold, descriptor, data->bytes, data->len, im->err);
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static bool equals(const ProtobufCBinaryData *a, const char *b)
{
    return a->len == strlen(b) && memcmp(a->data, b, a->len) == 0;
}

/* Of findings that are left out, only where they came from is kept. */
static pf_status set_attribute(pf_import *im, const Pf__Proto__TraceAttribute *a, bool left_out)
{
    const pf_str prefix = left_out ? PF_FINDINGS_ATTRIBUTE : PF_STR("trace_attribute.");
    pf_buffer *b = &im->scratch;
    pf_str text = {NULL, 0};
    if (!a->has_key || (!a->has_string_value && !a->has_long_value)) {
        return PF_OK;
    }
    if (left_out && !pf_str_starts((pf_str){(const char *)a->key.data, a->key.len}, PF_STR("postfetto.input"))) {
        return PF_OK;
    }
    if (a->has_string_value) {
        text = (pf_str){a->string_value.len ? (const char *)a->string_value.data : "", a->string_value.len};
        if (equals(&a->key, "postfetto.time_unit") && equals(&a->string_value, "cycle")) {
            im->input->unit = PF_UNIT_CYCLE;
        }
    }
    b->len = 0;
    pf_buffer_put(b, prefix.ptr, prefix.len);
    pf_buffer_put(b, a->key.data, a->key.len);
    return b->failed ? pf_budget_refused(&im->t->budget, a->key.len, im->err)
                     : pf_import_set_metadata(im, (pf_str){b->data, b->len}, text, a->long_value);
}

static pf_status take_attributes(pf_import *im, const pf_field *data, bool left_out)
{
    const Pf__Proto__TraceAttributes *m = unpack(im, &pf__proto__trace_attributes__descriptor, data);
    pf_status st = m ? PF_OK : im->err->code;
    for (size_t i = 0; m && i < m->n_attribute && st == PF_OK; i++) {
        st = set_attribute(im, m->attribute[i], left_out);
    }
    return st;
}

static pf_status take_uuid(pf_import *im, const pf_field *data)
{
    const Pf__Proto__TraceUuid *m = unpack(im, &pf__proto__trace_uuid__descriptor, data);
    if (!m) {
        return im->err->code;
    }
    return pf_import_set_uuid(im, (uint64_t)m->msb, (uint64_t)m->lsb);
}

pf_status pf_import_left_out_attributes(pf_import *im, const pf_record *r)
{
    const pf_field data = find_data(r);
    return r->data == PF_F_PACKET_TRACE_ATTRIBUTES ? take_attributes(im, &data, true) : PF_OK;
}

pf_status pf_import_note_clock(pf_import *im)
{
    return im->clocks.claimed
               ? pf_import_set_metadata(im, PF_STR("trace_time_clock_id"), (pf_str){NULL, 0}, im->clocks.trace_id)
               : PF_OK;
}

/* ---- clocks and service events ----------------------------------------------------------------------------------- */

/* A row for each clock. One that cannot be converted stands at the time of the trace clock, if that is listed. */
static pf_status list_snapshot(pf_import *im, const pf_record *r, const pf_clock_reading *readings, size_t count,
                               uint32_t number)
{
    const pf_clock_reading *base = NULL;
    pf_status st = PF_OK;
    for (size_t i = 0; i < count; i++) {
        base = readings[i].clock.id == im->clocks.trace_id ? &readings[i] : base;
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        const pf_clock_reading *c = &readings[i];
        int64_t ts, value = (int64_t)(c->timestamp * (c->unit ? c->unit : 1));
        pf_clock_outcome outcome =
            pf_clocks_convert(&im->clocks, c->clock, c->incremental ? 0 : (int64_t)c->timestamp, &ts);
        if (outcome == PF_CLOCK_NO_MEMORY) {
            return pf_budget_refused(&im->t->budget, 1u << 12, im->err);
        }
        if (outcome != PF_CLOCK_OK && !base) {
            pf_trace_count(im->t, PF_STAT_CLOCK_NO_PATH, pf_import_offset(im, r));
            continue;
        }
        const char *name = pf_clock_name(c->clock.id);
        st = pf_trace_add_clock(im->t, outcome == PF_CLOCK_OK ? ts : (int64_t)base->timestamp, c->clock.id,
                                (pf_str){name, name ? strlen(name) : 0}, value, number, im->err);
    }
    return st;
}

static pf_status take_snapshot(pf_import *im, const pf_record *r, const pf_field *data)
{
    const Pf__Proto__ClockSnapshot *m = unpack(im, &pf__proto__clock_snapshot__descriptor, data);
    pf_clock_reading readings[PF_CLOCKS_PER_SNAPSHOT];
    size_t n = 0;
    if (!m) {
        return im->err->code;
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
        return pf_budget_refused(&im->t->budget, 1u << 12, im->err);
    }
    if (outcome == PF_CLOCK_INVALID) {
        pf_trace_count(im->t, PF_STAT_CLOCK_INVALID_SNAPSHOT, pf_import_offset(im, r));
        return PF_OK;
    }
    return list_snapshot(im, r, readings, n, number);
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

pf_status pf_import_early(pf_import *im, const pf_record *r, bool *done)
{
    const pf_field data = find_data(r);
    *done = true;
    switch (r->data) {
    case 0:
    case PF_F_PACKET_SYNCHRONIZATION_MARKER:
        return PF_OK;
    case PF_F_PACKET_CLOCK_SNAPSHOT:
        return take_snapshot(im, r, &data);
    case PF_F_PACKET_SERVICE_EVENT:
        take_service_event(im, &data);
        return pf_import_service_event(im, r, &data);
    case PF_F_PACKET_TRACE_ATTRIBUTES:
        return take_attributes(im, &data, false);
    case PF_F_PACKET_TRACE_UUID:
        return take_uuid(im, &data);
    case PF_F_PACKET_COMPRESSED_PACKETS:
    case PF_F_PACKET_ZSTD_COMPRESSED_PACKETS:
        return pf_import_compressed(im, r, &data);
    case PF_F_PACKET_ORIGIN:
        return pf_import_leftover(im, &data);
    default:
        *done = false;
        return PF_OK;
    }
}

pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at)
{
    const pf_field data = find_data(r);
    switch (r->data) {
    case PF_F_PACKET_TRACK_DESCRIPTOR:
    case PF_F_PACKET_THREAD_DESCRIPTOR:
    case PF_F_PACKET_PROCESS_DESCRIPTOR:
        return pf_import_descriptor(im, r, &data, q, at);
    case PF_F_PACKET_PROCESS_TREE:
        return pf_import_process_tree(im, &data);
    case PF_F_PACKET_PROCESS_STATS:
        return pf_import_process_stats(im, r, &data, at);
    default: {
        bool taken;
        pf_status st = pf_import_about(im, r, &data, &taken);
        if (st == PF_OK && !taken) {
            st = pf_import_trigger(im, r, &data, at, &taken);
        }
        if (st == PF_OK && !taken) {
            st = pf_gpu_packet(im, r, &data, q, at, &taken);
        }
        if (!taken) {
            pf_import_cover_undecoded(im, r, &data, at);
            pf_trace_count(im->t, PF_STAT_PACKETS_NOT_DECODED, pf_import_offset(im, r));
        }
        return st;
    }
    }
}
