/* What a cut has to repair, rule by rule: packets built here, cut, read again, and shown. Expected is what the whole
 * has in the window, worked out by hand. Each rule also holds for a cut of the cut, which is the cut byte for byte. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut, .init = scratch_enter, .fini = scratch_leave);

/* ---- the rules --------------------------------------------------------------------------------------------------- */

Test(cut, slices_are_clipped_at_both_edges_and_nest_as_before)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "outer");
    begin(20, 1, 7, "over");
    end(30, 1, 7);
    begin(40, 1, 7, "inner");
    end(90, 1, 7);
    end(100, 1, 7);
    expect(50, 60, "outer 50 10 lane\ninner 50 10 lane\n");
}

Test(cut, what_never_ends_does_not_end_in_the_cut)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "open");
    begin(20, 1, 7, "later");
    end(25, 1, 7);
    expect(50, 60, "open 50 -1 lane\n");
}

Test(cut, only_interned_names_that_are_referred_to_are_said)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 7);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    intern(1, "unused");
    intern(2, "used");
    pf_writer_end(&w);
    pf_writer_end(&w);
    event(50, 1, PF_EVENT_INSTANT, 0);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 2);
    done();
    expect(40, 60, "used 50 0 lane\n");
    size_t len;
    char *cut = read_file("cut.pftrace", &len);
    cr_expect(memmem(cut, len, "used", 4) && !memmem(cut, len, "unused", 6));
    free(cut);
}

Test(cut, a_begin_keeps_the_name_of_its_own_generation)
{
    start();
    describe(7, 0, "lane");
    for (int i = 0; i < 2; i++) {
        clear((uint64_t)(10 + 30 * i), 1, 0, 7);
        pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
        intern(1, i ? "new" : "old");
        pf_writer_end(&w);
        pf_writer_end(&w);
        event((uint64_t)(11 + 45 * i), 1, PF_EVENT_SLICE_BEGIN, 0);
        pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
        done();
    }
    end(58, 1, 7);
    end(80, 1, 7);
    expect(50, 60, "old 50 10 lane\nnew 56 2 lane\n");
}

Test(cut, an_incremental_clock_makes_up_for_what_was_left_out)
{
    start();
    describe(7, 0, "lane");
    clear(1000, 1, 64, 7);
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (int i = 0; i < 2; i++) {
        pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&w, PF_F_CLOCK_ID, i ? 64 : PF_CLOCK_BOOTTIME);
        pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, 1000);
        pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, (uint64_t)i);
        pf_writer_end(&w);
    }
    done();
    begin(10, 1, 0, "a"); /* 1010 */
    end(10, 1, 0);        /* 1020 */
    begin(10, 1, 0, "b"); /* 1030 */
    end(10, 1, 0);        /* 1040 */
    expect(1025, 1050, "b 1030 10 lane\n");
}

Test(cut, a_counter_begins_with_its_last_value_and_sums_go_on)
{
    start();
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    describe_counter(8, true);
    count(10, 1, 8, 5);
    count(20, 1, 8, 7);
    count(50, 1, 8, 1);
    expect(30, 60, "30 12\n50 13\n");
}

Test(cut, a_counter_at_the_moment_of_the_start_has_no_value_before)
{
    start();
    describe_counter(8, false);
    count(10, 1, 8, 5);
    count(30, 1, 8, 7);
    expect(30, 60, "30 7\n");
}

Test(cut, the_last_value_is_the_last_one_in_time)
{
    start();
    describe_counter(8, false);
    count(20, 1, 8, 1);
    count(10, 1, 8, 2);
    event(15, 1, PF_EVENT_COUNTER, 8);
    pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, 3);
    pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1); /* which makes it more than a row */
    done();
    count(50, 1, 8, 4);
    expect(30, 60, "30 1\n50 4\n");
}

