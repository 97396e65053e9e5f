/* pf_analyze: a pass on files in one call, what it refuses, and whose traces are whose. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

#include "postfetto/postfetto.h"

static const char *const ONE[] = {PF_FIXTURES "/aie_small.json"};
static const pf_analyze_setting AIE[] = {{"M", "128"},    {"K", "64"},        {"N", "64"},  {"m", "32"},
                                         {"k", "64"},     {"n", "32"},        {"row", "2"}, {"col", "1"},
                                         {"warmup", "1"}, {"iterations", "4"}};
enum { AIE_COUNT = sizeof AIE / sizeof *AIE };

typedef struct result {
    pf_findings *findings;
    pf_trace *trace;
    pf_error err;
} result;

static pf_status analyze(const char *pass, const char *const *paths, size_t count, const pf_analyze_options *o,
                         result *r)
{
    *r = (result){(pf_findings *)r, (pf_trace *)r, {.offset = PF_NOWHERE}}; /* both must be set */
    return pf_analyze(pass, paths, count, o, &r->findings, &r->trace, &r->err);
}

/* A refusal leaves nothing. */
static void expect_refused(const char *pass, const char *const *paths, size_t count, const pf_analyze_options *o,
                           pf_status status, const char *word)
{
    result r;
    cr_expect_eq(analyze(pass, paths, count, o, &r), status, "%s", r.err.text);
    cr_expect_not_null(strstr(r.err.text, word), "'%s' lacks '%s'", r.err.text, word);
    cr_expect_null(r.findings);
    cr_expect_null(r.trace);
}

static pf_analyze_options aie_options(void)
{
    pf_analyze_options o = pf_analyze_options_default();
    o.settings = AIE;
    o.setting_count = AIE_COUNT;
    return o;
}

static void count_call(void *ctx, const pf_trace *t)
{
    cr_expect_gt(pf_trace_events(t)->count, 0);
    ++*(int *)ctx;
}

Test(analyze_files, tables_and_trace)
{
    int warned = 0;
    pf_analyze_options o = aie_options();
    o.warn = count_call;
    o.warn_ctx = &warned;
    result r;
    cr_assert_eq(analyze("aie", ONE, 1, &o, &r), PF_OK, "%s", r.err.text);
    cr_assert_not_null(r.trace);
    cr_expect_eq(warned, 1);
    cr_expect_str_eq(pf_trace_dialect(r.trace), "aie");
    const pf_table *cores = pf_findings_table_named(r.findings, "aie_cores");
    cr_assert_not_null(cores);
    cr_expect_eq(cores->row_count, 2, "the trace has two cores");
    pf_findings_free(r.findings);
    pf_trace_free(r.trace);
}

Test(analyze_files, a_trace_that_was_read_stays_the_callers)
{
    pf_trace *t = NULL;
    pf_analyze_options o = aie_options();
    pf_read_options reading = pf_read_options_default();
    cr_assert_eq(pf_read(ONE, 1, &reading, &t, NULL), PF_OK);
    o.trace = t;
    result r;
    cr_assert_eq(analyze("aie", ONE, 1, &o, &r), PF_OK, "%s", r.err.text);
    cr_expect_eq(r.trace, t);
    pf_findings_free(r.findings);
    o.setting_count = 1;
    cr_expect_eq(analyze("aie", ONE, 1, &o, &r), PF_ERR_USAGE, "settings are missing");
    cr_expect_gt(pf_trace_events(t)->count, 0, "and the trace is there still");
    pf_trace_free(t);
}

Test(analyze_files, several_files)
{
    const char *const two[] = {ONE[0], PF_FIXTURES "/aie_small.pftrace"};
    result r;
    cr_assert_eq(analyze("compare", two, 2, NULL, &r), PF_OK, "%s", r.err.text);
    cr_expect_gt(pf_findings_table_count(r.findings), 0);
    pf_findings_free(r.findings);
    pf_trace_free(r.trace);
}

Test(analyze_files, refusals)
{
    static const char *const missing[] = {"/nope/nothing.json"};
    static const pf_analyze_setting nonsense[] = {{"nonsense", "1"}}, wrong[] = {{"M", "many"}};
    expect_refused("nope", ONE, 1, NULL, PF_ERR_USAGE, "nope");
    expect_refused("aie", ONE, 1, NULL, PF_ERR_USAGE, "--M");
    expect_refused("compare", ONE, 1, NULL, PF_ERR_USAGE, "");
    pf_analyze_options o = aie_options();
    expect_refused("aie", missing, 1, &o, PF_ERR_INPUT, "No such file");
    o.settings = nonsense;
    o.setting_count = 1;
    expect_refused("aie", ONE, 1, &o, PF_ERR_USAGE, "nonsense");
    o.settings = wrong;
    expect_refused("aie", ONE, 1, &o, PF_ERR_USAGE, "M");
}

Test(analyze_files, limits_and_cancellation_of_the_reading)
{
    pf_analyze_options o = aie_options();
    pf_read_options reading = pf_read_options_default();
    volatile int cancel = 0;
    o.read = &reading;
    reading.limits.input = 10;
    expect_refused("aie", ONE, 1, &o, PF_ERR_LIMIT, "max-input");
    reading = pf_read_options_default();
    reading.cancel = &cancel;
    cancel = 1;
    expect_refused("aie", ONE, 1, &o, PF_ERR_CANCELLED, "");
}

/* A program that was built with fewer members. */
Test(analyze_files, options_of_an_earlier_release)
{
    pf_analyze_options o = aie_options();
    o.size = offsetof(pf_analyze_options, read);
    o.read = (const pf_read_options *)&o; /* what lies there is not looked at */
    o.trace = (pf_trace *)&o;
    result r;
    cr_assert_eq(analyze("aie", ONE, 1, &o, &r), PF_OK, "%s", r.err.text);
    pf_findings_free(r.findings);
    pf_trace_free(r.trace);
}
