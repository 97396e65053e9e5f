/* threads_perfetto.c - importing a binary trace with threads under the thread sanitizer: plain, where helpers decode
 * chunks that begin at guessed places, and packed, where one more thread unpacks; on tracks that share lanes, and on
 * those of threads, where a helper builds half of the slices. Every import must end with the same tables. */
#include <string.h>

#include "jobs.h"
#include "perfetto/fields.h"
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

/* Begins, ends, instants, some with inline names, annotations (with what looks like a chain of packets, longer than a
 * guess looks) or flow ids. */
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

/* The tracks of the events are those of threads: TrackDescriptor.uuid is field 1, thread 4 with pid 1 and tid 2. */
static void put_threads(pf_writer *w)
{
    for (unsigned i = 0; i < SEQUENCES; i++) {
        pf_writer_begin(w, PF_F_TRACE_PACKET);
        pf_writer_begin(w, PF_F_PACKET_TRACK_DESCRIPTOR);
        pf_writer_varint(w, 1, 100 + i * 7);
        pf_writer_begin(w, 4);
        pf_writer_varint(w, 1, 1);
        pf_writer_varint(w, 2, 1 + i);
        pf_writer_end(w);
        pf_writer_end(w);
        pf_writer_end(w);
    }
}

static bool write_trace(pf_buffer *b, bool of_threads)
{
    pf_writer w;
    pf_writer_init(&w, b);
    if (of_threads) {
        put_threads(&w);
    }
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

static uint64_t sum_of_tables(const pf_trace *t)
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

int main(void)
{
    bool equal = true;
    for (int of_threads = 0; of_threads < 2; of_threads++) {
        pf_buffer plain = {0};
        equal &= write_trace(&plain, of_threads) && compare_jobs(&plain, &pf_reader_perfetto, sum_of_tables) == 0;
    }
    return equal ? 0 : 1;
}
