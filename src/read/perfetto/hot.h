/* read/perfetto/hot.h - one usual packet, read in a straight line; included by rows.c only.
 *
 * The envelope that most packets have is recognised by one comparison of eight bytes, any other one field by field. Times, ids
 * and uuids have all lengths, so that a test for short ones would be guessed wrong; varints are taken whole with one load.
 * What an event says is found without branches where it is little (read_short_event), else in a loop. On anything unusual
 * the functions return false, and record.c reads the packet from its start.
 */
#ifndef PF_READ_PERFETTO_HOT_H
#define PF_READ_PERFETTO_HOT_H

#include "perfetto/fields.h"
#include "read/perfetto/rows.h"
#include "wire/cursor.h"

/* What a usual packet says beside its row. */
typedef struct usual {
    pf_place place;
    pf_label label;
    uint64_t value;
} usual;

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Tags of the usual fields, as the bytes they begin with. Those above field 15 have two, the second is compared apart. */
enum {
    AT_TIMESTAMP = PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP),
    AT_SEQUENCE = PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_ID),
    AT_FLAGS = PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_FLAGS),
    AT_UID = PF_TAG_VARINT(PF_F_PACKET_TRUSTED_UID),
    AT_EVENT = PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT),
    AT_TYPE = PF_TAG_VARINT(PF_F_EVENT_TYPE),
    AT_NAME = PF_TAG_VARINT(PF_F_EVENT_NAME_IID),
    AT_UUID = PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID),
    AT_CATEGORY = PF_TAG_VARINT(PF_F_EVENT_CATEGORY_IIDS),
    AT_ANNOTATION = PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS)
};

/* A tag of two bytes as it lies in memory. */
#define TWO_BYTES(tag) (uint16_t)(((tag)&0x7f) | 0x80 | (tag) >> 7 << 8)

static inline uint16_t load_two(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

/* A length of one or two bytes; NULL if it is longer or crosses the end. */
static inline const uint8_t *take_length(const uint8_t *p, const uint8_t *end, uint32_t *len)
{
    uint32_t n = *p++;
    if (n >= 0x80) {
        n = (n & 0x7f) | (uint32_t)*p << 7;
        if (*p++ >= 0x80) {
            return NULL;
        }
    }
    *len = n;
    return (int64_t)n <= end - p ? p : NULL;
}

/* Takes a varint into v; one of more than 8 bytes is not usual. */
#define TAKE(p, v)                                                                                                     \
    do {                                                                                                               \
        uint64_t take_x = pf_load64(p), take_stop = ~take_x & 0x8080808080808080u;                                     \
        if (__builtin_expect(take_stop == 0, 0)) {                                                                     \
            return false;                                                                                              \
        }                                                                                                              \
        (v) = pf_varint_gather(take_x & (take_stop ^ (take_stop - 1)));                                                \
        (p) += (__builtin_ctzll(take_stop) >> 3) + 1;                                                                  \
    } while (0)

/* The same of any length: random uuids have 9 or 10 bytes. */
#define TAKE_LONG(p, v)                                                                                                \
    do {                                                                                                               \
        const uint8_t *take_next = pf_varint_slop(p, &(v));                                                            \
        if (__builtin_expect(!take_next, 0)) {                                                                         \
            return false;                                                                                              \
        }                                                                                                              \
        (p) = take_next;                                                                                               \
    } while (0)

/* The same where one byte is the rule. */
#define TAKE_SMALL(p, v)                                                                                               \
    do {                                                                                                               \
        if (__builtin_expect(*(p) < 0x80, 1)) {                                                                        \
            (v) = *(p)++;                                                                                              \
        } else {                                                                                                       \
            TAKE(p, v);                                                                                                \
        }                                                                                                              \
    } while (0)

#define ONE_ID (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)

/* An event while it is read. */
typedef struct draft {
    uint64_t value;
    const uint8_t *name;
    uint32_t text, what;
} draft;

/* A single flow id is the row's value; where there are more, or the value is in use, phase 2 looks for the ids in the bytes. */
static inline const uint8_t *take_flow_id(draft *d, const uint8_t *p, uint32_t mark)
{
    if (d->what & (PF_ROW_HAS_FLOWS | PF_ROW_HAS_INT | PF_ROW_HAS_DOUBLE)) {
        mark = 0;
        d->what &= ~(uint32_t)ONE_ID;
    } else {
        d->value = pf_load64(p + 2);
    }
    d->what |= PF_ROW_HAS_FLOWS | mark;
    return p + 10;
}

/* Fields of a TrackEvent that have two bytes of tag; *at is behind them afterwards. False if the field is none of these. */
static inline bool read_far_field(draft *d, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    switch (load_two(p)) {
    case TWO_BYTES(PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE)):
        p += 2;
        TAKE(p, d->value);
        d->what = (d->what & ~(uint32_t)(PF_ROW_HAS_DOUBLE | ONE_ID)) | PF_ROW_HAS_INT;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE)):
        if (d->what & PF_ROW_HAS_INT) {
            return false;
        }
        d->value = pf_load64(p + 2);
        d->what = (d->what & ~(uint32_t)ONE_ID) | PF_ROW_HAS_DOUBLE;
        p += 10;
        break;
    case TWO_BYTES(PF_TAG_BYTES(PF_F_EVENT_NAME)):
        p = take_length(p + 2, end, &d->text);
        if (!p) {
            return false;
        }
        d->name = p;
        p += d->text++;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS)):
        p = take_flow_id(d, p, PF_ROW_ONE_FLOW);
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS)):
        p = take_flow_id(d, p, PF_ROW_ONE_END);
        break;
    default:
        return false;
    }
    *at = p;
    return true;
}

