/* read/perfetto/record.c - the hot decoder.
 *
 * Three loops, one inside the other in meaning though not in calls: fields of the trace (framing), fields of a packet,
 * fields of a TrackEvent. Each reads a tag and a value without asking where the end is (slop), then compares the new
 * position with the end once. A position of NULL stands for a malformed value; as an address it is below every end, so
 * `p == NULL || p > end` is the only test, and it sits on the cold side of the branch.
 *
 * This file is compiled twice, plainly and for processors with BMI2 (choose.c); wire/cursor.h makes the difference.
 */
#include "read/perfetto/record.h"

#ifdef PF_RECORDS_BMI2
#define pf_records_decode pf_records_decode_bmi2
#endif

#include "perfetto/fields.h"
#include "wire/cursor.h"

/* A length-delimited value at p: sets *bytes and *len and returns the position behind it, NULL if it crosses end. */
static inline const uint8_t *take_bytes(const uint8_t *p, const uint8_t *end, const uint8_t **bytes, uint32_t *len)
{
    uint64_t n;
    p = pf_varint_slop(p, &n);
    if (!p || p > end || n > (uint64_t)(end - p)) {
        return NULL;
    }
    if (n > PF_FIELD_LENGTH_MAX) {
        return p + n;
    }
    *bytes = p;
    *len = (uint32_t)n;
    return p + n;
}

/* Tags of a TrackEvent whose value only matters to slow paths. */
static uint32_t event_flags(uint64_t tag)
{
    switch (tag) {
    case PF_TAG_BYTES(PF_F_EVENT_CATEGORY_IIDS): /* packed */
    case PF_TAG_BYTES(PF_F_EVENT_CATEGORIES):
        return PF_HAS_CATEGORIES;
    case PF_TAG_BYTES(PF_F_EVENT_TASK_EXECUTION):
    case PF_TAG_BYTES(PF_F_EVENT_SOURCE_LOCATION):
    case PF_TAG_VARINT(PF_F_EVENT_SOURCE_LOCATION_IID):
    case PF_TAG_VARINT(PF_F_EVENT_CORRELATION_ID):
    case PF_TAG_BYTES(PF_F_EVENT_CORRELATION_ID_STR):
    case PF_TAG_VARINT(PF_F_EVENT_CORRELATION_ID_STR_IID):
    case PF_TAG_VARINT(PF_F_EVENT_GPU_API):
    case PF_TAG_BYTES(PF_F_EVENT_SCREENSHOT):
        return PF_HAS_ARGS;
    case PF_TAG_BYTES(PF_F_EVENT_LOG_MESSAGE):
    case PF_TAG_BYTES(PF_F_EVENT_CALLSTACK):
    case PF_TAG_VARINT(PF_F_EVENT_CALLSTACK_IID):
        return PF_HAS_ARGS | PF_HAS_SIDES;
    case PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES):
    case PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES_EXTENSION):
        return PF_HAS_ARGS | PF_HAS_PROCESSES;
    case PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS):
    case PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS):
    case PF_TAG_VARINT(PF_F_EVENT_FLOW_IDS_OLD):
    case PF_TAG_VARINT(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD):
    case PF_TAG_BYTES(PF_F_EVENT_FLOW_IDS): /* packed */
    case PF_TAG_BYTES(PF_F_EVENT_TERMINATING_FLOW_IDS):
    case PF_TAG_BYTES(PF_F_EVENT_FLOW_IDS_OLD):
    case PF_TAG_BYTES(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD):
        return PF_HAS_FLOWS;
    case PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION):
        return PF_HAS_ARGS | PF_HAS_FLOWS;
    case PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT):
        return PF_HAS_LEGACY;
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US):
    case PF_TAG_VARINT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US):
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_DELTA_US):
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_ABSOLUTE_US):
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA):
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE):
        return PF_HAS_DELTAS;
    case PF_TAG_VARINT(PF_F_EVENT_EXTRA_COUNTER_VALUES):
    case PF_TAG_BYTES(PF_F_EVENT_EXTRA_COUNTER_VALUES):
    case PF_TAG_FIXED64(PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES):
    case PF_TAG_BYTES(PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES):
        return PF_HAS_EXTRA;
    default:
        return tag >> 3 >= PF_F_EVENT_EXTENSIONS_FIRST && tag >> 3 <= PF_F_EVENT_EXTENSIONS_LAST ? PF_HAS_UNKNOWN : 0;
    }
}

