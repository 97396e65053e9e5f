/* names.c - metadata events: the names of processes and threads and their places in the order of a display. Later ones
 * override earlier ones.
 *
 * The name of a process also gives the AIE dialect away: its tools write "core_trace for tile2,1" and the like.
 */
#include "read/chrome_json/apply.h"
#include "read/chrome_json/args.h"
#include "read/dialect.h"

/* The first-level members "name" and "sort_index" of an args object, the last of each; the name is copied into scratch. */
typedef struct args_search {
    pf_json_applier *a;
    size_t depth;
    pf_str name;
    int64_t sort_index;
    bool has_sort_index;
    pf_error *err;
} args_search;

static bool text_is(pf_str text, const char *literal)
{
    return text.ptr && text.len == strlen(literal) && memcmp(text.ptr, literal, text.len) == 0;
}

static pf_status enter(void *ctx, pf_str key)
{
    (void)key;
    ((args_search *)ctx)->depth++;
    return PF_OK;
}

static pf_status leave(void *ctx)
{
    ((args_search *)ctx)->depth--;
    return PF_OK;
}

static pf_status take_member(void *ctx, pf_str key, const pf_value *v)
{
    args_search *s = ctx;
    if (s->depth || !key.ptr) {
        return PF_OK;
    }
    if (key.len == 4 && memcmp(key.ptr, "name", 4) == 0 && v->type == PF_VALUE_STRING) {
        char *copy = pf_json_scratch(s->a, v->as.s.len + 1, s->err);
        if (!copy) {
            return s->err->code;
        }
        memcpy(copy, v->as.s.ptr, v->as.s.len);
        s->name = (pf_str){copy, v->as.s.len};
    } else if (key.len == 10 && memcmp(key.ptr, "sort_index", 10) == 0) {
        bool real = v->type == PF_VALUE_REAL && v->as.d >= -0x1p63 && v->as.d < 0x1p63;
        s->has_sort_index = v->type == PF_VALUE_INT || real;
        s->sort_index = v->type == PF_VALUE_INT ? v->as.i : real ? (int64_t)v->as.d : 0;
    }
    return PF_OK;
}

static pf_status set_name(pf_json_applier *a, bool process, uint32_t row, pf_str name, pf_error *err)
{
    if (name.len == 0) {
        return PF_OK;
    }
    if (process && a->recognise && pf_dialect_is_aie_process(name)) {
        a->recognised = true;
        return PF_OK;
    }
    uint32_t id = pf_strings_add(&a->t->strings, name.ptr, name.len, err);
    if (id == PF_NONE) {
        return err->code;
    }
    *(process ? &a->t->processes.name[row] : &a->t->threads.name[row]) = id;
    return PF_OK;
}

static pf_status set_sort_index(pf_json_applier *a, bool process, uint32_t row, int64_t place, pf_error *err)
{
    pf_trace *t = a->t;
    pf_map *known = &a->sort_index[!process];
    uint32_t at = pf_map_get(known, row);
    if (at != PF_NONE) {
        t->row_args.number[at] = place;
        return PF_OK;
    }
    const pf_value v = {.type = PF_VALUE_INT, .as.i = place};
    at = t->row_args.count;
    pf_status st = process ? pf_trace_add_row_arg(t, PF_OWNER_PROCESS, row, PF_STR("process_sort_index_hint"), &v, err)
                           : pf_trace_add_row_arg(t, PF_OWNER_THREAD, row, PF_STR("thread_sort_index_hint"), &v, err);
    return st != PF_OK || pf_map_set(known, row, at) ? st : pf_budget_refused(&t->budget, 1u << 12, err);
}

pf_status pf_json_apply_names(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, pf_error *err)
{
    pf_str what = pf_json_name_of(a->piece, r);
    bool name_of_process = text_is(what, "process_name");
    bool place_of_process = text_is(what, "process_sort_index");
    bool name = name_of_process || text_is(what, "thread_name");
    bool place = place_of_process || text_is(what, "thread_sort_index");
    pf_json_text args = pf_json_args_of(a->piece, r);
    if ((!name && !place) || !args.ptr) {
        return PF_OK;
    }
    bool process = name_of_process || place_of_process;
    uint32_t row = process ? who->upid : who->utid;
    args_search search = {.a = a, .err = err};
    const pf_arg_visitor visitor = {&search, enter, enter, leave, take_member, false};
    pf_status st = pf_json_visit_object(args.ptr, args.len, (pf_str){NULL, 0}, &visitor, err);
    if (st != PF_OK) {
        return st;
    }
    if (name) {
        return set_name(a, process, row, search.name, err);
    }
    return search.has_sort_index ? set_sort_index(a, process, row, search.sort_index, err) : PF_OK;
}
