/* binary.c - made-up events as a Perfetto trace, the way Perfetto's SDK writes them.
 *
 * Every sequence begins with a packet that clears its state, sets the clock (incremental: times are deltas, unless the
 * shape wants absolute ones) and the default track, and a packet with all names; both come again every RESET events.
 * Threads and processes have descriptors. Compressed traces collect packets and deflate a quarter of a megabyte at a
 * time.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "perfetto/fields.h"
#include "sink.h"
#include "wire/writer.h"

enum {
    RESET = 100000,
    CLOCK = PF_CLOCK_SEQUENCE_FIRST,
    PLAIN_BLOCK = 1 << 18,
    COUNTERS = 2,
    PHASE_BEGIN = 'b',
    PHASE_END = 'e'
};

/* TrackDescriptor and its parts; the product reads them with protobuf-c, so that fields.h has no names for these. */
enum {
    PACKET_DESCRIPTOR = 60,
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,
    UNIT_BYTES = 3
};

typedef struct sequence {
    uint64_t last;
    unsigned left;
} sequence;

struct bench_binary {
    bench_sink *sink;
    const bench_shape *shape;
    pf_buffer plain; /* packets to be compressed */
    pf_writer writer;
    sequence *sequences;
};

static uint64_t process_uuid(unsigned process)
{
    return 90000 + process;
}

static uint64_t track_uuid(const bench_shape *shape, unsigned process, unsigned thread)
{
    return 100000 + (uint64_t)process * shape->threads + thread;
}

static uint64_t counter_uuid(unsigned process, unsigned counter)
{
    return 200000 + (uint64_t)process * COUNTERS + counter;
}

static unsigned sequence_of(const bench_shape *shape, unsigned process, unsigned thread)
{
    switch (shape->split) {
    case BENCH_PER_PROCESS:
        return process;
    case BENCH_PER_THREAD:
        return process * shape->threads + thread;
    default:
        return 0;
    }
}

static void put_text(pf_writer *w, uint32_t field, const char *text)
{
    pf_writer_bytes(w, field, text, strlen(text));
}

static void begin_packet(pf_writer *w, unsigned number)
{
    pf_writer_begin(w, PF_F_TRACE_PACKET);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_ID, number + 1);
}

static void put_clock(pf_writer *w, unsigned clock, uint64_t ts, bool incremental)
{
    pf_writer_begin(w, PF_F_SNAPSHOT_CLOCKS);
    pf_writer_varint(w, PF_F_CLOCK_ID, clock);
    pf_writer_varint(w, PF_F_CLOCK_TIMESTAMP, ts);
    if (incremental) {
        pf_writer_varint(w, PF_F_CLOCK_IS_INCREMENTAL, 1);
    }
    pf_writer_end(w);
}

static void describe_process(pf_writer *w, const bench_shape *shape, unsigned process)
{
    char name[32];
    begin_packet(w, sequence_of(shape, process, 0));
    pf_writer_begin(w, PACKET_DESCRIPTOR);
    pf_writer_varint(w, DESCRIPTOR_UUID, process_uuid(process));
    pf_writer_begin(w, DESCRIPTOR_PROCESS);
    pf_writer_varint(w, PROCESS_PID, bench_pid(process));
    snprintf(name, sizeof name, "rank %u", process);
    put_text(w, PROCESS_NAME, name);
    pf_writer_end(w);
    pf_writer_end(w);
    pf_writer_end(w);
}

/* A thread, or an asynchronous track of the process: four names, so that tracks of one name are merged. The even tracks
 * of an asynchronous trace have descriptors; the events of the odd ones carry ids and lie on the first thread. */
static void describe_track(pf_writer *w, const bench_shape *shape, unsigned process, unsigned thread)
{
    char name[32];
    begin_packet(w, sequence_of(shape, process, thread));
    pf_writer_begin(w, PACKET_DESCRIPTOR);
    pf_writer_varint(w, DESCRIPTOR_UUID, track_uuid(shape, process, thread));
    pf_writer_varint(w, DESCRIPTOR_PARENT, process_uuid(process));
    if (shape->async && thread > 0) {
        snprintf(name, sizeof name, "requests %u", thread / 2 % 4);
        put_text(w, DESCRIPTOR_NAME, name);
    } else {
        pf_writer_begin(w, DESCRIPTOR_THREAD);
        pf_writer_varint(w, THREAD_PID, bench_pid(process));
        pf_writer_varint(w, THREAD_TID, bench_tid(process, thread));
        snprintf(name, sizeof name, thread + 1 < shape->threads ? "worker %u" : "stream", thread);
        put_text(w, THREAD_NAME, name);
        pf_writer_end(w);
    }
    pf_writer_end(w);
    pf_writer_end(w);
}

