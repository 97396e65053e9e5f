/* read/perfetto/track/uuids.c - uuids to states: look-up, reservation by descriptors, processes and threads after
 * them.
 *
 * The first descriptor of a uuid decides what it is; a later one must agree with it or is refused as a whole, because
 * two producers that use one uuid would otherwise mix their events (docs/reference/perfetto.md, "Track reservation"). A
 * second uuid for a known pid, or pid and tid, means that the system used the number again: a new process or thread
 * begins (5.3).
 */
#include "read/perfetto/track/uuids.h"

#include "base/buffer.h"
#include "base/list.h"
#include "base/str.h"
#include "perfetto/cold.h"
#include "perfetto/fields.h"

typedef Pf__Proto__TrackDescriptor descriptor;

void pf_uuid_tracks_init(pf_uuid_tracks *u, pf_trace *t, pf_error *err)
{
    *u = (pf_uuid_tracks){.t = t, .err = err};
    pf_map_init(&u->by_uuid, &t->budget);
}

void pf_uuid_tracks_free(pf_uuid_tracks *u)
{
    pf_map_free(&u->by_uuid);
    PF_LIST_FREE(&u->t->budget, u->list, u->room);
    u->list = NULL;
    u->count = u->room = 0;
}

/* The state of a uuid that was not mentioned before. */
static uint32_t add_state(pf_uuid_tracks *u, uint64_t uuid)
{
    uint32_t index = u->count;
    if (PF_LIST_ROOM(&u->t->budget, u->list, index + 1, u->room, u->err) != PF_OK) {
        return PF_NONE;
    }
    if (!pf_map_set(&u->by_uuid, uuid, index)) {
        pf_budget_refused(&u->t->budget, 1u << 12, u->err);
        return PF_NONE;
    }
    u->list[u->count++] = (pf_uuid_track){.uuid = uuid,
                                          .row = PF_NONE,
                                          .upid = PF_NONE,
                                          .utid = PF_NONE,
                                          .passed_at = INT64_MAX,
                                          .merge = PF_MERGE_BY_NAME};
    return index;
}

uint32_t pf_uuid_track_find(pf_uuid_tracks *u, uint64_t uuid)
{
    uint32_t index = pf_map_get(&u->by_uuid, uuid);
    return index != PF_NONE ? index : add_state(u, uuid);
}

uint32_t pf_uuid_track_make_row(pf_uuid_tracks *u, uint32_t index)
{
    pf_uuid_track *s = &u->list[index];
    const pf_track_row r = {.type = PF_TRACK_GLOBAL_EVENT,
                            .upid = PF_NONE,
                            .utid = PF_NONE,
                            .parent = PF_NONE,
                            .group = PF_NONE,
                            .uuid = s->uuid};
    s->sequence = u->sequence;
    s->row = s->scope == PF_SCOPE_THREAD && !s->own_track ? pf_trace_thread_track(u->t, s->utid, u->err)
                                                          : pf_trace_add_track(u->t, &r, u->err);
    return s->row;
}

static pf_ident number_ident(int64_t number)
{
    return (pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = number};
}

uint32_t pf_uuid_process(pf_trace *t, int64_t pid, pf_error *err)
{
    const pf_ident id = number_ident(pid);
    return pid == 0 && t->input == 0 && t->machine == 0 ? 0 : pf_trace_process(t, &id, err);
}

uint32_t pf_uuid_thread(pf_trace *t, int64_t pid, int64_t tid, pf_error *err)
{
    const pf_ident id = number_ident(tid);
    uint32_t upid = pf_uuid_process(t, pid, err);
    if (upid == PF_NONE || (upid == 0 && tid == 0)) {
        return upid;
    }
    return pf_trace_thread(t, upid, &id, err);
}

uint32_t pf_uuid_main_thread(pf_trace *t, uint32_t upid, pf_error *err)
{
    const pf_ident id = number_ident(t->processes.pid[upid]);
    return upid == 0 ? 0 : pf_trace_thread(t, upid, &id, err);
}

static pf_status own_process(pf_uuid_tracks *u, pf_uuid_track *s)
{
    pf_trace *t = u->t;
    const pf_ident id = number_ident(s->pid);
    uint32_t upid = pf_uuid_process(t, s->pid, u->err);
    if (upid != PF_NONE && t->processes.uuid[upid] && t->processes.uuid[upid] != s->uuid && s->pid != 0) {
        upid = pf_trace_new_process(t, &id, u->err);
    }
    if (upid == PF_NONE) {
        return u->err->code;
    }
    t->processes.uuid[upid] = s->uuid;
    s->upid = upid;
    return PF_OK;
}

