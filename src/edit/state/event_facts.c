/* edit/state/event_facts.c - see event_facts.h. */
#include "edit/state/event_facts.h"

#include <string.h>

#include "base/hash.h"
#include "perfetto/fields.h"

#define BIT(field) ((uint64_t)1 << (field))

/* Fields whose values count, but for the two that most events have. */
#define RARE                                                                                                           \
    (BIT(PF_F_EVENT_TIMESTAMP_DELTA_US) | BIT(PF_F_EVENT_THREAD_TIME_DELTA_US) |                                       \
     BIT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA) | BIT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US) |                          \
     BIT(PF_F_EVENT_LEGACY_EVENT))

static void take_rare(pf_event_facts *e, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US):
        e->has_delta_us = true;
        e->delta_us = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_DELTA_US):
        e->has_thread_delta = true;
        e->thread_delta_us = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA):
        e->has_instruction_delta = true;
        e->instruction_delta = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US):
        e->absolute_us = f->value;
        break;
    case PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT):
        e->legacy = *f;
        break;
    default:
        break;
    }
}

/* Reads the field at p; the byte after it, NULL if it is malformed. 64 bytes after `end` can be read. */
static inline const uint8_t *read_field(pf_field *f, const uint8_t *p, const uint8_t *end)
{
    uint64_t tag;
    const uint8_t *q = pf_varint_slop(p, &tag);
    if (!q || q > end || tag >> 3 == 0) {
        return NULL;
    }
    f->tag = tag < UINT32_MAX ? (uint32_t)tag : UINT32_MAX;
    if ((tag & 7) != PF_WIRE_VARINT && (tag & 7) != PF_WIRE_BYTES) {
        return pf_skip_value(q, end, tag);
    }
    q = pf_varint_slop(q, &f->value);
    if ((tag & 7) == PF_WIRE_VARINT) {
        return q && q <= end ? q : NULL;
    }
    if (!q || q > end || f->value > (uint64_t)(end - q)) {
        return NULL;
    }
    f->bytes = q;
    f->len = (uint32_t)f->value;
    return q + f->len;
}

/* Which fields an event has, as bits, and the values of some. */
static uint64_t read_fields(pf_event_facts *e, const pf_field *event)
{
    const uint8_t *end = event->bytes + event->len;
    uint64_t has = 0;
    pf_field f;
    for (const uint8_t *p = event->bytes; p < end;) {
        p = read_field(&f, p, end);
        if (!p) {
            break;
        }
        uint32_t number = pf_field_number(&f);
        uint64_t bit = number < 64 ? BIT(number) : 0;
        has |= bit;
        if (f.tag == PF_TAG_VARINT(PF_F_EVENT_TYPE)) {
            e->type = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID)) {
            e->uuid = f.value;
        } else if (bit & RARE) {
            take_rare(e, &f);
        }
    }
    return has;
}

/* A phase of Chrome's format counts more than the type. */
static void read_legacy(pf_event_facts *e)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&e->legacy), PF_AT_VARINT(PF_F_LEGACY_NAME_IID),
                     PF_AT_VARINT(PF_F_LEGACY_PHASE), PF_AT_VARINT(PF_F_LEGACY_DURATION_US),
                     PF_AT_VARINT(PF_F_LEGACY_BIND_ID));
    uint64_t phase = f[PF_F_LEGACY_PHASE].value;
    e->named |= f[PF_F_LEGACY_NAME_IID].value != 0;
    if (!f[PF_F_LEGACY_PHASE].tag || !phase) {
        return;
    }
    e->has_flows |= f[PF_F_LEGACY_BIND_ID].tag != 0;
    e->phase = phase < 0x80 ? (uint8_t)phase : '?';
    e->async = strchr("benSTpF", e->phase) != NULL;
    e->action = strchr("BbS", e->phase) ? 'B' : strchr("EeF", e->phase) ? 'E' : e->phase == 'X' ? 'X' : 'i';
    if (e->action == 'X' && __builtin_mul_overflow((int64_t)f[PF_F_LEGACY_DURATION_US].value, 1000, &e->dur)) {
        e->dur = 0;
    }
}

pf_event_facts pf_event_facts_of(const pf_field *event)
{
    static const uint8_t actions[] = {0, 'B', 'E', 'i', 'C', 'S'};
    pf_event_facts e = {.action = 0};
    uint64_t has = read_fields(&e, event);
    e.has_uuid = has & BIT(PF_F_EVENT_TRACK_UUID);
    e.named = has & (BIT(PF_F_EVENT_NAME_IID) | BIT(PF_F_EVENT_NAME));
    e.has_category = has & (BIT(PF_F_EVENT_CATEGORY_IIDS) | BIT(PF_F_EVENT_CATEGORIES));
    e.has_extra = has & (BIT(PF_F_EVENT_EXTRA_COUNTER_VALUES) | BIT(PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES));
    e.has_flows = has & (BIT(PF_F_EVENT_FLOW_IDS) | BIT(PF_F_EVENT_FLOW_IDS_OLD) |
                         BIT(PF_F_EVENT_TERMINATING_FLOW_IDS) | BIT(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD));
    e.action = e.type < sizeof actions ? actions[e.type] : 0;
    if (e.legacy.tag && e.type != PF_EVENT_COUNTER) {
        read_legacy(&e);
    }
    return e;
}

