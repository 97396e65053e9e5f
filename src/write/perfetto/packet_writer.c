/* write/perfetto/packet_writer.c - see packet_writer.h.
 *
 * The order inside a packet is that of recordings: timestamp, sequence, flags, event. New interning entries turn up
 * while the event is being written, so they are gathered in a buffer of their own and follow the event; within one
 * packet the order does not matter, the entries of a packet apply to it. Where times are differences they come last,
 * after the last argument: what differs from packet to packet then stands together, and what is the same is one stretch
 * that gzip finds again.
 */
#include "write/perfetto/packet_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/list.h"
#include "base/text/utf8.h"
#include "wire/cursor.h"

#define FLUSH_BYTES (64u << 10)
#define POOL_TEXTS 65536u     /* texts remembered per kind; later ones are written in place */
#define POOL_TEXT_BYTES 4096u /* longer texts are not worth remembering */
#define POOL_BYTES (32u << 20)
#define KEY_LOOKUPS 1024u   /* after so many it is decided whether values of a key are looked up */
#define KEY_FOUND_LEAST 32u /* so many of them were used before, or the next ones are not */
#define KEY_IN_PLACE 15360u /* so many; then it is decided again */
#define SEQUENCE_CLOCK PF_CLOCK_SEQUENCE_FIRST
#define SHOWN_BYTES 40u