static pf_status own_thread(pf_uuid_tracks *u, pf_uuid_track *s)
{
    pf_trace *t = u->t;
    const pf_ident id = number_ident(s->tid);
    uint32_t utid = pf_uuid_thread(t, s->pid, s->tid, u->err);
    if (utid != PF_NONE && t->threads.uuid[utid] && t->threads.uuid[utid] != s->uuid && s->tid != 0) {
        utid = pf_trace_new_thread(t, t->threads.upid[utid], &id, u->err);
    }
    if (utid == PF_NONE) {
        return u->err->code;
    }
    t->threads.uuid[utid] = s->uuid;
    s->utid = utid;
    s->upid = t->threads.upid[utid];
    return PF_OK;
}

/* The string id of a text, 0 if it is absent. After an error (u->err) nothing is added any more. */
static uint32_t add_text(const pf_uuid_tracks *u, bool has, pf_str text)
{
    uint32_t id = 0;
    if (has && u->err->code == PF_OK) {
        id = pf_strings_add(&u->t->strings, text.ptr, text.len, u->err);
    }
    return id == PF_NONE ? 0 : id;
}

static uint32_t read_unit(const pf_uuid_tracks *u, const Pf__Proto__CounterDescriptor *c)
{
    static const char *const units[] = {"", "ns", "count", "bytes"};
    if (c->type == PF_COUNTER_THREAD_TIME_NS || c->type == PF_COUNTER_THREAD_INSTRUCTION_COUNT) {
        return add_text(u, true, pf_str_of(units[c->type]));
    }
    if (c->unit >= PF_COUNTER_UNIT_TIME_NS && c->unit <= PF_COUNTER_UNIT_SIZE_BYTES) {
        return add_text(u, true, pf_str_of(units[c->unit]));
    }
    return add_text(u, c->has_unit_name, pf_text_of(c->unit_name));
}

/* The categories joined by commas. */
static uint32_t read_categories(const pf_uuid_tracks *u, const Pf__Proto__CounterDescriptor *c)
{
    pf_buffer joined = {0};
    for (size_t i = 0; i < c->n_categories; i++) {
        pf_buffer_put(&joined, ",", i > 0);
        pf_buffer_put(&joined, c->categories[i].data, c->categories[i].len);
    }
    if (joined.failed) {
        pf_budget_refused(&u->t->budget, joined.len, u->err);
    }
    uint32_t id = add_text(u, c->n_categories > 0, (pf_str){joined.len ? joined.data : "", joined.len});
    pf_buffer_free(&joined);
    return id;
}

static void read_counter(const pf_uuid_tracks *u, const Pf__Proto__CounterDescriptor *c, pf_uuid_track *s)
{
    s->content = PF_CONTENT_COUNTER;
    s->unit_multiplier = c->unit_multiplier;
    s->incremental = c->is_incremental;
    s->counter_type = c->type >= 0 && c->type <= 2 ? (uint8_t)c->type : 0;
    s->unit = read_unit(u, c);
    s->categories = read_categories(u, c);
    s->share_key = add_text(u, c->has_y_axis_share_key, pf_text_of(c->y_axis_share_key));
}

/* A counter without a name is called after its type from its first descriptor on. */
static void read_name(const pf_uuid_tracks *u, const descriptor *d, pf_uuid_track *s)
{
    static const char *const counters[] = {NULL, "thread_time", "thread_instruction_count"};
    bool has = d->has_name || d->has_static_name || d->has_atrace_name;
    s->name = add_text(u, has,
                       pf_text_of(d->has_name          ? d->name
                                  : d->has_static_name ? d->static_name
                                                       : d->atrace_name));
    if (s->content == PF_CONTENT_COUNTER && s->name == 0 && counters[s->counter_type]) {
        s->name = add_text(u, true, pf_str_of(counters[s->counter_type]));
    }
}

static void read_merging(const pf_uuid_tracks *u, const descriptor *d, pf_uuid_track *s)
{
    s->merge = d->sibling_merge_behavior == PF_MERGE_NONE || d->sibling_merge_behavior == PF_MERGE_BY_KEY
                   ? (uint8_t)d->sibling_merge_behavior
                   : PF_MERGE_BY_NAME;
    if (s->merge != PF_MERGE_BY_KEY) {
        return;
    }
    if (d->has_sibling_merge_key_int && !d->has_sibling_merge_key) {
        s->key_kind = PF_KEY_NUMBER;
        s->key = d->sibling_merge_key_int;
    } else {
        s->key_kind = d->has_sibling_merge_key ? PF_KEY_TEXT : PF_KEY_NONE;
        s->key = add_text(u, d->has_sibling_merge_key, pf_text_of(d->sibling_merge_key));
    }
}

