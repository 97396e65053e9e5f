/* tests/differential/records.c - our records against the struct that protobuf-c makes of the same packet.
 *
 * Three questions about every packet, good or damaged:
 * - Is the record a matter of the packet alone? It is decoded twice, with different bytes after its end; and do the
 * rows of both hot decoders, plain and what this processor runs, say the same?
 * - Does it say what protobuf-c says, where protobuf-c accepts the packet?
 * - Does damage cost no more than what is after it? A damaged event must give the record of its undamaged part, and a
 *   packet whose fields do not end where it ends must be called damaged.
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "perfetto/decode/batch.h"
#include "perfetto/decode/packet.h"
#include "perfetto/fields.h"
#include "wire/cursor.h"
#include "wire/writer.h"

/* A record and the bytes that it points into. */
typedef struct framed {
    pf_buffer bytes;
    pf_record r;
} framed;

/* The packet as a trace of its own, with these bytes after it; returns its length. */
static size_t put_frame(pf_buffer *out, const uint8_t *bytes, size_t len, uint8_t after)
{
    uint8_t slop[PF_SLOP];
    pf_writer w;
    memset(slop, after, sizeof slop);
    *out = (pf_buffer){0};
    pf_writer_init(&w, out);
    pf_writer_bytes(&w, PF_F_TRACE_PACKET, bytes, len);
    size_t whole = out->len;
    pf_writer_raw(&w, slop, sizeof slop);
    bool fine = !w.failed;
    pf_writer_free(&w);
    if (!fine) {
        abort();
    }
    return whole;
}

static bool frame_packet(diff_run *run, framed *out, const uint8_t *bytes, size_t len, uint8_t after)
{
    size_t whole = put_frame(&out->bytes, bytes, len, after);
    pf_decoded d = pf_records_decode((const uint8_t *)out->bytes.data, whole, whole, &out->r, 1);
    if (d.records != (len > 0) || d.consumed != whole || d.stop != (len ? PF_STOP_FULL : PF_STOP_PARTIAL)) {
        diff_report(run, "framing: %zu records, %zu of %zu bytes, stop %d", d.records, d.consumed, whole, (int)d.stop);
        return false;
    }
    return len > 0;
}

static void expect(diff_run *run, const char *what, uint64_t ours, uint64_t theirs)
{
    if (ours != theirs) {
        diff_report(run, "record %s: %llx, expected %llx", what, (unsigned long long)ours, (unsigned long long)theirs);
    }
}

static void expect_flag(diff_run *run, const char *what, const pf_record *r, uint32_t flag, bool expected)
{
    expect(run, what, (r->has & flag) != 0, expected);
}

static void expect_text(diff_run *run, const char *what, pf_str ours, const void *bytes, size_t len)
{
    if (ours.len != len || (len && memcmp(ours.ptr, bytes, len) != 0)) {
        diff_report(run, "record %s: other bytes", what);
    }
}

static pf_str name_of(const pf_record *r)
{
    return (pf_str){(const char *)r->name, r->name_len};
}

/* The values of two records; where their packets lie does not matter. */
static void compare_records(diff_run *run, const pf_record *r, const pf_record *s, uint32_t ignored)
{
    expect(run, "kind", r->kind, s->kind);
    if (r->kind == PF_RECORD_DAMAGED || s->kind == PF_RECORD_DAMAGED) {
        return;
    }
    expect(run, "has", r->has & ~ignored, s->has & ~ignored);
    expect(run, "timestamp", r->timestamp, s->timestamp);
    expect(run, "track_uuid", r->track_uuid, s->track_uuid);
    expect(run, "name_iid", r->name_iid, s->name_iid);
    expect(run, "category", r->category, s->category);
    expect(run, "value", r->value, s->value);
    expect(run, "sequence", r->sequence, s->sequence);
    expect(run, "clock", r->clock, s->clock);
    expect(run, "data", r->data, s->data);
    expect(run, "type", r->type, s->type);
    expect(run, "sequence_flags", r->sequence_flags, s->sequence_flags);
    expect_text(run, "name", name_of(r), s->name, s->name_len);
}

/* The flow id of a row is the only one of its event. */
static void check_flow_id(diff_run *run, const pf_record *r, uint32_t what, uint64_t value)
{
    pf_cursor c = pf_cursor_over(r->event, r->event_len);
    pf_field f;
    unsigned starts = 0, ends = 0;
    uint64_t id = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool start = f.tag == PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS);
        bool end = f.tag == PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS);
        starts += start;
        ends += end;
        id = start || end ? f.value : id;
    }
    expect(run, "row's flow ids", starts, (what & PF_ROW_ONE_FLOW) != 0);
    expect(run, "row's terminating flow ids", ends, (what & PF_ROW_ONE_END) != 0);
    expect(run, "row's flow id", value, id);
}

