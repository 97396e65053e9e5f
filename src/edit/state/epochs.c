/* edit/state/epochs.c - see epochs.h. */
#include "edit/state/epochs.h"

#include <string.h>

#include "base/list.h"
#include "perfetto/fields.h"

pf_blob *pf_blob_new(pf_budget *b, const pf_field *f)
{
    pf_blob *blob = pf_alloc(b, sizeof *blob + f->len);
    if (blob) {
        *blob = (pf_blob){.refs = 1, .field = pf_field_number(f), .len = f->len};
        memcpy(blob->bytes, f->len ? f->bytes : (const uint8_t *)"", f->len);
    }
    return blob;
}

void pf_blob_drop(pf_budget *b, pf_blob *blob)
{
    if (blob && --blob->refs == 0) {
        pf_release(b, blob, sizeof *blob + blob->len);
    }
}

bool pf_blob_is(const pf_blob *blob, const pf_field *f)
{
    return blob && blob->field == pf_field_number(f) && blob->len == f->len &&
           (f->len == 0 || memcmp(blob->bytes, f->bytes, f->len) == 0);
}

static pf_entries *new_entries(pf_budget *b, bool cleared)
{
    pf_entries *e = pf_alloc_zero(b, 1, sizeof *e);
    if (e) {
        e->refs = 1;
        e->cleared = cleared;
        pf_map_init(&e->by_iid, b);
        pf_arena_init(&e->arena, b);
    }
    return e;
}

static void drop_entries(pf_budget *b, pf_entries *e)
{
    if (e && --e->refs == 0) {
        PF_LIST_FREE(b, e->list, e->room);
        pf_map_free(&e->by_iid);
        pf_arena_free(&e->arena);
        pf_release(b, e, sizeof *e);
    }
}

void pf_epoch_drop(pf_budget *b, pf_epoch *e)
{
    if (e && --e->refs == 0) {
        drop_entries(b, e->entries);
        pf_blob_drop(b, e->defaults);
        pf_blob_drop(b, e->mark);
        pf_blob_drop(b, e->thread);
        pf_blob_drop(b, e->snapshot);
        pf_release(b, e, sizeof *e);
    }
}

/* Iids are small in practice; of larger ones the top bits move to the front. */
static uint64_t key_of(uint32_t field, uint64_t iid)
{
    return (iid << 10 | iid >> 54) ^ field;
}

uint32_t pf_entries_find(const pf_entries *e, uint32_t field, uint64_t iid)
{
    return pf_map_get(&e->by_iid, key_of(field, iid));
}

/* The first entry of an iid stays. */
static pf_status add_entry(pf_budget *b, pf_entries *e, const pf_interned *entry, uint64_t iid, bool stable,
                           pf_error *err)
{
    uint64_t key = key_of(entry->field, iid);
    if (pf_map_get(&e->by_iid, key) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(b, e->list, e->count + 1, e->room, err));
    e->list[e->count] = *entry;
    if (!stable) {
        e->list[e->count].bytes = (const uint8_t *)pf_arena_copy(&e->arena, (const char *)entry->bytes, entry->len);
        if (!e->list[e->count].bytes) {
            return pf_budget_refused(b, entry->len, err);
        }
    }
    PF_TRY(pf_map_put(&e->by_iid, key, e->count, err));
    e->count++;
    return PF_OK;
}

static pf_status intern(pf_budget *b, pf_entries *e, const pf_field *data, bool stable, pf_error *err)
{
    pf_cursor c = pf_field_cursor(data);
    const uint8_t *from = c.at;
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        const pf_field iid = pf_field_wire(&f) == PF_WIRE_BYTES
                                 ? pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(PF_F_ENTRY_IID))
                                 : (pf_field){.tag = 0};
        const pf_interned entry = {from, (uint32_t)(c.at - from), pf_field_number(&f)};
        if (iid.tag) {
            PF_TRY(add_entry(b, e, &entry, iid.value, stable, err));
        }
        from = c.at;
    }
    return PF_OK;
}

void pf_in_init(pf_in *in, pf_budget *budget)
{
    *in = (pf_in){.budget = budget, .last = PF_NONE};
    pf_sequences_init(&in->state, budget, NULL, NULL, 0);
    pf_map_init(&in->by_id, budget);
}

