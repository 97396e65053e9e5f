/* unit/edit/test_cut_digest.c - rows that are taken at once make the same cut as their packets one by one. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cut_packets.h"
#include "scratch.h"

enum { EVENTS = 4000, LANES = 3, LENGTH = 10 * EVENTS, COUNTER = 20, DEEP = 40 };

TestSuite(cut_digest, .init = scratch_enter, .fini = scratch_leave);

/* Sequence 1 counts from packet to packet, sequence 2 does not. */
static void reset(uint64_t sequence, uint64_t ts)
{
    clear(ts, sequence, sequence == 1 ? 64 : 0, 7);
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (uint64_t i = 0; i < 2; i++) {
        pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&w, PF_F_CLOCK_ID, i ? 64 : PF_CLOCK_BOOTTIME);
        pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, ts);
        pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, i);
        pf_writer_end(&w);
    }
    done();
}

/* A step of a legacy flow, in an event without a type. */
static void step(uint64_t ts, uint64_t sequence, uint64_t track, uint64_t phase)
{
    packet(ts, sequence);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, track);
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, phase);
    pf_writer_varint(&w, PF_F_LEGACY_UNSCOPED_ID, 5);
    pf_writer_end(&w);
}

/* Random slices, instants, values and flows. alone: no packet is a row. */
static void write_events(uint64_t seed, bool alone)
{
    uint64_t last = 1000, ts = 1000;
    uint32_t depth[LANES] = {0};
    start();
    reset(1, ts);
    reset(2, ts);
    for (uint64_t i = 0; i < LANES; i++) {
        describe(7 + i, 0, "lane");
    }
    describe_counter(COUNTER, false);
    for (uint64_t i = 0; i < EVENTS; i++) {
        uint64_t r = seed = pf_hash_next_seed(seed), lane = r % LANES, sequence = lane == 2 ? 2 : 1;
        ts += r / 16 % 20;
        if (i == EVENTS / 3 || r / 4096 % 400 == 0) {
            reset(1, ts);
            last = ts;
        }
        bool counts = sequence == 2 && r / 8 % 64 == 0, ends = depth[lane] && (depth[lane] == DEEP || r / 64 % 2);
        int type = counts             ? PF_EVENT_COUNTER
                   : r / 256 % 9 == 0 ? PF_EVENT_INSTANT
                   : ends             ? PF_EVENT_SLICE_END
                                      : PF_EVENT_SLICE_BEGIN;
        uint64_t stamp = sequence == 1 ? ts - last : ts - (r / 512 % 300 == 0 ? 15 : 0);
        last = sequence == 1 ? ts : last;
        if (r >> 60 == 0) {
            step(stamp, sequence, 7 + lane, r >> 59 & 1 ? 's' : 'f');
            type = 0;
        } else {
            event(stamp, sequence, type, counts ? COUNTER : 7 + lane);
        }
        depth[lane] += (uint32_t)(type == PF_EVENT_SLICE_BEGIN) - (uint32_t)(type == PF_EVENT_SLICE_END);
        if (type == PF_EVENT_COUNTER) {
            pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, i);
        } else if (type == PF_EVENT_SLICE_BEGIN || type == PF_EVENT_INSTANT) {
            text(PF_F_EVENT_NAME, r / 1024 % 2 ? "a" : "b");
            if (r / 2048 % 8 == 0) {
                pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 1 + r / 32768 % 100);
            }
        }
        if (alone) {
            pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1);
        }
        done();
    }
}

static void show_cut(pf_buffer *shown, int64_t from, int64_t to)
{
    pf_cut_options o = pf_cut_options_default();
    cut_file("in.pftrace", "out.pftrace", &o, from, to);
    show("out.pftrace", shown);
}

Test(cut_digest, rows_and_packets_make_the_same_cut)
{
    const char *given = getenv("POSTFETTO_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
    for (int k = 0; k < 6; k++) {
        uint64_t r = seed + (uint64_t)k;
        int64_t from = 1000 + (int64_t)(pf_hash_next_seed(r) % LENGTH),
                to = from + 1 + (int64_t)(pf_hash_next_seed(r + 99) % 4000);
        pf_buffer rows = {0}, packets = {0};
        write_events(r, false);
        write_file("in.pftrace");
        show_cut(&rows, from, to);
        write_events(r, true);
        write_file("in.pftrace");
        show_cut(&packets, from, to);
        cr_expect(rows.len == packets.len && memcmp(rows.data, packets.data, rows.len) == 0,
                  "seed %llu, window %lld to %lld", (unsigned long long)r, (long long)from, (long long)to);
        pf_buffer_free(&rows);
        pf_buffer_free(&packets);
    }
}
