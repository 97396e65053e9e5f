/* shown_args.h - the arguments of an event as text, for tests: " key=value" for each, with the type of the value:
 * 7 an integer, 7u without a sign, 7 real, '7' a text. Objects are " key{ ... .", lists " key[ ... .", what has no key
 * is called "-" and what has an empty one "+". */
#ifndef PF_TESTS_SHOWN_ARGS_H
#define PF_TESTS_SHOWN_ARGS_H

#include <criterion/criterion.h>

#include "base/buffer.h"
#include "model/trace/trace.h"

static inline void shown_key(pf_buffer *out, pf_str key)
{
    pf_str shown = !key.ptr ? PF_STR("-") : key.len ? key : PF_STR("+");
    pf_buffer_put(out, shown.ptr, shown.len);
}

static inline pf_status show_begin(void *ctx, pf_str key, bool list)
{
    pf_buffer_text(ctx, " ");
    shown_key(ctx, key);
    pf_buffer_text(ctx, list ? "[" : "{");
    return PF_OK;
}

static inline pf_status show_end(void *ctx)
{
    pf_buffer_text(ctx, " .");
    return PF_OK;
}

static inline pf_status show_value(void *ctx, pf_str key, const pf_value *v)
{
    pf_buffer_text(ctx, " ");
    shown_key(ctx, key);
    switch (v->type) {
    case PF_VALUE_BOOL:
        pf_buffer_text(ctx, v->as.b ? "=true" : "=false");
        break;
    case PF_VALUE_INT:
        pf_buffer_format(ctx, "=%lld", (long long)v->as.i);
        break;
    case PF_VALUE_UINT:
        pf_buffer_format(ctx, "=%lluu", (unsigned long long)v->as.u);
        break;
    case PF_VALUE_POINTER:
        pf_buffer_format(ctx, "=0x%llx", (unsigned long long)v->as.u);
        break;
    case PF_VALUE_REAL:
        pf_buffer_format(ctx, "=%.17g real", v->as.d);
        break;
    case PF_VALUE_STRING:
        pf_buffer_format(ctx, "='%.*s'", (int)v->as.s.len, v->as.s.ptr);
        break;
    case PF_VALUE_JSON:
        pf_buffer_format(ctx, "=json %.*s", (int)v->as.s.len, v->as.s.ptr);
        break;
    case PF_VALUE_NULL:
        cr_assert_fail("a value without a type");
    }
    return PF_OK;
}

static inline void show_args(const pf_trace *t, uint32_t row, pf_buffer *out)
{
    const pf_arg_visitor v = {out, show_begin, show_end, show_value, false};
    pf_error err = {0};
    cr_assert_eq(pf_trace_visit_args(t, row, &v, &err), PF_OK, "%s", err.text);
}

#endif
