/* Packets written by hand for each rule of track events in docs/reference/perfetto.md; the expected values came with
 * the rules.
 */
#include "support.h"

enum { B = PF_EVENT_SLICE_BEGIN, E = PF_EVENT_SLICE_END, I = PF_EVENT_INSTANT };

Test(vectors, a1_mismatched_ends)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    event(&b, 10, 1, B, 10, "A");
    event(&b, 20, 1, B, 10, "B");
    event(&b, 25, 1, E, 10, "A");
    event(&b, 30, 1, B, 10, "C");
    event(&b, 40, 1, E, 10, NULL);
    event(&b, 40, 1, B, 10, "D");
    event(&b, 40, 1, I, 10, "I1");
    event(&b, 40, 1, I, 10, "I2");
    event(&b, 50, 1, E, 10, "nomatch");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 15 d0 A - | thread_execution - pid 100 tid 101\n"
                      "20 5 d1 B - | thread_execution - pid 100 tid 101\n"
                      "30 10 d0 C - | thread_execution - pid 100 tid 101\n"
                      "40 -1 d0 D - | thread_execution - pid 100 tid 101\n"
                      "40 0 d1 I1 - | thread_execution - pid 100 tid 101\n"
                      "40 0 d2 I2 - | thread_execution - pid 100 tid 101\n");
    cr_expect_eq(stat_of(t, PF_STAT_MISPLACED_END), 1);
    cr_expect_eq(t->processes.pid[1], 100);
    cr_expect_eq(t->threads.tid[1], 100);
    cr_expect_eq(t->threads.is_main[1], 1);
    cr_expect_eq(t->threads.tid[2], 101);
    cr_expect_eq(t->threads.uuid[2], 10);
    pf_trace_free(t);
    finish(&b);
}

Test(vectors, a2_lanes_of_unknown_uuids)
{
    bytes b;
    start(&b);
    event(&b, 60, 1, B, 77, "unk1");
    event(&b, 65, 1, B, 78, "unk1");
    event(&b, 70, 1, E, 77, NULL);
    event(&b, 75, 1, E, 78, NULL);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "60 10 d0 unk1 - | global_merged_track_event unk1\n"
                      "65 10 d0 unk1 - | global_merged_track_event unk1\n");
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *k = pf_trace_tracks(t);
    cr_assert_eq(s->count, 2);
    cr_expect_neq(s->track[0], s->track[1]);
    cr_expect_eq(k->group[s->track[0]], k->group[s->track[1]]);
    cr_expect_neq(k->group[s->track[0]], PF_NONE);
    pf_trace_free(t);
    finish(&b);
}

/* An instant with name_iid 1 in a packet that may also intern it. */
static void a3_packet(bytes *b, uint64_t ts, uint64_t flags, const char *interned, bool dropped)
{
    packet(b, ts, 5, flags);
    if (dropped) {
        pf_writer_varint(&b->w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
    }
    if (interned) {
        intern(b, PF_F_INTERNED_EVENT_NAMES, 1, interned);
    }
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b->w, PF_F_EVENT_NAME_IID, 1);
    end(b);
    end(b);
}

Test(vectors, a3_interning_generations)
{
    bytes b;
    start(&b);
    a3_packet(&b, 10, NONE, "nm", false);
    a3_packet(&b, 11, 2, NULL, false);
    a3_packet(&b, 12, 1, "nm1", false);
    a3_packet(&b, 13, 2, "other", false);
    a3_packet(&b, 14, 2, NULL, true);
    a3_packet(&b, 15, NONE, NULL, false);
    a3_packet(&b, 16, 3, "nm2", true);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 - - | global_merged_track_event Default Track\n"
                      "12 0 d0 nm1 - | global_merged_track_event Default Track\n"
                      "13 0 d0 nm1 - | global_merged_track_event Default Track\n"
                      "15 0 d0 nm1 - | global_merged_track_event Default Track\n"
                      "16 0 d0 nm2 - | global_merged_track_event Default Track\n");
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_SKIPPED), 1);
    cr_expect_eq(stat_of(t, PF_STAT_PACKET_SKIPPED_STATE), 2);
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* An event in a clock of its own; clock 0 leaves it to the defaults. */
static void clocked(bytes *b, uint64_t ts, uint64_t sequence, uint64_t clock, const char *name)
{
    packet(b, ts, sequence, NONE);
    if (clock) {
        pf_writer_varint(&b->w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
    }
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 9);
    text(b, PF_F_EVENT_NAME, name);
    end(b);
    end(b);
}

/* The track is called like its earliest event. */
#define TRACK9(first) " - | global_merged_track_event " first "\n"