/* The row of the packet must say what its record says. */
static void check_rows(diff_run *run, const pf_record *r, pf_rows_decoder decode, const uint8_t *bytes, size_t len,
                       uint8_t after)
{
    pf_rows *rows = run->rows;
    pf_buffer trace;
    size_t whole = put_frame(&trace, bytes, len, after);
    pf_rows_renew(rows);
    pf_decoded d = decode((const uint8_t *)trace.data, whole, whole, rows);
    uint32_t what = rows->count ? rows->where[0].what : 0, values = (what & PF_ROW_HAS_VALUE) != 0;
    expect(run, "rows", rows->count, 1);
    expect(run, "bytes of rows", d.consumed, whole);
    expect(run, "values of rows", rows->values, values);
    if (rows->count == 1) {
        uint64_t value = values ? rows->value[0] : 0;
        const pf_record s = pf_rows_record(rows, 0, value);
        compare_records(run, r, &s, 0);
        expect(run, "packet_len", s.packet_len, r->packet_len);
        expect(run, "header", s.header, r->header);
        expect(run, "place of the event", s.event ? (size_t)(s.event - s.packet) : 0,
               r->event ? (size_t)(r->event - r->packet) : 0);
        expect(run, "event_len", s.event_len, r->event_len);
        if (what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)) {
            check_flow_id(run, r, what, value);
        }
        run->counts.usual += (what & PF_ROW_TYPE) != 0;
    }
    pf_buffer_free(&trace);
}

/* ---- against protobuf-c ------------------------------------------------------------------------------------------ */

static uint32_t first_data(const ProtobufCMessage *m)
{
    for (size_t i = 0; i < m->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *u = &m->unknown_fields[i];
        if (u->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED && u->tag <= PF_FIELD_NUMBER_MAX) {
            return u->tag;
        }
    }
    return 0;
}

static bool has_extension(const ProtobufCMessage *m)
{
    for (size_t i = 0; i < m->n_unknown_fields; i++) {
        if (m->unknown_fields[i].tag >= PF_F_EVENT_EXTENSIONS_FIRST &&
            m->unknown_fields[i].tag <= PF_F_EVENT_EXTENSIONS_LAST) {
            return true;
        }
    }
    return false;
}

static void check_packet(diff_run *run, const pf_record *r, const Pf__Hot__TracePacket *p)
{
    expect(run, "kind", r->kind, p->track_event ? PF_RECORD_EVENT : PF_RECORD_OTHER);
    expect_flag(run, "has timestamp", r, PF_HAS_TIMESTAMP, p->has_timestamp);
    expect(run, "timestamp", r->timestamp, p->timestamp);
    expect_flag(run, "has sequence", r, PF_HAS_SEQUENCE, p->has_sequence_id);
    expect(run, "sequence", r->sequence, p->sequence_id);
    expect(run, "sequence_flags", r->sequence_flags, p->sequence_flags & 3);
    expect(run, "clock", r->clock, p->timestamp_clock_id);
    expect_flag(run, "has machine", r, PF_HAS_MACHINE, p->machine_id != 0);
    expect_flag(run, "has state", r, PF_HAS_STATE,
                p->interned_data || p->trace_packet_defaults || p->has_incremental_state_cleared ||
                    p->has_previous_packet_dropped || p->has_first_packet_on_sequence || (p->sequence_flags & 1));
    expect(run, "data", r->data, first_data(&p->base));
}

/* Flags of lists. A packed list may be empty, which sets the flag although protobuf-c sees no element. */
static void check_lists(diff_run *run, const pf_record *r, const Pf__Hot__TrackEvent *e, bool packed)
{
    bool flows = e->n_flow_ids || e->n_terminating_flow_ids || e->n_flow_ids_old || e->n_terminating_flow_ids_old ||
                 e->has_gpu_correlation;
    bool extra = e->n_extra_counter_values || e->n_extra_double_counter_values;
    bool several = e->n_category_iids > 1 || e->n_categories;
    if (!packed || flows) {
        expect_flag(run, "has flows", r, PF_HAS_FLOWS, flows);
    }
    if (!packed || extra) {
        expect_flag(run, "has extra", r, PF_HAS_EXTRA, extra);
    }
    if (!packed || several) {
        expect_flag(run, "has categories", r, PF_HAS_CATEGORIES, several);
    }
    if (!several && !(r->has & PF_HAS_CATEGORIES)) {
        expect_flag(run, "has category", r, PF_HAS_CATEGORY, e->n_category_iids == 1);
        expect(run, "category", r->category, e->n_category_iids ? e->category_iids[0] : 0);
    }
}

