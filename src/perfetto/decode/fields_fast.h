/* perfetto/decode/fields_fast.h - one plain packet, read field by field; included by batch.c only.
 *
 * The envelope that most packets have is recognised by one comparison of eight bytes. Times, ids and uuids have all
 * lengths, so that a test for short ones would be guessed wrong; varints are taken whole with one load. On anything
 * else the functions return false, and packet.c reads the packet from its start. Where packets look like ones
 * before, packet_templates.h is faster.
 */
#pragma once

#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"
#include "wire/cursor.h"

/* What a plain packet says next to its row. */
typedef struct plain_packet {
    pf_row_place place;
    pf_row_label label;
    uint64_t value;
} plain_packet;

#define MIX 0x9e3779b97f4a7c15u /* spreads the bits of a hash */
#define BLOCK 64u

/* Packets that are read one after the other before any place or label is looked for. */
typedef struct block {
    uint32_t count, tails;
    plain_packet plain[BLOCK];
    struct {
        uint8_t row, from;
    } tail[BLOCK]; /* packet_templates.h: of which rows the rest is to be read, from which byte on */
} block;

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Tags of the plain fields, as the bytes they begin with. Those above field 15 have two, the second is compared apart.
 */
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

/* Takes a varint into *v and returns the byte after it; NULL if it has more than 8 bytes, which is not plain. */
static inline const uint8_t *take_varint(const uint8_t *p, uint64_t *v)
{
    uint64_t bytes = pf_load64(p), stop = ~bytes & 0x8080808080808080u;
    *v = pf_varint_gather(bytes & (stop ^ (stop - 1)));
    return __builtin_expect(stop != 0, 1) ? p + (__builtin_ctzll(stop) >> 3) + 1 : NULL;
}

/* The same where one byte is the rule. */
static inline const uint8_t *take_small(const uint8_t *p, uint64_t *v)
{
    if (__builtin_expect(*p < 0x80, 1)) {
        *v = *p;
        return p + 1;
    }
    return take_varint(p, v);
}

#define ONE_ID (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)

/* A packet while it is read. */
typedef struct draft {
    uint64_t timestamp, uuid, name_iid, category, value;
    const uint8_t *name;
    uint32_t text, what; /* what: without the type */
    uint32_t type;
    uint32_t sequence, clock; /* of the place */
    const uint8_t *event;     /* its body, and its end */
    const uint8_t *event_end;
} draft;

/* A single flow id is the row's value; where there are more, or the value is in use, phase 2 looks for the ids in the
 * bytes. */
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

/* Fields of a TrackEvent that have two bytes of tag; *at is after them afterwards. False if the field is none of
 * these. */
