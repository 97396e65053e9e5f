/* edit/merge/inventory.c - what could be mistaken for something of another input: ids, and names of what stands alone.
 *
 * The table of roles (perfetto/roles.h) says which fields are ids. Names matter where Perfetto goes by them or people
 * have nothing else to tell two things apart: those of processes, and those of tracks that belong to no process.
 */
#include "base/str.h"
#include "edit/cut/cut_source.h"
#include "edit/merge/merge.h"

#include "perfetto/fields.h"
#include "perfetto/ftrace_names.h"

merge_track pf_merge_track_of(pf_field descriptor)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&descriptor), PF_AT_VARINT(MERGE_TRACK_UUID), PF_AT_BYTES(MERGE_TRACK_PROCESS),
                     PF_AT_BYTES(MERGE_TRACK_THREAD), PF_AT_VARINT(MERGE_TRACK_PARENT),
                     PF_AT_BYTES(MERGE_TRACK_COUNTER));
    merge_track t = {.uuid = f[MERGE_TRACK_UUID].value,
                     .parent = f[MERGE_TRACK_PARENT].value,
                     .process = f[MERGE_TRACK_PROCESS].tag && !f[MERGE_TRACK_THREAD].tag,
                     .thread = f[MERGE_TRACK_THREAD].tag,
                     .counter = f[MERGE_TRACK_COUNTER].tag};
    t.global = !t.process && !t.thread && !t.parent && t.uuid;
    pf_cursor c = pf_field_cursor(&f[t.thread ? MERGE_TRACK_THREAD : MERGE_TRACK_PROCESS]);
    if (t.process || t.thread) {
        t.pid = pf_cursor_last(c, PF_TAG_VARINT(MERGE_THREAD_PID)).value;
        t.tid = t.thread ? pf_cursor_last(c, PF_TAG_VARINT(MERGE_THREAD_TID)).value : UINT64_MAX;
    }
    return t;
}

bool pf_merge_on_default_track(const pf_sequence *q, pf_field event)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&event), PF_AT_VARINT(PF_F_EVENT_TYPE), PF_AT_VARINT(PF_F_EVENT_TRACK_UUID),
                     PF_AT_BYTES(PF_F_EVENT_LEGACY_EVENT));
    uint64_t type = f[PF_F_EVENT_TYPE].value;
    bool plain = type >= PF_EVENT_SLICE_BEGIN && type <= PF_EVENT_INSTANT;
    bool explicit = f[PF_F_EVENT_TRACK_UUID].tag != 0;
    uint64_t uuid = explicit ? f[PF_F_EVENT_TRACK_UUID].value : q ? q->track_uuid : 0;
    return plain && uuid == 0 && (explicit || !(q && q->has_thread)) && !f[PF_F_EVENT_LEGACY_EVENT].tag;
}

static void widen(merge_space *s, merge_range_kind kind, uint64_t id)
{
    merge_range *r = &s->range[kind];
    r->least = !r->seen || id < r->least ? id : r->least;
    r->most = !r->seen || id > r->most ? id : r->most;
    r->seen = true;
}

/* The idle process owns number 0 from the input on that has it: processes of that number in inputs after it move, also
 * where pids are merged. */
static pf_status list_person(merge *m, merge_input *in, const pf_role_field *f, pf_error *err)
{
    uint64_t id = f->field.value;
    if (!pf_merge_is_idle(f)) {
        return m->o->merge_pids && !(id == 0 && m->idle_seen) ? PF_OK : pf_merge_note_id(m, in, MERGE_PEOPLE, id, err);
    }
    if (pf_map_get(&m->owner[MERGE_PEOPLE], 0) != PF_NONE) {
        return PF_OK;
    }
    m->idle_seen = true;
    return pf_map_put(&m->owner[MERGE_PEOPLE], 0, in->number, err);
}