/* What the descriptor says, as a state of its own. */
static pf_uuid_track read_descriptor(const pf_uuid_tracks *u, const descriptor *d)
{
    pf_uuid_track s = {.uuid = d->uuid,
                       .parent = d->parent_uuid,
                       .row = PF_NONE,
                       .upid = PF_NONE,
                       .utid = PF_NONE,
                       .passed_at = INT64_MAX,
                       .child_ordering = (uint8_t)d->child_ordering,
                       .has_rank = d->has_sibling_order_rank,
                       .rank = d->sibling_order_rank,
                       .orders_processes = d->process_ordering == 1,
                       .orders_threads = d->thread_ordering == 1,
                       .described = true};
    if (d->thread) {
        s.scope = PF_SCOPE_THREAD;
        s.pid = d->thread->pid;
        s.tid = d->chrome_thread && d->chrome_thread->is_sandboxed_tid
                    ? (int64_t)((uint64_t)d->thread->pid << 32 | (uint32_t)d->thread->tid)
                    : d->thread->tid;
        s.own_track = d->disallow_merging_with_system_tracks;
    } else if (d->process) {
        s.scope = PF_SCOPE_PROCESS;
        s.pid = d->process->pid;
    } else if (d->counter) {
        read_counter(u, d->counter, &s);
    } else {
        s.content = d->state ? PF_CONTENT_STATE : PF_CONTENT_SLICES;
    }
    read_name(u, d, &s);
    read_merging(u, d, &s);
    s.description = add_text(u, d->has_description, pf_text_of(d->description));
    return s;
}

static bool agree(const pf_uuid_track *a, const pf_uuid_track *b)
{
    return a->parent == b->parent && a->scope == b->scope && a->pid == b->pid && a->tid == b->tid &&
           a->content == b->content && a->merge == b->merge && a->key_kind == b->key_kind && a->key == b->key &&
           a->categories == b->categories && a->unit_multiplier == b->unit_multiplier &&
           a->incremental == b->incremental && a->counter_type == b->counter_type && a->share_key == b->share_key;
}

/* What is wrong with a descriptor that cannot be used at all; PF_STAT_COUNT = nothing. */
static pf_stat_id fault_of(const descriptor *d)
{
    return !d->has_uuid                                                     ? PF_STAT_TRACK_NO_UUID
           : d->thread && (!d->thread->has_pid || !d->thread->has_tid)      ? PF_STAT_TRACK_THREAD_NO_ID
           : !d->thread && d->process && !d->process->has_pid               ? PF_STAT_TRACK_PROCESS_NO_PID
           : d->uuid == 0 && d->parent_uuid != 0                            ? PF_STAT_TRACK_ROOT_PARENT
           : d->child_ordering < 0 || d->child_ordering > PF_ORDER_EXPLICIT ? PF_STAT_TRACK_ORDERING
                                                                            : PF_STAT_COUNT;
}

pf_status pf_uuid_track_describe(pf_uuid_tracks *u, const Pf__Proto__TrackDescriptor *d, uint64_t offset,
                                 uint32_t *index, bool *conflict)
{
    pf_stat_id fault = fault_of(d);
    *index = PF_NONE;
    *conflict = false;
    if (fault != PF_STAT_COUNT) {
        pf_trace_count(u->t, fault, offset);
        return PF_OK;
    }
    uint32_t at = pf_uuid_track_find(u, d->uuid);
    pf_uuid_track said = read_descriptor(u, d);
    if (u->err->code != PF_OK) {
        return u->err->code;
    }
    pf_uuid_track *s = &u->list[at];
    if (s->described && !agree(s, &said)) {
        pf_trace_count(u->t, PF_STAT_TRACK_CONFLICT, offset);
        *conflict = true;
        return PF_OK;
    }
    *index = at;
    if (s->described) {
        s->name = said.name && (s->name == 0 || s->merge == PF_MERGE_NONE) ? said.name : s->name;
        s->descriptions++;
        return PF_OK;
    }
    said.row = s->row;
    said.sequence = s->sequence;
    said.passed_at = s->passed_at;
    said.passed_name = s->passed_name;
    said.descriptions = 1;
    *s = said;
    if (s->scope == PF_SCOPE_THREAD) {
        return own_thread(u, s);
    }
    return s->scope == PF_SCOPE_PROCESS ? own_process(u, s) : PF_OK;
}

#define OWNER_LEVELS_MAX 100u /* a longer chain of parents is refused at the end */

bool pf_uuid_track_owner(const pf_uuid_tracks *u, uint32_t index, uint32_t *upid, uint32_t *utid)
{
    uint32_t at = index;
    for (unsigned levels = 0; levels <= OWNER_LEVELS_MAX && at != PF_NONE; levels++) {
        const pf_uuid_track *s = &u->list[at];
        if (s->scope != PF_SCOPE_PLAIN) {
            *upid = s->upid;
            *utid = s->utid;
            return true;
        }
        if (s->parent == 0) {
            return s->described;
        }
        at = pf_map_get(&u->by_uuid, s->parent);
    }
    return false;
}
