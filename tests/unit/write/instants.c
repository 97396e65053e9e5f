/* instants.c - instants with a thread clock in packets: what Perfetto's stacks make of them must be what they are in
 * JSON. The expected packets follow from the rules of the stack (docs/reference/perfetto.md) by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support.h"

enum { WANT = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES | PF_WANT_FLOWS };

static const int64_t none = INT64_MIN;

static void add(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, const char *name, bool clocked)
{
    pf_error err;
    const pf_thread_time clock = {ts * 10, none, none, none};
    test_add(t, phase, ts, 0, track, name, NULL);
    if (clocked) {
        cr_assert_eq(pf_trace_add_thread_time(t, &clock, &err), PF_OK);
    }
}

static void add_flow(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, uint64_t id)
{
    pf_error err;
    add(t, phase, ts, track, "flow", false);
    cr_assert_eq(pf_trace_add_event_flow(t, id, phase == 's' ? PF_FLOW_START : PF_FLOW_STEP, &err), PF_OK);
}

/* Phase or type, time, name of all events. */
static void expect(pf_trace *t, const char *want)
{
    char *bytes, out[1024] = "";
    size_t used = 0;
    test_packets p = test_converted(t, &bytes);
    for (size_t i = 0; i < test_event_count(&p); i++) {
        const test_packet *e = test_event(&p, i);
        used += (size_t)snprintf(out + used, sizeof out - used, "%c%lu%s ", test_phase(e),
                                 (unsigned long)e->envelope->timestamp, e->name);
    }
    cr_expect_str_eq(out, want);
    test_packets_free(&p);
    free(bytes);
}

Test(instants, a_run_is_begun_and_ended_together)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    add(t, 'i', 1000, a, "x", true);
    add(t, 'i', 1000, b, "other", false);
    add(t, 'i', 1000, a, "y", false);
    add(t, 'B', 1000, a, "later", false);
    add(t, 'i', 2000, a, "z", true);
    expect(t, "B1000x I1000other B1000y E1000 E1000 B1000later B2000z E2000 ");
}

Test(instants, without_a_clock_they_stay)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    add(t, 'i', 1000, a, "x", false);
    add(t, 'i', 1000, a, "y", false);
    add(t, 'i', 2000, a, "z", true);
    expect(t, "I1000x I1000y B2000z E2000 ");
}

Test(instants, behind_an_empty_slice_of_their_time_they_stay)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    add(t, 'X', 1000, a, "empty", false);
    add(t, 'i', 1000, a, "x", true);
    add(t, 'i', 3000, a, "y", true);
    add(t, 'X', 3000, a, "child", false);
    expect(t, "X1000empty I1000x B3000y X3000child E3000 ");
}

Test(instants, around_an_empty_slice_they_stay)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    add(t, 'i', 1000, a, "x", true);
    add(t, 'X', 1000, a, "empty", false);
    add(t, 'i', 1000, a, "y", true);
    expect(t, "I1000x X1000empty I1000y ");
}

Test(instants, flows_that_bind_to_them_come_before_their_ends)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    add(t, 'i', 1000, a, "x", true);
    add_flow(t, 's', 1000, a, 1);
    add_flow(t, 's', 1700, a, 2);
    add(t, 'i', 2000, a, "y", true);
    add_flow(t, 't', 2001, a, 1);
    add(t, 'E', 3000, a, NULL, false);
    expect(t, "B1000x s1000flow s1000flow E1000 B2000y t2000flow E2000 E3000 ");
}

Test(instants, a_flow_with_another_of_its_id_in_between_holds_them)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    add(t, 'B', 500, b, "slice", false);
    add_flow(t, 's', 600, b, 1);
    add(t, 'i', 1000, a, "x", true);
    add_flow(t, 't', 1500, b, 1);
    add_flow(t, 't', 1700, a, 1);
    expect(t, "B500slice s600flow I1000x t1500flow t1700flow ");
}

