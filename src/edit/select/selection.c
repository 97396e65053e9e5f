/* edit/select/selection.c - see selection.h. */
#include "edit/select/selection.h"

#include "base/list.h"
#include "base/str.h"
#include "perfetto/chrome_names.h"
#include "perfetto/fields.h"

enum { UUID = 1, TRACK_NAME = 2, PROCESS = 3, THREAD = 4, PARENT = 5, STATIC_NAME = 10, ATRACE_NAME = 13 };
enum { CHROME_PROCESS = 6, CHROME_THREAD = 7, TYPE_OF_CHROME = 1 };
enum { PID = 1, TID = 2, CHROME_TYPE = 4, THREAD_NAME = 5, PROCESS_NAME = 6 };
enum { TREE_PROCESS = 1, TREE_THREAD = 2, TREE_CMDLINE = 3, TREE_THREAD_NAME = 2, TREE_TGID = 3 };

#define PARENTS_MAX 100u

pf_status pf_selection_init(pf_selection *s, const pf_cut_options *o, pf_budget *budget, pf_error *err)
{
    *s = (pf_selection){.o = o, .budget = budget, .bundle = {.budget = budget}};
    s->places = pf_filters_have_places(o);
    s->categories = o->category.keep_count || o->category.drop_count;
    s->durations = o->min_dur > 0;
    s->active = s->places || s->categories || s->durations;
    pf_map_init(&s->process_names, budget);
    pf_map_init(&s->thread_names, budget);
    pf_map_init(&s->by_uuid, budget);
    pf_map_init(&s->thread_processes, budget);
    pf_map_init(&s->taken, budget);
    pf_writer_init(&s->writer, &s->events);
    return pf_strings_init(&s->names, budget, err);
}

void pf_selection_free(pf_selection *s)
{
    if (!s->budget) {
        return;
    }
    pf_map_free(&s->process_names);
    pf_map_free(&s->thread_names);
    pf_map_free(&s->by_uuid);
    pf_map_free(&s->thread_processes);
    pf_map_free(&s->taken);
    pf_ftrace_bundle_free(&s->bundle);
    pf_writer_free(&s->writer);
    pf_buffer_free(&s->events);
    pf_strings_free(&s->names);
    PF_LIST_FREE(s->budget, s->tracks, s->track_room);
    PF_LIST_FREE(s->budget, s->short_bits, s->short_words);
    pf_buffer_free(&s->scratch);
}

/* Who names wins, the last one of a rank: of a process the system's tree, of a thread its descriptor. A name is kept as
 * its string id and its rank. */
enum { RANK_TYPE = 1, RANK_DESCRIPTOR, RANK_RENDERER, RANK_TREE, RANK_THREAD_TREE = 0, RANKS = 8 };

static pf_status name_it(pf_selection *s, pf_map *names, int64_t number, pf_str name, uint32_t rank, pf_error *err)
{
    uint32_t id, known = pf_map_get(names, (uint64_t)number);
    if (!name.len || (known != PF_NONE && known % RANKS > rank)) {
        return PF_OK;
    }
    PF_TRY(pf_strings_put(&s->names, name, &id, err));
    return pf_map_put(names, (uint64_t)number, RANKS * id + rank, err);
}

static pf_status name_type(pf_selection *s, int64_t pid, int32_t type, pf_error *err)
{
    bool renderer = type == PF_CHROME_PROCESS_RENDERER || type == PF_CHROME_PROCESS_EXTENSION;
    return name_it(s, &s->process_names, pid, pf_chrome_process_name(type), renderer ? RANK_RENDERER : RANK_TYPE, err);
}

static pf_status take_process(pf_selection *s, const pf_field *process, int64_t *pid, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(process), PF_AT_VARINT(PID), PF_AT_VARINT(CHROME_TYPE),
                     PF_AT_BYTES(PROCESS_NAME));
    *pid = (int32_t)f[PID].value;
    PF_TRY(name_type(s, *pid, (int32_t)f[CHROME_TYPE].value, err));
    return name_it(s, &s->process_names, *pid, pf_field_text(&f[PROCESS_NAME]), RANK_DESCRIPTOR, err);
}

/* Threads of two processes may have one tid. pid -1: the process is not said. */
static int64_t thread_key(int64_t pid, int64_t tid)
{
    return (int64_t)((uint64_t)pid << 32 | (uint32_t)tid);
}

