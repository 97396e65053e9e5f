/* unit/edit/test_cut_events.c - which time, track and name an event of a cut has, which begin an end fits; and how much
 * of a hostile file is looked at. */
#include <criterion/criterion.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_events, .init = scratch_enter, .fini = scratch_leave);

/* An event of sequence 1 whose time is in microseconds: absolutely, or as a difference. */
static void in_us(uint32_t field, uint64_t us, int type, const char *name)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, 1);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, field, us);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, (uint64_t)type);
    text(PF_F_EVENT_NAME, name);
    done();
}

/* Absolute ones need no reference, and differences count from the last difference; without a reference they are no
 * time. */
Test(cut_events, times_in_microseconds_are_absolute_or_count_from_a_reference)
{
    for (int reference = 0; reference < 2; reference++) {
        start();
        packet(1, 1);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        if (reference) {
            pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
            pf_writer_varint(&w, 1, 5);
            pf_writer_varint(&w, 2, 6);
            pf_writer_varint(&w, 6, 40);
            pf_writer_end(&w);
        }
        pf_writer_end(&w);
        in_us(PF_F_EVENT_TIMESTAMP_DELTA_US, 1, PF_EVENT_INSTANT, "a");
        in_us(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US, 44, PF_EVENT_INSTANT, "b");
        in_us(PF_F_EVENT_TIMESTAMP_DELTA_US, 1, PF_EVENT_INSTANT, "c");
        if (reference) {
            expect(41500, 60000, "c 42000 0 \nb 44000 0 \n");
        } else {
            expect_packets(0, 60000, "10=1 13=1\n10=1 11{16=44 9=3 23\"b\"}\n");
        }
    }
}

/* A track that an event names is its own, whatever thread the sequence has. Track 0 is nobody's, but for events of
 * Chrome, which are the thread's. */
Test(cut_events, an_event_is_on_the_track_that_it_names)
{
    static const char *const thread[] = {"worker"}, *const lane[] = {"lane"};
    for (int i = 0; i < 2; i++) {
        pf_cut_options o = pf_cut_options_default();
        start();
        describe(7, 0, "lane");
        begin_thread(5, 6, "worker");
        named(10, PF_EVENT_INSTANT, 7, "a");
        event(11, 1, PF_EVENT_INSTANT, 0);
        pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 0);
        text(PF_F_EVENT_NAME, "b");
        done();
        named(12, PF_EVENT_INSTANT, 0, "c");
        packet(13, 1);
        pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 0);
        text(PF_F_EVENT_NAME, "d");
        pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'B');
        pf_writer_end(&w);
        done();
        if (i) {
            o.thread = (pf_edit_patterns){.keep = thread, .keep_count = 1};
        } else {
            o.track = (pf_edit_patterns){.keep = lane, .keep_count = 1};
        }
        expect_with(&o, 0, 40, i ? "c 12 0 \nd 13 -1 \n" : "a 10 0 lane\n");
    }
}

/* Nothing says whose they are. */
Test(cut_events, events_without_track_and_thread_are_no_threads)
{
    static const char *const zero[] = {"0"};
    pf_cut_options o = pf_cut_options_default();
    start();
    named(10, PF_EVENT_INSTANT, 0, "a");
    o.thread = (pf_edit_patterns){.keep = zero, .keep_count = 1};
    expect_with(&o, 0, 40, "");
}

/* A thread's track may have a name of its own, by which --track takes it. */
Test(cut_events, a_thread_is_selected_by_the_name_of_its_track)
{
    enum { THREAD = 4 };
    static const char *const keep[] = {"lane"};
    pf_cut_options o = pf_cut_options_default();
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, 7);
    text(2, "lane");
    pf_writer_begin(&w, THREAD);
    pf_writer_varint(&w, 1, 5);
    pf_writer_varint(&w, 2, 6);
    text(5, "worker");
    pf_writer_end(&w);
    done();
    named(10, PF_EVENT_INSTANT, 7, "a");
    o.track = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    expect_with(&o, 0, 40, "a 10 0 \n");
}

