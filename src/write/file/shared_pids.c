/* write/file/shared_pids.c - which processes of several inputs, or machines of one, cannot keep their pid or need a
 * longer name.
 *
 * The first process with a pid keeps it, and so do others of the same input (the pid was used again); those of other
 * inputs move. A name says its input where another input has a process of the same name, and where there is no name but
 * a pid that several inputs have. Each machine counts as an input.
 */
#include "write/file/shared_pids.h"

#include <string.h>

#include "base/list.h"
#include "base/map.h"

/* Whether something happens in row 0, which every trace has: process 0 of a binary one. */
static bool has_idle(const pf_trace *t)
{
    const pf_tracks *tr = pf_trace_tracks(t);
    uint32_t i = 0;
    while (i < tr->count && !(tr->upid[i] == 0 && tr->used[i])) {
        i++;
    }
    return i < tr->count;
}

static bool are_apart(const pf_trace *t, uint32_t a, uint32_t b)
{
    const uint32_t *input = pf_trace_processes(t)->input;
    return input[a] != input[b] ||
           pf_trace_machine_of(t, PF_MACHINE_PROCESSES, a) != pf_trace_machine_of(t, PF_MACHINE_PROCESSES, b);
}

/* What process i may have in common with others: its pid or its name. False if it has none. */
static bool key_of(const pf_processes *p, bool by_pid, uint32_t i, uint64_t *key)
{
    *key = by_pid ? (uint64_t)p->pid[i] : p->name[i];
    return by_pid ? p->kind[i] == PF_ID_INT : p->name[i] != 0;
}

/* Marks `all` the processes whose key several inputs have; `late`, if not NULL, those of other inputs than the first.
 */
static bool mark(const pf_shared_pids *s, bool by_pid, uint8_t *all, uint8_t *late)
{
    const pf_processes *p = pf_trace_processes(s->t);
    uint32_t from = has_idle(s->t) ? 0 : 1;
    uint64_t key;
    pf_map first;
    bool noted = true;
    pf_map_init(&first, s->arena.budget);
    for (uint32_t i = from; i < s->count && noted; i++) {
        if (!key_of(p, by_pid, i, &key)) {
            continue;
        }
        uint32_t known = pf_map_get(&first, key);
        if (known == PF_NONE) {
            noted = pf_map_set(&first, key, i);
        } else if (are_apart(s->t, known, i)) {
            all[known] = 1;
            if (late) {
                late[i] = 1;
            }
        }
    }
    for (uint32_t i = from; i < s->count && noted; i++) {
        all[i] |= key_of(p, by_pid, i, &key) && all[pf_map_get(&first, key)];
    }
    pf_map_free(&first);
    return noted;
}

static pf_status mark_all(pf_shared_pids *s, pf_error *err)
{
    const pf_processes *p = pf_trace_processes(s->t);
    uint8_t *shared;
    PF_TRY(PF_ARENA_NEW(&s->arena, s->moved, p->count, err));
    PF_TRY(PF_ARENA_NEW(&s->arena, s->renamed, p->count, err));
    PF_TRY(PF_ARENA_NEW(&s->arena, shared, p->count, err));
    s->count = p->count;
    if (!mark(s, true, shared, s->moved) || !mark(s, false, s->renamed, NULL)) {
        return pf_budget_refused(s->arena.budget, p->count, err);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        s->renamed[i] |= p->name[i] == 0 && shared[i];
    }
    return PF_OK;
}

pf_status pf_shared_pids_init(pf_shared_pids *s, const pf_trace *t, pf_budget *budget, pf_error *err)
{
    *s = (pf_shared_pids){.t = t};
    pf_arena_init(&s->arena, budget);
    pf_status st = pf_trace_input_count(t) < 2 && !t->machine_spans ? PF_OK : mark_all(s, err);
    if (st != PF_OK) {
        pf_shared_pids_free(s);
    }
    return st;
}

pf_status pf_shared_pids_number(const pf_shared_pids *s, int64_t from, int64_t **pids, pf_error *err)
{
    const pf_processes *p = pf_trace_processes(s->t);
    *pids = NULL;
    if (!s->count) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_NEW(s->arena.budget, *pids, s->count, err));
    for (uint32_t i = 0; i < s->count; i++) { /* numbers that are taken are few: those from `from` on are passed over */
        from = p->pid[i] >= from && p->pid[i] < INT64_MAX - s->count ? p->pid[i] + 1 : from;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        (*pids)[i] = s->moved[i] ? from++ : p->pid[i];
    }
    return PF_OK;
}

void pf_shared_pids_free(pf_shared_pids *s)
{
    pf_arena_free(&s->arena);
    *s = (pf_shared_pids){.count = 0};
}

pf_str pf_shared_pids_name(const pf_shared_pids *s, uint32_t upid, pf_str name, pf_buffer *scratch)
{
    if (upid >= s->count || !s->renamed[upid]) {
        return name;
    }
    const pf_processes *p = pf_trace_processes(s->t);
    const char *path = pf_trace_input(s->t, p->input[upid])->path, *slash = strrchr(path, '/');
    path = slash && slash[1] ? slash + 1 : path;
    scratch->len = 0;
    if (name.len) {
        pf_buffer_put(scratch, name.ptr, name.len);
    } else {
        pf_buffer_format(scratch, "process %lld", (long long)p->pid[upid]);
    }
    uint32_t machine = pf_trace_machine_of(s->t, PF_MACHINE_PROCESSES, upid);
    pf_buffer_format(scratch, " (%.*s", (int)strcspn(path, "."), path);
    if (machine) {
        pf_buffer_format(scratch, ", machine %u", (unsigned)pf_trace_machine_raw_id(s->t, machine));
    }
    pf_buffer_text(scratch, ")");
    return scratch->failed ? name : (pf_str){scratch->data, scratch->len};
}
