/* unit/edit/test_cut_rules.c - rules of a cut (docs/reference/cut.md) that hold in rare places: at the very edges of a
 * window, for values that count from what is left out, for what files in another order say. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_rules, .init = scratch_enter, .fini = scratch_leave);

/* How often the cut has these bytes. */
static unsigned times(const char *what, size_t what_len)
{
    size_t len;
    unsigned count = 0;
    char *cut = read_file("cut.pftrace", &len);
    for (char *at = cut; (at = memmem(at, (size_t)(cut + len - at), what, what_len)); at++) {
        count++;
    }
    free(cut);
    return count;
}

/* One that is more than a row. */
static void end_alone(uint64_t ts, uint64_t track)
{
    event(ts, 1, PF_EVENT_SLICE_END, track);
    pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1);
    done();
}

Test(cut_rules, a_slice_that_ends_at_the_start_is_outside_and_one_without_length_is_not)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "before");
    end(20, 1, 7);
    begin(20, 1, 7, "at");
    end(20, 1, 7);
    expect(20, 40, "at 20 0 lane\n");
    start();
    begin_thread(5, 6, "worker");
    chrome(10000, 0, 'X', PF_F_LEGACY_DURATION_US, 10);
    begin(20000, 1, 0, "at");
    end(20005, 1, 0);
    expect(20000, 40000, "at 20000 5 \n");
}

Test(cut_rules, a_state_begins_with_the_last_one_unless_there_is_one)
{
    for (int64_t from = 25; from <= 30; from += 5) {
        start();
        describe(7, 0, "lane");
        named(10, PF_EVENT_STATE, 7, "old");
        named(30, PF_EVENT_STATE, 7, "new");
        expect(from, 40, "");
        cr_expect_eq(times("old", 3), from < 30);
        cr_expect_eq(times("new", 3), 1);
    }
}

Test(cut_rules, sums_of_a_counter_hold_without_a_value_before)
{
    start();
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    describe_counter(8, true);
    count(10, 1, 8, 5);
    count(30, 1, 8, 7);
    count(40, 1, 8, 1);
    expect(30, 60, "30 12\n40 13\n");
}

/* Which counter an event has a value of is said by the defaults of its sequence. */
Test(cut_rules, values_without_a_track_are_those_of_the_defaults)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, false);
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
    pf_writer_begin(&w, PF_F_DEFAULTS_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS, 8);
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_end(&w);
    for (uint64_t ts = 10; ts < 60; ts += 40) {
        event(ts, 1, PF_EVENT_INSTANT, 7);
        text(PF_F_EVENT_NAME, "i");
        pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, ts);
        done();
    }
    expect(40, 60, "i 50 0 lane\n40 10\n50 50\n");
}

/* A value on a begin and on an end: in the window where these are, not where the slice is clipped; with its track. */
Test(cut_rules, values_on_clipped_slices_count_at_their_own_time)
{
    static const struct {
        int64_t from, to;
        const char *want;
    } cases[] = {
        {5, 60, "a 10 40 lane\n10 3\n50 4\n"}, {20, 40, "a 20 20 lane\n20 3\n"}, {5, 40, "a 10 30 lane\n10 3\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start();
        describe(7, 0, "lane");
        describe_counter(8, false);
        for (uint64_t k = 0; k < 2; k++) {
            event(10 + 40 * k, 1, k ? PF_EVENT_SLICE_END : PF_EVENT_SLICE_BEGIN, 7);
            text(PF_F_EVENT_NAME, "a");
            pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 8);
            pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, 3 + k);
            done();
        }
        expect(cases[i].from, cases[i].to, cases[i].want);
    }
}

Test(cut_rules, an_end_that_fits_nothing_closes_nothing_that_comes_later_in_the_file)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    end_outer(20, 1, 7);
    begin(15, 2, 7, "late");
    expect(30, 40, "a 30 -1 lane\nlate 30 -1 lane\n");
}

