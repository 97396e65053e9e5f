/* unit/edit/test_cut_bytes.c - cuts packet by packet: what is added and in which order, what is left of a packet that
 * is clipped, what stays as it is. Expected is worked out from docs/reference/cut.md and the field numbers. */
#include <criterion/criterion.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_bytes, .init = scratch_enter, .fini = scratch_leave);

/* A packet with fields that its envelope keeps, the event open. */
static void event_of_somebody(uint64_t ts)
{
    packet(ts, 1);
    pf_writer_varint(&w, PF_F_PACKET_TRUSTED_UID, 1234);
    pf_writer_varint(&w, PF_F_PACKET_TRUSTED_PID, 55);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
}

/* What an event says once, whatever becomes of it: clocks of the thread, values of the counters 8 and 9. */
static void put_what_counts_once(uint64_t value)
{
    pf_writer_varint(&w, PF_F_EVENT_THREAD_TIME_DELTA_US, 1);
    pf_writer_varint(&w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA, 2);
    pf_writer_varint(&w, PF_F_EVENT_THREAD_TIME_ABSOLUTE_US, 3);
    pf_writer_varint(&w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE, 4);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 8);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, value);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, 9);
    pf_writer_double(&w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, (double)value);
}

#define COUNTER(uuid) "10=2120447348 60{1=" #uuid " 2\"count\" 8{5=0}}\n"

Test(cut_bytes, a_clipped_slice_has_all_of_its_fields_but_those_that_count_once)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, false);
    describe_counter(9, false);
    event_of_somebody(10);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
    put_what_counts_once(3);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
    text(PF_F_EVENT_NAME, "a");
    done();
    named(50, PF_EVENT_INSTANT, 7, "i");
    event_of_somebody(70);
    put_what_counts_once(4);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
    text(1001, "ours");
    done();
    /* 4613937818241073152: 3.0 */
    expect_packets(
        40, 60,
        "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
        "10=1 8=40 3=1234 79=55 11{9=1 11=7 23\"a\" " BEFORE(
            10) "}\n"
                "8=50 10=1 11{9=3 11=7 23\"i\"}\n" COUNTER(8) "10=1 8=40 11{9=4 11=8 30=3 " BEFORE(10) "}\n" COUNTER(
                    9) "10=1 8=40 11{9=4 11=9 44=4613937818241073152 " BEFORE(10) "}\n"
                                                                                  "10=1 8=60 11{9=2 11=7 "
                                                                                  "1001\"ours\" " AFTER(70) "}\n");
}

/* A complete event or an operation: what is left of the legacy event, in the begin and in the end that is made. */
static void legacy_named(uint64_t ts, uint64_t track, char phase, const char *name)
{
    event(ts, 1, 0, track);
    text(PF_F_EVENT_NAME, name);
    text(PF_F_EVENT_CATEGORIES, "c");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, (uint64_t)phase);
    pf_writer_varint(&w, PF_F_LEGACY_DURATION_US, 80);
    pf_writer_varint(&w, PF_F_LEGACY_THREAD_DURATION_US, 1);
    pf_writer_varint(&w, PF_F_LEGACY_THREAD_INSTRUCTION_DELTA, 2);
    pf_writer_varint(&w, PF_F_LEGACY_GLOBAL_ID, 5);
    pf_writer_end(&w);
    done();
}

static void legacy(uint64_t ts, uint64_t track, char phase)
{
    legacy_named(ts, track, phase, "l");
}

