/* unit/edit/test_edit_rows.c - rows make the same parts, packet by packet, and the same merged trace, as their packets
 * one by one. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cut_packets.h"
#include "scratch.h"

enum { LANES = 3, COUNTER = 20, DEEP = 40, NAMES = 40 };

TestSuite(edit_rows, .init = scratch_enter, .fini = scratch_leave);

static void entry(uint32_t kind, uint64_t iid, const char *name)
{
    pf_writer_begin(&w, kind);
    pf_writer_varint(&w, PF_F_ENTRY_IID, iid);
    text(PF_F_ENTRY_TEXT, name);
    pf_writer_end(&w);
}

enum { LATE = 500 }; /* MONOTONIC, to BOOTTIME */

static void put_clock(uint64_t id, uint64_t ts, bool incremental)
{
    pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
    pf_writer_varint(&w, PF_F_CLOCK_ID, id);
    pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, ts);
    pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, incremental);
    pf_writer_end(&w);
}

/* Sequence 1 counts from packet to packet, sequence 3 has another clock than sequence 2. */
static void reset(uint64_t sequence, uint64_t ts)
{
    clear(ts - (sequence == 3 ? LATE : 0), sequence, sequence == 1 ? 64 : sequence == 3 ? PF_CLOCK_MONOTONIC : 0, 7);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    for (uint64_t i = 1; i <= NAMES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        intern(i, name);
        if (i < 4) {
            entry(PF_F_INTERNED_EVENT_CATEGORIES, i, i == 1 ? "x" : "y");
            entry(PF_F_INTERNED_DEBUG_ANNOTATION_NAMES, i, name);
        }
    }
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    put_clock(PF_CLOCK_BOOTTIME, ts, false);
    put_clock(sequence == 1 ? 64 : PF_CLOCK_MONOTONIC, sequence == 1 ? ts : ts - LATE, sequence == 1);
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
    pf_writer_varint(&w, PF_F_LEGACY_BIND_TO_ENCLOSING, 1);
    pf_writer_end(&w);
}

/* What an event says of itself, most of it seldom. */
static void put_details(int type, uint64_t i, uint64_t r, bool calm)
{
    bool names = type == PF_EVENT_SLICE_BEGIN || type == PF_EVENT_INSTANT;
    if (type == PF_EVENT_COUNTER && i % 2) {
        pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, i);
    } else if (type == PF_EVENT_COUNTER) {
        pf_writer_double(&w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, (double)i / 2);
    } else if (names ? r / 1024 % 4 == 0 : !calm && r / 8192 % 200 == 0) {
        text(PF_F_EVENT_NAME, "a");
    } else if (names) { /* some of them seldom */
        pf_writer_varint(&w, PF_F_EVENT_NAME_IID, r / 8192 % 200 ? 1 : 1 + r / 1048576 % NAMES);
    }
    if (names && i % 5 == 0) {
        pf_writer_varint(&w, PF_F_EVENT_CATEGORY_IIDS, 1 + i % 3);
    }
    if (type && type != PF_EVENT_COUNTER && r / 2048 % 8 < 2) {
        bool ends = r / 2048 % 8;
        pf_writer_fixed64(&w, ends ? PF_F_EVENT_TERMINATING_FLOW_IDS : PF_F_EVENT_FLOW_IDS, 1 + r / 32768 % 100);
    }
    if (r / 131072 % 500 == 0) {
        pf_writer_begin(&w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        pf_writer_varint(&w, PF_F_ANNOTATION_NAME_IID, 1 + r % 3);
        pf_writer_varint(&w, PF_F_ANNOTATION_UINT, i);
        pf_writer_end(&w);
    }
}

static bool is_calm(uint64_t seed)
{
    return seed % 2;
}

/* Some of the calm ones are several batches of rows, which are digested. */
static uint64_t events_of(uint64_t seed)
{
    return seed % 4 == 1 ? 30000 : 4000;
}