static void check_event(diff_run *run, const pf_record *r, const Pf__Hot__TrackEvent *e, bool packed)
{
    uint64_t bits;
    memcpy(&bits, &e->double_counter_value, sizeof bits);
    expect_flag(run, "has damage", r, PF_HAS_DAMAGE, false);
    expect_flag(run, "has type", r, PF_HAS_TYPE, e->has_type);
    expect(run, "type", r->type, (uint32_t)e->type > 0xff ? 0xff : (uint32_t)e->type);
    expect_flag(run, "has name", r, PF_HAS_NAME, e->has_name);
    expect_text(run, "name", name_of(r), e->name.data, e->name.len);
    expect(run, "name_iid", r->name_iid, e->name_iid);
    expect_flag(run, "has uuid", r, PF_HAS_UUID, e->has_track_uuid);
    expect(run, "track_uuid", r->track_uuid, e->track_uuid);
    expect_flag(run, "has int", r, PF_HAS_INT, e->has_counter_value);
    expect_flag(run, "has double", r, PF_HAS_DOUBLE, !e->has_counter_value && e->has_double_counter_value);
    expect(run, "value", r->value, e->has_counter_value ? (uint64_t)e->counter_value : bits);
    expect_flag(run, "has legacy", r, PF_HAS_LEGACY, e->legacy_event != NULL);
    expect_flag(run, "has deltas", r, PF_HAS_DELTAS,
                e->has_timestamp_delta_us || e->has_timestamp_absolute_us || e->has_thread_time_delta_us ||
                    e->has_thread_time_absolute_us || e->has_thread_instruction_count_delta ||
                    e->has_thread_instruction_count_absolute);
    bool processes = e->chrome_active_processes || e->active_processes_extension;
    expect_flag(run, "has processes", r, PF_HAS_PROCESSES, processes);
    bool sides = e->log_message || e->has_callstack || e->has_callstack_iid;
    expect_flag(run, "has sides", r, PF_HAS_SIDES, sides);
    expect_flag(run, "has args", r, PF_HAS_ARGS,
                processes || sides || e->n_debug_annotations || e->task_execution || e->source_location ||
                    e->has_source_location_iid || e->has_correlation_id || e->has_correlation_id_str ||
                    e->has_correlation_id_str_iid || e->has_gpu_correlation || e->has_gpu_api || e->has_screenshot);
    expect_flag(run, "has unknown", r, PF_HAS_UNKNOWN, has_extension(&e->base));
    check_lists(run, r, e, packed);
}

static void check_legacy(diff_run *run, const pf_record *r, const Pf__Hot__LegacyEvent *e)
{
    const pf_legacy l = pf_legacy_read(r->event, r->event_len);
    uint32_t phase = e->phase > 0 && e->phase < 0x80 ? (uint32_t)e->phase : '?';
    expect(run, "legacy name_iid", l.name_iid, e->name_iid);
    expect(run, "legacy phase", l.phase, e->has_phase ? phase : 0);
    expect(run, "legacy duration", (uint64_t)l.duration_us, (uint64_t)e->duration_us);
    expect(run, "legacy thread duration", (uint64_t)l.thread_duration_us, (uint64_t)e->thread_duration_us);
    expect(run, "legacy instructions", (uint64_t)l.instruction_delta, (uint64_t)e->thread_instruction_delta);
    expect(run, "legacy unscoped_id", l.unscoped_id, e->unscoped_id);
    expect(run, "legacy has unscoped_id", l.has_unscoped_id, e->has_unscoped_id);
    expect(run, "legacy local_id", l.local_id, e->local_id);
    expect(run, "legacy has local_id", l.has_local_id, e->has_local_id);
    expect(run, "legacy global_id", l.global_id, e->global_id);
    expect(run, "legacy has global_id", l.has_global_id, e->has_global_id);
    expect(run, "legacy bind_id", l.bind_id, e->bind_id);
    expect(run, "legacy has bind_id", l.has_bind_id, e->has_bind_id);
    expect(run, "legacy bind_to_enclosing", l.bind_to_enclosing, e->bind_to_enclosing != 0);
    expect(run, "legacy flow_direction", l.direction, (uint32_t)e->flow_direction);
    expect(run, "legacy scope", l.scope, (uint32_t)e->instant_event_scope);
    expect(run, "legacy has pid", l.has_pid, e->has_pid_override);
    expect(run, "legacy pid", (uint32_t)l.pid, (uint32_t)e->pid_override);
    expect(run, "legacy has tid", l.has_tid, e->has_tid_override);
    expect(run, "legacy tid", (uint32_t)l.tid, (uint32_t)e->tid_override);
    expect(run, "legacy has id_scope", l.id_scope.ptr != NULL, e->has_id_scope);
    expect_text(run, "legacy id_scope", l.id_scope, e->id_scope.data, e->id_scope.len);
}