/* Fields of the event as far as end. Returns where the first malformed one begins, NULL if there is none. */
static const uint8_t *decode_event_fields(pf_record *r, const uint8_t *end)
{
    const uint8_t *p = r->event, *start = NULL, *skipped;
    uint32_t has = r->has, skipped_len;
    uint64_t tag, v;
    while (p < end) {
        start = p;
        p = pf_varint_slop(p, &tag);
        if (!p || p > end) {
            break;
        }
        switch (tag) {
        case PF_TAG_VARINT(PF_F_EVENT_TYPE):
            p = pf_varint_slop(p, &v);
            r->type = (uint32_t)v > 0xff ? 0xff : (uint8_t)v;
            has |= PF_HAS_TYPE;
            break;
        case PF_TAG_VARINT(PF_F_EVENT_NAME_IID):
            p = pf_varint_slop(p, &r->name_iid);
            break;
        case PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID):
            p = pf_varint_slop(p, &r->track_uuid);
            has |= PF_HAS_UUID;
            break;
        case PF_TAG_VARINT(PF_F_EVENT_CATEGORY_IIDS):
            p = pf_varint_slop(p, &r->category);
            has |= has & (PF_HAS_CATEGORY | PF_HAS_CATEGORIES) ? PF_HAS_CATEGORIES : PF_HAS_CATEGORY;
            break;
        case PF_TAG_BYTES(PF_F_EVENT_NAME):
            p = take_bytes(p, end, &r->name, &r->name_len);
            has |= r->name ? PF_HAS_NAME : 0;
            break;
        case PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS):
            p = take_bytes(p, end, &skipped, &skipped_len);
            has |= PF_HAS_ARGS;
            break;
        case PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE):
            p = pf_varint_slop(p, &r->value);
            has = (has & ~PF_HAS_DOUBLE) | PF_HAS_INT;
            break;
        case PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE):
            if (!(has & PF_HAS_INT)) {
                r->value = pf_load64(p);
                has |= PF_HAS_DOUBLE;
            }
            p += 8;
            break;
        default:
            p = pf_skip_value(p, end, tag);
            has |= p ? event_flags(tag) : 0;
        }
        if (!p || p > end) {
            break;
        }
    }
    r->has = has;
    return p == end ? NULL : start;
}

/* A malformed field may have left a value that was read from behind the end, so the fields before it are read again. */
static void decode_event(pf_record *r)
{
    uint32_t has = r->has;
    const uint8_t *damage = decode_event_fields(r, r->event + r->event_len);
    if (damage) {
        r->track_uuid = r->name_iid = r->category = r->value = 0;
        r->name = NULL;
        r->name_len = 0;
        r->type = 0;
        r->has = has;
        (void)decode_event_fields(r, damage);
        r->has |= PF_HAS_DAMAGE;
    }
}

