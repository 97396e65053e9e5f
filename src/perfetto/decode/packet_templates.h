/* perfetto/decode/packet_templates.h - packets that look like one before; included by batch.c only, and of use
 * with AVX2 and BMI2 only.
 *
 * Writers put the fields of their events in one order, and numbers differ in size only a little. So a large trace has a
 * few dozen shapes of packets: which of the first 32 bytes are tags, lengths and ends of numbers. A packet read once
 * field by field (fields_fast.h) leaves its shape: a mask of the bytes and bits that make it up, and where the
 * numbers lie. When another one fits under the mask, its numbers are gathered without looking at anything else: a few
 * dozen instructions without a branch. What varies from event to event (annotations, names in the event, several flow
 * ids) is no part of a shape if it stands at the end of the packet: it is read as ever, after the block of packets
 * that fit.
 *
 * Shapes are found by the ends of numbers and the length of the packet. Where packets hardly ever look alike, learning
 * shapes costs more than it saves; `credit` counts what has been saved and pays for it.
 */
#pragma once

#include "perfetto/decode/fields_fast.h"

#if defined(__AVX2__) && defined(__BMI2__)
#define HAS_SHAPES 1
#define SHAPE_SLOP 48      /* bytes that may be read from the start of a packet on: 32, and a number after them */
#define KEY_BITS 0xffffffu /* bytes that shapes are found by: after them is more often what varies */
#define LEARNING_COST 32u  /* packets that fit have to pay for it */
#define CREDIT_MOST (1024 * LEARNING_COST)

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

/* The two places for shapes with the packet's ends of numbers and its length. */
static inline pf_shape *find_shapes(pf_rows *b, __m256i bytes, uint32_t length)
{
    uint32_t ends = (uint32_t)_mm256_movemask_epi8(bytes) & KEY_BITS;
    uint64_t key = _bzhi_u32(ends, length + 2) | (uint64_t)length << 32;
    return b->shape[key * MIX >> (64 - PF_ROW_SHAPE_BITS)];
}

static inline bool fits(const pf_shape *s, __m256i bytes)
{
    __m256i masked = _mm256_and_si256(bytes, _mm256_loadu_si256((const __m256i *)s->mask));
    __m256i same = _mm256_cmpeq_epi8(masked, _mm256_loadu_si256((const __m256i *)s->value));
    return _mm256_movemask_epi8(same) == -1;
}

static inline uint32_t gather_short(const uint8_t *p, uint32_t mask)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return _pext_u32(x, mask);
}

/* A packet that looks like one before becomes row `count` of the block. NULL, and nothing of it counts, if none does;
 * else the position after it. */
static inline __attribute__((always_inline)) const uint8_t *fit_shape(block *k, pf_rows *b, const uint8_t *p)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)p);
    const uint32_t length = p[1], row = b->count + k->count;
    const pf_shape *s = find_shapes(b, bytes, length);
    if (__builtin_expect(!fits(s, bytes), 0) && !fits(++s, bytes)) {
        return NULL;
    }
    plain_packet *u = &k->plain[k->count];
    uint32_t sequence = gather_short(p + s->sequence_at, s->sequence_mask), type = p[s->type_at];
    uint32_t category = gather_short(p + s->category_at, s->category_mask);
    u->place.uuid = _pext_u64(pf_load64(p + s->uuid_at), s->uuid_mask);
    u->place.sequence = sequence;
    u->place.clock = s->clock;
    u->label.name_iid = gather_short(p + s->name_at, s->name_mask);
    u->label.category = category;
    u->label.sequence = sequence;
    u->label.text = 0;
    b->timestamp[row] = _pext_u64(pf_load64(p + s->time_at), s->time_mask);
    b->at[row] = (uint32_t)(p - b->bytes);
    b->where[row] = s->where;
    b->where[row].what = (uint16_t)(s->where.what | type);
    u->value = _pext_u64(pf_load64(p + s->value_at), s->value_mask);
    if (__builtin_expect(s->long_uuid != 0, 0)) {
        u->place.uuid |= (uint64_t)gather_short(p + s->uuid_at + 8, s->long_uuid) << 56;
    }
    if (__builtin_expect(category < s->least_category || type == 0, 0)) {
        return NULL;
    }
    k->tail[k->tails].row = (uint8_t)k->count;
    k->tail[k->tails].from = s->tail;
    k->tails += s->tail != 0;
    k->count++;
    return p + 2 + length;
}

/* Whether there are annotations only from p on. */
static inline bool is_annotations(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p == AT_ANNOTATION && p[1] < 0x80) {
        p += 2 + p[1];
    }
    return p == end;
}

