/* Slices built in two halves at once (model/halves.c) against slices built from the first event to the last: the same
 * random traces, with and without a helper. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace.h"

#define EVENTS 80000u
#define TRACKS 7u
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
    RESTING,     /* an instant in front of the middle, and an arrow that starts there behind it */
    TWINS,       /* an instant in front of the middle, and one of the same time behind it */
    DISORDER,    /* a few events come late */
    EQUAL,       /* all times are equal around the middle */
    NEGATIVE,
    ODDITIES
} oddity;

typedef struct maker {
    pf_trace *t;
    uint32_t random;
    uint32_t track[TRACKS], text[TEXTS];
    uint32_t open[TRACKS][600], depth[TRACKS];
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
    uint32_t id = 1 + any(m, 30);
    pf_flow_kind kind = of_slice ? (any(m, 4) ? PF_FLOW_FLOW : PF_FLOW_TERMINATE) : PF_FLOW_START + any(m, 3);
    if (!of_slice || any(m, 6) == 0) {
        cr_assert_eq(pf_trace_add_event_flow(m->t, id, kind, &err), PF_OK);
    }
}

/* A begin, an end that mostly has one, an instant, a sample or an arrow. `deepest` bounds the stacks. */
static void put_any(maker *m, int64_t ts, uint32_t deepest)
{
    uint32_t track = any(m, TRACKS), kind = any(m, 100), name = m->text[any(m, TEXTS)], *depth = &m->depth[track];
    if (kind < 44 && *depth < deepest) {
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
    default:
        break;
    }
}

/* What only matters next to the middle. */
static void put_around_middle(maker *m, oddity odd, uint32_t i, int64_t ts)
{
    if (odd == DEEP && (i == EVENTS / 2 - 100 || i == EVENTS / 2 + 200)) {
        for (unsigned k = 0; k < 250 + 40 * (i < EVENTS / 2); k++) {
            put(m, 0, 'B', ts, m->text[2]);
        }
    } else if (odd == RESTING && i == EVENTS / 2 - 2) {
        put(m, 0, 'i', ts, m->text[0]);
        put(m, 1, 'i', ts, m->text[0]);
        put(m, 0, 's', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 77, PF_FLOW_START, &err), PF_OK);
        put(m, 1, 'f', ts, m->text[0]);
        cr_assert_eq(pf_trace_add_event_flow(m->t, 77, PF_FLOW_END, &err), PF_OK);
    } else if (odd == TWINS && i == EVENTS / 2 - 4) {
        for (uint32_t track = 0; track < 8; track++) {
            put(m, track % 2, 'i', ts, m->text[track / 2]);
        }
    }
}

/* Where the odd events are: `place` of 16. */
static pf_trace *make(uint32_t seed, oddity odd, unsigned place)
{
    maker m = {.t = pf_trace_new(NULL, PF_WANT_ALL, &err), .random = seed};
    cr_assert_not_null(m.t);
    m.t->unnamed_slice = pf_strings_add(&m.t->strings, "unnamed", 7, &err);
    m.t->events.plain_ties = seed % 2;
    for (uint32_t i = 0; i < TRACKS; i++) {
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
        bool middle = i > EVENTS / 2 - 400 && i < EVENTS / 2 + 400;
        ts += odd == EQUAL && middle ? 0 : any(&m, 3);
        if (i == EVENTS / 16 * place) {
            put_odd(&m, odd, ts);
        }
        put_around_middle(&m, odd, i, ts);
        ts += odd == RESTING && i == EVENTS / 2 - 2;
        put_any(&m, odd == DISORDER && any(&m, 900) == 0 ? ts - 40 : ts, 1 + seed % 9);
    }
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

/* Both ways; returns whether the whole trace was built in halves, which reserve exactly the rows that they need. */
static bool compare(uint32_t seed, oddity odd, unsigned place)
{
    pf_trace *alone = make(seed, odd, place), *helped = make(seed, odd, place);
    pf_budget_help(&helped->budget);
    cr_assert_eq(pf_trace_finish(alone, &err), PF_OK);
    cr_assert_eq(pf_trace_finish(helped, &err), PF_OK);
    pf_budget_end_help(&helped->budget);
    expect_equal(alone, helped);
    cr_assert_gt(helped->flows.count, 100);
    bool exact = helped->slices.room == helped->slices.count;
    pf_trace_free(alone);
    pf_trace_free(helped);
    return exact;
}

Test(halves, begins_ends_and_instants_are_built_at_once)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        cr_expect(compare(seed, NONE, 0), "seed %u was not built in halves", seed);
    }
}

Test(halves, everything_else_ends_as_it_does_alone)
{
    for (int odd = COMPLETE; odd < ODDITIES; odd++) {
        for (unsigned place = 1; place < 16; place += 3 + (unsigned)odd % 3) {
            compare(100 + place + (uint32_t)odd, (oddity)odd, place);
        }
    }
}

/* The end of a slice that began in the first half gives another name: it closes a slice further out, or none. */
Test(halves, an_end_right_behind_the_middle_may_not_fit)
{
    for (uint32_t seed = 200; seed < 206; seed++) {
        compare(seed, MISFIT_OPEN, 8);
    }
}
