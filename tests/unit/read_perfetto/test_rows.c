/* read/perfetto/rows: every row of a batch says what the record of its packet says, whatever the order of fields, and a
 * batch that is full goes on in the next one. The second method is packet.c, one packet at a time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"
#include "wire/cursor.h"

typedef struct bytes {
    uint8_t *data;
    size_t len, room;
} bytes;

static void put(bytes *b, const void *p, size_t n)
{
    cr_assert_leq(b->len + n + PF_SLOP, b->room);
    memcpy(b->data + b->len, p, n);
    b->len += n;
}

static void put_varint(bytes *b, uint64_t v)
{
    for (; v > 0x7f; v >>= 7) {
        put(b, &(uint8_t){(uint8_t)(v | 0x80)}, 1);
    }
    put(b, &(uint8_t){(uint8_t)v}, 1);
}

static void put_number(bytes *b, uint32_t field, uint64_t v)
{
    put_varint(b, PF_TAG_VARINT(field));
    put_varint(b, v);
}

static void put_bytes(bytes *b, uint32_t field, const void *p, size_t n)
{
    put_varint(b, PF_TAG_BYTES(field));
    put_varint(b, n);
    put(b, p, n);
}

static void put_fixed(bytes *b, uint32_t field, uint64_t v)
{
    put_varint(b, PF_TAG_FIXED64(field));
    put(b, &v, sizeof v);
}

/* A packet of a sequence with this event, and with empty interned data if it is to be more than an event; frees the
 * event. */
