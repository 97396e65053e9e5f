/* read/chrome_json/apply/json_names.c - metadata events: the names of processes and threads and their places in the
 * order of a display. Later ones override earlier ones, where later is first a matter of time (0 where an event has
 * none) and then of place in the file.
 *
 * The name of a process also gives the AIE dialect away: its tools write "core_trace for tile2,1" and the like.
 */
#include "base/list.h"
#include "base/str.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/chrome_json/apply/json_args.h"

/* The first-level members "name" and "sort_index" of an args object, the last of each; the name is copied into scratch.
 */
typedef struct args_search {
    pf_json_applier *a;
    pf_str name;
    int64_t sort_index;
    bool has_sort_index;
} args_search;

typedef enum naming { PROCESS_NAME, THREAD_NAME, PROCESS_PLACE, THREAD_PLACE } naming;

static pf_status take_member(void *ctx, pf_str key, const pf_value *v)
{
    args_search *s = ctx;
    if (!v || !key.ptr) {
        return PF_OK;
    }
    if (pf_str_is(key, "name") && v->type == PF_VALUE_STRING) {
        char *copy = pf_json_scratch(s->a, v->as.s.len + 1);
        if (!copy) {
            return s->a->err->code;
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
static bool judge_naming(pf_json_applier *a, naming kind, uint32_t row, int64_t ts)
{
    uint64_t key = (uint64_t)kind << 32 | row;
    uint32_t at = pf_map_get(&a->named, key);
    bool counts = a->dialect->last_name_counts || (ts >= 0 && (at == PF_NONE || ts >= a->naming.ts[at]));
    if (!counts || (at == PF_NONE && ts <= 0)) {
        return counts;
    }
    if (at == PF_NONE) {
        at = a->naming.count;
        if (PF_LIST_ROOM(&a->t->budget, a->naming.ts, at + 1, a->naming.room, a->err) != PF_OK) {
            return false;
        }
        pf_json_put(a, &a->named, key, at);
        a->naming.count++;
    }
    a->naming.ts[at] = ts;
    return true;
}

static void set_name(pf_json_applier *a, bool process, uint32_t row, int64_t ts, pf_str name)
{
    if (name.len == 0) {
        return;
    }
    const pf_dialect *shown = process && a->recognise ? pf_dialect_of_process(name) : NULL;
    if (shown) {
        a->recognised = shown;
        return;
    }
    bool counts = judge_naming(a, process ? PROCESS_NAME : THREAD_NAME, row, ts);
    uint32_t id = counts ? pf_json_string(a, name) : PF_NONE;
    if (id != PF_NONE) {
        *(process ? &a->t->processes.name[row] : &a->t->threads.name[row]) = id;
    }
}

static void set_sort_index(pf_json_applier *a, bool process, uint32_t row, int64_t ts, int64_t place)
{
    pf_trace *t = a->t;
    pf_map *known = &a->sort_index[!process];
    uint32_t at = pf_map_get(known, row);
    if (!judge_naming(a, process ? PROCESS_PLACE : THREAD_PLACE, row, ts)) {
        return;
    }
    if (at != PF_NONE) {
        t->row_args.number[at] = place;
        return;
    }
    const pf_value v = {.type = PF_VALUE_INT, .as.i = place};
    at = t->row_args.count;
    if (process) {
        pf_trace_add_row_arg(t, PF_OWNER_PROCESS, row, PF_STR("process_sort_index_hint"), &v, a->err);
    } else {
        pf_trace_add_row_arg(t, PF_OWNER_THREAD, row, PF_STR("thread_sort_index_hint"), &v, a->err);
    }
    pf_json_put(a, known, row, at);
}

void pf_json_apply_names(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who)
{
    pf_str what = pf_json_name_of(a->piece, r);
    bool name_of_process = pf_str_is(what, "process_name");
    bool place_of_process = pf_str_is(what, "process_sort_index");
    bool name = name_of_process || pf_str_is(what, "thread_name");
    bool place = place_of_process || pf_str_is(what, "thread_sort_index");
    pf_json_text args = pf_json_args_of(a->piece, r);
    if ((!name && !place) || !args.ptr) {
        return;
    }
    bool process = name_of_process || place_of_process;
    uint32_t row = process ? who->upid : who->utid;
    int64_t ts = r->flags & PF_JSON_HAS_TS ? r->ts : 0;
    args_search search = {.a = a};
    if (pf_json_visit_members(args.ptr, args.len, take_member, &search, a->err) != PF_OK) {
        return;
    }
    if (name) {
        set_name(a, process, row, ts, search.name);
    } else if (search.has_sort_index) {
        set_sort_index(a, process, row, ts, search.sort_index);
    }
}