void pf_in_free(pf_in *in)
{
    for (uint32_t i = 0; i < in->count; i++) {
        pf_epoch_drop(in->budget, in->list[i].epoch);
    }
    PF_LIST_FREE(in->budget, in->list, in->room);
    pf_map_free(&in->by_id);
    pf_sequences_free(&in->state);
}

static pf_epoch *new_epoch(pf_budget *b, pf_entries *entries)
{
    pf_epoch *e = entries ? pf_alloc_zero(b, 1, sizeof *e) : NULL;
    if (e) {
        e->refs = 1;
        e->entries = entries;
    } else {
        drop_entries(b, entries);
    }
    return e;
}

static pf_status add_sequence(pf_in *in, uint64_t key, const pf_raw_packet *p, pf_error *err)
{
    uint32_t index = in->count;
    PF_TRY(PF_LIST_ROOM(in->budget, in->list, index + 1, in->room, err));
    pf_in_sequence *s = &in->list[index];
    *s = (pf_in_sequence){.id = p->sequence, .machine = p->machine, .last_track = PF_NONE};
    s->epoch = new_epoch(in->budget, new_entries(in->budget, false));
    if (!s->epoch) {
        return pf_budget_refused(in->budget, sizeof *s->epoch, err);
    }
    in->count++;
    PF_TRY(pf_map_put(&in->by_id, key, index, err));
    return pf_sequence_find(&in->state, index) ? PF_OK : pf_budget_refused(in->budget, sizeof(pf_sequence), err);
}

static pf_status find(pf_in *in, const pf_raw_packet *p, uint32_t *index, pf_error *err)
{
    if (in->last != PF_NONE && in->list[in->last].id == p->sequence && in->list[in->last].machine == p->machine) {
        *index = in->last;
        return PF_OK;
    }
    uint64_t key = (uint64_t)p->machine << 32 | p->sequence;
    *index = pf_map_get(&in->by_id, key);
    if (*index == PF_NONE) {
        *index = in->count;
        PF_TRY(add_sequence(in, key, p, err));
    }
    in->last = *index;
    return PF_OK;
}

/* A new epoch that has all parts of the one before, so far. */
static pf_epoch *next_epoch(pf_in *in, pf_in_sequence *s)
{
    pf_epoch *old = s->epoch, *e;
    old->entries->refs++; /* of the new one, which drops it if it cannot be */
    e = new_epoch(in->budget, old->entries);
    if (e) {
        e->defaults = pf_blob_keep(old->defaults);
        e->mark = pf_blob_keep(old->mark);
        e->thread = pf_blob_keep(old->thread);
        e->snapshot = pf_blob_keep(old->snapshot);
        pf_epoch_drop(in->budget, old);
        s->epoch = e;
    }
    return e;
}

/* A part of a new epoch becomes the field. */
static pf_status set_part(pf_in *in, uint32_t index, size_t part, const pf_field *f, pf_error *err)
{
    pf_in_sequence *s = &in->list[index];
    pf_blob *blob = pf_blob_new(in->budget, f);
    pf_epoch *e = blob ? next_epoch(in, s) : NULL;
    if (!e) {
        pf_blob_drop(in->budget, blob);
        return pf_budget_refused(in->budget, sizeof *e + f->len, err);
    }
    pf_blob **at = (pf_blob **)((char *)e + part);
    pf_blob_drop(in->budget, *at);
    *at = blob;
    return PF_OK;
}

static pf_status clear(pf_in *in, uint32_t index, const pf_raw_packet *p, pf_error *err)
{
    pf_in_sequence *s = &in->list[index];
    pf_entries *entries = new_entries(in->budget, true);
    pf_epoch *old = s->epoch, *e = new_epoch(in->budget, entries);
    if (!e) {
        return pf_budget_refused(in->budget, sizeof *e, err);
    }
    e->thread = pf_blob_keep(old->thread);
    e->snapshot = pf_blob_keep(old->snapshot);
    pf_epoch_drop(in->budget, old);
    s->epoch = e;
    pf_sequence_clear(pf_sequence_find(&in->state, index));
    if (p->findings.ptr) {
        const pf_field mark = {.tag = PF_TAG_BYTES(PF_F_PACKET_FINDINGS),
                               .len = (uint32_t)p->findings.len,
                               .bytes = (const uint8_t *)p->findings.ptr};
        e->mark = pf_blob_new(in->budget, &mark);
        return e->mark ? PF_OK : pf_budget_refused(in->budget, p->findings.len, err);
    }
    return PF_OK;
}

