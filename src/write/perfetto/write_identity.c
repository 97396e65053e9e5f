/* write/perfetto/write_identity.c - see write_identity.h.
 *
 * Numbers are given out in two passes: first every integer id that fits keeps its own, then the others take theirs if
 * it is still free (an absent pid counts as 0) and else the next free one from FREE_IDS on. Which ids are taken is
 * remembered in a map; for threads under a mix of process and tid, where an accidental hit only costs one number.
 *
 * Pid 0 is special: Perfetto has a process with pid 0 and a thread "swapper" before it reads a trace, and would pour a
 * traced process 0 into them. A second descriptor with another uuid for the same pid means "a new process with this
 * pid" to it, so an anonymous descriptor for pid 0 is written in front of the real one.
 */
#include "write/perfetto/write_identity.h"

#include <stdio.h>

#include "base/str.h"
#include "model/trace/json_notes.h"

#define FREE_IDS (1 << 30)

static uint64_t thread_key(uint32_t upid, int64_t tid)
{
    return (uint64_t)tid * 0x9e3779b97f4a7c15ull ^ upid;
}

/* Takes `wanted` if it may be used and is free, else the next free number; *next moves on. */
static int64_t take_number(pf_map *taken, bool usable, int64_t wanted, uint64_t (*key)(uint32_t, int64_t), uint32_t of,
                           int64_t *next, bool *refused)
{
    int64_t id = wanted;
    if (!usable || pf_map_get(taken, key(of, id)) != PF_NONE) {
        while (pf_map_get(taken, key(of, *next)) != PF_NONE) {
            ++*next;
        }
        id = (*next)++;
    }
    *refused = *refused || !pf_map_set(taken, key(of, id), 0);
    return id;
}

static uint64_t process_key(uint32_t unused, int64_t pid)
{
    return (uint64_t)pid;
}

static bool fits_pid(int64_t pid)
{
    return pid >= INT32_MIN && pid <= INT32_MAX;
}

/* Whether the process has a pid that it can keep. */
static bool keeps_pid(const pf_identity *who, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(who->t);
    return p->kind[upid] == PF_ID_INT && fits_pid(p->pid[upid]) && !pf_shared_pids_moved(&who->shared, upid);
}

static bool number_processes(pf_identity *who, pf_map *taken)
{
    const pf_processes *p = pf_trace_processes(who->t);
    bool refused = false, has_zero = false;
    for (uint32_t i = 0; i < p->count; i++) {
        if (keeps_pid(who, i)) {
            who->pid[i] = (int32_t)p->pid[i];
            has_zero = has_zero || (i > 0 && p->pid[i] == 0); /* row 0 is Perfetto's own */
            refused = refused || !pf_map_set(taken, process_key(0, p->pid[i]), 0);
        }
    }
    int64_t next = FREE_IDS;
    for (uint32_t i = 0; i < p->count && !refused; i++) {
        bool is_zero = p->kind[i] == PF_ID_ABSENT && p->pid[i] == 0 && !has_zero;
        if (is_zero) {
            who->pid[i] = 0;
            has_zero = true;
        } else if (!keeps_pid(who, i)) {
            bool usable = fits_pid(p->pid[i]) && !pf_shared_pids_moved(&who->shared, i);
            who->pid[i] = (int32_t)take_number(taken, usable, p->pid[i], process_key, 0, &next, &refused);
        }
    }
    return !refused;
}

/* Main threads follow their process to its new number. */
static int64_t wanted_tid(const pf_identity *who, uint32_t utid)
{
    const pf_threads *th = pf_trace_threads(who->t);
    uint32_t upid = th->upid[utid];
    return th->is_main[utid] && upid != PF_NONE ? who->pid[upid] : th->tid[utid];
}

static bool number_threads(pf_identity *who, pf_map *taken)
{
    const pf_threads *th = pf_trace_threads(who->t);
    bool refused = false;
    for (uint32_t i = 0; i < th->count; i++) {
        if (th->kind[i] == PF_ID_INT) {
            who->tid[i] = wanted_tid(who, i);
            refused = refused || !pf_map_set(taken, thread_key(th->upid[i], who->tid[i]), 0);
        }
    }
    int64_t next = FREE_IDS;
    for (uint32_t i = 0; i < th->count && !refused; i++) {
        if (th->kind[i] != PF_ID_INT) {
            bool usable = th->kind[i] != PF_ID_ABSENT || th->is_main[i];
            who->tid[i] = take_number(taken, usable, wanted_tid(who, i), thread_key, th->upid[i], &next, &refused);
        }
    }
    return !refused;
}

