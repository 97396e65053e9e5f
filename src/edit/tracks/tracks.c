/* edit/tracks/tracks.c - see tracks.h. */
#include "edit/tracks/tracks.h"

#include <string.h>
#include <xxhash.h>

#include "base/list.h"

/* TrackDescriptor and its parts. */
enum { UUID = 1, NAME = 2, PROCESS = 3, THREAD = 4, PARENT = 5, COUNTER = 8, STATIC_NAME = 10, ATRACE_NAME = 13 };
enum { PID = 1, TID = 2, THREAD_NAME = 5, COUNTER_INCREMENTAL = 5 };

#define PARENTS_MAX 100u

void pf_tracks_init(pf_edit_tracks *t, pf_budget *budget)
{
    *t = (pf_edit_tracks){.budget = budget};
    pf_map_init(&t->by_uuid, budget);
    pf_map_init(&t->by_pid, budget);
    pf_map_init(&t->texts, budget);
}

void pf_tracks_free(pf_edit_tracks *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        pf_edit_track *k = &t->list[i];
        for (uint32_t d = 0; d < k->descriptors; d++) {
            pf_blob_drop(t->budget, k->descriptor[d]);
        }
        PF_LIST_FREE(t->budget, k->descriptor, k->descriptor_room);
        pf_blob_drop(t->budget, k->first);
        pf_blob_drop(t->budget, k->thread);
        for (pf_kept_packet *s = k->top, *below; s; s = below) {
            below = s->below;
            pf_kept_drop(t, s);
        }
        pf_kept_drop(t, k->last);
        for (struct pf_start_value *v = k->starts, *before; v; v = before) {
            before = v->before;
            pf_release(t->budget, v, sizeof *v);
        }
    }
    while (t->spare) {
        pf_kept_packet *k = t->spare;
        t->spare = k->below;
        pf_release(t->budget, k, sizeof *k);
    }
    PF_LIST_FREE(t->budget, t->list, t->room);
    PF_LIST_FREE(t->budget, t->processes, t->process_room);
    pf_map_free(&t->by_uuid);
    pf_map_free(&t->by_pid);
    pf_map_free(&t->texts);
}

void pf_tracks_said_free(pf_tracks_said *s, pf_budget *budget)
{
    PF_LIST_FREE(budget, s->list, s->room);
    PF_LIST_FREE(budget, s->wanted_processes, s->process_room);
}

/* Machines have uuids and pids of their own. */
static uint64_t of_machine(uint32_t machine, uint64_t key)
{
    return key ^ machine * 0x9e3779b97f4a7c15ull;
}

uint64_t pf_track_key(const pf_edit_track *k)
{
    return of_machine(k->machine, k->uuid);
}

uint64_t pf_tracks_thread_key(int64_t pid, int64_t tid)
{
    return ((uint64_t)pid * 0xff51afd7ed558ccdull) ^ ((uint64_t)tid * 0xc4ceb9fe1a85ec53ull) ^ 0x746964ull << 40;
}

pf_status pf_tracks_find(pf_edit_tracks *t, uint32_t machine, uint64_t uuid, uint32_t *index, pf_error *err)
{
    uint64_t key = of_machine(machine, uuid);
    *index = pf_map_get(&t->by_uuid, key);
    if (*index != PF_NONE) {
        return PF_OK;
    }
    *index = t->count;
    PF_TRY(PF_LIST_ROOM(t->budget, t->list, t->count + 1, t->room, err));
    bool unordered = t->unordered && pf_map_get(t->unordered, key) != PF_NONE;
    t->list[t->count] = (pf_edit_track){.uuid = uuid,
                                        .home = PF_NONE,
                                        .machine = machine,
                                        .floor = INT64_MAX,
                                        .earliest = INT64_MAX,
                                        .latest = INT64_MIN,
                                        .pairing = unordered ? t->pairing : PF_PAIRING_AS_THEY_COME};
    PF_TRY(pf_map_put(&t->by_uuid, key, t->count, err));
    t->count++;
    return PF_OK;
}

