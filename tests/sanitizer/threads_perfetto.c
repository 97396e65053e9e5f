/* threads_perfetto.c - importing a binary trace with threads under the thread sanitizer: plain, where helpers decode chunks
 * that begin at guessed places, and packed, where one more thread unpacks. Every import must end with the same tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "perfetto/fields.h"
#include "read/reader.h"
#include "wire/writer.h"

#define EVENTS 90000u
#define SEQUENCES 3u
#define NAMES 40u

/* The state of a sequence: texts for all names, given again from time to time under other numbers. */
static void put_names(pf_writer *w, unsigned sequence, unsigned generation)
{
    pf_writer_begin(w, PF_F_TRACE_PACKET);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_ID, sequence);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_FLAGS, 1);
    pf_writer_begin(w, PF_F_PACKET_INTERNED_DATA);
    for (unsigned i = 0; i < NAMES; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "name %u", (i + generation) % NAMES);
        pf_writer_begin(w, PF_F_INTERNED_EVENT_NAMES);
        pf_writer_varint(w, 1, i + 1);
        pf_writer_bytes(w, 2, name, (size_t)len);
        pf_writer_end(w);
    }
    pf_writer_end(w);
    pf_writer_end(w);
}

/* Begins, ends, instants, some with inline names, annotations (with what looks like a chain of packets, longer than a guess looks) or flow ids. */
static void put_event(pf_writer *w, unsigned i)
{
    static const char fake[] = "\x0a\x08\x40\x01\x50\x01\x5a\x02\x48\x01";
    char bait[64 * (sizeof fake - 1)];
    unsigned type = i % 11 == 5 ? 3 : 1 + i / SEQUENCES % 2;
    pf_writer_begin(w, PF_F_TRACE_PACKET);
    pf_writer_varint(w, PF_F_PACKET_TIMESTAMP, 1000 + (uint64_t)i * 37);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_ID, 1 + i % SEQUENCES);
    pf_writer_varint(w, PF_F_PACKET_SEQUENCE_FLAGS, 2);
    pf_writer_begin(w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(w, PF_F_EVENT_TYPE, type);
    pf_writer_varint(w, PF_F_EVENT_TRACK_UUID, 100 + i % SEQUENCES * 7);
    if (i % 13 == 3 && type != 2) {
        pf_writer_bytes(w, PF_F_EVENT_NAME, "inline", 6);
    } else if (type != 2) {
        pf_writer_varint(w, PF_F_EVENT_NAME_IID, 1 + i % NAMES);
    }
    if (i % 17 == 0) {
        pf_writer_fixed64(w, PF_F_EVENT_FLOW_IDS, i % 51);
    }
    if (i % 8 == 1) {
        pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        pf_writer_bytes(w, 10, "bait", 4);
        for (size_t k = 0; k < sizeof bait; k += sizeof fake - 1) {
            memcpy(bait + k, fake, sizeof fake - 1);
        }
        pf_writer_bytes(w, 6, bait, sizeof bait);
        pf_writer_end(w);
    }
    pf_writer_end(w);
    pf_writer_end(w);
}

static bool write_trace(pf_buffer *b)
{
    pf_writer w;
    pf_writer_init(&w, b);
    for (unsigned i = 0; i < EVENTS; i++) {
        if (i % 9000 < SEQUENCES) {
            put_names(&w, 1 + i % SEQUENCES, i / 9000);
        }
        if (i % 20000 == 19999) { /* a packet that does not decode to its end, and one of another kind */
            pf_writer_bytes(&w, PF_F_TRACE_PACKET, "\x40\x01\x5a\x7f", 4);
            pf_writer_bytes(&w, PF_F_TRACE_PACKET, "\xa2\x06\x02hi", 5);
        }
        put_event(&w, i);
    }
    pf_writer_free(&w);
    return !b->failed;
}

static bool gzip(const pf_buffer *plain, pf_buffer *packed)
{
    uLong room = compressBound((uLong)plain->len) + 64;
    z_stream z = {0};
    char *out = malloc(room);
    if (!out || deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(out);
        return false;
    }
    z.next_in = (Bytef *)plain->data;
    z.avail_in = (uInt)plain->len;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
    pf_buffer_put(packed, out, z.total_out);
    deflateEnd(&z);
    free(out);
    return done && !packed->failed;
}

static uint64_t sum_up(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    const pf_slices *s = pf_trace_slices(t);
    const pf_flows *f = pf_trace_flows(t);
    uint64_t sum = e->count;
    for (uint32_t i = 0; i < e->count; i++) {
        pf_str name = pf_trace_string(t, e->name[i]);
        sum = (sum * 31 + (uint64_t)e->ts[i]) * 31 + e->track[i] + e->phase[i];
        sum = sum * 31 + (name.len ? (uint8_t)name.ptr[name.len - 1] + name.len : 0);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        sum = (sum * 31 + (uint64_t)s->dur[i]) * 31 + s->parent[i] + s->depth[i];
    }
    for (uint32_t i = 0; i < f->count; i++) {
        sum = (sum * 31 + f->slice_out[i]) * 31 + f->slice_in[i];
    }
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        sum = sum * 31 + pf_trace_stat(t, i).count;
    }
    return s->count && f->count && pf_trace_arg_text(t, 1, PF_STR("bait"), NULL, 0) != PF_NOWHERE ? sum : 0;
}

/* A number that sums up the tables; 0 if reading fails. */
static uint64_t read_trace(const pf_buffer *bytes, unsigned jobs)
{
    pf_error err;
    pf_read_options o = pf_read_options_default();
    o.jobs = jobs;
    pf_trace *t = pf_trace_new(&o.limits, o.want, &err);
    pf_input input = {.path = "test", .stored = (const uint8_t *)bytes->data, .stored_bytes = bytes->len - PF_SLOP};
    pf_source *s = NULL;
    pf_window first;
    bool again = false;
    uint64_t sum = 0;
    if (t && pf_source_open(&s, t, &input, &o, &err) == PF_OK && pf_source_more(s, 0, &first, &err) == PF_OK &&
        pf_reader_perfetto.read(t, &input, s, first, &o, &again, &err) == PF_OK && pf_trace_finish(t, &err) == PF_OK) {
        sum = sum_up(t);
    }
    pf_source_close(s);
    pf_trace_free(t);
    return sum;
}

int main(void)
{
    static const char slop[PF_SLOP];
    pf_buffer plain = {0}, packed = {0};
    bool good = write_trace(&plain) && gzip(&plain, &packed);
    pf_buffer_put(&plain, slop, sizeof slop);
    pf_buffer_put(&packed, slop, sizeof slop);
    good &= !plain.failed && !packed.failed;
    uint64_t expected = good ? read_trace(&plain, 1) : 0;
    for (unsigned jobs = 1; jobs <= 4 && expected; jobs++) {
        if (read_trace(&plain, jobs) != expected || read_trace(&packed, jobs) != expected) {
            fprintf(stderr, "%u threads give other tables\n", jobs);
            expected = 0;
        }
    }
    pf_buffer_free(&plain);
    pf_buffer_free(&packed);
    return expected ? 0 : 1;
}
