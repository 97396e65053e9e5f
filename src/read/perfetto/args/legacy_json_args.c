/* read/perfetto/args/legacy_json_args.c - legacy_json_value: an argument given as JSON text.
 *
 * Text that is no JSON gives nothing at all, so it is checked first. Then the decoder of Chrome JSON visits it as the
 * only member of an object, and a visitor in between puts the argument's own key in the place of that member's, keeps
 * to the limits and leaves nulls out.
 */

#include "base/text/json_text.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/perfetto/args/args_walker.h"

typedef struct visit {
    pf_walker *w;
    pf_str key;     /* of the argument */
    uint32_t depth; /* levels open inside the text */
} visit;

static pf_str key_of(const visit *s, pf_str key)
{
    return s->depth ? key : s->key;
}

/* Elements of a list take an index whatever is in them. */
static pf_str key_of_level(const visit *s, pf_str key)
{
    key = key_of(s, key);
    return key.ptr ? key : PF_STR("");
}

static pf_status open_level(void *ctx, pf_str key, bool list)
{
    visit *s = ctx;
    pf_str shown = key_of_level(s, key);
    if (s->w->depth + s->depth >= s->w->t->budget.limits.depth) {
        return pf_walker_too_much(s->w, "--max-depth");
    }
    s->depth++;
    return s->w->v->begin(s->w->v->ctx, shown, list);
}

static pf_status end_level(void *ctx)
{
    visit *s = ctx;
    s->depth--;
    return s->w->v->end(s->w->v->ctx);
}

static pf_status take_value(void *ctx, pf_str key, const pf_value *value)
{
    visit *s = ctx;
    return value->type == PF_VALUE_NULL ? PF_OK : pf_walker_send(s->w, key_of(s, key), value);
}

pf_status pf_walker_json(pf_walker *w, pf_str key, pf_str json)
{
    visit s = {.w = w, .key = key};
    const pf_arg_visitor visitor = {&s, open_level, end_level, take_value, false};
    pf_buffer *b = &w->text;
    bool no_memory;
    if (!pf_json_is_value(json, &no_memory)) {
        return no_memory ? pf_budget_refused(&w->t->budget, json.len, w->err) : PF_OK;
    }
    b->len = 0;
    pf_buffer_text(b, "{\"\":");
    pf_buffer_put(b, json.ptr, json.len);
    pf_buffer_put(b, "}", 2); /* with a NUL after it, which the decoder may read */
    PF_TRY(b->failed ? pf_budget_refused(&w->t->budget, json.len, w->err) : PF_OK);
    return pf_json_visit_object((const uint8_t *)b->data, b->len - 1, (pf_str){NULL, 0}, &visitor, w->err);
}