static pf_status set_defaults(pf_in *in, uint32_t index, const pf_raw_packet *p, pf_error *err)
{
    pf_sequence *q = pf_sequence_find(&in->state, index);
    if (!pf_blob_is(in->list[index].epoch->defaults, &p->defaults)) {
        PF_TRY(set_part(in, index, offsetof(pf_epoch, defaults), &p->defaults, err));
    }
    return pf_sequence_set_defaults(&in->state, q, p->defaults.bytes, p->defaults.len)
               ? PF_OK
               : pf_budget_refused(in->budget, p->defaults.len, err);
}

pf_status pf_in_apply(pf_in *in, const pf_raw_packet *p, uint32_t *index, pf_error *err)
{
    *index = PF_NONE;
    if (!(p->has & PF_PACKET_SEQUENCE)) {
        return PF_OK;
    }
    PF_TRY(find(in, p, index, err));
    if (p->has & PF_PACKET_CLEARED) {
        PF_TRY(clear(in, *index, p, err));
    } else if (p->has & PF_PACKET_DROPPED) {
        pf_sequence_lose(pf_sequence_find(&in->state, *index));
    }
    if (p->defaults.tag) {
        PF_TRY(set_defaults(in, *index, p, err));
    }
    if (p->interned.tag && pf_sequence_find(&in->state, *index)->valid) {
        return intern(in->budget, in->list[*index].epoch->entries, &p->interned, p->has & PF_PACKET_STABLE, err);
    }
    return PF_OK;
}

void pf_in_read_thread(pf_sequence *q, pf_cursor thread)
{
    enum { PID = 1, TID = 2, REFERENCE_US = 6 };
    PF_CURSOR_FIELDS(t, thread, PF_AT_VARINT(PID), PF_AT_VARINT(TID), PF_AT_VARINT(REFERENCE_US));
    q->has_thread = q->has_reference = true;
    q->pid = (int32_t)t[PID].value;
    q->tid = (int64_t)t[TID].value;
    q->reference_ts = (int64_t)(t[REFERENCE_US].value * 1000);
    q->reference_thread_ts = q->reference_instructions = 0; /* of which nothing but differences is asked for */
}

pf_status pf_in_set_thread(pf_in *in, uint32_t index, const pf_field *f, pf_cursor thread, pf_error *err)
{
    pf_sequence *q = pf_sequence_find(&in->state, index);
    if (!q->valid) {
        return PF_OK;
    }
    pf_in_read_thread(q, thread);
    return set_part(in, index, offsetof(pf_epoch, thread), f, err);
}

pf_own_clock *pf_in_clock(pf_in *in, uint32_t index, uint32_t id)
{
    pf_in_sequence *s = &in->list[index];
    for (uint32_t i = 0; i < s->clocks; i++) {
        if (s->clock[i].id == id) {
            return &s->clock[i];
        }
    }
    return NULL;
}

pf_status pf_in_set_snapshot(pf_in *in, uint32_t index, const pf_field *f, pf_error *err)
{
    pf_in_sequence *s = &in->list[index];
    pf_cursor c = pf_field_cursor(f);
    pf_field reading;
    PF_TRY(set_part(in, index, offsetof(pf_epoch, snapshot), f, err));
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_SNAPSHOT_CLOCKS), &reading)) {
        PF_CURSOR_FIELDS(r, pf_field_cursor(&reading), PF_AT_VARINT(PF_F_CLOCK_ID), PF_AT_VARINT(PF_F_CLOCK_TIMESTAMP),
                         PF_AT_VARINT(PF_F_CLOCK_IS_INCREMENTAL));
        uint32_t id = (uint32_t)r[PF_F_CLOCK_ID].value;
        if (id < PF_CLOCK_SEQUENCE_FIRST || id > PF_CLOCK_SEQUENCE_LAST) {
            continue;
        }
        pf_own_clock *clock = pf_in_clock(in, index, id);
        if (!clock && s->clocks < PF_OWN_CLOCKS) {
            clock = &s->clock[s->clocks++];
        }
        if (clock) {
            int64_t now = (int64_t)r[PF_F_CLOCK_TIMESTAMP].value;
            *clock = (pf_own_clock){id, r[PF_F_CLOCK_IS_INCREMENTAL].value != 0, now, now};
        }
    }
    return PF_OK;
}
