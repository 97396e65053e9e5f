/* read/perfetto/track/resolve.c - the end of the file: what every track row is.
 *
 * For each uuid that events used, the chain of parents is walked to its scope (a thread, a process, or none) and the
 * row is filled in; parents get rows too, since a child points to them. Two things move events to other rows
 * (relocate.c): a thread described after its events (they belong to the thread's row), and a broken hierarchy (its
 * events are removed).
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/track/uuids.h"

#define MAX_LEVELS 100u

typedef struct resolver {
    pf_uuid_tracks *u;
    pf_moves *moves;
    pf_stat_id fault; /* why the last chain was broken */
} resolver;

/* The state that decides the scope of `index`: itself or its first ancestor that is a process or a thread, or the last
 * one of the chain. PF_NONE if the chain is broken. */
static uint32_t scope_of(resolver *r, uint32_t index)
{
    const pf_uuid_track *list = r->u->list;
    uint32_t at = index, levels = 0, slow = index;
    while (list[at].scope == PF_SCOPE_PLAIN && list[at].parent != 0) {
        at = pf_map_get(&r->u->by_uuid, list[at].parent);
        if (at == PF_NONE || (!list[at].described && list[at].row == PF_NONE)) {
            r->fault = PF_STAT_TRACK_HIERARCHY_MISSING;
            return PF_NONE;
        }
        levels++;
        if (levels % 2 == 0) {
            slow = pf_map_get(&r->u->by_uuid, list[slow].parent);
        }
        if (slow == at) {
            r->fault = PF_STAT_TRACK_HIERARCHY_LOOP;
            return PF_NONE;
        }
        if (levels > MAX_LEVELS) {
            r->fault = PF_STAT_TRACK_HIERARCHY_DEEP;
            return PF_NONE;
        }
    }
    return at;
}

bool pf_uuid_track_is_broken(pf_uuid_tracks *u, uint32_t index, pf_stat_id *fault)
{
    resolver r = {.u = u};
    bool broken = scope_of(&r, index) == PF_NONE;
    *fault = r.fault;
    return broken;
}

static pf_track_type type_of(const pf_uuid_track *s, pf_uuid_scope scope)
{
    static const pf_track_type counters[] = {PF_TRACK_GLOBAL_COUNTER, PF_TRACK_PROCESS_COUNTER,
                                             PF_TRACK_THREAD_COUNTER};
    static const pf_track_type merged[] = {PF_TRACK_GLOBAL_MERGED, PF_TRACK_PROCESS_MERGED, PF_TRACK_THREAD_MERGED};
    static const pf_track_type single[] = {PF_TRACK_GLOBAL_EVENT, PF_TRACK_PROCESS_EVENT, PF_TRACK_THREAD_EVENT};
    static const pf_track_type states[] = {PF_TRACK_GLOBAL_STATE, PF_TRACK_PROCESS_STATE, PF_TRACK_THREAD_STATE};
    if (s->content != PF_CONTENT_SLICES) {
        return s->content == PF_CONTENT_COUNTER ? counters[scope] : states[scope];
    }
    bool merges = s->scope == PF_SCOPE_PLAIN && s->merge != PF_MERGE_NONE;
    return merges ? merged[scope] : single[scope];
}

/* The parent of a track that is shown is shown too; a process or thread is not linked, the track is a sibling of its.
 */
static pf_status add_parent(resolver *r, uint32_t row, uint32_t up, bool is_root, uint32_t *parent)
{
    pf_trace *t = r->u->t;
    bool links = !is_root && r->u->list[up].scope == PF_SCOPE_PLAIN;
    bool new_row = r->u->list[up].row == PF_NONE, is_thread = r->u->list[up].scope == PF_SCOPE_THREAD;
    uint32_t up_row = is_thread && !r->u->list[up].own_track ? pf_trace_thread_track(t, r->u->list[up].utid, r->u->err)
                                                             : pf_uuid_track_row(r->u, up);
    new_row = new_row && r->u->list[up].row != PF_NONE;
    if (up_row == PF_NONE) {
        return r->u->err->code;
    }
    t->tracks.used[up_row] = 1;
    t->tracks.parent[row] = links ? up_row : PF_NONE;
    *parent = new_row ? up : PF_NONE;
    return PF_OK;
}

/* Events of a thread's uuid belong to the row of the thread. */
static pf_status join_thread(resolver *r, const pf_uuid_track *s)
{
    pf_trace *t = r->u->t;
    uint32_t home = pf_trace_thread_track(t, s->utid, r->u->err);
    if (home == PF_NONE) {
        return r->u->err->code;
    }
    t->tracks.uuid[home] = s->uuid;
    if (home == s->row) {
        return PF_OK;
    }
    t->tracks.used[home] |= t->tracks.used[s->row];
    t->tracks.used[s->row] = 0;
    return pf_moves_set(r->moves, s->row, (struct pf_move){.to = home}, r->u->err);
}

