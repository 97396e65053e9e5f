/* map.c - open addressing, linear probing, load at most one half. */
#include "base/map.h"

#include <string.h>

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
    return m->keys ? m->mask + 1 : 0;
}

void pf_map_free(pf_map *m)
{
    if (m->budget) {
        size_t slots = slots_of(m);
        pf_release(m->budget, m->keys, slots * sizeof *m->keys);
        pf_release(m->budget, m->values, slots * sizeof *m->values);
        pf_map_init(m, m->budget);
    }
}

void pf_map_clear(pf_map *m)
{
    if (m->keys) {
        memset(m->values, 0xff, slots_of(m) * sizeof *m->values);
    }
    m->count = 0;
}

static size_t find_slot(const pf_map *m, uint64_t key)
{
    size_t slot = mix(key) & m->mask;
    while (m->values[slot] != PF_NONE && m->keys[slot] != key) {
        slot = (slot + 1) & m->mask;
    }
    return slot;
}

uint32_t pf_map_get(const pf_map *m, uint64_t key)
{
    return m->keys ? m->values[find_slot(m, key)] : PF_NONE;
}

static bool enlarge(pf_map *m)
{
    size_t slots = m->keys ? (m->mask + 1) * 2 : FIRST_SLOTS;
    pf_map larger = {.budget = m->budget, .mask = slots - 1, .count = m->count};
    larger.keys = pf_alloc(m->budget, slots * sizeof *larger.keys);
    larger.values = larger.keys ? pf_alloc(m->budget, slots * sizeof *larger.values) : NULL;
    if (!larger.values) {
        pf_release(m->budget, larger.keys, slots * sizeof *larger.keys);
        return false;
    }
    memset(larger.values, 0xff, slots * sizeof *larger.values);
    for (size_t i = 0; i < slots_of(m); i++) {
        if (m->values[i] != PF_NONE) {
            size_t slot = find_slot(&larger, m->keys[i]);
            larger.keys[slot] = m->keys[i];
            larger.values[slot] = m->values[i];
        }
    }
    pf_map_free(m);
    *m = larger;
    return true;
}

bool pf_map_set(pf_map *m, uint64_t key, uint32_t value)
{
    if ((!m->keys || m->count > m->mask / 2) && !enlarge(m)) {
        return false;
    }
    size_t slot = find_slot(m, key);
    if (m->values[slot] == PF_NONE) {
        m->keys[slot] = key;
        m->count++;
    }
    m->values[slot] = value;
    return true;
}