Test(cut_rules, an_end_that_comes_late_ends_nothing_that_begins_after_it)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "b");
    begin(40, 1, 7, "later");
    end_outer(30, 2, 7);
    end(80, 1, 7);
    expect(60, 100, "later 60 20 lane\n");
}

Test(cut_rules, what_ended_inside_of_a_slice_ends_where_only_something_outside_shows_it)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "b");
    begin(20, 1, 7, "inner");
    end_outer(30, 1, 7);
    begin(70, 1, 7, "after");
    expect(0, 50, "b 10 20 lane\ninner 20 10 lane\n");
}

Test(cut_rules, an_end_of_a_slice_that_is_left_out_closes_no_other)
{
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "long");
    begin(20, 1, 7, "short");
    end_alone(22, 7);
    end(60, 1, 7);
    o.min_dur = 10;
    expect_with(&o, 0, 100, "long 10 50 lane\n");
}

Test(cut_rules, who_wrote_a_slice_is_said_where_it_begins_again)
{
    start();
    describe(7, 0, "lane");
    packet(10, 1);
    pf_writer_varint(&w, PF_F_PACKET_TRUSTED_UID, 1234567);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
    done();
    expect(30, 40, " 30 -1 lane\n");
    cr_expect_eq(times("\x18\x87\xad\x4b", 4), 1);
}

/* Clocks of a thread, as differences: 5 + 7 us or instructions before the window, 9 in it; again: these count from a
 * descriptor that comes after the first. */
Test(cut_rules, clocks_of_a_thread_make_up_for_what_was_left_out)
{
    for (int i = 0; i < 4; i++) {
        bool us = i % 2, again = i > 1;
        start();
        begin_thread(5, 6, "worker");
        for (uint64_t k = 0; k < 3; k++) {
            if (k == 1 && again) {
                packet(12, 1);
                pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
                pf_writer_varint(&w, 1, 5);
                pf_writer_varint(&w, 2, 6);
                done();
            }
            event(10 + 20 * k, 1, PF_EVENT_INSTANT, 0);
            pf_writer_varint(&w, us ? PF_F_EVENT_THREAD_TIME_DELTA_US : PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA,
                             5 + 2 * k);
            text(PF_F_EVENT_NAME, "i");
            done();
        }
        expect(45, 60,
               again ? (us ? "i 50 0 \n50 16000\n" : "i 50 0 \n50 16\n")
                     : (us ? "i 50 0 \n50 21000\n" : "i 50 0 \n50 21\n"));
    }
}

Test(cut_rules, events_of_a_sequence_are_selected_by_its_thread)
{
    static const char *const keep[] = {"worker"}, *const other[] = {"other"};
    for (int i = 0; i < 2; i++) {
        pf_cut_options o = pf_cut_options_default();
        start();
        begin_thread(5, 6, "worker");
        begin(10, 1, 0, "a");
        end(20, 1, 0);
        o.thread = (pf_edit_patterns){.keep = i ? other : keep, .keep_count = 1};
        expect_with(&o, 0, 40, i ? "" : "a 10 10 \n");
    }
}

