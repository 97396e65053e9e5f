/* Slices built in two halves at once (model/parallel_halves.c) against slices built from the first event to the last:
 * the same random traces, with and without a helper; and both against the way that takes every event by itself
 * (model/slices.c), which one thread clock in the trace makes necessary. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

#define EVENTS 80000u
#define MIDDLE (EVENTS / 16 * 7) /* where the helper begins, as there are many flows */
#define TRACKS 7u
#define QUIET 4u /* tracks that only have what a test puts there */
#define TEXTS 5u

static pf_error err;

typedef enum oddity {
    NONE, /* only what a half can take */
    COMPLETE,
    NAMELESS,
    MISFIT_LATE, /* an end that does not fit, in the second half */
    MISFIT_OPEN, /* the same, where the begin is in the first half */
    OUTER,       /* an end that fits the slice below the top */
    WAITING,     /* a flow that ends at the next slice */
    DEEP,        /* more on both sides of the middle than slices may be together */
    RESTING,     /* an instant in front of the middle, and an arrow that starts there after it */
    TWINS,       /* an instant in front of the middle, and one of the same time after it */
    DISORDER,    /* a few events come late */
    EARLY,       /* one comes a little late, and the last one is of the beginning: ties are others from there on */
    EQUAL,       /* all times are equal around the middle */
    LYING_IN,    /* complete events over the middle, and others in them */
    ACROSS,      /* the same, and one that crosses the end of one of them */
    BEGUN_ON,    /* the same, and a begin above one of them */
    ENDED_IN,    /* the same, and an end that has no begin */
    OUTLIVING,   /* the same, and in the second half a begin in a complete event that is over before its end */
    NEGATIVE,
    ODDITIES
} oddity;

/* What the tracks hold. */
typedef enum mix {
    BEGINS,    /* begins, ends and instants */
    COMPLETES, /* complete events that fit into each other, and instants */
    SOME,      /* every other track complete events */
    BOTH,      /* both on all tracks */
    CROSSING   /* complete events, some of which cross the end of another */
} mix;

typedef struct maker {
    pf_trace *t;
    uint32_t random;
    mix mix;
    uint32_t track[TRACKS + QUIET], text[TEXTS];
    uint32_t open[TRACKS][600], depth[TRACKS];
    int64_t end[TRACKS][64];
    uint32_t ends[TRACKS];
} maker;

static uint32_t any(maker *m, uint32_t below)
{
    m->random = m->random * 1664525u + 1013904223u;
    return (m->random >> 8) % below;
}

static void put(maker *m, uint32_t track, uint8_t phase, int64_t ts, uint32_t name)
{
    const pf_event e = {.ts = ts, .dur = 5, .name = name, .category = name, .track = m->track[track], .phase = phase};
    cr_assert_eq(pf_trace_add_event(m->t, &e, &err), PF_OK);
}

static void put_flows(maker *m, bool of_slice)
{
    static const pf_flow_kind of_slices[] = {PF_FLOW_FLOW,       PF_FLOW_FLOW,      PF_FLOW_TERMINATE,
                                             PF_FLOW_BIND_START, PF_FLOW_BIND_STEP, PF_FLOW_BIND_END,
                                             PF_FLOW_GPU_STAGE,  PF_FLOW_GPU_SUBMIT};
    for (unsigned k = of_slice ? any(m, 12) / 10 : 1 + any(m, 8) / 7; k > 0; k--) {
        uint32_t id = 1 + any(m, 30);
        pf_flow_kind kind = of_slice ? of_slices[any(m, 8)] : PF_FLOW_START + any(m, 3);
        cr_assert_eq(pf_trace_add_event_flow(m->t, id, kind, &err), PF_OK);
    }
}

/* A complete event that fits into those before it, mostly short, sometimes without length, now and then very long. */
static void put_complete(maker *m, uint32_t track, int64_t ts, uint32_t name)
{
    uint32_t *ends = &m->ends[track];
    while (*ends && m->end[track][*ends - 1] <= ts) {
        --*ends;
    }
    int64_t room = *ends ? m->end[track][*ends - 1] - ts : INT64_MAX, dur = any(m, 9) ? any(m, 400) : 0;
    dur = any(m, 2000) ? dur : any(m, 2 * EVENTS);
    dur = dur <= room ? dur : m->mix == CROSSING && any(m, 2000) == 0 ? (any(m, 2) ? dur : room + 1) : room;
    const pf_event e = {.ts = ts, .dur = dur, .name = name, .category = name, .track = m->track[track], .phase = 'X'};
    cr_assert_eq(pf_trace_add_event(m->t, &e, &err), PF_OK);
    if (*ends < 60) {
        m->end[track][(*ends)++] = ts + dur;
    } else {
        m->end[track][*ends - 1] = ts + dur;
    }
}

