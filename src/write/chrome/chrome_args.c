/* write/chrome/chrome_args.c - the arguments of an event as JSON, from the walk over their tree (postfetto/trace.h,
 * pf_arg_visitor).
 *
 * A byte per open container says what it is, 'a' or 'o', in capitals once it has a member. Numbers are written as they
 * were spelled where the input was JSON; reals of a binary trace so that they read back the way that Chrome JSON is
 * read, here and in Perfetto. NaN and the infinities are bare words if they come from JSON, which must have had them
 * so; else texts, because JSON has no words for them.
 */

#include "base/text/json_text.h"
#include "base/text/number.h"
#include "write/chrome/chrome_event.h"

/* The comma between members, and the key inside objects. */
static void put_member(pf_chrome *c, pf_str key)
{
    pf_str name = c->nesting.len ? key : pf_arg_plain_key(key);
    char *top = c->nesting.len ? &c->nesting.data[c->nesting.len - 1] : &c->args_top;
    if (*top == 'A' || *top == 'O') {
        pf_chrome_put(c, ",");
    } else {
        if (top == &c->args_top) {
            pf_chrome_put(c, ",\"args\":{");
        }
        *top = (char)(*top - 'a' + 'A');
    }
    if (*top == 'O') {
        pf_json_put_text(&c->out, name.ptr ? name : PF_STR(""));
        pf_chrome_put(c, ":");
    }
}

static pf_status on_begin(void *ctx, pf_str key, bool list)
{
    pf_chrome *c = ctx;
    put_member(c, key);
    pf_chrome_put(c, list ? "[" : "{");
    pf_buffer_put(&c->nesting, list ? "a" : "o", 1);
    return c->nesting.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_end(void *ctx)
{
    pf_chrome *c = ctx;
    if (c->nesting.len) {
        char top = c->nesting.data[--c->nesting.len];
        pf_chrome_put(c, top == 'a' || top == 'A' ? "]" : "}");
    }
    return PF_OK;
}

static void put_real(pf_chrome *c, const pf_value *v)
{
    double d = v->as.d;
    char text[PF_NUMBER_MAX];
    if (v->spelling.ptr && pf_json_is_number(v->spelling)) {
        pf_buffer_put(&c->out, v->spelling.ptr, v->spelling.len);
    } else if (d - d == 0) {
        pf_buffer_put(&c->out, text, pf_format_real_like_perfetto(d, text));
    } else {
        const char *quote = c->from_json ? "" : "\"";
        pf_chrome_put(c, quote);
        pf_chrome_put(c, d != d ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
        pf_chrome_put(c, quote);
    }
}

void pf_chrome_put_scalar(pf_chrome *c, const pf_value *v)
{
    switch (v->type) {
    case PF_VALUE_NULL:
        pf_chrome_put(c, "null");
        break;
    case PF_VALUE_BOOL:
        pf_chrome_put(c, v->as.b ? "true" : "false");
        break;
    case PF_VALUE_INT:
        pf_chrome_put_int(c, v->as.i);
        break;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        pf_buffer_decimal(&c->out, v->as.u);
        break;
    case PF_VALUE_REAL:
        put_real(c, v);
        break;
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        pf_json_put_text(&c->out, v->as.s);
        break;
    }
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *v)
{
    pf_chrome *c = ctx;
    put_member(c, key);
    pf_chrome_put_scalar(c, v);
    return c->out.failed ? PF_ERR_MEMORY : PF_OK;
}

pf_status pf_chrome_put_args(pf_chrome *c, uint32_t row, pf_error *err)
{
    const pf_arg_visitor visitor = {c, on_begin, on_end, on_value, true};
    uint32_t i = pf_rows_find(c->t->args.event, c->t->args.count, row, &c->args_hint);
    if (i == PF_NONE) {
        return PF_OK;
    }
    c->nesting.len = 0;
    c->args_top = 'o';
    pf_status st = pf_trace_visit_args_at(c->t, i, &visitor, err);
    while (c->nesting.len) { /* damage inside may have ended the walk early */
        on_end(c);
    }
    pf_chrome_put(c, c->args_top == 'O' ? "}" : "");
    bool refused = c->nesting.failed || c->out.failed;
    return refused ? pf_no_memory(err) : st;
}