Test(vectors, a4_incremental_clock_and_offsets)
{
    static const uint64_t first[][4] = {{64, 100, 1, 1000}, {6, 5000000, 0, 0}};
    static const uint64_t second[][4] = {{3, 1000, 0, 0}, {6, 5001000, 0, 0}};
    static const uint64_t third[][4] = {{3, 2000, 0, 0}, {6, 5003000, 0, 0}};
    bytes b;
    start(&b);
    snapshot(&b, 1, 1, first, 2, 0);
    packet(&b, NONE, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_DEFAULTS);
    pf_writer_varint(&b.w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, 64);
    end(&b);
    end(&b);
    clocked(&b, 10, 1, 0, "a");
    clocked(&b, 5, 1, 0, "b");
    clocked(&b, 7, 2, 64, "dropped");
    snapshot(&b, 1, NONE, second, 2, 0);
    snapshot(&b, 1, NONE, third, 2, 0);
    clocked(&b, 500, 1, 3, "c");
    clocked(&b, 1999, 1, 3, "d");
    clocked(&b, 2001, 1, 3, "e");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    /* 64: 100 ticks of 1 us stood at 5,000,000 ns; the clock runs by differences. */
    expect_text(&got, "5000500 0 d0 c" TRACK9("c") "5001999 0 d0 d" TRACK9("c") "5003001 0 d0 e" TRACK9(
                          "c") "5010000 0 d0 a" TRACK9("c") "5015000 0 d0 b" TRACK9("c"));
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_UNKNOWN), 1);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(vectors, a5_primary_trace_clock)
{
    static const uint64_t clocks[][4] = {{3, 1000, 0, 0}, {6, 5000, 0, 0}};
    bytes b;
    start(&b);
    snapshot(&b, 1, NONE, clocks, 2, 3);
    clocked(&b, 1500, 1, 0, "a");
    clocked(&b, 5500, 1, 6, "b");
    expect_slices(&b, "1500 0 d0 a" TRACK9("a") "1500 0 d1 b" TRACK9("a"));
    finish(&b);
}

Test(vectors, a6_clock_known_later)
{
    static const uint64_t clocks[][4] = {{3, 1000, 0, 0}, {6, 5000, 0, 0}};
    bytes b;
    start(&b);
    clocked(&b, 1500, 1, 3, "late");
    clocked(&b, 700, 1, 0, "a");
    snapshot(&b, 1, NONE, clocks, 2, 0);
    expect_slices(&b, "700 0 d0 a - | global_merged_track_event a\n5500 0 d0 late - | global_merged_track_event a\n");
    finish(&b);
}

static void describe_counter(bytes *b, uint64_t uuid, int type, int unit, uint64_t multiplier, bool incremental)
{
    packet(b, NONE, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    pf_writer_begin(&b->w, 8);
    if (type) {
        pf_writer_varint(&b->w, 1, (uint64_t)type);
    }
    if (unit) {
        pf_writer_varint(&b->w, 3, (uint64_t)unit);
    }
    if (multiplier) {
        pf_writer_varint(&b->w, 4, multiplier);
    }
    if (incremental) {
        pf_writer_varint(&b->w, 5, 1);
    }
    end(b);
    end(b);
    end(b);
}

static void extra_event(bytes *b, uint64_t ts, int type, const char *name, uint64_t value)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, (uint64_t)type);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 21);
    pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_COUNTER_VALUES, value);
    text(b, PF_F_EVENT_NAME, name);
    end(b);
    end(b);
}

Test(vectors, a7_counters)
{
    bytes b;
    start(&b);
    describe_counter(&b, 20, 0, 3, 1024, false);
    describe_counter(&b, 21, 1, 0, 0, true);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    counter_event(&b, 40, 1, 20, 2, true);
    counter_event(&b, 42, 1, 20, 0.5, false);
    extra_event(&b, 44, B, "s", 100);
    extra_event(&b, 46, E, NULL, 40);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "40 2048 | global_counter_track_event - bytes\n42 512 | global_counter_track_event - bytes\n"
                      "44 100 | global_counter_track_event thread_time ns\n"
                      "46 140 | global_counter_track_event thread_time ns\n");
    show_slices(t, &got);
    expect_text(&got, "44 2 d0 s - | thread_execution - pid 100 tid 101\n");
    const pf_counters *c = pf_trace_counters(t);
    cr_expect_eq(pf_trace_events(t)->phase[c->event[0]], 'C');
    cr_assert_not_null(pf_trace_slices(t)->thread_ts);
    cr_expect_eq(pf_trace_slices(t)->thread_ts[0], 100);
    cr_expect_eq(pf_trace_slices(t)->thread_dur[0], 40);
    pf_trace_free(t);
    finish(&b);
}

