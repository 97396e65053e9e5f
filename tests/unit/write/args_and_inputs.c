/* args_and_inputs.c - arguments that another thread decodes ahead come out as those that are decoded in their turn;
 * pids and names that several inputs share. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "write/file/shared_pids.h"

/* ---- arguments ahead --------------------------------------------------------------------------------------------- */

enum { EVENTS = 6000, WANT = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES };

/* Events with every kind of argument; one in 2500 has so many that a block has no room for them. */
static pf_trace *with_arguments(void)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t track = test_thread(t, 7, 1);
    char *large = calloc(1, 3 << 20), args[256];
    for (int i = 0; i < EVENTS; i++) {
        test_add(t, 'X', i * INT64_C(1500), 700, track, i % 3 ? "a" : "b", NULL);
        if (i % 5 == 4) {
            continue;
        }
        snprintf(args, sizeof args,
                 "i%d args.n|d%d.5 args.d|b%d args.b|t args.empty|ttext %d args.t|{ args.o|n null|"
                 "[ list|i-%d|t%d|}|{ none|}|}",
                 i, i, i % 2, i, i, i);
        if (i % 2500 == 3) {
            char *end = large;
            for (int k = 0; k < 30000; k++) {
                end += sprintf(end, "%stvalue of number %d args.k%d", k ? "|" : "", k, k % 100);
            }
        }
        test_args(t, i % 2500 == 3 ? large : args);
    }
    free(large);
    test_finish(t);
    return t;
}

typedef pf_status (*writer)(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

static char *written(const pf_trace *t, writer write, unsigned jobs, size_t *len)
{
    char *folder = test_folder(), *path = test_path(folder, "out");
    const pf_write_options o = {.jobs = jobs};
    pf_error err;
    cr_assert_eq(write(t, path, &o, &err), PF_OK, "%s", err.text);
    char *bytes = test_read(path, len);
    free(path);
    test_folder_remove(folder);
    return bytes;
}

Test(args_and_inputs, arguments_decoded_ahead_are_the_same)
{
    pf_trace *t = with_arguments();
    size_t alone, together;
    cr_assert_gt(t->args.count, 4096, "enough for threads");
    char *expected = written(t, pf_convert_pftrace, 1, &alone);
    for (unsigned jobs = 0; jobs <= 5; jobs += 2) {
        char *bytes = written(t, pf_convert_pftrace, jobs, &together);
        cr_expect(together == alone && memcmp(bytes, expected, alone) == 0, "%u jobs", jobs);
        free(bytes);
    }
    free(expected);
    pf_trace_free(t);
}

/* What is written of the arguments of one event. */
static void expect_args(const char *args, const char *expected)
{
    pf_trace *t = test_trace("perfetto", WANT);
    char *bytes;
    test_add(t, 'B', 1, 0, test_thread(t, 7, 1), "K", NULL);
    test_args(t, args);
    test_packets p = test_converted(t, &bytes);
    cr_expect_str_eq(test_event(&p, 0)->args, expected);
    test_packets_free(&p);
    free(bytes);
}

Test(args_and_inputs, every_type_of_value_has_its_field)
{
    expect_args(
        "u18446744073709551615 args.u|u0 args.z|pfedcba9876543210 args.p|j{\"a\":[1]} args.j|b0 args.f|n args.n",
        "u=18446744073709551615u;z=0u;p=@fedcba9876543210;j=<{\"a\":[1]}>;f=false;n=null;");
    expect_args("[ args.l|u1|u2|}|[ args.m|p1|}|[ args.n|j[]|}", "l=[1u;2u;];m=[@1;];n=[<[]>;];");
}

/* ---- processes of several inputs --------------------------------------------------------------------------------- */

static pf_trace *two_inputs(void)
{
    static const struct {
        int64_t pid;
        const char *name;
        uint32_t input;
    } processes[] = {{5, "job", 0},  {5, "job", 1},   {6, "job", 0}, {7, "", 0},
                     {7, "", 1},     {8, "alone", 1}, {9, "", 1},    {INT64_C(1) << 40, "high", 1},
                     {5, "again", 0}};
    pf_trace *t = test_trace("perfetto", WANT);
    pf_input *in = pf_arena_alloc(&t->arena, 2 * sizeof *in);
    pf_error err;
    in[0] = in[1] = *t->inputs;
    in[0].path = "folder/rank0.pftrace.gz";
    in[1].path = "rank1";
    t->inputs = in;
    t->input_count = 2;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        const pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = processes[i].pid};
        uint32_t upid = pf_trace_new_process(t, &id, &err);
        cr_assert_eq(upid, i + 1);
        t->processes.name[upid] = *processes[i].name ? test_string(t, processes[i].name) : 0;
        t->processes.input[upid] = processes[i].input;
    }
    test_finish(t);
    return t;
}

static void expect_name(const pf_shared_pids *s, uint32_t upid, const char *name, const char *expected)
{
    pf_buffer scratch = {0};
    pf_str got = pf_shared_pids_name(s, upid, (pf_str){name, name ? strlen(name) : 0}, &scratch);
    cr_expect(got.len == strlen(expected) && memcmp(got.ptr, expected, got.len) == 0, "%.*s", (int)got.len, got.ptr);
    pf_buffer_free(&scratch);
}

Test(args_and_inputs, processes_of_two_inputs_keep_apart)
{
    static const bool moved[] = {false, false, true, false, false, true, false, false, false, false};
    static const bool renamed[] = {false, true, true, true, true, true, false, false, false, false};
    pf_trace *t = two_inputs();
    uint64_t used = t->budget.used;
    pf_shared_pids s;
    pf_error err;
    int64_t *pids;
    cr_assert_eq(pf_shared_pids_init(&s, t, &t->budget, &err), PF_OK);
    cr_assert_eq(s.count, 10, "%u", s.count);
    for (uint32_t i = 1; i < s.count; i++) {
        cr_expect_eq(pf_shared_pids_moved(&s, i), moved[i], "process %u", i);
        cr_expect_eq(s.renamed[i], renamed[i], "process %u", i);
    }
    expect_name(&s, 1, "job", "job (rank0)");
    expect_name(&s, 2, "job", "job (rank1)");
    expect_name(&s, 4, NULL, "process 7 (rank0)");
    expect_name(&s, 6, "alone", "alone");
    expect_name(&s, 99, "beyond", "beyond");
    cr_assert_eq(pf_shared_pids_number(&s, 7, &pids, &err), PF_OK);
    for (uint32_t i = 1; i < s.count; i++) { /* 7, 8, 9 and 2^40 are taken: from there on */
        int64_t expected = i == 2 ? (INT64_C(1) << 40) + 1 : i == 5 ? (INT64_C(1) << 40) + 2 : t->processes.pid[i];
        cr_expect_eq(pids[i], expected, "process %u: %lld", i, (long long)pids[i]);
    }
    pf_release(&t->budget, pids, s.count * sizeof *pids);
    pf_shared_pids_free(&s);
    cr_expect_eq(t->budget.used, used);
    pf_trace_free(t);
}
