/* analyze/gpu/kernels/gpu_shapes.c - the shapes of an operator's inputs as text. Only asked for with --by-shape: it
 * visits the arguments event by event. */
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "base/buffer.h"
#include "base/str.h"

typedef struct shape_text {
    pf_buffer out;
    uint32_t depth, inside; /* inside: the depth of the argument, 0 outside of it */
    bool first;             /* of the list in hand */
} shape_text;

static bool is_shapes(pf_str key)
{
    size_t dot = pf_str_find(key, PF_STR("."));
    return pf_str_is(dot == SIZE_MAX ? key : pf_str_from(key, dot + 1), "Input Dims");
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    shape_text *s = ctx;
    s->depth++;
    if (s->inside) {
        pf_buffer_text(&s->out, s->first ? "[" : ", [");
        s->first = true;
    } else if (s->depth == 1 && is_shapes(key)) {
        s->inside = s->depth;
        s->first = true;
        pf_buffer_text(&s->out, "[");
    }
    return PF_OK;
}

static pf_status end(void *ctx)
{
    shape_text *s = ctx;
    if (s->inside) {
        pf_buffer_text(&s->out, "]");
        s->first = false;
        s->inside = s->inside == s->depth ? 0 : s->inside;
    }
    s->depth--;
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    (void)key;
    shape_text *s = ctx;
    if (!s->inside) {
        return PF_OK;
    }
    pf_buffer_text(&s->out, s->first ? "" : ", ");
    s->first = false;
    if (v->type == PF_VALUE_INT) {
        pf_buffer_int(&s->out, v->as.i);
    } else if (v->type == PF_VALUE_UINT) {
        pf_buffer_decimal(&s->out, v->as.u);
    } else if (v->type == PF_VALUE_STRING || v->type == PF_VALUE_JSON) {
        pf_buffer_put(&s->out, v->as.s.ptr, v->as.s.len);
    } else {
        pf_buffer_text(&s->out, "?");
    }
    return PF_OK;
}

uint32_t pf_gpu_shapes(const pf_trace *t, uint32_t event, pf_strings *texts, pf_error *err)
{
    shape_text s = {.inside = 0};
    const pf_arg_visitor v = {.ctx = &s, .begin = begin, .end = end, .value = value};
    uint32_t id = PF_NONE;
    if (pf_trace_visit_args(t, event, &v, err) == PF_OK) {
        id = s.out.failed ? PF_NONE : pf_strings_add(texts, s.out.data ? s.out.data : "", s.out.len, err);
        if (s.out.failed) {
            pf_no_memory(err);
        }
    }
    pf_buffer_free(&s.out);
    return id;
}