static void describe_counter(pf_writer *w, const bench_shape *shape, unsigned process, unsigned counter)
{
    begin_packet(w, sequence_of(shape, process, 0));
    pf_writer_begin(w, PACKET_DESCRIPTOR);
    pf_writer_varint(w, DESCRIPTOR_UUID, counter_uuid(process, counter));
    pf_writer_varint(w, DESCRIPTOR_PARENT, process_uuid(process));
    put_text(w, DESCRIPTOR_NAME, counter ? "load" : "mem_bytes");
    pf_writer_begin(w, DESCRIPTOR_COUNTER);
    if (counter == 0) {
        pf_writer_varint(w, COUNTER_UNIT, UNIT_BYTES);
    }
    pf_writer_end(w);
    pf_writer_end(w);
    pf_writer_end(w);
}

static void describe(pf_writer *w, const bench_shape *shape)
{
    begin_packet(w, 0);
    pf_writer_begin(w, PF_F_PACKET_CLOCK_SNAPSHOT);
    put_clock(w, PF_CLOCK_BOOTTIME, BENCH_START, false);
    pf_writer_end(w);
    pf_writer_end(w);
    for (unsigned p = 0; p < shape->processes; p++) {
        describe_process(w, shape, p);
        for (unsigned t = 0; t < shape->threads; t++) {
            if (!shape->async || t == 0 || t % 2 == 0) {
                describe_track(w, shape, p, t);
            }
        }
        for (unsigned c = 0; shape->counter_share && c < COUNTERS; c++) {
            describe_counter(w, shape, p, c);
        }
    }
}

static void put_entry(pf_writer *w, uint32_t field, unsigned iid, const char *text)
{
    pf_writer_begin(w, field);
    pf_writer_varint(w, PF_F_ENTRY_IID, iid);
    put_text(w, PF_F_ENTRY_TEXT, text);
    pf_writer_end(w);
}

static void put_names(pf_writer *w)
{
    static const char *const keys[] = {"bytes", "ratio", "op"};
    char name[32];
    pf_writer_begin(w, PF_F_PACKET_INTERNED_DATA);
    for (unsigned i = 0; i < BENCH_CATEGORIES; i++) {
        put_entry(w, PF_F_INTERNED_EVENT_CATEGORIES, i + 1, bench_categories[i]);
    }
    for (unsigned i = 0; i < BENCH_NAMES; i++) {
        put_entry(w, PF_F_INTERNED_EVENT_NAMES, i + 1, bench_name(i, name));
    }
    for (unsigned i = 0; i < 3; i++) {
        put_entry(w, PF_F_INTERNED_DEBUG_ANNOTATION_NAMES, i + 1, keys[i]);
    }
    for (unsigned i = 0; i < BENCH_OPS; i++) {
        put_entry(w, PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES, i + 1, bench_ops[i]);
    }
    pf_writer_end(w);
}

/* Clears the state of a sequence and says everything anew. */
static void reset(bench_binary *b, unsigned number, uint64_t default_track, uint64_t ts)
{
    pf_writer *w = &b->writer;
    sequence *s = &b->sequences[number];
    begin_packet(w, number);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(w, PF_F_PACKET_DEFAULTS);
    pf_writer_varint(w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, b->shape->absolute ? PF_CLOCK_BOOTTIME : CLOCK);
    pf_writer_begin(w, PF_F_DEFAULTS_TRACK_EVENT);
    pf_writer_varint(w, PF_F_EVENT_DEFAULTS_TRACK_UUID, default_track);
    pf_writer_end(w);
    pf_writer_end(w);
    if (!b->shape->absolute) {
        pf_writer_begin(w, PF_F_PACKET_CLOCK_SNAPSHOT);
        put_clock(w, PF_CLOCK_BOOTTIME, ts, false);
        put_clock(w, CLOCK, ts, true);
        pf_writer_end(w);
    }
    pf_writer_end(w);
    begin_packet(w, number);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
    put_names(w);
    pf_writer_end(w);
    s->last = ts;
    s->left = RESET;
}

static void put_args(pf_writer *w, const bench_event *e)
{
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_varint(w, PF_F_ANNOTATION_NAME_IID, 1);
    pf_writer_varint(w, PF_F_ANNOTATION_INT, e->bytes);
    pf_writer_end(w);
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_varint(w, PF_F_ANNOTATION_NAME_IID, 2);
    pf_writer_double(w, PF_F_ANNOTATION_DOUBLE, e->ratio);
    pf_writer_end(w);
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_varint(w, PF_F_ANNOTATION_NAME_IID, 3);
    pf_writer_varint(w, PF_F_ANNOTATION_STRING_IID, e->op + 1);
    pf_writer_end(w);
}