Test(cut_bytes, a_clipped_complete_event_is_a_begin_and_an_end)
{
    start();
    describe(7, 0, "lane");
    legacy(10000, 7, 'X');
    expect_packets(50001, 60003,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "10=1 8=50001 11{9=0 11=7 23\"l\" 22\"c\" 6{11=5 2=66} " BEFORE(
                       10000) "}\n"
                              "10=1 8=60003 11{9=2 11=7 " AFTER(90000) "}\n");
    start();
    describe(7, 0, "lane");
    legacy(10000, 7, 'X');
    expect_packets(5000, 60003,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "8=10000 10=1 11{9=0 11=7 23\"l\" 22\"c\" 6{11=5 2=66}}\n"
                   "10=1 8=60003 11{9=2 11=7 " AFTER(90000) "}\n");
    start();
    describe(7, 0, "lane");
    legacy(10000, 7, 'X');
    expect_packets(
        50001, 90000,
        "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
        "10=1 8=50001 11{9=0 11=7 23\"l\" 22\"c\" 6{11=5 2=66} " BEFORE(10000) "}\n"
                                                                               "10=1 8=90000 11{9=2 11=7}\n");
}

#define OPERATION(phase) "6{2=" #phase " 3=80 4=1 15=2 11=5}"

/* It ends with the one around it, so that an end is made: with all that says which operation that is. */
Test(cut_bytes, an_end_that_is_made_for_an_operation_says_which_one)
{
    start();
    describe(7, 0, "lane");
    legacy(10, 7, 'b');
    legacy_named(20, 7, 'b', "m");
    legacy(80, 7, 'e');
    legacy_named(90, 7, 'n', "i");
    expect_packets(5, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "8=10 10=1 11{9=0 11=7 23\"l\" 22\"c\" " OPERATION(
                       98) "}\n"
                           "8=20 10=1 11{9=0 11=7 23\"m\" 22\"c\" " OPERATION(
                               98) "}\n"
                                   "10=1 8=60 11{9=0 11=7 23\"l\" 22\"c\" " OPERATION(101) " " AFTER(
                                       80) "}\n"
                                           "10=1 8=60 11{11=7 23\"m\" 22\"c\" 6{11=5 2=101} " AFTER(80) "}\n");
}

/* The same of a slice of Chrome on the thread of its sequence: an end without a track has the form of its begin. */
Test(cut_bytes, an_end_that_is_made_on_the_thread_of_a_sequence_names_nothing)
{
    for (int chrome = 0; chrome < 2; chrome++) {
        start();
        packet(1, 1);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
        pf_writer_varint(&w, 1, 5);
        pf_writer_varint(&w, 2, 6);
        done();
        if (chrome) {
            legacy(10, 0, 'B');
            legacy_named(20, 0, 'B', "m");
            legacy(80, 0, 'E');
            legacy_named(90, 0, 'I', "i");
        } else {
            begin(10, 1, 0, "l");
            begin(20, 1, 0, "m");
            named(80, PF_EVENT_SLICE_END, 0, "l");
            named(90, PF_EVENT_INSTANT, 0, "i");
        }
        expect_packets(5, 60,
                       chrome ? "10=1 13=1\n10=1 44{1=5 2=6}\n"
                                "8=10 10=1 11{9=0 23\"l\" 22\"c\" " OPERATION(
                                    66) "}\n"
                                        "8=20 10=1 11{9=0 23\"m\" 22\"c\" " OPERATION(
                                            66) "}\n"
                                                "10=1 8=60 11{9=0 23\"l\" 22\"c\" " OPERATION(69) " " AFTER(
                                                    80) "}\n"
                                                        "10=1 8=60 11{6{2=69} " AFTER(80) "}\n"
                              : "10=1 13=1\n10=1 44{1=5 2=6}\n8=10 10=1 11{9=1 23\"l\"}\n8=20 10=1 11{9=1 23\"m\"}\n"
                                "10=1 8=60 11{9=2 23\"l\" " AFTER(80) "}\n"
                                                                      "10=1 8=60 11{9=2 " AFTER(80) "}\n");
    }
}

/* Two sequences on a track, one after the other in the file, which is not the order of time: there the end of the
 * second one is that of b, and the other one a's. What began first begins first, what is innermost ends first. */