static void put_length(maker *m, uint32_t track, int64_t ts, int64_t dur)
{
    const pf_event e = {.ts = ts, .dur = dur, .name = m->text[0], .track = m->track[track], .phase = 'X'};
    cr_assert_eq(pf_trace_add_event(m->t, &e, &err), PF_OK);
}

/* Complete events on quiet tracks, from before the middle to after it; `at`: events from there. */
static void put_over_middle(maker *m, oddity odd, int64_t at, int64_t ts)
{
    const uint32_t a = TRACKS, b = TRACKS + 1, c = TRACKS + 2, d = TRACKS + 3;
    if (at == -4) {
        put_length(m, a, ts, 20000);
        put_length(m, a, ts, 3000);
        put_length(m, b, ts, 2000);
        put_length(m, c, ts, 40);
        put(m, d, 'B', ts, m->text[1]);
        put(m, d, 'i', ts, m->text[2]);
    } else if (at == 60) {
        put(m, d, 'B', ts, m->text[3]);
        put(m, d, 'E', ts, 0);
        put(m, d, 's', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 902, PF_FLOW_START, &err), PF_OK);
        put(m, d, 'f', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 902, PF_FLOW_END, &err), PF_OK);
        put(m, c, 's', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 900, PF_FLOW_START, &err), PF_OK);
        put_length(m, a, ts, 10);
        put_length(m, a, ts, 0);
        put(m, b, 'i', ts, m->text[1]);
        put(m, c, 'E', ts, m->text[1]);
        put(m, c, 'f', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 900, PF_FLOW_END, &err), PF_OK);
    } else if (at == 5000) {
        put_length(m, a, ts, 10);
        put(m, b, 't', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 901, PF_FLOW_START, &err), PF_OK);
        put_length(m, b, ts, 10);
        put(m, b, 's', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 901, PF_FLOW_END, &err), PF_OK);
    } else if (at == 6000 && odd == OUTLIVING) {
        put_length(m, c, ts, 100);
        put(m, c, 'B', ts, m->text[2]);
    } else if (at == 7000 && odd == OUTLIVING) {
        put(m, c, 'E', ts, 0);
    } else if (at == 6000 && odd == ACROSS) {
        put_length(m, a, ts, 30000);
    } else if (at == 6000 && odd == BEGUN_ON) {
        put(m, a, 'B', ts, m->text[2]);
    } else if (at == 6000 && odd == ENDED_IN) {
        put(m, a, 'E', ts, 0);
    }
}

static bool is_for_complete(maker *m, uint32_t track)
{
    return m->mix == COMPLETES || m->mix == CROSSING || (m->mix == SOME && track % 2) || (m->mix == BOTH && any(m, 2));
}

/* A begin, an end that mostly has one, a complete event, an instant, a sample or an arrow. `deepest` bounds the stacks.
 */
static void put_any(maker *m, int64_t ts, uint32_t deepest)
{
    uint32_t track = any(m, TRACKS), kind = any(m, 100), name = m->text[any(m, TEXTS)], *depth = &m->depth[track];
    if (kind < 88 && is_for_complete(m, track)) {
        put_complete(m, track, ts, name);
        put_flows(m, true);
    } else if (kind < 44 && *depth < deepest) {
        m->open[track][(*depth)++] = name;
        put(m, track, 'B', ts, name);
        put_flows(m, true);
    } else if (kind < 88) {
        uint32_t top = *depth ? m->open[track][--*depth] : 0;
        put(m, track, 'E', ts, any(m, 2) ? top : 0);
        put_flows(m, true);
    } else if (kind < 93) {
        put(m, track, any(m, 2) ? 'i' : 'R', ts, name);
        put_flows(m, true);
    } else if (kind < 96) {
        put(m, track, 's', ts, name);
        put_flows(m, false);
    } else {
        put(m, track, kind < 98 ? 'C' : 'M', ts, name);
    }
}

