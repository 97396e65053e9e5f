/* Unnamed END packets take the name of the innermost begin that is open on their track, in order of time. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/trace/trace.h"

typedef struct fixture {
    pf_trace *t;
    uint32_t track[2], a, b;
} fixture;

static fixture make(void)
{
    pf_error err;
    fixture x = {.t = pf_trace_new(NULL, PF_WANT_EVENTS, &err)};
    cr_assert_not_null(x.t);
    uint32_t upid = pf_trace_process(x.t, &(pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = 1}, &err);
    for (int i = 0; i < 2; i++) {
        pf_ident tid = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = i};
        x.track[i] = pf_trace_thread_track(x.t, pf_trace_thread(x.t, upid, &tid, &err), &err);
        cr_assert_neq(x.track[i], PF_NONE);
    }
    x.a = pf_strings_add(&x.t->strings, "a", 1, &err);
    x.b = pf_strings_add(&x.t->strings, "b", 1, &err);
    return x;
}

static void add(fixture *x, int64_t ts, uint8_t phase, uint32_t name, int track)
{
    pf_error err;
    pf_event e = {.ts = ts, .phase = phase, .name = name, .track = x->track[track]};
    cr_assert_eq(pf_trace_add_event(x->t, &e, &err), PF_OK);
}

/* Closes the trace as one input whose ends may be unnamed, or not, and compares the names of all events. */
static void expect_names(fixture *x, bool ends_unnamed, const uint32_t *expected)
{
    pf_error err;
    pf_input input = {.format = "test", .ends_unnamed = ends_unnamed, .events = x->t->events.count};
    x->t->inputs = &input;
    x->t->input_count = 1;
    cr_assert_eq(pf_trace_finish(x->t, &err), PF_OK);
    pf_budget budget;
    pf_arena arena;
    pf_budget_init(&budget, NULL);
    pf_arena_init(&arena, &budget);
    const uint32_t *names;
    cr_assert_eq(pf_trace_end_names(x->t, &arena, &names, &err), PF_OK);
    for (uint32_t i = 0; i < x->t->events.count; i++) {
        cr_assert_eq(names[i], expected[i], "event %u: %u", i, names[i]);
    }
    pf_arena_free(&arena);
    cr_assert_eq(budget.used, 0);
    x->t->input_count = 0; /* the input has no file */
    pf_trace_free(x->t);
}

Test(end_names, take_the_innermost_name_of_their_track)
{
    fixture x = make();
    add(&x, 10, 'B', x.a, 0);
    add(&x, 20, 'B', x.b, 0);
    add(&x, 25, 'B', x.a, 1);
    add(&x, 30, 'E', 0, 0);
    add(&x, 35, 'E', 0, 1);
    add(&x, 40, 'E', 0, 0);
    add(&x, 50, 'E', 0, 0); /* nothing is open */
    expect_names(&x, true, (const uint32_t[]){x.a, x.b, x.a, x.b, x.a, x.a, 0});
}

Test(end_names, follow_time_not_file_order)
{
    fixture x = make();
    add(&x, 30, 'E', 0, 0);
    add(&x, 10, 'B', x.a, 0);
    add(&x, 40, 'B', x.b, 0);
    add(&x, 50, 'E', 0, 0);
    expect_names(&x, true, (const uint32_t[]){x.a, x.a, x.b, x.b});
}

/* A named end closes a begin of its own name only: one whose begin was lost leaves the open one alone. */
Test(end_names, named_ends_close_their_own)
{
    fixture x = make();
    add(&x, 10, 'B', x.a, 0);
    add(&x, 20, 'E', x.b, 0);
    add(&x, 30, 'E', 0, 0);
    add(&x, 40, 'B', x.b, 0);
    add(&x, 50, 'E', x.b, 0);
    add(&x, 60, 'E', 0, 0);
    expect_names(&x, true, (const uint32_t[]){x.a, x.b, x.a, x.b, x.b, 0});
}

/* In JSON an event without a name is an event without a name. */
Test(end_names, of_json_stay_unnamed)
{
    fixture x = make();
    add(&x, 10, 'B', x.a, 0);
    add(&x, 20, 'E', 0, 0);
    expect_names(&x, false, (const uint32_t[]){x.a, 0});
}