Test(cut_bytes, an_unordered_track_begins_and_ends_in_the_order_of_time)
{
    static const char lane[] = "10=2120447348 13=1 60{1=7 2\"lane\"}\n";
    char want[600];
    start();
    describe(7, 0, "lane");
    begin(20, 2, 7, "b");
    end(50, 2, 7);
    begin(10, 1, 7, "a");
    end(40, 1, 7);
    snprintf(want, sizeof want, "%s8=20 10=2 11{9=1 11=7 23\"b\"}\n8=10 10=1 11{9=1 11=7 23\"a\"}\n%s%s", lane,
             "10=1 8=30 11{9=2 11=7 " AFTER(40) "}\n", "10=2 8=30 11{9=2 11=7 " AFTER(50) "}\n");
    expect_packets(5, 30, want);
    snprintf(want, sizeof want, "%s%s%s%s%s", lane, "10=1 8=30 11{9=1 11=7 23\"a\" " BEFORE(10) "}\n",
             "10=2 8=30 11{9=1 11=7 23\"b\" " BEFORE(20) "}\n", "8=40 10=1 11{9=2 11=7}\n",
             "10=2 8=45 11{9=2 11=7 " AFTER(50) "}\n");
    expect_packets(30, 45, want);
    snprintf(want, sizeof want, "%s%s%s", lane, "8=50 10=2 11{9=2 11=7}\n",
             "10=1 8=45 11{9=1 11=7 23\"a\" " BEFORE(10) "}\n");
    expect_packets(45, 60, want);
}

/* An end that comes before its begin in the file is that all the same. */
Test(cut_bytes, an_end_may_come_first)
{
    start();
    describe(7, 0, "lane");
    legacy(80, 7, 'e');
    legacy(10, 7, 'b');
    expect_packets(5, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "8=10 10=1 11{9=0 11=7 23\"l\" 22\"c\" " OPERATION(
                       98) "}\n"
                           "10=1 8=60 11{9=0 11=7 23\"l\" 22\"c\" " OPERATION(101) " " AFTER(80) "}\n");
}

/* Steps of legacy flows, of which the first one in the window begins and an end that nothing began means nothing; both
 * keep their phase before the new one. */
Test(cut_bytes, legacy_flows_from_outside_begin_anew_or_mean_nothing)
{
    static const char mark[] = "4{10\"cut.flow_outside\" 2=1}";
    char want[300];
    for (int ends = 0; ends < 2; ends++) {
        start();
        describe(7, 0, "lane");
        legacy(50, 7, ends ? 'f' : 't');
        snprintf(want, sizeof want,
                 "10=2120447348 13=1 60{1=7 2\"lane\"}\n8=50 10=1 11{9=0 11=7 23\"l\" 22\"c\" 6{2=%d 11=5 2=%d} %s}\n",
                 ends ? 'f' : 't', ends ? 'h' : 's', mark);
        expect_packets(40, 60, want);
    }
}

/* A time in microseconds counts once, too. */
Test(cut_bytes, a_begin_with_a_time_in_microseconds_has_that_of_the_start)
{
    start();
    describe(7, 0, "lane");
    event(10000, 1, PF_EVENT_SLICE_BEGIN, 7);
    pf_writer_varint(&w, PF_F_EVENT_TIMESTAMP_ABSOLUTE_US, 10);
    text(PF_F_EVENT_NAME, "a");
    done();
    expect_packets(40000, 60000,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "10=1 8=40000 11{9=1 11=7 23\"a\" " BEFORE(10000) "}\n");
}

