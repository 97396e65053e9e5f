/* read/perfetto/event/legacy.c - what legacy_event adds to a TrackEvent (docs/reference/perfetto.md, "Legacy events").
 *
 * A legacy phase decides what an event is and may imply another track: a process-wide or global one for instants, that
 * of an operation for async events. An operation is known by its id within a scope (its category, or its name for the
 * old phases S T p F), and within its process if the id is local. Each has a track row of its own, named after its
 * earliest event. That is known at the end of the file only; then operations of one scope, name and process become a
 * group, whose rows share lanes (model/slices/slices.c). The name is that of the earliest operation with the same id
 * here, whatever its scope.
 */
#include "base/list.h"
#include "base/str.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/event/draft.h"

/* Notes that the event that comes next waits for what descriptors say of its track. */
static pf_status wait_for_track(pf_draft *d, uint32_t state, bool moved)
{
    pf_late *l = &d->im->late;
    PF_TRY(PF_LIST_ROOM(&d->im->t->budget, l->events, l->event_count + 1, l->event_room, d->im->err));
    l->events[l->event_count++] =
        (pf_waiting_event){d->im->t->events.count, state, pf_import_offset(d->im, d->r), moved};
    return PF_OK;
}

/* The event that comes next has to stand on a thread's track. */
static pf_status needs_thread(pf_draft *d, bool *ok)
{
    *ok = d->utid != PF_NONE || !d->scope_known;
    return d->utid != PF_NONE || !*ok ? PF_OK : wait_for_track(d, d->state, false);
}

void pf_import_settle_waiting(pf_import *im)
{
    pf_trace *t = im->t;
    for (uint32_t i = 0; i < im->late.event_count; i++) {
        const pf_waiting_event *h = &im->late.events[i];
        uint32_t upid = PF_NONE, utid = PF_NONE;
        pf_stat_id fault;
        pf_uuid_track_owner(&im->tracks, h->state, &upid, &utid);
        bool broken = pf_uuid_track_is_broken(&im->tracks, h->state, &fault);
        if (t->events.track[h->event] == PF_NONE || (h->moved ? !broken : broken || utid != PF_NONE)) {
            continue;
        }
        if (h->moved) {
            pf_trace_count(t, fault, h->offset);
        }
        pf_trace_count(t, PF_STAT_EVENT_ERRORS, h->offset);
        t->events.track[h->event] = PF_NONE;
        im->moves.removes_events = true;
    }
}

/* String id of what an operation's id is unique in: category or name, or "category:scope". */
static uint32_t scope_of(pf_draft *d)
{
    const pf_legacy *l = d->legacy;
    pf_buffer *b = &d->im->scratch;
    bool nestable = l->phase == 'b' || l->phase == 'e' || l->phase == 'n';
    uint32_t own = d->uncategorized ? 0 : d->row.category;
    if (!l->id_scope.ptr) {
        return nestable ? own : d->row.name;
    }
    pf_str category = pf_strings_get(&d->im->t->strings, own);
    b->len = 0;
    pf_buffer_put(b, category.ptr, category.len);
    pf_buffer_put(b, ":", 1);
    pf_buffer_put(b, l->id_scope.ptr, l->id_scope.len);
    return pf_import_scratch(d->im);
}

/* Its index; PF_NONE after an error. */
static uint32_t new_operation(pf_draft *d, uint64_t id, bool local, uint32_t scope)
{
    pf_import *im = d->im;
    pf_operations *o = &im->legacy.operations;
    pf_track_type type = local ? PF_TRACK_LEGACY_ASYNC_PROCESS : PF_TRACK_LEGACY_ASYNC_GLOBAL;
    uint32_t track = pf_import_track(im, type, d->row.name, local ? d->upid : PF_NONE);
    if (track == PF_NONE || PF_LIST_ROOM(&im->t->budget, o->list, o->count + 1, o->room, im->err) != PF_OK) {
        return PF_NONE;
    }
    im->t->tracks.group[track] = track;
    if (scope) {
        const pf_str text = pf_strings_get(&im->t->strings, scope);
        pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, track, "scope", text);
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, track, "source_scope", text);
    }
    o->list[o->count] = (pf_operation){.id = id, .track = track, .scope = scope, .named_at = INT64_MAX};
    return o->count++;
}

/* The event goes to the track of its operation. */
static pf_status place_async(pf_draft *d, bool *ok)
{
    pf_import *im = d->im;
    struct {
        uint64_t id;
        uint32_t scope, upid;
    } parts = {.upid = PF_NONE};
    bool local;
    *ok = pf_legacy_async_id(d->legacy, &parts.id, &local) && (!local || d->upid != PF_NONE);
    if (!*ok) {
        return PF_OK;
    }
    parts.scope = scope_of(d);
    parts.upid = local ? d->upid : PF_NONE;
    uint32_t key = pf_import_key(im, &parts, sizeof parts), index = pf_map_get(&im->legacy.operations.by_key, key);
    if (index == PF_NONE) {
        index = new_operation(d, parts.id, local, parts.scope);
        pf_import_put(im, &im->legacy.operations.by_key, key, index);
        if (pf_import_failed(im)) {
            return im->err->code;
        }
    }
    pf_operation *o = &im->legacy.operations.list[index];
    uint32_t named = d->scope_known ? PF_NONE : d->state; /* the track that the event names */
    d->row.track = o->track;
    d->state = PF_NONE;
    if (d->row.ts < o->named_at) {
        o->named_at = d->row.ts;
        im->t->tracks.name[o->track] = d->row.name;
    }
    return named != PF_NONE && im->tracks.list[named].uuid ? wait_for_track(d, named, true) : PF_OK;
}

