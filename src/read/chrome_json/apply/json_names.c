/* read/chrome_json/apply/json_names.c - metadata events: the names of processes and threads and their places in the
 * order of a display. Later ones override earlier ones, where later is first a matter of time (0 where an event has
 * none) and then of place in the file.
 *
 * The name of a process also gives the AIE dialect away: its tools write "core_trace for tile2,1" and the like.
 */
#include "base/str.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/chrome_json/apply/json_parts.h"
#include "read/reading/dialect.h"

/* The first-level members "name" and "sort_index" of an args object, the last of each; the name is copied into scratch.
 */
typedef struct args_search {
    pf_json_applier *a;
    size_t depth;
    pf_str name;
    int64_t sort_index;
    bool has_sort_index;
    pf_error *err;
} args_search;

typedef enum naming { PROCESS_NAME, THREAD_NAME, PROCESS_PLACE, THREAD_PLACE } naming;

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
    if (pf_str_is(key, "name") && v->type == PF_VALUE_STRING) {
        char *copy = pf_json_scratch(s->a, v->as.s.len + 1, s->err);
        if (!copy) {
            return s->err->code;
        }
        memcpy(copy, v->as.s.ptr, v->as.s.len);
        s->name = (pf_str){copy, v->as.s.len};
    } else if (pf_str_is(key, "sort_index")) {
        bool real = v->type == PF_VALUE_REAL && v->as.d >= -0x1p63 && v->as.d < 0x1p63;
        s->has_sort_index = v->type == PF_VALUE_INT || real;
        s->sort_index = v->type == PF_VALUE_INT ? v->as.i : real ? (int64_t)v->as.d : 0;
    }
    return PF_OK;
}

/* Whether what an event says about a row at `ts` counts, because nothing later was said before; or, where the
 * dialect says so, nothing further on in the file. */
static pf_status judge_naming(pf_json_applier *a, naming kind, uint32_t row, int64_t ts, bool *counts, pf_error *err)
{
    uint64_t key = (uint64_t)kind << 32 | row;
    uint32_t at = pf_map_get(&a->named, key);
    *counts = a->dialect->last_name_counts || (ts >= 0 && (at == PF_NONE || ts >= a->naming.ts[at]));
    if (!*counts || (at == PF_NONE && ts <= 0)) {
        return PF_OK;
    }
    if (at == PF_NONE) {
        at = a->naming.count;
        pf_status st =
            at < a->naming.room ? PF_OK : pf_columns_grow(&a->naming.columns, (uint64_t)at + 1, &a->naming.room, err);
        if (st != PF_OK) {
            return st;
        }
        if (!pf_map_set(&a->named, key, at)) {
            return pf_budget_refused(&a->t->budget, 1u << 12, err);
        }
        a->naming.count++;
    }
    a->naming.ts[at] = ts;
    return PF_OK;
}

static pf_status set_name(pf_json_applier *a, bool process, uint32_t row, int64_t ts, pf_str name, pf_error *err)
{
    if (name.len == 0) {
        return PF_OK;
    }
    const pf_dialect *shown = process && a->recognise ? pf_dialect_of_process(name) : NULL;
    if (shown) {
        a->recognised = shown;
        return PF_OK;
    }
    bool counts;
    pf_status st = judge_naming(a, process ? PROCESS_NAME : THREAD_NAME, row, ts, &counts, err);
    if (st != PF_OK || !counts) {
        return st;
    }
    uint32_t id = pf_strings_add(&a->t->strings, name.ptr, name.len, err);
    if (id == PF_NONE) {
        return err->code;
    }
    *(process ? &a->t->processes.name[row] : &a->t->threads.name[row]) = id;
    return PF_OK;
}

static pf_status set_sort_index(pf_json_applier *a, bool process, uint32_t row, int64_t ts, int64_t place,
                                pf_error *err)
{
    pf_trace *t = a->t;
    bool counts;
    pf_status st = judge_naming(a, process ? PROCESS_PLACE : THREAD_PLACE, row, ts, &counts, err);
    if (st != PF_OK || !counts) {
        return st;
    }
    pf_map *known = &a->sort_index[!process];
    uint32_t at = pf_map_get(known, row);
    if (at != PF_NONE) {
        t->row_args.number[at] = place;
        return PF_OK;
    }
    const pf_value v = {.type = PF_VALUE_INT, .as.i = place};
    at = t->row_args.count;
    st = process ? pf_trace_add_row_arg(t, PF_OWNER_PROCESS, row, PF_STR("process_sort_index_hint"), &v, err)
                 : pf_trace_add_row_arg(t, PF_OWNER_THREAD, row, PF_STR("thread_sort_index_hint"), &v, err);
    return st != PF_OK || pf_map_set(known, row, at) ? st : pf_budget_refused(&t->budget, 1u << 12, err);
}

pf_status pf_json_apply_names(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, pf_error *err)
{
    pf_str what = pf_json_name_of(a->piece, r);
    bool name_of_process = pf_str_is(what, "process_name");
    bool place_of_process = pf_str_is(what, "process_sort_index");
    bool name = name_of_process || pf_str_is(what, "thread_name");
    bool place = place_of_process || pf_str_is(what, "thread_sort_index");
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
    int64_t ts = r->flags & PF_JSON_HAS_TS ? r->ts : 0;
    if (name) {
        return set_name(a, process, row, ts, search.name, err);
    }
    return search.has_sort_index ? set_sort_index(a, process, row, ts, search.sort_index, err) : PF_OK;
}