static pf_status find_process(pf_edit_tracks *t, uint32_t machine, uint64_t key, uint32_t *index, pf_error *err)
{
    key = of_machine(machine, key);
    *index = pf_map_get(&t->by_pid, key);
    if (*index != PF_NONE) {
        return PF_OK;
    }
    *index = t->process_count;
    PF_TRY(PF_LIST_ROOM(t->budget, t->processes, t->process_count + 1, t->process_room, err));
    t->processes[t->process_count] = (pf_edit_process){.track = PF_NONE, .first = PF_NONE};
    PF_TRY(pf_map_put(&t->by_pid, key, t->process_count, err));
    t->process_count++;
    return PF_OK;
}

static void read_counter(pf_edit_track *k, const pf_field *counter)
{
    PF_CURSOR_FIELDS(c, pf_field_cursor(counter), PF_AT_VARINT(COUNTER_INCREMENTAL));
    k->counter = true;
    k->incremental = c[COUNTER_INCREMENTAL].value != 0;
}

/* The first descriptor of a uuid says what it is. */
static pf_status read_descriptor(pf_edit_tracks *t, uint32_t index, const pf_field *f, pf_error *err)
{
    pf_edit_track *k = &t->list[index];
    k->described = true;
    k->parent = f[PARENT].value;
    if (f[COUNTER].tag) {
        read_counter(k, &f[COUNTER]);
    }
    const pf_field *of = f[THREAD].tag ? &f[THREAD] : &f[PROCESS];
    if (!of->tag) {
        return PF_OK;
    }
    PF_CURSOR_FIELDS(ids, pf_field_cursor(of), PF_AT_VARINT(PID), PF_AT_VARINT(TID));
    k->has_thread = f[THREAD].tag;
    k->has_process = !k->has_thread;
    k->pid = (int32_t)ids[PID].value;
    k->tid = k->has_thread ? (int64_t)ids[TID].value : 0;
    uint32_t process;
    uint64_t key = k->has_thread ? pf_tracks_thread_key(k->pid, k->tid) : (uint64_t)k->pid;
    PF_TRY(find_process(t, k->machine, key, &process, err));
    pf_edit_process *owner = &t->processes[process];
    owner->track = index;
    owner->first = owner->first == PF_NONE ? index : owner->first;
    return PF_OK;
}

/* Whether the track has the descriptor already; if not, it is going to be its next one. */
static pf_status find_descriptor(pf_edit_tracks *t, uint32_t index, const pf_field *d, bool *found, pf_error *err)
{
    enum { COMPARED = 8 }; /* one by one; those after them by a hash */
    const pf_edit_track *k = &t->list[index];
    *found = false;
    for (uint32_t i = 0; i < k->descriptors && i < COMPARED && !*found; i++) {
        *found = pf_blob_is(k->descriptor[i], d);
    }
    if (*found || k->descriptors < COMPARED) {
        return PF_OK;
    }
    uint64_t key = pf_hash_add(XXH3_64bits_withSeed(d->bytes, d->len, t->budget->seed), index);
    uint32_t same = pf_map_get(&t->texts, key);
    *found = same != PF_NONE && pf_blob_is(k->descriptor[same], d);
    return *found ? PF_OK : pf_map_put(&t->texts, key, k->descriptors, err);
}

pf_status pf_tracks_describe(pf_edit_tracks *t, uint32_t machine, const pf_field *descriptor, uint32_t *index,
                             bool *fresh, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(descriptor), PF_AT_VARINT(UUID), PF_AT_BYTES(PROCESS), PF_AT_BYTES(THREAD),
                     PF_AT_VARINT(PARENT), PF_AT_BYTES(COUNTER), PF_AT_BYTES(NAME), PF_AT_BYTES(STATIC_NAME),
                     PF_AT_BYTES(ATRACE_NAME));
    bool known;
    PF_TRY(pf_tracks_find(t, machine, f[UUID].value, index, err));
    PF_TRY(find_descriptor(t, *index, descriptor, &known, err));
    *fresh = !known;
    if (known) {
        return PF_OK;
    }
    pf_edit_track *k = &t->list[*index];
    PF_TRY(PF_LIST_ROOM(t->budget, k->descriptor, k->descriptors + 1, k->descriptor_room, err));
    k->descriptor[k->descriptors] = pf_blob_new(t->budget, descriptor);
    if (!k->descriptor[k->descriptors]) {
        return pf_budget_refused(t->budget, descriptor->len, err);
    }
    k->descriptors++;
    k->named |= f[NAME].tag || f[STATIC_NAME].tag || f[ATRACE_NAME].tag;
    return k->described ? PF_OK : read_descriptor(t, *index, f, err);
}

