/* The stack algorithm. Expected rows come from appendix A of the format facts (checked on the reference engine) and
 * from hand calculation; they are written as "name ts dur depth parent-name". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

static pf_error err;

static pf_trace *new_trace(void)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    cr_assert_not_null(t);
    return t;
}

static uint32_t text(pf_trace *t, const char *s)
{
    return s ? pf_strings_add(&t->strings, s, strlen(s), &err) : 0;
}

static uint32_t thread_track(pf_trace *t, int64_t pid, int64_t tid)
{
    const pf_ident p = {PF_ID_INT, PF_ID_INT, pid, 0}, th = {PF_ID_INT, PF_ID_INT, tid, 0};
    uint32_t upid = pf_trace_process(t, &p, &err);
    return pf_trace_thread_track(t, pf_trace_thread(t, upid, &th, &err), &err);
}

static void add(pf_trace *t, uint32_t track, char phase, int64_t ts, int64_t dur, const char *name)
{
    const pf_event e = {.ts = ts, .dur = dur, .name = text(t, name), .track = track, .phase = (uint8_t)phase};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
}

static void expect_slices(pf_trace *t, const char *expected)
{
    char got[4096] = "";
    size_t n = 0;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_slice_name(s, i));
        pf_str parent = s->parent[i] == PF_NONE ? PF_STR("-") : pf_trace_string(t, pf_slice_name(s, s->parent[i]));
        n += (size_t)snprintf(got + n, sizeof got - n, "%.*s %lld %lld %u %.*s\n", (int)name.len, name.ptr,
                              (long long)pf_slice_ts(s, i), (long long)s->dur[i], s->depth[i], (int)parent.len,
                              parent.ptr);
    }
    cr_expect_str_eq(got, expected);
}

Test(slices, mismatched_ends_A1)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 100, 101);
    add(t, k, 'B', 10, 0, "A");
    add(t, k, 'B', 20, 0, "B");
    add(t, k, 'E', 25, 0, "A");
    add(t, k, 'B', 30, 0, "C");
    add(t, k, 'E', 40, 0, NULL);
    add(t, k, 'B', 40, 0, "D");
    add(t, k, 'i', 40, 0, "I1");
    add(t, k, 'i', 40, 0, "I2");
    add(t, k, 'E', 50, 0, "nomatch");
    expect_slices(t, "A 10 15 0 -\nB 20 5 1 A\nC 30 10 0 -\nD 40 -1 0 -\nI1 40 0 1 D\nI2 40 0 2 I1\n");
    cr_expect_eq(t->stat_count[PF_STAT_MISPLACED_END], 1);
    cr_expect_eq(pf_trace_processes(t)->count, 2);
    cr_expect_eq(pf_trace_threads(t)->count, 3, "idle, main thread 100, thread 101");
    cr_expect_eq(pf_trace_threads(t)->tid[1], 100);
    cr_expect_eq(pf_trace_threads(t)->is_main[1], 1);
    cr_expect_eq(pf_trace_threads(t)->is_main[2], 0);
    pf_trace_free(t);
}

Test(slices, complete_events_that_cross_go_to_a_lane_A11)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'X', 10000, 10000, "a");
    add(t, k, 'X', 10000, 5000, "b");
    add(t, k, 'X', 15000, 10000, "overlap");
    add(t, k, 'X', 16000, 20000, "second lane");
    add(t, k, 'X', 26000, 1000, "first lane again");
    add(t, k, 'X', 26500, 9000, "inside the second lane");
    expect_slices(t, "a 10000 10000 0 -\nb 10000 5000 1 a\noverlap 15000 10000 0 -\nsecond lane 16000 20000 0 -\n"
                     "first lane again 26000 1000 0 -\ninside the second lane 26500 9000 0 -\n");
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    cr_expect_eq(t->stat_count[PF_STAT_SLICE_SPILL], 3, "26000+1000 fits the home track, 26500+9000 does not");
    cr_expect_eq(s->track[2], k + 1);
    cr_expect_eq(s->track[3], k + 2);
    cr_expect_eq(s->track[4], k);
    cr_expect_eq(s->track[5], k + 1, "lane 1 is free again at 26500");
    cr_expect_eq(tracks->type[k + 1], PF_TRACK_THREAD_OVERLAP);
    cr_expect_eq(tracks->group[k + 2], k + 1);
    cr_expect_eq(tracks->utid[k + 1], tracks->utid[k]);
    pf_trace_free(t);
}

/* The same above a slice that is still open. */
Test(slices, complete_events_that_cross_above_an_open_one)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'B', 0, 0, "open");
    add(t, k, 'X', 10, 10, "a");
    add(t, k, 'X', 15, 10, "crosses");
    add(t, k, 'X', 16, 4, "in");
    add(t, k, 'X', 17, 4, "crosses both");
    add(t, k, 'X', 20, 5, "next");
    add(t, k, 'E', 22, 0, NULL);
    add(t, k, 'X', 24, 2, "crosses what is left");
    add(t, k, 'X', 25, 2, "fits again");
    expect_slices(t, "open 0 22 0 -\na 10 10 1 open\ncrosses 15 10 0 -\nin 16 4 2 a\ncrosses both 17 4 1 crosses\n"
                     "next 20 5 1 open\ncrosses what is left 24 2 0 -\nfits again 25 2 0 -\n");
    cr_expect_eq(t->stat_count[PF_STAT_SLICE_SPILL], 3);
    const pf_slices *s = pf_trace_slices(t);
    cr_expect(s->track[2] == k + 1 && s->track[4] == k + 1 && s->track[6] == k + 2, "two lanes");
    cr_expect_eq(s->track[7], k);
    pf_trace_free(t);
}