static void put_odd(maker *m, oddity odd, int64_t ts)
{
    uint32_t track = any(m, TRACKS);
    switch (odd) {
    case COMPLETE:
        put(m, track, 'X', ts, m->text[0]);
        break;
    case NAMELESS:
        put(m, track, 'B', ts, 0);
        break;
    case MISFIT_LATE:
    case MISFIT_OPEN:
        put(m, track, 'E', ts, pf_strings_add(&m->t->strings, "no such", 7, &err));
        break;
    case OUTER:
        if (m->mix == COMPLETES) {
            break;
        }
        while (m->depth[track] < 1) {
            track = (track + 1) % TRACKS;
        }
        put(m, track, 'B', ts, m->text[4]);
        put(m, track, 'i', ts, m->text[4]);
        put(m, track, 'E', ts, m->open[track][m->depth[track] - 1]);
        break;
    case WAITING:
        put(m, track, 'f', ts, m->text[1]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 3, PF_FLOW_END_NEXT, &err), PF_OK);
        break;
    case NEGATIVE:
        put(m, track, 'B', -5, m->text[3]);
        break;
    case EARLY:
        put_length(m, track, ts - 50, 3);
        break;
    default:
        break;
    }
}

/* What only matters next to the middle. */
static void put_around_middle(maker *m, oddity odd, uint32_t i, int64_t ts)
{
    if (odd == DEEP && (i == MIDDLE - 100 || i == MIDDLE + 200)) {
        for (unsigned k = 0; k < 250 + 40 * (i < MIDDLE); k++) {
            put(m, 0, 'B', ts, m->text[2]);
        }
    } else if (odd == RESTING && i == MIDDLE - 2) {
        put(m, 0, 'i', ts, m->text[0]);
        put(m, 1, 'i', ts, m->text[0]);
        put(m, 0, 's', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 77, PF_FLOW_START, &err), PF_OK);
        put(m, 1, 'f', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 77, PF_FLOW_END, &err), PF_OK);
    } else if (odd >= LYING_IN && odd <= OUTLIVING) {
        put_over_middle(m, odd, (int64_t)i - MIDDLE, ts);
    } else if (odd == TWINS && i == MIDDLE - 4) {
        for (uint32_t track = 0; track < 8; track++) {
            put(m, track % 2, 'i', ts, m->text[track / 2]);
        }
    }
}

/* Where the odd events are: `place` of 16. */
static pf_trace *make(mix what, uint32_t seed, oddity odd, unsigned place)
{
    maker m = {.t = pf_trace_new(NULL, PF_WANT_TABLES, &err), .random = seed, .mix = what};
    cr_assert_not_null(m.t);
    m.t->unnamed_slice = pf_strings_add(&m.t->strings, "unnamed", 7, &err);
    m.t->events.plain_ties = seed % 2;
    for (uint32_t i = 0; i < TRACKS + QUIET; i++) {
        const pf_ident pid = {PF_ID_INT, PF_ID_INT, 1 + i % 2, 0}, tid = {PF_ID_INT, PF_ID_INT, 10 + i, 0};
        uint32_t upid = pf_trace_process(m.t, &pid, &err);
        m.track[i] = pf_trace_thread_track(m.t, pf_trace_thread(m.t, upid, &tid, &err), &err);
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        char name[8];
        int len = snprintf(name, sizeof name, "name%u", i);
        m.text[i] = pf_strings_add(&m.t->strings, name, (size_t)len, &err);
    }
    int64_t ts = 1000;
    for (uint32_t i = 0; i < EVENTS; i++) {
        bool middle = i > MIDDLE - 400 && i < MIDDLE + 400;
        ts += odd == EQUAL && middle ? 0 : any(&m, 3);
        if (i == EVENTS / 16 * place) {
            put_odd(&m, odd, ts);
        }
        put_around_middle(&m, odd, i, ts);
        if (odd == EARLY && i == EVENTS - 1) {
            put_length(&m, 0, 1001, 3);
        }
        ts += odd == RESTING && i == MIDDLE - 2;
        put_any(&m, odd == DISORDER && any(&m, 900) == 0 ? ts - 40 : ts, 1 + seed % 9);
    }
    cr_assert_gt(m.t->flow_refs.count, m.t->events.count / 8, "the middle is somewhere else");
    return m.t;
}

static void expect_equal_slices(const pf_trace *a, const pf_trace *b)
{
    const pf_slices *s = &a->slices.view, *o = &b->slices.view;
    cr_assert_eq(s->count, o->count);
    for (uint32_t i = 0; i < s->count; i++) {
        cr_assert(s->event[i] == o->event[i] && s->dur[i] == o->dur[i] && s->track[i] == o->track[i] &&
                      s->depth[i] == o->depth[i] && s->parent[i] == o->parent[i] && s->end_event[i] == o->end_event[i],
                  "row %u: event %u/%u dur %lld/%lld depth %u/%u parent %u/%u", i, s->event[i], o->event[i],
                  (long long)s->dur[i], (long long)o->dur[i], s->depth[i], o->depth[i], s->parent[i], o->parent[i]);
        cr_assert_eq(pf_slice_name(s, i), pf_slice_name(o, i));
    }
}

