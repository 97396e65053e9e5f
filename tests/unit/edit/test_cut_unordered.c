/* unit/edit/test_cut_unordered.c - cuts of tracks whose begins and ends are not in the order of time. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_unordered, .init = scratch_enter, .fini = scratch_leave);

Test(cut_unordered, an_end_long_after_the_window_says_what_ends_in_it)
{
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "a");
    begin(30, 1, 7, "b");
    end(50, 1, 7);
    named(40, PF_EVENT_SLICE_END, 7, "b");
    expect(0, 20, "a 10 10 lane\n");
}

Test(cut_unordered, an_end_at_the_start_is_no_reason_to_begin_what_is_open_before_all_came)
{
    start();
    describe(7, 0, "lane");
    begin(12, 1, 7, "inner");
    begin(20, 1, 7, "over");
    named(31, PF_EVENT_INSTANT, 7, "mark");
    end(30, 1, 7);
    begin(10, 1, 7, "outer");
    expect(30, 40, "outer 30 -1 lane\ninner 30 -1 lane\nmark 31 0 lane\n");
}

Test(cut_unordered, an_event_at_the_start_is_no_reason_to_begin_what_is_open_on_other_tracks)
{
    start();
    describe(7, 0, "lane");
    describe(8, 0, "other");
    begin(12, 1, 7, "inner");
    begin(13, 1, 8, "there");
    named(31, PF_EVENT_INSTANT, 7, "mark");
    named(31, PF_EVENT_INSTANT, 8, "mark");
    begin(30, 1, 8, "start");
    begin(10, 1, 7, "outer");
    expect(30, 40,
           "there 30 -1 other\nstart 30 -1 other\nouter 30 -1 lane\ninner 30 -1 lane\nmark 31 0 lane\nmark 31 0 "
           "other\n");
}

Test(cut_unordered, complete_events_that_come_late_end_at_the_edge_from_the_innermost_on)
{
    start();
    describe(7, 0, "lane");
    chrome(11000, 7, 'X', PF_F_LEGACY_DURATION_US, 30);
    chrome(50000, 7, 'X', PF_F_LEGACY_DURATION_US, 2);
    chrome(12000, 7, 'X', PF_F_LEGACY_DURATION_US, 20);
    write_file("in.pftrace");
    pf_cut_options o = pf_cut_options_default();
    pf_buffer shown = {0};
    cut_file("in.pftrace", "cut.pftrace", &o, 0, 20000);
    show_packets("cut.pftrace", &shown);
    const char *inner = strstr(shown.data, "=32000"), *outer = strstr(shown.data, "=41000");
    cr_expect(inner && outer && inner < outer);
    pf_buffer_free(&shown);
}

Test(cut_unordered, what_is_open_at_the_start_begins_in_the_order_of_time)
{
    enum { SLICES = 80 }; /* more than a begin that comes late looks at */
    char want[SLICES * 24] = "";
    start();
    describe(7, 0, "lane");
    for (uint64_t i = 0; i < SLICES; i++) {
        char name[] = {'s', (char)('a' + i / 10), (char)('0' + i % 10), '\0'};
        begin(10 + SLICES - i, 1, 7, name);
    }
    named(201, PF_EVENT_INSTANT, 7, "mark");
    for (uint64_t i = SLICES; i-- > 0;) {
        size_t len = strlen(want);
        snprintf(want + len, sizeof want - len, "s%c%d 200 -1 lane\n", (int)('a' + i / 10), (int)(i % 10));
    }
    strcat(want, "mark 201 0 lane\n");
    expect(200, 300, want);
}

Test(cut_unordered, the_length_that_a_selection_asks_for_is_that_in_the_order_of_time)
{
    pf_cut_options o = pf_cut_options_default();
    o.min_dur = 12;
    start();
    describe(7, 0, "lane");
    begin(10, 1, 7, "long");
    begin(20, 1, 7, "short");
    end(60, 1, 7); /* which is the short one's, as they come */
    end(25, 1, 7);
    expect_with(&o, 22, 40, "long 22 18 lane\n");
}
