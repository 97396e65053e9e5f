/* perfetto/decode/batch.c - the hot decoder: packets to rows.
 *
 * Packets are read in blocks, as packet_templates.h says where they look like ones before, else as fields_fast.h does.
 * After each block the numbers of its places and labels are found by hash, with linear probing; the tables are never
 * more than half full. Bytes that were made to collide cost a second entry in the list, not a long search. Packets that
 * are not plain are left to packet.c.
 *
 * This file is compiled twice, plainly and for processors with BMI2 and AVX2 (batch_lists.c); wire/cursor.h and
 * packet_templates.h make the difference.
 */
#include "perfetto/decode/batch.h"

#ifdef PF_RECORDS_BMI2
#define pf_records_decode pf_records_decode_bmi2
#define pf_rows_decode pf_rows_decode_bmi2
#endif

#include "perfetto/decode/packet_templates.h"

#define SHORT(list) ((list) / 4) /* lists up to there go on in the next batch, which then has room for its own */
#define PLACE_BITS 12u
#define LABEL_BITS 13u
#define PLACES_AT (1u << PLACE_BITS)
#define LABELS_AT (1u << LABEL_BITS)
#define PROBES 16u           /* looks at a table before an entry is listed once more */
#define BYTES_MAX (1u << 30) /* of a batch: `at` reaches that far */

_Static_assert(PLACES_AT == 2 * PF_ROW_PLACES && LABELS_AT == 2 * PF_ROW_LABELS, "tables that become half full");

/* Two numbers of a place or label, from that offset on, as one. */
static inline uint64_t load_pair(const void *p, size_t offset)
{
    uint64_t pair;
    memcpy(&pair, (const uint8_t *)p + offset, sizeof pair);
    return pair;
}

/* Whether the first 16 bytes are the same: a place, or all of a label but the bytes of its name. */
static inline bool same_numbers(const void *a, const void *b)
{
#ifdef __SSE4_1__
    __m128i differ = _mm_xor_si128(_mm_loadu_si128(a), _mm_loadu_si128(b));
    return _mm_testz_si128(differ, differ);
#else
    return ((load_pair(a, 0) ^ load_pair(b, 0)) | (load_pair(a, 8) ^ load_pair(b, 8))) == 0;
#endif
}

static inline uint32_t hash_place(const pf_row_place *p)
{
    return (uint32_t)((p->uuid * MIX ^ load_pair(p, offsetof(pf_row_place, sequence))) * MIX >> (64 - PLACE_BITS));
}

/* The number of a place that is not where it is looked for first. */
static __attribute__((noinline)) uint32_t seek_place(pf_rows *b, const pf_row_place *p)
{
    uint32_t at = hash_place(p), number;
    for (uint32_t last = at + PROBES; (number = b->place_at[at % PLACES_AT]) != 0 && at < last; at++) {
        if (same_numbers(&b->place[number], p)) {
            return number;
        }
    }
    b->place_at[at % PLACES_AT] = (uint16_t)b->places;
    b->place[b->places] = *p;
    return b->places++;
}

/* Of all bytes: names that differ in the middle only are common. After them PF_SLOP bytes are readable. */
static uint64_t hash_text(const uint8_t *p, uint32_t len)
{
    uint64_t hash = len;
    for (; len >= 8; len -= 8, p += 8) {
        hash = (hash ^ pf_load64(p)) * MIX;
        hash ^= hash >> 32;
    }
    return (hash ^ (pf_load64(p) & (((uint64_t)1 << 8 * len) - 1))) * MIX;
}

static inline uint32_t hash_label(const pf_row_label *l, uint64_t text)
{
    uint64_t who = load_pair(l, offsetof(pf_row_label, sequence));
    return (uint32_t)(((load_pair(l, 0) ^ text) * MIX ^ who) * MIX >> (64 - LABEL_BITS));
}