/* ---- against itself ---------------------------------------------------------------------------------------------- */

/* Bytes of the fields before the damage. */
static size_t good_part(const uint8_t *bytes, size_t len, bool *whole)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    pf_next next = PF_NEXT_FIELD;
    while (next == PF_NEXT_FIELD) {
        next = pf_cursor_next(&c, &f);
    }
    *whole = next == PF_NEXT_END;
    return (size_t)(c.at - bytes);
}

/* The packet with the event cut where its damage begins must give the same record. */
static void check_lenience(diff_run *run, const pf_record *r, size_t event_good)
{
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    const uint8_t *from = c.at;
    pf_buffer repaired = {0};
    pf_writer w;
    pf_field f;
    pf_writer_init(&w, &repaired);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (f.tag == PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT) && f.bytes == r->event) {
            pf_writer_bytes(&w, PF_F_PACKET_TRACK_EVENT, r->event, event_good);
        } else {
            pf_writer_raw(&w, from, (size_t)(c.at - from));
        }
    }
    if (w.failed) {
        abort();
    }
    framed good;
    run->counts.damaged_events++;
    if (frame_packet(run, &good, (const uint8_t *)repaired.data, repaired.len, 0)) {
        expect_flag(run, "has damage without its damaged part", &good.r, PF_HAS_DAMAGE, false);
        compare_records(run, r, &good.r, PF_HAS_DAMAGE);
    }
    pf_writer_free(&w);
    pf_buffer_free(&good.bytes);
    pf_buffer_free(&repaired);
}

static void check_damage(diff_run *run, const pf_record *r)
{
    bool whole;
    good_part(r->packet, r->packet_len, &whole);
    expect(run, "damaged", r->kind == PF_RECORD_DAMAGED, !whole);
    if (r->kind != PF_RECORD_EVENT) {
        return;
    }
    size_t event_good = good_part(r->event, r->event_len, &whole);
    expect_flag(run, "has damage", r, PF_HAS_DAMAGE, !whole);
    if (!whole) {
        check_lenience(run, r, event_good);
    }
}

/* ---- one packet -------------------------------------------------------------------------------------------------- */

/* What protobuf-c should say about these bytes. */
static bool acceptable(const diff_verdict *v)
{
    return !v->malformed && !v->mismatched;
}

static void compare_accepted(diff_run *run, const pf_record *r, const Pf__Hot__TracePacket *p, const uint8_t *bytes,
                             size_t len, const diff_verdict *v)
{
    diff_compare(run, &p->base, bytes, len);
    check_packet(run, r, p);
    if (p->track_event && r->kind == PF_RECORD_EVENT) {
        check_event(run, r, p->track_event, v->packed);
        if (p->track_event->legacy_event) {
            check_legacy(run, r, p->track_event->legacy_event);
        }
    }
}

void diff_packet(diff_run *run, const uint8_t *bytes, size_t len)
{
    framed one, two;
    run->bytes = bytes;
    run->len = len;
    bool framed_one = frame_packet(run, &one, bytes, len, 0x00);
    bool framed_two = frame_packet(run, &two, bytes, len, 0xff);
    if (framed_one && framed_two) {
        compare_records(run, &one.r, &two.r, 0);
        check_rows(run, &one.r, pf_rows_decode, bytes, len, 0xff);
        check_rows(run, &one.r, pf_rows_choose(), bytes, len, 0x80);
        check_damage(run, &one.r);
        diff_verdict v = diff_survey(run, &pf__hot__trace_packet__descriptor, bytes, len);
        if (v.wide || v.zero || v.loose || v.overflow || v.repeated || v.deep) {
            run->counts.excluded++;
        } else {
            Pf__Hot__TracePacket *p = pf__hot__trace_packet__unpack(NULL, len, bytes);
            if ((p != NULL) != acceptable(&v)) {
                diff_report(run, "only %s accepts the packet", p ? "protobuf-c" : "the cursor");
            } else if (p) {
                compare_accepted(run, &one.r, p, bytes, len, &v);
            }
            run->counts.accepted += p != NULL;
            run->counts.rejected += p == NULL;
            pf__hot__trace_packet__free_unpacked(p, NULL);
        }
    }
    pf_buffer_free(&one.bytes);
    pf_buffer_free(&two.bytes);
}