static pf_status take_thread(pf_selection *s, const pf_field *thread, int64_t *pid, int64_t *tid, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(thread), PF_AT_VARINT(PID), PF_AT_VARINT(TID), PF_AT_VARINT(CHROME_TYPE),
                     PF_AT_BYTES(THREAD_NAME));
    const pf_str type = pf_chrome_thread_name((int32_t)f[CHROME_TYPE].value);
    *pid = (int32_t)f[PID].value;
    *tid = (int64_t)f[TID].value;
    PF_TRY(*pid < 0 ? PF_OK : pf_map_put(&s->thread_processes, (uint32_t)*tid, (uint32_t)*pid, err));
    return name_it(s, &s->thread_names, thread_key(*pid, *tid),
                   f[THREAD_NAME].len ? pf_field_text(&f[THREAD_NAME]) : type, RANK_DESCRIPTOR, err);
}

pf_status pf_selection_name_thread(pf_selection *s, int32_t tid, pf_str name, pf_error *err)
{
    uint32_t known = pf_map_get(&s->thread_names, (uint64_t)thread_key(-1, tid));
    bool same = known != PF_NONE && pf_str_equal(pf_strings_get(&s->names, known / RANKS), name);
    return same ? PF_OK : name_it(s, &s->thread_names, thread_key(-1, tid), name, RANK_THREAD_TREE, err);
}

int32_t pf_selection_process_of(const pf_selection *s, int32_t tid)
{
    for (unsigned steps = 0; steps < PARENTS_MAX; steps++) {
        uint32_t of = pf_map_get(&s->thread_processes, (uint32_t)tid);
        if (of == PF_NONE || !(of & PF_SAME_PROCESS)) {
            return of == PF_NONE ? tid : (int32_t)of;
        }
        tid = (int32_t)(of & ~PF_SAME_PROCESS);
    }
    return tid;
}

static pf_status take_track(pf_selection *s, const pf_field *descriptor, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(descriptor), PF_AT_VARINT(UUID), PF_AT_BYTES(TRACK_NAME), PF_AT_BYTES(PROCESS),
                     PF_AT_BYTES(THREAD), PF_AT_VARINT(PARENT), PF_AT_BYTES(STATIC_NAME), PF_AT_BYTES(ATRACE_NAME),
                     PF_AT_BYTES(CHROME_PROCESS), PF_AT_BYTES(CHROME_THREAD));
    uint32_t index = pf_map_get(&s->by_uuid, f[UUID].value);
    const pf_field *name = f[TRACK_NAME].tag ? &f[TRACK_NAME] : f[STATIC_NAME].tag ? &f[STATIC_NAME] : &f[ATRACE_NAME];
    if (index == PF_NONE) {
        index = s->track_count;
        PF_TRY(PF_LIST_ROOM(s->budget, s->tracks, index + 1, s->track_room, err));
        s->tracks[index] = (struct pf_surveyed){.parent = f[PARENT].value};
        PF_TRY(pf_map_put(&s->by_uuid, f[UUID].value, index, err));
        s->track_count++;
    }
    struct pf_surveyed *t = &s->tracks[index];
    if (name->tag && name->len) {
        PF_TRY(pf_strings_put(&s->names, pf_field_text(name), &t->name, err));
    }
    t->has_thread |= f[THREAD].tag != 0;
    t->has_process |= f[PROCESS].tag != 0;
    const pf_field *chrome = &f[f[THREAD].tag ? CHROME_THREAD : CHROME_PROCESS];
    int32_t type = (int32_t)pf_cursor_last(pf_field_cursor(chrome), PF_TAG_VARINT(TYPE_OF_CHROME)).value;
    if (f[THREAD].tag) {
        PF_TRY(take_thread(s, &f[THREAD], &t->pid, &t->tid, err));
        return name_it(s, &s->thread_names, thread_key(t->pid, t->tid), pf_chrome_thread_name(type), RANK_TYPE, err);
    }
    PF_TRY(f[PROCESS].tag ? take_process(s, &f[PROCESS], &t->pid, err) : PF_OK);
    return f[PROCESS].tag ? name_type(s, t->pid, type, err) : PF_OK;
}