/* Packet fields that are rare: envelope fields that change sequence state, and data. */
static const uint8_t *decode_rare(pf_record *r, const uint8_t *p, const uint8_t *end, uint64_t tag)
{
    uint64_t v = 0;
    switch (tag) {
    case PF_TAG_BYTES(PF_F_PACKET_INTERNED_DATA):
    case PF_TAG_BYTES(PF_F_PACKET_DEFAULTS):
    case PF_TAG_VARINT(PF_F_PACKET_STATE_CLEARED):
    case PF_TAG_VARINT(PF_F_PACKET_PREVIOUS_DROPPED):
    case PF_TAG_VARINT(PF_F_PACKET_FIRST_ON_SEQUENCE):
        r->has |= PF_HAS_STATE;
        return pf_skip_value(p, end, tag);
    case PF_TAG_VARINT(PF_F_PACKET_MACHINE_ID):
        p = pf_varint(p, end, &v);
        r->has = (uint32_t)v ? r->has | PF_HAS_MACHINE : r->has & ~(uint32_t)PF_HAS_MACHINE;
        return p;
    case PF_TAG_VARINT(PF_F_PACKET_TRUSTED_UID):
    case PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID):
        return pf_skip_value(p, end, tag);
    default:
        p = pf_skip_value(p, end, tag);
        r->has |= tag == PF_TAG_BYTES(PF_F_PACKET_ORIGIN) ? PF_HAS_ORIGIN : 0;
        if (p && (tag & 7) == PF_WIRE_BYTES && !r->data && tag >> 3 <= PF_FIELD_NUMBER_MAX) {
            r->data = (uint32_t)(tag >> 3);
        }
        return p;
    }
}

/* False if the packet does not decode to its end. */
static bool decode_packet(pf_record *r)
{
    const uint8_t *p = r->packet, *end = p + r->packet_len;
    uint64_t tag, v;
    while (p < end) {
        p = pf_varint_slop(p, &tag);
        if (!p || p > end) {
            return false;
        }
        switch (tag) {
        case PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP):
            p = pf_varint_slop(p, &r->timestamp);
            r->has |= PF_HAS_TIMESTAMP;
            break;
        case PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_ID):
            p = pf_varint_slop(p, &v);
            r->sequence = (uint32_t)v;
            r->has |= PF_HAS_SEQUENCE;
            break;
        case PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_FLAGS):
            p = pf_varint_slop(p, &v);
            r->sequence_flags = (uint8_t)(v & 3);
            break;
        case PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID):
            p = pf_varint_slop(p, &v);
            r->clock = (uint32_t)v;
            break;
        case PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT):
            p = take_bytes(p, end, &r->event, &r->event_len);
            break;
        default:
            p = decode_rare(r, p, end, tag);
        }
        if (!p || p > end) {
            return false;
        }
    }
    if (r->event) {
        r->kind = PF_RECORD_EVENT;
        decode_event(r);
    }
    if (r->sequence_flags & PF_SEQ_STATE_CLEARED) {
        r->has |= PF_HAS_STATE;
    }
    return true;
}

/* ---- the usual event --------------------------------------------------------------------------------------------- */

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

/* Takes a varint into v. Times, ids and uuids have all lengths, a test of the first byte would be guessed wrong; so there is
 * none, and one of more than 8 bytes is left to the loops above. */
#define TAKE(p, v)                                                                                                     \
    do {                                                                                                               \
        uint64_t take_x = pf_load64(p), take_stop = ~take_x & 0x8080808080808080u;                                     \
        if (__builtin_expect(take_stop == 0, 0)) {                                                                     \
            return false;                                                                                              \
        }                                                                                                              \
        (v) = pf_varint_gather(take_x & (take_stop ^ (take_stop - 1)));                                                \
        (p) += (__builtin_ctzll(take_stop) >> 3) + 1;                                                                  \
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

#define ONE_ID (PF_HAS_ONE_FLOW | PF_HAS_ONE_END)

/* A single flow id goes into the record; where `value` is in use, phase 2 looks for the ids in the bytes. */
static inline const uint8_t *take_flow_id(pf_record *r, const uint8_t *p, uint32_t *has, uint32_t mark)
{
    if (*has & (PF_HAS_FLOWS | PF_HAS_INT | PF_HAS_DOUBLE)) {
        mark = 0;
        r->value = *has & ONE_ID ? 0 : r->value;
        *has &= ~(uint32_t)ONE_ID;
    } else {
        r->value = pf_load64(p + 2);
    }
    *has |= PF_HAS_FLOWS | mark;
    return p + 10;
}

/* Fields of a TrackEvent that have two bytes of tag; *at is behind them afterwards. False if the field is none of these. */
static inline bool read_far_field(pf_record *r, const uint8_t **at, const uint8_t *end, uint32_t *has)
{
    const uint8_t *p = *at;
    switch (load_two(p)) {
    case TWO_BYTES(PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE)):
        p += 2;
        TAKE(p, r->value);
        *has = (*has & ~(uint32_t)(PF_HAS_DOUBLE | ONE_ID)) | PF_HAS_INT;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE)):
        if (*has & PF_HAS_INT) {
            return false;
        }
        r->value = pf_load64(p + 2);
        *has = (*has & ~(uint32_t)ONE_ID) | PF_HAS_DOUBLE;
        p += 10;
        break;
    case TWO_BYTES(PF_TAG_BYTES(PF_F_EVENT_NAME)):
        p = take_length(p + 2, end, &r->name_len);
        if (!p) {
            return false;
        }
        r->name = p;
        p += r->name_len;
        *has |= PF_HAS_NAME;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS)):
        p = take_flow_id(r, p, has, PF_HAS_ONE_FLOW);
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS)):
        p = take_flow_id(r, p, has, PF_HAS_ONE_END);
        break;
    default:
        return false;
    }
    *at = p;
    return true;
}