/* Scope, process and name of a group; padding is none. */
typedef struct group_key {
    uint32_t mark, scope, name, upid;
} group_key;

/* An id within its process, whatever its scope; padding is none. */
typedef struct id_key {
    uint64_t id;
    uint32_t mark, upid;
} id_key;

static uint32_t key_of_id(pf_import *im, const pf_operation *o)
{
    const id_key parts = {o->id, UINT32_MAX, im->t->tracks.upid[o->track]};
    return pf_import_key(im, &parts, sizeof parts);
}

/* Maps every id to the earliest of the operations that have it. */
static void find_earliest(pf_import *im, pf_map *earliest)
{
    const pf_operation *list = im->legacy.operations.list;
    for (uint32_t i = 0; i < im->legacy.operations.count; i++) {
        uint32_t key = key_of_id(im, &list[i]), first = pf_map_get(earliest, key);
        if (first == PF_NONE || list[i].named_at < list[first].named_at) {
            pf_import_put(im, earliest, key, i);
        }
    }
}

/* The name that the operation is grouped by: that of the earliest one with its id. Where its track has another, it is
 * noted. */
static uint32_t find_group_name(pf_import *im, const pf_map *earliest, const pf_operation *o)
{
    const pf_trace *t = im->t;
    uint32_t first = pf_map_get(earliest, key_of_id(im, o));
    if (first == PF_NONE) { /* an error */
        return 0;
    }
    uint32_t name = t->tracks.name[im->legacy.operations.list[first].track];
    if (name != t->tracks.name[o->track]) {
        pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, o->track, "name", pf_strings_get(&t->strings, name));
    }
    return name;
}

static void group_operation(pf_import *im, const pf_map *earliest, pf_map *groups, const pf_operation *o)
{
    const pf_trace *t = im->t;
    const group_key parts = {UINT32_MAX, o->scope, find_group_name(im, earliest, o), t->tracks.upid[o->track]};
    uint32_t key = pf_import_key(im, &parts, sizeof parts), group = pf_map_get(groups, key);
    if (group != PF_NONE) {
        t->tracks.group[o->track] = group;
    } else {
        pf_import_put(im, groups, key, o->track);
    }
}

pf_status pf_import_group_operations(pf_import *im)
{
    pf_map groups, earliest;
    pf_map_init(&groups, &im->t->budget);
    pf_map_init(&earliest, &im->t->budget);
    find_earliest(im, &earliest);
    for (uint32_t i = 0; i < im->legacy.operations.count; i++) {
        group_operation(im, &earliest, &groups, &im->legacy.operations.list[i]);
    }
    pf_map_free(&groups);
    pf_map_free(&earliest);
    return im->err->code;
}

/* Chrome's global and process-wide instants have tracks of their own. */
static pf_status place_instant(pf_draft *d, bool *ok)
{
    pf_import *im = d->im;
    bool global = d->legacy->scope == PF_LEGACY_SCOPE_GLOBAL;
    if (!global && d->legacy->scope != PF_LEGACY_SCOPE_PROCESS) {
        return needs_thread(d, ok);
    }
    if (!global && d->upid == PF_NONE) {
        *ok = false;
        return PF_OK;
    }
    uint64_t key = global ? PF_NONE - 1 : d->upid;
    d->passed_utid = d->utid;
    d->utid = PF_NONE;
    d->state = PF_NONE;
    d->row.track = pf_map_get(&im->legacy.instants, key);
    if (d->row.track == PF_NONE) {
        pf_track_type type = global ? PF_TRACK_JSON_GLOBAL_INSTANTS : PF_TRACK_JSON_PROCESS_INSTANTS;
        d->row.track = pf_import_track(im, type, 0, global ? PF_NONE : d->upid);
        pf_import_put(im, &im->legacy.instants, key, d->row.track);
    }
    return im->err->code;
}

static void set_instant(pf_draft *d)
{
    d->row.phase = (uint8_t)('i' | (d->row.phase & PF_PHASE_BAD_TS));
}

pf_status pf_legacy_place(pf_draft *d, bool *ok)
{
    const pf_legacy *l = d->legacy;
    *ok = true;
    switch (l->phase) {
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
        d->passed_utid = d->utid;
        return place_async(d, ok);
    case 'i':
    case 'I':
        set_instant(d);
        return place_instant(d, ok);
    case 'R':
        set_instant(d);
        return PF_OK;
    case 'X':
        *ok = l->duration_us >= 0 && !__builtin_mul_overflow(l->duration_us, (int64_t)1000, &d->row.dur);
        return *ok ? needs_thread(d, ok) : PF_OK;
    default:
        return needs_thread(d, ok);
    }
}

/* The text of the event's first annotation. */
static pf_str first_text(const pf_record *r)
{
    pf_cursor c = pf_cursor_over(r->event, r->event_len);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS), &f)) {
        const pf_field text = pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(PF_F_ANNOTATION_STRING));
        return pf_field_text_or_null(&text);
    }
    return (pf_str){NULL, 0};
}

pf_status pf_legacy_metadata(pf_draft *d)
{
    const pf_str name = pf_strings_get(&d->im->t->strings, d->row.name);
    if (d->utid != PF_NONE && pf_str_is(name, "thread_name")) {
        pf_import_set_thread_name(d->im, d->utid, first_text(d->r), PF_RANK_THREAD_LEGACY);
    } else if (d->utid != PF_NONE && pf_str_is(name, "process_name")) {
        pf_import_set_process_name(d->im, d->upid, first_text(d->r), PF_RANK_PROCESS_TREE);
    }
    return d->im->err->code;
}