/* --track takes what lies below a track of that name, and the track of a thread that is called so; --thread also goes
 * by the names of process trees, which may not say whose thread it is. */
Test(cut_events, tracks_are_selected_by_what_they_belong_to)
{
    enum { THREAD = 4, TREE_THREAD = 2, TREE_NAME = 2 };
    static const char *const above[] = {"above"}, *const worker[] = {"worker"};
    for (int i = 0; i < 3; i++) {
        pf_cut_options o = pf_cut_options_default();
        start();
        describe(9, 0, "above");
        describe(7, 9, "lane");
        describe_owner(8, THREAD, 5, 6, 2, i == 1 ? "worker" : NULL);
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_PROCESS_TREE);
        pf_writer_begin(&w, TREE_THREAD);
        pf_writer_varint(&w, 1, 6);
        text(TREE_NAME, i == 2 ? "worker" : "other");
        pf_writer_end(&w);
        done();
        named(10, PF_EVENT_INSTANT, 7, "a");
        named(11, PF_EVENT_INSTANT, 8, "b");
        *(i == 2 ? &o.thread : &o.track) = (pf_edit_patterns){.keep = i ? worker : above, .keep_count = 1};
        expect_with(&o, 0, 40, i ? "b 11 0 \n" : "a 10 0 lane\n");
    }
}

/* Local ids are those of a process: of the sequence's thread, or of the track. */
Test(cut_events, operations_of_one_local_id_are_those_of_their_process)
{
    enum { THREAD = 4 };
    for (int tracks = 0; tracks < 2; tracks++) {
        start();
        for (uint64_t pid = 1; pid <= 2; pid++) {
            if (tracks) {
                describe_owner(pid, THREAD, pid, pid, 3, NULL);
            } else {
                packet(1, pid);
                pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
                pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
                pf_writer_varint(&w, 1, pid);
                pf_writer_varint(&w, 2, pid);
                done();
            }
        }
        for (uint64_t i = 0; i < 3; i++) { /* the first one ends */
            event(10 + 10 * i, 1 + i % 2, 0, tracks ? 1 + i % 2 : 0);
            if (i < 2) {
                text(PF_F_EVENT_NAME, i == 1 ? "second" : "first");
            }
            text(PF_F_EVENT_CATEGORIES, "c");
            pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
            pf_writer_varint(&w, PF_F_LEGACY_PHASE, i == 2 ? 'e' : 'b');
            pf_writer_varint(&w, PF_F_LEGACY_LOCAL_ID, 5);
            pf_writer_end(&w);
            done();
        }
        expect(35, 60, "second 35 -1 second\n");
    }
}

/* One id in two categories is two operations, of which an end without a category ends none. */
Test(cut_events, operations_of_one_id_are_those_of_their_category)
{
    static const char *const categories[] = {"c", "d", "c", NULL};
    start();
    for (uint64_t i = 0; i < 4; i++) {
        event(10 + 5 * i, 1, 0, 7);
        if (categories[i]) {
            text(PF_F_EVENT_CATEGORIES, categories[i]);
        }
        if (i < 2) {
            text(PF_F_EVENT_NAME, i ? "second" : "first");
        }
        pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&w, PF_F_LEGACY_PHASE, i < 2 ? 'b' : 'e');
        pf_writer_varint(&w, PF_F_LEGACY_GLOBAL_ID, 5);
        pf_writer_end(&w);
        done();
    }
    expect(35, 60, "second 35 -1 second\n");
}