pf_status pf_tracks_use(pf_edit_tracks *t, uint32_t index, pf_str name, pf_error *err)
{
    const pf_field text = {.tag = PF_TAG_BYTES(NAME), .len = (uint32_t)name.len, .bytes = (const uint8_t *)name.ptr};
    pf_blob *blob = name.len ? pf_blob_new(t->budget, &text) : NULL;
    if (name.len && !blob) {
        return pf_budget_refused(t->budget, name.len, err);
    }
    t->list[index].has_events = true;
    for (uint32_t n = 0; index != PF_NONE && !t->list[index].used && n < PARENTS_MAX; n++) {
        pf_edit_track *k = &t->list[index];
        k->used = true;
        k->first = pf_blob_keep(blob);
        index = k->parent ? pf_map_get(&t->by_uuid, of_machine(k->machine, k->parent)) : PF_NONE;
    }
    pf_blob_drop(t->budget, blob);
    return PF_OK;
}

static pf_status cover(const pf_edit_tracks *t, pf_tracks_said *s, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(t->budget, s->list, t->count, s->room, err));
    for (; s->count < t->count; s->count++) {
        s->list[s->count] = (struct pf_track_said){0, false, false};
    }
    PF_TRY(PF_LIST_ROOM(t->budget, s->wanted_processes, t->process_count, s->process_room, err));
    for (; s->processes < t->process_count; s->processes++) {
        s->wanted_processes[s->processes] = false;
    }
    return PF_OK;
}

/* Whether it is the track of a process or thread of number 0. */
static bool is_idle(const pf_edit_track *k)
{
    return (k->has_process || k->has_thread) && k->pid == 0 && k->tid == 0;
}

/* Begins a packet of the sequence of descriptors. */
static void begin_own(const pf_edit_track *k, pf_tracks_said *s, pf_out *o)
{
    const pf_in_sequence own = {.id = PF_EDIT_SEQUENCE, .machine = k->machine};
    pf_out_begin(o, &own);
    if (s->packets++ == 0) {
        pf_writer_varint(&o->writer, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    }
}

/* Says a descriptor of a track; d: NULL where the input has none. */
static pf_status say_descriptor(const pf_edit_track *k, pf_tracks_said *s, pf_out *o, const pf_blob *d, pf_error *err)
{
    bool nameless = !k->named && !k->counter && !k->has_process && !k->has_thread;
    begin_own(k, s, o);
    if (is_idle(k)) { /* before all events, however late it is said */
        pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP, s->from);
        if (s->clock) {
            pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP_CLOCK_ID, s->clock);
        }
    }
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_DESCRIPTOR);
    if (d) {
        pf_writer_raw(&o->writer, d->bytes, d->len);
    } else {
        pf_writer_varint(&o->writer, UUID, k->uuid);
    }
    if (nameless && k->first) {
        pf_writer_bytes(&o->writer, NAME, k->first->bytes, k->first->len);
    }
    pf_writer_end(&o->writer);
    o->added++;
    return pf_out_end(o, err);
}

/* All descriptors of one track that were not said. */
static pf_status say_one(const pf_edit_tracks *t, pf_tracks_said *s, pf_out *o, uint32_t index, pf_error *err)
{
    const pf_edit_track *k = &t->list[index];
    s->list[index].wanted = true;
    while (s->list[index].descriptors < k->descriptors) {
        PF_TRY(say_descriptor(k, s, o, k->descriptor[s->list[index].descriptors++], err));
    }
    return PF_OK;
}

/* The track that describes a process or a thread, and is wanted from now on. Perfetto knows a pid 0 before any
 * descriptor: the first one is about that, another one makes a process of its own. */