/* Fields of a TrackEvent as far as they are the usual ones; false if one is not. First come those that most have, in the
 * order in which most have them, so that nothing has to be looked up; the loop takes what is left. */
static inline bool read_usual_event(pf_record *r, const uint8_t *p, const uint8_t *end)
{
    uint64_t uuid = 0, name = 0, category = 0;
    uint32_t has = PF_HAS_TYPE, type = 0, len;
    if (p < end && *p == AT_TYPE) {
        type = p[1];
        p += 2;
    }
    if (p < end && *p == AT_NAME) {
        p++;
        TAKE(p, name);
    }
    if (p < end && *p == AT_CATEGORY) {
        p++;
        TAKE_SMALL(p, category);
        has |= PF_HAS_CATEGORY;
    }
    if (p < end && *p == AT_UUID) {
        p++;
        TAKE(p, uuid);
        has |= PF_HAS_UUID;
    }
    while (p < end) {
        switch (*p) {
        case AT_ANNOTATION:
            p = take_length(p + 1, end, &len);
            if (!p) {
                return false;
            }
            p += len;
            has |= PF_HAS_ARGS;
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
            TAKE(p, uuid);
            has |= PF_HAS_UUID;
            break;
        case AT_CATEGORY:
            p++;
            TAKE_SMALL(p, category);
            if (has & PF_HAS_CATEGORY) {
                return false;
            }
            has |= PF_HAS_CATEGORY;
            break;
        default:
            if (!read_far_field(r, &p, end, &has)) {
                return false;
            }
        }
    }
    r->track_uuid = uuid;
    r->name_iid = name;
    r->category = category;
    r->type = (uint8_t)type;
    r->has |= has;
    return p == end && type - 1 < PF_EVENT_COUNTER;
}

/* A packet of nothing but an envelope and a TrackEvent with the fields that most have, none of them malformed. False if it is
 * any other packet: it is then to be read from the start by the loops above, which give the same record for this one, but
 * for the marks of single flow ids. */
