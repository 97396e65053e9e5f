/* perfetto/packet_tags.h - the fields of TracePacket that every reader of traces knows, with their wire types.
 *
 * By them an input is recognised, and a packet that has one of them with another wire type is damaged, or is no packet.
 */
#pragma once

#include <stdbool.h>

#include "perfetto/fields.h"
#include "wire/wire.h"

/* Whether a number can be the tag of a field. */
static inline bool pf_is_tag(uint64_t tag)
{
    uint32_t wire = tag & 7;
    return tag >> 3 &&
           (wire == PF_WIRE_VARINT || wire == PF_WIRE_FIXED64 || wire == PF_WIRE_BYTES || wire == PF_WIRE_FIXED32);
}

/* The tag that the field with that number has; 0: not every reader knows it. */
static inline uint32_t pf_packet_tag(uint64_t number)
{
    static const uint16_t tags[] = {
        PF_AT_BYTES(PF_F_PACKET_FTRACE_EVENTS),      PF_AT_BYTES(PF_F_PACKET_PROCESS_TREE),
        PF_AT_VARINT(PF_F_PACKET_TRUSTED_UID),       PF_AT_BYTES(PF_F_PACKET_CHROME_EVENTS),
        PF_AT_BYTES(PF_F_PACKET_CLOCK_SNAPSHOT),     PF_AT_VARINT(PF_F_PACKET_TIMESTAMP),
        PF_AT_BYTES(PF_F_PACKET_PROCESS_STATS),      PF_AT_VARINT(PF_F_PACKET_SEQUENCE_ID),
        PF_AT_BYTES(PF_F_PACKET_TRACK_EVENT),        PF_AT_BYTES(PF_F_PACKET_INTERNED_DATA),
        PF_AT_VARINT(PF_F_PACKET_SEQUENCE_FLAGS),    PF_AT_BYTES(PF_F_PACKET_TRACE_CONFIG),
        PF_AT_VARINT(PF_F_PACKET_STATE_CLEARED),     PF_AT_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID),
        PF_AT_BYTES(PF_F_PACKET_DEFAULTS),           PF_AT_BYTES(PF_F_PACKET_TRACK_DESCRIPTOR),
        PF_AT_BYTES(PF_F_PACKET_COMPRESSED_PACKETS),
    };
    return number < sizeof tags / sizeof *tags ? tags[number] : 0;
}

/* Whether what has the tag of a process tree is a text, as in files of other programs. */
static inline bool pf_packet_is_text(uint64_t tag, uint64_t len, const uint8_t *body)
{
    return tag == PF_TAG_BYTES(PF_F_PACKET_PROCESS_TREE) && len && !pf_is_tag(*body);
}