/* Operations have a track of their own in readers. */
Test(cut_rules, operations_are_selected_by_the_track_of_their_events)
{
    static const char *const keep[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    for (uint64_t track = 7; track <= 8; track++) {
        chrome(10 + track, track, 'b', PF_F_LEGACY_GLOBAL_ID, track);
        chrome(20 + track, track, 'e', PF_F_LEGACY_GLOBAL_ID, track);
    }
    o.track = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    expect_with(&o, 0, 40, "l 17 10 l\n");
}

/* Where the end comes first in the file, that of a part is made of the begin. */
Test(cut_rules, an_operation_that_is_clipped_ends_as_it_began)
{
    static const char *const phases[] = {"be", "SF"};
    for (size_t i = 0; i < 2; i++) {
        start();
        describe(7, 0, "lane");
        chrome(80, 7, phases[i][1], PF_F_LEGACY_GLOBAL_ID, 5);
        chrome(10, 7, phases[i][0], PF_F_LEGACY_GLOBAL_ID, 5);
        expect(5, 60, "l 10 50 l\n");
    }
}

static void begin_of_flow(uint64_t ts, uint64_t track, const char *name)
{
    event(ts, 1, PF_EVENT_SLICE_BEGIN, track);
    text(PF_F_EVENT_NAME, name);
    pf_writer_fixed64(&w, PF_F_EVENT_TERMINATING_FLOW_IDS, 99);
    done();
}

static unsigned marks(void)
{
    return times("cut.flow_outside", 16);
}

/* By the numbers of its begin, which the sequence has set up. */
Test(cut_rules, an_end_that_is_made_for_an_operation_refers_to_names)
{
    start();
    describe(7, 0, "lane");
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    for (uint32_t kind = PF_F_INTERNED_EVENT_CATEGORIES; kind <= PF_F_INTERNED_EVENT_NAMES; kind++) {
        pf_writer_begin(&w, kind);
        pf_writer_varint(&w, PF_F_ENTRY_IID, kind + 2);
        text(PF_F_ENTRY_TEXT, kind == PF_F_INTERNED_EVENT_NAMES ? "m" : "c");
        pf_writer_end(&w);
    }
    pf_writer_end(&w);
    pf_writer_end(&w);
    chrome(10, 7, 'b', PF_F_LEGACY_UNSCOPED_ID, 5);
    event(20, 1, 0, 7);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 4);
    pf_writer_varint(&w, PF_F_EVENT_CATEGORY_IIDS, 3);
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_UNSCOPED_ID, 5);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'b');
    pf_writer_end(&w);
    done();
    chrome(80, 7, 'e', PF_F_LEGACY_UNSCOPED_ID, 5);
    chrome(90, 7, 'n', PF_F_LEGACY_UNSCOPED_ID, 5);
    expect_packets(
        5, 60,
        "10=2120447348 13=1 60{1=7 2\"lane\"}\n10=1 13=1\n8=10 10=1 11{9=0 11=7 23\"l\" 22\"c\" 6{2=98 6=5}}\n"
        "10=1 12{2{1=4 2\"m\"} 1{1=3 2\"c\"}}\n8=20 10=1 11{9=0 11=7 10=4 3=3 6{6=5 2=98}}\n"
        "10=1 8=60 11{9=0 11=7 23\"l\" 22\"c\" 6{2=101 6=5} 4{10\"cut.ends_after\" 2=1} 4{10\"cut.original_end\" "
        "4=80}}\n"
        "10=1 8=60 11{11=7 10=4 3=3 6{6=5 2=101} 4{10\"cut.ends_after\" 2=1} 4{10\"cut.original_end\" 4=80}}\n");
}

/* The slice may lie before the window, or on a track that is left out, whatever else ends at its time. */
Test(cut_rules, a_flow_that_an_end_begins_comes_from_its_slice)
{
    static const char *const keep[] = {"lane"};
    for (int late = 0; late < 3; late++) { /* of the last two cases the end comes after others in the file */
        pf_cut_options o = pf_cut_options_default();
        const uint64_t left_out = late == 2;
        start();
        describe(7, 0, "lane");
        describe(8, 0, "other");
        begin(10, 1, 7 + left_out, "a");
        for (int i = 0; i < 2; i++) {
            if (i == (late > 0)) {
                event(left_out ? 45 : 20, 1, PF_EVENT_SLICE_END, 7 + left_out);
                pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
                done();
            } else {
                begin(42, 1, 7, "k");
                named(45, PF_EVENT_SLICE_END, 7, "k");
            }
        }
        begin_of_flow(50, 7, "b");
        end(55, 1, 7);
        o.track = (pf_edit_patterns){.keep = keep, .keep_count = 1};
        expect_with(&o, 40, 60, "k 42 3 lane\nb 50 5 lane\n");
        cr_expect_eq(marks(), 1, "%d", late);
    }
}