static inline bool read_usual(pf_record *r, const uint8_t *p, const uint8_t *end)
{
    uint64_t v;
    uint32_t has = 0;
    if (*p == AT_TIMESTAMP) {
        p++;
        TAKE(p, r->timestamp);
        has |= PF_HAS_TIMESTAMP;
    }
    if (*p == AT_SEQUENCE) {
        p++;
        TAKE_SMALL(p, v);
        r->sequence = (uint32_t)v;
        has |= PF_HAS_SEQUENCE;
    }
    if (*p == AT_FLAGS && p[1] == PF_SEQ_NEEDS_STATE) {
        r->sequence_flags = PF_SEQ_NEEDS_STATE;
        p += 2;
    }
    while (p < end) {
        switch (*p) {
        case AT_EVENT:
            p = r->event ? NULL : take_length(p + 1, end, &r->event_len);
            if (!p) {
                return false;
            }
            r->event = p;
            p += r->event_len;
            break;
        case AT_TIMESTAMP:
            p++;
            TAKE(p, r->timestamp);
            has |= PF_HAS_TIMESTAMP;
            break;
        case AT_SEQUENCE:
            p++;
            TAKE_SMALL(p, v);
            r->sequence = (uint32_t)v;
            has |= PF_HAS_SEQUENCE;
            break;
        case AT_UID:
            p++;
            TAKE_SMALL(p, v);
            break;
        case AT_FLAGS:
            if (p[1] & ~(uint8_t)PF_SEQ_NEEDS_STATE) {
                return false;
            }
            r->sequence_flags = p[1];
            p += 2;
            break;
        default:
            switch (load_two(p)) {
            case TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID)):
                p += 2;
                TAKE(p, v);
                r->clock = (uint32_t)v;
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
    const uint32_t needed = PF_HAS_TIMESTAMP | PF_HAS_SEQUENCE;
    if (p != end || !r->event || (has & needed) != needed) {
        return false;
    }
    r->has = has;
    r->kind = PF_RECORD_USUAL;
    return read_usual_event(r, r->event, r->event + r->event_len);
}

/* ---- framing ----------------------------------------------------------------------------------------------------- */

pf_decoded pf_records_decode(const uint8_t *bytes, size_t len, size_t enough, pf_record *records, size_t room)
{
    pf_decoded d = {0, 0, 0, PF_STOP_FULL};
    const uint8_t *p = bytes, *end = bytes + len, *stop = bytes + (enough < len ? enough : len);
    while (d.records < room && (p < stop || stop == end)) {
        uint64_t tag, n = 0;
        if (end - p > 3 && *p == PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
            uint32_t length;
            const uint8_t *packet = take_length(p + 1, end, &length);
            pf_record *r = &records[d.records];
            if (packet && length) {
                *r = (pf_record){.packet = packet, .packet_len = length, .header = (uint8_t)(packet - p)};
                if (read_usual(r, packet, packet + length)) {
                    d.records++;
                    p = packet + length;
                    continue;
                }
            }
        }
        d.consumed = (size_t)(p - bytes);
        if (p == end) {
            d.stop = PF_STOP_PARTIAL;
            return d;
        }
        const uint8_t *value = pf_varint(p, end, &tag);
        if (!value) {
            d.stop = end - p < PF_VARINT_MAX ? PF_STOP_PARTIAL : PF_STOP_DAMAGED;
            return d;
        }
        bool legal = tag >> 3 && ((tag & 7) <= PF_WIRE_BYTES || (tag & 7) == PF_WIRE_FIXED32);
        const uint8_t *next = (tag & 7) == PF_WIRE_BYTES ? pf_varint(value, end, &n) : pf_skip_value(value, end, tag);
        if (!legal || !next) {
            d.stop = legal && end - value < PF_VARINT_MAX ? PF_STOP_PARTIAL : PF_STOP_DAMAGED;
            return d;
        }
        if ((tag & 7) != PF_WIRE_BYTES) {
            p = next;
            continue;
        }
        value = next;
        if (tag != PF_TAG_BYTES(PF_F_TRACE_PACKET) || n > PF_FIELD_LENGTH_MAX) {
            d.skip = (uint64_t)(value - p) + n;
            d.stop = d.skip < n ? PF_STOP_DAMAGED : PF_STOP_SKIP;
            return d;
        }
        if (n > (uint64_t)(end - value)) {
            d.stop = PF_STOP_PARTIAL;
            return d;
        }
        const uint8_t *start = p;
        p = value + n;
        if (n) {
            pf_record *r = &records[d.records++];
            *r = (pf_record){.packet = value, .packet_len = (uint32_t)n, .header = (uint8_t)(value - start)};
            if (!decode_packet(r)) {
                r->kind = PF_RECORD_DAMAGED;
            }
        }
    }
    d.consumed = (size_t)(p - bytes);
    return d;
}
