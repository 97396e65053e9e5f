/* test_profile.c - what becomes of fixtures/tinygrad_small.pkl: by hand, from scripts/make_fixtures_tinygrad.py. */
#include "pickles.h"
#include "read/support/reader.h"

static pf_trace *small(void)
{
    pf_trace *t;
    pf_error err;
    cr_assert_eq(read_profile_file(PF_FIXTURES "/tinygrad_small.pkl", &t, &err), PF_OK, "%s", err.text);
    return t;
}

static bool is(pf_str s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

/* The n-th slice of that name, in order of time. */
static uint32_t slice(const pf_trace *t, const char *name, unsigned n)
{
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        if (is(pf_trace_string(t, pf_slice_name(s, i)), name) && n-- == 0) {
            return i;
        }
    }
    cr_assert_fail("%s", name);
    return 0;
}

static void expect_place(const pf_trace *t, const char *name, unsigned n, const char *process, const char *thread)
{
    uint32_t track = pf_trace_slices(t)->track[slice(t, name, n)], utid = pf_trace_tracks(t)->utid[track];
    const pf_threads *threads = pf_trace_threads(t);
    cr_expect(is(pf_trace_string(t, threads->name[utid]), thread), "%s", name);
    cr_expect(is(pf_trace_string(t, pf_trace_processes(t)->name[threads->upid[utid]]), process), "%s", name);
}

Test(profile, devices_are_processes_and_engines_threads)
{
    pf_trace *t = small();
    expect_place(t, "step", 0, "host", "USER");
    expect_place(t, "r_16", 0, "AMD", "compute");
    expect_place(t, "TINY -> AMD", 0, "AMD", "SDMA 0");
    expect_place(t, "batched 3", 0, "AMD", "graph");
    cr_expect_eq(pf_trace_slices(t)->count, 1 + 3 + 2 * 3 + 3 + 1 + 3,
                 "a call, markers, work, entries, a launch, buffers");
    pf_trace_free(t);
}

/* Buffer 1 is released after 299.499 us, the other two stay until the profile ends. */
Test(profile, buffers_are_slices_with_their_size)
{
    pf_trace *t = small();
    const pf_slices *s = pf_trace_slices(t);
    uint32_t small = slice(t, "1 KiB float[256]", 0), whole = slice(t, "4 KiB float[1024]", 0);
    cr_expect_eq(pf_slice_ts(s, small), 5000000501);
    cr_expect_eq(s->dur[small], 299499);
    cr_expect_eq(pf_slice_ts(s, whole) + s->dur[whole], 5000900000);
    cr_expect_neq(s->track[small], s->track[whole]);
    cr_expect_eq(pf_trace_tracks(t)->group[s->track[small]], pf_trace_tracks(t)->group[s->track[whole]], "one row");
    pf_trace_free(t);
}

/* The device's clock is a millisecond late; the copy engine has a clock of its own that is not described. */
Test(profile, times_are_on_the_clock_of_the_host)
{
    pf_trace *t = small();
    const pf_slices *s = pf_trace_slices(t);
    uint32_t kernel = slice(t, "r_16", 1);
    cr_expect_eq(pf_slice_ts(s, kernel), 5000000000 + 200000 + 2500);
    cr_expect_eq(s->dur[kernel], 40250);
    cr_expect_eq(pf_slice_ts(s, slice(t, "g_2", 0)), 5000000000 + 700000 + 40000);
    cr_expect_eq(s->dur[slice(t, "batched 3", 0)], 50000);
    cr_expect_eq(pf_slice_ts(s, slice(t, "TINY -> AMD", 0)), 5000000000 + 60000);
    pf_trace_free(t);
}