/* What follows after the part that fits. */
static bool read_tail(plain_packet *u, pf_rows *b, uint32_t row, uint32_t from)
{
    const uint8_t *p = b->bytes + b->at[row], *end = p + b->where[row].size;
    uint32_t what = b->where[row].what;
    if (is_annotations(p + from, end) && has_due_value(what)) {
        b->where[row].what = (uint16_t)(what | PF_ROW_HAS_ARGS);
        return true;
    }
    draft d = {.uuid = u->place.uuid,
               .name_iid = u->label.name_iid,
               .category = u->label.category,
               .value = u->value,
               .what = what & ~(uint32_t)PF_ROW_TYPE,
               .type = what & PF_ROW_TYPE,
               .clock = u->place.clock};
    if (!read_fields(&d, p + from, end) || !is_plain(&d)) {
        return false;
    }
    b->where[row].what = (uint16_t)(d.what | d.type);
    u->place.uuid = d.uuid;
    u->place.clock = d.clock;
    u->label.name_iid = (uint32_t)d.name_iid;
    u->label.category = (uint32_t)d.category;
    u->label.text = d.text;
    u->label.name = d.name;
    u->value = d.value;
    return true;
}

/* Reads the tails of the block, after all else: whether a packet has one is what nobody can guess. False if one is not
 * plain: its row is the first one that does not count. */
static bool read_tails(block *k, pf_rows *b)
{
    bool whole = true;
    for (uint32_t i = 0; i < k->tails && whole; i++) {
        uint32_t row = k->tail[i].row;
        whole = read_tail(&k->plain[row], b, b->count + row, k->tail[i].from);
        k->count = whole ? k->count : row;
    }
    k->tails = 0;
    return whole;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* These bytes are as they are in all packets of the shape. False if they are not among the first ones. */
static bool learn_bytes(pf_shape *s, const uint8_t *p, uint32_t at, uint32_t count)
{
    if (at + count > sizeof s->mask) {
        return false;
    }
    memset(&s->mask[at], 0xff, count);
    memcpy(&s->value[at], p + at, count);
    return true;
}

/* A number begins there: of its bytes only the top bits are as in all. Its size, 0 if it has more bytes than `most` or
 * not all are among the first ones. */
static uint32_t learn_number(pf_shape *s, const uint8_t *p, uint32_t at, uint32_t most)
{
    for (uint32_t n = 0; n < most && at + n < sizeof s->mask; n++) {
        s->mask[at + n] = 0x80;
        s->value[at + n] = p[at + n] & 0x80;
        if (p[at + n] < 0x80) {
            return n + 1;
        }
    }
    return 0;
}

/* A tag with a number that is gathered; the last of several counts. Where it begins and its payload bits; false if it
 * is too long. */
static bool learn_field(pf_shape *s, const uint8_t *p, uint32_t *at, uint32_t most, uint8_t *number_at, uint64_t *mask)
{
    uint32_t size = learn_bytes(s, p, *at, 1) ? learn_number(s, p, *at + 1, most) : 0;
    *number_at = (uint8_t)(*at + 1);
    *mask = _bzhi_u64(0x7f7f7f7f7f7f7f7fu, 8 * size);
    *at += 1 + size;
    return size > 0;
}

/* The same for numbers of up to 4 bytes. */
static bool learn_short(pf_shape *s, const uint8_t *p, uint32_t *at, uint8_t *number_at, uint32_t *mask)
{
    uint64_t wide = 0;
    bool learnt = learn_field(s, p, at, 4, number_at, &wide);
    *mask = (uint32_t)wide;
    return learnt;
}

static bool learn_uuid(pf_shape *s, const uint8_t *p, uint32_t *at)
{
    uint32_t from = *at;
    bool learnt = learn_field(s, p, at, 10, &s->uuid_at, &s->uuid_mask);
    s->long_uuid = (uint16_t)_bzhi_u32(0x7f7f, *at - from > 9 ? 8 * (*at - from - 9) : 0);
    s->clock |= PF_PLACE_HAS_UUID;
    return learnt;
}

/* Begins, ends and instants have one shape. */
static void learn_type(pf_shape *s, const uint8_t *p, uint32_t at)
{
    s->type_at = (uint8_t)at;
    if (at < sizeof s->mask && p[at] <= PF_EVENT_INSTANT) {
        s->mask[at] = (uint8_t)~PF_EVENT_INSTANT;
        s->value[at] = 0;
    }
}

/* The value that an event has: eight bytes as they are, or a number. */
static bool learn_value(pf_shape *s, const uint8_t *p, uint32_t *at)
{
    uint32_t tag = *at, size = 8, what;
    s->value_mask = UINT64_MAX;
    switch (load_two(p + tag)) {
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS)):
        what = PF_ROW_HAS_FLOWS | PF_ROW_ONE_FLOW;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS)):
        what = PF_ROW_HAS_FLOWS | PF_ROW_ONE_END;
        break;
    case TWO_BYTES(PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE)):
        what = PF_ROW_HAS_DOUBLE;
        break;
    case TWO_BYTES(PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE)):
        what = PF_ROW_HAS_INT;
        size = learn_number(s, p, tag + 2, 8);
        s->value_mask = _bzhi_u64(0x7f7f7f7f7f7f7f7fu, 8 * size);
        break;
    default:
        return false;
    }
    bool learnt = !s->value_at && size && learn_bytes(s, p, tag, 2);
    s->where.what |= (uint16_t)what;
    s->value_at = (uint8_t)(tag + 2);
    *at = tag + 2 + size;
    return learnt;
}

