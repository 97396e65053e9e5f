/* Flows in a cut: what is marked, where legacy ones begin, which slices they leave. As test_cut.c. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "wire/cursor.h"

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_flows, .init = scratch_enter, .fini = scratch_leave);

static void begin_with_flow(uint64_t ts, uint64_t track, const char *name, bool ends)
{
    event(ts, 1, PF_EVENT_SLICE_BEGIN, track);
    text(PF_F_EVENT_NAME, name);
    pf_writer_fixed64(&w, ends ? PF_F_EVENT_TERMINATING_FLOW_IDS : PF_F_EVENT_FLOW_IDS, 99);
    done();
}

Test(cut_flows, a_slice_that_nothing_closed_is_begun_though_its_outer_one_ended)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin(10, 1, 8, "b");
    begin_with_flow(12, 7, "a", false);
    begin_with_flow(20, 8, "c", false);
    end_outer(30, 1, 8);
    event(52, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "mark");
    done();
    expect(50, 60, "a 50 -1 lane\nc 50 -1 other\nmark 52 0 lane\n");
}

/* How often the cut has a mark with the id of the flow. */
static unsigned flow_marks(void)
{
    static const char mark[] = "\x52\x10"
                               "cut.flow_outside\x18\x63";
    size_t len;
    unsigned count = 0;
    char *cut = read_file("cut.pftrace", &len), *end = cut + len, *at = cut;
    for (; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)); at++) {
        count++;
    }
    free(cut);
    return count;
}

/* An event of Chrome's kind: a slice with the flow 99 that is bound to it in a direction, or a step of the flow `id`.
 */
static void put_legacy(uint64_t ts, uint64_t track, char phase, uint64_t direction, uint64_t id)
{
    event(ts, 1, 0, track);
    text(PF_F_EVENT_NAME, "l");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, (uint64_t)phase);
    if (direction) {
        pf_writer_varint(&w, PF_F_LEGACY_BIND_ID, 99);
        pf_writer_varint(&w, PF_F_LEGACY_FLOW_DIRECTION, direction);
    } else {
        pf_writer_varint(&w, PF_F_LEGACY_UNSCOPED_ID, id);
    }
    pf_writer_end(&w);
    done();
}

static void legacy_event(uint64_t ts, uint64_t track, char phase, uint64_t direction)
{
    put_legacy(ts, track, phase, direction, 5);
}

static void describe_thread(uint64_t uuid)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    pf_writer_begin(&w, 4);
    pf_writer_varint(&w, 1, 1);
    pf_writer_varint(&w, 2, uuid);
    pf_writer_end(&w);
    done();
}

Test(cut_flows, a_flow_bound_to_a_legacy_event_is_marked_where_it_comes_from_outside)
{
    enum { IN = 1, OUT = 2 };
    start();
    describe_thread(7);
    describe_thread(8);
    legacy_event(10, 7, 'B', OUT);
    end(20, 1, 7);
    legacy_event(22, 7, 'B', IN); /* after which the flow is still that of the first one */
    end(25, 1, 7);
    legacy_event(30, 8, 'B', IN);
    end(70, 1, 8);
    expect(40, 60, "l 40 20 \n");
    cr_expect_eq(flow_marks(), 1);
}