Test(slices, ties_with_complete_events_A12_A13)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'X', 300, 5, "short");
    add(t, k, 'X', 300, 50, "long");
    add(t, k, 'B', 300, 0, "bb");
    add(t, k, 'E', 300, 0, NULL);
    add(t, k, 'i', 400, 0, "later");
    expect_slices(t, "long 300 50 0 -\nshort 300 5 1 long\nbb 300 5 2 short\nlater 400 0 0 -\n");
    pf_trace_free(t);

    t = new_trace();
    k = thread_track(t, 1, 1);
    add(t, k, 'X', 200, 10, "inst0");
    add(t, k, 'i', 210, 0, "at_end");
    add(t, k, 'X', 210, 0, "zero");
    add(t, k, 'X', 210, 5, "after");
    expect_slices(t, "inst0 200 10 0 -\nafter 210 5 0 -\nat_end 210 0 1 after\nzero 210 0 2 at_end\n");
    pf_trace_free(t);
}

/* What the reference engine shows; it has no row for the last one, which it drops (A11). */
Test(slices, an_outer_slice_that_ended_first_is_found_below_complete_ones)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'B', 0, 0, "a");
    add(t, k, 'B', 1, 0, "b");
    add(t, k, 'E', 5, 0, "a");
    add(t, k, 'X', 5, 10, "c");
    add(t, k, 'E', 6, 0, "b");
    add(t, k, 'X', 20, 10, "long");
    add(t, k, 'X', 22, 8, "in");
    add(t, k, 'i', 30, 0, "z");
    add(t, k, 'i', 30, 0, "z2");
    add(t, k, 'X', 30, 4, "next");
    add(t, k, 'X', 31, 3, "inner");
    add(t, k, 'X', 33, 3, "crosses");
    expect_slices(t, "a 0 5 0 -\nb 1 4 1 a\nc 5 0 2 b\nlong 20 10 0 -\nin 22 8 1 long\nnext 30 4 0 -\nz 30 0 1 next\n"
                     "z2 30 0 2 z\ninner 31 3 1 next\ncrosses 33 3 0 -\n");
    pf_trace_free(t);
}