Test(vectors, counters_need_a_track_a_value_and_an_earlier_descriptor)
{
    bytes b;
    start(&b);
    counter_event(&b, 1, 1, 20, 1, true); /* described below */
    describe_counter(&b, 20, 0, 0, 0, false);
    event(&b, 2, 1, PF_EVENT_COUNTER, 20, NULL);
    event(&b, 3, 1, PF_EVENT_COUNTER, 0, NULL);
    counter_event(&b, 4, 1, 20, -3, true);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "4 -3 | global_counter_track_event - -\n");
    cr_expect_eq(stat_of(t, PF_STAT_COUNTER_BAD_TRACK), 1);
    cr_expect_eq(stat_of(t, PF_STAT_COUNTER_NO_VALUE), 1);
    cr_expect_eq(stat_of(t, PF_STAT_COUNTER_NO_TRACK), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(vectors, a9_a_number_used_again)
{
    bytes b;
    start(&b);
    describe_process(&b, 1, 100, "old");
    describe_process(&b, 2, 100, "new");
    describe_thread(&b, NONE, 3, 200, 201, "t3");
    describe_thread(&b, NONE, 4, 200, 201, "t4");
    describe_track(&b, 30, 0, "first", 0);
    describe_track(&b, 30, 0, "second", 0);
    describe_track(&b, 31, 0, "first", PF_MERGE_NONE);
    describe_track(&b, 31, 0, "second", PF_MERGE_NONE);
    event(&b, 10, 1, I, 3, "on 3");
    event(&b, 11, 1, I, 4, "on 4");
    event(&b, 12, 1, I, 30, "by name");
    event(&b, 13, 1, I, 31, "none");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 on 3 - | thread_execution - pid 200 tid 201\n"
                      "11 0 d0 on 4 - | thread_execution - pid 200 tid 201\n"
                      "12 0 d0 by name - | global_merged_track_event first\n"
                      "13 0 d0 none - | global_track_event second\n");
    const pf_slices *s = pf_trace_slices(t);
    cr_expect_neq(s->track[0], s->track[1]);
    const pf_processes *p = pf_trace_processes(t);
    cr_assert_geq(p->count, 3);
    cr_expect(p->pid[1] == 100 && p->uuid[1] == 1 && p->pid[2] == 100 && p->uuid[2] == 2);
    pf_trace_free(t);
    finish(&b);
}

Test(vectors, a10_hierarchy)
{
    bytes b;
    start(&b);
    describe_process(&b, 1, 100, "P");
    describe_track(&b, 3, 1, "asyncA", 0);
    describe_track(&b, 5, 3, "sub", 0);
    event(&b, 10, 1, I, 3, "a");
    event(&b, 11, 1, I, 5, "b");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 a - | process_merged_track_event asyncA pid 100\n"
                      "11 0 d0 b - | process_merged_track_event sub pid 100\n");
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *k = pf_trace_tracks(t);
    cr_expect_eq(k->parent[s->track[0]], PF_NONE);
    cr_expect_eq(k->parent[s->track[1]], s->track[0]);
    pf_trace_free(t);
    finish(&b);
}

/* The engine resolves an id that its sequence defines later, as long as the state is not cleared in between. */
Test(vectors, an_iid_defined_after_its_event)
{
    bytes b;
    start(&b);
    a3_packet(&b, 10, 1, NULL, false);
    packet(&b, NONE, 5, 2);
    intern(&b, PF_F_INTERNED_EVENT_NAMES, 1, "late");
    end(&b);
    a3_packet(&b, 20, 1, NULL, false);
    a3_packet(&b, 30, 1, "other", false);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 late - | global_merged_track_event Default Track\n"
                      "20 0 d0 - - | global_merged_track_event Default Track\n"
                      "30 0 d0 other - | global_merged_track_event Default Track\n");
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* One counter for each pair of a type and a unit, all with the name of a unit. Perfetto's engine names them so. */
Test(vectors, types_and_units_of_counters)
{
    bytes b;
    start(&b);
    for (uint64_t type = 0; type < 4; type++) {
        for (uint64_t unit = 0; unit < 5; unit++) {
            uint64_t uuid = 20 + 10 * type + unit;
            packet(&b, NONE, 1, NONE);
            pf_writer_begin(&b.w, PF_F_PACKET_TRACK_DESCRIPTOR);
            pf_writer_varint(&b.w, 1, uuid);
            pf_writer_begin(&b.w, 8);
            pf_writer_varint(&b.w, 1, type);
            pf_writer_varint(&b.w, 3, unit);
            text(&b, 6, "widgets");
            end(&b);
            end(&b);
            end(&b);
            counter_event(&b, uuid, 1, uuid, (double)uuid, true);
        }
    }
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
#define EACH(digit, name, of_0, of_1, of_2, of_3, of_4)                                                                \
    ROW(digit "0", name, of_0)                                                                                         \
    ROW(digit "1", name, of_1) ROW(digit "2", name, of_2) ROW(digit "3", name, of_3) ROW(digit "4", name, of_4)
#define ROW(number, name, unit) number " " number " | global_counter_track_event " name " " unit "\n"
    expect_text(&got, EACH("2", "-", "widgets", "ns", "count", "bytes", "widgets")
                          EACH("3", "thread_time", "ns", "ns", "ns", "ns", "ns")
                              EACH("4", "thread_instruction_count", "count", "count", "count", "count", "count")
                                  EACH("5", "-", "widgets", "ns", "count", "bytes", "widgets"));
    pf_trace_free(t);
    finish(&b);
}