/* Thread time and instructions are differences, too: 21 is 5 + 7 + 9, the last one stays. */
Test(cut_bytes, differences_of_thread_clocks_make_up_for_what_was_left_out)
{
    start();
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&w, 1, 5);
    pf_writer_varint(&w, 2, 6);
    done();
    for (uint64_t i = 0; i < 6; i++) { /* of one kind, of the other one, of both */
        event(10 + 10 * i, 1, PF_EVENT_INSTANT, 0);
        if (i != 4) {
            pf_writer_varint(&w, PF_F_EVENT_THREAD_TIME_DELTA_US, 5 + 2 * i);
        }
        if (i != 3) {
            pf_writer_varint(&w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA, 50 + 20 * i);
        }
        text(PF_F_EVENT_NAME, "i");
        done();
    }
    expect_packets(35, 65,
                   "10=1 13=1\n10=1 44{1=5 2=6}\n8=40 10=1 11{9=3 2=32 23\"i\"}\n"
                   "8=50 10=1 11{9=3 8=340 23\"i\"}\n8=60 10=1 11{9=3 2=15 8=150 23\"i\"}\n");
}

/* The last one in time, of those at one time the last one in the file. */
Test(cut_bytes, the_state_at_the_start_is_the_last_one_in_time)
{
    start();
    describe(7, 0, "lane");
    named(20, PF_EVENT_STATE, 7, "first");
    named(20, PF_EVENT_STATE, 7, "last");
    named(10, PF_EVENT_STATE, 7, "older");
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "10=1 8=40 11{9=5 11=7 23\"last\" " BEFORE(20) "}\n");
}

/* The value of an event that is left out becomes one of its own, without marks as that is its time. */
Test(cut_bytes, a_value_on_an_end_at_the_start_is_an_event_of_its_own)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, false);
    begin(10, 1, 7, "a");
    event(40, 1, PF_EVENT_SLICE_END, 7);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 8);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, 3);
    done();
    expect_packets(40, 60, "10=2120447348 13=1 60{1=8 2\"count\" 8{5=0}}\n10=1 8=40 11{9=4 11=8 30=3}\n");
}

Test(cut_bytes, a_state_from_before_has_the_marks)
{
    start();
    describe(7, 0, "lane");
    named(10, PF_EVENT_STATE, 7, "old");
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "10=1 8=40 11{9=5 11=7 23\"old\" " BEFORE(10) "}\n");
}

/* ---- render stages and what counters of GPUs are ----------------------------------------------------------------- */

