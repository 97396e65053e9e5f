/* See aiu_support.h. */
#include "aiu_support.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "model/findings/findings.h"
#include "postfetto/read.h"

static void set_options(aiu_facts_run *f, const pf_pass *p, const char *const *list)
{
    for (; list && *list; list += 2) {
        size_t i = 0;
        while (i < p->option_count && strcmp(p->options[i].name, *list) != 0) {
            i++;
        }
        cr_assert(i < p->option_count, "option %s", *list);
        cr_assert_eq(pf_pass_parse(p, i, list[1], f->values, &f->err), PF_OK, "%s", f->err.text);
    }
}

void facts_open(aiu_facts_run *f, const char *const *options)
{
    static const char *const clocks[] = {"freq", "1:2", NULL};
    const pf_pass *p = pf_pass_find("aiu");
    aiu_refusal refusal;
    *f = (aiu_facts_run){.f = pf_findings_new(NULL), .err = {.text = ""}};
    cr_assert(p && f->f && p->option_count <= sizeof f->values / sizeof *f->values && p->role_count == 3);
    pf_arena_init(&f->arena, pf_findings_budget(f->f));
    pf_pass_defaults(p, f->values);
    set_options(f, p, clocks);
    set_options(f, p, options);
    f->ctx = (pf_pass_context){.values = f->values, .roles = f->roles, .arena = &f->arena, .jobs = 1};
    cr_assert_eq(pf_aiu_run_init(&f->run, &f->ctx, f->f), PF_OK);
    cr_assert_eq(pf_aiu_settings_read(&f->ctx, f->f, &f->run.set, &refusal, &f->err), PF_OK, "%s", f->err.text);
    cr_assert_eq(pf_acelyzer_choose_stages(&f->run, NULL, f->on), PF_OK);
    f->run.jobs = pf_pass_alloc(&f->ctx, 2, sizeof *f->run.jobs, &f->err);
    f->run.jobs[0] = (aiu_job){.name = PF_STR("job-1.json")};
    f->run.job_count = 1;
}

void facts_close(aiu_facts_run *f)
{
    pf_aiu_run_free(&f->run);
    pf_arena_free(&f->arena);
    pf_findings_free(f->f);
}

uint32_t text_of(aiu_facts_run *f, const char *text)
{
    uint32_t id = pf_aiu_text(&f->run, (pf_str){text, strlen(text)});
    cr_assert_neq(id, PF_NONE);
    return id;
}

uint32_t add_host(aiu_facts_run *f, const char *name, int64_t pid, int64_t tid, double ts, double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t e = pf_aiu_add_event(&f->run, 'X');
    cr_assert_neq(e, PF_NONE);
    v->name[e] = text_of(f, name);
    v->pid[e] = pid;
    v->tid[e] = tid;
    v->rank[e] = pf_aiu_rank(&f->run, pid);
    v->ts[e] = ts;
    v->dur[e] = dur;
    return e;
}

uint32_t add_device(aiu_facts_run *f, const char *name, int64_t pid, double ts, double dur, const int64_t *tsx)
{
    uint32_t e = add_host(f, name, pid, 1, ts, dur);
    f->run.events.flags[e] |= AIU_HAS_TS;
    for (unsigned n = 0; n < 5; n++) {
        f->run.events.tsx[n][e] = tsx[n];
    }
    return e;
}

pf_trace *take_json(aiu_facts_run *f, uint32_t event, const char *members)
{
    char path[40], json[600];
    const char *paths[] = {path};
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    int fd = memfd_create("event", MFD_CLOEXEC), more = (int)strlen(members) - 2;
    int len = snprintf(json, sizeof json, "[{\"ph\":\"%c\",\"name\":\"n\",\"pid\":7,\"tid\":8,\"ts\":10%s%.*s}]",
                       f->run.events.phase[event], more ? "," : "", more, members + 1);
    cr_assert_eq(write(fd, json, (size_t)len), len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    o.want |= PF_WANT_ORIGINS;
    cr_assert_eq(pf_read(paths, 1, &o, &t, &f->err), PF_OK, "%s", f->err.text);
    cr_assert_eq(pf_trace_events(t)->count, 1);
    close(fd);
    f->run.trace = t;
    f->run.events.row[event] = 0;
    return t;
}

void run_stage(aiu_facts_run *f, aiu_step stage)
{
    size_t i = 0;
    while (i < ACELYZER_STAGES && pf_acelyzer_steps[i] != stage) {
        i++;
    }
    (i < ACELYZER_STAGES ? pf_acelyzer_step(&f->run, i) : stage)(&f->run);
    cr_assert_eq(f->run.error.code, PF_OK, "%s", f->run.error.text);
}

bool logged(const aiu_facts_run *f, const char *text)
{
    for (uint32_t i = 0; i < f->run.log.count; i++) {
        if (pf_aiu_contains(f->run.log.line[i].text, text)) {
            return true;
        }
    }
    return false;
}

void expect_log(const aiu_facts_run *f, const char *expected)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < f->run.log.count; i++) {
        const aiu_log_line *line = &f->run.log.line[i];
        pf_buffer_format(&b, "%s %.*s\n", line->level, (int)line->text.len, line->text.ptr);
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

void expect_time(const aiu_facts_run *f, uint32_t event, double ts, double dur)
{
    double is = f->run.events.ts[event], length = f->run.events.dur[event];
    cr_expect(fabs(is - ts) < 1e-6, "event %u begins at %.9g, not %.9g", event, is, ts);
    cr_expect(fabs(length - dur) < 1e-6, "event %u takes %.9g, not %.9g", event, length, dur);
}

void expect_samples(const aiu_facts_run *f, aiu_series series, const char *expected)
{
    pf_buffer b = {0};
    const aiu_samples *s = &f->run.samples;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->series[i] == series) {
            pf_buffer_format(&b, "%s%.9g=%.9g", b.len ? " " : "", s->ts[i], s->value[i]);
        }
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}
