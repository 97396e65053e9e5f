/* Cut, changed and hostile bytes: nothing crashes, what is whole is kept, damage is counted where it is. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { B = PF_EVENT_SLICE_BEGIN, E = PF_EVENT_SLICE_END, I = PF_EVENT_INSTANT };

/* A trace with a bit of everything; ends[i] is where its packet i ends. */
static void make_rich(bytes *b, size_t *ends, size_t *count)
{
    static const uint64_t clocks[][4] = {{64, 1, 1, 1}, {3, 5, 0, 0}, {6, 9, 0, 0}};
    static const char json[] = "{\"a\":1}";
    size_t n = 0;
    start(b);
    snapshot(b, 1, 1, clocks, 3, 6);
    ends[n++] = b->out.len;
    describe_process(b, 1, 100, "core_trace for tile2,1");
    ends[n++] = b->out.len;
    describe_thread(b, 1, 10, 100, 101, "INSTR_EVENT_0");
    ends[n++] = b->out.len;
    describe_track(b, 11, 1, "async", 0);
    ends[n++] = b->out.len;
    packet(b, 100, 1, 2);
    intern(b, PF_F_INTERNED_EVENT_NAMES, 300, "interned name");
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, B);
    pf_writer_varint(&b->w, PF_F_EVENT_NAME_IID, 300);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    text(b, PF_F_EVENT_CATEGORIES, "c1");
    text(b, PF_F_EVENT_CATEGORIES, "c2");
    pf_writer_begin(&b->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    text(b, PF_F_ANNOTATION_NAME, "j");
    text(b, PF_F_ANNOTATION_LEGACY_JSON, json);
    end(b);
    end(b);
    end(b);
    ends[n++] = b->out.len;
    event(b, 150, 1, I, 11, "on async");
    ends[n++] = b->out.len;
    event(b, 140, 1, E, 10, NULL);
    ends[n++] = b->out.len;
    text(b, 900, "a field that nobody knows");
    ends[n++] = b->out.len;
    event(b, 160, 1, I, 12, "undescribed");
    ends[n++] = b->out.len;
    *count = n;
}

static uint32_t whole_events(const size_t *ends, size_t len)
{
    static const uint32_t events[] = {0, 1, 2, 2, 3, 4, 5, 5, 6}; /* after each packet: names and events */
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        n = ends[i] <= len ? events[i] : n;
    }
    return n;
}

Test(damage, cut_at_every_byte)
{
    bytes b;
    size_t ends[16], count;
    make_rich(&b, ends, &count);
    cr_assert_eq(count, 9);
    for (size_t len = 0; len <= b.out.len; len++) {
        pf_trace *t = load_bytes(b.out.data, len, NULL, 0, NULL);
        bool whole = len == 0;
        for (size_t i = 0; i < count; i++) {
            whole = whole || ends[i] == len;
        }
        cr_expect_eq(pf_trace_events(t)->count, whole_events(ends, len), "cut to %zu", len);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_TRUNCATED), whole ? 0 : 1, "cut to %zu", len);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_DAMAGED) + stat_of(t, PF_STAT_PROTO_PACKET_DAMAGED), 0);
        pf_trace_free(t);
    }
    finish(&b);
}

Test(damage, windows_of_every_size_give_the_same)
{
    bytes b;
    size_t ends[16], count;
    pf_buffer whole = {0};
    make_rich(&b, ends, &count);
    pf_trace *t = load(&b);
    show_trace(t, &whole);
    pf_trace_free(t);
    for (size_t step = 1; step <= b.out.len; step++) {
        pf_buffer parts = {0};
        t = load_bytes(b.out.data, b.out.len, NULL, step, NULL);
        show_trace(t, &parts);
        cr_expect(parts.len == whole.len && memcmp(parts.data, whole.data, whole.len) == 0, "windows of %zu give\n%.*s",
                  step, (int)parts.len, parts.data);
        pf_buffer_free(&parts);
        pf_trace_free(t);
    }
    pf_buffer_free(&whole);
    finish(&b);
}

/* Every byte replaced by a few others: no crash, and every row refers to rows that exist. */
Test(damage, changed_bytes)
{
    static const uint8_t values[] = {0x00, 0x01, 0x0a, 0x7f, 0x80, 0xff};
    bytes b;
    size_t ends[16], count;
    make_rich(&b, ends, &count);
    for (size_t at = 0; at < b.out.len; at++) {
        char original = b.out.data[at];
        for (size_t i = 0; i < sizeof values; i++) {
            pf_buffer out = {0};
            b.out.data[at] = (char)values[i];
            pf_trace *t = load_bytes(b.out.data, b.out.len, NULL, at % 3 ? 0 : 7, NULL);
            for (uint32_t k = 0; k < pf_trace_events(t)->count; k++) {
                cr_assert_lt(pf_trace_events(t)->track[k], pf_trace_tracks(t)->count);
            }
            show_trace(t, &out);
            pf_buffer_free(&out);
            pf_trace_free(t);
        }
        b.out.data[at] = original;
    }
    finish(&b);
}