int64_t pf_identity_first_event(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    const pf_counters *c = pf_trace_counters(t);
    int64_t first = c->count && c->ts[0] >= 0 ? c->ts[0] : INT64_MAX;
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->phase[i] != 'M' && !(e->phase[i] & PF_PHASE_BAD_TS) && e->ts[i] >= 0 && e->ts[i] < first) {
            first = e->ts[i];
        }
    }
    if (first == INT64_MAX) {
        int64_t end;
        pf_trace_bounds(t, &first, &end);
    }
    return first >= 0 ? first : -1;
}

static bool note_uuids(pf_map *taken, const uint64_t *uuids, uint32_t count)
{
    bool noted = true;
    for (uint32_t i = 0; i < count && noted; i++) {
        noted = uuids[i] == 0 || pf_map_set(taken, uuids[i], 0);
    }
    return noted;
}

static bool note_taken(pf_identity *who)
{
    const pf_tracks *tr = pf_trace_tracks(who->t);
    return !who->in_place || (note_uuids(&who->taken, tr->uuid, tr->count) &&
                              note_uuids(&who->taken, pf_trace_processes(who->t)->uuid, who->processes) &&
                              note_uuids(&who->taken, pf_trace_threads(who->t)->uuid, who->threads));
}

/* Where processes are to be shown. In place the trace says it itself. */
static pf_status find_places(pf_identity *who, pf_error *err)
{
    const pf_row_args *a = pf_trace_row_args(who->t);
    uint32_t key = pf_trace_find_string(who->t, PF_STR("process_sort_index_hint"));
    PF_TRY(PF_ARENA_NEW(&who->arena, who->place, who->processes, err));
    for (uint32_t i = 0; i < a->count && !who->in_place; i++) {
        if (a->owner[i] == PF_OWNER_PROCESS && a->key[i] == key && a->row[i] < who->processes &&
            a->number[i] >= INT32_MIN && a->number[i] <= INT32_MAX) {
            who->place[a->row[i]] = (int32_t)a->number[i];
            who->orders_processes = true;
        }
    }
    return PF_OK;
}

static pf_status number(pf_identity *who, pf_error *err)
{
    pf_map pids, tids;
    PF_TRY(PF_ARENA_NEW(&who->arena, who->pid, who->processes, err));
    PF_TRY(PF_ARENA_NEW(&who->arena, who->tid, who->threads, err));
    PF_TRY(PF_ARENA_NEW(&who->arena, who->said_process, who->processes, err));
    PF_TRY(PF_ARENA_NEW(&who->arena, who->said_thread, who->threads, err));
    PF_TRY(PF_ARENA_NEW(&who->arena, who->orders_children, who->processes, err));
    PF_TRY(find_places(who, err));
    PF_TRY(pf_shared_pids_init(&who->shared, who->t, who->budget, err));
    pf_map_init(&pids, who->budget);
    pf_map_init(&tids, who->budget);
    bool done = note_taken(who) && number_processes(who, &pids) && number_threads(who, &tids);
    pf_map_free(&pids);
    pf_map_free(&tids);
    return done ? PF_OK : pf_budget_refused(who->budget, (uint64_t)who->processes + who->threads, err);
}

pf_status pf_identity_init(pf_identity *who, const pf_trace *t, pf_budget *budget, bool in_place, pf_error *err)
{
    size_t inputs = pf_trace_input_count(t);
    bool json = inputs > 0;
    for (size_t i = 0; i < inputs; i++) {
        json = json && strcmp(pf_trace_input(t, i)->format, "chrome-json") == 0;
    }
    *who = (pf_identity){.t = t,
                         .budget = budget,
                         .in_place = in_place,
                         .names_follow = json,
                         .first_ts = in_place ? pf_identity_first_event(t) : 0,
                         .processes = pf_trace_processes(t)->count,
                         .threads = pf_trace_threads(t)->count};
    pf_arena_init(&who->arena, budget);
    pf_map_init(&who->taken, budget);
    pf_status st = number(who, err);
    if (st != PF_OK) {
        pf_identity_free(who);
    }
    return st;
}

void pf_identity_free(pf_identity *who)
{
    pf_arena_free(&who->arena);
    pf_map_free(&who->taken);
    pf_shared_pids_free(&who->shared);
    pf_buffer_free(&who->scratch);
    *who = (pf_identity){0};
}

/* Whether the process could not keep its pid: its original spelling is shown instead. */
static bool is_renumbered(const pf_identity *who, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(who->t);
    return p->kind[upid] == PF_ID_TEXT || p->pid[upid] != who->pid[upid];
}

