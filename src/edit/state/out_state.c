/* edit/state/out_state.c - see out_state.h. */
#include "edit/state/out_state.h"

#include <string.h>

#include "base/list.h"

pf_status pf_out_init(pf_out *o, pf_budget *budget, pf_sink *sink, pf_error *err)
{
    *o = (pf_out){.budget = budget, .sink = sink};
    pf_sequences_init(&o->state, budget, NULL, NULL, 0);
    pf_writer_init(&o->writer, &o->packet);
    o->walk = pf_alloc(budget, sizeof *o->walk);
    return o->walk ? PF_OK : pf_budget_refused(budget, sizeof *o->walk, err);
}

void pf_out_free(pf_out *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        pf_epoch_drop(o->budget, o->list[i].epoch);
        pf_blob_drop(o->budget, o->list[i].snapshot);
        PF_LIST_FREE(o->budget, o->list[i].said, o->list[i].said_words);
    }
    PF_LIST_FREE(o->budget, o->list, o->room);
    PF_LIST_FREE(o->budget, o->missing, o->missing_room);
    pf_release(o->budget, o->walk, o->walk ? sizeof *o->walk : 0);
    pf_sequences_free(&o->state);
    pf_writer_free(&o->writer);
    pf_buffer_free(&o->packet);
    pf_buffer_free(&o->redacted);
}

void pf_out_begin(pf_out *o, const pf_in_sequence *s)
{
    o->packet.len = 0;
    pf_writer_begin(&o->writer, PF_F_TRACE_PACKET);
    if (s) {
        pf_writer_varint(&o->writer, PF_F_PACKET_SEQUENCE_ID, s->id);
        if (s->machine) {
            pf_writer_varint(&o->writer, PF_F_PACKET_MACHINE_ID, s->machine);
        }
    }
}

pf_status pf_out_put(pf_out *o, const void *bytes, size_t len, pf_error *err)
{
    if (o->redact && o->sink) {
        o->redacted.len = 0;
        PF_TRY(pf_redact_packets(o->redact, (pf_bytes){bytes, len}, &o->redacted, err));
        bytes = o->redacted.data;
        len = o->redacted.len;
    }
    o->bytes += len;
    pf_status st = o->sink ? pf_sink_put(o->sink, bytes, len) : PF_OK;
    if (st != PF_OK && err) {
        *err = o->sink->error;
    }
    return st;
}

pf_status pf_out_end(pf_out *o, pf_error *err)
{
    pf_writer_end(&o->writer);
    if (o->writer.failed || o->packet.failed) {
        return pf_no_memory(err);
    }
    return pf_out_put(o, o->packet.data, o->packet.len, err);
}

static pf_status find(pf_out *o, uint32_t index, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(o->budget, o->list, index + 1, o->room, err));
    for (; o->count <= index; o->count++) {
        o->list[o->count] = (pf_out_sequence){.epoch = NULL};
        if (!pf_sequence_find(&o->state, o->count)) {
            return pf_budget_refused(o->budget, sizeof(pf_sequence), err);
        }
    }
    return PF_OK;
}

static void put_blob(pf_out *o, const pf_blob *b)
{
    if (b) {
        pf_writer_bytes(&o->writer, b->field, b->bytes, b->len);
    }
}

/* Incremental clocks count from the snapshot now. */
static void restart_clocks(pf_out *o, pf_out_sequence *s, const pf_in_sequence *in)
{
    pf_blob_drop(o->budget, s->snapshot);
    s->snapshot = pf_blob_keep(in->epoch->snapshot);
    for (uint32_t i = 0; i < in->clocks; i++) {
        s->running[i] = in->clock[i].base;
    }
}

/* The sequence is in that epoch, without having said any of its entries where it began anew. */
static void enter(pf_out *o, uint32_t index, pf_epoch *epoch, bool anew)
{
    pf_out_sequence *s = &o->list[index];
    pf_epoch_keep(epoch);
    pf_epoch_drop(o->budget, s->epoch);
    s->epoch = epoch;
    if (anew) {
        for (uint32_t i = 0; i < s->said_words; i++) {
            s->said[i] = 0;
        }
        s->said_count = 0;
        pf_sequence_clear(pf_sequence_find(&o->state, index));
    }
}

