/* read/perfetto/rows.c - the hot decoder: packets to rows.
 *
 * Packets are read in blocks (hot.h). Behind each block the numbers of its places and labels are found by hash, with linear
 * probing; the tables are never more than half full. Bytes that were made to collide cost a second entry in the list, not
 * a long search. Packets that are not usual are left to record.c.
 *
 * This file is compiled twice, plainly and for processors with BMI2 (choose.c); wire/cursor.h and hot.h make the difference.
 */
#include "read/perfetto/rows.h"

#ifdef PF_RECORDS_BMI2
#define pf_records_decode pf_records_decode_bmi2
#define pf_rows_decode pf_rows_decode_bmi2
#endif

#include "read/perfetto/hot.h"

#define SHORT(list) ((list) / 4) /* lists up to there go on in the next batch, which then has room for its own */
#define PLACES_AT (2 * PF_ROW_PLACES)
#define LABELS_AT (2 * PF_ROW_LABELS)
#define PROBES 16u /* looks at a table before an entry is listed once more */
#define BLOCK 32u
#define BYTES_MAX (1u << 30) /* of a batch: `at` reaches that far */
#define MIX 0x9e3779b97f4a7c15u

/* ---- places and labels ------------------------------------------------------------------------------------------- */

/* Two numbers of a place or label, from that offset on, as one. */
static inline uint64_t load_pair(const void *p, size_t offset)
{
    uint64_t pair;
    memcpy(&pair, (const uint8_t *)p + offset, sizeof pair);
    return pair;
}

static inline uint32_t find_place(pf_rows *b, const pf_place *p)
{
    uint64_t who = load_pair(p, offsetof(pf_place, sequence));
    uint32_t at = (uint32_t)((p->uuid * MIX ^ who) * MIX >> 32) % PLACES_AT, number;
    for (uint32_t last = at + PROBES; (number = b->place_at[at % PLACES_AT]) != 0 && at < last; at++) {
        const pf_place *known = &b->place[number];
        if (__builtin_expect(((known->uuid ^ p->uuid) | (load_pair(known, offsetof(pf_place, sequence)) ^ who)) == 0,
                             1)) {
            return number;
        }
    }
    b->place_at[at % PLACES_AT] = (uint16_t)b->places;
    b->place[b->places] = *p;
    return b->places++;
}

/* Of all bytes: names that differ in the middle only are common. Behind them PF_SLOP bytes are readable. */
static inline uint64_t hash_text(const uint8_t *p, uint32_t len)
{
    uint64_t hash = len;
    for (; len >= 8; len -= 8, p += 8) {
        hash = (hash ^ pf_load64(p)) * MIX;
        hash ^= hash >> 32;
    }
    return (hash ^ (pf_load64(p) & (((uint64_t)1 << 8 * len) - 1))) * MIX;
}

static inline uint32_t find_label(pf_rows *b, const pf_label *l)
{
    uint64_t ids = load_pair(l, 0), who = load_pair(l, offsetof(pf_label, sequence));
    uint64_t text = __builtin_expect(l->text != 0, 0) ? hash_text(l->name, l->text - 1) : 0;
    uint32_t at = (uint32_t)(((ids ^ text) * MIX ^ who) * MIX >> 32) % LABELS_AT, number;
    for (uint32_t last = at + PROBES; (number = b->label_at[at % LABELS_AT]) != 0 && at < last; at++) {
        const pf_label *known = &b->label[number];
        bool same = ((load_pair(known, 0) ^ ids) | (load_pair(known, offsetof(pf_label, sequence)) ^ who)) == 0;
        if (__builtin_expect(same, 1) && (!l->text || memcmp(known->name, l->name, l->text - 1) == 0)) {
            return number;
        }
    }
    b->label_at[at % LABELS_AT] = (uint16_t)b->labels;
    b->label[b->labels] = *l;
    return b->labels++;
}

/* Numbers the places and labels of rows that were read, and appends the rows. Returns how many have more to say. */
static uint32_t number_rows(pf_rows *b, const usual *u, uint32_t count)
{
    pf_row *row = &b->row[b->count];
    uint32_t values = b->values, longer = 0;
    for (uint32_t i = 0; i < count; i++) {
        row[i].place = (uint16_t)find_place(b, &u[i].place);
    }
    for (uint32_t i = 0; i < count; i++) {
        row[i].label = (uint16_t)find_label(b, &u[i].label);
        b->value[values] = u[i].value;
        values += (row[i].what & PF_ROW_HAS_VALUE) != 0;
        longer += row[i].what > PF_ROW_TYPE;
    }
    b->values = values;
    b->count += count;
    return longer;
}

/* ---- framing ----------------------------------------------------------------------------------------------------- */

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

/* Reads up to `room` usual packets as long as they begin before `stop`; *at is behind them afterwards. Returns how many.
 * mostly_short is a constant in each of the two copies of this loop. */
static inline __attribute__((always_inline)) uint32_t read_block(usual *u, pf_row *row, uint32_t room,
                                                                 const uint8_t *first, const uint8_t **at,
                                                                 const uint8_t *stop, const uint8_t *end,
                                                                 bool mostly_short)
{
    const uint8_t *p = *at;
    uint32_t count = 0, length;
    for (; count < room && p < stop && *p == PF_TAG_BYTES(PF_F_TRACE_PACKET); count++) {
        const uint8_t *packet = take_length(p + 1, end, &length);
        row[count].at = (uint32_t)(p - first);
        if (!packet || !length || !read_packet(&u[count], &row[count], p, packet, packet + length, mostly_short)) {
            break;
        }
        p = packet + length;
    }
    *at = p;
    return count;
}

/* Takes usual packets from p on, no more than `room` and as long as they begin before `stop`; returns the position behind.
 * They are read in blocks, whose places and labels are found behind them: each of the loops fits the registers. Where most
 * events of the last block are longer than a short one, looking whether they are short is a waste. */
static const uint8_t *take_all_usual(pf_rows *b, uint32_t room, const uint8_t *p, const uint8_t *stop,
                                     const uint8_t *end)
{
    usual u[BLOCK];
    bool mostly_short = WINDOW > 0;
    uint32_t count;
    stop = stop < end - 3 ? stop : end - 3;
    do {
        pf_row *row = &b->row[b->count];
        uint32_t block = least(room, BLOCK);
        count = mostly_short ? read_block(u, row, block, b->bytes, &p, stop, end, true)
                             : read_block(u, row, block, b->bytes, &p, stop, end, false);
        mostly_short = number_rows(b, u, count) < BLOCK / 4 && WINDOW > 0;
        room -= count;
    } while (count == BLOCK);
    return p;
}

static void begin_batch(pf_rows *b, const uint8_t *bytes)
{
    b->bytes = bytes;
    b->count = b->records = b->values = 0;
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
        p = end - p > 3 ? take_all_usual(b, room, p, stop, end) : p;
        if (b->count - count < room && (p < stop || stop == end)) {
            d = pf_records_decode(p, (size_t)(end - p), 1, &b->record[b->records], 1);
            if (d.records) {
                b->row[b->count++] = (pf_row){.at = b->records++};
            }
            p += d.consumed;
        }
    }
    d.records = b->count;
    d.consumed = (size_t)(p - bytes);
    return d;
}
