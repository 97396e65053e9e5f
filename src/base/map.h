/* base/map.h - uint64 -> uint32 hash map, open addressing.
 *
 * Hashes are seeded (base/hash.h), and where a new key is more than PF_MAP_PROBES places away from its first one, the
 * whole map is laid out anew with another seed. */
#pragma once

#include "base/budget.h"
#include "base/hash.h"

#define PF_MAP_PROBES 192u /* at half load, a map of 2^32 random keys stays below */

typedef struct pf_map {
    pf_budget *budget;
    struct pf_map_slot {
        uint64_t key;
        uint32_t value; /* counted from 1; 0 = free slot */
    } * slots;
    size_t mask, count;
    uint64_t seed;
    unsigned reseeds; /* left before the map doubles */
} pf_map;

void pf_map_init(pf_map *m, pf_budget *budget);
void pf_map_free(pf_map *m);
void pf_map_clear(pf_map *m); /* forgets the entries, keeps the memory */

/* Makes memory for `count` entries, where so many are to be expected. False if it was refused; the map is as before. */
bool pf_map_reserve(pf_map *m, size_t count);

/* Makes an empty map a copy of another one. False if memory was refused. */
bool pf_map_copy(pf_map *m, const pf_map *from);

/* Where the key is looked for first. */
static inline size_t pf_map_home(const pf_map *m, uint64_t key)
{
    return pf_hash64(m->seed, key) & m->mask;
}

/* The value of key, or PF_NONE. */
uint32_t pf_map_get(const pf_map *m, uint64_t key);

/* Forgets a key, which need not be there. */
void pf_map_drop(pf_map *m, uint64_t key);

/* Has the memory fetched that get and set of the key will look at. */
void pf_map_prefetch(const pf_map *m, uint64_t key);

/* Sets or replaces; value must not be PF_NONE. False if memory was refused. */
bool pf_map_set(pf_map *m, uint64_t key, uint32_t value);

/* The same, with the error that memory was refused. */
pf_status pf_map_put(pf_map *m, uint64_t key, uint32_t value, pf_error *err);
