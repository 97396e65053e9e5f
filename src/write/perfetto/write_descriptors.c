/* write/perfetto/write_descriptors.c - descriptors and attributes: the rare packets, encoded by protobuf-c. Texts
 * are `bytes` in our .proto files, so that NULs in names survive.
 *
 * A thread descriptor makes its thread the one that its packet sequence speaks for, and Perfetto then adds that thread
 * as an argument to every event of the sequence that is drawn elsewhere. Descriptors need no sequence, so those of
 * threads are written outside of ours. */
#include "write/perfetto/packet_writer.h"

#include "base/str.h"
#include "trace_packet.pb-c.h"

static ProtobufCBinaryData as_bytes(pf_str s)
{
    return (ProtobufCBinaryData){s.len, (uint8_t *)(uintptr_t)s.ptr};
}

/* Packs a message straight into the packet being written, as field `field`. */
static void put_message(pf_packets *p, uint32_t field, const ProtobufCMessage *message)
{
    size_t len = protobuf_c_message_get_packed_size(message);
    pf_writer_begin(&p->w, field);
    if (pf_writer_room(&p->w, len)) {
        protobuf_c_message_pack(message, (uint8_t *)p->bytes.data + p->bytes.len);
        p->bytes.len += len;
    }
    pf_writer_end(&p->w);
}

static void fill_counter(Pf__Proto__CounterDescriptor *c, pf_str unit)
{
    static const struct {
        pf_str name;
        int32_t unit;
    } exact[] = {{{"ns", 2}, PF_COUNTER_UNIT_TIME_NS},
                 {{"count", 5}, PF_COUNTER_UNIT_COUNT},
                 {{"bytes", 5}, PF_COUNTER_UNIT_SIZE_BYTES}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        if (pf_str_equal(unit, exact[i].name)) {
            c->has_unit = true;
            c->unit = exact[i].unit;
            return;
        }
    }
    c->has_unit_name = unit.len > 0;
    c->unit_name = as_bytes(unit);
}

static void fill_place(Pf__Proto__TrackDescriptor *m, const pf_descriptor *d)
{
    m->has_uuid = true;
    m->uuid = d->uuid;
    m->has_parent_uuid = d->parent != 0;
    m->parent_uuid = d->parent;
    m->has_description = d->description.ptr != NULL;
    m->description = as_bytes(d->description);
    m->has_child_ordering = d->orders_children;
    m->child_ordering = PF_ORDER_EXPLICIT;
    m->has_process_ordering = d->orders_processes;
    m->process_ordering = 1;
    m->has_sibling_order_rank = d->ranked;
    m->sibling_order_rank = d->rank;
    m->has_sibling_merge_behavior = d->apart || d->merge_key;
    m->sibling_merge_behavior = d->apart ? PF_MERGE_NONE : PF_MERGE_BY_KEY;
    m->has_sibling_merge_key_int = d->merge_key != 0;
    m->sibling_merge_key_int = d->merge_key;
}

void pf_packets_describe(pf_packets *p, int64_t ts, const pf_descriptor *d)
{
    Pf__Proto__TrackDescriptor m = PF__PROTO__TRACK_DESCRIPTOR__INIT;
    Pf__Proto__ProcessDescriptor process = PF__PROTO__PROCESS_DESCRIPTOR__INIT;
    Pf__Proto__ThreadDescriptor thread = PF__PROTO__THREAD_DESCRIPTOR__INIT;
    Pf__Proto__CounterDescriptor counter = PF__PROTO__COUNTER_DESCRIPTOR__INIT;
    bool named = d->name.ptr != NULL;
    fill_place(&m, d);
    switch (d->kind) {
    case PF_DESCRIBE_PROCESS:
        process.has_pid = true;
        process.pid = d->pid;
        process.has_process_name = named;
        process.process_name = as_bytes(d->name);
        process.has_start_timestamp_ns = d->start_ts > 0;
        process.start_timestamp_ns = d->start_ts;
        m.process = &process;
        break;
    case PF_DESCRIBE_THREAD:
        thread.has_pid = thread.has_tid = true;
        thread.pid = d->pid;
        thread.tid = d->tid;
        thread.has_thread_name = named;
        thread.thread_name = as_bytes(d->name);
        m.thread = &thread;
        break;
    case PF_DESCRIBE_COUNTER:
        fill_counter(&counter, d->unit);
        counter.has_y_axis_share_key = d->share_key.ptr != NULL;
        counter.y_axis_share_key = as_bytes(d->share_key);
        m.counter = &counter;
        m.has_name = named;
        m.name = as_bytes(d->name);
        break;
    case PF_DESCRIBE_TRACK:
        m.has_name = named;
        m.name = as_bytes(d->name);
        break;
    }
    /* A thread descriptor would become the thread of its sequence; on a clock that counts on there is no time for one.
     */
    if (d->kind == PF_DESCRIBE_THREAD || p->counts_on) {
        pf_packets_begin_outside(p, ts);
    } else {
        pf_packets_begin(p, ts, false);
    }
    put_message(p, PF_F_PACKET_TRACK_DESCRIPTOR, &m.base);
    pf_buffer_put(&p->note, d->note.ptr, d->note.len);
    pf_packets_end(p);
}

void pf_packets_attribute(pf_packets *p, pf_str key, pf_str text, int64_t number)
{
    Pf__Proto__TraceAttributes m = PF__PROTO__TRACE_ATTRIBUTES__INIT;
    Pf__Proto__TraceAttribute one = PF__PROTO__TRACE_ATTRIBUTE__INIT;
    Pf__Proto__TraceAttribute *list[] = {&one};
    one.has_key = true;
    one.key = as_bytes(key);
    one.has_string_value = text.ptr != NULL;
    one.string_value = as_bytes(text);
    one.has_long_value = text.ptr == NULL;
    one.long_value = number;
    m.n_attribute = 1;
    m.attribute = list;
    pf_packets_begin(p, -1, false);
    put_message(p, PF_F_PACKET_TRACE_ATTRIBUTES, &m.base);
    pf_packets_end(p);
}
