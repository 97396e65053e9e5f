/* ends.c - what the end packets of complete events do to begins and flows around them. The expected packets follow from
 * the rules of Perfetto's stack (docs/reference/perfetto.md) by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support.h"

static void add_flow(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, uint64_t id, pf_flow_kind kind)
{
    pf_error err;
    test_add(t, phase, ts, 0, track, "arrow", "f");
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

/* Phase or type, time, name and category of all events. */
static void expect(pf_trace *t, const char *want)
{
    char *bytes, out[1024] = "";
    size_t used = 0;
    test_packets p = test_converted(t, &bytes);
    for (size_t i = 0; i < test_event_count(&p); i++) {
        const test_packet *e = test_event(&p, i);
        used +=
            (size_t)snprintf(out + used, sizeof out - used, "%c %lu %s%s%s\n", test_phase(e),
                             (unsigned long)e->envelope->timestamp, e->name, e->category[0] ? "/" : "", e->category);
    }
    cr_expect_str_eq(out, want);
    test_packets_free(&p);
    free(bytes);
}

/* The end of a complete event would close a begin of its name above it; so that one is closed first. What has an end,
 * or another name, or is off the stack by then, is not. */
Test(ends, a_begin_of_the_same_name_is_ended_before_a_complete_event)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 10, 20, a, "x", NULL);
    test_add(t, 'B', 15, 0, a, "x", "c");
    test_add(t, 'B', 16, 0, a, "x", NULL);
    test_add(t, 'E', 17, 0, a, NULL, NULL);
    test_add(t, 'X', 40, 20, a, "y", NULL);
    test_add(t, 'X', 41, 5, a, "z", NULL);
    test_add(t, 'B', 42, 0, a, "y", NULL);
    test_add(t, 'B', 43, 0, a, "w", NULL);
    test_add(t, 'B', 70, 0, a, "last", NULL);
    expect(t, "B 10 x\nB 15 x/c\nB 16 x\nE 17 x\nE 30 x\nE 30 x\n"
              "B 40 y\nB 41 z\nB 42 y\nB 43 w\nE 46 z\nE 60 y\nB 70 last\n");
}

/* A thread whose id is written in another way has a row of its own, but its events are those of the thread. */
Test(ends, an_end_over_a_begin_with_an_odd_id_says_its_name)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    const pf_track_row row = {.type = PF_TRACK_THREAD_EXECUTION,
                              .upid = t->tracks.upid[a],
                              .utid = t->tracks.utid[a],
                              .parent = a,
                              .group = PF_NONE};
    pf_error err;
    uint32_t odd = pf_trace_add_track(t, &row, &err);
    cr_assert_neq(odd, PF_NONE);
    test_add(t, 'X', 10, 20, a, "x", "c");
    test_add(t, 'B', 15, 0, odd, "open", NULL);
    test_add(t, 'X', 40, 5, odd, "y", NULL);
    expect(t, "B 10 x/c\nB 15 open\nE 30 x/c\nB 40 y\nE 45 \n");
}

/* A begin that nothing ended is not over when a step of a flow passes that is bound to what lies around it: no end is
 * made for it, which would stand after all time. */
Test(ends, a_flow_makes_no_end_for_a_begin_that_is_open)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 10, 0, a, "x", NULL);
    test_add(t, 'X', 20, 30, a, "y", NULL);
    test_add(t, 'B', 20, 0, a, "z", NULL);
    add_flow(t, 't', 60, a, 5, PF_FLOW_STEP);
    add_flow(t, 't', 70, a, 6, PF_FLOW_STEP);
    expect(t, "B 10 x\nB 20 y\nB 20 z\nE 50 y\nt 60 arrow/f\nt 70 arrow/f\n");
}

/* Perfetto takes a slice with an end off the stack there; a complete event of JSON stays on it. Two flows
 * move; one would come in front of others that are new, the step in front of an end with its id. */
Test(ends, a_flow_behind_a_slice_is_said_at_its_end)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2), c = test_thread(t, 7, 3);
    test_add(t, 'X', 10, 20, a, "out", NULL);
    test_add(t, 'X', 10, 10, b, "two", NULL);
    test_add(t, 'X', 10, 80, c, "in", NULL);
    add_flow(t, 's', 35, a, 3, PF_FLOW_START);
    add_flow(t, 's', 36, a, 4, PF_FLOW_START);
    add_flow(t, 's', 37, b, 5, PF_FLOW_START);
    add_flow(t, 'f', 50, c, 3, PF_FLOW_END);
    add_flow(t, 't', 60, b, 3, PF_FLOW_STEP);
    expect(t, "B 10 out\ns 30 arrow/f\ns 30 arrow/f\nE 30 \n"
              "B 10 two\nE 20 \ns 37 arrow/f\nt 60 arrow/f\nB 10 in\nf 50 arrow/f\nE 90 \n");
}

/* The same at its very time. */
Test(ends, a_flow_at_the_end_of_a_slice_binds_to_it)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    test_add(t, 'X', 10, 20, a, "out", NULL);
    add_flow(t, 's', 30, a, 3, PF_FLOW_START);
    test_add(t, 'X', 30, 5, a, "after", NULL);
    test_add(t, 'X', 40, 20, b, "in", NULL);
    add_flow(t, 'f', 41, b, 3, PF_FLOW_END);
    expect(t, "B 10 out\nE 30 \nB 30 after\ns 30 arrow/f\nE 35 \nB 40 in\nf 41 arrow/f\nE 60 \n");
    t = test_trace("chrome-json", PF_WANT_TABLES);
    a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    test_add(t, 'X', 10, 20, a, "out", NULL);
    add_flow(t, 's', 30, a, 3, PF_FLOW_START);
    test_add(t, 'X', 40, 20, b, "in", NULL);
    add_flow(t, 'f', 41, b, 3, PF_FLOW_END);
    expect(t, "B 10 out\ns 30 arrow/f\nE 30 \nB 40 in\nf 41 arrow/f\nE 60 \n");
}

/* JSON's reader takes "inner" off the stack where "launch", which does not fit, is tried: the arrow leaves "outer". A
 * reader of packets does not see that attempt; an end that is no slice's makes it look. */
Test(ends, an_arrow_leaves_the_slice_that_an_overlapping_one_uncovered)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    test_add(t, 'X', 0, 100000, a, "outer", NULL);
    test_add(t, 'X', 10000, 10000, a, "inner", NULL);
    test_add(t, 'X', 50000, 100000, a, "launch", NULL);
    add_flow(t, 's', 50000, a, 1, PF_FLOW_START);
    test_add(t, 'X', 60000, 10000, b, "kernel", NULL);
    add_flow(t, 'f', 60000, b, 1, PF_FLOW_END);
    expect(t, "X 0 outer\nX 10000 inner\nE 20000 /postfetto.none\ns 50000 arrow/f\n"
              "X 60000 kernel\nf 60000 arrow/f\nX 50000 launch\n");
}