static void put_with_event(bytes *b, uint64_t timestamp, uint64_t sequence, bytes *event, bool interns)
{
    size_t room = event->len + 64 + PF_SLOP;
    bytes packet = {.data = calloc(1, room), .room = room};
    put_number(&packet, PF_F_PACKET_TIMESTAMP, timestamp);
    put_number(&packet, PF_F_PACKET_SEQUENCE_ID, sequence);
    put_bytes(&packet, PF_F_PACKET_TRACK_EVENT, event->data, event->len);
    if (interns) {
        put_bytes(&packet, PF_F_PACKET_INTERNED_DATA, "", 0);
    }
    put_bytes(b, PF_F_TRACE_PACKET, packet.data, packet.len);
    free(packet.data);
    free(event->data);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static bytes make(size_t room)
{
    return (bytes){.data = calloc(1, room), .room = room};
}

/* A number of any length in bits. */
static uint64_t any_number(uint64_t *seed)
{
    uint64_t v = next_random(seed) << 33 ^ next_random(seed) << 11 ^ next_random(seed);
    return v >> next_random(seed) % 64;
}

/* One field of an event, most often one that is usual. */
static void put_event_field(bytes *b, uint64_t *seed)
{
    static const char *const names[] = {"", "a", "kernel", "kernel_with_a_long_name", "kernel_with_a_l0ng_name"};
    const char *name = names[next_random(seed) % 5];
    switch (next_random(seed) % 16) {
    case 0:
        put_number(b, PF_F_EVENT_TYPE, next_random(seed) % 7);
        break;
    case 1:
    case 2:
        put_number(b, PF_F_EVENT_NAME_IID, next_random(seed) % 16 ? next_random(seed) % 300 : any_number(seed));
        break;
    case 3:
    case 4:
        put_number(b, PF_F_EVENT_CATEGORY_IIDS, next_random(seed) % 16 ? next_random(seed) % 5 : any_number(seed));
        break;
    case 5:
    case 6:
    case 7:
        put_number(b, PF_F_EVENT_TRACK_UUID, next_random(seed) % 2 ? next_random(seed) % 9 : any_number(seed) % 31);
        break;
    case 8:
        put_number(b, PF_F_EVENT_TRACK_UUID, any_number(seed));
        break;
    case 9:
        put_bytes(b, PF_F_EVENT_NAME, name, strlen(name));
        break;
    case 10:
        put_number(b, PF_F_EVENT_COUNTER_VALUE, any_number(seed));
        break;
    case 11:
        put_fixed(b, PF_F_EVENT_DOUBLE_COUNTER_VALUE, any_number(seed));
        break;
    case 12:
        put_fixed(b, next_random(seed) % 2 ? PF_F_EVENT_FLOW_IDS : PF_F_EVENT_TERMINATING_FLOW_IDS, any_number(seed));
        break;
    case 13:
        put_bytes(b, PF_F_EVENT_DEBUG_ANNOTATIONS, "\x08\x01\x20\x05", 4);
        break;
    case 14:
        put_bytes(b, PF_F_EVENT_LEGACY_EVENT, "\x10\x58", 2);
        break;
    default:
        put_number(b, 9900 + (uint32_t)(next_random(seed) % 3), 1);
    }
}

static void put_event(bytes *b, uint64_t *seed)
{
    bytes event = make(4096);
    if (next_random(seed) % 8) { /* as a writer puts them */
        uint64_t type = 1 + next_random(seed) % 4;
        put_number(&event, PF_F_EVENT_TYPE, type);
        if (type != PF_EVENT_SLICE_END) {
            put_number(&event, PF_F_EVENT_NAME_IID, 1 + next_random(seed) % 200);
            put_number(&event, PF_F_EVENT_CATEGORY_IIDS, 1 + next_random(seed) % 4);
        }
        if (next_random(seed) % 4) {
            put_number(&event, PF_F_EVENT_TRACK_UUID, next_random(seed) % 40);
        }
        if (type == PF_EVENT_COUNTER) {
            put_number(&event, PF_F_EVENT_COUNTER_VALUE, any_number(seed));
        }
    }
    for (uint64_t n = next_random(seed) % 3; n > 0; n--) {
        put_event_field(&event, seed);
    }
    put_bytes(b, PF_F_PACKET_TRACK_EVENT, event.data, event.len);
    free(event.data);
}

static void put_packet(bytes *b, uint64_t *seed)
{
    bytes packet = make(8192);
    bool usual = next_random(seed) % 4 != 0, has_event = false;
    if (usual || next_random(seed) % 2) {
        put_number(&packet, PF_F_PACKET_TIMESTAMP, any_number(seed));
        put_number(&packet, PF_F_PACKET_SEQUENCE_ID, next_random(seed) % 200);
        put_number(&packet, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE);
        put_event(&packet, seed);
        has_event = true;
    }
    for (uint64_t n = usual ? 0 : next_random(seed) % 5; n > 0; n--) {
        switch (next_random(seed) % 8) {
        case 0:
            put_number(&packet, PF_F_PACKET_TIMESTAMP, any_number(seed));
            break;
        case 1:
            put_number(&packet, PF_F_PACKET_SEQUENCE_ID, any_number(seed));
            break;
        case 2:
            put_number(&packet, PF_F_PACKET_SEQUENCE_FLAGS, next_random(seed) % 4);
            break;
        case 3:
            put_number(&packet, PF_F_PACKET_TIMESTAMP_CLOCK_ID, next_random(seed) % 4 ? 64 : any_number(seed));
            break;
        case 4:
            put_number(&packet, PF_F_PACKET_TRUSTED_UID, any_number(seed));
            break;
        case 5:
            put_bytes(&packet, PF_F_PACKET_INTERNED_DATA, "", 0);
            break;
        case 6:
            put_bytes(&packet, 700, "x", 1);
            break;
        default:
            if (!has_event || next_random(seed) % 8 == 0) {
                put_event(&packet, seed);
                has_event = true;
            }
        }
    }
    put_bytes(b, PF_F_TRACE_PACKET, packet.data, packet.len);
    free(packet.data);
}

#define SAME(field)                                                                                                    \
    cr_assert_eq(r->field, s->field, "packet at byte %zu, " #field ": %llx, expected %llx", at,                        \
                 (unsigned long long)(uintptr_t)r->field, (unsigned long long)(uintptr_t)s->field)

static void compare(const pf_record *r, const pf_record *s, size_t at)
{
    SAME(packet);
    SAME(packet_len);
    SAME(kind);
    SAME(has);
    SAME(timestamp);
    SAME(sequence);
    SAME(sequence_flags);
    SAME(clock);
    SAME(event);
    SAME(event_len);
    SAME(type);
    SAME(track_uuid);
    SAME(name_iid);
    SAME(category);
    SAME(value);
    SAME(name_len);
    SAME(data);
    cr_assert(r->name_len == 0 || memcmp(r->name, s->name, r->name_len) == 0, "packet at byte %zu, name", at);
}

/* The only flow id of an event that has one, 0 if it has more or none; *kinds: which it has, as marks of a row. */
static uint64_t one_flow(const pf_record *r, uint32_t *kinds)
{
    pf_cursor c = pf_cursor_over(r->event, r->event_len);
    pf_field f;
    unsigned count = 0;
    uint64_t id = 0;
    *kinds = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool start = f.tag == PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS);
        if (start || f.tag == PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS)) {
            *kinds |= start ? PF_ROW_ONE_FLOW : PF_ROW_ONE_END;
            id = f.value;
            count++;
        }
    }
    return count == 1 ? id : 0;
}

