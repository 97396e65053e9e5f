/* read/perfetto/track/uuids.c - uuids to states: look-up, reservation by descriptors, processes and threads after
 * them.
 *
 * The first descriptor of a uuid decides what it is; a later one must agree with it or is refused as a whole, because
 * two producers that use one uuid would otherwise mix their events (docs/reference/perfetto.md, "Track reservation"). A
 * second uuid for a known pid, or pid and tid, means that the system used the number again: a new process or thread
 * begins (5.3).
 */
#include "read/perfetto/track/uuids.h"

#include <string.h>

#include "base/buffer.h"
#include "perfetto/fields.h"

typedef Pf__Proto__TrackDescriptor descriptor;

void pf_uuid_tracks_init(pf_uuid_tracks *u, pf_trace *t)
{
    *u = (pf_uuid_tracks){.t = t};
    for (uint32_t i = 0; i < PF_UUID_MEMOS; i++) {
        u->memo[i].index = PF_NONE;
    }
    pf_map_init(&u->by_uuid, &t->budget);
}

void pf_uuid_tracks_free(pf_uuid_tracks *u)
{
    pf_map_free(&u->by_uuid);
    pf_release(&u->t->budget, u->list, u->room * sizeof *u->list);
    u->list = NULL;
    u->count = u->room = 0;
}

uint32_t pf_uuid_track_find_slow(pf_uuid_tracks *u, uint64_t uuid, pf_error *err)
{
    uint32_t index = pf_map_get(&u->by_uuid, uuid);
    if (index == PF_NONE) {
        if (u->count == u->room) {
            uint32_t room = u->room ? u->room * 2 : 64;
            pf_uuid_track *list =
                pf_resize(&u->t->budget, u->list, u->room * sizeof *list, (size_t)room * sizeof *list);
            if (!list) {
                pf_budget_refused(&u->t->budget, (size_t)room * sizeof *list, err);
                return PF_NONE;
            }
            u->list = list;
            u->room = room;
        }
        index = u->count;
        if (!pf_map_set(&u->by_uuid, uuid, index)) {
            pf_budget_refused(&u->t->budget, 1u << 12, err);
            return PF_NONE;
        }
        u->list[index] = (pf_uuid_track){.uuid = uuid,
                                         .row = PF_NONE,
                                         .upid = PF_NONE,
                                         .utid = PF_NONE,
                                         .passed_at = INT64_MAX,
                                         .merge = PF_MERGE_BY_NAME};
        u->count++;
    }
    uint32_t at = pf_uuid_memo_of(uuid);
    u->memo[at].uuid = uuid;
    u->memo[at].index = index;
    return index;
}

uint32_t pf_uuid_track_make_row(pf_uuid_tracks *u, uint32_t index, pf_error *err)
{
    pf_uuid_track *s = &u->list[index];
    s->sequence = u->sequence;
    if (s->scope == PF_SCOPE_THREAD && !s->own_track) {
        s->row = pf_trace_thread_track(u->t, s->utid, err);
    } else {
        const pf_track_row r = {.type = PF_TRACK_GLOBAL_EVENT,
                                .upid = PF_NONE,
                                .utid = PF_NONE,
                                .parent = PF_NONE,
                                .group = PF_NONE,
                                .uuid = s->uuid};
        s->row = pf_trace_add_track(u->t, &r, err);
    }
    return s->row;
}

/* ---- processes and threads --------------------------------------------------------------------------------------- */

static pf_ident number_ident(int64_t number)
{
    return (pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = number};
}

