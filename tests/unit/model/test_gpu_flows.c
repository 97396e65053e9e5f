/* Arrows between GPU work and what submits it or waits for it, in every order of arrival. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

static pf_error err;

static uint32_t add_track(pf_trace *t)
{
    const pf_track_row r = {
        .type = PF_TRACK_GLOBAL_EVENT, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    return pf_trace_add_track(t, &r, &err);
}

/* An instant with that name, which takes part in the work `id`. */
static void add(pf_trace *t, int64_t ts, const char *name, uint64_t id, pf_flow_kind kind)
{
    const pf_event e = {.ts = ts, .phase = 'i', .name = pf_strings_add(&t->strings, name, strlen(name), &err)};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

static void expect_flows(pf_trace *t, const char *expected)
{
    char got[512] = "";
    size_t n = 0;
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_flows *f = pf_trace_flows(t);
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < f->count; i++) {
        n += (size_t)snprintf(got + n, sizeof got - n, "%s-%s ",
                              pf_trace_string(t, pf_slice_name(s, f->slice_out[i])).ptr,
                              pf_trace_string(t, pf_slice_name(s, f->slice_in[i])).ptr);
        cr_expect_eq(f->trace_id[i], PF_FLOW_NO_ID);
    }
    cr_expect_str_eq(got, expected);
    pf_trace_free(t);
}

static pf_trace *new_trace(void)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    cr_assert_not_null(t);
    cr_assert_eq(add_track(t), 0);
    return t;
}

Test(gpu_flows, work_last)
{
    pf_trace *t = new_trace();
    add(t, 10, "after1", 7, PF_FLOW_GPU_AFTER);
    add(t, 20, "submit", 7, PF_FLOW_GPU_SUBMIT);
    add(t, 30, "await", 7, PF_FLOW_GPU_AWAIT);
    add(t, 40, "after2", 7, PF_FLOW_GPU_AFTER);
    add(t, 45, "other", 8, PF_FLOW_GPU_SUBMIT);
    add(t, 50, "work", 7, PF_FLOW_GPU_STAGE);
    expect_flows(t, "submit-work work-await work-after2 work-after1 ");
}

Test(gpu_flows, work_first)
{
    pf_trace *t = new_trace();
    add(t, 50, "after", 0, PF_FLOW_GPU_AFTER);
    add(t, 40, "await", 0, PF_FLOW_GPU_AWAIT);
    add(t, 30, "submit", 0, PF_FLOW_GPU_SUBMIT);
    add(t, 20, "work", 0, PF_FLOW_GPU_STAGE);
    expect_flows(t, "submit-work work-await work-after ");
}

/* An id that is used again means the latest work; what waited has its arrow and gets no other. */
Test(gpu_flows, ids_used_again)
{
    pf_trace *t = new_trace();
    add(t, 10, "after", 3, PF_FLOW_GPU_AFTER);
    add(t, 20, "submit1", 3, PF_FLOW_GPU_SUBMIT);
    add(t, 30, "work1", 3, PF_FLOW_GPU_STAGE);
    add(t, 40, "submit2", 3, PF_FLOW_GPU_SUBMIT);
    add(t, 50, "work2", 3, PF_FLOW_GPU_STAGE);
    add(t, 60, "after2", 3, PF_FLOW_GPU_AFTER);
    expect_flows(t, "submit1-work1 work1-after submit2-work1 submit2-work2 work2-after2 ");
}

/* Other flows use the same ids for something else. */
Test(gpu_flows, are_apart_from_flow_ids)
{
    pf_trace *t = new_trace();
    add(t, 10, "a", 3, PF_FLOW_FLOW);
    add(t, 20, "work", 3, PF_FLOW_GPU_STAGE);
    add(t, 30, "await", 3, PF_FLOW_GPU_AWAIT);
    expect_flows(t, "work-await ");
}