static pf_status list_number(merge *m, merge_input *in, const pf_role_field *f, pf_error *err)
{
    merge_space *s = &m->space[in->number];
    uint64_t id = f->field.value;
    switch (f->role) {
    case PF_ROLE_SEQUENCE:
        return id ? pf_merge_note_id(m, in, MERGE_SEQUENCES, (uint32_t)id, err) : PF_OK;
    case PF_ROLE_TRACK:
    case PF_ROLE_PARENT:
        return id ? pf_merge_note_id(m, in, MERGE_TRACKS, id, err) : PF_OK;
    case PF_ROLE_PID:
    case PF_ROLE_TID:
        return list_person(m, in, f, err);
    case PF_ROLE_FLOW:
        widen(s, MERGE_FLOWS, id);
        return PF_OK;
    case PF_ROLE_ASYNC:
        widen(s, MERGE_OPERATIONS, id);
        return PF_OK;
    case PF_ROLE_STAGE:
        widen(s, MERGE_STAGES, id);
        m->stages_matter |= f->message == PF_MSG_GPU_CORRELATION;
        return PF_OK;
    case PF_ROLE_GPU:
        widen(s, MERGE_GPUS, id);
        return PF_OK;
    case PF_ROLE_GPU_COUNTER:
        widen(s, MERGE_GPU_COUNTERS, id);
        return PF_OK;
    default:
        return PF_OK;
    }
}

uint32_t pf_merge_silent_gpu(pf_message message, pf_field content)
{
    uint32_t field = message == PF_MSG_STAGE            ? MERGE_STAGE_GPU
                     : message == PF_MSG_GPU_COUNTERS   ? MERGE_COUNTERS_GPU
                     : message == PF_MSG_COUNTERS_ENTRY ? MERGE_ENTRY_GPU
                     : message == PF_MSG_GPU_MEMORY     ? MERGE_MEMORY_GPU
                                                        : 0;
    pf_cursor c = pf_field_cursor(&content);
    bool of_entry = message == PF_MSG_GPU_COUNTERS && pf_cursor_last(c, PF_TAG_VARINT(MERGE_COUNTERS_ENTRY)).tag;
    return field && !of_entry && !pf_cursor_last(c, PF_TAG_VARINT(field)).tag ? field : 0;
}

/* GPUs are counted from 0 on, by their place in the list of what they are. */
static void list_gpus(merge_space *s, const pf_role_field *f)
{
    if (f->child == PF_MSG_GPU_INFO) {
        pf_cursor c = pf_field_cursor(&f->field);
        pf_field gpu;
        for (uint64_t i = 0; pf_cursor_next_of(&c, PF_TAG_BYTES(1), &gpu); i++) {
            widen(s, MERGE_GPUS, i);
        }
    } else if (pf_merge_silent_gpu(f->child, f->field)) {
        widen(s, MERGE_GPUS, 0);
    }
}

static pf_status list_print(merge *m, merge_input *in, const pf_role_field *f, pf_error *err)
{
    pf_str rest;
    uint64_t pid = pf_ftrace_print_pid(pf_field_text(&f->field), &rest);
    return pid && !m->o->merge_pids ? pf_merge_note_id(m, in, MERGE_PEOPLE, pid, err) : PF_OK;
}

/* The trace that a part was cut of. */
static void list_source(merge *m, merge_input *in, pf_field attributes)
{
    pf_cursor c = pf_field_cursor(&attributes);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(MERGE_ATTRIBUTE), &f)) {
        pf_field key = pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(MERGE_ATTRIBUTE_KEY));
        pf_field text = pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(MERGE_ATTRIBUTE_TEXT));
        if (pf_str_is(pf_field_text(&key), PF_CUT_SOURCE) && text.len) {
            in->source = pf_merge_hash(m, pf_field_text(&text)) | 1;
        }
    }
}

pf_str pf_merge_command_name(pf_field process)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&process), PF_AT_VARINT(MERGE_TREE_IS_KTHREAD),
                     PF_AT_VARINT(MERGE_TREE_IS_COMM));
    pf_cursor c = pf_field_cursor(&process), rest;
    pf_field first = {.tag = 0}, other;
    if (f[MERGE_TREE_IS_KTHREAD].value || f[MERGE_TREE_IS_COMM].value ||
        !pf_cursor_next_of(&c, PF_TAG_BYTES(MERGE_TREE_COMMAND), &first)) {
        return (pf_str){"", 0};
    }
    rest = c;
    pf_str name = pf_field_text(&first);
    const char *blank = memchr(name.ptr, ' ', name.len);
    if (blank && !pf_cursor_next_of(&rest, PF_TAG_BYTES(MERGE_TREE_COMMAND), &other)) {
        name.len = (size_t)(blank - name.ptr);
    }
    return name;
}