Test(slices, without_lengths_ties_keep_file_order)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 0, 0);
    add(t, k, 'B', 0, 0, "A");
    add(t, k, 'B', 1000, 0, "B");
    add(t, k, 'E', 1000, 0, "B");
    add(t, k, 'E', 2000, 0, "C");
    add(t, k, 'B', 2000, 0, "C");
    add(t, k, 'X', 3000, 0, "D");
    add(t, k, 'E', 10000, 0, "A");
    expect_slices(t, "A 0 10000 0 -\nB 1000 0 1 A\nC 2000 -1 1 A\nD 3000 0 2 C\n");
    pf_trace_free(t);
}

Test(slices, events_out_of_order_are_sorted_stably)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'E', 50, 0, NULL);
    add(t, k, 'B', 10, 0, "outer");
    add(t, k, 'B', 20, 0, "first at 20");
    add(t, k, 'E', 40, 0, NULL);
    add(t, k, 'B', 20, 0, "second at 20");
    add(t, k, 'E', 30, 0, NULL);
    expect_slices(t, "outer 10 40 0 -\nfirst at 20 20 20 1 outer\nsecond at 20 20 10 2 first at 20\n");
    pf_trace_free(t);
}

Test(slices, an_end_before_its_begin_closes_nothing)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    add(t, k, 'E', 5, 0, "a");
    add(t, k, 'B', 10, 0, "a");
    add(t, k, 'B', -1, 0, "before time");
    add(t, k, 'X', 20, -1, "no duration");
    expect_slices(t, "a 10 -1 0 -\n");
    cr_expect_eq(t->stat_count[PF_STAT_NEGATIVE_TS], 1);
    cr_expect_eq(pf_trace_events(t)->count, 4, "events keep what slices cannot show");
    pf_trace_free(t);
}

Test(slices, depth_has_a_limit)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    for (int i = 0; i < 600; i++) {
        add(t, k, 'B', i, 0, "n");
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    cr_expect_eq(pf_trace_slices(t)->count, 512);
    cr_expect_eq(pf_trace_slices(t)->depth[511], 511);
    cr_expect_eq(t->stat_count[PF_STAT_SLICE_MAX_DEPTH], 88);
    pf_trace_free(t);
}

Test(slices, ends_filter_by_category_too)
{
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    pf_event e = {.ts = 1, .name = text(t, "n"), .category = text(t, "x"), .track = k, .phase = 'B'};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
    e = (pf_event){.ts = 2, .name = text(t, "n"), .category = text(t, "y"), .track = k, .phase = 'E'};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
    e = (pf_event){.ts = 4, .name = text(t, "n"), .category = text(t, "x"), .track = k, .phase = 'E'};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
    expect_slices(t, "n 1 3 0 -\n");
    pf_trace_free(t);
}

Test(sort, equals_a_stable_reference)
{
    enum { N = 3000 };
    pf_trace *t = new_trace();
    uint32_t k = thread_track(t, 1, 1);
    uint32_t state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        add(t, k, 'i', i / 7 + (int64_t)(state >> 29), 0, "n");
    }
    uint32_t *order;
    cr_assert_eq(pf_trace_event_order(t, &t->budget, &order, &err), PF_OK);
    cr_assert_not_null(order);
    bool seen[N] = {false};
    for (int i = 0; i < N; i++) {
        cr_assert_not(seen[order[i]]);
        seen[order[i]] = true;
        if (i) {
            int64_t a = t->events.ts[order[i - 1]], b = t->events.ts[order[i]];
            cr_assert(a < b || (a == b && order[i - 1] < order[i]));
        }
    }
    pf_release(&t->budget, order, N * sizeof *order);
    pf_trace_free(t);
}

/* ---- async groups and flows -------------------------------------------------------------------------------------- */

static uint32_t async_track(pf_trace *t, const char *name, uint32_t group)
{
    const pf_track_row r = {.type = PF_TRACK_GLOBAL_MERGED,
                            .name = text(t, name),
                            .upid = PF_NONE,
                            .utid = PF_NONE,
                            .parent = PF_NONE,
                            .group = group == PF_NONE ? t->tracks.count : group};
    return pf_trace_add_track(t, &r, &err);
}

