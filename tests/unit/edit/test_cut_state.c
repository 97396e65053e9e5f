/* unit/edit/test_cut_state.c - cuts packet by packet: the state of sequences, and clocks. As test_cut_bytes.c. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_state, .init = scratch_enter, .fini = scratch_leave);

/* MONOTONIC 1000 is BOOTTIME 2000: in a packet that may say more. */
static void put_snapshot(void)
{
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (uint64_t clock = PF_CLOCK_BOOTTIME; clock >= PF_CLOCK_MONOTONIC; clock -= 3) {
        pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&w, PF_F_CLOCK_ID, clock);
        pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, clock == PF_CLOCK_BOOTTIME ? 2000 : 1000);
        pf_writer_end(&w);
    }
    pf_writer_end(&w);
}
#define SNAPSHOT "6{1{1=6 2=2000} 1{1=3 2=1000}}"

/* Packets of our own have times of the trace, of which they say the clock where the sequence has another one, or where
 * a snapshot made one the default. */
Test(cut_state, packets_that_are_added_say_their_clock_where_times_have_one)
{
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    put_snapshot();
    pf_writer_end(&w);
    describe(7, 0, "lane");
    clear(1, 1, PF_CLOCK_MONOTONIC, 7);
    pf_writer_end(&w);
    begin(1010, 1, 7, "a");
    end(1060, 1, 7);
    expect_packets(2030, 2050,
                   SNAPSHOT "\n10=2120447348 13=1 60{1=7 2\"lane\"}\n10=1 13=1 59{58=3 11{11=7}}\n"
                            "10=1 8=2030 58=6 11{9=1 11=7 23\"a\" " BEFORE(2010) "}\n"
                                                                                 "10=1 8=2050 58=6 11{9=2 11=7 " AFTER(
                                                                                     2060) "}\n");
}

/* Snapshots come before values from before, too; one that only later packets know is said where the part ends. */
Test(cut_state, snapshots_are_said_before_what_needs_them_or_at_the_end)
{
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    put_snapshot();
    pf_writer_end(&w);
    describe_counter(8, false);
    count(2010, 1, 8, 3);
    expect_packets(2030, 2050, SNAPSHOT "\n" COUNTER_FIRST "10=1 8=2030 58=6 11{9=4 11=8 30=3 " BEFORE(2010) "}\n");
    start();
    describe(7, 0, "lane");
    packet(1040, 1);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, PF_CLOCK_MONOTONIC);
    pf_writer_begin(&w, 901);
    done();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    put_snapshot();
    pf_writer_end(&w);
    expect_packets(2030, 2050, "8=1040 10=1 58=3 901\"\"\n" SNAPSHOT "\n");
}

/* Pid 0 is known to readers from the start: its descriptor has the time at which the window begins. */
Test(cut_state, the_descriptor_of_pid_0_has_the_time_of_the_start)
{
    enum { PROCESS = 3 };
    for (int clocks = 0; clocks < 2; clocks++) {
        start();
        if (clocks) {
            pf_writer_begin(&w, PF_F_TRACE_PACKET);
            put_snapshot();
            pf_writer_end(&w);
        }
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
        pf_writer_varint(&w, 1, 9);
        pf_writer_begin(&w, PROCESS);
        pf_writer_varint(&w, 1, 0);
        pf_writer_end(&w);
        done();
        begin(50, 1, 9, "a");
        end(55, 1, 9);
        expect_packets(clocks ? 40 : -5, 60,
                       clocks ? SNAPSHOT
                           "\n10=2120447348 13=1 8=40 58=6 60{1=9 3{1=0}}\n8=50 10=1 11{9=1 11=9 23\"a\"}\n"
                           "8=55 10=1 11{9=2 11=9}\n"
                              : "10=2120447348 13=1 8=0 60{1=9 3{1=0}}\n8=50 10=1 11{9=1 11=9 23\"a\"}\n"
                                "8=55 10=1 11{9=2 11=9}\n");
    }
}

/* Of a packet with a snapshot that all sequences share and state of its own, the snapshot goes into all parts alone. */
Test(cut_state, a_snapshot_with_state_in_its_packet_is_said_alone)
{
    for (int i = 0; i < 4; i++) {
        start();
        packet(1, 1);
        if (i == 0) {
            pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        } else if (i == 1) {
            pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
            pf_writer_end(&w);
        } else if (i == 2) {
            pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
            intern(1, "n");
            pf_writer_end(&w);
        } else {
            pf_writer_varint(&w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
        }
        put_snapshot();
        pf_writer_end(&w);
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 50);
        pf_writer_begin(&w, 901);
        done();
        expect_packets(40, 60, SNAPSHOT "\n8=50 901\"\"\n");
    }
}