/* An operation may be on another thread at each of its events; either may come first in the file. */
Test(cut_flows, the_thread_of_an_operation_is_described_where_its_begin_is_on_another_one_than_its_end)
{
    static const char other[] = "\x08\x08\x22\x04\x08\x01\x10\x08"; /* thread 8 */
    for (int i = 0; i < 2; i++) {
        size_t len;
        start();
        describe_thread(7);
        describe_thread(8);
        legacy_event(i ? 10 : 55, i ? 8 : 7, i ? 'S' : 'F', 0);
        legacy_event(i ? 55 : 10, i ? 7 : 8, i ? 'F' : 'S', 0);
        expect(50, 60, "l 50 5 l\n");
        char *cut = read_file("cut.pftrace", &len);
        cr_expect(memmem(cut, len, other, sizeof other - 1));
        free(cut);
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t arrows(const char *path)
{
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    uint32_t count = pf_trace_flows(t)->count;
    pf_trace_free(t);
    return count;
}

Test(cut_flows, a_legacy_flow_begins_in_the_window_at_its_first_step)
{
    start();
    describe_thread(7);
    describe_thread(8);
    begin(5, 1, 7, "a");
    legacy_event(10, 7, 's', 0);
    end(20, 1, 7);
    begin(45, 1, 7, "b");
    legacy_event(46, 7, 't', 0);
    begin(50, 1, 8, "c");
    legacy_event(51, 8, 'f', 0);
    begin(52, 1, 8, "d");
    end(53, 1, 8);
    end(55, 1, 8);
    end(58, 1, 7);
    expect(40, 60, "b 45 13 \nc 50 5 \nd 52 1 \n");
    cr_expect_eq(arrows("cut.pftrace"), 1);
}

/* A step on each thread after the window, the second one in a slice that began there: the first one is that of the
 * slice in the window, as in the whole. other: what comes between, where the flow begins anew. */
static void steps_after_the_window(char other)
{
    start();
    describe_thread(7);
    describe_thread(8);
    describe_thread(9);
    begin(45, 1, 7, "a");
    legacy_event(46, 7, 's', 0);
    end(47, 1, 7);
    begin(50, 1, 8, "b");
    begin(52, 1, 8, "c");
    if (other) {
        begin(62, 1, 9, "d");
        legacy_event(63, 9, other, 0);
        end(64, 1, 9);
    }
    end(66, 1, 8);
    legacy_event(70, 8, 't', 0);
    end(75, 1, 8);
    begin(80, 1, 9, "e");
    legacy_event(81, 9, 't', 0);
    end(82, 1, 9);
}

/* Parts of in.pftrace, merged: out.pftrace. */
static void cut_and_merge(int64_t at)
{
    pf_cut_options o = pf_cut_options_default();
    pf_merge_input inputs[] = {{.path = "one.pftrace"}, {.path = "two.pftrace"}};
    pf_merge_options options = pf_merge_options_default();
    pf_merge_result r = {.size = sizeof r};
    pf_error err;
    cut_file("in.pftrace", "one.pftrace", &o, INT64_MIN, at);
    cut_file("in.pftrace", "two.pftrace", &o, at, INT64_MAX);
    options.inputs = inputs;
    options.input_count = 2;
    options.input_size = sizeof *inputs;
    cr_assert_eq(pf_merge("out.pftrace", &options, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(inputs[0].trace);
    pf_trace_free(inputs[1].trace);
}

Test(cut_flows, a_legacy_step_after_the_window_moves_to_its_end_with_the_slice)
{
    static const char want[] = "a 45 2 \nb 50 10 \nc 52 8 \n";
    steps_after_the_window(0);
    expect(40, 60, want);
    cr_expect_eq(arrows("cut.pftrace"), 1);
    for (int64_t at = 58; at <= 71; at++) { /* at the step, next to it */
        cut_and_merge(at);
        cr_expect_eq(arrows("out.pftrace"), 2, "at %d", (int)at);
    }
    steps_after_the_window('s'); /* which is not that of a */
    expect(40, 60, want);
    cr_expect_eq(arrows("cut.pftrace"), 0);
}

static void slices_after_the_window(bool complete)
{
    start();
    describe_thread(7);
    describe_thread(8);
    begin(45, 1, 7, "a");
    legacy_event(46, 7, 's', 0);
    end(47, 1, 7);
    begin(50, 1, 8, "b");
    if (complete) {
        event(62, 1, 0, 8);
        text(PF_F_EVENT_NAME, "x");
        pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'X');
        pf_writer_varint(&w, PF_F_LEGACY_DURATION_US, 1);
        pf_writer_end(&w);
        done();
    } else {
        begin(62, 1, 8, "x");
    }
    legacy_event(63, 8, 't', 0);
    end(2000, 1, 8);
    end(2001, 1, 8);
}

Test(cut_flows, a_legacy_step_in_a_slice_after_the_window_stays_there)
{
    for (int complete = 0; complete < 2; complete++) {
        slices_after_the_window(complete);
        expect(40, 60, "a 45 2 \nb 50 10 \n");
        cr_expect_eq(arrows("in.pftrace"), 1);
        cr_expect_eq(arrows("cut.pftrace"), 0);
    }
}

/* Times of events with a mark of a legacy flow in a cut, which may be compressed. */
static uint32_t marked_times(const char *path, uint64_t *times, uint32_t room)
{
    static const char mark[] = "cut.flow_outside\x10\x01";
    static uint8_t cut[1 << 20];
    gzFile file = gzopen(path, "rb");
    int len = gzread(file, cut, sizeof cut);
    uint32_t count = 0;
    gzclose(file);
    cr_assert(len > 0 && len < (int)sizeof cut);
    pf_cursor c = pf_cursor_over(cut, (size_t)len);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD && count < room;) {
        if (memmem(f.bytes, f.len, mark, sizeof mark - 1)) {
            times[count++] = pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP)).value;
        }
    }
    return count;
}