/* Steps of legacy flows on a track that is left out, in the window: the flow goes on outside of the cut. */
Test(cut_rules, a_legacy_flow_to_a_track_that_is_left_out_is_marked)
{
    static const char *const keep[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin(10, 1, 7, "a");
    chrome(12, 7, 's', PF_F_LEGACY_UNSCOPED_ID, 5);
    end(20, 1, 7);
    begin(25, 1, 8, "b");
    chrome(30, 8, 'f', PF_F_LEGACY_UNSCOPED_ID, 5);
    end(35, 1, 8);
    o.track = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    expect_with(&o, 0, 40, "a 10 10 lane\n");
    cr_expect_eq(marks(), 1);
}

/* An entry of interned data with one number, or one text, next to its iid. */
static void entry(uint32_t kind, uint64_t iid, uint32_t field, uint64_t number, const char *name)
{
    pf_writer_begin(&w, kind);
    pf_writer_varint(&w, 1, iid);
    if (name) {
        text(field, name);
    } else {
        pf_writer_varint(&w, field, number);
    }
    pf_writer_end(&w);
}

Test(cut_rules, entries_that_entries_refer_to_are_said)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 7);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    entry(PF_F_INTERNED_FUNCTION_NAMES, 3, 2, 0, "function");
    entry(PF_F_INTERNED_FUNCTION_NAMES, 4, 2, 0, "nowhere");
    entry(PF_F_INTERNED_FRAMES, 2, PF_F_FRAME_FUNCTION_IID, 3, NULL);
    entry(PF_F_INTERNED_CALLSTACKS, 1, PF_F_CALLSTACK_FRAME_IDS, 2, NULL);
    pf_writer_end(&w);
    pf_writer_end(&w);
    event(50, 1, PF_EVENT_INSTANT, 7);
    pf_writer_varint(&w, PF_F_EVENT_CALLSTACK_IID, 1);
    text(PF_F_EVENT_NAME, "i");
    done();
    expect(40, 60, "i 50 0 lane\n");
    cr_expect_eq(times("function", 8), 1);
    cr_expect_eq(times("nowhere", 7), 0);
}

/* What a packet of a kind that nobody knows refers to is not known. Without a time it is in every part. */
Test(cut_rules, packets_of_other_kinds_get_all_entries)
{
    for (int timed = 0; timed < 2; timed++) {
        start();
        clear(1, 1, 0, 7);
        pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
        intern(1, "one of all");
        pf_writer_end(&w);
        pf_writer_end(&w);
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        if (timed) {
            pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 50);
        }
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
        pf_writer_begin(&w, 901);
        text(900, "here");
        done();
        expect(40, 60, "");
        cr_expect_eq(times("one of all", 10), 1, "%d", timed);
        cr_expect_eq(times("here", 4), 1, "%d", timed);
    }
}

Test(cut_rules, a_clear_in_the_window_keeps_the_thread)
{
    start();
    begin_thread(5, 6, "worker");
    packet(50, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    text(PF_F_EVENT_NAME, "i");
    done();
    expect(40, 60, "i 50 0 \n");
}

Test(cut_rules, defaults_that_come_later_keep_the_thread)
{
    start();
    begin_thread(5, 6, "worker");
    packet(2, 1);
    pf_writer_bytes(&w, PF_F_PACKET_DEFAULTS, "", 0);
    pf_writer_end(&w);
    begin(10, 1, 0, "a");
    expect(30, 40, "a 30 -1 \n");
}

/* Entries and threads that a sequence says after packets of it were lost are nothing until it begins anew. */
Test(cut_rules, what_a_sequence_says_after_a_loss_is_nothing)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    packet(5, 1);
    pf_writer_varint(&w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    intern(1, "lost");
    done();
    packet(6, 1);
    pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&w, 1, 5);
    pf_writer_varint(&w, 2, 6);
    done();
    named(50, PF_EVENT_INSTANT, 0, "i");
    event(51, 1, PF_EVENT_INSTANT, 7);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
    done();
    expect(40, 60, "i 50 0 Default Track\n 51 0 lane\n");
}

