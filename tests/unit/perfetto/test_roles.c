/* Walking and rewriting packets by what their fields mean. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "perfetto/role_walk.h"

static pf_buffer out;
static pf_writer writer;
static pf_role_walk walk;

static void setup(void)
{
    pf_writer_init(&writer, &out);
}

static void teardown(void)
{
    pf_writer_free(&writer);
    pf_buffer_free(&out);
}

TestSuite(roles, .init = setup, .fini = teardown);

#define BEGIN(message, s) pf_role_walk_begin(&walk, message, (const uint8_t *)(s), sizeof(s) - 1, &writer)

static void expect(const char *want, size_t len)
{
    cr_expect_not(writer.failed);
    cr_assert_eq(out.len, len, "%zu bytes instead of %zu", out.len, len);
    cr_expect_arr_eq(out.data, want, len);
}

#define EXPECT(s) expect(s, sizeof(s) - 1)

/* A packet with sequence 5, track 9, flow 7, and a length of a name that is padded to four bytes. */
#define PACKET                                                                                                         \
    "\x50\x05"                                                                                                         \
    "\x5a\x97\x80\x80\x00"                                                                                             \
    "\x58\x09"                                                                                                         \
    "\xba\x01\x83\x80\x80\x00"                                                                                         \
    "abc"                                                                                                              \
    "\xf9\x02\x07\x00\x00\x00\x00\x00\x00\x00"                                                                         \
    "\x48\x01"

Test(roles, fields_come_in_order_with_their_roles)
{
    static const pf_field_role want[] = {PF_ROLE_SEQUENCE, PF_ROLE_MESSAGE, PF_ROLE_TRACK, PF_ROLE_NAME, PF_ROLE_FLOW};
    pf_role_field f;
    size_t n = 0;
    BEGIN(PF_MSG_PACKET, PACKET);
    while (pf_role_walk_next(&walk, &f)) {
        cr_assert_lt(n, 5);
        cr_expect_eq(f.role, want[n], "field %zu is %d", n, f.role);
        cr_expect_eq(f.message, n < 2 ? PF_MSG_PACKET : PF_MSG_EVENT);
        n++;
    }
    cr_expect_eq(n, 5);
    cr_expect_not(pf_role_walk_end(&walk));
    cr_expect_eq(out.len, 0, "nothing is written without a change");
}

Test(roles, a_change_writes_minimal_lengths_around_it_and_keeps_the_rest)
{
    pf_role_field f;
    BEGIN(PF_MSG_PACKET, PACKET);
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role == PF_ROLE_TRACK) {
            pf_role_walk_number(&walk, 300);
        }
    }
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x50\x05\x5a\x18\x58\xac\x02\xba\x01\x83\x80\x80\x00"
           "abc\xf9\x02\x07\x00\x00\x00\x00\x00\x00\x00\x48\x01");
}

Test(roles, texts_grow_and_fixed_numbers_stay_fixed)
{
    pf_role_field f;
    BEGIN(PF_MSG_PACKET, PACKET);
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role == PF_ROLE_NAME) {
            cr_expect(f.field.len == 3 && memcmp(f.field.bytes, "abc", 3) == 0);
            pf_role_walk_text(&walk, (pf_str){"longer", 6});
        } else if (f.role == PF_ROLE_FLOW) {
            pf_role_walk_number(&walk, 0x1000000000000002);
        }
    }
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x50\x05\x5a\x17\x58\x09\xba\x01\x06longer\xf9\x02\x02\x00\x00\x00\x00\x00\x00\x10\x48\x01");
}

Test(roles, fields_and_messages_are_dropped)
{
    pf_role_field f;
    BEGIN(PF_MSG_PACKET, PACKET);
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role == PF_ROLE_NAME || f.role == PF_ROLE_TRACK) {
            pf_role_walk_drop(&walk);
        }
    }
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x50\x05\x5a\x0c\xf9\x02\x07\x00\x00\x00\x00\x00\x00\x00\x48\x01");
    out.len = 0;
    BEGIN(PF_MSG_PACKET, PACKET "\x40\x11");
    while (pf_role_walk_next(&walk, &f)) {
        cr_assert_neq(f.message, PF_MSG_EVENT, "what is dropped is not entered");
        if (f.role == PF_ROLE_MESSAGE) {
            pf_role_walk_drop(&walk);
        }
    }
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x50\x05\x40\x11");
}

/* category_iids 1, 300 and extra values packed; flow_ids packed as fixed numbers; pid of a process as bytes. */
#define PACKED                                                                                                         \
    "\x5a\x1c"                                                                                                         \
    "\x1a\x03\x01\xac\x02"                                                                                             \
    "\x62\x02\x05\x06"                                                                                                 \
    "\xfa\x02\x10\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"