enum { STEPS = 92, STEP_FROM = 300, STEP_TO = 600 };
typedef struct step {
    uint64_t ts, id;
    char phase;
} step;

/* Whether a step after the window moves to its end: its flow has begun in the window, and nothing else of it came
 * since. */
static bool moves(const step *all, const step *s)
{
    bool begun = false, first = s->phase == 't' && s->ts >= STEP_TO;
    for (const step *o = all; o < s; o++) {
        bool same = o->id == s->id;
        begun |= same && o->ts >= STEP_FROM && o->ts < STEP_TO && o->phase != 'f';
        first &= !(same && o->ts >= STEP_TO && o->phase != 't');
    }
    return begun && first;
}

/* Whether an event of the window, or one that moves to its end, has a mark: nothing of its flow comes before it there,
 * though it is no beginning; or it is the last beginning or step there, and another step or an end comes after it. */
static bool wants_mark(const step *all, const step *s)
{
    bool begun = s->phase == 's', last = s->phase != 'f', leaves = false;
    for (const step *o = all; o < all + STEPS; o++) {
        bool same = o->id == s->id, inside = (o->ts >= STEP_FROM && o->ts < STEP_TO) || moves(all, o);
        begun |= same && inside && o->phase != 'f' && o->ts < s->ts;
        last &= !(same && inside && o->phase != 'f' && o->ts > s->ts);
        leaves |= same && o->ts >= STEP_TO && o->phase != 's' && !inside;
    }
    return ((s->ts >= STEP_FROM && s->ts < STEP_TO) || moves(all, s)) && (!begun || (last && leaves));
}

/* Steps at random, some of which come earlier in the file than those before; on both ways that marks are written. */
Test(cut_flows, legacy_flows_whose_other_end_is_outside_have_a_mark)
{
    pf_cut_options o = pf_cut_options_default();
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint32_t random = seed, wanted = 0;
        step all[STEPS];
        uint64_t want[STEPS], got[2 * STEPS];
        start();
        describe_thread(7);
        begin(1, 1, 7, "a");
        for (uint32_t i = 0; i < STEPS; i++) {
            random = random * 1664525 + 1013904223;
            all[i] = (step){10 + 10 * (uint64_t)i, random >> 20 & 15, "sstf"[random >> 8 & 3]};
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            const step *s = &all[i ^ (seed & 3)]; /* neighbours change places */
            put_legacy(s->ts, 7, s->phase, 0, s->id);
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            want[wanted] = all[i].ts < STEP_TO ? all[i].ts : STEP_TO;
            wanted += wants_mark(all, &all[i]);
        }
        end(2000, 1, 7);
        write_file("in.pftrace");
        for (int packed = 0; packed < 2; packed++) {
            const char *path = packed ? "cut.pftrace.gz" : "cut.pftrace";
            cut_file("in.pftrace", path, &o, STEP_FROM, STEP_TO);
            uint32_t count = marked_times(path, got, 2 * STEPS);
            qsort(got, count, sizeof *got, by_number);
            cr_expect(count == wanted && memcmp(got, want, count * sizeof *got) == 0, "seed %u, %s: %u marks, not %u",
                      seed, path, count, wanted);
            cut_file(path, "again.pftrace", &o, STEP_FROM, STEP_TO);
            cr_expect_eq(marked_times("again.pftrace", got, 2 * STEPS), wanted);
        }
        cut_file("in.pftrace", "cut.pftrace", &o, INT64_MIN, INT64_MAX);
        cr_expect_eq(marked_times("cut.pftrace", got, 2 * STEPS), 0); /* nothing is outside */
    }
}