/* What the rows are, all batches together. */
typedef struct tally {
    size_t rows, usual, batches, flows;
} tally;

static tally check(const bytes *b, pf_rows_decoder decode, size_t chunk)
{
    tally t = {0};
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    pf_rows *rows = pf_rows_new(&budget);
    cr_assert(rows);
    size_t at = 0;
    for (pf_decoded d = {.stop = PF_STOP_FULL}; d.stop == PF_STOP_FULL; t.batches++) {
        d = decode(b->data + at, b->len - at, chunk < b->len - at ? chunk : b->len - at, rows);
        cr_assert_eq(d.records, rows->count);
        size_t from = at;
        for (uint32_t i = 0, value = 0; i < rows->count; i++, t.rows++) {
            uint32_t what = rows->where[i].what, kinds;
            bool valued = what & PF_ROW_HAS_VALUE;
            const pf_record r = pf_rows_record(rows, i, valued ? rows->value[value] : 0);
            pf_record s = {0};
            pf_decoded one = {.stop = PF_STOP_FULL};
            while (one.records == 0 && one.stop == PF_STOP_FULL) { /* over empty packets */
                one = pf_records_decode(b->data + from, b->len - from, 1, &s, 1);
                from += one.consumed;
            }
            cr_assert_eq(one.records, 1);
            compare(&r, &s, (size_t)(s.packet - b->data));
            if (what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)) {
                cr_assert_eq(rows->value[value], one_flow(&s, &kinds));
                cr_assert_eq(what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END), kinds);
                t.flows++;
            }
            value += valued;
            t.usual += (what & PF_ROW_TYPE) != 0;
        }
        at += d.consumed;
    }
    cr_assert_eq(at, b->len);
    pf_rows_free(rows);
    cr_assert_eq(budget.used, 0);
    return t;
}

Test(rows, random_packets)
{
    for (uint64_t seed = 1; seed < 9; seed++) {
        bytes b = make(4u << 20);
        uint64_t state = seed;
        for (int i = 0; i < 20000; i++) {
            put_packet(&b, &state);
        }
        tally plain = check(&b, pf_rows_decode, SIZE_MAX);
        tally chosen = check(&b, pf_rows_choose(), 100000);
        cr_assert_eq(plain.rows, chosen.rows);
        cr_assert_eq(plain.usual, chosen.usual);
        cr_assert_gt(plain.usual, 8000); /* three of four packets are meant to be */
        cr_assert_gt(plain.flows, 100);
        free(b.data);
    }
}

/* A number of a size that the form tells, now and then of any. */
static uint64_t sized_number(uint64_t *form, uint64_t *seed)
{
    unsigned bits = (unsigned)(next_random(form) % 65);
    uint64_t v = next_random(seed) << 33 ^ next_random(seed) << 11 ^ next_random(seed);
    bool any = next_random(seed) % 32 == 0;
    return any ? v >> next_random(seed) % 64 : bits == 0 ? 0 : (v | 1ull << 63) >> (64 - bits);
}

