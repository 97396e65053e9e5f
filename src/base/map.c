/* map.c - open addressing, linear probing, load at most one half. A free slot is zero, as fresh memory is. */
#include "base/map.h"

#include <string.h>

#include "base/touch.h"

#define FIRST_SLOTS 16u

/* A finaliser that spreads small consecutive keys over all bits (constants of splitmix64, public domain). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

void pf_map_init(pf_map *m, pf_budget *budget)
{
    *m = (pf_map){.budget = budget};
}

static size_t slots_of(const pf_map *m)
{
    return m->slots ? m->mask + 1 : 0;
}

void pf_map_free(pf_map *m)
{
    if (m->budget) {
        pf_release(m->budget, m->slots, slots_of(m) * sizeof *m->slots);
        pf_map_init(m, m->budget);
    }
}

void pf_map_clear(pf_map *m)
{
    if (m->slots) {
        memset(m->slots, 0, slots_of(m) * sizeof *m->slots);
    }
    m->count = 0;
}

static struct pf_map_slot *find_slot(const pf_map *m, uint64_t key)
{
    size_t at = mix(key) & m->mask;
    while (m->slots[at].value && m->slots[at].key != key) {
        at = (at + 1) & m->mask;
    }
    return &m->slots[at];
}

uint32_t pf_map_get(const pf_map *m, uint64_t key)
{
    return m->slots ? find_slot(m, key)->value - 1 : PF_NONE;
}

void pf_map_prefetch(const pf_map *m, uint64_t key)
{
    if (m->slots) {
        __builtin_prefetch(&m->slots[mix(key) & m->mask]);
    }
}

/* slots: a power of two, larger than what there is. */
static bool enlarge(pf_map *m, size_t slots)
{
    size_t old = slots_of(m);
    pf_map larger = {.budget = m->budget, .mask = slots - 1, .count = m->count};
    larger.slots = pf_alloc_zero(m->budget, slots, sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    pf_touch(larger.slots, slots * sizeof *larger.slots);
    for (size_t i = 0; i < old; i++) {
        if (m->slots[i].value) {
            *find_slot(&larger, m->slots[i].key) = m->slots[i];
        }
    }
    pf_map_free(m);
    *m = larger;
    return true;
}

bool pf_map_reserve(pf_map *m, size_t count)
{
    size_t slots = FIRST_SLOTS;
    while (slots / 2 < count) {
        slots *= 2;
    }
    return slots <= slots_of(m) || enlarge(m, slots);
}

bool pf_map_set(pf_map *m, uint64_t key, uint32_t value)
{
    if ((!m->slots || m->count > m->mask / 2) && !enlarge(m, m->slots ? 2 * slots_of(m) : FIRST_SLOTS)) {
        return false;
    }
    struct pf_map_slot *slot = find_slot(m, key);
    if (!slot->value) {
        slot->key = key;
        m->count++;
    }
    slot->value = value + 1;
    return true;
}