/* A compressed output, which has its marks from another pass, is the plain one. */
static void expect_same_packed(int64_t from, int64_t to)
{
    pf_cut_options o = pf_cut_options_default();
    size_t len, room = 8 << 20;
    cut_file("in.pftrace", "cut.pftrace.gz", &o, from, to);
    char *plain = read_file("cut.pftrace", &len), *unpacked = malloc(room);
    gzFile packed = gzopen("cut.pftrace.gz", "rb");
    cr_assert(unpacked && packed);
    int got = gzread(packed, unpacked, (unsigned)room);
    gzclose(packed);
    cr_expect(got == (int)len && memcmp(plain, unpacked, len) == 0, "%zu and %d bytes", len, got);
    free(plain);
    free(unpacked);
}

/* The end comes by before anybody knows that the flow is in the window. */
Test(cut_flows, a_legacy_flow_whose_end_comes_first_in_the_file_has_a_mark)
{
    uint64_t got[2] = {0};
    start();
    describe_thread(7);
    begin(1, 1, 7, "a");
    legacy_event(620, 7, 'f', 0);
    legacy_event(590, 7, 's', 0);
    expect(300, 600, "a 300 -1 \n");
    cr_expect(marked_times("cut.pftrace", got, 2) == 1 && got[0] == 590);
    expect_same_packed(300, 600);
}

Test(cut_flows, a_legacy_flow_that_goes_on_in_another_part_has_a_mark_in_both)
{
    static const pf_split_window windows[] = {{300, 600, NULL}, {600, 900, NULL}};
    pf_split_options o = pf_split_options_default();
    pf_error err;
    uint64_t got[2] = {0};
    o.windows = windows;
    o.window_count = 2;
    start();
    describe_thread(7);
    begin(1, 1, 7, "a");
    legacy_event(310, 7, 's', 0);
    legacy_event(620, 7, 'f', 0);
    write_file("in.pftrace");
    cr_assert_eq(pf_split("in.pftrace", ".", &o, NULL, &err), PF_OK, "%s", err.text);
    cr_expect(marked_times("part-0001.pftrace", got, 2) == 1 && got[0] == 310);
    cr_expect(marked_times("part-0002.pftrace", got, 2) == 1 && got[0] == 620);
}

Test(cut_flows, a_legacy_flow_that_begins_later_in_the_file_begins_there)
{
    start();
    describe_thread(7);
    describe_thread(8);
    begin(45, 1, 8, "a");
    legacy_event(51, 8, 't', 0);
    legacy_event(53, 8, 'f', 0);
    end(55, 1, 8);
    begin(44, 1, 7, "b");
    legacy_event(46, 7, 's', 0);
    end(57, 1, 7);
    expect(40, 60, "b 44 13 \na 45 10 \n");
    cr_expect_eq(arrows("cut.pftrace"), 1);
}

Test(cut_flows, an_end_that_is_moved_keeps_its_flow)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin_with_flow(45, 7, "a", false);
    end(46, 1, 7);
    begin(50, 1, 8, "b");
    event(70, 1, PF_EVENT_SLICE_END, 8);
    pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
    done();
    begin_with_flow(80, 7, "c", true);
    end(90, 1, 7);
    expect(40, 60, "a 45 1 lane\nb 50 10 other\n");
    cr_expect_eq(arrows("cut.pftrace"), 1);
    cr_expect_eq(flow_marks(), 1);
    expect_same_packed(40, 60);
}

