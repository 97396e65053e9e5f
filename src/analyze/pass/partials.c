/* analyze/pass/partials.c - partials that are of one version, one pass and the same options. */
#include "analyze/pass/partials.h"

#include <stdio.h>
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

pf_status pf_partials_refuse(const pf_trace *t, pf_error *err)
{
    return pf_trace_table(t, PF_PARTIALS)
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
    if (strcmp(pass, "compare") == 0) {
        return pf_fail(err, PF_ERR_INPUT,
                       "'%s' has the calls of a trace: 'postfetto compare' takes it in the place of its trace",
                       text_of(t, m->file[i]));
    }
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

pf_status pf_partials_broken(const char *table, pf_error *err)
{
    return pf_fail(err, PF_ERR_INPUT, "table %s of the partials is damaged; write them again with --partial", table);
}

pf_status pf_partials_table(const pf_trace *t, const pf_pass_table *p, const pf_side_table **out, pf_error *err)
{
    static const pf_column_type types[] = {
        [PF_CELL_INT] = PF_COLUMN_INT, [PF_CELL_REAL] = PF_COLUMN_REAL, [PF_CELL_TEXT] = PF_COLUMN_TEXT};
    char name[64];
    snprintf(name, sizeof name, PF_PARTIAL_PREFIX "%s", p->name);
    const pf_side_table *s = *out = pf_trace_table(t, name);
    bool same = !s || s->spec->column_count == p->column_count;
    for (size_t i = 0; s && same && i < p->column_count; i++) {
        const pf_side_column *c = &s->spec->columns[i];
        same = strcmp(c->name, p->columns[i].name) == 0 && c->type == types[p->columns[i].type];
    }
    return same ? PF_OK : pf_partials_broken(p->name, err);
}

pf_cell pf_partials_cell(const pf_trace *t, const pf_side_table *s, unsigned column, uint32_t row)
{
    pf_column_type type = s->spec->columns[column].type;
    if (type == PF_COLUMN_TEXT) {
        return pf_cell_text(pf_trace_string(t, *pf_side_ref(s, column, row)));
    }
    int64_t number = *pf_side_number(s, column, row);
    double real = *pf_side_real(s, column, row);
    return type == PF_COLUMN_INT ? pf_cell_int_if(number != INT64_MIN, number) : pf_cell_real_if(real == real, real);
}

const pf_role pf_partials_role = {.name = "partial",
                                  .want = PF_WANT_EVENTS,
                                  .least = 1,
                                  .reader = "partial",
                                  .help = "what --partial wrote, in any order"};

const pf_option pf_partials_merge_options[PF_MERGE_OPTIONS] = {
    {.name = "report",
     .letter = 'o',
     .type = PF_OPTION_PATH,
     .value = "DIR",
     .help = "folder for the reports, created if missing: those of 'analyze PASS --report DIR' over all inputs at "
             "once; OUT.pfr is one partial of all, as --partial"},
    [PF_MERGE_OPT_PARTIAL] = {.name = "partial",
                              .type = PF_OPTION_PATH,
                              .value = "OUT.pfr",
                              .help = "write what these partials contribute together to a larger merge"}};