Test(async, overlapping_tracks_of_one_name_get_lanes_A2)
{
    pf_trace *t = new_trace();
    uint32_t u77 = async_track(t, "unk1", PF_NONE), u78 = async_track(t, "unk1", u77);
    add(t, u77, 'B', 60, 0, "a");
    add(t, u78, 'B', 65, 0, "b");
    add(t, u77, 'E', 70, 0, NULL);
    add(t, u78, 'E', 75, 0, NULL);
    expect_slices(t, "a 60 10 0 -\nb 65 10 0 -\n");
    cr_expect_neq(pf_trace_slices(t)->track[0], pf_trace_slices(t)->track[1]);
    pf_trace_free(t);
}

Test(async, a_free_lane_is_used_again_and_children_hang_below_the_first)
{
    pf_trace *t = new_trace();
    uint32_t a = async_track(t, "n", PF_NONE), b = async_track(t, "n", a), c = async_track(t, "n", a);
    const pf_track_row child = {
        .type = PF_TRACK_GLOBAL_EVENT, .upid = PF_NONE, .utid = PF_NONE, .parent = c, .group = PF_NONE};
    uint32_t below = pf_trace_add_track(t, &child, &err);
    add(t, a, 'B', 10, 0, "a");
    add(t, a, 'E', 20, 0, NULL);
    add(t, b, 'B', 30, 0, "b");  /* adopts lane 0 */
    add(t, a, 'B', 40, 0, "a2"); /* its lane is taken: a second lane, not its own row */
    add(t, c, 'B', 45, 0, "c");
    add(t, b, 'E', 50, 0, NULL);
    add(t, a, 'E', 60, 0, NULL);
    add(t, c, 'E', 70, 0, NULL);
    expect_slices(t, "a 10 10 0 -\nb 30 20 0 -\na2 40 20 0 -\nc 45 25 0 -\n");
    const pf_slices *s = pf_trace_slices(t);
    cr_expect_eq(s->track[0], a);
    cr_expect_eq(s->track[1], a);
    cr_expect(s->track[2] != a && s->track[2] != b && s->track[2] != c);
    cr_expect_eq(s->track[3], c);
    cr_expect_eq(pf_trace_tracks(t)->group[s->track[2]], a);
    cr_expect_eq(pf_trace_tracks(t)->parent[below], a);
    pf_trace_free(t);
}

static void flow(pf_trace *t, uint64_t id, pf_flow_kind kind)
{
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

static void expect_flows(pf_trace *t, const char *expected)
{
    char got[1024] = "";
    size_t n = 0;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_flows *f = pf_trace_flows(t);
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < f->count; i++) {
        n += (size_t)snprintf(
            got + n, sizeof got - n, "%s-%s %llu\n", pf_trace_string(t, pf_slice_name(s, f->slice_out[i])).ptr,
            pf_trace_string(t, pf_slice_name(s, f->slice_in[i])).ptr, (unsigned long long)f->trace_id[i]);
    }
    cr_expect_str_eq(got, expected);
}

/* Ids that count up, that have something in common besides, and that look like chance. */
static uint64_t flow_id(unsigned way, uint64_t number)
{
    return way == 0 ? number : way == 1 ? number << 3 | 0xabcd00ull << 32 : number * 0x9e3779b97f4a7c15ull;
}