/* What fixtures/bad holds, by name: the fault that is counted, where, and how many events and slices are left. */
static const struct {
    const char *file;
    pf_stat_id fault;
    uint64_t count, offset;
    uint32_t events, slices;
} bad[] = {
    {"pf_cut_packet", PF_STAT_PROTO_TRUNCATED, 1, 56, 3, 1},
    {"pf_cut_header", PF_STAT_PROTO_TRUNCATED, 1, 56, 3, 1},
    {"pf_garbage_tail", PF_STAT_PROTO_DAMAGED, 1, 56, 3, 1},
    {"pf_packet_overrun", PF_STAT_PROTO_PACKET_DAMAGED, 1, 21, 3, 1},
    {"pf_no_sequence", PF_STAT_EVENT_NO_SEQUENCE, 1, 21, 3, 1},
    {"pf_no_timestamp", PF_STAT_EVENT_NO_TIMESTAMP, 1, 21, 4, 1},
    {"pf_state_lost", PF_STAT_PACKET_SKIPPED_STATE, 1, 21, 3, 1},
    {"pf_unknown_iid", PF_STAT_INTERNED_ERRORS, 2, 21, 4, 2},
    {"pf_track_loop", PF_STAT_TRACK_HIERARCHY_LOOP, 3, PF_NOWHERE, 3, 1},
    {"pf_track_orphan", PF_STAT_TRACK_HIERARCHY_MISSING, 2, PF_NOWHERE, 3, 1},
    {"pf_track_conflict", PF_STAT_TRACK_CONFLICT, 1, 56, 3, 1},
    {"pf_counter_unknown", PF_STAT_COUNTER_BAD_TRACK, 1, 56, 3, 1},
    {"pf_clock_unknown", PF_STAT_CLOCK_UNKNOWN, 1, 56, 3, 1},
    {"pf_deep_args", PF_STAT_JSON_ARGS_DROPPED, 1, 21, 4, 2},
    {"pf_compressed_nested", PF_STAT_PROTO_PACKET_DAMAGED, 1, 21, 3, 1},
    {"pf_compressed_garbage", PF_STAT_PROTO_PACKET_DAMAGED, 1, 56, 3, 1},
};

static size_t read_fixture(const char *name, char *data, size_t cap)
{
    char path[512];
    snprintf(path, sizeof path, PF_FIXTURES "/bad/%s.pftrace", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    size_t len = fread(data, 1, cap, f);
    fclose(f);
    cr_assert(len > 0 && len < cap);
    return len;
}

Test(damage, fixtures)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        static char data[1 << 16];
        size_t len = read_fixture(bad[i].file, data, sizeof data);
        pf_trace *t = load_bytes(data, len, NULL, 0, NULL);
        cr_expect_eq(stat_of(t, bad[i].fault), bad[i].count, "%s", bad[i].file);
        cr_expect_eq(t->stat_offset[bad[i].fault], bad[i].offset, "%s: %llu", bad[i].file,
                     (unsigned long long)t->stat_offset[bad[i].fault]);
        cr_expect_eq(pf_trace_events(t)->count, bad[i].events, "%s", bad[i].file);
        cr_expect_eq(pf_trace_slices(t)->count, bad[i].slices, "%s", bad[i].file);
        pf_trace_free(t);
    }
}

/* What is in front of a damaged field counts, whatever the field is, and nothing behind it. */
Test(damage, every_field_of_an_event)
{
#define LONG "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" /* no number has as many bytes */
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {{"\x48" LONG, 12},
                 {"\x50" LONG, 12},
                 {"\x58" LONG, 12},
                 {"\x18" LONG, 12},
                 {"\xf0\x01" LONG, 13},
                 {"\xba\x01" LONG, 13},
                 {"\x22" LONG, 12},
                 {"\x98\x01" LONG, 13},
                 {"\xba\x01\x7f", 3},
                 {"\x22\x7f", 2},
                 {"\xe1\x02\x01\x02\x03", 5},
                 {"\x9a\x01\x7f", 3},
                 {LONG, 11},
                 {"\x00\x01", 2},
                 {"\x4f\x01", 2},
                 {"\x48", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        pf_buffer got = {0};
        start(&b);
        describe_track(&b, 20, 0, "t", PF_MERGE_NONE);
        for (int behind = 0; behind < 2; behind++) {
            packet(&b, 7 + (uint64_t)behind, 1, NONE);
            pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
            pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
            pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 20);
            text(&b, PF_F_EVENT_NAME, "n");
            pf_writer_raw(&b.w, cases[i].bytes, cases[i].len);
            if (behind && cases[i].len > 5) { /* shorter ones would take it for their bytes */
                text(&b, PF_F_EVENT_NAME, "behind");
            }
            end(&b);
            end(&b);
        }
        pf_trace *t = load(&b);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_PACKET_DAMAGED), 2, "%zu", i);
        show_slices(t, &got);
        expect_text(&got, "7 0 d0 n - | global_track_event t\n8 0 d0 n - | global_track_event t\n");
        pf_trace_free(t);
        finish(&b);
    }
