/* What is known of lists of compact_sched that are measured, next to the same lists read entry by entry: arrays of
 * random numbers, some of them unequal, out of order, too long or damaged. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "perfetto/decode/bundle.h"
#include "perfetto/fields.h"

enum { MOST = 300, BUNDLES = 5000, LISTS = 11, TEXTS = 40 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static size_t put_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        to[n++] = (uint8_t)(v | 0x80);
    }
    to[n++] = (uint8_t)v;
    return n;
}

static size_t put_bytes(uint8_t *to, uint32_t field, const uint8_t *bytes, size_t len)
{
    size_t n = put_varint(to, field << 3 | 2);
    n += put_varint(to + n, len);
    memcpy(to + n, bytes, len);
    return n + len;
}

/* A list: small numbers mostly, of times larger ones. */
static size_t make_list(uint8_t *to, uint32_t field, uint32_t count, bool odd)
{
    bool is_time = field == PF_F_COMPACT_SWITCH_TIMESTAMP || field == PF_F_COMPACT_WAKING_TIMESTAMP;
    bool is_text = field == PF_F_COMPACT_SWITCH_NEXT_COMM || field == PF_F_COMPACT_WAKING_COMM;
    uint64_t below = is_time ? 1u << 20 : is_text ? TEXTS : draw(2) ? 128 : 4000;
    size_t n = 0;
    count += odd && draw(8) == 0 ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = is_time && i == 0 ? 1000000000000u : draw(below);
        n += put_varint(to + n, odd && draw(400) == 0 ? v << draw(40) | draw(2) << 63 : v);
    }
    if (odd && n && draw(16) == 0) {
        to[draw(n)] |= 0x80;
    }
    return n;
}

static size_t make_bundle(uint8_t *to)
{
    static uint8_t compact[LISTS * MOST * 11], list[MOST * 11];
    uint32_t counts[2] = {(uint32_t)draw(MOST), (uint32_t)draw(MOST)};
    bool odd = draw(2);
    size_t n = 0;
    for (uint32_t texts = TEXTS - (odd && draw(4) == 0); texts > 0; texts--) {
        n += put_bytes(compact + n, PF_F_COMPACT_TEXTS, (const uint8_t *)"comm", 4);
    }
    for (uint32_t field = PF_F_COMPACT_SWITCH_TIMESTAMP; field <= PF_F_COMPACT_WAKING_FLAGS; field++) {
        if (field != PF_F_COMPACT_TEXTS) {
            size_t len = make_list(list, field, counts[field >= PF_F_COMPACT_WAKING_TIMESTAMP], odd);
            n += put_bytes(compact + n, field, list, len);
        }
    }
    return put_bytes(to, PF_F_FTRACE_COMPACT_SCHED, compact, n);
}

/* What was measured is what is read; whole lists are read again, later and with other texts, as they were. */
static bool compare(const uint8_t *bytes, size_t len, unsigned list, const pf_sched_list *measured,
                    const pf_sched_list *read)
{
    pf_sched_entry entry[MOST + 1];
    uint32_t ids[TEXTS];
    cr_assert_eq(measured->damaged, read->damaged);
    cr_assert_eq(measured->count, read->count);
    if (read->count == 0) {
        return false;
    }
    cr_assert_eq(measured->ordered, read->ordered);
    cr_assert_eq(measured->first, read->entry[0].ts);
    cr_assert_eq(measured->last, read->entry[read->count - 1].ts);
    if (read->damaged) {
        return false;
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        ids[i] = 1000 + i;
    }
    pf_ftrace_bundle scratch = {.budget = NULL};
    const pf_sched_into into = {entry, read->count, -77, ids, TEXTS};
    cr_assert_eq(pf_ftrace_read_entries(bytes, len, list, &into, &scratch), PF_OK);
    for (uint32_t i = 0; i < read->count; i++) {
        const pf_sched_entry *a = &entry[i], *b = &read->entry[i];
        cr_assert(a->ts == b->ts - 77 && a->pid == b->pid && a->prio == b->prio && a->comm == 1000 + b->comm &&
                  a->state == b->state && a->cpu == b->cpu);
    }
    pf_ftrace_bundle_free(&scratch);
    return measured->measured;
}

Test(bundle, measured_lists_are_those_that_are_read)
{
    static uint8_t bytes[LISTS * MOST * 12];
    const char *given = getenv("PF_SEED");
    state = given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
    printf("bundle: seed %llu (PF_SEED repeats it)\n", (unsigned long long)state);
    pf_ftrace_bundle measured = {.budget = NULL}, read = {.budget = NULL};
    uint32_t alike = 0;
    for (uint32_t i = 0; i < BUNDLES; i++) {
        size_t len = make_bundle(bytes);
        cr_assert_eq(pf_ftrace_decode(bytes, len, &read, NULL), PF_OK);
        cr_assert_eq(pf_ftrace_decode_lists(bytes, len, PF_BUNDLE_ALL | PF_BUNDLE_MEASURED, &measured, NULL), PF_OK);
        cr_assert_not(read.switches.measured || read.wakings.measured);
        alike += compare(bytes, len, PF_BUNDLE_SWITCHES, &measured.switches, &read.switches);
        alike += compare(bytes, len, PF_BUNDLE_WAKINGS, &measured.wakings, &read.wakings);
    }
    cr_assert_gt(alike, BUNDLES / 2);
    pf_ftrace_bundle_free(&measured);
    pf_ftrace_bundle_free(&read);
}