static void stage(uint64_t ts, uint64_t dur)
{
    packet(ts, 1);
    pf_writer_begin(&w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    pf_writer_varint(&w, PF_F_STAGE_DURATION, dur);
    text(900, "s");
    done();
}

Test(cut_bytes, stages_are_clipped_and_say_what_they_were)
{
    static const struct {
        uint64_t ts, dur;
        const char *want;
    } cases[] = {
        {10, 100, "10=1 8=40 53{2=20 900\"s\" 6{1\"cut.original_ts\" 2\"10\"} 6{1\"cut.original_end\" 2\"110\"}}\n"},
        {30, 20, "10=1 8=40 53{2=10 900\"s\" 6{1\"cut.original_ts\" 2\"30\"}}\n"},
        {40, 21, "10=1 8=40 53{2=20 900\"s\" 6{1\"cut.original_end\" 2\"61\"}}\n"},
        {40, 20, "8=40 10=1 53{2=20 900\"s\"}\n"},
        {40, 0, "8=40 10=1 53{2=0 900\"s\"}\n"},
        {59, 1, "8=59 10=1 53{2=1 900\"s\"}\n"},
        {45, UINT64_MAX, "8=45 10=1 53{2=-1 900\"s\"}\n"}, /* which has no length */
        {45, INT64_MAX, "8=45 10=1 53{2=9223372036854775807 900\"s\"}\n"},
        {30, 10, ""},
        {60, 5, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start();
        clear(1, 1, 0, 7);
        pf_writer_end(&w);
        stage(cases[i].ts, cases[i].dur);
        char want[256];
        snprintf(want, sizeof want, "%s%s", *cases[i].want ? "10=1 13=1 59{11{11=7}}\n" : "", cases[i].want);
        expect_packets(40, 60, want);
    }
}

/* One that belongs to no sequence, where others have another clock. */
Test(cut_bytes, a_clipped_stage_without_a_sequence_has_none)
{
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 10);
    pf_writer_begin(&w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    pf_writer_varint(&w, PF_F_STAGE_DURATION, 40);
    done();
    expect_packets(40, 60, "8=40 53{2=10 6{1\"cut.original_ts\" 2\"10\"}}\n");
}

/* Of what the packet is, in which clock, whether it has samples. */
static void specify(uint64_t ts, uint64_t clock, bool of_stage, const char *what, bool more)
{
    packet(ts, 1);
    if (clock) {
        pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
    }
    pf_writer_begin(&w, of_stage ? PF_F_PACKET_GPU_RENDER_STAGE_EVENT : PF_F_PACKET_GPU_COUNTER_EVENT);
    text(of_stage ? PF_F_STAGE_SPECIFICATIONS : PF_F_GPU_COUNTER_DESCRIPTOR, what);
    if (!of_stage) {
        pf_writer_varint(&w, PF_F_GPU_COUNTER_GPU_ID, 5);
    }
    if (more) {
        text(of_stage ? 900 : PF_F_GPU_COUNTER_SAMPLES, "m");
    }
    done();
}

/* Alone, once each, and where they are in the window before the packet that has them. */
Test(cut_bytes, specifications_are_said_once_before_all_others)
{
    for (int of_stage = 0; of_stage < 2; of_stage++) {
        start();
        specify(10, 0, of_stage, "a", false);
        specify(11, 0, of_stage, "a", true);
        specify(12, 3, of_stage, "b", true);
        specify(50, 0, of_stage, "c", true);
        specify(51, 0, of_stage, "d", false);
        packet(52, 1);
        pf_writer_begin(&w, of_stage ? PF_F_PACKET_GPU_RENDER_STAGE_EVENT : PF_F_PACKET_GPU_COUNTER_EVENT);
        done();
        expect_packets(40, 60,
                       of_stage ? "8=10 10=1 53{7\"a\"}\n8=11 10=1 53{7\"a\"}\n10=1 53{7\"b\"}\n8=50 10=1 53{7\"c\"}\n"
                                  "8=50 10=1 53{7\"c\" 900\"m\"}\n8=51 10=1 53{7\"d\"}\n8=52 10=1 53{}\n"
                                : "8=10 10=1 52{1\"a\" 3=5}\n8=11 10=1 52{1\"a\" 3=5}\n10=1 52{1\"b\" 3=5}\n"
                                  "8=50 10=1 52{1\"c\" 3=5 2\"m\"}\n"
                                  "8=51 10=1 52{1\"d\" 3=5}\n8=52 10=1 52{}\n");
    }
    start(); /* the same one again is not said */
    specify(10, 0, false, "a", false);
    specify(10, 0, false, "a", false);
    specify(10, 0, false, "b", false);
    specify(50, 0, false, "b", true);
    expect_packets(40, 60, "8=10 10=1 52{1\"a\" 3=5}\n8=10 10=1 52{1\"b\" 3=5}\n8=50 10=1 52{1\"b\" 3=5 2\"m\"}\n");
}

/* ---- values of counters ------------------------------------------------------------------------------------------ */

static void describe_value(uint64_t uuid, const char *name, bool incremental)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    text(2, name);
    pf_writer_begin(&w, 8);
    pf_writer_varint(&w, 5, incremental);
    pf_writer_end(&w);
    done();
}

/* An instant with a value of 8 and one of 9, which is a real one. */
static void instant_with_values(uint64_t ts, uint64_t whole, double real)
{
    event(ts, 1, PF_EVENT_INSTANT, 7);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 8);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, whole);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, 9);
    pf_writer_double(&w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, real);
    text(PF_F_EVENT_NAME, "i");
    done();
}