static bool is_incremental(pf_field descriptor)
{
    enum { COUNTER = 8, IS_INCREMENTAL = 5 };
    pf_field counter = pf_cursor_last(pf_field_cursor(&descriptor), PF_TAG_BYTES(COUNTER));
    return counter.tag && pf_cursor_last(pf_field_cursor(&counter), PF_TAG_VARINT(IS_INCREMENTAL)).value;
}

static pf_status list_track(merge *m, merge_input *in, pf_field descriptor, pf_error *err)
{
    static const uint32_t names[] = {MERGE_TRACK_NAME, MERGE_TRACK_STATIC_NAME, MERGE_TRACK_ATRACE_NAME,
                                     MERGE_TRACK_MERGE_KEY};
    merge_track t = pf_merge_track_of(descriptor);
    bool named = false;
    for (size_t i = 0; t.global && i < sizeof names / sizeof *names; i++) {
        pf_field name = pf_cursor_last(pf_field_cursor(&descriptor), PF_TAG_BYTES(names[i]));
        named |= name.tag != 0;
        PF_TRY(pf_merge_note_name(m, in, pf_field_text(&name), err));
    }
    m->space[in->number].uses_default |= !t.uuid && !t.process && !t.thread;
    PF_TRY(pf_merge_list_descriptor(m, in, &t, named, err));
    if (is_incremental(descriptor)) {
        PF_TRY(pf_map_put(&m->incremental, t.uuid, in->number, err));
    }
    bool root = m->o->merge_pids && (t.process || t.thread) && t.uuid;
    return root ? pf_merge_note_root(m, in, &t, err) : PF_OK;
}

static pf_status list_message(merge *m, merge_input *in, const pf_role_field *f, pf_error *err)
{
    list_gpus(&m->space[in->number], f);
    if (f->child == PF_MSG_TRACK) {
        return list_track(m, in, f->field, err);
    }
    if (f->child == PF_MSG_PROCESS) {
        pf_field name = pf_cursor_last(pf_field_cursor(&f->field), PF_TAG_BYTES(MERGE_PROCESS_NAME));
        return pf_merge_note_name(m, in, pf_field_text(&name), err);
    }
    return f->child == PF_MSG_TREE_PROCESS ? pf_merge_note_name(m, in, pf_merge_command_name(f->field), err) : PF_OK;
}

pf_status pf_merge_list(merge *m, merge_input *in, const pf_raw_packet *p, pf_error *err)
{
    pf_role_field f;
    const pf_sequence *q = p->data == PF_F_PACKET_TRACK_EVENT ? pf_merge_sequence(in, p) : NULL;
    uint64_t uuid = q ? q->track_uuid : 0;
    pf_role_walk_begin(&m->walk, PF_MSG_PACKET, p->bytes, p->len, NULL);
    while (pf_role_walk_next(&m->walk, &f)) {
        if (pf_role_is_number(f.role)) {
            bool own = f.message == PF_MSG_EVENT && f.field.tag == PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID);
            uuid = own ? f.field.value : uuid;
            PF_TRY(list_number(m, in, &f, err));
        } else if (f.role == PF_ROLE_PRINT) {
            PF_TRY(list_print(m, in, &f, err));
        } else if (f.role == PF_ROLE_MESSAGE) {
            PF_TRY(list_message(m, in, &f, err));
        }
    }
    m->space[in->number].has_cpus |= p->data == PF_F_PACKET_FTRACE_EVENTS || p->data == MERGE_SYS_STATS;
    if (p->data == PF_F_PACKET_TRACE_ATTRIBUTES) {
        list_source(m, in, p->content);
    }
    if (p->data == PF_F_PACKET_TRACK_EVENT && !m->space[in->number].uses_default) {
        m->space[in->number].uses_default = pf_merge_on_default_track(q, p->content);
    }
    return p->data == PF_F_PACKET_TRACK_EVENT && uuid ? pf_merge_list_event(m, in, p, uuid, err) : PF_OK;
}
