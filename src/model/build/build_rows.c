/* model/build/build_rows.c - processes, threads, tracks and attributes of a trace that is built. */

#include "model/build/builder.h"

void pf_build_time_unit(pf_builder *b, pf_time_unit unit)
{
    if (pf_builder_open(b)) {
        b->t->unit = unit;
    }
}

static void add_attribute(pf_builder *b, pf_str key, pf_str text, int64_t number)
{
    if (!pf_builder_open(b)) {
        return;
    }
    b->text.len = 0;
    pf_buffer_text(&b->text, "trace_attribute.");
    pf_buffer_put(&b->text, key.ptr, key.len);
    if (b->text.failed) {
        pf_no_memory(&b->error);
        return;
    }
    pf_trace_add_metadata(b->t, (pf_str){b->text.data, b->text.len}, text, number, &b->error);
}

void pf_build_attribute_text(pf_builder *b, pf_str key, pf_str text)
{
    add_attribute(b, key, text.ptr ? text : PF_STR(""), 0);
}

void pf_build_attribute_int(pf_builder *b, pf_str key, int64_t number)
{
    add_attribute(b, key, (pf_str){NULL, 0}, number);
}

static pf_ident number(int64_t id)
{
    return (pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = id};
}

/* At the time of the last event: where several events name something, the latest counts. */
static void tell_name(pf_builder *b, uint32_t utid, pf_str what, uint32_t name)
{
    uint32_t track = pf_builder_open(b) ? pf_trace_thread_track(b->t, utid, &b->error) : PF_NONE;
    const pf_event e = {.phase = 'M',
                        .ts = b->t->events.count ? b->t->events.last_ts : 0,
                        .name = pf_builder_name(b, what),
                        .track = track};
    if (track != PF_NONE && pf_builder_begin(b, &e) != PF_NONE) {
        pf_build_arg_text(b, PF_STR("name"), pf_strings_get(&b->t->strings, name));
        pf_builder_commit(b);
    }
}

void pf_builder_tell_names(pf_builder *b)
{
    const pf_trace *t = b->t;
    if (!b->named.count) {
        return;
    }
    for (uint32_t i = 0; i < t->threads.count && pf_builder_open(b); i++) {
        uint32_t upid = t->threads.upid[i];
        if (t->threads.is_main[i] && upid != PF_NONE && pf_map_get(&b->named, 2 * (uint64_t)upid) != PF_NONE) {
            tell_name(b, i, PF_STR("process_name"), t->processes.name[upid]);
        }
        if (pf_map_get(&b->named, 2 * (uint64_t)i + 1) != PF_NONE) {
            tell_name(b, i, PF_STR("thread_name"), t->threads.name[i]);
        }
    }
}

uint32_t pf_build_process(pf_builder *b, int64_t pid, pf_str name)
{
    uint32_t id = pf_builder_name(b, name);
    const pf_ident ident = number(pid);
    uint32_t upid = pf_builder_open(b) ? pf_trace_process(b->t, &ident, &b->error) : PF_NONE;
    if (upid != PF_NONE && id) {
        b->t->processes.name[upid] = id;
        pf_map_put(&b->named, 2 * (uint64_t)upid, 1, &b->error);
    }
    return upid;
}

void pf_build_name_process(pf_builder *b, uint32_t upid, pf_str name)
{
    uint32_t id = pf_builder_name(b, name);
    if (pf_builder_open(b) && upid >= b->t->processes.count) {
        pf_builder_fail(b, "process %u was to be named; there are %u processes", upid, b->t->processes.count);
    }
    if (pf_builder_open(b) && id) {
        b->t->processes.name[upid] = id;
        pf_map_put(&b->named, 2 * (uint64_t)upid, 1, &b->error);
    }
}

void pf_build_place_process(pf_builder *b, uint32_t upid, int32_t place)
{
    const pf_value v = {.type = PF_VALUE_INT, .as.i = place};
    if (pf_builder_open(b) && upid >= b->t->processes.count) {
        pf_builder_fail(b, "process %u was to be placed; there are %u processes", upid, b->t->processes.count);
    }
    if (pf_builder_open(b)) {
        pf_trace_add_row_arg(b->t, PF_OWNER_PROCESS, upid, PF_STR("process_sort_index_hint"), &v, &b->error);
    }
}

uint32_t pf_build_thread(pf_builder *b, uint32_t upid, int64_t tid, pf_str name)
{
    uint32_t id = pf_builder_name(b, name);
    const pf_ident ident = number(tid);
    if (pf_builder_open(b) && upid >= b->t->processes.count) {
        pf_builder_fail(b, "a thread of process %u was asked for; there are %u processes", upid, b->t->processes.count);
    }
    uint32_t utid = pf_builder_open(b) ? pf_trace_thread(b->t, upid, &ident, &b->error) : PF_NONE;
    if (utid != PF_NONE && id) {
        b->t->threads.name[utid] = id;
        pf_map_put(&b->named, 2 * (uint64_t)utid + 1, 1, &b->error);
    }
    return utid;
}

