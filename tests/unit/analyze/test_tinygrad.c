/* test_tinygrad.c - analyze tinygrad on fixtures/tinygrad_small.pkl, by hand; and reports of values that are too large
 * to be written out. The corpus is compared by scripts/conformance. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postfetto/postfetto.h"

typedef struct result {
    pf_trace *trace;
    pf_findings *f;
    pf_status status;
    pf_error error;
} result;

static void run_with(result *r, const char *file, const char *estimates, bool skip_overlay)
{
    char path[512];
    const char *paths[] = {path};
    pf_read_options o = pf_read_options_default();
    const pf_pass *p = pf_pass_find("tinygrad");
    pf_option_value values[8];
    snprintf(path, sizeof path, PF_FIXTURES "/%s.pkl", file);
    o.want = PF_WANT_TABLES;
    *r = (result){.f = pf_findings_new(NULL)};
    cr_assert_eq(pf_read(paths, 1, &o, &r->trace, &r->error), PF_OK, "%s", r->error.text);
    pf_pass_defaults(p, values);
    const pf_pass_file profile = {.path = path, .trace = r->trace};
    const pf_pass_file guess = {.path = "estimates.json", .bytes = {estimates, estimates ? strlen(estimates) : 0}};
    const pf_pass_files roles[] = {{&profile, 1}, {&guess, estimates ? 1 : 0}};
    const pf_pass_context ctx = {
        .trace = r->trace, .values = values, .input_path = path, .roles = roles, .skip_overlay = skip_overlay};
    r->status = pf_pass_run(p, &ctx, r->f, &r->error);
}

static void run(result *r, const char *file, const char *estimates)
{
    run_with(r, file, estimates, false);
}

static void finish(result *r)
{
    pf_findings_free(r->f);
    pf_trace_free(r->trace);
}

/* A report as text; the status where there is none. */
static pf_status report(const result *r, const char *name, char **text, pf_error *err)
{
    size_t len;
    for (size_t i = 0; i < pf_findings_report_count(r->f); i++) {
        const pf_report *one = pf_findings_report(r->f, i);
        if (one->file.len == strlen(name) && memcmp(one->file.ptr, name, one->file.len) == 0) {
            return pf_format_report(one, text, &len, err);
        }
    }
    cr_assert_fail("%s", name);
    return PF_OK;
}

static void expect_report(const result *r, const char *name, const char *expected)
{
    char *text;
    pf_error err;
    cr_assert_eq(report(r, name, &text, &err), PF_OK);
    cr_expect_str_eq(text, expected, "%s: %s", name, text);
    free(text);
}

/* 1,000,000 operations in 40.25 us, twice. */
static const char estimates[] = "{\"\\u001b[34mr_16\\u001b[0m\":{\"ops\":1000000,\"mem\":\"2000\",\"lds\":0.5,"
                                "\"function_name\":\"r_16\"},\"other\":{\"ops\":1,\"mem\":1,\"lds\":1}}";

Test(tinygrad, tables)
{
    result r;
    run(&r, "tinygrad_small", estimates);
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    expect_report(&r, "kernels.csv",
                  "device,kernel,runs,total,mean,shortest,longest,gflops,memory,local_memory,operations,share,"
                  "cumulative,intensity\n"
                  "AMD,r_16,2,80.500,40.250,40.250,40.250,24.845,0.050,0.000,matmul,64.53,64.53,500.000\n"
                  "AMD,E_4,2,14.250,7.125,7.125,7.125,,,,matmul,11.42,75.95,\n"
                  "AMD,g_0,1,10.000,10.000,10.000,10.000,,,,,8.02,83.97,\n"
                  "AMD,g_1,1,10.000,10.000,10.000,10.000,,,,,8.02,91.98,\n"
                  "AMD,g_2,1,10.000,10.000,10.000,10.000,,,,,8.02,100.00,\n");
    expect_report(&r, "copies.csv",
                  "device,copy,runs,total,mean,shortest,longest,bytes,rate\n"
                  "AMD:SDMA:0,TINY -> AMD,2,4.000,2.000,2.000,2.000,8192,2.048\n");
    expect_report(&r, "graphs.csv",
                  "device,graph,start,length,entries,dependencies,work\n"
                  "AMD Graph,batched 3,700.000,50.000,3,3,30.000\n");
    expect_report(&r, "iterations.csv",
                  "name,iteration,start,length,kernels,kernel_time,copies,copy_time\n"
                  "train,train @ 0,0.000,200.000,2,47.375,1,2.000\n"
                  "train,train @ 1,200.000,200.000,2,47.375,1,2.000\n");
    expect_report(&r, "peaks.csv", "device,peak,at,buffers\nAMD,5124,0,3\n");
    expect_report(&r, "holders.csv",
                  "device,buffer,dtype,items,size,since,until,users,kernels,name\n"
                  "AMD,0,float,1024,4096,0,900,2,r_16,float[1024] #0\n"
                  "AMD,1,float,256,1024,0,300,4,\"r_16, E_4, r_16, E_4\",float[256] #1\n"
                  "AMD,2,float,1,4,0,900,2,E_4,float[1] #2\n");
    finish(&r);
}

