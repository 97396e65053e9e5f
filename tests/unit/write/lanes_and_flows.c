/* lanes_and_flows.c - lanes next to a thread as they are used up, and flows that bind to slices on them. */
#include <stdio.h>

#include "converted.h"

enum { FLOWS = WANT | PF_WANT_FLOWS };

/* Each complete event outlives the begin and end around it and all complete events before, from 10 * i + 1 to 100003 +
 * 10 * i within 10 * i to 10 * i + 5. Perfetto's stack has each second of them beside the thread's begins (the first of
 * those on the thread's track, the others on tracks that overlap it); the others need a lane of their own each. */
static test_packets crossing(int count)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    for (int i = 0; i < count; i++) {
        test_add(t, 'B', 10 * i, 0, a, "outer", NULL);
        test_add(t, 'X', 10 * i + 1, 100002, a, "cross", NULL);
        test_add(t, 'E', 10 * i + 5, 0, a, NULL, NULL);
    }
    test_finish(t);
    test_packets p = convert(t);
    pf_trace_free(t);
    return p;
}

/* There are 64 lanes; whatever needs one more stays on the track of the thread. */
Test(lanes_and_flows, sixty_four_lanes_and_no_more)
{
    static const struct {
        int count, at_home;
    } rows[] = {{1, 0}, {2, 1}, {127, 1}, {128, 1}, {129, 2}, {130, 2}, {131, 3}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        test_packets p = crossing(rows[k].count);
        uint64_t thread = test_descriptor(&p, 0)->uuid, lane[140];
        int at_home = 0, n = 0;
        for (size_t i = 0; i < test_event_count(&p); i++) {
            const test_packet *e = test_event(&p, i);
            if (test_phase(e) == 'B' && strcmp(e->name, "cross") == 0) {
                at_home += e->track == thread;
                for (int j = 0; j < n; j++) {
                    cr_expect(e->track == thread || e->track != lane[j], "cross %d and %d share a lane", n, j);
                }
                lane[n++] = e->track;
            }
        }
        cr_expect_eq(n, rows[k].count);
        cr_expect_eq(at_home, rows[k].at_home, "%d: %d", n, at_home);
        test_packets_free(&p);
    }
}

static void add_flow(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, uint64_t id)
{
    pf_error err;
    test_add(t, phase, ts, 0, track, "arrow", NULL);
    cr_assert_eq(pf_trace_add_event_flow(t, id, phase == 's' ? PF_FLOW_START : PF_FLOW_STEP, &err), PF_OK);
}

/* In JSON an arrow leaves the innermost slice of its thread, wherever a conversion shows that: on its lane, be it the
 * first or a later one. */
Test(lanes_and_flows, arrows_leave_the_lane_of_their_slice)
{
    pf_trace *t = test_trace("chrome-json", FLOWS);
    uint32_t a = test_thread(t, 7, 1);
    for (int i = 0; i < 3; i++) {
        test_add(t, 'B', 10 * i, 0, a, "outer", NULL);
        add_flow(t, 's', 10 * i, a, 10 + (uint64_t)i);
        test_add(t, 'X', 10 * i + 1, 1005 + i - (10 * i + 1), a, "cross", NULL);
        add_flow(t, 's', 10 * i + 2, a, 20 + (uint64_t)i);
        test_add(t, 'E', 10 * i + 5, 0, a, NULL, NULL);
    }
    test_finish(t);
    test_packets p = convert(t);
    uint64_t thread = test_descriptor(&p, 0)->uuid, cross[3];
    int crosses = 0, at_home = 0, on_lanes = 0;
    for (size_t i = 0; i < test_event_count(&p); i++) {
        const test_packet *e = test_event(&p, i);
        if (test_phase(e) == 'B' && strcmp(e->name, "cross") == 0) {
            cr_assert_lt(crosses, 3);
            cross[crosses++] = e->track;
        }
        if (test_phase(e) == 's') {
            bool of_outer = e->envelope->timestamp % 10 == 0;
            at_home += of_outer && e->track == thread;
            on_lanes += !of_outer && crosses && e->track == cross[crosses - 1];
        }
    }
    cr_expect_eq(crosses, 3);
    cr_expect(cross[0] != cross[1] && cross[1] != cross[2] && cross[0] != thread);
    cr_expect_eq(at_home, 3, "arrows of the thread's own slices: %d", at_home);
    cr_expect_eq(on_lanes, 3, "arrows of slices on lanes: %d", on_lanes);
    test_packets_free(&p);
    pf_trace_free(t);
}