static uint64_t small_number(uint64_t *form, uint64_t *seed)
{
    return next_random(seed) % 32 ? sized_number(form, seed) & 0xfffff : next_random(seed) % 3;
}

/* What stands at the end of an event, if anything does. */
static void put_tail(bytes *b, uint64_t *form, uint64_t *seed)
{
    uint64_t kind = next_random(form) % 12;
    uint32_t flow = next_random(form) % 2 ? PF_F_EVENT_FLOW_IDS : PF_F_EVENT_TERMINATING_FLOW_IDS;
    if (kind == 0 || kind == 1 || kind == 4) {
        for (uint64_t n = 1 + next_random(form) % 3; n > 0; n--) {
            put_bytes(b, PF_F_EVENT_DEBUG_ANNOTATIONS, "\x08\x01\x20\x95\x9a\xef\x3a", 4 + next_random(seed) % 4);
        }
    }
    if (kind == 2 || kind == 3) {
        put_fixed(b, flow, any_number(seed));
    }
    if (kind == 3 && next_random(seed) % 4) {
        put_fixed(b, PF_F_EVENT_FLOW_IDS, any_number(seed));
    }
    if ((kind == 4 && next_random(seed) % 4) || kind == 5) {
        put_number(b, PF_F_EVENT_COUNTER_VALUE, sized_number(form, seed));
    }
    if (kind == 6) {
        put_fixed(b, PF_F_EVENT_DOUBLE_COUNTER_VALUE, any_number(seed));
    }
    if (kind == 7) {
        put_bytes(b, PF_F_EVENT_NAME, "kernel_name", next_random(seed) % 12);
    }
}

/* An event whose fields and their sizes are those of its form; form and seed are drawn from apart. */
static void put_event_alike(bytes *b, uint64_t *form, uint64_t *seed)
{
    static const uint64_t odd_types[] = {0, 5, 130};
    bytes event = make(512);
    unsigned first = (unsigned)(next_random(form) % 4);
    uint64_t without = next_random(form) % 16, kept = next_random(form) % 2 ? 0 : PF_EVENT_COUNTER;
    for (unsigned i = first; i < first + 4; i++) {
        uint64_t type = kept ? kept : 1 + next_random(seed) % 3;
        if (without == i % 4) {
            continue;
        }
        switch (i % 4) {
        case 0:
            put_number(&event, PF_F_EVENT_TYPE, next_random(seed) % 32 ? type : odd_types[next_random(seed) % 3]);
            break;
        case 1:
            put_number(&event, PF_F_EVENT_NAME_IID, small_number(form, seed));
            break;
        case 2:
            put_number(&event, PF_F_EVENT_CATEGORY_IIDS, next_random(seed) % 16);
            break;
        default:
            put_number(&event, PF_F_EVENT_TRACK_UUID, sized_number(form, seed));
        }
    }
    put_tail(&event, form, seed);
    put_bytes(b, PF_F_PACKET_TRACK_EVENT, event.data, event.len);
    free(event.data);
}

