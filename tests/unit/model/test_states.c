/* What a track shows from one time to another, and the bounds of traces, by hand from the rules that states.c and
 * finish_trace.c tell. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

static pf_error err;

static uint32_t text(pf_trace *t, const char *s)
{
    return s ? pf_strings_add(&t->strings, s, strlen(s), &err) : 0;
}

static uint32_t track_of(pf_trace *t, pf_track_type type)
{
    const pf_track_row r = {.type = type, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    return pf_trace_add_track(t, &r, &err);
}

static void add(pf_trace *t, uint32_t track, uint8_t phase, int64_t ts, int64_t dur, const char *name)
{
    const pf_event e = {.ts = ts, .dur = dur, .name = text(t, name), .track = track, .phase = phase};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
}

static void expect_states(pf_trace *t, const char *expected)
{
    char got[512] = "";
    size_t n = 0;
    t->has_states = true;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    pf_side_table *s = &t->sides.known[PF_SIDE_STATE];
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str value = pf_trace_string(t, *pf_side_ref(s, PF_STATE_VALUE, i));
        n += (size_t)snprintf(got + n, sizeof got - n, "%u:%.*s %lld %lld\n", *pf_side_ref(s, PF_STATE_TRACK, i),
                              (int)value.len, value.ptr, (long long)*pf_side_number(s, PF_STATE_TS, i),
                              (long long)*pf_side_number(s, PF_STATE_DUR, i));
    }
    cr_expect_str_eq(got, expected);
}

Test(states, follow_each_other)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    uint32_t a = track_of(t, PF_TRACK_GLOBAL_STATE), b = track_of(t, PF_TRACK_PROCESS_STATE);
    uint32_t c = track_of(t, PF_TRACK_THREAD_STATE), no = track_of(t, PF_TRACK_GLOBAL_EVENT);
    add(t, a, PF_PHASE_STATE, 10, 0, "on");
    add(t, b, PF_PHASE_STATE, 11, 0, "x");
    add(t, a, PF_PHASE_STATE, 12, 0, "on"); /* is so already */
    add(t, a, PF_PHASE_STATE, 15, 0, "off");
    add(t, no, PF_PHASE_STATE, 16, 0, "lost"); /* not a track of states */
    add(t, a, PF_PHASE_STATE, 20, 0, NULL);
    add(t, a, PF_PHASE_STATE, 22, 0, NULL); /* nothing to end */
    add(t, c, PF_PHASE_STATE, -5, 0, "early");
    add(t, c, PF_PHASE_STATE, 23, 0, "y");
    add(t, a, PF_PHASE_STATE, 30, 0, "off");
    add(t, b, PF_PHASE_STATE, 31, 0, "z");
    add(t, b, PF_PHASE_STATE, 31, 0, "x");
    expect_states(t, "0:on 10 5\n1:x 11 20\n0:off 15 5\n2:y 23 -1\n0:off 30 -1\n1:z 31 0\n1:x 31 -1\n");
    cr_expect_eq(pf_trace_stat(t, PF_STAT_EVENT_ERRORS).count, 1);
    cr_expect(t->tracks.used[a] && t->tracks.used[b] && t->tracks.used[c]);
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    cr_expect_eq(start, 10);
    cr_expect_eq(end, 31);
    pf_trace_free(t);
}

/* The last state ends at 40, after everything that begins. */
Test(states, widen_the_bounds)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    uint32_t a = track_of(t, PF_TRACK_GLOBAL_STATE);
    add(t, a, PF_PHASE_STATE, 30, 0, "late");
    add(t, a, PF_PHASE_STATE, 20, 0, "first"); /* events are taken in the order of their times */
    add(t, a, PF_PHASE_STATE, 40, 0, NULL);
    expect_states(t, "0:first 20 10\n0:late 30 10\n");
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    cr_expect_eq(start, 20);
    cr_expect_eq(end, 40);
    pf_trace_free(t);
}

static void expect_bounds(pf_trace *t, int64_t from, int64_t to, const char *what)
{
    int64_t start, end;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    pf_trace_bounds(t, &start, &end);
    cr_expect(start == from && end == to, "%s: %lld to %lld", what, (long long)start, (long long)end);
    pf_trace_free(t);
}

/* Without slices the events say it: complete ones with their ends, no metadata, no time that is none. */
Test(bounds, of_events)
{
    const unsigned want = PF_WANT_TABLES & ~(unsigned)PF_WANT_SLICES;
    pf_trace *t = pf_trace_new(NULL, want, &err);
    uint32_t track = track_of(t, PF_TRACK_GLOBAL_EVENT);
    add(t, track, 'M', 1, 0, "m");
    add(t, track, 'X', 50, 25, "x");
    add(t, track, 'i', 60, 1000, "i");
    add(t, track, 'i' | PF_PHASE_BAD_TS, 900, 0, "bad");
    expect_bounds(t, 50, 75, "an end");

    t = pf_trace_new(NULL, want, &err);
    track = track_of(t, PF_TRACK_GLOBAL_EVENT);
    add(t, track, 'X', 50, -25, "x");
    add(t, track, 'B', 70, 0, "b");
    add(t, track, 'E', 65, 0, "b");
    expect_bounds(t, 50, 70, "a length below 0");

    t = pf_trace_new(NULL, want, &err);
    track = track_of(t, PF_TRACK_GLOBAL_EVENT);
    add(t, track, 'M', 70, 0, "m");
    expect_bounds(t, 0, 0, "metadata only");

    t = pf_trace_new(NULL, want, &err);
    track = track_of(t, PF_TRACK_GLOBAL_EVENT);
    add(t, track, 'i', 7, 0, "i");
    expect_bounds(t, 7, 8, "one time");

    t = pf_trace_new(NULL, want, &err);
    track = track_of(t, PF_TRACK_GLOBAL_COUNTER);
    cr_assert_eq(pf_trace_add_sample(t, 9, 1, track, PF_NONE, &err), PF_OK);
    cr_assert_eq(pf_trace_add_sample(t, 4, 1, track, PF_NONE, &err), PF_OK);
    add(t, track, 'i', 6, 0, "i");
    expect_bounds(t, 4, 9, "counters on both sides");
}

/* All columns of a sample move together; equal times keep their order. */
Test(counters, events_of_sorted_samples)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    uint32_t track = track_of(t, PF_TRACK_GLOBAL_COUNTER);
    static const int64_t TIMES[] = {5, 3, 5, 1, 3};
    for (uint32_t i = 0; i < 5; i++) {
        add(t, track, 'C', TIMES[i], 0, "c");
        cr_assert_eq(pf_trace_add_sample(t, TIMES[i], i, track, i, &err), PF_OK);
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    static const uint32_t EXPECTED[] = {3, 1, 4, 0, 2};
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(t->counters.event[i], EXPECTED[i]);
        cr_expect_eq(t->counters.value[i], EXPECTED[i]);
        cr_expect_eq(t->counters.ts[i], TIMES[EXPECTED[i]]);
    }
    pf_trace_free(t);
}