Test(instants, of_two_new_flows_the_later_one_cannot_move)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    add(t, 'B', 500, b, "slice", false);
    add(t, 'i', 1000, a, "x", true);
    add_flow(t, 's', 1500, b, 1);
    add_flow(t, 's', 1700, a, 2);
    expect(t, "B500slice I1000x s1500flow s1700flow ");
}

Test(instants, in_a_file_out_of_order_a_flow_in_front_of_them_holds_them)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    add_flow(t, 's', 1700, a, 1);
    add(t, 'i', 1000, a, "x", true);
    expect(t, "s1700flow I1000x ");
}

/* Whether instant x is begun and ended, and when the last flow is said. */
static void expect_run(pf_trace *t, bool begun, unsigned long last_flow)
{
    char *bytes, phase = 0;
    unsigned long ts = 0;
    test_packets p = test_converted(t, &bytes);
    for (size_t i = 0; i < test_event_count(&p); i++) {
        const test_packet *e = test_event(&p, i);
        phase = strcmp(e->name, "x") == 0 ? test_phase(e) : phase;
        ts = strchr("stf", test_phase(e)) ? (unsigned long)e->envelope->timestamp : ts;
    }
    cr_expect_eq(phase, begun ? 'B' : 'I');
    cr_expect_eq(ts, last_flow, "%lu", ts);
    test_packets_free(&p);
    free(bytes);
}

/* A flow passes 64 others of later times, and no more. */
Test(instants, a_flow_looks_over_so_many_others)
{
    for (int others = 0; others <= 66; others += others ? 1 : 63) {
        pf_trace *t = test_trace("chrome-json", WANT);
        uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
        add(t, 'B', 400, b, "slice", false);
        add_flow(t, 's', 500, b, 1);
        add_flow(t, 's', 510, b, 2);
        add(t, 'i', 1000, a, "x", true);
        for (int i = 0; i < others; i++) {
            add_flow(t, 't', 1500, b, 2);
        }
        add_flow(t, 't', 1700, a, 1);
        expect_run(t, others <= 64, others <= 64 ? 1000 : 1700);
    }
}

/* Another flow of the id is in the way from the time of the instant on, unless it moves as well: on this thread, and
 * bound to what is there. */
Test(instants, what_is_in_the_way_of_a_flow)
{
    static const struct {
        int64_t ts;
        bool here;
        pf_flow_kind kind;
        bool begun;
    } rows[] = {
        {1000, false, PF_FLOW_STEP, false}, {1001, false, PF_FLOW_STEP, false}, {1500, true, PF_FLOW_STEP, true},
        {1000, true, PF_FLOW_STEP, true},   {1500, true, PF_FLOW_END, true},    {1500, true, PF_FLOW_END_NEXT, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_error err;
        pf_trace *t = test_trace("chrome-json", WANT);
        uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
        add(t, 'B', 400, b, "slice", false);
        add_flow(t, 's', 500, b, 1);
        add(t, 'i', 1000, a, "x", true);
        add(t, rows[i].kind == PF_FLOW_STEP ? 't' : 'f', rows[i].ts, rows[i].here ? a : b, "flow", false);
        cr_assert_eq(pf_trace_add_event_flow(t, 1, rows[i].kind, &err), PF_OK);
        add_flow(t, 't', 1700, a, 1);
        expect_run(t, rows[i].begun, rows[i].begun ? 1000 : 1700);
    }
}

/* Of what else is between instants of one time, an empty slice in front blocks those behind it, on its own track. */
Test(instants, other_tracks_and_times_are_no_part_of_a_run)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    add(t, 'X', 1000, b, "empty", false);
    add(t, 'i', 1000, a, "x", true);
    add(t, 'X', 1999, a, "empty", false);
    add(t, 'i', 2000, a, "y", true);
    add(t, 'i', 2000, b, "z", true);
    add(t, 'i', 2001, b, "w", false);
    expect(t, "X1000empty B1000x E1000 X1999empty B2000y E2000 B2000z E2000 I2001w ");
}