/* An operation that is nested is known by its category and scope, another one by its name, which its end says, too. */
Test(cut_events, operations_are_known_by_scopes_and_names)
{
    static const struct {
        char begins, ends;
        const char *scope, *name, *other_scope, *other_name;
        bool fits;
    } rows[] = {{'b', 'e', "x", "l", "x", NULL, true},   {'b', 'e', "x", "l", "y", NULL, false},
                {'b', 'e', "x", "l", NULL, NULL, false}, {'b', 'e', NULL, "l", NULL, NULL, true},
                {'S', 'F', NULL, "l", NULL, "l", true},  {'S', 'F', NULL, "l", NULL, NULL, false},
                {'S', 'F', "x", "l", "x", NULL, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start();
        for (int end = 0; end < 2; end++) {
            const char *name = end ? rows[i].other_name : rows[i].name;
            const char *scope = end ? rows[i].other_scope : rows[i].scope;
            event(end ? 20 : 10, 1, 0, 7);
            if (name) {
                text(PF_F_EVENT_NAME, name);
            }
            pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
            pf_writer_varint(&w, PF_F_LEGACY_PHASE, (uint64_t)(end ? rows[i].ends : rows[i].begins));
            pf_writer_varint(&w, PF_F_LEGACY_GLOBAL_ID, 5);
            if (scope) {
                text(PF_F_LEGACY_ID_SCOPE, scope);
            }
            pf_writer_end(&w);
            done();
        }
        expect(35, 60, rows[i].fits ? "" : "l 35 -1 l\n");
    }
}

/* A legacy message may say the name of an event, and has no say in what that is where it has no phase. */
Test(cut_events, legacy_messages_say_names_and_phases)
{
    start();
    describe(7, 0, "lane");
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    intern(1, "b");
    done();
    begin(10, 1, 7, "b");
    begin(20, 1, 7, "c");
    event(30, 1, PF_EVENT_SLICE_END, 7);
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_NAME_IID, 1);
    pf_writer_end(&w);
    done();
    event(32, 1, PF_EVENT_INSTANT, 7);
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_UNSCOPED_ID, 5);
    pf_writer_end(&w);
    done();
    expect(35, 60, "");
}

/* Also within a slice: an operation is on a track of its own. */
Test(cut_events, an_operation_closes_no_slice_of_its_thread)
{
    start();
    describe(7, 0, "lane");
    chrome(10, 7, 'b', PF_F_LEGACY_GLOBAL_ID, 5);
    begin(15, 1, 7, "a");
    chrome(20, 7, 'e', PF_F_LEGACY_GLOBAL_ID, 5);
    expect(35, 60, "a 35 -1 lane\n");
}

Test(cut_events, complete_events_are_left_out_where_they_are_shorter_than_the_least)
{
    pf_cut_options o = pf_cut_options_default();
    start();
    begin_thread(5, 6, "worker");
    chrome(10000, 0, 'X', PF_F_LEGACY_DURATION_US, 4);
    chrome(20000, 0, 'X', PF_F_LEGACY_DURATION_US, 5);
    chrome(46000, 0, 'X', PF_F_LEGACY_DURATION_US, 4);
    o.min_dur = 5000;
    expect_with(&o, 0, 48000, "l 20000 5000 \n");
    start();
    describe(7, 0, "lane");
    begin(60000, 1, 7, "a");
    end(65000, 1, 7);
    named(66000, PF_EVENT_INSTANT, 7, "i");
    expect_with(&o, 0, 80000, "a 60000 5000 lane\ni 66000 0 lane\n");
}

/* The categories of an end are all of the begin's, in its order, and its name is the begin's where both have one. */
Test(cut_events, an_end_fits_the_begin_with_its_name_and_all_of_its_categories)
{
    static const struct {
        const char *name, *first, *second;
        bool fits;
    } ends[] = {{"b", "x", "y", true},  {NULL, "x", "y", true},  {NULL, "x", NULL, false}, {NULL, "y", "x", false},
                {"c", "x", "y", false}, {"b", NULL, NULL, true}, {NULL, "x", "z", false},  {NULL, "xy", NULL, false}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        start();
        describe(7, 0, "lane");
        begin(5, 1, 7, "a");
        event(10, 1, PF_EVENT_SLICE_BEGIN, 7);
        text(PF_F_EVENT_NAME, "b");
        text(PF_F_EVENT_CATEGORIES, "x");
        text(PF_F_EVENT_CATEGORIES, "y");
        done();
        event(20, 1, PF_EVENT_SLICE_END, 7);
        if (ends[i].name) {
            text(PF_F_EVENT_NAME, ends[i].name);
        }
        if (ends[i].first) {
            text(PF_F_EVENT_CATEGORIES, ends[i].first);
        }
        if (ends[i].second) {
            text(PF_F_EVENT_CATEGORIES, ends[i].second);
        }
        done();
        expect(30, 40, ends[i].fits ? "a 30 -1 lane\n" : "a 30 -1 lane\nb 30 -1 lane\n");
    }
}