Test(cut_rules, a_descriptor_says_whose_events_without_a_track_are)
{
    enum { THREAD = 4 };
    start();
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    describe_owner(7, THREAD, 5, 6, 1, NULL);
    begin(10, 1, 0, "a");
    expect(30, 40, "a 30 -1 \n");
}

/* The process of a thread that was said already; and pid 0, which readers know from the start. */
Test(cut_rules, processes_that_are_described_late_are_said)
{
    enum { PROCESS = 3, THREAD = 4 };
    start();
    describe_owner(7, THREAD, 5, 6, 2, NULL);
    begin(50, 1, 7, "a");
    end(55, 1, 7);
    describe_owner(9, PROCESS, 5, 0, 2, "process");
    expect(40, 60, "a 50 5 \n");
    cr_expect_eq(times("process", 7), 1);
    start();
    begin(50, 1, 9, "a");
    describe_owner(9, PROCESS, 0, 0, 2, "gpu");
    end(55, 1, 9);
    expect(41, 60, "a 50 5 \n");
    cr_expect_eq(times("\x40\x29", 2), 1); /* the descriptor has the time of the start */
}

Test(cut_rules, packets_of_a_machine_say_so)
{
    start();
    for (int i = 0; i < 2; i++) {
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_varint(&w, PF_F_PACKET_MACHINE_ID, 1234567);
        if (i) {
            pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 10);
            pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
            pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
            pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
            pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
        } else {
            pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
            pf_writer_varint(&w, 1, 7);
        }
        done();
    }
    expect(30, 40, " 30 -1 \n");
    cr_expect_eq(times("\x90\x06\x87\xad\x4b", 5), 2); /* descriptor and begin */
}

Test(cut_rules, the_mark_of_findings_goes_with_their_sequence)
{
    start();
    describe(7, 0, "lane");
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    text(PF_F_PACKET_FINDINGS, "gpu");
    pf_writer_end(&w);
    packet(2, 1); /* sets up more */
    pf_writer_bytes(&w, PF_F_PACKET_DEFAULTS, "", 0);
    pf_writer_end(&w);
    begin(10, 1, 7, "a");
    expect(30, 40, "a 30 -1 lane\n");
    cr_expect_eq(times("\xc2\x71\x03gpu", 6), 1);
}

/* Where descriptors of the output go. */
Test(cut_rules, an_input_with_events_on_the_sequence_of_the_output_is_refused)
{
    pf_cut_options o = pf_cut_options_default();
    pf_error err;
    start();
    describe(7, 0, "lane");
    begin(10, 2120447348, 7, "a");
    write_file("in.pftrace");
    cr_expect_eq(pf_cut("in.pftrace", "cut.pftrace", &o, NULL, &err), PF_ERR_INPUT);
}

/* Defaults that came after a slice began do not count for its begin: times of MONOTONIC, 1000 ns before BOOTTIME. */
Test(cut_rules, a_begin_is_said_without_defaults_that_came_later)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (uint64_t clock = 6; clock >= 3; clock -= 3) {
        pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&w, PF_F_CLOCK_ID, clock);
        pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, clock == 6 ? 2000 : 1000);
        pf_writer_end(&w);
    }
    done();
    begin(2010, 1, 7, "a");
    packet(2020, 1);
    pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
    pf_writer_varint(&w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, 3);
    pf_writer_end(&w);
    pf_writer_end(&w);
    begin(1040, 1, 8, "b");
    end(1050, 1, 8);
    end(1060, 1, 7);
    expect(2030, 2090, "a 2030 30 lane\nb 2040 10 other\n");
}

/* Of flows between slices that are open at the start, the one that began first comes first. */
Test(cut_rules, flows_between_open_slices_keep_their_direction)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin(5, 1, 7, "first");
    for (uint64_t i = 0; i < 2; i++) {
        event(10 + 10 * i, 1, PF_EVENT_SLICE_BEGIN, 8 - i);
        text(PF_F_EVENT_NAME, i ? "to" : "from");
        pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
        done();
    }
    named(50, PF_EVENT_INSTANT, 7, "i");
    expect(40, 60, "first 40 -1 lane\nfrom 40 -1 other\nto 40 -1 lane\ni 50 0 lane\n");
    const char *path = "cut.pftrace";
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK);
    const pf_flows *f = pf_trace_flows(t);
    cr_assert_eq(f->count, 1);
    pf_str from = pf_trace_string(t, pf_trace_events(t)->name[pf_trace_slices(t)->event[f->slice_out[0]]]);
    cr_expect(from.len == 4 && memcmp(from.ptr, "from", 4) == 0);
    pf_trace_free(t);
}