static pf_status say_owner(pf_edit_tracks *t, pf_tracks_said *s, pf_out *o, uint32_t index, uint64_t key, pf_error *err)
{
    uint32_t process;
    PF_TRY(find_process(t, t->list[index].machine, key, &process, err));
    PF_TRY(cover(t, s, err));
    s->wanted_processes[process] = true;
    uint32_t track = t->processes[process].track, first = t->processes[process].first;
    bool others = track != PF_NONE && is_idle(&t->list[track]);
    PF_TRY(others && first != index && first != track ? say_one(t, s, o, first, err) : PF_OK);
    return track != PF_NONE && track != index ? say_one(t, s, o, track, err) : PF_OK;
}

/* Whom a track belongs to: a thread to its process. Who is idle is what the first one says. */
static pf_status say_owners(pf_edit_tracks *t, pf_tracks_said *s, pf_out *o, uint32_t index, pf_error *err)
{
    const pf_edit_track k = t->list[index];
    bool idle = is_idle(&k);
    PF_TRY(k.has_thread || idle ? say_owner(t, s, o, index, (uint64_t)k.pid, err) : PF_OK);
    return k.has_thread && idle ? say_owner(t, s, o, index, pf_tracks_thread_key(k.pid, k.tid), err) : PF_OK;
}

/* Another track that describes the same process or thread: it does so later in the input, and here, too. */
static pf_status say_same(pf_edit_tracks *t, pf_tracks_said *s, pf_out *o, uint32_t index, pf_error *err)
{
    const pf_edit_track k = t->list[index];
    uint64_t key = k.has_thread ? pf_tracks_thread_key(k.pid, k.tid) : (uint64_t)k.pid;
    return (k.has_thread || k.has_process) && !is_idle(&k) ? say_owner(t, s, o, index, key, err) : PF_OK;
}

pf_status pf_tracks_say(pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err)
{
    uint32_t chain[PARENTS_MAX], n = 0, home = t->list[index].home;
    bool has_home = home == PF_NONE || (home < said->count && said->list[home].wanted); /* each event has its own */
    if (index < said->count && said->list[index].wanted && has_home) {
        return PF_OK; /* so are its parents, and what came later was said when it came */
    }
    while (index != PF_NONE && n < PARENTS_MAX) {
        chain[n++] = index;
        uint64_t parent = t->list[index].parent;
        index = t->list[index].home;
        if (parent && index == PF_NONE) {
            PF_TRY(pf_tracks_find(t, t->list[chain[n - 1]].machine, parent, &index, err));
        }
    }
    PF_TRY(cover(t, said, err));
    while (n > 0) {
        n--;
        PF_TRY(say_owners(t, said, o, chain[n], err));
        PF_TRY(say_one(t, said, o, chain[n], err));
        PF_TRY(say_same(t, said, o, chain[n], err));
    }
    return PF_OK;
}

pf_status pf_tracks_say_late(pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err)
{
    const pf_edit_track *k = &t->list[index];
    PF_TRY(cover(t, said, err));
    uint64_t key = k->has_thread ? pf_tracks_thread_key(k->pid, k->tid) : (uint64_t)k->pid;
    bool owner = k->has_thread || k->has_process;
    uint32_t process = owner ? pf_map_get(&t->by_pid, of_machine(k->machine, key)) : PF_NONE;
    bool wanted = said->list[index].wanted, of_process = process != PF_NONE && said->wanted_processes[process];
    if (!wanted && !of_process) {
        return PF_OK;
    }
    said->list[index].wanted = false; /* its parents may be new, too */
    return pf_tracks_say(t, said, o, index, err);
}

/* The key of the track above one; 0: none. */
static uint64_t key_above(const pf_edit_track *k)
{
    return k->parent ? of_machine(k->machine, k->parent) : 0;
}

bool pf_tracks_refuse(const pf_edit_tracks *t, const pf_map *lacking, uint32_t index)
{
    for (uint32_t n = 0; lacking->count && n < PARENTS_MAX; n++) {
        uint64_t key = key_above(&t->list[index]);
        index = key ? pf_map_get(&t->by_uuid, key) : PF_NONE;
        bool known = index != PF_NONE && (t->list[index].descriptors || t->list[index].has_events);
        if (key && !known) {
            return pf_map_get(lacking, key) != PF_NONE;
        }
        if (!key || !t->list[index].descriptors) {
            return false;
        }
    }
    return false;
}