/* The same of complete events and instants, by Chrome's way of binding them and Perfetto's. */
Test(cut_flows, flows_of_complete_events_and_instants_are_marked_where_they_leave)
{
    enum { IN = 1, OUT = 2 };
    for (int instant = 0; instant < 2; instant++) {
        start();
        describe_thread(7);
        describe_thread(8);
        for (uint64_t i = 0; i < 2; i++) {
            if (instant) {
                event(10 + 40 * i, 1, PF_EVENT_INSTANT, 7 + i);
                text(PF_F_EVENT_NAME, "l");
                pf_writer_fixed64(&w, i ? PF_F_EVENT_TERMINATING_FLOW_IDS : PF_F_EVENT_FLOW_IDS, 99);
                done();
            } else {
                legacy_event(10 + 40 * i, 7 + i, 'X', i ? IN : OUT);
            }
        }
        expect(40, 60, "l 50 0 \n");
        cr_expect_eq(flow_marks(), 1);
    }
}

static void three_slices_of_a_flow(void)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin_with_flow(10, 7, "a", false);
    end(20, 1, 7);
    begin_with_flow(30, 8, "b", false);
    begin_with_flow(50, 7, "c", true);
    end(60, 1, 7);
    end(70, 1, 8);
}

Test(cut_flows, a_flow_from_a_slice_outside_is_marked_and_one_from_inside_is_not)
{
    three_slices_of_a_flow();
    expect(25, 80, "b 30 40 other\nc 50 10 lane\n");
    cr_expect_eq(flow_marks(), 1);
    three_slices_of_a_flow();
    expect(5, 80, "a 10 10 lane\nb 30 40 other\nc 50 10 lane\n");
    cr_expect_eq(flow_marks(), 0);
}

Test(cut_flows, a_slice_begun_again_at_the_start_keeps_the_mark_of_its_flow)
{
    three_slices_of_a_flow();
    expect(40, 45, "b 40 5 other\n");
    cr_expect_eq(flow_marks(), 1);
    three_slices_of_a_flow();
    expect(15, 45, "a 15 5 lane\nb 30 15 other\n");
    cr_expect_eq(flow_marks(), 1); /* b goes on to c */
}

Test(cut_flows, a_flow_to_or_from_a_slice_that_a_selection_drops_is_marked)
{
    const char *const keep[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    three_slices_of_a_flow();
    o.track.keep = keep;
    o.track.keep_count = 1;
    expect_with(&o, 0, 80, "a 10 10 lane\nc 50 10 lane\n");
    cr_expect_eq(flow_marks(), 2); /* a goes on to b, c comes from it */
}

/* a to b, which ends the flow; c to d, by the same id. */
static void two_flows_of_an_id(uint64_t until)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin_with_flow(10, 7, "a", false);
    end(until, 1, 7);
    begin_with_flow(30, 8, "b", true);
    end(40, 1, 8);
    describe(9, 0, "last");
    begin_with_flow(50, 9, "c", false);
    end(60, 1, 9);
    begin_with_flow(70, 9, "d", true);
    end(80, 1, 9);
}

static void expect_one_arrow(const pf_cut_options *given, int64_t from)
{
    pf_cut_options o = *given;
    cr_expect_eq(arrows("in.pftrace"), 2);
    cr_expect_eq(arrows("cut.pftrace"), 1);
    cut_file("in.pftrace", "cut.pftrace.gz", &o, from, 100);
    cr_expect_eq(arrows("cut.pftrace.gz"), 1);
}

Test(cut_flows, a_flow_that_ends_outside_does_not_run_on_to_the_next_one_of_its_id)
{
    const char *const drop[] = {"other"};
    pf_cut_options all = pf_cut_options_default(), o = all;
    o.track = (pf_edit_patterns){.drop = drop, .drop_count = 1};
    two_flows_of_an_id(20);
    expect_with(&o, 0, 100, "a 10 10 lane\nc 50 10 last\nd 70 10 last\n");
    expect_one_arrow(&o, 0);
    two_flows_of_an_id(90);
    expect(45, 100, "a 45 45 lane\nc 50 10 last\nd 70 10 last\n");
    expect_one_arrow(&all, 45);
}

