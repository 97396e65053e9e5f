/* edit/packets/envelope.c - the envelope of a packet: everything in it that says where and when its data belongs.
 *
 * This is the inner loop of every pass over an input, so fields are read without a cursor: 64 bytes after the packet
 * can be read, and one comparison with its end follows each field.
 */
#include "edit/packets/packet_stream.h"

#include "perfetto/packet_tags.h"

static void take_flag(pf_raw_packet *p, uint64_t value, uint32_t flag)
{
    p->has |= value ? flag : 0;
}

static void take_number(pf_raw_packet *p, uint32_t number, uint64_t value)
{
    switch (number) {
    case PF_F_PACKET_TIMESTAMP:
        p->timestamp = value;
        p->has |= PF_PACKET_TIMESTAMP;
        break;
    case PF_F_PACKET_SEQUENCE_ID:
        p->sequence = (uint32_t)value;
        p->has |= PF_PACKET_SEQUENCE;
        break;
    case PF_F_PACKET_SEQUENCE_FLAGS:
        take_flag(p, value & PF_SEQ_STATE_CLEARED, PF_PACKET_CLEARED);
        take_flag(p, value & PF_SEQ_NEEDS_STATE, PF_PACKET_NEEDS_STATE);
        break;
    case PF_F_PACKET_STATE_CLEARED:
        take_flag(p, value, PF_PACKET_CLEARED);
        break;
    case PF_F_PACKET_PREVIOUS_DROPPED:
        take_flag(p, value, PF_PACKET_DROPPED);
        break;
    case PF_F_PACKET_FIRST_ON_SEQUENCE:
        take_flag(p, value, PF_PACKET_FIRST);
        break;
    case PF_F_PACKET_TIMESTAMP_CLOCK_ID:
        p->clock = (uint32_t)value;
        break;
    case PF_F_PACKET_MACHINE_ID:
        p->machine = (uint32_t)value;
        break;
    default:
        break;
    }
}

static void take_bytes(pf_raw_packet *p, uint32_t number, const uint8_t *bytes, uint32_t len)
{
    const pf_field f = {.tag = PF_TAG_BYTES(number), .len = len, .bytes = bytes};
    switch (number) {
    case PF_F_PACKET_INTERNED_DATA:
        p->interned = f;
        break;
    case PF_F_PACKET_DEFAULTS:
        p->defaults = f;
        break;
    case PF_F_PACKET_FINDINGS:
        p->findings = pf_field_text(&f);
        break;
    case PF_F_PACKET_ORIGIN:
        break;
    default:
        p->data = number;
        p->content = f;
        break;
    }
}

bool pf_raw_packet_read(pf_raw_packet *p)
{
    const uint8_t *at = p->bytes, *end = at + p->len;
    p->has &= PF_PACKET_STABLE | PF_PACKET_INNER;
    p->clock = p->sequence = p->machine = p->data = 0;
    p->timestamp = 0;
    p->defaults.tag = p->interned.tag = p->content.tag = 0;
    p->findings = (pf_str){NULL, 0};
    while (at < end) {
        uint64_t tag, value = 0;
        const uint8_t *q = pf_varint_slop(at, &tag);
        uint32_t known = q ? pf_packet_tag(tag >> 3) : 0;
        if (!q || tag >> 3 == 0 || (known && known != tag)) {
            return false;
        }
        uint32_t wire = tag & 7;
        if (wire == PF_WIRE_VARINT || wire == PF_WIRE_BYTES) {
            q = pf_varint_slop(q, &value);
            if (!q || (wire == PF_WIRE_BYTES &&
                       (q > end || value > (uint64_t)(end - q) || pf_packet_is_text(tag, value, q)))) {
                return false;
            }
        }
        if (wire == PF_WIRE_BYTES) {
            if (tag >> 3 <= PF_FIELD_NUMBER_MAX) {
                take_bytes(p, (uint32_t)(tag >> 3), q, (uint32_t)value);
            }
            q += value;
        } else if (wire == PF_WIRE_VARINT) {
            take_number(p, tag >> 3 <= PF_FIELD_NUMBER_MAX ? (uint32_t)(tag >> 3) : 0, value);
        } else {
            q = pf_skip_value(q, end, tag);
        }
        if (!q || q > end) {
            return false;
        }
        at = q;
    }
    return true;
}