uint32_t pf_build_thread_track(pf_builder *b, uint32_t utid)
{
    if (pf_builder_open(b) && utid >= b->t->threads.count) {
        pf_builder_fail(b, "the track of thread %u was asked for; there are %u threads", utid, b->t->threads.count);
    }
    return pf_builder_open(b) ? pf_trace_thread_track(b->t, utid, &b->error) : PF_NONE;
}

/* Whom the track belongs to, from its place; false if there is no such place. */
static bool place(pf_builder *b, const pf_build_track_row *row, pf_track_row *r)
{
    const pf_trace *t = b->t;
    bool exists = true;
    switch (row->of) {
    case PF_BUILD_GLOBAL:
        break;
    case PF_BUILD_PROCESS:
        exists = row->owner < t->processes.count;
        r->upid = row->owner;
        break;
    case PF_BUILD_THREAD:
        exists = row->owner < t->threads.count;
        r->utid = row->owner;
        r->upid = exists ? t->threads.upid[row->owner] : PF_NONE;
        break;
    case PF_BUILD_TRACK:
        exists = row->owner < t->tracks.count;
        r->parent = row->owner;
        r->utid = exists ? t->tracks.utid[row->owner] : PF_NONE;
        r->upid = exists ? t->tracks.upid[row->owner] : PF_NONE;
        break;
    }
    if (!exists) {
        pf_builder_fail(b, "a track is to belong to row %u of a table that has no such row", row->owner);
    }
    return exists;
}

static pf_track_type type_of(const pf_track_row *r, bool counter)
{
    if (r->utid != PF_NONE) {
        return counter ? PF_TRACK_THREAD_COUNTER : PF_TRACK_THREAD_EVENT;
    }
    if (r->upid != PF_NONE) {
        return counter ? PF_TRACK_PROCESS_COUNTER : PF_TRACK_PROCESS_EVENT;
    }
    return counter ? PF_TRACK_GLOBAL_COUNTER : PF_TRACK_GLOBAL_EVENT;
}

/* The track says that its children are shown by rank, unless it says something else. */
static void order_children(pf_builder *b, uint32_t track)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = PF_STR("explicit")};
    if (pf_map_get(&b->ordered, track) == PF_NONE && pf_map_put(&b->ordered, track, 1, &b->error) == PF_OK) {
        pf_trace_add_row_arg(b->t, PF_OWNER_TRACK_SOURCE, track, PF_STR("child_ordering"), &v, &b->error);
    }
}

static void add_track_arg(pf_builder *b, uint32_t track, pf_str key, const pf_value *v)
{
    if (pf_builder_open(b)) {
        pf_trace_add_row_arg(b->t, PF_OWNER_TRACK_SOURCE, track, key, v, &b->error);
    }
}

static void add_track_args(pf_builder *b, uint32_t track, const pf_build_track_row *row)
{
    if (row->description.ptr) {
        add_track_arg(b, track, PF_STR("description"), &(pf_value){.type = PF_VALUE_STRING, .as.s = row->description});
    }
    if (row->rank) {
        add_track_arg(b, track, PF_STR("sibling_order_rank"), &(pf_value){.type = PF_VALUE_INT, .as.i = row->rank});
    }
    if (row->rank && row->of == PF_BUILD_TRACK && b->error.code == PF_OK) {
        order_children(b, row->owner);
    }
}

void pf_build_share_scale(pf_builder *b, uint32_t track, pf_str key)
{
    if (pf_builder_open(b) && track >= b->t->tracks.count) {
        pf_builder_fail(b, "track %u was to share its scale; there are %u tracks", track, b->t->tracks.count);
    }
    add_track_arg(b, track, PF_STR("y_axis_share_key"), &(pf_value){.type = PF_VALUE_STRING, .as.s = key});
}

uint32_t pf_build_track(pf_builder *b, const pf_build_track_row *row)
{
    pf_track_row r = {.upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    r.name = pf_builder_name(b, row->name);
    r.unit = row->counter ? pf_builder_name(b, row->unit) : 0;
    if (!pf_builder_open(b) || !place(b, row, &r)) {
        return PF_NONE;
    }
    r.type = type_of(&r, row->counter);
    uint32_t track = pf_trace_add_track(b->t, &r, &b->error);
    if (track != PF_NONE) {
        add_track_args(b, track, row);
    }
    return b->error.code == PF_OK ? track : PF_NONE;
}