Test(cut_rules, a_thread_is_described_by_whichever_track_does)
{
    enum { THREAD = 4 };
    start();
    describe_owner(7, THREAD, 5, 6, 2, NULL);
    describe_owner(8, THREAD, 5, 6, 2, "worker");
    begin(50, 1, 7, "a");
    end(55, 1, 7);
    expect(40, 60, "a 50 5 \n");
    cr_expect_eq(times("worker", 6), 1);
}

/* A packet of a machine. */
static void on_machine(uint64_t machine, uint64_t ts, uint32_t data)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_MACHINE_ID, machine);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, ts);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
    pf_writer_begin(&w, data);
}

Test(cut_rules, a_track_of_another_machine_is_another_one)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    on_machine(5, 20, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 7);
    done();
    expect(30, 40, "a 30 -1 lane\n");
}

/* What counters of a GPU are, before their first sample: of a machine, of a GPU. */
Test(cut_rules, specifications_of_counters_keep_their_gpu_and_machine)
{
    start();
    on_machine(1234567, 10, PF_F_PACKET_GPU_COUNTER_EVENT);
    text(PF_F_GPU_COUNTER_DESCRIPTOR, "\x0a\x06\x08\x03\x12\x02us");
    pf_writer_varint(&w, PF_F_GPU_COUNTER_GPU_ID, 7654321);
    done();
    on_machine(1234567, 50, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_bytes(&w, PF_F_GPU_COUNTER_SAMPLES, "\x08\x03\x18\x05", 4);
    done();
    pf_cut_options o = pf_cut_options_default();
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, 40, 60);
    cr_expect_eq(times("\x18\xb1\x97\xd3\x03", 5), 1);
    cr_expect_eq(times("\x90\x06\x87\xad\x4b", 5), 2);
}

Test(cut_rules, a_trace_ends_with_its_last_render_stage)
{
    pf_cut_options o = pf_cut_options_default();
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    start();
    packet(10, 1);
    pf_writer_begin(&w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    pf_writer_varint(&w, PF_F_STAGE_DURATION, 1000);
    done();
    write_file("in.pftrace");
    o.from = (pf_edit_time){PF_EDIT_FROM_END, 500};
    cr_assert_eq(pf_cut("in.pftrace", "cut.pftrace", &o, &r, &err), PF_OK);
    cr_expect_eq(r.from, 510);
    pf_trace_free(r.input);
}

Test(cut_rules, a_legacy_flow_in_a_slice_that_is_left_out_is_left_out)
{
    for (int64_t least = 0; least < 10; least += 5) {
        pf_cut_options o = pf_cut_options_default();
        start();
        describe(7, 0, "lane");
        begin(10, 1, 7, "short");
        chrome(11, 7, 's', PF_F_LEGACY_UNSCOPED_ID, 5);
        end(12, 1, 7);
        o.min_dur = least;
        expect_with(&o, 0, 40, least ? "" : "short 10 2 lane\n");
        cr_expect_eq(times("\x10s\x30\x05", 4), !least);
    }
}

/* An end without a beginning: readers pass over one that binds to the slice around it, so it stays as it is. */
Test(cut_rules, an_end_of_a_legacy_flow_that_binds_to_its_slice_stays)
{
    for (uint64_t binds = 0; binds < 2; binds++) {
        start();
        describe(7, 0, "lane");
        begin(50, 1, 7, "a");
        event(52, 1, 0, 7);
        text(PF_F_EVENT_NAME, "l");
        pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'f');
        pf_writer_varint(&w, PF_F_LEGACY_UNSCOPED_ID, 5);
        pf_writer_varint(&w, PF_F_LEGACY_BIND_TO_ENCLOSING, binds);
        pf_writer_end(&w);
        done();
        end(55, 1, 7);
        expect(40, 60, "a 50 5 lane\n");
        cr_expect_eq(times("\x10h", 2), !binds);
    }
}