uint64_t pf_uuid_of(pf_uuid_space space, uint64_t row)
{
    /* An invertible mix (multiplications by odd numbers, shifts folded in), so different inputs stay different. Zero
     * comes from zero alone, and the space is never 0. */
    uint64_t x = (uint64_t)space << 56 | row;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void pf_packets_init(pf_packets *p, pf_sink *sink, pf_budget *budget, uint32_t sequence)
{
    memset(p, 0, sizeof *p);
    p->sink = sink;
    p->budget = budget;
    p->sequence = sequence;
    pf_writer_init(&p->w, &p->bytes);
    pf_writer_init(&p->fresh_w, &p->fresh);
    pf_writer_init(&p->note_w, &p->note);
}

void pf_packets_free(pf_packets *p)
{
    for (size_t i = 0; i < PF_WRITTEN_KINDS; i++) {
        pf_interner *in = &p->interners[i];
        if (in->has_pool) {
            pf_strings_free(&in->pool);
        }
        PF_LIST_FREE(p->budget, in->state, in->room);
    }
    pf_writer_free(&p->w);
    pf_writer_free(&p->fresh_w);
    pf_writer_free(&p->note_w);
    pf_buffer_free(&p->bytes);
    pf_buffer_free(&p->fresh);
    pf_buffer_free(&p->note);
}

void pf_packets_fail(pf_packets *p, const pf_error *error)
{
    if (p->failed == PF_OK) {
        p->failed = error->code;
        p->error = *error;
    }
}

void pf_packets_hand_over(pf_packets *p)
{
    if (p->bytes.failed || p->fresh.failed || p->note.failed) {
        pf_error e;
        pf_no_memory(&e);
        pf_packets_fail(p, &e);
    }
    if (p->failed == PF_OK && pf_sink_put(p->sink, p->bytes.data, p->bytes.len) != PF_OK) {
        pf_packets_fail(p, &p->sink->error);
    }
    p->bytes.len = 0;
}

pf_status pf_packets_status(const pf_packets *p, pf_error *err)
{
    if (p->failed != PF_OK && err) {
        *err = p->error;
    }
    return p->failed;
}

pf_status pf_packets_finish(pf_packets *p, pf_error *err)
{
    pf_packets_hand_over(p);
    return pf_packets_status(p, err);
}

static void put_clock(pf_packets *p, uint32_t id, int64_t ts, bool counts_on)
{
    pf_writer_begin(&p->w, PF_F_SNAPSHOT_CLOCKS);
    pf_writer_varint(&p->w, PF_F_CLOCK_ID, id);
    pf_writer_varint(&p->w, PF_F_CLOCK_TIMESTAMP, (uint64_t)ts);
    if (counts_on) {
        pf_writer_varint(&p->w, PF_F_CLOCK_IS_INCREMENTAL, 1);
    }
    pf_writer_end(&p->w);
}

void pf_packets_start_clock(pf_packets *p, int64_t ts)
{
    pf_packets_begin(p, -1, false);
    pf_writer_begin(&p->w, PF_F_PACKET_CLOCK_SNAPSHOT);
    put_clock(p, SEQUENCE_CLOCK, ts, true);
    put_clock(p, PF_CLOCK_BOOTTIME, ts, false);
    pf_writer_end(&p->w);
    pf_packets_end(p);
    p->counts_on = true;
    p->last_ts = ts;
    p->says_defaults = true;
}

void pf_packets_default_track(pf_packets *p, uint64_t track)
{
    p->says_defaults = p->says_defaults || p->default_track != track;
    p->default_track = track;
}

static void put_defaults(pf_packets *p)
{
    pf_writer_begin(&p->w, PF_F_PACKET_DEFAULTS);
    if (p->default_track) {
        pf_writer_begin(&p->w, PF_F_DEFAULTS_TRACK_EVENT);
        pf_writer_varint(&p->w, PF_F_EVENT_DEFAULTS_TRACK_UUID, p->default_track);
        pf_writer_end(&p->w);
    }
    pf_writer_varint(&p->w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, SEQUENCE_CLOCK);
    pf_writer_end(&p->w);
    p->says_defaults = false;
}

static void put_machine(pf_packets *p)
{
    if (p->machine) {
        pf_writer_varint(&p->w, PF_F_PACKET_MACHINE_ID, p->machine);
    }
}

void pf_packets_begin_outside(pf_packets *p, int64_t ts)
{
    p->ts = ts;
    p->says_mark = p->findings.len > 0;
    pf_writer_begin(&p->w, PF_F_TRACE_PACKET);
    put_machine(p);
    if (ts >= 0) {
        pf_writer_varint(&p->w, PF_F_PACKET_TIMESTAMP, (uint64_t)ts);
    }
}

void pf_packets_begin(pf_packets *p, int64_t ts, bool uses_iids)
{
    pf_writer_begin(&p->w, PF_F_TRACE_PACKET);
    put_machine(p);
    p->moves_on = p->counts_on && ts >= 0;
    p->ts = ts;
    if (p->moves_on) {
        return;
    }
    if (ts >= 0) {
        pf_writer_varint(&p->w, PF_F_PACKET_TIMESTAMP, (uint64_t)ts);
    }
    pf_writer_varint(&p->w, PF_F_PACKET_SEQUENCE_ID, p->sequence);
    if (!p->started) {
        pf_writer_varint(&p->w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        pf_writer_varint(&p->w, PF_F_PACKET_FIRST_ON_SEQUENCE, 1);
        p->says_mark = p->findings.len > 0;
        p->started = true;
    } else if (uses_iids && !p->counts_on) {
        pf_writer_varint(&p->w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
    }
}

/* The envelope of a packet on the clock that counts on. */
static void put_move(pf_packets *p)
{
    if (p->says_defaults) {
        put_defaults(p);
    }
    pf_writer_varint(&p->w, PF_F_PACKET_SEQUENCE_ID, p->sequence);
    /* The reader adds with wrap-around, so a difference may be negative. */
    pf_writer_varint(&p->w, PF_F_PACKET_TIMESTAMP, (uint64_t)p->ts - (uint64_t)p->last_ts);
    p->last_ts = p->ts;
    p->moves_on = false;
}

/* Nobody reads a packet beyond PF_FIELD_LENGTH_MAX: it is refused, and the error says which. */
static void check_size(pf_packets *p)
{
    size_t len = p->w.depth == 1 ? p->bytes.len - p->w.open[0] - 1 : 0;
    if (len <= PF_FIELD_LENGTH_MAX) {
        return;
    }
    pf_error e;
    char when[48] = "a packet without a time", what[2 * SHOWN_BYTES] = "";
    if (p->ts >= 0) {
        snprintf(when, sizeof when, "the packet at %" PRId64 " ns", p->ts);
    }
    if (p->name.len) {
        size_t shown = pf_utf8_fit(p->name, SHOWN_BYTES);
        snprintf(what, sizeof what, " ('%.*s%s')", (int)shown, p->name.ptr, shown < p->name.len ? "..." : "");
    }
    pf_fail(&e, PF_ERR_LIMIT,
            "%s%s would have %zu bytes, but Perfetto reads none beyond %u; shorten its strings, or write JSON", when,
            what, len, PF_FIELD_LENGTH_MAX);
    pf_packets_fail(p, &e);
    pf_writer_cut(&p->w, p->w.open[0] + 1);
}

void pf_packets_end(pf_packets *p)
{
    if (p->fresh.len) {
        pf_writer_bytes(&p->w, PF_F_PACKET_INTERNED_DATA, p->fresh.data, p->fresh.len);
        p->fresh.len = 0;
    }
    if (p->moves_on) {
        put_move(p);
    }
    if (p->note.len) {
        pf_writer_bytes(&p->w, PF_F_PACKET_ORIGIN, p->note.data, p->note.len);
        p->note.len = 0;
    }
    if (p->says_mark) { /* last: readers take the first field that they do not know for the data */
        pf_writer_bytes(&p->w, PF_F_PACKET_FINDINGS, p->findings.ptr, p->findings.len);
        p->says_mark = false;
    }
    check_size(p);
    pf_writer_end(&p->w);
    p->name = (pf_str){NULL, 0};
    if (p->bytes.len >= FLUSH_BYTES || p->bytes.failed) {
        pf_packets_hand_over(p);
    }
}

/* The number of a text in the pool of its kind; PF_NONE if it is not remembered. */
static uint32_t pool_id(pf_packets *p, pf_interner *in, pf_str text)
{
    pf_error e;
    if (text.len > POOL_TEXT_BYTES) {
        return PF_NONE;
    }
    if (!in->has_pool) {
        if (pf_strings_init(&in->pool, p->budget, &e) != PF_OK) {
            pf_packets_fail(p, &e);
            return PF_NONE;
        }
        in->has_pool = true;
    }
    if (in->pool.count >= POOL_TEXTS || in->pool_bytes >= POOL_BYTES) {
        return pf_strings_find(&in->pool, text.ptr, text.len);
    }
    uint32_t before = in->pool.count, id = pf_strings_add(&in->pool, text.ptr, text.len, &e);
    if (id == PF_NONE) {
        pf_packets_fail(p, &e);
    }
    in->pool_bytes += in->pool.count != before ? text.len : 0;
    return id;
}

static bool cover(pf_packets *p, pf_interner *in, uint32_t id)
{
    uint32_t before = in->room;
    pf_error e;
    if (PF_LIST_ROOM(p->budget, in->state, (size_t)id + 1, in->room, &e) != PF_OK) {
        pf_packets_fail(p, &e);
        return false;
    }
    memset(in->state + before, 0, (in->room - before) * sizeof *in->state);
    return true;
}

static void define(pf_packets *p, pf_written_kind kind, uint32_t iid, pf_str text)
{
    static const uint32_t fields[PF_WRITTEN_KINDS] = {PF_F_INTERNED_EVENT_CATEGORIES, PF_F_INTERNED_EVENT_NAMES,
                                                      PF_F_INTERNED_DEBUG_ANNOTATION_NAMES,
                                                      PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES};
    pf_writer_begin(&p->fresh_w, fields[kind]);
    pf_writer_varint(&p->fresh_w, PF_F_ENTRY_IID, iid);
    pf_writer_bytes(&p->fresh_w, PF_F_ENTRY_TEXT, text.ptr, text.len);
    pf_writer_end(&p->fresh_w);
}

/* Whether the text is longer than what would stand for it: keeping it in place costs its tag, its length and itself. */
static bool is_worth_an_id(pf_written_kind kind, pf_str text)
{
    return kind != PF_WRITTEN_ARG_STRING || text.len > 1;
}

/* The place of a text among the recent ones, NULL if it cannot have one. Keys of arguments come in the same order event
 * after event; their lengths and ends tell them apart well enough. */
static pf_recent_text *recent_place(pf_interner *in, pf_label label)
{
    pf_str s = label.text;
    if (label.id != PF_NONE || s.len < 2 || s.len > PF_RECENT_BYTES) {
        return NULL;
    }
    unsigned ends = (unsigned char)s.ptr[0] * 5u + (unsigned char)s.ptr[s.len - 1] * 17u +
                    (unsigned char)s.ptr[s.len / 2] * 3u + (unsigned)s.len;
    return &in->recent[ends % PF_RECENT_TEXTS];
}

/* The iid of the text, defined now if this is its second use or if it is planned; 0 if it is to be written in place. */
static uint32_t look_up(pf_packets *p, pf_written_kind kind, pf_label label)
{
    pf_interner *in = &p->interners[kind];
    uint32_t id = label.id != PF_NONE ? label.id : pool_id(p, in, label.text);
    if (id == PF_NONE || !cover(p, in, id)) {
        return 0;
    }
    uint32_t state = in->state[id];
    if (state == 0 && kind != PF_WRITTEN_ARG_NAME && kind != PF_WRITTEN_CATEGORY) {
        in->state[id] = 1;
        return 0;
    }
    if (state <= 1) {
        state = (++in->last_iid + 1) | PF_WRITTEN_PLANNED;
    }
    if (state & PF_WRITTEN_PLANNED) {
        in->state[id] = state &= ~PF_WRITTEN_PLANNED;
        define(p, kind, state - 1, label.text);
    }
    return state - 1;
}

static uint32_t intern(pf_packets *p, pf_written_kind kind, pf_label label)
{
    if (!is_worth_an_id(kind, label.text)) {
        return 0;
    }
    pf_recent_text *r = recent_place(&p->interners[kind], label);
    if (r && r->iid && r->len == label.text.len && memcmp(r->text, label.text.ptr, r->len) == 0) {
        return r->iid;
    }
    uint32_t iid = look_up(p, kind, label);
    if (r && iid) {
        r->iid = iid;
        r->len = (uint8_t)label.text.len;
        memcpy(r->text, label.text.ptr, label.text.len);
    }
    return iid;
}

/* The iid of a value of the annotation that is being written, 0 if it is to be written in place. */
static uint32_t intern_value(pf_packets *p, pf_str text)
{
    pf_key_values *k = &p->keys[p->key];
    if (k->in_place) {
        k->in_place--;
        return 0;
    }
    uint32_t iid = intern(p, PF_WRITTEN_ARG_STRING, (pf_label){PF_NONE, text});
    k->found += iid != 0;
    if (++k->looked_up == KEY_LOOKUPS) {
        *k = (pf_key_values){.in_place = k->found < KEY_FOUND_LEAST ? KEY_IN_PLACE : 0};
    }
    return iid;
}

/* Ids in the order of how long they are when written: the most used first. The classes are powers of two, which is all
 * that the length of an id depends on, and keeps the order a matter of one pass for each. */
pf_status pf_packets_plan_names(pf_packets *p, const uint32_t *uses, uint32_t count, pf_error *err)
{
    pf_interner *in = &p->interners[PF_WRITTEN_NAME];
    uint32_t in_class[33] = {0}, next[33];
    if (count == 0) {
        return PF_OK;
    }
    if (!cover(p, in, count - 1)) {
        *err = p->error;
        return p->failed;
    }
    for (uint32_t id = 0; id < count; id++) {
        in_class[uses[id] ? 32 - __builtin_clz(uses[id]) : 0]++;
    }
    next[32] = 1;
    for (unsigned k = 32; k > 0; k--) {
        next[k - 1] = next[k] + in_class[k];
    }
    for (uint32_t id = 0; id < count; id++) {
        if (uses[id] > 1) {
            in->state[id] = (next[32 - __builtin_clz(uses[id])]++ + 1) | PF_WRITTEN_PLANNED;
        }
    }
    in->last_iid = next[1] - 1;
    return PF_OK;
}

static void put_text(pf_packets *p, uint32_t iid, pf_str text, uint32_t iid_field, uint32_t text_field)
{
    if (iid) {
        pf_writer_varint(&p->w, iid_field, iid);
    } else {
        pf_writer_bytes(&p->w, text_field, text.ptr, text.len);
    }
}

static void put_track(pf_packets *p, uint64_t track)
{
    if (track != p->default_track) {
        pf_writer_varint(&p->w, PF_F_EVENT_TRACK_UUID, track);
    }
}

void pf_packets_event(pf_packets *p, int64_t ts, uint32_t type, uint64_t track, pf_label name, pf_label category)
{
    /* The end of a slice that is on top says nothing that would need state but its time. */
    pf_packets_begin(p, ts, type != PF_EVENT_SLICE_END || name.text.ptr || category.text.ptr || !p->counts_on);
    pf_writer_begin(&p->w, PF_F_PACKET_TRACK_EVENT);
    p->name = name.text;
    if (category.text.ptr) {
        uint32_t iid = intern(p, PF_WRITTEN_CATEGORY, category);
        put_text(p, iid, category.text, PF_F_EVENT_CATEGORY_IIDS, PF_F_EVENT_CATEGORIES);
    }
    if (type != PF_EVENT_UNSPECIFIED) {
        pf_writer_varint(&p->w, PF_F_EVENT_TYPE, type);
    }
    if (name.text.ptr) {
        put_text(p, intern(p, PF_WRITTEN_NAME, name), name.text, PF_F_EVENT_NAME_IID, PF_F_EVENT_NAME);
    }
    put_track(p, track);
}

void pf_packets_event_end(pf_packets *p)
{
    pf_writer_end(&p->w);
    pf_packets_end(p);
}

void pf_packets_counter(pf_packets *p, int64_t ts, uint64_t track, double value)
{
    pf_packets_begin(p, ts, false);
    pf_writer_begin(&p->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&p->w, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
    put_track(p, track);
    bool integral = fabs(value) <= 0x1p53 && value == floor(value) && !(value == 0 && signbit(value));
    if (integral) {
        pf_writer_varint(&p->w, PF_F_EVENT_COUNTER_VALUE, (uint64_t)(int64_t)value);
    } else {
        pf_writer_double(&p->w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, value);
    }
    pf_packets_event_end(p);
}

void pf_packets_arg_name(pf_packets *p, pf_str name)
{
    uint32_t iid = intern(p, PF_WRITTEN_ARG_NAME, (pf_label){PF_NONE, name});
    put_text(p, iid, name, PF_F_ANNOTATION_NAME_IID, PF_F_ANNOTATION_NAME);
    p->key = iid % PF_WATCHED_KEYS;
}

void pf_packets_value(pf_packets *p, const pf_value *v)
{
    switch (v->type) {
    case PF_VALUE_NULL:
        break;
    case PF_VALUE_BOOL:
        pf_writer_varint(&p->w, PF_F_ANNOTATION_BOOL, v->as.b);
        break;
    case PF_VALUE_INT:
        pf_writer_varint(&p->w, PF_F_ANNOTATION_INT, (uint64_t)v->as.i);
        break;
    case PF_VALUE_UINT:
        pf_writer_varint(&p->w, PF_F_ANNOTATION_UINT, v->as.u);
        break;
    case PF_VALUE_REAL:
        pf_writer_double(&p->w, PF_F_ANNOTATION_DOUBLE, v->as.d);
        break;
    case PF_VALUE_STRING:
        put_text(p, intern_value(p, v->as.s), v->as.s, PF_F_ANNOTATION_STRING_IID, PF_F_ANNOTATION_STRING);
        break;
    case PF_VALUE_POINTER:
        pf_writer_varint(&p->w, PF_F_ANNOTATION_POINTER, v->as.u);
        break;
    case PF_VALUE_JSON:
        pf_writer_bytes(&p->w, PF_F_ANNOTATION_LEGACY_JSON, v->as.s.ptr, v->as.s.len);
        break;
    }
}