/* The flow ends where it has not begun; in the order of their tracks' next events the two would have an arrow. */
Test(cut_flows, slices_that_are_open_at_the_start_keep_their_order_though_no_flow_runs_between_them)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin_with_flow(30, 8, "a", true);
    begin_with_flow(40, 7, "b", false);
    event(60, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "mark");
    done();
    end(100, 1, 7);
    end(100, 1, 8);
    expect(50, 90, "a 50 40 other\nb 50 40 lane\nmark 60 0 lane\n");
    cr_expect_eq(arrows("in.pftrace"), 0);
    cr_expect_eq(arrows("cut.pftrace"), 0);
}

/* Sequences one after the other, of which the later one has what began first: the slice that waits ends before that is
 * known, as does what lies on it. at_start: something begins on it when the window does. */
static void sequences_one_after_the_other(bool at_start)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin_with_flow(40, 7, "b", false);
    begin(42, 1, 7, "c");
    if (at_start) {
        begin(50, 1, 7, "d");
        end(55, 1, 7);
    }
    end(60, 1, 7);
    end(70, 1, 7);
    event(10, 2, PF_EVENT_SLICE_BEGIN, 8);
    text(PF_F_EVENT_NAME, "a");
    pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
    done();
    end(80, 2, 8);
}

/* The time and the name of the slice that the only arrow of the cut comes from. */
static void expect_arrow_from(const char *want)
{
    const char *path = "cut.pftrace";
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    const pf_flows *f = pf_trace_flows(t);
    cr_assert_eq(f->count, 1);
    pf_str name = pf_trace_string(t, pf_trace_events(t)->name[pf_trace_slices(t)->event[f->slice_out[0]]]);
    cr_expect(name.len == strlen(want) && memcmp(name.ptr, want, name.len) == 0, "%.*s", (int)name.len, name.ptr);
    pf_trace_free(t);
}

Test(cut_flows, an_arrow_between_slices_open_at_the_start_runs_as_in_the_whole_whatever_the_order_of_their_sequences)
{
    sequences_one_after_the_other(false);
    expect(50, 90, "a 50 30 other\nb 50 20 lane\nc 50 10 lane\n");
    expect_arrow_from("a");
    sequences_one_after_the_other(false); /* whose end is there, at that of the window, before it begins */
    expect(50, 65, "a 50 15 other\nb 50 15 lane\nc 50 10 lane\n");
    sequences_one_after_the_other(true); /* before which they have to begin */
    expect(50, 90, "b 50 20 lane\nc 50 10 lane\nd 50 5 lane\na 50 30 other\n");
}

/* A compressed output has its marks from a second pass, a plain one is changed when it is written: many slices with
 * flows, over more bytes than are moved at once. */
Test(cut_flows, marks_are_the_same_however_they_came)
{
    enum { SLICES = 30000, FROM = 1000, TO = 200000 };
    pf_cut_options o = pf_cut_options_default();
    size_t len;
    start();
    describe(7, 0, "lane");
    for (uint64_t i = 0; i < SLICES; i++) {
        uint64_t flow = i < 200 || i > SLICES - 9000 ? i % 100 : i; /* runs far, or nowhere */
        event(10 * i, 1, PF_EVENT_SLICE_BEGIN, 7);
        text(PF_F_EVENT_NAME, i % 3 ? "a name that makes the event longer than a row is" : "b");
        pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, flow);
        done();
        end(10 * i + 9, 1, 7);
    }
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
    expect_same_packed(FROM, TO);
    char *plain = read_file("cut.pftrace", &len);
    cr_expect(len > 1 << 20 && memmem(plain, len, "cut.flow_outside", 16));
    free(plain);
}