/* A packet with a time that nothing knows, and a stage of a GPU, both with the text "here". */
static void describe_other(uint64_t ts, uint32_t data, uint64_t dur)
{
    packet(ts, 1);
    pf_writer_begin(&w, data);
    pf_writer_varint(&w, PF_F_STAGE_DURATION, dur);
    text(900, "here");
    done();
}

static bool is_kept(pf_cut_options *o, int64_t from, int64_t to)
{
    size_t len;
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", o, from, to);
    char *all = read_file("cut.pftrace", &len);
    bool kept = memmem(all, len, "here", 4);
    free(all);
    return kept;
}

Test(cut, packets_without_a_track_are_kept_by_their_time_unless_tracks_are_selected)
{
    const char *const lane[] = {"lane"};
    for (uint64_t ts = 9; ts < 30; ts += 10) {
        pf_cut_options o = pf_cut_options_default();
        start();
        describe_other(ts, 901, 5);
        cr_expect_eq(is_kept(&o, 10, 20), ts == 19, "%d", (int)ts);
        o.track = (pf_edit_patterns){.keep = lane, .keep_count = 1};
        start();
        describe_other(ts, 901, 5);
        cr_expect(!is_kept(&o, 10, 20));
    }
}

/* Configuration, system, process trees; a trigger is something that happened. */
Test(cut, packets_about_the_trace_as_a_whole_are_kept_whatever_their_time)
{
    static const uint32_t kinds[] = {2, 5, 33, 35, 36, 43, 45, 51, 67, 69, 72, 78, 89, 126, 128, 46};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pf_cut_options o = pf_cut_options_default();
        start();
        describe_other(9, kinds[i], 5);
        cr_expect_eq(is_kept(&o, 10, 20), kinds[i] != 46, "%u", kinds[i]);
    }
}

Test(cut, stages_of_gpus_are_kept_as_slices_are)
{
    pf_cut_options o = pf_cut_options_default();
    for (uint64_t dur = 9; dur < 12; dur++) { /* from 10 on: it ends before the window, where that begins, in it */
        start();
        describe_other(10, PF_F_PACKET_GPU_RENDER_STAGE_EVENT, dur);
        cr_expect_eq(is_kept(&o, 20, 40), dur > 10, "%d", (int)dur);
    }
    o.min_dur = 12;
    for (uint64_t dur = 11; dur < 13; dur++) {
        start();
        describe_other(10, PF_F_PACKET_GPU_RENDER_STAGE_EVENT, dur);
        cr_expect_eq(is_kept(&o, 0, 40), dur >= 12, "%d", (int)dur);
    }
}

/* The end of a slice with a value of the counter 8. */
static void end_with_value(uint64_t ts, uint64_t track, uint64_t value)
{
    event(ts, 1, PF_EVENT_SLICE_END, track);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 8);
    pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, value);
    done();
}

static void two_slices_with_values(void)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, false);
    begin(10, 1, 7, "a");
    end_with_value(50, 7, 3);
    begin(55, 1, 7, "b");
    end_with_value(60, 7, 4);
}

Test(cut, values_on_an_event_belong_to_the_window_of_their_time)
{
    two_slices_with_values();
    expect(40, 50, "a 40 10 lane\n");
    two_slices_with_values();
    expect(50, 60, "b 55 5 lane\n50 3\n");
}

