/* read/perfetto/args/args_walker.c - values on their way to the visitor, within the limits. */
#include "read/perfetto/args/args_walker.h"

#include "base/str.h"

pf_str pf_walker_interned(pf_walker *w, pf_intern_kind kind, uint64_t iid)
{
    uint32_t id = pf_intern_get(w->generation, kind, iid);
    w->unknown |= id == PF_NONE && iid != 0;
    return id == PF_NONE ? (pf_str){NULL, 0} : pf_strings_get(&w->t->strings, id);
}

pf_status pf_walker_too_much(pf_walker *w, const char *flag)
{
    return pf_fail(w->err, PF_ERR_LIMIT, "the arguments of one event exceed %s; raise it", flag);
}

pf_status pf_walker_send(pf_walker *w, pf_str key, const pf_value *value)
{
    PF_TRY(w->key.failed ? pf_budget_refused(&w->t->budget, key.len, w->err) : PF_OK);
    if (++w->keys > w->t->budget.limits.keys) {
        return pf_walker_too_much(w, "--max-keys");
    }
    return w->v->value(w->v->ctx, key, value);
}

pf_status pf_walker_send_text(pf_walker *w, const char *key, pf_str text)
{
    const pf_value value = {.type = PF_VALUE_STRING, .as.s = text};
    return text.ptr ? pf_walker_send(w, pf_str_of(key), &value) : PF_OK;
}

pf_status pf_walker_send_number(pf_walker *w, const char *key, pf_value_type type, uint64_t number)
{
    const pf_value value = {.type = type, .as.u = number};
    return pf_walker_send(w, pf_str_of(key), &value);
}
