/* analyze/pass/pass_run.c - running a pass, what it may ask of its host meanwhile, and its option values spelled out
 * again for documents and trace attributes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/pass/pass_host.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "model/findings/findings.h"
#include "model/trace/trace.h"
#include "postfetto/author/pass.h"

void pf_pass_defaults(const pf_pass *p, pf_option_value *values)
{
    pf_option_defaults(p->options, p->option_count, values);
}

pf_status pf_pass_parse(const pf_pass *p, size_t option, const char *text, pf_option_value *values, pf_error *err)
{
    return pf_option_parse(&p->options[option], text, &values[option], err);
}

pf_status pf_pass_complete(const pf_pass *p, const pf_option_value *values, pf_error *err)
{
    pf_error missing;
    if (pf_options_complete(p->options, p->option_count, values, &missing) == PF_OK) {
        return PF_OK;
    }
    return pf_fail(err, PF_ERR_USAGE, "analyze %s needs %.300s; see postfetto analyze %s --help", p->name, missing.text,
                   p->name);
}

unsigned pf_pass_stage_number(const pf_pass *p, size_t stage)
{
    unsigned n = 1;
    for (size_t i = 0; i < stage; i++) {
        n += strcmp(p->stages[i].name, p->stages[stage].name) == 0;
    }
    return n;
}

static bool is_stage(const pf_pass *p, size_t stage, const char *text)
{
    size_t len = strlen(p->stages[stage].name);
    if (strncmp(text, p->stages[stage].name, len) != 0) {
        return false;
    }
    return !text[len] || (text[len] == '#' && strtoul(text + len + 1, NULL, 10) == pf_pass_stage_number(p, stage));
}

pf_status pf_pass_switch(const pf_pass *p, const char *name, bool on, bool *stages, pf_error *err)
{
    bool known = !name;
    for (size_t i = 0; i < p->stage_count; i++) {
        bool is = !name || is_stage(p, i, name);
        stages[i] = is ? on : stages[i];
        known |= is;
    }
    return known ? PF_OK
                 : pf_fail(err, PF_ERR_USAGE, "%s has no stage '%.200s'; postfetto analyze %s --stages lists them",
                           p->name, name, p->name);
}

void pf_pass_nothing(const pf_pass_context *ctx, pf_findings *f, const char *kind, const char *more)
{
    size_t files = ctx->roles ? ctx->roles[0].count : 0;
    pf_buffer b = {0};
    pf_buffer_format(&b, "no %s in %s", kind, ctx->input_path ? ctx->input_path : "-");
    if (files > 1) {
        pf_buffer_format(&b, " and %zu more files", files - 1);
    }
    pf_buffer_text(&b, files > 1 ? "; they hold " : "; it holds ");
    if (ctx->trace) {
        pf_trace_put_holdings(ctx->trace, &b);
    }
    pf_buffer_text(&b, more);
    f->nothing = pf_pass_keep_buffer(f, &b);
    if (f->nothing.ptr) {
        pf_findings_show_line(f, PF_NOTICE, "%.*s", (int)f->nothing.len, f->nothing.ptr);
    }
}

static bool is_empty(const pf_findings *f)
{
    size_t rows = 0;
    for (size_t i = 0; i < pf_findings_table_count(f); i++) {
        rows += pf_findings_table(f, i)->row_count;
    }
    return rows == 0 && pf_findings_report_count(f) == 0;
}

/* What pf_pass_nothing said, where scripts look. */
static void report_nothing(const pf_pass *p, pf_findings *f, bool as_file)
{
    pf_node *root = f->summary ? NULL : pf_node_root(f, PF_NODE_OBJECT);
    if (root) {
        pf_node_add_int(f, root, PF_STR("schema_version"), 1);
        pf_node_add_text(f, root, PF_STR("pass"), pf_str_of(p->name));
        pf_findings_set_summary(f, root);
    }
    pf_node_add_text(f, (pf_node *)f->summary, PF_STR("nothing"), f->nothing);
    if (as_file) {
        pf_text *text = pf_text_new(f);
        pf_text_format(f, text, "%.*s\n", (int)f->nothing.len, f->nothing.ptr);
        pf_findings_report_text(f, pf_findings_format(f, "%s_nothing.txt", p->name), text, false);
    }
}

pf_status pf_pass_run(const pf_pass *p, const pf_pass_context *given, pf_findings *f, pf_error *err)
{
    pf_pass_context ctx = *given;
    pf_arena arena;
    if (!ctx.arena) {
        pf_arena_init(&arena, pf_findings_budget(f));
        ctx.arena = &arena;
    }
    ctx.jobs = ctx.jobs ? ctx.jobs : 1;
    pf_findings_set_pass(f, (pf_str){p->name, strlen(p->name)});
    pf_error local = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_findings_status(f, &local);
    st = st == PF_OK ? p->run(&ctx, f, &local) : st;
    if (st == PF_OK && p->finds && is_empty(f)) {
        pf_pass_nothing(&ctx, f, p->finds, "");
    }
    if (st == PF_OK && f->nothing.len) {
        report_nothing(p, f, !ctx.report_dir_derived);
    }
    if (ctx.arena == &arena) {
        pf_arena_free(&arena);
    }
    if (st != PF_OK && local.code == PF_OK) {
        (void)pf_findings_status(f, &local); /* what failed was adding to them */
    }
    if (st != PF_OK) {
        if (err) {
            *err = local;
        }
        return st;
    }
    return pf_findings_status(f, err);
}

