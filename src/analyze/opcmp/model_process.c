/* analyze/opcmp/model_process.c - which process the model wrote its operators to that profiling data was looked up for:
 * the first that is called so, else the only one that has complete events. Messages list pids as Python prints them. */
#include <inttypes.h>
#include <stdio.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* A pid as Python prints it. */
static pf_str spell_pid(opcmp *c, const pf_trace *t, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(t);
    pf_str text = pf_trace_string(t, p->text[upid]);
    size_t room = text.len + 32;
    char *out = pf_arena_alloc(&c->arena, room);
    int n = 0;
    if (!out) {
        return (pf_str){NULL, 0};
    }
    switch (p->kind[upid]) {
    case PF_ID_TEXT:
        n = snprintf(out, room, "'%.*s'", PF_TEXT_ARG(text));
        break;
    case PF_ID_REAL:
        n = snprintf(out, room, "%.*s", PF_TEXT_ARG(text));
        break;
    case PF_ID_ABSENT:
        n = snprintf(out, room, "None");
        break;
    default:
        n = snprintf(out, room, "%" PRId64, p->pid[upid]);
        break;
    }
    return (pf_str){out, n > 0 ? (size_t)n : 0};
}

/* The first process_name event whose name has one of the two words in it; PF_NONE if there is none. */
static uint32_t named_process(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t wanted = pf_trace_find_string(t, PF_STR("process_name"));
    for (uint32_t i = 0; wanted != PF_NONE && i < e->count; i++) {
        char name[4096];
        if ((e->phase[i] & ~PF_PHASE_BAD_TS) != 'M' || e->name[i] != wanted) {
            continue;
        }
        uint64_t len = pf_trace_arg_text(t, i, PF_STR("name"), name, sizeof name);
        pf_str text = {name, len > sizeof name ? (len == PF_NOWHERE ? 0 : sizeof name) : (size_t)len};
        if (pf_str_has_word(text, "profiling") || pf_str_has_word(text, "empirical")) {
            return pf_opcmp_upid(t, i);
        }
    }
    return PF_NONE;
}

static pf_status ambiguous(opcmp *c, const pf_trace *t, const uint32_t *upid, size_t n, const char *path, pf_error *err)
{
    pf_python_set set = {0};
    pf_buffer b = {0};
    for (size_t i = 0; i < n; i++) {
        pf_python_set_add(&set, pf_trace_processes(t)->pid[upid[i]], upid[i]);
    }
    for (size_t i = 0; i <= set.mask && set.slots; i++) {
        if (set.slots[i].used) {
            pf_str pid = spell_pid(c, t, set.slots[i].value);
            pf_buffer_text(&b, b.len ? ", " : "{");
            pf_buffer_put(&b, pid.ptr, pid.len);
        }
    }
    pf_buffer_text(&b, b.len ? "}" : "set()");
    pf_status st = pf_fail(err, PF_ERR_INPUT, "Cannot identify profiling PID in %s. Found PIDs: %.*s", path,
                           b.failed ? 0 : (int)b.len, b.failed ? "" : b.data);
    pf_buffer_free(&b);
    pf_python_set_free(&set);
    return st;
}

pf_status pf_opcmp_find_process(opcmp *c, const pf_trace *t, const char *path, opcmp_process *out, pf_error *err)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t processes = pf_trace_processes(t)->count;
    *out = (opcmp_process){.upid = named_process(t)};
    if (out->upid != PF_NONE) {
        return PF_OK;
    }
    bool *seen;
    uint32_t *order;
    size_t n = 0;
    PF_TRY(PF_ARENA_NEW(&c->arena, seen, processes, err));
    PF_TRY(PF_ARENA_NEW(&c->arena, order, processes, err));
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t upid = pf_opcmp_is_complete(e, i) ? pf_opcmp_upid(t, i) : PF_NONE;
        if (upid < processes && !seen[upid]) {
            seen[upid] = true;
            order[n++] = upid;
        }
    }
    if (n != 1) {
        return ambiguous(c, t, order, n, path, err);
    }
    *out = (opcmp_process){.upid = order[0], .sole = true, .spelling = spell_pid(c, t, order[0])};
    return PF_OK;
}