Test(cut, values_on_an_event_belong_to_their_own_track)
{
    const char *const lane[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    two_slices_with_values();
    o.track = (pf_edit_patterns){.keep = lane, .keep_count = 1};
    expect_with(&o, 40, 70, "a 40 10 lane\nb 55 5 lane\n");
    two_slices_with_values();
    expect_with(&o, 52, 70, "b 55 5 lane\n"); /* the value at the start is left out, too */
    two_slices_with_values();
    o.track = (pf_edit_patterns){.drop = lane, .drop_count = 1};
    expect_with(&o, 55, 70, "55 3\n60 4\n");
}

Test(cut, descriptors_count_wherever_they_stand_with_their_parents)
{
    start();
    begin(50, 1, 7, "a");
    end(55, 1, 7);
    describe(7, 9, "late");
    describe(9, 0, "parent");
    expect(40, 60, "a 50 5 late\n");
    size_t len;
    char *cut = read_file("cut.pftrace", &len);
    cr_expect_not_null(memmem(cut, len, "parent", 6));
    free(cut);
}

Test(cut, a_track_that_nothing_describes_is_known_where_one_below_it_needs_it)
{
    start();
    describe(7, 9, "lane");
    begin(3, 1, 7, "refused");
    begin(5, 1, 9, "parent");
    end(8, 1, 9);
    begin(10, 1, 7, "a");
    expect(50, 60, "a 50 -1 lane\n");
}

Test(cut, nameless_tracks_are_called_after_their_first_event_in_the_whole)
{
    start();
    describe(9, 0, NULL);
    describe(7, 9, NULL);
    begin(10, 1, 7, "first");
    end(20, 1, 7);
    begin(50, 1, 7, "second");
    end(55, 1, 7);
    begin(56, 1, 9, "third");
    end(58, 1, 9);
    expect(40, 60, "second 50 5 first\nthird 56 2 first\n");
}

Test(cut, descriptors_of_other_tracks_are_left_out)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "elsewhere");
    begin(50, 1, 7, "a");
    end(55, 1, 7);
    begin(80, 1, 8, "b");
    end(85, 1, 8);
    expect(40, 60, "a 50 5 lane\n");
    size_t len;
    char *cut = read_file("cut.pftrace", &len);
    cr_expect_null(memmem(cut, len, "elsewhere", 9));
    free(cut);
}

Test(cut, an_end_with_a_name_takes_the_slice_that_it_names)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    begin(20, 1, 7, "b");
    event(30, 1, PF_EVENT_SLICE_END, 7);
    text(PF_F_EVENT_NAME, "nobody");
    done();
    end(55, 1, 7);
    end(80, 1, 7);
    expect(50, 60, "a 50 10 lane\nb 50 5 lane\n");
}

Test(cut, an_end_with_categories_takes_the_slice_that_has_them)
{
    static const char *const categories[] = {"y", "x", "nobody"};
    start();
    describe(7, 0, "lane");
    for (int i = 0; i < 3; i++) {
        event(10 + 10 * (uint64_t)i, 1, i < 2 ? PF_EVENT_SLICE_BEGIN : PF_EVENT_SLICE_END, 7);
        text(PF_F_EVENT_CATEGORIES, categories[i]);
        if (i < 2) {
            text(PF_F_EVENT_NAME, i == 0 ? "a" : "b");
        }
        done();
    }
    end(55, 1, 7);
    end(80, 1, 7);
    expect(50, 60, "a 50 10 lane\nb 50 5 lane\n");
}

Test(cut, an_end_that_comes_late_in_the_file_counts)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "over");
    event(52, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "mark");
    done();
    end(20, 2, 7);
    expect(50, 60, "mark 52 0 lane\n");
}

Test(cut, what_an_end_that_comes_late_closed_inside_of_its_slice_is_over)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "b");
    begin(20, 1, 7, "c");
    event(52, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "mark");
    done();
    end_outer(30, 2, 7);
    begin(35, 2, 7, "d");
    end(36, 2, 7);
    expect(50, 60, "mark 52 0 lane\n");
}

Test(cut, what_ended_inside_of_a_slice_that_is_left_out_ends)
{
    const char *const drop[] = {"x"};
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    event(10, 1, PF_EVENT_SLICE_BEGIN, 7);
    text(PF_F_EVENT_NAME, "b");
    text(PF_F_EVENT_CATEGORIES, "x");
    done();
    begin(20, 1, 7, "c");
    end_outer(30, 1, 7);
    begin(35, 1, 7, "d");
    end(40, 1, 7);
    o.category = (pf_edit_patterns){.drop = drop, .drop_count = 1};
    expect_with(&o, 5, 60, "c 20 10 lane\nd 35 5 lane\n");
}