Test(roles, elements_of_packed_lists_come_one_by_one)
{
    pf_role_field f;
    uint64_t seen[4];
    size_t n = 0;
    BEGIN(PF_MSG_PACKET, PACKED);
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role == PF_ROLE_IID || f.role == PF_ROLE_FLOW) {
            cr_assert_lt(n, 4);
            cr_expect(f.element);
            cr_expect_eq(f.message, PF_MSG_EVENT);
            cr_expect(f.role != PF_ROLE_IID || f.kind == PF_F_INTERNED_EVENT_CATEGORIES);
            seen[n++] = f.field.value;
            if (f.field.value == 2) {
                pf_role_walk_number(&walk, 259);
            } else if (f.field.value == 300) {
                pf_role_walk_drop(&walk);
            }
        }
    }
    cr_assert_eq(n, 4);
    cr_expect(seen[0] == 1 && seen[1] == 300 && seen[2] == 1 && seen[3] == 2);
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x5a\x1a\x1a\x01\x01\x62\x02\x05\x06"
           "\xfa\x02\x10\x01\x00\x00\x00\x00\x00\x00\x00\x03\x01\x00\x00\x00\x00\x00\x00");
}

/* The kinds of the entries that an entry refers to, and its own. */
Test(roles, interned_entries_say_what_they_refer_to)
{
    static const struct {
        pf_field_role role;
        uint32_t kind;
        uint64_t value;
    } want[] = {
        {PF_ROLE_OWN_IID, PF_F_INTERNED_CALLSTACKS, 1}, {PF_ROLE_IID, PF_F_INTERNED_FRAMES, 2},
        {PF_ROLE_OWN_IID, PF_F_INTERNED_FRAMES, 2},     {PF_ROLE_IID, PF_F_INTERNED_MAPPINGS, 3},
        {PF_ROLE_OWN_IID, PF_F_INTERNED_MAPPINGS, 3},   {PF_ROLE_IID, PF_F_INTERNED_BUILD_IDS, 4},
        {PF_ROLE_IID, PF_F_INTERNED_MAPPING_PATHS, 5},
    };
    pf_role_field f;
    size_t n = 0;
    BEGIN(PF_MSG_INTERNED, "\x3a\x04\x08\x01\x10\x02"
                           "\x32\x04\x08\x02\x18\x03"
                           "\x9a\x01\x06\x08\x03\x10\x04\x38\x05");
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role != PF_ROLE_MESSAGE) {
            cr_assert_lt(n, sizeof want / sizeof *want);
            cr_expect(f.role == want[n].role && f.kind == want[n].kind && f.field.value == want[n].value,
                      "field %zu: role %d kind %u", n, f.role, f.kind);
            n++;
        }
    }
    cr_expect_eq(n, sizeof want / sizeof *want);
}

/* A text where a number belongs, a number without a row, a field number that readers skip, the rest of a message. */
#define STRANGE                                                                                                        \
    "\x5a\x19"                                                                                                         \
    "\x5a\x02xy"                                                                                                       \
    "\xb8\x3e\x01"                                                                                                     \
    "\x82\x80\x80\x80\x08\x03"                                                                                         \
    "abc"                                                                                                              \
    "\x58\x09"                                                                                                         \
    "\x0b"                                                                                                             \
    "secret"                                                                                                           \
    "\x40\x11"

Test(roles, what_has_no_role_is_shown_and_can_be_dropped)
{
    pf_role_field f;
    unsigned unknown = 0, malformed = 0;
    BEGIN(PF_MSG_PACKET, STRANGE);
    while (pf_role_walk_next(&walk, &f)) {
        if (f.role == PF_ROLE_UNKNOWN || f.role == PF_ROLE_MALFORMED) {
            unknown += f.role == PF_ROLE_UNKNOWN;
            malformed += f.role == PF_ROLE_MALFORMED;
            pf_role_walk_drop(&walk);
        }
    }
    cr_expect_eq(unknown, 3);
    cr_expect_eq(malformed, 1);
    cr_expect(pf_role_walk_end(&walk));
    EXPECT("\x5a\x02\x58\x09\x40\x11");
}

/* Arguments in arguments: each level is one more message around the innermost. */
static pf_buffer deep_annotation(unsigned levels)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    for (unsigned i = 0; i < levels; i++) {
        pf_writer_begin(&w, PF_F_ANNOTATION_DICT_ENTRIES);
    }
    pf_writer_bytes(&w, PF_F_ANNOTATION_STRING, "x", 1);
    for (unsigned i = 0; i < levels; i++) {
        pf_writer_end(&w);
    }
    pf_writer_free(&w);
    return b;
}