static inline bool read_far_field(draft *d, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    switch (load_two(p)) {
    case TWO_BYTES(PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE)):
        if (!(p = take_varint(p + 2, &d->value))) {
            return false;
        }
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

/* Fields of a TrackEvent from p on; false if one is not plain. Type, name, category and track come first, and in this
 * order, in what most writers write: looked for one after the other they are guessed better than in the loop. */
static inline bool read_fields(draft *d, const uint8_t *p, const uint8_t *end)
{
    uint32_t len;
    if (p < end && *p == AT_TYPE && p[1] < 0x80) {
        d->type = p[1];
        p += 2;
    }
    if (p < end && *p == AT_NAME) {
        if (!(p = take_varint(p + 1, &d->name_iid))) {
            return false;
        }
    }
    if (p < end && *p == AT_CATEGORY && d->category == 0) {
        if (!(p = take_small(p + 1, &d->category)) || d->category == 0) {
            return false;
        }
    }
    if (p < end && *p == AT_UUID) {
        if (!(p = pf_varint_slop(p + 1, &d->uuid))) {
            return false;
        }
        d->clock |= PF_PLACE_HAS_UUID;
    }
    while (p < end) {
        switch (*p) {
        case AT_ANNOTATION:
            p = take_length(p + 1, end, &len);
            if (!p) {
                return false;
            }
            p += len;
            d->what |= PF_ROW_HAS_ARGS;
            break;
        case AT_TYPE:
            if (p[1] & 0x80) {
                return false;
            }
            d->type = p[1];
            p += 2;
            break;
        case AT_NAME:
            if (!(p = take_varint(p + 1, &d->name_iid))) {
                return false;
            }
            break;
        case AT_UUID:
            if (!(p = pf_varint_slop(p + 1, &d->uuid))) {
                return false;
            }
            d->clock |= PF_PLACE_HAS_UUID;
            break;
        case AT_CATEGORY:
            if (d->category || !(p = take_small(p + 1, &d->category)) || d->category == 0) {
                return false;
            }
            break;
        default:
            if (!read_far_field(d, &p, end)) {
                return false;
            }
        }
    }
    return p == end;
}

/* Whether a counter has a value. */
static inline bool has_due_value(uint32_t what)
{
    return (what & PF_ROW_TYPE) != PF_EVENT_COUNTER || what & (PF_ROW_HAS_INT | PF_ROW_HAS_DOUBLE);
}

/* Whether what was read is a plain event, and nothing is larger than it may be. */
static inline bool is_plain(const draft *d)
{
    bool fits = d->type - 1 < PF_EVENT_COUNTER && (d->name_iid | d->category) >> 32 == 0 && !(d->text && d->name_iid);
    return fits && has_due_value(d->what | d->type);
}

/* ---- envelopes --------------------------------------------------------------------------------------------------- */

/* What most packets have between their time and the fields of their event, as eight bytes: sequence, flags, tag and
 * length of the event, its type. COMMON_MASK leaves out the values, but for their top bits: each has one byte. */
#define COMMON_BYTES                                                                                                   \
    (AT_SEQUENCE | (uint64_t)AT_FLAGS << 16 | (uint64_t)PF_SEQ_NEEDS_STATE << 24 | (uint64_t)AT_EVENT << 32 |          \
     (uint64_t)AT_TYPE << 48)
#define COMMON_MASK 0x80ff80ffffff80ffu

/* The envelope where its fields stand in any order. */
static inline bool read_envelope(draft *d, const uint8_t *p, const uint8_t *end)
{
    enum { TIME = 1, SEQUENCE = 2, EVENT = 4 };
    uint64_t v, sequence = 0, clock = 0;
    uint32_t seen = 0, needs_state = 0, event_len = 0;
    while (p < end) {
        switch (*p) {
        case AT_EVENT:
            p = seen & EVENT ? NULL : take_length(p + 1, end, &event_len);
            if (!p) {
                return false;
            }
            seen |= EVENT;
            d->event = p;
            p += event_len;
            break;
        case AT_TIMESTAMP:
            if (!(p = take_varint(p + 1, &d->timestamp))) {
                return false;
            }
            seen |= TIME;
            break;
        case AT_SEQUENCE:
            if (!(p = take_small(p + 1, &sequence))) {
                return false;
            }
            seen |= SEQUENCE;
            break;
        case AT_UID:
            if (!(p = take_small(p + 1, &v))) {
                return false;
            }
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
                if (!(p = take_varint(p + 2, &clock))) {
                    return false;
                }
                break;
            case TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID)):
                if (!(p = take_varint(p + 2, &v))) {
                    return false;
                }
                break;
            default:
                return false;
            }
        }
    }
    if (p != end || seen != (TIME | SEQUENCE | EVENT)) {
        return false;
    }
    d->sequence = (uint32_t)sequence;
    d->clock = (uint32_t)clock | needs_state;
    d->event_end = d->event + event_len;
    return (uint32_t)clock < PF_PLACE_CLOCK;
}

/* The envelope as most have it: the time, then COMMON_BYTES, and nothing after the event. */
static inline bool read_common_envelope(draft *d, const uint8_t *p, const uint8_t *end)
{
    if (*p != AT_TIMESTAMP) {
        return false;
    }
    if (!(p = take_varint(p + 1, &d->timestamp))) {
        return false;
    }
    uint64_t next = pf_load64(p);
    d->event = p + 6;
    d->event_end = d->event + (uint8_t)(next >> 40);
    d->sequence = (uint32_t)(next >> 8) & 0xff;
    d->clock = PF_PLACE_NEEDS_STATE;
    return d->event_end == end && ((next ^ COMMON_BYTES) & COMMON_MASK) == 0;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* The draft becomes row i. */
static inline void keep_draft(plain_packet *u, pf_rows *b, uint32_t i, const draft *d, const uint8_t *start,
                              const uint8_t *end)
{
    b->timestamp[i] = d->timestamp;
    b->at[i] = (uint32_t)(start - b->bytes);
    b->where[i] = (pf_row_where){(uint16_t)(end - start), (uint16_t)(d->event - start),
                                 (uint16_t)(d->event_end - d->event), (uint16_t)(d->what | d->type)};
    u->place = (pf_row_place){d->uuid, d->sequence, d->clock};
    u->label = (pf_row_label){(uint32_t)d->name_iid, (uint32_t)d->category, d->sequence, d->text, d->name};
    u->value = d->value;
}

/* A packet of nothing but an envelope and a TrackEvent with the fields that most have, none of them malformed: it
 * becomes row i. */
static inline bool read_packet(plain_packet *u, pf_rows *b, uint32_t i, const uint8_t *start, const uint8_t *p,
                               const uint8_t *end)
{
    draft d = {0};
    if (!read_common_envelope(&d, p, end)) {
        d = (draft){0};
        if (!read_envelope(&d, p, end)) {
            return false;
        }
    }
    if (!read_fields(&d, d.event, d.event_end) || !is_plain(&d)) {
        return false;
    }
    d.what |= p - start > 2 ? PF_ROW_LONG : 0;
    keep_draft(u, b, i, &d, start, end);
    return true;
}