uint32_t pf_uuid_process(pf_trace *t, int64_t pid, pf_error *err)
{
    const pf_ident id = number_ident(pid);
    return pid == 0 && t->input == 0 ? 0 : pf_trace_process(t, &id, err);
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

static pf_status own_process(pf_uuid_tracks *u, pf_uuid_track *s, pf_error *err)
{
    pf_trace *t = u->t;
    const pf_ident id = number_ident(s->pid);
    uint32_t upid = pf_uuid_process(t, s->pid, err);
    if (upid != PF_NONE && t->processes.uuid[upid] && t->processes.uuid[upid] != s->uuid && s->pid != 0) {
        upid = pf_trace_new_process(t, &id, err);
    }
    if (upid == PF_NONE) {
        return err->code;
    }
    t->processes.uuid[upid] = s->uuid;
    s->upid = upid;
    return PF_OK;
}

static pf_status own_thread(pf_uuid_tracks *u, pf_uuid_track *s, pf_error *err)
{
    pf_trace *t = u->t;
    const pf_ident id = number_ident(s->tid);
    uint32_t utid = pf_uuid_thread(t, s->pid, s->tid, err);
    if (utid != PF_NONE && t->threads.uuid[utid] && t->threads.uuid[utid] != s->uuid && s->tid != 0) {
        utid = pf_trace_new_thread(t, t->threads.upid[utid], &id, err);
    }
    if (utid == PF_NONE) {
        return err->code;
    }
    t->threads.uuid[utid] = s->uuid;
    s->utid = utid;
    s->upid = t->threads.upid[utid];
    return PF_OK;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static bool add_text(pf_trace *t, protobuf_c_boolean has, ProtobufCBinaryData text, uint32_t *id, pf_error *err)
{
    *id = has ? pf_strings_add(&t->strings, text.len ? (const char *)text.data : "", text.len, err) : 0;
    return *id != PF_NONE;
}

static uint32_t fixed_text(pf_trace *t, const char *text, pf_error *err)
{
    return pf_strings_add(&t->strings, text, strlen(text), err);
}

static bool read_name(pf_trace *t, const descriptor *d, pf_uuid_track *s, pf_error *err)
{
    bool has = d->has_name || d->has_static_name || d->has_atrace_name;
    return add_text(t, has,
                    d->has_name          ? d->name
                    : d->has_static_name ? d->static_name
                                         : d->atrace_name,
                    &s->name, err);
}

static bool read_unit(pf_trace *t, const Pf__Proto__CounterDescriptor *c, pf_uuid_track *s, pf_error *err)
{
    static const char *const units[] = {"", "ns", "count", "bytes"};
    if (c->type == PF_COUNTER_THREAD_TIME_NS || c->type == PF_COUNTER_THREAD_INSTRUCTION_COUNT) {
        s->unit = fixed_text(t, units[c->type], err);
    } else if (c->unit >= PF_COUNTER_UNIT_TIME_NS && c->unit <= PF_COUNTER_UNIT_SIZE_BYTES) {
        s->unit = fixed_text(t, units[c->unit], err);
    } else {
        return add_text(t, c->has_unit_name, c->unit_name, &s->unit, err);
    }
    return s->unit != PF_NONE;
}

/* The categories joined by commas, as one string id. */
static bool read_categories(pf_trace *t, const Pf__Proto__CounterDescriptor *c, pf_uuid_track *s, pf_error *err)
{
    pf_buffer joined = {0};
    for (size_t i = 0; i < c->n_categories; i++) {
        pf_buffer_put(&joined, ",", i > 0);
        pf_buffer_put(&joined, c->categories[i].data, c->categories[i].len);
    }
    s->categories = joined.failed         ? PF_NONE
                    : c->n_categories > 0 ? pf_strings_add(&t->strings, joined.data ? joined.data : "", joined.len, err)
                                          : 0;
    if (joined.failed) {
        pf_budget_refused(&t->budget, joined.len, err);
    }
    pf_buffer_free(&joined);
    return s->categories != PF_NONE;
}

static bool read_counter(pf_trace *t, const Pf__Proto__CounterDescriptor *c, pf_uuid_track *s, pf_error *err)
{
    s->content = PF_CONTENT_COUNTER;
    s->unit_multiplier = c->unit_multiplier;
    s->incremental = c->is_incremental;
    s->counter_type = c->type >= 0 && c->type <= 2 ? (uint8_t)c->type : 0;
    return read_unit(t, c, s, err) && read_categories(t, c, s, err) &&
           add_text(t, c->has_y_axis_share_key, c->y_axis_share_key, &s->share_key, err);
}

/* A counter without a name is called after its type from its first descriptor on. */
static bool name_counter(pf_trace *t, pf_uuid_track *s, pf_error *err)
{
    static const char *const names[] = {NULL, "thread_time", "thread_instruction_count"};
    if (s->content == PF_CONTENT_COUNTER && s->name == 0 && names[s->counter_type]) {
        s->name = fixed_text(t, names[s->counter_type], err);
    }
    return s->name != PF_NONE;
}

static bool read_merging(pf_trace *t, const descriptor *d, pf_uuid_track *s, pf_error *err)
{
    uint32_t key;
    s->merge = d->sibling_merge_behavior == PF_MERGE_NONE || d->sibling_merge_behavior == PF_MERGE_BY_KEY
                   ? (uint8_t)d->sibling_merge_behavior
                   : PF_MERGE_BY_NAME;
    if (s->merge != PF_MERGE_BY_KEY) {
        return true;
    }
    if (d->has_sibling_merge_key_int && !d->has_sibling_merge_key) {
        s->key_kind = PF_KEY_NUMBER;
        s->key = d->sibling_merge_key_int;
        return true;
    }
    s->key_kind = d->has_sibling_merge_key ? PF_KEY_TEXT : PF_KEY_NONE;
    bool ok = add_text(t, d->has_sibling_merge_key, d->sibling_merge_key, &key, err);
    s->key = key;
    return ok;
}

/* What the descriptor says, as a state of its own. */
static bool read_descriptor(pf_trace *t, const descriptor *d, pf_uuid_track *s, pf_error *err)
{
    *s = (pf_uuid_track){
        .uuid = d->uuid, .row = PF_NONE, .upid = PF_NONE, .utid = PF_NONE, .passed_at = INT64_MAX, .described = true};
    s->parent = d->parent_uuid;
    if (d->thread) {
        s->scope = PF_SCOPE_THREAD;
        s->pid = d->thread->pid;
        s->tid = d->chrome_thread && d->chrome_thread->is_sandboxed_tid
                     ? (int64_t)((uint64_t)d->thread->pid << 32 | (uint32_t)d->thread->tid)
                     : d->thread->tid;
        s->own_track = d->disallow_merging_with_system_tracks;
    } else if (d->process) {
        s->scope = PF_SCOPE_PROCESS;
        s->pid = d->process->pid;
    } else {
        if (d->counter && !read_counter(t, d->counter, s, err)) {
            return false;
        }
        s->content = d->counter ? PF_CONTENT_COUNTER : d->state ? PF_CONTENT_STATE : PF_CONTENT_SLICES;
    }
    s->child_ordering = (uint8_t)d->child_ordering;
    s->has_rank = d->has_sibling_order_rank;
    s->rank = d->sibling_order_rank;
    s->orders_processes = d->process_ordering == 1;
    s->orders_threads = d->thread_ordering == 1;
    return read_name(t, d, s, err) && name_counter(t, s, err) && read_merging(t, d, s, err) &&
           add_text(t, d->has_description, d->description, &s->description, err);
}

static bool agree(const pf_uuid_track *a, const pf_uuid_track *b)
{
    return a->parent == b->parent && a->scope == b->scope && a->pid == b->pid && a->tid == b->tid &&
           a->content == b->content && a->merge == b->merge && a->key_kind == b->key_kind && a->key == b->key &&
           a->categories == b->categories && a->unit_multiplier == b->unit_multiplier &&
           a->incremental == b->incremental && a->counter_type == b->counter_type && a->share_key == b->share_key;
}

/* Whether the descriptor can be used at all; counts what is wrong with it. */
static bool usable(pf_trace *t, const descriptor *d, uint64_t offset)
{
    if (!d->has_uuid) {
        pf_trace_count(t, PF_STAT_TRACK_NO_UUID, offset);
        return false;
    }
    if (d->thread) {
        if (!d->thread->has_pid || !d->thread->has_tid) {
            pf_trace_count(t, PF_STAT_TRACK_THREAD_NO_ID, offset);
            return false;
        }
    } else if (d->process) {
        if (!d->process->has_pid) {
            pf_trace_count(t, PF_STAT_TRACK_PROCESS_NO_PID, offset);
            return false;
        }
    }
    if (d->uuid == 0 && d->parent_uuid != 0) {
        pf_trace_count(t, PF_STAT_TRACK_ROOT_PARENT, offset);
        return false;
    }
    if (d->child_ordering < 0 || d->child_ordering > PF_ORDER_EXPLICIT) {
        pf_trace_count(t, PF_STAT_TRACK_ORDERING, offset);
        return false;
    }
    return true;
}

pf_status pf_uuid_track_describe(pf_uuid_tracks *u, const Pf__Proto__TrackDescriptor *d, uint64_t offset,
                                 uint32_t *index, bool *conflict, pf_error *err)
{
    pf_uuid_track said;
    *index = PF_NONE;
    *conflict = false;
    if (!usable(u->t, d, offset)) {
        return PF_OK;
    }
    uint32_t at = pf_uuid_track_find(u, d->uuid, err);
    if (at == PF_NONE || !read_descriptor(u->t, d, &said, err)) {
        return err->code;
    }
    pf_uuid_track *s = &u->list[at];
    if (s->described) {
        if (!agree(s, &said)) {
            pf_trace_count(u->t, PF_STAT_TRACK_CONFLICT, offset);
            *conflict = true;
            return PF_OK;
        }
        if (said.name && (s->name == 0 || s->merge == PF_MERGE_NONE)) {
            s->name = said.name;
        }
        s->descriptions++;
        *index = at;
        return PF_OK;
    }
    said.row = s->row;
    said.sequence = s->sequence;
    said.passed_at = s->passed_at;
    said.passed_name = s->passed_name;
    said.descriptions = 1;
    *s = said;
    *index = at;
    if (s->scope == PF_SCOPE_THREAD) {
        return own_thread(u, s, err);
    }
    return s->scope == PF_SCOPE_PROCESS ? own_process(u, s, err) : PF_OK;
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