Test(cut, a_slice_begun_where_the_one_around_it_ends_is_over_with_it)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    begin(20, 1, 7, "b");
    begin(25, 1, 7, "c");
    end_outer(30, 1, 7);
    begin(30, 1, 7, "d");
    begin(40, 1, 7, "e");
    end(55, 1, 7);
    end(58, 1, 7);
    expect(50, 60, "a 50 8 lane\ne 50 5 lane\n");
}

Test(cut, an_end_of_a_clipped_slice_says_no_names_that_it_does_not_have)
{
    start();
    for (int i = 0; i < 2; i++) { /* the second clear before the end */
        packet((uint64_t)(1 + 60 * i), 1);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
        intern(1, "inner");
        pf_writer_end(&w);
        pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
        pf_writer_varint(&w, 1, 5);
        pf_writer_varint(&w, 2, 6);
        done();
        if (!i) {
            begin(10, 1, 0, "b");
            event(20, 1, PF_EVENT_SLICE_BEGIN, 0);
            pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
            done();
        }
    }
    end_outer(70, 1, 0);
    event(80, 1, PF_EVENT_INSTANT, 0);
    done();
    expect(15, 60, "b 15 45 \ninner 20 40 \n");
}

Test(cut, an_end_before_its_begin_in_the_file_closes_it)
{
    start();
    describe(7, 0, "lane");
    end(20, 2, 7);
    begin(10, 1, 7, "over");
    begin(55, 1, 7, "in");
    end(56, 1, 7);
    expect(50, 60, "in 55 1 lane\n");
}

Test(cut, an_end_before_its_begin_in_the_file_at_its_time_does_not_close_it)
{
    start();
    describe(7, 0, "lane");
    end(20, 2, 7);
    begin(20, 1, 7, "open");
    expect(30, 40, "open 30 -1 lane\n");
}

Test(cut, ends_before_their_begins_in_the_file_close_each_its_own)
{
    start();
    describe(7, 0, "lane");
    end(20, 2, 7);
    end(57, 2, 7);
    end(59, 2, 7);
    begin(10, 1, 7, "over");
    begin(55, 1, 7, "in");
    begin(58, 1, 7, "next");
    expect(50, 60, "in 55 2 lane\nnext 58 1 lane\n");
}

Test(cut, a_complete_event_becomes_a_begin_and_an_end)
{
    start();
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&w, 1, 5);
    pf_writer_varint(&w, 2, 6);
    done();
    event(10000, 1, 0, 0);
    text(PF_F_EVENT_NAME, "x");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'X');
    pf_writer_varint(&w, PF_F_LEGACY_DURATION_US, 80);
    pf_writer_end(&w);
    done();
    expect(50001, 60003, "x 50001 10002 \n");
}

Test(cut, packets_that_lost_their_state_stay_lost)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 7);
    pf_writer_end(&w);
    packet(45, 1);
    pf_writer_varint(&w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
    pf_writer_end(&w);
    packet(50, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    text(PF_F_EVENT_NAME, "lost");
    done();
    event(51, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "kept");
    done();
    expect(40, 60, "kept 51 0 lane\n");
}

Test(cut, short_slices_are_left_out_and_what_lies_in_them_stays)
{
    const char *const keep[] = {"l*"};
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin(10, 1, 7, "long");
    begin(20, 1, 7, "short");
    event(21, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "mark");
    done();
    end(22, 1, 7);
    end(40, 1, 7);
    begin(15, 1, 8, "elsewhere");
    end(60, 1, 8);
    o.track.keep = keep;
    o.track.keep_count = 1;
    o.min_dur = 5;
    expect_with(&o, 0, 100, "long 10 30 lane\nmark 21 0 lane\n");
}

Test(cut, a_name_that_comes_late_selects_what_came_before_it)
{
    const char *const keep[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    start();
    begin(50, 1, 7, "a");
    begin(51, 1, 8, "b");
    end(52, 1, 8);
    end(55, 1, 7);
    describe(7, 0, "lane");
    describe(8, 0, "other");
    o.track = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    expect_with(&o, 40, 60, "a 50 5 lane\n");
}

Test(cut, a_begin_before_the_window_counts_after_the_window_began_on_its_track)
{
    start();
    clear(5, 1, 0, 7);
    pf_writer_end(&w);
    describe(7, 0, "lane");
    for (uint64_t ts = 10; ts < 20; ts += 2) { /* so that what follows are rows of a place that is known */
        begin(ts, 1, 7, "a");
        end(ts + 1, 1, 7);
    }
    event(50, 1, PF_EVENT_INSTANT, 7);
    text(PF_F_EVENT_NAME, "in");
    pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1); /* which makes it more than a row */
    done();
    begin(30, 1, 7, "late");
    end(55, 1, 7);
    expect(40, 60, "late 40 15 lane\nin 50 0 lane\n");
}

static void delta_event(int type, uint64_t delta_us)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, (uint64_t)type);
    pf_writer_varint(&w, PF_F_EVENT_TIMESTAMP_DELTA_US, delta_us);
    text(PF_F_EVENT_NAME, "l");
    done();
}