static void expect_equal(const pf_trace *a, const pf_trace *b)
{
    expect_equal_slices(a, b);
    cr_assert_eq(a->flows.count, b->flows.count);
    for (uint32_t i = 0; i < a->flows.count; i++) {
        cr_assert(a->flows.slice_out[i] == b->flows.slice_out[i] && a->flows.slice_in[i] == b->flows.slice_in[i] &&
                      a->flows.trace_id[i] == b->flows.trace_id[i] && a->flows.event[i] == b->flows.event[i],
                  "flow %u", i);
    }
    cr_assert_eq(a->tracks.count, b->tracks.count);
    cr_assert_eq(memcmp(a->tracks.used, b->tracks.used, a->tracks.count), 0);
    cr_assert_eq(memcmp(a->stat_count, b->stat_count, sizeof a->stat_count), 0);
    cr_assert(a->start_ts == b->start_ts && a->end_ts == b->end_ts);
}

/* All ways; returns whether the whole trace was built in halves, which reserve exactly the rows that they need. */
static bool compare(mix what, uint32_t seed, oddity odd, unsigned place)
{
    pf_trace *alone = make(what, seed, odd, place), *helped = make(what, seed, odd, place);
    pf_trace *singly = make(what, seed, odd, place);
    const pf_thread_time time = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    cr_assert_eq(pf_trace_add_thread_time(singly, &time, &err), PF_OK);
    pf_budget_help(&helped->budget);
    cr_assert_eq(pf_trace_finish(singly, &err), PF_OK);
    cr_assert_eq(pf_trace_finish(alone, &err), PF_OK);
    cr_assert_eq(pf_trace_finish(helped, &err), PF_OK);
    pf_budget_end_help(&helped->budget);
    expect_equal(alone, helped);
    expect_equal(alone, singly);
    cr_assert_gt(helped->flows.count, 100);
    bool exact = helped->slices.room == helped->slices.count;
    pf_trace_free(alone);
    pf_trace_free(helped);
    pf_trace_free(singly);
    return exact;
}

Test(halves, begins_ends_and_instants_are_built_at_once)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        cr_expect(compare(BEGINS, seed, NONE, 0), "seed %u was not built in halves", seed);
    }
}

Test(halves, everything_else_ends_as_it_does_alone)
{
    for (int odd = COMPLETE; odd < ODDITIES; odd++) {
        for (unsigned place = 1; place < 16; place += 3 + (unsigned)odd % 3) {
            compare(BEGINS, 100 + place + (uint32_t)odd, (oddity)odd, place);
        }
    }
}

Test(halves, complete_events_are_built_at_once)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        cr_expect(compare(COMPLETES, seed, NONE, 0), "seed %u was not built in halves", seed);
        cr_expect(compare(SOME, seed, NONE, 0), "seed %u was not built in halves, with begins", seed);
        cr_expect(compare(COMPLETES, seed, DISORDER, 0), "seed %u was not built in halves, out of order", seed);
        cr_expect(compare(COMPLETES, seed, LYING_IN, 0), "seed %u was not built in halves, over the middle", seed);
    }
}

Test(halves, complete_events_that_cross_others_end_as_they_do_alone)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        compare(CROSSING, seed, NONE, 0);
        compare(BOTH, seed, NONE, 0);
    }
}

Test(halves, everything_else_between_complete_events_ends_as_it_does_alone)
{
    for (int odd = COMPLETE; odd < ODDITIES; odd++) {
        for (unsigned place = 1; place < 16; place += 4 + (unsigned)odd % 3) {
            compare(COMPLETES, 300 + place + (uint32_t)odd, (oddity)odd, place);
            compare(SOME, 400 + place + (uint32_t)odd, (oddity)odd, place);
        }
    }
}

/* The end of a slice that began in the first half gives another name: it closes a slice further out, or none. */
Test(halves, an_end_right_behind_the_middle_may_not_fit)
{
    for (uint32_t seed = 200; seed < 206; seed++) {
        compare(BEGINS, seed, MISFIT_OPEN, 7);
    }
}