static void set_reference(pf_out *o, uint32_t index)
{
    const pf_blob *thread = o->list[index].epoch->thread;
    pf_cursor c = pf_cursor_over(thread->bytes, thread->len);
    if (thread->field == PF_F_PACKET_TRACK_DESCRIPTOR) {
        enum { TRACK_THREAD = 4 };
        const pf_field f = pf_cursor_last(c, PF_TAG_BYTES(TRACK_THREAD));
        c = pf_field_cursor(&f);
    }
    pf_in_read_thread(pf_sequence_find(&o->state, index), c);
}

static pf_status say_thread(pf_out *o, const pf_in *in, uint32_t index, pf_error *err)
{
    pf_out_begin(o, &in->list[index]);
    put_blob(o, o->list[index].epoch->thread);
    o->added++;
    set_reference(o, index);
    return pf_out_end(o, err);
}

/* Whether they say the same; each may be NULL. */
static bool is_same(const pf_blob *a, const pf_blob *b)
{
    return a == b || (a && b && a->field == b->field && a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0);
}

pf_status pf_out_align(pf_out *o, const pf_in *in, uint32_t index, pf_epoch *epoch, pf_error *err)
{
    PF_TRY(find(o, index, err));
    pf_out_sequence *s = &o->list[index];
    if (s->epoch == epoch && (epoch != in->list[index].epoch || s->snapshot == epoch->snapshot)) {
        return PF_OK;
    }
    const pf_epoch none = {.entries = NULL}, *was = s->epoch ? s->epoch : &none;
    bool anew = was->entries != epoch->entries, clears = anew && (epoch->entries->cleared || was->entries);
    bool defaults = clears ? epoch->defaults != NULL : !is_same(was->defaults, epoch->defaults);
    bool snapshot = epoch == in->list[index].epoch && s->snapshot != epoch->snapshot;
    bool thread = epoch->thread && (clears || was->thread != epoch->thread);
    if (clears || defaults || snapshot) {
        pf_out_begin(o, &in->list[index]);
        if (clears) {
            pf_writer_varint(&o->writer, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
            put_blob(o, epoch->mark);
        }
        if (defaults && !epoch->defaults) {
            pf_writer_bytes(&o->writer, PF_F_PACKET_DEFAULTS, "", 0);
        } else if (defaults) {
            put_blob(o, epoch->defaults);
        }
        if (snapshot) {
            put_blob(o, epoch->snapshot);
            restart_clocks(o, s, &in->list[index]);
        }
        o->added++;
        PF_TRY(pf_out_end(o, err));
    }
    enter(o, index, epoch, anew);
    return thread ? say_thread(o, in, index, err) : PF_OK;
}

/* Marks the entry as said; false if it was already. */
static pf_status mark(pf_out *o, pf_out_sequence *s, uint32_t entry, bool *fresh, pf_error *err)
{
    uint32_t words = s->said_words;
    PF_TRY(PF_LIST_ROOM(o->budget, s->said, entry / 64 + 1, s->said_words, err));
    for (; words < s->said_words; words++) {
        s->said[words] = 0;
    }
    uint64_t bit = (uint64_t)1 << entry % 64;
    *fresh = !(s->said[entry / 64] & bit);
    s->said[entry / 64] |= bit;
    s->said_count += *fresh;
    return PF_OK;
}

/* The entry is missing, unless it was said. */
static pf_status miss(pf_out *o, pf_out_sequence *s, uint32_t entry, pf_error *err)
{
    bool fresh;
    PF_TRY(mark(o, s, entry, &fresh, err));
    if (fresh) {
        PF_TRY(PF_LIST_ROOM(o->budget, o->missing, o->missing_count + 1, o->missing_room, err));
        o->missing[o->missing_count++] = entry;
    }
    return PF_OK;
}

/* Notes what a message refers to. What nobody knows may refer to anything. */
static pf_status find_missing(pf_out *o, pf_out_sequence *s, pf_message message, const uint8_t *bytes, size_t len,
                              pf_error *err)
{
    const pf_entries *e = s->epoch->entries;
    pf_role_field f;
    bool unknown = false;
    pf_role_walk_begin(o->walk, message, bytes, len, NULL);
    while (pf_role_walk_next(o->walk, &f)) {
        uint32_t entry = f.role == PF_ROLE_IID ? pf_entries_find(e, f.kind, f.field.value) : PF_NONE;
        unknown |= f.role == PF_ROLE_UNKNOWN;
        if (entry != PF_NONE) {
            PF_TRY(miss(o, s, entry, err));
        }
    }
    for (uint32_t i = 0; unknown && i < e->count; i++) {
        PF_TRY(miss(o, s, i, err));
    }
    return PF_OK;
}

pf_status pf_out_say(pf_out *o, const pf_in *in, uint32_t index, pf_message message, const uint8_t *bytes, size_t len,
                     pf_error *err)
{
    pf_out_sequence *s = &o->list[index];
    const pf_entries *e = s->epoch->entries;
    if (s->said_count == e->count) {
        return PF_OK;
    }
    o->missing_count = 0;
    PF_TRY(find_missing(o, s, message, bytes, len, err));
    for (uint32_t i = 0; i < o->missing_count; i++) { /* entries that entries refer to */
        const pf_interned *entry = &e->list[o->missing[i]];
        PF_TRY(find_missing(o, s, PF_MSG_INTERNED, entry->bytes, entry->len, err));
    }
    if (!o->missing_count) {
        return PF_OK;
    }
    pf_out_begin(o, &in->list[index]);
    pf_writer_begin(&o->writer, PF_F_PACKET_INTERNED_DATA);
    for (uint32_t i = 0; i < o->missing_count; i++) {
        const pf_interned *entry = &e->list[o->missing[i]];
        pf_writer_raw(&o->writer, entry->bytes, entry->len);
    }
    pf_writer_end(&o->writer);
    o->added++;
    return pf_out_end(o, err);
}

/* A packet that clears the state brings its sequence in line by itself, but for what survives a clear and is said only
 * where the state is valid. */
static pf_status align_cleared(pf_out *o, const pf_in *in, uint32_t index, pf_error *err)
{
    pf_epoch *epoch = in->list[index].epoch;
    const pf_epoch none = {.entries = NULL}, *was = o->list[index].epoch ? o->list[index].epoch : &none;
    if (epoch->snapshot != o->list[index].snapshot || (epoch->thread && epoch->thread != was->thread)) {
        PF_TRY(pf_out_align(o, in, index, epoch, err));
    }
    enter(o, index, epoch, true);
    return PF_OK;
}

/* Its own entries are said. */
static pf_status mark_own(pf_out *o, uint32_t index, const pf_field *data, pf_error *err)
{
    pf_out_sequence *s = &o->list[index];
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    bool fresh;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool entry = pf_field_wire(&f) == PF_WIRE_BYTES;
        const pf_field iid = entry ? pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(PF_F_ENTRY_IID)) : f;
        uint32_t known = entry ? pf_entries_find(s->epoch->entries, pf_field_number(&f), iid.value) : PF_NONE;
        if (known != PF_NONE) {
            PF_TRY(mark(o, s, known, &fresh, err));
        }
    }
    return PF_OK;
}

pf_status pf_out_prepare(pf_out *o, const pf_in *in, uint32_t index, const pf_raw_packet *p, pf_error *err)
{
    PF_TRY(find(o, index, err));
    PF_TRY(p->has & PF_PACKET_CLEARED ? align_cleared(o, in, index, err)
                                      : pf_out_align(o, in, index, in->list[index].epoch, err));
    if (p->interned.tag) {
        PF_TRY(mark_own(o, index, &p->interned, err));
    }
    return pf_out_say(o, in, index, PF_MSG_PACKET, p->bytes, p->len, err);
}