static pf_status take_tree(pf_selection *s, const pf_field *tree, pf_error *err)
{
    pf_cursor c = pf_field_cursor(tree);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(TREE_PROCESS)) {
            pf_cursor words = pf_field_cursor(&f);
            pf_field first = {.tag = 0};
            int64_t pid = (int32_t)pf_cursor_last(words, PF_TAG_VARINT(PID)).value;
            if (pf_cursor_next_of(&words, PF_TAG_BYTES(TREE_CMDLINE), &first)) {
                PF_TRY(name_it(s, &s->process_names, pid, pf_field_text(&first), RANK_TREE, err));
            }
        } else if (f.tag == PF_TAG_BYTES(TREE_THREAD)) {
            PF_CURSOR_FIELDS(t, pf_field_cursor(&f), PF_AT_VARINT(PID), PF_AT_BYTES(TREE_THREAD_NAME),
                             PF_AT_VARINT(TREE_TGID));
            const pf_str name = pf_field_text(&t[TREE_THREAD_NAME]);
            int64_t pid = t[TREE_TGID].tag ? (int32_t)t[TREE_TGID].value : -1;
            PF_TRY(name_it(s, &s->thread_names, thread_key(pid, (int32_t)t[PID].value), name, RANK_THREAD_TREE, err));
            PF_TRY(pid < 0 ? PF_OK : pf_map_put(&s->thread_processes, (uint32_t)t[PID].value, (uint32_t)pid, err));
        }
    }
    return PF_OK;
}

pf_status pf_selection_survey(pf_selection *s, const pf_raw_packet *p, pf_error *err)
{
    int64_t pid, tid;
    if (!s->places) {
        return PF_OK;
    }
    switch (p->data) {
    case PF_F_PACKET_TRACK_DESCRIPTOR:
        return take_track(s, &p->content, err);
    case PF_F_PACKET_PROCESS_DESCRIPTOR:
        return take_process(s, &p->content, &pid, err);
    case PF_F_PACKET_THREAD_DESCRIPTOR:
        return take_thread(s, &p->content, &pid, &tid, err);
    case PF_F_PACKET_PROCESS_TREE:
        return take_tree(s, &p->content, err);
    default:
        return PF_OK;
    }
}

pf_status pf_selection_drop(pf_selection *s, uint64_t number, pf_error *err)
{
    uint64_t words = s->short_words;
    PF_TRY(PF_LIST_ROOM(s->budget, s->short_bits, number / 64 + 1, s->short_words, err));
    for (; words < s->short_words; words++) {
        s->short_bits[words] = 0;
    }
    s->short_bits[number / 64] |= (uint64_t)1 << number % 64;
    return PF_OK;
}

bool pf_selection_dropped(const pf_selection *s, uint64_t number)
{
    return number / 64 < s->short_words && s->short_bits[number / 64] >> number % 64 & 1;
}

static pf_str name_of(const pf_selection *s, const pf_map *names, int64_t number)
{
    uint32_t id = pf_map_get(names, (uint64_t)number);
    return id == PF_NONE ? (pf_str){NULL, 0} : pf_strings_get(&s->names, id / RANKS);
}

pf_str pf_selection_process_name(const pf_selection *s, int64_t pid)
{
    return name_of(s, &s->process_names, pid);
}

static void set_owner(const pf_selection *s, pf_edit_place *place, bool thread, int64_t pid, int64_t tid)
{
    place->has_process = true;
    place->pid = pid;
    place->process = name_of(s, &s->process_names, pid);
    place->has_thread = thread;
    place->tid = tid;
    place->thread = thread ? name_of(s, &s->thread_names, thread_key(pid, tid)) : (pf_str){NULL, 0};
    if (thread && !place->thread.ptr) {
        place->thread = name_of(s, &s->thread_names, thread_key(-1, tid));
    }
}

bool pf_selection_takes_thread(pf_selection *s, int64_t pid, int64_t tid)
{
    pf_edit_place place = {.has_process = false};
    set_owner(s, &place, true, pid, tid);
    place.tracks = &place.thread;
    place.track_count = place.thread.ptr != NULL;
    return pf_filters_take_place(s->o, &place, &s->scratch);
}

bool pf_selection_takes_track(pf_selection *s, uint64_t uuid)
{
    pf_str names[PARENTS_MAX + 1];
    pf_edit_place place = {.tracks = names};
    for (uint32_t i = 0; i < PARENTS_MAX; i++) {
        uint32_t index = pf_map_get(&s->by_uuid, uuid);
        if (index == PF_NONE) {
            break;
        }
        const struct pf_surveyed *t = &s->tracks[index];
        if (t->name) {
            names[place.track_count++] = pf_strings_get(&s->names, t->name);
        }
        if (!place.has_process && (t->has_process || t->has_thread)) {
            set_owner(s, &place, t->has_thread, t->pid, t->tid);
            if (place.thread.ptr) {
                names[place.track_count++] = place.thread;
            }
        }
        uuid = t->parent;
        if (!uuid || place.track_count >= PARENTS_MAX - 1) {
            break;
        }
    }
    return pf_filters_take_place(s->o, &place, &s->scratch);
}

bool pf_selection_takes_others(const pf_selection *s)
{
    return !s->o->process.keep_count && !s->o->thread.keep_count && !s->o->track.keep_count &&
           !s->o->category.keep_count;
}
