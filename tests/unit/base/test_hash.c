/* test_hash.c - keys that were made for the unseeded hash functions of old do not meet in a seeded table, and tables
 * whose keys are far from home are laid out anew. Steps are counted as places between a key's home and where it lies.
 */
#include <criterion/criterion.h>

#include <xxhash.h>

#include "base/map.h"
#include "base/strings.h"

static uint64_t inverse(uint64_t a)
{
    uint64_t x = a;
    for (int i = 0; i < 6; i++) {
        x *= 2 - a * x;
    }
    return x;
}

static uint64_t undo_shift(uint64_t y, int by)
{
    uint64_t x = y;
    for (int i = 0; i < 64 / by + 1; i++) {
        x = y ^ (x >> by);
    }
    return x;
}

/* The number that splitmix64's finalizer turns into one with the low half 0x1234. */
static uint64_t splitmix_key(uint64_t i)
{
    uint64_t x = undo_shift((i + 1) << 32 | 0x1234, 31) * inverse(0x94d049bb133111ebull);
    return undo_shift(undo_shift(x, 27) * inverse(0xbf58476d1ce4e5b9ull), 30);
}

static uint64_t golden_key(uint64_t i)
{
    return (5ull << 32 | (i + 1)) * inverse(0x9e3779b97f4a7c15ull);
}

static uint64_t shifted_key(uint64_t i)
{
    return (i + 1) << 40;
}

static uint64_t plain_key(uint64_t i)
{
    return i;
}

static void start(pf_budget *b, uint64_t seed)
{
    pf_limits limits = pf_limits_default();
    limits.hash_seed = seed;
    pf_budget_init(b, &limits);
}

/* Places that all look-ups together pass, and the longest way in *most. */
static uint64_t count_steps(const pf_map *m, uint64_t *most)
{
    uint64_t steps = 0;
    *most = 0;
    for (size_t i = 0; i <= m->mask; i++) {
        uint64_t way = m->slots[i].value ? (i - pf_map_home(m, m->slots[i].key)) & m->mask : 0;
        steps += way;
        *most = way > *most ? way : *most;
    }
    return steps;
}

static uint64_t fill(uint64_t (*key)(uint64_t), uint32_t n, uint64_t seed)
{
    pf_budget budget;
    pf_map m;
    uint64_t most;
    start(&budget, seed);
    pf_map_init(&m, &budget);
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(pf_map_set(&m, key(i), i));
    }
    for (uint32_t i = 0; i < n; i += 7) {
        cr_assert_eq(pf_map_get(&m, key(i)), i);
    }
    uint64_t steps = count_steps(&m, &most);
    cr_assert_leq(most, PF_MAP_PROBES);
    pf_map_free(&m);
    return steps;
}

Test(hash, steps_of_maps_grow_like_their_keys)
{
    uint64_t (*const keys[])(uint64_t) = {splitmix_key, golden_key, shifted_key, plain_key};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (uint64_t seed = 1; seed < 1000; seed += 331) {
            cr_assert_leq(fill(keys[k], 1u << 14, seed), 2u << 14, "kind %zu, seed %lu", k, seed);
            cr_assert_leq(fill(keys[k], 1u << 15, seed), 2u << 15, "kind %zu, seed %lu", k, seed);
        }
    }
}

/* Somebody found the seed out: the keys of one home make the map choose another seed. */
Test(hash, a_known_seed_is_given_up)
{
    pf_budget budget;
    pf_map m;
    uint64_t most;
    start(&budget, 12345);
    pf_map_init(&m, &budget);
    cr_assert(pf_map_reserve(&m, 1u << 14));
    size_t mask = m.mask;
    uint32_t found = 0;
    for (uint64_t key = 0; found < 3000; key++) {
        if ((pf_hash64(12345, key) & mask) < 8) {
            cr_assert(pf_map_set(&m, key, found++));
        }
    }
    cr_assert_eq(m.mask, mask);
    cr_assert_neq(m.seed, 12345);
    cr_assert_leq(count_steps(&m, &most), 6000);
    cr_assert_leq(most, PF_MAP_PROBES);
    pf_map_free(&m);
}

Test(hash, a_map_without_a_key_has_all_others)
{
    enum { KEYS = 1000 };
    pf_budget budget;
    pf_map m;
    start(&budget, pf_hash_random_seed());
    pf_map_init(&m, &budget);
    pf_map_drop(&m, 1);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert(pf_map_set(&m, i, i));
        pf_map_drop(&m, i % 3 ? KEYS : i / 2);
    }
    for (uint32_t i = 0, left = 0; i < KEYS; i++) {
        bool dropped = i < KEYS / 2 && (2 * i % 3 == 0 || (2 * i + 1) % 3 == 0);
        left += !dropped;
        cr_assert_eq(pf_map_get(&m, i), dropped ? PF_NONE : i, "key %u, seed %lu", i, m.seed);
        cr_assert(i < KEYS - 1 || m.count == left);
    }
    pf_map_free(&m);
}