/* An own clock whose ticks are 4 ns, which counts from packet to packet or does not; as default, or named by each
 * packet; others in between have times of the trace. */
Test(cut_state, own_clocks_go_on_from_what_is_in_the_cut)
{
    for (uint64_t incremental = 0; incremental < 2; incremental++) {
        start();
        describe(7, 0, "lane");
        packet(1000, 1);
        pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
        for (uint64_t i = 0; i < 2; i++) {
            pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
            pf_writer_varint(&w, PF_F_CLOCK_ID, i ? PF_CLOCK_SEQUENCE_LAST : PF_CLOCK_BOOTTIME);
            pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, i ? 0 : 1000);
            pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, i * incremental);
            pf_writer_varint(&w, 4, i ? 4 : 1);
            pf_writer_end(&w);
        }
        done();
        for (uint64_t i = 0; i < 4; i++) { /* at 1020, 1040, 1060, 1080 */
            packet(incremental ? 5 : 5 + 5 * i, 1);
            pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, PF_CLOCK_SEQUENCE_LAST);
            pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
            pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
            pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
            text(PF_F_EVENT_NAME, (char[]){(char)('a' + i), '\0'});
            done();
            packet(1000 + 15 * i, 1); /* at times of the trace: outside of the window */
            pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, PF_CLOCK_BOOTTIME);
            pf_writer_begin(&w, 901);
            done();
        }
        char want[300];
        snprintf(want, sizeof want,
                 "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=1 6{1{1=6 2=1000 3=0 4=1} 1{1=127 2=0 3=%d 4=4}}\n"
                 "8=15 10=1 58=127 11{9=3 11=7 23\"c\"}\n8=%d 10=1 58=127 11{9=3 11=7 23\"d\"}\n",
                 (int)incremental, incremental ? 5 : 20);
        expect_packets(1050, 1090, want);
    }
}

/* Packets that need a state are nothing without one, and none of a sequence are without its number. */
Test(cut_state, packets_without_the_state_that_they_need_are_left_out)
{
    for (int i = 0; i < 3; i++) {
        start();
        if (i == 1) {
            clear(1, 1, 0, 0);
            pf_writer_end(&w);
        }
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 50);
        if (i < 2) {
            pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
        }
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
        pf_writer_begin(&w, 901);
        done();
        static const uint32_t of_sequences[] = {PF_F_PACKET_TRACK_EVENT, PF_F_PACKET_THREAD_DESCRIPTOR,
                                                PF_F_PACKET_CLOCK_SNAPSHOT};
        for (size_t k = 0; k < 3; k++) {
            pf_writer_begin(&w, PF_F_TRACE_PACKET);
            pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 50);
            pf_writer_begin(&w, of_sequences[k]);
            if (of_sequences[k] == PF_F_PACKET_CLOCK_SNAPSHOT) {
                pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
                pf_writer_varint(&w, PF_F_CLOCK_ID, PF_CLOCK_SEQUENCE_FIRST);
                pf_writer_end(&w);
            } else {
                pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
            }
            done();
        }
        expect_packets(40, 60, i == 1 ? "10=1 13=1 59{11{11=0}}\n8=50 10=1 13=2 901\"\"\n" : "");
    }
}

/* What a packet of the window says itself is not said before it, and not again. */
Test(cut_state, entries_of_packets_in_the_window_are_said_once)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 7);
    pf_writer_end(&w);
    packet(50, 1);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    intern(1, "n");
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
    done();
    event(55, 1, PF_EVENT_INSTANT, 0);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
    done();
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=1 13=1 59{11{11=7}}\n"
                   "8=50 10=1 12{2{1=1 2\"n\"}} 11{9=3 10=1}\n8=55 10=1 11{9=3 10=1}\n");
}

/* A clock of sequence 1 that is 1000 where `other` is. */
static void put_own_clock(uint64_t other)
{
    packet(1000, 1);
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (uint64_t i = 0; i < 6; i++) { /* the others are no own ones */
        pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&w, PF_F_CLOCK_ID, i == 5 ? PF_CLOCK_SEQUENCE_FIRST : i ? i : other);
        pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, 1000);
        pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, i == 5);
        pf_writer_end(&w);
    }
    done();
}
#define LANE "10=2120447348 13=1 60{1=7 2\"lane\"}\n"
#define OWN_CLOCK(other)                                                                                               \
    "6{1{1=" #other                                                                                                    \
    " 2=1000 3=0} 1{1=1 2=1000 3=0} 1{1=2 2=1000 3=0} 1{1=3 2=1000 3=0} 1{1=4 2=1000 3=0} 1{1=64 2=1000 3=1}}"