/* 124.75 us in 7 runs. Buffers 0 and 2 stay to the end, 1 goes after 300 us. */
Test(tinygrad, sentence_and_figures)
{
    static const char *const names[] = {"tinygrad_kernels", "tinygrad_roofline", "tinygrad_iterations",
                                        "tinygrad_memory",  "tinygrad_holders",  "tinygrad_buffers"};
    result r;
    run(&r, "tinygrad_small", estimates);
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    cr_expect_str_eq(pf_findings_headline(r.f), "7 kernel runs took 124.8 us, r_16 on AMD 64.5 % of it; 2 copies took "
                                                "4.0 us; AMD held 5.1 kB at most.");
    cr_expect_eq(pf_findings_highlight_count(r.f), 3);
    cr_assert_eq(pf_findings_figure_count(r.f), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const pf_figure *figure = pf_findings_figure(r.f, i);
        char *text;
        size_t len;
        cr_expect_str_eq(figure->name, names[i]);
        cr_assert_eq(pf_figure_svg(figure, &text, &len, &r.error), PF_OK, "%s: %s", names[i], r.error.text);
        free(text);
    }
    cr_expect_float_eq(pf_findings_figure(r.f, 1)->roof, 24.845, 0.001);
    cr_expect_float_eq(pf_findings_figure(r.f, 1)->slope, 0.0497, 0.0001);
    const pf_table *held = pf_table_view(pf_findings_figure(r.f, 3)->table);
    static const int64_t steps[2][3] = {{0, 300, 5124}, {300, 900, 4100}};
    cr_assert_eq(held->row_count, 2);
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(held->cells[i / 3 * 4 + i % 3 + 1].as.i, steps[i / 3][i % 3]);
    }
    finish(&r);
}

/* An iteration, two rates per kernel with an estimate, a peak: all in the category of the pass. */
Test(tinygrad, overlay)
{
    result r;
    unsigned slices = 0, samples = 0, instants = 0;
    run(&r, "tinygrad_small", estimates);
    for (size_t i = 0; i < pf_overlay_event_count(r.f); i++) {
        pf_overlay_event e;
        cr_assert(pf_overlay_event_at(r.f, i, &e));
        slices += e.kind == PF_OVERLAY_SLICE;
        samples += e.kind == PF_OVERLAY_SAMPLE;
        instants += e.kind == PF_OVERLAY_INSTANT;
    }
    cr_expect_eq(slices, 2);
    cr_expect_eq(samples, 8);
    cr_expect_eq(instants, 1);
    finish(&r);
    run_with(&r, "tinygrad_small", estimates, true);
    cr_expect_eq(r.status, PF_OK);
    cr_expect_eq(pf_overlay_event_count(r.f), 0);
    cr_expect_eq(pf_overlay_track_count(r.f), 0);
    finish(&r);
}

Test(tinygrad, estimates_that_are_none)
{
    static const char *const bad[] = {"[]", "{\"a\":1}", "{\"a\":{\"ops\":1,\"mem\":2}}",
                                      "{\"a\":{\"ops\":\"i*\",\"mem\":2,\"lds\":3}}", "{"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        result r;
        run(&r, "tinygrad_small", bad[i]);
        cr_expect_eq(r.status, PF_ERR_INPUT, "%s", bad[i]);
        cr_expect_str_eq(r.error.file, "estimates.json");
        finish(&r);
    }
}

Test(tinygrad, values_beyond_all_bounds)
{
    static const struct {
        const char *file, *text;
        uint64_t offset;
    } bad[] = {{"bad/pkl_billion_laughs", "opcode 0x65: the pickle repeats its values so often", 168},
               {"bad/pkl_recursive", "opcode 0x65: the values of an event are nested deeper than 128", 92},
               {"bad/pkl_deep_field", "opcode 0x65: the values of an event are nested deeper than 128", 2086}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        result r;
        char *text;
        pf_error err = {.code = PF_OK};
        run(&r, bad[i].file, NULL);
        cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
        cr_expect_eq(report(&r, "events.json", &text, &err), PF_ERR_LIMIT, "%s", bad[i].file);
        cr_expect(strstr(err.text, bad[i].text), "%s", err.text);
        cr_expect_eq(err.offset, bad[i].offset, "%s: %llu", bad[i].file, (unsigned long long)err.offset);
        cr_expect(strstr(err.file, bad[i].file), "%s", err.file);
        finish(&r);
    }
}

Test(tinygrad, no_events_one_report_that_says_so)
{
    result r;
    run(&r, "bad/pkl_recursive_list", NULL);
    cr_expect_eq(r.status, PF_OK);
    char *text = NULL;
    cr_assert_eq(pf_findings_report_count(r.f), 1);
    cr_assert_eq(report(&r, "tinygrad_nothing.txt", &text, NULL), PF_OK);
    cr_expect(strstr(text, "no event of a profile in "), "%s", text);
    free(text);
    finish(&r);
}
