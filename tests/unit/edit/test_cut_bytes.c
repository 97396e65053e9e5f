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
#define BEFORE(ts) "4{10\"cut.begins_before\" 2=1} 4{10\"cut.original_ts\" 4=" #ts "}"
#define AFTER(ts) "4{10\"cut.ends_after\" 2=1} 4{10\"cut.original_end\" 4=" #ts "}"

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
static void legacy(uint64_t ts, uint64_t track, char phase)
{
    event(ts, 1, 0, track);
    text(PF_F_EVENT_NAME, "l");
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

/* Its end comes first in the file, so that another one is made: with all that says which operation that is. */
Test(cut_bytes, an_end_that_is_made_for_an_operation_says_which_one)
{
    start();
    describe(7, 0, "lane");
    legacy(80, 7, 'e');
    legacy(10, 7, 'b');
    expect_packets(5, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
                   "8=10 10=1 11{9=0 11=7 23\"l\" 22\"c\" 6{2=98 3=80 4=1 15=2 11=5}}\n"
                   "10=1 8=60 11{11=7 23\"l\" 22\"c\" 6{11=5 2=101} " AFTER(80) "}\n");
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
        end(80, 1, 0);
        if (chrome) {
            legacy(10, 0, 'B');
        } else {
            begin(10, 1, 0, "l");
        }
        expect_packets(5, 60,
                       chrome ? "10=1 13=1\n10=1 44{1=5 2=6}\n"
                                "8=10 10=1 11{9=0 23\"l\" 22\"c\" 6{2=66 3=80 4=1 15=2 11=5}}\n"
                                "10=1 8=60 11{6{2=69} " AFTER(80) "}\n"
                              : "10=1 13=1\n10=1 44{1=5 2=6}\n8=10 10=1 11{9=1 23\"l\"}\n"
                                "10=1 8=60 11{9=2 " AFTER(80) "}\n");
    }
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