Test(roles, depth_is_bounded)
{
    for (unsigned levels = PF_ROLE_DEPTH - 2; levels < 5000;
         levels = levels < PF_ROLE_DEPTH + 1 ? levels + 1 : levels * 3) {
        pf_buffer b = deep_annotation(levels);
        pf_role_field f;
        unsigned messages = 0, unknown = 0, values = 0;
        out.len = 0;
        pf_role_walk_begin(&walk, PF_MSG_ANNOTATION, (const uint8_t *)b.data, b.len, &writer);
        while (pf_role_walk_next(&walk, &f)) {
            messages += f.role == PF_ROLE_MESSAGE;
            unknown += f.role == PF_ROLE_UNKNOWN;
            if (f.role == PF_ROLE_VALUE) {
                values++;
                pf_role_walk_text(&walk, (pf_str){"x", 1});
            }
        }
        bool fits = levels < PF_ROLE_DEPTH;
        cr_expect_eq(messages, fits ? levels : PF_ROLE_DEPTH - 1);
        cr_expect_eq(unknown, !fits);
        cr_expect_eq(values, fits);
        cr_expect_eq(pf_role_walk_end(&walk), fits);
        cr_expect(!fits || (out.len == b.len && memcmp(out.data, b.data, b.len) == 0));
        pf_buffer_free(&b);
    }
}

Test(roles, kinds_of_packets)
{
    cr_expect(pf_packet_field_known(PF_F_PACKET_TRACK_EVENT));
    cr_expect(pf_packet_field_known(PF_F_PACKET_TIMESTAMP));
    cr_expect(pf_packet_field_known(PF_F_PACKET_FINDINGS));
    cr_expect_not(pf_packet_field_known(37), "heap profiles");
    cr_expect_not(pf_packet_field_known(900));
    cr_expect_not(pf_packet_field_known(PF_FIELD_NUMBER_MAX));
}

/* Everything that can be replaced by itself is: the result says the same. */
static void rewrite(const uint8_t *bytes, size_t len)
{
    pf_role_field f;
    out.len = 0;
    pf_role_walk_begin(&walk, PF_MSG_PACKET, bytes, len, &writer);
    while (pf_role_walk_next(&walk, &f)) {
        if (pf_role_is_number(f.role)) {
            pf_role_walk_number(&walk, f.field.value);
        } else if (pf_role_is_text(f.role)) {
            pf_role_walk_text(&walk, pf_field_text(&f.field));
        }
    }
    if (!pf_role_walk_end(&walk)) {
        pf_writer_raw(&writer, bytes, len);
    }
    cr_assert_not(writer.failed);
}

Test(roles, random_packets_say_the_same_when_rewritten)
{
    static pf_role_walk other;
    const char *given = getenv("PF_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : pf_hash_random_seed(), state = seed;
    uint8_t bytes[96];
    printf("roles: seed %llu (PF_SEED repeats it)\n", (unsigned long long)seed);
    for (unsigned round = 0; round < 100000; round++) {
        size_t len = (state = pf_hash_next_seed(state)) % sizeof bytes;
        for (size_t i = 0; i < len; i++) { /* mostly small bytes: tags of messages and short lengths */
            uint64_t r = state = pf_hash_next_seed(state);
            uint64_t of_message = (uint8_t) "\x5a\x62\x22\x0a\x1a\xe2\x0a\x12"[r >> 8 & 7];
            bytes[i] = (uint8_t)(r % 4 == 0 ? of_message : r % 4 < 3 ? r >> 8 & 31 : r >> 8);
        }
        rewrite(bytes, len);
        pf_role_field a, b;
        pf_role_walk_begin(&walk, PF_MSG_PACKET, bytes, len, NULL);
        pf_role_walk_begin(&other, PF_MSG_PACKET, (const uint8_t *)out.data, out.len, NULL);
        bool more;
        do {
            more = pf_role_walk_next(&walk, &a);
            cr_assert_eq(pf_role_walk_next(&other, &b), more, "seed %llu", (unsigned long long)seed);
            bool same = !more ||
                        (a.role == b.role && a.message == b.message && a.field.tag == b.field.tag &&
                         a.field.value == b.field.value &&
                         (a.role == PF_ROLE_MESSAGE || pf_str_equal(pf_field_text(&a.field), pf_field_text(&b.field))));
            cr_assert(same, "seed %llu round %u", (unsigned long long)seed, round);
        } while (more);
    }
}
