/* Stages of a pass, switched by its user: the public header alone. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "postfetto/postfetto.h"

enum { STAGES_MAX = 64 };

static size_t count_on(const pf_pass *p, const bool *stages)
{
    size_t n = 0;
    for (size_t i = 0; i < p->stage_count; i++) {
        n += stages[i];
    }
    return n;
}

Test(stage_switch, by_name_and_number)
{
    const pf_pass *p = pf_pass_find("aiu");
    bool stages[STAGES_MAX] = {false};
    pf_error err;
    cr_assert(p->stage_count <= STAGES_MAX);
    cr_expect_eq(pf_pass_switch(p, NULL, true, stages, &err), PF_OK);
    cr_expect_eq(count_on(p, stages), p->stage_count);
    cr_expect_eq(pf_pass_switch(p, "sort_events", false, stages, &err), PF_OK);
    cr_expect_eq(count_on(p, stages), p->stage_count - 4, "it is there four times");
    cr_expect_eq(pf_pass_switch(p, "sort_events#2", true, stages, &err), PF_OK);
    cr_expect_eq(count_on(p, stages), p->stage_count - 3);
    size_t at = 0;
    while (!stages[at] || strcmp(p->stages[at].name, "sort_events") != 0) {
        at++;
    }
    cr_expect_eq(pf_pass_stage_number(p, at), 2);
    static const char *const unknown[] = {"sort_events#5", "sort_events#", "sort", "sort_events2", ""};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        cr_expect_eq(pf_pass_switch(p, unknown[i], false, stages, &err), PF_ERR_USAGE, "%s", unknown[i]);
        cr_expect(strstr(err.text, "--stages"), "%s", err.text);
    }
    cr_expect_eq(count_on(p, stages), p->stage_count - 3, "as before");
}

static pf_trace *read_text(const char *text)
{
    char path[] = "/tmp/pf_stages_XXXXXX";
    const char *paths[] = {path};
    int fd = mkstemp(path);
    pf_trace *t = NULL;
    pf_error err = {.text = ""};
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    pf_status st = pf_read(paths, 1, NULL, &t, &err);
    unlink(path);
    cr_assert_eq(st, PF_OK, "%s", err.text);
    return t;
}

/* The trace that comes out of one, at counters of 1 MHz. */
typedef struct derived {
    pf_trace *input;
    pf_findings *f;
    const pf_trace *made;
    const pf_slices *slices;
} derived;

/* Runs the stages whose names are given. */
static derived derive(const char *text, const char *const *names)
{
    const pf_pass *p = pf_pass_find("aiu");
    pf_option_value values[64];
    bool stages[STAGES_MAX];
    pf_error err = {.text = ""};
    derived d = {.input = read_text(text), .f = pf_findings_new(NULL)};
    pf_pass_defaults(p, values);
    for (size_t i = 0; i < p->option_count; i++) {
        if (strcmp(p->options[i].name, "freq") == 0) {
            cr_assert_eq(pf_pass_parse(p, i, "1:2", values, &err), PF_OK);
        }
    }
    pf_pass_switch(p, NULL, false, stages, NULL);
    for (; *names; names++) {
        cr_assert_eq(pf_pass_switch(p, *names, true, stages, &err), PF_OK, "%s", err.text);
    }
    const pf_pass_file input = {.path = "job-1.json", .trace = d.input};
    const pf_pass_files roles[3] = {{&input, 1}};
    const pf_pass_context ctx = {.trace = d.input,
                                 .values = values,
                                 .input_path = "job-1.json",
                                 .output = "x.pftrace",
                                 .output_stem = "x",
                                 .roles = roles,
                                 .stages = stages};
    cr_assert_eq(pf_pass_run(p, &ctx, d.f, &err), PF_OK, "%s", err.text);
    for (size_t i = 0; i < pf_findings_report_count(d.f); i++) {
        const pf_report *r = pf_findings_report(d.f, i);
        d.made = r->trace ? r->trace : d.made;
    }
    cr_assert_not_null(d.made);
    d.slices = pf_trace_slices(d.made);
    return d;
}

static void expect_slice(const derived *d, uint32_t row, int64_t ts, int64_t dur)
{
    const pf_slices *s = d->slices;
    cr_assert_lt(row, s->count);
    cr_expect_eq(s->event_ts[s->event[row]], ts, "%lld", (long long)s->event_ts[s->event[row]]);
    cr_expect_eq(s->dur[row], dur, "%lld", (long long)s->dur[row]);
}

static void finish(derived *d)
{
    pf_findings_free(d->f);
    pf_trace_free(d->input);
}

/* A kernel of 50 us that ends at 150 and says that it took 40 cycles since it arrived, 30 of them computing. */
static void expect_kernel(const char *const *names, int64_t ts, int64_t dur)
{
    derived d = derive("[{\"name\":\"k Cmpt Exec\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":100,\"dur\":50,"
                       "\"attr\":{\"TS1\":\"10\",\"TS2\":\"12\",\"TS3\":\"20\",\"TS4\":\"50\",\"TS5\":\"60\"}}]",
                       names);
    cr_assert_eq(d.slices->count, 1);
    expect_slice(&d, 0, ts, dur);
    finish(&d);
}

Test(stage_switch, stages_run_alone)
{
    expect_kernel((const char *const[]){NULL}, 100000, 50000);
    expect_kernel((const char *const[]){"cycle_count_to_wallclock", NULL}, 110000, 40000);
    expect_kernel((const char *const[]){"cycle_count_to_wallclock", "tighten_hts_by_instr_type", NULL}, 120000, 30000);
    expect_kernel((const char *const[]){"tighten_hts_by_instr_type", NULL}, 100000, 50000);
}

#define TORCH(counters)                                                                                                \
    "{\"deviceProperties\":[{\"id\":0}],\"distributedInfo\":{\"rank\":0},\"traceEvents\":[{\"name\":\"sdpa\","         \
    "\"cat\":\"kernel\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":100,\"dur\":50,\"args\":{\"cycles_ts\":" counters      \
    "}}]}"

/* A kernel ends at TS4. All counters 0: they had failed. */
Test(stage_switch, counters_of_torch_traces)
{
    static const char *const wallclock[] = {"cycle_count_to_wallclock", NULL};
    derived d = derive(TORCH("[10,12,20,40,50]"), wallclock);
    expect_slice(&d, 0, 120000, 30000);
    finish(&d);
    d = derive(TORCH("[0,0,0,0,0]"), wallclock);
    expect_slice(&d, 0, 100000, 50000);
    finish(&d);
}

/* A microsecond's thousandth is kept beyond 2^40 us. */
Test(stage_switch, begins_and_ends_nest_and_times_are_nanoseconds)
{
    static const char *const none[] = {NULL};
    derived d = derive("[{\"name\":\"a Cmpt Exec\",\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":1475001775673.701},"
                       "{\"name\":\"b Cmpt Exec\",\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":1475001775673.702},"
                       "{\"name\":\"b Cmpt Exec\",\"ph\":\"E\",\"pid\":0,\"tid\":1,\"ts\":1475001775673.705},"
                       "{\"name\":\"a Cmpt Exec\",\"ph\":\"E\",\"pid\":0,\"tid\":1,\"ts\":1475001775674.808}]",
                       none);
    cr_assert_eq(d.slices->count, 2);
    expect_slice(&d, 0, 1475001775673701, 1107);
    expect_slice(&d, 1, 1475001775673702, 3);
    cr_expect_eq(d.slices->depth[1], 1);
    finish(&d);
}
