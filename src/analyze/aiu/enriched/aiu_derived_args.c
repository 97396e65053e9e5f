/* analyze/aiu/enriched/aiu_derived_args.c - arguments of an event: those of the input, then what stages know.
 *
 * An argument of the input is left out where a stage has one of that name.
 */
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"

typedef struct copier {
    aiu_run *run;
    uint32_t event;
    pf_builder *b;
    unsigned depth, hidden; /* levels inside lists and objects; inside one that is left out */
} copier;

static pf_str plain_key(pf_str key)
{
    size_t cut = pf_aiu_starts_with(key, "args.") ? 5 : pf_aiu_starts_with(key, "debug.") ? 6 : 0;
    return (pf_str){key.ptr + cut, key.len - cut};
}

static bool is_replaced(const copier *c, pf_str key)
{
    const aiu_run *run = c->run;
    for (uint32_t x = run->events.extra[c->event]; x != PF_NONE; x = run->extras.list[x].next) {
        pf_str name = pf_aiu_text_of(run, run->extras.list[x].key);
        if (name.len == key.len && memcmp(name.ptr, key.ptr, key.len) == 0) {
            return true;
        }
    }
    return run->events.flags[c->event] & AIU_PEER_LISTED && pf_aiu_equals(key, "Peer");
}

/* The key on this level; false: the argument is left out. */
static bool open_key(copier *c, pf_str *key)
{
    if (c->hidden) {
        return false;
    }
    if (c->depth == 0) {
        *key = plain_key(*key);
        return !is_replaced(c, *key);
    }
    return true;
}

static pf_status begin_object(void *ctx, pf_str key)
{
    copier *c = ctx;
    if (!open_key(c, &key)) {
        c->hidden++;
        return PF_OK;
    }
    c->depth++;
    pf_build_arg_object(c->b, key);
    return PF_OK;
}

static pf_status begin_array(void *ctx, pf_str key)
{
    copier *c = ctx;
    if (!open_key(c, &key)) {
        c->hidden++;
        return PF_OK;
    }
    c->depth++;
    pf_build_arg_list(c->b, key);
    return PF_OK;
}

static pf_status end(void *ctx)
{
    copier *c = ctx;
    if (c->hidden) {
        c->hidden--;
        return PF_OK;
    }
    c->depth--;
    pf_build_arg_end(c->b);
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    copier *c = ctx;
    if (!open_key(c, &key)) {
        return PF_OK;
    }
    switch (v->type) {
    case PF_VALUE_BOOL:
        pf_build_arg_bool(c->b, key, v->as.b);
        break;
    case PF_VALUE_INT:
        pf_build_arg_int(c->b, key, v->as.i);
        break;
    case PF_VALUE_UINT:
        pf_build_arg_uint(c->b, key, v->as.u);
        break;
    case PF_VALUE_POINTER:
        pf_build_arg_pointer(c->b, key, v->as.u);
        break;
    case PF_VALUE_REAL:
        pf_build_arg_real(c->b, key, v->as.d);
        break;
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        pf_build_arg_text(c->b, key, v->as.s);
        break;
    case PF_VALUE_NULL:
        pf_build_arg_null(c->b, key);
        break;
    }
    return PF_OK;
}

static void add_extra(copier *c, const aiu_extra *x)
{
    pf_str key = pf_aiu_text_of(c->run, x->key);
    switch (x->type) {
    case AIU_EXTRA_INT:
        pf_build_arg_int(c->b, key, x->as.i);
        break;
    case AIU_EXTRA_BOOL:
        pf_build_arg_bool(c->b, key, x->as.i != 0);
        break;
    case AIU_EXTRA_REAL:
        pf_build_arg_real(c->b, key, x->as.d);
        break;
    case AIU_EXTRA_TEXT:
    case AIU_EXTRA_JSON:
        pf_build_arg_text(c->b, key, pf_aiu_text_of(c->run, x->as.text));
        break;
    }
}

pf_status pf_aiu_copy_args(aiu_run *run, uint32_t event, pf_builder *b, pf_error *err)
{
    copier c = {.run = run, .event = event, .b = b};
    const pf_arg_visitor visitor = {.ctx = &c,
                                    .begin_object = begin_object,
                                    .begin_array = begin_array,
                                    .end = end,
                                    .value = value,
                                    .raw_names = true};
    uint32_t row = run->events.row[event];
    pf_status st = row == PF_NONE ? PF_OK : pf_trace_visit_args(run->trace, row, &visitor, err);
    for (uint32_t x = run->events.extra[event]; x != PF_NONE; x = run->extras.list[x].next) {
        add_extra(&c, &run->extras.list[x]);
    }
    if (run->events.flags[event] & AIU_HAS_CLASS) {
        const char *class = pf_aiu_class_name((aiu_class)run->events.class[event]);
        pf_build_arg_text(b, PF_STR("class"), (pf_str){class, strlen(class)});
    }
    pf_build_arg_text(b, PF_STR("jobname"), run->jobs[run->events.job[event]].name);
    return st;
}