/* Fills the row of one state; *parent is the state whose row must be filled too, or PF_NONE. */
static pf_status fill_row(resolver *r, uint32_t index, uint32_t *parent)
{
    pf_trace *t = r->u->t;
    pf_uuid_track *s = &r->u->list[index];
    uint32_t row = s->row, top = scope_of(r, index);
    *parent = PF_NONE;
    r->u->sequence = s->sequence; /* a row for the parent is made on behalf of this one */
    if (top == PF_NONE) {
        s->broken = true;
        t->tracks.used[row] = 0; /* its samples go, too */
        return pf_moves_set(r->moves, row, (struct pf_move){PF_NONE, r->fault}, r->u->err);
    }
    if (s->parent != 0) {
        uint32_t up = pf_map_get(&r->u->by_uuid, s->parent);
        if (up != PF_NONE) {
            PF_TRY(add_parent(r, row, up, s->scope != PF_SCOPE_PLAIN, parent));
        }
    }
    if (s->scope == PF_SCOPE_THREAD && !s->own_track) {
        return join_thread(r, s);
    }
    if (s->name == 0 && s->uuid == 0 && !s->described) {
        s->name = pf_strings_add(&t->strings, "Default Track", 13, r->u->err);
    }
    t->tracks.type[row] = (uint8_t)type_of(s, r->u->list[top].scope);
    t->tracks.name[row] = s->name;
    t->tracks.unit[row] = s->unit;
    t->tracks.upid[row] = r->u->list[top].upid;
    t->tracks.utid[row] = r->u->list[top].utid;
    return s->name == PF_NONE ? r->u->err->code : PF_OK;
}

/* What is needed to find events that came before a parent of their track was known. */
typedef struct early {
    uint32_t *top;   /* by row: the row of the chain's end, if no descriptor describes that, else PF_NONE */
    uint32_t *first; /* by row: its earliest event + 1, 0 = none */
    size_t bytes;    /* of each */
} early;

/* Fills `top`; *any: there is such a parent. */
static void find_tops(resolver *r, const early *e, bool *any)
{
    const pf_uuid_track *list = r->u->list;
    *any = false;
    memset(e->top, 0xff, e->bytes);
    for (uint32_t i = 0; i < r->u->count; i++) {
        uint32_t top = list[i].row == PF_NONE ? PF_NONE : scope_of(r, i);
        if (top != PF_NONE && top != i && !list[top].described) {
            e->top[list[i].row] = list[top].row;
            *any = true;
        }
    }
}

static bool is_earlier(const pf_trace *t, uint32_t a, uint32_t b)
{
    int64_t first = t->events.ts[a], second = t->events.ts[b];
    return first < second || (first == second && a < b);
}

static void find_first_events(resolver *r, const early *e)
{
    const pf_trace *t = r->u->t;
    memset(e->first, 0, e->bytes);
    for (uint32_t i = r->moves->first_event; i < t->events.count; i++) {
        uint32_t track = t->events.track[i];
        bool counts = track != PF_NONE && !(t->events.phase[i] & PF_PHASE_BAD_TS) && t->events.ts[i] >= 0;
        if (counts && (e->first[track] == 0 || is_earlier(t, i, e->first[track] - 1))) {
            e->first[track] = i + 1;
        }
    }
}

/* An event whose track is below a uuid without a descriptor counts from the first event of that uuid on. */
static pf_status drop_early_events(resolver *r)
{
    pf_trace *t = r->u->t;
    early e = {.bytes = (size_t)t->tracks.count * sizeof(uint32_t)};
    bool any = false;
    e.top = pf_alloc(&t->budget, 2 * e.bytes);
    if (!e.top) {
        return t->tracks.count ? pf_budget_refused(&t->budget, 2 * e.bytes, r->u->err) : PF_OK;
    }
    e.first = e.top + t->tracks.count;
    find_tops(r, &e, &any);
    if (any) {
        find_first_events(r, &e);
    }
    for (uint32_t i = r->moves->first_event; any && i < t->events.count; i++) {
        uint32_t track = t->events.track[i], top = track == PF_NONE ? PF_NONE : e.top[track];
        if (top != PF_NONE && (e.first[top] == 0 || is_earlier(t, i, e.first[top] - 1))) {
            t->events.track[i] = PF_NONE;
            r->moves->removes_events = true;
            pf_trace_count(t, PF_STAT_TRACK_HIERARCHY_MISSING, PF_NOWHERE);
            pf_trace_count(t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
        }
    }
    for (uint32_t i = r->moves->first_sample; any && i < t->counters.count; i++) {
        uint32_t event = t->counters.event[i], track = t->counters.track[i];
        uint32_t top = track == PF_NONE ? PF_NONE : e.top[track];
        bool too_early = top != PF_NONE && (e.first[top] == 0 || t->counters.ts[i] < t->events.ts[e.first[top] - 1]);
        if (too_early || (event != PF_NONE && t->events.track[event] == PF_NONE)) {
            t->counters.track[i] = PF_NONE;
            r->moves->removes_events = true;
        }
    }
    pf_release(&t->budget, e.top, 2 * e.bytes);
    return PF_OK;
}

/* A descriptor below a broken chain is an error like an event there. */
static void count_broken_descriptors(resolver *r)
{
    pf_trace *t = r->u->t;
    for (uint32_t i = 0; i < r->u->count; i++) {
        const pf_uuid_track *s = &r->u->list[i];
        if (s->scope != PF_SCOPE_PLAIN || s->parent == 0 || scope_of(r, i) != PF_NONE) {
            continue;
        }
        for (uint32_t k = 0; k < s->descriptions; k++) {
            pf_trace_count(t, r->fault, PF_NOWHERE);
            pf_trace_count(t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
        }
    }
}

pf_status pf_uuid_tracks_finish(pf_uuid_tracks *u, pf_moves *moves)
{
    resolver r = {.u = u, .moves = moves};
    count_broken_descriptors(&r);
    PF_TRY(drop_early_events(&r));
    PF_TRY(pf_names_borrow(u, moves));
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t at = u->list[i].row == PF_NONE || u->list[i].filled ? PF_NONE : i;
        while (at != PF_NONE) {
            u->list[at].filled = true;
            PF_TRY(fill_row(&r, at, &at));
        }
    }
    return pf_lanes_group(u);
}