/* A packet that counts in it. */
static void own_time(uint64_t delta)
{
    packet(delta, 1);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, PF_CLOCK_SEQUENCE_FIRST);
}

static void own_instant(uint64_t delta)
{
    own_time(delta);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
    done();
}

/* A snapshot holds though the sequence gets defaults or begins anew after it. An event of the service counts in no
 * clock, so it stays as it is, and moves none. */
Test(cut_state, an_own_clock_runs_on_through_what_comes_between)
{
    enum { DEFAULTS, CLEAR, SERVICE };
    static const char *const want[] = {LANE "10=1 59{58=6} " OWN_CLOCK(6) "\n8=20 10=1 58=64 11{9=3 11=7}\n",
                                       LANE "10=1 13=1 59{900=6} " OWN_CLOCK(6) "\n8=20 10=1 58=64 11{9=3 11=7}\n",
                                       "10=1 " OWN_CLOCK(6) "\n8=5 10=1 58=64 69\"\"\n" LANE
                                                            "8=20 10=1 58=64 11{9=3 11=7}\n"};
    for (int between = DEFAULTS; between <= SERVICE; between++) {
        start();
        describe(7, 0, "lane");
        put_own_clock(PF_CLOCK_BOOTTIME);
        own_instant(10);
        if (between == SERVICE) {
            own_time(5);
            pf_writer_begin(&w, PF_F_PACKET_SERVICE_EVENT);
            pf_writer_end(&w);
        } else {
            packet(1000, 1);
            pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, between == CLEAR ? PF_SEQ_STATE_CLEARED : 0);
            pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
            pf_writer_varint(&w, between == CLEAR ? 900 : PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, PF_CLOCK_BOOTTIME);
            pf_writer_end(&w);
        }
        pf_writer_end(&w);
        own_instant(10);
        expect_packets(1015, 1030, want[between]);
    }
}

/* Nobody knows whose clock it is: the packet is in every part. */
Test(cut_state, a_packet_without_a_sequence_in_a_clock_of_one_has_no_time)
{
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 5);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, PF_CLOCK_SEQUENCE_FIRST);
    pf_writer_begin(&w, 901);
    done();
    expect_packets(40, 60, "8=5 58=64 901\"\"\n");
}

/* Times of the file's own clock are said to be of BOOTTIME, which is the same where nothing relates the two. */
Test(cut_state, times_of_the_clock_of_the_file_are_said_in_boottime)
{
    start();
    describe(7, 0, "lane");
    put_own_clock(PF_CLOCK_TRACE_FILE);
    clear(1000, 1, PF_CLOCK_SEQUENCE_FIRST, 7);
    pf_writer_end(&w);
    begin(10, 1, 0, "a");
    expect_packets(
        1020, 1030,
        LANE "10=1 13=1 59{58=64 11{11=7}} " OWN_CLOCK(11) "\n10=1 8=1020 58=6 11{9=1 23\"a\" " BEFORE(1010) "}\n");
}

/* Who is idle is what the first one says; what a track is, is what its first descriptor says, which has no parent. */
Test(cut_state, first_descriptors_count)
{
    enum { PROCESS = 3, THREAD = 4 };
    start();
    describe(8, 0, "other");
    describe_owner(9, PROCESS, 0, 0, 2, "first");
    describe_owner(10, PROCESS, 0, 0, 2, "second");
    begin(50, 1, 10, "a");
    expect_packets(40, 60,
                   "10=2120447348 13=1 8=40 60{1=9 3{1=0 6\"first\"}}\n10=2120447348 8=40 60{1=10 3{1=0 6\"second\"}}\n"
                   "8=50 10=1 11{9=1 11=10 23\"a\"}\n");
    start();
    describe(7, 0, "lane");
    describe(7, 9, "lane");
    describe(9, 0, "above");
    begin(50, 1, 7, "a");
    expect_packets(40, 60,
                   "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=2120447348 60{1=7 2\"lane\" 5=9}\n"
                   "8=50 10=1 11{9=1 11=7 23\"a\"}\n");
    start(); /* nothing describes the thread's process: on another machine it is another one */
    describe(8, 0, "other");
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_MACHINE_ID, 77);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, 9);
    pf_writer_begin(&w, PROCESS);
    pf_writer_varint(&w, 1, 5);
    pf_writer_end(&w);
    done();
    describe_owner(7, THREAD, 5, 6, 2, NULL);
    begin(50, 1, 7, "a");
    expect_packets(40, 60, "10=2120447348 13=1 60{1=7 4{1=5 2=6}}\n8=50 10=1 11{9=1 11=7 23\"a\"}\n");
}