Test(flows, track_events_A8)
{
    for (unsigned way = 0; way < 3; way++) {
        pf_trace *t = new_trace();
        uint32_t k = thread_track(t, 1, 1);
        uint64_t five = flow_id(way, 5), nine = flow_id(way, 9);
        add(t, k, 'i', 10, 0, "a");
        flow(t, five, PF_FLOW_FLOW);
        add(t, k, 'i', 15, 0, "b");
        flow(t, five, PF_FLOW_FLOW);
        add(t, k, 'i', 25, 0, "c");
        flow(t, five, PF_FLOW_TERMINATE);
        add(t, k, 'i', 30, 0, "d");
        flow(t, five, PF_FLOW_FLOW);
        add(t, k, 'i', 32, 0, "e");
        flow(t, five, PF_FLOW_FLOW);
        add(t, k, 'B', 40, 0, "x");
        add(t, k, 'E', 45, 0, NULL);
        flow(t, nine, PF_FLOW_FLOW);
        add(t, k, 'i', 50, 0, "y");
        flow(t, nine, PF_FLOW_TERMINATE);
        add(t, k, 'i', 55, 0, "z");
        flow(t, nine, PF_FLOW_TERMINATE);
        char expected[256];
        (void)snprintf(expected, sizeof expected, "a-b %llu\nb-c %llu\nd-e %llu\nx-y %llu\n", (unsigned long long)five,
                       (unsigned long long)five, (unsigned long long)five, (unsigned long long)nine);
        expect_flows(t, expected);
        pf_trace_free(t);
    }
}

Test(flows, chrome_flows_bind_to_open_and_next_slices_A14)
{
    pf_trace *t = new_trace();
    uint32_t k1 = thread_track(t, 1, 1), k2 = thread_track(t, 1, 2);
    add(t, k1, 'X', 0, 10, "out");
    add(t, k1, 's', 20, 0, NULL);
    flow(t, 77, PF_FLOW_START);
    add(t, k2, 'X', 30, 10, "in");
    add(t, k2, 'f', 32, 0, NULL);
    flow(t, 77, PF_FLOW_END);
    add(t, k2, 'f', 45, 0, NULL);
    flow(t, 77, PF_FLOW_END_NEXT);
    add(t, k2, 'X', 50, 5, "next");
    add(t, k2, 'f', 52, 0, NULL);
    flow(t, 78, PF_FLOW_END);
    expect_flows(t, "out-in 0\nout-next 0\n");
    cr_expect_eq(t->stat_count[PF_STAT_FLOW_END_NO_START], 1);
    pf_trace_free(t);
}

/* Two flows between three tracks, in the order of time or one track after the other, with ids that may be places in a
 * list and with others: the arrows of the reference engine. */
Test(flows, chrome_flows_need_no_order_and_no_small_ids)
{
    static const struct {
        uint32_t track;
        char phase;
        int64_t ts, dur;
        const char *name;
        uint64_t id;
        pf_flow_kind kind;
    } events[] = {
        {0, 'X', 0, 10, "a", 0, 0},
        {0, 's', 1, 0, NULL, 3, PF_FLOW_START},
        {1, 'X', 5, 10, "b", 0, 0},
        {1, 't', 6, 0, NULL, 3, PF_FLOW_STEP},
        {1, 's', 7, 0, NULL, 1, PF_FLOW_START},
        {2, 'f', 8, 0, NULL, 3, PF_FLOW_END_NEXT},
        {2, 'X', 9, 9, "c", 0, 0},
        {2, 'f', 10, 0, NULL, 1, PF_FLOW_END},
    };
    const uint32_t n = sizeof events / sizeof *events;
    for (uint32_t variant = 0; variant < 6; variant++) {
        pf_trace *t = new_trace();
        uint32_t tracks[3];
        for (uint32_t i = 0; i < 3; i++) {
            tracks[i] = thread_track(t, 1, 1 + i);
        }
        for (uint32_t pass = 0; pass < (variant < 3 ? 1 : 3); pass++) {
            for (uint32_t i = 0; i < n; i++) {
                if (variant >= 3 && events[i].track != 2 - pass) {
                    continue;
                }
                add(t, tracks[events[i].track], events[i].phase, events[i].ts, events[i].dur, events[i].name);
                if (events[i].phase != 'X') {
                    flow(t, flow_id(variant % 3, events[i].id), events[i].kind);
                }
            }
        }
        expect_flows(t, "a-b 0\nb-c 0\nb-c 1\n");
        pf_trace_free(t);
    }
}