pf_status pf_tracks_find_lacking(const pf_edit_tracks *t, pf_map *lacking, pf_error *err)
{
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t key = key_above(&t->list[i]);
        uint32_t above = key ? pf_map_get(&t->by_uuid, key) : PF_NONE;
        if (key && (above == PF_NONE || !t->list[above].descriptors)) {
            PF_TRY(pf_map_put(lacking, key, 0, err));
        }
    }
    return PF_OK;
}

pf_status pf_tracks_call_thread(pf_edit_tracks *t, uint32_t machine, const pf_field *said, uint32_t *index,
                                pf_error *err)
{
    const pf_cursor c = pf_field_cursor(said);
    const pf_field name = pf_cursor_last(c, PF_TAG_BYTES(THREAD_NAME));
    int64_t pid = (int32_t)pf_cursor_last(c, PF_TAG_VARINT(PID)).value,
            tid = (int64_t)pf_cursor_last(c, PF_TAG_VARINT(TID)).value;
    PF_TRY(pf_tracks_find(t, machine, pf_tracks_thread_key(pid, tid), index, err));
    pf_edit_track *k = &t->list[*index];
    bool same = name.len ? k->thread && pf_blob_is(k->thread, &name) : !k->thread;
    k->renamed |= k->called && !same;
    k->called = true;
    if (same || !name.len) {
        return PF_OK;
    }
    pf_blob_drop(t->budget, k->thread);
    k->thread = pf_blob_new(t->budget, &name);
    return k->thread ? PF_OK : pf_no_memory(err);
}

pf_status pf_tracks_say_thread(const pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err)
{
    const pf_edit_track *k = &t->list[index];
    if (index >= said->count || !said->list[index].wanted || said->list[index].called || !k->renamed || !k->thread) {
        return PF_OK;
    }
    said->list[index].called = true;
    begin_own(k, said, o);
    pf_writer_begin(&o->writer, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&o->writer, PID, (uint64_t)k->pid);
    pf_writer_varint(&o->writer, TID, (uint64_t)k->tid);
    pf_writer_bytes(&o->writer, THREAD_NAME, k->thread->bytes, k->thread->len);
    pf_writer_end(&o->writer);
    o->added++;
    return pf_out_end(o, err);
}

pf_status pf_tracks_say_rest(const pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, pf_error *err)
{
    for (uint32_t i = 0; i < said->count; i++) {
        const pf_edit_track *k = &t->list[i];
        bool lacks_one = said->list[i].wanted && !k->descriptors && k->has_events && !k->unnamed;
        PF_TRY(lacks_one ? say_descriptor(k, said, o, NULL, err) : PF_OK);
        PF_TRY(pf_tracks_say_thread(t, said, o, i, err));
    }
    return PF_OK;
}

pf_kept_packet *pf_kept_new(pf_edit_tracks *t, uint64_t number, pf_bytes content, bool stable, uint32_t sequence,
                            pf_epoch *epoch, int64_t ts)
{
    uint32_t len = (uint32_t)content.len, own = stable ? 0 : len;
    pf_kept_packet *k = own ? NULL : t->spare;
    if (k) {
        t->spare = k->below;
    } else {
        k = pf_alloc(t->budget, sizeof *k + own);
    }
    if (!k) {
        return NULL;
    }
    *k = (pf_kept_packet){.epoch = pf_epoch_keep(epoch),
                          .ts = ts,
                          .end = PF_STILL_OPEN,
                          .soonest = INT64_MAX,
                          .action = 'B',
                          .home = PF_NONE,
                          .number = number,
                          .bytes = content.ptr,
                          .len = len,
                          .sequence = sequence,
                          .own_len = own};
    if (own) {
        memcpy(k->own, content.ptr, own);
        k->bytes = k->own;
    }
    return k;
}

void pf_kept_drop(pf_edit_tracks *t, pf_kept_packet *k)
{
    if (!k) {
        return;
    }
    pf_epoch_drop(t->budget, k->epoch);
    if (k->own_len) {
        pf_release(t->budget, k, sizeof *k + k->own_len);
    } else {
        k->below = t->spare;
        t->spare = k;
    }
}