static void put_packet_alike(bytes *b, uint64_t form, uint64_t *seed)
{
    bytes packet = make(1024);
    unsigned order = (unsigned)(next_random(&form) % 6);
    uint64_t flags = next_random(&form) % 4 ? PF_SEQ_NEEDS_STATE : 0;
    if (order == 1) {
        put_event_alike(&packet, &form, seed);
    }
    put_number(&packet, PF_F_PACKET_TIMESTAMP, sized_number(&form, seed));
    if (order == 5) {
        put_number(&packet, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_NEEDS_STATE - flags);
        put_number(&packet, PF_F_PACKET_TIMESTAMP_CLOCK_ID, 3);
    }
    if (order == 2 || order == 5) {
        put_number(&packet, PF_F_PACKET_TIMESTAMP_CLOCK_ID, 64);
        put_number(&packet, PF_F_PACKET_TRUSTED_PID, any_number(seed) % 70000);
    }
    put_number(&packet, PF_F_PACKET_SEQUENCE_ID, small_number(&form, seed));
    put_number(&packet, PF_F_PACKET_SEQUENCE_FLAGS, next_random(seed) % 32 ? flags : next_random(seed) % 4);
    if (order == 3) {
        put_number(&packet, PF_F_PACKET_TRUSTED_UID, next_random(seed) % 300);
    }
    if (order != 1) {
        put_event_alike(&packet, &form, seed);
    }
    if (order == 4) {
        put_number(&packet, PF_F_PACKET_TRUSTED_UID, next_random(seed) % 300);
    }
    put_bytes(b, PF_F_TRACE_PACKET, packet.data, packet.len);
    free(packet.data);
}

/* Packets of a few forms, in any order: most of them look like one before, some nearly. */
Test(rows, packets_that_look_alike)
{
    for (uint64_t seed = 1; seed < 33; seed++) {
        bytes b = make(4u << 20);
        uint64_t state = seed;
        for (int i = 0; i < 20000; i++) {
            put_packet_alike(&b, seed * 1000 + next_random(&state) % 12, &state);
        }
        tally plain = check(&b, pf_rows_decode, SIZE_MAX);
        tally chosen = check(&b, pf_rows_choose(), 100000);
        cr_assert_eq(plain.rows, 20000);
        cr_assert_eq(chosen.rows, 20000);
        cr_assert_eq(plain.usual, chosen.usual);
        free(b.data);
    }
}

/* Full lists end a batch, and nothing is lost between two: each of these packets needs an entry of its own in one of
 * them. */
Test(rows, full_batches)
{
    for (int list = 0; list < 4; list++) {
        bytes b = make(4u << 20);
        for (uint32_t i = 0; i < 20000; i++) {
            bytes event = make(256);
            char name[16];
            put_number(&event, PF_F_EVENT_TYPE, list == 2 ? PF_EVENT_COUNTER : PF_EVENT_INSTANT);
            put_number(&event, PF_F_EVENT_TRACK_UUID, list == 0 ? i : 7);
            if (list == 1) {
                put_bytes(&event, PF_F_EVENT_NAME, name, (size_t)snprintf(name, sizeof name, "%u", i));
            } else if (list == 2) {
                put_number(&event, PF_F_EVENT_COUNTER_VALUE, i);
            }
            put_with_event(&b, i, 1, &event, list == 3);
        }
        tally t = check(&b, pf_rows_decode, SIZE_MAX);
        cr_assert_eq(t.rows, 20000);
        cr_assert_eq(t.usual, list == 3 ? 0 : 20000);
        cr_assert_geq(t.batches, 20000 / PF_ROWS_MAX + 1 + (list != 2));
        free(b.data);
    }
}