#if defined(__BMI2__) && defined(__SSE2__)
#define WINDOW 16u /* bytes */

/* The number in the field whose tag is the only bit of `tag`, 0 if there is none; *size: bytes that it takes, then 64. */
static inline uint64_t number_at(const uint8_t *p, uint32_t tag, uint64_t ends, uint64_t *size)
{
    uint64_t at = _tzcnt_u64(tag | (uint64_t)1 << 32);
    *size = _tzcnt_u64(ends >> at);
    return pf_varint_gather(_bzhi_u64(pf_load64(p + at + 1), (uint32_t)(8 * *size)));
}

static inline uint32_t bytes_equal(__m128i bytes, int byte)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte)));
}

/* An event of no more behind its type than a name, a category and a uuid, in `len` <= WINDOW bytes. Which of them are there nobody
 * can guess, so there is no branch for that: as long as tags have one byte and numbers follow, the bytes without top bit
 * are by turns tags and ends of numbers, and fields are found as bits. False if it is any other event. */
static inline bool read_short_event(usual *u, pf_row *row, const uint8_t *p, uint32_t len, uint32_t type)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    uint32_t stops = _bzhi_u32(~(uint32_t)_mm_movemask_epi8(bytes), len);
    uint32_t tags = _pdep_u32(0x15, stops), ends = stops ^ tags;
    uint32_t name = tags & bytes_equal(bytes, AT_NAME), category = tags & bytes_equal(bytes, AT_CATEGORY);
    uint32_t uuid = tags & bytes_equal(bytes, AT_UUID);
    uint64_t name_size, category_size, uuid_size;
    uint64_t name_iid = number_at(p, name, ends, &name_size);
    uint64_t category_iid = number_at(p, category, ends, &category_size);
    bool whole = ((ends << 1) | 1) == (name | category | uuid | 1u << len);
    bool twice = (_blsr_u32(name) | _blsr_u32(category) | _blsr_u32(uuid)) != 0;
    bool empty = (category != 0) & (category_iid == 0);
    u->place.uuid = number_at(p, uuid, ends, &uuid_size);
    u->value = 0;
    u->label.name_iid = (uint32_t)name_iid;
    u->label.category = (uint32_t)category_iid;
    u->label.text = 0;
    row->what = (uint16_t)type;
    bool large = ((name_size | category_size | uuid_size) & 0x18) != 0; /* 8 bytes or more */
    if (!whole | twice | empty | large | ((name_iid | category_iid) >> 32 != 0)) {
        return false;
    }
    u->place.clock |= uuid ? PF_PLACE_HAS_UUID : 0;
    return true;
}
#else
#define WINDOW 0u

static inline bool read_short_event(usual *u, pf_row *row, const uint8_t *p, uint32_t len, uint32_t type)
{
    return false;
}
#endif

/* Fields of a TrackEvent behind its type as far as they are the usual ones; false if one is not, or says something else than the
 * usual. */
static inline bool read_event(usual *u, pf_row *row, const uint8_t *p, const uint8_t *end, uint32_t type)
{
    uint64_t uuid = 0, name = 0, category = 0;
    uint32_t len, has_uuid = 0;
    draft d = {0};
    if (p < end && *p == AT_NAME) {
        p++;
        TAKE(p, name);
    }
    if (p < end && *p == AT_CATEGORY) {
        p++;
        TAKE_SMALL(p, category);
        if (category == 0) {
            return false;
        }
    }
    if (p < end && *p == AT_UUID) {
        p++;
        TAKE_LONG(p, uuid);
        has_uuid = PF_PLACE_HAS_UUID;
    }
    while (p < end) {
        switch (*p) {
        case AT_ANNOTATION:
            p = take_length(p + 1, end, &len);
            if (!p) {
                return false;
            }
            p += len;
            d.what |= PF_ROW_HAS_ARGS;
            break;
        case AT_TYPE:
            if (type & 0x80) {
                return false;
            }
            type = p[1];
            p += 2;
            break;
        case AT_NAME:
            p++;
            TAKE(p, name);
            break;
        case AT_UUID:
            p++;
            TAKE_LONG(p, uuid);
            has_uuid = PF_PLACE_HAS_UUID;
            break;
        case AT_CATEGORY:
            if (category) {
                return false;
            }
            p++;
            TAKE_SMALL(p, category);
            if (category == 0) {
                return false;
            }
            break;
        default:
            if (!read_far_field(&d, &p, end)) {
                return false;
            }
        }
    }
    u->value = d.value;
    u->place.uuid = uuid;
    u->place.clock |= has_uuid;
    u->label.name_iid = (uint32_t)name;
    u->label.category = (uint32_t)category;
    u->label.text = d.text;
    u->label.name = d.name;
    row->what = (uint16_t)(d.what | type);
    if (p != end || type - 1 >= PF_EVENT_COUNTER || (name | category) >> 32 || (d.text && name)) {
        return false;
    }
    return type != PF_EVENT_COUNTER || d.what & (PF_ROW_HAS_INT | PF_ROW_HAS_DOUBLE);
}

