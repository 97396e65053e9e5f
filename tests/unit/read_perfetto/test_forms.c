/* Packets of every kind in other forms of the same content: with fields that nobody knows in every message, with their
 * fields in another order, and with tables in which all hashes are the same. What is read from the packets as they
 * stand says what is expected, and a word in it that something is. */
#include "every_kind.h"

#include <stdio.h>
#include <string.h>

static void read_as_text(const char *spelled, spelling how, uint64_t seed, pf_buffer *out)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    o.limits.hash_seed = seed;
    start(&b);
    spell(&b, spelled, how);
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    show_all(t, out);
    pf_trace_free(t);
    finish(&b);
}

static void expect_same(const char *spelled, const pf_buffer *want, spelling how, uint64_t seed)
{
    pf_buffer got = {0};
    read_as_text(spelled, how, seed, &got);
    cr_expect(got.len == want->len && memcmp(got.data, want->data, got.len) == 0, "%s\ngot:\n%.*s\nexpected:\n%.*s",
              spelled, (int)got.len, got.data, (int)want->len, want->data);
    pf_buffer_free(&got);
}

Test(forms, unknown_fields_change_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        cr_expect_not_null(memmem(want.data, want.len, every_kind[i].word, strlen(every_kind[i].word)), "%s\n%.*s",
                           every_kind[i].word, (int)want.len, want.data);
        expect_same(every_kind[i].spelled, &want, NOISY, 1);
        pf_buffer_free(&want);
    }
}

/* But where a list is in this order. */
Test(forms, the_order_of_fields_changes_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        if (every_kind[i].listed) {
            continue;
        }
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        expect_same(every_kind[i].spelled, &want, DESCENDING, 1);
        pf_buffer_free(&want);
    }
}

/* With this seed all numbers have one hash: every table is one chain. */
Test(forms, equal_hashes_change_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        expect_same(every_kind[i].spelled, &want, AS_IT_STANDS, 0x7f4a7c159e3779b9);
        pf_buffer_free(&want);
    }
}

/* ---- many events ------------------------------------------------------------------------------------------------- */

static uint32_t next_number(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

/* One packet. Events of one shape come in runs; in between are descriptors that say
 * more of a track, states that are lost, and names that are defined late or never. */
static void write_packet(char *text, size_t room, uint32_t shape, uint32_t *state)
{
    const unsigned sequence = 1 + next_number(state, 2), track = 20 + next_number(state, 4),
                   name = 1 + next_number(state, 5), category = 1 + next_number(state, 3),
                   number = next_number(state, 300), ts = 1000 + next_number(state, 500);
    switch (shape) {
    case 0:
        snprintf(text, room, "1{8:%u 10:%u 13:2 11{9:1 11:%u 10:%u 3:%u}}", ts, sequence, track, name, category);
        break;
    case 1:
        snprintf(text, room, "1{8:%u 10:%u 11{9:2 11:%u}}", ts, sequence, track);
        break;
    case 2:
        snprintf(text, room, "1{8:%u 10:%u 11{9:3 11:%u 10:%u 4{1:1 4:%u} 4{10'n' 3:%u}}}", ts, sequence, track, name,
                 number, number);
        break;
    case 3:
        snprintf(text, room, "1{8:%u 10:%u 11{9:4 11:%u 30:%u}}", ts, sequence, 30 + track % 2, number);
        break;
    case 4:
        snprintf(text, room, "1{8:%u 10:%u 11{9:1 11:%u 23'name %u' 22'c%u' 47#%u}}", ts, sequence, track, number % 3,
                 category, 1 + number % 9);
        break;
    case 5:
        snprintf(text, room, "1{8:%u 10:%u 11{9:3 10:%u 3:%u 3:%u}}", ts, sequence, name, category, 1 + number % 4);
        break;
    case 6:
        snprintf(text, room, "1{8:%u 58:64 10:%u 11{9:3 11:%u 10:%u 48#%u}}", number, sequence, track, name,
                 1 + number % 9);
        break;
    case 7:
        snprintf(text, room, "1{8:%u 10:%u 11{9:1 11:%u 10:%u 17:%u 20:%u}}", ts, sequence, track, name, ts + number,
                 number);
        break;
    case 8:
        snprintf(text, room, "1{8:%u 10:%u 11{9:4 11:32 44=%u.5}}", ts, sequence, number);
        break;
    case 9:
        snprintf(text, room, "1{10:%u 12{2{1:%u 2'late %u'} 1{1:%u 2'late'} 3{1:1 2'key'}}}", sequence, name, number,
                 category);
        break;
    case 10:
        snprintf(text, room, "1{10:%u 13:1 12{2{1:1 2'one'} 2{1:2 2'two'} 1{1:1 2'c1'}} 59{11{11:%u}}}", sequence,
                 track);
        break;
    case 11:
        snprintf(text, room, "1{10:%u 42:1}", sequence);
        break;
    default:
        snprintf(text, room, "1{10:%u 60{1:%u 2'track %u' 15:%u}}", sequence, track, track, 1 + track % 2);
        break;
    }
}

static void write_packets(bytes *b, uint32_t seed, spelling how)
{
    enum { PACKETS = 400 };
    uint32_t state = seed, shape = 10;
    char text[256];
    spell(b, "1{10:1 13:1 6{1{1:6 2:1000} 1{1:64 2:0 3:1}}} 1{10:2 13:1 6{1{1:6 2:1000} 1{1:64 2:5}}}", how);
    spell(b, "1{10:1 60{1:30 2'a' 8{}}} 1{10:1 60{1:31 2'b' 8{5:1 4:2}}} 1{10:1 60{1:32 2'c' 8{3:3}}}", how);
    spell(b, "1{10:1 60{1:20 4{1:5 2:6 5'thread'}}} 1{10:1 60{1:21 2'plain' 15:2}}", how);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (i % 10 == 0 || shape > 8) { /* runs of ten */
            shape = next_number(&state, 6) ? next_number(&state, 9) : 9 + next_number(&state, 4);
        }
        write_packet(text, sizeof text, shape, &state);
        spell(b, text, how);
    }
}

static void show_many(uint32_t seed, spelling how, uint64_t hash_seed, pf_buffer *out)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    o.limits.hash_seed = hash_seed;
    start(&b);
    write_packets(&b, seed, how);
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    show_all(t, out);
    pf_trace_free(t);
    finish(&b);
}

Test(forms, of_many_events)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        static const spelling forms[] = {NOISY, DESCENDING, AS_IT_STANDS};
        pf_buffer want = {0};
        show_many(seed, AS_IT_STANDS, 1, &want);
        for (size_t i = 0; i < 3; i++) {
            pf_buffer got = {0};
            show_many(seed, forms[i], forms[i] == AS_IT_STANDS ? 0x7f4a7c159e3779b9 : 1, &got);
            size_t at = 0;
            while (at < got.len && at < want.len && got.data[at] == want.data[at]) {
                at++;
            }
            cr_expect(got.len == want.len && at == got.len, "seed %u form %zu\ngot %.*s\nexpected %.*s", seed, i,
                      (int)(got.len - at < 400 ? got.len - at : 400), got.data + at,
                      (int)(want.len - at < 400 ? want.len - at : 400), want.data + at);
            pf_buffer_free(&got);
        }
        pf_buffer_free(&want);
    }
}
