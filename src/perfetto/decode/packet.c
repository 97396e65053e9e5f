/* perfetto/decode/packet.c - the decoder for any packet.
 *
 * Three loops, one inside the other in meaning though not in calls: fields of the trace (framing), fields of a packet,
 * fields of a TrackEvent. Each reads a tag and a value without asking where the end is (slop), then compares the new
 * position with the end once. A position of NULL stands for a malformed value; as an address it is below every end, so
 * `p == NULL || p > end` is the only test, and it sits on the cold side of the branch.
 *
 * This file is compiled twice, plainly and for processors with BMI2 (batch_lists.c); wire/cursor.h makes the
 * difference.
 */
#include "perfetto/decode/packet.h"

#ifdef PF_RECORDS_BMI2
#define pf_records_decode pf_records_decode_bmi2
#endif

#include "perfetto/fields.h"

/* A length-delimited value at p: sets *bytes and *len and returns the position after it, NULL if it crosses end. */
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

/* A malformed field may have left a value that was read from after the end, so the fields before it are read again. */
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
    case PF_TAG_BYTES(PF_F_PACKET_FINDINGS):
        r->has |= PF_HAS_STATE;
        return pf_skip_value(p, end, tag);
    case PF_TAG_VARINT(PF_F_PACKET_MACHINE_ID):
        p = pf_varint(p, end, &v);
        r->has = (uint32_t)v ? r->has | PF_HAS_MACHINE : r->has & ~(uint32_t)PF_HAS_MACHINE;
        return p;
    default:
        r->has |= tag == PF_TAG_BYTES(PF_F_PACKET_ORIGIN) ? PF_HAS_ORIGIN : 0;
        p = pf_skip_value(p, end, tag);
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

pf_decoded pf_records_decode(const uint8_t *bytes, size_t len, size_t enough, pf_record *records, size_t room)
{
    pf_decoded d = {0, 0, 0, PF_STOP_FULL};
    const uint8_t *p = bytes, *end = bytes + len, *stop = bytes + (enough < len ? enough : len);
    while (d.records < room && (p < stop || stop == end)) {
        uint64_t tag, n = 0;
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