static uint64_t undo_rotations(uint64_t x)
{
    for (int i = 0; i < 63; i++) { /* x ^ rotl(x, 49) ^ rotl(x, 24) has order 64 */
        x ^= (x << 49 | x >> 15) ^ (x << 24 | x >> 40);
    }
    return x;
}

/* Eight bytes whose unseeded XXH3 has the low half 0x12345678. */
static void colliding_text(uint64_t i, char text[8])
{
    const uint64_t inv = inverse(0x9FB21C651E98DF25ull);
    uint64_t x = undo_shift((i * 0x1000193 + 5) << 32 | 0x12345678, 28) * inv;
    x = undo_rotations((x ^ ((x >> 35) + 8)) * inv);
    x ^= XXH_readLE64(XXH3_kSecret + 8) ^ XXH_readLE64(XXH3_kSecret + 16);
    uint32_t high = (uint32_t)(x >> 32), low = (uint32_t)x;
    memcpy(text, &high, 4);
    memcpy(text + 4, &low, 4);
}

static uint64_t fill_strings(uint32_t n, uint64_t seed)
{
    pf_budget budget;
    pf_strings s;
    pf_error err;
    char text[8];
    uint64_t steps = 0;
    start(&budget, seed);
    cr_assert_eq(pf_strings_init(&s, &budget, &err), PF_OK);
    for (uint32_t i = 0; i < n; i++) {
        colliding_text(i, text);
        cr_assert_eq((uint32_t)XXH3_64bits(text, sizeof text), 0x12345678u);
        cr_assert_eq(pf_strings_add(&s, text, sizeof text, &err), i + 1);
    }
    for (uint32_t slot = 0; slot <= s.mask; slot++) {
        uint64_t way = s.slots[slot] ? (slot - s.hash[s.slots[slot]]) & s.mask : 0;
        cr_assert_leq(way, PF_STRINGS_PROBES);
        steps += way;
    }
    colliding_text(n / 2, text);
    cr_assert_eq(pf_strings_find(&s, text, sizeof text), n / 2 + 1);
    pf_strings_free(&s);
    return steps;
}

Test(hash, steps_of_strings_grow_like_their_number)
{
    for (uint64_t seed = 1; seed < 1000; seed += 331) {
        cr_assert_leq(fill_strings(1u << 13, seed), 2u << 13);
        cr_assert_leq(fill_strings(1u << 14, seed), 2u << 14);
    }
}

/* The same for texts: with that seed each of them would lie behind the one before. */
Test(hash, a_known_seed_of_texts_is_given_up)
{
    enum { SEED = 12345, TEXTS = 250, MASK = 511 }; /* the table has so many places for 128 to 255 texts */
    uint64_t numbers[TEXTS];
    uint32_t found = 0;
    pf_budget budget;
    pf_strings s;
    pf_error err;
    start(&budget, SEED);
    cr_assert_eq(pf_strings_init(&s, &budget, &err), PF_OK);
    for (uint64_t i = 0; found < TEXTS; i++) {
        if ((XXH3_64bits_withSeed(&i, sizeof i, SEED) & MASK) == MASK) {
            numbers[found] = i;
            cr_assert_eq(pf_strings_add(&s, (const char *)&i, sizeof i, &err), ++found);
        }
        if (found == PF_STRINGS_PROBES + 1) {
            cr_assert_eq(s.seed, SEED, "the last one is as far from home as it may be");
        }
    }
    cr_expect_eq(s.mask, MASK);
    cr_expect_neq(s.seed, SEED);
    uint32_t used = 0;
    for (uint32_t slot = 0; slot <= s.mask; slot++) {
        used += s.slots[slot] != 0;
        cr_expect_leq(s.slots[slot] ? (slot - s.hash[s.slots[slot]]) & s.mask : 0, 40, "slot %u", slot);
    }
    cr_expect_eq(used, TEXTS);
    for (uint32_t i = 0; i < TEXTS; i++) {
        cr_expect_eq(pf_strings_find(&s, (const char *)&numbers[i], sizeof numbers[i]), i + 1);
        cr_expect_eq(pf_strings_add(&s, (const char *)&numbers[i], sizeof numbers[i], &err), i + 1);
    }
    cr_expect_eq(pf_strings_find(&s, "none", 4), PF_NONE);
    pf_strings_free(&s);
    cr_expect_eq(budget.used, 0);
}

Test(hash, seeds_differ_unless_they_are_given)
{
    pf_budget a, b, c;
    start(&a, 0);
    start(&b, 0);
    start(&c, 77);
    cr_assert_neq(a.seed, b.seed);
    cr_assert_eq(c.seed, 77);
}
