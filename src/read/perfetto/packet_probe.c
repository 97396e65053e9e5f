/* read/perfetto/packet_probe.c - whether the first bytes of an input are those of a binary trace.
 *
 * A trace is packets, fields with the number 1, and so are the messages of other programs (XSpace, what JAX exports, is
 * planes with that number); its first byte is a line feed, and so is that of many a text. So what lies in the first
 * packets is looked at: it speaks against a trace if it has a field of ours with another wire type than ours, a list of
 * processes that is a text, or no fields at all. Damaged packets do that, too; a trace is refused where more of what
 * can be seen speaks against it than for it. Empty packets say nothing. */
#include "read/perfetto/import/import.h"

#include "perfetto/packet_tags.h"
#include "wire/cursor.h"

enum { PACKETS_MAX = 64 };

typedef enum opinion { NOTHING, FOR, AGAINST } opinion;

/* What a tag says: NOTHING for a field that is not ours. */
static opinion judge_tag(uint64_t tag)
{
    uint32_t ours = pf_packet_tag(tag >> 3);
    return ours ? (ours == tag ? FOR : AGAINST) : pf_is_tag(tag) ? NOTHING : AGAINST;
}

/* What the fields of a packet say; `seen`: how many of its bytes are there. What is cut off speaks neither way, nor
 * does damage after a field of ours. */
static opinion judge(const uint8_t *p, uint64_t len, size_t seen)
{
    const uint8_t *last = p + seen;
    bool whole = seen == len;
    opinion o = NOTHING, damaged = AGAINST;
    while (p < last) {
        uint64_t tag, length = 0, left = len - (seen - (size_t)(last - p));
        const uint8_t *value = pf_varint(p, last, &tag);
        opinion of_tag = value ? judge_tag(tag) : NOTHING;
        if (of_tag == AGAINST) {
            return pf_is_tag(tag) ? AGAINST : damaged;
        }
        o = value ? FOR : o;
        damaged = of_tag == FOR ? NOTHING : damaged;
        if (value && (tag & 7) == PF_WIRE_BYTES) {
            const uint8_t *body = pf_varint(value, last, &length);
            if (length > left || (body && body < last && pf_packet_is_text(tag, length, body))) {
                return AGAINST;
            }
        }
        value = value ? pf_skip_value(value, last, tag) : NULL;
        if (!value) {
            return whole ? damaged : o;
        }
        p = value;
    }
    return o;
}

/* Without a packet of which something is seen, or with nothing after the first one, other formats come first. */
pf_probe pf_perfetto_probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    const uint8_t tag = PF_TAG_BYTES(PF_F_TRACE_PACKET), *p = head, *end = head + size;
    unsigned count[AGAINST + 1] = {0}, packets = 0;
    bool framed = false; /* the first packet ends where another one begins, or where no more is seen */
    if (size == 0 || *head != tag) {
        return PF_PROBE_NO;
    }
    for (; packets < PACKETS_MAX && p < end && *p == tag; packets++) {
        uint64_t length = 0;
        const uint8_t *body = pf_varint(p + 1, end, &length);
        if (!body) {
            break;
        }
        size_t seen = length < (uint64_t)(end - body) ? (size_t)length : (size_t)(end - body);
        count[judge(body, length, seen)]++;
        p = body + seen;
        framed = framed || (packets == 0 && length && (p == end || *p == tag));
    }
    return count[AGAINST] > count[FOR] ? PF_PROBE_NO : framed ? PF_PROBE_SURE : PF_PROBE_MAYBE;
}
