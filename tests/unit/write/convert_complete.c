/* convert_complete.c - complete events in converted traces: pairs, lanes of those that overlap, and times. */
#include "converted.h"

Test(convert, complete_events_become_pairs_that_nest)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 5, a, "short", NULL);
    test_add(t, 'X', 10, 20, a, "long", "c");
    test_add(t, 'X', 30, 0, a, "none", NULL);
    test_add(t, 'i', 30, 0, a, "mark", NULL);
    test_add(t, 'X', 30, 4, a, "next", NULL);
    test_add(t, 'X', 40, -1, a, "unusable", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 long/c\nB 10 short\nE 15 \nE 30 \nB 30 next\nX 30+0 none\nI 30 mark\nE 34 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, complete_events_without_length_or_with_none_that_is_usable)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 0, a, "none", "c");
    test_add(t, 'X', 11, -1, a, "unusable", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "X 10+0 none/c\n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, complete_events_that_overlap_get_lanes)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 10, a, "a", NULL);
    test_add(t, 'X', 15, 10, a, "b", NULL);
    test_add(t, 'X', 16, 20, a, "c", NULL);
    test_add(t, 'X', 25, 5, a, "d", NULL);
    test_finish(t);
    test_packets p = convert(t);
    const Pf__Proto__TrackDescriptor *thread = test_descriptor(&p, 0), *lane = test_descriptor(&p, 1),
                                     *lane2 = test_descriptor(&p, 2);
    cr_assert_eq(lane->parent_uuid, thread->uuid);
    cr_assert_eq(lane2->parent_uuid, thread->uuid);
    cr_assert_eq(lane->sibling_merge_behavior, 2);
    expect_events(&p, thread->uuid, "B 10 a\nE 20 \nB 25 d\nE 30 \n");
    expect_events(&p, lane->uuid, "B 15 b\nE 25 \n");
    expect_events(&p, lane2->uuid, "B 16 c\nE 36 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, lanes_are_used_again)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    static const struct {
        int64_t begin, end;
        const char *name;
    } rows[] = {{10, 20, "a"}, {15, 25, "b"}, {16, 36, "c"}, {17, 24, "in b"}, {18, 19, "in a"},
                {26, 40, "f"}, {30, 45, "g"}, {36, 50, "h"}, {37, 45, "in g"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_add(t, 'X', rows[i].begin, rows[i].end - rows[i].begin, a, rows[i].name, NULL);
    }
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, test_descriptor(&p, 0)->uuid, "B 10 a\nB 18 in a\nE 19 \nE 20 \nB 26 f\nE 40 \n");
    expect_events(&p, test_descriptor(&p, 1)->uuid,
                  "B 15 b\nB 17 in b\nE 24 \nE 25 \nB 30 g\nB 37 in g\nE 45 \nE 45 \n");
    expect_events(&p, test_descriptor(&p, 2)->uuid, "B 16 c\nE 36 \nB 36 h\nE 50 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, events_that_outlive_their_parents_use_lanes_again)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    static const int64_t rows[][4] = {{10, 20, 12, 32}, {32, 40, 33, 50}, {60, 70, 61, 72}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_add(t, 'B', rows[i][0], 0, a, "outer", NULL);
        test_add(t, 'X', rows[i][2], rows[i][3] - rows[i][2], a, "cross", NULL);
        test_add(t, 'E', rows[i][1], 0, a, NULL, NULL);
    }
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, test_descriptor(&p, 0)->uuid,
                  "B 10 outer\nE 20 outer\nB 32 outer\nE 40 outer\nB 60 outer\nE 70 outer\n");
    expect_events(&p, test_descriptor(&p, 1)->uuid, "B 12 cross\nE 32 \nB 33 cross\nE 50 \nB 61 cross\nE 72 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, a_complete_event_that_outlives_its_parent_moves_beside_it)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 10, 0, a, "outer", NULL);
    test_add(t, 'X', 12, 20, a, "cross", NULL);
    test_add(t, 'X', 13, 2, a, "inner", NULL);
    test_add(t, 'E', 20, 0, a, NULL, NULL);
    test_finish(t);
    test_packets p = convert(t);
    const Pf__Proto__TrackDescriptor *thread = test_descriptor(&p, 0), *lane = test_descriptor(&p, 1);
    expect_events(&p, thread->uuid, "B 10 outer\nB 13 inner\nE 15 \nE 20 outer\n");
    expect_events(&p, lane->uuid, "B 12 cross\nE 32 \n");
    cr_expect_eq(lane->uuid, 1 + t->threads.count + t->processes.count + t->tracks.count, "numbered after all rows");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, a_stray_end_does_not_close_a_complete_event)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 20, a, "x", NULL);
    test_add(t, 'E', 15, 0, a, "x", NULL);
    test_add(t, 'E', 30, 0, a, NULL, NULL);
    test_add(t, 'E', 31, 0, a, NULL, NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 x\nE 30 \nE 31 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, whole_microseconds_are_one_packet)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 1000, 5000, a, "one", NULL);
    test_add(t, 'X', 2000, 1001, a, "two", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "X 1000+5 one\nB 2000 two\nE 3001 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, an_end_over_an_open_begin_says_its_name)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 20, a, "x", "c");
    test_add(t, 'B', 15, 0, a, "open", NULL);
    test_add(t, 'B', 16, 0, a, "closed", NULL);
    test_add(t, 'E', 17, 0, a, NULL, NULL);
    test_add(t, 'X', 40, 5, a, "y", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 x/c\nB 15 open\nB 16 closed\nE 17 closed\nE 30 x/c\nB 40 y\nE 45 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, complete_events_need_the_slice_table)
{
    char *folder = test_folder(), *path = test_path(folder, "out.pftrace");
    pf_trace *t = test_trace("chrome-json", PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS);
    test_add(t, 'X', 10, 20, test_thread(t, 7, 1), "x", NULL);
    test_finish(t);
    pf_error err;
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_ERR_USAGE);
    cr_assert_eq(test_entries(folder), 0);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}