/* The text of an interned entry. */
static pf_str text_of(const pf_epoch *epoch, uint32_t field, uint64_t iid)
{
    uint32_t i = pf_entries_find(epoch->entries, field, iid);
    if (i == PF_NONE) {
        return (pf_str){NULL, 0};
    }
    const pf_interned *entry = &epoch->entries->list[i];
    const pf_field whole = pf_cursor_last(pf_cursor_over(entry->bytes, entry->len), PF_TAG_BYTES(field));
    const pf_field text = pf_cursor_last(pf_field_cursor(&whole), PF_TAG_BYTES(PF_F_ENTRY_TEXT));
    return pf_field_text(&text);
}

pf_str pf_event_name(const pf_field *event, const pf_epoch *epoch)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(event), PF_AT_VARINT(PF_F_EVENT_NAME_IID), PF_AT_BYTES(PF_F_EVENT_NAME),
                     PF_AT_BYTES(PF_F_EVENT_LEGACY_EVENT));
    uint64_t iid = f[PF_F_EVENT_NAME_IID].value;
    if (!iid) {
        iid = pf_cursor_last(pf_field_cursor(&f[PF_F_EVENT_LEGACY_EVENT]), PF_TAG_VARINT(PF_F_LEGACY_NAME_IID)).value;
    }
    return iid ? text_of(epoch, PF_F_INTERNED_EVENT_NAMES, iid) : pf_field_text_or_null(&f[PF_F_EVENT_NAME]);
}

static void join(pf_buffer *b, size_t start, pf_str text)
{
    if (text.len) {
        pf_buffer_put(b, ",", b->len > start);
        pf_buffer_put(b, text.ptr, text.len);
    }
}

void pf_event_categories(const pf_field *event, const pf_epoch *epoch, pf_buffer *categories)
{
    size_t start = categories->len;
    pf_cursor c = pf_field_cursor(event);
    pf_numbers iids = pf_numbers_of(c, PF_F_EVENT_CATEGORY_IIDS, false);
    uint64_t iid;
    pf_field f;
    while (pf_numbers_next(&iids, &iid)) {
        join(categories, start, text_of(epoch, PF_F_INTERNED_EVENT_CATEGORIES, iid));
    }
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_CATEGORIES), &f)) {
        join(categories, start, pf_field_text(&f));
    }
}

static uint64_t hash_of(const pf_buffer *b, uint64_t seed)
{
    uint64_t hash = seed;
    for (size_t i = 0; !b->failed && i < b->len; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, b->data + i, b->len - i < sizeof word ? b->len - i : sizeof word);
        hash = pf_hash_add(hash, word);
    }
    return hash;
}

uint64_t pf_event_async_key(const pf_event_facts *e, const pf_field *event, const pf_epoch *epoch, int64_t pid,
                            uint64_t seed, pf_buffer *scratch)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&e->legacy), PF_AT_VARINT(PF_F_LEGACY_UNSCOPED_ID),
                     PF_AT_BYTES(PF_F_LEGACY_ID_SCOPE), PF_AT_VARINT(PF_F_LEGACY_LOCAL_ID),
                     PF_AT_VARINT(PF_F_LEGACY_GLOBAL_ID));
    bool unscoped = f[PF_F_LEGACY_UNSCOPED_ID].tag, global = f[PF_F_LEGACY_GLOBAL_ID].tag;
    uint64_t parts[3] = {unscoped ? f[PF_F_LEGACY_UNSCOPED_ID].value
                         : global ? f[PF_F_LEGACY_GLOBAL_ID].value
                                  : f[PF_F_LEGACY_LOCAL_ID].value,
                         unscoped || global ? UINT64_MAX : (uint64_t)pid, 0};
    bool nestable = strchr("ben", e->phase) != NULL, flow = strchr("stf", e->phase) != NULL;
    scratch->len = 0;
    pf_buffer_put(scratch, parts, sizeof parts);
    if (nestable || flow || f[PF_F_LEGACY_ID_SCOPE].tag) {
        pf_event_categories(event, epoch, scratch);
    }
    if (f[PF_F_LEGACY_ID_SCOPE].tag) {
        const pf_str scope = pf_field_text(&f[PF_F_LEGACY_ID_SCOPE]);
        pf_buffer_put(scratch, ":", 1);
        pf_buffer_put(scratch, scope.ptr, scope.len);
    } else if (!nestable) {
        const pf_str name = pf_event_name(event, epoch);
        pf_buffer_put(scratch, name.ptr, name.len);
    }
    return hash_of(scratch, seed);
}