#undef LONG
}

Test(damage, unknown_fields_are_no_damage)
{
    char data[1024];
    size_t len = read_fixture("pf_unknown_fields", data, sizeof data);
    for (size_t step = 0; step < 20; step++) {
        pf_trace *t = load_bytes(data, len, NULL, step, NULL);
        for (size_t i = 0; i < PF_STAT_COUNT; i++) {
            cr_expect_eq(t->stat_count[i], 0, "stat %zu with windows of %zu", i, step);
        }
        cr_expect_eq(pf_trace_events(t)->count, 3);
        pf_trace_free(t);
    }
}

/* A length beyond the end is a cut file; a field that nobody wants may be larger than any window. */
Test(damage, a_skipped_field_larger_than_the_window)
{
    bytes b;
    start(&b);
    char *blob = calloc(1, 10000);
    pf_writer_bytes(&b.w, 5, blob, 10000);
    event(&b, 1, 1, I, 0, "after");
    size_t len = b.out.len;
    pf_trace *t = load_bytes(b.out.data, len, NULL, 16, NULL);
    cr_expect_eq(pf_trace_events(t)->count, 1);
    pf_trace_free(t);
    t = load_bytes(b.out.data, 5000, NULL, 16, NULL);
    cr_expect_eq(stat_of(t, PF_STAT_PROTO_TRUNCATED), 1);
    pf_trace_free(t);
    free(blob);
    finish(&b);
}

static void add_compressed(bytes *b, const bytes *inner, int window_bits)
{
    static unsigned char out[1 << 17];
    z_stream z = {.next_in = (Bytef *)inner->out.data, .avail_in = (uInt)inner->out.len};
    z.next_out = out;
    z.avail_out = sizeof out;
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    pf_writer_begin(&b->w, PF_F_TRACE_PACKET);
    pf_writer_bytes(&b->w, PF_F_PACKET_COMPRESSED_PACKETS, out, sizeof out - z.avail_out);
    end(b);
}

Test(damage, compressed_packets_equal_plain_ones)
{
    bytes plain, packed;
    size_t ends[16], count;
    pf_buffer want = {0}, got = {0};
    make_rich(&plain, ends, &count);
    plain.out.len = ends[6]; /* without the unknown field, which is not allowed inside */
    pf_trace *t = load(&plain);
    show_slices(t, &want);
    show_counters(t, &want);
    show_args(t, 2, &want);
    pf_trace_free(t);
    for (int bits = 15; bits <= 31; bits += 16) { /* zlib, gzip */
        start(&packed);
        add_compressed(&packed, &plain, bits);
        t = load(&packed);
        show_slices(t, &got);
        show_counters(t, &got);
        show_args(t, 2, &got);
        cr_expect(got.len == want.len && memcmp(got.data, want.data, want.len) == 0);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_PACKET_DAMAGED), 0);
        got.len = 0;
        pf_trace_free(t);
        finish(&packed);
    }
    pf_buffer_free(&got);
    pf_buffer_free(&want);
    finish(&plain);
}

/* Up to two bytes may be left over inside; with three Perfetto's engine gives up. */
/* The bytes that zlib makes of the beginning of a stream. */
static size_t inflate_beginning(const uint8_t *stream, size_t len, char *out, size_t room)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)stream,
                  .avail_in = (uInt)len,
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)room};
    cr_assert_eq(inflateInit(&z), Z_OK);
    inflate(&z, Z_SYNC_FLUSH);
    const size_t made = room - z.avail_out;
    inflateEnd(&z);
    return made;
}

