/* analyze/analyze.c - the pass, its options and its files put together for programs (postfetto/analyze.h). */
#include "postfetto/analyze.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "analyze/pass/pass_host.h"
#include "analyze/pass/passes.h"
#include "base/sized.h"
#include "base/str.h"
#include "postfetto/side_table.h"
#include "tables/partial_file.h"

typedef struct analysis {
    const pf_pass *pass;
    const pf_analyze_options *o;
    pf_read_options read;
    pf_option_value *values;
    pf_trace *trace;
    pf_pass_host host;
} analysis;

void pf_analyze_options_init(pf_analyze_options *o, size_t size)
{
    const pf_analyze_options all = {.size = size};
    pf_sized_give(o, size, &all, sizeof all);
}

static pf_status read_trace(void *ctx, const char *const *paths, size_t count, uint32_t want, const pf_role *role,
                            pf_trace **out, pf_error *err)
{
    const analysis *a = ctx;
    pf_read_options o = a->read;
    o.want = want;
    o.input_format = o.input_format ? o.input_format : role->reader;
    o.early_args = role->early_args;
    o.without_findings = a->pass->name;
    PF_TRY(pf_read(paths, count, &o, out, err));
    if (a->o->warn && !role->unwarned) {
        a->o->warn(a->o->warn_ctx, *out);
    }
    return PF_OK;
}

static void drop_trace(void *ctx, pf_trace *t)
{
    const analysis *a = ctx;
    pf_trace_free(t == a->o->trace ? NULL : t);
}

static pf_status open_file(void *host, size_t role, size_t file, uint32_t more, pf_pass_file *out, pf_error *err)
{
    return pf_pass_host_open(host, role, file, more, out, err);
}

static void close_file(void *host, size_t role, size_t file)
{
    pf_pass_host_close(host, role, file);
}

static pf_status take_settings(analysis *a, pf_error *err)
{
    const pf_pass *p = a->pass;
    a->values = calloc(p->option_count + 1, sizeof *a->values);
    PF_TRY(a->values ? PF_OK : pf_no_memory(err));
    pf_pass_defaults(p, a->values);
    for (size_t i = 0; i < a->o->setting_count; i++) {
        const pf_analyze_setting *s = &a->o->settings[i];
        size_t option = pf_options_find(p->options, p->option_count, s->name, strlen(s->name));
        if (option == p->option_count) {
            return pf_fail(err, PF_ERR_USAGE, "pass %s has no option '%s'", p->name, s->name);
        }
        PF_TRY(pf_pass_parse(p, option, s->value, a->values, err));
    }
    return pf_pass_complete(p, a->values, err);
}

static pf_status compute(analysis *a, pf_findings *findings, pf_error *err)
{
    const pf_pass_context context = {.trace = a->trace,
                                     .values = a->values,
                                     .input_path = pf_pass_host_main(&a->host),
                                     .report_dir = a->o->report_dir,
                                     .output = a->o->output,
                                     .strict = a->read.strict,
                                     .skip_overlay = !a->o->output,
                                     .roles = a->host.files,
                                     .jobs = a->read.jobs ? a->read.jobs : 2,
                                     .cancel = a->read.cancel,
                                     .host = &a->host,
                                     .open = open_file,
                                     .close = close_file};
    PF_TRY(pf_pass_run(a->pass, &context, findings, err));
    for (size_t i = 0; i < pf_findings_table_count(findings); i++) {
        pf_findings_table(findings, i); /* rows that are made when they are read: the caller may free the trace first */
    }
    return pf_findings_status(findings, err);
}

static pf_status run(analysis *a, const char *const *paths, size_t count, pf_findings *findings, pf_error *err)
{
    bool drawn = a->o->output && !a->pass->roles[0].on_request;
    PF_TRY(take_settings(a, err));
    a->host = (pf_pass_host){.pass = a->pass,
                             .limits = &a->read.limits,
                             .trace = &a->trace,
                             .more_want = !drawn               ? 0
                                          : a->pass->draw_want ? a->pass->draw_want
                                                               : PF_WANT_TO_WRITE,
                             .kept = true,
                             .ctx = a,
                             .read = read_trace,
                             .drop = drop_trace};
    PF_TRY(pf_pass_host_find(&a->host, a->values, paths, count, err));
    PF_TRY(pf_pass_host_read(&a->host, err));
    return compute(a, findings, err);
}

/* Which pass merges that file; NULL if it is no partial, or a pipe, which can be read once. */
static const pf_pass *merge_pass_of(const char *path)
{
    enum { PASS = 2 };
    pf_read_options o = pf_read_options_default();
    const pf_pass *found = NULL;
    struct stat sb;
    pf_trace *t = NULL;
    pf_error ignored;
    o.want = 0;
    o.input_format = "partial";
    bool good = stat(path, &sb) == 0 && S_ISREG(sb.st_mode) && pf_read(&path, 1, &o, &t, &ignored) == PF_OK;
    const pf_side_table *s = good ? pf_trace_table(t, PF_PARTIALS) : NULL;
    pf_str name = s && s->count ? pf_trace_string(t, *pf_side_ref(s, PASS, 0)) : PF_STR("");
    for (size_t i = 0; i < pf_pass_count(); i++) {
        found = pf_pass_at(i)->partials && pf_str_is(name, pf_pass_at(i)->name) ? pf_pass_at(i) : found;
    }
    pf_trace_free(t);
    return found ? found->partials->merge : NULL;
}

const pf_pass *pf_merge_pass(const char *const *paths, size_t count)
{
    const pf_pass *found = NULL;
    for (size_t i = 0; i < count && !found; i++) {
        found = merge_pass_of(paths[i]);
    }
    return found ? found : &pf_pass_gpu_merge;
}

static const pf_pass *find_pass(const char *name, const char *const *paths, size_t count)
{
    return strcmp(name, pf_pass_compare.name) == 0 ? &pf_pass_compare
           : strcmp(name, pf_pass_opcmp.name) == 0 ? &pf_pass_opcmp
           : strcmp(name, "merge-reports") == 0    ? pf_merge_pass(paths, count)
                                                   : pf_pass_find(name);
}

pf_status pf_analyze(const char *pass, const char *const *paths, size_t count, const pf_analyze_options *o,
                     pf_findings **findings, pf_trace **trace, pf_error *err)
{
    pf_analyze_options own;
    pf_analyze_options_init(&own, sizeof own);
    if (o) {
        pf_sized_take(&own, sizeof own, o, o->size, PF_SIZED_UPTO(pf_analyze_options, warn_ctx));
    }
    analysis a = {.pass = find_pass(pass, paths, count), .o = &own, .trace = own.trace};
    *findings = NULL;
    *trace = NULL;
    if (!a.pass) {
        return pf_fail(err, PF_ERR_USAGE, "there is no pass '%s'", pass);
    }
    pf_read_options_init(&a.read, sizeof a.read);
    if (own.read) {
        pf_sized_take(&a.read, sizeof a.read, own.read, own.read->size,
                      PF_SIZED_UPTO(pf_read_options, without_findings));
    }
    pf_findings *f = pf_findings_new(&a.read.limits);
    pf_status st = f ? run(&a, paths, count, f, err) : pf_no_memory(err);
    pf_pass_host_free(&a.host);
    pf_options_release(a.values, a.values ? a.pass->option_count : 0);
    free(a.values);
    if (st != PF_OK) {
        pf_findings_free(f);
        pf_trace_free(a.trace == own.trace ? NULL : a.trace);
        return st;
    }
    *findings = f;
    *trace = a.trace;
    return PF_OK;
}