/* The pid as the input spelled it, if it was no plain integer that we could keep; else {NULL, 0}. */
static pf_str original_pid(const pf_identity *who, uint32_t upid, char buf[32])
{
    const pf_processes *p = pf_trace_processes(who->t);
    if (p->kind[upid] == PF_ID_ABSENT) {
        return PF_STR("none");
    }
    if (p->text[upid]) {
        return pf_trace_string(who->t, p->text[upid]);
    }
    if (p->pid[upid] == who->pid[upid] || pf_shared_pids_moved(&who->shared, upid)) {
        return (pf_str){NULL, 0};
    }
    int len = snprintf(buf, 32, "%lld", (long long)p->pid[upid]);
    return (pf_str){buf, (size_t)len};
}

/* The attribute KEY with the spelling of an id; one that is no text says its kind in an
 * attribute with "kind." after "postfetto.". */
static void put_spelling(pf_packets *p, const char *key, pf_str text, pf_id_kind kind)
{
    static const char *const kinds[] = {"int", NULL, "real", "absent"};
    pf_packets_attribute(p, pf_str_of(key), text, 0);
    if (kinds[kind]) {
        char of_kind[96];
        int len = snprintf(of_kind, sizeof of_kind, "postfetto.kind.%s", key + sizeof "postfetto." - 1);
        pf_packets_attribute(p, (pf_str){of_kind, (size_t)len}, pf_str_of(kinds[kind]), 0);
    }
}

/* The tid as the input spelled it, if the number does not say it; else {NULL, 0}. */
static pf_str original_tid(const pf_identity *who, uint32_t utid, char buf[32], pf_id_kind *kind)
{
    const pf_threads *th = pf_trace_threads(who->t);
    pf_str said;
    *kind = th->kind[utid];
    if (pf_trace_said_tid(who->t, utid, &said) && said.ptr && (said.len == 0 || said.ptr[0] != '"')) {
        *kind = said.len ? PF_ID_REAL : PF_ID_ABSENT;
        return said.len ? said : PF_STR("none");
    }
    if (th->kind[utid] == PF_ID_ABSENT) {
        return PF_STR("none");
    }
    if (th->text[utid]) {
        return pf_trace_string(who->t, th->text[utid]);
    }
    if (th->tid[utid] == who->tid[utid]) {
        return (pf_str){NULL, 0};
    }
    int len = snprintf(buf, 32, "%lld", (long long)th->tid[utid]);
    return (pf_str){buf, (size_t)len};
}

void pf_identity_attributes(const pf_identity *who, pf_packets *p)
{
    const pf_processes *all = pf_trace_processes(who->t);
    const pf_threads *th = pf_trace_threads(who->t);
    char number[32], key[80];
    for (uint32_t upid = 0; upid < who->processes; upid++) {
        pf_str text = original_pid(who, upid, number);
        if (text.ptr && !pf_shared_pids_moved(&who->shared, upid)) {
            snprintf(key, sizeof key, "postfetto.pid.%ld", (long)who->pid[upid]);
            put_spelling(p, key, text, all->kind[upid]);
        }
    }
    for (uint32_t utid = 0; utid < who->threads; utid++) {
        pf_id_kind kind;
        pf_str text = original_tid(who, utid, number, &kind);
        if (text.ptr) {
            snprintf(key, sizeof key, "postfetto.tid.%ld.%lld", (long)who->pid[th->upid[utid]],
                     (long long)who->tid[utid]);
            put_spelling(p, key, text, kind);
        }
    }
}

uint64_t pf_identity_uuid(const pf_identity *who, pf_uuid_space space, uint64_t row)
{
    uint64_t first = 1;
    if (who->in_place) {
        return pf_uuid_of(space, row);
    }
    switch (space) {
    case PF_UUID_LANE:
        first += pf_trace_tracks(who->t)->count; /* lanes are numbered after the tracks: see complete_events.c */
        row -= pf_trace_tracks(who->t)->count;
        first += (uint64_t)who->processes + who->threads;
        break;
    case PF_UUID_TRACK:
        first += (uint64_t)who->processes + who->threads;
        break;
    case PF_UUID_PROCESS:
        first += who->threads;
        break;
    default:
        break;
    }
    return first + row;
}

/* The uuid of row `row` of `count`, or in place a free one: rows that move on by `count` cannot meet. The trace may
 * have been drawn into before, when its rows were others. */
static uint64_t free_uuid(const pf_identity *who, pf_uuid_space space, uint64_t row, uint32_t count)
{
    uint64_t uuid = pf_identity_uuid(who, space, row);
    while (who->in_place && pf_map_get(&who->taken, uuid) != PF_NONE) {
        row += count;
        uuid = pf_identity_uuid(who, space, row);
    }
    return uuid;
}

static uint64_t process_uuid(const pf_identity *who, uint32_t upid)
{
    uint64_t own = who->in_place ? pf_trace_processes(who->t)->uuid[upid] : 0;
    return own ? own : free_uuid(who, PF_UUID_PROCESS, upid, who->processes);
}