/* Reals: 3 is 4613937818241073152, 4.5 is 4616752568008179712. */
Test(cut_bytes, values_whose_counter_is_left_out_are_taken_out_of_their_event)
{
    static const char *const drop[] = {"whole", "real"};
    for (int i = 0; i < 2; i++) {
        pf_cut_options o = pf_cut_options_default();
        o.track = (pf_edit_patterns){.drop = drop + i, .drop_count = 1};
        start();
        describe(7, 0, "lane");
        describe_value(8, "whole", false);
        describe_value(9, "real", false);
        instant_with_values(50, 2, 3);
        expect_packets_with(&o, 40, 60,
                            i ? "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=2120447348 60{1=8 2\"whole\" 8{5=0}}\n"
                                "8=50 10=1 11{9=3 11=7 23\"i\" 31=8 12=2}\n"
                              : "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=2120447348 60{1=9 2\"real\" 8{5=0}}\n"
                                "8=50 10=1 11{9=3 11=7 23\"i\" 45=9 46=4613937818241073152}\n");
    }
}

Test(cut_bytes, values_of_incremental_counters_make_up_for_what_was_left_out)
{
    start();
    describe(7, 0, "lane");
    describe_value(8, "whole", true);
    describe_value(9, "real", true);
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    instant_with_values(10, 5, 1.5);
    instant_with_values(40, 7, 3);
    instant_with_values(50, 1, 3);
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=2120447348 60{1=8 2\"whole\" 8{5=1}}\n"
                   "10=2120447348 60{1=9 2\"real\" 8{5=1}}\n10=1 13=1 59{11{11=0}}\n"
                   "8=40 10=1 11{9=3 11=7 23\"i\" 31=8 12=12 45=9 46=4616752568008179712}\n"
                   "8=50 10=1 11{9=3 11=7 31=8 12=1 45=9 46=4613937818241073152 23\"i\"}\n");
    for (int real = 0; real < 2; real++) { /* the same of an event of the counter */
        start();
        describe_value(8, "count", true);
        clear(1, 1, 0, 0);
        pf_writer_end(&w);
        for (uint64_t ts = 10; ts <= 40; ts += 30) {
            event(ts, 1, PF_EVENT_COUNTER, 8);
            if (real) {
                pf_writer_double(&w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, ts == 10 ? 1.5 : 3);
            } else {
                pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, ts == 10 ? 5 : 7);
            }
            done();
        }
        expect_packets(40, 60,
                       real ? "10=2120447348 13=1 60{1=8 2\"count\" 8{5=1}}\n10=1 13=1 59{11{11=0}}\n"
                              "8=40 10=1 11{9=4 11=8 44=4616752568008179712}\n"
                            : "10=2120447348 13=1 60{1=8 2\"count\" 8{5=1}}\n10=1 13=1 59{11{11=0}}\n"
                              "8=40 10=1 11{9=4 11=8 30=12}\n");
    }
}

Test(cut_bytes, the_last_value_at_a_time_counts_and_a_real_one_stays_real)
{
    start();
    describe_counter(8, false);
    count(10, 1, 8, 1);
    event(10, 1, PF_EVENT_COUNTER, 8);
    pf_writer_double(&w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, 3);
    pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1); /* more than a row */
    done();
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=8 2\"count\" 8{5=0}}\n"
                   "10=1 8=40 11{9=4 11=8 44=4613937818241073152 " BEFORE(10) "}\n");
}

/* Values are of the event's own uuids, or of those of its sequence. Where these are too few or no counters, or there
 * are more than eight values, nobody takes the event; what came before the fault counts in sums. */