static void put_sample(pf_writer *w, const bench_event *e)
{
    pf_writer_varint(w, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
    pf_writer_varint(w, PF_F_EVENT_TRACK_UUID, counter_uuid(e->process, e->counter));
    if (e->counter == 0) {
        pf_writer_varint(w, PF_F_EVENT_COUNTER_VALUE, e->bytes);
    } else {
        pf_writer_double(w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, e->ratio);
    }
}

/* Whether the event says where it lies, other than on the default track of its sequence. */
static bool names_track(const bench_shape *shape, const bench_event *e)
{
    if (shape->async) {
        return e->thread % 2 == 0;
    }
    return shape->split == BENCH_TOGETHER || (shape->split == BENCH_PER_PROCESS && e->thread > 0);
}

static void put_slice(pf_writer *w, const bench_shape *shape, const bench_event *e)
{
    static const unsigned types[] = {
        [BENCH_BEGIN] = PF_EVENT_SLICE_BEGIN, [BENCH_END] = PF_EVENT_SLICE_END, [BENCH_INSTANT] = PF_EVENT_INSTANT};
    bool by_id = shape->async && e->thread % 2 && e->phase != BENCH_INSTANT;
    if (!by_id) {
        pf_writer_varint(w, PF_F_EVENT_TYPE, types[e->phase]);
    }
    if (e->phase != BENCH_END || by_id) {
        pf_writer_varint(w, PF_F_EVENT_NAME_IID, e->name + 1);
        pf_writer_varint(w, PF_F_EVENT_CATEGORY_IIDS, e->category + 1);
    }
    if (by_id) {
        pf_writer_begin(w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(w, PF_F_LEGACY_PHASE, e->phase == BENCH_BEGIN ? PHASE_BEGIN : PHASE_END);
        pf_writer_varint(w, PF_F_LEGACY_LOCAL_ID, e->thread);
        pf_writer_end(w);
    } else if (names_track(shape, e)) {
        pf_writer_varint(w, PF_F_EVENT_TRACK_UUID, track_uuid(shape, e->process, e->thread));
    }
    if (e->args) {
        put_args(w, e);
    }
    if (e->flow_out) {
        pf_writer_fixed64(w, PF_F_EVENT_FLOW_IDS, e->flow_out);
    }
    if (e->flow_in) {
        pf_writer_fixed64(w, PF_F_EVENT_TERMINATING_FLOW_IDS, e->flow_in);
    }
}

/* The collected packets as one packet. */
static void compress_block(bench_binary *b)
{
    uLongf len = compressBound((uLong)b->plain.len);
    Bytef *packed = malloc(len);
    pf_writer w;
    if (!packed || compress2(packed, &len, (const Bytef *)b->plain.data, (uLong)b->plain.len, 6) != Z_OK) {
        b->sink->failed = true;
        free(packed);
        return;
    }
    pf_writer_init(&w, &b->sink->out);
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_bytes(&w, PF_F_PACKET_COMPRESSED_PACKETS, packed, len);
    pf_writer_end(&w);
    b->sink->failed |= w.failed;
    pf_writer_free(&w);
    free(packed);
    b->plain.len = 0;
}

static void make_room(bench_binary *b, bool always)
{
    if (b->shape->compressed && b->plain.len && (always || b->plain.len >= PLAIN_BLOCK)) {
        compress_block(b);
    }
    b->sink->failed |= b->writer.failed;
    bench_sink_flush(b->sink, always);
}

bench_binary *bench_binary_new(bench_sink *s, const bench_shape *shape)
{
    bench_binary *b = calloc(1, sizeof *b);
    if (!b) {
        return NULL;
    }
    b->sink = s;
    b->shape = shape;
    b->sequences = calloc((size_t)shape->processes * shape->threads, sizeof *b->sequences);
    if (!b->sequences) {
        free(b);
        return NULL;
    }
    pf_writer_init(&b->writer, shape->compressed ? &b->plain : &s->out);
    describe(&b->writer, shape);
    return b;
}

void bench_binary_put(bench_binary *b, const bench_event *e)
{
    const bench_shape *shape = b->shape;
    unsigned number = sequence_of(shape, e->process, e->thread);
    sequence *s = &b->sequences[number];
    pf_writer *w = &b->writer;
    if (s->left == 0) {
        unsigned thread = shape->split == BENCH_PER_THREAD ? e->thread : 0;
        reset(b, number, track_uuid(shape, e->process, thread), s->last ? s->last : BENCH_START);
    }
    s->left--;
    pf_writer_begin(w, PF_F_TRACE_PACKET);
    pf_writer_varint(w, PF_F_PACKET_TIMESTAMP, shape->absolute ? e->ts : e->ts - s->last);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_ID, number + 1);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
    pf_writer_begin(w, PF_F_PACKET_TRACK_EVENT);
    if (e->phase == BENCH_SAMPLE) {
        put_sample(w, e);
    } else {
        put_slice(w, shape, e);
    }
    pf_writer_end(w);
    pf_writer_end(w);
    s->last = e->ts;
    make_room(b, false);
}

void bench_binary_finish(bench_binary *b)
{
    make_room(b, true);
    pf_writer_free(&b->writer);
    pf_buffer_free(&b->plain);
    free(b->sequences);
    free(b);
}