/* The fields of an event from p[at] to p[end]. What is no part of shapes makes a tail if nothing comes after the
 * event. */
static bool learn_event(pf_shape *s, const uint8_t *p, uint32_t at, uint32_t end, bool is_last)
{
    bool learnt = true;
    while (at < end && learnt) {
        pf_shape before = *s;
        uint32_t from = at;
        switch (p[at]) {
        case AT_TYPE:
            learnt = !s->type_at && learn_bytes(s, p, at, 2);
            learn_type(s, p, at + 1);
            at += 2;
            break;
        case AT_NAME:
            learnt = learn_short(s, p, &at, &s->name_at, &s->name_mask);
            break;
        case AT_CATEGORY:
            learnt = learn_short(s, p, &at, &s->category_at, &s->category_mask);
            s->least_category = 1;
            break;
        case AT_UUID:
            learnt = learn_uuid(s, p, &at);
            break;
        default:
            learnt = learn_value(s, p, &at);
        }
        if (!learnt) {
            *s = before;
            s->tail = (uint8_t)from;
        }
    }
    return learnt || is_last;
}

/* A field of the packet next to time, sequence and event, the last of several counts; *at is after it afterwards. */
static bool learn_other(pf_shape *s, const uint8_t *p, uint32_t *at)
{
    uint32_t size = 0, tag = *at;
    if (p[tag] == AT_FLAGS) {
        s->clock = (s->clock & ~PF_PLACE_NEEDS_STATE) | (p[tag + 1] ? PF_PLACE_NEEDS_STATE : 0);
        size = 1;
    } else if (p[tag] == AT_UID) {
        size = learn_number(s, p, tag + 1, 8);
        *at = tag + 1 + size;
        return size && learn_bytes(s, p, tag, 1);
    } else if (load_two(p + tag) == TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID))) {
        size = learn_number(s, p, tag + 2, 8);
        *at = tag + 2 + size;
        return size && learn_bytes(s, p, tag, 2);
    } else if (load_two(p + tag) == TWO_BYTES(PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID)) && p[tag + 2] < 0x80) {
        s->clock = (s->clock & ~(uint32_t)PF_PLACE_CLOCK) | p[tag + 2];
        size = 2;
    }
    *at = tag + 1 + size;
    return size && learn_bytes(s, p, tag, 1 + size);
}

/* The shape of a packet of `size` bytes from its tag on that was read without a fault. */
static bool make_shape(pf_shape *s, const uint8_t *p, uint32_t size)
{
    uint32_t at = 2;
    uint64_t sequence = 0;
    bool learnt = learn_bytes(s, p, 0, 2);
    s->where.size = (uint16_t)size;
    while (at < size && learnt) {
        switch (p[at]) {
        case AT_TIMESTAMP:
            learnt = learn_field(s, p, &at, 8, &s->time_at, &s->time_mask);
            break;
        case AT_SEQUENCE:
            learnt = learn_field(s, p, &at, 4, &s->sequence_at, &sequence);
            s->sequence_mask = (uint32_t)sequence;
            break;
        case AT_EVENT:
            learnt = !s->where.event && p[at + 1] < 0x80 && learn_bytes(s, p, at, 2);
            s->where.event = (uint16_t)(at + 2);
            s->where.event_len = p[at + 1];
            at += 2u + p[at + 1];
            learnt = learnt && learn_event(s, p, s->where.event, at, at == size);
            break;
        default:
            learnt = learn_other(s, p, &at);
        }
    }
    return learnt && s->type_at;
}

static void forget_shape(pf_shape *s)
{
    *s = (pf_shape){.value = {1}}; /* no byte under an empty mask is 1 */
}

/* A packet was read in the slow way. Its shape takes a free place, else one of the two. */
static __attribute__((noinline)) void learn_shape(pf_rows *b, const uint8_t *p, uint32_t length)
{
    b->misses++;
    if (b->credit < LEARNING_COST) {
        return;
    }
    b->credit -= LEARNING_COST;
    pf_shape *s = find_shapes(b, _mm256_loadu_si256((const __m256i *)p), length);
    s += s[0].where.size && (!s[1].where.size || b->count & 1);
    *s = (pf_shape){0};
    if (!make_shape(s, p, length + 2)) {
        forget_shape(s);
    }
}

/* Packets were read, some of them in the slow way. */
static inline void count_credit(pf_rows *b, uint32_t count)
{
    uint32_t credit = b->credit + (count > b->misses ? count - b->misses : 0);
    b->credit = credit < CREDIT_MOST ? credit : CREDIT_MOST;
    b->misses = 0;
}

static void begin_shapes(pf_rows *b)
{
    if (b->has_shapes) {
        return;
    }
    for (uint32_t i = 0; i < 2u << PF_ROW_SHAPE_BITS; i++) {
        forget_shape(&b->shape[i / 2][i % 2]);
    }
    b->credit = CREDIT_MOST;
    b->has_shapes = true;
}
#else
#define HAS_SHAPES 0
#endif
