/* read/perfetto/chunks: whatever the size of the chunks, whatever the guesses, the packets are those of one pass. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"
#include "wire/wire.h"

typedef struct bytes {
    uint8_t data[1u << 18];
    size_t len;
} bytes;

static void put(bytes *b, const void *p, size_t n)
{
    cr_assert_lt(b->len + n + PF_SLOP, sizeof b->data);
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

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* A packet with a time and an event; now and then one whose unknown field holds what looks like a chain of packets. */
static void put_packet(bytes *b, uint64_t *seed)
{
    uint8_t body[600];
    size_t n = 0;
    uint32_t kind = next_random(seed) % 8;
    body[n++] = PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP);
    body[n++] = (uint8_t)(next_random(seed) % 0x80);
    body[n++] = PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_ID);
    body[n++] = 1;
    if (kind == 0) {
        size_t links = 30 + next_random(seed) % 60;
        body[n++] = 0x3a; /* field 7, not defined */
        body[n++] = (uint8_t)((links * 4) | 0x80);
        body[n++] = (uint8_t)(links * 4 >> 7);
        for (size_t i = 0; i < links; i++) {
            memcpy(body + n, "\x0a\x02\x08\x05", 4); /* reads as a packet with a time */
            n += 4;
        }
    } else if (kind < 7) {
        body[n++] = PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT);
        body[n++] = 4;
        body[n++] = PF_TAG_VARINT(PF_F_EVENT_TYPE);
        body[n++] = 1 + kind % 3;
        body[n++] = PF_TAG_VARINT(PF_F_EVENT_NAME_IID);
        body[n++] = (uint8_t)kind;
    }
    put_varint(b, PF_TAG_BYTES(PF_F_TRACE_PACKET));
    put_varint(b, n);
    put(b, body, n);
}

typedef struct seen {
    size_t at;
    uint32_t len, has;
    uint64_t timestamp, name;
    uint8_t kind;
} seen;

typedef struct list {
    seen row[8192];
    size_t count, end;
    pf_stop stop;
} list;

static void note(list *l, const bytes *b, const pf_record *r)
{
    cr_assert_lt(l->count, sizeof l->row / sizeof *l->row);
    l->row[l->count++] =
        (seen){(size_t)(r->packet - b->data), r->packet_len, r->has, r->timestamp, r->name_iid, r->kind};
}

static void note_rows(list *l, const bytes *b, const pf_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const pf_record r = pf_rows_record(rows, i, 0);
        note(l, b, &r);
    }
}

/* The expected list: one record at a time, nothing guessed. */
static void read_singly(const bytes *b, list *l)
{
    pf_decoded d = {.stop = PF_STOP_FULL};
    pf_record r;
    while (d.stop == PF_STOP_FULL) {
        d = pf_records_decode(b->data + l->end, b->len - l->end, b->len - l->end, &r, 1);
        if (d.records) {
            note(l, b, &r);
        }
        l->end += d.consumed;
        if (d.stop == PF_STOP_SKIP && d.skip <= b->len - l->end) {
            l->end += d.skip;
            d.stop = PF_STOP_FULL;
        }
    }
    l->stop = d.stop;
}

static void read_in_chunks(const bytes *b, pf_chunks *c, size_t size, list *l)
{
    pf_decoded d = {.stop = PF_STOP_FULL};
    pf_chunks_set_size(c, size);
    pf_chunks_begin(c, b->data, b->len, false);
    while (d.stop == PF_STOP_FULL) {
        const pf_rows *rows = pf_chunks_next(c, &d);
        cr_assert_eq(d.records, rows->count);
        note_rows(l, b, rows);
        l->end += d.consumed;
        if (d.stop == PF_STOP_SKIP && d.skip <= b->len - l->end) {
            l->end += d.skip;
            pf_chunks_skip(c, d.skip);
            d.stop = PF_STOP_FULL;
        }
    }
    pf_chunks_begin(c, NULL, 0, false);
    l->stop = d.stop;
}

static void compare(const bytes *b, const char *what)
{
    static const size_t sizes[] = {1, 5, 64, 777, 4096, 1u << 20};
    list *one = calloc(1, sizeof *one), *many = calloc(1, sizeof *many);
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    read_singly(b, one);
    for (unsigned helpers = 0; helpers < 4; helpers++) {
        pf_chunks *c = pf_chunks_new(helpers, &budget);
        cr_assert(c);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            memset(many, 0, sizeof *many);
            read_in_chunks(b, c, sizes[i], many);
            cr_assert(many->count == one->count && many->end == one->end && many->stop == one->stop &&
                          memcmp(many->row, one->row, one->count * sizeof *one->row) == 0,
                      "%s, %u helpers, chunks of %zu: %zu records to byte %zu, stop %d; expected %zu to %zu, %d", what,
                      helpers, sizes[i], many->count, many->end, (int)many->stop, one->count, one->end, (int)one->stop);
        }
        pf_chunks_free(c);
    }
    cr_assert_eq(budget.used, 0);
    free(one);
    free(many);
}

static bytes *make(uint64_t seed, unsigned packets)
{
    bytes *b = calloc(1, sizeof *b);
    for (unsigned i = 0; i < packets; i++) {
        put_packet(b, &seed);
    }
    return b;
}

Test(chunks, whole_traces)
{
    for (uint64_t seed = 1; seed < 6; seed++) {
        bytes *b = make(seed, 1500);
        list *one = calloc(1, sizeof *one);
        read_singly(b, one);
        cr_assert_eq(one->count, 1500);
        cr_assert_eq(one->end, b->len);
        free(one);
        compare(b, "whole");
        free(b);
    }
}

Test(chunks, other_fields_between_packets)
{
    bytes *b = make(7, 200);
    static const uint8_t other[] = {0x12, 0x03, 0x0a, 0x01, 0x08}; /* field 2 of the trace */
    uint64_t seed = 70;
    for (int i = 0; i < 20; i++) {
        put(b, other, sizeof other);
        for (int k = 0; k < 30; k++) {
            put_packet(b, &seed);
        }
    }
    compare(b, "other fields");
    free(b);
}

Test(chunks, one_packet_over_many_chunks)
{
    bytes *b = make(9, 50);
    put_varint(b, PF_TAG_BYTES(PF_F_TRACE_PACKET));
    put_varint(b, 1 + 3 + 60000); /* its body: a tag, a length of three bytes, and what looks like packets */
    put(b, (uint8_t[]){0x3a}, 1);
    put_varint(b, 60000);
    for (int i = 0; i < 15000; i++) {
        put(b, "\x0a\x02\x08\x05", 4);
    }
    uint64_t seed = 90;
    for (int i = 0; i < 50; i++) {
        put_packet(b, &seed);
    }
    compare(b, "long packet");
    free(b);
}

Test(chunks, cut_and_changed_bytes)
{
    uint64_t seed = 11;
    for (int round = 0; round < 40; round++) {
        bytes *b = make(100 + (uint64_t)round, 120);
        if (round % 2) {
            b->len -= next_random(&seed) % 60;
        }
        for (int i = 0; i < round % 5; i++) {
            b->data[next_random(&seed) % b->len] = (uint8_t)next_random(&seed);
        }
        memset(b->data + b->len, 0, PF_SLOP);
        compare(b, "changed");
        free(b);
    }
}

Test(chunks, nothing)
{
    bytes *b = calloc(1, sizeof *b);
    compare(b, "nothing");
    free(b);
}