static uint64_t thread_uuid(const pf_identity *who, uint32_t utid)
{
    uint64_t own = who->in_place ? pf_trace_threads(who->t)->uuid[utid] : 0;
    return own ? own : free_uuid(who, PF_UUID_THREAD, utid, who->threads);
}

/* The note of a name that no event gives. */
static pf_str first_note(const pf_identity *who, pf_str name)
{
    static const char hidden[] = {PF_TAG_VARINT(PF_ORIGIN_HIDDEN), 1};
    return who->hides_names && name.ptr ? (pf_str){hidden, sizeof hidden} : (pf_str){NULL, 0};
}

void pf_identity_name_process(pf_identity *who, pf_packets *p, uint32_t upid, pf_str name, pf_str note)
{
    if (who->orders_processes && !who->order_said) {
        pf_packets_describe(p, who->first_ts, &(pf_descriptor){.orders_processes = true});
        who->order_said = true;
    }
    if (who->pid[upid] == 0 && upid != 0 && !who->in_place && !who->zero_reserved) {
        const pf_descriptor anonymous = {.kind = PF_DESCRIBE_PROCESS,
                                         .uuid = pf_identity_uuid(who, PF_UUID_PROCESS, 0)};
        pf_packets_describe(p, who->first_ts, &anonymous);
        who->zero_reserved = true;
    }
    int64_t start = pf_trace_processes(who->t)->start_ts[upid];
    const pf_descriptor d = {.kind = PF_DESCRIBE_PROCESS,
                             .uuid = process_uuid(who, upid),
                             .pid = who->pid[upid],
                             .name = pf_shared_pids_name(&who->shared, upid, name, &who->scratch),
                             .note = note,
                             .start_ts = who->in_place ? 0 : start,
                             .orders_children = who->orders_children[upid],
                             .ranked = who->place[upid] != 0,
                             .rank = who->place[upid]};
    pf_packets_describe(p, who->first_ts, &d);
    who->said_process[upid] = 1;
}

uint64_t pf_identity_process(pf_identity *who, pf_packets *p, uint32_t upid)
{
    const pf_processes *all = pf_trace_processes(who->t);
    bool exists = who->in_place && all->uuid[upid] != 0;
    if (!exists && !who->said_process[upid]) {
        bool replaced = is_renumbered(who, upid);
        char number[32];
        pf_str name = {NULL, 0};
        if (!who->in_place && (replaced || !who->names_follow)) {
            name = pf_trace_string(who->t, all->name[upid]);
            name = !name.ptr && replaced ? original_pid(who, upid, number) : name;
        }
        pf_identity_name_process(who, p, upid, name, first_note(who, name));
    }
    return process_uuid(who, upid);
}

/* Whether the process must be described before a thread of it is, because a thread alone would not say it right. */
static bool process_comes_first(const pf_identity *who, uint32_t upid)
{
    bool named = !who->names_follow && pf_trace_processes(who->t)->name[upid];
    bool zero = who->pid[upid] == 0 && upid != 0;
    bool says_input = upid < who->shared.count && who->shared.renamed[upid];
    return !who->in_place && (named || zero || says_input || is_renumbered(who, upid) || who->orders_children[upid]);
}

void pf_identity_name_thread(pf_identity *who, pf_packets *p, uint32_t utid, pf_str name, pf_str note)
{
    uint32_t upid = pf_trace_threads(who->t)->upid[utid];
    if (upid != PF_NONE && process_comes_first(who, upid)) {
        pf_identity_process(who, p, upid);
    }
    const pf_descriptor d = {.kind = PF_DESCRIBE_THREAD,
                             .uuid = thread_uuid(who, utid),
                             .pid = upid != PF_NONE ? who->pid[upid] : 0,
                             .tid = who->tid[utid],
                             .name = name,
                             .note = note};
    pf_packets_describe(p, who->first_ts, &d);
    who->said_thread[utid] = 1;
}

uint64_t pf_identity_thread(pf_identity *who, pf_packets *p, uint32_t utid)
{
    const pf_threads *all = pf_trace_threads(who->t);
    bool exists = who->in_place && all->uuid[utid] != 0;
    if (!exists && !who->said_thread[utid]) {
        pf_str name = {NULL, 0};
        bool replaced = all->kind[utid] == PF_ID_TEXT;
        if (!who->in_place && (replaced || !who->names_follow)) {
            name = pf_trace_string(who->t, all->name[utid]);
            name = !name.ptr && replaced ? pf_trace_string(who->t, all->text[utid]) : name;
        }
        pf_identity_name_thread(who, p, utid, name, first_note(who, name));
    }
    return thread_uuid(who, utid);
}