Test(cut, delta_times_make_up_for_what_was_left_out)
{
    enum { PID = 1, TID = 2, REFERENCE_US = 6 };
    start();
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&w, PID, 1);
    pf_writer_varint(&w, TID, 2);
    pf_writer_varint(&w, REFERENCE_US, 1000);
    done();
    for (int i = 0; i < 3; i++) {
        delta_event(PF_EVENT_SLICE_BEGIN, 10);
        delta_event(PF_EVENT_SLICE_END, 20);
    }
    expect(1050000, 1090000, "l 1050000 10000 \nl 1070000 20000 \n");
}

/* A reference time and a difference so far apart that their sum wraps around: found by fuzz_cut. */
Test(cut, delta_times_wrap_around)
{
    static const uint8_t packets[] = {
        0x0a, 0x11, 0x50, 0x01, 0xc8, 0x02, 0x01, 0xe2, 0x03, 0x09, 0x08, 0x01, 0x12, 0x05, 0x74, 0x72,
        0x61, 0x63, 0x6b, 0x0a, 0x13, 0x50, 0x01, 0x5a, 0x0f, 0x48, 0x03, 0x58, 0x01, 0x80, 0x01, 0xe8,
        0x07, 0xba, 0x01, 0x04, 0x67, 0x6f, 0x6f, 0x64, 0x0a, 0x12, 0x50, 0x01, 0xe2, 0x02, 0x0d, 0x30,
        0x89, 0xd8, 0xf2, 0xd0, 0xc5, 0xec, 0xce, 0xef, 0xff, 0x01, 0x38, 0x00, 0x0a, 0x1e, 0x50, 0x01,
        0x5a, 0x1a, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x48, 0x03, 0x58,
        0x01, 0xba, 0x01, 0x08, 0x73, 0x65, 0x6e, 0x74, 0x69, 0x6e, 0x65, 0x6c};
    start();
    pf_buffer_put(&bytes, packets, sizeof packets);
    write_file("in.pftrace");
    pf_cut_options o = pf_cut_options_default();
    cut_file("in.pftrace", "out.pftrace", &o, INT64_MIN, INT64_MAX);
    pf_buffer whole = {0}, part = {0};
    show("in.pftrace", &whole);
    show("out.pftrace", &part);
    cr_expect(whole.len && whole.len == part.len && memcmp(whole.data, part.data, part.len) == 0, "%.*s", (int)part.len,
              part.data);
    pf_buffer_free(&whole);
    pf_buffer_free(&part);
}

static void expect_counted_damage(void)
{
    pf_cut_options o = pf_cut_options_default();
    pf_read_options strict = pf_read_options_default();
    pf_error err;
    strict.strict = true;
    o.read = &strict;
    cr_expect_eq(pf_cut("in.pftrace", "strict.pftrace", &o, NULL, &err), PF_ERR_DAMAGED);
    cr_expect(access("strict.pftrace", F_OK) != 0, "nothing is written");
}