/* Where the event of a packet lies, and its type as far as it comes first. */
typedef struct found {
    const uint8_t *event, *fields, *end; /* fields: behind the type */
    uint32_t type;
} found;

/* What most packets have between their time and the fields of their event, as eight bytes: sequence, flags, tag and length of
 * the event, its type. USUAL_MASK leaves out the values, but for their top bits: each has one byte. */
#define USUAL_BYTES                                                                                                    \
    (AT_SEQUENCE | (uint64_t)AT_FLAGS << 16 | (uint64_t)PF_SEQ_NEEDS_STATE << 24 | (uint64_t)AT_EVENT << 32 |          \
     (uint64_t)AT_TYPE << 48)
#define USUAL_MASK 0x80ff80ffffff80ffu

/* The envelope where its fields stand in any order. */
static inline bool read_envelope(usual *u, pf_row *row, const uint8_t *p, const uint8_t *end, found *f)
{
    enum { TIME = 1, SEQUENCE = 2, EVENT = 4 };
    uint64_t v, timestamp = 0, sequence = 0, clock = 0;
    uint32_t seen = 0, needs_state = 0, event_len = 0;
    while (p < end) {
        switch (*p) {
        case AT_EVENT:
            p = seen & EVENT ? NULL : take_length(p + 1, end, &event_len);
            if (!p) {
                return false;
            }
            seen |= EVENT;
            f->event = p;
            p += event_len;
            break;
        case AT_TIMESTAMP:
            p++;
            TAKE(p, timestamp);
            seen |= TIME;
            break;
        case AT_SEQUENCE:
            p++;
            TAKE_SMALL(p, sequence);
            seen |= SEQUENCE;
            break;
        case AT_UID:
            p++;
            TAKE_SMALL(p, v);
            (void)v;
            break;
        case AT_FLAGS:
            if (p[1] & ~(uint8_t)PF_SEQ_NEEDS_STATE) {
                return false;
            }
            needs_state = p[1] ? PF_PLACE_NEEDS_STATE : 0;
            p += 2;
            break;
        default:
            switch (load_two(p)) {
            case TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID)):
                p += 2;
                TAKE(p, clock);
                break;
            case TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID)):
                p += 2;
                TAKE(p, v);
                break;
            default:
                return false;
            }
        }
    }
    if (p != end || seen != (TIME | SEQUENCE | EVENT) || (uint32_t)clock > PF_PLACE_CLOCK) {
        return false;
    }
    row->timestamp = timestamp;
    u->place.sequence = (uint32_t)sequence;
    u->place.clock = (uint32_t)clock | needs_state;
    f->end = f->event + event_len;
    bool typed = event_len > 0 && *f->event == AT_TYPE;
    f->fields = typed ? f->event + 2 : f->event;
    f->type = typed ? f->event[1] : 0;
    return true;
}

/* The envelope as most have it: the time, then USUAL_BYTES, and nothing behind the event. */
static inline bool read_usual_envelope(usual *u, pf_row *row, const uint8_t *p, const uint8_t *end, found *f)
{
    if (*p != AT_TIMESTAMP) {
        return false;
    }
    p++;
    TAKE(p, row->timestamp);
    uint64_t next = pf_load64(p);
    f->event = p + 6;
    f->end = f->event + (uint8_t)(next >> 40);
    if (f->end != end || ((next ^ USUAL_BYTES) & USUAL_MASK) != 0) {
        return false;
    }
    f->fields = p + 8;
    f->type = (uint32_t)(next >> 56);
    u->place.sequence = (uint32_t)(next >> 8) & 0xff;
    u->place.clock = PF_PLACE_NEEDS_STATE;
    return true;
}

/* A packet of nothing but an envelope and a TrackEvent with the fields that most have, none of them malformed. */
static inline bool read_packet(usual *u, pf_row *row, const uint8_t *start, const uint8_t *p, const uint8_t *end,
                               bool mostly_short)
{
    found f = {0};
    if (!read_usual_envelope(u, row, p, end, &f) && !read_envelope(u, row, p, end, &f)) {
        return false;
    }
    u->label.sequence = u->place.sequence;
    row->size = (uint16_t)(end - start);
    row->event = (uint16_t)(f.event - start);
    row->event_len = (uint16_t)(f.end - f.event);
    size_t len = (size_t)(f.end - f.fields);
    if (mostly_short && len <= WINDOW && f.type - 1 < PF_EVENT_INSTANT &&
        read_short_event(u, row, f.fields, (uint32_t)len, f.type)) {
        return true;
    }
    return read_event(u, row, f.fields, f.end, f.type);
}

#endif