/* What was listed is listed once, in the next batch too. */
Test(rows, listed_once)
{
    bytes b = make(1u << 20);
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    pf_rows *rows = pf_rows_new(&budget);
    for (uint32_t i = 0; i < 6000; i++) {
        bytes event = make(256);
        put_number(&event, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
        put_number(&event, PF_F_EVENT_NAME_IID, 1 + i % 150);
        put_number(&event, PF_F_EVENT_TRACK_UUID, 1 + i % 40);
        put_with_event(&b, i, 1 + i % 2, &event, false);
    }
    pf_decoded d = pf_rows_decode(b.data, b.len, b.len, rows);
    cr_assert_eq(d.records, 6000);
    cr_assert_eq(rows->places, 1 + 40);  /* i and the sequence go together: uuids 1, 3, ... and 2, 4, ... */
    cr_assert_eq(rows->labels, 1 + 150); /* so do names */
    cr_assert(rows->renewed);
    pf_decoded again = pf_rows_decode(b.data, b.len, b.len, rows);
    cr_assert_eq(again.records, 6000);
    cr_assert(!rows->renewed);
    cr_assert_eq(rows->places, 1 + 40);
    cr_assert_eq(rows->labels, 1 + 150);
    pf_rows_renew(rows);
    (void)pf_rows_decode(b.data, b.len / 2, b.len / 2, rows);
    cr_assert(rows->renewed);
    cr_assert_eq(rows->labels, 1 + 150);
    pf_rows_free(rows);
    free(b.data);
}

/* Names of one length that begin and end alike are still told apart by their hash: each is listed once. */
Test(rows, names_that_differ_in_the_middle)
{
    bytes b = make(1u << 20);
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    pf_rows *rows = pf_rows_new(&budget);
    for (uint32_t i = 0; i < 4000; i++) {
        bytes event = make(256);
        char name[64];
        put_number(&event, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
        put_number(&event, PF_F_EVENT_TRACK_UUID, 1);
        put_bytes(&event, PF_F_EVENT_NAME, name,
                  (size_t)snprintf(name, sizeof name, "iteration %06u of the forward pass", i % 2000));
        put_with_event(&b, i, 1, &event, false);
    }
    pf_decoded d = pf_rows_decode(b.data, b.len, b.len, rows);
    cr_assert_eq(d.records, 4000);
    cr_assert_leq(rows->labels, 1 + 2000 + 20); /* a crowded place of the table may cost a few more */
    pf_rows_free(rows);
    free(b.data);
}

/* Lists that are long begin anew with the next batch, so that it has room for its own. */
Test(rows, long_lists_begin_anew)
{
    bytes b = make(4u << 20);
    uint64_t state = 5;
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    pf_rows *rows = pf_rows_new(&budget);
    for (int i = 0; i < 30000; i++) {
        put_packet(&b, &state);
    }
    unsigned renewed = 0, batches = 0;
    size_t at = 0;
    for (pf_decoded d = {.stop = PF_STOP_FULL}; d.stop == PF_STOP_FULL; batches++) {
        uint32_t places = rows->places, labels = rows->labels;
        d = pf_rows_decode(b.data + at, b.len - at, b.len - at, rows);
        bool is_long = places > PF_ROW_PLACES / 4 || labels > PF_ROW_LABELS / 4;
        cr_assert_eq(rows->renewed, batches == 0 || is_long);
        renewed += rows->renewed;
        at += d.consumed;
    }
    cr_assert_eq(at, b.len);
    cr_assert(renewed > 1 && renewed <= batches);
    pf_rows_free(rows);
    free(b.data);
}

/* Two forms of packets in turn, of one length and with numbers that end in the same bytes: both have room in the place
 * that these choose. Each is learnt once and found again; one that was kept elsewhere would be learnt for ever, until
 * nothing of what is saved is left to pay with. */
Test(rows, two_forms_share_a_place)
{
    bytes b = make(4u << 20);
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    pf_rows *rows = pf_rows_new(&budget);
    for (uint32_t i = 0; i < 50000; i++) {
        bytes event = make(256);
        put_number(&event, PF_F_EVENT_TYPE, PF_EVENT_SLICE_BEGIN);
        put_number(&event, i % 2 ? PF_F_EVENT_NAME_IID : PF_F_EVENT_CATEGORY_IIDS, 1);
        put_number(&event, PF_F_EVENT_TRACK_UUID, 7);
        put_with_event(&b, (1ull << 40) + i, 1, &event, false);
    }
    size_t at = 0;
    uint32_t least = UINT32_MAX;
    for (pf_decoded d = {.stop = PF_STOP_FULL}; d.stop == PF_STOP_FULL; at += d.consumed) {
        d = pf_rows_choose()(b.data + at, b.len - at, b.len - at, rows);
        least = rows->credit < least ? rows->credit : least;
    }
    cr_assert_eq(at, b.len);
    cr_expect(!rows->has_shapes || least > 30000, "credit fell to %u", least);
    pf_rows_free(rows);
    free(b.data);
}