/* The number of a label that is not where it is looked for first, or that has a text. */
static __attribute__((noinline)) uint32_t seek_label(pf_rows *b, const pf_row_label *l)
{
    uint32_t at = hash_label(l, l->text ? hash_text(l->name, l->text - 1) : 0), number;
    for (uint32_t last = at + PROBES; (number = b->label_at[at % LABELS_AT]) != 0 && at < last; at++) {
        const pf_row_label *known = &b->label[number];
        if (same_numbers(known, l) && (!l->text || memcmp(known->name, l->name, l->text - 1) == 0)) {
            return number;
        }
    }
    b->label_at[at % LABELS_AT] = (uint16_t)b->labels;
    b->label[b->labels] = *l;
    return b->labels++;
}

/* Numbers the places and labels of rows that were read, and appends the rows. Entry 0 of either list is like no other:
 * a free place in the table leads there. */
static void number_rows(pf_rows *b, const plain_packet *u, uint32_t count)
{
    uint16_t *place_of = b->place_of + b->count, *label_of = b->label_of + b->count;
    const pf_row_where *where = b->where + b->count;
    uint32_t values = b->values, number;
    for (uint32_t i = 0; i < count; i++) {
        number = b->place_at[hash_place(&u[i].place)];
        bool found = same_numbers(&b->place[number], &u[i].place);
        place_of[i] = (uint16_t)(__builtin_expect(found, 1) ? number : seek_place(b, &u[i].place));
    }
    for (uint32_t i = 0; i < count; i++) {
        number = b->label_at[hash_label(&u[i].label, 0)];
        bool found = same_numbers(&b->label[number], &u[i].label) && !u[i].label.text;
        label_of[i] = (uint16_t)(__builtin_expect(found, 1) ? number : seek_label(b, &u[i].label));
        b->value[values] = u[i].value;
        values += (where[i].what & PF_ROW_HAS_VALUE) != 0;
    }
    b->values = values;
    b->count += count;
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many rows there is room for in any case. */
static uint32_t room_of(const pf_rows *b)
{
    uint32_t lists = least(PF_ROW_PLACES - b->places, PF_ROW_LABELS - b->labels);
    uint32_t others = least(PF_ROW_VALUES - b->values, PF_ROW_RECORDS - b->records);
    return least(PF_ROWS_MAX - b->count, least(lists, others));
}

/* Takes a packet with its tag at p; returns the position after it, NULL if it is not plain. */
static const uint8_t *take_packet(block *k, pf_rows *b, const uint8_t *p, const uint8_t *end)
{
    uint32_t length;
    const uint8_t *packet = take_length(p + 1, end, &length);
    bool taken = *p == PF_TAG_BYTES(PF_F_TRACE_PACKET) && packet && length &&
                 read_packet(&k->plain[k->count], b, b->count + k->count, p, packet, packet + length);
    k->count += taken;
    return taken ? packet + length : NULL;
}

#if HAS_SHAPES
/* Takes packets that look like others as long as they begin before `stop`, after which there is more than one packet
 * and SHAPE_SLOP bytes. Returns the position after them; *more: whether the packet there may be plain. */
static const uint8_t *take_alike(block *k, pf_rows *b, const uint8_t *p, const uint8_t *stop, const uint8_t *end,
                                 uint32_t room, bool *more)
{
    while (k->count < room && p < stop && *more) {
        __builtin_prefetch(p + 2048);
        const uint8_t *next = fit_shape(k, b, p);
        if (__builtin_expect(!next, 0)) {
            uint32_t count = k->count;
            *more = read_tails(k, b) && (next = take_packet(k, b, p, end)) != NULL;
            if (*more && p[1] < 0x80) {
                learn_shape(b, p, p[1]);
            }
            next = *more ? next : k->count < count ? b->bytes + b->at[b->count + k->count] : p;
        }
        p = next;
    }
    count_credit(b, k->count);
    uint32_t count = k->count;
    *more = read_tails(k, b) && *more;
    return k->count < count ? b->bytes + b->at[b->count + k->count] : p;
}
#define LONGEST_ALIKE (0x7f + 2 + SHAPE_SLOP)
#else
static const uint8_t *take_alike(block *k, pf_rows *b, const uint8_t *p, const uint8_t *stop, const uint8_t *end,
                                 uint32_t room, bool *more)
{
    return p;
}
#define begin_shapes(b)
#define LONGEST_ALIKE PTRDIFF_MAX
#endif

/* Takes plain packets from p on, no more than `room` and as long as they begin before `stop`; returns the position
 * after. They are read in blocks, whose places and labels are found after them: each of the loops fits the registers.
 */
static const uint8_t *take_plain_packets(pf_rows *b, uint32_t room, const uint8_t *p, const uint8_t *stop,
                                         const uint8_t *end)
{
    block k;
    bool more = true;
    stop = stop < end - 3 ? stop : end - 3;
    while (more && room && p < stop) {
        const uint8_t *alike = end - p > LONGEST_ALIKE ? end - LONGEST_ALIKE : p;
        uint32_t most = least(room, BLOCK);
        k.count = k.tails = 0;
        p = take_alike(&k, b, p, alike < stop ? alike : stop, end, most, &more);
        while (more && k.count < most && p < stop && p >= alike) {
            const uint8_t *next = take_packet(&k, b, p, end);
            more = next != NULL;
            p = more ? next : p;
        }
        room -= k.count;
        number_rows(b, k.plain, k.count);
    }
    return p;
}

/* The row that leads to the record just made. */
static void list_record(pf_rows *b)
{
    uint32_t i = b->count++;
    b->at[i] = b->records++;
    b->place_of[i] = b->label_of[i] = 0;
    b->where[i] = (pf_row_where){0};
    const pf_record *r = &b->record[b->at[i]];
    uint32_t flow;
    if (b->marks_steps && pf_record_is_flow_step(r, &flow)) {
        uint32_t flags =
            (r->has & PF_HAS_UUID ? PF_PLACE_HAS_UUID : 0) | (r->sequence_flags ? PF_PLACE_NEEDS_STATE : 0);
        const pf_row_place place = {r->track_uuid, r->sequence, r->clock | flags};
        b->place_of[i] = (uint16_t)seek_place(b, &place);
        b->timestamp[i] = r->timestamp;
        b->where[i] = (pf_row_where){.size = (uint16_t)(r->header + r->packet_len),
                                     .event = (uint16_t)flow,
                                     .event_len = (uint16_t)(flow >> 16),
                                     .what = PF_ROW_FLOW_STEP};
        b->has_steps = true;
    }
}

static void begin_batch(pf_rows *b, const uint8_t *bytes)
{
    begin_shapes(b);
    b->bytes = bytes;
    b->count = b->records = b->values = 0;
    b->has_steps = false;
    b->renewed = b->stale || b->places > SHORT(PF_ROW_PLACES) || b->labels > SHORT(PF_ROW_LABELS);
    if (b->renewed) {
        memset(b->place_at, 0, sizeof b->place_at);
        memset(b->label_at, 0, sizeof b->label_at);
        b->places = b->labels = 1;
        b->stale = false;
    }
}

pf_decoded pf_rows_decode(const uint8_t *bytes, size_t len, size_t enough, pf_rows *b)
{
    pf_decoded d = {0, 0, 0, PF_STOP_FULL};
    const uint8_t *p = bytes, *end = bytes + len, *stop = bytes + (enough < len ? enough : len);
    uint32_t room;
    begin_batch(b, bytes);
    while (d.stop == PF_STOP_FULL && (room = room_of(b)) > 0 && (p < stop || stop == end) && p - bytes < BYTES_MAX) {
        uint32_t count = b->count;
        p = end - p > 3 ? take_plain_packets(b, room, p, stop, end) : p;
        if (b->count - count < room && (p < stop || stop == end)) {
            d = pf_records_decode(p, (size_t)(end - p), 1, &b->record[b->records], 1);
            if (d.records) {
                list_record(b);
            }
            p += d.consumed;
        }
    }
    d.records = b->count;
    d.consumed = (size_t)(p - bytes);
    return d;
}