/* What ends, or has a value, where the window begins is not begun there: also of events that are more than rows. */
Test(cut_events, an_end_and_a_value_at_the_start_have_nothing_before)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, false);
    begin(10, 1, 7, "a");
    count(11, 1, 8, 1);
    for (int i = 0; i < 2; i++) {
        event(40, 1, i ? PF_EVENT_COUNTER : PF_EVENT_SLICE_END, i ? 8 : 7);
        pf_writer_varint(&w, PF_F_EVENT_CORRELATION_ID, 1);
        if (i) {
            pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, 2);
        }
        done();
    }
    expect(40, 60, "40 2\n");
}

static void begin_with_category(uint64_t ts, uint64_t sequence, const char *category)
{
    event(ts, sequence, PF_EVENT_SLICE_BEGIN, 7);
    text(PF_F_EVENT_NAME, category);
    text(PF_F_EVENT_CATEGORIES, category);
    done();
}

/* Open at both edges, and begun before the window by a packet that comes after it has begun. */
Test(cut_events, slices_of_other_categories_are_left_out_wherever_they_are_open)
{
    static const char *const keep[] = {"x"};
    pf_cut_options o = pf_cut_options_default();
    o.category = (pf_edit_patterns){.keep = keep, .keep_count = 1};
    start();
    describe(7, 0, "lane");
    begin_with_category(10, 1, "x");
    begin_with_category(15, 1, "y");
    begin_with_category(45, 1, "x");
    begin_with_category(20, 2, "y");
    for (uint64_t ts = 70; ts < 80; ts += 3) {
        end(ts, 1, 7);
    }
    expect_with(&o, 40, 60, "x 40 20 lane\nx 45 15 lane\n");
}

/* ---- limits of hostile files ------------------------------------------------------------------------------------- */

static uint64_t begun_at(int64_t from, int64_t to)
{
    pf_cut_options o = pf_cut_options_default();
    write_file("in.pftrace");
    return cut_file("in.pftrace", "cut.pftrace", &o, from, to).begun;
}

/* An end looks at 4096 open slices: at the outermost of these it finds the one that it names, one further out not. */
Test(cut_events, an_end_looks_at_so_many_open_slices)
{
    for (uint64_t more = 0; more < 2; more++) {
        start();
        describe(7, 0, "lane");
        begin(1, 1, 7, "b");
        for (uint64_t i = 1; i < 4096 + more; i++) {
            begin(1 + i, 1, 7, "c");
        }
        end_outer(5000, 1, 7);
        named(5001, PF_EVENT_INSTANT, 7, "i");
        cr_expect_eq(begun_at(6000, 6010), more ? 4097u : 0u);
    }
}

/* Sequence 1 speaks for thread 6 of process 5, whose name is what it was called last, also after the window and also
 * where the last one said no name; that is only said where it is not always the same. A cut of the cut is the cut. */
Test(cut_events, a_thread_is_called_what_a_sequence_called_it_last)
{
    static const struct {
        const char *before, *after, *want;
    } cases[] = {
        {"a", "a", ""},
        {"a", "b", "10=2120447348 13=1 44{1=5 2=6 5\"b\"}\n"},
        {"a", "", "10=2120447348 13=1 44{1=5 2=6 5\"a\"}\n"},
        {"", "b", "10=2120447348 13=1 44{1=5 2=6 5\"b\"}\n"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[256];
        start();
        begin_thread(5, 6, cases[i].before);
        event(45, 1, PF_EVENT_INSTANT, 0);
        done();
        begin_thread(5, 6, cases[i].after);
        event(70, 1, PF_EVENT_INSTANT, 0);
        done();
        snprintf(want, sizeof want, "10=1 13=1\n10=1 44{1=5 2=6 5\"%s\"}\n8=45 10=1 11{9=3}\n%s", cases[i].before,
                 cases[i].want);
        expect_packets(40, 60, want);
    }
}