Test(cut, damage_is_left_out_and_what_follows_is_kept)
{
    start();
    describe(7, 0, "lane");
    begin(50, 1, 7, "a");
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_raw(&w, "\x5a\x7f", 2); /* an event that is longer than its packet */
    pf_writer_end(&w);
    end(55, 1, 7);
    expect(40, 60, "a 50 5 lane\n");
    expect_counted_damage();
}

/* A packet that is longer than what it is in: a compressed packet, the file. */
Test(cut, damage_at_an_end_is_counted)
{
    static const char part[] = "\x0a\x7f\x40\x01\x52";
    for (int packed = 0; packed < 2; packed++) {
        uint8_t bytes_of_it[64];
        uLongf len = sizeof bytes_of_it;
        start();
        describe(7, 0, "lane");
        begin(50, 1, 7, "a");
        end(55, 1, 7);
        if (packed) {
            cr_assert_eq(compress(bytes_of_it, &len, (const Bytef *)part, sizeof part - 1), Z_OK);
            pf_writer_begin(&w, PF_F_TRACE_PACKET);
            pf_writer_bytes(&w, PF_F_PACKET_COMPRESSED_PACKETS, bytes_of_it, len);
            pf_writer_end(&w);
        } else {
            pf_writer_raw(&w, part, sizeof part - 1);
        }
        expect(40, 60, "a 50 5 lane\n");
        expect_counted_damage();
    }
}

/* Fields that every trace has, with the wire type of another one, and a text for a process tree: more of them than of
 * ours, and what is read again would be no trace (found by fuzzing). */
Test(cut, packets_that_speak_against_a_trace_are_damage)
{
    static const char *const packets[] = {"\x08\x02\x10\x01", "\x10\x01\x1a\x03two", "\x12\x04text",
                                          "\x40\x32\x10\x01"};
    start();
    describe(7, 0, "lane");
    begin(50, 1, 7, "a");
    end(55, 1, 7);
    begin(70, 1, 7, "b");
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        pf_writer_bytes(&w, PF_F_TRACE_PACKET, packets[i], strlen(packets[i]));
    }
    pf_cut_options o = pf_cut_options_default();
    write_file("in.pftrace");
    cut_file("in.pftrace", "out.pftrace", &o, -100, -17);
    pf_buffer part = {0};
    show("out.pftrace", &part); /* asserts that it can be read */
    cr_expect_eq(part.len, 0);
    pf_buffer_free(&part);
    expect(40, 60, "a 50 5 lane\n");
    size_t len;
    char *cut = read_file("cut.pftrace", &len);
    cr_expect(!memmem(cut, len, "two", 3) && !memmem(cut, len, "text", 4));
    free(cut);
}

static void describe_thread(uint64_t uuid, uint64_t pid, uint64_t tid, const char *name)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    pf_writer_begin(&w, 4);
    pf_writer_varint(&w, 1, pid);
    pf_writer_varint(&w, 2, tid);
    text(5, name);
    pf_writer_end(&w);
    done();
}

/* Two processes have a thread of one number each. */
Test(cut, threads_are_selected_by_the_name_in_their_own_process)
{
    const char *const keep[] = {"t2"};
    pf_cut_options o = pf_cut_options_default();
    o.thread = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    start();
    describe_thread(7, 5, 1, "t1");
    describe_thread(8, 10, 1, "t2");
    begin(10, 1, 7, "a");
    end(20, 1, 7);
    begin(12, 1, 8, "b");
    end(14, 1, 8);
    write_file("in.pftrace");
    cut_file("in.pftrace", "out.pftrace", &o, 0, 100);
    pf_buffer part = {0};
    show("out.pftrace", &part);
    pf_buffer_put(&part, "", 1);
    cr_expect_eq(strncmp(part.data, "b 12 2", 6), 0, "%s", part.data);
    cr_expect_null(strstr(part.data, "a 10"), "%s", part.data);
    pf_buffer_free(&part);
}
