/* analyze/support/shape_text.c - the values below the arguments that hold shapes, gathered as text. Only asked for
 * where shapes make rows: it visits the arguments event by event. */
#include "analyze/support/shape_text.h"

#include "base/str.h"
#include "base/text/number.h"

typedef struct gathering {
    const pf_shape_form *form;
    pf_buffer *out;
    uint32_t depth;
    bool inside, first; /* below an argument of the form; nothing of the list in hand has come */
} gathering;

static bool names_shape(const pf_shape_form *form, pf_str key)
{
    size_t dot = pf_str_find(key, PF_STR("."));
    pf_str bare = dot == SIZE_MAX ? key : pf_str_from(key, dot + 1);
    const char *const *name = form->keys;
    while (*name && !pf_str_is(bare, *name)) {
        name++;
    }
    return *name != NULL;
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    gathering *g = ctx;
    g->depth++;
    if (g->inside) {
        pf_buffer_text(g->out, g->first ? "" : g->form->comma);
        pf_buffer_text(g->out, "[");
        g->first = true;
    } else if (g->depth == 1 && names_shape(g->form, key)) {
        pf_buffer_text(g->out, g->form->whole ? "[" : "");
        g->inside = true;
        g->first |= g->form->whole;
    }
    return PF_OK;
}

static pf_status end(void *ctx)
{
    gathering *g = ctx;
    bool argument = g->depth-- == 1;
    pf_buffer_text(g->out, g->inside && (!argument || g->form->whole) ? "]" : "");
    g->inside = g->inside && !argument;
    g->first = false;
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    gathering *g = ctx;
    bool alone = !g->form->whole && g->depth == 0 && names_shape(g->form, key);
    if (!g->inside && !alone) {
        return PF_OK;
    }
    pf_buffer_text(g->out, g->first ? "" : g->form->comma);
    g->first = false;
    if (v->type == PF_VALUE_INT) {
        pf_buffer_int(g->out, v->as.i);
    } else if (v->type == PF_VALUE_UINT) {
        pf_buffer_decimal(g->out, v->as.u);
    } else if (v->type == PF_VALUE_STRING || v->type == PF_VALUE_JSON) {
        pf_buffer_put(g->out, v->as.s.ptr, v->as.s.len);
    } else if (v->type == PF_VALUE_REAL && !g->form->whole) {
        char digits[PF_NUMBER_MAX];
        pf_buffer_put(g->out, digits, pf_format_real(v->as.d, digits));
    } else {
        pf_buffer_text(g->out, g->form->whole ? "?" : "");
    }
    return PF_OK;
}

uint32_t pf_shape_text(const pf_trace *t, uint32_t event, const pf_shape_form *form, pf_buffer *work, pf_strings *texts,
                       pf_error *err)
{
    gathering g = {.form = form, .out = work, .first = true};
    const pf_arg_visitor v = {.ctx = &g, .begin = begin, .end = end, .value = value};
    uint32_t id = PF_NONE;
    work->len = 0;
    if (pf_trace_visit_args(t, event, &v, err) == PF_OK && !work->failed) {
        id = pf_strings_add(texts, work->data ? work->data : "", work->len, err);
    } else if (work->failed) {
        pf_no_memory(err);
    }
    return id;
}