void *pf_pass_alloc(const pf_pass_context *ctx, size_t count, size_t size, pf_error *err)
{
    void *p;
    return pf_arena_new(ctx->arena, &p, size, count, err) == PF_OK ? p : NULL;
}

pf_status pf_pass_open(const pf_pass_context *ctx, size_t role, size_t i, uint32_t more, pf_pass_file *out,
                       pf_error *err)
{
    *out = (pf_pass_file){.path = ctx->roles[role].files[i].path};
    if (!ctx->open) {
        *out = ctx->roles[role].files[i]; /* read already */
        return PF_OK;
    }
    return ctx->open(ctx->host, role, i, more, out, err);
}

void pf_pass_close(const pf_pass_context *ctx, size_t role, size_t i)
{
    if (ctx->close) {
        ctx->close(ctx->host, role, i);
    }
}

pf_status pf_pass_write(const pf_pass_context *ctx, const pf_trace *t, pf_findings *drawn, const char *path,
                        pf_error *err)
{
    return ctx->write ? ctx->write(ctx->host, t, drawn, path, err) : PF_OK;
}

pf_status pf_pass_poll(const pf_pass_context *ctx, pf_error *err)
{
    return ctx->cancel && *ctx->cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : PF_OK;
}

bool pf_pass_stage(const pf_pass_context *ctx, size_t stage)
{
    return !ctx->stages || ctx->stages[stage];
}

static bool has_value(const pf_option *o, const pf_option_value *v)
{
    return v->set || o->type == PF_OPTION_FLAG || (o->fallback && *o->fallback) || v->s.ptr;
}

pf_str pf_pass_value_text(const pf_option *o, const pf_option_value *v, char room[PF_NUMBER_MAX])
{
    if (!has_value(o, v)) {
        return PF_STR("");
    }
    switch (o->type) {
    case PF_OPTION_INT:
        return (pf_str){room, (size_t)snprintf(room, PF_NUMBER_MAX, "%" PRId64, v->i)};
    case PF_OPTION_DURATION:
        return (pf_str){room, (size_t)snprintf(room, PF_NUMBER_MAX, "%" PRId64 "ns", v->i)};
    case PF_OPTION_SIZE:
        return (pf_str){room, (size_t)snprintf(room, PF_NUMBER_MAX, "%" PRIu64, v->u)};
    case PF_OPTION_REAL:
        return (pf_str){room, pf_format_real(v->d, room)};
    case PF_OPTION_FLAG:
        return v->b ? PF_STR("true") : PF_STR("false");
    default:
        return v->s;
    }
}

pf_str pf_pass_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f)
{
    char room[PF_NUMBER_MAX];
    pf_buffer b = {0};
    for (size_t i = 0; i < p->option_count; i++) {
        const pf_option_value *v = &values[i];
        pf_buffer_format(&b, "%s%s=", i ? " " : "", p->options[i].name);
        for (size_t k = 0; k < (v->count ? v->count : 1); k++) {
            pf_str value = pf_pass_value_text(&p->options[i], v->count ? &v->all[k] : v, room);
            pf_buffer_text(&b, k ? "," : ""); /* where it was given several times */
            pf_buffer_put(&b, value.ptr, value.len);
        }
    }
    return pf_pass_keep_buffer(f, &b);
}

static void add_value(pf_findings *f, pf_node *parent, pf_str key, const pf_option *o, const pf_option_value *v)
{
    char room[PF_NUMBER_MAX];
    switch (o->type) {
    case PF_OPTION_INT:
    case PF_OPTION_DURATION:
        pf_node_add_int(f, parent, key, v->i);
        break;
    case PF_OPTION_SIZE:
        pf_node_add_int(f, parent, key, (int64_t)v->u);
        break;
    case PF_OPTION_REAL:
        pf_node_add_real(f, parent, key, v->d);
        break;
    case PF_OPTION_FLAG:
        pf_node_add_bool(f, parent, key, v->b);
        break;
    default:
        pf_node_add_text(f, parent, key, pf_pass_value_text(o, v, room));
        break;
    }
}

void pf_pass_add_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f, pf_node *object)
{
    for (size_t i = 0; i < p->option_count; i++) {
        const pf_option *o = &p->options[i];
        const pf_option_value *v = &values[i];
        pf_str key = {o->name, strlen(o->name)};
        if (!has_value(o, v)) {
            pf_node_add(f, object, key, PF_NODE_NULL);
        } else if (pf_option_is_list(o)) {
            pf_node *list = pf_node_add(f, object, key, PF_NODE_LIST);
            for (size_t k = 0; k < (v->count ? v->count : 1); k++) {
                add_value(f, list, (pf_str){NULL, 0}, o, v->count ? &v->all[k] : v);
            }
        } else {
            add_value(f, object, key, o, v);
        }
    }
}