/* A stream that is cut gives the packets that its beginning holds, and is counted once. */
Test(damage, compressed_packets_cut_at_every_byte)
{
    static uint8_t stream[1 << 12];
    char beginning[1 << 12];
    bytes plain, packed;
    size_t ends[16], count, steps = 0, before = 0;
    uLongf len = sizeof stream;
    make_rich(&plain, ends, &count);
    plain.out.len = ends[6];
    cr_assert_eq(compress(stream, &len, (const Bytef *)plain.out.data, plain.out.len), Z_OK);
    for (size_t cut = 0; cut <= len; cut++) {
        const size_t made = inflate_beginning(stream, cut, beginning, sizeof beginning);
        pf_trace *want = load_bytes(beginning, made, NULL, 0, NULL);
        start(&packed);
        packet(&packed, NONE, NONE, NONE);
        pf_writer_bytes(&packed.w, PF_F_PACKET_COMPRESSED_PACKETS, stream, cut);
        end(&packed);
        pf_trace *t = load(&packed);
        cr_expect_eq(pf_trace_events(t)->count, pf_trace_events(want)->count, "%zu", cut);
        cr_expect_eq(pf_trace_slices(t)->count, pf_trace_slices(want)->count, "%zu", cut);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_PACKET_DAMAGED), cut < len, "%zu", cut);
        steps += pf_trace_events(t)->count > before;
        before = pf_trace_events(t)->count;
        pf_trace_free(t);
        pf_trace_free(want);
        finish(&packed);
    }
    cr_expect_gt(steps, 2, "in steps");
    finish(&plain);
}

Test(damage, bytes_behind_compressed_packets)
{
    static const struct {
        const char *rest;
        size_t len;
        uint64_t damaged;
    } cases[] = {{"", 0, 0}, {"\x0a", 1, 0}, {"\x0a\x05", 2, 0}, {"\x0a\x05\x40", 3, 1}, {"\x0a\x80\x80", 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes plain, packed;
        start(&plain);
        event(&plain, 1, 1, I, 0, "x");
        pf_buffer_put(&plain.out, cases[i].rest, cases[i].len);
        start(&packed);
        add_compressed(&packed, &plain, 15);
        pf_trace *t = load(&packed);
        cr_expect_eq(pf_trace_slices(t)->count, 1);
        cr_expect_eq(stat_of(t, PF_STAT_PROTO_PACKET_DAMAGED), cases[i].damaged, "case %zu", i);
        pf_trace_free(t);
        finish(&packed);
        finish(&plain);
    }
}

Test(limits, memory_rows_and_plain_bytes)
{
    bytes b, packed;
    pf_status st;
    pf_read_options o = pf_read_options_default();
    start(&b);
    for (uint64_t i = 0; i < 20000; i++) {
        event(&b, i, 1, I, i + 1, "an event on a track of its own");
    }
    o.limits.memory = 2u << 20;
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, &st);
    cr_expect_eq(st, PF_ERR_LIMIT);
    pf_trace_free(t);
    o = pf_read_options_default();
    o.limits.rows = 10000;
    t = load_bytes(b.out.data, b.out.len, &o, 0, &st);
    cr_expect_eq(st, PF_ERR_LIMIT);
    pf_trace_free(t);

    bytes small;
    start(&small);
    for (uint64_t i = 0; i < 1000; i++) {
        event(&small, i, 1, I, 0, "an event");
    }
    start(&packed);
    add_compressed(&packed, &small, 15);
    o = pf_read_options_default();
    o.limits.plain = small.out.len - 1;
    t = load_bytes(packed.out.data, packed.out.len, &o, 0, &st);
    cr_expect_eq(st, PF_ERR_LIMIT);
    pf_trace_free(t);
    finish(&packed);
    finish(&small);
    finish(&b);
}

/* 70 MB of an unknown field become 70 KB. */
Test(limits, growth_of_compressed_packets)
{
    enum { LEN = 70 << 20 };
    char *zeros = calloc(1, LEN);
    bytes plain, packed;
    pf_status st;
    pf_read_options o = pf_read_options_default();
    start(&plain);
    pf_writer_begin(&plain.w, PF_F_TRACE_PACKET);
    pf_writer_bytes(&plain.w, 1500, zeros, LEN);
    end(&plain);
    free(zeros);
    start(&packed);
    add_compressed(&packed, &plain, 15);
    for (int ratio = 0; ratio <= 900; ratio += 900) {
        o.limits.ratio = (uint64_t)ratio;
        pf_trace *t = load_bytes(packed.out.data, packed.out.len, &o, 0, &st);
        cr_expect_eq(st, ratio ? PF_ERR_LIMIT : PF_OK, "ratio %d", ratio);
        pf_trace_free(t);
    }
    finish(&packed);
    finish(&plain);
}

Test(limits, cancelled)
{
    bytes b;
    pf_status st;
    int stop = 1;
    pf_read_options o = pf_read_options_default();
    o.cancel = &stop;
    start(&b);
    event(&b, 1, 1, I, 0, "x");
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, &st);
    cr_expect_eq(st, PF_ERR_CANCELLED);
    pf_trace_free(t);
    finish(&b);
}