Test(cut_bytes, an_event_with_extra_values_that_are_wrong_is_left_out)
{
    static const struct {
        uint64_t uuids, values, uuid, defaults;
        const char *want;
    } rows[] = {{1, 1, 8, 0, "outer 40 20 lane\n40 5\n50 6\n"},
                {8, 8, 8, 0, "outer 40 20 lane\n40 40\n50 41\n"},
                {9, 9, 8, 0, "50 41\n"},
                {1, 2, 8, 0, "50 6\n"},
                {1, 2, 8, 2, "50 6\n"},
                {0, 1, 8, 0, "50 1\n"},
                {0, 2, 8, 2, "outer 40 20 lane\n40 10\n50 11\n"},
                {0, 2, 8, 1, "50 6\n"},
                {1, 1, 7, 0, "50 1\n"},
                {1, 1, 99, 0, "50 1\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start();
        describe(7, 0, "lane");
        describe_counter(8, true);
        packet(1, 1);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
        pf_writer_begin(&w, PF_F_DEFAULTS_TRACK_EVENT);
        for (uint64_t k = 0; k < rows[i].defaults; k++) {
            pf_writer_varint(&w, PF_F_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS, 8);
        }
        pf_writer_end(&w);
        done();
        begin(10, 1, 7, "outer");
        event(20, 1, PF_EVENT_SLICE_BEGIN, 7);
        for (uint64_t k = 0; k < rows[i].uuids; k++) {
            pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, rows[i].uuid);
        }
        for (uint64_t k = 0; k < rows[i].values; k++) {
            pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, 5);
        }
        done();
        end(30, 1, 7);
        count(50, 1, 8, 1);
        end(70, 1, 7);
        expect(40, 60, rows[i].want);
    }
}

/* ---- which packets say how long a trace is ----------------------------------------------------------------------- */

/* The first time is 20, the last one 90, whatever kind of packet says so; times that nobody knows, or before 0, count
 * nothing, nor do those of packets about the trace. */
Test(cut_bytes, windows_count_from_the_times_of_all_kinds_of_packets)
{
    enum { EVENT, COMPLETE, STAGE, BUNDLE, OTHER, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        pf_cut_options o = pf_cut_options_default();
        pf_cut_result r = {.size = sizeof r};
        pf_error err;
        start();
        describe(7, 0, "lane");
        pf_writer_begin(&w, PF_F_TRACE_PACKET); /* configuration at 7 */
        pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 7);
        pf_writer_begin(&w, PF_F_PACKET_TRACE_CONFIG);
        done();
        for (uint64_t ts = 90; ts <= 90; ts -= 35) {
            if (kind == EVENT) {
                named(ts, PF_EVENT_INSTANT, 7, "i");
                end(ts - 1000, 1, 7);
            } else if (kind == COMPLETE && ts == 20) {
                event(ts, 1, 0, 7);
                pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
                pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'X');
                pf_writer_varint(&w, PF_F_LEGACY_DURATION_US, 1);
                pf_writer_end(&w);
                done();
            } else if (kind == STAGE && ts == 20) {
                stage(ts, 70);
            } else if (kind == BUNDLE) {
                pf_writer_begin(&w, PF_F_TRACE_PACKET);
                pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
                pf_writer_varint(&w, PF_F_FTRACE_CPU, 0);
                pf_writer_begin(&w, PF_F_FTRACE_EVENT);
                pf_writer_varint(&w, PF_F_FTRACE_EVENT_TIMESTAMP, ts);
                pf_writer_begin(&w, 20);
                pf_writer_end(&w);
                pf_writer_end(&w);
                done();
            } else if (kind == OTHER) {
                packet(ts, 1);
                pf_writer_begin(&w, 901);
                done();
            }
        }
        write_file("in.pftrace");
        o.from = (pf_edit_time){PF_EDIT_FROM_START, 10};
        o.to = (pf_edit_time){PF_EDIT_FROM_END, 5};
        cr_assert_eq(pf_cut("in.pftrace", "cut.pftrace", &o, &r, &err), PF_OK, "%d: %s", kind, err.text);
        cr_expect_eq(r.from, 30, "%d: %d", kind, (int)r.from);
        cr_expect_eq(r.to, kind == COMPLETE ? 1015 : 85, "%d: %d", kind, (int)r.to);
        pf_trace_free(r.input);
    }
}