/* Random slices, instants, values and flows. alone: no packet is a row. Where it is calm, nearly all packets are rows,
 * in the order of time; of some of these a sequence has one event in sixteen late. */
static void write_events(uint64_t seed, bool alone)
{
    bool calm = is_calm(seed);
    const uint64_t events = events_of(seed), often = calm ? 20000 : 400, late = seed % 4 == 3 ? 16 : calm ? 0 : 300;
    uint64_t last = 1000, ts = 1000;
    uint32_t depth[LANES] = {0};
    static const char *const names[LANES] = {"first", "second", "third"};
    start();
    reset(1, ts);
    reset(2, ts);
    reset(3, ts);
    for (uint64_t i = 0; i < LANES; i++) {
        describe(7 + i, 0, names[i]);
    }
    describe_counter(COUNTER, false);
    describe_counter(COUNTER + 1, false);
    for (uint64_t i = 0; i < events; i++) {
        uint64_t r = seed = pf_hash_next_seed(seed), lane = r % LANES, sequence = lane == 2 ? 2 + i / 3000 % 3 / 2 : 1;
        ts += r / 16 % 20;
        if (i == events / 3 || r / 4096 % often == 0) {
            reset(1, ts);
            last = ts;
        }
        bool counts = sequence == 2 && r / 8 % 64 == 0,
             ends = depth[lane] && (depth[lane] == DEEP || r / 64 % (lane == 1 ? 2 : 3));
        int type = counts             ? PF_EVENT_COUNTER
                   : r / 256 % 9 == 0 ? PF_EVENT_INSTANT
                   : ends             ? PF_EVENT_SLICE_END
                                      : PF_EVENT_SLICE_BEGIN;
        uint64_t stamp =
            sequence == 1 ? ts - last : ts - (late && r / 512 % late == 0 ? (late == 16 ? r / 65536 % 300 : 15) : 0);
        stamp -= sequence == 3 ? LATE : 0;
        last = sequence == 1 ? ts : last;
        if (r >> (calm ? 51 : 60) == 0) {
            step(stamp, sequence, 7 + lane, (uint64_t) "stf"[r / 64 % 3]);
            type = 0;
        } else {
            event(stamp, sequence, type, counts ? COUNTER + i % 2 : lane == 0 && r / 32 % 2 ? 0 : 7 + lane);
        }
        depth[lane] += (uint32_t)(type == PF_EVENT_SLICE_BEGIN) - (uint32_t)(type == PF_EVENT_SLICE_END);
        put_details(type, i, r, calm);
        if (alone) {
            pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1);
        }
        done();
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By track, which is the last word, in the order of the lines. */
static int by_track(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = strcmp(strrchr(x, ' '), strrchr(y, ' '));
    return order ? order : (x > y) - (x < y);
}

/* What readers see, track by track, and packets with times, without what makes them more than rows, in no order: which
 * slices with flows begin a window first is known earlier or later. */
static void show_part(const char *path, pf_buffer *shown)
{
    static const char alone[] = " 52=1";
    pf_buffer packets = {0}, slices = {0};
    size_t count = 0;
    show(path, &slices);
    pf_buffer_put(&slices, "", 1);
    char **slice = malloc((slices.len + 1) * sizeof *slice);
    for (char *at = strtok(slices.data, "\n"); at; at = strtok(NULL, "\n")) {
        slice[count++] = at;
    }
    qsort(slice, count, sizeof *slice, by_track);
    for (size_t i = 0; i < count; i++) {
        pf_buffer_format(shown, "%s\n", slice[i]);
    }
    free(slice);
    pf_buffer_free(&slices);
    count = 0;
    show_packets(path, &packets);
    pf_buffer_put(&packets, "", 1);
    char **line = malloc((packets.len + 1) * sizeof *line);
    for (char *at = strtok(packets.data, "\n"); at; at = strtok(NULL, "\n")) {
        char *more = strstr(at, alone);
        if (more) {
            memmove(more, more + sizeof alone - 1, strlen(more + sizeof alone - 1) + 1);
        }
        line[count] = at;
        count += at[0] == '8' || strstr(at, " 8=") != NULL;
    }
    qsort(line, count, sizeof *line, by_text);
    for (size_t i = 0; i < count; i++) {
        pf_buffer_format(shown, "%s\n", line[i]);
    }
    pf_buffer_text(shown, "end\n");
    free(line);
    pf_buffer_free(&packets);
}

/* seed: whether there are several parts, or what is selected; whether marks of flows are written in their place, which
 * redaction needs; whether a thread of its own decodes. */
static void show_cut(pf_buffer *shown, int64_t from, int64_t to, uint64_t seed)
{
    static const char *const first = "first", *const category = "x";
    const pf_redact_options redact = {.what = PF_REDACT_PATHS};
    const pf_split_window windows[] = {{from, to, NULL}, {to, to + 500, NULL}, {to + 700, to + 5000, NULL}};
    pf_read_options read = pf_read_options_default();
    pf_write_options write = pf_write_options_default();
    pf_cut_options o = pf_cut_options_default();
    pf_split_options s = pf_split_options_default();
    pf_error err;
    uint64_t r = pf_hash_next_seed(seed + 7) >> 32;
    read.jobs = 1 + r % 2;
    write.sync = false;
    o.redact = s.redact = r / 2 % 2 ? &redact : NULL;
    o.read = s.read = &read;
    if (r / 4 % 2) {
        s.write = &write;
        s.windows = windows;
        s.window_count = 3;
        cr_assert_eq(pf_split("in.pftrace", ".", &s, NULL, &err), PF_OK, "%s", err.text);
        show_part("part-0001.pftrace", shown);
        show_part("part-0002.pftrace", shown);
        show_part("part-0003.pftrace", shown);
        return;
    }
    o.track = (pf_edit_patterns){.keep = &first, .keep_count = r / 8 % 2};
    o.category = (pf_edit_patterns){.keep = &category, .keep_count = r / 16 % 4 == 0};
    o.min_dur = r / 64 % 4 ? 0 : 20;
    cut_file("in.pftrace", "out.pftrace", &o, from, to);
    show_part("out.pftrace", shown);
}

static uint64_t choose_seed(void)
{
    const char *given = getenv("POSTFETTO_SEED");
    return given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
}

static void expect_same(pf_buffer *rows, pf_buffer *packets, uint64_t seed)
{
    cr_expect(rows->len == packets->len && memcmp(rows->data, packets->data, rows->len) == 0, "seed %llu",
              (unsigned long long)seed);
    pf_buffer_free(rows);
    pf_buffer_free(packets);
}

Test(edit_rows, rows_and_packets_make_the_same_parts)
{
    uint64_t seed = choose_seed();
    for (uint64_t r = seed; r < seed + 8; r++) {
        const uint64_t length = 10 * events_of(r);
        int64_t from = 1000 + (int64_t)(pf_hash_next_seed(r) % length);
        int64_t to = from + 1 + (int64_t)(pf_hash_next_seed(r + 99) % (is_calm(r) ? length : 4000));
        pf_buffer shown[2] = {{0}};
        for (int alone = 0; alone < 2; alone++) {
            write_events(r, alone);
            write_file("in.pftrace");
            show_cut(&shown[alone], from, to, r);
        }
        expect_same(&shown[0], &shown[1], r);
    }
}

/* With and without ids that both inputs have. */
static void show_merged(pf_buffer *shown, int64_t offset)
{
    pf_merge_input inputs[] = {{.path = "in.pftrace"}, {.path = "other.pftrace", .offset_ns = offset}};
    pf_merge_options o = pf_merge_options_default();
    pf_merge_result result = {.size = sizeof result};
    pf_error err;
    o.inputs = inputs;
    o.input_count = 2;
    cr_assert_eq(pf_merge("out.pftrace", &o, &result, &err), PF_OK, "%s", err.text);
    cr_expect_eq(result.tracks_moved, 5u);
    show("out.pftrace", shown);
    pf_trace_free(inputs[0].trace);
    pf_trace_free(inputs[1].trace);
}

Test(edit_rows, rows_and_packets_make_the_same_merged_trace)
{
    uint64_t seed = choose_seed();
    for (uint64_t r = seed; r < seed + 4; r++) {
        pf_buffer shown[2] = {{0}};
        for (int alone = 0; alone < 2; alone++) {
            write_events(r, alone);
            write_file("in.pftrace");
            write_events(r + 99, alone);
            write_file("other.pftrace");
            show_merged(&shown[alone], r % 2 ? 12345 : 0);
        }
        expect_same(&shown[0], &shown[1], r);
    }
}

/* What the parts of a trace say of it, so that merge joins them; a trace of several batches of rows. */
static void read_source(int64_t from, int64_t to, char source[17])
{
    static const char key[] = "postfetto.cut.source";
    pf_cut_options o = pf_cut_options_default();
    pf_read_options read = pf_read_options_default();
    size_t len;
    read.jobs = 1;
    o.read = &read;
    cut_file("in.pftrace", "out.pftrace", &o, from, to);
    char *all = read_file("out.pftrace", &len), *at = memmem(all, len, key, sizeof key - 1);
    cr_assert(at);
    snprintf(source, 17, "%.16s", at + sizeof key - 1 + 2);
    free(all);
}

Test(edit_rows, all_parts_say_the_same_source)
{
    char sources[3][17];
    const int64_t all = 30000;
    start();
    describe(7, 0, "lane");
    for (int64_t i = 0; i < all; i++) {
        event((uint64_t)i, 2, PF_EVENT_INSTANT, 7);
        text(PF_F_EVENT_NAME, i % 3 ? "a" : "b");
        done();
    }
    write_file("in.pftrace");
    read_source(0, all, sources[0]);
    read_source(3000, 12000, sources[1]);
    read_source(20000, 20001, sources[2]);
    cr_expect_str_eq(sources[1], sources[0]);
    cr_expect_str_eq(sources[2], sources[0]);
}

/* An instant on the track, as a packet of so many bytes, 22 to 120. The end of its name looks like packets, too. */
static void instant(size_t size, uint64_t *packets)
{
    enum { TIME = 1 << 21, OTHERS = 18 };
    char name[] =
        "----\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1"
        "\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1\n\2\b\1";
    size_t was = bytes.len;
    event(TIME + (*packets)++, 2, PF_EVENT_INSTANT, 7);
    pf_writer_bytes(&w, PF_F_EVENT_NAME, name + sizeof name - 1 - (size - OTHERS), size - OTHERS);
    done();
    cr_assert_eq(bytes.len - was, size);
}

/* Some that end at byte `end`. */
static void instants(size_t end, uint64_t *packets)
{
    while (end - bytes.len >= 200) {
        instant(100, packets);
    }
    size_t left = end - bytes.len;
    instant(left / 2, packets);
    instant(left - left / 2, packets);
}

/* The bytes of an input come in steps, and those of a packet at the end of one again in the next. Where other threads
 * take the end of a name for packets, rows are decoded by whoever reads them; the fourth step ends without any. */
Test(edit_rows, no_rows_are_taken_twice)
{
    const size_t step = (size_t)4 << 20;
    uint64_t packets = 1;
    pf_cut_options o = pf_cut_options_default();
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    start();
    describe(7, 0, "lane");
    instants(step - 110, &packets);
    instant(120, &packets);
    instants(2 * step - 90, &packets);
    instant(30, &packets);
    instant(100, &packets);
    instants(3 * step - 50, &packets);
    instant(30, &packets);
    instant(100, &packets);
    instants(4 * step - 60, &packets);
    instant(60, &packets);
    instants(4 * step + 9000, &packets);
    write_file("in.pftrace");
    cr_assert_eq(pf_cut("in.pftrace", "out.pftrace", &o, &r, &err), PF_OK);
    cr_expect_eq(r.packets, packets);
    cr_expect_eq(r.kept, packets - 1);
    pf_trace_free(r.input);
}