Test(profile, dependencies_are_flows)
{
    pf_trace *t = small();
    const pf_flows *f = pf_trace_flows(t);
    const uint32_t expected[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    char names[2][8];
    cr_assert_eq(f->count, 3);
    for (unsigned i = 0; i < 3; i++) {
        bool found = false;
        snprintf(names[0], 8, "g_%u", expected[i][0]);
        snprintf(names[1], 8, "g_%u", expected[i][1]);
        for (unsigned k = 0; k < 3; k++) {
            found |= f->slice_out[k] == slice(t, names[0], 0) && f->slice_in[k] == slice(t, names[1], 0);
        }
        cr_expect(found, "%s -> %s", names[0], names[1]);
    }
    pf_trace_free(t);
}

/* 4096, 1024 and 4 bytes come, 1024 go, the rest goes at the end. */
Test(profile, memory_is_a_counter)
{
    pf_trace *t = small();
    const pf_counters *c = pf_trace_counters(t);
    const double expected[] = {4096, 5120, 5124, 4100, 0};
    cr_assert_eq(c->count, 5);
    for (unsigned i = 0; i < 5; i++) {
        cr_expect_eq(c->value[i], expected[i], "%u", i);
    }
    cr_expect_eq(c->ts[0], 5000000500);
    cr_expect_eq(c->ts[3], 5000300000);
    cr_expect(is(pf_trace_string(t, pf_trace_tracks(t)->name[c->track[0]]), "AMD memory (bytes)"));
    pf_trace_free(t);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

typedef struct found {
    int64_t run, bytes, rate;
    char operations[32], name[32];
    double us;
} found;

static pf_status level(void *ctx, pf_str key, bool list)
{
    (void)ctx, (void)key, (void)list;
    return PF_OK;
}

static pf_status end(void *ctx)
{
    (void)ctx;
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    found *f = ctx;
    if (is(key, "debug.run")) {
        f->run = v->as.i;
    } else if (is(key, "debug.B")) {
        f->bytes = v->as.i;
    } else if (is(key, "debug.B/s")) {
        f->rate = v->as.i;
    } else if (is(key, "debug.dur_us")) {
        f->us = v->as.d;
    } else if (is(key, "debug.operations")) {
        snprintf(f->operations, sizeof f->operations, "%.*s", (int)v->as.s.len, v->as.s.ptr);
    }
    return PF_OK;
}

static found args_of(const pf_trace *t, const char *name, unsigned n)
{
    found f = {.run = -1};
    const pf_arg_visitor v = {.ctx = &f, .begin = level, .end = end, .value = value};
    pf_error err;
    cr_assert_eq(pf_trace_visit_args(t, pf_trace_slices(t)->event[slice(t, name, n)], &v, &err), PF_OK);
    return f;
}

Test(profile, a_kernel_knows_its_execution)
{
    pf_trace *t = small();
    cr_expect_eq(args_of(t, "r_16", 0).run, 10);
    cr_expect_str_eq(args_of(t, "r_16", 0).operations, "matmul");
    cr_expect_eq(args_of(t, "r_16", 1).run, 11);
    cr_expect_str_eq(args_of(t, "r_16", 1).operations, "matmul bw");
    cr_expect_eq(args_of(t, "E_4", 1).run, 21);
    cr_expect_eq(args_of(t, "r_16", 0).us, 40.25);
    cr_expect_eq(args_of(t, "g_0", 0).run, -1);
    pf_trace_free(t);
}

Test(profile, a_copy_says_bytes_and_rate)
{
    pf_trace *t = small();
    found f = args_of(t, "TINY -> AMD", 1);
    cr_expect_eq(f.bytes, 4096);
    cr_expect_eq(f.rate, 2048000000); /* 4096 bytes in 2 us */
    pf_trace_free(t);
}

/* Two profiles in one trace are two groups of processes, and rows of both are where they belong. */
Test(profile, two_profiles)
{
    const char *paths[] = {PF_FIXTURES "/tinygrad_small.pkl", PF_FIXTURES "/tinygrad_small.pkl"};
    pf_read_options o = pf_read_options_default();
    pf_trace *t;
    pf_error err;
    o.want = PF_WANT_TABLES;
    cr_assert_eq(pf_read(paths, 2, &o, &t, &err), PF_OK, "%s", err.text);
    cr_expect_eq(pf_trace_slices(t)->count, 34);
    cr_expect_eq(pf_trace_flows(t)->count, 6);
    cr_expect_eq(pf_trace_counters(t)->count, 10);
    cr_expect_eq(pf_trace_table(t, "tinygrad_execution")->count, 8);
    cr_expect_eq(args_of(t, "r_16", 3).run, 11);
    pf_trace_free(t);
}

/* ---- recognising ------------------------------------------------------------------------------------------------- */

/* The bytes lie in memory of their exact size, so that a sanitizer sees reads beyond. */
static pf_probe probe(const char *bytes, size_t len, bool is_directory)
{
    uint8_t *exact = malloc(len ? len : 1);
    memcpy(exact, bytes, len);
    pf_probe answer = pf_reader_find("tinygrad")->probe(exact, len, "profile.pkl", is_directory);
    free(exact);
    return answer;
}

/* A list at the beginning, in a frame or not; the word that makes it sure anywhere after it. */
Test(profile, pickles_of_lists_are_recognised)
{
    static const char plain[] = "\x80\x04](tinygrad.", framed[] = "\x80\x05\x95\x10\0\0\0\0\0\0\0](tinygrad.";
    static const char other[] = "\x80\x04}(tinygrad.", deep[] = "\x80\x04\x95\x10\0\0\0\0\0\0\0}](tinygrad.";
    for (size_t len = 0; len < sizeof plain; len++) {
        pf_probe expected = len < 3 ? PF_PROBE_NO : len < sizeof plain - 1 ? PF_PROBE_MAYBE : PF_PROBE_SURE;
        cr_expect_eq(probe(plain, len, false), expected, "%zu", len);
    }
    for (size_t len = 0; len < sizeof framed; len++) {
        pf_probe expected = len < 12 ? PF_PROBE_NO : len < sizeof framed - 1 ? PF_PROBE_MAYBE : PF_PROBE_SURE;
        cr_expect_eq(probe(framed, len, false), expected, "%zu", len);
    }
    cr_expect_eq(probe(plain, sizeof plain, true), PF_PROBE_NO);
    cr_expect_eq(probe(other, sizeof other, false), PF_PROBE_NO);
    cr_expect_eq(probe(deep, sizeof deep, false), PF_PROBE_NO);
    for (unsigned protocol = 0; protocol < 8; protocol++) {
        char bytes[sizeof plain];
        memcpy(bytes, plain, sizeof plain);
        bytes[1] = (char)protocol;
        cr_expect_eq(probe(bytes, sizeof bytes, false), protocol < 2 || protocol > 5 ? PF_PROBE_NO : PF_PROBE_SURE);
        bytes[0] = '\x81';
        cr_expect_eq(probe(bytes, sizeof bytes, false), PF_PROBE_NO);
    }
}
