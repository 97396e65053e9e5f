/* What finishing a trace takes for itself goes back to the budget: after a restart it is what it was at first, whatever
 * events there were. A leak of the account alone, which no sanitizer sees, would make --max-memory strike too early. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/trace/trace.h"

static pf_error err;

static uint32_t text(pf_trace *t, const char *s)
{
    return s ? pf_strings_add(&t->strings, s, strlen(s), &err) : 0;
}

static uint32_t thread_track(pf_trace *t, int64_t tid)
{
    const pf_ident pid = {PF_ID_INT, PF_ID_INT, 1, 0}, id = {PF_ID_INT, PF_ID_INT, tid, 0};
    return pf_trace_thread_track(t, pf_trace_thread(t, pf_trace_process(t, &pid, &err), &id, &err), &err);
}

static uint32_t track_of(pf_trace *t, pf_track_type type, uint32_t group)
{
    const pf_track_row r = {.type = type, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = group};
    return pf_trace_add_track(t, &r, &err);
}

static void add(pf_trace *t, uint32_t track, char phase, int64_t ts, int64_t dur, const char *name)
{
    const pf_event e = {.ts = ts, .dur = dur, .name = text(t, name), .track = track, .phase = (uint8_t)phase};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
}

static void flow(pf_trace *t, uint64_t id, pf_flow_kind kind)
{
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

enum { MANY = 3000 };

static void nested(pf_trace *t)
{
    uint32_t track = thread_track(t, 2);
    for (int i = 0; i < MANY; i++) {
        add(t, track, 'X', 10 * (i / 3) + i % 3, 9 - 2 * (i % 3), "n");
    }
}

static void out_of_order(pf_trace *t)
{
    uint32_t track = thread_track(t, 2);
    for (int i = 0; i < MANY; i++) {
        add(t, track, i % 2 ? 'X' : 'i', 7919 * i % MANY, 5, "n");
    }
}

static void mismatched_ends(pf_trace *t)
{
    uint32_t track = thread_track(t, 2);
    for (int i = 0; i < MANY; i++) {
        add(t, track, i % 3 ? 'B' : 'E', i, 0, i % 5 ? "a" : "b");
    }
}

static void overlapping(pf_trace *t)
{
    uint32_t track = track_of(t, PF_TRACK_GLOBAL_MERGED, 0);
    for (int i = 0; i < 200; i++) {
        add(t, track, 'X', i, 150, "n");
    }
}

static void unsorted_counters(pf_trace *t)
{
    uint32_t track = track_of(t, PF_TRACK_GLOBAL_COUNTER, PF_NONE);
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(pf_trace_add_sample(t, 7919 * i % MANY, i, track, PF_NONE, &err), PF_OK);
    }
}

static void states(pf_trace *t)
{
    uint32_t track = track_of(t, PF_TRACK_GLOBAL_STATE, PF_NONE);
    for (int i = 0; i < MANY; i++) {
        add(t, track, (char)PF_PHASE_STATE, 7919 * i % MANY, 0, i % 3 ? "on" : NULL);
    }
    t->has_states = true;
}

static void flows_of(pf_trace *t, uint64_t spread, bool ordered, bool chrome)
{
    uint32_t tracks[] = {thread_track(t, 2), thread_track(t, 3)};
    for (int i = 0; i < MANY; i++) {
        pf_flow_kind kind = !chrome ? PF_FLOW_FLOW : i % 2 ? PF_FLOW_END : PF_FLOW_START;
        add(t, tracks[i % 2], 'X', ordered ? 10 * i : 10 * (7919 * i % MANY), 5, "n");
        flow(t, (uint64_t)(i / 2 + 1) * spread, kind);
    }
}

static void dense_flows(pf_trace *t)
{
    flows_of(t, 1, true, false);
}

static void sparse_flows(pf_trace *t)
{
    flows_of(t, 0x9e3779b97f4a7c15, true, false);
}

static void late_flows(pf_trace *t)
{
    flows_of(t, 0x9e3779b97f4a7c15, false, false);
}

static void dense_chrome_flows(pf_trace *t)
{
    flows_of(t, 1, true, true);
}

static void sparse_chrome_flows(pf_trace *t)
{
    flows_of(t, 0x9e3779b97f4a7c15, true, true);
}

static void late_chrome_flows(pf_trace *t)
{
    flows_of(t, 3, false, true);
}

static void waiting_flows(pf_trace *t)
{
    uint32_t tracks[] = {thread_track(t, 2), thread_track(t, 3)};
    for (int i = 0; i < MANY; i++) {
        add(t, tracks[i % 2], i % 4 < 2 ? 'X' : 'i', 10 * i, 5, "n");
        flow(t, (uint64_t)i / 2 + 1, i % 2 ? PF_FLOW_END_NEXT : PF_FLOW_START);
    }
}

static void gpu_flows(pf_trace *t)
{
    static const pf_flow_kind KINDS[] = {PF_FLOW_GPU_SUBMIT, PF_FLOW_GPU_STAGE, PF_FLOW_GPU_AWAIT, PF_FLOW_GPU_AFTER};
    uint32_t track = thread_track(t, 2);
    for (int i = 0; i < MANY; i++) {
        add(t, track, 'i', i, 0, "n");
        flow(t, (uint64_t)i / 4 + 1, KINDS[i % 4]);
    }
}

static void thread_times(pf_trace *t)
{
    uint32_t track = thread_track(t, 2);
    for (int i = 0; i < MANY; i++) {
        const pf_thread_time time = {
            .ts = i, .dur = 1, .instruction_count = i, .instruction_delta = i % 2 ? INT64_MIN : 1};
        add(t, track, "XBE"[i % 3], 10 * i, 3, "n");
        cr_assert_eq(pf_trace_add_thread_time(t, &time, &err), PF_OK);
    }
}

static void nothing(pf_trace *t)
{
    thread_track(t, 2);
}

static const struct {
    const char *name;
    void (*fill)(pf_trace *t);
} SHAPES[] = {{"nothing", nothing},
              {"nested", nested},
              {"out of order", out_of_order},
              {"mismatched ends", mismatched_ends},
              {"overlapping", overlapping},
              {"unsorted counters", unsorted_counters},
              {"states", states},
              {"dense flows", dense_flows},
              {"sparse flows", sparse_flows},
              {"late flows", late_flows},
              {"dense Chrome flows", dense_chrome_flows},
              {"sparse Chrome flows", sparse_chrome_flows},
              {"late Chrome flows", late_chrome_flows},
              {"waiting flows", waiting_flows},
              {"GPU flows", gpu_flows},
              {"thread times", thread_times}};

static uint64_t used(const pf_trace *t)
{
    uint64_t now, peak;
    pf_trace_memory(t, &now, &peak);
    return now;
}

Test(memory, of_a_finished_trace_goes_back)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
        cr_assert_not_null(t);
        uint64_t first = used(t);
        for (int round = 0; round < 2; round++) {
            SHAPES[i].fill(t);
            cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
            cr_expect_gt(used(t), first, "%s", SHAPES[i].name);
            cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
            cr_expect_eq(used(t), first, "%s: %lld bytes more", SHAPES[i].name, (long long)(used(t) - first));
        }
        pf_trace_free(t);
    }
}

/* At each limit that refuses, the trace says it, and everything goes back, too. */
Test(memory, of_a_refused_trace_goes_back)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
        uint64_t first = used(t), unlimited = t->budget.limits.memory;
        bool fine = false;
        unsigned refused = 0;
        for (uint64_t more = 64; !fine; more += more / 4) {
            SHAPES[i].fill(t);
            t->budget.limits.memory = used(t) + more;
            pf_status st = pf_trace_finish(t, &err);
            fine = st == PF_OK;
            refused += !fine;
            cr_assert(fine || st == PF_ERR_LIMIT, "%s: %d", SHAPES[i].name, st);
            t->budget.limits.memory = unlimited;
            cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
            cr_expect_eq(used(t), first, "%s with %llu more: %lld bytes", SHAPES[i].name, (unsigned long long)more,
                         (long long)(used(t) - first));
        }
        cr_expect(refused > 0 || i == 0, "%s", SHAPES[i].name);
        pf_trace_free(t);
    }
}