Test(cut_rules, the_first_entry_of_a_number_counts)
{
    start();
    describe(7, 0, "lane");
    clear(1, 1, 0, 7);
    pf_writer_end(&w);
    for (int i = 0; i < 2; i++) {
        packet(2, 1);
        pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
        intern(1, i ? "second" : "first");
        done();
    }
    event(50, 1, PF_EVENT_INSTANT, 0);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
    done();
    expect(40, 60, "first 50 0 lane\n");
}

/* Other attributes of a trace do not make it a part. */
Test(cut_rules, a_part_says_which_trace_it_is_of)
{
    enum { ATTRIBUTE = 1, KEY = 1, TEXT = 3 };
    start();
    describe(7, 0, "lane");
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACE_ATTRIBUTES);
    pf_writer_begin(&w, ATTRIBUTE);
    text(KEY, "other");
    text(TEXT, "x");
    pf_writer_end(&w);
    done();
    named(50, PF_EVENT_INSTANT, 7, "i");
    expect(40, 60, "i 50 0 lane\n");
    cr_expect_eq(times("postfetto.cut.source", 20), 1);
}

/* Packets about the trace as a whole are not what a window has. */
Test(cut_rules, what_a_window_has_are_packets_with_times)
{
    pf_cut_options o = pf_cut_options_default();
    start();
    describe(7, 0, "lane");
    packet(5, 1);
    pf_writer_begin(&w, PF_F_PACKET_UI_STATE);
    text(1, "x");
    done();
    named(10, PF_EVENT_INSTANT, 7, "i");
    named(55, PF_EVENT_INSTANT, 7, "i");
    write_file("in.pftrace");
    cr_expect_eq(cut_file("in.pftrace", "cut.pftrace", &o, 10, 56).timed, 2);
    cr_expect_eq(cut_file("in.pftrace", "cut.pftrace", &o, 55, 90).timed, 1);
    cr_expect_eq(cut_file("in.pftrace", "cut.pftrace", &o, 56, 90).timed, 0);
}

/* A name of a Vulkan object holds from then on, also in a window after it; what submits a queue has its time. */
Test(cut_rules, names_of_objects_are_in_every_window)
{
    start();
    for (int submits = 0; submits < 2; submits++) {
        packet(10, 1);
        pf_writer_begin(&w, 65);
        text(submits ? 2 : 1, "object");
        done();
    }
    begin(50, 1, 7, "a");
    expect_packets(40, 60,
                   "8=10 10=1 65\"\n\x06object\"\n8=50 10=1 11{9=1 11=7 23\"a\"}\n10=2120447348 13=1 60{1=7 2\"a\"}\n");
}

/* What ends where the window begins is not in it, though another event of that time comes before its end. */
Test(cut_rules, an_end_after_an_event_of_the_windows_start_counts)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    named(40, PF_EVENT_INSTANT, 7, "i");
    end(40, 1, 7);
    expect_packets(40, 60, "10=2120447348 13=1 60{1=7 2\"lane\"}\n8=40 10=1 11{9=3 11=7 23\"i\"}\n");
}

/* A track whose first event has no name has none; that the cut begins with one that has a name does not give it one in
 * a cut of that. */
Test(cut_rules, a_track_without_a_name_stays_without_one)
{
    start();
    end(10, 1, 9);
    begin(20, 1, 9, "a");
    expect_packets(40, 60,
                   "10=1 8=40 11{9=1 11=9 23\"a\" 4{10\"cut.begins_before\" 2=1} 4{10\"cut.original_ts\" "
                   "4=20}}\n10=2120447348 13=1 60{1=9}\n");
}
