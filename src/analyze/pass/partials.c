/* analyze/pass/partials.c - partials that are of one version, one pass and the same options. */
#include "analyze/pass/partials.h"

#include <string.h>

#include "base/budget.h"
#include "base/buffer.h"
#include "base/str.h"
#include "tables/partial_file.h"

typedef struct manifests {
    uint32_t count;
    const uint32_t *file, *version, *pass;
} manifests;

typedef struct options {
    uint32_t count;
    const uint32_t *file, *name, *value;
} options;

#define MANIFEST(member) PF_SIDE_MEMBER(manifests, member, #member)
#define OPTION(member) PF_SIDE_MEMBER(options, member, #member)
static const pf_side_binding of_manifest[] = {MANIFEST(file), MANIFEST(version), MANIFEST(pass)};
static const pf_side_binding of_option[] = {OPTION(file), OPTION(name), OPTION(value)};

pf_status pf_partials_refuse(const pf_pass_context *ctx, pf_error *err)
{
    return pf_trace_table(ctx->trace, PF_PARTIALS)
               ? pf_fail(err, PF_ERR_USAGE, "is a partial; 'postfetto merge-reports FILE... -o DIR' merges partials")
               : PF_OK;
}

static pf_status refuse(const pf_trace *t, const manifests *m, uint32_t i, const char *what, const char *own,
                        const char *first, pf_error *err)
{
    return pf_fail(err, PF_ERR_INPUT,
                   "the partials cannot be merged: '%s' was written with %s %s, '%s' with %s; write them alike",
                   pf_trace_string(t, m->file[i]).ptr, what, own, pf_trace_string(t, m->file[0]).ptr, first);
}

static const char *text_of(const pf_trace *t, uint32_t id)
{
    pf_str text = pf_trace_string(t, id);
    return text.ptr && text.len ? text.ptr : "none";
}

/* The options of a partial, as a command line has them. */
static pf_status spell(const pf_trace *t, const options *o, uint32_t file, pf_buffer *out, pf_error *err)
{
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->file[i] == file) {
            pf_str value = pf_trace_string(t, o->value[i]);
            pf_buffer_format(out, "%s--%s=", out->len ? " " : "", text_of(t, o->name[i]));
            pf_buffer_put(out, value.ptr, value.len);
        }
    }
    pf_buffer_put(out, out->len ? "" : "none", out->len ? 1 : sizeof "none");
    return out->failed ? pf_no_memory(err) : PF_OK;
}

static pf_status compare(const pf_trace *t, const pf_pass *p, const manifests *m, const options *o, uint32_t i,
                         pf_error *err)
{
    const char *version = text_of(t, m->version[i]), *pass = text_of(t, m->pass[i]);
    pf_buffer own = {0}, first = {0};
    if (m->version[i] != m->version[0]) {
        return refuse(t, m, i, "postfetto", version, text_of(t, m->version[0]), err);
    }
    if (m->pass[i] != m->pass[0]) {
        return refuse(t, m, i, "the pass", pass, text_of(t, m->pass[0]), err);
    }
    if (strcmp(version, pf_version()) != 0 || strcmp(pass, p->name) != 0) {
        return pf_fail(
            err, PF_ERR_INPUT,
            "'%s' was written by postfetto %s for the pass %s, this is postfetto %s, which merges those of %s",
            text_of(t, m->file[i]), version, pass, pf_version(), p->name);
    }
    pf_status st = spell(t, o, m->file[i], &own, err);
    st = st == PF_OK ? spell(t, o, m->file[0], &first, err) : st;
    if (st == PF_OK && strcmp(own.data, first.data) != 0) {
        st = refuse(t, m, i, "the options", own.data, first.data, err);
    }
    pf_buffer_free(&own);
    pf_buffer_free(&first);
    return st;
}

static pf_status take_option(const pf_trace *t, const pf_pass *p, const options *o, uint32_t i, pf_option_value *values,
                             pf_error *err)
{
    const char *name = text_of(t, o->name[i]);
    pf_str value = pf_trace_string(t, o->value[i]);
    size_t at = 0;
    while (at < p->option_count && strcmp(p->options[at].name, name) != 0) {
        at++;
    }
    if (at == p->option_count) {
        return PF_OK; /* of reading */
    }
    if (strlen(value.ptr) != value.len) {
        return pf_fail(err, PF_ERR_INPUT, "'%s': the pass %s has no option --%s of that value", text_of(t, o->file[i]),
                       p->name, name);
    }
    if (p->options[at].type == PF_OPTION_FLAG) {
        values[at] = (pf_option_value){.set = true, .b = true};
        return PF_OK;
    }
    return pf_pass_parse(p, at, value.ptr, values, err);
}

pf_status pf_partials_options(const pf_pass_context *ctx, const pf_pass *p, pf_option_value *values, pf_error *err)
{
    const pf_trace *t = ctx->trace;
    manifests m;
    options o;
    pf_pass_defaults(p, values);
    PF_TRY(pf_side_bind(pf_trace_table(t, PF_PARTIALS), of_manifest, 3, &m, err));
    PF_TRY(pf_side_bind(pf_trace_table(t, PF_PARTIAL_OPTIONS), of_option, 3, &o, err));
    for (uint32_t i = 0; i < m.count; i++) {
        PF_TRY(compare(t, p, &m, &o, i, err));
    }
    for (uint32_t i = 0; i < o.count && m.count; i++) {
        PF_TRY(o.file[i] == m.file[0] ? take_option(t, p, &o, i, values, err) : PF_OK);
    }
    return PF_OK;
}
